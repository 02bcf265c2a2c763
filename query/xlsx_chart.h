/* xlsx_chart: the chart beside the table of a worksheet. */
#ifndef TPQ_QUERY_XLSX_CHART_H
#define TPQ_QUERY_XLSX_CHART_H

#include "sheet.h"

#include <xlsxwriter.h>

/* Draws what `sheet->chart` says: bar, column, pie or line, then the names of the columns that
 * hold the categories and the values. Bars and pies show the first rows only. Columns that the
 * sheet lacks are passed over; false: memory is out. `name` is that of the worksheet, whose table
 * has `rows` below its head. */
bool xlsx_add_chart(lxw_workbook *book, lxw_worksheet *worksheet, const char *name,
                    const struct sheet *sheet, size_t rows);

#endif
