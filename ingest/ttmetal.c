/* ttmetal: the rows of a tt-metal op table; see ttmetal.h.
 *
 * Every row becomes a slice: an op on a device is accelerator work, a signpost a mark, all else
 * what its OP TYPE says. The place of a row is its line in a spreadsheet, the header being line 1.
 * Times are the host's, of when the op was called; the duration is that of the kernel.
 *
 * libcsv parses; its fields have no limit of their own, so one is set here. A file that ends
 * within a row, or within quotes, has broken off.
 */
#include "ttmetal.h"

#include "format.h"
#include "plain.h"

#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef TPQ_SMALL_WINDOWS
enum { CHUNK = 64 << 10, FIELD_MAX = 8 << 20, COLUMNS_MAX = 4096 };
#else
enum { CHUNK = 16, FIELD_MAX = 4096, COLUMNS_MAX = 64 };
#endif
enum { FIRST_LINE = 2, LISTED_MAX = 16 };

/* An op on a device, as the column OP TYPE has it. */
static const struct view device_type = VIEW_OF("tt_dnn_device");
static const struct view signpost_type = VIEW_OF("signpost");

struct reader {
    struct source *source;
    const struct read_options *options;
    struct trace *trace;
    struct error *error;
    struct csv_parser csv;
    struct ttmetal_header header;
    struct text row;    /* the cells of the row, one behind the other */
    ARRAY(size_t) ends; /* of each cell */
    size_t since_field; /* bytes read since a field ended */
    int64_t row_offset; /* where the row begins, roughly: the chunk */
    bool has_header, has_failed, in_last_row;
    int last_byte;
    int64_t last_start;      /* of the row before */
    struct text json, plain; /* for making texts */
    struct intern calls;     /* signatures as they stand in the file -> op, by `call_ops` */
    ARRAY(uint32_t) call_ops;
    ARRAY(uint32_t) archs;
    ARRAY(int64_t) core_counts;
};

static bool fail_memory(struct reader *self)
{
    self->has_failed = true;
    return error_memory(self->error);
}

static uint32_t row_number(const struct reader *self)
{
    return (uint32_t)(self->trace->events + FIRST_LINE);
}

static void note(struct reader *self, enum note kind, int64_t count)
{
    note_count(&self->trace->notes, kind, count, row_number(self), -1);
}

/* ------------------------------------------------------------------ cells */

static struct view cell_at(const struct reader *self, size_t field)
{
    if (field >= self->ends.count)
        return (struct view){"", 0};
    size_t start = field ? self->ends.items[field - 1] : 0;
    return (struct view){self->row.items + start, self->ends.items[field] - start};
}

/* What Python's pandas takes for a missing value, as the profiler's own tools do. */
static bool is_missing(struct view text)
{
    static const char *const words[] = {
        "NA",  "N/A",  "n/a",  "#N/A", "#N/A N/A", "#NA",     "NULL", "null",    "NaN",
        "nan", "-NaN", "-nan", "<NA>", "1.#IND",   "-1.#IND", "None", "1.#QNAN", "-1.#QNAN",
    };
    if (text.length == 0)
        return true;
    if (text.length > 8 || !strchr("#-1<Nn", text.bytes[0]))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_equal(text, view_of(words[i])))
            return true;
    return false;
}

/* The cell of a known column; empty when it is missing. */
static struct view known_cell(const struct reader *self, enum ttmetal_column column)
{
    struct view cell = {"", 0};
    if (self->header.places[column])
        cell = cell_at(self, self->header.places[column] - 1);
    return is_missing(cell) ? (struct view){"", 0} : cell;
}

