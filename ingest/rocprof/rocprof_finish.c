/* rocprof_finish: once all is there, records get names and places, and processes become traces one
 * behind the other. */
#include "ingest/rocprof/rocprof_reader.h"

#include "ingest/input/json_text.h"
#include "ingest/trace/amd.h"
#include "ingest/trace/draft.h"
#include "ingest/trace/op_text.h"
#include "ingest/trace/order.h"
#include "src/base/order.h"

#include <stdio.h>

/* One process, while it is finished. */
struct finish {
    struct rocprof *reader;
    struct rocprof_process *process;
    struct trace *trace;
    struct error *error;
    ARRAY(struct rocprof_named) shapes; /* by number */
    uint32_t *threads;                  /* place by number of the thread */
    struct map streams;                 /* device and stream -> place */
    struct desk desk;                   /* for the object in hand */
};

static void keep(struct finish *self, struct view text, uint32_t *number)
{
    *number = intern_add(&self->trace->strings, text.bytes, text.length);
}

/* ------------------------------------------------------------------ what numbers stand for */

static struct rocprof_shape shape_at(const struct finish *self, uint32_t number)
{
    struct rocprof_shape shape;
    memcpy(&shape, intern_view(&self->process->shapes, number).bytes, sizeof shape);
    return shape;
}

static int64_t value_of(const struct rocprof_shape *shape, enum rocprof_field field)
{
    return shape->values[field];
}

static const struct rocprof_agent *agent_of(const struct finish *self, int64_t handle)
{
    uint32_t place = handle == NONE ? 0 : map_get(&self->process->agents, handle, 0);
    return place ? &self->process->agent_list.items[place - 1] : NULL;
}

/* The number of a GPU among GPUs; -1 when it is none. */
static int32_t ordinal_of(const struct rocprof_agent *agent)
{
    if (!agent || !agent->is_gpu)
        return -1;
    bool is_stated = agent->ordinal >= 0 && agent->ordinal <= INT32_MAX;
    return is_stated ? (int32_t)agent->ordinal : (int32_t)agent->number;
}

/* ------------------------------------------------------------------ arguments */

static int64_t sum_of(int64_t left, int64_t right)
{
    int64_t sum;
    if (left == NONE || right == NONE)
        return NONE;
    return __builtin_add_overflow(left, right, &sum) ? NONE : sum;
}

/* ------------------------------------------------------------------ kernels and copies */

static void name_kernel(struct finish *self, const struct rocprof_shape *shape,
                        struct rocprof_named *named)
{
    char unknown[48];
    int64_t id = value_of(shape, RECORD_KERNEL), block[3], items[3], blocks[3];
    uint32_t place = id == NONE ? 0 : map_get(&self->process->symbols, id, 0);
    struct rocprof_symbol none = {.sgprs = NONE, .vgprs = NONE, .accumulators = NONE};
    const struct rocprof_symbol *symbol =
        place ? &self->process->symbol_list.items[place - 1] : &none;
    for (int i = 0; i < 3; i++) {
        block[i] = value_of(shape, (enum rocprof_field)(RECORD_BLOCK + i));
        items[i] = value_of(shape, (enum rocprof_field)(RECORD_GRID + i));
        bool is_fine = items[i] > 0 && block[i] > 0; /* the grid is stated in work-items */
        blocks[i] = is_fine ? (items[i] - 1) / block[i] + 1 : NONE;
    }
    named->device = ordinal_of(agent_of(self, value_of(shape, RECORD_AGENT)));
    named->name = symbol->name;
    int length =
        snprintf(unknown, sizeof unknown, "unknown_kernel_%lld", (long long)(id == NONE ? 0 : id));
    if (!named->name)
        keep(self, (struct view){unknown, (size_t)length}, &named->name);
    desk_member(&self->desk, "accum vgprs", symbol->accumulators);
    desk_member(&self->desk, "agent", value_of(shape, RECORD_AGENT));
    desk_member_three(&self->desk, "block", block);
    uint32_t text = symbol->demangled == named->name ? 0 : symbol->demangled;
    if (text)
        desk_member_text(&self->desk, "demangled", trace_text(self->trace, text));
    desk_member_three(&self->desk, "grid", blocks);
    desk_member_three(&self->desk, "grid work-items", items);
    desk_member(&self->desk, "queue", value_of(shape, RECORD_QUEUE));
    desk_member(&self->desk, "registers per thread", sum_of(symbol->vgprs, symbol->accumulators));
    desk_member(&self->desk, "scratch", unless_zero(value_of(shape, RECORD_SCRATCH)));
    desk_member(&self->desk, "sgprs", symbol->sgprs);
    desk_member(&self->desk, "shared memory", value_of(shape, RECORD_SHARED));
    desk_member(&self->desk, "vgprs", symbol->vgprs);
    desk_finish_arguments(&self->desk, self->trace, &named->arguments);
}

