/* graph: moments and what each of them waited for.
 *
 * A node is a moment; an edge says that its end cannot be earlier than its start and a weight. The
 * graph is made with the times that were measured, so every node but the first ones has a latest
 * arrival, its binding edge, and a lag behind it that nothing explains. Then
 *
 *     the binding edges back from a node are the path that bounds it, without a hole;
 *     graph_replay gives every time exactly, and predicts others when weights change;
 *     graph_slack says how much later each node could be without harm to the last one.
 *
 * Plain C. Every pass is linear in nodes and edges.
 */
#pragma once

#include "sql/functions/interval.h"
#include "src/base/array.h"

#include <stdint.h>

/* host_thread: what ran on a thread of the host: ops and calls of the runtime.
 *
 * At every moment the open event that started last is what the thread does; a thread is pieces of
 * such events and of nothing. Events nest, but for what profilers get wrong: nothing here relies on
 * it. */

/* There are millions of them: nothing is in it that can be found elsewhere. */
struct host_event {
    int64_t start, end;
    uint32_t id;   /* from the first one of its trace */
    uint32_t call; /* place in the schedule's calls + 1; 0 = an op; and perhaps HOST_OUTSIDE */
};

#define HOST_OUTSIDE 0x80000000u /* it is not selected */

static inline bool host_is_inside(const struct host_event *self)
{
    return !(self->call & HOST_OUTSIDE);
}

static inline uint32_t host_call(const struct host_event *self)
{
    return self->call & ~HOST_OUTSIDE;
}

/* A moment of a thread that is a node: an event begins or ends, or the window does. Its time, never
 * before that of the one before it, is that of the node. */
struct thread_point {
    uint32_t event : 30; /* place in the thread's events, or POINT_WINDOW */
    uint32_t what : 2;   /* POINT_END, POINT_OUTERMOST */
};

enum { POINT_END = 1, POINT_OUTERMOST = 2 };
#define POINT_WINDOW 0x3fffffffu /* the end of the window; a trace has fewer events */

struct host_thread {
    int64_t track;
    char *process, *name;
    ARRAY(struct host_event) events;  /* by start, the longer first */
    ARRAY(struct host_event) loading; /* ranges in which data is loaded, apart and by start */
    ARRAY(uint32_t) partners;         /* threads that it hands over to, and they to it */
    size_t launched;                  /* selected GPU activities */
    uint32_t first_point, end_point, first_node; /* its points, and the node of the first */
    struct end_tree ends;                        /* of blocks of its events, for thread_open_at */
};

/* Moves all that happened to another clock, before it is in order. */
void thread_shift(struct host_thread *self, int64_t by);

/* Puts the events in order, and joins the ranges. */
void thread_settle(struct host_thread *self);

/* Makes the thread ready for thread_open_at. */
void thread_index(struct host_thread *self);

/* From one stretch, in which something is open, to the next one, beginning with one of zeros;
 * `next` is the event behind it. False: there is no other. */
bool thread_next_stretch(const struct host_thread *self, struct host_event *stretch, size_t *next);

/* The place of the open event that started last, and in `until` when that may change; UINT32_MAX =
 * nothing is open. */
uint32_t thread_open_at(const struct host_thread *self, int64_t time, int64_t *until);

void thread_free(struct host_thread *self);

#define GRAPH_NONE UINT32_MAX

/* Kinds of edges; among arrivals at one time the first in this order binds, then the one made
 * first. */
enum tie_kind {
    TIE_SPAN,     /* a GPU activity, from its start to its end */
    TIE_STREAM,   /* the stream was busy with the work before */
    TIE_WAIT,     /* work waits for that of another stream */
    TIE_SYNC,     /* a call of the host waits for work */
    TIE_LAUNCH,   /* a call launches work */
    TIE_CHAIN,    /* one thing after another on a thread */
    TIE_HANDOVER, /* another thread hands over */
    TIE_JOIN,     /* ranks wait for each other */
    TIE_SOURCE,   /* the beginning, the end */
    TIE_KINDS
};

struct tie {
    int64_t weight;
    uint32_t from, to;
    uint32_t about; /* what it is an edge of, by the kind */
    uint32_t kind;
};

/* An edge as it is held: by its end. */
struct held_tie {
    int64_t weight;
    uint32_t from;
    uint32_t next; /* the edge to the same node that was made before it, as in `heads` */
    uint32_t about, kind;
};

/* Most nodes wait for nothing but the one before them, for as long as passed between the two. That
 * is no edge of the list, but a mark of the node. */
struct graph {
    struct memory *memory;        /* of the order, which may be asked for later */
    ARRAY(int64_t) times;         /* of nodes */
    ARRAY(uint32_t) heads;        /* that mark, or the edge to it that was made last */
    ARRAY(struct held_tie) edges; /* in the order in which they were made */
    bool has_backward;            /* some edge leads to an earlier node: there may be circles */
    bool had_cycle;               /* edges were taken out */
    size_t dropped[TIE_KINDS];    /* so many of each kind */
    uint32_t *order; /* nodes, each behind all that it waits for; NULL: not asked for */
    size_t ordered;  /* nodes that have a place there: the others wait for each other */
};

/* A node; GRAPH_NONE: there are no numbers for more. */
uint32_t graph_node(struct graph *self, int64_t time);

/* An edge; false when a node is GRAPH_NONE. */
bool graph_edge(struct graph *self, uint32_t from, uint32_t to, int64_t weight, enum tie_kind kind,
                uint32_t about);

/* The same from the node before `to`, with the time between the two. Nothing else makes `to` follow
 * it. False: there is no such node. */
bool graph_follow(struct graph *self, uint32_t to, enum tie_kind kind, uint32_t about);

/* Whether it does, and waits for nothing else. */
bool graph_follows(const struct graph *self, uint32_t node);

/* Makes the edges from one node to another edges of another kind from elsewhere. */
void graph_redirect(struct graph *self, uint32_t from, const struct tie *instead);

/* From one edge of a node to the next, beginning with its head; the last one made comes first. */
bool graph_next(const struct graph *self, uint32_t node, uint32_t *head, struct tie *edge);

/* Puts nodes in order, as far as they have one; the other one does so unless they are. */
void graph_order(struct graph *self);
void graph_ready(struct graph *self);

/* Takes out edges back in time. */
void graph_drop_backward(struct graph *self);

/* Marks the nodes without a place in the order: an array of all, which is zero. */
void graph_mark_stuck(const struct graph *self, bool *is_stuck);

/* Takes out edges that close a circle. */
void graph_settle(struct graph *self);

/* The edge that binds a node, and its lag, which may be NULL; false: none does. */
bool graph_binding(const struct graph *self, uint32_t node, struct tie *edge, int64_t *lag);

/* Weights and lags of a changed graph; the context is the caller's. */
struct graph_change {
    int64_t (*weight)(const void *context, const struct tie *edge);
    int64_t (*lag)(const void *context, const struct tie *binding, int64_t lag); /* NULL = as is */
    const void *context;
};

/* Times after a change (NULL = none) into an array of all nodes, which are in order. Gives how many
 * nodes have another binding edge then. */
size_t graph_replay(const struct graph *self, const struct graph_change *change, int64_t *times);

/* How much later each node may be without harm to `sink`, into an array of all nodes, which are in
 * order. */
void graph_slack(const struct graph *self, uint32_t sink, int64_t *slack);

void graph_free(struct graph *self);
