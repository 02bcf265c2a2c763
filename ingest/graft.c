/* graft: puts what was recorded below the launches that replay it; see capture.h.
 *
 * The tree is built from times, and what was recorded took longer than its replay. So for the time
 * of building the tree every graph launch is stretched by the length of what goes into it, and
 * everything after it is moved; captures_settle then gives all slices their own times back, and
 * recorded slices that of the launch.
 */
#include "ingest/capture.h"

#include "ingest/input/json_text.h"
#include "src/base/hash.h"
#include "src/base/order.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct keyed {
    int64_t key;
    uint32_t index;
};

typedef ARRAY(struct keyed) keyed_list;

struct merger {
    struct captures *captures;
    struct trace *trace;
    struct merged *merged;
    struct error *error;
    sqlite3_stmt *words;
};

struct step_mark {
    int64_t start, end, batch, tier;
};

typedef ARRAY(struct step_mark) mark_list;

static struct view slice_name(const struct trace *trace, uint32_t slice)
{
    return intern_view(&trace->strings, trace->slices.items[slice].name);
}

ORDER_BY(compare_keys, struct keyed, UP(key) || UP(index));

static void add_keyed(keyed_list *list, int64_t key, size_t index)
{
    array_add(list, (struct keyed){key, (uint32_t)index});
}

static void sort_keyed(keyed_list *list)
{
    array_sort(list, compare_keys);
}

/* ------------------------------------------------------------------ steps and launches */

/* The steps of the lowest tier that the trace has. */
static bool find_steps(struct merger *self, mark_list *marks)
{
    int64_t lowest = INT64_MAX;
    for (size_t i = 0; i < self->trace->slices.count; i++) {
        const struct slice *item = &self->trace->slices.items[i];
        if (item->category == CATEGORY_MARK) {
            struct view name = slice_name(self->trace, (uint32_t)i);
            sqlite3_reset(self->words);
            sqlite3_bind_text(self->words, 1, name.bytes, (int)name.length, SQLITE_STATIC);
            int result = sqlite3_step(self->words);
            if (result == SQLITE_ROW && sqlite3_column_type(self->words, 1) != SQLITE_NULL)
                array_add(marks, (struct step_mark){item->start, item->start + item->duration,
                                                    sqlite3_column_int64(self->words, 1),
                                                    sqlite3_column_int64(self->words, 0)});
            if (result != SQLITE_ROW && result != SQLITE_DONE)
                return warehouse_error(&self->captures->words, self->error);
        }
    }
    for (size_t i = 0; i < marks->count; i++)
        lowest = marks->items[i].tier < lowest ? marks->items[i].tier : lowest;
    size_t kept = 0;
    for (size_t i = 0; i < marks->count; i++)
        if (marks->items[i].tier == lowest)
            marks->items[kept++] = marks->items[i];
    marks->count = kept;
    return true;
}

/* The smallest capture with room for the step; whole graphs for one launch, pieces for several. */
static const struct capture *choose(const struct captures *self, int64_t batch, size_t launches)
{
    const struct capture *best = NULL;
    for (size_t i = 0; i < self->list.count; i++) {
        const struct capture *capture = &self->list.items[i];
        if (capture->batch < batch || (best && capture->batch > best->batch))
            continue;
        bool fits = capture->is_full == (launches == 1);
        if (!best || capture->batch < best->batch || fits)
            best = capture;
    }
    return best;
}

/* ------------------------------------------------------------------ which call is which work */

enum { KEY_COPY = 1, KEY_SET = 2, LOOK_AHEAD = 64 };

/* Names as numbers: that of a copy or set, else a hash. */
struct named {
    int64_t key;
    bool fills; /* a kernel that may stand for a set */
    bool is_said;
};

struct pairing {
    struct named *calls, *work;
    size_t call_count, work_count;
    const keyed_list *order; /* of the work, by start; index in trace.gpus */
    const struct trace *trace;
    uint32_t *call_of; /* work -> place among the recorded calls */
};

static int64_t key_of(struct view name)
{
    if (view_contains_ignoring_case(name, "memcpy"))
        return KEY_COPY;
    if (view_contains_ignoring_case(name, "memset"))
        return KEY_SET;
    return (int64_t)(hash64(name.bytes, name.length, 0) | 4);
}

