/* verb_rm: `tpq rm`, which takes runs or single traces out of a warehouse. */
#include "sql/belongings.h"
#include "src/base/number.h"
#include "src/command/session.h"

#include <string.h>

/* The runs that were named, and all traces that go. */
struct doomed {
    ARRAY(int64_t) runs, traces;
    int64_t events;
};

static bool is_doomed(const struct doomed *doomed, int64_t trace)
{
    for (size_t i = 0; i < doomed->traces.count; i++)
        if (doomed->traces.items[i] == trace)
            return true;
    return false;
}

/* Each row of the query is a trace and its number of events. */
static bool collect(struct warehouse *warehouse, const char *sql, int64_t number,
                    struct doomed *doomed, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, number);
    bool done = true;
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (is_doomed(doomed, id))
            continue; /* named twice, or with its run */
        int64_t *trace = array_push(&doomed->traces);
        done = trace || error_memory(error);
        if (trace)
            *trace = id;
        doomed->events += sqlite3_column_int64(statement, 1);
    }
    if (done && result != SQLITE_DONE)
        done = warehouse_error(warehouse, error);
    sqlite3_finalize(statement);
    return done;
}

/* The number of a run; 0 with an error when there is none. */
static int64_t find_run(struct warehouse *warehouse, const char *run, struct error *error)
{
    sqlite3_stmt *statement =
        warehouse_prepare(warehouse, "SELECT id FROM run WHERE name = ?1", error);
    if (!statement)
        return 0;
    sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
    int result = sqlite3_step(statement);
    int64_t id = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    if (result == SQLITE_DONE)
        error_set(error, STATUS_USAGE, "%s: there is no run '%s'; see tpq runs", warehouse->path,
                  run);
    else if (result != SQLITE_ROW)
        warehouse_error(warehouse, error);
    sqlite3_finalize(statement);
    return id;
}

static bool collect_run(struct warehouse *warehouse, const char *run, struct doomed *doomed,
                        struct error *error)
{
    int64_t id = find_run(warehouse, run, error);
    int64_t *added = id ? array_push(&doomed->runs) : NULL;
    if (!added)
        return id && error_memory(error);
    *added = id;
    return collect(warehouse,
                   "SELECT id, last_event - first_event + 1 FROM trace WHERE run_id = ?1", id,
                   doomed, error);
}

static bool collect_trace(const struct arguments *arguments, struct warehouse *warehouse,
                          const char *text, struct doomed *doomed, struct error *error)
{
    int64_t trace;
    if (!session_integer(arguments, "trace number", text, &trace, error) ||
        !collect(warehouse, "SELECT id, last_event - first_event + 1 FROM trace WHERE id = ?1",
                 trace, doomed, error))
        return false;
    return is_doomed(doomed, trace) ||
           error_set(error, STATUS_USAGE, "%s: there is no trace %s; see tpq traces",
                     warehouse->path, text);
}

static bool collect_all(const struct arguments *arguments, struct warehouse *warehouse,
                        struct doomed *doomed, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < arguments->operands.count && done; i++)
        done = collect_run(warehouse, arguments->operands.items[i], doomed, error);
    const char **traces = arguments_values(arguments, "trace");
    if (!traces)
        return error_memory(error);
    for (const char **trace = traces; *trace && done; trace++)
        done = collect_trace(arguments, warehouse, *trace, doomed, error);
    free(traces);
    return done;
}

/* In one transaction, so that nothing comes in between what is found and what is deleted. */
static bool remove_all(const struct arguments *arguments, struct warehouse *warehouse,
                       struct doomed *doomed, struct error *error)
{
    bool done = warehouse_run(warehouse, "BEGIN IMMEDIATE", error) &&
                collect_all(arguments, warehouse, doomed, error);
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
        return warehouse_run(warehouse, "VACUUM", error);
    sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool run_rm(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct doomed doomed = {0};
    if (!arguments->operands.count && !arguments_has(arguments, "trace") &&
        !arguments_has(arguments, "vacuum"))
        return session_operands(arguments, 1, SIZE_MAX, error);
    if (!session_open(arguments, WAREHOUSE_WRITE, &warehouse, error))
        return false;
    bool done = remove_all(arguments, &warehouse, &doomed, error);
    if (done && arguments_has(arguments, "vacuum"))
        done = vacuum(&warehouse, error);
    if (done && !arguments_has(arguments, "quiet")) {
        struct text events = {0};
        if (number_add_grouped(&events, doomed.events))
            printf("removed %zu trace%s, %s event%s\n", doomed.traces.count,
                   doomed.traces.count == 1 ? "" : "s", events.items,
                   doomed.events == 1 ? "" : "s");
        text_free(&events);
    }
    array_free(&doomed.runs);
    array_free(&doomed.traces);
    warehouse_close(&warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"trace", 0, "TRACE", "remove this trace, by its number; may be repeated", NULL},
    {"vacuum", 0, NULL,
     "also drop texts that no event uses any more, and give the space back to the system", NULL},
    OPTION_WAIT,
    {"quiet", 'q', NULL, "print nothing but failures", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq rm baseline tuned", "two runs with all their traces"},
    {"tpq rm --trace 7 --vacuum", "one trace, and the file gets smaller"},
    {NULL, NULL},
};

const struct verb verb_rm = {
    .name = "rm",
    .operands = "[OPTION]... RUN...",
    .summary = "remove runs or traces from the warehouse",
    .details = "Removes runs with all their traces, or single traces. The space is used again by "
               "the next ingest; texts that were shared stay until --vacuum.",
    .options = options,
    .examples = examples,
    .run = run_rm,
};
