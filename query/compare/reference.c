/* reference: Rows of reference_comparison are taken in order; the sheets of a report stay in memory
 * for all rows in a row that need them. A missing sheet is an error only if the user named it.
 * Beside a run, lists from files are read as JSON, so that keys of both are the same text. */
#include "query/compare/reference.h"

#include "query/compare/reference_join.h"
#include "query/compare/sheet_files.h"
#include "query/report/report.h"
#include "query/select/selection.h"

#include <stdlib.h>
#include <string.h>

struct comparer {
    struct side *sides;
    size_t side_count;
    const struct reference_options *options;
    struct kept_sheets *kept; /* of each side, what its report gave */
    char *report;             /* whose sheets those are */
    struct error *error;
};

/* ------------------------------------------------------------------ reports */

static bool select_side(struct side *side, const struct selection *common, struct error *error)
{
    const char **runs = memory_zeroed(side->runs.count + 1, sizeof *runs);
    struct text words = {0};
    bool is_empty, done = true;
    for (size_t i = 0; i < side->runs.count; i++)
        runs[i] = side->runs.items[i];
    struct selection selection = *common;
    selection.runs = runs;
    selection.is_part = true;
    if (side->traces.count) {
        selection.traces = side->traces.items;
        selection.trace_count = side->traces.count;
    }
    done = selection_apply(side->warehouse, &selection, &is_empty, &words, error);
    text_free(&words);
    memory_free(runs);
    return done;
}

static void forget(struct comparer *self)
{
    for (size_t i = 0; i < self->side_count; i++) {
        kept_sheets_free(&self->kept[i]);
        kept_sheets_init(&self->kept[i]);
    }
    memory_free(self->report);
    self->report = NULL;
}

/* Makes a report of each side, unless it is the one that is there. */
static bool make_report(struct comparer *self, const char *set, const char *name)
{
    if (self->report && strcmp(self->report, name) == 0)
        return true;
    forget(self);
    const struct doc_object *report = docs_find(self->options->docs, name);
    struct report_options options = {.set = set, .compat = true};
    self->report = memory_text(name);
    bool done = true;
    for (size_t i = 0; i < self->side_count && done; i++) {
        struct sink *sink = &self->kept[i].base;
        size_t sheets = 0;
        if (self->sides[i].sheets)
            continue;
        done = select_side(&self->sides[i], self->options->selection, self->error);
        done = done && report_make(self->sides[i].warehouse, report, &options, false, &sink, 1,
                                   &sheets, self->error);
    }
    return done;
}

/* ------------------------------------------------------------------ sheets */

static const char *text_at(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

/* The place of a part among those that are asked for by name, from 1; 0: it is not. */
static size_t place_named(const struct comparer *self, const char *part)
{
    const char *const *wanted = self->options->parts;
    for (size_t i = 0; wanted && wanted[i]; i++)
        if (strcmp(wanted[i], part) == 0)
            return i + 1;
    return 0;
}

static bool is_named(const struct comparer *self, const char *part)
{
    return place_named(self, part) != 0;
}

/* A sheet that a side has not is skipped, but not one that was named: parts of one sheet are. */
static bool leave_out(struct comparer *self, const char *part, const char *sheet, const char *side)
{
    if (strcmp(part, sheet) == 0 && is_named(self, part))
        return error_set(self->error, STATUS_BAD_INPUT, "%s has no sheet named '%s'", side, sheet);
    text_format(self->options->remarks, "%s is skipped: %s has no such sheet\n", sheet, side);
    return true;
}

/* The sheet of a side; NULL where it has none, or one whose rows are told apart by other words. */
static const struct kept_sheet *sheet_of(const struct comparer *self, size_t side, const char *name,
                                         const char *keys)
{
    const struct kept_sheets *sheets = self->sides[side].sheets;
    const struct kept_sheet *found = kept_sheets_find(sheets ? sheets : &self->kept[side], name);
    const struct view first = {keys, strcspn(keys, "|")};
    for (size_t i = 0; found && i < found->columns.count; i++)
        if (view_equal(first, view_of(found->columns.items[i].heading)))
            return found->rows.rows ? found : NULL;
    return NULL;
}

/* The form that reports of runs have for a column; FORM_PLAIN where no side is a run. */
static enum column_form form_of(const struct kept_sheet *const *tables, size_t count,
                                const struct side *sides, const char *heading)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; !sides[i].sheets && j < tables[i]->columns.count; j++)
            if (strcmp(tables[i]->columns.items[j].heading, heading) == 0)
                return tables[i]->columns.items[j].form;
    return FORM_PLAIN;
}

