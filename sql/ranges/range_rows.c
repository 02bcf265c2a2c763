/* range_rows: see range_rows.h. One pass over the ranges and calls of a thread in the order of
 * their starts, with those that are open.
 */
#include "sql/ranges/range_rows.h"

#include "sql/ranges/range_rows.sql.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* ------------------------------------------------------------------ order */

static int compare(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

ORDER_BY(compare_ranges, struct range, UP(trace) || UP(thread) || UP(start) || DOWN(end) || UP(id));

ORDER_BY(compare_calls, struct range_call, UP(trace) || UP(thread) || UP(start) || UP(id));

/* The end of the ranges that are in order from a place on. */
static size_t end_of_run(const struct range_rows *self, size_t place)
{
    const struct range *ranges = self->ranges.items;
    for (place++; place < self->ranges.count; place++)
        if (compare_ranges(&ranges[place - 1], &ranges[place]) > 0)
            break;
    return place;
}

/* Marks stand in order, and ops behind them: two runs, which are merged. Anything else is sorted.
 */
static void sort_ranges(struct range_rows *self)
{
    struct range *ranges = self->ranges.items;
    size_t count = self->ranges.count, middle = count ? end_of_run(self, 0) : 0;
    if (middle == count)
        return;
    if (end_of_run(self, middle) < count) {
        array_sort(&self->ranges, compare_ranges);
        return;
    }
    struct range *first = memory_list(middle, sizeof *first);
    memcpy(first, ranges, middle * sizeof *first);
    size_t left = 0, right = middle, to = 0;
    while (left < middle && right < count)
        ranges[to++] =
            compare_ranges(&ranges[right], &first[left]) < 0 ? ranges[right++] : first[left++];
    memcpy(ranges + to, first + left, (middle - left) * sizeof *first);
    memory_free(first);
}

/* The key of a list of ranges. */
struct range_key {
    const char *run; /* the same one for ranges of a run */
    int64_t first, second, id;
    uint32_t place;
};

ORDER_BY(compare_keys, struct range_key,
         (a->run != b->run && WORDS(run)) || UP(first) || UP(second) || UP(id));

typedef ARRAY(struct range_key) range_keys;

static void add_key(const struct range_rows *self, range_keys *keys, size_t place, int64_t first,
                    int64_t second)
{
    const struct range *range = &self->ranges.items[place];
    size_t run = (size_t)self->traces.items[range->trace - 1].run_place;
    array_add(keys, (struct range_key){self->traces.items[run].run, first, second, range->id,
                                       (uint32_t)place});
}

static void put_in_order(range_keys *keys, range_places *places)
{
    array_reserve(places, keys->count + 1);
    size_t i = 1;
    while (i < keys->count && compare_keys(&keys->items[i - 1], &keys->items[i]) <= 0)
        i++;
    if (i < keys->count)
        array_sort(keys, compare_keys);
    for (i = 0; i < keys->count; i++)
        places->items[i] = keys->items[i].place;
    places->count = keys->count;
    array_free(keys);
}

void range_rows_order(struct range_rows *self)
{
    range_keys keys = {0};
    for (size_t i = 0; i < self->ranges.count && !self->by_time.items; i++)
        add_key(self, &keys, i, self->ranges.items[i].start, self->ranges.items[i].duration);
    if (!self->by_time.items)
        put_in_order(&keys, &self->by_time);
}

/* ------------------------------------------------------------------ passes */

/* Closes what ended before a time, or is of another thread. */
static void close_ranges(struct range_rows *self, uint32_t trace, uint32_t thread, int64_t time)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->open.count; i++) {
        const struct range *range = &self->ranges.items[self->open.items[i]];
        if (range->trace == trace && range->thread == thread && range->end >= time)
            self->open.items[kept++] = self->open.items[i];
    }
    self->open.count = kept;
}

static bool holds_nothing(const struct range *range)
{
    return range->is_point || range->is_across;
}

