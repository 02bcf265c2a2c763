/* page_parts: what a page has beside its sheets, each in a file of its own that says how its blocks
 * are made up; for page.c alone.
 *
 *     about.c      what the page says of itself
 *     curves.c     what counted over time
 *     flame.c      time by what called it
 *     snapshot.c   memory over the events of snapshots
 */
#pragma once

#include "query/page/blocks.h"
#include "sql/warehouse/warehouse.h"

bool about_add_files(struct warehouse *warehouse, struct text *out, struct error *error);
bool about_add_setup(struct warehouse *warehouse, struct text *out, struct error *error);

bool about_add_html(struct warehouse *warehouse, bool compat, const struct text *not_included,
                    struct text *out, struct error *error);

/* The list of keys, which is hidden at first. */
void about_add_keys(struct text *out);

/* `not_included`: of how many curves there is no room. */
bool curves_add_block(struct warehouse *warehouse, struct page_blocks *blocks, size_t *not_included,
                      struct error *error);

/* Adds the blocks; none when nothing ran. `base` is the run that the other one is held against;
 * NULL: the first one by name. Of more than two runs the first two are taken. `sides` becomes the
 * names of two runs, as JSON; `*runs` how many are selected. */
bool flame_add_blocks(struct warehouse *warehouse, const char *base, struct page_blocks *blocks,
                      struct text *sides, size_t *runs, struct error *error);

bool snapshot_add_block(struct warehouse *warehouse, struct page_blocks *blocks,
                        struct error *error);
