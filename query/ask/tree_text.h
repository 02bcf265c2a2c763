/* tree_text: a part of the call tree as indented text with times, or as objects with their depth.
 */
#pragma once

#include "sql/warehouse.h"
#include "src/base/document.h"

#include <stdio.h>

struct tree_text_options {
    int64_t depth;             /* levels to show; INT64_MAX = all */
    bool no_frames;            /* pass over Python frames */
    struct document *document; /* gets an object for each event into a list that is open in it,
                                * instead of text; NULL */
};

/* The subtree of an event; its ancestors, outermost first, and itself; all tracks of a trace. */
bool tree_text_below(struct warehouse *warehouse, int64_t event,
                     const struct tree_text_options *options, FILE *out, struct error *error);
bool tree_text_above(struct warehouse *warehouse, int64_t event,
                     const struct tree_text_options *options, FILE *out, struct error *error);
bool tree_text_trace(struct warehouse *warehouse, int64_t trace,
                     const struct tree_text_options *options, FILE *out, struct error *error);
