/* Graphs of what waited for what, against every path of small ones. */
#include "tests/unit/support.h"

#include "sql/schedule/graph.h"

#include <string.h>

enum { NODES = 10 };

static uint32_t seed;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

/* The latest arrival at a node over every path, one by one. */
static int64_t longest(const struct tie *edges, size_t count, const int64_t *lag, uint32_t node)
{
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        if (edges[i].to == node) {
            int64_t time = longest(edges, count, lag, edges[i].from) + edges[i].weight;
            latest = time > latest ? time : latest;
        }
    return latest == INT64_MIN ? 0 : latest + lag[node];
}

/* Nodes that wait for one to three earlier ones each; the last one for all that nothing waits for.
 */
static void make_graph(struct graph *graph, int64_t *lag)
{
    struct tie edges[NODES * 4];
    size_t count = 0;
    uint32_t nodes = 3 + random_below(NODES - 3), sink = nodes - 1;
    bool is_waited_for[NODES] = {false};
    memset(lag, 0, NODES * sizeof *lag);
    for (uint32_t node = 1; node < nodes; node++)
        for (uint32_t i = 0; i < nodes; i++) {
            uint32_t from = node == sink ? i : random_below(node);
            if (from >= node || (node == sink ? is_waited_for[from] : i > 2))
                continue;
            edges[count++] = (struct tie){.from = from,
                                          .to = node,
                                          .weight = node == sink ? 0 : random_below(10),
                                          .kind = TIE_CHAIN};
            is_waited_for[from] = true;
            lag[node] = node == sink ? 0 : random_below(4);
        }
    for (uint32_t node = 0; node < nodes; node++)
        assert_int_equal(graph_node(graph, longest(edges, count, lag, node)), node);
    /* what takes the time between neighbours is mostly stated as that */
    bool follows[NODES] = {false};
    for (size_t i = 0; i < count; i++) {
        uint32_t from = edges[i].from, to = edges[i].to;
        int64_t passed = graph->times.items[to] - (from ? graph->times.items[from] : 0);
        if (from + 1 == to && edges[i].weight == passed && !follows[to])
            assert_true(graph_follow(graph, to, TIE_CHAIN, 0));
        else
            assert_true(graph_edge(graph, from, to, edges[i].weight, TIE_CHAIN, 0));
        follows[to] |= from + 1 == to && edges[i].weight == passed;
    }
    graph_settle(graph);
    graph_ready(graph);
    assert_false(graph->had_cycle);
}

struct change {
    int64_t extra;
    uint32_t node;
    const struct tie *edge;
};

static bool is_edge(const struct tie *one, const struct tie *other)
{
    return other && one->from == other->from && one->to == other->to &&
           one->weight == other->weight && one->about == other->about;
}

static int64_t same_weight(const void *context, const struct tie *edge)
{
    const struct change *change = context;
    return is_edge(edge, change->edge) ? edge->weight / 2 : edge->weight;
}

static int64_t longer_lag(const void *context, const struct tie *binding, int64_t lag)
{
    const struct change *change = context;
    return lag + (binding->to == change->node ? change->extra : 0);
}

static int64_t lag_of(const struct graph *graph, uint32_t node)
{
    struct tie edge;
    int64_t lag;
    graph_binding(graph, node, &edge, &lag);
    return lag;
}

static void times_lags_and_slack_are_those_of_every_path(void **state)
{
    (void)state;
    for (seed = 0; seed < 300u << 20; seed += (1u << 20) + 17) {
        uint32_t kept = seed;
        struct graph graph = {0};
        int64_t lag[NODES], times[NODES], slack[NODES];
        make_graph(&graph, lag);
        uint32_t nodes = (uint32_t)graph.times.count, sink = nodes - 1;
        for (uint32_t i = 0; i < nodes; i++)
            assert_int_equal(lag_of(&graph, i), i ? lag[i] : 0);
        graph_replay(&graph, NULL, times);
        assert_memory_equal(times, graph.times.items, nodes * sizeof *times);
        graph_slack(&graph, sink, slack);
        for (uint32_t i = 1; i < nodes; i++)
            for (int64_t extra = slack[i]; extra <= slack[i] + 1; extra++) {
                struct change change = {extra, i, NULL};
                struct graph_change later = {same_weight, longer_lag, &change};
                graph_replay(&graph, &later, times);
                assert_int_equal(times[sink] > graph.times.items[sink], extra > slack[i]);
            }
        /* nothing on the path may be later, and what is saved there is all that can be saved */
        struct tie edge;
        for (uint32_t node = sink; graph_binding(&graph, node, &edge, NULL); node = edge.from) {
            assert_int_equal(slack[node], 0);
            struct change change = {0, GRAPH_NONE, &edge};
            struct graph_change faster = {same_weight, NULL, &change};
            graph_replay(&graph, &faster, times);
            int64_t saved = graph.times.items[sink] - times[sink];
            assert_true(saved >= 0 && saved <= edge.weight - edge.weight / 2);
        }
        graph_free(&graph);
        seed = kept;
    }
}

