/* statistics: Percentiles put single places in order instead of sorting. Deviations add up in one
 * pass. */
#include "sql/functions/statistics.h"

#include "src/base/order.h"

#include <math.h>

ORDER_BY(compare_doubles, double, BY_LESS(*a, *b));

static void swap(double *left, double *right)
{
    double kept = *left;
    *left = *right;
    *right = kept;
}

/* Puts the value that a sorted list has at `place` there, with nothing greater before it and
 * nothing less behind it (Hoare's selection). Lists that defeat the choice of pivots are sorted. */
static void select_place(double *items, size_t count, size_t place)
{
    enum { FEW = 16 };
    size_t low = 0, high = count; /* it is in between */
    size_t rounds = 64;
    while (high - low > FEW && rounds--) {
        size_t middle = low + (high - low) / 2, left = low, right = high - 1;
        if (items[middle] < items[low])
            swap(&items[middle], &items[low]);
        if (items[right] < items[low])
            swap(&items[right], &items[low]);
        if (items[right] < items[middle])
            swap(&items[right], &items[middle]);
        double pivot = items[middle];
        while (left <= right) {
            while (items[left] < pivot)
                left++;
            while (items[right] > pivot)
                right--;
            if (left <= right) {
                swap(&items[left++], &items[right]);
                if (right-- == 0)
                    break;
            }
        }
        if (right < high && place <= right)
            high = right + 1;
        else if (place >= left)
            low = left;
        else
            return; /* between the two parts all are the pivot */
    }
    qsort(items + low, high - low, sizeof *items, compare_doubles);
}

double sample_percentile(sample *self, double percent)
{
    double place = percent / 100.0 * (double)(self->count - 1);
    size_t below = (size_t)place;
    select_place(self->items, self->count, below);
    double low = self->items[below], share = place - (double)below;
    if (below + 1 >= self->count)
        return low;
    double high = self->items[below + 1];
    for (size_t i = below + 2; i < self->count; i++)
        high = self->items[i] < high ? self->items[i] : high;
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

ORDER_BY(compare_moments, struct moment, UP(part) || UP(time));

/* They mostly come in order. */
static void put_in_order(moment_list *self)
{
    for (size_t i = 1; i < self->count; i++)
        if (compare_moments(&self->items[i - 1], &self->items[i]) > 0) {
            array_sort(self, compare_moments);
            return;
        }
}

double mean_over_time(moment_list *self)
{
    double held = 0, weighed = 0, last = 0, sum = 0;
    size_t spans = 0, count = self->count;
    put_in_order(self);
    for (size_t i = 0; i < count; i++) {
        const struct moment *here = &self->items[i];
        sum += here->value;
        if (i + 1 == count || here[1].part != here->part) {
            last += here->value;
            continue;
        }
        double span = (double)here[1].time - (double)here->time;
        held += span;
        weighed += span * here->value;
        spans++;
    }
    if (held <= 0)
        return sum / (double)count;
    double mean = held / (double)spans;
    return (weighed + last * mean) / (held + (double)(count - spans) * mean);
}
