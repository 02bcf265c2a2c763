/* device_pause, device_stretch: tables of how devices were used, all of their streams together.
 *
 *     SELECT device, start_ns, dur_ns FROM device_pause               longer than --gpu-gap-us
 *     SELECT device, place, dur_ns, used_ns FROM device_stretch       --gpu-use-chunks of each
 *
 * From the first start to the last end of a device's selected work. A pause ends with a piece of
 * work, or with time that the profiler took for itself, which is no pause. With --compat work that
 * overlaps counts twice as use. The views nsys_gpu_gaps and nsys_gpu_time_util show them.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/functions/interval.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

struct use_device {
    int64_t device, first, last, list; /* list: least of the arguments' ids; INT64_MIN = none */
    uint32_t trace;                    /* its place */
    ARRAY(struct interval) work;
};

struct device_pause {
    int64_t start, duration;
    uint32_t device;
};

struct device_stretch {
    int64_t place, start, duration, used;
    uint32_t device;
};

enum { PAUSES = 1, STRETCHES = 2 };

struct device_uses {
    trace_list traces;
    ARRAY(struct use_device) devices;
    ARRAY(struct device_pause) pauses;
    ARRAY(struct device_stretch) stretches;
    struct map known; /* (trace, device) -> its place, from 1 */
};

/* ------------------------------------------------------------------ reading */

static struct use_device *device_of(struct device_uses *self, uint32_t trace, int64_t number)
{
    uint32_t *known = map_put(&self->known, trace, number);
    struct use_device added = {number, INT64_MAX, INT64_MIN, INT64_MIN, trace, {0}};
    if (!known || (*known == 0 && !array_add(&self->devices, added)))
        return NULL;
    if (*known == 0)
        *known = (uint32_t)self->devices.count;
    return &self->devices.items[*known - 1];
}

static bool add_work(struct device_uses *self, sqlite3_stmt *from)
{
    enum { DEVICE, START, DURATION, LIST };
    uint32_t trace = (uint32_t)(self->traces.count - 1);
    struct use_device *device = device_of(self, trace, sqlite3_column_int64(from, DEVICE));
    if (!device)
        return false;
    struct interval work = {.start = number_sum(sqlite3_column_int64(from, START),
                                                self->traces.items[trace].clock_start)};
    work.end = number_sum(work.start, sqlite3_column_int64(from, DURATION));
    device->first = work.start < device->first ? work.start : device->first;
    device->last = work.end > device->last ? work.end : device->last;
    int64_t list = sqlite3_column_int64(from, LIST);
    if (sqlite3_column_type(from, LIST) != SQLITE_NULL &&
        (device->list == INT64_MIN || list < device->list))
        device->list = list;
    return array_add(&device->work, work);
}

