/* host_names: what the host did, by name.
 *
 * Of a thread, each moment belongs to the innermost call, op or range that was open then, and where
 * there is none, to the innermost Python frame; inside a data loader, all belong to the loader. A
 * tally sums times by name; what it has most of is the cause that a finding names. Frames have
 * negative names. They are not stored everywhere, and a finding says the same with and without them
 * unless nothing else has a tenth of the time.
 */
#pragma once

#include "src/base/array.h"
#include "src/base/map.h"

struct named_time {
    int64_t name, time, count; /* name 0: none */
};

struct tally {
    struct map places; /* name -> place + 1 */
    ARRAY(struct named_time) items;
};

void tally_add(struct tally *self, int64_t name, int64_t time, int64_t count);

/* Puts the names with the most time first, and gives the first that is no frame and has a tenth of
 * `time`, or else the first; zeros when there is none. A name of a frame becomes positive. */
struct named_time tally_most(struct tally *self, int64_t time);

void tally_free(struct tally *self);

/* Something of the host, and after host_names_settle the time in which it was the innermost. */
struct host_name {
    int64_t track, start, end, name;
    bool is_rest; /* what is inside it came before */
    bool holds;   /* the time of all that is inside it is its own */
};
struct host_names {
    ARRAY(struct host_name) items;
};

void host_names_settle(struct host_names *self);
void host_names_tally(const struct host_names *self, int64_t track, int64_t start, int64_t end,
                      struct tally *tally);
