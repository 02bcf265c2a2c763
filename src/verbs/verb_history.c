/* verb_history: `tpq history`. */
#include "query/compare/history.h"
#include "query/select/run_choice.h"
#include "sql/asked.h"
#include "sql/warehouse/catalog.h"
#include "src/base/visible.h"
#include "src/command/output.h"
#include "src/command/verb_options.h"
#include "src/report/comparing.h"
#include "src/report/report_options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ runs */

/* The side of a value of the label; a new one where there is none. */
static struct side *side_of(struct comparing *self, const char *name)
{
    for (size_t i = 0; i < self->sides.count; i++)
        if (strcmp(self->sides.items[i].name, name) == 0)
            return &self->sides.items[i];
    struct side *side = array_push(&self->sides);
    *side = (struct side){.warehouse = &self->warehouse};
    side_rename(side, name);
    return side;
}

/* All runs that are chosen in the order of time, or those with a label, as one for each value of
 * it. */
static bool add_all_runs(struct comparing *self, const char *label)
{
#define IN_TIME(VALUE, JOIN)                                                              \
    "WITH started AS (SELECT run_id, min(wall_start_ns) AS start_ns FROM trace GROUP BY " \
    "run_id) SELECT run.name, " VALUE ", run.id FROM run LEFT JOIN started ON "           \
    "started.run_id = run.id " JOIN " ORDER BY start_ns IS NULL, start_ns, run.id"
    const char *sql = label
                          ? IN_TIME("label.value", "JOIN run_label AS label ON label.key = ?1 AND "
                                                   "label.run_id = run.id")
                          : IN_TIME("run.name", "");
    struct run_list chosen;
    if (!comparing_open_warehouse(self) ||
        !selection_options_runs(self->arguments, &self->warehouse, true, &chosen, self->error))
        return false;
    struct asked runs;
    const char *run, *value;
    int64_t id;
    ASK(&runs, self->warehouse.db, sql, label);
    while (ASKED_ROW(&runs, &run, &value, &id))
        if (run_list_has(&chosen, id))
            side_add_run(side_of(self, value), run);
    bool done = asked_done(&runs, self->warehouse.path, self->error);
    if (!done || self->sides.count)
        return done;
    if (label)
        return error_set(self->error, STATUS_USAGE, "%s: no run has a label '%.200s'",
                         self->warehouse.path, label);
    return error_set(self->error, STATUS_USAGE,
                     arguments_has(self->arguments, "label") ? "%s: no run is selected"
                                                             : "%s: there are no runs in it",
                     self->warehouse.path);
}

/* Where the last side is what a pattern means, each of its runs becomes a side, once. */
static void part_pattern(struct comparing *self)
{
    if (!self->sides.items[self->sides.count - 1].is_pattern)
        return;
    struct side pattern = self->sides.items[--self->sides.count];
    for (size_t i = 0; i < pattern.runs.count; i++) {
        struct side *side = side_of(self, pattern.runs.items[i]);
        if (!side->runs.count)
            side_add_run(side, pattern.runs.items[i]);
    }
}

static bool add_history_sides(struct comparing *self)
{
    const struct arguments *arguments = self->arguments;
    const char *alone = arguments_any(arguments, "by run label");
    long last;
    if (!arguments_number(arguments, "last", 1, INT_MAX, INT_MAX, &last, self->error) ||
        (arguments->operands.count == 1 && !add_all_runs(self, arguments_value(arguments, "by"))))
        return false;
    if (alone && arguments->operands.count > 1)
        return error_set(self->error, STATUS_USAGE,
                         "tpq history: runs are named by --run beside --%s, not as operands",
                         alone);
    for (size_t i = 1; i < arguments->operands.count; i++) {
        if (!comparing_add(self, arguments->operands.items[i]))
            return false;
        part_pattern(self);
    }

    /* The sides that come before so many are none. */
    size_t count = (size_t)last, gone = self->sides.count > count ? self->sides.count - count : 0;
    for (size_t i = gone; i < self->sides.count; i++)
        self->sides.items[i - gone] = self->sides.items[i];
    self->sides.count -= gone;
    return true;
}

/* ------------------------------------------------------------------ the figure */

/* The meaning of a word: LEVEL, REPORT, either with .COLUMN, or COLUMN alone. */
struct figure {
    const struct doc_object *report;
    char *column; /* NULL: what the report declares */
};

/* True if a column is called so, perhaps without the unit at its end: busy for busy_ms. */
static bool is_called(const struct doc_column *column, const char *name, bool without_unit)
{
    if (!without_unit)
        return strcasecmp(column->name, name) == 0 || strcasecmp(column->heading, name) == 0;
    const char *unit = strrchr(column->name, '_');
    size_t length = strlen(name);
    return unit && (size_t)(unit - column->name) == length &&
           strncasecmp(column->name, name, length) == 0 &&
           *docs_unit_of_name(view_of(column->name));
}

