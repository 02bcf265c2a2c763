/* call_reading: the ground on which the calls of a trace are read: what is only there meanwhile,
 * texts, models, and GPU activities.
 *
 * The parts of reading, one a file, are declared at the end; call_read.c calls them in their order.
 * Only files of this room include it. All functions that return int give a result code of SQLite.
 * Read are GPU activities and ops, once, in the order of ids, and the pseudo ops of extension
 * files. No statement stays open.
 */
#pragma once

#include "sql/asked.h"
#include "sql/calls/call_rows.h"
#include "sql/kernels/catalog_answers.h"

/* A range of ids that is selected. */
struct range {
    int64_t first, last;
    int8_t recompute; /* -1 = not asked */
};

struct range_list {
    struct range *items;
    size_t count, room;
};

/* A link from a forward op to a backward one. */
struct call_edge {
    int64_t from, to, to_last;
    int64_t forward_name, forward_op, backward_name;
    uint32_t found;        /* launching ops below `to` that are named like it */
    bool can_be_for_model; /* the model of the forward op has a backward category */
};

/* An op of the engine's for a model, and its first link, a place in edges + 1. */
struct call_step {
    int64_t op;
    uint32_t edge;
};

/* A mark on the host; `latest` is the latest end of those up to it. */
struct call_mark {
    int64_t start, end, latest;
    char *words;
};

/* State of reading a trace. */
struct call_reading {
    struct call_rows *rows;
    sqlite3 *db;
    struct context *context;
    struct error *error;
    struct catalog_answers catalog;
    struct call_trace *trace;
    ARRAY(struct call_edge) edges; /* by where they start */
    ARRAY(struct call_step) steps; /* by id */
    ARRAY(struct call_mark) marks; /* by start */
    ARRAY(int64_t) forward;        /* ops that backward ones are linked to */
    struct map links;              /* backward op -> place in forward, from 1 */
    bool has_marks, has_links;     /* they were read */
    struct map model_of;           /* name -> place in models + 1; 1 = no model */
    struct map below_of;           /* step of the engine -> place in below + 1 */
    ARRAY(int64_t) below;          /* names of ops, see name_below */
    sqlite3_stmt *ask_name;
    struct asked ask_start, ask_parent, ask_op; /* of an event */
};

/* The text of an id, until the next one is asked for. A result code of SQLite. */
int call_reading_text(struct call_reading *self, int64_t id, const char **text);

/* The model of a name as place in models, from 1; 0 = none. */
int call_reading_model(struct call_reading *self, int64_t name, uint32_t *model);

/* Reads the work of a trace that some call launched; it is then ordered by id. */
int call_reading_kernels(struct call_reading *self, const struct range_list *ranges);

/* The place of the first kernel of the trace from an id on, counted from its first one. */
size_t call_reading_first_kernel(const struct call_reading *self, int64_t id);

/* call_ops.c: reads the ops of a trace. */
int call_read_ops(struct call_reading *self, const struct range_list *ranges);

/* call_measure.c: the work below the calls of a trace, and which of them stand in others; and the
 * time covered by what is below calls that have a usable model. */
void call_measure(struct call_reading *self);
void call_measure_modelled(struct call_reading *self);

/* The same file looks for what ran beside the work of calls, if that was asked for. */
int call_overlap(struct call_reading *self, const struct range *ranges, size_t count);

/* call_collect.c: picks the calls of a trace in which each GPU activity is counted once. */
int call_collect(struct call_reading *self);

/* call_backward.c: makes the rows of backward passes. */
void call_backward(struct call_reading *self);
int call_read_edges(struct call_reading *self, const struct range_list *ranges);
