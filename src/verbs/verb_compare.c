/* verb_compare: `tpq compare`. */
#include "query/compare/comparison_sheet.h"
#include "query/compare/reference.h"
#include "query/report/report.h"
#include "sql/database.h"
#include "src/base/deviation.h"
#include "src/base/visible.h"
#include "src/command/output.h"
#include "src/command/verb_options.h"
#include "src/report/comparing.h"
#include "src/report/report_options.h"

#include <stdio.h>
#include <string.h>

/* Operands in their order, then a side for each label. */
static bool add_compared_sides(struct comparing *self)
{
    const struct arguments *arguments = self->arguments;
    const char **labels = arguments_values(arguments, "label");
    for (size_t i = 0; i < arguments->operands.count; i++)
        if (!comparing_add(self, arguments->operands.items[i]))
            return false;
    for (size_t i = 0; labels[i]; i++) {
        if (!strchr(labels[i], '='))
            return error_set(self->error, STATUS_USAGE,
                             "tpq compare: --label needs KEY=VALUE, not '%.200s'", labels[i]);
        if (!comparing_add(self, labels[i]))
            return false;
    }
    return self->sides.count >= 2 ||
           error_set(self->error, STATUS_USAGE,
                     "tpq compare: at least two runs, labels, traces or files are needed");
}

/* Columns are called FIGURE__NAME_diff by some of the outputs. */
static bool check_name(const struct comparing *self, const char *name)
{
    return (*name && !strstr(name, "__")) ||
           error_set(self->error, STATUS_USAGE,
                     "tpq compare: no side can be called '%.200s': a name has a letter, and no __, "
                     "which stands between the parts of columns' names; --names gives another one",
                     name);
}

/* Names that the user gives, and that no two sides have the same. */
static bool name_sides(struct comparing *self)
{
    const char **names = arguments_values(self->arguments, "names");
    size_t count = 0;
    while (names[count])
        count++;
    if (count && count != self->sides.count)
        return error_set(self->error, STATUS_USAGE,
                         "tpq compare: --names must be as many as what is compared: %zu, not %zu",
                         self->sides.count, count);
    for (size_t i = 0; i < count; i++) {
        if (!check_name(self, names[i]))
            return false;
        side_rename(&self->sides.items[i], names[i]);
    }
    for (size_t i = 1; i < self->sides.count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(self->sides.items[i].name, self->sides.items[j].name) == 0)
                return error_set(self->error, STATUS_USAGE,
                                 "tpq compare: two sides are called '%.200s'; --names tells them "
                                 "apart",
                                 self->sides.items[i].name);
    return true;
}

/* Rows that nobody has are no failure; rows that nobody shares are. */
static bool check_shared(const struct comparing *self, const struct comparison *comparison)
{
    const char *report = comparison->values.report->name;
    if (!comparison->rows.count)
        session_sayf("%s has no rows in any of them", report);
    return !comparison->rows.count || comparison->shared || comparison->values.are_rows_samples ||
           error_set(self->error, STATUS_BAD_INPUT,
                     "%s: what is compared has no row in common (rows are told apart by %s)",
                     report, docs_declared(comparison->values.report, "key"));
}

/* Details where rows of the usual level say little: the time that moved most, or what their report
 * has beside it. */
struct moved {
    struct comparison comparison; /* rows about it; may have none */
    bool is_idle;                 /* the parts of the time say it all */
    bool is_beside;
};

/* Hands over a comparison and other rows: on a terminal those about the time that moved most alone.
 */
static bool send(const struct comparison_sheets *sheets, const struct moved *moved,
                 bool on_terminal, struct error *error)
{
    struct comparison_sheets other = *sheets;
    if (!moved->comparison.rows.count) {
        other.only_parts = on_terminal && moved->is_idle;
        return comparison_send(&other, error);
    }
    other.comparison = &moved->comparison;
    other.level = moved->comparison.values.report->name;
    other.with_summary = other.with_headline = false;
    other.with_parts = on_terminal && !moved->is_beside;
    return ((on_terminal && !moved->is_beside) || comparison_send(sheets, error)) &&
           comparison_send(&other, error);
}

