/* kineto: the Chrome trace JSON that PyTorch's profiler (Kineto) writes.
 *
 * The file is an object with an event list in "traceEvents" and metadata beside it, in any order,
 * or the bare list. What one event says is in kineto_event.c.
 *
 * Real traces carry whole environments, with credentials, in their metadata. So only keys that
 * are known to be harmless are kept, unless the user asks for all.
 */
#include "ingest/kineto/kineto_reader.h"

#include "sql/build/embed.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

static const char *const kept_whole[] = {"deviceProperties", "distributedInfo", "tpq_part",
                                         "baseTimeNanoseconds"};
static const char *const kept_values[] = {"schemaVersion", "trace_id", "displayTimeUnit",
                                          "float32_matmul_precision"};

static bool recognises(const unsigned char *bytes, size_t length)
{
    size_t at = json_front(bytes, length);
    return at < length && (bytes[at] == '{' || bytes[at] == '[');
}

/* ------------------------------------------------------------------ counters */

/* Some profilers write numbers as texts. */
static bool read_value(const struct kineto *self, const struct json_value *value, double *number)
{
    char digits[64], *end;
    struct view text = json_view(&self->json, value->span);
    if ((value->type != JSON_NUMBER && value->type != JSON_STRING) || value->cut || !text.length ||
        text.length >= sizeof digits || !strchr("+-.0123456789", text.bytes[0]))
        return false;
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    *number = strtod(digits, &end);
    return !*end && isfinite(*number);
}

/* Counters are named as viewers name them: the event's name, its id, and the name of the value
 * where that says more. Both may state the unit. */
static void make_name(struct kineto *self, struct view key, struct text *out, struct view *unit)
{
    struct view full = kineto_field(self, FIELD_NAME), id = kineto_field(self, FIELD_ID), name;
    bool is_said = view_equal_ignoring_case(key, VIEW("value")) || view_equal(key, full);
    counter_split_unit(full, &name, unit);
    if (name.length && counter_is_unit(key)) {
        *unit = key;
        is_said = true;
    } else if (!is_said) {
        struct view of_key;
        counter_split_unit(key, &key, &of_key);
        *unit = of_key.length ? of_key : *unit;
    }
    text_clear(out);
    text_add_view(out, name);
    if (id.length)
        text_format(out, "[%.*s]", (int)id.length, id.bytes);
    if (!is_said)
        text_format(out, "%s%.*s", name.length ? " " : "", (int)key.length, key.bytes);
}

static void kineto_add_value(struct kineto *self, struct view key, const struct json_value *value,
                             struct counter counter, int64_t time)
{
    double number;
    struct view unit;
    if (value->type == JSON_NAN || !read_value(self, value, &number)) {
        kineto_note(self, value->type == JSON_NAN ? NOTE_NOT_FINITE : NOTE_VALUE_ODD);
        return;
    }
    make_name(self, key, &self->raw, &unit);
    counter.name = kineto_text(self, text_view(&self->raw));
    counter.unit = unit.length ? kineto_text(self, unit) : 0;
    uint32_t place = counters_find(&self->counters, &counter);
    counters_add(&self->counters, place, time, number);
}

/* Every argument of an event of the phase C is a counter of its process. */
static void read_counters(struct kineto *self)
{
    int64_t time;
    struct counter counter;
    if (!kineto_time(self, &time))
        return;
    struct view process = kineto_field(self, FIELD_PROCESS);
    counter = (struct counter){.device = NONE, .source = kineto_text(self, VIEW("C"))};
    if (process.length)
        counter.place = kineto_text(self, process);
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++)
        if (self->arguments_seen >> i & 1)
            kineto_add_value(self, kineto_argument_key((enum argument)i), &self->arguments[i],
                             counter, time);
    for (size_t i = 0; i < self->extras.count; i++)
        kineto_add_value(self, json_view(&self->json, self->extras.items[i].key),
                         &self->extras.items[i].value, counter, time);
}

/* ------------------------------------------------------------------ the event list */

/* With --salvage, an input that broke off counts as far as it went. */
static bool salvage(struct kineto *self)
{
    bool broke_off = self->json.ended_early || source_truncated(self->json.source) ||
                     (self->json.input_ended && self->error->status == STATUS_BAD_INPUT);
    if (!broke_off || !self->any_phase || !salvage_now(self->options, self->error))
        return false;
    note_count(&self->trace->notes, NOTE_SALVAGED, 1, self->uid, json_offset(&self->json));
    return true;
}

/* Profilers that are stopped leave the list open, as the format of a bare list allows. What would
 * have followed cannot be known. */
