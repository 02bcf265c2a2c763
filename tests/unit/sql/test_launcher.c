/* What launchers kept busy: by hand, and random nesting against a look at every pair. */
#include "sql/launches/launcher.h"

#include "tests/unit/support.h"

#include <string.h>

static uint32_t random_state = 1;

static int chance(int range)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)range);
}

/* ------------------------------------------------------------------ by hand */

static void add(struct launcher_set *set, struct launch launch)
{
    launcher_add(set, &launch);
}

static void assert_launcher(const struct launcher_set *set, size_t index, int64_t id, size_t count,
                            int64_t direct, int64_t below)
{
    const struct launcher *launcher = &set->launchers.items[index];
    assert_int_equal(launcher->id, id);
    assert_int_equal(launcher->count, count);
    assert_int_equal(launcher->direct, direct);
    assert_int_equal(launcher->below, below);
}

/* The vectors of the specification, in its own microseconds. */
static void a_nested_op(void **state)
{
    (void)state;
    struct launcher_set set = {0};
    add(&set, (struct launch){.id = 3,
                              .launcher = 1,
                              .launcher_last = 6,
                              .start = 200,
                              .duration = 10,
                              .is_counted = true});
    add(&set, (struct launch){.id = 6,
                              .launcher = 4,
                              .launcher_last = 6,
                              .start = 205,
                              .duration = 20,
                              .is_counted = true});
    launcher_compute(&set);
    assert_int_equal(set.launchers.count, 2);
    assert_launcher(&set, 0, 1, 1, 10, 25);
    assert_launcher(&set, 1, 4, 1, 20, 20);
    launcher_free(&set);
}

static void a_graph(void **state)
{
    (void)state;
    struct launcher_set set = {0};
    static const int64_t starts[] = {200, 204, 206}, durations[] = {3, 4, 4};
    for (int i = 0; i < 3; i++)
        add(&set, (struct launch){.id = 2 + i,
                                  .launcher = 1,
                                  .launcher_last = 4,
                                  .start = starts[i],
                                  .duration = durations[i],
                                  .stream = i / 2,
                                  .is_counted = true});
    launcher_compute(&set);
    assert_int_equal(set.launchers.count, 1);
    assert_launcher(&set, 0, 1, 3, 9, 9);
    launcher_free(&set);
}

/* They are in the time below, but no launcher's own work. */
static void collectives(void **state)
{
    (void)state;
    struct launcher_set set = {0};
    add(&set, (struct launch){.id = 2,
                              .launcher = 1,
                              .launcher_last = 6,
                              .start = 0,
                              .duration = 10,
                              .is_counted = true});
    add(&set,
        (struct launch){.id = 4, .launcher = 3, .launcher_last = 4, .start = 5, .duration = 10});
    add(&set,
        (struct launch){.id = 6, .launcher = 1, .launcher_last = 6, .start = 30, .duration = 1});
    launcher_compute(&set);
    assert_int_equal(set.launchers.count, 1);
    assert_launcher(&set, 0, 1, 1, 10, 16);
    launcher_free(&set);
}

static void nothing(void **state)
{
    (void)state;
    struct launcher_set set = {0};
    launcher_compute(&set);
    assert_int_equal(set.launchers.count, 0);
    launcher_free(&set);
}

/* ------------------------------------------------------------------ against every pair */

enum { WORK_MAX = 40, DEPTH_MAX = 12, TIMES = 200 };

struct forest {
    struct launch launches[WORK_MAX];
    int64_t lasts[WORK_MAX * 4]; /* of every event */
    int count;
    int64_t next;
};

static void grow(struct forest *self, int64_t *above, int depth)
{
    int64_t id = self->next++;
    above[depth] = id;
    for (int i = chance(4); i > 0 && self->next < WORK_MAX * 3; i--) {
        if (chance(2) && depth + 1 < DEPTH_MAX) {
            grow(self, above, depth + 1);
        } else if (self->count < WORK_MAX) {
            /* mostly the nearest op is the launcher, sometimes one farther up */
            int64_t launcher = chance(5) ? id : above[chance(depth + 1)];
            int64_t own = self->next++;
            self->lasts[own] = own;
            self->launches[self->count++] = (struct launch){.id = own,
                                                            .launcher = launcher,
                                                            .start = chance(TIMES),
                                                            .duration = chance(30),
                                                            .is_counted = chance(4) != 0};
        }
    }
    self->lasts[id] = self->next - 1;
}

