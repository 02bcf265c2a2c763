/* sdpa: attention. Softmax, dropout and masks other than the causal one do not count.
 *
 * Of a causal mask the usual convention takes half of a square. Where queries are fewer than keys,
 * they are the last ones: query i sees all but the N_Q - 1 - i last keys.
 */
#include "sql/models/models.h"

#include <math.h>

/* The share of all pairs of queries and keys that a mask leaves. */
static double share(double n_q, double n_kv, double causal)
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
    return 2 * b * h_q * n_q * n_kv * (d_qk + d_v) * share(n_q, n_kv, causal);
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
    return (2 * b * h_q * n_q * n_kv * products + sums) * share(n_q, n_kv, causal);
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

/* `keys` are those that come from the cache, beyond the queries' own. */
double paged_attention_bytes(double queries, double keys, double h_q, double h_kv, double d_qk,
                             double d_v, double bpe, double bpe_kv)
{
    return queries * (h_q + h_kv) * (d_qk + d_v) * bpe + keys * h_kv * (d_qk + d_v) * bpe_kv;
}
