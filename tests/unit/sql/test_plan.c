/* Plans of small programs whose paths are found by hand, and predictions about them. */
#include "tests/unit/support.h"

#include "sql/schedule/path.h"
#include "sql/schedule/what_if.h"

#include <string.h>

/* Adds an event of the host; of a call gives its place + 1. */
static uint32_t host(struct schedule *part, int64_t start, int64_t end, bool is_call, unsigned does)
{
    struct host_thread *thread = &part->threads.items[0];
    uint32_t id = 1 + (uint32_t)thread->events.count;
    uint32_t call = 0;
    if (is_call) {
        array_add(&part->calls,
                  (struct call){.id = id, .start = start, .end = end, .does = (uint8_t)does});
        call = (uint32_t)part->calls.count;
    }
    array_add(&thread->events,
              (struct host_event){.start = start, .end = end, .id = id, .call = call});
    return call;
}

static void work(struct schedule *part, uint32_t call, uint32_t stream, int64_t start, int64_t end)
{
    array_add(&part->works, (struct work){.id = 100 + (uint32_t)part->works.count,
                                          .start = start,
                                          .end = end,
                                          .name = 1 + (uint32_t)part->works.count,
                                          .stream = stream & 0xffffff,
                                          .call = call,
                                          .is_inside = true});
}

static struct schedule *part_of(struct plan *plan, int64_t end)
{
    struct schedule *part = plan_add(plan);
    assert_non_null(part);
    array_add(&part->threads, (struct host_thread){.track = 1});
    for (int i = 0; i < 2; i++)
        array_add(&part->streams, (struct stream){.number = i});
    part->end = end;
    part->limits = (struct schedule_limits){10000, 50000, 100000, 1000000};
    return part;
}

/* Two kernels, one behind the other, and a call that waits for them; in microseconds. */
static struct plan *basic(void)
{
    struct plan *plan = memory_zeroed(1, sizeof *plan);
    assert_non_null(plan);
    struct schedule *part = part_of(plan, 240000);
    host(part, 0, 100000, false, 0);
    work(part, host(part, 10000, 20000, true, 0), 0, 25000, 180000);
    host(part, 110000, 200000, false, 0);
    work(part, host(part, 120000, 130000, true, 0), 0, 181000, 230000);
    host(part, 210000, 240000, true, DOES_SYNC_DEVICE);
    plan_order(plan);
    assert_true(plan_make(plan));
    return plan;
}

static struct prediction predict(struct plan *plan, uint32_t first, uint32_t end,
                                 struct factor factor)
{
    struct effect effect;
    struct prediction prediction;
    effect_init(&effect, plan);
    for (uint32_t i = first; i < end; i++)
        effect_work(&effect, 0, i, factor);
    effect_settle(&effect);
    effect_predict(&effect, &prediction);
    effect_free(&effect);
    return prediction;
}

/* The pieces of the path of a plan; the caller frees them. */
static segment_list pieces_of(struct plan *plan, struct path *made)
{
    segment_list pieces = {0};
    *made = (struct path){.pieces = &pieces};
    path_make(plan, made);
    assert_false(made->has_hole);
    for (size_t i = 0; i < pieces.count; i++)
        assert_int_equal(pieces.items[i].from, i ? pieces.items[i - 1].to : made->begin);
    return pieces;
}

static void the_path_has_every_piece(void **state)
{
    (void)state;
    static const struct {
        enum segment_kind kind;
        int64_t from, to;
    } expected[] = {
        {SEGMENT_HOST_OP, 0, 10000},           {SEGMENT_LAUNCH_CALL, 10000, 20000},
        {SEGMENT_LAUNCH, 20000, 25000},        {SEGMENT_COMPUTATION, 25000, 180000},
        {SEGMENT_KERNEL_GAP, 180000, 181000},  {SEGMENT_COMPUTATION, 181000, 230000},
        {SEGMENT_SYNC_RETURN, 230000, 240000},
    };
    struct plan *plan = basic();
    struct path made;
    segment_list path = pieces_of(plan, &made);
    assert_int_equal(path.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < path.count; i++) {
        assert_int_equal(path.items[i].kind, expected[i].kind);
        assert_int_equal(path.items[i].from, expected[i].from);
        assert_int_equal(path.items[i].to, expected[i].to);
    }
    array_free(&path);
    plan_free(plan);
}

