/* sink_markup: Markdown, and the rows of a statement as a bare table in HTML.
 *
 * Markdown escapes what it would take for markup and shows control characters; HTML escapes its
 * five characters and replaces controls. Pages of sheets are query/page.
 */
#include "query/sink/readable.h"
#include "query/sink/sheet.h"

#include "src/base/intern.h"
#include "src/base/number.h"
#include "src/base/visible.h"

#include <ctype.h>
#include <string.h>

struct markup_sink {
    struct sink base;
    struct sink_target to;
    struct readable table;     /* of a sheet in Markdown */
    const struct sheet *sheet; /* until its end */
    struct text text, visible;
    size_t sheets;
    const struct identity *identity;
    unsigned last_place; /* of the columns of a brief sheet */
    int64_t rows;        /* of the sheet */
    struct intern keys;  /* of a brief sheet, as far as they are shown */
    ARRAY(size_t) alike; /* rows with each of them so far */
};

enum { BRIEF_COLUMNS = 8 }; /* of a brief sheet */

/* The text of a cell; valid until the next call. */
static void cell_text(struct markup_sink *self, const struct column *column,
                      const struct cell *cell, struct view *text)
{
    *text = cell_shown(cell);
    if (cell->type == CELL_TEXT)
        return;
    text_clear(&self->text);
    cell_add_text(cell, column->form, &self->text);
    *text = text_view(&self->text);
}

static struct sink *new_markup(const struct sink_target *target, struct sink base)
{
    struct markup_sink *self = sink_new(sizeof *self, base);
    self->base.out = target->out;
    self->base.has_notes = true;
    self->to = *target;
    self->identity = target->identity;
    return &self->base;
}

/* ------------------------------------------------------------------ Markdown */

static void print_markdown(struct markup_sink *self, struct view text)
{
    text_clear(&self->visible);
    visible_add(&self->visible, text);
    for (size_t i = 0; i < self->visible.count; i++) {
        /* Escapes bytes that would be taken for markup; inside of a word _ is none. */
        char byte = self->visible.items[i];
        bool in_word = i > 0 && i + 1 < self->visible.count &&
                       isalnum((unsigned char)self->visible.items[i - 1]) &&
                       isalnum((unsigned char)self->visible.items[i + 1]);
        if (byte == '_' ? !in_word : strchr("|\\`*~<>[]&", byte) != NULL)
            fputc('\\', self->base.out);
        fputc(self->visible.items[i], self->base.out);
    }
}

/* Up to which place columns are shown, so that few enough are. */
static unsigned choose_place(const struct sheet *sheet)
{
    unsigned last = 0;
    for (size_t shown = 0; shown < BRIEF_COLUMNS; shown++) {
        unsigned next = 0;
        for (size_t i = 0; i < sheet->column_count; i++) {
            unsigned place = sheet->columns[i].place;
            if (place > last && (!next || place < next))
                next = place;
        }
        last = next ? next : last;
    }
    return last;
}

static bool is_shown(const struct markup_sink *self, size_t column)
{
    unsigned place = self->sheet->columns[column].place;
    return !self->last_place || (place && place <= self->last_place);
}

static void print_plain_head(struct markup_sink *self)
{
    const struct sheet *sheet = self->sheet;
    bool any = false;
    for (size_t i = 0; i < sheet->column_count; i++) {
        if (!is_shown(self, i))
            continue;
        fputs(any ? " | " : "| ", self->base.out);
        any = true;
        print_markdown(self, view_of(sheet->columns[i].heading));
    }
    fputs(any ? " |\n|" : " |\n", self->base.out);
    for (size_t i = 0; i < sheet->column_count; i++)
        if (is_shown(self, i))
            fputs(sheet->columns[i].is_number ? " ---: |" : " --- |", self->base.out);
    fputc('\n', self->base.out);
}

/* True if a table is written as on a terminal, not row by row. */
static bool is_readable(const struct sheet *sheet)
{
    return sheet->name && !sheet->is_brief;
}

