/* sink_terminal: sheets laid out for people.
 *
 * A sheet is gathered first (readable.h): its title, headings over several lines, units, and of the
 * columns and rows only what fits; what is left out is said.
 */
#include "query/sink/readable.h"
#include "query/sink/sheet.h"
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

struct terminal_sink {
    struct sink base;
    struct sink_target to;
    struct readable rows;
    size_t sheets;
    struct text text;
    struct text behind;    /* the line behind the sheet before; empty: none */
    ARRAY(uint8_t) shades; /* of each cell that is kept */
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
    double share = cell_number(cell, 0);
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

static void print_words(const struct terminal_sink *self, struct view words)
{
    if (words.length)
        visible_print_lines(words, self->to.width, 0, 0, self->to.out);
}

/* The lines of what all of it is about, or those of doubts alone, or without them. */
static void print_lines(struct terminal_sink *self, bool with_head, bool with_health)
{
    const struct identity *identity = self->to.identity;
    struct text line = {0};
    bool any = false;
    for (size_t i = 0; i < identity_lines(identity); i++) {
        const char *verdict = identity_line_verdict(identity, i);
        bool is_doubt = verdict && strcmp(verdict, "complete") != 0;
        if (!(verdict ? with_health && is_doubt : with_head))
            continue;
        any = true;
        text_clear(&line);
        start_shade(self, !verdict                                 ? SHADE_NONE
                          : strcmp(verdict, "not comparable") == 0 ? SHADE_BAD
                                                                   : SHADE_FAIR);
        identity_add_line(identity, i, &line);
        print_words(self, text_view(&line));
        if (verdict)
            end_colour(self);
    }
    if (any)
        fputc('\n', self->to.out);
}

/* The bound of the runs stands first, unless no figure holds: then that does. */
static void print_identity(struct terminal_sink *self)
{
    const struct identity *identity = self->to.identity;
    size_t first = identity && !self->to.quiet ? identity->first_lines.count : 0;
    if (self->to.quiet)
        return;
    bool is_doubtful = first && !identity->sides.count && identity->verdict &&
                       strcmp(identity->verdict, "not comparable") == 0;
    if (is_doubtful)
        print_lines(self, false, true);
    for (size_t i = 0; i < first; i++)
        print_words(self, view_of(identity->first_lines.items[i].line));
    if (first)
        fputc('\n', self->to.out);
    print_lines(self, true, !is_doubtful);
}

/* ------------------------------------------------------------------ gathering */

static bool terminal_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct terminal_sink *self = (struct terminal_sink *)sink;
    print_words(self, text_view(&self->behind));
    text_clear(&self->behind);
    if (!self->sheets)
        print_identity(self);
    readable_begin(&self->rows, sheet, &self->to);
    self->shades.count = 0;
    return true;
}

/* Keeps the colours of a row. A footer is grey. */
static void keep_shades(struct terminal_sink *self, const struct cell *cells, struct view colours)
{
    for (size_t i = 0; i < self->rows.sheet->column_count; i++) {
        const struct column *column = &self->rows.sheet->columns[i];
        uint8_t *shade = array_push(&self->shades);
        enum shade named = colours.length ? named_shade(colours, column->name) : SHADE_COUNT;
        *shade = (uint8_t)(named < SHADE_COUNT ? named : shade_of(column, &cells[i]));
    }
}

static bool terminal_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct terminal_sink *self = (struct terminal_sink *)sink;
    size_t kept = self->rows.kept;
    readable_add(&self->rows, cells, false);
    if (self->rows.kept != kept)
        keep_shades(self, cells, readable_colours(&self->rows, cells));
    return true;
}

static bool terminal_footer(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct terminal_sink *self = (struct terminal_sink *)sink;
    readable_add(&self->rows, cells, true);
    keep_shades(self, cells, VIEW("grey"));
    return true;
}

static struct view cell_at(const struct terminal_sink *self, size_t row, size_t column)
{
    return readable_cell(&self->rows, row, column);
}

static size_t larger(size_t left, size_t right)
{
    return left > right ? left : right;
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
    print_spaces(self->to.out, indent);
    visible_print_lines(words, self->to.width, indent, indent, self->to.out);
}

