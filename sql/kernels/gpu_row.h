/* gpu_row: one GPU activity, as a row of gpu_event.
 *
 * All tables in C that are made of work read it here: with what launched it, as the option compat
 * has it (the view linked_work), and with times as that option has them. Reading is by ranges of
 * ids:
 *
 *     result = gpu_row_prepare(db, compat, GPU_ROWS_LINKED, "", &from);
 *     gpu_row_range(from, first, last);
 *     while ((result = sqlite3_step(from)) == SQLITE_ROW)
 *         gpu_row_read(from, compat, clock_start, &row);
 */
#pragma once

#include "sql/sqlite.h"

#include <stdbool.h>
#include <stdint.h>

/* reference_time: times as the reference tools have them, for the option compat.
 *
 * They keep microseconds of the file's clock as floating-point numbers. Whoever reads accelerator
 * work turns its times into such numbers here, in parts of a microsecond that hold them exactly. */

/* Microseconds as the reference tools have them. */
double reference_time(int64_t nanoseconds);

/* Start and duration as the option compat has them, and parts of a microsecond in which they then
 * are. */
void reference_time_make(int64_t clock_start, int64_t *start, int64_t *duration);
double reference_time_parts(bool compat);

/* A duration as SQL sees it: nanoseconds. */
void reference_time_put(bool compat, sqlite3_context *out, int64_t time);

struct gpu_row {
    int64_t id, uid, category, name;
    int64_t stream;                  /* INT64_MIN = not given */
    int64_t start, duration, stated; /* `stated` is the duration as the trace has it */
    int64_t call, cpu_op, launcher;  /* 0 = none, like the rest */
    int64_t launcher_name, launcher_op, launcher_track, launcher_start, launcher_below;
    bool is_nested;
};

enum gpu_rows { GPU_ROWS_ALL, GPU_ROWS_LINKED, GPU_ROWS_UNLINKED };

/* The column of what `more` asks for, SQL that begins with a comma, or nothing. */
enum { GPU_ROW_MORE = 16, GPU_ROW_MORE_OF_TIMES = 6 };

int gpu_row_prepare(sqlite3 *db, bool compat, enum gpu_rows which, const char *more,
                    sqlite3_stmt **from);

/* Linked work, of which only id, name, times, op and launcher are read. */
int gpu_row_prepare_times(sqlite3 *db, bool compat, const char *more, sqlite3_stmt **from);

/* Starts anew, with the work of these ids. */
void gpu_row_range(sqlite3_stmt *from, int64_t first, int64_t last);

/* Whether work recomputes: where it was launched says so. -1 = not asked. */
static inline int8_t gpu_row_recompute(const struct gpu_row *row, int8_t of_range)
{
    return row->call || of_range < 0 ? of_range : 0;
}

/* With compat, times are those of reference_time, on a clock that starts there. */
void gpu_row_read(sqlite3_stmt *from, bool compat, int64_t clock_start, struct gpu_row *row);
void gpu_row_read_times(sqlite3_stmt *from, bool compat, int64_t clock_start, struct gpu_row *row);
