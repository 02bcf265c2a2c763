/* What ran beside what, against a look at all pairs. */
#include "sql/launches/overlap.h"

#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

enum { WORK = 60, MICROSECOND = 1000 };

static uint32_t random_state = 1;

static int chance(int range)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)range);
}

static void make(struct overlap_set *set, int count, int span, int longest)
{
    for (int i = 0; i < count; i++) {
        int64_t start = chance(span), duration = chance(longest);
        struct overlap_work work = {
            .start = start,
            .end = start + duration,
            .op = chance(12),
            .stream = chance(5) ? chance(4) : INT64_MIN,
            .name = 100 + chance(7),
            .uid = (i * 37) % count,
            .stated = duration,
            .block = chance(8) == 0,
        };
        overlap_add(set, &work);
    }
}

static double round2(double value)
{
    return rint(value * 100) / 100;
}

static int64_t shared(const struct overlap_work *a, const struct overlap_work *b)
{
    int64_t from = a->start > b->start ? a->start : b->start;
    int64_t to = a->end < b->end ? a->end : b->end;
    return to - from;
}

static bool is_partner(const struct overlap_work *a, const struct overlap_work *b)
{
    return a != b && shared(a, b) >= MICROSECOND && a->block == b->block &&
           !(a->stream != INT64_MIN && a->stream == b->stream) && !(a->op && a->op == b->op);
}

/* Time of a kernel in which some partner ran, a nanosecond at a time. */
static int64_t covered_by_partners(const struct overlap_set *set, const struct overlap_work *kernel)
{
    int64_t sum = 0;
    for (int64_t time = kernel->start; time < kernel->end; time++) {
        bool any = false;
        for (size_t i = 0; i < set->work.count && !any; i++) {
            const struct overlap_work *work = &set->work.items[i];
            any = is_partner(kernel, work) && work->start <= time && time < work->end;
        }
        sum += any;
    }
    return sum;
}

struct expected {
    int64_t name, stream, count;
    double durations, shares;
};

static size_t look_at_all(const struct overlap_set *set, const uint32_t *kernels, size_t count,
                          int64_t covered, struct expected *expected)
{
    size_t names = 0;
    for (size_t k = 0; k < count; k++)
        for (int64_t uid = 0; uid < (int64_t)set->work.count; uid++)
            for (size_t i = 0; i < set->work.count; i++) {
                const struct overlap_work *kernel = &set->work.items[kernels[k]];
                const struct overlap_work *work = &set->work.items[i];
                if (work->uid != uid || !is_partner(kernel, work))
                    continue;
                size_t place = 0;
                while (place < names && expected[place].name != work->name)
                    place++;
                if (place == names)
                    expected[names++] =
                        (struct expected){.name = work->name, .stream = work->stream};
                expected[place].count++;
                expected[place].durations += (double)work->stated / 1000;
                expected[place].shares +=
                    covered ? round2((double)shared(kernel, work) / (double)covered) : 0;
            }
    return names;
}

static void compare_with_all(const struct overlap_set *set, struct overlap_found *found)
{
    uint32_t kernels[4];
    size_t count = (size_t)chance(5);
    for (size_t i = 0; i < count; i++)
        kernels[i] = (uint32_t)chance((int)set->work.count);
    int64_t covered = chance(6) ? 1 + chance(20000) : 0;
    struct expected expected[WORK];
    size_t names = look_at_all(set, kernels, count, covered, expected);
    overlap_find(set, kernels, count, covered, found);
    assert_int_equal(found->partners.count, names);
    assert_int_equal(found->not_examined, 0);
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += covered_by_partners(set, &set->work.items[kernels[i]]);
    assert_true(found->share == (covered ? round2((double)sum / (double)covered) : 0));
    for (size_t i = 0; i < names; i++) {
        const struct overlap_partner *partner = &found->partners.items[i];
        double n = (double)expected[i].count;
        assert_int_equal(partner->name, expected[i].name);
        assert_int_equal(partner->stream, expected[i].stream);
        assert_true((double)partner->duration / 1000 == round2(expected[i].durations / n));
        assert_true(partner->share == round2(expected[i].shares / n));
    }
}

