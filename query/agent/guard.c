/* guard: An authorizer of SQLite allows what it knows and denies the rest; paths of files read as
 * NULL. Limits on length, depth and memory are set per connection. A file is opened below its root
 * first, without following links out of it, and is then checked by the path of its descriptor. */
#include "query/agent/guard.h"

#include "query/ask/reads.h"
#include "sql/binding/context.h"
#include "sql/database.h"
#include "sql/statement.h"
#include "src/base/name_list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ------------------------------------------------------------------ connections */

void guard_connection(sqlite3 *db)
{
    static const struct {
        int id, most;
    } limits[] = {{SQLITE_LIMIT_LENGTH, 16 << 20}, {SQLITE_LIMIT_SQL_LENGTH, 100000},
                  {SQLITE_LIMIT_EXPR_DEPTH, 200},  {SQLITE_LIMIT_COMPOUND_SELECT, 50},
                  {SQLITE_LIMIT_ATTACHED, 0},      {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i].id, limits[i].most);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

enum { HEAP_MAX = 256 << 20 };

/* Where a file lies is nobody's business: it is NULL in statements, as many tables are asked for
 * all of their columns, and no condition may read it. The name of a view tells nothing: it may be a
 * CTE's. */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *view)
{
    static const char *const functions[] = {"load_extension", "readfile", "writefile",  "edit",
                                            "fsdir",          "tpq_set",  "tpq_select", NULL};
    static const char *const pragmas[] = {
        "table_info", "table_xinfo", "table_list", "function_list",
        "index_list", "module_list", NULL}; /* the last two: tpq itself */
    (void)database;
    if (database_is_providing()) /* views of the program itself */
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        reads_note(first, view);
        return !context_is_place(first, second) ? SQLITE_OK : context ? SQLITE_DENY : SQLITE_IGNORE;
    case SQLITE_FUNCTION:
        return name_is_one_of(second, functions) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return name_is_one_of(first, pragmas) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE: /* a table in C is declared so; the file is open to read */
        return strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

void guard_texts(struct warehouse *warehouse, enum warehouse_text text)
{
    struct bounds bounds = warehouse->context->bounds;
    bounds.authorize = text == TEXT_OWN ? NULL : authorize;
    bounds.authorizer = text == TEXT_CONDITION ? warehouse : NULL;
    sqlite3_hard_heap_limit64(sqlite3_memory_used() + HEAP_MAX);
    bounds_set(warehouse->db, warehouse->context, bounds);
}

bool guard_memory(bool reads_file, struct error *error)
{
    if (sqlite3_shutdown() != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1) != SQLITE_OK ||
        sqlite3_initialize() != SQLITE_OK)
        return error_set(error, STATUS_DATABASE, "SQLite cannot be started");
    sqlite3_hard_heap_limit64(reads_file ? 0 : HEAP_MAX);
    return true;
}

/* ------------------------------------------------------------------ statements */

const char guard_takes[] = "query takes a statement that reads: SELECT, WITH, VALUES or EXPLAIN";

/* True if a statement begins like one that reads. */
static bool reads(const char *sql)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char *const verbs[] = {"SELECT", "WITH", "VALUES", "EXPLAIN", NULL};
    char verb[16];
    snprintf(verb, sizeof verb, "%.*s", (int)strspn(sql, letters), sql);
    return name_is_one_of(verb, verbs);
}

bool guard_one_statement(const char *sql, struct error *error)
{
    bool any = false, ended = false;
    for (const char *at = sql; *at;) {
        const char *end = statement_skip_quoted(at);
        bool is_comment = end > at && (*at == '-' || *at == '/');
        bool is_space = strchr(" \t\r\n\f;", *at) != NULL || is_comment;
        if (!any && !is_space && !reads(at))
            return error_set(error, STATUS_USAGE, "%s", guard_takes);
        if (ended && !is_space)
            return error_set(error, STATUS_USAGE, "query takes one statement a call");
        any |= !is_space;
        ended |= any && *at == ';';
        at = end > at ? end : at + 1;
    }
    return any || error_set(error, STATUS_USAGE, "query holds no statement");
}

/* ------------------------------------------------------------------ files */

/* A file below a directory whose own path has no links in it: a descriptor, or -1. On a system
 * without openat2 the file may lie elsewhere, which add_place finds. */
static int open_below(const char *root, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    size_t length = strlen(root);
    if (*path == '/') {
        if (strncmp(path, root, length) != 0 || path[length] != '/')
            return -1;
        path += length + strspn(path + length, "/");
    }
    int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    long file = directory >= 0 ? syscall(SYS_openat2, directory, path, &how, sizeof how) : -1;
    if (directory >= 0 && file < 0 && errno == ENOSYS)
        file = openat(directory, path, (int)how.flags);
    if (directory >= 0)
        close(directory);
    return (int)file;
}

static bool add_place(int file, const char *root, struct text *found)
{
    char link[64], place[PATH_MAX];
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, place, sizeof place - 1);
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || length < 0)
        return false;
    place[length] = '\0';
    size_t before = strlen(root);
    if (strncmp(place, root, before) != 0 || place[before] != '/')
        return false;
    text_add_string(found, place);
    return true;
}

bool guard_find_file(const char *const *roots, const char *path, struct text *found,
                     struct error *error)
{
    if (!*roots)
        return error_set(error, STATUS_USAGE,
                         "no file may be read: tpq mcp was started without --root DIRECTORY");
    for (; *roots; roots++) {
        char root[PATH_MAX];
        int file = realpath(*roots, root) ? open_below(root, path) : -1;
        if (file < 0 && realpath(*roots, root) && strcmp(root, *roots) != 0)
            file = open_below(*roots, path);
        bool done = file >= 0;
        if (done)
            done = add_place(file, root, found);
        if (file >= 0)
            close(file);
        if (done)
            return true;
    }
    return error_set(error, STATUS_USAGE, "this is no file below a directory of --root");
}