/* Puts a range into the tightest of the open ones that contain it. */
static void put_inside(const struct range_rows *self, size_t place, struct range_nest *nests)
{
    const struct range *range = &self->ranges.items[place], *tightest = NULL;
    for (size_t i = 0; i < self->open.count; i++) {
        const struct range *open = &self->ranges.items[self->open.items[i]];
        if (open->end >= range->end &&
            (!tightest || number_difference(open->end, open->start) <=
                              number_difference(tightest->end, tightest->start)))
            tightest = open;
    }
    if (!tightest)
        return;
    size_t above = (size_t)(tightest - self->ranges.items);
    nests[place].place = (uint32_t)above + 1;
    nests[place].level = nests[above].level + 1;
    nests[above].children++;
    nests[above].child_time =
        number_sum(nests[above].child_time, number_difference(range->end, range->start));
}

static void nest_ranges(struct range_rows *self, bool only_pushed, struct range_nest *nests)
{
    self->open.count = 0;
    for (size_t i = 0; i < self->ranges.count; i++) {
        const struct range *range = &self->ranges.items[i];
        if (holds_nothing(range) || (only_pushed && !range->is_pushed))
            continue;
        close_ranges(self, range->trace, range->thread, range->start);
        put_inside(self, i, nests);
        array_add(&self->open, (uint32_t)i);
    }
}

static void range_rows_add_work(struct range_work *self, const struct range_work *work)
{
    bool is_first = self->pieces == 0;
    self->start = is_first || work->start < self->start ? work->start : self->start;
    self->end = is_first || work->end > self->end ? work->end : self->end;
    self->pieces += work->pieces;
}

static void add_pairs(struct range_rows *self, size_t place)
{
    const struct range_call *call = &self->calls.items[place];
    for (size_t i = 0; i < self->open.count; i++) {
        uint32_t range = self->open.items[i];
        if (self->ranges.items[range].end < call->end)
            continue;
        if (call->work.pieces) {
            range_rows_add_work(&self->launched.items[range].work, &call->work);
            self->launched.items[range].calls++;
        }
        struct range_pair pair = {range, (uint32_t)place};
        if (self->needs & RANGE_PAIRS)
            array_add(&self->pairs, pair);
    }
}

/* True if a range begins before a call does, in the order of threads. */
static bool is_before(const struct range *range, const struct range_call *call)
{
    int order = compare(range->trace, call->trace);
    order = order ? order : compare(range->thread, call->thread);
    return (order ? order : compare(range->start, call->start)) <= 0;
}

/* A row for each range, all zero. */
#define ROW_FOR_EACH(self, list)                                                               \
    ((self)->list.items = memory_zeroed((self)->ranges.count + 1, sizeof *(self)->list.items), \
     (self)->list.count = (self)->list.room = (self)->ranges.count)

static void find_out(struct range_rows *self)
{
    unsigned needs = self->needs;
    if (needs & RANGE_NEST) {
        ROW_FOR_EACH(self, all);
        nest_ranges(self, false, self->all.items);
    }
    if (needs & RANGE_PUSHED) {
        ROW_FOR_EACH(self, pushed);
        nest_ranges(self, true, self->pushed.items);
    }
    if (needs & RANGE_WORK) {
        ROW_FOR_EACH(self, launched);

        /* Calls in the order of their starts meet the ranges that are open then. */
        size_t next = 0;
        self->open.count = 0;
        for (size_t i = 0; i < self->calls.count; i++) {
            const struct range_call *call = &self->calls.items[i];
            for (; next < self->ranges.count && is_before(&self->ranges.items[next], call); next++)
                if (!holds_nothing(&self->ranges.items[next]))
                    array_add(&self->open, (uint32_t)next);
            close_ranges(self, call->trace, call->thread, call->start);
            add_pairs(self, i);
        }

        /* Times and counts of children follow from the work of all calls. */
        for (size_t i = 0; i < self->launched.count; i++) {
            struct range_launched *launched = &self->launched.items[i];
            launched->time = number_difference(launched->work.end, launched->work.start);
            if (launched->work.pieces && self->all.count && self->all.items[i].place)
                self->launched.items[self->all.items[i].place - 1].children++;
        }
    }
    if (needs & RANGE_LIST) {
        /* Ranges with work, as reports list them. */
        range_keys keys = {0};
        for (size_t i = 0; i < self->launched.count; i++) {
            const struct range_launched *launched = &self->launched.items[i];
            if (launched->work.pieces)
                add_key(self, &keys, i,
                        self->by_number ? self->ranges.items[i].number : launched->work.start,
                        -launched->time);
        }
        put_in_order(&keys, &self->by_work);
    }
}