static void the_first_in_order_binds(void **state)
{
    (void)state;
    struct graph graph = {0};
    graph_node(&graph, 0);
    graph_node(&graph, 5);
    graph_node(&graph, 9);
    assert_true(graph_edge(&graph, 0, 2, 7, TIE_CHAIN, 1));
    assert_true(graph_edge(&graph, 0, 2, 7, TIE_LAUNCH, 2));
    assert_true(graph_edge(&graph, 1, 2, 2, TIE_LAUNCH, 3));
    assert_true(graph_edge(&graph, 0, 1, 5, TIE_CHAIN, 4));
    assert_false(graph_edge(&graph, GRAPH_NONE, 1, 5, TIE_CHAIN, 4));
    graph_settle(&graph);
    struct tie edge;
    int64_t lag;
    assert_true(graph_binding(&graph, 2, &edge, &lag));
    assert_int_equal(edge.about, 2);
    assert_int_equal(lag, 2);
    assert_false(graph_binding(&graph, 0, &edge, &lag));
    assert_int_equal(lag, 0);
    graph_free(&graph);
}

static void a_node_may_follow_the_one_before_it(void **state)
{
    (void)state;
    struct graph graph = {0};
    struct tie edge;
    graph_node(&graph, 0);
    graph_node(&graph, 5);
    graph_node(&graph, 4);
    assert_false(graph_follow(&graph, 0, TIE_CHAIN, 1)); /* nothing is before it */
    assert_true(graph_follow(&graph, 1, TIE_SPAN, 7));
    assert_true(graph_follow(&graph, 2, TIE_CHAIN, 8)); /* back in time */
    assert_true(graph_edge(&graph, 0, 1, 5, TIE_LAUNCH, 9));
    graph_settle(&graph);
    assert_true(graph_binding(&graph, 1, &edge, NULL));
    assert_int_equal(edge.kind, TIE_SPAN);
    assert_int_equal(edge.about, 7);
    assert_int_equal(edge.weight, 5);
    assert_true(graph_binding(&graph, 2, &edge, NULL));
    assert_int_equal(edge.about, 8);
    assert_int_equal(edge.weight, -1);
    graph_free(&graph);
}

static size_t count_edges(const struct graph *graph)
{
    size_t count = 0;
    struct tie edge;
    for (uint32_t node = 0; node < graph->times.count; node++)
        for (uint32_t head = graph->heads.items[node]; graph_next(graph, node, &head, &edge);)
            count++;
    return count;
}

static void an_edge_may_be_of_any_weight_and_about_anything(void **state)
{
    (void)state;
    struct graph graph = {0};
    graph_node(&graph, 0);
    graph_node(&graph, INT64_MAX / 4);
    static const struct tie wanted[] = {
        {.weight = INT64_MAX / 4, .from = 0, .to = 1, .about = 3, .kind = TIE_JOIN},
        {.weight = INT32_MIN, .from = 0, .to = 1, .about = (1u << 28) - 1, .kind = TIE_CHAIN},
        {.weight = INT32_MAX, .from = 0, .to = 1, .about = GRAPH_NONE, .kind = TIE_SOURCE},
        {.weight = -1, .from = 0, .to = 1, .about = GRAPH_NONE - 1, .kind = TIE_SYNC},
    };
    for (size_t i = 0; i < 4; i++)
        assert_true(graph_edge(&graph, 0, 1, wanted[i].weight, wanted[i].kind, wanted[i].about));
    struct tie edge,
        instead = {.weight = 1ll << 40, .from = 0, .to = 1, .about = 9, .kind = TIE_SPAN};
    uint32_t head = graph.heads.items[1];
    for (size_t i = 4; i-- > 0;) {
        assert_true(graph_next(&graph, 1, &head, &edge));
        assert_memory_equal(&edge, &wanted[i], sizeof edge);
    }
    assert_false(graph_next(&graph, 1, &head, &edge));
    graph_redirect(&graph, 0, &instead);
    head = graph.heads.items[1];
    for (size_t i = 4; i-- > 0;) {
        assert_true(graph_next(&graph, 1, &head, &edge));
        assert_memory_equal(&edge, &instead, sizeof edge);
    }
    graph_free(&graph);
}

