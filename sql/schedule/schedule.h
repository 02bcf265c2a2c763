/* schedule: why everything in a trace began when it did.
 *
 * From what happened (threads with what ran on them, calls, GPU activities, records of waiting)
 * comes a graph (graph.h) of what waited for what:
 *
 *     a thread does one thing after another; a call launches work after a latency; work comes
 * behind the work before it on its stream, and behind work of other streams that it was told to
 * wait for; calls that wait return when work ends, as do launches that waited for a full queue; a
 * thread may hand over to another.
 *
 * Latencies are measured in the trace itself. Records say what waited where the trace has them;
 * otherwise nearness in time does, and says so. Plain C; schedule_read.c fills it from a warehouse.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/functions/statistics.h"
#include "sql/schedule/graph.h"
#include "sql/sqlite.h"

/* Effects of a call: rows of call_kind, as bits. */
enum call_does {
    DOES_SYNC_DEVICE = 1,
    DOES_SYNC_STREAM = 2,
    DOES_SYNC_EVENT = 4,
    DOES_QUERY_EVENT = 8,
    DOES_COPY = 16, /* and waits for it */
    DOES_WAIT_EVENT = 32,
    DOES_RECORD = 64,
};

enum work_class { WORK_COMPUTATION, WORK_COMMUNICATION, WORK_MEMORY };

struct work {
    int64_t start, end;
    uint32_t id; /* from the first one of the trace */
    uint32_t name;
    uint32_t call;         /* place in schedule.calls + 1; 0 = none */
    uint32_t next_of_call; /* place + 1 of the next piece that the call launched */
    uint32_t end_node;     /* behind that of its start; GRAPH_NONE: not in the window */
    uint32_t stream : 24;  /* place in schedule.streams */
    uint32_t class : 3;    /* enum work_class */
    bool is_inside : 1, is_earlier : 1, is_copy : 1, is_pageable : 1;
    bool is_joined : 1;                /* its end is that of a collective: ranks decide */
    bool is_sent : 1, is_received : 1; /* one side of a message between two ranks */
};

/* The node of the start of work that is inside. */
static inline uint32_t work_start_node(const struct work *self)
{
    return self->end_node - 1;
}

struct call {
    int64_t start, end;
    uint32_t id;                   /* from the first one of the trace */
    uint32_t works;                /* place + 1 of the first that it launched */
    uint32_t begin_node, end_node; /* GRAPH_NONE: not in the graph */
    uint32_t thread : 23;
    uint32_t does : 8;        /* enum call_does */
    uint32_t is_released : 1; /* it waited for work */
};

/* A call by its correlation id. */
struct correlated {
    int64_t correlation, start;
    uint32_t call; /* place: calls are by id */
};

struct stream {
    int64_t device, number;
    ARRAY(uint32_t) works;    /* places, by start */
    ARRAY(uint32_t) launches; /* calls by start, each once */
    ARRAY(uint32_t) unlinked; /* works without a call, by end */
};

/* Kinds of records about a call that waited. */
enum record_kind { RECORD_OTHER, RECORD_WAIT_EVENT, RECORD_STREAM, RECORD_EVENT, RECORD_DEVICE };

struct record {
    int64_t correlation, device, stream, of_stream, of_correlation; /* INT64_MIN = not stated */
    enum record_kind kind;
};

/* Constants of the model, in ns. */
struct schedule_limits {
    int64_t clock;   /* how far clocks of host and accelerator may contradict each other */
    int64_t near;    /* an inferred wait explains what follows this soon */
    int64_t unknown; /* a longer gap has no known cause */
    int64_t hand;    /* threads hand over within that time */
};

enum schedule_drop {
    DROP_LAUNCH,  /* work long before its launch */
    DROP_WAIT,    /* a wait that the times contradict */
    DROP_SYNC,    /* the same of a call */
    DROP_RECORD,  /* a record that names nothing */
    DROP_OUTSIDE, /* a wait for work that is not in the window */
    DROP_KINDS
};

