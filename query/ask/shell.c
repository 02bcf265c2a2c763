/* shell: see shell.h. The terminal is in terminal.c. */
#include "query/ask/shell.h"

#include "src/base/clock.h"
#include "src/base/text.h"
#include "src/base/visible.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

enum { READING_MAX = 16, STEPS_BETWEEN_LOOKS = 10000 };

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
static int authorize(void *context, int action, const char *file, const char *unused,
                     const char *database, const char *trigger)
{
    (void)file, (void)unused, (void)database, (void)trigger;
    const struct shell *self = context;
    return action == SQLITE_ATTACH && self->stepping ? SQLITE_DENY : SQLITE_OK;
}

void shell_forbid_copies(struct shell *self)
{
    sqlite3_set_authorizer(self->warehouse->db, authorize, self);
}

/* What a database that is open for reading only answers, and authorize. */
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
    if (self->timeout > 0)
        sqlite3_progress_handler(db, STEPS_BETWEEN_LOOKS, look_at_clock, &deadline);
    self->stepping = true;
    bool done = render_statement(statement, &self->render, self->out, name, error);
    self->stepping = false;
    if (self->timeout > 0)
        sqlite3_progress_handler(db, 0, NULL, NULL);
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

bool shell_run_text(struct shell *self, const char *name, const char *text, struct error *error)
{
    sqlite3 *db = self->warehouse->db;
    while (*text) {
        sqlite3_stmt *statement = NULL;
        const char *rest = NULL;
        if (sqlite3_prepare_v2(db, text, -1, &statement, &rest) != SQLITE_OK) {
            enum status status =
                (sqlite3_errcode(db) & 0xFF) == SQLITE_ERROR ? STATUS_USAGE : STATUS_DATABASE;
            return error_set(error, status, "%s: %s", name, sqlite3_errmsg(db));
        }
        bool done = !statement || run_statement(self, statement, name, error);
        sqlite3_finalize(statement);
        if (!done)
            return false;
        text = rest;
    }
    return true;
}

bool shell_is_blank(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n\f");
        if (strncmp(text, "--", 2) == 0) {
            text += strcspn(text, "\n");
        } else if (strncmp(text, "/*", 2) == 0) {
            const char *end = strstr(text + 2, "*/");
            if (!end)
                return false; /* it goes on */
            text = end + 2;
        } else {
            return !*text;
        }
    }
}

/* ------------------------------------------------------------------ files */

static bool run_lines(struct shell *self, FILE *file, const char *name, struct error *error)
{
    struct text pending = {0};
    char *line = NULL;
    size_t room = 0;
    bool done = true;
    while (done && !self->quit) {
        ssize_t length = getline(&line, &room, file);
        if (length < 0)
            break;
        if (pending.count && shell_is_blank(pending.items))
            text_clear(&pending);
        if (pending.count == 0 && line[0] == '.') {
            line[strcspn(line, "\r\n")] = '\0';
            done = shell_run_command(self, line, error);
            continue;
        }
        if (memchr(line, '\0', (size_t)length)) {
            done = error_set(error, STATUS_USAGE, "%s: there is a zero byte in the SQL", name);
            continue;
        }
        done = text_add(&pending, line, (size_t)length) || error_memory(error);
        /* only what ends a statement or a comment can end the whole; to look each time would take
         * a time that grows with the square of the lines */
        if (done && strpbrk(line, ";/") && sqlite3_complete(pending.items)) {
            done = shell_run_text(self, name, pending.items, error);
            text_clear(&pending);
        }
    }
    if (done && ferror(file))
        done = error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", name, strerror(errno));
    if (done && pending.count && !self->quit)
        done = shell_run_text(self, name, pending.items, error);
    free(line);
    text_free(&pending);
    return done;
}

