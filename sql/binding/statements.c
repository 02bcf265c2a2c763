/* statements: see statements.h. */
#include "sql/binding/statements.h"

#include "sql/database.h"

#include <string.h>

/* There are a dozen questions; each may be asked by several at a time. What comes on top is not
 * kept: it is prepared again each time, which is slower and nothing else. */
enum { KEPT_MAX = 32 };

struct statements {
    sqlite3_stmt *each[KEPT_MAX];
    size_t count;
};

static void drop(void *pointer)
{
    struct statements *self = pointer;
    while (self->count)
        sqlite3_finalize(self->each[--self->count]);
    free(self);
}

void statements_keep(struct context *context)
{
    struct statements *self = calloc(1, sizeof *self);
    if (self)
        context_keep(context, self, drop);
}

void statements_drop(struct context *context)
{
    if (context_kept(context, drop))
        context_keep(context, NULL, drop);
}

int statements_take(struct context *context, sqlite3 *db, const char *sql, sqlite3_stmt **statement)
{
    struct statements *self = context ? context_kept(context, drop) : NULL;
    for (size_t i = 0; self && i < self->count; i++) {
        if (sqlite3_db_handle(self->each[i]) == db &&
            strcmp(sqlite3_sql(self->each[i]), sql) == 0) {
            *statement = self->each[i];
            self->each[i] = self->each[--self->count];
            return SQLITE_OK;
        }
    }
    return database_prepare(db, sql, statement, NULL);
}

void statements_leave(struct context *context, sqlite3_stmt *statement)
{
    struct statements *self = context ? context_kept(context, drop) : NULL;
    if (!statement || !self || self->count == KEPT_MAX) {
        sqlite3_finalize(statement);
        return;
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    self->each[self->count++] = statement;
}
