/* archive: see archive.h. */
#include "query/compare/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Marks, sizes and places of the zip format (APPNOTE 4.3). */
enum {
    LOCAL_MARK = 0x04034B50,
    LOCAL_BYTES = 30,
    CENTRAL_MARK = 0x02014B50,
    CENTRAL_BYTES = 46,
    END_MARK = 0x06054B50,
    END_BYTES = 22,
    COMMENT_MAX = 65535,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
    MEMBERS_MAX = 65535,
};

#ifndef TPQ_SMALL_WINDOWS
enum { PIECE_BYTES = 64 << 10 };
#else
enum { PIECE_BYTES = 16 };
#endif

static uint32_t number_at(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static bool damaged(const struct archive *self, const char *why, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%s: the archive is damaged: %s", self->path, why);
}

/* Reads exactly so many bytes from a place. */
static bool read_at(const struct archive *self, int64_t place, void *bytes, size_t length,
                    struct error *error)
{
    if (place < 0 || place > self->size || (int64_t)length > self->size - place)
        return damaged(self, "it ends early", error);
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(self->file, (char *)bytes + done, length - done, place + (int64_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", self->path,
                             got < 0 ? strerror(errno) : "it ends early");
        done += (size_t)got;
    }
    return true;
}

/* ------------------------------------------------------------------ the list of members */

static bool add_member(struct archive *self, const unsigned char *entry, struct error *error)
{
    struct member *member = array_push(&self->members);
    *member = (struct member){
        .method = number_at(entry + 8, 2) & FLAG_ENCRYPTED ? UINT32_MAX : number_at(entry + 10, 2),
        .crc = number_at(entry + 16, 4),
        .packed = number_at(entry + 20, 4),
        .place = number_at(entry + 42, 4),
        .name = memory_part((const char *)entry + CENTRAL_BYTES, number_at(entry + 28, 2)),
    };
    return member->name || error_memory(error);
}

static bool read_list(struct archive *self, int64_t place, uint32_t bytes, struct error *error)
{
    if (place > self->size || bytes > self->size - place)
        return damaged(self, "its list of members is none", error);
    unsigned char *list = memory_take((size_t)bytes + 1);
    bool done = read_at(self, place, list, bytes, error);
    for (size_t at = 0; done && at + CENTRAL_BYTES <= bytes;) {
        const unsigned char *entry = list + at;
        size_t length = CENTRAL_BYTES + number_at(entry + 28, 2) + number_at(entry + 30, 2) +
                        (size_t)number_at(entry + 32, 2);
        done = number_at(entry, 4) == CENTRAL_MARK && length <= bytes - at &&
                       self->members.count < MEMBERS_MAX
                   ? add_member(self, entry, error)
                   : damaged(self, "its list of members is none", error);
        at += length;
    }
    memory_free(list);
    return done;
}

/* The mark stands at the end, before a comment of any length. */
static bool find_list(struct archive *self, struct error *error)
{
    size_t length = self->size < END_BYTES + COMMENT_MAX ? (size_t)self->size
                                                         : (size_t)(END_BYTES + COMMENT_MAX);
    unsigned char *bytes = memory_take(length + 1);
    bool done = true, found = false;
    done = read_at(self, self->size - (int64_t)length, bytes, length, error);
    for (size_t at = length < END_BYTES ? 0 : length - END_BYTES + 1; done && !found && at-- > 0;)
        if ((found = number_at(bytes + at, 4) == END_MARK))
            done = read_list(self, number_at(bytes + at + 16, 4), number_at(bytes + at + 12, 4),
                             error);
    memory_free(bytes);
    return done && (found || damaged(self, "it has no list of members", error));
}

bool archive_open(struct archive *self, const char *path, struct error *error)
{
    struct stat facts;
    unsigned char first[4];
    *self = (struct archive){.path = path, .file = open(path, O_RDONLY | O_CLOEXEC)};
    if (self->file < 0 || fstat(self->file, &facts) != 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                         strerror(errno));
    self->size = S_ISREG(facts.st_mode) ? (int64_t)facts.st_size : 0;
    if (self->size < (int64_t)sizeof first)
        return true;
    if (!read_at(self, 0, first, sizeof first, error))
        return false;
    return number_at(first, 4) != LOCAL_MARK || find_list(self, error);
}

void archive_close(struct archive *self)
{
    for (size_t i = 0; i < self->members.count; i++)
        memory_free(self->members.items[i].name);
    array_free(&self->members);
    if (self->file >= 0)
        close(self->file);
    self->file = -1;
}

const struct member *archive_find(const struct archive *self, const char *name)
{
    for (size_t i = 0; i < self->members.count; i++)
        if (strcmp(self->members.items[i].name, name) == 0)
            return &self->members.items[i];
    return NULL;
}

/* ------------------------------------------------------------------ one member */

struct reading {
    const struct archive *self;
    archive_take *take;
    void *context;
    struct error *error;
    z_stream inflater;
    uLong crc;
    unsigned char in[PIECE_BYTES], out[PIECE_BYTES];
};

static bool hand_out(struct reading *reading, const unsigned char *bytes, size_t length)
{
    reading->crc = crc32(reading->crc, bytes, (uInt)length);
    return !length || reading->take(reading->context, bytes, length, reading->error);
}

/* All that a piece of the file gives. */
static bool inflate_piece(struct reading *reading, size_t length, bool *ended)
{
    z_stream *inflater = &reading->inflater;
    inflater->next_in = reading->in;
    inflater->avail_in = (uInt)length;
    do {
        inflater->next_out = reading->out;
        inflater->avail_out = PIECE_BYTES;
        int result = inflate(inflater, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR)
            return error_memory(reading->error);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return damaged(reading->self, "a member is no deflate stream", reading->error);
        *ended = result == Z_STREAM_END;
        if (!hand_out(reading, reading->out, PIECE_BYTES - inflater->avail_out))
            return false;
    } while (!*ended && inflater->avail_out == 0);
    return true;
}

static bool read_pieces(struct reading *reading, const struct member *member, int64_t place)
{
    bool is_stored = member->method == METHOD_STORED, ended = is_stored, done = true;
    for (uint32_t left = member->packed; left && done && (is_stored || !ended);) {
        size_t length = left < PIECE_BYTES ? left : PIECE_BYTES;
        done = read_at(reading->self, place, reading->in, length, reading->error) &&
               (is_stored ? hand_out(reading, reading->in, length)
                          : inflate_piece(reading, length, &ended));
        place += (int64_t)length;
        left -= (uint32_t)length;
    }
    return done &&
           ((ended && reading->crc == member->crc) ||
            damaged(reading->self, "a member is not what its checksum says", reading->error));
}

bool archive_read(const struct archive *self, const struct member *member, archive_take *take,
                  void *context, struct error *error)
{
    unsigned char header[LOCAL_BYTES];
    if (member->method != METHOD_STORED && member->method != METHOD_DEFLATED)
        return damaged(self, "a member is encrypted, or packed in a way that is not known", error);
    if (!read_at(self, member->place, header, sizeof header, error))
        return false;
    if (number_at(header, 4) != LOCAL_MARK)
        return damaged(self, "a member is not where its list says", error);
    struct reading *reading = memory_zeroed(1, sizeof *reading);
    if (!reading)
        return error_memory(error);
    *reading = (struct reading){
        .self = self, .take = take, .context = context, .error = error, .crc = crc32(0, NULL, 0)};
    bool done = inflateInit2(&reading->inflater, -MAX_WBITS) == Z_OK || error_memory(error);
    if (done) {
        done = read_pieces(reading, member,
                           (int64_t)member->place + LOCAL_BYTES + number_at(header + 26, 2) +
                               number_at(header + 28, 2));
        inflateEnd(&reading->inflater);
    }
    memory_free(reading);
    return done;
}
