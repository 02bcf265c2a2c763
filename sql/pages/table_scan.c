/* table_scan: A stack of pages leads to the leaf in hand; records with an end on other pages are
 * put together. Values are read only up to the last one that is asked for. */
#include "sql/pages/table_scan.h"

#include "sql/pages/page.h"
#include "src/base/array.h"

#include <string.h>

enum {
    ENCODING_AT = 56,
    UTF8 = 1,
    WINDOW_BYTES = 1 << 17, /* read at once: no page is larger */
};

/* A page on the way to the leaf in hand. */
struct level {
    unsigned char *bytes;
    size_t header; /* where its own begins */
    size_t next, count;
};

struct table_scan {
    struct scan_file file;
    size_t page_bytes, usable;
    uint32_t page_count, pages_seen;
    unsigned char *window;
    uint32_t window_first, window_count; /* pages in it */
    struct level levels[DEPTH_MAX];
    int depth; /* of the innermost one; -1 = before the first, or behind the last */
    uint32_t root;
    enum scan_step begun; /* SCAN_ROW: the header could be read */
    const int64_t *first; /* rows before it are skipped; NULL: none is */
    const unsigned char *leaf;
    size_t leaf_header, leaf_next, leaf_count;
    int64_t key;
    const unsigned char *row; /* the record */
    size_t row_bytes;
    struct text whole;   /* one that goes on on other pages */
    size_t column_count; /* asked for */
    struct scan_column *columns;
    size_t place_count; /* places that are asked for, and those in front of them */
    uint64_t *types;    /* by place */
    size_t *places;     /* where its bytes are */
    size_t found;       /* places that the row has */
};

/* ------------------------------------------------------------------ opening */

bool scan_can_read(const struct scan_file *file, uint32_t root)
{
    unsigned char header[FILE_HEADER], kind;
    if (!root || file->read(file->handle, header, sizeof header, 0) != SCAN_ROW ||
        page_number(header + ENCODING_AT, 4) != UTF8)
        return false;
    int64_t at = (int64_t)(root - 1) * (int64_t)page_bytes(header) + (root == 1 ? FILE_HEADER : 0);
    return file->read(file->handle, &kind, 1, at) == SCAN_ROW &&
           (kind == PAGE_INNER || kind == PAGE_LEAF);
}

struct table_scan *scan_open(const struct scan_file *file, uint32_t root,
                             const struct scan_column *columns, size_t count, const int64_t *first)
{
    unsigned char header[FILE_HEADER] = {0};
    struct table_scan *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    *self = (struct table_scan){
        .file = *file, .root = root, .depth = -1, .column_count = count, .first = first};
    self->begun = file->read(file->handle, header, sizeof header, 0);
    self->page_bytes = page_bytes(header);
    self->usable = self->page_bytes - header[RESERVED_AT];
    int64_t pages = file->bytes / (int64_t)self->page_bytes;
    self->page_count = pages > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)pages;
    for (size_t i = 0; i < count; i++)
        if (columns[i].place >= (int)self->place_count)
            self->place_count = (size_t)columns[i].place + 1;
    self->window = malloc(WINDOW_BYTES);
    self->columns = malloc((count + 1) * sizeof *self->columns);
    self->types = malloc((self->place_count + 1) * sizeof *self->types);
    self->places = malloc((self->place_count + 1) * sizeof *self->places);
    if (!self->window || !self->columns || !self->types || !self->places) {
        scan_close(self);
        return NULL;
    }
    if (count)
        memcpy(self->columns, columns, count * sizeof *columns);
    return self;
}

void scan_close(struct table_scan *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < DEPTH_MAX; i++)
        free(self->levels[i].bytes);
    text_free(&self->whole);
    free(self->window);
    free(self->columns);
    free(self->types);
    free(self->places);
    free(self);
}

/* ------------------------------------------------------------------ pages */

/* Puts a page into `out`, until the next one is asked for. Where pages follow each other, those
 * behind it are read with it. */
