/* sink_markup: Markdown and HTML.
 *
 * Markdown escapes what it would take for markup and shows control characters; HTML escapes its
 * five characters and replaces controls. A page of sheets stands alone: style and a few lines that
 * sort a table by a clicked heading are in it, nothing is loaded. Its table of contents comes last,
 * when all is known, and is shown first.
 */
#include "query/sink/heading.h"
#include "query/sink/readable.h"

#include "src/base/number.h"
#include "src/base/visible.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* A line of the contents. */
struct entry {
    char *name, *title;
    size_t rows;
};

struct markup_sink {
    struct sink base;
    FILE *out;
    struct sink_target to;
    struct readable table;     /* of a sheet in Markdown */
    const struct sheet *sheet; /* until its end */
    bool of_statement;
    struct text text, visible;
    size_t sheets;
    const struct identity *identity;
    ARRAY(struct entry) contents; /* of a page */
    unsigned last_place;          /* of the columns of a brief sheet */
    size_t rows;                  /* of the sheet */
    ARRAY(double) heights;        /* of the line that a brief sheet has as its chart */
    ARRAY(size_t) order;          /* of the columns of a page: what matters is on the left */
};

/* Of a brief sheet: so many columns, and rows before the others are folded away. */
enum { BRIEF_COLUMNS = 8, BRIEF_ROWS = 20 };

/* The text of a cell; valid until the next call. */
static bool cell_text(struct markup_sink *self, const struct column *column,
                      const struct cell *cell, struct view *text)
{
    *text = cell->text;
    if (cell->type == CELL_TEXT)
        return true;
    text_clear(&self->text);
    if (!cell_add_text(cell, column->form, &self->text))
        return false;
    *text = (struct view){self->text.items, self->text.count};
    return true;
}

/* A figure as people read it; valid until the next call. */
static bool rounded_text(struct markup_sink *self, const struct column *column,
                         const struct cell *cell, struct view *text)
{
    text_clear(&self->text);
    if (!number_add_rounded(&self->text, cell->real, column->unit))
        return false;
    *text = (struct view){self->text.items, self->text.count};
    return true;
}

static void markup_free(struct sink *sink)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    text_free(&self->text);
    text_free(&self->visible);
    array_free(&self->heights);
    readable_free(&self->table);
    for (size_t i = 0; i < self->contents.count; i++) {
        free(self->contents.items[i].name);
        free(self->contents.items[i].title);
    }
    array_free(&self->contents);
    array_free(&self->order);
    free(self);
}

static struct sink *new_markup(const struct sink_target *target, struct sink base,
                               struct error *error)
{
    struct markup_sink *self = sink_new(sizeof *self, base, error);
    if (!self)
        return NULL;
    self->out = target->out;
    self->to = *target;
    self->identity = target->identity;
    self->base.has_notes = true;
    return &self->base;
}

/* ------------------------------------------------------------------ Markdown */

/* Whether a byte would be taken for markup; inside of a word _ is none. */
static bool is_markup(const struct text *text, size_t at)
{
    char byte = text->items[at];
    bool in_word = at > 0 && at + 1 < text->count && isalnum((unsigned char)text->items[at - 1]) &&
                   isalnum((unsigned char)text->items[at + 1]);
    return byte == '_' ? !in_word : strchr("|\\`*~<>[]&", byte) != NULL;
}

