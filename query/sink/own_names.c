/* own_names: see own_names.h. */
#include "query/sink/own_names.h"

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Notes a name, and says whether there was none like it. */
static bool note_name(struct own_names *self, const struct text *name)
{
    struct text plain = {0};
    size_t before = intern_count(&self->seen);
    text_add(&plain, name->items, name->count);
    for (size_t i = 0; i < plain.count; i++)
        plain.items[i] = lower(plain.items[i]);
    intern_add(&self->seen, plain.items, plain.count);
    text_free(&plain);
    return intern_count(&self->seen) > before;
}

const char *own_names_add(struct own_names *self, const char *name)
{
    struct text made = {0};
    text_add_string(&made, name);
    for (int number = 2; !note_name(self, &made); number++) {
        text_clear(&made);
        text_format(&made, "%s_%d", name, number);
    }
    array_add(&self->list, made.items);
    return made.items;
}

void own_names_free(struct own_names *self)
{
    for (size_t i = 0; i < self->list.count; i++)
        memory_free(self->list.items[i]);
    array_free(&self->list);
    intern_free(&self->seen);
}
