/* points: Kernels of a side are a set of names with counts, numbered where it is new. */
#include "sql/diff/points.h"

#include "src/base/order.h"

#include <string.h>

/* A name of a set, and how often. */
struct member {
    uint32_t name, count;
};

struct gathering {
    struct point_list *out;
    const struct difference_list *differences;
    const struct forest *forests;
    ARRAY(uint32_t) names;
    ARRAY(struct member) members;
};

ORDER_BY(compare_numbers, uint32_t, BY_LESS(*a, *b));

/* The number of the set of names in hand. */
static bool find_set(struct gathering *self, uint32_t *set)
{
    self->members.count = 0;
    if (!self->names.count)
        return true;
    array_sort(&self->names, compare_numbers);
    for (size_t i = 0; i < self->names.count; i++) {
        uint32_t name = self->names.items[i];
        size_t count = self->members.count;
        if (count && self->members.items[count - 1].name == name) {
            self->members.items[count - 1].count++;
            continue;
        }
        if (!array_add(&self->members, (struct member){name, 1}))
            return false;
    }
    *set = intern_add(&self->out->sets, self->members.items,
                      self->members.count * sizeof *self->members.items);
    return *set != 0;
}

/* Gathers one side of a point from the rows `first` up to `end`. */
static bool gather_side(struct gathering *self, size_t first, size_t end, int side,
                        struct point *point)
{
    uint32_t set = 0;
    int64_t busy = 0;
    self->names.count = 0;
    for (size_t i = first; i < end; i++) {
        const struct difference *row = &self->differences->rows.items[i];
        if (!(row->side & (side == 0 ? SIDE_LEFT : SIDE_RIGHT)))
            continue;
        if (!array_add(&self->names,
                       self->forests[row->side == SIDE_RIGHT].nodes.items[row->node].name))
            return false;
        busy = row->busy_ns;
    }
    if (!find_set(self, &set))
        return false;
    *(side == 0 ? &point->busy_ns1 : &point->busy_ns2) = busy;
    *(side == 0 ? &point->kernels1 : &point->kernels2) = (uint32_t)self->names.count;
    *(side == 0 ? &point->set1 : &point->set2) = set;
    return true;
}

static int64_t change_of(const struct point *point)
{
    return llabs(point->busy_ns2 - point->busy_ns1);
}

ORDER_BY(compare_points, struct point, BY_LESS(change_of(b), change_of(a)) || UP(first));

bool points_find(struct point_list *self, const struct difference_list *differences,
                 const struct forest forests[2])
{
    struct gathering gathering = {.out = self, .differences = differences, .forests = forests};
    size_t count = differences->rows.count;
    bool done = true;
    for (size_t first = 0, end; first < count && done; first = end) {
        uint32_t number = differences->rows.items[first].point;
        for (end = first + 1; end < count && differences->rows.items[end].point == number;)
            end++;
        struct point *point = number == FOREST_NONE ? NULL : array_push(&self->points);
        done = point || number == FOREST_NONE;
        if (!point)
            continue;
        *point = (struct point){.number = number, .first = (uint32_t)first};
        for (int side = 0; side < 2 && done; side++)
            done = gather_side(&gathering, first, end, side, point);
    }
    if (done)
        array_sort(&self->points, compare_points);
    array_free(&gathering.names);
    array_free(&gathering.members);
    return done;
}

void points_free(struct point_list *self)
{
    array_free(&self->points);
    intern_free(&self->sets);
}

bool points_write_set(const struct point_list *self, const struct intern *symbols, uint32_t set,
                      struct text *out)
{
    struct view bytes = intern_view(&self->sets, set);
    bool done = true;
    for (size_t at = 0; at < bytes.length && done; at += sizeof(struct member)) {
        struct member member;
        memcpy(&member, bytes.bytes + at, sizeof member);
        struct view name = intern_view(symbols, member.name);
        done = (at == 0 || text_add_string(out, "; ")) && text_add_view(out, name) &&
               (member.count == 1 || text_format(out, " x%u", member.count));
    }
    return done;
}
