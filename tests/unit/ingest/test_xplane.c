/* Profiles of XLA: planes, lines and events, what stats mean, and what breaks off. */
#include "tests/unit/profile.h"

static const struct label *label_of(const struct trace *trace, enum label_kind kind)
{
    for (size_t i = 0; i < trace->labels.count; i++)
        if (trace->labels.items[i].kind == kind)
            return &trace->labels.items[i];
    fail_msg("no such label");
    return NULL;
}

static void assert_times(const struct trace *trace, uint32_t uid, int64_t start, int64_t duration)
{
    assert_int_equal(slice_of(trace, uid)->start, start);
    assert_int_equal(slice_of(trace, uid)->duration, duration);
}

static enum category category(const struct trace *trace, uint32_t uid)
{
    return (enum category)slice_of(trace, uid)->category;
}

/* ------------------------------------------------------------------ planes, lines, events */

static void lines_are_threads_of_planes(void **state)
{
    (void)state;
    struct text profile = {0}, plane = {0}, line = {0}, event = {0};
    struct trace trace;
    put_event(&line, 1, 7000, 2000, &event);
    put_event(&line, 2, 1500, 2700, &event);
    put_line(&plane, &line, 9, "python", 1000);
    put_type(&plane, 1, "f");
    put_type(&plane, 2, "$g");
    put_plane(&profile, &plane, "/host:CPU");
    read_profile(&trace, &profile);
    /* in the order of their starts, with the rest of nanoseconds beside them */
    assert_int_equal(trace.slices.count, 2);
    assert_name(&trace, 0, "$g");
    assert_times(&trace, 0, 1001, 3);
    assert_int_equal(category(&trace, 0), CATEGORY_FRAME);
    assert_name(&trace, 1, "f");
    assert_times(&trace, 1, 1007, 2);
    assert_int_equal(category(&trace, 1), CATEGORY_OP);
    const struct xla_slice *rest = rows_of(&trace, &xla_event_facts, 1);
    assert_int_equal(rest->start_ps, 500);
    assert_int_equal(rest->duration_ps, -300);
    assert_int_equal(rest->instruction, 0);
    assert_place(&trace, slice_of(&trace, 0)->place, "701", "9");
    assert_text(text_of(&trace, label_of(&trace, LABEL_PROCESS_NAME)->text), "host7 /host:CPU");
    assert_text(text_of(&trace, label_of(&trace, LABEL_THREAD_NAME)->text), "python");
    assert_int_equal(trace.events, 2);
    assert_nothing_noted(&trace);
    trace_free(&trace);
}

static void devices_come_before_hosts(void **state)
{
    (void)state;
    struct text profile = {0}, plane = {0}, line = {0}, event = {0};
    struct trace trace;
    put_event(&line, 1, 0, 2000, &event);
    put_line(&plane, &line, 1, "python", 0);
    put_type(&plane, 1, "f");
    put_plane(&profile, &plane, "/host:CPU");
    static const char *const kernels[] = {"gemm", "MemcpyD2D", "memset32", "Copy.1"};
    for (int i = 0; i < 4; i++) {
        put_event(&line, i + 1, 1000 * i, 900, &event);
        put_type(&plane, i + 1, kernels[i]);
    }
    put_line(&plane, &line, 3, "Stream #3(Kernel)", 50);
    put_event(&line, 1, 0, 100, &event);
    put_line(&plane, &line, 200, "XLA Ops", 50);
    put_integer(&plane, XPLANE_ID, 1);
    put_plane(&profile, &plane, "/device:GPU:4");
    read_profile(&trace, &profile);
    static const enum category expected[] = {CATEGORY_KERNEL, CATEGORY_MEMCPY,   CATEGORY_MEMSET,
                                             CATEGORY_MEMCPY, CATEGORY_GPU_MARK, CATEGORY_OP};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(category(&trace, i), expected[i]);
    assert_int_equal(trace.gpus.count, 4);
    assert_int_equal(trace.gpus.items[0].device, 4); /* of the name */
    assert_int_equal(trace.gpus.items[0].stream, 3);
    assert_place(&trace, slice_of(&trace, 0)->place, "2", "3"); /* of the plane's number */
    trace_free(&trace);
}

