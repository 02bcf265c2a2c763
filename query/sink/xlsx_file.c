/* xlsx_file: see xlsx_file.h. */
#include "query/sink/xlsx_file.h"

#include "src/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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

/* ------------------------------------------------------------------ what is in it */

/* Of the zip format, APPNOTE 4.3; there is no comment at the end and no encryption. */
enum {
    END_BYTES = 22,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    INPUT_BYTES = 1 << 16,
    OUTPUT_BYTES = 1 << 17,
    SMALL_BYTES = 1 << 20,
};

static uint32_t get(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    while (count--)
        value = value << 8 | bytes[count];
    return value;
}

/* Whether a member, deflated at the file's position, ends with `end` (at most 31 bytes). */
static bool member_ends_with(FILE *file, const char *end)
{
    unsigned char *input = malloc(INPUT_BYTES), *output = malloc(OUTPUT_BYTES);
    char tail[32] = "";
    size_t kept = strlen(end);
    z_stream stream = {0};
    int result = input && output ? inflateInit2(&stream, -MAX_WBITS) : Z_MEM_ERROR;
    bool started = result == Z_OK;
    while (result == Z_OK) {
        if (stream.avail_in == 0) {
            stream.next_in = input;
            stream.avail_in = (unsigned)fread(input, 1, INPUT_BYTES, file);
        }
        stream.next_out = output;
        stream.avail_out = OUTPUT_BYTES;
        result = inflate(&stream, Z_NO_FLUSH);
        size_t got = OUTPUT_BYTES - stream.avail_out, more = got < kept ? got : kept;
        memmove(tail, tail + more, kept - more);
        memcpy(tail + kept - more, output + got - more, more);
    }
    if (started)
        inflateEnd(&stream);
    free(input);
    free(output);
    return result == Z_STREAM_END && memcmp(tail, end, kept) == 0;
}

/* `entry` is a member in the archive's directory. */
static bool worksheet_is_whole(FILE *file, const unsigned char *entry)
{
    unsigned char local[LOCAL_BYTES];
    uint32_t offset = get(entry + 42, 4);
    if (offset == UINT32_MAX) /* beyond 4 GB: what came after it is whole */
        return true;
    if (fseeko(file, (off_t)offset, SEEK_SET) != 0 || fread(local, 1, LOCAL_BYTES, file) == 0)
        return false;
    off_t start = (off_t)offset + LOCAL_BYTES + get(local + 26, 2) + get(local + 28, 2);
    return fseeko(file, start, SEEK_SET) == 0 && member_ends_with(file, "</worksheet>");
}

static bool worksheets_are_whole(FILE *file, const unsigned char *directory, size_t length,
                                 double bytes)
{
    static const char folder[] = "xl/worksheets/sheet";
    size_t at = 0;
    double sum = 0;
    while (at + ENTRY_BYTES <= length) {
        const unsigned char *entry = directory + at;
        size_t name = get(entry + 28, 2);
        at += ENTRY_BYTES + name + get(entry + 30, 2) + get(entry + 32, 2);
        bool is_worksheet = at <= length && name > sizeof folder &&
                            memcmp(entry + ENTRY_BYTES, folder, sizeof folder - 1) == 0;
        uint32_t size = get(entry + 24, 4);
        if (is_worksheet && size < SMALL_BYTES && !worksheet_is_whole(file, entry))
            return false;
        if (is_worksheet)
            sum += size == UINT32_MAX ? HUGE_VAL : size; /* beyond 4 GB */
    }
    return at == length && sum >= bytes;
}

bool xlsx_file_is_whole(const struct xlsx_file *self, double bytes)
{
    unsigned char end[END_BYTES] = {0};
    FILE *file = fopen(self->building, "rb");
    if (!file)
        return false;
    bool done = fseeko(file, -END_BYTES, SEEK_END) == 0 &&
                fread(end, 1, END_BYTES, file) == END_BYTES && get(end, 4) == 0x06054B50;
    off_t place = ftello(file) - END_BYTES;
    size_t length = done ? get(end + 12, 4) : 0;
    unsigned char *directory = done && (off_t)length <= place ? malloc(length + 1) : NULL;
    uint32_t start = get(end + 16, 4);
    done = directory &&
           (start == UINT32_MAX || (fseeko(file, (off_t)start, SEEK_SET) == 0 &&
                                    fread(directory, 1, length, file) == length &&
                                    worksheets_are_whole(file, directory, length, bytes)));
    free(directory);
    fclose(file);
    return done;
}
