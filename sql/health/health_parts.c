/* health_parts: see health_parts.h. */
#include "sql/health/health_parts.h"

#define HEALTH_NAME(NAME, name) #name,
const char *const health_check_names[] = {EACH_HEALTH_CHECK(HEALTH_NAME) NULL};

void health_find(struct health_found *found, int64_t id, int64_t start, double weight)
{
    found->first = !found->count || start < found->first ? start : found->first;
    found->last = !found->count || start > found->last ? start : found->last;
    bool is_worse = weight > found->worst || (weight >= found->worst && start < found->at);
    if (!found->count || is_worse) {
        found->example = id;
        found->at = start;
        found->worst = weight;
    }
    found->count++;
}

void health_found_add(struct health *self, enum health_check check, int64_t id, int64_t start,
                      double weight)
{
    health_find(&self->found[check], id, start, weight);
}

void health_found_work(struct health *self, enum health_check check, const struct health_work *work,
                       double weight)
{
    struct health_found *found = &self->found[check];
    found->time = (found->time == HEALTH_NONE ? 0 : found->time) + work->duration;
    health_find(found, work->id, work->start, weight);
}

void health_counted(struct health *self, enum health_check check, int64_t count, int64_t base)
{
    self->found[check].count = count;
    self->found[check].base = base;
    self->found[check].first = self->found[check].last = HEALTH_NONE;
    self->found[check].example = HEALTH_NONE;
}
