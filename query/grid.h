/* grid: rows of cells that are aligned in columns, for people to read. */
#ifndef TPQ_QUERY_GRID_H
#define TPQ_QUERY_GRID_H

#include "base/text.h"

#include <stdio.h>

struct grid_column {
    char *name;
    bool is_number; /* all cells so far; aligned right */
    size_t width;   /* in characters */
};

struct grid {
    ARRAY(struct grid_column) columns;
    struct text cells;      /* the text of all cells, one behind the other */
    ARRAY(size_t) ends;     /* where each cell ends in it */
    ARRAY(struct view) row; /* room for the row that is being printed */
    bool boxed;
};

bool grid_add_column(struct grid *self, const char *name);

/* Adds the next cell of the current row; control characters become visible escapes. */
bool grid_add_cell(struct grid *self, struct view text, bool is_number);

/* Narrows the widest columns of text until a row fits; their cells lose their middle. 0 = no
 * limit. */
void grid_fit(struct grid *self, size_t width);

void grid_print_head(const struct grid *self, FILE *out);
void grid_print_rows(const struct grid *self, FILE *out); /* those added since the last clear */
void grid_print_foot(const struct grid *self, FILE *out);
void grid_clear_rows(struct grid *self);
void grid_free(struct grid *self);

/* Appends a text with its control characters made visible: \n, \t, \x1b. */
bool grid_add_visible(struct text *out, struct view text);

#endif