static int64_t end_of(int64_t start, int64_t duration)
{
    int64_t end;
    return __builtin_add_overflow(start, duration, &end) ? INT64_MAX : end;
}

/* ------------------------------------------------------------------ threads and traces */

/* A track's thread is known by its process and number. */
static int thread_of(struct range_rows *self, sqlite3 *db, int64_t track, uint32_t *thread)
{
    const char *key;
    struct range_thread added;
    *thread = track == self->last_track && self->last_thread ? self->last_thread
                                                             : map_get(&self->tracks, track, 0);
    self->last_track = track;
    self->last_thread = *thread;
    if (*thread)
        return SQLITE_OK;
    ASK_AGAIN(&self->ask_track, db,
              "SELECT coalesce(process, '') || char(10) || coalesce(thread, ''), CAST(process AS "
              "INTEGER), CAST(thread AS INTEGER) FROM track WHERE id = ?",
              track);
    if (!ASKED_ROW(&self->ask_track, &key, OR_NONE(&added.pid), OR_NONE(&added.tid))) {
        int result = asked_code(&self->ask_track);
        return result == SQLITE_OK ? SQLITE_CORRUPT : result;
    }
    *thread = intern_add(&self->thread_keys, key, strlen(key));
    if (*thread > self->threads.count)
        array_add(&self->threads, added);
    *map_put(&self->tracks, track, 0) = *thread;
    return SQLITE_OK;
}

/* The number of a trace, from 1; it is added when it is new. */
static int trace_of(struct range_rows *self, sqlite3 *db, const char *run, int64_t id,
                    uint32_t *number)
{
    struct asked asked;
    for (size_t i = self->traces.count; i-- > 0;)
        if (self->traces.items[i].id == id) {
            *number = (uint32_t)i + 1;
            return SQLITE_OK;
        }
    array_add(&self->traces,
              (struct range_trace){.run = memory_text(run), .id = id, .first_number = -1});
    *number = (uint32_t)self->traces.count;
    struct range_trace *trace = &self->traces.items[self->traces.count - 1];
    while (strcmp(self->traces.items[trace->run_place].run, trace->run) != 0)
        trace->run_place++;
    ASK(&asked, db,
        "SELECT clock_start_ns, coalesce(CASE WHEN tpq_like_reference('nsys: numbers of ranges') "
        "THEN (SELECT value FROM json_each(arg(trace.metadata, 'tables'), '$.NVTX_EVENTS') WHERE "
        "key = 0) END, -1) FROM trace WHERE id = ?",
        id);
    ASKED_ROW(&asked, &trace->clock, &trace->first_number);
    return asked_end(&asked);
}

/* ------------------------------------------------------------------ reading */

static const char style_pushed[] = "PushPop", style_free[] = "StartEnd", style_point[] = "Point";

/* A time of the trace that is being read, on its file's clock. */
static int64_t file_time(const struct range_rows *self, int64_t time)
{
    return number_sum(time, self->traces.items[self->trace - 1].clock);
}

