/* report_sheet: one sheet of a report: which columns it has, its rows and sums. */
#include "query/report/report_maker.h"
#include "query/report/report_sheet.sql.h"
#include "query/report/result.h"
#include "sql/asked.h"
#include "sql/warehouse/schema.h"
#include "src/base/deviation.h"
#include "src/base/literal.h"
#include "src/base/order.h"

#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ unfold
 *
 * A column of JSON objects becomes a column for each of their members. Members are found in the
 * order of the rows by another column, numbers first come first. Numbers stay numbers, lists stay
 * JSON, truth values are 0 and 1 where nothing else stands in their column. As the reference tools
 * have it, lists are Python's tuples, what is missing is the text nan or None, and whole numbers
 * beside others or beside gaps are no longer whole.
 */

struct member {
    char *name;
    enum column_form form;
    bool any_text, any_list, any_truth, any_whole, any_real, any_null;
    size_t rows; /* that have it */
};

typedef ARRAY(struct member) member_list;

struct object {
    double order;
    struct view json;
};

ORDER_BY(compare_objects, struct object, UP(order));

static void find_all_members(const struct result *from, size_t column, size_t order,
                             struct literals *values, member_list *members)
{
    ARRAY(struct object) objects = {0};
    struct cell *cells = memory_zeroed(from->column_count + 1, sizeof *cells);
    struct result_cursor cursor = {0};
    while (result_next(from, &cursor, cells)) {
        struct view json = cells[column].type == CELL_TEXT ? cells[column].text : VIEW("");
        array_add(&objects, (struct object){cell_number(&cells[order], 0), json});
    }
    array_sort(&objects, compare_objects);
    for (size_t i = 0; i < objects.count; i++) {
        /* Notes the members of one object. */
        struct view json = objects.items[i].json;
        literal_clear(values);
        int root = json.length ? literal_read(values, json) : LITERAL_NONE;
        if (root >= 0 && literal_type(values, root) == LITERAL_OBJECT) {
            for (int name = literal_at(values, root)->first; name >= 0;) {
                const char *text = literal_text(values, name);
                int value = literal_at(values, name)->next;
                size_t place = 0; /* there are few */
                while (place < members->count &&
                       strcmp(members->items[place].name, text ? text : "") != 0)
                    place++;
                if (place == members->count) {
                    char *copy = memory_text(text ? text : "");
                    struct member *added = array_push(members);
                    *added = (struct member){.name = copy};
                }
                struct member *member = &members->items[place];
                enum literal_type type = literal_type(values, value);
                member->rows++;
                member->any_null |= type == LITERAL_NULL;
                member->any_truth |= type == LITERAL_TRUE || type == LITERAL_FALSE;
                member->any_whole |= type == LITERAL_INTEGER;
                member->any_real |= type == LITERAL_REAL;
                member->any_text |= type == LITERAL_TEXT;
                member->any_list |= type == LITERAL_LIST || type == LITERAL_OBJECT;
                name = literal_at(values, value)->next;
            }
        }
    }
}

/* ------------------------------------------------------------------ cells */

static bool is_numeric(const struct member *member)
{
    return !member->any_text && !member->any_list && !member->any_truth;
}

