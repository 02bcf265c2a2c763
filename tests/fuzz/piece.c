/* piece: see piece.h. */
#include "tests/fuzz/piece.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

enum { STORED_MAX = 65535 };

void piece_open(struct piece *self, const void *bytes, size_t length)
{
    self->file = memfd_create("piece", MFD_CLOEXEC);
    MUST(self->file >= 0);
    const char *at = bytes;
    while (length > 0) {
        ssize_t written = write(self->file, at, length);
        MUST(written > 0);
        at += written;
        length -= (size_t)written;
    }
    snprintf(self->path, sizeof self->path, "/proc/self/fd/%d", self->file);
}

static void add_number(struct text *text, uint32_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        text_add_byte(text, (char)(number & 0xFF));
}

/* One member that holds the bytes as they are (RFC 1952, RFC 1951 3.2.4). */
static void add_member(struct text *text, const char *bytes, size_t length)
{
    static const char head[10] = {'\x1F', '\x8B', 8, 0, 0, 0, 0, 0, 0, 3};
    uint32_t sum = (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)length), size = (uint32_t)length;
    text_add(text, head, sizeof head);
    do {
        size_t count = length < STORED_MAX ? length : STORED_MAX;
        add_number(text, count == length, 1);
        add_number(text, (uint32_t)count, 2);
        add_number(text, ~(uint32_t)count, 2);
        text_add(text, bytes, count);
        bytes += count;
        length -= count;
    } while (length > 0);
    add_number(text, sum, 4);
    add_number(text, size, 4);
}

void piece_open_gzip(struct piece *self, const void *bytes, size_t length, size_t size)
{
    struct text text = {0};
    const char *at = bytes;
    do {
        size_t count = size && size < length ? size : length;
        add_member(&text, at, count);
        at += count;
        length -= count;
    } while (length > 0);
    piece_open(self, text.items, text.count);
    text_free(&text);
}

void piece_close(struct piece *self)
{
    close(self->file);
}

void piece_slurp(const char *path, struct text *bytes)
{
    char buffer[4096];
    FILE *file = fopen(path, "rb");
    MUST(file);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_add(bytes, buffer, got);
    fclose(file);
}

struct target *targets;

const struct target *target_find(const char *name)
{
    const struct target *target = targets;
    while (target && strcmp(target->name, name) != 0)
        target = target->next;
    if (!target)
        fprintf(stderr, "no target %s\n", name);
    return target;
}
