/* sheet: see sheet.h. */
#include "query/sink/sheet.h"

#include "src/base/number.h"

#include <string.h>

/* A blob is left as the bytes that it has, which are counted. */
static bool get_cell(sqlite3_value *value, struct cell *cell, size_t *blobs)
{
    *cell = (struct cell){.type = CELL_NULL};
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return true;
    case SQLITE_INTEGER:
        cell->type = CELL_INTEGER;
        cell->integer = sqlite3_value_int64(value);
        return true;
    case SQLITE_FLOAT:
        cell->type = CELL_REAL;
        cell->real = sqlite3_value_double(value);
        return true;
    case SQLITE_BLOB:
        cell->type = CELL_TEXT;
        cell->text.bytes = sqlite3_value_blob(value);
        cell->text.length = (size_t)sqlite3_value_bytes(value);
        *blobs += 2 * cell->text.length + 1;
        return true;
    default:
        cell->type = CELL_TEXT;
        cell->text.bytes = (const char *)sqlite3_value_text(value);
        cell->text.length = (size_t)sqlite3_value_bytes(value);
        return cell->text.bytes != NULL;
    }
}

static bool write_blob(struct text *scratch, struct view *blob)
{
    size_t start = scratch->count;
    bool done = text_add(scratch, "", 0);
    for (size_t i = 0; i < blob->length && done; i++)
        done = text_format(scratch, "%02x", (unsigned char)blob->bytes[i]);
    *blob = (struct view){scratch->items + start, scratch->count - start};
    return done;
}

bool cells_of_statement(sqlite3_stmt *row, size_t count, struct text *scratch, struct cell *cells)
{
    size_t blobs = 0; /* room for all of them: the scratch must not move once cells point into it */
    for (size_t i = 0; i < count; i++)
        if (!get_cell(sqlite3_column_value(row, (int)i), &cells[i], &blobs))
            return false;
    text_clear(scratch);
    bool done = !blobs || text_reserve(scratch, blobs);
    for (size_t i = 0; i < count && blobs && done; i++)
        if (sqlite3_column_type(row, (int)i) == SQLITE_BLOB)
            done = write_blob(scratch, &cells[i].text);
    return done;
}

size_t sheet_column(const struct sheet *self, struct view name)
{
    for (size_t i = 0; i < self->column_count; i++)
        if (view_equal(view_of(self->columns[i].name), name))
            return i;
    return SIZE_MAX;
}

bool cell_is_same(const struct cell *left, const struct cell *right)
{
    if (left->type != right->type)
        return false;
    switch (left->type) {
    case CELL_INTEGER:
        return left->integer == right->integer;
    case CELL_REAL:
        return left->real == right->real;
    case CELL_TEXT:
        return view_equal(left->text, right->text);
    default:
        return true;
    }
}

bool cell_add_text(const struct cell *cell, enum column_form form, struct text *out)
{
    switch (cell->type) {
    case CELL_NULL:
        return text_add(out, "", 0);
    case CELL_INTEGER:
        if (form == FORM_BOOLEAN)
            return text_add_string(out, cell->integer ? "True" : "False");
        return number_add_integer(out, cell->integer);
    case CELL_REAL:
        return number_add_real(out, cell->real);
    case CELL_TEXT:
        break;
    }
    return text_add_view(out, cell->text);
}

bool cell_is_like(const struct cell *self, const char *pattern, struct text *text)
{
    text_clear(text);
    text_add(text, "", 0);
    cell_add_text(self, FORM_PLAIN, text);
    return !text->failed && sqlite3_strglob(pattern, text->items) == 0;
}

/* ------------------------------------------------------------------ Python literals */

struct literal {
    const char *at, *end;
    struct text *out;
    bool tuples;
    unsigned depth;
};

static bool add_value(struct literal *self);

/* The characters of a JSON string that begins at `at`, decoded; at moves behind it. */
static bool read_string(struct literal *self, struct text *plain)
{
    bool done = text_add(plain, "", 0);
    for (self->at++; self->at < self->end && *self->at != '"' && done; self->at++) {
        if (*self->at != '\\') {
            done = text_add_byte(plain, *self->at);
            continue;
        }
        if (++self->at == self->end)
            break;
        static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
        const char *name = memchr(names, *self->at, sizeof names - 1);
        if (*self->at == 'u' && self->end - self->at > 4) {
            char digits[5] = {0}, bytes[4];
            memcpy(digits, self->at + 1, 4);
            self->at += 4;
            done = text_add(plain, bytes, utf8_encode((uint32_t)strtoul(digits, NULL, 16), bytes));
        } else {
            done = text_add_byte(plain, name ? meanings[name - names] : *self->at);
        }
    }
    self->at++;
    return done;
}

