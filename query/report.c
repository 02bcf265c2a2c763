/* report: see report.h. */
#include "report.h"

#include "catalog.h"
#include "table.h"
#include "unfold.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ which reports */

/* The place of a word in a list, separated by spaces or commas, from 1; 0 when it is not there. */
static unsigned place_of_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    unsigned place = 1;
    for (const char *at = list; at && *at; place++) {
        at += strspn(at, ", ");
        size_t span = strcspn(at, ", ");
        if (span == length && strncasecmp(at, word, length) == 0)
            return place;
        at += span;
    }
    return 0;
}

static bool has_word(const char *list, const char *word)
{
    return place_of_word(list, word) > 0;
}

/* How well a name fits: in the set before others, its own name before those that stand for it. */
static int fit_of(const struct doc_object *object, const char *name, const char *set)
{
    const char *sheet = docs_declared(object, "sheet");
    bool is_own = strcasecmp(object->name, name) == 0;
    bool is_other =
        has_word(docs_declared(object, "alias"), name) || (sheet && strcasecmp(sheet, name) == 0);
    if (!is_own && !is_other)
        return 0;
    bool in_set = set && strcmp(docs_declared(object, "set"), set) == 0;
    return 1 + is_own + (in_set ? 2 : 0);
}

const struct doc_object *report_find(const doc_list *docs, const char *name, const char *set)
{
    const struct doc_object *found = NULL;
    int best = 0;
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *object = &docs->items[i];
        int fit = catalog_is_report(object) ? fit_of(object, name, set) : 0;
        if (fit > best) {
            best = fit;
            found = object;
        }
    }
    return found;
}

/* Whether an option is set; with "not " before it, whether it is not. */
static bool is_condition_met(struct view condition, const struct context *context)
{
    char option[64];
    snprintf(option, sizeof option, "%.*s", (int)condition.length, condition.bytes);
    bool is_not = strncmp(option, "not ", 4) == 0;
    return is_not != (context_get(context, is_not ? option + 4 : option) != NULL);
}

/* What stands behind a name in a list of "NAME WORDS, ..."; false when the name is not there. */
static bool words_behind(const char *list, const char *name, char *out, size_t size)
{
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at += strspn(at, ", ")) {
        size_t span = strcspn(at, ",");
        if (span > length && strncmp(at, name, length) == 0 && at[length] == ' ') {
            snprintf(out, size, "%.*s", (int)(span - length - 1), at + length + 1);
            return true;
        }
        at += span;
    }
    return false;
}

/* Whether a column that depends on an option is there. */
static bool is_column_there(const char *list, const char *name, const struct context *context)
{
    char option[64];
    if (!words_behind(list, name, option, sizeof option))
        return true;
    return is_condition_met(view_of(option), context);
}

static bool is_shown(const struct doc_object *report, const struct context *context)
{
    const char *when = docs_declared(report, "when");
    if (!when)
        return true;
    if (strcmp(when, "never") == 0)
        return false;
    for (const char *at = when; *at; at += strspn(at, ", ")) {
        size_t span = strcspn(at, ",");
        if (!is_condition_met((struct view){at, span}, context))
            return false;
        at += span;
    }
    return true;
}

static bool keeps_empty(const struct doc_object *report, const struct context *context)
{
    const char *kept = docs_declared(report, "keep-empty");
    return kept && (strcmp(kept, "yes") == 0 || is_condition_met(view_of(kept), context));
}

static int position_of(const struct doc_object *report)
{
    const char *position = docs_declared(report, "position");
    return position ? atoi(position) : 1000;
}

bool report_defaults(const doc_list *docs, const struct context *context, const char *set,
                     report_list *reports)
{
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *object = &docs->items[i];
        if (!catalog_is_report(object) || strcmp(docs_declared(object, "set"), set) != 0 ||
            !is_shown(object, context))
            continue;
        const struct doc_object **added = array_push(reports);
        if (!added)
            return false;
        size_t at = reports->count - 1; /* few reports: insertion keeps them in order */
        while (at && position_of(reports->items[at - 1]) > position_of(object)) {
            reports->items[at] = reports->items[at - 1];
            at--;
        }
        reports->items[at] = object;
    }
    return true;
}

