/* together: kernels of one collective on several ranks, as a block of a page: a JSON list of each,
 * events by their ids, the one that came last in front. */
#ifndef TPQ_QUERY_PAGE_TOGETHER_H
#define TPQ_QUERY_PAGE_TOGETHER_H

#include "query/page/blocks.h"
#include "sql/warehouse.h"

bool together_add_block(struct warehouse *warehouse, struct page_blocks *blocks,
                        struct error *error);

#endif
