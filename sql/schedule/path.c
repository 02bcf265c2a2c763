/* path: The path is made from its end to its beginning. Each kind of edge has its pieces;
 * neighbours about the same event are one. */
#include "sql/schedule/path.h"

const struct segment_words segment_words[SEGMENT_KINDS] = {
    [SEGMENT_HOST_OP] = {"host op", "cpu_bound", true, false},
    [SEGMENT_RUNTIME_CALL] = {"runtime call", "cpu_bound", true, false},
    [SEGMENT_HOST_OUTSIDE] = {"host outside ops", "cpu_bound", true, false},
    [SEGMENT_HANDOVER] = {"handover", "cpu_bound", true, false},
    [SEGMENT_LOADING] = {"data loading", "data_loading", true, false},
    [SEGMENT_SYNC_RETURN] = {"sync return", "cpu_bound", true, false},
    [SEGMENT_COMPUTATION] = {"computation", "gpu_compute_bound", false, true},
    [SEGMENT_COPY] = {"copy", "gpu_compute_bound", false, true},
    [SEGMENT_COMMUNICATION] = {"communication", "gpu_communication_bound", false, true},
    [SEGMENT_TRANSFER] = {"transfer", "gpu_communication_bound", false, true},
    [SEGMENT_ARRIVAL] = {"arrival", "gpu_communication_bound", false, false},
    [SEGMENT_KERNEL_GAP] = {"kernel gap", "gpu_kernel_kernel_overhead", false, false},
    [SEGMENT_WAIT_GAP] = {"wait gap", "gpu_kernel_kernel_overhead", false, false},
    [SEGMENT_LAUNCH_CALL] = {"launch call", "gpu_kernel_launch_overhead", true, false},
    [SEGMENT_LAUNCH] = {"launch", "gpu_kernel_launch_overhead", false, false},
    [SEGMENT_EARLIER] = {"earlier work", "earlier_work", false, false},
    [SEGMENT_UNKNOWN] = {"unknown", "unknown", false, false},
    [SEGMENT_TAIL] = {"tail", "tail", false, false},
    [SEGMENT_CLOCK] = {"clock", "clock", false, false},
};

/* The path while it is made, from its end to its beginning. */
struct maker {
    struct path *path;
    const struct schedule *part;
    uint32_t number; /* of the part */
    int64_t at;
    bool is_begun;
};

static void put(struct maker *self, int64_t from, int64_t to, struct segment about)
{
    if (from == to)
        return;
    self->path->has_hole |= self->is_begun && to != self->at;
    self->is_begun = true;
    self->at = from;
    about.to = to;
    about.part = self->number;
    about.kind = to > from ? about.kind : (uint8_t)SEGMENT_CLOCK;
    array_add(self->path->legs, about);
}

static struct segment about_work(const struct work *work, enum segment_kind kind)
{
    return (struct segment){.number = work->id + 1, .about = work->name, .kind = (uint8_t)kind};
}

/* From node to node of a thread: one leg as long as there is nothing else between. */
static void put_thread(struct maker *self, const struct tie *edge, int64_t from, int64_t to)
{
    segment_list *legs = self->path->legs;
    bool is_step = edge->kind == TIE_CHAIN && edge->from + 1 == edge->to;
    struct segment *last = legs->count ? &legs->items[legs->count - 1] : NULL;
    if (is_step && self->is_begun && last && last->is_thread && last->number == edge->to &&
        to == self->at) {
        last->number = edge->from;
        self->at = from;
        return;
    }
    enum segment_kind idle = edge->kind == TIE_HANDOVER ? SEGMENT_HANDOVER : SEGMENT_HOST_OUTSIDE;
    put(self, from, to,
        (struct segment){.number = is_step ? edge->from : GRAPH_NONE,
                         .about = edge->about,
                         .kind = (uint8_t)idle,
                         .is_thread = true});
}

static void put_launch(struct maker *path, const struct work *work, int64_t from, int64_t to)
{
    const struct call *call = &path->part->calls.items[work->call - 1];
    int64_t back = call->end > from ? call->end : from;
    back = to > from && back < to ? back : to;
    struct segment calling = {.number = call->id + 1,
                              .about = (uint32_t)path->part->threads.items[call->thread].track,
                              .kind = SEGMENT_LAUNCH_CALL};
    bool is_known = to - back <= path->part->limits.unknown;
    put(path, back, to, about_work(work, is_known ? SEGMENT_LAUNCH : SEGMENT_UNKNOWN));
    put(path, from, back, calling);
}