static bool markdown_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct markup_sink *self = (struct markup_sink *)sink;
    self->sheet = sheet;
    self->rows = 0;
    self->keys = (struct intern){0};
    self->alike.count = 0;
    if (sheet->is_brief)
        self->last_place = choose_place(sheet);
    else
        self->last_place = 0;
    if (sheet->name && !self->sheets) {
        /* The subject of all sheets, before the first one. */
        struct text line = {0};
        for (size_t i = 0; self->identity && i < self->identity->first_lines.count; i++) {
            print_markdown(self, view_of(self->identity->first_lines.items[i].line));
            fputs("\n\n", self->base.out);
        }
        for (size_t i = 0; i < identity_lines(self->identity); i++) {
            text_clear(&line);
            identity_add_line(self->identity, i, &line);
            print_markdown(self, text_view(&line));
            fputs("\n\n", self->base.out);
        }
    }
    if (sheet->name) {
        /* The words above a table. */
        fputs(self->sheets++ ? "\n## " : "## ", self->base.out);
        print_markdown(self, view_of(sheet_heading(sheet)));
        fputs("\n\n", self->base.out);
        if (sheet->title)
            print_markdown(self, view_of(sheet->title));
        fputs(sheet->title ? "\n\n" : "", self->base.out);
    }
    if (is_readable(sheet))
        readable_begin(&self->table, sheet, &self->to);
    if (!is_readable(sheet))
        print_plain_head(self);
    return true;
}

/* How many rows of a brief sheet show this key, up to this one. */
static void count_alike(struct markup_sink *self, const struct cell *cells, size_t *count)
{
    text_clear(&self->text);
    text_add(&self->text, "", 0);
    for (size_t i = 0; i < self->sheet->column_count; i++)
        if (self->sheet->columns[i].is_key && is_shown(self, i)) {
            if (cells[i].type == CELL_TEXT)
                text_add_view(&self->text, cells[i].text);
            else
                cell_add_text(&cells[i], FORM_PLAIN, &self->text);
            text_add(&self->text, "\n", 1);
        }
    uint32_t key = intern_add(&self->keys, self->text.items, self->text.count);
    if (key > self->alike.count)
        array_add(&self->alike, 0);
    *count = ++self->alike.items[key - 1];
}

static bool markdown_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct markup_sink *self = (struct markup_sink *)sink;
    bool any = false;
    size_t alike = 0; /* rows with the same key, until it is said */
    if (is_readable(self->sheet)) {
        readable_add(&self->table, cells, false);
        return true;
    }
    if (self->sheet->is_brief) {
        if (self->rows++ == self->to.top && self->to.top) {
            /* Rows behind those of --top are folded away, in a table of their own. */
            fputs("\n<details>\n<summary>More rows</summary>\n\n", self->base.out);
            print_plain_head(self);
        }
        count_alike(self, cells, &alike);
    }
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        struct view text;
        if (!is_shown(self, i))
            continue;
        fputs(any ? " | " : "| ", self->base.out);
        any = true;
        if (self->sheet->is_brief && cells[i].type == CELL_REAL) {
            /* A figure as people read it; valid until the next call. */
            text_clear(&self->text);
            number_add_rounded(&self->text, cells[i].real, self->sheet->columns[i].unit);
            text = text_view(&self->text);
        } else
            cell_text(self, &self->sheet->columns[i], &cells[i], &text);
        if (cells[i].type != CELL_TEXT)
            fwrite(text.bytes, 1, text.length, self->base.out);
        else
            print_markdown(self, text);
        if (alike > 1 && self->sheet->columns[i].is_key)
            fprintf(self->base.out, "\\#%zu", alike);
        alike = self->sheet->columns[i].is_key ? 0 : alike;
    }
    fputs(" |\n", self->base.out);
    return true;
}

