/* decode: see decode.h.
 *
 * The file is read in pieces of INPUT_BYTES. `step` names what comes next: for gzip a member,
 * for zip the one member and then whatever must follow it. A failure is kept until the bytes
 * before it have been handed out, so how much of a damaged file comes out depends on the file only.
 */
#include "ingest/input/decode.h"

#include "src/base/memory.h"
#include "src/base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Sizes and marks of the zip format (APPNOTE 4.3). */
enum {
    ZIP_LOCAL_HEADER = 0x04034B50,
    ZIP_DESCRIPTOR = 0x08074B50,
    ZIP_CENTRAL_HEADER = 0x02014B50,
    ZIP_LOCAL_HEADER_BYTES = 30,
    ZIP_FIELD_BYTES_MAX = 65535, /* of a name, and of an extra field */
    ZIP_METHOD_STORED = 0,
    ZIP_METHOD_DEFLATE = 8,
    ZIP_FLAG_ENCRYPTED = 1,
    ZIP_FLAG_DESCRIPTOR = 8,
};

/* A zip header with all its fields must fit: it is looked at in one piece. */
enum { INPUT_BYTES = 192 << 10 };
_Static_assert(INPUT_BYTES >= ZIP_LOCAL_HEADER_BYTES + 2 * ZIP_FIELD_BYTES_MAX,
               "the longest zip header fits");

enum kind { KIND_PLAIN, KIND_GZIP, KIND_ZIP };
enum step { STEP_MEMBER, STEP_DONE, STEP_FAILED };

struct decoder {
    int file;
    const char *path;
    enum kind kind;
    enum step step;
    bool truncated;
    bool input_ended;
    size_t position, end;       /* of the unread part of `input` */
    _Atomic int64_t file_bytes; /* looked at while a pump reads */
    z_stream inflater;
    bool inflater_ready;
    bool zip_stored, zip_descriptor;
    uint64_t zip_stored_left;
    uint32_t zip_crc, zip_expected_crc;
    struct error failure; /* of STEP_FAILED */
    unsigned char input[INPUT_BYTES];
};

static bool read_more(struct decoder *self, struct error *error)
{
    if (self->input_ended)
        return true;
    if (self->position > 0) {
        memmove(self->input, self->input + self->position, self->end - self->position);
        self->end -= self->position;
        self->position = 0;
    }
    if (self->end == INPUT_BYTES)
        return true;
    ssize_t got;
    do
        got = read(self->file, self->input + self->end, INPUT_BYTES - self->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", self->path,
                         strerror(errno));
    self->input_ended = got == 0;
    self->end += (size_t)got;
    self->file_bytes += got;
    return true;
}

/* Sees to it that `count` unread bytes are there, if the file has them. */
static bool have(struct decoder *self, size_t count, struct error *error)
{
    while (self->end - self->position < count && !self->input_ended)
        if (!read_more(self, error))
            return false;
    return true;
}

static bool cut_short(struct decoder *self, struct error *error)
{
    self->truncated = true;
    return error_set(error, STATUS_BAD_INPUT,
                     "%s: the compressed data ends early, at byte %lld of the file", self->path,
                     (long long)self->file_bytes);
}

static bool corrupt(struct decoder *self, const char *why, struct error *error)
{
    long long place = self->file_bytes - (int64_t)(self->end - self->position);
    return error_set(error, STATUS_BAD_INPUT,
                     "%s: the compressed data is damaged near byte %lld: %s", self->path, place,
                     why);
}

static void inflater_start(struct decoder *self, int window_bits)
{
    int result = self->inflater_ready ? inflateReset(&self->inflater)
                                      : inflateInit2(&self->inflater, window_bits);
    if (result != Z_OK)
        memory_fail();
    self->inflater_ready = true;
}

/* Behind the only member: its descriptor, if any, then the central directory. */
static bool zip_finish(struct decoder *self, struct error *error)
{
    self->step = STEP_DONE;
    enum { LONGEST = 28 }; /* a wide descriptor with its mark, and the next mark */
    if (!have(self, LONGEST, error))
        return false;
    size_t left = self->end - self->position;
    bool near_end = left < LONGEST;
    const unsigned char *bytes = self->input + self->position;
    if (self->zip_descriptor) {
        size_t mark = left >= 4 && little_endian32(bytes, 4) == ZIP_DESCRIPTOR ? 4 : 0;
        if (left < mark + 12)
            return cut_short(self, error);
        self->zip_expected_crc = little_endian32(bytes + mark, 4);
        size_t narrow = mark + 12, wide = mark + 20; /* 32-bit or 64-bit sizes */
        bool is_wide = left >= wide + 4 &&
                       little_endian32(bytes + narrow, 4) != ZIP_CENTRAL_HEADER &&
                       little_endian32(bytes + narrow, 4) != ZIP_LOCAL_HEADER;
        size_t skip = is_wide ? wide : narrow;
        bytes += skip;
        left -= skip;
    }
    if (self->zip_crc != self->zip_expected_crc)
        return corrupt(self, "checksum mismatch", error);
    if (left < 4)
        return cut_short(self, error);
    if (little_endian32(bytes, 4) != ZIP_CENTRAL_HEADER)
        return near_end ? cut_short(self, error)
                        : corrupt(self, "the zip archive has more than one member", error);
    return true;
}

