/* verb_diff: `tpq diff`, the call trees of two traces as one, and where their work differs. */
#include "ingest/discover.h"
#include "ingest/ingest.h"
#include "query/compare/sheet_files.h"
#include "query/report/identify.h"
#include "query/report/report.h"
#include "query/select/selection.h"
#include "sql/database.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/deviation.h"
#include "src/base/file.h"
#include "src/base/intern.h"
#include "src/base/order.h"
#include "src/base/text.h"
#include "src/base/visible.h"
#include "src/command/output.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"
#include "src/report/diff_side.h"
#include "src/report/report_files.h"
#include "src/report/report_options.h"

#include <string.h>

/* ------------------------------------------------------------------ maps of op names */

enum { DEPTH = 4 };

/* A JSON object of objects and lists, from rows that say what is at each depth: as long as the
 * texts of two rows agree they are in the same place. */
struct map_writing {
    struct text out;
    struct text path[DEPTH];
    int depth; /* of what is open */
};

static void indent_map(struct map_writing *self, int depth)
{
    text_add_byte(&self->out, '\n');
    for (int i = 0; i < depth; i++)
        text_add_string(&self->out, "  ");
}

/* Closes what is open below a depth; the innermost of `levels` is a list. */
static void close_map(struct map_writing *self, int depth, int levels)
{
    for (; self->depth > depth; self->depth--) {
        indent_map(self, self->depth);
        text_add_byte(&self->out, self->depth == levels - 1 ? ']' : '}');
    }
}

static bool write_map(struct warehouse *warehouse, const char *folder, const char *file,
                      const char *sql, struct error *error)
{
    struct map_writing writing = {0};
    sqlite3_stmt *from = NULL;
    int result = database_prepare(warehouse->db, sql, &from, NULL);
    int levels = result == SQLITE_OK ? sqlite3_column_count(from) : 0;
    bool is_first = true;
    text_add_byte(&writing.out, '{');
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        result = SQLITE_OK;

        /* A row: keys, and the last text in their list. */
        int same = 0;
        while (same < levels - 1 && !is_first &&
               strcmp(writing.path[same].items, (const char *)sqlite3_column_text(from, same)) == 0)
            same++;
        close_map(&writing, same, levels);
        if (!is_first)
            text_add_byte(&writing.out, ',');
        for (int i = same; i < levels; i++) {
            const char *text = (const char *)sqlite3_column_text(from, i);
            if (!text)
                memory_fail();
            text_clear(&writing.path[i]);
            text_add(&writing.path[i], text, strlen(text) + 1);
            indent_map(&writing, writing.depth + 1);
            text_add_json(&writing.out, view_of(text));
            if (i < levels - 1) {
                text_add_string(&writing.out, i == levels - 2 ? ": [" : ": {");
                writing.depth++;
            }
        }
        is_first = false;
    }
    bool done = result == SQLITE_DONE || warehouse_error(warehouse, error);
    database_finalize(from);
    struct text path = {0};
    close_map(&writing, 0, levels);
    if (!is_first)
        indent_map(&writing, 0);
    text_add_byte(&writing.out, '}');
    text_format(&path, "%s/%s", folder, file);
    return done && file_write(path.items, text_view(&writing.out), error);
}

/* Ops and kernels of one trace, each pair once. */
#define PAIRS_OF(is_in) \
    "SELECT DISTINCT cpu_op_name, name FROM diff_op_work WHERE " is_in " ORDER BY 1, 2"

/* Ops by the row of diff_stats_unique_args_summary in which they come first: that with the most
 * time. */
#define LINES(source)                                                                            \
    "WITH line AS (SELECT most_ns, most_name, op_name, source, 'kernels' AS what, name AS text " \
    "FROM diff_op_work UNION ALL SELECT most_ns, most_name, op_name, source, "                   \
    "'nn_module_parents', replace(nn_module_parent, ' ', '') FROM diff_op_work) "                \
    "SELECT DISTINCT op_name, " source "what, text FROM line "                                   \
    "ORDER BY most_ns DESC, most_name, op_name, " source "what, text"

