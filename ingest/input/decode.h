/* decode: from the bytes of a file to the bytes of its content (plain, gzip, zip).
 *
 * gzip may have several members and zero padding behind them; zip must have exactly one member.
 * Checksums are verified. source.c is the only caller of the decoder; readers inflate what lies
 * compressed within their format.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stddef.h>
#include <stdint.h>

struct decoder;

/* Reads from the descriptor `file`, which stays the caller's; `path` is only for messages. */
struct decoder *decoder_open(int file, const char *path, struct error *error);
void decoder_close(struct decoder *self);

/* Up to `room` bytes of content; 0 at the end, -1 on failure. */
ptrdiff_t decoder_read(struct decoder *self, void *buffer, size_t room, struct error *error);

bool decoder_truncated(const struct decoder *self); /* the failure was an early end */
bool decoder_is_plain(const struct decoder *self);
int64_t decoder_file_bytes(const struct decoder *self);

/* A zlib stream that lies in memory, of any size: the caller keeps no more of it than wanted. */
struct inflate;

/* The bytes must stay. */
struct inflate *inflate_open(struct view bytes);
void inflate_close(struct inflate *self);

/* Up to `room` bytes; 0 at the end, -1 when it is damaged or breaks off. */
ptrdiff_t inflate_read(struct inflate *self, void *buffer, size_t room);
