/* Which kernels are one collective, against sequences from which kernels were taken away. */
#include "sql/ranks/collective.h"

#include "tests/unit/support.h"

#include <string.h>

enum { RANKS = 3, MOST = 6000 };

static uint32_t random_state = 1;

static int chance(int range)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)range);
}

struct group {
    struct collective_part parts[RANKS * MOST];
    uint32_t truth[RANKS * MOST];
    size_t count;
};

static struct group group;

static void add(uint32_t rank, int truth, uint32_t signature, int64_t start, int64_t end)
{
    group.truth[group.count] = (uint32_t)truth;
    group.parts[group.count++] = (struct collective_part){.rank = rank,
                                                          .name = 1,
                                                          .signature = signature,
                                                          .seq = COLLECTIVE_UNKNOWN,
                                                          .step = COLLECTIVE_UNKNOWN,
                                                          .start = start,
                                                          .end = end};
}

/* Collectives every 100 units; ranks come when they like and leave together. `signatures`: how many
 * there are; one of `lost` is missing on a rank; ranks are `offset` apart in time. */
static void make(int count, int signatures, int lost, int64_t offset)
{
    static uint32_t kinds[MOST];
    group.count = 0;
    for (int i = 0; i < count; i++)
        kinds[i] = (uint32_t)chance(signatures) + 1;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (int i = 0; i < count; i++)
            if (lost == 0 || chance(lost))
                add(rank, i, kinds[i], i * 100 + chance(40) + rank * offset,
                    i * 100 + 60 + chance(3) + rank * offset);
}

static enum collective_method match(enum collective_method first)
{
    enum collective_method method = COLLECTIVE_METHODS;
    collective_match(group.parts, group.count, first, false, &method);
    return method;
}

/* The share of kernels that are in a collective with those that they belong to, and with no others;
 * numbers rise on each rank. */
static double right(void)
{
    static uint32_t number_of[MOST];
    size_t found = 0;
    memset(number_of, 0xff, sizeof number_of);
    for (size_t i = 0; i < group.count; i++) {
        uint32_t *number = &number_of[group.truth[i]];
        assert_true(i == 0 || group.parts[i].rank != group.parts[i - 1].rank ||
                    group.parts[i].number > group.parts[i - 1].number);
        for (size_t j = 0; j < i && group.count < 500; j++)
            if (group.parts[i].number == group.parts[j].number) {
                assert_int_not_equal(group.parts[i].rank, group.parts[j].rank);
                assert_int_equal(group.parts[i].signature, group.parts[j].signature);
            }
        if (*number == UINT32_MAX)
            *number = group.parts[i].number;
        found += *number == group.parts[i].number;
    }
    return (double)found / (double)group.count;
}

static void test_places(void **state)
{
    (void)state;
    make(50, 3, 0, 0);
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_INDEX);
    for (size_t i = 0; i < group.count; i++)
        assert_int_equal(group.parts[i].number, i % 50);
}

static void test_times(void **state)
{
    (void)state;
    for (int signatures = 1; signatures < 5; signatures++)
        for (int lost = 2; lost < 40; lost += 7) {
            make(100, signatures, lost, 0);
            assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
            assert_true(right() == 1);
        }
    make(MOST, 1, 10, 2);
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    assert_true(right() == 1);
}

static void test_times_that_hardly_meet(void **state)
{
    (void)state;
    group.count = 0; /* one rank was recorded first, another one later */
    for (int i = 0; i < 40; i++)
        add(0, i, 1, i * 100, i * 100 + 50);
    for (int i = 30; i < 70; i++)
        add(1, i, 1, i * 100 + 7, i * 100 + 50);
    for (int i = 30; i < 40; i++)
        add(2, i, 1, i * 100 + 7, i * 100 + 50);
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    assert_true(right() == 1);
}

static void test_sequences(void **state)
{
    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        make(100, 30, 20, 12345678);
        assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
        assert_true(right() > 0.9); /* those with the same signature side by side are not known */
    }
    make(MOST, 50, 30, 12345678); /* more differences than are looked through at a time */
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    assert_true(right() > 0.97);
}

static void test_sequences_with_little_in_common(void **state)
{
    (void)state;
    group.count = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (int i = 0; i < MOST; i++)
            add(rank, i, (uint32_t)chance(100) + 1, i * 100 + (int64_t)rank * 1000000,
                i * 100 + 50);
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    right();
    group.count = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (int i = 0; i < MOST; i++)
            add(rank, i, rank + 1, i * 100, i * 100 + 50);
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    for (size_t i = 1; i < group.count; i++)
        assert_true(group.parts[i].number != group.parts[i - 1].number);
}

static void test_sequence_numbers(void **state)
{
    (void)state;
    make(100, 3, 5, 0);
    for (size_t i = 0; i < group.count; i++)
        group.parts[i].seq = group.truth[i] + 1000;
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_SEQ);
    assert_true(right() == 1);
    assert_int_equal(match(COLLECTIVE_STEP), COLLECTIVE_ALIGNED);
    group.parts[7].seq = COLLECTIVE_UNKNOWN; /* all of them, or none */
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    group.parts[7].seq = group.parts[8].seq;
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    group.parts[7].name = 2; /* what was started together has one number */
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_SEQ);
    assert_true(group.parts[7].number < group.parts[8].number);
}

static void test_steps(void **state)
{
    (void)state;
    make(100, 3, 0, 0);
    for (size_t i = 0; i < group.count; i++)
        group.parts[i].step = group.truth[i] / 10;
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_STEP);
    assert_true(right() == 1);
    size_t kept = 0; /* a rank without the first two steps */
    for (size_t i = 0; i < group.count; i++)
        if (group.parts[i].rank != 1 || group.truth[i] >= 20) {
            group.truth[kept] = group.truth[i];
            group.parts[kept++] = group.parts[i];
        }
    group.count = kept;
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_STEP);
    assert_true(right() == 1);
    group.parts[150].step = 5; /* one more in a step than on other ranks */
    assert_int_equal(match(COLLECTIVE_SEQ), COLLECTIVE_ALIGNED);
    assert_true(right() == 1);
}

static void test_forced(void **state)
{
    (void)state;
    enum collective_method method;
    make(100, 3, 5, 0);
    collective_match(group.parts, group.count, COLLECTIVE_INDEX, true, &method);
    assert_int_equal(method, COLLECTIVE_INDEX);
    assert_int_equal(match(COLLECTIVE_INDEX), COLLECTIVE_ALIGNED);
    collective_match(group.parts, 0, COLLECTIVE_SEQ, false, &method);
    collective_match(group.parts, 1, COLLECTIVE_ALIGNED, false, &method);
    assert_int_equal(group.parts[0].number, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_places),
    cmocka_unit_test(test_times),
    cmocka_unit_test(test_times_that_hardly_meet),
    cmocka_unit_test(test_sequences),
    cmocka_unit_test(test_sequences_with_little_in_common),
    cmocka_unit_test(test_sequence_numbers),
    cmocka_unit_test(test_steps),
    cmocka_unit_test(test_forced),
};
GROUP(collective, NULL, NULL)
