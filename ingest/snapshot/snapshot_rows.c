/* snapshot_rows: what a dict or a list of a snapshot is, and its row. */
#include "ingest/snapshot/snapshot_reader.h"

#include <stdio.h>

/* Sums of sizes stay below this. */
static const int64_t bytes_max = (int64_t)1 << 60;

/* The values of a dict under the keys that the format knows. */
struct fields {
    struct value values[WORD_KEY_COUNT];
    uint64_t present; /* bits by key */
};
_Static_assert(WORD_KEY_COUNT <= 64, "a bit for each key");

static bool has(const struct fields *self, enum snapshot_word key)
{
    return self->present >> key & 1;
}

static bool all(const struct fields *self, enum snapshot_word one, enum snapshot_word other)
{
    return has(self, one) && has(self, other);
}

static void find_fields(const struct node *dict, struct fields *fields)
{
    fields->present = 0;
    for (size_t i = 0; i + 1 < dict->items.count; i += 2) {
        const struct value *key = &dict->items.items[i], *value = key + 1;
        if (key->type != VALUE_TEXT || key->number >= WORD_KEY_COUNT)
            continue;
        fields->values[key->number] = *value;
        fields->present &= ~((uint64_t)1 << key->number);
        if (value->type != VALUE_NONE)
            fields->present |= (uint64_t)1 << key->number;
    }
}

/* ------------------------------------------------------------------ values */

static bool wrong(struct snapshot *self, enum snapshot_word key)
{
    char words[64];
    struct view name = intern_view(&self->trace->strings, key);
    snprintf(words, sizeof words, "has a wrong value of %.*s", (int)name.length, name.bytes);
    return snapshot_refuse(self, words);
}

static bool take_integer(struct snapshot *self, const struct fields *fields, enum snapshot_word key,
                         int64_t *number)
{
    if (!has(fields, key))
        return true;
    *number = fields->values[key].number;
    return fields->values[key].type == VALUE_INTEGER || wrong(self, key);
}

static bool take_address(struct snapshot *self, const struct fields *fields, enum snapshot_word key,
                         int64_t *number, bool *has_it)
{
    *has_it = has(fields, key);
    if (*has_it && fields->values[key].type == VALUE_UNSIGNED) {
        *number = fields->values[key].number;
        return true;
    }
    return take_integer(self, fields, key, number);
}

static bool take_bytes(struct snapshot *self, const struct fields *fields, enum snapshot_word key,
                       int64_t *bytes)
{
    *bytes = 0;
    if (!take_integer(self, fields, key, bytes))
        return false;
    if (*bytes < 0 || *bytes > bytes_max - self->bytes)
        return wrong(self, key);
    self->bytes += *bytes;
    return true;
}

static bool take_time(struct snapshot *self, const struct fields *fields, int64_t *time)
{
    *time = NONE;
    int64_t micros = 0;
    if (!has(fields, WORD_TIME))
        return true;
    if (!take_integer(self, fields, WORD_TIME, &micros))
        return false;
    if (micros < -(INT64_MAX / 4000) || micros > INT64_MAX / 4000)
        return wrong(self, WORD_TIME);
    *time = micros * 1000;
    return true;
}

static bool take_text(struct snapshot *self, const struct fields *fields, enum snapshot_word key,
                      uint32_t *text)
{
    if (!has(fields, key))
        return true;
    *text = (uint32_t)fields->values[key].number;
    if (fields->values[key].type != VALUE_TEXT)
        return wrong(self, key);
    return snapshot_repeat(self, *text);
}

/* A text that says nothing is none. */
static bool take_label(struct snapshot *self, const struct fields *fields, enum snapshot_word key,
                       uint32_t *text)
{
    if (!take_text(self, fields, key, text))
        return false;
    if (*text == WORD_NOT_APPLICABLE || *text == WORD_KEY_COUNT) /* the empty text */
        *text = 0;
    return true;
}

static bool take_frames(struct snapshot *self, const struct fields *fields, uint32_t *stack)
{
    *stack = 0;
    if (!has(fields, WORD_FRAMES))
        return true;
    const struct value *value = &fields->values[WORD_FRAMES];
    const value_list *list = snapshot_list(self, value);
    if (value->type == VALUE_STACK)
        *stack = (uint32_t)value->number;
    return value->type == VALUE_STACK || (list && !list->count) || wrong(self, WORD_FRAMES);
}

