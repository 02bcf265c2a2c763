/* schedule_tables: what bounds the selected part of each trace, and the ranks of a run, as tables.
 *
 *     path_segment      the critical path, piece by piece: FROM path_segment ORDER BY from_ns
 *     path_stretch      the same in as few pieces as tell threads and work apart
 *     path_event        its time by the event that it passed with, by id
 *     path_kind         its time by kind
 *     path_graph        what was measured for it, a row a trace
 *     path_slack        how much later each GPU activity could end without harm
 *
 * They share a reading, which is kept. These are of all ranks of a run together, from another one:
 *
 *     rank_path_segment   the critical path over all ranks: FROM rank_path_segment ORDER BY from_ns
 *     rank_path_kind      its time by rank and kind
 *     rank_path_graph     what was found for it, a row a run
 *     rank_path_clock     how much the clock of each rank is off
 *     rank_hop            the collectives that ranks waited in: who came last, and what that cost
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/schedule/path_rows.h"
#include "src/base/number.h"

#include <string.h>

/* ------------------------------------------------------------------ traces */

enum { ROW = PATH_ROW, WHOLE = PATH_WHOLE, RANK = PATH_RANK };

#define RUN_AND_TRACE(part)                                                            \
    {"run", "name of the run", TABLE_AT(WORD, part, struct path_whole, run)},          \
    {                                                                                  \
        "trace_id", "id of the trace", TABLE_AT(INT64, part, struct path_whole, trace) \
    }

static const struct table_column piece_columns[] = {
    RUN_AND_TRACE(WHOLE),
    PATH_PIECE("trace"),
    {0},
};

static const struct table piece_table = {
    TABLE_MADE(piece_columns, 1e5, 1e4, struct path_piece_cursor, NULL, path_pieces_next, NULL),
    .reading = &path_reading,
};

#define OF_STRETCH(kind, member) TABLE_AT(kind, ROW, struct path_stretch, member)

static const struct table_column stretch_columns[] = {
    RUN_AND_TRACE(WHOLE),
    {"from_ns", "start, from the start of the trace", OF_STRETCH(INT64, from)},
    {"to_ns", "end; before the start where clocks contradict each other", OF_STRETCH(INT64, to)},
    {"id", "id of the GPU activity that ran; NULL where the path waits for none",
     OF_STRETCH(ID, id)},
    {"track_id", "thread of the event", OF_STRETCH(COUNT, track)},
    {0},
};

struct stretch_cursor {
    struct table_cursor base;
    struct path_stretch stretch;
};

static int next_stretch(struct table_cursor *cursor)
{
    struct path_stretch *stretch = &((struct stretch_cursor *)cursor)->stretch;
    const struct path_rows *rows = cursor->reading;
    cursor->at_end = !path_next_stretch(rows, stretch);
    cursor->rowid++;
    cursor->parts[ROW] = stretch;
    cursor->parts[WHOLE] = cursor->at_end ? NULL : &rows->wholes.items[stretch->whole];
    return SQLITE_OK;
}

static const struct table stretch_table = {
    TABLE_MADE(stretch_columns, 1e5, 1e4, struct stretch_cursor, NULL, next_stretch, NULL),
    .reading = &path_reading,
};

/* The path's time in an event. Pieces are many: each event is added up at its number, and 0 is for
 * time with none. */
struct path_event {
    int64_t time, own; /* own: of the host, or of the work's duration */
    int64_t segments;
};

struct event_cursor {
    struct table_cursor base;
    struct path_event *events; /* of the trace in hand */
    size_t place, count, whole;
};

#define OF_EVENT(kind, member) TABLE_AT(kind, ROW, struct path_event, member)

static int give_event(sqlite3_context *out, struct table_cursor *base)
{
    const struct event_cursor *cursor = (const struct event_cursor *)base;
    const struct path_rows *rows = base->reading;
    const struct path_rank *rank = path_rank_of(rows, (uint32_t)cursor->whole - 1, 0);
    if (cursor->place > 1)
        sqlite3_result_int64(out, rank->first_id + (int64_t)cursor->place - 2);
    return SQLITE_OK;
}

static const struct table_column event_columns[] = {
    RUN_AND_TRACE(WHOLE),
    {"id", "id of the event; NULL for time without one", .origin = TABLE_GIVEN, .give = give_event},
    {"time_ns", "time with the event on the path", OF_EVENT(INT64, time)},
    {"own_ns", "time on the path inside the event itself, on the host or the GPU",
     OF_EVENT(INT64, own)},
    {"segments", "pieces of the path", OF_EVENT(INT64, segments)},
    {0},
};

