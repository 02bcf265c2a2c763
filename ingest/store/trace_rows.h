/* trace_rows: what belongs to a trace in memory as tables that SQLite can read from.
 *
 * `INSERT INTO event SELECT ... FROM trace_event` is a fast way into a table: the rows are
 * made where they are needed, and nothing is bound. store.c is the only caller.
 */
#pragma once

#include "ingest/trace/trace.h"
#include "src/base/text.h"

#include <sqlite3.h>

#define EVENT_COLUMNS                                                                    \
    "id, trace_id, category_id, name_id, track_id, ts_ns, dur_ns, up, below, child_ns, " \
    "op_id, args_id, correlation, uid"
#define GPU_EVENT_COLUMNS                                                                    \
    "id, trace_id, category_id, name_id, track_id, device, stream, ts_ns, dur_ns, bytes, "   \
    "correlation, external_id, args_id, call_id, cpu_op_id, launcher_id, launcher_name_id, " \
    "launcher_op_id, launcher_track_id, launcher_ts_ns, launcher_below, nested_call, uid, "  \
    "link_id"

/* Ids in the database for the numbers of a trace. */
struct rows {
    const struct trace *trace;
    int64_t trace_id;
    int64_t first_event;                /* id of event number 0 */
    int64_t first_track;                /* id of tree.tracks.items[0] */
    int64_t *strings, *arguments, *ops; /* by number in the trace; 0 = not used */
    int64_t categories[CATEGORY_COUNT_MAX + 1];
    int64_t *first_facts;  /* by list of facts: id of its first row */
    struct fact_list list; /* that trace_fact shows */
};

/* The ids that a slice and a track have. */
int64_t rows_event(const struct rows *rows, uint32_t slice);
int64_t rows_track(const struct rows *rows, uint32_t place, enum track_kind kind);

/* Binds the tables trace_event and trace_gpu_event to a connection, until `rows` goes. */
int rows_register(sqlite3 *db, const struct rows *rows);

/* Binds trace_fact, the facts of `rows->list`; again when that is another one. */
int rows_register_facts(sqlite3 *db, const struct rows *rows);

/* The names of a table's columns, separated by commas. */
void rows_fact_columns(const struct fact_table *table, struct text *out);

void rows_unregister(sqlite3 *db);