/* ------------------------------------------------------------------ the rows of a report */

struct maker {
    struct warehouse *warehouse;
    const struct doc_object *report;
    const struct report_options *options;
    struct sink *const *sinks;
    size_t sink_count;
    struct error *error;
    bool one_trace, one_run;
    bool is_named; /* the report was asked for */

    struct table table;
    ARRAY(struct column) columns; /* of the table */
    ARRAY(char *) made;           /* names that were made for them */
    ARRAY(size_t) shown;          /* those that are shown, in order */
    size_t *sheets;
};

static enum column_form form_of(const char *unit)
{
    if (strcmp(unit, "boolean") == 0)
        return FORM_BOOLEAN;
    if (strcmp(unit, "name") == 0)
        return FORM_NAME;
    if (strcmp(unit, "tuple") == 0)
        return FORM_TUPLE;
    return strcmp(unit, "list") == 0 ? FORM_LIST : FORM_PLAIN;
}

static char *keep(struct maker *self, char *word)
{
    char **kept = word ? array_push(&self->made) : NULL;
    if (!kept) {
        free(word);
        return NULL;
    }
    return *kept = word;
}

static bool describe_column(struct maker *self, const char *name)
{
    const struct doc_column *doc = docs_column(self->report, name);
    struct column *column = array_push(&self->columns);
    if (!column)
        return false;
    *column = (struct column){.unit = "", .meaning = ""};
    column->name = keep(self, strdup(name));
    column->heading = doc ? doc->heading : column->name;
    if (!column->name || !doc)
        return column->name != NULL;
    bool says_where = strcmp(name, "run") == 0 || strcmp(name, "trace_id") == 0;
    column->form = form_of(doc->unit);
    column->unit = column->form == FORM_PLAIN ? doc->unit : "";
    column->meaning = doc->meaning;
    column->is_detail = column->form == FORM_TUPLE || column->form == FORM_LIST;
    const char *ranked = docs_declared(self->report, "terminal");
    column->is_wide = has_word(docs_declared(self->report, "wide"), name);
    column->place = ranked && says_where ? 1 : place_of_word(ranked, name);
    column->polarity = strcmp(doc->polarity, "lower") == 0    ? POLARITY_LOWER
                       : strcmp(doc->polarity, "higher") == 0 ? POLARITY_HIGHER
                                                              : POLARITY_NONE;
    return true;
}

static bool read_rows(struct maker *self)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", self->report->name);
    if (!sql)
        return error_memory(self->error);
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    sqlite3_free(sql);
    if (!rows)
        return error_context(self->error, "report %s", self->report->name);
    size_t count = (size_t)sqlite3_column_count(rows);
    bool done = table_init(&self->table, count) || error_memory(self->error);
    for (size_t i = 0; i < count && done; i++)
        done =
            describe_column(self, sqlite3_column_name(rows, (int)i)) || error_memory(self->error);
    done = done && table_fill(&self->table, rows, self->report->name, self->error);
    sqlite3_finalize(rows);
    return done;
}

static size_t column_named(const struct maker *self, struct view name)
{
    for (size_t i = 0; i < self->columns.count; i++)
        if (view_equal_ignoring_case(view_of(self->columns.items[i].name), name))
            return i;
    return SIZE_MAX;
}

/* ------------------------------------------------------------------ spreading */

static bool same_cell(const struct cell *left, const struct cell *right)
{
    if (left->type != right->type)
        return false;
    switch (left->type) {
    case CELL_INTEGER:
        return left->integer == right->integer;
    case CELL_REAL:
        return left->real == right->real;
    case CELL_TEXT:
        return view_equal(left->text, right->text);
    default:
        return true;
    }
}

