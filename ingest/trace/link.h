/* link: who launched what, and which backward op belongs to which forward op.
 *
 * Called once a trace is read, before its tree is built. Launches are found the way the
 * profiler's own arrows draw them; where a trace has no arrows, by correlation ids; where it has
 * no ids, by the places that the arrows point to.
 */
#ifndef TPQ_INGEST_TRACE_LINK_H
#define TPQ_INGEST_TRACE_LINK_H

#include "ingest/trace/trace.h"

/* Fills gpu_slice.call, call_slice.first/last/count and trace.edges. */
bool link_trace(struct trace *trace, struct error *error);

#endif
