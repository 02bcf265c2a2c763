/* sink_markup: Markdown and HTML.
 *
 * Markdown escapes what it would take for markup and shows control characters; HTML escapes its
 * five characters and replaces controls. A page of sheets stands alone: style and a few lines that
 * sort a table by a clicked heading are in it, nothing is loaded.
 */
#include "sink.h"

#include "grid.h"

#include <string.h>

struct markup_sink {
    struct sink base;
    FILE *out;
    const struct sheet *sheet;
    struct text text, visible;
    size_t sheets;
};

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

static void markup_free(struct sink *sink)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    text_free(&self->text);
    text_free(&self->visible);
    free(self);
}

static struct sink *new_sink(FILE *out, struct sink base, struct error *error)
{
    struct markup_sink *self = calloc(1, sizeof *self);
    if (!self) {
        error_memory(error);
        return NULL;
    }
    self->base = base;
    self->out = out;
    return &self->base;
}

/* ------------------------------------------------------------------ Markdown */

static bool print_markdown(struct markup_sink *self, struct view text)
{
    text_clear(&self->visible);
    if (!grid_add_visible(&self->visible, text))
        return false;
    for (size_t i = 0; i < self->visible.count; i++) {
        if (strchr("|\\`*_<>[]", self->visible.items[i]))
            fputc('\\', self->out);
        fputc(self->visible.items[i], self->out);
    }
    return true;
}

static bool markdown_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    self->sheet = sheet;
    if (sheet->name) {
        fputs(self->sheets++ ? "\n## " : "## ", self->out);
        if (!print_markdown(self, view_of(sheet->name)))
            return error_memory(error);
        fputs("\n\n", self->out);
        if (sheet->title && !print_markdown(self, view_of(sheet->title)))
            return error_memory(error);
        fputs("\n\n", self->out);
    }
    for (size_t i = 0; i < sheet->column_count; i++) {
        fputs(i ? " | " : "| ", self->out);
        if (!print_markdown(self, view_of(sheet->columns[i].heading)))
            return error_memory(error);
    }
    fputs(" |\n", self->out);
    for (size_t i = 0; i < sheet->column_count; i++) {
        const char *rule = sheet->columns[i].is_number ? " ---: |" : " --- |";
        fprintf(self->out, "%s%s", i ? "" : "|", rule);
    }
    fputc('\n', self->out);
    return true;
}

static bool markdown_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        struct view text;
        fputs(i ? " | " : "| ", self->out);
        if (!cell_text(self, &self->sheet->columns[i], &cells[i], &text))
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
    (void)sink, (void)error;
    return true;
}

static bool markdown_finish(struct sink *sink, struct error *error)
{
    return sink_check_stream(((struct markup_sink *)sink)->out, "the output", error);
}

struct sink *sink_markdown(FILE *out, struct error *error)
{
    struct sink base = {markdown_begin, markdown_row, markdown_end, markdown_finish, markup_free};
    return new_sink(out, base, error);
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
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>tpq "
    "report</title>\n"
    "<style>\n"
    "body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #1b2733; }\n"
    "nav a { margin-right: 1em; }\n"
    "h2 { margin: 2em 0 0; font-size: 1.2em; }\n"
    "p { margin: .2em 0 .6em; color: #566; }\n"
    "table { border-collapse: collapse; }\n"
    "th { position: sticky; top: 0; background: #e8eef4; cursor: pointer; text-align: left; }\n"
    "th, td { padding: .25em .7em; border-bottom: 1px solid #d5dde5; vertical-align: top;\n"
    "  max-width: 48em; overflow-wrap: anywhere; }\n"
    "td[align] { font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    "tr:hover td { background: #f5f8fb; }\n"
    "</style>\n</head>\n<body>\n";

static const char page_foot[] =
    "<script>\n"
    "for (const head of document.querySelectorAll('th')) head.onclick = () => {\n"
    "  const table = head.closest('table'), column = head.cellIndex, body = table.tBodies[0];\n"
    "  const down = head.dataset.order !== 'down';\n"
    "  head.dataset.order = down ? 'down' : 'up';\n"
    "  const value = row => { const text = row.cells[column].textContent;\n"
    "    return text === '' || isNaN(text) ? text : Number(text); };\n"
    "  const order = (a, b) => a === b ? 0 : typeof a === typeof b ? (a < b ? -1 : 1)\n"
    "    : typeof a === 'number' ? -1 : 1;\n"
    "  body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * order(value(a), "
    "value(b))));\n"
    "};\n"
    "</script>\n</body>\n</html>\n";

static bool html_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct markup_sink *self = (struct markup_sink *)sink;
    self->sheet = sheet;
    if (sheet->name) {
        fputs(self->sheets++ ? "" : page_head, self->out);
        fputs("<h2 id=\"", self->out);
        print_html(self, view_of(sheet->name));
        fputs("\">", self->out);
        print_html(self, view_of(sheet->name));
        fputs("</h2>\n<p>", self->out);
        print_html(self, view_of(sheet->title ? sheet->title : ""));
        fputs("</p>\n", self->out);
    }
    fputs("<table>\n<thead><tr>", self->out);
    for (size_t i = 0; i < sheet->column_count; i++) {
        const char *meaning = sheet->columns[i].meaning;
        fputs(meaning ? "<th title=\"" : "<th>", self->out);
        if (meaning) {
            print_html(self, view_of(meaning));
            fputs("\">", self->out);
        }
        print_html(self, view_of(sheet->columns[i].heading));
        fputs("</th>", self->out);
    }
    fputs("</tr></thead>\n<tbody>\n", self->out);
    return true;
}

static bool html_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    fputs("<tr>", self->out);
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        struct view text;
        if (!cell_text(self, &self->sheet->columns[i], &cells[i], &text))
            return error_memory(error);
        fputs(cell_is_number(&cells[i]) ? "<td align=\"right\">" : "<td>", self->out);
        print_html(self, text);
        fputs("</td>", self->out);
    }
    fputs("</tr>\n", self->out);
    return true;
}

static bool html_end(struct sink *sink, struct error *error)
{
    (void)error;
    fputs("</tbody>\n</table>\n", ((struct markup_sink *)sink)->out);
    return true;
}

static bool html_finish(struct sink *sink, struct error *error)
{
    struct markup_sink *self = (struct markup_sink *)sink;
    if (self->sheets)
        fputs(page_foot, self->out);
    return sink_check_stream(self->out, "the output", error);
}

struct sink *sink_html(FILE *out, struct error *error)
{
    struct sink base = {html_begin, html_row, html_end, html_finish, markup_free};
    return new_sink(out, base, error);
}
