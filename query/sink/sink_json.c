/* sink_json: JSON and JSON Lines. Keys are the names of the columns; their headings and units are
 * in "meta", the last member or line. NULL, NaN and infinities are null; structured cells stay the
 * JSON that they are. */
#include "query/sink/own_names.h"
#include "query/sink/sink.h"
#include "src/base/json.h"

#include <math.h>

struct json_sink {
    struct sink base;
    bool lines, of_statement;
    const struct sheet *sheet; /* until its end */
    size_t sheets, rows;
    const struct identity *identity;
    struct text text;
    struct text about;     /* members of "sheets" */
    struct own_names keys; /* of the sheet in hand; in lines that of its name before them */
};

static void print_text(struct json_sink *self)
{
    fwrite(self->text.items, 1, self->text.count, self->base.out);
}

static void print_string(struct json_sink *self, struct view plain)
{
    text_clear(&self->text);
    text_add_json(&self->text, plain);
    print_text(self);
}

static void add_member(struct text *out, const char *name, const char *text)
{
    text_format(out, "\"%s\": ", name);
    text_add_json(out, view_of(text));
}

static void add_number(struct text *out, const char *name, int64_t value, double divisor)
{
    struct cell cell = {.type = CELL_INTEGER, .integer = value};
    if (divisor > 1)
        cell = (struct cell){.type = CELL_REAL, .real = (double)value / divisor};
    text_format(out, ", \"%s\": ", name);
    if (value < 0)
        text_add_string(out, "null");
    else
        cell_add_text(&cell, FORM_PLAIN, out);
}

/* ------------------------------------------------------------------ what is said of sheets */

/* Keeps what is to be said of a sheet in "meta". */
static void keep_words(struct json_sink *self, const struct sheet *sheet)
{
    struct text *out = &self->about;
    text_add_string(out, self->sheets ? "," : "");
    text_add_string(out, self->lines ? " " : "\n    ");
    text_add_json(out, view_of(sheet->name));
    text_add_string(out, ": {");
    if (sheet->title) {
        add_member(out, "title", sheet->title);
        text_add_string(out, ", ");
    }

    /* Headings and units of the columns, by their keys. */
    text_add_string(out, "\"columns\": {");
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct column *column = &sheet->columns[i];
        if (i)
            text_add_string(out, ", ");
        text_add_json(out, view_of(self->keys.list.items[i + self->lines]));
        text_add_string(out, ": {");
        add_member(out, "heading", column->heading);
        if (*column->unit) {
            text_add_string(out, ", ");
            add_member(out, "unit", column->unit);
        }
        text_add_byte(out, '}');
    }
    text_add_byte(out, '}');
    if (sheet->why_empty) {
        text_add_string(out, ", ");
        add_member(out, "no_rows", sheet->why_empty);
    }
    if (sheet->not_included_count)
        text_add_string(out, ", \"left_out\": [");
    for (size_t i = 0; i < sheet->not_included_count; i++) {
        text_add_string(out, i ? ", {" : "{");
        add_member(out, "what", sheet->not_included[i].what);
        add_number(out, "count", sheet->not_included[i].count, 1);
        add_number(out, "time_ms", sheet->not_included[i].time_ns, 1e6);
        text_add_byte(out, '}');
    }
    if (sheet->not_included_count)
        text_add_byte(out, ']');
    text_add_byte(out, '}');
}

/* ------------------------------------------------------------------ sheets */

static bool json_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct json_sink *self = (struct json_sink *)sink;
    self->sheet = sheet;
    self->of_statement = sheet->name == NULL;
    self->rows = 0;

    /* The names of the columns; of the rows of a statement as they stand there. */
    self->keys = (struct own_names){0};
    if (!self->of_statement && self->lines)
        own_names_add(&self->keys, "sheet");
    for (size_t i = 0; i < sheet->column_count && !self->of_statement; i++)
        own_names_add(&self->keys, sheet->columns[i].name);
    if (!self->of_statement)
        keep_words(self, sheet);
    bool is_first = self->sheets++ == 0;
    if (self->lines)
        return true;
    if (sheet->name) {
        fputs(is_first ? "{\n" : ",\n", self->base.out);
        print_string(self, view_of(sheet->name));
        fputs(": ", self->base.out);
    }
    fputc('[', self->base.out);
    return true;
}

