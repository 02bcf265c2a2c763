/* health_measured: what the SELECTs of checks (health_check.measure) found. A SELECT that fails
 * says why at every trace, or run, that it might be about. */
#include "sql/binding/function.h"
#include "sql/binding/measure.h"
#include "sql/binding/table.h"
#include "sql/database.h"

#include <math.h>
#include <string.h>

struct finding {
    char *check, *run, *reason;
    double value;
    int64_t trace, count, base, time, example, first, last; /* trace 0: it is about the run */
};

struct finding_rows {
    ARRAY(struct finding) rows;
};

/* Columns of such a SELECT; in place of the first one RUN is the first one about runs. */
enum { TRACE, COUNT, BASE, NEEDED, TIME = NEEDED, VALUE, EXAMPLE, FIRST, LAST, REASON, COLUMNS };

static const char *const column_names[] = {"trace_id",   "count",    "base",    "time_ns", "value",
                                           "example_id", "first_ns", "last_ns", "reason"};

static void finding_free(struct finding *self)
{
    memory_free(self->check);
    memory_free(self->run);
    memory_free(self->reason);
}

static bool is_null(sqlite3_stmt *row, int place)
{
    return place < 0 || sqlite3_column_type(row, place) == SQLITE_NULL;
}

static int64_t number_at(sqlite3_stmt *row, int place)
{
    return is_null(row, place) ? INT64_MIN : sqlite3_column_int64(row, place);
}

static bool is_count(sqlite3_stmt *row, int place)
{
    int type = sqlite3_column_type(row, place);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    return type == SQLITE_NULL || (is_number && sqlite3_column_double(row, place) >= 0);
}

static void add_finding(struct finding_rows *findings, const char *check, bool is_run,
                        sqlite3_stmt *row, const int *places)
{
    if (is_null(row, places[TRACE]))
        return;
    const char *run = is_run ? database_text(row, places[TRACE]) : NULL;
    const char *fault =
        !is_count(row, places[COUNT])  ? "its measure gives a count that is no number from 0 on"
        : !is_count(row, places[BASE]) ? "its measure gives a base that is no number from 0 on"
                                       : NULL;
    const char *reason = fault                          ? fault
                         : is_null(row, places[REASON]) ? NULL
                                                        : database_text(row, places[REASON]);
    struct finding added = {
        .check = memory_text(check),
        .run = run ? memory_text(run) : NULL,
        .reason = reason ? memory_text(reason) : NULL,
        .trace = is_run ? 0 : number_at(row, places[TRACE]),
        .count = number_at(row, places[COUNT]),
        .base = number_at(row, places[BASE]),
        .time = number_at(row, places[TIME]),
        .value = is_null(row, places[VALUE]) ? NAN : sqlite3_column_double(row, places[VALUE]),
        .example = number_at(row, places[EXAMPLE]),
        .first = number_at(row, places[FIRST]),
        .last = number_at(row, places[LAST])};
    array_add(&findings->rows, added);
}

/* By their names, in any order; -1: it has no such column. The first ones may go without names, in
 * their order. */
static bool find_columns(sqlite3_stmt *rows, bool is_run, int *places, struct error *problem)
{
    for (int column = 0; column < COLUMNS; column++) {
        const char *wanted = column == TRACE && is_run ? "run" : column_names[column];
        places[column] = -1;
        for (int i = sqlite3_column_count(rows); i-- > 0;) {
            const char *name = sqlite3_column_name(rows, i);
            bool is_nameless = column < NEEDED && i == column && name && strchr(name, '(');
            if (name && (is_nameless || sqlite3_stricmp(name, wanted) == 0))
                places[column] = i;
        }
        if (places[column] < 0 && column < NEEDED)
            return error_set(problem, STATUS_BAD_INPUT, "it has no column %s", wanted);
    }
    return true;
}

