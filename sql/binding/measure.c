/* measure: see measure.h. */
#include "sql/binding/measure.h"

#include "sql/database.h"

int measure_begin(struct measure *self, sqlite3 *db, const char *columns, const char *select)
{
    const char *rest = "";
    *self = (struct measure){.db = db};
    char *sql = sqlite3_mprintf("SELECT %s FROM (%s)", columns, select);
    int result = sql ? database_prepare(db, sql, &self->rows, &rest) : SQLITE_NOMEM;
    self->is_more = *rest && rest > sql && rest[-1] == ';';
    if (self->is_more || (result == SQLITE_OK && !sqlite3_stmt_readonly(self->rows)))
        result = SQLITE_ERROR;
    sqlite3_free(sql);
    return result;
}

int measure_end(struct measure *self, int result, struct error *problem)
{
    bool is_to_blame = result != SQLITE_DONE && result != SQLITE_NOMEM &&
                       result != SQLITE_INTERRUPT && result != SQLITE_CORRUPT;
    if (is_to_blame)
        error_set(problem, STATUS_BAD_INPUT, "%s",
                  self->is_more ? "more than one statement" : sqlite3_errmsg(self->db));
    sqlite3_finalize(self->rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}
