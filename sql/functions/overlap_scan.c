/* overlap_scan: how much of some intervals others overlap, as an older tool counts it.
 *
 *     overlap_scan_ns(start, duration, second)
 *
 *     with column1, ... for the arguments:
 *     SELECT overlap_scan_ns(column1, column2, column3)
 *     FROM (VALUES (0, 10, 1), (2, 3, 0), (4, 2, 0))                                  -> 5
 *
 * For each row with `second` the overlaps with rows without it are added up, in the order of their
 * starts, until one of them ends behind it: time that two of them cover counts twice, and what
 * comes behind such a one does not count. interval_intersection_ns is right. A row with a NULL is
 * left out; no rows give 0; a value that is not an integer is an error.
 */
#include "sql/binding/function.h"
#include "src/base/array.h"
#include "src/base/number.h"
#include "src/base/order.h"

struct stretch {
    int64_t start, end;
    int64_t latest; /* end of all up to this one */
};

struct scan {
    ARRAY(struct stretch) sides[2];
    bool failed;
};

ORDER_BY(compare_stretches, struct stretch, UP(start) || UP(end));

static void fail(sqlite3_context *context, struct scan *scan, const char *message)
{
    scan->failed = true;
    if (message)
        sqlite3_result_error(context, message, -1);
    else
        sqlite3_result_error_nomem(context);
}

static SQL_FUNCTION(add)
{
    struct scan *scan = function_state(context, sizeof *scan);
    int64_t values[3], end;
    if (!scan) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL)
            return;
        if (sqlite3_value_type(arguments[i]) != SQLITE_INTEGER) {
            fail(context, scan, "intervals are made of integers: start, duration");
            return;
        }
        values[i] = sqlite3_value_int64(arguments[i]);
    }
    end = number_sum(values[0], values[1] < 0 ? 0 : values[1]);
    struct stretch *added = array_push(&scan->sides[values[2] != 0]);
    if (added)
        *added = (struct stretch){values[0], end, end};
    else
        fail(context, scan, NULL);
}

static int64_t scan_one(const struct stretch *others, size_t count, const struct stretch *one)
{
    int64_t sum = 0;
    size_t i;
    ARRAY_LOWER_BOUND(i, count, others[i].latest <= one->start);
    for (; i < count && others[i].start < one->end; i++) {
        int64_t start = others[i].start > one->start ? others[i].start : one->start;
        int64_t end = others[i].end < one->end ? others[i].end : one->end;
        sum = number_sum(sum, end > start ? end - start : 0);
        if (others[i].end > one->end)
            break;
    }
    return sum;
}

static void finish(sqlite3_context *context)
{
    struct scan *scan = function_state(context, 0);
    int64_t sum = 0;
    if (scan && !scan->failed && scan->sides[0].count) {
        struct stretch *others = scan->sides[0].items;
        qsort(others, scan->sides[0].count, sizeof *others, compare_stretches);
        for (size_t i = 1; i < scan->sides[0].count; i++)
            if (others[i].latest < others[i - 1].latest)
                others[i].latest = others[i - 1].latest;
        for (size_t i = 0; i < scan->sides[1].count; i++)
            sum = number_sum(sum, scan_one(others, scan->sides[0].count, &scan->sides[1].items[i]));
    }
    if (!scan || !scan->failed)
        sqlite3_result_int64(context, sum);
    if (scan) {
        array_free(&scan->sides[0]);
        array_free(&scan->sides[1]);
    }
}

const struct function overlap_scan_functions[] = {
    AGGREGATE("overlap_scan_ns", "start, duration, second", 3,
              SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, add, finish,
              "Time of rows whose third argument is not 0 that others overlap, as --compat counts "
              "it: each other by itself, up to the first that ends later. Rows with NULL are left "
              "out; 0 without rows; an error when an argument is not an integer."),
    {0},
};