static bool end_missing(struct kineto *self)
{
    if (self->error->status != STATUS_OK && !self->json.ended_early)
        return false;
    if (!self->any_phase)
        return false;
    *self->error = (struct error){0};
    note_count(&self->trace->notes, self->is_list ? NOTE_LIST_OPEN : NOTE_END_MISSING, 1, -1,
               json_offset(&self->json));
    return true;
}

static bool understand(struct kineto *self)
{
    struct view phase = kineto_field(self, FIELD_PHASE);
    char letter = phase.length == 1 ? phase.bytes[0] : '\0';
    /* {} is no event: rocprof begins its list with it */
    bool is_empty = json_offset(&self->json) - self->json.mark_offset <= 2;
    if (phase.length == 0 && kineto_has(self, FIELD_DURATION)) {
        letter = 'X';
    } else if (phase.length == 0 && !is_empty) {
        kineto_note(self, NOTE_PHASE_MISSING);
        return true;
    }
    self->any_phase |= !is_empty;
    switch (letter) {
    case 'X':
        return kineto_slice_add(self, NULL, true);
    case 'B':
    case 'E':
    case 'b':
    case 'e':
        return kineto_bracket_read(self, letter);
    case 's':
    case 'f':
        return kineto_flow_add(self, letter == 'f');
    case 't':
        if (kineto_ends_with_step(self))
            return kineto_flow_add(self, true);
        break;
    case 'M':
        kineto_label_add(self);
        return true;
    case 'C': /* what an export of ours has counted is counted again when it is asked for */
        if ((self->arguments_seen || self->extras.count) &&
            !view_equal(kineto_field(self, FIELD_CATEGORY), VIEW("tpq"))) {
            read_counters(self);
            return true;
        }
        break;
    case 'i':
        if (view_equal(kineto_field(self, FIELD_NAME), VIEW("[memory]")))
            return kineto_memory_add(self);
        break;
    default:
        break;
    }
    kineto_note(self, NOTE_PHASE_UNUSED);
    note_add(&self->trace->notes.phases[(unsigned char)letter], 1, self->uid,
             self->json.mark_offset);
    return true;
}

enum outcome { OUTCOME_DONE, OUTCOME_INPUT_OVER, OUTCOME_FAILED };

static enum outcome read_events(struct kineto *self)
{
    struct json *json = &self->json;
    json_accept(json);
    bool first = true;
    for (;;) {
        enum json_step step = json_next_item(json, &first);
        if (step == JSON_STEP_END)
            return OUTCOME_DONE;
        if (step == JSON_STEP_FAILED)
            return end_missing(self) || salvage(self) ? OUTCOME_INPUT_OVER : OUTCOME_FAILED;
        json_mark(json);
        self->uid = self->trace->events;
        bool fine;
        if (json_peek(json) == '{') {
            fine = kineto_collect(self) && understand(self);
        } else {
            struct json_value value;
            fine = json_value(json, &value);
            note_count(&self->trace->notes, NOTE_NOT_AN_OBJECT, fine, self->uid, json->mark_offset);
        }
        if (!fine)
            return salvage(self) ? OUTCOME_INPUT_OVER : OUTCOME_FAILED;
        self->trace->events++;
    }
}

/* ------------------------------------------------------------------ metadata */

enum { VALUE_MAX = 128, VERSION_MAX = 64 };

/* Words of a secret, in a key or before a value. */
static const char *const secrets[] = {"*token*", "*secret*",  "*pass*",       "*pwd*",    "*auth*",
                                      "*user*",  "*api*key*", "*credential*", "*bearer*", NULL};

/* True if a text of a file, behind a blank, fits a pattern, whatever its capitals and strokes.
 * Control characters read as '@', which no harmless text has. */
static bool is_like(struct view text, const char *const *patterns)
{
    char plain[VALUE_MAX + 2] = " ";
    for (size_t i = 0; i < text.length && i < VALUE_MAX; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        plain[i + 1] = (char)(byte == '\\' ? '/' : iscntrl(byte) ? '@' : tolower(byte));
    }
    while (*patterns && fnmatch(*patterns, plain, 0) != 0)
        patterns++;
    return *patterns != NULL;
}

/* True if the catalog has the key, which stands first in its row, or a pattern for its ending. */
static bool is_identity(struct view key, bool *is_version)
{
    static const char *const odd[] = {"*[/@]*", NULL};
    for (int i = 0; i < sql_file_count; i++) {
        const char *at = sql_files[i].text;
        if (strcmp(sql_files[i].path, "catalog/identity_key.sql") != 0)
            continue;
        if (is_like(key, secrets) || is_like(key, odd))
            return false;
        while ((at = strstr(at, "('"))) {
            at += 2;
            struct view own = {at, strcspn(at, "'")};
            if (view_equal(key, own))
                return true;
            own.length--; /* what stands behind the star */
            *is_version |= *at == '*' && key.length > own.length &&
                           memcmp(key.bytes + key.length - own.length, at + 1, own.length) == 0;
        }
    }
    return *is_version;
}

