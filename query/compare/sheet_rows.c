/* sheet_rows: see sheet_rows.h. */
#include "query/compare/sheet_rows.h"

#include "query/compare/sheet_files.h"
#include "src/base/literal.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_IN_WORKBOOK = 31 }; /* characters of a sheet's name */

/* Where a cell of the key comes from. */
enum origin { ORIGIN_NONE, ORIGIN_COLUMN, ORIGIN_SHEET, ORIGIN_UNFOLDED };

struct part {
    enum origin origin;
    size_t column; /* of the sheet */
    const struct doc_column *declared;
};

struct reading {
    const struct sheet_rows *self;
    const doc_columns *columns; /* of the report */
    const struct kept_sheet *sheet;
    struct part *key;
    size_t key_count, figure, count;
    struct cell *row;   /* of the sheet */
    struct cell *cells; /* of the key */
    struct view value;  /* that the sheet is for */
    struct text made;   /* texts of the key's cells */
    struct error *error;
};

static size_t column_named(const struct kept_sheet *sheet, const char *heading)
{
    size_t i = 0;
    while (i < sheet->columns.count && strcmp(sheet->columns.items[i].heading, heading) != 0)
        i++;
    return i < sheet->columns.count ? i : SIZE_MAX;
}

/* ------------------------------------------------------------------ cells */

bool sheet_rows_json(struct view text, struct text *json)
{
    struct literals values = {0};
    int root =
        text.length && strchr("([{", text.bytes[0]) ? literal_read(&values, text) : LITERAL_NONE;
    bool done = root != LITERAL_NONE && literal_add_json(&values, root, json);
    literal_free(&values);
    return done;
}

/* A cell of the key, of the type that its column has; texts are added to those made. They may still
 * move: till the row is complete a cell has their place. */
static void add_text(struct reading *reading, struct cell *cell, struct view text, bool is_list)
{
    size_t start = reading->made.count;
    if (!(is_list && sheet_rows_json(text, &reading->made))) {
        reading->made.count = start;
        text_add_view(&reading->made, text);
    }
    *cell = (struct cell){
        .type = CELL_TEXT, .integer = (int64_t)start, .text = {NULL, reading->made.count - start}};
}

static void add_cell(struct reading *reading, const struct doc_column *declared,
                     const struct cell *from, struct cell *cell)
{
    const char *type = declared ? declared->type : "";
    bool is_list =
        declared && (strcmp(declared->unit, "list") == 0 || strcmp(declared->unit, "tuple") == 0);
    *cell = *from;
    if (from->type == CELL_TEXT) {
        add_text(reading, cell, from->text, is_list);
    } else if (strcmp(type, "text") == 0 && from->type != CELL_NULL) {
        size_t start = reading->made.count;
        cell_add_text(from, FORM_PLAIN, &reading->made);
        *cell = (struct cell){.type = CELL_TEXT,
                              .integer = (int64_t)start,
                              .text = {NULL, reading->made.count - start}};
    } else if (strcmp(type, "real") == 0 && from->type == CELL_INTEGER) {
        *cell = (struct cell){.type = CELL_REAL, .real = (double)from->integer};
    } else if (strcmp(type, "integer") == 0 && from->type == CELL_REAL && from->real > -1e15 &&
               from->real < 1e15 && from->real == (double)(int64_t)from->real) {
        *cell = (struct cell){.type = CELL_INTEGER, .integer = (int64_t)from->real};
    }
}

/* ------------------------------------------------------------------ what was one column */

/* The name of a member behind the word of the declaration; NULL: the heading has another. */
static const char *member_name(const struct reading *reading, size_t column)
{
    const struct view word = reading->self->layout->unfold_word;
    const char *heading = reading->sheet->columns.items[column].heading;
    bool is_one = word.length && strncmp(heading, word.bytes, word.length) == 0 &&
                  strncmp(heading + word.length, ": ", 2) == 0;
    return is_one ? heading + word.length + 2 : NULL;
}

