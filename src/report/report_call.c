/* report_call: Order of a call: operands, the files that may not be overwritten, the set, the
 * warehouse, the selection. The set of named files is found from their formats before anything is
 * read, because the set decides which parts of traces are read. With --diff, the other trace
 * becomes a run of its own, and its events become the option diff-other. */
#include "src/report/report_call.h"

#include "ingest/ingest.h"
#include "query/ask/description.h"
#include "query/report/answer.h"
#include "query/report/identify.h"
#include "query/report/notes.h"
#include "sql/asked.h"
#include "sql/warehouse/catalog.h"
#include "src/base/document.h"
#include "src/base/file.h"
#include "src/command/verb_options.h"
#include "src/report/diff_side.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ operands */

/* A sheet of a report can be named where there is something to have it; whether it does is known
 * only when that is read, and so nothing may be stored for it. */
static bool may_be_sheet(struct report_call *self, const char *word)
{
    const struct arguments *arguments = self->arguments;
    bool has_files =
        arguments_any(arguments, "profile-json-path profile-path profile-xplane-pb-path trace-dir "
                                 "trace-pattern trace-glob");
    for (size_t i = 0; i < arguments->operands.count; i++)
        has_files |= warehouse_exists(arguments->operands.items[i]);
    bool stores = has_files && arguments_has(arguments, "db");
    bool has_input = has_files || warehouse_exists(session_database(arguments));
    if (stores || !has_input || arguments_any(arguments, "base config") ||
        !report_wanted_may_be_sheet(&self->wanted, word))
        return false;
    self->wanted.may_be_sheets = true;
    return true;
}

/* ------------------------------------------------------------------ options behind names */

static bool refuse_option(const struct report_call *self, const char *name,
                          const struct doc_object *report, struct view option)
{
    const char *list = docs_declared(report, "name-options");
    if (list && view_equal(option, VIEW("mangled")))
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: %s:mangled: mangled kernel names are not stored", name);
    return error_set(self->error, STATUS_USAGE,
                     "tpq report: %s takes rows=N with a whole number from 1%s%s, not '%.*s'", name,
                     list ? ", " : "", list ? list : "", (int)option.length, option.bytes);
}

static bool read_name_option(struct named_report *named, const struct doc_object *report,
                             struct view option)
{
    if (view_starts_with(option, "rows=")) {
        char *end;
        named->rows = strtol(option.bytes + 5, &end, 10);
        return end == option.bytes + option.length && named->rows > 0 && named->rows <= 1000000000;
    }
    named->is_base |= view_equal(option, VIEW("base"));
    named->has_ranges |= view_equal(option, VIEW("nvtx-name"));
    const char *list = docs_declared(report, "name-options");
    for (size_t length; list && *list; list += length + strspn(list + length, ", ")) {
        length = strcspn(list, ", ");
        if (view_equal(option, (struct view){list, length}))
            return true;
    }
    return false;
}

/* NAME:OPTION:..., as nsys stats has it: `*word` becomes NAME. */
static bool take_name_options(struct report_call *self, const char **word)
{
    const char *at = strchr(*word, ':');
    char *name = at ? memory_part(*word, (size_t)(at - *word)) : NULL;
    const struct doc_object *report = name ? report_find(&self->files.docs, name, self->set) : NULL;
    struct named_report named = {.name = name};
    bool done = true;
    while (report && *at && done) {
        struct view option = {at + 1, strcspn(at + 1, ":")};
        done =
            read_name_option(&named, report, option) || refuse_option(self, name, report, option);
        at = option.bytes + option.length;
    }
    if (!report || !done)
        return done;
    array_add(&self->named, named);
    *word = name;
    return true;
}

void report_call_name_options(struct report_call *self, const struct doc_object *report,
                              struct report_options *options)
{
    struct context *context = self->warehouse.context;
    struct named_report named = {0};
    for (size_t i = 0; i < self->named.count; i++)
        if (report_find(&self->files.docs, self->named.items[i].name, self->set) == report)
            named = self->named.items[i];
    options->rows = named.rows;
    if (!named.is_base == !context_get(context, "kernel-names") &&
        !named.has_ranges == !context_get(context, "nvtx-names"))
        return; /* a setting makes what was read before out of date */
    context_set(context, "kernel-names", named.is_base ? "base" : NULL);
    context_set(context, "nvtx-names", named.has_ranges ? "1" : NULL);
}

