/* recovery: see recovery.h. */
#include "sql/warehouse/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ends a journal that names another one, and begins each. */
static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

bool recovery_is_safe(sqlite3 *db, const char *path, struct error *error)
{
    const char *file_name = sqlite3_db_filename(db, "main");
    int file = open(sqlite3_filename_journal(file_name), O_RDONLY | O_CLOEXEC);
    unsigned char end[sizeof magic];
    struct stat status;
    bool names_another =
        file >= 0 && fstat(file, &status) == 0 && status.st_size > (off_t)sizeof end &&
        pread(file, end, sizeof end, status.st_size - (off_t)sizeof end) == (ssize_t)sizeof end &&
        memcmp(end, magic, sizeof end) == 0;
    if (file >= 0)
        close(file);
    return !names_another ||
           error_set(error, STATUS_DATABASE,
                     "%s: its journal is part of a transaction over several databases; open it "
                     "with sqlite3 if you trust it",
                     path);
}

static bool copy_bytes(int from, int to)
{
    char bytes[1 << 16];
    ssize_t count;
    while ((count = read(from, bytes, sizeof bytes)) > 0)
        for (ssize_t done = 0, part; done < count; done += part)
            if ((part = write(to, bytes + done, (size_t)(count - done))) <= 0)
                return false;
    return count == 0;
}

static bool copy_file(const char *from_path, const char *to_path)
{
    int from = open(from_path, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool done = to >= 0 && copy_bytes(from, to);
    int reason = errno;
    if (from >= 0)
        close(from);
    if (to >= 0)
        done = close(to) == 0 && done;
    errno = reason;
    return done;
}

/* In a folder that nobody else can enter. */
static bool name_copy(struct text *copy)
{
    const char *folder = getenv("TMPDIR");
    return text_format(copy, "%s/tpq-XXXXXX", folder && *folder ? folder : "/tmp") &&
           mkdtemp(copy->items) && text_add_string(copy, "/copy.db");
}

bool recovery_copy(sqlite3 *db, const char *path, struct text *copy, struct error *error)
{
    struct text journal = {0};
    const char *from = sqlite3_db_filename(db, "main");
    errno = 0;
    bool done = name_copy(copy) && text_format(&journal, "%s-journal", copy->items) &&
                copy_file(from, copy->items) &&
                copy_file(sqlite3_filename_journal(from), journal.items);
    if (!done)
        error_set(error, STATUS_DATABASE,
                  "%s: a process died while it wrote; undoing that in a copy in $TMPDIR failed: %s",
                  path, strerror(errno ? errno : ENOMEM));
    text_free(&journal);
    return done;
}

void recovery_forget(struct text *copy)
{
    char journal[PATH_MAX];
    char *end = copy->items ? strrchr(copy->items, '/') : NULL;
    if (end) {
        snprintf(journal, sizeof journal, "%s-journal", copy->items);
        unlink(journal);
        unlink(copy->items);
        *end = '\0';
        rmdir(copy->items);
    }
    text_free(copy);
}
