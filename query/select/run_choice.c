/* run_choice: a pattern is asked only where no run has the word as its name, a label only where no
 * pattern means one. Runs of several names are sorted and each kept once; then each label takes
 * away those without it. A pin holds a digest of the run's traces, by which a changed run is known.
 */
#include "query/select/run_choice.h"

#include "sql/asked.h"
#include "src/base/hash.h"
#include "src/base/hint.h"
#include "src/base/name_list.h"
#include "src/base/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds what the word was perhaps meant to be, else the first of what there is, as the query gives
 * it. */
static bool near_add(struct warehouse *warehouse, const char *word, const char *sql,
                     const char *otherwise, struct text *hint, struct error *error)
{
    enum { NAMED = 4 };
    name_list names = {0};
    struct asked asked;
    const char *name;
    asked_open(&asked, warehouse->db, sql);
    while (ASKED_ROW(&asked, &name))
        name_list_add(&names, memory_text(name));
    bool done = asked_done(&asked, warehouse->path, error);
    struct text list = {0};
    for (size_t i = 0; i < names.count && i < NAMED; i++)
        text_format(&list, "%s%.60s", i ? ", " : "there are ", names.items[i]);
    if (names.count > NAMED)
        text_format(&list, " and %zu more; %s", names.count - NAMED, otherwise);
    if (done)
        hint_add(hint, word, (const char *const *)names.items, names.count,
                 list.count ? list.items : otherwise);
    text_free(&list);
    name_list_free(&names);
    return done;
}

/* ------------------------------------------------------------------ pins */

/* A digest of the traces of a run, by their content and ranks. */
static bool digest_of(struct warehouse *warehouse, int64_t run, char digest[17],
                      struct error *error)
{
    struct text all = {0};
    struct asked asked;
    const char *hash, *rank;
    ASK(&asked, warehouse->db,
        "SELECT content_hash, coalesce(rank, '') FROM trace WHERE run_id = ?1 ORDER BY 1, 2", run);
    while (ASKED_ROW(&asked, &hash, &rank))
        text_format(&all, "%s %s\n", hash, rank);
    bool done = asked_done(&asked, warehouse->path, error);
    sqlite3_snprintf(17, digest, "%016llx", (unsigned long long)hash64(all.items, all.count, 0));
    text_free(&all);
    return done;
}

static bool find_run(struct warehouse *warehouse, const char *name, int64_t *run,
                     struct error *error)
{
    *run = 0;
    return warehouse_ask_about(warehouse, "SELECT id FROM run WHERE name = ?1", name, run, error);
}

/* A pin as it stands in the warehouse. */
struct pin {
    char *run, *digest; /* NULL: there is no such pin; empty: it was kept without */
};

static bool read_pin(struct warehouse *warehouse, const char *name, struct pin *pin,
                     struct error *error)
{
    struct asked asked;
    const char *run, *digest;
    ASK(&asked, warehouse->db,
        "SELECT value, (SELECT value FROM setting WHERE name = 'pinned:' || ?1) "
        "FROM setting WHERE name = 'pin:' || ?1",
        name);
    if (ASKED_ROW(&asked, &run, &digest))
        *pin = (struct pin){memory_text(run), memory_text(digest)};
    return asked_done(&asked, warehouse->path, error);
}

static bool unknown_pin(struct warehouse *warehouse, const char *name, struct error *error)
{
    struct text hint = {0};
    bool done = near_add(warehouse, name,
                         "SELECT substr(setting.name, length('pin:') + 1) FROM setting "
                         "JOIN run ON run.name = setting.value "
                         "WHERE setting.name GLOB 'pin:*' ORDER BY setting.name",
                         NULL, &hint, error);
    if (done && hint.count)
        error_set(error, STATUS_USAGE, "%s: no run is kept as '%.200s'%.300s", warehouse->path,
                  name, hint.items);
    else if (done)
        error_set(error, STATUS_USAGE,
                  "%s: no run is kept as '%.200s'; tpq gate --pin %.200s RUN does that",
                  warehouse->path, name, name);
    text_free(&hint);
    return false;
}