static void add_member(struct text *object, const char *name, const struct cell *cell)
{
    size_t start;
    text_add_string(object, object->count > 1 ? "," : "");
    text_add_json(object, view_of(name));
    text_add_byte(object, ':');
    start = object->count;
    if (cell->type == CELL_REAL && cell->real == (double)(int64_t)cell->real) {
        text_format(object, "%lld", (long long)cell->real);
    } else if (cell->type != CELL_TEXT) {
        cell_add_text(cell, FORM_PLAIN, object);
    } else if (view_equal(cell->text, VIEW("True")) || view_equal(cell->text, VIEW("False"))) {
        text_add_string(object, cell->text.bytes[0] == 'T' ? "true" : "false");
    } else if (!sheet_rows_json(cell->text, object)) {
        object->count = start;
        text_add_json(object, cell->text);
    }
}

static bool has_value(const struct cell *cell)
{
    return cell->type != CELL_NULL &&
           !(cell->type == CELL_TEXT &&
             (view_equal(cell->text, VIEW("nan")) || view_equal(cell->text, VIEW("None"))));
}

/* Without members there was none. */
static void add_object(struct reading *reading, struct cell *cell)
{
    struct text object = {0};
    *cell = (struct cell){.type = CELL_NULL};
    text_add_byte(&object, '{');
    for (size_t i = 0; i < reading->sheet->columns.count; i++)
        if (member_name(reading, i) && has_value(&reading->row[i]))
            add_member(&object, member_name(reading, i), &reading->row[i]);
    if (object.count > 1) {
        text_add_byte(&object, '}');
        add_text(reading, cell, text_view(&object), false);
    }
    text_free(&object);
}

/* ------------------------------------------------------------------ rows */

static void make_key(struct reading *reading)
{
    reading->made.count = 0;
    for (size_t i = 0; i < reading->key_count; i++) {
        const struct part *part = &reading->key[i];
        struct cell from = {.type = CELL_NULL};
        if (part->origin == ORIGIN_COLUMN)
            from = reading->row[part->column];
        if (part->origin == ORIGIN_SHEET)
            from = (struct cell){.type = CELL_TEXT, .text = reading->value};
        if (part->origin == ORIGIN_UNFOLDED)
            add_object(reading, &reading->cells[i]);
        else
            add_cell(reading, part->declared, &from, &reading->cells[i]);
    }
    for (size_t i = 0; i < reading->key_count; i++)
        if (reading->cells[i].type == CELL_TEXT)
            reading->cells[i].text.bytes = reading->made.items + reading->cells[i].integer;
}

static bool read_rows(struct reading *reading, sheet_rows_take *take, void *context)
{
    static const struct cell one = {.type = CELL_INTEGER, .integer = 1};
    const struct result *rows = &reading->sheet->rows;
    struct result_cursor cursor = {0};
    bool done = true;
    reading->row = memory_zeroed(reading->sheet->columns.count + 1, sizeof *reading->row);
    text_add(&reading->made, "", 0);
    while (done && result_next(rows, &cursor, reading->row)) {
        make_key(reading);
        done = take(context, reading->cells,
                    reading->figure == SIZE_MAX ? &one : &reading->row[reading->figure],
                    reading->count == SIZE_MAX ? &one : &reading->row[reading->count]);
    }
    memory_free(reading->row);
    return done || error_memory(reading->error);
}

/* ------------------------------------------------------------------ which sheets and columns */

/* Whether a sheet is of the report by its name; of a report with a sheet for each value, which. */
static bool is_called(const struct sheet_rows *self, const char *name, struct view *value)
{
    const struct doc_object *report = self->layout->report;
    const char *wanted = sheet_of_report(report), *hole = strstr(wanted, "{}");
    *value = view_of(name);
    if (!self->layout->sheet_by)
        return strncmp(name, wanted, NAME_MAX_IN_WORKBOOK) == 0 &&
               (strlen(name) == NAME_MAX_IN_WORKBOOK || strcmp(name, wanted) == 0);
    if (!self->layout->sheet)
        return true;
    size_t before = hole ? (size_t)(hole - wanted) : strlen(wanted);
    const char *after = hole ? hole + 2 : "";
    size_t end = strlen(after);
    if (value->length < before + end || strncmp(name, wanted, before) != 0 ||
        strcmp(name + value->length - end, after) != 0)
        return false;
    *value = (struct view){name + before, value->length - before - end};
    return true;
}

