/* graph: see graph.h. */
#include "sql/schedule/graph.h"

#include <string.h>

uint32_t graph_node(struct graph *self, int64_t time)
{
    int64_t *added = self->times.count < GRAPH_NONE ? array_push(&self->times) : NULL;
    if (!added)
        return GRAPH_NONE;
    *added = time;
    return (uint32_t)self->times.count - 1;
}

bool graph_edge(struct graph *self, uint32_t from, uint32_t to, int64_t weight, enum tie_kind kind,
                uint32_t about)
{
    struct tie *added = from != GRAPH_NONE && to != GRAPH_NONE && self->edges.count < GRAPH_NONE
                            ? array_push(&self->edges)
                            : NULL;
    if (!added)
        return false;
    *added = (struct tie){.weight = weight, .from = from, .to = to, .about = about, .kind = kind};
    return true;
}

/* Sorts the edges by their ends; those of one end stay as they are. */
static bool sort_edges(struct graph *self)
{
    size_t nodes = self->times.count, count = self->edges.count;
    free(self->first);
    self->first = calloc(nodes + 2, sizeof *self->first);
    struct tie *sorted = malloc((count + 1) * sizeof *sorted);
    if (!self->first || !sorted) {
        free(sorted);
        return false;
    }
    uint32_t *next = self->first + 1; /* counts of nodes, then where their next edge goes */
    for (size_t i = 0; i < count; i++)
        next[self->edges.items[i].to + 1]++;
    for (size_t i = 1; i <= nodes; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < count; i++)
        sorted[next[self->edges.items[i].to]++] = self->edges.items[i];
    free(self->edges.items);
    self->edges.items = sorted;
    self->edges.room = count;
    return true;
}

/* Whether an edge binds rather than the best of those before it. */
static bool binds_before(const struct graph *self, uint32_t edge, int64_t arrival, uint32_t best,
                         int64_t latest)
{
    return best == GRAPH_NONE || arrival > latest ||
           (arrival == latest && self->edges.items[edge].kind < self->edges.items[best].kind);
}

static void bind_nodes(struct graph *self)
{
    for (uint32_t node = 0; node < self->times.count; node++) {
        uint32_t best = GRAPH_NONE;
        int64_t latest = 0;
        for (uint32_t i = self->first[node]; i < self->first[node + 1]; i++) {
            const struct tie *edge = &self->edges.items[i];
            int64_t arrival = self->times.items[edge->from] + edge->weight;
            if (binds_before(self, i, arrival, best, latest)) {
                best = i;
                latest = arrival;
            }
        }
        self->binding[node] = best;
        self->lag[node] = best == GRAPH_NONE ? 0 : self->times.items[node] - latest;
    }
}

/* Puts the nodes in order, from the last to the first; the others come behind them. */
static void order_nodes(struct graph *self, uint32_t *waiting)
{
    size_t nodes = self->times.count, done = 0, placed = 0;
    memset(waiting, 0, (nodes + 1) * sizeof *waiting);
    for (size_t i = 0; i < self->edges.count; i++)
        waiting[self->edges.items[i].from]++;
    uint32_t *backwards = self->order;
    for (uint32_t node = 0; node < nodes; node++)
        if (!waiting[node])
            backwards[placed++] = node;
    for (; done < placed; done++)
        for (uint32_t i = self->first[backwards[done]]; i < self->first[backwards[done] + 1]; i++)
            if (--waiting[self->edges.items[i].from] == 0)
                backwards[placed++] = self->edges.items[i].from;
    for (size_t i = 0; i < placed / 2; i++) {
        uint32_t one = self->order[i];
        self->order[i] = self->order[placed - 1 - i];
        self->order[placed - 1 - i] = one;
    }
    self->ordered = placed;
}

bool graph_order(struct graph *self)
{
    size_t nodes = self->times.count;
    if (!self->order)
        self->order = malloc((nodes + 1) * sizeof *self->order);
    uint32_t *waiting = malloc((nodes + 1) * sizeof *waiting);
    bool done = self->order && waiting && sort_edges(self);
    if (done)
        order_nodes(self, waiting);
    free(waiting);
    return done;
}