static void put_gap(struct maker *path, const struct work *work, int64_t from, int64_t to,
                    enum segment_kind kind, enum schedule_word word)
{
    struct segment about =
        about_work(work, to - from <= path->part->limits.unknown ? kind : SEGMENT_UNKNOWN);
    about.word = (uint8_t)word;
    put(path, from, to, about);
}

static void put_edge(struct maker *path, const struct tie *edge)
{
    static const enum segment_kind spans[] = {
        [WORK_COMPUTATION] = SEGMENT_COMPUTATION,
        [WORK_COMMUNICATION] = SEGMENT_COMMUNICATION,
        [WORK_MEMORY] = SEGMENT_COPY,
    };
    int64_t from = path->part->graph->times.items[edge->from],
            to = path->part->graph->times.items[edge->to];
    uint32_t place = schedule_work_of(edge);
    bool is_work = edge->kind != TIE_CHAIN && edge->kind != TIE_HANDOVER &&
                   edge->kind != TIE_SYNC && place != GRAPH_NONE;
    const struct work *work = is_work ? &path->part->works.items[place] : NULL;
    switch ((enum tie_kind)edge->kind) {
    case TIE_SPAN:
        put(path, from, to, about_work(work, spans[work->class]));
        return;
    case TIE_LAUNCH:
        put_launch(path, work, from, to);
        return;
    case TIE_STREAM:
        put_gap(path, work, from, to, SEGMENT_KERNEL_GAP, 0);
        return;
    case TIE_WAIT:
        put_gap(path, work, from, to, SEGMENT_WAIT_GAP, schedule_word_of(edge));
        return;
    case TIE_SYNC: {
        const struct call *call = &path->part->calls.items[edge->about >> SCHEDULE_WORD_BITS];
        struct segment about = {.number = call->id + 1,
                                .about = (uint32_t)path->part->threads.items[call->thread].track,
                                .kind = SEGMENT_SYNC_RETURN,
                                .word = (uint8_t)schedule_word_of(edge)};
        put(path, from, to, about);
        return;
    }
    case TIE_CHAIN:
    case TIE_HANDOVER:
        if (to < from) {
            put(path, from, to, (struct segment){.kind = SEGMENT_CLOCK});
            return;
        }
        put_thread(path, edge, from, to);
        return;
    case TIE_SOURCE:
        put(path, from, to,
            work ? about_work(work, SEGMENT_UNKNOWN) : (struct segment){.kind = SEGMENT_TAIL});
        return;
    case TIE_JOIN:
        put(path, from, to,
            about_work(work, edge->to == work->end_node ? SEGMENT_TRANSFER : SEGMENT_ARRIVAL));
        return;
    case TIE_KINDS:
        break;
    }
}

/* Where the path begins at the end of work from before the window, that is what passed first. */
static void put_earlier(struct maker *path, uint32_t first)
{
    for (size_t i = 0; i < path->part->works.count; i++)
        if (path->part->works.items[i].is_earlier && path->part->works.items[i].end_node == first) {
            put(path, path->part->begin, path->part->works.items[i].end,
                about_work(&path->part->works.items[i], SEGMENT_EARLIER));
            return;
        }
}

static void go_to_part(struct maker *self, const struct plan *plan, uint32_t node)
{
    if (self->part && node >= self->part->source && node < self->part->end_node)
        return;
    self->number = plan_part(plan, node);
    self->part = &plan->parts.items[self->number];
}

void path_make(struct plan *plan, struct path *self)
{
    for (size_t i = 0; i < plan->parts.count; i++)
        for (size_t j = 0; j < plan->parts.items[i].threads.count; j++)
            thread_index(&plan->parts.items[i].threads.items[j]);
    path_make_to(plan, self, plan->sink, INT64_MIN);
}

