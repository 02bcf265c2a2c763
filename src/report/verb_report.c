/* verb_report: `tpq report`. Files that are named are ingested first, into memory or the warehouse;
 * then the selection, the reports, and the outputs. */
#include "query/report/answer.h"
#include "query/report/identify.h"
#include "query/report/report.h"
#include "query/select/parted_views.h"
#include "sql/asked.h"
#include "sql/calls/call_rows.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/deviation.h"
#include "src/base/number.h"
#include "src/base/visible.h"
#include "src/command/output.h"
#include "src/command/request_log.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"
#include "src/report/report_call.h"
#include "src/report/report_configs.h"
#include "src/report/report_files.h"
#include "src/report/report_notes.h"
#include "src/report/report_options.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ coverage */

struct coverage {
    int64_t busy_ns, linked_ns, categorised_ns, graph_ns, unlinked_ns;
    int64_t modelled_ns;                         /* -1 = no report has looked at models */
    int64_t clipped, dropped, zero, overlapping; /* events, as counted at ingest */
};

static double coverage_share(const struct coverage *self, int64_t part)
{
    return self->busy_ns ? (double)part * 100 / (double)self->busy_ns : 0;
}

/* Per cent of the busy time that is linked to an op; 100 when nothing was busy. */
static double coverage_linked_pct(const struct coverage *self)
{
    return self->busy_ns ? coverage_share(self, self->linked_ns) : 100;
}

static void coverage_add(const struct coverage *self, const char *between, struct text *line)
{
    static const char *const words[] = {"clipped", "dropped", "without duration", "overlapping"};
    const int64_t counts[] = {self->clipped, self->dropped, self->zero, self->overlapping};
    const char *before = "; events ";
    if (!self->busy_ns && !self->clipped && !self->dropped && !self->zero && !self->overlapping)
        return; /* there is nothing to cover */
    text_add_string(line, *between == '\n' || line->count ? between : "");
    if (!self->busy_ns) {
        text_add_string(line, "Coverage: no GPU time");
    } else {
        text_format(line, "Coverage: %.1f %% of ", coverage_linked_pct(self));
        number_add_time(line, self->busy_ns);
        text_format(line, " GPU busy time linked to ops, %.1f %% with a category, ",
                    coverage_share(self, self->categorised_ns));
        if (self->modelled_ns >= 0)
            text_format(line, "%.1f %% with a model, ", coverage_share(self, self->modelled_ns));
        text_format(line, "%.1f %% in CUDA or HIP graphs, %.1f %% unlinked",
                    coverage_share(self, self->graph_ns), coverage_share(self, self->unlinked_ns));
    }
    for (int i = 0; i < 4; i++)
        if (counts[i]) {
            text_format(line, "%s%s: %lld", before, words[i], (long long)counts[i]);
            before = ", ";
        }
}

/* ------------------------------------------------------------------ selection */

/* Ops that a recorded graph launches are known only with the traces of its recording. */
static bool say_hidden_in_graphs(struct report_call *self)
{
    static const char sql[] =
        "SELECT count(DISTINCT launcher_id) FROM scope CROSS JOIN gpu_event ON id BETWEEN "
        "first_event AND last_event WHERE launcher_name_id IN (SELECT id FROM graph_call)";
    if (!arguments_has(self->arguments, "inference"))
        return true;
    int64_t count = 0;
    if (!warehouse_ask(&self->warehouse, sql, 0, &count, self->error))
        return false;
    if (count)
        session_sayf("the ops of %lld graph launch%s are not known; --capture-folder takes the "
                     "traces in which the graphs were recorded",
                     (long long)count, count == 1 ? "" : "es");
    return true;
}

/* ------------------------------------------------------------------ reports */

/* Steps of what is selected; none at all is a wrong question. */
static bool find_report_steps(struct report_call *self)
{
    if (!self->by_step)
        return true;
    return step_parts_read(&self->steps, &self->warehouse, self->error) &&
           (self->steps.parts.items[0].is_outside
                ? error_set(self->error, STATUS_USAGE,
                            "tpq report: --by step: nothing that is selected is in a profiler step")
                : true);
}

static bool is_like_reference(const struct report_call *self)
{
    return arguments_any(self->arguments, "profile-json-path profile-path trace-path trace-dir "
                                          "trace-pattern trace-glob");
}

