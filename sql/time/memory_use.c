/* memory_use: a table of what allocators held, a row for each device of a trace.
 *
 *     SELECT device_type, device, allocated_most, peak_ns FROM memory_use
 *
 * One pass over the records, of which there are many, while devices are few: nothing is sorted.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "src/base/map.h"

#include <string.h>

struct memory_use {
    uint32_t trace;
    int64_t device_type, device; /* INT64_MIN = not stated, as everywhere here */
    int64_t records, first, last;
    int64_t allocated_most, peak, peak_track, allocated_last;
    int64_t reserved_most, reserved_at, reserved_last;
    int64_t allocations, frees, bytes, bytes_most;
};

struct memory_rows {
    trace_list traces;
    size_t trace; /* place of the one in hand */
    ARRAY(struct memory_use) rows;
    struct map known; /* places + 1 by type and device, of that trace */
    sqlite3_stmt *ask_track;
};

enum { TIME, BYTES, ALLOCATED, RESERVED, TYPE, DEVICE, TRACK };

static const char records_sql[] = "SELECT ts_ns, bytes, total_allocated, total_reserved, "
                                  "device_type, device, track_id FROM memory_event "
                                  "WHERE trace_id = ?1";

static int take_allocated(struct memory_rows *self, struct memory_use *use, sqlite3_stmt *row,
                          int64_t time, int64_t allocated)
{
    bool is_most = allocated > use->allocated_most;
    if (allocated == INT64_MIN)
        return SQLITE_OK;
    use->allocated_most = is_most ? allocated : use->allocated_most;
    if (time == use->last && allocated > use->allocated_last)
        use->allocated_last = allocated;
    if (!is_most && (allocated < use->allocated_most || time > use->peak))
        return SQLITE_OK;

    /* The first by process and number of several threads that are at the most at once. */
    sqlite3 *db = sqlite3_db_handle(row);
    int64_t track = sqlite3_column_int64(row, TRACK);
    static const char sql[] =
        "SELECT id FROM track WHERE id IN (?1, ?2) ORDER BY process, thread LIMIT 1";
    if (time != use->peak) {
        use->peak = time;
        use->peak_track = track;
    } else if (track != use->peak_track) {
        int result = database_find(db, &self->ask_track, sql, track, use->peak_track);
        if (result != SQLITE_ROW)
            return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
        use->peak_track = sqlite3_column_int64(self->ask_track, 0);
    }
    return SQLITE_OK;
}

