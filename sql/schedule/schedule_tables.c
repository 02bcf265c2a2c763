/* schedule_tables: what bounds the selected part of each trace, as tables.
 *
 *     path_segment      the critical path, piece by piece: FROM path_segment ORDER BY from_ns
 *     path_stretch      the same in as few pieces as tell threads and work apart
 *     path_event        its time by the event that it passed with, by id
 *     path_kind         its time by kind
 *     path_graph        what was measured for it, a row a trace
 *     path_slack        how much later each GPU activity could end without harm
 *
 * They share a reading, which is kept.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/schedule/path_rows.h"
#include "src/base/number.h"

#include <string.h>

/* ------------------------------------------------------------------ tables */

enum { ROW = PATH_ROW, TRACE = PATH_WHOLE };

#define RUN_AND_TRACE(part)                                                                       \
    {"run", "TEXT", "name of the run", TABLE_AT(WORD, part, struct path_whole, run)},             \
    {                                                                                             \
        "trace_id", "INTEGER", "id of the trace", TABLE_AT(INT64, part, struct path_whole, trace) \
    }

static const struct table_column piece_columns[] = {
    RUN_AND_TRACE(TRACE),
    PATH_PIECE("trace"),
    {0},
};

static const struct table piece_table = {
    TABLE_MADE(piece_columns, 1e5, 1e4, struct path_piece_cursor, NULL, path_pieces_next, NULL),
    .reading = &path_reading,
};

#define OF_STRETCH(kind, member) TABLE_AT(kind, ROW, struct path_stretch, member)

static const struct table_column stretch_columns[] = {
    RUN_AND_TRACE(TRACE),
    {"from_ns", "INTEGER", "start, from the start of the trace", OF_STRETCH(INT64, from)},
    {"to_ns", "INTEGER", "end; before the start where clocks contradict each other",
     OF_STRETCH(INT64, to)},
    {"id", "INTEGER", "id of the GPU activity that ran; NULL where the path waits for none",
     OF_STRETCH(ID, id)},
    {"track_id", "INTEGER", "thread of the event", OF_STRETCH(COUNT, track)},
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
    cursor->parts[TRACE] = cursor->at_end ? NULL : &rows->wholes.items[stretch->whole];
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
    RUN_AND_TRACE(TRACE),
    {"id", "INTEGER", "id of the event; NULL for time without one", .origin = TABLE_GIVEN,
     .give = give_event},
    {"time_ns", "INTEGER", "time with the event on the path", OF_EVENT(INT64, time)},
    {"own_ns", "INTEGER", "time on the path inside the event itself, on the host or the GPU",
     OF_EVENT(INT64, own)},
    {"segments", "INTEGER", "pieces of the path", OF_EVENT(INT64, segments)},
    {0},
};

static bool sum_events(struct event_cursor *self, const struct path_rows *rows,
                       const struct path_whole *whole)
{
    struct path_walk walk;
    self->count = (size_t)whole->plan->parts.items[0].last_id -
                  (size_t)whole->plan->parts.items[0].first_id + 2;
    self->place = 0;
    memory_free(self->events);
    self->events = memory_zeroed(self->count, sizeof *self->events);
    path_walk_begin(&walk, whole->plan, &rows->legs.items[whole->first_leg],
                    whole->end_leg - whole->first_leg, whole->path_begin, INT64_MIN);
    while (self->events && path_walk_next(&walk)) {
        const struct segment_words *words = &segment_words[walk.piece.kind];
        struct path_event *event = &self->events[walk.piece.number];
        int64_t time = number_difference(walk.piece.to, walk.from);
        bool is_own = words->is_work || strcmp(words->bound_by, "cpu_bound") == 0 ||
                      walk.piece.kind == SEGMENT_LOADING;
        event->time = number_sum(event->time, time);
        event->own = number_sum(event->own, is_own ? time : 0);
        event->segments++;
    }
    return self->events != NULL;
}

static int next_event(struct table_cursor *base)
{
    struct event_cursor *cursor = (struct event_cursor *)base;
    const struct path_rows *rows = base->reading;
    while (cursor->place < cursor->count || cursor->whole < rows->wholes.count) {
        if (cursor->place == cursor->count &&
            !sum_events(cursor, rows, &rows->wholes.items[cursor->whole++]))
            return SQLITE_NOMEM;
        const struct path_event *event = &cursor->events[cursor->place++];
        if (!event->segments)
            continue;
        base->rowid++;
        base->parts[ROW] = event;
        base->parts[TRACE] = &rows->wholes.items[cursor->whole - 1];
        return SQLITE_OK;
    }
    base->at_end = true;
    return SQLITE_OK;
}

