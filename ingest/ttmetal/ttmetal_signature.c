/* ttmetal_signature: what the calls of a tt-metal op table are made of: attributes, tensors,
 * kernels.
 *
 * Few calls differ in that, so a row is compared with those before by its cells as they stand;
 * only new ones are put into words.
 */
#include "ingest/ttmetal/ttmetal_reader.h"

#include <string.h>

/* The parameters in {'a': 'x'; 'b': 'y'}; a text of another form has none. */
static void add_attributes(struct ttmetal_reader *self, uint32_t op, struct view text)
{
    static const char between[] = "': '", after[] = "'; '";
    const char *at = text.bytes, *end = at + text.length;
    if (text.length < 4 || at[0] != '{' || at[1] != '\'')
        return;
    for (at += 2; at < end;) {
        const char *colon = memmem(at, (size_t)(end - at), between, strlen(between));
        if (!colon)
            return;
        const char *value = colon + strlen(between);
        const char *next = memmem(value, (size_t)(end - value), after, strlen(after));
        const char *stop = next ? next : end;
        if (!next && stop - value >= 2 && stop[-1] == '}' && stop[-2] == '\'')
            stop -= 2;
        struct attribute attribute = {.op = op};
        ttmetal_intern(self, (struct view){at, (size_t)(colon - at)}, &attribute.name);
        ttmetal_intern(self, (struct view){value, (size_t)(stop - value)}, &attribute.value);
        array_add(&self->trace->attributes, attribute);
        if (!next)
            return;
        at = next + strlen(after);
    }
}

/* The cell of an input; empty when there is no such column. */
static struct view input_cell(const struct ttmetal_reader *self, int input, const char *what)
{
    char name[40];
    snprintf(name, sizeof name, "INPUT_%d_%s", input, what);
    for (size_t i = 0; i < self->header.fields.count; i++)
        if (self->header.fields.items[i].is_used &&
            strcmp(self->header.fields.items[i].name, name) == 0) {
            struct view cell = ttmetal_cell(self, i);
            return ttmetal_is_missing(cell) ? (struct view){"", 0} : cell;
        }
    return (struct view){"", 0};
}

/* Dimensions and types of the inputs, as lists. */
static void list_inputs(struct ttmetal_reader *self, struct op *op)
{
    static const char *const sides[] = {"W", "Z", "Y", "X"};
    enum { INPUTS_MAX = 16 };
    int count = 0;
    for (int i = 0; i < INPUTS_MAX; i++)
        if (input_cell(self, i, "X").length || input_cell(self, i, "DATATYPE").length)
            count = i + 1;
    if (!count)
        return;
    text_clear(&self->json);
    text_add_byte(&self->json, '[');
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 4; side++) {
            text_add_string(&self->json, side ? "," : i ? ",[" : "[");

            /* Appends the number that a cell begins with. */
            struct view cell = input_cell(self, i, sides[side]);
            size_t length = 0;
            while (length < cell.length && length < 18 &&
                   (unsigned char)(cell.bytes[length] - '0') < 10)
                length++;
            if (length)
                text_format(&self->json, "%lld", strtoll(cell.bytes, NULL, 10));
            else
                text_add_string(&self->json, "null");
            if (side >= 3)
                text_add_byte(&self->json, ']');
        }
    text_add_byte(&self->json, ']');
    ttmetal_intern_json(self, &op->dims);

    text_clear(&self->json);
    text_add_byte(&self->json, '[');
    for (int i = 0; i < count; i++) {
        if (i)
            text_add_byte(&self->json, ',');
        ttmetal_add_json(self, input_cell(self, i, "DATATYPE"));
    }
    text_add_byte(&self->json, ']');
    ttmetal_intern_json(self, &op->types);
}

/* The cells of the signature as they are, each with its length before it. */
static void make_key(struct ttmetal_reader *self, uint32_t name)
{
    struct text *key = &self->json;
    text_clear(key);
    text_reserve(key, sizeof name + self->row.count + self->header.fields.count * sizeof(uint32_t));
    char *at = key->items;
    memcpy(at, &name, sizeof name);
    at += sizeof name;
    for (size_t i = 0; i < self->header.fields.count; i++) {
        if (!self->header.fields.items[i].is_part)
            continue;
        struct view cell = ttmetal_cell(self, i);
        uint32_t length = (uint32_t)cell.length;
        memcpy(at, &length, sizeof length);
        memcpy(at + sizeof length, cell.bytes, cell.length);
        at += sizeof length + cell.length;
    }
    key->count = (size_t)(at - key->items);
}

/* Finds the signature by the cells as they are; only a new one is put into words. */
void ttmetal_find_op(struct ttmetal_reader *self, uint32_t name, uint32_t *number)
{
    make_key(self, name);
    uint32_t call = intern_add(&self->calls, self->json.items, self->json.count);
    if (call <= self->call_ops.count) {
        *number = self->call_ops.items[call - 1];
        return;
    }
    array_add(&self->call_ops, 0);

    /* The call is new, and perhaps its op. */
    struct op op = {.name = name};
    bool is_empty;
    list_inputs(self, &op);
    ttmetal_object(self, TTMETAL_OBJECT_SIGNATURE, &is_empty);
    ttmetal_intern_json(self, &op.concrete);
    size_t before = intern_count(&self->trace->ops);
    *number = intern_add(&self->trace->ops, &op, sizeof op);
    if (intern_count(&self->trace->ops) != before)
        add_attributes(self, *number, ttmetal_known_cell(self, TTMETAL_ATTRIBUTES));
    self->call_ops.items[call - 1] = *number;
}
