/* xlsx_chart: the chart beside the table of a worksheet; a roofline is one of its own. */
#pragma once

#include "query/sink/chart.h"
#include "query/sink/sheet.h"
#include "query/sink/xlsx_library.h"

/* A row of a stack: where its category stands, and its colour. */
struct xlsx_part {
    size_t rank;
    lxw_color_t colour;
};
typedef ARRAY(struct xlsx_part) xlsx_parts;

/* Keeps what a stack needs to know of a row; nothing when the sheet has none. */
void xlsx_add_part(const struct sheet *sheet, const struct cell *cells, xlsx_parts *parts);

/* Draws what `sheet->chart` says: bar, column, pie or line, then the names of the columns that
 * hold the categories and the values. Bars and pies show the first rows only. Columns that the
 * sheet lacks are skipped. `name` is that of the worksheet,
 * whose table has `rows` below its head.
 *
 * stack, the columns of keys, values, and categories, and one that parts bars, is a column of
 * parts, a row each, in the colours of the categories; where there are several bars, it is bars
 * instead. */
void xlsx_add_chart(lxw_workbook *book, lxw_worksheet *worksheet, const char *name,
                    const struct sheet *sheet, size_t rows, const xlsx_parts *parts);

/* Rows of the same series, from 1 below the head. */
struct xlsx_series {
    char *name;
    size_t first, last;
    bool is_line;
};

/* A roofline: a chart of what was reached against what an accelerator can do, on logarithmic
 * axes: rows of one series stand together, those with a value of their own are points, the others
 * a line through the values of the ceiling.
 *
 * Figures of the rows of a worksheet once they have been written.
 */
struct xlsx_roofline {
    ARRAY(struct xlsx_series) series;
    double least_x, most_x, least_y, most_y; /* of what is drawn; 0 = nothing yet */
};

/* Notes a row of a sheet, if that declares "chart: roofline SERIES X Y CEILING". */
void xlsx_roofline_note(struct xlsx_roofline *self, const struct sheet *sheet,
                        const struct cell *cells, size_t row);

/* Draws it beside the table. `name` is that of the worksheet. */
void xlsx_roofline_draw(const struct xlsx_roofline *self, lxw_workbook *book,
                        lxw_worksheet *worksheet, const char *name, const struct sheet *sheet);

void xlsx_roofline_clear(struct xlsx_roofline *self);