static void make_cell(const struct member *member, const struct literals *values, int value,
                      size_t rows, bool compat, struct text *scratch, struct cell *cell)
{
    const struct literal *literal = value >= 0 ? literal_at(values, value) : NULL;
    if (!literal || literal->type == LITERAL_NULL) {
        /* A value that is not there; `is_null`: it is, and is null. */
        bool is_null = literal != NULL;
        *cell = (struct cell){.type = CELL_NULL};
        if (like_reference(compat, "rooflines: parameters")) {
            cell->type = CELL_TEXT;
            cell->text = is_null && !is_numeric(member) ? VIEW("None") : VIEW("nan");
        }
        return;
    }
    bool has_gaps = member->rows < rows || member->any_null;
    struct text json = {0};
    *cell = (struct cell){.type = CELL_TEXT};
    switch (literal->type) {
    case LITERAL_TRUE:
    case LITERAL_FALSE:
        if (member->form == FORM_BOOLEAN)
            *cell = (struct cell){.type = CELL_INTEGER, .integer = literal->integer};
        else
            cell->text = literal->type == LITERAL_TRUE ? VIEW("True") : VIEW("False");
        break;
    case LITERAL_INTEGER:
        if (like_reference(compat, "rooflines: parameters") && is_numeric(member) &&
            (has_gaps || member->any_real))
            *cell = (struct cell){.type = CELL_REAL, .real = literal->real};
        else
            *cell = (struct cell){.type = CELL_INTEGER, .integer = literal->integer};
        break;
    case LITERAL_REAL:
        *cell = (struct cell){.type = CELL_REAL, .real = literal->real};
        break;
    case LITERAL_TEXT:
        cell->text = view_of(literal_text(values, value));
        break;
    default: {
        size_t start = scratch->count;
        literal_add_json(values, value, &json);
        if (like_reference(compat, "rooflines: parameters"))
            cell_add_python(text_view(&json), true, scratch);
        else
            text_add(scratch, json.items, json.count);
        text_free(&json);
        cell->integer = (int64_t)start; /* the text may move yet: settle_texts */
        cell->text.length = scratch->count - start;
        break;
    }
    }
}

/* Texts that were made stand in `scratch`, which no longer moves. */
static void settle_texts(const struct literals *values, const int *places, size_t count,
                         const struct text *scratch, struct cell *cells)
{
    for (size_t i = 0; i < count; i++) {
        enum literal_type type = literal_type(values, places[i]);
        if (places[i] >= 0 && (type == LITERAL_LIST || type == LITERAL_OBJECT))
            cells[i].text.bytes = scratch->items + cells[i].integer;
    }
}

/* ------------------------------------------------------------------ columns */

static bool is_named(const char *declared, const char *name)
{
    return declared && strcasecmp(declared, name) == 0;
}

static bool is_left_out(const struct maker *self, size_t index)
{
    const char *name = self->columns.items[index].name;
    const struct layout *layout = &self->layout;
    const struct layout_column *column = layout_column(layout, name);
    bool says_where = self->says_where || layout_is_key(layout, "trace_id");
    if (strcmp(name, "trace_id") == 0)
        return self->one_trace && !says_where;
    if (strcmp(name, "run") == 0)
        return self->one_run && !says_where;
    if (is_named(layout->sheet_by, name))
        return !(self->options->one_sheet && layout->sheets);
    if (is_named(layout->colours, name) ||
        (column->option.length && !report_is_met(column->option, self->warehouse->context)))
        return true;
    /* programs find the same columns whatever is selected */
    if (self->says_where && !like_reference(self->options->compat, "structured cells"))
        return false;
    size_t leader = column->leader.length ? report_column(self, column->leader) : SIZE_MAX;
    if (leader < self->columns.count && !self->result.columns.items[leader].any)
        return true;
    return !self->result.columns.items[index].any &&
           (column->drops_empty ||
            (like_reference(self->options->compat, "short_kernels_summary: rows without an op") &&
             column->drops_empty_compat));
}

static bool writes_python(const struct maker *self)
{
    return like_reference(self->options->compat, "structured cells");
}

/* True if the main columns are empty, or all that is measured is GPU time and there is none. */
static bool is_bare(const struct maker *self)
{
    bool has_main = false, any = false, is_zero = false;
    for (size_t i = 0; i < self->columns.count; i++) {
        const char *name = self->columns.items[i].name;
        const struct result_column *filled = &self->result.columns.items[i];
        bool is_main = layout_column(&self->layout, name)->is_main;
        has_main |= is_main;
        any |= is_main && filled->any;
        is_zero |=
            self->layout.work && filled->is_zero && view_equal(view_of(name), self->layout.measure);
    }
    return ((has_main && !any) || is_zero) && self->result.rows && !self->abstained.count;
}

/* Sheets that are only there for their chart go to workbooks, unless they are asked for. */
static bool takes(const struct maker *self, const struct sink *sink)
{
    return self->is_named || ((sink->has_charts || !self->layout.only_in_workbook) &&
                              !(sink->is_terminal && self->is_bare));
}