/* A workbook begins with what makes its figures doubtful. */
static bool make_health(struct report_call *self, const struct outputs *outputs,
                        const struct report_options *options, size_t *sheets)
{
    const struct doc_object *report = report_find(&self->files.docs, "trace_health", NULL);
    bool is_asked = !report;
    for (size_t i = 0; i < self->wanted.reports.count; i++)
        is_asked |= self->wanted.reports.items[i] == report;
    if (is_asked || like_reference(options->compat, "workbooks: sheet of health") ||
        is_like_reference(self) || self->by_step || self->by_rank ||
        !identity_is_doubtful(&self->identity))
        return true;
    bool done = true;
    for (size_t i = 0; i < outputs->sinks.count && done; i++)
        if (outputs->sinks.items[i]->is_workbook)
            done = report_make(&self->warehouse, report, options, true, &outputs->sinks.items[i], 1,
                               sheets, self->error);
    return done;
}

/* Separator of remarks behind the last sheet: of several reports each has a line. */
static const char *between_lines(const struct report_call *self)
{
    return self->shows_first || self->wanted.reports.count > 1 ? "\n" : " · ";
}

/* The closing line, and the share that is linked. */
static bool close_account(struct report_call *self, struct outputs *outputs, double *linked_pct)
{
    if (self->lists_runs)
        text_add_string(&outputs->closing, "\ntpq report --run NAME prints the reports of a run; "
                                           "--set pytorch those of all runs");
    bool is_shown = outputs->on_terminal && !self->is_tt && !self->lists_runs &&
                    !abstentions_touch(&self->abstentions, "gpu_time_coverage", "time_ms");
    if (!is_shown && self->least < 0)
        return true;

    /* Sums the report gpu_time_coverage over the selection. What has a model is only said when a
     * report has looked at models already: else it would cost as much as all other figures
     * together. */
    struct coverage coverage = {0};
    static const char sql[] = "SELECT sum(busy_ns), sum(linked_ns), sum(categorised_ns), "
                              "sum(graph_ns), sum(unlinked_ns), sum(clipped), sum(dropped), "
                              "sum(zero), sum(overlapping), %s FROM coverage";
    bool has_models =
        !self->has_kept_rows && table_keeps(self->warehouse.context, &call_rows_reading);
    struct asked row;
    asked_open(&row, self->warehouse.db,
               database_format(sql, has_models ? "sum(modelled_ns)" : "-1"));
    ASKED_ROW(&row, &coverage.busy_ns, &coverage.linked_ns, &coverage.categorised_ns,
              &coverage.graph_ns, &coverage.unlinked_ns, &coverage.clipped, &coverage.dropped,
              &coverage.zero, &coverage.overlapping, &coverage.modelled_ns);
    if (!asked_done(&row, self->warehouse.path, self->error))
        return false;
    if (is_shown)
        coverage_add(&coverage, between_lines(self), &outputs->closing);
    *linked_pct = coverage_linked_pct(&coverage);
    return true;
}

/* Figures without a basis are looked for only where a check found something. */
static bool read_abstentions(struct report_call *self)
{
    self->abstentions.forced = arguments_has(self->arguments, "force-figures");
    self->abstentions.told = &self->identity.abstained;
    return !identity_is_doubtful(&self->identity) ||
           like_reference(arguments_has(self->arguments, "compat"),
                          "reports: figures without a basis") ||
           abstentions_read(&self->abstentions, &self->warehouse, self->error);
}

/* Where people read the default reports of several runs, a line a run says more than all tables of
 * all runs. */
static bool list_run_lines(struct report_call *self, const struct outputs *outputs)
{
    int64_t runs = 0;
    const struct doc_object *report = report_find(&self->files.docs, "run_overview", NULL);
    bool may_list = outputs->on_terminal && !self->wanted.names.count && !self->by_step &&
                    !self->by_rank && !self->other && !self->is_tt &&
                    !arguments_has(self->arguments, "set") && !self->extensions.files.count;
    if (may_list && !warehouse_ask(&self->warehouse, "SELECT count(DISTINCT run) FROM scope", 0,
                                   &runs, self->error))
        return false;
    self->lists_runs = runs > 1 && report;
    if (self->lists_runs) {
        self->wanted.reports.count = 0;
        array_add(&self->wanted.reports, report);
    }
    bool done = true;
    for (size_t i = 0; i < self->wanted.reports.count && self->are_whole_runs && done; i++) {
        const struct doc_object *own = self->wanted.reports.items[i];
        const char *kept = docs_declared(own, "kept");
        self->has_kept_rows |= kept != NULL;
        done =
            !kept || answer_view(&self->warehouse, kept, strcmp(kept, own->name) != 0, self->error);
    }
    return done;
}

/* True if a terminal shows a report that nobody named: one that declares so, or that an option asks
 * for. Of the rest there are so many sheets; more where a set declares nothing. */
