/* Out of memory, at every allocation: each scene is played as it should be, then with every
 * allocation failing, and with every fifth and all after it failing, too. SQLite's allocations
 * count like ours. It is built small (tests/CMakeLists.txt), so that there are many of them, and
 * without sanitizers no allocation of an ingest into an open warehouse is left out.
 *
 * Either the scene fails cleanly (status 4, a sentence, nothing changed) or all of it is done:
 * what the failed allocation was for may not be missing from the result. Nothing is ever leaked.
 *
 * What comes before an allocation is played once: there the process forks. The child, in which it
 * fails, plays on and checks the outcome; then the parent finds everything as it was.
 */
#include "src/command/session.h"
#include "tests/unit/contents.h"

#include "query/select/selection.h"
#include "src/base/text.h"
#include "src/command/option.h"
#include "src/verbs/verbs.h"

#ifdef TPQ_SANITIZED
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the n-th allocation */

static struct {
    pthread_mutex_t lock;
    int64_t count, at; /* the failing one; 0 = none */
    int64_t fork_at;   /* the one at which children are made; 0 = none */
    bool and_after, failed;
    int64_t live; /* allocations that were not freed */
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void make_trials(void);

static bool allocation_fails(void)
{
    pthread_mutex_lock(&memory.lock);
    int64_t count = ++memory.count;
    pthread_mutex_unlock(&memory.lock);
    if (count == memory.fork_at)
        make_trials();
    pthread_mutex_lock(&memory.lock);
    bool fails = memory.at && (memory.and_after ? count >= memory.at : count == memory.at);
    memory.failed |= fails;
    pthread_mutex_unlock(&memory.lock);
    if (fails)
        errno = ENOMEM;
    return fails;
}

static void *count_live(void *block)
{
    pthread_mutex_lock(&memory.lock);
    memory.live += block != NULL;
    pthread_mutex_unlock(&memory.lock);
    return block;
}

static void count_freed(const void *block)
{
    pthread_mutex_lock(&memory.lock);
    memory.live -= block != NULL;
    pthread_mutex_unlock(&memory.lock);
}

static void memory_start(int64_t at, bool and_after)
{
    memory.count = memory.fork_at = 0;
    memory.at = at;
    memory.and_after = and_after;
    memory.failed = false;
}

static int64_t memory_stop(void)
{
    memory.at = memory.fork_at = 0;
    return memory.count;
}

static bool is_child;
static sqlite3_mem_methods usual; /* SQLite's own */

void __real_free(void *block);

/* A child ends soon: to free what its parent allocated would only copy page after page. Our own
 * memory a sanitizer frees, which it checks; without one it is overwritten, so that who still reads
 * it goes wrong. That of SQLite a sanitizer forbids. */
static void free_in_child(void *block)
{
#ifdef TPQ_SANITIZED
    __real_free(block);
#else
    memset(block, 0x5a, malloc_usable_size(block));
#endif
}

static void free_of_sqlite(void *block)
{
    if (!is_child)
        usual.xFree(block);
#ifdef TPQ_SANITIZED
    else if (block)
        __asan_poison_memory_region(block, (size_t)usual.xSize(block));
#endif
}

/* A sanitizer keeps what was freed for a while; every child would get a copy of it. */
static void forget_freed(void)
{
#ifdef TPQ_SANITIZED
    __sanitizer_purge_allocator();
#endif
}

/* The linker sends our calls here (--wrap). What the C library hands out for us to free counts
 * like the rest. */
#define WRAP(name, parameters, arguments)                                       \
    void *__real_##name parameters;                                             \
    void *__wrap_##name parameters;                                             \
    void *__wrap_##name parameters                                              \
    {                                                                           \
        return allocation_fails() ? NULL : count_live(__real_##name arguments); \
    }

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(strdup, (const char *text), (text))
WRAP(strndup, (const char *text, size_t length), (text, length))

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size)
{
    if (allocation_fails())
        return NULL;
    void *moved = __real_realloc(block, size);
    return block ? moved : count_live(moved);
}

void __wrap_free(void *block);
void __wrap_free(void *block)
{
    count_freed(block);
    if (!is_child)
        __real_free(block);
    else if (block)
        free_in_child(block);
}

static void *sqlite_malloc(int size)
{
    return allocation_fails() ? NULL : count_live(usual.xMalloc(size));
}

static void sqlite_free(void *block)
{
    count_freed(block);
    free_of_sqlite(block);
}

static void *sqlite_realloc(void *block, int size)
{
    return allocation_fails() ? NULL : usual.xRealloc(block, size);
}

/* Before main: the program starts SQLite with its own methods above these. */
__attribute__((constructor)) static void count_allocations_of_sqlite(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods methods = usual;
    methods.xMalloc = sqlite_malloc;
    methods.xFree = sqlite_free;
    methods.xRealloc = sqlite_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* it would hide most of them */
}

/* A child has none of its parent's locks and needs none: nobody else is there. */
static int without_locks(int file, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command == F_GETLK)
        ((struct flock *)argument)->l_type = F_UNLCK;
    return command == F_SETLK || command == F_GETLK ? 0 : fcntl(file, command, argument);
}

/* NULL: SQLite's own */
static void lock_by(int (*call)(int file, int command, ...))
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    assert_int_equal(vfs->xSetSystemCall(vfs, "fcntl", (sqlite3_syscall_ptr)call), SQLITE_OK);
}

/* ------------------------------------------------------------------ scenes */

/* In the directory of the database lies nothing else. */
static char *home, *database, *full, *bare, *served, *first_trace, *second_trace, *steps_trace,
    *profile, *export, *packed_export, *dispatches, *output, *reports, *additions, *captures,
    *parts, *kept, *trial_output;

/* Where a warehouse is opened first, which always takes the same, one test of that is enough. */
enum { FROM_START = 1, WHEN_OPEN = 0 };

struct scene {
    const char *const *words; /* of the command line, without the program */
    const char *before;       /* the database to begin with; NULL = there is none */
    int64_t first, step;      /* allocations that fail */
    bool threaded;            /* which cannot fork: every trial begins at the first of them */
};

/* Allocations of opening a warehouse by mode, or a few less; and of one without views to write. */
static int64_t allocations_to[WAREHOUSE_WRITE + 1], allocations_to_write_bare;

static struct text read_file(const char *path);

/* A number for each file that a scene wrote is added to a text; without one they are removed. */
static void each_part(const char *folder, struct text *text)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_type == DT_DIR && entries[i]->d_name[0] != '.')
            each_part(path, text);
        if (entries[i]->d_type == DT_REG && text) {
            struct text file = read_file(path);
            uint32_t sum = 0;
            for (size_t k = 0; k < file.count; k++)
                sum = sum * 31 + (unsigned char)file.items[k];
            text_format(text, "\n%s %u", entries[i]->d_name, (unsigned)sum);
            text_free(&file);
        }
        if (!text && entries[i]->d_name[0] != '.')
            assert_int_equal(remove(path), 0);
        __real_free(entries[i]); /* nobody counted them */
    }
    __real_free(entries);
}

