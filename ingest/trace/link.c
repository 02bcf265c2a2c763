/* link: see link.h.
 *
 * A launch arrow starts at the call and ends at the work, and both carry the same id, which is
 * the correlation id of both slices. An arrow has one head; graph launches start several pieces of
 * work, all with their id. An arrow's head
 * without its tail is no arrow, but the ids of call and work may still say who launched it.
 */
#include "ingest/trace/link.h"

#include "src/base/map.h"
#include "src/base/order.h"

/* ------------------------------------------------------------------ names */

static struct view slice_name(const struct trace *trace, uint32_t slice)
{
    return intern_view(&trace->strings, trace->slices.items[slice].name);
}

enum launch_kind { LAUNCH_ONE, LAUNCH_GRAPH, LAUNCH_GRAPH_VARIANT };

static enum launch_kind launch_kind(struct view name)
{
    if (view_equal(name, VIEW("cudaGraphLaunch")) || view_equal(name, VIEW("hipGraphLaunch")))
        return LAUNCH_GRAPH;
    if (view_equal(name, VIEW("cuGraphLaunch")) || view_starts_with(name, "cudaGraphLaunch") ||
        view_starts_with(name, "hipGraphLaunch"))
        return LAUNCH_GRAPH_VARIANT;
    return LAUNCH_ONE;
}

/* ------------------------------------------------------------------ launches */

struct linker {
    struct trace *trace;
    bool by_correlation; /* the id that links; otherwise the external id */
    bool any_arrow;
    struct map tails;       /* id -> seen */
    struct map heads;       /* id -> place */
    struct map work_at;     /* place, id -> gpu + 1, the last in file order */
    struct numbers work_of; /* id -> gpu + 1, the first; the rest through `more` */
    struct numbers call_of; /* id -> call + 1, the last that launches all work with it */
    uint32_t *more;         /* gpu -> gpu + 1 with the same id, in file order */
    uint32_t *name_kind;    /* name -> launch kind + 1 */
};

static int64_t link_id(const struct linker *self, int64_t correlation, int64_t external)
{
    return self->by_correlation ? correlation : external;
}

/* The first call that launches says which id the profiler links by. */
static void choose_id(struct linker *self)
{
    const struct trace *trace = self->trace;
    const struct call_slice *chosen = NULL;
    for (size_t i = 0; i < trace->calls.count && !chosen; i++)
        if (view_contains_ignoring_case(slice_name(trace, trace->calls.items[i].slice), "launch"))
            chosen = &trace->calls.items[i];
    if (!chosen && trace->calls.count)
        chosen = &trace->calls.items[0];
    self->by_correlation = !chosen || chosen->correlation != NONE;
}

static void gather_arrows(struct linker *self)
{
    const struct trace *trace = self->trace;
    for (size_t i = 0; i < trace->flows.count; i++) {
        const struct flow *flow = &trace->flows.items[i];
        if (flow->kind != FLOW_LAUNCH)
            continue;
        map_set(flow->is_end ? &self->heads : &self->tails, flow->id, 0, flow->place);
        self->any_arrow = true;
    }
    for (size_t i = 0; i < trace->flows.count; i++) {
        const struct flow *flow = &trace->flows.items[i];
        if (flow->kind == FLOW_LAUNCH &&
            !map_get(flow->is_end ? &self->tails : &self->heads, flow->id, 0))
            note_count(&self->trace->notes, NOTE_FLOW_HALF, 1, flow->uid, -1);
    }
}

static void reserve_numbers(struct linker *self)
{
    const struct trace *trace = self->trace;
    for (size_t i = 0; i < trace->gpus.count; i++)
        numbers_expect(&self->work_of, link_id(self, trace->gpus.items[i].correlation,
                                               trace->gpus.items[i].external));
    for (size_t i = 0; i < trace->calls.count; i++)
        numbers_expect(&self->call_of, link_id(self, trace->calls.items[i].correlation,
                                               trace->calls.items[i].external));
    numbers_reserve(&self->work_of);
    numbers_reserve(&self->call_of);
}