static bool print_markdown(struct markup_sink *self, struct view text)
{
    text_clear(&self->visible);
    if (!visible_add(&self->visible, text))
        return false;
    for (size_t i = 0; i < self->visible.count; i++) {
        if (is_markup(&self->visible, i))
            fputc('\\', self->out);
        fputc(self->visible.items[i], self->out);
    }
    return true;
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

static bool print_plain_head(struct markup_sink *self)
{
    const struct sheet *sheet = self->sheet;
    bool any = false;
    for (size_t i = 0; i < sheet->column_count; i++) {
        if (!is_shown(self, i))
            continue;
        fputs(any ? " | " : "| ", self->out);
        any = true;
        if (!print_markdown(self, view_of(sheet->columns[i].heading)))
            return false;
    }
    fputs(any ? " |\n|" : " |\n", self->out);
    for (size_t i = 0; i < sheet->column_count; i++)
        if (is_shown(self, i))
            fputs(sheet->columns[i].is_number ? " ---: |" : " --- |", self->out);
    fputc('\n', self->out);
    return true;
}

/* Rows that few will read are folded away, in a table of their own. */
static bool fold(struct markup_sink *self)
{
    fputs("\n<details>\n<summary>More rows</summary>\n\n", self->out);
    return print_plain_head(self);
}

/* The words above a table. */
static bool print_markdown_title(struct markup_sink *self, const struct sheet *sheet)
{
    fputs(self->sheets++ ? "\n## " : "## ", self->out);
    if (!print_markdown(self, view_of(sheet->name)))
        return false;
    fputs("\n\n", self->out);
    if (sheet->title && !print_markdown(self, view_of(sheet->title)))
        return false;
    fputs(sheet->title ? "\n\n" : "", self->out);
    return true;
}

/* Whether a table is that of a terminal; else it is written row by row. */
static bool is_readable(const struct sheet *sheet)
{
    return sheet->name && !sheet->is_brief;
}

/* The headings of the columns that are shown, with a unit that they do not name, and the line
 * below them. */
static bool print_readable_head(struct markup_sink *self)
{
    for (size_t i = 0; i < self->table.shown.count; i++) {
        const struct column *column = &self->sheet->columns[self->table.shown.items[i]];
        const char *unit = heading_unit(column);
        fputs(i ? " | " : "| ", self->out);
        if (!print_markdown(self, view_of(column->heading)))
            return false;
        fputs(*unit ? " (" : "", self->out);
        if (!print_markdown(self, view_of(unit)))
            return false;
        fputs(*unit ? ")" : "", self->out);
    }
    fputs(" |\n|", self->out);
    for (size_t i = 0; i < self->table.shown.count; i++)
        fputs(self->sheet->columns[self->table.shown.items[i]].is_number ? " ---: |" : " --- |",
              self->out);
    fputc('\n', self->out);
    return true;
}

static bool print_readable_row(struct markup_sink *self, size_t row)
{
    for (size_t i = 0; i < self->table.shown.count; i++) {
        fputs(i ? " | " : "| ", self->out);
        if (!print_markdown(self, readable_cell(&self->table, row, self->table.shown.items[i])))
            return false;
    }
    fputs(" |\n", self->out);
    return true;
}

static bool print_readable(struct markup_sink *self)
{
    bool done = readable_fit(&self->table) && print_readable_head(self);
    for (size_t row = 0; row < self->table.kept && done; row++)
        done = print_readable_row(self, row);
    text_clear(&self->text);
    done = done && readable_add_left_out(&self->table, &self->text);
    if (done && self->text.count)
        fprintf(self->out, "\n%s\n", self->text.items);
    return done;
}

/* What all of it is about, before the first sheet. */
static bool print_markdown_identity(struct markup_sink *self)
{
    struct text line = {0};
    bool done = true;
    for (size_t i = 0; i < identity_lines(self->identity) && done; i++) {
        text_clear(&line);
        done = identity_add_line(self->identity, i, &line) &&
               print_markdown(self, (struct view){line.items, line.count});
        fputs(done ? "\n\n" : "", self->out);
    }
    text_free(&line);
    return done;
}

static bool markdown_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    self->sheet = sheet;
    self->rows = 0;
    self->last_place = sheet->is_brief ? choose_place(sheet) : 0;
    if (sheet->name && !self->sheets && !print_markdown_identity(self))
        return error_memory(error);
    if (sheet->name && !print_markdown_title(self, sheet))
        return error_memory(error);
    if (is_readable(sheet))
        readable_begin(&self->table, sheet, &self->to);
    return is_readable(sheet) || print_plain_head(self) || error_memory(error);
}

static bool markdown_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    bool any = false;
    if (is_readable(self->sheet))
        return readable_add(&self->table, cells, false) || error_memory(error);
    if (self->sheet->is_brief && self->rows++ == BRIEF_ROWS && !fold(self))
        return error_memory(error);
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        struct view text;
        if (!is_shown(self, i))
            continue;
        fputs(any ? " | " : "| ", self->out);
        any = true;
        if (self->sheet->is_brief && cells[i].type == CELL_REAL
                ? !rounded_text(self, &self->sheet->columns[i], &cells[i], &text)
                : !cell_text(self, &self->sheet->columns[i], &cells[i], &text))
            return error_memory(error);
        if (cells[i].type != CELL_TEXT)
            fwrite(text.bytes, 1, text.length, self->out);
        else if (!print_markdown(self, text))
            return error_memory(error);
    }
    fputs(" |\n", self->out);
    return true;
}

static bool markdown_end(struct sink *sink, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    struct text words = {0};
    if (is_readable(self->sheet) && !print_readable(self))
        return error_memory(error);
    bool done = sheet_add_notes(self->sheet, &words);
    if (self->sheet->is_brief && self->rows > BRIEF_ROWS)
        fputs("\n</details>\n", self->out);
    if (done && words.count) {
        fputc('\n', self->out);
        done = print_markdown(self, (struct view){words.items, words.count});
        fputc('\n', self->out);
    }
    text_free(&words);
    return done || error_memory(error);
}