static bool is_match(const struct pairing *self, size_t call, size_t work)
{
    const struct named *left = &self->calls[call], *right = &self->work[work];
    return left->key == right->key || (left->key == KEY_SET && right->fills);
}

/* Every call stands for the work in its place, unless names are known and differ. */
static bool pair_by_place(struct pairing *self)
{
    for (size_t i = 0; i < self->work_count; i++) {
        if (self->calls[i].is_said && !is_match(self, i, i))
            return false;
        self->call_of[i] = (uint32_t)i;
    }
    return true;
}

static int64_t stream_of(const struct pairing *self, size_t work)
{
    return self->trace->gpus.items[self->order->items[work].index].stream;
}

struct queue {
    ARRAY(uint32_t) work;
    size_t head;
};

/* Several streams: calls come in the order of the program, work in that of each stream. */
static bool pair_by_stream(struct pairing *self)
{
    keyed_list streams = {0};
    ARRAY(struct queue) queues = {0};
    bool done = true;
    for (size_t i = 0; i < self->work_count; i++)
        add_keyed(&streams, stream_of(self, i), i);
    sort_keyed(&streams);
    for (size_t i = 0; i < streams.count; i++) {
        if (i == 0 || streams.items[i].key != streams.items[i - 1].key)
            array_add(&queues, (struct queue){0});
        uint32_t *added = array_push(&queues.items[queues.count - 1].work);
        *added = streams.items[i].index;
    }
    for (size_t call = 0; call < self->call_count; call++) {
        struct queue *best = NULL;
        size_t longest = 0;
        for (size_t i = 0; i < queues.count; i++) {
            /* How long calls and the work of one queue go on matching. */
            const struct queue *queue = &queues.items[i];
            size_t length = 0;
            while (length < LOOK_AHEAD && call + length < self->call_count &&
                   queue->head + length < queue->work.count &&
                   is_match(self, call + length, queue->work.items[queue->head + length]))
                length++;
            if (length > longest) {
                longest = length;
                best = &queues.items[i];
            }
        }
        if (best)
            self->call_of[best->work.items[best->head++]] = (uint32_t)call;
    }
    for (size_t i = 0; i < queues.count; i++) {
        done = done && queues.items[i].head == queues.items[i].work.count;
        array_free(&queues.items[i].work);
    }
    arrays_free(&queues, &streams);
    return done;
}

static bool has_streams(const struct pairing *self)
{
    for (size_t i = 1; i < self->work_count; i++)
        if (stream_of(self, i) != stream_of(self, 0))
            return true;
    return false;
}

static bool pair_all(struct pairing *self)
{
    if (has_streams(self)) {
        for (size_t i = 0; i < self->call_count; i++)
            if (!self->calls[i].is_said)
                return false;
        return pair_by_stream(self);
    }
    if (self->work_count != self->call_count) {
        if (self->work_count > self->call_count)
            return false;

        /* The next call of that name; calls without work are skipped. */
        size_t call = 0;
        for (size_t i = 0; i < self->work_count; i++, call++) {
            while (call < self->call_count && !is_match(self, call, i))
                call++;
            if (call == self->call_count)
                return false;
            self->call_of[i] = (uint32_t)call;
        }
        return true;
    }
    if (pair_by_place(self))
        return true;

    /* In order within each name. */
    keyed_list calls = {0}, work = {0};
    bool done = true;
    for (size_t i = 0; i < self->work_count; i++) {
        add_keyed(&calls, self->calls[i].key, i);
        add_keyed(&work, self->work[i].fills ? KEY_SET : self->work[i].key, i);
    }
    sort_keyed(&calls);
    sort_keyed(&work);
    for (size_t i = 0; i < self->work_count && done; i++) {
        done = calls.items[i].key == work.items[i].key;
        if (done)
            self->call_of[work.items[i].index] = calls.items[i].index;
    }
    arrays_free(&calls, &work);
    return done;
}

/* ------------------------------------------------------------------ grafting */

/* Texts and signatures of the capture, as those of the trace; 0: there is none. */
static uint32_t take_text(struct trace *to, const struct trace *from, uint32_t text)
{
    if (!text)
        return 0;
    struct view view = intern_view(&from->strings, text);
    return intern_add(&to->strings, view.bytes, view.length);
}

/* The same of a signature. */
static uint32_t take_op(struct trace *to, const struct op *op, const struct trace *from)
{
    struct op own = {take_text(to, from, op->name), take_text(to, from, op->dims),
                     take_text(to, from, op->types), take_text(to, from, op->strides),
                     take_text(to, from, op->concrete)};
    return intern_add(&to->ops, &own, sizeof own);
}

