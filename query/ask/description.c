/* description: Every text form prints rows of name, kind and words, wrapped at the width; JSON is
 * written from the same lists. A name is an object, an alias of a report, or a function; any other
 * word is searched for. Reasons for empty reports come from the views of a warehouse in memory. */
#include "query/ask/description.h"

#include "query/ask/listing.h"
#include "query/ask/search.h"
#include "sql/binding/table.h"
#include "sql/register.h"
#include "sql/warehouse/catalog.h"
#include "sql/warehouse/schema.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/document.h"
#include "src/base/hint.h"

#include <string.h>
#include <strings.h>

enum { FOUND_MAX = 10 }; /* matches of words that are no name */

void description_add(description_rows *rows, const char *name, const char *kind, const char *words,
                     size_t length)
{
    array_add(rows, (struct description_row){name, kind, memory_part(words, length)});
}

void description_print_words(const char *words, int indent,
                             const struct description_options *options)
{
    FILE *out = options->out;
    int used = indent;
    for (const char *at = words; *at;) {
        int length = (int)strcspn(at, " ");
        if (used > indent && used + 1 + length > options->width) {
            fprintf(out, "\n%*s", indent, "");
            used = indent;
        }
        used += fprintf(out, "%s%.*s", used > indent ? " " : "", length, at);
        at += length;
        at += strspn(at, " ");
    }
    fputc('\n', out);
}

void description_print_rows(const description_rows *rows, const struct description_options *options)
{
    enum { NAMES_MAX = 44 }; /* longer ones stand on a line of their own */
    FILE *out = options->out;
    int names = 0, kinds = 0;
    for (size_t i = 0; i < rows->count; i++) {
        int name = (int)strlen(rows->items[i].name), kind = (int)strlen(rows->items[i].kind);
        names = name > names && name <= NAMES_MAX ? name : names;
        kinds = kind > kinds ? kind : kinds;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const struct description_row *row = &rows->items[i];
        bool is_long = (int)strlen(row->name) > names;
        fprintf(out, "%-*s", names, row->name);
        fprintf(out, is_long ? "\n%*s  " : "%*s  ", is_long ? names : 0, "");
        fprintf(out, "%-*s%s", kinds, row->kind, kinds ? "  " : "");
        description_print_words(row->words, names + 2 + kinds + (kinds ? 2 : 0), options);
    }
}

/* ------------------------------------------------------------------ everything */

