/* hlo: see hlo.h. */
#include "ingest/xplane/hlo.h"

#include "ingest/input/json_text.h"
#include "ingest/trace/plain.h"
#include "ingest/xplane/xplane_fields.h"
#include "src/base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Groups of more ranks than this are kept as their size only. */
enum { RANKS_MAX = 1 << 16 };

struct reader {
    struct hlo *hlo;
    struct wire *wire;
    uint32_t module;        /* index */
    struct text attributes; /* members of an object, without its braces */
    struct text groups;
    int64_t root;
    size_t first; /* instruction of the computation in hand */
};

static bool fail_memory(struct reader *self)
{
    return error_memory(self->hlo->error);
}

static bool corrupt(struct reader *self)
{
    return wire_corrupt(self->wire, "this is no program of XLA");
}

/* ------------------------------------------------------------------ texts and numbers */

static bool keep_text(struct reader *self, struct message span, uint32_t *number)
{
    struct view plain;
    struct trace *trace = self->hlo->trace;
    if (!plain_text(message_view(span), &self->hlo->scratch, &trace->notes, -1, &plain))
        return fail_memory(self);
    *number = plain.length ? intern_add(&trace->strings, plain.bytes, plain.length) : 0;
    return *number || !plain.length || fail_memory(self);
}

static bool keep_json(struct reader *self, const struct text *json, uint32_t *number)
{
    *number = intern_add(&self->hlo->trace->strings, json->items, json->count);
    return *number || fail_memory(self);
}

/* Appends the numbers of a repeated field, packed or one by one, separated by commas. */
static bool add_numbers(struct text *out, const struct wire_field *field)
{
    if (field->type == WIRE_VARINT)
        return text_format(out, "%s%lld", out->count ? "," : "", (long long)field->value);
    struct message span = field->bytes;
    uint64_t number;
    bool done = true;
    while (done && message_number(&span, &number))
        done = text_format(out, "%s%lld", out->count ? "," : "", (long long)number);
    return done;
}

/* Adds a member to the attributes; `value` is JSON. */
static bool add_attribute(struct reader *self, const char *name, const char *value)
{
    struct text *out = &self->attributes;
    return text_format(out, "%s\"%s\":%s", out->count ? "," : "", name, value) || fail_memory(self);
}

static bool add_number(struct reader *self, const char *name, int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    return add_attribute(self, name, digits);
}

/* Adds a list of numbers, given without its brackets. */
static bool add_list(struct reader *self, const char *name, const struct text *numbers)
{
    struct text *out = &self->attributes;
    return text_format(out, "%s\"%s\":[%s]", out->count ? "," : "", name,
                       numbers->count ? numbers->items : "") ||
           fail_memory(self);
}

/* ------------------------------------------------------------------ shapes */

static const char *const types[] = {
    "invalid",    "pred",       "s8",     "s16",    "s32",      "s64",    "u8",     "u16",
    "u32",        "u64",        "f16",    "f32",    "f64",      "tuple",  "opaque", "c64",
    "bf16",       "token",      "c128",   "f8e5m2", "f8e4m3fn", "s4",     "u4",     "f8e4m3b11fnuz",
    "f8e5m2fnuz", "f8e4m3fnuz", "s2",     "u2",     "f8e4m3",   "f8e3m4", "s1",     "u1",
    "f4e2m1fn",   "f8e8m0fnu",  "buffer",
};
enum { TYPE_TUPLE = 13, TYPE_COUNT = sizeof types / sizeof *types };

static bool add_shape(struct reader *self, struct message span, int depth, struct text *out);

/* The members of a tuple; the reference's texts number every fifth one. */
static bool add_members(struct reader *self, struct message span, int depth, struct text *out)
{
    struct wire_field field;
    enum wire_step step;
    bool done = text_add_byte(out, '(');
    for (int i = 0; done && (step = message_next(&span, &field)) != WIRE_END;) {
        if (step == WIRE_FAILED)
            return corrupt(self);
        if (field.number != SHAPE_MEMBERS || field.type != WIRE_LENGTH)
            continue;
        done = !i || text_add_byte(out, ',');
        if (done && i && i % 5 == 0)
            done = text_format(out, "/*index=%d*/", i);
        if (done && !add_shape(self, field.bytes, depth + 1, out))
            return false;
        i++;
    }
    return (done && text_add_byte(out, ')')) || fail_memory(self);
}

static bool read_layout(struct reader *self, struct message span, struct text *order)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&span, &field)) == WIRE_FIELD)
        if (field.number == LAYOUT_MINOR_TO_MAJOR && !add_numbers(order, &field))
            return fail_memory(self);
    return step == WIRE_END || corrupt(self);
}