static const char *find_history_column(const struct doc_object *report, const char *name,
                                       bool without_unit)
{
    const doc_columns *columns = docs_columns(report);
    for (size_t i = 0; i < columns->count; i++)
        if (is_called(&columns->items[i], name, without_unit))
            return columns->items[i].name;
    return NULL;
}

/* The report of the set that has a column, those that are levels before the others; NULL: none. */
static const struct doc_object *report_with(const struct comparing *self, const char *column,
                                            bool without_unit)
{
    const struct doc_object *found = NULL;
    for (size_t i = 0; i < self->files.docs.count; i++) {
        const struct doc_object *report = &self->files.docs.items[i];
        if (!catalog_is_report(report) || !catalog_in_set(report, self->set) ||
            !docs_declared(report, "key") || !find_history_column(report, column, without_unit))
            continue;
        if (docs_declared(report, "level"))
            return report;
        found = found ? found : report;
    }
    return found;
}

static bool find_figure(struct comparing *self, const char *word, struct figure *figure)
{
    const char *point = strchr(word, '.');
    struct error ignored = {0}, *error = self->error;
    if (point) {
        figure->column = memory_text(point + 1);
        figure->report = comparing_report(self, memory_part(word, (size_t)(point - word)));
        return figure->report != NULL;
    }
    self->error = &ignored;
    figure->report = comparing_report(self, word);
    self->error = error;

    /* A word that is no full name means what the format of the runs has, before what others have.
     */
    if (figure->report &&
        (catalog_in_set(figure->report, self->set) || strcasecmp(figure->report->name, word) == 0))
        return true;
    docs_read_columns(&self->files.docs);
    for (int without_unit = 0; without_unit < 2; without_unit++) {
        const struct doc_object *report = report_with(self, word, without_unit);
        if (report) {
            figure->report = report;
            figure->column = memory_text(find_history_column(report, word, without_unit));
            return true;
        }
    }
    if (figure->report)
        return true;

    /* A word that is near no level and no report may be near a column. */
    ARRAY(const char *) names = {0};
    for (size_t i = 0; i < self->files.docs.count; i++) {
        const struct doc_object *report = &self->files.docs.items[i];
        if (!catalog_is_report(report) || !catalog_in_set(report, self->set) ||
            !docs_declared(report, "key"))
            continue;
        const doc_columns *columns = docs_columns(report);
        for (size_t j = 0; j < columns->count; j++)
            array_add(&names, columns->items[j].name);
    }
    const char *near = names.count && !strstr(ignored.text, "did you mean")
                           ? nearest_name(word, names.items, names.count)
                           : NULL;
    *self->error = ignored;
    if (near)
        error_set(self->error, STATUS_USAGE,
                  "tpq history: '%.200s' is neither a level nor a report nor a column of one; did "
                  "you mean %s?",
                  word, near);
    return false;
}

/* ------------------------------------------------------------------ outputs */

/* "step_mfu has no such value of a, b and 3 more" */
static void say_missing(const struct comparing *self, const struct history *history)
{
    enum { NAMED = 3 };
    struct text words = {0};
    size_t missing = 0;
    for (size_t i = 0; i < history->count; i++)
        if (!history->points[i].is_there && missing++ < NAMED) {
            text_add_string(&words, missing > 1 ? ", " : "");
            visible_add(&words, view_of(self->sides.items[i].name));
        }
    const char *why = self->account.why_empty;
    if (missing == history->count)
        session_sayf("%s has no such value of any of them%s%s", history->values->report->name,
                     why ? ": " : "", why ? why : "");
    else if (missing > NAMED)
        session_sayf("%s has no such value of %s and %zu more", history->values->report->name,
                     words.items, missing - NAMED);
    else if (missing)
        session_sayf("%s has no such value of %s", history->values->report->name, words.items);
}

static bool write_history(struct comparing *self, const struct history *history,
                          const struct output_context *context)
{
    struct outputs outputs;
    struct text words = {0};
    bool done = comparing_open_outputs(self, context, &outputs);
    history_changes(history, &self->account.fields, &words);
    done = done &&
           history_send(history, &self->account, outputs.sinks.items, outputs.sinks.count,
                        self->error) &&
           comparing_finish_outputs(self, &outputs);
    if (done && outputs.on_terminal && words.count) {
        putchar('\n');
        visible_print_text(words.items, outputs.width, stdout);
    }
    if (done) {
        say_missing(self, history);
        outputs_say(&outputs, self->arguments);
    }
    outputs_close(&outputs);
    return done;
}

