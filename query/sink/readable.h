/* readable: the rows of a sheet as people read them, kept until its end: figures rounded and
 * grouped, kernels under their short names, only the first rows and only the columns that fit, the
 * most important first. Texts are cut so that two different ones never look alike; a list that
 * tells rows apart stays whole where there is any room.
 *
 *     readable_begin(&rows, sheet, &target); readable_add(&rows, cells, false) ...;
 *     readable_fit(&rows); ... readable_cell(&rows, row, column) of rows.shown ...
 */
#pragma once

#include "query/sink/sink.h"

struct readable {
    const struct sheet *sheet;
    size_t width; /* that is there; 0 = any */
    int64_t top;  /* rows that are kept; 0 = all */
    bool wide, by_place;
    int64_t rows;         /* there are; the first ones are kept */
    size_t kept, footers; /* of footers behind the others */
    struct text texts;    /* of the cells, one behind the other */
    ARRAY(size_t) ends;   /* of each text */
    ARRAY(size_t) shown;  /* columns that fit, from the left */
    ARRAY(size_t) widths; /* of all columns */
};

/* The sheet must stay until the last look at the rows. */
void readable_begin(struct readable *self, const struct sheet *sheet,
                    const struct sink_target *target);

/* Counts a row that is not hidden, and keeps it where it is one of the first, or a footer. */
void readable_add(struct readable *self, const struct cell *cells, bool is_footer);

/* The colours that a row names for its cells; empty: none. */
struct view readable_colours(const struct readable *self, const struct cell *cells);

/* Chooses the columns that are shown, and cuts their texts. */
void readable_fit(struct readable *self);

struct view readable_cell(const struct readable *self, size_t row, size_t column);

/* A line about rows and columns that are not shown; empty where all are. */
void readable_add_not_included(const struct readable *self, struct text *line);
