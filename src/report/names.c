/* names: see names.h. */
#include "src/report/names.h"

#include "query/ask/description.h"
#include "sql/catalog.h"
#include "src/base/hint.h"
#include "src/command/recipes.h"
#include "src/command/session.h"

#include <ctype.h>

static void print_name(FILE *out, const char *name)
{
    for (const char *at = name; *at; at++)
        if (iscntrl((unsigned char)*at))
            return;
    fprintf(out, "%s\n", name);
}

/* The first column of a query about the warehouse, or about what every warehouse has. Nobody waits
 * for a completion. */
static bool print_stored(const char *sql, bool is_built_in, FILE *out, struct error *error)
{
    struct arguments none = {0};
    struct warehouse warehouse;
    const char *path = is_built_in ? "memory" : session_database(&none);
    if (!is_built_in && !warehouse_exists(path))
        return true;
    if (!warehouse_open(&warehouse, path, is_built_in ? WAREHOUSE_MEMORY : WAREHOUSE_READ, 0,
                        error))
        return false;
    sqlite3_stmt *rows = warehouse_prepare(&warehouse, sql, error);
    bool done = rows != NULL;
    while (warehouse_next(&warehouse, rows, &done, error)) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        if (name)
            print_name(out, name);
    }
    sqlite3_finalize(rows);
    warehouse_close(&warehouse);
    return done;
}

/* Each report; or with `key` the values of that declaration, each once. */
static void print_declared(const doc_list *docs, const char *key, FILE *out)
{
    for (size_t i = 0; i < docs->count; i++) {
        if (!catalog_is_report(&docs->items[i]))
            continue;
        const char *value = key ? docs_declared(&docs->items[i], key) : docs->items[i].name;
        for (size_t j = 0; key && j < i && value; j++) {
            const char *other =
                catalog_is_report(&docs->items[j]) ? docs_declared(&docs->items[j], key) : NULL;
            value = other && strcmp(other, value) == 0 ? NULL : value;
        }
        if (value)
            print_name(out, value);
    }
}

static const struct {
    const char *name;
    enum { REPORTS, DESCRIBED, STORED, BUILT_IN, RECIPES } from;
    const char *what; /* of reports a declaration, NULL: their names; of a warehouse the SQL */
} kinds[] = {
    {"reports", REPORTS, NULL},
    {"sets", REPORTS, "set"},
    {"levels", REPORTS, "level"},
    {"runs", STORED, "SELECT name FROM run ORDER BY id"},
    {"labels", STORED,
     "SELECT DISTINCT key || '=' || value FROM run, json_each(labels) WHERE json_valid(labels) "
     "ORDER BY 1"},
    {"accelerators", BUILT_IN,
     "SELECT DISTINCT device FROM device_model WHERE kind <> 'core' ORDER BY device"},
    {"checks", BUILT_IN,
     "SELECT format('    %-21s %s', \"check\", title) FROM health_check ORDER BY position"},
    {"described", DESCRIBED, NULL},
    {"recipes", RECIPES, NULL},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static bool print_kind(size_t i, FILE *out, struct error *error)
{
    doc_list docs = {0};
    if (kinds[i].from == RECIPES)
        recipes_names(out);
    if (kinds[i].from == STORED || kinds[i].from == BUILT_IN)
        return print_stored(kinds[i].what, kinds[i].from == BUILT_IN, out, error);
    bool done = kinds[i].from == RECIPES || docs_read(sql_files, sql_file_count, &docs);
    if (done && kinds[i].from == REPORTS)
        print_declared(&docs, kinds[i].what, out);
    else if (done && kinds[i].from == DESCRIBED)
        done = description_names(&docs, out);
    docs_free(&docs);
    return done || error_memory(error);
}

bool names_print(const char *kind, FILE *out, struct error *error)
{
    const char *names[KIND_COUNT];
    struct text hint = {0};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, kind) == 0)
            return print_kind(i, out, error);
        names[i] = kinds[i].name;
    }
    bool done = hint_add(&hint, kind, names, KIND_COUNT,
                         "there are reports, sets, runs, labels, "
                         "accelerators, checks, described and recipes");
    done = done ? error_set(error, STATUS_USAGE, "there are no names of the kind '%s'%s", kind,
                            hint.items)
                : error_memory(error);
    text_free(&hint);
    return done;
}
