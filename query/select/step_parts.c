/* step_parts: see step_parts.h. */
#include "query/select/step_parts.h"

#include "query/select/signpost.h"
#include "query/select/window.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ all that is selected */

static bool keep_range(struct step_parts *self, const char *run, const struct selected *range)
{
    struct selected *kept = array_push(&self->whole);
    if (!kept)
        return false;
    *kept = *range;
    return (kept->run = strdup(run)) != NULL;
}

/* Without a selection scope lists every trace. */
static bool keep_scope(struct step_parts *self, struct warehouse *warehouse, struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(
        warehouse, "SELECT run, trace_id, first_event, last_event, is_recompute FROM scope", error);
    bool done = row != NULL;
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(row)) == SQLITE_ROW) {
        const char *run = (const char *)sqlite3_column_text(row, 0);
        struct selected range = {.trace_id = sqlite3_column_int64(row, 1),
                                 .first_event = sqlite3_column_int64(row, 2),
                                 .last_event = sqlite3_column_int64(row, 3),
                                 .is_recompute = sqlite3_column_type(row, 4) == SQLITE_NULL
                                                     ? -1
                                                     : sqlite3_column_int(row, 4)};
        done = keep_range(self, run ? run : "", &range) || error_memory(error);
    }
    if (done && result != SQLITE_DONE)
        done = warehouse_error(warehouse, error);
    sqlite3_finalize(row);
    return done;
}

static bool add_whole(const struct step_parts *self, struct ranges *events)
{
    bool done = true;
    for (size_t i = 0; i < self->whole.count && done; i++)
        done =
            ranges_add(events, self->whole.items[i].first_event, self->whole.items[i].last_event);
    ranges_settle(events);
    return done;
}

/* ------------------------------------------------------------------ steps */

/* The part of a step, which is added where there is none yet. */
static struct step_part *part_of(struct step_parts *self, int64_t step)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->parts.count, self->parts.items[place].step < step);
    if (place < self->parts.count && self->parts.items[place].step == step)
        return &self->parts.items[place];
    if (!array_reserve(&self->parts, 1))
        return NULL;
    self->parts.count++;
    memmove(self->parts.items + place + 1, self->parts.items + place,
            (self->parts.count - 1 - place) * sizeof *self->parts.items);
    self->parts.items[place] = (struct step_part){.step = step};
    return &self->parts.items[place];
}

/* All events of a step of a trace, selected or not. */
static bool add_step(struct step_parts *self, struct warehouse *warehouse, int64_t trace,
                     struct range ids, int64_t step, struct error *error)
{
    struct ranges times = {0}, found = {0};
    struct text words = {0};
    struct step_part *part = part_of(self, step);
    bool done = (part || error_memory(error)) &&
                signpost_steps(warehouse, ids, (struct range){step, step}, &times, &words, error);
    ranges_settle(&times);
    done = done && (!times.count || window_events(warehouse, trace, ids, &times, &found, error));
    for (size_t i = 0; i < found.count && done; i++)
        done = ranges_add(&part->events, found.items[i].first, found.items[i].last) ||
               error_memory(error);
    text_free(&words);
    array_free(&times);
    array_free(&found);
    return done;
}

static bool read_trace(struct step_parts *self, struct warehouse *warehouse, int64_t trace,
                       struct range ids, struct error *error)
{
    struct ranges numbers = {0};
    bool done = ids.first > ids.last || signpost_step_numbers(warehouse, ids, &numbers, error);
    ranges_settle(&numbers);
    for (size_t i = 0; i < numbers.count && done; i++)
        for (int64_t step = numbers.items[i].first; step <= numbers.items[i].last && done; step++)
            done = add_step(self, warehouse, trace, ids, step, error);
    array_free(&numbers);
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
        sqlite3_bind_int64(row, 1, trace);
        if (sqlite3_step(row) == SQLITE_ROW)
            done = read_trace(
                self, warehouse, trace,
                (struct range){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1)}, error);
        done = (sqlite3_reset(row) == SQLITE_OK || warehouse_error(warehouse, error)) && done;
    }
    sqlite3_finalize(row);
    return done;
}

/* Takes what is selected of a step out of what is left. */
static bool take_step(struct step_part *part, struct ranges *rest)
{
    struct ranges left = {0};
    ranges_settle(&part->events);
    bool done =
        ranges_intersect(&part->events, rest) && ranges_subtract(rest, &part->events, &left);
    array_free(rest);
    *rest = left;
    return done;
}

static void drop_empty(struct step_parts *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->parts.count; i++) {
        struct step_part part = self->parts.items[i];
        if (part.events.count)
            self->parts.items[kept++] = part;
        else
            array_free(&part.events);
    }
    self->parts.count = kept;
}

/* An event that starts in two steps is of the first one; what is left is of none. */
static bool part_events(struct step_parts *self)
{
    struct ranges rest = {0};
    bool done = add_whole(self, &rest);
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = take_step(&self->parts.items[i], &rest);
    if (done)
        drop_empty(self);
    bool has_rest = done && (rest.count || !self->parts.count);
    struct step_part *last = has_rest ? array_push(&self->parts) : NULL;
    if (last)
        *last = (struct step_part){.is_outside = true, .events = rest};
    else
        array_free(&rest);
    return done && (last || !has_rest);
}

bool step_parts_read(struct step_parts *self, struct warehouse *warehouse, struct error *error)
{
    *self = (struct step_parts){.context = warehouse->context};
    return keep_scope(self, warehouse, error) && read_traces(self, warehouse, error) &&
           (part_events(self) || error_memory(error));
}

/* ------------------------------------------------------------------ selecting */

bool step_parts_select(struct step_parts *self, size_t part, struct error *error)
{
    const struct ranges *events = &self->parts.items[part].events;
    bool done = true;
    context_select_none(self->context);
    for (size_t i = 0; i < self->whole.count && done; i++) {
        const struct selected *range = &self->whole.items[i];
        size_t at;
        ARRAY_LOWER_BOUND(at, events->count, events->items[at].last < range->first_event);
        for (; at < events->count && events->items[at].first <= range->last_event && done; at++) {
            int64_t first = events->items[at].first, last = events->items[at].last;
            done = context_select(self->context, range->run, range->trace_id,
                                  first < range->first_event ? range->first_event : first,
                                  last > range->last_event ? range->last_event : last,
                                  range->is_recompute);
        }
    }
    return done || error_memory(error);
}

bool step_parts_restore(struct step_parts *self, struct error *error)
{
    bool done = true;
    context_select_none(self->context);
    for (size_t i = 0; i < self->whole.count && done; i++) {
        const struct selected *range = &self->whole.items[i];
        done = context_select(self->context, range->run, range->trace_id, range->first_event,
                              range->last_event, range->is_recompute);
    }
    return done || error_memory(error);
}

void step_parts_free(struct step_parts *self)
{
    for (size_t i = 0; i < self->whole.count; i++)
        free(self->whole.items[i].run);
    for (size_t i = 0; i < self->parts.count; i++)
        array_free(&self->parts.items[i].events);
    array_free(&self->whole);
    array_free(&self->parts);
}
