/* tt_measure: see tt_measure.h. */
#include "sql/tt/tt_measure.h"

#include "src/base/deviation.h"

#include <math.h>
#include <string.h>

enum { SHARDED_CORES = 12 }; /* one for each bank of the memory */

static double or_zero(double number)
{
    return isnan(number) ? 0 : number;
}

static double unless_zero(double number)
{
    return number != 0 ? number : NAN;
}

static double number_of(int64_t number)
{
    return number == TT_NONE ? NAN : (double)number;
}

/* The cores that could have worked. An op on a part of the device has no more than that part. */
static double peak_cores(const struct tt_row *row, const struct tt_call *call, bool compat)
{
    bool has_budget =
        row->available_cores != TT_NONE && !like_reference(compat, "tt: peak of a convolution");
    if (call->analysis == TT_CONVOLUTION)
        return number_of(has_budget ? row->available_cores : call->machine_cores);
    return call->is_sharded ? SHARDED_CORES : number_of(row->cores);
}

static const char *bound_of(const struct tt_row *row, const struct tt_call *call,
                            const struct tt_measure *measure, bool compat)
{
    if (call->analysis != TT_MATMUL)
        return NULL;
    if (!row->has_duration && call->bytes > 0 &&
        like_reference(compat, "tt: bound without a duration"))
        return "SLOW";
    if (or_zero(measure->dram_percent) == 0 || or_zero(measure->flops_percent) == 0)
        return NULL;
    bool by_memory = measure->dram_percent >= TT_ENOUGH_PERCENT;
    bool by_cores = measure->flops_percent >= TT_ENOUGH_PERCENT;
    return by_memory && by_cores ? "BOTH" : by_memory ? "DRAM" : by_cores ? "FLOP" : "SLOW";
}

struct tt_measure tt_measure(const struct tt_row *row, const struct tt_call *call, double device_ns,
                             double gap_ns, bool compat)
{
    bool is_host_op = strstr(row->text, "(torch)") != NULL;
    double duration = row->has_duration ? unless_zero(row->duration) : NAN;
    struct tt_measure measure = {
        .device_us = NAN,
        .gap_us = row->has_gap ? (double)row->gap / 1000.0 : NAN,
        .total_percent = NAN,
        .ideal_us = call->ideal_ns / 1000.0,
        .dram_gbs = call->bytes / duration,
        .tflops = call->flops / duration / 1000.0,
        .cores = call->is_sharded ? SHARDED_CORES : row->cores,
    };
    if (row->kind != TT_SIGNPOST && !is_host_op)
        measure.device_us = (row->has_duration ? row->duration : 0) / 1000.0;
    if (!isnan(measure.device_us) || !isnan(measure.gap_us))
        measure.total_percent = 100.0 * (or_zero(measure.device_us) + or_zero(measure.gap_us)) /
                                unless_zero((device_ns + gap_ns) / 1000.0);
    measure.device_percent = 100.0 * measure.device_us / unless_zero(device_ns / 1000.0);
    measure.dram_percent = 100.0 * measure.dram_gbs / call->dram_gbs;
    measure.flops_percent =
        100.0 * measure.tflops / (call->tflops * unless_zero(peak_cores(row, call, compat)));
    measure.bound = is_host_op ? "HOST" : bound_of(row, call, &measure, compat);
    return measure;
}
