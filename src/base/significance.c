/* significance: Welch's test by Student's distribution, which is a continued fraction; the test of
 * Mann and Whitney by counting all orders of small samples without ties, else by the normal
 * distribution. Samples are sorted in copies. */
#include "src/base/significance.h"

#include "src/base/memory.h"
#include "src/base/order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ order */

ORDER_BY(compare_numbers, double, BY_LESS(*a, *b));

static void sort_numbers(double *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, compare_numbers);
}

static double median_of_sorted(const double *sorted, size_t count)
{
    if (!count)
        return NAN;
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double *sorted_copy(const double *values, size_t count)
{
    double *copy = memory_list(count + 1, sizeof *copy);
    if (count)
        memcpy(copy, values, count * sizeof *copy);
    sort_numbers(copy, count);
    return copy;
}

/* ------------------------------------------------------------------ Student's distribution */

/* The continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x)
{
    enum { ROUNDS = 300 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int i = 1; i <= ROUNDS; i++) {
        double m = i;
        for (int odd = 0; odd < 2; odd++) {
            double step = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + step * d;
            c = 1 + step / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            fraction *= d * c;
        }
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return fraction;
}

/* The probability of a value at least this far from 0, on either side. */
static double student_p(double t, double freedom)
{
    /* The regularised incomplete beta function. */
    double a = freedom / 2;
    double b = 0.5;
    double x = freedom / (freedom + t * t);
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* ------------------------------------------------------------------ one sample */

static void mean_and_variance(const double *values, size_t count, double *mean, double *variance)
{
    double at = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double before = values[i] - at;
        at += before / (double)(i + 1);
        squares += before * (values[i] - at);
    }
    *mean = count ? at : NAN;
    *variance = count > 1 ? squares / (double)(count - 1) : NAN;
}

void sample_figures_of(const double *values, size_t count, struct sample_figures *figures)
{
    double *sorted = sorted_copy(values, count), variance;
    *figures = (struct sample_figures){.count = count};
    mean_and_variance(values, count, &figures->mean, &variance);
    figures->deviation = sqrt(variance);
    figures->median = median_of_sorted(sorted, count);
    figures->least = count ? sorted[0] : NAN;
    figures->most = count ? sorted[count - 1] : NAN;
    for (size_t i = 0; i < count; i++)
        sorted[i] = fabs(sorted[i] - figures->median);
    sort_numbers(sorted, count);
    figures->spread = 1.4826 * median_of_sorted(sorted, count);
    memory_free(sorted);
}

/* ------------------------------------------------------------------ Mann and Whitney */

enum { EXACT_MAX = 20 };

/* How often a value of the right sample is above one of the left; ties count half. And the sum of
 * t^3 - t over groups of t equal values. */
static double count_above(const double *left, size_t m, const double *right, size_t n, double *ties)
{
    double u = 0;
    size_t i = 0, j = 0;
    *ties = 0;
    while (j < n || i < m) {
        double value = j < n && (i >= m || right[j] <= left[i]) ? right[j] : left[i];
        size_t lefts = 0, rights = 0, below = i;
        for (; i < m && left[i] == value; i++)
            lefts++;
        for (; j < n && right[j] == value; j++)
            rights++;
        u += (double)rights * ((double)below + (double)lefts / 2);
        double t = (double)(lefts + rights);
        *ties += t * t * t - t;
    }
    return u;
}

static double normal_p(double u, double m, double n, double ties)
{
    double all = m + n;
    double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));
    if (variance <= 0)
        return 1;
    double away = fabs(u - m * n / 2) - 0.5; /* U is whole: half a step is given back */
    return away <= 0 ? 1 : erfc(away / sqrt(variance) / sqrt(2));
}

/* One order in m + n over m has U = 0. */
static double rank_least_p(double m, double n)
{
    return fmin(1, 2 * exp(lgamma(m + 1) + lgamma(n + 1) - lgamma(m + n + 1)));
}

static void mann_whitney(const double *left, size_t m, const double *right, size_t n,
                         struct difference *difference)
{
    if (!m || !n)
        return;
    double *sorted[2] = {sorted_copy(left, m), sorted_copy(right, n)}, ties = 0, share = 0;
    difference->u = count_above(sorted[0], m, sorted[1], n, &ties);
    difference->rank_p = normal_p(difference->u, (double)m, (double)n, ties);
    difference->rank_least_p = rank_least_p((double)m, (double)n);
    if (m <= EXACT_MAX && n <= EXACT_MAX && ties == 0) {
        double least = fmin(difference->u, (double)(m * n) - difference->u);

        /* The share of all orders of the two samples whose U is at most `u`: counted by how the
         * largest value may belong to either (Mann and Whitney 1947). */
        size_t u = (size_t)least;
        /* ways[j][k]: orders of i values on the left and j on the right with U = k */
        size_t width = m * n + 1;
        double *ways = memory_zeroed((n + 1) * width, sizeof *ways);
        for (size_t j = 0; j <= n; j++)
            ways[j * width] = 1;
        for (size_t i = 1; i <= m; i++)
            for (size_t j = 1; j <= n; j++)
                for (size_t k = width; k-- > 0;) {
                    /* the largest is on the left, above j others; or on the right */
                    double by_left = k >= j ? ways[j * width + k - j] : 0;
                    ways[j * width + k] = by_left + ways[(j - 1) * width + k];
                }
        double all = 0, at_most = 0;
        for (size_t k = 0; k < width; k++) {
            all += ways[n * width + k];
            at_most += k <= u ? ways[n * width + k] : 0;
        }
        share = at_most / all;
        memory_free(ways);
        difference->rank_p = fmin(1, 2 * share);
    }
    memory_free(sorted[0]);
    memory_free(sorted[1]);
}