static enum scan_step read_page(struct table_scan *self, uint32_t page, const unsigned char **out)
{
    /* pages that lead to each other without end */
    if (page == 0 || page > self->page_count || self->pages_seen++ > 2 * (uint64_t)self->page_count)
        return SCAN_DAMAGED;
    if (page < self->window_first || page - self->window_first >= self->window_count) {
        size_t most = WINDOW_BYTES / self->page_bytes, left = self->page_count - page + 1u;
        bool follows = page > self->window_first && page - self->window_first <= 2 * most;
        size_t pages = !follows ? 1 : left < most ? left : most;
        enum scan_step step =
            self->file.read(self->file.handle, self->window, pages * self->page_bytes,
                            (int64_t)(page - 1) * (int64_t)self->page_bytes);
        self->window_first = page;
        self->window_count = step == SCAN_ROW ? (uint32_t)pages : 0;
        if (step != SCAN_ROW)
            return step;
    }
    *out = self->window + (size_t)(page - self->window_first) * self->page_bytes;
    return SCAN_ROW;
}

static size_t header_of(uint32_t page)
{
    return page == 1 ? FILE_HEADER : 0;
}

static enum scan_step enter(struct table_scan *self, uint32_t page)
{
    const unsigned char *bytes = NULL;
    size_t header = header_of(page);
    enum scan_step step = read_page(self, page, &bytes);
    if (step != SCAN_ROW)
        return step;
    size_t count = (size_t)page_number(bytes + header + PAGE_CELLS_AT, 2);
    if (bytes[header] == PAGE_LEAF) {
        self->leaf = bytes;
        self->leaf_header = header;
        self->leaf_next = 0;
        self->leaf_count = count;
        return count || self->depth < 0 ? SCAN_ROW : SCAN_DAMAGED; /* only the root may be empty */
    }
    if (bytes[header] != PAGE_INNER || self->depth + 1 >= DEPTH_MAX)
        return SCAN_DAMAGED;
    struct level *level = &self->levels[self->depth + 1];
    if (!level->bytes && !(level->bytes = malloc(self->page_bytes)))
        return SCAN_NO_MEMORY;
    memcpy(level->bytes, bytes, self->page_bytes);
    level->header = header;
    level->next = 0;
    level->count = count;
    self->leaf_count = self->leaf_next = 0;
    self->depth++;
    return SCAN_ROW;
}

/* Whether the rows of a page are all to be skipped: its greatest key stands behind its number. */
static bool is_before(const struct table_scan *self, const unsigned char *cell,
                      const unsigned char *end)
{
    uint64_t greatest;
    return self->first && page_varint(cell + 4, end, &greatest) && (int64_t)greatest < *self->first;
}

/* The next page below the innermost level that has one; the last one is named in the header. */
static enum scan_step go_on(struct table_scan *self)
{
    while (self->depth >= 0) {
        struct level *level = &self->levels[self->depth];
        if (level->next > level->count) {
            self->depth--;
            continue;
        }
        const unsigned char *at = level->bytes + level->header + PAGE_LAST_AT;
        bool is_last = level->next == level->count;
        if (!is_last)
            at = page_cell(level->bytes, self->usable, level->header + PAGE_INNER_HEADER,
                           level->count, level->next);
        level->next++;
        if (!at || at + 4 > level->bytes + self->usable)
            return SCAN_DAMAGED;
        if (!is_last && is_before(self, at, level->bytes + self->usable))
            continue;
        return enter(self, (uint32_t)page_number(at, 4));
    }
    return SCAN_END;
}

/* ------------------------------------------------------------------ rows */

/* Puts a record together whose end stands on other pages. */
static enum scan_step read_rest(struct table_scan *self, const unsigned char *local, size_t count,
                                size_t size)
{
    uint32_t page = (uint32_t)page_number(local + count, 4);
    text_clear(&self->whole);
    if (!text_add(&self->whole, (const char *)local, count))
        return SCAN_NO_MEMORY;
    unsigned char *buffer = malloc(self->page_bytes);
    enum scan_step step = buffer ? SCAN_ROW : SCAN_NO_MEMORY;
    while (step == SCAN_ROW && self->whole.count < size) {
        size_t more = size - self->whole.count, most = self->usable - 4;
        step = page == 0 || page > self->page_count
                   ? SCAN_DAMAGED
                   : self->file.read(self->file.handle, buffer, self->page_bytes,
                                     (int64_t)(page - 1) * (int64_t)self->page_bytes);
        if (step == SCAN_ROW &&
            !text_add(&self->whole, (const char *)buffer + 4, more < most ? more : most))
            step = SCAN_NO_MEMORY;
        page = (uint32_t)page_number(buffer ? buffer : local, 4);
    }
    free(buffer);
    self->row = (const unsigned char *)self->whole.items;
    return step;
}

