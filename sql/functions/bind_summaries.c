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

#include <math.h>

struct summaries {
    struct intern keys; /* as bytes: for each its type, and a number or a length and a text */
    struct figures_list figures;
    int64_t last_key;    /* where it is one integer, mostly it is that again */
    uint32_t last_group; /* 0 = none */
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

static bool add_key(sqlite3_context *context, struct summaries *self, sqlite3_value *key)
{
    struct text *out = &self->text;
    int type = sqlite3_value_type(key);
    int64_t number = type == SQLITE_INTEGER ? sqlite3_value_int64(key) : 0;
    const char *text = type == SQLITE_TEXT ? (const char *)sqlite3_value_text(key) : "";
    if (type == SQLITE_TEXT)
        number = sqlite3_value_bytes(key);
    if (type != SQLITE_INTEGER && type != SQLITE_TEXT && type != SQLITE_NULL)
        return fail(context, self, "summaries: a key is an integer or a text");
    bool done = text && text_add_byte(out, (char)type) && text_add(out, &number, sizeof number) &&
                (type != SQLITE_TEXT || text_add(out, text, (size_t)number));
    return done || fail(context, self, NULL);
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
        if (!add_key(context, self, keys[i]))
            return 0;
    uint32_t group = intern_add(&self->keys, self->text.items, self->text.count);
    if (!group)
        fail(context, self, NULL);
    self->last_key = is_integer ? sqlite3_value_int64(keys[0]) : 0;
    self->last_group = is_integer ? group : 0;
    return group;
}

static SQL_FUNCTION(summaries_step)
{
    struct summaries *self = function_state(context, sizeof *self);
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
    if (!group)
        return;
    enum figures_result result =
        figures_add(&self->figures, group - 1, sqlite3_value_int64(arguments[0]));
    if (result != FIGURES_DONE)
        fail(context, self, result == FIGURES_OVERFLOW ? "integer overflow" : NULL);
}

/* Adds keys as members. */
static bool add_members(struct text *out, struct view keys)
{
    bool done = true;
    const char *at = keys.bytes;
    for (int place = 1; at < keys.bytes + keys.length && done; place++) {
        int type = *at++;
        int64_t number;
        memcpy(&number, at, sizeof number);
        at += sizeof number;
        done = text_format(out, "\"key%d\":", place);
        if (type == SQLITE_TEXT) {
            done = done && text_add_json(out, (struct view){at, (size_t)number});
            at += number;
        } else {
            done = done && (type == SQLITE_NULL ? text_add_string(out, "null")
                                                : text_format(out, "%lld", (long long)number));
        }
        done = done && text_add_byte(out, ',');
    }
    return done;
}

static bool add_figures(struct text *out, const struct figures *figures)
{
    return text_format(out, "\"count\":%lld,\"sum\":%lld,\"mean\":", (long long)figures->count,
                       (long long)figures->total) &&
           number_add_real(out, figures->mean) && text_add_string(out, ",\"median\":") &&
           number_add_real(out, figures->median) &&
           text_format(out, ",\"min\":%lld,\"max\":%lld", (long long)figures->least,
                       (long long)figures->most) &&
           (isnan(figures->stddev) ||
            (text_add_string(out, ",\"stddev\":") && number_add_real(out, figures->stddev)));
}

static bool make_list(struct summaries *self)
{
    struct text *out = &self->text;
    text_clear(out);
    bool done = figures_finish(&self->figures) && text_add_byte(out, '[');
    for (size_t i = 0; i < self->figures.groups.count && done; i++)
        done = text_add_string(out, i ? ",{" : "{") &&
               add_members(out, intern_view(&self->keys, (uint32_t)i + 1)) &&
               add_figures(out, &self->figures.groups.items[i]) && text_add_byte(out, '}');
    return done && text_add_byte(out, ']');
}

static void summaries_final(sqlite3_context *context)
{
    struct summaries *self = function_state(context, 0);
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
    figures_free(&self->figures);
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