/* A time at which nobody wrote: a file that has it still is as it was when it was given. Comparing
 * bytes would take longer than most trials. */
enum { AS_BEFORE = 1000000000, AS_KEPT };

static void set_stamp(const char *path, time_t stamp)
{
    const struct timespec times[] = {{.tv_sec = stamp}, {.tv_sec = stamp}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool has_stamp(const char *path, time_t stamp)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_mtim.tv_sec == stamp;
}

static void set_scene(const struct scene *scene)
{
    empty_directory(home);
    each_part(parts, NULL);
    if (scene->before) {
        copy_file(scene->before, database);
        set_stamp(database, AS_BEFORE);
    }
}

/* What src/main.c does, with standard output in a file. */
static bool play(const struct scene *scene, struct error *error)
{
    struct arguments arguments;
    bool help = false;
    size_t verb = 0;
    int count = 0;
    while (strcmp(verbs[verb]->name, scene->words[0]) != 0)
        verb++;
    while (scene->words[1 + count])
        count++;
    *error = (struct error){0};
    struct memory held = {0};
    struct memory_attempt attempt;
    if (!memory_try(&attempt, &held))
        return error_memory(error);
    bool done = arguments_parse(&arguments, verbs[verb], count,
                                (char *const *)(uintptr_t)(scene->words + 1), &help, error) &&
                session_run(verbs[verb], &arguments, error);
    memory_leave(&attempt);
    memory_end(&held);
    return done;
}

static bool play_into_file(const struct scene *scene, struct error *error)
{
    fflush(NULL);
    int out = dup(STDOUT_FILENO), complaints = dup(STDERR_FILENO);
    int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666),
        nowhere = open("/dev/null", O_WRONLY);
    assert_true(out >= 0 && complaints >= 0);
    assert_true(dup2(file, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0);
    bool done = play(scene, error);
    fflush(NULL);
    assert_true(dup2(out, STDOUT_FILENO) >= 0 && dup2(complaints, STDERR_FILENO) >= 0);
    close(out);
    close(complaints);
    close(file);
    close(nowhere);
    return done;
}

static struct text read_file(const char *path)
{
    struct text text = {0};
    char buffer[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text_add(&text, "", 0);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_add(&text, buffer, got);
    fclose(file);
    return text;
}

/* What the scene prints, writes, and leaves in the database, whose contents before are known. */
static char *result(const char *before)
{
    struct text text = {0};
    struct text printed = read_file(output);
    char *contents = access(database, F_OK) != 0      ? memory_text("none")
                     : has_stamp(database, AS_BEFORE) ? memory_text(before)
                                                      : contents_of(database);
    text_format(&text, "%s\n%s", printed.items, contents);
    each_part(parts, &text);
    text_free(&printed);
    memory_free(contents);
    return text.items;
}

/* Mostly not a byte has changed. */
static bool is_unchanged(const struct scene *scene)
{
    if (!scene->before)
        return count_files(home) == 0;
    bool same = has_stamp(database, AS_BEFORE) || same_bytes(scene->before, database);
    if (!same) {
        char *old = contents_of(scene->before), *new = contents_of(database);
        same = strcmp(old, new) == 0;
        memory_free(old);
        memory_free(new);
    }
    return same && count_files(home) == 1;
}

static void check_failure(const struct scene *scene, int64_t at, const struct error *error)
{
    if (error->status != STATUS_DATABASE || !strstr(error->text, "memory"))
        fail_msg("%s, allocation %lld: status %d, \"%s\"", scene->words[0], (long long)at,
                 (int)error->status, error->text);
    if (!is_unchanged(scene))
        fail_msg("%s, allocation %lld: something was changed", scene->words[0], (long long)at);
}

static bool has_word(const struct scene *scene, const char *word)
{
    for (size_t i = 0; scene->words[i]; i++)
        if (strcmp(scene->words[i], word) == 0)
            return true;
    return false;
}

static int64_t allocations_to_open(const struct scene *scene)
{
    static const struct {
        const char *verb;
        enum warehouse_mode mode;
    } others[] = {{"ingest", WAREHOUSE_WRITE}, {"rm", WAREHOUSE_WRITE},
                  {"merge", WAREHOUSE_WRITE},  {"gate", WAREHOUSE_WRITE},
                  {"report", WAREHOUSE_READ},  {"sql", WAREHOUSE_READ},
                  {"runs", WAREHOUSE_READ},    {"check", WAREHOUSE_READ}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(scene->words[0], others[i].verb) == 0)
            return scene->before == bare ? allocations_to_write_bare
                                         : allocations_to[others[i].mode];
    return allocations_to[has_word(scene, "--parquet") ? WAREHOUSE_READ : WAREHOUSE_READ];
}

/* SQLite reads the views whenever a warehouse is opened to write, which is always the same: of
 * that, the first ingest plays one allocation of 31, other scenes fewer. Of a long answer as much
 * is played as there is time for. */
static int64_t step_at(const struct scene *scene, int64_t at, int64_t step, int64_t allocations)
{
#ifdef TPQ_SANITIZED /* slow: what it may find is the same at many places */
    enum { PLAYS_MAX = 8, STEP_IN_OPENING = 1201, STEP_IN_MAKING = 1201, FEWER = 21 };
#else
    enum { PLAYS_MAX = 200, STEP_IN_OPENING = 41, STEP_IN_MAKING = 31, FEWER = 1 };
#endif
    bool is_first = !scene->before && strcmp(scene->words[0], "ingest") == 0;
    step *= FEWER;
    if (at < allocations_to_open(scene))
        step *= is_first ? STEP_IN_MAKING : STEP_IN_OPENING;
    else if (strcmp(scene->words[0], "ingest") != 0 && allocations / PLAYS_MAX > step)
        step = allocations / PLAYS_MAX;
    return step;
}

/* ------------------------------------------------------------------ trials */

/* How children end; others that have failed are 1, or killed. */
enum { TRIAL_FINE = 40, TRIAL_WITHOUT_FAILURE };

/* Where coverage is counted, a child gives what it counted. */
__attribute__((weak)) void __gcov_dump(void);

_Noreturn static void end_trial(bool failed)
{
    if (__gcov_dump)
        __gcov_dump();
    _exit(failed ? TRIAL_FINE : TRIAL_WITHOUT_FAILURE);
}

/* The trials of the scene in hand. */
static struct {
    const struct scene *scene;
    char *before;        /* contents of the database that the scene begins with */
    int64_t allocations; /* without those that no trial is made at */
    struct course {
        int64_t at, step; /* the allocation that fails next */
        bool over;
    } alone, with_all_after;
    int64_t at;     /* what fails in this child */
    int64_t broken; /* the allocation of the trial that went wrong; 0 = none */
    bool threads;   /* it could not be made, because other threads run */
} trials;

enum { FILES_KEPT = 128, OPEN_FILES = 64 };

/* What a child changes and its parent goes on with: files, even where they are open, and how far
 * those that are open were read. */
static struct {
    struct kept {
        char *path, *link; /* another name of the file; NULL = a folder */
        char *copy;        /* its bytes; NULL = those that the scene begins with */
        time_t stamp;
    } files[FILES_KEPT];
    size_t count, compared;
    off_t offsets[OPEN_FILES]; /* -1 = not open */
} stage;

static int keep_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    if (walk->level == 0)
        return 0;
    assert_in_range(stage.count, 0, FILES_KEPT - 1);
    struct kept *entry = &stage.files[stage.count++];
    *entry = (struct kept){0};
    assert_true(asprintf(&entry->path, "%s", path) > 0);
    if (type != FTW_F)
        return 0;
    assert_true(asprintf(&entry->link, "%s/%zu", kept, stage.count) > 0);
    assert_int_equal(link(path, entry->link), 0);
    entry->stamp = AS_BEFORE;
    if (!has_stamp(path, AS_BEFORE)) {
        assert_true(asprintf(&entry->copy, "%s/copy%zu", kept, stage.count) > 0);
        copy_file(path, entry->copy);
        entry->stamp = AS_KEPT;
        set_stamp(path, AS_KEPT);
    }
    return 0;
}

static void free_stage(void)
{
    for (size_t i = 0; i < stage.count; i++) {
        struct kept *entry = &stage.files[i];
        __real_free(entry->path); /* nobody counted asprintf */
        __real_free(entry->link);
        __real_free(entry->copy);
    }
    stage.count = 0;
    empty_directory(kept);
}

static int walk_stage(int (*visit)(const char *, const struct stat *, int, struct FTW *))
{
    int result = nftw(home, visit, 8, FTW_PHYS);
    return result == 0 && access(parts, F_OK) == 0 ? nftw(parts, visit, 8, FTW_PHYS) : result;
}

static int compare_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    if (walk->level == 0)
        return 0;
    if (stage.compared == stage.count)
        return 1;
    const struct kept *entry = &stage.files[stage.compared++];
    return strcmp(path, entry->path) != 0 || (type == FTW_F) != (entry->link != NULL) ||
           (entry->link && !has_stamp(path, entry->stamp));
}

