/* thrift: values of Thrift's compact protocol, appended to a text. A field says how far its number
 * is from that of the one before, so fields of a struct are written in order.
 *
 *     struct thrift out = {.text = &text};
 *     thrift_integer(&out, 1, THRIFT_I32, 1);
 *     thrift_begin(&out, 2);  a struct in a field; 0: the next one of a list
 *     thrift_end(&out);
 *     thrift_stop(&out);      ends the outermost struct; false: memory was out
 */
#pragma once

#include "src/base/text.h"

enum thrift_type {
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12,
};

enum { THRIFT_DEPTH_MAX = 8 };

struct thrift {
    struct text *text;
    int last[THRIFT_DEPTH_MAX]; /* number of the field before, in each struct that is open */
    int depth;
    bool out_of_memory;
};

/* An integer of seven bits a byte, the lowest first; false: memory is out. */
void thrift_varint(struct text *text, uint64_t value);

void thrift_integer(struct thrift *self, int field, enum thrift_type type, int64_t value);
void thrift_binary(struct thrift *self, int field, struct view bytes);

/* So many things of a type follow: structs by thrift_begin, the others with field 0. */
void thrift_list(struct thrift *self, int field, enum thrift_type type, size_t count);

void thrift_begin(struct thrift *self, int field);
void thrift_end(struct thrift *self);

bool thrift_stop(struct thrift *self);