static void partners_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct overlap_set set = {0};
        struct overlap_found found = {0};
        make(&set, 1 + chance(WORK), 1 + chance(40000), 1 + chance(9000));
        overlap_index(&set, MICROSECOND);
        for (int j = 0; j < 4; j++)
            compare_with_all(&set, &found);
        overlap_found_free(&found);
        overlap_free(&set);
    }
}

static void a_microsecond_is_enough_and_less_is_not(void **state)
{
    (void)state;
    struct overlap_set set = {0};
    struct overlap_found found = {0};
    struct overlap_work first = {
        .start = 0, .end = 5000, .op = 1, .stream = 1, .name = 1, .uid = 1, .stated = 5000};
    struct overlap_work enough = {
        .start = 4000, .end = 5015, .op = 2, .stream = 2, .name = 2, .uid = 2, .stated = 1015};
    struct overlap_work less = {
        .start = 4001, .end = 9000, .op = 3, .stream = 3, .name = 3, .uid = 3, .stated = 4999};
    struct overlap_work none = {
        .start = 2000, .end = 2000, .op = 4, .stream = 4, .name = 4, .uid = 4, .stated = 0};
    overlap_add(&set, &first);
    overlap_add(&set, &enough);
    overlap_add(&set, &less);
    overlap_add(&set, &none);
    overlap_index(&set, MICROSECOND);
    uint32_t kernel = 0;
    overlap_find(&set, &kernel, 1, 8000, &found);
    assert_int_equal(found.partners.count, 1);
    assert_int_equal(found.partners.items[0].name, 2);
    assert_int_equal(found.partners.items[0].duration,
                     1010); /* 1.015 * 100 is 101.49999999999999 */
    assert_true(found.partners.items[0].share == 0.12 && found.share == 0.12); /* to even */
    overlap_found_free(&found);
    overlap_free(&set);
}

static void nothing_overlaps_nothing(void **state)
{
    (void)state;
    struct overlap_set set = {0};
    struct overlap_found found = {0};
    overlap_index(&set, MICROSECOND);
    overlap_find(&set, NULL, 0, 0, &found);
    assert_int_equal(found.partners.count, 0);
    overlap_found_free(&found);
    overlap_free(&set);
}

/* Everything beside everything, and long kernels over many short ones. */
static void hostile_traces_are_bounded(void **state)
{
    (void)state;
    enum { MANY = 60000, LONG = 400 };
    for (int kind = 0; kind < 2; kind++) {
        struct overlap_set set = {0};
        struct overlap_found found = {0};
        for (int i = 0; i < MANY; i++) {
            bool is_long = kind == 0 || i < LONG;
            struct overlap_work work = {.start = is_long ? i : i * 3000,
                                        .end = is_long ? (int64_t)MANY * 4000 : i * 3000 + 2000,
                                        .op = i + 1,
                                        .stream = i,
                                        .name = i,
                                        .uid = i,
                                        .stated = 2000};
            overlap_add(&set, &work);
        }
        overlap_index(&set, MICROSECOND);
        uint64_t found_pairs = 0, not_examined = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            overlap_find(&set, &i, 1, 2000, &found);
            found_pairs += found.partners.count;
            not_examined += (uint64_t)found.not_examined;
        }
        uint64_t pairs = kind == 0 ? (uint64_t)MANY * (MANY - 1)
                                   : (uint64_t)LONG * (LONG - 1) + 2ull * LONG * (MANY - LONG);
        assert_int_equal(found_pairs + not_examined, pairs);
        assert_true(not_examined > 0);
        assert_true(found_pairs <= OVERLAP_PAIRS + OVERLAP_PAIRS_EACH * (uint64_t)MANY);
        overlap_found_free(&found);
        overlap_free(&set);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(partners_are_those_of_all_pairs),
    cmocka_unit_test(a_microsecond_is_enough_and_less_is_not),
    cmocka_unit_test(nothing_overlaps_nothing),
    cmocka_unit_test(hostile_traces_are_bounded),
};
GROUP(overlap, NULL, NULL)
