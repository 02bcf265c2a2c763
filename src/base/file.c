/* file: see file.h. */
#include "src/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool file_read(const char *path, struct text *out, struct error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                         strerror(errno));
    char buffer[4096];
    size_t got;
    bool done = text_add(out, "", 0);
    while (done && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        done = text_add(out, buffer, got);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (!done)
        return error_memory(error);
    return !failed || error_set(error, STATUS_BAD_INPUT, "%s: cannot be read", path);
}

bool file_write(const char *path, struct view bytes, struct error *error)
{
    FILE *file = fopen(path, "wb");
    bool done = file && fwrite(bytes.bytes, 1, bytes.length, file) == bytes.length;
    done = (file && fclose(file) == 0) && done;
    return done ||
           error_set(error, STATUS_DATABASE, "%s: cannot be written: %s", path, strerror(errno));
}

bool file_make_folder(const char *path, struct error *error)
{
    struct stat status;
    if ((stat(path, &status) == 0 && S_ISDIR(status.st_mode)) || mkdir(path, 0777) == 0)
        return true;
    return error_set(error, STATUS_DATABASE, "%s: cannot be made a folder: %s", path,
                     strerror(errno == EEXIST ? ENOTDIR : errno));
}
