/* report_options: Every option ends as a text in the context, where views read it with tpq_option.
 * Files are checked whole before they are set. A limit of --fail-if becomes one query over its
 * report: the first row that breaks it is named, and a report without values fails, unless the
 * reason for that is harmless. */
#include "src/report/report_options.h"

#include "ingest/graph_notes.h"
#include "query/report/layout.h"
#include "query/report/notes.h"
#include "query/report/report.h"
#include "sql/asked.h"
#include "sql/warehouse/schema.h"
#include "src/base/deviation.h"
#include "src/base/file.h"
#include "src/base/hint.h"
#include "src/base/literal.h"
#include "src/base/visible.h"
#include "src/command/option.h"
#include "src/command/request_log.h"
#include "src/command/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets an option that was given; of one that has many values, WORDS or a line each. */
static bool read_option(const struct arguments *arguments, const struct view_option *option,
                        struct context *context, struct error *error)
{
    if (!arguments_has(arguments, option->name))
        return true;
    const char **values = arguments_values(arguments, option->name);
    struct text value = {0};
    size_t count = 0;
    while (values[count])
        count++;
    bool has_many = option->argument && strstr(option->argument, "...");
    const char *between = option->type == OPTION_WORDS ? " " : "\n";
    text_add_string(&value, count ? "" : "1");
    for (size_t i = has_many || !count ? 0 : count - 1; i < count; i++)
        text_format(&value, "%s%s", value.count ? between : "", values[i]);
    bool done = view_option_accepts(option, value.items, "tpq report: --", error);
    if (done)
        context_set(context, option->name, value.items);
    return done;
}

bool report_options_read(const struct arguments *arguments, struct context *context,
                         struct error *error)
{
    bool done = true;
    for (const struct view_option *option = view_options; option->name && done; option++)
        if (!option->is_told)
            done = read_option(arguments, option, context, error);
    bool no_collectives =
        arguments_has(arguments, "inference") && !arguments_has(arguments, "enable-coll-analysis");
    if (no_collectives)
        context_set(context, "disable-coll-analysis", "1");
    if (arguments_has(arguments, "debug-call-stack"))
        context_set(context, "include-call-stack", "1");
    return done;
}

bool report_options_read_tt(const struct arguments *arguments, struct context *context,
                            struct error *error)
{
    static const char *const as_they_are[] = {"id-range", "start-signpost", "end-signpost",
                                              "signpost-occurrence", "ignore-signposts"};
    bool done = true;
    for (size_t i = 0; done && i < sizeof as_they_are / sizeof *as_they_are; i++)
        done = read_option(arguments, view_option_find(as_they_are[i]), context, error);
    const char *range = arguments_value(arguments, "signpost-range");
    const char *start = arguments_value(arguments, "signpost");
    bool by_op = !arguments_has(arguments, "group-by") &&
                 arguments_has(arguments, "no-stack-by-in0") &&
                 !like_reference(arguments_has(arguments, "compat"), "tt: --no-stack-by-in0");
    start = start ? start : range;
    if (start && !context_get(context, "start-signpost"))
        context_set(context, "start-signpost", start);
    if (range && !context_get(context, "end-signpost"))
        context_set(context, "end-signpost", range);
    if (by_op)
        context_set(context, "group-by", "op");
    if (arguments_has(arguments, "no-stacked-report"))
        context_set(context, "no-summary", "1");
    return done;
}

/* ------------------------------------------------------------------ files */

enum { FILE_BYTES_MAX = 1 << 20 };

