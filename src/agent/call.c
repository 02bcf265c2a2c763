/* call: a fork whose standard output and standard error are files in memory. The child alone holds
 * the end of a pipe, so the pipe tells when the child has ended; until then the parent reads what
 * the client sends. A mark tells the sentence of the work from other texts on standard error. */
#include "src/agent/call.h"

#include "src/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* More requests than that wait in the pipe. */
enum { WAITING_MAX = 1 << 16 };

static const char sentence_mark = '\1'; /* before the sentence of the work itself */

volatile bool call_is_off;
static sigset_t usual_signals;

static void turn_off(int number)
{
    (void)number;
    call_is_off = true;
}

void call_listen(void)
{
    struct sigaction action = {.sa_handler = turn_off};
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    sigprocmask(SIG_BLOCK, &both, &usual_signals);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Waits until there is input, or the process behind `done` has ended. */
static void wait_for(struct rpc *rpc, int done, double seconds)
{
    bool reads = !rpc->has_ended && rpc->waiting.count < WAITING_MAX;
    struct pollfd files[] = {{reads ? rpc->in : -1, POLLIN, 0}, {done, POLLIN, 0}};
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (ppoll(files, 2, seconds < 0 ? NULL : &time, &usual_signals) <= 0 || call_is_off)
        return;
    if (files[0].revents)
        rpc_read(rpc);
}

void call_wait(struct rpc *rpc, double seconds)
{
    wait_for(rpc, -1, seconds);
}

/* ------------------------------------------------------------------ the process */

static _Noreturn void run_work(const struct call *self, int out, int said, pid_t parent)
{
    struct error error = {0};
    struct memory memory = {0};
    struct memory_attempt attempt;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it ended before it was asked for */
        _exit(1);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &usual_signals, NULL);
    bool done = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
                dup2(said, STDERR_FILENO) >= 0;
    if (!memory_try(&attempt, &memory)) {
        error_memory(&error);
        done = false;
    } else {
        done = done && self->work(self->context, &error);
        memory_leave(&attempt);
    }
    if (done && (fflush(stdout) != 0 || ferror(stdout)))
        done = error_set(&error, STATUS_DATABASE, "the answer cannot be kept in memory");
    fprintf(stderr, "%c%s", sentence_mark, done ? "" : error.text);
    fflush(stderr);
    _exit(done ? 0 : 1);
}

static bool read_memory_file(int file, struct text *out)
{
    off_t size = lseek(file, 0, SEEK_END);
    if (size < 0)
        return false;
    text_reserve(out, (size_t)size);
    ssize_t count = pread(file, out->items, (size_t)size, 0);
    out->count = count > 0 ? (size_t)count : 0;
    out->items[out->count] = '\0';
    return count == size;
}

/* Keeps the sentence behind the last mark, or the text before a mark that none follows. */
static void keep_sentence(struct text *said)
{
    char *mark = said->count ? memrchr(said->items, sentence_mark, said->count) : NULL;
    if (mark && mark[1]) {
        said->count -= (size_t)(mark + 1 - said->items);
        memmove(said->items, mark + 1, said->count + 1);
    } else if (mark) {
        *mark = '\0';
        said->count = (size_t)(mark - said->items);
    }
}

/* Until the process has ended; true: by itself. */
static enum call_end watch(struct call *self, struct rpc *rpc, int done, double start)
{
    double told = start;
    size_t seen = 0;
    struct pollfd end = {done, POLLIN, 0};
    while (poll(&end, 1, 0) == 0) {
        double now = clock_seconds(), left = start + self->seconds - now;
        if (left <= 0)
            return CALL_LATE;
        wait_for(rpc, done, left < 0.5 ? left : 0.5);
        if (call_is_off || rpc->is_gone)
            return CALL_STOPPED;
        if ((rpc->waiting.count > seen || rpc->has_ended) && !self->look(self->server))
            return CALL_STOPPED;
        seen = rpc->waiting.count;
        if (now - start > 1 && now - told >= 0.5) {
            told = now;
            self->tell(self->server, now - start);
        }
    }
    return CALL_DONE;
}

enum call_end call_run(struct call *self, struct rpc *rpc)
{
    int out = memfd_create("answer", MFD_CLOEXEC), said = memfd_create("said", MFD_CLOEXEC);
    int done[2] = {-1, -1}, status = 0;
    enum call_end end = CALL_FAILED;
    double start = clock_seconds();
    pid_t process = -1, parent = getpid();
    if (out >= 0 && said >= 0 && pipe2(done, O_CLOEXEC) == 0)
        process = fork();
    if (process == 0)
        run_work(self, out, said, parent);
    close(done[1]);
    if (process > 0) {
        end = watch(self, rpc, done[0], start);
        if (end != CALL_DONE)
            kill(process, SIGKILL);
        while (waitpid(process, &status, 0) < 0 && errno == EINTR)
            continue;
        bool read = read_memory_file(out, &self->out) && read_memory_file(said, &self->said);
        if (end == CALL_DONE && (!read || !WIFEXITED(status) || WEXITSTATUS(status)))
            end = CALL_FAILED;
        keep_sentence(&self->said);
        if (end == CALL_FAILED && WIFSIGNALED(status)) {
            text_clear(&self->said);
            text_format(&self->said, "the call crashed by signal %d (%s); the server goes on",
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
        }
    }
    close(out);
    close(said);
    close(done[0]);
    return end;
}

void call_free(struct call *self)
{
    text_free(&self->out);
    text_free(&self->said);
}
