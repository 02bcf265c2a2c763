/* row_image: see row_image.h.
 *
 * The pages are those of SQLite's file format: the first one has the schema, the second one is the
 * root of the table, its leaves follow. SQLite makes the first two; what is full is copied, and
 * filled anew.
 */
#include "sql/pages/row_image.h"

#include "sql/pages/page.h"
#include "sql/tables.h"

#include <assert.h>
#include <string.h>

#ifdef TPQ_SMALL_WINDOWS
enum { FIRST_ROWS = 2 };
#else
enum { FIRST_ROWS = 400 };
#endif

enum {
    PAGE_BYTES = 65536,
    ROOT = 1, /* indices of pages */
    FIRST_LEAF = 2,
    PAGE_COUNT_AT = 28,
};

static bool failed(struct row_image *self)
{
    return warehouse_error(self->warehouse, self->error);
}

static void bind_text(sqlite3_stmt *statement, int place, struct view text)
{
    sqlite3_bind_text64(statement, place, text.bytes, text.length, SQLITE_STATIC, SQLITE_UTF8);
}

static bool run(struct row_image *self, sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE || failed(self);
    sqlite3_reset(statement);
    return done;
}

/* The table in memory consists of `bytes` from now on. */
static bool show(struct row_image *self, int64_t bytes)
{
    int result = sqlite3_deserialize(self->warehouse->db, "rows", bytes ? self->bytes : NULL, bytes,
                                     bytes, bytes ? SQLITE_DESERIALIZE_READONLY : 0);
    return result == SQLITE_OK ||
           (result == SQLITE_NOMEM ? error_memory(self->error) : failed(self));
}

/* ------------------------------------------------------------------ numbers */

static void put_number(unsigned char *out, uint64_t value, size_t bytes)
{
    for (; bytes-- > 0; value >>= 8)
        out[bytes] = (unsigned char)value;
}

/* Seven bits a byte, the last one of nine has eight. */
static size_t put_varint(unsigned char *out, uint64_t value)
{
    size_t bytes = 1;
    if (value < 0x80) {
        *out = (unsigned char)value;
        return bytes;
    }
    while (bytes < 9 && value >> (7 * bytes))
        bytes++;
    out[bytes - 1] = (unsigned char)(bytes == 9 ? value : value & 0x7F);
    value >>= bytes == 9 ? 8 : 7;
    for (size_t at = 0; at + 1 < bytes; at++)
        out[at] = (unsigned char)(value >> (7 * (bytes - 2 - at)) | 0x80);
    return bytes;
}

/* Puts a number into the least of 1, 2, 3, 4, 6 and 8 bytes that it fits in, and has its type put.
 * What stands behind it, up to eight bytes, is lost. */
static size_t put_value(unsigned char *out, int64_t value, unsigned char *type)
{
    static const unsigned char types[] = {1, 1, 2, 3, 4, 5, 5, 6, 6}; /* by bytes */
    static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8};       /* by type */
    enum { IS_ZERO = 8 };
    if (value == 0 || value == 1) {
        *type = (unsigned char)(IS_ZERO + value);
        return 0;
    }
    int bits = 65 - __builtin_clzll((uint64_t)(value < 0 ? ~value : value) | 1); /* and the sign */
    *type = types[(bits + 7) / 8];
    put_number(out, (uint64_t)value << (64 - 8 * sizes[*type]), sizeof value);
    return sizes[*type];
}

/* ------------------------------------------------------------------ pages */

static unsigned char *page(struct row_image *self, size_t index)
{
    return self->bytes + index * PAGE_BYTES;
}

/* The header in front of the cells of a page. */
static void put_header(unsigned char *out, unsigned char kind, size_t cells, size_t low)
{
    out[0] = kind;
    put_number(out + 1, 0, 2);
    put_number(out + 3, cells, 2);
    put_number(out + 5, low, 2); /* that of an empty page is written as 0 */
    out[7] = 0;
}

static void begin(struct row_image *self)
{
    self->leaf = FIRST_LEAF;
    self->cells = 0;
    self->low = PAGE_BYTES;
}

static void end_leaf(struct row_image *self)
{
    put_header(page(self, self->leaf), PAGE_LEAF, self->cells, self->low);
}

/* The root has all leaves; a single one is the root. Gives the number of pages. */
static size_t put_root(struct row_image *self)
{
    unsigned char *root = page(self, ROOT);
    size_t low = PAGE_BYTES, count = self->leaf - FIRST_LEAF;
    if (!count) {
        memcpy(root, page(self, FIRST_LEAF), PAGE_BYTES);
        return FIRST_LEAF;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned char cell[4 + 9];
        put_number(cell, FIRST_LEAF + i + 1, 4);
        size_t bytes = 4 + put_varint(cell + 4, (uint64_t)self->last[FIRST_LEAF + i]);
        low -= bytes;
        memcpy(root + low, cell, bytes);
        put_number(root + PAGE_INNER_HEADER + 2 * i, low, 2);
    }
    put_header(root, PAGE_INNER, count, low);
    put_number(root + PAGE_LAST_AT, self->leaf + 1, 4);
    return self->leaf + 1;
}

