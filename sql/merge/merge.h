/* merge: the traces of warehouses that were made elsewhere, taken into one.
 *
 * Each source is one transaction, in the order in which they were named; a bad one leaves all as it
 * was, and the others are taken. A source is a stranger's file: it is opened to be read, only
 * tables are read, and what refers to something that is not there is damage. What is copied is
 * asked of the schema (belongings.h); no statement runs for each row. `tpq merge` is the caller.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

/* A kind of events with a number that is the same everywhere. */
struct merge_category {
    int64_t id;
    const char *name, *role;
};

struct merge_options {
    const char *database; /* made when it is not there */
    const char *run;      /* all traces go into this run; NULL = into those of their names */
    const char *prefix;   /* before each name; NULL = none */
    bool replace;         /* a trace that is here makes way */
    int wait_ms;          /* for other processes */
    const struct merge_category *categories;
    size_t category_count;
};

/* The outcome of a source. */
struct merge_outcome {
    const char *path;
    const struct error *error; /* why nothing of it was taken; NULL = it was */
    int64_t stored, known, events;
    int64_t catalog_rows, settings, tables; /* of the user, that stay where they are */
};

struct merge_observer {
    void (*finished)(void *context, const struct merge_outcome *outcome);
    /* How many traces of a run were stored, how many known; behind `finished`. */
    void (*counted)(void *context, const char *run, int64_t stored, int64_t known);
    /* A label of a run that has another value here, which stays. */
    void (*kept)(void *context, const char *run, const char *label, const char *here,
                 const char *there);
    void *context;
};

/* Returns false on a failure that ended it all, or with STATUS_BAD_INPUT when some source failed;
 * `error` then holds the first failure. */
bool merge_run(const struct merge_options *options, const char *const *sources, size_t count,
               const struct merge_observer *observer, struct error *error);
