/* Each check of a trace: what it finds, what is just none, and that it says so where there is
 * nothing to look at. */
#include "sql/health/health.h"

#include "tests/unit/support.h"

#include <math.h>

static struct health health;
static struct health_event thread[256], stream[256];
static size_t on_thread, on_stream;
static int64_t last_id;

static int start(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    assert_true(warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &error));
    assert_true(health_open(&health, warehouse.db, &error));
    warehouse_close(&warehouse);
    on_thread = on_stream = 0;
    last_id = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    health_close(&health);
    return 0;
}

/* ------------------------------------------------------------------ a trace */

static struct health_event *host(enum health_kind kind, int64_t at, int64_t duration)
{
    thread[on_thread] = (struct health_event){.start = at,
                                              .duration = duration,
                                              .id = ++last_id,
                                              .correlation = HEALTH_NONE,
                                              .name = 1,
                                              .category = (uint8_t)kind,
                                              .kind = (uint8_t)kind,
                                              .process = 1};
    return &thread[on_thread++];
}

static struct health_event *call(int64_t at, int64_t duration, int64_t correlation, uint8_t flags)
{
    struct health_event *event = host(HEALTH_CALL, at, duration);
    event->correlation = correlation;
    event->flags = flags;
    return event;
}

static struct health_event *work(enum health_kind kind, int64_t at, int64_t duration,
                                 int64_t correlation)
{
    stream[on_stream] = (struct health_event){.start = at,
                                              .duration = duration,
                                              .id = ++last_id,
                                              .correlation = correlation,
                                              .bytes = HEALTH_NONE,
                                              .graph = HEALTH_NONE,
                                              .node = HEALTH_NONE,
                                              .name = 2,
                                              .category = (uint8_t)kind,
                                              .kind = (uint8_t)kind};
    return &stream[on_stream++];
}

static struct health_event *kernel(int64_t at, int64_t duration, int64_t correlation)
{
    return work(HEALTH_KERNEL, at, duration, correlation);
}

static void end_thread(void)
{
    health_track(&health, thread, on_thread, health_take_host);
    on_thread = 0;
}

static void end_stream(void)
{
    health_track(&health, stream, on_stream, health_take_work);
    on_stream = 0;
}

/* Ends what is open, looks, and begins anew: the next trace is another one. */
static const struct health_found *look(enum health_check check)
{
    static struct health_found found;
    end_thread();
    end_stream();
    health_finish(&health);
    found = health.found[check];
    end(NULL);
    start(NULL);
    return &found;
}

static void finds(enum health_check check, int64_t count, int64_t base)
{
    const struct health_found *found = look(check);
    if (found->reason)
        fail_msg("%s: %s", health_check_names[check], found->reason);
    if (found->count != count || found->base != base)
        fail_msg("%s: %lld of %lld, wanted %lld of %lld", health_check_names[check],
                 (long long)found->count, (long long)found->base, (long long)count,
                 (long long)base);
}

static void tells_why(enum health_check check, const char *reason)
{
    const struct health_found *found = look(check);
    assert_non_null(found->reason);
    assert_string_equal(found->reason, reason);
}

/* ------------------------------------------------------------------ times */

static void units(void **state)
{
    (void)state;
    static const struct {
        int64_t duration, count;
    } cases[] = {{100, 0}, {99, 1}, {500000, 0}, {500001, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int launch = 0; launch < 3; launch++)
            call(launch * 1000000, cases[i].duration, launch, HEALTH_LAUNCH);
        finds(HEALTH_TIME_UNIT, cases[i].count, 1);
    }
    for (int i = 0; i < 3; i++)
        call(i * 1000, 50, i, i ? HEALTH_LAUNCH : 0);
    tells_why(HEALTH_TIME_UNIT, "fewer than 3 launch calls were recorded");
    for (int few = 0; few < 3; few++) { /* a cold start: too few, or most of them long */
        for (int i = 0; i < 20 - (few == 2); i++)
            call(i * 1000000, few == 1 && i < 9 ? 5000 : 600000, i, HEALTH_LAUNCH);
        const struct health_found *found = look(HEALTH_TIME_UNIT);
        assert_int_equal(found->count, 1);
        assert_int_equal(found->is_note, few > 0);
    }
}

