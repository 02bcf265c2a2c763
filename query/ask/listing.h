/* listing: all that can be described, in the order in which people ask for it: reports, tables,
 * views and functions. */
#pragma once

#include "sql/binding/function.h"
#include "sql/docs.h"

struct listed {
    const char *title; /* of the section that it belongs to */
    const char *name, *kind;
    struct view words;               /* the beginning of all that is said of it */
    const struct doc_object *object; /* NULL: none, as all of a search that is no object */
    const struct function *function; /* NULL: none */
    char *made[5]; /* owned: kind, name, words, further words, the report that shows it */
    double score;  /* of a search */
    unsigned section;
    const char *set;
    long position;
    size_t number;
};

typedef ARRAY(struct listed) listing;

const char *listing_kind(const struct doc_object *object);
const char *listing_function_kind(const struct function *function);

/* Whether it is a view that only reports are made of, which no list but that of all has. */
bool listing_is_inside(const struct doc_object *object);

/* Everything, with the first sentence of its words. */
void listing_all(const doc_list *docs, listing *all);

/* Only functions and tables that C computes, with all of their words. */
void listing_functions(listing *all);

/* Reports are listed by the question that they declare. */
struct listing_wish {
    const char *set, *question; /* of these alone; NULL: of any */
    const char *own_sets;       /* of the loaded traces, with commas; NULL: none are loaded */
    bool only_first;            /* reports that people need first, and the user's own */
    bool tables;                /* views and tables that declare a question, too */
    /* Whether a report would have rows; NULL: all are listed. False: it cannot be said. */
    bool (*can_fill)(void *context, const struct doc_object *report, bool *can);
    void *context;
};

bool listing_reports(const doc_list *docs, const struct listing_wish *wish, listing *all);
bool listing_is_question(const char *word);

/* The function behind another, or the first one for NULL, once a name; NULL: there are no more. Its
 * list is function_lists[*list], from 0. */
const struct function *listing_next_function(const struct function *before, int *list);

/* Adds something with its words, at the end; sorts by score, then importance. */
struct listed *listing_add(listing *all, const char *name, const char *kind, const char *words);
void listing_sort(listing *all);