struct finding {
    char *kind, *saving;
};
typedef ARRAY(struct finding) finding_list;

static bool list_findings(struct comparing *self, size_t side, finding_list *list)
{
    static const struct question findings = {
        "findings",
        "SELECT kind, iif(saves_ms IS NULL, '', format(' (%s%s)', iif(saving_kind = 'upper bound', "
        "'up to ', ''), time_words(saves_ms * 1e6))) FROM run_finding ORDER BY place",
        2};
    struct result rows;
    struct result_cursor cursor = {0};
    struct cell cells[2];
    if (!side_ask(&self->sides.items[side], 0, SIDE_READ, 0, &findings, &rows, self->error))
        return false;
    while (result_next(&rows, &cursor, cells))
        array_add(list, (struct finding){memory_part(cells[0].text.bytes, cells[0].text.length),
                                         memory_part(cells[1].text.bytes, cells[1].text.length)});
    return true;
}

static void add_missing(const char *before, const finding_list *list, const finding_list *other,
                        struct text *words)
{
    bool any = false;
    for (size_t i = 0; i < list->count; i++) {
        size_t j = 0;
        while (j < other->count && strcmp(other->items[j].kind, list->items[i].kind) != 0)
            j++;
        if (j < other->count)
            continue;
        text_format(words, "%s%s%s", any ? ", " : before, list->items[i].kind,
                    list->items[i].saving);
        any = true;
    }
    text_add_string(words, any ? "." : "");
}

/* Says which findings are new in the candidate, and which are gone, of two runs. */
static bool add_findings(struct comparing *self, struct text *words)
{
    const struct side *sides = self->sides.items;
    finding_list lists[2] = {0};
    if (self->sides.count != 2)
        return true;
    for (size_t i = 0; i < 2; i++)
        if (sides[i].runs.count != 1 || sides[i].sheets)
            return true;
    if (!list_findings(self, 0, &lists[0]) || !list_findings(self, 1, &lists[1]))
        return false;
    add_missing("\nNew findings, with their savings: ", &lists[1], &lists[0], words);
    add_missing("\nFindings gone: ", &lists[0], &lists[1], words);
    return true;
}

static bool write_comparison(struct comparing *self, const struct comparison *comparison,
                             const struct moved *moved, const struct output_context *context,
                             const char *level, const struct text *findings)
{
    struct outputs outputs;
    struct text words = {0}, remarks = {0};
    bool done = comparing_open_outputs(self, context, &outputs);
    struct comparison_sheets sheets = {
        .comparison = comparison,
        .level = level,
        .with_summary = !outputs.on_terminal && !outputs.one_sheet,
        .with_headline = arguments_has(self->arguments, "html"),
        .with_parts = !outputs.one_sheet,
        .parts_first = outputs.on_terminal || arguments_has(self->arguments, "html"),
        .account = &self->account,
        .sinks = outputs.sinks.items,
        .sink_count = outputs.sinks.count,
    };
    text_add_view(&words, text_view(&self->setup));
    comparison_lines(comparison, &words);
    text_add_view(&words, text_view(findings));
    comparison_remarks(comparison, &remarks);
    touches_add_json(&comparison->touches, comparison->values.report->name,
                     &self->account.identity.touched);
    if (comparison->parts && sheets.with_parts)
        touches_add_json(&comparison->parts->touches, "time_parts",
                         &self->account.identity.touched);
    if (moved->comparison.rows.count &&
        moved->comparison.values.report != comparison->values.report)
        touches_add_json(&moved->comparison.touches, moved->comparison.values.report->name,
                         &self->account.identity.touched);
    if (!outputs.on_terminal)
        comparing_add_first_lines(self, &words);

    /* The sides, for an envelope. */
    struct envelope_words *told = &outputs.words;
    for (size_t i = 0; i < comparison->side_count; i++) {
        text_format(&told->samples, "%s%zu", i ? "," : "[", comparison->sample_counts[i]);
        array_add(&told->sides, self->sides.items[i].name);
    }
    text_add_byte(&told->samples, ']');
    told->wish.samples = told->samples.items;
    told->wish.sides = told->sides.items;
    told->wish.side_count = told->sides.count;
    bool has_lines =
        (comparison->values.is_sum || comparison->steps.changes) && comparison->rows.count;
    if (done && outputs.on_terminal && (has_lines || self->setup.count)) {
        visible_print_text(has_lines ? words.items : self->setup.items, outputs.width, stdout);
        putchar('\n');
    }
    done = done &&
           (outputs.one_sheet ? comparison_send(&sheets, self->error)
                              : send(&sheets, moved, outputs.on_terminal, self->error)) &&
           comparing_finish_outputs(self, &outputs);
    if (done) {
        session_say_lines(remarks.items);
        outputs_say(&outputs, self->arguments);
    }
    outputs_close(&outputs);
    return done;
}