/* Appends a shape as text: type[extents]{order}, or (members). */
static bool add_shape(struct reader *self, struct message span, int depth, struct text *out)
{
    if (depth >= WIRE_DEPTH_MAX)
        return wire_corrupt(self->wire, "shapes are nested too deeply");
    struct text extents = {0}, order = {0};
    struct message all = span;
    struct wire_field field;
    enum wire_step step;
    uint64_t type = 0;
    bool done = true;
    while (done && (step = message_next(&span, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            done = corrupt(self);
        else if (field.number == SHAPE_TYPE)
            type = field.value;
        else if (field.number == SHAPE_DIMENSIONS)
            done = add_numbers(&extents, &field) || fail_memory(self);
        else if (field.number == SHAPE_LAYOUT && field.type == WIRE_LENGTH)
            done = read_layout(self, field.bytes, &order);
    }
    if (done && type == TYPE_TUPLE)
        done = add_members(self, all, depth, out);
    else if (done)
        done = ((type < TYPE_COUNT ? text_add_string(out, types[type])
                                   : text_format(out, "type%llu", (unsigned long long)type)) &&
                text_format(out, "[%s]", extents.count ? extents.items : "") &&
                (!order.count || text_format(out, "{%s}", order.items))) ||
               fail_memory(self);
    text_free(&extents);
    text_free(&order);
    return done;
}

/* ------------------------------------------------------------------ attributes */

/* A message of repeated numbers: each known field becomes a list. */
struct list_name {
    uint32_t number;
    const char *name;
    bool is_single; /* one number, 0 when absent */
};

static bool read_lists(struct reader *self, struct message all, const struct list_name *names)
{
    struct text numbers = {0};
    bool done = true;
    for (; names->name && done; names++) {
        struct message span = all;
        struct wire_field field;
        enum wire_step step;
        text_clear(&numbers);
        while (done && (step = message_next(&span, &field)) != WIRE_END) {
            if (step == WIRE_FAILED)
                done = corrupt(self);
            else if (field.number == names->number)
                done = add_numbers(&numbers, &field) || fail_memory(self);
        }
        if (done && names->is_single)
            done = add_attribute(self, names->name, numbers.count ? numbers.items : "0");
        else if (done)
            done = add_list(self, names->name, &numbers);
    }
    text_free(&numbers);
    return done;
}

static const struct list_name dot_lists[] = {
    {DOT_LHS_CONTRACTING, "lhs_contracting", false},
    {DOT_RHS_CONTRACTING, "rhs_contracting", false},
    {DOT_LHS_BATCH, "lhs_batch", false},
    {DOT_RHS_BATCH, "rhs_batch", false},
    {0},
};

static const struct list_name convolution_lists[] = {
    {CONVOLUTION_KERNEL_INPUT_FEATURE, "kernel_input_feature", true},
    {CONVOLUTION_KERNEL_OUTPUT_FEATURE, "kernel_output_feature", true},
    {CONVOLUTION_KERNEL_SPATIAL, "kernel_spatial", false},
    {CONVOLUTION_INPUT_BATCH, "input_batch", true},
    {CONVOLUTION_INPUT_FEATURE, "input_feature", true},
    {CONVOLUTION_INPUT_SPATIAL, "input_spatial", false},
    {CONVOLUTION_OUTPUT_BATCH, "output_batch", true},
    {CONVOLUTION_OUTPUT_FEATURE, "output_feature", true},
    {CONVOLUTION_OUTPUT_SPATIAL, "output_spatial", false},
    {0},
};

/* The window of a convolution: a list for each of its properties. */
static bool read_window(struct reader *self, struct message all)
{
    static const struct list_name lists[] = {
        {WINDOW_SIZE, "window_size", false},
        {WINDOW_STRIDE, "window_stride", false},
        {WINDOW_PADDING_LOW, "window_padding_low", false},
        {WINDOW_PADDING_HIGH, "window_padding_high", false},
        {WINDOW_DILATION, "window_dilation", false},
        {WINDOW_BASE_DILATION, "base_dilation", false},
        {0},
    };
    struct text numbers = {0};
    bool done = true;
    for (const struct list_name *list = lists; list->name && done; list++) {
        struct message span = all;
        struct wire_field field, inner;
        enum wire_step step = WIRE_END;
        text_clear(&numbers);
        while (done && (step = message_next(&span, &field)) == WIRE_FIELD) {
            if (field.number != WINDOW_DIMENSIONS || field.type != WIRE_LENGTH)
                continue;
            struct message dimension = field.bytes;
            int64_t value = 0;
            while ((step = message_next(&dimension, &inner)) == WIRE_FIELD)
                if (inner.number == list->number)
                    value = (int64_t)inner.value;
            done = step == WIRE_END || corrupt(self);
            done = done &&
                   (text_format(&numbers, "%s%lld", numbers.count ? "," : "", (long long)value) ||
                    fail_memory(self));
        }
        done = done && (step == WIRE_END || corrupt(self)) && add_list(self, list->name, &numbers);
    }
    text_free(&numbers);
    return done;
}

/* ------------------------------------------------------------------ what backends are told */

/* The numbers in a list of JSON, which may be written as texts: ["1","2"]. */
static bool add_quoted_list(struct reader *self, const char *name, struct view list)
{
    struct text numbers = {0};
    struct view item;
    bool done = true;
    while (done && (item = json_item(&list)).length) {
        if (item.length >= 2 && *item.bytes == '"')
            item = (struct view){item.bytes + 1, item.length - 2};
        int64_t number;
        if (json_integer(item, &number))
            done = text_format(&numbers, "%s%lld", numbers.count ? "," : "", (long long)number);
    }
    done = done ? add_list(self, name, &numbers) : fail_memory(self);
    text_free(&numbers);
    return done;
}

/* What cuBLAS and hipBLASLt are told about a product. */
static bool read_gemm(struct reader *self, struct view config)
{
    static const char *const lists[][2] = {
        {"lhs_contracting_dimensions", "lhs_contracting"},
        {"rhs_contracting_dimensions", "rhs_contracting"},
        {"lhs_batch_dimensions", "lhs_batch"},
        {"rhs_batch_dimensions", "rhs_batch"},
    };
    struct view numbers = json_member(config, "dot_dimension_numbers");
    bool done = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && done && numbers.length; i++)
        done = add_quoted_list(self, lists[i][1], json_member(numbers, lists[i][0]));
    static const char *const plain[] = {"alpha_real", "beta", "epilogue"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain && done; i++) {
        struct view value = json_member(config, plain[i]);
        if (value.length && *value.bytes != '{' && *value.bytes != '[')
            done = text_format(&self->attributes, ",\"%s\":%.*s", plain[i], (int)value.length,
                               value.bytes) ||
                   fail_memory(self);
    }
    return done;
}

/* Adds a member whose value is a number or a truth value; others are passed over. */
static bool add_pair_value(struct reader *self, struct view key, struct view word)
{
    struct text value = {0};
    int64_t number;
    char real[40], *stop = real;
    bool done = true;
    if (json_integer(word, &number)) {
        done = text_format(&value, "%lld", (long long)number);
    } else if (view_equal(word, VIEW("true")) || view_equal(word, VIEW("false"))) {
        done = text_add(&value, word.bytes, word.length);
    } else if (word.length < sizeof real) {
        memcpy(real, word.bytes, word.length);
        real[word.length] = '\0';
        double measured = real[strspn(real, "+-.0123456789eE")] ? NAN : strtod(real, &stop);
        if (stop > real && !*stop && isfinite(measured))
            done = number_add_real(&value, measured);
    }
    if (done && value.count)
        done = text_add_byte(&self->attributes, ',') && text_add_json(&self->attributes, key) &&
               text_add_byte(&self->attributes, ':') &&
               text_add(&self->attributes, value.items, value.count);
    text_free(&value);
    return done;
}

/* Calls of the typed interface: {key = value : type, ...}. Values that are numbers, truth values
 * or texts are kept. */
static bool read_pairs(struct reader *self, struct view config)
{
    const char *at = config.bytes + 1, *end = config.bytes + config.length;
    bool done = true;
    while (done && at < end) {
        while (at < end && (*at == ' ' || *at == ','))
            at++;
        const char *name = at;
        while (at < end && *at != ' ' && *at != '=' && *at != ',' && *at != '}')
            at++;
        struct view key = {name, (size_t)(at - name)};
        while (at < end && (*at == ' ' || *at == '='))
            at++;
        const char *value = at;
        int depth = 0;
        bool quoted = false;
        for (; at < end && (quoted || depth || (*at != ',' && *at != '}')); at++) {
            if (*at == '"' && at[-1] != '\\')
                quoted = !quoted;
            depth += quoted ? 0
                            : (*at == '<' || *at == '[' || *at == '{') -
                                  (*at == '>' || *at == ']' || *at == '}');
        }
        struct view word = {value, 0};
        while (value + word.length < at && (*value == '"' || value[word.length] != ' '))
            word.length++;
        if (key.length && word.length)
            done = add_pair_value(self, key, word);
        if (at == name || (at < end && *at == '}'))
            break;
    }
    return done || fail_memory(self);
}

/* Keeps the text, and what is understood of it as attributes. */
static bool read_config(struct reader *self, struct message span, uint32_t *number)
{
    if (!keep_text(self, span, number) || !*number)
        return *number == 0;
    struct view text = intern_view(&self->hlo->trace->strings, *number);
    struct text *json = &self->hlo->json;
    struct json_repairs repairs = {0};
    text_clear(json);
    if (*text.bytes != '{')
        return true;
    switch (json_canonical(text, json, &repairs)) {
    case JSON_CANON_MEMORY:
        return fail_memory(self);
    case JSON_CANON_MALFORMED:
        return read_pairs(self, text);
    case JSON_CANON_DONE:
        break;
    }
    struct view config = {json->items, json->count};
    struct view gemm = json_member(config, "gemm_backend_config");
    return gemm.length == 0 || read_gemm(self, gemm);
}

/* ------------------------------------------------------------------ groups of ranks */

static bool add_group(struct reader *self, struct message span)
{
    struct text numbers = {0};
    struct wire_field field;
    enum wire_step step;
    bool done = true;
    while (done && (step = message_next(&span, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            done = corrupt(self);
        else if (field.number == GROUP_MEMBERS)
            done = add_numbers(&numbers, &field) || fail_memory(self);
    }
    done = done && (text_format(&self->groups, "%s[%s]", self->groups.count ? "," : "",
                                numbers.count ? numbers.items : "") ||
                    fail_memory(self));
    text_free(&numbers);
    return done;
}

static bool add_pair(struct reader *self, struct message span)
{
    struct wire_field field;
    enum wire_step step;
    int64_t ends[2] = {0};
    while ((step = message_next(&span, &field)) == WIRE_FIELD)
        if (field.number == PAIR_SOURCE || field.number == PAIR_TARGET)
            ends[field.number - PAIR_SOURCE] = (int64_t)field.value;
    if (step == WIRE_FAILED)
        return corrupt(self);
    return text_format(&self->groups, "%s[%lld,%lld]", self->groups.count ? "," : "",
                       (long long)ends[0], (long long)ends[1]) ||
           fail_memory(self);
}

enum { IOTA_RANK_MAX = 8 };

static bool read_numbers(struct message span, int64_t *numbers, int *count)
{
    uint64_t number;
    while (message_number(&span, &number)) {
        if (*count == IOTA_RANK_MAX)
            return false;
        numbers[(*count)++] = (int64_t)number;
    }
    return true;
}

/* Ranks 0, 1, ... laid out in `dimensions`, axes taken in another order, cut into groups. */
static bool add_iota(struct reader *self, int64_t groups, int64_t size, const int64_t *dimensions,
                     const int64_t *order, int count)
{
    int64_t total = 1, strides[IOTA_RANK_MAX], place[IOTA_RANK_MAX] = {0};
    for (int i = count; i-- > 0;) {
        if (dimensions[i] < 1 || dimensions[i] > RANKS_MAX || order[i] < 0 || order[i] >= count)
            return corrupt(self);
        strides[i] = total;
        total *= dimensions[i];
        if (total > RANKS_MAX)
            return add_number(self, "group_size", size);
    }
    if (groups < 1 || size < 1 || groups > RANKS_MAX || size > RANKS_MAX || groups * size != total)
        return corrupt(self);
    bool done = true;
    for (int64_t i = 0; i < total && done; i++) {
        int64_t rank = 0;
        for (int axis = 0; axis < count; axis++)
            rank += place[axis] * strides[order[axis]];
        done = text_format(&self->groups, "%s%s%lld%s", i ? "," : "", i % size ? "" : "[",
                           (long long)rank, (i + 1) % size ? "" : "]");
        for (int axis = count; axis-- > 0 && ++place[axis] == dimensions[order[axis]];)
            place[axis] = 0;
    }
    return done || fail_memory(self);
}

static bool read_iota(struct reader *self, struct message span)
{
    struct wire_field field;
    enum wire_step step;
    int64_t groups = 0, size = 0, dimensions[IOTA_RANK_MAX], order[IOTA_RANK_MAX];
    int count = 0, ordered = 0;
    bool fits = true;
    while ((step = message_next(&span, &field)) == WIRE_FIELD && fits) {
        bool is_list = field.number == IOTA_DIMENSIONS;
        int64_t *list = is_list ? dimensions : order;
        int *length = is_list ? &count : &ordered;
        if (field.number == IOTA_GROUPS)
            groups = (int64_t)field.value;
        else if (field.number == IOTA_GROUP_SIZE)
            size = (int64_t)field.value;
        else if (!is_list && field.number != IOTA_ORDER)
            continue;
        else if (field.type == WIRE_LENGTH)
            fits = read_numbers(field.bytes, list, length);
        else if ((fits = *length < IOTA_RANK_MAX))
            list[(*length)++] = (int64_t)field.value;
    }
    for (; ordered == 0 && fits && ordered < count;)
        for (; ordered < count; ordered++)
            order[ordered] = ordered;
    if (step == WIRE_FAILED || !fits || ordered != count)
        return corrupt(self);
    return count == 0 || add_iota(self, groups, size, dimensions, order, count);
}

static bool read_device_list(struct reader *self, struct message span)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&span, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_LENGTH)
            continue;
        if (field.number == DEVICE_LIST_GROUPS && !add_group(self, field.bytes))
            return false;
        if (field.number == DEVICE_LIST_IOTA && !read_iota(self, field.bytes))
            return false;
    }
    return step == WIRE_END || corrupt(self);
}

