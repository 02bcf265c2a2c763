/* array: growable arrays of any type, the one kind that the program uses.
 *
 *     ARRAY(struct point) points = {0};
 *     struct point *point = array_push(&points);
 *     for (size_t i = 0; i < points.count; i++) use(&points.items[i]);
 *     array_free(&points);
 */
#pragma once

#include "src/base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define ARRAY(type)         \
    struct {                \
        type *items;        \
        size_t count, room; \
    }

/* Makes room for `more` items beyond `count`. */
#define array_reserve(self, more)                                                           \
    ((self)->room - (self)->count >= (size_t)(more)                                         \
         ? (void)0                                                                          \
         : array_grow(&(self)->items, sizeof *(self)->items, (self)->count, (size_t)(more), \
                      &(self)->room))

/* Appends one item, not initialised, and gives its address. */
#define array_push(self) (array_reserve(self, 1), &(self)->items[(self)->count++])

/* Puts the items in an order that src/base/order.h defines; mostly they are. */
#define array_sort(self, compare) \
    array_put_in_order((self)->items, (self)->count, sizeof *(self)->items, compare)

/* Appends an item of that value, which may name no place of the list's own. */
#define array_add(self, ...)                                                       \
    (array_reserve(self, 1), (void)((self)->items[(self)->count] = (__VA_ARGS__)), \
     (void)++(self)->count)

#define array_free(self) \
    (memory_free((self)->items), (self)->items = NULL, (self)->count = 0, (self)->room = 0)

/* Frees several arrays, of any types: their addresses. */
#define arrays_free(...) \
    arrays_free_each((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* Puts the first place from 0 to `size` into the variable `place` for which `is_below`, an
 * expression about `place`, is false; it must not become true again behind it:
 *
 *     ARRAY_LOWER_BOUND(i, points.count, points.items[i].x < x);
 */
#define ARRAY_LOWER_BOUND(place, size, is_below) \
    do {                                         \
        size_t low_ = 0, high_ = (size);         \
        while (low_ < high_) {                   \
            (place) = low_ + (high_ - low_) / 2; \
            if (is_below)                        \
                low_ = (place) + 1;              \
            else                                 \
                high_ = (place);                 \
        }                                        \
        (place) = low_;                          \
    } while (0)

/* `items` is the address of the pointer to the items. Used through array_reserve. */
void array_grow(void *items, size_t size, size_t count, size_t more, size_t *room);

/* Used through arrays_free. */
void arrays_free_each(void *const *arrays, size_t count);

/* Used through array_sort, and for a part of a list. */
void array_put_in_order(void *items, size_t count, size_t size,
                        int (*compare)(const void *, const void *));
