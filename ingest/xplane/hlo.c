/* hlo: programs, computations and instructions; see hlo.h. */
#include "ingest/xplane/hlo.h"

#include "ingest/input/json_text.h"
#include "ingest/xplane/xplane_fields.h"

#include <string.h>

static const struct fact_column module_columns[] = {
    {"id", FACT_ID, 0, NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"program_id", FACT_INTEGER, offsetof(struct hlo_module, program), NULL},
    {"name", FACT_WORD, offsetof(struct hlo_module, name), NULL},
    {"entry", FACT_TEXT, offsetof(struct hlo_module, entry), NULL},
    {0},
};

const struct fact_table hlo_module_facts = {"hlo_module", sizeof(struct hlo_module),
                                            module_columns};

static const struct fact_column instruction_columns[] = {
    {"id", FACT_ID, 0, NULL},
    {"module_id", FACT_ROW, offsetof(struct hlo_instruction, module), &hlo_module_facts},
    {"number", FACT_INTEGER, offsetof(struct hlo_instruction, number), NULL},
    {"is_root", FACT_FLAG, offsetof(struct hlo_instruction, is_root), NULL},
    {"source_line", FACT_INTEGER, offsetof(struct hlo_instruction, source_line), NULL},
    {"name", FACT_WORD, offsetof(struct hlo_instruction, name), NULL},
    {"opcode", FACT_WORD, offsetof(struct hlo_instruction, opcode), NULL},
    {"computation", FACT_WORD, offsetof(struct hlo_instruction, computation), NULL},
    {"shape", FACT_WORD, offsetof(struct hlo_instruction, shape), NULL},
    {"operands", FACT_TEXT, offsetof(struct hlo_instruction, operands), NULL},
    {"attributes", FACT_TEXT, offsetof(struct hlo_instruction, attributes), NULL},
    {"custom_call_target", FACT_TEXT, offsetof(struct hlo_instruction, target), NULL},
    {"backend_config", FACT_TEXT, offsetof(struct hlo_instruction, backend_config), NULL},
    {"replica_groups", FACT_TEXT, offsetof(struct hlo_instruction, replica_groups), NULL},
    {"op_type", FACT_TEXT, offsetof(struct hlo_instruction, op_type), NULL},
    {"op_name", FACT_TEXT, offsetof(struct hlo_instruction, op_name), NULL},
    {"source_file", FACT_TEXT, offsetof(struct hlo_instruction, source_file), NULL},
    {"op_id", FACT_OP, offsetof(struct hlo_instruction, op), NULL},
    {0},
};

const struct fact_table hlo_instruction_facts = {"hlo_instruction", sizeof(struct hlo_instruction),
                                                 instruction_columns};

/* ------------------------------------------------------------------ ranks of collectives */

/* Groups of more ranks than this are kept as their size only. */
enum { RANKS_MAX = 1 << 16 };

/* Groups are appended as lists of JSON, separated by commas. */
static bool add_group(struct hlo_reader *self, struct message span)
{
    struct text numbers = {0};
    struct wire_field field;
    enum wire_step step;
    bool done = true;
    while (done && (step = message_next(&span, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            done = hlo_corrupt(self);
        else if (field.number == GROUP_MEMBERS)
            hlo_add_numbers(&numbers, &field);
    }
    if (done)
        text_format(&self->groups, "%s[%s]", self->groups.count ? "," : "",
                    numbers.count ? numbers.items : "");
    text_free(&numbers);
    return done;
}

static bool add_pair(struct hlo_reader *self, struct message span)
{
    struct wire_field field;
    enum wire_step step;
    int64_t ends[2] = {0};
    while ((step = message_next(&span, &field)) == WIRE_FIELD)
        if (field.number == PAIR_SOURCE || field.number == PAIR_TARGET)
            ends[field.number - PAIR_SOURCE] = (int64_t)field.value;
    if (step == WIRE_FAILED)
        return hlo_corrupt(self);
    text_format(&self->groups, "%s[%lld,%lld]", self->groups.count ? "," : "", (long long)ends[0],
                (long long)ends[1]);
    return true;
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
static bool add_iota(struct hlo_reader *self, int64_t groups, int64_t size,
                     const int64_t *dimensions, const int64_t *order, int count)
{
    int64_t total = 1, strides[IOTA_RANK_MAX], place[IOTA_RANK_MAX] = {0};
    for (int i = count; i-- > 0;) {
        if (dimensions[i] < 1 || dimensions[i] > RANKS_MAX || order[i] < 0 || order[i] >= count)
            return hlo_corrupt(self);
        strides[i] = total;
        total *= dimensions[i];
        if (total > RANKS_MAX) {
            hlo_add_number(self, "group_size", size);
            return true;
        }
    }
    if (groups < 1 || size < 1 || groups > RANKS_MAX || size > RANKS_MAX || groups * size != total)
        return hlo_corrupt(self);
    enum { RANK_BYTES = 6 }; /* with its comma */
    if (!trace_take(self->hlo->trace, (size_t)total * RANK_BYTES)) {
        hlo_add_number(self, "group_size", size);
        return true;
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t rank = 0;
        for (int axis = 0; axis < count; axis++)
            rank += place[axis] * strides[order[axis]];
        text_format(&self->groups, "%s%s%lld%s", i ? "," : "", i % size ? "" : "[", (long long)rank,
                    (i + 1) % size ? "" : "]");
        for (int axis = count; axis-- > 0 && ++place[axis] == dimensions[order[axis]];)
            place[axis] = 0;
    }
    return true;
}

static bool read_iota(struct hlo_reader *self, struct message span)
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
        return hlo_corrupt(self);
    return count == 0 || add_iota(self, groups, size, dimensions, order, count);
}

/* Lists of groups, or one that says how to count them out. */
static bool read_device_list(struct hlo_reader *self, struct message span)
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
    return step == WIRE_END || hlo_corrupt(self);
}

/* ------------------------------------------------------------------ instructions */

static bool read_origin(struct hlo_reader *self, struct message span,
                        struct hlo_instruction *instruction)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&span, &field)) != WIRE_END) {
        if (step == WIRE_FAILED)
            return hlo_corrupt(self);
        if (field.number == OP_METADATA_LINE && field.type == WIRE_VARINT)
            instruction->source_line = (int64_t)field.value;
        else if (field.type != WIRE_LENGTH)
            continue;
        else if (field.number == OP_METADATA_TYPE)
            hlo_keep_text(self, field.bytes, &instruction->op_type);
        else if (field.number == OP_METADATA_NAME)
            hlo_keep_text(self, field.bytes, &instruction->op_name);
        else if (field.number == OP_METADATA_FILE)
            hlo_keep_text(self, field.bytes, &instruction->source_file);
    }
    return true;
}

