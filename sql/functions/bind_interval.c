/* bind_interval: SQL aggregates over sets of time intervals.
 *
 *     interval_union_ns(ts, dur)             time covered by at least one interval
 *     interval_intersection_ns(ts, dur, b)   time covered by rows with b and by rows without
 *     interval_difference_ns(ts, dur, b)     time covered by rows without b and by none with b
 *     interval_layers(ts, dur, layer)        time that each layer covers and none below, as JSON
 *     interval_parts(ts, dur, from, span, parts)    time covered in each of equal parts, as JSON
 *     interval_list(id, ts, dur)             a number for the intervals, for interval_at
 *     interval_cover(ts, dur)                a number for the time that they cover
 *     interval_covered_ns(list, from, to)    how much of a time lies in that
 *     interval_at(list, ts)                  id of the first interval that has this time in it
 *     interval_innermost(list, ts)           id of the one that starts last
 *     interval_open(list, ts)                ids of all of them, that one first
 *     interval_depth(ts, dur)                greatest number of intervals at one time
 *     interval_deep_ns(ts, dur, least)       time with at least so many of them
 *     interval_peak(ts, dur, weight)         greatest sum of their weights at one time
 *
 *     SELECT interval_union_ns(ts, dur) FROM (VALUES (0, 10), (5, 7)) AS t(ts, dur)     -> 12
 *     with column1, column2 for ts, dur:
 *     SELECT interval_difference_ns(column1, column2, column3)
 *     FROM (VALUES (0, 10, 0), (4, 2, 1))                                             -> 8
 *
 *     SELECT interval_deep_ns(column1, column2, 2) FROM (VALUES (0, 10), (5, 7))           -> 5
 *     SELECT interval_peak(column1, column2, column3) FROM (VALUES (0, 10, 1.5), (5, 7, 2)) -> 3.5
 *
 * NULL: a row with a NULL is left out. No rows: 0. A negative duration counts as 0; in the last
 * three such intervals, and empty ones, do not count. A value that is not an integer, or a weight
 * that is not a number, is an error.
 */
#include "sql/binding/function.h"
#include "sql/functions/interval.h"
#include "src/base/array.h"
#include "src/base/hash.h"
#include "src/base/number.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <math.h>
#include <string.h>

static const char not_integers[] = "intervals are made of integers: start, duration";
static const char beyond_range[] = "an interval ends beyond the range of integers";
static const char beyond_sum[] = "the intervals cover more than the range of integers";

struct sets {
    struct interval_set sides[2];
    int64_t from, span, parts;
    bool failed;
};

/* Adds the interval of a row to a set; false when an error was set. */
static bool bind_interval_add_row(sqlite3_context *context, int count, sqlite3_value **values,
                                  struct interval_set *set)
{
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_NULL)
            return true;
    const char *message = NULL;
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(values[i]) != SQLITE_INTEGER)
            message = not_integers;
    int64_t start = sqlite3_value_int64(values[0]), duration = sqlite3_value_int64(values[1]), end;
    if (__builtin_add_overflow(start, duration < 0 ? 0 : duration, &end) && !message)
        message = beyond_range;
    if (message)
        sqlite3_result_error(context, message, -1);
    else
        interval_add(set, start, end);
    return !message;
}

static void add(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sets *sets = function_state(context, sizeof *sets);
    if (!bind_interval_add_row(context, count, values,
                               &sets->sides[count > 2 && sqlite3_value_int64(values[2]) != 0]))
        sets->failed = true;
}

typedef uint64_t measure(const struct interval_set *left, const struct interval_set *right);

static void finish(sqlite3_context *context, measure *length)
{
    struct sets *sets = function_state(context, 0);
    if (!sets) {
        sqlite3_result_int64(context, 0);
        return;
    }
    if (!sets->failed) {
        interval_settle(&sets->sides[0]);
        interval_settle(&sets->sides[1]);
        uint64_t covered = length(&sets->sides[0], &sets->sides[1]);
        if (covered <= INT64_MAX)
            sqlite3_result_int64(context, (int64_t)covered);
        else
            sqlite3_result_error(context, beyond_sum, -1);
    }
}

