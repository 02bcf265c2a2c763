/* xlsx_temporary: see xlsx_temporary.h. */
#include "query/sink/xlsx_temporary.h"

#include "src/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xlsxwriter.h>

struct xlsx_temporary {
    struct xlsx_temporaries *files;
    struct xlsx_temporary *next, **link;
    FILE *stream;
    int file;
    off_t at, size;
};

static void note(struct xlsx_temporaries *files, int reason)
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
            note(self->files, got < 0 ? errno : ENOSPC);
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
            note(self->files, got < 0 ? errno : EIO);
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
        note(self->files, EINVAL);
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
    text_free(&name);
    return file;
}

/* The library's function of this name, in the place of which it finds this one when it is loaded;
 * NULL: none could be opened. */
__attribute__((visibility("default"))) FILE *lxw_tmpfile(char *tmpdir)
{
    static const cookie_io_functions_t calls = {read_all, write_all, seek, close_file};
    (void)tmpdir;
    struct xlsx_temporaries *files = at_work;
    struct xlsx_temporary *self = files ? memory_take(sizeof *self) : NULL;
    if (!self) {
        if (files)
            note(files, ENOMEM);
        return NULL;
    }
    *self = (struct xlsx_temporary){.files = files, .next = files->open, .link = &files->open};
    self->file = open_nameless(files->directory);
    self->stream = self->file >= 0 ? fopencookie(self, "w+", calls) : NULL;
    if (!self->stream) {
        note(files, errno);
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
