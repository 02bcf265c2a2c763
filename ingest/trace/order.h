/* order: all of a trace in the order of time, for formats whose rows stand in no order.
 *
 * The same rows, shuffled, then give the same warehouse, but for the places in the file.
 */
#pragma once

#include "ingest/trace/trace.h"

/* Puts places into the order of their numbers, and slices, work and calls into that of their
 * starts, the longer first, then ops before calls, then by place and name. `*places` tells where
 * each slice went; the caller frees it. */
void order_trace(struct trace *self, uint32_t **places);
