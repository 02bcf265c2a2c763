/* output: All outputs are checked before one is opened. Streams are opened last, because opening
 * can empty a file. Every sink counts its sheets and rows. A file gets its name in the end; after
 * an error nothing unfinished stays. */
#include "src/command/output.h"
#include "query/sink/xlsx_library.h"
#include "src/base/deviation.h"
#include "src/base/file.h"
#include "src/base/visible.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOP = 20, PAGE_WIDTH = 120 };

/* `target` is what every output is told; each adds where it writes. */
struct opening {
    struct outputs *self;
    const struct arguments *arguments;
    const struct output_context *context;
    struct sink_target target;
    struct error *error;
};

/* ------------------------------------------------------------------ what is asked for */

static const struct form *form_of(const struct argument_value *value)
{
    return form_of_option(value->option->name);
}

static bool is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static bool is_directory_of_csv(const struct form *form, const char *path)
{
    return form->kind == OUTPUT_CSV && !is_stdout(path) && !text_ends_with(path, form->ending);
}

/* A workbook that has no name gets one. */
static bool goes_to_stdout(const struct form *form, const char *path)
{
    return form->kind == OUTPUT_WORKBOOK ? path && is_stdout(path) : is_stdout(path);
}

static bool check_two(const char *verb, const struct form *form, const char *path,
                      const struct form *other, const char *other_path, struct error *error)
{
    bool is_out = goes_to_stdout(form, path), other_is_out = goes_to_stdout(other, other_path);
    if (form->kind == OUTPUT_TABLES || other->kind == OUTPUT_TABLES)
        return true;
    if (is_out && other_is_out)
        return error_set(error, STATUS_USAGE,
                         "tpq %s: two outputs cannot both go to standard output", verb);
    if (!path || !other_path || is_out || other_is_out)
        return true;
    return (strcmp(path, other_path) != 0 && !sink_is_same_file(path, other_path)) ||
           error_set(error, STATUS_USAGE, "tpq %s: two outputs cannot both go to %s", verb, path);
}

/* Workbooks of reports about AMD's profilers are named by the input: x_results.json has
 * x_perf_report.xlsx. */
static const struct {
    const char *set, *stem, *ending;
} named_workbooks[] = {
    {"rocprof", "_results.json", "_perf_report.xlsx"},
    {"pftrace", ".pftrace", "_pftrace_activity_report.xlsx"},
    {"pftrace", ".json", "_pftrace_activity_report.xlsx"},
    {"pftrace", ".json.gz", "_pftrace_activity_report.xlsx"},
};

/* Text before the last ".json" or ".xplane.pb" of a name, or all of it, and an ending. */
static void add_default_name(struct text *name, const struct output_context *context,
                             const char *input, size_t length)
{
    const char *end = input + length;
    if (context->set && strcmp(context->set, "collectives") == 0) {
        /* In the deepest directory that has all traces. */
        const char *const *traces = context->inputs;
        size_t common = traces[0] ? strlen(traces[0]) : 0;
        for (size_t i = 0; traces[0] && traces[i]; i++)
            for (size_t at = 0; at < common; at++)
                if (traces[i][at] != traces[0][at])
                    common = at;
        while (common && traces[0][common - 1] != '/')
            common--;
        text_format(name, "%.*snccl_analysis_report.xlsx", (int)common, traces[0]);
        return;
    }
    for (size_t i = 0; i < sizeof named_workbooks / sizeof *named_workbooks && context->set; i++) {
        size_t stem = strlen(named_workbooks[i].stem);
        if (strcmp(context->set, named_workbooks[i].set) == 0 && length > stem &&
            memcmp(end - stem, named_workbooks[i].stem, stem) == 0) {
            text_add(name, input, length - stem);
            text_add_string(name, named_workbooks[i].ending);
            return;
        }
    }
    for (const char *at = input; (at = strstr(at, ".json")); at++)
        end = at;
    for (const char *at = input; (at = strstr(at, ".xplane.pb")); at++)
        end = at;
    text_add(name, input, (size_t)(end - input));
    text_add_string(name, "_perf_report.xlsx");
}

/* The name of a workbook that was not named: beside the input only in a call in the words of a
 * reference tool, which expects it there, else in the current directory. */