static void print_aligned(struct terminal_sink *self, struct view text, size_t width, bool right,
                          bool last, enum shade shade)
{
    text_clear(&self->text);
    visible_add_cut(&self->text, text, width);
    text = text_view(&self->text);
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

static void print_line(const struct terminal_sink *self, const size_t *widths)
{
    for (size_t i = 0; i < self->rows.shown.count; i++) {
        print_spaces(self->to.out, i ? GAP : 0);
        for (size_t j = 0; j < widths[self->rows.shown.items[i]]; j++)
            fputs("─", self->to.out);
    }
    fputc('\n', self->to.out);
}

/* True if a paragraph tells of a column. */
static bool is_told(const struct terminal_sink *self, size_t column)
{
    return !self->rows.by_place || self->rows.sheet->columns[column].place;
}

/* True if a cell stands among the numbers of a paragraph: the run does, and where a sheet has wide
 * texts, all texts but these and its key. */
static bool is_brief(const struct terminal_sink *self, size_t column)
{
    const struct column *columns = self->rows.sheet->columns, *of = &columns[column];
    bool has_wide = false;
    for (size_t i = 0; i < self->rows.sheet->column_count; i++)
        has_wide |= columns[i].is_wide;
    return of->is_number || strcmp(of->name, "run") == 0 ||
           (has_wide && !of->is_wide && !of->is_key);
}

/* True if a row has the numbers of the one before, and its texts up to a column. */
static bool is_repeated(const struct terminal_sink *self, size_t row, size_t column)
{
    for (size_t i = 0; i < self->rows.sheet->column_count && row; i++)
        if (is_told(self, i) && (is_brief(self, i) || i <= column) &&
            !view_equal(cell_at(self, row, i), cell_at(self, row - 1, i)))
            return false;
    return row > 0;
}

/* Keeps the line behind a sheet until the next one: rows and columns that are not shown, what is
 * not included, why it may be empty. */
static void keep_behind(struct terminal_sink *self)
{
    text_add(&self->behind, "", 0);
    text_clear(&self->behind);
    if (self->to.quiet)
        return;
    if (self->rows.rows)
        readable_add_not_included(&self->rows, &self->behind);
    text_clear(&self->text);
    sheet_add_notes(self->rows.sheet, &self->text);
    if (self->text.count)
        text_format(&self->behind, "%s%s", self->behind.count ? " · " : "", self->text.items);
}

/* The first sentence of a text: up to a full stop before a capital. */
static struct view first_sentence(const char *text)
{
    const char *end = text;
    while ((end = strstr(end, ". ")) && !(end[2] >= 'A' && end[2] <= 'Z'))
        end++;
    return (struct view){text, end ? (size_t)(end - text) + 1 : strlen(text)};
}

/* The name, and what the sheet shows in its line or the next. */
static void print_title(struct terminal_sink *self)
{
    const struct sheet *sheet = self->rows.sheet;
    struct view name = view_of(sheet_heading(sheet)), words = VIEW("");
    fputs(self->sheets++ ? "\n" : "", self->to.out);
    if (!self->to.quiet) {
        words = view_of(sheet->title ? sheet->title : "");
        words = sheet->asked ? first_sentence(words.bytes) : words;
        size_t used = visible_width(name) + strlen(": ");
        bool fits =
            words.length && (!self->to.width || used + visible_width(words) <= self->to.width);
        start_bold(self);
        visible_print(name, self->to.out);
        end_colour(self);
        fputs(fits ? ": " : "\n", self->to.out);
        if (words.length)
            visible_print_lines(words, self->to.width, fits ? used : 0, 0, self->to.out);
    }
    if (self->rows.rows == 0 && !sheet->why_empty)
        fputs("(no rows)\n", self->to.out);
}

static void print_sheet(struct terminal_sink *self)
{
    print_title(self);
    if (self->rows.rows == 0)
        return;

    /* Headings take as many lines as the longest needs; units are their last words. */
    const size_t *widths = self->rows.widths.items;
    struct text heading = {0};
    size_t lines = 1;
    for (size_t i = 0; i < self->rows.shown.count; i++) {
        text_clear(&heading);
        heading_add(&self->rows.sheet->columns[self->rows.shown.items[i]], &heading);
        lines = larger(lines, heading_lines(heading.items, widths[self->rows.shown.items[i]]));
    }
    start_bold(self);
    for (size_t line = 0; line < lines; line++) {
        /* Headings stand on the line; the shorter ones have empty lines above them. */
        for (size_t i = 0; i < self->rows.shown.count; i++) {
            const struct column *column = &self->rows.sheet->columns[self->rows.shown.items[i]];
            size_t width = widths[self->rows.shown.items[i]];
            text_clear(&heading);
            heading_add(column, &heading);
            size_t own = heading_lines(heading.items, width);
            struct view text = {"", 0};
            const char *at = heading.items;
            for (size_t skip = line + own + 1; own && skip > lines && *at; skip--)
                text = heading_next_line(&at, width);
            print_spaces(self->to.out, i ? GAP : 0);
            print_aligned(self, text, width, column->is_number, i + 1 == self->rows.shown.count,
                          SHADE_NONE);
        }
        fputc('\n', self->to.out);
    }
    end_colour(self);
    print_line(self, widths);
    for (size_t row = 0; row < self->rows.kept + self->rows.footers; row++) {
        if (row == self->rows.kept)
            print_line(self, self->rows.widths.items);
        for (size_t i = 0; i < self->rows.shown.count; i++) {
            size_t column = self->rows.shown.items[i];
            uint8_t shade = self->shades.items[row * self->rows.sheet->column_count + column];
            print_spaces(self->to.out, i ? GAP : 0);
            print_aligned(self, cell_at(self, row, column), self->rows.widths.items[column],
                          self->rows.sheet->columns[column].is_number,
                          i + 1 == self->rows.shown.count, (enum shade)shade);
        }
        fputc('\n', self->to.out);
    }
}

static bool terminal_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct terminal_sink *self = (struct terminal_sink *)sink;
    if (self->rows.sheet->in_paragraphs && self->rows.rows) {
        print_title(self);
        size_t rows = self->rows.kept;
        for (size_t row = 0; row < rows; row++) {
            /* A row as a paragraph: its first text, its numbers with what they are, its other
             * texts. What the paragraph before begins with is not said again. */
            enum { INDENT = 4 };
            bool is_first = true, any = false;
            text_clear(&self->text);
            text_add(&self->text, "", 0);
            for (size_t i = 0; i < self->rows.sheet->column_count; i++) {
                const struct column *column = &self->rows.sheet->columns[i];
                struct view cell = cell_at(self, row, i);
                if (!is_brief(self, i) || !cell.length || !is_told(self, i))
                    continue;
                text_format(&self->text, "%s%s %.*s%s%s", any ? ", " : "", column->heading,
                            (int)cell.length, cell.bytes, *column->unit ? " " : "", column->unit);
                any = true;
            }
            for (size_t i = 0; i < self->rows.sheet->column_count; i++) {
                struct view cell = cell_at(self, row, i);
                if (is_brief(self, i) || !cell.length || !is_told(self, i))
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
                    print_indented(self, text_view(&self->text), INDENT);
                is_first = false;
            }
        }
        self->rows.shown.count = self->rows.sheet->column_count;
        keep_behind(self);
        return true;
    }
    readable_fit(&self->rows);
    print_sheet(self);
    keep_behind(self);
    return true;
}