static uint64_t first_length(const struct interval_set *left, const struct interval_set *right)
{
    (void)right;
    return interval_length(left);
}

static void finish_union(sqlite3_context *context)
{
    finish(context, first_length);
}

static void finish_intersection(sqlite3_context *context)
{
    finish(context, interval_shared);
}

static void finish_difference(sqlite3_context *context)
{
    finish(context, interval_beyond);
}

/* ------------------------------------------------------------------ interval_layers */

enum { LAYERS = 16 };

struct layers {
    struct interval_set sets[LAYERS];
    bool failed;
};

static SQL_FUNCTION(add_in_layer)
{
    struct layers *self = function_state(context, sizeof *self);
    int64_t layer = sqlite3_value_int64(arguments[2]);
    if (layer < 0 || layer >= LAYERS)
        sqlite3_result_error(context, "a layer is a number from 0 to 15", -1);
    else if (bind_interval_add_row(context, count, arguments, &self->sets[layer]))
        return;
    self->failed = true;
}

static void finish_layers(sqlite3_context *context)
{
    struct layers *self = function_state(context, 0);
    struct text out = {0};
    uint64_t before = 0;
    bool done = self && !self->failed;
    for (int i = 0; i < LAYERS && done; i++) {
        interval_settle(&self->sets[i]);
        if (i)
            interval_unite(&self->sets[0], &self->sets[i]);
        uint64_t all = interval_length(&self->sets[0]);
        text_format(&out, "%s%llu", i ? "," : "[", (unsigned long long)(all - before));
        before = all;
    }
    text_add_byte(&out, ']');
    if (done)
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
}

/* ------------------------------------------------------------------ interval_parts */

enum { PARTS_MOST = 100000 };

/* The parts are the same in every row. */
static SQL_FUNCTION(add_in_parts)
{
    struct sets *sets = function_state(context, sizeof *sets);
    for (int i = 2; i < 5; i++)
        if (sqlite3_value_type(arguments[i]) != SQLITE_INTEGER)
            return;
    sets->from = sqlite3_value_int64(arguments[2]);
    sets->span = sqlite3_value_int64(arguments[3]);
    sets->parts = sqlite3_value_int64(arguments[4]);
    add(context, 2, arguments);
}

/* Where a part begins, from the first one; parts differ by no more than 1 ns. */
static int64_t part_start(const struct sets *sets, int64_t part)
{
    return sets->span / sets->parts * part + sets->span % sets->parts * part / sets->parts;
}

static void add_parts(const struct sets *sets, struct text *out)
{
    const struct interval *items = sets->sides[0].list.items;
    size_t at = 0, count = sets->sides[0].list.count;
    text_add_byte(out, '[');
    for (int64_t part = 0; part < sets->parts; part++) {
        int64_t start = sets->from + part_start(sets, part), covered = 0;
        int64_t end = sets->from + part_start(sets, part + 1);
        while (at < count && items[at].end <= start)
            at++;
        for (size_t i = at; i < count && items[i].start < end; i++)
            covered += (items[i].end < end ? items[i].end : end) -
                       (items[i].start > start ? items[i].start : start);
        text_format(out, "%s%lld", part ? "," : "", (long long)covered);
    }
    text_add_byte(out, ']');
}

static void finish_parts(sqlite3_context *context)
{
    struct sets *sets = function_state(context, 0);
    int64_t end;
    if (!sets)
        return;
    bool is_known = sets->parts > 0 && sets->parts <= PARTS_MOST && sets->span >= 0 &&
                    !__builtin_add_overflow(sets->from, sets->span, &end);
    if (!sets->failed && is_known) {
        struct text out = {0};
        interval_settle(&sets->sides[0]);
        add_parts(sets, &out);
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    }
}

/* ------------------------------------------------------------------ interval_list */

/* An interval of a list, which is sorted by start. */
struct placed {
    int64_t id, start, end;
    int64_t reach; /* the latest end so far */
};

struct places {
    ARRAY(struct placed) items;
    bool failed;
};

/* A row that asks for a time must not carry the list: with many steps that is all the work. So the
 * connection keeps the lists that were made, each once, and a number stands for them. */
struct kept_list {
    int64_t number; /* a hash of what is in it */
    size_t count;
    struct placed *items;
    struct end_tree ends; /* for intervals that are open, made when these are asked for */
};

