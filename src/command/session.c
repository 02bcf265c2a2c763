/* session: The options are read where they are needed, never kept. A verb runs with memory of its
 * own, which is freed as a whole, also when memory runs out. With --json FILE, standard output is
 * replaced by a new file, which gets its name only if the call succeeds. */
#include "src/command/session.h"

#include "ingest/graph_notes.h"
#include "query/sink/sink.h"
#include "sql/asked.h"
#include "src/base/number.h"
#include "src/base/visible.h"
#include "src/command/session.sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *session_saved_views(const struct arguments *arguments)
{
    const char *which = arguments_value(arguments, "save-views");
    return which || !arguments_has(arguments, "save-views") ? which : "all";
}

const char *session_database(const struct arguments *arguments)
{
    const char *path = arguments_value(arguments, "db");
    if (!path)
        path = getenv("TPQ_DB");
    return path && *path ? path : "tpq.db";
}

bool session_wait_ms(const struct arguments *arguments, int *wait_ms, struct error *error)
{
    long seconds;
    if (!arguments_number(arguments, "wait", 0, 86400, 10, &seconds, error))
        return false;
    *wait_ms = (int)seconds * 1000;
    return true;
}

bool session_open(const struct arguments *arguments, enum warehouse_mode mode,
                  struct warehouse *warehouse, struct error *error)
{
    int wait_ms;
    const char *path = session_database(arguments);
    return session_wait_ms(arguments, &wait_ms, error) &&
           warehouse_open(warehouse, path, mode, wait_ms, error);
}

bool session_operands(const struct arguments *arguments, size_t least, size_t most,
                      struct error *error)
{
    const struct verb *verb = arguments->verb;
    size_t count = arguments->operands.count;
    if (count < least)
        return error_set(error, STATUS_USAGE, "tpq %s: an operand is missing; usage: tpq %s %s",
                         verb->name, verb->name, verb->operands);
    if (count > most)
        return error_set(error, STATUS_USAGE, "tpq %s: unexpected operand '%s'", verb->name,
                         arguments->operands.items[most]);
    return true;
}

int session_width(const struct arguments *arguments)
{
    struct winsize size;
    bool is_terminal =
        !arguments_has(arguments, "wide") && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return is_terminal ? size.ws_col : 0;
}

void session_render_options(const struct arguments *arguments, struct render_options *options)
{
    const char *mode = arguments_value(arguments, "mode"); /* the option table checks the name */
    const char *form = arguments_any(arguments, "csv markdown");
    mode = mode ? mode : form;
    *options = (struct render_options){.form = form_of_mode(mode ? mode : "table")};
    options->csv_raw = arguments_has(arguments, "csv-raw");
    options->width = session_width(arguments);
}

void session_print(FILE *out, const char *words)
{
    visible_print(view_of(words), out);
}

void session_print_count(FILE *out, const char *before, int64_t count, const char *one,
                         const char *many)
{
    struct text number = {0};
    number_add_grouped(&number, count);
    fprintf(out, "%s%s %s", before, number.items, count == 1 ? one : many);
    text_free(&number);
}

/* Further lines of a message begin below its first word, behind "tpq: ". */
enum { BEHIND_NAME = 5 };

void session_say(struct view words)
{
    fputs("tpq: ", stderr);
    visible_print_lines(words, visible_columns(STDERR_FILENO, 0), BEHIND_NAME, BEHIND_NAME, stderr);
}

void session_sayf(const char *format, ...)
{
    struct text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vformat(&words, format, arguments);
    va_end(arguments);
    session_say(text_view(&words));
    text_free(&words);
}

void session_say_lines(const char *lines)
{
    for (const char *at = lines; at && *at;) {
        size_t length = strcspn(at, "\n");
        session_say((struct view){at, length});
        at += length + (at[length] == '\n');
    }
}

bool session_printed(const char *stays, struct error *error)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           error_set(error, STATUS_DATABASE, "the output cannot be written; %s", stays);
}

bool session_integer(const struct arguments *arguments, const char *what, const char *text,
                     int64_t *value, struct error *error)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return (*text && !*end && errno == 0) || error_set(error, STATUS_USAGE, "tpq %s: '%s' is no %s",
                                                       arguments->verb->name, text, what);
}

void session_say_skipped(size_t count, const char *who_lists)
{
    if (count)
        session_sayf("skipped %zu %s (%s)", count,
                     count == 1 ? "file that is not a trace" : "files that are not traces",
                     who_lists);
}

