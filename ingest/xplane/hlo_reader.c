/* hlo_reader: see hlo_reader.h. */
#include "ingest/xplane/hlo_reader.h"

#include <stdio.h>

bool hlo_fail_memory(struct hlo_reader *self)
{
    return error_memory(self->hlo->error);
}

bool hlo_corrupt(struct hlo_reader *self)
{
    return wire_corrupt(self->wire, "this is no program of XLA");
}

bool hlo_keep_text(struct hlo_reader *self, struct message span, uint32_t *number)
{
    struct view plain;
    struct trace *trace = self->hlo->trace;
    if (!plain_text(message_view(span), &self->hlo->scratch, &trace->notes, -1, &plain))
        return hlo_fail_memory(self);
    *number = plain.length ? intern_add(&trace->strings, plain.bytes, plain.length) : 0;
    return *number || !plain.length || hlo_fail_memory(self);
}

bool hlo_keep_json(struct hlo_reader *self, const struct text *json, uint32_t *number)
{
    *number = intern_add(&self->hlo->trace->strings, json->items, json->count);
    return true;
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

bool hlo_add_list(struct hlo_reader *self, const char *name, const struct text *numbers)
{
    struct text *out = &self->attributes;
    text_format(out, "%s\"%s\":[%s]", out->count ? "," : "", name,
                numbers->count ? numbers->items : "");
    return true;
}

struct view hlo_text(const struct hlo *self, uint32_t number)
{
    return number ? intern_view(&self->trace->strings, number) : VIEW("");
}
