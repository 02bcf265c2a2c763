/* figures: what is said of the values of each of many groups. Plain C.
 *
 *     figures_add(&list, group, value);     groups count from 0; a new one is the next number
 *     figures_finish(&list);                now mean, median and stddev hold, too
 */
#pragma once

#include "sql/functions/statistics.h"

struct figures {
    int64_t count, total, least, most;
    double mean, median, stddev; /* stddev: of a sample; NAN of a single value */
    double sum;
    struct deviation deviation;
};

struct figures_list {
    ARRAY(struct figures) groups;
    ARRAY(double) values;
    ARRAY(uint32_t) owners; /* of each value */
};

enum figures_result { FIGURES_DONE, FIGURES_MEMORY, FIGURES_OVERFLOW };

enum figures_result figures_add(struct figures_list *self, uint32_t group, int64_t value);

/* False when memory is out. */
bool figures_finish(struct figures_list *self);

void figures_free(struct figures_list *self);
