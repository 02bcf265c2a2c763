/* selected_run: which runs a connection sees, for clients that have no --run.
 *
 *     tpq_select(run)    scope and all views have this run alone from now on; NULL: all runs
 *
 *     SELECT tpq_select('tuned')      -> the number of its traces
 *
 * A condition `run = 'tuned'` on a view gives the same rows, but a view that ranks or keeps
 * something reads all runs for it.
 */
#include "sql/binding/function.h"
#include "sql/database.h"

static int select_traces(sqlite3 *db, struct context *context, sqlite3_value *run, int64_t *count)
{
    sqlite3_stmt *row = NULL;
    int result = database_prepare(
        db,
        "SELECT run.name, trace.id, first_event, last_event FROM run JOIN trace ON trace.run_id = "
        "run.id WHERE run.name = ?1 OR ?1 IS NULL ORDER BY trace.id",
        &row, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_value(row, 1, run);
    if (result == SQLITE_OK)
        context_select_none(context);
    while (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
        const char *name = database_text(row, 0);
        bool done =
            name && context_select(context, name, sqlite3_column_int64(row, 1),
                                   sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3), -1);
        result = done ? SQLITE_OK : SQLITE_NOMEM;
        (*count)++;
    }
    return database_end(row, result);
}

static SQL_FUNCTION(select_run)
{
    struct context *selected = function_context(context);
    sqlite3 *db = sqlite3_context_db_handle(context);
    int64_t traces = 0;
    bool is_all = sqlite3_value_type(arguments[0]) == SQLITE_NULL;
    if (selected->cursors) {
        sqlite3_result_error(context, "tpq_select: a statement is not finished yet", -1);
        return;
    }
    int result = select_traces(db, selected, arguments[0], &traces);
    if (result != SQLITE_OK || is_all || !traces)
        context_select_all(selected);
    if (result != SQLITE_OK)
        function_fail(context, result);
    else if (!traces && !is_all)
        sqlite3_result_error(context, "tpq_select: there is no such run; all are selected", -1);
    else
        sqlite3_result_int64(context, traces);
}

const struct function selected_run_functions[] = {
    SCALAR("tpq_select", "run", 1, SQLITE_DIRECTONLY, select_run,
           "Selects a run for this connection, as --run does, and returns the number of its "
           "traces; NULL selects all. An error when there is no such run, and while another "
           "statement is not finished. Not for use in views."),
    {0},
};
