/* health_parts: Notes of ingest count as results of checks; rows of facts come from results. */
#include "sql/health/health_parts.h"

#include <math.h>
#include <string.h>

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

/* ------------------------------------------------------------------ what ingest noticed */

void health_had(struct health *self, int64_t elements, int64_t slices)
{
    health_counted(self, HEALTH_EVENTS_UNREADABLE, 0, elements);
    health_counted(self, HEALTH_DURATION_MISSING, 0, slices);
    health_counted(self, HEALTH_DURATION_NEGATIVE, 0, slices);
    health_counted(self, HEALTH_DURATION_CLIPPED, 0, slices);
}

void health_noted(struct health *self, const char *kind, int64_t count)
{
    static const struct {
        const char *kind;
        enum health_check check;
    } notes[] = {
        {"not_an_object", HEALTH_EVENTS_UNREADABLE},
        {"phase_missing", HEALTH_EVENTS_UNREADABLE},
        {"time_missing", HEALTH_EVENTS_UNREADABLE},
        {"time_out_of_range", HEALTH_EVENTS_UNREADABLE},
        {"state_missing", HEALTH_EVENTS_UNREADABLE},
        {"column_missing", HEALTH_EVENTS_UNREADABLE},
        {"end_alone", HEALTH_EVENTS_UNREADABLE},
        {"end_without_start", HEALTH_EVENTS_UNREADABLE},
        {"duration_missing", HEALTH_DURATION_MISSING},
        {"duration_negative", HEALTH_DURATION_NEGATIVE},
        {"duration_clipped", HEALTH_DURATION_CLIPPED},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strcmp(notes[i].kind, kind) == 0)
            self->found[notes[i].check].count += count;
}

void health_is_part(struct health *self)
{
    static const enum health_check edges[] = {HEALTH_CARRIED_IN, HEALTH_CARRIED_OUT,
                                              HEALTH_STEP_CUT, HEALTH_STEP_GAP};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        self->found[edges[i]].is_note = true;
}

/* ------------------------------------------------------------------ rows */

/* A measured value is in the unit of the tolerance: the worst of several findings. */
struct health_fact health_fact_of(const struct health *self, enum health_check check, int64_t start)
{
    const struct health_found *found = &self->found[check];
    bool is_told = !found->reason, any = is_told && found->count > 0;
    bool has_time = any && found->first != HEALTH_NONE;
    bool has_worst = found->worst > 0 && !isnan(self->tolerance[check]);
    return (struct health_fact){
        .count = is_told ? found->count : HEALTH_NONE,
        .base = is_told ? found->base : HEALTH_NONE,
        .time = any ? found->time : HEALTH_NONE,
        .example = any ? found->example : HEALTH_NONE,
        .first = has_time ? found->first - start : HEALTH_NONE,
        .last = has_time ? found->last - start : HEALTH_NONE,
        .value = isnan(found->value) && has_worst ? found->worst : found->value,
        .share = found->share,
        .tolerance = self->tolerance[check],
        .reason = found->reason,
        .is_note = found->is_note,
    };
}
