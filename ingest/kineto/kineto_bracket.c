/* kineto_bracket: slices whose start and end are events of their own.
 *
 * On a thread an end closes the slice that started last. Asynchronous ones are told apart by
 * process, category and id, and nest in the same way; they overlap others, so they stand among
 * marks. Events need not come in the order of their times.
 */
#include "ingest/kineto/kineto_reader.h"

#include "src/base/order.h"

/* Keys of asynchronous slices lie above those of places. */
#define ASYNCHRONOUS ((int64_t)1 << 32)

bool kineto_bracket_read(struct kineto *self, char phase)
{
    bool is_asynchronous = phase == 'b' || phase == 'e', is_start = phase == 'b' || phase == 'B';
    size_t count = self->trace->slices.count;
    bool has_kind = !is_asynchronous || kineto_is_whole(self);
    int64_t time;
    if (is_start && !kineto_slice_add(self, has_kind ? NULL : "async", false))
        return false;
    if (is_start && self->trace->slices.count == count)
        return true; /* it was left out */
    if (!is_start && !kineto_time(self, &time))
        return true;
    int64_t key;
    if (is_asynchronous) {
        struct view category = kineto_field(self, FIELD_CATEGORY),
                    id = kineto_field(self, FIELD_ID);
        uint32_t parts[] = {kineto_place_text(self, FIELD_PROCESS),
                            intern_add(&self->trace->strings, category.bytes, category.length),
                            intern_add(&self->trace->strings, id.bytes, id.length)};
        key = ASYNCHRONOUS + intern_add(&self->asynchronous, parts, sizeof parts);
    } else if (!(key = (int64_t)kineto_place(self)))
        return false;
    if (!is_start) {
        struct bracket end = {key, time, (uint32_t)self->uid, UINT32_MAX, 0, 0};
        kineto_end_says(self, &end.said);
        if ((self->arguments_seen || self->extras.count) && !kineto_arguments(self, &end.arguments))
            return false;
        array_add(&self->brackets, end);
        return true;
    }
    time = self->trace->slices.items[count].start;
    array_add(&self->brackets,
              (struct bracket){key, time, (uint32_t)self->uid, (uint32_t)count, 0, 0});
    return true;
}

/* ------------------------------------------------------------------ closing */

static int compare(const void *left, const void *right)
{
    const struct bracket *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->uid > b->uid) - (a->uid < b->uid);
}

static void note(struct kineto *self, enum note kind, uint32_t uid)
{
    note_count(&self->trace->notes, kind, 1, uid, -1);
}

static void close_slice(struct kineto *self, uint32_t index, int64_t end)
{
    struct slice *slice = &self->trace->slices.items[index];
    if (slice->duration > 0) /* its begin has said it */
        return;
    slice->duration = end - slice->start;
    if (slice->duration > DURATION_MAX) {
        slice->duration = DURATION_MAX;
        note(self, NOTE_DURATION_CLIPPED, slice->uid);
    }
    if (slice->duration == 0)
        note(self, NOTE_DURATION_ZERO, slice->uid);
}

#define TAKE(member) into->member = said->member != NONE ? said->member : into->member

/* Data of work or a call in a slice without a category. */
static void take_stray(struct kineto *self, uint32_t index, const struct gpu_slice *said)
{
    struct trace *trace = self->trace;
    size_t place;
    ARRAY_LOWER_BOUND(place, self->strays, trace->strays.items[place].slice < index);
    bool is_known = place < self->strays && trace->strays.items[place].slice == index;
    struct stray none = {index, NONE, NONE, NONE, NONE};
    if (!is_known)
        array_add(&trace->strays, none);
    struct stray *into = &trace->strays.items[is_known ? place : trace->strays.count - 1];
    TAKE(correlation);
    TAKE(stream);
    TAKE(bytes);
    into->device = said->device >= 0 ? said->device : into->device;
}

/* Data at the end holds over the start's, like arguments. */
static void take_said(struct kineto *self, uint32_t index, const struct gpu_slice *said)
{
    struct trace *trace = self->trace;
    struct slice *slice = &trace->slices.items[index];
    enum role role = (enum role)trace->categories.roles[slice->category];
    if (role == ROLE_GPU) {
        struct gpu_slice *into = &trace->gpus.items[slice->side];
        TAKE(correlation);
        TAKE(external);
        TAKE(stream);
        TAKE(bytes);
        into->device = said->device >= 0 ? said->device : into->device;
    } else if (role == ROLE_CALL) {
        struct call_slice *into = &trace->calls.items[slice->side];
        TAKE(correlation);
        TAKE(external);
    } else if (role == ROLE_OTHER && said->correlation != NONE) {
        array_add(&trace->correlations, said->correlation);
        slice->side = (uint32_t)trace->correlations.count;
    }
    if (slice->category == CATEGORY_NONE)
        take_stray(self, index, said);
}

/* Slices that never ended do so with the recording. */
static void close_open(struct kineto *self, const uint32_t *open, size_t count, int64_t last)
{
    for (size_t i = 0; i < count; i++) {
        note(self, NOTE_RANGE_OPEN, self->trace->slices.items[open[i]].uid);
        close_slice(self, open[i], last);
    }
}

ORDER_BY(compare_strays, struct stray, UP(slice));

void kineto_brackets_close(struct kineto *self)
{
    struct bracket *items = self->brackets.items;
    size_t count = self->brackets.count, depth = 0;
    if (!count)
        return;
    uint32_t *open = memory_list(count, sizeof *open);
    qsort(items, count, sizeof *items, compare);
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < self->trace->slices.count; i++) {
        const struct slice *slice = &self->trace->slices.items[i];
        last = slice->start + slice->duration > last ? slice->start + slice->duration : last;
    }
    for (size_t i = 0; i < self->brackets.count; i++)
        last = self->brackets.items[i].time > last ? self->brackets.items[i].time : last;
    self->strays = self->trace->strays.count;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && items[i].key != items[i - 1].key) {
            close_open(self, open, depth, last);
            depth = 0;
        }
        if (items[i].slice != UINT32_MAX)
            open[depth++] = items[i].slice;
        else if (depth) {
            uint32_t index = open[--depth];
            const struct bracket *end = &items[i];
            close_slice(self, index, end->time);
            if (end->said)
                take_said(self, index, &self->said.items[end->said - 1]);
            trace_join_arguments(self->trace, &self->trace->slices.items[index].arguments,
                                 end->arguments, &self->raw, &self->canonical);
        } else
            note(self, NOTE_END_WITHOUT_START, items[i].uid);
    }
    close_open(self, open, depth, last);
    array_sort(&self->trace->strays, compare_strays);
}