/* A whole number, also one that was written as 12.0; reals are rounded. */
static bool read_number(struct view text, int64_t *number)
{
    char digits[40], *end;
    if (text.length == 0 || text.length >= sizeof digits)
        return false;
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    if (digits[strspn(digits, "+-.0123456789eE")])
        return false;
    long long whole = strtoll(digits, &end, 10);
    bool fits = whole <= DURATION_MAX * 512 && whole >= -DURATION_MAX * 512;
    if (!*end && fits) {
        *number = whole;
        return true;
    }
    double real = strtod(digits, &end);
    if (*end || !isfinite(real) || fabs(real) > (double)DURATION_MAX)
        return false;
    *number = llround(real);
    return true;
}

/* NONE for a missing cell, and for one that is no number in the range, which is noted. */
static int64_t number_in(struct reader *self, enum ttmetal_column column, int64_t least,
                         int64_t most)
{
    struct view cell = known_cell(self, column);
    int64_t number;
    if (cell.length == 0)
        return NONE;
    if (read_number(cell, &number) && number >= least && number <= most)
        return number;
    note(self, NOTE_VALUE_ODD, 1);
    return NONE;
}

static int64_t count_in(struct reader *self, enum ttmetal_column column)
{
    return number_in(self, column, 0, INT64_MAX);
}

/* ------------------------------------------------------------------ texts */

/* A text as the warehouse has them. What is not gets noted and replaced. */
static bool make_plain(struct reader *self, struct view text, struct view *plain)
{
    return plain_text(text, &self->plain, &self->trace->notes, row_number(self), plain) ||
           fail_memory(self);
}

/* A text's number; empty ones have one, too. */
static bool intern_text(struct reader *self, struct view text, uint32_t *number)
{
    struct view plain;
    if (!make_plain(self, text, &plain))
        return false;
    *number = intern_add(&self->trace->strings, plain.bytes, plain.length);
    return *number || fail_memory(self);
}

/* Whether a text is a number that JSON can have as it stands. */
static bool is_json_number(struct view text)
{
    size_t at = 0, digits = 0, fraction = 0;
    if (text.length > 17)
        return false;
    at += text.length && text.bytes[0] == '-';
    while (at < text.length && (unsigned char)(text.bytes[at] - '0') < 10)
        at++, digits++;
    if (digits == 0 || (digits > 1 && text.bytes[at - digits] == '0'))
        return false;
    if (at < text.length && text.bytes[at] == '.')
        for (at++; at < text.length && (unsigned char)(text.bytes[at] - '0') < 10; at++)
            fraction++;
    return at == text.length && (fraction || text.bytes[at - 1] != '.');
}

static bool add_json(struct reader *self, struct view text)
{
    struct text *json = &self->json;
    bool is_simple = true;
    for (size_t i = 0; i < text.length && is_simple; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        is_simple = byte >= ' ' && byte < 127 && byte != '"' && byte != '\\';
    }
    if (is_simple)
        return (text_add_byte(json, '"') && text_add(json, text.bytes, text.length) &&
                text_add_byte(json, '"')) ||
               fail_memory(self);
    struct view plain;
    return make_plain(self, text, &plain) && (text_add_json(json, plain) || fail_memory(self));
}

/* Adds a cell to an object that is being made. */
static bool add_member(struct reader *self, const char *name, struct view cell)
{
    struct text *json = &self->json;
    bool done = json->count == 1 || text_add_byte(json, ',') || fail_memory(self);
    done = done && add_json(self, view_of(name)) && (text_add_byte(json, ':') || fail_memory(self));
    if (done && is_json_number(cell))
        return text_add(json, cell.bytes, cell.length) || fail_memory(self);
    return done && add_json(self, cell);
}

/* Whether a cell of a known column is kept nowhere else. */
static bool is_left_over(const struct reader *self, int known, struct view cell, bool is_signpost)
{
    int64_t number;
    switch (known) {
    case TTMETAL_CODE:
    case TTMETAL_TYPE:
        return false;
    case TTMETAL_ARCH:
        return !self->archs.count ||
               !view_equal(cell, intern_view(&self->trace->strings, self->archs.items[0]));
    case TTMETAL_HOST_START:
        return !read_number(cell, &number);
    default:
        return is_signpost || !read_number(cell, &number);
    }
}

