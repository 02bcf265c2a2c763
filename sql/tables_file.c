/* tables_file: see tables_file.h. */
#include "sql/tables_file.h"

#include "sql/views.h"
#include "src/base/sqlite_page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_OF_4 = 13 + 2 * 4 }; /* type of a text of four bytes in a record */

/* Where the header counts changes; what SQLite has read holds as long as these bytes are the same.
 */
enum {
    COUNTER = 24,
    COUNTER_END = 40,
    COUNTER_BYTES = COUNTER_END - COUNTER,
    SHOW_ALL = 0x74707131,
    EXCHANGE = 0x74707132,
};

struct file {
    sqlite3_file base;
    sqlite3_file *inner;       /* one of two places behind it */
    sqlite3_filename name;     /* of a file that was put in place; NULL = the first one */
    const sqlite3_vfs *system; /* that opened it */
    unsigned char counted[COUNTER_BYTES]; /* as they were read last */
    uint32_t counter;                     /* what was shown of them */
    sqlite3_int64 mapped;                 /* how much of a file SQLite maps at most */
    bool shows_all, is_exchanged, is_new;
};

static sqlite3_file *inner_of(sqlite3_file *base)
{
    return ((struct file *)base)->inner;
}

/* ------------------------------------------------------------------ pages */

struct page {
    unsigned char *bytes;
    size_t size;
};

static void put_two(unsigned char *bytes, size_t number)
{
    bytes[0] = (unsigned char)(number >> 8);
    bytes[1] = (unsigned char)number;
}

/* Whether the row of the schema at this place is that of a view of ours. */
static bool is_view(const struct page *page, const unsigned char *cell)
{
    uint64_t ignored, header, type, name;
    const unsigned char *end = page->bytes + page->size;
    const unsigned char *record = page_varint(page_varint(cell, end, &ignored), end, &ignored);
    const unsigned char *types = page_varint(record, end, &header);
    if (!page_varint(page_varint(types, end, &type), end, &name) || type != TEXT_OF_4 ||
        name < 13 || name % 2 == 0 || header >= page->size || name >= page->size)
        return false;
    struct view found = {(const char *)record + header + 4, (size_t)(name - 13) / 2};
    if (header + 4 + found.length > (size_t)(end - record) ||
        memcmp(record + header, "view", 4) != 0)
        return false;
    const struct sql_view *view = views_find(found);
    return view && !views_is_asked_by_tables(view);
}

static bool has_only_views(const struct page *leaf)
{
    size_t count = page_number(leaf->bytes + PAGE_CELLS_AT, 2), i = 0;
    while (i < count &&
           is_view(leaf, page_cell(leaf->bytes, leaf->size, PAGE_LEAF_HEADER, count, i)))
        i++;
    return leaf->bytes[0] == PAGE_LEAF && count && i == count;
}

static bool leads_to_views(sqlite3_file *inner, uint64_t number, struct page *scratch)
{
    sqlite3_int64 offset = ((sqlite3_int64)number - 1) * (sqlite3_int64)scratch->size;
    return number > 1 &&
           inner->pMethods->xRead(inner, scratch->bytes, (int)scratch->size, offset) == SQLITE_OK &&
           has_only_views(scratch);
}

/* The first page is the root of the schema: of the pages that it leads to those go that have only
 * views. What looks odd stays as it is. */
static void leave_views_out(sqlite3_file *inner, struct page *root, struct page *scratch)
{
    unsigned char *header = root->bytes + FILE_HEADER, *cells = header + PAGE_INNER_HEADER;
    size_t count = page_number(header + PAGE_CELLS_AT, 2), kept = 0;
    uint64_t last = page_number(header + PAGE_LAST_AT, 4);
    if (header[0] != PAGE_INNER || FILE_HEADER + PAGE_INNER_HEADER + 2 * count > root->size)
        return;
    for (size_t i = 0; i < count; i++)
        if (page_number(cells + 2 * i, 2) + 4 > root->size)
            return;
    bool keeps_last = !leads_to_views(inner, last, scratch);
    for (size_t i = 0; i < count; i++) {
        size_t cell = page_number(cells + 2 * i, 2);
        if (!leads_to_views(inner, page_number(root->bytes + cell, 4), scratch))
            put_two(cells + 2 * kept++, cell);
    }
    if (!keeps_last && kept) {
        kept--;
        memcpy(header + PAGE_LAST_AT, root->bytes + page_number(cells + 2 * kept, 2), 4);
    }
    put_two(header + PAGE_CELLS_AT, kept);
}

/* ------------------------------------------------------------------ a file */

static sqlite3_vfs *usual(const sqlite3_vfs *self)
{
    return self->pAppData;
}

static int close_inner(sqlite3_file *inner)
{
    return inner->pMethods ? inner->pMethods->xClose(inner) : SQLITE_OK;
}

static int file_close(sqlite3_file *base)
{
    struct file *self = (struct file *)base;
    int result = close_inner(self->inner);
    sqlite3_free_filename(self->name);
    return result;
}

