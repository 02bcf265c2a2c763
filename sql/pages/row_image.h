/* row_image: many rows of integers and short texts, written as SQLite itself keeps them.
 *
 * `INSERT INTO a SELECT * FROM b` between two tables of the same shape copies rows as they stand
 * and does not take them apart. So rows are put into pages of a table in memory that is made from
 * our own definition, and SQLite copies them from there: less than two thirds of the work of any
 * other way. Where the warehouse's table has an index or a condition of its owner, SQLite goes
 * column by column, with the same result. Rows are inserted one by one where the columns are not
 * exactly ours, and when texts are long. So are the first 400 rows: making the table in memory
 * takes as long as some hundred rows. Storing and merging are the callers.
 */
#pragma once

#include "sql/pages/row_pages.h"
#include "sql/warehouse.h"
#include "src/base/text.h"

#define ROW_NULL INT64_MIN

enum { ROW_IMAGE_PAGES = 34 };

struct row_value {
    int64_t number;   /* ROW_NULL = NULL */
    struct view text; /* without bytes it is a number */
};

struct row_image {
    struct warehouse *warehouse;
    struct error *error;
    const char *table;
    const char *const *names;
    sqlite3_stmt *insert; /* of a row by itself */
    size_t rows;          /* that went this way because they were the first */
    bool is_attached;
    bool is_looked_at, is_like_ours; /* the warehouse's table */
    struct text columns;             /* stored ones, separated by commas */
    int source[ROW_COLUMNS_MAX];     /* by those: index of the value; -1 = the key */
    size_t column_count;
    unsigned char *bytes;          /* the pages */
    size_t leaf;                   /* index of the page that is being filled */
    size_t cells, low;             /* in it: rows; where the last one begins */
    int64_t last[ROW_IMAGE_PAGES]; /* by leaf: its greatest id */
};

/* For rows of a table whose columns are `names`, the key first; without a name behind the last. */
void row_image_open(struct row_image *self, struct warehouse *warehouse, const char *table,
                    const char *const *names, struct error *error);

/* Ids ascend. `values` are in the order of the names, without the key. */
bool row_image_add(struct row_image *self, int64_t id, const struct row_value *values);

/* Copies what has not been copied yet. */
bool row_image_finish(struct row_image *self);

/* False: it failed, and there is no transaction any more. */
bool row_image_close(struct row_image *self);
