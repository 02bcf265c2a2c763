/* graph_hint: see graph_hint.h. */
#include "src/command/graph_hint.h"

#include "ingest/graph_notes.h"
#include "src/command/session.h"

bool graph_hint_say(struct warehouse *warehouse, struct error *error)
{
    static const char lacks_notes[] =
        "SELECT 1 FROM graph_node_recorded WHERE trace_id = ?1 AND coalesce(module, op) IS NULL "
        "LIMIT 1";
    static const char sql[] =
        "SELECT trace.id, coalesce(trace.rank, -1), trace.path FROM graph_possible AS possible "
        "CROSS JOIN trace ON trace.id = possible.trace_id WHERE tpq_option('graph-annotations') IS "
        "NULL AND NOT EXISTS (SELECT 1 FROM graph_annotation WHERE "
        "trace_id = trace.id) ORDER BY trace.id";
    sqlite3_stmt *traces = warehouse_prepare(warehouse, sql, error);
    bool done = traces != NULL;
    struct text path = {0};
    while (warehouse_next(warehouse, traces, &done, error)) {
        done = graph_notes_find((const char *)sqlite3_column_text(traces, 2),
                                sqlite3_column_int64(traces, 1), &path, error);
        if (!done || !path.count)
            continue;
        int64_t lacks = 0; /* asked only where there is a file */
        done =
            warehouse_ask(warehouse, lacks_notes, sqlite3_column_int64(traces, 0), &lacks, error);
        if (done && lacks) {
            fputs("tpq: graph nodes may be annotated in ", stderr);
            session_print(stderr, path.items);
            fputs("; --graph-annotations takes it\n", stderr);
        }
    }
    sqlite3_finalize(traces);
    text_free(&path);
    return done;
}
