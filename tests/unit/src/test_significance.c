/* Whether samples differ: figures worked out by hand or by other programs. */
#include "tests/unit/support.h"

#include "src/base/significance.h"

#include <math.h>
#include <string.h>

static void near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.10g is not %.10g", found, expected);
}

static const double even[] = {100, 102, 98, 101, 99}, slower[] = {104, 107, 103, 106, 105};
static const double noisy[] = {100, 110, 95, 105, 90};

static void one_sample_has_figures(void **state)
{
    (void)state;
    struct sample_figures figures;
    sample_figures_of(even, 5, &figures);
    near(figures.mean, 100, 0);
    near(figures.deviation * figures.deviation, 2.5, 1e-12);
    near(figures.median, 100, 0);
    near(figures.spread, 1.4826, 1e-12);
    near(figures.least, 98, 0);
    near(figures.most, 102, 0);
    sample_figures_of(even, 4, &figures);
    near(figures.median, 100.5, 0);
    sample_figures_of(even, 3, &figures);
    near(figures.median, 100, 0);
    sample_figures_of(even, 1, &figures);
    near(figures.median, 100, 0);
    assert_true(isnan(figures.deviation));
    sample_figures_of(even, 0, &figures);
    assert_true(isnan(figures.median));
}

static void a_difference_is_found(void **state)
{
    (void)state;
    struct difference difference;
    difference_of(even, 5, slower, 5, &difference);
    near(difference.t, 5, 1e-12);
    near(difference.freedom, 8, 1e-12);
    near(difference.welch_p, 0.0010528, 5e-8);
    near(difference.u, 25, 0);
    near(difference.rank_p, 2.0 / 252, 1e-12);
    near(difference.rank_least_p, 2.0 / 252, 1e-12);
}

static void noise_hides_it(void **state)
{
    (void)state;
    struct difference difference;
    difference_of(noisy, 5, slower, 5, &difference);
    near(difference.t, 1.38675, 5e-6);
    near(difference.freedom, 4.31949, 5e-6);
    near(difference.welch_p, 0.232803, 5e-7);
    near(difference.u, 17.5, 0);
    assert_true(difference.rank_p > 0.2);
}

static void what_does_not_vary_differs_or_not(void **state)
{
    (void)state;
    static const double same[] = {3, 3, 3}, other[] = {4, 4, 4};
    struct difference difference;
    difference_of(same, 3, same, 3, &difference);
    near(difference.welch_p, 1, 0);
    near(difference.rank_p, 1, 0);
    difference_of(same, 3, other, 3, &difference);
    near(difference.welch_p, 0, 0);
    difference_of(same, 1, other, 3, &difference);
    assert_true(isnan(difference.welch_p));
    difference_of(same, 0, other, 3, &difference);
    assert_true(isnan(difference.rank_p));
}

static void an_interval_of_the_ratio_repeats(void **state)
{
    (void)state;
    double low, high, again_low, again_high;
    ratio_interval(even, 5, slower, 5, 10000, &low, &high);
    assert_true(low > 1.0 && low < 1.05 && high > 1.05 && high < 1.1);
    ratio_interval(even, 5, slower, 5, 10000, &again_low, &again_high);
    near(again_low, low, 0);
    near(again_high, high, 0);
    static const double zero[] = {0, 0};
    ratio_interval(zero, 2, slower, 5, 100, &low, &high);
    assert_true(isnan(low) && isnan(high));
    ratio_interval(even, 1, slower, 1, 100, &low, &high);
    near(low, 1.04, 1e-12);
}

static void many_tests_need_more(void **state)
{
    (void)state;
    double probabilities[] = {0.01, NAN, 0.04, 0.03, 0.5};
    holm_correct(probabilities, 5);
    near(probabilities[0], 0.04, 1e-12);
    assert_true(isnan(probabilities[1]));
    near(probabilities[2], 0.09, 1e-12);
    near(probabilities[3], 0.09, 1e-12);
    near(probabilities[4], 0.5, 1e-12);
}

static void samples_that_would_decide(void **state)
{
    (void)state;
    assert_int_equal(samples_to_decide(NAN, 1, 1, 0.01), 5); /* 2 of 252 orders */
    assert_int_equal(samples_to_decide(INFINITY, 3, 1, 0.01), 5);
    assert_int_equal(samples_to_decide(20, 3, 10, 0.01), 5);
    assert_int_equal(samples_to_decide(3.5, 5, 1, 0.01), 6);
    assert_true(samples_to_decide(3.5, 5, 100, 0.01) > 8);
    assert_int_equal(samples_to_decide(0, 5, 1, 0.01), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_sample_has_figures),
    cmocka_unit_test(a_difference_is_found),
    cmocka_unit_test(noise_hides_it),
    cmocka_unit_test(what_does_not_vary_differs_or_not),
    cmocka_unit_test(an_interval_of_the_ratio_repeats),
    cmocka_unit_test(many_tests_need_more),
    cmocka_unit_test(samples_that_would_decide),
};
GROUP(significance, NULL, NULL)
