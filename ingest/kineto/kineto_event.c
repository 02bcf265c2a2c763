/* kineto_event: what one event says is collected; then, as what kineto.c finds it to be, it is
 * added to the trace. See kineto_reader.h. */
#include "ingest/kineto/kineto_reader.h"

#include "src/base/map.h"
#include "src/base/order.h"

#include <string.h>

/* Arguments that say something about work or a call. */
#define SAID_OF_WORK                                                              \
    (1u << ARGUMENT_CORRELATION | 1u << ARGUMENT_STREAM | 1u << ARGUMENT_DEVICE | \
     1u << ARGUMENT_SIZE)

/* Arguments that state times; beyond 146 years they are none. */
#define STATED_TIMES    (1u << ARGUMENT_BEGIN | 1u << ARGUMENT_END | 1u << ARGUMENT_DELTA)
#define STATED_TIME_MAX ((int64_t)1 << 62)

/* ------------------------------------------------------------------ collecting */

static enum field field_of(struct view key)
{
    static const struct view keys[] = {
        [FIELD_PHASE] = VIEW_OF("ph"),     [FIELD_CATEGORY] = VIEW_OF("cat"),
        [FIELD_NAME] = VIEW_OF("name"),    [FIELD_PROCESS] = VIEW_OF("pid"),
        [FIELD_THREAD] = VIEW_OF("tid"),   [FIELD_TIME] = VIEW_OF("ts"),
        [FIELD_DURATION] = VIEW_OF("dur"), [FIELD_ID] = VIEW_OF("id"),
        [FIELD_COUNT] = VIEW_OF(""),       [FIELD_ARGUMENTS] = VIEW_OF("args")};
    for (size_t field = 0; field < sizeof keys / sizeof *keys; field++)
        if (view_equal(key, keys[field]))
            return (enum field)field;
    return FIELD_COUNT;
}

static const struct {
    struct view key;
    enum argument argument;
} argument_keys[] = {
    {VIEW_OF("External id"), ARGUMENT_EXTERNAL},
    {VIEW_OF("correlation"), ARGUMENT_CORRELATION},
    {VIEW_OF("Ev Idx"), ARGUMENT_INDEX},
    {VIEW_OF("Python id"), ARGUMENT_FRAME},
    {VIEW_OF("Python parent id"), ARGUMENT_CALLER},
    {VIEW_OF("Python module id"), ARGUMENT_ID},
    {VIEW_OF("Record function id"), ARGUMENT_ID},
    {VIEW_OF("Input Dims"), ARGUMENT_DIMS},
    {VIEW_OF("Input type"), ARGUMENT_TYPES},
    {VIEW_OF("Input Strides"), ARGUMENT_STRIDES},
    {VIEW_OF("Concrete Inputs"), ARGUMENT_CONCRETE},
    {VIEW_OF("stream"), ARGUMENT_STREAM},
    {VIEW_OF("device"), ARGUMENT_DEVICE},
    {VIEW_OF("bytes"), ARGUMENT_SIZE},
    {VIEW_OF("queued"), ARGUMENT_ID},
    {VIEW_OF("Sequence number"), ARGUMENT_SEQUENCE},
    {VIEW_OF("Fwd thread id"), ARGUMENT_FORWARD},
    {VIEW_OF("Bytes"), ARGUMENT_MEMORY_BYTES},
    {VIEW_OF("Addr"), ARGUMENT_MEMORY_ADDRESS},
    {VIEW_OF("Total Allocated"), ARGUMENT_MEMORY_ALLOCATED},
    {VIEW_OF("Total Reserved"), ARGUMENT_MEMORY_RESERVED},
    {VIEW_OF("Device Id"), ARGUMENT_MEMORY_DEVICE},
    {VIEW_OF("Device Type"), ARGUMENT_MEMORY_DEVICE_TYPE},
    {VIEW_OF("name"), ARGUMENT_LABEL_NAME},
    {VIEW_OF("labels"), ARGUMENT_LABEL_LABELS},
    {VIEW_OF("sort_index"), ARGUMENT_LABEL_SORT},
    {VIEW_OF("begin_ns"), ARGUMENT_BEGIN},
    {VIEW_OF("end_ns"), ARGUMENT_END},
    {VIEW_OF("delta_ns"), ARGUMENT_DELTA},
    {VIEW_OF("agent"), ARGUMENT_AGENT},
    {VIEW_OF("tid_raw"), ARGUMENT_THREAD},
    /* spellings of older profilers, and of others */
    {VIEW_OF("corr_id"), ARGUMENT_CORRELATION},
    {VIEW_OF("copy_bytes"), ARGUMENT_SIZE},
    {VIEW_OF("external id"), ARGUMENT_EXTERNAL},
    {VIEW_OF("External Id"), ARGUMENT_EXTERNAL},
    {VIEW_OF("Input dims"), ARGUMENT_DIMS},
    {VIEW_OF("Input strides"), ARGUMENT_STRIDES},
    /* of other producers */
    {VIEW_OF("correlation_id"), ARGUMENT_CORRELATION},
    {VIEW_OF("Stream Id"), ARGUMENT_STREAM},
    {VIEW_OF("stream-id"), ARGUMENT_STREAM},
    {VIEW_OF("dev-id"), ARGUMENT_DEVICE},
    {VIEW_OF("Task Id"), ARGUMENT_ID},
    {VIEW_OF("Subtask Id"), ARGUMENT_ID},
    {VIEW_OF("Batch Id"), ARGUMENT_ID},
    {VIEW_OF("connection_id"), ARGUMENT_ID},
    {VIEW_OF("connection_ids"), ARGUMENT_ID},
    {VIEW_OF("BeginNs"), ARGUMENT_ID},
    {VIEW_OF("EndNs"), ARGUMENT_ID},
    {VIEW_OF("DurationNs"), ARGUMENT_ID},
};

