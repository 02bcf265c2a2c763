/* Links: who launched what, by arrows, ids or places, and which backward op is of which forward
 * op. */
#include "tests/unit/reading.h"

/* Events: calls stand on thread 2 of process 1, work on streams of process 0. */
#define CALL(name, ts, arguments)                                                                  \
    "{'ph':'X','cat':'cuda_runtime','name':'" name "','pid':1,'tid':2,'ts':" #ts ",'dur':5,'args'" \
    ":{" arguments "}}"
#define WORK(stream, ts, arguments)                                                             \
    "{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':" #stream ",'ts':" #ts ",'dur':5,'args'" \
    ":{" arguments "}}"
#define ID(id) "'correlation':" #id
#define TAIL(kind, id, thread, ts) \
    "{'ph':'s','cat':'" kind "','name':'a','id':" #id ",'pid':1,'tid':" #thread ",'ts':" #ts "}"
#define HEAD(id, stream, ts) \
    "{'ph':'f','cat':'ac2g','name':'a','id':" #id ",'pid':0,'tid':" #stream ",'ts':" #ts "}"
#define OP(name, thread, ts, arguments)                                                          \
    "{'ph':'X','cat':'cpu_op','name':'" name "','pid':1,'tid':" #thread ",'ts':" #ts ",'dur':5," \
    "'args':{" arguments "}}"

#define LONG_OP(name, thread, ts, dur)                                                       \
    "{'ph':'X','cat':'cpu_op','name':'" name "','pid':1,'tid':" #thread ",'ts':" #ts ",'dur" \
    "':" #dur "}"

#define LINK(trace, ...)          \
    do {                          \
        READ(trace, __VA_ARGS__); \
        link_or_fail(trace);      \
    } while (0)

static void link_or_fail(struct trace *trace)
{
    link_trace(trace);
    assert_int_equal(trace->flows.count, 0); /* nobody needs them any more */
    assert_int_equal(trace->sequences.count, 0);
}

/* The call that launched work, by uids; -1 = none. */
static int64_t call_of(const struct trace *trace, uint32_t uid)
{
    uint32_t call = trace->gpus.items[slice_of(trace, uid)->side].call;
    return call ? (int64_t)trace->slices.items[trace->calls.items[call - 1].slice].uid : -1;
}

/* How the call of work is known. */
static enum launch_link link_of(const struct trace *trace, uint32_t uid)
{
    assert_int_equal(trace->links.count, trace->gpus.count);
    return (enum launch_link)trace->links.items[slice_of(trace, uid)->side];
}

/* The work of a call must be this, in this order; -1 behind the last. */
static void assert_work(const struct trace *trace, uint32_t uid, const int64_t *expected)
{
    const struct call_slice *call = &trace->calls.items[slice_of(trace, uid)->side];
    uint32_t count = 0;
    for (uint32_t gpu = call->first; gpu; gpu = trace->gpus.items[gpu - 1].next, count++) {
        assert_int_equal(trace->slices.items[trace->gpus.items[gpu - 1].slice].uid,
                         expected[count]);
        if (!trace->gpus.items[gpu - 1].next)
            assert_int_equal(gpu, call->last);
    }
    assert_int_equal(expected[count], -1);
    assert_int_equal(call->count, count);
}
#define ASSERT_WORK(trace, uid, ...) assert_work(trace, uid, (const int64_t[]){__VA_ARGS__, -1})

static int64_t noted(const struct trace *trace, enum note note)
{
    return trace->notes.entries[note].count;
}

static void assert_edge(const struct trace *trace, size_t i, uint32_t from, uint32_t to,
                        enum edge_kind kind)
{
    assert_true(i < trace->edges.count);
    const struct edge *edge = &trace->edges.items[i];
    assert_int_equal(trace->slices.items[edge->from].uid, from);
    assert_int_equal(trace->slices.items[edge->to].uid, to);
    assert_int_equal(edge->kind, kind);
}

/* ------------------------------------------------------------------ launches */

