/* capture: traces of the capture of graphs, which tell what a replayed graph is made of.
 *
 *     struct captures captures;
 *     captures_open(&captures, "captures/", false, &error);
 *     captures_merge(&captures, &trace, &error);     between link_trace and tree_build
 *     ... tree_build ...
 *     captures_settle(&trace, &merged);              gives slices their own times again
 *     captures_close(&captures);
 *
 * A folder of captures has traces that were taken while graphs were recorded: ops, frames and calls
 * are in them, but nothing ran. Whoever replays such a graph later shows one call with all its work
 * below. Merging puts the recorded calls below that call, and each GPU activity below the recorded
 * call that stands for it. What does not fit is left as it was, and counted in a note.
 *
 * Which capture belongs to a step is said by the tokens of the step: the smallest capture that has
 * room for them.
 */
#pragma once

#include "ingest/trace/trace.h"
#include "sql/warehouse/warehouse.h"

/* Slices between one start and end of a capture. */
struct recording {
    int64_t start, end;
    ARRAY(uint32_t) slices; /* in the order in which they nest */
    ARRAY(uint32_t) calls;  /* of those, what launches, copies or sets */
};

struct capture {
    char *path;
    int64_t batch;
    bool is_full; /* the whole step is one graph; otherwise it has pieces */
    struct trace trace;
    ARRAY(struct recording) recordings;
};

struct captures {
    ARRAY(struct capture) list;
    bool no_frames;
    struct warehouse words; /* reads the names of steps */
};

/* Fails when the folder cannot be read or has no usable capture. */
bool captures_open(struct captures *self, const char *folder, bool no_frames, struct error *error);
void captures_close(struct captures *self);

/* The graph launches whose work was given away, in the order of their starts. */
struct graft {
    uint32_t launch;     /* slice */
    uint32_t first, end; /* the slices that were added */
    int64_t length;
};

struct merged {
    ARRAY(struct graft) grafts;
    ARRAY(int64_t) times; /* start and duration of every slice, as they are */
};

bool captures_merge(struct captures *self, struct trace *trace, struct merged *merged,
                    struct error *error);
void captures_settle(struct trace *trace, const struct merged *merged);
void merged_free(struct merged *merged);