static void gather_work(struct linker *self)
{
    const struct trace *trace = self->trace;
    for (size_t i = trace->gpus.count; i-- > 0;) {
        const struct gpu_slice *gpu = &trace->gpus.items[i];
        int64_t id = link_id(self, gpu->correlation, gpu->external);
        if (id == NONE)
            continue;
        uint32_t *first = numbers_put(&self->work_of, id);
        if (self->any_arrow) { /* only those ask for it */
            uint32_t *at = map_put(&self->work_at, trace->slices.items[gpu->slice].place, id);
            if (!*at)
                *at = (uint32_t)i + 1;
        }
        self->more[i] = *first;
        *first = (uint32_t)i + 1;
    }
}

static enum launch_kind kind_of_call(struct linker *self, const struct call_slice *call)
{
    uint32_t name = self->trace->slices.items[call->slice].name;
    if (!self->name_kind[name])
        self->name_kind[name] = (uint32_t)launch_kind(intern_view(&self->trace->strings, name)) + 1;
    return (enum launch_kind)(self->name_kind[name] - 1);
}

/* A variant of a graph launch is one when there are several GPU activities. */
static bool is_fallback(struct linker *self, const struct call_slice *call, int64_t id)
{
    uint32_t first = numbers_get(&self->work_of, id);
    return kind_of_call(self, call) == LAUNCH_GRAPH_VARIANT && first && self->more[first - 1];
}

/* All work with its id, and not only what its arrow points at. */
static bool launches_all(struct linker *self, const struct call_slice *call, int64_t id)
{
    return !self->any_arrow || kind_of_call(self, call) == LAUNCH_GRAPH ||
           is_fallback(self, call, id);
}

/* The last of several calls that launch all work with the same id has it. */
static void gather_calls(struct linker *self)
{
    struct trace *trace = self->trace;
    for (size_t i = 0; i < trace->calls.count; i++) {
        const struct call_slice *call = &trace->calls.items[i];
        int64_t id = link_id(self, call->correlation, call->external);
        if (id == NONE || !launches_all(self, call, id))
            continue;
        uint32_t *value = numbers_put(&self->call_of, id);
        *value = (uint32_t)i + 1;
        if (is_fallback(self, call, id))
            note_count(&trace->notes, NOTE_GRAPH_FALLBACK, 1, trace->slices.items[call->slice].uid,
                       -1);
    }
}

static void link_work(struct linker *self, uint32_t gpu, uint32_t call, enum launch_link link)
{
    self->trace->gpus.items[gpu].call = call + 1;
    self->trace->links.items[gpu] = (uint8_t)link;
}

static void link_call(struct linker *self, uint32_t index)
{
    const struct call_slice *call = &self->trace->calls.items[index];
    int64_t id = link_id(self, call->correlation, call->external);
    if (id == NONE)
        return;
    if (launches_all(self, call, id)) {
        if (numbers_get(&self->call_of, id) == index + 1) {
            struct trace *trace = self->trace;
            for (uint32_t gpu = numbers_get(&self->work_of, id); gpu; gpu = self->more[gpu - 1]) {
                link_work(self, gpu - 1, index, self->any_arrow ? LINK_GRAPH : LINK_ID);
                if (!self->any_arrow && trace->has_arrows)
                    note_count(&trace->notes, NOTE_LAUNCH_BY_CORRELATION, 1,
                               trace->slices.items[trace->gpus.items[gpu - 1].slice].uid, -1);
            }
        }
    } else if (map_get(&self->tails, id, 0)) {
        uint32_t one = map_get(&self->work_at, map_get(&self->heads, id, 0), id);
        if (one)
            link_work(self, one - 1, index, LINK_ARROW);
    }
}

/* Work and calls without ids: an arrow starts where the call starts and ends where the work
 * starts. */