/* A report with a sheet for each value may have any name; its sheets have the unfolded columns, or
 * the count of its rows. */
static bool is_foreign(const struct reading *reading)
{
    bool is_own = !reading->self->layout->unfold.length || reading->count != SIZE_MAX;
    for (size_t i = 0; i < reading->sheet->columns.count && !is_own; i++)
        is_own = member_name(reading, i) != NULL;
    return !is_own;
}

/* Whether a column is not on every sheet. */
static bool may_miss(const struct layout *layout, const char *name)
{
    const struct layout_column *column = layout_column(layout, name);
    return column->drops_empty || column->drops_empty_compat || column->option.length ||
           column->leader.length;
}

/* Finds the columns of the sheet in hand; the heading of one that is not there, or NULL. */
static const char *find_columns(struct reading *reading)
{
    const struct layout *layout = reading->self->layout;
    const doc_columns *columns = reading->columns;
    for (size_t i = 0; i < layout->key.count; i++) {
        struct part *part = &reading->key[i];
        const struct view name = layout->key.items[i];
        *part = (struct part){.origin = ORIGIN_NONE};
        for (size_t j = 0; j < columns->count; j++)
            if (view_equal_ignoring_case(name, view_of(columns->items[j].name)))
                part->declared = &columns->items[j];
        if (!part->declared)
            continue;
        part->column = column_named(reading->sheet, part->declared->heading);
        if (layout->sheet_by && view_equal_ignoring_case(name, view_of(layout->sheet_by)))
            part->origin = ORIGIN_SHEET;
        else if (layout->unfold.length && view_equal_ignoring_case(name, layout->unfold))
            part->origin = ORIGIN_UNFOLDED;
        else if (part->column != SIZE_MAX)
            part->origin = ORIGIN_COLUMN;
        else if (!may_miss(layout, part->declared->name))
            return part->declared->heading;
    }
    const struct doc_column *metric = reading->self->metric;
    reading->figure = metric ? column_named(reading->sheet, metric->heading) : SIZE_MAX;
    reading->count = SIZE_MAX;
    for (size_t j = 0; j < columns->count; j++)
        if (view_equal_ignoring_case(layout->count, view_of(columns->items[j].name)))
            reading->count = column_named(reading->sheet, columns->items[j].heading);
    return metric && reading->figure == SIZE_MAX ? metric->heading : NULL;
}

static bool lacks_sheet(const struct sheet_rows *self, const char *lacking, struct error *error)
{
    const struct doc_object *report = self->layout->report;
    if (lacking)
        return error_set(error, STATUS_BAD_INPUT, "%s: sheet %s has no column '%s'", self->path,
                         sheet_of_report(report), lacking);
    return error_set(error, STATUS_BAD_INPUT, "%s has no sheet %s", self->path,
                     self->layout->sheet_by ? "of the report" : sheet_of_report(report));
}

bool sheet_rows_read(const struct sheet_rows *self, sheet_rows_take *take, void *context,
                     struct error *error)
{
    const struct layout *layout = self->layout;
    struct reading reading = {.self = self, .key_count = layout->key.count, .error = error};
    const char *lacking = NULL;
    size_t found = 0;
    reading.key = memory_zeroed(layout->key.count + 1, sizeof *reading.key);
    reading.cells = memory_zeroed(layout->key.count + 1, sizeof *reading.cells);
    reading.columns = docs_columns(layout->report);
    bool done = (reading.columns) || error_memory(error);
    for (size_t i = 0; i < self->sheets->sheets.count && done; i++) {
        reading.sheet = &self->sheets->sheets.items[i];
        if (!is_called(self, reading.sheet->name, &reading.value))
            continue;
        bool is_empty = !reading.sheet->columns.count && !layout->sheet_by;
        const char *misses = is_empty ? NULL : find_columns(&reading);
        lacking = misses ? misses : lacking;
        if (misses || is_foreign(&reading))
            continue;
        found++;
        done = is_empty || read_rows(&reading, take, context);
    }
    if (done && !found)
        done = lacks_sheet(self, layout->sheet_by ? NULL : lacking, error);
    memory_free(reading.key);
    memory_free(reading.cells);
    text_free(&reading.made);
    return done;
}