/* From one trial to the next the parent seldom writes. */
static void keep_stage(void)
{
    for (int file = 0; file < OPEN_FILES; file++)
        stage.offsets[file] = lseek(file, 0, SEEK_CUR);
    stage.compared = 0;
    if (walk_stage(compare_entry) == 0 && stage.compared == stage.count)
        return;
    free_stage();
    assert_int_equal(walk_stage(keep_entry), 0);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type;
    return walk->level ? remove(path) : 0;
}

static void restore_file(const struct kept *entry)
{
    if (!has_stamp(entry->link, entry->stamp)) {
        copy_file(entry->copy ? entry->copy : trials.scene->before, entry->link);
        set_stamp(entry->link, entry->stamp);
    }
    assert_int_equal(link(entry->link, entry->path), 0);
}

static void restore_stage(void)
{
    nftw(home, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    nftw(parts, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < stage.count; i++)
        if (stage.files[i].link)
            restore_file(&stage.files[i]);
        else
            assert_int_equal(mkdir(stage.files[i].path, 0777), 0);
    for (int file = 0; file < OPEN_FILES; file++)
        if (stage.offsets[file] >= 0)
            lseek(file, stage.offsets[file], SEEK_SET);
}

/* What was printed so far, and what comes, goes to a file of the child's own, also by descriptors
 * that were made from the one of the output. */
static void print_apart(void)
{
    struct stat before, now;
    assert_int_equal(fstat(STDOUT_FILENO, &before), 0);
    copy_file(output, trial_output);
    output = trial_output;
    int own = open(output, O_WRONLY | O_APPEND);
    assert_true(own >= 0);
    for (int file = 0; file < OPEN_FILES; file++)
        if (fstat(file, &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino)
            assert_true(dup2(own, file) >= 0);
    close(own);
}

/* Makes a child in which an allocation fails, and waits for its end. True in the child. */
static bool make_trial(struct course *course)
{
    pid_t child = fork();
    if (child == 0) {
        is_child = true;
        print_apart();
        return true;
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        (WEXITSTATUS(status) != TRIAL_FINE && WEXITSTATUS(status) != TRIAL_WITHOUT_FAILURE))
        trials.broken = course->at;
    course->over = trials.broken || WEXITSTATUS(status) == TRIAL_WITHOUT_FAILURE;
    restore_stage();
    course->at += step_at(trials.scene, course->at, course->step, trials.allocations);
    return false;
}

/* Children for all failures of a course that begin here. True in a child. */
static bool make_trials_of(struct course *course, int64_t count, int64_t live, bool and_after)
{
    while (!course->over && (course->at == count || trials.scene->threaded)) {
        int64_t at = course->at;
        if (make_trial(course)) {
            memory.count = count;
            memory.live = live;
            memory.at = trials.at = at;
            memory.and_after = and_after;
            return true;
        }
    }
    return false;
}

/* A thread that was joined may be listed a moment longer, so that one look says nothing; and one
 * that comes to its end by itself needs its time on a busy machine. */
static bool has_threads(void)
{
    struct stat status;
    for (int looks = 0; looks < 30000; looks++) {
        if (stat("/proc/self/task", &status) == 0 && status.st_nlink <= 3)
            return false;
        usleep(1000);
    }
    return true;
}

static void make_trials(void)
{
    int64_t count = memory.count, live = memory.live;
    forget_freed();
    struct course *alone = &trials.alone, *with_all_after = &trials.with_all_after;
    memory.fork_at = 0;
    if (has_threads()) {
        trials.broken = count;
        trials.threads = true;
        return;
    }
    keep_stage();
    if (make_trials_of(alone, count, live, false) ||
        make_trials_of(with_all_after, count, live, true))
        return;
    memory.count = count;
    memory.live = live;
    if (!trials.broken && !trials.scene->threaded)
        memory.fork_at = alone->at < with_all_after->at ? alone->at : with_all_after->at;
}

static int count_open_files(void)
{
    int count = 0;
    for (int file = 0; file < OPEN_FILES; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

static void check_outcome(const struct scene *scene, bool done, const struct error *error,
                          const char *expected)
{
    if (!done && !memory.failed)
        fail_msg("%s: %s", scene->words[0], error->text);
    if (!done) {
        check_failure(scene, trials.at, error);
        return;
    }
    char *now = result(trials.before);
    if (strcmp(now, expected) != 0)
        fail_msg("%s, allocation %lld: something is missing:\n%s\ninstead of\n%s", scene->words[0],
                 (long long)trials.at, now, expected);
    memory_free(now);
}

/* Here children come, too, to their end. */
static void play_with_trials(const struct scene *scene, const char *expected)
{
    struct error error;
    set_scene(scene);
    int64_t live = memory.live;
    int files = count_open_files();
    memory_start(0, false);
    memory.fork_at = trials.alone.at;
    bool done = play_into_file(scene, &error);
    memory_stop();
    if (trials.broken)
        fail_msg("%s, allocation %lld: %s", scene->words[0], (long long)trials.broken,
                 trials.threads ? "there are threads" : "broken");
    if (done && memory.live != live) /* else the program ends, and what SQLite holds with it */
        fail_msg("%s, allocation %lld: %lld leaked", scene->words[0], (long long)trials.at,
                 (long long)(memory.live - live));
    if (done && count_open_files() != files)
        fail_msg("%s, allocation %lld: a file is still open", scene->words[0],
                 (long long)trials.at);
    check_outcome(scene, done, &error, expected);
    if (is_child)
        end_trial(memory.failed);
}

static void play_scene(const struct scene *scene)
{
    struct error error;
    set_scene(scene);
    memory_start(0, false);
    bool fine = play_into_file(scene, &error);
    int64_t allocations = memory_stop();
    if (!fine)
        fail_msg("%s: %s", scene->words[0], error.text);
    int64_t first = scene->first == WHEN_OPEN ? allocations_to_open(scene) : scene->first;
    memset(&trials, 0, sizeof trials);
    trials.scene = scene;
    trials.before = scene->before ? contents_of(scene->before) : NULL;
    char *expected = result(trials.before);
    trials.allocations = allocations - first;
    trials.alone = (struct course){.at = first, .step = scene->step};
    trials.with_all_after = (struct course){.at = first, .step = 5 * scene->step};
    play_with_trials(scene, expected);
    free_stage();
    memory_free(expected);
    memory_free(trials.before);
}

#define PLAY(before, first, step, ...) \
    play_scene(                        \
        &(struct scene){(const char *const[]){__VA_ARGS__, NULL}, before, first, step, false})
#define SCENE(has_database, first, step, ...) \
    PLAY((has_database) ? full : NULL, first, step, __VA_ARGS__)

/* What is stored asks for no view. When SQLite has read hundreds of them, every child that closes
 * the warehouse goes through them all again, which takes longer than the rest of it. */
#define STORE(step, ...) PLAY(bare, WHEN_OPEN, step, "ingest", "--db", database, __VA_ARGS__)

/* ------------------------------------------------------------------ tests */

static void the_first_trace_of_a_new_warehouse(void **state)
{
    (void)state;
    SCENE(false, FROM_START, 1, "ingest", "--db", database, "--run", "new", "--label", "a=b",
          "--jobs", "1", "--quiet", first_trace);
}

static void a_gzip_into_an_existing_warehouse(void **state)
{
    (void)state;
    SCENE(true, FROM_START, 1, "ingest", "--db", database, "--keep-metadata", "--jobs", "1",
          "--quiet", second_trace);
}

static void a_trace_that_replaces_itself(void **state)
{
    (void)state;
    STORE(1, "--run", "full", "--replace", "--jobs", "1", "--quiet", first_trace);
}

static void a_trace_that_is_known_already(void **state)
{
    (void)state;
    STORE(1, "--run", "full", "--jobs", "1", "--quiet", first_trace);
}

/* Which allocation is the n-th differs from time to time. */
static void a_gzip_decompressed_by_a_thread(void **state)
{
    (void)state;
    play_scene(&(struct scene){(const char *const[]){"ingest", "--db", database, "--run", "t",
                                                     "--jobs", "4", "--quiet", second_trace, NULL},
                               bare, WHEN_OPEN, 5, true});
}

/* A profile of XLA with programs, which is read twice. */
static void a_profile(void **state)
{
    (void)state;
    STORE(1, "--run", "x", "--jobs", "1", "--quiet", profile);
    SCENE(false, FROM_START, 31, "report", profile, "--jsonl", "jax_kernel_launchers", "jax_op");
}

/* A database of Nsight Systems, as it is and compressed, and reports about ranges in it and names.
 */
static void an_export(void **state)
{
    (void)state;
    STORE(1, "--run", "x", "--jobs", "1", "--quiet", export);
    STORE(7, "--run", "x", "--jobs", "1", "--quiet", packed_export);
    SCENE(false, FROM_START, 31, "report", export, "--jsonl", "nvtx_kern_sum", "nvtx_pushpop_trace",
          "cuda_gpu_kern_sum");
}

/* A database of rocprofv3 with two processes. */
static void a_database_of_rocprof(void **state)
{
    (void)state;
    STORE(3, "--run", "x", "--jobs", "1", "--quiet", dispatches);
}

static void describing_everything(void **state)
{
    (void)state;
    SCENE(false, FROM_START, 1, "describe");
    SCENE(false, FROM_START, 1, "describe", "gpu_event");
    SCENE(false, FROM_START, 1, "describe", "interval_union_ns");
    SCENE(false, FROM_START, 1, "describe", "--json");
    SCENE(false, FROM_START, 1, "describe", "--json", "gpu_event");
    SCENE(false, FROM_START, 1, "describe", "roofl");
    SCENE(false, FROM_START, 1, "describe", "--json", "roofl");
}

static void listing_runs_and_traces(void **state)
{
    (void)state;
    SCENE(true, FROM_START, 1, "runs", "--db", database);
    SCENE(true, WHEN_OPEN, 1, "traces", "--db", database);
    SCENE(true, WHEN_OPEN, 1, "runs", "--db", database, "--json");
}

static void printing_a_tree(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 1, "tree", "--db", database, "--trace", "1");
    SCENE(true, WHEN_OPEN, 1, "tree", "--db", database, "--up", "5");
}

static void checking(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 1, "check", "--db", database);
}

static void removing_a_run(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 1, "rm", "--db", database, "full", "--quiet");
}

static void merging_a_warehouse(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 101, "merge", "--db", database, "--run", "other", "--quiet", full);
    SCENE(true, WHEN_OPEN, 101, "merge", "--db", database, "--replace", "--quiet", full);
    SCENE(false, FROM_START, 211, "merge", "--db", database, "--prefix", "a", "--quiet", full);
}

