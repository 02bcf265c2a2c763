/* group: see group.h. */
#include "sql/binding/group.h"

#include "src/base/map.h"

void group_start(struct groups *self, size_t count)
{
    *self = (struct groups){.count = count, .groups = count ? 1 : 0};
    self->numbers = memory_zeroed(count + 1, sizeof *self->numbers);
}

void group_part(struct groups *self, const int64_t *keys)
{
    struct map map = {0};

    /* How many rows each group has. */
    uint32_t *rows = memory_zeroed(self->groups + 1, sizeof *rows);
    for (size_t i = 0; i < self->count; i++)
        rows[self->numbers[i]]++;
    uint32_t last = 0, number = 0, next = 0;
    for (size_t i = 0; i < self->count; i++) {
        uint32_t old = self->numbers[i];
        if (rows[old] == 1) { /* nothing to part */
            number = next++;
        } else {
            if (i == 0 || old != last || keys[i] != keys[i - 1]) { /* like rows come together */
                uint32_t *known = map_put(&map, old, keys[i]);
                if (*known == 0)
                    *known = ++next;
                number = *known - 1;
            }
        }
        last = old;
        self->numbers[i] = number;
    }
    self->groups = next;
    map_free(&map);
    memory_free(rows);
}

/* A group by its first row. */
struct group {
    uint32_t number;
    size_t row, count;
};

struct sorting {
    group_compare compare;
    void *context;
};

static int compare_groups(const void *left, const void *right, void *context)
{
    const struct sorting *sorting = context;
    return sorting->compare(((const struct group *)left)->row, ((const struct group *)right)->row,
                            sorting->context);
}

void group_finish(struct groups *self, group_compare compare, void *context)
{
    struct group *groups = memory_zeroed(self->groups + 1, sizeof *groups);
    size_t *next = memory_zeroed(self->groups + 1, sizeof *next);
    self->order = memory_list(self->count + 1, sizeof *self->order);
    for (size_t i = 0; i < self->count; i++) {
        struct group *group = &groups[self->numbers[i]];
        if (group->count++ == 0)
            *group = (struct group){self->numbers[i], i, 1};
    }
    if (self->groups)
        qsort_r(groups, self->groups, sizeof *groups, compare_groups,
                &(struct sorting){compare, context});
    for (size_t i = 0, place = 0; i < self->groups; i++) {
        next[groups[i].number] = place;
        place += groups[i].count;
    }
    for (size_t i = 0; i < self->count; i++)
        self->order[next[self->numbers[i]]++] = (uint32_t)i;
    memory_free(groups);
    memory_free(next);
}

void group_free(struct groups *self)
{
    memory_free(self->numbers);
    memory_free(self->order);
    *self = (struct groups){0};
}
