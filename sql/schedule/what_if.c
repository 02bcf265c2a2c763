/* what_if: Weights change by the kind of edge. The graph is replayed with them, and the old path is
 * walked for the time that it would lose. */
#include "sql/schedule/what_if.h"

#include "src/base/order.h"

#define NEVER (INT64_MIN / 4) /* the weight of an edge that is gone */

void effect_init(struct effect *self, struct plan *plan)
{
    *self = (struct effect){
        .plan = plan, .host = factor_same, .launch = factor_same, .wait = factor_same};
}

void effect_work(struct effect *self, uint32_t part, uint32_t work, struct factor factor)
{
    const struct work *of = &self->plan->parts.items[part].works.items[work];
    if (!of->is_inside)
        return;
    self->matched = true;
    if (!self->of_node)
        self->of_node = memory_zeroed(self->plan->graph.times.count, sizeof *self->of_node);
    if (!self->factors.count)
        array_add(&self->factors, factor_same);
    uint32_t *place = &self->of_node[of->end_node];
    factor = factor_times(self->factors.items[*place], factor);
    const struct factor *last = &self->factors.items[self->factors.count - 1];
    if (last->up != factor.up || last->down != factor.down)
        array_add(&self->factors, factor);
    *place = (uint32_t)self->factors.count - 1;
}

void effect_inside(struct effect *self, struct inside inside)
{
    self->matched = true;
    array_add(&self->insides, inside);
}

ORDER_BY(compare_insides, struct inside, UP(part) || UP(thread) || UP(start) || UP(end));

void effect_settle(struct effect *self)
{
    size_t kept = 0;
    array_sort(&self->insides, compare_insides);
    struct inside *all = self->insides.items;
    for (size_t i = 1; i < self->insides.count; i++) {
        if (all[i].part != all[kept].part || all[i].thread != all[kept].thread ||
            all[i].start >= all[kept].end || all[i].factor.up != all[kept].factor.up ||
            all[i].factor.down != all[kept].factor.down)
            all[++kept] = all[i];
        else if (all[i].end > all[kept].end)
            all[kept].end = all[i].end;
    }
    self->insides.count = self->insides.count ? kept + 1 : 0;
}

/* The first part of a thread that changes and ends behind a moment. */
static size_t find_inside(const struct effect *self, uint32_t part, uint32_t thread, int64_t from)
{
    const struct inside *all = self->insides.items;
    size_t place, count = self->insides.count;
    ARRAY_LOWER_BOUND(
        place, count,
        all[place].part < part ||
            (all[place].part == part && (all[place].thread < thread ||
                                         (all[place].thread == thread && all[place].end <= from))));
    return place;
}

/* The time of a piece of a thread. Where less of it counts, as calls wait for work or threads for
 * each other, it loses as much of that. */
static int64_t host_time(const struct effect *self, const struct tie *edge, int64_t time)
{
    const struct graph *graph = &self->plan->graph;
    int64_t result = factor_of(self->host, time);
    if (!self->insides.count || time <= 0)
        return result;
    int64_t from = graph->times.items[edge->from], to = graph->times.items[edge->to];

    /* The loss of the time from `from` to `to` on a thread, by its parts that change. */
    uint32_t part = plan_part(self->plan, edge->to);
    uint32_t thread = edge->about;
    const struct inside *all = self->insides.items;
    size_t count = self->insides.count;
    int64_t lost = 0;
    for (size_t place = find_inside(self, part, thread, from);
         place < count && all[place].part == part && all[place].thread == thread &&
         all[place].start < to;
         place++) {
        int64_t start = all[place].start > from ? all[place].start : from;
        int64_t end = all[place].end < to ? all[place].end : to;
        if (end > start)
            lost += end - start - factor_of(all[place].factor, end - start);
    }
    if (lost > 0 && time < to - from)
        lost = (int64_t)((double)lost * (double)time / (double)(to - from));
    result -= lost;
    return result > 0 ? result : 0;
}

static struct factor work_factor(const struct effect *self, const struct tie *edge)
{
    return self->of_node ? self->factors.items[self->of_node[edge->to]] : factor_same;
}

/* True if a call that waited for work would not wait any more. */
static bool is_free(const struct effect *self, const struct tie *edge)
{
    if (!self->insides.count)
        return false;
    uint32_t part = plan_part(self->plan, edge->to);
    const struct call *call =
        &self->plan->parts.items[part].calls.items[edge->about >> SCHEDULE_WORD_BITS];
    size_t place = find_inside(self, part, call->thread, call->start);
    const struct inside *inside = place < self->insides.count ? &self->insides.items[place] : NULL;
    return inside && inside->frees && inside->part == part && inside->thread == call->thread &&
           inside->start < call->end;
}