/* As repr() writes a str: in single quotes, unless that saves escapes. */
static bool add_string(struct literal *self)
{
    struct text plain = {0};
    bool done = read_string(self, &plain);
    bool has_single = done && memchr(plain.items, '\'', plain.count);
    char quote = has_single && !memchr(plain.items, '"', plain.count) ? '"' : '\'';
    done = done && text_add_byte(self->out, quote);
    for (size_t i = 0; i < plain.count && done; i++) {
        unsigned char byte = (unsigned char)plain.items[i];
        if (byte == '\\' || byte == (unsigned char)quote)
            done = text_format(self->out, "\\%c", byte);
        else if (byte == '\n' || byte == '\r' || byte == '\t')
            done = text_add_string(self->out, byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t");
        else if (byte < 0x20 || byte == 0x7F)
            done = text_format(self->out, "\\x%02x", byte);
        else
            done = text_add_byte(self->out, (char)byte);
    }
    done = done && text_add_byte(self->out, quote);
    text_free(&plain);
    return done;
}

static bool add_items(struct literal *self, char closing, char open, char close)
{
    size_t count = 0;
    bool done = text_add_byte(self->out, open);
    self->at++;
    while (self->at < self->end && *self->at != closing && done) {
        if (*self->at == ',' || *self->at == ':') {
            done = text_add_string(self->out, *self->at == ',' ? ", " : ": ");
            self->at++;
            continue;
        }
        const char *start = self->at;
        done = add_value(self);
        count++;
        if (self->at == start) /* a bracket that closes something else: no JSON */
            self->at = self->end;
    }
    self->at++;
    if (done && count == 1 && open == '(')
        done = text_add_byte(self->out, ',');
    return done && text_add_byte(self->out, close);
}

static bool add_word(struct literal *self)
{
    static const char *const words[][2] = {{"null", "None"}, {"true", "True"}, {"false", "False"}};
    const char *start = self->at;
    static const bool ends[256] = {
        [','] = true, [':'] = true, [']'] = true, ['}'] = true, ['\0'] = true};
    while (self->at < self->end && !ends[(unsigned char)*self->at])
        self->at++;
    struct view word = {start, (size_t)(self->at - start)};
    for (size_t i = 0; i < 3; i++)
        if (view_equal(word, view_of(words[i][0])))
            return text_add_string(self->out, words[i][1]);
    return text_add_view(self->out, word);
}

static bool add_value(struct literal *self)
{
    enum { DEPTH_MAX = 600 };
    if (self->depth > DEPTH_MAX) { /* deeper than anything that is stored */
        self->at = self->end;
        return true;
    }
    self->depth++;
    bool done = *self->at == '"'   ? add_string(self)
                : *self->at == '{' ? add_items(self, '}', '{', '}')
                : *self->at == '['
                    ? add_items(self, ']', self->tuples ? '(' : '[', self->tuples ? ')' : ']')
                    : add_word(self);
    self->depth--;
    return done;
}

bool cell_add_python(struct view json, bool tuples, struct text *out)
{
    struct literal self = {json.bytes, json.bytes + json.length, out, tuples, 0};
    return json.length == 0 || add_value(&self);
}

static bool add_note(const struct sheet_note *note, struct text *out)
{
    bool has_count = note->count >= 0, has_time = note->time_ns >= 0;
    return text_add_string(out, note->what) && (!has_count || text_add_string(out, ": ")) &&
           (!has_count || number_add_grouped(out, note->count)) &&
           (!has_time || text_add_string(out, has_count ? ", " : ": ")) &&
           (!has_time || number_add_time(out, note->time_ns));
}

bool sheet_add_notes(const struct sheet *self, struct text *out)
{
    bool has_more = self->why_empty || self->not_included_count || self->abstained;
    bool done = !self->window || text_format(out, "%s%s", self->window, has_more ? ". " : "");
    done = done && (!self->why_empty || text_format(out, "No rows: %s", self->why_empty));
    for (size_t i = 0; i < self->not_included_count && done; i++)
        done = text_add_string(out, i                 ? "; "
                                    : self->why_empty ? ". Not included: "
                                                      : "Not included: ") &&
               add_note(&self->not_included[i], out);
    bool is_first = !self->why_empty && !self->not_included_count;
    return done &&
           (!self->abstained || text_format(out, "%s%s", is_first ? "" : ". ", self->abstained));
}
