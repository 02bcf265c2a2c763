/* counters: what counted over the time of a trace, sample by sample: work that was launched and has
 * not started, busy accelerators, rates of copies, memory, and what profilers sampled. */
#pragma once

#include "query/export/slices.h"

enum counter_unit { COUNTER_OTHER, COUNTER_COUNT, COUNTER_BYTES };

struct counter_series {
    const char *name;
    enum counter_unit unit;
    const char *unit_name; /* NULL = none */
    int64_t device;        /* SLICE_NONE = of the host */
    const char *place;     /* process, as the file writes it; NULL = none, or the device */
    bool is_stated;        /* by the profiler; else it is ours */
};

struct counters {
    struct warehouse *warehouse;
    int64_t trace_id;
    const struct slices *slices;
    bool in_full; /* also of each stream, busy accelerators and rates of copies */
    bool no_memory;
    const char *host; /* process that counters of a rank belong to; NULL = none */
    struct error *error;
    /* A series begins; its samples follow, in the order of time. */
    bool (*begin)(void *context, const struct counter_series *series);
    bool (*sample)(void *context, int64_t time, double value);
    void *context;
};

/* All series that are within the time of the slices. False as the functions do, or with an
 * error. */
bool counters_write(struct counters *self);
