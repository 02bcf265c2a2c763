/* statistics: see statistics.h. */
#include "sql/functions/statistics.h"

#include <math.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

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
