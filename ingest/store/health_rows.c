/* health_rows: what is doubtful about a trace in memory, as rows of health_fact. sql/health counts;
 * here it is given the slices of the trace. */
#include "ingest/store/statement.h"

#include "ingest/input/json_text.h"
#include "ingest/trace/sort.h"
#include "sql/health/health.h"

#include <string.h>

struct teller {
    const struct trace *trace;
    struct store *store;
    struct health health;
    ARRAY(uint32_t) late; /* of the thread in hand: slices numbered out of order */
    uint8_t *flags;       /* by name; FLAGS_NEW: not asked yet */
    bool has_graphs;      /* that calls launch */
};

enum { FLAGS_NEW = 255 };

static uint8_t flags_of(struct teller *self, uint32_t name)
{
    uint8_t *flags = &self->flags[name];
    if (*flags == FLAGS_NEW)
        *flags = health_flags(&self->health, intern_view(&self->trace->strings, name));
    return *flags;
}

static struct health_event event_of(const struct teller *self, uint32_t index)
{
    const struct slice *slice = &self->trace->slices.items[index];
    return (struct health_event){.start = slice->start,
                                 .duration = slice->duration,
                                 .id = rows_event(&self->store->rows, index),
                                 .correlation = HEALTH_NONE,
                                 .name = slice->name,
                                 .category = slice->category};
}

/* Ops of replayed graphs, which the trace adds, are not looked at. The next slices are
 * fetched ahead: their order is not that of memory. */
static bool is_of_host(const struct trace *trace, int64_t number, uint32_t *index)
{
    enum { AHEAD = 8 };
    const struct slice *slices = trace->slices.items;
    if (number + AHEAD < (int64_t)trace->slices.count)
        __builtin_prefetch(&slices[trace->tree.order[number + AHEAD]]);
    *index = trace->tree.order[number];
    return trace_role(trace, &slices[*index]) != ROLE_GPU && slices[*index].uid < trace->events;
}

static void tell_host(struct teller *self, uint32_t index)
{
    const struct trace *trace = self->trace;
    const struct slice *slice = &trace->slices.items[index];
    enum role role = trace_role(trace, slice);
    struct health_event event = event_of(self, index);
    switch (role) {
    case ROLE_OP:
        event.kind = HEALTH_OP;
        event.op = slice->op;
        event.has_shapes = slice->op && trace_op(trace, slice->op).dims;
        event.process = trace_place(trace, slice->place).process;
        break;
    case ROLE_CALL:
        event.kind = HEALTH_CALL;
        event.correlation = trace->calls.items[slice->side].correlation;
        event.flags = flags_of(self, slice->name);
        self->has_graphs |= event.flags & HEALTH_GRAPH;
        break;
    default:
        event.kind = HEALTH_FRAME;
    }
    event.arguments = slice->arguments;
    event.ids = slice->side & SIDE_OF_IDS && role != ROLE_CALL ? slice->side : 0;
    health_take_host(&self->health, &event);
}

/* The order of starts, the longer ones first. */
static bool is_before(const struct trace *trace, uint32_t slice, uint32_t other)
{
    const struct slice *a = &trace->slices.items[slice], *b = &trace->slices.items[other];
    return a->start != b->start ? a->start < b->start : a->duration > b->duration;
}

/* A late slice stands before the last one that is not late. */
static bool is_late(const struct trace *trace, uint32_t slice, uint32_t *last)
{
    bool late = *last != UINT32_MAX && is_before(trace, slice, *last);
    *last = late ? *last : slice;
    return late;
}

/* The slices of a thread in the order of starts. Their numbers are in it but for some, mostly roots
 * that stick out of a tree: these are gathered first, then told in between. */
