/* reference_time: times as the reference tools have them, for the option compat.
 *
 * They keep microseconds of the file's clock as floating-point numbers. Whoever reads accelerator
 * work turns its times into such numbers here, in parts of a microsecond that hold them exactly.
 */
#pragma once

#include "sql/sqlite.h"

#include <stdbool.h>
#include <stdint.h>

/* Microseconds as the reference tools have them. */
double reference_time(int64_t nanoseconds);

/* Start and duration as the option compat has them, and parts of a microsecond in which they then
 * are. */
void reference_time_make(int64_t clock_start, int64_t *start, int64_t *duration);
double reference_time_parts(bool compat);

/* A duration as SQL sees it: nanoseconds. */
void reference_time_put(bool compat, sqlite3_context *out, int64_t time);