/* The name of a compression that is known but not supported, or NULL. */
static const char *foreign_compression(const unsigned char *bytes, size_t length)
{
    static const struct {
        const char mark[7], *name;
    } known[] = {
        {"\x28\xB5\x2F\xFD", "zstd"},
        {"BZh", "bzip2"},
        {"\xFD\x37zXZ", "xz"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t size = strlen(known[i].mark);
        if (length >= size && memcmp(bytes, known[i].mark, size) == 0)
            return known[i].name;
    }
    return NULL;
}

struct decoder *decoder_open(int file, const char *path, struct error *error)
{
    struct decoder *self = memory_zeroed(1, sizeof *self);
    self->file = file;
    self->path = path;
    if (!have(self, 6, error))
        goto fail;
    const unsigned char *first = self->input;
    if (self->end >= 2 && first[0] == 0x1F && first[1] == 0x8B) {
        self->kind = KIND_GZIP;
        inflater_start(self, MAX_WBITS + 16);
    } else if (self->end >= 4 && little_endian32(first, 4) == ZIP_LOCAL_HEADER) {
        self->kind = KIND_ZIP;
        if (!have(self, ZIP_LOCAL_HEADER_BYTES, error))
            goto fail;
        if (self->end - self->position < ZIP_LOCAL_HEADER_BYTES) {
            cut_short(self, error);
            goto fail;
        }
        const unsigned char *header = self->input + self->position;
        uint32_t flags = little_endian32(header + 6, 2), method = little_endian32(header + 8, 2);
        uint32_t size = little_endian32(header + 18, 4);
        size_t skip = ZIP_LOCAL_HEADER_BYTES + little_endian32(header + 26, 2) +
                      (size_t)little_endian32(header + 28, 2);
        self->zip_expected_crc = little_endian32(header + 14, 4);
        self->zip_descriptor = flags & ZIP_FLAG_DESCRIPTOR;
        self->zip_stored = method == ZIP_METHOD_STORED;
        self->zip_stored_left = size;
        self->zip_crc = (uint32_t)crc32(0, NULL, 0);
        if (flags & ZIP_FLAG_ENCRYPTED) {
            corrupt(self, "the zip archive is encrypted", error);
            goto fail;
        }
        if ((method != ZIP_METHOD_DEFLATE && !self->zip_stored) ||
            (self->zip_stored && (self->zip_descriptor || size == UINT32_MAX))) {
            corrupt(self, "the zip archive uses a method that is not supported", error);
            goto fail;
        }
        if (!have(self, skip, error))
            goto fail;
        if (self->end - self->position < skip) {
            cut_short(self, error);
            goto fail;
        }
        self->position += skip;
        if (!self->zip_stored)
            inflater_start(self, -MAX_WBITS);
    } else {
        const char *foreign = foreign_compression(first, self->end);
        if (foreign) {
            error_set(error, STATUS_BAD_INPUT,
                      "%s: compressed with %s, which is not supported: decompress it first", path,
                      foreign);
            goto fail;
        }
    }
    return self;
fail:
    decoder_close(self);
    return NULL;
}

void decoder_close(struct decoder *self)
{
    if (!self)
        return;
    if (self->inflater_ready)
        inflateEnd(&self->inflater);
    memory_free(self);
}

/* After a gzip member: another one, zero padding, or the end. */
static bool gzip_next(struct decoder *self, struct error *error)
{
    if (!have(self, 2, error))
        return false;
    const unsigned char *bytes = self->input + self->position;
    if (self->end - self->position >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B) {
        inflater_start(self, MAX_WBITS + 16);
        return true;
    }
    if (self->end - self->position == 1 && bytes[0] == 0x1F)
        return cut_short(self, error);
    self->step = STEP_DONE;
    do {
        for (; self->position < self->end; self->position++)
            if (self->input[self->position] != 0)
                return corrupt(self, "something that is not gzip follows the compressed data",
                               error);
        if (!read_more(self, error))
            return false;
    } while (!self->input_ended);
    return true;
}

/* One round of inflation. Also when it fails, `*made` bytes are good. */
static bool inflate_some(struct decoder *self, void *buffer, size_t room, size_t *made,
                         struct error *error)
{
    if (!have(self, 1, error))
        return false;
    z_stream *inflater = &self->inflater;
    inflater->next_in = self->input + self->position;
    inflater->avail_in = (uInt)(self->end - self->position);
    inflater->next_out = buffer;
    inflater->avail_out = room > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)room;
    uInt before = inflater->avail_out;
    int result = inflate(inflater, Z_NO_FLUSH);
    *made = before - inflater->avail_out;
    self->position = self->end - inflater->avail_in;
    if (self->kind == KIND_ZIP)
        self->zip_crc = (uint32_t)crc32(self->zip_crc, buffer, (uInt)*made);
    if (result == Z_STREAM_END) {
        if (self->kind == KIND_GZIP)
            return gzip_next(self, error);
        return zip_finish(self, error);
    }
    if (result == Z_MEM_ERROR)
        return error_memory(error);
    if (result != Z_OK && result != Z_BUF_ERROR)
        return corrupt(self, inflater->msg ? inflater->msg : "not a deflate stream", error);
    if (*made == 0 && self->position == self->end && self->input_ended)
        return cut_short(self, error);
    return true;
}

