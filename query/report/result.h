/* result: the rows of one result, kept compactly, so that several outputs can take them and columns
 * can be laid out before the first row is written. */
#pragma once

#include "query/sink/sheet.h"
#include "src/base/error.h"
#include "src/base/intern.h"

struct result_column {
    bool any;       /* some cell is not NULL */
    bool is_zero;   /* and no cell is anything but 0 */
    bool is_number; /* no cell is a text */
    size_t width;   /* characters of the widest cell as plain text */
};

struct result {
    size_t column_count;
    int64_t rows;
    ARRAY(char) bytes;   /* cells, one behind the other */
    struct intern words; /* texts that are not short: the same ones stand in many rows */
    ARRAY(struct result_column) columns;
};

struct result_cursor {
    size_t at;
};

void result_init(struct result *self, size_t column_count);
void result_add(struct result *self, const struct cell *cells);

/* The next row; false at the end. Texts stay valid as long as the table does not grow. */
bool result_next(const struct result *self, struct result_cursor *cursor, struct cell *cells);

/* The next row of a statement; false at the end, and when it fails: then it is not `done`. */
bool result_read(sqlite3_stmt *rows, struct text *scratch, struct cell *cells, const char *what,
                 bool *done, struct error *error);

void result_free(struct result *self);