/* ------------------------------------------------------------------ instructions */

static bool read_origin(struct reader *self, struct message span,
                        struct hlo_instruction *instruction)
{
    struct wire_field field;
    enum wire_step step;
    bool done = true;
    while (done && (step = message_next(&span, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            return corrupt(self);
        if (field.number == OP_METADATA_LINE && field.type == WIRE_VARINT)
            instruction->source_line = (int64_t)field.value;
        else if (field.type != WIRE_LENGTH)
            continue;
        else if (field.number == OP_METADATA_TYPE)
            done = keep_text(self, field.bytes, &instruction->op_type);
        else if (field.number == OP_METADATA_NAME)
            done = keep_text(self, field.bytes, &instruction->op_name);
        else if (field.number == OP_METADATA_FILE)
            done = keep_text(self, field.bytes, &instruction->source_file);
    }
    return done;
}

static bool add_operands(struct reader *self, const struct wire_field *field,
                         struct hlo_links *links)
{
    struct message span = field->bytes;
    uint64_t number = field->value;
    bool is_one = field->type == WIRE_VARINT;
    while (is_one || message_number(&span, &number)) {
        int64_t *added = array_push(&self->hlo->operands);
        if (!added)
            return fail_memory(self);
        *added = (int64_t)number;
        links->operand_count++;
        if (is_one)
            break;
    }
    return true;
}

static void first_called(const struct wire_field *field, struct hlo_links *links)
{
    struct message span = field->bytes;
    uint64_t number = field->value;
    if (links->called == NONE && (field->type == WIRE_VARINT || message_number(&span, &number)))
        links->called = (int64_t)number;
}

static bool read_number_field(struct reader *self, const struct wire_field *field,
                              struct hlo_instruction *instruction, struct hlo_links *links)
{
    int64_t value = (int64_t)field->value;
    switch (field->number) {
    case INSTRUCTION_ID:
        instruction->number = value;
        return true;
    case INSTRUCTION_OPERANDS:
        return add_operands(self, field, links);
    case INSTRUCTION_CALLED:
        first_called(field, links);
        return true;
    case INSTRUCTION_FEATURE_GROUPS:
        return value == 1 || value == 0 || add_number(self, "feature_group_count", value);
    case INSTRUCTION_BATCH_GROUPS:
        return value == 1 || value == 0 || add_number(self, "batch_group_count", value);
    default:
        return true;
    }
}

static bool read_piece(struct reader *self, const struct wire_field *field,
                       struct hlo_instruction *instruction, struct hlo_links *links,
                       struct text *dimensions)
{
    struct text *json = &self->hlo->json;
    switch (field->number) {
    case INSTRUCTION_NAME:
        return keep_text(self, field->bytes, &instruction->name);
    case INSTRUCTION_OPCODE:
        return keep_text(self, field->bytes, &instruction->opcode);
    case INSTRUCTION_SHAPE:
        text_clear(json);
        return add_shape(self, field->bytes, 0, json) && keep_json(self, json, &instruction->shape);
    case INSTRUCTION_METADATA:
        return read_origin(self, field->bytes, instruction);
    case INSTRUCTION_FUSION_KIND:
        text_clear(json);
        return (text_add_json(json, message_view(field->bytes)) || fail_memory(self)) &&
               add_attribute(self, "fusion_kind", json->items);
    case INSTRUCTION_DIMENSIONS:
        return add_numbers(dimensions, field) || fail_memory(self);
    case INSTRUCTION_WINDOW:
        return read_window(self, field->bytes);
    case INSTRUCTION_CONVOLUTION:
        return read_lists(self, field->bytes, convolution_lists);
    case INSTRUCTION_TARGET:
        return keep_text(self, field->bytes, &instruction->target);
    case INSTRUCTION_DOT:
        return read_lists(self, field->bytes, dot_lists);
    case INSTRUCTION_OPERANDS:
        return add_operands(self, field, links);
    case INSTRUCTION_CALLED:
        first_called(field, links);
        return true;
    case INSTRUCTION_BACKEND_CONFIG:
        return read_config(self, field->bytes, &instruction->backend_config);
    case INSTRUCTION_REPLICA_GROUPS:
        return add_group(self, field->bytes);
    case INSTRUCTION_PAIRS:
        return add_pair(self, field->bytes);
    case INSTRUCTION_DEVICE_LIST:
        return read_device_list(self, field->bytes);
    default:
        return true;
    }
}

static bool is_read(uint32_t number)
{
    static const uint8_t known[] = {
        INSTRUCTION_NAME,        INSTRUCTION_OPCODE,         INSTRUCTION_SHAPE,
        INSTRUCTION_METADATA,    INSTRUCTION_FUSION_KIND,    INSTRUCTION_DIMENSIONS,
        INSTRUCTION_WINDOW,      INSTRUCTION_CONVOLUTION,    INSTRUCTION_TARGET,
        INSTRUCTION_DOT,         INSTRUCTION_OPERANDS,       INSTRUCTION_CALLED,
        INSTRUCTION_PAIRS,       INSTRUCTION_BACKEND_CONFIG, INSTRUCTION_REPLICA_GROUPS,
        INSTRUCTION_DEVICE_LIST,
    };
    return number < 128 && memchr(known, (int)number, sizeof known);
}

/* Makes an object of the attributes, its members sorted. */
static bool keep_attributes(struct reader *self, uint32_t *number)
{
    struct text object = {0};
    struct json_repairs repairs = {0};
    struct text *json = &self->hlo->json;
    size_t comma = self->attributes.count && *self->attributes.items == ',';
    text_clear(json);
    bool done =
        text_format(&object, "{%s}", self->attributes.count ? self->attributes.items + comma : "");
    done = done && json_canonical((struct view){object.items, object.count}, json, &repairs) ==
                       JSON_CANON_DONE;
    text_free(&object);
    return done ? keep_json(self, json, number) : fail_memory(self);
}

static bool finish_instruction(struct reader *self, struct hlo_instruction *instruction,
                               struct hlo_links *links, const struct text *dimensions)
{
    struct hlo *hlo = self->hlo;
    struct text *json = &hlo->json;
    if (dimensions->count && !add_list(self, "dimensions", dimensions))
        return false;
    if (self->attributes.count && !keep_attributes(self, &instruction->attributes))
        return false;
    if (self->groups.count) {
        text_clear(json);
        if (!text_format(json, "[%s]", self->groups.items))
            return fail_memory(self);
        if (!keep_json(self, json, &instruction->replica_groups))
            return false;
    }
    struct hlo_instruction *added = array_push(&hlo->trace->hlo_instructions);
    struct hlo_links *beside = array_push(&hlo->links);
    if (!added || !beside)
        return fail_memory(self);
    *added = *instruction;
    *beside = *links;
    uint32_t place = (uint32_t)hlo->trace->hlo_instructions.count;
    uint32_t *number = map_put(&hlo->by_number, self->module, instruction->number);
    uint32_t *name = map_put(&hlo->by_name, self->module, instruction->name);
    if (!number || !name)
        return fail_memory(self);
    *number = place;
    if (!*name)
        *name = place;
    return true;
}

static bool read_instruction(struct reader *self)
{
    struct hlo_instruction instruction = {.module = self->module, .source_line = NONE};
    struct hlo_links links = {.called = NONE, .first_operand = (uint32_t)self->hlo->operands.count};
    struct text dimensions = {0};
    struct wire_field field;
    enum wire_step step = WIRE_END;
    text_clear(&self->attributes);
    text_clear(&self->groups);
    bool done = true;
    while (done && (step = wire_next(self->wire, &field)) == WIRE_FIELD) {
        if (field.type == WIRE_VARINT) {
            done = field.number == INSTRUCTION_DIMENSIONS
                       ? add_numbers(&dimensions, &field) || fail_memory(self)
                       : read_number_field(self, &field, &instruction, &links);
        } else if (field.type == WIRE_LENGTH && is_read(field.number)) {
            if (field.value > WIRE_PIECE_MAX)
                note_count(&self->hlo->trace->notes, NOTE_VALUE_CUT, 1, -1,
                           wire_offset(self->wire));
            else
                done = wire_bytes(self->wire, &field.bytes) &&
                       read_piece(self, &field, &instruction, &links, &dimensions);
        }
    }
    done = done && step == WIRE_END && finish_instruction(self, &instruction, &links, &dimensions);
    text_free(&dimensions);
    return done;
}

/* ------------------------------------------------------------------ programs */

static bool read_text(struct reader *self, uint32_t *number)
{
    struct message span;
    return wire_bytes(self->wire, &span) && keep_text(self, span, number);
}

/* The name and the root of a computation may come behind its instructions. */
static bool read_computation(struct reader *self)
{
    struct hlo *hlo = self->hlo;
    struct wire_field field;
    enum wire_step step;
    size_t first = hlo->trace->hlo_instructions.count;
    uint32_t name = 0;
    int64_t id = 0, root = NONE;
    while ((step = wire_next(self->wire, &field)) == WIRE_FIELD) {
        if (field.number == COMPUTATION_ID && field.type == WIRE_VARINT)
            id = (int64_t)field.value;
        else if (field.number == COMPUTATION_ROOT_ID && field.type == WIRE_VARINT)
            root = (int64_t)field.value;
        else if (field.type != WIRE_LENGTH)
            continue;
        else if (field.number == COMPUTATION_NAME && !read_text(self, &name))
            return false;
        else if (field.number == COMPUTATION_INSTRUCTIONS &&
                 (!wire_enter(self->wire) || !read_instruction(self) || !wire_leave(self->wire)))
            return false;
    }
    for (size_t i = first; i < hlo->trace->hlo_instructions.count; i++) {
        struct hlo_instruction *instruction = &hlo->trace->hlo_instructions.items[i];
        instruction->computation = name;
        instruction->is_root = instruction->number == root;
        hlo->links.items[i].computation = id;
    }
    uint32_t *known = map_put(&hlo->by_computation, self->module, id);
    if (!known)
        return fail_memory(self);
    if (!*known && first < hlo->trace->hlo_instructions.count)
        *known = (uint32_t)first + 1;
    return step == WIRE_END;
}

static bool read_module(struct reader *self, struct hlo_module *module)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = wire_next(self->wire, &field)) == WIRE_FIELD) {
        if (field.number == MODULE_ID && field.type == WIRE_VARINT)
            module->program = (int64_t)field.value;
        else if (field.type != WIRE_LENGTH)
            continue;
        else if (field.number == MODULE_NAME && !read_text(self, &module->name))
            return false;
        else if (field.number == MODULE_ENTRY_NAME && !read_text(self, &module->entry))
            return false;
        else if (field.number == MODULE_COMPUTATIONS &&
                 (!wire_enter(self->wire) || !read_computation(self) || !wire_leave(self->wire)))
            return false;
    }
    return step == WIRE_END;
}

