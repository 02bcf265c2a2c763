/* slices: one look at all slices finds the tracks, the lanes, and which tracks must be kept; works
 * and kept slices are read after it, and lanes are numbered when every track has its own. A walk
 * reads the rest of a slice from the warehouse when it comes to it.
 */
#include "query/export/slices.h"

#include "query/export/lanes.h"
#include "query/export/slices.sql.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* A track is read by a walk over its ids as long as not more than so many are looked at for each of
 * its own. */
enum { LOOKED_AT_MOST = 4 };

#define SLICE_ROWS(correlation, condition)                                                   \
    "SELECT id, track_id, ts_ns, dur_ns, category_id, name_id, op_id, args_id, " correlation \
    " FROM event WHERE id BETWEEN ?1 AND ?2 " condition "ORDER BY id"

/* Indexes: with correlations, of one track. */
static const char *const slice_rows[2][2] = {
    {SLICE_ROWS("NULL", ""), SLICE_ROWS("NULL", "AND +track_id = ?3 ")},
    {SLICE_ROWS("correlation", ""), SLICE_ROWS("correlation", "AND +track_id = ?3 ")},
};

enum {
    ROW_ID,
    ROW_TRACK,
    ROW_START,
    ROW_DURATION,
    ROW_CATEGORY,
    ROW_NAME,
    ROW_OP,
    ROW_ARGS,
    ROW_CORRELATION,
};