/* Adds a range as a row has it; `own` is its number in the file. */
static int add_range(struct range_rows *self, sqlite3 *db, struct range range, int64_t own,
                     const char *name)
{
    int64_t first = self->traces.items[self->trace - 1].first_number;
    range.name = NULL;
    if (name && self->needs & RANGE_NAMES)
        range.name =
            intern_view(&self->texts, intern_add(&self->texts, name, strlen(name) + 1)).bytes;
    range.trace = self->trace;
    range.start = file_time(self, range.start);
    range.end = end_of(range.start, range.duration);
    range.is_pushed = range.style == style_pushed;
    range.number = first < 0 ? range.id : own - first + 1;
    int result = thread_of(self, db, range.track, &range.thread);
    array_add(&self->ranges, range);
    return result;
}

enum { IS_FREE = 1, IS_OPEN = 2, IS_ACROSS = 4, IS_KNOWN = 8 };

/* The list in the arguments of a mark, as bits of above. */
static int list_of(struct range_rows *self, sqlite3 *db, int64_t id, uint32_t *list)
{
    int64_t bits = 0;
    *list = id == INT64_MIN ? IS_KNOWN : map_get(&self->lists, id, 0);
    if (*list)
        return SQLITE_OK;
    ASK_AGAIN(&self->ask_list, db,
              "SELECT (arg(json, 'style') IS 'start_end') + 2 * (arg(json, 'open') IS NOT NULL) + "
              "4 * (arg(json, 'end thread') IS NOT NULL) FROM args WHERE id = ?",
              id);
    ASKED_ROW(&self->ask_list, &bits);
    *list = *map_put(&self->lists, id, 0) = IS_KNOWN | (uint32_t)bits;
    return asked_code(&self->ask_list);
}

/* Selected events of a trace: the ids from first to last. */
struct range_part {
    int64_t first, last;
    uint32_t trace;
};

typedef ARRAY(struct range_part) range_parts;

