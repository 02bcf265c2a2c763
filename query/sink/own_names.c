/* own_names: see own_names.h. */
#include "query/sink/own_names.h"

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Notes that there is such a name; `*is_new` if there was none. */
static bool note(struct own_names *self, const struct text *name, bool *is_new)
{
    struct text plain = {0};
    size_t before = intern_count(&self->seen);
    text_add(&plain, name->items, name->count);
    for (size_t i = 0; i < plain.count; i++)
        plain.items[i] = lower(plain.items[i]);
    bool done = intern_add(&self->seen, plain.items, plain.count) != 0;
    *is_new = intern_count(&self->seen) > before;
    text_free(&plain);
    return done;
}

const char *own_names_add(struct own_names *self, const char *name)
{
    struct text made = {0};
    bool is_new = false;
    text_add_string(&made, name);
    bool done = note(self, &made, &is_new);
    for (int number = 2; done && !is_new; number++) {
        text_clear(&made);
        text_format(&made, "%s_%d", name, number);
        done = note(self, &made, &is_new);
    }
    char **added = done ? array_push(&self->list) : NULL;
    if (!added) {
        text_free(&made);
        return NULL;
    }
    return *added = made.items;
}

void own_names_free(struct own_names *self)
{
    for (size_t i = 0; i < self->list.count; i++)
        memory_free(self->list.items[i]);
    array_free(&self->list);
    intern_free(&self->seen);
}
