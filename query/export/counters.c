/* counters: a series of GPU activities is made of changes, sorted by time; of several at one moment
 * one sample is written, with the last value. What the trace states comes sorted by series, and is
 * passed on as it is read.
 */
#include "query/export/counters.h"

#include "src/base/number.h"
#include "src/base/order.h"
#include "src/base/text.h"

/* A change of a count, or of a sum, at a moment. */
struct change {
    int64_t time;
    double by;
};

struct changes {
    struct change *items;
    size_t count, room;
};

ORDER_BY(compare_changes, struct change, UP(time));

/* ------------------------------------------------------------------ GPU activities */

/* Work of one series. */
struct entry {
    int64_t device, second; /* stream or name that it is for; 0 = of the whole device */
    uint32_t place;         /* among the launches */
};

ORDER_BY(compare_entries, struct entry, UP(device) || UP(second) || UP(place));

static const struct slice_work *work_at(const struct counters *self, uint32_t place)
{
    return &self->slices->works.items[self->slices->launches.items[place].work];
}

static void add_pair(struct changes *changes, int64_t from, int64_t to, double by)
{
    array_add(changes, (struct change){from, by});
    array_add(changes, (struct change){to, -by});
}

static void add_waiting(const struct slice_work *work, struct changes *changes)
{
    if (work->call != UINT32_MAX && work->call_start < work->start)
        add_pair(changes, work->call_start, work->start, 1);
}

static void add_busy(const struct slice_work *work, struct changes *changes)
{
    add_pair(changes, work->start, number_sum(work->start, work->duration), 1);
}

/* Bytes a nanosecond are GB a second. */
static void add_rate(const struct slice_work *work, struct changes *changes)
{
    if (work->bytes > 0 && work->duration > 0)
        add_pair(changes, work->start, number_sum(work->start, work->duration),
                 (double)work->bytes / (double)work->duration);
}

/* Counters of work, the first one always; a series for each device and each value of `second` on
 * it. */
static const struct kind {
    enum { OF_DEVICE, OF_STREAM, OF_COPY } of;
    const char *name;
    enum counter_unit unit;
    const char *unit_name;
    void (*add)(const struct slice_work *work, struct changes *changes);
    bool is_state;
} kinds[] = {
    {OF_DEVICE, "Queue Length", COUNTER_COUNT, NULL, add_waiting, false},
    {OF_STREAM, "Queue Length", COUNTER_COUNT, NULL, add_waiting, false},
    {OF_DEVICE, "Busy", COUNTER_COUNT, NULL, add_busy, true},
    {OF_COPY, "", COUNTER_OTHER, "GB/s", add_rate, false},
};

/* "Queue Length stream 7"; what copies are called. */
static bool name_series(struct counters *self, const struct kind *kind, int64_t second,
                        struct text *name)
{
    text_clear(name);
    if (kind->of != OF_COPY) {
        text_add_string(name, kind->name);
        if (kind->of != OF_DEVICE)
            text_format(name, " stream %lld", (long long)second);
        return true;
    }
    sqlite3_stmt *row =
        warehouse_prepare(self->warehouse, "SELECT text FROM string WHERE id = ?1", self->error);
    bool done = row != NULL;
    sqlite3_bind_int64(row, 1, second);
    if (warehouse_next(self->warehouse, row, &done, self->error))
        text_add_string(name, database_text(row, 0));
    database_finalize(row);
    return done;
}

static bool write_kind(struct counters *self, const struct kind *kind, struct entry *entries,
                       struct changes *changes)
{
    struct text name = {0};
    size_t count = 0, end;
    bool done = true;

