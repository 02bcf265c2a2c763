/* statistics: see statistics.h. */
#include "statistics.h"

#include <math.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double sample_percentile(sample *self, double percent)
{
    qsort(self->items, self->count, sizeof *self->items, compare_doubles);
    double place = percent / 100.0 * (double)(self->count - 1);
    size_t below = (size_t)place;
    double low = self->items[below];
    if (below + 1 >= self->count)
        return low;
    double high = self->items[below + 1], share = place - (double)below;
    if (isinf(high - low)) /* farther apart than a number can say */
        return low * (1 - share) + high * share;
    return low + share * (high - low);
}

void deviation_add(struct deviation *self, double value)
{
    self->count++;
    double before = value - self->mean;
    self->mean += before / (double)self->count;
    self->squares += before * (value - self->mean);
}

double deviation_of_sample(const struct deviation *self)
{
    return sqrt(self->squares / (double)(self->count - 1));
}

double deviation_of_population(const struct deviation *self)
{
    return sqrt(self->squares / (double)self->count);
}
