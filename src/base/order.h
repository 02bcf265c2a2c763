/* order: an order of items for qsort and bsearch, as a list of what it goes by.
 *
 *     ORDER_BY(compare_rows, struct row, UP(trace) || DOWN(start) || WORDS(name));
 *
 * defines `static int compare_rows(const void *, const void *)`: the first key in which two rows
 * differ decides. Other keys say what they compare of the two items, `a` and `b`.
 */
#pragma once

#include <string.h>

#define ORDER_BY(name, type, keys)                         \
    static int name(const void *left_, const void *right_) \
    {                                                      \
        type const *a = left_;                             \
        type const *b = right_;                            \
        int order_ = 0;                                    \
        (void)(keys);                                      \
        return order_;                                     \
    }                                                      \
    static int name(const void *left_, const void *right_)

#define BY(order)           ((order_ = (order)) != 0)
#define BY_LESS(one, other) BY(((one) > (other)) - ((one) < (other)))
#define UP(member)          BY_LESS(a->member, b->member)
#define DOWN(member)        BY_LESS(b->member, a->member)
#define WORDS(member)       BY(strcmp(a->member, b->member))
