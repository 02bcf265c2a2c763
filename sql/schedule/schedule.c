/* schedule: Events become nodes in order, and lags are measured on the way. Then each section adds
 * one kind of edge: threads, work, streams, host waits. */
#include "sql/schedule/schedule.h"

#include "src/base/keyed.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

/* From so many measurements on their tenth percentile counts, from so few the least, below the
 * default. */
enum { SAMPLES_MANY = 20, SAMPLES_FEW = 3, LATENCY_DEFAULT = 5000, COST_DEFAULT = 2000 };

/* [ns] A launch that takes so long may wait for a queue with so many GPU activities in flight. */
enum { BLOCKED_LAUNCH = 50000, FULL_QUEUE = 256 };

void schedule_usual(struct schedule *parts, size_t count, enum schedule_measure what,
                    int64_t *usual)
{
    static const int64_t defaults[MEASURES] = {[MEASURE_LATENCY] = LATENCY_DEFAULT,
                                               [MEASURE_COST] = COST_DEFAULT,
                                               [MEASURE_LAUNCH] = LATENCY_DEFAULT};
    sample *all = &parts[0].samples[what];
    double least = INFINITY;
    for (size_t i = 1; i < count; i++) {
        sample *values = &parts[i].samples[what];
        for (size_t j = 0; j < values->count; j++)
            array_add(all, values->items[j]);
        array_free(values);
    }
    for (size_t i = 0; i < all->count && i < SAMPLES_MANY; i++)
        least = all->items[i] < least ? all->items[i] : least;
    *usual = defaults[what];
    if (all->count >= SAMPLES_MANY)
        *usual = (int64_t)sample_percentile(all, 10);
    else if (all->count >= SAMPLES_FEW)
        *usual = (int64_t)least;
}

static void measure(sample *values, int64_t value)
{
    array_add(values, (double)value);
}

uint32_t schedule_work_of(const struct tie *edge)
{
    return edge->kind == TIE_WAIT ? edge->about >> SCHEDULE_WORD_BITS : edge->about;
}

enum schedule_word schedule_word_of(const struct tie *edge)
{
    bool is_wait = edge->kind == TIE_WAIT || edge->kind == TIE_SYNC;
    return (enum schedule_word)(is_wait ? edge->about & ((1u << SCHEDULE_WORD_BITS) - 1) : 0);
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool add_edge(struct schedule *self, uint32_t from, uint32_t to, int64_t weight,
                     enum tie_kind kind, uint32_t about)
{
    self->edges[kind]++;
    return graph_edge(self->graph, from, to, weight, kind, about);
}

/* The same from the node before it. */
static bool follow(struct schedule *self, uint32_t to, enum tie_kind kind, uint32_t about)
{
    self->edges[kind]++;
    return graph_follow(self->graph, to, kind, about);
}

/* An edge to the start of a GPU activity. */
static bool reach_work(struct schedule *self, uint32_t from, const struct work *work,
                       int64_t weight, enum tie_kind kind, uint32_t about)
{
    return add_edge(self, from, work_start_node(work), weight, kind, about);
}

/* ------------------------------------------------------------------ what happened, in order */

void schedule_shift(struct schedule *self, int64_t by)
{
    self->shift += by;
    self->begin += by;
    self->end += by;
    for (size_t i = 0; i < self->calls.count; i++) {
        self->calls.items[i].start += by;
        self->calls.items[i].end += by;
    }
    for (size_t i = 0; i < self->works.count; i++) {
        self->works.items[i].start += by;
        self->works.items[i].end += by;
    }
    for (size_t i = 0; i < self->threads.count; i++)
        thread_shift(&self->threads.items[i], by);
}

typedef int64_t key_of_place(const struct schedule *self, uint32_t place);

static int64_t call_start(const struct schedule *self, uint32_t call)
{
    return self->calls.items[call].start;
}

static int64_t work_end(const struct schedule *self, uint32_t work)
{
    return self->works.items[work].end;
}

/* Sorts places by a time of what they stand for; equal ones stay in their order. */
static void sort_places(const struct schedule *self, uint32_t *places, size_t count,
                        key_of_place *key)
{
    bool is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++)
        is_sorted = key(self, places[i - 1]) <= key(self, places[i]);
    if (is_sorted)
        return;
    struct keyed *keys = memory_list(count, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct keyed){key(self, places[i]), places[i]};
    keyed_sort(keys, count);
    for (size_t i = 0; i < count; i++)
        places[i] = keys[i].place;
    memory_free(keys);
}

ORDER_BY(compare_records, struct record, UP(correlation));

static int64_t first_launch(const struct schedule *self, uint32_t stream)
{
    const struct stream *on = &self->streams.items[stream];
    return on->launches.count ? self->calls.items[on->launches.items[0]].start : INT64_MAX;
}

void schedule_pair(struct schedule *self, uint32_t one, uint32_t other)
{
    struct host_thread *threads = self->threads.items;
    for (size_t i = 0; i < threads[one].partners.count; i++)
        if (threads[one].partners.items[i] == other)
            return;
    if (one != other && strcmp(threads[one].process, threads[other].process) == 0) {
        array_add(&threads[one].partners, other);
        array_add(&threads[other].partners, one);
    }
}

