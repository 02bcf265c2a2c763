/* hlo_signature: which instruction is meant, and its call signature; see hlo.h.
 *
 * A fusion is what its only product is: its kernels are judged by that.
 */
#include "ingest/xplane/hlo.h"

#include "ingest/input/json_text.h"
#include "ingest/xplane/hlo_reader.h"

#include <string.h>

/* ------------------------------------------------------------------ finding */

uint32_t hlo_find_module(const struct hlo *self, int64_t program, uint32_t module)
{
    uint32_t found = program == NONE ? 0 : map_get(&self->by_program, program, 0);
    return found || !module ? found : map_get(&self->by_module_name, module, 0);
}

/* Nested scopes stand before the name, with :: between. */
static uint32_t find_scoped(const struct hlo *self, uint32_t module, struct view name)
{
    enum { SCOPES_MAX = 32 };
    for (int scopes = 0;; scopes++) {
        uint32_t text = intern_find(&self->trace->strings, name.bytes, name.length);
        uint32_t found = text ? map_get(&self->by_name, module - 1, text) : 0;
        const char *colons = memmem(name.bytes, name.length, "::", 2);
        if (found || !colons || scopes == SCOPES_MAX)
            return found;
        size_t skipped = (size_t)(colons - name.bytes) + 2;
        name = (struct view){name.bytes + skipped, name.length - skipped};
    }
}

void hlo_find(struct hlo *self, uint32_t module, uint32_t name, uint32_t *instruction)
{
    *instruction = 0;
    if (!module)
        return;
    uint32_t *known = map_put(&self->by_scoped_name, module, name);
    if (!*known)
        *known = find_scoped(self, module, trace_text(self->trace, name)) + 1;
    *instruction = *known - 1;
}

/* Empty for one that is not there. Many may refer to the same long one. */
static struct view shape_of_operand(struct hlo *self, uint32_t index, uint32_t i)
{
    const struct hlo_links *links = &self->links.items[index];
    uint32_t found = map_get(&self->by_number, self->instructions.items[index].module,
                             self->operands.items[links->first_operand + i]);
    const struct hlo_instruction *operand = found ? &self->instructions.items[found - 1] : NULL;
    struct view shape = trace_text(self->trace, operand ? operand->shape : 0);
    return trace_take(self->trace, shape.length) ? shape : VIEW("");
}

void hlo_finish(struct hlo *self)
{
    for (size_t i = 0; i < self->links.count; i++) {
        struct text *json = &self->json;
        uint32_t count = self->links.items[i].operand_count;
        text_clear(json);
        text_add_byte(json, '[');
        for (uint32_t j = 0; j < count; j++) {
            struct view shape = shape_of_operand(self, (uint32_t)i, j);
            if (j)
                text_add_byte(json, ',');
            text_add_json(json, shape);
        }
        text_add_byte(json, ']');
        uint32_t number = intern_add(&self->trace->strings, json->items, json->count);
        self->instructions.items[i].operands = number;
    }
}

/* ------------------------------------------------------------------ signatures */

static bool intern_list(struct hlo *self, const struct text *items, uint32_t *number)
{
    text_clear(&self->json);
    text_format(&self->json, "[%s]", items->count ? items->items : "");
    *number = intern_add(&self->trace->strings, self->json.items, self->json.count);
    return *number != 0;
}

/* The only product in the computation that a fusion calls, index + 1; 0 = none or several. */
static uint32_t find_dot(const struct hlo *self, uint32_t index)
{
    const struct hlo_instruction *instructions = self->instructions.items;
    uint32_t found = 0;
    uint32_t module = instructions[index].module;
    uint32_t first = map_get(&self->by_computation, module, self->links.items[index].called);
    for (size_t i = first ? first - 1 : self->links.count;
         i < self->links.count && instructions[i].module == module &&
         self->links.items[i].computation == self->links.items[index].called;
         i++) {
        if (!view_equal(trace_text(self->trace, instructions[i].opcode), VIEW("dot")))
            continue;
        if (found)
            return 0;
        found = (uint32_t)i + 1;
    }
    return found;
}

