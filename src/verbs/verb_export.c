/* verb_export: `tpq export`, what is selected as a file for other programs. */
#include "ingest/formats.h"
#include "ingest/ingest.h"
#include "query/export/export_forms.h"
#include "query/sink/sink.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"
#include "src/report/report_files.h"
#include "src/report/report_options.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Options that change figures, as those of tpq report do. */
static const char *const export_figures[] = {"include-unlinked-kernels",
                                             "gpu-arch-platform",
                                             "gpu-arch-json-path",
                                             "extension-file",
                                             "ext-param",
                                             "enable-pseudo-ops",
                                             "strict-extensions",
                                             NULL};

struct call {
    const struct arguments *arguments;
    struct error *error;
    const struct export_form *form;
    struct export export;
    input_list inputs;
    ARRAY(const char *) kept; /* files that are not written over, ended by NULL */
    struct intake read;       /* of the inputs */
    struct warehouse warehouse;
    struct extensions extensions;
    struct text figures; /* what changes them, as JSON */
    struct report_files files;
    bool is_open;
};

/* ------------------------------------------------------------------ where it goes */

static bool find_form(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    const char *path = arguments_value(arguments, "output");
    const char *name = arguments_value(arguments, "format"); /* the table checks it */
    const char *prometheus = self->export.options.prometheus, *otlp = self->export.options.otlp;
    const char *way = arguments_any(arguments, "parquet postgres prometheus otlp");
    if (way) {
        const char *where = arguments_value(arguments, way);
        const char *last = arguments_any(arguments, "otlp prometheus postgres parquet");
        const char *other = strcmp(way, last) != 0 && strcmp(way, "prometheus") != 0 ? last
                            : where && path                                          ? "output"
                            : name && strcmp(name, way) != 0                         ? "format"
                                                                                     : NULL;
        if (other)
            return error_set(self->error, STATUS_USAGE,
                             "tpq export: --%s says what is written%s, and so does --%s", way,
                             where ? " and where" : "", other);
        path = where ? where : path;
        name = way;
    }
    self->export.path = path ? path : "-";
    if (prometheus && otlp && strcmp(prometheus, otlp) == 0)
        return error_set(self->error, STATUS_USAGE,
                         "tpq export: --prometheus and --otlp need two files");
    if (prometheus || otlp) {
        static const struct export_form forms[] = {{"prometheus", "", OF_METRICS, export_metrics},
                                                   {"otlp", "", OF_METRICS, export_metrics}};
        self->form = &forms[!prometheus];
        return true;
    }
    bool packs;
    self->form = export_form_of_path(self->export.path, &packs);
    self->export.packing = packs ? PACKED_SMALL : NOT_PACKED;
    if (name)
        self->form = export_form_of_name(name);
    else if (self->form && !self->form->write)
        return error_set(self->error, STATUS_USAGE, "%s: %s", self->export.path,
                         EXPORT_GONE_REASON);
    return self->form || error_set(self->error, STATUS_USAGE,
                                   path && strcmp(path, "-") != 0
                                       ? "%s: the name has no known ending; --format is required:%s"
                                       : "tpq export%.0s: --format is required:%s",
                                   self->export.path, EXPORT_FORM_NAMES);
}

