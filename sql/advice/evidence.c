/* evidence: A measure is a function that looks at all of what happened and adds at most one fact;
 * where its guards do not hold it adds none. */
#include "sql/advice/evidence.h"

#include "src/base/keyed.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

enum {
    LATE_COPY = 1000000, /* ns: a copy that begins so late waited for something */
    UNSEEN_MARGIN =
        50000, /* and if nothing ran until so long before it, for work that is not there */
    LONG_GAP = 1000000,
    SMALL_KERNEL = 10000,
    SLOW_CALL = 50000,
    USUAL_CALL = 10000,
    WARM_UP_TIME = 500000000,
};

enum {
    SMALL_KERNELS = 100,
    SLOW_CALLS = 5,
    POINTWISE_RUN = 3,
    MANY_TENSORS_SHARE = 10,
    LATE_LAUNCHES = 20,
    MANY_WAITS = 20,     /* keep the host from launching ahead; one may be the profiler's own */
    ATTENTION_REACH = 4, /* kernels between a softmax and the products around it */
    LARGE_COPY = 100000, /* ns */
};

/* Calls that may hold the host for other reasons than to start something. */
enum { MARKS_HOLDING = MARK_WAIT | MARK_BLOCKING_COPY | MARK_ALLOCATION };

struct looking {
    struct evidence *seen;
    struct interval_set busy, working; /* when something ran; the same with start-up */
    ARRAY(int64_t) latest;             /* ends of works up to each */
    bool *is_reading; /* calls inside an op that reads a value: scalar-read is about them */
    bool *is_first;   /* calls that are the first of their name, or launch a kernel first */
};

static int64_t whole(uint64_t length)
{
    return length > INT64_MAX ? INT64_MAX : (int64_t)length;
}

static double percent(int64_t part, int64_t of)
{
    return of > 0 ? (double)part * 100.0 / (double)of : 0;
}

static int64_t span_of(const struct evidence *seen)
{
    return seen->last - seen->first;
}

/* The part of an interval between the first work and the last. */
static struct interval clip(const struct evidence *seen, int64_t start, int64_t end)
{
    return (struct interval){start > seen->first ? start : seen->first,
                             end < seen->last ? end : seen->last};
}

/* ------------------------------------------------------------------ a fact */

/* One that is being made. */
struct making {
    struct fact fact;
    struct tally tally;
    int64_t longest;
};

static struct making begin(const char *rule)
{
    return (struct making){.fact = {.rule = rule}, .longest = -1};
}

/* The longest is the example; of several the one with the least id. */
static void evidence_take(struct making *self, int64_t id, int64_t time)
{
    bool is_example = time > self->longest || (time == self->longest && id < self->fact.example);
    self->longest = is_example ? time : self->longest;
    self->fact.example = is_example ? id : self->fact.example;
    self->fact.count++;
    self->fact.time = number_sum(self->fact.time, time);
}

static void add_place(struct making *self, int64_t start, int64_t end, int64_t track)
{
    array_add(&self->fact.places, (struct fact_place){start, end, track});
}

static void evidence_add_work(struct making *self, int64_t id, double factor)
{
    array_add(&self->fact.works, (struct fact_work){id, id, factor});
}

static void name_time(struct making *self, int64_t name, int64_t time)
{
    tally_add(&self->tally, name, time, 1);
}

static void take_host(struct making *self, const struct seen_host *host)
{
    evidence_take(self, host->id, host->end - host->start);
    name_time(self, host->name, host->end - host->start);
    add_place(self, host->start, host->end, host->track);
}

/* Something of the host by the time in which nothing ran meanwhile, where work came before. */
static void take_idle(const struct looking *look, struct making *self, const struct seen_host *host)
{
    struct interval in = clip(look->seen, host->start, host->end);
    int64_t time = in.start < in.end ? in.end - in.start : 0;
    evidence_take(self, host->id, host->end - host->start);
    name_time(self, host->name,
              time ? time - interval_within(&look->working, in.start, in.end) : 0);
    add_place(self, host->start, host->end, host->track);
}

static void take_work(struct making *self, const struct seen_work *work, double factor)
{
    evidence_take(self, work->id, work->end - work->start);
    name_time(self, work->name, work->end - work->start);
    self->fact.is_cause_work = true;
    evidence_add_work(self, work->id, factor);
}

void fact_free(struct fact *self)
{
    arrays_free(&self->places, &self->works);
}

/* Adds the fact, or forgets it. */
static void end(const struct looking *look, struct making *self, bool holds)
{
    self->fact.cause = tally_most(&self->tally, self->fact.time);
    tally_free(&self->tally);
    if (holds)
        array_add(&look->seen->facts, self->fact);
    else
        fact_free(&self->fact);
}

/* Time in the places of a fact, but for start-up, in which nothing ran. */
static int64_t idle_in(const struct looking *look, struct making *self)
{
    struct interval_set places = {0};
    for (size_t i = 0; i < self->fact.places.count; i++) {
        const struct fact_place *place = &self->fact.places.items[i];
        struct interval in = clip(look->seen, place->start, place->end);
        if (in.start < in.end)
            interval_add(&places, in.start, in.end);
    }
    interval_settle(&places);
    int64_t idle = whole(interval_beyond(&places, &look->working));
    interval_free(&places);
    return idle;
}

/* Time before a work, with what the thread that launched it did meanwhile; where that is not known,
 * the thread that launches most. */
static void add_before(const struct looking *look, struct making *self, int64_t start, int64_t end,
                       const struct seen_work *work)
{
    const struct evidence *seen = look->seen;
    int64_t track = work->place ? seen->calls.items[work->place - 1].track : 0;
    add_place(self, start, end, track);
    host_names_tally(&seen->names, track ? track : seen->launching, start, end, &self->tally);
}

