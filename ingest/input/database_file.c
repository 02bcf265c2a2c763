/* database_file: a file system of SQLite with two names, the main database and its log, which it
 * reads from descriptors. Locks always succeed, writes are refused, and time stands still. A page
 * that breaks off, or lies behind the end, reads as zeros. */
#include "ingest/input/database_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    sqlite3_file base;
    int descriptor; /* -1 = an empty file */
    sqlite3_int64 whole;
};

static int file_close(sqlite3_file *base)
{
    (void)base;
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *buffer, int wanted, sqlite3_int64 offset)
{
    const struct file *self = (const struct file *)base;
    char *at = buffer;
    sqlite3_int64 first = offset;
    size_t rest = (size_t)wanted;
    while (rest && self->descriptor >= 0) {
        ssize_t got = pread(self->descriptor, at, rest, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return SQLITE_IOERR_READ;
        if (got == 0)
            break;
        at += got;
        offset += got;
        rest -= (size_t)got;
    }
    if (rest && first > 0 && self->whole) /* a page that breaks off is none */
        rest = (size_t)wanted;
    memset((char *)buffer + wanted - rest, 0, rest); /* SQLite wants it so */
    return rest ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
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

static int file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    const struct file *self = (const struct file *)base;
    struct stat status = {0};
    if (self->descriptor >= 0 && fstat(self->descriptor, &status) != 0)
        return SQLITE_IOERR_FSTAT;
    *size = status.st_size > self->whole ? status.st_size : self->whole;
    return SQLITE_OK;
}

/* Syncs, locks and unlocks nothing. */
static int file_do_nothing(sqlite3_file *base, int flags)
{
    (void)base, (void)flags;
    return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *base, int *is_reserved)
{
    (void)base;
    *is_reserved = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument)
{
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_nothing_special(sqlite3_file *base)
{
    (void)base;
    return 0;
}

static int system_open(sqlite3_vfs *system, const char *name, sqlite3_file *base, int flags,
                       int *flags_out)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 1,
        .xClose = file_close,
        .xRead = file_read,
        .xWrite = file_write,
        .xTruncate = file_truncate,
        .xSync = file_do_nothing,
        .xFileSize = file_size,
        .xLock = file_do_nothing,
        .xUnlock = file_do_nothing,
        .xCheckReservedLock = file_is_reserved,
        .xFileControl = file_control,
        .xSectorSize = file_nothing_special,
        .xDeviceCharacteristics = file_nothing_special,
    };
    const struct database_files *files = system->pAppData;
    struct file *self = (struct file *)base;
    bool is_main = flags & SQLITE_OPEN_MAIN_DB;
    (void)name;
    *self = (struct file){0};
    if (!is_main && !(flags & SQLITE_OPEN_WAL))
        return SQLITE_CANTOPEN;
    self->descriptor = is_main ? files->main : files->log;
    self->whole = is_main ? files->whole : 0;
    self->base.pMethods = &methods;
    if (flags_out)
        *flags_out = SQLITE_OPEN_READONLY | (is_main ? SQLITE_OPEN_MAIN_DB : SQLITE_OPEN_WAL);
    return SQLITE_OK;
}

static int system_delete(sqlite3_vfs *system, const char *name, int sync)
{
    (void)system, (void)name, (void)sync;
    return SQLITE_READONLY;
}

static int system_access(sqlite3_vfs *system, const char *name, int flags, int *result)
{
    const struct database_files *files = system->pAppData;
    size_t length = strlen(name);
    bool is_log = length > 4 && strcmp(name + length - 4, "-wal") == 0;
    *result = flags == SQLITE_ACCESS_EXISTS && is_log && files->log >= 0;
    return SQLITE_OK;
}

static int system_full_path(sqlite3_vfs *system, const char *name, int room, char *full)
{
    (void)system;
    sqlite3_snprintf(room, full, "%s", name);
    return SQLITE_OK;
}

static int system_sleep(sqlite3_vfs *system, int microseconds)
{
    (void)system;
    return microseconds;
}

static int system_randomness(sqlite3_vfs *system, int count, char *bytes)
{
    (void)system;
    memset(bytes, 0, (size_t)count); /* only writing asks for it */
    return count;
}

static int system_time(sqlite3_vfs *system, double *days)
{
    (void)system;
    *days = 2440587.5; /* 1970 */
    return SQLITE_OK;
}

static int system_error(sqlite3_vfs *system, int room, char *text)
{
    (void)system, (void)room, (void)text;
    return 0;
}

int database_files_open(struct database_files *self, sqlite3 **db)
{
    snprintf(self->name, sizeof self->name, "tpq-%p", (void *)self);
    self->system = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(struct file),
        .mxPathname = 64,
        .zName = self->name,
        .pAppData = self,
        .xOpen = system_open,
        .xDelete = system_delete,
        .xAccess = system_access,
        .xFullPathname = system_full_path,
        .xRandomness = system_randomness,
        .xSleep = system_sleep,
        .xCurrentTime = system_time,
        .xGetLastError = system_error,
    };
    *db = NULL;
    int result = sqlite3_vfs_register(&self->system, 0);
    if (result != SQLITE_OK)
        return result;
    result = sqlite3_open_v2("input", db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, self->name);
    sqlite3_vfs_unregister(&self->system);
    return result;
}
