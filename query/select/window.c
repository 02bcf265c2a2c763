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

#include "src/base/order.h"

#include <string.h>

/* ------------------------------------------------------------------ as users write it */

/* No trace lasts as long. */
#define TIME_MAX ((int64_t)1 << 61)

/* The longest first, as s is the end of all of them. */
static const struct {
    const char *name;
    int64_t nanoseconds;
} units[] = {{"ns", 1},       {"us", 1000},      {"\xC2\xB5s", 1000}, {"\xCE\xBCs", 1000},
             {"ms", 1000000}, {"s", 1000000000}, {"", 1000000}};

static bool add_whole(const char *digits, size_t count, int64_t unit, int64_t *time)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digits[i] - '0', &value))
            return false;
    return !__builtin_mul_overflow(value, unit, &value) &&
           !__builtin_add_overflow(*time, value, time);
}

/* A number with a unit. */
static bool read_time(const char **at, int64_t *time)
{
    const char *whole = *at, *part = "";
    size_t digits = strspn(whole, "0123456789"), decimals = 0;
    *at += digits;
    if (**at == '.') {
        part = ++*at;
        decimals = strspn(part, "0123456789");
        *at += decimals;
    }
    size_t i = 0;
    while (strncmp(*at, units[i].name, strlen(units[i].name)) != 0)
        i++;
    *at += strlen(units[i].name);
    int64_t unit = units[i].nanoseconds;
    *time = 0;
    if (!(digits + decimals > 0 && add_whole(whole, digits, unit, time)))
        return false;
    int64_t value = 0; /* digits below a nanosecond are cut off */
    for (size_t digit = 0; digit < decimals; digit++)
        value += (part[digit] - '0') * (unit /= 10);
    return !__builtin_add_overflow(*time, value, time);
}

bool time_span_read(const char *text, struct range *span)
{
    *span = (struct range){-TIME_MAX, TIME_MAX};
    bool has_first = *text != '-';
    if (has_first && !read_time(&text, &span->first))
        return false;
    if (*text++ != '-' || (!has_first && !*text))
        return false;
    if (*text && !read_time(&text, &span->last))
        return false;
    if (span->last != TIME_MAX)
        span->last--;
    return !*text && span->first <= span->last && span->last <= TIME_MAX;
}

/* ------------------------------------------------------------------ the events of a track */

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
    window_list windows; /* those that are looked for together: in order, none overlaps another */
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
    bool done = true;
    while (self->gpu_category_count < GPU_CATEGORIES &&
           warehouse_next(self->warehouse, row, &done, self->error))
        self->gpu_categories[self->gpu_category_count++] = sqlite3_column_int64(row, 0);
    database_finalize(row);
    return done;
}

/* Looks at every event from one id to another. `in` has the events of the window to which the last
 * host event before them belongs, for the work that it launched. */
static bool scan(struct finder *self, int64_t first, int64_t last, struct ranges *in)
{
    if (last < first)
        return true;
    sqlite3_bind_int64(self->many, 1, first);
    sqlite3_bind_int64(self->many, 2, last);
    bool done = true;
    size_t place = 0;
    while (warehouse_next(self->warehouse, self->many, &done, self->error)) {
        int64_t id = sqlite3_column_int64(self->many, ROW_ID);
        if (distance_of_call(self, self->many) == 0) {
            /* The window that has the event's start, looked for first where the last one was, as
             * times mostly come in order. */
            int64_t time = sqlite3_column_int64(self->many, ROW_START);
            const window_list *windows = &self->windows;
            size_t at = place;
            bool is_near = at < windows->count && time <= windows->items[at].time.last &&
                           (at == 0 || time > windows->items[at - 1].time.last);
            if (!is_near)
                ARRAY_LOWER_BOUND(at, windows->count, windows->items[at].time.last < time);
            place = at;
            in = at < windows->count && windows->items[at].time.first <= time
                     ? windows->items[at].events
                     : NULL;
        }
        if (in)
            ranges_add(in, id, id);
    }
    sqlite3_reset(self->many);
    return done;
}

/* The host event at or before `id`, as work comes behind its call, and its start. An id that is
 * not there, in a damaged warehouse, is taken for an event at time 0. */
static bool look_up(struct finder *self, int64_t *id, int64_t *start)
{
    *start = 0;
    bool done = true;
    for (bool is_work = true; is_work && done;) {
        sqlite3_bind_int64(self->one, 1, *id);
        int64_t distance = 0;
        if (warehouse_next(self->warehouse, self->one, &done, self->error)) {
            *start = sqlite3_column_int64(self->one, ROW_START);
            distance = distance_of_call(self, self->one);
        }
        sqlite3_reset(self->one);
        is_work = distance > 0 && distance < *id;
        if (is_work)
            *id -= distance;
    }
    return done;
}

/* ------------------------------------------------------------------ searching */

/* Parts the ids of `track` where the starts reach `time`: the last one that is known to lie
 * before, and the first one that is known not to, which is a host event. What is looked for is
 * mostly `near` the begin: strides from there, either way, double until one is too far. */
