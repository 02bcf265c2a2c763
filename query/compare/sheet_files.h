/* sheet_files: sheets of reports that lie in files: a workbook (.xlsx), or a folder with a CSV for
 * each sheet, of tpq or of the reference tool.
 *
 * What is a folder of sheets is told by its files: one of them is called like a sheet of a report,
 * and has a heading of what the rows of that are told apart by.
 */
#pragma once

#include "query/compare/kept_sheets.h"
#include "sql/docs.h"

/* Whether a path is one of them; a workbook of a kind that cannot be read is an error. */
bool sheet_files_are(const char *path, const doc_list *docs, bool *are, struct error *error);

/* Reads all sheets. */
bool sheet_files_read(const char *path, struct kept_sheets *sheets, struct error *error);

/* The name of the workbook or folder without its ending; the caller frees. NULL: memory is out. */
char *sheet_files_name(const char *path);

/* The name of a report's sheet, as far as one name stands for all of it; the report's own where
 * none is declared. */
const char *sheet_of_report(const struct doc_object *report);