/* A file in the place of another has a count of its own, which goes on from what was shown. */
static void show_counter(struct file *self, unsigned char *bytes)
{
    bool is_changed = self->is_new || memcmp(self->counted, bytes, COUNTER_BYTES) != 0;
    memcpy(self->counted, bytes, COUNTER_BYTES);
    if (!self->is_exchanged) {
        self->counter = (uint32_t)page_number(bytes, 4);
        return;
    }
    self->counter += is_changed;
    self->is_new = false;
    put_two(bytes, self->counter >> 16);
    put_two(bytes + 2, self->counter & 0xFFFF);
}

static bool is_whole_page(const unsigned char *bytes, int count)
{
    return page_bytes(bytes) == (size_t)count;
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset)
{
    sqlite3_file *inner = inner_of(base);
    int result = inner->pMethods->xRead(inner, buffer, count, offset);
    if (((struct file *)base)->shows_all) {
        if (offset <= COUNTER && offset + count >= COUNTER_END)
            ((unsigned char *)buffer)[COUNTER - offset] ^= 0x80;
        return result;
    }
    if (result == SQLITE_OK && offset <= COUNTER && offset + count >= COUNTER_END)
        show_counter((struct file *)base, (unsigned char *)buffer + (COUNTER - offset));
    if (result != SQLITE_OK || offset != 0 || count < FILE_HEADER || !is_whole_page(buffer, count))
        return result;
    struct page root = {buffer, (size_t)count}, scratch = {malloc((size_t)count), (size_t)count};
    if (!scratch.bytes)
        return SQLITE_NOMEM;
    leave_views_out(inner, &root, &scratch);
    free(scratch.bytes);
    return SQLITE_OK;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset)
{
    (void)base, (void)bytes, (void)count, (void)offset;
    return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    (void)base, (void)size;
    return SQLITE_READONLY;
}

static int file_sync(sqlite3_file *base, int flags)
{
    (void)base, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    return inner_of(base)->pMethods->xFileSize(inner_of(base), size);
}

static int file_lock(sqlite3_file *base, int lock)
{
    return inner_of(base)->pMethods->xLock(inner_of(base), lock);
}

static int file_unlock(sqlite3_file *base, int lock)
{
    return inner_of(base)->pMethods->xUnlock(inner_of(base), lock);
}

static int file_is_reserved(sqlite3_file *base, int *is_reserved)
{
    return inner_of(base)->pMethods->xCheckReservedLock(inner_of(base), is_reserved);
}

/* What SQLite does not ask again of a file: size of pages, logs, space at the end of pages; count
 * of changes of the tables, their format; automatic vacuum, encoding. */
static bool looks_same(sqlite3_file *one, sqlite3_file *other)
{
    static const struct {
        int at, length;
    } parts[] = {{0, 24}, {40, 8}, {52, 8}};
    unsigned char left[FILE_HEADER], right[FILE_HEADER];
    if (one->pMethods->xRead(one, left, FILE_HEADER, 0) != SQLITE_OK ||
        other->pMethods->xRead(other, right, FILE_HEADER, 0) != SQLITE_OK || left[19] == 2)
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memcmp(left + parts[i].at, right + parts[i].at, (size_t)parts[i].length) != 0)
            return false;
    return true;
}

static sqlite3_file *other_place(const struct file *self)
{
    unsigned char *first = (unsigned char *)(uintptr_t)(self + 1);
    size_t room = (size_t)usual(self->system)->szOsFile;
    return (sqlite3_file *)(void *)((unsigned char *)self->inner == first ? first + room : first);
}

static int exchange(struct file *self, const char *path)
{
    enum { FLAGS = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB };
    sqlite3_vfs *system = usual(self->system);
    sqlite3_file *other = other_place(self);
    sqlite3_filename name = sqlite3_create_filename(path, "", "", 0, NULL);
    if (!name)
        return SQLITE_NOMEM;
    other->pMethods = NULL;
    int result = system->xOpen(system, name, other, FLAGS, NULL);
    if (result == SQLITE_OK && !looks_same(self->inner, other))
        result = SQLITE_MISMATCH;
    if (result != SQLITE_OK) {
        close_inner(other);
        sqlite3_free_filename(name);
        return result;
    }
    sqlite3_int64 mapped = self->mapped;
    other->pMethods->xFileControl(other, SQLITE_FCNTL_MMAP_SIZE, &mapped);
    close_inner(self->inner);
    sqlite3_free_filename(self->name);
    self->inner = other;
    self->name = name;
    self->is_exchanged = self->is_new = true;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument)
{
    if (operation == SHOW_ALL) {
        ((struct file *)base)->shows_all = true;
        return SQLITE_OK;
    }
    if (operation == EXCHANGE)
        return exchange((struct file *)base, argument);
    if (operation == SQLITE_FCNTL_MMAP_SIZE && *(sqlite3_int64 *)argument >= 0)
        ((struct file *)base)->mapped = *(sqlite3_int64 *)argument;
    return inner_of(base)->pMethods->xFileControl(inner_of(base), operation, argument);
}