static void make_output_name(struct text *name, const struct output_context *context,
                             bool beside_input)
{
    const char *input = context->input;
    size_t length = strlen(input);
    if (beside_input) {
        add_default_name(name, context, input, length);
        return;
    }
    char *full =
        strcmp(input, ".") == 0 || text_ends_with(input, "..") ? file_real_path(input) : NULL;
    input = full ? full : input;
    length = strlen(input);
    while (length > 1 && input[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && input[start - 1] != '/')
        start--;
    add_default_name(name, context, input + start, length - start);
}

static bool overwrites_output(const struct argument_value *value, const struct arguments *arguments)
{
    return strcmp(value->option->name, "output-xlsx-path") == 0 ||
           arguments_has(arguments, "force");
}

static bool check_workbook(const struct argument_value *value, const struct arguments *arguments,
                           const struct output_context *context, struct error *error)
{
    struct text made = {0};
    if (!value->value)
        make_output_name(&made, context, false);
    const char *path = value->value ? value->value : made.items;
    if (is_stdout(path))
        return sink_check_terminal(arguments->verb->name, value->option->name, error) &&
               xlsx_library_load(error);
    bool is_there = !overwrites_output(value, arguments) && access(path, F_OK) == 0;
    return is_there ? error_set(error, STATUS_DATABASE,
                                "%s: exists already (--force overwrites it)", path)
                    : sink_check_path(path, context->inputs, error) && xlsx_library_load(error);
}

/* The form of what a value is the place of, that of a text where the caller writes there; NULL: of
 * nothing, or of a workbook that the caller makes. */
static const struct form *form_placed(const struct argument_value *value,
                                      const struct output_context *context)
{
    static const struct form text = {.kind = OUTPUT_STREAM};
    const struct form *form = form_of(value);
    for (const char *const *at = context->texts; !form && at && *at; at++)
        if (strcmp(*at, value->option->name) == 0)
            return &text;
    bool is_other = form && form->kind == OUTPUT_WORKBOOK && context->other_workbook;
    return is_other ? NULL : form;
}

static bool check_one(const struct argument_value *value, const struct arguments *arguments,
                      const struct output_context *context, struct error *error)
{
    const struct form *form = form_placed(value, context);
    const char *path = value->value;
    if (form->kind == OUTPUT_CSV && !is_directory_of_csv(form, path) && context->sheets != 1 &&
        !context->first_sheet)
        return error_set(error, STATUS_USAGE,
                         "tpq %s: one CSV takes one sheet; name a report, or a directory",
                         arguments->verb->name);
    if (form->kind == OUTPUT_TABLES && context->in_memory)
        return error_set(error, STATUS_USAGE,
                         "tpq %s: --into-tables needs a warehouse that stays; name one by --db",
                         arguments->verb->name);
    if (form->kind == OUTPUT_WORKBOOK)
        return check_workbook(value, arguments, context, error);
    if (form->make == sink_page && is_stdout(path))
        return sink_check_terminal(arguments->verb->name, value->option->name, error);
    if (is_stdout(path) || form->kind == OUTPUT_TABLES)
        return true;
    return sink_check_path(path, context->inputs, error);
}

/* A number of bytes with K, M or G behind it. */
static bool read_limit(const struct arguments *arguments, int64_t *limit, struct error *error)
{
    const char *text = arguments_value(arguments, "html-limit");
    char *end = NULL;
    *limit = PAGE_LIMIT;
    if (!text)
        return true;
    double size = strtod(text, &end);
    double unit = *end == 'K' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : 1;
    bool is_number = end != text && !end[unit > 1] && size >= 0 && size * unit <= 1e15;
    *limit = is_number ? (int64_t)(size * unit) : -1;
    return *limit == 0 || *limit >= PAGE_LIMIT_LEAST ||
           error_set(error, STATUS_USAGE,
                     "tpq %s: --html-limit takes 0 or a size of 512K and more, not '%s'",
                     arguments->verb->name, text);
}

bool outputs_check(const struct arguments *arguments, const struct output_context *context,
                   struct error *error)
{
    long top;
    int64_t limit;
    bool done = arguments_number(arguments, "top", 0, 1000000000, TOP, &top, error) &&
                read_limit(arguments, &limit, error);
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const struct argument_value *value = &arguments->values.items[i], *other;
        const struct form *form = form_placed(value, context);
        if (!form)
            continue;
        done = check_one(value, arguments, context, error);
        for (other = arguments->values.items; other < value && done; other++) {
            const struct form *other_form = form_placed(other, context);
            done = !other_form || check_two(arguments->verb->name, form, value->value, other_form,
                                            other->value, error);
        }
    }
    bool is_default = context->like_reference && !outputs_beside_workbook(arguments);
    return done && (!is_default || xlsx_library_load(error));
}

/* ------------------------------------------------------------------ opening */

