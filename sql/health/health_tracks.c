/* health_tracks: Results of checks, what ingest noticed, and rows of facts. Events are looked at as
 * they come, threads first, then streams one by one; health_finish.c looks at the whole. */
#include "sql/health/health.h"

#include "sql/database.h"
#include "src/base/language.h"
#include "src/base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ results */

#define HEALTH_NAME(NAME, name) #name,
const char *const health_check_names[] = {EACH_HEALTH_CHECK(HEALTH_NAME) NULL};

/* The one that weighs most is the example, of several the first. */
static void add_found(struct health_found *found, int64_t id, int64_t start, double weight)
{
    found->first = !found->count || start < found->first ? start : found->first;
    found->last = !found->count || start > found->last ? start : found->last;
    bool is_worse = weight > found->worst || (weight >= found->worst && start < found->at);
    if (!found->count || is_worse) {
        found->example = id;
        found->at = start;
        found->worst = weight;
    }
    found->count++;
}

void health_found_add(struct health *self, enum health_check check, int64_t id, int64_t start,
                      double weight)
{
    add_found(&self->found[check], id, start, weight);
}

void health_found_work(struct health *self, enum health_check check, const struct health_work *work,
                       double weight)
{
    struct health_found *found = &self->found[check];
    found->time = (found->time == HEALTH_NONE ? 0 : found->time) + work->duration;
    add_found(found, work->id, work->start, weight);
}

void health_counted(struct health *self, enum health_check check, int64_t count, int64_t base)
{
    self->found[check].count = count;
    self->found[check].base = base;
    self->found[check].first = self->found[check].last = HEALTH_NONE;
    self->found[check].example = HEALTH_NONE;
}

/* ------------------------------------------------------------------ tolerances and names */

bool health_open(struct health *self, sqlite3 *db, struct error *error)
{
    *self = (struct health){.newest = HEALTH_NONE, .is_coarse = true, .device = -1};
    self->first_start = INT64_MAX;
    self->captures_until = self->stream_end = INT64_MIN;
    self->last_start = self->last_end = INT64_MIN;
    for (int i = 0; i < HEALTH_CHECKS; i++) {
        self->found[i] = (struct health_found){.time = HEALTH_NONE, .value = NAN, .share = NAN};
        self->tolerance[i] = self->tolerance_most[i] = NAN;
    }
    self->unsure = self->found[0];

    /* Tolerances of the checks, and names of calls that launch or wait. */
    static const char sql[] =
        "SELECT \"check\", tolerance, 0 FROM health_check WHERE tolerance IS NOT NULL UNION ALL "
        "SELECT name, kind, 1 FROM call_kind WHERE kind IN ('launch', 'device_sync')";
    sqlite3_stmt *rows = NULL;
    int result = database_prepare(db, sql, &rows, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = database_text(rows, 0), *said = database_text(rows, 1);
        if (sqlite3_column_int(rows, 2)) {
            unsigned flag = strcmp(said, "launch") == 0 ? HEALTH_LAUNCH : HEALTH_SYNC;
            uint32_t number = intern_add(&self->names, name, strlen(name));
            while (self->flags.count <= number)
                array_add(&self->flags, 0);
            self->flags.items[number] |= (uint8_t)flag;
        } else {
            /* A number, or two with dots between. */
            for (size_t i = 0; i < HEALTH_CHECKS; i++)
                if (strcmp(health_check_names[i], name) == 0) {
                    char *end;
                    const char *dots = strstr(said, "..");
                    self->tolerance[i] = language_strtod(said, &end);
                    self->tolerance_most[i] = dots ? language_strtod(dots + 2, &end) : NAN;
                }
        }
        result = SQLITE_OK;
    }
    database_finalize(rows);
    return result == SQLITE_DONE || database_error(db, "health_check", error);
}

