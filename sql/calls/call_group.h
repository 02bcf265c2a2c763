/* call_group: calls that are one row of a report, and what they have in common. Used by
 * call_tables.c.
 */
#pragma once

#include "sql/binding/group.h"
#include "sql/calls/call_rows.h"
#include "sql/functions/statistics.h"
#include "sql/kernels/kernel_details.h"

enum call_report { CALLS_ROOFLINE, CALLS_COLLECTED };

/* The figures of a sample; what it is too small for is NAN. */
struct call_figures {
    size_t count;
    double sum, mean, median, deviation, least, most;
};

struct call_groups {
    const struct call_rows *rows;
    enum call_report report;
    bool by_kernels; /* the number of kernels parts groups */
    bool by_overlap; /* so does what ran beside them */
    ARRAY(const struct call *) calls;
    struct groups groups;
    size_t from, to; /* the group in hand: places in groups.order */

    /* of the group in hand */
    const struct call *first; /* the one that stands first in the file */
    size_t nested;            /* calls inside another one of the same sheet */
    int64_t not_examined;     /* see call_beside */
    struct call_figures kernel_us, tflops, tbs, per_us, host_us, overlap;
    sample samples[6];
};

/* Puts calls in groups. False: memory is out. */
bool call_groups_make(struct call_groups *self, const struct call_rows *rows,
                      enum call_report report, bool by_kernels, bool by_overlap);

/* Goes to the next group; *found says whether there is one. False: memory is out. */
bool call_groups_next(struct call_groups *self, bool *found);

/* The kernels of the calls of the group in hand (kernel_details.h). */
void call_groups_details(const struct call_groups *self, struct kernel_details *details);

/* The same of what ran beside them. */
void call_groups_beside(const struct call_groups *self, struct kernel_details *details);

/* GPU activities beside the first call; NULL = none. */
const struct call_beside *call_groups_first_beside(const struct call_groups *self);

/* Operations and bytes that the model gives for a call, of the pass that it is. */
const struct figure *call_flops(const struct call *call);
const struct figure *call_bytes(const struct call *call);

void call_groups_free(struct call_groups *self);
