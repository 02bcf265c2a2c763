/* chart: what a report declares as the picture of its sheet, read once for workbooks and pages.
 *
 *     chart: bar CATEGORY VALUE
 *
 * The first word is its kind, the others are names of columns: their places say what for. */
#pragma once

#include "query/sink/sheet.h"

#include <stddef.h>

enum chart_kind {
    CHART_NONE, /* nothing is declared, or a kind that is not known */
    CHART_BAR,
    CHART_COLUMN,
    CHART_PIE,
    CHART_LINE,
    CHART_STACK,    /* keys, values, categories, and what parts bars */
    CHART_ROOFLINE, /* series, x, y, ceiling */
    CHART_HEAT,     /* x, y, values */
    CHART_AREA,     /* x, layers */
};

enum { CHART_COLUMNS_MAX = 12 };

struct chart {
    enum chart_kind kind;
    struct view names[CHART_COLUMNS_MAX];
    size_t columns[CHART_COLUMNS_MAX]; /* SIZE_MAX = the sheet has none of that name, or none is
                                          named */
    size_t count;                      /* of names */
};

struct chart chart_read(const struct sheet *sheet);

/* The word of a kind; "" for none. */
const char *chart_word(enum chart_kind kind);

/* Where a category stands, from below; those without a place of their own come last. */
size_t stack_rank(const char *category);

/* The colour of the n-th part of a category, from 0, as #rrggbb. Without a category, the n-th
 * neutral colour. */
const char *stack_colour(const char *category, size_t nth);
