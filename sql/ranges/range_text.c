/* range_text: Names, dimensions and numbers are answers to questions by id, kept for the next
 * event. */
#include "sql/ranges/range_rows.h"

#include "sql/database.h"
#include "src/base/number.h"

static const char text_question[] = "SELECT text FROM string WHERE id = ?";

enum { NAME, SIGNATURE, SEQUENCE, NUMBER, TEXT };

static const uint32_t NONE = UINT32_MAX;

static void keep(struct range_texts *self, const char *bytes, size_t length, const char **text)
{
    if (!bytes)
        memory_fail();
    *text = intern_view(&self->texts, intern_add(&self->texts, bytes, length + 1)).bytes;
}

void range_text_read(struct range_texts *self, sqlite3_stmt *from, int column, const char **text)
{
    *text = NULL;
    if (sqlite3_column_type(from, column) == SQLITE_NULL)
        return;
    const char *bytes = (const char *)sqlite3_column_text(from, column);
    keep(self, bytes, (size_t)sqlite3_column_bytes(from, column), text);
}

/* The number of what a question about an id is answered with; NONE: with nothing, or with NULL. */
static int part_of(struct range_texts *self, struct map *known, sqlite3 *db, sqlite3_stmt **kept,
                   const char *question, int64_t id, uint32_t *part)
{
    *part = map_get(known, id, 0);
    if (*part)
        return SQLITE_OK;
    int result = database_find(db, kept, question, id, 0);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return result;
    *part = NONE;
    if (result == SQLITE_ROW && sqlite3_column_type(*kept, 0) != SQLITE_NULL) {
        const char *bytes = database_text(*kept, 0);
        *part = intern_add(&self->parts, bytes, (size_t)sqlite3_column_bytes(*kept, 0));
    }
    map_set(known, id, 0, *part);
    return SQLITE_OK;
}

static int dims_of(struct range_texts *self, sqlite3_stmt *from, int column, uint32_t *part)
{
    *part = NONE;
    if (sqlite3_column_type(from, column) == SQLITE_NULL)
        return SQLITE_OK;
    return part_of(self, &self->dims, sqlite3_db_handle(from), &self->ask_dims,
                   "SELECT replace(string.text, ',', ', ') FROM op JOIN string ON string.id = "
                   "op.dims_id WHERE op.id = ?",
                   sqlite3_column_int64(from, column), part);
}

static void add_number(struct text *out, const char *before, sqlite3_stmt *from, int column)
{
    if (sqlite3_column_type(from, column) != SQLITE_NULL) {
        text_add_string(out, before);
        number_add_integer(out, sqlite3_column_int64(from, column));
    }
}

static void add_part(const struct range_texts *self, struct text *out, uint32_t part)
{
    struct view text = intern_view(&self->parts, part);
    text_add_view(out, text);
}

int range_text_make(struct range_texts *self, sqlite3_stmt *from, int column, const char **text)
{
    uint32_t name, dims;
    *text = NULL;
    if (sqlite3_column_type(from, column + TEXT) != SQLITE_NULL) {
        range_text_read(self, from, column + TEXT, text);
        return SQLITE_OK;
    }
    int result = part_of(self, &self->names, sqlite3_db_handle(from), &self->ask_name,
                         text_question, sqlite3_column_int64(from, column + NAME), &name);
    if (result == SQLITE_OK)
        result = dims_of(self, from, column + SIGNATURE, &dims);
    if (result != SQLITE_OK || name == NONE)
        return result;
    struct text *out = &self->text;
    text_clear(out);
    add_part(self, out, name);
    add_number(out, ", seq = ", from, column + SEQUENCE);
    add_number(out, ", op_id = ", from, column + NUMBER);
    if (dims != NONE) {
        text_add_string(out, ", sizes = ");
        add_part(self, out, dims);
    }
    text_add_byte(out, '\0');
    keep(self, out->items, out->count - 1, text);
    return SQLITE_OK;
}

void range_text_stop(struct range_texts *self)
{
    database_finalize(self->ask_name);
    database_finalize(self->ask_dims);
    self->ask_name = self->ask_dims = NULL;
}
