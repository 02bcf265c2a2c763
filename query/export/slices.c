/* slices: see slices.h. */
#include "query/export/slices.h"

#include "query/export/lanes.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* ------------------------------------------------------------------ reading */

struct reader {
    struct slices *slices;
    struct warehouse *warehouse;
    struct error *error;
    struct map tracks; /* place + 1 by number */
    int64_t frames;    /* category that is passed over; -1 = none */
};

enum { ROW_ID, ROW_START, ROW_DURATION, ROW_NAME, ROW_CATEGORY, ROW_TRACK, ROW_OP, ROW_ARGS };

static const char slice_rows[] =
    "SELECT id, ts_ns, dur_ns, name_id, category_id, track_id, op_id, args_id FROM event "
    "WHERE id BETWEEN ?1 AND ?2 ORDER BY id";

static const char work_rows[] = "SELECT id, device, stream, bytes, call_id FROM gpu_event "
                                "WHERE id BETWEEN ?1 AND ?2 ORDER BY id";

/* A number of a row of ours is small; in a damaged warehouse it may be anything. */
static uint32_t small(sqlite3_stmt *row, int column)
{
    int64_t number = sqlite3_column_int64(row, column);
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

static struct slice_track *find_track(struct reader *self, int64_t id, uint32_t *place)
{
    struct slices *slices = self->slices;
    uint32_t *known = map_put(&self->tracks, id, 0);
    if (!known)
        return NULL;
    if (!*known) {
        if (!array_add(&slices->tracks, (struct slice_track){.id = id}))
            return NULL;
        *known = (uint32_t)slices->tracks.count;
    }
    *place = *known - 1;
    return &slices->tracks.items[*place];
}

static bool add_slice(struct reader *self, sqlite3_stmt *row)
{
    struct slices *slices = self->slices;
    uint32_t place;
    if (sqlite3_column_int64(row, ROW_CATEGORY) == self->frames)
        return true;
    struct slice_track *track = find_track(self, sqlite3_column_int64(row, ROW_TRACK), &place);
    struct slice *slice =
        track && slices->list.count < UINT32_MAX - 1 ? array_push(&slices->list) : NULL;
    if (!slice)
        return error_memory(self->error);
    int64_t duration = sqlite3_column_int64(row, ROW_DURATION);
    *slice = (struct slice){
        .start = sqlite3_column_int64(row, ROW_START),
        .duration = duration > 0 ? duration : 0,
        .id = (uint32_t)(sqlite3_column_int64(row, ROW_ID) - slices->first_id),
        .name = small(row, ROW_NAME),
        .op = small(row, ROW_OP),
        .args = small(row, ROW_ARGS),
        .category = small(row, ROW_CATEGORY),
        .lane = place, /* until lanes are known */
    };
    track->count++;
    int64_t end = number_sum(slice->start, slice->duration);
    slices->first_ns = slice->start < slices->first_ns ? slice->start : slices->first_ns;
    slices->last_ns = end > slices->last_ns ? end : slices->last_ns;
    return true;
}

static int64_t known_or_none(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? SLICE_NONE
                                                           : sqlite3_column_int64(row, column);
}

static struct slice *find(const struct slices *self, int64_t id)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->list.count, self->list.items[place].id < id);
    struct slice *slice = place < self->list.count ? &self->list.items[place] : NULL;
    return slice && slice->id == id ? slice : NULL;
}

static bool add_work(struct reader *self, sqlite3_stmt *row)
{
    struct slices *slices = self->slices;
    struct slice *slice = find(slices, sqlite3_column_int64(row, 0) - slices->first_id);
    if (!slice)
        return true;
    struct slice_work *work = array_push(&slices->works);
    if (!work)
        return error_memory(self->error);
    bool has_call = sqlite3_column_type(row, 4) != SQLITE_NULL;
    struct slice *call =
        has_call ? find(slices, sqlite3_column_int64(row, 4) - slices->first_id) : NULL;
    if (call)
        call->launches = true;
    *work = (struct slice_work){.device = known_or_none(row, 1),
                                .stream = known_or_none(row, 2),
                                .bytes = known_or_none(row, 3),
                                .index = (uint32_t)(slice - slices->list.items),
                                .call = call ? call->id : UINT32_MAX};
    return true;
}