/* How much of a record of this size stands in its leaf. */
static size_t local_bytes(const struct table_scan *self, size_t size)
{
    size_t most = self->usable - 35, least = (self->usable - 12) * 32 / 255 - 23;
    if (size <= most)
        return size;
    size_t count = least + (size - least) % (self->usable - 4);
    return count <= most ? count : least;
}

/* Types of values in a record: a smaller one is the number of bytes of a whole number, a larger one
 * is a text or a blob. */
enum { EIGHT_BYTES = 6, REAL = 7, ZERO = 8, ONE = 9, RESERVED = 12 };

static size_t bytes_of(uint64_t type)
{
    static const unsigned char sizes[RESERVED] = {0, 1, 2, 3, 4, 6, 8, 8};
    return type < sizeof sizes ? sizes[type] : (size_t)((type - 12) / 2);
}

/* Finds the values up to the last one that is asked for. */
static enum scan_step read_types(struct table_scan *self)
{
    uint64_t header;
    const unsigned char *at = page_varint(self->row, self->row + self->row_bytes, &header);
    if (!at || header > self->row_bytes || self->row + header < at)
        return SCAN_DAMAGED;
    const unsigned char *types = self->row + header;
    size_t value = (size_t)header;
    self->found = 0;
    for (; at < types && self->found < self->place_count; self->found++) {
        uint64_t type;
        if (!(at = page_varint(at, types, &type)))
            return SCAN_DAMAGED;
        self->types[self->found] = type;
        self->places[self->found] = value;
        if (type > 2 * (uint64_t)self->row_bytes + 13 || bytes_of(type) > self->row_bytes - value)
            return SCAN_DAMAGED;
        value += bytes_of(type);
    }
    return SCAN_ROW;
}

/* The next row that is not skipped, up to its key; its record is `size` bytes from `row` on. */
static enum scan_step next_key(struct table_scan *self, uint64_t *size)
{
    enum scan_step step = self->begun;
    if (step == SCAN_ROW && self->root) {
        step = enter(self, self->root);
        self->root = 0;
    }
    for (;;) {
        while (step == SCAN_ROW && self->leaf_next >= self->leaf_count)
            step = go_on(self);
        if (step != SCAN_ROW)
            return step;
        const unsigned char *end = self->leaf + self->usable;
        uint64_t key;
        const unsigned char *cell =
            page_cell(self->leaf, self->usable, self->leaf_header + PAGE_LEAF_HEADER,
                      self->leaf_count, self->leaf_next++);
        self->row = page_varint(page_varint(cell, end, size), end, &key);
        if (!self->row)
            return SCAN_DAMAGED;
        self->key = (int64_t)key;
        if (!self->first || self->key >= *self->first)
            return SCAN_ROW;
    }
}

enum scan_step scan_next(struct table_scan *self)
{
    uint64_t size;
    enum scan_step step = next_key(self, &size);
    if (step != SCAN_ROW)
        return step;
    if (size / self->page_bytes > self->page_count)
        return SCAN_TOO_MUCH;
    self->row_bytes = (size_t)size;
    size_t local = local_bytes(self, self->row_bytes);
    if (local + (local < size ? 4 : 0) > (size_t)(self->leaf + self->usable - self->row))
        return SCAN_DAMAGED;
    if (local < size && (step = read_rest(self, self->row, local, self->row_bytes)) != SCAN_ROW)
        return step;
    return read_types(self);
}

int64_t scan_key(const struct table_scan *self)
{
    return self->key;
}

/* ------------------------------------------------------------------ values */