void difference_of(const double *left, size_t left_count, const double *right, size_t right_count,
                   struct difference *difference)
{
    *difference = (struct difference){NAN, NAN, NAN, NAN, NAN, NAN};

    /* Welch's test needs two values a side. */
    double means[2], variances[2];
    mean_and_variance(left, left_count, &means[0], &variances[0]);
    mean_and_variance(right, right_count, &means[1], &variances[1]);
    double a = variances[0] / (double)left_count, b = variances[1] / (double)right_count;
    double gap = means[1] - means[0];
    if (left_count >= 2 && right_count >= 2) {
        if (a + b <= 0) { /* neither varies at all: any difference is one */
            difference->t = gap == 0 ? 0 : copysign(INFINITY, gap);
            difference->freedom = (double)(left_count + right_count - 2);
            difference->welch_p = gap == 0 ? 1 : 0;
        } else {
            difference->t = gap / sqrt(a + b);
            difference->freedom =
                (a + b) * (a + b) /
                (a * a / (double)(left_count - 1) + b * b / (double)(right_count - 1));
            difference->welch_p = student_p(difference->t, difference->freedom);
        }
    }
    mann_whitney(left, left_count, right, right_count, difference);
}

size_t samples_to_decide(double t, size_t count, double factor, double alpha)
{
    enum { MOST = 1000 };
    for (size_t n = count + 1; n <= MOST; n++) {
        double p =
            isnan(t) ? 0 : student_p(t * sqrt((double)n / (double)count), 2.0 * (double)n - 2);
        if (rank_least_p((double)n, (double)n) < alpha && p * factor < alpha)
            return n;
    }
    return 0;
}

/* ------------------------------------------------------------------ bootstrap */

/* The median of as many values drawn from a sorted sample: by counting how often each is drawn. */
static double drawn_median(const double *sorted, size_t count, uint32_t *drawn, uint64_t *state)
{
    memset(drawn, 0, count * sizeof *drawn);
    for (size_t i = 0; i < count; i++) {
        /* SplitMix64 (Steele, Lea and Flood 2014). */
        uint64_t z = *state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        uint64_t random = z ^ (z >> 31);
        drawn[random % count]++;
    }
    size_t at = 0, seen = drawn[0];
    while (seen <= (count - 1) / 2)
        seen += drawn[++at];
    double low = sorted[at];
    while (seen <= count / 2)
        seen += drawn[++at];
    return (low + sorted[at]) / 2;
}

void ratio_interval(const double *left, size_t left_count, const double *right, size_t right_count,
                    size_t draws, double *low, double *high)
{
    *low = *high = NAN;
    if (!left_count || !right_count || !draws)
        return;
    size_t most = left_count > right_count ? left_count : right_count, kept = 0;
    double *sorted[2] = {sorted_copy(left, left_count), sorted_copy(right, right_count)};
    double *ratios = memory_list(draws, sizeof *ratios);
    uint32_t *drawn = memory_list(most, sizeof *drawn);
    uint64_t state = 1;
    for (size_t i = 0; i < draws; i++) {
        double base = drawn_median(sorted[0], left_count, drawn, &state);
        double other = drawn_median(sorted[1], right_count, drawn, &state);
        if (base != 0)
            ratios[kept++] = other / base;
    }
    if (kept == draws) {
        sort_numbers(ratios, kept);
        *low = ratios[(size_t)(0.025 * (double)(kept - 1))];
        *high = ratios[(size_t)ceil(0.975 * (double)(kept - 1))];
    }
    memory_free(sorted[0]);
    memory_free(sorted[1]);
    memory_free(ratios);
    memory_free(drawn);
}

/* ------------------------------------------------------------------ many tests */

struct tested {
    double p;
    size_t place;
};

ORDER_BY(compare_tested, struct tested, UP(p) || UP(place));

void holm_correct(double *probabilities, size_t count)
{
    struct tested *tests = memory_list(count + 1, sizeof *tests);
    size_t tested = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(probabilities[i]))
            tests[tested++] = (struct tested){probabilities[i], i};
    if (tested)
        qsort(tests, tested, sizeof *tests, compare_tested);
    double before = 0;
    for (size_t i = 0; i < tested; i++) {
        before = fmax(before, fmin(1, tests[i].p * (double)(tested - i)));
        probabilities[tests[i].place] = before;
    }
    memory_free(tests);
}