/* Wishes of all outputs together. */
static struct sink wants(const struct maker *self)
{
    struct sink any = {0};
    for (size_t i = 0; i < self->sink_count; i++) {
        any.footer = any.footer ? any.footer : self->sinks[i]->footer;
        any.has_names |= self->sinks[i]->has_names;
        any.has_notes |= self->sinks[i]->has_notes;
    }
    return any;
}

static bool to_all(struct maker *self, const struct cell *cells)
{
    for (size_t i = 0; i < self->sink_count; i++)
        if (takes(self, self->sinks[i]) && !self->sinks[i]->row(self->sinks[i], cells, self->error))
            return false;
    return true;
}

/* The next of the rows that are kept, and then of those that are not read yet. */
static bool next_row(const struct maker *self, struct result_cursor *cursor, struct text *scratch,
                     struct cell *cells, bool *done)
{
    if (!*done || result_next(&self->result, cursor, cells))
        return *done;
    return self->rest &&
           result_read(self->rest, scratch, cells, self->report->name, done, self->error);
}

static bool send_rows(struct maker *self)
{
    const char *column = self->layout.colours;
    size_t colours = column ? report_column(self, view_of(column)) : SIZE_MAX;
    struct cell *cells = memory_zeroed(self->columns.count + 1, sizeof *cells);
    struct cell *chosen = memory_zeroed(self->shown.count + 1, sizeof *chosen);
    size_t *ends = memory_zeroed(self->shown.count + 1, sizeof *ends);
    struct text scratch = {0}, blobs = {0};
    struct result_cursor cursor = {0};
    bool done = true;
    while (next_row(self, &cursor, &blobs, cells, &done)) {
        for (size_t i = 0; i < self->shown.count; i++)
            chosen[i] = cells[self->shown.items[i]];
        if (colours < self->columns.count)
            chosen[self->shown.count] = cells[colours];
        if (writes_python(self)) {
            /* Turns what is JSON into Python's literals; they are kept in `scratch`. */
            text_add(&scratch, "", 0);
            text_clear(&scratch);
            for (size_t i = 0; i < self->shown.count; i++) {
                enum column_form form = self->columns.items[self->shown.items[i]].form;
                if ((form == FORM_TUPLE || form == FORM_LIST) && chosen[i].type == CELL_TEXT)
                    cell_add_python(chosen[i].text, form == FORM_TUPLE, &scratch);
                ends[i] = scratch.count;
            }
            for (size_t i = 0; i < self->shown.count; i++) {
                enum column_form form = self->columns.items[self->shown.items[i]].form;
                size_t start = i ? ends[i - 1] : 0;
                if ((form == FORM_TUPLE || form == FORM_LIST) && chosen[i].type == CELL_TEXT)
                    chosen[i].text = (struct view){scratch.items + start, ends[i] - start};
            }
        }
        done = done && to_all(self, chosen);
    }
    return done;
}

static bool send_footers(struct maker *self)
{
    const char *view = self->layout.footer;
    if (!view || !self->result.rows || self->by_step || !wants(self).footer)
        return true;
    sqlite3_stmt *rows = report_rows(self, view);
    if (!rows)
        return false;
    size_t count = (size_t)sqlite3_column_count(rows);
    struct cell *sums = memory_zeroed(count + 1, sizeof *sums);
    struct text scratch = {0};
    bool done = true;
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        cells_of_statement(rows, count, &scratch, sums);

        /* A row of sums for the outputs that want one: by name, columns without a sum are empty. */
        struct cell *cells = memory_zeroed(self->shown.count + 1, sizeof *cells);
        for (size_t i = 0; i < self->shown.count; i++)
            for (int j = 0; j < sqlite3_column_count(rows); j++)
                if (strcmp(self->columns.items[self->shown.items[i]].name,
                           sqlite3_column_name(rows, j)) == 0)
                    cells[i] = sums[j];
        /* A sum over rows without a basis has none either. */
        for (size_t i = 0; i < self->abstained.count && !self->options->abstentions->forced; i++)
            for (size_t j = 0; j < self->shown.count; j++)
                if (self->abstained.items[i].is_met &&
                    self->shown.items[j] == self->abstained.items[i].column)
                    cells[j] = (struct cell){.type = CELL_NULL, .is_abstained = true};
        for (size_t i = 0; i < self->sink_count && done; i++)
            if (self->sinks[i]->footer)
                done = self->sinks[i]->footer(self->sinks[i], cells, self->error);
    }
    database_finalize(rows);
    return done;
}

