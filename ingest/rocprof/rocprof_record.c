/* rocprof_record: lists of records: what ran on an accelerator, calls, marks, memory. */
#include "ingest/rocprof/rocprof_reader.h"

#include "ingest/input/json_text.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ one record */

enum kind {
    NUMBER,    /* of the field */
    HANDLE,    /* the number that is the only member of an object, or that alone */
    THREE,     /* x, y and z: of the field and the two behind */
    GROUP,     /* an object with members of its own */
    VALUES,    /* what counters said, a list */
    ARGUMENTS, /* what a call was called with, any JSON */
    NOTHING,   /* of no use */
};

struct member {
    struct view key;
    enum kind kind;
    int field;
    const struct member *members;
};

static const struct member axes[] = {
    {VIEW_OF("x"), NUMBER, 0, NULL},
    {VIEW_OF("y"), NUMBER, 1, NULL},
    {VIEW_OF("z"), NUMBER, 2, NULL},
    {{0}, NOTHING, 0, NULL},
};

static const struct member dispatch_members[] = {
    {VIEW_OF("size"), NOTHING, 0, NULL},
    {VIEW_OF("agent_id"), HANDLE, RECORD_AGENT, NULL},
    {VIEW_OF("queue_id"), HANDLE, RECORD_QUEUE, NULL},
    {VIEW_OF("kernel_id"), NUMBER, RECORD_KERNEL, NULL},
    {VIEW_OF("dispatch_id"), NUMBER, RECORD_DISPATCH, NULL},
    {VIEW_OF("private_segment_size"), NUMBER, RECORD_SCRATCH, NULL},
    {VIEW_OF("group_segment_size"), NUMBER, RECORD_SHARED, NULL},
    {VIEW_OF("workgroup_size"), THREE, RECORD_BLOCK, axes},
    {VIEW_OF("grid_size"), THREE, RECORD_GRID, axes},
    {{0}, NOTHING, 0, NULL},
};

static const struct member correlation_members[] = {
    {VIEW_OF("internal"), NUMBER, RECORD_INTERNAL, NULL},
    {VIEW_OF("external"), HANDLE, RECORD_EXTERNAL, NULL},
    {VIEW_OF("ancestor"), NOTHING, 0, NULL},
    {{0}, NOTHING, 0, NULL},
};

/* The dispatch that counters are about. */
static const struct member collection_members[] = {
    {VIEW_OF("size"), NOTHING, 0, NULL},
    {VIEW_OF("correlation_id"), GROUP, 0, correlation_members},
    {VIEW_OF("start_timestamp"), NUMBER, RECORD_START, NULL},
    {VIEW_OF("end_timestamp"), NUMBER, RECORD_END, NULL},
    {VIEW_OF("dispatch_info"), GROUP, 0, dispatch_members},
    {{0}, NOTHING, 0, NULL},
};

/* In the order in which they are mostly written. */
static const struct member members[] = {
    {VIEW_OF("size"), NOTHING, 0, NULL},
    {VIEW_OF("kind"), NUMBER, RECORD_KIND, NULL},
    {VIEW_OF("operation"), NUMBER, RECORD_OPERATION, NULL},
    {VIEW_OF("thread_id"), NUMBER, RECORD_THREAD, NULL},
    {VIEW_OF("correlation_id"), GROUP, 0, correlation_members},
    {VIEW_OF("start_timestamp"), NUMBER, RECORD_START, NULL},
    {VIEW_OF("end_timestamp"), NUMBER, RECORD_END, NULL},
    {VIEW_OF("dispatch_info"), GROUP, 0, dispatch_members},
    {VIEW_OF("stream_id"), HANDLE, RECORD_STREAM, NULL},
    {VIEW_OF("dst_agent_id"), HANDLE, RECORD_TARGET, NULL},
    {VIEW_OF("src_agent_id"), HANDLE, RECORD_SOURCE, NULL},
    {VIEW_OF("bytes"), NUMBER, RECORD_BYTES, NULL},
    {VIEW_OF("agent_id"), HANDLE, RECORD_AGENT, NULL},
    {VIEW_OF("queue_id"), HANDLE, RECORD_QUEUE, NULL},
    {VIEW_OF("address"), HANDLE, RECORD_ADDRESS, NULL},
    {VIEW_OF("allocation_size"), NUMBER, RECORD_BYTES, NULL},
    {VIEW_OF("flags"), HANDLE, RECORD_FLAGS, NULL},
    {VIEW_OF("args"), ARGUMENTS, 0, NULL},
    {VIEW_OF("dispatch_data"), GROUP, 0, collection_members},
    {VIEW_OF("records"), VALUES, 0, NULL},
    {VIEW_OF("lds_block_size_v"), NOTHING, 0, NULL},
    {VIEW_OF("arch_vgpr_count"), NOTHING, 0, NULL},
    {VIEW_OF("sgpr_count"), NOTHING, 0, NULL},
    {VIEW_OF("dst_address"), NOTHING, 0, NULL},
    {VIEW_OF("src_address"), NOTHING, 0, NULL},
    {VIEW_OF("retval"), NOTHING, 0, NULL},
    {{0}, NOTHING, 0, NULL},
};

