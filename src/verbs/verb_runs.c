/* verb_runs: what is in a warehouse: `tpq runs` and `tpq traces`. */
#include "src/command/session.h"

#include <string.h>

/* To list what does not exist is no failure, but it is said. */
static void say_when_missing(struct warehouse *warehouse, const char *run)
{
    struct error sentence = {0};
    sqlite3_stmt *statement =
        warehouse_prepare(warehouse, "SELECT 1 FROM run WHERE name = ?1", &sentence);
    if (!statement)
        return;
    sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_DONE) {
        error_set(&sentence, STATUS_OK, "tpq: %s: there is no run '%s'; see tpq runs",
                  warehouse->path, run);
        session_print(stderr, sentence.text);
        fputc('\n', stderr);
    }
    sqlite3_finalize(statement);
}

static bool print_query(const struct arguments *arguments, const char *sql, const char *run,
                        struct error *error)
{
    struct warehouse warehouse;
    struct render_options options;
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    session_render_options(arguments, &options);
    sqlite3_stmt *statement = warehouse_prepare(&warehouse, sql, error);
    bool done = statement != NULL;
    if (done) {
        if (run)
            sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
        done = render_statement(statement, &options, stdout, warehouse.path, error);
        sqlite3_finalize(statement);
        if (done && run)
            say_when_missing(&warehouse, run);
    }
    warehouse_close(&warehouse);
    return done;
}

static bool run_runs(const struct arguments *arguments, struct error *error)
{
    static const char sql[] =
        "SELECT run.name AS run, count(trace.id) AS traces, count(DISTINCT rank) AS ranks, "
        "coalesce(sum(last_event - first_event + 1), 0) AS events, "
        "round(coalesce(sum(content_bytes), 0) / 1e6, 1) AS MB, "
        "nullif(labels, '{}') AS labels, created_at AS created "
        "FROM run LEFT JOIN trace ON trace.run_id = run.id GROUP BY run.id ORDER BY run.id";
    return session_operands(arguments, 0, 0, error) && print_query(arguments, sql, NULL, error);
}

static bool run_traces(const struct arguments *arguments, struct error *error)
{
    static const char sql[] =
        "SELECT trace.id AS trace, run.name AS run, rank, format, "
        "last_event - first_event + 1 AS events, "
        "round(content_bytes / 1e6, 1) AS MB, "
        "(SELECT name FROM device WHERE trace_id = trace.id ORDER BY id LIMIT 1) AS device, "
        "coalesce((SELECT sum(count) FROM ingest_note WHERE trace_id = trace.id), 0) AS notes, "
        "path FROM trace JOIN run ON run.id = trace.run_id "
        "WHERE ?1 IS NULL OR run.name = ?1 ORDER BY trace.id";
    return session_operands(arguments, 0, 1, error) &&
           print_query(arguments, sql,
                       arguments->operands.count ? arguments->operands.items[0] : NULL, error);
}

static const struct option options[] = {
    OPTION_DATABASE, OPTION_MODE, OPTION_CSV_RAW, OPTION_WIDE, OPTION_WAIT, OPTION_END,
};

static const struct example runs_examples[] = {
    {"tpq runs --db w.db", "the runs in w.db"},
    {"tpq runs --mode json", "for a program"},
    {NULL, NULL},
};

static const struct example traces_examples[] = {
    {"tpq traces baseline", "the traces of one run"},
    {NULL, NULL},
};

const struct verb verb_runs = {
    .name = "runs",
    .operands = "[OPTION]...",
    .summary = "list the runs in the warehouse",
    .details = "One line a run: its traces, ranks, events, size, labels and when it came in.",
    .options = options,
    .examples = runs_examples,
    .run = run_runs,
};

const struct verb verb_traces = {
    .name = "traces",
    .operands = "[OPTION]... [RUN]",
    .summary = "list the traces in the warehouse",
    .details = "One line a trace, of one run or of all. The column notes counts what the reader "
               "could not use as it stood; the table ingest_note has the details.",
    .options = options,
    .examples = traces_examples,
    .run = run_traces,
};
