/* database: A statement that wants a view of ours is prepared again once the connection has been
 * given it. */
#include "sql/database.h"

#include "sql/statement.h"
#include "src/base/memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

bool database_error(sqlite3 *db, const char *what, struct error *error)
{
    static const char malformed[] = "malformed database schema";
    static const char no_table[] = "vtable constructor failed"; /* ours fail for memory alone */
    const char *reason = sqlite3_errmsg(db);
    enum status status = STATUS_DATABASE;
    bool is_memory = (sqlite3_errcode(db) & 0xFF) == SQLITE_NOMEM ||
                     strncmp(reason, no_table, strlen(no_table)) == 0;
    switch (is_memory ? SQLITE_NOMEM : sqlite3_errcode(db) & 0xFF) {
    case SQLITE_BUSY:
        reason = "another process holds the database";
        break;
    case SQLITE_FULL:
        reason = "the disk is full";
        break;
    case SQLITE_READONLY:
        reason = "the database cannot be written";
        break;
    case SQLITE_NOTADB:
        reason = "not a database";
        status = STATUS_USAGE;
        break;
    case SQLITE_CORRUPT:
        if (strncmp(reason, malformed, strlen(malformed)) != 0)
            reason = DATABASE_DAMAGED;
        break;
    case SQLITE_NOMEM:
        reason = "out of memory";
        break;
    default:
        if (strcmp(reason, "integer overflow") == 0)
            reason = "numbers add up to more than 63 bits";
        break;
    }
    error_set(error, status, "%s: %s", what, reason);
    error->memory = is_memory;
    return false;
}

bool database_lacks_tables(sqlite3 *db)
{
    static const char asked[] = "SELECT 1 FROM run, trace, event, gpu_event, op, args, string, "
                                "track, edge, signpost, device, perf_model, report";
    sqlite3_stmt *question = NULL;
    int result = sqlite3_prepare_v2(db, asked, -1, &question, NULL);
    sqlite3_finalize(question);
    return (result & 0xFF) == SQLITE_ERROR;
}

static _Thread_local bool is_providing;

bool database_is_providing(void)
{
    return is_providing;
}

/* Asks a function of the connection about a text. The answer is NULL where it is or fails. Nothing
 * of ours is allocated while this thread counts as providing. */
static char *ask_connection(sqlite3 *db, const char *asked, const char *text, bool *fails)
{
    sqlite3_stmt *question = NULL;
    is_providing = true;
    int result = sqlite3_prepare_v2(db, asked, -1, &question, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(question, 1, text, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(question);
    is_providing = false;
    if (question)
        memory_at_end(database_lose, question);
    const char *answer =
        result == SQLITE_ROW ? (const char *)sqlite3_column_text(question, 0) : NULL;
    char *copy = answer ? memory_text(answer) : NULL;
    int end = database_finalize(question);
    if ((result & 0xFF) == SQLITE_NOMEM || (end & 0xFF) == SQLITE_NOMEM)
        memory_fail();
    *fails = !question || end != SQLITE_OK;
    return copy;
}

bool database_provide(sqlite3 *db, const char *text)
{
    bool fails;
    memory_free(ask_connection(db, "SELECT " DATABASE_PROVIDER "(?1)", text, &fails));
    return !fails;
}

void database_lose(void *statement)
{
    sqlite3_finalize(statement);
}

int database_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **statement, const char **rest)
{
    static const char wanting[] = "no such table: ", there[] = " already exists";
    bool fails;
    int result = sqlite3_prepare_v2(db, sql, -1, statement, rest);
    const char *told = result == SQLITE_ERROR ? sqlite3_errmsg(db) : "";
    if (text_starts_with(told, "view ") && strstr(told, there)) {
        /* a view of this name was given: it makes way, or is given again */
        told += strlen("view ");
        char *name = memory_part(told, strcspn(told, " "));
        char *taken = ask_connection(db, "SELECT nullif(" DATABASE_TAKER "(?1), 0)", name, &fails);
        result = sqlite3_prepare_v2(db, sql, -1, statement, rest);
        if (result == SQLITE_ERROR && taken && database_provide(db, name))
            result = sqlite3_prepare_v2(db, sql, -1, statement, rest); /* for the sentence */
        memory_free(taken);
        memory_free(name);
    } else if (text_starts_with(told, wanting)) {
        char *longer = ask_connection(db, "SELECT " DATABASE_PROVIDER "(?1)", sql, &fails);
        if (longer) {
            /* A length that a limit may forbid to others. */
            const char *end = longer;
            int limit = sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, INT_MAX);
            result = sqlite3_prepare_v2(db, longer, -1, statement, &end);
            sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, limit);
            if (rest &&
                result == SQLITE_OK) /* what stands behind the statement is the same in both */
                *rest = sql + strlen(sql) - strlen(end);
        } else
            result = sqlite3_prepare_v2(db, sql, -1, statement, rest);
        memory_free(longer);
    }
    if (result == SQLITE_OK && *statement)
        memory_at_end(database_lose, *statement);
    return result;
}

int database_finalize(sqlite3_stmt *statement)
{
    memory_forget(statement);
    return sqlite3_finalize(statement);
}

void database_put_with(const char *sql, const char *list, struct text *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (const char *at = sql, *end; *at; at = end) {
        size_t length = strspn(at, letters);
        struct view word = {at, length};
        bool is_with = view_equal_ignoring_case(word, VIEW("WITH"));
        end = length ? at + length : statement_skip_quoted(at);
        end += end == at;
        if (is_with || view_equal_ignoring_case(word, VIEW("SELECT")) ||
            view_equal_ignoring_case(word, VIEW("VALUES"))) {
            const char *behind = is_with ? end + strspn(end, " \t\r\n") : at;
            if (is_with && strncasecmp(behind, "RECURSIVE", strlen("RECURSIVE")) == 0)
                end = behind += strlen("RECURSIVE");
            text_add(out, sql, (size_t)(behind - sql));
            text_format(out, is_with ? " %s, " : "WITH %s ", list);
            text_add_string(out, behind);
            return;
        }
    }
    text_add_string(out, sql);
}