bool hlo_read(struct hlo *self, struct wire *wire, int64_t program)
{
    struct reader reader = {
        .hlo = self, .wire = wire, .module = (uint32_t)self->trace->hlo_modules.count};
    struct hlo_module module = {.program = program};
    struct wire_field field;
    enum wire_step step = WIRE_END;
    bool done = true, found = false;
    while (done && (step = wire_next(wire, &field)) == WIRE_FIELD)
        if (field.number == HLO_MODULE && field.type == WIRE_LENGTH && !found) {
            found = true;
            done = wire_enter(wire) && read_module(&reader, &module) && wire_leave(wire);
        }
    text_free(&reader.attributes);
    text_free(&reader.groups);
    if (!done || step != WIRE_END || !found)
        return done && step == WIRE_END;
    struct hlo_module *added = array_push(&self->trace->hlo_modules);
    uint32_t *by_program = added ? map_put(&self->by_program, module.program, 0) : NULL;
    uint32_t *by_name = by_program ? map_put(&self->by_module_name, module.name, 0) : NULL;
    if (!by_name)
        return error_memory(self->error);
    *added = module;
    *by_program = reader.module + 1;
    if (!*by_name)
        *by_name = reader.module + 1;
    return true;
}

/* ------------------------------------------------------------------ finding */

