/* moe: mixtures of experts. Each token goes to `topk` of the experts. */
#include "sql/models/models.h"

#include <math.h>

/* How many experts have work, on average, when tokens choose at random. */
double moe_experts(double experts, double topk, double tokens)
{
    return experts * (1 - pow((experts - topk) / experts, tokens));
}

static double halves(double gated)
{
    return gated != 0 ? 2 : 1;
}

double moe_up_flops(double tokens, double hidden, double inter, double topk, double gated)
{
    return 2 * tokens * hidden * inter * topk * halves(gated);
}

double moe_up_bytes(double tokens, double hidden, double inter, double experts, double topk,
                    double gated, double bpe_in, double bpe_weight, double bpe_out)
{
    double weights = moe_experts(experts, topk, tokens) * halves(gated) * hidden * inter;
    return tokens * hidden * bpe_in + weights * bpe_weight + tokens * inter * topk * bpe_out;
}

double moe_down_flops(double tokens, double hidden, double inter, double topk)
{
    return 2 * tokens * hidden * inter * topk;
}

double moe_down_bytes(double tokens, double hidden, double inter, double experts, double topk,
                      double bpe_in, double bpe_weight, double bpe_out)
{
    double weights = moe_experts(experts, topk, tokens) * hidden * inter;
    return tokens * inter * topk * bpe_in + weights * bpe_weight + tokens * hidden * bpe_out;
}

/* Up, down, and the weighted sum of what the experts of a token say. */
double moe_fused_flops(double tokens, double hidden, double inter, double topk, double gated)
{
    return moe_up_flops(tokens, hidden, inter, topk, gated) +
           moe_down_flops(tokens, hidden, inter, topk) + tokens * hidden * (2 * topk - 1);
}

double moe_fused_bytes(double tokens, double hidden, double inter, double experts, double topk,
                       double gated, double bpe_in, double bpe_weight, double bpe_out)
{
    double weights = moe_experts(experts, topk, tokens) * (halves(gated) + 1) * hidden * inter;
    return tokens * hidden * (bpe_in + bpe_out) + weights * bpe_weight;
}
