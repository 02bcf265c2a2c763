/* sheet_text: Cells are appended to one text per column as rows come, and the object is put
 * together at the end. The first number of a column decides whether its bare numbers are whole or
 * real; any other number goes into a list. A short kernel name is written once per column. */
#include "query/page/sheet_text.h"

#include "query/sink/chart.h"
#include "query/sink/sheet.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ headings and units */

/* Endings of names that say what the unit says. */
static bool is_unit(struct view ending, const char *unit)
{
    if (strcmp(unit, "%") == 0)
        return view_equal(ending, VIEW("percent")) || view_equal(ending, VIEW("pct"));
    return *unit && view_equal(ending, view_of(unit));
}

/* How much of a heading is shown: that of SQL goes without its unit. */
static size_t shown_length(const struct column *column)
{
    const char *heading = column->heading, *last = strrchr(heading, '_');
    bool is_plain = strcmp(heading, column->name) == 0;
    return is_plain && last && last > heading && is_unit(view_of(last + 1), column->unit)
               ? (size_t)(last - heading)
               : strlen(heading);
}

/* The unit as people write it. */
static const char *words_of_unit(const char *unit)
{
    return strcmp(unit, "us") == 0 ? "\xC2\xB5s" : unit;
}

/* The unit, where the heading that is shown does not name it. */
static const char *words_unit(const struct column *column)
{
    bool is_taken = shown_length(column) < strlen(column->heading);
    bool is_rate = strstr(column->heading, "FLOPS") && strstr(column->unit, "FLOP");
    return words_of_unit(is_taken && !column_has_sizes(column) ? column->unit
                         : is_rate                             ? ""
                                                               : heading_unit(column));
}

/* ------------------------------------------------------------------ cells */

enum { LONGEST = 4096 }; /* bytes of a text that are kept */

/* Whole numbers that JavaScript has all of. */
static const int64_t whole_most = INT64_C(9007199254740991);

void sheet_text_begin(struct sheet_text *self, const struct sheet *sheet)
{
    *self = (struct sheet_text){.sheet = sheet};
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct sheet_text_column *column = array_push(&self->columns);
        *column = (struct sheet_text_column){.numbers = CELL_NULL};
    }
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

static void add_cell(struct sheet_text *self, size_t at, const struct cell *cell, struct text *out)
{
    enum column_form form = self->sheet->columns[at].form;
    enum cell_type *numbers = &self->columns.items[at].numbers;
    if (cell->type == CELL_NULL) {
        text_add_string(out, "null");
        return;
    }
    if (cell->type == CELL_TEXT) {
        /* A text, without its end where it is long. */
        struct text *scratch = &self->scratch;
        struct view words = cell_shown(cell);
        size_t length = LONGEST;
        if (words.length <= LONGEST) {
            text_add_json(out, words);
        } else {
            while (length && ((unsigned char)words.bytes[length] & 0xC0) == 0x80)
                length--;
            text_clear(scratch);
            text_add(scratch, words.bytes, length);
            text_format(scratch, "\xE2\x80\xA6 (%zu bytes)", words.length);
            text_add_json(out, text_view(scratch));
        }
        return;
    }
    text_clear(&self->scratch);
    cell_add_text(cell, form, &self->scratch);
    struct view text = text_view(&self->scratch);
    if (form == FORM_BOOLEAN) {
        text_add_json(out, text);
        return;
    }
    if (*numbers == CELL_NULL)
        *numbers = cell->type;
    bool is_bare = is_plain(cell, *numbers, text);
    text_add_string(out, is_bare ? "" : "[");
    if (is_bare)
        text_add_view(out, text);
    else
        text_add_json(out, text);
    text_add_string(out, is_bare ? "" : "]");
}

/* Keeps the short form of a kernel's name, once. */
static void note_name(struct sheet_text *self, size_t at, const struct cell *cell)
{
    const struct short_names *names = self->sheet->columns[at].names;
    struct sheet_text_column *column = &self->columns.items[at];
    struct text *out = &column->short_names;
    if (!names || cell->type != CELL_TEXT || cell->text.length > LONGEST)
        return;
    struct view shown = short_names_find(names, cell->text);
    if (view_equal(shown, cell->text) ||
        intern_find(&column->kernels, cell->text.bytes, cell->text.length))
        return;
    intern_add(&column->kernels, cell->text.bytes, cell->text.length);
    text_add_string(out, out->count ? ",[" : "[");
    text_add_json(out, cell->text);
    text_add_byte(out, ',');
    text_add_json(out, shown);
    text_add_byte(out, ']');
}

