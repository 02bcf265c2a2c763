/* tree: see tree.h.
 *
 * One pass over the sorted slices of a track with two stacks. `open` holds what is open now, ops,
 * calls and frames mixed, outermost first; `ops` holds the places in it of the ops and calls, and
 * alone decides where an op hangs. A slice gets its number when it is put on the stack, which is
 * preorder, because its parent is always the top.
 *
 * Clocks are not exact. A slice that ends after the one it starts in by "bleeding" less than
 * BLEED_NS over its end is taken for its successor; one that bleeds more is left out: it becomes a
 * root, numbered after the tree that it sticks out of. A frame may not end an op's time on the
 * stack; if it bleeds a little over an op it waits until that op is closed.
 */
#include "ingest/trace/tree.h"

#include "ingest/trace/sort.h"

#include <assert.h>

/* Reference rule: a microsecond. query/select/window.c relies on it. */
enum { BLEED_NS = 1000, WAIT_DEPTH_MAX = 64 };

struct open_slice {
    int64_t end;
    uint32_t slice;
    bool is_frame;
    bool behind_call;      /* for ops and calls: see call_slice.nested */
    uint32_t op, launcher; /* for ops and calls: slice + 1 of the nearest ones, itself included */
    uint32_t first_waiting, last_waiting; /* frames, slice + 1 */
};

struct builder {
    struct trace *trace;
    struct tree *tree;
    uint32_t next;    /* number to give */
    uint32_t execute; /* the name "execute", 0 = not in this trace */
    ARRAY(struct open_slice) open;
    ARRAY(uint32_t) ops;
    ARRAY(uint32_t) left_out;
};

static void number_slice(struct builder *self, uint32_t slice, uint32_t parent)
{
    assert(self->next < self->trace->slices.count);
    self->tree->order[self->next] = slice;
    self->tree->number[slice] = self->next++;
    self->tree->parent[slice] = parent;
}

static void number_chain(struct builder *self, uint32_t first, uint32_t parent)
{
    for (uint32_t gpu = first; gpu; gpu = self->trace->gpus.items[gpu - 1].next)
        number_slice(self, self->trace->gpus.items[gpu - 1].slice, parent + 1);
}

/* Accelerator work comes right behind the call that launched it, or the op in it. */
static void number_work(struct builder *self, const struct call_slice *call)
{
    number_chain(self, call->first, call->slice);
    for (uint32_t i = call->replays; i; i = self->trace->replays.items[i - 1].next) {
        const struct replay *replay = &self->trace->replays.items[i - 1];
        number_slice(self, replay->slice, call->slice + 1);
        number_chain(self, replay->first, replay->slice);
        self->tree->descendants[replay->slice] = self->next - 1 - self->tree->number[replay->slice];
    }
}

static struct call_slice *call_of(struct builder *self, uint32_t slice)
{
    const struct slice *item = &self->trace->slices.items[slice];
    return trace_role(self->trace, item) == ROLE_CALL ? &self->trace->calls.items[item->side]
                                                      : NULL;
}

/* An op's own launches, as if it were a call; NULL = none. */
static struct call_slice *launches_of(struct builder *self, uint32_t op)
{
    uint32_t call = map_get(&self->trace->launching_ops, op, 0);
    return call ? &self->trace->calls.items[call - 1] : NULL;
}

static void number_left_out(struct builder *self)
{
    for (size_t i = 0; i < self->left_out.count; i++) {
        uint32_t slice = self->left_out.items[i];
        number_slice(self, slice, 0);
        const struct call_slice *call = call_of(self, slice);
        if (!call)
            call = launches_of(self, slice);
        if (call) {
            number_work(self, call);
            self->tree->descendants[slice] = self->next - 1 - self->tree->number[slice];
        }
    }
    self->left_out.count = 0;
}

