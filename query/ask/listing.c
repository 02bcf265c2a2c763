/* listing: One comparison orders all lists: by score of a search, section, set, position, then the
 * order of files. Each list fills in what it knows, and leaves the rest 0. */
#include "query/ask/listing.h"

#include "sql/register.h"
#include "sql/warehouse/catalog.h"
#include "src/base/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Sections of the list, in the order in which people ask for them. */
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

/* Questions that reports declare, in the order in which people ask them. */
static const struct {
    const char *key, *title;
} questions[] = {
    {"tables", "Tables for SQL of your own (tpq sql, any SQLite)"},
    {"time", "Where does the time go"},
    {"kernels", "Which kernels"},
    {"ops", "Which ops and modules"},
    {"communication", "Communication"},
    {"idle", "Idle time and launches"},
    {"efficiency", "Efficiency: roofline, MFU"},
    {"memory", "Memory and memcpy"},
    {"steps", "Steps, phases, critical path"},
    {"ranks", "Ranks"},
    {"compare", "Compare runs"},
    {"advice", "What to change"},
    {"raw", "Raw traces and checks"},
};
enum { QUESTION_COUNT = sizeof questions / sizeof *questions };

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

struct listed *listing_add(listing *all, const char *name, const char *kind, const char *words)
{
    struct listed *added = array_push(all);
    *added = (struct listed){
        .name = name, .kind = kind, .words = view_of(words), .set = "", .number = all->count};
    return added;
}

static struct listed *add_object(listing *all, const struct doc_object *object)
{
    struct listed *added = listing_add(all, object->name, listing_kind(object), object->meaning);
    added->object = object;
    return added;
}

static struct listed *add_function(listing *all, const struct function *function)
{
    struct listed *added =
        listing_add(all, function->name, listing_function_kind(function), function->meaning);
    added->function = function;
    return added;
}

/* ------------------------------------------------------------------ everything */

static enum section section_of(const struct doc_object *object)
{
    static const struct {
        const char *path;
        enum section section;
    } places[] = {{"views/stock.sql", SECTION_EVENTS}, {"views/basic.sql", SECTION_EVENTS},
                  {"schema/1_", SECTION_EVENTS},       {"schema/2_", SECTION_EVENTS},
                  {"schema/3_", SECTION_KNOWN},        {"views/", SECTION_INSIDE},
                  {"overlay/", SECTION_INSIDE}};
    const char *when = docs_declared(object, "when");
    if (catalog_is_report(object))
        return when && !text_starts_with(when, "not ") ? SECTION_NAMED : SECTION_REPORTS;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (text_starts_with(object->file->path, places[i].path))
            return places[i].section;
    return SECTION_EVENTS; /* of the user's own files */
}

bool listing_is_inside(const struct doc_object *object)
{
    return section_of(object) == SECTION_INSIDE;
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

/* The place of a set of reports among the sets. */
static size_t place_of_set(const char *set)
{
    static const char *const sets[] = {"pytorch",      "snapshot", "inference", "multirank",
                                       "collectives",  "nsys",     "rocprof",   "jax",
                                       "jax-analysis", "tt"};
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

const struct function *listing_next_function(const struct function *before, int *list)
{
    const struct function *next = before ? before + 1 : function_lists[*list];
    while (!next->name || (before && strcmp(next->name, before->name) == 0)) {
        if (next->name)
            next++;
        else if (++*list < function_list_count)
            next = function_lists[*list];
        else
            return NULL;
    }
    return next;
}

static void list_functions(listing *all)
{
    const struct function *function = NULL;
    int list = 0;
    while ((function = listing_next_function(function, &list))) {
        struct listed *listed = add_function(all, function);
        place_function(listed, function_lists[list], function);
    }
}

ORDER_BY(by_importance, struct listed,
         DOWN(score) || UP(section) || BY_LESS(place_of_set(a->set), place_of_set(b->set)) ||
             WORDS(set) || UP(position) || UP(number));

void listing_sort(listing *all)
{
    array_sort(all, by_importance);
}

void listing_all(const doc_list *docs, listing *all)
{
    for (size_t i = 0; i < docs->count; i++) {
        struct listed *listed = add_object(all, &docs->items[i]);
        place_object(listed, &docs->items[i]);
    }
    list_functions(all);
    array_sort(all, by_importance);
    for (size_t i = 0; i < all->count; i++) {
        all->items[i].title = section_words[all->items[i].section];
        all->items[i].words.length = first_sentence(all->items[i].words.bytes);
    }
}

void listing_functions(listing *all)
{
    list_functions(all);
    array_sort(all, by_importance);
    for (size_t i = 0; i < all->count; i++)
        all->items[i].title = section_words[all->items[i].section];
}

/* ------------------------------------------------------------------ by question */

/* The question of a report; those of the user's own files that declare none come last. */
static unsigned question_of(const struct doc_object *object, bool *is_first)
{
    const char *question = docs_declared(object, "question");
    size_t length = question ? strcspn(question, " ") : 0;
    *is_first = !question || question[length];
    unsigned place = 0;
    while (place < QUESTION_COUNT && (strlen(questions[place].key) != length ||
                                      strncmp(questions[place].key, question, length) != 0))
        place++;
    return place;
}

bool listing_is_question(const char *word)
{
    for (unsigned i = 0; i < QUESTION_COUNT; i++)
        if (strcmp(questions[i].key, word) == 0)
            return true;
    return false;
}

/* True if a report is about whatever was traced, or about traces of a wanted kind. */
static bool suits(const struct doc_object *object, const struct listing_wish *wish)
{
    static const char *const common[] = {"pytorch", "multirank", "collectives"};
    const char *set = docs_declared(object, "set");
    bool does = !docs_declared(object, "question") || !set || wish->set ||
                VIEW_IS_AMONG(view_of(set), common);
    const char *list = wish->own_sets;
    for (struct view own; !does && (own = docs_next_name(&list)).length;)
        does = view_equal(own, view_of(set));
    return does;
}

static bool is_wanted(const struct doc_object *object, const struct listing_wish *wish,
                      unsigned question, bool is_first)
{
    bool is_listed =
        catalog_is_report(object) || (wish->tables && docs_declared(object, "question"));
    if (!is_listed || (wish->set && !catalog_in_set(object, wish->set)))
        return false;
    if (wish->question &&
        (question == QUESTION_COUNT || strcmp(questions[question].key, wish->question) != 0))
        return false;
    return (!wish->only_first || is_first) &&
           ((!wish->only_first && !wish->own_sets) || suits(object, wish));
}

bool listing_reports(const doc_list *docs, const struct listing_wish *wish, listing *all)
{
    bool done = true;
    for (size_t i = 0; i < docs->count && done; i++) {
        const struct doc_object *object = &docs->items[i];
        bool is_first, can = true;
        unsigned question = question_of(object, &is_first);
        if (!is_wanted(object, wish, question, is_first))
            continue;
        done = !wish->can_fill || wish->can_fill(wish->context, object, &can);
        if (done && can) {
            struct listed *listed = add_object(all, object);
            place_object(listed, object);
            listed->section = question;
            listed->title = question < QUESTION_COUNT ? questions[question].title : "Your reports";
            listed->words.length = first_sentence(listed->words.bytes);
        }
    }
    array_sort(all, by_importance);
    return done;
}
