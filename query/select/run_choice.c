/* run_choice: see run_choice.h. */
#include "query/select/run_choice.h"

#include "query/select/near.h"
#include "query/select/run_word.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

bool run_choice_is_given(const struct run_choice *choice)
{
    return (choice->names && *choice->names) || (choice->labels && *choice->labels);
}

ORDER_BY(compare_runs, int64_t, BY_LESS(*a, *b));

void run_list_free(struct run_list *runs)
{
    array_free(&runs->traces);
    array_free(runs);
}

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
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    sqlite3_bind_text(rows, 1, first, -1, SQLITE_STATIC);
    sqlite3_bind_text(rows, 2, second, -1, SQLITE_STATIC);
    while (warehouse_next(warehouse, rows, &done, error)) {
        array_add(runs, sqlite3_column_int64(rows, 0));
    }
    database_finalize(rows);
    return done;
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
    run_word_free(&word);
    return done;
}

static bool unknown_label(struct warehouse *warehouse, const char *label, struct error *error)
{
    struct text hint = {0};
    if (near_add(warehouse, label,
                 "SELECT DISTINCT key || '=' || value FROM run, json_each(labels) ORDER BY 1",
                 "see tpq runs", &hint, error))
        error_set(error, STATUS_USAGE, "%s: no run has the label '%s'%s", warehouse->path, label,
                  hint.items);
    text_free(&hint);
    return false;
}

/* Runs that have the label stay. */
static bool keep_labelled(struct warehouse *warehouse, const char *label, struct run_list *runs,
                          struct error *error)
{
    struct run_list labelled = {0};
    const char *equals = strchr(label, '=');
    char *key = memory_part(label, equals ? (size_t)(equals - label) : strlen(label));
    bool done = add_runs(warehouse,
                         "SELECT id FROM run WHERE EXISTS (SELECT 1 FROM json_each(labels) "
                         "WHERE key = ?1 AND (?2 IS NULL OR CAST(value AS TEXT) = ?2))",
                         key, equals ? equals + 1 : NULL, &labelled, error);
    memory_free(key);
    if (done && !labelled.count)
        done = unknown_label(warehouse, label, error);
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
    run_list_free(&labelled);
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
    if (!done)
        run_list_free(runs);
    return done;
}