static void add_operands(struct hlo_reader *self, const struct wire_field *field,
                         struct hlo_links *links)
{
    struct message span = field->bytes;
    uint64_t number = field->value;
    bool is_one = field->type == WIRE_VARINT;
    while (is_one || message_number(&span, &number)) {
        array_add(&self->hlo->operands, (int64_t)number);
        links->operand_count++;
        if (is_one)
            break;
    }
}

static void first_called(const struct wire_field *field, struct hlo_links *links)
{
    struct message span = field->bytes;
    uint64_t number = field->value;
    if (links->called == NONE && (field->type == WIRE_VARINT || message_number(&span, &number)))
        links->called = (int64_t)number;
}

static void read_number_field(struct hlo_reader *self, const struct wire_field *field,
                              struct hlo_instruction *instruction, struct hlo_links *links)
{
    int64_t value = (int64_t)field->value;
    switch (field->number) {
    case INSTRUCTION_ID:
        instruction->number = value;
        return;
    case INSTRUCTION_OPERANDS:
        add_operands(self, field, links);
        return;
    case INSTRUCTION_CALLED:
        first_called(field, links);
        return;
    case INSTRUCTION_FEATURE_GROUPS:
        if (value != 1 && value != 0)
            hlo_add_number(self, "feature_group_count", value);
        return;
    case INSTRUCTION_BATCH_GROUPS:
        if (value != 1 && value != 0)
            hlo_add_number(self, "batch_group_count", value);
        return;
    default:
        return;
    }
}

/* read_piece reads fields with these numbers. */
static bool is_piece(uint32_t number)
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

