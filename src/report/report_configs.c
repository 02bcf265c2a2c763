/* report_configs: see report_configs.h.
 *
 * All that can be seen to be wrong is refused before a trace is read. Then one configuration after
 * the other is read and gets its workbook; in a warehouse of its own, unless one that stays is
 * named or an output is about all of them. A configuration that cannot be read makes the exit
 * status 3, and the others go on.
 */
#include "src/report/report_configs.h"

#include "ingest/configuration.h"
#include "ingest/ingest.h"
#include "query/replay/replay.h"
#include "query/report/identify.h"
#include "query/report/report.h"
#include "query/sink/xlsx_library.h"
#include "src/base/deviation.h"
#include "src/command/output.h"
#include "src/command/progress.h"
#include "src/command/verb_options.h"
#include "src/report/report_notes.h"
#include "src/report/report_options.h"

#include <string.h>
#include <unistd.h>

/* A configuration and its workbook. */
struct target {
    const struct configuration *configuration;
    char *workbook; /* NULL = none */
    bool is_skipped, is_read;
    ARRAY(int64_t) traces;
};

struct configs {
    const struct arguments *arguments;
    struct report_wanted *wanted;
    struct error *error;

    struct configuration_search search;
    configuration_list list;
    ARRAY(struct target) targets;
    ARRAY(const char *) kept; /* files that are not written over, ended by NULL */
    struct context *options;  /* of reports */
    bool in_memory, compat, replays, is_replay_alone;
    struct output_context outputs;
    bool has_outputs; /* beside the workbooks */
    char *summary;    /* the workbook that compares configurations; NULL = none */

    struct warehouse warehouse;
    struct identity identity; /* of the selection */
    bool is_open;
    struct progress progress;
    size_t files_before; /* of the target in hand, among all */
    struct target *at;
    struct error first; /* of a configuration that could not be read */
};

/* ------------------------------------------------------------------ what is asked for */

static bool read_search(struct configs *self, const char ***filters, const char ***explicit)
{
    static const char *const usual[] = {"rank_0", NULL};
    const struct arguments *arguments = self->arguments;
    const char *pattern = arguments_value(arguments, "pattern");
    const char *extension = arguments_value(arguments, "extension");
    *filters = arguments_values(arguments, "filter");
    *explicit = arguments_values(arguments, "config");
    self->search = (struct configuration_search){
        .base = arguments_value(arguments, "base"),
        .pattern = pattern ? pattern : "rank_",
        .extension = extension ? extension : "json",
        .filters = **filters ? *filters : usual,
        .explicit = *explicit,
        .allow_duplicates = arguments_has(arguments, "allow-duplicate-ranks"),
        .by_rank = arguments_has(arguments, "per-rank"),
    };
    if (**explicit && self->search.base)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: either -b or --config says where traces are, not both");
    return strcmp(self->search.extension, "json") == 0 ||
           strcmp(self->search.extension, "gz") == 0 ||
           error_set(self->error, STATUS_USAGE, "Invalid extension %s: it is json or gz",
                     self->search.extension);
}

static bool overwrites(const struct arguments *arguments)
{
    return arguments_has(arguments, "force") ||
           (!arguments_has(arguments, "output") && arguments_has(arguments, "output-xlsx-path"));
}

static bool wants_workbooks(const struct configs *self)
{
    return !self->has_outputs || self->is_replay_alone ||
           arguments_any(self->arguments, "xlsx output-xlsx-path output");
}

static bool make_targets(struct configs *self)
{
    /* The name that a call gives its one workbook; NULL when there is none. */
    const struct arguments *arguments = self->arguments;
    const char *name = arguments_value(arguments, "output");
    name = name ? name : arguments_value(arguments, "output-xlsx-path");
    const char *named = name ? name : arguments_value(arguments, "xlsx");
    if (named && self->list.count > 1)
        return error_set(self->error, STATUS_USAGE,
                         "Multiple parent directories with traces found, %s names one workbook: "
                         "%s and %s",
                         arguments_has(self->arguments, "output") ? "-o" : "--xlsx",
                         self->list.items[0].directory, self->list.items[1].directory);
    const char *usual =
        self->is_replay_alone ? "node_replay_report.xlsx" : "performance_report.xlsx";
    for (size_t i = 0; i < self->list.count; i++) {
        const struct configuration *configuration = &self->list.items[i];
        struct text path = {0};
        if (wants_workbooks(self) && named)
            text_add_string(&path, named);
        else if (wants_workbooks(self))
            configuration_add_output(configuration, &self->search, usual, &path);
        array_add(&self->targets,
                  (struct target){.configuration = configuration, .workbook = path.items});
    }
    return true;
}

