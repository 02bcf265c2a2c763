/* gemm: matrix products (M, K) x (K, N), dense, grouped and with scales for blocks of 32. */
#include "models.h"

#include <math.h>

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