static int compare_cells(const struct cell *left, const struct cell *right)
{
    if (left->type != right->type)
        return left->type < right->type ? -1 : 1;
    if (left->type == CELL_INTEGER)
        return (left->integer > right->integer) - (left->integer < right->integer);
    if (left->type == CELL_REAL)
        return (left->real > right->real) - (left->real < right->real);
    if (left->type == CELL_NULL)
        return 0;
    size_t shorter =
        left->text.length < right->text.length ? left->text.length : right->text.length;
    int order = memcmp(left->text.bytes, right->text.bytes, shorter);
    return order ? order
                 : (left->text.length > right->text.length) -
                       (left->text.length < right->text.length);
}

typedef ARRAY(struct cell) cell_list;

/* The place of a value in a sorted list; where it belongs when it is not there. */
static size_t place_of(const cell_list *list, const struct cell *cell)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_cells(&list->items[middle], cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The distinct values of a column, sorted; their texts stay in the table. */
static bool distinct_values(const struct maker *self, size_t column, cell_list *values)
{
    struct cell *cells = calloc(self->columns.count + 1, sizeof *cells);
    struct table_cursor cursor = {0};
    bool done = cells != NULL;
    while (done && table_next(&self->table, &cursor, cells)) {
        size_t at = place_of(values, &cells[column]);
        if (at < values->count && same_cell(&values->items[at], &cells[column]))
            continue;
        done = array_push(values) != NULL;
        if (!done)
            break;
        memmove(values->items + at + 1, values->items + at,
                (values->count - 1 - at) * sizeof *values->items);
        values->items[at] = cells[column];
    }
    free(cells);
    return done;
}

static char *spread_word(const char *word, const struct cell *value, const char *between)
{
    struct text text = {0};
    if (!text_format(&text, "%s%s", word, between) || !cell_add_text(value, FORM_PLAIN, &text)) {
        text_free(&text);
        return NULL;
    }
    return text.items;
}

/* Makes the columns of the wide table out of those of the long one. */
static bool spread_columns(struct maker *self, const bool *is_spread, size_t over,
                           const cell_list *values, size_t *first)
{
    struct column *old = self->columns.items;
    size_t count = self->columns.count;
    self->columns.items = NULL;
    self->columns.count = self->columns.room = 0;
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        first[i] = self->columns.count;
        size_t copies = i == over ? 0 : is_spread[i] ? values->count : 1;
        for (size_t j = 0; j < copies && done; j++) {
            struct column *column = array_push(&self->columns);
            done = column != NULL;
            if (!done)
                break;
            *column = old[i];
            if (!is_spread[i])
                continue;
            column->name = keep(self, spread_word(old[i].name, &values->items[j], "_"));
            column->heading = keep(self, spread_word(old[i].heading, &values->items[j], " "));
            done = column->name && column->heading;
        }
    }
    free(old);
    return done;
}

/* Rows with the same key come together in the view; each such group becomes one row. */
static bool spread_rows(struct maker *self, struct table *wide, const bool *is_spread, size_t over,
                        const cell_list *values, const size_t *first)
{
    size_t count = self->table.column_count;
    struct cell *cells = calloc(count + 1, sizeof *cells);
    struct cell *row = calloc(self->columns.count + 1, sizeof *row);
    struct table_cursor cursor = {0};
    bool done = cells && row, started = false;
    while (done && table_next(&self->table, &cursor, cells)) {
        bool same = started;
        for (size_t i = 0; i < count && same; i++)
            same = i == over || is_spread[i] || same_cell(&row[first[i]], &cells[i]);
        if (!same) {
            done = !started || table_add(wide, row);
            memset(row, 0, self->columns.count * sizeof *row);
            started = true;
        }
        size_t place = place_of(values, &cells[over]);
        for (size_t i = 0; i < count; i++)
            if (i != over)
                row[first[i] + (is_spread[i] ? place : 0)] = cells[i];
    }
    if (done && started)
        done = table_add(wide, row);
    free(cells);
    free(row);
    return done;
}

