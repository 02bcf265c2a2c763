/* verb_ingest: `tpq ingest`, its progress line and its closing summary. */
#include "ingest/graph_notes.h"
#include "ingest/ingest.h"
#include "query/select/selection.h"
#include "sql/asked.h"
#include "src/base/clock.h"
#include "src/base/document.h"
#include "src/base/intern.h"
#include "src/command/progress.h"
#include "src/command/request_log.h"
#include "src/command/session.h"

#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ summary */

struct summary {
    struct progress *progress;
    bool quiet, verbose;
    struct document *document; /* instead of words; NULL */
    const char *run;           /* of all files; NULL = each says its own */
    struct intern runs;        /* with a trace that was stored or known */
    size_t stored, known, foreign, failed;
    size_t skipped; /* files that are not traces */
    int64_t counts[COUNTS];
    struct notes notes;
    ARRAY(int64_t) traces;     /* that were stored */
    ARRAY(const char *) paths; /* of their files */
};

static void write_counts(struct document *document, const int64_t counts[COUNTS])
{
    static const char *const names[] = {
        "events", "ops", "kernels", "other_gpu_work", "memory_records", "content_bytes"};
    for (int i = 0; i < COUNTS; i++)
        document_integer(document, names[i], counts[i]);
}

/* For programs. */
static void write_outcome(struct document *document, const struct ingest_outcome *outcome)
{
    static const char *const results[] = {[INGEST_STORED] = "stored",
                                          [INGEST_KNOWN] = "known",
                                          [INGEST_FOREIGN] = "passed over",
                                          [INGEST_FAILED] = "failed"};
    bool is_stored = outcome->result == INGEST_STORED;
    document_open(document, NULL, '{');
    document_text(document, "path", outcome->path);
    document_text(document, "run", outcome->run);
    document_text(document, "result", results[outcome->result]);
    if (is_stored || outcome->result == INGEST_KNOWN)
        document_integer(document, "trace_id", outcome->trace_id);
    if (is_stored) {
        write_counts(document, outcome->counts);
        document_real(document, "seconds", outcome->seconds);
    }
    if (outcome->error && outcome->error->text[0])
        document_text(document, "error", outcome->error->text);
    document_close(document);
}

static void begin_document(struct document *document, const input_list *inputs, const char *run)
{
    document_begin(document);
    document_open(document, "run", '[');
    if (run)
        document_text(document, NULL, run);
    for (size_t i = 0; i < inputs->runs.count; i++)
        document_text(document, NULL, inputs->runs.items[i].name);
    document_close(document);
    document_open(document, "units", '{');
    document_text(document, "content_bytes", "bytes");
    document_text(document, "seconds", "s");
    document_close(document);
    document_close(document);
    document_open(document, "files", '[');
}

/* The sums, behind the files; notes by their kind. */
static void end_document(const struct summary *self, double seconds)
{
    struct document *document = self->document;
    document_close(document);
    document_open(document, "sum", '{');
    document_integer(document, "stored", (int64_t)self->stored);
    document_integer(document, "known", (int64_t)self->known);
    document_integer(document, "passed_over", (int64_t)self->skipped);
    document_integer(document, "failed", (int64_t)self->failed);
    write_counts(document, self->counts);
    document_real(document, "seconds", seconds);
    document_close(document);
    document_open(document, "notes", '{');
    for (int i = 0; i < NOTE_COUNT; i++)
        if (self->notes.entries[i].count)
            document_integer(document, note_kind((enum note)i), self->notes.entries[i].count);
    document_close(document);
}