static bool markdown_finish(struct sink *sink, struct error *error)
{
    return sink_check_stream(((struct markup_sink *)sink)->out, "the output", error);
}

struct sink *sink_markdown(const struct sink_target *target, struct error *error)
{
    struct sink base = {.begin = markdown_begin,
                        .row = markdown_row,
                        .end = markdown_end,
                        .finish = markdown_finish,
                        .free = markup_free,
                        .has_names = true};
    return new_markup(target, base, error);
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
        if ((unsigned char)text.bytes[i] < 0x20 && !memchr("\t\n\r", text.bytes[i], 3))
            entity = "&#xFFFD;";
        if (entity)
            fputs(entity, self->out);
        else
            fputc(text.bytes[i], self->out);
    }
}

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
    "<title>tpq report</title>\n<style>\n"
    ":root { color-scheme: light dark; --ink: #1b2733; --faint: #5c6b7a; --line: #d5dde5;\n"
    "  --head: #e8eef4; --hover: #f3f7fb; --link: #1f5fa8; --page: #fff; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #dfe6ee; --faint: #93a3b3;\n"
    "  --line: #33414f; --head: #24303c; --hover: #1e2933; --link: #7db7f5; --page: #161d24; } }\n"
    "body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5em 2em; color: var(--ink);\n"
    "  background: var(--page); display: flex; flex-direction: column; }\n"
    "h1 { order: -2; margin: 0 0 .5em; font-size: 1.5em; }\n"
    "nav { order: -1; }\n"
    "#about { order: -2; }\n"
    "a { color: var(--link); text-decoration: none; }\n"
    "a:hover { text-decoration: underline; }\n"
    "h2 { margin: 1.8em 0 0; font-size: 1.2em; }\n"
    "p { margin: .1em 0 .6em; color: var(--faint); }\n"
    "div { overflow: auto; max-height: 85vh; }\n"
    "table { border-collapse: separate; border-spacing: 0; }\n"
    "th, td { padding: .25em .7em; border-bottom: 1px solid var(--line); text-align: left;\n"
    "  vertical-align: top; }\n"
    "th { position: sticky; top: 0; background: var(--head); cursor: pointer;\n"
    "  vertical-align: bottom; }\n"
    "th small { display: block; font-weight: normal; color: var(--faint); }\n"
    "td { max-width: 36em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n"
    "nav td { max-width: 60em; white-space: normal; }\n"
    "nav td:not(:nth-child(2)) { white-space: nowrap; }\n"
    ".n { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "tbody tr:hover td { background: var(--hover); }\n"
    "@media print { body { margin: 0; font-size: 9px; } div { overflow: visible; max-height: none; "
    "}\n"
    "  td { white-space: normal; overflow-wrap: anywhere; } th { position: static; }\n"
    "  thead { display: table-header-group; } tr { break-inside: avoid; } }\n"
    "</style>\n</head>\n<body>\n<h1>tpq report</h1>\n";

/* The title of a cell is its whole text or exact number, where it does not show that itself. */
static const char page_script[] =
    "<script>\n"
    "for (const head of document.querySelectorAll('th')) head.onclick = () => {\n"
    "  const body = head.closest('table').tBodies[0], column = head.cellIndex;\n"
    "  const down = head.dataset.order ? head.dataset.order !== 'down' : head.className === 'n';\n"
    "  head.dataset.order = down ? 'down' : 'up';\n"
    "  const value = row => { const cell = row.cells[column], text = cell.title || "
    "cell.textContent;\n"
    "    return cell.className !== 'n' || isNaN(text) ? text : Number(text); };\n"
    "  const order = (a, b) => a === b ? 0 : typeof a === typeof b ? (a < b ? -1 : 1)\n"
    "    : typeof a === 'number' ? -1 : 1;\n"
    "  const rows = [...body.rows].map(row => [value(row), row]);\n"
    "  rows.sort((a, b) => (a[0] === '') - (b[0] === '') || (down ? -1 : 1) * order(a[0], b[0]));\n"
    "  body.append(...rows.map(pair => pair[1]));\n"
    "};\n"
    "</script>\n</body>\n</html>\n";

