/* xlsx_file: the workbook is built beside its place and renamed when it is whole. A temporary file
 * is a stream with calls of its own, which keep the first reason for which one failed; open ones
 * stand in a list, so that none outlives the workbook.
 */
#include "query/sink/xlsx_file.h"

#include "src/base/file.h"
#include "src/base/number.h"
#include "src/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xlsxwriter.h>

/* ------------------------------------------------------------------ its name */

static bool error_exists(const struct xlsx_file *self, struct error *error)
{
    return error_set(error, STATUS_DATABASE, "%s: exists already (--force overwrites it)",
                     self->path);
}

bool xlsx_file_error(const struct xlsx_file *self, int reason, struct error *error)
{
    return error_set(error, STATUS_DATABASE, "%s: cannot be written: %s", self->path,
                     reason ? strerror(reason) : "the disk may be full");
}

/* The name that a workbook for standard output is written beside. */
static char *name_temporary(void)
{
    const char *directory = getenv("TMPDIR");
    struct text name = {0};
    text_format(&name, "%s/tpq.xlsx", directory && *directory ? directory : "/tmp");
    return name.items;
}

bool xlsx_file_open(struct xlsx_file *self, const char *path, bool overwrite, struct error *error)
{
    struct stat status;
    bool is_out = strcmp(path, "-") == 0;
    *self = (struct xlsx_file){.path = is_out ? name_temporary() : memory_text(path),
                               .overwrite = overwrite,
                               .is_out = is_out};
    char *copy = memory_text(self->path);
    self->directory = memory_text(dirname(copy));
    bool is_there = !is_out && stat(path, &status) == 0;
    if (is_there && !S_ISREG(status.st_mode))
        return error_set(error, STATUS_DATABASE, "%s: is no file that can be overwritten", path);
    if (is_there && !overwrite)
        return error_exists(self, error);
    struct text name = {0};
    int file = file_begin(self->path, &name, error);
    if (file < 0)
        return false;
    self->building = name.items;
    close(file);
    return true;
}

