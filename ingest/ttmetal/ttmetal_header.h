/* ttmetal_header: the op table that tt-metal's profiler writes, a CSV file with a row for each op.
 *
 * The columns that tpq knows are found by name, in any order and in the names of all versions; what
 * else a row says goes into its arguments. ttmetal_header.c knows the columns, ttmetal_row.c the
 * rows, ttmetal_signature.c what a call is made of, ttmetal_cells.c the cells. Only they include
 * this.
 */
#pragma once

#include "ingest/trace/facts.h"
#include "src/base/error.h"
#include "src/base/text.h"

/* Columns with a place of their own. */
enum ttmetal_column {
    TTMETAL_CODE,
    TTMETAL_TYPE,
    TTMETAL_DEVICE,
    TTMETAL_KERNEL, /* the columns up to here must be there */
    TTMETAL_CALLS,
    TTMETAL_ARCH,
    TTMETAL_AVAILABLE_CORES,
    TTMETAL_ATTRIBUTES,
    TTMETAL_FIDELITY,
    TTMETAL_CORES,
    TTMETAL_SUB_DEVICE,
    TTMETAL_HOST_START,
    TTMETAL_HOST_DURATION,
    TTMETAL_GAP,
    TTMETAL_FIRMWARE,
    TTMETAL_START_CYCLE,
    TTMETAL_END_CYCLE,
    TTMETAL_TRACE,
    TTMETAL_REPLAY,
    TTMETAL_COLUMN_COUNT
};

struct ttmetal_field {
    char *name;         /* in the newer spelling, without what tells versions apart */
    int known;          /* enum ttmetal_column; -1 = none of them */
    struct text member; /* the name as JSON, with a colon */
    bool is_part; /* of the call signature: a tensor's cell, an attribute, what the kernels are */
    bool is_used; /* false for a column whose name comes again */
};

struct ttmetal_header {
    ARRAY(struct ttmetal_field) fields;
    ARRAY(size_t) sorted;                /* the used fields by name */
    size_t places[TTMETAL_COLUMN_COUNT]; /* field + 1, 0 = not in this file */
    size_t repeated;                     /* columns that are not used */
    const char *version;                 /* v1, v2 or v2.1 */
};

/* Whether a line is a header of such a table: it names some of the columns that all have. */
bool ttmetal_is_header(struct view line);

/* Adds a column. */
void ttmetal_header_add(struct ttmetal_header *self, struct view name);

/* After the last column; fails when one is missing that must be there. */
bool ttmetal_header_settle(struct ttmetal_header *self, const char *path, struct error *error);

/* Facts that only an op of tt-metal has, on a device or on the host. */
struct device_op { /* NONE = not given */
    uint32_t slice;
    uint32_t fidelity; /* text */
    int64_t device, calls, cores, available_cores, sub_device;
    int64_t kernel, firmware, host, gap; /* ns */
    int64_t host_start;                  /* ns */
    int64_t start_cycle, end_cycle;
    int64_t metal_trace, replay;
};

extern const struct fact_table device_op_facts;