static bool spread(struct maker *self)
{
    const char *declared = docs_declared(self->report, "spread");
    const char *split = declared ? strstr(declared, " over ") : NULL;
    if (!split)
        return true;
    const char *key = split + strlen(" over ");
    size_t count = self->columns.count, over = column_named(self, view_of(key));
    if (over == SIZE_MAX)
        return error_set(self->error, STATUS_USAGE, "%s: spread over %s: there is no such column",
                         self->report->name, key);
    char *list = strndup(declared, (size_t)(split - declared));
    bool *is_spread = calloc(count + 1, sizeof *is_spread);
    size_t *first = calloc(count + 1, sizeof *first);
    cell_list values = {0};
    struct table wide = {0};
    bool done = list && is_spread && first && distinct_values(self, over, &values);
    for (size_t i = 0; i < count && done; i++)
        is_spread[i] = has_word(list, self->columns.items[i].name);
    done = done && spread_columns(self, is_spread, over, &values, first) &&
           table_init(&wide, self->columns.count) &&
           spread_rows(self, &wide, is_spread, over, &values, first);
    free(list);
    free(is_spread);
    free(first);
    array_free(&values);
    if (!done) {
        table_free(&wide);
        return error_memory(self->error);
    }
    table_free(&self->table);
    self->table = wide;
    return true;
}

/* ------------------------------------------------------------------ sheets */

static bool is_left_out(const struct maker *self, size_t index)
{
    const char *name = self->columns.items[index].name;
    const char *by = docs_declared(self->report, "sheet-by");
    if (strcmp(name, "trace_id") == 0)
        return self->one_trace;
    if (strcmp(name, "run") == 0)
        return self->one_run;
    if (by && strcasecmp(by, name) == 0)
        return !(self->options->one_sheet && docs_declared(self->report, "sheets"));
    const char *colours = docs_declared(self->report, "colours");
    if (colours && strcmp(colours, name) == 0)
        return true;
    if (!is_column_there(docs_declared(self->report, "columns-when"), name,
                         self->warehouse->context))
        return true;
    char leader[64];
    if (words_behind(docs_declared(self->report, "drop-with"), name, leader, sizeof leader)) {
        size_t other = column_named(self, view_of(leader));
        if (other < self->columns.count && !self->table.columns.items[other].any)
            return true;
    }
    return !self->table.columns.items[index].any &&
           (has_word(docs_declared(self->report, "drop-empty"), name) ||
            (self->options->compat &&
             has_word(docs_declared(self->report, "compat-drop-empty"), name)));
}

static bool choose_columns(struct maker *self)
{
    for (size_t i = 0; i < self->columns.count; i++) {
        const struct table_column *filled = &self->table.columns.items[i];
        self->columns.items[i].is_number = filled->any && filled->is_number;
        self->columns.items[i].width = filled->width;
        if (is_left_out(self, i))
            continue;
        size_t *shown = array_push(&self->shown);
        if (!shown)
            return false;
        *shown = i;
    }
    return true;
}

/* Turns what is JSON into Python's literals; they are kept in `scratch`. */
static bool make_compatible(const struct maker *self, struct cell *cells, struct text *scratch)
{
    size_t *ends = calloc(self->shown.count + 1, sizeof *ends);
    bool done = ends && text_add(scratch, "", 0);
    text_clear(scratch);
    for (size_t i = 0; i < self->shown.count && done; i++) {
        enum column_form form = self->columns.items[self->shown.items[i]].form;
        if ((form == FORM_TUPLE || form == FORM_LIST) && cells[i].type == CELL_TEXT)
            done = cell_add_python(cells[i].text, form == FORM_TUPLE, scratch);
        ends[i] = scratch->count;
    }
    for (size_t i = 0; i < self->shown.count && done; i++) {
        enum column_form form = self->columns.items[self->shown.items[i]].form;
        size_t start = i ? ends[i - 1] : 0;
        if ((form == FORM_TUPLE || form == FORM_LIST) && cells[i].type == CELL_TEXT)
            cells[i].text = (struct view){scratch->items + start, ends[i] - start};
    }
    free(ends);
    return done;
}

