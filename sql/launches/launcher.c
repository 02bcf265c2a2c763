/* launcher: see launcher.h.
 *
 * Launchers nest, and their ranges of ids with them. Going through them from the last to the first,
 * each takes over the covered time of those inside it: the largest set as it is, the others and the
 * work that is in none of them added to it. So a GPU activity is moved few times, however deep
 * the nesting.
 */
#include "sql/launches/launcher.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ gathering */

void launcher_add(struct launcher_set *self, const struct launch *launch)
{
    struct launch *added = array_push(&self->launches);
    *added = *launch;
    added->next = 0;
    size_t index = self->launches.count - 1;

    /* Work of one launcher comes close together: looking a little back finds it mostly. */
    int64_t id = launch->launcher;
    enum { LOOK_BACK = 8 };
    size_t count = self->launchers.count;
    struct launcher *launcher = NULL;
    for (size_t i = count; i-- > 0 && i + LOOK_BACK >= count;)
        if (self->launchers.items[i].id == id) {
            launcher = &self->launchers.items[i];
            break;
        }
    if (!launcher) {
        launcher = array_push(&self->launchers);
        *launcher = (struct launcher){.id = launch->launcher, .last = launch->launcher_last};
    }
    if (!launch->is_counted)
        return;
    if (launcher->count++)
        self->launches.items[launcher->last_launch].next = index + 1;
    else
        launcher->first_launch = index;
    launcher->last_launch = index;
}

void launcher_place(struct launcher_set *self, int64_t id, int64_t last)
{
    array_add(&self->launchers, (struct launcher){.id = id, .last = last, .is_placed = true});
}

ORDER_BY(compare_ids, struct launcher, UP(id) || UP(first_launch));

/* ------------------------------------------------------------------ covered time */

static void add_launch(struct interval_set *set, const struct launch *launch)
{
    interval_add(set, launch->start, number_sum(launch->start, launch->duration));
}

/* The cover of a finished launcher, for the one around it. A single launch needs no set. */
struct covered {
    struct interval_set set;
    size_t from, to; /* its run of launches */
};

typedef ARRAY(struct covered) covered_stack;

static void add_launches(const struct launcher_set *self, struct interval_set *set, size_t from,
                         size_t to)
{
    for (size_t i = from; i < to; i++)
        add_launch(set, &self->launches.items[i]);
}

/* Moves the smaller set into the larger one. */
static void merge(struct interval_set *into, struct interval_set *from)
{
    if (from->list.count > into->list.count) {
        struct interval_set swap = *into;
        *into = *from;
        *from = swap;
    }
    interval_unite(into, from);
    interval_free(from);
    *from = (struct interval_set){0};
}

/* The cover of a launcher itself, and of those inside it. */
struct gathering {
    struct interval_set own, rest;
    struct covered all;
    bool is_inside;
};

static void gather(const struct launcher_set *self, struct gathering *to, covered_stack *stack)
{
    struct covered *all = &to->all;
    bool is_single = all->to - all->from == 1;
    size_t at = all->from;
    /* the stack holds what follows, the nearest on top */
    while (stack->count && stack->items[stack->count - 1].from < all->to) {
        struct covered *inner = &stack->items[--stack->count];
        to->is_inside = true;
        if (!is_single) {
            add_launches(self, &to->own, at, inner->from);

            /* Takes over what an inner launcher covers: the largest set as it is, all others into
             * `rest`, which is settled once, in whatever order they come. */
            if (inner->to - inner->from == 1) {
                add_launch(&to->rest, &self->launches.items[inner->from]);
            } else {
                if (inner->set.list.count > all->set.list.count) {
                    struct interval_set swap = all->set;
                    all->set = inner->set;
                    inner->set = swap;
                }
                for (size_t i = 0; i < inner->set.list.count; i++)
                    interval_add(&to->rest, inner->set.list.items[i].start,
                                 inner->set.list.items[i].end);
            }
        }
        at = inner->to;
        interval_free(&inner->set);
    }
    if (!is_single)
        add_launches(self, &to->own, at, all->to);
}

