/* pickle: the opcodes of a pickle, one after the other, with their arguments.
 *
 * Only opcodes of plain data are known here: dicts, lists, tuples, texts, numbers. Any other one is
 * refused before its argument is looked at, so no pickle can name code. No length is believed
 * before the bytes are there.
 */
#pragma once

#include "ingest/input/source.h"
#include "src/base/text.h"

enum pickle_opcode {
    PICKLE_MARK = '(',
    PICKLE_STOP = '.',
    PICKLE_POP = '0',
    PICKLE_POP_MARK = '1',
    PICKLE_DUP = '2',
    PICKLE_BINFLOAT = 'G',
    PICKLE_BININT = 'J',
    PICKLE_BININT1 = 'K',
    PICKLE_BININT2 = 'M',
    PICKLE_NONE = 'N',
    PICKLE_BINSTRING = 'T',
    PICKLE_SHORT_BINSTRING = 'U',
    PICKLE_BINUNICODE = 'X',
    PICKLE_EMPTY_LIST = ']',
    PICKLE_EMPTY_DICT = '}',
    PICKLE_EMPTY_TUPLE = ')',
    PICKLE_APPEND = 'a',
    PICKLE_APPENDS = 'e',
    PICKLE_DICT = 'd',
    PICKLE_LIST = 'l',
    PICKLE_TUPLE = 't',
    PICKLE_SETITEM = 's',
    PICKLE_SETITEMS = 'u',
    PICKLE_BINGET = 'h',
    PICKLE_LONG_BINGET = 'j',
    PICKLE_BINPUT = 'q',
    PICKLE_LONG_BINPUT = 'r',
    PICKLE_BINBYTES = 'B',
    PICKLE_SHORT_BINBYTES = 'C',
    PICKLE_PROTO = 0x80,
    PICKLE_TUPLE1 = 0x85,
    PICKLE_TUPLE2 = 0x86,
    PICKLE_TUPLE3 = 0x87,
    PICKLE_NEWTRUE = 0x88,
    PICKLE_NEWFALSE = 0x89,
    PICKLE_LONG1 = 0x8A,
    PICKLE_LONG4 = 0x8B,
    PICKLE_SHORT_BINUNICODE = 0x8C,
    PICKLE_BINUNICODE8 = 0x8D,
    PICKLE_BINBYTES8 = 0x8E,
    PICKLE_MEMOIZE = 0x94,
    PICKLE_FRAME = 0x95,
};

/* Longer texts are cut. */
enum { PICKLE_TEXT_MAX = 1 << 20 };

#ifndef TPQ_SMALL_WINDOWS
enum { PICKLE_WINDOW = 64 << 10 };
#else /* for tests */
enum { PICKLE_WINDOW = 16 };
#endif

struct pickle {
    struct source *source;
    struct error *error;
    size_t position, end; /* of what is not read yet in `window` */
    int64_t before;       /* bytes of the input before the window */
    bool input_ended;
    const char *wanted; /* what is read, for a refusal */

    /* The opcode in hand. */
    unsigned char opcode;
    int64_t place;    /* byte of the input */
    int64_t number;   /* value, number in the memo, or protocol */
    bool is_unsigned; /* the value is the number as uint64_t */
    struct view text; /* until the next opcode is read */
    bool is_cut;      /* the text was longer */
    struct text long_text;
    unsigned char window[PICKLE_WINDOW];
};

/* Begins at the first byte of the source. */
void pickle_open(struct pickle *self, struct source *source, struct error *error);

/* Reads the next opcode; false: refused. */
bool pickle_next(struct pickle *self);

/* Refuses the pickle for what is at the opcode in hand; gives false. */
bool pickle_refuse(struct pickle *self, const char *words);

static inline int64_t pickle_offset(const struct pickle *self)
{
    return self->before + (int64_t)self->position;
}
