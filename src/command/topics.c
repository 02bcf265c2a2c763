/* topics: Guides are built into the program as texts; recipes are the .sql files of one folder,
 * whose comments are printed as they are. One table says where each kind of name comes from:
 * reports, the warehouse, or a warehouse in memory. Names with control characters are left out, and
 * a missing warehouse has no names. */
#include "src/command/topics.h"

#include "query/ask/description.h"
#include "sql/asked.h"
#include "sql/build/embed.h"
#include "sql/warehouse/catalog.h"
#include "src/base/hint.h"
#include "src/command/session.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

extern const char guide_python[], guide_ci[], guide_cluster[], guide_fleet[], guide_serving[],
    guide_trust[], guide_words[], guide_extensions[];

const char *guide_text(const char *name)
{
    const struct {
        const char *name, *text;
    } guides[] = {{"python", guide_python},   {"ci", guide_ci},
                  {"cluster", guide_cluster}, {"fleet", guide_fleet},
                  {"serving", guide_serving}, {"trust", guide_trust},
                  {"words", guide_words},     {"extensions", guide_extensions}};
    for (size_t i = 0; i < sizeof guides / sizeof *guides; i++)
        if (strcmp(guides[i].name, name) == 0)
            return guides[i].text;
    return NULL;
}

/* ------------------------------------------------------------------ recipes */

static const char folder[] = "recipes/";

static bool is_recipe(const struct sql_file *file)
{
    return text_starts_with(file->path, folder);
}

/* The name of the file without its folder and ending. */
static struct view recipe_name(const struct sql_file *file)
{
    const char *name = file->path + strlen(folder);
    return (struct view){name, strlen(name) - strlen(".sql")};
}

static bool unknown_recipe(const char *name, struct error *error)
{
    enum { NAMES_MAX = 100, LENGTH_MAX = 64 };
    char kept[NAMES_MAX][LENGTH_MAX];
    const char *names[NAMES_MAX];
    struct text hint = {0};
    size_t count = 0;
    for (int i = 0; i < sql_file_count && count < NAMES_MAX; i++) {
        if (!is_recipe(&sql_files[i]))
            continue;
        struct view own = recipe_name(&sql_files[i]);
        snprintf(kept[count], LENGTH_MAX, "%.*s", (int)own.length, own.bytes);
        names[count] = kept[count];
        count++;
    }
    hint_add(&hint, name, names, count, "see tpq help recipes");
    error_set(error, STATUS_USAGE, "there is no recipe '%s'%s", name, hint.items);
    return false;
}

const char *recipe_sql(const char *name, struct error *error)
{
    for (int i = 0; i < sql_file_count; i++)
        if (is_recipe(&sql_files[i]) && view_equal(recipe_name(&sql_files[i]), view_of(name)))
            return sql_files[i].text;
    unknown_recipe(name, error);
    return NULL;
}

bool recipe_takes_run(const char *sql, struct view parameter)
{
    bool takes = false;
    while (text_starts_with(sql, "--") && !takes) {
        struct view line = {sql, strcspn(sql, "\n")};
        const char *runs = memmem(line.bytes, line.length, " are runs ", strlen(" are runs "));
        if (!runs)
            runs = memmem(line.bytes, line.length, " is a run ", strlen(" is a run "));
        for (const char *at = sql; runs && at < runs && !takes; at++)
            takes = *at == ':' && strncmp(at + 1, parameter.bytes, parameter.length) == 0 &&
                    at[1 + parameter.length] == ' ';
        sql += line.length + (sql[line.length] == '\n');
    }
    return takes;
}

bool recipe_next(int *place, struct recipe *recipe)
{
    while (*place < sql_file_count && !is_recipe(&sql_files[*place]))
        (*place)++;
    if (*place >= sql_file_count)
        return false;
    *recipe = (struct recipe){recipe_name(&sql_files[*place]), sql_files[*place].text};
    return true;
}

void recipes_print(FILE *out)
{
    fputs("Questions of every day. `tpq sql --recipe NAME` asks one, with --param NAME=VALUE for "
          "what\n"
          "stands behind a colon; options that select (--run, --step, ...) narrow most of them.\n"
          "`tpq help recipes NAME` prints its SQL alone, to start from. Those marked \"Runs in any "
          "SQLite\"\n"
          "show all runs, and need no extension.\n",
          out);
    struct recipe recipe;
    for (int i = 0; recipe_next(&i, &recipe); i++) {
        fprintf(out, "\n%.*s\n", (int)recipe.name.length, recipe.name.bytes);

        /* The lines of the comment without their dashes, those of the statement further in. */
        const char *text = recipe.sql;
        while (*text) {
            int length = (int)strcspn(text, "\n");
            bool is_comment = strncmp(text, "-- ", 3) == 0;
            fprintf(out, is_comment ? "    %.*s\n" : "        %.*s\n",
                    is_comment ? length - 3 : length, is_comment ? text + 3 : text);
            text += length;
            text += *text == '\n';
        }
    }
}

/* ------------------------------------------------------------------ names */

static void print_one_name(FILE *out, const char *name)
{
    for (const char *at = name; *at; at++)
        if (iscntrl((unsigned char)*at))
            return;
    fprintf(out, "%s\n", name);
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
    {"labels", STORED, "SELECT DISTINCT key || '=' || value FROM run_label ORDER BY 1"},
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
    if (kinds[i].from == RECIPES) {
        struct recipe recipe;
        for (int j = 0; recipe_next(&j, &recipe); j++)
            fprintf(out, "%.*s\n", (int)recipe.name.length, recipe.name.bytes);
    }
    if (kinds[i].from == STORED || kinds[i].from == BUILT_IN) {
        /* The first column of a query about the warehouse, or about what every warehouse has.
         * Nobody waits for a completion. */
        bool is_built_in = kinds[i].from == BUILT_IN;
        struct arguments none = {0};
        struct warehouse warehouse;
        const char *path = is_built_in ? "memory" : session_database(&none);
        if (!is_built_in && !warehouse_exists(path))
            return true;
        if (!warehouse_open(&warehouse, path, is_built_in ? WAREHOUSE_MEMORY : WAREHOUSE_READ, 0,
                            error))
            return false;
        struct asked rows;
        const char *name;
        asked_open(&rows, warehouse.db, kinds[i].what);
        while (ASKED_ROW(&rows, OR_NULL(&name)))
            if (name)
                print_one_name(out, name);
        bool done = asked_done(&rows, warehouse.path, error);
        warehouse_close(&warehouse);
        return done;
    }
    if (kinds[i].from != RECIPES)
        docs_read(sql_files, sql_file_count, &docs);
    if (kinds[i].from == REPORTS) {
        /* Each report; or with `key` the values of that declaration, each once. */
        const char *key = kinds[i].what;
        for (size_t k = 0; k < docs.count; k++) {
            if (!catalog_is_report(&docs.items[k]))
                continue;
            const char *value = key ? docs_declared(&docs.items[k], key) : docs.items[k].name;
            for (size_t j = 0; key && j < k && value; j++) {
                const char *other =
                    catalog_is_report(&docs.items[j]) ? docs_declared(&docs.items[j], key) : NULL;
                value = other && strcmp(other, value) == 0 ? NULL : value;
            }
            if (value)
                print_one_name(out, value);
        }
    } else if (kinds[i].from == DESCRIBED)
        description_names(&docs, out);
    return true;
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
    hint_add(&hint, kind, names, KIND_COUNT,
             "there are reports, sets, runs, labels, accelerators, checks, described and recipes");
    error_set(error, STATUS_USAGE, "there are no names of the kind '%s'%s", kind, hint.items);
    return false;
}
