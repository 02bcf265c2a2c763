/* path: what bounds a schedule, from its beginning to its end without a hole.
 *
 * Back from the sink every moment is explained by its binding edge; the segments say in words what
 * happened between the two. Their times add up to what the path takes: a segment that runs
 * backwards says that clocks contradict each other, and counts negative.
 */
#pragma once

#include "sql/schedule/plan.h"

enum segment_kind {
    SEGMENT_HOST_OP,
    SEGMENT_RUNTIME_CALL,
    SEGMENT_HOST_OUTSIDE,
    SEGMENT_HANDOVER,
    SEGMENT_LOADING,
    SEGMENT_SYNC_RETURN,
    SEGMENT_COMPUTATION,
    SEGMENT_COPY,
    SEGMENT_COMMUNICATION,
    SEGMENT_TRANSFER, /* of a collective, once all ranks are there */
    SEGMENT_ARRIVAL,
    SEGMENT_KERNEL_GAP,
    SEGMENT_WAIT_GAP,
    SEGMENT_LAUNCH_CALL,
    SEGMENT_LAUNCH,
    SEGMENT_EARLIER,
    SEGMENT_UNKNOWN,
    SEGMENT_TAIL,
    SEGMENT_CLOCK,
    SEGMENT_KINDS
};

/* The kinds in words, and what is said to bound a step there. */
extern const struct segment_words {
    const char *kind, *bound_by;
    bool is_host, is_work; /* time of the host; of GPU activities */
} segment_words[SEGMENT_KINDS];

/* A piece of the path, or a leg of it: there are millions of pieces on the path of a host, and a
 * leg is all of them on one thread without a break. One begins where the one before it ends. */
struct segment {
    int64_t to;
    uint32_t number; /* event, from the first one of its trace, + 1; 0 = none. Of such a leg the
                        first node; GRAPH_NONE = no nodes are in it */
    uint32_t about;  /* name of the work, or the host's track; 0 = none. Of such a leg the place of
                        the thread */
    uint32_t part;   /* rank */
    uint8_t kind;    /* enum segment_kind; of such a leg that of its time with nothing open */
    uint8_t word;    /* enum schedule_word: how a wait is known, or 0 */
    bool is_thread;
};

typedef ARRAY(struct segment) segment_list;

struct path {
    segment_list *legs; /* that it is added to */
    int64_t begin;
    bool has_hole;
};

/* Adds the path of a plan that is made; the legs are the caller's. */
void path_make(struct plan *plan, struct path *self);

/* The same to a node of a plan whose path was made, back to a moment and perhaps a piece more. */
void path_make_to(struct plan *plan, struct path *self, uint32_t node, int64_t after);

/* Goes from piece to piece: path_walk_begin, and path_walk_next until it is false. */
struct path_walk {
    int64_t from;         /* where the piece in hand begins */
    struct segment piece; /* which is that */

    const struct plan *plan;
    const struct segment *legs, *leg;
    size_t next, count;
    int64_t at;
    const struct host_thread *thread; /* of the leg in hand; NULL: it is on none */
    struct segment about;             /* what the thread is with until then */
    int64_t until, stop;              /* stop: the next node */
    uint32_t node, open;              /* what is open from `at` on, before `change` */
    int64_t change;
    size_t near;
};

/* The first piece is the one that goes on after a moment, or one shortly before it. */
void path_walk_begin(struct path_walk *self, const struct plan *plan, const struct segment *legs,
                     size_t count, int64_t begin, int64_t after);
bool path_walk_next(struct path_walk *self);