static void arrows_lead_from_calls_to_work(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaLaunchKernel", 10, ID(5)), CALL("cudaLaunchKernel", 20, ID(6)),
         CALL("cudaLaunchKernel", 30, ID(7)), WORK(7, 40, ID(5)), WORK(7, 50, ID(6)),
         WORK(7, 60, ID(7)), WORK(7, 70, ID(8)), TAIL("ac2g", 5, 2, 10), HEAD(5, 7, 40),
         TAIL("ac2g", 6, 2, 20), HEAD(6, 7, 50));
    assert_int_equal(call_of(&trace, 3), 0);
    assert_int_equal(call_of(&trace, 4), 1);
    assert_int_equal(call_of(&trace, 5), 2);
    assert_int_equal(call_of(&trace, 6), -1);
    assert_int_equal(link_of(&trace, 4), LINK_ARROW);
    assert_int_equal(link_of(&trace, 5), LINK_CORRELATION); /* the same id, but no arrow */
    assert_int_equal(link_of(&trace, 6), LINK_NONE);
    ASSERT_WORK(&trace, 0, 3);
    ASSERT_WORK(&trace, 2, 5);
    assert_noted(&trace, NOTE_GPU_WITHOUT_LAUNCH, 1);
    trace_free(&trace);
}

static void the_head_says_on_which_stream(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaLaunchKernel", 10, ID(5)), WORK(7, 40, ID(5)), WORK(8, 41, ID(5)),
         TAIL("ac2g", 5, 2, 10), HEAD(5, 8, 41));
    assert_int_equal(call_of(&trace, 2), 0);
    assert_int_equal(link_of(&trace, 2), LINK_ARROW);
    /* the other one has the id of the call, but no arrow */
    assert_int_equal(call_of(&trace, 1), 0);
    assert_int_equal(link_of(&trace, 1), LINK_CORRELATION);
    trace_free(&trace);
}

static void half_an_arrow_is_noted_and_ids_link_in_its_place(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaLaunchKernel", 10, ID(5)), CALL("cudaLaunchKernel", 20, ID(6)),
         WORK(7, 40, ID(5)), WORK(7, 50, ID(6)), HEAD(5, 7, 40), TAIL("ac2g", 6, 2, 20));
    assert_int_equal(call_of(&trace, 2), 0);
    assert_int_equal(call_of(&trace, 3), 1);
    assert_int_equal(link_of(&trace, 2), LINK_CORRELATION);
    assert_int_equal(noted(&trace, NOTE_FLOW_HALF), 2);
    assert_int_equal(trace.notes.entries[NOTE_FLOW_HALF].uid, 4);
    trace_free(&trace);
}

/* An id that profilers give to nothing, and ids that only work has, or that only say which op was
 * open, name no call. */
static void other_ids_name_no_call(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaLaunchKernel", 10, ID(5)), CALL("cudaLaunchKernel", 20, ID(0)),
         CALL("cudaLaunchKernel", 25, ID(8) ",'External id':3"), WORK(7, 40, ID(5)),
         WORK(7, 50, ID(0)), WORK(7, 60, ID(7)), WORK(7, 70, "'External id':3"), WORK(7, 80, ""),
         TAIL("ac2g", 5, 2, 10), HEAD(5, 7, 40));
    assert_int_equal(call_of(&trace, 3), 0);
    for (uint32_t uid = 4; uid <= 7; uid++) {
        assert_int_equal(call_of(&trace, uid), -1);
        assert_int_equal(link_of(&trace, uid), LINK_NONE);
    }
    assert_noted(&trace, NOTE_GPU_WITHOUT_LAUNCH, 4);
    trace_free(&trace);
}

/* Ids come again where several processes wrote one file: the nearest call before the work has it,
 * the first one where all begin after it. */
static void of_several_calls_with_an_id_the_nearest_before_has_the_work(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("hipMemsetAsync", 90, ID(5)), CALL("hipMemsetAsync", 10, ID(5)),
         CALL("hipMemsetAsync", 50, ID(5)), WORK(7, 60, ID(5)), WORK(7, 95, ID(5)),
         WORK(7, 5, ID(5)), WORK(7, 50, ID(5)), HEAD(5, 7, 60), HEAD(5, 7, 95));
    ASSERT_WORK(&trace, 0, 4);
    ASSERT_WORK(&trace, 1, 5);
    ASSERT_WORK(&trace, 2, 3, 6);
    trace_free(&trace);
}