/* Makes an object of some of the cells: those of the signature, or those without a place. */
enum object_kind { OBJECT_SIGNATURE, OBJECT_ARGUMENTS, OBJECT_SIGNPOST };
static bool make_object(struct reader *self, enum object_kind kind, bool *is_empty)
{
    const struct ttmetal_header *header = &self->header;
    text_clear(&self->json);
    bool done = text_add_byte(&self->json, '{') || fail_memory(self);
    for (size_t i = 0; i < header->sorted.count && done; i++) {
        size_t place = header->sorted.items[i];
        const struct ttmetal_field *field = &header->fields.items[place];
        struct view cell = cell_at(self, place);
        bool is_wanted = kind == OBJECT_SIGNATURE   ? field->is_part
                         : kind == OBJECT_ARGUMENTS ? !field->is_part
                                                    : true;
        if (!is_wanted || is_missing(cell) ||
            (!field->is_part && field->known >= 0 &&
             !is_left_over(self, field->known, cell, kind == OBJECT_SIGNPOST)))
            continue;
        done = add_member(self, field->name, cell);
    }
    *is_empty = self->json.count <= 1;
    return done && (text_add_byte(&self->json, '}') || fail_memory(self));
}

/* ------------------------------------------------------------------ signatures */

/* The parameters in {'a': 'x'; 'b': 'y'}; a text of another form has none. */
static bool add_attributes(struct reader *self, uint32_t op, struct view text)
{
    static const char between[] = "': '", after[] = "'; '";
    const char *at = text.bytes, *end = at + text.length;
    if (text.length < 4 || at[0] != '{' || at[1] != '\'')
        return true;
    for (at += 2; at < end;) {
        const char *colon = memmem(at, (size_t)(end - at), between, strlen(between));
        if (!colon)
            return true;
        const char *value = colon + strlen(between);
        const char *next = memmem(value, (size_t)(end - value), after, strlen(after));
        const char *stop = next ? next : end;
        if (!next && stop - value >= 2 && stop[-1] == '}' && stop[-2] == '\'')
            stop -= 2;
        struct attribute attribute = {.op = op};
        if (!intern_text(self, (struct view){at, (size_t)(colon - at)}, &attribute.name) ||
            !intern_text(self, (struct view){value, (size_t)(stop - value)}, &attribute.value))
            return false;
        struct attribute *added = array_push(&self->trace->attributes);
        if (!added)
            return fail_memory(self);
        *added = attribute;
        if (!next)
            return true;
        at = next + strlen(after);
    }
    return true;
}

/* The cell of an input; empty when there is no such column. */
static struct view input_cell(const struct reader *self, int input, const char *what)
{
    char name[40];
    snprintf(name, sizeof name, "INPUT_%d_%s", input, what);
    for (size_t i = 0; i < self->header.fields.count; i++)
        if (self->header.fields.items[i].is_used &&
            strcmp(self->header.fields.items[i].name, name) == 0) {
            struct view cell = cell_at(self, i);
            return is_missing(cell) ? (struct view){"", 0} : cell;
        }
    return (struct view){"", 0};
}

/* Appends the number that a cell begins with. */
static bool add_dimension(struct text *text, struct view cell)
{
    size_t length = 0;
    while (length < cell.length && length < 18 && (unsigned char)(cell.bytes[length] - '0') < 10)
        length++;
    return length ? text_format(text, "%lld", strtoll(cell.bytes, NULL, 10))
                  : text_add_string(text, "null");
}

static bool intern_json(struct reader *self, uint32_t *number)
{
    *number = intern_add(&self->trace->strings, self->json.items, self->json.count);
    return *number || fail_memory(self);
}

