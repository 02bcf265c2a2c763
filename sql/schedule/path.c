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

static bool put(segment_list *path, int64_t from, int64_t to, struct segment about)
{
    if (from == to)
        return true;
    struct segment *added = array_push(path);
    if (!added)
        return false;
    about.from = from;
    about.to = to;
    about.kind = to > from ? about.kind : (uint8_t)SEGMENT_CLOCK;
    *added = about;
    return true;
}

static struct segment about_work(const struct work *work, enum segment_kind kind)
{
    return (struct segment){.id = work->id, .work = (uint32_t)work->name, .kind = (uint8_t)kind};
}

/* A piece of a thread in which one event or none is open, cut where data is loaded. */
static bool put_piece(segment_list *path, const struct host_thread *thread, int64_t from,
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
static bool put_thread(segment_list *path, const struct host_thread *thread, int64_t from,
                       int64_t to, enum segment_kind idle)
{
    bool done = true;
    while (from < to && done) {
        int64_t until;
        uint32_t open = thread_open_at(thread, from, &until);
        for (int64_t next; until < to && thread_open_at(thread, until, &next) == open;)
            until = next;
        until = until < to ? until : to;
        struct segment about = {.track = (uint32_t)thread->track, .kind = (uint8_t)idle};
        if (open != UINT32_MAX) {
            about.id = thread->events.items[open].id;
            about.kind = thread->events.items[open].call ? SEGMENT_RUNTIME_CALL : SEGMENT_HOST_OP;
        }
        done = put_piece(path, thread, from, until, about);
        from = until;
    }
    return done;
}

static bool put_launch(segment_list *path, const struct schedule *self, const struct work *work,
                       int64_t from, int64_t to)
{
    const struct call *call = &self->calls.items[work->call - 1];
    int64_t back = call->end > from ? call->end : from;
    back = to > from && back < to ? back : to;
    struct segment calling = {.id = call->id,
                              .track = (uint32_t)self->threads.items[call->thread].track,
                              .kind = SEGMENT_LAUNCH_CALL};
    bool is_known = to - back <= self->limits.unknown;
    return put(path, from, back, calling) &&
           put(path, back, to, about_work(work, is_known ? SEGMENT_LAUNCH : SEGMENT_UNKNOWN));
}

static bool put_gap(segment_list *path, const struct schedule *self, const struct work *work,
                    int64_t from, int64_t to, enum segment_kind kind, enum schedule_word word)
{
    struct segment about =
        about_work(work, to - from <= self->limits.unknown ? kind : SEGMENT_UNKNOWN);
    about.word = (uint8_t)word;
    return put(path, from, to, about);
}

static bool put_edge(segment_list *path, const struct schedule *self, const struct tie *edge)
{
    static const enum segment_kind spans[] = {
        [WORK_COMPUTATION] = SEGMENT_COMPUTATION,
        [WORK_COMMUNICATION] = SEGMENT_COMMUNICATION,
        [WORK_MEMORY] = SEGMENT_COPY,
    };
    int64_t from = self->graph->times.items[edge->from], to = self->graph->times.items[edge->to];
    uint32_t place = schedule_work_of(edge);
    bool is_work = edge->kind != TIE_CHAIN && edge->kind != TIE_HANDOVER &&
                   edge->kind != TIE_SYNC && place != GRAPH_NONE;
    const struct work *work = is_work ? &self->works.items[place] : NULL;
    switch ((enum tie_kind)edge->kind) {
    case TIE_SPAN:
        return put(path, from, to, about_work(work, spans[work->class]));
    case TIE_LAUNCH:
        return put_launch(path, self, work, from, to);
    case TIE_STREAM:
        return put_gap(path, self, work, from, to, SEGMENT_KERNEL_GAP, 0);
    case TIE_WAIT:
        return put_gap(path, self, work, from, to, SEGMENT_WAIT_GAP, schedule_word_of(edge));
    case TIE_SYNC: {
        const struct thread_point *point = &self->points.items[edge->to - self->source - 1];
        const struct host_thread *thread = &self->threads.items[point->thread];
        struct segment about = {.id = thread->events.items[point->event].id,
                                .track = (uint32_t)thread->track,
                                .kind = SEGMENT_SYNC_RETURN,
                                .word = (uint8_t)schedule_word_of(edge)};
        return put(path, from, to, about);
    }
    case TIE_CHAIN:
    case TIE_HANDOVER:
        if (to < from)
            return put(path, from, to, (struct segment){.kind = SEGMENT_CLOCK});
        return put_thread(path, &self->threads.items[edge->about], from, to,
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
static bool put_earlier(segment_list *path, const struct schedule *self, uint32_t first)
{
    for (size_t i = 0; i < self->works.count; i++)
        if (self->works.items[i].is_earlier && self->works.items[i].end_node == first)
            return put(path, self->begin, self->works.items[i].end,
                       about_work(&self->works.items[i], SEGMENT_EARLIER));
    return true;
}

static void mark_part(segment_list *path, size_t from, uint32_t part)
{
    for (; from < path->count; from++)
        path->items[from].part = part;
}

bool path_make(const struct plan *self, segment_list *path)
{
    const struct graph *graph = &self->graph;
    ARRAY(uint32_t) back = {0}; /* binding edges from the end */
    bool done = true;
    uint32_t first = self->sink;
    for (uint32_t edge; done && (edge = graph->binding[first]) != GRAPH_NONE;) {
        done = array_add(&back, edge);
        first = graph->edges.items[edge].from;
    }
    uint32_t part = plan_part(self, first);
    size_t begun = path->count;
    done = done && put_earlier(path, &self->parts.items[part], first);
    mark_part(path, begun, part);
    for (size_t i = back.count; i-- > 0 && done;) {
        const struct tie *edge = &graph->edges.items[back.items[i]];
        size_t before = path->count;
        part = plan_part(self, plan_is_shared(self, edge->to) ? edge->from : edge->to);
        done = put_edge(path, &self->parts.items[part], edge);
        mark_part(path, before, part);
    }
    array_free(&back);
    return done;
}