static void link_by_position(struct linker *self)
{
    struct trace *trace = self->trace;
    struct map calls = {0}, work = {0}, tails = {0};
    for (size_t i = 0; i < trace->calls.count; i++) {
        const struct slice *slice = &trace->slices.items[trace->calls.items[i].slice];
        map_set(&calls, slice->place, slice->start, (uint32_t)i + 1);
    }
    for (size_t i = 0; i < trace->gpus.count; i++) {
        const struct gpu_slice *gpu = &trace->gpus.items[i];
        const struct slice *slice = &trace->slices.items[gpu->slice];
        if (!gpu->call && link_id(self, gpu->correlation, gpu->external) == NONE)
            map_set(&work, slice->place, slice->start, (uint32_t)i + 1);
    }
    for (size_t i = 0; i < trace->flows.count && work.count; i++) {
        const struct flow *flow = &trace->flows.items[i];
        if (flow->kind == FLOW_LAUNCH && !flow->is_end)
            map_set(&tails, flow->id, 0, map_get(&calls, flow->place, flow->time));
    }
    for (size_t i = 0; i < trace->flows.count && work.count; i++) {
        const struct flow *flow = &trace->flows.items[i];
        if (flow->kind != FLOW_LAUNCH || !flow->is_end)
            continue;
        uint32_t call = map_get(&tails, flow->id, 0);
        uint32_t gpu = map_get(&work, flow->place, flow->time);
        if (!call || !gpu)
            continue;
        link_work(self, gpu - 1, call - 1, LINK_PLACE);
        note_count(&trace->notes, NOTE_LAUNCH_BY_POSITION, 1,
                   trace->slices.items[trace->gpus.items[gpu - 1].slice].uid, -1);
    }
    map_free(&calls);
    map_free(&work);
    map_free(&tails);
}

/* One head of an arrow with several holds above. The others count where ids do not link by
 * themselves. */
static void link_by_heads(struct linker *self)
{
    struct trace *trace = self->trace;
    struct map calls = {0}; /* external id -> call + 1, the last */
    for (size_t i = 0; i < trace->calls.count; i++) {
        const struct call_slice *call = &trace->calls.items[i];
        if (call->external != NONE && map_get(&self->tails, call->external, 0))
            map_set(&calls, call->external, 0, (uint32_t)i + 1);
    }
    for (size_t i = 0; i < trace->flows.count && calls.count; i++) {
        const struct flow *flow = &trace->flows.items[i];
        if (flow->kind != FLOW_LAUNCH || !flow->is_end)
            continue;
        uint32_t call = map_get(&calls, flow->id, 0);
        uint32_t gpu = map_get(&self->work_at, flow->place, flow->id);
        if (call && gpu && !trace->gpus.items[gpu - 1].call)
            link_work(self, gpu - 1, call - 1, LINK_HEAD);
    }
    map_free(&calls);
}

/* A call by what tells it from others with the same correlation id. */
struct named_call {
    int64_t correlation, start;
    uint32_t call;
};

ORDER_BY(compare_named, struct named_call, UP(correlation) || UP(start) || UP(call));

/* Zero is the id of nothing. */
static bool is_named(int64_t correlation)
{
    return correlation != NONE && correlation != 0;
}

/* Profilers write arrows without a tail, and none to each GPU activity of a call that launches
 * several; but both ends carry the correlation id. */
static void link_by_correlation(struct linker *self)
{
    struct trace *trace = self->trace;
    ARRAY(struct named_call) calls = {0};
    bool any = false;
    for (size_t i = 0; i < trace->gpus.count && !any; i++)
        any = !trace->gpus.items[i].call && is_named(trace->gpus.items[i].correlation);
    for (size_t i = 0; i < trace->calls.count && any; i++) {
        const struct call_slice *call = &trace->calls.items[i];
        int64_t start = trace->slices.items[call->slice].start;
        if (is_named(call->correlation))
            array_add(&calls, (struct named_call){call->correlation, start, (uint32_t)i});
    }
    array_sort(&calls, compare_named);
    for (size_t i = 0; i < trace->gpus.count && calls.count; i++) {
        const struct gpu_slice *gpu = &trace->gpus.items[i];
        if (gpu->call || !is_named(gpu->correlation))
            continue;

        /* The last of the calls with the same id that starts no later than the work, else the
         * first. */
        const struct named_call *items = calls.items;
        size_t count = calls.count;
        int64_t correlation = gpu->correlation;
        int64_t start = trace->slices.items[gpu->slice].start;
        struct named_call behind = {correlation, start, UINT32_MAX};
        size_t place;
        ARRAY_LOWER_BOUND(place, count, compare_named(&items[place], &behind) < 0);
        const struct named_call *named;
        if (place > 0 && items[place - 1].correlation == correlation)
            named = &items[place - 1];
        else
            named = place < count && items[place].correlation == correlation ? &items[place] : NULL;
        if (named)
            link_work(self, (uint32_t)i, named->call, LINK_CORRELATION);
    }
    array_free(&calls);
}

