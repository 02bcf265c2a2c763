/* sink_terminal: sheets laid out for people.
 *
 * A sheet is gathered first: its title, headings over several lines, units, grouped digits, only
 * the columns that fit and only the first rows; what is left out is said.
 */
#include "query/sink/sink.h"

#include "src/base/number.h"
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>

enum { NARROWEST_TEXT = 16, WIDE_TEXT = 40, GAP = 2, HEAD_LINES_MAX = 4 };

struct terminal_sink {
    struct sink base;
    struct sink_target to;
    const struct sheet *sheet;
    bool by_place; /* only columns with a place are shown */
    int64_t rows;
    size_t footers; /* rows of sums, behind the others */
    size_t sheets;
    struct text text;
    struct text cells;     /* texts of the rows that are shown, one behind the other */
    ARRAY(size_t) ends;    /* of each text */
    ARRAY(uint8_t) shades; /* of each cell */
    ARRAY(size_t) shown;   /* columns */
};

/* ------------------------------------------------------------------ colours */

enum shade {
    SHADE_NONE,
    SHADE_GOOD,
    SHADE_FAIR,
    SHADE_BAD,
    SHADE_GREY, /* from here on by name */
    SHADE_RED,
    SHADE_GREEN,
    SHADE_YELLOW,
    SHADE_BLUE,
    SHADE_MAGENTA,
    SHADE_CYAN,
    SHADE_ORANGE,
    SHADE_COUNT
};

static const char *const shade_names[SHADE_COUNT] = {
    [SHADE_GREY] = "grey",     [SHADE_RED] = "red",       [SHADE_GREEN] = "green",
    [SHADE_YELLOW] = "yellow", [SHADE_BLUE] = "blue",     [SHADE_MAGENTA] = "magenta",
    [SHADE_CYAN] = "cyan",     [SHADE_ORANGE] = "orange",
};

static enum shade shade_named(struct view name)
{
    for (int i = SHADE_GREY; i < SHADE_COUNT; i++)
        if (view_equal(name, view_of(shade_names[i])))
            return (enum shade)i;
    return SHADE_NONE;
}

/* The colour that a row names for a column; SHADE_COUNT = none. */
static enum shade named_shade(struct view colours, const char *column)
{
    size_t length = strlen(column);
    if (!memchr(colours.bytes, ' ', colours.length))
        return shade_named(colours);
    for (size_t at = 0; at < colours.length;) {
        const char *comma = memchr(colours.bytes + at, ',', colours.length - at);
        size_t end = comma ? (size_t)(comma - colours.bytes) : colours.length;
        struct view pair = {colours.bytes + at, end - at};
        if (pair.length > length + 1 && memcmp(pair.bytes, column, length) == 0 &&
            pair.bytes[length] == ' ')
            return shade_named((struct view){pair.bytes + length + 1, pair.length - length - 1});
        at = end + 1;
        while (at < colours.length && colours.bytes[at] == ' ')
            at++;
    }
    return SHADE_COUNT;
}

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

static void start_bold(const struct terminal_sink *self)
{
    fputs(self->to.colour ? "\033[1m" : "", self->to.out);
}

static void start_shade(const struct terminal_sink *self, enum shade shade)
{
    static const char *const codes[] = {
        "",
        "\033[32m",
        "\033[33m",
        "\033[31m",
        "\033[38;5;8m",
        "\033[38;5;9m",
        "\033[38;5;10m",
        "\033[38;5;11m",
        "\033[38;5;12m",
        "\033[38;5;13m",
        "\033[38;5;14m",
        "\033[38;5;208m",
    };
    fputs(self->to.colour ? codes[shade] : "", self->to.out);
}

static void end_colour(const struct terminal_sink *self)
{
    fputs(self->to.colour ? "\033[0m" : "", self->to.out);
}

/* Words in lines that fit. */
static void print_wrapped(const struct terminal_sink *self, const char *words)
{
    size_t limit = self->to.width ? self->to.width : SIZE_MAX, used = 0;
    for (const char *at = words; *at; at += strspn(at, " ")) {
        struct view word = {at, strcspn(at, " ")};
        size_t width = visible_width(word);
        bool breaks = used && width + 1 > limit - used;
        fputs(breaks ? "\n" : used ? " " : "", self->to.out);
        fwrite(word.bytes, 1, word.length, self->to.out);
        used = (breaks || !used ? 0 : used + 1) + width;
        at += word.length;
    }
    fputc('\n', self->to.out);
}

