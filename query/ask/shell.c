/* shell: a text is taken apart statement by statement; each is prepared, gets its parameters, and
 * sends its rows to the file of .output or .once, or else to `out`. Commands and files with them
 * are in shell_command.c, the terminal in terminal.c. */
#include "query/ask/shell.h"

#include "query/ask/reads.h"
#include "query/sink/sink.h"
#include "sql/binding/context.h"
#include "sql/database.h"
#include "sql/statement.h"
#include "sql/warehouse/suggestion.h"
#include "src/base/clock.h"
#include "src/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ------------------------------------------------------------------ parameters */

static struct parameter *find_parameter(const parameter_list *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->items[i].name, name) == 0)
            return &self->items[i];
    return NULL;
}

bool parameters_set(parameter_list *self, const char *words, struct error *error)
{
    words += strchr(":@$", *words) && *words; /* as SQL has them */
    const char *equals = strchr(words, '=');
    if (!equals)
        return error_set(error, STATUS_USAGE, "a parameter is NAME=VALUE, not '%s'", words);
    size_t length = (size_t)(equals - words);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)words[i]) && words[i] != '_')
            return error_set(error, STATUS_USAGE, "a parameter is NAME=VALUE, not '%s'", words);
    if (length == 0)
        return error_set(error, STATUS_USAGE, "a parameter is NAME=VALUE, not '%s'", words);
    char *name = memory_part(words, length), *value = memory_text(equals + 1);
    struct parameter *known = find_parameter(self, name);
    if (!known)
        known = array_push(self);
    *known = (struct parameter){name, value};
    return true;
}

