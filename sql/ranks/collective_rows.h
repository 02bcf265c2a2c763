/* collective_rows: the collective kernels of selected traces, and the collectives that they are.
 *
 * collective_read.c reads them once, from the view collective_stated and what run_rank says about
 * clocks, and puts them in process groups; here they are matched over the ranks of a run
 * (collective.h) and measured. What kernels say about themselves repeats, and is kept once.
 *
 * Plain data; collective_table.c makes tables of it.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/ranks/collective.h"
#include "sql/sqlite.h"
#include "src/base/intern.h"
#include "src/base/text.h"

/* collective_fact: what a collective kernel says about itself, understood: its kind, its process
 * group, the ranks that take part, what parts of one collective must have in common.
 *
 * Kernels repeat themselves, so collective_rows keeps each fact once. Plain data. */

enum said {
    SAID_SOURCE,
    SAID_GROUP,
    SAID_RANKS,
    SAID_FIRST_RANK,
    SAID_RANK_STRIDE,
    SAID_NAME,
    SAID_SIZE,
    SAID_DTYPE,
    SAID_IN,
    SAID_OUT,
    SAID_IN_SPLIT,
    SAID_OUT_SPLIT,
    SAID_FROM,
    SAID_TO,
    SAID_COUNT
};

enum collective_type {
    TYPE_OTHER,
    TYPE_ALLREDUCE,
    TYPE_REDUCESCATTER,
    TYPE_ALLGATHER,
    TYPE_ALLTOALL,
    TYPE_ALLTOALLV,
    TYPE_COUNT
};

extern const char *const collective_type_names[TYPE_COUNT]; /* of TYPE_OTHER NULL */

/* A kernel's own account of its collective. */
struct collective_fact {
    sqlite3_value *said[SAID_COUNT]; /* NULL where nothing is said */
    enum collective_type type;
    int element_bytes;            /* 0 = not known */
    uint32_t group, ranks;        /* numbers of texts: name of the group, list of ranks; 0 = none */
    uint32_t name, signature;     /* numbers of texts */
    uint32_t member_count;        /* of the list of ranks */
    bool is_truncated, is_paired; /* paired: a send or receive whose partner is known */
};

/* Fills in what follows from what is said; texts are numbered in `texts`. */
void collective_fact_describe(struct collective_fact *fact, struct intern *texts, bool compat);

/* A stated value as a text; NULL where nothing is stated. */
const char *collective_fact_words(const struct collective_fact *fact, enum said what);

/* About what two kernels of a collective say different things: bits by enum said. */
unsigned collective_fact_differences(const struct collective_fact *a,
                                     const struct collective_fact *b, bool is_pair);

/* The number of a text. */
uint32_t collective_fact_number(struct intern *texts, const struct text *text);

struct collective_run {
    char *name;
    int64_t id;
    size_t first, count; /* its collectives: places */
    int64_t world_size;  /* the greatest that a trace states, or the number of traces */
    size_t rank_count;
    bool is_simple; /* nothing tells about groups, and each rank has but one stream */
};

struct collective_rank {
    uint32_t run;
    int64_t trace_id, place, start_ns, clock_start_ns;
    sqlite3_value *rank, *label;
    int64_t late_ns, spread_ns, late_count; /* of its clock, by so many collectives */
    int64_t moved_ns;                       /* part of that which start_ns is without */
};

struct collective_kernel {
    int64_t id, uid, stream; /* stream INT64_MIN = not given */
    int64_t start, dur;      /* start from that of the trace */
    int64_t seq, step;       /* or COLLECTIVE_UNKNOWN */
    int64_t peer;            /* rank at the other end of a send or receive, or so */
    uint32_t rank, fact;     /* places */
    uint32_t group;          /* place of the process group */
    uint32_t index;          /* on its rank in that group */
    uint32_t match_group;    /* what it was matched in: the group, or a pair of ranks in it */
    uint32_t collective;     /* place */
};

/* A process group of a run, or two of its ranks that send to each other. */
struct collective_group {
    uint32_t run, key, shown; /* numbers of texts */
    bool is_pair;
    enum collective_method method;
};

struct collective {
    uint32_t group, number;      /* group: what it was matched in */
    uint32_t first, count;       /* its kernels: places in by_collective, by rank */
    uint32_t ranks, expected;    /* that are there, and that should be; expected 0 = not known */
    unsigned differs;            /* fields about which ranks disagree: bits by enum said */
    bool is_sync;                /* its ranks wait for each other; figures are about these */
    int64_t latency, last_start; /* least duration, last start on the common clock */
    int64_t skew_start, skew_end;
    double mean_wait;
    uint32_t earliest; /* place of the rank that came first, of several the last */
};

struct collective_rows {
    bool compat;
    ARRAY(struct collective_run) runs;
    ARRAY(struct collective_rank) ranks;
    ARRAY(struct collective_fact) facts;
    ARRAY(struct collective_kernel) kernels; /* by rank and place in the file */
    ARRAY(struct collective_group) groups;
    ARRAY(struct collective) collectives; /* by their first kernels */
    ARRAY(uint32_t) by_collective;        /* places of kernels */
    struct intern texts;
};

/* Counts the kernels of each group on their ranks; matches them and makes collectives of them.
 */
void collective_rows_index(struct collective_rows *self);
void collective_rows_match(struct collective_rows *self, const struct context *context);

/* Measures them once more, where the clocks of ranks were moved. */
void collective_rows_measure(struct collective_rows *self);

/* The number of a collective: the same whichever runs were read. And back; NULL: there is none. */
int64_t collective_number(const struct collective_rows *self, size_t place);
const struct collective *collective_find(const struct collective_rows *self, int64_t number);

/* Whether ranks wait for each other in this kernel's collective. */
bool collective_is_sync(const struct collective_rows *self, const struct collective_kernel *kernel);

/* Start on the clock that ranks share. */
static inline int64_t collective_start(const struct collective_rows *self,
                                       const struct collective_kernel *kernel)
{
    return self->ranks.items[kernel->rank].start_ns + kernel->start;
}

void collective_rows_free(void *rows);

/* collective_read.c: as table_reading.read, the selection of one run, or of all. */
int collective_rows_read(void *rows, const struct table_wish *wish, struct error *error);
