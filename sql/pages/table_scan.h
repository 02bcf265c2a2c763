/* table_scan: the rows of a table of a SQLite file, one after another. Values mean what SQLite
 * makes of them. */
#pragma once

#include "src/base/text.h"

#include <stdint.h>

struct table_scan;

enum scan_step {
    SCAN_ROW,
    SCAN_END,
    SCAN_DAMAGED,
    SCAN_UNREADABLE,
    SCAN_TOO_MUCH, /* a row is larger than the file */
    SCAN_NO_MEMORY,
    SCAN_STOPPED, /* of row_pages alone */
    SCAN_NO_FILE  /* the same: it cannot be read so, and nothing was */
};
enum scan_type { SCAN_NULL, SCAN_INTEGER, SCAN_REAL, SCAN_TEXT, SCAN_BLOB };

struct scan_value {
    enum scan_type type;
    int64_t integer;
    double real;
    struct view bytes; /* of a text or blob; they hold until the next step */
};

struct scan_number {
    int64_t number; /* of an integer */
    enum scan_type type;
};

/* Where a column stands in rows. */
struct scan_column {
    int place;   /* -1 = nowhere: NULL */
    bool is_key; /* NULL stands for the number of the row */
    bool is_real;
};

/* A file of so many bytes. `read`: SCAN_ROW = all that was asked for, SCAN_DAMAGED = the file ends
 * before it, SCAN_UNREADABLE. */
struct scan_file {
    void *handle;
    enum scan_step (*read)(void *handle, void *to, size_t count, int64_t at);
    int64_t bytes;
};

/* Begins before the rows that hang on page `root`. Rows with keys below `*first`, which the caller
 * may raise on the way, are skipped; NULL: none is. Gives NULL when memory is out. */
struct table_scan *scan_open(const struct scan_file *file, uint32_t root,
                             const struct scan_column *columns, size_t count, const int64_t *first);
void scan_close(struct table_scan *self);

/* Whether what hangs on this page are rows with numbers, and texts of the file are UTF-8. */
bool scan_can_read(const struct scan_file *file, uint32_t root);

enum scan_step scan_next(struct table_scan *self);
int64_t scan_key(const struct table_scan *self); /* of the row in hand */

/* The same as scan_value where a whole number is stored, which most values are; false: it is not.
 */
bool scan_integer(const struct table_scan *self, size_t column, int64_t *value);

/* Numbers of a row at the places 0 to the last one that was asked for; a key is NULL among them. */
void scan_numbers(const struct table_scan *self, struct scan_number *values);

/* A value of the row in hand; `integer` of what is none is what SQLite casts it to. */
void scan_value(const struct table_scan *self, size_t column, struct scan_value *value);
