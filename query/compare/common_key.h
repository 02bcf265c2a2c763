/* common_key: rows that one side tells apart by a column that another side does not have.
 *
 * Sheets may lack a column, and traces what it tells. Where all rows of a side have nothing there,
 * and rows of another side have something, no row would be in common: the column is left out of the
 * key, and rows that are then alike come together.
 */
#pragma once

#include "query/compare/values.h"

/* Leaves such columns out, and notes them. */
void common_key_take(struct values *self);

/* A line for each side that lacks some of them. */
void common_key_remarks(const struct values *self, struct text *words);

/* The same for titles: "; without A, B, which SIDE lacks". */
void common_key_add_title(const struct values *self, struct text *words);