static void write_declared(struct document *json, const struct doc_object *object)
{
    static const char *const keys[] = {"set", "sheet", "alias", "unit", "key", "measure", "when"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (docs_declared(object, keys[i]))
            document_text(json, keys[i], docs_declared(object, keys[i]));
}

static void write_example(struct document *json, const struct function *function)
{
    if (function->example)
        document_text(json, "example", function->example);
    if (function->gives)
        document_text(json, "gives", function->gives);
}

/* The things of a list, with all that is said of each. */
static void write_listing(const listing *all, const char *search, const struct text *note,
                          FILE *out)
{
    struct document json = {.out = out};
    document_begin(&json);
    if (note && note->count)
        document_text(&json, "note", note->items);
    document_close(&json);
    if (search)
        document_text(&json, "search", search);
    document_open(&json, "objects", '[');
    for (size_t i = 0; i < all->count; i++) {
        const struct listed *listed = &all->items[i];
        document_open(&json, NULL, '{');
        document_text(&json, "name", listed->name);
        document_text(&json, "kind", listed->kind);
        document_text(&json, "section", listed->title);
        if (listed->object)
            write_declared(&json, listed->object);
        if (listed->function)
            document_text(&json, "call", listed->function->call);
        document_text(&json, "meaning", listed->words.bytes);
        if (listed->function)
            write_example(&json, listed->function);
        document_close(&json);
    }
    document_finish(&json);
}

/* Prints a list, each section below its title. */
static void print_listing(const listing *all, const struct description_options *options)
{
    description_rows rows = {0};
    for (size_t i = 0; i < all->count; i++) {
        const struct listed *listed = &all->items[i];
        bool is_last = i + 1 == all->count || all->items[i + 1].title != listed->title;
        description_add(&rows, listed->name, listed->kind, listed->words.bytes,
                        listed->words.length);
        if (!is_last)
            continue;
        fprintf(options->out, "%s\n\n", listed->title);
        description_print_rows(&rows, options);
        fputs(i + 1 < all->count ? "\n" : "", options->out);
        rows.count = 0;
    }
}

/* The same without kinds, indented below the titles: what are called reports is known. */
static void print_reports(const listing *all, const struct description_options *options)
{
    enum { NAME_MAX_WIDTH = 32 };
    int width = 0;
    for (size_t i = 0; i < all->count; i++) {
        int length = (int)strlen(all->items[i].name);
        width = length > width && length <= NAME_MAX_WIDTH ? length : width;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct listed *listed = &all->items[i];
        if (i == 0 || all->items[i - 1].title != listed->title)
            fprintf(options->out, "%s\n", listed->title);
        char *words = memory_part(listed->words.bytes, listed->words.length);
        int used = fprintf(options->out, "    %-*s  ", width, listed->name);
        if (used > width + 6)
            fprintf(options->out, "\n%*s", width + 6, "");
        description_print_words(words, width + 6, options);
    }
}

bool description_reports(const doc_list *docs, const struct listing_wish *wish,
                         const struct description_options *options)
{
    listing all = {0};
    bool done = listing_reports(docs, wish, &all);
    if (done)
        print_reports(&all, options);
    return done;
}

/* The note stands first: it says that nothing is recorded of something. */
static void print_note(const struct search *search, const struct description_options *options)
{
    if (search->note.count)
        description_print_words(search->note.items, 0, options);
    if (search->note.count && search->found.count)
        fputc('\n', options->out);
}

bool description_search(const doc_list *docs, const char *what,
                        const struct description_options *options, struct error *error)
{
    struct search search;
    bool done = search_run(&search, docs, what, true, error);
    if (done && !search.found.count && !search.note.count) {
        done = search_run(&search, docs, what, false, error) &&
               error_set(error, STATUS_USAGE, "tpq report: no report speaks of '%s'; see tpq %s%s",
                         what, search.found.count ? "help " : "report --list all",
                         search.found.count ? what : "");
    }
    if (done)
        print_note(&search, options);
    search.found.count = search.found.count < FOUND_MAX ? search.found.count : FOUND_MAX;
    if (done)
        print_reports(&search.found, options);
    return done;
}

bool description_names(const doc_list *docs, FILE *out)
{
    for (size_t i = 0; i < docs->count; i++)
        if (!listing_is_inside(&docs->items[i]))
            fprintf(out, "%s\n", docs->items[i].name);
    const struct function *function = NULL;
    int list = 0;
    while ((function = listing_next_function(function, &list)))
        if (fprintf(out, "%s\n", function->name) < 0)
            return false;
    return true;
}

void description_start(const doc_list *docs, const struct description_options *options)
{
    static const char start[] =
        "How to begin\n"
        "    tpq ingest TRACE...     store traces in a warehouse (tpq.db)\n"
        "    tpq report              what bounds each run, what to change, where the time goes\n"
        "    tpq report NAME         one report, for all runs or those of --run\n"
        "    tpq sql 'SELECT ...'    SQL on tables, views and reports\n"
        "    tpq describe NAME       columns of a table, view or report; WORD...: what speaks of "
        "it\n"
        "\n";
    static const char more[] =
        "\nMore: tpq describe --all, --functions, --options, --deviations; tpq report --list all;\n"
        "tpq help recipes (SQL by question), tpq help words (glossary).\n";
    fputs(start, options->out);
    struct listing_wish wish = {.only_first = true, .tables = true};
    listing all = {0};
    listing_reports(docs, &wish, &all);
    for (size_t i = 0; i < all.count; i++)
        if (catalog_is_report(all.items[i].object))
            all.items[i].title = "Reports to begin with";
    print_reports(&all, options);
    fputs(more, options->out);
}

void description_list(const doc_list *docs, const struct description_options *options)
{
    listing all = {0};
    listing_all(docs, &all);
    if (options->json) {
        write_listing(&all, NULL, NULL, options->out);
    } else {
        print_listing(&all, options);
        fputs("\ntpq describe NAME has the columns of one; tpq describe WORD finds what has the "
              "word.\n",
              options->out);
    }
}

/* An example, and what it gives. */
static void print_example(const struct function *function,
                          const struct description_options *options)
{
    fputs("    ", options->out);
    description_print_words(function->example, 4, options);
    if (function->gives)
        fprintf(options->out, "    -> %s\n", function->gives);
}

void description_functions(const struct description_options *options)
{
    listing all = {0};
    listing_functions(&all);
    for (size_t i = 0; i < all.count; i++)
        if (!options->json && all.items[i].function->call)
            all.items[i].name = all.items[i].function->call;
    if (options->json)
        write_listing(&all, NULL, NULL, options->out);
    else
        print_listing(&all, options);
    if (!options->json) {
        const struct function *function = NULL;
        int list = 0;
        fputs("\nExamples\n", options->out);
        while ((function = listing_next_function(function, &list)))
            if (function->example) {
                fputc('\n', options->out);
                print_example(function, options);
            }
    }
}

/* ------------------------------------------------------------------ one thing */

/* Views that a report names: its rows not included, and reasons why it may be empty. Words of rows
 * are ours; views of users have theirs. */
static bool print_reasons(const doc_list *docs, const char *names, sqlite3 *db, const char *list,
                          const char *column, const char *title,
                          const struct description_options *options, struct error *error)
{
    bool done = true;
    for (struct view name; done && (name = docs_next_name(&names)).length;) {
        char *words;
        done = views_row(db, list, column, name, &words, error);
        const char *shown = words;
        for (size_t i = 0; i < docs->count && !shown; i++)
            if (view_equal(view_of(docs->items[i].name), name))
                shown = docs->items[i].meaning;
        if (done && shown) {
            fputs(title, options->out);
            description_print_words(shown, (int)strlen(title), options);
        }
    }
    return done;
}

static bool print_declared_reasons(const doc_list *docs, const struct doc_object *object,
                                   const struct description_options *options, struct error *error)
{
    const char *not_included = docs_declared(object, "not-included"),
               *empty = docs_declared(object, "empty");
    struct warehouse warehouse;
    if (!not_included && !empty)
        return true;
    if (!warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, error))
        return false;
    bool done = print_reasons(docs, not_included, warehouse.db, "not_included", "what",
                              "Not included: ", options, error) &&
                print_reasons(docs, empty, warehouse.db, "empty_reason", "why",
                              "Empty when: ", options, error);
    warehouse_close(&warehouse);
    return done;
}