static uint32_t *origin_of(struct trace *trace, uint32_t gpu)
{
    if (!trace->origins.count) {
        array_reserve(&trace->origins, trace->gpus.count);
        trace->origins.count = trace->gpus.count;
        memset(trace->origins.items, 0, trace->gpus.count * sizeof *trace->origins.items);
    }
    return &trace->origins.items[gpu];
}

/* It takes no time, at the start of the launch. */
static struct replay *add_replay(struct trace *trace, uint32_t recorded, struct call_slice *call)
{
    const struct slice *launch = &trace->slices.items[call->slice];
    struct slice op = trace->slices.items[recorded];
    op.start = launch->start;
    op.duration = 0;
    op.place = launch->place;
    op.uid = trace_new_uid(trace);
    op.side = 0;
    array_add(&trace->slices, op);
    array_add(&trace->replays,
              (struct replay){(uint32_t)trace->slices.count - 1, 0, 0, call->replays});
    call->replays = (uint32_t)trace->replays.count;
    return &trace->replays.items[trace->replays.count - 1];
}

ORDER_BY(compare_recorded, struct recorded, UP(work));

static void link_launches(struct trace *trace)
{
    struct linker self = {.trace = trace};
    self.more = memory_zeroed(trace->gpus.count + 1, sizeof *self.more);
    self.name_kind = memory_zeroed(intern_count(&trace->strings) + 1, sizeof *self.name_kind);
    array_reserve(&trace->links, trace->gpus.count);
    for (size_t i = 0; i < trace->gpus.count; i++)
        trace->links.items[trace->links.count++] = LINK_NONE;
    choose_id(&self);
    reserve_numbers(&self);
    gather_arrows(&self);
    gather_work(&self);
    gather_calls(&self);
    for (size_t i = 0; i < trace->calls.count; i++)
        link_call(&self, (uint32_t)i);
    if (self.any_arrow)
        link_by_position(&self);
    if (!self.by_correlation)
        link_by_heads(&self);
    link_by_correlation(&self);

    /* Every launch of a graph gets copies of the ops that recorded its work. */
    struct map replays = {0}; /* call, op -> index + 1 */
    array_sort(&trace->recorded, compare_recorded);
    for (size_t i = trace->recorded.count; i-- > 0;) {
        const struct recorded *recorded = &trace->recorded.items[i];
        uint32_t gpu = trace->slices.items[recorded->work].side;
        uint32_t call = trace->gpus.items[gpu].call;
        if (!call)
            continue;
        uint32_t *known = map_put(&replays, call, recorded->op);
        struct replay *replay =
            *known ? &trace->replays.items[*known - 1]
                   : add_replay(trace, recorded->op, &trace->calls.items[call - 1]);
        *known = (uint32_t)(replay - trace->replays.items) + 1;
        *origin_of(trace, gpu) = replay->slice + 1;
    }
    map_free(&replays);
    memory_free(self.more);
    memory_free(self.name_kind);
    map_free(&self.tails);
    map_free(&self.heads);
    map_free(&self.work_at);
    numbers_free(&self.work_of);
    numbers_free(&self.call_of);
}

/* An op that work comes from: where no call launched it, the op did. */
static void link_demand(struct trace *trace, uint32_t op, uint32_t gpu, enum launch_link link)
{
    if (trace->gpus.items[gpu].call) {
        *origin_of(trace, gpu) = op + 1;
        return;
    }
    uint32_t *known = map_put(&trace->launching_ops, op, 0);
    if (!*known) {
        array_add(&trace->calls, (struct call_slice){.slice = op,
                                                     .op = op + 1,
                                                     .launcher = op + 1,
                                                     .correlation = NONE,
                                                     .external = NONE});
        *known = (uint32_t)trace->calls.count;
    }
    trace->gpus.items[gpu].call = *known;
    trace->links.items[gpu] = (uint8_t)link;
}

