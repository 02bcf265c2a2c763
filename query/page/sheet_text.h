/* sheet_text: a sheet as a page carries it, and its program reads it: a JSON object with the words
 * of the columns and their cells, column by column, which gives back what a CSV of it says.
 *
 *     sheet_text_begin(&sheet, words, error); sheet_text_row(&sheet, cells) ...;
 *     sheet_text_end(&sheet, most); ... sheet.json ...; sheet_text_free(&sheet);
 *
 * A cell is null, a text, a number, or a list of one text: a number that another column's cells are
 * not like, or that JavaScript has no room for, as the CSV has it.
 */
#pragma once

#include "query/sink/sheet.h"

struct sheet_text_column {
    struct text cells;       /* with commas between */
    enum cell_type numbers;  /* what numbers are; CELL_NULL: none yet */
    struct intern kernels;   /* names that have a short form */
    struct text short_names; /* pairs of both */
};

struct sheet_text {
    const struct sheet *sheet; /* until its end */
    ARRAY(struct sheet_text_column) columns;
    struct text colours; /* of rows, with commas between */
    struct text scratch;
    struct text footer; /* rows of sums, each a list */
    struct text json;
    size_t rows;
};

void sheet_text_begin(struct sheet_text *self, const struct sheet *sheet);
void sheet_text_row(struct sheet_text *self, const struct cell *cells);
void sheet_text_footer(struct sheet_text *self, const struct cell *cells);
void sheet_text_end(struct sheet_text *self);
void sheet_text_free(struct sheet_text *self);
