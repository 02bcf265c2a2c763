/* schedule: why everything in a trace began when it did.
 *
 * From what happened (threads with what ran on them, calls, accelerator work, records of waiting)
 * comes a graph (graph.h) of what waited for what:
 *
 *     a thread does one thing after another; a call launches work after a latency; work comes
 * behind the work before it on its stream, and behind work of other streams that it was told to
 * wait for; calls that wait return when work ends; a thread may hand over to another.
 *
 * Latencies are measured in the trace itself. Records say what waited where the trace has them;
 * otherwise nearness in time does, and says so. Plain C; schedule_read.c fills it from a warehouse.
 */
#ifndef TPQ_SQL_SCHEDULE_SCHEDULE_H
#define TPQ_SQL_SCHEDULE_SCHEDULE_H

#include "sql/schedule/graph.h"
#include "sql/schedule/host_thread.h"

/* What a call does: rows of call_kind, as bits. */
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
    int64_t id, start, end, name;
    uint32_t stream;               /* place in schedule.streams */
    uint32_t call;                 /* place in schedule.calls + 1; 0 = none */
    uint32_t next_of_call;         /* place + 1 of the next piece that the call launched */
    uint32_t start_node, end_node; /* GRAPH_NONE: not in the window; of earlier work only the end */
    int64_t arrival;               /* the latest of the edges to its start */
    bool is_inside, is_earlier, is_copy, is_pageable;
    uint8_t class;
};

struct call {
    int64_t id, start, end, correlation; /* INT64_MIN = none */
    uint32_t thread, works;              /* works: place + 1 of the first that it launched */
    uint32_t does;                       /* enum call_does */
    uint32_t begin_node, end_node;       /* GRAPH_NONE: not in the graph */
};

struct stream {
    int64_t device, number;
    ARRAY(uint32_t) works;    /* places, by start */
    ARRAY(uint32_t) launches; /* calls by start, each once */
    ARRAY(uint32_t) unlinked; /* works without a call, by end */
};

/* What a record says of a call that waited. */
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
};

enum schedule_drop {
    DROP_LAUNCH,  /* work long before its launch */
    DROP_WAIT,    /* a wait that the times contradict */
    DROP_SYNC,    /* the same of a call */
    DROP_RECORD,  /* a record that names nothing */
    DROP_OUTSIDE, /* a wait for work that is not in the window */
    DROP_KINDS
};

struct schedule {
    /* what happened */
    ARRAY(struct host_thread) threads; /* by process and thread, as texts */
    ARRAY(struct call) calls;
    ARRAY(struct work) works; /* by start and id */
    ARRAY(struct stream) streams;
    ARRAY(struct record) records;
    bool is_window; /* a step was chosen: its mark is from `begin` to `end`, on thread `main` */
    int64_t begin, end;
    uint32_t main; /* GRAPH_NONE: not known */
    struct schedule_limits limits;

    /* what follows */
    struct graph graph;
    uint32_t source, sink;
    int64_t latency, gap, returns, cost;
    size_t dropped[DROP_KINDS];
    size_t edges[TIE_KINDS];
    ARRAY(struct thread_point) points;
};

/* What an edge of kind wait or sync is about. */
enum schedule_word { WORD_STATED = 1, WORD_INFERRED, WORD_OWN_COPY };

/* Orders what happened and makes the graph of it. False when memory is out. */
bool schedule_make(struct schedule *self);

void schedule_free(struct schedule *self);

#endif