/* Options that would do nothing are refused. */
static bool check_options(const struct call *self)
{
    enum { EVENTS = 1 << OF_EVENTS, TABLES = 1 << OF_TABLES };
    static const struct {
        const char *name;
        int matters;
        const char *only; /* of these forms; NULL = all */
    } options[] = {
        {"no-args", EVENTS, NULL},
        {"no-flows", EVENTS, NULL},
        {"no-counters", EVENTS, NULL},
        {"critical-path", EVENTS, NULL},
        {"collectives", EVENTS, NULL},
        {"gpu", EVENTS, "perfetto"},
        {"compat", EVENTS | TABLES, "chrome postgres parquet"},
        {"no-frames", EVENTS, NULL},
        {"trace", EVENTS | TABLES, NULL},
        {"rank", EVENTS | TABLES, NULL},
        {"step", EVENTS, NULL},
        {"iteration", EVENTS, NULL},
        {"time", EVENTS, NULL},
        {"where", EVENTS, NULL},
        {"signpost", EVENTS, NULL},
        {"start-signpost", EVENTS, NULL},
        {"end-signpost", EVENTS, NULL},
        {"signpost-occurrence", EVENTS, NULL},
        {"ignore-signposts", EVENTS, NULL},
        {"id-range", EVENTS, NULL},
        {"sheets", TABLES, NULL},
        {"report-dir", TABLES, NULL},
        {"events", TABLES, NULL},
        {"per-trace", TABLES, NULL},
        {"citus", TABLES, "postgres"},
        {"force", TABLES, "parquet"},
        {"partition", TABLES, "parquet"},
    };
    for (const char *const *name = export_figures; *name; name++)
        if (arguments_has(self->arguments, *name) && self->form->matter != OF_TABLES)
            return error_set(self->error, STATUS_USAGE, "tpq export: --%s says nothing with %s",
                             *name, self->form->name);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        bool is_other = options[i].only && !option_is_in(options[i].only, self->form->name);
        if (arguments_has(self->arguments, options[i].name) &&
            (is_other || !(options[i].matters & 1 << self->form->matter)))
            return error_set(self->error, STATUS_USAGE, "tpq export: --%s says nothing with %s",
                             options[i].name, self->form->name);
    }

    /* A part of a run must not look like all of it. */
    const char *part = arguments_any(self->arguments, "trace rank");
    bool is_parquet = strcmp(self->form->name, "parquet") == 0;
    if (is_parquet && strcmp(self->export.path, "-") == 0)
        return error_set(self->error, STATUS_USAGE,
                         "tpq export: parquet is a directory of files, and cannot go to standard "
                         "output");
    return !is_parquet || !part || arguments_has(self->arguments, "per-trace") ||
           error_set(self->error, STATUS_USAGE,
                     "tpq export: --%s is not a whole run, and needs --per-trace", part);
}

/* Neither an input nor the warehouse is written over. */
static bool find_inputs(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    bool has_files = arguments->operands.count > 0;
    if (has_files && !discover_inputs(arguments->operands.items, arguments->operands.count,
                                      &self->inputs, self->error))
        return false;
    for (size_t i = 0; i < self->inputs.count; i++)
        array_add(&self->kept, self->inputs.items[i].path);
    if (!has_files || arguments_has(arguments, "db"))
        array_add(&self->kept, session_database(arguments));
    array_add(&self->kept, NULL);
    const char *otlp = self->export.options.otlp;
    return sink_check_path(self->export.path, self->kept.items, self->error) &&
           (!otlp || sink_check_path(otlp, self->kept.items, self->error));
}

/* The reports that are made of a format, or of several. */
static const char *set_of(const char *format)
{
    const struct format *found = format ? format_find(format) : NULL;
    return found ? found->set : "pytorch";
}

static bool has_stages(const struct arguments *arguments)
{
    const char *how = arguments_value(arguments, "gpu");
    return how && strcmp(how, "stages") == 0;
}

static void read_export_options(struct call *self)
{
    self->export.options = (struct export_options){
        .compat = arguments_has(self->arguments, "compat"),
        .no_frames = arguments_has(self->arguments, "no-frames"),
        .no_args = arguments_has(self->arguments, "no-args"),
        .no_flows = arguments_has(self->arguments, "no-flows"),
        .no_counters = arguments_has(self->arguments, "no-counters"),
        .critical_path = arguments_has(self->arguments, "critical-path"),
        .has_stages = has_stages(self->arguments),
        .collectives = arguments_has(self->arguments, "collectives"),
        .sheets = arguments_value(self->arguments, "sheets"),
        .has_events = arguments_has(self->arguments, "events"),
        .is_per_trace = arguments_any(self->arguments, "per-trace trace rank"),
        .is_by_run = arguments_any(self->arguments, "per-trace trace rank partition"),
        .for_citus = arguments_has(self->arguments, "citus"),
        .is_forced = arguments_has(self->arguments, "force"),
        .prometheus = arguments_value(self->arguments, "prometheus"),
        .otlp = arguments_value(self->arguments, "otlp"),
        .set_of = set_of,
    };
}

/* ------------------------------------------------------------------ where it comes from */

static bool read_export_files(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    bool into_file = arguments_has(arguments, "db");
    const char *run = arguments_value(arguments, "run");
    char *name = run ? memory_text(run)
                     : discover_run_name(arguments->operands.items, arguments->operands.count);
    bool done = true;
    if (!into_file)
        done = self->is_open =
            warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, self->error);
    struct ingest_options options = {.database = session_database(arguments),
                                     .into = into_file ? NULL : &self->warehouse,
                                     .run = name};
    return done && session_wait_ms(arguments, &options.wait_ms, self->error) &&
           session_ingest(&self->read, &options, &self->inputs, self->error);
}

static void add_figure_key(struct text *json, const char *name)
{
    text_add_string(json, json->count > 1 ? ", " : "");
    text_add_json(json, view_of(name));
    text_add_string(json, ": ");
}

