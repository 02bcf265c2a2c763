/* verb_describe: `tpq describe`, the words that stand in the SQL files and in the table of
 * functions. */
#include "query/ask/listing.h"
#include "query/report/layout.h"
#include "sql/binding/options.h"
#include "sql/binding/table.h"
#include "sql/register.h"
#include "src/base/text.h"
#include "src/command/session.h"
#include "src/report/report_files.h"

#include <string.h>

/* A list of things with their words: two short columns, then text that is wrapped. */
struct row {
    const char *name, *kind;
    char *words;
};

typedef ARRAY(struct row) row_list;

static bool add_row(row_list *rows, const char *name, const char *kind, const char *words,
                    size_t length)
{
    struct row *row = array_push(rows);
    if (!row)
        return false;
    *row = (struct row){name, kind, strndup(words, length)};
    return row->words != NULL;
}

/* Prints words in lines that end before column `width`; further lines begin at `indent`. */
static void print_wrapped(const char *text, int indent, int width)
{
    int used = indent;
    for (const char *at = text; *at;) {
        int length = (int)strcspn(at, " ");
        if (used > indent && used + 1 + length > width) {
            printf("\n%*s", indent, "");
            used = indent;
        }
        used += printf("%s%.*s", used > indent ? " " : "", length, at);
        at += length;
        at += strspn(at, " ");
    }
    putchar('\n');
}

static void print_rows(const row_list *rows, int width)
{
    enum { NAMES_MAX = 44 }; /* longer ones stand on a line of their own */
    int names = 0, kinds = 0;
    for (size_t i = 0; i < rows->count; i++) {
        int name = (int)strlen(rows->items[i].name), kind = (int)strlen(rows->items[i].kind);
        names = name > names && name <= NAMES_MAX ? name : names;
        kinds = kind > kinds ? kind : kinds;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        bool is_long = (int)strlen(row->name) > names;
        printf("%-*s", names, row->name);
        printf(is_long ? "\n%*s  " : "%*s  ", is_long ? names : 0, "");
        printf("%-*s%s", kinds, row->kind, kinds ? "  " : "");
        print_wrapped(row->words, names + 2 + kinds + (kinds ? 2 : 0), width);
    }
}

static void free_rows(row_list *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->items[i].words);
    array_free(rows);
}

/* Calls `use` for each function, once a name. */
static bool each_function(bool (*use)(void *, const struct function *), void *context)
{
    const char *last = "";
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *function = function_lists[i]; function->name; function++) {
            if (strcmp(function->name, last) != 0 && !use(context, function))
                return false;
            last = function->name;
        }
    return true;
}

/* ------------------------------------------------------------------ everything */

/* Prints a listing, each section below its title. */
static bool print_listing(const listing *all, int width)
{
    row_list rows = {0};
    bool done = true;
    for (size_t i = 0; i < all->count && done; i++) {
        const struct listed *listed = &all->items[i];
        bool is_last = i + 1 == all->count || all->items[i + 1].title != listed->title;
        done =
            add_row(&rows, listed->name, listed->kind, listed->words.bytes, listed->words.length);
        if (!done || !is_last)
            continue;
        if (listed->title)
            printf("%s\n\n", listed->title);
        print_rows(&rows, width);
        fputs(i + 1 < all->count ? "\n" : "", stdout);
        free_rows(&rows);
    }
    free_rows(&rows);
    return done;
}

static bool list_all(const doc_list *docs, int width)
{
    listing all = {0};
    bool done = listing_all(docs, &all) && print_listing(&all, width);
    if (done)
        puts("\ntpq describe NAME has the columns of one; tpq describe WORD finds what has the "
             "word.");
    listing_free(&all);
    return done;
}

/* What has a word that is no name. */
static bool list_found(const doc_list *docs, const char *what, int width, bool *any)
{
    listing found = {0};
    bool done = listing_search(docs, what, &found);
    *any = found.count > 0;
    if (done && *any) {
        printf("Nothing is called %s. Of all names, words and columns these have it (%zu):\n\n",
               what, found.count);
        done = print_listing(&found, width);
    }
    listing_free(&found);
    return done;
}

/* ------------------------------------------------------------------ one thing */