/* A fact whose value is the share of the span, and whose time may all be saved. */
static void end_of_span(const struct looking *look, struct making *self, bool holds)
{
    self->fact.value = percent(self->fact.time, span_of(look->seen));
    self->fact.saving = self->fact.time;
    end(look, self, holds);
}

/* The same of the time in which nothing ran in its places. */
static void end_idle(const struct looking *look, struct making *self)
{
    self->fact.time = idle_in(look, self);
    end_of_span(look, self, self->fact.count > 0 && span_of(look->seen) > 0);
}

/* A fact whose value is the share of the busy time. */
static void end_busy(const struct looking *look, struct making *self, int64_t saving)
{
    self->fact.value = percent(self->fact.time, look->seen->busy);
    self->fact.saving = saving;
    end(look, self, self->fact.count > 0 && look->seen->busy > 0);
}

static void end_by_step(const struct looking *look, struct making *self, int64_t saving, bool holds)
{
    size_t steps = look->seen->steps ? look->seen->steps : 1;
    self->fact.value = (double)self->fact.count / (double)steps;
    self->fact.saving = saving;
    end(look, self, holds && self->fact.count > 0);
}

/* ------------------------------------------------------------------ calls and ops that wait */

/* The call of a work; NULL = none that is selected. */
static const struct seen_host *call_of(const struct evidence *seen, const struct seen_work *work)
{
    return work->place ? &seen->calls.items[work->place - 1] : NULL;
}

/* True if a copy began late though nothing ran: the accelerator did what the trace lacks. */
static bool waited_for_unseen(const struct looking *look, const struct seen_work *work,
                              const struct seen_host *call)
{
    const struct evidence *seen = look->seen;
    size_t before;
    if (work->start - call->start <= LATE_COPY)
        return false;
    ARRAY_LOWER_BOUND(before, seen->works.count,
                      seen->works.items[before].start < work->start - UNSEEN_MARGIN);
    return before == 0 || look->latest.items[before - 1] <= call->start;
}

static void find_blocking_copies(struct looking *look)
{
    const struct evidence *seen = look->seen;
    struct making self = begin("sync-copy");
    bool *is_unseen = memory_zeroed(seen->calls.count + 1, sizeof *is_unseen);
    for (size_t i = 0; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        const struct seen_host *call = call_of(seen, work);
        if (call && call->marks & MARK_BLOCKING_COPY && waited_for_unseen(look, work, call))
            is_unseen[work->place - 1] = true;
    }
    for (size_t i = 0; i < seen->calls.count; i++)
        if (seen->calls.items[i].marks & MARK_BLOCKING_COPY && !is_unseen[i])
            take_idle(look, &self, &seen->calls.items[i]);
    memory_free(is_unseen);
    end_idle(look, &self);
}

static bool is_pageable_copy(const struct seen_work *work, const struct seen_host *call)
{
    return work->kind == SEEN_COPY && work->marks & MARK_PAGEABLE && call &&
           call->marks & MARK_ASYNC;
}

static void find_pageable_copies(struct looking *look)
{
    const struct evidence *seen = look->seen;
    struct making self = begin("pageable-copy");
    int64_t copies = 0;
    for (size_t i = 0; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        const struct seen_host *call = call_of(seen, work);
        if (!is_pageable_copy(work, call) || look->is_reading[work->place - 1])
            continue;
        take_idle(look, &self, call);
        evidence_add_work(&self, work->id, 0.5);
        tally_add(&self.tally, call->name, work->end - work->start, 0);
        copies += work->end - work->start;
    }
    int64_t idle = idle_in(look, &self), span = span_of(seen);
    self.fact.time = number_sum(idle, copies);
    self.fact.value = percent(self.fact.time, span);
    self.fact.saving = number_sum(idle, copies / 2);
    end(look, &self, self.fact.count > 0 && span > 0);
}

static void find_waits(struct looking *look)
{
    const struct evidence *seen = look->seen;
    struct making self = begin("explicit-sync");
    for (size_t i = 0; i < seen->calls.count; i++) {
        const struct seen_host *call = &seen->calls.items[i];
        if (call->marks & MARK_WAIT && !look->is_reading[i] && call->start > seen->first &&
            call->end < seen->last)
            take_idle(look, &self, call);
    }
    self.fact.delays_launches = self.fact.count >= MANY_WAITS;
    end_idle(look, &self);
}

ORDER_BY(compare_ids, int64_t, BY_LESS(*a, *b));

static void find_read_values(struct looking *look)
{
    const struct evidence *seen = look->seen;
    struct making self = begin("scalar-read");
    int64_t behind = 0;
    ARRAY(int64_t) copies = {0};
    for (size_t i = 0; i < seen->works.count; i++)
        if (seen->works.items[i].kind == SEEN_COPY && seen->works.items[i].marks & MARK_TO_HOST)
            array_add(&copies, seen->works.items[i].id);
    array_sort(&copies, compare_ids);
    for (size_t i = 0; i < seen->ops.count; i++) {
        const struct seen_host *op = &seen->ops.items[i];
        size_t first;
        ARRAY_LOWER_BOUND(first, copies.count, copies.items[first] < op->id);
        if (!(op->marks & MARK_READS_VALUE) || op->id <= behind || first == copies.count ||
            copies.items[first] > op->last_id)
            continue;
        take_idle(look, &self, op);
        behind = op->last_id; /* aten::item has another inside */
    }
    array_free(&copies);
    int64_t idle = idle_in(look, &self), span = span_of(seen);
    self.fact.time = idle;
    end_by_step(look, &self, idle, span > 0 && percent(idle, span) >= 1);
}

