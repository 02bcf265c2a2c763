/* collective: what a collective moves through the memory of its own device. */
#include "sql/models/models.h"

double all_reduce_bytes(double elements, double bpe)
{
    return 2 * elements * bpe;
}

double gather_scatter_bytes(double inputs, double outputs, double bpe)
{
    return (inputs + outputs) * bpe;
}
