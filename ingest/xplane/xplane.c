/* xplane: profiles of JAX and other users of XLA; the two passes over the file, as
 * xplane_reader.h has them. */
#include "ingest/input/json_text.h"
#include "ingest/xplane/xplane_fields.h"
#include "ingest/xplane/xplane_reader.h"

#include <stdio.h>
#include <string.h>

/* Stats of types that are longer than this are programs, or nothing that one would look for. */
enum { KEPT_STAT_MAX = 16 << 10 };

static bool read_text(struct xplane *self, uint32_t *number)
{
    struct message span;
    if (!wire_bytes(&self->wire, &span))
        return false;
    xplane_text(self, message_view(span), number);
    return true;
}

/* Enters the field in hand, and leaves it when the function has gone through it. */
#define INSIDE(self, call) (wire_enter(&(self)->wire) && (call) && wire_leave(&(self)->wire))

/* ------------------------------------------------------------------ the first pass: names */

static bool keep_stat(struct xplane *self, const struct wire_field *field)
{
    struct message span;
    if (field->value > KEPT_STAT_MAX)
        return true;
    if (!wire_bytes(&self->wire, &span))
        return false;
    xplane_keep_stat(self, span);
    return true;
}

static bool read_type(struct xplane *self, struct event_type *type)
{
    struct wire_field field;
    enum wire_step step;
    bool done = true;
    type->first_stat = (uint32_t)self->stats.count;
    while (done && (step = wire_next(&self->wire, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            return false;
        if (field.type != WIRE_LENGTH)
            continue;
        if (field.number == XEVENT_METADATA_NAME)
            done = read_text(self, &type->name);
        else if (field.number == XEVENT_METADATA_DISPLAY_NAME)
            done = read_text(self, &type->display_name);
        else if (field.number == XEVENT_METADATA_STATS)
            done = keep_stat(self, &field);
    }
    type->stat_bytes = (uint32_t)self->stats.count - type->first_stat;
    return done;
}

static bool read_type_entry(struct xplane *self)
{
    struct event_type type = {0};
    struct wire_field field;
    enum wire_step step;
    int64_t id = 0;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.number == MAP_KEY && field.type == WIRE_VARINT)
            id = (int64_t)field.value;
        else if (field.number == MAP_VALUE && field.type == WIRE_LENGTH &&
                 !INSIDE(self, read_type(self, &type)))
            return false;
    }
    if (step == WIRE_FAILED)
        return false;

    /* Events of the profiler's own, and those about memory. */
    static const char *const internal[] = {
        "PrefetchProduce",           "PrefetchConsume",     "ParallelInterleaveProduce",
        "ParallelInterleaveConsume", "ParallelMapProduce",  "ParallelInterleaveInitializeInput",
        "ParallelMapConsume",        "MapAndBatchProduce",  "MapAndBatchConsume",
        "ParseExampleProduce",       "ParseExampleConsume",
    };
    struct view name = trace_text(self->trace, type.name);
    type.is_internal |= VIEW_IS_AMONG(name, internal);
    type.allocates = view_equal(name, VIEW("MemoryAllocation"));
    type.frees = view_equal(name, VIEW("MemoryDeallocation"));
    if (trace_text(self->trace, type.display_name).length == 0)
        type.display_name = 0;
    struct event_type *added = array_push(&self->types);
    uint32_t *place = map_put(&self->type_of, (int64_t)self->planes.count - 1, id);
    *added = type;
    *place = (uint32_t)self->types.count;
    return true;
}

static bool read_stat_name(struct xplane *self, uint32_t *name)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD)
        if (field.number == XSTAT_METADATA_NAME && field.type == WIRE_LENGTH &&
            !read_text(self, name))
            return false;
    return step == WIRE_END;
}

static bool read_stat_entry(struct xplane *self)
{
    struct wire_field field;
    enum wire_step step;
    int64_t id = 0;
    uint32_t name = 0;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.number == MAP_KEY && field.type == WIRE_VARINT)
            id = (int64_t)field.value;
        else if (field.number == MAP_VALUE && field.type == WIRE_LENGTH &&
                 !INSIDE(self, read_stat_name(self, &name)))
            return false;
    }
    if (step == WIRE_FAILED)
        return false;
    if (!name)
        return true;
    map_set(&self->stat_of, (int64_t)self->planes.count - 1, id, name);
    return true;
}

