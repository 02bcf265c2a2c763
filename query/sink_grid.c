/* sink_grid: aligned columns, and one value a line.
 *
 * Rows of a statement are printed as they come: the first ROWS_MEASURED of them decide the widths.
 * A decorated sheet is gathered first, so that it can be laid out: a title, grouped digits, units
 * below the headings, only the columns that fit, only the first rows; what is left out is said.
 */
#include "sink.h"

#include "base/number.h"
#include "grid.h"

#include <math.h>
#include <string.h>

enum { ROWS_MEASURED = 1000, NARROWEST_TEXT = 12 };

struct grid_sink {
    struct sink base;
    FILE *out;
    struct grid_options options;
    const struct sheet *sheet;
    struct grid grid;
    struct text text;
    int64_t rows;
    size_t sheets;
    bool started;
    /* of a decorated sheet */
    struct text cells;     /* texts of the rows that are shown, one behind the other */
    ARRAY(size_t) ends;    /* of each text */
    ARRAY(uint8_t) shades; /* of each cell */
    ARRAY(size_t) shown;   /* columns */
};

/* ------------------------------------------------------------------ plain rows */

static void start_grid(struct grid_sink *self)
{
    if (self->started)
        return;
    self->started = true;
    grid_fit(&self->grid, self->options.width);
    grid_print_head(&self->grid, self->out);
}

static bool plain_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    self->sheet = sheet;
    self->grid.boxed = self->options.boxed;
    for (size_t i = 0; i < sheet->column_count; i++)
        if (!grid_add_column(&self->grid, sheet->columns[i].heading))
            return error_memory(error);
    return true;
}

static bool plain_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        text_clear(&self->text);
        if (!cell_add_text(&cells[i], self->sheet->columns[i].form, &self->text) ||
            !grid_add_cell(&self->grid, (struct view){self->text.items, self->text.count},
                           cells[i].type != CELL_TEXT))
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

/* ------------------------------------------------------------------ cells for people */

static bool add_for_people(struct text *out, const struct column *column, const struct cell *cell)
{
    if (cell->type == CELL_INTEGER && column->form != FORM_BOOLEAN)
        return number_add_grouped(out, cell->integer);
    if (cell->type == CELL_REAL)
        return number_add_rounded(out, cell->real, column->unit);
    if (cell->type == CELL_TEXT)
        return grid_add_visible(out, cell->text);
    return cell_add_text(cell, column->form, out);
}

/* ------------------------------------------------------------------ colours */

enum shade { SHADE_NONE, SHADE_GOOD, SHADE_FAIR, SHADE_BAD };

/* Shares say by themselves whether they are good; other figures need something to compare with. */
static enum shade shade_of(const struct column *column, const struct cell *cell)
{
    enum { BAD_SHARE = 50, FAIR_SHARE = 20 };
    if (column->polarity == POLARITY_NONE || strcmp(column->unit, "%") != 0 ||
        !cell_is_number(cell))
        return SHADE_NONE;
    double share = cell->type == CELL_REAL ? cell->real : (double)cell->integer;
    if (column->polarity == POLARITY_HIGHER)
        share = 100 - share;
    return share >= BAD_SHARE ? SHADE_BAD : share >= FAIR_SHARE ? SHADE_FAIR : SHADE_GOOD;
}

static void print_shaded(struct grid_sink *self, struct view text, enum shade shade)
{
    static const char *const codes[] = {"", "\033[32m", "\033[33m", "\033[31m"};
    bool coloured = self->options.colour && shade != SHADE_NONE;
    if (coloured)
        fputs(codes[shade], self->out);
    fwrite(text.bytes, 1, text.length, self->out);
    if (coloured)
        fputs("\033[0m", self->out);
}

/* ------------------------------------------------------------------ decorated sheets */

static bool sheet_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct grid_sink *self = (struct grid_sink *)sink;
    self->sheet = sheet;
    self->rows = 0;
    text_clear(&self->cells);
    self->ends.count = self->shades.count = self->shown.count = 0;
    return true;
}

static bool sheet_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    if (self->options.top && self->rows++ >= self->options.top)
        return true;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t *end = array_push(&self->ends);
        uint8_t *shade = array_push(&self->shades);
        if (!end || !shade || !add_for_people(&self->cells, column, &cells[i]))
            return error_memory(error);
        *end = self->cells.count;
        *shade = (uint8_t)shade_of(column, &cells[i]);
    }
    return true;
}

