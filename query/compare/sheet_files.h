/* sheet_files: sheets of reports that lie in files: a workbook (.xlsx), or a folder with a CSV for
 * each sheet, of tpq or of the reference tool.
 *
 * What is a folder of sheets is told by its files: one of them is called like a sheet of a report,
 * and has a heading of what the rows of that are told apart by.
 */
#pragma once

#include "query/compare/kept_sheets.h"
#include "query/report/layout.h"
#include "sql/docs.h"

/* Whether a path is one of them; a workbook of a kind that cannot be read is an error. */
bool sheet_files_are(const char *path, const doc_list *docs, bool *are, struct error *error);

/* Reads all sheets. */
bool sheet_files_read(const char *path, struct kept_sheets *sheets, struct error *error);

/* The name of the workbook or folder without its ending; the caller frees. */
char *sheet_files_name(const char *path);

/* The name of a report's sheet, as far as one name stands for all of it; the report's own where
 * none is declared. */
const char *sheet_of_report(const struct doc_object *report);

/* The rows of a report as sheets in a file have them: what the rows are told apart by, a figure and
 * a count, found by the headings that the report declares.
 *
 * Lists come as JSON, whether a file has them so or as Python's; what a sheet is for one value of
 * (sheet-by) is told from its name, and columns that were one (unfold) become an object again.
 */
struct sheet_rows {
    const struct kept_sheets *sheets;
    const char *path; /* for messages */
    const struct layout *layout;
    const struct doc_column *metric; /* NULL: rows are counted */
};

/* Hands out the cells of each row's key, its figure and its count; cells that the sheets lack are
 * NULL. False with an error: no sheet is of the report, or it lacks a column. */
typedef void sheet_rows_take(void *context, const struct cell *key, const struct cell *figure,
                             const struct cell *count);
bool sheet_rows_read(const struct sheet_rows *self, sheet_rows_take *take, void *context,
                     struct error *error);

/* The JSON of a list as Python writes it; false: it is none. */
bool sheet_rows_json(struct view text, struct text *json);
