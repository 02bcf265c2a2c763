/* store: from a trace in memory to rows in a warehouse, in one transaction.
 *
 * Whatever stops it, the warehouse is left as it was before. Texts, signatures and arguments that
 * the warehouse knows already are found and used again.
 */
#pragma once

#include "ingest/trace/trace.h"
#include "ingest/trace/tree.h"
#include "sql/warehouse/warehouse.h"

struct store_options {
    const char *run;
    const char *const *labels; /* KEY=VALUE, ended by NULL; may be NULL */
    const char *path;
    int64_t mtime_ns;               /* of its file; 0 = not known */
    int64_t rank;                   /* NONE = not known */
    bool parts_ranks;               /* the same content of another rank is another trace */
    const char *graph_notes;        /* of graph_notes_read; NULL = none */
    const struct context *requests; /* as in ingest_options */
    struct notes *told;             /* gets what is counted about graph nodes */
    enum tree_order order;
    bool no_frames;
    bool replace; /* a trace with the same content or the same path makes way */
};

enum store_result { STORE_DONE, STORE_KNOWN_ALREADY, STORE_FAILED };

/* tree_build comes first. Traces behind it are other processes of the same input: they say their
 * own ranks, and all are stored or none. `*trace_id` is that of the first one, or of the known
 * trace. */
enum store_result store_trace(struct warehouse *warehouse, const struct trace *trace,
                              const struct store_options *options, int64_t *trace_id,
                              struct error *error);

/* Puts the labels in `options` over those that the run has. */
bool store_labels(struct warehouse *warehouse, const struct store_options *options,
                  struct error *error);
