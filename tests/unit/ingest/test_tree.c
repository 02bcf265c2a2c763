/* The call tree: how events nest, what bleeds, how frames are wrapped around, and that the
 * numbering is a preorder whatever the input. */
#include "tests/unit/support.h"

#include "src/base/text.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ writing traces */

static void add_slice(struct text *text, const char *category, const char *name, int thread,
                      long long start_ns, long long end_ns, int correlation)
{
    text_format(text,
                "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,"
                "\"ts\":%lld.%03lld,\"dur\":%lld.%03lld,\"args\":{\"correlation\":%d}}",
                text->count > 1 ? ",\n" : "", category, name, thread, start_ns / 1000,
                start_ns % 1000, (end_ns - start_ns) / 1000, (end_ns - start_ns) % 1000,
                correlation);
}

static void add_op(struct text *text, const char *name, double start, double end)
{
    add_slice(text, "cpu_op", name, 1, (long long)(start * 1000), (long long)(end * 1000), 0);
}

static void add_call(struct text *text, const char *category, double start, double end)
{
    add_slice(text, category, "cudaLaunchKernel", 1, (long long)(start * 1000),
              (long long)(end * 1000), 77);
}

static void add_frame(struct text *text, double start, double end)
{
    add_slice(text, "python_function", "frame", 1, (long long)(start * 1000),
              (long long)(end * 1000), 0);
}

/* A kernel that the call with correlation 77 launched. */
static void add_kernel(struct text *text)
{
    text_format(
        text,
        ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":200,"
        "\"dur\":5,\"args\":{\"correlation\":77}},"
        "{\"ph\":\"s\",\"id\":77,\"pid\":1,\"tid\":1,\"ts\":2,\"cat\":\"ac2g\",\"name\":\"a\"},"
        "{\"ph\":\"f\",\"id\":77,\"pid\":0,\"tid\":7,\"ts\":200,\"cat\":\"ac2g\",\"name\":\"a\"}");
}

static void begin(struct text *text)
{
    text_clear(text);
    text_add_byte(text, '[');
}

static void build(struct trace *trace, struct text *text, enum tree_order order)
{
    text_add_byte(text, ']');
    trace_of_text(trace, text->items, NULL, order);
    assert_preorder(trace);
}

/* ------------------------------------------------------------------ ops and calls */

static void bleeding_a_little_makes_a_sibling(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "A", 0, 100);
    add_op(&text, "B", 10, 50.5);
    add_call(&text, "cuda_runtime", 50, 60);
    add_kernel(&text);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 2), 0);
    assert_int_equal(launcher_of(&trace, 3), 0);
    assert_int_equal(trace.notes.entries[NOTE_LEFT_OUT_OF_TREE].count, 0);
    trace_free(&trace);
    text_free(&text);
}

static void bleeding_more_is_left_out(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "A", 0, 100);
    add_op(&text, "B", 10, 52);
    add_call(&text, "cuda_runtime", 50, 60);
    add_kernel(&text);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 2), -1);
    assert_int_equal(launcher_of(&trace, 3), 2);
    assert_int_equal(parent_of(&trace, 3), 2);
    /* a root, numbered after the tree that it sticks out of */
    assert_int_equal(trace.tree.number[2], 2);
    assert_int_equal(trace.notes.entries[NOTE_LEFT_OUT_OF_TREE].count, 1);
    trace_free(&trace);
    text_free(&text);
}

/* One microsecond is not less than one microsecond, and a root has no sibling to become. */
static void bleeding_has_sharp_edges(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "A", 0, 100);
    add_op(&text, "B", 10, 51);
    add_op(&text, "C", 50, 60);
    add_op(&text, "D", 99.5, 110);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 2), -1);
    assert_int_equal(parent_of(&trace, 3), -1);
    assert_int_equal(trace.notes.entries[NOTE_LEFT_OUT_OF_TREE].count, 2);
    trace_free(&trace);
    text_free(&text);
}

static void the_longer_one_is_outside(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "child", 0, 10);
    add_op(&text, "parent", 0, 100);
    add_call(&text, "cuda_runtime", 2, 5);
    add_kernel(&text);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 0), 1);
    assert_int_equal(parent_of(&trace, 2), 0);
    assert_int_equal(launcher_of(&trace, 3), 0);
    trace_free(&trace);

    /* the reference takes them as they stand: the true parent vanishes */
    trace_of_text(&trace, text.items, NULL, TREE_FILE_ORDER);
    assert_preorder(&trace);
    assert_int_equal(parent_of(&trace, 0), -1);
    assert_int_equal(parent_of(&trace, 1), -1);
    assert_int_equal(trace.notes.entries[NOTE_LEFT_OUT_OF_TREE].count, 1);
    trace_free(&trace);
    text_free(&text);
}

