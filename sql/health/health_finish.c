/* health_finish: the checks that look at a whole trace, once all of its events are there. See
 * health.h. */
#include "sql/health/health.h"

#include "src/base/order.h"

#include <math.h>

enum { SECOND = 1000000000 };

static void cannot_tell(struct health *self, enum health_check check, const char *reason)
{
    self->found[check].reason = reason;
}

/* ------------------------------------------------------------------ times */

/* The item that would stand at a place if they were sorted: by a few bits after others, from those
 * on in which the least and the largest one differ. */
static int64_t item_at(const int64_t *items, size_t count, size_t place)
{
    enum { BITS = 11, COUNTS = 1 << BITS };
    int64_t least = items[0], most = items[0];
    for (size_t i = 1; i < count; i++) {
        least = items[i] < least ? items[i] : least;
        most = items[i] > most ? items[i] : most;
    }
    uint64_t span = (uint64_t)most - (uint64_t)least, found = 0;
    int shift = 0;
    while (span >> shift >= COUNTS)
        shift += BITS;
    for (bool is_first = true; shift >= 0; shift -= BITS, is_first = false) {
        size_t counts[COUNTS] = {0}, part = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t key = (uint64_t)items[i] - (uint64_t)least;
            if (is_first || (key ^ found) >> (shift + BITS) == 0)
                counts[key >> shift & (COUNTS - 1)]++;
        }
        while (place >= counts[part])
            place -= counts[part++];
        found |= (uint64_t)part << shift;
    }
    return (int64_t)((uint64_t)least + found);
}

static double median(const int64_t *items, size_t count)
{
    return ((double)item_at(items, count, (count - 1) / 2) +
            (double)item_at(items, count, count / 2)) /
           2;
}

static void find_unit(struct health *self)
{
    ARRAY(int64_t) durations = {0};
    struct health_found *found = &self->found[HEALTH_TIME_UNIT];
    for (size_t i = 0; i < self->calls.count; i++)
        if (self->calls.items[i].flags & HEALTH_LAUNCH)
            array_add(&durations, self->calls.items[i].duration);
    if (durations.count < 3)
        cannot_tell(self, HEALTH_TIME_UNIT, "fewer than 3 launch calls were recorded");
    else {
        enum { ENOUGH = 20 };
        double quarter =
            (double)item_at(durations.items, durations.count, (durations.count - 1) / 4);
        double least = self->tolerance[HEALTH_TIME_UNIT];
        double most = self->tolerance_most[HEALTH_TIME_UNIT];
        found->value = median(durations.items, durations.count);
        found->is_note = durations.count < ENOUGH || (quarter >= least && quarter <= most);
        health_counted(self, HEALTH_TIME_UNIT, found->value < least || found->value > most, 1);
    }
    array_free(&durations);
}

/* Nothing lies outside where all is within a second. */
static void find_far(struct health *self)
{
    struct health_found *found = &self->found[HEALTH_FAR_EVENTS];
    size_t count = self->starts.count;
    found->base = (int64_t)count;
    if (count < 3) {
        cannot_tell(self, HEALTH_FAR_EVENTS, "fewer than 3 events were recorded");
        return;
    }
    if ((double)self->last_start - (double)self->first_start <= SECOND)
        return;
    double first = (double)item_at(self->starts.items, count, count / 100);
    double last = (double)item_at(self->starts.items, count, count - 1 - count / 100);
    double room = self->tolerance[HEALTH_FAR_EVENTS] * (last - first) + SECOND;
    for (size_t i = 0; i < count; i++) {
        double start = (double)self->starts.items[i];
        double far = start < first ? first - start : start - last;
        bool is_first = self->starts.items[i] == self->first_start;
        if (far > room)
            health_found_add(self, HEALTH_FAR_EVENTS, is_first ? self->first_id : self->last_id,
                             self->starts.items[i], far / fmax(last - first, 1));
    }
}

/* Events without ids may be what they seem where the clock is finer than a microsecond. */
static void find_repeated(struct health *self)
{
    struct health_found *found = &self->found[HEALTH_DUPLICATE_EVENTS];
    const struct health_found *unsure = &self->unsure;
    if (self->is_coarse || !unsure->count)
        return;
    bool had = found->count > 0;
    found->first = had && found->first < unsure->first ? found->first : unsure->first;
    found->last = had && found->last > unsure->last ? found->last : unsure->last;
    found->example = had && found->worst >= unsure->worst ? found->example : unsure->example;
    found->count += unsure->count;
}

