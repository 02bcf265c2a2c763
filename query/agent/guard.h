/* guard: what an assistant may reach: through SQL, and of files.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <sqlite3.h>

/* Bounds of a connection that answers an assistant. */
void guard_connection(sqlite3 *db);

/* The same, and an authorizer: SQL of the assistant itself runs there. */
void guard_statements(sqlite3 *db);

/* From now on SQLite takes no more than 256 MiB. No connection may be open. */
bool guard_memory(struct error *error);

/* The sentence about statements of another kind. */
extern const char guard_takes[];

/* Whether a text is one statement. */
bool guard_one_statement(const char *sql, struct error *error);

/* The place of a file below one of the directories; a relative path is taken from each of them.
 * What leaves them, is no regular file or does not exist is refused with one sentence. `roots` ends
 * with NULL. */
bool guard_find_file(const char *const *roots, const char *path, struct text *found,
                     struct error *error);
