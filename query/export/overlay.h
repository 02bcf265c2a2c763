/* overlay: the critical path of a trace, laid over its slices: which of them are on it, and arrows
 * where it goes from one track to another, or from work to work. */
#pragma once

#include "query/export/counters.h"
#include "query/export/slices.h"

/* Adds arrows numbered from `*number` on. */
bool overlay_add(struct slices *slices, int64_t trace_id, uint64_t *number);

/* A series for each accelerator that the path is on: 1 while it is. */
bool overlay_write_series(const struct slices *slices, const struct counters *counters);
