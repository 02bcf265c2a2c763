/* Grafts: which recorded op gets which work of a replayed graph, what stays as it was, and that
 * all slices have their own times in the end. */
#include "tests/unit/capture.h"

#define STEP(tokens)                                                                       \
    "execute_" #tokens "_context_1(sq" #tokens "sk8sqsq64sqsk64)_generation_0(sq0sk0sqsq0" \
    "sqsk0)"
#define REPLAY(ts, id) HOST("cuda_runtime", "hipGraphLaunch", ts, 30, "'correlation':" #id)

/* A capture of three ops, which say what they launch. */
static void write_capture(const char *folder, const char *name)
{
    WRITE(folder, name, BEGIN(1000), OP("mm", 1100, 8), LAUNCH("gemm", 1110), OP("relu", 1200, 8),
          LAUNCH("relu_k", 1210), OP("mm2", 1300, 8), LAUNCH("gemm2", 1310), END(6000));
}

/* Reads a trace and merges the captures of a folder into it. */
#define MERGE(trace, folder, ...) \
    merge_events(trace, folder, NULL, (const char *const[]){__VA_ARGS__, NULL})
static void merge_events(struct trace *trace, const char *folder, const struct recorded *recorded,
                         const char *const *events)
{
    struct captures captures;
    struct merged merged;
    struct error error = {0};
    open_captures(&captures, folder);
    read_list(trace, events);
    if (recorded)
        array_add(&trace->recorded, *recorded);
    memset(trace->hash, '0', sizeof trace->hash - 1);
    link_trace(trace);
    if (!captures_merge(&captures, trace, &merged, &error))
        fail_msg("%s", error.text);
    tree_build(trace, TREE_LONGEST_FIRST);
    captures_settle(trace, &merged);
    merged_free(&merged);
    captures_close(&captures);
    assert_preorder(trace);
}

static void assert_launcher(const struct trace *trace, uint32_t uid, const char *expected)
{
    int64_t launcher = launcher_of(trace, uid);
    assert_true(launcher >= 0);
    assert_string_equal(name_of(trace, (uint32_t)launcher), expected);
}

static void assert_counts(const struct trace *trace, int64_t merged, int64_t left)
{
    assert_int_equal(trace->notes.entries[NOTE_GRAPH_MERGED].count, merged);
    assert_int_equal(trace->notes.entries[NOTE_GRAPH_WITHOUT_CAPTURE].count, left);
}

static void assert_times(const struct trace *trace, uint32_t uid, int64_t start_us, int64_t dur_us)
{
    assert_int_equal(slice_of(trace, uid)->start, start_us * 1000);
    assert_int_equal(slice_of(trace, uid)->duration, dur_us * 1000);
}

/* ------------------------------------------------------------------ merging */

enum { MARK_UID, BEFORE, LAUNCH_UID, FIRST, SECOND, THIRD, AFTER, ADDED };

static void work_becomes_that_of_recorded_ops(void **state)
{
    (void)state;
    struct trace trace;
    write_capture("whole", "a.json");
    MERGE(&trace, "whole", MARK(STEP(8), 0, 100000), OP("before", 10, 8), REPLAY(100, 5),
          WORK("gemm", 7, 140, 10, 5), WORK("relu_k", 7, 160, 11, 5), WORK("gemm2", 7, 180, 12, 5),
          OP("after", 50000, 8));
    assert_counts(&trace, 1, 0);
    assert_launcher(&trace, FIRST, "mm");
    assert_launcher(&trace, SECOND, "relu");
    assert_launcher(&trace, THIRD, "mm2");
    /* ops stand below the launch, in places behind those of the file */
    assert_int_equal(trace.slices.count, ADDED + 6);
    assert_string_equal(name_of(&trace, ADDED), "mm");
    assert_int_equal(parent_of(&trace, ADDED), LAUNCH_UID);
    assert_int_equal(parent_of(&trace, ADDED + 1), ADDED);
    assert_int_equal(parent_of(&trace, FIRST), ADDED + 1);
    assert_int_equal(parent_of(&trace, AFTER), -1);
    /* slices have their own times, recorded ones that of the launch */
    assert_times(&trace, BEFORE, 10, 50);
    assert_times(&trace, LAUNCH_UID, 100, 30);
    assert_times(&trace, ADDED, 100, 30);
    assert_times(&trace, FIRST, 140, 10);
    assert_times(&trace, AFTER, 50000, 50);
    assert_string_not_equal(trace.hash, "00000000000000000000000000000000");
    trace_free(&trace);
}

