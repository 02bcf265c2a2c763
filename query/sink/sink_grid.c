/* sink_grid: aligned columns, and one value a line.
 *
 * Rows of a statement are printed as they come: the first ROWS_MEASURED of them decide the widths.
 */
#include "query/sink/sink.h"
#include "src/base/text.h"
#include "src/base/visible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ cells in columns */

struct grid_column {
    char *name;
    bool is_number; /* all cells so far; aligned right */
    size_t width;   /* in characters */
};

struct grid_cell {
    size_t end; /* where its text ends in grid.text */
    bool is_number;
};

struct grid {
    ARRAY(struct grid_column) columns;
    ARRAY(struct grid_cell) cells;
    ARRAY(struct view) row; /* room for the row that is being printed */
    struct text text;       /* of all cells, one behind the other */
    size_t limit;           /* characters that a row may have; 0 = any number */
    bool boxed;
    bool fitted; /* the columns have their widths */
};

enum { NARROWEST = 8 };

/* ------------------------------------------------------------------ filling */

/* Adds the next cell of the current row; control characters become visible escapes. */
static void grid_add_cell(struct grid *self, struct view text, bool is_number)
{
    struct grid_column *column = &self->columns.items[self->cells.count % self->columns.count];
    size_t start = self->text.count;
    struct grid_cell *cell = array_push(&self->cells);
    visible_add(&self->text, text);
    *cell = (struct grid_cell){self->text.count, is_number};
    if (self->fitted)
        return;
    size_t width = visible_width((struct view){self->text.items + start, cell->end - start});
    if (width > column->width)
        column->width = width;
    if (!is_number && text.length)
        column->is_number = false;
}

/* Characters of a row that belong to no cell. */
static size_t width_between(const struct grid *self)
{
    size_t count = self->columns.count;
    return self->boxed ? 3 * count + 1 : 2 * (count ? count - 1 : 0);
}

/* Narrows the widest columns of text until a row fits; their cells lose their middle. 0 = no
 * limit. Cells that come later do not widen a column: a row with longer ones is printed as it is
 * where it fits, else they are cut, too. */
static void grid_fit(struct grid *self, size_t width)
{
    size_t count = self->columns.count;
    self->limit = width;
    self->fitted = true;
    while (width) {
        size_t sum = width_between(self);
        struct grid_column *widest = NULL, *second = NULL;
        for (size_t i = 0; i < count; i++) {
            struct grid_column *column = &self->columns.items[i];
            sum += column->width;
            if (column->is_number) /* half a number is no number */
                continue;
            if (!widest || column->width > widest->width) {
                second = widest;
                widest = column;
            } else if (!second || column->width > second->width) {
                second = column;
            }
        }
        if (sum <= width || !widest || widest->width <= NARROWEST)
            return;
        size_t target =
            widest->width - (sum - width) < widest->width ? widest->width - (sum - width) : 0;
        size_t floor = second && second->width > NARROWEST ? second->width : NARROWEST;
        if (second && second->width == widest->width)
            floor = widest->width - 1;
        widest->width = target > floor ? target : floor;
    }
}

/* ------------------------------------------------------------------ printing */

static void print_spaces(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

static void print_cell(const struct grid_column *column, struct view text, bool cut, bool pad,
                       FILE *out)
{
    size_t characters = visible_width(text);
    struct text shorter = {0};
    if (cut && characters > column->width) {
        visible_add_cut(&shorter, text, column->width);
        fwrite(shorter.items, 1, shorter.count, out);
        text_free(&shorter);
        return;
    }
    size_t space = characters < column->width ? column->width - characters : 0;
    if (column->is_number)
        print_spaces(out, space);
    fwrite(text.bytes, 1, text.length, out);
    if (!column->is_number && pad)
        print_spaces(out, space);
}

/* True when the row fits as it is. */
static bool row_fits(const struct grid *self, const struct view *texts)
{
    size_t sum = width_between(self);
    for (size_t i = 0; i < self->columns.count; i++) {
        size_t characters = visible_width(texts[i]), width = self->columns.items[i].width;
        sum += characters > width ? characters : width;
    }
    return self->limit == 0 || sum <= self->limit;
}

/* `cells` says which texts are numbers; NULL = none. */
static void print_row(const struct grid *self, const struct view *texts,
                      const struct grid_cell *cells, FILE *out)
{
    size_t count = self->columns.count;
    bool cut = !row_fits(self, texts);
    fputs(self->boxed ? "│ " : "", out);
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        print_cell(&self->columns.items[i], texts[i], cut && !(cells && cells[i].is_number),
                   self->boxed || !is_last, out);
        fputs(self->boxed ? (is_last ? " │" : " │ ") : is_last ? "" : "  ", out);
    }
    fputc('\n', out);
}

static void print_line(const struct grid *self, const char *left, const char *stroke,
                       const char *cross, const char *right, FILE *out)
{
    size_t margin = self->boxed ? 2 : 0;
    fputs(left, out);
    for (size_t i = 0; i < self->columns.count; i++) {
        fputs(i ? cross : "", out);
        for (size_t j = 0; j < self->columns.items[i].width + margin; j++)
            fputs(stroke, out);
    }
    fputs(right, out);
    fputc('\n', out);
}

static void grid_print_rows(const struct grid *self, FILE *out)
{
    size_t columns = self->columns.count, start = 0;
    struct view *texts = self->row.items;
    for (size_t i = 0; i < self->cells.count; i++) {
        size_t end = self->cells.items[i].end;
        texts[i % columns] = (struct view){self->text.items + start, end - start};
        start = end;
        if ((i + 1) % columns == 0)
            print_row(self, texts, &self->cells.items[i + 1 - columns], out);
    }
}

