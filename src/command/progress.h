/* progress: one line on the terminal about files that are being read, written over and over by a
 * thread of its own. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    pthread_t thread;
    pthread_mutex_t lock; /* of the terminal line */
    pthread_cond_t wake;
    bool running, stop, paused, line_shown, is_held;
    double start;
    _Atomic int64_t *bytes_read; /* of each file; NULL when memory is out */
    _Atomic size_t files_done;
    size_t file_count;
    int64_t bytes_total;
};

void progress_start(struct progress *self, size_t file_count, int64_t bytes, bool wanted);

/* A file is done: until progress_go_on the line is gone, and others may write. */
void progress_hold(struct progress *self);
void progress_go_on(struct progress *self);

/* While other work is done, there is no line. */
void progress_pause(struct progress *self, bool paused);

void progress_stop(struct progress *self);
