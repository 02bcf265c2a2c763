/* wire: protobuf's wire format, as far as files that come from anywhere need it.
 *
 * A message that may be large is read from front to back out of a source and never held whole:
 *
 *     while ((step = wire_next(&wire, &field)) == WIRE_FIELD)
 *         if (field.number == XPLANE_LINES && wire_enter(&wire))  ... the same inside, wire_leave
 *         else if (wire_bytes(&wire, &span))                      ... a small one, in one piece
 *
 * What is neither entered nor taken is skipped unread. A small message is walked through in memory
 * by message_next; both read a field by the same code. Groups, a length beyond the end of the
 * message around it, an endless number and nesting beyond WIRE_DEPTH_MAX are corrupt.
 */
#pragma once

#include "ingest/input/source.h"
#include "src/base/text.h"

enum { WIRE_DEPTH_MAX = 64 };

/* Longest piece that is taken as a whole. */
#ifndef TPQ_SMALL_WINDOWS
enum { WIRE_PIECE_MAX = 1 << 20 };
#else
enum { WIRE_PIECE_MAX = 1 << 12 };
#endif

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

struct message {
    const unsigned char *at, *end;
};

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;       /* a number, or the length */
    struct message bytes; /* of message_next: what has a length */
};

enum wire_step { WIRE_FIELD, WIRE_END, WIRE_FAILED };

struct wire {
    struct source *source;
    struct error *error;
    unsigned char *bytes;
    size_t room, at, end; /* of the unread part of `bytes` */
    int64_t base;         /* place in the input of bytes[0] */
    bool input_ended;
    int64_t pending;                /* length of the field in hand, until it is entered or taken */
    int64_t limits[WIRE_DEPTH_MAX]; /* where the open messages end */
    int depth;
};

void wire_init(struct wire *self, struct source *source, struct error *error);
void wire_free(struct wire *self);

/* The next field of the innermost open message. */
enum wire_step wire_next(struct wire *self, struct wire_field *field);

/* Goes into the field in hand; back out of it, wherever one is in it. */
bool wire_enter(struct wire *self);
bool wire_leave(struct wire *self);

/* The bytes of the field in hand, until the next call; it must not be longer than
 * WIRE_PIECE_MAX. */
bool wire_bytes(struct wire *self, struct message *span);

/* Where in the input the reader is. */
static inline int64_t wire_offset(const struct wire *self)
{
    return self->base + (int64_t)self->at;
}

/* An error about the place where the reader is; gives false. */
bool wire_corrupt(struct wire *self, const char *what);

/* Reads the next field of a message in memory. WIRE_FAILED: it is none. */
enum wire_step message_next(struct message *self, struct wire_field *field);

/* A number without its field, as packed lists have them; false at the end or when it is none. */
bool message_number(struct message *self, uint64_t *number);

static inline struct view message_view(struct message span)
{
    return (struct view){(const char *)span.at, (size_t)(span.end - span.at)};
}