static void an_arrow_may_have_several_heads(void **state)
{
    (void)state;
    struct trace trace;
    /* work and calls that only external ids link, which alone would not do */
    LINK(&trace, CALL("mtiaLaunchKernel", 10, "'External id':5"), WORK(7, 40, "'External id':5"),
         WORK(8, 50, "'External id':5"), WORK(9, 60, "'External id':5"), TAIL("ac2g", 5, 2, 10),
         HEAD(5, 7, 40), HEAD(5, 8, 50));
    ASSERT_WORK(&trace, 0, 1, 2);
    assert_int_equal(link_of(&trace, 1), LINK_HEAD);
    assert_int_equal(link_of(&trace, 2), LINK_ARROW); /* the last head */
    assert_int_equal(call_of(&trace, 3), -1);
    trace_free(&trace);
    LINK(&trace, CALL("mtiaLaunchKernel", 10, ID(5)), WORK(7, 40, ID(5)), WORK(8, 50, ID(5)),
         TAIL("ac2g", 5, 2, 10), HEAD(5, 7, 40), HEAD(5, 8, 50));
    ASSERT_WORK(&trace, 0, 1, 2);
    assert_int_equal(link_of(&trace, 1), LINK_CORRELATION);
    assert_int_equal(link_of(&trace, 2), LINK_ARROW);
    trace_free(&trace);
}

static void without_arrows_ids_link(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaLaunchKernel", 10, ID(5)), CALL("cudaMemcpyAsync", 20, ID(6)),
         WORK(7, 40, ID(5)), WORK(8, 50, ID(5)), WORK(7, 60, ID(6)));
    ASSERT_WORK(&trace, 0, 2, 3);
    ASSERT_WORK(&trace, 1, 4);
    assert_noted(&trace, NOTE_LAUNCH_BY_CORRELATION, 3);
    assert_int_equal(link_of(&trace, 2), LINK_ID);
    trace_free(&trace);
    /* of several calls with the same id the last one has it all */
    LINK(&trace, CALL("cudaLaunchKernel", 10, ID(5)), CALL("cudaLaunchKernel", 20, ID(5)),
         WORK(7, 40, ID(5)));
    ASSERT_WORK(&trace, 0, -1);
    ASSERT_WORK(&trace, 1, 2);
    trace_free(&trace);
}

static void the_first_launch_says_which_id_links(void **state)
{
    (void)state;
    struct trace trace;
    /* a synchronisation has a correlation id, but launches nothing */
    LINK(&trace, CALL("cudaDeviceSynchronize", 5, ID(9)),
         CALL("cudaLaunchKernel", 10, "'External id':3"), WORK(7, 40, ID(9) ",'External id':3"));
    assert_int_equal(call_of(&trace, 2), 1);
    trace_free(&trace);
    LINK(&trace, CALL("cudaLaunchKernel", 10, ID(9) ",'External id':4"),
         WORK(7, 40, ID(9) ",'External id':3"));
    assert_int_equal(call_of(&trace, 1), 0);
    trace_free(&trace);
}

static void a_graph_launches_all_with_its_id(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaGraphLaunch", 10, ID(5)), CALL("cudaLaunchKernel", 20, ID(6)),
         WORK(7, 60, ID(5)), WORK(8, 40, ID(5)), WORK(7, 50, ID(6)), WORK(7, 55, ID(6)),
         TAIL("ac2g", 5, 2, 10), HEAD(5, 7, 60), TAIL("ac2g", 6, 2, 20), HEAD(6, 7, 50));
    ASSERT_WORK(&trace, 0, 2, 3); /* in the order of the file */
    ASSERT_WORK(&trace, 1, 4, 5); /* the arrow of a kernel launch leads to one: the last */
    assert_int_equal(link_of(&trace, 2), LINK_GRAPH);
    assert_int_equal(link_of(&trace, 4), LINK_CORRELATION);
    assert_int_equal(link_of(&trace, 5), LINK_ARROW);
    assert_int_equal(noted(&trace, NOTE_GRAPH_FALLBACK), 0);
    trace_free(&trace);
}

static void variants_of_graph_launches_are_told_by_their_work(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaGraphLaunch_v10000", 10, ID(5)), CALL("cuGraphLaunch", 20, ID(6)),
         WORK(7, 40, ID(5)), WORK(7, 50, ID(5)), WORK(7, 60, ID(6)), TAIL("ac2g", 5, 2, 10),
         HEAD(5, 7, 40), TAIL("ac2g", 6, 2, 20), HEAD(6, 7, 60));
    ASSERT_WORK(&trace, 0, 2, 3);
    ASSERT_WORK(&trace, 1, 4);
    assert_noted(&trace, NOTE_GRAPH_FALLBACK, 1);
    trace_free(&trace);
}

