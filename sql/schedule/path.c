/* path: The path is made from its end to its beginning. Each kind of edge has its pieces;
 * neighbours about the same event between two nodes are one. */
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

/* Goes on with what lies between two moments. */
static void go_back(struct maker *self, int64_t from, int64_t to)
{
    self->path->has_hole |= self->is_begun && to != self->at;
    self->is_begun = true;
    self->at = from;
}

static void put(struct maker *self, int64_t from, int64_t to, struct segment about)
{
    if (from == to)
        return;
    go_back(self, from, to);
    about.from = from;
    about.to = to;
    about.part = self->path->first_part + self->number;
    about.kind = to > from ? about.kind : (uint8_t)SEGMENT_CLOCK;
    array_add(self->path->pieces, about);
}

static void turn_round(segment_list *pieces, size_t first)
{
    for (size_t i = first, j = pieces->count; i + 1 < j; i++) {
        struct segment one = pieces->items[i];
        pieces->items[i] = pieces->items[--j];
        pieces->items[j] = one;
    }
}

static struct segment about_work(const struct work *work, enum segment_kind kind)
{
    return (struct segment){.number = work->id + 1, .about = work->name, .kind = (uint8_t)kind};
}

/* From node to node of a thread by the event that is open, cut where data is loaded. */
static void put_thread(struct maker *self, const struct tie *edge, int64_t from, int64_t to)
{
    const struct host_thread *thread = &self->part->threads.items[edge->about];
    const struct host_event *ranges = thread->loading.items;
    segment_list *pieces = self->path->pieces;
    size_t first = pieces->count;
    if (from == to)
        return;
    go_back(self, from, to);
    int64_t at = from, change;
    uint32_t open = thread_open_at(thread, at, &change), then = open;
    for (; at < to; open = then) {
        int64_t until = change, cut;
        while (until < to && (then = thread_open_at(thread, until, &change)) == open)
            until = change;
        until = until < to ? until : to;
        struct segment piece = {.about = (uint32_t)thread->track,
                                .part = self->path->first_part + self->number,
                                .kind = edge->kind == TIE_HANDOVER ? SEGMENT_HANDOVER
                                                                   : SEGMENT_HOST_OUTSIDE};
        if (open != UINT32_MAX) {
            piece.number = thread->events.items[open].id + 1;
            piece.kind =
                host_call(&thread->events.items[open]) ? SEGMENT_RUNTIME_CALL : SEGMENT_HOST_OP;
        }
        for (; at < until; at = cut) {
            size_t place, count = thread->loading.count;
            ARRAY_LOWER_BOUND(place, count, ranges[place].end <= at);
            bool is_cut = place < count && ranges[place].start < until;
            bool is_loading = is_cut && ranges[place].start <= at;
            cut = !is_cut ? until : is_loading ? ranges[place].end : ranges[place].start;
            cut = cut < until ? cut : until;
            struct segment part = piece;
            part.from = at;
            part.to = cut;
            part.kind = is_loading ? (uint8_t)SEGMENT_LOADING : piece.kind;
            array_add(pieces, part);
        }
    }
    turn_round(pieces, first);
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
    size_t first = self->pieces->count;
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
    turn_round(self->pieces, first);
}
