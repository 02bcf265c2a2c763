/* xplane_finish: all events together; see xplane_reader.h.
 *
 * Events get the order of the profiler's viewer (process, thread, start, the longer first), which
 * is also their place in the file for the user. Work is told which instruction it carries out, and
 * which time of it this is.
 */
#include "ingest/xplane/xplane_reader.h"

#include "src/base/order.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fact_column slice_columns[] = {
    {"id", FACT_EVENT, offsetof(struct xla_slice, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"instruction_id", FACT_ROW_OR_NULL, offsetof(struct xla_slice, instruction),
     &hlo_instruction_facts},
    {"execution", FACT_COUNT, offsetof(struct xla_slice, execution), NULL},
    {"start_ps", FACT_SMALL, offsetof(struct xla_slice, start_ps), NULL},
    {"duration_ps", FACT_SMALL, offsetof(struct xla_slice, duration_ps), NULL},
    {0},
};

const struct fact_table xla_event_facts = {"xla_event", sizeof(struct xla_slice), slice_columns};

/* ------------------------------------------------------------------ order */

static int64_t xplane_finish_number_of(struct view digits)
{
    int64_t number = 0;
    for (size_t i = 0; i < digits.length && digits.bytes[i] >= '0' && digits.bytes[i] <= '9'; i++)
        number = number * 10 + (digits.bytes[i] - '0');
    return number;
}

struct ranked {
    int64_t process, thread;
    uint32_t place;
};

ORDER_BY(compare_places, struct ranked, UP(process) || UP(thread));

static int compare_events(const struct xplane *self, uint32_t left, uint32_t right)
{
    const struct slice *a = &self->trace->slices.items[left];
    const struct slice *b = &self->trace->slices.items[right];
    const struct event_extra *x = &self->extras.items[left], *y = &self->extras.items[right];
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (a->duration != b->duration)
        return a->duration > b->duration ? -1 : 1;
    if (x->duration_ps != y->duration_ps)
        return x->duration_ps > y->duration_ps ? -1 : 1;
    return (left > right) - (left < right);
}

