/* columns: rows of a track as bytes; tracks.h says how. */
#pragma once

#include "src/base/text.h"

enum { TRACK_BLOCK_ROWS = 65536 };

/* A slice, or several that stand for one. */
struct track_row {
    int64_t start, dur, id;
    int64_t link;      /* the call that launched it; 0 = none */
    uint32_t name;     /* places in lists */
    uint32_t op, args; /* the same + 1; 0 = none */
    uint32_t count;    /* slices, less 1 */
    int64_t covered;   /* time of all of them */
    int64_t longest;   /* of one of them */
};

typedef ARRAY(struct track_row) track_rows;

/* Appends the columns, and to `entry` a JSON list of [place, width, is signed] of each: start (from
 * the one before), dur, name, id (from the one before, less 1), op, args, link (id less it), and
 * of rows that stand for several count and the time that they do not cover. */
void columns_add(const track_rows *rows, bool has_bundles, struct text *bytes, struct text *entry);