/* Where ops leave launches to another thread, or to what no profiler sees, arrows lead from them to
 * the work. */
static void link_demands(struct trace *trace)
{
    struct map ops = {0}, work = {0}, tails = {0};
    bool any = false;
    for (size_t i = 0; i < trace->flows.count && !any; i++)
        any = trace->flows.items[i].kind == FLOW_DEMAND;
    for (size_t i = 0; i < trace->slices.count && any; i++) {
        const struct slice *slice = &trace->slices.items[i];
        enum role role = trace_role(trace, slice);
        struct map *starts = role == ROLE_OP ? &ops : role == ROLE_GPU ? &work : NULL;
        if (starts) /* of ops that start together the last is the innermost */
            map_set(starts, slice->place, slice->start, (uint32_t)i + 1);
    }
    for (int ends = 0; ends < 2 && any; ends++)
        for (size_t i = 0; i < trace->flows.count; i++) {
            const struct flow *flow = &trace->flows.items[i];
            if (flow->kind != FLOW_DEMAND || flow->is_end != (ends == 1))
                continue;
            uint32_t at = map_get(ends ? &work : &ops, flow->place, flow->time);
            uint32_t tail = ends ? map_get(&tails, flow->id, 0) : at;
            if (!ends)
                map_set(&tails, flow->id, 0, at);
            if (!at || !tail)
                note_count(&trace->notes, NOTE_DEMAND_UNUSED, 1, flow->uid, -1);
            else if (ends)
                link_demand(trace, tail - 1, trace->slices.items[at - 1].side, LINK_ARROW);
        }
    map_free(&ops);
    map_free(&work);
    map_free(&tails);
}

/* ------------------------------------------------------------------ ops around work in time */

/* An op or call of the host, or a GPU activity. */
struct timed {
    int64_t start, end;
    uint32_t slice;
    uint32_t above; /* index + 1 of what is open on its thread when it starts; 0 = nothing */
    bool is_work;
};

ORDER_BY(compare_timed, struct timed, UP(start) || UP(is_work) || DOWN(end) || UP(slice));

/* GPU activities that the file itself calls so, none of them with a number. */
static bool is_without_ids(const struct trace *trace)
{
    for (size_t i = 0; i < trace->gpus.count; i++) {
        const struct gpu_slice *gpu = &trace->gpus.items[i];
        unsigned category = trace->slices.items[gpu->slice].category;
        if (gpu->call || is_named(gpu->correlation) || category < CATEGORY_KERNEL ||
            category > CATEGORY_MEMSET)
            return false;
    }
    return trace->gpus.count;
}

/* Links work to the innermost op or call that holds all of it, else to the innermost one that is
 * open when it starts, `at` - 1; not to a call that waits. */
static void link_around(struct trace *trace, const struct timed *timed, size_t at,
                        const struct timed *work)
{
    enum { DEPTH_MAX = 64 };
    size_t around = at;
    for (int depth = 0; at && depth < DEPTH_MAX; at = timed[at - 1].above, depth++)
        if (timed[at - 1].end >= work->end) {
            around = at;
            break;
        }
    uint32_t slice = timed[around - 1].slice, gpu = trace->slices.items[work->slice].side;
    if (view_contains_ignoring_case(slice_name(trace, slice), "synchronize"))
        return;
    note_count(&trace->notes, NOTE_LAUNCH_BY_TIME, 1, trace->slices.items[work->slice].uid, -1);
    if (trace_role(trace, &trace->slices.items[slice]) == ROLE_OP) {
        link_demand(trace, slice, gpu, LINK_TIME);
        return;
    }
    trace->gpus.items[gpu].call = trace->slices.items[slice].side + 1;
    trace->links.items[gpu] = LINK_TIME;
}