static const char *key_of(const struct json_sink *self, size_t index)
{
    return self->of_statement ? self->sheet->columns[index].name
                              : self->keys.list.items[index + self->lines];
}

/* True if a text is printed as the JSON that it is. */
static bool is_json(enum column_form form, struct view text)
{
    return form == FORM_TUPLE || form == FORM_LIST ? json_is_whole(text)
                                                   : form == FORM_ARRAY && json_is_structure(text);
}

static void print_cell(struct json_sink *self, const struct column *column, const struct cell *cell)
{
    if (cell->type == CELL_NULL || (cell->type == CELL_REAL && !isfinite(cell->real))) {
        fputs("null", self->base.out);
    } else if (cell->type == CELL_INTEGER && column->form == FORM_BOOLEAN) {
        fputs(cell->integer ? "true" : "false", self->base.out);
    } else if (cell->type == CELL_TEXT && !is_json(column->form, cell->text)) {
        print_string(self, cell->text);
        return;
    } else {
        text_clear(&self->text);
        cell_add_text(cell, FORM_PLAIN, &self->text);
        print_text(self);
    }
}

static bool json_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct json_sink *self = (struct json_sink *)sink;
    if (!self->lines)
        fputs(self->rows ? ",\n" : "\n", self->base.out);
    self->rows++;
    fputc('{', self->base.out);
    if (self->lines && self->sheet->name) {
        fputs("\"sheet\":", self->base.out);
        print_string(self, view_of(self->sheet->name));
        fputc(',', self->base.out);
    }
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        if (i)
            fputc(',', self->base.out);
        print_string(self, view_of(key_of(self, i)));
        fputc(':', self->base.out);
        print_cell(self, column, &cells[i]);
    }
    fputs(self->lines ? "}\n" : "}", self->base.out);
    return true;
}

static bool json_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct json_sink *self = (struct json_sink *)sink;
    if (!self->lines)
        fputs(self->rows ? "\n]" : "]", self->base.out);
    if (!self->lines && !self->sheet->name)
        fputc('\n', self->base.out);
    return true;
}

static bool json_finish(struct sink *sink, struct error *error)
{
    (void)error;
    struct json_sink *self = (struct json_sink *)sink;
    bool any = self->sheets || self->identity;
    if (self->of_statement)
        return true;
    if (self->lines)
        fputs(any ? "{" : "", self->base.out);
    else
        fputs(self->sheets ? ",\n" : any ? "{\n" : "{", self->base.out);
    if (any) {
        /* The last member, or line: what all of it is about, and what there is to say of sheets. */
        text_clear(&self->text);
        text_add_string(&self->text, "\"meta\": {");
        identity_add_json(self->identity, &self->text);
        if (self->sheets) {
            text_add_string(&self->text, !self->identity ? "" : self->lines ? ", " : ",\n  ");
            text_add_string(&self->text, "\"sheets\": {");
            text_add(&self->text, self->about.items, self->about.count);
            text_add_byte(&self->text, '}');
        }
        text_add_byte(&self->text, '}');
        print_text(self);
    }
    if (self->lines)
        fputs(any ? "}\n" : "", self->base.out);
    else
        fputs(any ? "\n}\n" : "}\n", self->base.out);
    return true;
}

static struct sink *new_json(const struct sink_target *target, bool lines)
{
    struct sink base = {.out = target->out,
                        .begin = json_begin,
                        .row = json_row,
                        .end = json_end,
                        .finish = json_finish,
                        .has_notes = true,
                        .says_where = true,
                        .takes_any = true};
    struct json_sink *self = sink_new(sizeof *self, base);
    self->lines = lines;
    self->identity = target->identity;
    return &self->base;
}

struct sink *sink_json(const struct sink_target *target, struct error *error)
{
    (void)error;
    return new_json(target, false);
}

struct sink *sink_json_lines(const struct sink_target *target, struct error *error)
{
    (void)error;
    return new_json(target, true);
}
