/* heading: see heading.h. */
#include "query/sink/heading.h"

#include "src/base/visible.h"

#include <string.h>

enum { HEAD_LINES_MAX = 4 };

static size_t larger(size_t left, size_t right)
{
    return left > right ? left : right;
}

const char *heading_unit(const struct column *column)
{
    bool named = strstr(column->heading, column->unit) || strstr(column->heading, "µs") ||
                 strstr(column->heading, "μs"); /* the sign, and the letter */
    return named ? "" : column->unit;
}

struct view heading_next_line(const char **at, size_t width)
{
    const char *start = *at, *end = start;
    for (;;) {
        const char *word = end + strspn(end, "_ ");
        word += strcspn(word, "_ ");
        const char *after = word + (*word == '_');
        if (end != start && visible_width((struct view){start, (size_t)(after - start)}) > width)
            break;
        end = after;
        if (!*end)
            break;
    }
    *at = end + strspn(end, " ");
    size_t length = (size_t)(end - start);
    while (length && start[length - 1] == ' ')
        length--;
    return (struct view){start, length};
}

size_t heading_width(const char *heading, size_t least)
{
    for (size_t width = larger(least, 1);; width++) {
        size_t lines = 0, widest = 0;
        for (const char *at = heading; *at; lines++)
            widest = larger(widest, visible_width(heading_next_line(&at, width)));
        if (lines < HEAD_LINES_MAX)
            return larger(widest, least);
    }
}

size_t heading_lines(const char *heading, size_t width)
{
    size_t lines = 0;
    for (const char *at = heading; *at; lines++)
        heading_next_line(&at, width);
    return lines;
}