/* Dimensions and types of the inputs, as lists. */
static bool list_inputs(struct reader *self, struct op *op)
{
    static const char *const sides[] = {"W", "Z", "Y", "X"};
    enum { INPUTS_MAX = 16 };
    int count = 0;
    for (int i = 0; i < INPUTS_MAX; i++)
        if (input_cell(self, i, "X").length || input_cell(self, i, "DATATYPE").length)
            count = i + 1;
    if (!count)
        return true;
    text_clear(&self->json);
    bool done = text_add_byte(&self->json, '[') || fail_memory(self);
    for (int i = 0; i < count && done; i++)
        for (int side = 0; side < 4 && done; side++)
            done = (text_add_string(&self->json, side ? ","
                                                 : i  ? ",["
                                                      : "[") &&
                    add_dimension(&self->json, input_cell(self, i, sides[side])) &&
                    (side < 3 || text_add_byte(&self->json, ']'))) ||
                   fail_memory(self);
    done = done && (text_add_byte(&self->json, ']') || fail_memory(self)) &&
           intern_json(self, &op->dims);
    text_clear(&self->json);
    done = done && (text_add_byte(&self->json, '[') || fail_memory(self));
    for (int i = 0; i < count && done; i++)
        done = (!i || text_add_byte(&self->json, ',') || fail_memory(self)) &&
               add_json(self, input_cell(self, i, "DATATYPE"));
    return done && (text_add_byte(&self->json, ']') || fail_memory(self)) &&
           intern_json(self, &op->types);
}

static bool add_op(struct reader *self, uint32_t name, uint32_t *number)
{
    struct op op = {.name = name};
    bool is_empty;
    if (!list_inputs(self, &op) || !make_object(self, OBJECT_SIGNATURE, &is_empty) ||
        (!is_empty && !intern_json(self, &op.concrete)))
        return false;
    size_t before = intern_count(&self->trace->ops);
    *number = intern_add(&self->trace->ops, &op, sizeof op);
    if (!*number)
        return fail_memory(self);
    return intern_count(&self->trace->ops) == before ||
           add_attributes(self, *number, known_cell(self, TTMETAL_ATTRIBUTES));
}

/* Finds the signature by the cells as they are; only a new one is put into words. */
static bool find_op(struct reader *self, uint32_t name, uint32_t *number)
{
    text_clear(&self->json);
    bool done = text_add(&self->json, &name, sizeof name);
    for (size_t i = 0; i < self->header.fields.count && done; i++) {
        struct view cell = cell_at(self, i);
        uint32_t length = (uint32_t)cell.length;
        if (self->header.fields.items[i].is_part)
            done = text_add(&self->json, &length, sizeof length) &&
                   text_add(&self->json, cell.bytes, cell.length);
    }
    uint32_t call = done ? intern_add(&self->calls, self->json.items, self->json.count) : 0;
    if (!call)
        return fail_memory(self);
    if (call <= self->call_ops.count) {
        *number = self->call_ops.items[call - 1];
        return true;
    }
    uint32_t *added = array_push(&self->call_ops);
    if (!added)
        return fail_memory(self);
    *added = 0;
    if (!add_op(self, name, number))
        return false;
    self->call_ops.items[call - 1] = *number;
    return true;
}

/* ------------------------------------------------------------------ rows */

/* A device that no row before has named. */
static bool add_device(struct reader *self, int64_t ordinal)
{
    struct view arch = known_cell(self, TTMETAL_ARCH);
    struct device *device = array_push(&self->trace->devices);
    if (!device)
        return fail_memory(self);
    *device = (struct device){.ordinal = ordinal, .memory_bytes = NONE, .cores = NONE};
    if (self->header.places[TTMETAL_AVAILABLE_CORES])
        device->cores = count_in(self, TTMETAL_AVAILABLE_CORES);
    uint32_t text = 0;
    if (arch.length && !intern_text(self, arch, &text))
        return false;
    device->architecture = text;
    return true;
}