static void rendering_in_every_mode(void **state)
{
    (void)state;
    static const char sql[] = "SELECT id, name, dur_ns / 7.0 AS seventh, args, x'00ff' AS b, NULL "
                              "FROM slice ORDER BY id LIMIT 3";
    static const char *const modes[] = {"table", "box",      "csv",  "tsv", "json",
                                        "jsonl", "markdown", "line", "html"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        SCENE(true, WHEN_OPEN, 1, "sql", "--db", database, "--mode", modes[i], sql);
}

static void asking_about_a_part(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 1, "sql", "--db", database, "--run", "f*", "--rank", "1", "--param",
          "a=7", "--param", "b=x", "SELECT :a, :b, count(*) FROM slice");
    SCENE(true, WHEN_OPEN, 1, "sql", "--db", database, ".describe run");
    SCENE(true, WHEN_OPEN, 1, "rm", "--db", database, "--dry-run", "f?ll");
}

/* Views are given to a connection, and taken back in front of a question about the schema. */
static void asking_views(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 1, "sql", "--db", database,
          "SELECT count(*) AS n FROM slice; SELECT count(*) AS n FROM sqlite_schema");
}

static void tables_over_work(void **state)
{
    (void)state;
    static const char *const sql[] = {
        "SELECT name_id, parent_name_id, below_ns, inside_ns FROM module_work WHERE trace_id = 1",
        "SELECT name_id, category, direct_ns, subtree_ns FROM launcher_work WHERE trace_id = 1",
        "SELECT id, status, flops, params FROM op_call",
        "SELECT dim(op_id, 0, 0), shape(op_id, 1), prod(shape(op_id, 0)) FROM signature",
        "SELECT interval_depth(ts_ns, dur_ns), value_at_least(name_id, dur_ns) FROM gpu_event",
        "SELECT kernel_names(kernels), kernel_classes('op', kernels) FROM launcher_work",
        "SELECT regexp_fields(name, '(?<a>.)(?<n>\\d*)'), regexp_mean(name, '(\\d+)') FROM slice",
        "SELECT interval_at(interval_list(id, ts_ns, dur_ns), 1000) FROM gpu_event",
        "SELECT interval_innermost(interval_list(id, ts_ns, dur_ns), 1000), "
        "interval_open(interval_list(id, ts_ns, dur_ns), 1000), "
        "interval_deep_ns(ts_ns, dur_ns, 2), interval_peak(ts_ns, dur_ns, 1.5) FROM gpu_event",
        "SELECT kind, (SELECT sum(slack_ns) FROM path_slack), end_ns FROM path_segment JOIN "
        "path_graph USING (trace_id) WHERE trace_id = 1",
        "SELECT new_ns FROM what_if_trace WHERE trace_id = 1",
        "SELECT new_ns FROM what_if_trace('op~mm+host x0.5, launch x0; kernel=a & rank=0 x0; "
        "roofline; hidden') WHERE trace_id = 1",
        "SELECT new_ns, (SELECT count(*) FROM rank_hop), (SELECT sum(shift_ns) FROM "
        "rank_path_clock) "
        "FROM what_if_ranks('balanced; all x0')",
    };
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
        SCENE(true, WHEN_OPEN, 1, "sql", "--db", database, sql[i]);
    SCENE(true, WHEN_OPEN, 1, "report", "--db", database, "--include-overlap-info",
          "unified_perf_summary_kl_overlap");
}

