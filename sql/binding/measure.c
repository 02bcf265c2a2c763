/* measure: An authorizer lets the SELECT use our tables and plain functions alone, and limits of
 * the connection are exchanged while it runs. */
#include "sql/binding/measure.h"

#include "sql/binding/context.h"
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/statement.h"
#include "sql/warehouse/tables.h"
#include "src/base/clock.h"

#include <string.h>

/* The limits of such rows. A step may be a function that goes through two long texts. */
enum { STEPS_BETWEEN_LOOKS = 50, BYTES_MAX = 20000, PATTERN_MAX = 40, ROWS_MAX = 10000 };
static const double seconds_max = 1;

/* True if the catalog of the program has this SQL in a row. */
static bool is_of_program(const char *select)
{
    char *literal = database_format("%Q", select);
    bool is = false;
    for (int i = 0; i < sql_file_count && !is; i++)
        is = (strcmp(sql_files[i].path, "catalog/advice_rule.sql") == 0 ||
              strcmp(sql_files[i].path, "catalog/health_check.sql") == 0) &&
             strstr(sql_files[i].text, literal);
    memory_free(literal);
    return is;
}

/* A function of ours, or of SQLite, that gives a value for values. */
static const struct function *find_function(const struct context *context, const char *name)
{
    for (const struct function *const *list = context->functions; list && *list; list++)
        for (const struct function *at = *list; at->name; at++)
            if (sqlite3_stricmp(at->name, name) == 0)
                return at;
    return NULL;
}

static bool is_plain_function(const struct context *context, const char *name)
{
    static const char of_sqlite[] =
        "abs avg cast ceil ceiling char coalesce concat count cume_dist date datetime dense_rank "
        "first_value floor format glob group_concat hex ifnull iif instr json json_array "
        "json_array_length json_extract json_group_array json_group_object json_object json_quote "
        "json_type json_valid julianday lag last_value lead length like ln log log10 log2 lower "
        "ltrim max min nth_value ntile nullif percent_rank pow power printf quote rank replace "
        "round row_number rtrim sign sqrt strftime substr substring sum time total trim typeof "
        "unicode unixepoch upper";
    bool is_operator = strcmp(name, "->") == 0 || strcmp(name, "->>") == 0;
    const struct function *ours = find_function(context, name);
    return ours ? !(ours->flags & SQLITE_DIRECTONLY)
                : is_operator || statement_names(of_sqlite, name);
}

/* SQLite does not tell `database` where rows are only counted, nor for names behind WITH. */
static bool is_our_table(const struct measure *self, const char *name, const char *database)
{
    if (!database && sqlite3_table_column_metadata(self->db, NULL, name, NULL, NULL, NULL, NULL,
                                                   NULL, NULL) != SQLITE_OK)
        return true;
    return views_find(view_of(name)) || tables_words(name).length ||
           find_function(self->context, name) || sqlite3_stricmp(name, "json_each") == 0 ||
           sqlite3_stricmp(name, "json_tree") == 0;
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *view)
{
    const struct measure *self = context;
    const struct bounds *before = &self->before;
    if (before->authorize &&
        before->authorize(before->authorizer, action, first, second, database, view) != SQLITE_OK)
        return SQLITE_DENY;
    if (database_is_providing())
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ: /* where files lie is for nobody who may be far away */
        return !is_our_table(self, first, database) ||
                       (self->context->hides_places && context_is_place(first, second))
                   ? SQLITE_DENY
                   : SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_plain_function(self->context, second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE: /* a table in C is declared so */
        return strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int count_time(void *context)
{
    struct context *self = context;
    struct measure *measure = self->bounds.authorizer;
    const struct bounds *before = &measure->before;
    double now = clock_thread_seconds();
    self->seconds_of_file += now - measure->since;
    measure->since = now;
    return self->seconds_of_file > seconds_max ||
           (before->progress && before->progress(before->runner) != 0);
}

/* Other limits of the connection; the same again are those before. */
static void exchange_limits(struct measure *self)
{
    static const int kinds[] = {SQLITE_LIMIT_LENGTH, SQLITE_LIMIT_LIKE_PATTERN_LENGTH};
    for (int i = 0; i < 2; i++)
        self->limits[i] = sqlite3_limit(self->db, kinds[i], self->limits[i]);
}

/* An older file lacks such a table, and what a user's file adds is in front of it alone. */
int measure_list(sqlite3 *db, struct context *context, const char *table, const char *columns,
                 const char *condition, sqlite3_stmt **rows)
{
    context->seconds_of_file = 0;
    bool is_in_file = sqlite3_table_column_metadata(db, "main", table, "measure", NULL, NULL, NULL,
                                                    NULL, NULL) == SQLITE_OK;
    char *sql = database_format(
        is_in_file
            ? "SELECT %s, measure, measure IN (SELECT measure FROM main.%s) FROM %s WHERE "
              "measure IS NOT NULL AND %s ORDER BY 1"
            : "SELECT %s, measure, 0 AS %s FROM %s WHERE measure IS NOT NULL AND %s ORDER BY 1",
        columns, table, table, condition);
    int result = database_prepare(db, sql, rows, NULL);
    memory_free(sql);
    return result;
}

static void lift_bounds(void *measure)
{
    struct measure *self = measure;
    bounds_set(self->db, self->context, self->before);
    exchange_limits(self);
}

int measure_begin(struct measure *self, sqlite3 *db, struct context *context, const char *columns,
                  const char *select, bool is_of_file)
{
    const char *rest = "";
    *self = (struct measure){.db = db,
                             .context = context,
                             .before = context->bounds,
                             .limits = {BYTES_MAX, PATTERN_MAX}};
    char *sql = database_format("SELECT %s FROM (%s)", columns, select);
    self->is_bounded = is_of_file && !context->trusts_rows && !is_of_program(select);
    if (self->is_bounded) {
        self->since = clock_thread_seconds();
        bounds_set(db, context,
                   (struct bounds){authorize, self, count_time, context, STEPS_BETWEEN_LOOKS});
        exchange_limits(self);
        memory_at_end(lift_bounds, self);
    }
    int result = database_prepare(db, sql, &self->rows, &rest);
    self->is_more = *rest && rest > sql && rest[-1] == ';';
    if (self->is_more || (result == SQLITE_OK && !sqlite3_stmt_readonly(self->rows)))
        result = SQLITE_ERROR;
    memory_free(sql);
    return result;
}

int measure_step(struct measure *self)
{
    bool is_over = self->is_bounded && self->row_count++ > ROWS_MAX;
    return is_over ? SQLITE_INTERRUPT : sqlite3_step(self->rows);
}

int measure_end(struct measure *self, int result, struct error *problem)
{
    bool is_over = self->is_bounded && result == SQLITE_INTERRUPT &&
                   (self->context->seconds_of_file > seconds_max || self->row_count > ROWS_MAX);
    bool is_to_blame = result != SQLITE_DONE && result != SQLITE_NOMEM &&
                       result != SQLITE_INTERRUPT && result != SQLITE_CORRUPT;
    if (is_over)
        error_set(problem, STATUS_BAD_INPUT,
                  "stopped after a second or 10,000 rows; --trust lifts these limits");
    else if (is_to_blame)
        error_set(problem, STATUS_BAD_INPUT, "%s",
                  self->is_more ? "more than one statement" : sqlite3_errmsg(self->db));
    database_finalize(self->rows);
    if (self->is_bounded) {
        memory_forget(self);
        lift_bounds(self);
    }
    return result == SQLITE_DONE ? SQLITE_OK : is_over ? SQLITE_ERROR : result;
}