/* Reads and synchronizations by the time in which the GPU was busy: they cost the host alone. A
 * call inside an op that reads is the op's; calls around all of the work belong to the profiler. */
static void find_host_waits(struct looking *look)
{
    const struct evidence *seen = look->seen;
    const seen_hosts *const lists[] = {&seen->ops, &seen->calls};
    struct making self = begin("host-waits");
    struct interval_set waits = {0};
    int64_t longest = 0; /* it may end a measurement: the others tell of a loop */
    for (size_t i = 0; i < 2; i++) {
        int64_t behind = 0; /* aten::item has another inside */
        for (size_t j = 0; j < lists[i]->count; j++) {
            const struct seen_host *host = &lists[i]->items[j];
            struct interval in = clip(seen, host->start, host->end);
            bool is_wait = i == 0
                               ? host->marks & MARK_READS_VALUE && host->id > behind
                               : host->marks & (MARK_WAIT | MARK_BLOCKING_COPY) &&
                                     !look->is_reading[j] && host->start > seen->first &&
                                     (host->marks & MARK_BLOCKING_COPY || host->end < seen->last);
            int64_t time =
                is_wait && in.start < in.end ? interval_within(&look->busy, in.start, in.end) : 0;
            if (time <= 0)
                continue;
            behind = i == 0 ? host->last_id : behind;
            longest = time > longest ? time : longest;
            evidence_take(&self, host->id, time);
            name_time(&self, host->name, time);
            interval_add(&waits, in.start, in.end);
        }
    }
    interval_settle(&waits);
    self.fact.time = whole(interval_shared(&waits, &look->busy)) - longest;
    self.fact.value = percent(self.fact.time, span_of(seen));
    interval_free(&waits);
    end(look, &self, self.fact.time > 0 && span_of(seen) > 0);
}

/* Idle time under ops, ranges and frames with a mark that start from then on. Inner ones are part
 * of the outer one. */
static void find_marked(const struct looking *look, const char *rule, uint32_t mark, int64_t from)
{
    const seen_hosts *const lists[] = {&look->seen->ops, &look->seen->ranges};
    struct making self = begin(rule);
    for (size_t i = 0; i < 2; i++) {
        struct seen_host outer = {0};
        for (size_t j = 0; j < lists[i]->count; j++) {
            const struct seen_host *host = &lists[i]->items[j];
            bool is_inner =
                host->track == outer.track && host->start >= outer.start && host->end <= outer.end;
            if (!(host->marks & mark) || host->start < from || is_inner)
                continue;
            take_idle(look, &self, host);
            outer = *host;
        }
    }
    end_idle(look, &self);
}

static void find_host_work(struct looking *look)
{
    const struct evidence *seen = look->seen;
    find_marked(look, "data-loading", MARK_LOADER, INT64_MIN);
    find_marked(look, "garbage-collection", MARK_COLLECTS, INT64_MIN);
    /* code is compiled in the first step, or in the first half second, anyway */
    find_marked(look, "recompiles", MARK_COMPILES,
                seen->steps > 1 ? seen->first_step_end : number_sum(seen->first, WARM_UP_TIME));
}

/* ------------------------------------------------------------------ other calls */

static bool is_late_allocation(const struct evidence *seen, const struct seen_host *call)
{
    return seen->steps > 1 && call->marks & MARK_ALLOCATION && call->start >= seen->first_step_end;
}

/* Allocations of later steps belong to their own rule where it holds, else all to the other rule.
 */
static void find_allocations(struct looking *look)
{
    const struct evidence *seen = look->seen;
    struct making late = begin("late-allocation"), self = begin("allocations");
    for (size_t i = 0; i < seen->calls.count; i++)
        if (is_late_allocation(seen, &seen->calls.items[i]))
            take_idle(look, &late, &seen->calls.items[i]);
    bool is_by_step = late.fact.count >= (int64_t)seen->steps;
    for (size_t i = 0; i < seen->calls.count; i++)
        if (seen->calls.items[i].marks & MARK_ALLOCATION &&
            seen->calls.items[i].end > seen->first &&
            !(is_by_step && is_late_allocation(seen, &seen->calls.items[i])))
            take_idle(look, &self, &seen->calls.items[i]);
    end_by_step(look, &late, idle_in(look, &late), true);
    end_idle(look, &self);
}

/* True if the accelerator ran for most of a call: a launch into a full queue blocks. */
static bool is_behind(const struct looking *look, const struct seen_host *call)
{
    const struct evidence *seen = look->seen;
    size_t before;
    ARRAY_LOWER_BOUND(before, seen->works.count, seen->works.items[before].start < call->end);
    return before > 0 &&
           look->latest.items[before - 1] > call->start + (call->end - call->start) / 2;
}

/* Marks the calls that were the first of their name, or the first to launch a kernel. */
static void find_first_calls(const struct evidence *seen, bool *is_first)
{
    struct map known = {0};
    for (size_t i = 0; i < seen->calls.count; i++) {
        const struct seen_host *call = &seen->calls.items[i];
        is_first[i] = !map_get(&known, call->name, 0) && !(call->marks & MARKS_HOLDING);
        map_set(&known, call->name, 0, 1);
    }
    for (size_t i = 0; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        if (work->kind != SEEN_KERNEL || !work->place)
            continue;
        is_first[work->place - 1] |= !map_get(&known, work->name, 1);
        map_set(&known, work->name, 1, 1);
    }
    map_free(&known);
}

/* Marks calls of a name that never comes back after the first step, where all of them are a fifth
 * of the span and more: short ones warm up, too. */
