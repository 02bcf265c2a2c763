/* tables: the tables of a warehouse as schema/ has them.
 *
 * Some came after the first files of this version of the schema, which may lack them: whoever opens
 * such a file makes them there, or for one connection (views.h).
 */
#pragma once

#include "src/base/text.h"

/* The words behind CREATE TABLE of a table of ours, its name first; empty: it is none. */
struct view tables_words(const char *name);

/* The words behind CREATE INDEX of its index by trace; empty: it has none. */
struct view tables_index_words(const char *name);

/* Tables that a file may lack; the list ends with NULL. */
extern const char *const tables_later[];
bool tables_came_later(struct view table);
