/* counter: what a profiler sampled over time: facts beside slices.
 *
 *     struct counters counters = {0};
 *     uint32_t number = counters_find(&counters, &(struct counter){.name = name, ...});
 *     counters_add(&counters, number, time, value);           in any order
 *     counters_give(&counters, &trace);                       once all labels are there
 *
 * Rows of counter_track, counter_sample and gpu_counter come of it. A counter has one value at a
 * time: of several the greatest holds, whatever their order.
 */
#pragma once

#include "ingest/trace/trace.h"

/* The identity of a counter. Texts are numbers in trace.strings, 0 = not stated. Hashed as bytes:
 * no padding. */
struct counter {
    int64_t device; /* as gpu_event has it; NONE = the host's */
    uint32_t name, unit, source;
    uint32_t place; /* a process as slices have it, or what of the machine it is */
};

struct counter_sample {
    int64_t time; /* on the file's clock */
    double value; /* finite */
    uint32_t counter;
};

/* A counter's value for one GPU activity. */
struct gpu_counter {
    int64_t instance; /* which of several parts of the accelerator, from 0 */
    double value;
    uint32_t slice, counter;
};

struct counters {
    struct intern known; /* of struct counter */
    ARRAY(struct counter_sample) samples;
    ARRAY(struct gpu_counter) of_work; /* sorted by slice when they are given */
};

extern const struct fact_table counter_track_facts, counter_sample_facts, gpu_counter_facts;

/* The number of a counter, from 0. */
uint32_t counters_find(struct counters *self, const struct counter *counter);

/* Adds a sample; what is not a finite number is skipped. */
void counters_add(struct counters *self, uint32_t counter, int64_t time, double value);

/* Slices of work went to other places (order.h): sorts what counters say of it. Parts that have the
 * same number are numbered on, the least value first. */
void counters_sort_work(struct counters *self, const uint32_t *places);

/* Gives all that was added to the trace. */
void counters_give(struct counters *self, struct trace *trace);

/* Parts a name that states its unit in brackets at its end, as in "DRAM Read [Throughput %]"; round
 * ones must hold the word of a unit. Without one the unit is empty. */
void counter_split_unit(struct view text, struct view *name, struct view *unit);

/* Whether a text is the word of a unit: MHz, MB/s, %. */
bool counter_is_unit(struct view text);