static bool print_page_head(struct markup_sink *self)
{
    size_t lines = identity_lines(self->identity);
    struct text line = {0};
    bool done = true;
    fputs(page_head, self->out);
    fputs(lines ? "<p id=\"about\">" : "", self->out);
    for (size_t i = 0; i < lines && done; i++) {
        text_clear(&line);
        fputs(i ? "<br>\n" : "", self->out);
        done = identity_add_line(self->identity, i, &line);
        print_html(self, (struct view){line.items, line.count});
    }
    fputs(lines ? "</p>\n" : "", self->out);
    text_free(&line);
    return done;
}

static bool begin_section(struct markup_sink *self, const struct sheet *sheet)
{
    struct entry *entry = array_push(&self->contents);
    if (!entry)
        return false;
    *entry = (struct entry){strdup(sheet->name), strdup(sheet->title ? sheet->title : ""), 0};
    if (!self->sheets++ && !print_page_head(self))
        return false;
    fprintf(self->out, "<section>\n<h2 id=\"s%zu\">", self->sheets);
    print_html(self, view_of(sheet->name));
    fputs("</h2>\n<p>", self->out);
    print_html(self, view_of(sheet->title ? sheet->title : ""));
    fputs("</p>\n<div>\n", self->out);
    return entry->name && entry->title;
}

/* Words that may be broken behind an underscore. */
static void print_breakable(struct markup_sink *self, const char *words)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, "_");
        length += at[length] == '_';
        print_html(self, (struct view){at, length});
        at += length;
        fputs(*at ? "<wbr>" : "", self->out);
    }
}

static void print_heading(struct markup_sink *self, const struct column *column, bool of_page)
{
    fputs(of_page && column->is_number ? "<th class=\"n\"" : "<th", self->out);
    if (column->meaning && *column->meaning) {
        fputs(" title=\"", self->out);
        print_html(self, view_of(column->meaning));
        fputc('"', self->out);
    }
    fputc('>', self->out);
    if (of_page)
        print_breakable(self, column->heading);
    else
        print_html(self, view_of(column->heading));
    if (of_page && *heading_unit(column)) {
        fputs("<small>", self->out);
        print_html(self, view_of(heading_unit(column)));
        fputs("</small>", self->out);
    }
    fputs("</th>", self->out);
}

/* The column that a line shows; SIZE_MAX: the sheet has no such chart. */
static size_t line_column(const struct sheet *sheet)
{
    const char *chart = sheet->is_brief && sheet->chart ? sheet->chart : "";
    const char *name = strrchr(chart, ' ');
    for (size_t i = 0; i < sheet->column_count && strncmp(chart, "line ", 5) == 0; i++)
        if (strcmp(sheet->columns[i].name, name + 1) == 0)
            return i;
    return SIZE_MAX;
}

static bool note_height(struct markup_sink *self, const struct cell *cells)
{
    size_t column = line_column(self->sheet);
    if (column == SIZE_MAX)
        return true;
    return array_add(&self->heights, cells[column].type == CELL_REAL ? cells[column].real : NAN);
}

/* The chart: a line from 0 up, and a point for each row. */
static void print_line_chart(const struct markup_sink *self)
{
    enum { WIDTH = 840, HEIGHT = 240, MARGIN = 10 };
    double most = 0;
    size_t count = self->heights.count;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, self->heights.items[i]);
    if (!count || most <= 0)
        return;
    double step = count > 1 ? (double)(WIDTH - 2 * MARGIN) / (double)(count - 1) : 0;
    fprintf(self->out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" fill=\"none\" stroke=\"#3B76AF\">",
            WIDTH, HEIGHT, WIDTH);
    for (int points = 0; points < 2; points++) {
        fputs(points ? "" : "<polyline points=\"", self->out);
        for (size_t i = 0; i < count; i++) {
            double x = MARGIN + step * (double)i;
            double y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * self->heights.items[i] / most;
            if (isfinite(y))
                fprintf(self->out,
                        points ? "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>" : "%.1f,%.1f ", x, y);
        }
        fputs(points ? "</svg>\n" : "\"/>", self->out);
    }
}

/* Of a report the most important columns come first, then those without a place. */
static bool order_columns(struct markup_sink *self)
{
    size_t count = self->sheet->column_count;
    const struct column *columns = self->sheet->columns;
    unsigned last = 0;
    self->order.count = 0;
    if (!array_reserve(&self->order, count + 1))
        return false;
    bool as_given = self->to.wide || self->sheet->is_brief;
    for (size_t i = 0; i < count && !as_given; i++)
        last = columns[i].place > last ? columns[i].place : last;
    for (unsigned place = 1; place <= last + 1; place++)
        for (size_t i = 0; i < count; i++)
            if (place > last ? as_given || !columns[i].place : columns[i].place == place)
                self->order.items[self->order.count++] = i;
    return true;
}

