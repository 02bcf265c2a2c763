/* shared_views: see shared_views.h. */
#include "sql/warehouse/shared_views.h"

#include "sql/database.h"
#include "sql/warehouse/provider.h"

#include <string.h>

static const char doing[] = "keeping what several sheets ask for";

static bool run(sqlite3 *db, const char *form, const char *text, struct error *error)
{
    return database_run_made(db, database_format(form, text, text), doing, error);
}

/* The text behind CREATE of a view of this connection; NULL where there is none. */
static bool find_statement(sqlite3 *db, const char *name, char **statement, struct error *error)
{
    static const char sql[] = "SELECT substr(sql, length('CREATE ')) FROM temp.sqlite_schema "
                              "WHERE name = ?1 AND type = 'view'";
    sqlite3_stmt *rows = NULL;
    int result = database_prepare(db, sql, &rows, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(rows, 1, name, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(rows);
    const char *text = result == SQLITE_ROW ? database_text(rows, 0) : NULL;
    *statement = text ? memory_text(text) : NULL;
    bool done = text || result == SQLITE_DONE || database_error(db, doing, error);
    database_finalize(rows);
    return done;
}

static bool keep(sqlite3 *db, const char *name, struct error *error)
{
    return run(db, "CREATE TEMP TABLE \"shared %w\" AS SELECT * FROM \"%w\"", name, error) &&
           run(db, "DROP VIEW temp.\"%w\"", name, error) &&
           run(db, "CREATE TEMP VIEW \"%w\" AS SELECT * FROM " SHARED_VIEW "%w\"", name, error);
}

bool shared_views_add(struct shared_views *self, struct warehouse *warehouse, struct view name,
                      struct error *error)
{
    for (size_t i = 0; i < self->list.count; i++)
        if (view_equal(name, view_of(self->list.items[i].name)))
            return true;
    struct shared_view *added = array_push(&self->list);
    *added = (struct shared_view){.name = memory_part(name.bytes, name.length)};
    if (!database_provide(warehouse->db, added->name))
        return database_error(warehouse->db, doing, error);
    return find_statement(warehouse->db, added->name, &added->statement, error) &&
           (added->statement ||
            error_set(error, STATUS_DATABASE, "there is no view %s", added->name)) &&
           keep(warehouse->db, added->name, error);
}

void shared_views_drop(struct shared_views *self, struct warehouse *warehouse)
{
    struct error error = {0};
    for (size_t i = 0; i < self->list.count; i++) {
        struct shared_view *view = &self->list.items[i];
        if (view->statement) {
            run(warehouse->db, "DROP VIEW IF EXISTS temp.\"%w\"", view->name, &error);
            run(warehouse->db, "DROP TABLE IF EXISTS temp.\"shared %w\"", view->name, &error);
            run(warehouse->db, "CREATE TEMP%s", view->statement, &error);
        }
        memory_free(view->name);
        memory_free(view->statement);
    }
    array_free(&self->list);
}
