/* graph: A node has its wait in one number, and a list has the edges beyond that. Order goes from
 * the last node to the first; circles at one moment lose edges. */
#include "sql/schedule/graph.h"

#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

/* Events lie in blocks, looked through one by one: a tree of all would take as much
 * room as they do. */

ORDER_BY(compare_events, struct host_event, UP(start) || DOWN(end) || UP(id));

void thread_shift(struct host_thread *self, int64_t by)
{
    for (size_t i = 0; i < self->events.count; i++) {
        self->events.items[i].start += by;
        self->events.items[i].end += by;
    }
    for (size_t i = 0; i < self->loading.count; i++) {
        self->loading.items[i].start += by;
        self->loading.items[i].end += by;
    }
}

void thread_settle(struct host_thread *self)
{
    array_sort(&self->loading, compare_events);
    /* Ranges that overlap or touch become one. */
    struct host_event *ranges = self->loading.items;
    size_t kept = 0;
    for (size_t i = 0; i < self->loading.count; i++) {
        if (kept && ranges[i].start <= ranges[kept - 1].end)
            ranges[kept - 1].end =
                ranges[i].end > ranges[kept - 1].end ? ranges[i].end : ranges[kept - 1].end;
        else
            ranges[kept++] = ranges[i];
    }
    self->loading.count = kept;
    array_sort(&self->events, compare_events);
}

bool thread_next_stretch(const struct host_thread *self, struct host_event *stretch, size_t *next)
{
    const struct host_event *events = self->events.items;
    if (*next == self->events.count)
        return false;
    *stretch = events[*next];
    while (++*next < self->events.count && events[*next].start <= stretch->end)
        if (events[*next].end > stretch->end)
            stretch->end = events[*next].end;
    return true;
}

/* Events that are looked through one by one: a tree of all would take as much room as they do. */
enum { BLOCK = 32 };

void thread_index(struct host_thread *self)
{
    size_t count = self->events.count, blocks = (count + BLOCK - 1) / BLOCK;
    if (self->ends.latest)
        return;
    end_tree_reserve(&self->ends, blocks);
    for (size_t block = 0; block < blocks; block++) {
        int64_t latest = INT64_MIN;
        for (size_t i = block * BLOCK; i < count && i < (block + 1) * BLOCK; i++)
            latest = self->events.items[i].end > latest ? self->events.items[i].end : latest;
        end_tree_set(&self->ends, block, latest);
    }
    end_tree_settle(&self->ends);
}

/* The last event below `place` that ends after a time, in the block of the one before it;
 * UINT32_MAX = none. */
static uint32_t last_in_block(const struct host_thread *self, size_t place, int64_t time)
{
    for (size_t first = (place - 1) / BLOCK * BLOCK; place-- > first;)
        if (self->events.items[place].end > time)
            return (uint32_t)place;
    return UINT32_MAX;
}

static uint32_t last_open(const struct host_thread *self, size_t started, int64_t time)
{
    uint32_t open = started ? last_in_block(self, started, time) : UINT32_MAX;
    size_t block = started ? (started - 1) / BLOCK : 0;
    if (open != UINT32_MAX || !block)
        return open;
    block = end_tree_last(&self->ends, block - 1, time);
    return block == END_TREE_NONE ? UINT32_MAX : last_in_block(self, (block + 1) * BLOCK, time);
}

uint32_t thread_open_at(const struct host_thread *self, int64_t time, int64_t *until)
{
    const struct host_event *events = self->events.items;
    size_t started, count = self->events.count;
    ARRAY_LOWER_BOUND(started, count, events[started].start <= time);
    uint32_t open = last_open(self, started, time);
    *until = started < count ? events[started].start : INT64_MAX;
    if (open != UINT32_MAX && events[open].end < *until)
        *until = events[open].end;
    return open;
}

void thread_free(struct host_thread *self)
{
    memory_free(self->process);
    memory_free(self->name);
    end_tree_free(&self->ends);
    arrays_free(&self->events, &self->loading, &self->partners);
}

/* A node's wait: the place of an edge with a mark above it, or the kind of the edge from the node
 * before it, above its subject. */
#define IS_LISTED 0x80000000u
enum { FOLLOWS_BITS = 27 };

uint32_t graph_node(struct graph *self, int64_t time)
{
    if (self->times.count >= GRAPH_NONE)
        return GRAPH_NONE;
    array_reserve(&self->times, 1);
    array_add(&self->heads, GRAPH_NONE);
    self->times.items[self->times.count++] = time;
    return (uint32_t)self->times.count - 1;
}

