/* ttmetal_facts: what only an op of tt-metal has, on a device or on the host.
 *
 * ttmetal_row.c makes the rows; ttmetal.c gives them to the trace.
 */
#pragma once

#include "ingest/trace/facts.h"

/* NONE = not given. */
struct device_op {
    uint32_t slice;
    uint32_t fidelity; /* text */
    int64_t device, calls, cores, available_cores, sub_device;
    int64_t kernel, firmware, host, gap; /* ns */
    int64_t host_start;                  /* ns */
    int64_t start_cycle, end_cycle;
    int64_t metal_trace, replay;
};

extern const struct fact_table device_op_facts;