static struct view cell_at(const struct grid_sink *self, size_t row, size_t column)
{
    size_t i = row * self->sheet->column_count + column;
    size_t start = i ? self->ends.items[i - 1] : 0;
    return (struct view){self->cells.items + start, self->ends.items[i] - start};
}

/* A unit that the heading does not name already. */
static const char *unit_to_show(const struct column *column)
{
    return strstr(column->heading, column->unit) || strstr(column->heading, "µs") ? ""
                                                                                  : column->unit;
}

static size_t larger(size_t left, size_t right)
{
    return left > right ? left : right;
}

/* Widths of all columns by what is in them. */
static bool measure(const struct grid_sink *self, size_t *widths, size_t rows)
{
    struct text visible = {0};
    bool done = true;
    for (size_t i = 0; i < self->sheet->column_count && done; i++) {
        const struct column *column = &self->sheet->columns[i];
        text_clear(&visible);
        done = grid_add_visible(&visible, view_of(column->heading));
        widths[i] = done ? grid_width((struct view){visible.items, visible.count}) : 0;
        widths[i] = larger(widths[i], grid_width(view_of(unit_to_show(column))));
        for (size_t row = 0; row < rows; row++)
            widths[i] = larger(widths[i], grid_width(cell_at(self, row, i)));
    }
    text_free(&visible);
    return done;
}

/* The least that a column can be narrowed to. */
static size_t narrowest(const struct column *column, size_t width)
{
    return column->is_number || width < NARROWEST_TEXT ? width : NARROWEST_TEXT;
}

/* Chooses the columns that fit: details go first, then from the right. */
static bool choose_columns(struct grid_sink *self, const size_t *widths)
{
    size_t limit = self->options.width ? self->options.width : SIZE_MAX, sum = 0;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t least = narrowest(column, widths[i]) + (self->shown.count ? 2 : 0);
        if ((column->is_detail && self->options.width) ||
            (self->shown.count && least > limit - sum))
            continue;
        size_t *shown = array_push(&self->shown);
        if (!shown)
            return false;
        *shown = i;
        sum += least;
    }
    return true;
}

/* Takes width from the widest texts until all fits. */
static void narrow(const struct grid_sink *self, size_t *widths)
{
    while (self->options.width) {
        size_t sum = 0, widest = SIZE_MAX;
        for (size_t i = 0; i < self->shown.count; i++) {
            size_t column = self->shown.items[i];
            sum += widths[column] + (i ? 2 : 0);
            bool can = !self->sheet->columns[column].is_number && widths[column] > NARROWEST_TEXT;
            if (can && (widest == SIZE_MAX || widths[column] > widths[widest]))
                widest = column;
        }
        if (sum <= self->options.width || widest == SIZE_MAX)
            return;
        widths[widest]--;
    }
}

