/* range_rows: see range_rows.h. One pass over the ranges and calls of a thread in the order of
 * their starts, with those that are open.
 */
#include "sql/ranges/range_rows.h"

#include "sql/database.h"
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

static int thread_of(struct range_rows *self, sqlite3 *db, int64_t track, uint32_t *thread)
{
    static const char question[] =
        "SELECT coalesce(process, '') || char(10) || coalesce(thread, ''), CAST(process AS "
        "INTEGER), CAST(thread AS INTEGER) FROM track WHERE id = ?";
    *thread = track == self->last_track && self->last_thread ? self->last_thread
                                                             : map_get(&self->tracks, track, 0);
    self->last_track = track;
    self->last_thread = *thread;
    if (*thread)
        return SQLITE_OK;
    int result = database_find(db, &self->ask_track, question, track, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;

    /* Adds what a question says of a thread; a track's thread is known by its process and number.
     */
    const char *key = database_text(self->ask_track, 0);
    struct range_thread added = {database_integer(self->ask_track, 1, INT64_MIN),
                                 database_integer(self->ask_track, 2, INT64_MIN)};
    *thread = intern_add(&self->thread_keys, key, strlen(key));
    if (*thread > self->threads.count)
        array_add(&self->threads, added);
    *map_put(&self->tracks, track, 0) = *thread;
    return SQLITE_OK;
}

static int add_trace(struct range_rows *self, sqlite3 *db, const char *run, int64_t id)
{
    static const char question[] =
        "SELECT clock_start_ns, CASE WHEN tpq_like_reference('nsys: numbers of ranges') THEN "
        "(SELECT value FROM json_each(arg(trace.metadata, 'tables'), '$.NVTX_EVENTS') WHERE key = "
        "0) END FROM trace WHERE id = ?";
    struct range_trace added = {.run = run ? memory_text(run) : NULL, .id = id, .first_number = -1};
    if (!added.run)
        return SQLITE_NOMEM;
    array_add(&self->traces, added);
    struct range_trace *trace = &self->traces.items[self->traces.count - 1];
    while (strcmp(self->traces.items[trace->run_place].run, trace->run) != 0)
        trace->run_place++;
    int result = database_find(db, &self->ask_trace, question, id, 0);
    if (result == SQLITE_ROW) {
        trace->clock = sqlite3_column_int64(self->ask_trace, 0);
        trace->first_number = database_integer(self->ask_trace, 1, -1);
    }
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

/* The number of the trace of a row whose first columns are its run and its id. */
static int range_rows_trace(struct range_rows *self, sqlite3_stmt *from, uint32_t *trace)
{
    int64_t id = sqlite3_column_int64(from, 1);
    size_t count = self->traces.count, place = count;
    if (count && self->traces.items[count - 1].id == id) {
        *trace = (uint32_t)count;
        return SQLITE_OK;
    }
    for (size_t i = 0; i < count && place == count; i++)
        if (self->traces.items[i].id == id)
            place = i;
    *trace = (uint32_t)place + 1;
    if (place < count)
        return SQLITE_OK;
    return add_trace(self, sqlite3_db_handle(from), (const char *)sqlite3_column_text(from, 0), id);
}

/* ------------------------------------------------------------------ reading */

/* Columns that all questions begin with. */
enum { ID, TRACK, START, DURATION, OWN, LIST };

static const char style_pushed[] = "PushPop", style_free[] = "StartEnd", style_point[] = "Point";

/* A time of the trace that is being read, on its file's clock. */
static int64_t file_time(const struct range_rows *self, int64_t time)
{
    return number_sum(time, self->traces.items[self->trace - 1].clock);
}

static int add_range(struct range_rows *self, sqlite3_stmt *from, const struct range *range)
{
    struct range *added = array_push(&self->ranges);
    *added = *range;
    added->id = sqlite3_column_int64(from, ID);
    added->track = sqlite3_column_int64(from, TRACK);
    added->trace = self->trace;
    added->start = file_time(self, sqlite3_column_int64(from, START));
    added->duration = sqlite3_column_int64(from, DURATION);
    added->end = end_of(added->start, added->duration);
    added->is_pushed = added->style == style_pushed;
    int result = thread_of(self, sqlite3_db_handle(from), added->track, &added->thread);
    if (result != SQLITE_OK)
        return result;
    int64_t first = self->traces.items[added->trace - 1].first_number;
    added->number = first < 0 ? added->id : sqlite3_column_int64(from, OWN) - first + 1;
    return SQLITE_OK;
}

enum { IS_FREE = 1, IS_OPEN = 2, IS_ACROSS = 4, IS_KNOWN = 8 };

/* The list in the arguments of a mark, as bits of above. */
static int list_of(struct range_rows *self, sqlite3_stmt *from, uint32_t *list)
{
    static const char question[] =
        "SELECT (arg(json, 'style') IS 'start_end') + 2 * (arg(json, 'open') IS NOT NULL) + 4 * "
        "(arg(json, 'end thread') IS NOT NULL) FROM args WHERE id = ?";
    int64_t id = sqlite3_column_int64(from, LIST);
    *list = IS_KNOWN;
    if (sqlite3_column_type(from, LIST) == SQLITE_NULL || (*list = map_get(&self->lists, id, 0)))
        return SQLITE_OK;
    int result = database_find(sqlite3_db_handle(from), &self->ask_list, question, id, 0);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return result;
    *list = IS_KNOWN;
    if (result == SQLITE_ROW)
        *list |= (uint32_t)sqlite3_column_int(self->ask_list, 0);
    uint32_t *known = map_put(&self->lists, id, 0);
    *known = *list;
    return SQLITE_OK;
}

static int add_mark(struct range_rows *self, sqlite3_stmt *from)
{
    enum { IS_POINT = LIST + 1, TEXT };
    struct range range = {.is_point = sqlite3_column_int(from, IS_POINT)};
    uint32_t list;
    int result = list_of(self, from, &list);
    if (result == SQLITE_OK && self->needs & RANGE_NAMES)
        range_text_read(&self->texts, from, TEXT, &range.name);
    if (result != SQLITE_OK)
        return result;
    range.style = range.is_point ? style_point : list & IS_FREE ? style_free : style_pushed;
    range.is_open = !range.is_point && list & IS_OPEN;
    range.is_across = list & IS_ACROSS;
    return add_range(self, from, &range);
}

static int add_op(struct range_rows *self, sqlite3_stmt *from)
{
    enum { TEXT = LIST + 1 };
    struct range range = {.style = style_pushed};
    uint32_t list;
    int result = list_of(self, from, &list);
    if (result == SQLITE_OK && self->needs & RANGE_NAMES)
        result = range_text_make(&self->texts, from, TEXT, &range.name);
    range.is_open = list & IS_OPEN;
    return result == SQLITE_OK ? add_range(self, from, &range) : result;
}

/* The call of a row, which has a row for each piece of its work. */
static int call_of(struct range_rows *self, sqlite3_stmt *from, struct range_call **found)
{
    enum { LAST = OWN };
    size_t count = self->calls.count;
    int64_t id = sqlite3_column_int64(from, ID);
    struct range_call *call = count ? &self->calls.items[count - 1] : NULL;
    *found = call;
    if (call && call->id == id)
        return SQLITE_OK;
    *found = call = array_push(&self->calls);
    *call = (struct range_call){.id = id,
                                .trace = self->trace,
                                .start = file_time(self, sqlite3_column_int64(from, START)),
                                .last = sqlite3_column_int64(from, LAST)};
    call->end = end_of(call->start, sqlite3_column_int64(from, DURATION));
    return thread_of(self, sqlite3_db_handle(from), sqlite3_column_int64(from, TRACK),
                     &call->thread);
}

static int add_call(struct range_rows *self, sqlite3_stmt *from)
{
    enum { CATEGORY = OWN + 1, WORK_START, WORK_DURATION };
    struct range_call *call;
    int result = call_of(self, from, &call);
    /* no work has no category */
    if (result != SQLITE_OK || !map_get(&self->kinds, sqlite3_column_int64(from, CATEGORY), 0))
        return result;
    int64_t start = file_time(self, sqlite3_column_int64(from, WORK_START));
    struct range_work work = {start, end_of(start, sqlite3_column_int64(from, WORK_DURATION)), 1};
    range_rows_add_work(&call->work, &work);
    return SQLITE_OK;
}

/* Selected events of a trace: the ids from first to last. */
struct range_part {
    int64_t first, last;
    uint32_t trace;
};

typedef ARRAY(struct range_part) range_parts;

static int read_parts(struct range_rows *self, sqlite3 *db, range_parts *parts)
{
    static const char question[] =
        "SELECT coalesce(run, ''), trace_id, first_event, last_event FROM scope";
    sqlite3_stmt *from = NULL;
    int result = database_prepare(db, question, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        struct range_part part = {sqlite3_column_int64(from, 2), sqlite3_column_int64(from, 3), 0};
        result = range_rows_trace(self, from, &part.trace);
        if (result == SQLITE_OK)
            array_add(parts, part);
    }
    database_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

typedef int take_row(struct range_rows *, sqlite3_stmt *);

/* Asks about each part, for the rows of which the question is. */
static int read_each(struct range_rows *self, sqlite3 *db, const range_parts *parts,
                     const char *question, take_row *take)
{
    sqlite3_stmt *from = NULL;
    int result = SQLITE_OK;
    for (size_t i = 0; i < parts->count && result == SQLITE_OK; i++) {
        const struct range_part *part = &parts->items[i];
        self->trace = part->trace;
        result = database_find(db, &from, question, part->first, part->last);
        for (; result == SQLITE_ROW; result = result == SQLITE_OK ? sqlite3_step(from) : result)
            result = take(self, from);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    database_finalize(from);
    return result;
}

static int read_ranges(struct range_rows *self, sqlite3 *db, const range_parts *parts)
{
    static const char marks[] =
        "SELECT signpost.id, signpost.track_id, signpost.ts_ns, coalesce(signpost.dur_ns, 0), "
        "event.uid, event.args_id, signpost.kind = 'point', signpost.name FROM signpost CROSS JOIN "
        "event ON event.id = signpost.id WHERE signpost.id BETWEEN ? AND ? AND signpost.kind IN "
        "('range', 'step', 'point')";
    static const char ops[] =
        "SELECT event.id, event.track_id, event.ts_ns, event.dur_ns, event.uid, event.args_id, "
        "event.name_id, event.op_id, op_range.sequence, op_range.number, op_range.text FROM "
        "op_range CROSS JOIN "
        "event ON event.id = op_range.id WHERE op_range.id BETWEEN ? AND ?";
    int result = read_each(self, db, parts, marks, add_mark);
    return result == SQLITE_OK ? read_each(self, db, parts, ops, add_op) : result;
}

static int read_calls(struct range_rows *self, sqlite3 *db, const range_parts *parts)
{
    static const char calls[] =
        "SELECT event.id, event.track_id, event.ts_ns, event.dur_ns, event.last_id, "
        "gpu_event.category_id, gpu_event.ts_ns, gpu_event.dur_ns FROM event "
        "LEFT JOIN gpu_event ON gpu_event.id BETWEEN event.id + 1 AND event.last_id AND "
        "+gpu_event.call_id = event.id WHERE event.id BETWEEN ? AND ? AND event.below > 0 AND "
        "event.category_id IN (SELECT id FROM category WHERE role = 'call')";

    static const char question[] = "SELECT id FROM category WHERE name <> 'gpu_graph' OR NOT "
                                   "tpq_like_reference('nsys: graphs as a whole')";
    sqlite3_stmt *from = NULL;
    int result = database_prepare(db, question, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        map_set(&self->kinds, sqlite3_column_int64(from, 0), 0, 1);
        result = SQLITE_OK;
    }
    database_finalize(from);
    result = result == SQLITE_DONE ? SQLITE_OK : result;
    if (result == SQLITE_OK)
        result = read_each(self, db, parts, calls, add_call);
    if (result == SQLITE_OK)
        array_sort(&self->calls, compare_calls);
    return result;
}

int range_rows_read(struct range_rows *self, sqlite3 *db, unsigned needs)
{
    int64_t ends_open = 0, by_number = 0;
    self->needs = needs | (needs & (RANGE_PAIRS | RANGE_LIST) ? RANGE_WORK : 0);
    int result =
        database_ask(db, "SELECT tpq_like_reference('nsys: ranges that never end')", 0, &ends_open);
    if (result == SQLITE_OK)
        result = database_ask(db, "SELECT tpq_like_reference('nsys: order of projections')", 0,
                              &by_number);
    self->by_number = by_number;
    if (result == SQLITE_OK) {
        range_parts parts = {0};
        result = read_parts(self, db, &parts);
        if (result == SQLITE_OK)
            result = read_ranges(self, db, &parts);
        if (result == SQLITE_OK && self->needs & RANGE_WORK)
            result = read_calls(self, db, &parts);
        database_finalize(self->ask_track);
        database_finalize(self->ask_list);
        database_finalize(self->ask_trace);
        self->ask_track = self->ask_list = self->ask_trace = NULL;
        range_text_stop(&self->texts);
        array_free(&parts);
    }
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