static void file_finished(void *context, const struct ingest_outcome *outcome)
{
    struct summary *self = context;
    progress_hold(self->progress);
    if (outcome->result == INGEST_STORED || outcome->result == INGEST_KNOWN)
        intern_add(&self->runs, outcome->run, strlen(outcome->run));
    if (self->document)
        write_outcome(self->document, outcome);
    bool is_silent = self->quiet || self->document;
    switch (outcome->result) {
    case INGEST_STORED:
        self->stored++;
        for (int64_t i = 0; i < outcome->traces && !self->quiet; i++) {
            array_add(&self->traces, outcome->trace_id + i);
            array_add(&self->paths, outcome->path);
        }
        for (int i = 0; i < COUNTS; i++)
            self->counts[i] += outcome->counts[i];
        for (int i = 0; i < NOTE_COUNT; i++)
            self->notes.entries[i].count += outcome->notes->entries[i].count;
        if (!is_silent) {
            session_print(stdout, outcome->path);
            printf(": trace %lld", (long long)outcome->trace_id);
            session_print_count(stdout, ", ", outcome->counts[COUNT_EVENTS], "event", "events");
            double megabytes = (double)outcome->counts[COUNT_BYTES] / 1e6;
            printf(", %.1f MB in %.2f s\n", megabytes, outcome->seconds);
        }
        break;
    case INGEST_KNOWN:
        self->known++;
        if (!is_silent) {
            session_print(stdout, outcome->path);
            printf(": is in run ");
            session_print(stdout, outcome->run);
            printf(" already, as trace %lld\n", (long long)outcome->trace_id);
        }
        break;
    case INGEST_FOREIGN:
        self->foreign++;
        self->skipped++;
        if (self->verbose)
            session_sayf("skipped %s", outcome->error->text);
        break;
    case INGEST_FAILED:
        self->failed++;
        session_sayf("%s", outcome->error->text);
        break;
    }
    fflush(stdout);
    progress_go_on(self->progress);
}

static void print_summary(const struct summary *self, double seconds)
{
    if (self->run) {
        printf("run ");
        session_print(stdout, self->run);
    } else
        session_print_count(stdout, "", (int64_t)intern_count(&self->runs), "run", "runs");
    printf(": %zu stored", self->stored);
    if (self->known)
        printf(", %zu known already", self->known);
    if (self->skipped)
        printf(", %zu skipped", self->skipped);
    if (self->failed)
        printf(", %zu failed", self->failed);
    putchar('\n');
    if (!self->stored)
        return;
    session_print_count(stdout, "  ", self->counts[COUNT_EVENTS], "event", "events");
    session_print_count(stdout, ": ", self->counts[COUNT_OPS], "op", "ops");
    session_print_count(stdout, ", ", self->counts[COUNT_KERNELS], "kernel", "kernels");
    session_print_count(stdout, ", ", self->counts[COUNT_OTHER], "other GPU activity",
                        "other GPU activities");
    session_print_count(stdout, "; ", self->counts[COUNT_MEMORY], "memory record",
                        "memory records");
    double megabytes = (double)self->counts[COUNT_BYTES] / 1e6;
    printf("\n  %.1f MB in %.2f s, %.0f MB/s\n", megabytes, seconds,
           seconds > 0 ? megabytes / seconds : 0);

    /* One line, or with -v a line each with what the note means. Damage is said in any case. */
    bool any = false;
    for (int i = 0; i < NOTE_COUNT && !self->verbose; i++)
        if (self->notes.entries[i].count && note_is_damage((enum note)i))
            printf("  note: %s\n", note_meaning((enum note)i));
    for (int i = 0; i < NOTE_COUNT; i++) {
        const char *kind = note_kind((enum note)i);
        bool is_shown =
            self->verbose || !(note_is_usual((enum note)i) || note_is_damage((enum note)i));
        if (!self->notes.entries[i].count || !is_shown)
            continue;
        session_print_count(stdout,
                            !any            ? "  notes: "
                            : self->verbose ? "         "
                                            : ", ",
                            self->notes.entries[i].count, kind, kind);
        if (self->verbose)
            printf(" - %s\n", note_meaning((enum note)i));
        any = true;
    }
    if (any && !self->verbose)
        puts(" (-v explains them)");
}

/* ------------------------------------------------------------------ health */

