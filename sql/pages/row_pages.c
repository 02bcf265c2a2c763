/* row_pages: see row_pages.h. */
#include "sql/pages/row_pages.h"

#include "sql/pages/page.h"
#include "sql/pages/table_scan.h"

static enum scan_step read_file(void *handle, void *to, size_t count, int64_t at)
{
    sqlite3_file *file = handle;
    int result = file->pMethods->xRead(file, to, (int)count, at);
    return result == SQLITE_OK                 ? SCAN_ROW
           : result == SQLITE_IOERR_SHORT_READ ? SCAN_DAMAGED
                                               : SCAN_UNREADABLE;
}

/* The file as SQLite has it open in the transaction that it is in. */
static bool find_file(struct scan_file *self, sqlite3 *db, const char *schema)
{
    unsigned char header[FILE_HEADER];
    sqlite3_file *file = NULL;
    const char *name = sqlite3_db_filename(db, schema); /* what has none may stay in memory */
    sqlite3_int64 bytes = 0;
    if (!name || !*name || sqlite3_txn_state(db, schema) != SQLITE_TXN_READ ||
        sqlite3_file_control(db, schema, SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
        !file->pMethods || read_file(file, header, sizeof header, 0) != SCAN_ROW ||
        header[FORMAT_AT] >= FORMAT_LOG || file->pMethods->xFileSize(file, &bytes) != SQLITE_OK)
        return false;
    *self = (struct scan_file){file, read_file, bytes};
    return true;
}

enum scan_step row_pages_each(sqlite3 *db, const char *schema, int64_t root, size_t columns,
                              const int64_t *first, int64_t last, row_pages_take *take, void *taker)
{
    struct scan_column places[ROW_COLUMNS_MAX];
    struct scan_number values[ROW_COLUMNS_MAX];
    struct scan_file file;
    if (!find_file(&file, db, schema))
        return SCAN_NO_FILE;
    for (size_t i = 0; i < columns; i++)
        places[i] = (struct scan_column){.place = (int)i};
    struct table_scan *scan = scan_open(&file, (uint32_t)root, places, columns, first);
    enum scan_step step = scan ? SCAN_ROW : SCAN_NO_MEMORY;
    bool is_wanted = true;
    for (int64_t id = INT64_MIN; is_wanted && step == SCAN_ROW;) {
        step = scan_next(scan);
        if (step != SCAN_ROW || scan_key(scan) > last)
            break;
        if (scan_key(scan) <= id)
            step = SCAN_DAMAGED;
        id = scan_key(scan);
        scan_numbers(scan, values);
        is_wanted = step != SCAN_ROW || take(taker, id, values);
    }
    scan_close(scan);
    return !is_wanted              ? SCAN_STOPPED
           : step == SCAN_ROW      ? SCAN_END
           : step == SCAN_TOO_MUCH ? SCAN_DAMAGED
                                   : step;
}
