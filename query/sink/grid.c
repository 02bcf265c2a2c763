/* grid: see grid.h. */
#include "query/sink/grid.h"
#include "src/base/visible.h"

#include <string.h>

enum { NARROWEST = 8 };

/* ------------------------------------------------------------------ filling */

bool grid_add_column(struct grid *self, const char *name)
{
    struct text visible = {0};
    struct grid_column *column = NULL;
    if (visible_add(&visible, view_of(name)) && array_reserve(&self->row, self->columns.count + 1))
        column = array_push(&self->columns);
    if (!column) {
        text_free(&visible);
        return false;
    }
    *column = (struct grid_column){visible.items, true, visible_width(text_view(&visible))};
    return true;
}

bool grid_add_cell(struct grid *self, struct view text, bool is_number)
{
    struct grid_column *column = &self->columns.items[self->cells.count % self->columns.count];
    size_t start = self->text.count;
    struct grid_cell *cell = array_push(&self->cells);
    if (!cell || !visible_add(&self->text, text))
        return false;
    *cell = (struct grid_cell){self->text.count, is_number};
    if (self->fitted)
        return true;
    size_t width = visible_width((struct view){self->text.items + start, cell->end - start});
    if (width > column->width)
        column->width = width;
    if (!is_number && text.length)
        column->is_number = false;
    return true;
}

/* Characters of a row that belong to no cell. */
static size_t width_between(const struct grid *self)
{
    size_t count = self->columns.count;
    return self->boxed ? 3 * count + 1 : 2 * (count ? count - 1 : 0);
}

void grid_fit(struct grid *self, size_t width)
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
        if (visible_add_cut(&shorter, text, column->width))
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

void grid_print_head(const struct grid *self, FILE *out)
{
    struct view *names = self->row.items;
    for (size_t i = 0; i < self->columns.count; i++)
        names[i] = view_of(self->columns.items[i].name);
    if (self->boxed)
        print_line(self, "┌", "─", "┬", "┐", out);
    print_row(self, names, NULL, out);
    if (self->boxed)
        print_line(self, "├", "─", "┼", "┤", out);
    else
        print_line(self, "", "-", "  ", "", out);
}

void grid_print_rows(const struct grid *self, FILE *out)
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

void grid_print_foot(const struct grid *self, FILE *out)
{
    if (self->boxed)
        print_line(self, "└", "─", "┴", "┘", out);
}

void grid_clear_rows(struct grid *self)
{
    text_clear(&self->text);
    self->cells.count = 0;
}

void grid_free(struct grid *self)
{
    for (size_t i = 0; i < self->columns.count; i++)
        free(self->columns.items[i].name);
    array_free(&self->columns);
    array_free(&self->cells);
    array_free(&self->row);
    text_free(&self->text);
}
