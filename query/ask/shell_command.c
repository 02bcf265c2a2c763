/* shell_command: the commands of the shell (shell.h), lines that begin with a dot, and the files in
 * which they stand between statements. */
#include "query/ask/description.h"
#include "query/ask/shell.h"
#include "sql/database.h"
#include "src/base/hint.h"
#include "src/base/visible.h"

#include <errno.h>
#include <string.h>

enum { READING_MAX = 16 };

static bool command_tables(struct shell *self, const char *argument, struct error *error)
{
    struct text pattern = {0};

    /* A pattern as the shell has them, or with SQL's %; a word is meant wherever it stands. */
    bool is_pattern = strpbrk(argument, "*?[%") != NULL;
    text_add_string(&pattern, is_pattern ? "" : "*");
    for (const char *at = argument; *at; at++)
        text_add_byte(&pattern, *at == '%' ? '*' : *at);
    text_add_string(&pattern, is_pattern ? "" : "*");
    char *sql = database_format(
        "SELECT name, type FROM (SELECT name, type FROM sqlite_schema UNION "
        "SELECT name, type FROM sqlite_temp_schema) WHERE type IN ('table', "
        "'view') AND name NOT LIKE 'sqlite_%%' AND lower(name) GLOB lower(%Q) ORDER BY type, name",
        pattern.items);
    return shell_run_text(self, ".tables", sql, error);
}

static bool command_schema(struct shell *self, const char *argument, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse,
        "SELECT sql FROM (SELECT * FROM temp.sqlite_schema UNION ALL SELECT * FROM "
        "main.sqlite_schema WHERE name NOT IN (SELECT name FROM temp.sqlite_schema)) "
        "WHERE sql IS NOT NULL AND (?1 = '' OR name = ?1 OR tbl_name = ?1)",
        error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
    bool any = false;
    for (; sqlite3_step(statement) == SQLITE_ROW; any = true) {
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
            visible_print((struct view){line, strcspn(line, "\n")}, shell_out(self));
            fputc('\n', shell_out(self));
        }
        fputs(";\n", shell_out(self));
    }
    database_finalize(statement);
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

static bool command_headers(struct shell *self, const char *argument, struct error *error)
{
    bool on = strcmp(argument, "on") == 0;
    if (!on && strcmp(argument, "off") != 0)
        return error_set(error, STATUS_USAGE, ".headers is on or off");
    self->render.no_headers = !on;
    return true;
}

static bool command_output(struct shell *self, const char *argument, struct error *error)
{
    bool is_usual = !*argument || strcmp(argument, "stdout") == 0;
    return shell_send(self, is_usual ? NULL : argument, false, error);
}

static bool command_once(struct shell *self, const char *argument, struct error *error)
{
    if (!*argument)
        return error_set(error, STATUS_USAGE, ".once needs the name of a file");
    return shell_send(self, argument, true, error);
}

static bool command_param(struct shell *self, const char *argument, struct error *error)
{
    if (strcmp(argument, "clear") == 0)
        self->parameters.count = 0;
    else if (*argument)
        return parameters_set(&self->parameters, argument, error);
    for (size_t i = 0; i < self->parameters.count && !*argument; i++) {
        visible_print(view_of(self->parameters.items[i].name), shell_out(self));
        fputc('=', shell_out(self));
        visible_print(view_of(self->parameters.items[i].value), shell_out(self));
        fputc('\n', shell_out(self));
    }
    return true;
}

static bool command_describe(struct shell *self, const char *argument, struct error *error)
{
    struct description_options options = {.out = shell_out(self),
                                          .width = self->render.width ? self->render.width : 100};
    doc_list docs = {0};
    docs_read(sql_files, sql_file_count, &docs);
    bool done = !*argument || description_print(&docs, argument, &options, error);
    if (!*argument)
        description_start(&docs, &options);
    docs_free(&docs);
    return done;
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
    bool prints; /* what .once is for */
} commands[] = {
    {".tables", "[PATTERN]", "list tables and views; PATTERN: a part of their names, or with * ?",
     command_tables, false},
    {".describe", "[NAME]", "explain a table, view or function; without NAME list them",
     command_describe, true},
    {".schema", "[NAME]", "print how tables and views are made", command_schema, true},
    {".mode", "MODE", "form of the output:" FORM_MODES, command_mode, false},
    {".headers", "on|off", "names of columns in csv, tsv and table", command_headers, false},
    {".output", "[FILE]", "write into a file from now on; without FILE no longer", command_output,
     false},
    {".once", "FILE", "write what the next statement gives into a file", command_once, false},
    {".param", "[X=VALUE]", "what :X stands for; without words list them; clear forgets them",
     command_param, false},
    {".timer", "on|off", "print the time of each statement", command_timer, false},
    {".read", "FILE", "run the statements in a file", command_read, false},
    {".help", "", "print this", command_help, true},
    {".quit", "", "leave", command_quit, false},
    {".exit", "", "leave", command_quit, false},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const char *shell_command_name(size_t place)
{
    return place < COMMAND_COUNT ? commands[place].name : NULL;
}

static bool command_help(struct shell *self, const char *argument, struct error *error)
{
    (void)argument, (void)error;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(shell_out(self), "%-9s %-9s  %s\n", commands[i].name, commands[i].argument,
                commands[i].help);
    fputs("Statements end with a semicolon. `tpq describe` explains tables and functions.\n",
          shell_out(self));
    return true;
}

bool shell_run_command(struct shell *self, const char *line, struct error *error)
{
    if (!warehouse_show_views(self->warehouse, error))
        return false;
    size_t length = strcspn(line, " \t");
    struct text argument = {0};
    const char *begin = line + length + strspn(line + length, " \t");
    size_t rest = strlen(begin);
    while (rest && strchr(" \t", begin[rest - 1]))
        rest--;
    char *word = memory_part(line, length);
    text_add_string(&argument, "");
    text_add(&argument, begin, rest);
    bool done = true;
    size_t i = 0;
    while (i < COMMAND_COUNT && strcmp(commands[i].name, word) != 0)
        i++;
    if (i == COMMAND_COUNT) {
        const char *names[COMMAND_COUNT];
        for (size_t j = 0; j < COMMAND_COUNT; j++)
            names[j] = commands[j].name;
        struct text hint = {0};
        hint_add(&hint, word, names, COMMAND_COUNT, "see .help");
        done = error_set(error, STATUS_USAGE, "unknown command %s%s", word, hint.items);
    } else
        done = commands[i].run(self, argument.items, error) &&
               (!commands[i].prints || shell_sent(self, error));
    return done;
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
        text_add(&pending, line, (size_t)length);
        /* only what ends a statement or a comment can end the whole; to look each time would take
         * a time that grows with the square of the lines */
        if (strpbrk(line, ";/") && sqlite3_complete(pending.items)) {
            done = shell_run_text(self, name, pending.items, error);
            text_clear(&pending);
        }
    }
    if (done && ferror(file))
        done = error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", name, strerror(errno));
    if (done && pending.count && !self->quit)
        done = shell_run_text(self, name, pending.items, error);
    free(line);
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
