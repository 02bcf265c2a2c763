/* sheet_parts: columns and cells of the sheets that comparisons make of their findings. */
#pragma once

#include "query/sink/sheet.h"
#include "sql/docs.h"

#include <math.h>
#include <string.h>

/* A column: its name, unit, place where there is little room, and words; what it leaves out may
 * stand behind these. */
#define TEXT_COLUMN(title, of, importance, ...)                                                  \
    {                                                                                            \
        .name = title, .heading = title, .unit = of, .place = importance, .meaning = __VA_ARGS__ \
    }
#define NUMBER_COLUMN(title, of, importance, ...)                                            \
    {                                                                                        \
        .name = title, .heading = title, .unit = of, .place = importance, .is_number = true, \
        .meaning = __VA_ARGS__                                                               \
    }

/* Without a text a cell is empty. */
static inline struct cell text_cell(const char *text)
{
    return text ? (struct cell){.type = CELL_TEXT, .text = view_of(text)}
                : (struct cell){.type = CELL_NULL};
}

static inline struct cell real_cell(double value)
{
    return isnan(value) ? (struct cell){.type = CELL_NULL}
                        : (struct cell){.type = CELL_REAL, .real = value};
}

static inline struct cell count_cell(size_t count)
{
    return (struct cell){.type = CELL_INTEGER, .integer = (int64_t)count};
}

/* The direction in which values of a column are better. */
static inline enum polarity polarity_of(const struct doc_column *metric)
{
    const char *polarity = metric ? metric->polarity : "";
    return strcmp(polarity, "lower") == 0    ? POLARITY_LOWER
           : strcmp(polarity, "higher") == 0 ? POLARITY_HIGHER
                                             : POLARITY_NONE;
}
