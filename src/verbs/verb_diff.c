/* verb_diff: `tpq diff`, the call trees of two traces as one, and where their work differs. */
#include "ingest/discover.h"
#include "ingest/ingest.h"
#include "query/compare/sheet_files.h"
#include "query/diff/op_maps.h"
#include "query/diff/tree_file.h"
#include "query/report/identify.h"
#include "query/report/report.h"
#include "query/select/selection.h"
#include "src/base/deviation.h"
#include "src/base/file.h"
#include "src/command/output.h"
#include "src/command/selection_options.h"
#include "src/command/session.h"
#include "src/report/diff_side.h"
#include "src/report/report_files.h"
#include "src/report/report_options.h"

#include <string.h>

enum { SIDES = 2 };

struct call {
    const struct arguments *arguments;
    struct error *error;
    struct warehouse warehouse;
    bool is_open, in_memory;
    int64_t traces[SIDES];
    struct report_files files;
    report_list reports;
    struct identity identity; /* of the selection */
    input_list inputs;
    ARRAY(const char *) kept; /* paths that are not written over, ended by NULL */
};

static const char *operand(const struct call *self, int side)
{
    return self->arguments->operands.items[side];
}

/* ------------------------------------------------------------------ the two traces */

/* Each file is a run of its own, so that the same content twice is two traces. */
static bool take_side(struct call *self, int side)
{
    struct ingest_options options = {
        .database = "memory", .into = &self->warehouse, .run = side == 0 ? "baseline" : "variant"};
    return self->in_memory ? diff_side_ingest(self->arguments, operand(self, side), &options,
                                              &self->inputs, &self->traces[side], self->error)
                           : diff_side_find(self->arguments, &self->warehouse, operand(self, side),
                                            &self->traces[side], self->error);
}

static bool open_sides(struct call *self)
{
    bool are_files[SIDES];
    for (int side = 0; side < SIDES; side++)
        are_files[side] = diff_side_is_file(operand(self, side));
    if (are_files[0] != are_files[1])
        return error_set(self->error, STATUS_USAGE,
                         "tpq diff: '%s' is a file and '%s' is not; either two files, or runs or "
                         "traces of a warehouse",
                         operand(self, !are_files[0]), operand(self, are_files[0]));
    self->in_memory = are_files[0];
    self->is_open =
        self->in_memory
            ? warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, self->error)
            : session_open(self->arguments,
                           arguments_has(self->arguments, "into-tables") ? WAREHOUSE_WRITE
                                                                         : WAREHOUSE_READ,
                           &self->warehouse, self->error);
    bool done = self->is_open;
    for (int side = 0; side < SIDES && done; side++)
        done = take_side(self, side);
    if (done && self->traces[0] == self->traces[1])
        return error_set(self->error, STATUS_USAGE, "tpq diff: both sides are trace %lld",
                         (long long)self->traces[0]);
    for (int side = 0; side < SIDES && done; side++)
        done = diff_side_check(self->arguments, &self->warehouse, operand(self, side),
                               self->traces[side], self->error);
    return done;
}

/* A side's identity, under the user's word for it. */
static bool identify_side(struct call *self, int side)
{
    struct selection selection = {.traces = &self->traces[side],
                                  .trace_count = 1,
                                  .step = arguments_value(self->arguments, "step"),
                                  .iteration = arguments_value(self->arguments, "iteration"),
                                  .time = arguments_value(self->arguments, "time"),
                                  .is_part = true};
    struct identity *identity = array_push(&self->identity.sides);
    struct text words = {0};
    bool is_empty;
    if (!identity)
        return error_memory(self->error);
    *identity = (struct identity){.side = strdup(operand(self, side))};
    bool done = (identity->side || error_memory(self->error)) &&
                selection_apply(&self->warehouse, &selection, &is_empty, &words, self->error) &&
                identify_selection(&self->warehouse, &selection, identity, self->error);
    text_free(&words);
    return done;
}

static bool identify_sides(struct call *self)
{
    bool done = identity_add(&self->identity, "version", IDENTITY_TEXT, TPQ_VERSION) ||
                error_memory(self->error);
    for (int side = 0; side < SIDES && done; side++)
        done = identify_side(self, side);
    return done && (identity_sum_up(&self->identity) || error_memory(self->error));
}

static bool select_sides(struct call *self)
{
    struct selection selection = {.traces = self->traces,
                                  .trace_count = SIDES,
                                  .step = arguments_value(self->arguments, "step"),
                                  .iteration = arguments_value(self->arguments, "iteration"),
                                  .time = arguments_value(self->arguments, "time")};
    struct text words = {0}, base = {0};
    bool is_empty = false;
    bool done = selection_apply(&self->warehouse, &selection, &is_empty, &words, self->error);
    if (done && is_empty)
        done = error_set(self->error, STATUS_USAGE, "tpq diff: %s",
                         words.count ? words.items : "nothing is selected");
    text_free(&words);
    done = done && ((text_format(&base, "%lld", (long long)self->traces[0]) &&
                     context_set(self->warehouse.context, "diff-base", base.items)) ||
                    error_memory(self->error));
    text_free(&base);
    return done;
}

