/* progress: a thread wakes five times a second and draws the line. The lock is held from the end
 * of a file until its messages are printed, so the line never comes between them; progress_stop
 * gives back the lock of a call that failed in between. */
#include "src/command/progress.h"

#include "src/base/clock.h"
#include "src/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int terminal_width(void)
{
    enum { USUAL_WIDTH = 80 };
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL_WIDTH;
}

static void *progress_run(void *context)
{
    struct progress *self = context;
    pthread_mutex_lock(&self->lock);
    while (!self->stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&self->wake, &self->lock, &until);
        if (!self->stop && !self->paused) {
            /* The bar has what the figures leave of the line: a longer one would not go back to its
             * start. */
            enum { BAR_LONGEST = 24, BESIDE_BAR = 3 };
            int64_t done = 0;
            for (size_t i = 0; i < self->file_count; i++)
                done += self->bytes_read[i];
            double seconds = clock_seconds() - self->start, share = 0;
            double rate = seconds > 0 ? (double)done / seconds : 0;
            if (self->bytes_total > 0)
                share = fmin((double)done / (double)self->bytes_total, 1);
            char figures[160], left[40] = "";
            if (rate > 0 && share > 0 && share < 1)
                snprintf(left, sizeof left, "  %.0f s left",
                         (double)(self->bytes_total - done) / rate);
            int length =
                snprintf(figures, sizeof figures, "%3.0f%%  %zu/%zu files  %.0f MB/s%s",
                         share * 100, (size_t)self->files_done, self->file_count, rate / 1e6, left);
            int room = terminal_width() - 1, bar = room - length - BESIDE_BAR;
            bar = bar < BAR_LONGEST ? bar : BAR_LONGEST;
            fputc('\r', stderr);
            if (bar > 0)
                fprintf(stderr, "[%.*s%*s] ", (int)(share * bar), "########################",
                        bar - (int)(share * bar), "");
            fprintf(stderr, "%.*s\033[K", room, figures);
            self->line_shown = true;
        }
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static void clear_line(struct progress *self)
{
    if (self->line_shown)
        fputs("\r\033[K", stderr);
    self->line_shown = false;
}

static void stop_lost(void *progress)
{
    progress_stop(progress);
}

void progress_start(struct progress *self, size_t file_count, int64_t bytes, bool wanted)
{
    *self =
        (struct progress){.file_count = file_count, .bytes_total = bytes, .start = clock_seconds()};
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->wake, NULL);
    self->bytes_read = memory_zeroed(file_count + 1, sizeof *self->bytes_read);
    memory_at_end(stop_lost, self);
    if (wanted)
        self->running = pthread_create(&self->thread, NULL, progress_run, self) == 0;
}

void progress_hold(struct progress *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_held = true;
    clear_line(self);
    self->files_done++;
}

void progress_go_on(struct progress *self)
{
    self->is_held = false;
    pthread_mutex_unlock(&self->lock);
}

void progress_pause(struct progress *self, bool paused)
{
    pthread_mutex_lock(&self->lock);
    if (paused)
        clear_line(self);
    self->paused = paused;
    pthread_mutex_unlock(&self->lock);
}

void progress_stop(struct progress *self)
{
    memory_forget(self);
    if (self->is_held) /* by a call that failed */
        progress_go_on(self);
    if (self->running) {
        pthread_mutex_lock(&self->lock);
        self->stop = true;
        pthread_cond_signal(&self->wake);
        pthread_mutex_unlock(&self->lock);
        pthread_join(self->thread, NULL);
    }
    clear_line(self);
    pthread_cond_destroy(&self->wake);
    pthread_mutex_destroy(&self->lock);
}