/* ------------------------------------------------------------------ the call */

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

static const char *diff_operand(const struct call *self, int side)
{
    return self->arguments->operands.items[side];
}

/* ------------------------------------------------------------------ the two traces */

static bool open_sides(struct call *self)
{
    bool are_files[SIDES];
    for (int side = 0; side < SIDES; side++)
        are_files[side] = diff_side_is_file(diff_operand(self, side));
    if (are_files[0] != are_files[1])
        return error_set(self->error, STATUS_USAGE,
                         "tpq diff: '%s' is a file and '%s' is not; either two files, or runs or "
                         "traces of a warehouse",
                         diff_operand(self, !are_files[0]), diff_operand(self, are_files[0]));
    self->in_memory = are_files[0];
    self->is_open =
        self->in_memory
            ? warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, self->error)
            : session_open(self->arguments,
                           arguments_has(self->arguments, "into-tables") ? WAREHOUSE_WRITE
                                                                         : WAREHOUSE_READ,
                           &self->warehouse, self->error);
    if (!self->is_open)
        return false;
    for (int side = 0; side < SIDES; side++) {
        /* Each file is a run of its own, so that the same content twice is two traces. */
        struct ingest_options options = {.database = "memory",
                                         .into = &self->warehouse,
                                         .run = side == 0 ? "baseline" : "variant"};
        if (!(self->in_memory
                  ? diff_side_ingest(self->arguments, diff_operand(self, side), &options,
                                     &self->inputs, &self->traces[side], self->error)
                  : diff_side_find(self->arguments, &self->warehouse, diff_operand(self, side),
                                   &self->traces[side], self->error)))
            return false;
    }
    if (self->traces[0] == self->traces[1])
        return error_set(self->error, STATUS_USAGE, "tpq diff: both sides are trace %lld",
                         (long long)self->traces[0]);
    for (int side = 0; side < SIDES; side++)
        if (!diff_side_check(self->arguments, &self->warehouse, diff_operand(self, side),
                             self->traces[side], self->error))
            return false;
    return true;
}

/* Identifies each side, under the user's word for it, and selects both. */
static bool select_sides(struct call *self)
{
    struct selection selection = {.step = arguments_value(self->arguments, "step"),
                                  .iteration = arguments_value(self->arguments, "iteration"),
                                  .time = arguments_value(self->arguments, "time")};
    struct asker asker = {.warehouse = &self->warehouse};
    struct text words = {0}, base = {0};
    bool is_empty = false;
    identity_add(&self->identity, "version", IDENTITY_TEXT, TPQ_VERSION);
    for (int side = 0; side < SIDES; side++) {
        struct identity *identity = array_push(&self->identity.sides);
        *identity = (struct identity){.side = memory_text(diff_operand(self, side))};
        selection.traces = &self->traces[side];
        selection.trace_count = 1;
        selection.is_part = true;
        if (!selection_apply(&self->warehouse, &selection, &is_empty, &words, self->error) ||
            !identify_selection(&asker, &selection, identity, self->error))
            return false;
    }
    identity_sum_up(&self->identity);
    selection.traces = self->traces;
    selection.trace_count = SIDES;
    selection.is_part = false;
    text_clear(&words);
    if (!selection_apply(&self->warehouse, &selection, &is_empty, &words, self->error))
        return false;
    if (is_empty)
        return error_set(self->error, STATUS_USAGE, "tpq diff: %s",
                         words.count ? words.items : "nothing is selected");
    text_format(&base, "%lld", (long long)self->traces[0]);
    context_set(self->warehouse.context, "diff-base", base.items);
    return true;
}

/* ------------------------------------------------------------------ outputs */