/* Two numbers as a text: a.b */
static bool take_pool(struct snapshot *self, const struct fields *fields, enum snapshot_word key,
                      uint32_t *pool)
{
    if (!has(fields, key))
        return true;
    const value_list *list = snapshot_list(self, &fields->values[key]);
    if (!list || list->count != 2 || list->items[0].type != VALUE_INTEGER ||
        list->items[1].type != VALUE_INTEGER)
        return wrong(self, key);
    char text[48];
    int length = snprintf(text, sizeof text, "%lld.%lld", (long long)list->items[0].number,
                          (long long)list->items[1].number);
    *pool = intern_add(&self->trace->strings, text, (size_t)length);
    return true;
}

/* ------------------------------------------------------------------ rows */

/* Adds a row; what its dict became is its place. */
#define ADD_ROW(list, row, kind) \
    (array_add(list, row), *became = (struct value){(int64_t)(list)->count - 1, (kind)}, true)

static bool add_event(struct snapshot *self, const struct fields *fields, struct value *became)
{
    struct raw_event event = {.stream = NONE, .device_free = NONE};
    event.has_size = has(fields, WORD_SIZE);
    return take_text(self, fields, WORD_ACTION, &event.action) &&
           take_address(self, fields, WORD_ADDR, &event.address, &event.has_address) &&
           take_bytes(self, fields, WORD_SIZE, &event.size) &&
           take_integer(self, fields, WORD_STREAM, &event.stream) &&
           take_integer(self, fields, WORD_DEVICE_FREE, &event.device_free) &&
           take_time(self, fields, &event.time) && take_frames(self, fields, &event.stack) &&
           take_label(self, fields, WORD_CATEGORY, &event.category) &&
           take_label(self, fields, WORD_COMPILE_CONTEXT, &event.context) &&
           take_label(self, fields, WORD_USER_METADATA, &event.metadata) &&
           take_pool(self, fields, WORD_POOL, &event.pool) &&
           ADD_ROW(&self->events, event, VALUE_EVENT);
}

/* The newest allocation of the history of a block. */
static bool take_history(struct snapshot *self, const struct fields *fields,
                         struct raw_block *block)
{
    if (!has(fields, WORD_HISTORY))
        return true;
    const value_list *list = snapshot_list(self, &fields->values[WORD_HISTORY]);
    if (!list || (list->count && list->items[0].type != VALUE_PAST))
        return wrong(self, WORD_HISTORY);
    if (!list->count)
        return true;
    const struct raw_past *past = &self->pasts.items[list->items[0].number];
    if (!has(fields, WORD_FRAMES))
        block->stack = past->stack;
    if (!has(fields, WORD_REQUESTED_SIZE))
        block->requested = past->bytes;
    return true;
}

/* Blocks of a segment were mostly the last ones that came, in order; others are copied. */
static bool take_blocks(struct snapshot *self, const struct fields *fields,
                        struct raw_segment *segment)
{
    const value_list *list =
        has(fields, WORD_BLOCKS) ? snapshot_list(self, &fields->values[WORD_BLOCKS]) : NULL;
    if (!list)
        return !has(fields, WORD_BLOCKS) || wrong(self, WORD_BLOCKS);
    bool in_order = true;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].type != VALUE_BLOCK)
            return wrong(self, WORD_BLOCKS);
        if (!snapshot_use(self, &self->blocks.items[list->items[i].number].is_used))
            return false;
        in_order &= list->items[i].number == list->items[0].number + (int64_t)i;
    }
    segment->block_count = list->count;
    segment->first_block = self->blocks.count;
    if (in_order)
        segment->first_block = list->count ? (size_t)list->items[0].number : 0;
    for (size_t i = 0; i < list->count && !in_order; i++) {
        struct raw_block block = self->blocks.items[list->items[i].number];
        array_add(&self->blocks, block);
    }
    return true;
}