/* ------------------------------------------------------------------ making it */

/* First lines are there without a sheet, too. */
static bool terminal_finish(struct sink *sink, struct error *error)
{
    (void)error;
    struct terminal_sink *self = (struct terminal_sink *)sink;
    const struct text *closing = self->to.quiet ? NULL : self->to.closing;
    if (!self->sheets && self->to.identity && self->to.identity->first_lines.count)
        print_identity(self);
    bool has_lines = closing && closing->count && *closing->items == '\n';
    if (closing && closing->count && !has_lines)
        text_format(&self->behind, "%s%s", self->behind.count ? " · " : "", closing->items);
    print_words(self, text_view(&self->behind));
    if (has_lines)
        visible_print_text(closing->items, self->to.width, self->to.out);
    return true;
}

struct sink *sink_terminal(const struct sink_target *target, struct error *error)
{
    (void)error;
    struct sink base = {.out = target->out,
                        .begin = terminal_begin,
                        .row = terminal_row,
                        .end = terminal_end,
                        .finish = terminal_finish,
                        .footer = terminal_footer,
                        .has_names = true,
                        .has_notes = true,
                        .is_terminal = true};
    struct terminal_sink *self = sink_new(sizeof *self, base);
    self->to = *target;
    self->to.width = target->wide ? 0 : target->width;
    return &self->base;
}
