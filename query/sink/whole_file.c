/* whole_file: see whole_file.h. */
#include "query/sink/whole_file.h"

#include "src/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

/* Text is handed on in pieces of about this size. */
enum { PIECE = 1 << 16 };

static bool is_output(const struct whole_file *self)
{
    return strcmp(self->path, "-") == 0;
}

static bool error_write(const struct whole_file *self)
{
    return error_set(self->error, STATUS_DATABASE, "%s: cannot be written: %s",
                     is_output(self) ? "standard output" : self->path,
                     errno ? strerror(errno) : "the disk may be full");
}

bool whole_file_open(struct whole_file *self, const char *path, enum packing packing,
                     struct error *error)
{
    *self = (struct whole_file){.path = path, .error = error};
    fflush(stdout);
    int file = is_output(self) ? dup(STDOUT_FILENO) : file_begin(path, &self->building, error);
    if (file < 0)
        return is_output(self) ? error_write(self) : false;
    static const char *const modes[] = {"wbT", "wb4", "wb6"}; /* by enum packing */
    errno = 0;
    self->stream = gzdopen(file, modes[packing]);
    if (self->stream) {
        text_reserve(&self->text, PIECE); /* whoever grows it, it is the file's */
        return true;
    }
    errno = errno ? errno : ENOMEM;
    error_write(self);
    close(file);
    return whole_file_close(self, false);
}

static bool flush(struct whole_file *self)
{
    errno = 0;
    if (self->text.count &&
        gzwrite(self->stream, self->text.items, (unsigned)self->text.count) <= 0)
        return error_write(self);
    text_clear(&self->text);
    return true;
}

bool whole_file_spill(struct whole_file *self)
{
    return self->text.count < PIECE || flush(self);
}

bool whole_file_close(struct whole_file *self, bool done)
{
    done = done && flush(self);
    if (self->stream) {
        errno = 0;
        bool closed = gzclose(self->stream) == Z_OK;
        done = done && (closed || error_write(self));
    }
    if (done && self->building.count)
        done = rename(self->building.items, self->path) == 0 || error_write(self);
    if (!done && self->building.count)
        unlink(self->building.items);
    return done;
}
