/* narrow: see narrow.h. */
#include "narrow.h"

#include <stddef.h>

SQLITE_EXTENSION_INIT3

enum { BY_RUN = 1, BY_TRACE = 2 };

int narrow_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    int found[2] = {-1, -1}, arguments = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->op == SQLITE_INDEX_CONSTRAINT_EQ && constraint->usable &&
            (constraint->iColumn == COLUMN_RUN || constraint->iColumn == COLUMN_TRACE))
            found[constraint->iColumn] = i;
    }
    for (int i = 0; i < 2; i++)
        if (found[i] >= 0) {
            info->aConstraintUsage[found[i]].argvIndex = ++arguments;
            info->idxNum |= i == COLUMN_RUN ? BY_RUN : BY_TRACE;
        }
    info->estimatedCost = info->idxNum ? 1e4 : 1e6;
    info->estimatedRows = info->idxNum ? 10000 : 1000000;
    return SQLITE_OK;
}

const char *narrow_condition(int narrow)
{
    static const char *const conditions[] = {
        [BY_RUN] = " AND scope.run = ?1",
        [BY_TRACE] = " AND scope.trace_id = ?1",
        [BY_RUN | BY_TRACE] = " AND scope.run = ?1 AND scope.trace_id = ?2",
    };
    const char *condition = conditions[narrow & (BY_RUN | BY_TRACE)];
    return condition ? condition : "";
}

int narrow_prepare(sqlite3 *db, const char *sql, int count, sqlite3_value **arguments,
                   sqlite3_stmt **statement)
{
    int result = sqlite3_prepare_v2(db, sql, -1, statement, NULL);
    for (int i = 0; i < count && result == SQLITE_OK; i++)
        result = sqlite3_bind_value(*statement, i + 1, arguments[i]);
    return result;
}
