/* verb_describe: `tpq describe`, the words that stand in the SQL files and in the table of
 * functions. */
#include "query/ask/description.h"
#include "sql/binding/options.h"
#include "sql/warehouse/catalog.h"
#include "src/base/document.h"
#include "src/command/session.h"
#include "src/command/topics.h"
#include "src/command/verb_options.h"
#include "src/report/report_files.h"

#include <assert.h>
#include <string.h>

/* Where --compat differs: rows of the catalog. */
static bool list_deviations(const struct description_options *options, struct error *error)
{
    static const char *const words[] = {"", "  tpq:      ", "  --compat: ", "  because:  "};
    struct warehouse warehouse;
    struct document json = {.out = options->out};
    if (!warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, error))
        return false;
    sqlite3_stmt *rows = warehouse_prepare(
        &warehouse, "SELECT name, standard, compat, reason FROM deviation ORDER BY name", error);
    int result = SQLITE_DONE;
    if (options->json) {
        document_begin(&json);
        document_close(&json);
        document_open(&json, "deviations", '[');
    }
    while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        if (options->json)
            document_open(&json, NULL, '{');
        for (int i = 0; i < 4; i++) {
            const char *text = (const char *)sqlite3_column_text(rows, i);
            if (options->json) {
                document_text(&json, sqlite3_column_name(rows, i), text);
                continue;
            }
            fputs(words[i], options->out);
            description_print_words(text, (int)strlen(words[i]), options);
        }
        if (options->json)
            document_close(&json);
    }
    bool done = rows && (result == SQLITE_DONE || warehouse_error(&warehouse, error));
    database_finalize(rows);
    warehouse_close(&warehouse);
    document_finish(&json);
    return done;
}

/* A rule of advice: a row of the catalog. */
static bool describe_rule(const char *rule, const struct description_options *options,
                          struct error *error)
{
    static const char *const heads[] = {
        "", "  measured:  ", "  fires:     ", "  to do:     ", "  report:    "};
    static const char sql[] = "SELECT rule || ': ' || title AS rule, doc AS measured, 'from ' || "
                              "threshold || ' ' || unit AS "
                              "fires, action, report FROM advice_rule WHERE rule = ?1";
    struct warehouse warehouse;
    struct document json = {.out = options->out};
    if (!warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, error))
        return false;
    sqlite3_stmt *row = warehouse_prepare(&warehouse, sql, error);
    bool done = row != NULL;
    if (done)
        sqlite3_bind_text(row, 1, rule, -1, SQLITE_STATIC);
    if (done && !warehouse_next(&warehouse, row, &done, error))
        done = error_set(error, STATUS_USAGE,
                         "tpq describe: there is no rule '%s'; see tpq report advice --all", rule);
    else if (done && options->json)
        document_begin(&json);
    if (done && options->json)
        document_close(&json);
    for (int i = 0; i < 5 && done; i++) {
        const char *text = (const char *)sqlite3_column_text(row, i);
        if (options->json) {
            document_text(&json, sqlite3_column_name(row, i), text);
            continue;
        }
        fputs(heads[i], options->out);
        description_print_words(text, (int)strlen(heads[i]), options);
    }
    if (done && options->json)
        document_finish(&json);
    database_finalize(row);
    warehouse_close(&warehouse);
    return done;
}

static const char *type_of_option(const struct view_option *option)
{
    static const char *const types[] = {[OPTION_FLAG] = "flag",
                                        [OPTION_COUNT] = "whole, from 1",
                                        [OPTION_WHOLE] = "whole, from 0",
                                        [OPTION_NUMBER] = "number",
                                        [OPTION_SHARE] = "%",
                                        [OPTION_TIME] = "us",
                                        [OPTION_RATE] = "GB/s",
                                        [OPTION_RATES] = "KIND=GB/s",
                                        [OPTION_SCENARIOS] = "text",
                                        [OPTION_IDS] = "A-B",
                                        [OPTION_TURN] = "first, last or N",
                                        [OPTION_WORD] = "text",
                                        [OPTION_WORDS] = "texts"};
    return types[option->type];
}

/* As SQL has it. */
static void name_of_option(const struct view_option *option, char name[40])
{
    snprintf(name, 40, "%s", option->name);
    for (char *at = name; (at = strchr(at, '-')); at++)
        *at = '_';
}

