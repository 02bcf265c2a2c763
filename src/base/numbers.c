/* numbers: see numbers.h. */
#include "src/base/numbers.h"

#include "src/base/memory.h"

/* An array for ids of a span that is at most a few times as long as there are ids. */
enum { HOLES = 4 };

void numbers_expect(struct numbers *self, int64_t id)
{
    if (id == INT64_MIN)
        return;
    self->first = !self->expected || id < self->first ? id : self->first;
    self->last = !self->expected || id > self->last ? id : self->last;
    self->expected++;
}

bool numbers_reserve(struct numbers *self)
{
    uint64_t length = (uint64_t)self->last - (uint64_t)self->first + 1;
    if (!self->expected || length - 1 >= HOLES * (uint64_t)self->expected)
        return true;
    self->items = memory_zeroed((size_t)length, sizeof *self->items);
    return self->items;
}

uint32_t *numbers_put(struct numbers *self, int64_t id)
{
    return self->items ? &self->items[id - self->first] : map_put(&self->map, id, 0);
}

uint32_t numbers_get(const struct numbers *self, int64_t id)
{
    if (!self->items)
        return map_get(&self->map, id, 0);
    return id >= self->first && id <= self->last ? self->items[(uint64_t)id - (uint64_t)self->first]
                                                 : 0;
}

void numbers_free(struct numbers *self)
{
    memory_free(self->items);
    map_free(&self->map);
}
