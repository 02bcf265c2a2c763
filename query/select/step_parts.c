/* step_parts: windows of the steps of all traces are listed first, and each trace is looked through
 * once for all of them. Parts then take their events and times from what is left, in the order of
 * steps, so that nothing is of two; the rest is the part outside of steps.
 */
#include "query/select/step_parts.h"

#include "query/select/signpost.h"
#include "query/select/window.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

/* All the time of a trace. */
static const struct range all_time = {-INT64_MAX / 2, INT64_MAX / 2};

/* ------------------------------------------------------------------ all that is selected */

static void add_whole(const struct step_parts *self, struct ranges *events)
{
    for (size_t i = 0; i < self->whole.count; i++)
        ranges_add(events, self->whole.items[i].first_event, self->whole.items[i].last_event);
    ranges_settle(events);
}

/* ------------------------------------------------------------------ times */

/* The times of a trace, which stand last where it has any. */
static struct ranges *times_of(trace_times_list *list, int64_t trace)
{
    if (!list->count || list->items[list->count - 1].trace_id != trace)
        array_add(list, (struct trace_times){.trace_id = trace});
    return &list->items[list->count - 1].times;
}

static void free_times(trace_times_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        array_free(&list->items[i].times);
    array_free(list);
}

/* ------------------------------------------------------------------ steps */

/* The place of the first part that is not before a step. */
static size_t place_of(const struct step_parts *self, int64_t step)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->parts.count, self->parts.items[place].step < step);
    return place;
}

/* The windows of the steps in a trace. */
static void list_windows(struct step_parts *self, int64_t trace, window_list *windows)
{
    for (size_t i = 0; i < self->parts.count; i++) {
        struct step_part *part = &self->parts.items[i];
        const struct trace_times *last =
            part->times.count ? &part->times.items[part->times.count - 1] : NULL;
        for (size_t j = 0; last && last->trace_id == trace && j < last->times.count; j++)
            array_add(windows, (struct window){last->times.items[j], &part->events});
    }
}

ORDER_BY(compare_running, struct running, UP(start) || UP(id));

static bool read_running(struct step_parts *self, struct warehouse *warehouse, int64_t trace,
                         struct range ids, struct error *error)
{
    struct trace_running *added = array_push(&self->running);
    *added = (struct trace_running){.trace_id = trace};
    sqlite3_stmt *row = warehouse_prepare(
        warehouse,
        "SELECT id, ts_ns, ts_ns + max(dur_ns, 0) FROM gpu_event WHERE id BETWEEN ?1 AND ?2",
        error);
    bool done = row != NULL;
    sqlite3_bind_int64(row, 1, ids.first);
    sqlite3_bind_int64(row, 2, ids.last);
    while (warehouse_next(warehouse, row, &done, error))
        array_add(&added->works, (struct running){.id = sqlite3_column_int64(row, 0),
                                                  .start = sqlite3_column_int64(row, 1),
                                                  .end = sqlite3_column_int64(row, 2)});
    database_finalize(row);
    array_sort(&added->works, compare_running);
    for (size_t i = 0; i < added->works.count; i++) {
        struct running *work = &added->works.items[i];
        work->latest = i && work[-1].latest > work->end ? work[-1].latest : work->end;
    }
    return done;
}

