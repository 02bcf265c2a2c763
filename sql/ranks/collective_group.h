/* collective_group: puts collective kernels into process groups, and sends and receives into pairs
 * of ranks.
 *
 * What goes in are kernels with their facts, what comes out are `groups` and the places that the
 * kernels have in them. collective_read asks for both, in this order. False when memory is out.
 */
#pragma once

#include "sql/ranks/collective_rows.h"

bool collective_group_kernels(struct collective_rows *rows);

/* Sends are matched with receives in order, per pair of ranks. */
bool collective_group_pairs(struct collective_rows *rows);
