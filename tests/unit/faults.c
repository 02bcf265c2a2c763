/* faults: see faults.h. The faulty files are a VFS of SQLite over the real one. */
#include "faults.h"

#include "base/hash.h"
#include "base/text.h"
#include "integrity.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the n-th write */

static enum fault fault;
static int64_t fault_at, writes;
static sqlite3_vfs *real_vfs;

/* Counts a write; true when it is to fail. */
static bool write_fails(void)
{
    writes++;
    if (fault == FAULT_DIE && writes >= fault_at)
        _exit(DIED);
    return fault == FAULT_FAIL && writes >= fault_at;
}

/* The write that a process dies in reaches the disk wholly, half, or not at all. */
static bool is_last_write(void)
{
    return fault == FAULT_DIE && writes + 1 == fault_at;
}

/* ------------------------------------------------------------------ files of SQLite */

struct faulty_file {
    sqlite3_file base;
    sqlite3_file *real; /* right behind this */
};

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct faulty_file *)file)->real;
}

static int file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int file_read(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset)
{
    return real_of(file)->pMethods->xRead(real_of(file), buffer, amount, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int amount, sqlite3_int64 offset)
{
    sqlite3_file *real = real_of(file);
    if (is_last_write() && fault_at % 3)
        real->pMethods->xWrite(real, buffer, fault_at % 3 == 1 ? amount / 2 : amount, offset);
    if (write_fails())
        return SQLITE_IOERR_WRITE;
    return real->pMethods->xWrite(real, buffer, amount, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return write_fails() ? SQLITE_IOERR_TRUNCATE
                         : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

/* What a process has written is there when it dies: waiting for the disk is not needed. */
static int file_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return write_fails() ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int file_lock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xLock(real_of(file), lock);
}

static int file_unlock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), lock);
}

static int file_check_lock(sqlite3_file *file, int *held)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), held);
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int file_characteristics(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int amount, void **page)
{
    return real_of(file)->pMethods->xFetch(real_of(file), offset, amount, page);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page)
{
    return real_of(file)->pMethods->xUnfetch(real_of(file), offset, page);
}

/* Without shared memory there is no WAL, which a warehouse does not use. */
static const sqlite3_io_methods file_methods = {
    .iVersion = 3,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xFetch = file_fetch,
    .xUnfetch = file_unfetch,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out)
{
    (void)vfs;
    struct faulty_file *file = (struct faulty_file *)base;
    file->base.pMethods = NULL;
    file->real = (sqlite3_file *)(file + 1);
    int result = real_vfs->xOpen(real_vfs, name, file->real, flags, out);
    if (file->real->pMethods)
        file->base.pMethods = &file_methods;
    return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)sync;
    return write_fails() ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, 0);
}

void faults_install(void)
{
    static sqlite3_vfs vfs;
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    real_vfs = sqlite3_vfs_find(NULL);
    vfs = *real_vfs;
    vfs.pNext = NULL;
    vfs.zName = "faulty";
    vfs.szOsFile = (int)sizeof(struct faulty_file) + real_vfs->szOsFile;
    vfs.xOpen = vfs_open;
    vfs.xDelete = vfs_delete;
    assert_int_equal(sqlite3_vfs_register(&vfs, 1), SQLITE_OK);
}

void faults_start(enum fault kind, int64_t at)
{
    fault = kind;
    fault_at = at;
    writes = 0;
}

int64_t faults_stop(void)
{
    fault = FAULT_NONE;
    return writes;
}

/* ------------------------------------------------------------------ calls of the warehouse */

/* A process dies right before any of them; that they fail is not played. */
#define WRAP(type, name, parameters, arguments)       \
    type __real_##name parameters;                    \
    type __wrap_##name parameters;                    \
    type __wrap_##name parameters                     \
    {                                                 \
        writes++;                                     \
        if (fault == FAULT_DIE && writes >= fault_at) \
            _exit(DIED);                              \
        return __real_##name arguments;               \
    }

WRAP(int, link, (const char *from, const char *to), (from, to))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, renameat2, (int from, const char *old, int to, const char *new, unsigned flags),
     (from, old, to, new, flags))
WRAP(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))

int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
    (void)file;
    writes++;
    if (fault == FAULT_DIE && writes >= fault_at)
        _exit(DIED);
    return 0;
}