/* All workbooks are looked at before anything is done. */
static bool check_workbooks(struct configs *self)
{
    const struct arguments *arguments = self->arguments;
    if (arguments_has(arguments, "compare")) {
        struct text path = {0};
        if (!self->search.base)
            return error_set(self->error, STATUS_USAGE,
                             "tpq report: --compare writes below the directory of -b");
        text_format(&path, "%s/multi_config_summary.xlsx", self->search.base);
        self->summary = path.items;
        if (!sink_check_path(self->summary, self->kept.items, self->error))
            return false;
        if (!overwrites(arguments) && access(self->summary, F_OK) == 0)
            return error_set(self->error, STATUS_DATABASE,
                             "%s: exists already (--force overwrites it)", self->summary);
    }
    for (size_t i = 0; i < self->targets.count; i++) {
        struct target *target = &self->targets.items[i];
        if (!target->workbook)
            continue;
        if (!sink_check_path(target->workbook, self->kept.items, self->error) ||
            !xlsx_library_load(self->error))
            return false;
        if (overwrites(arguments) || access(target->workbook, F_OK) != 0)
            continue;
        if (!arguments_has(arguments, "skip-existing"))
            return error_set(self->error, STATUS_DATABASE,
                             "%s: exists already (--force overwrites it, --skip-existing leaves "
                             "it)",
                             target->workbook);
        session_say_lines(target->workbook);
        target->is_skipped = !self->summary; /* otherwise it is read all the same */
        target->workbook = NULL;
    }
    return true;
}

/* ------------------------------------------------------------------ what is about to be done */

static void print_block(const struct configs *self, const struct target *target, bool is_dry)
{
    FILE *out = is_dry ? stdout : stderr;
    const struct configuration *configuration = target->configuration;
    fputs("==================== Creating performance report ====================\n", out);
    fputs("Parent directory: ", out);
    session_print(out, configuration->directory);
    if (target->workbook) {
        fputs("\nExcel file: ", out);
        session_print(out, configuration_file_name(target->workbook));
    }
    fputs("\nFilters: ", out);
    for (const char *const *filter = self->search.filters; *filter; filter++) {
        fputs(filter == self->search.filters ? "" : ", ", out);
        session_print(out, *filter);
    }
    fputs("\nRank pattern: ", out);
    session_print(out, self->search.pattern);
    fputs("\nTraces:\n", out);
    for (size_t i = 0; i < configuration->inputs.count; i++) {
        session_print(out, configuration_file_name(configuration->inputs.items[i].path));
        fputc('\n', out);
    }
    if (is_dry)
        fputs("==================== End of dry run ====================\n", out);
}

/* ------------------------------------------------------------------ reading */

static void take_trace(void *context, const struct ingest_outcome *outcome)
{
    struct configs *self = context;
    progress_hold(&self->progress);
    if (outcome->result == INGEST_STORED || outcome->result == INGEST_KNOWN)
        array_add(&self->at->traces, outcome->trace_id);
    else if (outcome->error)
        session_say_lines(outcome->error->text);
    progress_go_on(&self->progress);
}

