/* chunk: a value goes to the dictionary first; a page keeps places in it, and a byte for each row
 * once one differs from the first. Where the dictionary grows too large, or most numbers are
 * distinct, the page in hand is written plain, and pages before it keep their places.
 */
#include "query/parquet/chunk.h"

#include "src/base/text.h"

#include <assert.h>

/* ------------------------------------------------------------------ thrift */

/* Small numbers of either sign become small ones. */
static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static void add_byte(struct thrift *self, unsigned byte)
{
    text_add_byte(self->text, (char)byte);
}

static void add_varint(struct thrift *self, uint64_t value)
{
    text_add_varint(self->text, value);
}

/* Things in a list have no header. */
static void add_header(struct thrift *self, int field, enum thrift_type type)
{
    if (!field)
        return;
    int step = field - self->last[self->depth];
    assert(step > 0);
    add_byte(self, (unsigned)(step > 15 ? 0 : step) << 4 | type);
    if (step > 15)
        add_varint(self, zigzag(field));
    self->last[self->depth] = field;
}

void thrift_integer(struct thrift *self, int field, enum thrift_type type, int64_t value)
{
    add_header(self, field, type);
    add_varint(self, zigzag(value));
}

void thrift_binary(struct thrift *self, int field, struct view bytes)
{
    add_header(self, field, THRIFT_BINARY);
    add_varint(self, bytes.length);
    text_add_view(self->text, bytes);
}

void thrift_list(struct thrift *self, int field, enum thrift_type type, size_t count)
{
    add_header(self, field, THRIFT_LIST);
    add_byte(self, (unsigned)(count < 15 ? count : 15) << 4 | type);
    if (count >= 15)
        add_varint(self, count);
}

void thrift_begin(struct thrift *self, int field)
{
    add_header(self, field, THRIFT_STRUCT);
    assert(self->depth + 1 < THRIFT_DEPTH_MAX);
    self->last[++self->depth] = 0;
}

void thrift_end(struct thrift *self)
{
    add_byte(self, 0);
    self->depth--;
}

void thrift_stop(struct thrift *self)
{
    add_byte(self, 0);
}

/* ------------------------------------------------------------------ gzip members */

/* The quickest: better ones save a twentieth. */
enum { LEVEL = 1, MEMORY = 8, AS_GZIP = 16 };

/* The window of a small chunk, and its memory. */
enum { SMALL_WBITS = 12, SMALL_BYTES = 1 << SMALL_WBITS, SMALL_MEMORY = 5 };

/* ------------------------------------------------------------------ small numbers
 *
 * Parquet's hybrid encoding: runs of one value, and groups of eight values of as many bits as the
 * largest may need, in any order.
 */

enum { GROUP = 8 };

/* How many of the first values are the same. */
static size_t run_length(const uint32_t *values, size_t count)
{
    size_t length = 1;
    while (length < count && values[length] == values[0])
        length++;
    return length;
}

/* Groups of eight, the last one filled up with zeros. */
static void add_groups(struct text *text, const uint32_t *values, size_t count, unsigned width)
{
    size_t groups = (count + GROUP - 1) / GROUP;
    uint64_t bits = 0;
    unsigned held = 0;
    text_add_varint(text, (uint64_t)groups << 1 | 1);
    for (size_t i = 0; i < groups * GROUP; i++) {
        bits |= (uint64_t)(i < count ? values[i] : 0) << held;
        for (held += width; held >= 8; held -= 8, bits >>= 8)
            text_add_byte(text, (char)bits);
    }
}

/* How many values, whole groups but at the end, come before the next run that is worth it. */
static size_t groups_length(const uint32_t *values, size_t count)
{
    size_t length = 0;
    while (length < count && run_length(values + length, count - length) < GROUP)
        length += GROUP;
    return length < count ? length : count;
}

/* Appends the values, each of `width` bits. */
static void hybrid_add(struct text *text, const uint32_t *values, size_t count, unsigned width)
{
    for (size_t at = 0; at < count;) {
        size_t length = run_length(values + at, count - at);
        if (length >= GROUP) {
            uint32_t value = values[at];
            text_add_varint(text, (uint64_t)length << 1);
            for (unsigned bits = 0; bits < width; bits += 8)
                text_add_byte(text, (char)(value >> bits));
        } else {
            length = groups_length(values + at, count - at);
            add_groups(text, values + at, length, width);
        }
        at += length;
    }
}

/* ------------------------------------------------------------------ plain values */

/* Rows of a page, and bytes of its values, after which it ends; what a dictionary may have; and
 * after how many values numbers do without one when more than half of them are distinct. */