typedef bool is_kept(const struct graph *self, const struct tie *edge, const bool *is_stuck);

static void drop_edges(struct graph *self, is_kept *keeps, const bool *is_stuck)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->edges.count; i++)
        if (keeps(self, &self->edges.items[i], is_stuck))
            self->edges.items[kept++] = self->edges.items[i];
    self->edges.count = kept;
    self->ordered = 0;
    self->had_cycle = true;
}

static bool goes_forward(const struct graph *self, const struct tie *edge, const bool *is_stuck)
{
    (void)self;
    (void)is_stuck;
    return edge->weight >= 0;
}

void graph_drop_backward(struct graph *self)
{
    drop_edges(self, goes_forward, NULL);
}

void graph_mark_stuck(const struct graph *self, bool *is_stuck)
{
    memset(is_stuck, true, self->times.count);
    for (size_t i = 0; i < self->ordered; i++)
        is_stuck[self->order[i]] = false;
}

/* Of circles at one moment the edges against the order of the nodes. */
static bool goes_up(const struct graph *self, const struct tie *edge, const bool *is_stuck)
{
    int64_t from = self->times.items[edge->from], to = self->times.items[edge->to];
    return !(is_stuck[edge->from] && is_stuck[edge->to]) || from < to ||
           (from == to && edge->from < edge->to);
}

static bool break_circles(struct graph *self)
{
    size_t nodes = self->times.count;
    if (self->ordered == nodes)
        return true;
    graph_drop_backward(self);
    if (!graph_order(self) || self->ordered == nodes)
        return self->ordered == nodes;
    bool *is_stuck = malloc(nodes + 1);
    if (is_stuck) {
        graph_mark_stuck(self, is_stuck);
        drop_edges(self, goes_up, is_stuck);
    }
    free(is_stuck);
    return is_stuck && graph_order(self);
}

bool graph_settle(struct graph *self)
{
    size_t nodes = self->times.count;
    self->binding = malloc((nodes + 1) * sizeof *self->binding);
    self->lag = malloc((nodes + 1) * sizeof *self->lag);
    bool done =
        self->binding && self->lag && (self->ordered || graph_order(self)) && break_circles(self);
    if (done)
        bind_nodes(self);
    return done;
}

size_t graph_replay(const struct graph *self, const struct graph_change *change, int64_t *times)
{
    size_t switches = 0;
    for (size_t place = 0; place < self->times.count; place++) {
        uint32_t node = self->order[place], best = GRAPH_NONE;
        int64_t latest = 0;
        for (uint32_t i = self->first[node]; i < self->first[node + 1]; i++) {
            const struct tie *edge = &self->edges.items[i];
            int64_t arrival =
                times[edge->from] + (change ? change->weight(change->context, edge) : edge->weight);
            if (binds_before(self, i, arrival, best, latest)) {
                best = i;
                latest = arrival;
            }
        }
        int64_t lag = change && change->lag ? change->lag(change->context, node) : self->lag[node];
        times[node] = best == GRAPH_NONE ? self->times.items[node] : latest + lag;
        switches += best != self->binding[node];
    }
    return switches;
}

void graph_slack(const struct graph *self, uint32_t sink, int64_t *slack)
{
    const int64_t *times = self->times.items;
    for (size_t i = 0; i < self->times.count; i++)
        slack[i] = INT64_MAX;
    /* first the latest times */
    for (size_t place = self->times.count; place-- > 0;) {
        uint32_t node = self->order[place];
        if (slack[node] == INT64_MAX)
            slack[node] = times[node] > times[sink] ? times[node] : times[sink];
        for (uint32_t i = self->first[node]; i < self->first[node + 1]; i++) {
            const struct tie *edge = &self->edges.items[i];
            int64_t latest = slack[node] - self->lag[node] - edge->weight;
            if (latest < slack[edge->from])
                slack[edge->from] = latest;
        }
    }
    for (size_t i = 0; i < self->times.count; i++)
        slack[i] -= times[i];
}

void graph_free(struct graph *self)
{
    array_free(&self->times);
    array_free(&self->edges);
    free(self->first);
    free(self->binding);
    free(self->lag);
    free(self->order);
    memset(self, 0, sizeof *self);
}