static int next_event(struct table_cursor *base)
{
    struct event_cursor *cursor = (struct event_cursor *)base;
    const struct path_rows *rows = base->reading;
    while (cursor->place < cursor->count || cursor->whole < rows->wholes.count) {
        if (cursor->place == cursor->count) {
            /* The path of the next trace, summed up by event. */
            const struct path_whole *whole = &rows->wholes.items[cursor->whole++];
            struct path_walk walk;
            cursor->count = (size_t)whole->plan->parts.items[0].last_id -
                            (size_t)whole->plan->parts.items[0].first_id + 2;
            cursor->place = 0;
            memory_free(cursor->events);
            cursor->events = memory_zeroed(cursor->count, sizeof *cursor->events);
            path_walk_begin(&walk, whole->plan, &rows->legs.items[whole->first_leg],
                            whole->end_leg - whole->first_leg, whole->path_begin, INT64_MIN);
            while (path_walk_next(&walk)) {
                const struct segment_words *words = &segment_words[walk.piece.kind];
                struct path_event *event = &cursor->events[walk.piece.number];
                int64_t time = number_difference(walk.piece.to, walk.from);
                bool is_own = words->is_work || strcmp(words->bound_by, "cpu_bound") == 0 ||
                              walk.piece.kind == SEGMENT_LOADING;
                event->time = number_sum(event->time, time);
                event->own = number_sum(event->own, is_own ? time : 0);
                event->segments++;
            }
        }
        const struct path_event *event = &cursor->events[cursor->place++];
        if (!event->segments)
            continue;
        base->rowid++;
        base->parts[ROW] = event;
        base->parts[WHOLE] = &rows->wholes.items[cursor->whole - 1];
        return SQLITE_OK;
    }
    base->at_end = true;
    return SQLITE_OK;
}

static const struct table event_table = {
    TABLE_MADE(event_columns, 1e5, 1e4, struct event_cursor, NULL, next_event, NULL),
    .reading = &path_reading,
};

static const struct table_column kind_columns[] = {
    RUN_AND_TRACE(WHOLE),
    PATH_KIND_SUMS,
    {"trace", "argument: the trace", TABLE_AT(INT64, WHOLE, struct path_whole, trace),
     .role = TABLE_ARGUMENT},
    PATH_KIND_MOMENTS,
    {0},
};

static const struct table kind_table = {
    TABLE_MADE(kind_columns, 100, 10, struct path_kind_cursor, path_kinds_start, path_kinds_next,
               NULL),
    .reading = &path_reading,
};

static const struct table_column work_columns[] = {
    RUN_AND_TRACE(WHOLE),
    {"id", "id of the GPU activity", TABLE_AT(INT64, ROW, struct path_work, id)},
    {"slack_ns", "possible delay of the end without a longer path",
     TABLE_AT(INT64, ROW, struct path_work, slack)},
    {"on_path", "whether the duration is part of the path",
     TABLE_AT(BOOL, ROW, struct path_work, is_on_path)},
    {0},
};

static int start_works(struct table_cursor *cursor, const struct table_wish *wish,
                       struct error *error)
{
    path_rows_start(cursor, wish, error);
    cursor->end = ((const struct path_rows *)cursor->reading)->works.count;
    return SQLITE_OK;
}

static const struct table work_table = {
    TABLE_ROWS(work_columns, 1e6, 1e5, path_reading, struct path_rows, works),
    .needs = PATH_CHECKED,
    TABLE_OWNER(WHOLE, struct path_rows, wholes, struct path_work, whole),
    .start = start_works,
};