static void signatures_come_along(void **state)
{
    (void)state;
    struct trace trace;
    write_capture("signatures", "a.json");
    MERGE(&trace, "signatures", MARK(STEP(8), 0, 100000), OP("mm", 10, 8), REPLAY(100, 5),
          WORK("gemm", 7, 140, 10, 5), WORK("relu_k", 7, 160, 11, 5), WORK("gemm2", 7, 180, 12, 5));
    const struct slice *own = slice_of(&trace, 1), *added = slice_of(&trace, 6);
    assert_string_equal(name_of(&trace, 6), "mm");
    assert_int_equal(added->op, own->op); /* the same, with numbers of this trace */
    assert_true(added->op > 0);
    trace_free(&trace);
}

/* Ops that the file itself says were recorded have places of their own, too. */
static void nothing_added_stands_in_the_same_place(void **state)
{
    (void)state;
    struct trace trace;
    enum { RECORDED = 1, RECORDED_WORK = 3, IN_FILE = 10, BY_FILE = 1, BY_CAPTURES = 12 };
    write_capture("places", "a.json");
    merge_events(&trace, "places", &(struct recorded){RECORDED_WORK, RECORDED},
                 (const char *const[]){MARK(STEP(8), 0, 100000), OP("mm", 10, 8),
                                       CALL("own", 200000, "'correlation':9"),
                                       WORK("own", 7, 200100, 10, 9), REPLAY(100, 5),
                                       WORK("gemm", 7, 140, 10, 5), WORK("gemm2", 7, 180, 12, 5),
                                       REPLAY(1000, 6), WORK("gemm", 7, 1040, 10, 6),
                                       WORK("gemm2", 7, 1080, 12, 6), NULL});
    assert_counts(&trace, 2, 0);
    assert_int_equal(trace.slices.count, IN_FILE + BY_FILE + BY_CAPTURES);
    for (uint32_t uid = 0; uid < trace.slices.count; uid++)
        slice_of(&trace, uid);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ which call is which work */

static void calls_without_work_are_passed_over(void **state)
{
    (void)state;
    struct trace trace;
    write_capture("fewer", "a.json");
    MERGE(&trace, "fewer", MARK(STEP(8), 0, 100000), REPLAY(100, 5), WORK("gemm", 7, 140, 10, 5),
          WORK("gemm2", 7, 180, 12, 5));
    assert_launcher(&trace, 2, "mm");
    assert_launcher(&trace, 3, "mm2");
    trace_free(&trace);
}

static void another_order_is_put_right_by_name(void **state)
{
    (void)state;
    struct trace trace;
    write_capture("order", "a.json");
    MERGE(&trace, "order", MARK(STEP(8), 0, 100000), REPLAY(100, 5), WORK("gemm2", 7, 140, 10, 5),
          WORK("relu_k", 7, 160, 10, 5), WORK("gemm", 7, 180, 12, 5));
    assert_launcher(&trace, 2, "mm2");
    assert_launcher(&trace, 3, "relu");
    assert_launcher(&trace, 4, "mm");
    trace_free(&trace);
}

static void streams_are_queues(void **state)
{
    (void)state;
    struct trace trace;
    write_capture("streams", "a.json");
    MERGE(&trace, "streams", MARK(STEP(8), 0, 100000), REPLAY(100, 5),
          WORK("relu_k", 8, 140, 10, 5), WORK("gemm", 7, 160, 10, 5), WORK("gemm2", 7, 180, 12, 5));
    assert_launcher(&trace, 2, "relu");
    assert_launcher(&trace, 3, "mm");
    assert_launcher(&trace, 4, "mm2");
    trace_free(&trace);
}

static void what_does_not_fit_stays_as_it_was(void **state)
{
    (void)state;
    struct trace trace;
    write_capture("unfit", "a.json");
    MERGE(&trace, "unfit", MARK(STEP(8), 0, 100000), REPLAY(100, 5), WORK("gemm", 7, 140, 10, 5),
          WORK("stranger", 7, 160, 11, 5), WORK("gemm2", 7, 180, 12, 5));
    assert_counts(&trace, 0, 1);
    assert_int_equal(trace.slices.count, 5);
    assert_launcher(&trace, 2, "hipGraphLaunch");
    assert_times(&trace, 1, 100, 30);
    assert_string_equal(trace.hash, "00000000000000000000000000000000");
    trace_free(&trace);
}

/* ------------------------------------------------------------------ which capture */

static void write_sized(const char *name, const char *mark, const char *op)
{
    WRITE("sizes", name, mark, BEGIN(1000), op, LAUNCH("k", 1110), END(2000));
}

static void the_smallest_with_room_is_taken(void **state)
{
    (void)state;
    struct trace trace;
    write_sized("a.json", MARK("capture_64_x", 1, 2), OP("of 64", 1100, 1));
    write_sized("b.json", MARK("capture_8_x", 1, 2), OP("of 8", 1100, 1));
    write_sized("c.json", MARK("capture_16_x", 1, 2), OP("of 16", 1100, 1));
    MERGE(&trace, "sizes", MARK(STEP(8), 0, 900), REPLAY(100, 5), WORK("k", 7, 200, 10, 5),
          MARK(STEP(9), 1000, 900), REPLAY(1100, 6), WORK("k", 7, 1200, 10, 6),
          MARK(STEP(65), 2000, 900), REPLAY(2100, 7), WORK("k", 7, 2200, 10, 7), REPLAY(9000, 8),
          WORK("k", 7, 9200, 10, 8));
    assert_launcher(&trace, 2, "of 8");
    assert_launcher(&trace, 5, "of 16");
    assert_launcher(&trace, 8, "hipGraphLaunch");  /* too many tokens */
    assert_launcher(&trace, 10, "hipGraphLaunch"); /* outside of steps */
    assert_counts(&trace, 2, 2);
    trace_free(&trace);
}

static void pieces_go_by_their_place(void **state)
{
    (void)state;
    struct trace trace;
    WRITE("places", "a.json", BEGIN(1000), OP("one", 1100, 8), LAUNCH("k", 1110), END(2000),
          BEGIN(3000), OP("two", 3100, 8), LAUNCH("k", 3110), END(4000));
    MERGE(&trace, "places", MARK(STEP(8), 0, 9000), REPLAY(100, 5), REPLAY(200, 6),
          WORK("k", 7, 300, 10, 5), WORK("k", 7, 320, 10, 6));
    assert_launcher(&trace, 3, "one");
    assert_launcher(&trace, 4, "two");
    trace_free(&trace);
    MERGE(&trace, "places", MARK(STEP(8), 0, 9000), REPLAY(100, 5), REPLAY(200, 6), REPLAY(300, 7),
          WORK("k", 7, 400, 10, 5), WORK("k", 7, 420, 10, 6), WORK("k", 7, 440, 10, 7));
    assert_counts(&trace, 0, 3); /* two pieces for three launches */
    trace_free(&trace);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(work_becomes_that_of_recorded_ops),
    cmocka_unit_test(signatures_come_along),
    cmocka_unit_test(nothing_added_stands_in_the_same_place),
    cmocka_unit_test(calls_without_work_are_passed_over),
    cmocka_unit_test(another_order_is_put_right_by_name),
    cmocka_unit_test(streams_are_queues),
    cmocka_unit_test(what_does_not_fit_stays_as_it_was),
    cmocka_unit_test(the_smallest_with_room_is_taken),
    cmocka_unit_test(pieces_go_by_their_place),
};
GROUP(graft, NULL, NULL)
