/* snapshot: what memory snapshots hold over their events, as a block "snapshot": a list of
 * {trace, device, events, peak, ooms, at, allocated, active, reserved, texts, parents, names,
 * stacks, segments, segment_count, segment_bytes}, one for each device.
 *
 * `at` has an event of each of equal parts of the events: the first with the most allocated bytes.
 * stacks are [node, text, columns, bytes]: by how much what a stack holds changes at which columns,
 * columns and bytes as differences. Stacks below a five-thousandth of the peak are not listed: the
 * rest has their bytes. Nodes are the tree of frames, the outermost first, and have a parent (0 =
 * the root) and a name. texts are the names of frames. Segments are
 * [title, blocks], and blocks [state, bytes, live bytes, text]: 0 = a hole, 1 = live, 2 = waits for
 * another stream, 3 = several that are too small to be seen.
 */
#pragma once

#include "query/page/blocks.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/error.h"

bool snapshot_add_block(struct warehouse *warehouse, struct page_blocks *blocks,
                        struct error *error);
