/* reference_time: see reference_time.h. */
#include "sql/kernels/reference_time.h"
#include "src/base/deviation.h"
#include "src/base/number.h"

#include <math.h>

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
