/* schema: The views of a file are compared by fingerprint; a plan drops those with another text and
 * writes the rows of the schema anew. */
#include "sql/warehouse/schema.h"

#include "sql/asked.h"
#include "sql/statement.h"
#include "sql/warehouse/catalog.h"
#include "sql/warehouse/schema.sql.h"
#include "sql/warehouse/tables.h"
#include "src/base/hash.h"
#include "src/base/text.h"

#include <stdio.h>

bool views_row(sqlite3 *db, const char *list, const char *what, struct view name, char **text,
               struct error *error)
{
    const struct sql_view *view = views_find(view_of(list));
    size_t head = strlen(list) + strlen(" AS\n");
    struct asked asked;
    const char *found;
    char *sql = database_format("SELECT %s FROM (%.*s) WHERE name = ?1", what,
                                (int)(view->length - head), view->text + head);
    ASK(&asked, db, sql, name);
    *text = ASKED_ROW(&asked, OR_NULL(&found)) && found ? memory_text(found) : NULL;
    memory_free(sql);
    return asked_done(&asked, list, error);
}

static bool holds_views(const struct sql_file *file)
{
    return text_starts_with(file->path, "views/") || text_starts_with(file->path, "reports/") ||
           text_starts_with(file->path, "fleet/");
}

void views_fingerprint(char hex[17])
{
    uint64_t hash = SCHEMA_VERSION;
    for (int i = 0; i < sql_file_count; i++)
        if (holds_views(&sql_files[i]) || text_starts_with(sql_files[i].path, "catalog/") ||
            text_starts_with(sql_files[i].path, "schema/"))
            hash = hash64(sql_files[i].text, strlen(sql_files[i].text), hash);
    snprintf(hex, 17, "%016llx", (unsigned long long)hash);
}

static const char create_view[] = "CREATE VIEW ";

/* ------------------------------------------------------------------ one by one */

bool views_make_file(sqlite3 *db, const struct sql_file *file, struct error *error)
{
    bool done = true;
    for (const char *at = file->text; done && (at = strstr(at, create_view));) {
        at += strlen(create_view);
        size_t length = statement_length(at);
        done = database_run_made(db, database_format("CREATE TEMP VIEW %.*s", (int)length, at),
                                 "making a view", error);
        at += length;
    }
    return done;
}

static bool is_in_file(sqlite3 *db, struct view table)
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)table.length, table.bytes);
    return sqlite3_table_column_metadata(db, "main", name, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

static bool make(sqlite3 *db, const struct schema_statement *made, bool only_here,
                 struct error *error)
{
    size_t head = strlen("CREATE ");
    return database_run_made(db,
                             database_format("CREATE %s%.*s", only_here ? "TEMP " : "",
                                             (int)(made->text.length - head),
                                             made->text.bytes + head),
                             "making a table", error);
}

/* Takes rows of the file's table into the one of the connection, which lacks columns of an owner's.
 */
static bool copy_rows(sqlite3 *db, struct view table, const char *rows, struct error *error)
{
    static const char doing[] = "making the catalog";
    int length = (int)table.length;
    sqlite3_stmt *row = NULL;
    const char *columns;
    char *question = database_format("SELECT group_concat('\"' || name || '\"') FROM "
                                     "pragma_table_info('%.*s', 'temp')",
                                     length, table.bytes);
    bool done = database_find_text(db, &row, question, 0, &columns) == SQLITE_OK ||
                database_error(db, doing, error);
    done = done && database_run_made(db,
                                     database_format("INSERT INTO temp.%.*s SELECT %s FROM "
                                                     "main.%.*s%s",
                                                     length, table.bytes, columns, length,
                                                     table.bytes, rows),
                                     doing, error);
    database_finalize(row);
    memory_free(question);
    return done;
}

bool views_make_tables(sqlite3 *db, const char *folder, const char *rows, struct error *error)
{
    struct schema_statement ours[SCHEMA_STATEMENTS_MAX];
    size_t count = schema_statements(ours);
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        if (!ours[i].is_table || !text_starts_with(ours[i].path, folder))
            continue;
        done = make(db, &ours[i], true, error) &&
               (!rows || !is_in_file(db, ours[i].name) || copy_rows(db, ours[i].name, rows, error));
    }
    return done;
}

/* ------------------------------------------------------------------ what the file says of them */

static bool set_setting(sqlite3 *db, const char *name, const char *value, struct error *error)
{
    return database_run_made(
        db,
        database_format("INSERT INTO setting (name, value) VALUES (%Q, %Q) "
                        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                        name, value),
        "writing a setting", error);
}

/* ------------------------------------------------------------------ saved ones */

/* Adds a DROP for each view of the file that has a name of ours and another text, or that an older
 * tpq made and this one does not. `found` says which of ours stay. */