/* Sheets that are only there for their chart go to workbooks, unless they are asked for. */
static bool takes(const struct maker *self, const struct sink *sink)
{
    const char *when = docs_declared(self->report, "when");
    return self->is_named || sink_is_workbook(sink) || !when || strcmp(when, "workbook") != 0;
}

static bool to_all(struct maker *self, const struct cell *cells)
{
    for (size_t i = 0; i < self->sink_count; i++)
        if (takes(self, self->sinks[i]) && !self->sinks[i]->row(self->sinks[i], cells, self->error))
            return false;
    return true;
}

static bool send_rows(struct maker *self)
{
    const char *column = docs_declared(self->report, "colours");
    size_t colours = column ? column_named(self, view_of(column)) : SIZE_MAX;
    struct cell *cells = calloc(self->columns.count + 1, sizeof *cells);
    struct cell *chosen = calloc(self->shown.count + 1, sizeof *chosen);
    struct text scratch = {0};
    struct table_cursor cursor = {0};
    bool done = (cells && chosen) || error_memory(self->error);
    while (done && table_next(&self->table, &cursor, cells)) {
        for (size_t i = 0; i < self->shown.count; i++)
            chosen[i] = cells[self->shown.items[i]];
        if (colours < self->columns.count)
            chosen[self->shown.count] = cells[colours];
        if (self->options->compat && !make_compatible(self, chosen, &scratch))
            done = error_memory(self->error);
        done = done && to_all(self, chosen);
    }
    text_free(&scratch);
    free(cells);
    free(chosen);
    return done;
}

static bool wants_footer(const struct maker *self)
{
    for (size_t i = 0; i < self->sink_count; i++)
        if (self->sinks[i]->footer)
            return true;
    return false;
}

/* A row of sums for the outputs that want one: by name, columns without a sum are empty. */
static bool send_footer(struct maker *self, const struct cell *sums, sqlite3_stmt *rows)
{
    struct cell *cells = calloc(self->shown.count + 1, sizeof *cells);
    if (!cells)
        return error_memory(self->error);
    for (size_t i = 0; i < self->shown.count; i++)
        for (int j = 0; j < sqlite3_column_count(rows); j++)
            if (strcmp(self->columns.items[self->shown.items[i]].name,
                       sqlite3_column_name(rows, j)) == 0)
                cells[i] = sums[j];
    bool done = true;
    for (size_t i = 0; i < self->sink_count && done; i++)
        if (self->sinks[i]->footer)
            done = self->sinks[i]->footer(self->sinks[i], cells, self->error);
    free(cells);
    return done;
}

static bool send_footers(struct maker *self)
{
    const char *view = docs_declared(self->report, "footer");
    if (!view || !self->table.rows || !wants_footer(self))
        return true;
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", view);
    if (!sql)
        return error_memory(self->error);
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    sqlite3_free(sql);
    if (!rows)
        return error_context(self->error, "report %s", self->report->name);
    size_t count = (size_t)sqlite3_column_count(rows);
    struct cell *sums = calloc(count + 1, sizeof *sums);
    struct text scratch = {0};
    bool done = sums || error_memory(self->error);
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(rows)) == SQLITE_ROW)
        done = (cells_of_statement(rows, count, &scratch, sums) || error_memory(self->error)) &&
               send_footer(self, sums, rows);
    if (done && result != SQLITE_DONE)
        done = warehouse_error(self->warehouse, self->error);
    text_free(&scratch);
    free(sums);
    sqlite3_finalize(rows);
    return done;
}

static const char *sheet_name(const struct maker *self, struct text *name)
{
    const char *sheet = docs_declared(self->report, "sheet");
    const char *alias = docs_declared(self->report, "alias");
    if (self->options->legacy_sheet_names && alias)
        return text_add(name, alias, strcspn(alias, ", ")) ? name->items : NULL;
    return sheet ? sheet : self->report->name;
}

