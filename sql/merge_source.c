/* merge_source: see merge_source.h. */
#include "sql/merge_source.h"

#include "sql/database.h"
#include "sql/schema.h"
#include "sql/tables_file.h"
#include "sql/views.h"
#include "src/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool merge_source_damaged(const struct merge_source *self, const char *words, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%s: the warehouse is damaged: %s", self->path,
                     words);
}

/* Reading the file through says whether it is the one that is damaged. */
static bool is_whole(const struct merge_source *self)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *check = NULL;
    bool is_ok = sqlite3_open_v2(self->path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
                 sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &check, NULL) == SQLITE_OK &&
                 sqlite3_step(check) == SQLITE_ROW && strcmp(database_text(check, 0), "ok") == 0;
    sqlite3_finalize(check);
    sqlite3_close(db);
    return is_ok;
}

/* What rows and values are to blame for is always the source's. */
bool merge_source_failed(struct merge_source *self, struct error *error)
{
    sqlite3 *db = self->warehouse->db;
    char words[256];
    int code = sqlite3_errcode(db) & 0xFF;
    snprintf(words, sizeof words, "%s", sqlite3_errmsg(db));
    switch (code) {
    case SQLITE_NOMEM:
        return error_memory(error);
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
        return merge_source_damaged(self, words, error);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_IOERR:
        warehouse_error(self->warehouse, error);
        return is_whole(self) ? false : merge_source_damaged(self, words, error);
    default:
        return warehouse_error(self->warehouse, error);
    }
}

/* ------------------------------------------------------------------ opening */

static bool look_at_file(struct merge_source *self, struct error *error)
{
    struct stat status;
    const char *reason = stat(self->path, &status) != 0 ? strerror(errno)
                         : S_ISREG(status.st_mode)      ? NULL
                                                        : "not a file";
    self->bytes = reason ? 0 : status.st_size;
    return !reason || error_set(error, STATUS_BAD_INPUT, "%s: %s", self->path, reason);
}

/* A name of a file as SQLite takes it with a condition: that it is only read. */
static bool add_address(struct text *out, const char *path, bool has_log)
{
    bool done = text_add_string(out, "file:") && (*path == '/' || text_add_string(out, "./"));
    for (; *path && done; path++) {
        unsigned char byte = (unsigned char)*path;
        done = isalnum(byte) || strchr("/._-", byte) ? text_add_byte(out, *path)
                                                     : text_format(out, "%%%02x", byte);
    }
    return done && text_add_string(out, has_log ? "?mode=ro" : "?mode=ro&vfs=" TABLES_FILE_SYSTEM);
}

static sqlite3_stmt *prepare(struct merge_source *self, const char *sql, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(self->warehouse->db, sql, -1, &statement, NULL) != SQLITE_OK)
        merge_source_failed(self, error);
    return statement;
}

/* The first failures to read it are its own: nothing has been written. */
static bool unreadable(struct merge_source *self, struct error *error)
{
    sqlite3 *db = self->warehouse->db;
    switch (sqlite3_errcode(db) & 0xFF) {
    case SQLITE_NOMEM:
        return error_memory(error);
    case SQLITE_NOTADB:
        return error_set(error, STATUS_BAD_INPUT, "%s: not a tpq warehouse", self->path);
    case SQLITE_READONLY:
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: its writer was stopped before it was done; tpq check --db puts it "
                         "right",
                         self->path);
    case SQLITE_BUSY:
        return error_set(error, STATUS_BAD_INPUT, "%s: another process holds the database",
                         self->path);
    default:
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", self->path,
                         sqlite3_errmsg(db));
    }
}