/* True if two threads are hardly ever busy at once: one mostly goes on where the other stops. */
static bool take_turns(const struct schedule *self, uint32_t one, uint32_t other)
{
    const struct host_thread *threads[] = {&self->threads.items[one], &self->threads.items[other]};
    struct host_event ahead[2];
    size_t next[2] = {0, 0}, changes = 0, soon = 0;
    bool is_there[2];
    int64_t busy[2] = {0, 0}, both = 0, until[2] = {INT64_MIN, INT64_MIN};
    for (int i = 0; i < 2; i++)
        is_there[i] = thread_next_stretch(threads[i], &ahead[i], &next[i]);
    for (int now, last = -1; is_there[0] || is_there[1]; last = now) {
        now = !is_there[0] ||
              (is_there[1] && (ahead[1].start != ahead[0].start ? ahead[1].start < ahead[0].start
                                                                : ahead[1].end < ahead[0].end));
        int64_t start = ahead[now].start, end = ahead[now].end;
        if (start < until[!now])
            both += least_of(end, until[!now]) - start;
        changes += last == !now;
        soon += last == !now && start <= until[!now] + self->limits.hand;
        busy[now] += end - start;
        until[now] = end;
        is_there[now] = thread_next_stretch(threads[now], &ahead[now], &next[now]);
    }
    return both <= least_of(busy[0], busy[1]) / 20 && changes >= 2 && soon * 5 >= changes * 4;
}

/* Threads that launch take turns where nothing else tells of them; so many are held against each
 * other. */
static void pair_by_turns(struct schedule *self)
{
    enum { LAUNCHING_MAX = 32 };
    uint32_t launching[LAUNCHING_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < self->threads.count; i++)
        if (self->threads.items[i].partners.count)
            return;
    for (size_t i = 0; i < self->calls.count && count < LAUNCHING_MAX; i++) {
        size_t at = 0;
        while (at < count && launching[at] != self->calls.items[i].thread)
            at++;
        if (at == count && self->calls.items[i].works)
            launching[count++] = self->calls.items[i].thread;
    }
    self->pairs = PAIRS_NONE;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (take_turns(self, launching[i], launching[j])) {
                schedule_pair(self, launching[i], launching[j]);
                self->pairs =
                    self->threads.items[launching[i]].partners.count ? PAIRS_TURNS : self->pairs;
            }
}

/* Works of each call, in order of start, and of each stream; calls of each stream. */
void schedule_order(struct schedule *self)
{
    keyed_sort_items(self->works.items, self->works.count, sizeof *self->works.items,
                     offsetof(struct work, start)); /* they were read by id */
    struct work *works = self->works.items;
    array_sort(&self->records, compare_records);
    for (size_t i = self->works.count; i-- > 0;)
        if (works[i].call) {
            struct call *call = &self->calls.items[works[i].call - 1];
            works[i].next_of_call = call->works;
            call->works = (uint32_t)i + 1;
        }
    for (uint32_t i = 0; i < self->works.count; i++) {
        struct stream *stream = &self->streams.items[works[i].stream];
        if (works[i].is_inside || works[i].is_earlier)
            array_add(&stream->works, i);
        if (!works[i].call && (works[i].is_inside || works[i].is_earlier))
            array_add(&stream->unlinked, i);
    }
    for (uint32_t i = 0; i < self->calls.count; i++)
        for (uint32_t at = self->calls.items[i].works; at; at = works[at - 1].next_of_call) {
            struct stream *stream = &self->streams.items[works[at - 1].stream];
            if (!stream->launches.count || stream->launches.items[stream->launches.count - 1] != i)
                array_add(&stream->launches, i);
        }
    for (size_t i = 0; i < self->streams.count; i++) {
        struct stream *stream = &self->streams.items[i];
        sort_places(self, stream->launches.items, stream->launches.count, call_start);
        sort_places(self, stream->unlinked.items, stream->unlinked.count, work_end);
    }
    for (size_t i = 0; i < self->threads.count; i++)
        thread_settle(&self->threads.items[i]);
    pair_by_turns(self);

    /* Names of streams and the file's order must not decide what binds where streams end a wait
     * together. */
    for (uint32_t i = 0; i < self->streams.count; i++)
        array_add(&self->in_turn, i);
    sort_places(self, self->in_turn.items, self->in_turn.count, first_launch);
}

/* ------------------------------------------------------------------ threads */

static bool may_block(const struct schedule *self, const struct call *call)
{
    unsigned waits =
        DOES_SYNC_DEVICE | DOES_SYNC_STREAM | DOES_SYNC_EVENT | DOES_QUERY_EVENT | DOES_COPY;
    if (call->does & waits)
        return true;
    for (uint32_t i = call->works; i; i = self->works.items[i - 1].next_of_call)
        if (self->works.items[i - 1].is_copy && self->works.items[i - 1].is_pageable)
            return true;
    return false;
}

/* True if a call waits for nothing but a place in a queue. */
static bool is_queued(const struct schedule *self, const struct call *call)
{
    return call->works && !may_block(self, call);
}

/* Places of events that are open, the one that ends first on top; of events that end together the
 * one that began last. */
struct heap {
    ARRAY(uint32_t) places;
    const struct host_event *events;
};

static bool ends_first(const struct heap *self, size_t left, size_t right)
{
    uint32_t a = self->places.items[left], b = self->places.items[right];
    const struct host_event *events = self->events;
    return events[a].end != events[b].end ? events[a].end < events[b].end : a > b;
}

static void swap_places(uint32_t *items, size_t a, size_t b)
{
    uint32_t one = items[a];
    items[a] = items[b];
    items[b] = one;
}