/* A line of words that may come from a trace; nothing for none. */
static bool print_words(struct terminal_sink *self, struct view words)
{
    text_clear(&self->text);
    bool done = text_add(&self->text, "", 0) && visible_add(&self->text, words);
    if (done && words.length)
        print_wrapped(self, self->text.items);
    return done;
}

/* What all of it is about stands before the first sheet. */
static bool print_identity(struct terminal_sink *self)
{
    struct text line = {0};
    bool done = identity_add_line(self->to.identity, &line) &&
                print_words(self, (struct view){line.items, line.count});
    if (done && line.count)
        fputc('\n', self->to.out);
    text_free(&line);
    return done;
}

/* ------------------------------------------------------------------ gathering */

static bool terminal_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct terminal_sink *self = (struct terminal_sink *)sink;
    if (!self->sheets && !print_identity(self))
        return error_memory(error);
    self->sheet = sheet;
    self->rows = 0;
    self->footers = 0;
    self->by_place = false;
    for (size_t i = 0; i < sheet->column_count; i++)
        self->by_place |= sheet->columns[i].place > 0;
    self->by_place &= self->to.width > 0 || sheet->in_paragraphs;
    text_clear(&self->cells);
    self->ends.count = self->shades.count = self->shown.count = 0;
    return true;
}

static bool add_cell(struct text *out, const struct column *column, const struct cell *cell)
{
    if (cell->type == CELL_INTEGER && column->form != FORM_BOOLEAN && column->form != FORM_NAME)
        return number_add_grouped(out, cell->integer);
    if (cell->type == CELL_REAL)
        return number_add_rounded(out, cell->real, column->unit);
    if (cell->type == CELL_TEXT)
        return visible_add(out, cell->text);
    return cell_add_text(cell, column->form, out);
}

/* Keeps the texts of a row. A footer is grey. */
static bool keep_row(struct terminal_sink *self, const struct cell *cells, struct view colours)
{
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t *end = array_push(&self->ends);
        uint8_t *shade = array_push(&self->shades);
        bool is_shown = !self->by_place || column->place;
        if (!end || !shade || (is_shown && !add_cell(&self->cells, column, &cells[i])))
            return false;
        *end = self->cells.count;
        *shade = SHADE_NONE;
        if (!is_shown)
            continue;
        enum shade named = colours.length ? named_shade(colours, column->name) : SHADE_COUNT;
        *shade = (uint8_t)(named < SHADE_COUNT ? named : shade_of(column, &cells[i]));
    }
    return true;
}

static bool terminal_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct terminal_sink *self = (struct terminal_sink *)sink;
    struct view colours = {"", 0};
    if (self->sheet->has_colours && cells[self->sheet->column_count].type == CELL_TEXT)
        colours = cells[self->sheet->column_count].text;
    if (view_equal(colours, VIEW("hidden")))
        return true;
    self->rows++;
    if (self->to.top && self->rows > self->to.top)
        return true;
    return keep_row(self, cells, colours) || error_memory(error);
}

static bool terminal_footer(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct terminal_sink *self = (struct terminal_sink *)sink;
    self->footers++;
    return keep_row(self, cells, VIEW("grey")) || error_memory(error);
}

static struct view cell_at(const struct terminal_sink *self, size_t row, size_t column)
{
    size_t i = row * self->sheet->column_count + column;
    size_t start = i ? self->ends.items[i - 1] : 0;
    return (struct view){self->cells.items + start, self->ends.items[i] - start};
}

/* ------------------------------------------------------------------ headings */

/* A unit that the heading does not name already. */
static const char *unit_to_show(const struct column *column)
{
    bool named = strstr(column->heading, column->unit) || strstr(column->heading, "µs") ||
                 strstr(column->heading, "μs"); /* the sign, and the letter */
    return named ? "" : column->unit;
}

/* Takes the part of a heading that belongs in one line: whole words, as many as fit. */
static struct view next_line(const char **at, size_t width)
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

static size_t larger(size_t left, size_t right)
{
    return left > right ? left : right;
}

/* The width that a heading needs to stand in few lines. */
static size_t heading_width(const char *heading, size_t least)
{
    for (size_t width = larger(least, 1);; width++) {
        size_t lines = 0, widest = 0;
        for (const char *at = heading; *at; lines++)
            widest = larger(widest, visible_width(next_line(&at, width)));
        if (lines < HEAD_LINES_MAX)
            return larger(widest, least);
    }
}