ORDER_BY(compare_spans, struct health_span, UP(start) || UP(duration));

/* The time that sorted spans cover together. */
static int64_t covered(const struct health_span *spans, size_t count)
{
    int64_t sum = 0, end = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t own = spans[i].start + spans[i].duration;
        if (own > end) {
            sum += own - (spans[i].start > end ? spans[i].start : end);
            end = own;
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ launches */

/* Launches that run something by themselves. */
static bool is_plain(const struct health_call *call)
{
    return call->flags & HEALTH_LAUNCH && !call->is_captured && call->correlation != HEALTH_NONE;
}

static void find_lost(struct health *self)
{
    int64_t launches = 0;
    for (size_t i = 0; i < self->calls.count; i++) {
        const struct health_call *call = &self->calls.items[i];
        if (!is_plain(call))
            continue;
        launches++;
        if (self->calls.items[health_call_of(self, call->correlation) - 1].has_work)
            continue;
        enum health_check check = !self->work.count                  ? HEALTH_GPU_MISSING
                                  : call->correlation < self->newest ? HEALTH_KERNELS_LOST
                                                                     : HEALTH_CARRIED_OUT;
        health_found_add(self, check, call->id, call->start, 0);
    }
    static const enum health_check of_launches[] = {HEALTH_GPU_MISSING, HEALTH_KERNELS_LOST,
                                                    HEALTH_CARRIED_OUT};
    for (size_t i = 0; i < sizeof of_launches / sizeof *of_launches; i++) {
        self->found[of_launches[i]].base = launches;
        if (!launches)
            cannot_tell(self, of_launches[i], "no kernel launch was recorded");
        else if (i && self->newest == HEALTH_NONE)
            cannot_tell(self, of_launches[i], "no correlation id of a GPU activity was recorded");
    }

    /* Launches after the last GPU activity are lost, too, when the host waited for them, or when it
     * went on for much longer than a launch is late. */
    enum { SHARE = 5, TIMES = 10 }; /* a fifth of all launches; median delays */
    const struct health_found *out = &self->found[HEALTH_CARRIED_OUT];
    ARRAY(int64_t) delays = {0};
    int64_t until = INT64_MIN;
    for (size_t i = 0; i < self->syncs.count && !self->has_devices; i++) {
        const struct health_span *sync = &self->syncs.items[i];
        bool is_later = sync->start + sync->duration <= self->last_start && sync->start > until;
        until = is_later ? sync->start : until;
    }
    for (size_t i = 0; i < self->work.count && out->count * SHARE > launches; i++) {
        const struct health_work *work = &self->work.items[i];
        const struct health_call *call = work->call ? &self->calls.items[work->call - 1] : NULL;
        if (call)
            array_add(&delays, work->start - call->start - call->duration);
    }
    if (delays.count && (double)(self->last_start - out->first) >
                            TIMES * fmax(0, median(delays.items, delays.count)))
        until = INT64_MAX;
    for (size_t i = 0; i < self->calls.count && out->count; i++) {
        const struct health_call *call = &self->calls.items[i];
        if (is_plain(call) && call->correlation > self->newest &&
            call->start + call->duration <= until &&
            !self->calls.items[health_call_of(self, call->correlation) - 1].has_work)
            health_found_add(self, HEALTH_KERNELS_LOST, call->id, call->start, 0);
    }
    array_free(&delays);
}

static void find_without_call(struct health *self)
{
    ARRAY(struct health_span) all = {0}, early = {0};
    int64_t oldest = INT64_MAX;
    for (size_t i = 0; i < self->calls.count; i++) {
        int64_t id = self->calls.items[i].correlation;
        oldest = id != HEALTH_NONE && id < oldest ? id : oldest;
    }
    for (size_t i = 0; i < self->work.count; i++) {
        const struct health_work *work = &self->work.items[i];
        struct health_span span = {work->start, work->duration};
        bool has_id = work->correlation != HEALTH_NONE;
        bool is_early = !work->call && has_id && work->correlation < oldest;
        if (!work->call)
            health_found_work(self,
                              !has_id    ? HEALTH_CORRELATION_MISSING
                              : is_early ? HEALTH_CARRIED_IN
                                         : HEALTH_CALLS_LOST,
                              work, (double)work->duration);
        array_add(&all, span);
        if (is_early)
            array_add(&early, span);
    }
    self->found[HEALTH_CARRIED_IN].base = self->found[HEALTH_CALLS_LOST].base =
        self->found[HEALTH_CORRELATION_MISSING].base = (int64_t)self->work.count;
    if (early.count) {
        array_sort(&all, compare_spans);
        array_sort(&early, compare_spans);
        int64_t busy = covered(all.items, all.count);
        struct health_found *found = &self->found[HEALTH_CARRIED_IN];
        found->time = covered(early.items, early.count);
        found->share = busy ? (double)found->time / (double)busy : 0;
    }
    arrays_free(&all, &early);
}

static void find_around_calls(struct health *self)
{
    static const enum health_check of_calls[] = {HEALTH_GPU_MISSING,         HEALTH_KERNELS_LOST,
                                                 HEALTH_CALLS_LOST,          HEALTH_CARRIED_IN,
                                                 HEALTH_CORRELATION_MISSING, HEALTH_CARRIED_OUT,
                                                 HEALTH_CORRELATION_REUSED};
    size_t count = sizeof of_calls / sizeof *of_calls;

    /* Work that runs on after a call returned that waited for its device. */
    array_sort(&self->syncs, compare_spans);
    if (!self->found[HEALTH_KERNEL_BEFORE_LAUNCH].base || !self->syncs.count || self->has_devices) {
        cannot_tell(self, HEALTH_KERNEL_AFTER_SYNC,
                    "no device synchronization of a process with one device was recorded");

    } else {
        self->found[HEALTH_KERNEL_AFTER_SYNC].base = self->found[HEALTH_KERNEL_BEFORE_LAUNCH].base;
        for (size_t i = 0; i < self->work.count; i++) {
            const struct health_work *work = &self->work.items[i];
            if (!work->call)
                continue;
            const struct health_call *call = &self->calls.items[work->call - 1];
            int64_t launched = call->start + call->duration;
            size_t place;
            ARRAY_LOWER_BOUND(place, self->syncs.count, self->syncs.items[place].start < launched);
            if (place == self->syncs.count)
                continue;
            int64_t end = self->syncs.items[place].start + self->syncs.items[place].duration;
            double late = (double)(work->start + work->duration - end);
            if (late > self->tolerance[HEALTH_KERNEL_AFTER_SYNC])
                health_found_work(self, HEALTH_KERNEL_AFTER_SYNC, work, late);
        }
    }
    if (!self->found[HEALTH_KERNEL_BEFORE_LAUNCH].base)
        cannot_tell(self, HEALTH_KERNEL_BEFORE_LAUNCH,
                    "no launch call of a GPU activity was recorded");
    if (!self->calls.count) {
        for (size_t i = 0; i < count; i++)
            cannot_tell(self, of_calls[i], "no runtime call was recorded");
        return;
    }
    find_lost(self);
    if (!self->found[HEALTH_CORRELATION_REUSED].base)
        cannot_tell(self, HEALTH_CORRELATION_REUSED, "no launch call with an id was recorded");
    if (!self->work.count) {
        for (size_t i = 1; i < count - 1; i++)
            cannot_tell(self, of_calls[i], "no GPU activity was recorded");
        return;
    }
    if (self->found[HEALTH_CORRELATION_REUSED].reason) /* such devices record no ids */
        cannot_tell(self, HEALTH_CORRELATION_MISSING, "no launch call with an id was recorded");
    find_without_call(self);
}

/* ------------------------------------------------------------------ graphs */

ORDER_BY(compare_nodes, struct health_node, UP(graph) || UP(correlation) || UP(node));

/* Distinct nodes of the launch that begins at a place; `*end` is behind it. */
static int64_t count_nodes(const struct health *self, size_t first, size_t *end)
{
    const struct health_node *nodes = self->nodes.items;
    int64_t distinct = 1;
    size_t i = first + 1;
    for (; i < self->nodes.count && nodes[i].graph == nodes[first].graph &&
           nodes[i].correlation == nodes[first].correlation;
         i++)
        distinct += nodes[i].node != nodes[i - 1].node;
    *end = i;
    return distinct;
}

static void find_partial_launch(struct health *self, int64_t correlation)
{
    uint32_t index = health_call_of(self, correlation);
    const struct health_call *call = &self->calls.items[index - 1];
    health_found_add(self, HEALTH_GRAPH_REPLAY_PARTIAL, call->id, call->start, 0);
}

static void find_partial_replays(struct health *self)
{
    if (!self->nodes.count) {
        cannot_tell(self, HEALTH_GRAPH_REPLAY_PARTIAL,
                    self->graph_work ? "the file has no ids of graphs"
                                     : "no graph launch with ids of its nodes was recorded");
        return;
    }
    array_sort(&self->nodes, compare_nodes);
    for (size_t first = 0, end; first < self->nodes.count; first = end) {
        int64_t graph = self->nodes.items[first].graph, most = 0;
        for (end = first; end < self->nodes.count && self->nodes.items[end].graph == graph;) {
            int64_t own = count_nodes(self, end, &end);
            most = own > most ? own : most;
        }
        for (size_t i = first, next; i < end; i = next)
            if (count_nodes(self, i, &next) < most)
                find_partial_launch(self, self->nodes.items[i].correlation);
    }
    int64_t launches = 0;
    for (size_t i = 0; i < self->calls.count; i++) {
        const struct health_call *call = &self->calls.items[i];
        if (!(call->flags & HEALTH_GRAPH) || call->correlation == HEALTH_NONE ||
            health_call_of(self, call->correlation) != i + 1)
            continue;
        launches++;
        if (!call->has_work)
            find_partial_launch(self, call->correlation);
    }
    self->found[HEALTH_GRAPH_REPLAY_PARTIAL].base = launches;
}

/* ------------------------------------------------------------------ steps */

ORDER_BY(compare_steps, struct health_mark, UP(number) || UP(place));
ORDER_BY(compare_times, struct health_mark, UP(start) || UP(place));

/* How many GPU activities were launched in each step. */
static bool count_work(struct health *self)
{
    bool any = false;
    array_sort(&self->steps, compare_times);
    for (size_t i = 0; i < self->work.count; i++) {
        const struct health_work *work = &self->work.items[i];
        int64_t at = work->call ? self->calls.items[work->call - 1].start : INT64_MIN;
        size_t place;
        ARRAY_LOWER_BOUND(place, self->steps.count, self->steps.items[place].start <= at);
        struct health_mark *step = place ? &self->steps.items[place - 1] : NULL;
        if (step && at < step->start + step->duration) {
            step->work++;
            any = true;
        }
    }
    array_sort(&self->steps, compare_steps);
    return any;
}

static void find_cut_steps(struct health *self)
{
    size_t count = self->steps.count;
    if (count < 3 || !count_work(self)) {
        cannot_tell(self, HEALTH_STEP_CUT, "fewer than 3 steps with GPU activities were recorded");
        return;
    }
    ARRAY(int64_t) work = {0};
    array_reserve(&work, count);
    for (size_t i = 1; i + 1 < count; i++)
        work.items[work.count++] = self->steps.items[i].work;
    double usual = median(work.items, work.count);
    struct health_found *found = &self->found[HEALTH_STEP_CUT];
    found->base = (int64_t)count;
    for (size_t i = 0; i < count; i += count - 1) {
        double own = (double)self->steps.items[i].work;
        if (own >= usual * self->tolerance[HEALTH_STEP_CUT])
            continue;
        health_found_add(self, HEALTH_STEP_CUT, HEALTH_NONE, self->steps.items[i].start, 0);
        found->value = fmin(found->value, own / usual); /* NAN before the first */
    }
    array_free(&work);
}

static void find_in_steps(struct health *self)
{
    /* The last mark of a number holds. */
    size_t kept = 0;
    array_sort(&self->steps, compare_steps);
    for (size_t i = 0; i < self->steps.count; i++)
        if (i + 1 == self->steps.count ||
            self->steps.items[i].number != self->steps.items[i + 1].number)
            self->steps.items[kept++] = self->steps.items[i];
    self->steps.count = kept;
    if (!self->steps.count) {
        for (enum health_check check = HEALTH_STEP_GAP; check <= HEALTH_STEP_WARMUP; check++)
            cannot_tell(self, check, "no profiler steps were marked (profiler.step())");
        return;
    }
    int64_t first = self->steps.items[0].number;
    int64_t last = self->steps.items[self->steps.count - 1].number;
    int64_t wanted = last - first + 1;
    health_counted(self, HEALTH_STEP_GAP, wanted - (int64_t)self->steps.count, wanted);
    find_cut_steps(self);

    /* The first step against the usual length of the others. */
    size_t count = self->steps.count;
    if (count < 3) {
        cannot_tell(self, HEALTH_STEP_WARMUP, "fewer than 3 steps were recorded");
        return;
    }
    ARRAY(int64_t) durations = {0};
    array_reserve(&durations, count);
    for (size_t i = 1; i < count; i++)
        durations.items[durations.count++] = self->steps.items[i].duration;
    struct health_found *found = &self->found[HEALTH_STEP_WARMUP];
    double usual = median(durations.items, durations.count);
    found->base = 1;
    found->value = usual > 0 ? (double)self->steps.items[0].duration / usual : NAN;
    if ((double)self->steps.items[0].duration > usual * self->tolerance[HEALTH_STEP_WARMUP])
        health_found_add(self, HEALTH_STEP_WARMUP, HEALTH_NONE, self->steps.items[0].start, 0);
    array_free(&durations);
}

/* ------------------------------------------------------------------ ops */

void health_finish(struct health *self)
{
    health_index(self);

    /* Old profilers round to microseconds: then some kernels of no duration are no fault. */
    struct health_found *found = &self->found[HEALTH_DURATION_ZERO];
    found->base = self->kernels;
    found->is_note = self->is_coarse && 2 * found->count < self->kernels;
    if (!self->kernels)
        cannot_tell(self, HEALTH_DURATION_ZERO, "no kernel was recorded");
    find_far(self);
    find_repeated(self);

    /* Only overhead between the first start and the last end counts. */
    if (!self->calls.count && !self->work.count) {
        cannot_tell(self, HEALTH_PROFILER_OVERHEAD, "no call or GPU activity was recorded");
    } else {
        for (size_t i = 0; i < self->overhead.count; i++) {
            struct health_span *own = &self->overhead.items[i];
            int64_t end = own->start + own->duration;
            end = end < self->last_end ? end : self->last_end;
            own->start = own->start > self->first_start ? own->start : self->first_start;
            own->duration = end > own->start ? end - own->start : 0;
        }
        array_sort(&self->overhead, compare_spans);
        double span = (double)self->last_end - (double)self->first_start;
        double share = (double)covered(self->overhead.items, self->overhead.count);
        health_counted(self, HEALTH_PROFILER_OVERHEAD,
                       span > 0 ? (int64_t)(share * 1000 / span) : 0, 1000);
    }

    /* Ops that were recorded with shapes at some calls and without at others. */
    int64_t missing = 0, known = 0;
    bool any = false;
    for (size_t i = 0; i < self->shapes.count; i++)
        if (self->shapes.items[i].with) {
            any = true;
            missing += self->shapes.items[i].without;
            known += self->shapes.items[i].with + self->shapes.items[i].without;
        }
    health_counted(self, HEALTH_SHAPES_MISSING, missing, known);
    if (!any)
        cannot_tell(self, HEALTH_SHAPES_MISSING, "no shapes were recorded (record_shapes=True)");
    int64_t processes = (int64_t)self->processes.count;
    health_counted(self, HEALTH_PROCESSES_MERGED, processes ? processes - 1 : 0, 1);
    if (!processes)
        cannot_tell(self, HEALTH_PROCESSES_MERGED, "no op was recorded");
    find_partial_replays(self);
    if (!self->found[HEALTH_HOST_OVERLAP].base)
        cannot_tell(self, HEALTH_HOST_OVERLAP, "no op or call was recorded");
    self->found[HEALTH_STREAM_OVERLAP].base = self->kernels;
    if (!self->kernels)
        cannot_tell(self, HEALTH_STREAM_OVERLAP, "no kernel was recorded");
    if (!self->found[HEALTH_COPY_RATE].base)
        cannot_tell(self, HEALTH_COPY_RATE,
                    "no copy of 1 MB and more between host and device was recorded");
    find_unit(self);
    find_around_calls(self);
    find_in_steps(self);
}