static void heap_push(struct heap *self, uint32_t place)
{
    array_add(&self->places, place);
    for (size_t at = self->places.count - 1; at && ends_first(self, at, (at - 1) / 2);
         at = (at - 1) / 2)
        swap_places(self->places.items, at, (at - 1) / 2);
}

static uint32_t heap_pop(struct heap *self)
{
    uint32_t *items = self->places.items, top = items[0];
    size_t count = --self->places.count;
    items[0] = items[count];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t below = 2 * at + 1; below <= 2 * at + 2 && below < count; below++)
            least = ends_first(self, below, least) ? below : least;
        if (least == at)
            return top;
        swap_places(items, at, least);
        at = least;
    }
}

/* A moment of an event that matters: of a call that launches or may wait, or with nothing open
 * around it. */
static bool add_point(struct schedule *self, uint32_t thread, uint32_t event, bool is_end,
                      bool is_outermost)
{
    struct host_thread *on = &self->threads.items[thread];
    const struct host_event *of = event == POINT_WINDOW ? NULL : &on->events.items[event];
    struct call *call = of && host_call(of) ? &self->calls.items[host_call(of) - 1] : NULL;
    bool is_needed = call && (call->works || call->does & (DOES_WAIT_EVENT | DOES_RECORD) ||
                              may_block(self, call));
    if (!is_needed && !is_outermost)
        return true;
    int64_t time = !of ? self->end : is_end ? of->end : of->start;
    int64_t last = self->points.count > on->first_point
                       ? self->graph->times.items[self->graph->times.count - 1]
                       : self->begin;
    time = time > last ? time : last;
    struct thread_point *point = array_push(&self->points);
    uint32_t node = graph_node(self->graph, time);
    if (node == GRAPH_NONE)
        return false;
    *point = (struct thread_point){
        .event = event & POINT_WINDOW,
        .what = ((is_end ? POINT_END : 0u) | (is_outermost ? POINT_OUTERMOST : 0u)) & 3u};
    if (call && is_end)
        call->end_node = node;
    else if (call)
        call->begin_node = node;
    return true;
}

static bool make_threads(struct schedule *self)
{
    bool done = true;

    /* The thread of the step's mark, where anything ran on it; else the one whose calls launched
     * most works; else the one with most events. Threads are in the order that decides between
     * equals. */
    size_t total = 0, untold = 0;
    for (size_t i = 0; i < self->works.count; i++)
        if (self->works.items[i].is_inside && self->works.items[i].call) {
            const struct call *call = &self->calls.items[self->works.items[i].call - 1];
            self->threads.items[call->thread].launched++;
            total++;
        }
    bool is_known = self->main != GRAPH_NONE && self->threads.items[self->main].events.count;
    for (uint32_t i = 0; i < self->threads.count && !is_known; i++) {
        const struct host_thread *thread = &self->threads.items[i],
                                 *best = &self->threads.items[i ? self->main : 0];
        if (!i ||
            (total ? thread->launched > best->launched : thread->events.count > best->events.count))
            self->main = i;
    }
    for (uint32_t i = 0; i < self->threads.count; i++)
        if (i != self->main && !self->threads.items[i].partners.count) {
            untold += self->threads.items[i].launched;
            self->untold += self->threads.items[i].launched > 0;
        }
    /* few launches hold nothing up; the main thread counts with the others */
    self->untold = untold * 20 > total ? self->untold + 1 : 0;
    for (size_t i = 0; i < self->calls.count; i++)
        self->calls.items[i].begin_node = self->calls.items[i].end_node = GRAPH_NONE;
    for (uint32_t i = 0; i < self->threads.count && done; i++) {
        /* Events of a thread begin and end in turn: each such point is a node. */
        struct host_thread *on = &self->threads.items[i];
        const struct host_event *events = on->events.items;
        struct heap open = {.events = events};
        on->first_point = (uint32_t)self->points.count;
        on->first_node = (uint32_t)self->graph->times.count;
        for (uint32_t j = 0; j <= on->events.count && done; j++) {
            bool is_last = j == on->events.count;
            if (!is_last && !host_is_inside(&events[j]))
                continue;
            while (open.places.count && done &&
                   (is_last || events[open.places.items[0]].end <= events[j].start)) {
                uint32_t ended = heap_pop(&open);
                done = add_point(self, i, ended, true, open.places.count == 0);
            }
            if (!is_last && done) {
                done = add_point(self, i, j, false, open.places.count == 0);
                if (done)
                    heap_push(&open, j);
            }
        }
        if (done && self->is_window && i == self->main)
            done = add_point(self, i, POINT_WINDOW, false, true);
        on->end_point = (uint32_t)self->points.count;
        array_free(&open.places);
    }
    return done;
}

/* ------------------------------------------------------------------ work */

static bool make_work(struct schedule *self)
{
    for (size_t i = 0; i < self->works.count; i++) {
        struct work *work = &self->works.items[i];
        work->end_node = GRAPH_NONE;
        if (work->is_inside && graph_node(self->graph, work->start) == GRAPH_NONE)
            return false;
        if ((work->is_inside || work->is_earlier) &&
            (work->end_node = graph_node(self->graph, work->end)) == GRAPH_NONE)
            return false;
    }
    return true;
}

