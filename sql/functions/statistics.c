/* statistics: Percentiles put single places in order instead of sorting. Deviations add up in one
 * pass. */
#include "sql/functions/statistics.h"

#include "sql/binding/function.h"
#include "src/base/order.h"

#include <math.h>

ORDER_BY(compare_doubles, double, BY_LESS(*a, *b));

static void swap(double *left, double *right)
{
    double kept = *left;
    *left = *right;
    *right = kept;
}

/* Puts the value that a sorted list has at `place` there, with nothing greater before it and
 * nothing less behind it (Hoare's selection). Lists that defeat the choice of pivots are sorted. */
static void select_place(double *items, size_t count, size_t place)
{
    enum { FEW = 16 };
    size_t low = 0, high = count; /* it is in between */
    size_t rounds = 64;
    while (high - low > FEW && rounds--) {
        size_t middle = low + (high - low) / 2, left = low, right = high - 1;
        if (items[middle] < items[low])
            swap(&items[middle], &items[low]);
        if (items[right] < items[low])
            swap(&items[right], &items[low]);
        if (items[right] < items[middle])
            swap(&items[right], &items[middle]);
        double pivot = items[middle];
        while (left <= right) {
            while (items[left] < pivot)
                left++;
            while (items[right] > pivot)
                right--;
            if (left <= right) {
                swap(&items[left++], &items[right]);
                if (right-- == 0)
                    break;
            }
        }
        if (right < high && place <= right)
            high = right + 1;
        else if (place >= left)
            low = left;
        else
            return; /* between the two parts all are the pivot */
    }
    qsort(items + low, high - low, sizeof *items, compare_doubles);
}

double sample_percentile(sample *self, double percent)
{
    double place = percent / 100.0 * (double)(self->count - 1);
    size_t below = (size_t)place;
    select_place(self->items, self->count, below);
    double low = self->items[below], share = place - (double)below;
    if (below + 1 >= self->count)
        return low;
    double high = self->items[below + 1];
    for (size_t i = below + 2; i < self->count; i++)
        high = self->items[i] < high ? self->items[i] : high;
    if (isinf(high - low)) /* farther apart than a number can say */
        return low * (1 - share) + high * share;
    return low + share * (high - low);
}

void deviation_add(struct deviation *self, double value)
{
    self->count++;
    double before = value - self->mean;
    self->mean += before / (double)self->count;
    self->squares += before * (value - self->mean);
}

double deviation_of_sample(const struct deviation *self)
{
    return sqrt(self->squares / (double)(self->count - 1));
}

double deviation_of_population(const struct deviation *self)
{
    return sqrt(self->squares / (double)self->count);
}

ORDER_BY(compare_moments, struct moment, UP(part) || UP(time));

/* They mostly come in order. */
static void put_in_order(moment_list *self)
{
    for (size_t i = 1; i < self->count; i++)
        if (compare_moments(&self->items[i - 1], &self->items[i]) > 0) {
            array_sort(self, compare_moments);
            return;
        }
}

double mean_over_time(moment_list *self)
{
    double held = 0, weighed = 0, last = 0, sum = 0;
    size_t spans = 0, count = self->count;
    put_in_order(self);
    for (size_t i = 0; i < count; i++) {
        const struct moment *here = &self->items[i];
        sum += here->value;
        if (i + 1 == count || here[1].part != here->part) {
            last += here->value;
            continue;
        }
        double span = (double)here[1].time - (double)here->time;
        held += span;
        weighed += span * here->value;
        spans++;
    }
    if (held <= 0)
        return sum / (double)count;
    double mean = held / (double)spans;
    return (weighed + last * mean) / (held + (double)(count - spans) * mean);
}

enum figures_result figures_add(struct figures_list *self, uint32_t group, int64_t value)
{
    struct figures none = {.least = INT64_MAX, .most = INT64_MIN};
    if ((group == self->groups.count && !array_add(&self->groups, none)) ||
        !array_add(&self->values, (double)value) || !array_add(&self->owners, group))
        return FIGURES_MEMORY;
    struct figures *figures = &self->groups.items[group];
    if (__builtin_add_overflow(figures->total, value, &figures->total))
        return FIGURES_OVERFLOW;
    figures->count++;
    figures->sum += (double)value;
    figures->least = value < figures->least ? value : figures->least;
    figures->most = value > figures->most ? value : figures->most;
    deviation_add(&figures->deviation, (double)value);
    return FIGURES_DONE;
}

/* The values of each group stand together; `behind` tells where they end. */
static void gather(const struct figures_list *self, double *gathered, size_t *behind)
{
    size_t next = 0;
    for (size_t i = 0; i < self->groups.count; i++) {
        behind[i] = next;
        next += (size_t)self->groups.items[i].count;
    }
    for (size_t i = 0; i < self->values.count; i++)
        gathered[behind[self->owners.items[i]]++] = self->values.items[i];
}

static void finish_one(struct figures *self, double *end)
{
    size_t count = (size_t)self->count;
    sample own = {.items = end - count, .count = count, .room = count};
    self->mean = self->sum / (double)count;
    self->median = sample_percentile(&own, 50);
    self->stddev = count > 1 ? deviation_of_sample(&self->deviation) : (double)NAN;
}

bool figures_finish(struct figures_list *self)
{
    double *gathered = memory_list(self->values.count + 1, sizeof *gathered);
    size_t *behind = memory_list(self->groups.count + 1, sizeof *behind);
    bool done = gathered && behind;
    if (done)
        gather(self, gathered, behind);
    for (size_t i = 0; i < self->groups.count && done; i++)
        finish_one(&self->groups.items[i], gathered + behind[i]);
    memory_free(gathered);
    memory_free(behind);
    return done;
}

void figures_free(struct figures_list *self)
{
    array_free(&self->groups);
    array_free(&self->values);
    array_free(&self->owners);
}

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
 * outside 0 to 100 is an error. */

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