static bool plan_drops(sqlite3 *db, bool all, bool *found, struct text *plan, struct error *error)
{
    struct asked asked;
    const char *name, *sql;
    bool is_old;
    asked_open(&asked, db,
               "SELECT view.name, view.sql, old.value IS NOT NULL FROM main.sqlite_schema AS view "
               "LEFT JOIN setting AS old ON old.name = 'view_names' AND "
               "instr(' ' || old.value || ' ', ' ' || view.name || ' ') WHERE type = 'view'");
    while (ASKED_ROW(&asked, &name, &sql, &is_old)) {
        const struct sql_view *ours = views_find(view_of(name));
        bool stays = ours ? (all || ours->is_saved) && text_starts_with(sql, create_view) &&
                                view_equal(view_of(sql + strlen(create_view)),
                                           (struct view){ours->text, ours->length})
                          : !is_old;
        if (ours && stays)
            found[ours - sql_views] = true;
        if (!stays) {
            char *drop = database_format("DROP VIEW main.\"%w\";", name);
            text_add_string(plan, drop);
            memory_free(drop);
        }
    }
    return asked_done(&asked, "the views", error);
}

/* Adds triggers that the file lacks, or has with another text. */
static bool plan_triggers(sqlite3 *db, struct text *plan, struct error *error)
{
    struct text lines = {0}, there = {0};
    struct asked asked;
    const char *text;
    asked_open(&asked, db,
               "SELECT substr(sql, length('CREATE ') + 1) FROM main.sqlite_schema "
               "WHERE type = 'trigger'");
    while (ASKED_ROW(&asked, &text))
        text_format(&there, "%s\n", text);
    tables_triggers(&lines);
    for (const char *at = lines.items, *end; *at; at = end) {
        end = at + strcspn(at, "\n") + 1;
        const char *name = at + strlen("TRIGGER ");
        if (!memmem(there.items ? there.items : "", there.count, at, (size_t)(end - at)))
            text_format(plan, "DROP TRIGGER IF EXISTS main.%.*s; CREATE %.*s;",
                        (int)strcspn(name, " "), name, (int)(end - at - 1), at);
    }
    text_free(&lines);
    text_free(&there);
    return asked_done(&asked, "the triggers", error);
}

/* Adds the statements to `plan`; nothing where the file has what it is to have. */
static bool plan_views(sqlite3 *db, struct text *plan, struct error *error)
{
    bool all, *found = memory_zeroed((size_t)sql_view_count, sizeof *found);
    int64_t answer = 0;
    int result = database_ask(db, "SELECT value = 'all' FROM setting WHERE name = 'saved_views'", 0,
                              &answer);
    all = answer != 0;
    bool done = result == SQLITE_OK || database_error(db, "reading a setting", error);
    if (done)
        done = plan_drops(db, all, found, plan, error);
    for (int i = 0; i < sql_view_count && done; i++)
        if ((all || sql_views[i].is_saved) && !found[i])
            text_format(plan, "CREATE VIEW main.%.*s;", (int)sql_views[i].length,
                        sql_views[i].text);
    memory_free(found);
    return done && plan_triggers(db, plan, error);
}

bool schema_watch(sqlite3 *db, struct error *error)
{
    struct text lines = {0}, sql = {0};
    tables_triggers(&lines);
    for (const char *at = lines.items; *at; at += strcspn(at, "\n") + 1)
        text_format(&sql, "CREATE TEMP %.*s;", (int)strcspn(at, "\n"), at);
    bool done = sqlite3_exec(db, sql.items, NULL, NULL, NULL) == SQLITE_OK ||
                database_error(db, "watching the tables", error);
    text_free(&lines);
    text_free(&sql);
    return done;
}

bool views_save(sqlite3 *db, struct error *error)
{
    struct text plan = {0};
    bool done = plan_views(db, &plan, error) &&
                (!plan.count || sqlite3_exec(db, plan.items, NULL, NULL, NULL) == SQLITE_OK ||
                 database_error(db, "the views", error));
    text_free(&plan);
    return done;
}

bool views_choose(sqlite3 *db, bool all, struct error *error)
{
    return database_begin(db, error) &&
           database_finish(db,
                           set_setting(db, "saved_views", all ? "all" : "plain", error) &&
                               views_save(db, error),
                           error);
}

/* ------------------------------------------------------------------ all of them, for a connection
 */

/* A connection may have forbidden such writing. */
bool views_write_here(sqlite3 *db, struct error *error)
{
    int is_defensive = 0;
    bool answers_only = database_answer_only(db, false);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &is_defensive);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    bool done = (sqlite3_exec(db, "PRAGMA writable_schema = on", NULL, NULL, NULL) == SQLITE_OK ||
                 database_error(db, "writing the views", error));
    if (done) {
        sqlite3_stmt *insert = NULL;
        done = database_prepare(db, give_view, &insert, NULL) == SQLITE_OK;
        for (int i = 0; i < sql_view_count && done; i++) {
            const struct sql_view *view = &sql_views[i];
            sqlite3_bind_text(insert, 1, view->name, -1, SQLITE_STATIC);
            sqlite3_bind_text(insert, 2, view->text - strlen(create_view),
                              (int)(strlen(create_view) + view->length), SQLITE_STATIC);
            sqlite3_step(insert);
            done = sqlite3_reset(insert) == SQLITE_OK;
        }
        if (!done)
            database_error(db, "writing the views", error);
        database_finalize(insert);
    }
    if (sqlite3_exec(db, "PRAGMA writable_schema = reset", NULL, NULL, NULL) != SQLITE_OK && done)
        done = database_error(db, "writing the views", error);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, is_defensive, NULL);
    database_answer_only(db, answers_only);
    return done;
}

