/* deviation: a branch where --compat differs, with the name of what differs.
 *
 * Every branch on --compat names its row of the catalogue's table `deviation`, in C by
 * like_reference, in SQL by tpq_like_reference; a name that ends in ':' stands for all rows that
 * begin so and are carried out by rows of other tables. tests/unit/test_deviations.py holds names
 * and rows against each other.
 */
#pragma once

#include <stdbool.h>

/* Gives `compat`: whether the option is on. */
static inline bool like_reference(bool compat, const char *deviation)
{
    (void)deviation;
    return compat;
}