uint32_t hlo_find_module(const struct hlo *self, int64_t program, uint32_t module)
{
    uint32_t found = program == NONE ? 0 : map_get(&self->by_program, program, 0);
    return found || !module ? found : map_get(&self->by_module_name, module, 0);
}

/* Nested scopes stand before the name, with :: between. */
uint32_t hlo_find(const struct hlo *self, uint32_t module, struct view name)
{
    if (!module)
        return 0;
    for (;;) {
        uint32_t text = intern_find(&self->trace->strings, name.bytes, name.length);
        uint32_t found = text ? map_get(&self->by_name, module - 1, text) : 0;
        const char *colons = memmem(name.bytes, name.length, "::", 2);
        if (found || !colons)
            return found;
        size_t skipped = (size_t)(colons - name.bytes) + 2;
        name = (struct view){name.bytes + skipped, name.length - skipped};
    }
}

static const struct hlo_instruction *operand_of(const struct hlo *self, uint32_t index, uint32_t i)
{
    const struct hlo_links *links = &self->links.items[index];
    uint32_t found = map_get(&self->by_number, self->trace->hlo_instructions.items[index].module,
                             self->operands.items[links->first_operand + i]);
    return found ? &self->trace->hlo_instructions.items[found - 1] : NULL;
}

static struct view text_of(const struct hlo *self, uint32_t number)
{
    return number ? intern_view(&self->trace->strings, number) : VIEW("");
}