/* ------------------------------------------------------------------ outputs */

static bool choose_reports(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    if (!report_files_read(&self->files, arguments, NULL, self->error))
        return false;
    if (arguments->operands.count == SIDES)
        return report_defaults(&self->files.docs, self->warehouse.context, "diff",
                               &self->reports) ||
               error_memory(self->error);
    for (size_t i = SIDES; i < arguments->operands.count; i++) {
        const char *word = arguments->operands.items[i];
        const struct doc_object *report = report_find(&self->files.docs, word, "diff");
        const char *set = report ? docs_declared(report, "set") : NULL;
        if (!set || strcmp(set, "diff") != 0)
            return error_set(self->error, STATUS_USAGE,
                             "tpq diff: '%s' is no report about two call trees; see tpq report "
                             "--list",
                             word);
        if (!array_add(&self->reports, report))
            return error_memory(self->error);
    }
    return true;
}

static bool make_reports(struct call *self, struct sink *const *sinks, size_t count)
{
    struct report_options options = {.set = "diff",
                                     .compat = arguments_has(self->arguments, "compat")};
    size_t sheets = 0;
    bool done = true;
    for (size_t i = 0; i < self->reports.count && done; i++)
        done = report_make(&self->warehouse, self->reports.items[i], &options,
                           self->arguments->operands.count > SIDES, sinks, count, &sheets,
                           self->error);
    return done;
}

static bool write_tree(struct call *self, const char *folder, FILE *out)
{
    struct tree_file_options options = {.with_times = arguments_has(self->arguments, "times"),
                                        .prune = arguments_has(self->arguments, "prune")};
    options.width = folder ? 0 : (size_t)session_width(self->arguments);
    if (!folder)
        return tree_file_write(&self->warehouse, &options, out, self->error);
    struct text path = {0};
    struct new_file file;
    bool done =
        text_format(&path, "%s/merged_tree_output.txt", folder) || error_memory(self->error);
    done = done && new_file_open(&file, path.items, self->error) &&
           new_file_close(&file, tree_file_write(&self->warehouse, &options, file.out, self->error),
                          self->error);
    text_free(&path);
    return done;
}

/* No file of the folder is an input; nothing is written before that is known of all of them. */
static bool check_folder(struct call *self, const char *folder)
{
    static const char *const others[] = {"merged_tree_output.txt", "cpu_op_map.json",
                                         "cpu_op_map_trace1.json", "cpu_op_map_trace2.json"};
    enum { OTHERS = sizeof others / sizeof *others };
    bool done = true;
    for (size_t i = 0; i < OTHERS + self->reports.count && done; i++) {
        struct text path = {0};
        done = (i < OTHERS ? text_format(&path, "%s/%s", folder, others[i])
                           : text_format(&path, "%s/%s.csv", folder,
                                         sheet_of_report(self->reports.items[i - OTHERS]))) ||
               error_memory(self->error);
        done = done && sink_check_path(path.items, self->kept.items, self->error);
        text_free(&path);
    }
    return done;
}

/* The files of the reference tool: the tree, its tables as CSV, the maps of ops. */
static bool write_folder(struct call *self, const char *folder)
{
    struct sink_target target = {.path = folder,
                                 .inputs = self->kept.items,
                                 .raw = like_reference(arguments_has(self->arguments, "compat"),
                                                       "CSV: texts that look like formulas")};
    if (!check_folder(self, folder) || !file_make_folder(folder, self->error))
        return false;
    struct sink *sink = sink_csv(&target, self->error);
    bool done = sink && make_reports(self, &sink, 1) && sink->finish(sink, self->error) &&
                write_tree(self, folder, NULL) &&
                op_maps_write(&self->warehouse, folder, self->error);
    if (sink)
        sink->free(sink);
    if (done && !arguments_has(self->arguments, "quiet"))
        fprintf(stderr, "tpq: wrote %s/: the merged tree, %zu tables, 3 maps of ops\n", folder,
                self->reports.count);
    return done;
}

static bool write_outputs(struct call *self, const struct output_context *context)
{
    struct outputs outputs;
    bool done = outputs_open(&outputs, self->arguments, context, self->error) &&
                (!outputs.to_tables || warehouse_run(&self->warehouse, "BEGIN", self->error)) &&
                make_reports(self, outputs.sinks.items, outputs.sinks.count) &&
                outputs_finish(&outputs, self->error) &&
                (!outputs.to_tables || warehouse_run(&self->warehouse, "COMMIT", self->error));
    if (done)
        outputs_say(&outputs, self->arguments);
    outputs_close(&outputs);
    return done;
}