/* Tells in fact_trace.options how rows were made: a JSON object of these options; extension files
 * by name, with a hash of what is in them. */
static void describe_figures(const struct extensions *extensions, const struct warehouse *warehouse,
                             struct text *json)
{
    static const struct {
        const char *name;
        bool is_json;
    } options[] = {{"compat", true},
                   {"include_unlinked_kernels", true},
                   {"gpu_arch_platform", false},
                   {"gpu_arch", true}};
    text_add_byte(json, '{');
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *value = context_get(warehouse->context, options[i].name);
        if (!value)
            continue;
        add_figure_key(json, options[i].name);
        if (options[i].is_json)
            text_add_string(json, value);
        else
            text_add_json(json, view_of(value));
    }
    bool any = false;
    for (size_t i = 0; i < extensions->files.count; i++) {
        const struct extension_file *file = &extensions->files.items[i];
        if (file->has_failed)
            continue;
        if (!any)
            add_figure_key(json, "extensions");
        text_add_string(json, any ? ", " : "{");

        /* A library is read for its hash; one that cannot be read has that of nothing. */
        struct text library = {0};
        struct error unread = {0};
        bool is_text = file->text != NULL;
        if (!is_text)
            file_read(file->path, &library, &unread);
        uint64_t hash =
            is_text ? hash64(file->text, file->length, 0) : hash64(library.items, library.count, 0);
        const char *slash = strrchr(file->path, '/');
        text_add_json(json, view_of(slash ? slash + 1 : file->path));
        text_format(json, ": \"%016" PRIx64 "\"", hash);
        any = true;
    }
    text_add_string(json, any ? "}" : "");
    if (extensions->params.count)
        add_figure_key(json, "ext_param");
    for (size_t i = 0; i < extensions->params.count; i++) {
        text_add_string(json, i ? ", " : "{");
        text_add_json(json, view_of(extensions->params.items[i].name));
        text_add_string(json, ": ");
        text_add_json(json, view_of(extensions->params.items[i].value));
    }
    text_add_string(json, extensions->params.count ? "}" : "");
    text_add_byte(json, '}');
}

/* Sets options that change figures, before anything is evaluated. */
static bool apply_figures(struct call *self)
{
    if (self->form->matter != OF_TABLES)
        return true;
    bool done =
        report_options_read(self->arguments, self->warehouse.context, self->error) &&
        report_options_read_files(self->arguments, self->warehouse.context, self->error) &&
        report_options_choose_arch(self->arguments, &self->warehouse, self->error) &&
        extension_options_read(self->arguments, &self->extensions, self->error) &&
        extension_options_run(self->arguments, &self->extensions, &self->warehouse, self->error);
    if (done)
        describe_figures(&self->extensions, &self->warehouse, &self->figures);
    self->export.options.figures = self->figures.items;
    return done;
}

/* ------------------------------------------------------------------ reports of the user */

/* Sheets of extension files are of no set here, and asked for or among the usual ones. */
static bool take_reports(struct call *self)
{
    if (self->form->matter != OF_TABLES)
        return true;
    bool has = arguments_has(self->arguments, "report-dir");
    for (size_t i = 0; i < self->extensions.files.count; i++)
        has |= self->extensions.files.items[i].kind == EXTENSION_SQL;
    if (!has)
        return true;
    self->export.options.reports = (struct export_reports){&self->files.docs, &self->files.sheets};
    if (!report_files_read(&self->files, self->arguments, &self->extensions, self->error))
        return false;
    report_files_add_sheets(&self->files, &self->extensions, "extensions");
    if (!report_files_install(&self->files, &self->warehouse, self->error))
        return false;
    report_files_settle(&self->files);

    /* A report that is asked for, and whose file was left out. */
    const char *list = self->export.options.sheets;
    bool done = true;
    while (done && list && *list) {
        struct view name = docs_next_name(&list);
        struct text word = {0};
        text_add_view(&word, name);
        const char *reason = report_files_left(&self->files, word.items);
        if (reason)
            done = error_set(self->error, STATUS_BAD_INPUT, "there is no report '%.100s': %s",
                             word.items, reason);
    }
    return done;
}

/* ------------------------------------------------------------------ the verb */

