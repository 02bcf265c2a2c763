/* ssm: state space models: the short causal convolution, and the scan by chunks (SSD). */
#include "sql/models/models.h"

double conv1d_flops(double batch, double channels, double length, double kernel)
{
    return 2 * batch * channels * length * kernel;
}

double conv1d_bytes(double batch, double channels, double length, double kernel, double bias,
                    double bpe)
{
    return (2 * batch * channels * length + channels * kernel + (bias != 0 ? channels : 0)) * bpe;
}

/* The convolution, the products within chunks, and the states between them. */
double ssd_flops(double batch, double length, double heads, double d_head, double groups,
                 double d_state, double chunk, double channels, double kernel)
{
    return conv1d_flops(batch, channels, length, kernel) +
           2 * batch * length * chunk * (groups * d_state + heads * d_head) +
           4 * batch * heads * length * d_state * d_head;
}
