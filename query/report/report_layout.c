/* report_layout: columns, values, names and rows of a report, as the files that make its sheets
 * share them (report_maker.h); and a column for each value of a key, as `spread` declares it. */
#include "query/report/report_maker.h"
#include "sql/database.h"
#include "sql/warehouse/catalog.h"
#include "src/base/deviation.h"

#include <string.h>

size_t report_column(const struct maker *self, struct view name)
{
    for (size_t i = 0; i < self->columns.count; i++)
        if (view_equal_ignoring_case(view_of(self->columns.items[i].name), name))
            return i;
    return SIZE_MAX;
}

char *report_put_value(const char *heading, const char *value, const char *between)
{
    const char *at = strstr(heading, "{}");
    struct text text = {0};
    if (at)
        text_format(&text, "%.*s%s%s", (int)(at - heading), heading, value, at + 2);
    else
        text_format(&text, "%s%s%s", heading, between, value);
    return text.items;
}

bool report_keeps_empty(const struct maker *self)
{
    const char *kept = self->layout.keep_empty;
    return kept &&
           (strcmp(kept, "yes") == 0 || report_is_met(view_of(kept), self->warehouse->context));
}

const char *report_sheet_name(struct maker *self, const char *value)
{
    const char *sheet = catalog_sheet(self->report, self->options->set);
    const char *alias = self->layout.alias;
    if (self->options->legacy_sheet_names && alias)
        return memory_part(alias, strcspn(alias, ", "));
    if (value && *value) /* an empty one is that of the report */
        return sheet && strstr(sheet, "{}") ? report_put_value(sheet, value, "")
                                            : memory_text(value);
    return sheet && !strstr(sheet, "{}") ? sheet : self->report->name;
}

int64_t report_count_row(struct maker *self, const struct cell *cells)
{
    const size_t columns[] = {report_column(self, VIEW("run")),
                              report_column(self, VIEW("trace_id"))};
    struct text name = {0};
    text_add(&name, "", 0);
    for (int i = 0; i < 2; i++) {
        if (columns[i] != SIZE_MAX)
            cell_add_text(&cells[columns[i]], FORM_PLAIN, &name);
        text_add_byte(&name, '\n');
    }
    uint32_t number = intern_add(&self->traces, name.items, name.count);
    text_free(&name);
    if (number > self->trace_rows.count)
        array_add(&self->trace_rows, 0);
    return ++self->trace_rows.items[number - 1];
}

void report_abstain(struct maker *self, struct cell *cells)
{
    if (self->abstained.count)
        abstain(self->options->abstentions, &self->abstained, self->columns.items,
                self->columns.count, cells);
}

const char *report_decimals(const struct warehouse *warehouse, const struct doc_column *column)
{
    bool compat = context_get(warehouse->context, "compat");
    return column && like_reference(compat, "reports: decimals") ? column->decimals : "";
}

/* The columns of the report in a SELECT. */
static char *list_columns(struct maker *self)
{
    const doc_columns *docs = docs_columns(self->report);
    bool is_rounded = false;
    for (size_t i = 0; i < docs->count; i++)
        is_rounded |= *report_decimals(self->warehouse, &docs->items[i]) != 0;
    if (!is_rounded)
        return memory_text("*");
    char *sql = database_format("SELECT * FROM \"%w\"", self->report->name);
    sqlite3_stmt *all = warehouse_prepare(self->warehouse, sql, self->error);
    memory_free(sql);
    struct text columns = {0};
    for (int i = 0; i < sqlite3_column_count(all); i++) {
        const char *name = sqlite3_column_name(all, i);
        const struct doc_column *doc = docs_column(self->report, name);
        char *column = doc && *doc->decimals ? database_format("round(\"%w\", %s) AS \"%w\"", name,
                                                               doc->decimals, name)
                                             : database_format("\"%w\"", name);
        text_format(&columns, "%s%s", i ? ", " : "", column);
        memory_free(column);
    }
    database_finalize(all);
    return columns.items;
}

sqlite3_stmt *report_rows(struct maker *self, const char *view)
{
    const struct layout *layout = &self->layout;
    bool is_report = strcmp(view, self->report->name) == 0;
    bool is_first = self->options->first && is_report;
    const char *by = is_first && layout->first ? strchr(layout->first, ' ') : NULL;
    struct text order = {0};
    if (by)
        text_format(&order, " ORDER BY \"%s\" DESC", by + 1);
    else if (is_first && layout->first_over) /* rows that become one come together */
        text_format(&order, " ORDER BY run, row_number() OVER (PARTITION BY run, trace_id, \"%s\")",
                    layout->first_over);
    if (self->options->rows && (self->one_trace || self->by_step))
        text_format(&order, " LIMIT %ld", self->options->rows);
    char *columns = is_report ? list_columns(self) : memory_text("*"), *sql = NULL;
    if (columns)
        sql = database_format("SELECT %s FROM \"%w\"%s", columns, view,
                              order.items ? order.items : "");
    sqlite3_stmt *rows = sql ? warehouse_prepare(self->warehouse, sql, self->error) : NULL;
    if (!rows)
        error_context(self->error, "report %s", self->report->name);
    return rows;
}

