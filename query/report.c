/* report: see report.h. */
#include "report.h"

#include "report_choice.h"
#include "table.h"
#include "unfold.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
    return report_is_met(view_of(option), context);
}

static bool keeps_empty(const struct doc_object *report, const struct context *context)
{
    const char *kept = docs_declared(report, "keep-empty");
    return kept && (strcmp(kept, "yes") == 0 || report_is_met(view_of(kept), context));
}

/* ------------------------------------------------------------------ the rows of a report */

typedef ARRAY(struct column) column_list;
typedef ARRAY(char *) word_list;

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
    column_list columns; /* of the table */
    word_list made;      /* names that were made for them */
    ARRAY(size_t) shown; /* those that are shown, in order */
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
    column->is_wide = report_has_word(docs_declared(self->report, "wide"), name);
    column->place = ranked && says_where ? 1 : report_place_of(ranked, name);
    column->polarity = strcmp(doc->polarity, "lower") == 0    ? POLARITY_LOWER
                       : strcmp(doc->polarity, "higher") == 0 ? POLARITY_HIGHER
                                                              : POLARITY_NONE;
    return true;
}

/* The rows of a view that the report is made of. NULL on failure. */
static sqlite3_stmt *rows_of(struct maker *self, const char *view)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", view);
    if (!sql) {
        error_memory(self->error);
        return NULL;
    }
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    sqlite3_free(sql);
    if (!rows)
        error_context(self->error, "report %s", self->report->name);
    return rows;
}

