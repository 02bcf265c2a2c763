/* report_inputs: see report_call.h. */
#include "src/report/report_call.h"

#include "ingest/discover.h"
#include "ingest/ingest.h"
#include "query/report/identify.h"
#include "sql/database.h"
#include "src/command/selection_options.h"
#include "src/command/session.h"
#include "src/report/diff_side.h"
#include "src/report/report_configs.h"
#include "src/report/report_tt.h"

#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ operands */

static bool add_word(void *list, const char *word)
{
    ARRAY(const char *) *words = list;
    return array_add(words, word);
}

static bool unknown_operand(const struct report_call *self, const char *word)
{
    struct text hint = {0};
    bool done = report_files_hint(&self->files, word, "see tpq report --list", &hint);
    done = done ? error_set(self->error, STATUS_USAGE,
                            "tpq report: '%s' is neither a report nor a file%s", word, hint.items)
                : error_memory(self->error);
    text_free(&hint);
    return done;
}

/* A sheet of a report can be named where there is something to have it; whether it does is known
 * only when that is read, and so nothing may be stored for it. */
static bool may_be_sheet(struct report_call *self, const char *word)
{
    const struct arguments *arguments = self->arguments;
    bool has_files =
        arguments_any(arguments, "profile-json-path profile-path profile-xplane-pb-path");
    for (size_t i = 0; i < arguments->operands.count; i++)
        has_files |= warehouse_exists(arguments->operands.items[i]);
    bool stores = has_files && arguments_has(arguments, "db");
    bool has_input = has_files || warehouse_exists(session_database(arguments));
    if (stores || !has_input || report_is_of_configs(arguments) ||
        !report_wanted_may_be_sheet(&self->wanted, word))
        return false;
    return self->wanted.may_be_sheets = true;
}

/* ------------------------------------------------------------------ options behind names */

/* Whether a report declares that it takes an option behind its name. */
static bool takes_option(const struct doc_object *report, struct view option)
{
    const char *list = docs_declared(report, "name-options");
    for (size_t length; list && *list; list += length + strspn(list + length, ", ")) {
        length = strcspn(list, ", ");
        if (view_equal(option, (struct view){list, length}))
            return true;
    }
    return false;
}

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
    return takes_option(report, option);
}

/* NAME:OPTION:..., as nsys stats has it: `*word` becomes NAME. */
static bool take_name_options(struct report_call *self, const char **word)
{
    const char *at = strchr(*word, ':');
    char *name = at ? strndup(*word, (size_t)(at - *word)) : NULL;
    if (at && !name)
        return error_memory(self->error);
    const struct doc_object *report = name ? report_find(&self->files.docs, name, self->set) : NULL;
    struct named_report named = {.name = name};
    bool done = true;
    while (report && *at && done) {
        struct view option = {at + 1, strcspn(at + 1, ":")};
        done =
            read_name_option(&named, report, option) || refuse_option(self, name, report, option);
        at = option.bytes + option.length;
    }
    if (!report || !done || !array_add(&self->named, named)) {
        free(name);
        return !report || (done && error_memory(self->error));
    }
    *word = name;
    return true;
}

/* A report is made once: its options stand behind its only name. */
static bool check_name_options(const struct report_call *self)
{
    for (size_t i = 0; i < self->named.count; i++) {
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

bool report_call_name_options(struct report_call *self, const struct doc_object *report,
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
        return true; /* a setting makes what was read before out of date */
    return (context_set(context, "kernel-names", named.is_base ? "base" : NULL) &&
            context_set(context, "nvtx-names", named.has_ranges ? "1" : NULL)) ||
           error_memory(self->error);
}

static bool add_sheet(struct report_call *self, const char *name)
{
    if (!take_name_options(self, &name))
        return false;
    if (!report_find(&self->files.docs, name, self->set))
        may_be_sheet(self, name);
    return add_word(&self->wanted.names, name) || error_memory(self->error);
}

/* An operand is a report if there is one of that name, else a path. */
bool report_call_operands(struct report_call *self)
{
    const struct arguments *arguments = self->arguments;
    bool done = true;
    for (size_t i = 0; i < arguments->operands.count && done; i++) {
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
        if (is_unknown && !is_report)
            return unknown_operand(self, word);
        done = add_word(is_report ? (void *)&self->wanted.names : (void *)&self->paths, word);
    }
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        if (option_is_in("profile-json-path profile-path trace-path profile-xplane-pb-path",
                         value->option->name))
            done = add_word(&self->paths, value->value);
        else if (strcmp(value->option->name, "sheet") == 0 && !add_sheet(self, value->value))
            return false;
    }
    return done ? check_name_options(self) : error_memory(self->error);
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
    return context_set(self->options, "diff-other", "[]") || error_memory(self->error);
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
    bool done = true;
    if (!discover_inputs(self->paths.items, self->paths.count, &self->inputs, self->error))
        return false;
    for (size_t i = 0; i < self->inputs.count && done; i++)
        done = add_word(&self->kept, self->inputs.items[i].path);
    if (done && self->other && self->paths.count)
        done = add_word(&self->kept, self->other);
    done = done && (!has_file || add_word(&self->kept, session_database(self->arguments))) &&
           add_word(&self->kept, NULL);
    return done || error_memory(self->error);
}

/* ------------------------------------------------------------------ reading */

/* Python frames are a good part of a trace, and few reports ask for them; a page has them. Others
 * have long frames, which name the cause of idle time. */
static bool needs_frames(const struct report_call *self)
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
    char *name = run ? strdup(run) : discover_run_name(self->paths.items, self->paths.count);
    bool done = name || error_memory(self->error);
    if (done && !into_file) {
        self->is_open =
            warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, self->error);
        done = self->is_open;
    }
    struct ingest_options options = {
        .database = session_database(arguments),
        .into = into_file ? NULL : &self->warehouse,
        .run = name,
        .captures = arguments_value(arguments, "capture-folder"),
        .read = {.no_frames = !needs_frames(self),
                 .long_frame = arguments_has(arguments, "no-python") ? 0 : LONG_FRAME,
                 .no_arguments = !needs_arguments(self),
                 .no_labels = !self->extensions.files.count &&
                              !arguments_any(self->arguments, "report-dir where db")}};
    done = done && session_wait_ms(arguments, &options.wait_ms, self->error) &&
           session_ingest(&self->read, &options, &self->inputs, self->error);
    free(name);
    return done;
}