static void leave_out(struct builder *self, uint32_t slice, enum note note)
{
    note_count(&self->trace->notes, note, 1, self->trace->slices.items[slice].uid, -1);
    array_add(&self->left_out, slice);
}

static struct open_slice *top(struct builder *self)
{
    return self->open.count ? &self->open.items[self->open.count - 1] : NULL;
}

static int64_t end_of(const struct slice *slice)
{
    return slice->start + slice->duration;
}

/* Puts a slice on the stack, below what is there. */
static void open_slice(struct builder *self, uint32_t slice, bool is_frame)
{
    const struct slice *slices = self->trace->slices.items;
    const struct slice *item = &slices[slice];
    const struct open_slice *parent = top(self);
    if (!parent)
        number_left_out(self);
    number_slice(self, slice, parent ? parent->slice + 1 : 0);
    if (parent) {
        int64_t end = end_of(item) < parent->end ? end_of(item) : parent->end;
        if (end < end_of(item))
            note_count(&self->trace->notes, NOTE_OUTSIDE_PARENT, 1, item->uid, -1);
        if (end > item->start)
            self->tree->child_time[parent->slice] += end - item->start;
    }
    array_add(&self->open,
              (struct open_slice){.end = end_of(item), .slice = slice, .is_frame = is_frame});
}

static void place_frame(struct builder *self, uint32_t frame);

static void close_top(struct builder *self)
{
    struct open_slice closed = self->open.items[--self->open.count];
    struct tree *tree = self->tree;
    tree->descendants[closed.slice] = self->next - 1 - tree->number[closed.slice];
    int64_t duration = self->trace->slices.items[closed.slice].duration;
    if (tree->child_time[closed.slice] > duration) /* children overlap by a little */
        tree->child_time[closed.slice] = duration;
    if (closed.is_frame)
        return;
    self->ops.count--;
    for (uint32_t frame = closed.first_waiting, next; frame; frame = next) {
        next = tree->parent[frame - 1];
        place_frame(self, frame - 1);
    }
}

/* Closes the innermost op and the frames inside it. */
static void close_op(struct builder *self)
{
    uint32_t place = self->ops.items[self->ops.count - 1];
    while (self->open.count > place + 1)
        close_top(self);
    close_top(self);
}

/* ------------------------------------------------------------------ ops and calls */

static struct open_slice *innermost_op(struct builder *self)
{
    return self->ops.count ? &self->open.items[self->ops.items[self->ops.count - 1]] : NULL;
}

static void place_op(struct builder *self, uint32_t slice)
{
    const struct slice *item = &self->trace->slices.items[slice];
    struct open_slice *op;
    while ((op = innermost_op(self)) && item->start >= op->end)
        close_op(self);
    if (op && end_of(item) > op->end) {
        if (op->end - item->start < BLEED_NS && self->ops.count >= 2) {
            close_op(self);
        } else {
            leave_out(self, slice, NOTE_LEFT_OUT_OF_TREE);
            return;
        }
    }
    struct open_slice *frame;
    while ((frame = top(self)) && frame->is_frame &&
           (item->start >= frame->end || end_of(item) > frame->end))
        close_top(self);

    /* The op or call opens, with what it has from the op above. */
    const struct open_slice *above =
        self->ops.count ? &self->open.items[self->ops.items[self->ops.count - 1]] : NULL;
    struct open_slice own = {0};
    if (above)
        own = *above;
    open_slice(self, slice, false);
    array_add(&self->ops, (uint32_t)self->open.count - 1);
    struct call_slice *call = call_of(self, slice);
    if (call) {
        call->op = own.op;
        call->launcher = own.launcher;
        call->nested = own.behind_call;
        own.behind_call = true;
        number_work(self, call);
    } else {
        own.op = slice + 1;
        if (item->name != self->execute || !self->execute) {
            own.launcher = slice + 1;
            own.behind_call = false;
        }
        if ((call = launches_of(self, slice)))
            number_work(self, call);
    }
    struct open_slice *added = top(self);
    added->op = own.op;
    added->launcher = own.launcher;
    added->behind_call = own.behind_call;
}

