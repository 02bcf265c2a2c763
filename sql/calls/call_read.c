/* call_read: Ranges of the selection come by trace. A trace is read when all of its ranges are
 * known. */

#include "sql/binding/ranges.h"
#include "sql/calls/call_reading.h"
#include "sql/database.h"
#include "sql/kernels/gpu_row.h"

#include <string.h>

static int read_trace(struct call_reading *self, const struct range_list *ranges)
{
    struct call_rows *rows = self->rows;
    int result =
        rows->only_times ? SQLITE_OK : catalog_answers_tracks(&self->catalog, self->trace->id);
    if (result == SQLITE_OK)
        result = call_reading_kernels(self, ranges);
    if (result == SQLITE_OK)
        result = call_read_edges(self, ranges);
    if (result == SQLITE_OK)
        result = call_read_ops(self, ranges);
    if (result == SQLITE_OK)
        call_measure(self);
    struct call *calls = rows->calls.items + self->trace->first_call;
    for (size_t i = 0; i < self->trace->call_count && result == SQLITE_OK; i++) {
        if (!rows->only_times)
            calls[i].track = catalog_answers_same_track(&self->catalog, calls[i].track);
        if (calls[i].model)
            result = call_evaluate(self, &calls[i]);
    }
    if (result == SQLITE_OK && !rows->only_times)
        call_measure_modelled(self);
    if (result == SQLITE_OK)
        result = call_collect(self);
    if (result != SQLITE_OK || rows->only_times)
        return result;
    if (!rows->inference) /* that form has no sheets for them */
        call_backward(self);
    return call_overlap(self, ranges->items, ranges->count);
}

static void forget_trace(struct call_reading *self)
{
    call_forget_around(self);
    array_free(&self->edges);
    array_free(&self->steps);
}

static void start_trace(struct call_reading *self, sqlite3_stmt *range)
{
    char *copy = memory_text(database_text(range, 0));
    self->trace = array_push(&self->rows->traces);
    *self->trace = (struct call_trace){.run = copy,
                                       .id = sqlite3_column_int64(range, 1),
                                       .run_id = sqlite3_column_int64(range, 2),
                                       .clock_start = sqlite3_column_int64(range, 3),
                                       .first_backward = self->rows->backward.count,
                                       .first_alone = self->rows->alone.count};
}

static int finish_trace(struct call_reading *self, struct range_list *ranges)
{
    int result = self->trace ? read_trace(self, ranges) : SQLITE_OK;
    forget_trace(self);
    ranges->count = 0;
    return result;
}

static int read_ranges(struct call_reading *self, sqlite3_stmt *from, struct range_list *ranges)
{
    int result;
    while ((result = sqlite3_step(from)) == SQLITE_ROW) {
        result = SQLITE_OK;
        if (!self->trace || self->trace->id != sqlite3_column_int64(from, 1)) {
            result = finish_trace(self, ranges);
            if (result != SQLITE_OK)
                return result;
            start_trace(self, from);
        }
        bool is_parted = sqlite3_column_type(from, RANGE_RECOMPUTE) != SQLITE_NULL;
        array_add(ranges, (struct range){
                              sqlite3_column_int64(from, RANGE_FIRST),
                              sqlite3_column_int64(from, RANGE_LAST),
                              is_parted ? (int8_t)sqlite3_column_int(from, RANGE_RECOMPUTE) : -1});
    }
    return result == SQLITE_DONE ? finish_trace(self, ranges) : result;
}

static int read_calls(void *rows, const struct table_wish *wish, struct error *error)
{
    struct call_rows *self = rows;
    sqlite3 *db = wish->db;
    struct context *context = wish->context;
    struct call_reading reading = {.rows = self, .db = db, .context = context, .error = error};
    struct op_cache *cache = op_cache_of(db, context, error);
    if (!cache)
        return error->memory ? SQLITE_NOMEM : SQLITE_ERROR;
    self->cache = op_cache_retain(cache);
    self->compat = context_get(context, "compat") != NULL;
    self->inference = context_get(context, "inference") != NULL;
    self->parts = reference_time_parts(self->compat);
    sqlite3_stmt *from = NULL;
    struct range_list ranges = {0};
    bool has_room = catalog_answers_take(&reading.catalog, db, context) &&
                    array_reserve(&self->kernels, 1) && array_reserve(&self->calls, 1);
    int result = has_room ? ranges_prepare(wish, &from) : SQLITE_NOMEM;
    if (result == SQLITE_OK) /* lists that are there, also without anything in them */
        result = read_ranges(&reading, from, &ranges);
    database_finalize(from);
    array_free(&ranges);
    forget_trace(&reading);
    map_free(&reading.model_of);
    map_free(&reading.below_of);
    array_free(&reading.below);
    database_finalize(reading.ask_event);
    database_finalize(reading.ask_name);
    catalog_answers_free(&reading.catalog);
    return result;
}

static int read_times(void *rows, const struct table_wish *wish, struct error *error)
{
    ((struct call_rows *)rows)->only_times = true;
    return read_calls(rows, wish, error);
}

const struct table_reading call_rows_reading = {.size = sizeof(struct call_rows),
                                                .read = read_calls,
                                                .free = call_rows_free,
                                                .is_kept = true,
                                                .bytes = call_rows_bytes};

const struct table_reading call_times_reading = {
    .size = sizeof(struct call_rows), .read = read_times, .free = call_rows_free};