static bool choose_reports(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    if (!report_files_read(&self->files, arguments, NULL, self->error))
        return false;
    if (arguments->operands.count == SIDES)
        report_defaults(&self->files.docs, self->warehouse.context, "diff", &self->reports);
    for (size_t i = SIDES; i < arguments->operands.count; i++) {
        const char *word = arguments->operands.items[i];
        const struct doc_object *report = report_find(&self->files.docs, word, "diff");
        const char *set = report ? docs_declared(report, "set") : NULL;
        if (!set || strcmp(set, "diff") != 0)
            return error_set(self->error, STATUS_USAGE,
                             "tpq diff: '%s' is no report about two call trees; see tpq report "
                             "--list",
                             word);
        array_add(&self->reports, report);
    }
    return true;
}

static bool make_diff_reports(struct call *self, struct sink *const *sinks, size_t count)
{
    struct report_options options = {.set = "diff",
                                     .compat = arguments_has(self->arguments, "compat")};
    size_t sheets = 0;
    for (size_t i = 0; i < self->reports.count; i++)
        if (!report_make(&self->warehouse, self->reports.items[i], &options,
                         self->arguments->operands.count > SIDES, sinks, count, &sheets,
                         self->error))
            return false;
    return true;
}

/* ------------------------------------------------------------------ the merged tree
 *
 *     ├── aten::copy_ [1,089.78 us -> 3,461.36 us, +217.6 %]
 *     │   ├── >> trace1: hipMemcpyWithStream
 *     │   └── << trace2: cudaMemcpyAsync
 */

struct tree_node {
    int64_t number, parent; /* -1: a root */
    int64_t place;          /* among its siblings */
    int64_t ns1, ns2;
    uint32_t name1, name2; /* 0 = not in that trace */
    bool has_work;
    int kind; /* of children: those of both traces come first, then those of one */
};

/* A node whose children are being printed. */
struct level {
    size_t next, end;
    size_t bars; /* how long what stands before them is */
};

struct diff_tree {
    struct intern names;
    ARRAY(struct tree_node) nodes; /* by parent; of a parent as they are printed */
    ARRAY(struct level) levels;
    struct text bars, shown, cut; /* shown, cut: a name */
    size_t width;                 /* of a line: names lose their middle; 0 = any */
    bool with_times;
    FILE *out;
};

ORDER_BY(compare_nodes, struct tree_node, UP(parent) || UP(kind) || UP(place));

static uint32_t tree_name(struct diff_tree *self, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return 0;
    const char *name = database_text(row, column);
    return intern_add(&self->names, name, (size_t)sqlite3_column_bytes(row, column));
}

static bool read_tree(struct diff_tree *self, struct warehouse *warehouse, bool prune,
                      struct error *error)
{
    static const char sql[] =
        "SELECT merged_id, coalesce(parent_merged_id, -1), ord, gpu_ns1, gpu_ns2, name1, name2, "
        "gpu_count1 > 0 OR gpu_count2 > 0 AS has_work FROM diff_node WHERE has_work OR NOT ?1";
    sqlite3_stmt *row = warehouse_prepare(warehouse, sql, error);
    bool done = row != NULL;
    sqlite3_bind_int(row, 1, prune);
    while (warehouse_next(warehouse, row, &done, error)) {
        struct tree_node node = {.number = sqlite3_column_int64(row, 0),
                                 .parent = sqlite3_column_int64(row, 1),
                                 .place = sqlite3_column_int64(row, 2),
                                 .ns1 = sqlite3_column_int64(row, 3),
                                 .ns2 = sqlite3_column_int64(row, 4),
                                 .name1 = tree_name(self, row, 5),
                                 .name2 = tree_name(self, row, 6),
                                 .has_work = sqlite3_column_int(row, 7)};
        node.kind = node.parent < 0 ? 0 : !node.name2 ? 1 : !node.name1 ? 2 : 0;
        array_add(&self->nodes, node);
    }
    database_finalize(row);
    array_sort(&self->nodes, compare_nodes);
    return done;
}