static const struct table_column trace_columns[] = {
    RUN_AND_TRACE(ROW),
    {"begin_ns", "start of the window, from the start of the trace", PATH_OF_WHOLE(INT64, begin)},
    {"end_ns", "end of the path", PATH_OF_WHOLE(INT64, end)},
    PATH_MEASURES,
    {"untold_threads",
     "threads that launch work, where nothing tells how they wait for each other; else 0",
     PATH_OF_WHOLE(INT64, untold)},
    {"edges_chain", "edges along threads", PATH_OF_WHOLE(INT64, edges[TIE_CHAIN])},
    {"edges_handover", "edges from thread to thread", PATH_OF_WHOLE(INT64, edges[TIE_HANDOVER])},
    {"edges_span", "edges of GPU activities", PATH_OF_WHOLE(INT64, edges[TIE_SPAN])},
    {"edges_launch", "edges from launches to their GPU activities",
     PATH_OF_WHOLE(INT64, edges[TIE_LAUNCH])},
    {"edges_stream", "edges along streams", PATH_OF_WHOLE(INT64, edges[TIE_STREAM])},
    {"edges_wait", "edges from stream to stream", PATH_OF_WHOLE(INT64, edges[TIE_WAIT])},
    {"edges_sync", "edges from GPU activities to calls that wait for them",
     PATH_OF_WHOLE(INT64, edges[TIE_SYNC])},
    {"dropped_launches", "launches that lie behind their GPU activities",
     PATH_OF_WHOLE(INT64, dropped[DROP_LAUNCH])},
    {"dropped_waits", "waits of streams that times contradict",
     PATH_OF_WHOLE(INT64, dropped[DROP_WAIT])},
    {"dropped_syncs", "waits of calls that times contradict",
     PATH_OF_WHOLE(INT64, dropped[DROP_SYNC])},
    {"dropped_records", "records of waiting that name nothing in the trace",
     PATH_OF_WHOLE(INT64, dropped[DROP_RECORD])},
    {"dropped_outside", "waits for GPU activities from before the window that had ended",
     PATH_OF_WHOLE(INT64, dropped[DROP_OUTSIDE])},
    {"had_cycle", "whether edges backwards in time were taken out because they closed a circle",
     PATH_OF_WHOLE(BOOL, had_cycle)},
    PATH_CHECKS,
    {0},
};

static const struct table trace_table = {
    TABLE_ROWS(trace_columns, 100, 1, path_reading, struct path_rows, wholes),
    .start = path_rows_start,
};

const struct function schedule_functions[] = {
    TABLE("path_segment", piece_table,
          "A table: the critical path of the selected part of each trace, from its beginning to "
          "its end without a hole: at every moment what was waited for last.",
          .example = "SELECT bound_by, sum(to_ns - from_ns) AS ns FROM path_segment GROUP BY "
                     "bound_by ORDER BY ns DESC"),
    TABLE("path_stretch", stretch_table,
          "A table: the same path in as few pieces as tell threads and GPU activities apart.",
          .example = "SELECT track_id, sum(to_ns - from_ns) FROM path_stretch GROUP BY track_id"),
    TABLE("path_event", event_table,
          "A table: the time on that path by the event that it passed with.",
          .example = "SELECT id, time_ns, segments FROM path_event ORDER BY time_ns DESC LIMIT 5"),
    TABLE("path_kind", kind_table, "A table: the time on that path by what it passed with.",
          .example = "SELECT kind, time_ns, segments FROM path_kind ORDER BY time_ns DESC"),
    TABLE("path_slack", work_table,
          "A table: every selected GPU activity with how much later it could end without making "
          "the whole later.",
          .example = "SELECT id, slack_ns FROM path_slack ORDER BY slack_ns, id LIMIT 5"),
    TABLE("path_graph", trace_table,
          "A table: a row a trace about the graph that the critical path is from: what was "
          "measured for it, how much is in it, and whether it holds what it promises.",
          .example = "SELECT nodes, latency_ns, is_exact FROM path_graph"),
    {0},
};

/* ------------------------------------------------------------------ ranks */

#define RUN                                                                     \
    {                                                                           \
        "run", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run) \
    }
#define TRACE_AND_RANK(part, words)                                                  \
    {"trace_id", "id of the trace", TABLE_AT(INT64, part, struct path_rank, trace)}, \
    {                                                                                \
        "rank", words, TABLE_AT(STATED, part, struct path_rank, rank)                \
    }

static const struct table_column rank_piece_columns[] = {
    RUN,
    TRACE_AND_RANK(RANK, "rank that the path is on"),
    PATH_PIECE("first rank"),
    {0},
};

static const struct table rank_piece_table = {
    TABLE_MADE(rank_piece_columns, 1e5, 1e4, struct path_piece_cursor, NULL, path_pieces_next,
               NULL),
    .reading = &path_reading_ranks,
};

static const struct table_column rank_kind_columns[] = {
    RUN,
    TRACE_AND_RANK(RANK, "rank that the path is on"),
    PATH_KIND_SUMS,
    {"of_run", "argument: the run", TABLE_AT(WORD, WHOLE, struct path_whole, run),
     .role = TABLE_ARGUMENT},
    PATH_KIND_MOMENTS,
    {0},
};

