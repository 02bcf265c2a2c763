/* tt_runs: the ops of tt-metal's op tables that are selected, ready to be shown.
 *
 * Read and computed once, then kept with the connection's context (table.h): every report about
 * these ops starts here, through the tables of tt_tables.c. The files of a run are hosts:
 * lines and devices are counted on from one to the next.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/tt/tt_measure.h"
#include "src/base/map.h"

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