static bool add_segment(struct snapshot *self, const struct fields *fields, struct value *became)
{
    struct raw_segment segment = {.row = {.stream = NONE}};
    struct memory_segment *row = &segment.row;
    bool has_address = false;
    const struct value *expandable = &fields->values[WORD_IS_EXPANDABLE];
    row->is_expandable = has(fields, WORD_IS_EXPANDABLE) && expandable->number;
    return take_integer(self, fields, WORD_DEVICE, &row->device) &&
           take_address(self, fields, WORD_ADDRESS, &row->address, &has_address) &&
           (has_address || wrong(self, WORD_ADDRESS)) &&
           take_bytes(self, fields, WORD_TOTAL_SIZE, &row->total) &&
           take_bytes(self, fields, WORD_ALLOCATED_SIZE, &row->allocated) &&
           take_bytes(self, fields, WORD_ACTIVE_SIZE, &row->active) &&
           take_bytes(self, fields, WORD_REQUESTED_SIZE, &row->requested) &&
           take_integer(self, fields, WORD_STREAM, &row->stream) &&
           take_text(self, fields, WORD_SEGMENT_TYPE, &row->type) &&
           take_pool(self, fields, WORD_SEGMENT_POOL, &row->pool) &&
           take_frames(self, fields, &row->stack) && take_blocks(self, fields, &segment) &&
           ADD_ROW(&self->segments, segment, VALUE_SEGMENT);
}

/* A list of frames is a stack; any other one stays a list. */
static bool add_stack(struct snapshot *self, const struct node *list, struct value *became)
{
    size_t count = list->items.count;
    for (size_t i = 0; i < count; i++)
        if (list->items.items[i].type != VALUE_FRAME)
            return true;
    self->frame_scratch.count = 0;
    if (!count)
        return true;
    array_reserve(&self->frame_scratch, count);
    for (size_t i = 0; i < count; i++)
        self->frame_scratch.items[i] = (uint32_t)list->items.items[i].number;
    *became = (struct value){snapshot_stack(self, self->frame_scratch.items, count), VALUE_STACK};
    return became->number != 0;
}

bool snapshot_row(struct snapshot *self, uint32_t node, struct value *became)
{
    const struct node *container = &self->nodes.items[node];
    struct fields fields;
    if (container->kind != NODE_DICT)
        return add_stack(self, container, became);
    find_fields(container, &fields);
    if (all(&fields, WORD_FILENAME, WORD_NAME)) {
        uint32_t file = WORD_KEY_COUNT, name = WORD_KEY_COUNT; /* the empty text */
        int64_t line = 0;
        if (!take_text(self, &fields, WORD_FILENAME, &file) ||
            !take_text(self, &fields, WORD_NAME, &name) ||
            !take_integer(self, &fields, WORD_LINE, &line))
            return false;
        *became = (struct value){snapshot_frame(self, file, line, name), VALUE_FRAME};
        return became->number != 0;
    }
    if (has(&fields, WORD_ACTION))
        return add_event(self, &fields, became);
    if (all(&fields, WORD_STATE, WORD_SIZE)) {
        struct raw_block block = {0};
        if (!take_address(self, &fields, WORD_ADDRESS, &block.address, &block.has_address) ||
            !take_bytes(self, &fields, WORD_SIZE, &block.bytes) ||
            !take_bytes(self, &fields, WORD_REQUESTED_SIZE, &block.requested) ||
            !take_text(self, &fields, WORD_STATE, &block.state) ||
            !take_frames(self, &fields, &block.stack))
            return false;
        if (!has(&fields, WORD_REQUESTED_SIZE))
            block.requested = block.bytes;
        return take_history(self, &fields, &block) && ADD_ROW(&self->blocks, block, VALUE_BLOCK);
    }
    if (has(&fields, WORD_BLOCKS) || has(&fields, WORD_TOTAL_SIZE))
        return add_segment(self, &fields, became);
    if (has(&fields, WORD_REAL_SIZE)) {
        struct raw_past past = {0};
        return take_bytes(self, &fields, WORD_REAL_SIZE, &past.bytes) &&
               take_frames(self, &fields, &past.stack) && ADD_ROW(&self->pasts, past, VALUE_PAST);
    }
    if (all(&fields, WORD_STAGE, WORD_NAME)) {
        struct raw_mark mark = {.place = (uint32_t)self->raw_marks.count};
        uint32_t stage = 0;
        if (!take_text(self, &fields, WORD_STAGE, &stage) ||
            !take_text(self, &fields, WORD_NAME, &mark.name) ||
            !take_integer(self, &fields, WORD_DEVICE, &mark.device) ||
            !take_time(self, &fields, &mark.time))
            return false;
        mark.is_end = stage == WORD_END;
        if (stage != WORD_START && stage != WORD_END)
            return wrong(self, WORD_STAGE);
        return ADD_ROW(&self->raw_marks, mark, VALUE_MARK);
    }
    return true;
}
