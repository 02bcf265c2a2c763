/* statements: an entry is told of by whoever has its statement, and is empty when that fails. */
#include "sql/binding/statements.h"

#include "sql/database.h"
#include "src/base/memory.h"

#include <string.h>

/* There are a dozen questions; each may be asked by several at a time. What comes on top is not
 * kept: it is prepared again each time, which is slower and nothing else. */
enum { KEPT_MAX = 32 };

struct statements {
    struct kept_statement {
        char *sql; /* what was asked for; of the statement it may be a part (database_prepare) */
        sqlite3_stmt *statement; /* NULL: it was lost with whoever had it */
        bool is_taken;
    } * each[KEPT_MAX];
    size_t count;
};

/* A duty of whoever takes a statement. */
static void lose(void *entry)
{
    struct kept_statement *self = entry;
    sqlite3_finalize(self->statement);
    self->statement = NULL;
    self->is_taken = false;
}

static void free_entry(struct kept_statement *entry)
{
    memory_free(entry->sql);
    memory_free(entry);
}

/* Ends the statements that nobody has at the moment. */
static void forget(struct statements *self)
{
    for (size_t i = self->count; i-- > 0;)
        if (!self->each[i]->is_taken) {
            sqlite3_finalize(self->each[i]->statement);
            free_entry(self->each[i]);
            self->each[i] = self->each[--self->count];
        }
}

static void drop(void *pointer)
{
    struct statements *self = pointer;
    forget(self);
    while (self->count) /* whoever has the rest ends them */
        free_entry(self->each[--self->count]);
    memory_free(self);
}

void statements_keep(struct context *context)
{
    struct memory *before = memory_enter(&context->memory);
    struct statements *self = memory_zeroed(1, sizeof *self);
    memory_enter(before);
    context_keep(context, self, drop);
}

void statements_drop(struct context *context)
{
    if (context_kept(context, drop))
        context_keep(context, NULL, drop);
}

void statements_forget(struct context *context)
{
    struct statements *self = context_kept(context, drop);
    if (self)
        forget(self);
}

int statements_take(struct context *context, sqlite3 *db, const char *sql, sqlite3_stmt **statement)
{
    struct statements *self = context ? context_kept(context, drop) : NULL;
    for (size_t i = 0; self && i < self->count; i++) {
        struct kept_statement *kept = self->each[i];
        if (!kept->is_taken && kept->statement && sqlite3_db_handle(kept->statement) == db &&
            strcmp(kept->sql, sql) == 0) {
            kept->is_taken = true;
            *statement = kept->statement;
            memory_at_end(lose, kept);
            return SQLITE_OK;
        }
    }
    int result = database_prepare(db, sql, statement, NULL);
    if (result == SQLITE_OK && self && self->count < KEPT_MAX) {
        struct memory *before = memory_enter(&context->memory);
        struct kept_statement *kept = memory_take(sizeof *kept);
        *kept = (struct kept_statement){memory_text(sql), *statement, true};
        memory_enter(before);
        self->each[self->count++] = kept;
        memory_forget(*statement);
        memory_at_end(lose, kept);
    }
    return result;
}

void statements_leave(struct context *context, sqlite3_stmt *statement)
{
    struct statements *self = context ? context_kept(context, drop) : NULL;
    for (size_t i = 0; statement && self && i < self->count; i++)
        if (self->each[i]->statement == statement) {
            sqlite3_reset(statement);
            sqlite3_clear_bindings(statement);
            self->each[i]->is_taken = false;
            memory_forget(self->each[i]);
            return;
        }
    database_finalize(statement);
}
