/* sheet: Cells point into the statement; hexadecimal text of blobs is made in one scratch buffer,
 * reserved before any cell points into it. Lists stored as JSON are written as Python's repr()
 * would, by one recursive walk that stops at a depth. Headings get the least width at which they
 * need fewer than four lines. */
#include "query/sink/sheet.h"

#include "src/base/number.h"
#include "src/base/visible.h"

#include <string.h>

/* A blob is left as the bytes that it has, which are counted. */
static void get_cell(sqlite3_value *value, struct cell *cell, size_t *blobs)
{
    *cell = (struct cell){.type = CELL_NULL};
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return;
    case SQLITE_INTEGER:
        cell->type = CELL_INTEGER;
        cell->integer = sqlite3_value_int64(value);
        return;
    case SQLITE_FLOAT:
        cell->type = CELL_REAL;
        cell->real = sqlite3_value_double(value);
        return;
    case SQLITE_BLOB:
        cell->type = CELL_TEXT;
        cell->text.bytes = sqlite3_value_blob(value);
        cell->text.length = (size_t)sqlite3_value_bytes(value);
        *blobs += 2 * cell->text.length + 1;
        return;
    default:
        cell->type = CELL_TEXT;
        cell->text.bytes = (const char *)sqlite3_value_text(value);
        cell->text.length = (size_t)sqlite3_value_bytes(value);
        if (!cell->text.bytes)
            memory_fail();
        return;
    }
}

void cells_of_statement(sqlite3_stmt *row, size_t count, struct text *scratch, struct cell *cells)
{
    size_t blobs = 0; /* room for all of them: the scratch must not move once cells point into it */
    for (size_t i = 0; i < count; i++)
        get_cell(sqlite3_column_value(row, (int)i), &cells[i], &blobs);
    text_clear(scratch);
    if (blobs)
        text_reserve(scratch, blobs);
    for (size_t i = 0; i < count && blobs; i++)
        if (sqlite3_column_type(row, (int)i) == SQLITE_BLOB) {
            struct view *blob = &cells[i].text;
            size_t start = scratch->count;
            text_add(scratch, "", 0);
            for (size_t j = 0; j < blob->length; j++)
                text_format(scratch, "%02x", (unsigned char)blob->bytes[j]);
            *blob = (struct view){scratch->items + start, scratch->count - start};
        }
}

static int bind_cell(sqlite3_stmt *insert, int index, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_INTEGER:
        return sqlite3_bind_int64(insert, index, cell->integer);
    case CELL_REAL:
        return sqlite3_bind_double(insert, index, cell->real);
    case CELL_TEXT:
        return sqlite3_bind_text64(insert, index, cell->text.bytes ? cell->text.bytes : "",
                                   cell->text.length, SQLITE_STATIC, SQLITE_UTF8);
    case CELL_NULL:
        break;
    }
    return sqlite3_bind_null(insert, index);
}

