/* softmax: softmax over rows of a batch of matrices, and cross entropy. */
#include "sql/models/models.h"

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
