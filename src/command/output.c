/* output: see output.h. */
#include "src/command/output.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOP = 20, PIPE_WIDTH = 120 };

struct opening {
    struct outputs *self;
    const struct arguments *arguments;
    const struct output_context *context;
    struct error *error;
};

/* ------------------------------------------------------------------ what is asked for */

/* Options that write, with what they write. */
static const struct output_form {
    const char *option;
    enum {
        OUTPUT_CSV,
        OUTPUT_SUMMARY,
        OUTPUT_WORKBOOK,
        OUTPUT_STREAM,
        OUTPUT_TABLES,
        OUTPUT_FILES
    } kind;
    struct sink *(*make)(FILE *out, struct error *error); /* of a stream */
} forms[] = {
    {"csv", OUTPUT_CSV, NULL},
    {"output-csvs-dir", OUTPUT_CSV, NULL},
    {"summary-file", OUTPUT_SUMMARY, NULL},
    {"stacked-csv", OUTPUT_SUMMARY, NULL},
    {"xlsx", OUTPUT_WORKBOOK, NULL},
    {"output-xlsx-path", OUTPUT_WORKBOOK, NULL},
    {"json", OUTPUT_STREAM, sink_json},
    {"jsonl", OUTPUT_STREAM, sink_json_lines},
    {"markdown", OUTPUT_STREAM, sink_markdown},
    {"html", OUTPUT_STREAM, sink_html},
    {"into-tables", OUTPUT_TABLES, NULL},
    {"output-path", OUTPUT_FILES, NULL},
};

static const struct output_form *form_of(const struct argument_value *value)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(value->option->name, forms[i].option) == 0)
            return &forms[i];
    return NULL;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static bool is_directory_of_csv(const struct output_form *form, const char *path)
{
    return form->kind == OUTPUT_CSV && !is_stdout(path) && !ends_with(path, ".csv");
}

static bool check_two(const struct output_form *form, const char *path,
                      const struct output_form *other, const char *other_path, struct error *error)
{
    bool is_out = form->kind != OUTPUT_WORKBOOK && is_stdout(path);
    bool other_is_out = other->kind != OUTPUT_WORKBOOK && is_stdout(other_path);
    if (form->kind == OUTPUT_TABLES || other->kind == OUTPUT_TABLES)
        return true;
    if (is_out && other_is_out)
        return error_set(error, STATUS_USAGE,
                         "tpq report: two outputs cannot both go to standard output");
    if (!path || !other_path || is_out || other_is_out)
        return true;
    return (strcmp(path, other_path) != 0 && !sink_is_same_file(path, other_path)) ||
           error_set(error, STATUS_USAGE, "tpq report: two outputs cannot both go to %s", path);
}

static bool overwrites(const struct argument_value *value, const struct arguments *arguments)
{
    return !value->value || strcmp(value->option->name, "output-xlsx-path") == 0 ||
           arguments_has(arguments, "force");
}

static bool check_one(const struct argument_value *value, const struct arguments *arguments,
                      const struct output_context *context, struct error *error)
{
    const struct output_form *form = form_of(value);
    const char *path = value->value;
    if (form->kind == OUTPUT_CSV && !is_directory_of_csv(form, path) && context->sheets != 1 &&
        !context->first_sheet)
        return error_set(error, STATUS_USAGE,
                         "tpq report: one CSV takes one sheet; name a report, or a directory");
    if (form->kind == OUTPUT_TABLES && context->in_memory)
        return error_set(
            error, STATUS_USAGE,
            "tpq report: --into-tables needs a warehouse that stays; name one by --db");
    bool is_out = form->kind != OUTPUT_WORKBOOK && is_stdout(path);
    if (!path || is_out || form->kind == OUTPUT_TABLES || form->kind == OUTPUT_FILES ||
        is_directory_of_csv(form, path))
        return true;
    if (form->kind == OUTPUT_WORKBOOK && !overwrites(value, arguments) && access(path, F_OK) == 0)
        return error_set(error, STATUS_DATABASE, "%s: exists already (--force overwrites it)",
                         path);
    return sink_check_path(path, context->inputs, error);
}

static bool is_other_workbook(const struct output_form *form, const struct output_context *context)
{
    return form->kind == OUTPUT_WORKBOOK && context->other_workbook;
}

bool outputs_check(const struct arguments *arguments, const struct output_context *context,
                   struct error *error)
{
    long top;
    bool done = arguments_number(arguments, "top", 0, 1000000000, TOP, &top, error);
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const struct argument_value *value = &arguments->values.items[i], *other;
        if (!form_of(value) || is_other_workbook(form_of(value), context))
            continue;
        done = check_one(value, arguments, context, error);
        for (other = arguments->values.items; other < value && done; other++)
            done = !form_of(other) || is_other_workbook(form_of(other), context) ||
                   check_two(form_of(value), value->value, form_of(other), other->value, error);
    }
    return done;
}

/* ------------------------------------------------------------------ opening */