static bool run_export(const struct arguments *arguments, struct error *error)
{
    struct call self = {.arguments = arguments, .error = error};
    self.export.warehouse = &self.warehouse;
    self.export.error = error;
    read_export_options(&self);
    bool done = find_form(&self) && check_options(&self) && find_inputs(&self);
    if (done) {
        if (self.inputs.count && !read_export_files(&self))
            done = false;
        else {
            if (!self.is_open)
                self.is_open =
                    session_open(self.arguments, WAREHOUSE_READ, &self.warehouse, self.error);
            done = self.is_open && session_take_processes(&self.read, &self.warehouse, self.error);
        }
    }
    if (done) {
        /* With files, --run is what they are called. */
        struct selection_options options;
        done = selection_options_read(self.arguments, true, &options, self.error);
        if (done && self.inputs.count) {
            options.selection.runs = options.selection.labels = NULL;
            options.selection.traces = self.read.traces.items;
            options.selection.trace_count = self.read.traces.count;
        }
        done = done && selection_options_apply(&options.selection, &self.warehouse, self.error);
    }
    done = done && apply_figures(&self) && take_reports(&self) &&
           (self.form->matter == OF_METRICS || export_open(&self.export)) &&
           (!self.export.options.collectives || export_keep_communication(&self.export)) &&
           self.form->write(&self.export);
    if (done && !arguments_has(arguments, "quiet")) {
        if (self.export.not_included)
            fprintf(stderr, "tpq: %zu reports about runs are left out: these are not whole runs\n",
                    self.export.not_included);

        static const char *const counted[] = {"events", "rows", "runs"};
        const char *also = self.export.options.prometheus ? self.export.options.otlp : NULL;
        const char *const written[][2] = {{self.export.path, self.form->name}, {also, "otlp"}};
        for (size_t i = 0; i < 2; i++)
            if (written[i][0] && strcmp(written[i][0], "-") != 0)
                session_sayf("wrote %s (%s, %lld %s)", written[i][0], written[i][1],
                             (long long)self.export.written, counted[self.form->matter]);
    }
    if (self.is_open)
        warehouse_close(&self.warehouse);
    return done;
}

static const struct option options[] = {
    {"output", 'o', "FILE", "where it goes; - or none: standard output", NULL},
    {"format", 0, "FORM", "form of it:" EXPORT_FORM_NAMES "; without it what the name of FILE says",
     &EXPORT_FORM_NAMES[1]},
    {"quiet", 'q', NULL, "do not say what was written", NULL},
    {"critical-path", 0, NULL,
     "mark what is on the critical path, with arrows where it goes from track to track", NULL},
    {"collectives", 0, NULL,
     "communication, the calls and ops that launched it, and steps: nothing else", NULL},
    {"gpu", 0, "HOW",
     "GPU activities in perfetto: on tracks, which every version shows, or as stages, which "
     "viewers from 55 on list with their launches (tracks)",
     "tracks stages"},
    {"no-frames", 0, NULL, "export no Python frames", NULL},
    {"no-args", 0, NULL, "export no arguments of events", NULL},
    {"no-flows", 0, NULL, "export no arrows", NULL},
    {"no-counters", 0, NULL, "export no counters", NULL},
    {"parquet", 0, "DIR", "a directory of Parquet files: facts and reports as tables", NULL},
    {"postgres", 0, "[FILE]", "a script for psql: facts and reports as tables", NULL},
    {"prometheus", 0, "FILE", "metrics of runs for Prometheus; - is standard output", NULL},
    {"otlp", 0, "FILE", "the same for OpenTelemetry, a line of JSON a run", NULL},
    {"sheets", 0, "WHICH",
     "reports that it has: default, all, none and names, with commas between (default)", NULL},
    {"report-dir", 0, "DIRECTORY", "more reports: a .sql file each; may be repeated", NULL},
    {"events", 0, NULL, "every event, too, as fact_event", NULL},
    {"partition", 0, "BY",
     "with --parquet, DIR/TABLE/run=NAME/run.parquet instead of DIR/TABLE.parquet: for many "
     "writers, and runs that are added later",
     "run"},
    {"per-trace", 0, NULL,
     "no reports about runs: other traces of the run are elsewhere; with --parquet it implies "
     "--partition run",
     NULL},
    {"force", 0, NULL, "with --parquet, replace what is there of a run and cannot be added to",
     NULL},
    {"citus", 0, NULL, "distribute the tables by run, over nodes of Citus", NULL},
    OPTIONS_OF_VIEWS(COMMON){"include-unlinked-kernels", 0, NULL,
                             "with --compat, also count unlinked GPU activities", NULL},
    {"gpu-arch-platform", 0, "NAME", "device of the rooflines, whatever the trace records", NULL},
    {"gpu-arch-json-path", 0, "FILE", "the same, described in a file (JSON)", NULL},
    OPTIONS_EXTENSION,
    OPTION_PSEUDO_OPS,
    OPTION_DATABASE,
    OPTIONS_SELECTION(RUN_OPTION_WORDS "; of files what they are called in the warehouse"),
    OPTION_WAIT,
    OPTION_END,
};

