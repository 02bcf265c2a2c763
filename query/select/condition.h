/* condition: the events that a condition of the user is true for.
 *
 * The condition is one expression on the columns of the view slice. An event on the host for which
 * it is true brings all GPU activities that were launched below it.
 */
#pragma once

#include "query/select/ranges.h"
#include "sql/warehouse/warehouse.h"

/* Adds the events of what scope lists. A text that is no expression, or one that fails, is wrong
 * usage. */
bool condition_events(struct warehouse *warehouse, const char *condition, struct ranges *events,
                      struct error *error);