struct kept_lists {
    ARRAY(struct kept_list) lists;
};

static void free_lists(void *pointer)
{
    struct kept_lists *self = pointer;
    for (size_t i = 0; i < self->lists.count; i++) {
        memory_free(self->lists.items[i].items);
        end_tree_free(&self->lists.items[i].ends);
    }
    array_free(&self->lists);
    memory_free(self);
}

static struct kept_list *find_list(const struct context *context, int64_t number)
{
    const struct kept_lists *kept = context_kept(context, free_lists);
    for (size_t i = kept ? kept->lists.count : 0; i-- > 0;)
        if (kept->lists.items[i].number == number)
            return &kept->lists.items[i];
    return NULL;
}

/* Keeps the intervals, unless they are kept already, under the number that it gives. */
static int64_t keep_list(struct context *context, struct places *places)
{
    size_t count = places->items.count, bytes = count * sizeof *places->items.items;
    const struct kept_list *same;
    int64_t number = (int64_t)(hash64(places->items.items, bytes, 0) >> 1);
    while ((same = find_list(context, number)) &&
           (same->count != count || memcmp(same->items, places->items.items, bytes) != 0))
        number = number < INT64_MAX ? number + 1 : 0;
    if (same)
        return number;
    struct memory *before = memory_enter(&context->memory);
    struct kept_lists *kept = context_kept(context, free_lists);
    if (!kept)
        context_keep(context, kept = memory_zeroed(1, sizeof *kept), free_lists);
    struct kept_list list = {
        .number = number, .count = count, .items = memory_list(count, sizeof *list.items)};
    memcpy(list.items, places->items.items, bytes);
    array_add(&kept->lists, list);
    memory_enter(before);
    return number;
}

static void add_place(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct places *self = function_state(context, sizeof *self);
    bool is_null = false, is_integer = true;
    for (int i = 0; i < count; i++) {
        is_null |= sqlite3_value_type(values[i]) == SQLITE_NULL;
        is_integer &= sqlite3_value_type(values[i]) == SQLITE_INTEGER;
    }
    if (is_null || self->failed)
        return;
    int64_t start = sqlite3_value_int64(values[1]), end;
    bool is_far = __builtin_add_overflow(start, sqlite3_value_int64(values[2]), &end);
    self->failed = !is_integer || is_far;
    if (self->failed)
        sqlite3_result_error(context, is_integer ? beyond_range : not_integers, -1);
    else
        array_add(&self->items, (struct placed){sqlite3_value_int64(values[0]), start, end, end});
}

ORDER_BY(compare_places, struct placed, UP(start) || UP(id));

static void finish_list(sqlite3_context *context)
{
    struct places *self = function_state(context, 0);
    if (!self)
        return;
    struct placed *items = self->items.items;
    size_t count = self->items.count;
    if (count && !self->failed) {
        qsort(items, count, sizeof *items, compare_places);
        for (size_t i = 1; i < count; i++)
            if (items[i].reach < items[i - 1].reach)
                items[i].reach = items[i - 1].reach;
        sqlite3_result_int64(context, keep_list(function_context(context), self));
    }
}

/* Intervals that touch become one, of no id. */
static void finish_cover(sqlite3_context *context)
{
    struct sets *sets = function_state(context, 0);
    struct places places = {0};
    if (!sets || sets->failed)
        return;
    interval_settle(&sets->sides[0]);
    for (size_t i = 0; i < sets->sides[0].list.count; i++) {
        const struct interval *covered = &sets->sides[0].list.items[i];
        array_add(&places.items, (struct placed){0, covered->start, covered->end, covered->end});
    }
    if (places.items.count)
        sqlite3_result_int64(context, keep_list(function_context(context), &places));
    array_free(&places.items);
}

/* The list that a call is about, and the time; NULL when there is nothing to find, or an error was
 * set. */
static struct kept_list *asked_list(sqlite3_context *context, sqlite3_value **values, int64_t *time)
{
    if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
        sqlite3_value_type(values[1]) == SQLITE_NULL)
        return NULL;
    struct kept_list *list =
        sqlite3_value_type(values[0]) == SQLITE_INTEGER
            ? find_list(function_context(context), sqlite3_value_int64(values[0]))
            : NULL;
    *time = sqlite3_value_int64(values[1]);
    if (!list)
        sqlite3_result_error(context, "intervals come from interval_list", -1);
    return list;
}