static void a_circle_loses_what_goes_back_in_time(void **state)
{
    (void)state;
    struct graph graph = {0};
    int64_t times[3];
    for (int i = 0; i < 3; i++)
        graph_node(&graph, i);
    assert_true(graph_edge(&graph, 0, 1, 1, TIE_CHAIN, 0));
    assert_true(graph_edge(&graph, 1, 2, 1, TIE_CHAIN, 0));
    assert_true(graph_edge(&graph, 2, 1, -1, TIE_WAIT, 0));
    graph_settle(&graph);
    assert_true(graph.had_cycle);
    assert_int_equal(count_edges(&graph), 2);
    graph_replay(&graph, NULL, times);
    assert_memory_equal(times, graph.times.items, sizeof times);
    graph_free(&graph);
}

static void a_circle_at_one_moment_loses_an_edge(void **state)
{
    (void)state;
    struct graph graph = {0};
    int64_t times[4];
    for (int i = 0; i < 4; i++)
        graph_node(&graph, i ? 3 : 0);
    assert_true(graph_edge(&graph, 0, 1, 3, TIE_CHAIN, 0));
    assert_true(graph_edge(&graph, 0, 2, 2, TIE_CHAIN, 0));
    assert_true(graph_edge(&graph, 1, 2, 0, TIE_HANDOVER, 0));
    assert_true(graph_edge(&graph, 2, 1, 0, TIE_HANDOVER, 0));
    assert_true(graph_edge(&graph, 2, 3, 0, TIE_SOURCE, 0));
    graph_settle(&graph);
    assert_true(graph.had_cycle);
    assert_int_equal(count_edges(&graph), 4);
    assert_int_equal(graph.ordered, 4);
    graph_replay(&graph, NULL, times);
    assert_memory_equal(times, graph.times.items, sizeof times);
    graph_free(&graph);
}

/* ------------------------------------------------------------------ threads */

static void the_event_that_started_last_is_what_a_thread_does(void **state)
{
    (void)state;
    for (seed = 1; seed < 200; seed++) {
        uint32_t kept = seed;
        struct host_thread thread = {0};
        uint32_t count = random_below(seed % 2 ? 12 : 130); /* more than are looked at one by one */
        for (uint32_t i = 0; i < count; i++) {
            struct host_event *event = array_push(&thread.events);
            assert_non_null(event);
            int64_t start = random_below(40);
            *event = (struct host_event){.start = start, .end = start + random_below(20), .id = i};
        }
        thread_settle(&thread);
        thread_index(&thread);
        for (int64_t time = -1; time < 62; time++) {
            uint32_t expected = UINT32_MAX;
            int64_t until, change = INT64_MAX;
            for (uint32_t i = 0; i < count; i++) {
                const struct host_event *event = &thread.events.items[i];
                if (event->start <= time && event->end > time)
                    expected = i;
                if (event->start > time && event->start < change)
                    change = event->start;
            }
            if (expected != UINT32_MAX && thread.events.items[expected].end < change)
                change = thread.events.items[expected].end;
            assert_int_equal(thread_open_at(&thread, time, &until), expected);
            assert_int_equal(until, change);
        }
        thread_free(&thread);
        seed = kept;
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(times_lags_and_slack_are_those_of_every_path),
    cmocka_unit_test(the_first_in_order_binds),
    cmocka_unit_test(a_node_may_follow_the_one_before_it),
    cmocka_unit_test(an_edge_may_be_of_any_weight_and_about_anything),
    cmocka_unit_test(a_circle_loses_what_goes_back_in_time),
    cmocka_unit_test(a_circle_at_one_moment_loses_an_edge),
    cmocka_unit_test(the_event_that_started_last_is_what_a_thread_does),
};
GROUP(graph, NULL, NULL)
