/* graph: see graph.h. */
#include "sql/schedule/graph.h"

#include <string.h>

/* What a node follows the one before it by: the kind above what it is about. */
enum { FOLLOWS_BITS = 28 };

uint32_t graph_node(struct graph *self, int64_t time)
{
    if (self->times.count >= GRAPH_NONE || !array_reserve(&self->times, 1) ||
        !array_add(&self->follows, GRAPH_NONE))
        return GRAPH_NONE;
    self->times.items[self->times.count++] = time;
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

bool graph_follow(struct graph *self, uint32_t to, enum tie_kind kind, uint32_t about)
{
    if (to == 0 || to == GRAPH_NONE)
        return false;
    if (about >> FOLLOWS_BITS || self->times.items[to] < self->times.items[to - 1])
        return graph_edge(self, to - 1, to, self->times.items[to] - self->times.items[to - 1], kind,
                          about);
    self->follows.items[to] = (uint32_t)kind << FOLLOWS_BITS | about;
    return true;
}

/* The edge from the node before it; false: there is none. */
static inline bool edge_before(const struct graph *self, uint32_t node, struct tie *edge)
{
    uint32_t follows = self->follows.items[node];
    if (follows == GRAPH_NONE)
        return false;
    *edge = (struct tie){.weight = self->times.items[node] - self->times.items[node - 1],
                         .from = node - 1,
                         .to = node,
                         .about = follows & ((1u << FOLLOWS_BITS) - 1),
                         .kind = follows >> FOLLOWS_BITS};
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

/* The edge that binds so far, by its arrival. */
struct bond {
    struct tie edge;
    int64_t latest;
    bool is_any;
};

static inline void consider(struct bond *self, const struct tie *edge, int64_t arrival)
{
    if (!self->is_any || arrival > self->latest ||
        (arrival == self->latest && edge->kind < self->edge.kind))
        *self = (struct bond){*edge, arrival, true};
}

/* What binds a node at such times of all before it, with weights as they are. */
static inline struct bond bond_of(const struct graph *self, uint32_t node)
{
    struct bond bond = {.is_any = false};
    struct tie before;
    if (edge_before(self, node, &before))
        consider(&bond, &before, self->times.items[node]);
    for (uint32_t i = self->first[node]; i < self->first[node + 1]; i++) {
        const struct tie *edge = &self->edges.items[i];
        consider(&bond, edge, self->times.items[edge->from] + edge->weight);
    }
    return bond;
}

bool graph_binding(const struct graph *self, uint32_t node, struct tie *edge, int64_t *lag)
{
    struct bond bond = bond_of(self, node);
    if (bond.is_any)
        *edge = bond.edge;
    if (lag)
        *lag = bond.is_any ? self->times.items[node] - bond.latest : 0;
    return bond.is_any;
}

/* Of nodes that nothing waits for any more some are behind the end of what has its place. */
struct ordering {
    uint32_t *nodes, *waiting;
    size_t placed, behind;
};

static void release(struct ordering *self, uint32_t node)
{
    if (--self->waiting[node] == 0)
        self->nodes[--self->behind] = node;
}

/* Puts the nodes in order, from the last to the first; the others come behind them. Whole chains
 * stand together. */
static void order_nodes(struct graph *self, uint32_t *waiting)
{
    size_t nodes = self->times.count;
    struct ordering order = {self->order, waiting, 0, nodes};
    memset(waiting, 0, (nodes + 1) * sizeof *waiting);
    for (size_t i = 0; i < self->edges.count; i++)
        waiting[self->edges.items[i].from]++;
    for (size_t i = 1; i < nodes; i++)
        waiting[i - 1] += self->follows.items[i] != GRAPH_NONE;
    for (uint32_t end = (uint32_t)nodes; end-- > 0;) {
        if (waiting[end])
            continue;
        waiting[end] = 1;
        release(&order, end);
        while (order.behind < nodes) {
            uint32_t node = order.nodes[order.behind++];
            order.nodes[order.placed++] = node;
            waiting[node] = GRAPH_NONE; /* it is no end of its own */
            for (uint32_t i = self->first[node]; i < self->first[node + 1]; i++)
                release(&order, self->edges.items[i].from);
            if (self->follows.items[node] != GRAPH_NONE)
                release(&order, node - 1);
        }
    }
    size_t placed = order.placed;
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
    return (self->ordered || graph_order(self)) && break_circles(self);
}

static inline int64_t arrival_at(const struct graph_change *change, const int64_t *times,
                                 const struct tie *edge)
{
    return times[edge->from] + (change ? change->weight(change->context, edge) : edge->weight);
}

size_t graph_replay(const struct graph *self, const struct graph_change *change, int64_t *times)
{
    size_t switches = 0;
    for (size_t place = 0; place < self->times.count; place++) {
        uint32_t node = self->order[place];
        struct bond now = bond_of(self, node), then = {.is_any = false};
        struct tie before;
        if (!now.is_any) {
            times[node] = self->times.items[node];
            continue;
        }
        if (edge_before(self, node, &before))
            consider(&then, &before, arrival_at(change, times, &before));
        for (uint32_t i = self->first[node]; i < self->first[node + 1]; i++)
            consider(&then, &self->edges.items[i],
                     arrival_at(change, times, &self->edges.items[i]));
        int64_t lag = self->times.items[node] - now.latest;
        if (change && change->lag)
            lag = change->lag(change->context, &now.edge, lag);
        times[node] = then.latest + lag;
        switches += then.edge.from != now.edge.from || then.edge.kind != now.edge.kind ||
                    then.edge.about != now.edge.about || then.edge.weight != now.edge.weight;
    }
    return switches;
}

static inline void pull(const struct tie *edge, int64_t latest, int64_t *slack)
{
    if (latest - edge->weight < slack[edge->from])
        slack[edge->from] = latest - edge->weight;
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
        struct bond bond = bond_of(self, node);
        if (!bond.is_any)
            continue;
        int64_t latest = slack[node] - (times[node] - bond.latest);
        struct tie before;
        if (edge_before(self, node, &before))
            pull(&before, latest, slack);
        for (uint32_t i = self->first[node]; i < self->first[node + 1]; i++)
            pull(&self->edges.items[i], latest, slack);
    }
    for (size_t i = 0; i < self->times.count; i++)
        slack[i] -= times[i];
}

void graph_free(struct graph *self)
{
    array_free(&self->times);
    array_free(&self->edges);
    array_free(&self->follows);
    free(self->first);
    free(self->order);
    memset(self, 0, sizeof *self);
}