/* The number at the start of a text. */
static int64_t number_in(struct view text)
{
    size_t at = 0;
    while (at < text.length &&
           (text.bytes[at] == ' ' || (text.bytes[at] >= '\t' && text.bytes[at] <= '\r')))
        at++;
    bool is_negative = at < text.length && text.bytes[at] == '-';
    at += at < text.length && (is_negative || text.bytes[at] == '+');
    int64_t number = 0;
    for (; at < text.length && text.bytes[at] >= '0' && text.bytes[at] <= '9'; at++) {
        int64_t digit = text.bytes[at] - '0';
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, is_negative ? -digit : digit, &number))
            return is_negative ? INT64_MIN : INT64_MAX;
    }
    return number;
}

static int64_t whole_part(double real)
{
    const double limit = 9223372036854775808.0;
    return real <= -limit ? INT64_MIN : real >= limit ? INT64_MAX : (int64_t)real;
}

static void set_real(struct scan_value *value, double real)
{
    if (real != real)
        return; /* NULL */
    value->type = SCAN_REAL;
    value->real = real;
    value->integer = whole_part(real);
}

static void set_integer(struct scan_value *value, bool is_real, int64_t integer)
{
    if (is_real) {
        set_real(value, (double)integer);
        return;
    }
    value->type = SCAN_INTEGER;
    value->integer = integer;
}

/* A whole number of a row; eight bytes are read at once where the row has as many up to its end. */
static int64_t signed_number(const unsigned char *row, size_t place, size_t count)
{
    size_t end = place + count;
    uint64_t number = end < 8 ? page_number(row + place, count) : page_word(row + end - 8);
    unsigned unused = 64 - 8 * (unsigned)count;
    return (int64_t)(number << unused) >> unused;
}

bool scan_integer(const struct table_scan *self, size_t column, int64_t *value)
{
    const struct scan_column *asked = &self->columns[column];
    size_t place = (size_t)asked->place; /* nowhere: behind all that were found */
    uint64_t type = place < self->found ? self->types[place] : 0;
    if (type == 0 || type == REAL || type > ONE || asked->is_real)
        return false;
    *value = type >= ZERO ? (int64_t)type - ZERO
                          : signed_number(self->row, self->places[place], bytes_of(type));
    return true;
}

void scan_numbers(const struct table_scan *self, struct scan_number *values)
{
    for (size_t i = 0; i < self->found; i++) {
        uint64_t type = self->types[i];
        values[i].type = !type          ? SCAN_NULL
                         : type == REAL ? SCAN_REAL
                         : type <= ONE  ? SCAN_INTEGER
                         : type & 1     ? SCAN_TEXT
                                        : SCAN_BLOB;
        if (type >= ZERO)
            values[i].number = (int64_t)type - ZERO;
        else if (type)
            values[i].number = signed_number(self->row, self->places[i], bytes_of(type));
    }
    for (size_t i = self->found; i < self->place_count; i++)
        values[i].type = SCAN_NULL;
}

void scan_value(const struct table_scan *self, size_t column, struct scan_value *value)
{
    const struct scan_column *asked = &self->columns[column];
    size_t place = (size_t)asked->place;
    *value = (struct scan_value){0};
    uint64_t type = place < self->found ? self->types[place] : 0;
    const unsigned char *bytes = type ? self->row + self->places[place] : NULL;
    if (type >= RESERVED) {
        value->type = type & 1 ? SCAN_TEXT : SCAN_BLOB;
        value->bytes = (struct view){(const char *)bytes, bytes_of(type)};
        value->integer = number_in(value->bytes);
    } else if (type == 0) {
        if (asked->is_key)
            set_integer(value, asked->is_real, self->key);
    } else if (type <= EIGHT_BYTES) {
        set_integer(value, asked->is_real,
                    signed_number(self->row, self->places[place], bytes_of(type)));
    } else if (type == REAL) {
        double real;
        uint64_t bits = page_number(bytes, sizeof bits);
        memcpy(&real, &bits, sizeof real);
        set_real(value, real);
    } else if (type == ZERO || type == ONE) {
        set_integer(value, asked->is_real, (int64_t)type - ZERO);
    }
}