static bool read_traces(struct step_parts *self, struct warehouse *warehouse, struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(
        warehouse, "SELECT first_event, last_event FROM trace WHERE id = ?1", error);
    int64_t last = 0;
    bool done = row != NULL;
    for (size_t i = 0; i < self->whole.count && done; i++) {
        int64_t trace = self->whole.items[i].trace_id;
        if (i && trace == last)
            continue;
        last = trace;

        /* Where no windows of a trace were chosen, all its time is selected. */
        const struct context *context = self->context;
        struct ranges *times = times_of(&self->whole_times, trace);
        for (size_t j = 0; j < context->times.count; j++)
            if (context->times.items[j].trace_id == trace)
                ranges_add(times, context->times.items[j].first_ns,
                           context->times.items[j].last_ns);
        if (!times->count)
            ranges_add(times, all_time.first, all_time.last);
        ranges_settle(times);
        sqlite3_bind_int64(row, 1, trace);
        if (sqlite3_step(row) == SQLITE_ROW) {
            struct range ids = {sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1)};
            step_window_list steps = {0};
            window_list windows = {0};
            done = ids.first > ids.last || signpost_step_windows(warehouse, ids, &steps, error);

            /* Overlapping windows of one step are one. */
            for (size_t k = 0; k < steps.count; k++) {
                const struct step_window *window = &steps.items[k];
                size_t place = place_of(self, window->step);
                if (place == self->parts.count || self->parts.items[place].step != window->step) {
                    array_reserve(&self->parts, 1);
                    memmove(self->parts.items + place + 1, self->parts.items + place,
                            (self->parts.count - place) * sizeof *self->parts.items);
                    self->parts.count++;
                    self->parts.items[place] = (struct step_part){.step = window->step};
                }
                ranges_add(times_of(&self->parts.items[place].times, trace), window->time.first,
                           window->time.last);
            }
            list_windows(self, trace, &windows);
            done = done && (!windows.count || window_events_each(warehouse, ids, &windows, error));
            arrays_free(&steps, &windows);
            done = done && read_running(self, warehouse, trace, ids, error);
        }
        done = (sqlite3_reset(row) == SQLITE_OK || warehouse_error(warehouse, error)) && done;
    }
    database_finalize(row);
    return done;
}

/* ------------------------------------------------------------------ parts */

/* Narrows what a part has to what is left. */
static void narrow(struct ranges *own, struct ranges *rest)
{
    ranges_settle(own);
    ranges_intersect(own, rest);
}

/* Takes what a part has out of what is left, too. */
static void step_parts_take(struct ranges *own, struct ranges *rest)
{
    struct ranges left = {0};
    narrow(own, rest);
    ranges_subtract(rest, own, &left);
    array_free(rest);
    *rest = left;
}

typedef void part_ranges(struct ranges *own, struct ranges *rest);

static void part_all(struct step_parts *self, struct ranges *events, trace_times_list *times,
                     part_ranges *part)
{
    for (size_t i = 0; i < self->parts.count; i++) {
        part(&self->parts.items[i].events, events);

        /* Traces stand in the same order in all of them, and `all` has each. */
        trace_times_list *own = &self->parts.items[i].times;
        for (size_t k = 0, j = 0; k < own->count; k++) {
            while (j < times->count && times->items[j].trace_id != own->items[k].trace_id)
                j++;
            if (j < times->count)
                part(&own->items[k].times, &times->items[j].times);
        }
    }
}

static void copy_times(const trace_times_list *from, trace_times_list *to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct ranges *times = times_of(to, from->items[i].trace_id);
        for (size_t j = 0; j < from->items[i].times.count; j++)
            ranges_add(times, from->items[i].times.items[j].first,
                       from->items[i].times.items[j].last);
    }
}

static void free_part(struct step_part *part)
{
    array_free(&part->events);
    free_times(&part->times);
}

static bool read_steps(struct step_parts *self, struct warehouse *warehouse, struct error *error)
{
    *self = (struct step_parts){.context = warehouse->context, .warehouse = warehouse};

    /* Without a selection scope lists every trace. */
    sqlite3_stmt *row = warehouse_prepare(
        warehouse, "SELECT run, trace_id, first_event, last_event, is_recompute FROM scope", error);
    bool done = row != NULL;
    while (warehouse_next(warehouse, row, &done, error)) {
        const char *run = (const char *)sqlite3_column_text(row, 0);
        struct selected range = {.trace_id = sqlite3_column_int64(row, 1),
                                 .first_event = sqlite3_column_int64(row, 2),
                                 .last_event = sqlite3_column_int64(row, 3),
                                 .is_recompute = sqlite3_column_type(row, 4) == SQLITE_NULL
                                                     ? -1
                                                     : sqlite3_column_int(row, 4)};
        struct selected *kept = array_push(&self->whole);
        *kept = range;
        kept->run = memory_text(run ? run : "");
    }
    database_finalize(row);
    for (size_t i = 0; i < self->context->around.count && done; i++) {
        array_add(&self->around, self->context->around.items[i]);
        self->around.items[i].run = NULL; /* goes with the selection */
    }
    if (!done)
        return false;
    return read_traces(self, warehouse, error);
}