static void take_trace(void *context, const struct ingest_outcome *outcome)
{
    struct intake *self = context;
    bool is_there = outcome->result == INGEST_STORED || outcome->result == INGEST_KNOWN;
    if (is_there)
        array_add(&self->traces, outcome->trace_id);
    self->skipped += outcome->result == INGEST_FOREIGN;
    if (outcome->result != INGEST_FAILED || !outcome->error)
        return;
    session_say(view_of(outcome->error->text));
    self->is_said = true;
}

bool session_ingest(struct intake *self, const struct ingest_options *options,
                    const input_list *inputs, struct error *error)
{
    struct ingest_observer observer = {take_trace, self, NULL};
    bool done = ingest_run(options, inputs, &observer, error);
    if (!done && self->is_said && error->status == STATUS_BAD_INPUT)
        error->text[0] = '\0';
    if (done || self->is_said)
        session_say_skipped(inputs->skipped + self->skipped, "tpq ingest -v lists them");
    return done;
}

bool session_take_processes(struct intake *self, struct warehouse *warehouse, struct error *error)
{
    static const char sql[] =
        "SELECT other.id FROM trace AS one JOIN trace AS other ON other.run_id = one.run_id AND "
        "other.path = one.path AND other.content_hash = one.content_hash AND other.id <> one.id "
        "WHERE one.id = ?1 ORDER BY other.id";
    struct asked others;
    asked_open(&others, warehouse->db, sql);
    for (size_t i = 0, count = self->traces.count; i < count; i++) {
        int64_t other;
        ASKED_ABOUT(&others, self->traces.items[i]);
        while (ASKED_ROW(&others, &other))
            array_add(&self->traces, other);
    }
    return asked_done(&others, warehouse->path, error);
}

bool session_redirect(struct session_file *self, const struct arguments *arguments,
                      struct error *error)
{
    const char *path = arguments_value(arguments, "json");
    *self = (struct session_file){0};
    for (const struct option *option = arguments->verb->options; option->name && path; option++)
        if (strcmp(option->name, "jsonl") == 0) /* the outputs of a report (output.h) */
            path = NULL;
    if (!path || strcmp(path, "-") == 0)
        return true;
    const char *const kept[] = {session_database(arguments), NULL};
    bool done = sink_check_path(path, kept, error);
    for (size_t i = 0; i < arguments->operands.count && done; i++)
        done = !sink_is_same_file(path, arguments->operands.items[i]) ||
               error_set(error, STATUS_USAGE, "%s is an input and is not written over", path);
    if (!done || !new_file_open(&self->file, path, error))
        return false;
    fflush(stdout);
    self->output = dup(STDOUT_FILENO);
    if (self->output >= 0 && dup2(fileno(self->file.out), STDOUT_FILENO) >= 0) {
        self->path = path;
        return true;
    }
    error_set(error, STATUS_DATABASE, "%s cannot be written: %s", path, strerror(errno));
    if (self->output >= 0)
        close(self->output);
    return new_file_close(&self->file, false, error);
}

bool session_restore(struct session_file *self, bool done, struct error *error)
{
    if (!self->path)
        return done;
    bool is_whole = fflush(stdout) == 0 && !ferror(stdout);
    clearerr(stdout);
    dup2(self->output, STDOUT_FILENO);
    close(self->output);
    if (done && !is_whole)
        done = error_set(error, STATUS_DATABASE, "%s cannot be written", self->path);
    return new_file_close(&self->file, done, error) && done;
}

bool session_say_graph_notes(struct warehouse *warehouse, struct error *error)
{
    static const char lacks_notes[] =
        "SELECT 1 FROM graph_node_recorded WHERE trace_id = ?1 AND coalesce(module, op) IS NULL "
        "LIMIT 1";
    struct asked traces;
    struct text path = {0};
    int64_t trace, rank;
    const char *file;
    bool done = true;
    asked_open(&traces, warehouse->db, graphs_without_notes);
    while (done && ASKED_ROW(&traces, &trace, &rank, &file)) {
        int64_t lacks = 0; /* asked only where there is a file */
        graph_notes_find(file, rank, &path);
        done = !path.count || warehouse_ask(warehouse, lacks_notes, trace, &lacks, error);
        if (lacks)
            session_sayf("graph nodes may be annotated in %s; --graph-annotations takes it",
                         path.items);
    }
    return asked_done(&traces, warehouse->path, error) && done;
}

bool session_run(const struct verb *verb, const struct arguments *arguments, struct error *error)
{
    struct memory memory = {0};
    struct memory_attempt attempt;
    if (!memory_try(&attempt, &memory))
        return error_memory(error);
    bool done = verb->run(arguments, error);
    memory_leave(&attempt);
    memory_end(&memory);
    return done;
}