static void without_ids_places_link(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaLaunchKernel", 10, ""), CALL("cudaLaunchKernel", 20, ""),
         WORK(7, 40, ""), WORK(7, 50, ""), TAIL("ac2g", 1, 2, 20), HEAD(1, 7, 40),
         TAIL("ac2g", 2, 2, 10), HEAD(2, 7, 51));
    assert_int_equal(call_of(&trace, 2), 1);
    assert_int_equal(link_of(&trace, 2), LINK_PLACE);
    assert_int_equal(call_of(&trace, 3), -1); /* the head ends beside it */
    assert_int_equal(noted(&trace, NOTE_LAUNCH_BY_POSITION), 1);
    trace_free(&trace);
}

/* Nothing has an id: the call or op around work launched it, where one thread alone has one open.
 */
static void without_ids_the_op_around_has_the_work(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, LONG_OP("aten::linear", 2, 10, 90), LONG_OP("aten::mm", 2, 20, 40),
         CALL("cudaLaunchKernel", 25, ""), LONG_OP("aten::add", 2, 62, 10),
         WORK(7, 30, "'device':0"), WORK(7, 25, ""), WORK(7, 58, ""), WORK(7, 70, ""),
         WORK(7, 98, ""), WORK(7, 100, ""), WORK(7, 5, ""));
    const int64_t expected[] = {1, 2, 0, 0, 0, -1, -1};
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(call_of(&trace, 4 + i), expected[i]);
        assert_int_equal(link_of(&trace, 4 + i), expected[i] < 0 ? LINK_NONE : LINK_TIME);
    }
    assert_int_equal(noted(&trace, NOTE_LAUNCH_BY_TIME), 5);
    assert_int_equal(noted(&trace, NOTE_GPU_WITHOUT_LAUNCH), 2);
    trace_free(&trace);
}

static void of_several_threads_with_an_op_none_has_the_work(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, LONG_OP("aten::item", 3, 20, 30), LONG_OP("aten::mm", 2, 10, 90),
         LONG_OP("aten::mul", 4, 60, 20), LONG_OP("aten::mm", 4, 110, 20), WORK(7, 10, ""),
         WORK(7, 20, ""), WORK(7, 44, ""), WORK(7, 50, ""), WORK(7, 70, ""), WORK(7, 85, ""),
         WORK(7, 115, ""));
    const int64_t expected[] = {1, -1, -1, 1, -1, 1, 3};
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(call_of(&trace, 4 + i), expected[i]);
    trace_free(&trace);
}

static void waits_and_traces_with_an_id_link_nothing_by_time(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, LONG_OP("aten::mm", 2, 10, 90), WORK(7, 20, ""), WORK(7, 30, ID(5)));
    assert_int_equal(call_of(&trace, 1), -1);
    trace_free(&trace);
    LINK(&trace, CALL("cudaDeviceSynchronize", 10, ""), WORK(7, 10, ""));
    assert_int_equal(call_of(&trace, 1), -1);
    trace_free(&trace);
}

static void work_that_starts_before_its_call_is_noted(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, CALL("cudaLaunchKernel", 100, ID(5)), WORK(7, 40, ID(5)), TAIL("ac2g", 5, 2, 100),
         HEAD(5, 7, 40));
    assert_int_equal(call_of(&trace, 1), 0);
    assert_noted(&trace, NOTE_LAUNCH_BEFORE_CALL, 1);
    trace_free(&trace);
}

static void nothing_links_nothing(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, SLICE);
    assert_int_equal(trace.edges.count, 0);
    assert_nothing_noted(&trace);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ forward and backward */

#define BACKWARD  "autograd::engine::evaluate_function: MmBackward"
#define NUMBER(n) "'Sequence number':" #n

static void a_number_leads_from_forward_to_backward(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, OP("aten::linear", 2, 10, NUMBER(9)), OP("aten::mm", 2, 12, NUMBER(9)),
         OP(BACKWARD, 3, 50, NUMBER(9)), OP("MmBackward", 3, 51, NUMBER(9)),
         OP("aten::mm", 2, 20, NUMBER(10)), OP(BACKWARD, 2, 60, NUMBER(10)),
         OP(BACKWARD, 3, 70, NUMBER(11)));
    assert_int_equal(trace.edges.count, 1); /* on the same thread, or alone: no forward */
    assert_edge(&trace, 0, 1, 2, EDGE_FORWARD_BACKWARD); /* the latest one */
    trace_free(&trace);
}

