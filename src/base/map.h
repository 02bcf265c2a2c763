/* map: from a pair of integers to a number, by open addressing. Nothing is ever removed.
 *
 *     struct map map = {0};
 *     uint32_t *value = map_put(&map, thread, id);     0 when the key is new
 *     uint32_t found = map_get(&map, thread, id);      0 when it is not there
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
    int64_t first, second;
    uint32_t value;
    bool used;
};

struct map {
    struct map_entry *slots;
    size_t slot_count, count;
    uint64_t seed;
};

uint32_t *map_put(struct map *self, int64_t first, int64_t second);

/* Puts a number in, also in place of one. */
bool map_set(struct map *self, int64_t first, int64_t second, uint32_t value);

uint32_t map_get(const struct map *self, int64_t first, int64_t second);
void map_free(struct map *self);