bool step_parts_read(struct step_parts *self, struct warehouse *warehouse, struct error *error)
{
    if (!read_steps(self, warehouse, error))
        return false;

    /* An event that starts in two steps belongs to the first; the rest belongs to no step. */
    struct step_part rest = {.is_outside = true};
    add_whole(self, &rest.events);
    copy_times(&self->whole_times, &rest.times);
    part_all(self, &rest.events, &rest.times, step_parts_take);

    /* Parts without events are none. */
    size_t kept = 0;
    for (size_t i = 0; i < self->parts.count; i++) {
        struct step_part part = self->parts.items[i];
        if (part.events.count)
            self->parts.items[kept++] = part;
        else
            free_part(&part);
    }
    self->parts.count = kept;
    if (rest.events.count || !self->parts.count)
        array_add(&self->parts, rest);
    else
        free_part(&rest);
    return true;
}

bool step_parts_find(struct step_parts *self, struct warehouse *warehouse, struct error *error)
{
    struct ranges events = {0};
    if (!read_steps(self, warehouse, error))
        return false;
    add_whole(self, &events);
    part_all(self, &events, &self->whole_times, narrow);
    array_free(&events);
    return true;
}

/* ------------------------------------------------------------------ selecting */

/* Selects events, settled, of the whole. */
static void select_events(struct step_parts *self, const struct ranges *events)
{
    context_select_none(self->context);
    for (size_t i = 0; i < self->whole.count; i++) {
        const struct selected *range = &self->whole.items[i];
        size_t at;
        ARRAY_LOWER_BOUND(at, events->count, events->items[at].last < range->first_event);
        for (; at < events->count && events->items[at].first <= range->last_event; at++) {
            int64_t first = events->items[at].first, last = events->items[at].last;
            context_select(self->context, range->run, range->trace_id,
                           first < range->first_event ? range->first_event : first,
                           last > range->last_event ? range->last_event : last,
                           range->is_recompute);
        }
    }
}

/* Adds the GPU activities that run in the windows of a trace. */
static void add_running(const struct trace_running *trace, const struct ranges *windows,
                        struct ranges *near)
{
    for (size_t i = 0; i < windows->count; i++) {
        size_t at;
        ARRAY_LOWER_BOUND(at, trace->works.count,
                          trace->works.items[at].latest < windows->items[i].first);
        for (; at < trace->works.count && trace->works.items[at].start <= windows->items[i].last;
             at++)
            if (trace->works.items[at].end >= windows->items[i].first)
                ranges_add(near, trace->works.items[at].id, trace->works.items[at].id);
    }
}

/* A trace without windows is chosen whole; time without an end, of what is in no step, is none.
 * With `events`, which are selected, only these and what runs in the windows is around them. */
