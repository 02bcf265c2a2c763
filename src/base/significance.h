/* significance: whether two samples differ, and by how much. Plain figures; nothing is printed and
 * nothing is random: the same samples always give the same answer.
 *
 * A sample is a list of values of one thing measured several times: a step, a run. Lists that are
 * not sorted are left as they are; what needs an order works on a copy.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Figures of one sample; NaN where there are too few values for one. */
struct sample_figures {
    size_t count;
    double mean, deviation; /* of the sample, n - 1 */
    double median;
    double
        spread; /* median distance from the median, times 1.4826: the deviation of normal noise */
    double least, most;
};

void sample_figures_of(const double *values, size_t count, struct sample_figures *figures);

struct difference {
    double t, freedom, welch_p; /* two-sided; NaN with fewer than two values on a side */
    double u, rank_p;           /* Mann-Whitney of the right sample over the left one, two-sided */
    double rank_least_p;        /* the least that rank_p can be with samples of this size */
};

/* Welch's test, and that of Mann and Whitney: exact up to 20 values a side without ties, else by
 * the normal distribution with a correction for ties. */
void difference_of(const double *left, size_t left_count, const double *right, size_t right_count,
                   struct difference *difference);

/* 95 % interval of median(right) / median(left), from 10000 draws (or `draws`) with a fixed seed.
 * NaN where a sample is empty or a median is 0. */
void ratio_interval(const double *left, size_t left_count, const double *right, size_t right_count,
                    size_t draws, double *low, double *high);

/* Samples a side that would decide a difference with this t of `count` samples a side: by ranks,
 * and by Welch's test times `factor`, the correction for other tests. 0: more than can be told. */
size_t samples_to_decide(double t, size_t count, double factor, double alpha);

/* Corrects the probabilities of several tests (Holm); NaN are no tests. */
void holm_correct(double *probabilities, size_t count);
