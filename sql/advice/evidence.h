/* evidence: what a trace shows that rules of advice are about.
 *
 * From what happened (GPU activities, calls of the host, ops with certain names, ranges) come
 * facts, one for each rule that finds something: how much, how often, what it may save. A fact also
 * says where that time is: on threads of the host, in gaps of the accelerator, or in pieces of
 * work: so a replay can do without it (fact_replay). Plain C; evidence_read.c fills it
 * from a warehouse.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/functions/interval.h"
#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/keyed.h"
#include "src/base/map.h"

/* ------------------------------------------------------------------ names: host_names.c
 *
 * Each moment of a thread belongs to the innermost call, op or range that was open then, and where
 * there is none, to the innermost Python frame; inside a data loader, all belong to the loader. A
 * tally sums times by name; what it has most of is the cause that a finding names. Frames have
 * negative names. They are not stored everywhere, and a finding says the same with and without them
 * unless nothing else has a tenth of the time. */

struct named_time {
    int64_t name, time, count; /* name 0: none */
};

struct tally {
    struct map places; /* name -> place + 1 */
    ARRAY(struct named_time) items;
};

void tally_add(struct tally *self, int64_t name, int64_t time, int64_t count);

/* Puts the names with the most time first, and gives the first that is no frame and has a tenth of
 * `time`, or else the first; zeros when there is none. A name of a frame becomes positive. */
struct named_time tally_most(struct tally *self, int64_t time);

void tally_free(struct tally *self);

/* Something of the host, and after host_names_settle the time in which it was the innermost. */
struct host_name {
    int64_t track, start, end, name;
    bool is_rest; /* what is inside it came before */
    bool holds;   /* the time of all that is inside it is its own */
};
struct host_names {
    ARRAY(struct host_name) items;
};

void host_names_settle(struct host_names *self);
void host_names_tally(const struct host_names *self, int64_t track, int64_t start, int64_t end,
                      struct tally *tally);

/* ------------------------------------------------------------------ what happened, and facts */

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
    MARK_COLLECTS = 33554432,
    MARK_COMPILES = 67108864,
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
    seen_hosts ranges;             /* and frames, those with marks, with the thread as track */
    struct interval_set host;      /* when an op or a call was open */
    struct host_names names;       /* calls, ops, ranges and frames that take a while */
    size_t steps, devices;
    struct tally waits;     /* activities that only wait, which are no works */
    int64_t first_step_end; /* the least end of a step */
    bool has_ops, has_ranges, has_blocks, has_shapes;
    bool has_frames; /* or something else with a name that rules look for among frames */

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

/* ------------------------------------------------------------------ evidence_read.c */

/* fact_replay: what a trace would take without what a fact is about.
 *
 * The schedule of the trace is replayed with the fact's works shorter, and with the host's time in
 * its places gone, together with what calls waited for there. */
struct fact_replay {
    struct plan *plan;   /* NULL: there is no schedule, or none to be believed */
    struct plan *made;   /* for this alone */
    struct keyed *works; /* places by id */
};

/* A result code of SQLite. */
int fact_replay_open(struct fact_replay *self, sqlite3 *db, struct context *context,
                     const char *run, int64_t trace);

/* The replay's saving, of the whole schedule and from the first start to the last end of work. Time
 * before the first work is start-up, like `start_up`, which the fact's places lose. `asked` (NULL:
 * none) has more works; works of `except` (NULL: none) do not count. */
int64_t fact_replay_saved(struct fact_replay *self, struct fact *fact, const struct fact *asked,
                          const struct fact *except, const struct interval_set *start_up);

/* Adds places and works of another fact. */
void fact_add(struct fact *self, const struct fact *other);

void fact_replay_close(struct fact_replay *self);

/* Fills in what happened in a trace of a run, as far as it is selected, and makes its facts. A
 * result code of SQLite. */
int evidence_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct evidence *evidence);