static bool read_arch_file(const char *path, struct text *out, struct error *error)
{
    FILE *file = file_open_plain(path, error);
    char buffer[4096];
    size_t got = 0;
    if (!file)
        return false;
    text_add(out, "", 0);
    while (out->count <= FILE_BYTES_MAX && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add(out, buffer, got);
    bool is_read = !ferror(file);
    int reason = errno;
    fclose(file);
    if (!is_read)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", path, strerror(reason));
    return out->count <= FILE_BYTES_MAX ||
           error_set(error, STATUS_BAD_INPUT, "%s: too large for the description of an accelerator",
                     path);
}

static bool is_arch_figure(const struct literals *values, int place)
{
    enum literal_type type = literal_type(values, place);
    return place >= 0 && (type == LITERAL_INTEGER || type == LITERAL_REAL) &&
           literal_at(values, place)->real > 0;
}

/* The first fault of the description; NULL: it has none. */
static const char *find_arch_fault(const struct literals *values, int root, struct text *words)
{
    if (root < 0 || literal_type(values, root) != LITERAL_OBJECT)
        return "no JSON object";
    if (!is_arch_figure(values, literal_member(values, root, "mem_bw_gbps")))
        return "mem_bw_gbps must be a number of GB/s";
    int peaks = literal_member(values, root, "max_achievable_tflops");
    if (peaks < 0 || literal_type(values, peaks) != LITERAL_OBJECT)
        return "max_achievable_tflops must be an object of TFLOP/s";
    for (int name = literal_at(values, peaks)->first; name >= 0;) {
        int value = literal_at(values, name)->next;
        if (!is_arch_figure(values, value)) {
            text_format(words, "max_achievable_tflops: %.100s must be a number of TFLOP/s",
                        literal_text(values, name));
            return words->items;
        }
        name = literal_at(values, value)->next;
    }
    return NULL;
}

static bool read_arch(const struct arguments *arguments, struct context *context,
                      struct error *error)
{
    const char *path = arguments_value(arguments, "gpu-arch-json-path");
    struct text file = {0}, json = {0}, words = {0};
    struct literals values = {0};
    if (!path)
        return true;
    if (arguments_has(arguments, "gpu-arch-platform"))
        return error_set(error, STATUS_USAGE,
                         "tpq %s: at most one of --gpu-arch-json-path and --gpu-arch-platform "
                         "names an accelerator",
                         arguments->verb->name);
    bool done = read_arch_file(path, &file, error);
    if (done) {
        int root = literal_read(&values, text_view(&file));
        const char *fault = find_arch_fault(&values, root, &words);
        done = !fault || error_set(error, STATUS_BAD_INPUT, "%s: %s", path, fault);
        if (done) {
            literal_add_json(&values, root, &json);
            context_set(context, "gpu-arch", json.items);
        }
    }
    return done;
}

bool report_options_read_files(const struct arguments *arguments, struct context *context,
                               struct error *error)
{
    if (!read_arch(arguments, context, error))
        return false;
    const char **graphs = arguments_values(arguments, "graph-annotations");
    struct text notes = {0};
    bool done = request_log_read(arguments, context, error) &&
                (!*graphs || graph_notes_read(graphs, &notes, error));
    if (done && notes.items)
        context_set(context, "graph-annotations", notes.items);
    return done;
}

bool report_options_choose_arch(const struct arguments *arguments, struct warehouse *warehouse,
                                struct error *error)
{
    const char *name = arguments_value(arguments, "gpu-arch-platform");
    if (!name)
        return true;
    struct asked row;
    const char *device = NULL, *known = "";
    ASK(&row, warehouse->db,
        "SELECT (SELECT device FROM device_name WHERE lower(device) = lower(?1) OR "
        "upper(' ' || ?1 || ' ') GLOB pattern ORDER BY lower(device) = lower(?1) DESC, length DESC "
        "LIMIT 1), (SELECT group_concat(device, ', ') FROM "
        "(SELECT DISTINCT device FROM device_name ORDER BY device))",
        name);
    if (ASKED_ROW(&row, OR_NULL(&device), &known) && !device)
        error_set(error, STATUS_USAGE, "unknown architecture \"%.100s\"; known are %s", name,
                  known);
    if (device)
        context_set(warehouse->context, "gpu-arch-platform", device);
    bool is_known = device != NULL;
    return asked_done(&row, warehouse->path, error) && is_known;
}

/* ------------------------------------------------------------------ limits */

/* A limit is read from left to right. */
struct limit_reading {
    struct report_limit *limit;
    const struct report_files *files;
    struct error *error;
    const char *at;
};

static bool refuse_limit(const struct limit_reading *self)
{
    return error_set(self->error, STATUS_USAGE,
                     "tpq report: --fail-if takes REPORT.COLUMN, one of < <= > >= = <>, and a "
                     "number, not '%s'",
                     self->limit->words);
}

/* The next name; the caller frees. NULL: there is none. */
static char *take_limit_name(struct limit_reading *self)
{
    size_t length = strspn(self->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_");
    char *name = length ? memory_part(self->at, length) : NULL;
    self->at += length;
    return name;
}

static bool find_limit_report(struct limit_reading *self)
{
    char *name = take_limit_name(self);
    struct text hint = {0};
    if (!name)
        return refuse_limit(self);
    self->limit->report = report_find(&self->files->docs, name, NULL);
    bool done = self->limit->report;
    if (!done) {
        report_files_hint(self->files, name, "see tpq report --list", &hint);
        error_set(self->error, STATUS_USAGE, "tpq report: --fail-if: there is no report '%s'%s",
                  name, hint.items);
    }
    return done && (*self->at++ == '.' || refuse_limit(self));
}

static bool unknown_limit_column(const struct limit_reading *self, const char *name)
{
    const doc_columns *columns = docs_columns(self->limit->report);
    ARRAY(const char *) names = {0};
    struct text hint = {0};
    for (size_t i = 0; i < columns->count; i++)
        array_add(&names, columns->items[i].name);
    hint_add(&hint, name, names.items, names.count, "see tpq describe");
    error_set(self->error, STATUS_USAGE, "tpq report: --fail-if: %s has no column '%s'%s",
              self->limit->report->name, name, hint.items);
    return false;
}

static bool find_limit_column(struct limit_reading *self)
{
    char *name = take_limit_name(self);
    if (!name)
        return refuse_limit(self);
    self->limit->column = docs_column(self->limit->report, name);
    bool done = self->limit->column || unknown_limit_column(self, name);
    if (done && strcmp(self->limit->column->type, "text") == 0)
        done = error_set(self->error, STATUS_USAGE, "tpq report: --fail-if: %s.%s is no number",
                         self->limit->report->name, self->limit->column->name);
    return done;
}

static bool find_value(struct limit_reading *self)
{
    static const char *const operators[] = {"<=", ">=", "<>", "!=", "==", "<", ">", "="};
    char *end;
    self->at += strspn(self->at, " ");
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);
        if (strncmp(self->at, operators[i], length) != 0)
            continue;
        memcpy(self->limit->operator_, operators[i], length + 1);
        const char *number = self->at + length + strspn(self->at + length, " ");
        self->limit->value = strtod(number, &end);
        bool is_number = *number && *end == '\0' && !isnan(self->limit->value);
        return is_number || refuse_limit(self);
    }
    return refuse_limit(self);
}