static int read_parts(struct range_rows *self, sqlite3 *db, range_parts *parts)
{
    struct asked asked;
    struct range_part part;
    const char *run;
    int64_t trace;
    int result = SQLITE_OK;
    asked_open(&asked, db,
               "SELECT coalesce(run, ''), trace_id, first_event, last_event FROM scope");
    while (result == SQLITE_OK && ASKED_ROW(&asked, &run, &trace, &part.first, &part.last)) {
        result = trace_of(self, db, run, trace, &part.trace);
        array_add(parts, part);
    }
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

static int read_ranges(struct range_rows *self, sqlite3 *db, const range_parts *parts)
{
    struct asked marks, ops;
    struct range range = {0};
    int64_t own, args;
    uint32_t list;
    const char *name;
    int result = SQLITE_OK;
    asked_open(&marks, db, marks_of_programs);
    for (size_t i = 0; i < parts->count; i++) {
        self->trace = parts->items[i].trace;
        ASKED_ABOUT(&marks, parts->items[i].first, parts->items[i].last);
        while (result == SQLITE_OK &&
               ASKED_ROW(&marks, &range.id, &range.track, &range.start, &range.duration, &own,
                         OR_NONE(&args), &range.is_point, OR_NULL(&name)) &&
               (result = list_of(self, db, args, &list)) == SQLITE_OK) {
            range.style = range.is_point ? style_point : list & IS_FREE ? style_free : style_pushed;
            range.is_open = !range.is_point && list & IS_OPEN;
            range.is_across = list & IS_ACROSS;
            result = add_range(self, db, range, own, name);
        }
    }
    int ended = asked_end(&marks);
    if (result != SQLITE_OK || ended != SQLITE_OK)
        return result != SQLITE_OK ? result : ended;
    asked_open(&ops, db, ranges_of_ops);
    range = (struct range){.style = style_pushed};
    for (size_t i = 0; i < parts->count; i++) {
        self->trace = parts->items[i].trace;
        ASKED_ABOUT(&ops, parts->items[i].first, parts->items[i].last,
                    (self->needs & RANGE_NAMES) != 0);
        while (result == SQLITE_OK &&
               ASKED_ROW(&ops, &range.id, &range.track, &range.start, &range.duration, &own,
                         OR_NONE(&args), OR_NULL(&name)) &&
               (result = list_of(self, db, args, &list)) == SQLITE_OK) {
            range.is_open = list & IS_OPEN;
            result = add_range(self, db, range, own, name);
        }
    }
    ended = asked_end(&ops);
    return result != SQLITE_OK ? result : ended;
}

/* Reads calls, which have a row for each piece of their work. */
static int read_calls(struct range_rows *self, sqlite3 *db, const range_parts *parts)
{
    struct asked asked;
    int64_t id, track, start, duration, last, category, work_start, work_duration;
    asked_open(&asked, db,
               "SELECT id FROM category WHERE name <> 'gpu_graph' OR NOT "
               "tpq_like_reference('nsys: graphs as a whole')");
    while (ASKED_ROW(&asked, &id))
        map_set(&self->kinds, id, 0, 1);
    int result = asked_end(&asked);
    if (result != SQLITE_OK)
        return result;
    asked_open(&asked, db, calls_with_work);
    for (size_t i = 0; i < parts->count; i++) {
        self->trace = parts->items[i].trace;
        ASKED_ABOUT(&asked, parts->items[i].first, parts->items[i].last);
        while (result == SQLITE_OK && ASKED_ROW(&asked, &id, &track, &start, &duration, &last,
                                                &category, &work_start, &work_duration)) {
            size_t count = self->calls.count;
            if (!count || self->calls.items[count++ - 1].id != id) {
                struct range_call call = {
                    .id = id, .trace = self->trace, .start = file_time(self, start), .last = last};
                call.end = end_of(call.start, duration);
                result = thread_of(self, db, track, &call.thread);
                array_add(&self->calls, call);
            }
            /* no work has no category */
            if (!map_get(&self->kinds, category, 0))
                continue;
            work_start = file_time(self, work_start);
            struct range_work work = {work_start, end_of(work_start, work_duration), 1};
            range_rows_add_work(&self->calls.items[self->calls.count - 1].work, &work);
        }
    }
    array_sort(&self->calls, compare_calls);
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

int range_rows_read(struct range_rows *self, sqlite3 *db, unsigned needs)
{
    int64_t ends_open = 0;
    struct asked asked;
    range_parts parts = {0};
    self->needs = needs | (needs & (RANGE_PAIRS | RANGE_LIST) ? RANGE_WORK : 0);
    asked_open(&asked, db,
               "SELECT tpq_like_reference('nsys: ranges that never end'), "
               "tpq_like_reference('nsys: order of projections')");
    ASKED_ROW(&asked, &ends_open, &self->by_number);
    int result = asked_end(&asked);
    if (result == SQLITE_OK)
        result = read_parts(self, db, &parts);
    if (result == SQLITE_OK)
        result = read_ranges(self, db, &parts);
    if (result == SQLITE_OK && self->needs & RANGE_WORK)
        result = read_calls(self, db, &parts);
    asked_end(&self->ask_track);
    asked_end(&self->ask_list);
    array_free(&parts);
    if (result != SQLITE_OK)
        return result;
    if (ends_open) {
        /* Older reports give ranges that never ended the last time of any range of the run. */
        int64_t *last = memory_zeroed(self->traces.count + 1, sizeof *last);
        bool *is_known = memory_zeroed(self->traces.count + 1, sizeof *is_known);
        for (size_t i = 0; i < self->ranges.count; i++) {
            const struct range *range = &self->ranges.items[i];
            int64_t run = self->traces.items[range->trace - 1].run_place;
            int64_t end = range->is_open ? range->start : range->end;
            if (!range->is_point && (!is_known[run] || last[run] < end)) {
                last[run] = end;
                is_known[run] = true;
            }
        }
        for (size_t i = 0; i < self->ranges.count; i++) {
            struct range *range = &self->ranges.items[i];
            if (range->is_open) {
                range->end = last[self->traces.items[range->trace - 1].run_place];
                range->duration = number_difference(range->end, range->start);
            }
        }
        memory_free(last);
        memory_free(is_known);
    }
    sort_ranges(self);
    find_out(self);
    return SQLITE_OK;
}