static void tell_thread(struct teller *self, const struct track *track)
{
    const struct trace *trace = self->trace;
    uint32_t last = UINT32_MAX, index = 0;
    size_t next = 0;
    self->late.count = 0;
    for (int64_t number = track->first; number <= track->last; number++)
        if (is_of_host(trace, number, &index) && is_late(trace, index, &last))
            array_add(&self->late, index);
    sort_slices(trace, self->late.items, self->late.count, TREE_LONGEST_FIRST);
    last = UINT32_MAX;
    for (int64_t number = track->first; number <= track->last + 1; number++) {
        bool is_over = number > track->last;
        if (!is_over && (!is_of_host(trace, number, &index) || is_late(trace, index, &last)))
            continue;
        for (; next < self->late.count &&
               (is_over || is_before(trace, self->late.items[next], index));
             next++)
            tell_host(self, self->late.items[next]);
        if (!is_over)
            tell_host(self, index);
    }
    health_track_end(&self->health);
}

static void tell_work(struct teller *self, uint32_t index)
{
    const struct gpu_slice *work = &self->trace->gpus.items[self->trace->slices.items[index].side];
    struct health_event event = event_of(self, index);
    event.kind = event.category == CATEGORY_KERNEL ? HEALTH_KERNEL : HEALTH_ACTIVITY;
    event.flags = event.category == CATEGORY_MEMCPY ? flags_of(self, event.name) : 0;
    event.correlation = work->correlation;
    event.device = work->device;
    event.bytes = work->bytes;
    event.graph = event.node = HEALTH_NONE;
    if (self->has_graphs) {
        /* The numbers of a graph and its node in the arguments of work. */
        uint32_t number = self->trace->slices.items[index].arguments;
        struct view arguments = number ? intern_view(&self->trace->arguments, number) : VIEW("");
        static const char node[] = "\"graph node id\"";
        if (arguments.length && memmem(arguments.bytes, arguments.length, node, sizeof node - 1)) {
            if (!json_whole(json_member(arguments, "graph node id"), &event.node))
                event.node = HEALTH_NONE;
            if (!json_whole(json_member(arguments, "graph id"), &event.graph))
                event.graph = HEALTH_NONE;
        }
    }
    health_take_work(&self->health, &event);
}

/* Slices of work by the streams that they stand on, in file order, the streams behind each
 * other. */