static bool copy_stored(struct decoder *self, void *buffer, size_t room, size_t *made,
                        struct error *error)
{
    if (!have(self, 1, error))
        return false;
    size_t count = self->end - self->position;
    if (count == 0 && self->zip_stored_left > 0)
        return cut_short(self, error);
    if (count > room)
        count = room;
    if (count > self->zip_stored_left)
        count = (size_t)self->zip_stored_left;
    memcpy(buffer, self->input + self->position, count);
    self->position += count;
    self->zip_stored_left -= count;
    self->zip_crc = (uint32_t)crc32(self->zip_crc, buffer, (uInt)count);
    *made = count;
    return self->zip_stored_left > 0 || zip_finish(self, error);
}

ptrdiff_t decoder_read(struct decoder *self, void *buffer, size_t room, struct error *error)
{
    if (self->kind == KIND_PLAIN) {
        size_t held = self->end - self->position;
        if (held > 0) {
            size_t count = held < room ? held : room;
            memcpy(buffer, self->input + self->position, count);
            self->position += count;
            return (ptrdiff_t)count;
        }
        ssize_t got;
        do
            got = read(self->file, buffer, room);
        while (got < 0 && errno == EINTR);
        if (got < 0) {
            error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", self->path,
                      strerror(errno));
            return -1;
        }
        self->file_bytes += got;
        return got;
    }
    while (self->step == STEP_MEMBER) {
        size_t made = 0;
        bool fine;
        if (self->zip_stored)
            fine = copy_stored(self, buffer, room, &made, &self->failure);
        else
            fine = inflate_some(self, buffer, room, &made, &self->failure);
        if (!fine)
            self->step = STEP_FAILED;
        if (made > 0)
            return (ptrdiff_t)made;
    }
    if (self->step == STEP_DONE)
        return 0;
    *error = self->failure;
    return -1;
}

bool decoder_truncated(const struct decoder *self)
{
    return self->truncated;
}

bool decoder_is_plain(const struct decoder *self)
{
    return self->kind == KIND_PLAIN;
}

int64_t decoder_file_bytes(const struct decoder *self)
{
    return self->file_bytes;
}

/* ------------------------------------------------------------------ a stream in memory */

struct inflate {
    z_stream stream;
    bool ended;
};

struct inflate *inflate_open(struct view bytes)
{
    struct inflate *self = memory_zeroed(1, sizeof *self);
    if (bytes.length > UINT32_MAX || inflateInit(&self->stream) != Z_OK)
        memory_fail();
    self->stream.next_in = (Bytef *)(uintptr_t)bytes.bytes;
    self->stream.avail_in = (uInt)bytes.length;
    return self;
}

void inflate_close(struct inflate *self)
{
    if (self)
        inflateEnd(&self->stream);
    memory_free(self);
}

ptrdiff_t inflate_read(struct inflate *self, void *buffer, size_t room)
{
    if (self->ended)
        return 0;
    self->stream.next_out = buffer;
    self->stream.avail_out = (uInt)(room > UINT32_MAX ? UINT32_MAX : room);
    uInt offered = self->stream.avail_out;
    int result = inflate(&self->stream, Z_NO_FLUSH);
    uInt got = offered - self->stream.avail_out;
    self->ended = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END)
        return got ? (ptrdiff_t)got : -1;
    return got || self->ended ? (ptrdiff_t)got : -1;
}
