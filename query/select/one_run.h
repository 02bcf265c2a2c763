/* one_run: what a statement asks of one run, selected before it is run.
 *
 *     SELECT name, time_ms FROM gpu_timeline WHERE run = 'a'
 *
 * A view sums and ranks what is selected, and its rows of one run do not depend on other runs, but
 * where it declares so (across-runs); yet SQLite leaves out what the condition leaves out only
 * where it can move the condition inside, which windows and what is kept in between prevent. So
 * SQLite is asked itself, on an empty database where each view of ours is a table that only looks
 * on, and those of users are what they are: when the condition reaches every view and table of the
 * selection that the statement reads, with one and the same run, that run is selected, as --run
 * does. In all other cases everything stays selected. `tpq sql` asks for each statement.
 */
#pragma once

#include "sql/database.h"
#include "sql/warehouse.h"

struct watched_view;

struct one_run {
    struct warehouse probe; /* the empty database */
    bool is_open;
    ARRAY(struct watched_view *) views; /* that are there */
    char *run;                          /* selected now; NULL = all */
    struct database_state state;        /* of the warehouse when it was */
};

/* Selects what a statement is about whose parameters have their values, in a warehouse that has no
 * selection of another kind. */
bool one_run_select(struct one_run *self, struct warehouse *warehouse, sqlite3_stmt *statement,
                    struct error *error);

void one_run_free(struct one_run *self);
