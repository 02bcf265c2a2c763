/* launcher: see launcher.h.
 *
 * Launchers nest, and their ranges of ids with them. Going through them from the last to the first,
 * each takes over the covered time of those inside it: the largest set as it is, the others and the
 * work that is in none of them added to it. So a piece of work is moved few times, however deep
 * the nesting.
 */
#include "launcher.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ gathering */

/* Work of one launcher comes close together: looking a little back finds it mostly. */
static struct launcher *recent(struct launcher_set *self, int64_t id)
{
    enum { LOOK_BACK = 8 };
    size_t count = self->launchers.count;
    for (size_t i = count; i-- > 0 && i + LOOK_BACK >= count;)
        if (self->launchers.items[i].id == id)
            return &self->launchers.items[i];
    return NULL;
}

bool launcher_add(struct launcher_set *self, const struct launch *launch)
{
    struct launch *added = array_push(&self->launches);
    if (!added)
        return false;
    *added = *launch;
    added->next = 0;
    size_t index = self->launches.count - 1;
    struct launcher *launcher = recent(self, launch->launcher);
    if (!launcher) {
        launcher = array_push(&self->launchers);
        if (!launcher)
            return false;
        *launcher = (struct launcher){.id = launch->launcher, .last = launch->launcher_last};
    }
    if (!launch->is_counted)
        return true;
    if (launcher->count++)
        self->launches.items[launcher->last_launch].next = index + 1;
    else
        launcher->first_launch = index;
    launcher->last_launch = index;
    return true;
}

bool launcher_place(struct launcher_set *self, int64_t id, int64_t last)
{
    struct launcher *launcher = array_push(&self->launchers);
    if (launcher)
        *launcher = (struct launcher){.id = id, .last = last, .is_placed = true};
    return launcher != NULL;
}

static int compare_ids(const void *left, const void *right)
{
    const struct launcher *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->first_launch > b->first_launch) - (a->first_launch < b->first_launch);
}

/* Joins what `recent` has parted, and leaves out launchers that are not asked for. */
static void join(struct launcher_set *self)
{
    struct launcher *items = self->launchers.items;
    size_t kept = 0;
    if (self->launchers.count)
        qsort(items, self->launchers.count, sizeof *items, compare_ids);
    for (size_t i = 0; i < self->launchers.count; i++) {
        if (!items[i].count && !items[i].is_placed)
            continue;
        struct launcher *same = kept && items[kept - 1].id == items[i].id ? &items[kept - 1] : NULL;
        if (!same) {
            items[kept++] = items[i];
        } else if (items[i].count) {
            if (same->count)
                self->launches.items[same->last_launch].next = items[i].first_launch + 1;
            else
                same->first_launch = items[i].first_launch;
            same->last_launch = items[i].last_launch;
            same->count += items[i].count;
        }
    }
    self->launchers.count = kept;
}

/* ------------------------------------------------------------------ covered time */

static bool add_launch(struct interval_set *set, const struct launch *launch)
{
    return interval_add(set, launch->start, launch->start + launch->duration);
}

static bool compute_direct(const struct launcher_set *self, struct launcher *launcher)
{
    struct interval_set set = {0};
    bool done = true;
    size_t at = launcher->first_launch;
    for (size_t i = 0; i < launcher->count && done; i++) {
        done = add_launch(&set, &self->launches.items[at]);
        at = self->launches.items[at].next - 1;
    }
    interval_settle(&set);
    launcher->direct = (int64_t)interval_length(&set);
    interval_free(&set);
    return done;
}

/* The first launch whose id is at least this. */
static size_t first_at_least(const struct launcher_set *self, int64_t id)
{
    size_t low = 0, high = self->launches.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (self->launches.items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a launcher that is done covers, waiting for the one around it. */
struct covered {
    struct interval_set set;
    size_t from, to; /* its run of launches */
};

typedef ARRAY(struct covered) covered_stack;

/* Moves the smaller set into the larger one. */
static bool merge(struct interval_set *into, struct interval_set *from)
{
    if (from->list.count > into->list.count) {
        struct interval_set swap = *into;
        *into = *from;
        *from = swap;
    }
    bool done = interval_unite(into, from);
    interval_free(from);
    *from = (struct interval_set){0};
    return done;
}

static bool compute_below(const struct launcher_set *self, struct launcher *launcher,
                          covered_stack *stack)
{
    struct interval_set own = {0};
    struct covered all = {.from = first_at_least(self, launcher->id),
                          .to = first_at_least(self, launcher->last + 1)};
    if (all.from >= all.to)
        return true;
    bool done = true;
    size_t at = all.from;
    /* the stack holds what follows, the nearest on top */
    while (stack->count && stack->items[stack->count - 1].from < all.to && done) {
        struct covered *inner = &stack->items[--stack->count];
        for (; at < inner->from && done; at++)
            done = add_launch(&own, &self->launches.items[at]);
        at = inner->to;
        done = done && merge(&all.set, &inner->set);
        interval_free(&inner->set);
    }
    for (; at < all.to && done; at++)
        done = add_launch(&own, &self->launches.items[at]);
    interval_settle(&own);
    launcher->inside = (int64_t)interval_length(&all.set);
    done = done && merge(&all.set, &own);
    launcher->below = (int64_t)interval_length(&all.set);
    struct covered *pushed = done ? array_push(stack) : NULL;
    if (pushed)
        *pushed = all;
    else
        interval_free(&all.set);
    interval_free(&own);
    return pushed != NULL;
}

bool launcher_compute(struct launcher_set *self)
{
    covered_stack stack = {0};
    bool done = true;
    join(self);
    for (size_t i = self->launchers.count; i-- > 0 && done;)
        done = compute_direct(self, &self->launchers.items[i]) &&
               compute_below(self, &self->launchers.items[i], &stack);
    for (size_t i = 0; i < stack.count; i++)
        interval_free(&stack.items[i].set);
    array_free(&stack);
    return done;
}

/* ------------------------------------------------------------------ order */

void launcher_order(const struct launcher_set *self, const struct launcher *launcher, size_t *order)
{
    const struct launch *launches = self->launches.items;
    size_t at = launcher->first_launch;
    for (size_t i = 0; i < launcher->count; i++) {
        size_t place = i; /* mostly they come by time already */
        while (place && launches[order[place - 1]].start > launches[at].start) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = at;
        at = launches[at].next - 1;
    }
}

void launcher_free(struct launcher_set *self)
{
    array_free(&self->launches);
    array_free(&self->launchers);
}