static void select_times(struct step_parts *self, const trace_times_list *times,
                         const struct ranges *events)
{
    struct ranges near = {0};
    for (size_t i = 0; events && i < events->count; i++)
        ranges_add(&near, events->items[i].first, events->items[i].last);
    for (size_t i = 0; events && i < times->count; i++)
        for (size_t j = 0; j < self->running.count; j++)
            if (self->running.items[j].trace_id == times->items[i].trace_id)
                add_running(&self->running.items[j], &times->items[i].times, &near);
    if (!events)
        ranges_add(&near, INT64_MIN, INT64_MAX);
    ranges_settle(&near);
    size_t count = self->around.count ? self->around.count : self->whole.count;
    for (size_t i = 0; i < count; i++) {
        const struct selected *range =
            self->around.count ? &self->around.items[i] : &self->whole.items[i];
        size_t at;
        ARRAY_LOWER_BOUND(at, near.count, near.items[at].last < range->first_event);
        for (; at < near.count && near.items[at].first <= range->last_event; at++) {
            int64_t first = near.items[at].first, last = near.items[at].last;
            context_select_around(self->context, range->trace_id,
                                  first < range->first_event ? range->first_event : first,
                                  last > range->last_event ? range->last_event : last,
                                  range->is_recompute);
        }
    }
    array_free(&near);
    for (size_t i = 0; i < times->count; i++) {
        const struct ranges *own = &times->items[i].times;
        bool is_open = own->count && (own->items[0].first == all_time.first ||
                                      own->items[own->count - 1].last == all_time.last);
        for (size_t j = 0; j < own->count && !is_open; j++)
            context_select_time(self->context, times->items[i].trace_id, own->items[j].first,
                                own->items[j].last);
    }
}

void step_parts_select(struct step_parts *self, size_t part)
{
    const struct step_part *chosen = &self->parts.items[part];
    select_events(self, &chosen->events);
    select_times(self, &chosen->times, &chosen->events);
}

/* Adds the times of a part to those of all traces. */
static void join_times(trace_times_list *all, const trace_times_list *own)
{
    for (size_t i = 0, j = 0; i < own->count; i++) {
        while (j < all->count && all->items[j].trace_id != own->items[i].trace_id)
            j++;
        for (size_t k = 0; j < all->count && k < own->items[i].times.count; k++)
            ranges_add(&all->items[j].times, own->items[i].times.items[k].first,
                       own->items[i].times.items[k].last);
    }
}

bool step_parts_select_steps(struct step_parts *self, int64_t first, int64_t last,
                             struct error *error)
{
    struct step_part all = {0};
    bool done = true;
    for (size_t i = 0; i < self->whole_times.count; i++)
        times_of(&all.times, self->whole_times.items[i].trace_id);
    for (size_t i = place_of(self, first); i < self->parts.count; i++) {
        const struct step_part *part = &self->parts.items[i];
        if (part->step > last)
            break;
        for (size_t j = 0; j < part->events.count; j++)
            ranges_add(&all.events, part->events.items[j].first, part->events.items[j].last);
        join_times(&all.times, &part->times);
    }
    ranges_settle(&all.events);
    for (size_t i = 0; i < all.times.count && done; i++) {
        struct ranges *times = &all.times.items[i].times;
        struct range ids = {INT64_MAX, INT64_MIN};
        ranges_settle(times);
        if (first == last || times->count < 2)
            continue; /* else the time between them is theirs */
        times->items[0].last = times->items[times->count - 1].last;
        times->count = 1;
        for (size_t j = 0; j < self->whole.count; j++)
            if (self->whole.items[j].trace_id == all.times.items[i].trace_id) {
                const struct selected *range = &self->whole.items[j];
                ids.first = range->first_event < ids.first ? range->first_event : ids.first;
                ids.last = range->last_event > ids.last ? range->last_event : ids.last;
            }
        done = window_events(self->warehouse, ids, times, &all.events, error);
    }
    if (done) {
        select_events(self, &all.events);
        select_times(self, &all.times, &all.events);
    }
    free_part(&all);
    return done;
}

void step_parts_restore(struct step_parts *self)
{
    context_select_none(self->context);
    for (size_t i = 0; i < self->whole.count; i++) {
        const struct selected *range = &self->whole.items[i];
        context_select(self->context, range->run, range->trace_id, range->first_event,
                       range->last_event, range->is_recompute);
    }
    select_times(self, &self->whole_times, NULL);
}
