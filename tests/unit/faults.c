/* faults: see faults.h. The faulty files are a VFS of SQLite over the real one. */
#include "tests/unit/faults.h"

#include "src/base/array.h"
#include "tests/unit/support.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the n-th write */

static enum fault fault;
static int64_t fault_at, writes;
static sqlite3_vfs *real_vfs;

/* Operations. Those on SQLite's files are counted up by the file's role. */
enum operation {
    NO_OPERATION,
    LINK,
    UNLINK,
    RENAME,
    WRITE,
    SYNC,
    MAKE,
    TEMPORARY,
    DELETE,
    FILE_WRITE,       /* + 4 * enum file_role, and so on */
    FILE_WRITE_FIRST, /* the beginning of the file: the header of a journal */
    FILE_TRUNCATE,
    FILE_SYNC,
};

enum file_role { FILE_DATABASE, FILE_JOURNAL, FILE_OTHER };

static ARRAY(unsigned char) kinds; /* noted while one thread writes */
static bool notes_kinds;

/* Counts a write; a process that is to die does. */
static void count_write(int kind)
{
    writes++;
    if (notes_kinds)
        array_add(&kinds, (unsigned char)kind);
    if (fault >= FAULT_DIE && fault <= FAULT_DIE_DONE && writes >= fault_at)
        _exit(DIED);
}

static bool write_fails(int kind)
{
    count_write(kind);
    return fault == FAULT_FAIL && writes >= fault_at;
}

int faults_kind(int64_t at)
{
    return at > 0 ? kinds.items[at - 1] : NO_OPERATION;
}

bool faults_kind_ends(int kind)
{
    return kind == DELETE || kind == RENAME;
}

bool faults_kind_has_halves(int kind)
{
    return kind >= FILE_WRITE && (kind - FILE_WRITE) % 4 < 2;
}

/* ------------------------------------------------------------------ files of SQLite */

struct faulty_file {
    sqlite3_file base;
    sqlite3_file *real; /* right behind this */
    enum file_role role;
};

static int kind_of(sqlite3_file *file, enum operation operation)
{
    return (int)operation + 4 * (int)((struct faulty_file *)file)->role;
}

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
    if ((fault == FAULT_DIE_HALF || fault == FAULT_DIE_DONE) && writes + 1 == fault_at)
        real->pMethods->xWrite(real, buffer, fault == FAULT_DIE_HALF ? amount / 2 : amount, offset);
    if (write_fails(kind_of(file, offset ? FILE_WRITE : FILE_WRITE_FIRST)))
        return SQLITE_IOERR_WRITE;
    return real->pMethods->xWrite(real, buffer, amount, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return write_fails(kind_of(file, FILE_TRUNCATE))
               ? SQLITE_IOERR_TRUNCATE
               : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

/* What a process has written is there when it dies: waiting for the disk is not needed. */
static int file_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    return write_fails(kind_of(file, FILE_SYNC)) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
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
    file->role = flags & SQLITE_OPEN_MAIN_DB        ? FILE_DATABASE
                 : flags & SQLITE_OPEN_MAIN_JOURNAL ? FILE_JOURNAL
                                                    : FILE_OTHER;
    int result = real_vfs->xOpen(real_vfs, name, file->real, flags, out);
    if (file->real->pMethods)
        file->base.pMethods = &file_methods;
    return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)sync;
    return write_fails(DELETE) ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, 0);
}

static sqlite3_vfs faulty;

void faults_install(void)
{
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    real_vfs = sqlite3_vfs_find(NULL);
    faulty = *real_vfs;
    faulty.pNext = NULL;
    faulty.zName = "faulty";
    faulty.szOsFile = (int)sizeof(struct faulty_file) + real_vfs->szOsFile;
    faulty.xOpen = vfs_open;
    faulty.xDelete = vfs_delete;
    assert_int_equal(sqlite3_vfs_register(&faulty, 1), SQLITE_OK);
}

void faults_remove(void)
{
    sqlite3_vfs_unregister(&faulty);
}

void faults_start(enum fault kind, int64_t at)
{
    fault = kind;
    fault_at = at;
    writes = 0;
    notes_kinds = kind == FAULT_NONE;
    if (notes_kinds)
        kinds.count = 0;
}

int64_t faults_stop(void)
{
    fault = FAULT_NONE;
    notes_kinds = false;
    return writes;
}

/* ------------------------------------------------------------------ calls of the warehouse */

/* Calls that never fail. A process dies right before them. */
#define WRAP(kind, type, name, parameters, arguments) \
    type __real_##name parameters;                    \
    type __wrap_##name parameters;                    \
    type __wrap_##name parameters                     \
    {                                                 \
        count_write(kind);                            \
        return __real_##name arguments;               \
    }

WRAP(LINK, int, link, (const char *from, const char *to), (from, to))
WRAP(UNLINK, int, unlink, (const char *path), (path))
WRAP(RENAME, int, renameat2, (int from, const char *old, int to, const char *new, unsigned flags),
     (from, old, to, new, flags))
WRAP(WRITE, ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))

int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
    (void)file;
    count_write(SYNC);
    return 0;
}

/* Counts a call; true when it is to fail, errno says with what. */
static bool call_fails(int reason)
{
    count_write(TEMPORARY);
    bool fails = (fault == FAULT_ONCE || fault == FAULT_INTERRUPT) && writes == fault_at;
    if (fails)
        errno = fault == FAULT_INTERRUPT ? EINTR : reason;
    return fails;
}

/* Bytes that such a call asks for; half of them where it is to be short. */
static size_t shortened(size_t count)
{
    return fault == FAULT_HALF && writes == fault_at && count > 1 ? count / 2 : count;
}

ssize_t __real_pwrite(int file, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at)
{
    return call_fails(ENOSPC) ? -1 : __real_pwrite(file, bytes, shortened(count), at);
}

ssize_t __real_pread(int file, void *bytes, size_t count, off_t at);
ssize_t __wrap_pread(int file, void *bytes, size_t count, off_t at);
ssize_t __wrap_pread(int file, void *bytes, size_t count, off_t at)
{
    return call_fails(EIO) ? -1 : __real_pread(file, bytes, shortened(count), at);
}

FILE *__real_fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls);
FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls);
FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls)
{
    return call_fails(EMFILE) && errno != EINTR ? NULL : __real_fopencookie(cookie, mode, calls);
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
    count_write(MAKE);
    int file = __real_mkostemp(name, flags);
    if (file >= 0 && clear_away)
        __real_unlink(name);
    clear_away = false;
    return file;
}