/* The purpose of a plane, by its name. */
static void judge_plane(const struct xplane *self, struct plane *plane)
{
    static const struct {
        const char *prefix;
        enum plane_kind kind;
        int64_t first;
    } kinds[] = {
        {"/device:GPU:", PLANE_GPU, 1},
        {"/device:TPU:", PLANE_TPU, 1},
        {"/device:CUSTOM:", PLANE_CUSTOM, 501},
    };
    enum { HOST_PROCESS = 701, OTHER_PROCESS = 1001 };
    struct view name = trace_text(self->trace, plane->name);
    plane->process = OTHER_PROCESS + (int64_t)self->planes.count - 1;
    plane->device = -1;
    if (view_equal(name, VIEW("/host:metadata")))
        plane->kind = PLANE_PROGRAMS;
    if (view_equal(name, VIEW("/host:CPU"))) {
        plane->kind = PLANE_HOST;
        plane->process = HOST_PROCESS;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!view_starts_with(name, kinds[i].prefix))
            continue;
        plane->kind = kinds[i].kind;
        if (plane->id >= 0 && plane->id < INT32_MAX)
            plane->process = kinds[i].first + plane->id;
        if (plane->kind == PLANE_CUSTOM)
            continue;
        int64_t number = 0;
        size_t at = strlen(kinds[i].prefix), digits = at;
        while (at < name.length && at - digits < 9 && name.bytes[at] >= '0' &&
               name.bytes[at] <= '9')
            number = number * 10 + (name.bytes[at++] - '0');
        if (at > digits)
            plane->device = (int32_t)number;
    }
}

/* The properties of an accelerator, or the time of the profile. */
static bool read_properties(struct xplane *self, const struct plane *plane)
{
    static const struct view times[] = {VIEW_OF("profile_start_time"),
                                        VIEW_OF("profile_stop_time")};
    bool is_device = plane->kind == PLANE_GPU || plane->kind == PLANE_TPU;
    struct device device = {
        .ordinal = plane->device < 0 ? NONE : plane->device, .memory_bytes = NONE, .cores = NONE};
    int64_t major = NONE, minor = NONE;
    struct text *json = &self->json;
    uint32_t at = plane->first_stat, end = at + plane->stat_bytes;
    self->plane = (uint32_t)self->planes.count - 1;
    self->trace->allowance.input = (uint64_t)wire_offset(&self->wire);
    text_clear(json);
    text_add_byte(json, '{');
    for (struct message span; (span = xplane_kept_stat(self, &at, end)).at;) {
        struct stat stat;
        struct text value = {0};
        if (!xplane_stat(self, span, &stat, &value)) {
            text_free(&value);
            return false;
        }
        struct view name = trace_text(self->trace, stat.name);
        if (!stat.is_empty && !stat.is_cut) {
            if (json->count != 1)
                text_add_byte(json, ',');
            text_add_json(json, name);
            text_add_byte(json, ':');
            text_add(json, value.items, value.count);
        }
        text_free(&value);
        for (int i = 0; i < 2; i++)
            if (view_equal(name, times[i]))
                *(i ? &self->stop_time : &self->start_time) = stat.integer;
        if (view_equal(name, VIEW("core_count")))
            device.cores = stat.integer;
        else if (view_equal(name, VIEW("memory_size")))
            device.memory_bytes = stat.integer;
        else if (view_equal(name, VIEW("compute_cap_major")))
            major = stat.integer;
        else if (view_equal(name, VIEW("compute_cap_minor")))
            minor = stat.integer;
        else if (view_equal(name, VIEW("device_type_string")) ||
                 (view_equal(name, VIEW("device_vendor")) && !device.name))
            device.name = stat.text;
    }
    text_add_byte(json, '}');
    if (!is_device)
        return true;
    char capability[48];
    if (major != NONE) {
        snprintf(capability, sizeof capability, "%lld.%lld", (long long)major,
                 (long long)(minor == NONE ? 0 : minor));
        device.architecture = intern_add(&self->trace->strings, capability, strlen(capability));
    }
    text_clear(&self->scratch);
    struct json_repairs repairs = {0};
    json_canonical(text_view(json), &self->scratch, &repairs);
    device.properties = intern_add(&self->trace->strings, self->scratch.items, self->scratch.count);
    array_add(&self->trace->devices, device);
    return true;
}

