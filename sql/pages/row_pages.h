/* row_pages: the rows of a table of integers, through the file that SQLite has open, in its
 * transaction. Ids that do not ascend are damage. */
#pragma once

#include "sql/pages/table_scan.h"
#include "sql/sqlite.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROW_COLUMNS_MAX = 32 };

/* Takes a row: its first `columns` values, as stored. The key is NULL among them, and so is a
 * column that was added after the row. False: enough. */
typedef bool row_pages_take(void *taker, int64_t id, const struct scan_number *values);

/* The rows with the ids `first` to `last` of a table whose tree begins on the page `root`, in
 * order. Who takes them may move `*first` on: rows before it cost little. Gives SCAN_END when all
 * were taken, SCAN_STOPPED by who takes them, or SCAN_NO_FILE where SQLite must be asked. */
enum scan_step row_pages_each(sqlite3 *db, const char *schema, int64_t root, size_t columns,
                              const int64_t *first, int64_t last, row_pages_take *take,
                              void *taker);
