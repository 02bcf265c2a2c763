/* hlo_reader: texts, lists of numbers, attributes; and shapes of XLA, which become text first, and
 * lists of their arrays out of the text. The text is what the warehouse keeps of a shape. */
#include "ingest/xplane/hlo_reader.h"

#include "ingest/xplane/xplane_fields.h"

#include <stdio.h>
#include <string.h>

bool hlo_corrupt(struct hlo_reader *self)
{
    return wire_corrupt(self->wire, "this is no program of XLA");
}

void hlo_keep_text(struct hlo_reader *self, struct message span, uint32_t *number)
{
    struct view plain;
    struct trace *trace = self->hlo->trace;
    plain_text(message_view(span), &self->hlo->scratch, &trace->notes, -1, &plain);
    *number = plain.length ? intern_add(&trace->strings, plain.bytes, plain.length) : 0;
}

void hlo_keep_json(struct hlo_reader *self, const struct text *json, uint32_t *number)
{
    *number = intern_add(&self->hlo->trace->strings, json->items, json->count);
}

void hlo_add_numbers(struct text *out, const struct wire_field *field)
{
    if (field->type == WIRE_VARINT) {
        text_format(out, "%s%lld", out->count ? "," : "", (long long)field->value);
        return;
    }
    struct message span = field->bytes;
    uint64_t number;
    while (message_number(&span, &number))
        text_format(out, "%s%lld", out->count ? "," : "", (long long)number);
}

void hlo_add_attribute(struct hlo_reader *self, const char *name, const char *value)
{
    struct text *out = &self->attributes;
    text_format(out, "%s\"%s\":%s", out->count ? "," : "", name, value);
}

void hlo_add_number(struct hlo_reader *self, const char *name, int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    hlo_add_attribute(self, name, digits);
}

void hlo_add_list(struct hlo_reader *self, const char *name, const struct text *numbers)
{
    struct text *out = &self->attributes;
    text_format(out, "%s\"%s\":[%s]", out->count ? "," : "", name,
                numbers->count ? numbers->items : "");
}

/* ------------------------------------------------------------------ shapes, from messages to text
 */

static const char *const types[] = {
    "invalid",    "pred",       "s8",     "s16",    "s32",      "s64",    "u8",     "u16",
    "u32",        "u64",        "f16",    "f32",    "f64",      "tuple",  "opaque", "c64",
    "bf16",       "token",      "c128",   "f8e5m2", "f8e4m3fn", "s4",     "u4",     "f8e4m3b11fnuz",
    "f8e5m2fnuz", "f8e4m3fnuz", "s2",     "u2",     "f8e4m3",   "f8e3m4", "s1",     "u1",
    "f4e2m1fn",   "f8e8m0fnu",  "buffer",
};
enum { TYPE_TUPLE = 13, TYPE_COUNT = sizeof types / sizeof *types };

static bool add_shape(struct hlo_reader *self, struct message span, int depth, struct text *out);

/* The members of a tuple; the reference's texts number every fifth one. */
static bool add_members(struct hlo_reader *self, struct message span, int depth, struct text *out)
{
    struct wire_field field;
    enum wire_step step;
    text_add_byte(out, '(');
    for (int i = 0; (step = message_next(&span, &field)) != WIRE_END;) {
        if (step == WIRE_FAILED)
            return hlo_corrupt(self);
        if (field.number != SHAPE_MEMBERS || field.type != WIRE_LENGTH)
            continue;
        if (i)
            text_add_byte(out, ',');
        if (i && i % 5 == 0)
            text_format(out, "/*index=%d*/", i);
        if (!add_shape(self, field.bytes, depth + 1, out))
            return false;
        i++;
    }
    text_add_byte(out, ')');
    return true;
}

static bool read_layout(struct hlo_reader *self, struct message span, struct text *order)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&span, &field)) == WIRE_FIELD)
        if (field.number == LAYOUT_MINOR_TO_MAJOR)
            hlo_add_numbers(order, &field);
    return step == WIRE_END || hlo_corrupt(self);
}

static bool add_shape(struct hlo_reader *self, struct message span, int depth, struct text *out)
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
            done = hlo_corrupt(self);
        else if (field.number == SHAPE_TYPE)
            type = field.value;
        else if (field.number == SHAPE_DIMENSIONS)
            hlo_add_numbers(&extents, &field);
        else if (field.number == SHAPE_LAYOUT && field.type == WIRE_LENGTH)
            done = read_layout(self, field.bytes, &order);
    }
    if (done && type == TYPE_TUPLE)
        done = add_members(self, all, depth, out);
    else if (done) {
        if (type < TYPE_COUNT)
            text_add_string(out, types[type]);
        else
            text_format(out, "type%llu", (unsigned long long)type);
        text_format(out, "[%s]", extents.count ? extents.items : "");
        if (order.count)
            text_format(out, "{%s}", order.items);
    }
    text_free(&extents);
    text_free(&order);
    return done;
}

bool hlo_add_shape(struct hlo_reader *self, struct message span, struct text *out)
{
    return add_shape(self, span, 0, out);
}

/* ------------------------------------------------------------------ shapes, from text to lists */

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

void hlo_arrays_free(struct hlo_arrays *self)
{
    text_free(&self->extents);
    text_free(&self->types);
    text_free(&self->layouts);
}

void hlo_arrays_add(struct hlo_arrays *self, struct view shape, bool all)
{
    struct view type, extents;
    bool any = false;
    while (first_array(shape, &type, &extents, &shape)) {
        const char *comma = self->extents.count ? "," : "";

        /* The order of the dimensions, the fastest first, which stands behind the extents. */
        struct view layout;
        if (!shape.length || *shape.bytes != '{')
            layout = VIEW("");
        else {
            const char *close = memchr(shape.bytes, '}', shape.length);
            layout = close ? (struct view){shape.bytes + 1, (size_t)(close - shape.bytes - 1)}
                           : VIEW("");
        }
        text_format(&self->extents, "%s[%.*s]", comma, (int)extents.length, extents.bytes);
        text_add_string(&self->types, comma);
        text_add_json(&self->types, type);
        text_format(&self->layouts, "%s[%.*s]", comma, (int)layout.length, layout.bytes);
        any = true;
        if (!all)
            break;
    }
    if (!any && !all) { /* an operand has a place even when it is no array */
        const char *comma = self->extents.count ? "," : "";
        text_format(&self->extents, "%snull", comma);
        text_format(&self->types, "%snull", comma);
        text_format(&self->layouts, "%snull", comma);
    }
}
