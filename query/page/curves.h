/* curves: what counted over the time of the traces that are selected, for a timeline: work that was
 * launched and has not started, memory in use, and what profilers sampled. A block "curves": a list
 * of {trace, device, name, unit, queue, most, time, value}, where times are differences, and a
 * value holds until the next.
 *
 * What takes many samples is told in equal parts of its time, each by the greatest value in it.
 */
#pragma once

#include "query/page/blocks.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/error.h"

/* `not_included`: of how many curves there is no room. */
bool curves_add_block(struct warehouse *warehouse, struct page_blocks *blocks, size_t *not_included,
                      struct error *error);
