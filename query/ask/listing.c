/* listing: One comparison orders all lists: by match, section, set, position, then the order of
 * files. Each list fills in what it knows, and leaves the rest 0. A search rates each word by where
 * it is found, name before meaning; an object without one of the words is no match, and columns
 * come last. */
#include "query/ask/listing.h"

#include "sql/register.h"
#include "sql/warehouse/catalog.h"
#include "src/base/order.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LOOK_LAST = 1000 }; /* of what is found: columns */

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

/* Adds something with its words, or their first sentence. */
static struct listed *add(listing *all, const char *name, const char *kind, const char *words)
{
    struct listed *added = array_push(all);
    *added = (struct listed){
        .name = name, .kind = kind, .words = {words, strlen(words)}, .number = all->count};
    return added;
}

static struct listed *add_object(listing *all, const struct doc_object *object)
{
    struct listed *added = add(all, object->name, listing_kind(object), object->meaning);
    added->object = object;
    return added;
}

static struct listed *add_function(listing *all, const struct function *function)
{
    struct listed *added =
        add(all, function->name, listing_function_kind(function), function->meaning);
    added->function = function;
    return added;
}

void listing_free(listing *all)
{
    for (size_t i = 0; i < all->count; i++)
        memory_free(all->items[i].made);
    array_free(all);
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
         UP(look) || UP(section) || BY_LESS(place_of_set(a->set), place_of_set(b->set)) ||
             WORDS(set) || UP(position) || UP(number));

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
    bool does = !docs_declared(object, "question") || !set || wish->set;
    for (size_t i = 0; i < sizeof common / sizeof *common && !does; i++)
        does = strcmp(set, common[i]) == 0;
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

/* ------------------------------------------------------------------ searching */

/* True if a word of a text begins with what is looked for. */
static bool speaks_of(const char *text, const char *what)
{
    size_t length = strlen(what);
    bool begins = true;
    for (const char *at = text; text && *at; at++) {
        if (begins && strncasecmp(at, what, length) == 0)
            return true;
        begins = !isalnum((unsigned char)*at);
    }
    return false;
}

/* The words of a question that say what it is about. */
struct query {
    char words[8][32];
    size_t count;
};

/* A plural is looked for as its singular. */
static void read_query(struct query *self, const char *text)
{
    static const char *const small[] = {"a",  "an",   "the",   "of",  "by",  "and",
                                        "or", "what", "which", "is",  "in",  "to",
                                        "my", "does", "do",    "how", "got", "are"};
    enum {
        WORD_MAX = sizeof self->words[0] - 1,
        WORDS_MAX = sizeof self->words / sizeof *self->words
    };
    while (*text && self->count < WORDS_MAX) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        char *word = self->words[self->count];
        snprintf(word, WORD_MAX + 1, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX), text);
        size_t end = strlen(word);
        if (end > 3 && word[end - 1] == 's' && word[end - 2] != 's')
            word[end - 1] = 0;
        bool is_small = length == 0;
        for (size_t i = 0; i < sizeof small / sizeof *small; i++)
            is_small |= strcasecmp(word, small[i]) == 0;
        self->count += !is_small;
        text += length + (text[length] != 0);
    }
}

/* How much a name with its words has to do with a word that is looked for; 0: nothing. */
static unsigned rate(const char *name, const char *also, const char *meaning, const char *what)
{
    enum { BY_ALL = 9, BY_WORD = 8, BY_NAME = 6, BY_TITLE = 3, BY_MEANING = 2 };
    char title[160];
    snprintf(title, sizeof title, "%.*s", (int)first_sentence(meaning), meaning);
    return strcasecmp(name, what) == 0 ? BY_ALL
           : speaks_of(also, what)     ? BY_WORD
           : speaks_of(name, what)     ? BY_NAME
           : speaks_of(title, what)    ? BY_TITLE
           : speaks_of(meaning, what)  ? BY_MEANING
                                       : 0;
}

/* The same of an object, whose sheets and other names count as its own. */
static unsigned rate_object(const struct doc_object *object, const char *what)
{
    static const char *const keys[] = {"words", "sheet", "alias", "also"};
    unsigned best = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        unsigned found = rate(object->name, docs_declared(object, keys[i]), object->meaning, what);
        best = found > best ? found : best;
    }
    return best;
}

/* Matches are ordered by the sum over their words; 0 where one of them is missing. */
static void find_object(const struct doc_object *object, const struct query *query, listing *found)
{
    unsigned sum = 0;
    if (listing_is_inside(object))
        return;
    for (size_t i = 0; i < query->count; i++) {
        unsigned one = rate_object(object, query->words[i]);
        if (!one)
            return;
        sum += one;
    }
    struct listed *listed = add_object(found, object);
    bool is_first = false;
    if (catalog_is_report(object))
        question_of(object, &is_first);
    place_object(listed, object);
    listed->look = LOOK_LAST - 4 * sum - is_first;
}

void listing_search(const doc_list *docs, const char *what, listing *found)
{
    struct query query = {0};
    read_query(&query, what);
    for (size_t i = 0; i < docs->count && query.count; i++) {
        const struct doc_object *object = &docs->items[i];
        find_object(object, &query, found);
        if (!listing_is_inside(object)) {
            const doc_columns *columns = docs_columns(object);
            for (size_t k = 0; k < columns->count; k++) {
                const struct doc_column *column = &columns->items[k];
                struct text name = {0};
                size_t has = 0;
                for (size_t j = 0; j < query.count; j++)
                    has += speaks_of(column->name, query.words[j]) ||
                           speaks_of(column->heading, query.words[j]) ||
                           speaks_of(column->meaning, query.words[j]);
                if (has < query.count)
                    continue;
                text_format(&name, "%s.%s", object->name, column->name);
                struct listed *listed = add(found, name.items, "column", column->meaning);
                listed->made = name.items;
                listed->look = LOOK_LAST;
                place_object(listed, object);
            }
        }
    }
    if (query.count) {
        const struct function *function = NULL;
        int list = 0;
        while ((function = listing_next_function(function, &list))) {
            unsigned sum = 0, one = 1;
            for (size_t i = 0; i < query.count && one; i++)
                sum += one = rate(function->name, NULL, function->meaning, query.words[i]);
            struct listed *listed = one ? add_function(found, function) : NULL;
            if (!listed)
                continue;
            place_function(listed, function_lists[list], function);
            listed->look = LOOK_LAST - 4 * sum;
        }
    }
    array_sort(found, by_importance);
    for (size_t i = 0; i < found->count; i++) {
        struct listed *listed = &found->items[i];
        listed->title = listed->made ? "Columns" : "Reports, views, tables and functions";
        listed->words.length = first_sentence(listed->words.bytes);
    }
}
