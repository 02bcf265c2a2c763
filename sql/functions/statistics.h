/* statistics: the figures of a sample. Plain C; bind_statistics.c makes SQL aggregates of it. */
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
