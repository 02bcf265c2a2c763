/* guard: what an assistant may reach: through SQL, and of files.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

/* Bounds of a connection that answers an assistant. */
void guard_connection(sqlite3 *db);

/* Bounds of what runs there: an authorizer for SQL of the assistant itself, and 256 MiB beside what
 * SQLite has already. */
void guard_texts(struct warehouse *warehouse, enum warehouse_text text);

/* From now on SQLite counts its memory, and takes no more than 256 MiB where it reads no file into
 * memory. No connection may be open. */
bool guard_memory(bool reads_file, struct error *error);

/* The sentence about statements of another kind. */
extern const char guard_takes[];

/* Whether a text is one statement. */
bool guard_one_statement(const char *sql, struct error *error);

/* The place of a file below one of the directories; a relative path is taken from each of them.
 * What leaves them, is no regular file or does not exist is refused with one sentence. `roots` ends
 * with NULL. */
bool guard_find_file(const char *const *roots, const char *path, struct text *found,
                     struct error *error);
