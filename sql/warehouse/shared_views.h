/* shared_views: views of which several questions ask, computed once for a connection.
 *
 * Their rows are kept in temporary tables, and the views stand for this connection over these,
 * under the same names, so that whatever asks for them finds the rows. They hold while selection,
 * options and data are the same; whoever made them ends that.
 *
 *     shared_views_add(&shared, warehouse, "time_above_roofline", &error);    again: nothing
 *     ... questions ...
 *     shared_views_drop(&shared, warehouse);                       as it was before
 */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

struct shared_view {
    char *name, *statement; /* that makes the view for this connection */
};

struct shared_views {
    ARRAY(struct shared_view) list;
};

bool shared_views_add(struct shared_views *self, struct warehouse *warehouse, struct view name,
                      struct error *error);

/* The views are what they were. What fails shows when one of them is asked. */
void shared_views_drop(struct shared_views *self, struct warehouse *warehouse);