static void events_without_a_type_are_noted(void **state)
{
    (void)state;
    struct text profile = {0}, plane = {0}, line = {0}, event = {0};
    struct trace trace;
    put_event(&line, 77, 0, 2000, &event);
    put_event(&line, 2, 0, 2000, &event);
    put_event(&line, 3, 5000, -1000, &event);
    put_line(&plane, &line, 1, "python", 0);
    put_type(&plane, 2, "MapAndBatchProduce"); /* the profiler's own */
    put_type(&plane, 3, "f");
    put_plane(&profile, &plane, "/host:CPU");
    read_profile(&trace, &profile);
    assert_int_equal(trace.slices.count, 2);
    assert_text(intern_view(&trace.strings, slice_of(&trace, 0)->name), "");
    assert_times(&trace, 1, 5, 0);
    assert_int_equal(trace.notes.entries[NOTE_METADATA_MISSING].count, 1);
    assert_int_equal(trace.notes.entries[NOTE_INTERNAL_EVENT].count, 1);
    assert_int_equal(trace.notes.entries[NOTE_DURATION_NEGATIVE].count, 1);
    assert_int_equal(trace.events, 3);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ stats */

enum { CORRELATION = 1, OTHER, STEP_NUMBER, STEP_NAME, PRODUCER, CONSUMER, COPY, OP_NAME, PROGRAM };

static void put_stat_names(struct text *plane)
{
    static const char *const names[] = {
        [CORRELATION] = "correlation_id", [OTHER] = "other",    [STEP_NUMBER] = "step_num",
        [STEP_NAME] = "step_name",        [PRODUCER] = "_p",    [CONSUMER] = "_c",
        [COPY] = "memcpy_details",        [OP_NAME] = "hlo_op", [PROGRAM] = "program_id"};
    for (int i = CORRELATION; i <= PROGRAM; i++)
        put_stat_name(plane, i, names[i]);
}

static void correlations_link_calls_and_work(void **state)
{
    (void)state;
    struct text profile = {0}, plane = {0}, line = {0}, event = {0};
    struct trace trace;
    put_stat(&event, CORRELATION, 31);
    put_stat(&event, OTHER, -2);
    put_event(&line, 1, 0, 2000, &event);
    put_line(&plane, &line, 1, "calls", 0);
    put_type(&plane, 1, "hipModuleLaunchKernel");
    put_stat_names(&plane);
    put_plane(&profile, &plane, "/host:CPU");
    put_stat(&event, CORRELATION, 31);
    put_stat_word(&event, COPY, "kind:1 size:655360 dest:2");
    put_event(&line, 1, 9000, 2000, &event);
    put_line(&plane, &line, 1, "Stream #1", 0);
    put_type(&plane, 1, "copy");
    put_stat_names(&plane);
    put_plane(&profile, &plane, "/device:GPU:0");
    read_profile(&trace, &profile);
    link_trace(&trace);
    assert_int_equal(trace.gpus.items[0].call, 1);
    assert_int_equal(trace.gpus.items[0].bytes, 655360);
    assert_arguments(&trace, 0, "{'memcpy_details':'kind:1 size:655360 dest:2'}");
    assert_arguments(&trace, 1, "{'other':-2}"); /* ids are no arguments */
    assert_int_equal(category(&trace, 1), CATEGORY_RUNTIME);
    trace_free(&trace);
}

static void step_numbers_make_marks(void **state)
{
    (void)state;
    struct text profile = {0}, plane = {0}, line = {0}, event = {0};
    struct trace trace;
    put_stat(&event, STEP_NUMBER, 12);
    put_stat_word(&event, STEP_NAME, "train 12");
    put_event(&line, 1, 0, 2000, &event);
    put_line(&plane, &line, 1, "python", 0);
    put_type(&plane, 1, "train");
    put_stat_names(&plane);
    put_plane(&profile, &plane, "/host:CPU");
    read_profile(&trace, &profile);
    assert_name(&trace, 0, "train 12");
    assert_int_equal(category(&trace, 0), CATEGORY_MARK);
    assert_int_equal(trace.steps.count, 1);
    assert_int_equal(trace.steps.items[0].slice, 0);
    assert_int_equal(trace.steps.items[0].number, 12);
    trace_free(&trace);
}

static void what_one_thread_hands_to_another_is_an_edge(void **state)
{
    (void)state;
    struct text profile = {0}, plane = {0}, line = {0}, event = {0};
    struct trace trace;
    put_stat(&event, CONSUMER, 5);
    put_event(&line, 1, 100000, 2000, &event);
    put_stat(&event, CONSUMER, 6); /* nobody makes it */
    put_event(&line, 1, 200000, 2000, &event);
    put_line(&plane, &line, 2, "worker", 0);
    put_stat(&event, PRODUCER, 5);
    put_event(&line, 1, 0, 2000, &event);
    put_line(&plane, &line, 1, "main", 0);
    put_type(&plane, 1, "f");
    put_stat_names(&plane);
    put_plane(&profile, &plane, "/host:CPU");
    read_profile(&trace, &profile);
    assert_int_equal(trace.edges.count, 1);
    const struct edge *edge = &trace.edges.items[0];
    assert_int_equal(trace.slices.items[edge->from].uid, 0);
    assert_int_equal(trace.slices.items[edge->to].uid, 1);
    assert_int_equal(edge->kind, EDGE_FLOW);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ executions */

static void put_kernels(struct text *profile, const char *const *ops, size_t count)
{
    struct text plane = {0}, line = {0}, event = {0};
    for (size_t i = 0; i < count; i++) {
        put_stat_word(&event, OP_NAME, ops[i]);
        put_stat(&event, PROGRAM, 3);
        put_event(&line, 1 + (int64_t)i % 2, 1000 * (int64_t)i, 900, &event);
    }
    put_line(&plane, &line, 1, "Stream #1", 0);
    put_type(&plane, 1, "first");
    put_type(&plane, 2, "second");
    put_stat_names(&plane);
    put_plane(profile, &plane, "/device:GPU:0");
}

static void put_module(struct text *profile)
{
    static const char *const names[] = {"a", "b"};
    struct text module = {0}, computation = {0}, instruction = {0};
    for (int i = 0; i < 2; i++) {
        put_word(&instruction, INSTRUCTION_NAME, names[i]);
        put_word(&instruction, INSTRUCTION_OPCODE, "add");
        put_integer(&instruction, INSTRUCTION_ID, i + 1);
        put_part(&computation, COMPUTATION_INSTRUCTIONS, &instruction);
    }
    put_integer(&computation, COMPUTATION_ID, 1);
    put_part(&module, MODULE_COMPUTATIONS, &computation);
    put_program(profile, 3, &module);
}

static void kernels_of_one_instruction_may_be_several_executions(void **state)
{
    (void)state;
    struct text profile = {0};
    struct trace trace;
    /* names alternate: two times the two kernels of a, one of b, once more one of a, a stranger */
    static const char *const ops[] = {"a", "a", "a", "a", "b", "a", "c"};
    put_module(&profile);
    put_kernels(&profile, ops, 7);
    read_profile(&trace, &profile);
    const struct xla_slice *rows = rows_of(&trace, &xla_event_facts, 7);
    static const uint32_t instructions[] = {1, 1, 1, 1, 2, 1, 0},
                          executions[] = {1, 1, 2, 2, 1, 3, 0};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(rows[i].slice, i);
        assert_int_equal(rows[i].instruction, instructions[i]);
        assert_int_equal(rows[i].execution, executions[i]);
    }
    assert_int_equal(trace.notes.entries[NOTE_INSTRUCTION_MISSING].count, 1);
    assert_true(trace.slices.items[0].op > 0);
    assert_int_equal(trace.slices.items[6].op, 0);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ odd inputs */

static bool recognised(const char *bytes, size_t length)
{
    return xplane_format.recognises((const unsigned char *)bytes, length);
}

static void profiles_are_known_by_their_first_bytes(void **state)
{
    (void)state;
    assert_true(recognised("\x0A\x04\x08\x01\x12\x00", 6));
    assert_true(recognised("\x0A\x00\x0A\x02\x12\x00", 6)); /* an empty plane comes first */
    assert_true(recognised("\x0A\x0C\x12\x0A/device", 11));
    assert_false(recognised("", 0));
    assert_false(recognised("\n\t{\"traceEvents\":[]}", 20));
    assert_false(recognised("\n[{\"ph\":", 7));
    assert_false(recognised("OP CODE,OP TYPE", 15));
    assert_false(recognised("\x12\x04\x08\x01\x12\x00", 6));
}

/* Wherever a profile breaks off, it is refused with its place, and salvaged if that is wished. */
static void a_profile_may_break_off_anywhere(void **state)
{
    (void)state;
    static const char *const ops[] = {"a", "b", "a"};
    struct text profile = {0};
    size_t most = 0;
    put_module(&profile);
    put_kernels(&profile, ops, 3);
    for (size_t length = 1; length < profile.count; length++) {
        struct trace trace;
        struct error error;
        if (!read_profile_with(&trace, profile.items, length, &usual, &error)) {
            assert_int_equal(error.status, STATUS_BAD_INPUT);
            assert_non_null(strstr(error.text, "host7.xplane.pb: "));
        }
        trace_free(&trace);
        if (read_profile_with(&trace, profile.items, length, &salvage, &error)) {
            assert_true(trace.slices.count >= most); /* the more there is, the more is kept */
            most = trace.slices.count;
        }
        trace_free(&trace);
    }
    assert_true(most > 0);
    text_free(&profile);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lines_are_threads_of_planes),
    cmocka_unit_test(devices_come_before_hosts),
    cmocka_unit_test(events_without_a_type_are_noted),
    cmocka_unit_test(correlations_link_calls_and_work),
    cmocka_unit_test(step_numbers_make_marks),
    cmocka_unit_test(what_one_thread_hands_to_another_is_an_edge),
    cmocka_unit_test(kernels_of_one_instruction_may_be_several_executions),
    cmocka_unit_test(profiles_are_known_by_their_first_bytes),
    cmocka_unit_test(a_profile_may_break_off_anywhere),
};
GROUP(xplane, NULL, NULL)
