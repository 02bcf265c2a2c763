/* overlay: what is laid over the slices of an export. The critical path of a trace: which slices
 * are on it, and arrows where it goes from one track to another, or from work to work. Meetings:
 * collectives that several of the exported ranks took part in, arrows from the rank that came last
 * to the others, and how long each rank waited.
 *
 * The ranks' clocks are those of collective_call.common_ns, which is what an export goes by.
 */
#pragma once

#include "query/export/counters.h"
#include "query/export/export.h"
#include "query/export/slices.h"

/* Adds arrows numbered from `*number` on. */
bool overlay_add(struct slices *slices, int64_t trace_id, uint64_t *number);

/* A series for each accelerator that the path is on: 1 while it is. */
bool overlay_write_series(const struct slices *slices, const struct counters *counters);

/* An end of an arrow, at a time on the common clock. */
struct meeting_end {
    int64_t trace_id, id, time;
    uint64_t number;
    bool is_end;
};

struct meeting_wait {
    int64_t trace_id, from, to;
};

struct meetings {
    ARRAY(struct meeting_end) ends;   /* by trace */
    ARRAY(struct meeting_wait) waits; /* by trace and time */
};

/* Nothing where there is but one rank. */
bool meetings_read(struct meetings *self, const struct export *export);

/* Adds the arrows of a trace to its slices. */
void meetings_add_arrows(const struct meetings *self, const struct export_trace *trace,
                         struct slices *slices);

/* The waits of a trace as a series, by the functions of `counters`. */
bool meetings_write_waits(const struct meetings *self, const struct export_trace *trace,
                          const struct counters *counters);
