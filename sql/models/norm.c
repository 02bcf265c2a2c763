/* norm: batch, layer, group and instance norm, and RMS norm. `channels` is the number of
 * statistics, of RMS norm the number of elements that one is taken over. */
#include "sql/models/models.h"

/* Training computes the statistics, too. */
double norm_flops(double elements, double channels, double training)
{
    return 6 * channels + (training != 0 ? 5 : 2) * elements;
}

double norm_bytes(double elements, double channels, double bpe, double affine, double bias,
                  double training)
{
    double weights = affine != 0 ? 1 + (bias != 0) : 0;
    double statistics = 2 + (training != 0 ? 2 : 0);
    return bpe * (2 * elements + channels * (statistics + weights));
}

double norm_bwd_flops(double elements, double channels, double training, double input_gradient)
{
    double each = elements / channels;
    double gradient = input_gradient != 0 && training != 0 ? 5 * each : 0;
    double scaling = input_gradient == 0 ? 2 * each : 0;
    return channels * ((training != 0 ? 0 : 3) + 4 * each + gradient + scaling);
}

double norm_bwd_bytes(double elements, double channels, double bpe, double affine, double bias,
                      double training, double input_gradient)
{
    double per_channel = training != 0 ? 1 : 0;
    if (affine != 0)
        per_channel += 1 + (training != 0 ? 1 + (bias != 0) : 0);
    double passes = input_gradient != 0 && training != 0 ? 3 : 2;
    return bpe * (passes * elements + per_channel * channels);
}

double rms_norm_flops(double elements, double channels, double affine)
{
    return elements / channels * (2 * channels + 2) + elements * (affine != 0 ? 2 : 1);
}

double rms_norm_bytes(double elements, double channels, double bpe, double affine)
{
    return bpe * (2 * elements + (affine != 0 ? channels : 0));
}

double rms_norm_bwd_flops(double elements, double channels, double affine, double input_gradient,
                          double weight_gradient)
{
    double flops = elements + (affine != 0 ? elements : 0);
    if (input_gradient != 0)
        flops += 6 * elements;
    if (weight_gradient != 0 && affine != 0)
        flops += elements + (elements > channels ? elements : 0);
    return flops;
}

double rms_norm_bwd_bytes(double elements, double channels, double bpe, double affine)
{
    return bpe * (3 * elements + (affine != 0 ? 2 * channels : 0));
}