/* Tells the known keys apart well enough that most take one comparison. */
static inline unsigned key_hash(struct view key)
{
    unsigned length = (unsigned)key.length;
    if (length == 0)
        return 0;
    return (length * 7 + (unsigned char)key.bytes[0] + (unsigned char)key.bytes[length - 1] * 5u) %
           128;
}

void kineto_event_init(struct kineto *self)
{
    for (size_t i = 0; i < sizeof argument_keys / sizeof *argument_keys; i++) {
        unsigned slot = key_hash(argument_keys[i].key);
        while (self->argument_slots[slot])
            slot = (slot + 1) % 128;
        self->argument_slots[slot] = (uint8_t)(i + 1);
    }
}

static enum argument argument_of(const struct kineto *self, struct view key)
{
    for (unsigned slot = key_hash(key); self->argument_slots[slot]; slot = (slot + 1) % 128) {
        unsigned i = self->argument_slots[slot] - 1u;
        if (view_equal(key, argument_keys[i].key))
            return argument_keys[i].argument;
    }
    return ARGUMENT_OTHER;
}

struct view kineto_argument_key(enum argument argument)
{
    size_t i = 0;
    while (argument_keys[i].argument != argument)
        i++;
    return argument_keys[i].key;
}

static void count_here(struct kineto *self, enum note note, int64_t count)
{
    note_count(&self->trace->notes, note, count, self->uid, self->json.mark_offset);
}

void kineto_note(struct kineto *self, enum note note)
{
    count_here(self, note, 1);
}

void kineto_repairs(struct kineto *self, const struct json_repairs *repairs)
{
    trace_repairs(self->trace, repairs, self->uid, self->json.mark_offset);
}

bool kineto_has(const struct kineto *self, enum field field)
{
    return self->fields_seen >> field & 1;
}

struct view kineto_field(const struct kineto *self, enum field field)
{
    return kineto_has(self, field) ? json_view(&self->json, self->fields[field].span) : VIEW("");
}

/* Arguments of counters are their values, whatever their names. */
static bool may_be_counter(const struct kineto *self)
{
    return !kineto_has(self, FIELD_PHASE) || view_equal(kineto_field(self, FIELD_PHASE), VIEW("C"));
}

static bool is_id(enum argument argument)
{
    return argument >= ARGUMENT_ID && argument < ARGUMENT_OTHER;
}

/* An id that tells an op or a frame from others like it; they may come in any order. */
static void take_id(struct kineto *self, enum argument argument, const struct json_value *value)
{
    if (argument == ARGUMENT_ID)
        return;
    struct view text = json_view(&self->json, value->span);
    if (argument == ARGUMENT_FORWARD) {
        self->is_backward = text.length && *text.bytes >= '1' && *text.bytes <= '9';
        return;
    }

    /* The number that digits are; of other texts one that tells them apart. */
    uint64_t number = 0;
    for (const char *at = text.bytes, *end = at + text.length; at < end; at++)
        number = number * 10 + (unsigned char)(*at - '0');
    int64_t id = value->type != JSON_NULL ? (int64_t)(number & INT64_MAX) : NONE;
    if (argument == ARGUMENT_CALLER)
        self->caller = id;
    else
        self->ids += (uint32_t)((number + 1) * 0x9E3779B97F4A7C15u >> 32) * (argument * 2 + 1);
    if (argument == ARGUMENT_FRAME)
        self->frame = id;
}

