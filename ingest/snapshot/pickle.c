/* pickle: a table has the opcodes of plain data; a text that the window does not hold comes in
 * pieces. */
#include "ingest/snapshot/pickle.h"

#include "src/base/number.h"

/* Arguments that follow an opcode. */
enum argument {
    REFUSED,
    NOTHING,
    BYTE,     /* an unsigned number of 1, 2 or 4 bytes */
    TWO,      /* */
    FOUR,     /* */
    SIGNED,   /* a number of 4 bytes */
    REAL,     /* 8 bytes, the highest first */
    EIGHT,    /* a length that says nothing about values: of a frame */
    TEXT1,    /* a text behind its length of 1, 4 or 8 bytes */
    TEXT4,    /* */
    TEXT8,    /* */
    INTEGER1, /* an integer behind its length of 1 or 4 bytes */
    INTEGER4, /* */
};

/* Opcodes with a name alone are refused. */
static const struct opcode {
    const char *name;
    enum argument argument;
} opcodes[256] = {
    ['('] = {"MARK", NOTHING},          ['.'] = {"STOP", NOTHING},
    ['0'] = {"POP", NOTHING},           ['1'] = {"POP_MARK", NOTHING},
    ['2'] = {"DUP", NOTHING},           ['G'] = {"BINFLOAT", REAL},
    ['J'] = {"BININT", SIGNED},         ['K'] = {"BININT1", BYTE},
    ['M'] = {"BININT2", TWO},           ['N'] = {"NONE", NOTHING},
    ['T'] = {"BINSTRING", TEXT4},       ['U'] = {"SHORT_BINSTRING", TEXT1},
    ['X'] = {"BINUNICODE", TEXT4},      [']'] = {"EMPTY_LIST", NOTHING},
    ['}'] = {"EMPTY_DICT", NOTHING},    [')'] = {"EMPTY_TUPLE", NOTHING},
    ['a'] = {"APPEND", NOTHING},        ['e'] = {"APPENDS", NOTHING},
    ['d'] = {"DICT", NOTHING},          ['l'] = {"LIST", NOTHING},
    ['t'] = {"TUPLE", NOTHING},         ['s'] = {"SETITEM", NOTHING},
    ['u'] = {"SETITEMS", NOTHING},      ['h'] = {"BINGET", BYTE},
    ['j'] = {"LONG_BINGET", FOUR},      ['q'] = {"BINPUT", BYTE},
    ['r'] = {"LONG_BINPUT", FOUR},      ['B'] = {"BINBYTES", TEXT4},
    ['C'] = {"SHORT_BINBYTES", TEXT1},  [0x80] = {"PROTO", BYTE},
    [0x85] = {"TUPLE1", NOTHING},       [0x86] = {"TUPLE2", NOTHING},
    [0x87] = {"TUPLE3", NOTHING},       [0x88] = {"NEWTRUE", NOTHING},
    [0x89] = {"NEWFALSE", NOTHING},     [0x8A] = {"LONG1", INTEGER1},
    [0x8B] = {"LONG4", INTEGER4},       [0x8C] = {"SHORT_BINUNICODE", TEXT1},
    [0x8D] = {"BINUNICODE8", TEXT8},    [0x8E] = {"BINBYTES8", TEXT8},
    [0x94] = {"MEMOIZE", NOTHING},      [0x95] = {"FRAME", EIGHT},
    ['F'] = {"FLOAT", REFUSED},         ['I'] = {"INT", REFUSED},
    ['L'] = {"LONG", REFUSED},          ['P'] = {"PERSID", REFUSED},
    ['Q'] = {"BINPERSID", REFUSED},     ['R'] = {"REDUCE", REFUSED},
    ['S'] = {"STRING", REFUSED},        ['V'] = {"UNICODE", REFUSED},
    ['b'] = {"BUILD", REFUSED},         ['c'] = {"GLOBAL", REFUSED},
    ['g'] = {"GET", REFUSED},           ['i'] = {"INST", REFUSED},
    ['o'] = {"OBJ", REFUSED},           ['p'] = {"PUT", REFUSED},
    [0x81] = {"NEWOBJ", REFUSED},       [0x82] = {"EXT1", REFUSED},
    [0x83] = {"EXT2", REFUSED},         [0x84] = {"EXT4", REFUSED},
    [0x8F] = {"EMPTY_SET", REFUSED},    [0x90] = {"ADDITEMS", REFUSED},
    [0x91] = {"FROZENSET", REFUSED},    [0x92] = {"NEWOBJ_EX", REFUSED},
    [0x93] = {"STACK_GLOBAL", REFUSED}, [0x96] = {"BYTEARRAY8", REFUSED},
    [0x97] = {"NEXT_BUFFER", REFUSED},  [0x98] = {"READONLY_BUFFER", REFUSED},
};

