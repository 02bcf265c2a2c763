/* reading: an input of a fuzz target as a trace in memory, and what must hold of every trace.
 *
 * Nothing here knows a warehouse, so that thousands of inputs a second are read; what is stored is
 * the subject of fuzz_store.
 */
#pragma once

#include "ingest/trace/format.h"
#include "ingest/trace/tree.h"

/* The bits of `way`. Pieces are of a few bytes each, compressed; a thread takes longer to start
 * than a small input to be read. */
enum {
    READING_SALVAGE = 1,
    READING_PIECES = 2,
    READING_NO_FRAMES = 4,
    READING_METADATA = 8,
    READING_BITS = 15, /* of those above */
    READING_THREADED = 16,
};

struct reading {
    struct trace trace;
    struct error error;
    bool done;
};

/* Starts SQLite as the program does; once, and before it is used. */
void reading_start(void);

/* Reads the bytes as what they are, or as `format`. They are taken, or refused with a sentence. */
void reading_make(struct reading *self, const struct format *format, const void *bytes,
                  size_t length, unsigned way);

/* Links what was read and builds its trees. Whatever the input was, its numbers name what is
 * there, its JSON is JSON, work and calls know each other, and the tree is a preorder. */
void reading_check(struct reading *self, enum tree_order order);

void reading_free(struct reading *self);

/* All of it. */
void reading_try(const struct format *format, const void *bytes, size_t length, unsigned way);