/* Addresses are texts to some: up to 16 digits. */
static bool hexadecimal(struct view text, int64_t *number)
{
    char digits[19], *end;
    bool is_one = text.length > 2 && text.length < sizeof digits && text.bytes[0] == '0' &&
                  (text.bytes[1] == 'x' || text.bytes[1] == 'X');
    if (!is_one)
        return false;
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    *number = (int64_t)strtoull(digits, &end, 16);
    return !*end;
}

static bool read_number(struct rocprof *self, int field)
{
    struct json_value value;
    if (!json_value(&self->json, &value))
        return false;
    int64_t number;
    struct view text = json_view(&self->json, value.span);
    bool is_text = value.type == JSON_STRING;
    if (value.type != JSON_NULL) {
        if ((value.type != JSON_NUMBER && !is_text) || value.cut ||
            (!json_whole(text, &number) && !(is_text && hexadecimal(text, &number))) ||
            number == NONE)
            rocprof_note(self, NOTE_VALUE_ODD);
        else
            self->values[field] = number;
    }
    return true;
}

static bool read_members(struct rocprof *self, const struct member *known, int field);

/* The only member of an object. */
static bool read_handle(struct rocprof *self, int field)
{
    struct json *json = &self->json;
    struct json_value key;
    enum json_step step;
    bool first = true;
    if (json_peek(json) != '{')
        return read_number(self, field);
    json_accept(json);
    while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM)
        if (!read_number(self, field))
            return false;
    return step == JSON_STEP_END;
}

static bool read_real(struct rocprof *self, double *real)
{
    struct json_value value;
    char digits[64], *end;
    if (!json_value(&self->json, &value))
        return false;
    struct view text = json_view(&self->json, value.span);
    *real = NAN;
    bool is_number = value.type == JSON_NUMBER || value.type == JSON_STRING;
    if (is_number && text.length && text.length < sizeof digits) {
        memcpy(digits, text.bytes, text.length);
        digits[text.length] = '\0';
        *real = strtod(digits, &end);
        *real = *end ? NAN : *real;
    }
    if (!isfinite(*real))
        rocprof_note(self, NOTE_VALUE_ODD);
    return true;
}

