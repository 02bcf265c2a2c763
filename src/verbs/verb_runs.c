/* verb_runs: what is in a warehouse: `tpq runs` and `tpq traces`. */
#include "query/report/answer.h"
#include "sql/asked.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"

/* The runs that an operand and labels mean, as a JSON list for the queries. */
static bool list_runs(const struct arguments *arguments, struct warehouse *warehouse,
                      struct text *list, struct error *error)
{
    const char **labels = arguments_values(arguments, "label");
    const char *names[] = {arguments->operands.count ? arguments->operands.items[0] : NULL, NULL};
    struct run_choice choice = {names, labels, true};
    struct run_list runs = {0};
    bool done = run_choice_find(warehouse, &choice, &runs, error);
    text_add_byte(list, '[');
    for (size_t i = 0; i < runs.count; i++)
        text_format(list, "%s%lld", i ? "," : "", (long long)runs.items[i]);
    text_add_byte(list, ']');
    return done;
}

/* A list for people, and its form for programs. */
struct listing {
    const char *name, *rows, *objects;
};

/* The name of the run, where it is a single one. */
static bool add_listed_run(struct warehouse *warehouse, const char *runs, struct document *document,
                           struct error *error)
{
    struct asked row;
    const char *name;
    ASK(&row, warehouse->db,
        "SELECT max(name) FROM run WHERE id IN (SELECT value FROM json_each(?1)) HAVING "
        "count(*) = 1",
        runs);
    if (ASKED_ROW(&row, &name)) {
        document_open(document, "run", '[');
        document_text(document, NULL, name);
        document_close(document);
    }
    return asked_done(&row, warehouse->path, error);
}

static bool print_run_listing(const struct arguments *arguments, const struct listing *listing,
                              struct error *error)
{
    struct warehouse warehouse;
    struct render_options options;
    struct text runs = {0};
    struct extensions rules = {0};
    bool json = arguments_has(arguments, "json");
    if (!session_operands(arguments, 0, 1, error))
        return false;
    const char *mode = arguments_any(arguments, "mode csv markdown");
    if (json && mode)
        return error_set(error, STATUS_USAGE, "tpq %s: either --%s or --json",
                         arguments->verb->name, mode);
    if (!session_open(arguments, WAREHOUSE_READ, &warehouse, error))
        return false;
    session_render_options(arguments, &options);
    sqlite3_stmt *statement =
        extension_options_read(arguments, &rules, error) &&
                extension_options_run(arguments, &rules, &warehouse, error) &&
                list_runs(arguments, &warehouse, &runs, error) &&
                answer_view(&warehouse, "trace_verdict", false, error)
            ? warehouse_prepare(&warehouse, json ? listing->objects : listing->rows, error)
            : NULL;
    bool done = statement != NULL;
    if (done) {
        sqlite3_bind_text(statement, 1, runs.items, -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 2, arguments_has(arguments, "wide"));
    }
    if (done && json) {
        struct document document = {.out = stdout};
        document_begin(&document);
        done = add_listed_run(&warehouse, runs.items, &document, error);
        document_open(&document, "units", '{');
        document_text(&document, "content_bytes", "bytes");
        document_close(&document);
        document_close(&document);
        document_open(&document, listing->name, '[');
        done = done && render_objects(statement, &document, warehouse.path, error);
        document_finish(&document);
    } else if (done)
        done = render_statement(statement, &options, stdout, warehouse.path, error);
    database_finalize(statement);
    warehouse_close(&warehouse);
    return done;
}

/* The verdicts on a trace and on a run. */
#define HEALTH          "WITH health AS MATERIALIZED (SELECT run, trace_id, verdict FROM trace_verdict) "
#define HEALTH_OF_TRACE "(SELECT verdict FROM health WHERE health.trace_id = trace.id) AS health"
#define HEALTH_OF_RUN                                                                \
    "(SELECT verdict FROM health WHERE health.run = run.name AND trace_id IS NULL) " \
    "AS health"
/* Traces of several ranks in one file share its hash. */
#define BYTES_OF_RUN                                                                     \
    "(SELECT coalesce(sum(content_bytes), 0) FROM (SELECT DISTINCT content_hash, path, " \
    "content_bytes FROM trace AS file WHERE file.run_id = run.id))"
