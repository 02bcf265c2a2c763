/* intern: see intern.h. Bytes live in chunks of growing size, so nothing is ever moved. */
#include "src/base/intern.h"

#include "src/base/hash.h"

#include <string.h>

#ifndef TPQ_SMALL_WINDOWS
enum { CHUNK_FIRST = 4 << 10, CHUNK_LARGEST = 1 << 20, SLOTS_FIRST = 256 };
#else /* for tests: every string is an allocation */
enum { CHUNK_FIRST = 1, CHUNK_LARGEST = 1, SLOTS_FIRST = 2 };
#endif

struct intern_chunk {
    struct intern_chunk *next;
    size_t used, room;
    char bytes[];
};

/* The slot that holds the string, or the free one where it belongs. */
static size_t intern_slot(const struct intern *self, uint32_t hash, const void *bytes,
                          size_t length)
{
    size_t mask = self->slot_count - 1;
    size_t place = hash & mask;
    while (self->slots[place]) {
        const struct intern_entry *entry = &self->entries.items[self->slots[place] - 1];
        if (entry->hash == hash && entry->length == length &&
            (length == 0 || memcmp(entry->bytes, bytes, length) == 0))
            break;
        place = (place + 1) & mask;
    }
    return place;
}

uint32_t intern_add(struct intern *self, const void *bytes, size_t length)
{
    if (self->entries.count * 2 >= self->slot_count) {
        size_t count = self->slot_count ? self->slot_count * 2 : SLOTS_FIRST;
        uint32_t *slots = memory_zeroed(count, sizeof *slots);
        if (!self->seed)
            self->seed = hash_seed(slots);
        for (size_t i = 0; i < self->entries.count; i++) {
            size_t place = self->entries.items[i].hash & (count - 1);
            while (slots[place])
                place = (place + 1) & (count - 1);
            slots[place] = (uint32_t)i + 1;
        }
        memory_free(self->slots);
        self->slots = slots;
        self->slot_count = count;
    }
    uint32_t hash = (uint32_t)hash64(bytes, length, self->seed);
    size_t place = intern_slot(self, hash, bytes, length);
    if (self->slots[place])
        return self->slots[place];
    if (length > UINT32_MAX || self->entries.count >= UINT32_MAX - 1)
        memory_fail();

    /* The bytes stay in a chunk, which is not moved. */
    struct intern_chunk *chunk = self->chunks;
    if (!chunk || chunk->room - chunk->used < length) {
        size_t room = chunk ? chunk->room * 2 : CHUNK_FIRST;
        if (room > CHUNK_LARGEST)
            room = CHUNK_LARGEST;
        if (room < length)
            room = length;
        chunk = memory_take(sizeof *chunk + room);
        *chunk = (struct intern_chunk){self->chunks, 0, room};
        self->chunks = chunk;
        self->bytes += room;
    }
    char *kept = chunk->bytes + chunk->used;
    if (length)
        memcpy(kept, bytes, length);
    chunk->used += length;
    array_add(&self->entries, (struct intern_entry){kept, (uint32_t)length, hash});
    self->slots[place] = (uint32_t)self->entries.count;
    return self->slots[place];
}

uint32_t intern_find(const struct intern *self, const void *bytes, size_t length)
{
    if (self->slot_count == 0)
        return 0;
    return self
        ->slots[intern_slot(self, (uint32_t)hash64(bytes, length, self->seed), bytes, length)];
}

void intern_adopt(struct intern *self)
{
    for (struct intern_chunk *chunk = self->chunks; chunk; chunk = chunk->next)
        memory_adopt(chunk);
    memory_adopt(self->entries.items);
    memory_adopt(self->slots);
}

void intern_free(struct intern *self)
{
    for (struct intern_chunk *chunk = self->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        memory_free(chunk);
    }
    array_free(&self->entries);
    memory_free(self->slots);
    *self = (struct intern){0};
}
