/* window: see window.h.
 *
 * What ingest/trace/tree.c promises about a track: host events stand in the order of their starts,
 * but for Python frames that waited for an op to end, and those come less than DISORDER_NS late.
 * Accelerator work comes right behind the call that launched it. Only where a slice is left out
 * of the tree, or ends after its parent, anything can come later; ingest has noted that.
 *
 * So a search for a time t gives two ids: up to `before` everything on the host starts before t,
 * and from `after` on nothing does. The few events between them are looked at one by one.
 */
#include "query/select/window.h"

/* BLEED_NS of ingest/trace/tree.c. */
enum { DISORDER_NS = 1000 };

/* Times of a sound trace stay far below. */
static const int64_t time_max = INT64_MAX / 2;

enum {
/* Rows that a scan passes in the time of a search for one window on one track, measured. */
#ifdef TPQ_SMALL_WINDOWS /* the tests search every trace, too */
    ROWS_PER_SEARCH = 0,
#else
    ROWS_PER_SEARCH = 100,
#endif
    GPU_CATEGORIES = 16,
};

struct finder {
    struct warehouse *warehouse;
    struct error *error;
    sqlite3_stmt *one, *many; /* one event by its id; a range of events */
    int64_t gpu_categories[GPU_CATEGORIES];
    int gpu_category_count;
    const struct ranges *times;
    struct ranges *events;
};

struct moment {
    int64_t before, after;
};

/* ------------------------------------------------------------------ rows */

enum { ROW_ID, ROW_START, ROW_UP, ROW_CATEGORY };

/* The call that launched the work in this row, by its distance; 0 for anything but such work. */
static int64_t distance_of_call(const struct finder *self, sqlite3_stmt *row)
{
    if (sqlite3_column_type(row, ROW_UP) == SQLITE_NULL)
        return 0;
    int64_t category = sqlite3_column_int64(row, ROW_CATEGORY);
    for (int i = 0; i < self->gpu_category_count; i++)
        if (self->gpu_categories[i] == category)
            return sqlite3_column_int64(row, ROW_UP);
    return 0;
}

static bool read_gpu_categories(struct finder *self)
{
    sqlite3_stmt *row = warehouse_prepare(
        self->warehouse, "SELECT id FROM category WHERE role = 'gpu' LIMIT 16", self->error);
    if (!row)
        return false;
    int result;
    while ((result = sqlite3_step(row)) == SQLITE_ROW && self->gpu_category_count < GPU_CATEGORIES)
        self->gpu_categories[self->gpu_category_count++] = sqlite3_column_int64(row, 0);
    bool done = result == SQLITE_DONE || warehouse_error(self->warehouse, self->error);
    sqlite3_finalize(row);
    return done;
}

/* Looks at every event from one id to another. `is_in` tells whether the last host event before
 * them belongs to a window, for the work that it launched. */
static bool scan(struct finder *self, int64_t first, int64_t last, bool is_in)
{
    if (last < first)
        return true;
    sqlite3_bind_int64(self->many, 1, first);
    sqlite3_bind_int64(self->many, 2, last);
    bool done = true;
    while (warehouse_next(self->warehouse, self->many, &done, self->error)) {
        int64_t id = sqlite3_column_int64(self->many, ROW_ID);
        if (distance_of_call(self, self->many) == 0)
            is_in = ranges_contain(self->times, sqlite3_column_int64(self->many, ROW_START));
        if (is_in && !ranges_add(self->events, id, id))
            done = error_memory(self->error);
    }
    sqlite3_reset(self->many);
    return done;
}

/* The host event at or before `id`, as work comes behind its call, and its start. An id that is
 * not there, in a damaged warehouse, is taken for an event at time 0. */
static bool look_up(struct finder *self, int64_t *id, int64_t *start)
{
    *start = 0;
    for (bool is_work = true; is_work;) {
        sqlite3_bind_int64(self->one, 1, *id);
        int result = sqlite3_step(self->one);
        int64_t distance = 0;
        if (result == SQLITE_ROW) {
            *start = sqlite3_column_int64(self->one, ROW_START);
            distance = distance_of_call(self, self->one);
        }
        sqlite3_reset(self->one);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return warehouse_error(self->warehouse, self->error);
        is_work = distance > 0 && distance < *id;
        if (is_work)
            *id -= distance;
    }
    return true;
}

/* ------------------------------------------------------------------ searching */

/* Parts the ids of `track` where the starts reach `time`: the last one that is known to lie
 * before, and the first one that is known not to, which is a host event. */
