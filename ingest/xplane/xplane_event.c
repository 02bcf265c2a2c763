/* xplane_event: an event and its stats; see xplane_reader.h. */
#include "ingest/xplane/xplane_reader.h"

#include "ingest/input/json_text.h"
#include "ingest/xplane/xplane_fields.h"
#include "src/base/number.h"

#include <math.h>
#include <string.h>

static bool corrupt(struct xplane *self)
{
    return wire_corrupt(&self->wire, "an event is damaged");
}

void xplane_text(struct xplane *self, struct view text, uint32_t *number)
{
    struct view plain;
    plain_text(text, &self->scratch, &self->trace->notes, -1, &plain);
    *number = intern_add(&self->trace->strings, plain.bytes, plain.length);
}

/* ------------------------------------------------------------------ stats */

void xplane_keep_stat(struct xplane *self, struct message stat)
{
    uint32_t length = (uint32_t)(stat.end - stat.at);
    if (self->stats.count >= UINT32_MAX - length - sizeof length)
        memory_fail();
    text_add(&self->stats, &length, sizeof length);
    text_add(&self->stats, stat.at, length);
}

struct message xplane_kept_stat(const struct xplane *self, uint32_t *at, uint32_t end)
{
    if (*at >= end)
        return (struct message){0};
    uint32_t length;
    memcpy(&length, self->stats.items + *at, sizeof length);
    const unsigned char *first =
        (const unsigned char *)self->stats.items + *at + (uint32_t)sizeof length;
    *at += (uint32_t)sizeof length + length;
    return (struct message){first, first + length};
}

/* The value as JSON; a reference is the name of another stat, empty when there is none. */
static void xplane_event_add_value(struct xplane *self, const struct wire_field *value,
                                   struct stat *stat, struct text *json)
{
    double real;
    struct view text;
    switch (value->number) {
    case XSTAT_DOUBLE:
        memcpy(&real, &value->value, sizeof real);
        if (isfinite(real))
            number_add_real(json, real);
        else
            text_add_string(json, "null");
        return;
    case XSTAT_UINT64:
        stat->integer = value->value <= INT64_MAX ? (int64_t)value->value : NONE;
        text_format(json, "%llu", (unsigned long long)value->value);
        return;
    case XSTAT_INT64:
        stat->integer = (int64_t)value->value;
        text_format(json, "%lld", (long long)value->value);
        return;
    case XSTAT_TEXT:
        xplane_text(self, message_view(value->bytes), &stat->text);
        text_add_json(json, intern_view(&self->trace->strings, stat->text));
        return;
    case XSTAT_REFERENCE:
        stat->text = map_get(&self->stat_of, self->plane, (int64_t)value->value);
        text = trace_text(self->trace, stat->text);
        stat->is_cut = !trace_take(self->trace, text.length);
        if (!stat->is_cut)
            text_add_json(json, text);
        return;
    default:
        stat->is_empty = true;
        return;
    }
}

bool xplane_stat(struct xplane *self, struct message span, struct stat *stat, struct text *json)
{
    struct wire_field field, value = {0};
    enum wire_step step;
    int64_t id = 0;
    *stat = (struct stat){.integer = NONE};
    while ((step = message_next(&span, &field)) == WIRE_FIELD) {
        bool is_bytes = field.number == XSTAT_TEXT || field.number == XSTAT_BYTES;
        enum wire_type type = is_bytes                       ? WIRE_LENGTH
                              : field.number == XSTAT_DOUBLE ? WIRE_FIXED64
                                                             : WIRE_VARINT;
        if (field.number > XSTAT_REFERENCE || field.type != type)
            continue;
        if (field.number == XSTAT_METADATA_ID)
            id = (int64_t)field.value;
        else
            value = field;
    }
    if (step == WIRE_FAILED)
        return corrupt(self);
    stat->name = map_get(&self->stat_of, self->plane, id);
    xplane_event_add_value(self, &value, stat, json);
    return true;
}

