/* figures: see figures.h. */
#include "sql/functions/figures.h"

#include <math.h>

enum figures_result figures_add(struct figures_list *self, uint32_t group, int64_t value)
{
    struct figures none = {.least = INT64_MAX, .most = INT64_MIN};
    if ((group == self->groups.count && !array_add(&self->groups, none)) ||
        !array_add(&self->values, (double)value) || !array_add(&self->owners, group))
        return FIGURES_MEMORY;
    struct figures *figures = &self->groups.items[group];
    if (__builtin_add_overflow(figures->total, value, &figures->total))
        return FIGURES_OVERFLOW;
    figures->count++;
    figures->sum += (double)value;
    figures->least = value < figures->least ? value : figures->least;
    figures->most = value > figures->most ? value : figures->most;
    deviation_add(&figures->deviation, (double)value);
    return FIGURES_DONE;
}

/* The values of each group stand together; `behind` tells where they end. */
static void gather(const struct figures_list *self, double *gathered, size_t *behind)
{
    size_t next = 0;
    for (size_t i = 0; i < self->groups.count; i++) {
        behind[i] = next;
        next += (size_t)self->groups.items[i].count;
    }
    for (size_t i = 0; i < self->values.count; i++)
        gathered[behind[self->owners.items[i]]++] = self->values.items[i];
}

static void finish_one(struct figures *self, double *end)
{
    size_t count = (size_t)self->count;
    sample own = {.items = end - count, .count = count, .room = count};
    self->mean = self->sum / (double)count;
    self->median = sample_percentile(&own, 50);
    self->stddev = count > 1 ? deviation_of_sample(&self->deviation) : (double)NAN;
}

bool figures_finish(struct figures_list *self)
{
    double *gathered = memory_list(self->values.count + 1, sizeof *gathered);
    size_t *behind = memory_list(self->groups.count + 1, sizeof *behind);
    bool done = gathered && behind;
    if (done)
        gather(self, gathered, behind);
    for (size_t i = 0; i < self->groups.count && done; i++)
        finish_one(&self->groups.items[i], gathered + behind[i]);
    memory_free(gathered);
    memory_free(behind);
    return done;
}

void figures_free(struct figures_list *self)
{
    array_free(&self->groups);
    array_free(&self->values);
    array_free(&self->owners);
}
