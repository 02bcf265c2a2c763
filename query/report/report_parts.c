/* report_parts: the sheets of a report that has one for each value of a column (report.h). */
#include "query/report/report_maker.h"
#include "sql/asked.h"

#include <string.h>
#include <strings.h>

/* The rows of one sheet of many: from `first` on as many as have the value. */
struct part {
    struct cell value;
    struct result_cursor first;
    int64_t rows;
};

typedef ARRAY(struct part) part_list;

static void copy_columns(struct maker *self, const column_list *columns, const char *value)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = array_push(&self->columns);
        *column = columns->items[i];
        if (strstr(column->heading, "{}"))
            column->heading = report_put_value(column->heading, value, "");
    }
}

static bool is_wanted(const struct maker *self, const char *name)
{
    if (!self->options->only)
        return true;
    for (const char *const *only = self->options->only; *only; only++)
        if (strcasecmp(*only, name) == 0)
            return true;
    return false;
}

/* A sheet of its own; its name is that of its value where `name` is empty. */
static bool send_part(struct maker *self, size_t column, const struct part *part, struct view name)
{
    struct maker sheet = *self;
    struct text value = {0};
    sheet.result = (struct result){0};
    sheet.columns = (column_list){0};
    sheet.notes = (sheet_note_list){0};
    sheet.why_empty = sheet.unanswered = sheet.why_code = NULL;
    text_add(&value, "", 0);
    cell_add_text(&part->value, FORM_PLAIN, &value);

    struct cell *cells = memory_zeroed(self->columns.count + 1, sizeof *cells);
    struct result_cursor cursor = part->first;
    result_init(&sheet.result, self->columns.count);
    for (int64_t left = part->rows; left && result_next(&self->result, &cursor, cells);)
        if (cell_is_same(&cells[column], &part->value)) {
            result_add(&sheet.result, cells);
            left--;
        }
    copy_columns(&sheet, &self->columns, value.items);
    bool done = true;
    if (report_is_in_part(self->report, self->options->part, text_view(&value))) {
        const char *called = name.length ? memory_part(name.bytes, name.length)
                                         : report_sheet_name(&sheet, value.items);
        if (is_wanted(self, called))
            done = report_send_sheet(&sheet, called, value.items);
    }
    result_free(&sheet.result);
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

/* Tells of the rows that are on no sheet. */
static void remark(struct maker *self, size_t by, const char *list)
{
    struct cell *cells = memory_zeroed(self->columns.count + 1, sizeof *cells);
    double *sums = memory_zeroed(self->columns.count + 1, sizeof *sums);
    struct result_cursor cursor = {0};
    struct text what = {0}; /* the value that they have in common */
    size_t rows = 0;
    text_add(&what, "", 0);
    while (result_next(&self->result, &cursor, cells)) {
        if (is_listed(list, &cells[by]))
            continue;
        bool is_text = cells[by].type == CELL_TEXT;
        if (rows++ == 0 && is_text)
            text_add_view(&what, cells[by].text);
        if (!is_text || !view_equal(cells[by].text, text_view(&what)))
            text_clear(&what);
        for (size_t i = 0; i < self->columns.count; i++)
            sums[i] += cell_number(&cells[i], 0);
    }
    if (rows) {
        /* Notes the rows that are on no sheet, and their sum of the first column with a time. */
        struct text words = {0};
        text_format(&words, "rows on no sheet%s%s", *what.items ? ", all " : "", what.items);
        self->unlisted = (struct sheet_note){words.items, (int64_t)rows, -1};
        for (size_t i = 0; i < self->columns.count; i++) {
            const struct column *column = &self->columns.items[i];
            double unit = strcmp(column->unit, "us") == 0   ? 1e3
                          : strcmp(column->unit, "ms") == 0 ? 1e6
                                                            : 0;
            if (unit > 0 && self->unlisted.time_ns < 0 && sums[i] < 1e12 &&
                layout_column(&self->layout, column->name)->is_summed)
                self->unlisted.time_ns = (int64_t)(sums[i] * unit + 0.5);
        }

        /* A line about them for those who read no notes. */
        struct text *remarks = self->options->remarks;
        if (remarks)
            text_format(remarks, "%s: rows that are on no sheet%s%s: %zu", self->report->name,
                        *what.items ? ", all " : "", what.items, rows);
        for (size_t i = 0; remarks && i < self->columns.count; i++)
            if (layout_column(&self->layout, self->columns.items[i].name)->is_summed)
                text_format(remarks, ", %s %.10g", self->columns.items[i].heading, sums[i]);
        if (remarks)
            text_add_byte(remarks, '\n');
    }
}

/* The sheets that are declared; without rows only where empty ones are kept. */
static bool send_listed(struct maker *self, size_t column, const part_list *parts, const char *list)
{
    bool done = true;
    if (!self->options->only)
        remark(self, column, list);
    const char *at = list;
    struct view value, name;
    while (done && next_sheet(&at, &value, &name)) {
        struct part part = {.value = {.type = CELL_TEXT, .text = value}};
        for (size_t i = 0; i < parts->count; i++)
            if (cell_is_same(&parts->items[i].value, &part.value))
                part = parts->items[i];
        if (part.rows || report_keeps_empty(self))
            done = send_part(self, column, &part, name);
    }
    return done;
}

/* A sheet for each value that there is. */
static bool send_all(struct maker *self, size_t column, const part_list *parts)
{
    if (parts->count > 1 && self->options->one_sheet && !self->options->only)
        return error_set(self->error, STATUS_USAGE,
                         "%s: one CSV takes one sheet, and there are %zu; name a directory",
                         self->report->name, parts->count);
    if (parts->count == 0)
        return report_send_sheet(self, report_sheet_name(self, NULL), NULL);
    bool done = true;
    for (size_t i = 0; i < parts->count && done; i++)
        done = send_part(self, column, &parts->items[i], (struct view){0});
    return done;
}

bool report_send_parts(struct maker *self)
{
    size_t column = report_column(self, view_of(self->layout.sheet_by));
    const char *list = self->layout.sheets;
    part_list parts = {0};
    if (list && self->options->one_sheet && !self->options->only)
        return report_send_sheet(self, report_sheet_name(self, NULL), NULL);

    /* One part for each value of the column, in the order in which values first occur. */
    struct cell *cells = memory_zeroed(self->columns.count + 1, sizeof *cells);
    struct result_cursor cursor = {0}, at = {0};
    for (; result_next(&self->result, &cursor, cells); at = cursor) {
        size_t i = parts.count; /* most rows belong to the part before */
        while (i && !cell_is_same(&parts.items[i - 1].value, &cells[column]))
            i--;
        if (!i) {
            array_add(&parts, (struct part){.value = cells[column], .first = at});
            i = parts.count;
        }
        parts.items[i - 1].rows++;
    }
    return list ? send_listed(self, column, &parts, list) : send_all(self, column, &parts);
}

/* ------------------------------------------------------------------ which there are */

bool report_may_have_sheet(const struct doc_object *report, const char *name)
{
    const char *sheet = docs_declared(report, "sheet"), *list = docs_declared(report, "sheets");
    struct view value, declared;
    if (!docs_declared(report, "sheet-by"))
        return false;
    while (list && next_sheet(&list, &value, &declared))
        if (view_equal_ignoring_case(declared, view_of(name)))
            return true;
    const char *hole = sheet ? strstr(sheet, "{}") : NULL;
    size_t before = hole ? (size_t)(hole - sheet) : 0, length = strlen(name);
    size_t after = hole ? strlen(hole + 2) : 0;
    return !docs_declared(report, "sheets") &&
           (!hole || (length > before + after && strncasecmp(name, sheet, before) == 0 &&
                      strcasecmp(name + length - after, hole + 2) == 0));
}

bool report_has_sheet(struct warehouse *warehouse, const struct doc_object *report,
                      const struct report_options *options, const char *name, bool *has,
                      struct error *error)
{
    struct maker self = {
        .warehouse = warehouse, .report = report, .options = options, .error = error};
    *has = docs_declared(report, "sheets") && report_may_have_sheet(report, name);
    if (*has || !report_may_have_sheet(report, name))
        return true;
    if (!layout_read(&self.layout, report, error))
        return false;
    struct asked values;
    const char *value;
    asked_open(
        &values, warehouse->db,
        database_format("SELECT DISTINCT \"%w\" FROM \"%w\"", self.layout.sheet_by, report->name));
    while (!*has && ASKED_ROW(&values, &value))
        *has = strcasecmp(report_sheet_name(&self, value), name) == 0;
    return asked_done(&values, warehouse->path, error);
}

bool report_knows_sheet(struct warehouse *warehouse, const doc_list *docs, const char *name,
                        bool *knows, struct error *error)
{
    bool done = true;
    *knows = false;
    for (size_t i = 0; i < docs->count && done && !*knows; i++) {
        const char *names = docs_declared(&docs->items[i], "sheet-names");
        int64_t found = 0;
        if (names)
            done = warehouse_ask_about(warehouse,
                                       database_format("WITH sheet(name) AS (%s) SELECT 1 FROM "
                                                       "sheet WHERE name = ?1 COLLATE NOCASE LIMIT "
                                                       "1",
                                                       names),
                                       name, &found, error);
        *knows = found != 0;
    }
    return done;
}