bool hlo_finish(struct hlo *self)
{
    for (size_t i = 0; i < self->links.count; i++) {
        struct text *json = &self->json;
        uint32_t count = self->links.items[i].operand_count;
        text_clear(json);
        bool done = text_add_byte(json, '[');
        for (uint32_t j = 0; j < count && done; j++) {
            const struct hlo_instruction *operand = operand_of(self, (uint32_t)i, j);
            done = (!j || text_add_byte(json, ',')) &&
                   text_add_json(json, text_of(self, operand ? operand->shape : 0));
        }
        done = done && text_add_byte(json, ']');
        uint32_t number = done ? intern_add(&self->trace->strings, json->items, json->count) : 0;
        if (!number)
            return error_memory(self->error);
        self->trace->hlo_instructions.items[i].operands = number;
    }
    return true;
}

/* ------------------------------------------------------------------ signatures */

/* The first array in a shape's text: its type, and its extents without the brackets. */
static bool first_array(struct view shape, struct view *type, struct view *extents,
                        struct view *rest)
{
    const char *at = shape.bytes, *end = at + shape.length;
    const char *open = memchr(at, '[', shape.length);
    if (!open)
        return false;
    const char *close = memchr(open, ']', (size_t)(end - open));
    if (!close)
        return false;
    const char *start = open;
    while (start > at && start[-1] != '(' && start[-1] != ',' && start[-1] != '/')
        start--;
    *type = (struct view){start, (size_t)(open - start)};
    *extents = (struct view){open + 1, (size_t)(close - open - 1)};
    *rest = (struct view){close + 1, (size_t)(end - close - 1)};
    return true;
}

