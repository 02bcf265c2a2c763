/* statistics: the figures of a sample. SQL aggregates are made of it. */
#pragma once

#include "src/base/array.h"

#include <stdint.h>

typedef ARRAY(double) sample;

/* Value below which `percent` per cent of the sample lie, interpolated linearly between the two
 * nearest values. Reorders the sample, which must not be empty. */
double sample_percentile(sample *self, double percent);

/* Running mean and sum of squared deviations, after Welford (1962): exact enough for any order of
 * magnitude, without keeping the values. */
struct deviation {
    long long count;
    double mean, squares;
};

void deviation_add(struct deviation *self, double value);

/* Standard deviation: of the sample (n - 1) or of the population (n). */
double deviation_of_sample(const struct deviation *self);
double deviation_of_population(const struct deviation *self);

/* A value from a moment on; those of other parts are apart from it. */
struct moment {
    int64_t part, time;
    double value;
};

typedef ARRAY(struct moment) moment_list;

/* Mean of values each of which holds until the next moment of its part; the last one as long as
 * the others do on average. Reorders the list, which must not be empty. */
double mean_over_time(moment_list *self);

/* figures: what is said of the values of each of many groups. Plain C.
 *
 *     figures_add(&list, group, value);     groups count from 0; a new one is the next number
 *     figures_finish(&list);                now mean, median and stddev hold, too */

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

/* False: the total is too large for 63 bits. */
bool figures_add(struct figures_list *self, uint32_t group, int64_t value);

void figures_finish(struct figures_list *self);
