/* statistics: Percentiles put single places in order instead of sorting. Deviations add up in one
 * pass. */
#include "sql/functions/statistics.h"

#include "sql/binding/function.h"
#include "src/base/intern.h"
#include "src/base/number.h"
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

double mean_over_time(moment_list *self)
{
    double held = 0, weighed = 0, last = 0, sum = 0;
    size_t spans = 0, count = self->count;
    array_sort(self, compare_moments);
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

bool figures_add(struct figures_list *self, uint32_t group, int64_t value)
{
    struct figures none = {.least = INT64_MAX, .most = INT64_MIN};
    if (group == self->groups.count)
        array_add(&self->groups, none);
    array_add(&self->values, (double)value);
    array_add(&self->owners, group);
    struct figures *figures = &self->groups.items[group];
    if (__builtin_add_overflow(figures->total, value, &figures->total))
        return false;
    figures->count++;
    figures->sum += (double)value;
    figures->least = value < figures->least ? value : figures->least;
    figures->most = value > figures->most ? value : figures->most;
    deviation_add(&figures->deviation, (double)value);
    return true;
}

static void finish_one(struct figures *self, double *end)
{
    size_t count = (size_t)self->count;
    sample own = {.items = end - count, .count = count, .room = count};
    self->mean = self->sum / (double)count;
    self->median = sample_percentile(&own, 50);
    self->stddev = count > 1 ? deviation_of_sample(&self->deviation) : (double)NAN;
}

void figures_finish(struct figures_list *self)
{
    double *gathered = memory_list(self->values.count + 1, sizeof *gathered);
    size_t *behind = memory_list(self->groups.count + 1, sizeof *behind);

    /* The values of each group stand together; `behind` tells where they end. */
    size_t next = 0;
    for (size_t i = 0; i < self->groups.count; i++) {
        behind[i] = next;
        next += (size_t)self->groups.items[i].count;
    }
    for (size_t i = 0; i < self->values.count; i++)
        gathered[behind[self->owners.items[i]]++] = self->values.items[i];
    for (size_t i = 0; i < self->groups.count; i++)
        finish_one(&self->groups.items[i], gathered + behind[i]);
    memory_free(gathered);
    memory_free(behind);
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

static void statistics_add_value(sqlite3_context *context, struct values *values,
                                 sqlite3_value *value)
{
    double x;
    if (values->failed || !number(context, value, &values->failed, &x))
        return;
    array_add(&values->sample, x);
}

static SQL_FUNCTION(median_step)
{
    struct values *values = function_state(context, sizeof *values);
    values->percent = 50;
    statistics_add_value(context, values, arguments[0]);
}

static SQL_FUNCTION(percentile_step)
{
    struct values *values = function_state(context, sizeof *values);
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
    statistics_add_value(context, values, arguments[0]);
}

static void values_final(sqlite3_context *context)
{
    struct values *values = function_state(context, 0);
    if (values && !values->failed && values->sample.count)
        sqlite3_result_double(context, sample_percentile(&values->sample, values->percent));
}

struct spread {
    struct deviation deviation;
    bool failed;
};

static SQL_FUNCTION(deviation_step)
{
    struct spread *spread = function_state(context, sizeof *spread);
    double x;
    if (!spread->failed && number(context, arguments[0], &spread->failed, &x))
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
    if (timeline->failed || sqlite3_value_type(arguments[0]) == SQLITE_NULL ||
        !number(context, arguments[1], &timeline->failed, &value))
        return;
    timeline->failed = sqlite3_value_type(arguments[0]) != SQLITE_INTEGER;
    if (timeline->failed)
        sqlite3_result_error(context, "mean_over_time needs times that are integers", -1);
    else
        array_add(&timeline->moments, (struct moment){sqlite3_value_int64(arguments[2]),
                                                      sqlite3_value_int64(arguments[0]), value});
}

static void timeline_final(sqlite3_context *context)
{
    struct timeline *timeline = function_state(context, 0);
    if (timeline && !timeline->failed && timeline->moments.count)
        sqlite3_result_double(context, mean_over_time(&timeline->moments));
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

/* bind_summaries: an SQL aggregate that sums values up by keys, without sorting them.
 *
 *     summaries(x, key, ...)   the figures of the values that have their keys in common, as JSON
 *
 *     SELECT summaries(column2, column1) FROM (VALUES ('a', 1), ('b', 5), ('a', 3))
 *         -> [{"key1":"a","count":2,"sum":4,"mean":2.0,"median":2.0,"min":1,"max":3,
 *              "stddev":1.4142135623730951}, ...]
 *
 * An object for each combination of keys, in the order in which they came. The standard deviation
 * is that of a sample and not there for one value. A million rows of a few hundred names take a
 * fifth of what GROUP BY takes, which sorts them. NULL as a value: left out. Without values: an
 * empty list. Keys are integers, texts or NULL, values integers; anything else is an error. */

struct summaries {
    struct intern keys; /* as bytes: for each its type, and a number or a length and a text */
    struct figures_list figures;
    int64_t last_key;    /* where it is one integer, mostly it is that again */
    uint32_t last_group; /* 0 = none */
    struct text text;
    bool failed;
};

static bool statistics_fail(sqlite3_context *context, struct summaries *self, const char *why)
{
    self->failed = true;
    sqlite3_result_error(context, why, -1);
    return false;
}

/* The number of what some keys stand for; 0: failed. */
static uint32_t group_of(sqlite3_context *context, struct summaries *self, int count,
                         sqlite3_value **keys)
{
    bool is_integer = count == 1 && sqlite3_value_type(keys[0]) == SQLITE_INTEGER;
    if (is_integer && self->last_group && sqlite3_value_int64(keys[0]) == self->last_key)
        return self->last_group;
    text_clear(&self->text);
    for (int i = 0; i < count; i++) {
        /* Type and value of each key, one behind the other: equal keys have equal bytes. */
        sqlite3_value *key = keys[i];
        struct text *out = &self->text;
        int type = sqlite3_value_type(key);
        int64_t number = type == SQLITE_INTEGER ? sqlite3_value_int64(key) : 0;
        const char *text = type == SQLITE_TEXT ? (const char *)sqlite3_value_text(key) : "";
        if (type == SQLITE_TEXT)
            number = sqlite3_value_bytes(key);
        if (type != SQLITE_INTEGER && type != SQLITE_TEXT && type != SQLITE_NULL) {
            statistics_fail(context, self, "summaries: a key is an integer or a text");
            return 0;
        }
        if (!text)
            memory_fail();
        text_add_byte(out, (char)type);
        text_add(out, &number, sizeof number);
        if (type == SQLITE_TEXT)
            text_add(out, text, (size_t)number);
    }
    uint32_t group = intern_add(&self->keys, self->text.items, self->text.count);
    self->last_key = is_integer ? sqlite3_value_int64(keys[0]) : 0;
    self->last_group = is_integer ? group : 0;
    return group;
}

static SQL_FUNCTION(summaries_step)
{
    struct summaries *self = function_state(context, sizeof *self);
    if (self->failed ||
        (count < 2 && !statistics_fail(context, self, "summaries takes a value and keys")))
        return;
    int type = sqlite3_value_type(arguments[0]);
    if (type == SQLITE_NULL ||
        (type != SQLITE_INTEGER &&
         !statistics_fail(context, self, "summaries: a value is an integer")))
        return;
    uint32_t group = group_of(context, self, count - 1, arguments + 1);
    if (!group)
        return;
    if (!figures_add(&self->figures, group - 1, sqlite3_value_int64(arguments[0])))
        statistics_fail(context, self, "integer overflow");
}

static void summaries_final(sqlite3_context *context)
{
    struct summaries *self = function_state(context, 0);
    if (!self) {
        sqlite3_result_text(context, "[]", 2, SQLITE_STATIC);
        return;
    }
    if (!self->failed) {
        struct text *out = &self->text;
        text_clear(out);
        figures_finish(&self->figures);
        text_add_byte(out, '[');
        for (size_t i = 0; i < self->figures.groups.count; i++) {
            text_add_string(out, i ? ",{" : "{");

            /* Keys as members, read back from the bytes that stand for them. */
            struct view keys = intern_view(&self->keys, (uint32_t)i + 1);
            const char *at = keys.bytes;
            for (int place = 1; at < keys.bytes + keys.length; place++) {
                int type = *at++;
                int64_t number;
                memcpy(&number, at, sizeof number);
                at += sizeof number;
                text_format(out, "\"key%d\":", place);
                if (type == SQLITE_TEXT) {
                    text_add_json(out, (struct view){at, (size_t)number});
                    at += number;
                } else if (type == SQLITE_NULL) {
                    text_add_string(out, "null");
                } else {
                    text_format(out, "%lld", (long long)number);
                }
                text_add_byte(out, ',');
            }

            const struct figures *figures = &self->figures.groups.items[i];
            text_format(out, "\"count\":%lld,\"sum\":%lld,\"mean\":", (long long)figures->count,
                        (long long)figures->total);
            number_add_real(out, figures->mean);
            text_add_string(out, ",\"median\":");
            number_add_real(out, figures->median);
            text_format(out, ",\"min\":%lld,\"max\":%lld", (long long)figures->least,
                        (long long)figures->most);
            if (!isnan(figures->stddev)) {
                text_add_string(out, ",\"stddev\":");
                number_add_real(out, figures->stddev);
            }
            text_add_byte(out, '}');
        }
        text_add_byte(out, ']');
        sqlite3_result_text64(context, self->text.items, self->text.count, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    }
}

const struct function summaries_functions[] = {
    AGGREGATE("summaries", "x, key, ...", -1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
              summaries_step, summaries_final,
              "Figures of the values that have their keys in common, as JSON: a list of objects "
              "with key1, key2, ..., count, sum, mean, median, min, max and, of two values or "
              "more, stddev (of a sample), in the order in which keys came. NULL values are left "
              "out; an empty list without values; an error when a key is neither integer nor text "
              "nor NULL, when a value is no integer, or a sum has more than 63 bits."),
    {0},
};