static void stop_events(struct table_cursor *cursor)
{
    memory_free(((struct event_cursor *)cursor)->events);
}

static const struct table event_table = {
    TABLE_MADE(event_columns, 1e5, 1e4, struct event_cursor, NULL, next_event, stop_events),
    .reading = &path_reading,
};

static const struct table_column kind_columns[] = {
    RUN_AND_TRACE(TRACE),
    PATH_KIND_SUMS,
    {"trace", "INTEGER", "argument: the trace", TABLE_AT(INT64, TRACE, struct path_whole, trace),
     .role = TABLE_ARGUMENT},
    PATH_KIND_MOMENTS,
    {0},
};

static const struct table kind_table = {
    TABLE_MADE(kind_columns, 100, 10, struct path_kind_cursor, path_kinds_start, path_kinds_next,
               path_kinds_stop),
    .reading = &path_reading,
};

static const struct table_column work_columns[] = {
    RUN_AND_TRACE(TRACE),
    {"id", "INTEGER", "id of the GPU activity", TABLE_AT(INT64, ROW, struct path_work, id)},
    {"slack_ns", "INTEGER", "possible delay of the end without a longer path",
     TABLE_AT(INT64, ROW, struct path_work, slack)},
    {"on_path", "INTEGER", "whether the duration is part of the path",
     TABLE_AT(BOOL, ROW, struct path_work, is_on_path)},
    {0},
};

static int start_works(struct table_cursor *cursor, const struct table_wish *wish,
                       struct error *error)
{
    int result = path_rows_start(cursor, wish, error);
    cursor->end = ((const struct path_rows *)cursor->reading)->works.count;
    return result;
}

static const struct table work_table = {
    TABLE_ROWS(work_columns, 1e6, 1e5, path_reading, struct path_rows, works),
    .needs = PATH_CHECKED,
    TABLE_OWNER(TRACE, struct path_rows, wholes, struct path_work, whole),
    .start = start_works,
};

static const struct table_column trace_columns[] = {
    RUN_AND_TRACE(ROW),
    {"begin_ns", "INTEGER", "start of the window, from the start of the trace",
     PATH_OF_WHOLE(INT64, begin)},
    {"end_ns", "INTEGER", "end of the path", PATH_OF_WHOLE(INT64, end)},
    PATH_MEASURES,
    {"untold_threads", "INTEGER",
     "threads that launch work, where nothing tells how they wait for each other; else 0",
     PATH_OF_WHOLE(INT64, untold)},
    {"edges_chain", "INTEGER", "edges along threads", PATH_OF_WHOLE(INT64, edges[TIE_CHAIN])},
    {"edges_handover", "INTEGER", "edges from thread to thread",
     PATH_OF_WHOLE(INT64, edges[TIE_HANDOVER])},
    {"edges_span", "INTEGER", "edges of GPU activities", PATH_OF_WHOLE(INT64, edges[TIE_SPAN])},
    {"edges_launch", "INTEGER", "edges from launches to their GPU activities",
     PATH_OF_WHOLE(INT64, edges[TIE_LAUNCH])},
    {"edges_stream", "INTEGER", "edges along streams", PATH_OF_WHOLE(INT64, edges[TIE_STREAM])},
    {"edges_wait", "INTEGER", "edges from stream to stream", PATH_OF_WHOLE(INT64, edges[TIE_WAIT])},
    {"edges_sync", "INTEGER", "edges from GPU activities to calls that wait for them",
     PATH_OF_WHOLE(INT64, edges[TIE_SYNC])},
    {"dropped_launches", "INTEGER", "launches that lie behind their GPU activities",
     PATH_OF_WHOLE(INT64, dropped[DROP_LAUNCH])},
    {"dropped_waits", "INTEGER", "waits of streams that times contradict",
     PATH_OF_WHOLE(INT64, dropped[DROP_WAIT])},
    {"dropped_syncs", "INTEGER", "waits of calls that times contradict",
     PATH_OF_WHOLE(INT64, dropped[DROP_SYNC])},
    {"dropped_records", "INTEGER", "records of waiting that name nothing in the trace",
     PATH_OF_WHOLE(INT64, dropped[DROP_RECORD])},
    {"dropped_outside", "INTEGER", "waits for GPU activities from before the window that had ended",
     PATH_OF_WHOLE(INT64, dropped[DROP_OUTSIDE])},
    {"had_cycle", "INTEGER",
     "whether edges backwards in time were taken out because they closed a circle",
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