/* Where no GPU activity has an id, it belongs to what is open around it, on one thread alone. */
static void link_by_time(struct trace *trace)
{
    ARRAY(struct timed) timed = {0};
    struct {
        int64_t until;
        size_t top; /* index + 1 of the innermost */
    } *threads = memory_zeroed(intern_count(&trace->places) + 1, sizeof *threads);
    for (size_t i = 0; i < trace->slices.count; i++) {
        const struct slice *slice = &trace->slices.items[i];
        enum role role = trace_role(trace, slice);
        if (role == ROLE_OP || role == ROLE_CALL || role == ROLE_GPU)
            array_add(&timed, (struct timed){slice->start, slice->start + slice->duration,
                                             (uint32_t)i, 0, role == ROLE_GPU});
    }
    array_sort(&timed, compare_timed);
    uint32_t longest = 0;      /* the thread that has something open for longest, */
    int64_t other = INT64_MIN; /* and until when another one has */
    for (size_t i = 0; i < timed.count; i++) {
        struct timed *host = &timed.items[i];
        uint32_t place = host->is_work ? longest : trace->slices.items[host->slice].place;
        size_t top = threads[place].top;
        while (top && timed.items[top - 1].end <= host->start)
            top = timed.items[top - 1].above;
        threads[place].top = top;
        if (host->is_work) {
            if (top && other <= host->start)
                link_around(trace, timed.items, top, host);
            continue;
        }
        host->above = (uint32_t)top;
        threads[place].top = i + 1;
        if (!top || host->end > threads[place].until)
            threads[place].until = host->end;
        bool is_longest = !longest || threads[place].until > threads[longest].until;
        int64_t lesser = threads[is_longest ? longest : place].until;
        if (place != longest && longest && lesser > other)
            other = lesser;
        longest = is_longest ? place : longest;
    }
    array_free(&timed);
    memory_free(threads);
}

/* The op in its call that work belongs to; NULL = none. Their slices follow each other. */
static struct replay *replay_of(const struct trace *trace, size_t gpu)
{
    uint32_t origin = trace->origins.count && trace->replays.count ? trace->origins.items[gpu] : 0;
    uint32_t first = origin ? trace->replays.items[0].slice : 0;
    return origin && origin - 1 >= first ? &trace->replays.items[origin - 1 - first] : NULL;
}

/* ------------------------------------------------------------------ forward and backward */

static void add_edge(struct trace *trace, uint32_t from, uint32_t to, enum edge_kind kind)
{
    array_add(&trace->edges, (struct edge){from, to, kind});
}

ORDER_BY(compare_sequences, struct sequence, UP(number) || UP(slice));

/* The backward op of a sequence number is the first evaluation by the autograd engine; its
 * forward op is the latest one on another thread. */
static void link_sequence(struct trace *trace, const struct sequence *items, size_t count)
{
    const struct slice *slices = trace->slices.items;
    const struct sequence *backward = NULL, *forward = NULL;
    for (size_t i = 0; i < count && !backward; i++)
        if (view_starts_with(slice_name(trace, items[i].slice),
                             "autograd::engine::evaluate_function:"))
            backward = &items[i];
    if (!backward)
        return;
    for (size_t i = 0; i < count; i++)
        if (slices[items[i].slice].place != slices[backward->slice].place &&
            (!forward || slices[items[i].slice].start > slices[forward->slice].start))
            forward = &items[i];
    if (forward)
        add_edge(trace, forward->slice, backward->slice, EDGE_FORWARD_BACKWARD);
}

/* Adds an edge for a pair of threads that is new, unless other edges tell of it. */
static void keep_threads(struct trace *trace, struct map *known, uint32_t from, uint32_t to,
                         bool is_told)
{
    uint32_t place = trace->slices.items[from].place, other = trace->slices.items[to].place;
    if (place != other && !map_get(known, place, other)) {
        map_set(known, place, other, 1);
        if (!is_told)
            add_edge(trace, from, to, EDGE_SEQUENCE);
    }
}

/* Two threads, one with the backward op of a forward op of the other: one edge for two threads,
 * unless arrows or evaluations tell of them. Of a number so many forward ops are looked at. */
