/* diff_side: see diff_side.h. */
#include "src/report/diff_side.h"

#include "sql/database.h"
#include "src/command/session.h"

#include <string.h>

bool diff_side_is_file(const char *word)
{
    return warehouse_exists(word) || strchr(word, '/');
}

struct taken {
    int64_t trace;
    size_t count;
};

static void take_trace(void *context, const struct ingest_outcome *outcome)
{
    struct taken *taken = context;
    if (outcome->result == INGEST_STORED || outcome->result == INGEST_KNOWN) {
        taken->trace = outcome->trace_id;
        taken->count++;
    }
}

bool diff_side_ingest(const struct arguments *arguments, const char *path,
                      struct ingest_options *options, input_list *inputs, int64_t *trace,
                      struct error *error)
{
    input_list found = {0};
    struct taken taken = {0};
    struct ingest_observer observer = {take_trace, &taken, NULL};
    bool done = session_wait_ms(arguments, &options->wait_ms, error) &&
                discover_inputs(&path, 1, &found, error);
    if (done)
        session_say_passed_over(&found);
    done = done && ingest_run(options, &found, &observer, error);
    for (size_t i = 0; i < found.count && done; i++) {
        done = array_add(inputs, found.items[i]) || error_memory(error);
    }
    if (done)
        found.count = 0; /* they have moved */
    discover_free(&found);
    *trace = taken.trace;
    return done && (taken.count == 1 ||
                    error_set(error, STATUS_USAGE, "tpq %s: %s has %zu traces; a side is one trace",
                              arguments->verb->name, path, taken.count));
}

bool diff_side_find(const struct arguments *arguments, struct warehouse *warehouse,
                    const char *word, int64_t *trace, struct error *error)
{
    static const char sql[] =
        "SELECT count(*), min(trace.id), ?1 = run.name FROM trace JOIN run ON run.id = run_id "
        "WHERE run.name = ?1 OR (trace.id = CAST(?1 AS INTEGER) AND CAST(trace.id AS TEXT) = ?1 "
        "AND NOT EXISTS (SELECT 1 FROM run WHERE name = ?1))";
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, word, -1, SQLITE_STATIC);
    bool done = sqlite3_step(statement) == SQLITE_ROW || warehouse_error(warehouse, error);
    int64_t count = done ? sqlite3_column_int64(statement, 0) : 0;
    *trace = done ? sqlite3_column_int64(statement, 1) : 0;
    sqlite3_finalize(statement);
    if (done && count == 0)
        return error_set(error, STATUS_USAGE,
                         "tpq %s: '%s' is neither a file nor a run or trace of %s",
                         arguments->verb->name, word, session_database(arguments));
    return done && (count == 1 || error_set(error, STATUS_USAGE,
                                            "tpq %s: run '%s' has %lld traces; name one by its "
                                            "number (tpq traces)",
                                            arguments->verb->name, word, (long long)count));
}

bool diff_side_check(const struct arguments *arguments, struct warehouse *warehouse,
                     const char *word, int64_t trace, struct error *error)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM trace CROSS JOIN event ON event.id BETWEEN first_event AND "
        "last_event JOIN category ON category.id = category_id WHERE trace.id = ?1 AND role = "
        "'op')";
    int64_t has_ops = 0;
    if (database_ask(warehouse->db, sql, trace, &has_ops) != SQLITE_OK)
        return warehouse_error(warehouse, error);
    return has_ops || error_set(error, STATUS_BAD_INPUT, "tpq %s: %s has no ops to compare",
                                arguments->verb->name, word);
}