/* The last two of ten launches have no kernel: the host waits for them, or goes on for long. */
static void lost_at_the_end(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        int kernels = how == 3 ? 6 : 8;
        for (int i = 0; i < 10; i++)
            call(i * 1000, 100, i + 1, HEALTH_LAUNCH);
        for (int i = 0; i < kernels; i++)
            kernel(i * 1000 + 200, 500, i + 1);
        if (how == 1)
            call(10000, 500, 0, HEALTH_SYNC);
        if (how)
            host(HEALTH_OP, how == 3 ? 20000 : 11000, 10);
        finds(HEALTH_KERNELS_LOST, how == 1 ? 2 : how == 3 ? 4 : 0, 10);
    }
}

/* A long first call begins far before the others, and reaches to them. */
static void a_long_first_call(void **state)
{
    (void)state;
    host(HEALTH_OP, 0, 20000000000);
    for (int i = 1; i < 200; i++)
        host(HEALTH_OP, 20000000000 + i * 1000, 10);
    finds(HEALTH_FAR_EVENTS, 0, 199);
}

/* The clock of one event in 200 is another one: the span of the others is 195 us. */
static void far_from_the_others(void **state)
{
    (void)state;
    int64_t room = 10 * 195000 + 1000000000;
    for (int late = 0; late < 2; late++) {
        for (int i = 0; i < 199; i++)
            host(HEALTH_OP, i * 1000, 10);
        host(HEALTH_OP, 197 * 1000 + room + late, 10);
        finds(HEALTH_FAR_EVENTS, late, 200);
    }
    for (int early = 0; early < 2; early++) {
        for (int i = 1; i < 200; i++)
            host(HEALTH_OP, i * 1000, 10);
        host(HEALTH_OP, 2 * 1000 - room - early, 10);
        const struct health_found *found = look(HEALTH_FAR_EVENTS);
        assert_int_equal(found->count, early);
        if (early)
            assert_int_equal(found->example, 200);
    }
    host(HEALTH_OP, 0, 10);
    tells_why(HEALTH_FAR_EVENTS, "fewer than 3 events were recorded");
}

static void no_duration(void **state)
{
    (void)state;
    kernel(1, 0, 1);
    kernel(2001, 5, 2);
    finds(HEALTH_DURATION_ZERO, 1, 2);
    for (int all = 0; all < 2; all++) { /* a clock of microseconds rounds some kernels, not most */
        kernel(1000, 0, 1);
        kernel(2000, 5000, 2);
        kernel(9000, all ? 0 : 5000, 3);
        const struct health_found *found = look(HEALTH_DURATION_ZERO);
        assert_int_equal(found->count, 1 + all);
        assert_int_equal(found->is_note, !all);
    }
    work(HEALTH_ACTIVITY, 1, 0, 1);
    tells_why(HEALTH_DURATION_ZERO, "no kernel was recorded");
}

static void overhead(void **state)
{
    (void)state;
    call(0, 10000, 1, 0);
    health_overhead(&health, -500, 1000); /* half of it before the recording */
    health_overhead(&health, 400, 200);
    finds(HEALTH_PROFILER_OVERHEAD, 60, 1000);
    call(0, 10000, 1, 0);
    finds(HEALTH_PROFILER_OVERHEAD, 0, 1000);
    host(HEALTH_OP, 0, 10000);
    tells_why(HEALTH_PROFILER_OVERHEAD, "no call or GPU activity was recorded");
}

/* ------------------------------------------------------------------ the host */

