/* number: Shortest digits are found in three steps: short decimals by one multiplication, then
 * exact arithmetic in 128 bits, then printf with growing precision. Each step accepts only digits
 * that read back as the same double. Rounded numbers near a tie are left to printf. */
#include "src/base/number.h"

#include "src/base/language.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scientific notation outside of this range of decimal exponents. */
enum { EXPONENT_LOWEST = -4, EXPONENT_HIGHEST = 15 };

/* Digits of a whole number without the zeros at its end. Gives their count; `*length` with them. */
static int write_digits(uint64_t whole, char *digits, int *length)
{
    char reversed[20];
    int count = 0, zeros = 0;
    do
        reversed[count++] = (char)('0' + whole % 10);
    while (whole /= 10);
    while (zeros < count - 1 && reversed[zeros] == '0')
        zeros++;
    for (int at = count; at > zeros; at--)
        *digits++ = reversed[at - 1];
    *length = count;
    return count - zeros;
}

/* Digits of a number that is so many thousandths, or millionths, or a whole one, which most are
 * that people see: up to 15 digits that read back are the shortest. 0 = it is none. */
static int few_digits(double value, char digits[20], int *exponent)
{
    static const struct {
        double unit;
        int decimals;
    } scales[] = {{1, 0}, {1e3, 3}, {1e6, 6}};
    const double least = 1e-6, too_large = 1e15;
    if (value == 0) {
        digits[0] = '0';
        *exponent = 0;
        return 1;
    }
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        double scaled = value * scales[i].unit;
        if (value < least || scaled >= too_large)
            return 0;
        int64_t whole = (int64_t)(scaled + 0.5);
        if ((double)whole / scales[i].unit != value)
            continue;
        int length, count = write_digits((uint64_t)whole, digits, &length);
        *exponent = length - 1 - scales[i].decimals;
        return count;
    }
    return 0;
}

__extension__ typedef unsigned __int128 wide;

/* A number as a fraction whose 17 digits are a whole number, without any rounding:
 * value * 10^places = product / 2^shift. */
struct fraction {
    uint64_t mantissa;
    wide product, scale; /* 10^places: how far its neighbours are from the product */
    int shift, places;
};