/* An operand is a report if there is one of that name, else a path. */
bool report_call_operands(struct report_call *self)
{
    const struct arguments *arguments = self->arguments;
    for (size_t i = 0; i < arguments->operands.count; i++) {
        const char *word = arguments->operands.items[i];
        if (!take_name_options(self, &word))
            return false;
        bool is_report = report_find(&self->files.docs, word, self->set) ||
                         report_files_left(&self->files, word);
        bool is_path = strpbrk(word, "./") != NULL; /* no report is called so */
        bool is_unknown =
            !is_report && !is_path && strcmp(word, "-") != 0 && !warehouse_exists(word);
        is_report |=
            is_unknown && (report_wanted_may_grow(&self->wanted) || may_be_sheet(self, word));
        if (is_unknown && !is_report) {
            struct text hint = {0};
            report_files_hint(&self->files, word, "see tpq report --list", &hint);
            error_set(self->error, STATUS_USAGE,
                      "tpq report: '%s' is neither a report nor a file%s", word, hint.items);
            return false;
        }
        if (is_report)
            array_add(&self->wanted.names, word);
        else
            array_add(&self->paths, word);
    }
    for (size_t i = 0; i < arguments->values.count; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        if (option_is_in("profile-json-path profile-path trace-path profile-xplane-pb-path "
                         "trace-dir trace-pattern trace-glob",
                         value->option->name))
            array_add(&self->paths, value->value);
        if (strcmp(value->option->name, "sheet") != 0)
            continue;
        const char *name = value->value;
        if (!take_name_options(self, &name))
            return false;
        if (!report_find(&self->files.docs, name, self->set))
            may_be_sheet(self, name);
        array_add(&self->wanted.names, name);
    }
    for (size_t i = 0; i < self->named.count; i++) { /* its options stand behind its only name */
        const char *name = self->named.items[i].name;
        const struct doc_object *report = report_find(&self->files.docs, name, self->set);
        size_t count = 0;
        for (size_t j = 0; j < self->wanted.names.count; j++)
            count +=
                report_find(&self->files.docs, self->wanted.names.items[j], self->set) == report;
        if (count > 1)
            return error_set(self->error, STATUS_USAGE,
                             "tpq report: %s is named twice; name it once, with its options", name);
    }
    return true;
}

bool report_call_other(struct report_call *self)
{
    const struct arguments *arguments = self->arguments;
    size_t given = 0;
    for (size_t i = 0; i < arguments->values.count; i++)
        if (option_is_in("diff comparison-json-path", arguments->values.items[i].option->name)) {
            self->other = arguments->values.items[i].value;
            given++;
        }
    if (!given)
        return true;
    if (given > 1)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: --diff names one other trace, and is given once");
    const char *alone = arguments_any(arguments, "by detect-recompute");
    if (alone)
        return error_set(self->error, STATUS_USAGE, "tpq report: --diff does not go with --%s",
                         alone);
    bool is_file = diff_side_is_file(self->other);
    if (is_file && !self->paths.count)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: '%s' is a file; what is in a warehouse is compared with a "
                         "run or trace of it",
                         self->other);
    if (!is_file && self->paths.count)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: '%s' is no file, and a file is compared with another file",
                         self->other);
    context_set(self->options, "diff-other", "[]");
    return true;
}

const char *report_call_input_name(const struct report_call *self)
{
    const char *run = arguments_value(self->arguments, "run");
    const char *first = self->paths.count ? self->paths.items[0] : NULL;
    if (first && strcmp(first, "-") == 0)
        return "stdin";
    if (first && self->inputs.count && access(first, F_OK) != 0)
        return self->inputs.items[0].path; /* of a pattern the first that it matches */
    if (first)
        return first;
    return run ? run : "tpq";
}

