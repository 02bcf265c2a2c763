/* xlsx_file: see xlsx_file.h. */
#include "query/sink/xlsx_file.h"

#include "src/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool make_building(struct xlsx_file *self, struct error *error)
{
    struct text name = {0};
    if (!text_format(&name, "%s.XXXXXX", self->path)) {
        text_free(&name);
        return error_memory(error);
    }
    int file = mkostemp(name.items, O_CLOEXEC);
    if (file < 0) {
        xlsx_file_error(self, errno, error);
        text_free(&name);
        return false;
    }
    self->building = name.items;
    mode_t mask = umask(0);
    umask(mask);
    bool done = fchmod(file, 0666 & ~mask) == 0 || xlsx_file_error(self, errno, error);
    close(file);
    return done;
}

bool xlsx_file_open(struct xlsx_file *self, const char *path, bool overwrite, struct error *error)
{
    struct stat status;
    *self = (struct xlsx_file){.path = strdup(path), .overwrite = overwrite};
    char *copy = strdup(path);
    self->directory = copy ? strdup(dirname(copy)) : NULL;
    free(copy);
    if (!self->path || !self->directory)
        return error_memory(error);
    bool is_there = stat(path, &status) == 0;
    if (is_there && !S_ISREG(status.st_mode))
        return error_set(error, STATUS_DATABASE, "%s: is no file that can be overwritten", path);
    if (is_there && !overwrite)
        return error_exists(self, error);
    return make_building(self, error);
}

/* A file system that knows no renaming without replacement knows links, or neither. */
static bool give_name(const struct xlsx_file *self)
{
    if (self->overwrite)
        return rename(self->building, self->path) == 0;
    if (renameat2(AT_FDCWD, self->building, AT_FDCWD, self->path, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EINVAL || errno == ENOSYS)
        return access(self->path, F_OK) != 0 ? rename(self->building, self->path) == 0
                                             : (errno = EEXIST, false);
    return false;
}

bool xlsx_file_publish(struct xlsx_file *self, struct error *error)
{
    if (!give_name(self))
        return errno == EEXIST ? error_exists(self, error) : xlsx_file_error(self, errno, error);
    free(self->building);
    self->building = NULL;
    return true;
}

void xlsx_file_free(struct xlsx_file *self)
{
    if (self->building)
        unlink(self->building);
    free(self->building);
    free(self->path);
    free(self->directory);
    *self = (struct xlsx_file){0};
}
