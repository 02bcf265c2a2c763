/* listing: see listing.h. */
#include "query/ask/listing.h"

#include "sql/catalog.h"
#include "sql/register.h"
#include "src/base/order.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is listed together, in the order in which people ask for it. */
enum section {
    SECTION_REPORTS,
    SECTION_NAMED,
    SECTION_EVENTS,
    SECTION_KNOWN,
    SECTION_FUNCTIONS,
    SECTION_FORMULAS,
    SECTION_INSIDE,
    SECTION_EXPRESSIONS,
    SECTION_COUNT
};

static const char *const section_words[SECTION_COUNT] = {
    [SECTION_REPORTS] = "Reports that tpq report FILE makes, by set",
    [SECTION_NAMED] = "Reports that are made when they are named, or with an option",
    [SECTION_EVENTS] = "Events and what they belong to, for SQL of your own",
    [SECTION_KNOWN] = "What tpq knows, open to rows of yours",
    [SECTION_FUNCTIONS] = "Functions",
    [SECTION_FORMULAS] = "Functions for models: operations and bytes",
    [SECTION_INSIDE] = "Inside: what reports are made of",
    [SECTION_EXPRESSIONS] = "Inside: functions of models and of single formats",
};

const char *listing_kind(const struct doc_object *object)
{
    if (catalog_is_report(object))
        return "report";
    return object->is_view ? "view" : "table";
}

const char *listing_function_kind(const struct function *function)
{
    static const char *const kinds[] = {[FUNCTION_SCALAR] = "function",
                                        [FUNCTION_AGGREGATE] = "aggregate",
                                        [FUNCTION_TABLE] = "table function"};
    return kinds[function_kind(function)];
}

static size_t first_sentence(const char *text)
{
    const char *end = strstr(text, ". ");
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* Adds something with its words, or their first sentence. */
static struct listed *add(listing *all, const char *name, const char *kind, const char *words)
{
    struct listed *added = array_push(all);
    if (added)
        *added = (struct listed){
            .name = name, .kind = kind, .words = {words, strlen(words)}, .number = all->count};
    return added;
}

static struct listed *add_object(listing *all, const struct doc_object *object)
{
    struct listed *added = add(all, object->name, listing_kind(object), object->meaning);
    if (added)
        added->object = object;
    return added;
}

static struct listed *add_function(listing *all, const struct function *function)
{
    struct listed *added =
        add(all, function->name, listing_function_kind(function), function->meaning);
    if (added)
        added->function = function;
    return added;
}

void listing_free(listing *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->items[i].made);
    array_free(all);
}

/* ------------------------------------------------------------------ everything */

static enum section section_of(const struct doc_object *object)
{
    static const struct {
        const char *path;
        enum section section;
    } places[] = {{"views/basic.sql", SECTION_EVENTS}, {"schema/1_", SECTION_EVENTS},
                  {"schema/2_", SECTION_EVENTS},       {"schema/3_", SECTION_KNOWN},
                  {"views/", SECTION_INSIDE},          {"overlay/", SECTION_INSIDE}};
    const char *when = docs_declared(object, "when");
    if (catalog_is_report(object))
        return when && !text_starts_with(when, "not ") ? SECTION_NAMED : SECTION_REPORTS;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (text_starts_with(object->file->path, places[i].path))
            return places[i].section;
    return SECTION_EVENTS; /* of the user's own files */
}

/* Lists of functions that are of use to everyone are apart from those of single reports. */
static enum section section_of_function(const struct function *list,
                                        const struct function *function)
{
    static const struct function *const common[] = {
        scope_functions,       option_functions, interval_functions, depth_functions,
        statistics_functions,  regexp_functions, tree_functions,     json_functions,
        kernel_name_functions, op_functions};
    if (list == model_functions)
        return SECTION_FORMULAS;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (list == common[i])
            return SECTION_FUNCTIONS;
    return function_kind(function) == FUNCTION_TABLE ? SECTION_INSIDE : SECTION_EXPRESSIONS;
}

/* Of a set of reports the place among the sets. */
static size_t place_of_set(const char *set)
{
    static const char *const sets[] = {"pytorch",     "inference",    "multirank",
                                       "collectives", "nsys",         "rocprof",
                                       "jax",         "jax-analysis", "tt"};
    size_t place = 0;
    while (place < sizeof sets / sizeof *sets && strcmp(sets[place], set) != 0)
        place++;
    return place;
}

/* Where an object stands among others. */
static void place_object(struct listed *listed, const struct doc_object *object)
{
    enum { LAST = 100000 };
    const char *set = docs_declared(object, "set"), *position = docs_declared(object, "position");
    listed->section = section_of(object);
    listed->set = set ? set : "";
    listed->position = position ? strtol(position, NULL, 10) : set ? LAST : !object->is_view;
}

/* A function stands behind the views and tables of its section. */
static void place_function(struct listed *listed, const struct function *list,
                           const struct function *function)
{
    enum { BEHIND = 2 };
    listed->section = section_of_function(list, function);
    listed->set = "";
    listed->position = BEHIND;
}

