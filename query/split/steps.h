/* steps: the steps of a trace, as an engine that serves a model has marked them, and what parts of
 * a trace are worth being looked at by themselves.
 *
 *     steps_read          steps of a trace, by start; without marks of an engine the profiler's
 *                         steps, and without those what repeats in its call tree
 *     steps_regions       where the engine is busy: runs of steps with nearly as many requests as
 *                         most
 *     steps_mixed, ...    windows of a given length inside a region
 *
 * Ranges of steps are [first, end).
 */
#pragma once

#include "query/select/ranges.h"
#include "sql/warehouse/warehouse.h"

enum step_phase { PHASE_IDLE, PHASE_PREFILL, PHASE_DECODE, PHASE_BOTH };

struct engine_step {
    char *name;
    int64_t start, duration; /* nanoseconds from the start of the trace */
    int64_t batch, context, generation, context_sum, generation_sum;
    int64_t c_sq, c_sk, g_sq, g_sk;
    bool is_marked, has_sums;
};

struct steps {
    ARRAY(struct engine_step) list;
    bool is_served; /* marked by an engine; only such steps have phases */
};

struct span {
    size_t first, end;
};

typedef ARRAY(struct span) span_list;

enum step_phase step_phase(const struct engine_step *step);
int64_t step_requests(const struct engine_step *step);

bool steps_read(struct warehouse *warehouse, int64_t trace_id, struct steps *steps,
                struct error *error);

/* Regions in which the number of requests stays near its highest; `wanted` is the length of the
 * windows to come. `*is_guess`: there is none, and the middle of the steps stands for one. */
void steps_regions(const struct steps *steps, size_t wanted, span_list *regions, bool *is_guess);

/* The share of steps with prefill in all regions. */
double steps_prefill_share(const struct steps *steps, const span_list *regions);

/* The window of `wanted` steps in a region whose share of prefill is nearest to `share`. */
struct span steps_mixed(const struct steps *steps, struct span region, size_t wanted, double share);

/* The first steps, at most `wanted`, of the longest run of steps that only decode, or that do some
 * prefill; empty when there is none. */
struct span steps_longest(const struct steps *steps, struct span region, size_t wanted,
                          bool prefill);

/* Runs of steps of one phase, where prefill beside decode counts as prefill when `two` is set.
 * Idle steps part them. */
void steps_runs(const struct steps *steps, struct span region, bool two, span_list *runs);

/* A pattern in a list of names: `period` names from `start` on that come `repeats` times. False:
 * there is none. */
struct repetition {
    size_t start, period, repeats;
};
bool repetition_find(const int64_t *names, size_t count, struct repetition *out);