static bool has_output(const struct arguments *arguments)
{
    for (const struct form *form = output_forms; form->option || form->mode; form++)
        if (form->option && arguments_has(arguments, form->option))
            return true;
    return false;
}

static bool keep_inputs(struct call *self)
{
    size_t count = self->inputs.count;
    if (!array_reserve(&self->kept, count + 2))
        return error_memory(self->error);
    for (size_t i = 0; i < count; i++)
        self->kept.items[self->kept.count++] = self->inputs.items[i].path;
    if (!self->in_memory)
        self->kept.items[self->kept.count++] = session_database(self->arguments);
    self->kept.items[self->kept.count++] = NULL;
    return true;
}

static bool run_all(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    const char *folder = arguments_value(arguments, "output-dir");
    bool prints_tree = arguments_any(arguments, "tree times");
    if (!session_operands(arguments, SIDES, SIZE_MAX, self->error) || !open_sides(self) ||
        !keep_inputs(self) || !identify_sides(self) || !select_sides(self) ||
        !report_options_read(arguments, self->warehouse.context, self->error) ||
        !choose_reports(self))
        return false;
    struct output_context context = {.input = operand(self, 1),
                                     .inputs = self->kept.items,
                                     .sheets = self->reports.count,
                                     .db = self->warehouse.db,
                                     .warehouse = &self->warehouse,
                                     .docs = &self->files.docs,
                                     .page_set = "pytorch",
                                     .identity = &self->identity,
                                     .in_memory = self->in_memory,
                                     .compat = arguments_has(arguments, "compat")};
    if (!outputs_check(arguments, &context, self->error))
        return false;
    if (folder && !write_folder(self, folder))
        return false;
    if (prints_tree && !folder && !write_tree(self, NULL, stdout))
        return false;
    bool is_done = (folder || prints_tree) && !has_output(arguments);
    return is_done || write_outputs(self, &context);
}

static bool run_diff(const struct arguments *arguments, struct error *error)
{
    struct call self = {.arguments = arguments, .error = error};
    bool done = run_all(&self);
    report_files_free(&self.files);
    array_free(&self.reports);
    if (self.is_open)
        warehouse_close(&self.warehouse);
    discover_free(&self.inputs);
    array_free(&self.kept);
    identity_free(&self.identity);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"output-dir", 'o', "DIRECTORY",
     "files: the merged tree, the reports as CSV, maps of ops to kernels as JSON", NULL},
    {"tree", 0, NULL, "print the merged tree", NULL},
    {"times", 0, NULL,
     "with GPU time below each op in both traces; on a terminal long names lose their middle "
     "(--wide: none)",
     NULL},
    {"prune", 0, NULL, "only what has GPU activities below it", NULL},
    {"rank", 0, "R", "of files and runs with traces of several ranks the one of this rank", NULL},
    {"step", 0, "N", "only this step of the profiler, or N-M, of both", NULL},
    ITERATION_OPTION,
    {"time", 0, "FROM-TO", "only host events that start in this window, in both traces: 1.2s-1.3s",
     NULL},
    OPTIONS_OF_VIEWS(DIFF){"include-call-stack", 0, NULL, "compare Python frames, too", NULL},
    OPTIONS_OF_VIEWS(COMMON){"report-dir", 0, "DIRECTORY", "more reports, from its .sql files",
                             NULL},
    OPTIONS_OUTPUT,
    OPTION_CSV_RAW,
    OPTION_WIDE,
    OPTION_WAIT,
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq diff before.json.gz after.json.gz", "what runs other kernels, and what that changes"},
    {"tpq diff h100 mi300 --times --prune | less", "two runs of the warehouse, call by call"},
    {"tpq diff 3 7 -o parted --compat", "two traces, as the six files of the reference tool"},
    {"tpq diff base tuned diff_lca --csv -", "one table"},
    {NULL, NULL},
};

const struct verb verb_diff = {
    .name = "diff",
    .operands = "[OPTION]... FILE|RUN|TRACE FILE|RUN|TRACE [REPORT]...",
    .summary = "compare the call trees of two traces",
    .details =
        "The first one is the baseline. Calls of both are matched by their place, their names "
        "and what is below them. GPU activities that only one has, or that differ in time, "
        "count for the lowest call above them that both have. Sides are files, or words for a "
        "run with one trace (its name, @last, @last~1, @pin:NAME, KEY=VALUE), or trace:N. Of "
        "several ranks --rank names one. Without an option about outputs the reports of the set "
        "diff are printed; names of reports choose among them. The tables diff_node and "
        "diff_gpu have it all for SQL.",
    .preferred = "html",
    .options = options,
    .examples = examples,
    .run = run_diff,
};
