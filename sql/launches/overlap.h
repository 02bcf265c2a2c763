/* overlap: which GPU activities ran beside which.
 *
 * Two GPU activities are partners when they share at least one microsecond, are of different
 * streams and of different ops. All work of a trace is added first, then indexed; after that the
 * partners of a launcher's kernels can be asked for. Nothing is kept of a pair, and a kernel finds
 * its partners in the time that these take, however much other work there is.
 *
 * In a trace where everything overlaps there are as many pairs as work times work. Where there are
 * more than OVERLAP_PAIRS + OVERLAP_PAIRS_EACH for each GPU activity, a kernel has only so many
 * partners, the first ones by start, that this number is kept; the rest is counted. Streams that
 * run one GPU activity after another do not come near it. Plain C; launcher_rows.c is the user.
 */
#pragma once

#include "src/base/array.h"
#include "src/base/map.h"

#include <stdint.h>

/* As few as tests need when everything is small. */
#ifdef TPQ_SMALL_WINDOWS
enum { OVERLAP_PAIRS = 10, OVERLAP_PAIRS_EACH = 4 };
#else
enum { OVERLAP_PAIRS = 1000000, OVERLAP_PAIRS_EACH = 16 };
#endif

/* One GPU activity. */
struct overlap_work {
    int64_t start, end; /* in parts of a microsecond, see overlap_index */
    int64_t op;         /* nearest op above it; 0 = none */
    int64_t stream;     /* INT64_MIN = not given */
    int64_t name, uid;
    int64_t stated; /* its duration in nanoseconds, as it is listed */
    int block;      /* partners are of the same block */
};

/* All partners of one launcher's kernels with the same name. */
struct overlap_partner {
    int64_t name, stream; /* stream of the first */
    int64_t duration;     /* their mean in nanoseconds, rounded to hundredths of a microsecond */
    double share;         /* of the launcher's time: mean over pairs, rounded to hundredths */
};

struct overlap_set {
    ARRAY(struct overlap_work) work; /* in the order of overlap_add */
    int64_t microsecond;             /* in parts */
    struct map names;                /* each to its number, from 1 */
    uint32_t *name_of;               /* of each GPU activity */
    uint32_t *order;                 /* those that can have partners, by start */
    int64_t *starts, *ends;          /* theirs, each list sorted */
    int64_t *latest;                 /* tree: the latest end below each node */
    size_t count, leaves;
    uint64_t limit; /* of partners of one kernel */
};

struct overlap_near {
    int64_t uid;
    uint32_t work;
};

/* Where the partners with some name are gathered. */
struct overlap_place {
    uint32_t round, place;
};

struct overlap_sum {
    int64_t count;
    double durations, shares;
};

/* Overlaps of one launcher; reused from one to the next. */
struct overlap_found {
    ARRAY(struct overlap_partner) partners; /* by their first appearance; none = no overlap */
    double share;         /* of the launcher's time in which partners ran, rounded to hundredths */
    int64_t not_examined; /* what was not looked at because of the limit */

    ARRAY(struct overlap_near) near; /* partners of one kernel */
    ARRAY(struct overlap_sum) sums;  /* of each of `partners` */
    struct overlap_place *places;    /* by number of the name */
    uint32_t round;
};

void overlap_add(struct overlap_set *self, const struct overlap_work *work);
void overlap_index(struct overlap_set *self, int64_t microsecond);

/* Finds the partners of `kernels`, which are places in `work` in their order in the file.
 * `covered` is the time that they cover. */
void overlap_find(const struct overlap_set *self, const uint32_t *kernels, size_t count,
                  int64_t covered, struct overlap_found *found);

void overlap_free(struct overlap_set *self);
void overlap_found_free(struct overlap_found *self);