static size_t heading_lines(const char *heading, size_t width)
{
    size_t lines = 0;
    for (const char *at = heading; *at; lines++)
        next_line(&at, width);
    return lines;
}

/* ------------------------------------------------------------------ layout */

/* Of columns with a place, those without any cell are not shown, and have no width. */
static void measure(const struct terminal_sink *self, size_t *widths, size_t rows)
{
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t width = visible_width(view_of(unit_to_show(column)));
        if (self->by_place && !column->place) {
            widths[i] = 0;
            continue;
        }
        size_t cells = 0;
        for (size_t row = 0; row < rows; row++)
            cells = larger(cells, visible_width(cell_at(self, row, i)));
        bool is_needless = self->by_place && !cells && rows;
        widths[i] = is_needless ? 0 : heading_width(column->heading, larger(width, cells));
    }
}

/* The least that a column can be narrowed to. */
static size_t narrowest(const struct column *column, size_t width)
{
    size_t least = column->is_wide ? WIDE_TEXT : NARROWEST_TEXT;
    return column->is_number || width < least ? width : least;
}

static bool show(struct terminal_sink *self, size_t column)
{
    size_t *shown = array_push(&self->shown);
    if (!shown)
        return false;
    size_t at = self->shown.count - 1;
    for (; at && self->shown.items[at - 1] > column; at--)
        self->shown.items[at] = self->shown.items[at - 1];
    self->shown.items[at] = column;
    return true;
}

/* Shows the columns of one importance, as long as they fit. */
static bool show_those(struct terminal_sink *self, unsigned place, const size_t *widths,
                       size_t *used)
{
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        size_t least = narrowest(column, widths[i]) + (self->shown.count ? GAP : 0);
        if (column->place != place || (self->by_place && !widths[i]) ||
            (place == 0 && column->is_detail) ||
            (self->shown.count && least > self->to.width - *used))
            continue;
        if (!show(self, i))
            return false;
        *used += least;
    }
    return true;
}

/* Chooses the columns that fit: by importance where that is declared, else from the left without
 * details. */
static bool choose_columns(struct terminal_sink *self, const size_t *widths)
{
    size_t count = self->sheet->column_count, used = 0;
    unsigned last = 0;
    bool done = true;
    for (size_t i = 0; i < count; i++)
        last = self->sheet->columns[i].place > last ? self->sheet->columns[i].place : last;
    if (self->to.width == 0)
        for (size_t i = 0; i < count && done; i++)
            done = show(self, i);
    else
        for (unsigned place = last ? 1 : 0; place <= last && done; place++)
            done = show_those(self, place, widths, &used);
    return done;
}

/* Takes width from the widest texts until all fits. */
static void narrow(const struct terminal_sink *self, size_t *widths)
{
    while (self->to.width) {
        size_t sum = 0, widest = SIZE_MAX;
        for (size_t i = 0; i < self->shown.count; i++) {
            size_t column = self->shown.items[i];
            sum += widths[column] + (i ? GAP : 0);
            bool can = widths[column] > narrowest(&self->sheet->columns[column], widths[column]);
            if (can && (widest == SIZE_MAX || widths[column] > widths[widest]))
                widest = column;
        }
        if (sum <= self->to.width || widest == SIZE_MAX)
            return;
        widths[widest]--;
    }
}

/* ------------------------------------------------------------------ printing */

static void print_spaces(FILE *out, size_t count)
{
    static const char spaces[] = "                                                                ";
    for (size_t part; count; count -= part) {
        part = count < sizeof spaces - 1 ? count : sizeof spaces - 1;
        fwrite(spaces, 1, part, out);
    }
}

/* Words in lines that fit, each of which begins with so many spaces. */
static void print_indented(const struct terminal_sink *self, struct view words, size_t indent)
{
    size_t limit = self->to.width > indent ? self->to.width : SIZE_MAX, used = 0;
    for (size_t at = 0; at < words.length;) {
        const char *space = memchr(words.bytes + at, ' ', words.length - at);
        size_t length = space ? (size_t)(space - words.bytes) - at : words.length - at;
        struct view word = {words.bytes + at, length};
        size_t width = visible_width(word);
        if (used && used + 1 + width > limit) {
            fputc('\n', self->to.out);
            used = 0;
        }
        if (used)
            fputc(' ', self->to.out);
        else
            print_spaces(self->to.out, indent);
        fwrite(word.bytes, 1, word.length, self->to.out);
        used = (used ? used + 1 : indent) + width;
        at += length + 1;
    }
    fputc('\n', self->to.out);
}

