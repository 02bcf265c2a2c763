/* sink_grid: aligned columns, and one value a line.
 *
 * Rows of a statement are printed as they come: the first ROWS_MEASURED of them decide the widths.
 */
#include "query/sink/sink.h"

#include "query/sink/grid.h"
#include "src/base/visible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_MEASURED = 1000 };

struct grid_sink {
    struct sink base;
    FILE *out;
    size_t width;
    bool is_boxed, no_headers;
    const struct sheet *sheet;
    const struct identity *identity; /* said before sheets that have a name */
    struct grid grid;
    struct text text;
    struct text visible;
    int64_t rows;
    bool started;
};

/* ------------------------------------------------------------------ plain rows */

static void start_grid(struct grid_sink *self)
{
    if (self->started)
        return;
    self->started = true;
    grid_fit(&self->grid, self->width);
    if (!self->no_headers)
        grid_print_head(&self->grid, self->out);
}

static bool plain_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    self->sheet = sheet;
    self->grid.boxed = self->is_boxed;
    for (size_t i = 0; i < sheet->column_count; i++)
        if (!grid_add_column(&self->grid, sheet->columns[i].heading))
            return error_memory(error);
    return true;
}

/* The value with the digits that people read: two decimals, or four digits below 1. */
static double with_few_digits(double value)
{
    char digits[40];
    if (!isfinite(value) || fabs(value) >= 1e15)
        return value;
    snprintf(digits, sizeof digits, fabs(value) < 1 ? "%.4g" : "%.2f", value);
    return strtod(digits, NULL);
}

static bool plain_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        text_clear(&self->text);
        struct cell cell = cells[i];
        if (cell.type == CELL_REAL)
            cell.real = with_few_digits(cell.real);
        if (!cell_add_text(&cell, self->sheet->columns[i].form, &self->text) ||
            !grid_add_cell(&self->grid, text_view(&self->text), cells[i].type != CELL_TEXT))
            return error_memory(error);
    }
    if (++self->rows >= ROWS_MEASURED) {
        start_grid(self);
        grid_print_rows(&self->grid, self->out);
        grid_clear_rows(&self->grid);
    }
    return true;
}

static bool plain_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct grid_sink *self = (struct grid_sink *)sink;
    start_grid(self);
    grid_print_rows(&self->grid, self->out);
    grid_print_foot(&self->grid, self->out);
    return true;
}

/* ------------------------------------------------------------------ one value a line */

/* The subject of all sheets stands before the first one. */
static bool print_identity(struct grid_sink *self)
{
    size_t lines = identity_lines(self->identity);
    size_t first = self->identity ? self->identity->first_lines.count : 0;
    bool done = true;
    for (size_t i = 0; i < first; i++) {
        visible_print(view_of(self->identity->first_lines.items[i].line), self->out);
        fputc('\n', self->out);
    }
    fputs(first ? "\n" : "", self->out);
    for (size_t i = 0; i < lines && done; i++) {
        text_clear(&self->text);
        done = identity_add_line(self->identity, i, &self->text);
        visible_print(text_view(&self->text), self->out);
        fputc('\n', self->out);
    }
    fputs(lines ? "\n" : "", self->out);
    return done;
}

/* A sheet of several begins with its name. */
static bool lines_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    bool is_next = self->sheet != NULL;
    grid_free(&self->grid);
    self->grid = (struct grid){0};
    self->rows = 0;
    if (sheet->name) {
        fputs(is_next ? "\n" : "", self->out);
        if (!is_next && !print_identity(self))
            return error_memory(error);
        visible_print(view_of(sheet->name), self->out);
        fputs("\n\n", self->out);
    }
    return plain_begin(sink, sheet, error);
}

static bool lines_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    const struct sheet *sheet = self->sheet;
    size_t widest = 0;
    for (size_t i = 0; i < sheet->column_count; i++)
        if (self->grid.columns.items[i].width > widest)
            widest = self->grid.columns.items[i].width;
    fputs(self->rows++ ? "\n" : "", self->out);
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct grid_column *column = &self->grid.columns.items[i];
        text_clear(&self->text);
        text_clear(&self->visible);
        if (!cell_add_text(&cells[i], sheet->columns[i].form, &self->text) ||
            !visible_add(&self->visible, text_view(&self->text)))
            return error_memory(error);
        fprintf(self->out, "%s%*s = %s\n", column->name, (int)(widest - column->width), "",
                self->visible.items);
    }
    return true;
}

static bool lines_end(struct sink *sink, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    text_clear(&self->text);
    if (!sheet_add_notes(self->sheet, &self->text))
        return error_memory(error);
    if (self->text.count) {
        fputs(self->rows ? "\n" : "", self->out);
        visible_print(text_view(&self->text), self->out);
        fputc('\n', self->out);
    }
    return true;
}

/* ------------------------------------------------------------------ making them */

static bool grid_finish(struct sink *sink, struct error *error)
{
    return sink_check_stream(((struct grid_sink *)sink)->out, "the output", error);
}

static void grid_sink_free(struct sink *sink)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    grid_free(&self->grid);
    text_free(&self->text);
    text_free(&self->visible);
    free(self);
}

static struct sink *new_grid(const struct sink_target *target, bool is_boxed, struct error *error)
{
    struct sink base = {.begin = plain_begin,
                        .row = plain_row,
                        .end = plain_end,
                        .finish = grid_finish,
                        .free = grid_sink_free};
    struct grid_sink *self = sink_new(sizeof *self, base, error);
    if (!self)
        return NULL;
    self->out = target->out;
    self->width = target->width;
    self->is_boxed = is_boxed;
    self->no_headers = target->no_headers && !is_boxed; /* a frame begins with them */
    return &self->base;
}

struct sink *sink_grid(const struct sink_target *target, struct error *error)
{
    return new_grid(target, false, error);
}

struct sink *sink_box(const struct sink_target *target, struct error *error)
{
    return new_grid(target, true, error);
}

struct sink *sink_lines(const struct sink_target *target, struct error *error)
{
    struct sink *self = new_grid(target, false, error);
    if (self) {
        ((struct grid_sink *)self)->identity = target->identity;
        self->has_notes = true;
        self->begin = lines_begin;
        self->row = lines_row;
        self->end = lines_end;
    }
    return self;
}
