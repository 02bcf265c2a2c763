/* run_word: see run_word.h. */
#include "query/select/run_word.h"

#include "query/select/near.h"
#include "query/select/pin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char last[] = "@last", trace[] = "trace:";

struct finding {
    struct run_word *self;
    struct warehouse *warehouse;
    const char *word;
    struct error *error;
};

bool run_word_is_reference(const char *word)
{
    return word[0] == '@' || text_starts_with(word, trace);
}

void run_word_free(struct run_word *self)
{
    array_free(&self->runs);
}

/* Adds the runs that a question with up to two parameters gives. */
static bool ask_runs(const struct finding *finding, const char *sql, const char *first,
                     const char *second)
{
    sqlite3_stmt *rows = warehouse_prepare(finding->warehouse, sql, finding->error);
    bool done = rows != NULL;
    sqlite3_bind_text(rows, 1, first, -1, SQLITE_STATIC);
    if (second)
        sqlite3_bind_text(rows, 2, second, -1, SQLITE_STATIC);
    while (warehouse_next(finding->warehouse, rows, &done, finding->error)) {
        array_add(&finding->self->runs, sqlite3_column_int64(rows, 0));
    }
    database_finalize(rows);
    return done;
}

/* The number behind a prefix; false when there is none. */
static bool read_number(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return *text && !*end && errno == 0 && *number >= 0;
}

/* ------------------------------------------------------------------ references */

static bool find_last(const struct finding *finding)
{
    int64_t before = 0;
    const char *rest = finding->word + strlen(last);
    if (*rest && (*rest != '~' || !read_number(rest + 1, &before)))
        return error_set(finding->error, STATUS_USAGE,
                         "'%.200s': the newest run is @last, the one before it @last~1",
                         finding->word);
    return ask_runs(finding,
                    "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET CAST(?1 AS INTEGER)",
                    *rest ? rest + 1 : "0", NULL) &&
           (finding->self->runs.count ||
            error_set(finding->error, STATUS_USAGE,
                      "%s: there are not so many runs as '%.200s' needs", finding->warehouse->path,
                      finding->word));
}

static bool find_pin(const struct finding *finding)
{
    int64_t run;
    if (!pin_find(finding->warehouse, finding->word, &run, finding->error))
        return false;
    array_add(&finding->self->runs, run);
    return true;
}

static bool find_trace(const struct finding *finding)
{
    const char *number = finding->word + strlen(trace);
    if (!read_number(number, &finding->self->trace))
        return error_set(finding->error, STATUS_USAGE,
                         "'%.200s': trace: needs the number of a trace", finding->word);
    return ask_runs(finding, "SELECT run_id FROM trace WHERE id = CAST(?1 AS INTEGER)", number,
                    NULL) &&
           (finding->self->runs.count ||
            error_set(finding->error, STATUS_USAGE, "%s: there is no trace %.200s; see tpq traces",
                      finding->warehouse->path, number));
}

/* ------------------------------------------------------------------ names */

/* By when their traces were collected; those that do not say stand last, as they came in. */
#define IN_TIME "ORDER BY min(wall_start_ns) IS NULL, min(wall_start_ns), run.id"

/* The runs that a pattern means, in the order of time. */
static bool find_pattern(const struct finding *finding)
{
    bool done = ask_runs(finding,
                         "SELECT run.id FROM run LEFT JOIN trace ON trace.run_id = run.id "
                         "WHERE run.name GLOB ?1 GROUP BY run.id " IN_TIME,
                         finding->word, NULL);
    finding->self->is_pattern = finding->self->runs.count > 0;
    return done;
}

static bool find_label(const struct finding *finding)
{
    const char *sign = strchr(finding->word, '=');
    char *key = memory_part(finding->word, (size_t)(sign - finding->word));
    bool done = ask_runs(finding,
                         "SELECT run.id FROM run JOIN json_each(run.labels) AS label "
                         "LEFT JOIN trace ON trace.run_id = run.id "
                         "WHERE label.key = ?1 AND CAST(label.value AS TEXT) = ?2 "
                         "GROUP BY run.id " IN_TIME,
                         key, sign + 1);
    memory_free(key);
    return done;
}

static bool unknown(const struct finding *finding)
{
    struct text hint = {0};
    const char *word = finding->word;
    bool is_pattern = strpbrk(word, "*?[") != NULL, is_label = strchr(word, '=') != NULL;
    if (near_add(finding->warehouse, word,
                 is_label ? "SELECT DISTINCT key || '=' || value FROM run, json_each(labels) ORDER "
                            "BY 1"
                          : "SELECT name FROM run ORDER BY id",
                 "see tpq runs", &hint, finding->error))
        error_set(finding->error, STATUS_USAGE,
                  is_label     ? "%s: no run has the label '%.200s'%.300s"
                  : is_pattern ? "%s: no run is called like '%.200s'%.300s"
                               : "%s: there is no run '%.200s'%.300s",
                  finding->warehouse->path, word, hint.items);
    text_free(&hint);
    return false;
}

bool run_word_find(struct run_word *self, struct warehouse *warehouse, const char *word,
                   struct error *error)
{
    const struct finding finding = {self, warehouse, word, error};
    *self = (struct run_word){0};
    if (!ask_runs(&finding, "SELECT id FROM run WHERE name = ?1", word, NULL) || self->runs.count)
        return self->runs.count;
    if (text_starts_with(word, PIN_PREFIX))
        return find_pin(&finding);
    if (text_starts_with(word, last))
        return find_last(&finding);
    if (text_starts_with(word, trace))
        return find_trace(&finding);
    if (word[0] == '@')
        return error_set(error, STATUS_USAGE, "'%.200s' is neither @last nor @pin:NAME", word);
    bool done = !strpbrk(word, "*?[") || find_pattern(&finding);
    if (done && !self->runs.count && strchr(word, '='))
        done = find_label(&finding);
    return done && (self->runs.count || unknown(&finding));
}
