/* replay_output: the times that the benchmarks of libraries print, each in its own form. */
#include "query/replay/replay_call_maker.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct view line_at(const char *at)
{
    return (struct view){at, strcspn(at, "\n")};
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

/* The n-th field between commas, from 0, without blanks around it. */
static struct view field_at(struct view line, size_t n)
{
    size_t at = 0;
    for (; n && at < line.length; at++)
        n -= line.bytes[at] == ',';
    if (n)
        return (struct view){"", 0};
    size_t end = at;
    while (end < line.length && line.bytes[end] != ',')
        end++;
    while (at < end && isspace((unsigned char)line.bytes[at]))
        at++;
    while (end > at && isspace((unsigned char)line.bytes[end - 1]))
        end--;
    return (struct view){line.bytes + at, end - at};
}

static size_t field_named(struct view line, const char *name)
{
    size_t commas = 0;
    for (size_t i = 0; i < line.length; i++)
        commas += line.bytes[i] == ',';
    for (size_t n = 0; n <= commas; n++)
        if (view_equal(field_at(line, n), view_of(name)))
            return n;
    return SIZE_MAX;
}

static double positive(struct view field, double factor)
{
    char digits[64], *end;
    snprintf(digits, sizeof digits, "%.*s", (int)(field.length < 63 ? field.length : 63),
             field.bytes);
    double value = strtod(digits, &end);
    return *digits && !*end && isfinite(value) && value > 0 ? value * factor : -1;
}

/* A table: a heading with the column, and the line behind it. */
static double read_table(const char *output, const char *column, double factor)
{
    for (const char *at = output; *at; at = next_line(at)) {
        struct view head = line_at(at), values = line_at(next_line(at));
        size_t place = field_named(head, column);
        if (place == SIZE_MAX || place == 0)
            continue;
        double time = positive(field_at(values, place), factor);
        if (time > 0)
            return time;
    }
    return -1;
}

double replay_read_hipblaslt(const char *output)
{
    return read_table(output, "us", 1);
}

/* The least time of a table with a line for each kernel that was tried. */
double replay_read_cutlass(const char *output)
{
    double least = -1;
    size_t place = SIZE_MAX;
    for (const char *at = output; *at; at = next_line(at)) {
        struct view line = line_at(at);
        size_t here = field_named(line, "Runtime");
        if (here != SIZE_MAX) {
            place = here;
            continue;
        }
        double time = place == SIZE_MAX ? -1 : positive(field_at(line, place), 1000);
        if (time > 0 && (least < 0 || time < least))
            least = time;
    }
    return least;
}

double replay_read_miopen(const char *output)
{
    static const char mark[] = "stats:", average[] = " ms (average)";
    size_t place = SIZE_MAX;
    for (const char *at = output; *at; at = next_line(at)) {
        struct view line = line_at(at);
        if (strncmp(at, mark, strlen(mark)) != 0)
            continue;
        struct view rest = {line.bytes + strlen(mark), line.length - strlen(mark)};
        double time = place == SIZE_MAX ? -1 : positive(field_at(rest, place), 1000);
        if (time > 0)
            return time;
        place = field_named(rest, "timeMs");
    }
    const char *at = strstr(output, "GPU Kernel Time");
    const char *elapsed = at ? strstr(at, "Elapsed:") : NULL;
    if (!elapsed)
        return -1;
    elapsed += strlen("Elapsed:");
    elapsed += strspn(elapsed, " ");
    const char *end = strstr(elapsed, average);
    return end && end < next_line(elapsed)
               ? positive((struct view){elapsed, (size_t)(end - elapsed)}, 1000)
               : -1;
}

/* "... time ... 12.5 us", or ms. */
double replay_read_printed(const char *output)
{
    for (const char *at = output; (at = strstr(at, "time")); at++) {
        struct view line = line_at(at);
        for (size_t i = 0; i < line.length; i++) {
            if (!isdigit((unsigned char)at[i]))
                continue;
            char *end;
            double value = strtod(at + i, &end);
            end += strspn(end, " ");
            double factor = strncmp(end, "us", 2) == 0 ? 1 : strncmp(end, "ms", 2) == 0 ? 1000 : 0;
            if (factor > 0 && value > 0)
                return value * factor;
            i += strspn(at + i, "0123456789.");
        }
    }
    return -1;
}