/* How long a launch takes onto a stream that has nothing to do. */
static void measure_latency(struct schedule *self)
{
    for (size_t i = 0; i < self->streams.count; i++) {
        const struct stream *stream = &self->streams.items[i];
        int64_t until = INT64_MIN;
        for (size_t j = 0; j < stream->works.count; j++) {
            const struct work *work = &self->works.items[stream->works.items[j]];
            const struct call *call = work->call ? &self->calls.items[work->call - 1] : NULL;
            if (call && work->is_inside && work->start >= call->start && until <= call->start &&
                call->works == stream->works.items[j] + 1)
                measure(&self->samples[MEASURE_LATENCY], work->start - call->start);
            until = work->end > until ? work->end : until;
        }
    }
    schedule_usual(self, 1, MEASURE_LATENCY, &self->usual[MEASURE_LATENCY]);
}

/* How long a stream needs between two GPU activities when the second was launched in time. */
static void measure_gap(struct schedule *self)
{
    for (size_t i = 0; i < self->streams.count; i++) {
        const struct stream *stream = &self->streams.items[i];
        for (size_t j = 1; j < stream->works.count; j++) {
            const struct work *before = &self->works.items[stream->works.items[j - 1]];
            const struct work *work = &self->works.items[stream->works.items[j]];
            if (work->call &&
                self->calls.items[work->call - 1].start + self->usual[MEASURE_LATENCY] <=
                    before->end &&
                before->end <= work->start)
                measure(&self->samples[MEASURE_GAP], work->start - before->end);
        }
    }
}

static bool is_later(const struct work *a, const struct work *b)
{
    return a->end != b->end ? a->end > b->end : a > b;
}

/* Edges to a GPU activity; `before` is the one before it on the stream, or NULL. */
static bool tie_work(struct schedule *self, uint32_t place, const struct work *before)
{
    struct work *work = &self->works.items[place];
    bool done = work->is_joined || follow(self, work->end_node, TIE_SPAN, place);
    if (done && before)
        done = reach_work(self, before->end_node, work,
                          least_of(self->usual[MEASURE_GAP], work->start - before->end), TIE_STREAM,
                          place);
    uint32_t begin = work->call ? self->calls.items[work->call - 1].begin_node : GRAPH_NONE;
    if (done && begin != GRAPH_NONE) {
        int64_t passed = work->start - self->graph->times.items[begin];
        if (passed < -self->limits.clock)
            self->dropped[DROP_LAUNCH]++;
        else
            done = reach_work(self, begin, work, least_of(self->usual[MEASURE_LATENCY], passed),
                              TIE_LAUNCH, place);
    }
    if (done && !before && begin == GRAPH_NONE)
        done = reach_work(self, self->source, work, 0, TIE_SOURCE, place);
    return done;
}

/* ------------------------------------------------------------------ what streams wait for */

static uint32_t find_stream(const struct schedule *self, int64_t device, int64_t number)
{
    for (uint32_t i = 0; i < self->streams.count; i++)
        if (self->streams.items[i].device == device && self->streams.items[i].number == number)
            return i;
    return GRAPH_NONE;
}

ORDER_BY(compare_times, int64_t, BY((*a > *b) - (*a < *b)));
ORDER_BY(compare_correlated, struct correlated, UP(correlation) || UP(start) || UP(call));

static int64_t correlation_of(const struct schedule *self, size_t call)
{
    return call < self->correlations.count ? self->correlations.items[call] : INT64_MIN;
}

/* The first call with a correlation id; GRAPH_NONE = none. */
static uint32_t call_of(const struct schedule *self, int64_t correlation)
{
    const struct correlated *list = self->by_correlation.items;
    size_t place, count = self->by_correlation.count;
    ARRAY_LOWER_BOUND(place, count, list[place].correlation < correlation);
    bool is_found =
        correlation != INT64_MIN && place < count && list[place].correlation == correlation;
    return is_found ? list[place].call : GRAPH_NONE;
}

/* The work launched last onto a stream before a time, the one that ends last of its call. */
static uint32_t last_before(const struct schedule *self, uint32_t stream, int64_t time)
{
    if (stream == GRAPH_NONE)
        return GRAPH_NONE;
    const struct stream *on = &self->streams.items[stream];
    const struct work *works = self->works.items;
    size_t place;
    ARRAY_LOWER_BOUND(place, on->launches.count,
                      self->calls.items[on->launches.items[place]].start < time);
    if (!place)
        return GRAPH_NONE;
    uint32_t best = GRAPH_NONE;
    for (uint32_t i = self->calls.items[on->launches.items[place - 1]].works; i;
         i = works[i - 1].next_of_call)
        if (works[i - 1].stream == stream &&
            (best == GRAPH_NONE || is_later(&works[i - 1], &works[best])))
            best = i - 1;
    return best;
}

/* Work waits for other work; `*found` says whether the graph has that now. */
static bool depend(struct schedule *self, uint32_t from, uint32_t to, enum schedule_word word,
                   bool *found)
{
    struct work *work = &self->works.items[to];
    const struct work *of = &self->works.items[from];
    int64_t passed = work->start - of->end;
    *found = of->end_node != GRAPH_NONE && passed >= -self->limits.clock;
    if (of->end_node == GRAPH_NONE)
        self->dropped[DROP_OUTSIDE]++;
    else if (!*found)
        self->dropped[DROP_WAIT]++;
    return !*found ||
           reach_work(self, of->end_node, work, least_of(self->usual[MEASURE_GAP], passed),
                      TIE_WAIT, to << SCHEDULE_WORD_BITS | word);
}

