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
#include "query/export/places.h"
#include "query/export/slices.h"

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

/* Reads the places and slices of a trace with all arrows that it has, which are numbered from
 * `*number` on; those of the path, and of meetings unless these are NULL. */
bool overlay_read_trace(struct places *places, struct slices *slices,
                        const struct meetings *meetings, struct warehouse *warehouse,
                        const struct export_trace *trace, const struct slice_options *options,
                        bool critical_path, uint64_t *number, struct error *error);

/* Writes all series of a trace by the functions of `counters`, which names the slices: what
 * counted; the waits for other ranks; and 1 for each accelerator while the path is on it. */
bool overlay_write_counters(struct counters *counters, const struct places *places,
                            const struct meetings *meetings, const struct export_trace *trace);