/* A number of a row of ours is small; in a damaged warehouse it may be anything. */
static uint32_t small(sqlite3_stmt *row, int column)
{
    int64_t number = sqlite3_column_int64(row, column);
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

static int64_t duration_of(sqlite3_stmt *row)
{
    int64_t duration = sqlite3_column_int64(row, ROW_DURATION);
    return duration > 0 ? duration : 0;
}

unsigned slices_flags(const struct slices *self, int64_t id)
{
    return id >= 0 && (uint64_t)id < self->flags.count ? self->flags.items[id] : 0;
}

static unsigned flags_of_row(const struct slices *self, sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL
               ? 0
               : slices_flags(self, sqlite3_column_int64(row, column) - self->first_id);
}

/* ------------------------------------------------------------------ a look at all of them */

/* A track while its slices pass by. */
struct passing {
    struct lanes lanes;
    int64_t start, duration; /* of the last slice */
    bool is_out_of_order;
};

struct survey {
    struct slices *slices;
    ARRAY(struct passing) tracks;
    int64_t last_track; /* the one that was asked for last, and its place */
    uint32_t last_place;
};

static void find_track(struct survey *self, int64_t id, uint32_t *place)
{
    struct slices *slices = self->slices;
    if (slices->tracks.count && id == self->last_track) {
        *place = self->last_place;
        return;
    }
    uint32_t *known = map_put(&slices->places, id, 0);
    if (!*known) {
        array_add(&slices->tracks, (struct slice_track){.id = id});
        array_add(&self->tracks, (struct passing){.start = INT64_MIN});
        *known = (uint32_t)slices->tracks.count;
    }
    *place = self->last_place = *known - 1;
    self->last_track = id;
}

/* Puts a slice on a lane of its track. */
static void put(struct slices *self, uint32_t place, struct lanes *lanes, uint32_t id,
                int64_t start, int64_t duration)
{
    struct slice_track *track = &self->tracks.items[place];
    uint32_t lane;
    lanes_put(lanes, start, number_sum(start, duration), &lane);
    if (lane == track->lanes)
        track->lanes++;
    if (lane == 0)
        return;
    self->flags.items[id] |= SLICE_IS_BESIDE;
    array_add(&self->besides, (struct slice_beside){id, place, lane});
}

static void survey_slice(struct survey *self, uint32_t id, sqlite3_stmt *row)
{
    struct slices *slices = self->slices;
    int64_t start = sqlite3_column_int64(row, ROW_START), duration = duration_of(row);
    int64_t end = number_sum(start, duration);
    uint32_t place;
    find_track(self, sqlite3_column_int64(row, ROW_TRACK), &place);
    struct slice_track *track = &slices->tracks.items[place];
    struct passing *passing = &self->tracks.items[place];
    slices->first_ns = start < slices->first_ns ? start : slices->first_ns;
    slices->last_ns = end > slices->last_ns ? end : slices->last_ns;
    track->first = track->count++ ? track->first : id;
    track->last = id;
    if (start < passing->start || (start == passing->start && duration > passing->duration))
        passing->is_out_of_order = true;
    passing->start = start;
    passing->duration = duration;
    if (!passing->is_out_of_order)
        put(slices, place, &passing->lanes, id, start, duration);
}

static void survey_row(void *context, sqlite3_stmt *row)
{
    struct survey *self = context;
    struct slices *slices = self->slices;
    if (sqlite3_column_int64(row, ROW_CATEGORY) == slices->frames)
        return;
    uint64_t id =
        (uint64_t)sqlite3_column_int64(row, ROW_ID) - (uint64_t)slices->first_id; /* >= 0 */
    if (id >= slices->flags.count) {
        /* Ids of a damaged warehouse may lie too far apart to be counted from the first one. */
        size_t count = (size_t)id + 1;
        if (count >= UINT32_MAX)
            memory_fail();
        array_reserve(&slices->flags, count - slices->flags.count);
        memset(slices->flags.items + slices->flags.count, 0, count - slices->flags.count);
        slices->flags.count = count;
    }
    slices->flags.items[id] = SLICE_IS_THERE;
    survey_slice(self, (uint32_t)id, row);
}

typedef void take_row(void *context, sqlite3_stmt *row);

static bool slices_read_rows(struct slices *self, const char *sql, take_row *take, void *context)
{
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = rows != NULL;
    for (size_t i = 0; i < self->events->count && done; i++) {
        sqlite3_bind_int64(rows, 1, self->events->items[i].first);
        sqlite3_bind_int64(rows, 2, self->events->items[i].last);
        while (warehouse_next(self->warehouse, rows, &done, self->error))
            take(context, rows);
        sqlite3_reset(rows);
    }
    return done;
}

static bool survey(struct slices *self)
{
    struct survey survey = {.slices = self};
    bool done = slices_read_rows(self,
                                 "SELECT id, track_id, ts_ns, dur_ns, category_id FROM event "
                                 "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                                 survey_row, &survey);
    uint32_t held = 0;
    for (size_t i = 0; i < survey.tracks.count; i++) {
        struct slice_track *track = &self->tracks.items[i];

        /* The slices of a track are kept where they are out of order, or lie too far apart. */
        track->is_held = survey.tracks.items[i].is_out_of_order ||
                         (uint64_t)(track->last - track->first) / LOOKED_AT_MOST > track->count;
        track->first_held = held;
        held += track->is_held ? track->count : 0;
        if (track->is_held)
            track->lanes = 0;
    }
    /* Slices of held tracks are put on lanes anew, in their order. */
    size_t kept = 0;
    for (size_t i = 0; i < self->besides.count; i++) {
        struct slice_beside beside = self->besides.items[i];
        if (self->tracks.items[beside.track].is_held)
            self->flags.items[beside.id] &= (uint8_t)~SLICE_IS_BESIDE;
        else
            self->besides.items[kept++] = beside;
    }
    self->besides.count = kept;
    self->held.items = memory_zeroed((size_t)held + 1, sizeof *self->held.items);
    self->held.count = self->held.room = held;
    return done;
}

/* Keeps a slice where its track is one of those. */
static void hold(struct slices *self, sqlite3_stmt *row, uint32_t id)
{
    uint32_t place = map_get(&self->places, sqlite3_column_int64(row, ROW_TRACK), 0);
    struct slice_track *track = place ? &self->tracks.items[place - 1] : NULL;
    if (!track || !track->is_held || track->held == track->count)
        return;
    self->held.items[track->first_held + track->held++] = (struct slice_held){
        .start = sqlite3_column_int64(row, ROW_START),
        .duration = duration_of(row),
        .id = id,
    };
}

/* ------------------------------------------------------------------ works */

enum {
    WORK_DEVICE = ROW_CATEGORY,
    WORK_STREAM,
    WORK_BYTES,
    WORK_NAME,
    WORK_CALL,
    WORK_CALL_START,
    WORK_CALL_NUMBER,
};

static void slices_add_work(void *context, sqlite3_stmt *row)
{
    struct slices *self = context;
    struct slice_work work = {.start = sqlite3_column_int64(row, ROW_START),
                              .duration = duration_of(row),
                              .device = database_integer(row, WORK_DEVICE, SLICE_NONE),
                              .stream = database_integer(row, WORK_STREAM, SLICE_NONE),
                              .bytes = database_integer(row, WORK_BYTES, SLICE_NONE),
                              .name = small(row, WORK_NAME),
                              .call_start = sqlite3_column_int64(row, WORK_CALL_START),
                              .call_number = database_integer(row, WORK_CALL_NUMBER, SLICE_NONE),
                              .call = UINT32_MAX};
    if (!flags_of_row(self, row, ROW_ID))
        return;
    work.id = (uint32_t)(sqlite3_column_int64(row, ROW_ID) - self->first_id);
    self->flags.items[work.id] |= SLICE_IS_WORK;
    hold(self, row, work.id);
    if (flags_of_row(self, row, WORK_CALL)) {
        work.call = (uint32_t)(sqlite3_column_int64(row, WORK_CALL) - self->first_id);
        self->flags.items[work.call] |= SLICE_LAUNCHES;
    }
    array_add(&self->launches, (struct slice_launch){work.call, (uint32_t)self->works.count});
    array_add(&self->works, work);
}

ORDER_BY(compare_launches, struct slice_launch, UP(call) || UP(work));

static const struct slice_work *work_of(const struct slices *self, uint32_t id)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->works.count, self->works.items[place].id < id);
    return place < self->works.count ? &self->works.items[place] : NULL;
}