/* Options of tpq_set and tpq_option. */
static void list_options(const struct description_options *options)
{
    description_rows rows = {0};
    char names[200][40];
    size_t count = 0;
    if (options->json) {
        struct document json = {.out = options->out};
        document_begin(&json);
        document_close(&json);
        document_open(&json, "options", '[');
        for (const struct view_option *option = view_options; option->name; option++) {
            char name[40];
            name_of_option(option, name);
            document_open(&json, NULL, '{');
            document_text(&json, "name", name);
            document_text(&json, "type", type_of_option(option));
            document_text(&json, "choices", option->choices);
            document_text(&json, "standard", option->standard);
            document_text(&json, "meaning", option->words);
            document_close(&json);
        }
        document_finish(&json);
        return;
    }
    for (const struct view_option *option = view_options; option->name; option++) {
        struct text words = {0};
        assert(count < sizeof names / sizeof *names);
        name_of_option(option, names[count]);
        text_format(&words, "%s%s%s%s%s%s", option->words, option->choices ? ": " : "",
                    option->choices ? option->choices : "", option->standard ? " (" : "",
                    option->standard ? option->standard : "", option->standard ? ")" : "");
        description_add(&rows, names[count++], type_of_option(option), words.items, words.count);
    }
    description_print_rows(&rows, options);
}

/* For assistants and programs. */
static bool send_description(const struct arguments *arguments, const doc_list *docs,
                             const char *name, struct error *error)
{
    struct envelope_words words;
    bool done = envelope_words_read(&words, arguments, NULL, error);
    struct sink_target target = {.out = stdout, .wish = &words.wish};
    struct sink *sink = done ? sink_envelope(&target, error) : NULL;
    done = sink && description_send(docs, name, arguments_has(arguments, "find"), sink, error);
    sink_free(sink);
    return done;
}

enum { WORDS_MAX = 12 }; /* of a search */

/* ------------------------------------------------------------------ Datasette
 *
 *     tpq describe --datasette --db runs.db > metadata.json
 *     datasette runs.db --metadata metadata.json --load-extension tpq
 *
 * Its metadata.json is made of the words of tpq describe, with recipes and reports as queries.
 * Without the extension tables and the views for any SQLite can be looked at, and tables that
 * --into-tables made (frozen_*).
 */

static void write_datasette_table(struct document *json, const struct doc_object *object,
                                  const char *name)
{
    bool is_helper = object->is_view && !catalog_is_report(object) &&
                     !docs_declared(object, "question"); /* as views for any SQLite have */
    document_open(json, name, '{');
    document_text(json, "description", object->meaning);
    if (is_helper)
        document_boolean(json, "hidden", true);
    struct text words = {0};
    const doc_columns *columns = docs_columns(object);
    document_open(json, "columns", '{');
    for (size_t i = 0; i < columns->count; i++) { /* "[us] (lower is better) meaning" */
        const struct doc_column *column = &columns->items[i];
        text_clear(&words);
        if (*column->unit)
            text_format(&words, "[%s] ", column->unit);
        if (*column->polarity)
            text_format(&words, "(%s is better) ", column->polarity);
        text_add_string(&words, column->meaning);
        document_text(json, column->name, words.items);
    }
    document_close(json);
    document_close(json);
}

/* The table that --into-tables makes of a report with one sheet. */
static void write_frozen(struct document *json, const struct doc_object *object)
{
    const char *sheet = docs_declared(object, "sheet");
    struct text name = {0};
    if (!catalog_is_report(object) || docs_declared(object, "sheet-by"))
        return;
    text_format(&name, "frozen_%s", sheet ? sheet : object->name);
    write_datasette_table(json, object, name.items);
}

/* Sheets of several sets are called alike: what the first one says stands for them. */
static bool is_first_of_sheet(const doc_list *docs, size_t place)
{
    const char *sheet = docs_declared(&docs->items[place], "sheet");
    for (size_t i = 0; sheet && i < place; i++) {
        const char *other = docs_declared(&docs->items[i], "sheet");
        if (strcmp(other ? other : docs->items[i].name, sheet) == 0)
            return false;
    }
    return true;
}

/* The first line of a recipe asks, the others say what parameters mean. */
static void write_datasette_query(struct document *json, const struct recipe *recipe)
{
    struct text name = {0}, title = {0};
    const char *line = recipe->sql + strspn(recipe->sql, "- ");
    text_add_view(&name, recipe->name);
    text_add(&title, line, strcspn(line, "\n"));
    document_open(json, name.items, '{');
    document_text(json, "title", title.items);
    document_text(json, "sql", recipe->sql);
    document_close(json);
}

