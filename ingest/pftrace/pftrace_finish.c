/* pftrace_finish: once all packets are read, begins and ends are paired, tracks get places, and
 * arrows become launches and links. */
#include "ingest/pftrace/pftrace_reader.h"

#include "ingest/input/json_text.h"
#include "ingest/trace/order.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ slices */

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

static bool is_in_order(const struct pftrace_edge *edges, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (edges[i].time < edges[i - 1].time)
            return false;
    return true;
}

/* Edges of a track by time; those of one time stay in their order. */
static void sort_track(struct pftrace_edge *edges, struct pftrace_edge *spare, size_t count)
{
    struct pftrace_edge *from = edges, *to = spare;
    if (is_in_order(edges, count))
        return;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = least(start + width, count);
            size_t end = least(start + 2 * width, count);
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++)
                if (left < middle && (right == end || from[right].time >= from[left].time))
                    to[i] = from[left++];
                else
                    to[i] = from[right++];
        }
        struct pftrace_edge *other = from;
        from = to;
        to = other;
    }
    if (from != edges)
        memcpy(edges, from, count * sizeof *edges);
}

/* By track and time; those of one time stay in the order of the file. */
static void sort_edges(struct pftrace *self)
{
    size_t count = self->edges.count, tracks = self->tracks.count;
    if (!count)
        return;
    struct pftrace_edge *edges = self->edges.items, *sorted = memory_list(count, sizeof *sorted);
    size_t *begins = memory_zeroed(tracks + 1, sizeof *begins);
    for (size_t i = 0; i < count; i++)
        begins[edges[i].track + 1]++;
    for (size_t i = 1; i < tracks; i++)
        begins[i + 1] += begins[i];
    for (size_t i = 0; i < count; i++)
        sorted[begins[edges[i].track]++] = edges[i];
    for (size_t i = 0; i < tracks; i++) { /* each begins where the one before ends */
        size_t begin = i ? begins[i - 1] : 0;
        sort_track(sorted + begin, edges + begin, begins[i] - begin);
    }
    memory_free(begins);
    memory_free(edges);
    self->edges.items = sorted;
    self->edges.room = count;
}

static void close_slice(struct pftrace *self, uint32_t index, int64_t end)
{
    struct slice *slice = &self->trace->slices.items[index];
    int64_t duration;
    if (slice->duration >= 0) /* it says so itself */
        return;
    if (__builtin_sub_overflow(end, slice->start, &duration) || duration < 0)
        duration = 0;
    slice->duration = duration > DURATION_MAX ? DURATION_MAX : duration;
}

/* The innermost open slice of a track ends first. */
static void pair_edges(struct pftrace *self)
{
    ARRAY(uint32_t) open = {0};
    struct notes *notes = &self->trace->notes;
    for (size_t i = 0; i < self->edges.count; i++) {
        const struct pftrace_edge *edge = &self->edges.items[i];
        if (!edge->is_end)
            array_add(&open, edge->slice);
        else if (open.count) {
            /* Annotations of the end come to those of the begin. */
            uint32_t index = open.items[--open.count];
            const struct pftrace_said *said =
                edge->slice ? &self->ends.items[edge->slice - 1] : NULL;
            if (said) {
                pftrace_apply(self, index, said);
                trace_join_arguments(self->trace, &self->trace->slices.items[index].arguments,
                                     said->arguments, &self->raw, &self->canonical);
            }
            close_slice(self, index, edge->time);
        } else
            note_count(notes, NOTE_END_ALONE, 1, -1, -1);
        bool is_last = i + 1 == self->edges.count || edge[1].track != edge->track;
        for (; is_last && open.count; open.count--) {
            uint32_t slice = open.items[open.count - 1];
            note_count(notes, NOTE_RANGE_OPEN, self->trace->slices.items[slice].duration < 0,
                       self->trace->slices.items[slice].uid, -1);
            close_slice(self, slice, self->last_end);
        }
    }
    for (size_t i = 0; i < self->trace->slices.count; i++)
        note_count(notes, NOTE_DURATION_ZERO,
                   self->trace->slices.items[i].duration == 0 &&
                       self->trace->slices.items[i].category != CATEGORY_SIGNPOST,
                   self->trace->slices.items[i].uid, -1);
    array_free(&open);
}

/* ------------------------------------------------------------------ places */

