/* health_parts: what the files of this room share. Only they include it. */
#pragma once

#include "sql/health/health.h"

/* One more of what is found, with a time; the one that weighs most is the example, of several the
 * first. */
void health_find(struct health_found *found, int64_t id, int64_t start, double weight);
void health_found_add(struct health *self, enum health_check check, int64_t id, int64_t start,
                      double weight);

/* The same of a GPU activity, whose time is summed. */
void health_found_work(struct health *self, enum health_check check, const struct health_work *work,
                       double weight);

/* Makes the tables of calls by correlation id, once all threads are there. */
bool health_index(struct health *self);

/* Index + 1 of the first call with an id; 0 = none. */
uint32_t health_call_of(const struct health *self, int64_t id);
