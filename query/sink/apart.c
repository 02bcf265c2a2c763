/* apart: see apart.h. */
#include "query/sink/apart.h"

#include "src/base/map.h"

#include <stdlib.h>

bool apart_begin(struct apart *self, size_t rows)
{
    *self = (struct apart){.classes = calloc(rows + 1, sizeof *self->classes), .rows = rows};
    for (size_t i = 0; i < rows && self->classes; i++)
        self->classes[i] = 1;
    self->count = rows > 0;
    return self->classes != NULL;
}

/* The classes with one more column, which may be written over those without. */
static bool refine(const struct apart *self, const uint32_t *column, uint32_t *classes,
                   size_t *count)
{
    struct map seen = {0};
    bool done = true;
    *count = 0;
    for (size_t i = 0; i < self->rows && done; i++) {
        uint32_t *class = map_put(&seen, self->classes[i], column[i]);
        done = class != NULL;
        if (class && !*class)
            *class = (uint32_t)++ * count;
        if (class && classes)
            classes[i] = *class;
    }
    map_free(&seen);
    return done;
}

bool apart_try(const struct apart *self, const uint32_t *column, size_t *count)
{
    return refine(self, column, NULL, count);
}

bool apart_take(struct apart *self, const uint32_t *column)
{
    return refine(self, column, self->classes, &self->count);
}

void apart_free(struct apart *self)
{
    free(self->classes);
    *self = (struct apart){0};
}