/* Where the row stands: a device, or the host. */
static bool find_place(struct reader *self, int64_t device, uint32_t *place)
{
    char process[32] = "\"host\"";
    if (device != NONE)
        snprintf(process, sizeof process, "%lld", (long long)device);
    struct place found = {
        .process = intern_add(&self->trace->strings, process, strlen(process)),
        .thread = intern_add(&self->trace->strings, "0", 1),
    };
    size_t before = intern_count(&self->trace->places);
    *place =
        found.process && found.thread ? intern_add(&self->trace->places, &found, sizeof found) : 0;
    if (!*place)
        return fail_memory(self);
    return device == NONE || intern_count(&self->trace->places) == before ||
           add_device(self, device);
}

/* A row without a start is taken to follow the one before. */
static int64_t find_start(struct reader *self, int64_t start)
{
    if (start == NONE && self->header.places[TTMETAL_HOST_START])
        note(self, NOTE_TIME_ASSUMED, 1);
    if (start == NONE)
        return self->last_start;
    return self->last_start = start;
}

static int64_t find_duration(struct reader *self, int64_t duration)
{
    if (duration == NONE)
        note(self, NOTE_DURATION_MISSING, 1);
    else if (duration < 0)
        note(self, NOTE_DURATION_NEGATIVE, 1);
    else if (duration > DURATION_MAX)
        note(self, NOTE_DURATION_CLIPPED, 1);
    else
        return duration;
    return duration > DURATION_MAX ? DURATION_MAX : 0;
}

static bool keep_facts(struct reader *self)
{
    struct view arch = known_cell(self, TTMETAL_ARCH);
    int64_t cores = self->header.places[TTMETAL_AVAILABLE_CORES]
                        ? count_in(self, TTMETAL_AVAILABLE_CORES)
                        : NONE;
    bool is_new = cores != NONE && cores != 0 && self->core_counts.count < LISTED_MAX;
    for (size_t i = 0; i < self->core_counts.count && is_new; i++)
        is_new = self->core_counts.items[i] != cores;
    if (is_new) {
        int64_t *added = array_push(&self->core_counts);
        if (!added)
            return fail_memory(self);
        *added = cores;
    }
    uint32_t text;
    if (!arch.length)
        return true;
    if (!intern_text(self, arch, &text))
        return false;
    is_new = self->archs.count < LISTED_MAX;
    for (size_t i = 0; i < self->archs.count && is_new; i++)
        is_new = self->archs.items[i] != text;
    if (is_new) {
        uint32_t *added = array_push(&self->archs);
        if (!added)
            return fail_memory(self);
        *added = text;
    }
    return true;
}

static bool find_category(struct reader *self, struct view type, uint8_t *category)
{
    struct view plain;
    if (!make_plain(self, type, &plain))
        return false;
    int found = trace_category(self->trace, plain);
    if (found < 0)
        return fail_memory(self);
    if (found >= CATEGORY_KNOWN_COUNT)
        note(self, NOTE_CATEGORY_UNKNOWN, 1);
    *category = (uint8_t)found;
    return true;
}

static bool add_gpu(struct reader *self, struct slice *slice, int64_t device)
{
    struct gpu_slice *gpu = array_push(&self->trace->gpus);
    if (!gpu)
        return fail_memory(self);
    *gpu = (struct gpu_slice){
        .slice = (uint32_t)self->trace->slices.count,
        .device = device == NONE ? -1 : (int32_t)device,
        .stream = NONE,
        .bytes = NONE,
        .correlation = NONE,
        .external = NONE,
    };
    slice->side = (uint32_t)self->trace->gpus.count - 1;
    return true;
}