/* `where` is what is said of it at the end; NULL = nothing, it goes to standard output. */
static bool add(struct opening *opening, sink_make *make, const struct sink_target *target,
                const char *where, bool is_directory)
{
    struct sink *made = make(target, opening->error);
    struct counted_sink *sink = made ? sink_counted(made, target->only) : NULL;
    opening->self->for_programs |= make != sink_terminal && make != sink_markdown;
    if (!sink)
        return false;
    array_add(&opening->self->sinks, &sink->base);
    if (where) {
        struct text words = {0};
        text_format(&words, "%s%s", where, !is_directory || text_ends_with(where, "/") ? "" : "/");
        array_add(&opening->self->written, (struct output_written){words.items, sink});
    }
    return true;
}

/* A sink that writes to a stream; of all sheets, or the one. */
static bool add_stream(struct opening *opening, sink_make *make, FILE *out, const char *where,
                       const char *only)
{
    struct sink_target target = opening->target;
    target.out = out;
    target.only = only;
    return out && add(opening, make, &target, out == stdout ? NULL : where, false);
}

static bool add_output_path(struct opening *opening, sink_make *make, const char *path,
                            bool is_directory)
{
    struct sink_target target = opening->target;
    target.path = path;
    return add(opening, make, &target, is_stdout(path) ? NULL : path, is_directory);
}

/* Outputs that are no plain file (a pipe, a link that a user named) are written through, and so is
 * a file in a folder that does not take another one. */
static FILE *begin_file(struct output_file *file, const char *path, struct error *error)
{
    struct stat status;
    bool is_there = lstat(path, &status) == 0, is_plain = !is_there || S_ISREG(status.st_mode);
    int number = is_plain ? file_begin(path, &file->building, error) : -1;
    bool is_refused = number < 0 && (!is_plain || errno == EACCES || errno == EPERM);
    if (number < 0)
        return is_there && is_refused ? fopen(path, "wb") : NULL;
    FILE *stream = fdopen(number, "wb");
    if (!stream)
        close(number);
    return stream;
}

/* Standard output for NULL and "-", else a new file. */
static FILE *open_output(struct opening *opening, const char *path, bool is_beside)
{
    if (is_stdout(path))
        return stdout;
    struct output_file *file = array_push(&opening->self->files);
    *file = (struct output_file){.is_beside = is_beside};
    file->path = memory_text(path);
    errno = 0;
    file->stream = begin_file(file, path, opening->error);
    if (!file->stream)
        error_set(opening->error, STATUS_DATABASE, "%s cannot be written: %s", path,
                  strerror(errno ? errno : ENOMEM));
    return file->stream;
}

static FILE *open_stream(struct opening *opening, const char *path)
{
    return open_output(opening, path, false);
}

/* A file that is not kept when nothing is written. */
static FILE *open_output_beside(struct opening *opening, const char *path)
{
    if (!sink_check_path(path, opening->context->inputs, opening->error))
        return NULL;
    unlink(path); /* nothing is written through a link whose name nobody chose */
    return open_output(opening, path, true);
}

/* The second sheet as a CSV file, and its chart beside that. */
static bool open_second(struct opening *opening, const char *path)
{
    struct text picture = {0};
    if (!add_stream(opening, sink_csv, open_output_beside(opening, path), path,
                    opening->context->second_sheet))
        return false;
    text_format(&picture, "%.*s.svg", (int)(strlen(path) - strlen(".csv")), path);
    FILE *chart = open_output_beside(opening, picture.items);
    return add_stream(opening, sink_stack, chart, picture.items, NULL);
}

/* One sheet into a file, another into a file beside it; to standard output only the one. */
static bool open_csv_pair(struct opening *opening, const char *where)
{
    const struct output_context *context = opening->context;
    FILE *out = open_stream(opening, where);
    if (!add_stream(opening, sink_csv, out, where, context->first_sheet))
        return false;
    if (out == stdout || !context->second_sheet ||
        arguments_has(opening->arguments, "summary-file") ||
        arguments_has(opening->arguments, "stacked-csv"))
        return true;
    struct text path = {0};
    text_format(&path, "%.*s_%s.csv", (int)(strlen(where) - strlen(".csv")), where,
                context->second_sheet);
    return open_second(opening, path.items);
}

/* The file of a summary always gets the ending, as the reference has it; ours only where it has
 * none. */
static bool open_summary(struct opening *opening, const struct form *form, const char *name)
{
    const struct output_context *context = opening->context;
    bool is_older = strcmp(form->option, "stacked-csv") == 0;
    struct text path = {0};
    if (!context->second_sheet || (is_older && arguments_has(opening->arguments, "summary-file")))
        return true;
    text_format(&path, "%s%s", name,
                like_reference(context->compat, "tt: name of a summary") ||
                        !text_ends_with(name, form->ending)
                    ? form->ending
                    : "");
    bool done = open_second(opening, path.items);
    opening->self->has_summary |= done;
    return done;
}

