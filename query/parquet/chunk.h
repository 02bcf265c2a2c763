/* chunk: the values of one column in one row group of a Parquet file: pages as they fill, each a
 * gzip member, and the dictionary that goes before them; and the Thrift that describes them.
 *
 * Values stand in the pages as places in a dictionary, as long as that stays small; from there on,
 * and where numbers are found to be mostly different, as they are.
 */
#pragma once

#include "query/sink/sheet.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/text.h"

#define ZLIB_CONST
#include <zlib.h>

/* Values of Thrift's compact protocol, appended to a text. A field says how far its number is from
 * that of the one before, so fields of a struct are written in order.
 *
 *     struct thrift out = {.text = &text};
 *     thrift_integer(&out, 1, THRIFT_I32, 1);
 *     thrift_begin(&out, 2);  a struct in a field; 0: the next one of a list
 *     thrift_end(&out);
 *     thrift_stop(&out);      ends the outermost struct
 */
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
};

void thrift_integer(struct thrift *self, int field, enum thrift_type type, int64_t value);
void thrift_binary(struct thrift *self, int field, struct view bytes);

/* So many things of a type follow: structs by thrift_begin, the others with field 0. */
void thrift_list(struct thrift *self, int field, enum thrift_type type, size_t count);

void thrift_begin(struct thrift *self, int field);
void thrift_end(struct thrift *self);

void thrift_stop(struct thrift *self);

/* A column: its name, and the type of its values. CELL_NULL is none. */
struct parquet_field {
    const char *name;
    enum cell_type type;
};

/* Bytes as gzip members. Most pages of small tables have a few hundred bytes: these go through a
 * stream with small tables, as clearing those of a usual one costs more than what it does then. */
struct packer {
    struct packer_stream {
        z_stream stream;
        bool is_open;
    } small, large;
};

/* Tools of all chunks of all files, one after another. */
struct chunk_tools {
    struct packer packer;
    ARRAY(uint32_t) numbers;
    struct text raw;
};

struct chunk {
    struct parquet_field field;
    /* of the page in hand */
    size_t page_rows;
    bool is_first_there;     /* whether the first of them has a value */
    struct text is_there;    /* a byte a row: whether it has, once one differs from the first */
    ARRAY(uint16_t) indexes; /* of the values in the dictionary, while there is one */
    struct text plain;       /* otherwise the values */
    /* of the whole chunk */
    struct text pages; /* with their headers */
    int64_t raw_bytes; /* of these before compression, headers too */
    int64_t rows, nulls, least, most;
    struct intern texts; /* the dictionary, its texts ... */
    struct map numbers;  /* ... or the place of each number, from 1 ... */
    struct text values;  /* ... and the page that it becomes; of texts once they are given up */
    size_t distinct, dictionary_bytes;
    uint32_t last;                     /* place of the value before; 0: none */
    bool is_plain;                     /* no dictionary any more */
    bool has_plain_pages, has_indexes; /* among the pages */
};

/* Parquet's number of the type of its values. */
int64_t chunk_type(const struct chunk *self);

/* Appends a value of the field's type, or NULL. */
void chunk_add(struct chunk *self, const struct cell *cell, struct chunk_tools *tools);

/* Ends the page in hand. */
void chunk_end_page(struct chunk *self, struct chunk_tools *tools);

/* Appends the page of the dictionary, if one is used, with its header. `*raw` goes up by its bytes
 * before compression. */
void chunk_dictionary(const struct chunk *self, struct chunk_tools *tools, struct text *out,
                      int64_t *raw);

/* Appends what the footer says of the chunk, whose pages begin at `offset`, in a file in which so
 * many bytes are a dictionary, which come first. */
struct chunk_place {
    int64_t offset, dictionary_bytes, raw_bytes;
};
void chunk_describe(const struct chunk *self, const struct chunk_place *place, struct thrift *out);

/* Bytes that it holds. */
size_t chunk_bytes(const struct chunk *self);

/* Nothing is in it any more; the field stays. */
void chunk_clear(struct chunk *self);

void chunk_tools_free(struct chunk_tools *self);
