/* numbers: numbers by ids that mostly follow each other, as those of launches do. Then they are
 * places of an array; else a map has them.
 *
 *     numbers_expect(&numbers, id);                   each id that will come
 *     numbers_reserve(&numbers)
 *     uint32_t *number = numbers_put(&numbers, id);   0 when the id is new
 *     numbers_get(&numbers, id)                       0 when it is not there
 */
#pragma once

#include "src/base/map.h"

struct numbers {
    int64_t first, last; /* of the ids that are expected */
    size_t expected;
    uint32_t *items; /* NULL = they do not follow each other */
    struct map map;
};

/* INT64_MIN is no id. */
void numbers_expect(struct numbers *self, int64_t id);
bool numbers_reserve(struct numbers *self);
uint32_t *numbers_put(struct numbers *self, int64_t id);
uint32_t numbers_get(const struct numbers *self, int64_t id);
void numbers_free(struct numbers *self);
