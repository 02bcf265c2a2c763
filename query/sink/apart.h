/* apart: the rows of a table in classes: those that look alike in the columns taken so far are of
 * one. A column is a number for each row, the same one for the same text.
 *
 *     apart_begin(&rows, count); apart_try(&rows, column, &classes); apart_take(&rows, column); ...
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct apart {
    uint32_t *classes; /* of each row, from 1 */
    size_t rows, count;
};

/* All return false when memory is out. */
bool apart_begin(struct apart *self, size_t rows);

/* How many classes there would be with one more column. */
bool apart_try(const struct apart *self, const uint32_t *column, size_t *count);
bool apart_take(struct apart *self, const uint32_t *column);

void apart_free(struct apart *self);
