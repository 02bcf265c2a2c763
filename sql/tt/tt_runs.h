/* tt_runs: the ops of tt-metal's op tables that are selected, ready to be shown.
 *
 * Read and computed once, then kept with the connection's context (table.h): every report about
 * these ops starts here, through the tables of tt_tables.c. The files of a run are hosts:
 * lines and devices are counted on from one to the next.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/tt/tt_sequence.h"
#include "src/base/map.h"

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

/* Columns of the view tt_call that tt_sequence hands on. */
enum tt_call_column {
    TT_CALL_LABEL,
    TT_CALL_ANALYSIS,
    TT_CALL_CATEGORY,
    TT_CALL_FIDELITY,
    TT_CALL_FIDELITY_CLASS,
    TT_CALL_FIDELITY_ADVICE,
    TT_CALL_IN0_TYPE,
    TT_CALL_IN1_TYPE,
    TT_CALL_OUT_TYPE,
    TT_CALL_IS_SHARDED,
    TT_CALL_IN0_MEMORY,
    TT_CALL_BLOCK_W,
    TT_CALL_SUBBLOCK_H,
    TT_CALL_SUBBLOCK_W,
    TT_CALL_OP,
    TT_CALL_LAYOUT,
    TT_CALL_TYPES,
    TT_CALL_OP_COLOUR,
    TT_CALL_FIDELITY_COLOUR,
    TT_CALL_COLUMN_COUNT
};

struct tt_signature {
    sqlite3_value *values[TT_CALL_COLUMN_COUNT];
    struct tt_call call; /* less what the machine says */
};

struct tt_peak {
    char *fidelity;
    double tflops;
};

struct tt_file {
    int64_t trace, elements, rank; /* TT_NONE = has none */
};

struct tt_run {
    char *name;
    ARRAY(struct tt_file) files;
    struct tt_sequence sequence;
    ARRAY(char *) texts; /* names of its rows */
    ARRAY(struct tt_measure) measures;
    ARRAY(struct tt_peak) peaks;
    double dram_gbs;
    int64_t machine_cores;
};

/* A row of a run's sequence. */
struct tt_place {
    int64_t position; /* from 1 */
    size_t run;       /* place */
};

struct tt_runs {
    ARRAY(struct tt_run) runs;
    ARRAY(struct tt_place) places; /* run by run */
    ARRAY(struct tt_signature) signatures;
    struct map signature_of; /* op -> place, from 1 */
};

/* Makes a struct tt_runs. */
extern const struct table_reading tt_runs_reading;

/* The signature of a row; NULL = unknown. */
const struct tt_signature *tt_runs_signature(const struct tt_runs *self, const struct tt_row *row);
