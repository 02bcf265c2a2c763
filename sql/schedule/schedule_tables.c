/* schedule_tables: what bounds the selected part of each trace, as tables.
 *
 *     path_segment      the critical path, piece by piece: FROM path_segment ORDER BY from_ns
 *     path_graph        what was measured for it, a row a trace
 *     path_slack        how much later each piece of work could end without harm
 *
 * They share a reading, which is kept.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/schedule/path.h"
#include "sql/schedule/schedule_read.h"

#include <string.h>

struct path_trace {
    char *run;
    int64_t trace;
    int64_t begin, end, latency, gap, returns, cost;
    int64_t nodes, edges[TIE_KINDS], dropped[DROP_KINDS];
    bool had_cycle, is_exact, has_lag_below_zero, has_slack_below_zero, is_whole;
};

struct path_piece {
    struct segment segment;
    const char *kind, *bound_by, *word;
    uint32_t trace;
};

struct path_work {
    int64_t id, slack;
    uint32_t trace;
    bool is_on_path;
};

struct path_rows {
    ARRAY(struct path_trace) traces;
    ARRAY(struct path_piece) pieces; /* trace by trace, by time */
    ARRAY(struct path_work) works;
};

/* ------------------------------------------------------------------ reading */

static bool keep_pieces(struct path_rows *rows, const segment_list *path)
{
    static const char *const words[] = {NULL, "stated", "inferred", "own copy"};
    for (size_t i = 0; i < path->count; i++) {
        struct path_piece *piece = array_push(&rows->pieces);
        if (!piece)
            return false;
        const struct segment *segment = &path->items[i];
        *piece = (struct path_piece){*segment, segment_words[segment->kind].kind,
                                     segment_words[segment->kind].bound_by, words[segment->word],
                                     (uint32_t)rows->traces.count - 1};
    }
    return true;
}

static bool keep_works(struct path_rows *rows, const struct schedule *schedule,
                       const int64_t *slack, const bool *is_on_path)
{
    for (size_t i = 0; i < schedule->works.count; i++) {
        const struct work *work = &schedule->works.items[i];
        struct path_work *row = work->is_inside ? array_push(&rows->works) : NULL;
        if (row)
            *row = (struct path_work){work->id, slack[work->end_node],
                                      (uint32_t)rows->traces.count - 1, is_on_path[work->end_node]};
        else if (work->is_inside)
            return false;
    }
    return true;
}

/* Work is on the path where the edge of its duration binds on it. */
static void mark_path(const struct schedule *schedule, bool *is_on_path)
{
    const struct graph *graph = &schedule->graph;
    for (uint32_t node = schedule->sink, edge; (edge = graph->binding[node]) != GRAPH_NONE;
         node = graph->edges.items[edge].from)
        is_on_path[node] =
            graph->edges.items[edge].kind == TIE_SPAN &&
            graph->times.items[graph->edges.items[edge].from] != graph->times.items[node];
}

/* What must be true of every graph. */
static void check(const struct schedule *schedule, const segment_list *path, const int64_t *times,
                  const int64_t *slack, struct path_trace *trace)
{
    const struct graph *graph = &schedule->graph;
    trace->is_exact = memcmp(times, graph->times.items, graph->times.count * sizeof *times) == 0;
    for (size_t i = 0; i < graph->times.count; i++) {
        trace->has_lag_below_zero |= graph->lag[i] < 0;
        trace->has_slack_below_zero |= slack[i] < 0;
    }
    trace->is_whole = path->count == 0 || path->items[path->count - 1].to == trace->end;
    for (size_t i = 1; i < path->count; i++)
        trace->is_whole &= path->items[i - 1].to == path->items[i].from;
}

