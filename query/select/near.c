/* near: see near.h. */
#include "query/select/near.h"

#include "src/base/hint.h"
#include "src/base/name_list.h"

#include <string.h>

bool near_add(struct warehouse *warehouse, const char *word, const char *sql, const char *otherwise,
              struct text *hint, struct error *error)
{
    name_list names = {0};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        done = name_list_add(&names, memory_text(name ? name : "")) || error_memory(error);
    }
    database_finalize(rows);
    if (done)
        hint_add(hint, word, (const char *const *)names.items, names.count, otherwise);
    name_list_free(&names);
    return done;
}