/* The number behind a word of a track's name: COMPUTE AGENT [4] STREAM [2] (GPU). */
static int64_t number_in(struct view name, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length < name.length; i++) {
        if (memcmp(name.bytes + i, word, length) != 0)
            continue;
        size_t start = i + length, end = start;
        int64_t number;
        while (end < name.length && name.bytes[end] >= '0' && name.bytes[end] <= '9')
            end++;
        if (json_integer((struct view){name.bytes + start, end - start}, &number))
            return number;
    }
    return NONE;
}

/* A track, and those that it is below. */
struct home {
    int64_t pid, tid;
    uint32_t thread_name;
    bool is_thread;
};

static void find_home(const struct pftrace *self, uint32_t index, struct home *home)
{
    enum { DEPTH_MAX = 64 };
    const struct pftrace_track *track = &self->tracks.items[index];
    *home = (struct home){.pid = NONE, .tid = NONE, .is_thread = track->is_thread};
    home->thread_name = track->name;
    home->tid = track->tid;
    for (int i = 0; i < DEPTH_MAX; i++) {
        if (home->pid == NONE)
            home->pid = track->pid;
        uint32_t above =
            track->has_parent ? map_get(&self->track_of, (int64_t)track->parent, 0) : 0;
        if (!above)
            break;
        track = &self->tracks.items[above - 1];
    }
}

static void add_label(struct pftrace *self, struct place place, enum label_kind kind, uint32_t text)
{
    if (text)
        array_add(&self->trace->labels, (struct label){place.process, place.thread, kind, text});
}

/* A track that is no thread is told by its name, and by its number where others have that name. */
static void name_thread(struct pftrace *self, const struct home *home, uint64_t uuid,
                        bool by_number, uint32_t *text)
{
    text_clear(&self->raw);
    if (home->is_thread && home->tid != NONE)
        text_format(&self->raw, "%lld", (long long)home->tid);
    else if (home->thread_name && !by_number)
        text_add_json(&self->raw, trace_text(self->trace, home->thread_name));
    else
        text_format(&self->raw, "%llu", (unsigned long long)uuid);
    *text = intern_add(&self->trace->strings, self->raw.items, self->raw.count);
}

static const char unknown_process[] = "\"?\"";

/* The place of a track; a new one gets the names of its thread and process. */
static uint32_t place_track(struct pftrace *self, uint32_t track)
{
    struct home home;
    struct place place;
    char digits[32];
    find_home(self, track, &home);
    int length = home.pid == NONE ? snprintf(digits, sizeof digits, "%s", unknown_process)
                                  : snprintf(digits, sizeof digits, "%lld", (long long)home.pid);
    place.process = intern_add(&self->trace->strings, digits, (size_t)length);
    for (int by_number = 0; by_number < 2; by_number++) {
        name_thread(self, &home, self->tracks.items[track].uuid, by_number, &place.thread);
        if (home.is_thread || !intern_find(&self->trace->places, &place, sizeof place))
            break;
    }
    uint32_t number = intern_add(&self->trace->places, &place, sizeof place);
    if (number == intern_count(&self->trace->places)) {
        add_label(self, place, LABEL_THREAD_NAME, home.thread_name);

        /* Once for each process. */
        int64_t pid = home.pid;
        uint32_t process = place.process;
        if (pid != NONE) {
            uint32_t *known = map_put(&self->processes, pid, 0);
            if (*known > 1)
                add_label(self, (struct place){.process = process}, LABEL_PROCESS_NAME, *known - 1);
            *known = 1;
        }
    }
    return number;
}

static void place_slices(struct pftrace *self)
{
    uint32_t *places = memory_zeroed(self->tracks.count + 1, sizeof *places);
    for (size_t i = 0; i < self->trace->slices.count; i++) {
        struct slice *slice = &self->trace->slices.items[i];
        uint32_t track = slice->place;
        if (!places[track])
            places[track] = place_track(self, track);
        if (trace_role(self->trace, slice) == ROLE_GPU) {
            /* Names of tracks place their work, where annotations did not. */
            struct gpu_slice *gpu = &self->trace->gpus.items[slice->side];
            struct view name = trace_text(self->trace, self->tracks.items[track].name);
            if (gpu->stream == NONE)
                gpu->stream = number_in(name, "STREAM [");
            if (gpu->stream == NONE)
                gpu->stream = number_in(name, "QUEUE [");
        }
        slice->place = places[track] & 0xFFFFFF;
    }
    memory_free(places);
}

/* ------------------------------------------------------------------ processes */

enum { PFTRACE_ID_BITS = 40 };

/* Who called with an id. */
struct callers {
    uint32_t unknown;   /* text of a process that no track tells */
    struct map numbers; /* text of a process -> its number, from 1 */
    struct map ids;     /* id -> the number of the only one, or SEVERAL */
};
#define SEVERAL UINT32_MAX