static void another_path_binds_when_work_is_faster(void **state)
{
    (void)state;
    struct plan *plan = basic();
    struct prediction one = predict(plan, 0, 1, (struct factor){1, 2});
    assert_int_equal(one.makespan, 240000);
    assert_int_equal(one.after, 222000);
    assert_int_equal(one.on_path, 77500);
    assert_true(one.switches > 0);
    struct prediction same = predict(plan, 0, 2, factor_same);
    assert_int_equal(same.after, 240000);
    assert_int_equal(same.switches, 0);
    plan_free(plan);
}

static int64_t twice_weight(const void *context, const struct tie *edge)
{
    (void)context;
    return 2 * edge->weight;
}

static int64_t twice_lag(const void *context, const struct tie *binding, int64_t lag)
{
    (void)context;
    (void)binding;
    return 2 * lag;
}

static void twice_of_everything_is_twice_as_long(void **state)
{
    (void)state;
    struct plan *plan = basic();
    struct graph_change change = {twice_weight, twice_lag, NULL};
    int64_t *times = memory_zeroed(plan->graph.times.count, sizeof *times);
    graph_ready(&plan->graph);
    assert_int_equal(graph_replay(&plan->graph, &change, times), 0);
    for (size_t i = 0; i < plan->graph.times.count; i++)
        assert_int_equal(times[i], 2 * plan->graph.times.items[i]);
    memory_free(times);
    plan_free(plan);
}

static void host_time_inside_a_call_can_be_faster(void **state)
{
    (void)state;
    struct plan *plan = basic();
    struct effect effect;
    struct prediction prediction;
    effect_init(&effect, plan);
    /* half of what the path has of it, and time that the path has not */
    effect_inside(&effect, (struct inside){0, 0, 110000, 200000, {1, 2}, false});
    effect_inside(&effect, (struct inside){0, 0, 5000, 10000, {0, 1}, false});
    effect_settle(&effect);
    effect_predict(&effect, &prediction);
    assert_int_equal(prediction.after, 235000);
    assert_int_equal(prediction.on_path, 5000);
    effect_free(&effect);
    plan_free(plan);
}

static int64_t without(const struct inside *insides, size_t count)
{
    struct plan *plan = basic();
    struct effect effect;
    struct prediction prediction;
    effect_init(&effect, plan);
    for (size_t i = 0; i < count; i++)
        effect_inside(&effect, insides[i]);
    effect_settle(&effect);
    effect_predict(&effect, &prediction);
    effect_free(&effect);
    plan_free(plan);
    return prediction.after;
}

static void time_that_goes_twice_goes_once(void **state)
{
    (void)state;
    struct inside all[] = {{0, 0, 0, 240000, {0, 1}, true},
                           {0, 0, 1000, 2000, {0, 1}, true},
                           {0, 0, 2000, 4000, {0, 1}, true},
                           {0, 0, 3000, 6000, {0, 1}, true}};
    assert_true(without(all, 0) > without(all, 1));
    assert_int_equal(without(all, 4), without(all, 1));
    struct inside halves[] = {{0, 0, 0, 130000, {0, 1}, true},
                              {0, 0, 120000, 240000, {0, 1}, true}};
    assert_int_equal(without(halves, 2), without(all, 1));
}

/* Two ranks with a kernel each before a collective, which the second one reaches later. */
static void add_rank(struct plan *plan, int64_t late)
{
    struct schedule *part = part_of(plan, 60000);
    work(part, host(part, 0, 5000, true, 0), 0, 5000, 20000 + late);
    work(part, host(part, 6000, 9000, true, 0), 0, 20000 + late, 50000);
    part->works.items[1].class = WORK_COMMUNICATION;
}

static void ranks_wait_for_the_last_one(void **state)
{
    (void)state;
    struct plan *plan = memory_zeroed(1, sizeof *plan);
    assert_non_null(plan);
    add_rank(plan, 0);
    add_rank(plan, 7000);
    add_rank(plan, 2000);
    plan_order(plan);
    for (uint32_t rank = 0; rank < 3; rank++) {
        plan_member(plan, 5, rank, 1);
        plan_member(plan, 9, rank, rank == 0 ? 0 : 1); /* they do not overlap */
    }
    assert_true(plan_make(plan));
    assert_int_equal(plan->collectives, 2);
    assert_int_equal(plan->refused, 1);
    assert_int_equal(plan->joins.count, 1);
    const struct join *join = &plan->joins.items[0];
    assert_int_equal(plan->members.items[join->last].part, 1);
    assert_int_equal(join->lead, 5000);
    assert_int_equal(join->wait, 12000);
    assert_int_equal(join->count, 3);
    assert_int_equal(plan->graph.times.items[join->node], 27000);
    struct path made;
    segment_list path = pieces_of(plan, &made);
    const struct segment *last = &path.items[path.count - 1];
    assert_int_equal(last->kind, SEGMENT_TRANSFER);
    assert_int_equal(last->to - path.items[path.count - 2].to, 23000);
    assert_int_equal(path.items[path.count - 2].kind, SEGMENT_COMPUTATION);
    assert_int_equal(path.items[path.count - 2].part, 1);
    array_free(&path);
    struct effect effect;
    struct prediction prediction;
    effect_init(&effect, plan);
    effect_work(&effect, 1, 0, (struct factor){0, 1});
    effect_settle(&effect);
    effect_predict(&effect, &prediction);
    assert_int_equal(prediction.makespan - prediction.after, 5000);
    effect_free(&effect);
    plan_free(plan);
}

