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
#define TRACE_AND_RANK(part, words)                                                             \
    {"trace_id", "INTEGER", "id of the trace", TABLE_AT(INT64, part, struct path_rank, trace)}, \
    {                                                                                           \
        "rank", "INTEGER", words, TABLE_AT(STATED, part, struct path_rank, rank)                \
    }

static const struct table_column piece_columns[] = {
    RUN,
    TRACE_AND_RANK(RANK, "rank that the path is on"),
    PATH_PIECE("first rank"),
    {0},
};

static const struct table piece_table = {
    TABLE_MADE(piece_columns, 1e5, 1e4, struct path_piece_cursor, NULL, path_pieces_next, NULL),
    .reading = &path_reading_ranks,
};

static const struct table_column kind_columns[] = {
    RUN,
    TRACE_AND_RANK(RANK, "rank that the path is on"),
    PATH_KIND_SUMS,
    {"of_run", "TEXT", "argument: the run", TABLE_AT(WORD, WHOLE, struct path_whole, run),
     .role = TABLE_ARGUMENT},
    PATH_KIND_MOMENTS,
    {0},
};

static const struct table kind_table = {
    TABLE_MADE(kind_columns, 100, 10, struct path_kind_cursor, path_kinds_start, path_kinds_next,
               path_kinds_stop),
    .reading = &path_reading_ranks,
};

#define OF_HOP(kind, member) TABLE_AT(kind, ROW, struct path_hop, member)

static const struct table_column hop_columns[] = {
    RUN,
    TRACE_AND_RANK(RANK, "rank that came last"),
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

static bool find_rank(struct table_cursor *cursor, size_t index)
{
    const struct path_rows *rows = cursor->reading;
    const struct path_hop *hop = &rows->hops.items[index];
    cursor->parts[RANK] = path_rank_of(rows, hop->whole, hop->part);
    return true;
}

static const struct table hop_table = {
    TABLE_ROWS(hop_columns, 1e5, 1e4, path_reading_ranks, struct path_rows, hops),
    TABLE_OWNER(WHOLE, struct path_rows, wholes, struct path_hop, whole),
    .row = find_rank,
};

static const struct table_column clock_columns[] = {
    RUN,
    TRACE_AND_RANK(ROW, "rank of the trace"),
    {"shift_ns", "INTEGER", "shift added to times of the trace",
     TABLE_AT(INT64, ROW, struct path_rank, shift)},
    {"offset_ns", "INTEGER",
     "delay of the ends of collectives behind the first rank that is due to the clock",
     TABLE_AT(INT64, ROW, struct path_rank, offset)},
    {0},
};

static const struct table clock_table = {
    TABLE_ROWS(clock_columns, 100, 10, path_reading_ranks, struct path_rows, ranks),
    TABLE_OWNER(WHOLE, struct path_rows, wholes, struct path_rank, whole),
};

static const struct table_column whole_columns[] = {
    {"run", "TEXT", "name of the run", PATH_OF_WHOLE(WORD, run)},
    {"begin_ns", "INTEGER", "start of the window, from the start of the first rank",
     PATH_OF_WHOLE(INT64, begin)},
    {"end_ns", "INTEGER", "end of the path", PATH_OF_WHOLE(INT64, end)},
    {"path_ns", "INTEGER", "duration of the path", PATH_OF_WHOLE(INT64, path)},
    {"ranks", "INTEGER", "number of ranks", PATH_OF_WHOLE(INT64, ranks)},
    {"collectives", "INTEGER", "number of collectives", PATH_OF_WHOLE(INT64, collectives)},
    {"joined", "INTEGER", "collectives that ranks wait for each other in",
     PATH_OF_WHOLE(INT64, joined)},
    {"refused", "INTEGER", "collectives whose kernels never all run at one time",
     PATH_OF_WHOLE(INT64, refused)},
    {"hops", "INTEGER", "number of changes of the path to another rank",
     PATH_OF_WHOLE(INT64, hops)},
    PATH_MEASURES,
    {"had_cycle", "INTEGER", "whether edges were taken out because they closed a circle",
     PATH_OF_WHOLE(BOOL, had_cycle)},
    {"dropped_joins", "INTEGER", "collectives that were taken out because of circles",
     PATH_OF_WHOLE(INT64, crossed)},
    PATH_CHECKS,
    {0},
};

static const struct table whole_table = {
    TABLE_ROWS(whole_columns, 10, 1, path_reading_ranks, struct path_rows, wholes),
    .start = path_rows_start,
};

const struct function rank_path_functions[] = {
    TABLE("rank_path_segment", piece_table,
          "A table: the critical path of the ranks of each run together: where they wait for each "
          "other it goes on with the one that came last."),
    TABLE("rank_path_kind", kind_table,
          "A table: the time on that path by rank and what it passed with."),
    TABLE("rank_path_graph", whole_table,
          "A table: a row a run about the graph that this path is from."),
    TABLE("rank_path_clock", clock_table,
          "A table: a row a rank: how its times become those of the run."),
    TABLE("rank_hop", hop_table,
          "A table: the collectives in which ranks waited for each other: which rank came last, "
          "and what that cost."),
    {0},
};