static void print_aligned(struct terminal_sink *self, struct view text, size_t width, bool right,
                          bool last, enum shade shade)
{
    text_clear(&self->text);
    if (visible_add_cut(&self->text, text, width))
        text = (struct view){self->text.items, self->text.count};
    size_t used = visible_width(text), space = used < width ? width - used : 0;
    if (right)
        print_spaces(self->to.out, space);
    if (shade != SHADE_NONE)
        start_shade(self, shade);
    fwrite(text.bytes, 1, text.length, self->to.out);
    if (shade != SHADE_NONE)
        end_colour(self);
    if (!right && !last)
        print_spaces(self->to.out, space);
}

/* Headings stand on the line; the shorter ones have empty lines above them. */
static void print_head_line(struct terminal_sink *self, const size_t *widths, size_t line,
                            size_t lines)
{
    for (size_t i = 0; i < self->shown.count; i++) {
        const struct column *column = &self->sheet->columns[self->shown.items[i]];
        size_t width = widths[self->shown.items[i]];
        size_t own = heading_lines(column->heading, width);
        struct view text = {"", 0};
        const char *at = column->heading;
        for (size_t skip = line + own + 1; own && skip > lines && *at; skip--)
            text = next_line(&at, width);
        print_spaces(self->to.out, i ? GAP : 0);
        print_aligned(self, text, width, column->is_number, i + 1 == self->shown.count, SHADE_NONE);
    }
    fputc('\n', self->to.out);
}

static void print_line(const struct terminal_sink *self, const size_t *widths)
{
    for (size_t i = 0; i < self->shown.count; i++) {
        print_spaces(self->to.out, i ? GAP : 0);
        for (size_t j = 0; j < widths[self->shown.items[i]]; j++)
            fputs("─", self->to.out);
    }
    fputc('\n', self->to.out);
}

static void print_head(struct terminal_sink *self, const size_t *widths)
{
    size_t lines = 1;
    bool units = false;
    for (size_t i = 0; i < self->shown.count; i++) {
        const struct column *column = &self->sheet->columns[self->shown.items[i]];
        lines = larger(lines, heading_lines(column->heading, widths[self->shown.items[i]]));
        units |= *unit_to_show(column) != '\0';
    }
    start_bold(self);
    for (size_t line = 0; line < lines; line++)
        print_head_line(self, widths, line, lines);
    end_colour(self);
    for (size_t i = 0; i < self->shown.count && units; i++) {
        const struct column *column = &self->sheet->columns[self->shown.items[i]];
        print_spaces(self->to.out, i ? GAP : 0);
        print_aligned(self, view_of(unit_to_show(column)), widths[self->shown.items[i]],
                      column->is_number, i + 1 == self->shown.count, SHADE_NONE);
    }
    fputs(units ? "\n" : "", self->to.out);
    print_line(self, widths);
}

static void print_left_out(const struct terminal_sink *self, size_t rows)
{
    size_t columns = self->sheet->column_count - self->shown.count;
    int64_t more = self->rows - (int64_t)rows;
    if (more > 0)
        fprintf(self->to.out, "%lld more row%s (--top 0 shows all)%s", (long long)more,
                more == 1 ? "" : "s", columns ? ", " : "\n");
    if (columns)
        fprintf(self->to.out, "%zu more column%s (--wide)\n", columns, columns == 1 ? "" : "s");
}

/* Whether a row has the numbers of the one before, and its texts up to a column. */
static bool is_repeated(const struct terminal_sink *self, size_t row, size_t column)
{
    for (size_t i = 0; i < self->sheet->column_count && row; i++)
        if ((self->sheet->columns[i].is_number || i <= column) &&
            !view_equal(cell_at(self, row, i), cell_at(self, row - 1, i)))
            return false;
    return row > 0;
}

/* A row as a paragraph: its first text, its numbers with what they are, its other texts. What the
 * paragraph before begins with is not said again. */