static bool read_target(struct configs *self, struct target *target)
{
    const struct arguments *arguments = self->arguments;
    long jobs;
    struct error problem = {0};
    if (self->in_memory && !self->is_open)
        self->is_open =
            warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, self->error);
    if ((self->in_memory && !self->is_open) ||
        !arguments_number(arguments, "jobs", 1, 256, 0, &jobs, self->error))
        return false;
    struct ingest_options options = {
        .database = session_database(arguments),
        .into = self->in_memory ? &self->warehouse : NULL,
        .run = target->configuration->name,
        .jobs = (int)jobs,
        .read = {.no_frames = self->in_memory, .salvage = arguments_has(arguments, "salvage")}};
    struct ingest_observer observer = {take_trace, self, NULL};
    if (self->progress.bytes_read)
        observer.bytes_read = self->progress.bytes_read + self->files_before;
    self->at = target;
    self->files_before += target->configuration->inputs.count;
    if (!session_wait_ms(arguments, &options.wait_ms, self->error))
        return false;
    bool done = ingest_run(&options, &target->configuration->inputs, &observer, &problem);
    target->is_read = done;
    if (done)
        return true;
    if (problem.status != STATUS_BAD_INPUT) {
        *self->error = problem;
        return false;
    }
    self->first = problem;
    self->first.text[0] = '\0'; /* was printed as it came */
    return true;
}

/* ------------------------------------------------------------------ reporting */

/* The warehouse with the options of reports, whatever was read into it. */
static bool open_for_reports(struct configs *self)
{
    if (!self->in_memory) {
        bool writes = self->replays || arguments_has(self->arguments, "into-tables");
        if (self->is_open)
            warehouse_close(&self->warehouse);
        self->is_open = session_open(self->arguments, writes ? WAREHOUSE_WRITE : WAREHOUSE_READ,
                                     &self->warehouse, self->error);
    }
    if (!self->is_open)
        return false;
    context_take_options(self->warehouse.context, self->options);
    return report_options_choose_arch(self->arguments, &self->warehouse, self->error) &&
           report_files_install(self->wanted->files, &self->warehouse, self->error);
}

/* One configuration may have what another lacks. */
static bool select_config_traces(struct configs *self, const int64_t *traces, size_t count)
{
    struct selection_options options;
    bool done = selection_options_read(self->arguments, true, &options, self->error);
    options.selection.traces = traces;
    options.selection.trace_count = count;
    options.selection.is_part = true;
    done = done && selection_options_apply(&options.selection, &self->warehouse, self->error);
    self->identity = (struct identity){0};
    done = done && identify(&self->warehouse, &options.selection, &self->identity, self->error);
    return done && report_notes_find_nodes(&self->warehouse, self->wanted->set, self->arguments,
                                           self->error);
}

/* Extension files are for one selection. In a warehouse in memory, where another one follows, what
 * they did is taken back. */
static bool extend_config(struct configs *self)
{
    bool any = self->wanted->extensions->files.count > 0;
    return (!any || !self->in_memory ||
            warehouse_run(&self->warehouse, "SAVEPOINT selection", self->error)) &&
           report_wanted_extend(self->wanted, self->arguments, &self->warehouse, self->error) &&
           report_wanted_leave_out(self->wanted, self->error);
}

static bool take_back(struct configs *self)
{
    return !self->wanted->extensions->files.count || !self->in_memory ||
           (warehouse_roll_back(&self->warehouse, "ROLLBACK TO selection", self->error) &&
            warehouse_run(&self->warehouse, "RELEASE selection", self->error));
}

static bool make_config_reports(struct configs *self, struct sink *const *sinks, size_t count,
                                bool one_sheet)
{
    const report_list *reports = &self->wanted->reports;
    struct report_options options = {
        .set = self->wanted->set,
        .compat = self->compat,
        .legacy_sheet_names = arguments_has(self->arguments, "legacy-sheet-names"),
        .one_sheet = one_sheet,
    };
    struct report_notes notes = {0};
    options.notes = &notes;
    size_t sheets = 0;
    bool done = true;
    for (size_t i = 0; i < reports->count && done; i++) {
        options.part = report_part(reports, i);
        done = report_make(&self->warehouse, reports->items[i], &options,
                           self->wanted->names.count > 0, sinks, count, &sheets, self->error);
    }
    return done;
}

static bool write_workbook(struct configs *self, const char *path)
{
    struct sink_target target = {.path = path,
                                 .index =
                                     !like_reference(self->compat, "workbooks: list of sheets"),
                                 .overwrite = overwrites(self->arguments),
                                 .identity = &self->identity,
                                 .notes = !like_reference(self->compat, "workbooks: notes")};
    struct sink *sink = sink_xlsx(&target, self->error);
    bool done =
        sink && make_config_reports(self, &sink, 1, false) && sink_finish(sink, self->error);
    sink_free(sink);
    return done;
}

