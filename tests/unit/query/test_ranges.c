/* Sets of ids, compared with one flag for each id. */
#include "query/select/ranges.h"

#include "tests/unit/support.h"

#include <string.h>

enum { IDS = 64 };

static uint32_t random_state = 1;

static int chance(int range)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)range);
}

static void make(struct ranges *ranges, bool *flags)
{
    memset(flags, 0, IDS * sizeof *flags);
    for (int i = chance(8); i > 0; i--) {
        int first = chance(IDS), last = first + chance(8) - 2;
        last = last < IDS ? last : IDS - 1;
        ranges_add(ranges, first, last);
        for (int id = first; id <= last; id++)
            flags[id] = true;
    }
    ranges_settle(ranges);
}

static void assert_ranges(const struct ranges *ranges, const bool *flags)
{
    for (int id = 0; id < IDS; id++)
        assert_int_equal(ranges_contain(ranges, id), flags[id]);
    for (size_t i = 0; i < ranges->count; i++) {
        assert_true(ranges->items[i].first <= ranges->items[i].last);
        assert_true(i == 0 || ranges->items[i - 1].last + 1 < ranges->items[i].first);
    }
}

static void sets_are_what_flags_say(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct ranges left = {0}, right = {0}, rest = {0};
        bool left_flags[IDS], right_flags[IDS], flags[IDS];
        make(&left, left_flags);
        make(&right, right_flags);
        assert_ranges(&left, left_flags);
        ranges_subtract(&left, &right, &rest);
        for (int id = 0; id < IDS; id++)
            flags[id] = left_flags[id] && !right_flags[id];
        assert_ranges(&rest, flags);
        ranges_intersect(&left, &right);
        for (int id = 0; id < IDS; id++)
            flags[id] = left_flags[id] && right_flags[id];
        assert_ranges(&left, flags);
        array_free(&left);
        array_free(&right);
        array_free(&rest);
    }
}

static void ranges_reach_from_end_to_end(void **state)
{
    (void)state;
    struct ranges all = {0}, some = {0};
    ranges_add(&all, 5, INT64_MAX);
    ranges_add(&all, INT64_MIN, 4);
    ranges_settle(&all);
    assert_int_equal(all.count, 1);
    assert_true(ranges_contain(&all, INT64_MIN) && ranges_contain(&all, INT64_MAX));
    ranges_add(&all, INT64_MAX, INT64_MAX);
    ranges_add(&some, 1, 2);
    ranges_settle(&all);
    assert_int_equal(all.count, 1);
    ranges_intersect(&some, &all);
    assert_true(some.count == 1 && some.items[0].first == 1 && some.items[0].last == 2);
    array_free(&all);
    array_free(&some);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sets_are_what_flags_say),
    cmocka_unit_test(ranges_reach_from_end_to_end),
};
GROUP(ranges, NULL, NULL)