/* The first work that a stream was given from a time on. */
static uint32_t first_after(const struct schedule *self, uint32_t stream, int64_t time)
{
    const struct stream *on = &self->streams.items[stream];
    size_t place;
    ARRAY_LOWER_BOUND(place, on->launches.count,
                      self->calls.items[on->launches.items[place]].start < time);
    if (place == on->launches.count)
        return GRAPH_NONE;
    uint32_t work = self->calls.items[on->launches.items[place]].works;
    while (work && self->works.items[work - 1].stream != stream)
        work = self->works.items[work - 1].next_of_call;
    return work ? work - 1 : GRAPH_NONE;
}

static bool tie_stated(struct schedule *self, bool *any)
{
    bool done = true;
    for (size_t i = 0; i < self->records.count && done; i++) {
        const struct record *record = &self->records.items[i];
        if (record->kind != RECORD_WAIT_EVENT)
            continue;
        uint32_t call = call_of(self, record->correlation),
                 of = call_of(self, record->of_correlation);
        uint32_t stream = find_stream(self, record->device, record->stream);
        bool is_known = call != GRAPH_NONE && of != GRAPH_NONE && record->of_stream >= 0 &&
                        stream != GRAPH_NONE;
        uint32_t from =
            is_known ? last_before(self, find_stream(self, record->device, record->of_stream),
                                   self->calls.items[of].start)
                     : GRAPH_NONE;
        uint32_t to;
        if (is_known)
            to = first_after(self, stream, self->calls.items[call].start);
        else
            to = GRAPH_NONE;
        if (from == GRAPH_NONE || to == GRAPH_NONE) {
            self->dropped[DROP_RECORD]++;
            continue;
        }
        *any = true;
        bool found;
        if (self->works.items[to].is_inside && from != to)
            done = depend(self, from, to, WORD_STATED, &found);
    }
    return done;
}

/* How many of them end at a time or before. */
static size_t ended_by(const struct schedule *self, int64_t time)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->ends.count,
                      self->works.items[self->ends.items[place]].end <= time);
    return place;
}

/* Works that end together are all candidates for a wait. So many get an edge each, so that later
 * ends do not hang on their order. */
enum { TIES_MAX = 16 };

/* The works of other streams that ended last before this one starts, if that explains the start;
 * they were launched before `waited`, or there is no call and they started before. */
static bool explain(struct schedule *self, uint32_t place, int64_t waited)
{
    const struct work *work = &self->works.items[place];
    struct tie edge;
    int64_t lag, device = self->streams.items[work->stream].device;
    bool is_tied = graph_binding(self->graph, work_start_node(work), &edge, &lag);
    int64_t latest = is_tied ? work->start - lag : INT64_MIN;
    int64_t least = work->start - self->limits.near;
    int ties = 0;
    bool found, done = true;
    for (size_t i = ended_by(self, work->start); i-- > 0 && ties < TIES_MAX && done;) {
        const struct work *of = &self->works.items[self->ends.items[i]];
        if (of->end < least || of->end <= latest)
            break;
        bool is_candidate = of->stream != work->stream &&
                            self->streams.items[of->stream].device == device && of != work;
        if (is_candidate)
            is_candidate = work->call ? of->call && self->calls.items[of->call - 1].start < waited
                                      : of->start < work->start;
        if (is_candidate) {
            done = depend(self, self->ends.items[i], place, WORD_INFERRED, &found);
            least = of->end;
            ties++;
        }
    }
    return done;
}

/* Work that ranks share is launched with waits on both sides, which traces may lack: it needs what
 * its thread launched before, */
static bool is_shared(const struct schedule *self, const struct work *work)
{
    return work->is_sent || work->is_received || (!self->has_waits && work->is_joined);
}

/* and what is launched after it, on whichever thread, needs it, unless it was only sent. */
static void list_awaited(struct schedule *self)
{
    for (size_t i = 0; i < self->calls.count; i++)
        for (uint32_t at = self->calls.items[i].works; at;
             at = self->works.items[at - 1].next_of_call)
            if (!(self->works.items[at - 1].is_sent ||
                  !is_shared(self, &self->works.items[at - 1])))
                array_add(&self->awaited, self->calls.items[i].start + 1);
    array_sort(&self->awaited, compare_times);
}

static bool tie_inferred(struct schedule *self)
{
    for (size_t i = 0; i < self->calls.count && !self->has_waits; i++)
        self->has_waits = self->calls.items[i].does & DOES_WAIT_EVENT;
    list_awaited(self);
    bool done = true, any = self->has_waits;
    for (uint32_t i = 0; i < self->works.count && done; i++) {
        any = any || is_shared(self, &self->works.items[i]);
        if (self->works.items[i].is_inside && !self->works.items[i].call)
            done = explain(self, i, 0);
    }
    int64_t *previous = memory_list(self->streams.count + 1, sizeof *previous);
    for (size_t i = 0; i < self->threads.count && any && done; i++) {
        /* Where a thread let streams wait: the first work of a call behind that, of each stream. */
        const struct host_thread *thread = &self->threads.items[i];
        int64_t waited = INT64_MIN;
        size_t next = 0;
        for (size_t j = 0; j < self->streams.count; j++)
            previous[j] = INT64_MIN;
        for (size_t j = 0; j < thread->events.count && done; j++) {
            const struct host_event *event = &thread->events.items[j];
            const struct call *call =
                host_call(event) ? &self->calls.items[host_call(event) - 1] : NULL;
            for (; next < self->awaited.count && self->awaited.items[next] <= event->start; next++)
                waited = waited > self->awaited.items[next] ? waited : self->awaited.items[next];
            for (uint32_t at = call ? call->works : 0; at && done;
                 at = self->works.items[at - 1].next_of_call) {
                const struct work *work = &self->works.items[at - 1];
                if (work->is_inside && is_shared(self, work))
                    done = explain(self, at - 1, event->start);
                else if (work->is_inside && waited < event->start &&
                         waited > previous[work->stream])
                    done = explain(self, at - 1, waited);
                previous[work->stream] = event->start;
            }
            if (call && call->does & DOES_WAIT_EVENT)
                waited = event->start;
        }
    }
    memory_free(previous);
    return done;
}

