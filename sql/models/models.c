/* models: the formulas, family by family, in the order of models.h.
 *
 * Each formula is one expression of its arguments; a backward pass is made of its forward pass
 * where it costs a multiple of it. Nothing is kept between calls.
 */
#include "sql/models/models.h"

#include <ctype.h>
#include <math.h>

/* ------------------------------------------------------------------ matrix products */

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

/* ------------------------------------------------------------------ attention */

/* Softmax, dropout and masks other than the causal one do not count. */

/* The share of all pairs of queries and keys that a mask leaves. Of a causal mask the usual
 * convention takes half of a square. Where queries are fewer than keys, they are the last ones:
 * query i sees all but the N_Q - 1 - i last keys. */
static double mask_share(double n_q, double n_kv, double causal)
{
    if (causal == 0)
        return 1;
    if (n_q == n_kv)
        return 0.5;
    double pairs = n_q < n_kv ? n_q * (n_kv - (n_q - 1) / 2) : n_kv * (n_kv + 1) / 2;
    return pairs / (n_q * n_kv);
}

double sdpa_flops(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                  double d_v, double causal)
{
    (void)h_kv;
    return 2 * b * h_q * n_q * n_kv * (d_qk + d_v) * mask_share(n_q, n_kv, causal);
}

double sdpa_bytes(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                  double d_v, double bpe)
{
    return bpe * b * (n_q * h_q + n_kv * h_kv) * (d_qk + d_v);
}

/* Five products, four without recomputing the scores; heads that share keys add up gradients. */
double sdpa_bwd_flops(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                      double d_v, double causal, double flash)
{
    double products = (flash != 0 ? d_qk : 0) + 2 * d_v + 2 * d_qk;
    double sums = b * n_kv * (d_v + d_qk) * (floor(h_q / h_kv) - 1);
    return (2 * b * h_q * n_q * n_kv * products + sums) * mask_share(n_q, n_kv, causal);
}

double sdpa_bwd_bytes(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                      double d_v, double bpe)
{
    return bpe * b * (n_q * h_q * (2 * d_qk + d_v) + 2 * n_kv * h_kv * (d_qk + d_v));
}

/* A batch of requests with a cache of keys and values. Prefill is causal and counts half pairs;
 * the caller gives 2 x (queries x keys) - queries^2 for it. */
double paged_attention_flops(double h_q, double d_qk, double d_v, double prefill_pairs,
                             double decode_pairs)
{
    return h_q * (d_qk + d_v) * (prefill_pairs + 2 * decode_pairs);
}

/* `keys` come from the cache, beyond the queries' own. */
double paged_attention_bytes(double queries, double keys, double h_q, double h_kv, double d_qk,
                             double d_v, double bpe, double bpe_kv)
{
    return queries * (h_q + h_kv) * (d_qk + d_v) * bpe + keys * h_kv * (d_qk + d_v) * bpe_kv;
}

/* ------------------------------------------------------------------ convolutions */

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

/* ------------------------------------------------------------------ one result for each element */

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

/* ------------------------------------------------------------------ reductions */

double reduce_flops(double inputs)
{
    return inputs;
}

double reduce_bytes(double inputs, double outputs, double bpe_in, double bpe_out)
{
    return inputs * bpe_in + outputs * bpe_out;
}

/* ------------------------------------------------------------------ norms */

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

/* ------------------------------------------------------------------ softmax and cross entropy */

double softmax_flops(double m, double n, double b)
{
    return 3 * b * m * n;
}

double softmax_bytes(double m, double n, double bpe, double b)
{
    return 2 * b * m * n * bpe;
}

double softmax_bwd_flops(double m, double n, double b)
{
    return 2 * softmax_flops(m, n, b);
}

double softmax_bwd_bytes(double m, double n, double bpe, double b)
{
    return 2 * softmax_bytes(m, n, bpe, b);
}

double cross_entropy_flops(double batch, double vocabulary)
{
    return 5 * batch * vocabulary;
}

/* Logits, and for each row a target of eight bytes and a loss of four. */
double cross_entropy_bytes(double batch, double logits, double bpe)
{
    return logits * bpe + 12 * batch;
}

/* ------------------------------------------------------------------ rotary embeddings */

double rope_flops(double elements)
{
    return 3 * elements;
}

double rope_bytes(double elements, double bpe)
{
    return 2 * elements * bpe;
}

/* Rotates queries and keys and puts the keys into the cache. `d` is what a head has in all. */
double rope_cache_bytes(double tokens, double q_heads, double kv_heads, double d, double bpe,
                        double bpe_out, double bpe_kv)
{
    return tokens * d * (q_heads * (bpe + bpe_out) + kv_heads * (bpe + bpe_kv));
}

/* ------------------------------------------------------------------ mixtures of experts */

/* How many experts have work, on average, when tokens choose at random. */
double moe_experts(double experts, double topk, double tokens)
{
    return experts * (1 - pow((experts - topk) / experts, tokens));
}

static double gate_halves(double gated)
{
    return gated != 0 ? 2 : 1;
}

double moe_up_flops(double tokens, double hidden, double inter, double topk, double gated)
{
    return 2 * tokens * hidden * inter * topk * gate_halves(gated);
}

double moe_up_bytes(double tokens, double hidden, double inter, double experts, double topk,
                    double gated, double bpe_in, double bpe_weight, double bpe_out)
{
    double weights = moe_experts(experts, topk, tokens) * gate_halves(gated) * hidden * inter;
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
    double weights = moe_experts(experts, topk, tokens) * (gate_halves(gated) + 1) * hidden * inter;
    return tokens * hidden * (bpe_in + bpe_out) + weights * bpe_weight;
}

/* ------------------------------------------------------------------ state space models */

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

/* ------------------------------------------------------------------ hyper-connections */

double mhc_mix_flops(double tokens, double streams, double width)
{
    return 2 * tokens * streams * width * (streams + 1);
}

/* ------------------------------------------------------------------ collectives */

double all_reduce_bytes(double elements, double bpe)
{
    return 2 * elements * bpe;
}

double gather_scatter_bytes(double inputs, double outputs, double bpe)
{
    return (inputs + outputs) * bpe;
}

/* ------------------------------------------------------------------ roofline */

double roofline_us(double flops, double bytes, double tflops, double gbps)
{
    if (tflops <= 0 || gbps <= 0)
        return NAN;
    return fmax(flops / (tflops * 1e6), bytes / (gbps * 1e3));
}