static SQL_FUNCTION(find_place)
{
    int64_t time;
    const struct kept_list *list = asked_list(context, arguments, &time);
    if (!list)
        return;
    size_t place; /* of the first that reaches beyond the time: it ends there itself */
    ARRAY_LOWER_BOUND(place, list->count, list->items[place].reach <= time);
    if (place < list->count && list->items[place].start <= time)
        sqlite3_result_int64(context, list->items[place].id);
}

static SQL_FUNCTION(find_covered)
{
    int64_t from, to = sqlite3_value_int64(arguments[2]), covered = 0;
    const struct kept_list *list = asked_list(context, arguments, &from);
    size_t place;
    if (!list)
        return;
    ARRAY_LOWER_BOUND(place, list->count, list->items[place].reach <= from);
    for (; place < list->count && list->items[place].start < to; place++) {
        const struct placed *item = &list->items[place];
        covered += (item->end < to ? item->end : to) - (item->start > from ? item->start : from);
    }
    sqlite3_result_int64(context, covered);
}

/* The place of the interval before `place` that starts last of those that have the time in them;
 * END_TREE_NONE where there is none. The list has its tree. */
static size_t open_before(const struct kept_list *self, size_t place, int64_t time)
{
    return place ? end_tree_last(&self->ends, place - 1, time) : END_TREE_NONE;
}

/* The list and the time that a call is about, the innermost interval at that time, and the tree
 * over ends; NULL as above. */
static struct kept_list *asked_open(sqlite3_context *context, sqlite3_value **values, int64_t *time,
                                    size_t *innermost)
{
    struct kept_list *list = asked_list(context, values, time);
    bool grows = list && !list->ends.latest;
    *innermost = END_TREE_NONE;
    if (grows) {
        struct memory *before = memory_enter(&function_context(context)->memory);
        end_tree_reserve(&list->ends, list->count);
        memory_enter(before);
    }
    for (size_t i = 0; grows && i < list->count; i++)
        end_tree_set(&list->ends, i, list->items[i].end);
    if (grows)
        end_tree_settle(&list->ends);
    if (!list)
        return NULL;
    size_t started;
    ARRAY_LOWER_BOUND(started, list->count, list->items[started].start <= *time);
    *innermost = open_before(list, started, *time);
    return list;
}

static SQL_FUNCTION(find_innermost)
{
    int64_t time;
    size_t found;
    const struct kept_list *list = asked_open(context, arguments, &time, &found);
    if (found != END_TREE_NONE)
        sqlite3_result_int64(context, list->items[found].id);
}

static SQL_FUNCTION(find_open)
{
    int64_t time;
    size_t found;
    struct text out = {0};
    const struct kept_list *list = asked_open(context, arguments, &time, &found);
    if (!list)
        return;
    text_add_string(&out, "[");
    for (; found != END_TREE_NONE; found = open_before(list, found, time))
        text_format(&out, "%s%lld", out.count > 1 ? "," : "", (long long)list->items[found].id);
    text_add_string(&out, "]");
    sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    text_free(&out);
}