void path_make_to(struct plan *plan, struct path *self, uint32_t node, int64_t after)
{
    const struct graph *graph = &plan->graph;
    struct maker maker = {.path = self};
    bool is_bound = true;
    size_t first = self->legs->count;
    struct tie edge;
    self->has_hole = false;
    while (graph->times.items[node] > after &&
           (is_bound = graph_binding(graph, node, &edge, NULL))) {
        go_to_part(&maker, plan, plan_is_shared(plan, edge.to) ? edge.from : edge.to);
        put_edge(&maker, &edge);
        node = edge.from;
    }
    go_to_part(&maker, plan, node);
    if (!is_bound)
        put_earlier(&maker, node);
    self->begin = maker.is_begun ? maker.at : graph->times.items[node];
    struct segment *legs = self->legs->items;
    for (size_t i = first, j = self->legs->count; i + 1 < j; i++) {
        struct segment one = legs[i];
        legs[i] = legs[--j];
        legs[j] = one;
    }
}

/* ------------------------------------------------------------------ from piece to piece */

static void begin_leg(struct path_walk *self)
{
    self->leg = &self->legs[self->next++];
    self->thread = NULL;
    self->until = self->stop = self->change = INT64_MIN;
    if (!self->leg->is_thread)
        return;
    const struct schedule *part = &self->plan->parts.items[self->leg->part];
    self->thread = &part->threads.items[self->leg->about];
    self->node = self->leg->number;
}

void path_walk_begin(struct path_walk *self, const struct plan *plan, const struct segment *legs,
                     size_t count, int64_t begin, int64_t after)
{
    *self = (struct path_walk){.plan = plan, .legs = legs, .count = count};
    const int64_t *times = plan->graph.times.items;
    ARRAY_LOWER_BOUND(self->next, count, legs[self->next].to <= after);
    self->at = self->next ? legs[self->next - 1].to : begin;
    if (self->next == count || !legs[self->next].is_thread || self->at >= after)
        return;
    begin_leg(self);
    if (self->node == GRAPH_NONE)
        return;
    size_t behind, nodes = self->thread->first_node + self->thread->end_point -
                           self->thread->first_point - self->node;
    ARRAY_LOWER_BOUND(behind, nodes, times[self->node + behind] <= after);
    self->node += (uint32_t)(behind ? behind - 1 : 0);
    self->at = times[self->node] > self->at ? times[self->node] : self->at;
}

bool path_walk_next(struct path_walk *self)
{
    const int64_t *times = self->plan->graph.times.items;
    self->from = self->at;
    for (;;) {
        if (self->thread && self->at < self->until) {
            /* A piece in which one event or none is open, cut where data is loaded. */
            const struct host_event *ranges = self->thread->loading.items;
            size_t place, count = self->thread->loading.count;
            ARRAY_LOWER_BOUND(place, count, ranges[place].end <= self->at);
            self->piece = self->about;
            self->piece.to = self->until;
            if (place != count && ranges[place].start < self->until) {
                bool is_loading = ranges[place].start <= self->at;
                int64_t to = is_loading ? ranges[place].end : ranges[place].start;
                self->piece.to = to < self->until ? to : self->until;
                if (is_loading)
                    self->piece.kind = SEGMENT_LOADING;
            }
            break;
        }
        if (self->thread && self->at < self->stop) {
            /* Neighbours about the same event are one. */
            if (self->at >= self->change)
                self->open = thread_open_at(self->thread, self->at, &self->near, &self->change);
            uint32_t open = self->open, then = open;
            int64_t until = self->change, next = until;
            while (until < self->stop &&
                   (then = thread_open_at(self->thread, until, &self->near, &next)) == open)
                until = next;
            self->until = until < self->stop ? until : self->stop;
            self->about = (struct segment){.about = (uint32_t)self->thread->track,
                                           .part = self->leg->part,
                                           .kind = self->leg->kind};
            if (open != UINT32_MAX) {
                const struct host_event *event = &self->thread->events.items[open];
                self->about.number = event->id + 1;
                self->about.kind = host_call(event) ? SEGMENT_RUNTIME_CALL : SEGMENT_HOST_OP;
            }
            self->open = then;
            self->change = next;
        } else if (self->thread && self->at < self->leg->to) {
            while (self->node != GRAPH_NONE && times[self->node] <= self->at)
                self->node++;
            self->stop = self->node == GRAPH_NONE ? self->leg->to : times[self->node];
        } else if (self->next == self->count) {
            return false;
        } else {
            begin_leg(self);
            self->piece = *self->leg;
            if (!self->thread)
                break;
        }
    }
    self->at = self->piece.to;
    return true;
}
