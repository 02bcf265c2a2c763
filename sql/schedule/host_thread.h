/* host_thread: what ran on a thread of the host: ops and calls of the runtime.
 *
 * At every moment the open event that started last is what the thread does; a thread is pieces of
 * such events and of nothing. Events nest, but for what profilers get wrong: nothing here relies on
 * it.
 */
#pragma once

#include "sql/functions/end_tree.h"
#include "src/base/array.h"

#include <stdint.h>

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

/* Puts the events in order, and joins the ranges. False when memory is out. */
bool thread_settle(struct host_thread *self);

/* Makes the thread ready for thread_open_at. False when memory is out. */
bool thread_index(struct host_thread *self);

/* From one stretch, in which something is open, to the next one, beginning with one of zeros;
 * `next` is the event behind it. False: there is no other. */
bool thread_next_stretch(const struct host_thread *self, struct host_event *stretch, size_t *next);

/* The place of the open event that started last, and in `until` when that may change; UINT32_MAX =
 * nothing is open. `near` is where to look first, and becomes where to look next: any number is
 * right. */
uint32_t thread_open_at(const struct host_thread *self, int64_t time, size_t *near, int64_t *until);

void thread_free(struct host_thread *self);