static void counting_for_another_tolerance(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 31, "report", "--db", database, "--health-rule",
          "stream_overlap.tolerance=5", "trace_health");
}

static void merging_call_trees(void **state)
{
    (void)state;
    SCENE(false, WHEN_OPEN, 5, "diff", first_trace, second_trace, "--times");
    SCENE(false, WHEN_OPEN, 31, "diff", first_trace, second_trace, "-o", parts, "--quiet");
}

static void cutting_a_trace(void **state)
{
    (void)state;
    PLAY(served, WHEN_OPEN, 31, "split", "--db", database, "1", "-o", parts,
         "--store-single-iteration", "--divide-phases");
    PLAY(served, WHEN_OPEN, 31, "split", "--db", database, "--match", "1", "1", "-o", parts);
    PLAY(served, WHEN_OPEN, 31, "split", "--db", database, "1", "-o", parts, "--iterations", "0:1",
         "--as-run", "cut");
    SCENE(true, WHEN_OPEN, 31, "split", "--db", database, "1", "-o", parts, "--iterations", "0");
}

/* Every form of an export, of several traces on one clock. */
static void exporting(void **state)
{
    (void)state;
    static const char *const forms[] = {"perfetto", "chrome"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        SCENE(true, WHEN_OPEN, 31, "export", "--db", database, "--format", forms[i]);
    SCENE(true, WHEN_OPEN, 31, "export", "--db", database, "--format", "chrome", "--critical-path",
          "--time", "0-100");
    SCENE(true, WHEN_OPEN, 31, "export", "--db", database, "--parquet", parts, "--events");
    SCENE(true, WHEN_OPEN, 31, "export", "--db", database, "--parquet", parts, "--per-trace",
          "--force", "--sheets", "none");
}

/* Graphs that a server replays, with the trace of their recording, which opens another warehouse.
 */
static void captured_graphs(void **state)
{
    (void)state;
    PLAY(served, WHEN_OPEN, 7, "ingest", "--db", database, "--run", "captured", "--capture-folder",
         captures, "--jobs", "1", "--quiet", steps_trace);
}

/* What only reports about served models ask for. */
static void reporting_on_serving(void **state)
{
    (void)state;
    PLAY(served, WHEN_OPEN, 13, "report", "--db", database, "--inference", "--include-call-stack",
         "--group-by-parent-module", "--csv", "-", "ops_summary");
    PLAY(served, WHEN_OPEN, 31, "report", "--db", database, "--inference", "--include-call-stack",
         "--group-by-num-kernels", "--csv", "-", "unified_perf_summary");
    PLAY(served, WHEN_OPEN, 31, "report", "--db", database, "--inference-phase-analysis", "--csv",
         "-", "inference_steps");
    PLAY(served, WHEN_OPEN, 31, "report", "--db", database, "--inference-phase-analysis",
         "--phase-detection-method", "union", "--csv", "-", "ops_summary_by_phase");
    PLAY(served, WHEN_OPEN, 211, "report", "--db", database, "--enable-pseudo-ops", "--csv", "-",
         "roofline");
    PLAY(served, WHEN_OPEN, 13, "sql", "--db", database,
         "SELECT module_stack(id, NULL), entry_point(call_stack(id, NULL, NULL), name) FROM slice");
}

/* Pipelines over ranks, and their sends. */
static void reporting_on_pipelines(void **state)
{
    (void)state;
    SCENE(false, FROM_START, 101, "report", "pipeline_summary", "pipeline_slots", "p2p_calls",
          "--json", "-b", scratch_directory(), "-p", "rank", "-f", "staged", "--jobs", "1");
}

/* What `tpq report` prints and writes. A workbook is left out: the library that makes it does not
 * survive without memory. */
static void reporting(void **state)
{
    (void)state;
    static const char *const forms[] = {"--json", "--markdown", "--html=-"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        SCENE(true, WHEN_OPEN, 13, "report", "--db", database, forms[i], "gpu_timeline");
    SCENE(true, WHEN_OPEN, 13, "report", "--db", database, "--min-explained", "1", "--wide");
    SCENE(true, WHEN_OPEN, 13, "report", "--db", database, "kernel_summary",
          "unified_perf_summary");
    SCENE(true, WHEN_OPEN, 13, "report", "--db", database, "--compat", "--csv", "-",
          "ops_unique_args");
    SCENE(true, WHEN_OPEN, 13, "report", "--db", database, "--csv", "-", "--report-dir", reports,
          "wide");
    SCENE(true, WHEN_OPEN, 13, "report", "--db", database, "--into-tables", "kernel_summary");
    SCENE(false, FROM_START, 13, "report", "--list", "--report-dir", reports);
    SCENE(false, FROM_START, 31, "report", "--list", "slowest", "rank");
    SCENE(true, WHEN_OPEN, 101, "report", "--list", "--db", database);
    SCENE(false, FROM_START, 31, "report", first_trace, "--jsonl", "kernel_launchers");
    SCENE(false, FROM_START, 1, "report", "-d", "-b", scratch_directory(), "-p", "rank", "-f",
          "first_rank");
    SCENE(false, FROM_START, 101, "report", "gpu_timelines", "ranks_groups", "--json", "-b",
          scratch_directory(), "-p", "rank", "-f", "first_rank", "--jobs", "1");
    SCENE(false, FROM_START, 101, "report", "nccl_implicit_sync_cat_detailed", "--json", "-b",
          scratch_directory(), "-p", "rank", "-f", "shared", "--jobs", "1");
}

/* Two runs of one warehouse, and files. */
static void comparing(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 31, "compare", "--db", database, "full", "trace:1", "--json");
    SCENE(true, WHEN_OPEN, 61, "compare", "--db", database, "full", "trace:1", "--by", "timeline",
          "--wide");
    SCENE(true, WHEN_OPEN, 101, "compare", "--db", database, "full", "trace:1", "--compat",
          "--jsonl");
    SCENE(true, WHEN_OPEN, 61, "gate", "--allow-incomplete", "--db", database, "--baseline", "full",
          "--candidate", "trace:1", "--single-ok", "--max-regression", "1000", "--junit");
    SCENE(true, WHEN_OPEN, 61, "history", "--db", database, "timeline", "--html=-");
    SCENE(false, FROM_START, 101, "compare", first_trace, second_trace, "--by", "op", "--markdown");
}

static void calculating_a_model(void **state)
{
    (void)state;
    SCENE(false, FROM_START, 31, "model", "eval", "aten::mm", "bf16[2,3]", "bf16[3,4]");
    SCENE(false, FROM_START, 31, "model", "show", "aten::mm");
}

/* Making the catalog again is most of it, so few places are tried. */
static void extending(void **state)
{
    (void)state;
    SCENE(true, WHEN_OPEN, 211, "report", "--db", database, "--csv", "-", "--extension-file",
          additions, "own");
    SCENE(true, WHEN_OPEN, 211, "sql", "--db", database, "--extension-file", additions,
          "SELECT id, is_pseudo, flops FROM op_call");
}

/* Selects in an open warehouse; gives what scope lists then, and the words, or why nothing can be
 * selected; NULL when memory is out. */
static char *select_rows(struct warehouse *warehouse, const struct selection *selection, int64_t at,
                         bool *failed)
{
    struct error error = {0};
    struct text rows = {0}, words = {0};
    bool is_empty;
    memory_start(at, false);
    bool done = selection_apply(warehouse, selection, &is_empty, &words, &error);
    memory_stop();
    *failed = memory.failed;
    bool is_refused = !done && error.status == STATUS_USAGE;
    if (!done && !is_refused && (error.status != STATUS_DATABASE || !strstr(error.text, "memory")))
        fail_msg("selecting, allocation %lld: status %d, \"%s\"", (long long)at, (int)error.status,
                 error.text);
    const struct context *context = warehouse->context;
    text_format(&rows, "%s", is_refused ? error.text : words.items ? words.items : "");
    for (size_t i = 0; i < context->selection.count; i++) {
        const struct selected *row = &context->selection.items[i];
        text_format(&rows, " %s %lld-%lld %d", row->run, (long long)row->first_event,
                    (long long)row->last_event, row->is_recompute);
    }
    text_free(&words);
    if (!done && !is_refused)
        text_free(&rows);
    return rows.items;
}

/* A child selects, with an allocation that fails, in the warehouse that its parent opened, which is
 * as it was for the next one. True while there is one to fail. */
static bool select_in_child(struct warehouse *warehouse, int64_t live,
                            const struct selection *selection, int64_t at, const char *expected)
{
    fflush(NULL);
    forget_freed();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool failed;
        is_child = true;
        struct memory held = {0};
        struct memory_attempt attempt;
        if (memory_try(&attempt, &held)) {
            char *rows = select_rows(warehouse, selection, at, &failed);
            if (rows)
                assert_string_equal(rows, expected);
            memory_free(rows);
            memory_leave(&attempt);
            memory_end(&held);
        } else
            failed = true;
        memory_stop();
        warehouse_close(warehouse);
        assert_true(failed || memory.live == live);
        end_trial(failed);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) ||
        (WEXITSTATUS(status) != TRIAL_FINE && WEXITSTATUS(status) != TRIAL_WITHOUT_FAILURE))
        fail_msg("selecting, allocation %lld: broken", (long long)at);
    return WEXITSTATUS(status) == TRIAL_FINE;
}

