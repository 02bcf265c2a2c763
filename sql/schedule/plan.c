/* plan: Ranks that have collectives in another order wait for each other in circles: joins of a
 * circle are taken out until none is left. */
#include "sql/schedule/plan.h"

#include "src/base/order.h"

#include <string.h>

struct schedule *plan_add(struct plan *self)
{
    struct schedule *part = array_push(&self->parts);
    if (part)
        *part = (struct schedule){.main = GRAPH_NONE};
    return part;
}

bool plan_member(struct plan *self, uint32_t collective, uint32_t part, uint32_t work)
{
    return array_add(&self->members, (struct plan_member){collective, part, work});
}

bool plan_order(struct plan *self)
{
    bool done = true;
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = schedule_order(&self->parts.items[i]);
    return done;
}

/* ------------------------------------------------------------------ joins */

ORDER_BY(compare_members, struct plan_member, UP(collective) || UP(part) || UP(work));
ORDER_BY(compare_joins, struct join, UP(time) || UP(first));

static struct work *work_of(const struct plan *self, const struct plan_member *member)
{
    return &self->parts.items[member->part].works.items[member->work];
}

/* Whether a message was on its way before its receive began: the receive alone waits. */
static bool is_handed(const struct plan *self, const struct plan_member *members, size_t count)
{
    const struct work *a = work_of(self, members), *b = work_of(self, members + count - 1);
    const struct work *sent = a->is_sent ? a : b, *received = a->is_sent ? b : a;
    return count == 2 && sent->is_sent && received->is_received && sent->end < received->start;
}

/* A collective runs on all its ranks at one moment at least; those that are selected are joined. */
static bool find_join(struct plan *self, size_t first, size_t count)
{
    struct plan_member *members = &self->members.items[first];
    int64_t last = INT64_MIN, least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct work *work = work_of(self, &members[i]);
        last = work->start > last ? work->start : last;
        least = work->end < least ? work->end : least;
    }
    if (last > least && is_handed(self, members, count))
        return !work_of(self, members)->is_inside || !work_of(self, members + 1)->is_inside ||
               array_add(&self->handed, (uint32_t)first);
    self->refused += count > 1 && last > least;
    if (count < 2 || last > least)
        return true;
    size_t present = 0;
    for (size_t i = 0; i < count; i++)
        if (work_of(self, &members[i])->is_inside)
            members[present++] = members[i];
    if (present < 2)
        return true;
    struct join join = {.first = (uint32_t)first, .count = (uint32_t)present, .last = 0};
    for (uint32_t i = 0; i < present; i++) {
        struct work *work = work_of(self, &members[i]);
        work->is_joined = true;
        if (work->start >= work_of(self, &members[join.last])->start)
            join.last = i;
    }
    int64_t before = INT64_MIN;
    last = work_of(self, &members[join.last])->start;
    for (uint32_t i = 0; i < present; i++) {
        int64_t start = work_of(self, &members[i])->start;
        join.wait += last - start;
        if (i != join.last && start >= before) {
            before = start;
            join.before = (uint32_t)first + i;
        }
    }
    join.time = last;
    join.lead = last - before;
    join.last += (uint32_t)first;
    return array_add(&self->joins, join);
}

static bool find_joins(struct plan *self)
{
    array_sort(&self->members, compare_members);
    bool done = true;
    for (size_t i = 0, next; i < self->members.count && done; i = next) {
        for (next = i + 1; next < self->members.count && self->members.items[next].collective ==
                                                             self->members.items[i].collective;)
            next++;
        self->collectives++;
        done = find_join(self, i, next - i);
    }
    array_sort(&self->joins, compare_joins);
    return done;
}

static bool tie_join(struct plan *self, struct join *join)
{
    const struct plan_member *members = self->members.items;
    int64_t last = join->time;
    join->node = graph_node(&self->graph, last);
    bool done = join->node != GRAPH_NONE;
    for (uint32_t i = join->first; i < join->first + join->count && done; i++) {
        const struct work *work = work_of(self, &members[i]);
        done = graph_edge(&self->graph, work_start_node(work), join->node, 0, TIE_JOIN,
                          members[i].work) &&
               graph_edge(&self->graph, join->node, work->end_node, work->end - last, TIE_JOIN,
                          members[i].work);
    }
    return done;
}

static bool tie_handed(struct plan *self, size_t first)
{
    const struct plan_member *members = &self->members.items[first];
    bool is_first = work_of(self, &members[0])->is_sent;
    const struct plan_member *received = &members[is_first];
    return graph_edge(&self->graph, work_of(self, &members[!is_first])->end_node,
                      work_start_node(work_of(self, received)), 0, TIE_JOIN, received->work);
}

/* ------------------------------------------------------------------ what is common */

/* Measures the usual values over all parts. */
static bool measure(struct plan *self)
{
    int64_t usual[MEASURES];
    bool done = true;
    for (int what = 0; what < MEASURES && done; what++)
        done = schedule_usual(self->parts.items, self->parts.count, (enum schedule_measure)what,
                              &usual[what]);
    for (size_t i = 0; i < self->parts.count && done; i++) {
        memcpy(self->parts.items[i].usual, usual, sizeof usual);
        schedule_measured(&self->parts.items[i]);
    }
    return done;
}

