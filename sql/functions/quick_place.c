/* quick_place: the order into which a quicksort brings equal values.
 *
 *     quick_place(x) OVER (ORDER BY ... ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
 *
 * gives the place of each row, from 1, after the rows are sorted by x, the largest first: those
 * that are equal stand as the sort of a well-known library of arrays leaves them. It cuts pieces of
 * more than 16 at the median of three, and sorts smaller ones by insertion; to have the largest
 * first, the rows are turned around before and after.
 *
 *     SELECT x, quick_place(x) OVER (ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
 *     FROM (VALUES (1, 3.0), (2, 5.0), (3, 3.0))      -> places 2, 1, 3
 *
 * NULL and infinity count as 0. With another frame the places mean nothing.
 */
#include "sql/binding/function.h"

#include <math.h>

enum { SMALL_PIECE = 16 };

struct order {
    ARRAY(double) values;
    ARRAY(size_t) places; /* of the values; made when it is first asked for */
    size_t passed;        /* rows that have left the frame */
};

static void swap(size_t *left, size_t *right)
{
    size_t kept = *left;
    *left = *right;
    *right = kept;
}

/* Parts a piece at the median of its first, middle and last value; gives the place of that. */
static size_t part(const double *values, size_t *order, size_t count)
{
    size_t middle = (count - 1) / 2, last = count - 1, up = 0, down = last - 1;
    if (values[order[middle]] < values[order[0]])
        swap(&order[middle], &order[0]);
    if (values[order[last]] < values[order[middle]])
        swap(&order[last], &order[middle]);
    if (values[order[middle]] < values[order[0]])
        swap(&order[middle], &order[0]);
    double pivot = values[order[middle]];
    swap(&order[middle], &order[down]);
    for (;;) {
        do
            up++;
        while (values[order[up]] < pivot);
        do
            down--;
        while (pivot < values[order[down]]);
        if (up >= down)
            break;
        swap(&order[up], &order[down]);
    }
    swap(&order[up], &order[last - 1]);
    return up;
}

/* The larger piece waits its turn in the loop, so that calls are not deep. */
static void quick_sort(const double *values, size_t *order, size_t count)
{
    while (count > SMALL_PIECE) {
        size_t at = part(values, order, count), behind = count - at - 1;
        if (at < behind) {
            quick_sort(values, order, at);
            order += at + 1;
            count = behind;
        } else {
            quick_sort(values, order + at + 1, behind);
            count = at;
        }
    }
    for (size_t i = 1; i < count; i++) {
        size_t item = order[i], at = i;
        for (; at && values[item] < values[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = item;
    }
}

static SQL_FUNCTION(step)
{
    struct order *self = function_state(context, sizeof *self);
    double value = sqlite3_value_double(arguments[0]);
    array_add(&self->values, isfinite(value) ? value : 0);
}

static void value(sqlite3_context *call)
{
    struct order *self = function_state(call, 0);
    if (!self || self->passed >= self->values.count)
        return;
    if (!self->places.count) {
        /* All places are found at the first question. */
        size_t count = self->values.count;
        size_t *order = memory_zeroed(count + 1, sizeof *order);
        array_reserve(&self->places, count + 1);
        for (size_t i = 0; i < count; i++)
            order[i] = i;
        for (size_t i = 0; i < count / 2; i++) { /* turned around, so that insertion keeps ties */
            double kept = self->values.items[i];
            self->values.items[i] = self->values.items[count - 1 - i];
            self->values.items[count - 1 - i] = kept;
        }
        quick_sort(self->values.items, order, count);
        for (size_t i = 0; i < count; i++)
            self->places.items[count - 1 - order[i]] = count - i;
        self->places.count = count;
        memory_free(order);
    }
    sqlite3_result_int64(call, (sqlite3_int64)self->places.items[self->passed]);
}

static SQL_FUNCTION(inverse)
{
    struct order *self = function_state(context, 0);
    if (self)
        self->passed++;
}

const struct function order_functions[] = {
    AGGREGATE("quick_place", "x", 1, SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, step, value,
              "Over rows from the current one to the last: its place when all are sorted by x, "
              "the largest first, with equal ones as a quicksort leaves them.",
              .value = value, .inverse = inverse),
    {0},
};
