/* bind_peaks: an SQL aggregate for curves that amounts add up to.
 *
 *     peak_parts(amount, first, end, count, parts)   the peak in each of equal parts, as JSON
 *
 *     SELECT peak_parts(column1, column2, column3, 4, 2)
 *     FROM (VALUES (5, 0, 1), (3, 1, NULL), (4, 3, NULL))         -> [5,7]
 *     SELECT peak_parts(1, 0, NULL, NULL, 2)                      -> NULL
 *
 * An amount counts at the places from `first` to before `end`; places are 0 to count - 1, and what
 * begins below 0 is there from the start. Sorting the ends of a million amounts takes many times as
 * long as one pass over as many places. NULL as an end: to the last place; in another argument: the
 * row is skipped. Without rows: NULL. Amounts, places and counts that are no integers are an
 * error.
 */
#include "sql/binding/function.h"
#include "src/base/array.h"
#include "src/base/text.h"

enum { PLACES_MOST = 1 << 28 };

struct peaks {
    ARRAY(int64_t) changes; /* at each place */
    int64_t parts;
    bool failed;
};

static void fail(sqlite3_context *context, struct peaks *self, const char *why)
{
    self->failed = true;
    if (why)
        sqlite3_result_error(context, why, -1);
    else
        sqlite3_result_error_nomem(context);
}

/* The first row says how many places there are. */
static bool make_room(sqlite3_context *context, struct peaks *self, int64_t count, int64_t parts)
{
    if (self->changes.count)
        return true;
    if (count < 1 || count > PLACES_MOST || parts < 1 || parts > count) {
        fail(context, self, "peak_parts takes 1 to 268435456 places, and no more parts than those");
        return false;
    }
    self->changes.items = memory_zeroed((size_t)count, sizeof *self->changes.items);
    if (!self->changes.items)
        fail(context, self, NULL);
    else
        self->changes.count = self->changes.room = (size_t)count;
    self->parts = parts;
    return self->changes.items != NULL;
}

/* False: the sum has more than 63 bits. */
static bool change(struct peaks *self, int64_t place, int64_t amount)
{
    if (place >= (int64_t)self->changes.count)
        return true;
    int64_t *at = &self->changes.items[place < 0 ? 0 : place];
    return !__builtin_add_overflow(*at, amount, at);
}

static SQL_FUNCTION(peaks_step)
{
    enum { AMOUNT, FIRST, END, COUNT, PARTS, ARGUMENTS };
    struct peaks *self = function_state(context, sizeof *self);
    int64_t numbers[ARGUMENTS];
    (void)count;
    if (!self) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (int i = 0; i < ARGUMENTS; i++) {
        int type = sqlite3_value_type(arguments[i]);
        if (self->failed || (type == SQLITE_NULL && i != END))
            return;
        if (type != SQLITE_INTEGER && type != SQLITE_NULL) {
            fail(context, self, "peak_parts takes integers");
            return;
        }
        numbers[i] = type == SQLITE_NULL ? INT64_MAX : sqlite3_value_int64(arguments[i]);
    }
    if (numbers[AMOUNT] == INT64_MIN)
        fail(context, self, "integer overflow");
    else if (numbers[FIRST] < numbers[END] &&
             make_room(context, self, numbers[COUNT], numbers[PARTS]) &&
             (!change(self, numbers[FIRST], numbers[AMOUNT]) ||
              !change(self, numbers[END], -numbers[AMOUNT])))
        fail(context, self, "integer overflow");
}

static void peaks_final(sqlite3_context *context)
{
    struct peaks *self = function_state(context, 0);
    struct text out = {0};
    if (!self)
        return;
    int64_t sum = 0, count = (int64_t)self->changes.count;
    bool is_within = true;
    for (int64_t part = 0; part < self->parts && !self->failed; part++) {
        int64_t place = part * count / self->parts, end = (part + 1) * count / self->parts;
        int64_t peak = INT64_MIN;
        for (; place < end && is_within; place++) {
            is_within = !__builtin_add_overflow(sum, self->changes.items[place], &sum);
            peak = sum > peak ? sum : peak;
        }
        text_format(&out, part ? ",%lld" : "[%lld", (long long)peak);
    }
    text_add_byte(&out, ']');
    if (!is_within)
        fail(context, self, "integer overflow");
    else if (out.failed && !self->failed)
        fail(context, self, NULL);
    else if (count && !self->failed)
        sqlite3_result_text64(context, out.items, out.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    array_free(&self->changes);
    text_free(&out);
}

const struct function peaks_functions[] = {
    AGGREGATE("peak_parts", "amount, first, end, count, parts", 5,
              SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, peaks_step, peaks_final,
              "Greatest sum of the amounts in each of equal parts of the places 0 to count - 1, as "
              "a JSON list; an amount counts from its first place to before its end, NULL for the "
              "last place. Rows with another NULL are skipped; NULL without rows; an error when "
              "an argument is not an integer, a sum has more than 63 bits, or there are more parts "
              "than places.",
              .example = "SELECT peak_parts(column1, column2, column3, 4, 2) "
                         "FROM (VALUES (5, 0, 1), (3, 1, NULL), (4, 3, NULL))",
              .gives = "[5,7]"),
    {0},
};