static const struct table rank_kind_table = {
    TABLE_MADE(rank_kind_columns, 100, 10, struct path_kind_cursor, path_kinds_start,
               path_kinds_next, NULL),
    .reading = &path_reading_ranks,
};

#define OF_HOP(kind, member) TABLE_AT(kind, ROW, struct path_hop, member)

static const struct table_column hop_columns[] = {
    RUN,
    TRACE_AND_RANK(RANK, "rank that came last"),
    {"at_ns", "arrival of the last rank, from the start of the first rank", OF_HOP(INT64, at)},
    {"id", "id of the last rank's GPU activity", OF_HOP(INT64, id)},
    {"ranks", "ranks with a kernel of the collective", OF_HOP(INT64, ranks)},
    {"lead_ns", "time in which all other ranks wait for the last rank alone", OF_HOP(INT64, lead)},
    {"wait_ns", "wait of all other ranks, together", OF_HOP(INT64, wait)},
    {"on_path", "whether the critical path goes through the collective", OF_HOP(BOOL, is_on_path)},
    {"before_id", "on the path, the event of the previous rank before the last rank came",
     OF_HOP(ID, before)},
    {"computation_ns", "computation of the last rank beyond the rank before it, a part of lead_ns",
     OF_HOP(INT64, causes[CAUSE_COMPUTATION])},
    {"memcpy_ns", "memcpy of the last rank beyond the rank before it",
     OF_HOP(INT64, causes[CAUSE_COPY])},
    {"communication_ns", "other communication of the last rank beyond the rank before it",
     OF_HOP(INT64, causes[CAUSE_COMMUNICATION])},
    {"loading_ns", "data loading of the last rank beyond the rank before it",
     OF_HOP(INT64, causes[CAUSE_LOADING])},
    {"host_ns", "other host time and launches of the last rank beyond the rank before it",
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
    {"shift_ns", "shift added to times of the trace",
     TABLE_AT(INT64, ROW, struct path_rank, shift)},
    {"offset_ns", "delay of the ends of collectives behind the first rank that is due to the clock",
     TABLE_AT(INT64, ROW, struct path_rank, offset)},
    {0},
};

static const struct table clock_table = {
    TABLE_ROWS(clock_columns, 100, 10, path_reading_ranks, struct path_rows, ranks),
    TABLE_OWNER(WHOLE, struct path_rows, wholes, struct path_rank, whole),
};

static const struct table_column rank_graph_columns[] = {
    {"run", "name of the run", PATH_OF_WHOLE(WORD, run)},
    {"begin_ns", "start of the window, from the start of the first rank",
     PATH_OF_WHOLE(INT64, begin)},
    {"end_ns", "end of the path", PATH_OF_WHOLE(INT64, end)},
    {"path_ns", "duration of the path", PATH_OF_WHOLE(INT64, path)},
    {"ranks", "number of ranks", PATH_OF_WHOLE(INT64, ranks)},
    {"collectives", "number of collectives", PATH_OF_WHOLE(INT64, collectives)},
    {"joined", "collectives that ranks wait for each other in", PATH_OF_WHOLE(INT64, joined)},
    {"refused", "collectives whose kernels never all run at one time",
     PATH_OF_WHOLE(INT64, refused)},
    {"hops", "number of changes of the path to another rank", PATH_OF_WHOLE(INT64, hops)},
    PATH_MEASURES,
    {"had_cycle", "whether edges were taken out because they closed a circle",
     PATH_OF_WHOLE(BOOL, had_cycle)},
    {"dropped_joins", "collectives that were taken out because of circles",
     PATH_OF_WHOLE(INT64, crossed)},
    PATH_CHECKS,
    {0},
};

static const struct table rank_graph_table = {
    TABLE_ROWS(rank_graph_columns, 10, 1, path_reading_ranks, struct path_rows, wholes),
    .start = path_rows_start,
};

const struct function rank_path_functions[] = {
    TABLE("rank_path_segment", rank_piece_table,
          "A table: the critical path of the ranks of each run together: where they wait for each "
          "other it goes on with the one that came last."),
    TABLE("rank_path_kind", rank_kind_table,
          "A table: the time on that path by rank and what it passed with."),
    TABLE("rank_path_graph", rank_graph_table,
          "A table: a row a run about the graph that this path is from."),
    TABLE("rank_path_clock", clock_table,
          "A table: a row a rank: how its times become those of the run."),
    TABLE("rank_hop", hop_table,
          "A table: the collectives in which ranks waited for each other: which rank came last, "
          "and what that cost."),
    {0},
};
