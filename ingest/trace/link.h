/* link: who launched what, and which backward op belongs to which forward op.
 *
 * Called once a trace is read, before its tree is built. Launches are found the way the
 * profiler's own arrows draw them; where a trace has no arrows, by correlation ids; where it has
 * no ids, by the places that the arrows point to. What is then left is linked by further heads of
 * an arrow and by correlation ids; how each link is known is kept, because the reference tools do
 * not see all of them.
 */
#pragma once

#include "ingest/trace/trace.h"

/* Fills gpu_slice.call, trace.links, call_slice.first/last/count and trace.edges. */
void link_trace(struct trace *trace);