static int keep_trace(struct path_rows *rows, const struct schedule *schedule)
{
    size_t nodes = schedule->graph.times.count;
    struct path_trace *trace = &rows->traces.items[rows->traces.count - 1];
    segment_list path = {0};
    int64_t *times = malloc((nodes + 1) * sizeof *times),
            *slack = malloc((nodes + 1) * sizeof *slack);
    bool *is_on_path = calloc(nodes + 1, sizeof *is_on_path);
    bool done =
        times && slack && is_on_path && path_make(schedule, &path) && keep_pieces(rows, &path);
    if (done) {
        graph_replay(&schedule->graph, NULL, times);
        graph_slack(&schedule->graph, schedule->sink, slack);
        mark_path(schedule, is_on_path);
        trace->begin = schedule->begin;
        trace->end = schedule->graph.times.items[schedule->sink];
        trace->latency = schedule->latency;
        trace->gap = schedule->gap;
        trace->returns = schedule->returns;
        trace->cost = schedule->cost;
        trace->nodes = (int64_t)nodes;
        trace->had_cycle = schedule->graph.had_cycle;
        for (int i = 0; i < TIE_KINDS; i++)
            trace->edges[i] = (int64_t)schedule->edges[i];
        for (int i = 0; i < DROP_KINDS; i++)
            trace->dropped[i] = (int64_t)schedule->dropped[i];
        check(schedule, &path, times, slack, trace);
        done = keep_works(rows, schedule, slack, is_on_path);
    }
    array_free(&path);
    free(times);
    free(slack);
    free(is_on_path);
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

static int add_trace(struct path_rows *rows, const struct table_wish *wish, sqlite3_stmt *from)
{
    const char *run = database_text(from, 0);
    int64_t id = sqlite3_column_int64(from, 1);
    struct schedule schedule = {0};
    bool is_empty = true;
    int result =
        run ? schedule_read(wish->db, wish->context, run, id, &schedule, &is_empty) : SQLITE_NOMEM;
    if (result == SQLITE_OK && !is_empty) {
        char *copy = strdup(run);
        struct path_trace *trace = copy ? array_push(&rows->traces) : NULL;
        if (trace)
            *trace = (struct path_trace){.run = copy, .trace = id};
        else
            free(copy);
        result = trace ? keep_trace(rows, &schedule) : SQLITE_NOMEM;
    }
    schedule_free(&schedule);
    return result;
}

static int read_rows(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    sqlite3_stmt *traces = NULL;
    int result = sqlite3_prepare_v2(
        wish->db, "SELECT DISTINCT run, trace_id FROM scope ORDER BY run, trace_id", -1, &traces,
        NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(traces)) == SQLITE_ROW)
        result = add_trace(reading, wish, traces);
    sqlite3_finalize(traces);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static void free_rows(void *reading)
{
    struct path_rows *rows = reading;
    for (size_t i = 0; i < rows->traces.count; i++)
        free(rows->traces.items[i].run);
    array_free(&rows->traces);
    array_free(&rows->pieces);
    array_free(&rows->works);
}

static const struct table_reading reading = {
    .size = sizeof(struct path_rows), .read = read_rows, .free = free_rows, .is_kept = true};

/* ------------------------------------------------------------------ tables */

enum { ROW, TRACE };

#define RUN_AND_TRACE(part)                                                                  \
    {"run", "TEXT", "run", TABLE_AT(WORD, part, struct path_trace, run), .role = TABLE_RUN}, \
    {                                                                                        \
        "trace_id", "INTEGER", "trace", TABLE_AT(INT64, part, struct path_trace, trace),     \
            .role = TABLE_TRACE                                                              \
    }

#define OF_PIECE(kind, member) TABLE_AT(kind, ROW, struct path_piece, member)

static const struct table_column piece_columns[] = {
    RUN_AND_TRACE(TRACE),
    {"from_ns", "INTEGER", "start, from the start of the trace", OF_PIECE(INT64, segment.from)},
    {"to_ns", "INTEGER", "end; before the start where clocks contradict each other",
     OF_PIECE(INT64, segment.to)},
    {"kind", "TEXT", "what the time passed with", OF_PIECE(WORD, kind)},
    {"bound_by", "TEXT", "what bounds the path there: cpu_bound, gpu_compute_bound, ...",
     OF_PIECE(WORD, bound_by)},
    {"id", "INTEGER", "event that it is about; NULL when there is none", OF_PIECE(ID, segment.id)},
    {"track_id", "INTEGER", "thread, of the host's", OF_PIECE(ID, segment.track)},
    {"note", "TEXT", "how a wait is known: stated, inferred (nearness in time), own copy",
     OF_PIECE(WORD, word)},
    {0},
};

static bool find_piece(struct table_cursor *cursor, size_t index)
{
    const struct path_rows *rows = cursor->reading;
    cursor->parts[TRACE] = &rows->traces.items[rows->pieces.items[index].trace];
    return true;
}

static const struct table piece_table = {
    .columns = piece_columns,
    .all = 1e5,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct path_rows, pieces),
    .row_size = sizeof(struct path_piece),
    .row = find_piece,
};

static const struct table_column work_columns[] = {
    RUN_AND_TRACE(TRACE),
    {"id", "INTEGER", "piece of work", TABLE_AT(INT64, ROW, struct path_work, id)},
    {"slack_ns", "INTEGER", "how much later it could end without harm",
     TABLE_AT(INT64, ROW, struct path_work, slack)},
    {"on_path", "INTEGER", "whether its duration is part of the path",
     TABLE_AT(BOOL, ROW, struct path_work, is_on_path)},
    {0},
};

