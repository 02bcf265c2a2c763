/* json_forms: see json_forms.h. */
#include "query/ask/json_forms.h"

bool json_forms_declare(sqlite3 *db, struct column *columns, size_t count)
{
    sqlite3_stmt *statement;
    int result = sqlite3_prepare_v2(db,
                                    "SELECT 1 FROM main.report_column WHERE name = ?1 "
                                    "AND unit IN ('tuple', 'list', 'array') LIMIT 1",
                                    -1, &statement, NULL);
    if (result != SQLITE_OK)
        return result != SQLITE_NOMEM;
    for (size_t i = 0; i < count && result != SQLITE_NOMEM; i++) {
        result = sqlite3_bind_text(statement, 1, columns[i].name, -1, SQLITE_STATIC);
        result = result == SQLITE_OK ? sqlite3_step(statement) : result;
        columns[i].form = result == SQLITE_ROW ? FORM_ARRAY : FORM_PLAIN;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return result != SQLITE_NOMEM;
}

/* Whether a text is what a JSON function of SQLite has just made. */
static bool find_made(sqlite3_stmt *row, int column, bool *is_made)
{
    const unsigned json = 'J'; /* the subtype that they give it */
    *is_made = false;
    if (sqlite3_column_type(row, column) != SQLITE_TEXT)
        return true;
    sqlite3_value *kept = sqlite3_value_dup(sqlite3_column_value(row, column));
    if (!kept)
        return false;
    *is_made = sqlite3_value_subtype(kept) == json;
    sqlite3_value_free(kept);
    return true;
}

bool json_forms_of_row(sqlite3_stmt *row, struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_made;
        if (columns[i].form == FORM_ARRAY)
            continue;
        if (!find_made(row, (int)i, &is_made))
            return false;
        columns[i].form = is_made ? FORM_LIST : FORM_PLAIN;
    }
    return true;
}