/* ------------------------------------------------------------------ spread */

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
    size_t place;
    ARRAY_LOWER_BOUND(place, list->count, compare_cells(&list->items[place], cell) < 0);
    return place;
}

static char *spread_word(const char *word, const struct cell *value, const char *between)
{
    struct text text = {0};
    cell_add_text(value, FORM_PLAIN, &text);
    return report_put_value(word, text.items ? text.items : "", between);
}

/* A column of the long table, spread. */
struct spreading {
    bool is_spread;
    bool goes_on;         /* stands beside the one before, value for value */
    size_t first, stride; /* of its places in the wide table */
};

static void report_layout_add_column(struct maker *self, const struct column *old,
                                     const struct cell *value)
{
    struct column *column = array_push(&self->columns);
    *column = *old;
    if (value) {
        column->name = spread_word(old->name, value, "_");
        column->heading = spread_word(old->heading, value, " ");
        column->stem = old->name;
        column->of = spread_word(self->layout.spread_over, value, " ");
    }
}

/* Rows with the same key come together in the view; each such group becomes one row. */
static void spread_rows(struct maker *self, struct result *wide, const struct spreading *spreading,
                        size_t over, const cell_list *values)
{
    size_t count = self->result.column_count;
    struct cell *cells = memory_zeroed(count + 1, sizeof *cells);
    struct cell *row = memory_zeroed(self->columns.count + 1, sizeof *row);
    struct result_cursor cursor = {0};
    bool started = false;
    while (result_next(&self->result, &cursor, cells)) {
        bool same = started;
        for (size_t i = 0; i < count && same; i++)
            same = i == over || spreading[i].is_spread ||
                   cell_is_same(&row[spreading[i].first], &cells[i]);
        if (!same) {
            if (started)
                result_add(wide, row);
            memset(row, 0, self->columns.count * sizeof *row);
            started = true;
        }
        size_t place = place_of(values, &cells[over]);
        for (size_t i = 0; i < count; i++)
            if (i != over)
                row[spreading[i].first +
                    (spreading[i].is_spread ? place * spreading[i].stride : 0)] = cells[i];
    }
    if (started)
        result_add(wide, row);
}

void report_spread(struct maker *self)
{
    if (!self->layout.spread_over)
        return;
    size_t over = report_column(self, view_of(self->layout.spread_over));
    struct spreading *spreading = memory_zeroed(self->columns.count + 1, sizeof *spreading);
    cell_list values = {0};
    struct result wide = {0};

    /* The distinct values of a column, sorted; their texts stay in the table. */
    struct cell *cells = memory_zeroed(self->columns.count + 1, sizeof *cells);
    struct result_cursor cursor = {0};
    while (result_next(&self->result, &cursor, cells)) {
        size_t at = place_of(&values, &cells[over]);
        if (at < values.count && cell_is_same(&values.items[at], &cells[over]))
            continue;
        array_push(&values);
        memmove(values.items + at + 1, values.items + at,
                (values.count - 1 - at) * sizeof *values.items);
        values.items[at] = cells[over];
    }
    if (self->options->first && self->layout.first_over && values.count < 2)
        return;

    /* Columns that + joins must follow each other. */
    for (size_t i = 0; i < self->columns.count; i++) {
        const struct layout_column *column =
            layout_column(&self->layout, self->columns.items[i].name);
        spreading[i].is_spread = column->is_spread;
        spreading[i].goes_on =
            i && column->beside.length &&
            view_equal_ignoring_case(column->beside, view_of(self->columns.items[i - 1].name));
    }

    /* Makes the columns of the wide table out of those of the long one. */
    struct column *old = self->columns.items;
    size_t count = self->columns.count, beside;
    self->columns.items = NULL;
    self->columns.count = self->columns.room = 0;
    for (size_t i = 0; i < count; i += beside) {
        beside = 1;
        while (i + beside < count && spreading[i + beside].goes_on)
            beside++;
        for (size_t j = i; j < i + beside; j++) {
            spreading[j].first = self->columns.count + j - i;
            spreading[j].stride = beside;
        }
        if (!spreading[i].is_spread && i != over)
            report_layout_add_column(self, &old[i], NULL);
        for (size_t k = 0; spreading[i].is_spread && k < values.count; k++)
            for (size_t j = i; j < i + beside; j++)
                report_layout_add_column(self, &old[j], &values.items[k]);
    }
    result_init(&wide, self->columns.count);
    spread_rows(self, &wide, spreading, over, &values);
    result_free(&self->result);
    self->result = wide;
}
