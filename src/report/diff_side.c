/* diff_side: see diff_side.h. */
#include "src/report/diff_side.h"

#include "query/select/run_word.h"
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

/* The one trace of a run; the number of a trace does for trace:N. */
static bool only_trace(const struct arguments *arguments, struct warehouse *warehouse,
                       const char *word, const struct run_word *found, int64_t *trace,
                       struct error *error)
{
    int64_t count = 0;
    if (found->runs.count > 1)
        return error_set(error, STATUS_USAGE, "tpq %s: '%s' is %zu runs, and a side is one trace",
                         arguments->verb->name, word, found->runs.count);
    *trace = found->trace;
    if (*trace)
        return true;
    if (database_ask(warehouse->db, "SELECT count(*) FROM trace WHERE run_id = ?1",
                     found->runs.items[0], &count) != SQLITE_OK ||
        database_ask(warehouse->db, "SELECT min(id) FROM trace WHERE run_id = ?1",
                     found->runs.items[0], trace) != SQLITE_OK)
        return warehouse_error(warehouse, error);
    return count == 1 || error_set(error, STATUS_USAGE,
                                   "tpq %s: run '%s' has %lld traces; name one by its number (tpq "
                                   "traces)",
                                   arguments->verb->name, word, (long long)count);
}

bool diff_side_find(const struct arguments *arguments, struct warehouse *warehouse,
                    const char *word, int64_t *trace, struct error *error)
{
    struct run_word found = {0};
    struct text number = {0};
    bool done = run_word_find(&found, warehouse, word, error);
    if (!done && error->status == STATUS_USAGE && *word && !word[strspn(word, "0123456789")]) {
        run_word_free(&found);
        *error = (struct error){0};
        done = (text_format(&number, "trace:%s", word) || error_memory(error)) &&
               run_word_find(&found, warehouse, number.items, error);
        text_free(&number);
    }
    done = done && only_trace(arguments, warehouse, word, &found, trace, error);
    run_word_free(&found);
    return done;
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