/* The name of the operation, else that of the kind, else the empty text. */
static void name_operation(struct finish *self, const struct rocprof_shape *shape, uint32_t *name)
{
    int64_t kind = value_of(shape, RECORD_KIND), operation = value_of(shape, RECORD_OPERATION);
    *name = map_get(&self->process->words, kind, operation == NONE ? -2 : operation);
    if (!*name)
        *name = map_get(&self->process->words, kind, -1);
    note_count(&self->trace->notes, NOTE_STRING_MISSING, !*name, -1, -1);
    if (!*name)
        keep(self, VIEW(""), name);
}

/* ------------------------------------------------------------------ calls and marks */

/* The category that the name of the kind tells, where it plays the same part. */
static uint8_t category_of(struct finish *self, const struct rocprof_shape *shape, uint8_t category)
{
    uint32_t kind = map_get(&self->process->words, value_of(shape, RECORD_KIND), -1);
    int told = kind ? amd_category(trace_text(self->trace, kind)) : -1;
    bool is_same = told >= 0 && category_role(told) == category_role(category);
    return is_same ? (uint8_t)told : category;
}

/* The names of a shape, worked out once. */
static const struct rocprof_named *name_shape(struct finish *self, uint32_t number,
                                              uint8_t category)
{
    struct rocprof_named *named = &self->shapes.items[number];
    const struct rocprof_shape shape = shape_at(self, number);
    if (named->is_known)
        return named;
    *named = (struct rocprof_named){.is_known = true, .category = category, .device = -1};
    if (category == CATEGORY_KERNEL)
        name_kernel(self, &shape, named);
    else if (category == CATEGORY_MEMCPY) {
        /* A copy belongs to its target GPU, else to its source GPU. */
        int64_t source = value_of(&shape, RECORD_SOURCE), target = value_of(&shape, RECORD_TARGET);
        int32_t from = ordinal_of(agent_of(self, source)), to = ordinal_of(agent_of(self, target));
        name_operation(self, &shape, &named->name);
        const char *spelt = amd_copy_name(trace_text(self->trace, named->name));
        if (spelt)
            keep(self, view_of(spelt), &named->name);
        named->device = to >= 0 ? to : from;
        desk_member(&self->desk, "dst agent", target);
        desk_member(&self->desk, "dst device", to >= 0 ? to : NONE);
        desk_member(&self->desk, "src agent", source);
        desk_member(&self->desk, "src device", from >= 0 ? from : NONE);
        desk_finish_arguments(&self->desk, self->trace, &named->arguments);
    } else {
        named->category = category_of(self, &shape, category);
        name_operation(self, &shape, &named->name);
        if (named->category == CATEGORY_MARK && amd_is_point(trace_text(self->trace, named->name)))
            named->category = CATEGORY_SIGNPOST;
        if (self->process->scratch_category && category == self->process->scratch_category) {
            desk_member(&self->desk, "agent", value_of(&shape, RECORD_AGENT));
            desk_member(&self->desk, "bytes", value_of(&shape, RECORD_SHARED));
            desk_member(&self->desk, "flags", unless_zero(value_of(&shape, RECORD_FLAGS)));
            desk_member(&self->desk, "queue", value_of(&shape, RECORD_QUEUE));
            desk_finish_arguments(&self->desk, self->trace, &named->arguments);
        }
    }
    return named;
}

