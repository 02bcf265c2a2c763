/* tt_measure: how well an op of tt-metal used the machine, from the time that it took and from what
 * its signature says.
 *
 * Plain C. What is not known is NAN, as what is made of it.
 */
#pragma once

#include "sql/tt/tt_sequence.h"

enum tt_analysis { TT_NOT_ANALYSED, TT_MATMUL, TT_CONVOLUTION, TT_OTHERWISE };

/* Inputs of the formulas: a signature, and its machine. */
struct tt_call {
    enum tt_analysis analysis;
    bool is_sharded;       /* over the banks of the memory */
    double flops;          /* operations */
    double bytes;          /* traffic with the memory */
    double ideal_ns;       /* that the profiler expects */
    double tflops;         /* what a core can do with its fidelity */
    double dram_gbs;       /* what the memory can do */
    int64_t machine_cores; /* of the whole machine */
};

struct tt_measure {
    double device_us, gap_us, total_percent, device_percent, ideal_us;
    double dram_gbs, dram_percent, tflops, flops_percent;
    int64_t cores;     /* that it ran on; TT_NONE = not known */
    const char *bound; /* DRAM, FLOP, BOTH, SLOW or HOST; NULL = none */
};

enum { TT_ENOUGH_PERCENT = 65 };

/* `device_ns` and `gap_ns` are the sums over all rows of the run. */
struct tt_measure tt_measure(const struct tt_row *row, const struct tt_call *call, double device_ns,
                             double gap_ns, bool compat);