/* ------------------------------------------------------------------ made again */

bool views_current(sqlite3 *db, bool *current, struct error *error)
{
    char own[17], sql[100];
    int64_t answer = 0;
    views_fingerprint(own);
    snprintf(sql, sizeof sql, "SELECT value = '%s' FROM setting WHERE name = 'views'", own);
    int result = database_ask(db, sql, 0, &answer);
    *current = answer != 0;
    return result == SQLITE_OK || database_error(db, "reading a setting", error);
}

bool views_make(sqlite3 *db, bool only_here, struct error *error)
{
    char fingerprint[17];
    views_fingerprint(fingerprint);
    if (only_here && !views_make_tables(db, tables_catalog, " WHERE source <> 'tpq'", error))
        return false;

    /* Before there were keys of identity, the path of a trace was kept with its user's name. It
     * goes before a new table takes a free page. */
    static const char has_path[] = "SELECT 1 FROM trace WHERE instr(metadata, '\"traceName\"')";
    int64_t is_kept = 0;
    if (!only_here && !is_in_file(db, VIEW("identity_key")) &&
        (database_ask(db, has_path, 0, &is_kept) != SQLITE_OK ||
         (is_kept && sqlite3_exec(db, remove_paths, NULL, NULL, NULL) != SQLITE_OK)))
        return database_error(db, "removing paths", error);

    /* Tables that an older file lacks, each with the indexes that stand behind it; those of the
     * catalog are there where it is made for this connection. */
    struct schema_statement ours[SCHEMA_STATEMENTS_MAX];
    size_t count = schema_statements(ours);
    bool done = true, is_missing = false;
    for (size_t i = 0; i < count && done; i++) {
        if (ours[i].is_table)
            is_missing = ours[i].is_later && !is_in_file(db, ours[i].name);
        bool is_left =
            only_here && (!ours[i].is_table || text_starts_with(ours[i].path, tables_catalog));
        done = !is_missing || is_left || make(db, &ours[i], only_here, error);
    }
    if (!done)
        return false;
    return catalog_fill(db, error) && (only_here || set_setting(db, "views", fingerprint, error));
}

bool views_remake(sqlite3 *db, bool only_here, struct error *error)
{
    struct text plan = {0};
    bool current;
    if (!views_current(db, &current, error))
        return false;
    if (only_here)
        return current || views_make(db, true, error);
    bool done = plan_views(db, &plan, error);
    if (done && (!current || plan.count))
        done = database_begin(db, error) &&
               database_finish(db, views_make(db, false, error) && views_save(db, error), error);
    text_free(&plan);
    return done;
}

enum { OLDER_ID = 0x74707131 }; /* "tpq1": before version 0.2.0 */

const char *schema_objection(int64_t application_id, int64_t version, enum status *status)
{
    *status = STATUS_DATABASE;
    if (application_id == OLDER_ID)
        return "made by a tpq older than 0.2.0; ingest its traces again";
    if (application_id == SCHEMA_APPLICATION_ID && version > SCHEMA_VERSION)
        return "made by a newer tpq; read it with that version";
    if (application_id == SCHEMA_APPLICATION_ID && version == SCHEMA_VERSION)
        return NULL;
    *status = STATUS_USAGE;
    return "not a tpq warehouse";
}

/* Statements that look up no name in the schema, which may have a view of any. */
bool schema_check(sqlite3 *db, const char *path, struct error *error)
{
    int64_t application_id = 0, version = 0, entries = 0;
    enum status status;
    /* counting the schema reads it: a journal that is left over shows only then */
    if (database_ask(db, "PRAGMA main.application_id", 0, &application_id) != SQLITE_OK ||
        database_ask(db, "PRAGMA main.user_version", 0, &version) != SQLITE_OK ||
        database_ask(db, "SELECT count(*) FROM main.sqlite_master", 0, &entries) != SQLITE_OK)
        return database_error(db, path, error);
    const char *objection = schema_objection(application_id, version, &status);
    return !objection || error_set(error, status, "%s: %s", path, objection);
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
    done = done && views_make(db, false, error) &&
           database_run_made(db,
                             database_format("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                             SCHEMA_APPLICATION_ID, SCHEMA_VERSION),
                             "writing the version", error);
    return database_finish(db, done, error);
}