#ifndef TPQ_SMALL_WINDOWS
enum { PAGE_ROWS = 20480, PAGE_BYTES = 8 << 20 };
enum { DICTIONARY_VALUES = 65536, DICTIONARY_BYTES = 1 << 20, TRIED = 1024 };
#else /* for tests */
enum { PAGE_ROWS = 20, PAGE_BYTES = 200 };
enum { DICTIONARY_VALUES = 16, DICTIONARY_BYTES = 100, TRIED = 8 };
#endif

/* Parquet's names for things. */
enum { INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 };
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { GZIP = 2 };

int64_t chunk_type(const struct chunk *self)
{
    return self->field.type == CELL_INTEGER ? INT64
           : self->field.type == CELL_REAL  ? DOUBLE
                                            : BYTE_ARRAY;
}

static void add_fixed(struct text *out, uint64_t value, size_t bytes)
{
    char little[8];
    for (size_t i = 0; i < bytes; i++)
        little[i] = (char)(value >> 8 * i);
    text_add(out, little, bytes);
}

static uint64_t bits_of(const struct cell *cell)
{
    uint64_t bits;
    if (cell->type == CELL_REAL)
        memcpy(&bits, &cell->real, sizeof bits);
    else
        bits = (uint64_t)cell->integer;
    return bits;
}

static void add_plain_text(struct text *out, struct view text)
{
    add_fixed(out, text.length, 4);
    text_add_view(out, text);
}

static void add_plain(struct text *out, const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        add_plain_text(out, cell->text);
    else
        add_fixed(out, bits_of(cell), 8);
}

/* ------------------------------------------------------------------ pages */

/* A page with its header; `*raw` goes up. The bytes are packed first, as the header says how many
 * they become. */
static void add_page(struct chunk_tools *tools, int64_t kind, struct view bytes, size_t values,
                     int64_t encoding, struct text *out, int64_t *raw)
{
    struct text packed = {0};
    size_t before = out->count;

    /* Appends a member. */
    static const Bytef nothing[1];

    /* Streams are opened once, and begin again for each member. */
    bool is_small = bytes.length <= SMALL_BYTES;
    struct packer_stream *found = is_small ? &tools->packer.small : &tools->packer.large;
    int window = is_small ? SMALL_WBITS : MAX_WBITS;
    int memory = is_small ? SMALL_MEMORY : MEMORY;
    int result = found->is_open ? deflateReset(&found->stream)
                                : deflateInit2(&found->stream, LEVEL, Z_DEFLATED, window + AS_GZIP,
                                               memory, Z_DEFAULT_STRATEGY);
    if (result != Z_OK)
        memory_fail();
    found->is_open = true;
    z_stream *stream = &found->stream;
    size_t room = deflateBound(stream, bytes.length);
    assert(bytes.length <= UINT32_MAX && room <= UINT32_MAX);
    text_reserve(&packed, room);
    stream->next_in = bytes.length ? (const Bytef *)bytes.bytes : nothing;
    stream->avail_in = (uInt)bytes.length;
    stream->next_out = (Bytef *)packed.items + packed.count;
    stream->avail_out = (uInt)room;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        memory_fail();
    packed.count += room - stream->avail_out;
    packed.items[packed.count] = '\0';
    struct thrift header = {.text = out};
    bool is_data = kind == DATA_PAGE;
    thrift_integer(&header, 1, THRIFT_I32, kind);
    thrift_integer(&header, 2, THRIFT_I32, (int64_t)bytes.length);
    thrift_integer(&header, 3, THRIFT_I32, (int64_t)packed.count);
    thrift_begin(&header, is_data ? 5 : 7);
    thrift_integer(&header, 1, THRIFT_I32, (int64_t)values);
    thrift_integer(&header, 2, THRIFT_I32, encoding);
    if (is_data) {
        thrift_integer(&header, 3, THRIFT_I32, RLE); /* of the definition levels */
        thrift_integer(&header, 4, THRIFT_I32, RLE); /* of repetition levels: there are none */
    }
    thrift_end(&header);
    thrift_stop(&header);
    *raw += (int64_t)(out->count - before + bytes.length);
    text_add(out, packed.items, packed.count);
    text_free(&packed);
}

