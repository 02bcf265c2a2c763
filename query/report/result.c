/* result: see result.h. A cell is a byte for its type, then eight bytes of a number, or the length
 * and bytes of a text, or the number of one that is kept once. */
#include "query/report/result.h"

#include "sql/database.h"
#include "src/base/visible.h"

#include <string.h>

/* A list of a thousand ranks stands in every row about them. */
enum { SHORT = 32, SHARED = 0x40 };
_Static_assert((int)CELL_TEXT < (int)SHARED, "no type of a cell says that it is shared");

bool result_init(struct result *self, size_t column_count)
{
    *self = (struct result){.column_count = column_count};
    if (!array_reserve(&self->columns, column_count + 1))
        return false;
    for (size_t i = 0; i < column_count; i++)
        self->columns.items[i] = (struct result_column){.is_number = true};
    self->columns.count = column_count;
    return true;
}

void result_free(struct result *self)
{
    text_free(&self->bytes);
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
    for (value = value < 0 ? -value : value; value >= 10 && width < 20; value /= 10)
        width++;
    return width;
}

static bool add_text(struct result *self, struct view text)
{
    uint32_t length = (uint32_t)text.length;
    if (length <= SHORT)
        return text_add_byte(&self->bytes, CELL_TEXT) &&
               text_add(&self->bytes, &length, sizeof length) &&
               text_add(&self->bytes, text.bytes, length);
    uint32_t number = intern_add(&self->words, text.bytes, length);
    return number && text_add_byte(&self->bytes, (char)(CELL_TEXT | SHARED)) &&
           text_add(&self->bytes, &number, sizeof number);
}

static bool add_cell(struct result *self, const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        return add_text(self, cell->text);
    bool done = text_add_byte(&self->bytes, (char)cell->type);
    if (cell->type == CELL_INTEGER)
        done = done && text_add(&self->bytes, &cell->integer, sizeof cell->integer);
    else if (cell->type == CELL_REAL)
        done = done && text_add(&self->bytes, &cell->real, sizeof cell->real);
    return done;
}

bool result_add(struct result *self, const struct cell *cells)
{
    bool done = true;
    for (size_t i = 0; i < self->column_count && done; i++) {
        const struct cell *cell = &cells[i];
        struct result_column *column = &self->columns.items[i];
        size_t width = width_of(cell);
        column->any |= cell->type != CELL_NULL;
        column->is_number &= cell->type != CELL_TEXT;
        column->width = width > column->width ? width : column->width;
        done = add_cell(self, cell);
    }
    self->rows += done;
    return done;
}

static void take(const struct result *self, struct result_cursor *cursor, void *out, size_t size)
{
    memcpy(out, self->bytes.items + cursor->at, size);
    cursor->at += size;
}

static struct view take_text(const struct result *self, struct result_cursor *cursor, bool shared)
{
    uint32_t number; /* of a shared text, or how long it is */
    take(self, cursor, &number, sizeof number);
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
        *cell = (struct cell){.type = (enum cell_type)(type & ~SHARED)};
        if (cell->type == CELL_INTEGER)
            take(self, cursor, &cell->integer, sizeof cell->integer);
        else if (cell->type == CELL_REAL)
            take(self, cursor, &cell->real, sizeof cell->real);
        else if (cell->type == CELL_TEXT)
            cell->text = take_text(self, cursor, type & SHARED);
    }
    return true;
}

bool result_fill(struct result *self, sqlite3_stmt *statement, const char *what,
                 struct error *error)
{
    struct cell *cells = calloc(self->column_count + 1, sizeof *cells);
    struct text scratch = {0};
    bool done = cells || error_memory(error);
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(statement)) == SQLITE_ROW)
        done = (cells_of_statement(statement, self->column_count, &scratch, cells) &&
                result_add(self, cells)) ||
               error_memory(error);
    if (done && result != SQLITE_DONE)
        done = database_error(sqlite3_db_handle(statement), what, error);
    text_free(&scratch);
    free(cells);
    return done;
}
