/* together: see together.h. */
#include "query/page/together.h"

bool together_add_block(struct warehouse *warehouse, struct page_blocks *blocks,
                        struct error *error)
{
    static const char sql[] =
        "WITH part AS (SELECT run, collective, id, row_number() OVER nth AS place,"
        " count(*) OVER (PARTITION BY run, collective) AS parts FROM collective_call"
        " WINDOW nth AS (PARTITION BY run, collective ORDER BY common_ns DESC, rank DESC, id)) "
        "SELECT place, id FROM part WHERE parts > 1 ORDER BY run, collective, place";
    struct text json = {0};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows && (text_add_byte(&json, '[') || error_memory(error));
    while (done && warehouse_next(warehouse, rows, &done, error)) {
        const char *between = sqlite3_column_int(rows, 0) > 1 ? "," : json.count > 1 ? "],[" : "[";
        done = text_format(&json, "%s%lld", between, (long long)sqlite3_column_int64(rows, 1)) ||
               error_memory(error);
    }
    sqlite3_finalize(rows);
    if (done && json.count > 1)
        done = (text_add_string(&json, "]]") &&
                page_blocks_add(blocks, "together", (struct view){json.items, json.count}, NULL)) ||
               error_memory(error);
    text_free(&json);
    return done;
}
