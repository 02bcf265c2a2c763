/* sink: where results go. Every form of output is one sink; all take sheets row by row.
 *
 *     sink->begin(sink, sheet, error); sink->row(sink, cells, error) ...; sink->end(sink, error);
 *     ... more sheets ...; sink->finish(sink, error); sink->free(sink);
 *
 * Texts come from traces: each sink sees to it that they cannot act in its form (a formula in a
 * spreadsheet, an escape on a terminal, a tag in a page).
 */
#ifndef TPQ_QUERY_SINK_SINK_H
#define TPQ_QUERY_SINK_SINK_H

#include "query/sink/sheet.h"
#include "src/base/error.h"

#include <stdio.h>

struct sink {
    bool (*begin)(struct sink *self, const struct sheet *sheet, struct error *error);
    bool (*row)(struct sink *self, const struct cell *cells, struct error *error);
    bool (*end)(struct sink *self, struct error *error);
    bool (*finish)(struct sink *self, struct error *error);
    void (*free)(struct sink *self);
    /* A row of sums, before `end`; NULL where an output is for machines, or has no room for it. */
    bool (*footer)(struct sink *self, const struct cell *cells, struct error *error);
};

/* Whether a sink is a workbook: some sheets are only there for their chart. */
bool sink_is_workbook(const struct sink *self);

/* All return NULL with an error when memory is out or the output cannot be made. Those that take a
 * stream leave it open. */

/* Aligned columns. */
struct grid_options {
    size_t width; /* of the terminal; 0 = any */
    bool boxed;   /* lines around the cells */
};
struct sink *sink_grid(FILE *out, const struct grid_options *options, struct error *error);

/* Sheets laid out for people: titles, grouped digits, only what fits. */
struct terminal_options {
    size_t width; /* 0 = any */
    int64_t top;  /* rows of a sheet; 0 = all */
    bool colour;
};
struct sink *sink_terminal(FILE *out, const struct terminal_options *options, struct error *error);

/* One name and value a line. */
struct sink *sink_lines(FILE *out, struct error *error);

/* `raw` leaves texts alone that a spreadsheet would take for formulas. No file of a directory is
 * written over one of `inputs`, which end with NULL; NULL = none. */
struct sink *sink_csv(FILE *out, bool raw, struct error *error);
struct sink *sink_csv_directory(const char *path, bool raw, const char *const *inputs,
                                struct error *error);
/* Only the sheet with this name; the others are passed over. */
struct sink *sink_csv_sheet(FILE *out, const char *sheet, bool raw, struct error *error);
struct sink *sink_tsv(FILE *out, struct error *error);

/* JSON: an array for the rows of a statement, an object of arrays for sheets. JSON Lines: a line a
 * row, with the name of the sheet. */
struct sink *sink_json(FILE *out, struct error *error);
struct sink *sink_json_lines(FILE *out, struct error *error);

struct sink *sink_markdown(FILE *out, struct error *error);

/* The bare table for a statement, a page for sheets. */
struct sink *sink_html(FILE *out, struct error *error);

/* A workbook: one worksheet a sheet, in constant memory. It gets its name only when it is whole. */
struct xlsx_options {
    bool index;     /* begin with a worksheet that lists the others and says what they show */
    bool overwrite; /* a file that is there already */
};
struct sink *sink_xlsx(const char *path, const struct xlsx_options *options, struct error *error);

/* A CSV file, a workbook or both for every sheet: DIRECTORY/NAME_SHEET.csv, .xlsx. Those that are
 * there are overwritten, but none of `inputs`, which end with NULL. */
struct files_options {
    const char *name;
    bool csv, xlsx;
    bool raw;
    const char *const *inputs;
};
struct sink *sink_files(const char *directory, const struct files_options *options,
                        struct error *error);

/* Ordinary tables in a database, frozen_SHEET, columns named as in SQL: for clients that cannot
 * load the extension. Those that are there are replaced when all is done. Works in the transaction
 * of the caller, who has no statement running when it finishes. */
struct sink *sink_tables(sqlite3 *db, struct error *error);

/* A picture, as SVG, of the sheet that declares a stacked chart. `classic`: parts by time alone, in
 * colours that say nothing. */
struct sink *sink_stack(FILE *out, bool classic, struct error *error);

bool sink_is_same_file(const char *left, const char *right);

/* Fails when the path is one of the inputs, by whatever name. */
bool sink_check_path(const char *path, const char *const *inputs, struct error *error);

/* Fails with the sentence of an output that cannot be written, if it could not. */
bool sink_check_stream(FILE *out, const char *name, struct error *error);

#endif