/* Measures whose usual value counts. */
enum schedule_measure {
    MEASURE_LATENCY,
    MEASURE_GAP,
    MEASURE_RETURN,
    MEASURE_COST,
    MEASURE_LAUNCH, /* of a launch, where others blocked while the queue was full */
    MEASURES
};

/* Sources of an edge of kind wait or sync. */
enum schedule_word { WORD_STATED = 1, WORD_INFERRED, WORD_OWN_COPY };

/* A call that waited for work. */
struct release {
    uint32_t call, work;
    enum schedule_word word;
};

/* Sources of the pairs of threads that hand over to each other, the surest first. */
enum schedule_pairs { PAIRS_ARROWS, PAIRS_SEQUENCE, PAIRS_TURNS, PAIRS_NONE };

struct schedule {
    /* what happened */
    ARRAY(struct host_thread) threads; /* by process and thread, as texts */
    ARRAY(struct call) calls;
    ARRAY(int64_t) correlations; /* of calls, INT64_MIN = none; empty: nothing waits by them */
    ARRAY(struct work) works;    /* by start and id */
    ARRAY(struct stream) streams;
    ARRAY(uint32_t) in_turn; /* streams in the order of their first launches */
    ARRAY(int64_t) awaited;  /* behind launches of what other ranks take part in, in order */
    bool has_waits;          /* some call lets a stream wait */
    ARRAY(struct record) records;
    bool is_window; /* a step was chosen: its mark is from `begin` to `end`, on thread `main` */
    int64_t begin, end;
    uint32_t main; /* GRAPH_NONE: not known */
    enum schedule_pairs pairs;
    int64_t trace, first_id, last_id; /* what it is of */
    int64_t shift;                    /* of its times, against those of the trace */
    int64_t rank;                     /* INT64_MIN: not known */
    int64_t clock, offset; /* where its own begins; how much it is off, as collectives say */
    struct schedule_limits limits;

    /* what follows */
    struct graph *graph;             /* that others may share */
    uint32_t source, sink, end_node; /* its nodes are those from `source`, below `end_node` */
    size_t untold; /* threads that launch, where nothing tells how they wait for each other */
    sample samples[MEASURES];
    int64_t usual[MEASURES];
    size_t dropped[DROP_KINDS];
    size_t edges[TIE_KINDS];
    ARRAY(struct thread_point) points;
    ARRAY(struct release) releases;
    ARRAY(uint32_t) ends;                    /* works in the graph, by their ends */
    ARRAY(struct correlated) by_correlation; /* calls */
};

/* The value that counts, of the measurements of several schedules, which the first one has
 * afterwards. */
void schedule_usual(struct schedule *parts, size_t count, enum schedule_measure what,
                    int64_t *usual);

/* Lets two threads of a process, by their places, hand over to each other. */
void schedule_pair(struct schedule *self, uint32_t one, uint32_t other);

/* Moves all that happened to another clock. */
void schedule_shift(struct schedule *self, int64_t by);

/* Puts what happened in order: works and calls have their places then. */
void schedule_order(struct schedule *self);

/* Events become nodes of the graph, in order, and are measured. */
bool schedule_prepare(struct schedule *self, struct graph *graph);

/* Leaves what was measured, once the usual values are known. */
void schedule_measured(struct schedule *self);

/* Waits become edges, with the usual values; then the end of all of it. False when there
 * are no numbers for so many nodes. */
bool schedule_tie(struct schedule *self);
bool schedule_finish(struct schedule *self, bool *is_waited_for);

/* Tells of each node whether an edge leads from it: once for all that share a graph, before the
 * first of them ends. The caller frees it. */
bool *schedule_waited_for(const struct graph *graph);

/* The subject of an edge to work: the place of the work, and of a wait how it is known. An edge to
 * a call has the place of the call instead. */
enum { SCHEDULE_WORD_BITS = 2 };
uint32_t schedule_work_of(const struct tie *edge);
enum schedule_word schedule_word_of(const struct tie *edge);

void schedule_free(struct schedule *self);

/* schedule_read.c: fills in what happened in a trace of a run, as far as it is selected.
 * `*is_empty` says that nothing is selected. A result code of SQLite. */
int schedule_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct schedule *schedule, bool *is_empty);
