/* op_text: a text is a name and parts, each behind its mark; the first comma with a mark ends the
 * name. A text is as it was made when its parts stand in the usual order and it is as long as the
 * usual text of their values: blanks and zeros in front make others longer. */
#include "ingest/trace/op_text.h"

enum part { PART_SEQUENCE, PART_STASHED, PART_CALL, PART_SIZES, PART_INPUTS, PART_COUNT };

static const struct view marks[PART_COUNT] = {
    [PART_SEQUENCE] = VIEW_OF(", seq = "),        [PART_STASHED] = VIEW_OF(", stashed seq="),
    [PART_CALL] = VIEW_OF(", op_id = "),          [PART_SIZES] = VIEW_OF(", sizes = "),
    [PART_INPUTS] = VIEW_OF(", input_op_ids = "),
};

/* The part that begins here; PART_COUNT = none. */
static enum part part_at(struct view text, size_t at)
{
    size_t part = 0;
    while (part < PART_COUNT &&
           (text.length - at < marks[part].length ||
            memcmp(text.bytes + at, marks[part].bytes, marks[part].length) != 0))
        part++;
    return (enum part)part;
}

/* A whole number of 63 bits; `at` is moved behind it. */
static bool read_number(struct view text, size_t *at, int64_t *number)
{
    size_t first = *at;
    bool is_negative = *at < text.length && text.bytes[*at] == '-';
    *at += is_negative;
    *number = 0;
    for (first = *at; *at < text.length && text.bytes[*at] >= '0' && text.bytes[*at] <= '9'; ++*at)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, text.bytes[*at] - '0', number))
            return false;
    if (is_negative)
        *number = -*number;
    return *at > first;
}

/* Lists of numbers in lists, without their blanks. */
static bool read_sizes(struct view text, size_t *at, struct text *sizes)
{
    enum { DEPTH_MAX = 8 };
    int depth = 0;
    bool expects = true; /* an item; otherwise a comma or the end */
    int64_t number;
    do {
        char byte = *at < text.length ? text.bytes[*at] : '\0';
        size_t first = *at;
        if (byte == '[' && expects && depth < DEPTH_MAX) {
            depth++;
            ++*at;
            expects = *at < text.length && text.bytes[*at] != ']';
        } else if (byte == ']' && !expects && depth) {
            depth--;
            ++*at;
        } else if (byte == ',' && !expects && depth) {
            ++*at;
            expects = true;
        } else if (expects && depth && read_number(text, at, &number)) {
            expects = false;
        } else {
            return false;
        }
        text_add(sizes, text.bytes + first, *at - first);
        while (byte == ',' && *at < text.length && text.bytes[*at] == ' ')
            ++*at;
    } while (depth);
    return true;
}

static bool read_part(struct view text, enum part part, size_t *at, struct op_text *op,
                      struct text *sizes)
{
    switch (part) {
    case PART_SEQUENCE:
    case PART_STASHED:
        return read_number(text, at, &op->sequence);
    case PART_CALL:
        return read_number(text, at, &op->call) && op->call >= 0;
    case PART_SIZES:
        text_clear(sizes);
        op->has_sizes = true;
        return read_sizes(text, at, sizes);
    default: {
        op->has_inputs = true;
        /* A list in brackets whose inside is not looked at. */
        int depth = 0;
        do {
            if (*at >= text.length)
                return false;
            depth += text.bytes[*at] == '[';
            depth -= text.bytes[*at] == ']';
            ++*at;
        } while (depth > 0);
        return depth == 0;
    }
    }
}

static size_t count_digits(int64_t number)
{
    size_t count = 1;
    while (number /= 10)
        count++;
    return count;
}

enum op_text_kind op_text_read(struct view text, struct op_text *op, struct text *sizes)
{
    size_t at = 0, marked;
    int previous = -1; /* part; PART_COUNT where they are not as they are usually */
    enum part part = PART_COUNT;
    *op = (struct op_text){.sequence = -1};
    for (; at < text.length; at++) {
        const char *comma = memchr(text.bytes + at, ',', text.length - at);
        if (!comma)
            return OP_TEXT_NONE;
        at = (size_t)(comma - text.bytes);
        if ((part = part_at(text, at)) != PART_COUNT)
            break;
    }
    if (at == text.length)
        return OP_TEXT_NONE;
    op->name = (struct view){text.bytes, at};
    marked = at;
    while (at < text.length) {
        part = part_at(text, at);
        if (part == PART_COUNT)
            return OP_TEXT_UNREAD;
        bool is_odd = (int)part <= previous || part == PART_STASHED || part == PART_INPUTS;
        previous = is_odd ? PART_COUNT : (int)part;
        marked += marks[part].length;
        at += marks[part].length;
        if (!read_part(text, part, &at, op, sizes))
            return OP_TEXT_UNREAD;
    }
    if (op->sequence < 0 && !op->call && !op->has_sizes)
        return OP_TEXT_UNREAD;
    op->is_as_made = previous < PART_COUNT;
    if (op->is_as_made) {
        /* The usual text of these values has a known length: `marked` bytes for the name and what
         * stands before values, and their digits. Another length comes from blanks or zeros in
         * front. */
        size_t length = marked;
        if (op->sequence >= 0)
            length += count_digits(op->sequence);
        if (op->call > 0)
            length += count_digits(op->call);
        if (op->has_sizes)
            length += sizes->count;
        for (size_t i = 0; op->has_sizes && i < sizes->count; i++)
            length += sizes->items[i] == ',';
        op->is_as_made = length == text.length;
    }
    return OP_TEXT_OP;
}
