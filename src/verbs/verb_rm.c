/* verb_rm: `tpq rm`, which takes runs or single traces out of a warehouse. */
#include "sql/database.h"
#include "sql/warehouse/belongings.h"
#include "src/base/number.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"

#include <string.h>

enum { DAYS_MOST = 100000 };

/* The runs that were named, and all traces that go. */
struct doomed {
    struct run_list runs;
    ARRAY(int64_t) traces;
    int64_t events;
};

static bool is_doomed(const struct doomed *doomed, int64_t trace)
{
    for (size_t i = 0; i < doomed->traces.count; i++)
        if (doomed->traces.items[i] == trace)
            return true;
    return false;
}

static const char one_trace[] = "SELECT id, last_event - first_event + 1 FROM trace WHERE id = ?1";

/* Each row of the query is a trace and its number of events. */
static bool collect(struct warehouse *warehouse, const char *sql, int64_t number,
                    struct doomed *doomed, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    bool done = statement != NULL;
    sqlite3_bind_int64(statement, 1, number);
    while (warehouse_next(warehouse, statement, &done, error)) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (is_doomed(doomed, id))
            continue; /* named twice, or with its run */
        array_add(&doomed->traces, id);
        doomed->events += sqlite3_column_int64(statement, 1);
    }
    database_finalize(statement);
    return done;
}

/* The runs that operands, labels and age mean, with all their traces. */
static bool collect_runs(const struct arguments *arguments, struct warehouse *warehouse,
                         struct doomed *doomed, struct error *error)
{
    long days = 0;
    const char **labels = arguments_values(arguments, "label");
    const char **names = memory_zeroed(arguments->operands.count + 1, sizeof *names);
    for (size_t i = 0; i < arguments->operands.count; i++)
        names[i] = arguments->operands.items[i];
    bool by_age = arguments_has(arguments, "older-than");
    struct run_choice choice = {names, labels, .whole = by_age};
    bool done = arguments_number(arguments, "older-than", 0, DAYS_MOST, 0, &days, error);
    if (done && (run_choice_is_given(&choice) || by_age))
        done = run_choice_find(warehouse, &choice, &doomed->runs, error);
    if (done && by_age) {
        /* Leaves only those into which nothing came for so many days. */
        struct run_list *runs = &doomed->runs;
        sqlite3_stmt *row =
            warehouse_prepare(warehouse,
                              "SELECT coalesce((SELECT max(ingested_at) FROM trace WHERE run_id = "
                              "run.id), created_at) "
                              "< datetime('now', format('-%d days', ?2)) FROM run WHERE id = ?1",
                              error);
        done = row != NULL;
        size_t kept = 0;
        for (size_t i = 0; i < runs->count && done; i++) {
            sqlite3_bind_int64(row, 1, runs->items[i]);
            sqlite3_bind_int64(row, 2, days);
            done = sqlite3_step(row) == SQLITE_ROW || warehouse_error(warehouse, error);
            if (done && sqlite3_column_int(row, 0))
                runs->items[kept++] = runs->items[i];
            sqlite3_reset(row);
        }
        runs->count = kept;
        database_finalize(row);
    }
    for (size_t i = 0; i < doomed->runs.count && done; i++)
        done = collect(warehouse,
                       "SELECT id, last_event - first_event + 1 FROM trace WHERE run_id = ?1",
                       doomed->runs.items[i], doomed, error);
    for (size_t i = 0; i < doomed->runs.traces.count && done; i++)
        done = collect(warehouse, one_trace, doomed->runs.traces.items[i].id, doomed, error);
    memory_free(labels);
    memory_free(names);
    return done;
}

static bool collect_trace(const struct arguments *arguments, struct warehouse *warehouse,
                          const char *text, struct doomed *doomed, struct error *error)
{
    int64_t trace;
    if (!session_integer(arguments, "trace number", text, &trace, error) ||
        !collect(warehouse, one_trace, trace, doomed, error))
        return false;
    return is_doomed(doomed, trace) ||
           error_set(error, STATUS_USAGE, "%s: there is no trace %s; see tpq traces",
                     warehouse->path, text);
}

/* "2 traces, 1,234 events" */
static void print_counts(int64_t traces, int64_t events)
{
    struct text number = {0};
    number_add_grouped(&number, events);
    printf("%lld trace%s, %s event%s\n", (long long)traces, traces == 1 ? "" : "s", number.items,
           events == 1 ? "" : "s");
    text_free(&number);
}

/* Each run that goes, while it is there. */
static bool print_runs(struct warehouse *warehouse, const struct doomed *doomed,
                       struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(
        warehouse,
        "SELECT name, count(trace.id), coalesce(sum(last_event - first_event + 1), 0) FROM run "
        "LEFT JOIN trace ON run_id = run.id WHERE run.id = ?1 GROUP BY run.id",
        error);
    bool done = row != NULL;
    for (size_t i = 0; i < doomed->runs.count && done; i++) {
        sqlite3_bind_int64(row, 1, doomed->runs.items[i]);
        if ((done = sqlite3_step(row) == SQLITE_ROW || warehouse_error(warehouse, error))) {
            fputs("run ", stdout);
            session_print(stdout, (const char *)sqlite3_column_text(row, 0));
            fputs(": ", stdout);
            print_counts(sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2));
        }
        sqlite3_reset(row);
    }
    database_finalize(row);
    return done;
}

