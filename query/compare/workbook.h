/* workbook: the sheets of a workbook (.xlsx), kept in memory.
 *
 *     struct kept_sheets sheets; kept_sheets_init(&sheets);
 *     workbook_read("report.xlsx", &sheets, &error)
 *
 * The first row of a sheet are its headings; its table ends where a row is missing. Texts may stand
 * in the cells or in the workbook's list of texts. Formulas count as what they last gave. Formats
 * are skipped: a number is a number.
 */
#pragma once

#include "query/compare/kept_sheets.h"

/* Whether a file is one, by its content. */
bool workbook_is(const char *path, bool *is, struct error *error);

bool workbook_read(const char *path, struct kept_sheets *sheets, struct error *error);