/* Neither an input nor the warehouse is written over. */
bool report_call_keep_inputs(struct report_call *self)
{
    bool has_file = !self->paths.count || arguments_has(self->arguments, "db");
    if (!discover_inputs(self->paths.items, self->paths.count, &self->inputs, self->error))
        return false;
    for (size_t i = 0; i < self->inputs.count; i++)
        array_add(&self->kept, self->inputs.items[i].path);
    if (self->other && self->paths.count)
        array_add(&self->kept, self->other);
    if (has_file)
        array_add(&self->kept, session_database(self->arguments));
    array_add(&self->kept, NULL);
    return true;
}

/* ------------------------------------------------------------------ reading */

/* Python frames are a good part of a trace, and few reports ask for them; a page has them. Others
 * have long frames, which name the cause of idle time. */
static bool needs_python_frames(const struct report_call *self)
{
    if (arguments_has(self->arguments, "no-python"))
        return false;
    if (self->other ||
        arguments_any(self->arguments, "html detect-recompute include-call-stack debug-call-stack "
                                       "enable-pseudo-ops group-by-parent-module where db"))
        return true;
    for (size_t i = 0; i < self->wanted.names.count; i++) {
        const struct doc_object *report =
            report_find(&self->files.docs, self->wanted.names.items[i], self->set);
        if (report && docs_declared(report, "frames"))
            return true;
    }
    return false;
}

/* Each row of an op table has arguments of its own, which the reports about them do not ask for. */
static bool needs_arguments(const struct report_call *self)
{
    if (!self->is_tt || arguments_any(self->arguments, "report-dir where db"))
        return true;
    for (size_t i = 0; i < self->wanted.names.count; i++) {
        const struct doc_object *report =
            report_find(&self->files.docs, self->wanted.names.items[i], self->set);
        if (report && strcmp(docs_declared(report, "set"), self->set) != 0)
            return true;
    }
    return false;
}

/* [ns] Python frames as long may name what held the GPU. */
enum { LONG_FRAME = 1000000 };

static bool ingest_inputs(struct report_call *self)
{
    const struct arguments *arguments = self->arguments;
    bool into_file = arguments_has(arguments, "db");
    const char *run = arguments_value(arguments, "run");
    char *name = run ? memory_text(run) : discover_run_name(self->paths.items, self->paths.count);
    if (!into_file)
        self->is_open =
            warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, self->error);
    struct ingest_options options = {
        .database = session_database(arguments),
        .into = into_file ? NULL : &self->warehouse,
        .run = name,
        .captures = arguments_value(arguments, "capture-folder"),
        .rank_pattern = arguments_value(arguments, "rank-regex"),
        .read = {.no_frames = !needs_python_frames(self),
                 .long_frame = arguments_has(arguments, "no-python") ? 0 : LONG_FRAME,
                 .salvage = arguments_has(arguments, "salvage"),
                 .no_arguments = !needs_arguments(self),
                 .no_labels = !self->extensions.files.count &&
                              !arguments_any(self->arguments, "report-dir where db")}};
    return (into_file || self->is_open) &&
           session_wait_ms(arguments, &options.wait_ms, self->error) &&
           session_ingest(&self->read, &options, &self->inputs, self->error);
}

/* The file that --diff names, as a run of its own: the same content may be there twice. */
static bool ingest_other(struct report_call *self)
{
    bool into_file = arguments_has(self->arguments, "db");
    struct text run = {0};
    char *name = discover_run_name(&self->other, 1);
    text_format(&run, into_file ? "%s" : "against %s", name);
    struct ingest_options options = {
        .database = session_database(self->arguments),
        .into = into_file ? NULL : &self->warehouse,
        .captures = arguments_value(self->arguments, "comparison-capture-folder"),
        .run = run.items};
    return diff_side_ingest(self->arguments, self->other, &options, &self->inputs,
                            &self->other_trace, self->error);
}

