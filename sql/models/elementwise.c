/* elementwise: one result for each element, and what only changes the form of numbers:
 * quantisation and embeddings. */
#include "sql/models/models.h"

#include <math.h>

enum { MX_BLOCK = 32 }; /* elements that share a scale of one byte in the MX formats */

double elementwise_flops(double elements, double each)
{
    return elements * each;
}

double unary_bytes(double elements, double bpe_in, double bpe_out)
{
    return elements * (bpe_in + bpe_out);
}

double binary_bytes(double left, double bpe_left, double right, double bpe_right, double out,
                    double bpe_out)
{
    return left * bpe_left + right * bpe_right + out * bpe_out;
}

/* An activation times a gate: the input has both halves. */
double gated_bytes(double elements, double bpe_in, double bpe_out)
{
    return 2 * elements * bpe_in + elements * bpe_out;
}

/* To four bits. */
double mx_quant_bytes(double elements, double bpe)
{
    return elements * bpe + 0.5 * elements + floor(elements / MX_BLOCK);
}

/* To four bits, once along rows and once along columns. */
double mx_quant_dual_bytes(double m, double n, double bpe)
{
    return m * n * bpe + 2 * floor((m * n + 1) / 2) + m * ceil(n / MX_BLOCK) +
           n * ceil(m / MX_BLOCK);
}

/* To one byte, with a float for each group of a row. */
double group_quant_bytes(double m, double n, double group, double bpe)
{
    return m * n * bpe + m * n + 4 * m * fmax(1, ceil(n / group));
}

double embedding_bytes(double rows, double width, double bpe, double bpe_index)
{
    return 2 * rows * width * bpe + rows * bpe_index;
}