/* Adds what was recorded; `calls` gets the new calls, one for each recorded one. */
static void add_slices(struct merger *self, const struct capture *capture,
                       const struct recording *recording, const struct slice *launch,
                       uint32_t *calls)
{
    struct trace *to = self->trace;
    struct slice at = *launch; /* the list of slices moves */
    size_t next_call = 0;
    for (size_t i = 0; i < recording->slices.count; i++) {
        uint32_t index = recording->slices.items[i];
        const struct slice *from = &capture->trace.slices.items[index];
        struct slice slice = {.start = from->start - recording->start,
                              .duration = from->duration,
                              .uid = trace_new_uid(to),
                              .place = at.place};
        uint32_t spelling = capture->trace.categories.names[from->category];
        int category = from->category;
        if (category < CATEGORY_KNOWN_COUNT)
            category = trace_category(to, view_of(category_name(from->category)));
        else if (spelling)
            category = trace_category(to, intern_view(&capture->trace.strings, spelling));
        slice.category = (uint32_t)category & 0xFF;
        slice.name = take_text(to, &capture->trace, from->name);
        if (from->arguments) {
            struct view list = intern_view(&capture->trace.arguments, from->arguments);
            slice.arguments = intern_add(&to->arguments, list.bytes, list.length);
        }
        if (from->op) {
            struct op op = trace_op(&capture->trace, from->op);
            slice.op = take_op(to, &op, &capture->trace);
        }
        if (trace_role(to, &slice) == ROLE_CALL) {
            array_add(&to->calls, (struct call_slice){.slice = (uint32_t)to->slices.count,
                                                      .correlation = NONE,
                                                      .external = NONE});
            slice.side = (uint32_t)to->calls.count - 1;
            if (next_call < recording->calls.count && recording->calls.items[next_call] == index)
                calls[next_call++] = slice.side;
        }
        array_add(&to->slices, slice);
    }
}

static void graft(struct merger *self, uint32_t launch, const struct capture *capture,
                  const struct recording *recording, const struct pairing *pairing)
{
    uint32_t *calls = memory_list(recording->calls.count + 1, sizeof *calls);
    struct graft *added = array_push(&self->merged->grafts);
    uint32_t slice = self->trace->calls.items[launch].slice;
    *added = (struct graft){.launch = slice,
                            .first = (uint32_t)self->trace->slices.count,
                            .length = recording->end - recording->start + 2};
    add_slices(self, capture, recording, &self->trace->slices.items[slice], calls);
    added->end = (uint32_t)self->trace->slices.count;

    /* The work of the launch becomes that of the calls. */
    struct trace *trace = self->trace;
    struct call_slice *old = &trace->calls.items[launch];
    old->first = old->last = old->count = 0;
    for (size_t i = 0; i < pairing->work_count; i++) {
        uint32_t gpu = pairing->order->items[i].index;
        uint32_t call = calls[pairing->call_of[i]];
        struct call_slice *owner = &trace->calls.items[call];
        trace->gpus.items[gpu].call = call + 1;
        trace->gpus.items[gpu].next = 0;
        if (owner->last)
            trace->gpus.items[owner->last - 1].next = gpu + 1;
        else
            owner->first = gpu + 1;
        owner->last = gpu + 1;
        owner->count++;
    }
    memory_free(calls);
}