bool report_limits_read(report_limits *self, const struct arguments *arguments,
                        const struct report_files *files, struct error *error)
{
    const char **words = arguments_values(arguments, "fail-if");
    bool done = true;
    for (size_t i = 0; done && words[i]; i++) {
        struct report_limit *limit = array_push(self);
        *limit = (struct report_limit){.words = words[i]};
        struct limit_reading reading = {limit, files, error, words[i] + strspn(words[i], " ")};
        done = find_limit_report(&reading);
        if (done)
            done = find_limit_column(&reading);
        done = done && find_value(&reading);
    }
    return done;
}

/* A report without rows fails a limit, unless nothing is there that could be wrong. */
static bool explain_empty(const struct report_limit *limit, const struct report_files *files,
                          struct warehouse *warehouse, struct error *error)
{
    struct layout layout;
    struct view reason = VIEW("");
    char *why = NULL, *harmless = NULL;
    bool done = layout_read(&layout, limit->report, error) &&
                report_notes_why(warehouse, &layout, &why, &reason, error) &&
                views_row(warehouse->db, "empty_reason", "nullif(is_harmless, 0)", reason,
                          &harmless, error);
    const struct doc_object *view = NULL;
    for (size_t i = 0; i < files->docs.count && reason.length && !view; i++)
        if (view_equal(reason, view_of(files->docs.items[i].name)))
            view = &files->docs.items[i];
    if (done && (harmless || (view && docs_declared(view, "harmless"))))
        session_sayf("%s: %s has no rows: %s", limit->words, limit->report->name, why);
    else if (done)
        done = error_set(error, STATUS_BAD_INPUT, "%s: nothing was held: %s has no rows: %.600s",
                         limit->words, limit->report->name, why);
    return done;
}