static bool add_edge(struct graph *self, const struct tie *edge)
{
    uint32_t place = (uint32_t)self->edges.count;
    if (self->edges.count >= IS_LISTED - 1)
        return false;
    array_add(&self->edges, (struct held_tie){edge->weight, edge->from, self->heads.items[edge->to],
                                              edge->about, edge->kind});
    self->heads.items[edge->to] = IS_LISTED | place;
    return true;
}

static inline bool is_mark(uint32_t head)
{
    return head != GRAPH_NONE && !(head & IS_LISTED);
}

/* The edge that a mark of a node stands for. */
static inline struct tie marked(const struct graph *self, uint32_t node, uint32_t mark)
{
    return (struct tie){.weight = self->times.items[node] - self->times.items[node - 1],
                        .from = node - 1,
                        .to = node,
                        .about = mark & ((1u << FOLLOWS_BITS) - 1),
                        .kind = mark >> FOLLOWS_BITS};
}

bool graph_edge(struct graph *self, uint32_t from, uint32_t to, int64_t weight, enum tie_kind kind,
                uint32_t about)
{
    if (from == GRAPH_NONE || to == GRAPH_NONE)
        return false;
    struct tie edge = {.weight = weight, .from = from, .to = to, .about = about, .kind = kind};
    const int64_t *times = self->times.items;
    uint32_t head = self->heads.items[to];
    self->has_backward |= times[from] > times[to] || (times[from] == times[to] && from >= to);
    if (is_mark(head)) {
        struct tie before = marked(self, to, head);
        self->heads.items[to] = GRAPH_NONE;
        if (!add_edge(self, &before))
            return false;
    }
    return add_edge(self, &edge);
}

bool graph_follow(struct graph *self, uint32_t to, enum tie_kind kind, uint32_t about)
{
    if (to == 0 || to == GRAPH_NONE)
        return false;
    int64_t passed = self->times.items[to] - self->times.items[to - 1];
    if (about >> FOLLOWS_BITS || passed < 0 || self->heads.items[to] != GRAPH_NONE)
        return graph_edge(self, to - 1, to, passed, kind, about);
    self->heads.items[to] = (uint32_t)kind << FOLLOWS_BITS | about;
    return true;
}

bool graph_follows(const struct graph *self, uint32_t node)
{
    return is_mark(self->heads.items[node]);
}

static inline struct tie listed(const struct graph *self, uint32_t node, uint32_t place)
{
    const struct held_tie *held = &self->edges.items[place];
    return (struct tie){held->weight, held->from, node, held->about, held->kind};
}

static inline bool next_edge(const struct graph *self, uint32_t node, uint32_t *head,
                             struct tie *edge)
{
    uint32_t at = *head;
    if (at == GRAPH_NONE)
        return false;
    bool is_listed = at & IS_LISTED;
    *edge = is_listed ? listed(self, node, at & ~IS_LISTED) : marked(self, node, at);
    *head = is_listed ? self->edges.items[at & ~IS_LISTED].next : GRAPH_NONE;
    return true;
}

bool graph_next(const struct graph *self, uint32_t node, uint32_t *head, struct tie *edge)
{
    return next_edge(self, node, head, edge);
}

void graph_redirect(struct graph *self, uint32_t from, const struct tie *instead)
{
    for (uint32_t at = self->heads.items[instead->to]; at != GRAPH_NONE && at & IS_LISTED;) {
        struct held_tie *held = &self->edges.items[at & ~IS_LISTED];
        if (held->from == from)
            *held = (struct held_tie){instead->weight, instead->from, held->next, instead->about,
                                      instead->kind};
        at = held->next;
    }
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
        (arrival == self->latest && edge->kind <= self->edge.kind))
        *self = (struct bond){*edge, arrival, true};
}