static void selecting(void **state)
{
    (void)state;
#ifdef TPQ_SANITIZED /* a fork costs much there */
    enum { STEP = 13 };
#else
    enum { STEP = 3 };
#endif
    const struct selection selections[] = {
        {.step = "3",
         .where = "name <> 'sgemm'",
         .id_range = "3-",
         .signpost = "ProfilerStep#3",
         .occurrence = "1",
         .start_signpost = "ProfilerStep#3",
         .rank = "1",
         .runs = (const char *const[]){"full", NULL},
         .traces = (const int64_t[]){1},
         .trace_count = 1,
         .detect_recompute = true},
        {.signpost = "nobody"},
        {.step = "3", .where = "0"},
        {.rank = "1", .where = "0"},
    };
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        struct warehouse warehouse;
        struct error error = {0};
        int64_t live = memory.live;
        bool failed;
        assert_true(warehouse_open(&warehouse, full, WAREHOUSE_READ, 0, &error));
        struct memory held = {0};
        struct memory *before = memory_enter(&held);
        char *expected = select_rows(&warehouse, &selections[i], 0, &failed);
        memory_enter(before);
        /* a window without events stays, as its time is asked for */
        assert_true(expected && (strstr(expected, " full ") != NULL) == (i == 0 || i == 2));
        expected = memory_text(expected);
        memory_end(&held);
        warehouse_close(&warehouse);
        assert_int_equal(memory.live, live + 1);
        assert_true(warehouse_open(&warehouse, full, WAREHOUSE_READ, 0, &error));
        int64_t at = 1;
        while (select_in_child(&warehouse, live + 1, &selections[i], at, expected))
            at += STEP;
        warehouse_close(&warehouse);
        memory_free(expected);
    }
}

/* ------------------------------------------------------------------ before and after */