static bool read_plane_names(struct xplane *self)
{
    struct plane *plane = array_push(&self->planes);
    *plane = (struct plane){.device = -1};
    struct text own = {0}; /* stats of the plane, which may stand between those of types */
    struct wire_field field;
    enum wire_step step = WIRE_END;
    struct message span;
    bool done = true;
    while (done && (step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.number == XPLANE_ID && field.type == WIRE_VARINT)
            plane->id = (int64_t)field.value;
        if (field.type != WIRE_LENGTH)
            continue;
        if (field.number == XPLANE_NAME)
            done = read_text(self, &plane->name);
        else if (field.number == XPLANE_EVENT_METADATA)
            done = INSIDE(self, read_type_entry(self));
        else if (field.number == XPLANE_STAT_METADATA)
            done = INSIDE(self, read_stat_entry(self));
        else if (field.number == XPLANE_STATS && field.value <= KEPT_STAT_MAX) {
            uint32_t length = (uint32_t)field.value;
            done = wire_bytes(&self->wire, &span);
            if (done) {
                text_add(&own, &length, sizeof length);
                text_add(&own, span.at, length);
            }
        }
    }
    judge_plane(self, plane); /* also a broken plane */
    if (done && step == WIRE_END) {
        plane->first_stat = (uint32_t)self->stats.count;
        plane->stat_bytes = (uint32_t)own.count;
        if (own.count >= UINT32_MAX - self->stats.count)
            memory_fail();
        text_add(&self->stats, own.items ? own.items : "", own.count);
        done = read_properties(self, plane);
    }
    text_free(&own);
    return done && step == WIRE_END;
}

/* Messages of the profiler, and the name of the host. */
static bool read_message(struct xplane *self, uint32_t field)
{
    uint32_t text;
    if (!read_text(self, &text))
        return false;
    if (field == XSPACE_HOSTNAMES) {
        if (!self->host)
            self->host = text;
        return true;
    }
    text_add_byte(&self->messages, self->messages.count ? ',' : '[');
    text_add_json(&self->messages, trace_text(self->trace, text));
    return true;
}

static bool read_names(struct xplane *self)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_LENGTH)
            continue;
        if (field.number == XSPACE_PLANES && !INSIDE(self, read_plane_names(self)))
            return false;
        if (field.number >= XSPACE_ERRORS && field.number <= XSPACE_HOSTNAMES &&
            !read_message(self, field.number))
            return false;
    }
    return step == WIRE_END;
}

/* ------------------------------------------------------------------ the second pass: lines */

struct line {
    int64_t id, display_id, start;
    uint32_t name, display_name;
};

static void add_label(struct xplane *self, struct place place, enum label_kind kind,
                      struct view text)
{
    uint32_t number;
    xplane_text(self, text, &number);
    struct label *label = array_push(&self->trace->labels);
    bool is_thread = kind == LABEL_THREAD_NAME;
    *label = (struct label){place.process, is_thread ? place.thread : 0, kind, number};
}

/* Lines with the same number in a plane are one thread. */
static uint32_t find_place(struct xplane *self, const struct line *line)
{
    const struct plane *plane = &self->planes.items[self->plane];
    uint32_t thread = (uint32_t)(line->display_id ? line->display_id : line->id);
    char process_digits[24], thread_digits[24];
    snprintf(process_digits, sizeof process_digits, "%lld", (long long)plane->process);
    snprintf(thread_digits, sizeof thread_digits, "%lu", (unsigned long)thread);
    struct intern *strings = &self->trace->strings;
    struct place found = {intern_add(strings, process_digits, strlen(process_digits)),
                          intern_add(strings, thread_digits, strlen(thread_digits))};
    size_t before = intern_count(&self->trace->places);
    uint32_t place = intern_add(&self->trace->places, &found, sizeof found);
    if (place >= 1u << 24)
        memory_fail();
    if (place <= before)
        return place;
    array_add(&self->homes, (struct home){plane->device, plane->kind == PLANE_TPU});
    struct text name = {0};
    struct view host = trace_text(self->trace, self->host),
                plane_name = trace_text(self->trace, plane->name);
    text_add_view(&name, host);
    text_add_byte(&name, ' ');
    text_add_view(&name, plane_name);
    add_label(self, found, LABEL_PROCESS_NAME, text_view(&name));
    add_label(self, found, LABEL_THREAD_NAME,
              trace_text(self->trace, line->display_name ? line->display_name : line->name));
    text_free(&name);
    return place;
}