/* A whole number, a real one, a text between quotes, or any other text. */
static int bind_value(sqlite3_stmt *statement, int place, const char *value)
{
    char *end;
    size_t length = strlen(value);
    errno = 0;
    long long integer = strtoll(value, &end, 10);

    /* Names and labels may be digits that begin with 0, which no number does. */
    const char *digits = value + (*value == '-' || *value == '+');
    bool begins = *value && strchr("+-.0123456789", *value) &&
                  !(digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9');
    if (begins && !*end && errno == 0)
        return sqlite3_bind_int64(statement, place, integer);
    double real = strtod(value, &end);
    if (begins && !*end && isfinite(real))
        return sqlite3_bind_double(statement, place, real);
    bool is_quoted = length >= 2 && value[0] == '\'' && value[length - 1] == '\'';
    return is_quoted
               ? sqlite3_bind_text(statement, place, value + 1, (int)length - 2, SQLITE_TRANSIENT)
               : sqlite3_bind_text(statement, place, value, -1, SQLITE_TRANSIENT);
}

/* Fails on a parameter of the statement that has no value. `name` begins the message. */
static bool parameters_bind(const parameter_list *self, sqlite3_stmt *statement, const char *name,
                            struct error *error)
{
    int count = sqlite3_bind_parameter_count(statement);
    for (int i = 1; i <= count; i++) {
        const char *parameter = sqlite3_bind_parameter_name(statement, i);
        const struct parameter *known = parameter ? find_parameter(self, parameter + 1) : NULL;
        if (!known && parameter)
            return error_set(error, STATUS_USAGE,
                             "%s: there is no value for %s; --param %s=VALUE or .param gives one",
                             name, parameter, parameter + 1);
        if (!known)
            return error_set(error, STATUS_USAGE,
                             "%s: a parameter without a name has no value; write :NAME", name);
        if (bind_value(statement, i, known->value) != SQLITE_OK)
            memory_fail();
    }
    return true;
}

enum { STEPS_BETWEEN_LOOKS = 10000 };

/* ------------------------------------------------------------------ statements */

struct deadline {
    double end;
    bool passed;
};

static int look_at_clock(void *context)
{
    struct deadline *self = context;
    self->passed = clock_seconds() > self->end;
    return self->passed;
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6 +
           (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
}

/* VACUUM attaches the new file when it runs. */
static int authorize(void *context, int action, const char *first, const char *unused,
                     const char *database, const char *view)
{
    (void)unused, (void)database;
    const struct shell *self = context;
    if (action == SQLITE_READ)
        reads_note(first, view);
    return action == SQLITE_ATTACH && self->stepping ? SQLITE_DENY : SQLITE_OK;
}

void shell_forbid_copies(struct shell *self)
{
    struct bounds bounds = self->warehouse->context->bounds;
    bounds.authorize = authorize;
    bounds.authorizer = self;
    bounds_set(self->warehouse->db, self->warehouse->context, bounds);
}

/* Errors of a database that is open for reading only, and of authorize. */
static bool is_refusal(sqlite3 *db)
{
    int code = sqlite3_errcode(db) & 0xFF;
    return code == SQLITE_READONLY || code == SQLITE_AUTH;
}

static bool run_statement(struct shell *self, sqlite3_stmt *statement, const char *name,
                          struct error *error)
{
    double start = clock_seconds(), processor = processor_seconds();
    struct deadline deadline = {start + self->timeout, false};
    sqlite3 *db = self->warehouse->db;
    struct bounds bounds = self->warehouse->context->bounds;
    if (self->timeout > 0) {
        bounds.progress = look_at_clock;
        bounds.runner = &deadline;
        bounds.steps = STEPS_BETWEEN_LOOKS;
        bounds_set(db, self->warehouse->context, bounds);
    }
    self->stepping = true;
    bool done = render_statement(statement, &self->render, shell_out(self), name, error);
    self->stepping = false;
    bounds.progress = NULL;
    if (self->timeout > 0)
        bounds_set(db, self->warehouse->context, bounds);
    if (deadline.passed)
        error_set(error, STATUS_DATABASE, "%s: stopped after %g s", name, self->timeout);
    else if (!done && is_refusal(db) && self->may_write)
        warehouse_error(self->warehouse, error);
    else if (!done && is_refusal(db))
        error_set(error, STATUS_USAGE, "%s: the warehouse is open for reading only; see --write",
                  name);
    if (self->timer)
        fprintf(stderr, "%.3f s, processor %.3f s\n", clock_seconds() - start,
                processor_seconds() - processor);
    return done;
}

/* A statement with an unknown name gets another try, with all views. */
static bool shell_prepare(struct shell *self, const char *name, const char *text,
                          sqlite3_stmt **statement, const char **rest, struct error *error)
{
    struct warehouse *warehouse = self->warehouse;

    /* Only what looks into the schema needs views that it does not name. */
    if ((strcasestr(text, "sqlite_") || strcasestr(text, "pragma")) &&
        !warehouse_show_views(warehouse, error))
        return false;
    reads_unselected();
    warehouse_guard_text(warehouse, TEXT_STATEMENT);
    int result = database_prepare(warehouse->db, text, statement, rest);
    if ((result & 0xFF) == SQLITE_ERROR && warehouse->hides_views) {
        if (!warehouse_show_views(warehouse, error))
            return false;
        warehouse_guard_text(warehouse, TEXT_STATEMENT);
        result = database_prepare(warehouse->db, text, statement, rest);
    }
    const char *unselected = reads_unselected();
    self->unselected = self->is_selected ? unselected : NULL;
    if (result == SQLITE_OK)
        return true;

    /* A statement that cannot be prepared may have a slip in a name. */
    sqlite3 *db = self->warehouse->db;
    enum status status =
        (sqlite3_errcode(db) & 0xFF) == SQLITE_ERROR ? STATUS_USAGE : STATUS_DATABASE;
    struct text words = {0};
    suggestion_add(db, text, sqlite3_errmsg(db), &words);
    error_set(error, status, "%s: %s", name, words.items);
    return false;
}

static bool run_next(struct shell *self, const char *name, const char *text, const char **rest,
                     struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (!shell_prepare(self, name, text, &statement, rest, error))
        return false;
    bool has_rows = statement && sqlite3_column_count(statement);
    bool done = !statement || (parameters_bind(&self->parameters, statement, name, error) &&
                               run_statement(self, statement, name, error));
    database_finalize(statement);
    return done && (!has_rows || shell_sent(self, error));
}

bool shell_run_text(struct shell *self, const char *name, const char *text, struct error *error)
{
    bool done = true;
    while (*text && done) {
        struct text taken = {0};
        const char *rest = "";
        done = parted_views_take(&self->parted, self->warehouse, text, &taken, error);
        if (done)
            done = run_next(self, name, taken.items, &rest, error);
        text += strlen(text) - (done ? strlen(rest) : 0);
        text_free(&taken);
    }
    return done;
}

/* ------------------------------------------------------------------ where it goes */

FILE *shell_out(const struct shell *self)
{
    return self->file ? self->file : self->out;
}

bool shell_close(struct shell *self, struct error *error)
{
    if (!self->file)
        return true;
    bool done = sink_check_stream(self->file, "the file", error);
    if (fclose(self->file) != 0 && done)
        done = error_set(error, STATUS_DATABASE, "the file cannot be written: %s", strerror(errno));
    self->file = NULL;
    return done;
}

bool shell_send(struct shell *self, const char *path, bool once, struct error *error)
{
    const char *const kept[] = {self->warehouse->path, NULL};
    if (!shell_close(self, error))
        return false;
    self->is_once = once;
    if (!path)
        return true;
    if (!sink_check_path(path, kept, error))
        return false;
    self->file = fopen(path, "wb");
    return self->file ||
           error_set(error, STATUS_DATABASE, "%s cannot be written: %s", path, strerror(errno));
}

bool shell_sent(struct shell *self, struct error *error)
{
    return !self->is_once || shell_send(self, NULL, false, error);
}

/* ------------------------------------------------------------------ blank text */

bool shell_is_blank(const char *text)
{
    return !*statement_skip_blank(text, " \t\r\n\f");
}