/* A little of everything that a trace can hold. */
static const char trace_json[] =
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\",\"numSms\":132,"
    "\"computeMajor\":9,\"computeMinor\":0,\"totalGlobalMem\":85}],\"other\":{\"b\":1,\"a\":2},"
    "\"distributedInfo\":{\"rank\":1,\"world_size\":2},\"traceEvents\":["
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"main\"}},"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"python\"}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":10,"
    "\"dur\":50,\"args\":{\"Sequence number\":1,\"Input Dims\":[[2,3],[3,4]],\"Input type\":"
    "[\"float\",\"float\"],\"Input Strides\":[[3,1],[4,1]],\"Concrete Inputs\":[\"\",\"\"]}},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: Main_0\",\"pid\":1,\"tid\":1,"
    "\"ts\":5,\"dur\":900},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":20,\"dur\":5,\"args\":{\"correlation\":7,\"External id\":\"x7\"}},"
    "{\"ph\":\"s\",\"id\":7,\"pid\":1,\"tid\":1,\"ts\":20,\"cat\":\"ac2g\"},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":0,\"tid\":7,\"ts\":40,\"dur\":9,"
    "\"args\":{\"correlation\":7,\"device\":0,\"stream\":7,\"grid\":[1,2,3],\"block\":[4,5,6],"
    "\"a\":{\"z\":1,\"y\":2}}},"
    "{\"ph\":\"f\",\"id\":7,\"pid\":0,\"tid\":7,\"ts\":40,\"cat\":\"ac2g\",\"bp\":\"e\"},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"autograd::engine::evaluate_function: Mm\","
    "\"pid\":1,\"tid\":2,\"ts\":100,\"dur\":50,\"args\":{\"Sequence number\":1}},"
    "{\"ph\":\"s\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":10,\"cat\":\"fwdbwd\"},"
    "{\"ph\":\"f\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":100,\"cat\":\"fwdbwd\"},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
    "\"ts\":1,\"dur\":999},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"sticks \\u006fut\",\"pid\":1,\"tid\":1,\"ts\":50,"
    "\"dur\":100,\"args\":{\"z\":1,\"y\":[NaN],\"y\":null}},"
    "{\"ph\":\"X\",\"cat\":\"new kind\",\"name\":\"\\ud800\",\"pid\":\"p\",\"tid\":null,"
    "\"ts\":3},"
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":12,\"args\":{\"Bytes\":64,"
    "\"Addr\":4096,\"Device Id\":0,\"Device Type\":1,\"Total Allocated\":64}},"
    "{\"ph\":\"C\",\"name\":\"counter\"}]}";

/* Two steps of a server: one launches an op's kernel below two modules, one replays a graph. */
static const char steps_text[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"execute_8_context_1(sq8sk8sqsq64sqsk64)"
    "_generation_0(sq0sk0sqsq0sqsk0)\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":900},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: Main_0\",\"pid\":1,\"tid\":1,"
    "\"ts\":11,\"dur\":800},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: "
    "Linear_3\",\"pid\":1,\"tid\":1,"
    "\"ts\":12,\"dur\":700},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"a.py(3): mm\",\"pid\":1,\"tid\":1,"
    "\"ts\":13,\"dur\":600},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":20,"
    "\"dur\":50,\"args\":{\"Input Dims\":[[8,4],[4,2]],\"Input type\":[\"float\",\"float\"]}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":30,\"dur\":5,\"args\":{\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":40,\"dur\":9,"
    "\"args\":{\"correlation\":1,\"device\":0,\"stream\":7}},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"execute_1_context_0(sq0sk0sqsq0sqsk0)"
    "_generation_1(sq1sk8sqsq1sqsk8)\",\"pid\":1,\"tid\":1,\"ts\":1010,\"dur\":900},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"pid\":1,\"tid\":1,"
    "\"ts\":1030,\"dur\":5,\"args\":{\"correlation\":2}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":1040,\"dur\":9,"
    "\"args\":{\"correlation\":2,\"device\":0,\"stream\":7}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"relu\",\"pid\":0,\"tid\":7,\"ts\":1050,\"dur\":9,"
    "\"args\":{\"correlation\":2,\"device\":0,\"stream\":7}}]}";