static bool html_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    self->sheet = sheet;
    self->of_statement = sheet->name == NULL;
    self->heights.count = 0;
    if (!order_columns(self) || (sheet->name && !begin_section(self, sheet)))
        return error_memory(error);
    fputs("<table>\n<thead><tr>", self->out);
    for (size_t i = 0; i < sheet->column_count; i++)
        print_heading(self, &sheet->columns[self->order.items[i]], sheet->name != NULL);
    fputs("</tr></thead>\n<tbody>\n", self->out);
    return true;
}

/* A cell of a page: numbers as people read them, long texts whole in their title. */
static bool print_page_cell(struct markup_sink *self, const struct column *column,
                            const struct cell *cell, struct view text)
{
    enum { LONG_TEXT = 48 };
    bool is_number =
        cell_is_number(cell) && column->form != FORM_BOOLEAN && column->form != FORM_NAME;
    struct view shown = text;
    text_clear(&self->visible);
    if (is_number) {
        if (cell->type == CELL_INTEGER
                ? !number_add_grouped(&self->visible, cell->integer)
                : !number_add_rounded(&self->visible, cell->real, column->unit))
            return false;
        shown = (struct view){self->visible.items, self->visible.count};
    } else if (cell->type == CELL_TEXT && column->names && !self->to.wide) {
        shown = short_names_find(column->names, text);
    }
    fputs(is_number ? "<td class=\"n\"" : "<td", self->out);
    if (!view_equal(shown, text) || (!is_number && text.length > LONG_TEXT)) {
        fputs(" title=\"", self->out);
        print_html(self, text);
        fputc('"', self->out);
    }
    fputc('>', self->out);
    print_html(self, shown);
    return true;
}

static bool html_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    bool of_page = self->sheet->name != NULL;
    if (of_page)
        self->contents.items[self->contents.count - 1].rows++;
    if (!note_height(self, cells))
        return error_memory(error);
    fputs("<tr>", self->out);
    for (size_t place = 0; place < self->sheet->column_count; place++) {
        struct view text;
        size_t i = self->order.items[place];
        if (!cell_text(self, &self->sheet->columns[i], &cells[i], &text))
            return error_memory(error);
        if (!of_page) {
            fputs(cell_is_number(&cells[i]) ? "<td align=\"right\">" : "<td>", self->out);
            print_html(self, text);
        } else if (!print_page_cell(self, &self->sheet->columns[i], &cells[i], text)) {
            return error_memory(error);
        }
        fputs("</td>", self->out);
    }
    fputs("</tr>\n", self->out);
    return true;
}

static bool html_footer(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    bool done = html_row(sink, cells, error);
    if (self->sheet->name)
        self->contents.items[self->contents.count - 1].rows--;
    return done;
}

static bool html_end(struct sink *sink, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    struct text words = {0};
    bool done = sheet_add_notes(self->sheet, &words);
    fputs("</tbody>\n</table>\n", self->out);
    print_line_chart(self);
    if (self->sheet->name)
        fputs("</div>\n", self->out);
    if (done && words.count) {
        fputs("<p>", self->out);
        print_html(self, (struct view){words.items, words.count});
        fputs("</p>\n", self->out);
    }
    if (self->sheet->name)
        fputs("</section>\n", self->out);
    text_free(&words);
    return done || error_memory(error);
}

static void print_contents(struct markup_sink *self)
{
    fputs("<nav>\n<table>\n", self->out);
    for (size_t i = 0; i < self->contents.count; i++) {
        const struct entry *entry = &self->contents.items[i];
        fprintf(self->out, "<tr><td><a href=\"#s%zu\">", i + 1);
        print_html(self, view_of(entry->name));
        fputs("</a></td><td>", self->out);
        print_html(self, view_of(entry->title));
        fprintf(self->out, "</td><td class=\"n\">%zu row%s</td></tr>\n", entry->rows,
                entry->rows == 1 ? "" : "s");
    }
    fputs("</table>\n</nav>\n", self->out);
}

static bool html_finish(struct sink *sink, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    if (!self->of_statement) {
        if (!self->sheets && !print_page_head(self))
            return error_memory(error);
        print_contents(self);
        fputs(page_script, self->out);
    }
    return sink_check_stream(self->out, "the output", error);
}

struct sink *sink_html(const struct sink_target *target, struct error *error)
{
    struct sink base = {.begin = html_begin,
                        .row = html_row,
                        .end = html_end,
                        .finish = html_finish,
                        .free = markup_free,
                        .footer = html_footer,
                        .has_names = true};
    return new_markup(target, base, error);
}
