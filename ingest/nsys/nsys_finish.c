/* nsys_finish: what is known once all rows are there: ends of open ranges, the order of things,
 * sums of memory, ranks; and traces of processes become one behind the other. */
#include "ingest/nsys/nsys_reader.h"

#include "ingest/input/json_text.h"
#include "ingest/trace/order.h"
#include "src/base/order.h"

/* A range that never ended, ends with the window. */
static void close_ranges(struct nsys *self)
{
    int64_t end = self->window_end != NONE && self->window_end > self->last_end ? self->window_end
                                                                                : self->last_end;
    for (size_t i = 0; i < self->open.count; i++) {
        const struct nsys_open *open = &self->open.items[i];
        struct slice *slice = &self->traces.items[open->trace]->trace.slices.items[open->slice];
        if (slice->start < end)
            slice->duration = end - slice->start > DURATION_MAX ? DURATION_MAX : end - slice->start;
    }
}

/* ------------------------------------------------------------------ memory */

ORDER_BY(compare_records, struct memory_record, UP(time) || UP(uid));

/* Sums what was allocated of each kind of memory (where the record says which) and device. */
static bool sum_memory(struct nsys *self, struct nsys_trace *trace)
{
    struct trace *into = &trace->trace;
    struct map places = {0};
    ARRAY(int64_t) sums = {0};
    bool done = true;
    if (!into->memory.count)
        return true;
    note_count(&into->notes, NOTE_MEMORY_FROM_ZERO, 1, -1, -1);
    array_sort(&into->memory, compare_records);
    for (size_t i = 0; i < into->memory.count && done; i++) {
        struct memory_record *record = &into->memory.items[i];
        uint32_t *place = map_put(&places, record->device, record->allocated);
        if (place && !*place) {
            int64_t *added = array_push(&sums);
            if (added)
                *added = 0;
            *place = added ? (uint32_t)sums.count : 0;
        }
        done = (place && *place) || error_memory(self->error);
        if (!done)
            break;
        int64_t *sum = &sums.items[*place - 1];
        if (record->bytes != NONE && __builtin_add_overflow(*sum, record->bytes, sum))
            *sum = 0;
        record->allocated = *sum;
    }
    map_free(&places);
    array_free(&sums);
    return done;
}

/* ------------------------------------------------------------------ one trace */

/* Appends a member that is an object whose members are given. */
static bool add_object(struct text *out, const char *key, const struct text *members)
{
    return text_format(out, "%s\"%s\":{", out->count > 1 ? "," : "", key) &&
           (!members->count || text_add(out, members->items + 1, members->count - 1)) &&
           text_add_byte(out, '}');
}

static bool keep_metadata(struct nsys *self, struct trace *trace, int64_t pid)
{
    struct text raw = {0};
    struct json_repairs ignored = {0};
    const struct text *members = &self->metadata;
    bool made = text_add_byte(&raw, '{') &&
                (!members->count || text_add(&raw, members->items + 1, members->count - 1)) &&
                add_object(&raw, "tables", &self->tables) &&
                add_object(&raw, "call_versions", &self->versions) &&
                add_object(&raw, "thread_priorities", &self->priorities) &&
                (pid == NONE || text_format(&raw, ",\"process\":%lld", (long long)pid)) &&
                text_add_byte(&raw, '}') &&
                json_canonical((struct view){raw.items, raw.count}, &trace->metadata, &ignored) !=
                    JSON_CANON_MEMORY;
    text_free(&raw);
    return made || error_memory(self->error);
}

static bool finish_trace(struct nsys *self, struct nsys_trace *trace, int64_t pid)
{
    uint32_t *places = NULL;
    struct trace *into = &trace->trace;
    into->events = self->uid;
    if (self->is_normal)
        into->clock_base = 0;
    else
        into->clock_base = self->session;
    if (!sum_memory(self, trace) || !keep_metadata(self, into, pid))
        return false;
    if (!order_trace(into, &places))
        return error_memory(self->error);
    op_ranges_sort(&trace->op_ranges, places);
    free(places);
    return (facts_give(&into->facts, &op_range_facts, &trace->op_ranges) &&
            counters_give(&trace->counters, into)) ||
           error_memory(self->error);
}