static bool is_first(const struct doc_object *report, bool is_rest, size_t sheets, bool any_first)
{
    enum { FEW = 2, MORE = 5 };
    const char *when = docs_declared(report, "when");
    bool is_asked = when && strncmp(when, "not ", 4) != 0 && strcmp(when, "never") != 0;
    if (docs_declared(report, "first") || is_asked)
        return !is_rest;
    return is_rest && sheets < (any_first ? FEW : MORE) && !docs_declared(report, "sheet-by");
}

/* The first lines of reports that nobody named tell what matters most; they also say when there are
 * no GPU activities, which else is said here. */
static bool read_first_lines(struct report_call *self, const struct outputs *outputs)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM scope JOIN trace ON trace.id = trace_id AND format <> "
        "'snapshot') AND NOT EXISTS (SELECT 1 FROM scope CROSS JOIN gpu_event ON id BETWEEN "
        "first_event AND last_event)";
    bool is_shown =
        outputs->on_terminal || arguments_any(self->arguments, "xlsx json jsonl markdown line");
    size_t named = self->wanted.names.count;
    bool leads = named == 1 && arguments_has(self->arguments, "envelope") &&
                 option_is_in("overview_figures findings", self->wanted.names.items[0]);
    if ((leads || (is_shown && named == 0)) && !self->lists_runs &&
        option_is_in("pytorch jax rocprof rocpd pftrace snapshot tt", self->set) &&
        !like_reference(arguments_has(self->arguments, "compat"), "terminal: findings") &&
        !self->by_step && !self->by_rank)
        return report_notes_add_findings(&self->warehouse, leads, &self->identity, self->error);
    int64_t is_without = 0;
    if (self->is_tt && !report_notes_say_window(&self->warehouse, self->error))
        return false;
    if (!warehouse_ask(&self->warehouse, sql, 0, &is_without, self->error))
        return false;
    if (is_without) /* no failure, but reports are empty */
        fputs("tpq: no GPU activities are selected\n", stderr);
    return true;
}

/* Makes the reports. On a terminal, where none is named, the first ones, and names the others. */
static bool make_reports(struct report_call *self, struct outputs *outputs,
                         struct report_options *options, size_t *sheets)
{
    enum { FIRST_ROWS = 8 };
    const report_list *reports = &self->wanted.reports;
    self->shows_first = outputs->on_terminal && outputs->sinks.count == 1 &&
                        !self->wanted.names.count && !self->by_step && !self->by_rank &&
                        !self->other && !self->lists_runs &&
                        !arguments_has(self->arguments, "top") &&
                        !like_reference(options->compat, "terminal: first reports");
    bool *made = memory_zeroed(reports->count + 1, sizeof *made), done = true, any_first = false;
    for (size_t i = 0; i < reports->count; i++)
        any_first |= docs_declared(reports->items[i], "first") != NULL;
    for (int is_rest = 0; is_rest <= self->shows_first; is_rest++)
        for (size_t i = 0; i < reports->count && done; i++) {
            const struct doc_object *report = reports->items[i];
            if (self->shows_first && !is_first(report, is_rest, *sheets, any_first))
                continue;
            const char *first = docs_declared(report, "first");
            made[i] = true;
            options->first = !self->shows_first ? 0 : first ? strtol(first, NULL, 10) : FIRST_ROWS;
            options->part = report_part(reports, i);
            options->only = report_wanted_sheets(&self->wanted, report);
            report_call_name_options(self, report, options);
            done = report_make(&self->warehouse, report, options, self->wanted.names.count > 0,
                               outputs->sinks.items, outputs->sinks.count, sheets, self->error);
        }
    const char *before = "\nMore reports: ";
    for (size_t i = 0; i < reports->count && done; i++) {
        bool may_have_rows = false;
        if (made[i] || report_part(reports, i) > 1)
            continue;
        done = report_call_may_fill(self, reports->items[i], &may_have_rows);
        if (may_have_rows) {
            text_format(&outputs->closing, "%s%s", before, reports->items[i]->name);
            before = ", ";
        }
    }
    if (*before == ',')
        text_add_string(&outputs->closing, " (add a name to the call; --top 0 shows all)");
    return done;
}