/* Finds the edge that binds a node, with weights and times of all before it as they are. */
static inline struct bond bond_of(const struct graph *self, uint32_t node)
{
    struct bond bond = {.is_any = false};
    struct tie edge;
    for (uint32_t head = self->heads.items[node]; next_edge(self, node, &head, &edge);)
        consider(&bond, &edge, self->times.items[edge.from] + edge.weight);
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

/* Finished nodes can lie past the window's end. */
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
    struct tie edge;
    memset(waiting, 0, (nodes + 1) * sizeof *waiting);
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t head = self->heads.items[node]; next_edge(self, node, &head, &edge);)
            waiting[edge.from]++;
    for (uint32_t end = (uint32_t)nodes; end-- > 0;) {
        if (waiting[end])
            continue;
        waiting[end] = 1;
        release(&order, end);
        while (order.behind < nodes) {
            uint32_t node = order.nodes[order.behind++];
            order.nodes[order.placed++] = node;
            waiting[node] = GRAPH_NONE; /* it is no end of its own */
            for (uint32_t head = self->heads.items[node]; next_edge(self, node, &head, &edge);)
                release(&order, edge.from);
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

void graph_order(struct graph *self)
{
    size_t nodes = self->times.count;
    struct memory *before = memory_enter(self->memory);
    if (!self->order)
        self->order = memory_list(nodes + 1, sizeof *self->order);
    memory_enter(before);
    uint32_t *waiting = memory_list(nodes + 1, sizeof *waiting);
    order_nodes(self, waiting);
    memory_free(waiting);
}

void graph_ready(struct graph *self)
{
    if (!self->order)
        graph_order(self);
}

typedef bool is_kept(const struct graph *self, const struct tie *edge, const bool *is_stuck);

/* A node that follows the one before it is never in a circle by that. */
static void drop_edges(struct graph *self, is_kept *keeps, const bool *is_stuck)
{
    for (uint32_t node = 0; node < self->times.count; node++) {
        uint32_t *link = &self->heads.items[node];
        while (*link != GRAPH_NONE && *link & IS_LISTED) {
            uint32_t place = *link & ~IS_LISTED;
            struct tie edge = listed(self, node, place);
            if (keeps(self, &edge, is_stuck))
                link = &self->edges.items[place].next;
            else {
                *link = self->edges.items[place].next;
                self->dropped[edge.kind]++;
            }
        }
    }
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

/* Edges against the order of the nodes are dropped from circles at one moment. */
static bool goes_up(const struct graph *self, const struct tie *edge, const bool *is_stuck)
{
    int64_t from = self->times.items[edge->from], to = self->times.items[edge->to];
    return !(is_stuck[edge->from] && is_stuck[edge->to]) || from < to ||
           (from == to && edge->from < edge->to);
}

static void break_circles(struct graph *self)
{
    size_t nodes = self->times.count;
    if (self->ordered == nodes)
        return;
    graph_drop_backward(self);
    graph_order(self);
    if (self->ordered == nodes)
        return;
    bool *is_stuck = memory_take(nodes + 1);
    graph_mark_stuck(self, is_stuck);
    drop_edges(self, goes_up, is_stuck);
    memory_free(is_stuck);
    graph_order(self);
}

void graph_settle(struct graph *self)
{
    if (!self->has_backward)
        return;
    graph_ready(self);
    break_circles(self);
}

size_t graph_replay(const struct graph *self, const struct graph_change *change, int64_t *times)
{
    size_t switches = 0;
    for (size_t place = 0; place < self->times.count; place++) {
        uint32_t node = self->order[place];
        struct bond now = bond_of(self, node), then = {.is_any = false};
        struct tie edge;
        if (!now.is_any) {
            times[node] = self->times.items[node];
            continue;
        }
        for (uint32_t head = self->heads.items[node]; next_edge(self, node, &head, &edge);)
            consider(&then, &edge,
                     times[edge.from] +
                         (change ? change->weight(change->context, &edge) : edge.weight));
        int64_t lag = self->times.items[node] - now.latest;
        if (change && change->lag)
            lag = change->lag(change->context, &now.edge, lag);
        times[node] = then.latest + lag;
        switches += then.edge.from != now.edge.from || then.edge.kind != now.edge.kind ||
                    then.edge.about != now.edge.about || then.edge.weight != now.edge.weight;
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
        struct bond bond = bond_of(self, node);
        if (!bond.is_any)
            continue;
        int64_t latest = slack[node] - (times[node] - bond.latest);
        struct tie edge;
        for (uint32_t head = self->heads.items[node]; next_edge(self, node, &head, &edge);)
            if (latest - edge.weight < slack[edge.from])
                slack[edge.from] = latest - edge.weight;
    }
    for (size_t i = 0; i < self->times.count; i++)
        slack[i] -= times[i];
}

void graph_free(struct graph *self)
{
    arrays_free(&self->times, &self->heads, &self->edges);
    memory_free(self->order);
    memset(self, 0, sizeof *self);
}
