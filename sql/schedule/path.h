/* path: what bounds a schedule, from its beginning to its end without a hole.
 *
 * Back from the sink every moment is explained by its binding edge; the segments say in words what
 * happened between the two. Their times add up to what the path takes: a segment that runs
 * backwards says that clocks contradict each other, and counts negative.
 */
#ifndef TPQ_SQL_SCHEDULE_PATH_H
#define TPQ_SQL_SCHEDULE_PATH_H

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
    bool is_host, is_work; /* time of the host; of accelerator work */
} segment_words[SEGMENT_KINDS];

struct segment {
    int64_t from, to;
    int64_t id;     /* event, or 0 */
    uint32_t work;  /* name of the work, or 0 */
    uint32_t track; /* of the host's thread, or 0 */
    uint32_t part;  /* rank */
    uint32_t whole; /* for who keeps it */
    uint8_t kind;   /* enum segment_kind */
    uint8_t word;   /* enum schedule_word: how a wait is known, or 0 */
};

typedef ARRAY(struct segment) segment_list;

/* Adds the path of a plan that is made. False when memory is out. */
bool path_make(const struct plan *self, segment_list *path);

#endif