static bool write_reports(struct report_call *self, const struct output_context *context)
{
    struct outputs outputs;
    bool done = outputs_open(&outputs, self->arguments, context, self->error);
    done = done && list_run_lines(self, &outputs);
    if (done && !outputs.for_programs)
        context_set(self->warehouse.context, "only-findings", "1");
    if (done)
        done = read_first_lines(self, &outputs);
    done = done && (!outputs.to_tables || warehouse_run(&self->warehouse, "BEGIN", self->error));
    if (done) {
        struct report_options options = {
            .set = self->set,
            .compat = arguments_has(self->arguments, "compat"),
            .legacy_sheet_names = arguments_has(self->arguments, "legacy-sheet-names"),
            .one_sheet = outputs.one_sheet,
            .whole = outputs.sinks.count == 1 && arguments_has(self->arguments, "envelope"),
            .steps = self->by_step ? &self->steps : NULL,
            .by_rank = self->by_rank,
            .abstentions = &self->abstentions,
        };
        struct text remarks = {0};
        struct report_notes notes = {0};
        options.remarks = &remarks;
        options.notes = &notes;
        size_t sheets = 0;
        done = make_health(self, &outputs, &options, &sheets);
        done = done && make_reports(self, &outputs, &options, &sheets);
        report_notes_say_bare(&notes, between_lines(self), &outputs.closing);
        session_say_lines(remarks.items);
    }
    double linked_pct = 100;
    done = done && close_account(self, &outputs, &linked_pct) &&
           outputs_finish(&outputs, self->error) &&
           (!outputs.to_tables || warehouse_run(&self->warehouse, "COMMIT", self->error));
    if (done)
        outputs_say(&outputs, self->arguments);
    if (done && linked_pct < self->least)
        done = error_set(
            self->error, STATUS_CHECK_FAILED,
            "%.2f %% of the GPU busy time is linked to ops, less than the %g %% asked for",
            linked_pct, self->least);
    done = done && report_limits_hold(&self->limits, &self->files, &self->abstentions,
                                      &self->warehouse, self->error);
    outputs_close(&outputs);
    return done;
}

/* Configurations below a directory: they bring their own files. */
static bool run_report_configs(struct report_call *self)
{
    const char *alone = arguments_any(
        self->arguments, "run label trace by diff comparison-json-path fail-if min-explained");
    if (alone)
        return error_set(self->error, STATUS_USAGE, "tpq report: --%s does not go with -b", alone);
    if (!report_call_operands(self))
        return false;
    if (self->paths.count)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: -b finds the traces itself; '%s' cannot be named beside it",
                         self->paths.items[0]);
    self->wanted.set = self->set;
    return report_configs(self->arguments, &self->wanted, false, self->error);
}

/* Where the time goes is asked of traces without ops, too, unless a set or a reference is asked. */
static bool add_without_ops(struct report_call *self)
{
    return arguments_has(self->arguments, "set") || is_like_reference(self) ||
           like_reference(arguments_has(self->arguments, "compat"),
                          "reports: traces without ops") ||
           report_wanted_add_without_ops(&self->wanted, &self->warehouse, self->error);
}

/* All that is asked for is read before anything is opened. */
static bool read_wishes(struct report_call *self)
{
    const struct arguments *arguments = self->arguments;
    if (arguments_has(arguments, "comparison-capture-folder") &&
        !arguments_any(arguments, "diff comparison-json-path"))
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: --comparison-capture-folder needs --diff");
    bool has_workbook =
        arguments_any(arguments, "xlsx output-xlsx-path") || is_like_reference(self);
    self->options = context_new();
    if (has_workbook && /* some sheets are only there for their chart */
        !like_reference(arguments_has(arguments, "compat"), "workbooks: sheets of charts"))
        context_set(self->options, "workbook", "1");
    const char *beside_configs = arguments_any(
        arguments,
        "pattern extension filter dry-run output per-rank skip-existing jobs allow-duplicate-ranks "
        "strict-ranks compare replay-mode replay-dir replay-platform replay-timeout");
    if (beside_configs)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: --%s only goes with -b or --config", beside_configs);
    const char *least = arguments_value(arguments, "min-explained");
    char *end;
    self->least = least ? strtod(least, &end) : -1;
    if (least && (!*least || *end || !(self->least >= 0 && self->least <= 100)))
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: --min-explained must be a percentage, not '%s'", least);
    struct parted_views by = {0};
    if (!parted_views_read(&by, "report", arguments_value(arguments, "by"), self->error))
        return false;
    self->by_step = by.by_step;
    self->by_rank = by.by_rank;
    if (!report_limits_read(&self->limits, arguments, &self->files, self->error) ||
        !report_options_read(arguments, self->options, self->error) ||
        !report_options_read_files(arguments, self->options, self->error) ||
        !report_call_operands(self) || !report_call_other(self))
        return false;
    const char *choosing = self->paths.count ? arguments_any(arguments, "trace label") : NULL;
    if (choosing)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: --%s chooses from a warehouse; files are all reported",
                         choosing);
    const char **runs = arguments_values(arguments, "run");
    bool is_one_run = !runs[0] || !runs[1];
    return !self->paths.count || is_one_run ||
           error_set(self->error, STATUS_USAGE,
                     "tpq report: files are one run; --run names it once");
}

