/* flame: accelerator time by what called it, as blocks of a page: one for each way of call_tree to
 * make paths that says more than ops alone. Traces are added up; of exactly two runs each has its
 * own time. What is below a five-thousandth of all time stands together beside its neighbours, so
 * that what is below a node adds up to it.
 */
#pragma once

#include "query/page/blocks.h"
#include "sql/warehouse/warehouse.h"

/* Adds the blocks; none when nothing ran. `base` is the run that the other one is held against;
 * NULL: the first one by name. Of more than two runs the first two are taken. `sides` becomes the
 * names of two runs, as JSON; `*runs` how many are selected. */
bool flame_add_blocks(struct warehouse *warehouse, const char *base, struct page_blocks *blocks,
                      struct text *sides, size_t *runs, struct error *error);
