/* op_work: Rows are numbered by keys, one for each kind of row, and summed by number. */
#include "sql/diff/op_work.h"

#include "sql/binding/group.h"
#include "src/base/map.h"

struct finding {
    const struct difference_list *differences;
    const struct forest *forests;
    struct groups groups;
    int64_t *keys;
};

typedef int64_t (*row_key)(const struct finding *self, const struct difference *row);

static const struct forest *forest_of(const struct finding *self, const struct difference *row)
{
    return &self->forests[row->side == SIDE_RIGHT];
}

static int64_t key_name(const struct finding *self, const struct difference *row)
{
    return forest_of(self, row)->nodes.items[row->node].name;
}

static int64_t key_call(const struct finding *self, const struct difference *row)
{
    (void)self;
    return (int64_t)row->op << 2 | (int64_t)row->side;
}

static int64_t key_call_name(const struct finding *self, const struct difference *row)
{
    return (int64_t)forest_of(self, row)->nodes.items[row->op].name << 2 | (int64_t)row->side;
}

static int64_t key_busy(const struct finding *self, const struct difference *row)
{
    (void)self;
    return row->busy_ns;
}

static int64_t key_point(const struct finding *self, const struct difference *row)
{
    (void)self;
    return row->point_name;
}

static int64_t key_op(const struct finding *self, const struct difference *row)
{
    (void)self;
    return row->op_name;
}

static int64_t key_module(const struct finding *self, const struct difference *row)
{
    (void)self;
    return row->module;
}

/* Rows of the summary are calls that are alike; those of the files about ops tell less apart. */
static const row_key alike[] = {key_name, key_call, key_busy, key_point, NULL};
static const row_key told[] = {key_op, key_call_name, key_name, key_module, NULL};

static bool part(struct finding *self, const row_key *by)
{
    size_t count = self->differences->rows.count;
    group_free(&self->groups);
    bool done = group_start(&self->groups, count);
    for (; *by && done; by++) {
        for (size_t i = 0; i < count; i++)
            self->keys[i] = (*by)(self, &self->differences->rows.items[i]);
        done = group_part(&self->groups, self->keys);
    }
    return done;
}

/* The first row of each group. */
static bool list_firsts(const struct finding *self, struct op_work_list *out)
{
    for (size_t i = 0; i < self->groups.count; i++)
        if (self->groups.numbers[i] == out->works.count && /* numbered as they appear */
            !array_add(&out->works, (struct op_work){.first = (uint32_t)i}))
            return false;
    return true;
}

static const struct difference *row_of(const struct finding *self, const struct op_work *work)
{
    return &self->differences->rows.items[work->first];
}

static bool comes_before(const struct intern *symbols, uint32_t left, uint32_t right)
{
    struct view a = intern_view(symbols, left), b = intern_view(symbols, right);
    size_t length = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.bytes, b.bytes, length);
    return order ? order < 0 : a.length < b.length;
}

/* The group of like calls of each op that takes most time: by the op, places in `sums` + 1. */
static bool find_most(const struct finding *self, const struct intern *symbols,
                      const struct op_work_list *sums, struct map *most)
{
    for (size_t i = 0; i < sums->works.count; i++) {
        const struct op_work *work = &sums->works.items[i];
        uint32_t *found = map_put(most, row_of(self, work)->op_name, 0);
        if (!found)
            return false;
        const struct op_work *best = *found ? &sums->works.items[*found - 1] : NULL;
        if (!best || work->most_ns > best->most_ns ||
            (work->most_ns == best->most_ns &&
             comes_before(symbols, work->most_name, best->most_name)))
            *found = (uint32_t)i + 1;
    }
    return true;
}

/* The time of each group of like calls, under the name of its work. */
static bool sum_up(struct finding *self, struct op_work_list *sums)
{
    const struct difference *rows = self->differences->rows.items;
    if (!part(self, alike) || !list_firsts(self, sums))
        return false;
    for (size_t i = 0; i < self->groups.count; i++) {
        struct op_work *sum = &sums->works.items[self->groups.numbers[i]];
        int64_t dur = forest_of(self, &rows[i])->nodes.items[rows[i].node].dur;
        (void)__builtin_add_overflow(sum->most_ns, dur, &sum->most_ns);
        sum->most_name = (uint32_t)key_name(self, &rows[i]);
    }
    return true;
}

bool op_work_find(struct op_work_list *self, const struct difference_list *differences,
                  const struct intern *symbols, const struct forest forests[2])
{
    struct finding finding = {.differences = differences, .forests = forests};
    struct op_work_list sums = {0};
    struct map most = {0};
    finding.keys = memory_list(differences->rows.count + 1, sizeof *finding.keys);
    bool done = finding.keys && sum_up(&finding, &sums) &&
                find_most(&finding, symbols, &sums, &most) && part(&finding, told) &&
                list_firsts(&finding, self);
    for (size_t i = 0; i < self->works.count && done; i++) {
        struct op_work *work = &self->works.items[i];
        uint32_t best = map_get(&most, row_of(&finding, work)->op_name, 0);
        work->most_ns = sums.works.items[best - 1].most_ns;
        work->most_name = sums.works.items[best - 1].most_name;
    }
    memory_free(finding.keys);
    group_free(&finding.groups);
    array_free(&sums.works);
    map_free(&most);
    return done;
}

void op_work_free(struct op_work_list *self)
{
    array_free(&self->works);
}
