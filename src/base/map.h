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
void map_set(struct map *self, int64_t first, int64_t second, uint32_t value);

uint32_t map_get(const struct map *self, int64_t first, int64_t second);
void map_free(struct map *self);

/* Numbers by ids that mostly follow each other, as those of launches do. Then they are places of an
 * array; else a map has them.
 *
 *     numbers_expect(&numbers, id);                   each id that will come
 *     numbers_reserve(&numbers)
 *     uint32_t *number = numbers_put(&numbers, id);   0 when the id is new
 *     numbers_get(&numbers, id)                       0 when it is not there
 */
struct numbers {
    int64_t first, last; /* of the ids that are expected */
    size_t expected;
    uint32_t *items; /* NULL = they do not follow each other */
    struct map map;
};

/* INT64_MIN is no id. */
void numbers_expect(struct numbers *self, int64_t id);
void numbers_reserve(struct numbers *self);
uint32_t *numbers_put(struct numbers *self, int64_t id);
uint32_t numbers_get(const struct numbers *self, int64_t id);
void numbers_free(struct numbers *self);