static void launchers_pass_over_execute(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "outer", 0, 100);
    add_op(&text, "execute", 1, 51);
    add_call(&text, "cuda_runtime", 2, 5);
    add_kernel(&text);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 2), 1);
    assert_int_equal(launcher_of(&trace, 3), 0);
    const struct call_slice *call = &trace.calls.items[0];
    assert_int_equal(call->op, 1 + 1);
    assert_false(call->nested);
    trace_free(&trace);
    text_free(&text);
}

static void driver_calls_inside_runtime_calls(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "outer", 0, 100);
    add_slice(&text, "cuda_runtime", "cudaLaunchKernelExC", 1, 1000, 51000, 1);
    add_call(&text, "cuda_driver", 2, 5);
    add_kernel(&text);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 2), 1);
    assert_int_equal(launcher_of(&trace, 3), 0);
    assert_true(trace.calls.items[1].nested); /* the reference stops there */
    trace_free(&trace);
    text_free(&text);
}

static void touching_events_are_siblings(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "A", 0, 10);
    add_op(&text, "B", 10, 20);
    add_op(&text, "empty", 20, 20);
    add_op(&text, "C", 20, 30);
    build(&trace, &text, TREE_LONGEST_FIRST);
    for (uint32_t uid = 0; uid < 4; uid++)
        if (uid != 2)
            assert_int_equal(parent_of(&trace, uid), -1);
    assert_int_equal(parent_of(&trace, 2), 3); /* C starts with it and is longer */
    trace_free(&trace);
    text_free(&text);
}

static void self_time_is_without_children(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "A", 0, 100);
    add_op(&text, "B", 10, 30);
    add_op(&text, "C", 15, 20);
    add_op(&text, "D", 40, 50);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(trace.tree.child_time[0], 30000);
    assert_int_equal(trace.tree.child_time[1], 5000);
    assert_int_equal(trace.tree.child_time[2], 0);
    trace_free(&trace);
    text_free(&text);
}

static void threads_do_not_mix(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_slice(&text, "cpu_op", "A", 1, 0, 100000, 0);
    add_slice(&text, "cpu_op", "B", 2, 10000, 20000, 0);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 1), -1);
    assert_int_equal(trace.tree.tracks.count, 2);
    trace_free(&trace);
    text_free(&text);
}

/* ------------------------------------------------------------------ frames */

static void frames_are_wrapped_around(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_frame(&text, 0, 100);
    add_op(&text, "op", 10, 50);
    add_frame(&text, 20, 40);
    add_op(&text, "inner", 25, 30);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 1), 0);
    assert_int_equal(parent_of(&trace, 2), 1);
    assert_int_equal(parent_of(&trace, 3), 2);
    trace_free(&trace);
    text_free(&text);
}

/* The frame begins a little before the op has ended: it follows the op, and what it calls hangs
 * below it. */
static void a_frame_waits_for_the_op_before_it(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_frame(&text, 0, 100);
    add_op(&text, "before", 10, 50);
    add_op(&text, "innermost", 20, 49.9);
    add_frame(&text, 49.8, 90);
    add_op(&text, "below", 60, 70);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 3), 0);
    assert_int_equal(parent_of(&trace, 4), 3);
    assert_int_equal(trace.notes.entries[NOTE_FRAME_LEFT_OUT_OF_TREE].count, 0);
    trace_free(&trace);
    text_free(&text);
}

static void a_frame_that_sticks_out_far_is_left_out(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    begin(&text);
    add_op(&text, "op", 0, 50);
    add_frame(&text, 20, 80);
    add_op(&text, "inner", 25, 30);
    add_op(&text, "after", 60, 70);
    build(&trace, &text, TREE_LONGEST_FIRST);
    assert_int_equal(parent_of(&trace, 1), -1);
    assert_int_equal(parent_of(&trace, 2), 0);
    assert_int_equal(parent_of(&trace, 3), -1);
    assert_int_equal(trace.notes.entries[NOTE_FRAME_LEFT_OUT_OF_TREE].count, 1);
    trace_free(&trace);
    text_free(&text);
}

/* ------------------------------------------------------------------ any input at all */

static uint32_t seed;

static unsigned random_below(unsigned range)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % range;
}

/* Slices that overlap in every way, on coarse times so that ties are frequent. */
static void add_random_slices(struct text *text, unsigned count, unsigned range)
{
    static const char *const categories[] = {"cpu_op", "python_function", "cuda_runtime", "kernel",
                                             "user_annotation"};
    for (unsigned i = 0; i < count; i++) {
        long long start = random_below(range) * 300ll;
        long long end = start + random_below(range) * (random_below(4) ? 100ll : 700ll);
        add_slice(text, categories[random_below(5)], random_below(9) ? "x" : "execute",
                  (int)random_below(2), start, end, (int)random_below(count));
    }
}

