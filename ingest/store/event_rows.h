/* event_rows: the slices of a trace as rows of event, those of accelerators of gpu_event as well.
 *
 * trace_rows.c makes tables of them that SQLite can read from.
 */
#pragma once

#include "ingest/trace/trace.h"

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
    int64_t *first_facts; /* by list of facts: id of its first row */
    size_t facts;         /* the list that trace_fact shows */
};

/* The ids that a slice and a track have. */
int64_t rows_event(const struct rows *rows, uint32_t slice);
int64_t rows_track(const struct rows *rows, uint32_t place, enum track_kind kind);

enum { EVENT_ROW_VALUES = 24 };

/* The row of a slice, and the other one of one on an accelerator; NONE = NULL. */
void event_row(const struct rows *rows, uint32_t index, int64_t *values);
void gpu_event_row(const struct rows *rows, uint32_t index, int64_t *values);
