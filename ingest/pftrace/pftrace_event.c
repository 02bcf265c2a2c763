/* pftrace_event: a track event: which slice begins or ends, and what its annotations say. */
#include "ingest/pftrace/pftrace_fields.h"
#include "ingest/pftrace/pftrace_reader.h"

#include "ingest/input/json_text.h"
#include "ingest/trace/amd.h"
#include "src/base/number.h"

#include <math.h>
#include <string.h>

enum { NESTED_DEPTH_MAX = 32, DIGITS_MAX = 32, NUMBER_BYTES_MAX = 64 };

/* ------------------------------------------------------------------ annotations as JSON */

static double real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static void add_integer(struct pftrace *self, uint64_t value, bool is_signed)
{
    if (is_signed)
        text_format(&self->raw, "%lld", (long long)(int64_t)value);
    else
        text_format(&self->raw, "%llu", (unsigned long long)value);
}

static void add_real(struct pftrace *self, uint64_t bits)
{
    double real = real_of(bits);
    if (isfinite(real)) {
        number_add_real(&self->raw, real);
        return;
    }
    pftrace_note(self, NOTE_NOT_FINITE);
    text_add_string(&self->raw, "null");
}

/* JSON that a program wrote; where it is none, as a text. */
static void add_json(struct pftrace *self, struct view text)
{
    struct json_repairs ignored = {0};
    text_clear(&self->canonical);
    if (json_canonical(text, &self->canonical, &ignored) == JSON_CANON_MALFORMED) {
        text_add_json(&self->raw, text);
        return;
    }
    text_add(&self->raw, self->canonical.items, self->canonical.count);
}

static bool read_annotation(struct pftrace *self, const struct pftrace_sequence *sequence,
                            struct message bytes, struct pftrace_annotation *annotation);
static bool pftrace_event_add_value(struct pftrace *self, const struct pftrace_sequence *sequence,
                                    const struct pftrace_annotation *annotation, int depth);

/* A text that events refer to by its number is taken from the allowance before it is written. */
static void add_text(struct pftrace *self, uint32_t number)
{
    struct view text = trace_text(self->trace, number);
    self->is_spent |= !trace_take(self->trace, text.length);
    self->referred += text.length;
    text_add_json(&self->raw, self->is_spent ? VIEW("") : text);
}

/* Members or items of a dictionary or list, which are annotations again. */
static bool add_container(struct pftrace *self, const struct pftrace_sequence *sequence,
                          struct message bytes, int depth)
{
    struct wire_field field;
    struct pftrace_annotation inner;
    bool is_list = false, is_first = true, done = true;
    struct message rest = bytes;
    while (message_next(&rest, &field) == WIRE_FIELD)
        is_list |= field.number == ANNOTATION_ARRAY;
    text_add_byte(&self->raw, is_list ? '[' : '{');
    uint32_t wanted = is_list ? ANNOTATION_ARRAY : ANNOTATION_DICT;
    while (done && message_next(&bytes, &field) == WIRE_FIELD) {
        if (field.number != wanted || field.type != WIRE_LENGTH)
            continue;
        if (!read_annotation(self, sequence, field.bytes, &inner))
            return false;
        if (!is_first)
            text_add_byte(&self->raw, ',');
        if (!is_list) {
            add_text(self, inner.name);
            text_add_byte(&self->raw, ':');
        }
        done = pftrace_event_add_value(self, sequence, &inner, depth + 1);
        is_first = false;
    }
    if (!done)
        return false;
    text_add_byte(&self->raw, is_list ? ']' : '}');
    return true;
}

