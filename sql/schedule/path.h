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

/* A piece of the path. One begins where the one before it ends. */
struct segment {
    int64_t from, to;
    uint32_t number; /* event, from the first one of its trace, + 1; 0 = none */
    uint32_t about;  /* name of the work, or the host's track; 0 = none */
    uint32_t part;   /* rank */
    uint8_t kind;    /* enum segment_kind */
    uint8_t word;    /* enum schedule_word: how a wait is known, or 0 */
};

typedef ARRAY(struct segment) segment_list;

struct path {
    segment_list *pieces; /* that it is added to */
    uint32_t first_part;  /* added to the place of a rank in its plan */
    int64_t begin;
    bool has_hole;
};

/* Adds the path of a plan that is made; the pieces are the caller's. */
void path_make(struct plan *plan, struct path *self);

/* The same to a node of a plan whose path was made, back to a moment and perhaps a piece more. */
void path_make_to(struct plan *plan, struct path *self, uint32_t node, int64_t after);
