/* record: what a program asks of the files in one folder, as a log that test_power.py replays.
 *
 *     LD_PRELOAD=librecord.so RECORD_FOLDER=FOLDER RECORD_LOG=FILE tpq ...
 *
 * Every entry is a line and the bytes that it counts: a letter, the number of the file, a place,
 * and how many bytes follow. W writes them there, T makes the file so long, S syncs it, D syncs the
 * folder, N gives the file the name that follows, and U takes that name away; a renaming is both,
 * with the place 1 at its N.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

enum { PATH_ROOM = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The name that a path has in the folder; NULL: it is elsewhere. */
static const char *name_of(const char *path)
{
    static __thread char whole[2 * PATH_ROOM];
    const char *folder = getenv("RECORD_FOLDER");
    char here[PATH_ROOM] = "";
    if (!folder || (*path != '/' && !getcwd(here, sizeof here)))
        return NULL;
    snprintf(whole, sizeof whole, "%s%s%s", here, *here ? "/" : "", path);
    size_t length = strlen(folder);
    return strncmp(whole, folder, length) == 0 && whole[length] == '/' ? whole + length + 1 : NULL;
}

static void record(char what, ino_t file, off_t place, const void *bytes, size_t count)
{
    static FILE *log;
    pthread_mutex_lock(&lock);
    if (!log)
        log = fopen(getenv("RECORD_LOG"), "wbe");
    fprintf(log, "%c %llu %lld %zu\n", what, (unsigned long long)file, (long long)place, count);
    fwrite(bytes, 1, count, log);
    fflush(log);
    pthread_mutex_unlock(&lock);
}

/* The number of an open file, if it is in the folder or the folder; else 0. */
static ino_t number_of(int file, int *is_folder)
{
    char link[64], path[PATH_ROOM] = "";
    struct stat status;
    const char *folder = getenv("RECORD_FOLDER");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (!folder || readlink(link, path, sizeof path - 1) < 0 || fstat(file, &status) != 0)
        return 0;
    *is_folder = S_ISDIR(status.st_mode);
    return name_of(path) || strcmp(path, folder) == 0 ? status.st_ino : 0;
}

static void record_file(char what, int file, off_t place, const void *bytes, size_t count)
{
    int is_folder = 0;
    ino_t number = number_of(file, &is_folder);
    if (number)
        record(is_folder ? 'D' : what, number, place, bytes, count);
}

static void record_name(char what, ino_t number, off_t place, const char *path)
{
    const char *name = name_of(path);
    if (name)
        record(what, number, place, name, strlen(name));
}

static ino_t number_at(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    off_t place = lseek(file, 0, SEEK_CUR);
    ssize_t done = NEXT(write)(file, bytes, count);
    if (done > 0)
        record_file('W', file, place, bytes, (size_t)done);
    return done;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place)
{
    ssize_t done = NEXT(pwrite)(file, bytes, count, place);
    if (done > 0)
        record_file('W', file, place, bytes, (size_t)done);
    return done;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place)
{
    return pwrite(file, bytes, count, place);
}

int ftruncate64(int file, off64_t size)
{
    int result = NEXT(ftruncate64)(file, size);
    if (result == 0)
        record_file('T', file, size, "", 0);
    return result;
}

int fsync(int file)
{
    int result = NEXT(fsync)(file);
    if (result == 0)
        record_file('S', file, 0, "", 0);
    return result;
}

int fdatasync(int file)
{
    int result = NEXT(fdatasync)(file);
    if (result == 0)
        record_file('S', file, 0, "", 0);
    return result;
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    int is_new = flags & O_CREAT && access(path, F_OK) != 0, file = NEXT(open64)(path, flags, mode);
    if (is_new && file >= 0)
        record_name('N', number_at(path), 0, path);
    return file;
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open64(path, flags, mode);
}

int mkostemp(char *path, int flags)
{
    int file = NEXT(mkostemp)(path, flags);
    if (file >= 0)
        record_name('N', number_at(path), 0, path);
    return file;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    ino_t number = number_at(from);
    int result = NEXT(renameat2)(from_folder, from, to_folder, to, flags);
    if (result == 0) {
        record_name('N', number, 1, to);
        record_name('U', number, 0, from);
    }
    return result;
}

int unlink(const char *path)
{
    ino_t number = number_at(path);
    int result = NEXT(unlink)(path);
    if (result == 0)
        record_name('U', number, 0, path);
    return result;
}