static uint32_t *by_stream(const struct trace *trace, size_t *ends)
{
    size_t places = intern_count(&trace->places) + 1, sum = 0;
    uint32_t *order = memory_list(trace->gpus.count + 1, sizeof *order);
    for (size_t i = 0; i < trace->gpus.count; i++)
        ends[trace->slices.items[trace->gpus.items[i].slice].place]++;
    for (size_t i = 0; i < places; i++) {
        size_t count = ends[i];
        ends[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < trace->gpus.count; i++) {
        uint32_t slice = trace->gpus.items[i].slice;
        order[ends[trace->slices.items[slice].place]++] = slice;
    }
    return order;
}

static void tell_streams(struct teller *self)
{
    const struct trace *trace = self->trace;
    size_t places = intern_count(&trace->places) + 1;
    size_t *ends = memory_zeroed(places, sizeof *ends);
    uint32_t *order = by_stream(trace, ends);
    for (size_t place = 0, i = 0; place < places; place++) {
        sort_slices(trace, order + i, ends[place] - i, TREE_LONGEST_FIRST);
        for (; i < ends[place]; i++)
            tell_work(self, order[i]);
        health_track_end(&self->health);
    }
    memory_free(ends);
    memory_free(order);
}

/* Steps of the host, and the profiler's own work: overhead, but for slices with a type, which are
 * CUDA's account of waits beside that of Nsight Systems. */
static void tell_marks(struct teller *self)
{
    const struct trace *trace = self->trace;
    struct signposts signposts = {.trace = trace};
    struct signpost_kind post;
    for (size_t i = 0; i < trace->slices.count; i++) {
        const struct slice *slice = &trace->slices.items[i];
        enum role role = trace_role(trace, slice);
        bool may_be_step =
            role == ROLE_MARK || (role == ROLE_OP && flags_of(self, slice->name) & HEALTH_STEP);
        if (slice->category == CATEGORY_OVERHEAD &&
            (!slice->arguments || strcmp(trace->format, "nsys") != 0))
            health_overhead(&self->health, slice->start, slice->duration);
        else if (may_be_step && signposts_find(&signposts, (uint32_t)i, &post) &&
                 strcmp(post.name, "step") == 0)
            health_step(&self->health, post.step, slice->start, slice->duration);
    }
}

/* ------------------------------------------------------------------ what ingest noticed */

static int64_t noted(const struct trace *trace, enum note note)
{
    return trace->notes.entries[note].count;
}

static void tell_notes(struct teller *self)
{
    const struct trace *trace = self->trace;
    struct health *health = &self->health;
    int64_t left_out = noted(trace, NOTE_FRAME_LEFT_OUT);
    health_had(health, trace->events, (int64_t)trace->slices.count + left_out);
    for (enum note note = 0; note < NOTE_COUNT; note++)
        health_noted(health, note_kind(note), noted(trace, note));
    int64_t cut = noted(trace, NOTE_END_MISSING) + noted(trace, NOTE_SALVAGED);
    int64_t open = noted(trace, NOTE_LIST_OPEN);
    health_counted(health, HEALTH_FILE_CUT, cut || open, cut || !open);
    health->found[HEALTH_DUPLICATE_EVENTS].base += left_out;
    int64_t lost = noted(trace, NOTE_PROFILER_LOST);
    int64_t said = noted(trace, NOTE_PROFILER_WARNING) + noted(trace, NOTE_PROFILER_ERROR);
    health_counted(health, HEALTH_PROFILER_REPORTED, lost ? lost : said, 1);
    health->found[HEALTH_PROFILER_REPORTED].is_note = !lost;
    health_counted(health, HEALTH_FRAMES_LOST, trace->frames.lost, trace->frames.count);
    if (!trace->frames.count)
        health->found[HEALTH_FRAMES_LOST].reason =
            "no Python frames were recorded (with_stack=True)";
    if (view_equal(json_member(text_view(&trace->metadata), "tpq_part"), VIEW("true")))
        health_is_part(health);
}

/* ------------------------------------------------------------------ rows */

bool health_rows_add(struct store *self)
{
    struct teller teller = {.trace = self->trace, .store = self};
    size_t names = intern_count(&self->trace->strings) + 1;
    bool done = health_open(&teller.health, self->warehouse->db, self->error);
    teller.flags = memory_take(names);
    if (done) {
        memset(teller.flags, FLAGS_NEW, names);
        for (size_t i = 0; i < self->trace->tree.tracks.count; i++)
            if (self->trace->tree.tracks.items[i].kind == TRACK_THREAD)
                tell_thread(&teller, &self->trace->tree.tracks.items[i]);
        tell_streams(&teller);
        tell_marks(&teller);
        health_finish(&teller.health);
        tell_notes(&teller);
        sqlite3_stmt *row = warehouse_prepare(
            self->warehouse,
            "INSERT INTO health_fact (trace_id, \"check\", count, base, time_ns, value, share, "
            "tolerance, example_id, first_ns, last_ns, reason, is_note) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            self->error);
        done = row != NULL;
        for (enum health_check i = 0; i < HEALTH_CHECKS && done; i++) {
            struct health_fact fact = health_fact_of(&teller.health, i, self->trace->start);
            statement_integer(row, 1, self->rows.trace_id);
            statement_view(row, 2, view_of(health_check_names[i]));
            statement_integer(row, 3, fact.count);
            statement_integer(row, 4, fact.base);
            statement_integer(row, 5, fact.time);
            statement_real(row, 6, fact.value);
            statement_real(row, 7, fact.share);
            statement_real(row, 8, fact.tolerance);
            statement_integer(row, 9, fact.example);
            statement_integer(row, 10, fact.first);
            statement_integer(row, 11, fact.last);
            if (fact.reason)
                statement_view(row, 12, view_of(fact.reason));
            else
                sqlite3_bind_null(row, 12);
            statement_integer(row, 13, fact.is_note);
            done = statement_run(self, row);
        }
        database_finalize(row);
    }
    health_close(&teller.health);
    array_free(&teller.late);
    memory_free(teller.flags);
    return done;
}
