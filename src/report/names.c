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

/* The first column of a query about a warehouse. */
static bool print_rows(struct warehouse *warehouse, const char *sql, FILE *out, struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    int result = SQLITE_DONE;
    while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        if (name)
            print_name(out, name);
    }
    bool done = rows && (result == SQLITE_DONE || warehouse_error(warehouse, error));
    sqlite3_finalize(rows);
    return done;
}

/* Nobody waits for a completion. */
static bool print_stored(const char *sql, FILE *out, struct error *error)
{
    struct arguments none = {0};
    struct warehouse warehouse;
    const char *path = session_database(&none);
    if (!warehouse_exists(path))
        return true;
    if (!warehouse_open(&warehouse, path, WAREHOUSE_READ, 0, error))
        return false;
    bool done = print_rows(&warehouse, sql, out, error);
    warehouse_close(&warehouse);
    return done;
}

static bool print_runs(FILE *out, struct error *error)
{
    return print_stored("SELECT name FROM run ORDER BY id", out, error);
}

static bool print_labels(FILE *out, struct error *error)
{
    return print_stored("SELECT DISTINCT key || '=' || value FROM run, json_each(labels) "
                        "WHERE json_valid(labels) ORDER BY 1",
                        out, error);
}

static bool print_accelerators(FILE *out, struct error *error)
{
    struct warehouse warehouse;
    if (!warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, error))
        return false;
    bool done = print_rows(
        &warehouse, "SELECT DISTINCT device FROM device_model WHERE kind <> 'core' ORDER BY device",
        out, error);
    warehouse_close(&warehouse);
    return done;
}

/* What the SQL files have: reports, their sets, or everything that can be described. */
static bool print_docs(bool (*print)(const doc_list *docs, FILE *out), FILE *out,
                       struct error *error)
{
    doc_list docs = {0};
    bool done = docs_read(sql_files, sql_file_count, &docs) && print(&docs, out);
    docs_free(&docs);
    return done || error_memory(error);
}

static bool each_report(const doc_list *docs, FILE *out)
{
    for (size_t i = 0; i < docs->count; i++)
        if (catalog_is_report(&docs->items[i]))
            print_name(out, docs->items[i].name);
    return true;
}

/* The values of a declaration, each once. */
static bool each_declared(const doc_list *docs, const char *key, FILE *out)
{
    for (size_t i = 0; i < docs->count; i++) {
        const char *value =
            catalog_is_report(&docs->items[i]) ? docs_declared(&docs->items[i], key) : NULL;
        for (size_t j = 0; j < i && value; j++) {
            const char *other =
                catalog_is_report(&docs->items[j]) ? docs_declared(&docs->items[j], key) : NULL;
            value = other && strcmp(other, value) == 0 ? NULL : value;
        }
        if (value)
            print_name(out, value);
    }
    return true;
}

static bool each_set(const doc_list *docs, FILE *out)
{
    return each_declared(docs, "set", out);
}

static bool each_level(const doc_list *docs, FILE *out)
{
    return each_declared(docs, "level", out);
}

static bool print_reports(FILE *out, struct error *error)
{
    return print_docs(each_report, out, error);
}

static bool print_sets(FILE *out, struct error *error)
{
    return print_docs(each_set, out, error);
}

static bool print_levels(FILE *out, struct error *error)
{
    return print_docs(each_level, out, error);
}

static bool print_described(FILE *out, struct error *error)
{
    return print_docs(description_names, out, error);
}

static bool print_recipes(FILE *out, struct error *error)
{
    (void)error;
    recipes_names(out);
    return true;
}

static const struct {
    const char *name;
    bool (*print)(FILE *out, struct error *error);
} kinds[] = {
    {"reports", print_reports},     {"sets", print_sets},
    {"levels", print_levels},       {"runs", print_runs},
    {"labels", print_labels},       {"accelerators", print_accelerators},
    {"described", print_described}, {"recipes", print_recipes},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

bool names_print(const char *kind, FILE *out, struct error *error)
{
    const char *names[KIND_COUNT];
    struct text hint = {0};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, kind) == 0)
            return kinds[i].print(out, error);
        names[i] = kinds[i].name;
    }
    bool done = hint_add(&hint, kind, names, KIND_COUNT,
                         "there are reports, sets, runs, labels, "
                         "accelerators, described and recipes");
    done = done ? error_set(error, STATUS_USAGE, "there are no names of the kind '%s'%s", kind,
                            hint.items)
                : error_memory(error);
    text_free(&hint);
    return done;
}