bool report_call_open(struct report_call *self)
{
    bool writes = arguments_has(self->arguments, "into-tables");
    if (self->is_open)
        return true;
    if (self->paths.count && (!ingest_inputs(self) || (self->other && !ingest_other(self))))
        return false;
    if (!self->is_open)
        self->is_open = session_open(self->arguments, writes ? WAREHOUSE_WRITE : WAREHOUSE_READ,
                                     &self->warehouse, self->error);
    return self->is_open && session_take_processes(&self->read, &self->warehouse, self->error) &&
           (!self->other ||
            ((self->paths.count || diff_side_find(self->arguments, &self->warehouse, self->other,
                                                  &self->other_trace, self->error)) &&
             diff_side_check(self->arguments, &self->warehouse, self->other, self->other_trace,
                             self->error)));
}

/* ------------------------------------------------------------------ the set */

/* The set for a format of traces; the usual one where there is none. */
static const char *set_of_format(const struct format *format)
{
    return format ? format->set : "pytorch";
}

/* The set for the format that all inputs have. What cannot be read will be refused later. */
static bool look_at_inputs(struct report_call *self, const char **set)
{
    *set = NULL;
    for (size_t i = 0; i < self->inputs.count; i++) {
        struct error failure = {0};
        struct source *source = source_open(self->inputs.items[i].path, false, NULL, &failure);
        const struct format *format = source ? format_detect(source, &failure) : NULL;
        const char *own = set_of_format(format);
        source_close(source);
        if (failure.status == STATUS_DATABASE) {
            *self->error = failure;
            return false;
        }
        *set = *set && strcmp(*set, own) != 0 ? set_of_format(NULL) : own;
    }
    if (!*set)
        *set = set_of_format(NULL);
    return true;
}

/* The same of the runs, or the trace, that are chosen from a warehouse. */
static bool look_at_formats(struct report_call *self, const char **set)
{
    struct run_list runs = {0};
    const char *trace = arguments_value(self->arguments, "trace"), *found = NULL;
    bool has_files = self->paths.count > 0; /* then --run is what they were called */
    if (!has_files &&
        !selection_options_runs(self->arguments, &self->warehouse, false, &runs, self->error))
        return false;
    struct asked traces;
    int64_t run, id;
    const char *name;
    ASK(&traces, self->warehouse.db,
        "SELECT run_id, format, id FROM trace WHERE ?1 IS NULL OR id = CAST(?1 AS INTEGER)", trace);
    while (ASKED_ROW(&traces, &run, &name, &id)) {
        const char *own = set_of_format(format_find(name));
        if (has_files || run_list_has_trace(&runs, run, id))
            found = found && strcmp(found, own) != 0 ? set_of_format(NULL) : own;
    }
    *set = found ? found : set_of_format(NULL);
    return asked_done(&traces, self->warehouse.path, self->error);
}

/* The set of the traces' format, unless the user names one. */
bool report_call_set(struct report_call *self)
{
    bool are_files = self->paths.count > 0;
    for (size_t i = 0; i < self->paths.count; i++)
        are_files &= strcmp(self->paths.items[i], "-") != 0;
    if (!self->set && !(are_files ? look_at_inputs(self, &self->set)
                                  : report_call_open(self) && look_at_formats(self, &self->set)))
        return false;
    self->is_tt = strcmp(self->set, "tt") == 0;
    return true;
}

/* ------------------------------------------------------------------ selection */

/* The other trace is compared by the same steps, signposts and conditions. */
static bool select_other(struct report_call *self, const struct selection *asked)
{
    static const char sql[] =
        "SELECT json_group_array(json_array(first_event, last_event)) FROM scope";
    struct selection selection = *asked;
    if (!self->other)
        return true;
    selection.runs = selection.labels = NULL;
    selection.rank = NULL;
    selection.traces = &self->other_trace;
    selection.trace_count = 1;
    if (!selection_options_apply(&selection, &self->warehouse, self->error))
        return false;
    struct asked row;
    const char *ranges;
    asked_open(&row, self->warehouse.db, sql);
    if (ASKED_ROW(&row, &ranges))
        context_set(self->warehouse.context, "diff-other", ranges);
    identity_add(&self->identity, "against", IDENTITY_TEXT, self->other);
    return asked_done(&row, self->warehouse.path, self->error);
}

