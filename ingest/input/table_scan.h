/* table_scan: the rows of a table of a SQLite file, read from its pages without SQLite.
 *
 * Going through all rows of a table once needs nothing of a database but its pages, and costs a
 * third of what a statement does. Only plain tables of plain files are read like this: UTF-8, no
 * log, rows with numbers; database.c asks SQLite for all others. Every length and place that the
 * file states is looked at before it is used. Values mean what SQLite makes of them.
 */
#ifndef TPQ_INGEST_INPUT_TABLE_SCAN_H
#define TPQ_INGEST_INPUT_TABLE_SCAN_H

#include "src/base/text.h"

#include <stdint.h>

struct table_scan;

enum scan_step {
    SCAN_ROW,
    SCAN_END,
    SCAN_DAMAGED,
    SCAN_TOO_MUCH, /* a row is larger than the file */
    SCAN_NO_MEMORY
};
enum scan_type { SCAN_NULL, SCAN_INTEGER, SCAN_REAL, SCAN_TEXT, SCAN_BLOB };

struct scan_value {
    enum scan_type type;
    int64_t integer;
    double real;
    struct view bytes; /* of a text or blob; they hold until the next step */
};

/* Where a column stands in rows. */
struct scan_column {
    int place;   /* -1 = nowhere: NULL */
    bool is_key; /* NULL stands for the number of the row */
    bool is_real;
};

/* Begins in front of the rows that hang on page `root`. NULL: memory is out. */
struct table_scan *scan_open(int file, int64_t bytes, uint32_t root,
                             const struct scan_column *columns, size_t count);
void scan_close(struct table_scan *self);

/* Whether what hangs on this page are rows with numbers, and texts of the file are UTF-8. */
bool scan_can_read(int file, uint32_t root);

enum scan_step scan_next(struct table_scan *self);

/* The same as scan_value where a whole number is stored, which most values are; false: it is not.
 */
bool scan_integer(const struct table_scan *self, size_t column, int64_t *value);

/* A value of the row in hand; `integer` of what is none is what SQLite casts it to. */
void scan_value(const struct table_scan *self, size_t column, struct scan_value *value);

#endif