typedef bool take_row(struct reader *self, sqlite3_stmt *row);

static bool read_rows(struct reader *self, const char *sql, const struct ranges *events,
                      take_row *take)
{
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = rows != NULL;
    for (size_t i = 0; i < events->count && done; i++) {
        sqlite3_bind_int64(rows, 1, events->items[i].first);
        sqlite3_bind_int64(rows, 2, events->items[i].last);
        while (warehouse_next(self->warehouse, rows, &done, self->error))
            done = take(self, rows);
        sqlite3_reset(rows);
    }
    sqlite3_finalize(rows);
    return done;
}

static bool read_points(struct reader *self, int64_t trace_id)
{
    sqlite3_stmt *rows = warehouse_prepare(
        self->warehouse, "SELECT id FROM signpost WHERE trace_id = ?1 AND kind = 'point'",
        self->error);
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, trace_id);
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        struct slice *slice =
            find(self->slices, sqlite3_column_int64(rows, 0) - self->slices->first_id);
        if (slice)
            slice->is_point = slice->duration == 0;
    }
    sqlite3_finalize(rows);
    return done;
}

static bool read_frames(struct reader *self)
{
    sqlite3_stmt *row = warehouse_prepare(
        self->warehouse, "SELECT id FROM category WHERE role = 'frame' ORDER BY id", self->error);
    bool done = row != NULL;
    self->frames = -1;
    if (warehouse_next(self->warehouse, row, &done, self->error))
        self->frames = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return done;
}

/* Room at once, where ids tell how many there can be. */
static bool reserve(struct slices *self, const struct ranges *events)
{
    int64_t most = 0;
    for (size_t i = 0; i < events->count; i++)
        most = number_sum(most, number_sum(events->items[i].last - events->items[i].first, 1));
    return most >= UINT32_MAX || array_reserve(&self->list, (size_t)most);
}

ORDER_BY(compare_works, struct slice_work, UP(call) || UP(index));

/* ------------------------------------------------------------------ order */

static bool is_before(const struct slices *self, uint32_t left, uint32_t right)
{
    const struct slice *a = &self->list.items[left], *b = &self->list.items[right];
    if (a->start != b->start)
        return a->start < b->start;
    return a->duration != b->duration ? a->duration > b->duration : left < right;
}

/* Merges what is sorted up to `middle` with what is from there on. */
static void merge(const struct slices *self, uint32_t *items, uint32_t *spare, size_t middle,
                  size_t count)
{
    size_t left = 0, right = middle, out = 0;
    memcpy(spare, items, middle * sizeof *items);
    while (left < middle && right < count)
        items[out++] = is_before(self, items[right], spare[left]) ? items[right++] : spare[left++];
    memcpy(items + out, spare + left, (middle - left) * sizeof *items);
}

static size_t run_end(const struct slices *self, const uint32_t *items, size_t from, size_t count)
{
    size_t end = from + 1;
    while (end < count && is_before(self, items[end - 1], items[end]))
        end++;
    return end;
}

/* Ids of a track are nearly in the order of starts: few runs are merged. `ends` has room for as
 * many as there are items. */
static void sort(const struct slices *self, uint32_t *items, uint32_t *spare, uint32_t *ends,
                 size_t count)
{
    size_t runs = 0;
    for (size_t at = 0; at < count; at = ends[runs++])
        ends[runs] = (uint32_t)run_end(self, items, at, count);
    while (runs > 1) {
        size_t kept = 0, start = 0;
        for (size_t i = 0; i < runs; i += 2) {
            size_t end = ends[i + 1 < runs ? i + 1 : i];
            if (i + 1 < runs)
                merge(self, items + start, spare, ends[i] - start, end - start);
            ends[kept++] = (uint32_t)end;
            start = end;
        }
        runs = kept;
    }
}