static bool find_work(struct table_cursor *cursor, size_t index)
{
    const struct path_rows *rows = cursor->reading;
    cursor->parts[TRACE] = &rows->traces.items[rows->works.items[index].trace];
    return true;
}

static const struct table work_table = {
    .columns = work_columns,
    .all = 1e6,
    .found = 1e5,
    .reading = &reading,
    .rows = offsetof(struct path_rows, works),
    .row_size = sizeof(struct path_work),
    .row = find_work,
};

#define OF_TRACE(kind, member) TABLE_AT(kind, ROW, struct path_trace, member)

static const struct table_column trace_columns[] = {
    RUN_AND_TRACE(ROW),
    {"begin_ns", "INTEGER", "where the window begins, from the start of the trace",
     OF_TRACE(INT64, begin)},
    {"end_ns", "INTEGER", "where the path ends", OF_TRACE(INT64, end)},
    {"latency_ns", "INTEGER", "what a launch takes onto an idle stream", OF_TRACE(INT64, latency)},
    {"gap_ns", "INTEGER", "what a stream needs between two pieces of work", OF_TRACE(INT64, gap)},
    {"return_ns", "INTEGER", "what a call that waited needs to return", OF_TRACE(INT64, returns)},
    {"call_ns", "INTEGER", "what such a call takes that need not wait", OF_TRACE(INT64, cost)},
    {"nodes", "INTEGER", "moments in the graph", OF_TRACE(INT64, nodes)},
    {"edges_chain", "INTEGER", "edges along threads", OF_TRACE(INT64, edges[TIE_CHAIN])},
    {"edges_handover", "INTEGER", "edges from thread to thread",
     OF_TRACE(INT64, edges[TIE_HANDOVER])},
    {"edges_span", "INTEGER", "pieces of work", OF_TRACE(INT64, edges[TIE_SPAN])},
    {"edges_launch", "INTEGER", "edges from calls to their work",
     OF_TRACE(INT64, edges[TIE_LAUNCH])},
    {"edges_stream", "INTEGER", "edges along streams", OF_TRACE(INT64, edges[TIE_STREAM])},
    {"edges_wait", "INTEGER", "edges from stream to stream", OF_TRACE(INT64, edges[TIE_WAIT])},
    {"edges_sync", "INTEGER", "edges from work to calls that wait for it",
     OF_TRACE(INT64, edges[TIE_SYNC])},
    {"dropped_launches", "INTEGER", "launches that lie behind their work",
     OF_TRACE(INT64, dropped[DROP_LAUNCH])},
    {"dropped_waits", "INTEGER", "waits of streams that times contradict",
     OF_TRACE(INT64, dropped[DROP_WAIT])},
    {"dropped_syncs", "INTEGER", "waits of calls that times contradict",
     OF_TRACE(INT64, dropped[DROP_SYNC])},
    {"dropped_records", "INTEGER", "records of waiting that name nothing in the trace",
     OF_TRACE(INT64, dropped[DROP_RECORD])},
    {"dropped_outside", "INTEGER", "waits for work from before the window that had ended",
     OF_TRACE(INT64, dropped[DROP_OUTSIDE])},
    {"had_cycle", "INTEGER",
     "whether edges backwards in time were taken out because they closed a circle",
     OF_TRACE(BOOL, had_cycle)},
    {"is_exact", "INTEGER", "whether replaying the graph gives every time",
     OF_TRACE(BOOL, is_exact)},
    {"has_negative_lag", "INTEGER", "whether something came before all that it waited for",
     OF_TRACE(BOOL, has_lag_below_zero)},
    {"has_negative_slack", "INTEGER", "whether something is later than it may be",
     OF_TRACE(BOOL, has_slack_below_zero)},
    {"is_whole", "INTEGER", "whether the path has no hole and reaches the end",
     OF_TRACE(BOOL, is_whole)},
    {0},
};

static const struct table trace_table = {
    .columns = trace_columns,
    .all = 100,
    .found = 1,
    .reading = &reading,
    .rows = offsetof(struct path_rows, traces),
    .row_size = sizeof(struct path_trace),
};

const struct function schedule_functions[] = {
    {.name = "path_segment",
     .meaning = "A table: the critical path of the selected part of each trace, from its beginning "
                "to its end without a hole: at every moment what was waited for last.",
     .table = &piece_table},
    {.name = "path_slack",
     .meaning = "A table: every selected piece of work with how much later it could end without "
                "making the whole later.",
     .table = &work_table},
    {.name = "path_graph",
     .meaning = "A table: a row a trace about the graph that the critical path is from: what was "
                "measured for it, how much is in it, and whether it holds what it promises.",
     .table = &trace_table},
    {0},
};