static void find_early_calls(const struct evidence *seen, bool *is_first)
{
    int64_t middle = seen->first + span_of(seen) / 2;
    int64_t until = seen->steps > 1 ? seen->first_step_end : middle;
    struct tally early = {0};
    for (size_t i = 0; i < seen->calls.count; i++) {
        const struct seen_host *call = &seen->calls.items[i];
        if (!(call->marks & (MARKS_HOLDING | MARK_LAUNCH)))
            tally_add(&early, call->name,
                      call->start >= until ? -span_of(seen) : call->end - call->start, 1);
    }
    for (size_t i = 0; i < seen->calls.count; i++) {
        uint32_t place = map_get(&early.places, seen->calls.items[i].name, 0);
        is_first[i] = place && early.items.items[place - 1].time * 5 >= span_of(seen);
    }
    tally_free(&early);
}

/* An op by its name, and by its time among those of the name. */
struct named_op {
    int64_t name, time;
    size_t place; /* in evidence.ops, which is the order of their starts */
};
ORDER_BY(compare_named_ops, struct named_op, UP(name) || UP(time));
ORDER_BY(compare_places, struct named_op, UP(name) || UP(place));

/* Marks the first ops of a name that take twice its median and more, with a long first call in
 * them: what is inside belongs to start-up, too. */
static void find_slow_ops(const struct evidence *seen, const struct interval_set *calls,
                          bool *is_slow)
{
    ARRAY(struct named_op) ops = {0};
    for (size_t i = 0; i < seen->ops.count; i++) {
        const struct seen_host *op = &seen->ops.items[i];
        if (op->marks & MARK_SLOW_FIRST)
            array_add(&ops, (struct named_op){op->name, op->end - op->start, i});
    }
    array_sort(&ops, compare_named_ops);
    for (size_t i = 0, count; i < ops.count; i += count) {
        for (count = 1; i + count < ops.count && ops.items[i + count].name == ops.items[i].name;)
            count++;
        struct named_op *of_name = ops.items + i;
        int64_t median = of_name[count / 2].time;
        qsort(of_name, count, sizeof *of_name, compare_places);
        for (size_t j = 0; j < count; j++) {
            const struct seen_host *op = &seen->ops.items[of_name[j].place];
            int64_t inside = interval_within(calls, op->start, op->end);
            bool is_long = count > 1 ? of_name[j].time / 2 >= median : inside * 2 > of_name[j].time;
            if (!is_long)
                break;
            is_slow[of_name[j].place] = inside > 0;
        }
    }
    array_free(&ops);
}

/* Time before the first work, and slow first calls, which load code or make a context. An op that
 * is slow for them counts as a whole. */
static void find_start_up(struct looking *look)
{
    struct evidence *seen = look->seen;
    struct making self = begin("start-up");
    struct interval_set all = {0}, calls = {0};
    const struct interval *host = seen->host.list.items;
    bool has_lead = seen->host.list.count && host->start < seen->first;
    int64_t start = has_lead ? host->start : seen->first, behind = INT64_MIN;
    bool *is_first = look->is_first;
    bool *is_early = memory_zeroed(seen->calls.count + 1, sizeof *is_early);
    bool *is_slow = memory_zeroed(seen->ops.count + 1, sizeof *is_slow);
    find_early_calls(seen, is_early);
    for (size_t i = 0; i < seen->calls.count; i++) {
        const struct seen_host *call = &seen->calls.items[i];
        bool is_long = call->end - call->start >= START_UP_CALL;
        if (is_long && (is_first[i] || call->marks & MARK_ALLOCATION))
            interval_add(&calls, call->start, call->end);
        if ((!is_long && !is_early[i]) || call->end > seen->last ||
            !(call->start < seen->first ||
              ((is_first[i] || is_early[i]) && !is_behind(look, call))))
            continue;
        take_host(&self, call);
        interval_add(&seen->start_up, call->start, call->end);
    }
    interval_settle(&calls);
    interval_settle(&seen->start_up);
    find_slow_ops(seen, &calls, is_slow);
    for (size_t i = 0; i < seen->ops.count; i++) {
        const struct seen_host *op = &seen->ops.items[i];
        if (!is_slow[i] || op->id <= behind || op->end > seen->last)
            continue;
        behind = op->last_id;
        evidence_take(&self, op->id, op->end - op->start);
        name_time(&self, op->name,
                  op->end - op->start - interval_within(&seen->start_up, op->start, op->end));
        interval_add(&all, op->start, op->end);
    }
    memory_free(is_early);
    memory_free(is_slow);
    interval_free(&calls);
    interval_settle(&all);
    interval_unite(&seen->start_up, &all);
    interval_free(&all);
    interval_settle(&seen->start_up);
    interval_add(&all, start, seen->first);
    self.fact.saving = whole(interval_beyond(&seen->start_up, &look->busy)) -
                       whole(interval_shared(&seen->start_up, &all));
    interval_unite(&all, &seen->start_up);
    self.fact.time = whole(interval_length(&all));
    self.fact.value = percent(self.fact.time, seen->last - start);
    interval_unite(&look->working, &look->busy);
    interval_unite(&look->working, &seen->start_up);
    interval_settle(&look->working);
    interval_free(&all);
    end(look, &self, self.fact.example != 0);
}

