/* Steps: where a server is busy, windows of its steps, and what repeats where nobody marked steps.
 */
#include "query/split/steps.h"
#include "tests/unit/support.h"

#include <stdio.h>
#include <string.h>

/* Steps from words: "c,g c,g x3 ..." is context and generation requests, and how often. */
static struct steps steps_of(const char *words)
{
    struct steps steps = {0};
    int context, generation, used, times;
    while (sscanf(words, "%d,%d %n", &context, &generation, &used) == 2) {
        words += used;
        times = 1;
        if (sscanf(words, "x%d %n", &times, &used) == 1)
            words += used;
        for (int i = 0; i < times; i++) {
            struct engine_step *step = array_push(&steps.list);
            assert_non_null(step);
            *step = (struct engine_step){.context = context, .generation = generation, .batch = 1};
        }
    }
    return steps;
}

/* Served one after the other: four requests come, and others as these end. */
static const char served[] = "1,0 1,1 1,2 1,3 0,4 x3 1,3 0,4 x4 1,3 0,4 x5 1,3 0,4 x2 0,2 0,1 x7";

static void assert_span(struct span span, size_t first, size_t end)
{
    assert_int_equal(span.first, first);
    assert_int_equal(span.end, end);
}

static void windows_of_a_steady_state(void **state)
{
    (void)state;
    struct steps steps = steps_of(served);
    span_list regions = {0};
    bool is_guess;
    assert_int_equal(steps.list.count, 29);
    steps_regions(&steps, 8, &regions, &is_guess);
    assert_false(is_guess);
    assert_int_equal(regions.count, 1);
    assert_span(regions.items[0], 2, 26);
    double share = steps_prefill_share(&steps, &regions);
    assert_true(share > 0.20833 && share < 0.20834);
    struct span region = regions.items[0];
    assert_span(steps_mixed(&steps, region, 8, share), 6, 14);
    assert_span(steps_longest(&steps, region, 8, false), 19, 26);
    assert_span(steps_longest(&steps, region, 8, true), 2, 4);
    assert_span(steps_longest(&steps, region, 3, false), 19, 22);
    assert_span(steps_mixed(&steps, region, 32, share), 2, 26);
    /* all steps as one region, and the share that the load asks for */
    assert_span(steps_mixed(&steps, (struct span){0, 29}, 8, 0.277778), 6, 14);
    array_free(&regions);
    steps_regions(&steps, 32, &regions, &is_guess);
    assert_span(regions.items[0], 2, 26);
    array_free(&regions);
}

static void without_a_steady_state_the_middle_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        size_t wanted, first, end;
    } cases[] = {{"0,4 1,3", 32, 1, 2}, {"0,1", 32, 0, 1}, {"0,1 x5 0,9 0,1 x14", 8, 4, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct steps steps = steps_of(cases[i].words);
        span_list regions = {0};
        bool is_guess;
        steps_regions(&steps, cases[i].wanted, &regions, &is_guess);
        assert_true(is_guess);
        assert_span(regions.items[0], cases[i].first, cases[i].end);
        array_free(&regions);
    }
}

static void regions_end_where_the_load_falls(void **state)
{
    (void)state;
    struct steps steps = steps_of("0,9 x8 0,1 x6 0,9 x7 0,1 x9");
    span_list regions = {0};
    bool is_guess;
    steps_regions(&steps, 8, &regions, &is_guess);
    assert_int_equal(regions.count, 2);
    assert_span(regions.items[0], 0, 13);
    assert_span(regions.items[1], 14, 26);
    array_free(&regions);
}

static void runs_of_one_phase(void **state)
{
    (void)state;
    struct steps steps = steps_of("1,0 1,2 0,3 x2 0,0 0,3 1,1");
    span_list runs = {0};
    struct span all = {0, steps.list.count};
    steps_runs(&steps, all, true, &runs);
    assert_int_equal(runs.count, 4);
    assert_span(runs.items[0], 0, 2);
    assert_span(runs.items[1], 2, 4);
    assert_span(runs.items[2], 5, 6);
    assert_span(runs.items[3], 6, 7);
    runs.count = 0;
    steps_runs(&steps, all, false, &runs);
    assert_int_equal(runs.count, 5);
    array_free(&runs);
    struct span none = steps_longest(&steps, (struct span){4, 5}, 8, true);
    assert_int_equal(none.end, none.first);
}

/* Names are letters. */
static bool find_in(const char *letters, struct repetition *found)
{
    int64_t names[100];
    size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++)
        names[i] = letters[i];
    return repetition_find(names, count, found);
}

static void what_repeats(void **state)
{
    (void)state;
    static const struct {
        const char *letters;
        struct repetition found; /* period 0: nothing */
    } cases[] = {
        {"abcabcabc", {0, 3, 3}},    {"xyababab", {2, 2, 3}},
        {"abab", {0, 0, 0}},         {"", {0, 0, 0}},
        {"aaa", {0, 1, 3}},          {"abcdefg", {0, 0, 0}},
        {"abababxyzuvw", {0, 0, 0}}, {"xaaaaab", {1, 1, 5}},
        {"abcabcabcab", {0, 3, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct repetition found = {0};
        assert_int_equal(find_in(cases[i].letters, &found), cases[i].found.period > 0);
        assert_int_equal(found.start, cases[i].found.start);
        assert_int_equal(found.period, cases[i].found.period);
        assert_int_equal(found.repeats, cases[i].found.repeats);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(windows_of_a_steady_state),
    cmocka_unit_test(without_a_steady_state_the_middle_is_taken),
    cmocka_unit_test(regions_end_where_the_load_falls),
    cmocka_unit_test(runs_of_one_phase),
    cmocka_unit_test(what_repeats),
};
GROUP(steps, NULL, NULL)
