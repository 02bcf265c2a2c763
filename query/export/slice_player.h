/* slice_player: slices of a trace in the order of time.
 *
 *     struct slice_player player = {0};
 *     slices_play(&slices, &player);
 *     while (slice_player_next(&player)) use(&player.slice, player.is_end);
 *     slice_player_free(&player);
 *
 * Of those at one time the ends of what began before come first, what is inside before what is
 * around it; then starts, what is around before what is inside. Of a slice of no duration start and
 * end stand next to each other.
 */
#pragma once

#include "query/export/slices.h"

struct slice_due {
    int64_t time, second; /* which comes first at one time */
    uint32_t id, track, lane;
    bool is_point;
};

struct slice_heap {
    struct slice_due *items;
    size_t count, room;
};

struct slice_player {
    struct slices *slices;
    struct slice_heap starts, ends;
    struct slice_turn {
        struct slice_walk walk;
        struct slice slice; /* the next one of the track */
    } * tracks;
    int64_t begun;
    bool is_end, failed;
    int64_t time;
    struct slice slice; /* at hand; of one that ends, lane and whether it is a point */
};

/* False with an error. */
bool slices_play(struct slices *slices, struct slice_player *player);

/* False: all have been played, or it failed. */
bool slice_player_next(struct slice_player *self);
void slice_player_free(struct slice_player *self);