/* Finds which work each recorded call stands for, and merges if all of it is found. */
static void merge_launch(struct merger *self, uint32_t launch, const struct capture *capture,
                         const struct recording *recording, bool *is_merged)
{
    const struct trace *trace = self->trace;
    const struct call_slice *call = &trace->calls.items[launch];
    keyed_list work = {0};
    for (uint32_t gpu = call->first; gpu; gpu = trace->gpus.items[gpu - 1].next)
        add_keyed(&work, trace->slices.items[trace->gpus.items[gpu - 1].slice].start, gpu - 1);
    sort_keyed(&work);
    struct pairing pairing = {.call_count = recording->calls.count,
                              .work_count = work.count,
                              .order = &work,
                              .trace = trace};
    pairing.calls = memory_zeroed(pairing.call_count + 1, sizeof *pairing.calls);
    pairing.work = memory_zeroed(pairing.work_count + 1, sizeof *pairing.work);
    pairing.call_of = memory_zeroed(pairing.work_count + 1, sizeof *pairing.call_of);
    for (size_t i = 0; i < pairing.call_count; i++) {
        /* The kernel that a recorded call says it launches, else its own name. */
        uint32_t slice = recording->calls.items[i];
        struct named *out = &pairing.calls[i];
        const struct slice *item = &capture->trace.slices.items[slice];
        struct view own = slice_name(&capture->trace, slice);
        struct view kernel =
            item->arguments
                ? json_member(intern_view(&capture->trace.arguments, item->arguments), "kernel")
                : VIEW("");
        struct text text = {0};
        struct json_repairs repairs = {0};
        *out = (struct named){.key = key_of(own)};
        out->is_said = out->key == KEY_COPY || out->key == KEY_SET;
        if (!out->is_said && kernel.length > 2 && *kernel.bytes == '"') {
            json_unescape((struct view){kernel.bytes + 1, kernel.length - 2}, &text, &repairs);
            out->is_said = true;
            out->key = key_of(text_view(&text));
        }
        text_free(&text);
    }
    for (size_t i = 0; i < pairing.work_count; i++) {
        struct view name = slice_name(trace, trace->gpus.items[work.items[i].index].slice);
        pairing.work[i] = (struct named){.key = key_of(name),
                                         .fills = view_contains_ignoring_case(name, "fillbuffer")};
    }
    *is_merged = work.count && trace->slices.items[call->slice].duration > 0 && pair_all(&pairing);
    if (*is_merged)
        graft(self, launch, capture, recording, &pairing);
    memory_free(pairing.calls);
    memory_free(pairing.work);
    memory_free(pairing.call_of);
    array_free(&work);
}

static void merge_step(struct merger *self, const struct step_mark *step, const keyed_list *all,
                       int64_t *merged)
{
    keyed_list launches = {0};

    /* The graph launches in a step: key start, index of the call. */
    size_t first;
    ARRAY_LOWER_BOUND(first, all->count, all->items[first].key < step->start);
    for (size_t i = first; i < all->count && all->items[i].key <= step->end; i++) {
        assert(i == first || all->items[i].key >= all->items[i - 1].key); /* they are sorted */
        const struct call_slice *call = &self->trace->calls.items[all->items[i].index];
        const struct slice *slice = &self->trace->slices.items[call->slice];
        if (slice->start + slice->duration <= step->end)
            add_keyed(&launches, slice->start, all->items[i].index);
    }
    const struct capture *capture = choose(self->captures, step->batch, launches.count);
    size_t recorded = capture ? capture->recordings.count : 0;
    if (recorded != 1 && recorded != launches.count)
        recorded = 0; /* nobody can tell which is which */
    for (size_t i = 0; i < launches.count && recorded; i++) {
        bool is_merged;
        merge_launch(self, launches.items[i].index, capture,
                     &capture->recordings.items[recorded == 1 ? 0 : i], &is_merged);
        *merged += is_merged;
    }
    array_free(&launches);
}

/* ------------------------------------------------------------------ times */

/* The time of building the tree: what comes after a launch starts moves by the length of what went
 * into it. `at` goes through the grafts, which are in the order of their launches. */
static void stretch(struct trace *trace, struct merged *merged, size_t old_count)
{
    keyed_list launches = {0};
    for (size_t i = 0; i < merged->grafts.count; i++)
        add_keyed(&launches, trace->slices.items[merged->grafts.items[i].launch].start, i);
    sort_keyed(&launches);
    int64_t *moves = memory_list(launches.count + 1, sizeof *moves);
    array_reserve(&merged->times, 2 * old_count);
    moves[0] = 0;
    for (size_t i = 0; i < launches.count; i++)
        moves[i + 1] = moves[i] + merged->grafts.items[launches.items[i].index].length;
    for (size_t i = 0; i < old_count; i++) {
        struct slice *slice = &trace->slices.items[i];
        int64_t ends[2] = {slice->start, slice->start + slice->duration};
        merged->times.items[merged->times.count++] = slice->start;
        merged->times.items[merged->times.count++] = slice->duration;
        for (size_t j = 0; j < 2; j++) {
            size_t before;
            ARRAY_LOWER_BOUND(before, launches.count, launches.items[before].key < ends[j]);
            ends[j] += moves[before];
        }
        slice->start = ends[0];
        slice->duration = ends[1] - ends[0];
    }
    for (size_t i = 0; i < merged->grafts.count; i++) {
        const struct graft *graft = &merged->grafts.items[i];
        for (uint32_t j = graft->first; j < graft->end; j++)
            trace->slices.items[j].start += trace->slices.items[graft->launch].start + 1;
    }
    memory_free(moves);
    array_free(&launches);
}

