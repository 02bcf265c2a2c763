/* rank_tables: what bounds the ranks of a run, together.
 *
 *     rank_path_segment   the critical path over all ranks: FROM rank_path_segment ORDER BY from_ns
 *     rank_path_kind      its time by rank and kind
 *     rank_path_graph     what was found for it, a row a run
 *     rank_path_clock     how much the clock of each rank is off
 *     rank_hop            the collectives that ranks waited in: who came last, and what that cost
 */
#include "sql/binding/function.h"
#include "sql/schedule/path_rows.h"

enum { ROW = PATH_ROW, WHOLE = PATH_WHOLE, RANK = PATH_RANK };

#define RUN                                                                             \
    {                                                                                   \
        "run", "TEXT", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run) \
    }
#define TRACE_AND_RANK(words)                                                                   \
    {"trace_id", "INTEGER", "id of the trace", TABLE_AT(INT64, RANK, struct path_rank, trace)}, \
    {                                                                                           \
        "rank", "INTEGER", words, TABLE_AT(STATED, RANK, struct path_rank, rank)                \
    }

#define OF_PIECE(kind, member)  TABLE_AT(kind, ROW, struct segment, member)
#define WORD_OF_PIECE(number)   .origin = TABLE_GIVEN, .give = path_give_word, .offset = (number)
#define NUMBER_OF_PIECE(number) .origin = TABLE_GIVEN, .give = path_give_number, .offset = (number)

static const struct table_column piece_columns[] = {
    RUN,
    TRACE_AND_RANK("rank that the path is on"),
    {"from_ns", "INTEGER", "start, from the start of the first rank", NUMBER_OF_PIECE(0)},
    {"to_ns", "INTEGER", "end; before the start where clocks contradict each other",
     OF_PIECE(INT64, to)},
    {"kind", "TEXT", "kind of time on the path", WORD_OF_PIECE(0)},
    {"bound_by", "TEXT", "bound of the path: cpu_bound, gpu_compute_bound, ...", WORD_OF_PIECE(1)},
    {"id", "INTEGER", "id of the event; NULL for time without one", NUMBER_OF_PIECE(1)},
    {"track_id", "INTEGER", "thread of the event", NUMBER_OF_PIECE(2)},
    {"note", "TEXT", "source of a wait: stated, inferred (nearness in time), own copy",
     WORD_OF_PIECE(2)},
    {0},
};

static const struct table piece_table = {
    .columns = piece_columns,
    .all = 1e5,
    .found = 1e4,
    .reading = &path_reading_ranks,
    .cursor_size = sizeof(struct path_piece_cursor),
    .next = path_pieces_next,
};

static const struct table_column kind_columns[] = {
    RUN,
    TRACE_AND_RANK("rank that the path is on"),
    PATH_KIND_SUMS,
    {"of_run", "TEXT", "argument: the run", TABLE_AT(WORD, WHOLE, struct path_whole, run),
     .role = TABLE_ARGUMENT},
    PATH_KIND_MOMENTS,
    {0},
};

static const struct table kind_table = {
    .columns = kind_columns,
    .all = 100,
    .found = 10,
    .reading = &path_reading_ranks,
    .cursor_size = sizeof(struct path_kind_cursor),
    .start = path_kinds_start,
    .next = path_kinds_next,
    .stop = path_kinds_stop,
};

#define OF_HOP(kind, member) TABLE_AT(kind, ROW, struct path_hop, member)

static const struct table_column hop_columns[] = {
    RUN,
    TRACE_AND_RANK("rank that came last"),
    {"at_ns", "INTEGER", "arrival of the last rank, from the start of the first rank",
     OF_HOP(INT64, at)},
    {"id", "INTEGER", "id of the last rank's GPU activity", OF_HOP(INT64, id)},
    {"ranks", "INTEGER", "ranks with a kernel of the collective", OF_HOP(INT64, ranks)},
    {"lead_ns", "INTEGER", "time in which all other ranks wait for the last rank alone",
     OF_HOP(INT64, lead)},
    {"wait_ns", "INTEGER", "wait of all other ranks, together", OF_HOP(INT64, wait)},
    {"on_path", "INTEGER", "whether the critical path goes through the collective",
     OF_HOP(BOOL, is_on_path)},
    {"before_id", "INTEGER",
     "on the path, the event of the previous rank before the last rank came", OF_HOP(ID, before)},
    {"computation_ns", "INTEGER",
     "computation of the last rank beyond the rank before it, a part of lead_ns",
     OF_HOP(INT64, causes[CAUSE_COMPUTATION])},
    {"memcpy_ns", "INTEGER", "memcpy of the last rank beyond the rank before it",
     OF_HOP(INT64, causes[CAUSE_COPY])},
    {"communication_ns", "INTEGER",
     "other communication of the last rank beyond the rank before it",
     OF_HOP(INT64, causes[CAUSE_COMMUNICATION])},
    {"loading_ns", "INTEGER", "data loading of the last rank beyond the rank before it",
     OF_HOP(INT64, causes[CAUSE_LOADING])},
    {"host_ns", "INTEGER",
     "other host time and launches of the last rank beyond the rank before it",
     OF_HOP(INT64, causes[CAUSE_HOST])},
    {0},
};

