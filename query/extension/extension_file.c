/* extension_file: The table of suffixes is also the order of effect: rows, statements, libraries,
 * and by name within each. Text files are read whole and must have no zero byte; libraries only
 * have to exist. Only errors that the file can cause are blamed on it. */
#include "query/extension/extension_file.h"

#include "sql/warehouse/overlay.h"
#include "src/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const struct suffix {
    const char *suffix;
    enum extension_kind kind;
} suffixes[] = {{".csv", EXTENSION_CSV}, {".sql", EXTENSION_SQL}, {".so", EXTENSION_LIBRARY}};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static const struct suffix *suffix_of(const char *path)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends_with(path, suffixes[i].suffix))
            return &suffixes[i];
    return NULL;
}

static bool add_file(extension_file_list *self, const char *path, struct error *error)
{
    const struct suffix *suffix = suffix_of(path);
    if (!suffix && ends_with(path, ".py"))
        return error_set(error, STATUS_USAGE,
                         "%s: extensions are .sql, .csv and .so files here; the guide (extensions "
                         "in the documentation of tpq) shows what stands for Python",
                         path);
    if (!suffix)
        return error_set(
            error, STATUS_USAGE,
            "%s: an extension file is a .sql, .csv or .so file, or a directory of them", path);
    struct extension_file *file = array_push(self);
    *file = (struct extension_file){.kind = suffix->kind, .path = memory_text(path)};
    if (suffix->kind == EXTENSION_LIBRARY)
        return warehouse_exists(path) ||
               error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                         strerror(errno));
    struct text text = {0};
    bool done = file_read(file->path, &text, error);
    file->text = text.items;
    file->length = text.count;
    return done &&
           (!memchr(text.items, '\0', text.count) ||
            error_set(error, STATUS_BAD_INPUT, "%s: not a text: it has a zero byte", file->path));
}

/* Rows first, then statements, then libraries; each by name. */
static int compare_paths(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    long order = suffix_of(a) - suffix_of(b);
    return order ? (order > 0) - (order < 0) : strcmp(a, b);
}

bool extension_files_add(extension_file_list *self, const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        DIR *directory = opendir(path);
        if (!directory)
            return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", path,
                             strerror(errno));
        ARRAY(char *) paths = {0};
        bool done = true;
        for (const struct dirent *entry; (entry = readdir(directory));) {
            if (entry->d_name[0] == '.' || !suffix_of(entry->d_name))
                continue;
            struct text whole = {0};
            text_format(&whole, "%s/%s", path, entry->d_name);
            array_add(&paths, whole.items);
        }
        closedir(directory);
        array_sort(&paths, compare_paths);
        if (!paths.count)
            done =
                error_set(error, STATUS_BAD_INPUT, "%s: no .sql, .csv or .so file is in it", path);
        for (size_t i = 0; i < paths.count && done; i++)
            done = add_file(self, paths.items[i], error);
        return done;
    }
    return add_file(self, path, error);
}

bool extension_blame(struct warehouse *warehouse, const char *path, int line, struct error *error)
{
    const char *row = overlay_row(warehouse);
    const char *reason = sqlite3_errmsg(warehouse->db);
    int code = sqlite3_extended_errcode(warehouse->db);
    if (code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE)
        reason = "stands twice, or is there already";
    if ((code & 0xFF) == SQLITE_AUTH)
        reason = "an extension may read everything, and write only temporary tables and the "
                 "catalog";
    switch (code & 0xFF) {
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
    case SQLITE_TOOBIG:
        break;
    default: /* no fault of the file */
        return warehouse_error(warehouse, error);
    }
    return row ? error_set(error, STATUS_BAD_INPUT, "%s:%d: op '%s': %s", path, line, row, reason)
               : error_set(error, STATUS_BAD_INPUT, "%s:%d: %s", path, line, reason);
}