static void find_slow_calls(struct looking *look)
{
    struct making self = begin("slow-calls");
    int64_t all = 0, warming = 0;
    for (size_t i = 0; i < look->seen->calls.count; i++) {
        const struct seen_host *call = &look->seen->calls.items[i];
        int64_t time = call->end - call->start;
        if (!(call->marks & MARK_LAUNCH))
            continue;
        all = number_sum(all, time);
        if (time < SLOW_CALL)
            continue;
        take_host(&self, call);
        warming += look->is_first[i]; /* which loads code */
    }
    self.fact.value = percent(self.fact.time, all);
    self.fact.saving = self.fact.time - self.fact.count * USUAL_CALL;
    end(look, &self, self.fact.count >= SLOW_CALLS && warming * 2 <= self.fact.count);
}

static void find_code_loading(struct looking *look)
{
    struct making self = begin("code-loading");
    for (size_t i = 0; i < look->seen->calls.count; i++)
        if (look->seen->calls.items[i].marks & MARK_CODE_LOADING)
            take_host(&self, &look->seen->calls.items[i]);
    self.fact.value = (double)self.fact.count;
    self.fact.saving = self.fact.time;
    end(look, &self, self.fact.count > 0);
}

static void find_data_parallel(struct looking *look)
{
    struct making self = begin("data-parallel");
    int64_t first = 0;
    for (size_t i = 0; i < look->seen->ops.count; i++)
        if (look->seen->ops.items[i].marks & MARK_DATA_PARALLEL) {
            take_host(&self, &look->seen->ops.items[i]);
            first = first ? first : look->seen->ops.items[i].id;
        }
    self.fact.value = (double)self.fact.count;
    self.fact.example = first;
    end(look, &self, self.fact.count > 0 && look->seen->devices > 1);
}

/* Idle time in which no thread was in an op or a runtime call. */
static void find_host_outside(struct looking *look)
{
    const struct evidence *seen = look->seen;
    struct making self = begin("host-outside-ops");
    int64_t at = seen->first;
    size_t i = 0, j = 0, after;
    while (at < seen->last) {
        while (i < look->busy.list.count && look->busy.list.items[i].end <= at)
            i++;
        while (j < seen->host.list.count && seen->host.list.items[j].end <= at)
            j++;
        const struct interval *work = i < look->busy.list.count ? &look->busy.list.items[i] : NULL;
        const struct interval *host = j < seen->host.list.count ? &seen->host.list.items[j] : NULL;
        int64_t next = seen->last;
        if (work && work->start < next)
            next = work->start;
        if (host && host->start < next)
            next = host->start;
        if (next > at) {
            ARRAY_LOWER_BOUND(after, seen->works.count - 1, seen->works.items[after].start < next);
            add_before(look, &self, at, next, &seen->works.items[after]);
            self.fact.time += next - at;
            at = next;
            continue;
        }
        at = work && work->start <= at ? work->end : host->end;
    }
    end_of_span(look, &self, seen->has_ops && span_of(seen) > 0);
}

/* ------------------------------------------------------------------ gaps */

static void find_idle(struct looking *look)
{
    const struct evidence *seen = look->seen;
    struct making self = begin("low-utilisation");
    for (size_t i = 1; i < seen->works.count; i++)
        if (seen->works.items[i].start > look->latest.items[i - 1])
            add_before(look, &self, look->latest.items[i - 1], seen->works.items[i].start,
                       &seen->works.items[i]);
    self.fact.count = (int64_t)seen->works.count;
    self.fact.time = span_of(seen) - seen->busy;
    end_of_span(look, &self, span_of(seen) > 0);
}

static void find_long_gaps(struct looking *look)
{
    struct making self = begin("long-gaps");
    const struct evidence *seen = look->seen;
    self.fact.is_unexplained = true;
    for (size_t i = 1; i < seen->works.count; i++) {
        int64_t from = look->latest.items[i - 1], to = seen->works.items[i].start;
        int64_t idle = to - from - interval_within(&seen->start_up, from, to);
        if (idle < LONG_GAP)
            continue;
        evidence_take(&self, seen->works.items[i].id, idle);
        add_before(look, &self, from, to, &seen->works.items[i]);
    }
    end_of_span(look, &self, self.fact.count > 0);
}

static void find_small_kernels(struct looking *look)
{
    struct making self = begin("small-kernels");
    const struct evidence *seen = look->seen;
    for (size_t i = 1; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        const struct seen_host *call = call_of(seen, work);
        int64_t from = look->latest.items[i - 1], gap = work->start - from;
        if (gap <= 0 || gap >= LONG_GAP || work->end - work->start >= SMALL_KERNEL || !call ||
            call->start <= from || call->marks & MARK_GRAPH_LAUNCH)
            continue;
        evidence_take(&self, work->id, gap);
        add_place(&self, from, work->start, call->track);
    }
    end_of_span(look, &self, self.fact.count >= SMALL_KERNELS);
}

/* Adds when the host was in something with one of some marks. */
static void add_marked(struct interval_set *set, const seen_hosts *hosts, uint32_t marks)
{
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->items[i].marks & marks)
            interval_add(set, hosts->items[i].start, hosts->items[i].end);
}

/* True if more than half of a gap is in a set. */
static bool is_mostly_in(const struct interval_set *set, int64_t start, int64_t end)
{
    return interval_within(set, start, end) > (end - start) / 2;
}

