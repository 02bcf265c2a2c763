/* ranges: see ranges.h. */
#include "sql/binding/ranges.h"

#include "sql/database.h"

#include <stdlib.h>
#include <string.h>

bool ranges_option(sqlite3 *db, const char *name)
{
    sqlite3_stmt *statement = NULL;
    bool is_set =
        database_prepare(db, "SELECT tpq_option(?1) IS NOT NULL", &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    database_finalize(statement);
    return is_set;
}

/* A trace begins with the same columns in both questions. */
#define TRACE                                                                             \
    "run, trace_id, (SELECT run_id FROM trace WHERE trace.id = scope.trace_id), (SELECT " \
    "clock_start_ns FROM trace WHERE trace.id = scope.trace_id)"

static int ask(const struct table_wish *wish, const char *columns, const char *table,
               const char *order, sqlite3_stmt **from)
{
    char *sql =
        database_format("SELECT %s FROM %s AS scope WHERE 1%s%s%s%s", columns, table,
                        wish->run ? " AND run = ?1" : "", wish->traces ? " AND trace_id IN " : "",
                        wish->traces ? wish->traces : "", order);
    int result = database_prepare(wish->db, sql, from, NULL);
    memory_free(sql);
    return result == SQLITE_OK && wish->run ? sqlite3_bind_value(*from, 1, wish->run) : result;
}

int ranges_prepare(const struct table_wish *wish, sqlite3_stmt **ranges)
{
    return ask(wish, TRACE ", first_event, last_event, is_recompute", "scope", "", ranges);
}

int ranges_prepare_windows(const struct table_wish *wish, sqlite3_stmt **ranges)
{
    return ask(wish, TRACE ", first_event, last_event, is_recompute", "window_scope", "", ranges);
}

bool ranges_has_trace(const trace_list *traces, sqlite3_stmt *range)
{
    return traces->count && traces->items[traces->count - 1].id == sqlite3_column_int64(range, 1);
}

int ranges_add_trace(trace_list *traces, sqlite3_stmt *range)
{
    if (ranges_has_trace(traces, range))
        return SQLITE_OK;
    const char *run = database_text(range, 0);
    struct selected_trace added = {run ? memory_text(run) : NULL, sqlite3_column_int64(range, 1),
                                   sqlite3_column_int64(range, 2), sqlite3_column_int64(range, 3)};
    if (added.run && array_add(traces, added))
        return SQLITE_OK;
    memory_free(added.run);
    return SQLITE_NOMEM;
}

int ranges_traces(const struct table_wish *wish, trace_list *traces)
{
    sqlite3_stmt *from = NULL;
    int result = ask(wish, "DISTINCT " TRACE, "scope", " ORDER BY trace_id", &from);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = ranges_add_trace(traces, from);
    database_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

void ranges_free_traces(trace_list *traces)
{
    for (size_t i = 0; i < traces->count; i++)
        memory_free(traces->items[i].run);
    array_free(traces);
}