static bool starts_ignoring_case(struct view text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text.length >= length &&
           view_equal_ignoring_case((struct view){text.bytes, length}, view_of(prefix));
}

/* True if a line of a plane has what an accelerator did. */
static bool has_work(const struct plane *plane, const struct line *line, struct view name)
{
    enum { NAMELESS_MAX = 100 }; /* streams without a name have small numbers */
    uint32_t thread = (uint32_t)(line->display_id ? line->display_id : line->id);
    switch (plane->kind) {
    case PLANE_GPU:
        return view_starts_with(name, "Stream") || (!name.length && thread < NAMELESS_MAX);
    case PLANE_TPU:
        return view_equal(name, VIEW("XLA Ops"));
    default:
        return false;
    }
}

/* A TPU computes a plain copy; what it moves beside its computing has a start and an end. */
static enum category category_of_work(const struct plane *plane, struct view name)
{
    bool is_tpu = plane->kind == PLANE_TPU;
    size_t skip = is_tpu && name.length && *name.bytes == '%';
    name = (struct view){name.bytes + skip, name.length - skip};
    if (starts_ignoring_case(name, is_tpu ? "copy-start" : "copy") ||
        starts_ignoring_case(name, is_tpu ? "copy-done" : "copy") ||
        starts_ignoring_case(name, "memcpy"))
        return CATEGORY_MEMCPY;
    return starts_ignoring_case(name, "memset") ? CATEGORY_MEMSET : CATEGORY_KERNEL;
}

/* On the host, what has a correlation id launched something, whatever it is called. */
static enum category category_on_host(const struct xplane *self, const struct slice *slice,
                                      const struct event_extra *extra)
{
    struct view name = trace_text(self->trace, slice->name);
    if (extra->correlation != NONE)
        return CATEGORY_RUNTIME;
    if (extra->detail && self->details.items[extra->detail - 1].step != NONE)
        return CATEGORY_MARK;
    return name.length && *name.bytes == '$' ? CATEGORY_FRAME : CATEGORY_OP;
}

static void drop_line(struct xplane *self, enum note kind)
{
    struct trace *trace = self->trace;
    size_t count = trace->slices.count - self->line_start;
    if (count)
        note_count(&trace->notes, kind, (int64_t)count, -1, wire_offset(&self->wire));
    trace->slices.count = self->extras.count = self->line_start;
    trace->memory.count = self->line_memory;
    self->contexts.count = self->line_contexts;
}

/* Counters are no slices, but have places in the order of events. */
static void count_counters(struct xplane *self)
{
    struct trace *trace = self->trace;
    size_t count = trace->slices.count - self->line_start;
    array_add(&self->counters,
              (struct counters){self->planes.items[self->plane].process, (int64_t)count});
    note_add(&trace->notes.phases['C'], (int64_t)count, -1, -1);
    trace->slices.count = self->extras.count = self->line_start;
}

/* Times so far that no sum of them gets beyond 64 bits. */
enum { CLOCK_BITS = 62 };

