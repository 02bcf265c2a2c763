/* verb_sql: `tpq sql`. */
#include "query/ask/shell.h"
#include "src/command/extension_options.h"
#include "src/command/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool run_files(struct shell *shell, const struct arguments *arguments, struct error *error)
{
    const char **files = arguments_values(arguments, "file");
    bool done = files || error_memory(error);
    for (size_t i = 0; done && files[i]; i++)
        done = shell_run_file(shell, files[i], error);
    free(files);
    return done;
}

static bool run(struct shell *shell, const struct arguments *arguments, struct error *error)
{
    const char *sql = arguments->operands.count ? arguments->operands.items[0] : NULL;
    if (arguments_has(arguments, "file"))
        return sql ? error_set(error, STATUS_USAGE, "tpq sql: either --file or SQL, not both")
                   : run_files(shell, arguments, error);
    if (sql && strcmp(sql, "-") == 0)
        return shell_run_file(shell, sql, error);
    if (sql && sql[0] == '.')
        return shell_run_command(shell, sql, error);
    if (sql)
        return shell_run_text(shell, "SQL", sql, error);
    return isatty(STDIN_FILENO) ? shell_run_terminal(shell, error)
                                : shell_run_file(shell, "-", error);
}

static bool run_sql(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct extensions extensions = {0};
    struct shell shell = {.warehouse = &warehouse, .out = stdout};
    long timeout;
    if (!session_operands(arguments, 0, 1, error) ||
        !arguments_number(arguments, "timeout", 1, 86400, 0, &timeout, error))
        return false;
    session_render_options(arguments, &shell.render);
    shell.render.csv_raw = true; /* what programs read is what the rows hold */
    shell.timeout = (double)timeout;
    shell.may_write = arguments_has(arguments, "write");
    if (shell.may_write && arguments_has(arguments, "extension-file"))
        return error_set(error, STATUS_USAGE,
                         "tpq sql: with --extension-file the catalog is one of this call only, so "
                         "--write would not reach it");
    bool done = extension_options_read(arguments, &extensions, error);
    bool is_open =
        done && session_open(arguments, shell.may_write ? WAREHOUSE_WRITE : WAREHOUSE_READ,
                             &warehouse, error);
    done = is_open && extension_options_run(arguments, &extensions, &warehouse, error);
    if (done && !shell.may_write)
        shell_forbid_copies(&shell);
    done = done && run(&shell, arguments, error);
    if (is_open)
        warehouse_close(&warehouse);
    extensions_free(&extensions);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"file", 'f', "FILE", "read the statements from a file; may be repeated", NULL},
    OPTION_MODE,
    {"write", 0, NULL, "allow statements that change the warehouse", NULL},
    {"timeout", 0, "SECONDS", "stop a statement that takes longer", NULL},
    OPTIONS_EXTENSION,
    OPTION_PSEUDO_OPS,
    OPTION_WIDE,
    OPTION_WAIT,
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq sql \"SELECT name, sum(dur_ns) FROM gpu_slice GROUP BY name ORDER BY 2 DESC LIMIT 9\"",
     "the GPU work that takes longest"},
    {"echo 'SELECT count(*) FROM event' | tpq sql --db w.db -", "from a pipe"},
    {"tpq sql --db w.db", "a prompt with editing, history and completion"},
    {NULL, NULL},
};

const struct verb verb_sql = {
    .name = "sql",
    .operands = "[OPTION]... [SQL | -]",
    .summary = "ask the warehouse in SQL",
    .details = "Runs statements from the command line, from a file, from standard input (-), or "
               "at a prompt. The warehouse is open for reading only, unless --write is given. "
               "At the prompt Ctrl-C stops the statement that is running; .help lists the "
               "commands.",
    .options = options,
    .examples = examples,
    .run = run_sql,
};
