/* verb_runs: what is in a warehouse: `tpq runs` and `tpq traces`. */
#include "src/command/selection_options.h"
#include "src/command/session.h"

#include <string.h>

/* The runs that an operand and labels mean, as a JSON list for the queries. */
static bool list_runs(const struct arguments *arguments, struct warehouse *warehouse,
                      struct text *list, struct error *error)
{
    const char **labels = arguments_values(arguments, "label");
    const char *names[] = {arguments->operands.count ? arguments->operands.items[0] : NULL, NULL};
    struct run_choice choice = {names, labels};
    struct run_list runs = {0};
    bool done =
        (labels || error_memory(error)) && run_choice_find(warehouse, &choice, &runs, error);
    bool added = text_add_byte(list, '[');
    for (size_t i = 0; i < runs.count && added; i++)
        added = text_format(list, "%s%lld", i ? "," : "", (long long)runs.items[i]);
    added = added && text_add_byte(list, ']');
    array_free(&runs);
    free(labels);
    return done && (added || error_memory(error));
}

static bool print_query(const struct arguments *arguments, const char *sql, struct error *error)
{
    struct warehouse warehouse;
    struct render_options options;
    struct text runs = {0};
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    session_render_options(arguments, &options);
    sqlite3_stmt *statement = list_runs(arguments, &warehouse, &runs, error)
                                  ? warehouse_prepare(&warehouse, sql, error)
                                  : NULL;
    bool done = statement != NULL;
    if (done) {
        sqlite3_bind_text(statement, 1, runs.items, -1, SQLITE_STATIC);
        done = render_statement(statement, &options, stdout, warehouse.path, error);
    }
    sqlite3_finalize(statement);
    text_free(&runs);
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
        "FROM run LEFT JOIN trace ON trace.run_id = run.id "
        "WHERE run.id IN (SELECT value FROM json_each(?1)) GROUP BY run.id ORDER BY run.id";
    return session_operands(arguments, 0, 1, error) && print_query(arguments, sql, error);
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
        "WHERE run.id IN (SELECT value FROM json_each(?1)) ORDER BY trace.id";
    return session_operands(arguments, 0, 1, error) && print_query(arguments, sql, error);
}

static const struct option options[] = {
    OPTION_DATABASE, OPTION_LABEL, OPTION_MODE, OPTION_CSV_RAW,
    OPTION_WIDE,     OPTION_WAIT,  OPTION_END,
};

static const struct example runs_examples[] = {
    {"tpq runs --db w.db", "the runs in w.db"},
    {"tpq runs --mode json", "for a program"},
    {NULL, NULL},
};

static const struct example traces_examples[] = {
    {"tpq traces baseline", "the traces of one run"},
    {"tpq traces 'bert*' --label gpu=H100", "of runs that a pattern and a label mean"},
    {NULL, NULL},
};

const struct verb verb_runs = {
    .name = "runs",
    .operands = "[OPTION]... [RUN]",
    .summary = "list the runs in the warehouse",
    .details =
        "One line a run: its traces, ranks, events, size, labels and when it came in. RUN is the "
        "name of one, or a pattern with *, ? and [...].",
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
