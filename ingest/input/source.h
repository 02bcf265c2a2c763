/* source: the bytes of one input, decompressed, from front to back.
 *
 * Whether the input is plain, gzip or a zip archive with one member is decided by its first
 * bytes. The content hash covers the decompressed bytes, so a trace and its gzip are the same
 * content. Format readers are the callers; nothing here knows what the bytes mean.
 */
#pragma once

#include "src/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct source;

/* Opens PATH, or standard input for "-". `threaded` decompresses in a thread of its own. How many
 * bytes of the file were read is kept in `*progress`, for others to look at; it may be NULL. */
struct source *source_open(const char *path, bool threaded, _Atomic int64_t *progress,
                           struct error *error);
void source_close(struct source *self);

/* Up to `room` bytes; 0 at the end, -1 on failure. After a failure, source_truncated tells
 * whether the input merely ended too early. */
ptrdiff_t source_read(struct source *self, void *buffer, size_t room, struct error *error);
bool source_truncated(const struct source *self);

/* Reads the rest, which belongs to the hash. */
bool source_drain(struct source *self, struct error *error);

/* Shows the next bytes without consuming them: at least `wanted` unless the input is shorter,
 * at most SOURCE_PEEK_MAX. */
enum { SOURCE_PEEK_MAX = 4096 };
ptrdiff_t source_peek(struct source *self, const unsigned char **bytes, size_t wanted,
                      struct error *error);

/* For formats that are read twice. Called before anything is read; an input that cannot be gone
 * back in is then kept in a temporary file without a name. source_rewind goes back to the front
 * once the end was reached; hash and counts begin anew. */
bool source_keep(struct source *self, struct error *error);
bool source_rewind(struct source *self, struct error *error);

/* For formats that are read here and there: the content as a file, the descriptor of which stays
 * the source's; -1 on failure. A plain file is that itself, anything else is written into a
 * temporary file without a name. All of the content is then handed out, as far as hash and counts
 * go. Called before anything is read; a second call gives the same. */
int source_file(struct source *self, struct error *error);

const char *source_path(const struct source *self);
void source_call(struct source *self, const char *path); /* the path that messages name */
int64_t source_file_bytes(const struct source *self);    /* read from the file so far */
int64_t source_content_bytes(const struct source *self); /* handed out so far */

/* The hash of everything handed out so far, as 32 hexadecimal digits. */
void source_hash(const struct source *self, char hex[33]);
