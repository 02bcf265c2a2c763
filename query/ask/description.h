/* description: what tables, views and functions are, in words: those of the comments in the SQL
 * files and those of the lists of functions; for people, or as JSON.
 */
#pragma once

#include "query/ask/listing.h"
#include "query/sink/sink.h"
#include "sql/docs.h"
#include "src/base/error.h"

#include <stdio.h>

struct description_options {
    FILE *out;
    int width; /* of a line for people */
    bool json;
};

/* Reports by the question that they answer. */
bool description_reports(const doc_list *docs, const struct listing_wish *wish,
                         const struct description_options *options);

/* Reports alone that speak of the words, the best match first. */
bool description_search(const doc_list *docs, const char *what,
                        const struct description_options *options, struct error *error);

/* Where to begin, on one screen. */
void description_start(const doc_list *docs, const struct description_options *options);

/* All there is, with a sentence each, what people ask for first. */
void description_list(const doc_list *docs, const struct description_options *options);

/* All functions and tables that C computes, with how they are called. */
void description_functions(const struct description_options *options);

/* One thing with its columns; or, if nothing is called so, what has the word. */
bool description_print(const doc_list *docs, const char *name,
                       const struct description_options *options, struct error *error);

/* The same as rows: the columns of what is called so; with `finds` what speaks of all of the words,
 * or everything where there are none. */
bool description_send(const doc_list *docs, const char *name, bool finds, struct sink *sink,
                      struct error *error);

/* The names of all that can be described, a line each. */
bool description_names(const doc_list *docs, FILE *out);

/* A list of things with their words, in columns: two short ones, then text that is wrapped. The
 * list owns the words. */
struct description_row {
    const char *name, *kind;
    char *words;
};

typedef ARRAY(struct description_row) description_rows;

void description_add(description_rows *rows, const char *name, const char *kind, const char *words,
                     size_t length);
void description_print_rows(const description_rows *rows,
                            const struct description_options *options);

/* Prints words in lines that end before the width; further lines begin at `indent`. */
void description_print_words(const char *words, int indent,
                             const struct description_options *options);
