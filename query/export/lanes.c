/* lanes: see lanes.h. */
#include "query/export/lanes.h"

/* On a lane where nothing is open everything nests. */
static const struct lane_ends nothing_open = {INT64_MAX, INT64_MAX};

static void settle(struct lanes *self, size_t place)
{
    const struct lane *lane = &self->items[place];
    size_t node = self->width + place;
    int64_t end = lane->count ? lane->items[lane->count - 1] : INT64_MAX;
    self->tree[node] = (struct lane_ends){end, end};
    while (node /= 2) {
        const struct lane_ends *a = &self->tree[2 * node], *b = a + 1;
        self->tree[node] = (struct lane_ends){a->least < b->least ? a->least : b->least,
                                              a->most > b->most ? a->most : b->most};
    }
}

/* One lane more than has been used, with nothing open. */
static void add_lane(struct lanes *self)
{
    array_add(self, (struct lane){0});
    if (self->count <= self->width) {
        settle(self, self->count - 1);
        return;
    }
    size_t width = self->width ? 2 * self->width : 1;
    struct lane_ends *tree = memory_list(2 * width, sizeof *tree);
    memory_free(self->tree);
    self->tree = tree;
    self->width = width;
    for (size_t i = 0; i < 2 * width; i++)
        tree[i] = nothing_open;
    for (size_t i = 0; i < self->count; i++)
        settle(self, i);
}

void lanes_put(struct lanes *self, int64_t start, int64_t end, uint32_t *lane)
{
    if (!self->count)
        add_lane(self);
    for (;;) {
        /* The first lane in which the slice nests in all that is open, or something has ended;
         * there is always one, as the last has nothing open. */
        size_t node = 1;
        while (node < self->width) {
            const struct lane_ends *left = &self->tree[2 * node];
            node = 2 * node + (left->most < end && left->least > start);
        }
        size_t place = node - self->width;
        struct lane *found = &self->items[place];
        while (found->count && found->items[found->count - 1] <= start)
            found->count--;
        if (found->count && found->items[found->count - 1] < end) {
            settle(self, place); /* something had ended, but it does not nest in what is around */
            continue;
        }
        array_add(found, end);
        if (place + 1 == self->count)
            add_lane(self);
        settle(self, place);
        *lane = (uint32_t)place;
        return;
    }
}