/* ------------------------------------------------------------------ what the host waits for */

static void release_call(struct schedule *self, const struct call *call, uint32_t work,
                         enum schedule_word word)
{
    if (work == GRAPH_NONE)
        return;
    const struct work *of = &self->works.items[work];
    if (of->end <= call->start || of->end_node == GRAPH_NONE)
        return;
    if (of->end > call->end + self->limits.clock) {
        self->dropped[DROP_SYNC]++;
        return;
    }
    uint32_t place = (uint32_t)(call - self->calls.items);
    array_add(&self->releases, (struct release){place, work, word});
}

/* The work of a stream without a call that ended last, but not after the call. */
static uint32_t last_unlinked(const struct schedule *self, const struct stream *stream,
                              const struct call *call)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, stream->unlinked.count,
                      self->works.items[stream->unlinked.items[place]].end <=
                          call->end + self->limits.clock);
    return place ? stream->unlinked.items[place - 1] : GRAPH_NONE;
}

/* The works that ended last before a call returns, if that explains its return. */
static void release_nearest(struct schedule *self, const struct call *call)
{
    int64_t least = call->end - self->limits.near;
    int ties = 0;
    for (size_t i = ended_by(self, call->end + self->limits.clock); i-- > 0 && ties < TIES_MAX;) {
        const struct work *work = &self->works.items[self->ends.items[i]];
        if (work->end <= call->start || work->end < least)
            break;
        if (work->call ? self->calls.items[work->call - 1].start < call->start
                       : work->start < call->end) {
            release_call(self, call, self->ends.items[i], WORD_INFERRED);
            least = work->end;
            ties++;
        }
    }
}

static bool is_long_launch(const struct call *call)
{
    return call->works && call->end - call->start >= BLOCKED_LAUNCH;
}

/* A launch blocks while the queue of its stream is full: many were in flight before it, and it
 * returned soon after one of them ended, which freed its place. */
static uint32_t freed_place(const struct schedule *self, const struct call *call)
{
    if (!is_long_launch(call))
        return GRAPH_NONE;
    const struct work *works = self->works.items, *own = &works[call->works - 1];
    const uint32_t *queue = self->streams.items[own->stream].works.items;
    size_t ended, before, count = self->streams.items[own->stream].works.count;
    ARRAY_LOWER_BOUND(ended, count, works[queue[ended]].end <= call->end);
    ARRAY_LOWER_BOUND(before, count, works[queue[before]].start < own->start);
    bool is_freed = ended && before >= ended + FULL_QUEUE &&
                    call->end - works[queue[ended - 1]].end <= self->limits.near;
    return is_freed ? queue[ended - 1] : GRAPH_NONE;
}

static void find_releases(struct schedule *self, const struct call *call,
                          const struct record *record)
{
    /* A copy ends its own call where the call waits for it. */
    uint32_t copy = GRAPH_NONE;
    const struct work *works = self->works.items;
    for (uint32_t i = call->works; i; i = works[i - 1].next_of_call) {
        const struct work *work = &works[i - 1];
        if (work->is_copy && (call->does & DOES_COPY || work->is_pageable) &&
            work->end <= call->end + self->limits.clock &&
            (copy == GRAPH_NONE || is_later(work, &works[copy])))
            copy = i - 1;
    }
    if (copy != GRAPH_NONE) {
        release_call(self, call, copy, WORD_OWN_COPY);
        return;
    }
    if (record && record->kind == RECORD_STREAM) {
        release_call(
            self, call,
            last_before(self, find_stream(self, record->device, record->stream), call->start),
            WORD_STATED);
        return;
    }
    if (record && record->kind == RECORD_EVENT && record->of_correlation >= 0) {
        uint32_t of = call_of(self, record->of_correlation);
        if (of != GRAPH_NONE)
            release_call(self, call,
                         last_before(self, find_stream(self, record->device, record->of_stream),
                                     self->calls.items[of].start),
                         WORD_STATED);
        return;
    }
    if (call->does & DOES_SYNC_DEVICE || (record && record->kind == RECORD_DEVICE)) {
        const uint32_t *in_turn = self->in_turn.items;
        for (size_t i = 0; i < self->in_turn.count; i++)
            release_call(self, call, last_before(self, in_turn[i], call->start), WORD_STATED);
        for (size_t i = 0; i < self->in_turn.count; i++)
            release_call(self, call, last_unlinked(self, &self->streams.items[in_turn[i]], call),
                         WORD_STATED);
        return;
    }
    if (call->does & (DOES_SYNC_STREAM | DOES_SYNC_EVENT)) {
        release_nearest(self, call);
        return;
    }
    release_call(self, call, freed_place(self, call), WORD_INFERRED);
}