static bool collect_args_member(struct kineto *self)
{
    if (json_peek(&self->json) == '{') {
        /* Keys are compared as they stand: none of the known ones needs an escape. */
        struct json *json = &self->json;
        json_accept(json);
        bool first = true;
        struct json_value key, value;
        enum json_step step;
        while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM) {
            if (!json_value(json, &value))
                return false;
            if (key.cut || value.cut)
                kineto_note(self, NOTE_VALUE_CUT);
            enum argument argument = argument_of(self, json_view(json, key.span));
            if (is_id(argument) && !may_be_counter(self)) {
                take_id(self, argument, &value);
                continue;
            }
            if (is_id(argument) || argument == ARGUMENT_OTHER) {
                self->has_ids |= is_id(argument);
                array_add(&self->extras, (struct extra){key.span, value});
                continue;
            }
            if (self->arguments_seen >> argument & 1)
                kineto_note(self, NOTE_DUPLICATE_KEY);
            self->arguments_seen |= 1u << argument;
            self->arguments[argument] = value;
        }
        return step == JSON_STEP_END;
    }
    struct json_value value;
    if (!json_value(&self->json, &value))
        return false;
    if (value.type != JSON_NULL)
        kineto_note(self, NOTE_VALUE_ODD);
    return true;
}

/* They say how an event is drawn. */
static bool is_for_viewers(struct view key)
{
    return view_equal(key, VIEW("s")) || view_equal(key, VIEW("bp")) ||
           view_equal(key, VIEW("cname"));
}

/* Takes arguments out again that were kept because the phase was not known yet. */
static void drop_ids(struct kineto *self)
{
    size_t kept = 0;
    if (!self->has_ids || view_equal(kineto_field(self, FIELD_PHASE), VIEW("C")))
        return;
    for (size_t i = 0; i < self->extras.count; i++) {
        const struct extra *extra = &self->extras.items[i];
        enum argument argument = argument_of(self, json_view(&self->json, extra->key));
        if (is_id(argument))
            take_id(self, argument, &extra->value);
        else
            self->extras.items[kept++] = *extra;
    }
    self->extras.count = kept;
}

bool kineto_collect(struct kineto *self)
{
    struct json *json = &self->json;
    if (self->uid >= UINT32_MAX)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: more than %u events",
                         source_path(json->source), UINT32_MAX);
    json_accept(json);
    self->has_ids = self->is_backward = false;
    self->ids = 0;
    self->frame = self->caller = NONE;
    self->fields_seen = self->arguments_seen = 0;
    self->extras.count = 0;
    self->members_unused = 0;
    bool first = true, args_seen = false;
    struct json_value key;
    enum json_step step;
    while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM) {
        enum field field = field_of(json_view(json, key.span));
        if (field == FIELD_ARGUMENTS) {
            if (args_seen) { /* the last one holds */
                kineto_note(self, NOTE_DUPLICATE_KEY);
                self->arguments_seen = 0;
                self->extras.count = 0;
            }
            args_seen = true;
            if (!collect_args_member(self))
                return false;
            continue;
        }
        struct json_value value;
        if (!json_value(json, &value))
            return false;
        if (key.cut || value.cut)
            kineto_note(self, NOTE_VALUE_CUT);
        if (field == FIELD_COUNT) {
            self->members_unused += !key.cut && !is_for_viewers(json_view(json, key.span));
            continue;
        }
        if (self->fields_seen >> field & 1)
            kineto_note(self, NOTE_DUPLICATE_KEY);
        self->fields_seen |= 1u << field;
        self->fields[field] = value;
    }

    /* Slices that overlap with others of their thread are shown to viewers on one beside it. */
    if (self->arguments_seen >> ARGUMENT_THREAD & 1 && kineto_has(self, FIELD_THREAD)) {
        self->arguments_seen &= ~(1u << ARGUMENT_THREAD);
        self->fields[FIELD_THREAD] = self->arguments[ARGUMENT_THREAD];
    }
    drop_ids(self);
    return step == JSON_STEP_END;
}

/* ------------------------------------------------------------------ values */

/* The raw text of a value, of a string with its quotes. */
static struct view raw_text(const struct kineto *self, const struct json_value *value)
{
    struct view text = json_view(&self->json, value->span);
    if (value->type == JSON_STRING && !value->cut) {
        text.bytes--;
        text.length += 2;
    }
    return text;
}

/* Appends a value so that what results is JSON again, whatever was cut from it. */
static void add_raw(struct kineto *self, const struct json_value *value)
{
    struct view text = raw_text(self, value);
    if (!value->cut) {
        text_add_view(&self->raw, text);
        return;
    }
    if (value->type != JSON_STRING) {
        text_add_string(&self->raw, "null");
        return;
    }
    text_add_byte(&self->raw, '"');
    text_add_view(&self->raw, text);
    text_add_byte(&self->raw, '"');
}

/* A characters-only text: the number in trace.strings, 0 on failure. */
uint32_t kineto_text(struct kineto *self, struct view raw)
{
    uint32_t *known = memo_find(&self->names, raw);
    if (*known)
        return *known;
    struct json_repairs repairs = {0};
    text_clear(&self->canonical);
    json_unescape(raw, &self->canonical, &repairs);
    kineto_repairs(self, &repairs);
    *known = intern_add(&self->trace->strings, self->canonical.items, self->canonical.count);
    return *known;
}

