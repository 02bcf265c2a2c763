/* export: see export.h. */
#include "query/export/export.h"

static bool add_trace(struct export *self, int64_t id)
{
    if (self->traces.count && self->traces.items[self->traces.count - 1].id == id)
        return true;
    return array_add(&self->traces, (struct export_trace){.id = id});
}

bool export_open(struct export *self)
{
    sqlite3_stmt *rows = warehouse_prepare(
        self->warehouse,
        "SELECT trace_id, first_event, last_event FROM scope ORDER BY trace_id, first_event",
        self->error);
    bool done = rows != NULL;
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        done = add_trace(self, sqlite3_column_int64(rows, 0)) &&
               ranges_add(&self->traces.items[self->traces.count - 1].events,
                          sqlite3_column_int64(rows, 1), sqlite3_column_int64(rows, 2));
        if (!done)
            error_memory(self->error);
    }
    sqlite3_finalize(rows);
    return done;
}

void export_close(struct export *self)
{
    for (size_t i = 0; i < self->traces.count; i++)
        array_free(&self->traces.items[i].events);
    array_free(&self->traces);
}
