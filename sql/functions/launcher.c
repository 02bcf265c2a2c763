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

static int compare_ids(const void *left, const void *right)
{
    const struct launcher *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->first_launch > b->first_launch) - (a->first_launch < b->first_launch);
}

/* Joins what `recent` has parted, and leaves out launchers without counted work. */
static void join(struct launcher_set *self)
{
    struct launcher *items = self->launchers.items;
    size_t kept = 0;
    if (self->launchers.count)
        qsort(items, self->launchers.count, sizeof *items, compare_ids);
    for (size_t i = 0; i < self->launchers.count; i++) {
        if (!items[i].count)
            continue;
        struct launcher *same = kept && items[kept - 1].id == items[i].id ? &items[kept - 1] : NULL;
        if (same) {
            self->launches.items[same->last_launch].next = items[i].first_launch + 1;
            same->last_launch = items[i].last_launch;
            same->count += items[i].count;
        } else {
            items[kept++] = items[i];
        }
    }
    self->launchers.count = kept;
}

/* ------------------------------------------------------------------ covered time */

static bool add_launch(struct interval_set *set, const struct launch *launch)
{
    return interval_insert(set, launch->start, launch->start + launch->duration);
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

static bool merge(struct covered *into, struct covered *from)
{
    if (from->set.list.count > into->set.list.count) {
        struct interval_set swap = into->set;
        into->set = from->set;
        from->set = swap;
    }
    bool done = true;
    for (size_t i = 0; i < from->set.list.count && done; i++)
        done =
            interval_insert(&into->set, from->set.list.items[i].start, from->set.list.items[i].end);
    interval_free(&from->set);
    from->set = (struct interval_set){0};
    return done;
}

static bool compute_below(const struct launcher_set *self, struct launcher *launcher,
                          covered_stack *stack)
{
    struct covered own = {.from = first_at_least(self, launcher->id),
                          .to = first_at_least(self, launcher->last + 1)};
    bool done = true;
    size_t at = own.from;
    /* the stack holds what follows, the nearest on top */
    while (stack->count && stack->items[stack->count - 1].from < own.to && done) {
        struct covered *inner = &stack->items[--stack->count];
        for (; at < inner->from && done; at++)
            done = add_launch(&own.set, &self->launches.items[at]);
        at = inner->to;
        done = done && merge(&own, inner);
    }
    for (; at < own.to && done; at++)
        done = add_launch(&own.set, &self->launches.items[at]);
    launcher->below = (int64_t)interval_length(&own.set);
    struct covered *pushed = done ? array_push(stack) : NULL;
    if (pushed)
        *pushed = own;
    else
        interval_free(&own.set);
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

static int compare_starts(const void *left, const void *right, void *launches)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int64_t start = ((const struct launch *)launches)[a].start;
    int64_t other = ((const struct launch *)launches)[b].start;
    if (start != other)
        return start < other ? -1 : 1;
    return (a > b) - (a < b);
}

void launcher_order(const struct launcher_set *self, const struct launcher *launcher, size_t *order)
{
    struct launch *launches = self->launches.items;
    size_t at = launcher->first_launch;
    bool is_ordered = true; /* mostly */
    for (size_t i = 0; i < launcher->count; i++) {
        order[i] = at;
        is_ordered &= i == 0 || launches[order[i - 1]].start <= launches[at].start;
        at = launches[at].next - 1;
    }
    if (!is_ordered)
        qsort_r(order, launcher->count, sizeof *order, compare_starts, launches);
}

void launcher_free(struct launcher_set *self)
{
    array_free(&self->launches);
    array_free(&self->launchers);
}