static bool run_report_call(struct report_call *self)
{
    const struct arguments *arguments = self->arguments;
    if (!read_wishes(self) || !report_call_keep_inputs(self) || !report_call_set(self) ||
        (self->is_tt && !report_options_read_tt(arguments, self->options, self->error)))
        return false;
    self->wanted.set = self->set;
    self->wanted.options = self->options;
    if (!report_wanted_choose(&self->wanted, self->error))
        return false;

    const struct doc_object *first =
        self->wanted.reports.count ? self->wanted.reports.items[0] : NULL;
    struct output_context context = {
        .input = report_call_input_name(self),
        .inputs = self->kept.items,
        .sheets = self->wanted.names.count > self->wanted.reports.count
                      ? self->wanted.names.count
                      : self->wanted.reports.count,
        .all_rows = self->is_tt || arguments_has(arguments, "all") ||
                    (first && docs_declared(first, "all-rows")),
        .first_sheet = self->is_tt && !self->wanted.names.count ? "ops" : NULL,
        .second_sheet =
            self->is_tt && !self->wanted.names.count && !context_get(self->options, "no-summary")
                ? "stacked"
                : NULL,
        .in_memory = self->paths.count && !arguments_has(arguments, "db"),
        .compat = arguments_has(arguments, "compat"),
        .like_reference = is_like_reference(self),
        .set = self->set,
    };
    if (!outputs_check(arguments, &context, self->error) || !report_call_open(self))
        return false;
    context_take_options(self->warehouse.context, self->options); /* were read once */
    if (!report_options_choose_arch(arguments, &self->warehouse, self->error) ||
        !report_call_select(self) ||
        !report_notes_find_nodes(&self->warehouse, self->set, arguments, self->error) ||
        !say_hidden_in_graphs(self) ||
        (!arguments_has(arguments, "capture-folder") &&
         !report_notes_say_captures(&self->warehouse, self->paths.count > 0, self->error)) ||
        (self->paths.count && !session_say_graph_notes(&self->warehouse, self->error)) ||
        !report_wanted_extend(&self->wanted, arguments, &self->warehouse, self->error) ||
        ((self->extensions.files.count || self->extensions.rules.count) &&
         !identify_health_again(&self->warehouse, &self->identity, self->error)) ||
        !add_without_ops(self) ||
        !report_files_install(&self->files, &self->warehouse, self->error) ||
        !report_wanted_leave_out(&self->wanted, self->error) ||
        (self->is_tt && !report_notes_say_tt(arguments, &self->warehouse, self->error)) ||
        ((strcmp(self->set, "multirank") == 0 || strcmp(self->set, "collectives") == 0) &&
         !report_notes_warn(&self->warehouse, self->error)))
        return false;
    struct report_options options = {
        .set = self->set, .legacy_sheet_names = arguments_has(arguments, "legacy-sheet-names")};
    if (!report_wanted_find_sheets(&self->wanted, &self->warehouse, &options, self->error))
        return false;
    if (!find_report_steps(self) || !read_abstentions(self))
        return false;
    context.db = self->warehouse.db;
    context.warehouse = &self->warehouse;
    context.docs = &self->files.docs;
    context.identity = &self->identity;
    context.abstentions = &self->abstentions;
    return write_reports(self, &context);
}

/* Tells if a word is the name of a report, or of a sheet that one may have. */
static bool is_report_or_sheet(const char *word, const doc_list *docs, bool *is,
                               struct error *error)
{
    struct warehouse catalogue;
    *is = report_find(docs, word, NULL) != NULL;
    if (*is || strcmp(word, "-") == 0 || strpbrk(word, "./")) /* no sheet is called so */
        return true;
    if (!warehouse_open(&catalogue, "memory", WAREHOUSE_MEMORY, 0, error))
        return false;
    bool done = report_knows_sheet(&catalogue, docs, word, is, error);
    warehouse_close(&catalogue);
    return done;
}

/* The words of a call again: the name of a report or sheet that stands where an output may have the
 * name of a file is an operand. */
static bool release_value(struct argument_value value, const doc_list *docs, struct arguments *read,
                          struct error *error)
{
    const struct form *form = form_of_option(value.option->name);
    bool is_name = false;
    if (value.is_word && form && form->kind != OUTPUT_SUMMARY &&
        !is_report_or_sheet(value.value, docs, &is_name, error))
        return false;
    if (is_name && value.option->argument[0] != '(')
        return error_set(error, STATUS_USAGE,
                         "tpq report: --%s needs a value (%s), and '%s' is a report or a sheet; "
                         "--%s=%s if it is meant",
                         value.option->name, value.option->argument, value.value,
                         value.option->name, value.value);
    if (is_name)
        array_add(&read->operands, value.value);
    value.value = is_name ? NULL : value.value;
    array_add(&read->values, value);
    return true;
}