static bool print_paragraph(struct terminal_sink *self, size_t row)
{
    enum { INDENT = 4 };
    bool is_first = true, any = false;
    text_clear(&self->text);
    bool done = text_add(&self->text, "", 0);
    for (size_t i = 0; i < self->sheet->column_count && done; i++) {
        const struct column *column = &self->sheet->columns[i];
        struct view cell = cell_at(self, row, i);
        if (!column->is_number || !cell.length)
            continue;
        done = text_format(&self->text, "%s%s %.*s%s%s", any ? ", " : "", column->heading,
                           (int)cell.length, cell.bytes, *column->unit ? " " : "", column->unit);
        any = true;
    }
    for (size_t i = 0; i < self->sheet->column_count && done; i++) {
        struct view cell = cell_at(self, row, i);
        if (self->sheet->columns[i].is_number || !cell.length)
            continue;
        if (is_repeated(self, row, i)) {
            is_first = false;
            continue;
        }
        if (is_first)
            start_bold(self);
        print_indented(self, cell, is_first ? 0 : INDENT);
        if (is_first)
            end_colour(self);
        if (is_first && any)
            print_indented(self, (struct view){self->text.items, self->text.count}, INDENT);
        is_first = false;
    }
    return done;
}

static bool print_paragraphs(struct terminal_sink *self, size_t rows)
{
    bool done = true;
    for (size_t row = 0; row < rows && done; row++)
        done = print_paragraph(self, row);
    if (self->rows > (int64_t)rows)
        fprintf(self->to.out, "%lld more (--top 0 shows all)\n",
                (long long)(self->rows - (int64_t)rows));
    return done;
}

/* What the sheet leaves out, and why it may be empty. */
static bool print_notes(struct terminal_sink *self)
{
    struct text words = {0};
    bool done = sheet_add_notes(self->sheet, &words) &&
                print_words(self, (struct view){words.items, words.count});
    text_free(&words);
    return done;
}

static void print_title(struct terminal_sink *self)
{
    fputs(self->sheets++ ? "\n" : "", self->to.out);
    start_bold(self);
    print_wrapped(self, self->sheet->name);
    end_colour(self);
    if (self->sheet->title)
        print_wrapped(self, self->sheet->title);
    if (self->rows == 0 && !self->sheet->why_empty)
        fputs("(no rows)\n", self->to.out);
}

static void print_row(struct terminal_sink *self, const size_t *widths, size_t row)
{
    for (size_t i = 0; i < self->shown.count; i++) {
        size_t column = self->shown.items[i];
        uint8_t shade = self->shades.items[row * self->sheet->column_count + column];
        print_spaces(self->to.out, i ? GAP : 0);
        print_aligned(self, cell_at(self, row, column), widths[column],
                      self->sheet->columns[column].is_number, i + 1 == self->shown.count,
                      (enum shade)shade);
    }
    fputc('\n', self->to.out);
}

static void print_sheet(struct terminal_sink *self, size_t *widths, size_t rows)
{
    print_title(self);
    if (self->rows == 0)
        return;
    narrow(self, widths);
    print_head(self, widths);
    for (size_t row = 0; row < rows + self->footers; row++) {
        if (row == rows)
            print_line(self, widths);
        print_row(self, widths, row);
    }
    print_left_out(self, rows);
}

static bool terminal_end(struct sink *sink, struct error *error)
{
    struct terminal_sink *self = (struct terminal_sink *)sink;
    size_t columns = self->sheet->column_count,
           rows = columns ? self->ends.count / columns - self->footers : 0;
    size_t *widths = calloc(columns + 1, sizeof *widths);
    bool done = widths != NULL;
    if (done && self->sheet->in_paragraphs && self->rows) {
        print_title(self);
        done = print_paragraphs(self, rows) && print_notes(self);
        free(widths);
        return done || error_memory(error);
    }
    if (done) {
        measure(self, widths, rows + self->footers);
        done = choose_columns(self, widths);
    }
    if (done)
        print_sheet(self, widths, rows);
    done = done && print_notes(self);
    free(widths);
    return done || error_memory(error);
}

/* ------------------------------------------------------------------ making it */

static bool terminal_finish(struct sink *sink, struct error *error)
{
    return sink_check_stream(((struct terminal_sink *)sink)->to.out, "the output", error);
}

static void terminal_free(struct sink *sink)
{
    struct terminal_sink *self = (struct terminal_sink *)sink;
    text_free(&self->text);
    text_free(&self->cells);
    array_free(&self->ends);
    array_free(&self->shades);
    array_free(&self->shown);
    free(self);
}

struct sink *sink_terminal(const struct sink_target *target, struct error *error)
{
    struct sink base = {terminal_begin, terminal_row,    terminal_end, terminal_finish,
                        terminal_free,  terminal_footer, false,        false};
    struct terminal_sink *self = sink_new(sizeof *self, base, error);
    if (!self)
        return NULL;
    self->to = *target;
    self->base.has_notes = true;
    return &self->base;
}