char *database_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *made = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (!made)
        memory_fail();
    size_t bytes = strlen(made) + 1;
    memory_at_end(sqlite3_free, made);
    char *copy = memcpy(memory_take(bytes), made, bytes);
    memory_forget(made);
    sqlite3_free(made);
    return copy;
}

bool database_answer_only(sqlite3 *db, bool only)
{
    sqlite3_stmt *row = NULL;
    bool did = sqlite3_prepare_v2(db, "PRAGMA query_only", -1, &row, NULL) == SQLITE_OK &&
               sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    if (did != only)
        sqlite3_exec(db, only ? "PRAGMA query_only = 1" : "PRAGMA query_only = 0", NULL, NULL,
                     NULL);
    return did;
}

int database_run(sqlite3 *db, const char *sql)
{
    int result = SQLITE_OK;
    while (*sql && result == SQLITE_OK) {
        sqlite3_stmt *statement = NULL;
        result = database_prepare(db, sql, &statement, &sql);
        while (result == SQLITE_OK && statement && sqlite3_step(statement) == SQLITE_ROW)
            ;
        if (result == SQLITE_OK)
            result = database_finalize(statement);
    }
    return result;
}

bool database_run_made(sqlite3 *db, char *sql, const char *what, struct error *error)
{
    bool done =
        sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK || database_error(db, what, error);
    memory_free(sql);
    return done;
}

bool database_begin(sqlite3 *db, struct error *error)
{
    return sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK ||
           database_error(db, "opening the database for writing", error);
}

bool database_finish(sqlite3 *db, bool done, struct error *error)
{
    if (done && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    if (done)
        database_error(db, "writing the database", error);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

int database_find(sqlite3 *db, sqlite3_stmt **kept, const char *sql, int64_t first, int64_t second)
{
    if (*kept)
        sqlite3_reset(*kept);
    else if (database_prepare(db, sql, kept, NULL) != SQLITE_OK)
        return sqlite3_errcode(db);
    if (sqlite3_bind_parameter_count(*kept) > 0)
        sqlite3_bind_int64(*kept, 1, first);
    if (sqlite3_bind_parameter_count(*kept) > 1)
        sqlite3_bind_int64(*kept, 2, second);
    return sqlite3_step(*kept);
}

int database_end(sqlite3_stmt *rows, int result)
{
    database_finalize(rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

const char *database_text(sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return "";
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (!text)
        memory_fail();
    return text;
}

int64_t database_integer(sqlite3_stmt *row, int column, int64_t otherwise)
{
    bool is_null = sqlite3_column_type(row, column) == SQLITE_NULL;
    return is_null ? otherwise : sqlite3_column_int64(row, column);
}

int database_find_text(sqlite3 *db, sqlite3_stmt **kept, const char *sql, int64_t id,
                       const char **text)
{
    int result = database_find(db, kept, sql, id, 0);
    *text = result == SQLITE_ROW ? database_text(*kept, 0) : NULL;
    if (result == SQLITE_ROW)
        return SQLITE_OK;
    return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
}

int database_ask(sqlite3 *db, const char *sql, int64_t id, int64_t *answer)
{
    sqlite3_stmt *question = NULL;
    int result = database_find(db, &question, sql, id, 0);
    if (result == SQLITE_ROW)
        *answer = sqlite3_column_int64(question, 0);
    database_finalize(question);
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

void database_let_go(sqlite3 *db)
{
    /* SQLite fetches nothing that ends where the file does; the first pages are never many */
    enum { PIECE = 1 << 24, HEAD = 1 << 16, TAIL = 4096 };
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;

    /* Only a file that is mapped, read only and shared can be read again. */
    char *vfs = NULL;
    sqlite3_int64 most = -1;
    bool is = sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &vfs) == SQLITE_OK && vfs &&
              strncmp(vfs, "unix", 4) == 0 &&
              sqlite3_file_control(db, "main", SQLITE_FCNTL_MMAP_SIZE, &most) == SQLITE_OK &&
              most > 0;
    sqlite3_free(vfs);
    if (!is)
        return;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
        !file->pMethods || file->pMethods->iVersion < 3 ||
        file->pMethods->xFileSize(file, &size) != SQLITE_OK)
        return;
    for (sqlite3_int64 at = HEAD; at + TAIL < size; at += PIECE) {
        void *bytes = NULL;
        int count = size - TAIL - at < PIECE ? (int)(size - TAIL - at) : PIECE;
        if (file->pMethods->xFetch(file, at, count, &bytes) != SQLITE_OK || !bytes)
            continue;
        madvise(bytes, (size_t)count, MADV_DONTNEED);
        file->pMethods->xUnfetch(file, at, bytes);
    }
}

bool database_may_go_back(sqlite3 *db)
{
    return !sqlite3_get_autocommit(db) && sqlite3_txn_state(db, NULL) == SQLITE_TXN_WRITE;
}

struct database_state database_state(sqlite3 *db)
{
    struct database_state self = {.changes = sqlite3_total_changes(db),
                                  .is_writing = sqlite3_txn_state(db, "main") == SQLITE_TXN_WRITE ||
                                                database_may_go_back(db)};
    sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &self.version);
    return self;
}

bool database_state_equal(const struct database_state *left, const struct database_state *right)
{
    return left->version == right->version && left->changes == right->changes &&
           left->is_writing == right->is_writing;
}