static void compute_below(const struct launcher_set *self, struct launcher *launcher,
                          covered_stack *stack)
{
    const struct launch *launches = self->launches.items;
    struct gathering found = {0};
    struct covered *all = &found.all;
    ARRAY_LOWER_BOUND(all->from, self->launches.count, launches[all->from].id < launcher->id);
    ARRAY_LOWER_BOUND(all->to, self->launches.count, launches[all->to].id <= launcher->last);
    if (all->from >= all->to)
        return;
    gather(self, &found, stack);
    if (all->to - all->from == 1) {
        launcher->below = self->launches.items[all->from].duration;
        launcher->inside = found.is_inside ? launcher->below : 0;
    } else {
        interval_settle(&found.own);
        interval_settle(&found.rest);
        merge(&all->set, &found.rest);
        launcher->inside = (int64_t)interval_length(&all->set);
        merge(&all->set, &found.own);
        launcher->below = (int64_t)interval_length(&all->set);
    }
    array_add(stack, *all);
    interval_free(&found.own);
    interval_free(&found.rest);
}

void launcher_compute(struct launcher_set *self)
{
    covered_stack stack = {0};

    /* Joins entries of one launcher, and leaves out launchers that are not asked for. */
    struct launcher *items = self->launchers.items;
    size_t kept = 0;
    array_sort(&self->launchers, compare_ids);
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
    for (size_t i = self->launchers.count; i-- > 0;) {
        /* Time that its own launches cover. */
        struct launcher *launcher = &self->launchers.items[i];
        size_t at = launcher->first_launch;
        if (launcher->count == 1) {
            launcher->direct = self->launches.items[at].duration;
        } else {
            struct interval_set set = {0};
            for (size_t j = 0; j < launcher->count; j++) {
                add_launch(&set, &self->launches.items[at]);
                at = self->launches.items[at].next - 1;
            }
            interval_settle(&set);
            launcher->direct = (int64_t)interval_length(&set);
            interval_free(&set);
        }
        compute_below(self, launcher, &stack);
    }
    for (size_t i = 0; i < stack.count; i++)
        interval_free(&stack.items[i].set);
    array_free(&stack);
}

/* ------------------------------------------------------------------ order */

static int64_t key_of(const struct launch *launch, enum launcher_key key)
{
    return key == LAUNCHER_BY_START ? launch->start : launch->uid;
}

struct sorting {
    const struct launch *launches;
    enum launcher_key key;
};

static int compare_launches(const void *left, const void *right, void *context)
{
    const struct sorting *sorting = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int64_t of_a = key_of(&sorting->launches[a], sorting->key);
    int64_t of_b = key_of(&sorting->launches[b], sorting->key);
    if (of_a == of_b) { /* accelerators have coarse clocks, and the file an order */
        of_a = sorting->launches[a].uid;
        of_b = sorting->launches[b].uid;
    }
    return of_a != of_b ? (of_a < of_b ? -1 : 1) : (a > b) - (a < b);
}

void launcher_order(const struct launcher_set *self, const struct launcher *launcher,
                    enum launcher_key key, size_t *order)
{
    struct sorting sorting = {self->launches.items, key};
    size_t at = launcher->first_launch;
    bool is_sorted = true; /* mostly they are */
    for (size_t i = 0; i < launcher->count; i++) {
        order[i] = at;
        is_sorted = is_sorted && (i == 0 || compare_launches(&order[i - 1], &at, &sorting) < 0);
        at = self->launches.items[at].next - 1;
    }
    if (!is_sorted)
        qsort_r(order, launcher->count, sizeof *order, compare_launches, &sorting);
}

void launcher_free(struct launcher_set *self)
{
    arrays_free(&self->launches, &self->launchers);
}