static bool send_sheet(struct maker *self, const char *name)
{
    struct column *columns = calloc(self->shown.count + 1, sizeof *columns);
    if (!columns)
        return error_memory(self->error);
    for (size_t i = 0; i < self->shown.count; i++) {
        columns[i] = self->columns.items[self->shown.items[i]];
        bool is_python = self->options->compat && columns[i].is_detail; /* a text like others */
        columns[i].form = is_python ? FORM_PLAIN : columns[i].form;
    }
    struct sheet sheet = {.name = name,
                          .title = self->report->meaning,
                          .chart = docs_declared(self->report, "chart"),
                          .columns = columns,
                          .column_count = self->shown.count,
                          .has_colours = docs_declared(self->report, "colours") != NULL,
                          .in_paragraphs = docs_declared(self->report, "paragraphs") != NULL};
    bool done = true;
    for (size_t i = 0; i < self->sink_count && done; i++)
        done = !takes(self, self->sinks[i]) ||
               self->sinks[i]->begin(self->sinks[i], &sheet, self->error);
    bool is_whole = docs_declared(self->report, "sheet-by") == NULL;
    done = done && send_rows(self) && (!is_whole || send_footers(self));
    for (size_t i = 0; i < self->sink_count && done; i++)
        done = !takes(self, self->sinks[i]) || self->sinks[i]->end(self->sinks[i], self->error);
    *self->sheets += done;
    free(columns);
    return done;
}

/* Copies the rows whose cell in a column is `value`; all with `value` NULL. */
static bool copy_rows(const struct maker *self, size_t by, const struct cell *value,
                      struct table *rows)
{
    struct cell *cells = calloc(self->columns.count + 1, sizeof *cells);
    struct table_cursor cursor = {0};
    bool done = cells && table_init(rows, self->columns.count);
    while (done && table_next(&self->table, &cursor, cells))
        done = (value && !same_cell(&cells[by], value)) || table_add(rows, cells);
    free(cells);
    return done;
}

static void free_maker(struct maker *self)
{
    for (size_t i = 0; i < self->made.count; i++)
        free(self->made.items[i]);
    array_free(&self->made);
    array_free(&self->columns);
    array_free(&self->shown);
    table_free(&self->table);
}

static bool unfold_column(struct maker *self, const member_list *members, size_t at,
                          const char *word)
{
    struct column folded = self->columns.items[at];
    size_t behind = self->columns.count - at - 1;
    if (!array_reserve(&self->columns, members->count))
        return false;
    struct column *columns = self->columns.items + at;
    memmove(columns + members->count, columns + 1, behind * sizeof *columns);
    self->columns.count = at + members->count + behind;
    for (size_t i = 0; i < members->count; i++) {
        struct text name = {0}, heading = {0};
        bool done = text_format(&name, "%s_%s", word, members->items[i].name) &&
                    text_format(&heading, "%s: %s", word, members->items[i].name);
        columns[i] = folded;
        columns[i].form = members->items[i].form;
        columns[i].name = keep(self, name.items);
        columns[i].heading = keep(self, heading.items);
        if (!done || !columns[i].name || !columns[i].heading)
            return false;
    }
    return true;
}

/* Puts the members of a column of objects in its place. */
static bool unfold(struct maker *self)
{
    const char *declared = docs_declared(self->report, "unfold");
    char name[64], word[64], order[64];
    if (!declared || sscanf(declared, "%63s %63s %63s", name, word, order) != 3)
        return true;
    size_t at = column_named(self, view_of(name)), by = column_named(self, view_of(order));
    if (at == SIZE_MAX || by == SIZE_MAX)
        return true;
    struct table unfolded = {0};
    member_list members = {0};
    bool done = unfold_table(&self->table, at, by, self->options->compat, &members, &unfolded) &&
                unfold_column(self, &members, at, word);
    unfold_free(&members);
    if (!done) {
        table_free(&unfolded);
        return false;
    }
    table_free(&self->table);
    self->table = unfolded;
    return true;
}