bool shell_run_file(struct shell *self, const char *path, struct error *error)
{
    if (strcmp(path, "-") == 0)
        return run_lines(self, stdin, "SQL", error);
    if (self->reading >= READING_MAX)
        return error_set(error, STATUS_USAGE, "%s: files read each other too deep", path);
    FILE *file = fopen(path, "r");
    if (!file)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                         strerror(errno));
    self->reading++;
    bool done = run_lines(self, file, path, error);
    self->reading--;
    fclose(file);
    return done;
}

/* ------------------------------------------------------------------ dot commands */

static bool command_tables(struct shell *self, const char *argument, struct error *error)
{
    (void)argument;
    return shell_run_text(self, ".tables",
                          "SELECT name, type FROM (SELECT name, type FROM sqlite_schema UNION "
                          "SELECT name, type FROM sqlite_temp_schema) WHERE type IN ('table', "
                          "'view') AND name NOT LIKE 'sqlite_%' ORDER BY type, name",
                          error);
}

static bool command_schema(struct shell *self, const char *argument, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse,
        "SELECT sql FROM (SELECT * FROM sqlite_schema UNION ALL SELECT * FROM sqlite_temp_schema) "
        "WHERE sql IS NOT NULL AND (?1 = '' OR name = ?1 OR tbl_name = ?1)",
        error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
    bool any = false;
    for (; sqlite3_step(statement) == SQLITE_ROW; any = true) {
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
            visible_print((struct view){line, strcspn(line, "\n")}, self->out);
            fputc('\n', self->out);
        }
        fputs(";\n", self->out);
    }
    sqlite3_finalize(statement);
    return any || error_set(error, STATUS_USAGE, "there is no table or view '%s'", argument);
}

static bool command_mode(struct shell *self, const char *argument, struct error *error)
{
    const struct form *form = form_of_mode(argument);
    if (!form)
        return error_set(error, STATUS_USAGE, ".mode is one of:" FORM_MODES);
    self->render.form = form;
    return true;
}

static bool command_timer(struct shell *self, const char *argument, struct error *error)
{
    bool on = strcmp(argument, "on") == 0;
    if (!on && strcmp(argument, "off") != 0)
        return error_set(error, STATUS_USAGE, ".timer is on or off");
    self->timer = on;
    return true;
}

static bool command_read(struct shell *self, const char *argument, struct error *error)
{
    if (!*argument || strcmp(argument, "-") == 0)
        return error_set(error, STATUS_USAGE, ".read needs the name of a file");
    return shell_run_file(self, argument, error);
}

static bool command_quit(struct shell *self, const char *argument, struct error *error)
{
    (void)argument, (void)error;
    self->quit = true;
    return true;
}

static bool command_help(struct shell *self, const char *argument, struct error *error);

static const struct {
    const char *name, *argument, *help;
    bool (*run)(struct shell *self, const char *argument, struct error *error);
} commands[] = {
    {".tables", "", "list tables and views", command_tables},
    {".schema", "[NAME]", "print how tables and views are made", command_schema},
    {".mode", "MODE", "form of the output:" FORM_MODES, command_mode},
    {".timer", "on|off", "print the time of each statement", command_timer},
    {".read", "FILE", "run the statements in a file", command_read},
    {".help", "", "print this", command_help},
    {".quit", "", "leave", command_quit},
    {".exit", "", "leave", command_quit},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static bool command_help(struct shell *self, const char *argument, struct error *error)
{
    (void)argument, (void)error;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(self->out, "%-8s %-8s %s\n", commands[i].name, commands[i].argument,
                commands[i].help);
    fputs("Statements end with a semicolon. `tpq describe` explains tables and functions.\n",
          self->out);
    return true;
}

bool shell_run_command(struct shell *self, const char *line, struct error *error)
{
    size_t length = strcspn(line, " \t");
    const char *argument = line + length + strspn(line + length, " \t");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, line, length) == 0)
            return commands[i].run(self, argument, error);
    return error_set(error, STATUS_USAGE, "unknown command %.*s; see .help", (int)length, line);
}
