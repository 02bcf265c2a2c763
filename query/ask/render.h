/* render: the rows of a statement as text, in the form of a mode (forms.h).
 *
 * Forms for people (table, box, line, markdown) never let a control character through, so that a
 * kernel name cannot drive a terminal. CSV keeps spreadsheets from taking a text for a formula.
 */
#pragma once

#include "query/sink/forms.h"
#include "src/base/document.h"

struct render_options {
    const struct form *form;
    int width;       /* columns of the terminal that table and box must fit; 0 = any width */
    bool csv_raw;    /* texts that look like formulas stay as they are */
    bool no_headers; /* no names of columns in csv, tsv and table */
    const struct envelope_wish *wish; /* of an envelope; NULL */
    struct sink *book; /* takes all statements, a sheet each, and is the caller's to finish; NULL */
};

/* Steps the statement to its end and prints its rows. A statement without columns prints
 * nothing. `what` begins the message of an error. */
bool render_statement(sqlite3_stmt *statement, const struct render_options *options, FILE *out,
                      const char *what, struct error *error);

/* Adds the rows of a statement to a list that is open in a document: objects by the names of
 * columns. Columns whose names end in _json hold JSON, and go without that ending. */
bool render_objects(sqlite3_stmt *statement, struct document *document, const char *what,
                    struct error *error);
