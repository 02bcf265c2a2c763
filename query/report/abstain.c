/* abstain: Rows of health_abstains are grouped as they come: one abstention for each check, report,
 * column and rows. Patterns are matched to the columns of a sheet once; each row then finds its own
 * by trace, or by run and rank. Only abstentions that met a figure are told. */
#include "query/report/abstain.h"

#include "sql/asked.h"

#include <stdlib.h>
#include <string.h>

static const char question[] =
    "SELECT \"check\", report, column, rows, reason, trace_id, run, rank FROM health_abstains "
    "ORDER BY position, \"check\", report, column, rows, trace_id";

static bool has_run(const struct abstention *self, struct view run)
{
    for (size_t i = self->runs.count; i; i--)
        if (view_equal(view_of(self->runs.items[i - 1]), run))
            return true;
    return false;
}

bool abstentions_read(struct abstentions *self, struct warehouse *warehouse, struct error *error)
{
    struct asked rows;
    const char *check, *report, *column, *of, *reason, *run;
    int64_t trace, rank;
    asked_open(&rows, warehouse->db, question);
    while (ASKED_ROW(&rows, &check, &report, &column, &of, &reason, &trace, &run, OR_NONE(&rank))) {
        /* Rows of one abstention follow each other. */
        size_t count = self->list.count;
        struct abstention *last = count ? &self->list.items[count - 1] : NULL;
        if (!last || strcmp(last->check, check) != 0 || strcmp(last->report, report) != 0 ||
            strcmp(last->column, column) != 0 || strcmp(last->rows, of) != 0) {
            last = array_push(&self->list);
            *last = (struct abstention){.check = memory_text(check),
                                        .report = memory_text(report),
                                        .column = memory_text(column),
                                        .rows = memory_text(of),
                                        .reason = memory_text(reason)};
        }
        array_add(&last->traces, trace);
        if (rank != INT64_MIN)
            array_add(&last->ranks, rank);
        if (!has_run(last, view_of(run)))
            array_add(&last->runs, memory_text(run));
    }
    return asked_done(&rows, warehouse->path, error);
}

/* ------------------------------------------------------------------ columns */

/* True if a number measures or counts something; other numbers say what a row is about. */
static bool is_figure(const struct column *column)
{
    static const char *const names[] = {"device", "stream", "rank", "step"};
    bool is_name = column->form != FORM_PLAIN || text_ends_with(column->name, "id") ||
                   VIEW_IS_AMONG(view_of(column->name), names);
    return !is_name && (column->type == CELL_INTEGER || column->type == CELL_REAL);
}

static bool is_touched(const struct abstention *by, const struct column *column)
{
    return !column->is_key && sqlite3_strglob(by->column, column->name) == 0 &&
           (is_figure(column) || strcmp(by->column, column->name) == 0);
}

static size_t find_column(const struct column *columns, size_t count, struct view name)
{
    for (size_t i = 0; i < count; i++)
        if (view_equal(view_of(columns[i].name), name))
            return i;
    return SIZE_MAX;
}

/* A column and a check with several rows in health_touch is told once. */
static bool is_told(const abstained_list *chosen, size_t at)
{
    const struct abstained *one = &chosen->items[at];
    for (size_t i = at; i--;)
        if (chosen->items[i].is_met && chosen->items[i].column == one->column &&
            strcmp(chosen->items[i].by->check, one->by->check) == 0)
            return true;
    return false;
}

void abstentions_choose(const struct abstentions *self, const char *report,
                        const struct column *columns, size_t count, abstained_list *chosen)
{
    for (size_t i = 0; i < self->list.count; i++) {
        const struct abstention *by = &self->list.items[i];
        struct abstained one = {.by = by, .rows_column = SIZE_MAX};
        const char *space = strchr(by->rows, ' ');
        if (space) {
            one.pattern = view_of(space + 1);
            one.rows_column =
                find_column(columns, count, (struct view){by->rows, (size_t)(space - by->rows)});
        }
        if (sqlite3_strglob(by->report, report) != 0 || (space && one.rows_column == SIZE_MAX))
            continue;
        for (one.column = 0; one.column < count; one.column++)
            if (is_touched(by, &columns[one.column]))
                array_add(chosen, one);
    }
}

void abstentions_tell(const struct abstentions *self, const char *report,
                      const struct column *columns, const abstained_list *chosen,
                      struct text *words)
{
    const char *check = "";
    for (size_t i = 0; i < chosen->count; i++) {
        const struct abstained *one = &chosen->items[i];
        if (!one->is_met || is_told(chosen, i))
            continue;
        const struct abstention *by = one->by;
        bool goes_on = strcmp(check, by->check) == 0;
        const char *numbers = strstr(by->reason, " (");
        if (goes_on)
            text_format(words, ", %s", columns[one->column].name);
        else
            text_format(words, "%s%s because of %s%s: %s", words->count ? ". " : "",
                        self->forced ? "Doubtful" : "Empty", by->check, numbers ? numbers : "",
                        columns[one->column].name);

        /* The same as JSON, for an answer that lists all of them. */
        if (self->told) {
            text_add_string(self->told, self->told->count ? ", {\"report\": " : "{\"report\": ");
            text_add_json(self->told, view_of(report));
            text_add_string(self->told, ", \"column\": ");
            text_add_json(self->told, view_of(columns[one->column].name));
            text_add_string(self->told, ", \"check\": ");
            text_add_json(self->told, view_of(by->check));
            text_add_string(self->told, ", \"reason\": ");
            text_add_json(self->told, view_of(by->reason));
            text_add_string(self->told, self->forced ? ", \"forced\": true}" : "}");
        }
        check = by->check;
    }
    if (*check && !self->forced)
        text_add_string(words, ". --force-figures shows them");
}

