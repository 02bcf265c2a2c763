/* conv: convolutions of any rank. Input, output and filter are numbers of elements; `filters` is
 * the first extent of the filter, so that filter / filters is what one result is summed over. */
#include "sql/models/models.h"

double conv_flops(double input, double output, double filter, double filters, double bias,
                  double transposed)
{
    return (transposed != 0 ? input : output) * 2 * (filter / filters) + (bias != 0 ? output : 0);
}

double conv_bytes(double input, double output, double filter, double channels, double bias,
                  double bpe)
{
    return (input + filter + output + (bias != 0 ? channels : 0)) * bpe;
}

/* The gradients of input and filter cost as much as the output each. */
double conv_bwd_flops(double input, double output, double filter, double filters, double bias,
                      double transposed)
{
    return 2 * conv_flops(input, output, filter, filters, 0, transposed) + (bias != 0 ? output : 0);
}

double conv_bwd_bytes(double input, double output, double filter, double channels, double bias,
                      double bpe)
{
    return 2 * (input + filter + output) * bpe + (bias != 0 ? (output + channels) * bpe : 0);
}