/* A sheet is asked for by the name of its report; one of several by its own. */
static const char *asked_name(const struct maker *self)
{
    bool is_own = self->layout.sheet_by || self->options->legacy_sheet_names;
    return is_own ? NULL : self->report->name;
}

static bool send_columns(struct maker *self, const char *name)
{
    struct column *columns = memory_zeroed(self->shown.count + 1, sizeof *columns);
    struct short_names *names = memory_zeroed(self->shown.count + 1, sizeof *names);
    for (size_t i = 0; i < self->shown.count; i++) {
        columns[i] = self->columns.items[self->shown.items[i]];
        bool is_text =
            columns[i].is_detail || columns[i].form == FORM_TUPLE || columns[i].form == FORM_ARRAY;
        columns[i].form = is_text && writes_python(self) ? FORM_PLAIN : columns[i].form;
    }
    const char *table_with = self->layout.table_with;
    struct sheet sheet = {.name = name,
                          .asked = asked_name(self),
                          .title = self->report->meaning,
                          .chart = self->by_step || self->by_rank ? NULL : self->layout.chart,
                          .tab = self->layout.tab,
                          .rows_skipped = self->rows_skipped,
                          .columns = columns,
                          .column_count = self->shown.count,
                          .has_colours = self->layout.colours != NULL,
                          .in_paragraphs =
                              self->layout.in_paragraphs &&
                              !(table_with && context_get(self->warehouse->context, table_with)),
                          .not_included = self->notes.items,
                          .not_included_count = self->notes.count,
                          .why_empty = self->why_empty,
                          .unanswered = self->unanswered,
                          .why_code = self->why_code,
                          .window = self->window,
                          .abstained = self->result.rows ? self->why_abstained.items : NULL};

    /* Gives the columns that hold names of kernels the short ones. */
    for (size_t i = 0; i < self->shown.count && wants(self).has_names; i++) {
        if (columns[i].form != FORM_KERNEL && columns[i].form != FORM_CALL)
            continue;
        names[i].of_calls = columns[i].form == FORM_CALL;
        columns[i].names = &names[i];

        /* Adds the names of a column of the table. */
        size_t column = self->shown.items[i];
        struct cell *cells = memory_zeroed(self->columns.count + 1, sizeof *cells);
        struct result_cursor cursor = {0};
        while (result_next(&self->result, &cursor, cells))
            if (cells[column].type == CELL_TEXT)
                short_names_add(&names[i], cells[column].text);
        short_names_make(&names[i]);
    }
    bool done = true;
    for (size_t i = 0; i < self->sink_count && done; i++)
        done = !takes(self, self->sinks[i]) ||
               self->sinks[i]->begin(self->sinks[i], &sheet, self->error);
    bool is_whole = self->layout.sheet_by == NULL;
    done = done && send_rows(self) && (!is_whole || send_footers(self));
    for (size_t i = 0; i < self->sink_count && done; i++)
        done = !takes(self, self->sinks[i]) || self->sinks[i]->end(self->sinks[i], self->error);
    for (size_t i = 0; i < self->shown.count; i++)
        short_names_free(&names[i]);
    return done;
}

