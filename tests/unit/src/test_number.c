/* Numbers as text: short, and the same number when they are read back. */
#include "tests/unit/support.h"

#include "src/base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_real(double value, const char *expected)
{
    struct text text = {0};
    number_add_real(&text, value);
    assert_string_equal(text.items, expected);
    text_free(&text);
}

static void reals_are_short(void **state)
{
    (void)state;
    assert_real(0, "0.0");
    assert_real(-0.0, "-0.0");
    assert_real(1, "1.0");
    assert_real(12, "12.0");
    assert_real(-12.5, "-12.5");
    assert_real(0.1, "0.1");
    assert_real(0.1 + 0.2, "0.30000000000000004");
    assert_real(1.0 / 3, "0.3333333333333333");
    assert_real(2.0 / 3, "0.6666666666666666");
    assert_real(100, "100.0");
    assert_real(123456.789, "123456.789");
    assert_real(1e15, "1000000000000000.0");
    assert_real(9007199254740992, "9007199254740992.0");
    assert_real(9999999999999998, "9999999999999998.0");
    assert_real(1e16, "1e+16");
    assert_real(1.5e16, "1.5e+16");
    assert_real(1e22, "1e+22");
    assert_real(1e100, "1e+100");
    assert_real(0.001, "0.001");
    assert_real(0.0001, "0.0001");
    assert_real(0.00012345, "0.00012345");
    assert_real(1e-5, "1e-05");
    assert_real(1.5e-5, "1.5e-05");
    assert_real(-2.5e-7, "-2.5e-07");
    assert_real(DBL_MAX, "1.7976931348623157e+308");
    assert_real(DBL_MIN, "2.2250738585072014e-308");
    assert_real(5e-324, "5e-324"); /* the least there is */
    assert_real(1.5e-323, "1.5e-323");
    assert_real(2 * DBL_MIN, "4.450147717014403e-308");
    assert_real(INFINITY, "inf");
    assert_real(-INFINITY, "-inf");
    assert_real(NAN, "nan");
}

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Digits of a number that are not zeros at its ends, and their count. */
static int copy_digits(const char *text, char digits[400])
{
    int count = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count || *text != '0'))
            digits[count++] = *text;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    return count;
}

static int digits_of(const char *text)
{
    char digits[400];
    return copy_digits(text, digits);
}

static void any_real_reads_back_and_none_is_longer_than_it_must(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 40000; i++) {
        uint64_t bits = random_bits();
        double value;
        if (i % 8 == 0) /* what people see, as many digits as there may be */
            value = ldexp((double)(bits >> 11), -10 - (int)(bits % 64));
        else if (i % 4 == 1) /* few digits */
            value = (double)(int64_t)(bits % 2000001 - 1000000) / 1000;
        else if (i % 4 == 2) /* near the least there is */
            value = (double)(bits % 1000) * 5e-324;
        else if (i % 4 == 3) /* millionths, as many digits as there may be */
            value = (double)(bits % 1000000000000000) / 1e6;
        else
            memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        text_clear(&text);
        number_add_real(&text, value);
        char *end;
        double back = strtod(text.items, &end);
        assert_int_equal(*end, 0);
        if (memcmp(&back, &value, sizeof value) != 0)
            fail_msg("%.17g became %s", value, text.items);
        int digits = digits_of(text.items);
        char shorter[40];
        snprintf(shorter, sizeof shorter, "%.*e", digits > 1 ? digits - 2 : 0, value);
        if (digits > 1 && strtod(shorter, NULL) == value)
            fail_msg("%s is longer than %s", text.items, shorter);
    }
    text_free(&text);
}

/* What a formatted number is made of, whichever way it was found. */
static void a_real_has_the_digits_that_printf_gives(void **state)
{
    (void)state;
    static const double hard[] = {1e-5,
                                  9.999999999999999e-5,
                                  0.00010000000000000002,
                                  99999999999999.98,
                                  4503599627370495.5,
                                  2251799813685248.25,
                                  0.5,
                                  0.30000000000000004,
                                  100.00000000000001,
                                  999999.9999999999,
                                  5e-5,
                                  1125899906842624.125,
                                  562949953421312.0625};
    struct text text = {0};
    for (size_t i = 0; i < 20000 + sizeof hard / sizeof *hard; i++) {
        uint64_t bits = random_bits();
        double value =
            i < 20000 ? ldexp((double)(bits >> 11), -2 - (int)(bits % 72)) : hard[i - 20000];
        int precision = 15;
        char shortest[40];
        do
            snprintf(shortest, sizeof shortest, "%.*e", precision - 1, value);
        while (strtod(shortest, NULL) != value && ++precision <= 17);
        text_clear(&text);
        number_add_real(&text, value);
        char ours[400], theirs[400];
        copy_digits(text.items, ours);
        copy_digits(shortest, theirs);
        assert_string_equal(ours, theirs);
        assert_true(strtod(text.items, NULL) == value);
    }
    text_free(&text);
}

static void numbers_have_other_forms(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        const char *grouped, *time;
    } numbers[] = {
        {0, "0", "0 ns"},
        {999, "999", "999 ns"},
        {-999, "-999", "-999 ns"},
        {1000, "1,000", "1.00 us"},
        {-1000, "-1,000", "-1.00 us"},
        {5790, "5,790", "5.79 us"},
        {123456, "123,456", "123.46 us"},
        {-123456, "-123,456", "-123.46 us"},
        {12345000, "12,345,000", "12.345 ms"},
        {1211000000, "1,211,000,000", "1.211 s"},
        {INT64_MAX, "9,223,372,036,854,775,807", "9223372036.855 s"},
        {INT64_MIN, "-9,223,372,036,854,775,808", "-9223372036.855 s"},
    };
    struct text text = {0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_clear(&text);
        number_add_grouped(&text, numbers[i].value);
        assert_string_equal(text.items, numbers[i].grouped);
        text_clear(&text);
        number_add_integer(&text, numbers[i].value);
        char plain[32];
        snprintf(plain, sizeof plain, "%lld", (long long)numbers[i].value);
        assert_string_equal(text.items, plain);
        text_clear(&text);
        number_add_time(&text, numbers[i].value);
        assert_string_equal(text.items, numbers[i].time);
    }
    text_free(&text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(reals_are_short),
    cmocka_unit_test(any_real_reads_back_and_none_is_longer_than_it_must),
    cmocka_unit_test(a_real_has_the_digits_that_printf_gives),
    cmocka_unit_test(numbers_have_other_forms),
};
GROUP(number, NULL, NULL)
