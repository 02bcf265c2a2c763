/* range_rows: the selected ranges and points that programs marked, the calls in them, and what was
 * launched there. range_nest.c makes tables of it.
 *
 * A range is in the tightest one of its thread that contains it, whatever their domains; a call is
 * in all that contain it, and so is the work that it launched. Points, and ranges that another
 * thread ended, contain nothing.
 */
#pragma once

#include "sql/asked.h"
#include "sql/binding/table.h"
#include "src/base/intern.h"
#include "src/base/map.h"

/* Where a range stands among others: among all, or among those that were pushed and popped. */
struct range_nest {
    int64_t child_time;
    uint32_t place, level, children; /* place: of the parent among ranges, from 1; 0 = none */
};

/* When accelerators did what was launched somewhere. */
struct range_work {
    int64_t start, end, pieces; /* pieces: 0 = nothing was launched */
};

/* Work launched in a range, and the calls and ranges right inside it with work. */
struct range_launched {
    struct range_work work;
    int64_t time;
    uint32_t calls, children;
};

struct range {
    int64_t id, number, track, start, end, duration; /* number: what reports call it */
    const char *style, *name; /* name: of the texts below; NULL = not asked for, or none */
    uint32_t trace, thread;   /* places below, counted from 1 */
    bool is_pushed, is_point, is_open, is_across;
};

struct range_call {
    int64_t id, last, start, end;
    uint32_t trace, thread;
    struct range_work work;
};

/* A call in a range, by their places. */
struct range_pair {
    uint32_t range, call;
};

struct range_trace {
    char *run;
    int64_t id, run_place; /* place of the first trace of the run */
    int64_t clock;         /* start of the trace on the file's clock */
    int64_t first_number;  /* what reports count ranges from; below 0 = they go by id */
};

struct range_thread {
    int64_t pid, tid;
};

/* Needs beside ranges: their names, nesting, launched work, its calls, and the list of ranges with
 * work. */
enum {
    RANGE_NAMES = 1,
    RANGE_NEST = 2,
    RANGE_PUSHED = 4,
    RANGE_WORK = 8,
    RANGE_PAIRS = 16,
    RANGE_LIST = 32
};

typedef ARRAY(uint32_t) range_places;

struct range_rows {
    ARRAY(struct range_trace) traces;
    ARRAY(struct range_thread) threads;
    ARRAY(struct range) ranges; /* by trace, thread and start */
    ARRAY(struct range_nest) all, pushed;
    ARRAY(struct range_launched) launched;
    range_places by_time; /* by run, start, duration and id, once they were asked for so */
    range_places by_work; /* those with work by run, its start, and the longest first */
    ARRAY(struct range_call) calls;
    ARRAY(struct range_pair) pairs; /* call by call */
    struct intern texts;            /* each once, with the zero that ends it */

    /* while they are read */
    unsigned needs;
    bool by_number;    /* what those with work are listed by */
    uint32_t trace;    /* that is being read */
    range_places open; /* places of ranges, by start */
    struct intern thread_keys;
    struct map tracks; /* track -> its thread */
    struct map lists;  /* arguments of a mark -> what they say of it, and 8 */
    struct map kinds;  /* category of work that counts -> 1 */
    int64_t last_track;
    uint32_t last_thread; /* of that track; 0 = none yet */
    struct asked ask_track, ask_list;
};

/* Reads what is selected; `needs` are bits from above. A result code of SQLite. */
int range_rows_read(struct range_rows *self, sqlite3 *db, unsigned needs);

/* Puts ranges in the order of `by_time`. */
void range_rows_order(struct range_rows *self);