static void unfold_column(struct maker *self, const member_list *members, size_t at,
                          struct view word)
{
    struct column folded = self->columns.items[at];
    size_t behind = self->columns.count - at - 1;
    array_reserve(&self->columns, members->count);
    struct column *columns = self->columns.items + at;
    memmove(columns + members->count, columns + 1, behind * sizeof *columns);
    self->columns.count = at + members->count + behind;
    for (size_t i = 0; i < members->count; i++) {
        struct text name = {0}, heading = {0};
        text_format(&name, "%.*s_%s", (int)word.length, word.bytes, members->items[i].name);
        text_format(&heading, "%.*s: %s", (int)word.length, word.bytes, members->items[i].name);
        for (char *letter = name.items; *letter; letter++)
            *letter = *letter == ' ' ? '_' : *letter;
        columns[i] = folded;
        columns[i].form = members->items[i].form;
        columns[i].type = CELL_NULL; /* members are of any */
        columns[i].name = name.items;
        columns[i].heading = heading.items;
    }
}

/* Puts the members of a column of objects in its place; rows and columns are ours afterwards. */
static void unfold(struct maker *self, size_t at, size_t by)
{
    column_list folded = self->columns;
    struct result unfolded = {0};
    member_list members = {0};
    self->columns = (column_list){0};
    array_reserve(&self->columns, folded.count + 1);
    for (size_t i = 0; i < folded.count; i++)
        self->columns.items[self->columns.count++] = folded.items[i];

    /* Copies a table with the members of `column` in its place. */
    const struct result *from = &self->result;
    bool compat = self->options->compat;
    struct literals values = {0};
    struct text scratch = {0};
    find_all_members(from, at, by, &values, &members);
    for (size_t i = 0; i < members.count; i++) {
        struct member *member = &members.items[i];
        bool is_truth = member->any_truth && !member->any_text && !member->any_list &&
                        !member->any_whole && !member->any_real;
        bool is_list = member->any_list && !member->any_text && !member->any_truth;
        bool is_plain = like_reference(compat, "rooflines: parameters");
        member->form = is_plain           ? FORM_PLAIN
                       : is_truth         ? FORM_BOOLEAN
                       : is_list          ? FORM_LIST
                       : member->any_list ? FORM_ARRAY
                                          : FORM_PLAIN;
    }
    size_t width = from->column_count - 1 + members.count;
    struct cell *cells = memory_zeroed(from->column_count + 1, sizeof *cells);
    struct cell *row = memory_zeroed(width + 1, sizeof *row);
    int *places = memory_zeroed(members.count + 1, sizeof *places);
    struct result_cursor cursor = {0};
    result_init(&unfolded, width);
    while (result_next(from, &cursor, cells)) {
        literal_clear(&values);
        text_clear(&scratch);
        int root =
            cells[at].type == CELL_TEXT ? literal_read(&values, cells[at].text) : LITERAL_NONE;
        text_add(&scratch, "", 0);
        memcpy(row, cells, at * sizeof *row);
        for (size_t i = 0; i < members.count; i++) {
            places[i] = literal_member(&values, root, members.items[i].name);
            make_cell(&members.items[i], &values, places[i], (size_t)from->rows, compat, &scratch,
                      &row[at + i]);
        }
        settle_texts(&values, places, members.count, &scratch, row + at);
        memcpy(row + at + members.count, cells + at + 1,
               (from->column_count - at - 1) * sizeof *row);
        result_add(&unfolded, row);
    }
    unfold_column(self, &members, at, self->layout.unfold_word);
    self->result = unfolded;
}

/* True if the column that answers what the report is asked for says nothing. */
static bool is_unanswered(const struct maker *self, struct view name)
{
    size_t column = name.length ? report_column(self, name) : SIZE_MAX;
    struct result_cursor cursor = {0};
    struct cell *cells =
        column == SIZE_MAX ? NULL : memory_zeroed(self->columns.count + 1, sizeof *cells);
    bool is_empty = cells && self->result.rows && !self->rest;
    while (is_empty && result_next(&self->result, &cursor, cells))
        is_empty = cells[column].type == CELL_NULL && !cells[column].is_abstained;
    return is_empty;
}

/* The timeline says what was cut to the selected windows. */
static bool find_window(struct maker *self)
{
    if (self->window || self->by_step || strcmp(self->report->name, "gpu_timeline") != 0)
        return true;
    struct asked row;
    const char *window;
    asked_open(&row, self->warehouse->db, window_words);
    if (ASKED_ROW(&row, &window))
        self->window = memory_text(window);
    return asked_done(&row, self->warehouse->path, self->error);
}

