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
 * empty list. Keys are integers, texts or NULL, values integers; anything else is an error.
 */
#include "sql/binding/function.h"
#include "sql/functions/statistics.h"
#include "src/base/intern.h"
#include "src/base/number.h"

struct summary {
    int64_t total, least, most;
    double sum;
    struct deviation deviation;
    size_t behind; /* its values, once they stand together */
};

struct summaries {
    struct intern keys; /* as members of JSON */
    ARRAY(struct summary) list;
    ARRAY(double) values;
    ARRAY(uint32_t) groups; /* of each value: number of its keys */
    int64_t last_key;       /* where it is one integer, mostly it is that again */
    uint32_t last_group;    /* 0 = none */
    struct text text;
    bool failed;
};

static bool fail(sqlite3_context *context, struct summaries *self, const char *why)
{
    self->failed = true;
    if (why)
        sqlite3_result_error(context, why, -1);
    else
        sqlite3_result_error_nomem(context);
    return false;
}

/* Adds a key as a member. */
static bool add_key(sqlite3_context *context, struct summaries *self, int place, sqlite3_value *key)
{
    struct text *out = &self->text;
    struct view text;
    if (!text_format(out, "\"key%d\":", place))
        return fail(context, self, NULL);
    switch (sqlite3_value_type(key)) {
    case SQLITE_INTEGER:
        return text_format(out, "%lld,", (long long)sqlite3_value_int64(key)) ||
               fail(context, self, NULL);
    case SQLITE_TEXT:
        text.bytes = (const char *)sqlite3_value_text(key);
        text.length = (size_t)sqlite3_value_bytes(key);
        return (text.bytes && text_add_json(out, text) && text_add_byte(out, ',')) ||
               fail(context, self, NULL);
    case SQLITE_NULL:
        return text_add_string(out, "null,") || fail(context, self, NULL);
    default:
        return fail(context, self, "summaries: a key is an integer or a text");
    }
}

/* The number of what some keys stand for; 0: failed. */
static uint32_t group_of(sqlite3_context *context, struct summaries *self, int count,
                         sqlite3_value **keys)
{
    bool is_integer = count == 1 && sqlite3_value_type(keys[0]) == SQLITE_INTEGER;
    if (is_integer && self->last_group && sqlite3_value_int64(keys[0]) == self->last_key)
        return self->last_group;
    text_clear(&self->text);
    for (int i = 0; i < count; i++)
        if (!add_key(context, self, i + 1, keys[i]))
            return 0;
    uint32_t group = intern_add(&self->keys, self->text.items, self->text.count);
    if (group > self->list.count &&
        !array_add(&self->list, (struct summary){.least = INT64_MAX, .most = INT64_MIN}))
        group = 0;
    if (!group)
        fail(context, self, NULL);
    self->last_key = is_integer ? sqlite3_value_int64(keys[0]) : 0;
    self->last_group = is_integer ? group : 0;
    return group;
}

static bool add_value(struct summary *self, int64_t value)
{
    if (__builtin_add_overflow(self->total, value, &self->total))
        return false;
    self->sum += (double)value;
    self->least = value < self->least ? value : self->least;
    self->most = value > self->most ? value : self->most;
    deviation_add(&self->deviation, (double)value);
    return true;
}

static SQL_FUNCTION(summaries_step)
{
    struct summaries *self = sqlite3_aggregate_context(context, sizeof *self);
    if (!self) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (self->failed || (count < 2 && !fail(context, self, "summaries takes a value and keys")))
        return;
    int type = sqlite3_value_type(arguments[0]);
    if (type == SQLITE_NULL ||
        (type != SQLITE_INTEGER && !fail(context, self, "summaries: a value is an integer")))
        return;
    uint32_t group = group_of(context, self, count - 1, arguments + 1);
    int64_t value = sqlite3_value_int64(arguments[0]);
    if (!group)
        return;
    if (!array_add(&self->values, (double)value) || !array_add(&self->groups, group))
        fail(context, self, NULL);
    else if (!add_value(&self->list.items[group - 1], value))
        fail(context, self, "integer overflow");
}

/* The values of all keys, those with the same ones together; NULL: memory is out. */
static double *gather(struct summaries *self)
{
    double *gathered = malloc((self->values.count + 1) * sizeof *gathered);
    size_t next = 0;
    for (size_t i = 0; i < self->list.count; i++) {
        self->list.items[i].behind = next;
        next += (size_t)self->list.items[i].deviation.count;
    }
    for (size_t i = 0; gathered && i < self->values.count; i++)
        gathered[self->list.items[self->groups.items[i] - 1].behind++] = self->values.items[i];
    return gathered;
}

static bool add_figures(struct text *out, const struct summary *summary, double *gathered)
{
    size_t count = (size_t)summary->deviation.count;
    sample own = {.items = gathered + summary->behind - count, .count = count, .room = count};
    return text_format(out, "\"count\":%zu,\"sum\":%lld,\"mean\":", count,
                       (long long)summary->total) &&
           number_add_real(out, summary->sum / (double)count) &&
           text_add_string(out, ",\"median\":") &&
           number_add_real(out, sample_percentile(&own, 50)) &&
           text_format(out, ",\"min\":%lld,\"max\":%lld", (long long)summary->least,
                       (long long)summary->most) &&
           (count < 2 || (text_add_string(out, ",\"stddev\":") &&
                          number_add_real(out, deviation_of_sample(&summary->deviation))));
}

static bool make_list(struct summaries *self)
{
    struct text *out = &self->text;
    double *gathered = gather(self);
    text_clear(out);
    bool done = gathered && text_add_byte(out, '[');
    for (size_t i = 0; i < self->list.count && done; i++) {
        struct view keys = intern_view(&self->keys, (uint32_t)i + 1);
        done = text_add_string(out, i ? ",{" : "{") && text_add(out, keys.bytes, keys.length) &&
               add_figures(out, &self->list.items[i], gathered) && text_add_byte(out, '}');
    }
    free(gathered);
    return done && text_add_byte(out, ']');
}

static void summaries_final(sqlite3_context *context)
{
    struct summaries *self = sqlite3_aggregate_context(context, 0);
    if (!self) {
        sqlite3_result_text(context, "[]", 2, SQLITE_STATIC);
        return;
    }
    if (!self->failed && make_list(self))
        sqlite3_result_text64(context, self->text.items, self->text.count, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    else if (!self->failed)
        sqlite3_result_error_nomem(context);
    intern_free(&self->keys);
    array_free(&self->list);
    array_free(&self->values);
    array_free(&self->groups);
    text_free(&self->text);
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