static bool list_objects(const doc_list *docs, listing *all)
{
    bool done = true;
    for (size_t i = 0; i < docs->count && done; i++) {
        struct listed *listed = add_object(all, &docs->items[i]);
        if ((done = listed != NULL))
            place_object(listed, &docs->items[i]);
    }
    return done;
}

/* Several forms of one are there once. */
static bool list_functions(listing *all)
{
    const char *last = "";
    bool done = true;
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *function = function_lists[i]; function->name && done;
             function++) {
            if (strcmp(function->name, last) == 0)
                continue;
            struct listed *listed = add_function(all, function);
            if ((done = listed != NULL))
                place_function(listed, function_lists[i], function);
            last = function->name;
        }
    return done;
}

ORDER_BY(by_importance, struct listed,
         UP(look) || UP(section) || BY_LESS(place_of_set(a->set), place_of_set(b->set)) ||
             WORDS(set) || UP(position) || UP(number));

bool listing_all(const doc_list *docs, listing *all)
{
    if (!list_objects(docs, all) || !list_functions(all))
        return false;
    array_sort(all, by_importance);
    for (size_t i = 0; i < all->count; i++) {
        all->items[i].title = section_words[all->items[i].section];
        all->items[i].words.length = first_sentence(all->items[i].words.bytes);
    }
    return true;
}

bool listing_functions(listing *all)
{
    if (!list_functions(all))
        return false;
    array_sort(all, by_importance);
    for (size_t i = 0; i < all->count; i++)
        all->items[i].title = section_words[all->items[i].section];
    return true;
}

/* ------------------------------------------------------------------ searching */

/* Whether a word of a text begins with what is looked for. */
static bool speaks_of(const char *text, const char *what)
{
    size_t length = strlen(what);
    bool begins = true;
    for (const char *at = text; *at; at++) {
        if (begins && strncasecmp(at, what, length) == 0)
            return true;
        begins = !isalnum((unsigned char)*at);
    }
    return false;
}

/* The names of sheets and other names count as its own. */
static bool is_called(const struct doc_object *object, const char *what)
{
    static const char *const keys[] = {"sheet", "alias", "also"};
    bool is = speaks_of(object->name, what);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !is; i++) {
        const char *names = docs_declared(object, keys[i]);
        is = names && speaks_of(names, what);
    }
    return is;
}

/* What a search looks through, one after the other. */
enum look { LOOK_AT_NAMES, LOOK_AT_WORDS, LOOK_AT_COLUMNS, LOOK_COUNT };

static bool find_columns(const struct doc_object *object, const char *what, listing *found)
{
    const doc_columns *columns = docs_columns(object);
    for (size_t i = 0; columns && i < columns->count; i++) {
        const struct doc_column *column = &columns->items[i];
        struct text name = {0};
        if (!speaks_of(column->name, what) && !speaks_of(column->heading, what) &&
            !speaks_of(column->meaning, what))
            continue;
        struct listed *listed = text_format(&name, "%s.%s", object->name, column->name)
                                    ? add(found, name.items, "column", column->meaning)
                                    : NULL;
        if (!listed) {
            text_free(&name);
            return false;
        }
        listed->made = name.items;
        listed->look = LOOK_AT_COLUMNS;
        place_object(listed, object);
    }
    return columns != NULL;
}

static bool find_object(const struct doc_object *object, enum look look, listing *found)
{
    struct listed *listed = add_object(found, object);
    if (!listed)
        return false;
    listed->look = look;
    place_object(listed, object);
    return true;
}

static bool find_objects(const doc_list *docs, const char *what, enum look look, listing *found)
{
    bool done = true;
    for (size_t i = 0; i < docs->count && done; i++) {
        const struct doc_object *object = &docs->items[i];
        bool by_name = is_called(object, what), by_words = speaks_of(object->meaning, what);
        if (look == LOOK_AT_COLUMNS)
            done = find_columns(object, what, found);
        else if (look == LOOK_AT_NAMES ? by_name : by_words && !by_name)
            done = find_object(object, look, found);
    }
    return done;
}

static bool find_functions(const char *what, enum look look, listing *found)
{
    const char *last = "";
    bool done = true;
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *function = function_lists[i]; function->name && done;
             function++) {
            bool by_name = speaks_of(function->name, what);
            bool by_words = !by_name && speaks_of(function->meaning, what);
            bool is_found = look == LOOK_AT_NAMES ? by_name : look == LOOK_AT_WORDS && by_words;
            struct listed *listed = is_found && strcmp(function->name, last) != 0
                                        ? add_function(found, function)
                                        : NULL;
            done = listed || !is_found || strcmp(function->name, last) == 0;
            if (listed) {
                listed->look = look;
                place_function(listed, function_lists[i], function);
            }
            last = function->name;
        }
    return done;
}

bool listing_search(const doc_list *docs, const char *what, listing *found)
{
    bool done = true;
    for (enum look look = LOOK_AT_NAMES; look < LOOK_COUNT && done && *what; look++)
        done = find_objects(docs, what, look, found) && find_functions(what, look, found);
    array_sort(found, by_importance);
    for (size_t i = 0; i < found->count; i++)
        found->items[i].title =
            found->items[i].made ? "Columns" : "Reports, views, tables and functions";
    return done;
}