/* Says which pins mean nothing afterwards. */
static bool say_pins(struct warehouse *warehouse, const struct doomed *doomed, struct error *error)
{
    sqlite3_stmt *rows =
        warehouse_prepare(warehouse,
                          "SELECT '@' || setting.name || ' loses its run ' || run.name, run.id, "
                          "trace.id FROM setting "
                          "JOIN run ON run.name = value LEFT JOIN trace ON run_id = run.id "
                          "WHERE setting.name GLOB 'pin:*' ORDER BY 1",
                          error);
    struct text said = {0};
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *words = database_text(rows, 0);
        bool goes = run_list_has(&doomed->runs, sqlite3_column_int64(rows, 1)) ||
                    is_doomed(doomed, sqlite3_column_int64(rows, 2));
        if (!goes || (said.count && strcmp(said.items, words) == 0))
            continue;
        text_clear(&said);
        text_add_string(&said, words);
        session_say(view_of(words));
    }
    database_finalize(rows);
    text_free(&said);
    return done;
}

/* In one transaction, so that nothing comes in between what is found and what is deleted. */
static bool remove_all(const struct arguments *arguments, struct warehouse *warehouse,
                       struct doomed *doomed, struct error *error)
{
    const char *begin = arguments_has(arguments, "dry-run") ? "BEGIN" : "BEGIN IMMEDIATE";
    bool done = warehouse_run(warehouse, begin, error);
    if (done) {
        done = collect_runs(arguments, warehouse, doomed, error);
        const char **traces = arguments_values(arguments, "trace");
        for (const char **trace = traces; *trace && done; trace++)
            done = collect_trace(arguments, warehouse, *trace, doomed, error);
        memory_free(traces);
    }
    done = done && (arguments_has(arguments, "quiet") ||
                    (print_runs(warehouse, doomed, error) && say_pins(warehouse, doomed, error)));
    done = done && session_printed("nothing was removed", error);
    if (done && arguments_has(arguments, "dry-run"))
        return warehouse_run(warehouse, "ROLLBACK", error);
    for (size_t i = 0; i < doomed->traces.count && done; i++)
        done = belongings_delete_trace(warehouse, doomed->traces.items[i], error);
    for (size_t i = 0; i < doomed->runs.count && done; i++)
        done = belongings_delete_run(warehouse, doomed->runs.items[i], error);
    if (done && warehouse_run(warehouse, "COMMIT", error))
        return true;
    sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* Takes out what nothing refers to any more, and gives the space back. */
static bool vacuum(struct warehouse *warehouse, struct error *error)
{
    if (warehouse_run(warehouse, "BEGIN IMMEDIATE", error) && belongings_clean(warehouse, error) &&
        warehouse_run(warehouse, "COMMIT", error))
        return warehouse_attach(warehouse, "VACUUM", error);
    sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool shrinks(const struct arguments *arguments)
{
    return arguments_has(arguments, "shrink") || arguments_has(arguments, "vacuum");
}

/* How much of the file is free, and who gives it back. */
static bool say_free(struct warehouse *warehouse, struct error *error)
{
    int64_t bytes = 0;
    bool done = warehouse_ask(
        warehouse, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
        0, &bytes, error);
    double megabytes = (double)bytes / 1e6;
    if (megabytes >= 0.1)
        printf("%.1f MB of %s are free for the next ingest; tpq rm --shrink gives them back\n",
               megabytes, warehouse->path);
    return done;
}

static bool run_rm(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct doomed doomed = {0};
    bool is_dry = arguments_has(arguments, "dry-run");
    if (!arguments->operands.count && !arguments_has(arguments, "trace") &&
        !arguments_has(arguments, "label") && !arguments_has(arguments, "older-than") &&
        !shrinks(arguments))
        return session_operands(arguments, 1, SIZE_MAX, error);
    if (!session_open(arguments, is_dry ? WAREHOUSE_READ : WAREHOUSE_WRITE, &warehouse, error))
        return false;
    bool done = remove_all(arguments, &warehouse, &doomed, error);
    if (done && !is_dry && shrinks(arguments))
        done = vacuum(&warehouse, error) ||
               error_context(error, "removed, but the file was not shrunk");
    if (done && !arguments_has(arguments, "quiet")) {
        fputs(is_dry ? "would remove " : "removed ", stdout);
        print_counts((int64_t)doomed.traces.count, doomed.events);
        done = (is_dry || say_free(&warehouse, error)) &&
               session_printed(is_dry ? "nothing was removed" : "the traces are removed", error);
    }
    run_list_free(&doomed.runs);
    array_free(&doomed.traces);
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    OPTION_LABEL,
    {"trace", 0, "TRACE", "remove this trace, by its number; may be repeated", NULL},
    {"older-than", 0, "DAYS",
     "only runs into which nothing came for so many days; without RUN and --label: of all", NULL},
    {"dry-run", 'n', NULL, "only say what would go", NULL},
    {"shrink", 0, NULL, "also drop unused texts, and give the free space back to the system", NULL},
    {"vacuum", 0, NULL, "former name of --shrink", NULL},
    OPTION_WAIT,
    {"quiet", 'q', NULL, "print nothing but failures", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq rm baseline tuned", "two runs with all their traces"},
    {"tpq rm --dry-run 'bert*' --label pr=812", "what a pattern and a label mean"},
    {"tpq rm --older-than 90 'ci-*' --shrink", "what is kept for a quarter of a year"},
    {"tpq rm --trace 7 --shrink", "one trace, and the file gets smaller"},
    {NULL, NULL},
};

const struct verb verb_rm = {
    .name = "rm",
    .operands = "[OPTION]... RUN...",
    .also = "delete remove",
    .summary = "remove runs or traces",
    .details = "Removes runs with all their traces, or single traces, and says which. " RUN_WORDS
               " A pin whose run goes is named, and means nothing until another run is kept so. "
               "The next ingest uses the free space. --shrink gives it back to the system.",
    .takes_warehouses = true,
    .options = options,
    .examples = examples,
    .run = run_rm,
};