static void open_level(struct diff_tree *self, int64_t parent)
{
    size_t first, end;
    ARRAY_LOWER_BOUND(first, self->nodes.count, self->nodes.items[first].parent < parent);
    ARRAY_LOWER_BOUND(end, self->nodes.count, self->nodes.items[end].parent <= parent);
    array_add(&self->levels, (struct level){first, end, self->bars.count});
}

/* In so many columns; 0 = in full. */
static void print_name(struct diff_tree *self, uint32_t name, size_t width)
{
    struct view whole = intern_view(&self->names, name);
    if (!width) {
        visible_print(whole, self->out);
        return;
    }
    text_clear(&self->shown);
    text_clear(&self->cut);
    visible_add(&self->shown, whole);
    visible_add_cut(&self->cut, text_view(&self->shown), width);
    fwrite(self->cut.items, 1, self->cut.count, self->out);
}

static void print_node(struct diff_tree *self, const struct tree_node *node)
{
    enum { INDENT = 4, LEAST = 8 }; /* characters a level; of a name, to tell it from others */
    static const char between[] = " | ";
    bool has_two = node->name1 && node->name2 && node->name1 != node->name2;
    const char *mark = !node->name2   ? ">> trace1: "
                       : !node->name1 ? "<< trace2: "
                       : has_two      ? "combined: "
                                      : "";
    char times[128] = ""; /* room for two times in digits of 64 bits, and a share */
    double first = (double)node->ns1 / 1000, second = (double)node->ns2 / 1000;
    if (self->with_times && node->has_work && node->ns1 > 0 && node->name2)
        snprintf(times, sizeof times, " [%.2f us -> %.2f us, %+.1f %%]", first, second,
                 (second - first) / first * 100);
    else if (self->with_times && node->has_work)
        snprintf(times, sizeof times, " [%.2f us -> %.2f us]", first, second);
    size_t used = INDENT * self->levels.count + strlen(mark) + strlen(times) +
                  (has_two ? strlen(between) : 0);
    size_t room = used < self->width ? (self->width - used) / (has_two ? 2 : 1) : 0;
    room = !self->width ? 0 : room > LEAST ? room : LEAST;
    fputs(mark, self->out);
    print_name(self, node->name1 ? node->name1 : node->name2, room);
    if (has_two) {
        fputs(between, self->out);
        print_name(self, node->name2, room);
    }
    fprintf(self->out, "%s\n", times);
}

static bool print_diff_tree(struct call *self, size_t width, FILE *out)
{
    struct diff_tree tree = {
        .width = width, .with_times = arguments_has(self->arguments, "times"), .out = out};
    if (!read_tree(&tree, &self->warehouse, arguments_has(self->arguments, "prune"), self->error))
        return false;
    open_level(&tree, -1);
    while (tree.levels.count && !ferror(out)) {
        struct level *level = &tree.levels.items[tree.levels.count - 1];
        tree.bars.count = level->bars;
        if (level->next == level->end) {
            tree.levels.count--;
            continue;
        }
        const struct tree_node *node = &tree.nodes.items[level->next++];
        bool is_last = level->next == level->end;
        fwrite(tree.bars.items ? tree.bars.items : "", 1, tree.bars.count, out);
        fputs(is_last ? "└── " : "├── ", out);
        print_node(&tree, node);
        text_add_string(&tree.bars, is_last ? "    " : "│   ");
        open_level(&tree, node->number);
    }
    return true;
}

/* ------------------------------------------------------------------ files */

