/* opening: whether a file's schema is ours, before any of it is used.
 *
 * A warehouse may come from a stranger, and SQL of its schema runs when tables are read: generated
 * columns, CHECK, DEFAULT, indexes on expressions, and views and tables that are called like a
 * function or a table of tpq or SQLite. An entry is accepted when it is ours to the last token, or
 * an addition of the owner's that holds no expression: a table, a column, an index on columns, or a
 * view, each with a name of its own. Views with names of ours are never used, whatever their text.
 * The schema is read by one SELECT, and all else by PRAGMA statements, which look up no name in it.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <sqlite3.h>

/* Called for each entry that is refused, with a predicate; false ends the judgement. */
typedef bool opening_refusal(void *context, const char *type, const char *name, const char *why);

/* Judges the schema of an attached database; false with an error when it cannot be read. */
bool opening_judge(sqlite3 *db, const char *schema, opening_refusal *refuse, void *context,
                   struct error *error);

/* Refuses a database by its first entry that is: `path` is what the sentence calls it. */
bool opening_check(sqlite3 *db, const char *schema, const char *path, struct error *error);

/* Whether from now on opening_check accepts all. */
void opening_trust(bool all);
bool opening_trusts(void);

/* Why an entry with a name of ours is refused. */
extern const char opening_differs[];

/* Whether two statements are the same but for white space, comments, and the case of words. */
bool opening_same(struct view left, struct view right);