/* The file that --diff names, as a run of its own: the same content may be there twice. */
static bool ingest_other(struct report_call *self)
{
    bool into_file = arguments_has(self->arguments, "db");
    struct text run = {0};
    char *name = discover_run_name(&self->other, 1);
    bool done = (name && text_format(&run, into_file ? "%s" : "against %s", name)) ||
                error_memory(self->error);
    struct ingest_options options = {.database = session_database(self->arguments),
                                     .into = into_file ? NULL : &self->warehouse,
                                     .run = run.items};
    done = done && diff_side_ingest(self->arguments, self->other, &options, &self->inputs,
                                    &self->other_trace, self->error);
    text_free(&run);
    free(name);
    return done;
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
static const char *set_of(const struct format *format)
{
    return format ? format->set : "pytorch";
}

/* The set for the format that all inputs have. What cannot be read will be refused later; false:
 * memory is out. */
static bool look_at_inputs(struct report_call *self, const char **set)
{
    *set = NULL;
    for (size_t i = 0; i < self->inputs.count; i++) {
        struct error failure = {0};
        struct source *source = source_open(self->inputs.items[i].path, false, NULL, &failure);
        const struct format *format = source ? format_detect(source, &failure) : NULL;
        const char *own = set_of(format);
        source_close(source);
        if (failure.status == STATUS_DATABASE) {
            *self->error = failure;
            return false;
        }
        *set = *set && strcmp(*set, own) != 0 ? set_of(NULL) : own;
    }
    if (!*set)
        *set = set_of(NULL);
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
    sqlite3_stmt *statement = warehouse_prepare(
        &self->warehouse,
        "SELECT run_id, format, id FROM trace WHERE ?1 IS NULL OR id = CAST(?1 AS INTEGER)",
        self->error);
    bool done = statement != NULL;
    sqlite3_bind_text(statement, 1, trace, -1, SQLITE_STATIC);
    while (warehouse_next(&self->warehouse, statement, &done, self->error)) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        const struct format *format = name ? format_find(name) : NULL;
        if (!has_files && !run_list_has_trace(&runs, sqlite3_column_int64(statement, 0),
                                              sqlite3_column_int64(statement, 2)))
            continue;
        found = found && strcmp(found, set_of(format)) != 0 ? set_of(NULL) : set_of(format);
    }
    *set = found ? found : set_of(NULL);
    sqlite3_finalize(statement);
    run_list_free(&runs);
    return done;
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
    bool done = selection_options_apply(&selection, &self->warehouse, self->error);
    sqlite3_stmt *row = done ? warehouse_prepare(&self->warehouse, sql, self->error) : NULL;
    if (!row)
        return false;
    done = sqlite3_step(row) == SQLITE_ROW || warehouse_error(&self->warehouse, self->error);
    const char *ranges = done ? (const char *)sqlite3_column_text(row, 0) : NULL;
    done = done && ((ranges && context_set(self->warehouse.context, "diff-other", ranges) &&
                     identity_add(&self->identity, "against", IDENTITY_TEXT, self->other)) ||
                    error_memory(self->error));
    sqlite3_finalize(row);
    return done;
}

/* Beside another trace one is reported, and not that one. */
static bool check_other(struct report_call *self)
{
    static const char sql[] =
        "SELECT CASE WHEN count(DISTINCT trace_id) > 1 THEN -1 ELSE max(trace_id) END FROM scope";
    int64_t trace = 0;
    if (!self->other)
        return true;
    if (database_ask(self->warehouse.db, sql, 0, &trace) != SQLITE_OK)
        return warehouse_error(&self->warehouse, self->error);
    if (trace < 0)
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: --diff compares one trace with another one; --run, --rank "
                         "or --trace choose it");
    return trace != self->other_trace ||
           error_set(self->error, STATUS_USAGE, "tpq report: --diff: %s is the trace itself",
                     self->other);
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
           selection_options_apply(&options.selection, &self->warehouse, self->error) &&
           check_other(self);
    if (done && self->is_tt)
        done = report_tt_identify(self->arguments, &self->warehouse, &options.selection,
                                  &self->identity, self->error);
    else
        done = done && identify(&self->warehouse, &options.selection, &self->identity, self->error);
    selection_options_free(&options);
    return done;
}