static bool open_workbook(struct opening *opening, const char *path, bool overwrite)
{
    struct text made = {0};
    if (!path)
        make_output_name(&made, opening->context, false);
    path = path ? path : made.items;
    opening->target.overwrite = overwrite;
    return sink_check_path(path, opening->context->inputs, opening->error) &&
           add_output_path(opening, sink_xlsx, path, false);
}

/* The default of a call in the words of a reference tool. */
static bool open_reference_workbook(struct opening *opening)
{
    struct text name = {0};
    make_output_name(&name, opening->context, true);
    return open_workbook(opening, name.items, true);
}

static bool open_terminal(struct opening *opening)
{
    struct sink_target *target = &opening->target;
    const struct arguments *arguments = opening->arguments;
    const char *never = getenv("NO_COLOR");
    if (arguments_has(arguments, "color") || arguments_has(arguments, "no-color"))
        target->colour = !arguments_has(arguments, "no-color");
    else
        target->colour = isatty(STDOUT_FILENO) && !(never && *never);
    target->width = visible_columns(STDOUT_FILENO, PAGE_WIDTH);
    opening->self->on_terminal = true;
    opening->self->width = target->wide ? 0 : target->width;
    return add_stream(opening, sink_terminal, stdout, NULL, NULL);
}

static bool open_one(struct opening *opening, const struct argument_value *value)
{
    const struct form *form = form_of(value);
    switch (form->kind) {
    case OUTPUT_CSV: {
        const char *where = value->value;
        if (is_directory_of_csv(form, where))
            return add_output_path(opening, form->make, where, true);
        if (opening->context->first_sheet)
            return open_csv_pair(opening, where);
        opening->self->one_sheet = true;
        return add_stream(opening, form->make, open_stream(opening, where), where, NULL);
    }
    case OUTPUT_SUMMARY:
        return open_summary(opening, form, value->value);
    case OUTPUT_WORKBOOK:
        return open_workbook(opening, value->value, overwrites_output(value, opening->arguments));
    case OUTPUT_STREAM:
        return add_stream(opening, form->make, open_stream(opening, value->value), value->value,
                          NULL);
    case OUTPUT_FILES:
        return add_output_path(opening, form->make, value->value, true);
    default: {
        struct text where = {0};
        const char *file = sqlite3_db_filename(opening->context->db, "main");
        text_format(&where, "tables in %s", file ? file : "");
        bool done = add(opening, form->make, &opening->target, where.items, false);
        opening->self->to_tables = true;
        return done;
    }
    }
}

static bool is_stream(const struct form *form, const char *path)
{
    return form->kind == OUTPUT_STREAM ||
           (form->kind == OUTPUT_CSV && !is_directory_of_csv(form, path));
}

/* Files that are written through lose their contents when they are opened: they are the last. */
static bool open_all(struct opening *opening, bool are_last)
{
    const struct arguments *arguments = opening->arguments;
    bool done = true;
    for (size_t i = 0; i < arguments->values.count && done; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        const struct form *form = form_of(value);
        if (form && form_placed(value, opening->context) &&
            is_stream(form, value->value) == are_last)
            done = open_one(opening, value);
    }
    return done;
}

bool outputs_beside_workbook(const struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->values.count; i++) {
        const struct form *form = form_of(&arguments->values.items[i]);
        if (form && form->kind != OUTPUT_WORKBOOK && strcmp(form->option, "output-md-path") != 0)
            return true;
    }
    return false;
}

/* Health is said here for CSV, and for files that nobody looks at yet. */
static void say_output_health(const struct identity *identity)
{
    struct text line = {0};
    for (size_t i = 0; i < identity_lines(identity); i++) {
        text_clear(&line);
        const char *verdict = identity_line_verdict(identity, i);
        if (!verdict || strcmp(verdict, "complete") == 0)
            continue;
        identity_add_line(identity, i, &line);
        session_say(text_view(&line));
    }
}

