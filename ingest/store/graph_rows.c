/* graph_rows: see graph_rows.h. The SQL is that of the views graph_note and graph_node_recorded,
 * which a warehouse that is being built does not have yet. */
#include "ingest/store/graph_rows.h"

#include <string.h>

static const char notes_sql[] =
    "WITH file AS MATERIALIZED (SELECT coalesce(arg(value, 'rank'), -1) AS rank, arg(value, "
    "'notes') AS notes FROM json_each(?2)), chosen AS (SELECT CASE WHEN rank IN (SELECT rank FROM "
    "file) THEN rank WHEN rank IS NULL AND (SELECT count(*) FROM file) = 1 THEN (SELECT rank FROM "
    "file) ELSE -1 END AS rank FROM trace WHERE id = ?1) INSERT INTO graph_annotation (trace_id, "
    "node_id, module, op) SELECT ?1, key, nullif(substr(value, 1, instr(value, char(10)) - 1), "
    "''), nullif(substr(value, instr(value, char(10)) + 1), '') FROM chosen JOIN file ON file.rank "
    "= chosen.rank CROSS JOIN json_each(file.notes) WHERE true";

/* The nodes of a trace with their names; ?2 and ?3 are its events. */
#define NODES                                                                                   \
    "WITH cut AS (SELECT name_id, ltrim(substr(json, instr(json, '\"graph node id\":') + 16), " \
    "'\"') AS rest FROM gpu_event CROSS JOIN args ON args.id = args_id WHERE gpu_event.id "     \
    "BETWEEN ?2 AND ?3 AND instr(json, '\"graph node id\":') > 0), node AS MATERIALIZED "       \
    "(SELECT DISTINCT name_id, ltrim(substr(rest, 1, length(rest) - length(ltrim(rest, "        \
    "'0123456789-'))), '0') AS node_id FROM cut) "

static const char unmatched_sql[] =
    NODES "SELECT count(*) FROM graph_annotation WHERE trace_id = ?1 AND node_id NOT IN (SELECT "
          "node_id FROM node)";
static const char renamed_sql[] =
    NODES "SELECT count(*) FROM (SELECT 1 FROM node WHERE node_id <> '' GROUP BY node_id HAVING "
          "count(*) > 1)";

/* One look at each distinct list of arguments. */
static bool has_nodes(const struct trace *trace)
{
    static const char key[] = "\"graph node id\":";
    for (uint32_t i = 1; i <= intern_count(&trace->arguments); i++) {
        struct view json = intern_view(&trace->arguments, i);
        if (memmem(json.bytes, json.length, key, sizeof key - 1))
            return true;
    }
    return false;
}

static bool count_as(struct store *self, enum note note, const char *sql, struct notes *told)
{
    static const char insert[] = "INSERT OR REPLACE INTO ingest_note (trace_id, kind, detail, "
                                 "count) VALUES (?1, ?2, ?3, ?4)";
    int64_t count = 0;
    sqlite3_stmt *ask = warehouse_prepare(self->warehouse, sql, self->error);
    sqlite3_bind_int64(ask, 1, self->rows.trace_id);
    sqlite3_bind_int64(ask, 2, self->rows.first_event);
    sqlite3_bind_int64(ask, 3, self->rows.first_event + (int64_t)self->trace->slices.count - 1);
    bool done = ask && statement_ask(self, ask, &count, 0);
    database_finalize(ask);
    if (!done || !count)
        return done;
    sqlite3_stmt *add = warehouse_prepare(self->warehouse, insert, self->error);
    if (!add)
        return false;
    statement_integer(add, 1, self->rows.trace_id);
    statement_view(add, 2, view_of(note_kind(note)));
    statement_view(add, 3, view_of(note_meaning(note)));
    statement_integer(add, 4, count);
    done = statement_run(self, add);
    database_finalize(add);
    if (told)
        told->entries[note] = (struct note_entry){count, -1, -1};
    return done;
}

bool graph_rows_add(struct store *self, const char *notes, struct notes *told)
{
    return statement_keep_list(self, notes_sql, notes) &&
           (!notes || count_as(self, NOTE_GRAPH_ANNOTATIONS_UNMATCHED, unmatched_sql, told)) &&
           (!has_nodes(self->trace) || count_as(self, NOTE_GRAPH_NODE_RENAMED, renamed_sql, told));
}