/* Finds the verdicts of several whole runs run by run, as they are kept. */
static bool find_verdicts(struct report_call *self, const struct selection *selection)
{
    int64_t runs = 0;
    struct selection narrowed = *selection;
    narrowed.labels = NULL; /* they choose whole runs */
    self->are_whole_runs = self->warehouse.mode == WAREHOUSE_READ && !self->other &&
                           !arguments_has(self->arguments, "report-dir") &&
                           answer_is_plain(&self->warehouse, &narrowed);
    return !self->are_whole_runs ||
           (warehouse_ask(&self->warehouse, "SELECT count(DISTINCT run) FROM scope", 0, &runs,
                          self->error) &&
            (runs < 2 || answer_view(&self->warehouse, "trace_verdict", false, self->error)));
}

bool report_call_select(struct report_call *self)
{
    /* for tt-metal, signposts and ids come after devices are merged */
    struct selection_options options;
    bool done = selection_options_read(self->arguments, !self->is_tt, &options, self->error);
    if (self->paths.count) { /* --run is the name that they got */
        options.selection.runs = NULL;
        options.selection.traces = self->read.traces.items;
        options.selection.trace_count = self->read.traces.count;
    }
    done = done && select_other(self, &options.selection) &&
           selection_options_apply(&options.selection, &self->warehouse, self->error);
    if (done && self->other) {
        /* Beside another trace one is reported, and not that one. */
        static const char sql[] = "SELECT CASE WHEN count(DISTINCT trace_id) > 1 THEN -1 ELSE "
                                  "max(trace_id) END FROM scope";
        int64_t trace = 0;
        done = warehouse_ask(&self->warehouse, sql, 0, &trace, self->error);
        if (done && trace < 0)
            done =
                error_set(self->error, STATUS_USAGE,
                          "tpq report: --diff compares one trace with another one; --run, --rank "
                          "or --trace choose it");
        else if (done)
            done = trace != self->other_trace ||
                   error_set(self->error, STATUS_USAGE,
                             "tpq report: --diff: %s is the trace itself", self->other);
    }
    if (done && self->is_tt) {
        /* identify(), with the signposts that the window really lies between: where an asked one is
         * not there, the default is taken. */
        struct selection *selection = &options.selection;
        struct asked row;
        const char *after = NULL, *before = NULL;
        asked_open(&row, self->warehouse.db,
                   "SELECT group_concat(DISTINCT after_signpost), "
                   "group_concat(DISTINCT before_signpost) FROM tt_status");
        if (ASKED_ROW(&row, OR_NULL(&after), OR_NULL(&before))) {
            /* kept, because no statement may run while views are made */
            after = after ? memory_text(after) : NULL;
            before = before ? memory_text(before) : NULL;
        }
        done = asked_done(&row, self->warehouse.path, self->error);
        selection_options_windows(self->arguments, selection);
        selection->end_signpost = before;
        selection->signpost = before ? NULL : after;
        selection->start_signpost = before ? after : NULL;
        done = done && identify(&self->warehouse, selection, &self->identity, self->error);
    } else
        done = done && find_verdicts(self, &options.selection) &&
               identify(&self->warehouse, &options.selection, &self->identity, self->error);
    return done;
}

/* ------------------------------------------------------------------ --list */

bool report_call_may_fill(struct report_call *self, const struct doc_object *report, bool *may)
{
    struct layout layout;
    char *why = NULL;
    bool done = layout_read(&layout, report, self->error) &&
                report_notes_reason(&self->warehouse, &layout, &why, NULL, self->error);
    *may = done && !why;
    return done;
}

/* Tells if a report has a row for the loaded traces. */
static bool can_fill(void *context, const struct doc_object *report, bool *can)
{
    struct report_call *self = context;
    bool done = report_call_may_fill(self, report, can);
    char *sql = database_format("SELECT 1 FROM \"%w\" LIMIT 1", report->name);
    int64_t has_rows = 0;
    if (*can)
        done = warehouse_ask(&self->warehouse, sql, 0, &has_rows, self->error);
    *can = has_rows != 0;
    return done;
}