size_t slices_works_of(const struct slices *self, uint32_t call, size_t *first)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->launches.count, self->launches.items[place].call < call);
    *first = place;
    while (place < self->launches.count && self->launches.items[place].call == call)
        place++;
    return place;
}

/* ------------------------------------------------------------------ what is kept */

/* Work is kept already. */
static void hold_other(void *context, sqlite3_stmt *row)
{
    struct slices *self = context;
    unsigned flags = flags_of_row(self, row, ROW_ID);
    if (flags && !(flags & SLICE_IS_WORK))
        hold(self, row, (uint32_t)(sqlite3_column_int64(row, ROW_ID) - self->first_id));
}

ORDER_BY(compare_held, struct slice_held, UP(start) || DOWN(duration) || UP(id));

static bool read_held(struct slices *self)
{
    bool lacks = false, done = true;
    for (size_t i = 0; i < self->tracks.count; i++)
        lacks = lacks || (self->tracks.items[i].is_held &&
                          self->tracks.items[i].held < self->tracks.items[i].count);
    if (lacks)
        done = slices_read_rows(self,
                                "SELECT id, track_id, ts_ns, dur_ns FROM event "
                                "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                                hold_other, self);
    for (uint32_t i = 0; i < self->tracks.count && done; i++)
        if (self->tracks.items[i].is_held) {
            const struct slice_track *track = &self->tracks.items[i];
            struct slice_held *held = self->held.items + track->first_held;
            struct lanes lanes = {0};
            qsort(held, track->count, sizeof *held, compare_held);
            for (uint32_t j = 0; j < track->count; j++)
                put(self, i, &lanes, held[j].id, held[j].start, held[j].duration);
        }
    return done;
}

/* ------------------------------------------------------------------ lanes */

ORDER_BY(compare_besides, struct slice_beside, UP(id));

static uint32_t lane_of(const struct slices *self, const struct slice *slice)
{
    uint32_t lane = self->tracks.items[slice->track].first_lane;
    size_t place;
    if (!(self->flags.items[slice->id] & SLICE_IS_BESIDE))
        return lane;
    ARRAY_LOWER_BOUND(place, self->besides.count, self->besides.items[place].id < slice->id);
    return lane + self->besides.items[place].lane;
}

/* ------------------------------------------------------------------ reading */

bool slices_read(struct slices *self, struct warehouse *warehouse, int64_t trace_id,
                 const struct ranges *events, const struct slice_options *options,
                 struct error *error)
{
    *self = (struct slices){.warehouse = warehouse,
                            .error = error,
                            .events = events,
                            .has_correlations = options->has_correlations,
                            .frames = -1,
                            .first_id = events->count ? events->items[0].first : 0,
                            .first_ns = INT64_MAX,
                            .last_ns = INT64_MIN};
    self->one = warehouse_prepare(warehouse, slice_rows[options->has_correlations][0], error);
    bool done =
        self->one &&
        (!options->no_frames ||
         warehouse_ask(warehouse, "SELECT id FROM category WHERE role = 'frame' ORDER BY id", 0,
                       &self->frames, error)) &&
        survey(self) && slices_read_rows(self, work_rows, slices_add_work, self) && read_held(self);
    if (done) {
        sqlite3_stmt *rows = warehouse_prepare(
            self->warehouse,
            "SELECT signpost.id FROM trace CROSS JOIN signpost ON signpost.id BETWEEN "
            "trace.first_event AND trace.last_event WHERE trace.id = ?1 AND signpost.kind = "
            "'point'",
            self->error);
        done = rows != NULL;
        sqlite3_bind_int64(rows, 1, trace_id);
        while (warehouse_next(self->warehouse, rows, &done, self->error))
            if (flags_of_row(self, rows, 0))
                self->flags.items[sqlite3_column_int64(rows, 0) - self->first_id] |= SLICE_IS_POINT;
    }
    if (done) {
        /* Lanes stand track by track. */
        for (uint32_t i = 0; i < self->tracks.count; i++) {
            struct slice_track *track = &self->tracks.items[i];
            track->first_lane = (uint32_t)self->lanes.count;
            for (uint32_t lane = 0; lane < track->lanes; lane++)
                array_add(&self->lanes, (struct slice_lane){i, lane});
        }
        array_sort(&self->besides, compare_besides);
    }
    array_sort(&self->launches, compare_launches);
    return done;
}

static void fill(const struct slices *self, sqlite3_stmt *row, uint32_t id, uint32_t track,
                 struct slice *slice)
{
    uint8_t flags = self->flags.items[id];
    *slice = (struct slice){
        .start = sqlite3_column_int64(row, ROW_START),
        .duration = duration_of(row),
        .correlation = self->has_correlations ? database_integer(row, ROW_CORRELATION, SLICE_NONE)
                                              : SLICE_NONE,
        .id = id,
        .name = small(row, ROW_NAME),
        .op = small(row, ROW_OP),
        .args = small(row, ROW_ARGS),
        .category = small(row, ROW_CATEGORY),
        .track = track,
        .work = flags & SLICE_IS_WORK ? work_of(self, id) : NULL,
        .launches = flags & SLICE_LAUNCHES,
        .has_arrows = flags & SLICE_HAS_ARROWS,
        .is_critical = flags & SLICE_IS_CRITICAL,
    };
    slice->is_point = flags & SLICE_IS_POINT && slice->duration == 0;
    slice->lane = lane_of(self, slice);
}

/* The place of a track; what is selected has one. */
static uint32_t track_of(const struct slices *self, sqlite3_stmt *row)
{
    uint32_t place = map_get(&self->places, sqlite3_column_int64(row, ROW_TRACK), 0);
    return place ? place - 1 : 0;
}

bool slices_find(struct slices *self, uint32_t id, struct slice *slice)
{
    bool done = true;
    *slice = (struct slice){0};
    sqlite3_bind_int64(self->one, 1, self->first_id + id);
    sqlite3_bind_int64(self->one, 2, self->first_id + id);
    if (warehouse_next(self->warehouse, self->one, &done, self->error))
        fill(self, self->one, id, track_of(self, self->one), slice);
    sqlite3_reset(self->one);
    return done;
}

void slices_mark_critical(struct slices *self, uint32_t id)
{
    self->flags.items[id] |= SLICE_IS_CRITICAL;
}

/* ------------------------------------------------------------------ walks */

static bool walk(struct slices *slices, bool is_track, struct slice_walk *self)
{
    self->rows = warehouse_prepare(slices->warehouse,
                                   slice_rows[slices->has_correlations][is_track], slices->error);
    return self->rows != NULL;
}

bool slices_walk(struct slices *slices, struct slice_walk *self)
{
    *self = (struct slice_walk){.slices = slices, .first = INT64_MIN, .last = INT64_MAX};
    return walk(slices, false, self);
}

bool slices_walk_track(struct slices *slices, uint32_t place, struct slice_walk *self)
{
    const struct slice_track *track = &slices->tracks.items[place];
    *self = (struct slice_walk){.slices = slices,
                                .track = track,
                                .first = slices->first_id + track->first,
                                .last = slices->first_id + track->last};
    if (track->is_held)
        return true;
    ARRAY_LOWER_BOUND(self->range, slices->events->count,
                      slices->events->items[self->range].last < self->first);
    bool done = walk(slices, true, self);
    sqlite3_bind_int64(self->rows, 3, track->id);
    return done;
}

/* Steps to the next row, of this range or a later one. */
static bool step(struct slice_walk *self, bool *done)
{
    const struct slices *slices = self->slices;
    const struct ranges *events = slices->events;
    for (;;) {
        if (self->is_reading && warehouse_next(slices->warehouse, self->rows, done, slices->error))
            return true;
        sqlite3_reset(self->rows);
        self->is_reading = false;
        if (!*done || self->range == events->count || events->items[self->range].first > self->last)
            return false;
        struct range range = events->items[self->range++];
        sqlite3_bind_int64(self->rows, 1, range.first > self->first ? range.first : self->first);
        sqlite3_bind_int64(self->rows, 2, range.last < self->last ? range.last : self->last);
        self->is_reading = true;
    }
}

bool slice_walk_next(struct slice_walk *self, struct slice *slice, bool *done)
{
    struct slices *slices = self->slices;
    if (self->track && self->track->is_held) {
        if (self->next_held == self->track->count)
            return false;
        *done = slices_find(
            slices, slices->held.items[self->track->first_held + self->next_held++].id, slice);
        return *done;
    }
    while (step(self, done)) {
        int64_t id = sqlite3_column_int64(self->rows, ROW_ID) - slices->first_id;
        if (!slices_flags(slices, id))
            continue;
        uint32_t track = self->track ? (uint32_t)(self->track - slices->tracks.items)
                                     : track_of(slices, self->rows);
        fill(slices, self->rows, (uint32_t)id, track, slice);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ arrows */

void slices_add_arrow(struct slices *self, struct slice_arrow arrow)
{
    if (!slices_flags(self, arrow.id))
        return;
    self->flags.items[arrow.id] |= SLICE_HAS_ARROWS;
    array_add(&self->arrows, arrow);
}

bool slices_read_arrows(struct slices *self, int64_t trace_id, uint64_t *number)
{
    /* The ids of a trace stand together, so the rows of a trace do. */
    sqlite3_stmt *rows = warehouse_prepare(
        self->warehouse,
        "SELECT from_id, to_id, kind = 'forward_backward', start.ts_ns, target.ts_ns "
        "FROM trace CROSS JOIN edge ON from_id BETWEEN first_event AND last_event "
        "CROSS JOIN event AS start ON start.id = from_id "
        "CROSS JOIN event AS target ON target.id = to_id "
        "WHERE trace.id = ?1 AND kind <> 'sync' ORDER BY from_id, to_id",
        self->error);
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, trace_id);
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        /* An arrow needs both ends. */
        uint8_t kind = sqlite3_column_int(rows, 2) ? ARROW_FORWARD_BACKWARD : ARROW_FLOW;
        if (flags_of_row(self, rows, 0) && flags_of_row(self, rows, 1)) {
            ++*number;
            struct slice_arrow start = {
                .id = (uint32_t)(sqlite3_column_int64(rows, 0) - self->first_id),
                .other = (uint32_t)(sqlite3_column_int64(rows, 1) - self->first_id),
                .kind = kind,
                .time = sqlite3_column_int64(rows, 3),
                .number = *number};
            struct slice_arrow end = start;
            end.id = start.other;
            end.other = start.id;
            end.time = sqlite3_column_int64(rows, 4);
            end.is_end = true;
            slices_add_arrow(self, start);
            slices_add_arrow(self, end);
        }
    }
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