bool outputs_open(struct outputs *self, const struct arguments *arguments,
                  const struct output_context *context, struct error *error)
{
    *self = (struct outputs){0};
    struct opening opening = {self, arguments, context, {0}, error};
    opening.target = (struct sink_target){
        .inputs = context->inputs,
        .db = context->db,
        .tables = context->tables,
        .width = PAGE_WIDTH,
        .wide = arguments_has(arguments, "wide"),
        .quiet = arguments_has(arguments, "quiet"),
        .closing = &self->closing,
        .raw = arguments_has(arguments, "csv-raw") ||
               like_reference(context->compat, "CSV: texts that look like formulas"),
        .index =
            context->lists_sheets || !like_reference(context->compat, "workbooks: list of sheets"),
        .identity = context->identity,
        .notes = !like_reference(context->compat, "workbooks: notes"),
        .csv_notes = arguments_has(arguments, "csv-notes"),
        .classic = arguments_has(arguments, "classic-colors")};
    long top;
    bool done =
        outputs_check(arguments, context, error) &&
        arguments_number(arguments, "top", 0, 1000000000, context->all_rows ? 0 : TOP, &top, error);
    opening.target.top = done ? top : 0;
    self->source = (struct page_source){.warehouse = context->warehouse,
                                        .docs = context->docs,
                                        .abstentions = context->abstentions,
                                        .set = context->page_set ? context->page_set : context->set,
                                        .runs = context->page_runs,
                                        .runs_of = context->page_runs_of,
                                        .base = context->base,
                                        .views = arguments_value(arguments, "html-views"),
                                        .compat = context->compat,
                                        .is_parted = arguments_has(arguments, "by")};
    opening.target.source = &self->source;
    opening.target.wish = &self->words.wish;
    done = done && read_limit(arguments, &self->source.limit, error) &&
           (!arguments_has(arguments, "envelope") ||
            envelope_words_read(&self->words, arguments, context->warehouse, error));

    /* Options that name files for every sheet. */
    const char *name = arguments_value(opening.arguments, "output-filename");
    const char **endings = arguments_values(opening.arguments, "output-table-formats");
    struct sink_target *target = &opening.target;
    target->name = name ? name : "trace_analysis_results";
    target->csv = target->xlsx = !*endings;
    for (const char **ending = endings; *ending; ending++)
        *(strcmp(*ending, ".csv") == 0 ? &target->csv : &target->xlsx) = true;
    done = done && open_all(&opening, false) && open_all(&opening, true);
    if (done && self->sinks.count == self->has_summary && !context->has_output &&
        (!context->other_workbook || context->on_terminal))
        done =
            context->like_reference ? open_reference_workbook(&opening) : open_terminal(&opening);
    if (done && !self->on_terminal)
        say_output_health(context->identity);
    return done;
}

/* Gives a file its name, if it has something. */
static bool finish_file(struct output_file *file, struct error *error)
{
    struct stat status = {0};
    errno = 0;
    bool done = fflush(file->stream) == 0 && fstat(fileno(file->stream), &status) == 0;
    done = fclose(file->stream) == 0 && done;
    file->stream = NULL;
    bool is_kept = !file->is_beside || status.st_size > 0;
    const char *now = file->building.count ? file->building.items : file->path;
    if (done && !is_kept)
        done = unlink(now) == 0;
    else if (done && file->building.count)
        done = rename(now, file->path) == 0;
    if (done)
        text_clear(&file->building);
    return done || error_set(error, STATUS_DATABASE, "%s cannot be written: %s", file->path,
                             strerror(errno ? errno : EIO));
}

bool outputs_finish(struct outputs *self, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->sinks.count && done; i++)
        done = sink_finish(self->sinks.items[i], error);
    for (size_t i = 0; i < self->files.count && done; i++)
        done = finish_file(&self->files.items[i], error);
    return done;
}

void output_say_written(const struct counted_sink *sink, const char *where)
{
    if (!sink->sheets && sink->has_passed)
        session_sayf("wrote %s", where);
    else
        session_sayf("wrote %s: %zu sheet%s, %lld row%s", where, sink->sheets,
                     sink->sheets == 1 ? "" : "s", (long long)sink->rows,
                     sink->rows == 1 ? "" : "s");
}

void outputs_say(const struct outputs *self, const struct arguments *arguments)
{
    for (size_t i = 0; i < self->written.count && !arguments_has(arguments, "quiet"); i++) {
        const struct counted_sink *sink = self->written.items[i].sink;
        if (sink->sheets || sink->has_passed)
            output_say_written(sink, self->written.items[i].where);
    }
}

void outputs_close(struct outputs *self)
{
    for (size_t i = 0; i < self->sinks.count; i++)
        sink_free(self->sinks.items[i]);
    for (size_t i = 0; i < self->files.count; i++) {
        /* An unfinished file leaves nothing behind. */
        struct output_file *file = &self->files.items[i];
        struct stat status = {0};
        if (file->stream && fclose(file->stream) == 0 && file->is_beside && !file->building.count &&
            stat(file->path, &status) == 0 && status.st_size == 0)
            unlink(file->path);
        if (file->building.count)
            unlink(file->building.items);
    }
}