static void arrows_lead_from_forward_to_backward(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, OP("forward", 2, 10, NUMBER(1)), OP("backward", 3, 50, NUMBER(2)),
         TAIL("fwdbwd", 4, 2, 10),
         "{'ph':'f','cat':'fwdbwd','name':'a','id':4,'pid':1,'tid':3,'ts':50}",
         TAIL("fwdbwd", 5, 2, 11),
         "{'ph':'f','cat':'fwdbwd','name':'a','id':5,'pid':1,'tid':3,'ts':50}");
    assert_int_equal(trace.edges.count, 1);
    assert_edge(&trace, 0, 0, 1, EDGE_FLOW);
    assert_int_equal(noted(&trace, NOTE_FLOW_WITHOUT_EVENT), 1);
    assert_int_equal(trace.notes.entries[NOTE_FLOW_WITHOUT_EVENT].uid, 4);
    trace_free(&trace);
}

#define AHEAD(n) "'Fwd thread id':" #n ","

static void numbers_tell_of_two_threads_once(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, OP("aten::mm", 2, 10, AHEAD(0) NUMBER(9)), OP("aten::mm", 2, 20, NUMBER(10)),
         OP("MmBackward0", 3, 50, AHEAD(1) NUMBER(10)),
         OP("MmBackward0", 3, 60, AHEAD(1) NUMBER(9)), OP("aten::mm", 4, 10, NUMBER(-1)),
         OP("MmBackward0", 5, 60, AHEAD(1) NUMBER(-1)),
         OP("MmBackward0", 2, 70, AHEAD(-1) NUMBER(9)),
         OP("MmBackward0", 2, 80, AHEAD(1) NUMBER(9)));
    assert_int_equal(trace.edges.count, 1); /* backward on the same thread, or not backward: none */
    assert_edge(&trace, 0, 0, 3, EDGE_SEQUENCE);
    trace_free(&trace);
}

static void threads_that_evaluations_link_need_no_number(void **state)
{
    (void)state;
    struct trace trace;
    LINK(&trace, OP("aten::mm", 2, 10, NUMBER(9)), OP(BACKWARD, 3, 50, AHEAD(1) NUMBER(9)),
         OP("aten::mm", 2, 20, NUMBER(10)), OP("MmBackward0", 3, 60, AHEAD(1) NUMBER(10)));
    assert_int_equal(trace.edges.count, 1);
    assert_edge(&trace, 0, 0, 1, EDGE_FORWARD_BACKWARD);
    trace_free(&trace);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(arrows_lead_from_calls_to_work),
    cmocka_unit_test(the_head_says_on_which_stream),
    cmocka_unit_test(half_an_arrow_is_noted_and_ids_link_in_its_place),
    cmocka_unit_test(other_ids_name_no_call),
    cmocka_unit_test(of_several_calls_with_an_id_the_nearest_before_has_the_work),
    cmocka_unit_test(an_arrow_may_have_several_heads),
    cmocka_unit_test(without_arrows_ids_link),
    cmocka_unit_test(the_first_launch_says_which_id_links),
    cmocka_unit_test(a_graph_launches_all_with_its_id),
    cmocka_unit_test(variants_of_graph_launches_are_told_by_their_work),
    cmocka_unit_test(without_ids_places_link),
    cmocka_unit_test(without_ids_the_op_around_has_the_work),
    cmocka_unit_test(of_several_threads_with_an_op_none_has_the_work),
    cmocka_unit_test(waits_and_traces_with_an_id_link_nothing_by_time),
    cmocka_unit_test(work_that_starts_before_its_call_is_noted),
    cmocka_unit_test(nothing_links_nothing),
    cmocka_unit_test(a_number_leads_from_forward_to_backward),
    cmocka_unit_test(arrows_lead_from_forward_to_backward),
    cmocka_unit_test(numbers_tell_of_two_threads_once),
    cmocka_unit_test(threads_that_evaluations_link_need_no_number),
};
GROUP(link, NULL, NULL)