static bool add_device_op(struct reader *self, int64_t device, int64_t kernel, int64_t host,
                          int64_t start)
{
    struct device_op op = {
        .slice = (uint32_t)self->trace->slices.count,
        .device = device,
        .kernel = kernel,
        .host = host,
        .host_start = start,
        .calls = count_in(self, TTMETAL_CALLS),
        .cores = count_in(self, TTMETAL_CORES),
        .available_cores = count_in(self, TTMETAL_AVAILABLE_CORES),
        .sub_device = count_in(self, TTMETAL_SUB_DEVICE),
        .gap = number_in(self, TTMETAL_GAP, -DURATION_MAX, DURATION_MAX),
        .firmware = count_in(self, TTMETAL_FIRMWARE),
        .start_cycle = count_in(self, TTMETAL_START_CYCLE),
        .end_cycle = count_in(self, TTMETAL_END_CYCLE),
        .metal_trace = count_in(self, TTMETAL_TRACE),
        .replay = count_in(self, TTMETAL_REPLAY),
    };
    struct view fidelity = known_cell(self, TTMETAL_FIDELITY);
    if (fidelity.length && !intern_text(self, fidelity, &op.fidelity))
        return false;
    struct device_op *added = array_push(&self->trace->device_ops);
    if (!added)
        return fail_memory(self);
    *added = op;
    return true;
}

static bool keep_arguments(struct reader *self, bool is_signpost, uint32_t *number)
{
    bool is_empty;
    if (!make_object(self, is_signpost ? OBJECT_SIGNPOST : OBJECT_ARGUMENTS, &is_empty))
        return false;
    *number =
        is_empty ? 0 : intern_add(&self->trace->arguments, self->json.items, self->json.count);
    return is_empty || *number || fail_memory(self);
}

static bool add_row(struct reader *self)
{
    struct trace *trace = self->trace;
    struct view type = known_cell(self, TTMETAL_TYPE);
    struct view code = self->header.places[TTMETAL_CODE] - 1 < self->ends.count
                           ? cell_at(self, self->header.places[TTMETAL_CODE] - 1)
                           : (struct view){"", 0};
    bool is_device = view_equal(type, device_type), is_signpost = view_equal(type, signpost_type);
    if (!is_signpost && is_missing(code))
        code.length = 0;
    int64_t device = is_signpost ? NONE : number_in(self, TTMETAL_DEVICE, 0, INT32_MAX - 1);
    int64_t kernel = is_signpost ? NONE : number_in(self, TTMETAL_KERNEL, INT64_MIN + 1, INT64_MAX);
    int64_t host = number_in(self, TTMETAL_HOST_DURATION, INT64_MIN + 1, INT64_MAX);
    int64_t start = number_in(self, TTMETAL_HOST_START, -DURATION_MAX * 512, DURATION_MAX * 512);
    struct slice slice = {.uid = row_number(self), .start = find_start(self, start)};
    if (code.length == 0)
        note(self, NOTE_NAME_MISSING, 1);
    if (is_device && device == NONE)
        note(self, NOTE_DEVICE_MISSING, 1);
    if (is_device)
        slice.duration = find_duration(self, kernel);
    else if (!is_signpost && host != NONE)
        slice.duration = find_duration(self, host);
    uint8_t category = 0;
    uint32_t place = 0, name = 0, op = 0, arguments = 0;
    if (!find_category(self, type, &category) ||
        !find_place(self, is_device ? device : NONE, &place) || !intern_text(self, code, &name) ||
        (!is_signpost && !find_op(self, name, &op)) || (!is_signpost && !keep_facts(self)) ||
        !keep_arguments(self, is_signpost, &arguments) ||
        (!is_signpost && !add_device_op(self, device, kernel, host, start)) ||
        (is_device && !add_gpu(self, &slice, device)))
        return false;
    slice.category = category;
    slice.place = place & 0xFFFFFF;
    slice.name = name;
    slice.op = op;
    slice.arguments = arguments;
    struct slice *added = array_push(&trace->slices);
    if (!added)
        return fail_memory(self);
    *added = slice;
    trace->events++;
    return true;
}

static bool refuse_row(struct reader *self)
{
    self->has_failed = true;
    return error_set(self->error, STATUS_BAD_INPUT, "%s: row %u has %zu cells, the header has %zu",
                     source_path(self->source), row_number(self), self->ends.count,
                     self->header.fields.count);
}