/* A counter and its value. */
static bool read_value(struct rocprof *self)
{
    struct json *json = &self->json;
    struct json_value key, ignored;
    enum json_step step;
    struct rocprof_value said = {.value = NAN};
    bool first = true, done = true;
    self->values[RECORD_COUNTER] = NONE;
    if (json_peek(json) != '{')
        return rocprof_pass(self, NOTE_NOT_AN_OBJECT);
    json_accept(json);
    while (done && (step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM)
        if (view_equal(json_view(json, key.span), VIEW("counter_id")))
            done = read_handle(self, RECORD_COUNTER);
        else if (view_equal(json_view(json, key.span), VIEW("value")))
            done = read_real(self, &said.value);
        else
            done = json_value(json, &ignored);
    if (!done || step != JSON_STEP_END)
        return false;
    said.counter = self->values[RECORD_COUNTER];
    said.place = (uint32_t)self->process->collections.count;
    if (said.counter == NONE || !isfinite(said.value))
        return true;
    struct rocprof_value *added = array_push(&self->process->values);
    *added = said;
    return true;
}

static bool read_as(struct rocprof *self, const struct member *known, int field)
{
    struct json *json = &self->json;
    struct json_value value;
    switch (known->kind) {
    case NUMBER:
        return read_number(self, field + known->field);
    case HANDLE:
        return read_handle(self, known->field);
    case THREE:
    case GROUP:
        if (json_peek(json) == '{')
            return read_members(self, known->members, known->field);
        return rocprof_pass(self, NOTE_VALUE_ODD);
    case VALUES: {
        bool first = true;
        enum json_step step;
        if (json_peek(json) != '[')
            return rocprof_pass(self, NOTE_VALUE_ODD);
        json_accept(json);
        while ((step = json_next_item(json, &first)) == JSON_STEP_ITEM)
            if (!read_value(self))
                return false;
        return step == JSON_STEP_END;
    }
    case ARGUMENTS:
        return json_value(json, &self->arguments);
    case NOTHING:
        break;
    }
    return json_value(json, &value);
}

static const struct member *find_member(const struct member *known, struct view key)
{
    while (known->key.length && !view_equal(known->key, key))
        known++;
    return known->key.length ? known : NULL;
}

static bool read_members(struct rocprof *self, const struct member *known, int field)
{
    struct json *json = &self->json;
    struct json_value key, value;
    enum json_step step;
    bool first = true;
    json_accept(json);
    while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM) {
        const struct member *found = find_member(known, json_view(json, key.span));
        if (!found) {
            rocprof_note(self, NOTE_MEMBER_UNUSED);
            if (!json_value(json, &value))
                return false;
        } else if (!read_as(self, found, field)) {
            return false;
        }
    }
    return step == JSON_STEP_END;
}

/* ------------------------------------------------------------------ what it becomes */

/* False when it has no time that could be used. */
static bool record_time(struct rocprof *self, int64_t *start, int64_t *duration)
{
    *start = self->values[RECORD_START];
    if (*start == NONE) {
        rocprof_note(self, NOTE_TIME_MISSING);
        return false;
    }
    if (*start > TIME_MAX || *start < -TIME_MAX) {
        rocprof_note(self, NOTE_TIME_OUT_OF_RANGE);
        return false;
    }
    if (self->values[RECORD_END] == NONE ||
        __builtin_sub_overflow(self->values[RECORD_END], *start, duration)) {
        rocprof_note(self, NOTE_DURATION_MISSING);
        *duration = 0;
        return true;
    }
    struct trace *trace = &self->process->trace;
    trace_clip(trace, duration, trace->events, self->json.mark_offset);
    return true;
}

static uint32_t shape_of(struct rocprof *self)
{
    return intern_add(&self->process->shapes, self->values, sizeof(struct rocprof_shape));
}

/* The number of the record's thread, from 1; 0 = there are too many. */
static uint32_t thread_of(struct rocprof *self)
{
    struct rocprof_process *process = self->process;
    uint32_t *known = map_put(&process->threads, self->values[RECORD_THREAD], 0);
    if (!*known) {
        array_add(&process->thread_ids, self->values[RECORD_THREAD]);
        *known = (uint32_t)process->thread_ids.count;
    }
    if (*known >= 1u << 24)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: more than %u threads",
                         source_path(self->json.source), (1u << 24) - 1),
               0;
    return *known;
}

/* Adds a slice; NULL: it has no time. */
static struct slice *add_slice(struct rocprof *self, enum category category)
{
    struct trace *trace = &self->process->trace;
    struct slice made = {.uid = (uint32_t)trace->events, .category = (unsigned)category & 0xFF};
    bool has_time = record_time(self, &made.start, &made.duration);
    self->values[RECORD_LIST] = (int64_t)category;
    if (!has_time)
        return NULL;
    made.name = shape_of(self);
    struct slice *slice = array_push(&trace->slices);
    *slice = made;
    return slice;
}

/* A GPU activity; NULL: it has no time. */
static const struct slice *rocprof_record_add_work(struct rocprof *self, enum category category)
{
    struct trace *trace = &self->process->trace;
    struct slice *slice = add_slice(self, category);
    if (!slice)
        return NULL;
    struct gpu_slice *gpu = array_push(&trace->gpus);
    int64_t external = self->values[RECORD_EXTERNAL];
    *gpu = (struct gpu_slice){
        .slice = (uint32_t)trace->slices.count - 1,
        .device = -1,
        .stream = self->values[RECORD_STREAM],
        .bytes = self->values[RECORD_BYTES],
        .correlation = self->values[RECORD_INTERNAL] > 0 ? self->values[RECORD_INTERNAL] : NONE,
        .external = external == 0 ? NONE : external,
    };
    slice->side = (uint32_t)trace->gpus.count - 1;
    return slice;
}

