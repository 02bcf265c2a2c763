/* call_rows: the calls of selected traces that models or the host's side say something about.
 *
 * call_read fills them. Kept are ops that have a model, and those that launch work. From them come
 * three kinds of rows:
 *
 *     calls with a model     at every level, also those that launched nothing: rooflines
 *     their backward passes  the forward op's row with the work below what is linked to it
 *     collected calls        each GPU activity in one of them: the outermost call with a model,
 *                            else what launched it; what is left over stands for itself
 *
 * Plain data and access to it; call_tables.c makes tables of it, with calls in groups, which are
 * one row of a report (call_group.c).
 */
#pragma once

#include "sql/binding/group.h"
#include "sql/binding/table.h"
#include "sql/evaluate/op_cache.h"
#include "sql/functions/statistics.h"
#include "sql/kernels/kernel_details.h"
#include "src/base/map.h"

/* A GPU activity that some call launched. */
struct call_kernel {
    int64_t id, start, duration;    /* as the option compat has times */
    int64_t stated;                 /* duration in nanoseconds */
    int64_t name, stream, uid;      /* stream INT64_MIN = not given */
    int64_t call_uid;               /* of the call that launched it, with compat; else 0 */
    int64_t op, launcher;           /* nearest op, 0 = none; op or call that launched it */
    bool is_collective, is_claimed; /* claimed: it is in a collected call */
    bool is_nested;                 /* launched by a runtime call inside another one */
    bool is_leaf;                   /* its op counts as one that launches */
    int8_t recompute;               /* -1 = not asked */
};

/* An op with a model; `sheet` is empty when it stands on none. */
struct call_model {
    struct model *model;
    char *sheet;
    uint32_t sheet_number; /* the same for the same sheet, from 1; 0 = none */
    bool is_whole;         /* the sheet has no parts for forward and backward */
};

struct call {
    int64_t id, last, uid; /* last: of its descendants */
    int64_t name, op, track, args;
    int64_t start;                /* of work that stands for itself its own */
    int64_t host_ns;              /* duration on the host; -1 = not known */
    int64_t busy;                 /* time that its kernels cover, in parts */
    const struct op_entry *entry; /* what its model says; NULL = it has none */
    int64_t kernel_name;   /* of work that stands for itself: then `name` is what launched it */
    uint32_t first, count; /* its kernels: places in kernels, or in picked */
    uint32_t trace;
    uint32_t model;    /* place in models, from 1; 0 = none */
    uint32_t category; /* of collected ones: place in categories, from 1 */
    uint32_t beside;   /* what ran beside its work: place in besides, from 1; 0 = nothing */
    uint32_t pseudo;   /* number of a pseudo op; 0 = it is an event */
    uint32_t edge;    /* while a trace is read: of the step whose only op it is, from 1; 0 = none */
    int8_t recompute; /* -1 = not asked */
    bool is_nested, has_model;
    bool is_outermost; /* of those whose model could be used */
    bool is_picked : 1, is_leaf : 1, is_deep : 1, is_collected : 1, is_backward : 1;
    bool is_wrap : 1; /* a pseudo op around all that is below the event before its first one */
};

/* Work of other ops that ran beside that of a call, on other streams. */
struct call_beside {
    uint32_t names;       /* a number: the same for the same names in the same order */
    size_t first, count;  /* places in partners */
    double share;         /* of the call's time */
    int64_t not_examined; /* what was not looked at, see overlap.h */
};

struct call_trace {
    char *run;
    int64_t id, clock_start;
    size_t first_kernel, kernel_count, first_call, call_count;
    size_t first_backward, first_alone;
    int64_t modelled; /* time covered by work below calls with a usable model, in parts */
    int64_t next_uid; /* behind the last one of the file */
};

struct call_rows {
    bool compat;
    bool inference;  /* the form of the reports about served models */
    bool only_times; /* calls with work only, without what rows but their times are made of */
    double parts;    /* of a microsecond, in which times are */
    struct op_cache *cache;
    ARRAY(struct call_trace) traces;
    ARRAY(struct call_kernel) kernels; /* trace by trace, by id */
    ARRAY(struct call) calls;          /* the same */
    ARRAY(struct call) backward;
    ARRAY(struct call) alone; /* work that is in no collected call */
    ARRAY(uint32_t) picked;   /* kernels of calls whose kernels are no run of ids */
    ARRAY(struct call_beside) besides;
    ARRAY(struct listed_kernel) partners;
    struct map lists; /* a list of names, and one more -> the longer list, from 1 */
    ARRAY(struct call_model) models;
    ARRAY(char *) categories;
};

/* A GPU activity below a call, counted from 0. */
const struct call_kernel *call_rows_kernel(const struct call_rows *self, const struct call *call,
                                           size_t index);

/* Whether the model of a call gives figures for it. */
static inline bool call_is_usable(const struct call *call)
{
    return call->entry && call->entry->model && call->entry->outcome.status <= OUTCOME_NO_BYTES;
}

/* The approximate size in memory. */
size_t call_rows_bytes(const void *rows);

/* Makes a struct call_rows, which the connection keeps. */
extern const struct table_reading call_rows_reading;

/* The same with `only_times`, for one question: what rows of collected calls take, and no more. */
extern const struct table_reading call_times_reading;

/* ------------------------------------------------------------------ groups */

enum call_report { CALLS_ROOFLINE, CALLS_COLLECTED };

/* The figures of a sample; what it is too small for is NAN. */
struct call_figures {
    size_t count;
    double sum, mean, median, deviation, least, most;
};

struct call_groups {
    const struct call_rows *rows;
    enum call_report report;
    bool by_kernels; /* the number of kernels parts groups */
    bool by_overlap; /* so does what ran beside them */
    ARRAY(const struct call *) calls;
    struct groups groups;
    size_t from, to; /* the group in hand: places in groups.order */

    /* of the group in hand */
    const struct call *first; /* the one that stands first in the file */
    size_t nested;            /* calls inside another one of the same sheet */
    int64_t not_examined;     /* see call_beside */
    struct call_figures kernel_us, tflops, tbs, per_us, host_us, overlap;
    sample samples[6];
};

/* Puts calls in groups. */
void call_groups_make(struct call_groups *self, const struct call_rows *rows,
                      enum call_report report, bool by_kernels, bool by_overlap);

/* Goes to the next group; *found says whether there is one. */
void call_groups_next(struct call_groups *self, bool *found);

/* The kernels of the calls of the group in hand (kernel_details.h). */
void call_groups_details(const struct call_groups *self, struct kernel_details *details);

/* The same of what ran beside them. */
void call_groups_beside(const struct call_groups *self, struct kernel_details *details);

/* GPU activities beside the first call; NULL = none. */
const struct call_beside *call_groups_first_beside(const struct call_groups *self);

/* Operations and bytes that the model gives for a call, of the pass that it is. */
const struct figure *call_flops(const struct call *call);
const struct figure *call_bytes(const struct call *call);

void call_groups_free(struct call_groups *self);