void chunk_end_page(struct chunk *self, struct chunk_tools *tools)
{
    size_t rows = self->page_rows;
    if (!rows)
        return;
    bool has_indexes = self->indexes.count > 0;
    text_clear(&tools->raw);

    /* Rows with a value, as levels behind their length. */
    size_t start = tools->raw.count;
    bool is_mixed = self->is_there.count > 0;
    tools->numbers.count = 0;
    array_reserve(&tools->numbers, rows);
    add_fixed(&tools->raw, 0, 4);
    for (size_t i = 0; i < rows; i++)
        tools->numbers.items[i] =
            is_mixed ? (uint32_t)self->is_there.items[i] : self->is_first_there;
    hybrid_add(&tools->raw, tools->numbers.items, rows, 1);
    size_t length = tools->raw.count - start - 4;
    for (size_t i = 0; i < 4; i++)
        tools->raw.items[start + i] = (char)(length >> 8 * i);
    if (has_indexes) {
        /* Bits that numbers up to `most` need; at least 1. */
        uint32_t most = (uint32_t)self->distinct - 1;
        unsigned width = 1;
        while (most >>= 1)
            width++;
        tools->numbers.count = 0;
        array_reserve(&tools->numbers, self->indexes.count);
        for (size_t i = 0; i < self->indexes.count; i++)
            tools->numbers.items[i] = self->indexes.items[i];
        text_add_byte(&tools->raw, (char)width);
        hybrid_add(&tools->raw, tools->numbers.items, self->indexes.count, width);
    } else
        text_add(&tools->raw, self->plain.items, self->plain.count);
    self->has_indexes |= has_indexes;
    self->has_plain_pages |= !has_indexes;
    add_page(tools, DATA_PAGE, text_view(&tools->raw), rows, has_indexes ? RLE_DICTIONARY : PLAIN,
             &self->pages, &self->raw_bytes);
    self->page_rows = self->is_there.count = self->plain.count = self->indexes.count = 0;
}

/* ------------------------------------------------------------------ values */

/* The place of a value in the dictionary, from 1, where it is put when it is new. */
static uint32_t place_of(struct chunk *self, const struct cell *cell)
{
    bool is_text = cell->type == CELL_TEXT;
    uint32_t place;
    if (is_text) {
        /* A text is often that of the row before. */
        struct view text = cell->text;
        if (!text.bytes)
            text = VIEW("");
        if (!self->last || !view_equal(intern_view(&self->texts, self->last), text))
            self->last = intern_add(&self->texts, text.bytes, text.length);
        place = self->last;
    } else {
        int64_t bits = (int64_t)bits_of(cell);
        uint32_t *known = map_put(&self->numbers, bits, 0);
        if (!*known)
            *known = (uint32_t)self->distinct + 1;
        place = *known;
    }
    if (place <= self->distinct)
        return place;
    self->distinct++;
    self->dictionary_bytes += is_text ? 4 + cell->text.length : 8;
    if (!is_text)
        add_plain(&self->values, cell);
    return place;
}

/* Appends the first texts of the dictionary as values. */
static void add_texts(const struct chunk *self, size_t count, struct text *out)
{
    for (uint32_t i = 1; i <= count; i++)
        add_plain_text(out, intern_view(&self->texts, i));
}

static bool is_mostly_distinct(const struct chunk *self)
{
    return self->field.type != CELL_TEXT && self->rows - self->nulls == TRIED &&
           self->distinct * 2 > TRIED;
}

static void add_to_dictionary(struct chunk *self, const struct cell *cell)
{
    size_t distinct = self->distinct, bytes = self->dictionary_bytes;
    uint32_t place = place_of(self, cell);
    if (self->distinct <= DICTIONARY_VALUES && self->dictionary_bytes <= DICTIONARY_BYTES &&
        !is_mostly_distinct(self)) {
        array_add(&self->indexes, (uint16_t)(place - 1));
        return;
    }

    /* The values of the page in hand stand there as they are, not as places. */
    for (size_t i = 0; i < self->indexes.count; i++) {
        uint16_t index = self->indexes.items[i];
        if (self->field.type == CELL_TEXT)
            add_plain_text(&self->plain, intern_view(&self->texts, index + 1U));
        else
            text_add(&self->plain, self->values.items + (size_t)index * 8, 8);
    }
    self->indexes.count = 0;

    /* Pages keep their references: the page of the dictionary stays, with its number of values. */
    if (self->has_indexes && self->field.type == CELL_TEXT)
        add_texts(self, distinct, &self->values);
    intern_free(&self->texts);
    map_free(&self->numbers);
    self->texts = (struct intern){0};
    self->numbers = (struct map){0};
    self->is_plain = true;
    self->distinct = self->has_indexes ? distinct : 0;
    self->values.count = self->dictionary_bytes = self->has_indexes ? bytes : 0;
    add_plain(&self->plain, cell);
}

