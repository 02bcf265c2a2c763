/* end_tree: see end_tree.h. */
#include "sql/functions/end_tree.h"

#include "src/base/memory.h"

#include <stdlib.h>

bool end_tree_reserve(struct end_tree *self, size_t count)
{
    size_t width = 1;
    while (width < count)
        width *= 2;
    self->latest = memory_list(2 * width, sizeof *self->latest);
    self->width = width;
    for (size_t i = 0; i < 2 * width && self->latest; i++)
        self->latest[i] = INT64_MIN;
    return self->latest != NULL;
}

void end_tree_set(struct end_tree *self, size_t place, int64_t end)
{
    self->latest[self->width + place] = end;
}

void end_tree_settle(struct end_tree *self)
{
    int64_t *latest = self->latest;
    for (size_t i = self->width; i-- > 1;)
        latest[i] = latest[2 * i] > latest[2 * i + 1] ? latest[2 * i] : latest[2 * i + 1];
}

size_t end_tree_last(const struct end_tree *self, size_t place, int64_t time)
{
    size_t node = self->width + place;
    if (self->latest[node] <= time) {
        while (node > 1 && !(node % 2 == 1 && self->latest[node - 1] > time))
            node /= 2;
        if (node <= 1)
            return END_TREE_NONE;
        for (node--; node < self->width;)
            node = self->latest[2 * node + 1] > time ? 2 * node + 1 : 2 * node;
    }
    return node - self->width;
}

void end_tree_free(struct end_tree *self)
{
    memory_free(self->latest);
    *self = (struct end_tree){0};
}