static bool attach(struct merge_source *self, struct error *error)
{
    struct text address = {0};
    sqlite3_stmt *statement = NULL;
    bool done = (tables_file_register() == SQLITE_OK &&
                 add_address(&address, self->path, tables_file_has_log(self->path))) ||
                error_memory(error);
    if (done) {
        /* a warehouse that is being built belongs to one process, a source does not */
        done = sqlite3_exec(self->warehouse->db, "PRAGMA locking_mode = normal", NULL, NULL,
                            NULL) == SQLITE_OK &&
               sqlite3_prepare_v2(self->warehouse->db, "ATTACH ?1 AS source", -1, &statement,
                                  NULL) == SQLITE_OK &&
               sqlite3_bind_text(statement, 1, address.items, -1, SQLITE_STATIC) == SQLITE_OK &&
               sqlite3_step(statement) == SQLITE_DONE;
        if (!done)
            unreadable(self, error);
    }
    sqlite3_finalize(statement);
    text_free(&address);
    return done;
}

static bool ask(struct merge_source *self, const char *sql, int64_t *answer, struct error *error)
{
    return database_ask(self->warehouse->db, sql, 0, answer) == SQLITE_OK ||
           unreadable(self, error);
}

static bool check_version(struct merge_source *self, struct error *error)
{
    int64_t application = 0, version = 0, tables = 0;
    if (!ask(self, "SELECT count(*) FROM source.sqlite_schema", &tables, error) ||
        !ask(self, "PRAGMA source.application_id", &application, error) ||
        !ask(self, "PRAGMA source.user_version", &version, error))
        return false;
    if (application != SCHEMA_APPLICATION_ID || version < 1)
        return error_set(error, STATUS_BAD_INPUT, "%s: not a tpq warehouse", self->path);
    if (version > SCHEMA_VERSION)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: made by a newer tpq (tables of version %lld, this program knows %d)",
                         self->path, (long long)version, SCHEMA_VERSION);
    return version == SCHEMA_VERSION ||
           error_set(error, STATUS_BAD_INPUT,
                     "%s: made by an older tpq; tpq check --db brings it up to date", self->path);
}

/* Where the words are the same, so are the columns: of most tables nothing more need be asked. */
static bool list_same(struct merge_source *self, struct error *error)
{
    sqlite3_stmt *names =
        prepare(self,
                "SELECT there.name FROM source.sqlite_schema AS there JOIN main.sqlite_schema AS "
                "here ON here.name = there.name AND here.sql = there.sql WHERE here.type = 'table' "
                "AND there.type = 'table' AND there.sql LIKE 'CREATE TABLE %'",
                error);
    bool done = names != NULL;
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(names)) == SQLITE_ROW) {
        const char *name = database_text(names, 0);
        char *copy = name ? strdup(name) : NULL;
        done = array_take(&self->same, copy) || error_memory(error);
    }
    done = done && (result == SQLITE_DONE || merge_source_failed(self, error));
    sqlite3_finalize(names);
    return done;
}

bool merge_source_open(struct merge_source *self, struct warehouse *warehouse, const char *path,
                       struct error *error)
{
    *self = (struct merge_source){.warehouse = warehouse, .path = path};
    if (!look_at_file(self, error) || !attach(self, error))
        return false;
    if (check_version(self, error) && list_same(self, error))
        return true;
    merge_source_close(self);
    return false;
}

void merge_source_close(struct merge_source *self)
{
    for (size_t i = 0; i < self->same.count; i++)
        free(self->same.items[i]);
    array_free(&self->same);
    sqlite3_exec(self->warehouse->db, "DETACH source", NULL, NULL, NULL);
}

/* ------------------------------------------------------------------ tables */

/* Whether every warehouse has it: a user may have tables here that others have not. */
static bool is_of_schema(const char *table)
{
    char start[128];
    snprintf(start, sizeof start, "CREATE TABLE %s (", table);
    for (int i = 0; i < sql_file_count; i++)
        if (text_starts_with(sql_files[i].path, "schema/") && strstr(sql_files[i].text, start))
            return true;
    return false;
}

