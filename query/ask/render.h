/* render: the rows of a statement as text, in one of nine forms.
 *
 * Forms for people (table, box, line, markdown) never let a control character through, so that a
 * kernel name cannot drive a terminal. CSV keeps spreadsheets from taking a text for a formula.
 */
#ifndef TPQ_QUERY_ASK_RENDER_H
#define TPQ_QUERY_ASK_RENDER_H

#include "src/base/error.h"

#include <sqlite3.h>
#include <stdio.h>

enum render_mode {
    RENDER_TABLE,
    RENDER_BOX,
    RENDER_CSV,
    RENDER_TSV,
    RENDER_JSON,
    RENDER_JSONL,
    RENDER_MARKDOWN,
    RENDER_LINE,
    RENDER_HTML,
};

/* The names of the modes, as --mode takes them, separated by spaces. */
#define RENDER_MODES "table box csv tsv json jsonl markdown line html"

/* False when there is no such mode. */
bool render_mode_named(const char *name, enum render_mode *mode);

struct render_options {
    enum render_mode mode;
    int width;    /* columns of the terminal that table and box must fit; 0 = any width */
    bool csv_raw; /* texts that look like formulas stay as they are */
};

/* Steps the statement to its end and prints its rows. A statement without columns prints
 * nothing. `what` begins the message of an error. */
bool render_statement(sqlite3_stmt *statement, const struct render_options *options, FILE *out,
                      const char *what, struct error *error);

#endif