static bool read_copy(struct rocprof *self, enum category category)
{
    rocprof_record_add_work(self, category);
    return true;
}

static bool read_dispatch(struct rocprof *self, enum category category)
{
    const struct slice *slice = rocprof_record_add_work(self, category);
    uint32_t number = dispatch_number(self->values[RECORD_DISPATCH]);
    uint32_t thread = dispatch_number(self->values[RECORD_THREAD]);
    if (!slice || (!number && !thread))
        return true;
    struct dispatch *dispatch = array_push(&self->process->dispatches);
    *dispatch = (struct dispatch){(uint32_t)self->process->trace.slices.count - 1, number, thread};
    return true;
}

/* The arguments of a call, but for values that are only true in that process. */
static bool call_arguments(struct rocprof *self, uint32_t *number)
{
    struct trace *trace = &self->process->trace;
    if (self->arguments.type != JSON_OBJECT && self->arguments.type != JSON_ARRAY)
        return true;
    if (self->arguments.cut) {
        rocprof_note(self, NOTE_VALUE_CUT);
        return true;
    }
    struct view raw = json_view(&self->json, self->arguments.span);
    if (!rocprof_canonical(self, raw))
        return false;
    text_clear(&self->raw);
    bool is_object = self->arguments.type == JSON_OBJECT;
    if (self->canonical.count <= 2)
        return true;
    if (is_object)
        text_add(&self->raw, self->canonical.items, self->canonical.count);
    else
        text_format(&self->raw, "{\"args\":%s}", self->canonical.items);
    *number = intern_add(&trace->arguments, self->raw.items, self->raw.count);
    return true;
}

static bool add_call(struct rocprof *self, enum category category)
{
    struct trace *trace = &self->process->trace;
    uint32_t thread = thread_of(self);
    struct slice *slice = thread ? add_slice(self, category) : NULL;
    if (!slice)
        return thread;
    slice->place = thread & 0xFFFFFF;
    if (!call_arguments(self, &slice->arguments))
        return false;
    if (category_role((int)category) != ROLE_CALL)
        return true;
    struct call_slice *call = array_push(&trace->calls);
    *call = (struct call_slice){
        .slice = (uint32_t)trace->slices.count - 1,
        .correlation = self->values[RECORD_INTERNAL] > 0 ? self->values[RECORD_INTERNAL] : NONE,
        .external = NONE,
    };
    slice->side = (uint32_t)trace->calls.count - 1;
    return true;
}

static bool read_mark(struct rocprof *self, enum category category)
{
    struct rocprof_process *process = self->process;
    uint32_t thread = thread_of(self);
    struct slice *slice = thread ? add_slice(self, category) : NULL;
    if (!slice)
        return thread;
    slice->place = thread & 0xFFFFFF;
    array_add(&process->mark_ids, self->values[RECORD_INTERNAL]);
    slice->side = (uint32_t)process->mark_ids.count - 1;
    return true;
}

/* Records that state how much and where become records of memory; what they did, and on which
 * device, is told at the end. */
static bool read_memory(struct rocprof *self, enum category category)
{
    (void)category;
    struct trace *trace = &self->process->trace;
    int64_t start, duration;
    if (!record_time(self, &start, &duration))
        return true;
    uint32_t thread = thread_of(self);
    if (!thread)
        return false;
    struct memory_record *record = array_push(&trace->memory);
    *record = (struct memory_record){
        .time = start,
        .bytes = self->values[RECORD_BYTES],
        .address = self->values[RECORD_ADDRESS],
        .allocated = shape_of(self),
        .reserved = NONE,
        .device_type = 1,
        .device = -1,
        .place = thread,
        .uid = (uint32_t)trace->events,
    };
    return true;
}