/* The files of the reference tool: the tree, its tables as CSV, the maps of ops. */
static bool write_folder(struct call *self, const char *folder)
{
    struct sink_target target = {.path = folder,
                                 .inputs = self->kept.items,
                                 .raw = like_reference(arguments_has(self->arguments, "compat"),
                                                       "CSV: texts that look like formulas")};

    /* No file of the folder is an input; nothing is written before that is known of all of them. */
    static const char *const others[] = {"merged_tree_output.txt", "cpu_op_map.json",
                                         "cpu_op_map_trace1.json", "cpu_op_map_trace2.json"};
    enum { OTHERS = sizeof others / sizeof *others };
    struct text path = {0};
    for (size_t i = 0; i < OTHERS + self->reports.count; i++) {
        text_clear(&path);
        text_format(&path, "%s/%s%s", folder,
                    i < OTHERS ? others[i] : sheet_of_report(self->reports.items[i - OTHERS]),
                    i < OTHERS ? "" : ".csv");
        if (!sink_check_path(path.items, self->kept.items, self->error))
            return false;
    }
    if (!file_make_folder(folder, self->error))
        return false;
    struct sink *sink = sink_csv(&target, self->error);
    struct new_file file;
    text_clear(&path);
    text_format(&path, "%s/%s", folder, others[0]);
    bool done = sink && make_diff_reports(self, &sink, 1) && sink_finish(sink, self->error) &&
                new_file_open(&file, path.items, self->error) &&
                new_file_close(&file, print_diff_tree(self, 0, file.out), self->error);
    static const char first[] = PAIRS_OF("is_in1"), second[] = PAIRS_OF("is_in2");
    static const char both[] = LINES("source, "), same[] = LINES("");
    static const char is_same[] = "SELECT 1 FROM diff_gpu WHERE source IS NULL LIMIT 1";
    struct warehouse *warehouse = &self->warehouse;
    int64_t found = 0;
    done = done && warehouse_ask(warehouse, is_same, 0, &found, self->error) &&
           write_map(warehouse, folder, others[2], first, self->error) &&
           write_map(warehouse, folder, others[3], second, self->error) &&
           write_map(warehouse, folder, others[1], found ? same : both, self->error);
    sink_free(sink);
    if (done && !arguments_has(self->arguments, "quiet"))
        fprintf(stderr, "tpq: wrote %s/: the merged tree, %zu tables, 3 maps of ops\n", folder,
                self->reports.count);
    return done;
}

static bool has_output(const struct arguments *arguments)
{
    for (const struct form *form = output_forms; form->option || form->mode; form++)
        if (form->option && arguments_has(arguments, form->option))
            return true;
    return false;
}

static bool run_diff_call(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    const char *folder = arguments_value(arguments, "output-dir");
    bool prints_tree = arguments_any(arguments, "tree times");
    if (!session_operands(arguments, SIDES, SIZE_MAX, self->error) || !open_sides(self))
        return false;
    for (size_t i = 0; i < self->inputs.count; i++)
        array_add(&self->kept, self->inputs.items[i].path);
    if (!self->in_memory)
        array_add(&self->kept, session_database(self->arguments));
    array_add(&self->kept, NULL);
    if (!select_sides(self) ||
        !report_options_read(arguments, self->warehouse.context, self->error) ||
        !choose_reports(self))
        return false;
    struct output_context context = {.input = diff_operand(self, 1),
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
    if (prints_tree && !folder && !print_diff_tree(self, (size_t)session_width(arguments), stdout))
        return false;
    if ((folder || prints_tree) && !has_output(arguments))
        return true;
    struct outputs outputs;
    bool done = outputs_open(&outputs, self->arguments, &context, self->error) &&
                (!outputs.to_tables || warehouse_run(&self->warehouse, "BEGIN", self->error)) &&
                make_diff_reports(self, outputs.sinks.items, outputs.sinks.count) &&
                outputs_finish(&outputs, self->error) &&
                (!outputs.to_tables || warehouse_run(&self->warehouse, "COMMIT", self->error));
    if (done)
        outputs_say(&outputs, self->arguments);
    outputs_close(&outputs);
    return done;
}

static bool run_diff(const struct arguments *arguments, struct error *error)
{
    struct call self = {.arguments = arguments, .error = error};
    bool done = run_diff_call(&self);
    if (self.is_open)
        warehouse_close(&self.warehouse);
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
    .also = "difference",
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