/* 0 = it is not known. */
static uint32_t process_of(const struct pftrace *self, const struct callers *callers,
                           uint32_t slice)
{
    uint32_t process = trace_place(self->trace, self->trace->slices.items[slice].place).process;
    return process == callers->unknown ? 0 : process;
}

static bool is_plain_id(int64_t id)
{
    return id > 0 && !(id >> PFTRACE_ID_BITS);
}

/* The processes that call with ids. */
static void number_processes(struct pftrace *self, struct callers *callers)
{
    const struct trace *trace = self->trace;
    uint32_t last = 0;
    for (size_t i = 0; i < trace->calls.count; i++) {
        uint32_t process = process_of(self, callers, trace->calls.items[i].slice);
        if (!process || process == last || !is_plain_id(trace->calls.items[i].correlation))
            continue;
        uint32_t *number = map_put(&callers->numbers, process, 0);
        if (!*number)
            *number = (uint32_t)callers->numbers.count;
        last = process;
    }
}

static void number_ids(struct pftrace *self, const struct callers *callers)
{
    struct trace *trace = self->trace;
    for (size_t i = 0; i < trace->calls.count; i++) {
        struct call_slice *call = &trace->calls.items[i];
        int64_t number = map_get(&callers->numbers, process_of(self, callers, call->slice), 0);
        if (is_plain_id(call->correlation))
            call->correlation |= number << PFTRACE_ID_BITS;
    }
    for (size_t i = 0; i < trace->gpus.count; i++) {
        struct gpu_slice *gpu = &trace->gpus.items[i];
        uint32_t number = map_get(&callers->numbers, process_of(self, callers, gpu->slice), 0);
        if (!is_plain_id(gpu->correlation))
            continue;
        if (!number)
            number = map_get(&callers->ids, gpu->correlation, 0);
        if (number != SEVERAL)
            gpu->correlation |= (int64_t)number << PFTRACE_ID_BITS;
    }
    trace->id_bits = ((int64_t)1 << PFTRACE_ID_BITS) - 1;
}

/* Ids of calls are those of a process: where there are several, ids tell which. Work whose track is
 * of none of them belongs to the only one that called with its id. */
static void separate_processes(struct pftrace *self)
{
    struct callers callers = {
        .unknown = intern_find(&self->trace->strings, unknown_process, sizeof unknown_process - 1)};
    number_processes(self, &callers);
    if (callers.numbers.count > 1) {
        /* The only process that calls with an id owns it. */
        const struct trace *trace = self->trace;
        for (size_t i = 0; i < trace->calls.count; i++) {
            const struct call_slice *call = &trace->calls.items[i];
            uint32_t number = map_get(&callers.numbers, process_of(self, &callers, call->slice), 0);
            if (!number || !is_plain_id(call->correlation))
                continue;
            uint32_t *only = map_put(&callers.ids, call->correlation, 0);
            *only = *only && *only != number ? SEVERAL : number;
        }
        number_ids(self, &callers);
    }
    map_free(&callers.numbers);
    map_free(&callers.ids);
}

/* ------------------------------------------------------------------ counters */

static void name_counter(struct pftrace *self, uint32_t index, struct counter *counter)
{
    struct home home;
    char digits[32];
    const struct pftrace_track *track = &self->tracks.items[index];
    find_home(self, index, &home);
    *counter = (struct counter){.device = NONE, .name = track->name, .unit = track->unit};
    if (home.pid != NONE) {
        int length = snprintf(digits, sizeof digits, "%lld", (long long)home.pid);
        counter->place = intern_add(&self->trace->strings, digits, (size_t)length);
    }
    if (!counter->name) {
        int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)track->uuid);
        counter->name = intern_add(&self->trace->strings, digits, (size_t)length);
    }
    counter->source = intern_add(&self->trace->strings, "counter", strlen("counter"));
}

/* Some only state what was added, since a sequence last began anew; in the order of the file. */
struct sums {
    struct map places; /* track, generation -> index + 1 */
    ARRAY(double) items;
};

