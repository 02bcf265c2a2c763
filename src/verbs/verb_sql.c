/* verb_sql: `tpq sql`. */
#include "query/ask/shell.h"
#include "query/select/run_choice.h"
#include "query/sink/sink.h"
#include "sql/asked.h"
#include "src/command/output.h"
#include "src/command/session.h"
#include "src/command/topics.h"
#include "src/command/verb_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool run(struct shell *shell, const struct arguments *arguments, struct error *error)
{
    const char *sql = arguments->operands.count ? arguments->operands.items[0] : NULL;
    const char *recipe = arguments_value(arguments, "recipe");
    if (recipe && (sql || arguments_has(arguments, "file")))
        return error_set(error, STATUS_USAGE, "tpq sql: either --recipe or SQL, not both");
    if (recipe)
        return (sql = recipe_sql(recipe, error)) && shell_run_text(shell, recipe, sql, error);
    if (arguments_has(arguments, "file")) {
        if (sql)
            return error_set(error, STATUS_USAGE, "tpq sql: either --file or SQL, not both");
        const char **files = arguments_values(arguments, "file");
        bool done = true;
        for (size_t i = 0; done && files[i]; i++)
            done = shell_run_file(shell, files[i], error);
        return done;
    }
    if (sql && strcmp(sql, "-") == 0)
        return shell_run_file(shell, sql, error);
    if (sql && sql[0] == '.')
        return shell_run_command(shell, sql, error);
    if (sql)
        return shell_run_text(shell, "SQL", sql, error);
    return isatty(STDIN_FILENO) ? shell_run_terminal(shell, error)
                                : shell_run_file(shell, "-", error);
}

/* --param, and the selection behind scope. */
static bool prepare_shell(struct shell *shell, const struct arguments *arguments,
                          struct error *error)
{
    struct selection_options selected = {0};
    const char **parameters = arguments_values(arguments, "param");
    bool done = true;
    for (size_t i = 0; done && parameters[i]; i++) {
        const char *words = parameters[i];
        const char *recipe = arguments_value(arguments, "recipe"), *sign = strchr(words, '=');
        const char *sql = recipe ? recipe_sql(recipe, error) : NULL;
        if (recipe && !sql)
            done = false;
        else if (sql && sign &&
                 recipe_takes_run(sql, (struct view){words, (size_t)(sign - words)})) {
            /* NAME=WORD of a recipe whose parameter is a run: one that a typing error names is no
             * run without rows. */
            const char *word = strchr(words, '=') + 1;
            struct run_word found;
            done = run_word_find(&found, shell->warehouse, word, error);
            struct text resolved = {0};
            struct asked run;
            const char *name;
            ASK(&run, shell->warehouse->db, "SELECT name FROM run WHERE id = ?1",
                done && found.runs.count == 1 && !found.trace ? found.runs.items[0] : 0);
            if (ASKED_ROW(&run, &name))
                text_format(&resolved, "%.*s'%s'", (int)(word - words), words, name);
            done = asked_done(&run, shell->warehouse->path, error) && done &&
                   (resolved.count ||
                    error_set(error, STATUS_USAGE, "tpq sql: '%.200s' is not one run", word)) &&
                   parameters_set(&shell->parameters, resolved.items, error);
        } else
            done = parameters_set(&shell->parameters, words, error);
    }
    done = done && selection_options_read(arguments, true, &selected, error) &&
           parted_views_read(&shell->parted, "sql", arguments_value(arguments, "by"), error);
    shell->is_selected = done && selection_options_are_given(&selected);
    return shell->is_selected
               ? selection_options_apply(&selected.selection, shell->warehouse, error)
               : done;
}

static const char *book_path(const struct arguments *arguments)
{
    const char *path = arguments_value(arguments, "xlsx");
    return path ? path : "tpq.xlsx";
}

/* Rows go to a workbook, which gets its name when all is done. */
static bool open_book(struct shell *shell, const struct arguments *arguments,
                      struct counted_sink **book, struct error *error)
{
    const char *path = book_path(arguments);
    const char *const kept[] = {shell->warehouse->path, NULL};
    struct sink_target target = {
        .path = path, .overwrite = arguments_has(arguments, "force"), .index = true};
    if (!arguments_has(arguments, "xlsx"))
        return true;
    if (arguments_has(arguments, "mode"))
        return error_set(error, STATUS_USAGE, "tpq sql: either --mode or --xlsx");
    bool is_out = strcmp(path, "-") == 0;
    if (is_out && !sink_check_terminal("sql", "xlsx", error))
        return false;
    if (!is_out && !target.overwrite && access(path, F_OK) == 0)
        return error_set(error, STATUS_DATABASE, "%s: exists already (--force overwrites it)",
                         path);
    struct sink *made = sink_check_path(path, kept, error) ? sink_xlsx(&target, error) : NULL;
    *book = made ? sink_counted(made, NULL) : NULL;
    shell->render.book = *book ? &(*book)->base : NULL;
    return *book != NULL;
}

