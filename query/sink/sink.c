/* sink: what the sinks share. */
#include "query/sink/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *sink_new(size_t size, struct sink base)
{
    struct sink *self = memory_zeroed(1, size);
    *self = base;
    return self;
}

bool sink_finish(struct sink *self, struct error *error)
{
    return (!self->finish || self->finish(self, error)) &&
           (!self->out || sink_check_stream(self->out, "the output", error));
}

void sink_free(struct sink *self)
{
    if (self && self->free)
        self->free(self);
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

/* ------------------------------------------------------------------ a sink that counts */

static bool counted_begin(struct sink *base, const struct sheet *sheet, struct error *error)
{
    struct counted_sink *self = (struct counted_sink *)base;
    self->is_counting = !self->only || (sheet->name && strcmp(self->only, sheet->name) == 0);
    self->sheets += self->is_counting;
    return self->to->begin(self->to, sheet, error);
}

static bool counted_row(struct sink *base, const struct cell *cells, struct error *error)
{
    struct counted_sink *self = (struct counted_sink *)base;
    self->rows += self->is_counting;
    return self->to->row(self->to, cells, error);
}

static bool counted_footer(struct sink *base, const struct cell *cells, struct error *error)
{
    struct counted_sink *self = (struct counted_sink *)base;
    return self->to->footer(self->to, cells, error);
}

static bool counted_end(struct sink *base, struct error *error)
{
    struct counted_sink *self = (struct counted_sink *)base;
    return self->to->end(self->to, error);
}

static bool counted_finish(struct sink *base, struct error *error)
{
    struct counted_sink *self = (struct counted_sink *)base;
    return sink_finish(self->to, error);
}

static bool counted_passes(struct sink *base, const char *tab)
{
    struct counted_sink *self = (struct counted_sink *)base;
    bool passes = self->to->passes(self->to, tab);
    self->has_passed |= passes;
    return passes;
}

static void counted_free(struct sink *base)
{
    sink_free(((struct counted_sink *)base)->to);
}

struct counted_sink *sink_counted(struct sink *to, const char *only)
{
    struct sink base = *to;
    base.begin = counted_begin;
    base.row = counted_row;
    base.end = counted_end;
    base.finish = counted_finish;
    base.free = counted_free;
    base.footer = to->footer ? counted_footer : NULL;
    base.passes = to->passes ? counted_passes : NULL;
    struct counted_sink *self = sink_new(sizeof *self, base);
    self->to = to;
    self->only = only;
    return self;
}
