/* path_rows: the plans of what is selected, with their paths: of each trace by itself, or of the
 * ranks of each run together.
 *
 * It is read once and kept for all tables about it (path_rows.c, what_if_table.c). Graphs stay,
 * too, for predictions, as long as they are not too large together.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/schedule/path.h"

struct path_whole {
    char *run;
    int64_t trace;     /* 0: ranks of a run */
    struct plan *plan; /* NULL: it was too large to stay */
    size_t first_piece, end_piece, first_rank;
    int64_t begin, end, usual[MEASURES];
    int64_t nodes, edges[TIE_KINDS], dropped[DROP_KINDS];
    int64_t ranks, collectives, joined, refused, crossed, hops, path;
    int64_t back;   /* the most by which the path goes back, where clocks contradict each other */
    int64_t untold; /* threads, as in its schedules */
    const char *pairs; /* what tells of pairs of threads */
    bool had_cycle, is_whole;
    bool is_checked, is_exact, has_lag_below_zero, has_slack_below_zero; /* by path_rows_check */
};

struct path_rank {
    int64_t trace, rank;   /* INT64_MIN = not known */
    int64_t first_id;      /* of its trace */
    int64_t shift, offset; /* of its times, and of its clock */
    uint32_t whole;
};

struct path_work {
    int64_t id, slack;
    uint32_t whole;
    bool is_on_path;
};

/* Causes that kept the rank that came last to a collective. */
enum path_cause {
    CAUSE_COMPUTATION,
    CAUSE_COPY,
    CAUSE_COMMUNICATION, /* other communication, or a rank that it waited for there */
    CAUSE_LOADING,
    CAUSE_HOST,
    PATH_CAUSES
};

/* A collective that ranks waited in. */
struct path_hop {
    int64_t at, id;                    /* work that came last */
    int64_t lead, wait, ranks, before; /* before: event that the path was with before it */
    int64_t causes[PATH_CAUSES];       /* of the lead: how much more the last rank was with it than
                                          the one before */
    uint32_t rank;                     /* place of the rank that came last */
    bool is_on_path;
};

struct path_rows {
    ARRAY(struct path_whole) wholes;
    ARRAY(struct path_rank) ranks;
    segment_list
        pieces; /* one whole after the other, by time; a piece's part is a place in ranks */
    ARRAY(struct path_work) works; /* by path_rows_check */
    ARRAY(struct path_hop) hops;
    size_t nodes_kept;
};

extern const struct table_reading path_reading;       /* of traces */
extern const struct table_reading path_reading_ranks; /* of runs */
