/* interval: sets of time intervals and what they cover.
 *
 * An interval is half-open in effect: touching intervals merge, and an empty one covers nothing.
 * Plain C; bind_interval.c makes SQL aggregates of it.
 */
#pragma once

#include "src/base/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* end_tree: of things in the order of their starts the last one up to a place that ends after a
 * time.
 *
 *     struct end_tree tree = {0};
 *     end_tree_reserve(&tree, count);
 *     end_tree_set(&tree, i, end)              for each of them
 *     end_tree_settle(&tree);
 *     end_tree_last(&tree, place, time)        END_TREE_NONE when none does
 *
 * A search takes the logarithm of their number, however deep they nest. Plain C. */

#define END_TREE_NONE SIZE_MAX

/* Node i has the latest end below it, its children are 2 i and 2 i + 1, `width` is that of item 0.
 */
struct end_tree {
    int64_t *latest; /* NULL: there is none yet */
    size_t width;
};

/* Room for so many, without ends yet. */
void end_tree_reserve(struct end_tree *self, size_t count);
void end_tree_set(struct end_tree *self, size_t place, int64_t end);
void end_tree_settle(struct end_tree *self);

size_t end_tree_last(const struct end_tree *self, size_t place, int64_t time);

void end_tree_free(struct end_tree *self);

struct interval {
    int64_t start, end;
};

struct interval_set {
    ARRAY(struct interval) list; /* after interval_settle: sorted, apart from each other */
    bool unsettled;
};

/* Adds [start, end). */
void interval_add(struct interval_set *self, int64_t start, int64_t end);

/* Sorts and merges; the other functions expect it. */
void interval_settle(struct interval_set *self);

/* Adds what another set covers. It costs as much as the other and what lies behind its start: a
 * set that follows is just appended. */
void interval_unite(struct interval_set *self, const struct interval_set *other);

/* Time covered by a set; by both of two; by the first and not by the second. */
uint64_t interval_length(const struct interval_set *self);
/* Time from `start` to `end` that is in a settled set. */
int64_t interval_within(const struct interval_set *self, int64_t start, int64_t end);

uint64_t interval_shared(const struct interval_set *left, const struct interval_set *right);
uint64_t interval_beyond(const struct interval_set *left, const struct interval_set *right);

void interval_free(struct interval_set *self);

/* Intervals that stay apart, to count how many there are at a time. */
struct interval_pile {
    ARRAY(int64_t) starts;
    ARRAY(int64_t) ends;
};

/* Adds [start, end), unless it is empty. */
void interval_pile_add(struct interval_pile *self, int64_t start, int64_t end);

/* The greatest number of them at one time. Sorts them. */
size_t interval_pile_height(struct interval_pile *self);

/* Time with at least so many of them; `least` is 1 or more. Sorts them. */
uint64_t interval_pile_time(struct interval_pile *self, size_t least);

/* Intervals with weights: where they start and end, and what that adds. */
struct interval_load {
    ARRAY(struct interval_step {
        int64_t time;
        double change;
    })
    points;
};

/* Adds [start, end), unless it is empty. */
void interval_load_add(struct interval_load *self, int64_t start, int64_t end, double weight);

/* The greatest sum of weights at one time. Sorts them. */
double interval_load_peak(struct interval_load *self);