static int64_t changed_weight(const void *context, const struct tie *edge)
{
    const struct effect *self = context;
    switch ((enum tie_kind)edge->kind) {
    case TIE_SPAN:
    case TIE_JOIN:
        return factor_of(work_factor(self, edge), edge->weight);
    case TIE_CHAIN:
    case TIE_HANDOVER:
        return host_time(self, edge, edge->weight);
    case TIE_LAUNCH:
        return factor_of(self->launch, edge->weight);
    case TIE_SYNC:
        return is_free(self, edge) ? NEVER : factor_of(self->wait, edge->weight);
    case TIE_STREAM:
    case TIE_WAIT:
    case TIE_SOURCE:
    case TIE_KINDS:
        break;
    }
    return edge->weight;
}

static int64_t changed_lag(const void *context, const struct tie *binding, int64_t lag)
{
    const struct effect *self = context;
    return binding->kind == TIE_LAUNCH ? factor_of(self->launch, lag) : lag;
}

/* ------------------------------------------------------------------ what the path would lose */

static int64_t lost_by(struct factor factor, int64_t time)
{
    return time - factor_of(factor, time);
}

static int64_t lost_on(const struct effect *self, const struct tie *edge)
{
    const struct graph *graph = &self->plan->graph;
    int64_t from = graph->times.items[edge->from], to = graph->times.items[edge->to];
    const struct schedule *part = &self->plan->parts.items[plan_part(self->plan, edge->to)];
    int64_t unknown = part->limits.unknown, passed = to - from;
    if (passed <= 0)
        return 0;
    switch ((enum tie_kind)edge->kind) {
    case TIE_SPAN:
    case TIE_JOIN:
        return lost_by(work_factor(self, edge), passed);
    case TIE_CHAIN:
    case TIE_HANDOVER:
        return passed - host_time(self, edge, passed);
    case TIE_SYNC:
        return lost_by(factor_times(self->host, self->wait), passed);
    case TIE_LAUNCH: {
        const struct work *work = &part->works.items[schedule_work_of(edge)];
        int64_t end = part->calls.items[work->call - 1].end;
        int64_t calling = end < from ? 0 : (end < to ? end : to) - from;
        return lost_by(self->host, calling) + lost_by(self->launch, passed);
    }
    case TIE_STREAM:
    case TIE_WAIT:
    case TIE_SOURCE:
        return passed > unknown || edge->kind == TIE_SOURCE ? lost_by(self->launch, passed) : 0;
    case TIE_KINDS:
        break;
    }
    return 0;
}

/* From the first start to the last end of work, by such times of nodes. */
static int64_t span_of(const struct plan *plan, const int64_t *times)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t part = 0; part < plan->parts.count; part++)
        for (size_t i = 0; i < plan->parts.items[part].works.count; i++) {
            const struct work *work = &plan->parts.items[part].works.items[i];
            if (!work->is_inside)
                continue;
            int64_t start = times[work_start_node(work)], end = times[work->end_node];
            first = start < first ? start : first;
            last = end > last ? end : last;
        }
    return last > first ? last - first : 0;
}

void effect_predict(const struct effect *self, struct prediction *prediction)
{
    const struct plan *plan = self->plan;
    const struct graph *graph = &plan->graph;
    graph_ready(&self->plan->graph);
    int64_t *times = memory_list(graph->times.count + 1, sizeof *times);
    struct graph_change change = {changed_weight, factor_is_same(self->launch) ? NULL : changed_lag,
                                  self};
    *prediction = (struct prediction){.makespan = graph->times.items[plan->sink] - plan->begin};
    prediction->switches = (int64_t)graph_replay(graph, &change, times);
    prediction->after = times[plan->sink] - plan->begin;
    prediction->span = span_of(plan, graph->times.items);
    prediction->span_after = span_of(plan, times);
    struct tie edge;
    for (uint32_t node = plan->sink; graph_binding(graph, node, &edge, NULL); node = edge.from)
        prediction->on_path += lost_on(self, &edge);
    memory_free(times);
}

void effect_free(struct effect *self)
{
    arrays_free(&self->factors, &self->insides);
    memory_free(self->of_node);
}
