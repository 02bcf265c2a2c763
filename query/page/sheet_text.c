/* sheet_text: see sheet_text.h. */
#include "query/page/sheet_text.h"

#include "query/page/words.h"
#include "query/sink/chart.h"

#include <math.h>

enum { LONGEST = 4096 }; /* bytes of a text that are kept */

/* Whole numbers that JavaScript has all of. */
static const int64_t whole_most = INT64_C(9007199254740991);

bool sheet_text_begin(struct sheet_text *self, const struct sheet *sheet)
{
    *self = (struct sheet_text){.sheet = sheet};
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct sheet_text_column *column = array_push(&self->columns);
        if (!column)
            return false;
        *column = (struct sheet_text_column){.numbers = CELL_NULL};
    }
    return true;
}

/* A text, without its end where it is long. */
static bool add_words(struct text *out, struct text *scratch, struct view words)
{
    if (words.length <= LONGEST)
        return text_add_json(out, words);
    size_t length = LONGEST;
    while (length && ((unsigned char)words.bytes[length] & 0xC0) == 0x80)
        length--;
    text_clear(scratch);
    return text_add(scratch, words.bytes, length) &&
           text_format(scratch, "\xE2\x80\xA6 (%zu bytes)", words.length) &&
           text_add_json(out, text_view(scratch));
}

/* A number that JavaScript writes as its text is, but for .0 behind whole ones. */
static bool is_plain(const struct cell *cell, enum cell_type numbers, struct view text)
{
    if (cell->type != numbers)
        return false;
    if (cell->type == CELL_INTEGER)
        return cell->integer >= -whole_most && cell->integer <= whole_most;
    return isfinite(cell->real) && !memchr(text.bytes, 'e', text.length) &&
           !view_equal(text, VIEW("-0.0"));
}

static bool add_cell(struct sheet_text *self, size_t at, const struct cell *cell, struct text *out)
{
    const struct column *column = &self->sheet->columns[at];
    enum cell_type *numbers = &self->columns.items[at].numbers;
    if (cell->type == CELL_NULL)
        return text_add_string(out, "null");
    if (cell->type == CELL_TEXT)
        return add_words(out, &self->scratch, cell->text);
    text_clear(&self->scratch);
    if (!cell_add_text(cell, column->form, &self->scratch))
        return false;
    struct view text = {self->scratch.items, self->scratch.count};
    if (column->form == FORM_BOOLEAN)
        return text_add_json(out, text);
    if (*numbers == CELL_NULL)
        *numbers = cell->type;
    if (is_plain(cell, *numbers, text))
        return text_add_view(out, text);
    return text_add_byte(out, '[') && text_add_json(out, text) && text_add_byte(out, ']');
}

/* Keeps the short form of a kernel's name, once. */
static bool note_name(struct sheet_text *self, size_t at, const struct cell *cell)
{
    const struct short_names *names = self->sheet->columns[at].names;
    struct sheet_text_column *column = &self->columns.items[at];
    if (!names || cell->type != CELL_TEXT || cell->text.length > LONGEST)
        return true;
    struct view shown = short_names_find(names, cell->text);
    if (view_equal(shown, cell->text) ||
        intern_find(&column->kernels, cell->text.bytes, cell->text.length))
        return true;
    return intern_add(&column->kernels, cell->text.bytes, cell->text.length) &&
           text_add_string(&column->short_names, column->short_names.count ? ",[" : "[") &&
           text_add_json(&column->short_names, cell->text) &&
           text_add_byte(&column->short_names, ',') && text_add_json(&column->short_names, shown) &&
           text_add_byte(&column->short_names, ']');
}

bool sheet_text_row(struct sheet_text *self, const struct cell *cells)
{
    bool done = true;
    for (size_t i = 0; i < self->columns.count && done; i++) {
        struct text *out = &self->columns.items[i].cells;
        done = (!self->rows || text_add_byte(out, ',')) && add_cell(self, i, &cells[i], out) &&
               note_name(self, i, &cells[i]);
    }
    if (done && self->sheet->has_colours) {
        const struct cell *colours = &cells[self->sheet->column_count];
        struct view none = VIEW("");
        done = (!self->rows || text_add_byte(&self->colours, ',')) &&
               text_add_json(&self->colours, colours->type == CELL_TEXT ? colours->text : none);
    }
    self->rows += done;
    return done;
}

