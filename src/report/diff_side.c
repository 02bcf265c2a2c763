/* diff_side: a word names a run, or a trace by its number. A run stands for its only trace, or for
 * the only one of the rank that --rank names; else the error lists the ranks that there are. */
#include "src/report/diff_side.h"

#include "query/select/run_choice.h"
#include "sql/asked.h"
#include "src/command/session.h"

#include <string.h>

bool diff_side_is_file(const char *word)
{
    return warehouse_exists(word) || strchr(word, '/');
}

/* The traces of a run: how many, and how many of the rank that counts; the first of these. */
struct run_traces {
    const char *rank; /* NULL: any */
    int64_t count, of_rank, trace;
    struct text ranks; /* of all */
};

/* Says why no one trace of a run is meant. */
static bool refuse_traces(const char *verb, const char *word, const struct run_traces *traces,
                          struct error *error)
{
    long long count = traces->count;
    const char *ranks = traces->ranks.count ? traces->ranks.items : NULL;
    if (!count)
        return error_set(error, STATUS_USAGE, "tpq %s: '%s' has no traces; a side is one trace",
                         verb, word);
    if (!ranks)
        return error_set(error, STATUS_USAGE,
                         "tpq %s: '%s' has %lld traces, which state no rank, and a side is one: "
                         "name a file, in a warehouse trace:N (tpq traces)",
                         verb, word, count);
    if (!traces->rank)
        return error_set(error, STATUS_USAGE,
                         "tpq %s: '%s' has %lld traces, of ranks %.300s, and a side is one: --rank "
                         "R names it, in a warehouse also trace:N (tpq traces)",
                         verb, word, count, ranks);
    return error_set(error, STATUS_USAGE,
                     traces->of_rank
                         ? "tpq %s: '%s' has several traces of rank %.100s, among %.300s; trace:N "
                           "names one (tpq traces)"
                         : "tpq %s: '%s' has no trace of rank %.100s; its ranks are %.300s",
                     verb, word, traces->rank, ranks);
}

/* The one trace of a run, or of several that of the rank which is asked for. */
static bool only_trace(const struct arguments *arguments, struct warehouse *warehouse,
                       const char *word, const struct run_word *found, int64_t *trace,
                       struct error *error)
{
    struct run_traces traces = {.rank = arguments_value(arguments, "rank")};
    *trace = found->trace;
    if (*trace)
        return true;
    if (found->runs.count > 1)
        return error_set(error, STATUS_USAGE, "tpq %s: '%s' is %zu runs, and a side is one trace",
                         arguments->verb->name, word, found->runs.count);
    struct asked rows;
    int64_t id;
    const char *own;
    ASK(&rows, warehouse->db,
        "SELECT id, CAST(rank AS TEXT) FROM trace WHERE run_id = ?1 ORDER BY rank, id",
        found->runs.items[0]);
    while (ASKED_ROW(&rows, &id, &own)) {
        bool counts = !traces.rank || strcmp(own, traces.rank) == 0;
        if (!traces.count++ || (counts && !traces.of_rank))
            traces.trace = id;
        traces.of_rank += counts;
        text_format(&traces.ranks, "%s%s", traces.ranks.count ? ", " : "", own);
    }
    bool done = asked_done(&rows, warehouse->path, error);
    done = done && (traces.count == 1 || traces.of_rank == 1 ||
                    refuse_traces(arguments->verb->name, word, &traces, error));
    *trace = traces.trace;
    return done;
}

bool diff_side_ingest(const struct arguments *arguments, const char *path,
                      struct ingest_options *options, input_list *inputs, int64_t *trace,
                      struct error *error)
{
    input_list found = {0};
    struct intake read = {0};
    bool done = session_wait_ms(arguments, &options->wait_ms, error) &&
                discover_inputs(&path, 1, &found, error) &&
                session_ingest(&read, options, &found, error);
    for (size_t i = 0; i < found.count && done; i++)
        array_add(inputs, found.items[i]);
    size_t count = read.traces.count;
    *trace = count ? read.traces.items[count - 1] : 0;
    if (done && count && options->into) { /* a file may be traces of several ranks */
        struct run_word run = {0};
        return run_word_find(&run, options->into, options->run, error) &&
               only_trace(arguments, options->into, path, &run, trace, error);
    }
    return done && (count == 1 ||
                    error_set(error, STATUS_USAGE, "tpq %s: %s has %zu traces; a side is one trace",
                              arguments->verb->name, path, count));
}

bool diff_side_find(const struct arguments *arguments, struct warehouse *warehouse,
                    const char *word, int64_t *trace, struct error *error)
{
    struct run_word found = {0};
    struct text number = {0};
    bool done = run_word_find(&found, warehouse, word, error);
    if (!done && error->status == STATUS_USAGE && *word && !word[strspn(word, "0123456789")]) {
        found = (struct run_word){0};
        *error = (struct error){0};
        text_format(&number, "trace:%s", word);
        done = run_word_find(&found, warehouse, number.items, error);
    }
    return done && only_trace(arguments, warehouse, word, &found, trace, error);
}

bool diff_side_check(const struct arguments *arguments, struct warehouse *warehouse,
                     const char *word, int64_t trace, struct error *error)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM trace CROSS JOIN event ON event.id BETWEEN first_event AND "
        "last_event JOIN category ON category.id = category_id WHERE trace.id = ?1 AND role = "
        "'op')";
    int64_t has_ops = 0;
    if (!warehouse_ask(warehouse, sql, trace, &has_ops, error))
        return false;
    return has_ops || error_set(error, STATUS_BAD_INPUT, "tpq %s: %s has no ops to compare",
                                arguments->verb->name, word);
}