/* Options of reference commands that are taken, and told to change nothing. */
#define WITHOUT_EFFECT "changes nothing: "
#define EACH_WITHOUT_EFFECT(ROW)                                                           \
    ROW("disable-plots", NULL, "nothing is plotted")                                       \
    ROW("enable-origami", NULL, "nothing is simulated")                                    \
    ROW("num-cus", "N", "nothing is simulated")                                            \
    ROW("name", "NAME", "nothing is simulated")                                            \
    ROW("python-path", "FILE", "nothing is run")                                           \
    ROW("inductor-cache-dir", "DIRECTORY", "models of Triton kernels come from the trace") \
    ROW("traceconv", "FILE", "Perfetto traces are read directly")                          \
    ROW("write-md", NULL, "--output-md-path FILE writes Markdown")                         \
    ROW("kernel-summary-top", "N", "--top N limits rows in Markdown")                      \
    ROW("hip-summary-top", "N", "--top N limits rows in Markdown")                         \
    ROW("world-size", "N", "the ranks of the traces are counted")                          \
    ROW("detailed-analysis", NULL, "all sheets are made")                                  \
    ROW("use-multiprocessing", NULL, "threads read the files")                             \
    ROW("max-workers", "N", "threads read the files")
#define WITHOUT_EFFECT_OPTION(name, argument, why) {name, 0, argument, WITHOUT_EFFECT why, NULL},

static bool run_report(const struct arguments *arguments, struct error *error)
{
    struct report_call self = {.arguments = arguments, .error = error};
    self.wanted = (struct report_wanted){.files = &self.files, .extensions = &self.extensions};
    const char *set = arguments_value(arguments, "set");
    self.set = set;
    for (size_t i = 0; i < arguments->values.count; i++) {
        const struct option *option = arguments->values.items[i].option;
        if (text_starts_with(option->help, WITHOUT_EFFECT))
            fprintf(stderr, "tpq: --%s %s\n", option->name, option->help);
    }
    struct arguments read = {0};
    bool done = extension_options_read(arguments, &self.extensions, error) &&
                report_files_read(&self.files, arguments, &self.extensions, error);
    if (done) {
        read = (struct arguments){.verb = arguments->verb};
        for (size_t i = 0; i < arguments->values.count && done; i++)
            done = release_value(arguments->values.items[i], &self.files.docs, &read, error);
        for (size_t i = 0; i < arguments->operands.count; i++)
            array_add(&read.operands, arguments->operands.items[i]);
    }
    self.arguments = arguments = &read;
    done = done && report_files_check_set(&self.files, set, arguments, error);
    if (done && arguments_has(arguments, "list"))
        done = report_call_list(&self);
    else if (done)
        done = arguments_any(arguments, "base config") ? run_report_configs(&self)
                                                       : run_report_call(&self);
    if (self.is_open)
        warehouse_close(&self.warehouse);
    return done;
}

