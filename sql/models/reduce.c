/* reduce: many elements to fewer. */
#include "sql/models/models.h"

double reduce_flops(double inputs)
{
    return inputs;
}

double reduce_bytes(double inputs, double outputs, double bpe_in, double bpe_out)
{
    return inputs * bpe_in + outputs * bpe_out;
}