static bool add(struct opening *opening, struct sink *sink)
{
    struct sink **added = sink ? array_push(&opening->self->sinks) : NULL;
    if (added) {
        *added = sink;
        return true;
    }
    if (sink) {
        sink->free(sink);
        error_memory(opening->error);
    }
    return false;
}

/* Standard output for NULL and "-", else a new file. */
static FILE *open_stream(struct opening *opening, const char *path)
{
    if (is_stdout(path))
        return stdout;
    FILE **kept = array_push(&opening->self->files);
    if (!kept) {
        error_memory(opening->error);
        return NULL;
    }
    *kept = fopen(path, "wb");
    if (!*kept) {
        opening->self->files.count--;
        error_set(opening->error, STATUS_DATABASE, "%s cannot be written: %s", path,
                  strerror(errno));
        return NULL;
    }
    return *kept;
}

/* A file that is not kept when nothing is written. */
static FILE *open_beside(struct opening *opening, const char *path)
{
    if (!sink_check_path(path, opening->context->inputs, opening->error))
        return NULL;
    FILE *file = open_stream(opening, path);
    char *kept = file ? strdup(path) : NULL,
         **added = kept ? array_push(&opening->self->beside) : NULL;
    if (added) {
        *added = kept;
        return file;
    }
    free(kept);
    if (file)
        error_memory(opening->error);
    return NULL;
}

/* The second sheet as a CSV file, and its chart beside that. */
static bool open_second(struct opening *opening, const char *path, bool raw)
{
    const struct output_context *context = opening->context;
    bool classic = arguments_has(opening->arguments, "classic-colors");
    FILE *table = open_beside(opening, path), *chart = NULL;
    struct text picture = {0};
    if (!table || !add(opening, sink_csv_sheet(table, context->second_sheet, raw, opening->error)))
        return false;
    if (text_format(&picture, "%.*s.svg", (int)(strlen(path) - strlen(".csv")), path))
        chart = open_beside(opening, picture.items);
    else
        error_memory(opening->error);
    text_free(&picture);
    return chart && add(opening, sink_stack(chart, classic, opening->error));
}

/* One sheet into a file, another into a file beside it; to standard output only the one. */
static bool open_csv_pair(struct opening *opening, const char *where, bool raw)
{
    const struct output_context *context = opening->context;
    FILE *out = open_stream(opening, where);
    if (!out || !add(opening, sink_csv_sheet(out, context->first_sheet, raw, opening->error)))
        return false;
    if (out == stdout || !context->second_sheet ||
        arguments_has(opening->arguments, "summary-file") ||
        arguments_has(opening->arguments, "stacked-csv"))
        return true;
    struct text path = {0};
    bool done = text_format(&path, "%.*s_%s.csv", (int)(strlen(where) - strlen(".csv")), where,
                            context->second_sheet) ||
                error_memory(opening->error);
    done = done && open_second(opening, path.items, raw);
    text_free(&path);
    return done;
}

/* The file of a summary always gets the ending, as the reference has it; ours only where it has
 * none. */
static bool open_summary(struct opening *opening, const struct output_form *form, const char *name)
{
    const struct output_context *context = opening->context;
    bool raw = arguments_has(opening->arguments, "csv-raw") || context->compat;
    bool is_older = strcmp(form->option, "stacked-csv") == 0;
    struct text path = {0};
    if (!context->second_sheet || (is_older && arguments_has(opening->arguments, "summary-file")))
        return true;
    bool done = text_format(&path, "%s%s", name,
                            context->compat || !ends_with(name, ".csv") ? ".csv" : "") ||
                error_memory(opening->error);
    done = done && open_second(opening, path.items, raw);
    text_free(&path);
    opening->self->has_summary |= done;
    return done;
}

static bool open_csv(struct opening *opening, const struct output_form *form, const char *where)
{
    bool raw = arguments_has(opening->arguments, "csv-raw") || opening->context->compat;
    if (is_directory_of_csv(form, where))
        return add(opening,
                   sink_csv_directory(where, raw, opening->context->inputs, opening->error));
    if (opening->context->first_sheet)
        return open_csv_pair(opening, where, raw);
    opening->self->one_sheet = true;
    FILE *out = open_stream(opening, where);
    return out && add(opening, sink_csv(out, raw, opening->error));
}

/* Text before the last ".json" or ".xplane.pb" of the input's name, or all of it, and an ending. */
static char *default_name(const char *input)
{
    const char *end = input + strlen(input);
    for (const char *at = input; (at = strstr(at, ".json")); at++)
        end = at;
    for (const char *at = input; (at = strstr(at, ".xplane.pb")); at++)
        end = at;
    struct text name = {0};
    if (!text_add(&name, input, (size_t)(end - input)) ||
        !text_add_string(&name, "_perf_report.xlsx")) {
        text_free(&name);
        return NULL;
    }
    return name.items;
}

