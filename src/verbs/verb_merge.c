/* verb_merge: `tpq merge`, which takes the traces of other warehouses into one. */
#include "ingest/trace/category.h"
#include "sql/merge/merge.h"
#include "src/command/session.h"

#include <stdio.h>

struct teller {
    bool quiet, has_failed;
    int64_t stored;
};

static void source_finished(void *context, const struct merge_outcome *outcome)
{
    struct teller *self = context;
    self->stored += outcome->error ? 0 : outcome->stored;
    if (outcome->error) {
        self->has_failed = true;
        session_say(view_of(outcome->error->text));
    } else if (!self->quiet) {
        session_print(stdout, outcome->path);
        session_print_count(stdout, ": ", outcome->stored, "trace, ", "traces, ");
        session_print_count(stdout, "", outcome->events, "event\n", "events\n");
        fflush(stdout);

        /* A user's choices are no facts. */
        if (outcome->catalog_rows || outcome->settings || outcome->tables) {
            fputs("tpq: ", stderr);
            session_print(stderr, outcome->path);
            session_print_count(
                stderr, ": not taken, as they are no facts of traces: ", outcome->catalog_rows,
                "row of the catalog, ", "rows of the catalog, ");
            session_print_count(stderr, "", outcome->settings, "setting, ", "settings, ");
            session_print_count(stderr, "", outcome->tables, "other table\n", "other tables\n");
        }
    }
}

static void run_counted(void *context, const char *run, int64_t stored, int64_t known)
{
    const struct teller *self = context;
    if (self->quiet)
        return;
    fputs("run ", stdout);
    session_print(stdout, run);
    printf(": %lld stored", (long long)stored);
    if (known)
        printf(", %lld known already", (long long)known);
    putchar('\n');
}

static void label_kept(void *context, const char *run, const char *label, const char *here,
                       const char *there)
{
    const struct teller *self = context;
    if (self->quiet)
        return;
    session_sayf("run %s: its label %s stays %s and does not become %s", run, label, here, there);
}

static bool run_merge(const struct arguments *arguments, struct error *error)
{
    struct teller teller = {.quiet = arguments_has(arguments, "quiet")};
    struct merge_category categories[CATEGORY_KNOWN_COUNT];
    struct merge_observer observer = {source_finished, run_counted, label_kept, &teller};
    if (!session_operands(arguments, 1, SIZE_MAX, error))
        return false;
    struct merge_options options = {
        .database = session_database(arguments),
        .run = arguments_value(arguments, "run"),
        .prefix = arguments_value(arguments, "prefix"),
        .replace = arguments_has(arguments, "replace"),
    };
    if (options.run && !*options.run)
        return error_set(error, STATUS_USAGE, "tpq merge: --run needs a name");
    if (options.run && options.prefix)
        return error_set(error, STATUS_USAGE,
                         "tpq merge: --run names the run, so --prefix has nothing to stand before");
    if (!session_wait_ms(arguments, &options.wait_ms, error))
        return false;
    for (int i = 0; i < CATEGORY_KNOWN_COUNT; i++)
        categories[i] = (struct merge_category){i, category_name(i), role_name(category_role(i))};
    options.categories = categories;
    options.category_count = CATEGORY_KNOWN_COUNT;
    bool done =
        merge_run(&options, arguments->operands.items, arguments->operands.count, &observer, error);
    if (!done && error->status == STATUS_BAD_INPUT && teller.has_failed)
        error->text[0] = '\0'; /* every failure was printed as it came */
    if (done && teller.stored)
        done = session_printed("the traces are stored", error);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"run", 0, "NAME", "all traces become traces of this run; without it they stay in their own",
     NULL},
    {"prefix", 0, "TEXT", "what the names of runs get before them", NULL},
    {"replace", 0, NULL, "a trace that the run has already makes way", NULL},
    OPTION_WAIT,
    {"quiet", 'q', NULL, "print nothing but failures", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq merge --db all.db node*/tpq.db", "what the nodes of a job ingested, each for itself"},
    {"tpq merge --prefix lab2/ /mnt/lab2/tpq.db", "runs of another team, told apart by name"},
    {NULL, NULL},
};

const struct verb verb_merge = {
    .name = "merge",
    .operands = "[OPTION]... WAREHOUSE...",
    .also = "join",
    .summary = "add the traces of other warehouses",
    .details =
        "Takes all runs and traces of warehouses that were made elsewhere into one, which is "
        "created when it does not exist. It is then as if the traces had been ingested into it, "
        "and takes half the time of that.\n\nEach WAREHOUSE is one transaction, in the order "
        "given: whatever happens, it is taken in wholly or not at all. A source is only read, and "
        "not trusted: a damaged one is skipped. A trace that the run has already, by content and "
        "rank, is not taken twice, so the same merge again changes nothing.\n\nRuns are the same "
        "where their names are. Labels are united; where a label has two values, that which is "
        "here stays, and so does the note. Rows of the catalog, settings and tables of the user "
        "are choices, not facts, and are not taken. Texts that nothing in a WAREHOUSE uses any "
        "more come along: tpq rm --shrink drops them.\n\nWith several the good ones are taken in; "
        "a bad one makes the exit status 3.",
    .takes_warehouses = true,
    .options = options,
    .examples = examples,
    .run = run_merge,
};