/* A problem is the SELECT's, and then it has found nothing. */
static int ask_check(struct finding_rows *findings, const struct table_wish *wish,
                     const char *check, bool is_run, const char *select, bool is_of_file,
                     struct error *problem)
{
    struct measure measure;
    struct error other = {0};
    int places[COLUMNS];
    size_t before = findings->rows.count;
    int result = measure_begin(&measure, wish->db, wish->context, "*", select, is_of_file);
    bool has_columns = result != SQLITE_OK || find_columns(measure.rows, is_run, places, problem);
    while (result == SQLITE_OK && has_columns && (result = measure_step(&measure)) == SQLITE_ROW) {
        add_finding(findings, check, is_run, measure.rows, places);
        result = SQLITE_OK;
    }
    result = measure_end(&measure, has_columns ? result : SQLITE_DONE, &other);
    if (*other.text)
        *problem = other;
    while (*problem->text && findings->rows.count > before)
        finding_free(&findings->rows.items[--findings->rows.count]);
    return *problem->text ? SQLITE_OK : result;
}

static void stop_asking(void *context)
{
    ((struct context *)context)->asks_checks = false;
}

static int read_findings(void *reading, const struct table_wish *wish, struct error *error)
{
    sqlite3_stmt *checks = NULL;
    if (wish->context->asks_checks) {
        error_set(error, STATUS_BAD_INPUT, "what a check measures asks for checks");
        return SQLITE_ERROR;
    }
    memory_at_end(stop_asking, wish->context);
    wish->context->asks_checks = true;
    int result = measure_list(wish->db, wish->context, "health_check", "\"check\", level = 'run'",
                              "warning_count IS NOT NULL", &checks);
    while (result == SQLITE_OK && (result = sqlite3_step(checks)) == SQLITE_ROW) {
        const char *check = database_text(checks, 0), *measure = database_text(checks, 2);
        bool is_run = sqlite3_column_int(checks, 1) != 0;
        struct error problem = {0};
        bool is_of_file = sqlite3_column_int(checks, 3) != 0;
        result = ask_check(reading, wish, check, is_run, measure, is_of_file, &problem);
        if (result == SQLITE_OK && *problem.text) {
            struct error none = {0};
            char *select = database_format("SELECT %s, NULL AS count, NULL AS base, "
                                           "'its measure fails: %q' AS reason FROM main.%s",
                                           is_run ? "name AS run" : "id AS trace_id", problem.text,
                                           is_run ? "run" : "trace");
            result = ask_check(reading, wish, check, is_run, select, false, &none);
            memory_free(select);
        }
    }
    database_finalize(checks);
    memory_forget(wish->context);
    wish->context->asks_checks = false;
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static const struct table_reading finding_reading = {
    .size = sizeof(struct finding_rows), .read = read_findings, .is_kept = true};

#define OF_FINDING(kind, member) TABLE_AT(kind, 0, struct finding, member)

static const struct table_column finding_columns[] = {
    {"run", "name of the run; NULL where the check is about a trace", OF_FINDING(WORD, run)},
    {"trace_id", "id of the trace; NULL where the check is about the run", OF_FINDING(ID, trace)},
    {"check", "name of the check", OF_FINDING(WORD, check)},
    {"count", "number of findings; NULL when they cannot be told", OF_FINDING(STATED, count)},
    {"base", "number of what they are a part of", OF_FINDING(STATED, base)},
    {"time_ns", "GPU time of what was found; NULL where it has none", OF_FINDING(STATED, time)},
    {"value", "measured value, in the unit of the tolerance", OF_FINDING(REAL, value)},
    {"example_id", "id of the worst example", OF_FINDING(STATED, example)},
    {"first_ns", "time of the first finding, from the start of the trace",
     OF_FINDING(STATED, first)},
    {"last_ns", "time of the last finding, from the start of the trace", OF_FINDING(STATED, last)},
    {"reason", "reason why it cannot be told", OF_FINDING(WORD, reason)},
    {0},
};

static const struct table finding_table = {
    TABLE_ROWS(finding_columns, 10, 1, finding_reading, struct finding_rows, rows)};

const struct function health_functions[] = {
    TABLE("health_measured", finding_table,
          "A table: what the SELECTs of checks (health_check.measure) found."),
    {0},
};