/* A line for each trace that was stored and is not complete. */
static bool say_ingest_health(const struct summary *self, const struct ingest_options *options,
                              struct error *error)
{
    static const char sql[] = "SELECT trace_id, line FROM trace_verdict WHERE trace_id IS NOT NULL "
                              "AND verdict <> 'complete' ORDER BY trace_id";
    struct warehouse warehouse;
    if (self->quiet || !self->traces.count)
        return true;
    if (!warehouse_open(&warehouse, options->database, WAREHOUSE_READ, options->wait_ms, error))
        return false;
    enum { AT_ONCE = 100 }; /* so that memory does not grow with the runs */
    struct text line = {0};
    bool is_empty, done = true;
    for (size_t place = 0, left; (left = self->traces.count - place) > 0 && done;) {
        size_t first = place;
        struct selection selection = {.traces = self->traces.items + place,
                                      .trace_count = left < AT_ONCE ? left : AT_ONCE};
        struct asked verdicts;
        int64_t trace;
        const char *words;
        done = selection_apply(&warehouse, &selection, &is_empty, &line, error);
        asked_open(&verdicts, warehouse.db, sql);
        while (done && ASKED_ROW(&verdicts, &trace, &words)) {
            while (self->traces.items[place] != trace)
                place++;
            text_clear(&line);
            text_format(&line, "%s: %s", self->paths.items[place], words);
            session_say(text_view(&line));
        }
        done = asked_done(&verdicts, warehouse.path, error) && done &&
               session_say_graph_notes(&warehouse, error);
        place = first + selection.trace_count;
    }
    warehouse_close(&warehouse);
    return done;
}

/* ------------------------------------------------------------------ the verb */

static bool check_labels(const char *const *labels, struct error *error)
{
    for (; *labels; labels++) {
        const char *equals = strchr(*labels, '=');
        if (!equals || equals == *labels)
            return error_set(error, STATUS_USAGE, "tpq ingest: --label '%s' is not KEY=VALUE",
                             *labels);
    }
    return true;
}

static bool read_ingest_options(const struct arguments *arguments, struct ingest_options *options,
                                struct error *error)
{
    long jobs;
    const char *tree = arguments_value(arguments, "tree");
    *options = (struct ingest_options){
        .database = session_database(arguments),
        .run = arguments_value(arguments, "run"),
        .rank_pattern = arguments_value(arguments, "rank-pattern"),
        .as = arguments_value(arguments, "as"),
        .replace = arguments_has(arguments, "replace"),
        .read = {.no_frames = arguments_has(arguments, "no-python"),
                 .keep_metadata = arguments_has(arguments, "keep-metadata"),
                 .salvage = arguments_has(arguments, "salvage")},
        .order = tree && strcmp(tree, "reference") == 0 ? TREE_FILE_ORDER : TREE_LONGEST_FIRST,
    };
    static const char *const of_one_run[] = {
        "run", "as", "capture-folder", "graph-annotations", "request-log", NULL};
    bool is_per = arguments_has(arguments, "run-per");
    if (options->run && !*options->run)
        return error_set(error, STATUS_USAGE, "tpq ingest: --run needs a name");
    for (const char *const *name = of_one_run; *name && is_per; name++)
        if (arguments_has(arguments, *name))
            return error_set(error, STATUS_USAGE,
                             "tpq ingest: --%s is for one run, and --run-per for many", *name);
    bool is_stdin =
        arguments->operands.count == 1 && strcmp(arguments->operands.items[0], "-") == 0;
    if (is_stdin && is_per)
        return error_set(error, STATUS_USAGE, "tpq ingest: --run-per needs paths, not -");
    if (options->as && (!is_stdin || !*options->as))
        return error_set(error, STATUS_USAGE,
                         "tpq ingest: --as PATH says where standard input is from, which - means");
    if (!arguments_number(arguments, "jobs", 1, 256, 0, &jobs, error) ||
        !session_wait_ms(arguments, &options->wait_ms, error))
        return false;
    options->jobs = (int)jobs;
    return true;
}

