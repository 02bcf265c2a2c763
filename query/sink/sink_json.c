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
    struct text text;
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

static bool json_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    struct json_sink *self = (struct json_sink *)sink;
    self->sheet = sheet;
    self->of_statement = sheet->name == NULL;
    self->rows = 0;
    if (self->lines)
        return true;
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
    if (!self->lines && !self->of_statement)
        fputs(self->sheets ? "\n}\n" : "{}\n", self->out);
    return sink_check_stream(self->out, "the output", error);
}

static void json_free(struct sink *sink)
{
    struct json_sink *self = (struct json_sink *)sink;
    text_free(&self->text);
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