    /* The activities of each series come together. */
    for (uint32_t i = 0; i < self->slices->works.count; i++) {
        const struct slice_work *work = work_at(self, i);
        int64_t second = kind->of == OF_STREAM ? work->stream
                         : kind->of == OF_COPY ? work->name
                                               : 0;
        if (kind->of != OF_COPY || work->bytes > 0)
            entries[count++] = (struct entry){work->device, second, i};
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t start = 0; start < count && done; start = end) {
        const struct entry *first = &entries[start];
        for (end = start; end < count && entries[end].device == first->device &&
                          entries[end].second == first->second;
             end++)
            kind->add(work_at(self, entries[end].place), changes);
        if (kind->of == OF_STREAM && first->second == SLICE_NONE)
            changes->count = 0;
        done = !changes->count || name_series(self, kind, first->second, &name);
        struct counter_series series = {.name = name.items,
                                        .unit = kind->unit,
                                        .unit_name = kind->unit_name,
                                        .device = first->device};
        if (done) {
            /* One sample for each moment; the last value wins. */
            double value = 0, written = 0;
            array_sort(changes, compare_changes);
            done = !changes->count || self->begin(self->context, &series);
            for (size_t i = 0; i < changes->count && done; i++) {
                value += changes->items[i].by;
                if (i + 1 < changes->count && changes->items[i + 1].time == changes->items[i].time)
                    continue;
                double shown = kind->is_state ? value > 0 : value;
                if (i && shown == written)
                    continue;
                written = shown;
                done = self->sample(self->context, changes->items[i].time, shown);
            }
            changes->count = 0;
        }
    }
    return done;
}

/* ------------------------------------------------------------------ what the trace states */

/* Series differ in device (NULL = host), name, unit and place; then time and value. The rows of a
 * series stand together. */
static const char stated_rows[] =
    "SELECT counter_track.id, device, name, unit, ts_ns, value, place FROM counter_track "
    "CROSS JOIN counter_sample ON counter_id = counter_track.id "
    "WHERE trace_id = ?1 AND ts_ns BETWEEN ?2 AND ?3 ORDER BY counter_track.id, ts_ns";

enum {
    ROW_SERIES,
    ROW_DEVICE,
    ROW_NAME,
    ROW_UNIT,
    ROW_TIME,
    ROW_VALUE,
    ROW_PLACE,
};

static bool begin_series(struct counters *self, sqlite3_stmt *row)
{
    bool has_unit = sqlite3_column_type(row, ROW_UNIT) != SQLITE_NULL;
    bool has_place = sqlite3_column_type(row, ROW_PLACE) != SQLITE_NULL;
    struct counter_series series = {
        .name = database_text(row, ROW_NAME),
        .unit = COUNTER_OTHER,
        .unit_name = has_unit ? database_text(row, ROW_UNIT) : NULL,
        .device = database_integer(row, ROW_DEVICE, SLICE_NONE),
        .place = has_place ? database_text(row, ROW_PLACE) : NULL,
        .is_stated = true,
    };
    return self->begin(self->context, &series);
}

/* The samples of a series: of several at one time the last one counts, and one that changes nothing
 * is not written. */
struct sampler {
    int64_t time;
    double value, written;
    bool is_waiting, is_begun;
};

static bool write_waiting(struct counters *self, struct sampler *sampler)
{
    bool is_new = sampler->is_waiting && !(sampler->is_begun && sampler->value == sampler->written);
    sampler->is_waiting = false;
    if (!is_new)
        return true;
    sampler->is_begun = true;
    sampler->written = sampler->value;
    return self->sample(self->context, sampler->time, sampler->value);
}

static bool take_sample(struct counters *self, struct sampler *sampler, int64_t time, double value)
{
    bool done = time == sampler->time || write_waiting(self, sampler);
    sampler->is_waiting = true;
    sampler->time = time;
    sampler->value = value;
    return done;
}

/* Ends the series before, if there is one. */
static bool end_series(struct counters *self, struct sampler *sampler)
{
    bool done = write_waiting(self, sampler);
    *sampler = (struct sampler){0};
    return done;
}

/* ------------------------------------------------------------------ memory */

enum { ALLOCATED, RESERVED, TOTALS };