static void finish_counters(struct pftrace *self)
{
    uint32_t *numbers = memory_zeroed(self->tracks.count + 1, sizeof *numbers);
    struct sums sums = {0};
    for (size_t i = 0; i < self->samples.count; i++) {
        const struct pftrace_sample *sample = &self->samples.items[i];
        const struct pftrace_track *track = &self->tracks.items[sample->track];
        double value =
            track->multiplier ? sample->value * (double)track->multiplier : sample->value;
        struct counter counter;
        if (track->is_incremental) {
            uint32_t *place = map_put(&sums.places, sample->track, sample->generation);
            if (!*place) {
                array_add(&sums.items, 0);
                *place = (uint32_t)sums.items.count;
            }
            value = sums.items.items[*place - 1] += value;
        }
        if (!numbers[sample->track]) {
            name_counter(self, sample->track, &counter);
            numbers[sample->track] = counters_find(&self->counters, &counter) + 1;
        }
        counters_add(&self->counters, numbers[sample->track] - 1, sample->time, value);
    }
    memory_free(numbers);
    map_free(&sums.places);
    arrays_free(&sums.items, &self->samples);
}

/* ------------------------------------------------------------------ arrows */

static int compare_flows(const void *left, const void *right, void *context)
{
    const struct pftrace *self = context;
    const struct pftrace_flow *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    int64_t times[2] = {self->trace->slices.items[a->slice].start,
                        self->trace->slices.items[b->slice].start};
    if (times[0] != times[1])
        return times[0] < times[1] ? -1 : 1;
    if (a->is_last != b->is_last)
        return a->is_last ? 1 : -1;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

static void link_slices(struct pftrace *self, uint32_t from, uint32_t to, int64_t spare)
{
    const struct slice *one = &self->trace->slices.items[from];
    const struct slice *two = &self->trace->slices.items[to];
    if (trace_role(self->trace, one) == ROLE_CALL && trace_role(self->trace, two) == ROLE_GPU) {
        /* Work that a call's arrow leads to was launched by it; both need an id for that. */
        struct call_slice *call = &self->trace->calls.items[one->side];
        struct gpu_slice *gpu = &self->trace->gpus.items[two->side];
        if (gpu->correlation == NONE) {
            if (call->correlation == NONE)
                call->correlation = spare;
            gpu->correlation = call->correlation;
        }
        return;
    }
    array_add(&self->trace->edges, (struct edge){from, to, EDGE_FLOW});
}

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* ------------------------------------------------------------------ all */

void pftrace_finish(struct pftrace *self)
{
    struct trace *trace = self->trace;
    uint32_t *places;
    note_count(&trace->notes, NOTE_CLOCK_MISSING, trace->clock_base == NONE, -1, -1);
    sort_edges(self);
    pair_edges(self);

    /* Names of processes stand in tracks of their own. */
    for (size_t i = 0; i < self->tracks.count; i++) {
        const struct pftrace_track *track = &self->tracks.items[i];
        uint32_t name = track->process_name ? track->process_name : track->name;
        if (!track->is_process || track->pid == NONE || !name)
            continue;
        uint32_t *known = map_put(&self->processes, track->pid, 0);
        if (!*known || track->process_name)
            *known = name + 1;
    }
    place_slices(self);
    separate_processes(self);

    /* An arrow goes through all slices with its number, in the order of time, and begins anew
     * behind one that ends it. */
    size_t count = self->flows.count;
    if (count)
        qsort_r(self->flows.items, count, sizeof *self->flows.items, compare_flows, self);
    for (size_t i = 0; i < count; i++) {
        const struct pftrace_flow *flow = &self->flows.items[i];
        bool begins = i == 0 || flow[-1].id != flow->id || flow[-1].is_last;
        bool ends = i + 1 == count || flow[1].id != flow->id || flow->is_last;
        note_count(&self->trace->notes, NOTE_FLOW_HALF, begins && ends,
                   self->trace->slices.items[flow->slice].uid, -1);
        if (!begins && flow[-1].slice != flow->slice)
            link_slices(self, flow[-1].slice, flow->slice, NONE + 1 + (int64_t)i);
    }
    finish_counters(self);
    arrays_free(&self->edges, &self->ends, &self->flows);
    order_trace(trace, &places);
    for (size_t i = 0; i < trace->edges.count; i++) {
        trace->edges.items[i].from = places[trace->edges.items[i].from];
        trace->edges.items[i].to = places[trace->edges.items[i].to];
    }
    memory_free(places);

    /* Several arrows between the same slices are one link. */
    size_t kept = 0;
    struct edge *edges = trace->edges.items;
    array_sort(&trace->edges, compare_edges);
    for (size_t i = 0; i < trace->edges.count; i++)
        if (!kept || edges[kept - 1].from != edges[i].from || edges[kept - 1].to != edges[i].to)
            edges[kept++] = edges[i];
    trace->edges.count = kept;
    counters_give(&self->counters, trace);
    text_add_string(&trace->metadata, "{}");
}