void health_close(struct health *self)
{
    intern_free(&self->names);
    arrays_free(&self->flags, &self->calls, &self->work, &self->nodes, &self->steps,
                &self->overhead, &self->syncs, &self->starts, &self->ends, &self->alike,
                &self->shapes, &self->ids);
    map_free(&self->processes);
}

uint8_t health_flags(const struct health *self, struct view name)
{
    /* Without what tells versions of a call apart: _v7000, _ptsz. */
    struct view bare = name;
    size_t length = name.length;
    while (length && name.bytes[length - 1] >= '0' && name.bytes[length - 1] <= '9')
        length--;
    if (length < name.length && length > 2 && memcmp(name.bytes + length - 2, "_v", 2) == 0)
        bare.length = length - 2;
    if (bare.length > 5 && memcmp(bare.bytes + bare.length - 5, "_ptsz", 5) == 0)
        bare.length -= 5;
    uint32_t number = intern_find(&self->names, bare.bytes, bare.length);
    unsigned flags = number ? self->flags.items[number] : 0;
    if (view_contains_ignoring_case(name, "GraphLaunch"))
        flags = (flags & ~(unsigned)HEALTH_LAUNCH) | HEALTH_GRAPH;
    if (view_contains_ignoring_case(name, "BeginCapture"))
        flags |= HEALTH_CAPTURE_BEGIN;
    if (view_contains_ignoring_case(name, "EndCapture"))
        flags |= HEALTH_CAPTURE_END;
    static const char *const copies[] = {"HtoD", "DtoH", "HOST_TO_DEVICE", "DEVICE_TO_HOST"};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (view_contains_ignoring_case(name, copies[i]))
            flags |= HEALTH_HOST_COPY;
    if (view_starts_with(name, "ProfilerStep#"))
        flags |= HEALTH_STEP;
    return (uint8_t)flags;
}

/* ------------------------------------------------------------------ events that are there twice */

/* Calls and GPU activities are told apart by their correlation ids, ops and frames by all that they
 * say. */
ORDER_BY(compare_alike, struct health_event,
         UP(start) || UP(kind) || UP(category) || UP(name) || UP(duration) || UP(correlation) ||
             (a->kind != HEALTH_CALL && a->kind < HEALTH_KERNEL &&
              (UP(ids) || UP(op) || UP(arguments))));

static bool is_alike(const struct health_event *a, const struct health_event *b)
{
    if (a->name != b->name || a->duration != b->duration || a->kind != b->kind ||
        a->category != b->category || a->correlation != b->correlation)
        return false;
    bool says_more = a->kind == HEALTH_OP || a->kind == HEALTH_FRAME;
    return !says_more || (a->ids == b->ids && a->op == b->op && a->arguments == b->arguments);
}

/* Looks among the events that start together. */
static void find_alike(struct health *self)
{
    enum { FEW = 8 };
    struct health_event *events = self->alike.items;
    size_t count = self->alike.count;
    bool are_many = count > FEW;
    self->found[HEALTH_DUPLICATE_EVENTS].base += (int64_t)count;
    if (are_many)
        qsort(events, count, sizeof *events, compare_alike);
    for (size_t i = 1; i < count; i++)
        for (size_t k = are_many ? i - 1 : 0; k < i; k++)
            if (is_alike(&events[i], &events[k])) {
                const struct health_event *event = &events[i];
                bool says_more = event->kind == HEALTH_OP || event->kind == HEALTH_FRAME;
                bool has_id = says_more ? event->ids != 0 : event->correlation != HEALTH_NONE;
                if (has_id)
                    health_found_add(self, HEALTH_DUPLICATE_EVENTS, event->id, event->start,
                                     (double)event->duration);
                else if (event->duration > 0)
                    add_found(&self->unsure, event->id, event->start, (double)event->duration);
                break;
            }
    self->alike.count = 0;
}

