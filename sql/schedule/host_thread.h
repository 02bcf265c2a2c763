/* host_thread: what ran on a thread of the host: ops and calls of the runtime.
 *
 * At every moment the open event that started last is what the thread does; a thread is pieces of
 * such events and of nothing. Events nest, but for what profilers get wrong: nothing here relies on
 * it.
 */
#ifndef TPQ_SQL_SCHEDULE_HOST_THREAD_H
#define TPQ_SQL_SCHEDULE_HOST_THREAD_H

#include "sql/functions/end_tree.h"
#include "src/base/array.h"

#include <stdint.h>

struct host_event {
    int64_t start, end;
    int64_t id;
    uint32_t call; /* place in the schedule's calls + 1; 0 = an op */
    bool is_inside;
};

/* A moment of a thread that is a node: an event begins or ends, or the window does. */
struct thread_point {
    int64_t time;   /* never before that of the one before it */
    uint32_t event; /* place in the thread's events; UINT32_MAX = the end of the window */
    uint32_t thread;
    bool is_end, is_outermost;
};

struct host_thread {
    int64_t track;
    char *process, *name;
    ARRAY(struct host_event) events;  /* by start, the longer first */
    ARRAY(struct host_event) loading; /* ranges in which data is loaded, apart and by start */
    ARRAY(uint32_t) partners;         /* threads that it hands over to, and they to it */
    uint32_t first_point, end_point, first_node; /* its points, and the node of the first */
    struct end_tree ends;                        /* of its events, for thread_open_at */
};

/* Moves all that happened to another clock, before it is in order. */
void thread_shift(struct host_thread *self, int64_t by);

/* Puts the events in order, and joins the ranges. False when memory is out. */
bool thread_settle(struct host_thread *self);

/* The place of the open event that started last, and in `until` when that may change; UINT32_MAX =
 * nothing is open. */
uint32_t thread_open_at(const struct host_thread *self, int64_t time, int64_t *until);

void thread_free(struct host_thread *self);

#endif
