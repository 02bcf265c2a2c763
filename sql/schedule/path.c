/* path: see path.h. */
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

/* The path while it is made: where it is, and where its thread was looked at last. */
struct maker {
    struct path *path;
    const struct schedule *part;
    uint32_t number; /* of the part */
    int64_t at;
    bool is_begun;
    size_t near;
};

static bool put(struct maker *self, int64_t from, int64_t to, struct segment about)
{
    if (from == to)
        return true;
    if (!self->is_begun)
        self->path->begin = from;
    else if (from != self->at)
        self->path->has_hole = true;
    self->is_begun = true;
    self->at = to;
    about.to = to;
    about.part = self->number;
    about.kind = to > from ? about.kind : (uint8_t)SEGMENT_CLOCK;
    return array_add(self->path->pieces, about);
}

static struct segment about_work(const struct work *work, enum segment_kind kind)
{
    return (struct segment){.number = work->id + 1, .about = work->name, .kind = (uint8_t)kind};
}

/* A piece of a thread in which one event or none is open, cut where data is loaded. */
static bool put_piece(struct maker *path, const struct host_thread *thread, int64_t from,
                      int64_t to, struct segment about)
{
    const struct host_event *ranges = thread->loading.items;
    size_t place;
    bool done = true;
    ARRAY_LOWER_BOUND(place, thread->loading.count, ranges[place].end <= from);
    for (; place < thread->loading.count && ranges[place].start < to && done; place++) {
        int64_t start = ranges[place].start > from ? ranges[place].start : from;
        int64_t end = ranges[place].end < to ? ranges[place].end : to;
        struct segment loading = about;
        loading.kind = SEGMENT_LOADING;
        done = put(path, from, start, about) && put(path, start, end, loading);
        from = end;
    }
    return done && put(path, from, to, about);
}

/* The pieces of a thread; neighbours about the same event are one. */
static bool put_thread(struct maker *path, const struct host_thread *thread, int64_t from,
                       int64_t to, enum segment_kind idle)
{
    bool done = true;
    int64_t until;
    uint32_t open = thread_open_at(thread, from, &path->near, &until);
    while (from < to && done) {
        uint32_t then = open;
        int64_t next = until;
        while (until < to && (then = thread_open_at(thread, until, &path->near, &next)) == open)
            until = next;
        int64_t end = until < to ? until : to;
        struct segment about = {.about = (uint32_t)thread->track, .kind = (uint8_t)idle};
        if (open != UINT32_MAX) {
            const struct host_event *event = &thread->events.items[open];
            about.number = event->id + 1;
            about.kind = host_call(event) ? SEGMENT_RUNTIME_CALL : SEGMENT_HOST_OP;
        }
        done = put_piece(path, thread, from, end, about);
        from = end;
        open = then;
        until = next;
    }
    return done;
}

static bool put_launch(struct maker *path, const struct work *work, int64_t from, int64_t to)
{
    const struct call *call = &path->part->calls.items[work->call - 1];
    int64_t back = call->end > from ? call->end : from;
    back = to > from && back < to ? back : to;
    struct segment calling = {.number = call->id + 1,
                              .about = (uint32_t)path->part->threads.items[call->thread].track,
                              .kind = SEGMENT_LAUNCH_CALL};
    bool is_known = to - back <= path->part->limits.unknown;
    return put(path, from, back, calling) &&
           put(path, back, to, about_work(work, is_known ? SEGMENT_LAUNCH : SEGMENT_UNKNOWN));
}

static bool put_gap(struct maker *path, const struct work *work, int64_t from, int64_t to,
                    enum segment_kind kind, enum schedule_word word)
{
    struct segment about =
        about_work(work, to - from <= path->part->limits.unknown ? kind : SEGMENT_UNKNOWN);
    about.word = (uint8_t)word;
    return put(path, from, to, about);
}

static bool put_edge(struct maker *path, const struct tie *edge)
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
        return put(path, from, to, about_work(work, spans[work->class]));
    case TIE_LAUNCH:
        return put_launch(path, work, from, to);
    case TIE_STREAM:
        return put_gap(path, work, from, to, SEGMENT_KERNEL_GAP, 0);
    case TIE_WAIT:
        return put_gap(path, work, from, to, SEGMENT_WAIT_GAP, schedule_word_of(edge));
    case TIE_SYNC: {
        const struct call *call = &path->part->calls.items[edge->about >> SCHEDULE_WORD_BITS];
        struct segment about = {.number = call->id + 1,
                                .about = (uint32_t)path->part->threads.items[call->thread].track,
                                .kind = SEGMENT_SYNC_RETURN,
                                .word = (uint8_t)schedule_word_of(edge)};
        return put(path, from, to, about);
    }
    case TIE_CHAIN:
    case TIE_HANDOVER:
        if (to < from)
            return put(path, from, to, (struct segment){.kind = SEGMENT_CLOCK});
        return put_thread(path, &path->part->threads.items[edge->about], from, to,
                          edge->kind == TIE_HANDOVER ? SEGMENT_HANDOVER : SEGMENT_HOST_OUTSIDE);
    case TIE_SOURCE:
        return put(path, from, to,
                   work ? about_work(work, SEGMENT_UNKNOWN)
                        : (struct segment){.kind = SEGMENT_TAIL});
    case TIE_JOIN:
        return put(
            path, from, to,
            about_work(work, edge->to == work->end_node ? SEGMENT_TRANSFER : SEGMENT_ARRIVAL));
    case TIE_KINDS:
        break;
    }
    return true;
}

/* Where the path begins at the end of work from before the window, that is what passed first. */
static bool put_earlier(struct maker *path, uint32_t first)
{
    for (size_t i = 0; i < path->part->works.count; i++)
        if (path->part->works.items[i].is_earlier && path->part->works.items[i].end_node == first)
            return put(path, path->part->begin, path->part->works.items[i].end,
                       about_work(&path->part->works.items[i], SEGMENT_EARLIER));
    return true;
}

static bool index_threads(const struct plan *self)
{
    bool done = true;
    for (size_t i = 0; i < self->parts.count; i++)
        for (size_t j = 0; j < self->parts.items[i].threads.count && done; j++)
            done = thread_index(&self->parts.items[i].threads.items[j]);
    return done;
}

static void go_to_part(struct maker *self, const struct plan *plan, uint32_t node)
{
    self->number = plan_part(plan, node);
    self->part = &plan->parts.items[self->number];
}

bool path_make(const struct plan *plan, struct path *self)
{
    const struct graph *graph = &plan->graph;
    struct maker maker = {.path = self};
    ARRAY(uint32_t) back = {0}; /* nodes from the end */
    bool done = index_threads(plan);
    uint32_t first = plan->sink;
    struct tie edge;
    for (; done && graph_binding(graph, first, &edge, NULL); first = edge.from)
        done = array_add(&back, first);
    self->begin = graph->times.items[first];
    self->has_hole = false;
    go_to_part(&maker, plan, first);
    done = done && put_earlier(&maker, first);
    for (size_t i = back.count; i-- > 0 && done;) {
        graph_binding(graph, back.items[i], &edge, NULL);
        go_to_part(&maker, plan, plan_is_shared(plan, edge.to) ? edge.from : edge.to);
        done = put_edge(&maker, &edge);
    }
    array_free(&back);
    return done;
}
