/* trace: see trace.h. */
#include "ingest/trace/trace.h"

#include "ingest/input/json_text.h"

void trace_init(struct trace *self)
{
    *self = (struct trace){0};
    self->has_launches = self->has_arrows = true;
    self->id_bits = -1;
    self->clock_base = self->rank = self->world_size = self->sampled = NONE;
    self->categories.count = CATEGORY_KNOWN_COUNT;
    for (int i = 0; i < CATEGORY_KNOWN_COUNT; i++)
        self->categories.roles[i] = (uint8_t)category_role(i);
}

static void tree_free(struct tree *self)
{
    free(self->order);
    free(self->number);
    free(self->parent);
    free(self->descendants);
    free(self->child_time);
    free(self->track);
    array_free(&self->tracks);
    *self = (struct tree){0};
}

void trace_clear_events(struct trace *self)
{
    array_free(&self->slices);
    array_free(&self->gpus);
    array_free(&self->links);
    array_free(&self->origins);
    array_free(&self->recorded);
    array_free(&self->replays);
    array_free(&self->calls);
    map_free(&self->launching_ops);
    array_free(&self->flows);
    array_free(&self->sequences);
    array_free(&self->correlations);
    array_free(&self->memory);
    array_free(&self->edges);
    array_free(&self->labels);
    array_free(&self->attributes);
    array_free(&self->steps);
    array_free(&self->strays);
    facts_free(&self->facts);
    self->sampled = NONE;
    tree_free(&self->tree);
    self->events = self->added = 0;
}

void trace_free(struct trace *self)
{
    if (self->next)
        trace_free(self->next);
    free(self->next);
    self->next = NULL;
    trace_clear_events(self);
    array_free(&self->devices);
    text_free(&self->metadata);
    intern_free(&self->strings);
    intern_free(&self->arguments);
    intern_free(&self->ops);
    intern_free(&self->places);
}

int trace_category(struct trace *self, struct view name)
{
    int category = category_find(name);
    if (category >= 0)
        return category;
    uint32_t text = intern_add(&self->strings, name.bytes, name.length);
    if (!text)
        return -1;
    int i = CATEGORY_KNOWN_COUNT;
    while (i < self->categories.count && self->categories.names[i] != text)
        i++;
    if (i == self->categories.count) {
        if (i > CATEGORY_COUNT_MAX) {
            note_count(&self->notes, NOTE_CATEGORY_OVERFLOW, 1, -1, -1);
            return CATEGORY_NONE;
        }
        self->categories.names[i] = text;
        self->categories.roles[i] = ROLE_OTHER;
        self->categories.count++;
    }
    return i;
}

bool trace_join_arguments(struct trace *self, uint32_t *arguments, uint32_t more, struct text *raw,
                          struct text *canonical)
{
    struct json_repairs ignored = {0};
    if (!more || !*arguments || more == *arguments) {
        *arguments = more ? more : *arguments;
        return true;
    }
    struct view one = intern_view(&self->arguments, *arguments);
    struct view two = intern_view(&self->arguments, more);
    text_clear(raw);
    text_clear(canonical);
    if (!trace_take(self, one.length + two.length))
        return true;
    if (!text_add(raw, one.bytes, one.length - 1) || !text_add_byte(raw, ',') ||
        !text_add(raw, two.bytes + 1, two.length - 1) ||
        json_canonical(text_view(raw), canonical, &ignored) != JSON_CANON_DONE)
        return false;
    *arguments = intern_add(&self->arguments, canonical->items, canonical->count);
    return *arguments;
}
