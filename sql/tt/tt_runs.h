/* tt_runs: the ops of tt-metal's op tables that are selected, ready to be shown.
 *
 * Read and computed once, then kept with the connection's context until the selection, an option
 * or the database changes: every report about these ops starts here. The files of a run are hosts:
 * lines and devices are counted on from one to the next.
 */
#ifndef TPQ_SQL_TT_TT_RUNS_H
#define TPQ_SQL_TT_TT_RUNS_H

#include "sql/binding/function.h"
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

struct tt_runs {
    int shares;
    ARRAY(struct tt_run) runs;
    ARRAY(struct tt_signature) signatures;
    struct map places;              /* of signatures, by op: from 1 */
    unsigned data_version, choices; /* of the file, and of what is selected from it */
    int changes;                    /* by this connection */
};

/* A share of what is selected, for tt_runs_release; NULL: `*result` says why. */
struct tt_runs *tt_runs_get(sqlite3 *db, struct context *context, int *result);
void tt_runs_release(void *self);

/* What is known about a row's signature; NULL = nothing. */
const struct tt_signature *tt_runs_signature(const struct tt_runs *self, const struct tt_row *row);

#endif