/* Fields of identity of the listed runs: as words, where ?2 or they are not the same in all. */
#define IDENTITY                                                                                  \
    ", listed AS MATERIALIZED (SELECT run_id, key, group_concat(value, ',') AS words, "           \
    "iif(count(*) = 1, json_quote(value), json_group_array(value)) AS said FROM (SELECT run_id, " \
    "key, value FROM run_label WHERE kind IS NOT NULL AND run_id IN (SELECT value FROM "          \
    "json_each(?1)) ORDER BY run_id, key, value) "                                                \
    "GROUP BY run_id, key), identity AS MATERIALIZED (SELECT run_id, json_group_object(key, "     \
    "json(said)) AS object, group_concat(key || '=' || words, ' ') FILTER (WHERE ?2 OR key IN "   \
    "(SELECT key FROM listed GROUP BY key HAVING min(words) <> max(words) OR count(*) < "         \
    "json_array_length(?1))) AS words FROM listed GROUP BY run_id) "
#define RUNS_FROM                                                                                \
    "FROM run LEFT JOIN trace ON trace.run_id = run.id LEFT JOIN identity ON identity.run_id = " \
    "run.id "                                                                                    \
    "WHERE run.id IN (SELECT value FROM json_each(?1)) GROUP BY run.id ORDER BY run.id"
#define TRACES_FROM                                 \
    "FROM trace JOIN run ON run.id = trace.run_id " \
    "WHERE run.id IN (SELECT value FROM json_each(?1)) ORDER BY trace.id"

static bool run_runs(const struct arguments *arguments, struct error *error)
{
    static const struct listing listing = {
        "runs",
        HEALTH IDENTITY
        "SELECT run.name AS run, count(trace.id) AS traces, count(DISTINCT rank) AS ranks, "
        "coalesce(sum(last_event - first_event + 1), 0) AS events, "
        "round(" BYTES_OF_RUN " / 1e6, 1) AS MB, " HEALTH_OF_RUN ", "
        "nullif(labels, '{}') AS labels, words AS identity, created_at AS created " RUNS_FROM,
        HEALTH IDENTITY
        "SELECT run.name AS run, count(trace.id) AS traces, count(DISTINCT rank) AS ranks, "
        "coalesce(sum(last_event - first_event + 1), 0) AS events, " BYTES_OF_RUN
        " AS content_bytes, "
        "CASE WHEN json_valid(labels) THEN labels ELSE '{}' END AS labels_json, "
        "coalesce(object, '{}') AS identity_json, " HEALTH_OF_RUN ", note, created_at " RUNS_FROM,
    };
    return print_run_listing(arguments, &listing, error);
}

static bool run_traces(const struct arguments *arguments, struct error *error)
{
    static const struct listing listing = {
        "traces",
        HEALTH "SELECT trace.id AS trace, run.name AS run, rank, format, "
               "last_event - first_event + 1 AS events, "
               "round(content_bytes / 1e6, 1) AS MB, "
               "(SELECT name FROM device WHERE trace_id = trace.id ORDER BY id LIMIT 1) AS device, "
               "coalesce((SELECT sum(count) FROM ingest_note WHERE trace_id = trace.id), 0) AS "
               "notes, " HEALTH_OF_TRACE ", "
               "path " TRACES_FROM,
        HEALTH "SELECT trace.id AS trace_id, run.name AS run, rank, world_size, format, "
               "last_event - first_event + 1 AS events, content_bytes, "
               "(SELECT name FROM device WHERE trace_id = trace.id ORDER BY id LIMIT 1) AS device, "
               "coalesce((SELECT sum(count) FROM ingest_note WHERE trace_id = trace.id), 0) AS "
               "notes, " HEALTH_OF_TRACE ", "
               "path, ingested_at " TRACES_FROM,
    };
    return print_run_listing(arguments, &listing, error);
}

static const struct option options[] = {
    OPTION_DATABASE, OPTION_LABEL, OPTION_HEALTH_RULE, OPTION_JSON, OPTIONS_FORM,
    OPTION_CSV_RAW,  OPTION_WIDE,  OPTION_WAIT,        OPTION_END,
};

static const struct example runs_examples[] = {
    {"tpq runs --db w.db", "the runs in w.db"},
    {"tpq runs --json", "for a program"},
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
    .also = "ls list",
    .summary = "list the runs in the warehouse",
    .details =
        "One line a run: its traces, ranks, events, size, labels, identity and when it came in. "
        "Identity is what traces state of their setup and origin, as far as the listed runs differ "
        "(--wide: all of it). RUN is the "
        "name of one, a pattern (nightly-*), a label (KEY=VALUE), @last, @last~1 or @pin:NAME.",
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