/* The call that ends at a point of a thread, or NULL. */
static struct call *call_ending(const struct schedule *self, const struct host_thread *thread,
                                const struct thread_point *point)
{
    if (point->event == POINT_WINDOW || !(point->what & POINT_END))
        return NULL;
    uint32_t number = host_call(&thread->events.items[point->event]);
    return number ? &self->calls.items[number - 1] : NULL;
}

/* Measures a call's wait, which ends at `time`, and how late the call noticed. */
static void measure_call(struct schedule *self, struct call *call, int64_t time)
{
    size_t before = self->releases.count;

    /* The last record of a call; records are few, and sorted by their correlation here. */
    int64_t correlation = correlation_of(self, (size_t)(call - self->calls.items));
    size_t place;
    ARRAY_LOWER_BOUND(place, self->records.count,
                      self->records.items[place].correlation <= correlation);
    bool is_found = correlation != INT64_MIN && place &&
                    self->records.items[place - 1].correlation == correlation;
    const struct record *record = is_found ? &self->records.items[place - 1] : NULL;
    find_releases(self, call, record);
    int64_t latest = INT64_MIN;
    for (size_t j = before; j < self->releases.count; j++) {
        int64_t end = self->works.items[self->releases.items[j].work].end;
        latest = end > latest ? end : latest;
    }
    if (self->releases.count > before) {
        call->is_released = true;
        if (time >= latest)
            measure(&self->samples[MEASURE_RETURN], time - latest);
    } else if (!call->works)
        measure(&self->samples[MEASURE_COST], call->end - call->start);
}

static void measure_host(struct schedule *self)
{
    for (size_t i = 0; i < self->threads.count; i++) {
        const struct host_thread *thread = &self->threads.items[i];
        for (uint32_t j = thread->first_point; j < thread->end_point; j++) {
            struct call *call = call_ending(self, thread, &self->points.items[j]);
            if (call && (may_block(self, call) || is_long_launch(call)))
                measure_call(
                    self, call,
                    self->graph->times.items[thread->first_node + j - thread->first_point]);
        }
    }
    bool is_full = false;
    for (size_t i = 0; i < self->releases.count && !is_full; i++)
        is_full = is_queued(self, &self->calls.items[self->releases.items[i].call]);
    for (size_t i = 0; i < self->calls.count && is_full; i++) {
        const struct call *call = &self->calls.items[i];
        if (is_queued(self, call) && !call->is_released)
            measure(&self->samples[MEASURE_LAUNCH], call->end - call->start);
    }
}

/* ------------------------------------------------------------------ chains */

/* The partners' last moment behind `after` and not behind `time`; GRAPH_NONE = none. */
static uint32_t handed_over(const struct schedule *self, const struct host_thread *thread,
                            int64_t after, int64_t time)
{
    uint32_t given = GRAPH_NONE;
    const int64_t *times = self->graph->times.items;
    for (size_t i = 0; i < thread->partners.count; i++) {
        const struct host_thread *other = &self->threads.items[thread->partners.items[i]];
        size_t place, count = other->end_point - other->first_point;
        ARRAY_LOWER_BOUND(place, count, times[other->first_node + place] <= time);
        uint32_t node = other->first_node + (uint32_t)place - 1;
        if (place && times[node] > after &&
            (given == GRAPH_NONE || times[node] > times[given] ||
             (times[node] == times[given] && node > given)))
            given = node;
    }
    return given;
}

static bool tie_thread(struct schedule *self, uint32_t number)
{
    const struct host_thread *thread = &self->threads.items[number];
    bool done = true;
    for (uint32_t i = thread->first_point; i < thread->end_point && done; i++) {
        const struct thread_point *point = &self->points.items[i],
                                  *before = i > thread->first_point ? point - 1 : NULL;
        uint32_t node = thread->first_node + i - thread->first_point,
                 from = before ? node - 1 : self->source;
        int64_t time = self->graph->times.items[node], earlier = self->graph->times.items[from],
                weight = time - earlier;
        unsigned ended = POINT_END | POINT_OUTERMOST;
        bool is_free = !before || ((before->what & ended) == ended && !(point->what & POINT_END));
        const struct call *call = call_ending(self, thread, point);
        if (call && call->is_released && before && before->event == point->event)
            weight = least_of(self->usual[is_queued(self, call) ? MEASURE_LAUNCH : MEASURE_COST],
                              weight);
        uint32_t given;
        if (is_free)
            given = handed_over(self, thread, earlier, time);
        else
            given = GRAPH_NONE;
        if (given != GRAPH_NONE)
            done = add_edge(self, given, node, time - self->graph->times.items[given], TIE_HANDOVER,
                            number) &&
                   add_edge(self, from, node, 0, TIE_CHAIN, number);
        else if (before && weight == time - earlier)
            done = follow(self, node, TIE_CHAIN, number);
        else
            done = add_edge(self, from, node, weight, TIE_CHAIN, number);
    }
    return done;
}

bool *schedule_waited_for(const struct graph *graph)
{
    bool *is_waited_for = memory_zeroed(graph->times.count + 1, sizeof *is_waited_for);
    for (size_t i = 0; i < graph->edges.count; i++)
        is_waited_for[graph->edges.items[i].from] = true;
    for (size_t i = 1; i < graph->times.count; i++)
        is_waited_for[i - 1] |= graph_follows(graph, (uint32_t)i);
    return is_waited_for;
}

