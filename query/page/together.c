/* together: see together.h. */
#include "query/page/together.h"

#include "sql/database.h"

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
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *kind = database_text(rows, 2);
        json.failed |= !kind;
        text_format(&json, "%s[%lld,%lld,\"%s\"]", json.count ? "," : "[",
                    (long long)sqlite3_column_int64(rows, 0),
                    (long long)sqlite3_column_int64(rows, 1), kind ? kind : "");
    }
    sqlite3_finalize(rows);
    text_add_byte(&json, ']');
    if (done && (json.count > 1 || json.failed))
        done = page_blocks_add(blocks, "edges", &json, NULL) || error_memory(error);
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
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *place = (const char *)sqlite3_column_text(rows, 2);
        if (sqlite3_column_int(rows, 0) == 1)
            text_format(&json, "%s%s", json.count ? "],[" : "[[", place ? place : "null");
        text_format(&json, ",%lld", (long long)sqlite3_column_int64(rows, 1));
    }
    sqlite3_finalize(rows);
    bool any = json.count || json.failed;
    text_add_string(&json, "]]");
    if (done && any)
        done = page_blocks_add(blocks, "together", &json, NULL) || error_memory(error);
    text_free(&json);
    return done;
}