/* One object: the output, and what the instruction states. */
static bool list_facts(struct hlo *self, uint32_t index, struct op *op)
{
    const struct hlo_instruction *instruction = &self->instructions.items[index];
    struct view attributes = trace_text(self->trace, instruction->attributes);
    struct view shape = trace_text(self->trace, instruction->shape);
    struct hlo_arrays arrays = {0};
    if (!trace_take(self->trace, attributes.length + shape.length))
        attributes = shape = VIEW("");
    struct text object = {0};
    struct json_repairs repairs = {0};
    hlo_arrays_add(&arrays, shape, true);
    text_format(&object, "{\"output\":[%s],\"output_type\":[%s],\"layout\":[%s]",
                arrays.extents.count ? arrays.extents.items : "",
                arrays.types.count ? arrays.types.items : "",
                arrays.layouts.count ? arrays.layouts.items : "");
    if (attributes.length > 2) {
        text_add_byte(&object, ',');
        text_add(&object, attributes.bytes + 1, attributes.length - 2);
    }
    text_add_byte(&object, '}');
    text_clear(&self->json);
    bool done = json_canonical(text_view(&object), &self->json, &repairs) == JSON_CANON_DONE;
    if (done)
        op->concrete = intern_add(&self->trace->strings, self->json.items, self->json.count);
    hlo_arrays_free(&arrays);
    text_free(&object);
    return done && op->concrete;
}

/* Each member of the object is a parameter. */
static void add_parameters(struct hlo *self, uint32_t op, uint32_t facts)
{
    struct view rest = trace_text(self->trace, facts), key;
    struct text name = {0};
    struct json_repairs repairs = {0};
    while ((key = json_item(&rest)).length > 2) {
        struct view value = json_item(&rest);
        if (value.length >= 2 && *value.bytes == '"')
            value = (struct view){value.bytes + 1, value.length - 2};
        text_clear(&name);
        json_unescape((struct view){key.bytes + 1, key.length - 2}, &name, &repairs);
        array_add(&self->trace->attributes,
                  (struct attribute){
                      .op = op,
                      .name = intern_add(&self->trace->strings, name.items, name.count),
                      .value = intern_add(&self->trace->strings, value.bytes, value.length),
                  });
    }
    text_free(&name);
}

void hlo_signature(struct hlo *self, uint32_t instruction, uint32_t *op)
{
    uint32_t index = instruction - 1;
    const struct hlo_instruction *item = &self->instructions.items[index];
    *op = item->op;
    if (*op)
        return;
    struct op call = {.name = item->target ? item->target : item->opcode};
    uint32_t described = index;
    if (view_equal(trace_text(self->trace, item->opcode), VIEW("fusion"))) {
        uint32_t dot;

        /* Many fusions may call the same computation. */
        int64_t called = self->links.items[index].called;
        dot = 0;
        if (called != NONE) {
            uint32_t *known =
                map_put(&self->dot_of, self->instructions.items[index].module, called);
            if (!*known)
                *known = find_dot(self, index) + 1;
            dot = *known - 1;
        }
        if (dot) { /* what counts is the product in it */
            described = dot - 1;
            call.name = self->instructions.items[described].opcode;
        }
    }
    if (!call.name)
        call.name = intern_add(&self->trace->strings, "", 0);
    size_t before = intern_count(&self->trace->ops);
    bool done = call.name;
    if (done) {
        struct hlo_arrays arrays = {0};
        uint32_t count = self->links.items[described].operand_count;
        for (uint32_t i = 0; i < count; i++)
            hlo_arrays_add(&arrays, shape_of_operand(self, described, i), false);
        done = intern_list(self, &arrays.extents, &call.dims) &&
               intern_list(self, &arrays.types, &call.types);
        hlo_arrays_free(&arrays);
    }
    done = done && list_facts(self, described, &call);
    *op = done ? intern_add(&self->trace->ops, &call, sizeof call) : 0;
    self->instructions.items[index].op = *op;
    if (intern_count(&self->trace->ops) != before)
        add_parameters(self, *op, call.concrete);
}
