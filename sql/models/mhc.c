/* mhc: manifold-constrained hyper-connections: several residual streams that are mixed. */
#include "sql/models/models.h"

double mhc_mix_flops(double tokens, double streams, double width)
{
    return 2 * tokens * streams * width * (streams + 1);
}
