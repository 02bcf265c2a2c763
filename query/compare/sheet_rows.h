/* sheet_rows: the rows of a report as sheets in a file have them (sheet_files.h): what the rows are
 * told apart by, a figure and a count, found by the headings that the report declares.
 *
 * Lists come as JSON, whether a file has them so or as Python's; what a sheet is for one value of
 * (sheet-by) is told from its name, and columns that were one (unfold) become an object again.
 */
#pragma once

#include "query/compare/kept_sheets.h"
#include "query/report/layout.h"

struct sheet_rows {
    const struct kept_sheets *sheets;
    const char *path; /* for messages */
    const struct layout *layout;
    const struct doc_column *metric; /* NULL: rows are counted */
};

/* Hands out the cells of each row's key, its figure and its count; what the sheets do not have is
 * NULL. False with an error: no sheet is of the report, or it lacks a column. */
typedef bool sheet_rows_take(void *context, const struct cell *key, const struct cell *figure,
                             const struct cell *count);
bool sheet_rows_read(const struct sheet_rows *self, sheet_rows_take *take, void *context,
                     struct error *error);

/* The JSON of a list as Python writes it; false: it is none, or memory is out. */
bool sheet_rows_json(struct view text, struct text *json);
