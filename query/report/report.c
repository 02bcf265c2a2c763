/* report: Order for a report: layout, the scope, columns, abstentions, rows, then the sheets. Rows
 * are kept in a result, unless one output takes them one by one and the layout needs no second
 * look: then only the first is kept and the statement stays open. A report that no output shows is
 * not read. */
#include "query/report/report_maker.h"
#include "sql/asked.h"

#include <string.h>

static enum column_form form_of(const char *unit)
{
    static const char *const forms[] = {
        [FORM_PLAIN] = "",        [FORM_BOOLEAN] = "boolean", [FORM_NAME] = "name",
        [FORM_TUPLE] = "tuple",   [FORM_LIST] = "list",       [FORM_ARRAY] = "array",
        [FORM_KERNEL] = "kernel", [FORM_CALL] = "call"};
    size_t form = sizeof forms / sizeof *forms - 1;
    if (strcmp(unit, "label") == 0) /* a name that is a number, where nothing needs more */
        return FORM_NAME;
    while (form > FORM_PLAIN && strcmp(forms[form], unit) != 0)
        form--;
    return (enum column_form)form;
}

static enum cell_type type_of(const struct doc_column *doc)
{
    static const char *const types[] = {
        [CELL_NULL] = "", [CELL_INTEGER] = "integer", [CELL_REAL] = "real", [CELL_TEXT] = "text"};
    size_t type = sizeof types / sizeof *types - 1;
    while (type && strcmp(types[type], doc->type) != 0)
        type--;
    return (enum cell_type)type;
}

static void describe_column(struct maker *self, const char *name)
{
    const struct doc_column *doc = docs_column(self->report, name);
    struct column *column = array_push(&self->columns);
    *column = (struct column){.unit = "", .meaning = ""};
    column->name = memory_text(name);
    column->heading = doc ? doc->heading : column->name;
    if (!doc)
        return;
    bool says_where = strcmp(name, "run") == 0 || strcmp(name, "trace_id") == 0;
    if (self->says_rank && strcmp(name, "trace_id") == 0)
        column->heading = "rank";
    column->form = form_of(doc->unit);
    column->type = type_of(doc);
    column->unit = column->form == FORM_PLAIN ? doc->unit : "";
    column->meaning = doc->meaning;
    column->is_detail = column->form == FORM_TUPLE || column->form == FORM_LIST;
    const struct layout_column *declared = layout_column(&self->layout, name);
    column->is_wide = declared->is_wide;
    column->has_bar = declared->has_bar;
    column->is_key = layout_is_key(&self->layout, name) || says_where;
    column->place = self->layout.has_places && says_where ? 1 : declared->place;
    column->polarity = strcmp(doc->polarity, "lower") == 0    ? POLARITY_LOWER
                       : strcmp(doc->polarity, "higher") == 0 ? POLARITY_HIGHER
                                                              : POLARITY_NONE;
}

static bool fill(struct maker *self, sqlite3_stmt *rows, int64_t most)
{
    struct cell *cells = memory_zeroed(self->columns.count + 1, sizeof *cells);
    struct text scratch = {0};
    bool done = true;
    const struct report_options *options = self->options;
    const struct layout *layout = &self->layout;
    size_t trace = report_column(self, VIEW("trace_id"));
    long most_of_trace = options->rows || layout->first_over ? options->rows : options->first;
    while (self->result.rows < most &&
           result_read(rows, &scratch, cells, self->report->name, &done, self->error)) {
        if (most_of_trace && report_count_row(self, cells) > most_of_trace) {
            self->rows_skipped += !options->rows;
            continue;
        }
        if (self->says_rank && trace != SIZE_MAX)
            cells[trace] = report_rank_of(self, cells[trace].integer);
        report_abstain(self, cells);
        result_add(&self->result, cells);
    }
    return done;
}

