/* intern: each distinct byte string once, named by a small number.
 *
 * Numbers count from 1 in order of first appearance; 0 is never a string. The bytes stay where
 * they are for the life of the interner. Readers use it for names, argument texts and tracks.
 */
#pragma once

#include "src/base/text.h"

struct intern_entry {
    const char *bytes;
    uint32_t length;
    uint32_t hash;
};

struct intern {
    ARRAY(struct intern_entry) entries;
    uint32_t *slots; /* open addressing; 0 = free, else number of the entry */
    size_t slot_count;
    uint64_t seed;
    struct intern_chunk *chunks; /* newest first */
    size_t bytes;                /* held in chunks */
};

/* The string's number, added when it is new. */
uint32_t intern_add(struct intern *self, const void *bytes, size_t length);

/* The string's number, or 0 when it was never added. */
uint32_t intern_find(const struct intern *self, const void *bytes, size_t length);

static inline size_t intern_count(const struct intern *self)
{
    return self->entries.count;
}

static inline struct view intern_view(const struct intern *self, uint32_t number)
{
    const struct intern_entry *entry = &self->entries.items[number - 1];
    return (struct view){entry->bytes, entry->length};
}

void intern_free(struct intern *self);
void intern_adopt(struct intern *self); /* by the memory in use */