static bool run_ingest(const struct arguments *arguments, struct error *error)
{
    struct ingest_options options;
    input_list inputs = {0};
    if (!session_operands(arguments, 1, SIZE_MAX, error) ||
        !read_ingest_options(arguments, &options, error))
        return false;
    const char **labels = arguments_values(arguments, "label");
    const char *per = arguments_value(arguments, "run-per");
    char *name = per           ? NULL
                 : options.run ? memory_text(options.run)
                 : options.as
                     ? discover_run_name(&options.as, 1)
                     : discover_run_name(arguments->operands.items, arguments->operands.count);
    const char **graphs = arguments_values(arguments, "graph-annotations");
    struct text graph_notes = {0};
    struct context *requests = context_new();
    bool done =
        check_labels(labels, error) &&
        (!*graphs || graph_notes_read(graphs, &graph_notes, error)) &&
        request_log_read(arguments, requests, error) &&
        discover_inputs(arguments->operands.items, arguments->operands.count, &inputs, error) &&
        (!per || discover_runs(per, options.rank_pattern, labels, options.database, options.wait_ms,
                               &inputs, error));
    if (done) {
        options.run = name;
        options.graph_notes = graph_notes.items;
        options.requests = requests;
        options.captures = arguments_value(arguments, "capture-folder");
        options.saved_views = session_saved_views(arguments);
        options.labels = *labels ? labels : NULL;
        struct progress progress;
        struct document document = {.out = stdout};
        struct summary summary = {.progress = &progress,
                                  .quiet = arguments_has(arguments, "quiet"),
                                  .verbose = arguments_has(arguments, "verbose"),
                                  .run = name,
                                  .skipped = inputs.skipped + inputs.unmatched};
        if (arguments_has(arguments, "json")) {
            summary.document = &document;
            begin_document(&document, &inputs, name);
        }
        double start = clock_seconds();
        progress_start(&progress, inputs.count, discover_bytes(&inputs),
                       !summary.quiet && isatty(STDERR_FILENO));
        struct ingest_observer observer = {file_finished, &summary, progress.bytes_read};
        done = ingest_run(&options, &inputs, &observer, error);
        progress_stop(&progress);
        const struct text *skipped = &inputs.skipped_paths;
        for (size_t i = 0; summary.verbose && i < skipped->count;
             i += strlen(skipped->items + i) + 1)
            session_sayf("skipped %s", skipped->items + i);
        if (!summary.verbose && !summary.quiet && (done || summary.failed))
            session_say_skipped(summary.skipped - inputs.unmatched, "-v lists them");
        if (inputs.unmatched && !summary.verbose && !summary.quiet)
            session_sayf("skipped %zu that --run-per does not match (-v lists them)",
                         inputs.unmatched);
        bool is_said = summary.failed || (summary.foreign && summary.verbose);
        double seconds = clock_seconds() - start;
        if (summary.document)
            end_document(&summary, seconds);
        else if (!summary.quiet && (done || (error->status == STATUS_BAD_INPUT && is_said)))
            print_summary(&summary, seconds);
        document_finish(&document);
        done = done && (say_ingest_health(&summary, &options, error) ||
                        error_context(error, "the traces are stored; reading their health failed"));
        if (done && summary.stored)
            done = session_printed("the traces are stored", error);
        if (!done && error->status == STATUS_BAD_INPUT && is_said)
            error->text[0] = '\0'; /* every failure was printed as it came */
    }
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"run", 0, "NAME",
     "name of the run; without it the name of the first file or directory, and of a file that is "
     "called trace.json or the like, that of its directory",
     NULL},
    {"run-per", 0, "HOW",
     "many runs: a run for each file (its ranks together) or directory, or a regular expression "
     "whose group `run` names the run, and other named groups its labels",
     NULL},
    {"label", 0, "KEY=VALUE", "label of the run, may be repeated", NULL},
    {"rank-pattern", 0, "PATTERN",
     "regular expression that finds the rank in a file name: its group, or the digits behind it",
     NULL},
    {"as", 0, "PATH",
     "where standard input is from: its path in the warehouse, and what its rank is found in",
     NULL},
    {"jobs", 'j', "N",
     "files to read at the same time; 1 is one thread in all, and more than there are files lets "
     "others decompress; without it one for each processor",
     NULL},
    {"no-python", 0, NULL, "store no Python frames", NULL},
    {"tree", 0, "ORDER",
     "how events that start together nest: longest first, or as they stand in "
     "the file (reference)",
     "default reference"},
    {"keep-metadata", 0, NULL, "store all metadata, also what may hold credentials", NULL},
    OPTION_SALVAGE,
    {"replace", 0, NULL, "a trace with the same content or the same path makes way", NULL},
    {"capture-folder", 0, "DIRECTORY",
     "traces of graph captures: captured ops get the GPU activities of the replays", NULL},
    {"graph-annotations", 0, "FILE",
     "modules and ops of CUDA graph nodes, as PyTorch writes them at the capture "
     "(kernel_annotations_rank0_1.json, or a pickle); may be repeated",
     NULL},
    OPTION_REQUEST_LOG,
    OPTION_LOG_OFFSET,
    OPTION_SAVE_VIEWS,
    OPTION_WAIT,
    OPTION_JSON,
    {"verbose", 'v', NULL, "list skipped files and explain notes", NULL},
    {"quiet", 'q', NULL, "print nothing but failures", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq ingest --db w.db --run baseline traces/", "every trace below a directory, as one run"},
    {"tpq ingest --run tuned --label gpu=H100 rank0.json.gz rank1.json.gz", "two ranks of a run"},
    {"tpq ingest 'nightly/*.json.gz'", "what a pattern matches; it may be quoted"},
    {"tpq ingest --run-per '(?<model>[^/]+)/(?<run>[^/]+)/' bucket/", "a run for each directory"},
    {"ssh node cat rank_3.json | tpq ingest --run remote --as rank_3.json -", "from a pipe"},
    {NULL, NULL},
};

