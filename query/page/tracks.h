/* tracks: all slices that are selected, as the columns of a timeline: a list of tracks, blocks with
 * up to 65,536 rows of one of them, and the names, signatures and arguments that they share.
 *
 * Rows of a track are sorted by start, the longer first. Those of a thread come so from the
 * warehouse, but for slices that stick out of others: these are blocks of their own, `part` 1,
 * behind.
 *
 * A column of n values is one or two planes of n bytes, plane k with byte k of each value, or of
 * the greatest number that fits where a value is that or more; then what these have beyond it, in
 * groups of 7 bits, the least first. Signed values are zigzagged first.
 */
#pragma once

#include "query/page/blocks.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/error.h"
#include "src/base/map.h"

/* Detail of the slices where there is little room: neighbours that are shorter than `host_ns`, or
 * `work_ns` for GPU activities, are one row. 0 = every slice is a row. */
struct tracks_bundle {
    int64_t frame_ns, host_ns, work_ns;
};

/* Events that are asked for by their place in the file. */
struct track_wish {
    struct map uids;
    bool some[1 << 12]; /* of places by what they leave, divided by so many: most others go fast */
};

void track_wish_add(struct track_wish *self, int64_t uid);

/* How much is read: pieces of it that are one of so many slices; and while the blocks do not take
 * more bytes than these. 0 = all. The ids of events that are asked for are a block of their own. */
struct tracks_extent {
    int64_t sampled;
    size_t most;
    const struct track_wish *wish; /* NULL = no event */
};

struct tracks {
    struct text list;     /* JSON: the tracks */
    int64_t rows, slices; /* rows, and slices that they stand for */
};

/* The slices that are selected. */
bool tracks_count(struct warehouse *warehouse, int64_t *slices, struct error *error);

/* Adds the blocks of all traces of the selection; those of a sample are without texts. */
bool tracks_read(struct tracks *self, struct warehouse *warehouse,
                 const struct tracks_bundle *bundle, struct tracks_extent extent,
                 struct page_blocks *blocks, struct error *error);

void tracks_free(struct tracks *self);

/* Adds a block of kernels that belong together, by their ids: those of one collective on several
 * ranks, a list of each, the one that came last in front. */
bool tracks_add_together(struct warehouse *warehouse, struct page_blocks *blocks,
                         struct error *error);

/* Adds a block of [from, to, kind] of forward and backward ops and of other edges: from less the
 * one before, to less from. */
bool tracks_add_edges(struct warehouse *warehouse, struct page_blocks *blocks, struct error *error);