static bool finish_book(const struct arguments *arguments, struct counted_sink *book,
                        struct error *error)
{
    const char *path = book_path(arguments);
    if (!book)
        return true;
    if (!book->sheets)
        return error_set(error, STATUS_USAGE, "tpq sql: no statement gave rows for %s", path);
    bool done = sink_finish(&book->base, error);
    if (done && strcmp(path, "-") != 0 && !arguments_has(arguments, "quiet"))
        output_say_written(book, path);
    return done;
}

static bool run_shell(struct shell *shell, const struct arguments *arguments, struct error *error)
{
    struct counted_sink *book = NULL;
    struct envelope_words words = {0};
    bool done = prepare_shell(shell, arguments, error);
    if (done && shell->render.form->make == sink_envelope) {
        done = envelope_words_read(&words, arguments, shell->warehouse, error);
        words.wish.warning = &shell->unselected;
        shell->render.wish = &words.wish;
    }
    done = done && open_book(shell, arguments, &book, error) && run(shell, arguments, error);
    if (done)
        done = finish_book(arguments, book, error);
    if (book)
        sink_free(&book->base);
    return shell_close(shell, done ? error : &(struct error){0}) && done;
}

enum { ATTACHED_MAX = 10 }; /* by statements of the user */

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
    if (arguments_has(arguments, "json"))
        shell.render.form = form_of_mode("json");
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
    if (done && !warehouse_is_guarded())
        sqlite3_limit(warehouse.db, SQLITE_LIMIT_ATTACHED, ATTACHED_MAX);
    if (done && !shell.may_write && !warehouse_is_guarded())
        shell_forbid_copies(&shell);
    if (done)
        done = run_shell(&shell, arguments, error);
    if (is_open)
        warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"file", 'f', "FILE", "read the statements from a file; may be repeated", NULL},
    {"recipe", 0, "NAME", "ask a question of every day; tpq help recipes has them", NULL},
    {"param", 0, "NAME=VALUE", "what :NAME stands for in statements; may be repeated", NULL},
    OPTIONS_FORM,
    {"json", 0, NULL, "the same as --mode json", NULL},
    OPTION_ENVELOPE_TOP,
    OPTIONS_ENVELOPE,
    {"xlsx", 0, "[FILE]", "a workbook, a worksheet for each statement (tpq.xlsx)", NULL},
    {"force", 0, NULL, "overwrite a workbook that is there already", NULL},
    {"quiet", 'q', NULL, "do not say what was written", NULL},
    OPTION_WIDE,
    {"write", 0, NULL,
     "allow statements that change the warehouse; triggers of the file do not run", NULL},
    {"timeout", 0, "SECONDS", "stop a statement that takes longer", NULL},
    OPTIONS_EXTENSION,
    OPTION_PSEUDO_OPS,
    OPTION_WAIT,
    OPTIONS_SELECTION(RUN_OPTION_WORDS),
    {"by", 0, "COLUMNS",
     "views have the columns step, rank, or both (step,rank), and rows for each step, and for what "
     "is in none",
     NULL},
    OPTION_END,
};

static const struct section sections[] = {
    {"run", "Selection: what views show"},
    {NULL, NULL},
};

static const struct example examples[] = {
    {"tpq sql \"SELECT name, sum(dur_ns) FROM gpu_slice GROUP BY name ORDER BY 2 DESC LIMIT 9\"",
     "the kernels that take longest"},
    {"echo 'SELECT count(*) FROM event' | tpq sql --db w.db -", "from a pipe"},
    {"tpq sql --run base --step 3 --param s=7 \"SELECT * FROM gpu_slice WHERE stream = :s\"",
     "of one step of a run, with a parameter"},
    {"tpq sql --by step,rank \"SELECT step, rank, time_ms FROM gpu_timeline\"",
     "a timeline by step and rank"},
    {"tpq sql --recipe slower_ops --param before=base --param after=tuned",
     "what got slower, by op"},
    {"tpq sql --xlsx=slow.xlsx -f slow.sql", "a workbook with the rows of a file of statements"},
    {"tpq sql --db w.db", "a prompt with editing, history and completion"},
    {NULL, NULL},
};

const struct verb verb_sql = {
    .name = "sql",
    .operands = "[OPTION]... [SQL | -]",
    .also = "query select",
    .summary = "query the warehouse in SQL",
    .details =
        "Runs statements from the command line, from a file, from standard input (-), or at a "
        "prompt. The warehouse is open for reading only, unless --write is given. At the prompt "
        "Ctrl-C stops the statement that is running; .help lists the commands.\n\nOptions that "
        "select fill the table scope, from which views begin: they show only the selection. "
        "Tables (event, trace, ...) and the views for any client of SQLite (kernel, cpu_op, ...; "
        "tpq help python) always have all rows. Without --run views show all runs; with it they "
        "are faster than with WHERE run = 'x'.\n\nIn json and jsonl, columns named like a list "
        "column of a report (input_dims) are lists. So is what a function of SQLite has just made: "
        "json(x) AS shape.\n\nThe modes csv and tsv are for programs: texts stay as they are, "
        "formulas of spreadsheets too; tpq report --csv guards formulas. On a terminal every mode "
        "makes control characters visible.",
    .options = options,
    .preferred = "timeout",
    .sections = sections,
    .examples = examples,
    .run = run_sql,
};
