/* gemm: matrix products (M, K) x (K, N), dense, grouped and with scales for blocks of 32. */
#include "sql/models/models.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

double gemm_flops(double m, double n, double k, double bias)
{
    return 2 * m * n * k + (bias != 0 ? m * n : 0);
}

double gemm_bytes(double m, double n, double k, double bias, double bpe_a, double bpe_b,
                  double bpe_bias, double bpe_out)
{
    return m * k * bpe_a + k * n * bpe_b + m * n * bpe_out + (bias != 0 ? n * bpe_bias : 0);
}

/* The gradient of A is (M, N) x (N, K), that of B is (K, M) x (M, N); that of the bias a sum. */
double gemm_bwd_flops(double m, double n, double k, double bias)
{
    return 4 * m * n * k + (bias != 0 ? m * n : 0);
}

double gemm_bwd_bytes(double m, double n, double k, double bias, double bpe)
{
    return 2 * bpe * (m * n + n * k + m * k) + (bias != 0 ? n * bpe : 0);
}

/* Four-bit operands: two of them share a byte, and each block of 32 along K has a scale. */
double gemm_mx_bytes(double m, double n, double k, double bpe_a, double bpe_b, double bpe_scale_a,
                     double bpe_scale_b)
{
    double packed = floor(k / 2), blocks = ceil(k / 32);
    return m * packed * bpe_a + n * packed * bpe_b + m * blocks * bpe_scale_a +
           n * blocks * bpe_scale_b + 2 * m * n;
}

double grouped_gemm_flops(double m, double n, double k)
{
    return 2 * m * n * k;
}

double grouped_gemm_bytes(double m, double n, double k, double groups, double bpe_in,
                          double bpe_out)
{
    return (m * k + groups * k * n) * bpe_in + m * n * bpe_out;
}

int gemm_layout_of(const char *name, int layout[2])
{
    static const char *const known[2][2] = {{"_Ailk_", "_Alik_"}, {"_Bljk_", "_Bjlk_"}};
    const char *last = strrchr(name, '_');
    if (strncmp(name, "nvjet", strlen("nvjet")) == 0) {
        last = last ? last + 1 : name;
        if (strlen(last) < 2)
            return -1;
        layout[0] = last[0] == 'T';
        layout[1] = last[1] == 'T';
        return 1;
    }
    for (const char *at = name; (at = strchr(at, 'C')); at++) { /* Cijk_Ailk_Bljk */
        bool fits = true;
        for (int i = 0; i < 14 && fits; i++)
            fits = i == 0 || (i == 5 && at[i] == 'A') || (i == 10 && at[i] == 'B') ||
                   ((i == 4 || i == 9) && at[i] == '_') ||
                   (i != 5 && i != 10 && i != 4 && i != 9 && islower((unsigned char)at[i]));
        if (!fits)
            continue;
        for (int i = 0; i < 2; i++)
            layout[i] = strstr(name, known[i][0]) ? 0 : strstr(name, known[i][1]) ? 1 : -1;
        return 1;
    }
    return 0;
}
