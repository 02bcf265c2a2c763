/* together: what belongs together on a timeline, as blocks of a page in JSON, events by their ids:
 * kernels of one collective on several ranks, a list of each, the one that came last in front; and
 * [from, to, kind] of forward and backward ops and of other edges, from less
 * the one before, to less from. */
#pragma once

#include "query/page/blocks.h"
#include "sql/warehouse.h"

bool together_add_block(struct warehouse *warehouse, struct page_blocks *blocks,
                        struct error *error);

bool edges_add_block(struct warehouse *warehouse, struct page_blocks *blocks, struct error *error);