/* The name and the start of a line may stand behind its events, so they get theirs at its end. */
static void finish_line(struct xplane *self, const struct line *line)
{
    struct trace *trace = self->trace;
    const struct plane *plane = &self->planes.items[self->plane];
    struct view name =
        trace_text(self->trace, line->display_name ? line->display_name : line->name);
    if (trace->slices.count == self->line_start && trace->memory.count == self->line_memory)
        return;
    if (view_equal(name, VIEW("Async XLA Ops"))) {
        drop_line(self, NOTE_LINE_LEFT_OUT);
        return;
    }
    if (view_equal(trace_text(self->trace, line->name), VIEW("_counters_"))) {
        count_counters(self);
        return;
    }
    uint32_t place = find_place(self, line);
    bool is_work = has_work(plane, line, name);
    bool is_host = plane->kind == PLANE_HOST;
    bool is_device = plane->kind == PLANE_GPU || plane->kind == PLANE_TPU;
    for (size_t i = self->line_start; i < trace->slices.count; i++) {
        struct slice *slice = &trace->slices.items[i];
        slice->place = place & 0xFFFFFF;

        /* Times count from the start of the line. */
        const int64_t most = (int64_t)1 << CLOCK_BITS;
        if (slice->duration > DURATION_MAX) {
            note_count(&self->trace->notes, NOTE_DURATION_CLIPPED, 1, -1, wire_offset(&self->wire));
            slice->duration = DURATION_MAX;
        }
        if (__builtin_add_overflow(slice->start, line->start, &slice->start) ||
            slice->start >= most || slice->start <= -most) {
            note_count(&trace->notes, NOTE_TIME_OUT_OF_RANGE, 1, -1, wire_offset(&self->wire));
            slice->name = 0; /* left out at the end */
            slice->start = 0;
        }
        enum category category = is_device ? CATEGORY_GPU_MARK : CATEGORY_NONE;
        if (slice->name)
            category = is_work   ? category_of_work(plane, trace_text(self->trace, slice->name))
                       : is_host ? category_on_host(self, slice, &self->extras.items[i])
                                 : category;
        slice->category = (uint8_t)category;
    }
    for (size_t i = self->line_memory; i < trace->memory.count; i++) {
        struct memory_record *record = &trace->memory.items[i];
        record->place = place;
        if (__builtin_add_overflow(record->time, line->start, &record->time) ||
            record->time >> CLOCK_BITS != record->time >> 63)
            record->time = line->start >> 1;
    }
}

static bool read_line(struct xplane *self)
{
    struct line line = {0};
    struct wire_field field;
    enum wire_step step;
    struct message span;
    bool done = true;
    self->line_start = self->trace->slices.count;
    self->line_memory = self->trace->memory.count;
    self->line_contexts = self->contexts.count;
    while (done && (step = wire_next(&self->wire, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            return false;
        int64_t value = (int64_t)field.value;
        if (field.number == XLINE_EVENTS && field.type == WIRE_LENGTH) {
            if (value > WIRE_PIECE_MAX) {
                self->trace->events++;
                note_count(&self->trace->notes, NOTE_VALUE_CUT, 1, -1, wire_offset(&self->wire));
            } else {
                done = wire_bytes(&self->wire, &span) && xplane_event(self, span);
            }
        } else if (field.type == WIRE_VARINT) {
            line.id = field.number == XLINE_ID ? value : line.id;
            line.start = field.number == XLINE_TIMESTAMP_NS ? value : line.start;
            line.display_id = field.number == XLINE_DISPLAY_ID ? value : line.display_id;
        } else if (field.number == XLINE_NAME && field.type == WIRE_LENGTH) {
            done = read_text(self, &line.name);
        } else if (field.number == XLINE_DISPLAY_NAME && field.type == WIRE_LENGTH) {
            done = read_text(self, &line.display_name);
        }
    }
    if (trace_text(self->trace, line.display_name).length == 0)
        line.display_name = 0;
    if (!done)
        return false;
    finish_line(self, &line);
    return true;
}

/* ------------------------------------------------------------------ programs */

static bool read_program_stat(struct xplane *self, int64_t program)
{
    struct wire_field field;
    enum wire_step step;
    bool is_program = true;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.number == XSTAT_METADATA_ID && field.type == WIRE_VARINT) {
            uint32_t name = map_get(&self->stat_of, self->plane, (int64_t)field.value);
            is_program = view_equal(trace_text(self->trace, name), VIEW("Hlo Proto"));
        } else if (field.number == XSTAT_BYTES && field.type == WIRE_LENGTH && is_program &&
                   !INSIDE(self, hlo_read(&self->hlo, &self->wire, program))) {
            return false;
        }
    }
    return step == WIRE_END;
}