bool abstentions_touch(const struct abstentions *self, const char *report, const char *column)
{
    bool any = false;
    for (size_t i = 0; self && i < self->list.count && !self->forced; i++) {
        const struct abstention *by = &self->list.items[i];
        any |= !strchr(by->rows, ' ') && sqlite3_strglob(by->report, report) == 0 &&
               sqlite3_strglob(by->column, column) == 0;
    }
    return any;
}

void abstentions_add_sql(const struct abstentions *self, const struct doc_object *report,
                         const char *column, struct text *out)
{
    struct column figure = {.name = column, .type = CELL_REAL};
    const char *keys = docs_declared(report, "key");
    for (struct view key; (key = docs_next_name(&keys)).length;)
        figure.is_key |= view_equal_ignoring_case(key, view_of(column));
    bool any = false;
    for (size_t i = 0; i < self->list.count && !self->forced; i++) {
        const struct abstention *by = &self->list.items[i];
        if (sqlite3_strglob(by->report, report->name) != 0 || !is_touched(by, &figure))
            continue;
        text_add_string(out, any ? " OR " : "CASE WHEN (");

        /* The rows that an abstention is about; all of a report that tells no trace and no run. */
        const char *space = strchr(by->rows, ' ');
        text_add_string(out, "(1");
        if (space)
            text_format(out, " AND \"%.*s\" GLOB ", (int)(space - by->rows), by->rows);
        if (space)
            text_add_string(out, database_format("%Q", space + 1));
        if (docs_column(report, "trace_id"))
            text_add_string(out, " AND trace_id IN (NULL");
        else if (docs_column(report, "run"))
            text_add_string(out, " AND run IN (NULL");
        else
            text_add_string(out, " AND 1 IN (1");
        for (size_t j = 0; j < by->traces.count && docs_column(report, "trace_id"); j++)
            text_format(out, ", %lld", (long long)by->traces.items[j]);
        for (size_t j = 0; j < by->runs.count && !docs_column(report, "trace_id"); j++)
            text_add_string(out, database_format(", %Q", by->runs.items[j]));
        text_add_string(out, "))");
        any = true;
    }
    text_format(out, any ? ") IS NOT TRUE THEN \"%s\" END" : "\"%s\"", column);
}

/* ------------------------------------------------------------------ cells */

static bool has_number(const int64_t *numbers, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Cells that tell where a row is from; NULL: there is none, or it is empty. */
struct row_place {
    const struct cell *trace, *run, *rank;
};

static const struct cell *cell_of(const struct column *columns, size_t count,
                                  const struct cell *cells, struct view name, enum cell_type type)
{
    size_t at = find_column(columns, count, name);
    return at < count && cells[at].type == type ? &cells[at] : NULL;
}

/* When memory is out, a figure is rather empty than wrong. */
static bool is_of_row(const struct abstained *self, const struct row_place *place,
                      const struct cell *cells, struct text *text)
{
    const struct abstention *by = self->by;
    if (self->rows_column != SIZE_MAX &&
        !cell_is_like(&cells[self->rows_column], self->pattern.bytes, text))
        return false;
    if (place->trace) {
        size_t found;
        ARRAY_LOWER_BOUND(found, by->traces.count, by->traces.items[found] < place->trace->integer);
        return found < by->traces.count && by->traces.items[found] == place->trace->integer;
    }
    return (!place->run || has_run(by, place->run->text)) &&
           (!place->rank || !by->ranks.count ||
            has_number(by->ranks.items, by->ranks.count, place->rank->integer));
}

void abstain(const struct abstentions *self, abstained_list *chosen, const struct column *columns,
             size_t count, struct cell *cells)
{
    if (!chosen->count)
        return;
    struct row_place place = {cell_of(columns, count, cells, VIEW("trace_id"), CELL_INTEGER),
                              cell_of(columns, count, cells, VIEW("run"), CELL_TEXT),
                              cell_of(columns, count, cells, VIEW("rank"), CELL_INTEGER)};
    struct text text = {0};
    for (size_t i = 0; i < chosen->count; i++) {
        struct abstained *one = &chosen->items[i];
        struct cell *cell = &cells[one->column];
        bool has_figure = cell->type != CELL_NULL || cell->is_abstained;
        if (!has_figure || !is_of_row(one, &place, cells, &text))
            continue;
        one->is_met = true;
        if (!self->forced)
            *cell = (struct cell){.type = CELL_NULL, .is_abstained = true};
    }
    text_free(&text);
}