const struct verb verb_ingest = {
    .name = "ingest",
    .operands = "[OPTION]... PATH...",
    .also = "import load add open read",
    .summary = "store traces in the warehouse",
    .details =
        "Reads profiler traces, links and numbers their events, and adds them to the warehouse, "
        "which is created when it does not exist. A PATH is a file, a directory whose traces "
        "are all taken, or - for standard input. Plain files, gzip and zip are told apart by "
        "their content. A report of Nsight Systems (.nsys-rep) is exported by nsys, where that is "
        "on PATH.\n\nEach trace is one transaction: whatever happens, it is in the "
        "warehouse wholly or not at all. Content that the run has already is not taken twice. A "
        "file with path, size and modification time of a stored one is not read. "
        "Data that a reader could not use is counted at the end and kept in the table "
        "ingest_note. What ordinary traces have and nobody can mend is kept there, too, but "
        "printed only by --json.\n\nMemory grows with the number of events, from 100 bytes "
        "each, and with their distinct texts. The text of a trace is never held whole. A small "
        "compressed file can hold millions of events: 0.5 MB of gzip with 2 million take 200 "
        "MB.\n\nWith --run-per a run has the name of its file, without endings and rank, or of its "
        "directory. Runs of one name get longer ends of their paths: a/step, b/step. A file that "
        "is in the warehouse keeps its run. A run that has a rank from another path already is "
        "refused, and the others are stored. --run-per "
        "REGEX looks at paths below a PATH, and skips files that it does not match. Labels tell "
        "its "
        "runs apart, too; a group `rank` is no label.\n\nWith "
        "several files the good ones are taken in; a bad one makes the exit status "
        "3.",
    .takes_warehouses = true,
    .options = options,
    .examples = examples,
    .run = run_ingest,
};