/* The number that `interned` gives the canonical form of raw JSON; `memo` knows raw texts. */
static bool canonical_number(struct kineto *self, struct view raw, struct memo *memo,
                             struct intern *interned, uint32_t *number)
{
    uint32_t *known = memo_find(memo, raw);
    if (!*known) {
        /* The canonical form of raw JSON in `self->canonical`. */
        struct json_repairs repairs = {0};
        text_clear(&self->canonical);
        if (json_canonical(raw, &self->canonical, &repairs) == JSON_CANON_MALFORMED) {
            return error_set(self->error, STATUS_BAD_INPUT,
                             "%s: malformed JSON in the event at byte %lld",
                             source_path(self->json.source), (long long)self->json.mark_offset);
        }
        kineto_repairs(self, &repairs);
        *known = intern_add(interned, self->canonical.items, self->canonical.count);
    }
    *number = *known;
    return true;
}

/* A value as canonical JSON: the number of its text, 0 when absent. */
static bool json_text(struct kineto *self, enum argument argument, uint32_t *number)
{
    *number = 0;
    if (!(self->arguments_seen >> argument & 1))
        return true;
    const struct json_value *value = &self->arguments[argument];
    text_clear(&self->raw);
    if (value->cut)
        add_raw(self, value);
    struct view raw = value->cut ? text_view(&self->raw) : raw_text(self, value);
    return canonical_number(self, raw, &self->texts, &self->trace->strings, number);
}

/* Ids are numbers; other texts become numbers that no number can be. */
static int64_t id_of(struct kineto *self, const struct json_value *value)
{
    int64_t id;
    struct view text = json_view(&self->json, value->span);
    if (value->type == JSON_NUMBER && json_integer(text, &id))
        return id;
    if (value->type != JSON_STRING && value->type != JSON_NUMBER)
        return NONE;
    uint32_t number = intern_add(&self->trace->strings, text.bytes, text.length);
    return NONE + (int64_t)number;
}

static int64_t argument_id(struct kineto *self, enum argument argument)
{
    return self->arguments_seen >> argument & 1 ? id_of(self, &self->arguments[argument]) : NONE;
}

/* A whole number, which may be written as a text, or as a real number: 7.0. */
static int64_t argument_integer(const struct kineto *self, enum argument argument)
{
    int64_t integer;
    const struct json_value *value = &self->arguments[argument];
    if (!(self->arguments_seen >> argument & 1) ||
        (value->type != JSON_NUMBER && value->type != JSON_STRING))
        return NONE;
    return json_whole(json_view(&self->json, value->span), &integer) ? integer : NONE;
}

/* The integer if there is one; then the argument is spent and not kept among the others. */
static int64_t spend_integer(struct kineto *self, enum argument argument)
{
    int64_t integer = argument_integer(self, argument);
    if (integer != NONE)
        self->arguments_seen &= ~(1u << argument);
    return integer;
}

/* ------------------------------------------------------------------ places and arguments */

uint32_t kineto_place_text(struct kineto *self, enum field field)
{
    struct view text = kineto_has(self, field) ? raw_text(self, &self->fields[field]) : VIEW("");
    return intern_add(&self->trace->strings, text.bytes, text.length);
}

/* The number of the event's process and thread, 0 on failure. */
uint32_t kineto_place(struct kineto *self)
{
    struct place place = {kineto_place_text(self, FIELD_PROCESS),
                          kineto_place_text(self, FIELD_THREAD)};
    uint32_t number = intern_add(&self->trace->places, &place, sizeof place);
    return number < 1u << 24
               ? number
               : error_set(self->error, STATUS_BAD_INPUT, "%s: more than %u threads and streams",
                           source_path(self->json.source), (1u << 24) - 1);
}

static void add_member(struct kineto *self, struct view key, const struct json_value *value)
{
    text_add_byte(&self->raw, self->raw.count ? ',' : '{');
    text_add_byte(&self->raw, '"');
    text_add_view(&self->raw, key);
    text_add(&self->raw, "\":", 2);
    add_raw(self, value);
}

bool kineto_arguments(struct kineto *self, uint32_t *number)
{
    *number = 0;
    text_clear(&self->raw);
    for (unsigned i = 0; i < ARGUMENT_COUNT && self->arguments_seen >> i; i++)
        if (self->arguments_seen >> i & 1)
            add_member(self, kineto_argument_key((enum argument)i), &self->arguments[i]);
    for (size_t i = 0; i < self->extras.count; i++)
        add_member(self, json_view(&self->json, self->extras.items[i].key),
                   &self->extras.items[i].value);
    if (self->raw.count)
        text_add_byte(&self->raw, '}');
    if (!self->raw.count)
        return true;
    struct view raw = {self->raw.items, self->raw.count};
    return canonical_number(self, raw, &self->argument_lists, &self->trace->arguments, number);
}