static bool open_workbook(struct opening *opening, const char *path, bool overwrite)
{
    struct outputs *self = opening->self;
    if (!path) {
        free(self->made_name);
        self->made_name = default_name(opening->context->input);
        if (!self->made_name)
            return error_memory(opening->error);
        path = self->made_name;
        overwrite = true;
    }
    struct xlsx_options options = {.index = !opening->context->compat, .overwrite = overwrite};
    return sink_check_path(path, opening->context->inputs, opening->error) &&
           add(opening, sink_xlsx(path, &options, opening->error));
}

static bool is_coloured(const struct arguments *arguments)
{
    const char *never = getenv("NO_COLOR");
    if (arguments_has(arguments, "color") || arguments_has(arguments, "no-color"))
        return !arguments_has(arguments, "no-color");
    return isatty(STDOUT_FILENO) && !(never && *never);
}

static bool open_terminal(struct opening *opening)
{
    long top;
    struct winsize size;
    struct terminal_options options = {.colour = is_coloured(opening->arguments)};
    if (!arguments_number(opening->arguments, "top", 0, 1000000000,
                          opening->context->all_rows ? 0 : TOP, &top, opening->error))
        return false;
    options.top = top;
    if (!arguments_has(opening->arguments, "wide"))
        options.width =
            ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : PIPE_WIDTH;
    opening->self->on_terminal = true;
    return add(opening, sink_terminal(stdout, &options, opening->error));
}

static bool open_files(struct opening *opening, const char *directory)
{
    const char *name = arguments_value(opening->arguments, "output-filename");
    const char **formats = arguments_values(opening->arguments, "output-table-formats");
    if (!formats)
        return error_memory(opening->error);
    struct files_options options = {
        .name = name ? name : "trace_analysis_results",
        .csv = !*formats,
        .xlsx = !*formats,
        .raw = arguments_has(opening->arguments, "csv-raw") || opening->context->compat,
        .inputs = opening->context->inputs,
    };
    for (const char **format = formats; *format; format++)
        *(strcmp(*format, ".csv") == 0 ? &options.csv : &options.xlsx) = true;
    free(formats);
    return add(opening, sink_files(directory, &options, opening->error));
}

static bool open_one(struct opening *opening, const struct argument_value *value)
{
    const struct output_form *form = form_of(value);
    FILE *out = NULL;
    switch (form->kind) {
    case OUTPUT_CSV:
        return open_csv(opening, form, value->value);
    case OUTPUT_SUMMARY:
        return open_summary(opening, form, value->value);
    case OUTPUT_WORKBOOK:
        return open_workbook(opening, value->value, overwrites(value, opening->arguments));
    case OUTPUT_STREAM:
        out = open_stream(opening, value->value);
        return out && add(opening, form->make(out, opening->error));
    case OUTPUT_FILES:
        return open_files(opening, value->value);
    default:
        opening->self->to_tables = true;
        return add(opening, sink_tables(opening->context->db, opening->error));
    }
}

static bool is_stream(const struct output_form *form, const char *path)
{
    return form->kind == OUTPUT_STREAM ||
           (form->kind == OUTPUT_CSV && !is_directory_of_csv(form, path));
}

/* Files that are there already lose their contents when they are opened: they are the last. */
static bool open_all(struct opening *opening, bool are_last)
{
    const struct arguments *arguments = opening->arguments;
    bool done = true;
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        const struct output_form *form = form_of(value);
        if (form && !is_other_workbook(form, opening->context) &&
            is_stream(form, value->value) == are_last)
            done = open_one(opening, value);
    }
    return done;
}

bool outputs_beside_workbook(const struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->values.count; i++) {
        const struct output_form *form = form_of(&arguments->values.items[i]);
        if (form && form->kind != OUTPUT_WORKBOOK)
            return true;
    }
    return false;
}

bool outputs_open(struct outputs *self, const struct arguments *arguments,
                  const struct output_context *context, struct error *error)
{
    *self = (struct outputs){0};
    struct opening opening = {self, arguments, context, error};
    bool done = outputs_check(arguments, context, error) && open_all(&opening, false) &&
                open_all(&opening, true);
    if (done && self->sinks.count == self->has_summary &&
        (!context->other_workbook || context->on_terminal))
        done =
            context->like_reference ? open_workbook(&opening, NULL, true) : open_terminal(&opening);
    return done;
}

bool outputs_finish(struct outputs *self, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->sinks.count && done; i++)
        done = self->sinks.items[i]->finish(self->sinks.items[i], error);
    return done;
}

void outputs_close(struct outputs *self)
{
    for (size_t i = 0; i < self->sinks.count; i++)
        self->sinks.items[i]->free(self->sinks.items[i]);
    for (size_t i = 0; i < self->files.count; i++)
        fclose(self->files.items[i]);
    for (size_t i = 0; i < self->beside.count; i++) {
        struct stat status;
        if (stat(self->beside.items[i], &status) == 0 && status.st_size == 0)
            unlink(self->beside.items[i]);
        free(self->beside.items[i]);
    }
    array_free(&self->beside);
    array_free(&self->sinks);
    array_free(&self->files);
    free(self->made_name);
}