/* The time that the chosen work covers, moment by moment. */
static int64_t covered(const struct forest *forest, int64_t launcher, bool below)
{
    bool busy[TIMES + 30] = {0};
    int64_t time = 0;
    for (int i = 0; i < forest->count; i++) {
        const struct launch *launch = &forest->launches[i];
        bool chosen = below ? launch->id >= launcher && launch->id <= forest->lasts[launcher]
                            : launch->launcher == launcher && launch->is_counted;
        for (int64_t at = 0; at < launch->duration && chosen; at++)
            busy[launch->start + at] = true;
    }
    for (int at = 0; at < TIMES + 30; at++)
        time += busy[at];
    return time;
}

static size_t counted(const struct forest *forest, int64_t launcher)
{
    size_t count = 0;
    for (int i = 0; i < forest->count; i++)
        count += forest->launches[i].launcher == launcher && forest->launches[i].is_counted;
    return count;
}

static void assert_order(const struct launcher_set *set, const struct launcher *launcher)
{
    size_t order[WORK_MAX];
    launcher_order(set, launcher, LAUNCHER_BY_START, order);
    for (size_t i = 0; i < launcher->count; i++) {
        const struct launch *launch = &set->launches.items[order[i]];
        assert_true(launch->launcher == launcher->id && launch->is_counted);
        assert_true(
            i == 0 || set->launches.items[order[i - 1]].start < launch->start ||
            (set->launches.items[order[i - 1]].start == launch->start && order[i - 1] < order[i]));
    }
}

static void random_nesting(void **state)
{
    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct forest forest = {.next = 1};
        struct launcher_set set = {0};
        int64_t above[DEPTH_MAX];
        for (int trees = 1 + chance(3); trees > 0; trees--)
            if (forest.next < WORK_MAX * 3)
                grow(&forest, above, 0);
        for (int i = 0; i < forest.count; i++) {
            forest.launches[i].launcher_last = forest.lasts[forest.launches[i].launcher];
            add(&set, forest.launches[i]);
        }
        launcher_compute(&set);
        size_t at = 0;
        for (int64_t id = 1; id < forest.next; id++) {
            if (!counted(&forest, id))
                continue;
            assert_true(at < set.launchers.count);
            assert_launcher(&set, at, id, counted(&forest, id), covered(&forest, id, false),
                            covered(&forest, id, true));
            assert_order(&set, &set.launchers.items[at++]);
        }
        assert_int_equal(at, set.launchers.count);
        launcher_free(&set);
    }
}

/* ------------------------------------------------------------------ many */

/* Each is inside the one before: the time below all of them must not be put together anew for
 * each, or this takes hours. */
static void deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 20000 };
    struct launcher_set set = {0};
    for (int i = 0; i < DEPTH; i++) {
        int64_t start = (int64_t)(i % 2 ? i : DEPTH - i) * 10; /* in no order */
        add(&set, (struct launch){.id = 2 * i + 2,
                                  .launcher = 2 * i + 1,
                                  .launcher_last = 2 * DEPTH,
                                  .start = start + i % 2 * (int64_t)DEPTH * 10,
                                  .duration = 1 + i % 10,
                                  .is_counted = true});
    }
    launcher_compute(&set);
    assert_int_equal(set.launchers.count, DEPTH);
    int64_t below = 0;
    for (int i = DEPTH - 1; i >= 0; i--) {
        below += 1 + i % 10;
        assert_launcher(&set, (size_t)i, 2 * i + 1, 1, 1 + i % 10, below);
    }
    launcher_free(&set);
}

/* A graph may launch any number of kernels, and a file may name them in any order. */
static void much_work_of_one_launcher(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    struct launcher_set set = {0};
    for (int i = 0; i < COUNT; i++)
        add(&set, (struct launch){.id = i + 2,
                                  .launcher = 1,
                                  .launcher_last = COUNT + 1,
                                  .start = (int64_t)(COUNT - i) / 2 * 10,
                                  .duration = 5,
                                  .is_counted = true});
    launcher_compute(&set);
    size_t *order = memory_zeroed(COUNT, sizeof *order);
    assert_non_null(order);
    launcher_order(&set, &set.launchers.items[0], LAUNCHER_BY_START, order);
    for (size_t i = 1; i < COUNT; i++) {
        int64_t before = set.launches.items[order[i - 1]].start;
        int64_t start = set.launches.items[order[i]].start;
        assert_true(before < start || (before == start && order[i - 1] < order[i]));
    }
    assert_launcher(&set, 0, 1, COUNT, (COUNT / 2 + 1) * 5, (COUNT / 2 + 1) * 5);
    memory_free(order);
    launcher_free(&set);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_nested_op),
    cmocka_unit_test(a_graph),
    cmocka_unit_test(collectives),
    cmocka_unit_test(nothing),
    cmocka_unit_test(random_nesting),
    cmocka_unit_test(deep_nesting),
    cmocka_unit_test(much_work_of_one_launcher),
};
GROUP(launcher, NULL, NULL)