/* Reads the words of --list: traces, a set, a question, all, or words to look for. */
static void read_list_wish(struct report_call *self, struct listing_wish *wish, struct text *words)
{
    const struct arguments *arguments = self->arguments;
    bool is_search = false; /* a word is neither a question nor a set: all are searched for */
    *wish = (struct listing_wish){.set = self->set, .only_first = !self->set, .context = self};
    for (size_t i = 0; i < arguments->operands.count; i++) {
        const char *word = arguments->operands.items[i];
        bool is_trace = warehouse_exists(word);
        wish->only_first &= is_trace;
        if (is_trace)
            array_add(&self->paths, word);
        else if (listing_is_question(word))
            wish->question = word;
        else if (report_files_has_set(&self->files, word))
            wish->set = word;
        else
            is_search |= strcmp(word, "all") != 0;
        if (!is_trace)
            text_format(words, "%s%s", words->count ? " " : "", word);
    }
    if (!is_search)
        text_clear(words);
}

/* For programs, to where --json says. */
static bool write_report_list(const struct arguments *arguments, const doc_list *docs,
                              const char *set, struct error *error)
{
    const char *path = arguments_value(arguments, "json");
    bool is_file = path && strcmp(path, "-") != 0;
    struct new_file file = {0};
    if (is_file && !new_file_open(&file, path, error))
        return false;
    struct document document = {.out = is_file ? file.out : stdout};
    document_begin(&document);
    document_close(&document);
    document_open(&document, "reports", '[');
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *object = &docs->items[i];
        if (!catalog_is_report(object) || (set && !catalog_in_set(object, set)))
            continue;
        document_open(&document, NULL, '{');
        document_text(&document, "name", object->name);
        document_text(&document, "set", set ? set : docs_declared(object, "set"));
        document_text(&document, "question", docs_declared(object, "question"));
        document_text(&document, "sheet", catalog_sheet(object, set));
        document_text(&document, "sheet_by", docs_declared(object, "sheet-by"));
        document_text(&document, "meaning", object->meaning);
        document_close(&document);
    }
    document_finish(&document);
    return !is_file || new_file_close(&file, true, error);
}

bool report_call_list(struct report_call *self)
{
    const struct arguments *arguments = self->arguments;
    const doc_list *docs = &self->files.docs;
    if (arguments_has(arguments, "json"))
        return write_report_list(arguments, docs, self->set, self->error);
    struct listing_wish wish;
    struct text words = {0}, sets = {0};
    struct render_options render;
    session_render_options(arguments, &render);
    struct description_options options = {.out = stdout,
                                          .width = render.width ? render.width : 100};
    bool done = true;
    read_list_wish(self, &wish, &words);
    if (words.count) {
        done = description_search(docs, words.items, &options, self->error);
    } else {
        if (self->paths.count || arguments_has(arguments, "db")) {
            done = report_call_keep_inputs(self) && report_call_set(self) &&
                   report_call_open(self) && report_call_select(self);
            if (done) {
                /* The set that suits the loaded traces, and those of their formats. */
                static const char sql[] = "SELECT DISTINCT format FROM trace";
                struct asked formats;
                const char *format;
                asked_open(&formats, self->warehouse.db, sql);
                text_add_string(&sets, self->set);
                while (ASKED_ROW(&formats, &format))
                    text_format(&sets, ",%s", format);
                done = asked_done(&formats, self->warehouse.path, self->error);
            }
            wish.can_fill = can_fill;
            wish.own_sets = sets.items;
        }
        done = done && description_reports(docs, &wish, &options);
    }
    if (done && wish.only_first)
        fputs(
            "\ntpq report --list all: every report; --list nsys: a set; --list idle: a question;\n"
            "--list WORD...: what speaks of these words; with a trace: what it can fill.\n",
            stdout);
    return done;
}