static bool make_again(struct configs *self, const struct target *target)
{
    const struct arguments *arguments = self->arguments;
    const char *mode = arguments_value(arguments, "replay-mode");
    struct text path = {0}, notes = {0};
    long seconds;
    bool done = arguments_number(arguments, "replay-timeout", 1, 86400, 120, &seconds, self->error);

    /* WORKBOOK_replay, without its ending, or the directory that was named. */
    const char *named = arguments_value(self->arguments, "replay-dir");
    if (named) {
        text_add_string(&path, named);
        if (self->list.count != 1)
            text_format(&path, "/%s", target->configuration->stem);

    } else {
        if (target->workbook)
            text_add_string(&path, target->workbook);
        else
            configuration_add_output(target->configuration, &self->search,
                                     "performance_report.xlsx", &path);
        size_t length = strlen(".xlsx");
        if (path.count > length && strcmp(path.items + path.count - length, ".xlsx") == 0)
            path.count -= length;
        text_add_string(&path, "_replay");
    }
    struct replay_options options = {.directory = path.items,
                                     .platform = arguments_value(arguments, "replay-platform"),
                                     .runs = !mode || strcmp(mode, "run") == 0,
                                     .seconds = (int)seconds};
    done = done && replay_make(&self->warehouse, &options, &notes, self->error);
    if (done)
        text_format(&notes, "wrote %s/\n", path.items);
    session_say_lines(notes.items);
    return done;
}

/* Reads a configuration and writes its workbook. */
static bool do_target(struct configs *self, struct target *target)
{
    progress_pause(&self->progress, false);
    bool read = read_target(self, target);
    progress_pause(&self->progress, true);
    if (!read || !target->is_read)
        return read;
    bool refused = false; /* ranks are missing, or have different collectives */
    if (!open_for_reports(self) ||
        !select_config_traces(self, target->traces.items, target->traces.count) ||
        !extend_config(self) ||
        (!self->is_replay_alone &&
         !report_notes_say(&self->warehouse, target->configuration->name,
                           arguments_has(self->arguments, "verbose"), self->error)) ||
        (arguments_has(self->arguments, "strict-ranks") &&
         !report_notes_check(&self->warehouse, &refused, &self->first, self->error)))
        return false;
    if (!refused && ((self->replays && !make_again(self, target)) ||
                     (target->workbook && !write_workbook(self, target->workbook))))
        return false;
    if (!take_back(self))
        return false;
    if (self->in_memory && !self->has_outputs && !self->summary) {
        warehouse_close(&self->warehouse);
        self->is_open = false;
    }
    return true;
}

static bool select_all_configs(struct configs *self)
{
    ARRAY(int64_t) traces = {0};
    for (size_t i = 0; i < self->targets.count; i++)
        for (size_t j = 0; j < self->targets.items[i].traces.count; j++)
            array_add(&traces, self->targets.items[i].traces.items[j]);
    return traces.count && open_for_reports(self) &&
           select_config_traces(self, traces.items, traces.count);
}

/* The outputs that are about all configurations. */
static bool write_config_outputs(struct configs *self)
{
    struct outputs outputs = {0};
    self->outputs.db = self->warehouse.db;
    self->outputs.warehouse = &self->warehouse;
    self->outputs.docs = &self->wanted->files->docs;
    self->outputs.set = self->wanted->set;
    self->outputs.identity = &self->identity;
    bool done =
        outputs_open(&outputs, self->arguments, &self->outputs, self->error) &&
        (!outputs.to_tables || warehouse_run(&self->warehouse, "BEGIN", self->error)) &&
        make_config_reports(self, outputs.sinks.items, outputs.sinks.count, outputs.one_sheet) &&
        outputs_finish(&outputs, self->error) &&
        (!outputs.to_tables || warehouse_run(&self->warehouse, "COMMIT", self->error));
    if (done)
        outputs_say(&outputs, self->arguments);
    outputs_close(&outputs);
    return done;
}