/* What a report is called elsewhere, and when it is there. */
static void print_declared(const struct doc_object *object)
{
    static const struct {
        const char *key, *words;
    } shown[] = {{"set", "Set"},
                 {"sheet", "Sheet"},
                 {"alias", "Also called"},
                 {"unit", "About each"},
                 {"key", "Compared by"},
                 {"measure", "Compared first"},
                 {"when", "In the default set with option"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *value = docs_declared(object, shown[i].key);
        if (value && strcmp(value, "never") == 0)
            puts("Only made when it is named.");
        else if (value)
            printf("%s: %s\n", shown[i].words, value);
    }
}

/* The words of the views that a report names: what it leaves out, why it may be empty. */
static void print_views(const doc_list *docs, const struct doc_object *object, const char *key,
                        const char *title, int width)
{
    const char *list = docs_declared(object, key);
    for (struct view name; (name = layout_next_view(&list)).length;)
        for (size_t i = 0; i < docs->count; i++)
            if (view_equal(view_of(docs->items[i].name), name)) {
                printf("%s", title);
                print_wrapped(docs->items[i].meaning, (int)strlen(title), width);
            }
}

static bool describe_object(const doc_list *docs, const struct doc_object *object, int width)
{
    row_list rows = {0};
    bool done = true;
    for (size_t i = 0; i < object->columns.count && done; i++) {
        const struct doc_column *column = &object->columns.items[i];
        struct text words = {0};
        bool has_heading = strcmp(column->heading, column->name) != 0;
        done = (!has_heading || text_format(&words, "\"%s\": ", column->heading)) &&
               text_format(&words, "%s%s%s", column->meaning, *column->polarity ? "; better: " : "",
                           column->polarity) &&
               add_row(&rows, column->name, column->unit, words.items, words.count);
        text_free(&words);
    }
    if (done) {
        printf("%s (%s)\n", object->name, listing_kind(object));
        print_wrapped(object->meaning, 0, width);
        print_declared(object);
        print_views(docs, object, "leaves-out", "Leaves out: ", width);
        print_views(docs, object, "empty", "Empty when: ", width);
        putchar('\n');
        print_rows(&rows, width);
    }
    free_rows(&rows);
    return done;
}

/* A table that C computes: as a view, its words stand beside its columns. */
static bool describe_function(const struct function *function, int width)
{
    row_list rows = {0};
    bool done = true;
    static const struct table_column none = {0};
    const struct table_column *column = function->table ? function->table->columns : &none;
    for (; column->name && done; column++)
        done = add_row(&rows, column->name,
                       column->unit ? column->unit : docs_unit_of_name(view_of(column->name)),
                       column->words, strlen(column->words));
    if (done) {
        puts(function->call ? function->call : function->name);
        print_wrapped(function->meaning, 0, width);
        if (rows.count)
            putchar('\n');
        print_rows(&rows, width);
    }
    free_rows(&rows);
    return done;
}

struct search {
    const char *name;
    const struct function *found;
    ARRAY(const char *) names;
};

static bool look_at_function(void *context, const struct function *function)
{
    struct search *self = context;
    const char **name = array_push(&self->names);
    if (!name)
        return false;
    *name = function->name;
    if (strcasecmp(function->name, self->name) == 0)
        self->found = function;
    return true;
}

static bool describe_one(const doc_list *docs, const char *name, int width, struct error *error)
{
    const struct doc_object *object = docs_find(docs, name);
    if (object)
        return describe_object(docs, object, width) || error_memory(error);
    struct search search = {.name = name};
    bool is_found = false;
    bool done = each_function(look_at_function, &search) || error_memory(error);
    if (done && search.found) {
        done = describe_function(search.found, width) || error_memory(error);
    } else if (done && !list_found(docs, name, width, &is_found)) {
        done = error_memory(error);
    } else if (done && !is_found) {
        for (size_t i = 0; i < docs->count && done; i++) {
            const char **known = array_push(&search.names);
            done = known || error_memory(error);
            if (known)
                *known = docs->items[i].name;
        }
        const char *near = done ? nearest_name(name, search.names.items, search.names.count) : NULL;
        done = error_set(error, STATUS_USAGE,
                         near ? "tpq describe: there is no '%s'; did you mean %s?"
                              : "tpq describe: there is no '%s'; see tpq describe",
                         name, near);
    }
    array_free(&search.names);
    return done;
}

/* Where --compat differs: rows of the catalog. */
static bool list_deviations(int width, struct error *error)
{
    struct warehouse warehouse;
    if (!warehouse_open(&warehouse, "memory", WAREHOUSE_TABLES, 0, error))
        return false;
    sqlite3_stmt *rows = warehouse_prepare(
        &warehouse, "SELECT name, standard, compat, reason FROM deviation ORDER BY name", error);
    int result = SQLITE_DONE;
    while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        static const char *const words[] = {"", "  tpq:      ", "  --compat: ", "  because:  "};
        for (int i = 0; i < 4; i++) {
            fputs(words[i], stdout);
            print_wrapped((const char *)sqlite3_column_text(rows, i), (int)strlen(words[i]), width);
        }
    }
    bool done = rows && (result == SQLITE_DONE || warehouse_error(&warehouse, error));
    sqlite3_finalize(rows);
    warehouse_close(&warehouse);
    return done;
}