/* The verdict of --fail-if on any side, and else one that is undecided, end the call. */
static bool hold_limits(const struct comparing *self, const struct comparison *comparison)
{
    const char *verdict = arguments_value(self->arguments, "fail-if");
    size_t undecided = SIZE_MAX;
    if (!verdict || !comparison->rows.count)
        return true;
    if (!comparison->values.is_sum && !comparison->steps.changes)
        return error_set(self->error, STATUS_USAGE,
                         "tpq compare: --fail-if needs a total or steps, and %s.%s has no total",
                         comparison->values.report->name, comparison->values.metric->name);
    for (size_t i = comparison->side_count - 1; i-- > 0;) {
        enum change_verdict found = comparison_verdict(comparison, i);
        if (strcmp(verdict, change_verdict_names[found]) == 0)
            return error_set(self->error, STATUS_CHECK_FAILED, "compare: %.200s: %s",
                             self->sides.items[i + 1].name, verdict);
        undecided = comparison_is_open(found) ? i : undecided;
    }
    if (undecided == SIZE_MAX)
        return true;
    struct text words = {0};
    text_format(&words, "%s: undecided: ", self->sides.items[undecided + 1].name);
    comparison_add_reason(comparison, undecided, 0, &words);
    return comparing_end_undecided(self, words.items);
}

/* The sheets that the reference tool makes; nothing is written before all of them are there. */
static bool compare_like_reference(struct comparing *self, const struct output_context *context)
{
    struct kept_sheets made;
    struct outputs outputs;
    struct text remarks = {0};
    struct reference_options options = {.docs = &self->files.docs,
                                        .set = self->set,
                                        .parts = arguments_values(self->arguments, "sheets"),
                                        .sink = &made.base,
                                        .remarks = &remarks};
    kept_sheets_init(&made);
    if (!reference_compare(self->sides.items, self->sides.count, &options, self->error))
        return false;
    bool done = comparing_open_outputs(self, context, &outputs) &&
                kept_sheets_send(&made, outputs.sinks.items, outputs.sinks.count, self->error) &&
                comparing_finish_outputs(self, &outputs);
    if (done) {
        session_say_lines(remarks.items);
        outputs_say(&outputs, self->arguments);
    }
    outputs_close(&outputs);
    return done;
}

/* Traces without ops have no rows of the usual level: the next one about work that has some takes
 * its place. */
static bool take_other_level(struct comparing *self, const struct doc_object **report,
                             const char **level, struct comparison *comparison)
{
    const struct doc_object *other = *report;
    while (!comparison->rows.count && (other = comparing_next_level(self, other))) {
        struct comparison made = {0};
        if (!comparing_make(self, other, NULL, &made))
            return false;
        if (!made.rows.count)
            continue;
        session_sayf("%s has no rows in any of them; this is --by %s", (*report)->name,
                     docs_declared(other, "level"));
        *comparison = made;
        *report = other;
        *level = docs_declared(other, "level");
    }
    return true;
}

/* Compares what the report has beside it, or what is about the time that moved most, where that is
 * no computation. */