/* The workbook that compares configurations: reports of another set. */
static bool write_summary(struct configs *self)
{
    struct report_wanted wanted = {.files = self->wanted->files,
                                   .extensions = self->wanted->extensions,
                                   .set = "multirank-summary"};
    struct configs summary = *self;
    summary.wanted = &wanted;
    report_defaults(&wanted.files->docs, self->warehouse.context, wanted.set, &wanted.reports);
    return write_workbook(&summary, self->summary);
}

static bool do_all(struct configs *self)
{
    size_t files = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < self->targets.count; i++) {
        const struct target *target = &self->targets.items[i];
        if (target->is_skipped)
            continue;
        files += target->configuration->inputs.count;
        bytes += discover_bytes(&target->configuration->inputs);
        print_block(self, target, false);
    }
    progress_start(&self->progress, files, bytes, isatty(STDERR_FILENO));
    bool done = true;
    for (size_t i = 0; i < self->targets.count && done; i++)
        if (!self->targets.items[i].is_skipped)
            done = do_target(self, &self->targets.items[i]);
    progress_stop(&self->progress);
    if (done && (self->has_outputs || self->summary) && self->first.status == STATUS_OK)
        done = select_all_configs(self) && extend_config(self) &&
               (!self->has_outputs || write_config_outputs(self)) &&
               (!self->summary || write_summary(self));
    if (done && self->first.status != STATUS_OK) {
        *self->error = self->first;
        done = false;
    }
    return done;
}

/* ------------------------------------------------------------------ the call */

static bool run_search(struct configs *self)
{
    const struct arguments *arguments = self->arguments;
    struct context *options = self->options = context_new();
    bool has_charts =
        wants_workbooks(self) && !like_reference(self->compat, "workbooks: sheets of charts");
    self->wanted->options = options;
    if (self->replays)
        context_set(options, "replay", "1");
    if (has_charts)
        context_set(options, "workbook", "1");
    struct text warnings = {0};
    bool done = report_options_read(arguments, options, self->error) &&
                report_options_read_files(arguments, options, self->error) &&
                report_wanted_choose(self->wanted, self->error) &&
                configuration_find(&self->search, &self->list, &warnings, self->error);
    session_say_lines(warnings.items);
    if (!done || !make_targets(self))
        return false;
    if (arguments_has(arguments, "dry-run")) {
        for (size_t i = 0; i < self->targets.count; i++)
            print_block(self, &self->targets.items[i], true);
        return true;
    }
    for (size_t i = 0; i < self->list.count; i++)
        for (size_t j = 0; j < self->list.items[i].inputs.count; j++)
            array_add(&self->kept, self->list.items[i].inputs.items[j].path);
    if (!self->in_memory)
        array_add(&self->kept, session_database(self->arguments));
    array_add(&self->kept, NULL);
    if (!check_workbooks(self))
        return false;
    const struct report_wanted *wanted = self->wanted;
    self->outputs = (struct output_context){
        .input = self->search.base,
        .inputs = self->kept.items,
        .sheets = wanted->names.count > wanted->reports.count ? wanted->names.count
                                                              : wanted->reports.count,
        .in_memory = self->in_memory,
        .compat = self->compat,
        .other_workbook = true,
        .on_terminal = self->is_replay_alone,
    };
    return outputs_check(arguments, &self->outputs, self->error) && do_all(self);
}

bool report_configs(const struct arguments *arguments, struct report_wanted *wanted,
                    bool is_replay_alone, struct error *error)
{
    struct configs self = {.arguments = arguments,
                           .wanted = wanted,
                           .error = error,
                           .in_memory = !arguments_has(arguments, "db"),
                           .compat = arguments_has(arguments, "compat"),
                           .replays = is_replay_alone || arguments_has(arguments, "replay"),
                           .is_replay_alone = is_replay_alone,
                           .has_outputs = is_replay_alone || outputs_beside_workbook(arguments)};
    const char **filters = NULL, **explicit = NULL;
    wanted->set = wanted->set ? wanted->set : "multirank";
    if (is_replay_alone)
        array_add(&wanted->names, "ranks_node_replay");
    bool done = read_search(&self, &filters, &explicit);
    done = done && run_search(&self);
    if (self.is_open)
        warehouse_close(&self.warehouse);
    return done;
}