/* Memory of kernels that have more variables than registers. */
static bool read_scratch(struct rocprof *self, enum category category)
{
    (void)category;
    struct rocprof_process *process = self->process;
    if (!process->scratch_category)
        process->scratch_category =
            (uint32_t)trace_category(&process->trace, VIEW("scratch_memory"));
    self->values[RECORD_SHARED] = self->values[RECORD_BYTES]; /* part of what is told of it */
    return add_call(self, (enum category)process->scratch_category);
}

/* The values that counters had go to the dispatch; without a time of its own it can only be one
 * that stands among kernels. */
static bool read_collection(struct rocprof *self, enum category category)
{
    struct rocprof_process *process = self->process;
    struct rocprof_collection made = {
        .start = self->values[RECORD_START],
        .stream = self->values[RECORD_STREAM],
        .correlation = self->values[RECORD_INTERNAL] > 0 ? self->values[RECORD_INTERNAL] : NONE,
        .number = dispatch_number(self->values[RECORD_DISPATCH]),
        .thread = dispatch_number(self->values[RECORD_THREAD]),
        .uid = (uint32_t)process->trace.events,
    };
    if (made.start != NONE && !record_time(self, &made.start, &made.duration))
        made.start = NONE;
    self->values[RECORD_LIST] = (int64_t)category;
    self->values[RECORD_KIND] = self->values[RECORD_OPERATION] = NONE;
    made.shape = shape_of(self);
    array_add(&process->collections, made);
    return true;
}

/* ------------------------------------------------------------------ lists */

struct rocprof_list {
    struct view key;
    bool (*read)(struct rocprof *self, enum category category);
    enum category category;
};

static const struct rocprof_list callbacks[] = {
    {VIEW_OF("counter_collection"), read_collection, CATEGORY_KERNEL}, {{0}, NULL, CATEGORY_NONE}};

static const struct rocprof_list lists[] = {
    {VIEW_OF("kernel_dispatch"), read_dispatch, CATEGORY_KERNEL},
    {VIEW_OF("memory_copy"), read_copy, CATEGORY_MEMCPY},
    {VIEW_OF("hip_api"), add_call, CATEGORY_RUNTIME},
    {VIEW_OF("hsa_api"), add_call, CATEGORY_DRIVER},
    {VIEW_OF("marker_api"), read_mark, CATEGORY_MARK},
    {VIEW_OF("rccl_api"), add_call, CATEGORY_LIBRARY_CALL},
    {VIEW_OF("rocdecode_api"), add_call, CATEGORY_LIBRARY_CALL},
    {VIEW_OF("rocjpeg_api"), add_call, CATEGORY_LIBRARY_CALL},
    {VIEW_OF("memory_allocation"), read_memory, CATEGORY_NONE},
    {VIEW_OF("scratch_memory"), read_scratch, CATEGORY_NONE},
    {{0}, NULL, CATEGORY_NONE},
};

static bool read_record(struct rocprof *self)
{
    struct trace *trace = &self->process->trace;
    if (trace->events >= UINT32_MAX)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: more than %u records",
                         source_path(self->json.source), UINT32_MAX);
    for (size_t i = 0; i < RECORD_COUNT; i++)
        self->values[i] = NONE;
    self->arguments.type = JSON_NULL;
    bool done = json_peek(&self->json) == '{'
                    ? read_members(self, members, 0) && self->list->read(self, self->list->category)
                    : rocprof_pass(self, NOTE_NOT_AN_OBJECT);
    trace->events += done;
    return done;
}

/* Records of a kind that is not read are counted. */
static bool pass_record(struct rocprof *self)
{
    return rocprof_pass(self, NOTE_TABLE_UNUSED);
}

static bool read_list(struct rocprof *self, struct view key)
{
    self->list = self->lists;
    while (self->list->read && !view_equal(key, self->list->key))
        self->list++;
    return rocprof_each(self, self->list->read ? read_record : pass_record);
}

static bool read_lists(struct rocprof *self, const struct rocprof_list *known)
{
    self->lists = known;
    return json_peek(&self->json) == '{' ? rocprof_each_key(self, read_list)
                                         : rocprof_each(self, pass_record);
}

bool rocprof_read_records(struct rocprof *self)
{
    return read_lists(self, lists);
}

bool rocprof_read_callbacks(struct rocprof *self)
{
    return read_lists(self, callbacks);
}
