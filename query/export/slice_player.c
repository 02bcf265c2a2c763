/* slice_player: see slice_player.h. */
#include "query/export/slice_player.h"

#include "src/base/number.h"

static bool is_due_before(const struct slice_due *a, const struct slice_due *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->second != b->second ? a->second < b->second : a->id < b->id;
}

static bool heap_add(struct slice_heap *self, struct slice_due due)
{
    if (!array_reserve(self, 1))
        return false;
    size_t at = self->count++;
    for (; at && is_due_before(&due, &self->items[(at - 1) / 2]); at = (at - 1) / 2)
        self->items[at] = self->items[(at - 1) / 2];
    self->items[at] = due;
    return true;
}

static struct slice_due heap_take(struct slice_heap *self)
{
    struct slice_due first = self->items[0], last = self->items[--self->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < self->count) {
        if (child + 1 < self->count && is_due_before(&self->items[child + 1], &self->items[child]))
            child++;
        if (!is_due_before(&self->items[child], &last))
            break;
        self->items[at] = self->items[child];
        at = child;
    }
    if (self->count)
        self->items[at] = last;
    return first;
}

/* The next start of a track. */
static bool push_start(struct slice_player *self, uint32_t place)
{
    struct slice_turn *turn = &self->tracks[place];
    bool done = true;
    if (!slice_walk_next(&turn->walk, &turn->slice, &done))
        return done;
    return heap_add(&self->starts, (struct slice_due){.time = turn->slice.start,
                                                      .second = -turn->slice.duration,
                                                      .id = turn->slice.id,
                                                      .track = place}) ||
           error_memory(self->slices->error);
}

bool slices_play(struct slices *slices, struct slice_player *player)
{
    size_t count = slices->tracks.count;
    *player = (struct slice_player){.slices = slices};
    player->tracks = calloc(count + 1, sizeof *player->tracks);
    bool done = player->tracks || error_memory(slices->error);
    for (uint32_t i = 0; i < count && done; i++)
        done = slices_walk_track(slices, i, &player->tracks[i].walk);
    for (uint32_t i = 0; i < count && done; i++)
        done = push_start(player, i);
    return done;
}

bool slice_player_next(struct slice_player *self)
{
    bool has_start = self->starts.count > 0, has_end = self->ends.count > 0;
    if (!has_start && !has_end)
        return false;
    self->is_end =
        has_end && (!has_start || self->ends.items[0].time <= self->starts.items[0].time);
    struct slice_due due = heap_take(self->is_end ? &self->ends : &self->starts);
    self->time = due.time;
    if (self->is_end) {
        self->slice.lane = due.lane;
        self->slice.is_point = due.is_point;
        return true;
    }
    self->slice = self->tracks[due.track].slice;
    struct slice_due end = {.time = number_sum(self->slice.start, self->slice.duration),
                            .second = -++self->begun,
                            .lane = self->slice.lane,
                            .is_point = self->slice.is_point};
    self->failed = !(heap_add(&self->ends, end) || error_memory(self->slices->error)) ||
                   !push_start(self, due.track);
    return !self->failed;
}

void slice_player_free(struct slice_player *self)
{
    for (size_t i = 0; self->tracks && i < self->slices->tracks.count; i++)
        slice_walk_free(&self->tracks[i].walk);
    free(self->tracks);
    self->tracks = NULL;
    array_free(&self->starts);
    array_free(&self->ends);
}
