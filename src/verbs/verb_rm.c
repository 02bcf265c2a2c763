/* verb_rm: `tpq rm`, which takes runs or single traces out of a warehouse. */
#include "src/base/number.h"
#include "src/command/verb.h"

#include <string.h>

/* Collects the traces of a run, or finds one trace. */
struct doomed {
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

static bool collect(struct warehouse *warehouse, const char *sql, const char *text, int64_t number,
                    struct doomed *doomed, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    if (!statement)
        return false;
    if (text)
        sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_int64(statement, 1, number);
    bool done = true;
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        if (sqlite3_column_type(statement, 0) == SQLITE_NULL)
            continue; /* a run without traces */
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

/* False with an error when it failed, without one when there is nothing. */
static bool exists(struct warehouse *warehouse, const char *sql, const char *run, int64_t trace,
                   struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    if (!statement)
        return false;
    if (run)
        sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
    else
        sqlite3_bind_int64(statement, 1, trace);
    int result = sqlite3_step(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        warehouse_error(warehouse, error);
    sqlite3_finalize(statement);
    return result == SQLITE_ROW;
}

static bool collect_run(struct warehouse *warehouse, const char *run, struct doomed *doomed,
                        struct error *error)
{
    if (!exists(warehouse, "SELECT 1 FROM run WHERE name = ?1", run, 0, error))
        return error->status == STATUS_OK &&
               error_set(error, STATUS_USAGE, "%s: there is no run '%s'; see tpq runs",
                         warehouse->path, run);
    return collect(warehouse,
                   "SELECT trace.id, last_event - first_event + 1 FROM trace "
                   "JOIN run ON run.id = trace.run_id WHERE run.name = ?1",
                   run, 0, doomed, error);
}

static bool collect_trace(const struct arguments *arguments, struct warehouse *warehouse,
                          const char *text, struct doomed *doomed, struct error *error)
{
    int64_t trace;
    if (!verb_integer(arguments, "trace number", text, &trace, error))
        return false;
    if (!exists(warehouse, "SELECT 1 FROM trace WHERE id = ?1", NULL, trace, error))
        return error->status == STATUS_OK &&
               error_set(error, STATUS_USAGE, "%s: there is no trace %s; see tpq traces",
                         warehouse->path, text);
    return collect(warehouse, "SELECT id, last_event - first_event + 1 FROM trace WHERE id = ?1",
                   NULL, trace, doomed, error);
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

/* A statement with the name of a run, for each run that was named. */
static bool run_for_each(const struct arguments *arguments, struct warehouse *warehouse,
                         const char *sql, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    bool done = statement != NULL;
    for (size_t i = 0; i < arguments->operands.count && done; i++) {
        sqlite3_bind_text(statement, 1, arguments->operands.items[i], -1, SQLITE_STATIC);
        done = sqlite3_step(statement) == SQLITE_DONE || warehouse_error(warehouse, error);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return done;
}

/* In one transaction, so that nothing comes in between what is found and what is deleted. */
static bool remove_all(const struct arguments *arguments, struct warehouse *warehouse,
                       struct doomed *doomed, struct error *error)
{
    bool done = warehouse_run(warehouse, "BEGIN IMMEDIATE", error) &&
                collect_all(arguments, warehouse, doomed, error);
    for (size_t i = 0; i < doomed->traces.count && done; i++)
        done = warehouse_delete_trace(warehouse, doomed->traces.items[i], error);
    done = done &&
           run_for_each(arguments, warehouse,
                        "DELETE FROM replay_result WHERE run_id = (SELECT id FROM run WHERE name "
                        "= ?1)",
                        error) &&
           run_for_each(arguments, warehouse, "DELETE FROM run WHERE name = ?1", error);
    if (done && warehouse_run(warehouse, "COMMIT", error))
        return true;
    sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* Texts, signatures and argument lists that nothing refers to any more. */
static bool vacuum(struct warehouse *warehouse, struct error *error)
{
    return warehouse_run(
               warehouse,
               "BEGIN IMMEDIATE;"
               "DELETE FROM op WHERE id NOT IN (SELECT op_id FROM event WHERE op_id IS NOT NULL "
               "UNION SELECT op_id FROM hlo_instruction WHERE op_id IS NOT NULL);"
               "DELETE FROM op_attr WHERE op_id NOT IN (SELECT id FROM op);"
               "DELETE FROM args WHERE id NOT IN (SELECT args_id FROM event WHERE args_id IS NOT "
               "NULL);"
               "DELETE FROM string WHERE id NOT IN (SELECT name_id FROM event UNION SELECT name_id "
               "FROM op UNION SELECT dims_id FROM op WHERE dims_id IS NOT NULL UNION SELECT "
               "types_id FROM op WHERE types_id IS NOT NULL UNION SELECT strides_id FROM op WHERE "
               "strides_id IS NOT NULL UNION SELECT concrete_id FROM op WHERE concrete_id IS NOT "
               "NULL UNION SELECT fidelity_id FROM device_op WHERE fidelity_id IS NOT NULL);"
               "COMMIT;",
               error) &&
           warehouse_run(warehouse, "VACUUM", error);
}

static bool run_rm(const struct arguments *arguments, struct error *error)
{
    struct warehouse warehouse;
    struct doomed doomed = {0};
    if (!arguments->operands.count && !arguments_has(arguments, "trace") &&
        !arguments_has(arguments, "vacuum"))
        return verb_operands(arguments, 1, SIZE_MAX, error);
    if (!verb_open(arguments, WAREHOUSE_WRITE, &warehouse, error))
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
