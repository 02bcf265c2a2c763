/* clock: seconds for people; nothing that is stored depends on it. */
#pragma once

#include <time.h>

/* Seconds since some moment; only differences mean something. */
static inline double clock_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