/* The order of the dimensions, the fastest first, which stands behind the extents. */
static struct view layout_of(struct view rest)
{
    if (!rest.length || *rest.bytes != '{')
        return VIEW("");
    const char *close = memchr(rest.bytes, '}', rest.length);
    return close ? (struct view){rest.bytes + 1, (size_t)(close - rest.bytes - 1)} : VIEW("");
}

/* Adds what is known of the arrays of a shape: their extents, types and layouts. */
struct arrays {
    struct text extents, types, layouts;
};

static void arrays_free(struct arrays *self)
{
    text_free(&self->extents);
    text_free(&self->types);
    text_free(&self->layouts);
}

static bool add_arrays(struct arrays *self, struct view shape, bool all)
{
    struct view type, extents;
    bool done = true, any = false;
    while (done && first_array(shape, &type, &extents, &shape)) {
        const char *comma = self->extents.count ? "," : "";
        struct view layout = layout_of(shape);
        done = text_format(&self->extents, "%s[%.*s]", comma, (int)extents.length, extents.bytes) &&
               text_add_string(&self->types, comma) && text_add_json(&self->types, type) &&
               text_format(&self->layouts, "%s[%.*s]", comma, (int)layout.length, layout.bytes);
        any = true;
        if (!all)
            break;
    }
    if (!any && !all && done) { /* an operand has a place even when it is no array */
        const char *comma = self->extents.count ? "," : "";
        done = text_format(&self->extents, "%snull", comma) &&
               text_format(&self->types, "%snull", comma) &&
               text_format(&self->layouts, "%snull", comma);
    }
    return done;
}

static bool intern_list(struct hlo *self, const struct text *items, uint32_t *number)
{
    text_clear(&self->json);
    if (!text_format(&self->json, "[%s]", items->count ? items->items : ""))
        return false;
    *number = intern_add(&self->trace->strings, self->json.items, self->json.count);
    return *number != 0;
}

