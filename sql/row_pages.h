/* row_pages: the rows of a table of integers, taken from the pages of its file.
 *
 * Having SQLite take a row apart costs several times what its bytes do. Here pages are read through
 * SQLite's own file, in the transaction that SQLite holds on it, and gone through as its format
 * says. The file may be a stranger's: whatever it says is checked, and ids that do not ascend end
 * it. Only for files without a log, in which the connection has changed nothing.
 */
#ifndef TPQ_SQL_ROW_PAGES_H
#define TPQ_SQL_ROW_PAGES_H

#include "sql/sqlite.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROW_COLUMNS_MAX = 32 };

enum row_kind { ROW_IS_NULL, ROW_IS_INTEGER, ROW_IS_OTHER };

struct row_number {
    int64_t number; /* of an integer */
    enum row_kind kind;
};

enum row_pages_result {
    ROW_PAGES_DONE,
    ROW_PAGES_STOPPED, /* by who takes them */
    ROW_PAGES_DAMAGED,
    ROW_PAGES_UNREADABLE, /* the file could not be read */
    ROW_PAGES_NO_MEMORY,
    ROW_PAGES_NO_FILE, /* it cannot be read so, and nothing was */
};

/* Takes a row: its values by the columns that are stored, of which rows that are older than a
 * column lack the last ones, and of which only the first `columns` are read. The key is NULL among
 * them. False: enough. */
typedef bool row_pages_take(void *taker, int64_t id, const struct row_number *values);

/* The rows with the ids `first` to `last` of a table whose tree begins on the page `root`, in
 * order. Who takes them may move `*first` on: rows before it cost little. */
enum row_pages_result row_pages_each(sqlite3 *db, const char *schema, int64_t root, size_t columns,
                                     const int64_t *first, int64_t last, row_pages_take *take,
                                     void *taker);

#endif