static void find_late_launches(struct looking *look)
{
    struct making self = begin("host-bound");
    const struct evidence *seen = look->seen;
    struct interval_set held = {0}, compiled = {0};
    int64_t in_compiled = 0;
    /* Other rules are about gaps in which the host waited, allocated or loaded data. */
    add_marked(&held, &seen->calls, MARKS_HOLDING);
    add_marked(&held, &seen->ops, MARK_READS_VALUE | MARK_LOADER);
    add_marked(&held, &seen->ranges, MARK_LOADER);
    add_marked(&compiled, &seen->ops, MARK_COMPILED);
    add_marked(&compiled, &seen->ranges, MARK_COMPILED);
    interval_settle(&held);
    interval_settle(&compiled);
    for (size_t i = 1; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        const struct seen_host *call = call_of(seen, work);
        int64_t from = look->latest.items[i - 1], gap = work->start - from;
        if (gap <= 0 || gap >= LONG_GAP || !call || call->start <= from ||
            call->marks & MARK_GRAPH_LAUNCH || is_mostly_in(&held, from, work->start))
            continue;
        evidence_take(&self, work->id, gap);
        add_before(look, &self, from, work->start, work);
        in_compiled += is_mostly_in(&compiled, from, work->start) ? gap : 0;
    }
    interval_free(&held);
    interval_free(&compiled);
    if (in_compiled > self.fact.time / 2)
        self.fact.rule = "host-bound-compiled";
    end_of_span(look, &self, self.fact.count >= LATE_LAUNCHES);
}

/* ------------------------------------------------------------------ work that others may hide */

/* Works as sets of time. */
struct sides {
    struct interval_set own, others;
};

/* The time that others do not hide, and its share of the span. */
static void measure_exposed(const struct looking *look, struct making *self, struct sides *sides)
{
    interval_settle(&sides->own);
    interval_settle(&sides->others);
    self->fact.saving = whole(interval_beyond(&sides->own, &sides->others));
    self->fact.value = percent(self->fact.saving, span_of(look->seen));
    interval_free(&sides->own);
    interval_free(&sides->others);
}

static void find_exposed_communication(struct looking *look)
{
    struct making self = begin("exposed-communication"), low = begin("low-overlap");
    const struct evidence *seen = look->seen;
    struct sides sides = {0};
    for (size_t i = 0; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        if (work->class == SEEN_COMMUNICATION) {
            take_work(&self, work, 1);
            take_work(&low, work, 1);
            interval_add(&sides.own, work->start, work->end);
        } else if (work->class == SEEN_COMPUTATION) {
            interval_add(&sides.others, work->start, work->end);
        }
    }
    interval_settle(&sides.own);
    int64_t time = whole(interval_length(&sides.own)), span = span_of(seen);
    measure_exposed(look, &self, &sides);
    self.fact.time = low.fact.time = time;
    low.fact.saving = self.fact.saving;
    low.fact.value = percent(low.fact.saving, time);
    low.fact.example = 0;
    end(look, &self, self.fact.count > 0 && span > 0);
    end(look, &low, low.fact.count > 0 && time > 0 && (double)time >= 0.05 * (double)span);
}

static void find_exposed_copies(struct looking *look)
{
    struct making self = begin("exposed-copies");
    const struct evidence *seen = look->seen;
    struct sides sides = {0};
    for (size_t i = 0; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        bool is_copy = work->kind == SEEN_COPY;
        if (is_copy)
            take_work(&self, work, 1);
        interval_add(is_copy ? &sides.own : &sides.others, work->start, work->end);
    }
    measure_exposed(look, &self, &sides);
    end(look, &self, self.fact.count > 0 && span_of(seen) > 0);
}

static void find_host_copies(struct looking *look)
{
    struct making self = begin("many-host-copies"), large = begin("large-copies");
    const struct evidence *seen = look->seen;
    struct sides sides = {0};
    int64_t small = 0;
    for (size_t i = 0; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        bool is_host = work->kind == SEEN_COPY && work->marks & (MARK_TO_HOST | MARK_TO_DEVICE);
        bool is_large = is_host && work->end - work->start >= LARGE_COPY;
        bool is_pageable = is_pageable_copy(work, call_of(seen, work));
        if (is_host && (is_large || !is_pageable))
            take_work(&self, work, !is_large);
        if (is_large)
            take_work(&large, work, 1);
        small += is_host && !is_large && !is_pageable ? work->end - work->start : 0;
        interval_add(is_large ? &sides.own : &sides.others, work->start, work->end);
    }
    measure_exposed(look, &large, &sides);
    end(look, &large, large.fact.count > 0 && span_of(seen) > 0);
    end_by_step(look, &self, small, true);
}

/* ------------------------------------------------------------------ kernels */

static void find_few_blocks(struct looking *look)
{
    struct making self = begin("few-blocks");
    double saving = 0;
    for (size_t i = 0; i < look->seen->works.count; i++) {
        const struct seen_work *work = &look->seen->works.items[i];
        if (work->kind != SEEN_KERNEL || work->class != SEEN_COMPUTATION ||
            work->end - work->start < FEW_BLOCKS_TIME || work->blocks <= 0 || work->blocks >= 1)
            continue;
        take_work(&self, work, (1 - work->blocks) / 2);
        saving += (double)(work->end - work->start) * (1 - work->blocks);
    }
    end_busy(look, &self, (int64_t)(saving / 2));
}

static void find_layout_changes(struct looking *look)
{
    struct making self = begin("layout-changes");
    const uint32_t both = MARK_LAYOUT | MARK_CONVOLUTION;
    for (size_t i = 0; i < look->seen->works.count; i++)
        if (look->seen->works.items[i].kind == SEEN_KERNEL &&
            (look->seen->works.items[i].marks & both) == both)
            take_work(&self, &look->seen->works.items[i], 1);
    end_busy(look, &self, self.fact.time);
}

static void find_moves(struct looking *look)
{
    struct making self = begin("casts-and-copies");
    for (size_t i = 0; i < look->seen->works.count; i++)
        if (look->seen->works.items[i].kind == SEEN_KERNEL &&
            look->seen->works.items[i].marks & MARK_MOVES)
            take_work(&self, &look->seen->works.items[i], 0.5);
    end_busy(look, &self, self.fact.time / 2);
}