/* ------------------------------------------------------------------ frames */

/* The frame sticks out of the op on top. If the ops that it sticks out of end within BLEED_NS,
 * it waits for the outermost of them. */
static void wait_for_op(struct builder *self, uint32_t frame)
{
    const struct slice *item = &self->trace->slices.items[frame];
    struct open_slice *chosen = NULL;
    size_t lowest = self->open.count > WAIT_DEPTH_MAX ? self->open.count - WAIT_DEPTH_MAX : 0;
    for (size_t i = self->open.count; i-- > lowest;) {
        struct open_slice *candidate = &self->open.items[i];
        if (candidate->end >= end_of(item))
            break;
        if (candidate->end - item->start >= BLEED_NS) {
            chosen = NULL;
            break;
        }
        if (!candidate->is_frame)
            chosen = candidate;
    }
    if (!chosen) {
        leave_out(self, frame, NOTE_FRAME_LEFT_OUT_OF_TREE);
        return;
    }
    self->tree->parent[frame] = 0;
    if (chosen->last_waiting)
        self->tree->parent[chosen->last_waiting - 1] = frame + 1;
    else
        chosen->first_waiting = frame + 1;
    chosen->last_waiting = frame + 1;
}

static void place_frame(struct builder *self, uint32_t frame)
{
    const struct slice *item = &self->trace->slices.items[frame];
    struct open_slice *above;
    while ((above = top(self)) && item->start >= above->end)
        close_top(self);
    while (above && end_of(item) > above->end) {
        if (!above->is_frame) {
            wait_for_op(self, frame);
            return;
        }
        if (above->end - item->start >= BLEED_NS || self->open.count < 2) {
            leave_out(self, frame, NOTE_FRAME_LEFT_OUT_OF_TREE);
            return;
        }
        close_top(self);
        above = top(self);
    }
    open_slice(self, frame, true);
}

/* ------------------------------------------------------------------ tracks */

static size_t track_key(const struct trace *trace, const struct slice *slice)
{
    return (size_t)slice->place * TRACK_KIND_COUNT + track_kind_of(trace_role(trace, slice));
}

/* Slices below a call are numbered from there, like its work. */
static bool is_below_call(const struct trace *trace, size_t index)
{
    const struct slice *slice = &trace->slices.items[index];
    size_t replays = trace->replays.count, first = replays ? trace->replays.items[0].slice : 0;
    return (trace_role(trace, slice) == ROLE_GPU && trace->gpus.items[slice->side].call) ||
           (index >= first && index - first < replays);
}

static void make_tracks(struct trace *trace)
{
    struct tree *tree = &trace->tree;
    size_t keys = (intern_count(&trace->places) + 1) * TRACK_KIND_COUNT;
    tree->track = memory_zeroed(keys, sizeof *tree->track);
    for (size_t i = 0; i < trace->slices.count; i++)
        tree->track[track_key(trace, &trace->slices.items[i])] = 1;
    for (size_t i = 0; i < trace->memory.count; i++)
        tree->track[(size_t)trace->memory.items[i].place * TRACK_KIND_COUNT + TRACK_THREAD] = 1;
    for (size_t i = 0; i < trace->facts.count; i++) {
        const struct fact_list *list = &trace->facts.items[i];
        for (const struct fact_column *column = list->table->columns; column->name; column++)
            for (size_t row = 0; row < list->count && column->type == FACT_TRACK; row++)
                tree->track[(size_t)fact_number(fact_row(list, row), column) * TRACK_KIND_COUNT +
                            TRACK_THREAD] = 1;
    }
    for (enum track_kind kind = 0; kind < TRACK_KIND_COUNT; kind++)
        for (size_t key = kind; key < keys; key += TRACK_KIND_COUNT) {
            if (!tree->track[key])
                continue;
            array_add(&tree->tracks,
                      (struct track){(uint32_t)(key / TRACK_KIND_COUNT), kind, 0, -1});
            tree->track[key] = (uint32_t)tree->tracks.count;
        }
}