/* What tpq_set and tpq_option know, as SQL names it. */
static bool list_options(int width, struct error *error)
{
    static const char *const types[] = {"flag", "whole, from 1", "whole, from 0", "%",
                                        "us",   "GB/s",          "text"};
    row_list rows = {0};
    char names[100][40]; /* as SQL has them */
    size_t count = 0;
    bool done = true;
    for (const struct view_option *option = view_options; option->name && done; option++) {
        struct text words = {0};
        snprintf(names[count], sizeof *names, "%s", option->name);
        for (char *at = names[count]; (at = strchr(at, '-')); at++)
            *at = '_';
        done =
            text_format(&words, "%s%s%s%s%s", option->words, option->choices ? ": " : "",
                        option->choices ? option->choices : "", option->standard ? "; it is " : "",
                        option->standard ? option->standard : "") &&
            add_row(&rows, names[count++], types[option->type], words.items, words.count);
        text_free(&words);
    }
    if (done)
        print_rows(&rows, width);
    free_rows(&rows);
    return done || error_memory(error);
}

static bool run_describe(const struct arguments *arguments, struct error *error)
{
    struct report_files files;
    struct render_options render;
    bool deviations = arguments_has(arguments, "deviations");
    bool settings = arguments_has(arguments, "options");
    if (!session_operands(arguments, 0, deviations || settings ? 0 : 1, error))
        return false;
    session_render_options(arguments, &render);
    int width = render.width ? render.width : 100;
    if (deviations)
        return list_deviations(width, error);
    if (settings)
        return list_options(width, error);
    bool done = report_files_read(&files, arguments, NULL, error);
    if (done && arguments->operands.count)
        done = describe_one(&files.docs, arguments->operands.items[0], width, error);
    else if (done)
        done = list_all(&files.docs, width) || error_memory(error);
    report_files_free(&files);
    return done;
}

static const struct option options[] = {
    {"deviations", 0, NULL, "list where tpq report --compat differs, and why", NULL},
    {"options", 0, NULL, "list the options that views read: tpq_option, tpq_set", NULL},
    {"report-dir", 0, "DIRECTORY", "more reports: a .sql file each; may be repeated", NULL},
    OPTION_END,
};

static const struct example examples[] = {
    {"tpq describe", "all reports, tables, views and functions"},
    {"tpq describe gpu_event", "the columns of a table, with units"},
    {"tpq describe ops_summary", "the columns of a report, with headings"},
    {"tpq describe interval_union_ns", "a function"},
    {"tpq describe comm", "what speaks of communication"},
    {NULL, NULL},
};

const struct verb verb_describe = {
    .name = "describe",
    .operands = "[OPTION]... [NAME | WORD]",
    .summary = "explain tables, views, reports, columns and functions",
    .details =
        "Prints what a report, table, view or function is, and the meaning and unit of every "
        "column. Without a name it lists them all, what people ask for first. A word that is "
        "no name is searched for in names, words and columns.",
    .options = options,
    .examples = examples,
    .run = run_describe,
};
