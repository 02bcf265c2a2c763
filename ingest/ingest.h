/* ingest: many files into one warehouse.
 *
 * Files are read in parallel and written by one, in the order in which they were named, one
 * transaction each. A bad file is reported and the others go on; a bad database ends it.
 */
#pragma once

#include "ingest/discover.h"
#include "ingest/formats.h"
#include "ingest/trace/tree.h"
#include "sql/warehouse/warehouse.h"

struct ingest_options {
    const char *database;
    struct warehouse *into;    /* open already, instead of `database`; may be NULL */
    const char *run;           /* of all inputs, unless these say theirs */
    const char *const *labels; /* KEY=VALUE, ended by NULL; may be NULL */
    const char *rank_pattern;  /* NULL = the usual */
    const char *as; /* path that standard input, which is the only input, goes by; NULL = none */
    int jobs; /* files read at the same time; 1 = one thread in all; 0 = one for each processor */
    int wait_ms; /* for other processes */
    bool replace;
    const char *captures;           /* folder of captures of graphs (capture.h); NULL = none */
    const char *graph_notes;        /* annotations of graph nodes (graph_notes.h); NULL = none */
    const struct context *requests; /* options with those of a served model; NULL = none */
    const char *saved_views;        /* all or plain (schema.h); NULL = as it is */
    struct read_options read;
    enum tree_order order;
};

enum ingest_result { INGEST_STORED, INGEST_KNOWN, INGEST_FOREIGN, INGEST_FAILED };

/* Counts of a file that was stored. */
enum { COUNT_EVENTS, COUNT_OPS, COUNT_KERNELS, COUNT_OTHER, COUNT_MEMORY, COUNT_BYTES, COUNTS };

/* The outcome of one file. */
struct ingest_outcome {
    const char *path, *run;
    enum ingest_result result;
    int64_t trace_id; /* of the first one */
    int64_t traces;   /* that were stored; their ids follow each other */
    int64_t counts[COUNTS];
    double seconds;            /* of reading, and of writing */
    const struct notes *notes; /* NULL unless stored */
    const struct error *error; /* why, when it failed or is no trace */
};

struct ingest_observer {
    void (*finished)(void *context, const struct ingest_outcome *outcome);
    void *context;
    _Atomic int64_t *bytes_read; /* of each input; may be NULL */
};

/* Returns false on a failure that ended it all, or with STATUS_BAD_INPUT when some file failed;
 * `error` then holds the first failure. */
bool ingest_run(const struct ingest_options *options, const input_list *inputs,
                const struct ingest_observer *observer, struct error *error);