static bool ask_about(struct merge_source *self, const char *sql, const char *table,
                      int64_t *answer, struct error *error)
{
    sqlite3_stmt *question = prepare(self, sql, error);
    bool done = question != NULL;
    if (done) {
        sqlite3_bind_text(question, 1, table, -1, SQLITE_STATIC);
        done = sqlite3_step(question) == SQLITE_ROW || merge_source_failed(self, error);
        *answer = done ? sqlite3_column_int64(question, 0) : 0;
    }
    sqlite3_finalize(question);
    return done;
}

static bool is_same(const struct merge_source *self, const char *table)
{
    for (size_t i = 0; i < self->same.count; i++)
        if (strcmp(self->same.items[i], table) == 0)
            return true;
    return false;
}

/* A table by its row in the schema and its text, with the stored columns that it has here. SQLite
 * itself refuses a text that makes something else than its row says. */
bool merge_source_has(struct merge_source *self, const char *table, bool *has, struct error *error)
{
    *has = is_same(self, table);
    if (*has)
        return true;
    static const char kind[] =
        "SELECT coalesce(max(iif(type = 'table' AND sql LIKE 'CREATE TABLE %', 1, 2)), 0) "
        "FROM source.sqlite_schema WHERE name = ?1 COLLATE nocase";
    static const char columns[] =
        "SELECT count(*) FROM (SELECT name, type, \"notnull\", pk FROM "
        "pragma_table_xinfo(?1, 'main') WHERE hidden = 0 EXCEPT SELECT name, type, \"notnull\", pk "
        "FROM pragma_table_xinfo(?1, 'source') WHERE hidden = 0)";
    int64_t answer, missing = 0;
    if (!ask_about(self, kind, table, &answer, error) ||
        (answer == 1 && !ask_about(self, columns, table, &missing, error)))
        return false;
    *has = answer == 1;
    if ((*has && !missing) || (answer == 0 && !is_of_schema(table)))
        return true;
    char words[128];
    snprintf(words, sizeof words, "%s is not the table that it must be", table);
    return merge_source_damaged(self, words, error);
}

/* ------------------------------------------------------------------ choices */

/* Tables of the catalog have a column that says whose a row is. */
static const char catalog[] =
    "SELECT t.name, format('SELECT count(*) FROM source.\"%w\" WHERE source <> ''tpq''', t.name) "
    "FROM main.sqlite_schema AS t JOIN pragma_table_xinfo(t.name, 'main') AS c "
    "WHERE t.type = 'table' AND instr(t.sql, '''user''') AND c.name = 'source' AND c.dflt_value = "
    "'''user'''";

static bool count_catalog(struct merge_source *self, int64_t *rows, struct error *error)
{
    sqlite3_stmt *tables = prepare(self, catalog, error);
    bool done = tables != NULL;
    *rows = 0;
    while (warehouse_next(self->warehouse, tables, &done, error)) {
        bool has = false;
        int64_t count = 0;
        done =
            merge_source_has(self, database_text(tables, 0), &has, error) &&
            (!has ||
             database_ask(self->warehouse->db, database_text(tables, 1), 0, &count) == SQLITE_OK ||
             merge_source_failed(self, error));
        *rows += count;
    }
    sqlite3_finalize(tables);
    return done;
}

bool merge_source_count_choices(struct merge_source *self, int64_t *catalog_rows, int64_t *settings,
                                int64_t *tables, struct error *error)
{
    bool has_settings = false;
    *settings = *tables = 0;
    return count_catalog(self, catalog_rows, error) &&
           merge_source_has(self, "setting", &has_settings, error) &&
           (!has_settings || ask_about(self,
                                       "SELECT count(*) FROM source.setting WHERE name NOT IN "
                                       "('views', 'view_names')",
                                       "", settings, error)) &&
           ask_about(self,
                     "SELECT count(*) FROM source.sqlite_schema WHERE type = 'table' AND "
                     "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN (SELECT name FROM "
                     "main.sqlite_schema)",
                     "", tables, error);
}
