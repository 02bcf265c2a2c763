/* bind_statistics: SQL aggregates for samples.
 *
 *     median(x)           middle value, or the mean of the two middle ones
 *     percentile(x, p)    p from 0 to 100, interpolated linearly
 *     stddev_samp(x)      standard deviation of a sample (n - 1); stddev(x) is the same
 *     stddev_pop(x)       standard deviation of a population (n)
 *     mean_over_time(time, x, part)   mean of what holds until the next time
 *
 *     SELECT median(column1) FROM (VALUES (1), (2), (10), (NULL))          -> 2.0
 *     SELECT percentile(column1, 90) FROM (VALUES (1), (2), (3))           -> 2.8
 *     SELECT mean_over_time(column1, column2, 0) FROM (VALUES (0, 5), (3, 1), (4, 1)) -> 3.0
 *
 * NULL: left out. Without values: NULL; stddev_samp needs two. A text, a blob, or a percentage
 * outside 0 to 100 is an error.
 */
#include "sql/binding/function.h"
#include "sql/functions/statistics.h"

#include <math.h>

/* The number in a value; false for NULL, and for errors, which are reported. */
static bool number(sqlite3_context *context, sqlite3_value *value, bool *failed, double *out)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return false;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        *out = sqlite3_value_double(value);
        if (!isnan(*out) && !isinf(*out))
            return true;
        sqlite3_result_error(context, "infinite values have no statistics", -1);
        break;
    default:
        sqlite3_result_error(context, "statistics need numbers", -1);
        break;
    }
    *failed = true;
    return false;
}

struct values {
    sample sample;
    double percent;
    bool has_percent, failed;
};

static void add_value(sqlite3_context *context, struct values *values, sqlite3_value *value)
{
    double x;
    if (values->failed || !number(context, value, &values->failed, &x))
        return;
    double *added = array_push(&values->sample);
    if (added) {
        *added = x;
    } else {
        values->failed = true;
        sqlite3_result_error_nomem(context);
    }
}

static SQL_FUNCTION(median_step)
{
    struct values *values = function_state(context, sizeof *values);
    if (!values) {
        sqlite3_result_error_nomem(context);
        return;
    }
    values->percent = 50;
    add_value(context, values, arguments[0]);
}

static SQL_FUNCTION(percentile_step)
{
    struct values *values = function_state(context, sizeof *values);
    if (!values) {
        sqlite3_result_error_nomem(context);
        return;
    }
    double percent;
    if (values->failed || !number(context, arguments[1], &values->failed, &percent))
        return;
    if (percent < 0 || percent > 100 || (values->has_percent && percent != values->percent)) {
        values->failed = true;
        sqlite3_result_error(context, "percentile takes one percentage between 0 and 100", -1);
        return;
    }
    values->has_percent = true;
    values->percent = percent;
    add_value(context, values, arguments[0]);
}

static void values_final(sqlite3_context *context)
{
    struct values *values = function_state(context, 0);
    if (!values)
        return;
    if (!values->failed && values->sample.count)
        sqlite3_result_double(context, sample_percentile(&values->sample, values->percent));
    array_free(&values->sample);
}

struct spread {
    struct deviation deviation;
    bool failed;
};

static SQL_FUNCTION(deviation_step)
{
    struct spread *spread = function_state(context, sizeof *spread);
    double x;
    if (!spread)
        sqlite3_result_error_nomem(context);
    else if (!spread->failed && number(context, arguments[0], &spread->failed, &x))
        deviation_add(&spread->deviation, x);
}

static void sample_final(sqlite3_context *context)
{
    const struct spread *spread = function_state(context, 0);
    if (spread && !spread->failed && spread->deviation.count > 1)
        sqlite3_result_double(context, deviation_of_sample(&spread->deviation));
}

static void population_final(sqlite3_context *context)
{
    const struct spread *spread = function_state(context, 0);
    if (spread && !spread->failed && spread->deviation.count > 0)
        sqlite3_result_double(context, deviation_of_population(&spread->deviation));
}

struct timeline {
    moment_list moments;
    bool failed;
};

static SQL_FUNCTION(timeline_step)
{
    struct timeline *timeline = function_state(context, sizeof *timeline);
    double value;
    if (!timeline) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (timeline->failed || sqlite3_value_type(arguments[0]) == SQLITE_NULL ||
        !number(context, arguments[1], &timeline->failed, &value))
        return;
    timeline->failed = sqlite3_value_type(arguments[0]) != SQLITE_INTEGER;
    struct moment *moment = timeline->failed ? NULL : array_push(&timeline->moments);
    if (moment)
        *moment = (struct moment){sqlite3_value_int64(arguments[2]),
                                  sqlite3_value_int64(arguments[0]), value};
    else if (timeline->failed)
        sqlite3_result_error(context, "mean_over_time needs times that are integers", -1);
    else
        sqlite3_result_error_nomem(context);
    timeline->failed |= !moment;
}

static void timeline_final(sqlite3_context *context)
{
    struct timeline *timeline = function_state(context, 0);
    if (!timeline)
        return;
    if (!timeline->failed && timeline->moments.count)
        sqlite3_result_double(context, mean_over_time(&timeline->moments));
    array_free(&timeline->moments);
}

enum { FLAGS = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

static const char of_sample[] =
    "Standard deviation of a sample (n - 1). NULL values are left out; NULL for fewer than two; an "
    "error when a value is not a number.";

const struct function statistics_functions[] = {
    AGGREGATE("median", "x", 1, FLAGS, median_step, values_final,
              "Middle value, or the mean of the two middle ones. NULL values are left out; NULL "
              "without values; an error when a value is not a number."),
    AGGREGATE("percentile", "x, percent", 2, FLAGS, percentile_step, values_final,
              "Value below which that many per cent of the values lie (0 to 100), interpolated "
              "linearly. NULL values are left out; NULL without values; an error when a value is "
              "not a number, or the percentage varies or is out of range."),
    AGGREGATE("stddev_samp", "x", 1, FLAGS, deviation_step, sample_final, of_sample),
    AGGREGATE("stddev", "x", 1, FLAGS, deviation_step, sample_final, of_sample),
    AGGREGATE("stddev_pop", "x", 1, FLAGS, deviation_step, population_final,
              "Standard deviation of a population (n). NULL values are left out; NULL without "
              "values; an error when a value is not a number."),
    AGGREGATE("mean_over_time", "time, x, part", 3, FLAGS, timeline_step, timeline_final,
              "Mean of values each of which holds until the next time of the same part (a number, "
              "or NULL). The last value of a part holds as long as the others do on average. Rows "
              "with NULL as time or value are left out; NULL without rows; an error when a time is "
              "not an integer or a value is not a number."),
    {0},
};
