/* xlsx_roofline: a chart of what was reached against what an accelerator can do, on logarithmic
 * axes: rows of one series stand together, those with a value of their own are points, the others
 * a line through the values of the ceiling.
 */
#pragma once

#include "query/sink/sheet.h"

#include "query/sink/xlsx_library.h"

/* Rows of the same series, from 1 below the head. */
struct xlsx_series {
    char *name;
    size_t first, last;
    bool is_line;
};

/* Figures of the rows of a worksheet once they have been written. */
struct xlsx_roofline {
    ARRAY(struct xlsx_series) series;
    double least_x, most_x, least_y, most_y; /* of what is drawn; 0 = nothing yet */
};

/* Notes a row of a sheet, if that declares "chart: roofline SERIES X Y CEILING"; false when memory
 * is out. */
void xlsx_roofline_note(struct xlsx_roofline *self, const struct sheet *sheet,
                        const struct cell *cells, size_t row);

/* Draws it beside the table. `name` is that of the worksheet. False: memory is out. */
bool xlsx_roofline_draw(const struct xlsx_roofline *self, lxw_workbook *book,
                        lxw_worksheet *worksheet, const char *name, const struct sheet *sheet);

void xlsx_roofline_clear(struct xlsx_roofline *self);