/* `path`: the warehouse, whose name without its ending Datasette calls it by. */
static void write_datasette(const doc_list *docs, const char *path)
{
    static const char about[] =
        "Performance traces of accelerators in one database. Reports (queries) need the extension "
        "of tpq; tables and views do not.";
    struct document json = {.out = stdout};
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const char *point = strrchr(file, '.');
    struct text name = {0};
    struct recipe recipe;
    text_add(&name, file, point && point > file ? (size_t)(point - file) : strlen(file));
    document_open(&json, NULL, '{');
    document_text(&json, "title", "tpq");
    document_text(&json, "description", about);
    document_open(&json, "databases", '{');
    document_open(&json, name.items, '{');
    document_open(&json, "tables", '{');
    for (size_t i = 0; i < docs->count; i++) {
        write_datasette_table(&json, &docs->items[i], docs->items[i].name);
        if (is_first_of_sheet(docs, i))
            write_frozen(&json, &docs->items[i]);
    }
    document_close(&json);
    document_open(&json, "queries", '{');
    for (int i = 0; recipe_next(&i, &recipe); i++)
        write_datasette_query(&json, &recipe);
    for (size_t i = 0; i < docs->count; i++)
        if (catalog_is_report(&docs->items[i])) {
            const struct doc_object *object = &docs->items[i];
            struct text sql = {0};
            text_format(&sql, "SELECT * FROM %s", object->name);
            document_open(&json, object->name, '{');
            document_text(&json, "title", object->name);
            document_text(&json, "description", object->meaning);
            document_text(&json, "sql", sql.items);
            document_close(&json);
        }
    document_close(&json);
    document_close(&json);
    document_close(&json);
    document_finish(&json);
}

/* ------------------------------------------------------------------ the call */

static bool run_describe(const struct arguments *arguments, struct error *error)
{
    struct report_files files;
    struct render_options render;
    bool deviations = arguments_has(arguments, "deviations");
    bool settings = arguments_has(arguments, "options");
    bool functions = arguments_has(arguments, "functions");
    bool datasette = arguments_has(arguments, "datasette");
    bool is_rule =
        arguments->operands.count == 2 && strcmp(arguments->operands.items[0], "advice") == 0;
    struct text what = {0};
    if (!session_operands(arguments, 0,
                          deviations || settings || functions || datasette ? 0 : WORDS_MAX, error))
        return false;
    if (arguments_has(arguments, "db") && !datasette)
        return error_set(error, STATUS_USAGE, "tpq describe: --db only goes with --datasette");
    session_render_options(arguments, &render);
    struct description_options words = {.out = stdout,
                                        .width = render.width ? render.width : 100,
                                        .json = arguments_has(arguments, "json")};
    if (deviations)
        return list_deviations(&words, error);
    if (settings) {
        list_options(&words);
        return true;
    }
    if (is_rule)
        return describe_rule(arguments->operands.items[1], &words, error);
    if (functions) {
        description_functions(&words);
        return true;
    }
    bool done = report_files_read(&files, arguments, NULL, error);
    for (size_t i = 0; i < arguments->operands.count && done; i++)
        text_format(&what, "%s%s", i ? " " : "", arguments->operands.items[i]);
    if (done && arguments_has(arguments, "envelope"))
        done = send_description(arguments, &files.docs, what.count ? what.items : "", error);
    else if (done && datasette)
        write_datasette(&files.docs, session_database(arguments));
    else if (done && arguments->operands.count)
        done = description_print(&files.docs, what.items, &words, error);
    else if (done && (words.json || arguments_has(arguments, "all")))
        description_list(&files.docs, &words);
    else if (done)
        description_start(&files.docs, &words);
    return done;
}

static const struct option options[] = {
    {"all", 0, NULL, "list everything: reports, tables, views and functions", NULL},
    {"deviations", 0, NULL, "list where tpq report --compat differs, and why", NULL},
    {"functions", 0, NULL, "list functions and tables that are computed, with how they are called",
     NULL},
    {"options", 0, NULL, "list the options that views read: tpq_option, tpq_set", NULL},
    {"datasette", 0, NULL,
     "metadata.json of Datasette for the warehouse: the same words, recipes and reports as queries",
     NULL},
    {"db", 0, "FILE", "with --datasette, the warehouse that it is for (tpq.db)", NULL},
    OPTION_JSON,
    OPTION_ENVELOPE,
    OPTION_ENVELOPE_TOP,
    OPTIONS_ENVELOPE,
    {"find", 0, NULL, "envelope: search for the words, even where something is called so", NULL},
    {"report-dir", 0, "DIRECTORY", "more reports: a .sql file each; may be repeated", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq describe", "where to begin"},
    {"tpq describe gpu_event", "the columns of a table, with units"},
    {"tpq describe ops_summary", "the columns of a report, with headings"},
    {"tpq describe interval_union_ns", "a function"},
    {"tpq describe advice long-gaps", "a rule of advice"},
    {"tpq describe exposed communication", "what speaks of it"},
    {"tpq describe --datasette > metadata.json", "for datasette tpq.db --metadata metadata.json"},
    {NULL, NULL},
};

const struct verb verb_describe = {
    .name = "describe",
    .operands = "[OPTION]... [NAME | WORD... | advice RULE]",
    .also = "search find schema",
    .summary = "explain reports, tables, columns and functions",
    .details =
        "Prints what a report, table, view or function is, and the meaning and unit of every "
        "column. Without a name it says where to begin. Words that are no name find "
        "reports, rules of advice, tables, columns, options, recipes and guides, the best match "
        "first. Rows of search_word say which other words people use.",
    .takes_warehouses = true,
    .options = options,
    .examples = examples,
    .run = run_describe,
};