/* The last of the sinks. */
static bool make_sink(struct plan *self)
{
    if (self->parts.count == 1) {
        self->sink = self->parts.items[0].sink;
        return true;
    }
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < self->parts.count; i++) {
        int64_t time = self->graph.times.items[self->parts.items[i].sink];
        last = time > last ? time : last;
    }
    self->sink = graph_node(&self->graph, last);
    bool done = self->sink != GRAPH_NONE;
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = graph_edge(&self->graph, self->parts.items[i].sink, self->sink, 0, TIE_SOURCE,
                          GRAPH_NONE);
    return done;
}

/* ------------------------------------------------------------------ circles of joins */

/* From so many on that ranks have in another order all of them are taken out at once. */
enum { CROSSED_ONE_BY_ONE = 16 };

/* The kernels of a join become work of their own ranks again. */
static bool cross(struct plan *self, const struct join *join)
{
    bool done = true;
    for (uint32_t i = join->first; i < join->first + join->count && done; i++) {
        struct plan_member *member = &self->members.items[i];
        struct work *work = work_of(self, member);
        work->is_joined = false;
        struct tie span = {.weight = work->end - work->start,
                           .from = work_start_node(work),
                           .to = work->end_node,
                           .about = member->work,
                           .kind = TIE_SPAN};
        done = graph_redirect(&self->graph, join->node, &span);
    }
    self->crossed++;
    return done;
}

/* Ranks that have collectives in another order wait for each other: the last join in a circle is
 * none. */
static bool cross_joins(struct plan *self)
{
    struct graph *graph = &self->graph;
    bool *is_stuck = memory_take(graph->times.count + 1);
    bool any = is_stuck != NULL, done = any;
    while (any && done && graph->ordered < graph->times.count) {
        size_t last = SIZE_MAX, kept = 0;
        bool is_all = self->crossed >= CROSSED_ONE_BY_ONE;
        graph_mark_stuck(graph, is_stuck);
        for (size_t i = 0; i < self->joins.count; i++)
            if (is_stuck[self->joins.items[i].node] &&
                (last == SIZE_MAX || graph->times.items[self->joins.items[i].node] >=
                                         graph->times.items[self->joins.items[last].node]))
                last = i;
        any = last != SIZE_MAX;
        for (size_t i = 0; i < self->joins.count; i++)
            if (i == last || (is_all && is_stuck[self->joins.items[i].node]))
                done &= cross(self, &self->joins.items[i]);
            else
                self->joins.items[kept++] = self->joins.items[i];
        self->joins.count = kept;
        done = done && graph_order(graph);
    }
    memory_free(is_stuck);
    return done;
}

static bool settle(struct plan *self)
{
    bool may_wait = self->joins.count && self->graph.has_backward;
    bool done = !may_wait || graph_order(&self->graph);
    if (done && may_wait && self->graph.ordered < self->graph.times.count) {
        graph_drop_backward(&self->graph);
        done = graph_order(&self->graph) && cross_joins(self);
    }
    return done && graph_settle(&self->graph);
}

/* ------------------------------------------------------------------ all of it */

bool plan_make(struct plan *self)
{
    bool done = find_joins(self);
    self->begin = INT64_MAX;
    for (size_t i = 0; i < self->parts.count && done; i++) {
        struct schedule *part = &self->parts.items[i];
        self->begin = part->begin < self->begin ? part->begin : self->begin;
        done = schedule_prepare(part, &self->graph);
    }
    done = done && measure(self);
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = schedule_tie(&self->parts.items[i]);
    for (size_t i = 0; i < self->joins.count && done; i++)
        done = tie_join(self, &self->joins.items[i]);
    for (size_t i = 0; i < self->handed.count && done; i++)
        done = tie_handed(self, self->handed.items[i]);
    bool *is_waited_for = done ? schedule_waited_for(&self->graph) : NULL;
    done = done && is_waited_for;
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = schedule_finish(&self->parts.items[i], is_waited_for);
    memory_free(is_waited_for);
    return done && make_sink(self) && settle(self);
}

bool plan_is_shared(const struct plan *self, uint32_t node)
{
    return node >= self->parts.items[self->parts.count - 1].end_node;
}

uint32_t plan_part(const struct plan *self, uint32_t node)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->parts.count, self->parts.items[place].end_node <= node);
    return (uint32_t)(place < self->parts.count ? place : 0);
}

void plan_trim(struct plan *self)
{
    for (size_t i = 0; i < self->parts.count; i++)
        schedule_trim(&self->parts.items[i]);
    array_free(&self->members);
    array_free(&self->joins);
    array_free(&self->handed);
    graph_trim(&self->graph);
}

void plan_free(struct plan *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->parts.count; i++)
        schedule_free(&self->parts.items[i]);
    array_free(&self->parts);
    array_free(&self->members);
    array_free(&self->joins);
    array_free(&self->handed);
    graph_free(&self->graph);
    memory_free(self);
}
