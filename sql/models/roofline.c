/* roofline: the least time that a device can take. */
#include "sql/models/models.h"

#include <math.h>

double roofline_us(double flops, double bytes, double tflops, double gbps)
{
    if (tflops <= 0 || gbps <= 0)
        return NAN;
    return fmax(flops / (tflops * 1e6), bytes / (gbps * 1e3));
}
