/* output: see output.h. */
#include "output.h"

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
    bool stdout_taken;
};

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

static bool is_same_file(const char *left, const char *right)
{
    struct stat one, other;
    return stat(left, &one) == 0 && stat(right, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static bool check_path(const struct opening *opening, const char *path)
{
    for (const char *const *input = opening->context->inputs; input && *input; input++)
        if (is_same_file(path, *input))
            return error_set(opening->error, STATUS_USAGE,
                             "tpq report: %s is an input and is not written over", path);
    return true;
}

/* Standard output for NULL and "-", else a new file. */
static FILE *open_stream(struct opening *opening, const char *path)
{
    if (!path || strcmp(path, "-") == 0) {
        if (opening->stdout_taken) {
            error_set(opening->error, STATUS_USAGE,
                      "tpq report: two outputs cannot both go to standard output");
            return NULL;
        }
        opening->stdout_taken = true;
        return stdout;
    }
    if (!check_path(opening, path))
        return NULL;
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

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
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
    FILE *beside = done ? open_stream(opening, path.items) : NULL;
    text_free(&path);
    return beside &&
           add(opening, sink_csv_sheet(beside, context->second_sheet, raw, opening->error));
}

/* The file of a summary always gets the ending, as the reference has it; ours only where it has
 * none. */
static bool open_summary(struct opening *opening, const char *name)
{
    const struct output_context *context = opening->context;
    bool raw = arguments_has(opening->arguments, "csv-raw") || context->compat;
    struct text path = {0};
    if (!context->second_sheet)
        return true;
    bool done = text_format(&path, "%s%s", name,
                            context->compat || !ends_with(name, ".csv") ? ".csv" : "") ||
                error_memory(opening->error);
    FILE *out = done ? open_stream(opening, path.items) : NULL;
    text_free(&path);
    opening->self->has_summary |= out != NULL;
    return out && add(opening, sink_csv_sheet(out, context->second_sheet, raw, opening->error));
}

static bool open_csv(struct opening *opening, const char *where)
{
    bool raw = arguments_has(opening->arguments, "csv-raw") || opening->context->compat;
    bool is_file = !where || strcmp(where, "-") == 0 || ends_with(where, ".csv");
    if (!is_file)
        return add(opening, sink_csv_directory(where, raw, opening->error));
    if (opening->context->first_sheet)
        return open_csv_pair(opening, where, raw);
    if (opening->context->sheets != 1)
        return error_set(opening->error, STATUS_USAGE,
                         "tpq report: one CSV takes one sheet; name a report, or a directory");
    FILE *out = open_stream(opening, where);
    return out && add(opening, sink_csv(out, raw, opening->error));
}

/* Text before the last ".json" of the input's name, or all of it, and an ending. */
static char *default_name(const char *input)
{
    const char *end = input + strlen(input);
    for (const char *at = input; (at = strstr(at, ".json")); at++)
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
    return check_path(opening, path) && add(opening, sink_xlsx(path, &options, opening->error));
}

typedef struct sink *make_sink(FILE *out, struct error *error);

static bool open_simple(struct opening *opening, const char *path, make_sink *make)
{
    FILE *out = open_stream(opening, path);
    return out && add(opening, make(out, opening->error));
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
    if (!arguments_number(opening->arguments, "top", 0, 1000000000, TOP, &top, opening->error))
        return false;
    options.top = top;
    if (!arguments_has(opening->arguments, "wide"))
        options.width =
            ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : PIPE_WIDTH;
    opening->self->on_terminal = true;
    return add(opening, sink_terminal(stdout, &options, opening->error));
}

static bool open_one(struct opening *opening, const char *option, const char *value)
{
    if (strcmp(option, "csv") == 0 || strcmp(option, "output-csvs-dir") == 0)
        return open_csv(opening, value);
    if (strcmp(option, "summary-file") == 0 ||
        (strcmp(option, "stacked-csv") == 0 && !arguments_has(opening->arguments, "summary-file")))
        return open_summary(opening, value);
    if (strcmp(option, "xlsx") == 0)
        return open_workbook(opening, value, arguments_has(opening->arguments, "force"));
    if (strcmp(option, "output-xlsx-path") == 0)
        return open_workbook(opening, value, true);
    if (strcmp(option, "json") == 0)
        return open_simple(opening, value, sink_json);
    if (strcmp(option, "jsonl") == 0)
        return open_simple(opening, value, sink_json_lines);
    if (strcmp(option, "markdown") == 0)
        return open_simple(opening, value, sink_markdown);
    if (strcmp(option, "html") == 0)
        return open_simple(opening, value, sink_html);
    if (strcmp(option, "into-tables") == 0) {
        opening->self->to_tables = true;
        return add(opening, sink_tables(opening->context->db, opening->error));
    }
    return true;
}

bool outputs_open(struct outputs *self, const struct arguments *arguments,
                  const struct output_context *context, struct error *error)
{
    *self = (struct outputs){0};
    struct opening opening = {self, arguments, context, error, false};
    bool done = true;
    for (size_t i = 0; i < arguments->values.count && done; i++)
        done = open_one(&opening, arguments->values.items[i].option->name,
                        arguments->values.items[i].value);
    if (done && self->sinks.count == self->has_summary)
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
    array_free(&self->sinks);
    array_free(&self->files);
    free(self->made_name);
}
