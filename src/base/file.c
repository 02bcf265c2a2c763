/* file: a new file is written under a name of its own beside the old one and takes its place when
 * it is whole, so readers see the old or the new. A duty of the attempt removes a name of a file
 * that is never finished. */
#include "src/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *file_open_plain(const char *path, struct error *error)
{
    struct stat status;
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
    FILE *file = number >= 0 && fstat(number, &status) == 0 ? fdopen(number, "rb") : NULL;
    if (!file)
        error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    if (!file && number >= 0)
        close(number);
    if (!file || S_ISREG(status.st_mode))
        return file;
    error_set(error, STATUS_BAD_INPUT, "%s: is no plain file", path);
    fclose(file);
    return NULL;
}

bool file_read(const char *path, struct text *out, struct error *error)
{
    FILE *file = file_open_plain(path, error);
    if (!file)
        return false;
    char buffer[4096];
    size_t got;
    text_add(out, "", 0);
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add(out, buffer, got);
    bool failed = ferror(file) != 0;
    fclose(file);
    return !failed || error_set(error, STATUS_BAD_INPUT, "%s: cannot be read", path);
}

static bool error_write(const char *path, struct error *error)
{
    return error_set(error, STATUS_DATABASE, "%s: cannot be written: %s", path, strerror(errno));
}

/* A new file that was given no other name. */
static void remove_building(void *name)
{
    unlink(name);
}

int file_begin(const char *path, struct text *building, struct error *error)
{
    /* A device, or what leads to an output of a process, keeps its name. */
    static const char processes[] = "/proc/";
    char target[sizeof processes - 1];
    struct stat status;
    if ((stat(path, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) ||
        (readlink(path, target, sizeof target) == (ssize_t)sizeof target &&
         memcmp(target, processes, sizeof target) == 0)) {
        error_set(error, STATUS_DATABASE, "%s: is no file that can be overwritten", path);
        return -1;
    }
    text_format(building, "%s.XXXXXX", path);
    char *name = memory_text(building->items);
    int file = mkostemp(building->items, O_CLOEXEC);
    if (!memory_at_end(remove_building, strcpy(name, building->items)))
        memory_free(name);
    mode_t mask = umask(0);
    umask(mask);
    if (file >= 0 && fchmod(file, 0666 & ~mask) == 0)
        return file;
    error_write(path, error);
    if (file >= 0) {
        close(file);
        unlink(building->items);
    }
    text_clear(building);
    return -1;
}

bool file_write(const char *path, struct view bytes, struct error *error)
{
    struct text building = {0};
    int number = file_begin(path, &building, error);
    FILE *file = number >= 0 ? fdopen(number, "wb") : NULL;
    bool done = file && fwrite(bytes.bytes, 1, bytes.length, file) == bytes.length;
    done = (file ? fclose(file) == 0 : number >= 0 && close(number) == 0) && done;
    done = done && rename(building.items, path) == 0;
    if (!done && number >= 0) {
        error_write(path, error);
        unlink(building.items);
    }
    text_free(&building);
    return done;
}

bool new_file_open(struct new_file *self, const char *path, struct error *error)
{
    *self = (struct new_file){.path = memory_text(path)};
    int number = file_begin(path, &self->building, error);
    self->out = number >= 0 ? fdopen(number, "wb") : NULL;
    if (self->out)
        return true;
    if (number >= 0) {
        error_write(path, error);
        close(number);
        unlink(self->building.items);
    }
    memory_free(self->path);
    text_free(&self->building);
    *self = (struct new_file){0};
    return false;
}

bool new_file_close(struct new_file *self, bool done, struct error *error)
{
    bool is_whole = fflush(self->out) == 0 && !ferror(self->out);
    is_whole = fclose(self->out) == 0 && is_whole;
    if (done)
        done = (is_whole && rename(self->building.items, self->path) == 0) ||
               error_write(self->path, error);
    if (!done)
        unlink(self->building.items);
    memory_free(self->path);
    text_free(&self->building);
    *self = (struct new_file){0};
    return done;
}

static bool error_folder(const char *path, const char *why, struct error *error)
{
    return error_set(error, STATUS_DATABASE, "%s: cannot be made a folder: %s", path, why);
}

bool file_make_folder(const char *path, struct error *error)
{
    if (mkdir(path, 0777) == 0)
        return true;
    int why = errno; /* asked afterwards: another process may make it meanwhile */
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    return error_folder(path, strerror(why == EEXIST ? ENOTDIR : why), error);
}

bool file_make_own_folder(const char *path, struct error *error)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return error_folder(path, "it is a link, and is not written through", error);
    return file_make_folder(path, error);
}

char *file_real_path(const char *path)
{
    char place[PATH_MAX];
    bool is_there = realpath(path, place);
    if (!is_there && errno == ENOMEM)
        memory_fail();
    return is_there ? memory_text(place) : NULL;
}
