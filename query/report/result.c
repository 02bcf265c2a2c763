/* result: see result.h. A cell is a byte for its type, then eight bytes of a number, or the length
 * and bytes of a text, or the number of one that is kept once. */
#include "query/report/result.h"

#include "sql/database.h"
#include "src/base/visible.h"

#include <string.h>

/* A list of a thousand ranks stands in every row about them. */
enum { SHORT = 32, SHARED = 0x40, ABSTAINED = 0x20 };
_Static_assert((int)CELL_TEXT < (int)ABSTAINED, "no type of a cell says that it is shared");

void result_init(struct result *self, size_t column_count)
{
    *self = (struct result){.column_count = column_count};
    array_reserve(&self->columns, column_count + 1);
    for (size_t i = 0; i < column_count; i++)
        self->columns.items[i] = (struct result_column){.is_number = true};
    self->columns.count = column_count;
}

void result_free(struct result *self)
{
    array_free(&self->bytes);
    intern_free(&self->words);
    array_free(&self->columns);
}

/* Numbers are measured by their digits alone: good enough for the width of a column. */
static size_t width_of(const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        return visible_width(cell->text);
    if (cell->type == CELL_NULL)
        return 0;
    double value = cell->type == CELL_REAL ? cell->real : (double)cell->integer;
    size_t width = cell->type == CELL_REAL ? 5 : 1;
    value = value < 0 ? -value : value;
    for (double bound = 10; value >= bound && width < 20; bound *= 10)
        width++;
    return width;
}

static void measure(struct result_column *self, const struct cell *cell)
{
    bool is_narrow = cell->type == CELL_TEXT && cell->text.length <= self->width;
    size_t width;
    if (is_narrow)
        width = 0;
    else
        width = width_of(cell);
    bool is_zero = (cell->type == CELL_INTEGER && cell->integer == 0) ||
                   (cell->type == CELL_REAL && cell->real == 0);
    self->is_zero =
        is_zero ? self->is_zero || !self->any : cell->type == CELL_NULL && self->is_zero;
    self->any |= cell->type != CELL_NULL;
    self->is_number &= cell->type != CELL_TEXT;
    self->width = width > self->width ? width : self->width;
}

/* The most bytes that a value takes of a cell behind its type. */
enum { ROOM = sizeof(uint32_t) + SHORT };

static char *put(char *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static char *put_text(struct result *self, char *at, struct view text)
{
    uint32_t length = (uint32_t)text.length;
    if (length <= SHORT) {
        *at++ = CELL_TEXT;
        at = put(at, &length, sizeof length);
        return length ? put(at, text.bytes, length) : at;
    }
    uint32_t number = intern_add(&self->words, text.bytes, length);
    *at++ = (char)(CELL_TEXT | SHARED);
    return put(at, &number, sizeof number);
}

/* Gives the place behind it. */
static char *put_cell(struct result *self, char *at, const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        return put_text(self, at, cell->text);
    *at++ = (char)((int)cell->type | (cell->is_abstained ? ABSTAINED : 0));
    if (cell->type == CELL_INTEGER)
        return put(at, &cell->integer, sizeof cell->integer);
    return cell->type == CELL_REAL ? put(at, &cell->real, sizeof cell->real) : at;
}

void result_add(struct result *self, const struct cell *cells)
{
    array_reserve(&self->bytes, self->column_count * (1 + ROOM));
    char *at = self->bytes.items + self->bytes.count;
    for (size_t i = 0; i < self->column_count; i++) {
        measure(&self->columns.items[i], &cells[i]);
        at = put_cell(self, at, &cells[i]);
    }
    self->bytes.count = (size_t)(at - self->bytes.items);
    self->rows++;
}

static void result_take(const struct result *self, struct result_cursor *cursor, void *out,
                        size_t size)
{
    memcpy(out, self->bytes.items + cursor->at, size);
    cursor->at += size;
}

static struct view take_text(const struct result *self, struct result_cursor *cursor, bool shared)
{
    uint32_t number; /* of a shared text, or how long it is */
    result_take(self, cursor, &number, sizeof number);
    if (shared)
        return intern_view(&self->words, number);
    struct view text = {self->bytes.items + cursor->at, number};
    cursor->at += number;
    return text;
}

bool result_next(const struct result *self, struct result_cursor *cursor, struct cell *cells)
{
    if (cursor->at >= self->bytes.count)
        return false;
    for (size_t i = 0; i < self->column_count; i++) {
        struct cell *cell = &cells[i];
        unsigned char type = (unsigned char)self->bytes.items[cursor->at++];
        *cell = (struct cell){.type = (enum cell_type)(type & ~(SHARED | ABSTAINED)),
                              .is_abstained = type & ABSTAINED};
        if (cell->type == CELL_INTEGER)
            result_take(self, cursor, &cell->integer, sizeof cell->integer);
        else if (cell->type == CELL_REAL)
            result_take(self, cursor, &cell->real, sizeof cell->real);
        else if (cell->type == CELL_TEXT)
            cell->text = take_text(self, cursor, type & SHARED);
    }
    return true;
}

bool result_read(sqlite3_stmt *rows, struct text *scratch, struct cell *cells, const char *what,
                 bool *done, struct error *error)
{
    int result = *done ? sqlite3_step(rows) : SQLITE_DONE;
    if (result == SQLITE_ROW)
        cells_of_statement(rows, (size_t)sqlite3_column_count(rows), scratch, cells);
    else if (result != SQLITE_DONE)
        *done = database_error(sqlite3_db_handle(rows), what, error);
    return *done && result == SQLITE_ROW;
}
