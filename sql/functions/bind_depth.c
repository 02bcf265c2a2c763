/* bind_depth: SQL aggregates over how much there is at one time.
 *
 *     interval_depth(ts, dur)            greatest number of intervals at one time
 *     interval_deep_ns(ts, dur, least)   time with at least so many of them
 *     interval_peak(ts, dur, weight)     greatest sum of their weights at one time
 *
 *     SELECT interval_deep_ns(column1, column2, 2) FROM (VALUES (0, 10), (5, 7))           -> 5
 *     SELECT interval_peak(column1, column2, column3) FROM (VALUES (0, 10, 1.5), (5, 7, 2)) -> 3.5
 *
 * NULL: a row with a NULL is left out. Empty intervals do not count. A start or duration that is
 * not an integer, or a weight that is not a number, is an error.
 */
#include "sql/binding/function.h"
#include "sql/functions/interval.h"

#include <math.h>

struct depth {
    struct interval_pile pile;
    struct interval_load load;
    int64_t least;
    bool failed;
};

static void fail(sqlite3_context *context, struct depth *depth, const char *message)
{
    if (depth)
        depth->failed = true;
    if (message)
        sqlite3_result_error(context, message, -1);
    else
        sqlite3_result_error_nomem(context);
}

/* The state of the aggregate and the interval of a row; NULL when it does not count, or an error
 * was set. */
static struct depth *read_row(sqlite3_context *context, int count, sqlite3_value **values,
                              struct interval *row)
{
    struct depth *depth = function_state(context, sizeof *depth);
    if (!depth)
        fail(context, NULL, NULL);
    for (int i = 0; i < count && depth; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_NULL)
            return NULL;
    if (!depth || depth->failed)
        return NULL;
    row->start = sqlite3_value_int64(values[0]);
    if (sqlite3_value_type(values[0]) != SQLITE_INTEGER ||
        sqlite3_value_type(values[1]) != SQLITE_INTEGER)
        fail(context, depth, "intervals are made of integers: start, duration");
    else if (__builtin_add_overflow(row->start, sqlite3_value_int64(values[1]), &row->end))
        fail(context, depth, "an interval ends beyond the range of integers");
    return depth->failed ? NULL : depth;
}

/* The number stands in the third argument of every row, where there is one. */
static void add_depth(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct interval row;
    struct depth *depth = read_row(context, count, values, &row);
    if (!depth)
        return;
    if (count > 2 && sqlite3_value_type(values[2]) != SQLITE_INTEGER)
        fail(context, depth, "the number of intervals is an integer");
    else if (!interval_pile_add(&depth->pile, row.start, row.end))
        fail(context, depth, NULL);
    else if (count > 2)
        depth->least = sqlite3_value_int64(values[2]);
}

static void finish_depth(sqlite3_context *context)
{
    struct depth *depth = function_state(context, 0);
    if (!depth || !depth->failed)
        sqlite3_result_int64(context,
                             depth ? (sqlite3_int64)interval_pile_height(&depth->pile) : 0);
    if (depth)
        interval_pile_free(&depth->pile);
}

static void finish_deep(sqlite3_context *context)
{
    struct depth *depth = function_state(context, 0);
    uint64_t time = 0;
    if (depth && !depth->failed) {
        size_t least = depth->least > 1 ? (size_t)depth->least : 1;
        time = interval_pile_time(&depth->pile, least);
    }
    if (time > INT64_MAX)
        fail(context, depth, "the intervals cover more than the range of integers");
    else if (!depth || !depth->failed)
        sqlite3_result_int64(context, (sqlite3_int64)time);
    if (depth)
        interval_pile_free(&depth->pile);
}

static void add_load(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct interval row;
    struct depth *depth = read_row(context, count, values, &row);
    if (!depth)
        return;
    int type = sqlite3_value_type(values[2]);
    double weight = sqlite3_value_double(values[2]);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !isfinite(weight))
        fail(context, depth, "the weight of an interval is a number");
    else if (!interval_load_add(&depth->load, row.start, row.end, weight))
        fail(context, depth, NULL);
}

static void finish_peak(sqlite3_context *context)
{
    struct depth *depth = function_state(context, 0);
    if (depth && !depth->failed && depth->load.points.count)
        sqlite3_result_double(context, interval_load_peak(&depth->load));
    if (depth)
        interval_load_free(&depth->load);
}

enum { FLAGS = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

const struct function depth_functions[] = {
    AGGREGATE("interval_depth", "start, duration", 2, FLAGS, add_depth, finish_depth,
              "The greatest number of intervals at one time; empty ones do not count. Rows with "
              "NULL are left out; 0 without rows; an error when an argument is not an integer.",
              .example =
                  "SELECT interval_depth(column1, column2) FROM (VALUES (0, 10), (5, 10), (7, 1))",
              .gives = "3"),
    AGGREGATE("interval_deep_ns", "start, duration, least", 3, FLAGS, add_depth, finish_deep,
              "Time covered by at least so many of the intervals at once. Rows with NULL are "
              "left out; 0 without rows; an error when an argument is not an integer.",
              .example =
                  "SELECT interval_deep_ns(column1, column2, 2) FROM (VALUES (0, 10), (5, 10))",
              .gives = "5"),
    AGGREGATE("interval_peak", "start, duration, weight", 3, FLAGS, add_load, finish_peak,
              "The greatest sum of the weights of intervals at one time; empty ones do not "
              "count. Rows with NULL are left out; NULL without rows; an error when an argument "
              "is not an integer, or the weight not a number.",
              .example = "SELECT interval_peak(column1, column2, column3) "
                         "FROM (VALUES (0, 10, 1.5), (5, 10, 2))",
              .gives = "3.5"),
    {0},
};