static bool find_hop(struct table_cursor *cursor, size_t index)
{
    const struct path_rows *rows = cursor->reading;
    const struct path_hop *hop = &rows->hops.items[index];
    cursor->parts[WHOLE] = &rows->wholes.items[hop->whole];
    cursor->parts[RANK] = path_rank_of(rows, hop->whole, hop->part);
    return true;
}

static const struct table hop_table = {
    .columns = hop_columns,
    .all = 1e5,
    .found = 1e4,
    .reading = &path_reading_ranks,
    .rows = offsetof(struct path_rows, hops),
    .row_size = sizeof(struct path_hop),
    .row = find_hop,
};

static const struct table_column clock_columns[] = {
    RUN,
    TRACE_AND_RANK("rank of the trace"),
    {"shift_ns", "INTEGER", "shift added to times of the trace",
     TABLE_AT(INT64, ROW, struct path_rank, shift)},
    {"offset_ns", "INTEGER",
     "delay of the ends of collectives behind the first rank that is due to the clock",
     TABLE_AT(INT64, ROW, struct path_rank, offset)},
    {0},
};

static bool find_rank(struct table_cursor *cursor, size_t index)
{
    const struct path_rows *rows = cursor->reading;
    cursor->parts[RANK] = cursor->parts[ROW];
    cursor->parts[WHOLE] = &rows->wholes.items[rows->ranks.items[index].whole];
    return true;
}

static const struct table clock_table = {
    .columns = clock_columns,
    .all = 100,
    .found = 10,
    .reading = &path_reading_ranks,
    .rows = offsetof(struct path_rows, ranks),
    .row_size = sizeof(struct path_rank),
    .row = find_rank,
};

#define OF_WHOLE(kind, member) TABLE_AT(kind, ROW, struct path_whole, member)

static const struct table_column whole_columns[] = {
    {"run", "TEXT", "name of the run", OF_WHOLE(WORD, run)},
    {"begin_ns", "INTEGER", "start of the window, from the start of the first rank",
     OF_WHOLE(INT64, begin)},
    {"end_ns", "INTEGER", "end of the path", OF_WHOLE(INT64, end)},
    {"path_ns", "INTEGER", "duration of the path", OF_WHOLE(INT64, path)},
    {"ranks", "INTEGER", "number of ranks", OF_WHOLE(INT64, ranks)},
    {"collectives", "INTEGER", "number of collectives", OF_WHOLE(INT64, collectives)},
    {"joined", "INTEGER", "collectives that ranks wait for each other in", OF_WHOLE(INT64, joined)},
    {"refused", "INTEGER", "collectives whose kernels never all run at one time",
     OF_WHOLE(INT64, refused)},
    {"hops", "INTEGER", "number of changes of the path to another rank", OF_WHOLE(INT64, hops)},
    {"latency_ns", "INTEGER", "launch latency onto an idle stream",
     OF_WHOLE(INT64, usual[MEASURE_LATENCY])},
    {"gap_ns", "INTEGER", "minimum gap between two GPU activities of a stream",
     OF_WHOLE(INT64, usual[MEASURE_GAP])},
    {"return_ns", "INTEGER", "time that a call that waited needs to return",
     OF_WHOLE(INT64, usual[MEASURE_RETURN])},
    {"call_ns", "INTEGER", "duration of such a call that need not wait",
     OF_WHOLE(INT64, usual[MEASURE_COST])},
    {"nodes", "INTEGER", "moments in the graph", OF_WHOLE(INT64, nodes)},
    {"had_cycle", "INTEGER", "whether edges were taken out because they closed a circle",
     OF_WHOLE(BOOL, had_cycle)},
    {"dropped_joins", "INTEGER", "collectives that were taken out because of circles",
     OF_WHOLE(INT64, crossed)},
    {"is_exact", "INTEGER", "whether replaying the graph gives every time",
     OF_WHOLE(BOOL, is_exact), .needs = PATH_CHECKED},
    {"has_negative_lag", "INTEGER", "whether an event came before all its dependencies",
     OF_WHOLE(BOOL, has_lag_below_zero), .needs = PATH_CHECKED},
    {"has_negative_slack", "INTEGER", "whether an event is later than its limit",
     OF_WHOLE(BOOL, has_slack_below_zero), .needs = PATH_CHECKED},
    {"is_whole", "INTEGER", "whether the path has no hole and reaches the end",
     OF_WHOLE(BOOL, is_whole)},
    {0},
};

static const struct table whole_table = {
    .columns = whole_columns,
    .all = 10,
    .found = 1,
    .reading = &path_reading_ranks,
    .rows = offsetof(struct path_rows, wholes),
    .row_size = sizeof(struct path_whole),
    .start = path_rows_start,
};

const struct function rank_path_functions[] = {
    {.name = "rank_path_segment",
     .meaning = "A table: the critical path of the ranks of each run together: where they wait for "
                "each other it goes on with the one that came last.",
     .table = &piece_table},
    {.name = "rank_path_kind",
     .meaning = "A table: the time on that path by rank and what it passed with.",
     .table = &kind_table},
    {.name = "rank_path_graph",
     .meaning = "A table: a row a run about the graph that this path is from.",
     .table = &whole_table},
    {.name = "rank_path_clock",
     .meaning = "A table: a row a rank: how its times become those of the run.",
     .table = &clock_table},
    {.name = "rank_hop",
     .meaning = "A table: the collectives in which ranks waited for each other: which rank came "
                "last, and what that cost.",
     .table = &hop_table},
    {0},
};