static bool read_rows(struct maker *self)
{
    sqlite3_stmt *rows = rows_of(self, self->report->name);
    if (!rows)
        return false;
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

static size_t digits_at(struct view text, size_t at)
{
    size_t end = at;
    while (end < text.length && text.bytes[end] >= '0' && text.bytes[end] <= '9')
        end++;
    return end - at;
}

/* Numbers in texts count as numbers: rank_2 comes before rank_10. */
static int compare_texts(struct view left, struct view right)
{
    size_t at = 0;
    while (at < left.length && at < right.length && left.bytes[at] == right.bytes[at])
        at++;
    while (at && left.bytes[at - 1] >= '0' && left.bytes[at - 1] <= '9')
        at--; /* to the start of a number that goes on */
    size_t digits = digits_at(left, at), other = digits_at(right, at);
    if (digits && other && digits != other)
        return digits < other ? -1 : 1;
    size_t shorter = left.length < right.length ? left.length : right.length;
    int order = memcmp(left.bytes + at, right.bytes + at, shorter - at);
    return order ? order : (left.length > right.length) - (left.length < right.length);
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
    return compare_texts(left->text, right->text);
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

/* A name or heading with `value` in the place of "{}"; NULL: memory is out. */
static char *put_value(const char *heading, const char *value, const char *between)
{
    const char *at = strstr(heading, "{}");
    struct text text = {0};
    bool done = at ? text_format(&text, "%.*s%s%s", (int)(at - heading), heading, value, at + 2)
                   : text_format(&text, "%s%s%s", heading, between, value);
    if (!done)
        text_free(&text);
    return text.items;
}

static char *spread_word(const char *word, const struct cell *value, const char *between)
{
    struct text text = {0};
    char *made = cell_add_text(value, FORM_PLAIN, &text)
                     ? put_value(word, text.items ? text.items : "", between)
                     : NULL;
    text_free(&text);
    return made;
}

/* What a column of the long table becomes. */
struct spreading {
    bool is_spread;
    bool goes_on;         /* stands beside the one before, value for value */
    size_t first, stride; /* of its places in the wide table */
};

/* Columns joined by + must follow each other. */
static bool goes_on(const char *list, const char *before, const char *name)
{
    struct text pair = {0};
    bool done = text_format(&pair, "%s+%s", before, name);
    const char *at = done ? strstr(list, pair.items) : NULL;
    bool whole = at && (at == list || strchr(", +", at[-1])) &&
                 (!at[pair.count] || strchr(", +", at[pair.count]));
    text_free(&pair);
    return whole;
}

static bool add_column(struct maker *self, const struct column *old, const struct cell *value)
{
    struct column *column = array_push(&self->columns);
    if (!column)
        return false;
    *column = *old;
    if (value) {
        column->name = keep(self, spread_word(old->name, value, "_"));
        column->heading = keep(self, spread_word(old->heading, value, " "));
    }
    return column->name && column->heading;
}

/* Makes the columns of the wide table out of those of the long one. */
static bool spread_columns(struct maker *self, struct spreading *spreading, size_t over,
                           const cell_list *values)
{
    struct column *old = self->columns.items;
    size_t count = self->columns.count, beside;
    self->columns.items = NULL;
    self->columns.count = self->columns.room = 0;
    bool done = true;
    for (size_t i = 0; i < count && done; i += beside) {
        beside = 1;
        while (i + beside < count && spreading[i + beside].goes_on)
            beside++;
        for (size_t j = i; j < i + beside; j++) {
            spreading[j].first = self->columns.count + j - i;
            spreading[j].stride = beside;
        }
        if (!spreading[i].is_spread)
            done = i == over || add_column(self, &old[i], NULL);
        for (size_t k = 0; spreading[i].is_spread && k < values->count && done; k++)
            for (size_t j = i; j < i + beside && done; j++)
                done = add_column(self, &old[j], &values->items[k]);
    }
    free(old);
    return done;
}

/* Rows with the same key come together in the view; each such group becomes one row. */
static bool spread_rows(struct maker *self, struct table *wide, const struct spreading *spreading,
                        size_t over, const cell_list *values)
{
    size_t count = self->table.column_count;
    struct cell *cells = calloc(count + 1, sizeof *cells);
    struct cell *row = calloc(self->columns.count + 1, sizeof *row);
    struct table_cursor cursor = {0};
    bool done = cells && row, started = false;
    while (done && table_next(&self->table, &cursor, cells)) {
        bool same = started;
        for (size_t i = 0; i < count && same; i++)
            same = i == over || spreading[i].is_spread ||
                   same_cell(&row[spreading[i].first], &cells[i]);
        if (!same) {
            done = !started || table_add(wide, row);
            memset(row, 0, self->columns.count * sizeof *row);
            started = true;
        }
        size_t place = place_of(values, &cells[over]);
        for (size_t i = 0; i < count; i++)
            if (i != over)
                row[spreading[i].first +
                    (spreading[i].is_spread ? place * spreading[i].stride : 0)] = cells[i];
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
    struct spreading *spreading = calloc(count + 1, sizeof *spreading);
    cell_list values = {0};
    struct table wide = {0};
    bool done = list && spreading && distinct_values(self, over, &values);
    for (size_t i = 0; i < count && done; i++) {
        const char *name = self->columns.items[i].name;
        spreading[i].is_spread = report_has_word(list, name);
        spreading[i].goes_on = i && goes_on(list, self->columns.items[i - 1].name, name);
    }
    done = done && spread_columns(self, spreading, over, &values) &&
           table_init(&wide, self->columns.count) &&
           spread_rows(self, &wide, spreading, over, &values);
    free(list);
    free(spreading);
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
    if (by && strncasecmp(by, name, strlen(name)) == 0 && strcspn(by, " ") == strlen(name))
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
           (report_has_word(docs_declared(self->report, "drop-empty"), name) ||
            (self->options->compat &&
             report_has_word(docs_declared(self->report, "compat-drop-empty"), name)));
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
    sqlite3_stmt *rows = rows_of(self, view);
    if (!rows)
        return false;
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

/* The name that the report gives its sheet; `value` is what the sheet is for, or NULL. */
static const char *sheet_name(struct maker *self, const char *value)
{
    const char *sheet = docs_declared(self->report, "sheet");
    const char *alias = docs_declared(self->report, "alias");
    if (self->options->legacy_sheet_names && alias)
        return keep(self, strndup(alias, strcspn(alias, ", ")));
    if (value && *value) /* an empty one is that of the report */
        return sheet && strstr(sheet, "{}") ? keep(self, put_value(sheet, value, ""))
                                            : keep(self, strdup(value));
    return sheet && !strstr(sheet, "{}") ? sheet : self->report->name;
}

static bool send_columns(struct maker *self, const char *name)
{
    struct column *columns = calloc(self->shown.count + 1, sizeof *columns);
    if (!columns)
        return error_memory(self->error);
    for (size_t i = 0; i < self->shown.count; i++) {
        columns[i] = self->columns.items[self->shown.items[i]];
        bool is_python = self->options->compat && columns[i].is_detail; /* a text like others */
        is_python |= self->options->compat && columns[i].form == FORM_TUPLE;
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

/* All rows of the table as one sheet. */
static bool send_sheet(struct maker *self, const char *name)
{
    return name && unfold(self) && choose_columns(self) ? send_columns(self, name)
                                                        : error_memory(self->error);
}

/* The rows of one sheet of many: from `first` on as many as have the value. */
struct part {
    struct cell value;
    struct table_cursor first;
    int64_t rows;
};

typedef ARRAY(struct part) part_list;

static bool find_parts(const struct maker *self, size_t column, part_list *parts)
{
    struct cell *cells = calloc(self->columns.count + 1, sizeof *cells);
    struct table_cursor cursor = {0};
    bool done = cells != NULL;
    while (done) {
        struct table_cursor at = cursor;
        if (!table_next(&self->table, &cursor, cells))
            break;
        size_t i = parts->count; /* most rows belong to the part before */
        while (i && !same_cell(&parts->items[i - 1].value, &cells[column]))
            i--;
        struct part *part = i ? &parts->items[i - 1] : array_push(parts);
        if (part && !i)
            *part = (struct part){.value = cells[column], .first = at};
        if (part)
            part->rows++;
        done = part != NULL;
    }
    free(cells);
    return done;
}

static bool copy_rows(const struct maker *self, size_t column, const struct part *part,
                      struct table *rows)
{
    struct cell *cells = calloc(self->columns.count + 1, sizeof *cells);
    struct table_cursor cursor = part->first;
    bool done = cells && table_init(rows, self->columns.count);
    for (int64_t left = part->rows; done && left && table_next(&self->table, &cursor, cells);)
        if (same_cell(&cells[column], &part->value)) {
            done = table_add(rows, cells);
            left--;
        }
    free(cells);
    return done;
}

static bool copy_columns(struct maker *self, const column_list *columns, const char *value)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = array_push(&self->columns);
        if (!column)
            return false;
        *column = columns->items[i];
        if (strstr(column->heading, "{}"))
            column->heading = keep(self, put_value(column->heading, value, ""));
        if (!column->heading)
            return false;
    }
    return true;
}

static void free_layout(struct maker *self)
{
    for (size_t i = 0; i < self->made.count; i++)
        free(self->made.items[i]);
    array_free(&self->made);
    array_free(&self->columns);
    array_free(&self->shown);
    table_free(&self->table);
}

/* A sheet of its own; its name is that of its value where `name` is empty. */
static bool send_part(struct maker *self, size_t column, const struct part *part, struct view name)
{
    struct maker sheet = *self;
    struct text value = {0};
    sheet.table = (struct table){0};
    sheet.columns = (column_list){0};
    sheet.made = (word_list){0};
    sheet.shown.items = NULL;
    sheet.shown.count = sheet.shown.room = 0;
    bool done = text_add(&value, "", 0) && cell_add_text(&part->value, FORM_PLAIN, &value) &&
                copy_rows(self, column, part, &sheet.table) &&
                copy_columns(&sheet, &self->columns, value.items);
    if (!done)
        error_memory(self->error);
    else if (report_is_in_part(self->report, self->options->part,
                               (struct view){value.items, value.count}))
        done = send_sheet(&sheet, name.length ? keep(&sheet, strndup(name.bytes, name.length))
                                              : sheet_name(&sheet, value.items));
    text_free(&value);
    free_layout(&sheet);
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
    struct text what = {0}; /* the value that they have in common */
    size_t rows = 0;
    bool done = cells && sums;
    while (done && table_next(&self->table, &cursor, cells)) {
        if (is_listed(list, &cells[by]))
            continue;
        bool is_text = cells[by].type == CELL_TEXT;
        if (rows++ == 0 && is_text)
            done = text_add(&what, cells[by].text.bytes, cells[by].text.length);
        if (!is_text || !view_equal(cells[by].text, (struct view){what.items, what.count}))
            text_clear(&what);
        for (size_t i = 0; i < self->columns.count; i++)
            sums[i] += cells[i].type == CELL_INTEGER ? (double)cells[i].integer
                       : cells[i].type == CELL_REAL  ? cells[i].real
                                                     : 0;
    }
    if (rows && done)
        done = text_format(self->options->remarks, "%s: rows that are on no sheet%s%s: %zu",
                           self->report->name, what.count ? ", all " : "",
                           what.count ? what.items : "", rows);
    for (size_t i = 0; rows && i < self->columns.count && done; i++)
        if (report_has_word(summed, self->columns.items[i].name))
            done = text_format(self->options->remarks, ", %s %.10g", self->columns.items[i].heading,
                               sums[i]);
    if (rows)
        done = done && text_add_byte(self->options->remarks, '\n');
    text_free(&what);
    free(cells);
    free(sums);
    return done;
}

/* The sheets that are declared; without rows only where empty ones are kept. */
static bool send_listed(struct maker *self, size_t column, const part_list *parts, const char *list)
{
    bool done = true;
    if (self->options->remarks)
        done = remark(self, column, list) || error_memory(self->error);
    const char *at = list;
    struct view value, name;
    while (done && next_sheet(&at, &value, &name)) {
        struct part part = {.value = {.type = CELL_TEXT, .text = value}};
        for (size_t i = 0; i < parts->count; i++)
            if (same_cell(&parts->items[i].value, &part.value))
                part = parts->items[i];
        if (part.rows || keeps_empty(self->report, self->warehouse->context))
            done = send_part(self, column, &part, name);
    }
    return done;
}

/* A sheet for each value that there is. */
static bool send_all(struct maker *self, size_t column, const part_list *parts)
{
    if (parts->count > 1 && self->options->one_sheet)
        return error_set(self->error, STATUS_USAGE,
                         "%s: one CSV takes one sheet, and there are %zu; name a directory",
                         self->report->name, parts->count);
    if (parts->count == 0)
        return send_sheet(self, sheet_name(self, NULL));
    bool done = true;
    for (size_t i = 0; i < parts->count && done; i++)
        done = send_part(self, column, &parts->items[i], (struct view){0});
    return done;
}

static bool send_parts(struct maker *self, const char *by)
{
    size_t column = column_named(self, (struct view){by, strcspn(by, " ")});
    const char *list = docs_declared(self->report, "sheets");
    part_list parts = {0};
    if (column == SIZE_MAX)
        return error_set(self->error, STATUS_USAGE, "%s: sheet-by %s: there is no such column",
                         self->report->name, by);
    if (list && self->options->one_sheet)
        return send_sheet(self, sheet_name(self, NULL));
    bool done = find_parts(self, column, &parts) || error_memory(self->error);
    if (done)
        done = list ? send_listed(self, column, &parts, list) : send_all(self, column, &parts);
    array_free(&parts);
    return done;
}

static bool send_sheets(struct maker *self)
{
    const char *by = docs_declared(self->report, "sheet-by");
    return by ? send_parts(self, by) : send_sheet(self, sheet_name(self, NULL));
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
    free_layout(&self);
    return done;
}