static int file_sector(sqlite3_file *base)
{
    return inner_of(base)->pMethods->xSectorSize(inner_of(base));
}

static int file_device(sqlite3_file *base)
{
    return inner_of(base)->pMethods->xDeviceCharacteristics(inner_of(base));
}

/* Another process may begin a log while the file is open: then the schema is as it is, because its
 * pages come from the log, too. Only what is beside the file is written, by the system. */
static int file_share(sqlite3_file *base, int region, int size, int extend, void volatile **bytes)
{
    ((struct file *)base)->shows_all = true;
    return inner_of(base)->pMethods->xShmMap(inner_of(base), region, size, extend, bytes);
}

static int file_share_lock(sqlite3_file *base, int offset, int count, int flags)
{
    return inner_of(base)->pMethods->xShmLock(inner_of(base), offset, count, flags);
}

static void file_share_barrier(sqlite3_file *base)
{
    inner_of(base)->pMethods->xShmBarrier(inner_of(base));
}

static int file_unshare(sqlite3_file *base, int delete)
{
    return inner_of(base)->pMethods->xShmUnmap(inner_of(base), delete);
}

/* The first page, which is all that is changed, is never asked for so. */
static int file_fetch(sqlite3_file *base, sqlite3_int64 offset, int count, void **bytes)
{
    return inner_of(base)->pMethods->xFetch(inner_of(base), offset, count, bytes);
}

static int file_unfetch(sqlite3_file *base, sqlite3_int64 offset, void *bytes)
{
    return inner_of(base)->pMethods->xUnfetch(inner_of(base), offset, bytes);
}

/* ------------------------------------------------------------------ the file system */

/* Only the database itself is read so, no journal. */
static int system_open(sqlite3_vfs *system, const char *name, sqlite3_file *base, int flags,
                       int *flags_out)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 3,
        .xClose = file_close,
        .xRead = file_read,
        .xWrite = file_write,
        .xTruncate = file_truncate,
        .xSync = file_sync,
        .xFileSize = file_size,
        .xLock = file_lock,
        .xUnlock = file_unlock,
        .xCheckReservedLock = file_is_reserved,
        .xFileControl = file_control,
        .xSectorSize = file_sector,
        .xDeviceCharacteristics = file_device,
        .xShmMap = file_share,
        .xShmLock = file_share_lock,
        .xShmBarrier = file_share_barrier,
        .xShmUnmap = file_unshare,
        .xFetch = file_fetch,
        .xUnfetch = file_unfetch,
    };
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return usual(system)->xOpen(usual(system), name, base, flags, flags_out);
    struct file *self = (struct file *)base;
    *self = (struct file){.inner = (sqlite3_file *)(self + 1), .system = system};
    self->inner->pMethods = NULL;
    int result = usual(system)->xOpen(usual(system), name, self->inner, flags, flags_out);
    if (result == SQLITE_OK)
        self->base.pMethods = &methods;
    else if (self->inner->pMethods)
        self->inner->pMethods->xClose(self->inner);
    return result;
}

static int system_delete(sqlite3_vfs *system, const char *name, int sync)
{
    return usual(system)->xDelete(usual(system), name, sync);
}

static int system_access(sqlite3_vfs *system, const char *name, int flags, int *result)
{
    return usual(system)->xAccess(usual(system), name, flags, result);
}

static int system_full_path(sqlite3_vfs *system, const char *name, int room, char *full)
{
    return usual(system)->xFullPathname(usual(system), name, room, full);
}

int tables_file_register(void)
{
    static sqlite3_vfs system;
    if (sqlite3_vfs_find(TABLES_FILE_SYSTEM))
        return SQLITE_OK;
    sqlite3_vfs *found = sqlite3_vfs_find(NULL);
    if (!found)
        return SQLITE_NOTFOUND;
    system = *found;
    system.pNext = NULL;
    system.zName = TABLES_FILE_SYSTEM;
    system.szOsFile = (int)sizeof(struct file) + 2 * found->szOsFile;
    system.pAppData = found;
    system.xOpen = system_open;
    system.xDelete = system_delete;
    system.xAccess = system_access;
    system.xFullPathname = system_full_path;
    return sqlite3_vfs_register(&system, 0);
}

int tables_file_has_log(const char *path)
{
    unsigned char header[20] = {0};
    FILE *file = fopen(path, "rb");
    bool is_read = file && fread(header, sizeof header, 1, file) == 1;
    if (file)
        fclose(file);
    return is_read && header[19] == 2;
}

void tables_file_show_all(sqlite3 *db)
{
    sqlite3_file_control(db, "main", SHOW_ALL, NULL);
}

int tables_file_exchange(sqlite3 *db, const char *schema, const char *path)
{
    char *copy = strdup(path);
    int result = copy ? sqlite3_file_control(db, schema, EXCHANGE, copy) : SQLITE_NOMEM;
    free(copy);
    return result;
}