static void end_run(struct making *self, const struct seen_work *of, const struct keyed *places,
                    size_t length, double *saving)
{
    int64_t time = 0, first = 0;
    if (length < POINTWISE_RUN)
        return;
    double factor = ((double)length - 1) / (double)length / 2;
    for (size_t i = 0; i < length; i++) {
        const struct seen_work *work = &of[places[i].place];
        time += work->end - work->start;
        first = i == 0 || work->id < first ? work->id : first;
        name_time(self, work->name, work->end - work->start);
        self->fact.is_cause_work = true;
        evidence_add_work(self, work->id, factor);
    }
    evidence_take(self, first, time);
    self->fact.count += (int64_t)length - 1;
    *saving += (double)time * ((double)length - 1) / (double)length;
}

/* Works by stream, each by start. */
static struct keyed *order_by_stream(const struct evidence *seen)
{
    size_t count = seen->works.count;
    struct keyed *places = memory_list(count + 1, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct keyed){seen->works.items[i].stream, (uint32_t)i};
    keyed_sort(places, count);
    return places;
}

static void find_pointwise_runs(struct looking *look)
{
    struct making self = begin("unfused-pointwise");
    const struct evidence *seen = look->seen;
    const struct seen_work *works = seen->works.items;
    size_t count = seen->works.count, length = 0;
    struct keyed *places = order_by_stream(seen);
    double saving = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_same = i > 0 && places[i].key == places[i - 1].key;
        bool is_pointwise = works[places[i].place].marks & MARK_POINTWISE;
        if (length && (!is_same || !is_pointwise)) {
            end_run(&self, works, places + i - length, length, &saving);
            length = 0;
        }
        length += is_pointwise;
    }
    end_run(&self, works, places + count - length, length, &saving);
    memory_free(places);
    end_busy(look, &self, (int64_t)(saving / 2));
}

/* The nearest product on one side of a softmax on its stream; its place, or `at` for none. */
static size_t find_product(const struct evidence *seen, const struct keyed *places, size_t count,
                           size_t at, int step)
{
    for (size_t i = at + (size_t)step, reach = 0; i < count && reach <= ATTENTION_REACH;
         i += (size_t)step, reach++) {
        uint32_t marks = seen->works.items[places[i].place].marks;
        if (places[i].key != places[at].key || marks & MARK_SOFTMAX)
            break;
        if (marks & MARK_PRODUCT)
            return i;
    }
    return at;
}

/* A softmax between two products, with what is between them. A fused kernel still multiplies. */
static void find_written_attention(struct looking *look)
{
    struct making self = begin("unfused-attention");
    const struct evidence *seen = look->seen;
    size_t count = seen->works.count;
    struct keyed *places = order_by_stream(seen);
    self.fact.is_fused = true;
    for (size_t i = 0; i < count; i++) {
        if (!(seen->works.items[places[i].place].marks & MARK_SOFTMAX))
            continue;
        size_t from = find_product(seen, places, count, i, -1);
        size_t to = find_product(seen, places, count, i, 1);
        for (size_t j = from; from < i && i < to && j <= to; j++) {
            const struct seen_work *work = &seen->works.items[places[j].place];
            bool is_product = j == from || j == to;
            take_work(&self, work, is_product ? 0 : 1);
            self.fact.saving += is_product ? 0 : work->end - work->start;
        }
    }
    memory_free(places);
    end_busy(look, &self, self.fact.saving);
}

/* ------------------------------------------------------------------ optimizers */

/* A kernel by when its call began. */
struct launched {
    int64_t track, start;
    size_t work;
};
ORDER_BY(compare_launched, struct launched, UP(track) || UP(start));

typedef ARRAY(struct launched) launched_list;

struct optimizer_sums {
    struct interval_set host, busy;
    int64_t ranges, many;
};

static void find_loose_optimizers(struct looking *look)
{
    struct making self = begin("loose-optimizer");
    const struct evidence *seen = look->seen;
    struct optimizer_sums sums = {0};
    launched_list list = {0};
    int64_t first = 0;
    if (seen->has_optimizer) {
        for (size_t i = 0; i < seen->works.count; i++) {
            const struct seen_host *call = call_of(seen, &seen->works.items[i]);
            if (call && seen->works.items[i].kind == SEEN_KERNEL)
                array_add(&list, (struct launched){call->track, call->start, i});
        }
        array_sort(&list, compare_launched);
    }
    for (size_t i = 0; i < seen->ranges.count; i++) {
        const struct seen_host *range = &seen->ranges.items[i];
        int64_t ranges = sums.ranges;
        if (range->marks & MARK_OPTIMIZER && range->track) {
            size_t at;
            int64_t kernels = self.fact.count;
            ARRAY_LOWER_BOUND(
                at, list.count,
                list.items[at].track < range->track ||
                    (list.items[at].track == range->track && list.items[at].start < range->start));
            for (; at < list.count && list.items[at].track == range->track &&
                   list.items[at].start < range->end;
                 at++) {
                const struct seen_work *work = &seen->works.items[list.items[at].work];
                evidence_take(&self, work->id, work->end - work->start);
                sums.many += (work->marks & MARK_MANY_TENSORS) != 0;
                interval_add(&sums.busy, work->start, work->end);
            }
            if (self.fact.count != kernels) {
                sums.ranges++;
                add_place(&self, range->start, range->end, range->track);
                interval_add(&sums.host, range->start, range->end);
            }
        }
        if (sums.ranges > ranges && (!first || range->id < first))
            first = range->id;
    }
    interval_settle(&sums.host);
    interval_settle(&sums.busy);
    int64_t left = whole(interval_length(&sums.host)) - whole(interval_length(&sums.busy));
    self.fact.saving = left > 0 ? left : 0;
    self.fact.example = first;
    self.fact.value = sums.ranges ? (double)self.fact.count / (double)sums.ranges : 0;
    interval_free(&sums.host);
    interval_free(&sums.busy);
    array_free(&list);
    end(look, &self, sums.ranges > 0 && sums.many * MANY_TENSORS_SHARE < self.fact.count);
}

