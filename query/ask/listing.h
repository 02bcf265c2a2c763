/* listing: all that can be described, in the order in which people ask for it, and what of it
 * speaks of something: reports, tables, views, functions, and columns where those have the word. */
#ifndef TPQ_QUERY_ASK_LISTING_H
#define TPQ_QUERY_ASK_LISTING_H

#include "sql/binding/function.h"
#include "sql/docs.h"

struct listed {
    const char *title; /* of the section that it belongs to */
    const char *name, *kind;
    struct view words;               /* the beginning of all that is said of it */
    const struct doc_object *object; /* NULL: a function or a column */
    const struct function *function; /* NULL: an object or a column */
    char *made;                      /* the name, where it is ours */
    unsigned look, section;          /* where it stands; what of it was found */
    const char *set;
    long position;
    size_t number;
};

typedef ARRAY(struct listed) listing;

const char *listing_kind(const struct doc_object *object);
const char *listing_function_kind(const struct function *function);

/* Everything, with the first sentence of its words. False: memory is out. */
bool listing_all(const doc_list *docs, listing *all);

/* Only functions and tables that C computes, with all of their words. */
bool listing_functions(listing *all);

/* What has a word that begins with `what`: first by its name, then by its words, then columns; each
 * of them as in the list of everything. */
bool listing_search(const doc_list *docs, const char *what, listing *found);

void listing_free(listing *all);

#endif