static bool compare_moved(struct comparing *self, const struct comparison *comparison,
                          struct moved *moved)
{
    static const char *const reports[] = {
        [GROUP_COMMUNICATION] = "coll_analysis", [GROUP_MEMCPY] = "memory_bandwidth"};
    const struct time_parts *parts = comparison->parts;
    const struct change *steps = comparison->steps.changes;
    const char *beside = docs_declared(comparison->values.report, "beside");
    if (beside) {
        const struct doc_object *other = report_find(&self->files.docs, beside, self->set);
        moved->is_beside = other != NULL;
        return !other || comparing_make(self, other, NULL, &moved->comparison);
    }
    if (!parts || (steps && steps->verdict == VERDICT_NOISE))
        return true;
    enum time_group group = time_parts_group(parts, 0);
    const char *name = group < sizeof reports / sizeof *reports ? reports[group] : NULL;
    const struct doc_object *report = name ? report_find(&self->files.docs, name, self->set) : NULL;
    moved->is_idle = group == GROUP_IDLE;
    return !report || comparing_make(self, report, NULL, &moved->comparison);
}

static bool compare_level(struct comparing *self)
{
    const char *level = arguments_value(self->arguments, "by");
    struct output_context context = {.input = "comparison", .tables = "compare_", .sheets = 1};
    struct comparison comparison = {0};
    struct moved moved = {0};
    struct text findings = {0};
    bool is_chosen = level || arguments_has(self->arguments, "metric");
    self->level = level;
    if (!add_compared_sides(self) || !name_sides(self) || !comparing_open(self))
        return false;
    comparing_place(self, &context);
    if (like_reference(arguments_has(self->arguments, "compat"), "compare: sheets")) {
        context.compat = true;
        context.sheets = 0;
        context.lists_sheets = self->sides.count > 2;

        /* Options about rows and verdicts, which the reference tool's sheets do not have. */
        const char *option = arguments_any(self->arguments, "by metric warmup normalize alpha");
        if (option)
            return error_set(
                self->error, STATUS_USAGE,
                "tpq compare: --%s does not go with --compat, which makes the reference "
                "tool's sheets; --sheets chooses among them",
                option);
        for (size_t i = 0; i < self->sides.count; i++)
            if (!check_name(self, self->sides.items[i].name))
                return false;
        return outputs_check(self->arguments, &context, self->error) && comparing_identify(self) &&
               compare_like_reference(self, &context);
    }
    if (arguments_has(self->arguments, "sheets"))
        return error_set(self->error, STATUS_USAGE,
                         "tpq compare: --sheets goes with --compat; else it is --by LEVEL");
    const struct doc_object *report = comparing_report(self, level);
    if (!report)
        return false;
    const char *metric = arguments_value(self->arguments, "metric");
    bool done = outputs_check(self->arguments, &context, self->error) &&
                comparing_check_machines(self) &&
                comparing_make(self, report, metric, &comparison) &&
                (level || metric || take_other_level(self, &report, &level, &comparison));
    return done && check_shared(self, &comparison) && comparing_identify(self) &&
           comparing_add_notes(self, report, !comparison.rows.count) &&
           (is_chosen ||
            (add_findings(self, &findings) && compare_moved(self, &comparison, &moved))) &&
           write_comparison(self, &comparison, &moved, &context, level ? level : report->name,
                            &findings) &&
           hold_limits(self, &comparison);
}