static int read_work(struct device_uses *self, const struct table_wish *wish)
{
    static const char question[] =
        "SELECT device, ts_ns, dur_ns, args_id FROM gpu_event WHERE id BETWEEN ? AND ? AND device "
        "IS NOT NULL AND (NOT (SELECT tpq_like_reference('nsys: graphs as a whole')) OR "
        "category_id IS NOT (SELECT id FROM category WHERE name = 'gpu_graph'))";
    sqlite3_stmt *part = NULL, *from = NULL;
    int result = ranges_prepare(wish, &part);
    while (result == SQLITE_OK && (result = sqlite3_step(part)) == SQLITE_ROW) {
        result = ranges_add_trace(&self->traces, part);
        if (result == SQLITE_OK)
            result =
                database_find(wish->db, &from, question, sqlite3_column_int64(part, RANGE_FIRST),
                              sqlite3_column_int64(part, RANGE_LAST));
        while (result == SQLITE_ROW)
            result = add_work(self, from) ? sqlite3_step(from) : SQLITE_NOMEM;
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    database_finalize(part);
    database_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

ORDER_BY(compare_work, struct interval, UP(start) || UP(end));

static void sort_work(struct use_device *device)
{
    for (size_t i = 1; i < device->work.count; i++)
        if (compare_work(&device->work.items[i - 1], &device->work.items[i]) > 0) {
            array_sort(&device->work, compare_work);
            return;
        }
}

/* ------------------------------------------------------------------ pauses */

/* Time that the profiler took, while a device of the trace was in use, counts as use of it. */
static bool add_overhead(struct device_uses *self, uint32_t trace, struct interval overhead)
{
    bool done = true;
    for (size_t i = 0; i < self->devices.count && done; i++) {
        struct use_device *device = &self->devices.items[i];
        if (device->trace == trace && overhead.start >= device->first &&
            overhead.end <= device->last)
            done = array_add(&device->work, overhead);
    }
    return done;
}

static int read_overheads(struct device_uses *self, sqlite3 *db)
{
    static const char question[] =
        "SELECT event.ts_ns, event.dur_ns FROM trace CROSS JOIN event ON event.id BETWEEN "
        "trace.first_event AND trace.last_event JOIN string ON string.id = event.name_id JOIN "
        "track ON track.id = event.track_id WHERE trace.id = ? AND coalesce(CAST(track.process AS "
        "INTEGER) = arg(trace.metadata, 'process'), 1) AND event.category_id = (SELECT id FROM "
        "category WHERE name = 'overhead') "
        "AND (string.text LIKE 'CUDA profiling data flush overhead' OR string.text LIKE 'CUDA "
        "profiling stop overhead' OR string.text LIKE 'CUDA profiling overhead')";
    sqlite3_stmt *from = NULL;
    int result = SQLITE_OK;
    for (uint32_t i = 0; i < self->traces.count && result == SQLITE_OK; i++) {
        const struct selected_trace *trace = &self->traces.items[i];
        result = database_find(db, &from, question, trace->id, 0);
        while (result == SQLITE_ROW) {
            struct interval overhead;
            overhead.start = number_sum(sqlite3_column_int64(from, 0), trace->clock_start);
            overhead.end = number_sum(overhead.start, sqlite3_column_int64(from, 1));
            result = add_overhead(self, i, overhead) ? sqlite3_step(from) : SQLITE_NOMEM;
        }
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    database_finalize(from);
    return result;
}

static bool find_pauses(struct device_uses *self, uint32_t place, double least)
{
    struct use_device *device = &self->devices.items[place];
    bool done = true;
    sort_work(device);
    int64_t end = device->work.items[0].end;
    for (size_t i = 1; i < device->work.count && done; i++) {
        struct interval work = device->work.items[i];
        struct device_pause pause = {end, number_difference(work.start, end), place};
        if (work.start > end && (double)pause.duration > least)
            done = array_add(&self->pauses, pause);
        end = work.end > end ? work.end : end;
    }
    return done;
}

static int read_pauses(struct device_uses *self, sqlite3 *db)
{
    sqlite3_stmt *option = NULL;
    int result = database_find(db, &option, "SELECT CAST(tpq_option('gpu-gap-us') AS REAL)", 0, 0);
    double least = result == SQLITE_ROW ? sqlite3_column_double(option, 0) * 1000 : 0;
    database_finalize(option);
    result = result == SQLITE_ROW ? read_overheads(self, db) : result;
    for (uint32_t i = 0; i < self->devices.count && result == SQLITE_OK; i++)
        result = find_pauses(self, i, least) ? SQLITE_OK : SQLITE_NOMEM;
    return result;
}

/* ------------------------------------------------------------------ stretches */

/* Spreads time in use over the stretches of a device. */
static void use(struct device_stretch *stretches, const struct use_device *device, int64_t length,
                struct interval used)
{
    used.end = used.end < device->last ? used.end : device->last;
    while (used.start < used.end) {
        struct device_stretch *stretch = &stretches[(used.start - device->first) / length];
        int64_t behind = stretch->start + stretch->duration;
        int64_t end = used.end < behind ? used.end : behind;
        stretch->used = number_sum(stretch->used, end - used.start);
        used.start = end;
    }
}

static void use_all(struct use_device *device, struct device_stretch *stretches, int64_t length,
                    bool counts_twice)
{
    struct interval used = {device->first, device->first};
    sort_work(device);
    for (size_t i = 0; i < device->work.count; i++) {
        struct interval work = device->work.items[i];
        if (counts_twice) {
            use(stretches, device, length, work);
        } else if (work.start > used.end) {
            use(stretches, device, length, used);
            used = work;
        } else if (work.end > used.end) {
            used.end = work.end;
        }
    }
    use(stretches, device, length, used);
}

static bool add_stretches(struct device_uses *self, uint32_t place, int64_t chunks,
                          bool counts_twice)
{
    struct use_device *device = &self->devices.items[place];
    size_t first = self->stretches.count;
    int64_t time = number_difference(device->last, device->first), at = 0, number = 0;
    device->last = number_sum(device->first, time); /* no stretch reaches further */
    int64_t length = time / chunks + (time % chunks > 0);
    length = length < 1 ? 1 : length;
    do {
        struct device_stretch stretch = {number++, device->first + at,
                                         time - at < length ? time - at : length, 0, place};
        if (!array_add(&self->stretches, stretch))
            return false;
        at += stretch.duration;
    } while (at < time);
    use_all(device, self->stretches.items + first, length, counts_twice);
    return true;
}

static int read_stretches(struct device_uses *self, sqlite3 *db)
{
    int64_t chunks = 1, counts_twice = 0;
    int result =
        database_ask(db, "SELECT CAST(tpq_option('gpu-use-chunks') AS INTEGER)", 0, &chunks);
    if (result == SQLITE_OK)
        result = database_ask(db, "SELECT tpq_like_reference('nsys: use of a device')", 0,
                              &counts_twice);
    for (uint32_t i = 0; i < self->devices.count && result == SQLITE_OK; i++)
        if (!add_stretches(self, i, chunks < 1 ? 1 : chunks, counts_twice))
            result = SQLITE_NOMEM;
    return result;
}

static void free_uses(void *reading)
{
    struct device_uses *self = reading;
    for (size_t i = 0; i < self->devices.count; i++)
        array_free(&self->devices.items[i].work);
    ranges_free_traces(&self->traces);
    array_free(&self->devices);
    array_free(&self->pauses);
    array_free(&self->stretches);
    map_free(&self->known);
}

/* Only the uses found in work are kept. */
static int read_uses(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct device_uses *self = reading;
    int result = read_work(self, wish);
    if (result == SQLITE_OK && wish->needs & STRETCHES) /* before work of the profiler is added */
        result = read_stretches(self, wish->db);
    if (result == SQLITE_OK && wish->needs & PAUSES)
        result = read_pauses(self, wish->db);
    for (size_t i = 0; i < self->devices.count; i++)
        array_free(&self->devices.items[i].work);
    return result;
}

/* ------------------------------------------------------------------ the tables */

enum { ROW, DEVICE, TRACE };

static bool find_trace(struct table_cursor *cursor, size_t index)
{
    const struct device_uses *self = cursor->reading;
    const struct use_device *device = cursor->parts[DEVICE];
    (void)index;
    cursor->parts[TRACE] = &self->traces.items[device->trace];
    return true;
}

#define COMMON                                                                                     \
    RANGES_TRACE(TRACE, 0, 0),                                                                     \
        {"device", "INTEGER", "number of the device",                                              \
         TABLE_AT(INT64, DEVICE, struct use_device, device)},                                      \
    {                                                                                              \
        "args_id", "INTEGER", "arguments of a GPU activity of the device, which tell the context", \
            TABLE_AT(STATED, DEVICE, struct use_device, list)                                      \
    }
#define OF_PAUSE(member)   TABLE_AT(INT64, ROW, struct device_pause, member)
#define OF_STRETCH(member) TABLE_AT(INT64, ROW, struct device_stretch, member)

static const struct table_column pause_columns[] = {
    COMMON,
    {"start_ns", "INTEGER", "end of the previous GPU activity, on the file's clock",
     OF_PAUSE(start)},
    {"dur_ns", "INTEGER", "duration of the pause", OF_PAUSE(duration)},
    {0},
};

static const struct table_column stretch_columns[] = {
    COMMON,
    {"place", "INTEGER", "number of the stretch, from 0", OF_STRETCH(place)},
    {"start_ns", "INTEGER", "start of the stretch, on the file's clock", OF_STRETCH(start)},
    {"dur_ns", "INTEGER", "duration of the stretch", OF_STRETCH(duration)},
    {"used_ns", "INTEGER", "GPU busy time in the stretch", OF_STRETCH(used)},
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct device_uses), .read = read_uses, .free = free_uses, .is_kept = true};

static const struct table pause_table = {
    TABLE_ROWS(pause_columns, 1e4, 1e4, reading, struct device_uses, pauses),
    .needs = PAUSES,
    TABLE_OWNER(DEVICE, struct device_uses, devices, struct device_pause, device),
    .row = find_trace,
};

static const struct table stretch_table = {
    TABLE_ROWS(stretch_columns, 1e3, 1e3, reading, struct device_uses, stretches),
    .needs = STRETCHES,
    TABLE_OWNER(DEVICE, struct device_uses, devices, struct device_stretch, device),
    .row = find_trace,
};

const struct function use_functions[] = {
    TABLE("device_pause", pause_table,
          "A table: times longer than --gpu-gap-us in which a device did nothing."),
    TABLE("device_stretch", stretch_table,
          "A table: the time of each device in gpu_use_chunks parts, and how it was used."),
    {0},
};