/* The op signature; 0 when the slice is no op and has none. */
static bool signature(struct kineto *self, uint32_t name, enum role role, uint32_t *number)
{
    enum {
        PARTS = 1u << ARGUMENT_DIMS | 1u << ARGUMENT_TYPES | 1u << ARGUMENT_STRIDES |
                1u << ARGUMENT_CONCRETE
    };
    *number = 0;
    if (role != ROLE_OP && !(self->arguments_seen & PARTS))
        return true;
    struct op op = {.name = name};
    if (!json_text(self, ARGUMENT_DIMS, &op.dims) || !json_text(self, ARGUMENT_TYPES, &op.types) ||
        !json_text(self, ARGUMENT_STRIDES, &op.strides) ||
        !json_text(self, ARGUMENT_CONCRETE, &op.concrete))
        return false;
    self->arguments_seen &= ~(uint32_t)PARTS;
    *number = intern_add(&self->trace->ops, &op, sizeof op);
    return true;
}

/* ------------------------------------------------------------------ understanding */

/* Some profilers write times as texts, to keep the digits of exact decimals. */
static bool kineto_event_is_number(const struct kineto *self, enum field field)
{
    const struct json_value *value = &self->fields[field];
    return kineto_has(self, field) &&
           (value->type == JSON_NUMBER || (value->type == JSON_STRING && !value->cut));
}

bool kineto_time(struct kineto *self, int64_t *time)
{
    if (!kineto_event_is_number(self, FIELD_TIME)) {
        kineto_note(self, NOTE_TIME_MISSING);
        return false;
    }
    switch (json_nanoseconds(kineto_field(self, FIELD_TIME), time)) {
    case JSON_NUMBER_FINE:
        return true;
    case JSON_NUMBER_MALFORMED:
        kineto_note(self, NOTE_TIME_MISSING);
        return false;
    case JSON_NUMBER_TOO_LARGE:
        break;
    }
    kineto_note(self, NOTE_TIME_OUT_OF_RANGE);
    return false;
}

static int64_t event_duration(struct kineto *self)
{
    int64_t duration;
    const struct json_value *value = &self->fields[FIELD_DURATION];
    if (!kineto_event_is_number(self, FIELD_DURATION)) {
        bool odd = kineto_has(self, FIELD_DURATION) && value->type == JSON_NAN;
        kineto_note(self, odd ? NOTE_NOT_FINITE : NOTE_DURATION_MISSING);
        return 0;
    }
    enum json_number result = json_nanoseconds(json_view(&self->json, value->span), &duration);
    if (result == JSON_NUMBER_MALFORMED) {
        kineto_note(self, NOTE_DURATION_MISSING);
        return 0;
    }
    if (json_view(&self->json, value->span).bytes[0] == '-' &&
        (result != JSON_NUMBER_FINE || duration < 0)) {
        kineto_note(self, NOTE_DURATION_NEGATIVE);
        return 0;
    }
    if (result == JSON_NUMBER_TOO_LARGE || duration > DURATION_MAX) {
        kineto_note(self, NOTE_DURATION_CLIPPED);
        return DURATION_MAX;
    }
    if (duration == 0)
        kineto_note(self, NOTE_DURATION_ZERO);
    return duration;
}

/* Times that a slice states beside those that viewers draw. */
static bool stated_time(struct kineto *self, struct slice *slice)
{
    int64_t begin = argument_integer(self, ARGUMENT_BEGIN),
            end = argument_integer(self, ARGUMENT_END);
    int64_t duration = argument_integer(self, ARGUMENT_DELTA);
    if (begin == NONE || begin > STATED_TIME_MAX || begin < -STATED_TIME_MAX)
        return false;
    if (duration == NONE && (end == NONE || __builtin_sub_overflow(end, begin, &duration)))
        return false;
    count_here(self, NOTE_DURATION_NEGATIVE, duration < 0);
    count_here(self, NOTE_DURATION_ZERO, duration == 0);
    count_here(self, NOTE_DURATION_CLIPPED, duration > DURATION_MAX);
    slice->start = begin;
    slice->duration = duration < 0 ? 0 : duration > DURATION_MAX ? DURATION_MAX : duration;
    return true;
}

static int event_category(struct kineto *self)
{
    if (!kineto_has(self, FIELD_CATEGORY))
        return CATEGORY_NONE;
    if (self->fields[FIELD_CATEGORY].type != JSON_STRING) {
        if (self->fields[FIELD_CATEGORY].type != JSON_NULL)
            kineto_note(self, NOTE_VALUE_ODD);
        return CATEGORY_NONE;
    }
    uint32_t *known = memo_find(&self->categories, kineto_field(self, FIELD_CATEGORY));
    if (!*known) {
        uint32_t text = kineto_text(self, kineto_field(self, FIELD_CATEGORY));
        int category = trace_category(self->trace, intern_view(&self->trace->strings, text));
        if (category >= CATEGORY_KNOWN_COUNT)
            kineto_note(self, NOTE_CATEGORY_UNKNOWN);
        *known = (uint32_t)category + 1;
    }
    return (int)*known - 1;
}