/* Adds the notes of the sheet for a value: its rest, and why it is empty. */
static bool add_notes(struct maker *self, const char *value)
{
    bool done = report_notes_add(self->options->notes, self->warehouse, &self->layout, value,
                                 &self->notes, self->error);
    /* Counts and times of what is not included may have no basis either. */
    static const char name[] = "not_included";
    bool no_count = abstentions_touch(self->options->abstentions, name, "count");
    bool no_time = abstentions_touch(self->options->abstentions, name, "time_ns");
    for (size_t i = 0; i < self->notes.count; i++) {
        self->notes.items[i].count = no_count ? -1 : self->notes.items[i].count;
        self->notes.items[i].time_ns = no_time ? -1 : self->notes.items[i].time_ns;
    }
    if (!done || !find_window(self))
        return false;
    if (self->unlisted.what)
        array_add(&self->notes, self->unlisted);

    /* Why there are no rows, or no answers, and what it is in a word. */
    const char *answers = self->layout.answers; /* COLUMN: REASON, ... */
    struct view column = {answers, answers ? strcspn(answers, ":") : 0}, reason = VIEW("");
    if (!self->result.rows)
        done = report_notes_why(self->warehouse, &self->layout, &self->why_empty, &reason,
                                self->error);
    else if (answers && is_unanswered(self, column))
        done = report_notes_unanswered(self->warehouse, answers + column.length + 1,
                                       &self->unanswered, &reason, self->error);
    return done && (!reason.length || views_row(self->warehouse->db, "empty_reason", "code", reason,
                                                &self->why_code, self->error));
}

/* ------------------------------------------------------------------ for whom it is */

/* The outputs that want to know where rows are from get the sheet, or the others. */
static bool send_to(const struct maker *self, const char *name, bool says_where)
{
    struct maker alike = *self;
    struct sink **sinks = memory_zeroed(self->sink_count + 1, sizeof *sinks);
    bool done = true;
    alike.sinks = sinks;
    alike.sink_count = 0;
    alike.says_where = says_where;
    alike.shown.items = NULL;
    alike.shown.count = alike.shown.room = 0;
    for (size_t i = 0; i < self->sink_count; i++)
        if (self->sinks[i]->says_where == says_where)
            sinks[alike.sink_count++] = self->sinks[i];
    if (alike.sink_count) {
        /* Hands the sheet to the outputs in hand, which all want the same of it. */
        const struct layout *layout = &alike.layout;
        size_t at = report_column(&alike, layout->unfold),
               by = report_column(&alike, layout->unfold_order);
        bool unfolds = layout->unfold.length && at != SIZE_MAX && by != SIZE_MAX;
        alike.is_bare = is_bare(&alike);
        if (unfolds)
            unfold(&alike, at, by);
        for (size_t i = 0; i < alike.columns.count; i++) {
            const struct result_column *filled = &alike.result.columns.items[i];
            alike.columns.items[i].is_number = filled->any && filled->is_number;
            alike.columns.items[i].width = filled->width;
            if (!is_left_out(&alike, i))
                array_add(&alike.shown, i);
        }

        /* Remembers the name of a sheet that an output leaves out. */
        bool is_omitted = false;
        for (size_t i = 0; i < alike.sink_count; i++)
            is_omitted |= alike.sinks[i]->is_terminal && !takes(&alike, alike.sinks[i]);
        done = !is_omitted || !alike.is_bare ||
               report_notes_add_bare(alike.options->notes, alike.warehouse, &alike.layout, name,
                                     alike.error);
        done = done && send_columns(&alike, name);
        if (unfolds)
            result_free(&alike.result);
    }
    return done;
}

/* All rows of the table as one sheet. */
bool report_send_sheet(struct maker *self, const char *name, const char *value)
{
    if (wants(self).has_notes && !add_notes(self, value))
        return false;
    bool done = send_to(self, name, false) && send_to(self, name, true);
    *self->sheets += done;
    return done;
}