static bool read_program_type(struct xplane *self, int64_t program)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD)
        if (field.number == XEVENT_METADATA_STATS && field.type == WIRE_LENGTH &&
            !INSIDE(self, read_program_stat(self, program)))
            return false;
    return step == WIRE_END;
}

static bool read_program(struct xplane *self)
{
    struct wire_field field;
    enum wire_step step;
    int64_t program = NONE;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.number == MAP_KEY && field.type == WIRE_VARINT)
            program = (int64_t)field.value;
        else if (field.number == MAP_VALUE && field.type == WIRE_LENGTH &&
                 !INSIDE(self, read_program_type(self, program)))
            return false;
    }
    return step == WIRE_END;
}

static bool read_plane(struct xplane *self)
{
    struct wire_field field;
    enum wire_step step;
    if (self->plane >= self->planes.count)
        return wire_corrupt(&self->wire, "the file changed while it was read");
    enum plane_kind kind = self->planes.items[self->plane].kind;
    memset(self->kinds, 0, sizeof self->kinds);
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_LENGTH)
            continue;
        if (field.number == XPLANE_LINES && !INSIDE(self, read_line(self)))
            return false;
        if (field.number == XPLANE_EVENT_METADATA && kind == PLANE_PROGRAMS &&
            !INSIDE(self, read_program(self)))
            return false;
    }
    return step == WIRE_END;
}

static bool read_events(struct xplane *self)
{
    struct wire_field field;
    enum wire_step step;
    self->plane = 0;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        if (field.number != XSPACE_PLANES || field.type != WIRE_LENGTH)
            continue;
        if (!INSIDE(self, read_plane(self)))
            return false;
        self->plane++;
    }
    return step == WIRE_END;
}

/* ------------------------------------------------------------------ all of it */

static void keep_metadata(struct xplane *self)
{
    struct text *json = &self->trace->metadata;
    text_add_string(json, "{");
    if (self->messages.count)
        text_format(json, "\"errors\":%s],", self->messages.items);
    text_add_string(json, "\"hostname\":");
    text_add_json(json, trace_text(self->trace, self->host));

    text_add_string(json, ",\"planes\":[");
    for (size_t i = 0; i < self->planes.count; i++) {
        if (i)
            text_add_byte(json, ',');
        text_add_json(json, trace_text(self->trace, self->planes.items[i].name));
    }
    text_add_byte(json, ']');
    if (self->start_time != NONE)
        text_format(json, ",\"profile_start_time\":%lld", (long long)self->start_time);
    if (self->stop_time != NONE)
        text_format(json, ",\"profile_stop_time\":%lld", (long long)self->stop_time);
    text_add_byte(json, '}');
}

/* The part of a damaged file before the damage. */
static bool salvage(struct xplane *self, bool is_first)
{
    bool any = is_first ? self->planes.count > 0 : self->trace->slices.count > 0;
    if (self->error->status != STATUS_BAD_INPUT || !any || !salvage_now(self->options, self->error))
        return false;
    if (!self->trace->notes.entries[NOTE_SALVAGED].count)
        note_count(&self->trace->notes, NOTE_SALVAGED, 1, -1, wire_offset(&self->wire));
    return true;
}

/* The line that broke off has what was read of it. */
static bool salvage_line(struct xplane *self)
{
    if (!salvage(self, false))
        return false;
    const struct trace *trace = self->trace;
    bool is_open = false; /* its slices and records have no place so far */
    for (size_t i = self->line_start; i < trace->slices.count; i++)
        is_open |= !trace->slices.items[i].place;
    for (size_t i = self->line_memory; i < trace->memory.count; i++)
        is_open |= !trace->memory.items[i].place;
    if (is_open)
        drop_line(self, NOTE_LINE_LEFT_OUT);
    return true;
}