/* Everything that nothing waits for ends in the sink, but for threads that launch nothing and hand
 * over to none. */
bool schedule_finish(struct schedule *self, bool *is_waited_for)
{
    const int64_t *times = self->graph->times.items;
    const struct host_thread *main =
        self->main == GRAPH_NONE || !self->threads.count ? NULL : &self->threads.items[self->main];
    uint32_t last_of_main = main && main->end_point > main->first_point
                                ? main->first_node + main->end_point - main->first_point - 1
                                : GRAPH_NONE;
    int64_t last = times[self->source];
    uint32_t nodes = self->end_node;
    bool is_any = self->pairs != PAIRS_NONE;
    for (size_t i = 0; i < self->works.count && !is_any; i++)
        is_any = self->works.items[i].is_inside;
    for (size_t i = 0; i < self->threads.count && is_any; i++) {
        const struct host_thread *thread = &self->threads.items[i];
        if (!thread->launched && !thread->partners.count && thread->end_point > thread->first_point)
            is_waited_for[thread->first_node + thread->end_point - thread->first_point - 1] = true;
    }
    if (last_of_main != GRAPH_NONE) {
        last = times[last_of_main] > last ? times[last_of_main] : last;
        is_waited_for[last_of_main] = false;
    }
    for (size_t i = 0; i < self->works.count; i++)
        if (self->works.items[i].is_inside) {
            last = self->works.items[i].end > last ? self->works.items[i].end : last;
            is_waited_for[self->works.items[i].end_node] = false;
        }
    self->sink = graph_node(self->graph, last);
    bool done = self->sink != GRAPH_NONE;
    for (uint32_t i = self->source; i < nodes && done; i++)
        if (!is_waited_for[i] && self->graph->times.items[i] <= last)
            done = add_edge(self, i, self->sink, 0, TIE_SOURCE, GRAPH_NONE);
    return done;
}

/* ------------------------------------------------------------------ all of it */

bool schedule_prepare(struct schedule *self, struct graph *graph)
{
    self->graph = graph;
    self->source = graph_node(graph, self->begin);
    bool done = self->source != GRAPH_NONE && make_threads(self) && make_work(self);
    if (done) {
        /* Only records name calls that way. */
        for (uint32_t i = 0; i < self->calls.count && self->records.count; i++) {
            int64_t correlation = correlation_of(self, i);
            if (correlation != INT64_MIN)
                array_add(&self->by_correlation,
                          (struct correlated){correlation, self->calls.items[i].start, i});
        }
        array_sort(&self->by_correlation, compare_correlated);

        /* Works that are in the graph by their ends. */
        for (uint32_t i = 0; i < self->works.count; i++)
            if (self->works.items[i].end_node != GRAPH_NONE)
                array_add(&self->ends, i);
        sort_places(self, self->ends.items, self->ends.count, work_end);
        measure_latency(self);
        measure_gap(self);
        measure_host(self);
    }
    self->end_node = (uint32_t)graph->times.count;
    return done;
}

void schedule_measured(struct schedule *self)
{
    for (int i = 0; i < MEASURES; i++)
        array_free(&self->samples[i]);
}

bool schedule_tie(struct schedule *self)
{
    bool has_stated = false, done = true;

    /* The edge comes from the work before it on its stream with the greatest end that is not behind
     * its start. */
    const struct work *works = self->works.items,
                      **before = memory_zeroed(self->streams.count + 1, sizeof *before);
    size_t ended = 0;
    for (uint32_t i = 0; i < self->works.count && done; i++) {
        for (; ended < self->ends.count && self->ends.items[ended] < i &&
               works[self->ends.items[ended]].end <= works[i].start;
             ended++)
            before[works[self->ends.items[ended]].stream] = &works[self->ends.items[ended]];
        done = !works[i].is_inside || tie_work(self, i, before[works[i].stream]);
    }
    memory_free(before);
    done = done && tie_stated(self, &has_stated);
    done = done && (has_stated || tie_inferred(self));
    if (done) {
        /* Work lets the calls go on that wait for it. */
        for (size_t i = 0; i < self->releases.count && done; i++) {
            const struct release *release = &self->releases.items[i];
            const struct work *work = &self->works.items[release->work];
            uint32_t node = self->calls.items[release->call].end_node;
            done = add_edge(
                self, work->end_node, node,
                least_of(self->usual[MEASURE_RETURN], self->graph->times.items[node] - work->end),
                TIE_SYNC, release->call << SCHEDULE_WORD_BITS | (uint32_t)release->word);
        }
    }
    for (size_t i = 0; i < self->streams.count; i++)
        arrays_free(&self->streams.items[i].works, &self->streams.items[i].launches,
                    &self->streams.items[i].unlinked);
    arrays_free(&self->ends, &self->by_correlation);
    for (uint32_t i = 0; i < self->threads.count && done; i++)
        done = tie_thread(self, i);
    arrays_free(&self->points, &self->releases);
    return done;
}

void schedule_free(struct schedule *self)
{
    arrays_free(&self->calls, &self->correlations, &self->works, &self->streams, &self->in_turn,
                &self->awaited, &self->records, &self->points, &self->releases, &self->ends,
                &self->by_correlation);
    schedule_measured(self);
    for (size_t i = 0; i < self->threads.count; i++)
        thread_free(&self->threads.items[i]);
    array_free(&self->threads);
}
