/* table: the rows of one result, kept compactly, so that several outputs can take them and columns
 * can be laid out before the first row is written. */
#ifndef TPQ_QUERY_REPORT_RESULT_H
#define TPQ_QUERY_REPORT_RESULT_H

#include "query/sink/sheet.h"
#include "src/base/error.h"

struct table_column {
    bool any;       /* some cell is not NULL */
    bool is_number; /* no cell is a text */
    size_t width;   /* characters of the widest cell as plain text */
};

struct table {
    size_t column_count;
    int64_t rows;
    struct text bytes; /* cells, one behind the other */
    ARRAY(struct table_column) columns;
};

struct table_cursor {
    size_t at;
};

bool table_init(struct table *self, size_t column_count);
bool table_add(struct table *self, const struct cell *cells);

/* The next row; false at the end. Texts stay valid as long as the table does not grow. */
bool table_next(const struct table *self, struct table_cursor *cursor, struct cell *cells);

/* All rows of a statement, stepped to its end. */
bool table_fill(struct table *self, sqlite3_stmt *statement, const char *what, struct error *error);

void table_free(struct table *self);

#endif
