/* schema: see schema.h. */
#include "sql/schema.h"

#include "sql/catalog.h"
#include "src/base/hash.h"
#include "src/base/text.h"

#include <stdio.h>
#include <string.h>

bool schema_error(sqlite3 *db, const char *what, struct error *error)
{
    const char *reason = sqlite3_errmsg(db);
    enum status status = STATUS_DATABASE;
    switch (sqlite3_errcode(db) & 0xFF) {
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
    case SQLITE_NOMEM:
        reason = "out of memory";
        break;
    default:
        break;
    }
    return error_set(error, status, "%s: %s", what, reason);
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool holds_views(const struct sql_file *file)
{
    return starts_with(file->path, "views/") || starts_with(file->path, "reports/");
}

/* ------------------------------------------------------------------ views */

/* Tells two programs' views and catalogs apart. */
static void views_fingerprint(char hex[17])
{
    uint64_t hash = SCHEMA_VERSION;
    for (int i = 0; i < sql_file_count; i++)
        if (holds_views(&sql_files[i]) || starts_with(sql_files[i].path, "catalog/"))
            hash = hash64(sql_files[i].text, strlen(sql_files[i].text), hash);
    snprintf(hex, 17, "%016llx", (unsigned long long)hash);
}

/* Length of the first statement of a text, without its semicolon. */
static size_t statement_length(const char *text)
{
    const char *at = text;
    while (*(at += strcspn(at, ";-'\"")) && *at != ';') {
        if (starts_with(at, "--"))
            at += strcspn(at, "\n");
        else if (*at != '-')
            at += 1 + strcspn(at + 1, *at == '\'' ? "'" : "\"");
        if (*at)
            at++;
    }
    return (size_t)(at - text);
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

struct making {
    sqlite3 *db;
    bool only_here;
    bool takes_rows; /* a table has the rows that the file's has */
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
                text_add(&statement, text.bytes, text.length);
    if (!done)
        error_memory(self->error);
    else if (sqlite3_exec(self->db, statement.items, NULL, NULL, NULL) != SQLITE_OK)
        done = schema_error(self->db, "making a view", self->error);
    text_free(&statement);
    return done;
}

static bool make_views_of_file(struct making *self, const struct sql_file *file)
{
    return each_statement(file, create_view, make_view, self);
}

/* A table for this connection; of the catalog, in front of the file's, with the user's rows. */
static bool make_table_here(void *context, struct view name, struct view text)
{
    struct making *self = context;
    struct text statement = {0};
    bool done = text_add_string(&statement, "CREATE TEMP TABLE ") &&
                text_add(&statement, text.bytes, text.length) &&
                (!self->takes_rows ||
                 text_format(&statement,
                             ";INSERT INTO temp.%.*s SELECT * FROM main.%.*s WHERE source <> 'tpq'",
                             (int)name.length, name.bytes, (int)name.length, name.bytes));
    if (!done)
        error_memory(self->error);
    else if (sqlite3_exec(self->db, statement.items, NULL, NULL, NULL) != SQLITE_OK)
        done = schema_error(self->db, "making the catalog", self->error);
    text_free(&statement);
    return done;
}

static bool make_catalog(struct making *self)
{
    bool done = true;
    for (int i = 0; i < sql_file_count && done && self->only_here; i++)
        if (starts_with(sql_files[i].path, "schema/3_")) /* what tpq knows, as rows */
            done = each_statement(&sql_files[i], "CREATE TABLE ", make_table_here, self);
    return done && catalog_fill(self->db, self->error);
}

/* The value of a setting, which the caller frees; NULL when it is not there. */
static bool setting(sqlite3 *db, const char *name, char **value, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    *value = NULL;
    int result =
        sqlite3_prepare_v2(db, "SELECT value FROM setting WHERE name = ?", -1, &statement, NULL);
    if (result == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
        result = sqlite3_step(statement);
    }
    bool done = result == SQLITE_DONE;
    if (result == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *value = text ? strdup(text) : NULL;
        done = *value || error_memory(error);
    } else if (!done) {
        schema_error(db, "reading a setting", error);
    }
    sqlite3_finalize(statement);
    return done;
}

static bool set_setting(sqlite3 *db, const char *name, const char *value, struct error *error)
{
    char *statement = sqlite3_mprintf("INSERT INTO setting (name, value) VALUES (%Q, %Q) "
                                      "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                                      name, value);
    bool done = statement && sqlite3_exec(db, statement, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(statement);
    return done || schema_error(db, "writing a setting", error);
}

bool schema_views_current(sqlite3 *db)
{
    char own[17], *stored;
    struct error ignored; /* making them again will say what is wrong */
    views_fingerprint(own);
    bool current = setting(db, "views", &stored, &ignored) && stored && strcmp(stored, own) == 0;
    free(stored);
    return current;
}

bool schema_drop_views(sqlite3 *db, struct error *error)
{
    char *names;
    if (!setting(db, "view_names", &names, error))
        return false;
    bool done = true;
    for (char *save, *name = names ? strtok_r(names, " ", &save) : NULL; name && done;
         name = strtok_r(NULL, " ", &save)) {
        char *statement = sqlite3_mprintf("DROP VIEW IF EXISTS \"%w\"", name);
        done = statement && sqlite3_exec(db, statement, NULL, NULL, NULL) == SQLITE_OK;
        sqlite3_free(statement);
    }
    free(names);
    return done || schema_error(db, "dropping a view", error);
}

static bool begin(sqlite3 *db, struct error *error)
{
    return sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK ||
           schema_error(db, "opening the database for writing", error);
}

static bool finish(sqlite3 *db, bool done, struct error *error)
{
    if (done && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    if (done)
        schema_error(db, "writing the database", error);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* A row of sqlite_schema, as CREATE VIEW writes it. */
static bool write_view(void *context, struct view name, struct view text)
{
    const char *statement = text.bytes - strlen(create_view);
    sqlite3_stmt *insert = context;
    sqlite3_bind_text(insert, 1, name.bytes, (int)name.length, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, statement, (int)(text.bytes + text.length - statement),
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
    for (int i = 0; i < sql_file_count && done; i++)
        done = !holds_views(&sql_files[i]) ||
               each_statement(&sql_files[i], create_view, write_view, insert);
    if (!done)
        schema_error(db, "writing the views", error);
    sqlite3_finalize(insert);
    return done;
}

bool schema_write_views(sqlite3 *db, struct error *error)
{
    if (sqlite3_exec(db, "PRAGMA writable_schema = on", NULL, NULL, NULL) != SQLITE_OK)
        return schema_error(db, "writing the views", error);
    bool done = begin(db, error) && finish(db, write_views(db, false, error), error);
    if (sqlite3_exec(db, "PRAGMA writable_schema = reset", NULL, NULL, NULL) != SQLITE_OK && done)
        done = schema_error(db, "writing the views", error);
    return done;
}

/* The same for this connection only, which may have forbidden such writing. */
static bool write_views_here(sqlite3 *db, struct error *error)
{
    int is_defensive = 0;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &is_defensive);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    bool done = sqlite3_exec(db, "PRAGMA writable_schema = on", NULL, NULL, NULL) == SQLITE_OK &&
                write_views(db, true, error);
    if (sqlite3_exec(db, "PRAGMA writable_schema = reset", NULL, NULL, NULL) != SQLITE_OK && done)
        done = schema_error(db, "writing the views", error);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, is_defensive, NULL);
    return done;
}

static bool make_views(sqlite3 *db, bool only_here, struct error *error)
{
    struct making making = {.db = db, .only_here = only_here, .takes_rows = true, .error = error};
    char fingerprint[17];
    views_fingerprint(fingerprint);
    bool done = (only_here || schema_drop_views(db, error)) && make_catalog(&making);
    if (only_here)
        return done && write_views_here(db, error);
    for (int i = 0; i < sql_file_count && done; i++)
        done = !holds_views(&sql_files[i]) || make_views_of_file(&making, &sql_files[i]);
    done = done && set_setting(db, "views", fingerprint, error) &&
           set_setting(db, "view_names", making.names.items ? making.names.items : "", error);
    text_free(&making.names);
    return done;
}

bool schema_make_views(sqlite3 *db, const struct sql_file *file, struct error *error)
{
    struct making making = {.db = db, .only_here = true, .error = error};
    bool done = make_views_of_file(&making, file);
    text_free(&making.names);
    return done;
}

bool schema_make_tables(sqlite3 *db, const char *path, struct error *error)
{
    struct making making = {.db = db, .only_here = true, .error = error};
    bool done = true;
    for (int i = 0; i < sql_file_count && done; i++)
        if (strcmp(sql_files[i].path, path) == 0)
            done = each_statement(&sql_files[i], "CREATE TABLE ", make_table_here, &making);
    return done;
}

/* ------------------------------------------------------------------ transactions */

bool schema_remake_views(sqlite3 *db, bool only_here, struct error *error)
{
    if (only_here)
        return make_views(db, true, error);
    return begin(db, error) && finish(db, make_views(db, false, error), error);
}

/* ------------------------------------------------------------------ tables */

int schema_version(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int version = -1;
    static const char question[] =
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
        "FROM pragma_application_id, pragma_user_version";
    if (sqlite3_prepare_v2(db, question, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        if (sqlite3_column_int(statement, 0) == SCHEMA_APPLICATION_ID)
            version = sqlite3_column_int(statement, 1);
        else if (sqlite3_column_int(statement, 0) == 0 && sqlite3_column_int(statement, 2) == 0)
            version = 0;
    }
    sqlite3_finalize(statement);
    return version;
}

static bool set_version(sqlite3 *db, int version, struct error *error)
{
    char statement[80];
    snprintf(statement, sizeof statement, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             SCHEMA_APPLICATION_ID, version);
    return sqlite3_exec(db, statement, NULL, NULL, NULL) == SQLITE_OK ||
           schema_error(db, "writing the version", error);
}

bool schema_create(sqlite3 *db, struct error *error)
{
    if (!begin(db, error))
        return false;
    bool done = true;
    for (int i = 0; i < sql_file_count && done; i++)
        if (starts_with(sql_files[i].path, "schema/"))
            done = sqlite3_exec(db, sql_files[i].text, NULL, NULL, NULL) == SQLITE_OK ||
                   schema_error(db, sql_files[i].path, error);
    done = done && make_views(db, false, error) && set_version(db, SCHEMA_VERSION, error);
    return finish(db, done, error);
}

/* Views of the user, which may stand on ours, would keep tables from being altered: they are taken
 * away while migrations run. */
struct user_view {
    char *name, *sql;
};

typedef ARRAY(struct user_view) view_list;

static bool take_views(sqlite3 *db, view_list *views, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    bool done = sqlite3_prepare_v2(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'view'",
                                   -1, &statement, NULL) == SQLITE_OK ||
                schema_error(db, "looking for views", error);
    while (done && sqlite3_step(statement) == SQLITE_ROW) {
        struct user_view *view = array_push(views);
        if (view)
            *view = (struct user_view){strdup((const char *)sqlite3_column_text(statement, 0)),
                                       strdup((const char *)sqlite3_column_text(statement, 1))};
        done = (view && view->name && view->sql) || error_memory(error);
    }
    sqlite3_finalize(statement);
    for (size_t i = 0; i < views->count && done; i++) {
        char *drop = sqlite3_mprintf("DROP VIEW \"%w\"", views->items[i].name);
        done = (drop && sqlite3_exec(db, drop, NULL, NULL, NULL) == SQLITE_OK) ||
               schema_error(db, views->items[i].name, error);
        sqlite3_free(drop);
    }
    return done;
}

static bool give_views(sqlite3 *db, const view_list *views, struct error *error)
{
    for (size_t i = 0; i < views->count; i++)
        if (sqlite3_exec(db, views->items[i].sql, NULL, NULL, NULL) != SQLITE_OK)
            return schema_error(db, views->items[i].name, error);
    return true;
}

static void free_views(view_list *views)
{
    for (size_t i = 0; i < views->count; i++) {
        free(views->items[i].name);
        free(views->items[i].sql);
    }
    array_free(views);
}

bool schema_migrate(sqlite3 *db, const struct sql_file *migrations, int count, int target,
                    struct error *error)
{
    view_list users = {0};
    if (!begin(db, error))
        return false;
    bool done = schema_drop_views(db, error) && take_views(db, &users, error);
    for (int version = schema_version(db) + 1; version <= target && done; version++) {
        char path[40];
        snprintf(path, sizeof path, "migrations/%04d.sql", version);
        int i = 0;
        while (i < count && strcmp(migrations[i].path, path) != 0)
            i++;
        if (i == count)
            done = error_set(error, STATUS_DATABASE,
                             "this program cannot bring a warehouse to version %d", version);
        else if (sqlite3_exec(db, migrations[i].text, NULL, NULL, NULL) != SQLITE_OK)
            done = schema_error(db, path, error);
    }
    done = done && make_views(db, false, error) && give_views(db, &users, error) &&
           set_version(db, target, error);
    free_views(&users);
    return finish(db, done, error);
}