static wide power_of_ten(int exponent)
{
    wide power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* False: it has no place in 128 bits, or its neighbours are not equally far. */
static bool find_fraction(double value, struct fraction *out)
{
    const double least = 1e-5, too_large = 0x1p52;
    const uint64_t lowest = (uint64_t)1 << (DBL_MANT_DIG - 1), ten_to_16 = 10000000000000000u;
    if (!(value >= least && value < too_large))
        return false;
    int exponent;
    double half = frexp(value, &exponent);
    *out = (struct fraction){.mantissa = (uint64_t)ldexp(half, DBL_MANT_DIG),
                             .shift = DBL_MANT_DIG - exponent,
                             .places = 16 - (int)floor(log10(value))};
    out->scale = power_of_ten(out->places);
    out->product = out->mantissa * out->scale;
    if (out->product >> out->shift < ten_to_16) { /* the logarithm was rounded up */
        out->places++;
        out->scale *= 10;
        out->product *= 10;
    }
    return out->mantissa != lowest && out->product >> out->shift < 10 * ten_to_16;
}

/* The number rounded so that its last `dropped` of 17 digits fall away, half to even; 0 when that
 * does not read back. */
static uint64_t round_back(const struct fraction *self, int dropped)
{
    static const uint64_t units[] = {1, 10, 100};
    wide unit = (wide)units[dropped] << self->shift;
    uint64_t whole = (uint64_t)(self->product / unit);
    wide rest = self->product - whole * unit;
    bool goes_up = 2 * rest > unit || (2 * rest == unit && whole % 2);
    wide away = 2 * (goes_up ? unit - rest : rest);
    bool reads_back = away < self->scale || (away == self->scale && self->mantissa % 2 == 0);
    return reads_back ? whole + goes_up : 0;
}

/* Digits of a number by arithmetic on whole numbers. 0 = it is too small or too large for that. */
static int exact_digits(double value, char digits[20], int *exponent)
{
    struct fraction fraction;
    uint64_t whole = 0;
    int dropped = 3, length;
    if (!find_fraction(value, &fraction))
        return 0;
    while (!whole && dropped > 0)
        whole = round_back(&fraction, --dropped);
    int count = write_digits(whole, digits, &length);
    *exponent = length - 1 + dropped - fraction.places;
    return count;
}

/* The shortest digits that read back as `value`, and the place of the point behind the first. */
static int shortest(double value, char digits[20], int *exponent)
{
    int few = few_digits(value, digits, exponent);
    if (!few)
        few = exact_digits(value, digits, exponent);
    if (few)
        return few;
    char text[40];
    int precision = fabs(value) < 1e-290 ? 1 : 15; /* near zero there are fewer than 15 digits */
    locale_t before = language_enter();
    do
        snprintf(text, sizeof text, "%.*e", precision - 1, value);
    while (strtod(text, NULL) != value && ++precision <= 17);
    language_leave(before);
    int count = 0;
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    *exponent = atoi(at + 1);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

void number_add_real(struct text *out, double value)
{
    if (isnan(value) || isinf(value)) {
        text_add_string(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    char digits[20];
    int exponent, count = shortest(fabs(value), digits, &exponent);
    if (signbit(value))
        text_add_byte(out, '-');
    if (exponent < EXPONENT_LOWEST || exponent > EXPONENT_HIGHEST) {
        text_add(out, digits, 1);
        if (count != 1) {
            text_add_byte(out, '.');
            text_add(out, digits + 1, (size_t)count - 1);
        }
        text_format(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    if (exponent < 0) {
        text_add(out, "0.000", (size_t)(1 - exponent));
        text_add(out, digits, (size_t)count);
        return;
    }
    for (int i = 0; i <= exponent; i++)
        text_add_byte(out, i < count ? digits[i] : '0');
    int behind = count - exponent - 1;
    text_add_byte(out, '.');
    text_add(out, behind > 0 ? digits + exponent + 1 : "0", behind > 0 ? (size_t)behind : 1);
}

/* With a comma between so many digits; 0 = without any. */
static void add_integer(struct text *out, int64_t value, int group)
{
    char digits[32], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (int i = 0; i == 0 || rest; i++, rest /= 10) {
        if (group && i && i % group == 0)
            *--at = ',';
        *--at = (char)('0' + rest % 10);
    }
    if (value < 0)
        *--at = '-';
    text_add(out, at, (size_t)(digits + sizeof digits - at));
}

void number_add_integer(struct text *out, int64_t value)
{
    add_integer(out, value, 0);
}

void number_add_grouped(struct text *out, int64_t value)
{
    add_integer(out, value, 3);
}

int number_decimals(const char *unit)
{
    static const struct {
        const char *unit;
        int decimals;
    } known[] = {{"ns", 0}, {"us", 2}, {"ms", 3},   {"s", 3},     {"%", 2},
                 {"MB", 2}, {"GB", 2}, {"GB/s", 2}, {"TFLOPS", 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].unit, unit) == 0)
            return known[i].decimals;
    return -1;
}

/* Adds a number with so many decimals, unless it lies so near the middle between two of those that
 * the last bit decides. */
static bool add_fixed(struct text *out, double value, int decimals)
{
    static const int64_t powers[] = {1, 10, 100, 1000};
    enum { LARGEST = 1000000000 };
    const double margin = 1e-6;
    if (decimals > 3)
        return false;
    double scaled = fabs(value) * (double)powers[decimals];
    if (scaled >= LARGEST)
        return false;
    int64_t whole = (int64_t)scaled;
    double rest = scaled - (double)whole;
    if (fabs(rest - 0.5) < margin)
        return false;
    whole += rest > 0.5;
    char digits[5] = ".";
    int64_t part = whole % powers[decimals];
    for (int i = decimals; i > 0; i--, part /= 10)
        digits[i] = (char)('0' + part % 10);
    if (value < 0)
        text_add_byte(out, '-');
    number_add_grouped(out, whole / powers[decimals]);
    if (decimals)
        text_add(out, digits, (size_t)decimals + 1);
    return true;
}

bool number_add_rounded(struct text *out, double value, const char *unit)
{
    int decimals = number_decimals(unit);
    if (!isfinite(value) || fabs(value) >= 1e15) {
        number_add_real(out, value);
        return true;
    }
    if (decimals < 0) {
        if (fabs(value) < 1e4)
            text_format(out, "%.5g", value);
        else
            number_add_grouped(out, llround(value));
        return true;
    }
    if (add_fixed(out, value, decimals))
        return true;
    char digits[40];
    locale_t before = language_enter();
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
    language_leave(before);
    char *point = strchr(digits, '.');
    long long whole = strtoll(digits, NULL, 10);
    if (value < 0)
        text_add_byte(out, '-');
    number_add_grouped(out, whole);
    if (point)
        text_add_string(out, point);
    return true;
}

void number_add_time(struct text *out, int64_t nanoseconds)
{
    double value = (double)nanoseconds;
    if (fabs(value) < 1e3) {
        text_format(out, "%lld ns", (long long)nanoseconds);
        return;
    }
    if (fabs(value) < 1e6) {
        text_format(out, "%.2f us", value / 1e3);
        return;
    }
    if (fabs(value) < 1e9) {
        text_format(out, "%.3f ms", value / 1e6);
        return;
    }
    text_format(out, "%.3f s", value / 1e9);
}

void number_add_size(struct text *out, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (unit < 3 && fabs(bytes) >= 1024) {
        bytes /= 1024;
        unit++;
    }
    text_format(out, unit ? "%.2f %s" : "%.0f %s", bytes, units[unit]);
}