/* A sheet of its own, with the columns that its rows have. */
static bool send_part(struct maker *self, const char *name, size_t by, const struct cell *value)
{
    struct maker part = *self;
    part.columns.items = NULL;
    part.columns.count = part.columns.room = 0;
    part.made.items = NULL;
    part.made.count = part.made.room = 0;
    part.shown.items = NULL;
    part.shown.count = part.shown.room = 0;
    part.table = (struct table){0};
    bool done = copy_rows(self, by, value, &part.table) &&
                array_reserve(&part.columns, self->columns.count);
    for (size_t i = 0; i < self->columns.count && done; i++)
        part.columns.items[part.columns.count++] = self->columns.items[i];
    done = done && unfold(&part) && choose_columns(&part);
    done = (done || error_memory(self->error)) && send_sheet(&part, name);
    free_maker(&part);
    return done;
}

/* The values of a column in the order in which they appear; their texts stay in the table. */
static bool appearing_values(const struct maker *self, size_t column, cell_list *values)
{
    struct cell *cells = calloc(self->columns.count + 1, sizeof *cells);
    struct table_cursor cursor = {0};
    bool done = cells != NULL;
    while (done && table_next(&self->table, &cursor, cells)) {
        size_t at = values->count; /* mostly it is the last one */
        while (at && !same_cell(&values->items[at - 1], &cells[column]))
            at--;
        struct cell *added = at ? NULL : array_push(values);
        done = at || added;
        if (added)
            *added = cells[column];
    }
    free(cells);
    return done;
}

/* A sheet for each value that there is, in the order of the values. */
static bool send_by_value(struct maker *self, size_t column, const cell_list *values)
{
    struct text name = {0};
    bool done = true;
    if (values->count > 1 && self->options->one_sheet)
        done = error_set(self->error, STATUS_USAGE,
                         "%s: one CSV takes one sheet, and there are %zu; name a directory",
                         self->report->name, values->count);
    for (size_t i = 0; i < values->count && done; i++) {
        text_clear(&name);
        done = cell_add_text(&values->items[i], FORM_PLAIN, &name) || error_memory(self->error);
        bool is_named = done && name.count; /* an empty one is that of the report */
        const char *sheet = !done || is_named ? name.items : sheet_name(self, &name);
        done = done && (sheet || error_memory(self->error)) &&
               send_part(self, sheet, column, &values->items[i]);
    }
    text_free(&name);
    return done;
}

/* The next `VALUE NAME` of a list; false at its end. */
static bool next_sheet(const char **list, struct view *value, struct view *name)
{
    const char *at = *list + strspn(*list, ", ");
    *value = (struct view){at, strcspn(at, " ,")};
    at += value->length + strspn(at + value->length, " ");
    *name = (struct view){at, strcspn(at, " ,")};
    *list = at + name->length;
    return name->length > 0;
}

static bool is_listed(const char *list, const struct cell *cell)
{
    struct view value, name;
    while (next_sheet(&list, &value, &name))
        if (cell->type == CELL_TEXT && view_equal(cell->text, value))
            return true;
    return false;
}

/* A line about the rows that are on no sheet. */
static bool remark(struct maker *self, size_t by, const char *list)
{
    const char *summed = docs_declared(self->report, "left-out");
    struct cell *cells = calloc(self->columns.count + 1, sizeof *cells);
    double *sums = calloc(self->columns.count + 1, sizeof *sums);
    struct table_cursor cursor = {0};
    size_t rows = 0;
    while (cells && sums && table_next(&self->table, &cursor, cells)) {
        if (is_listed(list, &cells[by]))
            continue;
        rows++;
        for (size_t i = 0; i < self->columns.count; i++)
            sums[i] += cells[i].type == CELL_INTEGER ? (double)cells[i].integer
                       : cells[i].type == CELL_REAL  ? cells[i].real
                                                     : 0;
    }
    bool done = cells && sums;
    if (rows)
        done = text_format(self->options->remarks, "%s: rows that are on no sheet: %zu",
                           self->report->name, rows);
    for (size_t i = 0; rows && i < self->columns.count && done; i++)
        if (has_word(summed, self->columns.items[i].name))
            done = text_format(self->options->remarks, ", %s %.10g", self->columns.items[i].heading,
                               sums[i]);
    if (rows)
        done = done && text_add_byte(self->options->remarks, '\n');
    free(cells);
    free(sums);
    return done;
}

