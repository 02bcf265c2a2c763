/* ledger: how much of what the accelerators did a report can explain, and what it leaves out. */
#ifndef TPQ_QUERY_REPORT_LEDGER_H
#define TPQ_QUERY_REPORT_LEDGER_H

#include "sql/warehouse.h"

#include <stdio.h>

struct ledger {
    int64_t busy_ns, linked_ns, categorised_ns, graph_ns, unlinked_ns;
    int64_t modelled_ns;                         /* -1 = no report has looked at models */
    int64_t clipped, dropped, zero, overlapping; /* events, as counted at ingest */
};

/* Sums the report explained_time over the selection. What has a model is only said when a report
 * has looked at models already: else it would cost as much as all other figures together. */
bool ledger_read(struct warehouse *warehouse, struct ledger *self, struct error *error);

/* Per cent of the busy time that is linked to an op; 100 when nothing was busy. */
double ledger_explained(const struct ledger *self);

/* In lines of so many characters; 0 = in one. False: memory is out. */
bool ledger_print(const struct ledger *self, size_t width, FILE *out);

#endif
