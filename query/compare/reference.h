/* reference: comparisons as the reference tool makes them: sheets of reports joined by their keys,
 * with differences and shares (the view reference_comparison says of which).
 *
 * Positive differences mean that the later report has more. Rows that have a key in common come
 * together each with each, as in that tool; keys may be empty.
 */
#pragma once

#include "query/compare/side.h"
#include "query/sink/sink.h"
#include "sql/docs.h"

struct reference_options {
    const doc_list *docs;
    const struct selection *selection; /* what else is selected of every side */
    const char *set;                   /* of reports, whose sheets are compared */
    const char *const *parts;          /* of sheets, ended by NULL; NULL = all */
    struct sink *const *sinks;
    size_t sink_count;
    struct text *remarks; /* gets a line for each sheet that is left out */
};

/* Makes them of all sides and hands them to the outputs. */
bool reference_compare(struct side *sides, size_t side_count,
                       const struct reference_options *options, struct error *error);
