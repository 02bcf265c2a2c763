/* heading: the words above a column of a table for people: broken into few lines, and the unit
 * where they do not name it. */
#pragma once

#include "query/sink/sheet.h"

/* The unit, where the heading does not name it already; else empty. */
const char *heading_unit(const struct column *column);

/* Takes the part of a heading that belongs in one line: whole words, as many as fit. */
struct view heading_next_line(const char **at, size_t width);

/* The width that a heading needs to stand in few lines. */
size_t heading_width(const char *heading, size_t least);

size_t heading_lines(const char *heading, size_t width);