/* ------------------------------------------------------------------ ranks */

/* The process with the work of a trace; else its first one. */
static const struct nsys_process *owner_of(const struct nsys *self, uint32_t trace)
{
    const struct nsys_process *owner = NULL;
    for (size_t i = 0; i < self->processes.count; i++) {
        const struct nsys_process *process = &self->processes.items[i];
        if (process->into == trace && (!owner || process->has_work))
            owner = process;
    }
    return owner;
}

struct place_in_file {
    uint32_t trace;
    bool has_work;
    int64_t rank, device, pid;
};

/* Work first, then by rank, device and process. */
ORDER_BY(compare_places, struct place_in_file, DOWN(has_work) || UP(rank) || UP(device) || UP(pid));

/* Where several processes have work and nobody says which rank they are, it is their order. */
static void guess_ranks(struct nsys *self, struct place_in_file *places, size_t count)
{
    size_t working = 0, stated = 0;
    bool is_clear = true;
    for (size_t i = 0; i < count; i++) {
        working += places[i].has_work;
        stated += places[i].has_work && places[i].rank != NONE;
        for (size_t j = 0; j < i && places[i].rank != NONE; j++)
            is_clear &= places[j].rank != places[i].rank;
    }
    is_clear &= stated == working || working < 2;
    for (size_t i = 0; i < count && !is_clear; i++)
        places[i].rank = i < working && working > 1 ? (int64_t)i : NONE;
    if (is_clear || working < 2)
        return;
    note_count(&self->notes, NOTE_RANK_GUESSED, (int64_t)working, -1, -1);
}

static void add_notes(struct notes *to, const struct notes *from)
{
    for (int i = 0; i < NOTE_COUNT; i++)
        note_add(&to->entries[i], from->entries[i].count, from->entries[i].uid,
                 from->entries[i].offset);
}

/* Moves the traces into `first` and those behind it. */
static bool hand_over(struct nsys *self, struct trace *first, const struct place_in_file *places)
{
    for (size_t i = self->traces.count; i-- > 0;) {
        struct trace *made = &self->traces.items[places[i].trace]->trace;
        struct trace *to = first;
        made->rank = places[i].rank;
        if (i > 0 && !(to = malloc(sizeof *to)))
            return error_memory(self->error);
        if (i > 0) {
            made->next = first->next;
            *to = *made;
            first->next = to;
        } else {
            made->next = first->next;
            first->next = NULL;
            trace_free(first);
            *first = *made;
        }
        trace_init(made); /* it is nobody's any more */
    }
    add_notes(&first->notes, &self->notes);
    return true;
}

bool nsys_finish(struct nsys *self, struct trace *first)
{
    close_ranges(self);
    size_t count = self->traces.count;
    struct place_in_file *places = calloc(count + 1, sizeof *places);
    bool done = places || error_memory(self->error);
    for (uint32_t i = 0; i < count && done; i++) {
        const struct nsys_process *owner = owner_of(self, i);
        places[i] =
            (struct place_in_file){i, owner && owner->has_work, owner ? owner->rank : NONE,
                                   self->traces.items[i]->device, owner ? owner->pid : NONE};
        done = finish_trace(self, self->traces.items[i], places[i].pid);
    }
    if (done && count) {
        qsort(places, count, sizeof *places, compare_places);
        guess_ranks(self, places, count);
        done = hand_over(self, first, places);
    }
    if (!count) {
        first->has_arrows = false;
        add_notes(&first->notes, &self->notes);
        done = done && keep_metadata(self, first, NONE);
    }
    free(places);
    return done;
}
