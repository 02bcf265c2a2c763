/* sink_json: JSON and JSON Lines. NULL, NaN and infinities are null; structured cells stay the JSON
 * that they are. */
#include "query/sink/sink.h"

#include <math.h>

struct json_sink {
    struct sink base;
    FILE *out;
    bool lines, of_statement;
    const struct sheet *sheet; /* until its end */
    size_t sheets, rows;
    const struct identity *identity;
    struct text text;
    struct text notes; /* members of "sheets": what they leave out, and why they are empty */
};

static void print_text(struct json_sink *self)
{
    fwrite(self->text.items, 1, self->text.count, self->out);
}

static bool print_string(struct json_sink *self, struct view plain)
{
    text_clear(&self->text);
    if (!text_add_json(&self->text, plain))
        return false;
    print_text(self);
    return true;
}

static bool add_number(struct text *out, const char *name, int64_t value, double divisor)
{
    struct cell cell = {.type = CELL_INTEGER, .integer = value};
    if (divisor > 1)
        cell = (struct cell){.type = CELL_REAL, .real = (double)value / divisor};
    return text_format(out, ", \"%s\": ", name) &&
           (value < 0 ? text_add_string(out, "null") : cell_add_text(&cell, FORM_PLAIN, out));
}

/* Keeps what is to be said of a sheet in "meta". */
static bool keep_notes(struct json_sink *self, const struct sheet *sheet)
{
    struct text *notes = &self->notes;
    if (!sheet->name || (!sheet->left_out_count && !sheet->why_empty))
        return true;
    bool done = text_add_string(notes, notes->count ? ",\n    " : "\n    ") &&
                text_add_json(notes, view_of(sheet->name)) && text_add_string(notes, ": {");
    if (done && sheet->why_empty)
        done = text_add_string(notes, "\"no_rows\": ") &&
               text_add_json(notes, view_of(sheet->why_empty)) &&
               (!sheet->left_out_count || text_add_string(notes, ", "));
    for (size_t i = 0; i < sheet->left_out_count && done; i++)
        done = text_add_string(notes, i ? ", {\"what\": " : "\"left_out\": [{\"what\": ") &&
               text_add_json(notes, view_of(sheet->left_out[i].what)) &&
               add_number(notes, "count", sheet->left_out[i].count, 1) &&
               add_number(notes, "time_ms", sheet->left_out[i].time_ns, 1e6) &&
               text_add_byte(notes, '}');
    return done && (!sheet->left_out_count || text_add_byte(notes, ']')) &&
           text_add_byte(notes, '}');
}

/* The last member: what all of it is about, and what there is to say of sheets. */
static bool print_meta(struct json_sink *self)
{
    bool has_sheets = self->notes.count > 0;
    text_clear(&self->text);
    bool done = text_add_string(&self->text, "\"meta\": {") &&
                identity_add_json(self->identity, &self->text) &&
                (!has_sheets || (text_add_string(&self->text, ",\n  \"sheets\": {") &&
                                 text_add(&self->text, self->notes.items, self->notes.count) &&
                                 text_add_byte(&self->text, '}'))) &&
                text_add_byte(&self->text, '}');
    if (done)
        print_text(self);
    return done;
}

static bool json_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct json_sink *self = (struct json_sink *)sink;
    self->sheet = sheet;
    self->of_statement = sheet->name == NULL;
    self->rows = 0;
    if (self->lines)
        return true;
    if (!keep_notes(self, sheet))
        return error_memory(error);
    if (sheet->name) {
        fputs(self->sheets++ ? ",\n" : "{\n", self->out);
        if (!print_string(self, view_of(sheet->name)))
            return error_memory(error);
        fputs(": ", self->out);
    }
    fputc('[', self->out);
    return true;
}

static bool print_cell(struct json_sink *self, const struct column *column, const struct cell *cell)
{
    bool is_structure = column->form == FORM_TUPLE || column->form == FORM_LIST;
    if (cell->type == CELL_NULL || (cell->type == CELL_REAL && !isfinite(cell->real))) {
        fputs("null", self->out);
    } else if (cell->type == CELL_INTEGER && column->form == FORM_BOOLEAN) {
        fputs(cell->integer ? "true" : "false", self->out);
    } else if (cell->type == CELL_TEXT && !is_structure) {
        return print_string(self, cell->text);
    } else {
        text_clear(&self->text);
        if (!cell_add_text(cell, FORM_PLAIN, &self->text))
            return false;
        print_text(self);
    }
    return true;
}

static bool json_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct json_sink *self = (struct json_sink *)sink;
    if (!self->lines)
        fputs(self->rows ? ",\n" : "\n", self->out);
    self->rows++;
    fputc('{', self->out);
    if (self->lines && self->sheet->name) {
        fputs("\"sheet\":", self->out);
        if (!print_string(self, view_of(self->sheet->name)))
            return error_memory(error);
        fputc(',', self->out);
    }
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        const struct column *column = &self->sheet->columns[i];
        if (i)
            fputc(',', self->out);
        if (!print_string(self, view_of(column->heading)))
            return error_memory(error);
        fputc(':', self->out);
        if (!print_cell(self, column, &cells[i]))
            return error_memory(error);
    }
    fputs(self->lines ? "}\n" : "}", self->out);
    return true;
}

static bool json_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct json_sink *self = (struct json_sink *)sink;
    if (!self->lines)
        fputs(self->rows ? "\n]" : "]", self->out);
    if (!self->lines && !self->sheet->name)
        fputc('\n', self->out);
    return true;
}

static bool json_finish(struct sink *sink, struct error *error)
{
    struct json_sink *self = (struct json_sink *)sink;
    if (!self->lines && !self->of_statement) {
        fputs(self->sheets ? "" : "{", self->out);
        if (self->identity) {
            fputs(self->sheets ? ",\n" : "\n", self->out);
            if (!print_meta(self))
                return error_memory(error);
        }
        fputs(self->sheets || self->identity ? "\n}\n" : "}\n", self->out);
    }
    return sink_check_stream(self->out, "the output", error);
}

static void json_free(struct sink *sink)
{
    struct json_sink *self = (struct json_sink *)sink;
    text_free(&self->text);
    text_free(&self->notes);
    free(self);
}

static struct sink *new_json(const struct sink_target *target, bool lines, struct error *error)
{
    struct sink base = {.begin = json_begin,
                        .row = json_row,
                        .end = json_end,
                        .finish = json_finish,
                        .free = json_free};
    struct json_sink *self = sink_new(sizeof *self, base, error);
    if (!self)
        return NULL;
    self->out = target->out;
    self->lines = lines;
    self->identity = target->identity;
    self->base.has_notes = !lines;
    return &self->base;
}

struct sink *sink_json(const struct sink_target *target, struct error *error)
{
    return new_json(target, false, error);
}

struct sink *sink_json_lines(const struct sink_target *target, struct error *error)
{
    return new_json(target, true, error);
}
