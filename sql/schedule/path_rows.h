/* path_rows: the plans of what is selected, with their paths: of each trace by itself, or of the
 * ranks of each run together.
 *
 * It is read once and kept for all tables about it (schedule_tables.c, what_if_table.c). Graphs
 * stay, too, for predictions, as long as they are not too large together.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/schedule/path.h"

struct path_whole {
    char *run;
    int64_t trace; /* 0: ranks of a run */
    struct plan *plan;
    bool is_trimmed; /* it was too large to stay as it was */
    size_t first_leg, end_leg, first_rank;
    int64_t begin, end, path_begin, usual[MEASURES];
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

/* A part of the path on one thread without a break, with one GPU activity, or with neither. */
struct path_stretch {
    int64_t from, to;
    int64_t id; /* the work, or 0 */
    uint32_t track, whole;
    size_t end; /* place behind its last leg */
};

/* Time of a kind on the path, or on what lies between two moments of it, of a part. */
struct path_kind {
    int64_t time, segments;
    uint8_t kind; /* enum segment_kind */
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
    uint32_t whole, part;              /* part: of the rank that came last */
    bool is_on_path;
};

struct path_rows {
    ARRAY(struct path_whole) wholes;
    ARRAY(struct path_rank) ranks;
    segment_list legs;             /* one whole after the other, by time */
    ARRAY(struct path_work) works; /* by path_rows_check */
    ARRAY(struct path_hop) hops;
    size_t nodes_kept;
};

extern const struct table_reading path_reading;       /* of traces */
extern const struct table_reading path_reading_ranks; /* of runs */

/* Needs of columns and tables: path_rows_check makes them. */
enum { PATH_CHECKED = 1 };

/* Makes what only some ask for: how much later work could be, and whether graphs hold what they
 * promise. */
void path_rows_check(struct path_rows *self);

/* As table.start: makes that where it is needed. */
int path_rows_start(struct table_cursor *cursor, const struct table_wish *wish,
                    struct error *error);

/* From one stretch to the next, beginning with one that is zero. False: there is no other. */
bool path_next_stretch(const struct path_rows *self, struct path_stretch *stretch);

/* The rank of a part of a whole. */
const struct path_rank *path_rank_of(const struct path_rows *self, uint32_t whole, uint32_t part);

/* A piece is the first part of such a row and its whole the second one. */
enum { PATH_ROW, PATH_WHOLE, PATH_RANK, PATH_ASKED };

/* A table of pieces. */
struct path_piece_cursor {
    struct table_cursor base;
    struct path_walk walk;
    size_t next; /* whole */
};

int path_pieces_next(struct table_cursor *cursor);

#define PATH_WORD(number)   .origin = TABLE_GIVEN, .give = path_give_word, .offset = (number)
#define PATH_NUMBER(number) .origin = TABLE_GIVEN, .give = path_give_number, .offset = (number)

/* Columns behind the trace or run of a row. */
#define PATH_PIECE(origin_of)                                                                    \
    {"from_ns", "start, from the start of the " origin_of, PATH_NUMBER(0)},                      \
        {"to_ns", "end; before the start where clocks contradict each other",                    \
         TABLE_AT(INT64, PATH_ROW, struct segment, to)},                                         \
        {"kind", "kind of time on the path", PATH_WORD(0), .type = "TEXT"},                      \
        {"bound_by", "bound of the path: cpu_bound, gpu_compute_bound, ...", PATH_WORD(1),       \
         .type = "TEXT"},                                                                        \
        {"id", "id of the event; NULL for time without one", PATH_NUMBER(1)},                    \
        {"track_id", "thread of the event", PATH_NUMBER(2)},                                     \
    {                                                                                            \
        "note", "source of a wait: stated, inferred (nearness in time), own copy", PATH_WORD(2), \
            .type = "TEXT"                                                                       \
    }

#define PATH_OF_WHOLE(kind, member) TABLE_AT(kind, PATH_ROW, struct path_whole, member)