static bool take_form(struct comparer *self, const struct kept_sheet **tables, size_t side)
{
    struct sink *sink = &self->kept[side].base;
    const struct kept_sheet *from = tables[side];
    const struct sheet sheet = {
        .name = from->name, .columns = from->columns.items, .column_count = from->columns.count};
    if (!sink->begin(sink, &sheet, self->error))
        return false;
    struct kept_sheet *to = &self->kept[side].sheets.items[self->kept[side].sheets.count - 1];
    for (size_t i = 0; i < to->columns.count; i++)
        to->columns.items[i].form =
            form_of(tables, self->side_count, self->sides, to->columns.items[i].heading);
    tables[side] = to;

    /* Takes a sheet of a file over, its lists as JSON, which those of reports are. */
    size_t width = from->columns.count;
    struct cell *cells = memory_zeroed(width + 1, sizeof *cells);
    struct text *lists = memory_zeroed(width + 1, sizeof *lists);
    struct result_cursor cursor = {0};
    while (result_next(&from->rows, &cursor, cells)) {
        for (size_t i = 0; i < width; i++) {
            text_clear(&lists[i]);
            enum column_form form = to->columns.items[i].form;
            if ((form == FORM_TUPLE || form == FORM_LIST) && cells[i].type == CELL_TEXT &&
                sheet_rows_json(cells[i].text, &lists[i]))
                cells[i].text = text_view(&lists[i]);
        }
        result_add(&to->rows, cells);
    }
    for (size_t i = 0; i < width; i++)
        text_free(&lists[i]);
    memory_free(lists);
    memory_free(cells);
    return true;
}

/* Sheets of files have lists as Python writes them; beside a run they are read. */
static bool take_forms(struct comparer *self, const struct kept_sheet **tables)
{
    bool has_run = false, done = true;
    for (size_t i = 0; i < self->side_count; i++)
        has_run |= !self->sides[i].sheets;
    for (size_t i = 0; i < self->side_count && has_run && done; i++)
        done = !self->sides[i].sheets || take_form(self, tables, i);
    return done;
}

static bool compare_sheet(struct comparer *self, sqlite3_stmt *row)
{
    struct join_rule rule = {
        .result = text_at(row, 3),
        .keys = text_at(row, 4),
        .metrics = text_at(row, 5),
        .dropped = text_at(row, 6),
        .dropped_later = text_at(row, 7),
        .is_parted = sqlite3_column_int(row, 8) != 0,
        .hidden = text_at(row, 9),
    };
    const char *sheet = text_at(row, 2);
    const char *part = text_at(row, 0);
    const char *const *parts = self->options->parts;
    if (parts && *parts && !is_named(self, "all") && !is_named(self, part))
        return true;
    if (!make_report(self, text_at(row, 10), text_at(row, 1)))
        return false;
    const struct kept_sheet **tables = memory_zeroed(self->side_count, sizeof *tables);
    const char **names = memory_zeroed(self->side_count, sizeof *names);
    bool done = true;
    for (size_t i = 0; done && i < self->side_count; i++) {
        names[i] = self->sides[i].name;
        tables[i] = sheet_of(self, i, sheet, rule.keys);
        if (tables[i])
            continue;
        done = leave_out(self, text_at(row, 0), sheet, names[i]);
        goto end;
    }
    if (done)
        done = take_forms(self, tables);
    done = done && join_send(&rule, tables, names, self->side_count, self->options->sinks,
                             self->options->sink_count, self->error);
end:
    memory_free(tables);
    memory_free(names);
    return done;
}

/* Makes all sheets, in their order. */
static bool compare_sheets(struct comparer *self, bool *seen)
{
    static const char sql[] =
        "SELECT part, report, sheet, result, keys, metrics, dropped, dropped_later, is_parted, "
        "hidden, report_set FROM reference_comparison WHERE report_set = "
        "CASE WHEN ?1 IN (SELECT report_set FROM reference_comparison) THEN ?1 ELSE 'pytorch' END";
    struct warehouse *warehouse = self->sides[0].warehouse;
    sqlite3_stmt *row = warehouse_prepare(warehouse, sql, self->error);
    bool done = row != NULL;
    int result = SQLITE_DONE;
    sqlite3_bind_text(row, 1, self->options->set, -1, SQLITE_STATIC);
    while (done && (result = sqlite3_step(row)) == SQLITE_ROW) {
        size_t place = place_named(self, text_at(row, 0));
        if (place)
            seen[place - 1] = true;
        done = compare_sheet(self, row);
    }
    if (done && result != SQLITE_DONE)
        done = warehouse_error(warehouse, self->error);
    database_finalize(row);
    if (!done)
        return false;

    /* A part that is asked for by name, and that reports of this set have not. */
    const char *const *parts = self->options->parts;
    for (size_t i = 0; parts && parts[i]; i++)
        if (!seen[i] && strcmp(parts[i], "all") != 0)
            return error_set(self->error, STATUS_BAD_INPUT, "%s has no sheet named '%s'",
                             self->sides[0].name, parts[i]);
    return true;
}

bool reference_compare(struct side *sides, size_t side_count,
                       const struct reference_options *options, struct error *error)
{
    struct comparer self = {
        .sides = sides, .side_count = side_count, .options = options, .error = error};
    size_t parts = 0;
    while (options->parts && options->parts[parts])
        parts++;
    bool *seen = memory_zeroed(parts + 1, sizeof *seen);
    self.kept = memory_zeroed(side_count, sizeof *self.kept);
    for (size_t i = 0; i < side_count; i++)
        kept_sheets_init(&self.kept[i]);
    bool done = compare_sheets(&self, seen);
    forget(&self);
    for (size_t i = 0; i < side_count; i++)
        kept_sheets_free(&self.kept[i]);
    memory_free(self.kept);
    memory_free(seen);
    return done;
}
