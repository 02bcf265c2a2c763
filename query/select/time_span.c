/* time_span: see time_span.h. */
#include "query/select/time_span.h"

#include <string.h>

/* No trace lasts as long. */
#define TIME_MAX ((int64_t)1 << 61)

/* The longest first, as s is the end of all of them. */
static const struct {
    const char *name;
    int64_t nanoseconds;
} units[] = {{"ns", 1},       {"us", 1000},      {"\xC2\xB5s", 1000}, {"\xCE\xBCs", 1000},
             {"ms", 1000000}, {"s", 1000000000}, {"", 1000000}};

static int64_t read_unit(const char **at)
{
    size_t i = 0;
    while (strncmp(*at, units[i].name, strlen(units[i].name)) != 0)
        i++;
    *at += strlen(units[i].name);
    return units[i].nanoseconds;
}

static bool add_whole(const char *digits, size_t count, int64_t unit, int64_t *time)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digits[i] - '0', &value))
            return false;
    return !__builtin_mul_overflow(value, unit, &value) &&
           !__builtin_add_overflow(*time, value, time);
}

/* Digits below a nanosecond are cut off. */
static bool add_decimals(const char *digits, size_t count, int64_t unit, int64_t *time)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value += (digits[i] - '0') * (unit /= 10);
    return !__builtin_add_overflow(*time, value, time);
}

/* A number with a unit. */
static bool read_time(const char **at, int64_t *time)
{
    const char *whole = *at, *part = "";
    size_t digits = strspn(whole, "0123456789"), decimals = 0;
    *at += digits;
    if (**at == '.') {
        part = ++*at;
        decimals = strspn(part, "0123456789");
        *at += decimals;
    }
    int64_t unit = read_unit(at);
    *time = 0;
    return digits + decimals > 0 && add_whole(whole, digits, unit, time) &&
           add_decimals(part, decimals, unit, time);
}

bool time_span_read(const char *text, struct range *span)
{
    *span = (struct range){-TIME_MAX, TIME_MAX};
    bool has_first = *text != '-';
    if (has_first && !read_time(&text, &span->first))
        return false;
    if (*text++ != '-' || (!has_first && !*text))
        return false;
    if (*text && !read_time(&text, &span->last))
        return false;
    if (span->last != TIME_MAX)
        span->last--;
    return !*text && span->first <= span->last && span->last <= TIME_MAX;
}