/* Columns of a whole: what was measured for it, and whether its graph holds what it promises. */
#define PATH_MEASURES                                                               \
    {"thread_pairs", "source of pairs of threads: arrows, sequence, turns or none", \
     PATH_OF_WHOLE(WORD, pairs)},                                                   \
        {"latency_ns", "launch latency onto an idle stream",                        \
         PATH_OF_WHOLE(INT64, usual[MEASURE_LATENCY])},                             \
        {"gap_ns", "minimum gap between two GPU activities of a stream",            \
         PATH_OF_WHOLE(INT64, usual[MEASURE_GAP])},                                 \
        {"return_ns", "time that a call that waited needs to return",               \
         PATH_OF_WHOLE(INT64, usual[MEASURE_RETURN])},                              \
        {"call_ns", "duration of such a call that need not wait",                   \
         PATH_OF_WHOLE(INT64, usual[MEASURE_COST])},                                \
    {                                                                               \
        "nodes", "moments in the graph", PATH_OF_WHOLE(INT64, nodes)                \
    }
#define PATH_CHECKS                                                                             \
    {"is_exact", "whether replaying the graph gives every time", PATH_OF_WHOLE(BOOL, is_exact), \
     .needs = PATH_CHECKED},                                                                    \
        {"has_negative_lag", "whether an event came before all its dependencies",               \
         PATH_OF_WHOLE(BOOL, has_lag_below_zero), .needs = PATH_CHECKED},                       \
        {"has_negative_slack", "whether an event is later than its limit",                      \
         PATH_OF_WHOLE(BOOL, has_slack_below_zero), .needs = PATH_CHECKED},                     \
    {                                                                                           \
        "is_whole", "whether the path has no hole and reaches the end",                         \
            PATH_OF_WHOLE(BOOL, is_whole)                                                       \
    }

/* A table of such times: of all wholes, or of the one of a trace or run, and of what lies between
 * two moments, where these are its arguments. */
struct path_kind_cursor {
    struct table_cursor base;
    struct path_kind *sums; /* of the whole in hand: of each rank each kind */
    size_t place, count, whole, behind;
    int64_t after, before;
};

#define PATH_OF_KIND(kind, member) TABLE_AT(kind, PATH_ROW, struct path_kind, member)

/* Columns behind the trace or run of a row, and arguments behind the first. */
#define PATH_KIND_SUMS                                                                  \
    {"kind", "kind of time on the path", .origin = TABLE_GIVEN, .give = path_give_kind, \
     .type = "TEXT"},                                                                   \
        {"bound_by",                                                                    \
         "bound of the path: cpu_bound, gpu_compute_bound, ...",                        \
         .origin = TABLE_GIVEN,                                                         \
         .give = path_give_kind,                                                        \
         .offset = 1,                                                                   \
         .type = "TEXT"},                                                               \
        {"time_ns", "time of the kind on the path", PATH_OF_KIND(INT64, time)},         \
    {                                                                                   \
        "segments", "number of segments of the kind", PATH_OF_KIND(INT64, segments)     \
    }
#define PATH_KIND_MOMENTS                                                                        \
    {"after_ns", "argument: where to begin",                                                     \
     TABLE_AT(STATED, PATH_ASKED, struct path_kind_cursor, after), .role = TABLE_ARGUMENT},      \
    {                                                                                            \
        "before_ns", "argument: where to end",                                                   \
            TABLE_AT(INT64, PATH_ASKED, struct path_kind_cursor, before), .role = TABLE_ARGUMENT \
    }

int path_kinds_start(struct table_cursor *cursor, const struct table_wish *wish,
                     struct error *error);
int path_kinds_next(struct table_cursor *cursor);

/* Gives a word about a piece, by the offset of the column: 0 its kind, 1 what bounds the path, 2
 * how a wait is known. */
int path_give_word(sqlite3_context *out, struct table_cursor *cursor);

/* Gives a number: 0 where it begins, 1 its event, 2 its thread. */
int path_give_number(sqlite3_context *out, struct table_cursor *cursor);

/* The same about a sum: 0 its kind, 1 what bounds the path. */
int path_give_kind(sqlite3_context *out, struct table_cursor *cursor);