static bool markdown_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct markup_sink *self = (struct markup_sink *)sink;
    struct text words = {0};
    if (is_readable(self->sheet)) {
        /* The headings of the columns that are shown, with a unit that they do not name, and the
         * line below them. */
        readable_fit(&self->table);
        for (size_t i = 0; i < self->table.shown.count; i++) {
            const struct column *column = &self->sheet->columns[self->table.shown.items[i]];
            const char *unit = heading_unit(column);
            fputs(i ? " | " : "| ", self->base.out);
            print_markdown(self, view_of(column->heading));
            fputs(*unit ? " (" : "", self->base.out);
            print_markdown(self, view_of(unit));
            fputs(*unit ? ")" : "", self->base.out);
        }
        fputs(" |\n|", self->base.out);
        for (size_t i = 0; i < self->table.shown.count; i++)
            fputs(self->sheet->columns[self->table.shown.items[i]].is_number ? " ---: |" : " --- |",
                  self->base.out);
        fputc('\n', self->base.out);
        for (size_t row = 0; row < self->table.kept; row++) {
            for (size_t i = 0; i < self->table.shown.count; i++) {
                fputs(i ? " | " : "| ", self->base.out);
                print_markdown(self, readable_cell(&self->table, row, self->table.shown.items[i]));
            }
            fputs(" |\n", self->base.out);
        }
        text_clear(&self->text);
        readable_add_not_included(&self->table, &self->text);
        if (self->text.count)
            fprintf(self->base.out, "\n%s\n", self->text.items);
    }
    sheet_add_notes(self->sheet, &words);
    if (self->sheet->is_brief && self->to.top && self->rows > self->to.top)
        fputs("\n</details>\n", self->base.out);
    if (words.count) {
        fputc('\n', self->base.out);
        print_markdown(self, text_view(&words));
        fputc('\n', self->base.out);
    }
    return true;
}

struct sink *sink_markdown(const struct sink_target *target, struct error *error)
{
    struct sink base = {.begin = markdown_begin,
                        .row = markdown_row,
                        .end = markdown_end,
                        .values_first = true,
                        .has_names = true};
    (void)error;
    return new_markup(target, base);
}

/* ------------------------------------------------------------------ HTML */

static void print_html(struct markup_sink *self, struct view text)
{
    static const struct {
        char byte;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < text.length; i++) {
        const char *entity = NULL;
        for (size_t j = 0; j < sizeof entities / sizeof *entities; j++)
            if (text.bytes[i] == entities[j].byte)
                entity = entities[j].entity;
        unsigned char byte = (unsigned char)text.bytes[i];
        bool is_wide =
            byte == 0xC2 && i + 1 < text.length && (unsigned char)text.bytes[i + 1] < 0xA0;
        if (is_wide || byte == 0x7F || (byte < 0x20 && !memchr("\t\n\r", byte, 3)))
            entity = "&#xFFFD;"; /* a control character */
        i += is_wide;
        if (entity)
            fputs(entity, self->base.out);
        else
            fputc(text.bytes[i], self->base.out);
    }
}

static bool html_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    self->sheet = sheet;
    fputs("<table>\n<thead><tr>", self->base.out);
    for (size_t i = 0; i < sheet->column_count; i++) {
        fputs("<th>", self->base.out);
        print_html(self, view_of(sheet->columns[i].heading));
        fputs("</th>", self->base.out);
    }
    fputs("</tr></thead>\n<tbody>\n", self->base.out);
    (void)error;
    return true;
}

static bool html_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct markup_sink *self = (struct markup_sink *)sink;
    fputs("<tr>", self->base.out);
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        struct view text;
        cell_text(self, &self->sheet->columns[i], &cells[i], &text);
        fputs(cell_is_number(&cells[i]) ? "<td align=\"right\">" : "<td>", self->base.out);
        print_html(self, text);
        fputs("</td>", self->base.out);
    }
    fputs("</tr>\n", self->base.out);
    return true;
}

static bool html_end(struct sink *sink, struct error *error)
{
    fputs("</tbody>\n</table>\n", sink->out);
    (void)error;
    return true;
}

struct sink *sink_html(const struct sink_target *target, struct error *error)
{
    struct sink base = {.begin = html_begin, .row = html_row, .end = html_end};
    (void)error;
    return new_markup(target, base);
}