/* Two collectives that two ranks have in another order, one where the other ends. */
static void ranks_in_another_order_lose_the_later_join(void **state)
{
    (void)state;
    struct plan *plan = memory_zeroed(1, sizeof *plan);
    assert_non_null(plan);
    for (int rank = 0; rank < 2; rank++) {
        struct schedule *part = part_of(plan, 60000);
        work(part, host(part, 0, 5000, true, 0), 0, 5000, 20000);
        work(part, host(part, 6000, 9000, true, 0), 0, 20000, 50000);
    }
    plan_order(plan);
    for (uint32_t rank = 0; rank < 2; rank++) {
        plan_member(plan, 1, rank, rank);
        plan_member(plan, 2, rank, 1 - rank);
    }
    assert_true(plan_make(plan));
    assert_int_equal(plan->crossed, 1);
    assert_int_equal(plan->joins.count, 1);
    assert_int_equal(plan->graph.ordered, plan->graph.times.count);
    struct path made;
    segment_list path = pieces_of(plan, &made);
    assert_int_equal(made.begin, 0);
    assert_int_equal(path.items[path.count - 1].to, plan->graph.times.items[plan->sink]);
    array_free(&path);
    plan_free(plan);
}

/* ------------------------------------------------------------------ several threads */

static struct schedule *part_of_threads(struct plan *plan, int count)
{
    struct schedule *part = part_of(plan, 0);
    while ((int)part->threads.count < count)
        array_add(&part->threads, (struct host_thread){.track = 1});
    for (int i = 0; i < count; i++)
        assert_non_null(part->threads.items[i].process = memory_text("1"));
    return part;
}

/* Adds what a thread does: a call at its start, which launches a kernel, or an op. */
static void busy(struct schedule *part, uint32_t thread, int64_t start, int64_t end, bool launches)
{
    uint32_t call = 0;
    if (launches) {
        struct call made = {.id = 1 + (uint32_t)start, .start = start, .end = end};
        made.thread = thread & 0x7fffff;
        array_add(&part->calls, made);
        call = (uint32_t)part->calls.count;
        work(part, call, thread % 2, start + 5000, start + 6000);
    }
    struct host_event event = {.start = start, .end = end, .id = 1 + (uint32_t)start, .call = call};
    array_add(&part->threads.items[thread].events, event);
    part->end = end > part->end ? end : part->end;
}

/* Two threads: each is busy for 1 ms, then leaves a hole before the other one. */
static struct plan *in_turn(const int64_t *holes, size_t count, int64_t overlap)
{
    struct plan *plan = memory_zeroed(1, sizeof *plan);
    assert_non_null(plan);
    struct schedule *part = part_of_threads(plan, 2);
    int64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        busy(part, i % 2, at, at + 1000000 + overlap, true);
        at += 1000000 + holes[i];
    }
    plan_order(plan);
    assert_true(plan_make(plan));
    return plan;
}

static enum schedule_pairs pairs_of(struct plan *plan, size_t *untold)
{
    enum schedule_pairs pairs = plan->parts.items[0].pairs;
    *untold = plan->parts.items[0].untold;
    assert_true(pairs != PAIRS_NONE || !plan->parts.items[0].edges[TIE_HANDOVER]);
    plan_free(plan);
    return pairs;
}