/* A file system that knows no renaming without replacement knows links, or neither. */
static bool give_name(const struct xlsx_file *self)
{
    if (self->overwrite)
        return rename(self->building, self->path) == 0;
    if (renameat2(AT_FDCWD, self->building, AT_FDCWD, self->path, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EINVAL || errno == ENOSYS) {
        if (access(self->path, F_OK) != 0)
            return rename(self->building, self->path) == 0;
        errno = EEXIST;
        return false;
    }
    return false;
}

bool xlsx_file_publish(struct xlsx_file *self, struct error *error)
{
    if (self->is_out) {
        /* The finished file goes to standard output in place of a name. */
        char bytes[1 << 16];
        size_t count;
        FILE *in = fopen(self->building, "rb");
        bool done = in != NULL;
        while (done && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
            done = fwrite(bytes, 1, count, stdout) == count;
        done = done && !ferror(in) && fflush(stdout) == 0;
        int reason = errno;
        if (in)
            fclose(in);
        return done || error_set(error, STATUS_DATABASE, "standard output cannot be written: %s",
                                 strerror(reason));
    }
    if (!give_name(self))
        return errno == EEXIST ? error_exists(self, error) : xlsx_file_error(self, errno, error);
    self->building = NULL;
    return true;
}

void xlsx_file_free(struct xlsx_file *self)
{
    if (self->building)
        unlink(self->building);
    self->building = NULL;
}

/* ------------------------------------------------------------------ what is in it */

/* Constants of the zip format, APPNOTE 4.3; there is no comment at the end. */
enum {
    END_BYTES = 22,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
};

/* Bytes of the member at `at`, which `entry` of the directory is about; 0: it is not there. */
static off_t member_bytes(FILE *file, off_t at, const unsigned char *entry)
{
    unsigned char local[LOCAL_BYTES];
    bool is_there =
        little_endian32(entry, 4) == 0x02014B50 && (off_t)little_endian32(entry + 42, 4) == at &&
        fseeko(file, at, SEEK_SET) == 0 && fread(local, 1, LOCAL_BYTES, file) == LOCAL_BYTES &&
        little_endian32(local, 4) == 0x04034B50 &&
        memcmp(local + 14, entry + 16, 12) == 0; /* checksum and sizes */
    return is_there ? (off_t)LOCAL_BYTES + little_endian32(local + 26, 2) +
                          little_endian32(local + 28, 2) + little_endian32(entry + 20, 4)
                    : 0;
}

static bool members_are_there(FILE *file, const unsigned char *directory, size_t length,
                              off_t start)
{
    size_t at = 0;
    off_t member = 0, bytes = 1;
    while (at + ENTRY_BYTES <= length && bytes) {
        const unsigned char *entry = directory + at;
        member += bytes = member_bytes(file, member, entry);
        at += ENTRY_BYTES + little_endian32(entry + 28, 2) + little_endian32(entry + 30, 2) +
              little_endian32(entry + 32, 2);
    }
    return at == length && member == start;
}

bool xlsx_file_is_whole(const struct xlsx_file *self)
{
    unsigned char end[END_BYTES] = {0};
    FILE *file = fopen(self->building, "rb");
    if (!file)
        return false;
    bool done = fseeko(file, -END_BYTES, SEEK_END) == 0 &&
                fread(end, 1, END_BYTES, file) == END_BYTES &&
                little_endian32(end, 4) == 0x06054B50;
    off_t place = ftello(file) - END_BYTES;
    uint32_t length = little_endian32(end + 12, 4), start = little_endian32(end + 16, 4);
    bool is_large = done && start == UINT32_MAX;
    done = done && (off_t)start + length == place && fseeko(file, (off_t)start, SEEK_SET) == 0;
    unsigned char *directory = done ? memory_take(length) : NULL;
    done = directory && fread(directory, 1, length, file) == length;
    if (done)
        done = members_are_there(file, directory, length, (off_t)start);
    fclose(file);
    return done || is_large;
}

/* ------------------------------------------------------------------ temporary files of the library
 */

struct xlsx_temporary {
    struct xlsx_temporaries *files;
    struct xlsx_temporary *next, **link;
    FILE *stream;
    int file;
    off_t at, size;
};

static void note_reason(struct xlsx_temporaries *files, int reason)
{
    if (!files->reason)
        files->reason = reason;
}

/* ------------------------------------------------------------------ calls of the stream */

static ssize_t write_all(void *cookie, const char *bytes, size_t count)
{
    struct xlsx_temporary *self = cookie;
    size_t done = 0;
    while (done < count) {
        ssize_t got = pwrite(self->file, bytes + done, count - done, self->at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            note_reason(self->files, got < 0 ? errno : ENOSPC);
            return 0;
        }
        done += (size_t)got;
    }
    self->at += (off_t)count;
    if (self->at > self->size)
        self->size = self->at;
    return (ssize_t)count;
}

static ssize_t read_all(void *cookie, char *bytes, size_t count)
{
    struct xlsx_temporary *self = cookie;
    size_t done = 0;
    while (done < count && self->at < self->size) {
        ssize_t got = pread(self->file, bytes + done, count - done, self->at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            note_reason(self->files, got < 0 ? errno : EIO);
            return -1;
        }
        done += (size_t)got;
        self->at += got;
    }
    return (ssize_t)done;
}

static int seek(void *cookie, off64_t *offset, int whence)
{
    struct xlsx_temporary *self = cookie;
    off_t at = *offset + (whence == SEEK_CUR ? self->at : whence == SEEK_END ? self->size : 0);
    if (at < 0) {
        note_reason(self->files, EINVAL);
        return -1;
    }
    *offset = self->at = at;
    return 0;
}

/* The content is elsewhere by now, or of no use. */
static int close_file(void *cookie)
{
    struct xlsx_temporary *self = cookie;
    *self->link = self->next;
    if (self->next)
        self->next->link = self->link;
    close(self->file);
    memory_free(self);
    return 0;
}

/* ------------------------------------------------------------------ opening them */

static _Thread_local struct xlsx_temporaries *at_work;

void xlsx_temporaries_begin(struct xlsx_temporaries *self)
{
    at_work = self;
}

void xlsx_temporaries_pause(void)
{
    at_work = NULL;
}

/* -1: errno says why. */
static int open_nameless(const char *directory)
{
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return file;
    struct text name = {0};
    text_format(&name, "%s/tmp.XXXXXX", directory);
    file = mkostemp(name.items, O_CLOEXEC);
    if (file >= 0)
        unlink(name.items);
    return file;
}

/* Replaces the library's function of this name, as the loader finds this one first. NULL: no file
 * could be opened. */
__attribute__((visibility("default"))) FILE *lxw_tmpfile(char *tmpdir)
{
    static const cookie_io_functions_t calls = {read_all, write_all, seek, close_file};
    (void)tmpdir;
    struct xlsx_temporaries *files = at_work;
    struct xlsx_temporary *self = files ? memory_take(sizeof *self) : NULL;
    if (!self) {
        if (files)
            note_reason(files, ENOMEM);
        return NULL;
    }
    *self = (struct xlsx_temporary){.files = files, .next = files->open, .link = &files->open};
    self->file = open_nameless(files->directory);
    self->stream = self->file >= 0 ? fopencookie(self, "w+", calls) : NULL;
    if (!self->stream) {
        note_reason(files, errno);
        if (self->file >= 0)
            close(self->file);
        memory_free(self);
        return NULL;
    }
    if (self->next)
        self->next->link = &self->next;
    return (files->open = self)->stream;
}

void xlsx_temporaries_free(struct xlsx_temporaries *self)
{
    while (self->open)
        fclose(self->open->stream);
}