static const struct option options[] = {
    /* inputs */
    OPTION_DATABASE,
    {"profile-json-path", 0, "FILE", "a trace, like an operand; the default output is a workbook",
     NULL},
    {"profile-path", 0, "FILE", "the same", NULL},
    {"profile-xplane-pb-path", 0, "FILE", "the same", NULL},
    {"trace-path", 0, "FILE", "the same", NULL},
    {"trace-dir", 0, "DIRECTORY", "traces of ranks, like an operand", NULL},
    {"trace-pattern", 0, "PATTERN", "the same: * is the rank", NULL},
    {"trace-glob", 0, "PATTERN", "the same: ** is any number of directories", NULL},
    {"rank-regex", 0, "PATTERN", "rank in the path of a trace, as --rank-pattern of tpq ingest",
     NULL},
    {"comparison-capture-folder", 0, "DIRECTORY", "the same as --capture-folder, of --diff", NULL},
    {"capture-folder", 0, "DIRECTORY",
     "traces of graph captures: captured ops get the GPU activities of the replays", NULL},
    {"no-python", 0, NULL, "read no Python frames of files, for a page either", NULL},
    OPTION_SALVAGE,
    OPTION_WAIT,
    /* reports */
    {"list", 0, NULL,
     "list reports by question; with words (all, a set, a question, what to look for) or a trace, "
     "what they name",
     NULL},
    {"set", 0, "SET", "set of reports; without it the one for the format of the traces", NULL},
    {"sheet", 0, "NAME", "a report, like an operand; may be repeated", NULL},
    OPTIONS_OF_VIEWS(COMMON){"report-dir", 0, "DIRECTORY",
                             "more reports: a .sql file each; may be repeated", NULL},
    OPTIONS_EXTENSION,
    OPTION_HEALTH_RULE,
    OPTION_PSEUDO_OPS,
    /* selection */
    OPTIONS_SELECTION(RUN_OPTION_WORDS "; with files, the name of their run"),
    {"by", 0, "COLUMNS",
     "rows by step, by rank, or by both (step,rank): reports are made for each step, and what is "
     "in "
     "none",
     NULL},
    {"signpost-range", 0, "NAME", "from this signpost up to the next one of that name", NULL},
    /* another trace */
    {"diff", 0, "SIDE",
     "beside each call what its part of the call tree takes in another trace, and the reports of "
     "tpq diff: a file; in a warehouse a run with one trace (also @last, @pin:NAME), or trace:N",
     NULL},
    {"comparison-json-path", 0, "FILE", "the same", NULL},
    OPTIONS_OF_VIEWS(DIFF)
    /* outputs */
    OPTIONS_OUTPUT,
    OPTION_CSV_RAW,
    OPTION_WIDE,
    {"legacy-sheet-names", 0, NULL, "older names of sheets", NULL},
    {"min-explained", 0, "PERCENT", "exit status 1 when less of the busy time is linked to an op",
     NULL},
    {"fail-if", 0, "LIMIT",
     "exit status 1 when a row of a report is so: 'step_mfu.mfu_pct < 40', 3 when no row has a "
     "value; may be repeated",
     NULL},
    /* figures */
    {"gpu-arch-platform", 0, "NAME", "device of the rooflines, whatever the trace records", NULL},
    {"gpu-arch-json-path", 0, "FILE", "the same, described in a file (JSON)", NULL},
    {"detect-recompute", 0, NULL, "separate GPU activities that recompute activations", NULL},
    {"enable-coll-analysis", 0, NULL, "coll_analysis also with --inference", NULL},
    OPTIONS_OF_VIEWS(FIGURES) OPTIONS_OF_VIEWS(INFERENCE){
        "graph-annotations", 0, "FILE",
        "modules and ops of CUDA graph nodes, as PyTorch writes them at the capture "
        "(kernel_annotations_rank0_1.json, or a pickle); may be repeated",
        NULL},
    OPTION_REQUEST_LOG,
    OPTION_LOG_OFFSET,
    OPTIONS_OF_VIEWS(JAX) OPTIONS_OF_VIEWS(ROCPROF)
        OPTIONS_OF_VIEWS(TT){"no-stacked-report", 0, NULL, "the same as --no-summary", NULL},
    {"no-stack-by-in0", 0, NULL, "the same as --group-by op", NULL},
    {"summary-file", 0, "NAME", "write the summary to NAME.csv, and its chart to NAME.svg", NULL},
    {"stacked-csv", 0, "NAME", "the same", NULL},
    {"classic-colors", 0, NULL, "its chart by time alone, in colours that do not tell categories",
     NULL},
    OPTIONS_CONFIGS,
    OPTIONS_OF_VIEWS(RANKS) OPTIONS_REPLAY,
    EACH_WITHOUT_EFFECT(WITHOUT_EFFECT_OPTION) OPTION_END,
};

static const struct section sections[] = {
    {"db", "Inputs"},
    {"list", "Reports and models"},
    {"run", "Selection"},
    {"diff", "Another trace"},
    {"csv", FORM_HEADING},
    {"gpu-arch-platform", "Figures"},
    {"inference", "Served models"},
    {"kernel-metadata-keyword-filters", "JAX"},
    {"print-signposts", "tt-metal"},
    {"base", "Configurations and ranks"},
    {"replay-mode", "Replay"},
    {"disable-plots", "Of other commands, without effect"},
    {NULL, NULL},
};

#define WRITTEN "output-xlsx-path output-csvs-dir "
#define DEVICE  "gpu-arch-platform gpu-arch-json-path enable-origami "
#define PYTORCH                                                                                   \
    WRITTEN DEVICE                                                                                \
        "profile-json-path inductor-cache-dir include-unlinked-kernels micro-idle-thresh-us "     \
        "disable-coll-analysis "                                                                  \
        "enable-kernel-summary short-kernel-study short-kernel-threshold-us "                     \
        "short-kernel-histogram-bins topk-short-kernels topk-ops topk-roofline-ops "              \
        "enable-pseudo-ops comparison-json-path extension-file python-path group-by-num-kernels " \
        "include-overlap-info detect-recompute include-first-occurrence-time include-call-stack "
#define PFTRACE WRITTEN "trace-path traceconv "