static bool read_piece(struct hlo_reader *self, const struct wire_field *field,
                       struct hlo_instruction *instruction, struct hlo_links *links,
                       struct text *dimensions)
{
    struct text *json = &self->hlo->json;
    switch (field->number) {
    case INSTRUCTION_NAME:
        hlo_keep_text(self, field->bytes, &instruction->name);
        return true;
    case INSTRUCTION_OPCODE:
        hlo_keep_text(self, field->bytes, &instruction->opcode);
        return true;
    case INSTRUCTION_SHAPE:
        text_clear(json);
        if (!hlo_add_shape(self, field->bytes, json))
            return false;
        hlo_keep_json(self, json, &instruction->shape);
        return true;
    case INSTRUCTION_METADATA:
        return read_origin(self, field->bytes, instruction);
    case INSTRUCTION_FUSION_KIND:
        text_clear(json);
        text_add_json(json, message_view(field->bytes));
        hlo_add_attribute(self, "fusion_kind", json->items);
        return true;
    case INSTRUCTION_DIMENSIONS:
        hlo_add_numbers(dimensions, field);
        return true;
    case INSTRUCTION_WINDOW:
        return hlo_read_window(self, field->bytes);
    case INSTRUCTION_CONVOLUTION:
        return hlo_read_convolution(self, field->bytes);
    case INSTRUCTION_TARGET:
        hlo_keep_text(self, field->bytes, &instruction->target);
        return true;
    case INSTRUCTION_DOT:
        return hlo_read_dot(self, field->bytes);
    case INSTRUCTION_OPERANDS:
        add_operands(self, field, links);
        return true;
    case INSTRUCTION_CALLED:
        first_called(field, links);
        return true;
    case INSTRUCTION_BACKEND_CONFIG:
        hlo_read_config(self, field->bytes, &instruction->backend_config);
        return true;
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

/* Makes an object of the attributes, its members sorted. */
static void keep_attributes(struct hlo_reader *self, uint32_t *number)
{
    struct text object = {0};
    struct json_repairs repairs = {0};
    struct text *json = &self->hlo->json;
    size_t comma = self->attributes.count && *self->attributes.items == ',';
    text_clear(json);
    text_format(&object, "{%s}", self->attributes.count ? self->attributes.items + comma : "");
    json_canonical(text_view(&object), json, &repairs);
    text_free(&object);
    hlo_keep_json(self, json, number);
}

static bool read_instruction(struct hlo_reader *self)
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
        if (field.type == WIRE_VARINT && field.number == INSTRUCTION_DIMENSIONS)
            hlo_add_numbers(&dimensions, &field);
        else if (field.type == WIRE_VARINT)
            read_number_field(self, &field, &instruction, &links);
        else {
            if (field.type == WIRE_LENGTH && is_piece(field.number)) {
                if (field.value > WIRE_PIECE_MAX)
                    note_count(&self->hlo->trace->notes, NOTE_VALUE_CUT, 1, -1,
                               wire_offset(self->wire));
                else
                    done = wire_bytes(self->wire, &field.bytes) &&
                           read_piece(self, &field, &instruction, &links, &dimensions);
            }
        }
    }
    done = done && step == WIRE_END;
    if (done) {
        struct hlo *hlo = self->hlo;
        struct text *json = &hlo->json;
        if (dimensions.count)
            hlo_add_list(self, "dimensions", &dimensions);
        if (self->attributes.count)
            keep_attributes(self, &instruction.attributes);
        if (self->groups.count) {
            text_clear(json);
            text_format(json, "[%s]", self->groups.items);
            hlo_keep_json(self, json, &instruction.replica_groups);
        }
        array_add(&hlo->instructions, instruction);
        array_add(&hlo->links, links);
        uint32_t place = (uint32_t)hlo->instructions.count;
        map_set(&hlo->by_number, self->module, instruction.number, place);
        uint32_t *name = map_put(&hlo->by_name, self->module, instruction.name);
        if (!*name)
            *name = place;
    }
    text_free(&dimensions);
    return done;
}

/* ------------------------------------------------------------------ programs */

static bool read_text(struct hlo_reader *self, uint32_t *number)
{
    struct message span;
    if (!wire_bytes(self->wire, &span))
        return false;
    hlo_keep_text(self, span, number);
    return true;
}

/* The name and the root of a computation may come behind its instructions. */
static bool read_computation(struct hlo_reader *self)
{
    struct hlo *hlo = self->hlo;
    struct wire_field field;
    enum wire_step step;
    size_t first = hlo->instructions.count;
    uint32_t name = 0, none = intern_add(&hlo->trace->strings, "", 0);
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
    for (size_t i = first; i < hlo->instructions.count; i++) {
        struct hlo_instruction *instruction = &hlo->instructions.items[i];
        instruction->computation =
            trace_take(hlo->trace, trace_text(hlo->trace, name).length) ? name : none;
        instruction->is_root = instruction->number == root;
        hlo->links.items[i].computation = id;
    }
    uint32_t *known = map_put(&hlo->by_computation, self->module, id);
    if (!*known && first < hlo->instructions.count)
        *known = (uint32_t)first + 1;
    return step == WIRE_END;
}

static bool read_module(struct hlo_reader *self, struct hlo_module *module)
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
    struct hlo_reader reader = {.hlo = self, .wire = wire, .module = (uint32_t)self->modules.count};
    struct hlo_module module = {.program = program};
    struct wire_field field;
    enum wire_step step = WIRE_END;
    bool done = true, found = false;
    while (done && (step = wire_next(wire, &field)) == WIRE_FIELD)
        if (field.number == HLO_MODULE && field.type == WIRE_LENGTH && !found) {
            found = true;
            done = wire_enter(wire) && read_module(&reader, &module) && wire_leave(wire);
        }
    if (!done || step != WIRE_END || !found)
        return done && step == WIRE_END;
    struct hlo_module *added = array_push(&self->modules);
    uint32_t *by_program = map_put(&self->by_program, module.program, 0);
    uint32_t *by_name = map_put(&self->by_module_name, module.name, 0);
    *added = module;
    *by_program = reader.module + 1;
    if (!*by_name)
        *by_name = reader.module + 1;
    return true;
}