/* As it is stated, else the thread that the work stands on: some profilers say it only so. */
static int64_t stream_of(struct kineto *self)
{
    int64_t stream = spend_integer(self, ARGUMENT_STREAM), thread;
    bool is_stated = stream != NONE || self->arguments_seen >> ARGUMENT_STREAM & 1;
    return !is_stated && json_integer(kineto_field(self, FIELD_THREAD), &thread) ? thread : stream;
}

static void add_gpu(struct kineto *self, struct slice *slice)
{
    struct trace *trace = self->trace;
    struct gpu_slice *gpu = array_push(&trace->gpus);
    int64_t device = argument_integer(self, ARGUMENT_DEVICE);
    bool is_own = device != NONE;
    if (!is_own && self->arguments_seen >> ARGUMENT_AGENT & 1) {
        /* The digits behind the dash of GPU-1; NONE when it has none. */
        struct view text = json_view(&self->json, self->arguments[ARGUMENT_AGENT].span);
        int64_t number;
        const char *dash = text.length ? memrchr(text.bytes, '-', text.length) : NULL;
        size_t skip = dash ? (size_t)(dash + 1 - text.bytes) : 0;
        bool is_one = dash && json_integer((struct view){dash + 1, text.length - skip}, &number);
        device = is_one ? number : NONE;
    }
    bool sane = device >= 0 && device <= INT32_MAX;
    if (sane && is_own)
        self->arguments_seen &= ~(1u << ARGUMENT_DEVICE);
    *gpu = (struct gpu_slice){
        .slice = (uint32_t)trace->slices.count,
        .device = sane ? (int32_t)device : -1,
        .stream = stream_of(self),
        .bytes = spend_integer(self, ARGUMENT_SIZE),
        .correlation = argument_id(self, ARGUMENT_CORRELATION),
        .external = argument_id(self, ARGUMENT_EXTERNAL),
    };
    slice->side = (uint32_t)trace->gpus.count - 1;
}

static void add_call(struct kineto *self, struct slice *slice)
{
    struct trace *trace = self->trace;
    array_add(&trace->calls, (struct call_slice){
                                 .slice = (uint32_t)trace->slices.count,
                                 .correlation = argument_id(self, ARGUMENT_CORRELATION),
                                 .external = argument_id(self, ARGUMENT_EXTERNAL),
                             });
    slice->side = (uint32_t)trace->calls.count - 1;
}

static void add_sequence(struct kineto *self)
{
    int64_t number = argument_integer(self, ARGUMENT_SEQUENCE);
    if (number == NONE)
        return;
    array_add(&self->trace->sequences,
              (struct sequence){number, (uint32_t)self->trace->slices.count, self->is_backward});
}

void kineto_frames_count(struct kineto *self)
{
    struct numbers frames = {0};
    struct trace *trace = self->trace;
    for (size_t i = 0; i < self->frames.count; i++)
        numbers_expect(&frames, self->frames.items[i].own);
    numbers_reserve(&frames);
    for (size_t i = 0; i < self->frames.count; i++) {
        int64_t own = self->frames.items[i].own;
        if (own != NONE)
            *numbers_put(&frames, own) = 1;
    }
    for (size_t i = 0; i < self->frames.count; i++) {
        const struct frame_ids *frame = &self->frames.items[i];
        trace->frames.lost += frame->caller != NONE && !numbers_get(&frames, frame->caller);
    }
    trace->frames.count = (int64_t)self->frames.count;
    numbers_free(&frames);
}

/* Data of work or a call in a slice without a category. */
static void add_stray(struct kineto *self)
{
    if (!(self->arguments_seen & SAID_OF_WORK))
        return;
    struct stray *stray = array_push(&self->trace->strays);
    int64_t correlation = argument_integer(self, ARGUMENT_CORRELATION);
    *stray = (struct stray){
        .slice = (uint32_t)self->trace->slices.count,
        .correlation = correlation == NONE ? argument_id(self, ARGUMENT_CORRELATION) : correlation,
        .stream = argument_integer(self, ARGUMENT_STREAM),
        .device = argument_integer(self, ARGUMENT_DEVICE),
        .bytes = argument_integer(self, ARGUMENT_SIZE),
    };
}

