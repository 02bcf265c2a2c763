/* recovery: what a process that died left half done.
 *
 * SQLite undoes it with the journal that lies beside the file, which is a write. Reading never
 * writes, so it is undone in a copy. A journal may be a stranger's like its file: one that names
 * another journal has SQLite remove the file of that name.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <sqlite3.h>

/* Whether nothing but the file itself changes when the journal beside it is played. */
bool recovery_is_safe(sqlite3 *db, const char *path, struct error *error);

/* Copies the file of a connection and its journal into a new folder; `copy` is the file's name. */
bool recovery_copy(sqlite3 *db, const char *path, struct text *copy, struct error *error);

/* Removes the names of a copy, which stays for those who have it open. */
void recovery_forget(struct text *copy);