/* ------------------------------------------------------------------ all of it */

static void evidence_prepare(struct looking *look)
{
    struct evidence *seen = look->seen;
    struct seen_work *works = seen->works.items;
    size_t size = sizeof *works, count = seen->works.count;
    struct map kernels = {0};
    interval_settle(&seen->host);
    host_names_settle(&seen->names);
    keyed_sort_items(works, count, size, offsetof(struct seen_work, id));
    keyed_sort_items(works, count, size, offsetof(struct seen_work, start));
    array_reserve(&look->latest, count + 1);
    for (size_t i = 0; i < seen->works.count; i++) {
        const struct seen_work *work = &seen->works.items[i];
        int64_t latest = i ? look->latest.items[i - 1] : work->end;
        look->latest.items[look->latest.count++] = work->end > latest ? work->end : latest;
        uint32_t *place = map_put(&kernels, work->name, work->launcher);
        interval_add(&look->busy, work->start, work->end);
        if (!*place) {
            array_add(&seen->kernels,
                      (struct kernel_time){work->category, work->name, work->launcher, 0});
            *place = (uint32_t)seen->kernels.count;
        }
        int64_t *time = &seen->kernels.items[*place - 1].time;
        *time = number_sum(*time, work->end - work->start);
    }
    map_free(&kernels);
    if (seen->works.count) {
        seen->first = seen->works.items[0].start;
        seen->last = look->latest.items[seen->works.count - 1];
    }
    seen->busy = whole(interval_length(&look->busy));
}

void evidence_find(struct evidence *self)
{
    static void (*const measures[])(struct looking *) = {
        find_start_up, /* others leave it out */
        find_blocking_copies,
        find_pageable_copies,
        find_waits,
        find_read_values,
        find_host_waits,
        find_host_work,
        find_allocations,
        find_slow_calls,
        find_code_loading,
        find_data_parallel,
        find_host_outside,
        find_idle,
        find_long_gaps,
        find_small_kernels,
        find_late_launches,
        find_exposed_copies,
        find_exposed_communication,
        find_host_copies,
        find_few_blocks,
        find_layout_changes,
        find_moves,
        find_pointwise_runs,
        find_written_attention,
        find_loose_optimizers,
    };
    struct looking look = {.seen = self};
    struct tally threads = {0};
    /* The place of each launch among the calls. */
    for (size_t i = 0; i < self->works.count; i++) {
        struct seen_work *work = &self->works.items[i];
        size_t place;
        ARRAY_LOWER_BOUND(place, self->calls.count, self->calls.items[place].id < work->call);
        bool is_there = place < self->calls.count && self->calls.items[place].id == work->call;
        work->place = work->call && is_there ? (uint32_t)place + 1 : 0;
        self->linked += work->call != 0;
        if (work->place)
            tally_add(&threads, self->calls.items[place].track, 1, 1);
    }
    self->launching = tally_most(&threads, 0).name;
    tally_free(&threads);
    for (size_t i = 0; i < self->ranges.count; i++)
        self->has_optimizer |= (self->ranges.items[i].marks & MARK_OPTIMIZER) != 0;
    look.is_reading = memory_zeroed(self->calls.count + 1, sizeof *look.is_reading);
    struct map capturing = {0}; /* threads */
    int64_t read_until = 0;
    for (size_t i = 0, op = 0; i < self->calls.count; i++) {
        const struct seen_host *call = &self->calls.items[i];
        for (; op < self->ops.count && self->ops.items[op].id < call->id; op++)
            if (self->ops.items[op].marks & MARK_READS_VALUE &&
                self->ops.items[op].last_id > read_until)
                read_until = self->ops.items[op].last_id;
        look.is_reading[i] = call->id <= read_until;
        uint32_t *is_captured = map_put(&capturing, call->track, 0);
        if (call->marks & (MARK_CAPTURE_BEGIN | MARK_CAPTURE_END))
            *is_captured = (call->marks & MARK_CAPTURE_BEGIN) != 0;
        self->launches += (call->marks & MARK_LAUNCH) != 0;
        self->captured += call->marks & MARK_LAUNCH && *is_captured;
    }
    map_free(&capturing);
    look.is_first = memory_zeroed(self->calls.count + 1, sizeof *look.is_first);
    find_first_calls(self, look.is_first);
    evidence_prepare(&look);
    for (size_t i = 0; i < sizeof measures / sizeof *measures && self->works.count; i++)
        measures[i](&look);
    interval_free(&look.busy);
    interval_free(&look.working);
    array_free(&look.latest);
    memory_free(look.is_first);
    memory_free(look.is_reading);
}

void evidence_free_seen(struct evidence *self)
{
    arrays_free(&self->works, &self->calls, &self->ops, &self->ranges, &self->names.items);
    interval_free(&self->host);
}

void evidence_free(struct evidence *self)
{
    evidence_free_seen(self);
    for (size_t i = 0; i < self->facts.count; i++)
        fact_free(&self->facts.items[i]);
    arrays_free(&self->facts, &self->kernels);
    tally_free(&self->waits);
    interval_free(&self->start_up);
}
