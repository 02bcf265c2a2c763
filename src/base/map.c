/* map: see map.h. */
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

static void map_widen(struct map *self)
{
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

uint32_t *map_put(struct map *self, int64_t first, int64_t second)
{
    if (self->count * 3 >= self->slot_count * 2)
        map_widen(self);
    struct map_entry *entry = map_slot(self, first, second);
    if (!entry->used) {
        *entry = (struct map_entry){first, second, 0, true};
        self->count++;
    }
    return &entry->value;
}

bool map_set(struct map *self, int64_t first, int64_t second, uint32_t value)
{
    *map_put(self, first, second) = value;
    return true;
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
