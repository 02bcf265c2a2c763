/* views: see views.h. */
#include "sql/views.h"

#include "sql/catalog.h"
#include "sql/database.h"
#include "sql/statement.h"
#include "sql/tables.h"
#include "src/base/hash.h"

#include <stdio.h>

bool views_row(sqlite3 *db, const char *list, const char *what, struct view name, char **text,
               struct error *error)
{
    const struct sql_view *view = views_find(view_of(list));
    size_t head = strlen(list) + strlen(" AS\n");
    sqlite3_stmt *row = NULL;
    char *sql = sqlite3_mprintf("SELECT %s FROM (%.*s) WHERE name = ?1", what,
                                (int)(view->length - head), view->text + head);
    int result = sql ? database_prepare(db, sql, &row, NULL) : SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(row, 1, name.bytes, (int)name.length, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(row);
    bool has_text = result == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL;
    *text = has_text ? sqlite3_mprintf("%s", sqlite3_column_text(row, 0)) : NULL;
    bool done = result == SQLITE_DONE || (result == SQLITE_ROW && (!has_text || *text));
    if (!done)
        result == SQLITE_ROW || !sql ? error_memory(error) : database_error(db, list, error);
    sqlite3_finalize(row);
    sqlite3_free(sql);
    return done;
}

static bool holds_views(const struct sql_file *file)
{
    return text_starts_with(file->path, "views/") || text_starts_with(file->path, "reports/") ||
           text_starts_with(file->path, "fleet/");
}

/* Tells two programs' views and catalogs apart. */
static void views_fingerprint(char hex[17])
{
    uint64_t hash = SCHEMA_VERSION;
    for (int i = 0; i < sql_file_count; i++)
        if (holds_views(&sql_files[i]) || text_starts_with(sql_files[i].path, "catalog/"))
            hash = hash64(sql_files[i].text, strlen(sql_files[i].text), hash);
    snprintf(hex, 17, "%016llx", (unsigned long long)hash);
}

static const char create_view[] = "CREATE VIEW ";

/* Calls `use` with the name and the text behind `create` of each statement that begins so. */
typedef bool use_statement(void *context, struct view name, struct view text);

static bool each_statement(const struct sql_file *file, const char *create, use_statement *use,
                           void *context)
{
    const char *at = file->text;
    while ((at = strstr(at, create))) {
        const char *name = at + strlen(create);
        struct view text = {name, statement_length(name)};
        if (!use(context, (struct view){name, strcspn(name, " \n")}, text))
            return false;
        at = text.bytes + text.length;
    }
    return true;
}

/* ------------------------------------------------------------------ one by one */

/* The rows of the file's table that one made here has. */
enum taken { NO_ROWS, ROWS_OF_USERS, ALL_ROWS };

struct making {
    sqlite3 *db;
    bool only_here;
    enum taken taken;
    struct text names;
    struct error *error;
};

static bool make_view(void *context, struct view name, struct view text)
{
    struct making *self = context;
    struct text statement = {0};
    bool done = text_format(&self->names, "%s%.*s", self->names.count ? " " : "", (int)name.length,
                            name.bytes) &&
                text_format(&statement, "CREATE %sVIEW ", self->only_here ? "TEMP " : "") &&
                text_add_view(&statement, text);
    if (!done)
        error_memory(self->error);
    else if (sqlite3_exec(self->db, statement.items, NULL, NULL, NULL) != SQLITE_OK)
        done = database_error(self->db, "making a view", self->error);
    text_free(&statement);
    return done;
}

static bool make_views_of_file(struct making *self, const struct sql_file *file)
{
    return each_statement(file, create_view, make_view, self);
}

static bool is_in_file(sqlite3 *db, struct view table)
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)table.length, table.bytes);
    return sqlite3_table_column_metadata(db, "main", name, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

/* A table for this connection; of the catalog, in front of the file's, with the user's rows. */
static bool make_table_here(void *context, struct view name, struct view text)
{
    struct making *self = context;
    struct text statement = {0};
    bool is_new = tables_came_later(name) && !is_in_file(self->db, name);
    bool done = text_add_string(&statement, "CREATE TEMP TABLE ") &&
                text_add_view(&statement, text) &&
                (self->taken == NO_ROWS || is_new ||
                 text_format(&statement, ";INSERT INTO temp.%.*s SELECT * FROM main.%.*s%s",
                             (int)name.length, name.bytes, (int)name.length, name.bytes,
                             self->taken == ROWS_OF_USERS ? " WHERE source <> 'tpq'" : ""));
    if (!done)
        error_memory(self->error);
    else if (sqlite3_exec(self->db, statement.items, NULL, NULL, NULL) != SQLITE_OK)
        done = database_error(self->db, "making the catalog", self->error);
    text_free(&statement);
    return done;
}

static bool make_catalog_here(struct making *self)
{
    bool done = true;
    for (int i = 0; i < sql_file_count && done; i++)
        if (text_starts_with(sql_files[i].path, "schema/3_")) /* what tpq knows, as rows */
            done = each_statement(&sql_files[i], "CREATE TABLE ", make_table_here, self);
    return done;
}

/* Tables that an older file lacks. */
static bool make_later_tables(const struct making *self)
{
    bool done = true;
    for (const char *const *later = tables_later; *later && done; later++) {
        struct view words = tables_words(*later);
        if (!words.length || is_in_file(self->db, view_of(*later)))
            continue;
        struct view index = self->only_here ? VIEW("") : tables_index_words(*later);
        char *sql = sqlite3_mprintf("CREATE %sTABLE IF NOT EXISTS %.*s%s%.*s",
                                    self->only_here ? "TEMP " : "", (int)words.length, words.bytes,
                                    index.length ? ";CREATE INDEX IF NOT EXISTS " : "",
                                    (int)index.length, index.bytes);
        done = sql ? sqlite3_exec(self->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
                         database_error(self->db, "making a table", self->error)
                   : error_memory(self->error);
        sqlite3_free(sql);
    }
    return done;
}

/* ------------------------------------------------------------------ what the file says of them */

/* The text that a question has for an answer, which the caller frees; NULL when there is none. */
static bool ask(sqlite3 *db, const char *question, char **value, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    *value = NULL;
    int result = sqlite3_prepare_v2(db, question, -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    bool done = result == SQLITE_DONE;
    if (result == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *value = text ? strdup(text) : NULL;
        done = !text || *value || error_memory(error);
    } else if (!done) {
        database_error(db, "reading a setting", error);
    }
    sqlite3_finalize(statement);
    return done;
}

static bool set_setting(sqlite3 *db, const char *name, const char *value, struct error *error)
{
    char *statement = sqlite3_mprintf("INSERT INTO setting (name, value) VALUES (%Q, %Q) "
                                      "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                                      name, value);
    if (!statement)
        return error_memory(error);
    bool done = sqlite3_exec(db, statement, NULL, NULL, NULL) == SQLITE_OK ||
                database_error(db, "writing a setting", error);
    sqlite3_free(statement);
    return done;
}

bool views_current(sqlite3 *db, bool *current, struct error *error)
{
    char own[17], *stored;
    views_fingerprint(own);
    bool done = ask(db, "SELECT value FROM setting WHERE name = 'views'", &stored, error);
    *current = done && stored && strcmp(stored, own) == 0;
    free(stored);
    return done;
}

bool views_drop(sqlite3 *db, struct error *error)
{
    /* one that is not there may have become a table of functions, which cannot be dropped */
    static const char there[] = "SELECT group_concat(view.name, ' ') FROM setting JOIN "
                                "main.sqlite_schema AS view ON view.type = 'view' AND "
                                "instr(' ' || setting.value || ' ', ' ' || view.name || ' ') "
                                "WHERE setting.name = 'view_names'";
    char *names;
    if (!ask(db, there, &names, error))
        return false;
    bool done = true;
    for (char *save, *name = names ? strtok_r(names, " ", &save) : NULL; name && done;
         name = strtok_r(NULL, " ", &save)) {
        char *statement = sqlite3_mprintf("DROP VIEW IF EXISTS \"%w\"", name);
        done = statement ? sqlite3_exec(db, statement, NULL, NULL, NULL) == SQLITE_OK ||
                               database_error(db, "dropping a view", error)
                         : error_memory(error);
        sqlite3_free(statement);
    }
    free(names);
    return done;
}

/* ------------------------------------------------------------------ as rows of the schema */

/* A row of sqlite_schema, as CREATE VIEW writes it. */
static bool write_view(sqlite3_stmt *insert, const struct sql_view *view)
{
    const char *statement = view->text - strlen(create_view);
    sqlite3_bind_text(insert, 1, view->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, statement, (int)(strlen(create_view) + view->length),
                      SQLITE_STATIC);
    sqlite3_step(insert);
    return sqlite3_reset(insert) == SQLITE_OK;
}

static bool write_views(sqlite3 *db, bool only_here, struct error *error)
{
    const char *sql = only_here ? "INSERT INTO temp.sqlite_schema (type, name, tbl_name, rootpage, "
                                  "sql) VALUES ('view', ?1, ?1, 0, ?2)"
                                : "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, "
                                  "sql) VALUES ('view', ?1, ?1, 0, ?2)";
    sqlite3_stmt *insert = NULL;
    bool done = sqlite3_prepare_v2(db, sql, -1, &insert, NULL) == SQLITE_OK;
    for (int i = 0; i < sql_view_count && done; i++)
        done = write_view(insert, &sql_views[i]);
    if (!done)
        database_error(db, "writing the views", error);
    sqlite3_finalize(insert);
    return done;
}

bool views_write(sqlite3 *db, struct error *error)
{
    if (sqlite3_exec(db, "PRAGMA writable_schema = on", NULL, NULL, NULL) != SQLITE_OK)
        return database_error(db, "writing the views", error);
    bool done = sqlite3_exec(db, "SAVEPOINT views", NULL, NULL, NULL) == SQLITE_OK;
    if (done)
        done = write_views(db, false, error);
    else
        database_error(db, "writing the views", error);
    if (sqlite3_exec(db, done ? "RELEASE views" : "ROLLBACK TO views; RELEASE views", NULL, NULL,
                     NULL) != SQLITE_OK &&
        done)
        done = database_error(db, "writing the views", error);
    if (sqlite3_exec(db, "PRAGMA writable_schema = reset", NULL, NULL, NULL) != SQLITE_OK && done)
        done = database_error(db, "writing the views", error);
    return done;
}

/* A connection may have forbidden such writing. */
bool views_write_here(sqlite3 *db, struct error *error)
{
    int is_defensive = 0;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &is_defensive);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    bool done = (sqlite3_exec(db, "PRAGMA writable_schema = on", NULL, NULL, NULL) == SQLITE_OK ||
                 database_error(db, "writing the views", error)) &&
                write_views(db, true, error);
    if (sqlite3_exec(db, "PRAGMA writable_schema = reset", NULL, NULL, NULL) != SQLITE_OK && done)
        done = database_error(db, "writing the views", error);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, is_defensive, NULL);
    return done;
}

/* ------------------------------------------------------------------ all of them */

bool views_make(sqlite3 *db, bool only_here, struct error *error)
{
    struct making making = {
        .db = db, .only_here = only_here, .taken = ROWS_OF_USERS, .error = error};
    char fingerprint[17];
    views_fingerprint(fingerprint);
    bool done = (only_here ? make_catalog_here(&making) : views_drop(db, error)) &&
                make_later_tables(&making) && catalog_fill(db, error);
    if (only_here)
        return done && views_write_here(db, error);
    for (int i = 0; i < sql_file_count && done; i++)
        done = !holds_views(&sql_files[i]) || make_views_of_file(&making, &sql_files[i]);
    done = done && set_setting(db, "views", fingerprint, error) &&
           set_setting(db, "view_names", making.names.items ? making.names.items : "", error);
    text_free(&making.names);
    return done;
}

bool views_remake(sqlite3 *db, bool only_here, struct error *error)
{
    if (only_here)
        return views_make(db, true, error);
    return database_begin(db, error) && database_finish(db, views_make(db, false, error), error);
}

bool views_copy(sqlite3 *db, struct error *error)
{
    struct making making = {.db = db, .only_here = true, .taken = ALL_ROWS, .error = error};
    return make_catalog_here(&making) && views_write_here(db, error);
}

bool views_make_file(sqlite3 *db, const struct sql_file *file, struct error *error)
{
    struct making making = {.db = db, .only_here = true, .error = error};
    bool done = make_views_of_file(&making, file);
    text_free(&making.names);
    return done;
}

bool views_make_tables(sqlite3 *db, const char *path, struct error *error)
{
    struct making making = {.db = db, .only_here = true, .error = error};
    bool done = true;
    for (int i = 0; i < sql_file_count && done; i++)
        if (strcmp(sql_files[i].path, path) == 0)
            done = each_statement(&sql_files[i], "CREATE TABLE ", make_table_here, &making);
    return done;
}