/* Fails where a row is so, and where none has a value that could be. */
static bool hold_limit(const struct report_limit *limit, const struct report_files *files,
                       const struct abstentions *abstentions, struct warehouse *warehouse,
                       struct error *error)
{
    enum { IS_SO, VALUE, KEY }; /* columns of the query */
    const char *keys = docs_declared(limit->report, "key"), *name = limit->column->name;
    const char *decimals = report_decimals(warehouse, limit->column);
    struct text sql = {0}, first = {0}; /* the first row that is so: its value and keys */
    struct text figure = {0};
    long long rows = 0, values = 0, found = 0;
    text_add_string(&figure, *decimals ? "round(" : "");
    abstentions_add_sql(abstentions, limit->report, name, &figure);
    text_format(&figure, *decimals ? ", %s)" : "%s", decimals);
    text_format(&sql, "SELECT %s %s ?1, %s", figure.items, limit->operator_, figure.items);
    for (struct view key; (key = docs_next_name(&keys)).length;)
        text_format(&sql, ", \"%.*s\"", (int)key.length, key.bytes);
    text_format(&sql, " FROM \"%s\"", limit->report->name);
    sqlite3_stmt *row = warehouse_prepare(warehouse, sql.items, error);
    bool done = row != NULL;
    sqlite3_bind_double(row, 1, limit->value);
    while (warehouse_next(warehouse, row, &done, error)) {
        bool is_so = sqlite3_column_int(row, IS_SO) != 0;
        rows++;
        values += sqlite3_column_type(row, VALUE) != SQLITE_NULL;
        found += is_so;
        if (!is_so || found != 1)
            continue;
        text_format(&first, "%s.%s is %s", limit->report->name, name,
                    (const char *)sqlite3_column_text(row, VALUE));
        for (int i = KEY; i < sqlite3_column_count(row); i++) {
            const char *text = (const char *)sqlite3_column_text(row, i);
            if (!text)
                continue;
            text_add_string(&first, i == KEY ? " of " : ", ");
            visible_add(&first, view_of(text));
        }
    }
    if (done && found)
        done = error_set(error, STATUS_CHECK_FAILED, "%s: %.600s (%lld row%s)", limit->words,
                         first.items, found, found == 1 ? "" : "s");
    else if (done && !rows)
        done = explain_empty(limit, files, warehouse, error);
    else if (done && !values)
        done = error_set(error, STATUS_BAD_INPUT,
                         "%s: nothing was held: %s.%s has no value in any row", limit->words,
                         limit->report->name, name);
    database_finalize(row);
    return done;
}

bool report_limits_hold(const report_limits *self, const struct report_files *files,
                        const struct abstentions *abstentions, struct warehouse *warehouse,
                        struct error *error)
{
    for (size_t i = 0; i < self->count; i++)
        if (!hold_limit(&self->items[i], files, abstentions, warehouse, error))
            return false;
    return true;
}
