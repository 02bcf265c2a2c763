/* nsys_finish: what is known once all rows are there: ends of open ranges,
 * what of the metadata goes with each trace. */
#include "ingest/nsys/nsys_reader.h"

#include "ingest/input/json_text.h"

/* A range that never ended, ends with the window. */
static void close_ranges(struct nsys *self)
{
    int64_t end = self->desk.window_end != NONE && self->desk.window_end > self->desk.last_end
                      ? self->desk.window_end
                      : self->desk.last_end;
    for (size_t i = 0; i < self->open.count; i++) {
        const struct nsys_open *open = &self->open.items[i];
        struct slice *slice =
            &self->desk.drafts.items[open->trace]->trace.slices.items[open->slice];
        if (slice->start < end)
            slice->duration = end - slice->start > DURATION_MAX ? DURATION_MAX : end - slice->start;
    }
}

/* ------------------------------------------------------------------ one trace */

/* Appends a member that is an object whose members are given. */
static void add_object(struct text *out, const char *key, const struct text *members)
{
    text_format(out, "%s\"%s\":{", out->count > 1 ? "," : "", key);
    if (members->count)
        text_add(out, members->items + 1, members->count - 1);
    text_add_byte(out, '}');
}

static void keep_metadata(struct nsys *self, struct trace *trace, int64_t pid)
{
    struct text raw = {0};
    struct json_repairs ignored = {0};
    const struct text *members = &self->metadata;
    text_add_byte(&raw, '{');
    if (members->count)
        text_add(&raw, members->items + 1, members->count - 1);
    add_object(&raw, "tables", &self->tables);
    add_object(&raw, "call_versions", &self->versions);
    add_object(&raw, "thread_priorities", &self->priorities);
    bool made = true;
    if (made && pid != NONE)
        text_format(&raw, ",\"process\":%lld", (long long)pid);
    if (made)
        text_add_byte(&raw, '}');
    if (made)
        json_canonical(text_view(&raw), &trace->metadata, &ignored);
    text_free(&raw);
}

static bool finish_trace(struct nsys *self, struct draft *draft)
{
    struct trace *into = &draft->trace;
    into->events = self->desk.uid;
    into->clock_base = self->is_normal ? 0 : self->session;
    trace_sum_memory(&draft->trace);
    keep_metadata(self, into, draft->pid);
    return draft_finish(draft);
}

bool nsys_finish(struct nsys *self, struct trace *first)
{
    bool done = true;
    close_ranges(self);
    if (!nsys_link_nccl(self) || !nsys_link_events(self))
        return false;
    nsys_link_nodes(self);
    /* The process with the work of a trace names it; else its first one. */
    for (size_t i = self->processes.count; i-- > 0;) {
        const struct nsys_process *process = &self->processes.items[i];
        struct draft *draft = nsys_trace_of(self, process);
        if (draft->has_work && !process->has_work)
            continue;
        draft->has_work = process->has_work;
        draft->rank = process->rank != NONE            ? process->rank
                      : process->communicator_size > 0 ? process->communicator_rank
                                                       : NONE;
        draft->pid = process->pid;
    }
    for (size_t i = 0; i < self->desk.drafts.count && done; i++)
        done = finish_trace(self, self->desk.drafts.items[i]);
    if (done && !self->desk.drafts.count)
        keep_metadata(self, first, NONE);
    if (!done)
        return false;
    desk_hand_over(&self->desk, self->database, first);
    return true;
}
