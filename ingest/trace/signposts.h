/* signposts: which slices of a trace are steps, ranges and points.
 *
 * Marks are; so are the steps of old profilers, which are ops, and are known by name. Where a name
 * does not tell, trace.steps does. store.c asks for one slice after the other.
 */
#pragma once

#include "ingest/trace/trace.h"

struct signposts {
    const struct trace *trace;
    uint32_t last_name; /* many marks in a row have one name */
    int64_t last_step;
};

struct signpost_kind {
    const char *name;   /* as in the column signpost.kind */
    int64_t step;       /* NONE = it is none */
    bool is_point;      /* it has no end */
    struct view domain; /* JSON text of what stands before its name; empty = nothing */
};

/* Whether a slice is a signpost, and which. */
bool signposts_find(struct signposts *self, uint32_t slice, struct signpost_kind *found);