/* PyTorch marks its ops so that their names, shapes and numbers are in the message. */
static void try_op(struct finish *self, uint32_t index, struct view message)
{
    struct slice *slice = &self->trace->slices.items[index];
    struct op_text read;
    struct op op = {0};
    text_clear(&self->desk.json);
    enum op_text_kind kind = op_text_read(message, &read, &self->desk.json);
    note_count(&self->trace->notes, NOTE_OP_TEXT_UNREAD, kind == OP_TEXT_UNREAD, slice->uid, -1);
    if (kind != OP_TEXT_OP) {
        text_clear(&self->desk.json);
        return;
    }
    struct op_range *range = array_push(&self->process->op_ranges);
    keep(self, read.name, &op.name);
    if (read.has_sizes)
        keep(self, text_view(&self->desk.json), &op.dims);
    text_clear(&self->desk.json);
    *range = (struct op_range){.slice = index,
                               .text = read.is_as_made ? 0 : slice->name,
                               .sequence = read.sequence >= 0 ? read.sequence : NONE,
                               .number = read.call ? read.call : NONE};
    slice->op = intern_add(&self->trace->ops, &op, sizeof op);
    slice->name = op.name;
    slice->category = CATEGORY_OP;
    note_count(&self->trace->notes, NOTE_DATA_EDGES_LEFT_OUT, read.has_inputs, slice->uid, -1);
    if (read.sequence >= 0)
        array_add(&self->trace->sequences,
                  (struct sequence){.number = read.sequence, .slice = index});
}

/* ------------------------------------------------------------------ places */

static uint32_t stream_place(struct finish *self, int32_t device, int64_t stream)
{
    uint32_t *known = map_put(&self->streams, device, stream);
    if (!*known)
        *known = trace_add_place(self->trace, device < 0 ? NONE : device, stream,
                                 source_path(self->reader->json.source), self->error);
    return *known;
}

static uint32_t thread_place(struct finish *self, uint32_t thread)
{
    uint32_t *known = &self->threads[thread];
    if (!*known)
        *known = trace_add_place(self->trace, self->process->pid,
                                 self->process->thread_ids.items[thread - 1],
                                 source_path(self->reader->json.source), self->error);
    return *known;
}

/* ------------------------------------------------------------------ slices */

static bool finish_slice(struct finish *self, uint32_t index)
{
    struct slice *slice = &self->trace->slices.items[index];
    enum role role = trace_role(self->trace, slice);
    const struct rocprof_named *named = name_shape(self, slice->name, (uint8_t)slice->category);
    slice->name = named->name;
    slice->category = named->category;
    if (!slice->arguments)
        slice->arguments = named->arguments;
    if (role == ROLE_GPU) {
        struct gpu_slice *gpu = &self->trace->gpus.items[slice->side];
        gpu->device = named->device;
        slice->place = stream_place(self, named->device, gpu->stream) & 0xFFFFFF;
        return slice->place != 0;
    }
    slice->place = thread_place(self, slice->place) & 0xFFFFFF;
    if (!slice->place)
        return false;
    if (role != ROLE_MARK)
        return true;
    int64_t id = self->process->mark_ids.items[slice->side];
    slice->side = 0;

    /* A mark bears its message, where there is one. */
    uint32_t message = map_get(&self->process->messages, id, 0);
    if (!message)
        return true;
    slice->name = message;
    if (slice->category != CATEGORY_SIGNPOST)
        try_op(self, index, trace_text(self->trace, message));
    return true;
}

static bool finish_slices(struct finish *self)
{
    size_t shapes = intern_count(&self->process->shapes) + 1;
    self->threads = memory_zeroed(self->process->thread_ids.count + 1, sizeof *self->threads);
    array_reserve(&self->shapes, shapes);
    memset(self->shapes.items, 0, shapes * sizeof *self->shapes.items);
    for (uint32_t i = 0; i < self->trace->slices.count; i++)
        if (!finish_slice(self, i))
            return false;
    return true;
}

/* ------------------------------------------------------------------ counters */

/* A kernel that only counters tell of. */
static void add_kernel(struct finish *self, const struct rocprof_collection *told)
{
    struct trace *trace = self->trace;
    uint32_t index = (uint32_t)trace->slices.count;
    struct slice *slice = array_push(&trace->slices);
    struct gpu_slice *gpu = array_push(&trace->gpus);
    struct dispatch *dispatch = array_push(&self->process->dispatches);
    *slice = (struct slice){.start = told->start,
                            .duration = told->duration,
                            .name = told->shape,
                            .uid = told->uid,
                            .category = CATEGORY_KERNEL,
                            .side = (uint32_t)trace->gpus.count - 1};
    *gpu = (struct gpu_slice){.slice = index,
                              .device = -1,
                              .stream = told->stream,
                              .bytes = NONE,
                              .correlation = told->correlation,
                              .external = NONE};
    *dispatch = (struct dispatch){index, told->number, told->thread};
}