bool cells_insert(sqlite3_stmt *insert, const struct cell *cells, size_t count)
{
    int result = SQLITE_OK;
    for (size_t i = 0; i < count && result == SQLITE_OK; i++)
        result = bind_cell(insert, (int)i + 1, &cells[i]);
    bool done = result == SQLITE_OK && sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_reset(insert);
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

void cell_add_text(const struct cell *cell, enum column_form form, struct text *out)
{
    switch (cell->type) {
    case CELL_NULL:
        text_add(out, "", 0);
        return;
    case CELL_INTEGER:
        if (form == FORM_BOOLEAN) {
            text_add_string(out, cell->integer ? "True" : "False");
            return;
        }
        number_add_integer(out, cell->integer);
        return;
    case CELL_REAL:
        number_add_real(out, cell->real);
        return;
    case CELL_TEXT:
        break;
    }
    text_add_view(out, cell->text);
}

bool cell_is_like(const struct cell *self, const char *pattern, struct text *text)
{
    text_clear(text);
    text_add(text, "", 0);
    cell_add_text(self, FORM_PLAIN, text);
    return sqlite3_strglob(pattern, text->items) == 0;
}

/* ------------------------------------------------------------------ Python literals */

struct literal {
    const char *at, *end;
    struct text *out;
    bool tuples;
    unsigned depth;
};

static void sheet_add_value(struct literal *self);

/* The characters of a JSON string that begins at `at`, decoded; at moves behind it. */
static void read_string(struct literal *self, struct text *plain)
{
    text_add(plain, "", 0);
    for (self->at++; self->at < self->end && *self->at != '"'; self->at++) {
        if (*self->at != '\\') {
            text_add_byte(plain, *self->at);
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
            text_add(plain, bytes, utf8_encode((uint32_t)strtoul(digits, NULL, 16), bytes));
        } else {
            text_add_byte(plain, name ? meanings[name - names] : *self->at);
        }
    }
    self->at++;
}

static void add_items(struct literal *self, char closing, char open, char close)
{
    size_t count = 0;
    text_add_byte(self->out, open);
    self->at++;
    while (self->at < self->end && *self->at != closing) {
        if (*self->at == ',' || *self->at == ':') {
            text_add_string(self->out, *self->at == ',' ? ", " : ": ");
            self->at++;
            continue;
        }
        const char *start = self->at;
        sheet_add_value(self);
        count++;
        if (self->at == start) /* a bracket that closes something else: no JSON */
            self->at = self->end;
    }
    self->at++;
    if (count == 1 && open == '(')
        text_add_byte(self->out, ',');
    text_add_byte(self->out, close);
}

static void add_word(struct literal *self)
{
    static const char *const words[][2] = {{"null", "None"}, {"true", "True"}, {"false", "False"}};
    const char *start = self->at;
    static const bool ends[256] = {
        [','] = true, [':'] = true, [']'] = true, ['}'] = true, ['\0'] = true};
    while (self->at < self->end && !ends[(unsigned char)*self->at])
        self->at++;
    struct view word = {start, (size_t)(self->at - start)};
    for (size_t i = 0; i < 3; i++)
        if (view_equal(word, view_of(words[i][0]))) {
            text_add_string(self->out, words[i][1]);
            return;
        }
    text_add_view(self->out, word);
}

static void sheet_add_value(struct literal *self)
{
    enum { DEPTH_MAX = 600 };
    if (self->depth > DEPTH_MAX) { /* deeper than anything that is stored */
        self->at = self->end;
        return;
    }
    self->depth++;
    if (*self->at == '"') {
        /* As repr() writes a str: in single quotes, unless that saves escapes. */
        struct text plain = {0};
        read_string(self, &plain);
        bool has_single = memchr(plain.items, '\'', plain.count);
        char quote = has_single && !memchr(plain.items, '"', plain.count) ? '"' : '\'';
        text_add_byte(self->out, quote);
        for (size_t i = 0; i < plain.count; i++) {
            unsigned char byte = (unsigned char)plain.items[i];
            if (byte == '\\' || byte == (unsigned char)quote)
                text_format(self->out, "\\%c", byte);
            else if (byte == '\n' || byte == '\r' || byte == '\t')
                text_add_string(self->out, byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t");
            else if (byte < 0x20 || byte == 0x7F)
                text_format(self->out, "\\x%02x", byte);
            else
                text_add_byte(self->out, (char)byte);
        }
        text_add_byte(self->out, quote);
        text_free(&plain);
    } else {
        if (*self->at == '{')
            add_items(self, '}', '{', '}');
        else {
            if (*self->at == '[')
                add_items(self, ']', self->tuples ? '(' : '[', self->tuples ? ')' : ']');
            else
                add_word(self);
        }
    }
    self->depth--;
}

void cell_add_python(struct view json, bool tuples, struct text *out)
{
    struct literal self = {json.bytes, json.bytes + json.length, out, tuples, 0};
    if (json.length != 0)
        sheet_add_value(&self);
}

void sheet_add_notes(const struct sheet *self, struct text *out)
{
    bool has_more = self->why_empty || self->not_included_count || self->abstained;
    if (self->window)
        text_format(out, "%s%s", self->window, has_more ? ". " : "");
    if (self->why_empty)
        text_format(out, "No rows: %s", self->why_empty);
    for (size_t i = 0; i < self->not_included_count; i++) {
        text_add_string(out, i ? "; " : self->why_empty ? ". Not included: " : "Not included: ");
        const struct sheet_note *note = &self->not_included[i];
        bool has_count = note->count >= 0, has_time = note->time_ns >= 0;
        text_add_string(out, note->what);
        if (has_count) {
            text_add_string(out, ": ");
            number_add_grouped(out, note->count);
        }
        if (has_time) {
            text_add_string(out, has_count ? ", " : ": ");
            number_add_time(out, note->time_ns);
        }
    }
    bool is_first = !self->why_empty && !self->not_included_count;
    if (self->abstained)
        text_format(out, "%s%s", is_first ? "" : ". ", self->abstained);
}

/* ------------------------------------------------------------------ headings */

enum { HEAD_LINES_MAX = 4 };

static size_t larger(size_t left, size_t right)
{
    return left > right ? left : right;
}

bool column_has_sizes(const struct column *column)
{
    return strcmp(column->unit, "bytes") == 0 && !column->is_key;
}

const char *heading_unit(const struct column *column)
{
    if (column_has_sizes(column))
        return "";
    bool named = strstr(column->heading, column->unit) || strstr(column->heading, "µs") ||
                 strstr(column->heading, "μs"); /* the sign, and the letter */
    return named ? "" : column->unit;
}

void heading_add(const struct column *column, struct text *out)
{
    const char *unit = heading_unit(column);
    text_format(out, "%s%s%s", column->heading, *unit ? " " : "", unit);
}

struct view heading_next_line(const char **at, size_t width)
{
    const char *start = *at, *end = start;
    for (;;) {
        const char *word = end + strspn(end, "_ ");
        word += strcspn(word, "_ ");
        const char *after = word + (*word == '_');
        if (end != start && visible_width((struct view){start, (size_t)(after - start)}) > width)
            break;
        end = after;
        if (!*end)
            break;
    }
    *at = end + strspn(end, " ");
    size_t length = (size_t)(end - start);
    while (length && start[length - 1] == ' ')
        length--;
    return (struct view){start, length};
}

size_t heading_width(const char *heading, size_t least)
{
    for (size_t width = larger(least, 1);; width++) {
        size_t lines = 0, widest = 0;
        for (const char *at = heading; *at; lines++)
            widest = larger(widest, visible_width(heading_next_line(&at, width)));
        if (lines < HEAD_LINES_MAX)
            return larger(widest, least);
    }
}

size_t heading_lines(const char *heading, size_t width)
{
    size_t lines = 0;
    for (const char *at = heading; *at; lines++)
        heading_next_line(&at, width);
    return lines;
}
