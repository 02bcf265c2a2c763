/* stack_colours: colours of the parts of a stacked chart: each category has its own, from dark to
 * light. */
#pragma once

#include <stddef.h>

/* Where a category stands, from below; those without a place of their own come last. */
size_t stack_rank(const char *category);

/* The colour of the n-th part of a category, from 0, as #rrggbb. Without a category, the n-th of
 * those that mean nothing. */
const char *stack_colour(const char *category, size_t nth);
