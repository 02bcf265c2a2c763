/* identify: who made an output, and what of a warehouse it is about. */
#pragma once

#include "query/report/answer.h"
#include "query/select/selection.h"
#include "query/sink/identity.h"

/* Collects version, runs, devices, ranks, health, steps and selection, once that is applied; the
 * caller frees also after a failure. */
bool identify(struct warehouse *warehouse, const struct selection *selection,
              struct identity *identity, struct error *error);

/* The same without the version, by questions to somebody. */
bool identify_selection(const struct asker *asker, const struct selection *selection,
                        struct identity *identity, struct error *error);

/* Only runs, devices, ranks, health and steps of what is selected. */
bool identify_traces_of(struct warehouse *warehouse, struct identity *identity,
                        struct error *error);

/* Health after the rows of health_check have changed. */
bool identify_health_again(struct warehouse *warehouse, struct identity *identity,
                           struct error *error);
