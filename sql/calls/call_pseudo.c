/* call_pseudo: the pseudo ops of extension files (sql/overlay), as calls of a trace.
 *
 * A pseudo op is a range of ids, so that it has the work there like any op.
 */
#include "sql/calls/call_reading.h"
#include "sql/database.h"

enum {
    OP_ID,
    OP_LAST,
    OP_NAME,
    OP_SIGNATURE,
    OP_UID,
    OP_TRACK,
    OP_DUR,
    OP_ARGS,
    OP_NUMBER,
    OP_WRAP,
    OP_START,
};

/* The host's side of one is that of the event that it was put around; what is around a launch only
 * has none. */
static const char pseudo_sql[] =
    "SELECT pseudo.first_id, pseudo.last_id, pseudo.name_id, pseudo.op_id, target.uid, "
    "target.track_id, CASE place WHEN 'inject' THEN -1 ELSE target.dur_ns END, pseudo.args_id, "
    "pseudo.id, pseudo.place = 'wrap', target.ts_ns "
    "FROM pseudo_event AS pseudo JOIN event AS target "
    "ON target.id = pseudo.first_id - (pseudo.place = 'wrap') "
    "WHERE pseudo.first_id BETWEEN ?1 AND ?2 ORDER BY pseudo.first_id, pseudo.id";

int call_has_pseudo(sqlite3 *db, bool *has_pseudo)
{
    int64_t count = 0;
    int result = database_ask(
        db, "SELECT count(*) FROM temp.sqlite_schema WHERE name = 'pseudo_event'", 0, &count);
    *has_pseudo = count > 0;
    return result;
}

/* Whether it is the nearest op of some work: then it launches like one. */
static bool is_nearest(const struct call_reading *self, int64_t first, int64_t last)
{
    const struct call_trace *trace = self->trace;
    const struct call_kernel *kernels = self->rows->kernels.items + trace->first_kernel;
    for (size_t i = call_reading_first_kernel(self, first); i < trace->kernel_count; i++) {
        if (kernels[i].id > last)
            break;
        if (kernels[i].op < first)
            return true;
    }
    return false;
}

int call_read_pseudo(struct call_reading *self, int64_t first, int64_t last, int8_t recompute)
{
    struct call_rows *rows = self->rows;
    sqlite3_stmt *from = NULL;
    int result = database_prepare(self->db, pseudo_sql, &from, NULL);
    sqlite3_bind_int64(from, 1, first);
    sqlite3_bind_int64(from, 2, last);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        struct call call = {
            .id = sqlite3_column_int64(from, OP_ID),
            .last = sqlite3_column_int64(from, OP_LAST),
            .uid = sqlite3_column_int64(from, OP_UID),
            .name = sqlite3_column_int64(from, OP_NAME),
            .op = sqlite3_column_int64(from, OP_SIGNATURE),
            .track = sqlite3_column_int64(from, OP_TRACK),
            .args = sqlite3_column_int64(from, OP_ARGS),
            .start = sqlite3_column_int64(from, OP_START),
            .host_ns = sqlite3_column_int64(from, OP_DUR),
            .trace = (uint32_t)(rows->traces.count - 1),
            .recompute = recompute,
            .pseudo = (uint32_t)sqlite3_column_int64(from, OP_NUMBER),
            .is_wrap = sqlite3_column_int(from, OP_WRAP) != 0,
        };
        result = call_reading_model(self, call.name, &call.model);
        call.is_leaf = is_nearest(self, call.id, call.last);
        if (result != SQLITE_OK || (!call.model && !call.is_leaf))
            continue;
        struct call *added = array_push(&rows->calls);
        if (!added)
            result = SQLITE_NOMEM;
        else
            *added = call;
    }
    return database_end(from, result);
}
