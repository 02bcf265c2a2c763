/* telling: which columns tell the rows of a table apart: they are shown before all others, however
 * little room there is, so that two different rows never look alike.
 *
 * First the columns of the key, in the order of their importance and of those of one importance
 * (the parameters of an op) the fewest. Then, where whole rows are still alike in what is shown,
 * others.
 */
#pragma once

#include "query/sink/sheet.h"

/* The rows of a table in classes: rows alike in the columns taken so far are of one. A
 * column is a number for each row, the same one for the same text. */
struct apart {
    uint32_t *classes; /* of each row, from 1 */
    size_t rows, count;
};

/* The rows of a sheet as texts that stand one behind the other, row by row. */
struct telling {
    const struct sheet *sheet;
    size_t rows;
    const char *texts;
    const size_t *ends; /* of each text */
};

/* Marks columns of the key. */
void telling_choose(const struct telling *self, bool *tells);

/* Marks more columns where rows differ that are alike in those that are shown, and says whether
 * there are any. */
bool telling_extend(const struct telling *self, const bool *shown, bool *tells);

/* The rows in classes by the columns that are marked. */
void telling_classes(const struct telling *self, const bool *columns, struct apart *rows);
