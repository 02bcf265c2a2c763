/* communication: see communication.h. */
#include "query/export/communication.h"

/* An event a row: the work, who launched it, the steps. */
static const char kept_rows[] =
    "WITH work AS MATERIALIZED (SELECT id, call_id, cpu_op_id, launcher_id FROM gpu_event"
    " WHERE id BETWEEN ?2 AND ?3"
    " AND kernel_class('timeline', category_id, name_id) = 'communication') "
    "SELECT id FROM work UNION ALL SELECT call_id FROM work UNION ALL SELECT cpu_op_id FROM work "
    "UNION ALL SELECT launcher_id FROM work "
    "UNION ALL SELECT id FROM step_mark WHERE trace_id = ?1";

static bool read_kept(struct export *self, const struct export_trace *trace, struct ranges *kept)
{
    const struct ranges *events = &trace->events;
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, kept_rows, self->error);
    bool done = rows != NULL;
    if (done && events->count) {
        sqlite3_bind_int64(rows, 1, trace->id);
        sqlite3_bind_int64(rows, 2, events->items[0].first);
        sqlite3_bind_int64(rows, 3, events->items[events->count - 1].last);
    }
    while (done && warehouse_next(self->warehouse, rows, &done, self->error)) {
        int64_t id = sqlite3_column_int64(rows, 0);
        if (sqlite3_column_type(rows, 0) != SQLITE_NULL)
            done = ranges_add(kept, id, id) || error_memory(self->error);
    }
    sqlite3_finalize(rows);
    ranges_settle(kept);
    return done;
}

bool communication_keep(struct export *self)
{
    bool done = true;
    for (size_t i = 0; i < self->traces.count && done; i++) {
        struct ranges kept = {0};
        done =
            read_kept(self, &self->traces.items[i], &kept) &&
            (ranges_intersect(&self->traces.items[i].events, &kept) || error_memory(self->error));
        array_free(&kept);
    }
    return done;
}