static int memory_use_read_trace(struct memory_rows *self, int64_t trace, sqlite3_stmt *records)
{
    map_free(&self->known);
    sqlite3_bind_int64(records, 1, trace);
    int result = SQLITE_OK;
    while (result == SQLITE_OK && (result = sqlite3_step(records)) == SQLITE_ROW) {
        /* The allocator of the record, which is added where it is new. */
        int64_t type = database_integer(records, TYPE, INT64_MIN),
                device = database_integer(records, DEVICE, INT64_MIN);
        uint32_t *place = map_put(&self->known, type, device);
        if (!*place) {
            struct memory_use added = {.trace = (uint32_t)self->trace,
                                       .device_type = type,
                                       .device = device,
                                       .first = INT64_MAX,
                                       .last = INT64_MIN,
                                       .allocated_most = INT64_MIN,
                                       .peak = INT64_MIN,
                                       .allocated_last = INT64_MIN,
                                       .reserved_most = INT64_MIN,
                                       .reserved_at = INT64_MIN,
                                       .reserved_last = INT64_MIN,
                                       .bytes = INT64_MIN,
                                       .bytes_most = INT64_MIN};
            array_add(&self->rows, added);
            *place = (uint32_t)self->rows.count;
        }
        struct memory_use *use = &self->rows.items[*place - 1];
        int64_t time = sqlite3_column_int64(records, TIME);
        use->records++;
        use->first = time < use->first ? time : use->first;
        if (time > use->last) {
            use->last = time;
            use->allocated_last = use->reserved_last = INT64_MIN;
        }
        int64_t bytes = database_integer(records, BYTES, INT64_MIN);
        use->allocations += bytes > 0;
        use->frees += bytes < 0 && bytes != INT64_MIN;
        use->bytes_most = bytes > use->bytes_most ? bytes : use->bytes_most;
        if (bytes > 0 &&
            __builtin_add_overflow(use->bytes == INT64_MIN ? 0 : use->bytes, bytes, &use->bytes))
            use->bytes = INT64_MAX;

        int64_t reserved = database_integer(records, RESERVED, INT64_MIN);
        if (reserved != INT64_MIN) {
            if (reserved > use->reserved_most ||
                (reserved == use->reserved_most && time < use->reserved_at))
                use->reserved_at = time;
            use->reserved_most = reserved > use->reserved_most ? reserved : use->reserved_most;
            if (time == use->last && reserved > use->reserved_last)
                use->reserved_last = reserved;
        }
        result = take_allocated(self, use, records, time,
                                database_integer(records, ALLOCATED, INT64_MIN));
    }
    sqlite3_reset(records);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int memory_use_read_rows(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct memory_rows *self = reading;
    sqlite3_stmt *records = NULL;
    int result = ranges_traces(wish, &self->traces);
    if (result == SQLITE_OK)
        result = database_prepare(wish->db, records_sql, &records, NULL);
    for (; result == SQLITE_OK && self->trace < self->traces.count; self->trace++)
        result = memory_use_read_trace(self, self->traces.items[self->trace].id, records);
    database_finalize(records);
    map_free(&self->known);
    database_finalize(self->ask_track);
    self->ask_track = NULL;
    return result;
}

/* ------------------------------------------------------------------ the table */

enum { PART_USE, PART_TRACE };

#define OF_USE(kind, member) TABLE_AT(kind, PART_USE, struct memory_use, member)

static const struct table_column columns[] = {
    RANGES_TRACE(PART_TRACE, 0, 0),
    {"device_type", "INTEGER", "kind of device: 0 CPU, 1 GPU, ... as PyTorch numbers them",
     OF_USE(STATED, device_type)},
    {"device", "INTEGER", "number of the device", OF_USE(STATED, device)},
    {"records", "INTEGER", "number of memory records", OF_USE(INT64, records)},
    {"first_ns", "INTEGER", "time of the first record, from the start of the trace",
     OF_USE(INT64, first)},
    {"last_ns", "INTEGER", "time of the last record, from the start of the trace",
     OF_USE(INT64, last)},
    {"allocated_most", "INTEGER", "maximum memory in use", OF_USE(STATED, allocated_most),
     .unit = "bytes"},
    {"peak_ns", "INTEGER", "time of the maximum memory in use", OF_USE(STATED, peak)},
    {"peak_track_id", "INTEGER", "thread that allocated the maximum", OF_USE(ID, peak_track)},
    {"allocated_last", "INTEGER", "memory in use at the end", OF_USE(STATED, allocated_last),
     .unit = "bytes"},
    {"reserved_most", "INTEGER", "maximum memory held by the allocator",
     OF_USE(STATED, reserved_most), .unit = "bytes"},
    {"reserved_ns", "INTEGER", "time of the maximum memory held by the allocator",
     OF_USE(STATED, reserved_at)},
    {"reserved_last", "INTEGER", "memory held by the allocator at the end",
     OF_USE(STATED, reserved_last), .unit = "bytes"},
    {"allocations", "INTEGER", "blocks that were allocated", OF_USE(INT64, allocations)},
    {"frees", "INTEGER", "blocks that were freed", OF_USE(INT64, frees)},
    {"allocated_bytes", "INTEGER", "sum of the allocated blocks", OF_USE(STATED, bytes)},
    {"most_bytes", "INTEGER", "size of the largest allocated block", OF_USE(STATED, bytes_most)},
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct memory_rows), .read = memory_use_read_rows, .is_kept = true};

static const struct table table = {
    TABLE_ROWS(columns, 10, 10, reading, struct memory_rows, rows),
    TABLE_OWNER(PART_TRACE, struct memory_rows, traces, struct memory_use, trace),
};

const struct function memory_functions[] = {
    TABLE("memory_use", table, "A table: what allocators held, a row for each device of a trace."),
    {0},
};