static void overlaps_on_a_thread(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        host(HEALTH_OP, 5000, 6000 + more);
        host(HEALTH_OP, 0, 10000);
        finds(HEALTH_HOST_OVERLAP, more, 2);
    }
    host(HEALTH_OP, 0, 10000);
    end_thread();
    host(HEALTH_OP, 5000, 9000);
    finds(HEALTH_HOST_OVERLAP, 0, 2);
    host(HEALTH_FRAME, 0, 10000);
    host(HEALTH_FRAME, 5000, 9000);
    tells_why(HEALTH_HOST_OVERLAP, "no op or call was recorded");
}

static void the_same_twice(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        call(1, 10, 7, 0);
        call(1, 10, 8 - same, 0);
        finds(HEALTH_DUPLICATE_EVENTS, same, 2);
    }
    for (int same = 0; same < 2; same++) {
        host(HEALTH_OP, 1, 10)->ids = 3;
        host(HEALTH_OP, 1, 10)->ids = 4 - (uint32_t)same;
        finds(HEALTH_DUPLICATE_EVENTS, same, 2);
    }
    for (int coarse = 0; coarse < 2; coarse++) { /* without ids */
        host(HEALTH_OP, coarse ? 1000 : 1, 1000);
        host(HEALTH_OP, coarse ? 1000 : 1, 1000);
        finds(HEALTH_DUPLICATE_EVENTS, !coarse, 2);
    }
    host(HEALTH_OP, 1, 0);
    host(HEALTH_OP, 1, 0);
    finds(HEALTH_DUPLICATE_EVENTS, 0, 2);
    for (int i = 0; i < 20; i++) /* many at once: 5 kinds of 4 */
        call(1, 10, i % 5, 0);
    finds(HEALTH_DUPLICATE_EVENTS, 15, 20);
    finds(HEALTH_DUPLICATE_EVENTS, 0, 0);
}

static void shapes_of_some(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        host(HEALTH_OP, i * 100, 10)->has_shapes = i != 1;
    host(HEALTH_OP, 500, 10)->name = 9; /* never has any */
    finds(HEALTH_SHAPES_MISSING, 1, 3);
    host(HEALTH_OP, 0, 10);
    tells_why(HEALTH_SHAPES_MISSING, "no shapes were recorded (record_shapes=True)");
}

static void processes(void **state)
{
    (void)state;
    for (uint32_t process = 1; process < 4; process++)
        host(HEALTH_OP, process, 10)->process = process % 2;
    finds(HEALTH_PROCESSES_MERGED, 1, 1);
    host(HEALTH_OP, 0, 10);
    finds(HEALTH_PROCESSES_MERGED, 0, 1);
    call(0, 10, 1, 0);
    tells_why(HEALTH_PROCESSES_MERGED, "no op was recorded");
}

/* ------------------------------------------------------------------ streams */

static void overlaps_on_a_stream(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        kernel(0, 100000, 1);
        kernel(80000 - more, 100000, 2);
        finds(HEALTH_STREAM_OVERLAP, more, 2);
    }
    call(0, 10, 1, HEALTH_LAUNCH | HEALTH_GRAPH); /* nodes of a graph run side by side */
    end_thread();
    kernel(0, 100000, 1);
    kernel(10, 100000, 1);
    finds(HEALTH_STREAM_OVERLAP, 0, 2);
    kernel(0, 100000, 1);
    end_stream();
    kernel(10, 100000, 2);
    finds(HEALTH_STREAM_OVERLAP, 0, 2);
    work(HEALTH_ACTIVITY, 0, 10, 1);
    tells_why(HEALTH_STREAM_OVERLAP, "no kernel was recorded");
}

static void before_its_launch(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        call(5000, 100, 1, HEALTH_LAUNCH);
        end_thread();
        kernel(4000 - more, 100, 1);
        finds(HEALTH_KERNEL_BEFORE_LAUNCH, more, 1);
    }
    call(5000, 100, 1, HEALTH_LAUNCH);
    end_thread();
    kernel(0, 100, 2);
    tells_why(HEALTH_KERNEL_BEFORE_LAUNCH, "no launch call of a GPU activity was recorded");
}