enum { FLAGS = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

const struct function interval_functions[] = {
    AGGREGATE("interval_union_ns", "start, duration", 2, FLAGS, add, finish_union,
              "Time covered by at least one of the intervals. Rows with NULL are left out; 0 "
              "without rows; an error when an argument is not an integer.",
              .example = "SELECT interval_union_ns(column1, column2) FROM (VALUES (0, 10), (5, 7))",
              .gives = "12"),
    AGGREGATE("interval_intersection_ns", "start, duration, second", 3, FLAGS, add,
              finish_intersection,
              "Time covered both by a row whose third argument is 0 and by one where it is not. "
              "Rows with NULL are left out; 0 without rows; an error when an argument is not an "
              "integer.",
              .example = "SELECT interval_intersection_ns(column1, column2, column3) "
                         "FROM (VALUES (0, 10, 0), (4, 8, 1))",
              .gives = "6"),
    AGGREGATE("interval_difference_ns", "start, duration, second", 3, FLAGS, add, finish_difference,
              "Time covered by a row whose third argument is 0 and by none where it is not. Rows "
              "with NULL are left out; 0 without rows; an error when an argument is not an "
              "integer.",
              .example = "SELECT interval_difference_ns(column1, column2, column3) "
                         "FROM (VALUES (0, 10, 0), (4, 2, 1))",
              .gives = "8"),
    AGGREGATE(
        "interval_layers", "start, duration, layer", 3, FLAGS, add_in_layer, finish_layers,
        "Time that intervals of layer 0, 1 and so on to 15 cover and none of a lower layer, as "
        "a JSON list. Rows with NULL are left out; NULL without rows; an error when an "
        "argument is not an integer, or a layer above 15.",
        .example = "SELECT value FROM (SELECT interval_layers(column1, column2, column3) AS "
                   "list FROM (VALUES (0, 10, 1), (5, 9, 2))), json_each(list) WHERE key = 2",
        .gives = "4"),
    AGGREGATE(
        "interval_parts", "start, duration, from, span, parts", 5, FLAGS, add_in_parts,
        finish_parts,
        "Time covered by at least one of the intervals in each of up to 100,000 equal parts "
        "of the span from a start, as a JSON list. Rows with NULL are left out; NULL without "
        "rows, or parts; an error when an interval is not of integers.",
        .example =
            "SELECT interval_parts(column1, column2, 0, 100, 4) FROM (VALUES (0, 10), (30, 40))",
        .gives = "[10,20,20,0]"),
    AGGREGATE("interval_list", "id, start, duration", 3, FLAGS, add_place, finish_list,
              "A number that stands for the intervals, for interval_at on the same connection. "
              "Rows with NULL are left out; NULL without rows; an error when an argument is not "
              "an integer.",
              .example =
                  "SELECT interval_list(column1, column2, column3) = "
                  "interval_list(column1, column2, column3) FROM (VALUES (1, 0, 10), (2, 5, 10))",
              .gives = "1"),
    AGGREGATE("interval_cover", "start, duration", 2, FLAGS, add, finish_cover,
              "A number that stands for the time covered by at least one of the intervals, for "
              "interval_covered_ns on the same connection. Rows with NULL are left out; NULL "
              "without rows; an error when an argument is not an integer.",
              .example = "SELECT interval_cover(column1, column2) = "
                         "interval_cover(column1, column2) FROM (VALUES (0, 10), (5, 10))",
              .gives = "1"),
    SCALAR(
        "interval_covered_ns", "list, from, to", 3, FLAGS, find_covered,
        "Time between two moments that an interval_cover covers. NULL when the list or the first "
        "moment is NULL.",
        .example = "SELECT interval_covered_ns(interval_cover(column1, column2), 8, 30) "
                   "FROM (VALUES (0, 10), (20, 5))",
        .gives = "7"),
    SCALAR("interval_at", "list, time", 2, FLAGS, find_place,
           "Of the intervals of an interval_list that have this time in them the id of the "
           "one that starts first. NULL when none has, or an argument is NULL.",
           .example = "SELECT interval_at(interval_list(column1, column2, column3), 7) "
                      "FROM (VALUES (1, 0, 10), (2, 5, 10))",
           .gives = "1"),
    SCALAR("interval_innermost", "list, time", 2, FLAGS, find_innermost,
           "Of the intervals of an interval_list that have this time in them the id of the "
           "one that starts last; of those that start together the greatest id. NULL when "
           "none has, or an argument is NULL.",
           .example = "SELECT interval_innermost(interval_list(column1, column2, column3), 7) "
                      "FROM (VALUES (1, 0, 10), (2, 5, 10))",
           .gives = "2"),
    SCALAR("interval_open", "list, time", 2, FLAGS, find_open,
           "The ids of all intervals of an interval_list that have this time in them, as a JSON "
           "array, the one of interval_innermost first. NULL when an argument is NULL.",
           .example = "SELECT interval_open(interval_list(column1, column2, column3), 7) "
                      "FROM (VALUES (1, 0, 10), (2, 5, 10))",
           .gives = "[2,1]"),
    {0},
};

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
 * left out; no rows give 0; a value that is not an integer is an error. */

struct stretch {
    int64_t start, end;
    int64_t latest; /* end of all up to this one */
};

struct scan {
    ARRAY(struct stretch) sides[2];
    bool failed;
};

ORDER_BY(compare_stretches, struct stretch, UP(start) || UP(end));

static SQL_FUNCTION(scan_add)
{
    struct scan *scan = function_state(context, sizeof *scan);
    int64_t values[3], end;
    for (int i = 0; i < 3; i++) {
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL)
            return;
        if (sqlite3_value_type(arguments[i]) != SQLITE_INTEGER) {
            scan->failed = true;
            sqlite3_result_error(context, not_integers, -1);
            return;
        }
        values[i] = sqlite3_value_int64(arguments[i]);
    }
    end = number_sum(values[0], values[1] < 0 ? 0 : values[1]);
    struct stretch *added = array_push(&scan->sides[values[2] != 0]);
    *added = (struct stretch){values[0], end, end};
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

static void scan_finish(sqlite3_context *context)
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
}