void captures_settle(struct trace *trace, const struct merged *merged)
{
    if (merged->grafts.count == 0)
        return;
    for (size_t i = 0; i < merged->times.count / 2; i++) {
        trace->slices.items[i].start = merged->times.items[2 * i];
        trace->slices.items[i].duration = merged->times.items[2 * i + 1];
    }
    for (size_t i = 0; i < merged->grafts.count; i++) {
        const struct graft *graft = &merged->grafts.items[i];
        for (uint32_t j = graft->first; j < graft->end; j++) {
            trace->slices.items[j].start = trace->slices.items[graft->launch].start;
            trace->slices.items[j].duration = trace->slices.items[graft->launch].duration;
        }
    }
    /* Time that children cover, from times that are no longer those of building the tree. */
    struct tree *tree = &trace->tree;
    memset(tree->child_time, 0, trace->slices.count * sizeof *tree->child_time);
    for (size_t i = 0; i < trace->slices.count; i++) {
        const struct slice *slice = &trace->slices.items[i];
        if (!tree->parent[i] || trace_role(trace, slice) == ROLE_GPU)
            continue;
        const struct slice *parent = &trace->slices.items[tree->parent[i] - 1];
        int64_t end = slice->start + slice->duration, last = parent->start + parent->duration;
        end = end < last ? end : last;
        if (end > slice->start)
            tree->child_time[tree->parent[i] - 1] += end - slice->start;
    }
    for (size_t i = 0; i < trace->slices.count; i++)
        if (tree->child_time[i] > trace->slices.items[i].duration)
            tree->child_time[i] = trace->slices.items[i].duration;
}

void merged_free(struct merged *merged)
{
    arrays_free(&merged->grafts, &merged->times);
}

/* ------------------------------------------------------------------ all of it */

bool captures_merge(struct captures *captures, struct trace *trace, struct merged *merged,
                    struct error *error)
{
    struct merger self = {captures, trace, merged, error, NULL};
    mark_list steps = {0};
    keyed_list launches = {0};
    size_t old_count = trace->slices.count;
    int64_t count = 0;
    *merged = (struct merged){0};
    self.words = warehouse_prepare(
        &captures->words,
        "SELECT tier, coalesce(nullif(coalesce(arg(fields, 'c_sq'), 0) + coalesce(arg(fields, "
        "'g_sq'), 0), 0), arg(fields, 'toks'), arg(fields, 'bs')) FROM (SELECT tier, "
        "regexp_fields(?1, pattern) AS fields FROM step_pattern WHERE ?1 REGEXP pattern "
        "ORDER BY priority LIMIT 1)",
        error);
    bool done = self.words;
    if (done) {
        for (size_t i = 0; i < trace->calls.count; i++) {
            uint32_t slice = trace->calls.items[i].slice;
            if (view_contains_ignoring_case(slice_name(trace, slice), "graphlaunch"))
                add_keyed(&launches, trace->slices.items[slice].start, i);
        }
        sort_keyed(&launches);
    }
    done = done && (launches.count == 0 || find_steps(&self, &steps));
    for (size_t i = 0; i < steps.count && done; i++)
        merge_step(&self, &steps.items[i], &launches, &count);
    if (done && merged->grafts.count)
        stretch(trace, merged, old_count);
    if (done && merged->grafts.count) {
        /* Tells a trace with captures in it from the same one without. */
        for (size_t i = 0; i < 2; i++) {
            char half[17];
            snprintf(half, sizeof half, "%016llx",
                     (unsigned long long)hash64(trace->hash + 16 * i, 16, 1));
            memcpy(trace->hash + 16 * i, half, 16);
        }
    }
    note_count(&trace->notes, NOTE_GRAPH_MERGED, count, -1, -1);
    note_count(&trace->notes, NOTE_GRAPH_WITHOUT_CAPTURE, (int64_t)launches.count - count, -1, -1);
    database_finalize(self.words);
    arrays_free(&steps, &launches);
    return done;
}