static bool take_header(struct reader *self)
{
    for (size_t i = 0; i < self->ends.count; i++)
        if (!ttmetal_header_add(&self->header, cell_at(self, i)))
            return fail_memory(self);
    self->has_header = true;
    if (!ttmetal_header_settle(&self->header, source_path(self->source), self->error)) {
        self->has_failed = true;
        return false;
    }
    if (self->header.repeated)
        note_count(&self->trace->notes, NOTE_COLUMN_REPEATED, (int64_t)self->header.repeated, -1,
                   -1);
    return true;
}

static bool take_row(struct reader *self)
{
    if (!self->has_header)
        return take_header(self);
    if (self->ends.count > self->header.fields.count)
        return refuse_row(self);
    if (self->trace->events >= UINT32_MAX - FIRST_LINE) {
        self->has_failed = true;
        return error_set(self->error, STATUS_BAD_INPUT, "%s: too many rows",
                         source_path(self->source));
    }
    if (self->ends.count < self->header.fields.count)
        note(self, NOTE_ROW_SHORT, 1);
    return add_row(self);
}

/* ------------------------------------------------------------------ the file */

static void field_ended(void *bytes, size_t length, void *context)
{
    struct reader *self = context;
    self->since_field = 0;
    if (self->has_failed)
        return;
    if (!self->has_header && self->ends.count >= COLUMNS_MAX) {
        self->has_failed = true;
        error_set(self->error, STATUS_BAD_INPUT, "%s: more than %d columns",
                  source_path(self->source), COLUMNS_MAX);
        return;
    }
    size_t *end = array_push(&self->ends);
    if (!end || !text_add(&self->row, length ? bytes : "", length))
        fail_memory(self);
    else
        *end = self->row.count;
}

/* In the last row of an input that has no line end, cells may be missing for another reason than
 * in others. */
static bool breaks_off(const struct reader *self)
{
    return self->in_last_row && (!self->has_header || self->ends.count < self->header.fields.count);
}

static void row_ended(int terminator, void *context)
{
    struct reader *self = context;
    (void)terminator;
    if (!self->has_failed && breaks_off(self)) {
        self->has_failed = true;
        error_set(self->error, STATUS_BAD_INPUT, "%s: breaks off in row %lld",
                  source_path(self->source), self->has_header ? (long long)row_number(self) : 1LL);
    }
    if (!self->has_failed)
        take_row(self);
    self->ends.count = 0;
    text_clear(&self->row);
}

static int never_space(unsigned char byte)
{
    (void)byte;
    return 0; /* cells are what stands between the commas */
}

static bool parse(struct reader *self, const char *bytes, size_t length)
{
    if (csv_parse(&self->csv, bytes, length, field_ended, row_ended, self) != length)
        return fail_memory(self);
    self->since_field += length;
    if (self->since_field > FIELD_MAX + CHUNK && !self->has_failed) {
        self->has_failed = true;
        error_set(self->error, STATUS_BAD_INPUT, "%s: a cell of row %u is longer than %d bytes",
                  source_path(self->source), row_number(self), FIELD_MAX);
    }
    return !self->has_failed;
}

/* Ends the last row. Quotes that are open there were to be closed. */
static bool end_input(struct reader *self)
{
    csv_set_opts(&self->csv, CSV_STRICT | CSV_STRICT_FINI);
    self->in_last_row = self->last_byte != '\n' && self->last_byte != '\r';
    if (csv_fini(&self->csv, field_ended, row_ended, self) != 0) {
        self->has_failed = true;
        return error_set(self->error, STATUS_BAD_INPUT, "%s: breaks off within quotes in row %u",
                         source_path(self->source), row_number(self));
    }
    if (!self->has_failed && !self->has_header) {
        self->has_failed = true;
        return error_set(self->error, STATUS_BAD_INPUT, "%s: there is no header",
                         source_path(self->source));
    }
    return !self->has_failed;
}

