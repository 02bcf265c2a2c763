/* coverage: the share of the GPU busy time that ops cover, and counts of unusable events. */
#pragma once

#include "sql/warehouse.h"

#include <stdio.h>

struct coverage {
    int64_t busy_ns, linked_ns, categorised_ns, graph_ns, unlinked_ns;
    int64_t modelled_ns;                         /* -1 = no report has looked at models */
    int64_t clipped, dropped, zero, overlapping; /* events, as counted at ingest */
};

/* Sums the report gpu_time_coverage over the selection. What has a model is only said when a report
 * has looked at models already: else it would cost as much as all other figures together. */
bool coverage_read(struct warehouse *warehouse, struct coverage *self, struct error *error);

/* Per cent of the busy time that is linked to an op; 100 when nothing was busy. */
double coverage_linked_pct(const struct coverage *self);

/* In lines of so many characters; 0 = in one. False: memory is out. */
bool coverage_print(const struct coverage *self, size_t width, FILE *out);