/* The kind of a stat; with an id or a number of its own also the value. */
static bool classify(struct xplane *self, struct message span, enum stat_kind *kind, int64_t *value)
{
    struct wire_field field;
    enum wire_step step;
    int64_t id = 0;
    *value = NONE;
    while ((step = message_next(&span, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_VARINT)
            continue;
        if (field.number == XSTAT_METADATA_ID)
            id = (int64_t)field.value;
        else if (field.number == XSTAT_UINT64 || field.number == XSTAT_INT64)
            *value = (int64_t)field.value;
    }
    if (step == WIRE_FAILED)
        return corrupt(self);
    bool is_small = id >= 0 && id < (int64_t)sizeof self->kinds;
    *kind = is_small ? (enum stat_kind)self->kinds[id] : STAT_UNKNOWN;
    if (*kind == STAT_UNKNOWN) {
        uint32_t name = map_get(&self->stat_of, self->plane, id);
        uint32_t known = name ? map_get(&self->kind_of, name, 0) : 0;
        *kind = known ? (enum stat_kind)known : STAT_OTHER;
    }
    if (is_small)
        self->kinds[id] = (uint8_t)*kind;
    return true;
}

/* ------------------------------------------------------------------ details */

/* How many bytes a copy moves: "kind:... size:655360 dest:2 async:1". */
static int64_t copy_size(struct view words)
{
    static const char name[] = "size:";
    const char *at = memmem(words.bytes, words.length, name, strlen(name));
    if (!at)
        return NONE;
    const char *end = words.bytes + words.length;
    int64_t size = 0;
    int digits = 0;
    for (at += strlen(name); at < end && *at >= '0' && *at <= '9' && digits < 18; at++, digits++)
        size = size * 10 + (*at - '0');
    return digits ? size : NONE;
}

/* Adds a stat to the object that is being made. */
static bool add_member(struct xplane *self, struct message span, struct detail *detail)
{
    struct stat stat;
    struct text value = {0};
    bool done = xplane_stat(self, span, &stat, &value);
    if (done && stat.is_empty)
        note_count(&self->trace->notes, NOTE_MEMBER_UNUSED, 1, -1, -1);
    struct view name = trace_text(self->trace, stat.name);
    stat.is_cut = stat.is_cut || !trace_take(self->trace, name.length + value.count);
    if (done && !stat.is_empty) {
        switch (stat.name ? map_get(&self->kind_of, stat.name, 0) : 0) {
        case STAT_STEP_NAME:
            if (stat.text && intern_view(&self->trace->strings, stat.text).length)
                detail->name = stat.text;
            break;
        case STAT_STEP_NUMBER:
            detail->step = stat.integer;
            break;
        case STAT_PROGRAM:
            detail->program = stat.integer;
            break;
        case STAT_HLO_MODULE:
            detail->module = stat.text;
            break;
        case STAT_HLO_OP:
            detail->op = stat.text;
            break;
        case STAT_COPY:
            if (stat.text && !stat.is_cut)
                detail->bytes = copy_size(intern_view(&self->trace->strings, stat.text));
            break;
        default:
            break;
        }
    }
    if (done && !stat.is_empty && !stat.is_cut) {
        text_add_byte(&self->json, self->json.count ? ',' : '{');
        text_add_json(&self->json, name);
        text_add_byte(&self->json, ':');
        text_add(&self->json, value.items, value.count);
    }
    text_free(&value);
    return done;
}

/* Events with the same stats share a detail; ids that each has for itself are no part of it. */
static bool find_detail(struct xplane *self, const struct event_type *type, int64_t type_id,
                        uint32_t *number)
{
    *number = 0;
    if (!self->event_stats.count && (!type || !type->stat_bytes))
        return true;
    text_clear(&self->key);
    text_add(&self->key, &self->plane, sizeof self->plane);
    text_add(&self->key, &type_id, sizeof type_id);
    for (size_t i = 0; i < self->event_stats.count; i++) {
        struct view stat = message_view(self->event_stats.items[i]);
        text_add(&self->key, &stat.length, 2);
        text_add_view(&self->key, stat);
    }
    uint32_t *known = memo_find(&self->known, text_view(&self->key));
    if (!*known) {
        /* The stats of the type come first, so that those of the event hold. */
        struct detail detail = {.program = NONE, .bytes = NONE, .step = NONE};
        struct json_repairs repairs = {0};
        text_clear(&self->json);
        bool done = true;
        uint32_t at = type ? type->first_stat : 0, end = type ? at + type->stat_bytes : 0;
        for (struct message stat; done && (stat = xplane_kept_stat(self, &at, end)).at;)
            done = add_member(self, stat, &detail);
        for (size_t i = 0; i < self->event_stats.count && done; i++)
            done = add_member(self, self->event_stats.items[i], &detail);
        if (done && self->json.count) {
            text_clear(&self->scratch);
            text_add_byte(&self->json, '}');
            json_canonical(text_view(&self->json), &self->scratch, &repairs);
            detail.arguments =
                intern_add(&self->trace->arguments, self->scratch.items, self->scratch.count);
        }
        if (!done)
            return false;
        array_add(&self->details, detail);
        *known = (uint32_t)self->details.count;
    }
    *number = *known;
    return true;
}

/* ------------------------------------------------------------------ events */

/* The members of an event, before it is understood. */
struct raw_event {
    int64_t type, offset, duration, correlation;
    int64_t producer, producer_type, consumer, consumer_type;
    int64_t address, bytes, requested, allocated, reserved;
};

static bool collect_stat(struct xplane *self, struct message span, struct raw_event *raw)
{
    enum stat_kind kind = STAT_OTHER;
    int64_t value;
    if (!classify(self, span, &kind, &value))
        return false;
    int64_t *const targets[STAT_KIND_COUNT] = {
        [STAT_CORRELATION] = &raw->correlation,
        [STAT_PRODUCER] = &raw->producer,
        [STAT_PRODUCER_TYPE] = &raw->producer_type,
        [STAT_CONSUMER] = &raw->consumer,
        [STAT_CONSUMER_TYPE] = &raw->consumer_type,
        [STAT_ADDRESS] = &raw->address,
        [STAT_BYTES] = &raw->bytes,
        [STAT_REQUESTED_BYTES] = &raw->requested,
        [STAT_ALLOCATED] = &raw->allocated,
        [STAT_RESERVED] = &raw->reserved,
    };
    if (targets[kind])
        *targets[kind] = value;
    if (targets[kind] && value != NONE && kind <= STAT_CONSUMER_TYPE)
        return true; /* spent */
    array_add(&self->event_stats, span);
    return true;
}

static bool collect(struct xplane *self, struct message event, struct raw_event *raw)
{
    struct wire_field field;
    enum wire_step step;
    self->event_stats.count = 0;
    while ((step = message_next(&event, &field)) == WIRE_FIELD) {
        bool is_number = field.type == WIRE_VARINT;
        if (field.number == XEVENT_STATS && field.type == WIRE_LENGTH) {
            if (!collect_stat(self, field.bytes, raw))
                return false;
        } else if (field.number == XEVENT_METADATA_ID && is_number) {
            raw->type = (int64_t)field.value;
        } else if (field.number == XEVENT_OFFSET_PS && is_number) {
            raw->offset = (int64_t)field.value;
        } else if (field.number == XEVENT_DURATION_PS && is_number) {
            raw->duration = (int64_t)field.value;
        } else if (field.number == XEVENT_OCCURRENCES && is_number) {
            raw->offset = 0;
        }
    }
    return step == WIRE_END || corrupt(self);
}

/* Nanoseconds, rounded down, and the picoseconds that remain. */
static int64_t to_ns(int64_t ps, int64_t *rest)
{
    int64_t ns = ps / 1000;
    *rest = ps % 1000;
    if (*rest < 0) {
        *rest += 1000;
        ns--;
    }
    return ns;
}

static void note(struct xplane *self, enum note kind)
{
    note_count(&self->trace->notes, kind, 1, -1, wire_offset(&self->wire));
}

/* Start and duration in nanoseconds. The end is rounded down like the start, so that what lies
 * within another event still does. */
static void measure(struct xplane *self, const struct raw_event *raw, struct slice *slice,
                    struct event_extra *extra)
{
    int64_t duration = raw->duration, end, start_rest, end_rest;
    if (duration < 0) {
        note(self, NOTE_DURATION_NEGATIVE);
        duration = 0;
    }
    if (__builtin_add_overflow(raw->offset, duration, &end)) {
        note(self, NOTE_DURATION_CLIPPED);
        end = raw->offset;
        duration = 0;
    }
    slice->start = to_ns(raw->offset, &start_rest);
    slice->duration = to_ns(end, &end_rest) - slice->start;
    extra->start_ps = (int16_t)start_rest;
    extra->duration_ps = (int16_t)(duration - slice->duration * 1000);
}

static void add_context(struct xplane *self, int64_t type, int64_t id, bool is_consumer)
{
    if (id == NONE)
        return;
    array_add(&self->contexts, (struct context_end){.type = type == NONE ? 0 : type,
                                                    .id = id,
                                                    .slice = (uint32_t)self->trace->slices.count,
                                                    .is_consumer = is_consumer});
}

bool xplane_event(struct xplane *self, struct message event)
{
    struct raw_event raw = {.correlation = NONE,
                            .producer = NONE,
                            .producer_type = NONE,
                            .consumer = NONE,
                            .consumer_type = NONE,
                            .address = NONE,
                            .bytes = NONE,
                            .requested = NONE,
                            .allocated = NONE,
                            .reserved = NONE};
    if (!collect(self, event, &raw))
        return false;
    self->trace->events++;
    uint32_t place = map_get(&self->type_of, self->plane, raw.type);
    const struct event_type *type = place ? &self->types.items[place - 1] : NULL;
    if (type && type->is_internal) {
        note(self, NOTE_INTERNAL_EVENT);
        return true;
    }
    if (type && (type->allocates || type->frees)) {
        struct memory_record *record = array_push(&self->trace->memory);
        int64_t rest, bytes = raw.bytes != NONE ? raw.bytes : raw.requested;
        *record = (struct memory_record){
            .time = to_ns(raw.offset, &rest),
            .bytes = bytes == NONE || !type->frees ? bytes : -bytes,
            .address = raw.address,
            .allocated = raw.allocated,
            .reserved = raw.reserved,
            .device_type = -1,
            .device = -1,
            .uid = (uint32_t)self->trace->memory.count - 1,
        };
        return true;
    }
    if (!type)
        note(self, NOTE_METADATA_MISSING);
    struct slice slice = {0};
    struct event_extra extra = {.correlation = raw.correlation};
    measure(self, &raw, &slice, &extra);
    if (!find_detail(self, type, raw.type, &extra.detail))
        return false;
    add_context(self, raw.producer_type, raw.producer, false);
    add_context(self, raw.consumer_type, raw.consumer, true);
    const struct detail *detail = extra.detail ? &self->details.items[extra.detail - 1] : NULL;
    slice.name = detail && detail->name       ? detail->name
                 : type && type->display_name ? type->display_name
                 : type                       ? type->name
                                              : 0;
    if (!slice.name)
        slice.name = intern_add(&self->trace->strings, "", 0);
    slice.arguments = detail ? detail->arguments : 0;
    array_add(&self->trace->slices, slice);
    array_add(&self->extras, extra);
    return true;
}
