/* verb_replay: `tpq replay`: calls made again by themselves, without the other sheets of a report;
 * what was measured elsewhere, imported; one call as a bundle to hand on. */
#include "query/replay/replay.h"
#include "query/replay/replay_results.h"
#include "query/select/run_choice.h"
#include "query/select/selection.h"
#include "sql/asked.h"
#include "src/command/session.h"
#include "src/report/report_configs.h"

#include <string.h>

static const char *replay_operand(const struct arguments *arguments, size_t index)
{
    return index < arguments->operands.count ? arguments->operands.items[index] : "";
}

/* The run that is meant: the one that is named, or the only one there is. */
static bool find_replayed_run(const struct arguments *arguments, struct warehouse *warehouse,
                              char **name, struct error *error)
{
    const char *names[] = {arguments_value(arguments, "run"), NULL};
    struct run_choice choice = {names, NULL, true};
    struct run_list runs;
    if (!run_choice_find(warehouse, &choice, &runs, error))
        return false;
    if (runs.count != 1)
        return error_set(error, STATUS_USAGE,
                         runs.count ? "tpq replay: there are several runs; name one by --run"
                                    : "there is no run in the warehouse");
    struct asked row;
    const char *found = "";
    ASK(&row, warehouse->db, "SELECT name FROM run WHERE id = ?1", runs.items[0]);
    ASKED_ROW(&row, &found);
    *name = memory_text(found);
    return asked_done(&row, warehouse->path, error);
}

static bool write_event_replay(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct text notes = {0};
    char *run = NULL, name[60];
    int64_t uid;
    const char *word = arguments_value(arguments, "uid");
    const char *directory = arguments_value(arguments, "output");
    if (!word || arguments->operands.count != 1)
        return error_set(error, STATUS_USAGE, "tpq replay event: name one event by --uid");
    if (!session_integer(arguments, "UID", word, &uid, error) ||
        !session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    snprintf(name, sizeof name, "event_%lld_replay", (long long)uid);
    bool done = find_replayed_run(arguments, &warehouse, &run, error) &&
                replay_event(&warehouse, run, arguments_value(arguments, "rank"), uid,
                             directory ? directory : name, &notes, error);
    if (notes.count) {
        notes.items[notes.count - 1] = '\0';
        session_say(view_of(notes.items));
    }
    if (done)
        session_sayf("wrote %s/", directory ? directory : name);
    warehouse_close(&warehouse);
    return done;
}

static bool run_replay(const struct arguments *arguments, struct error *error)
{
    const char *word = replay_operand(arguments, 0);
    if (strcmp(word, "import") == 0) {
        struct warehouse warehouse;
        char *run = NULL;
        size_t count = 0;
        if (arguments->operands.count != 2)
            return error_set(error, STATUS_USAGE, "tpq replay import: name one file or directory");
        if (!session_open(arguments, WAREHOUSE_WRITE, &warehouse, error))
            return false;
        const char *cover = arguments_value(arguments, "replay-cover");
        if (cover)
            context_set(warehouse.context, "replay-cover", cover);
        bool done = find_replayed_run(arguments, &warehouse, &run, error);
        if (done) {
            const char *const runs[] = {run, NULL};
            struct selection selection = {.runs = runs};
            struct text words = {0};
            bool is_empty;
            done = selection_apply(&warehouse, &selection, &is_empty, &words, error);
        }
        done = done && replay_import(&warehouse, run, replay_operand(arguments, 1), &count, error);
        if (done) {
            printf("%zu %s of run ", count, count == 1 ? "time" : "times");
            session_print(stdout, run);
            putchar('\n');
            done = session_printed("the times are kept", error);
        }
        warehouse_close(&warehouse);
        return done;
    }
    if (strcmp(word, "event") == 0)
        return write_event_replay(arguments, error);
    if (*word)
        return error_set(error, STATUS_USAGE, "tpq replay: '%s' is neither import nor event", word);
    if (!arguments_any(arguments, "base config"))
        return error_set(
            error, STATUS_USAGE,
            "tpq replay: an operand is missing; usage: tpq replay -b DIR, tpq replay import "
            "PATH, or tpq replay event");
    struct report_files files;
    struct extensions none = {0};
    struct report_wanted wanted = {.files = &files, .extensions = &none};
    return report_files_read(&files, arguments, NULL, error) &&
           report_configs(arguments, &wanted, true, error);
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"run", 0, "NAME", "of import and event: the run; not needed where there is only one", NULL},
    {"uid", 0, "UID", "of event: which, as ops_unique_args shows it (ex_UID)", NULL},
    {"rank", 0, "R", "of event: in the trace of this rank", NULL},
    OPTIONS_CONFIGS,
    OPTIONS_REPLAY,
    {"force", 0, NULL, "overwrite a workbook that is there already", NULL},
    OPTIONS_OF_VIEWS(COMMON){
        "wide", 0, NULL, "all columns, and all texts in full, in tables and in Markdown and HTML",
        NULL},
    {"color", 0, NULL, "colours, also when not on a terminal", NULL},
    {"no-color", 0, NULL, "no colours", NULL},
    {"top", 0, "N", "rows of a sheet on the terminal and in Markdown; 0 = all (20)", NULL},
    OPTION_WAIT,
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq replay -b runs -f step_8 --replay-mode generate", "commands for another machine"},
    {"tpq replay import --db w.db --run base base_replay", "what was measured there"},
    {"tpq replay event --db w.db --run base --uid 231", "one call, to hand on"},
    {NULL, NULL},
};

const struct verb verb_replay = {
    .name = "replay",
    .operands = "[OPTION]... -b DIR | import PATH | event --uid UID",
    .also = "bench",
    .summary = "run the costliest ops again, alone",
    .details =
        "With -b finds traces as tpq report does. Runs the matrix products and convolutions "
        "again that make up 99 % of the time of their kind. They run in the benchmarks of "
        "libraries (hipblaslt-bench, MIOpenDriver) and as ops by themselves, "
        "by a script that needs PyTorch. PyTorch runs from PATH, with a time limit and without "
        "a shell, in a new directory of its own ($TMPDIR or /tmp). Nothing that lies beside "
        "traces is executed or imported. The script runs by python3 -I, which ignores "
        "PYTHONPATH. The commands, the script and what programs left are written to a "
        "directory, in place of files that are there, never through links.\n\nimport takes what "
        "was measured on another machine: a directory as it was written, with what its run.sh "
        "left there. A CSV file will do, too: with the columns group, row, source (bench or "
        "replay) and time_us. event writes one call with the script into a directory.",
    .options = options,
    .examples = examples,
    .run = run_replay,
};