struct record {
    int64_t type, place, device,
        time;               /* device: SLICE_NONE = not known, and then the place is -1 */
    int64_t totals[TOTALS]; /* SLICE_NONE = not known */
    size_t number;
};

ORDER_BY(compare_records, struct record, UP(type) || UP(place) || UP(time) || UP(number));

struct records {
    struct record *items;
    size_t count, room;
};

static const char memory_rows[] =
    "SELECT coalesce(device_type, 0), coalesce(device, -1), device, ts_ns, total_allocated, "
    "total_reserved FROM memory_event WHERE trace_id = ?1 AND ts_ns BETWEEN ?2 AND ?3 ORDER BY uid";

static bool begin_memory(struct counters *self, const struct record *record, int total)
{
    static const char *const names[TOTALS][2] = {
        [ALLOCATED] = {"Memory allocated (CPU)", "Memory allocated"},
        [RESERVED] = {"Memory reserved (CPU)", "Memory reserved"},
    };
    struct counter_series series = {.name = names[total][record->type != 0],
                                    .unit = COUNTER_BYTES,
                                    .device = record->type ? record->device : SLICE_NONE};
    return self->begin(self->context, &series);
}

static bool write_total(struct counters *self, const struct records *records, int total)
{
    struct sampler sampler = {0};
    const struct record *last = NULL;
    bool done = true;
    for (size_t i = 0; i < records->count && done; i++) {
        const struct record *record = &records->items[i];
        if (record->totals[total] == SLICE_NONE)
            continue;
        if (!last || record->type != last->type || record->place != last->place)
            done = end_series(self, &sampler) && begin_memory(self, record, total);
        last = record;
        done = done && take_sample(self, &sampler, record->time, (double)record->totals[total]);
    }
    return done && end_series(self, &sampler);
}

static bool write_memory(struct counters *self)
{
    struct records records = {0};
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, memory_rows, self->error);
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, self->trace_id);
    sqlite3_bind_int64(rows, 2, self->slices->first_ns);
    sqlite3_bind_int64(rows, 3, self->slices->last_ns);
    while (warehouse_next(self->warehouse, rows, &done, self->error))
        array_add(&records, (struct record){
                                .type = sqlite3_column_int64(rows, 0),
                                .place = sqlite3_column_int64(rows, 1),
                                .device = database_integer(rows, 2, SLICE_NONE),
                                .time = sqlite3_column_int64(rows, 3),
                                .totals = {database_integer(rows, 4, SLICE_NONE),
                                           database_integer(rows, 5, SLICE_NONE)},
                                .number = records.count,
                            });
    array_sort(&records, compare_records);
    for (int total = 0; total < TOTALS && done; total++)
        done = write_total(self, &records, total);
    return done;
}

bool counters_write(struct counters *self)
{
    struct changes changes = {0};
    struct entry *entries = memory_list(self->slices->works.count + 1, sizeof *entries);
    bool done = true;
    size_t count = self->in_full ? sizeof kinds / sizeof *kinds : 1;
    for (size_t i = 0; i < count && done; i++)
        done = write_kind(self, &kinds[i], entries, &changes);
    if (!done || (!self->no_memory && !write_memory(self)))
        return false;

    /* Counters of the trace itself come last. */
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, stated_rows, self->error);
    struct sampler sampler = {0};
    int64_t series = 0; /* none has this number */
    done = rows != NULL;
    sqlite3_bind_int64(rows, 1, self->trace_id);
    sqlite3_bind_int64(rows, 2, self->slices->first_ns);
    sqlite3_bind_int64(rows, 3, self->slices->last_ns);
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        int64_t next = sqlite3_column_int64(rows, ROW_SERIES);
        if (next != series || !series)
            done = end_series(self, &sampler) && begin_series(self, rows);
        series = next;
        done = done && take_sample(self, &sampler, sqlite3_column_int64(rows, ROW_TIME),
                                   sqlite3_column_double(rows, ROW_VALUE));
    }
    done = done && end_series(self, &sampler);
    return done;
}