/* Checks that the run is still there, and has the same traces. */
static bool check_pin(struct warehouse *warehouse, const char *name, const struct pin *pin,
                      int64_t *run, struct error *error)
{
    char digest[17];
    if (!find_run(warehouse, pin->run, run, error))
        return false;
    if (!*run)
        return error_set(error, STATUS_USAGE,
                         "%s: @pin:%.200s was run '%.200s', which is not there any more; tpq gate "
                         "--pin %.200s RUN keeps another one",
                         warehouse->path, name, pin->run, name);
    return digest_of(warehouse, *run, digest, error) &&
           (!*pin->digest || strcmp(pin->digest, digest) == 0 ||
            error_set(error, STATUS_USAGE,
                      "%s: run '%.200s' has other traces than when it was kept as @pin:%.200s; tpq "
                      "gate --pin %.200s %.200s keeps it as it is now",
                      warehouse->path, pin->run, name, name, pin->run));
}

bool pin_keep(struct warehouse *warehouse, const char *name, const char *run, struct error *error)
{
    char digest[17];
    int64_t id;
    if (!find_run(warehouse, run, &id, error) || !digest_of(warehouse, id, digest, error))
        return false;
    struct asked asked;
    ASK(&asked, warehouse->db,
        "INSERT OR REPLACE INTO setting (name, value) VALUES ('pin:' || ?1, ?2), "
        "('pinned:' || ?1, ?3)",
        name, run, digest);
    asked_next(&asked);
    return asked_done(&asked, warehouse->path, error);
}

/* ------------------------------------------------------------------ words */

static const char last[] = "@last", numbered[] = "trace:", pinned[] = "@pin:";

struct finding {
    struct run_word *self;
    struct warehouse *warehouse;
    const char *word;
    struct error *error;
};

bool run_word_is_reference(const char *word)
{
    return word[0] == '@' || text_starts_with(word, numbered);
}