/* The indexes of each track together, in the order of ids. */
static void part(struct slices *self)
{
    uint32_t first = 0;
    for (size_t i = 0; i < self->tracks.count; i++) {
        struct slice_track *track = &self->tracks.items[i];
        track->first = first;
        first += track->count;
        track->count = 0;
    }
    for (uint32_t i = 0; i < self->list.count; i++) {
        struct slice_track *track = &self->tracks.items[self->list.items[i].lane];
        self->order[track->first + track->count++] = i;
    }
}

static bool put_into_lanes(struct slices *self, uint32_t place)
{
    struct slice_track *track = &self->tracks.items[place];
    struct lanes lanes = {0};
    bool done = true;
    track->first_lane = (uint32_t)self->lanes.count;
    for (uint32_t i = 0; i < track->count && done; i++) {
        struct slice *slice = &self->list.items[self->order[track->first + i]];
        uint32_t lane;
        done = lanes_put(&lanes, slice->start, number_sum(slice->start, slice->duration), &lane);
        if (done && lane == track->lanes)
            done = array_add(&self->lanes, (struct slice_lane){place, track->lanes++});
        slice->lane = track->first_lane + lane;
    }
    lanes_free(&lanes);
    return done;
}

static bool lay_out(struct slices *self)
{
    size_t count = self->list.count, bytes = (count + 1) * sizeof *self->order;
    uint32_t *spare = malloc(bytes), *ends = malloc(bytes);
    self->order = malloc(bytes);
    bool done = self->order && spare && ends;
    if (done)
        part(self);
    for (uint32_t i = 0; i < self->tracks.count && done; i++) {
        sort(self, self->order + self->tracks.items[i].first, spare, ends,
             self->tracks.items[i].count);
        done = put_into_lanes(self, i);
    }
    free(spare);
    free(ends);
    return done;
}

/* ------------------------------------------------------------------ from outside */

bool slices_read(struct slices *self, struct warehouse *warehouse, int64_t trace_id,
                 const struct ranges *events, const struct slice_options *options,
                 struct error *error)
{
    struct reader reader = {.slices = self, .warehouse = warehouse, .error = error};
    *self = (struct slices){.first_id = events->count ? events->items[0].first : 0,
                            .first_ns = INT64_MAX,
                            .last_ns = INT64_MIN};
    bool done = read_frames(&reader);
    if (!options->no_frames)
        reader.frames = -1;
    done = done && (reserve(self, events) || error_memory(error)) &&
           read_rows(&reader, slice_rows, events, add_slice) &&
           read_rows(&reader, work_rows, events, add_work) && read_points(&reader, trace_id);
    if (done) {
        array_sort(&self->works, compare_works);
        for (size_t i = 0; i < self->works.count; i++)
            self->list.items[self->works.items[i].index].work = (uint32_t)i + 1;
        done = lay_out(self) || error_memory(error);
    }
    map_free(&reader.tracks);
    return done;
}

void slices_free(struct slices *self)
{
    array_free(&self->list);
    array_free(&self->works);
    array_free(&self->arrows);
    array_free(&self->tracks);
    array_free(&self->lanes);
    intern_free(&self->words);
    free(self->order);
    self->order = NULL;
}

const struct slice *slices_find(const struct slices *self, uint32_t id)
{
    return find(self, id);
}

struct slice *slices_find_mutable(struct slices *self, int64_t id)
{
    return find(self, id);
}

size_t slices_works_of(const struct slices *self, uint32_t call, size_t *first)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->works.count, self->works.items[place].call < call);
    *first = place;
    while (place < self->works.count && self->works.items[place].call == call)
        place++;
    return place;
}

