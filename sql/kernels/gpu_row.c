/* gpu_row: One statement reads ranges of ids, as the view linked_work has its launches. */
#include "sql/kernels/gpu_row.h"

#include "sql/database.h"
#include "src/base/deviation.h"
#include "src/base/number.h"

#include <math.h>
#include <stddef.h>

/* The reference tools keep microseconds of the file's clock as floating-point numbers, and take
 * durations from their ends. Compatible times are the same numbers, in parts of a microsecond that
 * hold them exactly where the clock is that of a machine, and to 15 fs where it begins near 0. */
static const double compatible_parts = 1 << 26;

double reference_time(int64_t nanoseconds)
{
    return (double)((long double)nanoseconds / 1000);
}

/* Bounds that no sound trace comes near keep differences inside an integer. */
static int64_t parts_of(double microseconds)
{
    static const double most = (double)((int64_t)1 << 61);
    double parts = microseconds * compatible_parts;
    return llrint(parts < -most ? -most : parts > most ? most : parts);
}

void reference_time_make(int64_t clock_start, int64_t *start, int64_t *duration)
{
    double base = reference_time(clock_start);
    double from = reference_time(number_sum(clock_start, *start));
    double end = from + reference_time(*duration);
    *start = parts_of(from - base);
    *duration = parts_of(end - base) - *start;
}

double reference_time_parts(bool compat)
{
    return like_reference(compat, "times: fractions of a microsecond") ? compatible_parts : 1000;
}

void reference_time_put(bool compat, sqlite3_context *out, int64_t time)
{
    if (like_reference(compat, "times: fractions of a microsecond"))
        sqlite3_result_double(out, (double)time * 1000 / compatible_parts);
    else
        sqlite3_result_int64(out, time);
}

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

/* As the view linked_work has it. */
static const char seen_call[] = "CASE WHEN coalesce(link_id, 0) NOT IN (SELECT launch_kind.id FROM "
                                "launch_kind WHERE is_newer) THEN call_id END";

enum { TIMES_ID, TIMES_NAME, TIMES_TS, TIMES_DUR, TIMES_CPU_OP, TIMES_LAUNCHER, TIMES_COUNT };
_Static_assert((int)TIMES_COUNT == (int)GPU_ROW_MORE_OF_TIMES, "the same of times");

static int prepare(sqlite3 *db, bool compat, enum gpu_rows which, const char *columns,
                   const char *more, sqlite3_stmt **from)
{
    static const char *const conditions[] = {[GPU_ROWS_ALL] = "",
                                             [GPU_ROWS_LINKED] = " AND %s IS NOT NULL",
                                             [GPU_ROWS_UNLINKED] = " AND %s IS NULL"};
    bool is_narrow = like_reference(compat, "launchers: links without an arrow");
    const char *call = is_narrow ? seen_call : "call_id";
    char *condition = database_format(conditions[which], call);
    char *before = database_format(columns, call);
    char *sql = database_format("SELECT %s%s FROM gpu_event WHERE id BETWEEN ?1 AND ?2%s", before,
                                more, condition);
    int result = database_prepare(db, sql, from, NULL);
    memory_free(sql);
    memory_free(before);
    memory_free(condition);
    return result;
}

int gpu_row_prepare(sqlite3 *db, bool compat, enum gpu_rows which, const char *more,
                    sqlite3_stmt **from)
{
    return prepare(db, compat, which,
                   "id, uid, category_id, name_id, stream, ts_ns, dur_ns, %s, cpu_op_id, "
                   "launcher_id, launcher_name_id, launcher_op_id, launcher_track_id, "
                   "launcher_ts_ns, launcher_below, nested_call",
                   more, from);
}

int gpu_row_prepare_times(sqlite3 *db, bool compat, const char *more, sqlite3_stmt **from)
{
    return prepare(db, compat, GPU_ROWS_LINKED,
                   "id, name_id, ts_ns, dur_ns, cpu_op_id, launcher_id", more, from);
}

void gpu_row_range(sqlite3_stmt *from, int64_t first, int64_t last)
{
    sqlite3_reset(from);
    sqlite3_bind_int64(from, 1, first);
    sqlite3_bind_int64(from, 2, last);
}

void gpu_row_read(sqlite3_stmt *from, bool compat, int64_t clock_start, struct gpu_row *row)
{
    *row = (struct gpu_row){
        .id = sqlite3_column_int64(from, READ_ID),
        .uid = sqlite3_column_int64(from, READ_UID),
        .category = sqlite3_column_int64(from, READ_CATEGORY),
        .name = sqlite3_column_int64(from, READ_NAME),
        .stream = database_integer(from, READ_STREAM, INT64_MIN),
        .start = sqlite3_column_int64(from, READ_TS),
        .duration = sqlite3_column_int64(from, READ_DUR),
        .stated = sqlite3_column_int64(from, READ_DUR),
    };
    if (sqlite3_column_type(from, READ_CALL) != SQLITE_NULL) {
        row->call = sqlite3_column_int64(from, READ_CALL);
        row->cpu_op = sqlite3_column_int64(from, READ_CPU_OP);
        row->launcher = sqlite3_column_int64(from, READ_LAUNCHER);
        row->launcher_name = sqlite3_column_int64(from, READ_LAUNCHER_NAME);
        row->launcher_op = sqlite3_column_int64(from, READ_LAUNCHER_OP);
        row->launcher_track = sqlite3_column_int64(from, READ_LAUNCHER_TRACK);
        row->launcher_start = sqlite3_column_int64(from, READ_LAUNCHER_TS);
        row->launcher_below = sqlite3_column_int64(from, READ_LAUNCHER_BELOW);
        row->is_nested = sqlite3_column_int(from, READ_NESTED) != 0;
    }
    if (like_reference(compat, "times: fractions of a microsecond"))
        reference_time_make(clock_start, &row->start, &row->duration);
}

void gpu_row_read_times(sqlite3_stmt *from, bool compat, int64_t clock_start, struct gpu_row *row)
{
    *row = (struct gpu_row){
        .id = sqlite3_column_int64(from, TIMES_ID),
        .name = sqlite3_column_int64(from, TIMES_NAME),
        .start = sqlite3_column_int64(from, TIMES_TS),
        .duration = sqlite3_column_int64(from, TIMES_DUR),
        .cpu_op = sqlite3_column_int64(from, TIMES_CPU_OP),
        .launcher = sqlite3_column_int64(from, TIMES_LAUNCHER),
    };
    if (like_reference(compat, "times: fractions of a microsecond"))
        reference_time_make(clock_start, &row->start, &row->duration);
}