static void synchronized(int64_t until, int devices)
{
    call(0, 1000, 1, HEALTH_LAUNCH);
    call(500, 10, 2, HEALTH_SYNC); /* began before the launch had ended */
    call(2000, 1000, 3, HEALTH_SYNC);
    end_thread();
    for (int i = 0; i < devices; i++)
        kernel(1000, until - 1000, 1)->device = i;
}

static void after_a_wait(void **state)
{
    (void)state;
    static const char unknown[] =
        "no device synchronization of a process with one device was recorded";
    for (int more = 0; more < 2; more++) {
        synchronized(23000 + more, 1);
        finds(HEALTH_KERNEL_AFTER_SYNC, more, 1);
    }
    synchronized(90000, 2);
    tells_why(HEALTH_KERNEL_AFTER_SYNC, unknown);
    call(0, 1000, 1, HEALTH_LAUNCH);
    end_thread();
    kernel(1000, 100, 1);
    tells_why(HEALTH_KERNEL_AFTER_SYNC, unknown);
}

static void rates_of_copies(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct health_event *copy = work(HEALTH_ACTIVITY, 1, 1000 - more, 1);
        copy->bytes = 1000000;
        copy->flags = HEALTH_HOST_COPY;
        finds(HEALTH_COPY_RATE, more, 1);
    }
    struct health_event *copy = work(HEALTH_ACTIVITY, 1, 1, 1);
    copy->bytes = 999999;
    copy->flags = HEALTH_HOST_COPY;
    work(HEALTH_ACTIVITY, 5, 1, 1)->bytes = 1000000; /* not of the host */
    tells_why(HEALTH_COPY_RATE, "no copy of 1 MB and more between host and device was recorded");
}

/* ------------------------------------------------------------------ launches */

static void without_a_kernel(void **state)
{
    (void)state;
    static const struct {
        enum health_check check;
        int64_t lost; /* the launch without a kernel; those with one are 5 and 10 */
    } cases[] = {{HEALTH_KERNELS_LOST, 7}, {HEALTH_CARRIED_OUT, 11}};
    for (int i = 0; i < 2; i++)
        for (int is_lost = 0; is_lost < 2; is_lost++) {
            call(0, 10, 5, HEALTH_LAUNCH);
            call(100, 10, cases[i].lost, is_lost ? HEALTH_LAUNCH : 0); /* a set counts never */
            call(200, 10, 10, HEALTH_LAUNCH);
            end_thread();
            kernel(300, 10, 5);
            kernel(400, 10, 10);
            finds(cases[i].check, is_lost, 2 + is_lost);
        }
    call(0, 10, 5, HEALTH_LAUNCH);
    finds(HEALTH_GPU_MISSING, 1, 1);
    call(0, 10, 5, HEALTH_LAUNCH);
    tells_why(HEALTH_KERNELS_LOST, "no GPU activity was recorded");
    kernel(0, 10, 5);
    tells_why(HEALTH_GPU_MISSING, "no runtime call was recorded");
}

static void in_a_capture(void **state)
{
    (void)state;
    call(0, 10, 1, HEALTH_CAPTURE_BEGIN);
    call(100, 10, 2, HEALTH_LAUNCH);
    call(200, 10, 3, HEALTH_CAPTURE_END);
    call(300, 10, 4, HEALTH_LAUNCH);
    end_thread();
    call(100, 10, 5, HEALTH_LAUNCH); /* another thread runs on */
    finds(HEALTH_GPU_MISSING, 2, 2);
}