/* A value of older writers. */
static void add_nested(struct pftrace *self, struct message bytes, int depth)
{
    struct message rest = bytes, keys = bytes;
    struct wire_field field, key;
    uint64_t type = 0;
    while (message_next(&rest, &field) == WIRE_FIELD)
        if (field.number == NESTED_TYPE)
            type = field.value;
        else if (field.number == NESTED_INT) {
            add_integer(self, field.value, true);
            return;
        } else if (field.number == NESTED_DOUBLE && field.type == WIRE_FIXED64) {
            add_real(self, field.value);
            return;
        } else if (field.number == NESTED_BOOL) {
            text_add_string(&self->raw, field.value ? "true" : "false");
            return;
        } else if (field.number == NESTED_STRING && field.type == WIRE_LENGTH) {
            text_add_json(&self->raw, message_view(field.bytes));
            return;
        }
    if ((type != NESTED_IS_DICT && type != NESTED_IS_ARRAY) || depth >= NESTED_DEPTH_MAX) {
        text_add_string(&self->raw, "null");
        return;
    }
    bool is_list = type == NESTED_IS_ARRAY, is_first = true;
    text_add_byte(&self->raw, is_list ? '[' : '{');
    uint32_t wanted = is_list ? NESTED_ITEMS : NESTED_VALUES;
    while (message_next(&bytes, &field) == WIRE_FIELD) {
        if (field.number != wanted || field.type != WIRE_LENGTH)
            continue;
        struct view name = VIEW("");
        while (!is_list && message_next(&keys, &key) == WIRE_FIELD)
            if (key.number == NESTED_KEYS && key.type == WIRE_LENGTH) {
                name = message_view(key.bytes);
                break;
            }
        if (!is_first)
            text_add_byte(&self->raw, ',');
        if (!is_list) {
            text_add_json(&self->raw, name);
            text_add_byte(&self->raw, ':');
        }
        add_nested(self, field.bytes, depth + 1);
        is_first = false;
    }
    text_add_byte(&self->raw, is_list ? ']' : '}');
}

static bool pftrace_event_add_value(struct pftrace *self, const struct pftrace_sequence *sequence,
                                    const struct pftrace_annotation *annotation, int depth)
{
    uint64_t value = annotation->value;
    switch (annotation->field) {
    case ANNOTATION_BOOL:
        text_add_string(&self->raw, value ? "true" : "false");
        return true;
    case ANNOTATION_UINT:
        add_integer(self, value, false);
        return true;
    case ANNOTATION_INT:
        add_integer(self, value, true);
        return true;
    case ANNOTATION_DOUBLE:
        add_real(self, value);
        return true;
    case ANNOTATION_STRING:
        text_add_json(&self->raw, message_view(annotation->bytes));
        return true;
    case ANNOTATION_STRING_IID:
        add_text(self, (uint32_t)value);
        return true;
    case ANNOTATION_POINTER:
        text_format(&self->raw, "\"0x%llx\"", (unsigned long long)value);
        return true;
    case ANNOTATION_JSON:
        add_json(self, message_view(annotation->bytes));
        return true;
    case ANNOTATION_NESTED:
        add_nested(self, annotation->bytes, depth);
        return true;
    case ANNOTATION_DICT:
        if (depth < NESTED_DEPTH_MAX)
            return add_container(self, sequence, annotation->bytes, depth);
        text_add_string(&self->raw, "null");
        return true;
    default:
        text_add_string(&self->raw, "null");
        return true;
    }
}

/* ------------------------------------------------------------------ annotations */