/* Paths, command lines and secrets are not; the view run_label has the same rules, for what was
 * kept on demand. */
static bool is_harmless(struct view value, bool is_version)
{
    static const char *const versions[] = {" [0-9]*", " v[0-9]*", NULL};
    static const char *const others[] = {" *[^0-9a-z.+_-]*", NULL};
    static const char *const said[] = {"*[^ ]*", NULL}, *const pairs[] = {" *[=: ]*", NULL};
    static const char *const harmful[] = {
        "*[^0-9a-z]/*", "*/home/*", "*/users/*", "*[^0-9a-z]~*", "* [a-z]:*",  "*[^a-z]file:*",
        "* -[^ ]*",     "*.py*",    "*[{@$%]*",  "* [[]*",       "*key*[=:]*", NULL};
    if (is_version)
        return value.length <= VERSION_MAX && is_like(value, versions) && !is_like(value, others);
    return value.length <= VALUE_MAX && is_like(value, said) && !is_like(value, harmful) &&
           !(is_like(value, pairs) && is_like(value, secrets));
}

/* Lists and objects are kept of known keys alone, texts and numbers only where they are harmless.
 */
static bool is_kept(struct kineto *self, struct view key, const struct json_value *value)
{
    struct json_repairs ignored = {0};
    bool is_known = VIEW_IS_AMONG(key, kept_values), is_version = false;
    if (self->options->keep_metadata || VIEW_IS_AMONG(key, kept_whole) ||
        (is_known && (value->cut || value->type < JSON_STRING)))
        return true;
    if (value->cut || value->type >= JSON_ARRAY || !(is_known || is_identity(key, &is_version)))
        return false;
    text_clear(&self->raw);
    json_unescape(json_view(&self->json, value->span), &self->raw, &ignored);
    return value->type == JSON_NUMBER || is_harmless(text_view(&self->raw), is_version);
}

/* Collects `"key":value` raw; the whole is made canonical at the end of the file. */
static bool read_metadata(struct kineto *self, const struct json_value *key_value)
{
    struct json *json = &self->json;
    struct text *metadata = &self->trace->metadata;
    struct json_value value;
    if (!json_value(json, &value))
        return false;
    struct view key = json_view(json, key_value->span), text = json_view(json, value.span);
    if (!is_kept(self, key, &value)) {
        note_count(&self->trace->notes, NOTE_METADATA_LEFT_OUT, 1, -1, json->mark_offset);
        return true;
    }
    if (key_value->cut || value.cut)
        note_count(&self->trace->notes, NOTE_VALUE_CUT, 1, -1, json->mark_offset);
    if (value.cut) {
        text = VIEW("null");
    } else if (value.type == JSON_STRING) {
        text.bytes--;
        text.length += 2;
    }
    text_add_byte(metadata, metadata->count ? ',' : '{');
    text_add_byte(metadata, '"');
    text_add_view(metadata, key);
    text_add(metadata, "\":", 2);
    text_add_view(metadata, text);
    return true;
}

static int64_t integer_of(struct view text)
{
    int64_t value;
    return json_integer(text, &value) ? value : NONE;
}

static void keep_text(struct kineto *self, struct view text, uint32_t *number)
{
    *number = intern_add(&self->trace->strings, text.bytes, text.length);
}

static void read_devices(struct kineto *self, struct view list)
{
    struct trace *trace = self->trace;
    if (list.length == 0 || list.bytes[0] != '[')
        return;
    for (struct view item; (item = json_item(&list)).length;) {
        if (item.bytes[0] != '{')
            continue;
        struct device *device = array_push(&trace->devices);
        *device = (struct device){
            .ordinal = integer_of(json_member(item, "id")),
            .memory_bytes = integer_of(json_member(item, "totalGlobalMem")),
            .cores = integer_of(json_member(item, "numSms")),
        };

        /* Texts in canonical JSON keep their quotes off when they become names; nothing else is
         * one. */
        struct view text = json_member(item, "name");
        if (text.length >= 2 && text.bytes[0] == '"') {
            struct json_repairs ignored = {0};
            text_clear(&self->canonical);
            json_unescape((struct view){text.bytes + 1, text.length - 2}, &self->canonical,
                          &ignored);
            keep_text(self, text_view(&self->canonical), &device->name);
        }

        /* The compute capability, from its two numbers. */
        struct view major = json_member(item, "computeMajor");
        struct view minor = json_member(item, "computeMinor");
        if (major.length && minor.length) {
            text_clear(&self->canonical);
            text_format(&self->canonical, "%.*s.%.*s", (int)major.length, major.bytes,
                        (int)minor.length, minor.bytes);
            keep_text(self, text_view(&self->canonical), &device->architecture);
        }
        keep_text(self, item, &device->properties);
    }
}