/* The percentage below which nothing is a change. */
static bool read_least_change(const struct comparing *self, double *least)
{
    const char *text = arguments_value(self->arguments, "least-change");
    char *end;
    *least = text ? strtod(text, &end) : 2;
    end = text && *end == '%' ? end + 1 : end;
    return !text || (end > text && !*end && *least >= 0) ||
           error_set(self->error, STATUS_USAGE,
                     "tpq history: --least-change is a percentage from 0, not '%.100s'", text);
}

static bool follow_metric(struct comparing *self)
{
    struct output_context context = {.input = "history", .sheets = 1};
    struct history_options options = {.key = arguments_value(self->arguments, "key"),
                                      .touches = &self->touches};
    struct figure figure = {0};
    struct values values = {0};
    struct history history = {0};
    self->level = self->arguments->operands.items[0];
    if (!add_history_sides(self) || !comparing_open(self))
        return false;
    comparing_place(self, &context);
    if (!outputs_check(self->arguments, &context, self->error) ||
        !touches_read(&self->touches, self->sides.items, self->sides.count, self->error))
        return false;

    /* Sides with a trace that may lack events. */
    bool *incomplete = memory_zeroed(self->sides.count + 1, sizeof *incomplete);
    options.incomplete = incomplete;
    for (size_t i = 0; i < self->sides.count; i++) {
        struct text words = {0};
        if (!side_add_damage(&self->sides.items[i], &words, self->error))
            return false;
        incomplete[i] = words.count > 0;
    }
    if (!comparing_alpha(self, &options.alpha) || !read_least_change(self, &options.least_change) ||
        !find_figure(self, self->level, &figure) ||
        !comparing_read(self, figure.report, figure.column, &values))
        return false;
    history_make(&history, &values, &options);
    return comparing_identify(self) &&
           comparing_add_notes(self, figure.report, !intern_count(&values.keys)) &&
           write_history(self, &history, &context);
}

static bool run_history(const struct arguments *arguments, struct error *error)
{
    struct comparing self;
    bool done = comparing_begin(&self, arguments, error) &&
                session_operands(arguments, 1, SIZE_MAX, error) && follow_metric(&self);
    comparing_end(&self);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    OPTION_WAIT,
    {"by", 0, "LABEL", "a value for each value of this label, whose runs are repeats", NULL},
    {"run", 0, "NAME", RUN_OPTION_WORDS, NULL},
    OPTION_LABEL,
    {"last", 0, "N", "only the last so many of them", NULL},
    {"key", 0, "PATTERN", "only these rows (* and ?), by the first column of their key", NULL},
    {"least-change", 0, "P", "percent below which nothing is a change (2)", NULL},
    OPTIONS_VALUES,
    OPTIONS_OF_VIEWS(COMMON) OPTIONS_EXTENSION,
    OPTION_HEALTH_RULE,
    OPTIONS_OUTPUT,
    OPTION_CSV_RAW,
    OPTION_WIDE,
    OPTION_END,
};

static const struct section sections[] = {
    {"db", "Inputs"},      {"by", "History"}, {"compat", "Reports and models"},
    {"csv", FORM_HEADING}, {NULL, NULL},
};

static const struct example examples[] = {
    {"tpq history timeline", "the total time of all runs, in the order of time"},
    {"tpq history timeline --key busy_time", "with busy GPUs"},
    {"tpq history mfu_pct --by commit", "how well each commit used them"},
    {"tpq history busy_ms --label model=bert --last 20", "the newest runs of one series"},
    {"tpq history op_shape.kernel_time_sum --key 'aten::mm' --xlsx=mm.xlsx", "with a chart"},
    {NULL, NULL},
};

const struct verb verb_history = {
    .name = "history",
    .operands = "[OPTION]... METRIC [RUN | FILE]...",
    .summary = "follow a metric over many runs",
    .details =
        "METRIC is a level of tpq compare or a report, for the figure that it declares; .COLUMN "
        "names another figure of it. Or it is a column of a report of the set, perhaps without "
        "its unit: busy for busy_ms. Runs stand in the order in which their traces began: all "
        "of them, or the runs that --run, --label and patterns choose. Other operands stand in "
        "the order in which they are named. " RUN_WORDS
        "\n\nEach run is held against the runs since the last change, at most ten. Where there "
        "are three on both sides, its value and those of the next two are tested, else its "
        "steps. Where Welch's test finds a difference of more than --least-change, the run is "
        "named.",
    .preferred = "html",
    .options = options,
    .sections = sections,
    .common = "db by key csv xlsx json markdown html",
    .examples = examples,
    .run = run_history,
};