static bool add_slice(struct kineto *self, int category, bool has_duration)
{
    struct trace *trace = self->trace;
    enum role role = (enum role)trace->categories.roles[category];
    struct slice slice = {.uid = (uint32_t)self->uid, .category = (uint8_t)category};
    bool is_stated = (self->arguments_seen & STATED_TIMES) && stated_time(self, &slice);
    if (!is_stated && !kineto_time(self, &slice.start))
        return true;
    if (role == ROLE_FRAME)
        array_add(&self->frames, (struct frame_ids){self->frame, self->caller});
    if (!is_stated)
        slice.duration = has_duration ? event_duration(self) : 0;
    const struct read_options *options = self->options;
    if (role == ROLE_FRAME && options->no_frames &&
        (!options->long_frame || slice.duration < options->long_frame)) {
        kineto_note(self, NOTE_FRAME_LEFT_OUT);
        return true;
    }
    if (!kineto_has(self, FIELD_NAME) || self->fields[FIELD_NAME].type != JSON_STRING)
        kineto_note(self, NOTE_NAME_MISSING);
    uint32_t place = kineto_place(self);
    slice.name = kineto_text(self, kineto_field(self, FIELD_NAME));
    if (!place || !slice.name)
        return false;
    slice.place = place & 0xFFFFFF;
    if (self->arguments_seen) {
        uint32_t op;
        if (self->arguments_seen >> ARGUMENT_SEQUENCE & 1)
            add_sequence(self);
        if (!signature(self, slice.name, role, &op))
            return false;
        slice.op = op;
    } else if (role == ROLE_OP && !signature(self, slice.name, role, &slice.op)) {
        return false;
    }
    if (role == ROLE_GPU)
        add_gpu(self, &slice);
    if (role == ROLE_CALL)
        add_call(self, &slice);
    if (category == CATEGORY_NONE)
        add_stray(self);
    if (role == ROLE_OTHER && self->arguments_seen >> ARGUMENT_CORRELATION & 1) {
        /* Waits neither launch nor are launched: their id names the call that waited. */
        int64_t id = argument_id(self, ARGUMENT_CORRELATION);
        if (id != NONE) {
            array_add(&self->trace->correlations, id);
            slice.side = (uint32_t)self->trace->correlations.count;
        }
    }
    if (self->arguments_seen >> ARGUMENT_EXTERNAL & 1)
        take_id(self, ARGUMENT_EXTERNAL, &self->arguments[ARGUMENT_EXTERNAL]);
    if ((role == ROLE_OP || role == ROLE_FRAME) && self->ids)
        slice.side = self->ids | SIDE_OF_IDS;
    self->arguments_seen &= ~(1u << ARGUMENT_CORRELATION | 1u << ARGUMENT_EXTERNAL |
                              1u << ARGUMENT_SEQUENCE | STATED_TIMES);
    if ((self->arguments_seen || self->extras.count) && !kineto_arguments(self, &slice.arguments))
        return false;
    array_add(&trace->slices, slice);
    count_here(self, NOTE_MEMBER_UNUSED, self->members_unused);
    return true;
}

void kineto_end_says(struct kineto *self, uint32_t *number)
{
    int64_t device = argument_integer(self, ARGUMENT_DEVICE);
    *number = 0;
    if (!(self->arguments_seen & (SAID_OF_WORK | 1u << ARGUMENT_EXTERNAL)))
        return;
    array_add(&self->said, (struct gpu_slice){
                               .device = device >= 0 && device <= INT32_MAX ? (int32_t)device : -1,
                               .stream = argument_integer(self, ARGUMENT_STREAM),
                               .bytes = argument_integer(self, ARGUMENT_SIZE),
                               .correlation = argument_id(self, ARGUMENT_CORRELATION),
                               .external = argument_id(self, ARGUMENT_EXTERNAL),
                           });
    self->arguments_seen &= ~(1u << ARGUMENT_CORRELATION | 1u << ARGUMENT_EXTERNAL);
    *number = (uint32_t)self->said.count;
}

bool kineto_is_whole(const struct kineto *self)
{
    return (self->arguments_seen & STATED_TIMES) == STATED_TIMES;
}

bool kineto_slice_add(struct kineto *self, const char *category, bool has_duration)
{
    int number;
    if (category)
        number = trace_category(self->trace, view_of(category));
    else
        number = event_category(self);
    return add_slice(self, number, has_duration);
}

static const struct arrow {
    struct view category;
    enum flow_kind kind;
    bool ends_with_step; /* its head is of the phase t */
} arrows[] = {
    {VIEW_OF("ac2g"), FLOW_LAUNCH, false},
    {VIEW_OF("async_cpu_to_gpu"), FLOW_LAUNCH, false},
    {VIEW_OF("fwdbwd"), FLOW_FORWARD_BACKWARD, false},
    {VIEW_OF("HostToDevice"), FLOW_LAUNCH, false},
    {VIEW_OF("async_npu"), FLOW_DEMAND, false},
    {VIEW_OF("DataFlow"), FLOW_LAUNCH, true},
};

/* NULL for those that nothing is made of. */
static const struct arrow *arrow_of(struct view category)
{
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        if (view_equal(category, arrows[i].category))
            return &arrows[i];
    return NULL;
}

