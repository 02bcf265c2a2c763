/* process: see process.h. A program has a group of its own, which is killed when it took too long,
 * when it has ended, and when tpq is: a signal ends tpq once its last workplace is gone. */
#include "src/base/process.h"

#include "src/base/clock.h"
#include "src/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    remove(path);
    return 0;
}

static _Atomic int workplaces;
static volatile sig_atomic_t ended_by;

static void remove_lost(void *workplace)
{
    nftw(workplace, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    if (--workplaces == 0 && ended_by)
        kill(getpid(), ended_by);
}

/* The next one does what it does by default. */
static void on_signal(int number)
{
    ended_by = number;
    if (!workplaces)
        raise(number);
}

char *workplace_make(struct error *error)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, now;
    const char *parent = getenv("TMPDIR");
    struct text path = {0};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    text_format(&path, "%s/tpq-XXXXXX", parent && *parent == '/' ? parent : "/tmp");
    if (mkdtemp(path.items)) {
        workplaces++;
        memory_at_end(remove_lost, path.items);
        return path.items;
    }
    error_set(error, STATUS_DATABASE, "%s: cannot be made a folder: %s", path.items,
              strerror(errno));
    text_free(&path);
    return NULL;
}

void workplace_remove(char *workplace)
{
    if (workplace)
        remove_lost(workplace);
    memory_forget(workplace);
    memory_free(workplace);
}

extern char **environ;

char *process_find(const char *program)
{
    const char *at = getenv("PATH");
    struct text path = {0};
    struct stat status;
    while (at && *at) {
        size_t length = strcspn(at, ":");
        text_clear(&path);
        if (*at == '/') {
            text_format(&path, "%.*s/%s", (int)length, at, program);
            if (access(path.items, X_OK) == 0 && stat(path.items, &status) == 0 &&
                S_ISREG(status.st_mode))
                return path.items;
        }
        at += length + (at[length] == ':');
    }
    text_free(&path);
    return NULL;
}

static int start(const struct process *self, pid_t *child)
{
    enum { NEW = O_WRONLY | O_CREAT | O_EXCL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    int problem = posix_spawn_file_actions_init(&actions) | posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    problem |= posix_spawn_file_actions_addchdir_np(&actions, self->directory);
    problem |= posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    problem |= posix_spawn_file_actions_addopen(&actions, 1, self->output, NEW, 0666);
    problem |= posix_spawn_file_actions_addopen(&actions, 2, self->errors, NEW, 0666);
    if (!problem)
        problem = posix_spawn(child, self->program, &actions, &attributes, self->words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

void process_run(const struct process *self, char *why, size_t room)
{
    const struct timespec turn = {.tv_nsec = 5000000};
    pid_t child;
    int status = 0, problem = start(self, &child);
    bool too_long = false;
    *why = '\0';
    if (problem) {
        snprintf(why, room, "cannot be started: %s", strerror(problem));
        return;
    }
    double end = clock_seconds() + self->seconds;
    pid_t ended;
    while ((ended = waitpid(child, &status, too_long ? 0 : WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (!ended_by && clock_seconds() < end) {
            nanosleep(&turn, NULL);
        } else if (!too_long) {
            kill(-child, SIGKILL);
            too_long = true;
        }
    }
    kill(-child, SIGKILL); /* what it may have left behind */
    if (ended_by)
        remove_lost((void *)self->directory);
    while (ended_by)
        pause();
    if (too_long)
        snprintf(why, room, "took longer than %d s", self->seconds);
    else if (ended < 0)
        snprintf(why, room, "cannot be waited for: %s", strerror(errno));
    else if (WIFSIGNALED(status))
        snprintf(why, room, "was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        snprintf(why, room, "ended with status %d", WEXITSTATUS(status));
}