const struct function overlap_scan_functions[] = {
    AGGREGATE("overlap_scan_ns", "start, duration, second", 3,
              SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, scan_add, scan_finish,
              "Time of rows whose third argument is not 0 that others overlap, as --compat counts "
              "it: each other by itself, up to the first that ends later. Rows with NULL are left "
              "out; 0 without rows; an error when an argument is not an integer."),
    {0},
};

/* ------------------------------------------------------------------ depth and load */

struct depth {
    struct interval_pile pile;
    struct interval_load load;
    int64_t least;
    bool failed;
};

static void fail_depth(sqlite3_context *context, struct depth *depth, const char *message)
{
    depth->failed = true;
    sqlite3_result_error(context, message, -1);
}

/* The state of the aggregate and the interval of a row; NULL when it does not count, or an error
 * was set. */
static struct depth *read_depth_row(sqlite3_context *context, int count, sqlite3_value **values,
                                    struct interval *row)
{
    struct depth *depth = function_state(context, sizeof *depth);
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_NULL)
            return NULL;
    if (depth->failed)
        return NULL;
    row->start = sqlite3_value_int64(values[0]);
    if (sqlite3_value_type(values[0]) != SQLITE_INTEGER ||
        sqlite3_value_type(values[1]) != SQLITE_INTEGER)
        fail_depth(context, depth, not_integers);
    else if (__builtin_add_overflow(row->start, sqlite3_value_int64(values[1]), &row->end))
        fail_depth(context, depth, beyond_range);
    return depth->failed ? NULL : depth;
}

/* The number stands in the third argument of every row, where there is one. */
static void add_depth(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct interval row;
    struct depth *depth = read_depth_row(context, count, values, &row);
    if (!depth)
        return;
    if (count > 2 && sqlite3_value_type(values[2]) != SQLITE_INTEGER)
        fail_depth(context, depth, "the number of intervals is an integer");
    else {
        interval_pile_add(&depth->pile, row.start, row.end);
        if (count > 2)
            depth->least = sqlite3_value_int64(values[2]);
    }
}

static void finish_depth(sqlite3_context *context)
{
    struct depth *depth = function_state(context, 0);
    if (!depth || !depth->failed)
        sqlite3_result_int64(context,
                             depth ? (sqlite3_int64)interval_pile_height(&depth->pile) : 0);
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
        fail_depth(context, depth, beyond_sum);
    else if (!depth || !depth->failed)
        sqlite3_result_int64(context, (sqlite3_int64)time);
}

static void add_load(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct interval row;
    struct depth *depth = read_depth_row(context, count, values, &row);
    if (!depth)
        return;
    int type = sqlite3_value_type(values[2]);
    double weight = sqlite3_value_double(values[2]);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !isfinite(weight))
        fail_depth(context, depth, "the weight of an interval is a number");
    else
        interval_load_add(&depth->load, row.start, row.end, weight);
}

static void finish_peak(sqlite3_context *context)
{
    struct depth *depth = function_state(context, 0);
    if (depth && !depth->failed && depth->load.points.count)
        sqlite3_result_double(context, interval_load_peak(&depth->load));
}

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