static bool report_read_rows(struct maker *self)
{
    sqlite3_stmt *rows = report_rows(self, self->report->name);
    if (!rows)
        return false;
    size_t count = (size_t)sqlite3_column_count(rows);
    bool done = layout_check(&self->layout, rows, self->error);
    for (size_t i = 0; i < count && done; i++)
        describe_column(self, sqlite3_column_name(rows, (int)i));
    size_t place = done ? report_by_place(self) : 0;
    bool is_by = self->by_step || self->by_rank;
    if (done) {
        if (is_by)
            report_by_columns(self, place);
        result_init(&self->result, self->columns.count);
    }
    const struct abstentions *abstentions = self->options->abstentions;
    if (done && abstentions && strcmp(self->report->name, "trace_health") != 0)
        abstentions_choose(abstentions, self->report->name, self->columns.items,
                           self->columns.count, &self->abstained);

    /* Rows go to the output one by one if it and the layout take them as they come. */
    const struct layout *layout = &self->layout;
    bool by_row = self->sink_count == 1 && self->sinks[0]->takes_any && !self->by_step &&
                  (!self->options->rows || self->one_trace) && !self->by_rank &&
                  !layout->sheet_by && !layout->spread_over && !layout->unfold.length &&
                  !self->abstained.count;
    for (size_t i = 0; i < layout->columns.count && by_row; i++) {
        const struct layout_column *column = &layout->columns.items[i];
        by_row = !column->drops_empty && !column->drops_empty_compat && !column->leader.length;
    }
    done = done &&
           (is_by ? report_by_rows(self, rows, place) : fill(self, rows, by_row ? 1 : INT64_MAX));
    if (done && self->abstained.count)
        abstentions_tell(abstentions, self->report->name, self->columns.items, &self->abstained,
                         &self->why_abstained);
    if (by_row && self->result.rows)
        self->rest = rows;
    else
        database_finalize(rows);
    return done;
}

/* ------------------------------------------------------------------ one report */

/* How much it is about: where it is one trace or one run, nobody needs to read which. */
static bool look_at_scope(struct maker *self)
{
    char *sql = database_format(
        "SELECT count(DISTINCT trace_id), count(DISTINCT run), count(DISTINCT trace_id) = "
        "count(DISTINCT json_array(chosen.run, rank)) AND count(rank) > 0 FROM "
        "\"%w\" AS chosen LEFT JOIN trace ON trace.id = trace_id",
        self->layout.traces ? self->layout.traces : "scope");
    struct asked row;
    int64_t traces = 0, runs = 0;
    bool are_ranks = false;
    asked_open(&row, self->warehouse->db, sql);
    ASKED_ROW(&row, &traces, &runs, &are_ranks);
    self->one_trace = self->layout.is_about_pair || traces <= 1;
    self->one_run = self->layout.is_about_pair || runs <= 1;
    self->says_rank = !self->one_trace && are_ranks && self->sink_count == 1 &&
                      self->sinks[0]->is_terminal && !self->by_step && !self->by_rank &&
                      !docs_column(self->report, "rank");
    if (!self->layout.is_about_runs && !self->says_rank)
        self->one_run = self->one_trace;
    return asked_done(&row, self->warehouse->path, self->error) &&
           (!self->says_rank || report_read_ranks(self));
}

bool report_check(sqlite3 *db, const struct doc_object *report, struct error *error)
{
    struct layout layout;
    sqlite3_stmt *rows = NULL;
    bool done = layout_read(&layout, report, error);
    char *sql = database_format("SELECT * FROM \"%w\"", report->name);
    if (done && db)
        done = (database_prepare(db, sql, &rows, NULL) == SQLITE_OK ||
                database_error(db, report->name, error)) &&
               layout_check(&layout, rows, error);
    database_finalize(rows);
    return done;
}

bool report_make(struct warehouse *warehouse, const struct doc_object *report,
                 const struct report_options *options, bool named, struct sink *const *sinks,
                 size_t sink_count, size_t *sheets, struct error *error)
{
    struct report_notes own = {0};
    struct report_options with_notes = *options;
    with_notes.notes = options->notes ? options->notes : &own;
    struct maker self = {.warehouse = warehouse,
                         .report = report,
                         .options = &with_notes,
                         .sinks = sinks,
                         .sink_count = sink_count,
                         .error = error,
                         .is_named = named,
                         .sheets = sheets};
    docs_columns(report);
    bool done = layout_read(&self.layout, report, error);
    if (options->first && self.layout.first_over)
        self.layout.spread_over = self.layout.first_over;
    if (options->whole && !options->only) {
        self.layout.sheet_by = NULL;
        self.layout.unfold = (struct view){0};
    }
    bool shown = done;
    if (shown) {
        shown = self.sink_count == 0;
        for (size_t i = 0; i < self.sink_count && !shown; i++)
            shown =
                !self.sinks[i]->passes || !self.sinks[i]->passes(self.sinks[i], self.layout.tab);
    }
    done = done &&
           (!shown || (report_by_choose(&self) && look_at_scope(&self) && report_read_rows(&self)));
    if (done && shown)
        report_spread(&self);
    if (done && shown && (self.result.rows || named || report_keeps_empty(&self)))
        done = self.layout.sheet_by
                   ? report_send_parts(&self)
                   : report_send_sheet(&self, report_sheet_name(&self, NULL), NULL);
    database_finalize(self.rest);
    result_free(&self.result);
    return done;
}