/* The recording of that graph. */
static const char capture_text[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"a.py(1): capture\",\"pid\":1,\"tid\":1,"
    "\"ts\":1,\"dur\":900},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaStreamBeginCapture\",\"pid\":1,"
    "\"tid\":1,\"ts\":10,\"dur\":5},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":20,"
    "\"dur\":50,\"args\":{\"Input Dims\":[[1,4],[4,2]],\"Input type\":[\"float\",\"float\"]}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":30,\"dur\":5,\"args\":{\"kernel\":\"gemm\"}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::relu\",\"pid\":1,\"tid\":1,\"ts\":80,"
    "\"dur\":50,\"args\":{\"Input Dims\":[[1,2]],\"Input type\":[\"float\"]}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":90,\"dur\":5,\"args\":{\"kernel\":\"relu\"}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaStreamEndCapture\",\"pid\":1,\"tid\":1,"
    "\"ts\":200,\"dur\":5}]}";

static struct {
    char **place;
    const char *name;
} paths[] = {
    {&home, "home"},
    {&database, "home/w.db"},
    {&full, "full.db"},
    {&bare, "bare.db"},
    {&served, "served.db"},
    {&first_trace, "first_rank3.json"},
    {&second_trace, "second.json.gz"},
    {&profile, "x.xplane.pb"},
    {&export, "x.sqlite"},
    {&packed_export, "y.sqlite.gz"},
    {&dispatches, "z.db"},
    {&output, "output"},
    {&reports, "reports"},
    {&additions, "additions"},
    {&steps_trace, "steps.json"},
    {&captures, "captures"},
    {&parts, "parts"},
    {&kept, "kept"},
    {&trial_output, "trial_output"},
};

/* A trace of a rank with so many collectives. */
static void write_collectives(const char *name, int count)
{
    struct text text = {0};
    text_add_string(&text, "{\"traceEvents\":[");
    for (int i = 0; i < count; i++)
        text_format(
            &text,
            "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclKernel\",\"pid\":0,\"tid\":7,\"ts\":"
            "%d,\"dur\":9,\"args\":{\"correlation\":%d,\"stream\":7,\"Process Group Name\":\"dp\","
            "\"Collective name\":\"allreduce\",\"Group size\":2,\"dtype\":\"Float\",\"In msg "
            "nelems\":4,\"Process Group Ranks\":\"[0, 1]\"}}",
            i ? "," : "", 100 * i, i + 1);
    text_add_string(&text, "]}");
    scratch_file(name, text.items, text.count);
    text_free(&text);
}

/* A rank of a pipeline of two stages: a slot, and a send or a receive. */
static void write_stage(const char *name, int rank)
{
    struct text text = {0};
    text_format(
        &text,
        "{\"baseTimeNanoseconds\":1000,\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"PP:%dF0\",\"pid\":1,\"tid\":1,\"ts\":"
        "0,"
        "\"dur\":9},{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch\",\"pid\":1,\"tid\":1,"
        "\"ts\":1,\"dur\":1,\"args\":{\"correlation\":1}},{\"ph\":\"X\",\"cat\":\"kernel\","
        "\"name\":"
        "\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":30,\"args\":{\"correlation\":1,\"stream\":"
        "7}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclSendRecv\",\"pid\":0,\"tid\":8,\"ts\":40,"
        "\"dur\":"
        "9,\"args\":{\"correlation\":2,\"stream\":8,\"Process Group Name\":\"pp\",\"Collective "
        "name\":"
        "\"%s\",\"%s Rank\":%d,\"Group size\":2,\"dtype\":\"Float\",\"In msg nelems\":4,\"Process "
        "Group Ranks\":\"[0, 1]\"}}]}",
        rank, 10 + 40 * rank, rank ? "recv" : "send", rank ? "Src" : "Dst", 1 - rank);
    scratch_file(name, text.items, text.count);
    text_free(&text);
}

/* Lets a call in an export wait for the event that is recorded there. */
static void add_wait(const char *path)
{
    static const char statements[] =
        "ALTER TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT ADD COLUMN eventId DEFAULT 5;"
        "ALTER TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT ADD COLUMN eventSyncId DEFAULT 3;"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, \"end\", deviceId, streamId, "
        "correlationId, globalPid, syncType, eventId, eventSyncId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT 20, 24, 0, streamId, 8, globalPid, "
        "1, 5, 3 FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT;"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, \"end\", eventClass, globalTid, "
        "correlationId, nameId, returnValue) SELECT 20, 24, 0, globalTid, 8, nameId, 0 FROM "
        "CUPTI_ACTIVITY_KIND_RUNTIME";
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, statements, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* What opening a warehouse takes, or a few less, so that a trial begins before its end. */
static int64_t count_opening(const char *path, enum warehouse_mode mode)
{
    struct error error;
    struct warehouse warehouse;
    memory_start(0, false);
    assert_true(warehouse_open(&warehouse, path, mode, 0, &error));
    warehouse_close(&warehouse);
    return memory_stop() - 20;
}

static int make_files(void **state)
{
    (void)state;
    struct error error;
    assert_true(memory.count > 0); /* by the start of SQLite */
    lock_by(without_locks);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        *paths[i].place = memory_text(scratch_path(paths[i].name));
    scratch_file("first_rank3.json", trace_json, strlen(trace_json));
    write_collectives("shared_rank0.json", 3);
    write_collectives("shared_rank1.json", 2);
    write_stage("staged_rank0.json", 0);
    write_stage("staged_rank1.json", 1);
    char *other = memory_text(trace_json);
    memcpy(strstr(other, "sgemm"), "dgemm", 5);
    size_t size;
    void *bytes = gzip_bytes(other, strlen(other), &size);
    scratch_file("second.json.gz", bytes, size);
    memory_free(bytes);
    memory_free(other);
    empty_directory(reports);
    struct text content = read_file(FIXTURES "/jax/small.xplane.pb");
    scratch_file("x.xplane.pb", content.items, content.count);
    text_free(&content);
    content = read_file(FIXTURES "/nsys/small.sqlite");
    scratch_file("x.sqlite", content.items, content.count);
    text_free(&content);
    add_wait(export);
    content = read_file(export);
    bytes = gzip_bytes(content.items, content.count, &size);
    scratch_file("y.sqlite.gz", bytes, size);
    memory_free(bytes);
    text_free(&content);
    content = read_file(FIXTURES "/rocpd/small.db");
    scratch_file("z.db", content.items, content.count);
    text_free(&content);
    static const char report[] =
        "-- Wide.\n-- set: own\n-- spread: n over stream\nCREATE VIEW wide AS SELECT run AS run, "
        "trace_id AS trace_id, name AS name, stream AS stream, count(*) AS n FROM gpu_slice GROUP "
        "BY run, trace_id, name, stream;\n";
    scratch_file("reports/wide.sql", report, strlen(report));
    empty_directory(additions);
    static const char rows[] = "op,category\naten::mm,Mine\n";
    static const char statements[] =
        "-- tpq:require op aten::mm\n-- tpq:param N 1\n"
        "INSERT INTO perf_model (op, flops) VALUES ('aten::mm', 'dim(0, 0) + length(kname(0))');\n"
        "INSERT INTO pseudo_op (name, place, event, donor) SELECT 'aten::bmm', 'wrap', id, id FROM "
        "slice WHERE name = 'aten::mm';\n"
        "INSERT INTO op_override (event, name, args) SELECT id, 'aten::mul', '{\"more\":1}' FROM "
        "slice WHERE name LIKE 'sticks%';\n"
        "INSERT INTO edge (from_id, to_id, kind) SELECT min(id), max(id), 'flow' FROM slice;\n"
        "INSERT INTO ext_note (text) VALUES ('own');\n"
        "INSERT INTO ext_sheet (name, sql) VALUES ('own', 'SELECT param(''N'') AS n, launcher FROM "
        "gpu_slice');\n";
    scratch_file("additions/rows.csv", rows, strlen(rows));
    scratch_file("additions/statements.sql", statements, strlen(statements));
    scratch_file("steps.json", steps_text, strlen(steps_text));
    empty_directory(captures);
    empty_directory(kept);
    scratch_file("captures/capture.json", capture_text, strlen(capture_text));
    const char *const first[] = {first_trace, NULL}, *const steps[] = {steps_trace, NULL};
    assert_true(ingest_files(full, "full", first, 1, &error));
    assert_true(ingest_files(served, "served", steps, 1, &error));
    copy_file(full, bare);
    for (enum warehouse_mode mode = WAREHOUSE_READ; mode <= WAREHOUSE_WRITE; mode++)
        allocations_to[mode] = count_opening(full, mode);
    allocations_to_write_bare = count_opening(bare, WAREHOUSE_WRITE);
    return 0;
}

/* A child in which something is wrong ends when cmocka has said so. */
static int end_broken_child(void **state)
{
    (void)state;
    if (is_child) {
        fflush(NULL);
        _exit(1);
    }
    return 0;
}

static int free_paths(void **state)
{
    end_broken_child(state);
    lock_by(NULL);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        memory_free(*paths[i].place);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, end_broken_child)

/* A file of CTest's reads these lines, too. */
static const struct CMUnitTest tests[] = {
    TEST(cutting_a_trace),
    TEST(exporting),
    TEST(merging_call_trees),
    TEST(captured_graphs),
    TEST(reporting_on_serving),
    TEST(reporting_on_pipelines),
    TEST(the_first_trace_of_a_new_warehouse),
    TEST(a_gzip_into_an_existing_warehouse),
    TEST(a_trace_that_replaces_itself),
    TEST(a_trace_that_is_known_already),
    TEST(a_gzip_decompressed_by_a_thread),
    TEST(a_profile),
    TEST(an_export),
    TEST(a_database_of_rocprof),
    TEST(describing_everything),
    TEST(listing_runs_and_traces),
    TEST(printing_a_tree),
    TEST(checking),
    TEST(removing_a_run),
    TEST(merging_a_warehouse),
    TEST(rendering_in_every_mode),
    TEST(asking_about_a_part),
    TEST(asking_views),
    TEST(tables_over_work),
    TEST(counting_for_another_tolerance),
    TEST(reporting),
    TEST(comparing),
    TEST(calculating_a_model),
    TEST(extending),
    TEST(selecting),
};
GROUP(memory, make_files, free_paths)