/* Calls have 5 and 9; busy are 100 ns. */
static void without_a_call(void **state)
{
    (void)state;
    static const struct {
        int64_t id;
        enum health_check check;
    } cases[] = {{4, HEALTH_CARRIED_IN},
                 {7, HEALTH_CALLS_LOST},
                 {11, HEALTH_CALLS_LOST},
                 {0, HEALTH_CORRELATION_MISSING},
                 {HEALTH_NONE, HEALTH_CORRELATION_MISSING}};
    static const enum health_check checks[] = {HEALTH_CARRIED_IN, HEALTH_CALLS_LOST,
                                               HEALTH_CORRELATION_MISSING};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            call(0, 10, 5, HEALTH_LAUNCH);
            call(100, 10, 9, 0);
            end_thread();
            kernel(1000, 75, 5);
            kernel(2000, 25, cases[i].id);
            const struct health_found *found = look(checks[k]);
            assert_null(found->reason);
            assert_int_equal(found->base, 2);
            assert_int_equal(found->count, checks[k] == cases[i].check);
            if (found->count && checks[k] == HEALTH_CARRIED_IN)
                assert_true(fabs(found->share - 0.25) < 1e-9);
        }
    call(0, 10, 5, 0);
    tells_why(HEALTH_CARRIED_IN, "no GPU activity was recorded");
    kernel(0, 10, 5);
    tells_why(HEALTH_CORRELATION_MISSING, "no runtime call was recorded");
}

/* Calls that have no number do not launch what has none. */
static void without_a_number(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        call(0, 10, 0, HEALTH_LAUNCH);
        call(100, 10, 0, HEALTH_LAUNCH);
        call(200, 10, 3, HEALTH_LAUNCH);
        end_thread();
        kernel(1000, 10, 0);
        kernel(2000, 10, 3);
        if (i)
            finds(HEALTH_CORRELATION_REUSED, 0, 1);
        else
            finds(HEALTH_CORRELATION_MISSING, 1, 2);
    }
}

static void numbers_of_several(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        call(0, 10, 5, HEALTH_LAUNCH);
        call(100, 10, 6 - same, HEALTH_LAUNCH);
        finds(HEALTH_CORRELATION_REUSED, same, 2 - same);
    }
    call(0, 10, 5, HEALTH_LAUNCH);
    call(0, 10, 5, HEALTH_LAUNCH); /* the same one twice */
    finds(HEALTH_CORRELATION_REUSED, 0, 1);
    call(0, 10, 5, 0);
    tells_why(HEALTH_CORRELATION_REUSED, "no launch call with an id was recorded");
}

static void replay(int64_t correlation, int nodes, bool has_ids)
{
    for (int node = 0; node < nodes; node++) {
        struct health_event *event = kernel(correlation * 1000 + node * 10, 5, correlation);
        event->node = node;
        event->graph = has_ids ? 1 : HEALTH_NONE;
    }
}

static void parts_of_graphs(void **state)
{
    (void)state;
    for (int missing = 0; missing < 4; missing += 3) { /* of 3 nodes: none, or all of a replay */
        for (int i = 1; i <= 3; i++)
            call(i * 100, 10, i, HEALTH_GRAPH);
        end_thread();
        replay(1, 3, true);
        replay(2, 3, true);
        replay(3, 3 - missing, true);
        finds(HEALTH_GRAPH_REPLAY_PARTIAL, missing > 0, 3);
    }
    for (int i = 1; i <= 2; i++)
        call(i * 100, 10, i, HEALTH_GRAPH);
    end_thread();
    replay(1, 3, true);
    replay(2, 2, true);
    finds(HEALTH_GRAPH_REPLAY_PARTIAL, 1, 2);
    call(100, 10, 1, HEALTH_GRAPH);
    end_thread();
    replay(1, 3, false);
    tells_why(HEALTH_GRAPH_REPLAY_PARTIAL, "the file has no ids of graphs");
    call(100, 10, 1, HEALTH_GRAPH);
    end_thread();
    kernel(200, 10, 1);
    tells_why(HEALTH_GRAPH_REPLAY_PARTIAL, "no graph launch with ids of its nodes was recorded");
}

/* ------------------------------------------------------------------ steps */