static bool recognises(const unsigned char *bytes, size_t length)
{
    struct message rest = {bytes, bytes + length};
    while (rest.at < rest.end) { /* planes may be empty */
        uint64_t key, size;
        if (!message_number(&rest, &key) || key != (XSPACE_PLANES << 3 | WIRE_LENGTH) ||
            !message_number(&rest, &size))
            return false;
        size_t there = (size_t)(rest.end - rest.at);
        if (size) {
            /* A message begins with a known field, and a plane, too. JSON that begins with a line
             * end could be taken for one, but its third byte is none. */
            const unsigned char *at = rest.at;
            const unsigned char *end = rest.at + (size < there ? size : there);
            if (at == end)
                return true;
            switch (*at) {
            case XPLANE_ID << 3:
                return true;
            case XPLANE_NAME << 3 | WIRE_LENGTH:
                return end - at < 3 || at[1] == 0 || at[2] == '/' || at[2] >= 'A';
            case XPLANE_LINES << 3 | WIRE_LENGTH:
            case XPLANE_EVENT_METADATA << 3 | WIRE_LENGTH:
            case XPLANE_STAT_METADATA << 3 | WIRE_LENGTH:
            case XPLANE_STATS << 3 | WIRE_LENGTH:
                for (at++; at < end && *at & 0x80; at++)
                    ;
                return end - at < 2 || at[1] == 0x08 || at[1] == 0x12;
            default:
                return false;
            }
        }
    }
    return length > 0;
}

static bool xplane_read_trace(struct source *source, const struct read_options *options,
                              struct trace *trace, struct error *error)
{
    struct xplane self = {.trace = trace,
                          .options = options,
                          .error = error,
                          .hlo = {.trace = trace, .error = error},
                          .start_time = NONE,
                          .stop_time = NONE};
    trace->has_arrows = false;
    bool done = source_keep(source, error);
    if (done) {
        wire_init(&self.wire, source, error);

        /* Stats with a meaning, by their names. */
        static const struct {
            const char *name;
            enum stat_kind kind;
        } names[] = {
            {"correlation_id", STAT_CORRELATION}, {"_p", STAT_PRODUCER},
            {"_pt", STAT_PRODUCER_TYPE},          {"_c", STAT_CONSUMER},
            {"_ct", STAT_CONSUMER_TYPE},          {"step_name", STAT_STEP_NAME},
            {"step_num", STAT_STEP_NUMBER},       {"program_id", STAT_PROGRAM},
            {"hlo_module", STAT_HLO_MODULE},      {"hlo_op", STAT_HLO_OP},
            {"memcpy_details", STAT_COPY},        {"address", STAT_ADDRESS},
            {"allocation_bytes", STAT_BYTES},     {"requested_bytes", STAT_REQUESTED_BYTES},
            {"bytes_allocated", STAT_ALLOCATED},  {"bytes_reserved", STAT_RESERVED},
        };
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            uint32_t text = intern_add(&self.trace->strings, names[i].name, strlen(names[i].name));
            map_set(&self.kind_of, text, 0, names[i].kind);
        }

        /* The host is named by the file, as the profiler names files after hosts. */
        static const char ending[] = ".xplane.pb";
        const char *path = source_path(self.wire.source);
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        const char *end = strstr(name, ending);
        if (end && end != name)
            xplane_text(&self, (struct view){name, (size_t)(end - name)}, &self.host);
        done = (read_names(&self) || salvage(&self, true)) && source_rewind(source, error);
    }
    trace->allowance.input = (uint64_t)source_content_bytes(source);
    if (done) {
        wire_init(&self.wire, source, error);
        done = read_events(&self) || salvage_line(&self);
        if (done) {
            xplane_finish(&self);
            fact_lists *facts = &self.trace->facts;
            facts_give(facts, &hlo_module_facts, &self.hlo.modules);
            facts_give(facts, &hlo_instruction_facts, &self.hlo.instructions);
            facts_give(facts, &xla_event_facts, &self.xla_slices);
            keep_metadata(&self);
        }
    }
    if (done && self.start_time != NONE)
        trace->clock_base = self.start_time;
    return done;
}

const struct format xplane_format = {
    .name = "xplane",
    .words = "XLA xplane.pb",
    .set = "jax",
    .endings = (const char *const[]){".xplane.pb", NULL},
    .copies = (const char *const[]){".trace.json", NULL},
    .is_per_host = true,
    .may_be_empty = true, /* a host may have had nothing to do; programs are of use without */
    .recognises = recognises,
    .read = xplane_read_trace,
};
