/* collective_clock: how much the clocks of ranks differ, by collectives, which end together.
 *
 * How much later than the first rank of each group a rank ends is measured in every collective of
 * which all ranks are there; the median counts. Ranks are gone through in their order, so that what
 * is known of the first rank of a group goes into what is found of the others.
 */
#pragma once

#include "sql/ranks/collective_rows.h"

/* Finds the clocks of ranks whose collectives are matched, and moves them if the option align says
 * so. False when memory is out. */
bool collective_clock_settle(struct collective_rows *self, const struct context *context);