static bool bisect(struct finder *self, struct range track, int64_t time, struct moment *found)
{
    *found = (struct moment){track.first - 1, track.last + 1};
    while (found->after - found->before > 1) {
        int64_t middle = found->before + (found->after - found->before) / 2;
        int64_t host = middle, start;
        if (!look_up(self, &host, &start))
            return false;
        if (host <= found->before || start < time)
            found->before = middle;
        else
            found->after = host;
    }
    return true;
}

static bool find(struct finder *self, struct range track, int64_t time, struct moment *found)
{
    struct moment early, late;
    if (time < -time_max) {
        *found = (struct moment){track.first - 1, track.first};
        return true;
    }
    if (time > time_max) {
        *found = (struct moment){track.last, track.last + 1};
        return true;
    }
    if (!bisect(self, track, time - DISORDER_NS, &early) ||
        !bisect(self, (struct range){early.before + 1, track.last}, time + DISORDER_NS, &late))
        return false;
    *found = (struct moment){early.before, late.after};
    return true;
}

static bool search_track(struct finder *self, struct range track)
{
    for (size_t i = 0; i < self->times->count && track.first <= track.last; i++) {
        struct range time = self->times->items[i];
        struct moment start, end;
        if (!find(self, track, time.first, &start))
            return false;
        struct range rest = {start.before + 1, track.last};
        if (!find(self, rest, time.last == INT64_MAX ? INT64_MAX : time.last + 1, &end))
            return false;
        if (start.after > end.before) {
            if (!scan(self, start.before + 1, end.after - 1, false))
                return false;
        } else if (!scan(self, start.before + 1, start.after - 1, false) ||
                   !(ranges_add(self->events, start.after, end.before) ||
                     error_memory(self->error)) ||
                   !scan(self, end.before + 1, end.after - 1, true)) {
            return false;
        }
        track.first = rest.first;
    }
    return true;
}

static bool search(struct finder *self, int64_t trace_id, struct range ids)
{
    sqlite3_stmt *track =
        warehouse_prepare(self->warehouse,
                          "SELECT max(first_event, ?2), min(last_event, ?3) FROM track "
                          "WHERE trace_id = ?1 AND last_event >= first_event ORDER BY first_event",
                          self->error);
    bool done = track != NULL;
    sqlite3_bind_int64(track, 1, trace_id);
    sqlite3_bind_int64(track, 2, ids.first);
    sqlite3_bind_int64(track, 3, ids.last);
    while (warehouse_next(self->warehouse, track, &done, self->error))
        done = search_track(
            self, (struct range){sqlite3_column_int64(track, 0), sqlite3_column_int64(track, 1)});
    sqlite3_finalize(track);
    return done;
}

/* Whether starts are in order, and how many tracks there are to search. */
static bool ask_about_trace(struct finder *self, int64_t trace_id, bool *is_ordered,
                            int64_t *tracks)
{
    sqlite3_stmt *row = warehouse_prepare(
        self->warehouse,
        "SELECT (SELECT count(*) FROM ingest_note WHERE trace_id = ?1 AND kind IN "
        "('outside_parent', 'left_out_of_tree', 'frame_out_of_tree')), "
        "(SELECT count(*) FROM track WHERE trace_id = ?1 AND last_event >= first_event)",
        self->error);
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, trace_id);
    bool done = sqlite3_step(row) == SQLITE_ROW || warehouse_error(self->warehouse, self->error);
    *is_ordered = done && sqlite3_column_int64(row, 0) == 0;
    *tracks = done ? sqlite3_column_int64(row, 1) : 0;
    sqlite3_finalize(row);
    return done;
}

static bool is_in_masses(size_t windows, int64_t tracks, struct range ids)
{
    double rows = (double)windows * (double)tracks * ROWS_PER_SEARCH;
    return rows > (double)(ids.last - ids.first);
}

bool window_events(struct warehouse *warehouse, int64_t trace_id, struct range ids,
                   const struct ranges *times, struct ranges *events, struct error *error)
{
    struct finder self = {.warehouse = warehouse, .error = error, .times = times, .events = events};
    self.one = warehouse_prepare(
        warehouse, "SELECT id, ts_ns, up, category_id FROM event WHERE id = ?1", error);
    self.many = self.one ? warehouse_prepare(warehouse,
                                             "SELECT id, ts_ns, up, category_id FROM event "
                                             "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                                             error)
                         : NULL;
    bool is_ordered = false;
    int64_t tracks = 0;
    bool done = self.many && read_gpu_categories(&self) &&
                ask_about_trace(&self, trace_id, &is_ordered, &tracks);
    if (done && is_ordered && !is_in_masses(times->count, tracks, ids))
        done = search(&self, trace_id, ids);
    else if (done)
        done = scan(&self, ids.first, ids.last, false);
    sqlite3_finalize(self.one);
    sqlite3_finalize(self.many);
    ranges_settle(events);
    return done;
}
