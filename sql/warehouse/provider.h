/* provider: the views of ours, which each connection has once they are asked for.
 *
 * The text of a view is the program's, never that of a file. Parsing all of them costs more than
 * most questions: so a connection is given the views that a statement names, and what they stand
 * on, when the statement cannot be prepared for want of a table (database_prepare asks). They are
 * TEMP views, and hide what is called so in the file. Views of the user's are given like ours.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/error.h"
#include "src/base/text.h"

/* Binds it to a connection, and gives at once what a file has views of the same name for: they
 * would be found. A result code of SQLite. */
int provider_bind(sqlite3 *db);

/* The mark in the text of a view that has the rows of one of ours and hides it, from ours, too
 * (shared_views_add). */
#define SHARED_VIEW "temp.\"shared "

/* ------------------------------------------------------------------ views computed once
 *
 * Several questions ask for the same views. Their rows are kept in temporary tables, and the views
 * stand for this connection over these, under the same names, so that whatever asks for them finds
 * the rows. They hold while selection, options and data are the same; whoever made them ends that.
 *
 *     shared_views_add(&shared, db, view_of("time_above_roofline"), &error);    again: nothing
 *     ... questions ...
 *     shared_views_drop(&shared, db);                              as it was before
 */

struct shared_view {
    char *name, *statement; /* that makes the view for this connection */
};

struct shared_views {
    ARRAY(struct shared_view) list;
};

bool shared_views_add(struct shared_views *self, sqlite3 *db, struct view name,
                      struct error *error);

/* The views are what they were. What fails shows when one of them is asked. */
void shared_views_drop(struct shared_views *self, sqlite3 *db);