void chunk_add(struct chunk *self, const struct cell *cell, struct chunk_tools *tools)
{
    bool is_there = cell->type != CELL_NULL;
    assert(!is_there || cell->type == self->field.type);

    /* One more row of the page in hand. */
    if (!self->page_rows)
        self->is_first_there = is_there;
    if (self->is_there.count == 0 && is_there != self->is_first_there)
        for (size_t i = 0; i < self->page_rows; i++)
            text_add_byte(&self->is_there, self->is_first_there);
    if (self->is_there.count || is_there != self->is_first_there)
        text_add_byte(&self->is_there, is_there);
    self->page_rows++;
    self->rows++;
    self->nulls += !is_there;
    if (is_there && cell->type == CELL_INTEGER) {
        int64_t value = cell->integer;
        bool is_first = self->rows - self->nulls == 1;
        if (is_first || value < self->least)
            self->least = value;
        if (is_first || value > self->most)
            self->most = value;
    }
    if (is_there && self->is_plain)
        add_plain(&self->plain, cell);
    else if (is_there)
        add_to_dictionary(self, cell);
    if (self->page_rows >= PAGE_ROWS || self->plain.count >= PAGE_BYTES)
        chunk_end_page(self, tools);
}

/* ------------------------------------------------------------------ the end of a chunk */

void chunk_dictionary(const struct chunk *self, struct chunk_tools *tools, struct text *out,
                      int64_t *raw)
{
    if (!self->has_indexes)
        return;
    const struct text *page = &self->values;
    if (intern_count(&self->texts)) {
        page = &tools->raw;
        text_clear(&tools->raw);
        add_texts(self, self->distinct, &tools->raw);
    }
    add_page(tools, DICTIONARY_PAGE, text_view(page), self->distinct, PLAIN, out, raw);
}

void chunk_describe(const struct chunk *self, const struct chunk_place *place, struct thrift *out)
{
    bool has_plain = self->has_plain_pages || self->has_indexes; /* a dictionary is plain */
    int64_t packed = place->dictionary_bytes + (int64_t)self->pages.count;
    thrift_integer(out, 2, THRIFT_I64, place->offset);
    thrift_begin(out, 3);
    thrift_integer(out, 1, THRIFT_I32, chunk_type(self));
    thrift_list(out, 2, THRIFT_I32, 1u + has_plain + self->has_indexes);
    if (has_plain)
        thrift_integer(out, 0, THRIFT_I32, PLAIN);
    thrift_integer(out, 0, THRIFT_I32, RLE);
    if (self->has_indexes)
        thrift_integer(out, 0, THRIFT_I32, RLE_DICTIONARY);
    thrift_list(out, 3, THRIFT_BINARY, 1);
    thrift_binary(out, 0, view_of(self->field.name));
    thrift_integer(out, 4, THRIFT_I32, GZIP);
    thrift_integer(out, 5, THRIFT_I64, self->rows);
    thrift_integer(out, 6, THRIFT_I64, self->raw_bytes + place->raw_bytes);
    thrift_integer(out, 7, THRIFT_I64, packed);
    thrift_integer(out, 9, THRIFT_I64, place->offset + place->dictionary_bytes);
    if (self->has_indexes)
        thrift_integer(out, 11, THRIFT_I64, place->offset);
    char bounds[2][8];
    const int64_t values[2] = {self->most, self->least};
    thrift_begin(out, 12);
    thrift_integer(out, 3, THRIFT_I64, self->nulls);
    for (int i = 0; i < 2 && self->field.type == CELL_INTEGER && self->rows > self->nulls; i++) {
        for (int byte = 0; byte < 8; byte++)
            bounds[i][byte] = (char)((uint64_t)values[i] >> 8 * byte);
        thrift_binary(out, 5 + i, (struct view){bounds[i], sizeof bounds[i]});
    }
    thrift_end(out);
    thrift_end(out);
}

size_t chunk_bytes(const struct chunk *self)
{
    return self->pages.count + self->plain.count + self->dictionary_bytes;
}

void chunk_clear(struct chunk *self)
{
    text_free(&self->is_there);
    array_free(&self->indexes);
    text_free(&self->plain);
    text_free(&self->pages);
    text_free(&self->values);
    intern_free(&self->texts);
    map_free(&self->numbers);
    *self = (struct chunk){.field = self->field};
}

void chunk_tools_free(struct chunk_tools *self)
{
    if (self->packer.small.is_open)
        deflateEnd(&self->packer.small.stream);
    if (self->packer.large.is_open)
        deflateEnd(&self->packer.large.stream);
    self->packer = (struct packer){.small = {.is_open = false}};
    array_free(&self->numbers);
    text_free(&self->raw);
}
