/* parted_views: views with a column for the step and the rank, for statements that ask by them.
 *
 *     SELECT step, rank, time_ms FROM gpu_timeline WHERE type = 'exposed_comm_time'
 *
 * A view is computed for each step of what is selected, as `tpq report --by` does, and its rows are
 * kept in a temporary table, which has the name of the view in the statement alone. Views that have
 * such columns of their own stay as they are, and so do those about a whole run or a pair of
 * traces, as far as they have neither. `tpq sql --by` makes them for the views that a statement
 * names.
 */
#pragma once

#include "query/select/step_parts.h"
#include "sql/docs.h"

struct parted_views {
    bool by_step, by_rank;
    bool is_read; /* what follows is known */
    doc_list docs;
    struct step_parts steps;
    ARRAY(const struct doc_object *) made;
};

/* The columns of --by: step and rank, with a comma between; `verb` is for messages. */
bool parted_views_read(struct parted_views *self, const char *verb, const char *list,
                       struct error *error);

/* Adds a statement to `taken` as it is to be asked: it finds those of the views that it names. What
 * stands behind it stays as it is. */
bool parted_views_take(struct parted_views *self, struct warehouse *warehouse, const char *text,
                       struct text *taken, struct error *error);
