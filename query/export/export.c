/* export: Reading all traces is one transaction. Traces are read by id and then put in order of
 * rank; labels and places follow from that order. One trace without a wall clock puts all traces on
 * the clocks of their files. */
#include "query/export/export.h"

#include "src/base/order.h"

enum { ROW_TRACE, ROW_FIRST, ROW_LAST, ROW_RANK, ROW_CLOCK, ROW_WALL };

/* The selected rows of each trace. */
static const char rows_of_scope[] =
    "SELECT scope.trace_id, scope.first_event, scope.last_event, trace.rank, clock_start_ns, "
    "wall_start_ns FROM scope CROSS JOIN trace ON trace.id = scope.trace_id "
    "ORDER BY scope.trace_id, scope.first_event";

/* Ranks in their order; what has none comes first. */
ORDER_BY(compare_traces, struct export_trace, UP(rank) || UP(id));

bool export_open(struct export *self)
{
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, rows_of_scope, self->error);
    /* All is read, most of it once: pages of the file stay those of the system. What is read is of
     * one moment; a lock for each of millions of slices that are looked up would cost time, too. */
    bool done = rows && warehouse_run(self->warehouse, "PRAGMA mmap_size = 0", self->error) &&
                (!sqlite3_get_autocommit(self->warehouse->db) ||
                 warehouse_run(self->warehouse, "BEGIN", self->error));
    self->has_wall_clock = true;
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        int64_t id = sqlite3_column_int64(rows, ROW_TRACE);
        size_t count = self->traces.count;
        if (!count || self->traces.items[count - 1].id != id) {
            bool has_wall = sqlite3_column_type(rows, ROW_WALL) != SQLITE_NULL;
            self->has_wall_clock &= has_wall;
            array_add(&self->traces,
                      (struct export_trace){
                          .id = id,
                          .rank = database_integer(rows, ROW_RANK, INT64_MIN),
                          .file_clock_ns = sqlite3_column_int64(rows, ROW_CLOCK),
                          .clock_ns = sqlite3_column_int64(rows, has_wall ? ROW_WALL : ROW_CLOCK),
                      });
        }
        ranges_add(&self->traces.items[self->traces.count - 1].events,
                   sqlite3_column_int64(rows, ROW_FIRST), sqlite3_column_int64(rows, ROW_LAST));
    }
    database_finalize(rows);
    array_sort(&self->traces, compare_traces);
    for (size_t i = 0; i < self->traces.count && done; i++) {
        struct export_trace *trace = &self->traces.items[i];
        trace->place = (int64_t)i;
        if (!self->has_wall_clock) /* all go by the clocks of their files */
            trace->clock_ns = trace->file_clock_ns;
        struct text label = {0};
        if (trace->rank != INT64_MIN)
            text_format(&label, "rank %lld", (long long)trace->rank);
        else if (self->traces.count > 1)
            text_format(&label, "trace %lld", (long long)trace->id);
        else
            text_add(&label, "", 0);
        trace->label = label.items;
    }
    return done;
}

bool export_each_trace(struct export *self, void *writer,
                       bool (*write)(void *writer, struct export_trace *trace))
{
    volatile bool done = true;
    for (volatile size_t i = 0; i < self->traces.count && done; i++) {
        struct memory memory = {0};
        struct memory_attempt attempt;
        if (memory_try(&attempt, &memory)) {
            done = write(writer, &self->traces.items[i]);
            memory_leave(&attempt);
        } else
            done = error_memory(self->error);
        memory_end(&memory);
    }
    return done;
}

/* An event a row: the work, who launched it, the steps. */
static const char rows_of_communication[] =
    "WITH work AS MATERIALIZED (SELECT id, call_id, cpu_op_id, launcher_id FROM gpu_event"
    " WHERE id BETWEEN ?2 AND ?3"
    " AND kernel_class('timeline', category_id, name_id) = 'communication') "
    "SELECT id FROM work UNION ALL SELECT call_id FROM work UNION ALL SELECT cpu_op_id FROM work "
    "UNION ALL SELECT launcher_id FROM work "
    "UNION ALL SELECT id FROM step_mark WHERE trace_id = ?1";

bool export_keep_communication(struct export *self)
{
    bool done = true;
    for (size_t i = 0; i < self->traces.count && done; i++) {
        struct ranges kept = {0};
        const struct export_trace *trace = &self->traces.items[i];
        const struct ranges *events = &trace->events;
        sqlite3_stmt *rows = warehouse_prepare(self->warehouse, rows_of_communication, self->error);
        done = rows != NULL;
        if (done && events->count) {
            sqlite3_bind_int64(rows, 1, trace->id);
            sqlite3_bind_int64(rows, 2, events->items[0].first);
            sqlite3_bind_int64(rows, 3, events->items[events->count - 1].last);
        }
        while (warehouse_next(self->warehouse, rows, &done, self->error)) {
            int64_t id = sqlite3_column_int64(rows, 0);
            if (sqlite3_column_type(rows, 0) != SQLITE_NULL)
                ranges_add(&kept, id, id);
        }
        database_finalize(rows);
        ranges_settle(&kept);
        if (done)
            ranges_intersect(&self->traces.items[i].events, &kept);
    }
    return done;
}
