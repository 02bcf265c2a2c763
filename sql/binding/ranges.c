/* ranges: see ranges.h. */
#include "sql/binding/ranges.h"

#include "sql/database.h"

#include <stddef.h>

bool ranges_option(sqlite3 *db, const char *name)
{
    sqlite3_stmt *statement = NULL;
    bool is_set =
        database_prepare(db, "SELECT tpq_option(?1) IS NOT NULL", &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    sqlite3_finalize(statement);
    return is_set;
}

int ranges_prepare(sqlite3 *db, sqlite3_value *run, const char *traces, sqlite3_stmt **ranges)
{
    char *sql = sqlite3_mprintf(
        "SELECT run, trace_id, first_event, last_event, is_recompute, (SELECT run_id FROM trace "
        "WHERE trace.id = scope.trace_id), (SELECT clock_start_ns FROM trace WHERE trace.id = "
        "scope.trace_id) FROM scope%s%s%s",
        run ? " WHERE run = ?1" : "",
        !traces ? ""
        : run   ? " AND trace_id IN "
                : " WHERE trace_id IN ",
        traces ? traces : "");
    int result = sql ? database_prepare(db, sql, ranges, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return result == SQLITE_OK && run ? sqlite3_bind_value(*ranges, 1, run) : result;
}