/* The sheets that are declared; without rows only where empty ones are kept. */
static bool send_listed(struct maker *self, size_t column, const cell_list *values,
                        const char *list)
{
    bool done = true;
    if (self->options->remarks)
        done = remark(self, column, list) || error_memory(self->error);
    const char *at = list;
    struct view value, word;
    while (done && next_sheet(&at, &value, &word)) {
        struct cell cell = {.type = CELL_TEXT, .text = value};
        bool is_kept = keeps_empty(self->report, self->warehouse->context);
        for (size_t i = 0; i < values->count; i++)
            is_kept |= same_cell(&values->items[i], &cell);
        char *name = is_kept ? strndup(word.bytes, word.length) : NULL;
        done = !is_kept ||
               ((name || error_memory(self->error)) && send_part(self, name, column, &cell));
        free(name);
    }
    return done;
}

/* All rows as one sheet. */
static bool send_whole(struct maker *self)
{
    struct text name = {0};
    const char *sheet = sheet_name(self, &name);
    bool is_plain = !docs_declared(self->report, "unfold");
    bool done = (sheet && (!is_plain || choose_columns(self))) || error_memory(self->error);
    done = done && (is_plain ? send_sheet(self, sheet) : send_part(self, sheet, 0, NULL));
    text_free(&name);
    return done;
}

static bool send_sheets(struct maker *self)
{
    const char *by = docs_declared(self->report, "sheet-by");
    const char *list = docs_declared(self->report, "sheets");
    size_t column = by ? column_named(self, view_of(by)) : SIZE_MAX;
    if (column == SIZE_MAX || (list ? self->options->one_sheet : self->table.rows == 0))
        return send_whole(self);
    cell_list values = {0};
    bool done = appearing_values(self, column, &values) || error_memory(self->error);
    if (done)
        done =
            list ? send_listed(self, column, &values, list) : send_by_value(self, column, &values);
    array_free(&values);
    return done;
}

/* ------------------------------------------------------------------ one report */

/* How much is selected: where it is one trace or one run, nobody needs to read which. */
static bool look_at_scope(struct maker *self)
{
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse, "SELECT count(DISTINCT trace_id), count(DISTINCT run) FROM scope",
        self->error);
    bool done = statement && (sqlite3_step(statement) == SQLITE_ROW ||
                              warehouse_error(self->warehouse, self->error));
    if (done) {
        self->one_trace = sqlite3_column_int64(statement, 0) <= 1;
        self->one_run = sqlite3_column_int64(statement, 1) <= 1;
        const char *unit = docs_declared(self->report, "unit");
        if (!unit || strcmp(unit, "run") != 0)
            self->one_run = self->one_trace;
    }
    sqlite3_finalize(statement);
    return done;
}

bool report_make(struct warehouse *warehouse, const struct doc_object *report,
                 const struct report_options *options, bool named, struct sink *const *sinks,
                 size_t sink_count, size_t *sheets, struct error *error)
{
    struct maker self = {.warehouse = warehouse,
                         .report = report,
                         .options = options,
                         .sinks = sinks,
                         .sink_count = sink_count,
                         .error = error,
                         .is_named = named,
                         .sheets = sheets};
    bool done = look_at_scope(&self) && read_rows(&self) && spread(&self);
    if (done && (self.table.rows || named || keeps_empty(report, warehouse->context)))
        done = send_sheets(&self);
    free_maker(&self);
    return done;
}
