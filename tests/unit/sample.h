/* sample: a small trace that has some of everything that a warehouse keeps. */
#pragma once

#include "sql/warehouse/warehouse.h"

#include "src/base/text.h"

/* Events by their place in the file; the others are labels, arrows and records. */
enum {
    SAMPLE_STEP = 6,
    SAMPLE_RANGE,
    SAMPLE_GPU_STEP,
    SAMPLE_GPU_RANGE,
    SAMPLE_FRAME,
    SAMPLE_LINEAR,
    SAMPLE_MM,
    SAMPLE_LAUNCH,
    SAMPLE_KERNEL,
    SAMPLE_BACKWARD = 17,
    SAMPLE_COPY_OP,
    SAMPLE_COPY_CALL,
    SAMPLE_COPY,
    SAMPLE_LONE_KERNEL = 23,
    SAMPLE_STRANGER = 26,
    SAMPLE_LAST = 32,
};

/* Two traces with different tags share all texts but the kernel's name, which is the tag. The
 * caller frees with text_free. */
void sample_trace(struct text *out, const char *tag);

/* Stores it, with its tag for a path; gives the trace's id. */
int64_t store_sample(struct warehouse *warehouse, const char *run, const char *tag);

/* Gives each trace a row in the tables of memory snapshots: what failed at the end is the peak. */
extern const char sample_snapshots[];