/* Name and value of an annotation; of a dictionary or list the bytes of all of it. */
static bool read_annotation(struct pftrace *self, const struct pftrace_sequence *sequence,
                            struct message bytes, struct pftrace_annotation *annotation)
{
    struct message whole = bytes;
    struct wire_field field;
    enum wire_step step;
    *annotation = (struct pftrace_annotation){0};
    while ((step = message_next(&bytes, &field)) == WIRE_FIELD) {
        switch (field.number) {
        case ANNOTATION_NAME_IID:
            annotation->name = pftrace_text(self, sequence, DICTIONARY_KEYS, field.value);
            break;
        case ANNOTATION_NAME:
            pftrace_keep(self, message_view(field.bytes), &annotation->name);
            break;
        case ANNOTATION_DICT:
        case ANNOTATION_ARRAY:
            annotation->field = ANNOTATION_DICT;
            annotation->bytes = whole;
            break;
        case ANNOTATION_STRING_IID:
            annotation->field = ANNOTATION_STRING_IID;
            annotation->value = pftrace_text(self, sequence, DICTIONARY_STRINGS, field.value);
            break;
        default:
            if (field.number > ANNOTATION_JSON)
                break;
            annotation->field = field.number;
            annotation->value = field.value;
            annotation->bytes = field.bytes;
            break;
        }
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

/* Texts and lists are bytes; other annotations must not be taken for one. */
static bool has_bytes(const struct pftrace_annotation *annotation)
{
    return annotation->field == ANNOTATION_STRING || annotation->field == ANNOTATION_JSON ||
           annotation->field == ANNOTATION_NESTED || annotation->field == ANNOTATION_DICT;
}

static struct view pftrace_event_text_of(const struct pftrace *self,
                                         const struct pftrace_annotation *annotation)
{
    if (annotation->field == ANNOTATION_STRING)
        return message_view(annotation->bytes);
    if (annotation->field == ANNOTATION_STRING_IID && annotation->value)
        return intern_view(&self->trace->strings, (uint32_t)annotation->value);
    return VIEW("");
}

/* The number at the end of a text such as GPU-1; NONE when there is none. */
static int64_t trailing_number(struct view text)
{
    size_t start = text.length;
    int64_t number;
    while (start > 0 && text.length - start < DIGITS_MAX && text.bytes[start - 1] >= '0' &&
           text.bytes[start - 1] <= '9')
        start--;
    while (start + 1 < text.length && text.bytes[start] == '0')
        start++; /* JSON knows no leading zeros */
    return start < text.length &&
                   json_integer((struct view){text.bytes + start, text.length - start}, &number)
               ? number
               : NONE;
}

static int64_t pftrace_event_number_of(const struct pftrace *self,
                                       const struct pftrace_annotation *annotation)
{
    int64_t number;
    if (annotation->field == ANNOTATION_UINT || annotation->field == ANNOTATION_INT)
        return (int64_t)annotation->value;
    if (annotation->field == ANNOTATION_DOUBLE) {
        double real = real_of(annotation->value);
        bool is_whole = real > -0x1p63 && real < 0x1p63 && real == (double)(int64_t)real;
        return is_whole ? (int64_t)real : NONE;
    }
    struct view text = pftrace_event_text_of(self, annotation);
    return text.length <= NUMBER_BYTES_MAX && json_whole(text, &number) ? number : NONE;
}

/* Takes what has a meaning; false: it is to be kept among the arguments, too. */
static bool pftrace_event_take(struct pftrace *self, const struct pftrace_annotation *annotation,
                               struct pftrace_said *said)
{
    if (!annotation->name || annotation->name > KEY_COUNT)
        return false;
    enum pftrace_key key = (enum pftrace_key)(annotation->name - 1);
    if (key == KEY_AGENT) {
        said->device = trailing_number(pftrace_event_text_of(self, annotation));
        return false;
    }
    said->numbers[key] = pftrace_event_number_of(self, annotation);
    if (key == KEY_STREAM_ROCPROF)
        return false; /* calls state it, too */
    return said->numbers[key] != NONE;
}

static bool make_arguments(struct pftrace *self, const struct pftrace_sequence *sequence,
                           uint32_t *number)
{
    struct json_repairs repairs = {0};
    bool done = true;
    text_clear(&self->raw);
    self->is_spent = false;
    self->referred = 0;
    for (size_t i = 0; i < self->annotations.count && done && !self->is_spent; i++) {
        text_add_byte(&self->raw, i ? ',' : '{');
        add_text(self, self->annotations.items[i].name);
        text_add_byte(&self->raw, ':');
        done = pftrace_event_add_value(self, sequence, &self->annotations.items[i], 0);
    }
    if (!done)
        return false;
    text_add_byte(&self->raw, '}');
    if (self->is_spent)
        return true;
    text_clear(&self->canonical);
    if (json_canonical(text_view(&self->raw), &self->canonical, &repairs) ==
        JSON_CANON_MALFORMED) { /* too deep */
        pftrace_note(self, NOTE_VALUE_ODD);
        *number = 0;
        return true;
    }
    size_t own = self->canonical.count -
                 (self->referred < self->canonical.count ? self->referred : self->canonical.count);
    if (trace_take(self->trace, own))
        *number = intern_add(&self->trace->arguments, self->canonical.items, self->canonical.count);
    return true;
}

/* The arguments that the annotations in hand are, made once. */
static bool arguments_of(struct pftrace *self, const struct pftrace_sequence *sequence,
                         uint32_t *arguments)
{
    *arguments = 0;
    if (!self->annotations.count)
        return true;
    text_clear(&self->raw);
    for (size_t i = 0; i < self->annotations.count; i++) {
        /* The identity of a list of annotations. */
        const struct pftrace_annotation *annotation = &self->annotations.items[i];
        struct {
            uint32_t name, field;
            uint64_t value, generation;
        } head = {.name = annotation->name, .field = annotation->field, .value = annotation->value};
        if (has_bytes(annotation))
            head.value = (uint64_t)(annotation->bytes.end - annotation->bytes.at);
        if (annotation->field == ANNOTATION_DICT)
            head.generation = sequence->generation + 1ull;
        text_add(&self->raw, &head, sizeof head);
        if (has_bytes(annotation))
            text_add(&self->raw, annotation->bytes.at, (size_t)head.value);
    }
    uint32_t list = intern_add(&self->lists, self->raw.items, self->raw.count);
    while (self->list_arguments.count <= list)
        array_add(&self->list_arguments, 0);
    if (!self->list_arguments.items[list] &&
        !make_arguments(self, sequence, &self->list_arguments.items[list]))
        return false;
    *arguments = self->list_arguments.items[list];
    return true;
}

/* ------------------------------------------------------------------ events */

/* An event, looked through. */
struct event {
    uint64_t type, track, name_iid;
    bool has_track, has_name, has_iid, has_annotations, has_value;
    double value; /* of a counter */
    struct view name;
    int category; /* -1 = none */
    uint32_t category_text;
    uint64_t legacy_phase, legacy_duration;
    bool has_legacy, has_legacy_duration;
    size_t flows; /* how many of the last ones are its own */
};

/* The category that a text is; of several the first that is known. */
static void take_category(struct pftrace *self, struct event *event, uint32_t text)
{
    if (!text)
        return;
    uint32_t *known = map_put(&self->categories, text, 0);
    if (!*known) {
        struct view name = intern_view(&self->trace->strings, text);
        int category = category_find(name);
        if (category < 0)
            category = amd_category(name);
        *known = category < 0 ? UINT32_MAX : (uint32_t)category + 1;
    }
    if (event->category < 0 && *known != UINT32_MAX)
        event->category = (int)*known - 1;
    if (!event->category_text)
        event->category_text = text;
}

static bool take_flows(struct pftrace *self, struct event *event, struct wire_field field)
{
    bool is_last = field.number == EVENT_ENDING_FLOWS || field.number == EVENT_ENDING_FLOWS_OLD;
    bool is_fixed = field.number == EVENT_FLOWS || field.number == EVENT_ENDING_FLOWS;
    uint64_t id;
    while (pftrace_next_number(self, &field, is_fixed, &id)) {
        array_add(&self->flows, (struct pftrace_flow){.id = id, .is_last = is_last});
        event->flows++;
    }
    return self->error->status == STATUS_OK;
}

static bool take_categories(struct pftrace *self, const struct pftrace_sequence *sequence,
                            struct event *event, struct wire_field field)
{
    uint64_t iid;
    while (pftrace_next_number(self, &field, false, &iid))
        take_category(self, event, pftrace_text(self, sequence, DICTIONARY_CATEGORIES, iid));
    return self->error->status == STATUS_OK;
}

/* Values of counters beside what the event is about, and which counters these are. */
static bool take_beside(struct pftrace *self, struct wire_field field)
{
    bool is_real = field.number == EVENT_BESIDE_REALS;
    uint64_t bits;
    if (field.number == EVENT_BESIDE_TRACKS || field.number == EVENT_BESIDE_REAL_TRACKS)
        return pftrace_take_tracks(self, field,
                                   &self->beside_tracks[field.number == EVENT_BESIDE_REAL_TRACKS]);
    while (pftrace_next_number(self, &field, is_real, &bits))
        array_add(&self->beside[is_real], is_real ? real_of(bits) : (double)(int64_t)bits);
    return self->error->status == STATUS_OK;
}

static bool take_legacy(struct pftrace *self, struct event *event, struct message bytes)
{
    struct wire_field field;
    enum wire_step step;
    event->has_legacy = true;
    while ((step = message_next(&bytes, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_VARINT)
            continue;
        if (field.number == LEGACY_PHASE)
            event->legacy_phase = field.value;
        if (field.number == LEGACY_NAME_IID && !event->has_iid) {
            event->name_iid = field.value;
            event->has_iid = true;
        }
        if (field.number == LEGACY_DURATION_US) {
            event->legacy_duration = field.value;
            event->has_legacy_duration = true;
        }
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

static bool take_field(struct pftrace *self, const struct pftrace_sequence *sequence,
                       struct event *event, const struct wire_field *field)
{
    bool is_long = field->type == WIRE_LENGTH;
    switch (field->number) {
    case EVENT_TYPE:
        event->type = field->value;
        return true;
    case EVENT_TRACK:
        event->track = field->value;
        event->has_track = true;
        return true;
    case EVENT_NAME_IID:
        event->name_iid = field->value;
        event->has_iid = true;
        return true;
    case EVENT_NAME:
        event->name = message_view(field->bytes);
        event->has_name = is_long;
        return true;
    case EVENT_CATEGORIES:
        if (is_long) {
            uint32_t text;
            pftrace_keep(self, message_view(field->bytes), &text);
            take_category(self, event, text);
        }
        return true;
    case EVENT_CATEGORY_IIDS:
        return take_categories(self, sequence, event, *field);
    case EVENT_BESIDE_VALUES:
    case EVENT_BESIDE_REALS:
    case EVENT_BESIDE_TRACKS:
    case EVENT_BESIDE_REAL_TRACKS:
        return take_beside(self, *field);
    case EVENT_FLOWS:
    case EVENT_FLOWS_OLD:
    case EVENT_ENDING_FLOWS:
    case EVENT_ENDING_FLOWS_OLD:
        return take_flows(self, event, *field);
    case EVENT_COUNTER:
        event->value = (double)(int64_t)field->value;
        event->has_value = field->type == WIRE_VARINT;
        return true;
    case EVENT_COUNTER_REAL:
        event->value = real_of(field->value);
        event->has_value = field->type == WIRE_FIXED64;
        return true;
    case EVENT_LEGACY:
        return !is_long || take_legacy(self, event, field->bytes);
    default:
        return true;
    }
}

static bool look_through(struct pftrace *self, const struct pftrace_sequence *sequence,
                         struct message bytes, struct event *event, struct pftrace_said *said)
{
    struct wire_field field;
    enum wire_step step;
    struct pftrace_annotation annotation;
    *event = (struct event){.category = -1};
    *said = (struct pftrace_said){.device = NONE};
    for (size_t i = 0; i < KEY_COUNT; i++)
        said->numbers[i] = NONE;
    self->annotations.count = 0;
    for (int i = 0; i < 2; i++)
        self->beside[i].count = self->beside_tracks[i].count = 0;
    while ((step = message_next(&bytes, &field)) == WIRE_FIELD) {
        if (field.number != EVENT_ANNOTATIONS || field.type != WIRE_LENGTH) {
            if (!take_field(self, sequence, event, &field))
                return false;
            continue;
        }
        event->has_annotations = true;
        if (!read_annotation(self, sequence, field.bytes, &annotation))
            return false;
        if (pftrace_event_take(self, &annotation, said))
            continue;
        array_add(&self->annotations, annotation);
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

/* Older writers have letters for types. */
static void translate_legacy(struct event *event)
{
    static const struct {
        char letter;
        uint64_t type;
    } types[] = {{'B', TYPE_BEGIN},
                 {'E', TYPE_END},
                 {'X', TYPE_BEGIN},
                 {'I', TYPE_INSTANT},
                 {'i', TYPE_INSTANT}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (event->legacy_phase == (unsigned char)types[i].letter)
            event->type = types[i].type;
    event->has_legacy_duration &= event->legacy_phase == 'X';
}

static uint32_t track_of(struct pftrace *self, const struct pftrace_sequence *sequence,
                         const struct event *event)
{
    uint64_t uuid = event->has_track ? event->track : sequence->has_track ? sequence->track : 0;
    if (uuid)
        return pftrace_track(self, uuid, 0);
    uint32_t described = map_get(&self->track_of, sequence->id, 1);
    return described ? described - 1 : pftrace_track(self, 0, 0);
}

static void pftrace_event_name_of(struct pftrace *self, const struct pftrace_sequence *sequence,
                                  const struct event *event, uint32_t *name)
{
    *name = 0;
    if (event->has_name) {
        pftrace_keep(self, event->name, name);
        return;
    }
    if (event->has_iid)
        *name = pftrace_text(self, sequence, DICTIONARY_NAMES, event->name_iid);
    if (!event->has_iid)
        pftrace_note(self, NOTE_NAME_MISSING);
    if (!*name)
        pftrace_keep(self, VIEW(""), name);
}

static int64_t first_of(int64_t one, int64_t other)
{
    return one != NONE ? one : other;
}

static int64_t clip(struct pftrace *self, int64_t duration)
{
    if (duration < 0)
        pftrace_note(self, NOTE_DURATION_NEGATIVE);
    else if (duration > DURATION_MAX)
        pftrace_note(self, NOTE_DURATION_CLIPPED);
    return duration < 0 ? 0 : duration > DURATION_MAX ? DURATION_MAX : duration;
}

void pftrace_apply(struct pftrace *self, uint32_t index, const struct pftrace_said *said)
{
    struct trace *trace = self->trace;
    struct slice *slice = &trace->slices.items[index];
    enum role role = trace_role(trace, slice);
    int64_t correlation =
        first_of(said->numbers[KEY_CORRELATION], said->numbers[KEY_CORRELATION_KINETO]);
    if (correlation == 0)
        correlation = NONE;

    /* The writer's own times are more exact than those of packets. */
    int64_t begin = said->numbers[KEY_BEGIN], end = said->numbers[KEY_END];
    int64_t duration = said->numbers[KEY_DURATION];
    bool has_begin = begin != NONE && begin <= INT64_MAX / 2 && begin >= -INT64_MAX / 2;
    if (has_begin &&
        (duration != NONE || (end != NONE && !__builtin_sub_overflow(end, begin, &duration)))) {
        slice->start = begin;
        slice->duration = clip(self, duration);
    }
    if (role == ROLE_GPU) {
        struct gpu_slice *gpu = &trace->gpus.items[slice->side];
        int64_t device = first_of(said->device, said->numbers[KEY_DEVICE]);
        if (device >= 0 && device <= INT32_MAX)
            gpu->device = (int32_t)device;
        gpu->stream = first_of(
            first_of(said->numbers[KEY_STREAM_ROCPROF], said->numbers[KEY_STREAM]), gpu->stream);
        gpu->bytes = first_of(first_of(said->numbers[KEY_BYTES_ROCPROF], said->numbers[KEY_BYTES]),
                              gpu->bytes);
        gpu->correlation = first_of(correlation, gpu->correlation);
        gpu->external = first_of(said->numbers[KEY_EXTERNAL], gpu->external);
    } else if (role == ROLE_CALL) {
        struct call_slice *call = &trace->calls.items[slice->side];
        call->correlation = first_of(correlation, call->correlation);
        call->external = first_of(said->numbers[KEY_EXTERNAL], call->external);
    }
}

static void add_side(struct pftrace *self, struct slice *slice)
{
    struct trace *trace = self->trace;
    enum role role = trace_role(trace, slice);
    uint32_t index = (uint32_t)trace->slices.count;
    if (role == ROLE_GPU) {
        struct gpu_slice *gpu = array_push(&trace->gpus);
        *gpu = (struct gpu_slice){.slice = index,
                                  .device = -1,
                                  .stream = NONE,
                                  .bytes = NONE,
                                  .correlation = NONE,
                                  .external = NONE};
        slice->side = (uint32_t)trace->gpus.count - 1;
    } else if (role == ROLE_CALL) {
        struct call_slice *call = array_push(&trace->calls);
        *call = (struct call_slice){.slice = index, .correlation = NONE, .external = NONE};
        slice->side = (uint32_t)trace->calls.count - 1;
    } else if (role == ROLE_OP) {
        struct op op = {.name = slice->name};
        slice->op = intern_add(&trace->ops, &op, sizeof op);
    }
}

static void add_edge(struct pftrace *self, int64_t time, uint32_t track, uint32_t slice,
                     bool is_end)
{
    array_add(&self->edges,
              (struct pftrace_edge){
                  .time = time, .track = track, .slice = slice & INT32_MAX, .is_end = is_end});
}

/* A slice that begins, and may say how long it takes; -1 = it does not. */
static bool begin_slice(struct pftrace *self, const struct pftrace_sequence *sequence,
                        struct event *event, struct pftrace_said *said, int64_t time,
                        int64_t duration)
{
    struct trace *trace = self->trace;
    uint32_t index = (uint32_t)trace->slices.count, track = track_of(self, sequence, event), name;
    if (track == UINT32_MAX)
        return false;
    pftrace_event_name_of(self, sequence, event, &name);

    /* Slices that no reader knows nest as calls of libraries do; what they were is among their
     * arguments. */
    static const char key[] = "category";
    if (event->category < 0) {
        event->category = CATEGORY_LIBRARY_CALL;
        if (event->category_text) {
            struct pftrace_annotation *kept = array_push(&self->annotations);
            *kept = (struct pftrace_annotation){.field = ANNOTATION_STRING_IID,
                                                .value = event->category_text};
            pftrace_keep(self, VIEW(key), &kept->name);
        }
    }
    if (!arguments_of(self, sequence, &said->arguments))
        return false;
    struct slice made = {
        .start = time,
        .duration = duration,
        .name = name,
        .uid = (uint32_t)trace->events,
        .arguments = said->arguments,
        .place = track & 0xFFFFFF,
        .category = (unsigned)event->category & 0xFF,
    };
    add_side(self, &made);
    array_add(&trace->slices, made);
    pftrace_apply(self, index, said);
    for (size_t i = 0; i < event->flows; i++)
        self->flows.items[self->flows.count - 1 - i].slice = index;
    event->flows = 0;
    if (duration < 0)
        add_edge(self, time, track, index, false);
    return true;
}

static bool end_slice(struct pftrace *self, const struct pftrace_sequence *sequence,
                      const struct event *event, struct pftrace_said *said, int64_t time)
{
    uint32_t track = track_of(self, sequence, event), number = 0;
    if (track == UINT32_MAX)
        return false;
    if (event->has_annotations) {
        if (!arguments_of(self, sequence, &said->arguments))
            return false;
        array_add(&self->ends, *said);
        number = (uint32_t)self->ends.count;
    }
    add_edge(self, time, track, number, true);
    return true;
}

static bool add_value_of(struct pftrace *self, const struct pftrace_sequence *sequence,
                         uint32_t track, double value, int64_t time)
{
    if (track == UINT32_MAX)
        return false;
    if (!isfinite(value)) {
        pftrace_note(self, NOTE_NOT_FINITE);
        return true;
    }
    array_add(&self->samples, (struct pftrace_sample){.time = time,
                                                      .value = value,
                                                      .track = track,
                                                      .generation = sequence->generation});
    return true;
}

/* The counters of values beside an event are those that it names, else those of its sequence. */
static bool add_beside(struct pftrace *self, const struct pftrace_sequence *sequence, int64_t time)
{
    bool done = true;
    for (int kind = 0; kind < 2; kind++) {
        const pftrace_tracks *tracks =
            self->beside_tracks[kind].count ? &self->beside_tracks[kind] : &sequence->beside[kind];
        for (size_t i = 0; i < self->beside[kind].count && done; i++)
            if (i < tracks->count)
                done = add_value_of(self, sequence, pftrace_track(self, tracks->items[i], 0),
                                    self->beside[kind].items[i], time);
            else
                pftrace_note(self, NOTE_VALUE_ODD);
    }
    return done;
}

/* A broken event leaves nothing behind: --salvage keeps only the complete events. */
static bool forget(struct pftrace *self, size_t flows, size_t samples)
{
    self->flows.count = flows;
    self->samples.count = samples;
    return false;
}

bool pftrace_read_event(struct pftrace *self, struct pftrace_sequence *sequence,
                        struct message bytes, int64_t time)
{
    struct event event;
    struct pftrace_said said;
    size_t flows = self->flows.count, samples = self->samples.count;
    if (!look_through(self, sequence, bytes, &event, &said) || !add_beside(self, sequence, time))
        return forget(self, flows, samples);
    if (!event.type && event.has_legacy)
        translate_legacy(&event);
    else
        event.has_legacy_duration = false;
    bool done = true;
    switch (event.type) {
    case TYPE_BEGIN: {
        bool is_whole = event.has_legacy_duration && event.legacy_duration <= INT64_MAX / 1000;
        int64_t duration = is_whole ? clip(self, (int64_t)event.legacy_duration * 1000) : -1;
        done = begin_slice(self, sequence, &event, &said, time, duration);
        break;
    }
    case TYPE_END:
        done = end_slice(self, sequence, &event, &said, time);
        break;
    case TYPE_INSTANT: /* points are kept where they mark something */
        if (event.category >= 0 && category_role(event.category) == ROLE_MARK) {
            event.category = CATEGORY_SIGNPOST;
            done = begin_slice(self, sequence, &event, &said, time, 0);
        } else
            pftrace_note(self, NOTE_POINT_UNUSED);
        break;
    case TYPE_COUNTER:
        if (event.has_value)
            done =
                add_value_of(self, sequence, track_of(self, sequence, &event), event.value, time);
        else
            pftrace_note(self, NOTE_VALUE_ODD);
        break;
    default:
        pftrace_note(self, NOTE_PACKET_UNUSED);
        break;
    }
    if (!done)
        return forget(self, flows, samples);
    if (event.type && time > self->last_end)
        self->last_end = time;
    note_count(&self->trace->notes, NOTE_FLOW_UNUSED, (int64_t)event.flows, self->trace->events,
               self->offset);
    self->flows.count -= event.flows; /* the event is no slice */
    return true;
}