/* The only product in the computation that a fusion calls, index + 1; 0 = none or several. */
static uint32_t only_dot(const struct hlo *self, uint32_t index)
{
    const struct hlo_instruction *instructions = self->trace->hlo_instructions.items;
    uint32_t found = 0;
    uint32_t module = instructions[index].module;
    if (self->links.items[index].called == NONE)
        return 0;
    uint32_t first = map_get(&self->by_computation, module, self->links.items[index].called);
    for (size_t i = first ? first - 1 : self->links.count;
         i < self->links.count && instructions[i].module == module &&
         self->links.items[i].computation == self->links.items[index].called;
         i++) {
        if (!view_equal(text_of(self, instructions[i].opcode), VIEW("dot")))
            continue;
        if (found)
            return 0;
        found = (uint32_t)i + 1;
    }
    return found;
}

static bool list_operands(struct hlo *self, uint32_t index, struct op *op)
{
    struct arrays arrays = {0};
    uint32_t count = self->links.items[index].operand_count;
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++) {
        const struct hlo_instruction *operand = operand_of(self, index, i);
        done = add_arrays(&arrays, text_of(self, operand ? operand->shape : 0), false);
    }
    done = done && intern_list(self, &arrays.extents, &op->dims) &&
           intern_list(self, &arrays.types, &op->types);
    arrays_free(&arrays);
    return done;
}

/* One object: the output, and what the instruction states. */
static bool list_facts(struct hlo *self, uint32_t index, struct op *op)
{
    const struct hlo_instruction *instruction = &self->trace->hlo_instructions.items[index];
    struct view attributes = text_of(self, instruction->attributes);
    struct arrays arrays = {0};
    struct text object = {0};
    struct json_repairs repairs = {0};
    bool done = add_arrays(&arrays, text_of(self, instruction->shape), true);
    done = done && text_format(&object, "{\"output\":[%s],\"output_type\":[%s],\"layout\":[%s]",
                               arrays.extents.count ? arrays.extents.items : "",
                               arrays.types.count ? arrays.types.items : "",
                               arrays.layouts.count ? arrays.layouts.items : "");
    if (attributes.length > 2)
        done = done && text_add_byte(&object, ',') &&
               text_add(&object, attributes.bytes + 1, attributes.length - 2);
    done = done && text_add_byte(&object, '}');
    text_clear(&self->json);
    done = done && json_canonical((struct view){object.items, object.count}, &self->json,
                                  &repairs) == JSON_CANON_DONE;
    if (done)
        op->concrete = intern_add(&self->trace->strings, self->json.items, self->json.count);
    arrays_free(&arrays);
    text_free(&object);
    return done && op->concrete;
}

/* Each member of the object is a parameter. */
static bool add_parameters(struct hlo *self, uint32_t op, uint32_t facts)
{
    struct view rest = text_of(self, facts), key;
    struct text name = {0};
    struct json_repairs repairs = {0};
    bool done = true;
    while (done && (key = json_item(&rest)).length > 2) {
        struct view value = json_item(&rest);
        if (value.length >= 2 && *value.bytes == '"')
            value = (struct view){value.bytes + 1, value.length - 2};
        text_clear(&name);
        struct attribute *added = array_push(&self->trace->attributes);
        done =
            added && json_unescape((struct view){key.bytes + 1, key.length - 2}, &name, &repairs);
        if (done)
            *added = (struct attribute){
                .op = op,
                .name = intern_add(&self->trace->strings, name.items, name.count),
                .value = intern_add(&self->trace->strings, value.bytes, value.length),
            };
        done = done && added->name && added->value;
    }
    text_free(&name);
    return done;
}

bool hlo_signature(struct hlo *self, uint32_t instruction, uint32_t *op)
{
    uint32_t index = instruction - 1;
    const struct hlo_instruction *item = &self->trace->hlo_instructions.items[index];
    *op = item->op;
    if (*op)
        return true;
    struct op call = {.name = item->target ? item->target : item->opcode};
    uint32_t described = index;
    if (view_equal(text_of(self, item->opcode), VIEW("fusion"))) {
        uint32_t dot = only_dot(self, index);
        if (dot) { /* what counts is the product in it */
            described = dot - 1;
            call.name = self->trace->hlo_instructions.items[described].opcode;
        }
    }
    if (!call.name)
        call.name = intern_add(&self->trace->strings, "", 0);
    size_t before = intern_count(&self->trace->ops);
    bool done =
        call.name && list_operands(self, described, &call) && list_facts(self, described, &call);
    *op = done ? intern_add(&self->trace->ops, &call, sizeof call) : 0;
    self->trace->hlo_instructions.items[index].op = *op;
    return (*op && (intern_count(&self->trace->ops) == before ||
                    add_parameters(self, *op, call.concrete))) ||
           error_memory(self->error);
}

void hlo_free(struct hlo *self)
{
    array_free(&self->links);
    array_free(&self->operands);
    map_free(&self->by_number);
    map_free(&self->by_name);
    map_free(&self->by_program);
    map_free(&self->by_computation);
    map_free(&self->by_module_name);
    text_free(&self->json);
    text_free(&self->scratch);
}
