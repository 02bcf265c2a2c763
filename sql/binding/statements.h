/* statements: questions that tables and functions ask again for each trace, kept prepared.
 *
 *     statements_take(context, db, sql, &statement), ..., statements_leave(context, statement)
 *
 * A connection that SQLite is to close must have none left, so they are only kept where somebody
 * has promised to drop them before (a warehouse that is open for reading): elsewhere, as for
 * clients of the extension, they are prepared each time.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/sqlite.h"

/* From now on statements of the connection are kept, until statements_drop. Without memory they
 * are not. */
void statements_keep(struct context *context);
void statements_drop(struct context *context);

/* Finalizes what is kept: views of the connection that they name may be gone. */
void statements_forget(struct context *context);

/* A statement that nobody else has, prepared for this text; a result code of SQLite. Without a
 * context nothing is kept. */
int statements_take(struct context *context, sqlite3 *db, const char *sql,
                    sqlite3_stmt **statement);

/* Leaves it for the next one who asks that; it may be NULL. */
void statements_leave(struct context *context, sqlite3_stmt *statement);
