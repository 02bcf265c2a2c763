/* together: see together.h. */
#include "query/page/together.h"

bool edges_add_block(struct warehouse *warehouse, struct page_blocks *blocks, struct error *error)
{
    static const char sql[] =
        "SELECT from_id - lag(from_id, 1, 0) OVER (ORDER BY from_id, to_id), to_id - from_id, kind"
        " FROM edge WHERE trace_id IN (SELECT trace_id FROM scope) AND (kind <> 'flow' OR NOT "
        "EXISTS"
        " (SELECT 1 FROM edge AS same WHERE same.from_id = edge.from_id AND same.kind <> 'flow')) "
        "ORDER BY from_id, to_id"; /* an arrow of the profiler says it again */
    struct text json = {0};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    while (done && warehouse_next(warehouse, rows, &done, error)) {
        const char *kind = (const char *)sqlite3_column_text(rows, 2);
        done = (kind && text_format(&json, "%s[%lld,%lld,\"%s\"]", json.count ? "," : "[",
                                    (long long)sqlite3_column_int64(rows, 0),
                                    (long long)sqlite3_column_int64(rows, 1), kind)) ||
               error_memory(error);
    }
    sqlite3_finalize(rows);
    if (done && json.count)
        done = (text_add_byte(&json, ']') &&
                page_blocks_add(blocks, "edges", text_view(&json), NULL)) ||
               error_memory(error);
    text_free(&json);
    return done;
}

bool together_add_block(struct warehouse *warehouse, struct page_blocks *blocks,
                        struct error *error)
{
    static const char sql[] =
        "WITH part AS (SELECT run, collective, id, wait_ns IS NULL AS is_alone,"
        " row_number() OVER (PARTITION BY run, collective ORDER BY common_ns DESC, rank DESC, id)"
        " AS nth, count(*) OVER (PARTITION BY run, collective) AS parts,"
        " min(common_ns) OVER (PARTITION BY run, collective, wait_ns IS NULL) AS first_ns"
        " FROM collective_call) "
        "SELECT nth, id, CASE WHEN NOT is_alone THEN dense_rank() OVER"
        " (PARTITION BY run, is_alone ORDER BY first_ns, collective) - 1 END "
        "FROM part WHERE parts > 1 ORDER BY run, collective, nth";
    struct text json = {0};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows && (text_add_byte(&json, '[') || error_memory(error));
    while (done && warehouse_next(warehouse, rows, &done, error)) {
        bool is_first = sqlite3_column_int(rows, 0) == 1;
        const char *place = (const char *)sqlite3_column_text(rows, 2);
        done = ((!is_first || text_format(&json, "%s%s", json.count > 1 ? "],[" : "[",
                                          place ? place : "null")) &&
                text_format(&json, ",%lld", (long long)sqlite3_column_int64(rows, 1))) ||
               error_memory(error);
    }
    sqlite3_finalize(rows);
    if (done && json.count > 1)
        done = (text_add_string(&json, "]]") &&
                page_blocks_add(blocks, "together", text_view(&json), NULL)) ||
               error_memory(error);
    text_free(&json);
    return done;
}
