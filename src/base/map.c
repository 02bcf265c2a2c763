/* map: slots are a power of two and at most two thirds full; a key goes to the first free slot from
 * its hash on. The hash has a seed, so no input can crowd the slots. */
#include "src/base/map.h"

#include "src/base/hash.h"
#include "src/base/memory.h"

#ifndef TPQ_SMALL_WINDOWS
enum { SLOTS_FIRST = 64 };
#else /* for tests */
enum { SLOTS_FIRST = 4 };
#endif

static struct map_entry *map_slot(const struct map *self, int64_t first, int64_t second)
{
    int64_t key[2] = {first, second};
    size_t mask = self->slot_count - 1;
    size_t place = (size_t)hash64(key, sizeof key, self->seed) & mask;
    while (self->slots[place].used &&
           (self->slots[place].first != first || self->slots[place].second != second))
        place = (place + 1) & mask;
    return &self->slots[place];
}

uint32_t *map_put(struct map *self, int64_t first, int64_t second)
{
    if (self->count * 3 >= self->slot_count * 2) {
        struct map wider = {.slot_count = self->slot_count ? self->slot_count * 2 : SLOTS_FIRST};
        wider.slots = memory_zeroed(wider.slot_count, sizeof *wider.slots);
        wider.seed = hash_seed(wider.slots);
        wider.count = self->count;
        for (size_t i = 0; i < self->slot_count; i++)
            if (self->slots[i].used)
                *map_slot(&wider, self->slots[i].first, self->slots[i].second) = self->slots[i];
        memory_free(self->slots);
        *self = wider;
    }
    struct map_entry *entry = map_slot(self, first, second);
    if (!entry->used) {
        *entry = (struct map_entry){first, second, 0, true};
        self->count++;
    }
    return &entry->value;
}

void map_set(struct map *self, int64_t first, int64_t second, uint32_t value)
{
    *map_put(self, first, second) = value;
}

uint32_t map_get(const struct map *self, int64_t first, int64_t second)
{
    return self->slot_count ? map_slot(self, first, second)->value : 0;
}

void map_free(struct map *self)
{
    memory_free(self->slots);
    *self = (struct map){0};
}

/* ------------------------------------------------------------------ numbers */

/* Numbers get an array for ids of a span that is at most a few times as long as there are ids. */
enum { HOLES = 4 };

void numbers_expect(struct numbers *self, int64_t id)
{
    if (id == INT64_MIN)
        return;
    self->first = !self->expected || id < self->first ? id : self->first;
    self->last = !self->expected || id > self->last ? id : self->last;
    self->expected++;
}

void numbers_reserve(struct numbers *self)
{
    uint64_t length = (uint64_t)self->last - (uint64_t)self->first + 1;
    if (!self->expected || length - 1 >= HOLES * (uint64_t)self->expected)
        return;
    self->items = memory_zeroed((size_t)length, sizeof *self->items);
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
