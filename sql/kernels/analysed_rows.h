/* analysed_rows: GPU activities with its call, its kind and what ran before it, in memory.
 *
 * What analyses of waiting stand on, whatever the option compat says: kernels, copies, sets and
 * whole graphs as the trace has them. It is read once for all tables that are made of it
 * (analysed_rows.c), and only what is asked for is read.
 */
#pragma once

#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "src/base/map.h"

/* Needs of columns, as bits of the table. */
enum {
    ANALYSED_CALL = 1,   /* the call that launched it */
    ANALYSED_BEFORE = 2, /* what ended last before it */
    ANALYSED_PACE = 4,   /* the kernel of its name before it */
    ANALYSED_STEP = 8,   /* the profiler step in which its call began */
    ANALYSED_UID = 16,   /* its place in the file, which stands far behind in its row */
    ANALYSED_FIRST = 32, /* whether it is the first work of its call */
    ANALYSED_WINDOW = 64,
};

struct analysed_work {
    int64_t id, uid, start, duration, end;
    int64_t category, name;
    int64_t device, stream, bytes; /* INT64_MIN = not given */
    int64_t call, launcher_name;   /* 0 = none */
    uint32_t trace, kind;          /* places in the lists below */
    bool is_first;                 /* of its call */
    bool is_hidden; /* the option compat leaves out its call: no arrow of the trace says it */
};

/* The launch of a GPU activity, where that is asked for. */
struct analysed_call {
    int64_t name, track, start, end, below; /* start INT64_MIN: it is not known */
};
struct analysed_before {
    int64_t of_stream, of_device, of_all; /* the latest end so far; INT64_MIN: there was none */
    int64_t ended;     /* name of that work of the device; of several the first that started */
    const char *wait;  /* why the stream was idle; NULL = it was not */
    const char *cause; /* why all devices together were; the same */
};
struct analysed_step {
    int64_t id;    /* of the mark; 0 = none */
    int64_t until; /* the latest end so far of work of this step; INT64_MIN: there was none */
};

struct analysed_kind {
    char *word;
};

struct analysed_rows {
    ARRAY(struct analysed_work) rows;
    ARRAY(struct analysed_call) calls;
    ARRAY(struct analysed_before) before;
    ARRAY(int64_t) paces; /* from the start of the one before; INT64_MIN: there was none */
    ARRAY(struct analysed_step) steps;
    trace_list traces;
    ARRAY(struct analysed_kind) kinds;
};

extern const struct table_reading analysed_reading;

/* GPU activities that run in the selected windows, whoever launched them, cut to these; what ran
 * before one is not. Where an activity behind a window ends idle time in it, its row is empty. So
 * is the row that ends it behind the last activity, which has no id. Without windows
 * analysed_reading.
 */
extern const struct table_reading analysed_window_reading;