/* Lists the slices of each track one behind the other, in file order; `ends` tells where the list
 * of each track ends. */
static void group_by_track(const struct trace *trace, uint32_t *indexes, size_t *ends)
{
    const struct tree *tree = &trace->tree;
    const struct slice *slices = trace->slices.items;
    for (size_t i = 0; i < trace->slices.count; i++)
        if (!is_below_call(trace, i))
            ends[tree->track[track_key(trace, &slices[i])] - 1]++;
    size_t sum = 0;
    for (size_t i = 0; i < tree->tracks.count; i++) {
        size_t count = ends[i];
        ends[i] = sum; /* where the list begins, until it is filled */
        sum += count;
    }
    for (size_t i = 0; i < trace->slices.count; i++)
        if (!is_below_call(trace, i))
            indexes[ends[tree->track[track_key(trace, &slices[i])] - 1]++] = (uint32_t)i;
}

static void number_track(struct builder *self, struct track *track, const uint32_t *indexes,
                         size_t count)
{
    track->first = self->next;
    if (track->kind == TRACK_THREAD) {
        for (size_t i = 0; i < count; i++) {
            if (trace_role(self->trace, &self->trace->slices.items[indexes[i]]) == ROLE_FRAME)
                place_frame(self, indexes[i]);
            else
                place_op(self, indexes[i]);
        }
        while (self->open.count)
            close_top(self);
        number_left_out(self);
    } else {
        for (size_t i = 0; i < count; i++)
            number_slice(self, indexes[i], 0);
    }
    track->last = (int64_t)self->next - 1;
}

static void find_start(struct trace *trace)
{
    int64_t start = INT64_MAX;
    for (size_t i = 0; i < trace->slices.count; i++)
        if (trace->slices.items[i].start < start)
            start = trace->slices.items[i].start;
    for (size_t i = 0; i < trace->memory.count; i++)
        if (trace->memory.items[i].time < start)
            start = trace->memory.items[i].time;
    if (start == INT64_MAX)
        start = trace->sampled == NONE ? 0 : trace->sampled;
    trace->start = start;
}

static void allocate(struct trace *trace)
{
    struct tree *tree = &trace->tree;
    size_t count = trace->slices.count + 1;
    tree->order = memory_zeroed(count, sizeof *tree->order);
    tree->number = memory_zeroed(count, sizeof *tree->number);
    tree->parent = memory_zeroed(count, sizeof *tree->parent);
    tree->descendants = memory_zeroed(count, sizeof *tree->descendants);
    tree->child_time = memory_zeroed(count, sizeof *tree->child_time);
}

void tree_build(struct trace *trace, enum tree_order order)
{
    struct builder self = {.trace = trace, .tree = &trace->tree};
    struct tree *tree = &trace->tree;
    self.execute = intern_find(&trace->strings, "execute", strlen("execute"));
    find_start(trace);
    make_tracks(trace);
    uint32_t *indexes = memory_list(trace->slices.count + 1, sizeof *indexes);
    size_t *ends = memory_zeroed(tree->tracks.count + 1, sizeof *ends);
    group_by_track(trace, indexes, ends);
    for (size_t i = 0, start = 0; i < tree->tracks.count; start = ends[i++])
        sort_slices(trace, indexes + start, ends[i] - start, order);
    allocate(trace);
    for (size_t i = 0, start = 0; i < tree->tracks.count; start = ends[i++])
        number_track(&self, &tree->tracks.items[i], indexes + start, ends[i] - start);
    assert(self.next == trace->slices.count);
    memory_free(indexes);
    memory_free(ends);
    arrays_free(&self.open, &self.ops, &self.left_out);
}
