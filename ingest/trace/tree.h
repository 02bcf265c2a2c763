/* tree: the call tree of a trace, as a numbering.
 *
 * Events get their numbers in preorder of the finished tree, so that a subtree is a range of
 * numbers. Ops and runtime calls nest among themselves, by process, thread and time; Python frames
 * are wrapped around them and never change where an op hangs; GPU activities hang below the
 * call that launched it. Accelerator work without a call, and everything that is no part of the
 * tree, stands as roots in tracks of its own.
 */
#pragma once

#include "ingest/trace/sort.h"

/* Fills trace.tree, trace.start and the launching ops in trace.calls. link_trace comes first. */
void tree_build(struct trace *trace, enum tree_order order);