/* The slice of each collection, + 1; 0 = none. */
static void find_kernels(struct finish *self, uint32_t *slices)
{
    struct rocprof_process *process = self->process;
    struct map numbers = {0};
    for (size_t i = 0; i < process->dispatches.count; i++) {
        const struct dispatch *dispatch = &process->dispatches.items[i];
        if (dispatch->number)
            map_set(&numbers, dispatch->number, 0, dispatch->slice + 1);
    }
    for (size_t i = 0; i < process->collections.count; i++) {
        const struct rocprof_collection *told = &process->collections.items[i];
        uint32_t *slice = told->number ? map_put(&numbers, told->number, 0) : NULL;
        slices[i] = slice ? *slice : 0;
        if (slices[i] || told->start == NONE)
            continue;
        add_kernel(self, told);
        slices[i] = (uint32_t)self->trace->slices.count;
        if (slice)
            *slice = slices[i];
    }
}

/* Several values of a counter for a dispatch are of a part of the accelerator each. */
static void add_values(struct finish *self, const uint32_t *slices)
{
    struct rocprof_process *process = self->process;
    struct map instances = {0}; /* slice, counter -> how many */
    for (size_t i = 0; i < process->values.count; i++) {
        const struct rocprof_value *value = &process->values.items[i];
        uint32_t slice = value->place < process->collections.count ? slices[value->place] : 0;
        if (!slice)
            continue;
        const struct slice *kernel = &self->trace->slices.items[slice - 1];
        int32_t device = self->trace->gpus.items[kernel->side].device;
        int64_t id = value->counter;
        char digits[32];
        struct counter counter = {.device = device < 0 ? NONE : device};
        counter.name = map_get(&self->process->counter_names, id, 0);
        snprintf(digits, sizeof digits, "%lld", (long long)id);
        if (!counter.name)
            keep(self, view_of(digits), &counter.name);
        keep(self, VIEW("counter_collection"), &counter.source);
        uint32_t number = counters_find(&process->counters, &counter);
        uint32_t *instance = map_put(&instances, slice, number);
        array_add(&process->counters.of_work,
                  (struct gpu_counter){(*instance)++, value->value, slice - 1, number});
    }
}

ORDER_BY(compare_values, struct gpu_counter, UP(slice) || UP(counter) || UP(instance));

/* ------------------------------------------------------------------ memory */

ORDER_BY(compare_records, struct memory_record, UP(time) || UP(uid));

/* Memory is freed by the address of its allocation. */
static void pair_memory(struct finish *self, struct map *blocks, size_t index, enum amd_memory what)
{
    struct memory_record *record = &self->trace->memory.items[index];
    uint32_t *block = record->address == NONE ? NULL : map_put(blocks, record->address, 0);
    if (what == AMD_MEMORY_FREED) {
        const struct memory_record *made =
            block && *block ? &self->trace->memory.items[*block - 1] : NULL;
        if (made && record->device < 0)
            record->device = made->device;
        if (made && made->bytes != NONE && (record->bytes == NONE || record->bytes == 0))
            record->bytes = made->bytes;
        record->bytes = record->bytes == NONE ? NONE : -record->bytes;
        if (block)
            *block = 0;
    } else if (block) {
        *block = (uint32_t)index + 1;
    }
}

static bool finish_memory(struct finish *self)
{
    struct map blocks = {0};
    bool done = true;
    array_sort(&self->trace->memory, compare_records);
    for (size_t i = 0; i < self->trace->memory.count && done; i++) {
        struct memory_record *record = &self->trace->memory.items[i];
        const struct rocprof_shape shape = shape_at(self, (uint32_t)record->allocated);
        uint32_t word = map_get(&self->process->words, value_of(&shape, RECORD_KIND),
                                value_of(&shape, RECORD_OPERATION));
        record->allocated = 0; /* all is of one kind */
        record->device = ordinal_of(agent_of(self, value_of(&shape, RECORD_AGENT)));
        record->place = thread_place(self, record->place);
        done = record->place;
        if (done)
            pair_memory(self, &blocks, i, amd_memory(trace_text(self->trace, word)));
    }
    if (!done)
        return false;
    trace_sum_memory(self->trace);
    return true;
}