/* Where ops and calls hang when there are no frames, worked out in the plainest way. */
static void plain_parents(const struct trace *trace, int64_t *parents)
{
    size_t count = trace->slices.count;
    uint32_t *order = memory_zeroed(count + 1, sizeof *order);
    uint32_t *stacks[2] = {memory_zeroed(count + 1, sizeof *order),
                           memory_zeroed(count + 1, sizeof *order)};
    size_t depths[2] = {0, 0}, hosts = 0;
    const struct slice *slices = trace->slices.items;
    for (size_t i = 0; i < count; i++) {
        parents[i] = -1;
        enum role role = trace_role(trace, &slices[i]);
        if (role != ROLE_OP && role != ROLE_CALL)
            continue;
        size_t place = hosts++;
        while (place &&
               (slices[order[place - 1]].start > slices[i].start ||
                (slices[order[place - 1]].start == slices[i].start &&
                 (slices[order[place - 1]].duration < slices[i].duration ||
                  (slices[order[place - 1]].duration == slices[i].duration && role == ROLE_OP &&
                   trace_role(trace, &slices[order[place - 1]]) == ROLE_CALL))))) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = (uint32_t)i;
    }
    for (size_t i = 0; i < hosts; i++) {
        const struct slice *slice = &slices[order[i]];
        unsigned which = slice->place == slices[order[0]].place ? 0 : 1;
        uint32_t *stack = stacks[which];
        size_t *depth = &depths[which];
        int64_t end = slice->start + slice->duration;
#define TOP_END (slices[stack[*depth - 1]].start + slices[stack[*depth - 1]].duration)
        while (*depth && slice->start >= TOP_END)
            --*depth;
        if (*depth && end > TOP_END) {
            if (TOP_END - slice->start >= 1000 || *depth < 2)
                continue;
            --*depth;
        }
#undef TOP_END
        if (*depth)
            parents[order[i]] = stack[*depth - 1];
        stack[(*depth)++] = order[i];
    }
    memory_free(order);
    memory_free(stacks[0]);
    memory_free(stacks[1]);
}

static int64_t parent_past_frames(const struct trace *trace, uint32_t slice)
{
    do {
        uint32_t parent = trace->tree.parent[slice];
        if (!parent)
            return -1;
        slice = parent - 1;
    } while (trace_role(trace, &trace->slices.items[slice]) == ROLE_FRAME);
    return slice;
}

static void random_traces_have_a_preorder(void **state)
{
    (void)state;
    struct text text = {0};
    int64_t parents[400];
    for (seed = 1; seed < 400 * 977; seed += 977) {
        struct trace trace;
        uint32_t used = seed;
        begin(&text);
        add_random_slices(&text, 5 + random_below(190), 4 + random_below(60));
        build(&trace, &text, TREE_LONGEST_FIRST);
        plain_parents(&trace, parents);
        for (size_t i = 0; i < trace.slices.count; i++) {
            enum role role = trace_role(&trace, &trace.slices.items[i]);
            if (role == ROLE_OP || role == ROLE_CALL)
                assert_int_equal(parent_past_frames(&trace, (uint32_t)i), parents[i]);
        }
        trace_free(&trace);

        /* without frames, and in the reference's order */
        struct read_options no_frames = {.no_frames = true};
        trace_of_text(&trace, text.items, &no_frames, TREE_LONGEST_FIRST);
        assert_preorder(&trace);
        trace_free(&trace);
        trace_of_text(&trace, text.items, NULL, TREE_FILE_ORDER);
        assert_preorder(&trace);
        trace_free(&trace);
        seed = used;
    }
    text_free(&text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bleeding_a_little_makes_a_sibling),
    cmocka_unit_test(bleeding_more_is_left_out),
    cmocka_unit_test(bleeding_has_sharp_edges),
    cmocka_unit_test(the_longer_one_is_outside),
    cmocka_unit_test(launchers_pass_over_execute),
    cmocka_unit_test(driver_calls_inside_runtime_calls),
    cmocka_unit_test(touching_events_are_siblings),
    cmocka_unit_test(self_time_is_without_children),
    cmocka_unit_test(threads_do_not_mix),
    cmocka_unit_test(frames_are_wrapped_around),
    cmocka_unit_test(a_frame_waits_for_the_op_before_it),
    cmocka_unit_test(a_frame_that_sticks_out_far_is_left_out),
    cmocka_unit_test(random_traces_have_a_preorder),
};
GROUP(tree, NULL, NULL)