void pickle_open(struct pickle *self, struct source *source, struct error *error)
{
    self->source = source;
    self->error = error;
    self->position = self->end = 0;
    self->before = 0;
    self->input_ended = false;
}

bool pickle_refuse(struct pickle *self, const char *words)
{
    struct text place = {0};
    number_add_grouped(&place, self->place);
    error_set(self->error, STATUS_BAD_INPUT, "%s: not read: this pickle %s at byte %s",
              source_path(self->source), words, place.items);
    text_free(&place);
    return false;
}

static inline bool need(struct pickle *self, size_t count)
{
    if (self->end - self->position >= count)
        return true;

    /* Brings `count` bytes into the window, which it has room for. */
    if (self->position) {
        memmove(self->window, self->window + self->position, self->end - self->position);
        self->before += (int64_t)self->position;
        self->end -= self->position;
        self->position = 0;
    }
    while (self->end < count && !self->input_ended) {
        ptrdiff_t got = source_read(self->source, self->window + self->end,
                                    PICKLE_WINDOW - self->end, self->error);
        if (got < 0)
            return false;
        self->input_ended = got == 0;
        self->end += (size_t)got;
    }
    return self->end >= count || pickle_refuse(self, "ends within a value");
}

static uint64_t little_endian(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static bool take_length(struct pickle *self, size_t size, uint64_t *length)
{
    if (!need(self, size))
        return false;
    *length = little_endian(self->window + self->position, size);
    self->position += size;
    return true;
}

/* A text that the window does not hold comes in pieces. */
static bool collect(struct pickle *self, uint64_t length)
{
    struct text *all = &self->long_text;
    text_clear(all);
    while (length) {
        if (!need(self, 1))
            return false;
        size_t piece = self->end - self->position;
        piece = piece < length ? piece : (size_t)length;
        size_t room = PICKLE_TEXT_MAX - all->count;
        text_add(all, self->window + self->position, piece < room ? piece : room);
        self->is_cut |= piece > room;
        self->position += piece;
        length -= piece;
    }
    self->text = text_view(all);
    return true;
}

static bool take_text(struct pickle *self, size_t size)
{
    uint64_t length;
    self->is_cut = false;
    if (!take_length(self, size, &length))
        return false;
    if (length > PICKLE_WINDOW)
        return collect(self, length);
    if (!need(self, (size_t)length))
        return false;
    self->text = (struct view){(const char *)self->window + self->position, (size_t)length};
    self->position += (size_t)length;
    return true;
}

/* Two's complement, the lowest byte first, as few bytes as will do. */
static bool take_integer(struct pickle *self, size_t size)
{
    uint64_t length;
    if (!take_length(self, size, &length))
        return false;
    if (length > 9)
        return pickle_refuse(self, "has an integer beyond 64 bits");
    if (!need(self, (size_t)length))
        return false;
    const unsigned char *bytes = self->window + self->position;
    self->position += (size_t)length;
    if (length == 9 && bytes[8] != 0)
        return pickle_refuse(self, "has an integer beyond 64 bits");
    uint64_t value = little_endian(bytes, length < 8 ? (size_t)length : 8);
    if (length && length < 8 && bytes[length - 1] & 0x80)
        value |= ~(uint64_t)0 << 8 * length;
    self->number = (int64_t)value;
    self->is_unsigned = length == 9;
    return true;
}

static bool take_number(struct pickle *self, size_t size)
{
    uint64_t value;
    if (!take_length(self, size, &value))
        return false;
    self->number = (int64_t)value;
    self->is_unsigned = false;
    return true;
}

bool pickle_next(struct pickle *self)
{
    self->place = pickle_offset(self);
    if (!need(self, 1))
        return false;
    self->opcode = self->window[self->position++];
    switch (opcodes[self->opcode].argument) {
    case REFUSED: {
        const char *name = opcodes[self->opcode].name;
        struct text place = {0};
        if (!name)
            return pickle_refuse(self, "has an unknown opcode");
        number_add_grouped(&place, self->place);
        error_set(self->error, STATUS_BAD_INPUT,
                  "%s: not read: this pickle asks for code (opcode %s at byte %s); only plain %s "
                  "are",
                  source_path(self->source), name, place.items, self->wanted);
        text_free(&place);
        return false;
    }
    case NOTHING:
        return true;
    case BYTE:
        return take_number(self, 1);
    case TWO:
        return take_number(self, 2);
    case FOUR:
        return take_number(self, 4);
    case SIGNED:
        if (!take_number(self, 4))
            return false;
        self->number = (int32_t)(uint32_t)self->number;
        return true;
    case REAL:
    case EIGHT:
        return take_number(self, 8);
    case TEXT1:
        return take_text(self, 1);
    case TEXT4:
        return take_text(self, 4);
    case TEXT8:
        return take_text(self, 8);
    case INTEGER1:
        return take_integer(self, 1);
    default:
        return take_integer(self, 4);
    }
}
