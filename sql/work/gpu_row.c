/* gpu_row: see gpu_row.h. */
#include "sql/work/gpu_row.h"

#include "sql/work/reference_time.h"
#include "src/base/deviation.h"

#include <stddef.h>

SQLITE_EXTENSION_INIT3

enum {
    READ_ID,
    READ_UID,
    READ_CATEGORY,
    READ_NAME,
    READ_STREAM,
    READ_TS,
    READ_DUR,
    READ_CALL,
    READ_CPU_OP,
    READ_LAUNCHER,
    READ_LAUNCHER_NAME,
    READ_LAUNCHER_OP,
    READ_LAUNCHER_TRACK,
    READ_LAUNCHER_TS,
    READ_LAUNCHER_BELOW,
    READ_NESTED,
    READ_COUNT,
};
_Static_assert((int)READ_COUNT == (int)GPU_ROW_MORE, "what is asked for stands behind the rest");

int gpu_row_prepare(sqlite3 *db, bool compat, enum gpu_rows which, const char *more,
                    sqlite3_stmt **from)
{
    static const char *const conditions[] = {[GPU_ROWS_ALL] = "",
                                             [GPU_ROWS_LINKED] = " AND call_id IS NOT NULL",
                                             [GPU_ROWS_UNLINKED] = " AND call_id IS NULL"};
    bool is_narrow = like_reference(compat, "launchers: links without an arrow");
    char *sql = sqlite3_mprintf(
        "SELECT id, uid, category_id, name_id, stream, ts_ns, dur_ns, call_id, cpu_op_id, "
        "launcher_id, launcher_name_id, launcher_op_id, launcher_track_id, launcher_ts_ns, "
        "launcher_below, nested_call%s FROM %s WHERE id BETWEEN ?1 AND ?2%s",
        more, is_narrow ? "linked_work" : "gpu_event", conditions[which]);
    int result = sql ? sqlite3_prepare_v2(db, sql, -1, from, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return result;
}

void gpu_row_range(sqlite3_stmt *from, int64_t first, int64_t last)
{
    sqlite3_reset(from);
    sqlite3_bind_int64(from, 1, first);
    sqlite3_bind_int64(from, 2, last);
}

void gpu_row_read(sqlite3_stmt *from, bool compat, int64_t clock_start, struct gpu_row *row)
{
    bool has_stream = sqlite3_column_type(from, READ_STREAM) != SQLITE_NULL;
    *row = (struct gpu_row){
        .id = sqlite3_column_int64(from, READ_ID),
        .uid = sqlite3_column_int64(from, READ_UID),
        .category = sqlite3_column_int64(from, READ_CATEGORY),
        .name = sqlite3_column_int64(from, READ_NAME),
        .stream = has_stream ? sqlite3_column_int64(from, READ_STREAM) : INT64_MIN,
        .start = sqlite3_column_int64(from, READ_TS),
        .duration = sqlite3_column_int64(from, READ_DUR),
        .stated = sqlite3_column_int64(from, READ_DUR),
        .call = sqlite3_column_int64(from, READ_CALL),
        .cpu_op = sqlite3_column_int64(from, READ_CPU_OP),
        .launcher = sqlite3_column_int64(from, READ_LAUNCHER),
        .launcher_name = sqlite3_column_int64(from, READ_LAUNCHER_NAME),
        .launcher_op = sqlite3_column_int64(from, READ_LAUNCHER_OP),
        .launcher_track = sqlite3_column_int64(from, READ_LAUNCHER_TRACK),
        .launcher_start = sqlite3_column_int64(from, READ_LAUNCHER_TS),
        .launcher_below = sqlite3_column_int64(from, READ_LAUNCHER_BELOW),
        .is_nested = sqlite3_column_int(from, READ_NESTED) != 0,
    };
    if (like_reference(compat, "times: fractions of a microsecond"))
        reference_time_make(clock_start, &row->start, &row->duration);
}
