/* evidence: what a trace shows that rules of advice are about.
 *
 * From what happened (GPU activities, calls of the host, ops with certain names, ranges) come
 * facts, one for each rule that finds something: how much, how often, what it may save. A fact also
 * says where that time is: on threads of the host, in gaps of the accelerator, or in pieces of
 * work: so a replay can do without it (fact_replay). Plain C; evidence_read.c fills it
 * from a warehouse.
 */
#pragma once

#include "sql/advice/host_names.h"
#include "sql/functions/interval.h"

/* Meanings of a name: rows of advice_name, as bits. */
enum name_mark {
    MARK_BLOCKING_COPY = 1,
    MARK_ASYNC = 2,
    MARK_WAIT = 4,
    MARK_GRAPH_LAUNCH = 8,
    MARK_LAUNCH = 16,
    MARK_ALLOCATION = 32,
    MARK_CODE_LOADING = 64,
    MARK_READS_VALUE = 128,
    MARK_DATA_PARALLEL = 256,
    MARK_CONVOLUTION = 512,
    MARK_PAGEABLE = 1024,
    MARK_TO_HOST = 2048,
    MARK_TO_DEVICE = 4096,
    MARK_MOVES = 8192,
    MARK_POINTWISE = 16384,
    MARK_LAYOUT = 32768,
    MARK_MANY_TENSORS = 65536,
    MARK_LOADER = 131072,
    MARK_OPTIMIZER = 262144,
    MARK_SOFTMAX = 524288,
    MARK_PRODUCT = 1048576,
    MARK_COMPILED = 2097152,
    MARK_CAPTURE_BEGIN = 4194304,
    MARK_CAPTURE_END = 8388608,
    MARK_SLOW_FIRST = 16777216, /* no row: the first op of the name takes START_UP_CALL and more */
};

/* [ns] Kernels that are shorter may have few blocks. */
enum { FEW_BLOCKS_TIME = 20000 };

/* [ns] First calls that take so long are start-up. */
enum { START_UP_CALL = 5000000 };

enum seen_kind { SEEN_KERNEL, SEEN_COPY, SEEN_SET };
enum seen_class { SEEN_COMPUTATION, SEEN_COMMUNICATION, SEEN_OTHER, SEEN_WAIT };

/* A GPU activity. */
struct seen_work {
    int64_t id, start, end, name;
    int64_t call;     /* id; 0 = not known */
    int64_t launcher; /* name; 0 = not known */
    int64_t category;
    double blocks;   /* blocks for each multiprocessor, where that is stated; else 0 */
    uint32_t stream; /* a number for its device and stream */
    uint32_t marks;  /* enum name_mark: of its name, and of its launcher's */
    uint32_t place;  /* of its call, in evidence.calls, + 1; 0 = none */
    uint8_t kind, class;
};

/* A call, an op or a range of the host. */
struct seen_host {
    int64_t id, last_id, start, end, track, name;
    uint32_t marks;
};

typedef ARRAY(struct seen_host) seen_hosts;

/* [ns] What the host did for a shorter time is not named. */
enum { NAMED_TIME = 20000, NAMED_FRAME_TIME = 1000000 };

/* Where time of a fact is. */
struct fact_place {
    int64_t start, end, track; /* track 0: wherever the path is, if it is on no work */
};
struct fact_work {
    int64_t id, last_id; /* all works from the one to the other */
    double factor;       /* part of their duration */
};

struct fact {
    const char *rule;
    double value;
    int64_t count, time, saving, example; /* example 0: none */
    struct named_time cause;              /* what most of the time went to */
    bool is_cause_work;
    bool is_unexplained;  /* gaps: where the host does not explain them, all of them is the bound */
    bool delays_launches; /* what a replay shows beyond its own time is of its value, too */
    bool is_fused;        /* works become one kernel: what other rules save of them goes with it */
    ARRAY(struct fact_place) places;
    ARRAY(struct fact_work) works;
};

/* GPU activities of one name below one op. */
struct kernel_time {
    int64_t category, name, launcher, time;
};

struct evidence {
    /* what happened */
    ARRAY(struct seen_work) works; /* by id; evidence_find sorts them by start */
    seen_hosts calls;              /* by id */
    seen_hosts ops;                /* those with marks, by id */
    seen_hosts ranges;             /* those with marks, with the thread of the host as track */
    struct interval_set host;      /* when an op or a call was open */
    struct host_names names;       /* calls, ops, ranges and frames that take a while */
    size_t steps, devices;
    struct tally waits;     /* activities that only wait, which are no works */
    int64_t first_step_end; /* the least end of a step */
    bool has_ops, has_ranges, has_blocks, has_shapes;

    /* what follows */
    int64_t first, last, busy;    /* start and end of all work, and when something ran */
    struct interval_set start_up; /* first launches and the like, which later ones do not repeat */
    size_t linked;                /* works with a call */
    bool has_optimizer;           /* a range is a step of one */
    int64_t launching;            /* the thread that launched most of them; 0: none */
    int64_t launches, captured;   /* calls; of those the ones inside the capture of a graph */
    ARRAY(struct kernel_time) kernels;
    ARRAY(struct fact) facts;
};

/* Makes the facts. */
void evidence_find(struct evidence *self);

void fact_free(struct fact *self);

/* Frees what happened; what follows from it stays. */
void evidence_free_seen(struct evidence *self);

void evidence_free(struct evidence *self);