/* ------------------------------------------------------------------ arrows */

bool slices_add_arrow(struct slices *self, struct slice_arrow arrow)
{
    struct slice *slice = find(self, arrow.id);
    if (slice)
        slice->has_arrows = true;
    return !slice || array_add(&self->arrows, arrow);
}

/* An arrow needs both ends. */
static bool add_both(struct slices *self, sqlite3_stmt *row, uint64_t *number)
{
    struct slice *from = find(self, sqlite3_column_int64(row, 0) - self->first_id);
    struct slice *to = find(self, sqlite3_column_int64(row, 1) - self->first_id);
    uint8_t kind = sqlite3_column_int(row, 2) ? ARROW_FORWARD_BACKWARD : ARROW_FLOW;
    if (!from || !to)
        return true;
    ++*number;
    struct slice_arrow start = {
        .id = from->id, .other = to->id, .kind = kind, .time = from->start, .number = *number};
    struct slice_arrow end = start;
    end.id = to->id;
    end.other = from->id;
    end.time = to->start;
    end.is_end = true;
    return slices_add_arrow(self, start) && slices_add_arrow(self, end);
}

bool slices_read_arrows(struct slices *self, struct warehouse *warehouse, int64_t trace_id,
                        uint64_t *number, struct error *error)
{
    /* The ids of a trace stand together, so the rows of a trace do. */
    sqlite3_stmt *rows = warehouse_prepare(
        warehouse,
        "SELECT from_id, to_id, kind = 'forward_backward' FROM trace CROSS JOIN edge "
        "ON from_id BETWEEN first_event AND last_event WHERE trace.id = ?1 AND kind <> 'sync' "
        "ORDER BY from_id, to_id",
        error);
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, trace_id);
    while (warehouse_next(warehouse, rows, &done, error))
        done = add_both(self, rows, number) || error_memory(error);
    sqlite3_finalize(rows);
    return done;
}

ORDER_BY(compare_arrows, struct slice_arrow, UP(id) || UP(number));

void slices_settle_arrows(struct slices *self)
{
    array_sort(&self->arrows, compare_arrows);
}

size_t slices_arrows_of(const struct slices *self, uint32_t id, size_t *first)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->arrows.count, self->arrows.items[place].id < id);
    *first = place;
    while (place < self->arrows.count && self->arrows.items[place].id == id)
        place++;
    return place;
}

/* ------------------------------------------------------------------ playing */

static bool is_due_before(const struct slice_due *a, const struct slice_due *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->second != b->second ? a->second < b->second : a->index < b->index;
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
    const struct slice_track *track = &self->slices->tracks.items[place];
    if (self->next[place] == track->count)
        return true;
    uint32_t index = self->slices->order[track->first + self->next[place]++];
    const struct slice *slice = &self->slices->list.items[index];
    return heap_add(&self->starts,
                    (struct slice_due){slice->start, -slice->duration, index, place});
}

bool slices_play(const struct slices *slices, struct slice_player *player)
{
    *player = (struct slice_player){.slices = slices};
    player->next = calloc(slices->tracks.count + 1, sizeof *player->next);
    bool done = player->next && array_reserve(&player->starts, slices->tracks.count + 1);
    for (uint32_t i = 0; i < slices->tracks.count && done; i++)
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
    self->index = due.index;
    self->time = due.time;
    if (self->is_end)
        return true;
    const struct slice *slice = &self->slices->list.items[due.index];
    struct slice_due end = {number_sum(slice->start, slice->duration), -++self->begun, due.index,
                            due.track};
    self->failed = !heap_add(&self->ends, end) || !push_start(self, due.track);
    return !self->failed;
}

void slice_player_free(struct slice_player *self)
{
    array_free(&self->starts);
    array_free(&self->ends);
    free(self->next);
    self->next = NULL;
}
