/* rollup: answers about runs that are kept in the warehouse, and dropped when what they rest on
 * changes.
 *
 * Triggers in the file drop them for other clients of SQLite. Triggers of a file never run here:
 * a connection that writes has the same ones of its own.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

/* Whether the answers of a database, `main` or an attached one, are those of its rows: it has all
 * triggers. */
bool rollup_is_watched(sqlite3 *db, const char *schema);

/* The program and its catalog, which answers are made by. */
enum { ROLLUP_MAKER = 64 };
void rollup_maker(char maker[ROLLUP_MAKER]);

/* Whether the file of a connection that reads keeps answers, made by this program, up to date. */
bool rollup_is_kept(struct warehouse *self);

/* The bytes of an answer, as they were kept; false: there are none. */
bool rollup_find(struct warehouse *self, const char *run, const char *question, struct text *rows);

/* Keeps an answer, from when the connection is closed on: where the file may be written, nobody
 * writes it, and nobody has written it since the connection was opened. One that is text can be
 * read by any client. */
void rollup_keep(struct warehouse *self, const char *run, const char *question, struct view rows,
                 bool is_text);