static void gaps_of_steps(void **state)
{
    (void)state;
    static const int64_t numbers[2][4] = {{5, 3, 4, 4}, {6, 3, 8, 3}};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++)
            health_step(&health, numbers[i][k], numbers[i][k] * 1000, 900);
        finds(HEALTH_STEP_GAP, i ? 3 : 0, i ? 6 : 3);
    }
    tells_why(HEALTH_STEP_GAP, "no profiler steps were marked (profiler.step())");
}

/* Four steps, the last with `count` of 10 GPU activities. */
static void steps_with_work(int count)
{
    for (int step = 0; step < 4; step++) {
        health_step(&health, step, step * 10000, 9000);
        for (int i = 0; i < (step < 3 ? 10 : count); i++) {
            call(step * 10000 + i * 100, 10, step * 100 + i + 1, HEALTH_LAUNCH);
            kernel(step * 10000 + i * 100 + 50, 10, step * 100 + i + 1);
        }
    }
    end_thread();
}

static void cut_steps(void **state)
{
    (void)state;
    for (int missing = 5; missing < 7; missing++) {
        steps_with_work(10 - missing);
        finds(HEALTH_STEP_CUT, missing > 5, 4);
    }
    health_step(&health, 1, 0, 10);
    tells_why(HEALTH_STEP_CUT, "fewer than 3 steps with GPU activities were recorded");
}

static void warm_up(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        health_step(&health, 1, 0, 2000 + more);
        health_step(&health, 2, 5000, 1000);
        health_step(&health, 3, 8000, 1000);
        finds(HEALTH_STEP_WARMUP, more, 1);
    }
    health_step(&health, 1, 0, 9000);
    health_step(&health, 2, 9000, 10);
    tells_why(HEALTH_STEP_WARMUP, "fewer than 3 steps were recorded");
}

/* ------------------------------------------------------------------ names */

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned flags;
    } cases[] = {{"cudaLaunchKernel", HEALTH_LAUNCH},
                 {"cudaLaunchKernel_v7000", HEALTH_LAUNCH},
                 {"cudaLaunchKernel_ptsz_v7000", HEALTH_LAUNCH},
                 {"cudaLaunchKernel_v", 0},
                 {"hipGraphLaunch", HEALTH_GRAPH},
                 {"cudaDeviceSynchronize", HEALTH_SYNC},
                 {"cudaStreamSynchronize", 0},
                 {"cudaStreamBeginCapture_v10000", HEALTH_CAPTURE_BEGIN},
                 {"hipStreamEndCapture", HEALTH_CAPTURE_END},
                 {"Memcpy HtoD (Pinned -> Device)", HEALTH_HOST_COPY},
                 {"Memcpy DtoD (Device -> Device)", 0},
                 {"ProfilerStep#12", HEALTH_STEP},
                 {"_v1", 0},
                 {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (health_flags(&health, view_of(cases[i].name)) != cases[i].flags)
            fail_msg("%s: %d", cases[i].name, health_flags(&health, view_of(cases[i].name)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

static const struct CMUnitTest tests[] = {
    TEST(units),
    TEST(far_from_the_others),
    TEST(a_long_first_call),
    TEST(lost_at_the_end),
    TEST(no_duration),
    TEST(overhead),
    TEST(overlaps_on_a_thread),
    TEST(the_same_twice),
    TEST(shapes_of_some),
    TEST(processes),
    TEST(overlaps_on_a_stream),
    TEST(before_its_launch),
    TEST(after_a_wait),
    TEST(rates_of_copies),
    TEST(without_a_kernel),
    TEST(in_a_capture),
    TEST(without_a_call),
    TEST(without_a_number),
    TEST(numbers_of_several),
    TEST(parts_of_graphs),
    TEST(gaps_of_steps),
    TEST(cut_steps),
    TEST(warm_up),
    TEST(names),
};
GROUP(health, NULL, NULL)
