/* pipeline_rows: the slots of pipelines over the ranks of a run, and what the GPUs of each rank did
 * from the first slot to the last one.
 *
 * pipeline_read fills them, here they are measured. A pipeline is ranks with slots that send to
 * each other; a window is what a pipeline did in one profiler step. Plain data; pipeline_table.c
 * makes tables of it.
 */
#pragma once

#include "sql/functions/interval.h"
#include "sql/sqlite.h"
#include "src/base/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pipeline_kind {
    PIPELINE_FORWARD,
    PIPELINE_BACKWARD,
    PIPELINE_INPUT,
    PIPELINE_WEIGHT,
    PIPELINE_KINDS
};

struct pipeline_step {
    uint32_t rank; /* place in the pipeline */
    enum pipeline_kind kind;
    int64_t stage, microbatch;
    uint32_t round; /* of slots that come several times on a rank: which time, from 0 */
    double ns;      /* duration */
};

struct pipeline_rank {
    char *run;
    int64_t trace_id, place, start_ns, world_size;
    int64_t rank; /* INT64_MIN: not known */
    sqlite3_value *label;
    uint32_t leader;   /* place of the first rank of the pipeline, when joined */
    uint32_t in_group; /* place + 1 in the list of a process group that sends; 0 = not known */
    bool has_slots;
    struct interval_set all, moving, waiting; /* all: activity but sends and receives */
};

struct pipeline_slot {
    uint32_t rank, window, position, round;
    enum pipeline_kind kind;
    int64_t id, stage, microbatch, step; /* stage, step: or INT64_MIN */
    int64_t from;                        /* start of the range, from the start of the trace */
    int64_t start, end;                  /* of activities, on the common clock; else INT64_MIN */
    int64_t order;                       /* start, or that of the slot before */
    int64_t busy;
    bool is_selected;
    struct interval_set set;
};

/* A send or receive without its partner, or a send with it. */
struct pipeline_p2p {
    uint32_t rank;
    int64_t step;
    bool is_pair;
};

/* A rank in a window. */
struct pipeline_part {
    uint32_t rank, window;
    int64_t compute, transfer, other, wait, warmup;
};

struct pipeline_window {
    uint32_t leader; /* rank */
    int64_t step, start, end, ranks, pairs, unmatched;
    const char *schedule;
    double ideal, balanced; /* NAN: slots wait for each other */
};

struct pipeline_rows {
    ARRAY(struct pipeline_rank) ranks; /* by run and place */
    ARRAY(struct pipeline_slot) slots; /* in the end by window, rank and position */
    ARRAY(struct pipeline_p2p) p2p;
    ARRAY(struct pipeline_part) parts;
    ARRAY(struct pipeline_window) windows;
};

/* The first rank of the pipeline of a rank. */
uint32_t pipeline_leader(struct pipeline_rows *self, uint32_t rank);

/* Makes windows of the slots, and measures them. */
void pipeline_rows_measure(struct pipeline_rows *self);

void pipeline_rows_free(void *rows);