static bool run_compare(const struct arguments *arguments, struct error *error)
{
    struct comparing self;
    const struct option *book = arguments->verb->options;
    struct arguments read = {.verb = arguments->verb};
    while (strcmp(book->name, "output-xlsx-path") != 0)
        book++;

    /* The last --output of all is the workbook. */
    const char *output = arguments_value(arguments, "output");
    for (size_t i = 0; i < arguments->values.count; i++)
        if (strcmp(arguments->values.items[i].option->name, "output") != 0)
            array_add(&read.values, arguments->values.items[i]);
    if (output)
        array_add(&read.values, (struct argument_value){book, output, true});
    for (size_t i = 0; i < arguments->operands.count; i++)
        array_add(&read.operands, arguments->operands.items[i]);
    bool done = comparing_begin(&self, &read, error) && compare_level(&self);
    comparing_end(&self);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    OPTION_WAIT,
    {"label", 0, "KEY=VALUE",
     "all runs with this label, in the order of time, as one more side behind the operands; may be "
     "repeated",
     NULL},
    {"names", 0, "NAME...", "what outputs call the sides", NULL},
    {"fail-if", 0, "VERDICT",
     "exit status 1 when the time of a step or the total has this verdict, 5 when it is undecided",
     "regression improvement"},
    OPTIONS_UNDECIDED,
    OPTIONS_COMPARING,
    OPTIONS_VALUES,
    OPTIONS_OF_VIEWS(COMMON){"sheets", 0, "SHEET...",
                             "with --compat, which of the reference tool's sheets (all)",
                             "gpu_timeline ops_summary kernel_summary ops_all roofline all"},
    OPTIONS_EXTENSION,
    OPTION_HEALTH_RULE,
    OPTIONS_OUTPUT,
    {"output", 'o', "FILE", "the same as --output-xlsx-path FILE", NULL},
    OPTION_CSV_RAW,
    OPTION_WIDE,
    OPTION_END,
};

static const struct section sections[] = {
    {"db", "Inputs"},
    {"fail-if", "Comparison"},
    {"compat", "Reports and models"},
    {"csv", FORM_HEADING},
    {NULL, NULL},
};

static const struct example examples[] = {
    {"tpq compare base tuned",
     "two runs of the warehouse: what changed, and whether it is significant"},
    {"tpq compare old.json.gz new.json.gz --by kernel", "two files"},
    {"tpq compare old.xlsx new --by kernel", "a workbook and a run"},
    {"tpq compare @pin:green @last --markdown", "for a pull request"},
    {"tpq compare --label model=a --label model=b --by op", "all runs with a label, as repeats"},
    {NULL, NULL},
};

static const struct stand_in stand_ins[] = {
    {.command = "TraceLens_compare_perf_reports_pytorch",
     .option = "--output=comparison.xlsx",
     .required = "REPORT",
     .options = "output output-csvs-dir names sheets"},
    {0},
};

const struct verb verb_compare = {
    .name = "compare",
    .operands = "[OPTION]... [RUN | FILE]...",
    .also = "cmp",
    .summary = "compare runs, with a test of significance",
    .details =
        "The first operand is the baseline, the others are candidates. An operand is a run (its "
        "name, trace:N, @last, @last~1, @pin:NAME), or all runs of a pattern (nightly-*) or "
        "label (KEY=VALUE). Else it is a file or directory, which is read into memory. "
        "Workbooks (.xlsx) and folders with a CSV for each sheet, of tpq or of the reference "
        "tool, are compared by the sheets that they have.\n\nValues are the mean of the "
        "profiler steps, where there are steps; of runs where each side has three or more. "
        "Where all sides have steps, the first line tells the step time from start to end and "
        "its greatest part. It also names what the rows add up to. The table time_parts takes "
        "the change apart: computation, exposed communication, exposed memcpy and idle time by "
        "cause add up to it. Without --by and --metric the rows are about the time that moved "
        "most. Without steps no side is called faster: a window may just have less in it.\n\nA "
        "significant difference is a regression or an improvement. It is significant when "
        "Welch's test, corrected for the number of rows, finds it and the test of Mann and "
        "Whitney does not object. Else it is within noise. With fewer than three samples a "
        "side there is no test: too few samples (--single-ok decides all the same). It is "
        "undecided with other devices or world sizes. So it is when a trace may lack events "
        "(--allow-incomplete), or whole traces (--normalize trace) have other numbers of steps. "
        "--fail-if ends with status 1 "
        "on a verdict, and with 5 when there is none; --undecided pass or fail makes it 0 "
        "or 1.",
    .preferred = "html",
    .options = options,
    .sections = sections,
    .common = "db by metric label csv xlsx json markdown html",
    .stand_ins = stand_ins,
    .examples = examples,
    .run = run_compare,
};