static bool read_all(struct reader *self)
{
    char *chunk = malloc(CHUNK);
    bool is_first = true;
    ptrdiff_t got = 0;
    bool done = chunk || fail_memory(self);
    const unsigned char *start;
    size_t skip = 0;
    if (done && source_peek(self->source, &start, 3, self->error) >= 3 &&
        memcmp(start, "\xEF\xBB\xBF", 3) == 0)
        skip = 3;
    while (done && (got = source_read(self->source, chunk, CHUNK, self->error)) > 0) {
        size_t from = is_first && (size_t)got >= skip ? skip : 0;
        is_first = false;
        self->last_byte = chunk[got - 1];
        done = parse(self, chunk + from, (size_t)got - from);
    }
    free(chunk);
    return done && got == 0 && end_input(self);
}

/* Of a damaged input, the rows before the damage. */
static bool salvage(struct reader *self)
{
    if (!self->options->salvage || !self->has_header || !self->trace->events ||
        self->error->status != STATUS_BAD_INPUT)
        return false;
    *self->error = (struct error){0};
    note_count(&self->trace->notes, NOTE_SALVAGED, 1, row_number(self), -1);
    return true;
}

static bool add_list(struct reader *self, const char *name, size_t count)
{
    bool done = text_format(&self->json, "%s\"%s\":[", self->json.count > 1 ? "," : "", name) ||
                fail_memory(self);
    for (size_t i = 0; i < count && done; i++) {
        done = !i || text_add_byte(&self->json, ',') || fail_memory(self);
        if (strcmp(name, "worker_cores") == 0)
            done =
                done && (text_format(&self->json, "%lld", (long long)self->core_counts.items[i]) ||
                         fail_memory(self));
        else if (strcmp(name, "architectures") == 0)
            done = done && add_json(self, intern_view(&self->trace->strings, self->archs.items[i]));
        else
            done = done && add_json(self, view_of(self->header.fields.items[i].name));
    }
    return done && (text_add_byte(&self->json, ']') || fail_memory(self));
}

/* What the file says as a whole: its columns, the architectures and core counts in it. */
static bool keep_metadata(struct reader *self)
{
    text_clear(&self->json);
    bool done = text_add_byte(&self->json, '{') || fail_memory(self);
    done = done && add_list(self, "architectures", self->archs.count) &&
           add_list(self, "columns", self->header.fields.count) &&
           (text_format(&self->json, ",\"version\":\"%s\"", self->header.version) ||
            fail_memory(self)) &&
           add_list(self, "worker_cores", self->core_counts.count) &&
           (text_add_byte(&self->json, '}') || fail_memory(self));
    return done && (text_add(&self->trace->metadata, self->json.items, self->json.count) ||
                    fail_memory(self));
}

bool ttmetal_recognises(const unsigned char *bytes, size_t length)
{
    struct view text = {(const char *)bytes, length};
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        text = (struct view){text.bytes + 3, length - 3};
    while (text.length && (*text.bytes == '\n' || *text.bytes == '\r'))
        text = (struct view){text.bytes + 1, text.length - 1};
    size_t line = 0;
    while (line < text.length && text.bytes[line] != '\n' && text.bytes[line] != '\r')
        line++;
    return ttmetal_is_header((struct view){text.bytes, line});
}

bool ttmetal_read(struct source *source, const struct read_options *options, struct trace *trace,
                  struct error *error)
{
    struct reader self = {.source = source, .options = options, .trace = trace, .error = error};
    if (csv_init(&self.csv, 0) != 0)
        return error_memory(error);
    csv_set_space_func(&self.csv, never_space);
    csv_set_blk_size(&self.csv, CHUNK);
    trace->has_launches = false;
    bool done = (read_all(&self) || salvage(&self)) && keep_metadata(&self);
    csv_free(&self.csv);
    ttmetal_header_free(&self.header);
    text_free(&self.row);
    text_free(&self.json);
    text_free(&self.plain);
    array_free(&self.ends);
    array_free(&self.call_ops);
    array_free(&self.archs);
    array_free(&self.core_counts);
    intern_free(&self.calls);
    return done;
}
