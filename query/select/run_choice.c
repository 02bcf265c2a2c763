/* run_choice: see run_choice.h. */
#include "query/select/run_choice.h"

#include "src/base/hint.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

bool run_choice_is_given(const struct run_choice *choice)
{
    return (choice->names && *choice->names) || (choice->labels && *choice->labels);
}

ORDER_BY(compare_runs, int64_t, BY_LESS(*a, *b));

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
        done = array_add(runs, sqlite3_column_int64(rows, 0)) || error_memory(error);
    }
    sqlite3_finalize(rows);
    return done;
}

/* ------------------------------------------------------------------ what is not there */

typedef ARRAY(char *) word_list;

static void free_words(word_list *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    array_free(words);
}

/* The texts of a query's first column. */
static bool read_words(struct warehouse *warehouse, const char *sql, word_list *words,
                       struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *text = (const char *)sqlite3_column_text(rows, 0);
        char *copy = strdup(text ? text : "");
        done = array_take(words, copy) || error_memory(error);
    }
    sqlite3_finalize(rows);
    return done;
}

/* Adds what a text that means nothing was perhaps meant to be; the query gives what there is. */
static bool add_hint(struct warehouse *warehouse, const char *text, const char *sql,
                     struct text *hint, struct error *error)
{
    word_list words = {0};
    bool done = read_words(warehouse, sql, &words, error);
    done = done &&
           (hint_add(hint, text, (const char *const *)words.items, words.count, "see tpq runs") ||
            error_memory(error));
    free_words(&words);
    return done;
}

static bool unknown_run(struct warehouse *warehouse, const char *name, bool is_pattern,
                        struct error *error)
{
    struct text hint = {0};
    if (add_hint(warehouse, name, "SELECT name FROM run ORDER BY id", &hint, error))
        error_set(error, STATUS_USAGE,
                  is_pattern ? "%s: no run is called like '%s'%s" : "%s: there is no run '%s'%s",
                  warehouse->path, name, hint.items);
    text_free(&hint);
    return false;
}

static bool unknown_label(struct warehouse *warehouse, const char *label, struct error *error)
{
    struct text hint = {0};
    if (add_hint(warehouse, label,
                 "SELECT DISTINCT key || '=' || value FROM run, json_each(labels) ORDER BY 1",
                 &hint, error))
        error_set(error, STATUS_USAGE, "%s: no run has the label '%s'%s", warehouse->path, label,
                  hint.items);
    text_free(&hint);
    return false;
}

/* ------------------------------------------------------------------ choosing */

static bool add_named(struct warehouse *warehouse, const char *name, struct run_list *runs,
                      struct error *error)
{
    size_t before = runs->count;
    bool is_pattern = strpbrk(name, "*?[") != NULL;
    bool done = add_runs(warehouse, "SELECT id FROM run WHERE name = ?1", name, NULL, runs, error);
    if (done && runs->count == before && is_pattern)
        done =
            add_runs(warehouse, "SELECT id FROM run WHERE name GLOB ?1", name, NULL, runs, error);
    return done && (runs->count > before || unknown_run(warehouse, name, is_pattern, error));
}

/* Of the runs those stay that have the label. */
static bool keep_labelled(struct warehouse *warehouse, const char *label, struct run_list *runs,
                          struct error *error)
{
    struct run_list labelled = {0};
    const char *equals = strchr(label, '=');
    char *key = strndup(label, equals ? (size_t)(equals - label) : strlen(label));
    bool done = key || error_memory(error);
    done = done && add_runs(warehouse,
                            "SELECT id FROM run WHERE EXISTS (SELECT 1 FROM json_each(labels) "
                            "WHERE key = ?1 AND (?2 IS NULL OR CAST(value AS TEXT) = ?2))",
                            key, equals ? equals + 1 : NULL, &labelled, error);
    free(key);
    if (done && !labelled.count)
        done = unknown_label(warehouse, label, error);
    settle(&labelled);
    size_t kept = 0;
    for (size_t i = 0; done && i < runs->count; i++)
        if (run_list_has(&labelled, runs->items[i]))
            runs->items[kept++] = runs->items[i];
    runs->count = kept;
    array_free(&labelled);
    return done;
}

bool run_choice_find(struct warehouse *warehouse, const struct run_choice *choice,
                     struct run_list *runs, struct error *error)
{
    *runs = (struct run_list){0};
    bool has_names = choice->names && *choice->names;
    bool done = has_names || add_runs(warehouse, "SELECT id FROM run", NULL, NULL, runs, error);
    for (const char *const *name = choice->names; has_names && done && *name; name++)
        done = add_named(warehouse, *name, runs, error);
    settle(runs);
    for (const char *const *label = choice->labels; done && label && *label; label++)
        done = keep_labelled(warehouse, *label, runs, error);
    if (!done)
        array_free(runs);
    return done;
}