static bool clear_away;

void faults_clear_away_next(void)
{
    clear_away = true;
}

int __real_mkostemp(char *name, int flags);
int __wrap_mkostemp(char *name, int flags);
int __wrap_mkostemp(char *name, int flags)
{
    writes++;
    if (fault == FAULT_DIE && writes >= fault_at)
        _exit(DIED);
    int file = __real_mkostemp(name, flags);
    if (file >= 0 && clear_away)
        __real_unlink(name);
    clear_away = false;
    return file;
}

/* ------------------------------------------------------------------ contents */

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    return statement;
}

/* "WHAT COUNT HASH", of all rows of a query. */
static void add_rows(sqlite3 *db, const char *what, const char *sql, struct text *out)
{
    sqlite3_stmt *statement = prepare(db, sql);
    uint64_t hash = 0;
    long long count = 0;
    int result;
    for (; (result = sqlite3_step(statement)) == SQLITE_ROW; count++)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            size_t length = (size_t)sqlite3_column_bytes(statement, i);
            hash = value ? hash64(value, length, hash + length + 1) : hash * 31 + 7;
        }
    if (result != SQLITE_DONE)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    sqlite3_finalize(statement);
    assert_true(text_format(out, "%s %lld %016llx\n", what, count, (unsigned long long)hash));
}

char *contents_of(const char *path)
{
    sqlite3 *db;
    struct text out = {0};
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_stmt *tables =
        prepare(db, "SELECT name, 'SELECT ' || (SELECT group_concat('\"' || name || '\"') FROM "
                    "pragma_table_info(tables.name) WHERE name NOT LIKE '%\\_at' ESCAPE '\\') || "
                    "' FROM \"' || name || '\" ORDER BY 1, 2' FROM sqlite_schema AS tables WHERE "
                    "type = 'table' "
                    "ORDER BY name");
    while (sqlite3_step(tables) == SQLITE_ROW)
        add_rows(db, (const char *)sqlite3_column_text(tables, 0),
                 (const char *)sqlite3_column_text(tables, 1), &out);
    sqlite3_finalize(tables);
    add_rows(db, "(schema)", "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name", &out);
    add_rows(db, "(version)", "SELECT * FROM pragma_user_version", &out);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return out.items;
}

/* ------------------------------------------------------------------ the rest */

const char *made_trace(const char *name, const char *options)
{
    char command[1024];
    const char *path = scratch_path(name);
    snprintf(command, sizeof command, "%s %s > %s", MAKE_TRACE, options, path);
    assert_int_equal(system(command), 0);
    return path;
}

static void ignore_outcome(void *context, const struct ingest_outcome *outcome)
{
    (void)context, (void)outcome;
}

bool ingest_files(const char *database, const char *run, const char *const *paths, int jobs,
                  struct error *error)
{
    struct ingest_options options = {.database = database, .run = run, .jobs = jobs};
    struct ingest_observer observer = {.finished = ignore_outcome};
    input_list inputs = {0};
    size_t count = 0;
    while (paths[count])
        count++;
    *error = (struct error){0};
    bool done = discover_inputs(paths, count, &inputs, error) &&
                ingest_run(&options, &inputs, &observer, error);
    discover_free(&inputs);
    return done;
}

static void report_finding(void *context, const char *check, const char *finding)
{
    (void)context;
    if (finding)
        fail_msg("%s: %s", check, finding);
}

void assert_sound(const char *path)
{
    struct warehouse warehouse;
    struct error error = {0};
    int64_t findings;
    if (!warehouse_open(&warehouse, path, WAREHOUSE_READ, 0, &error) ||
        !integrity_check(&warehouse, report_finding, NULL, &findings, &error))
        fail_msg("%s", error.text);
    assert_int_equal(findings, 0);
    warehouse_close(&warehouse);
}

static size_t each_file(const char *path, bool removed)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (removed)
            assert_int_equal(unlinkat(dirfd(directory), entry->d_name, 0), 0);
    }
    closedir(directory);
    return count;
}

size_t count_files(const char *path)
{
    return each_file(path, false);
}

void empty_directory(const char *path)
{
    assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
    each_file(path, true);
}

void copy_file(const char *from, const char *to)
{
    char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, got, out), got);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}