static const struct section sections[] = {
    {"parquet", "Tables for other databases"},
    {"compat", "Figures of these tables"},
    {"db", "What is exported"},
    {NULL, NULL},
};

static const struct gone gone[] = {
    {"format", EXPORT_GONE, EXPORT_GONE_REASON},
    {NULL, NULL, NULL},
};

static const struct example examples[] = {
    {"tpq export trace.json.gz --step 6 -o step.pftrace", "a step, for ui.perfetto.dev"},
    {"tpq export --run tuned -o tuned.pftrace.gz", "all ranks of a run on one clock"},
    {"tpq export --parquet lake", "then, in lake: duckdb -init views.sql"},
    {"set -o pipefail; tpq export --run base --postgres | psql -X -q", "for SQL over many runs"},
    {"tpq export --prometheus /var/lib/node_exporter/tpq.prom", "metrics of all runs"},
    {"tpq export --run base -o - --format chrome | gzip > base.json.gz", "through a pipe"},
    {NULL, NULL},
};

const struct verb verb_export = {
    .name = "export",
    .operands = "[OPTION]... [FILE...]",
    .also = "convert",
    .summary = "write traces for Perfetto, Parquet, PostgreSQL, ...",
    .details =
        "Exports the selection of the warehouse or of named files. Files are read into memory, "
        "or with --db stored in the warehouse. Without --format the name of the output decides; "
        "a name that ends in .gz is compressed.\n\nperfetto (.pftrace, .perfetto-trace): "
        "Perfetto's own format, all ranks of a run on one clock. Slices that overlap without "
        "nesting get a track of their own. With --gpu stages streams are queues of a GPU "
        "instead of tracks, and arrows between ranks are not drawn.\n\nchrome (.json): JSON as "
        "chrome://tracing reads it, and tpq itself: from what a trace in Kineto's JSON becomes "
        "come the same reports. What overlaps has a thread of its own, and tid_raw among its "
        "arguments. Of several ranks processes and links are moved apart, and say what they "
        "were (pid_raw, correlation_raw). --compat puts them together as the reference does; of "
        "one rank it changes nothing.\n\nparquet "
        "(--parquet DIR): files of Apache Parquet, which DuckDB, Spark, Trino, ClickHouse and "
        "others read: DIR/TABLE.parquet has the rows of all selected runs, by run. An export "
        "replaces the tables of an earlier one. With --partition run each run has its own files, "
        "DIR/TABLE/run=NAME/run.parquet, and with --per-trace each trace. Then many processes may "
        "write into one directory, and runs may be added. A directory has one of the two "
        "layouts. Tables are facts (tpq describe fact_gpu says what they are) and sheet_NAME, "
        "the rows of a report with their place in sheet_row. A table without rows has no file. "
        "The same data become the same bytes, and a file is whole when it is there. DIR/views.sql "
        "makes the tables views of DuckDB. tpq "
        "help cluster says more.\n\npostgres (--postgres, .psql): a script that psql loads into "
        "the schema tpq of a PostgreSQL. Facts are views (tpq describe fact_gpu says what they "
        "are), reports tables: tpq.sheet_NAME, with the place of a row in sheet_row. The "
        "reports fleet_NAME are views over many runs there. Each run is one transaction; "
        "what is there of the same traces makes way, so that loading twice changes "
        "nothing.\n\nprometheus, otlp (--prometheus FILE, --otlp FILE, or both): gauges of whole "
        "runs, such as tpq_run_step_seconds. A metric without a value has no sample. tpq_run_info "
        "has all labels of a run. In their names other characters than letters and digits become "
        "_, and run becomes label_run. A name that is taken gets _2. OTLP has the attributes "
        "tpq.run and tpq.label.KEY.\n\nWith --critical-path events of the critical path have the "
        "argument critical, and arrows lead where it goes from track to track.\n\nArrows lead from "
        "launches to GPU activities, and need both ends. A file gets its name when it is "
        "complete. Until then a process that writes to the warehouse waits, as long as its own "
        "--wait says.",
    .options = options,
    .sections = sections,
    .preferred = "critical-path end-signpost format output", /* alone of their letter, once */
    .shy = "collectives", /* --co was --compat before there was this */
    .gone = gone,
    .examples = examples,
    .run = run_export,
};