/* ------------------------------------------------------------------ copying */

/* A table with generated columns has more columns than rows have values, which only a copy of rows
 * as they stand does not mind. Where an owner's index or condition forbids that, the stored columns
 * are named. Any other failure is one. */
static sqlite3_stmt *prepare_copy(struct row_image *self)
{
    struct warehouse *warehouse = self->warehouse;
    struct text sql = {0};
    sqlite3_stmt *copy = NULL;
    bool made = text_format(&sql, "INSERT OR ABORT INTO main.%s SELECT * FROM rows.%s", self->table,
                            self->table);
    int result = made ? sqlite3_prepare_v2(warehouse->db, sql.items, -1, &copy, NULL) : SQLITE_OK;
    text_clear(&sql);
    if (result == SQLITE_ERROR) {
        made = text_format(&sql, "INSERT OR ABORT INTO main.%s (%s) SELECT %s FROM rows.%s",
                           self->table, self->columns.items, self->columns.items, self->table);
        copy = made ? warehouse_prepare(warehouse, sql.items, self->error) : NULL;
    } else if (result != SQLITE_OK) {
        failed(self);
    }
    if (!made)
        error_memory(self->error);
    text_free(&sql);
    return copy;
}

static bool copy_rows(struct row_image *self)
{
    if (!self->cells)
        return true;
    end_leaf(self);
    size_t pages = put_root(self);
    put_number(self->bytes + PAGE_COUNT_AT, pages, 4);
    if (!show(self, (int64_t)pages * PAGE_BYTES))
        return false;
    sqlite3_stmt *copy = prepare_copy(self);
    bool done = copy && run(self, copy);
    sqlite3_finalize(copy);
    begin(self);
    return done;
}

/* ------------------------------------------------------------------ rows */

/* Makes room for a row, on the next page if this one is full. */
static bool make_room(struct row_image *self, size_t bytes)
{
    if (PAGE_LEAF_HEADER + 2 * (self->cells + 1) + bytes <= self->low)
        return true;
    if (self->leaf + 1 == ROW_IMAGE_PAGES)
        return copy_rows(self);
    end_leaf(self);
    self->leaf++;
    self->cells = 0;
    self->low = PAGE_BYTES;
    return true;
}

/* ------------------------------------------------------------------ rows by themselves */

static sqlite3_stmt *prepare_insert(struct row_image *self)
{
    struct text sql = {0};
    sqlite3_stmt *insert = NULL;
    bool done =
        text_format(&sql, "INSERT OR ABORT INTO main.%s (\"%s\"", self->table, self->names[0]);
    for (size_t i = 1; done && self->names[i]; i++)
        done = text_format(&sql, ", \"%s\"", self->names[i]);
    done = done && text_add_string(&sql, ") VALUES (?");
    for (size_t i = 1; done && self->names[i]; i++)
        done = text_add_string(&sql, ", ?");
    if (done && text_add_byte(&sql, ')'))
        insert = warehouse_prepare(self->warehouse, sql.items, self->error);
    else
        error_memory(self->error);
    text_free(&sql);
    return insert;
}

static bool insert_row(struct row_image *self, int64_t id, const struct row_value *values)
{
    if (!self->insert && !(self->insert = prepare_insert(self)))
        return false;
    sqlite3_bind_int64(self->insert, 1, id);
    for (int i = 0; self->names[1 + i]; i++)
        if (values[i].text.bytes)
            bind_text(self->insert, 2 + i, values[i].text);
        else if (values[i].number == ROW_NULL)
            sqlite3_bind_null(self->insert, 2 + i);
        else
            sqlite3_bind_int64(self->insert, 2 + i, values[i].number);
    return run(self, self->insert);
}

/* ------------------------------------------------------------------ rows that are copied */

/* A table in memory that is made like ours. What the file says of its own is not run. */
static bool make_table(struct row_image *self)
{
    struct warehouse *warehouse = self->warehouse;
    struct view words = tables_words(self->table);
    struct text sql = {0};
    assert(words.length);
    self->is_attached = warehouse_attach(warehouse, "ATTACH ':memory:' AS rows", self->error);
    bool done = self->is_attached;
    if (done)
        done = text_format(&sql, "PRAGMA rows.page_size = %d; CREATE TABLE rows.", PAGE_BYTES) &&
                       text_add_view(&sql, words)
                   ? warehouse_run(warehouse, sql.items, self->error)
                   : error_memory(self->error);
    text_free(&sql);
    return done;
}

/* Bytes can be copied into a table that was made by our words, and holds texts as we write them. */
static bool look_at_words(struct row_image *self)
{
    static const char question[] =
        "SELECT (SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?1) = "
        "(SELECT sql FROM rows.sqlite_schema WHERE name = ?1) AND encoding = 'UTF-8' "
        "FROM pragma_encoding";
    sqlite3_stmt *row = warehouse_prepare(self->warehouse, question, self->error);
    bool done = row != NULL;
    if (done)
        bind_text(row, 1, view_of(self->table));
    self->is_like_ours =
        warehouse_next(self->warehouse, row, &done, self->error) && sqlite3_column_int(row, 0) != 0;
    sqlite3_finalize(row);
    return done;
}