/* The next event of a track, in the order of their starts. */
static struct health_event *take_event(struct health *self, const struct health_event *event)
{
    if (self->alike.count && self->alike.items[0].start != event->start)
        find_alike(self);
    struct health_event *own = array_push(&self->alike);
    *own = *event;
    if (own->correlation == 0) /* profilers write it where they know no number */
        own->correlation = HEALTH_NONE;
    return own;
}

/* ------------------------------------------------------------------ threads */

/* Longer ones first, as they nest. */
ORDER_BY(compare_nested, struct health_event, UP(start) || DOWN(duration) || UP(id));

/* Keeps the bounds that tell the span of the recording, its clock and its edges. */
static void take_time(struct health *self, const struct health_event *event)
{
    if (event->start < self->first_start) {
        self->first_start = event->start;
        self->first_id = event->id;
    }
    if (event->start > self->last_start) {
        self->last_start = event->start;
        self->last_id = event->id;
    }
    int64_t end = event->start + event->duration;
    self->last_end = end > self->last_end ? end : self->last_end;
    self->is_coarse = self->is_coarse && event->start % 1000 == 0 && event->duration % 1000 == 0;
    enum { LONG = 1000000000 }; /* a long first call starts far from others, and reaches to them */
    if (event->duration <= LONG)
        array_add(&self->starts, event->start);
}

void health_take_host(struct health *self, const struct health_event *event)
{
    event = take_event(self, event);
    if (event->kind != HEALTH_FRAME) {
        take_time(self, event);

        /* An event must not stick out of the one that it starts in. */
        int64_t end = event->start + event->duration;
        while (self->ends.count && self->ends.items[self->ends.count - 1] <= event->start)
            self->ends.count--;
        int64_t out = self->ends.count ? end - self->ends.items[self->ends.count - 1] : 0;
        if ((double)out > self->tolerance[HEALTH_HOST_OVERLAP])
            health_found_add(self, HEALTH_HOST_OVERLAP, event->id, event->start, (double)out);
        self->found[HEALTH_HOST_OVERLAP].base++;
        array_add(&self->ends, end);
        if (event->kind == HEALTH_CALL) {
            /* Calls inside a capture launch nothing yet. */
            bool is_captured = self->is_capturing || event->start < self->captures_until;
            if (event->flags & HEALTH_CAPTURE_END && self->is_capturing)
                self->captures_until = event->start + event->duration;
            self->is_capturing = event->flags & HEALTH_CAPTURE_BEGIN ||
                                 (self->is_capturing && !(event->flags & HEALTH_CAPTURE_END));
            if (event->flags & HEALTH_SYNC)
                array_add(&self->syncs, (struct health_span){event->start, event->duration});
            array_add(&self->calls, (struct health_call){.start = event->start,
                                                         .duration = event->duration,
                                                         .correlation = event->correlation,
                                                         .id = event->id,
                                                         .thread = (uint32_t)self->threads,
                                                         .flags = event->flags,
                                                         .is_captured = is_captured});
        } else {
            bool is_new = event->process != self->process || !self->processes.count;
            self->process = event->process;
            if (is_new)
                map_put(&self->processes, event->process, 0);
            while (self->shapes.count <= event->name)
                array_add(&self->shapes, (struct health_shapes){0, 0});
            struct health_shapes *shapes = &self->shapes.items[event->name];
            shapes->with += event->has_shapes;
            shapes->without += !event->has_shapes;
        }
    }
}

void health_track_end(struct health *self)
{
    find_alike(self);
    self->is_capturing = false;
    self->captures_until = self->stream_end = INT64_MIN;
    self->ends.count = 0;
    self->threads++;
}

void health_track(struct health *self, struct health_event *events, size_t count,
                  void (*take)(struct health *self, const struct health_event *event))
{
    array_put_in_order(events, count, sizeof *events, compare_nested);
    for (size_t i = 0; i < count; i++)
        take(self, &events[i]);
    health_track_end(self);
}

