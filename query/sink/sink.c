/* sink: what the sinks share. */
#include "query/sink/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *sink_new(size_t size, struct sink base, struct error *error)
{
    (void)error;
    struct sink *self = memory_zeroed(1, size);
    *self = base;
    return self;
}

bool sink_check_stream(FILE *out, const char *name, struct error *error)
{
    if (fflush(out) == 0 && !ferror(out))
        return true;
    return error_set(error, STATUS_DATABASE, "%s cannot be written: %s", name, strerror(errno));
}

bool sink_check_terminal(const char *verb, const char *option, struct error *error)
{
    return !isatty(STDOUT_FILENO) ||
           error_set(error, STATUS_USAGE,
                     "tpq %s: --%s does not write to a terminal; name a file by --%s=FILE", verb,
                     option, option);
}

bool sink_is_same_file(const char *left, const char *right)
{
    struct stat one, other;
    return stat(left, &one) == 0 && stat(right, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool sink_check_path(const char *path, const char *const *inputs, struct error *error)
{
    for (; inputs && *inputs; inputs++)
        if (strcmp(path, *inputs) == 0 || sink_is_same_file(path, *inputs))
            return error_set(error, STATUS_USAGE, "%s is an input and is not written over", path);
    return true;
}
