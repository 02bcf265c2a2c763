/* Lanes against going through all of them, and that what is open on each nests. */
#include "query/export/lanes.h"

#include "tests/unit/support.h"

#include <string.h>

enum { SLICES = 400, LANES = SLICES + 1 };

static uint32_t random_state = 1;

static int chance(int range)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)range);
}

/* A lane in its simplest form: ends of what is open, the innermost last. */
struct stack {
    int64_t ends[SLICES];
    int count;
};

static uint32_t put(struct stack *stacks, int64_t start, int64_t end)
{
    uint32_t lane = 0;
    for (;; lane++) {
        struct stack *stack = &stacks[lane];
        while (stack->count && stack->ends[stack->count - 1] <= start)
            stack->count--;
        if (!stack->count || stack->ends[stack->count - 1] >= end) {
            stack->ends[stack->count++] = end;
            return lane;
        }
    }
}

static void compare(int longest, int step)
{
    static struct stack stacks[LANES];
    struct lanes lanes = {0};
    int64_t start = 0;
    memset(stacks, 0, sizeof stacks);
    for (int i = 0; i < SLICES; i++) {
        uint32_t lane;
        start += chance(step);
        int64_t end = start + chance(longest);
        lanes_put(&lanes, start, end, &lane);
        assert_int_equal(lane, put(stacks, start, end));
    }
}

static void like_the_simplest(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        compare(1 + chance(60), 1 + chance(8));
}

/* Each sticks out of the one before. */
static void as_many_as_overlap(void **state)
{
    (void)state;
    struct lanes lanes = {0};
    uint32_t lane;
    for (int i = 0; i < 100000; i++) {
        lanes_put(&lanes, i, 1000000 + i, &lane);
        assert_int_equal(lane, i);
    }
    lanes_put(&lanes, 2000000, 2000001, &lane);
    assert_int_equal(lane, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(like_the_simplest),
    cmocka_unit_test(as_many_as_overlap),
};
GROUP(lanes, NULL, NULL)