/* ------------------------------------------------------------------ streams */

ORDER_BY(compare_ids, struct health_id, UP(id) || UP(call));

void health_index(struct health *self)
{
    if (!self->is_indexed) {
        /* The first of several calls with an id holds; all of them say whether it launches, and a
         * graph. */
        struct health_call *calls = self->calls.items, *first = NULL, *launch = NULL;
        self->is_indexed = true;
        for (size_t i = 0; i < self->calls.count; i++)
            if (calls[i].correlation != HEALTH_NONE)
                array_add(&self->ids, (struct health_id){calls[i].correlation, (uint32_t)i});
        array_sort(&self->ids, compare_ids);
        for (size_t i = 0; i < self->ids.count; i++) {
            struct health_call *call = &calls[self->ids.items[i].call];
            if (!first || first->correlation != call->correlation) {
                first = call;
                launch = NULL;
            }
            first->flags |= call->flags & HEALTH_GRAPH;
            if (!(call->flags & (HEALTH_LAUNCH | HEALTH_GRAPH)))
                continue;
            if (!launch) {
                launch = call;
                self->found[HEALTH_CORRELATION_REUSED].base++;
            } else if (!launch->is_reused &&
                       (launch->start != call->start || launch->thread != call->thread)) {
                launch->is_reused = true;
                health_found_add(self, HEALTH_CORRELATION_REUSED, call->id, call->start, 0);
            }
        }
    }
}

uint32_t health_call_of(const struct health *self, int64_t id)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->ids.count, self->ids.items[place].id < id);
    bool is_there = place < self->ids.count && self->ids.items[place].id == id;
    return is_there ? self->ids.items[place].call + 1 : 0;
}

/* A kernel that runs beside what started before it on its stream. */
static void take_kernel(struct health *self, const struct health_event *kernel)
{
    int64_t *end = &self->stream_end;
    int64_t own = kernel->start + kernel->duration, before = *end < own ? *end : own;
    int64_t beside = before > kernel->start ? before - kernel->start : 0;
    if ((double)beside > self->tolerance[HEALTH_STREAM_OVERLAP]) {
        struct health_work work = {kernel->start, beside, kernel->id, 0, 0};
        health_found_work(self, HEALTH_STREAM_OVERLAP, &work, (double)beside);
    }
    *end = own > *end ? own : *end;
}

void health_take_work(struct health *self, const struct health_event *event)
{
    health_index(self);
    event = take_event(self, event);
    bool has_id = event->correlation != HEALTH_NONE;
    uint32_t index = has_id ? health_call_of(self, event->correlation) : 0;
    struct health_call *call = index ? &self->calls.items[index - 1] : NULL;
    bool is_of_graph = call && call->flags & HEALTH_GRAPH;
    struct health_work work = {event->start, event->duration, event->id, event->correlation, index};
    if (event->kind == HEALTH_KERNEL) {
        self->kernels++;
        if (event->duration == 0)
            health_found_add(self, HEALTH_DURATION_ZERO, event->id, event->start, 0);
        if (!is_of_graph)
            take_kernel(self, event);
    }

    /* Copies move bytes per nanosecond, which are GB/s. */
    enum { LEAST_BYTES = 1000000 };
    if (event->flags & HEALTH_HOST_COPY && event->bytes >= LEAST_BYTES) {
        self->found[HEALTH_COPY_RATE].base++;
        double rate = (double)event->bytes / (double)(event->duration > 0 ? event->duration : 1);
        if (rate > self->tolerance[HEALTH_COPY_RATE])
            health_found_work(self, HEALTH_COPY_RATE, &work, rate);
    }
    if (has_id && event->correlation > self->newest)
        self->newest = event->correlation;
    self->has_devices |= self->work.count && event->device != self->device;
    self->device = event->device;
    if (call) {
        double early = (double)(call->start - event->start);
        call->has_work = true;
        self->found[HEALTH_KERNEL_BEFORE_LAUNCH].base++;
        if (early > self->tolerance[HEALTH_KERNEL_BEFORE_LAUNCH])
            health_found_work(self, HEALTH_KERNEL_BEFORE_LAUNCH, &work, early);
    }
    if (is_of_graph && event->node != HEALTH_NONE) {
        self->graph_work++;
        if (event->graph != HEALTH_NONE)
            array_add(&self->nodes,
                      (struct health_node){event->graph, event->correlation, event->node});
    }
    take_time(self, event);
    array_add(&self->work, work);
}