static const struct stand_in stand_ins[] = {
    {"TraceLens_generate_perf_report_pytorch", NULL, "profile-json-path", PYTORCH, NULL},
    {"TraceLens_generate_perf_report_pytorch_inference", "--inference", "profile-json-path",
     PYTORCH "inference-phase-analysis decode-threshold phase-detection-method capture-folder "
             "comparison-capture-folder "
             "enable-coll-analysis group-by-parent-module",
     NULL},
    {"TraceLens_generate_perf_report_jax", NULL, "profile-path",
     WRITTEN DEVICE "profile-path kernel-metadata-keyword-filters num-cus", NULL},
    {"TraceLens_generate_perf_report_jax_analysis", "--set=jax-analysis", "profile-xplane-pb-path",
     "profile-xplane-pb-path output-path output-filename output-table-formats hlo-module", NULL},
    {"TraceLens_generate_perf_report_rocprof", "--set=rocprof", "profile-json-path",
     WRITTEN "profile-json-path disable-kernel-summary kernel-details topk-kernels "
             "short-kernel-study short-kernel-threshold-us short-kernel-histogram-bins",
     NULL},
    {"TraceLens_generate_perf_report_pftrace_hip_activity", "--set=pftrace", "trace-path",
     PFTRACE "merge-kernels min-tid max-tid min-event-ns no-kernel-summary "
             "kernel-summary-include-rccl kernel-summary-baseline kernel-summary-group "
             "no-hip-summary hip-summary-group top-xla output-md-path write-md kernel-summary-top "
             "hip-summary-top",
     NULL},
    {"TraceLens_generate_perf_report_pftrace_hip_api", "--set=pftrace", "trace-path",
     PFTRACE "exclude-kernel-regex allow-multi-kernel-per-api include-nonlaunch-apis", NULL},
    {"TraceLens_generate_perf_report_pftrace_memory_copy", "--set=pftrace", "trace-path", PFTRACE,
     NULL},
    {"TraceLens_generate_multi_rank_collective_report_pytorch", "--set=collectives",
     "trace-dir trace-pattern trace-glob",
     WRITTEN "trace-dir trace-pattern trace-glob world-size rank-regex detailed-analysis "
             "use-multiprocessing max-workers agg-metrics gpus-per-node all2allv-heatmap",
     NULL},
    {.command = "TraceLens_generate_perf_report_genesis",
     .required = "profile-json-path",
     .instead = "tpq report TRACE reports on traces of PyTorch, JAX, rocprofv3 and Perfetto"},
    {"tt-perf-report", NULL, "FILE",
     "start-signpost end-signpost signpost signpost-range ignore-signposts print-signposts "
     "min-percentage id-range arch color no-color csv no-advice tracing-mode raw-op-codes "
     "no-host-ops no-summary no-stacked-report group-by summary-file stacked-csv no-stack-by-in0 "
     "classic-colors no-merge-devices merge-by",
     NULL},
    {0},
};

static const struct example examples[] = {
    {"tpq report trace.json.gz", "the default reports of a file, on the terminal"},
    {"tpq report --db w.db --run base ops_summary --top 50", "one report of a run"},
    {"tpq report trace.json.gz --xlsx=out.xlsx --csv out/", "a workbook and CSV files"},
    {"tpq report -b runs -f step_8", "all ranks of step 8, a workbook for each directory"},
    {"tpq report --step 3 --csv - gpu_timeline | head", "one profiler step"},
    {"tpq report before.json.gz --diff after.json.gz",
     "beside each op what it takes in another trace"},
    {"tpq report --by step,rank gpu_timeline", "all steps of all ranks in one table"},
    {NULL, NULL},
};

const struct verb verb_report = {
    .name = "report",
    .operands = "[OPTION]... [NAME | FILE]...",
    .also = "view show stats summary analyze analyse",
    .summary = "print reports, or write them as CSV, XLSX, HTML, JSON, ...",
    .details =
        "Reports on traces, or on a warehouse: the operand that is one, or --db. A NAME is a "
        "report of --list, "
        "NAME:rows=N its first N rows. Reports of nsys stats take NAME:base (base names of "
        "kernels) and NAME:nvtx-name (RANGE/KERNEL), too. Without names the default reports are "
        "made. Traces are read into memory, or with --db stored in that warehouse. Without an "
        "output option reports are printed. A warehouse of several runs gets one line per run: "
        "--run NAME reports on one run, --set SET on all.\n\nThe last line of printed reports "
        "is their coverage: how much of the GPU busy time is linked to ops.",
    .options = options,
    .sections = sections,
    .common = "db run step where set list csv xlsx json html top compat",
    .preferred = "html min-percentage group-by tracing-mode raw-op-codes color csv print-signposts "
                 "end-signpost", /* unique in a reference tool, with fewer options beside them */
    .shy = "comparison-json-path diff",
    .stand_ins = stand_ins,
    .examples = examples,
    .run = run_report,
};