bool kineto_flow_add(struct kineto *self, bool is_end)
{
    const struct arrow *arrow = arrow_of(kineto_field(self, FIELD_CATEGORY));
    int64_t id = kineto_has(self, FIELD_ID) ? id_of(self, &self->fields[FIELD_ID]) : NONE;
    if (!arrow || id == NONE) {
        kineto_note(self, NOTE_FLOW_UNUSED);
        return true;
    }
    int64_t time;
    if (!kineto_time(self, &time))
        return true;
    uint32_t place = kineto_place(self);
    if (!place)
        return false;
    struct flow *flow = array_push(&self->trace->flows);
    *flow = (struct flow){.id = id,
                          .time = time,
                          .uid = (uint32_t)self->uid,
                          .place = place & 0xFFFFFF,
                          .kind = arrow->kind & 0x7F,
                          .is_end = is_end};
    count_here(self, NOTE_MEMBER_UNUSED, self->members_unused + (int64_t)self->extras.count);
    return true;
}

bool kineto_ends_with_step(const struct kineto *self)
{
    const struct arrow *arrow = arrow_of(kineto_field(self, FIELD_CATEGORY));
    return arrow && arrow->ends_with_step;
}

static int64_t memory_integer(struct kineto *self, enum argument argument)
{
    int64_t integer = argument_integer(self, argument);
    if (integer == NONE && self->arguments_seen >> argument & 1 &&
        self->arguments[argument].type != JSON_NULL)
        kineto_note(self, NOTE_VALUE_ODD);
    return integer;
}

bool kineto_memory_add(struct kineto *self)
{
    int64_t time;
    if (!kineto_time(self, &time))
        return true;
    uint32_t place = kineto_place(self);
    if (!place)
        return false;
    struct memory_record *record = array_push(&self->trace->memory);
    int64_t device = memory_integer(self, ARGUMENT_MEMORY_DEVICE);
    int64_t device_type = memory_integer(self, ARGUMENT_MEMORY_DEVICE_TYPE);
    *record = (struct memory_record){
        .time = time,
        .bytes = memory_integer(self, ARGUMENT_MEMORY_BYTES),
        .address = memory_integer(self, ARGUMENT_MEMORY_ADDRESS),
        .allocated = memory_integer(self, ARGUMENT_MEMORY_ALLOCATED),
        .reserved = memory_integer(self, ARGUMENT_MEMORY_RESERVED),
        .device_type = device_type >= 0 && device_type <= INT32_MAX ? (int32_t)device_type : -1,
        .device = device >= 0 && device <= INT32_MAX ? (int32_t)device : -1,
        .place = place,
        .uid = (uint32_t)self->uid,
    };
    count_here(self, NOTE_MEMBER_UNUSED, self->members_unused + (int64_t)self->extras.count);
    return true;
}

void kineto_label_add(struct kineto *self)
{
    static const struct {
        struct view name;
        enum label_kind kind;
        enum argument argument;
    } kinds[] = {
        {VIEW_OF("process_name"), LABEL_PROCESS_NAME, ARGUMENT_LABEL_NAME},
        {VIEW_OF("process_labels"), LABEL_PROCESS_LABELS, ARGUMENT_LABEL_LABELS},
        {VIEW_OF("process_sort_index"), LABEL_PROCESS_SORT, ARGUMENT_LABEL_SORT},
        {VIEW_OF("thread_name"), LABEL_THREAD_NAME, ARGUMENT_LABEL_NAME},
        {VIEW_OF("thread_sort_index"), LABEL_THREAD_SORT, ARGUMENT_LABEL_SORT},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!view_equal(kineto_field(self, FIELD_NAME), kinds[i].name) ||
            !(self->arguments_seen >> kinds[i].argument & 1))
            continue;
        const struct json_value *value = &self->arguments[kinds[i].argument];
        struct label label = {
            .process = kineto_place_text(self, FIELD_PROCESS),
            .thread = kineto_place_text(self, FIELD_THREAD),
            .kind = kinds[i].kind,
            .text = kineto_text(self, json_view(&self->json, value->span)),
        };
        struct dated_label *added = array_push(&self->labels);
        *added = (struct dated_label){.label = label};
        if (!kineto_event_is_number(self, FIELD_TIME) || /* most have no time */
            json_nanoseconds(kineto_field(self, FIELD_TIME), &added->time) != JSON_NUMBER_FINE)
            added->time = INT64_MIN;
        return;
    }
    kineto_note(self, NOTE_METADATA_UNKNOWN);
}

static int compare_texts(struct view left, struct view right)
{
    size_t shared = left.length < right.length ? left.length : right.length;
    int order = shared ? memcmp(left.bytes, right.bytes, shared) : 0;
    return order ? order : (left.length > right.length) - (left.length < right.length);
}

ORDER_BY(compare_labels, struct dated_label, UP(time) || BY(compare_texts(b->text, a->text)));

void kineto_labels_give(struct kineto *self)
{
    struct trace *trace = self->trace;
    for (size_t i = 0; i < self->labels.count; i++)
        self->labels.items[i].text = intern_view(&trace->strings, self->labels.items[i].label.text);
    array_sort(&self->labels, compare_labels);
    for (size_t i = 0; i < self->labels.count; i++) {
        struct label *label = array_push(&trace->labels);
        *label = self->labels.items[i].label;
    }
}