/* Where the value of each stored column is found. */
static bool find_columns(struct row_image *self)
{
    sqlite3_stmt *columns =
        warehouse_prepare(self->warehouse,
                          "SELECT name FROM pragma_table_xinfo(?1, 'rows') WHERE hidden = 0 "
                          "ORDER BY cid",
                          self->error);
    bool done = columns != NULL;
    if (done)
        bind_text(columns, 1, view_of(self->table));
    while (warehouse_next(self->warehouse, columns, &done, self->error)) {
        const char *name = (const char *)sqlite3_column_text(columns, 0);
        int at = 0;
        while (name && self->names[at] && strcmp(self->names[at], name) != 0)
            at++;
        assert(!name || (self->names[at] && self->column_count < ROW_COLUMNS_MAX));
        self->source[self->column_count] = at - 1;
        if (!name ||
            !text_format(&self->columns, "%s\"%s\"", self->column_count++ ? ", " : "", name)) {
            done = error_memory(self->error);
            break;
        }
    }
    sqlite3_finalize(columns);
    return done;
}

static bool make_image(struct row_image *self)
{
    self->is_looked_at = true;
    if (!make_table(self) || !look_at_words(self) || !find_columns(self))
        return false;
    if (!self->is_like_ours)
        return true;
    sqlite3_int64 size = 0;
    unsigned char *made = sqlite3_serialize(self->warehouse->db, "rows", &size, 0);
    self->is_like_ours = size == (int64_t)FIRST_LEAF * PAGE_BYTES;
    self->bytes = malloc((size_t)ROW_IMAGE_PAGES * PAGE_BYTES);
    bool done = (made && self->bytes) || error_memory(self->error);
    if (done && self->is_like_ours)
        memcpy(self->bytes, made, (size_t)size);
    sqlite3_free(made);
    return done;
}

void row_image_open(struct row_image *self, struct warehouse *warehouse, const char *table,
                    const char *const *names, struct error *error)
{
    *self =
        (struct row_image){.warehouse = warehouse, .error = error, .table = table, .names = names};
    begin(self);
}

bool row_image_add(struct row_image *self, int64_t id, const struct row_value *values)
{
    enum { TEXT = 13, TEXTS_MAX = 1 << 15 /* bytes, of a row */ };
    unsigned char head[3 * 9], types[9 * ROW_COLUMNS_MAX];
    unsigned char row[TEXTS_MAX + 8 * ROW_COLUMNS_MAX];
    size_t count = 0, size = 0;
    assert(id >= 0);
    if (self->rows < FIRST_ROWS) {
        self->rows++;
        return insert_row(self, id, values);
    }
    if (!self->is_looked_at && !make_image(self))
        return false;
    if (!self->is_like_ours)
        return insert_row(self, id, values);
    for (size_t i = 0; i < self->column_count; i++) {
        const struct row_value *value = self->source[i] < 0 ? NULL : &values[self->source[i]];
        if (value && value->text.bytes) {
            if (value->text.length >= TEXTS_MAX - size)
                return insert_row(self, id, values);
            count += put_varint(types + count, TEXT + 2 * (uint64_t)value->text.length);
            memcpy(row + size, value->text.bytes, value->text.length);
            size += value->text.length;
        } else if (value && value->number != ROW_NULL) {
            size += put_value(row + size, value->number, &types[count++]);
        } else {
            types[count++] = 0;
        }
    }
    assert(count < 127);
    size_t bytes = put_varint(head, 1 + count + size);
    bytes += put_varint(head + bytes, (uint64_t)id);
    head[bytes++] = (unsigned char)(1 + count);
    if (!make_room(self, bytes + count + size))
        return false;
    self->low -= bytes + count + size;
    unsigned char *leaf = page(self, self->leaf), *out = leaf + self->low;
    memcpy(out, head, bytes);
    memcpy(out + bytes, types, count);
    memcpy(out + bytes + count, row, size);
    put_number(leaf + PAGE_LEAF_HEADER + 2 * self->cells++, self->low, 2);
    self->last[self->leaf] = id;
    return true;
}

bool row_image_finish(struct row_image *self)
{
    return copy_rows(self);
}

/* A database in use is not let go, an empty one in its place is. Where that fails the transaction
 * has failed, and without one every database is let go: nothing may refer to the pages. */
static bool detach(struct row_image *self)
{
    struct warehouse *warehouse = self->warehouse;
    if (show(self, 0) && warehouse_run(warehouse, "DETACH rows", self->error))
        return true;
    sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(warehouse->db, "DETACH rows", NULL, NULL, NULL);
    return false;
}

bool row_image_close(struct row_image *self)
{
    sqlite3_finalize(self->insert);
    bool done = !self->is_attached || detach(self);
    text_free(&self->columns);
    free(self->bytes);
    return done;
}