bool sheet_text_footer(struct sheet_text *self, const struct cell *cells)
{
    bool done = text_add_string(&self->footer, self->footer.count ? ",[" : "[");
    for (size_t i = 0; i < self->columns.count && done; i++)
        done = (!i || text_add_byte(&self->footer, ',')) &&
               add_cell(self, i, &cells[i], &self->footer);
    return done && text_add_byte(&self->footer, ']');
}

static bool add_member(struct text *out, const char *key, const char *text)
{
    return !text || !*text ||
           (text_format(out, ",\"%s\":", key) && text_add_json(out, view_of(text)));
}

/* The heading for people, where it is another one, and the unit where that does not say it. */
static bool add_words_shown(const struct column *column, struct text *scratch, struct text *out)
{
    text_clear(scratch);
    return words_add_heading(scratch, column) &&
           add_member(out, "words",
                      strcmp(scratch->items ? scratch->items : "", column->heading) == 0
                          ? ""
                          : scratch->items) &&
           add_member(out, "shown", words_unit(column));
}

static bool add_column(struct sheet_text *self, size_t at, struct text *out)
{
    static const char *const forms[] = {"",     "boolean", "name",   "tuple",
                                        "list", "array",   "kernel", "call"};
    static const char *const polarities[] = {"", "lower", "higher"};
    const struct column *column = &self->sheet->columns[at];
    const struct sheet_text_column *kept = &self->columns.items[at];
    bool is_real = kept->numbers == CELL_REAL, is_whole = kept->numbers == CELL_INTEGER;
    return text_add_string(out, at ? ",{\"name\":" : "{\"name\":") &&
           text_add_json(out, view_of(column->name)) &&
           add_member(out, "heading", column->heading) &&
           add_words_shown(column, &self->scratch, out) &&
           add_member(out, "unit", words_of_unit(column->unit)) &&
           add_member(out, "meaning", column->meaning) &&
           add_member(out, "form", forms[column->form]) && add_member(out, "stem", column->stem) &&
           add_member(out, "of", column->of) &&
           add_member(out, "polarity", polarities[column->polarity]) &&
           add_member(out, "change", polarities[column->change]) &&
           add_member(out, "numbers",
                      is_real    ? "real"
                      : is_whole ? "whole"
                                 : "") &&
           text_format(out, ",\"place\":%u,\"key\":%d,\"bar\":%d,\"names\":[", column->place,
                       column->is_key, column->has_bar) &&
           text_add(out, kept->short_names.items, kept->short_names.count) &&
           text_add_string(out, "],\"cells\":[") &&
           text_add(out, kept->cells.items, kept->cells.count) && text_add_string(out, "]}");
}

/* "chart": the kind, and the names of its columns. */
static bool add_chart(const struct sheet *sheet, struct text *out)
{
    struct chart chart = chart_read(sheet);
    bool done =
        chart.kind == CHART_NONE || text_format(out, ",\"chart\":[\"%s\"", chart_word(chart.kind));
    for (size_t i = 0; i < chart.count && done; i++)
        done = text_add_byte(out, ',') && text_add_json(out, chart.names[i]);
    return done && (chart.kind == CHART_NONE || text_add_byte(out, ']'));
}

bool sheet_text_end(struct sheet_text *self)
{
    struct text *out = &self->json, notes = {0};
    bool done = text_add_string(out, "{\"columns\":[");
    for (size_t i = 0; i < self->columns.count && done; i++)
        done = add_column(self, i, out);
    done = done && text_add_string(out, "]") && add_chart(self->sheet, out) &&
           sheet_add_notes(self->sheet, &notes) && add_member(out, "notes", notes.items);
    if (done && self->sheet->has_colours)
        done = text_add_string(out, ",\"colours\":[") &&
               text_add(out, self->colours.items, self->colours.count) && text_add_byte(out, ']');
    if (done && self->footer.count)
        done = text_add_string(out, ",\"footer\":[") &&
               text_add(out, self->footer.items, self->footer.count) && text_add_byte(out, ']');
    text_free(&notes);
    return done && text_add_byte(out, '}');
}

void sheet_text_free(struct sheet_text *self)
{
    for (size_t i = 0; i < self->columns.count; i++) {
        text_free(&self->columns.items[i].cells);
        text_free(&self->columns.items[i].short_names);
        intern_free(&self->columns.items[i].kernels);
    }
    array_free(&self->columns);
    text_free(&self->colours);
    text_free(&self->scratch);
    text_free(&self->footer);
    text_free(&self->json);
}
