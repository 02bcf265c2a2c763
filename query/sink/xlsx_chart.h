/* xlsx_chart: the chart beside the table of a worksheet. */
#pragma once

#include "query/sink/sheet.h"
#include "query/sink/stack_colours.h"

#include "query/sink/xlsx_library.h"

/* A row of a stack: where its category stands, and its colour. */
struct xlsx_part {
    size_t rank;
    lxw_color_t colour;
};
typedef ARRAY(struct xlsx_part) xlsx_parts;

/* Keeps what a stack needs to know of a row; nothing when the sheet has none. False: memory is
 * out. */
void xlsx_add_part(const struct sheet *sheet, const struct cell *cells, xlsx_parts *parts);

/* Draws what `sheet->chart` says: bar, column, pie or line, then the names of the columns that
 * hold the categories and the values. Bars and pies show the first rows only. Columns that the
 * sheet lacks are passed over; false: memory is out. `name` is that of the worksheet, whose table
 * has `rows` below its head.
 *
 * stack, the columns of keys, values, and categories, and one that parts bars, is a column of
 * parts, a row each, in the colours of the categories; where there are several bars, it is bars
 * instead. */
bool xlsx_add_chart(lxw_workbook *book, lxw_worksheet *worksheet, const char *name,
                    const struct sheet *sheet, size_t rows, const xlsx_parts *parts);

/* ='name'!$A$2:$A$31, of rows from 1 on below the head, or of one row where `last` is 0; always
 * quoted: a name may look like a number or a cell. False: memory is out. */
bool xlsx_add_range(struct text *out, const char *name, size_t column, size_t first, size_t last);

/* Puts a chart behind the columns of a sheet, so many pixels wide and high. False: memory is out.
 */
bool xlsx_place_chart(lxw_worksheet *worksheet, lxw_chart *chart, const struct sheet *sheet,
                      const char *title, double width, double height);