/* ------------------------------------------------------------------ the file */

static bool read_object(struct kineto *self, bool *has_events)
{
    struct json *json = &self->json;
    json_accept(json);
    bool first = true;
    for (;;) {
        json_mark(json);
        if (*has_events && self->any_phase && json_peek(json) < 0)
            return end_missing(self) || salvage(self);
        struct json_value key;
        enum json_step step = json_next_key(json, &first, &key);
        if (step != JSON_STEP_ITEM)
            return step == JSON_STEP_END || salvage(self);
        if (!view_equal(json_view(json, key.span), VIEW("traceEvents")) || json_peek(json) != '[') {
            if (!read_metadata(self, &key))
                return salvage(self);
            continue;
        }
        if (*has_events) {
            note_count(&self->trace->notes, NOTE_DUPLICATE_KEY, 1, -1, json->mark_offset);
            trace_clear_events(self->trace);
            self->counters = (struct counters){0};
            self->brackets.count = self->said.count = 0;
            self->labels.count = self->frames.count = 0;
        }
        *has_events = true;
        switch (read_events(self)) {
        case OUTCOME_DONE:
            break;
        case OUTCOME_INPUT_OVER:
            return true;
        case OUTCOME_FAILED:
            return false;
        }
    }
}

static bool not_a_trace(struct kineto *self, const char *why)
{
    error_set(self->error, STATUS_BAD_INPUT, "%s: not a trace: %s", source_path(self->json.source),
              why);
    self->error->foreign = true;
    return false;
}

static bool read_file(struct kineto *self)
{
    struct json *json = &self->json;
    const unsigned char *bytes;
    ptrdiff_t length = source_peek(json->source, &bytes, SOURCE_PEEK_MAX, self->error);
    if (length < 0)
        return false;
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        json_peek(json);
        json->position += 3;
    }
    if (json_peek(json) == '{') {
        bool has_events = false;
        if (!read_object(self, &has_events))
            return false;
        if (!has_events)
            return not_a_trace(self, "it has no list \"traceEvents\"");
    } else {
        self->is_list = true;
        enum outcome outcome = read_events(self);
        if (outcome == OUTCOME_FAILED)
            return false;
        if (!self->any_phase)
            return not_a_trace(self, "the list holds no trace events");
    }
    int byte = json_peek(&self->json);
    if (byte >= 0)
        return json_fail(&self->json, "something follows the end of the trace");
    if (self->error->status != STATUS_OK && !salvage(self))
        return false;
    kineto_brackets_close(self);
    kineto_labels_give(self);
    kineto_frames_count(self);

    /* The metadata ends, and says which rank, clock and devices they are. */
    struct trace *trace = self->trace;
    struct text raw = trace->metadata;
    trace->metadata = (struct text){0};
    struct json_repairs repairs = {0};
    text_add_string(&raw, raw.count ? "}" : "{}");
    enum json_canon result = json_canonical(text_view(&raw), &trace->metadata, &repairs);
    if (result == JSON_CANON_MALFORMED)
        return error_set(self->error, STATUS_BAD_INPUT,
                         "%s: malformed JSON in the metadata beside the events",
                         source_path(self->json.source));
    self->uid = self->json.mark_offset = -1; /* it is not known where */
    kineto_repairs(self, &repairs);
    struct view metadata = {trace->metadata.items, trace->metadata.count};
    struct view distributed = json_member(metadata, "distributedInfo");
    trace->clock_base = integer_of(json_member(metadata, "baseTimeNanoseconds"));
    trace->rank = integer_of(json_member(distributed, "rank"));
    trace->world_size = integer_of(json_member(distributed, "world_size"));
    read_devices(self, json_member(metadata, "deviceProperties"));
    return true;
}

static bool kineto_read_trace(struct source *source, const struct read_options *options,
                              struct trace *trace, struct error *error)
{
    struct kineto self = {.trace = trace, .options = options, .error = error};
    kineto_event_init(&self);
    trace->has_ops_around = true;
    json_init(&self.json, source, error);
    bool done = read_file(&self);
    if (done)
        counters_give(&self.counters, trace);
    return done;
}

const struct format kineto_format = {
    .name = "kineto",
    .words = "PyTorch/Chrome JSON",
    .set = "pytorch",
    .endings = (const char *const[]){".json", ".trace", ".pt", NULL},
    .plain_names = (const char *const[]){"trace", "traces", "trace_view", "results", "profile",
                                         "timeline", NULL},
    .can_be_split = true,
    .recognises = recognises,
    .read = kineto_read_trace,
};
