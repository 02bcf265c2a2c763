/* grid: see grid.h. */
#include "grid.h"

#include <string.h>

enum { NARROWEST = 8 };

/* ------------------------------------------------------------------ characters */

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static size_t character_count(struct view text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += !is_continuation(text.bytes[i]);
    return count;
}

/* Bytes of the first `count` characters. */
static size_t bytes_of(struct view text, size_t count)
{
    size_t i = 0;
    for (; i < text.length; i++)
        if (!is_continuation(text.bytes[i]) && count-- == 0)
            break;
    return i;
}

bool grid_add_visible(struct text *out, struct view text)
{
    const char *at = text.bytes, *end = at + text.length;
    bool done = text_add(out, "", 0);
    while (at < end && done) {
        uint32_t code;
        size_t size = utf8_decode((const unsigned char *)at, (size_t)(end - at), &code);
        if (size == 0)
            done = text_format(out, "\\x%02x", (unsigned char)*at);
        else if (code == '\n' || code == '\t' || code == '\r')
            done = text_add(out, code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r", 2);
        else if (code < 0x20 || (code >= 0x7F && code < 0xA0))
            done = text_format(out, "\\x%02x", (unsigned)code);
        else if ((code >= 0x200E && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
                 (code >= 0x2066 && code <= 0x2069)) /* turns the direction of a line around */
            done = text_format(out, "\\u%04x", (unsigned)code);
        else
            done = text_add(out, at, size);
        at += size ? size : 1;
    }
    return done;
}

/* ------------------------------------------------------------------ filling */

bool grid_add_column(struct grid *self, const char *name)
{
    struct text visible = {0};
    struct grid_column *column = NULL;
    if (grid_add_visible(&visible, view_of(name)) &&
        array_reserve(&self->row, self->columns.count + 1))
        column = array_push(&self->columns);
    if (!column) {
        text_free(&visible);
        return false;
    }
    *column = (struct grid_column){visible.items, true,
                                   character_count((struct view){visible.items, visible.count})};
    return true;
}

bool grid_add_cell(struct grid *self, struct view text, bool is_number)
{
    struct grid_column *column = &self->columns.items[self->ends.count % self->columns.count];
    size_t start = self->cells.count;
    size_t *end = array_push(&self->ends);
    if (!end || !grid_add_visible(&self->cells, text))
        return false;
    *end = self->cells.count;
    struct view visible = {self->cells.items + start, *end - start};
    size_t width = character_count(visible);
    if (width > column->width)
        column->width = width;
    if (!is_number && text.length)
        column->is_number = false;
    return true;
}

void grid_fit(struct grid *self, size_t width)
{
    size_t count = self->columns.count;
    size_t between = self->boxed ? 3 * count + 1 : 2 * (count ? count - 1 : 0);
    while (width) {
        size_t sum = between;
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

static void print_cell(const struct grid_column *column, struct view text, bool is_last, bool boxed,
                       FILE *out)
{
    size_t characters = character_count(text);
    if (characters > column->width) {
        size_t head = column->width / 2, tail = column->width - head - 1;
        size_t tail_start = bytes_of(text, characters - tail);
        fwrite(text.bytes, 1, bytes_of(text, head), out);
        fputs("…", out);
        fwrite(text.bytes + tail_start, 1, text.length - tail_start, out);
        return;
    }
    size_t space = column->width - characters;
    if (column->is_number)
        print_spaces(out, space);
    fwrite(text.bytes, 1, text.length, out);
    if (!column->is_number && (boxed || !is_last))
        print_spaces(out, space);
}

static void print_row(const struct grid *self, const struct view *cells, FILE *out)
{
    size_t count = self->columns.count;
    fputs(self->boxed ? "│ " : "", out);
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        print_cell(&self->columns.items[i], cells[i], is_last, self->boxed, out);
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
    print_row(self, names, out);
    if (self->boxed)
        print_line(self, "├", "─", "┼", "┤", out);
    else
        print_line(self, "", "-", "  ", "", out);
}

void grid_print_rows(const struct grid *self, FILE *out)
{
    size_t columns = self->columns.count, start = 0;
    struct view *cells = self->row.items;
    for (size_t i = 0; i < self->ends.count; i++) {
        cells[i % columns] = (struct view){self->cells.items + start, self->ends.items[i] - start};
        start = self->ends.items[i];
        if ((i + 1) % columns == 0)
            print_row(self, cells, out);
    }
}

void grid_print_foot(const struct grid *self, FILE *out)
{
    if (self->boxed)
        print_line(self, "└", "─", "┴", "┘", out);
}

void grid_clear_rows(struct grid *self)
{
    text_clear(&self->cells);
    self->ends.count = 0;
}

void grid_free(struct grid *self)
{
    for (size_t i = 0; i < self->columns.count; i++)
        free(self->columns.items[i].name);
    array_free(&self->columns);
    array_free(&self->row);
    array_free(&self->ends);
    text_free(&self->cells);
}
