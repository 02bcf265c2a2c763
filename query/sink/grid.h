/* grid: rows of cells that are aligned in columns, for people to read. */
#pragma once

#include "src/base/text.h"

#include <stdio.h>

struct grid_column {
    char *name;
    bool is_number; /* all cells so far; aligned right */
    size_t width;   /* in characters */
};

struct grid_cell {
    size_t end; /* where its text ends in grid.text */
    bool is_number;
};

struct grid {
    ARRAY(struct grid_column) columns;
    ARRAY(struct grid_cell) cells;
    ARRAY(struct view) row; /* room for the row that is being printed */
    struct text text;       /* of all cells, one behind the other */
    size_t limit;           /* characters that a row may have; 0 = any number */
    bool boxed;
    bool fitted; /* the columns have their widths */
};

bool grid_add_column(struct grid *self, const char *name);

/* Adds the next cell of the current row; control characters become visible escapes. */
bool grid_add_cell(struct grid *self, struct view text, bool is_number);

/* Narrows the widest columns of text until a row fits; their cells lose their middle. 0 = no
 * limit. Cells that come later do not widen a column: a row with longer ones is printed as it is
 * where it fits, else they are cut, too. */
void grid_fit(struct grid *self, size_t width);

void grid_print_head(const struct grid *self, FILE *out);
void grid_print_rows(const struct grid *self, FILE *out); /* those added since the last clear */
void grid_print_foot(const struct grid *self, FILE *out);
void grid_clear_rows(struct grid *self);
void grid_free(struct grid *self);
