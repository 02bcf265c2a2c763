/* rope: rotary embeddings. */
#include "sql/models/models.h"

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
