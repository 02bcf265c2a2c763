/* row_pages: see row_pages.h. */
#include "sql/row_pages.h"

#include "src/base/sqlite_page.h"

#include <stdlib.h>
#include <string.h>

enum {
    FORMAT_AT = 19, /* FORMAT_LOG: changes stand beside the file */
    FORMAT_LOG = 2,
    NUMBER = 8, /* bytes that are read behind the start of a number, which may be fewer */
};

struct reader {
    sqlite3_file *file;
    size_t page_size, usable;
    int64_t page_count;
    unsigned char *pages[DEPTH_MAX]; /* by level */
    const int64_t *first;
    int64_t last, previous;
    bool is_behind; /* the last one has been passed */
    row_pages_take *take;
    void *taker;
    size_t columns;
    struct row_number values[ROW_COLUMNS_MAX];
};

/* ------------------------------------------------------------------ rows */

static bool take_value(struct row_number *out, uint64_t type, const unsigned char **body,
                       const unsigned char *end)
{
    static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
    enum { REAL = 7, ZERO = 8, TEXTS = 12 };
    if (type < TEXTS && type >= sizeof sizes)
        return false;
    uint64_t size = type < TEXTS ? sizes[type] : (type - TEXTS) / 2;
    if (size > (uint64_t)(end - *body))
        return false;
    out->kind = type == 0                      ? ROW_IS_NULL
                : type < TEXTS && type != REAL ? ROW_IS_INTEGER
                                               : ROW_IS_OTHER;
    if (type >= ZERO)
        out->number = (int64_t)(type - ZERO);
    else if (size)
        out->number = (int64_t)page_number(*body, NUMBER) >> (64 - 8 * size);
    *body += size;
    return true;
}

static enum row_pages_result take_row(struct reader *self, const unsigned char *at,
                                      const unsigned char *end)
{
    uint64_t payload = 0, id = 0, header = 0, type = 0;
    size_t count = 0;
    at = page_varint(page_varint(at, end, &payload), end, &id);
    if (!at || payload > (uint64_t)(end - at) || (int64_t)id <= self->previous)
        return ROW_PAGES_DAMAGED;
    self->previous = (int64_t)id;
    self->is_behind = (int64_t)id > self->last;
    if ((int64_t)id < *self->first || self->is_behind)
        return ROW_PAGES_DONE;
    const unsigned char *types = page_varint(at, at + payload, &header);
    if (!types || header > payload)
        return ROW_PAGES_DAMAGED;
    const unsigned char *body = at + header;
    for (end = at + payload; types < at + header && count < self->columns; count++) {
        types = page_varint(types, at + header, &type);
        if (!types || !take_value(&self->values[count], type, &body, end))
            return ROW_PAGES_DAMAGED;
    }
    for (; count < self->columns; count++)
        self->values[count].kind = ROW_IS_NULL;
    return self->take(self->taker, (int64_t)id, self->values) ? ROW_PAGES_DONE : ROW_PAGES_STOPPED;
}

/* ------------------------------------------------------------------ pages */

static enum row_pages_result read_page(struct reader *self, uint64_t number, size_t level);

/* Only the root may be without rows: pages without any could lead to each other without end. */
static enum row_pages_result read_leaf(struct reader *self, const unsigned char *page, size_t level)
{
    size_t count = page_number(page + PAGE_CELLS_AT, 2);
    if (!count && level)
        return ROW_PAGES_DAMAGED;
    enum row_pages_result result = ROW_PAGES_DONE;
    for (size_t i = 0; i < count && result == ROW_PAGES_DONE && !self->is_behind; i++) {
        const unsigned char *cell = page_cell(page, self->usable, PAGE_LEAF_HEADER, count, i);
        result = cell ? take_row(self, cell, page + self->usable) : ROW_PAGES_DAMAGED;
    }
    return result;
}

/* A page's greatest id stands beside its number, but for the last page's. */
static enum row_pages_result read_inner(struct reader *self, const unsigned char *page,
                                        size_t level)
{
    size_t count = page_number(page + PAGE_CELLS_AT, 2);
    enum row_pages_result result = ROW_PAGES_DONE;
    for (size_t i = 0; i < count && result == ROW_PAGES_DONE && !self->is_behind; i++) {
        uint64_t greatest = 0;
        const unsigned char *cell = page_cell(page, self->usable, PAGE_INNER_HEADER, count, i);
        if (!cell || !page_varint(cell + 4, page + self->usable, &greatest))
            return ROW_PAGES_DAMAGED;
        if ((int64_t)greatest >= *self->first)
            result = read_page(self, page_number(cell, 4), level + 1);
    }
    if (result == ROW_PAGES_DONE && !self->is_behind)
        result = read_page(self, page_number(page + PAGE_LAST_AT, 4), level + 1);
    return result;
}

static enum row_pages_result read_page(struct reader *self, uint64_t number, size_t level)
{
    if (level == DEPTH_MAX || number < 2 || (int64_t)number > self->page_count)
        return ROW_PAGES_DAMAGED;
    if (!self->pages[level] && !(self->pages[level] = malloc(self->page_size + NUMBER)))
        return ROW_PAGES_NO_MEMORY;
    unsigned char *page = self->pages[level];
    int got = self->file->pMethods->xRead(self->file, page, (int)self->page_size,
                                          (int64_t)(number - 1) * (int64_t)self->page_size);
    if (got != SQLITE_OK)
        return got == SQLITE_IOERR_SHORT_READ ? ROW_PAGES_DAMAGED : ROW_PAGES_UNREADABLE;
    memset(page + self->page_size, 0, NUMBER);
    return *page == PAGE_LEAF    ? read_leaf(self, page, level)
           : *page == PAGE_INNER ? read_inner(self, page, level)
                                 : ROW_PAGES_DAMAGED;
}

/* ------------------------------------------------------------------ the file */

static bool find_file(struct reader *self, sqlite3 *db, const char *schema)
{
    unsigned char header[FILE_HEADER];
    sqlite3_int64 bytes = 0;
    const char *name = sqlite3_db_filename(db, schema); /* what has none may stay in memory */
    if (!name || !*name || sqlite3_txn_state(db, schema) != SQLITE_TXN_READ ||
        sqlite3_file_control(db, schema, SQLITE_FCNTL_FILE_POINTER, &self->file) != SQLITE_OK ||
        !self->file || !self->file->pMethods ||
        self->file->pMethods->xRead(self->file, header, sizeof header, 0) != SQLITE_OK ||
        header[FORMAT_AT] >= FORMAT_LOG ||
        self->file->pMethods->xFileSize(self->file, &bytes) != SQLITE_OK)
        return false;
    self->page_size = page_bytes(header);
    self->usable = self->page_size - header[RESERVED_AT];
    self->page_count = bytes / (int64_t)self->page_size;
    return true;
}

enum row_pages_result row_pages_each(sqlite3 *db, const char *schema, int64_t root, size_t columns,
                                     const int64_t *first, int64_t last, row_pages_take *take,
                                     void *taker)
{
    struct reader self = {.first = first,
                          .last = last,
                          .previous = INT64_MIN,
                          .columns = columns,
                          .take = take,
                          .taker = taker};
    if (!find_file(&self, db, schema))
        return ROW_PAGES_NO_FILE;
    enum row_pages_result result = read_page(&self, (uint64_t)root, 0);
    for (size_t i = 0; i < DEPTH_MAX; i++)
        free(self.pages[i]);
    return result;
}