void sheet_text_row(struct sheet_text *self, const struct cell *cells)
{
    const char *between = self->rows++ ? "," : "";
    for (size_t i = 0; i < self->columns.count; i++) {
        text_add_string(&self->columns.items[i].cells, between);
        add_cell(self, i, &cells[i], &self->columns.items[i].cells);
        note_name(self, i, &cells[i]);
    }
    if (self->sheet->has_colours) {
        const struct cell *colours = &cells[self->sheet->column_count];
        text_add_string(&self->colours, between);
        text_add_json(&self->colours, colours->type == CELL_TEXT ? colours->text : VIEW(""));
    }
}

void sheet_text_footer(struct sheet_text *self, const struct cell *cells)
{
    text_add_string(&self->footer, self->footer.count ? ",[" : "[");
    for (size_t i = 0; i < self->columns.count; i++) {
        text_add_string(&self->footer, i ? "," : "");
        add_cell(self, i, &cells[i], &self->footer);
    }
    text_add_byte(&self->footer, ']');
}

static void add_member(struct text *out, const char *key, const char *text)
{
    if (text && *text)
        text_format_json(out, ",%s:%s", key, text);
}

static void sheet_text_add_column(struct sheet_text *self, size_t at, struct text *out)
{
    static const char *const forms[] = {"",     "boolean", "name",   "tuple",
                                        "list", "array",   "kernel", "call"};
    static const char *const polarities[] = {"", "lower", "higher"};
    const struct column *column = &self->sheet->columns[at];
    const struct sheet_text_column *kept = &self->columns.items[at];
    struct text *words = &self->scratch; /* the heading for people, where it is another one */
    text_clear(words);

    /* A heading: wait_us is "wait", as its unit stands beside it; others stay as they are. */
    const char *heading = column->heading;
    bool is_plain = strcmp(heading, column->name) == 0;
    for (size_t i = 0; i < shown_length(column); i++)
        text_add_byte(words, is_plain && heading[i] == '_' ? ' ' : heading[i]);
    text_format_json(out, at ? ",{\"name\":%s" : "{\"name\":%s", column->name);
    add_member(out, "heading", column->heading);
    if (!words->items || strcmp(words->items, column->heading) != 0)
        add_member(out, "words", words->items);
    add_member(out, "shown", words_unit(column));
    add_member(out, "unit", words_of_unit(column->unit));
    add_member(out, "meaning", column->meaning);
    add_member(out, "form", forms[column->form]);
    add_member(out, "stem", column->stem);
    add_member(out, "of", column->of);
    add_member(out, "polarity", polarities[column->polarity]);
    add_member(out, "change", polarities[column->change]);
    add_member(out, "numbers",
               kept->numbers == CELL_REAL      ? "real"
               : kept->numbers == CELL_INTEGER ? "whole"
                                               : "");
    text_format(out, ",\"place\":%u,\"key\":%d,\"bar\":%d,\"names\":[", column->place,
                column->is_key, column->has_bar);
    text_add_text(out, &kept->short_names);
    text_add_string(out, "],\"cells\":[");
    text_add_text(out, &kept->cells);
    text_add_string(out, "]}");
}

static void add_list(struct text *out, const char *key, const struct text *list)
{
    text_format(out, ",\"%s\":[", key);
    text_add_text(out, list);
    text_add_byte(out, ']');
}

void sheet_text_end(struct sheet_text *self)
{
    struct text *out = &self->json, notes = {0};
    text_add_string(out, "{\"columns\":[");
    for (size_t i = 0; i < self->columns.count; i++)
        sheet_text_add_column(self, i, out);
    text_add_string(out, "]");

    /* "chart": the kind, and the names of its columns. */
    struct chart chart = chart_read(self->sheet);
    if (chart.kind != CHART_NONE) {
        text_format(out, ",\"chart\":[\"%s\"", chart_word(chart.kind));
        for (size_t i = 0; i < chart.count; i++) {
            text_add_byte(out, ',');
            text_add_json(out, chart.names[i]);
        }
        text_add_byte(out, ']');
    }
    sheet_add_notes(self->sheet, &notes);
    add_member(out, "notes", notes.items);
    if (self->sheet->has_colours)
        add_list(out, "colours", &self->colours);
    if (self->footer.count)
        add_list(out, "footer", &self->footer);
    text_add_byte(out, '}');
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