static bool describe_object(const doc_list *docs, const struct doc_object *object,
                            const struct description_options *options, struct error *error)
{
    description_rows rows = {0};
    const doc_columns *columns = docs_columns(object);
    for (size_t i = 0; i < columns->count; i++) {
        const struct doc_column *column = &columns->items[i];
        struct text words = {0};
        bool has_heading = strcmp(column->heading, column->name) != 0;
        if (has_heading)
            text_format(&words, "\"%s\": ", column->heading);
        text_format(&words, "%s%s%s", column->meaning, *column->polarity ? "; better: " : "",
                    column->polarity);
        description_add(&rows, column->name, column->unit, words.items, words.count);
    }
    fprintf(options->out, "%s (%s)\n", object->name, listing_kind(object));
    description_print_words(object->meaning, 0, options);

    /* Other names of a report, and when it is there. */
    FILE *out = options->out;
    static const struct {
        const char *key, *words;
    } shown[] = {{"set", "Set"},
                 {"sheet", "Sheet"},
                 {"also", "Also in (set, place, sheet)"},
                 {"alias", "Also called"},
                 {"unit", "About each"},
                 {"key", "Compared by"},
                 {"measure", "Compared first"},
                 {"when", "In the default set with option"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *value = docs_declared(object, shown[i].key);
        if (value && strcmp(value, "never") == 0)
            fputs("Only made when it is named.\n", out);
        else if (value)
            fprintf(out, "%s: %s\n", shown[i].words, value);
    }
    bool done = print_declared_reasons(docs, object, options, error);
    fputc('\n', options->out);
    description_print_rows(&rows, options);
    return done;
}

static void write_text_if_any(struct document *json, const char *key, const char *text)
{
    document_text(json, key, *text ? text : NULL);
}

static void write_object(const struct doc_object *object, FILE *out)
{
    const doc_columns *columns = docs_columns(object);
    struct document json = {.out = out};
    document_begin(&json);
    document_close(&json);
    document_text(&json, "name", object->name);
    document_text(&json, "kind", listing_kind(object));
    write_declared(&json, object);
    document_text(&json, "meaning", object->meaning);
    document_open(&json, "columns", '[');
    for (size_t i = 0; i < columns->count; i++) {
        const struct doc_column *column = &columns->items[i];
        document_open(&json, NULL, '{');
        document_text(&json, "name", column->name);
        document_text(&json, "heading", column->heading);
        write_text_if_any(&json, "unit", column->unit);
        write_text_if_any(&json, "type", column->type);
        write_text_if_any(&json, "better", column->polarity);
        document_text(&json, "meaning", column->meaning);
        document_close(&json);
    }
    document_finish(&json);
}

static void write_table(const struct function *function, FILE *out)
{
    static const struct table_column none = {0};
    const struct table_column *column = function->table ? function->table->columns : &none;
    struct document json = {.out = out};
    document_begin(&json);
    document_close(&json);
    document_text(&json, "name", function->name);
    document_text(&json, "kind", listing_function_kind(function));
    document_text(&json, "call", function->call);
    document_text(&json, "meaning", function->meaning);
    write_example(&json, function);
    document_open(&json, "columns", '[');
    for (; column->name; column++) {
        document_open(&json, NULL, '{');
        document_text(&json, "name", column->name);
        write_text_if_any(&json, "unit",
                          column->unit ? column->unit : docs_unit_of_name(view_of(column->name)));
        document_text(&json, "meaning", column->words);
        document_close(&json);
    }
    document_finish(&json);
}

static const struct function *find_function(const char *name)
{
    const struct function *function = NULL;
    int list = 0;
    while ((function = listing_next_function(function, &list)) &&
           strcasecmp(function->name, name) != 0)
        ;
    return function;
}

static bool unknown_name(const doc_list *docs, const char *name, struct error *error)
{
    const struct function *function = NULL;
    int list = 0;
    ARRAY(const char *) names = {0};
    while ((function = listing_next_function(function, &list)))
        array_add(&names, function->name);
    for (size_t i = 0; i < docs->count; i++)
        array_add(&names, docs->items[i].name);
    struct text hint = {0};
    hint_add(&hint, name, names.items, names.count, "see tpq describe");
    error_set(error, STATUS_USAGE, "tpq describe: there is no '%s'%s", name, hint.items);
    return false;
}

/* The object of that name, or the report that was called so. */
static const struct doc_object *find_named(const doc_list *docs, const char *name)
{
    const struct doc_object *found = docs_find(docs, name);
    for (size_t i = 0; i < docs->count && !found; i++) {
        const char *list = docs_declared(&docs->items[i], "alias");
        for (struct view other; !found && list && (other = docs_next_name(&list)).length;)
            found = view_equal(other, view_of(name)) ? &docs->items[i] : NULL;
    }
    return found;
}

/* The first matches; few of them columns, which often share a name. `is_name`: it was described. */
static void print_matches(const struct search *search, const char *what, bool is_name,
                          const struct description_options *options)
{
    enum { COLUMNS_MAX = 3 };
    description_rows rows = {0};
    size_t columns = 0;
    print_note(search, options);
    for (size_t i = 0; i < search->found.count && rows.count < FOUND_MAX; i++) {
        const struct listed *listed = &search->found.items[i];
        bool is_column = strcmp(listed->kind, "column") == 0;
        columns += is_column;
        if ((!is_column || columns <= COLUMNS_MAX) && strcasecmp(listed->name, what) != 0)
            description_add(&rows, listed->name, listed->kind, listed->words.bytes,
                            listed->words.length);
    }
    if (rows.count)
        fprintf(options->out,
                is_name ? "\nMore about '%s', the best of %zu:\n\n"
                        : "Nothing is called '%s'. The best matches of %zu:\n\n",
                what, search->found.count);
    description_print_rows(&rows, options);
    if (rows.count)
        fputs("\ntpq describe NAME explains one, tpq help NAME prints a guide; --json lists all.\n",
              options->out);
}

/* A table that C computes: as a view, its words stand beside its columns. */
static void describe_function(const struct function *function,
                              const struct description_options *options)
{
    description_rows rows = {0};
    static const struct table_column none = {0};
    const struct table_column *column = function->table ? function->table->columns : &none;
    for (; column->name; column++)
        description_add(&rows, column->name,
                        column->unit ? column->unit : docs_unit_of_name(view_of(column->name)),
                        column->words, strlen(column->words));
    fprintf(options->out, "%s\n", function->call ? function->call : function->name);
    description_print_words(function->meaning, 0, options);
    if (function->example) {
        fputs("\nExample:\n", options->out);
        print_example(function, options);
    }
    if (rows.count)
        fputc('\n', options->out);
    description_print_rows(&rows, options);
}

bool description_print(const doc_list *docs, const char *name,
                       const struct description_options *options, struct error *error)
{
    const struct doc_object *object = find_named(docs, name);
    const struct function *function = object ? NULL : find_function(name);
    struct search search = {0};
    bool done = true, is_name = object || function;
    if (object && options->json)
        write_object(object, options->out);
    else if (object)
        done = describe_object(docs, object, options, error);
    else if (function && options->json)
        write_table(function, options->out);
    else if (function)
        describe_function(function, options);

    /* A name that people also say for other things finds these, too. */
    if (done && (!is_name || !options->json))
        done = search_run(&search, docs, name, false, error);
    bool any = search.found.count || search.note.count;
    if (done && !is_name && any && options->json)
        write_listing(&search.found, name, &search.note, options->out);
    else if (done && any && (!is_name || search.is_said))
        print_matches(&search, name, is_name, options);
    else if (done && !is_name)
        done = unknown_name(docs, name, error);
    return done;
}

/* ------------------------------------------------------------------ as rows */

static struct cell words_of(struct view words)
{
    return words.length ? (struct cell){.type = CELL_TEXT, .text = words}
                        : (struct cell){.type = CELL_NULL};
}

static bool send_row(struct sink *sink, const char *name, const char *second, struct view meaning,
                     struct error *error)
{
    struct cell cells[] = {words_of(view_of(name)), words_of(view_of(second ? second : "")),
                           words_of(meaning)};
    return sink->row(sink, cells, error);
}

static bool send_object(const struct doc_object *object, struct sink *sink, struct error *error)
{
    const doc_columns *columns = docs_columns(object);
    bool done = true;
    for (size_t i = 0; done && i < columns->count; i++)
        done = send_row(sink, columns->items[i].name, columns->items[i].unit,
                        view_of(columns->items[i].meaning), error);
    return done;
}

bool description_send(const doc_list *docs, const char *name, bool finds, struct sink *sink,
                      struct error *error)
{
    const struct doc_object *object = finds ? NULL : find_named(docs, name);
    struct column columns[] = {{.name = "name", .is_key = true},
                               {.name = finds || !object ? "kind" : "unit"},
                               {.name = "meaning"}};
    for (size_t i = 0; i < 3; i++) {
        columns[i].heading = columns[i].name;
        columns[i].unit = columns[i].meaning = "";
        columns[i].type = CELL_TEXT;
    }
    struct sheet sheet = {.name = object ? object->name : "describe",
                          .title = object ? object->meaning : NULL,
                          .columns = columns,
                          .column_count = 3};
    const struct function *called = finds || object ? NULL : find_function(name);
    bool done = true;
    struct search search = {0};
    if (!object && !called && *name)
        done = search_run(&search, docs, name, false, error);
    else if (!object && !called)
        listing_all(docs, &search.found);
    if (done && !finds && !object && !called && !search.found.count && !search.note.count)
        done = unknown_name(docs, name, error);
    done = done && sink->begin(sink, &sheet, error);
    if (done && called)
        done = send_row(sink, called->call ? called->call : called->name, "function",
                        view_of(called->meaning), error);
    else if (done && object)
        done = send_object(object, sink, error);
    else if (done) {
        if (search.note.count)
            done = send_row(sink, name, "not recorded", text_view(&search.note), error);
        for (size_t i = 0; i < search.found.count && done; i++)
            done = send_row(sink, search.found.items[i].name, search.found.items[i].kind,
                            search.found.items[i].words, error);
    }
    return done && sink->end(sink, error) && sink_finish(sink, error);
}
