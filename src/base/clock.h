/* clock: seconds for people; nothing that is stored depends on it. */
#pragma once

#include <time.h>

static inline double clock_read(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds since some moment; only differences mean something. */
static inline double clock_seconds(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* Processor time of this thread, likewise. */
static inline double clock_thread_seconds(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}