static void link_threads(struct trace *trace)
{
    enum { FORWARD_MAX = 16 };
    const struct slice *slices = trace->slices.items;
    const struct sequence *items = trace->sequences.items;
    struct map known = {0};
    for (size_t i = 0, told = trace->edges.count; i < told; i++)
        keep_threads(trace, &known, trace->edges.items[i].from, trace->edges.items[i].to, true);
    for (size_t start = 0, end; start < trace->sequences.count; start = end) {
        uint32_t forward[FORWARD_MAX];
        size_t count = 0;
        for (end = start; end < trace->sequences.count && items[end].number == items[start].number;
             end++)
            if (!items[end].is_backward && count < FORWARD_MAX &&
                (!count || slices[items[end].slice].place != slices[forward[count - 1]].place))
                forward[count++] = items[end].slice;
        for (size_t i = start; i < end && items[start].number >= 0; i++)
            for (size_t j = 0; j < count && items[i].is_backward; j++)
                keep_threads(trace, &known, forward[j], items[i].slice, false);
    }
    map_free(&known);
}

/* The profiler's own arrows from forward to backward: both ends are ops with sequence numbers. */
static void link_arrows(struct trace *trace)
{
    struct map ops = {0}, tails = {0};
    bool any = false;
    for (size_t i = 0; i < trace->flows.count && !any; i++)
        any = trace->flows.items[i].kind == FLOW_FORWARD_BACKWARD;
    for (size_t i = 0; i < trace->sequences.count && any; i++) {
        uint32_t index = trace->sequences.items[i].slice;
        const struct slice *slice = &trace->slices.items[index];
        map_set(&ops, slice->place, slice->start, index + 1);
    }
    for (int ends = 0; ends < 2 && any; ends++)
        for (size_t i = 0; i < trace->flows.count; i++) {
            const struct flow *flow = &trace->flows.items[i];
            if (flow->kind != FLOW_FORWARD_BACKWARD || flow->is_end != (ends == 1))
                continue;
            uint32_t op = map_get(&ops, flow->place, flow->time);
            uint32_t tail = map_get(&tails, flow->id, 0);
            if (!op)
                note_count(&trace->notes, NOTE_FLOW_WITHOUT_EVENT, 1, flow->uid, -1);
            if (!ends)
                map_set(&tails, flow->id, 0, op);
            else if (tail && op)
                add_edge(trace, tail - 1, op - 1, EDGE_FLOW);
        }
    map_free(&ops);
    map_free(&tails);
}

void link_trace(struct trace *trace)
{
    link_launches(trace);
    link_demands(trace);
    if (trace->has_ops_around && is_without_ids(trace))
        link_by_time(trace);

    /* Ops of one sequence number, from forward to backward. */
    const struct sequence *items = trace->sequences.items;
    size_t count = trace->sequences.count;
    array_sort(&trace->sequences, compare_sequences);
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && items[end].number == items[start].number;)
            end++;
        link_sequence(trace, items + start, end - start);
    }
    link_arrows(trace);
    link_threads(trace);

    /* Strings the work of each call together, and that of each op in it, in file order. */
    for (size_t i = 0; i < trace->gpus.count; i++) {
        struct gpu_slice *gpu = &trace->gpus.items[i];
        const struct slice *slice = &trace->slices.items[gpu->slice];
        if (!gpu->call) {
            note_count(&trace->notes, NOTE_GPU_WITHOUT_LAUNCH, trace->has_launches, slice->uid, -1);
            continue;
        }
        struct call_slice *call = &trace->calls.items[gpu->call - 1];
        struct replay *replay = replay_of(trace, i);
        uint32_t *first = replay ? &replay->first : &call->first;
        uint32_t *last = replay ? &replay->last : &call->last;
        if (*last)
            trace->gpus.items[*last - 1].next = (uint32_t)i + 1;
        else
            *first = (uint32_t)i + 1;
        *last = (uint32_t)i + 1;
        call->count += !replay;
        if (slice->start < trace->slices.items[call->slice].start)
            note_count(&trace->notes, NOTE_LAUNCH_BEFORE_CALL, 1, slice->uid, -1);
    }
    arrays_free(&trace->flows, &trace->sequences, &trace->recorded);
}