static void print_spaces(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

static void print_aligned(struct grid_sink *self, struct view text, size_t width, bool right,
                          bool last, enum shade shade)
{
    text_clear(&self->text);
    if (grid_add_cut(&self->text, text, width))
        text = (struct view){self->text.items, self->text.count};
    size_t used = grid_width(text), space = used < width ? width - used : 0;
    if (right)
        print_spaces(self->out, space);
    print_shaded(self, text, shade);
    if (!right && !last)
        print_spaces(self->out, space);
}

typedef struct view text_of_column(const struct column *column);

static struct view heading_of(const struct column *column)
{
    return view_of(column->heading);
}

static struct view unit_of(const struct column *column)
{
    return view_of(unit_to_show(column));
}

static void print_words(struct grid_sink *self, const size_t *widths, text_of_column *text)
{
    for (size_t i = 0; i < self->shown.count; i++) {
        const struct column *column = &self->sheet->columns[self->shown.items[i]];
        fputs(i ? "  " : "", self->out);
        print_aligned(self, text(column), widths[self->shown.items[i]], column->is_number,
                      i + 1 == self->shown.count, SHADE_NONE);
    }
    fputc('\n', self->out);
}

static void print_head(struct grid_sink *self, const size_t *widths)
{
    bool units = false;
    const char *bold = self->options.colour ? "\033[1m" : "";
    fprintf(self->out, "%s%s%s%s\n", self->sheets++ ? "\n" : "", bold, self->sheet->name,
            self->options.colour ? "\033[0m" : "");
    if (self->sheet->title)
        fprintf(self->out, "%s\n", self->sheet->title);
    for (size_t i = 0; i < self->shown.count; i++)
        units |= *unit_to_show(&self->sheet->columns[self->shown.items[i]]) != '\0';
    print_words(self, widths, heading_of);
    if (units)
        print_words(self, widths, unit_of);
    for (size_t i = 0; i < self->shown.count; i++) {
        fputs(i ? "  " : "", self->out);
        for (size_t j = 0; j < widths[self->shown.items[i]]; j++)
            fputc('-', self->out);
    }
    fputc('\n', self->out);
}

static void print_sheet(struct grid_sink *self, size_t *widths, size_t rows)
{
    narrow(self, widths);
    print_head(self, widths);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < self->shown.count; i++) {
            size_t column = self->shown.items[i];
            uint8_t shade = self->shades.items[row * self->sheet->column_count + column];
            fputs(i ? "  " : "", self->out);
            print_aligned(self, cell_at(self, row, column), widths[column],
                          self->sheet->columns[column].is_number, i + 1 == self->shown.count,
                          (enum shade)shade);
        }
        fputc('\n', self->out);
    }
    size_t hidden = self->sheet->column_count - self->shown.count;
    int64_t more = self->rows - (int64_t)rows;
    if (more > 0)
        fprintf(self->out, "%lld more row%s (--top 0 shows all)%s", (long long)more,
                more == 1 ? "" : "s", hidden ? ", " : "\n");
    if (hidden)
        fprintf(self->out, "%zu more column%s (--wide)\n", hidden, hidden == 1 ? "" : "s");
}

static bool sheet_end(struct sink *sink, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    size_t columns = self->sheet->column_count, rows = columns ? self->ends.count / columns : 0;
    size_t *widths = calloc(columns + 1, sizeof *widths);
    bool done = widths && measure(self, widths, rows) && choose_columns(self, widths);
    if (done)
        print_sheet(self, widths, rows);
    free(widths);
    return done || error_memory(error);
}

/* ------------------------------------------------------------------ one value a line */

static bool lines_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct grid_sink *self = (struct grid_sink *)sink;
    const struct sheet *sheet = self->sheet;
    size_t widest = 0;
    for (size_t i = 0; i < sheet->column_count; i++)
        widest = larger(widest, self->grid.columns.items[i].width);
    fputs(self->rows++ ? "\n" : "", self->out);
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct grid_column *column = &self->grid.columns.items[i];
        text_clear(&self->text);
        text_clear(&self->cells);
        if (!cell_add_text(&cells[i], sheet->columns[i].form, &self->text) ||
            !grid_add_visible(&self->cells, (struct view){self->text.items, self->text.count}))
            return error_memory(error);
        fprintf(self->out, "%s%*s = %s\n", column->name, (int)(widest - column->width), "",
                self->cells.items);
    }
    return true;
}

static bool lines_end(struct sink *sink, struct error *error)
{
    (void)sink, (void)error;
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
    text_free(&self->cells);
    array_free(&self->ends);
    array_free(&self->shades);
    array_free(&self->shown);
    free(self);
}

static struct sink *new_sink(FILE *out, const struct grid_options *options, struct sink base,
                             struct error *error)
{
    struct grid_sink *self = calloc(1, sizeof *self);
    if (!self) {
        error_memory(error);
        return NULL;
    }
    self->base = base;
    self->out = out;
    if (options)
        self->options = *options;
    return &self->base;
}

struct sink *sink_grid(FILE *out, const struct grid_options *options, struct error *error)
{
    struct sink plain = {plain_begin, plain_row, plain_end, grid_finish, grid_sink_free};
    struct sink decorated = {sheet_begin, sheet_row, sheet_end, grid_finish, grid_sink_free};
    return new_sink(out, options, options->decorated ? decorated : plain, error);
}

struct sink *sink_lines(FILE *out, struct error *error)
{
    struct sink base = {plain_begin, lines_row, lines_end, grid_finish, grid_sink_free};
    return new_sink(out, NULL, base, error);
}
