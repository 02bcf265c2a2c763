/* grid: see grid.h. */
#include "query/sink/grid.h"

#include <stdio.h>
#include <string.h>

enum { NARROWEST = 8 };

/* ------------------------------------------------------------------ characters */

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t grid_width(struct view text)
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

enum { SHOWN_MAX = 16 };

/* Takes the next character, or as many as are shown as they are, off a text; gives what is shown,
 * if need be made in `buffer`. */
static struct view next_visible(struct view *text, char buffer[SHOWN_MAX])
{
    const char *at = text->bytes, *end = at + text->length, *plain = at;
    while (plain < end && (unsigned char)(*plain - ' ') < 0x7F - ' ')
        plain++;
    uint32_t code = 0;
    size_t size = (size_t)(plain - at);
    bool is_plain = size > 0;
    if (!is_plain)
        size = utf8_decode((const unsigned char *)at, (size_t)(end - at), &code);
    int length = 0;
    if (size == 0)
        length = snprintf(buffer, SHOWN_MAX, "\\x%02x", (unsigned char)*at);
    else if (is_plain)
        length = 0;
    else if (code == '\n' || code == '\t' || code == '\r')
        length = snprintf(buffer, SHOWN_MAX, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else if (code < 0x20 || (code >= 0x7F && code < 0xA0))
        length = snprintf(buffer, SHOWN_MAX, "\\x%02x", (unsigned)code);
    else if (code == 0x061C || (code >= 0x200E && code <= 0x200F) ||
             (code >= 0x202A && code <= 0x202E) ||
             (code >= 0x2066 && code <= 0x2069)) /* turns the direction of a line around */
        length = snprintf(buffer, SHOWN_MAX, "\\u%04x", (unsigned)code);
    struct view shown = length ? (struct view){buffer, (size_t)length} : (struct view){at, size};
    text->bytes += size ? size : 1;
    text->length -= size ? size : 1;
    return shown;
}

bool grid_add_visible(struct text *out, struct view text)
{
    char buffer[SHOWN_MAX];
    bool done = text_add(out, "", 0);
    while (text.length && done) {
        struct view shown = next_visible(&text, buffer);
        done = text_add(out, shown.bytes, shown.length);
    }
    return done;
}

void grid_print_visible(struct view text, FILE *out)
{
    char buffer[SHOWN_MAX];
    while (text.length) {
        struct view shown = next_visible(&text, buffer);
        fwrite(shown.bytes, 1, shown.length, out);
    }
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
                                   grid_width((struct view){visible.items, visible.count})};
    return true;
}

bool grid_add_cell(struct grid *self, struct view text, bool is_number)
{
    struct grid_column *column = &self->columns.items[self->cells.count % self->columns.count];
    size_t start = self->text.count;
    struct grid_cell *cell = array_push(&self->cells);
    if (!cell || !grid_add_visible(&self->text, text))
        return false;
    *cell = (struct grid_cell){self->text.count, is_number};
    if (self->fitted)
        return true;
    size_t width = grid_width((struct view){self->text.items + start, cell->end - start});
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

bool grid_add_cut(struct text *out, struct view text, size_t width)
{
    size_t characters = grid_width(text);
    if (characters <= width)
        return text_add(out, text.bytes, text.length);
    size_t head = width / 2, tail = width - head - 1;
    size_t tail_start = bytes_of(text, characters - tail);
    return text_add(out, text.bytes, bytes_of(text, head)) && text_add_string(out, "…") &&
           text_add(out, text.bytes + tail_start, text.length - tail_start);
}

static void print_cell(const struct grid_column *column, struct view text, bool cut, bool pad,
                       FILE *out)
{
    size_t characters = grid_width(text);
    struct text shorter = {0};
    if (cut && characters > column->width) {
        if (grid_add_cut(&shorter, text, column->width))
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
        size_t characters = grid_width(texts[i]), width = self->columns.items[i].width;
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