static void threads_that_take_turns_hand_over(void **state)
{
    (void)state;
    static const int64_t soon[] = {1000000, 0, 10, 20, 5000000, 30},
                         late[] = {1000001, 0, 10, 5000000};
    size_t untold;
    assert_int_equal(pairs_of(in_turn(soon, 3, 0), &untold), PAIRS_TURNS);
    assert_int_equal(untold, 0);
    assert_int_equal(pairs_of(in_turn(soon, 6, 0), &untold), PAIRS_TURNS); /* 4 of 5 */
    assert_int_equal(pairs_of(in_turn(late, 4, 0), &untold), PAIRS_NONE);  /* 2 of 3 */
    assert_int_equal(untold, 2);
    assert_int_equal(pairs_of(in_turn(soon, 2, 0), &untold), PAIRS_NONE); /* one change */
    static const int64_t none[] = {0, 0, 0, 0};
    assert_int_equal(pairs_of(in_turn(none, 3, 40000), &untold), PAIRS_NONE);  /* 8 % */
    assert_int_equal(pairs_of(in_turn(none, 4, 30000), &untold), PAIRS_TURNS); /* 4.4 % */
}

/* Arrows and numbers are not asked again, and a pair has one process. */
static void pairs_are_of_one_process_and_told_once(void **state)
{
    (void)state;
    struct plan *plan = memory_zeroed(1, sizeof *plan);
    assert_non_null(plan);
    struct schedule *part = part_of_threads(plan, 3);
    part->threads.items[2].process[0] = '2';
    schedule_pair(part, 0, 2);
    schedule_pair(part, 0, 1);
    schedule_pair(part, 1, 0);
    part->pairs = PAIRS_SEQUENCE;
    for (int i = 0; i < 3; i++)
        assert_int_equal(part->threads.items[i].partners.count, i < 2);
    for (uint32_t i = 0; i < 4; i++)
        busy(part, i % 2, 10000 * (int64_t)i, 10000 * (int64_t)i + 9000, true);
    busy(part, 2, 0, 40000, true);
    plan_order(plan);
    assert_true(plan_make(plan));
    assert_int_equal(plan->parts.items[0].pairs, PAIRS_SEQUENCE);
    assert_true(plan->parts.items[0].edges[TIE_HANDOVER] > 0);
    assert_int_equal(plan->parts.items[0].untold, 2); /* 1 of 5 is launched by the other process */
    plan_free(plan);
}

/* Duration of a program without its kernels, beside a thread that is busy until the end. */
static int64_t beside(bool launches, bool is_paired)
{
    struct plan *plan = memory_zeroed(1, sizeof *plan);
    assert_non_null(plan);
    struct schedule *part = part_of_threads(plan, 2);
    busy(part, 0, 0, 5000, true);
    busy(part, 0, 6000, 8000, true);
    part->works.items[1].end = 50000;
    busy(part, 1, 1000, 49000, launches);
    if (is_paired)
        schedule_pair(part, 0, 1);
    plan_order(plan);
    assert_true(plan_make(plan));
    int64_t after = predict(plan, 0, (uint32_t)part->works.count, (struct factor){0, 1}).after;
    plan_free(plan);
    return after;
}

static void a_thread_that_launches_nothing_holds_nothing_up(void **state)
{
    (void)state;
    assert_true(beside(false, false) < 20000);
    assert_true(beside(true, false) >= 48000);
    assert_true(beside(false, true) >= 48000);
}

static void few_launches_of_another_thread_leave_the_replay(void **state)
{
    (void)state;
    for (size_t launches = 18; launches <= 19; launches++) {
        struct plan *plan = memory_zeroed(1, sizeof *plan);
        assert_non_null(plan);
        struct schedule *part = part_of_threads(plan, 2);
        for (size_t i = 0; i < launches; i++)
            busy(part, 0, (int64_t)i * 10000, (int64_t)i * 10000 + 9000, true);
        busy(part, 1, 0, 100000, true);
        plan_order(plan);
        assert_true(plan_make(plan));
        assert_int_equal(plan->parts.items[0].untold, launches == 18 ? 2 : 0); /* 5 % are few */
        plan_free(plan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_path_has_every_piece),
    cmocka_unit_test(another_path_binds_when_work_is_faster),
    cmocka_unit_test(twice_of_everything_is_twice_as_long),
    cmocka_unit_test(host_time_inside_a_call_can_be_faster),
    cmocka_unit_test(time_that_goes_twice_goes_once),
    cmocka_unit_test(ranks_wait_for_the_last_one),
    cmocka_unit_test(ranks_in_another_order_lose_the_later_join),
    cmocka_unit_test(threads_that_take_turns_hand_over),
    cmocka_unit_test(pairs_are_of_one_process_and_told_once),
    cmocka_unit_test(a_thread_that_launches_nothing_holds_nothing_up),
    cmocka_unit_test(few_launches_of_another_thread_leave_the_replay),
};
GROUP(plan, NULL, NULL)
