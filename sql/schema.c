/* schema: see schema.h. */
#include "sql/schema.h"

#include "sql/database.h"
#include "sql/views.h"
#include "src/base/array.h"
#include "src/base/text.h"

#include <stdio.h>

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
           database_error(db, "writing the version", error);
}

bool schema_create(sqlite3 *db, struct error *error)
{
    if (!database_begin(db, error))
        return false;
    bool done = true;
    for (int i = 0; i < sql_file_count && done; i++)
        if (text_starts_with(sql_files[i].path, "schema/"))
            done = sqlite3_exec(db, sql_files[i].text, NULL, NULL, NULL) == SQLITE_OK ||
                   database_error(db, sql_files[i].path, error);
    done = done && views_make(db, false, error) && set_version(db, SCHEMA_VERSION, error);
    return database_finish(db, done, error);
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
                database_error(db, "looking for views", error);
    int result = SQLITE_ROW;
    while (done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *sql = (const char *)sqlite3_column_text(statement, 1);
        struct user_view *view = name && sql ? array_push(views) : NULL;
        if (view)
            *view = (struct user_view){strdup(name), strdup(sql)};
        done = (view && view->name && view->sql) || error_memory(error);
    }
    if (done && result != SQLITE_DONE)
        done = database_error(db, "looking for views", error);
    sqlite3_finalize(statement);
    for (size_t i = 0; i < views->count && done; i++) {
        char *drop = sqlite3_mprintf("DROP VIEW \"%w\"", views->items[i].name);
        done = drop ? sqlite3_exec(db, drop, NULL, NULL, NULL) == SQLITE_OK ||
                          database_error(db, views->items[i].name, error)
                    : error_memory(error);
        sqlite3_free(drop);
    }
    return done;
}

static bool give_views(sqlite3 *db, const view_list *views, struct error *error)
{
    for (size_t i = 0; i < views->count; i++)
        if (sqlite3_exec(db, views->items[i].sql, NULL, NULL, NULL) != SQLITE_OK)
            return database_error(db, views->items[i].name, error);
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
    if (!database_begin(db, error))
        return false;
    bool done = views_drop(db, error) && take_views(db, &users, error);
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
            done = database_error(db, path, error);
    }
    done = done && views_make(db, false, error) && give_views(db, &users, error) &&
           set_version(db, target, error);
    free_views(&users);
    return database_finish(db, done, error);
}