/* ------------------------------------------------------------------ one trace */

static void finish_devices(struct finish *self)
{
    for (size_t i = 0; i < self->process->agent_list.count; i++) {
        const struct rocprof_agent *agent = &self->process->agent_list.items[i];
        if (!agent->is_gpu)
            continue;
        struct device *device = array_push(&self->trace->devices);
        *device = agent->device;
        device->ordinal = ordinal_of(agent);
    }
}

static bool finish_process(struct rocprof *reader, struct rocprof_process *process)
{
    struct finish self = {.reader = reader,
                          .process = process,
                          .trace = &process->trace,
                          .error = reader->error,
                          .desk.error = reader->error};
    note_count(&process->trace.notes, NOTE_CLOCK_MISSING, 1, -1, -1);
    uint32_t *collected = memory_zeroed(process->collections.count + 1, sizeof *collected);
    find_kernels(&self, collected);
    bool done = finish_slices(&self);
    if (done)
        add_values(&self, collected);
    done = done && finish_memory(&self);
    if (done) {
        finish_devices(&self);
        char digits[32];
        int length = snprintf(digits, sizeof digits, "%lld", (long long)self.process->pid);
        uint32_t pid = intern_find(&self.trace->strings, digits, (size_t)length);
        if (pid && process->command)
            array_add(&self.trace->labels,
                      (struct label){pid, 0, LABEL_PROCESS_NAME, process->command});

        /* The metadata says which process of the file it is of. */
        struct trace *trace = self.trace;
        struct text raw = trace->metadata;
        struct json_repairs ignored = {0};
        trace->metadata = (struct text){0};
        text_format(&raw, "%c\"process\":%lld}", raw.count ? ',' : '{',
                    (long long)self.process->entry);
        json_canonical(text_view(&raw), &trace->metadata, &ignored);

        /* Slices get their order, which lists beside them follow. */
        uint32_t *places;
        order_trace(self.trace, &places);
        op_ranges_sort(&process->op_ranges, places);
        dispatches_sort(&process->dispatches, places);
        struct counters *counters = &process->counters;
        for (size_t i = 0; i < counters->of_work.count; i++)
            counters->of_work.items[i].slice = places[counters->of_work.items[i].slice];
        array_sort(&counters->of_work, compare_values);
        counters_give(counters, self.trace);
        memory_free(places);
        facts_give(&self.trace->facts, &op_range_facts, &process->op_ranges);
        facts_give(&self.trace->facts, &dispatch_facts, &process->dispatches);
    }
    return done;
}

/* ------------------------------------------------------------------ all */

static int32_t device_of(const struct rocprof_process *process)
{
    return process->trace.gpus.count ? process->trace.gpus.items[0].device : 0;
}

/* Work first, then by device and process. */
ORDER_BY(compare_processes, struct rocprof_process *,
         BY_LESS((*b)->trace.gpus.count > 0, (*a)->trace.gpus.count > 0) ||
             BY_LESS(device_of(*a), device_of(*b)) || BY_LESS((*a)->pid, (*b)->pid) ||
             BY_LESS((*a)->entry, (*b)->entry));

bool rocprof_finish(struct rocprof *self, struct trace *first)
{
    size_t working = 0;
    if (!self->processes.count)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: the file of rocprofv3 has no process",
                         source_path(self->json.source));
    for (size_t i = 0; i < self->processes.count; i++) {
        if (!finish_process(self, self->processes.items[i]))
            return false;
        working += self->processes.items[i]->trace.gpus.count > 0;
    }
    array_sort(&self->processes, compare_processes);
    /* Processes with work sort first; several of them count as ranks. */
    for (size_t i = 0; i < working && working > 1; i++)
        self->processes.items[i]->trace.rank = (int64_t)i;
    if (working > 1)
        note_count(&self->processes.items[0]->trace.notes, NOTE_RANK_GUESSED, (int64_t)working, -1,
                   -1);
    for (size_t i = self->processes.count; i-- > 0;)
        trace_move(&self->processes.items[i]->trace, first, i == 0);
    return true;
}