/* ------------------------------------------------------------------ steps and overhead */

void health_step(struct health *self, int64_t number, int64_t start, int64_t duration)
{
    array_add(&self->steps,
              (struct health_mark){number, start, duration, 0, (uint32_t)self->steps.count});
}

void health_overhead(struct health *self, int64_t start, int64_t duration)
{
    array_add(&self->overhead, (struct health_span){start, duration});
}

/* ------------------------------------------------------------------ what ingest noticed */

void health_had(struct health *self, int64_t elements, int64_t slices)
{
    health_counted(self, HEALTH_EVENTS_UNREADABLE, 0, elements);
    health_counted(self, HEALTH_DURATION_MISSING, 0, slices);
    health_counted(self, HEALTH_DURATION_NEGATIVE, 0, slices);
    health_counted(self, HEALTH_DURATION_CLIPPED, 0, slices);
}

void health_noted(struct health *self, const char *kind, int64_t count)
{
    static const struct {
        const char *kind;
        enum health_check check;
    } notes[] = {
        {"not_an_object", HEALTH_EVENTS_UNREADABLE},
        {"phase_missing", HEALTH_EVENTS_UNREADABLE},
        {"time_missing", HEALTH_EVENTS_UNREADABLE},
        {"time_out_of_range", HEALTH_EVENTS_UNREADABLE},
        {"state_missing", HEALTH_EVENTS_UNREADABLE},
        {"column_missing", HEALTH_EVENTS_UNREADABLE},
        {"end_alone", HEALTH_EVENTS_UNREADABLE},
        {"end_without_start", HEALTH_EVENTS_UNREADABLE},
        {"duration_missing", HEALTH_DURATION_MISSING},
        {"duration_negative", HEALTH_DURATION_NEGATIVE},
        {"duration_clipped", HEALTH_DURATION_CLIPPED},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strcmp(notes[i].kind, kind) == 0)
            self->found[notes[i].check].count += count;
}

void health_is_part(struct health *self)
{
    static const enum health_check edges[] = {HEALTH_CARRIED_IN, HEALTH_CARRIED_OUT,
                                              HEALTH_STEP_CUT, HEALTH_STEP_GAP};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        self->found[edges[i]].is_note = true;
}

/* ------------------------------------------------------------------ rows */

/* A measured value is in the unit of the tolerance: the worst of several findings. */
struct health_fact health_fact_of(const struct health *self, enum health_check check, int64_t start)
{
    const struct health_found *found = &self->found[check];
    bool is_told = !found->reason, any = is_told && found->count > 0;
    bool has_time = any && found->first != HEALTH_NONE;
    bool has_worst = found->worst > 0 && !isnan(self->tolerance[check]);
    return (struct health_fact){
        .count = is_told ? found->count : HEALTH_NONE,
        .base = is_told ? found->base : HEALTH_NONE,
        .time = any ? found->time : HEALTH_NONE,
        .example = any ? found->example : HEALTH_NONE,
        .first = has_time ? found->first - start : HEALTH_NONE,
        .last = has_time ? found->last - start : HEALTH_NONE,
        .value = isnan(found->value) && has_worst ? found->worst : found->value,
        .share = found->share,
        .tolerance = self->tolerance[check],
        .reason = found->reason,
        .is_note = found->is_note,
    };
}