static bool bisect(struct finder *self, struct range track, int64_t near, int64_t time,
                   struct moment *found)
{
    *found = (struct moment){track.first - 1, track.last + 1};
    bool is_far = false, is_first = near < track.last - track.first, is_down = false;
    for (int64_t stride = 1; found->after - found->before > 1; is_first = false) {
        int64_t half = (found->after - found->before) / 2;
        is_far |= stride > half;
        int64_t middle = is_first  ? track.first + near
                         : is_far  ? found->before + half
                         : is_down ? found->after - stride
                                   : found->before + stride;
        int64_t host = middle, start;
        if (!look_up(self, &host, &start))
            return false;
        if (host <= found->before || start < time) {
            found->before = middle;
            is_far |= is_down;
        } else {
            found->after = host;
            is_down |= is_first;
            is_far |= !is_down;
        }
        stride *= 2;
    }
    return true;
}

static bool find(struct finder *self, struct range track, int64_t near, int64_t time,
                 struct moment *found)
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
    if (!bisect(self, track, near, time - DISORDER_NS, &early) ||
        !bisect(self, (struct range){early.before + 1, track.last}, 0, time + DISORDER_NS, &late))
        return false;
    *found = (struct moment){early.before, late.after};
    return true;
}

/* Adds what a track has between the starts of a window and of what is behind it. */
static bool add_window(struct finder *self, struct ranges *events, struct moment start,
                       struct moment end)
{
    if (start.after > end.before)
        return scan(self, start.before + 1, end.after - 1, NULL);
    if (!scan(self, start.before + 1, start.after - 1, NULL))
        return false;
    ranges_add(events, start.after, end.before);
    return scan(self, end.before + 1, end.after - 1, events);
}

static bool search_track(struct finder *self, struct range track)
{
    struct moment start, end = {0};
    bool goes_on = false; /* the window begins where the one before it ends */
    int64_t length = 0;   /* windows mostly are as long as the one before */
    for (size_t i = 0; i < self->windows.count && track.first <= track.last; i++) {
        const struct window *window = &self->windows.items[i];
        int64_t behind = window->time.last == INT64_MAX ? INT64_MAX : window->time.last + 1;
        start = end;
        if (!goes_on && !find(self, track, 0, window->time.first, &start))
            return false;
        track.first = start.before + 1;
        if (!find(self, track, length, behind, &end) ||
            !add_window(self, window->events, start, end))
            return false;
        length = end.before - start.before;
        goes_on = i + 1 < self->windows.count && self->windows.items[i + 1].time.first == behind;
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
    database_finalize(track);
    return done;
}

/* Asks if starts are in order, and how many tracks there are to search. */
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
    database_finalize(row);
    return done;
}

static bool is_in_masses(size_t windows, int64_t tracks, struct range ids)
{
    double rows = (double)windows * (double)tracks * ROWS_PER_SEARCH;
    return rows > (double)(ids.last - ids.first);
}

ORDER_BY(compare_windows, struct window, UP(time.first) || UP(time.last));

bool window_events_each(struct warehouse *warehouse, int64_t trace_id, struct range ids,
                        window_list *windows, struct error *error)
{
    struct finder self = {.warehouse = warehouse, .error = error};
    bool is_ordered = false;
    int64_t tracks = 0;
    self.one = warehouse_prepare(
        self.warehouse, "SELECT id, ts_ns, up, category_id FROM event WHERE id = ?1", self.error);
    self.many = self.one ? warehouse_prepare(self.warehouse,
                                             "SELECT id, ts_ns, up, category_id FROM event "
                                             "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                                             self.error)
                         : NULL;
    bool done = self.many;
    if (done)
        done = read_gpu_categories(&self);
    done = done && ask_about_trace(&self, trace_id, &is_ordered, &tracks);
    array_sort(windows, compare_windows);
    while (done && windows->count) {
        /* Windows that do not overlap are looked for together; the others stay for later. */
        window_list *layer = &self.windows;
        size_t kept = 0;
        layer->count = 0;
        for (size_t i = 0; i < windows->count; i++) {
            const struct window *last = layer->count ? &layer->items[layer->count - 1] : NULL;
            if (last && windows->items[i].time.first <= last->time.last)
                windows->items[kept++] = windows->items[i];
            else
                array_add(layer, windows->items[i]);
        }
        windows->count = kept;
        if (is_ordered && !is_in_masses(self.windows.count, tracks, ids))
            done = search(&self, trace_id, ids);
        else
            done = scan(&self, ids.first, ids.last, NULL);
    }
    database_finalize(self.one);
    database_finalize(self.many);
    array_free(&self.windows);
    return done;
}

bool window_events(struct warehouse *warehouse, int64_t trace_id, struct range ids,
                   const struct ranges *times, struct ranges *events, struct error *error)
{
    window_list windows = {0};
    for (size_t i = 0; i < times->count; i++)
        array_add(&windows, (struct window){times->items[i], events});
    bool done = window_events_each(warehouse, trace_id, ids, &windows, error);
    array_free(&windows);
    ranges_settle(events);
    return done;
}