/* Adds the runs that a question with up to two parameters gives. */
static bool ask_runs(const struct finding *finding, const char *sql, const char *first,
                     const char *second)
{
    struct asked asked;
    int64_t run;
    ASK(&asked, finding->warehouse->db, sql, first, second);
    while (ASKED_ROW(&asked, &run))
        array_add(&finding->self->runs, run);
    return asked_done(&asked, finding->warehouse->path, finding->error);
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

/* ------------------------------------------------------------------ names */

/* By when their traces were collected; runs without a time stand last, as they came in. */
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

static bool unknown(const struct finding *finding)
{
    struct text hint = {0};
    const char *word = finding->word;
    bool is_pattern = strpbrk(word, "*?[") != NULL, is_label = strchr(word, '=') != NULL;
    if (near_add(finding->warehouse, word,
                 is_label ? "SELECT DISTINCT key || '=' || value FROM run_label ORDER BY 1"
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
    if (text_starts_with(word, pinned)) {
        /* A pin whose run is gone, or not as it was, is wrong usage. */
        const char *name = finding.word + strlen(pinned);
        struct pin pin = {0};
        int64_t run = 0;
        bool done = read_pin(finding.warehouse, name, &pin, finding.error);
        done = done && (pin.run ? check_pin(finding.warehouse, name, &pin, &run, finding.error)
                                : unknown_pin(finding.warehouse, name, finding.error));
        memory_free(pin.run);
        memory_free(pin.digest);
        if (done)
            array_add(&finding.self->runs, run);
        return done;
    }
    if (text_starts_with(word, last))
        return find_last(&finding);
    if (text_starts_with(word, numbered)) {
        const char *number = finding.word + strlen(numbered);
        if (!read_number(number, &finding.self->trace))
            return error_set(finding.error, STATUS_USAGE,
                             "'%.200s': trace: needs the number of a trace", finding.word);
        return ask_runs(&finding, "SELECT run_id FROM trace WHERE id = CAST(?1 AS INTEGER)", number,
                        NULL) &&
               (finding.self->runs.count ||
                error_set(finding.error, STATUS_USAGE,
                          "%s: there is no trace %.200s; see tpq traces", finding.warehouse->path,
                          number));
    }
    if (word[0] == '@')
        return error_set(error, STATUS_USAGE, "'%.200s' is neither @last nor @pin:NAME", word);
    bool done = !strpbrk(word, "*?[") || find_pattern(&finding);
    if (done && !self->runs.count && strchr(word, '=')) {
        const char *sign = strchr(finding.word, '=');
        char *key = memory_part(finding.word, (size_t)(sign - finding.word));
        done = ask_runs(&finding,
                        "SELECT run.id FROM run LEFT JOIN trace ON trace.run_id = run.id WHERE "
                        "run.id IN (SELECT run_id FROM run_label WHERE key = ?1 AND value = ?2) "
                        "GROUP BY run.id " IN_TIME,
                        key, sign + 1);
        memory_free(key);
    }
    return done && (self->runs.count || unknown(&finding));
}

bool run_choice_is_given(const struct run_choice *choice)
{
    return (choice->names && *choice->names) || (choice->labels && *choice->labels);
}

ORDER_BY(compare_runs, int64_t, BY_LESS(*a, *b));

bool run_list_has_trace(const struct run_list *runs, int64_t run, int64_t trace)
{
    bool has = run_list_has(runs, run);
    for (size_t i = 0; i < runs->traces.count && !has; i++)
        has = runs->traces.items[i].id == trace;
    return has;
}

bool run_list_has(const struct run_list *runs, int64_t run)
{
    return runs->count &&
           bsearch(&run, runs->items, runs->count, sizeof *runs->items, compare_runs) != NULL;
}

static void settle(struct run_list *runs)
{
    size_t kept = 0;
    array_sort(runs, compare_runs);
    for (size_t i = 0; i < runs->count; i++)
        if (!kept || runs->items[kept - 1] != runs->items[i])
            runs->items[kept++] = runs->items[i];
    runs->count = kept;
}

/* Adds the runs that a query gives for one or two texts. */
static bool add_runs(struct warehouse *warehouse, const char *sql, const char *first,
                     const char *second, struct run_list *runs, struct error *error)
{
    struct asked asked;
    int64_t run;
    ASK(&asked, warehouse->db, sql, first, second);
    while (ASKED_ROW(&asked, &run))
        array_add(runs, run);
    return asked_done(&asked, warehouse->path, error);
}

/* ------------------------------------------------------------------ choosing */

static bool add_named(struct warehouse *warehouse, const struct run_choice *choice,
                      const char *name, struct run_list *runs, struct error *error)
{
    struct run_word word;
    bool done = run_word_find(&word, warehouse, name, error);
    if (done && word.trace && choice->whole)
        done = error_set(error, STATUS_USAGE, "'%.200s' is a trace, and a run is meant", name);
    for (size_t i = 0; i < word.runs.count && done && !word.trace; i++)
        array_add(runs, word.runs.items[i]);
    if (done && word.trace)
        array_add(&runs->traces,
                  (struct single_trace){.id = word.trace, .run = word.runs.items[0]});
    return done;
}

/* Runs that have the label stay. */
static bool keep_labelled(struct warehouse *warehouse, const char *label, struct run_list *runs,
                          struct error *error)
{
    struct run_list labelled = {0};
    const char *equals = strchr(label, '=');
    char *key = memory_part(label, equals ? (size_t)(equals - label) : strlen(label));
    bool done = add_runs(warehouse,
                         "SELECT run_id FROM run_label WHERE key = ?1 AND (?2 IS NULL OR value = "
                         "?2)",
                         key, equals ? equals + 1 : NULL, &labelled, error);
    memory_free(key);
    if (done && !labelled.count) {
        struct text hint = {0};
        if (near_add(warehouse, label,
                     "SELECT DISTINCT key || '=' || value FROM run_label ORDER BY 1",
                     "see tpq runs", &hint, error))
            error_set(error, STATUS_USAGE, "%s: no run has the label '%s'%s", warehouse->path,
                      label, hint.items);
        text_free(&hint);
        done = false;
    }
    settle(&labelled);
    size_t kept = 0;
    for (size_t i = 0; done && i < runs->count; i++)
        if (run_list_has(&labelled, runs->items[i]))
            runs->items[kept++] = runs->items[i];
    runs->count = kept;
    kept = 0;
    for (size_t i = 0; done && i < runs->traces.count; i++)
        if (run_list_has(&labelled, runs->traces.items[i].run))
            runs->traces.items[kept++] = runs->traces.items[i];
    runs->traces.count = kept;
    return done;
}

bool run_choice_find(struct warehouse *warehouse, const struct run_choice *choice,
                     struct run_list *runs, struct error *error)
{
    *runs = (struct run_list){0};
    bool has_names = choice->names && *choice->names;
    bool done = has_names || add_runs(warehouse, "SELECT id FROM run", NULL, NULL, runs, error);
    for (const char *const *name = choice->names; has_names && done && *name; name++)
        done = add_named(warehouse, choice, *name, runs, error);
    settle(runs);
    for (const char *const *label = choice->labels; done && label && *label; label++)
        done = keep_labelled(warehouse, *label, runs, error);
    return done;
}