enum { ROWS_MEASURED = 1000 };

struct grid_sink {
    struct sink base;
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
    if (!self->no_headers) {
        const struct grid *grid = &self->grid;
        FILE *out = self->base.out;
        struct view *names = grid->row.items;
        for (size_t i = 0; i < grid->columns.count; i++)
            names[i] = view_of(grid->columns.items[i].name);
        if (grid->boxed)
            print_line(grid, "┌", "─", "┬", "┐", out);
        print_row(grid, names, NULL, out);
        if (grid->boxed)
            print_line(grid, "├", "─", "┼", "┤", out);
        else
            print_line(grid, "", "-", "  ", "", out);
    }
}

static bool plain_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct grid_sink *self = (struct grid_sink *)sink;
    self->sheet = sheet;
    self->grid.boxed = self->is_boxed;
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct text visible = {0};
        struct grid_column *column = NULL;
        visible_add(&visible, view_of(sheet->columns[i].heading));
        array_reserve(&self->grid.row, self->grid.columns.count + 1);
        column = array_push(&self->grid.columns);
        *column = (struct grid_column){visible.items, true, visible_width(text_view(&visible))};
    }
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
    (void)error;
    struct grid_sink *self = (struct grid_sink *)sink;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        text_clear(&self->text);
        struct cell cell = cells[i];
        if (cell.type == CELL_REAL)
            cell.real = with_few_digits(cell.real);
        cell_add_text(&cell, self->sheet->columns[i].form, &self->text);
        grid_add_cell(&self->grid, text_view(&self->text), cells[i].type != CELL_TEXT);
    }
    if (++self->rows >= ROWS_MEASURED) {
        start_grid(self);
        grid_print_rows(&self->grid, self->base.out);
        text_clear(&self->grid.text);
        self->grid.cells.count = 0;
    }
    return true;
}

static bool plain_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct grid_sink *self = (struct grid_sink *)sink;
    start_grid(self);
    grid_print_rows(&self->grid, self->base.out);
    if (self->grid.boxed)
        print_line(&self->grid, "└", "─", "┴", "┘", self->base.out);
    return true;
}

/* ------------------------------------------------------------------ one value a line */

/* A sheet of several begins with its name. */
static bool lines_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    bool is_next = self->sheet != NULL;
    self->grid = (struct grid){0};
    self->rows = 0;
    if (sheet->name) {
        fputs(is_next ? "\n" : "", self->base.out);
        if (!is_next) {
            /* The subject of all sheets stands before the first one. */
            size_t lines = identity_lines(self->identity);
            size_t first = self->identity ? self->identity->first_lines.count : 0;
            for (size_t i = 0; i < first; i++) {
                visible_print(view_of(self->identity->first_lines.items[i].line), self->base.out);
                fputc('\n', self->base.out);
            }
            fputs(first ? "\n" : "", self->base.out);
            for (size_t i = 0; i < lines; i++) {
                text_clear(&self->text);
                identity_add_line(self->identity, i, &self->text);
                visible_print(text_view(&self->text), self->base.out);
                fputc('\n', self->base.out);
            }
            fputs(lines ? "\n" : "", self->base.out);
        }
        visible_print(view_of(sheet->name), self->base.out);
        fputs("\n\n", self->base.out);
    }
    plain_begin(sink, sheet, error);
    return true;
}

static bool lines_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct grid_sink *self = (struct grid_sink *)sink;
    const struct sheet *sheet = self->sheet;
    size_t widest = 0;
    for (size_t i = 0; i < sheet->column_count; i++)
        if (self->grid.columns.items[i].width > widest)
            widest = self->grid.columns.items[i].width;
    fputs(self->rows++ ? "\n" : "", self->base.out);
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct grid_column *column = &self->grid.columns.items[i];
        text_clear(&self->text);
        text_clear(&self->visible);
        cell_add_text(&cells[i], sheet->columns[i].form, &self->text);
        visible_add(&self->visible, text_view(&self->text));
        fprintf(self->base.out, "%s%*s = %s\n", column->name, (int)(widest - column->width), "",
                self->visible.items);
    }
    return true;
}

static bool lines_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct grid_sink *self = (struct grid_sink *)sink;
    text_clear(&self->text);
    sheet_add_notes(self->sheet, &self->text);
    if (self->text.count) {
        fputs(self->rows ? "\n" : "", self->base.out);
        visible_print(text_view(&self->text), self->base.out);
        fputc('\n', self->base.out);
    }
    return true;
}

/* ------------------------------------------------------------------ making them */

static struct sink *new_grid(const struct sink_target *target, bool is_boxed)
{
    struct sink base = {
        .out = target->out, .begin = plain_begin, .row = plain_row, .end = plain_end};
    struct grid_sink *self = sink_new(sizeof *self, base);
    self->width = target->width;
    self->is_boxed = is_boxed;
    self->no_headers = target->no_headers && !is_boxed; /* a frame begins with them */
    return &self->base;
}

struct sink *sink_grid(const struct sink_target *target, struct error *error)
{
    (void)error;
    return new_grid(target, false);
}

struct sink *sink_box(const struct sink_target *target, struct error *error)
{
    (void)error;
    return new_grid(target, true);
}

struct sink *sink_lines(const struct sink_target *target, struct error *error)
{
    (void)error;
    struct sink *self = new_grid(target, false);
    ((struct grid_sink *)self)->identity = target->identity;
    self->has_notes = true;
    self->begin = lines_begin;
    self->row = lines_row;
    self->end = lines_end;
    return self;
}