static int compare_indexes(const void *left, const void *right, void *context)
{
    return compare_events(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* Lines are mostly in order already. */
static void sort_events(struct xplane *self, uint32_t *indexes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_events(self, indexes[i - 1], indexes[i]) > 0) {
            qsort_r(indexes, count, sizeof *indexes, compare_indexes, self);
            return;
        }
}

ORDER_BY(compare_counters, struct counters, UP(process));

/* Lists the slices by place, in the order of `ranks`, and gives them their uids. */
static void list_slices(struct xplane *self, const struct ranked *ranks, size_t places,
                        size_t *ends, uint32_t *indexes)
{
    struct trace *trace = self->trace;
    for (size_t i = 0; i < trace->slices.count; i++)
        ends[trace->slices.items[i].place]++;
    size_t sum = 0;
    for (size_t i = 0; i < places; i++) {
        size_t count = ends[ranks[i].place];
        ends[ranks[i].place] = sum;
        sum += count;
    }
    for (size_t i = 0; i < trace->slices.count; i++)
        indexes[ends[trace->slices.items[i].place]++] = (uint32_t)i;
    array_sort(&self->counters, compare_counters);
    int64_t before = 0;
    size_t next = 0;
    for (size_t i = 0, start = 0; i < places; start = ends[ranks[i++].place]) {
        size_t end = ends[ranks[i].place];
        while (next < self->counters.count &&
               self->counters.items[next].process <= ranks[i].process)
            before += self->counters.items[next++].count;
        sort_events(self, indexes + start, end - start);
        for (size_t j = start; j < end; j++)
            trace->slices.items[indexes[j]].uid = (uint32_t)((int64_t)j + before);
    }
}

/* Moves slices and extras into that order; those that are not wanted fall out. `moved` tells where
 * each went, + 1. */
static void move_slices(struct xplane *self, const uint32_t *indexes, uint32_t *moved)
{
    struct trace *trace = self->trace;
    size_t count = trace->slices.count, kept = 0;
    struct slice *slices = memory_list(count + 1, sizeof *slices);
    struct event_extra *extras = memory_list(count + 1, sizeof *extras);
    for (size_t i = 0; i < count; i++) {
        const struct slice *slice = &trace->slices.items[indexes[i]];
        bool is_frame = slice->category == CATEGORY_FRAME && self->options->no_frames;
        if (is_frame)
            note_count(&trace->notes, NOTE_FRAME_LEFT_OUT, 1, slice->uid, -1);
        if (is_frame || !slice->name)
            continue;
        extras[kept] = self->extras.items[indexes[i]];
        slices[kept] = *slice;
        moved[indexes[i]] = (uint32_t)++kept;
    }
    arrays_free(&trace->slices, &self->extras);
    trace->slices.items = slices;
    trace->slices.count = kept;
    trace->slices.room = count + 1;
    self->extras.items = extras;
    self->extras.count = kept;
    self->extras.room = count + 1;
}

static void put_in_order(struct xplane *self)
{
    struct trace *trace = self->trace;
    size_t places = intern_count(&trace->places);
    struct ranked *ranks = memory_zeroed(places + 1, sizeof *ranks);
    size_t *ends = memory_zeroed(places + 1, sizeof *ends);
    uint32_t *indexes = memory_zeroed(trace->slices.count + 1, sizeof *indexes);
    uint32_t *moved = memory_zeroed(trace->slices.count + 1, sizeof *moved);
    for (uint32_t i = 0; i < places; i++) {
        struct place place = trace_place(trace, i + 1);
        ranks[i] =
            (struct ranked){xplane_finish_number_of(trace_text(self->trace, place.process)),
                            xplane_finish_number_of(trace_text(self->trace, place.thread)), i + 1};
    }
    qsort(ranks, places, sizeof *ranks, compare_places);
    list_slices(self, ranks, places, ends, indexes);
    move_slices(self, indexes, moved);

    /* Links a thread's handover to another: from where it is made to where it is used. */
    struct map makers = {0};
    for (size_t i = 0; i < self->contexts.count; i++) {
        const struct context_end *end = &self->contexts.items[i];
        if (!end->is_consumer)
            map_set(&makers, end->type, end->id, moved[end->slice]);
    }
    for (size_t i = 0; i < self->contexts.count; i++) {
        const struct context_end *end = &self->contexts.items[i];
        uint32_t from = end->is_consumer ? map_get(&makers, end->type, end->id) : 0;
        uint32_t to = moved[end->slice];
        if (!from || !to || from == to)
            continue;
        array_add(&self->trace->edges, (struct edge){from - 1, to - 1, EDGE_FLOW});
    }
    memory_free(ranks);
    memory_free(ends);
    memory_free(indexes);
    memory_free(moved);
}

/* ------------------------------------------------------------------ instructions */

/* A collective that is called otherwise when it runs. */
struct alias {
    uint32_t module, family;
    int64_t number;
    uint32_t detail;
};

static const char *const families[] = {"all-gather", "all-to-all", "reduce-scatter"};

ORDER_BY(compare_aliases, struct alias, UP(module) || UP(family) || UP(number));

typedef ARRAY(struct alias) alias_list;

/* Remembers it when its name is that of a collective: FAMILY, or FAMILY.NUMBER. */
static void add_alias(struct xplane *self, alias_list *aliases, uint32_t module, uint32_t detail)
{
    struct view name = trace_text(self->trace, self->details.items[detail].op);
    for (uint32_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (!view_starts_with(name, families[i]))
            continue;
        size_t length = strlen(families[i]);
        struct view tail = {name.bytes + length, name.length - length};
        struct alias *alias = array_push(aliases);
        bool is_numbered = tail.length > 1 && tail.length < 18 && *tail.bytes == '.';
        struct view digits = {tail.bytes + 1, is_numbered ? tail.length - 1 : 0};
        *alias =
            (struct alias){module, i, is_numbered ? xplane_finish_number_of(digits) : -1, detail};
    }
}

struct start {
    struct view name;
    uint32_t instruction;
};

static int compare_starts(const void *left, const void *right)
{
    const struct start *a = left, *b = right;
    size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = memcmp(a->name.bytes, b->name.bytes, shorter);
    return order ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

typedef ARRAY(struct start) start_list;

/* The k-th number that runs is the k-th instruction that starts one. */
static void resolve_aliases(struct xplane *self, alias_list *aliases, uint32_t *instructions)
{
    start_list starts = {0};
    array_sort(aliases, compare_aliases);
    for (size_t first = 0, end; first < aliases->count; first = end) {
        const struct alias *head = &aliases->items[first];

        /* The instructions of a module that start, or else end, collectives of a family, by name.
         */
        uint32_t module = head->module;
        uint32_t family = head->family;
        static const char *const endings[] = {"-start", "-done"};
        const struct hlo *hlo = &self->hlo;
        starts.count = 0;
        for (int ending = 0; ending < 2 && !starts.count; ending++) {
            char prefix[40];
            snprintf(prefix, sizeof prefix, "%s%s", families[family], endings[ending]);
            size_t i, count = hlo->instructions.count;
            ARRAY_LOWER_BOUND(i, count, hlo->instructions.items[i].module < module);
            for (; i < count && hlo->instructions.items[i].module == module; i++) {
                struct view name = trace_text(self->trace, hlo->instructions.items[i].name);
                if (!view_starts_with(name, prefix))
                    continue;
                array_add(&starts, (struct start){name, (uint32_t)i + 1});
            }
        }
        array_sort(&starts, compare_starts);
        size_t rank = 0;
        for (end = first; end < aliases->count; end++) {
            const struct alias *alias = &aliases->items[end];
            if (alias->module != head->module || alias->family != head->family)
                break;
            if (end > first && aliases->items[end - 1].number >= 0 &&
                alias->number != aliases->items[end - 1].number)
                rank++;
            if (!starts.count)
                continue;
            size_t place = alias->number < 0 ? 0 : rank;
            instructions[alias->detail] =
                starts.items[place < starts.count ? place : starts.count - 1].instruction;
            note_count(&self->trace->notes, NOTE_COLLECTIVE_GUESSED, 1, -1, -1);
        }
    }
}

/* ------------------------------------------------------------------ slices */

static void add_gpu(struct xplane *self, uint32_t index, const struct detail *detail)
{
    struct trace *trace = self->trace;
    struct slice *slice = &trace->slices.items[index];
    struct place place = trace_place(trace, slice->place);
    array_add(&trace->gpus,
              (struct gpu_slice){
                  .slice = index,
                  .device = self->homes.items[slice->place - 1].device,
                  .stream = xplane_finish_number_of(trace_text(self->trace, place.thread)),
                  .bytes = detail ? detail->bytes : NONE,
                  .correlation = self->extras.items[index].correlation,
                  .external = NONE,
              });
    slice->side = (uint32_t)trace->gpus.count - 1;
}

static void add_call(struct xplane *self, uint32_t index)
{
    struct trace *trace = self->trace;
    array_add(&trace->calls,
              (struct call_slice){.slice = index,
                                  .correlation = self->extras.items[index].correlation,
                                  .external = NONE});
    trace->slices.items[index].side = (uint32_t)trace->calls.count - 1;
}

static void add_side(struct xplane *self, uint32_t index, const uint32_t *instructions)
{
    struct trace *trace = self->trace;
    struct slice *slice = &trace->slices.items[index];
    const struct event_extra *extra = &self->extras.items[index];
    const struct detail *detail = extra->detail ? &self->details.items[extra->detail - 1] : NULL;
    enum role role = trace_role(trace, slice);
    uint32_t instruction = 0;
    if (role == ROLE_CALL) {
        add_call(self, index);
        return;
    }
    if (role == ROLE_GPU) {
        add_gpu(self, index, detail);
        instruction = detail ? instructions[extra->detail - 1] : 0;
        if (detail && detail->op && !instruction)
            note_count(&trace->notes, NOTE_INSTRUCTION_MISSING, 1, slice->uid, -1);
        if (instruction)
            hlo_signature(&self->hlo, instruction, &slice->op);
    }
    if (detail && detail->step != NONE && role == ROLE_MARK) {
        assert(!trace->steps.count || trace->steps.items[trace->steps.count - 1].slice < index);
        array_add(&trace->steps, (struct step){index, detail->step});
    }
}

static void add_sides(struct xplane *self)
{
    uint32_t *instructions = memory_zeroed(self->details.count + 1, sizeof *instructions);

    /* The instruction of each detail, index + 1. */
    alias_list aliases = {0};
    for (uint32_t i = 0; i < self->details.count; i++) {
        const struct detail *detail = &self->details.items[i];
        if (!detail->op)
            continue;
        uint32_t module = hlo_find_module(&self->hlo, detail->program, detail->module);
        hlo_find(&self->hlo, module, detail->op, &instructions[i]);
        if (!instructions[i] && module)
            add_alias(self, &aliases, module - 1, i);
    }
    resolve_aliases(self, &aliases, instructions);
    for (size_t i = 0; i < self->trace->slices.count; i++) {
        add_side(self, (uint32_t)i, instructions);
        const struct event_extra *extra = &self->extras.items[i];
        const struct slice *slice = &self->trace->slices.items[i];
        bool is_work = trace_role(self->trace, slice) == ROLE_GPU;
        uint32_t instruction = is_work && extra->detail ? instructions[extra->detail - 1] : 0;
        if (instruction || extra->start_ps || extra->duration_ps)
            array_add(&self->xla_slices, (struct xla_slice){.slice = (uint32_t)i,
                                                            .instruction = instruction,
                                                            .start_ps = extra->start_ps,
                                                            .duration_ps = extra->duration_ps});
    }
    /* custom calls are models' business even where nothing carried them out */
    for (uint32_t i = 0; i < self->hlo.instructions.count; i++) {
        uint32_t op;
        if (self->hlo.instructions.items[i].target)
            hlo_signature(&self->hlo, i + 1, &op);
    }
}

/* ------------------------------------------------------------------ executions */

static uint32_t xplane_finish_name_of(const struct trace *trace, const struct xla_slice *item)
{
    return trace->slices.items[item->slice].name;
}

/* How many kernels one execution has, of a run of kernels of one instruction: the shortest
 * sequence of names of which the run is a repetition. */
static size_t period(const struct trace *trace, const struct xla_slice *run, size_t count,
                     uint32_t *borders)
{
    borders[0] = 0;
    for (size_t i = 1; i < count; i++) {
        uint32_t length = borders[i - 1];
        while (length &&
               xplane_finish_name_of(trace, &run[i]) != xplane_finish_name_of(trace, &run[length]))
            length = borders[length - 1];
        borders[i] = length + (xplane_finish_name_of(trace, &run[i]) ==
                               xplane_finish_name_of(trace, &run[length]));
    }
    size_t shortest = count - borders[count - 1];
    return count % shortest ? count : shortest;
}

/* An instruction may start several kernels, and run many times. Kernels that follow each other on
 * a stream and carry out the same instruction are one execution, or a few with the same kernels. */
static void number_executions(struct xplane *self)
{
    struct trace *trace = self->trace;
    struct xla_slice *items = self->xla_slices.items;
    size_t count = self->xla_slices.count;
    uint32_t *borders = memory_zeroed(count + 1, sizeof *borders);
    struct map executions = {0}; /* (place, instruction) -> how many so far */
    for (size_t first = 0, end; first < count; first = end) {
        uint32_t place = trace->slices.items[items[first].slice].place;
        for (end = first + 1; end < count && items[end].instruction == items[first].instruction &&
                              items[end].slice == items[end - 1].slice + 1 &&
                              trace->slices.items[items[end].slice].place == place;)
            end++;
        if (!items[first].instruction)
            continue;
        size_t length = period(trace, items + first, end - first, borders);
        uint32_t *executed = map_put(&executions, place, items[first].instruction);
        for (size_t i = first; i < end; i++) {
            *executed += (i - first) % length == 0;
            items[i].execution = *executed;
        }
    }
}

void xplane_finish(struct xplane *self)
{
    for (size_t i = 0; i < self->trace->memory.count; i++)
        self->trace->memory.items[i].uid = (uint32_t)i;
    put_in_order(self);

    /* Loops, conditions and calls of a TPU stand in the line of the ops that they run, around them:
     * as work they would count twice. */
    struct trace *trace = self->trace;
    for (size_t i = 0; i < trace->slices.count; i++) {
        if (self->homes.items[trace->slices.items[i].place - 1].is_tpu &&
            trace_role(trace, &trace->slices.items[i]) == ROLE_GPU) {
            /* Work that follows in its place starts later. Times have lost their picoseconds. */
            const struct slice *slice = &trace->slices.items[i];
            int64_t end = slice->start + slice->duration;
            size_t next = i + 1;
            while (slice->duration && next < trace->slices.count &&
                   !trace->slices.items[next].duration)
                next++;
            const struct slice *inner = &trace->slices.items[next];
            if (next < trace->slices.count && inner->place == slice->place && inner->start < end &&
                inner->start + inner->duration <= end + 1)
                trace->slices.items[i].category = CATEGORY_GPU_MARK;
        }
    }
    hlo_finish(&self->hlo);
    add_sides(self);
    number_executions(self);
}
