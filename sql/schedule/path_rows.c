/* path_rows: what bounds the selected part of each trace, and the ranks of a run, as tables.
 *
 *     path_segment      the critical path, piece by piece: FROM path_segment ORDER BY from_ns
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
 *
 * Small graphs stay in memory; large plans keep only their path.
 */
#include "sql/schedule/path_rows.h"

#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/schedule/plan.h"
#include "src/base/number.h"

#include <string.h>

/* Graphs of so many nodes stay in memory, about 100 bytes each. */
enum { NODES_KEPT = 8000000 };

/* Nodes on the path behind which time passed; of those without any only joins. Work is on the path
 * where the edge of its duration is. The caller frees it. */
static bool *mark_path(const struct plan *plan)
{
    const struct graph *graph = &plan->graph;
    bool *is_on_path = memory_zeroed(graph->times.count + 1, sizeof *is_on_path);
    struct tie tie;
    for (uint32_t node = plan->sink; graph_binding(graph, node, &tie, NULL); node = tie.from)
        is_on_path[node] =
            tie.kind == TIE_JOIN ||
            (tie.kind == TIE_SPAN && graph->times.items[tie.from] != graph->times.items[node]);
    return is_on_path;
}

static int64_t id_of(const struct path_rows *rows, const struct segment *piece)
{
    return piece->number ? rows->ranks.items[piece->part].first_id + piece->number - 1 : 0;
}

/* The event that the path is with when the rank that came last comes: what it waited for itself. */
static int64_t event_before(const struct path_rows *rows, const struct path_whole *whole,
                            const struct work *work, int64_t id)
{
    int64_t time = whole->plan->graph.times.items[work_start_node(work)];
    const struct segment *pieces = &rows->pieces.items[whole->first_piece];
    size_t place;
    ARRAY_LOWER_BOUND(place, whole->end_piece - whole->first_piece, pieces[place].to <= time);
    while (place && id_of(rows, &pieces[place - 1]) == id)
        place--;
    return place ? id_of(rows, &pieces[place - 1]) : 0;
}

static enum path_cause cause_of(const struct segment *piece)
{
    switch ((enum segment_kind)piece->kind) {
    case SEGMENT_COMPUTATION:
        return CAUSE_COMPUTATION;
    case SEGMENT_COPY:
        return CAUSE_COPY;
    case SEGMENT_COMMUNICATION:
    case SEGMENT_TRANSFER:
    case SEGMENT_ARRIVAL:
        return CAUSE_COMMUNICATION;
    case SEGMENT_LOADING:
        return CAUSE_LOADING;
    case SEGMENT_EARLIER:
    case SEGMENT_UNKNOWN:
    case SEGMENT_TAIL:
    case SEGMENT_CLOCK:
        return PATH_CAUSES;
    default:
        return CAUSE_HOST;
    }
}

/* Adds up by cause, `sign` times, what bound the start of a kernel since a moment. */
static void add_causes(struct plan *plan, uint32_t place, int64_t after, int sign,
                       struct path_hop *hop, segment_list *pieces)
{
    const struct plan_member *member = &plan->members.items[place];
    const struct work *work = &plan->parts.items[member->part].works.items[member->work];
    struct path path = {.pieces = pieces};
    pieces->count = 0;
    path_make_to(plan, &path, work_start_node(work), after);
    for (size_t i = 0; i < pieces->count; i++) {
        const struct segment *piece = &pieces->items[i];
        int64_t time = piece->to - (piece->from > after ? piece->from : after);
        enum path_cause cause = piece->part == member->part ? cause_of(piece) : CAUSE_COMMUNICATION;
        if (time > 0 && cause != PATH_CAUSES)
            hop->causes[cause] += sign * time;
    }
}

static void keep_hop(struct path_rows *rows, struct plan *plan, const struct join *join,
                     bool is_on_path, int64_t since, segment_list *pieces)
{
    const struct path_whole *whole = &rows->wholes.items[rows->wholes.count - 1];
    const struct plan_member *member = &plan->members.items[join->last];
    const struct schedule *part = &plan->parts.items[member->part];
    const struct work *work = &part->works.items[member->work];
    int64_t id = part->first_id + work->id, before = work->start - join->lead;
    struct path_hop hop = {.at = plan->graph.times.items[join->node] - plan->begin,
                           .id = id,
                           .lead = join->lead,
                           .wait = join->wait,
                           .ranks = join->count,
                           .before = is_on_path ? event_before(rows, whole, work, id) : 0,
                           .rank = (uint32_t)whole->first_rank + member->part,
                           .is_on_path = is_on_path};
    int64_t after = since < before ? since : before;
    if (join->lead) {
        add_causes(plan, join->last, after, 1, &hop, pieces);
        add_causes(plan, join->before, after, -1, &hop, pieces);
    }
    array_add(&rows->hops, hop);
}

static void describe(const struct path_rows *rows, const struct plan *plan,
                     struct path_whole *whole)
{
    static const char *const pairs[] = {"arrows", "sequence", "turns", "none"};
    const struct schedule *parts = plan->parts.items;
    whole->begin = plan->begin;
    whole->end = plan->graph.times.items[plan->sink];
    memcpy(whole->usual, parts[0].usual, sizeof whole->usual);
    whole->nodes = (int64_t)plan->graph.times.count;
    whole->had_cycle = plan->graph.had_cycle;
    for (int i = 0; i < TIE_KINDS; i++)
        whole->edges[i] -= (int64_t)plan->graph.dropped[i];
    whole->ranks = (int64_t)plan->parts.count;
    whole->pairs = pairs[parts[0].pairs];
    whole->collectives = (int64_t)plan->collectives;
    whole->joined = (int64_t)plan->joins.count;
    whole->refused = (int64_t)plan->refused;
    whole->crossed = (int64_t)plan->crossed;
    for (size_t part = 0; part < plan->parts.count; part++) {
        for (int i = 0; i < TIE_KINDS; i++)
            whole->edges[i] += (int64_t)parts[part].edges[i];
        whole->untold += (int64_t)parts[part].untold;
        for (int i = 0; i < DROP_KINDS; i++)
            whole->dropped[i] += (int64_t)parts[part].dropped[i];
    }
    const struct segment *pieces = rows->pieces.items;
    size_t first = whole->first_piece, end = whole->end_piece;
    whole->path = first == end ? 0 : pieces[end - 1].to - pieces[first].from;
    for (size_t i = first + 1; i < end; i++)
        whole->hops += pieces[i].part != pieces[i - 1].part;
}

static void keep_whole(struct path_rows *rows, struct plan *plan)
{
    struct path_whole *whole = &rows->wholes.items[rows->wholes.count - 1];
    whole->plan = plan;
    whole->first_piece = rows->pieces.count;
    whole->first_rank = rows->ranks.count;
    struct path path = {.pieces = &rows->pieces, .first_part = (uint32_t)rows->ranks.count};
    path_make(plan, &path);
    size_t end = whole->end_piece = rows->pieces.count;
    int64_t latest = path.begin;
    for (size_t i = whole->first_piece; i < end; i++) {
        int64_t to = rows->pieces.items[i].to;
        latest = to > latest ? to : latest;
        whole->back = latest - to > whole->back ? latest - to : whole->back;
    }
    describe(rows, plan, whole);
    whole->is_whole = !path.has_hole &&
                      (whole->first_piece == end || rows->pieces.items[end - 1].to == whole->end);
    for (size_t i = 0; i < plan->parts.count; i++) {
        const struct schedule *part = &plan->parts.items[i];
        array_add(&rows->ranks,
                  (struct path_rank){part->trace, part->rank, part->first_id, part->shift,
                                     part->offset, (uint32_t)rows->wholes.count - 1});
    }

    /* A rank and the one before it are held against each other from when the rank was last joined.
     */
    segment_list pieces = {0};
    bool *is_on_path = plan->joins.count ? mark_path(plan) : NULL;
    int64_t *since = plan->joins.count ? memory_list(plan->parts.count + 1, sizeof *since) : NULL;
    for (size_t i = 0; i < plan->parts.count && since; i++)
        since[i] = plan->begin;
    for (size_t i = 0; i < plan->joins.count; i++) {
        const struct join *join = &plan->joins.items[i];
        const struct plan_member *members = plan->members.items;
        keep_hop(rows, plan, join, is_on_path[join->node], since[members[join->last].part],
                 &pieces);
        for (uint32_t j = join->first; j < join->first + join->count; j++)
            since[members[j].part] = plan->graph.times.items[join->node];
    }
    array_free(&pieces);
    memory_free(since);
    memory_free(is_on_path);
}

/* ------------------------------------------------------------------ what only some ask for */

static void check_whole(struct path_rows *rows, struct plan *plan, uint32_t number)
{
    struct path_whole *whole = &rows->wholes.items[number];
    size_t nodes = plan->graph.times.count;
    int64_t *times = memory_list(nodes + 1, sizeof *times); /* then slack */
    bool *is_on_path = mark_path(plan);
    graph_ready(&plan->graph);
    graph_replay(&plan->graph, NULL, times);
    whole->is_exact = memcmp(times, plan->graph.times.items, nodes * sizeof *times) == 0;
    graph_slack(&plan->graph, plan->sink, times);

    /* Checks properties that hold for every graph. */
    const struct graph *graph = &plan->graph;
    struct tie tie;
    int64_t lag;
    for (uint32_t i = 0; i < graph->times.count; i++) {
        whole->has_lag_below_zero |= graph_binding(graph, i, &tie, &lag) && lag < 0;
        whole->has_slack_below_zero |= times[i] < 0;
    }
    for (uint32_t node = plan->sink; graph_binding(graph, node, &tie, NULL); node = tie.from)
        whole->has_slack_below_zero |= times[node] != 0;

    /* Slack of works is kept where the plan is of one trace. */
    for (size_t part = 0; part < plan->parts.count && plan->parts.count == 1; part++) {
        const struct schedule *schedule = &plan->parts.items[part];
        for (size_t i = 0; i < schedule->works.count; i++) {
            const struct work *work = &schedule->works.items[i];
            if (work->is_inside)
                array_add(&rows->works,
                          (struct path_work){schedule->first_id + work->id, times[work->end_node],
                                             number, is_on_path[work->end_node]});
        }
    }
    whole->is_checked = true;
    memory_free(times);
    memory_free(is_on_path);
}

static void path_rows_check(struct path_rows *self)
{
    for (size_t i = 0; i < self->wholes.count; i++)
        if (!self->wholes.items[i].is_checked)
            check_whole(self, self->wholes.items[i].plan, (uint32_t)i);
}

/* Needs of columns and tables: path_rows_check makes them. */
enum { CHECKED = 1 };

/* Makes what only some ask for: how much later work could be, and whether graphs hold what they
 * promise. */
static int start_checked(struct table_cursor *cursor, const struct table_wish *wish,
                         struct error *error)
{
    (void)error;
    struct memory *before = memory_enter(table_memory(cursor));
    if (wish->needs & CHECKED)
        path_rows_check(cursor->reading);
    memory_enter(before);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ all of it */

/* Takes a plan, which may be NULL. */
static void add_plan(struct path_rows *rows, const char *run, int64_t trace, struct plan *plan)
{
    if (!plan)
        return;
    char *copy = memory_text(run);
    array_add(&rows->wholes, (struct path_whole){.run = copy, .trace = trace});
    size_t nodes = plan->graph.times.count;
    keep_whole(rows, plan);
    if (rows->nodes_kept + nodes > NODES_KEPT) {
        /* Leaves of the last plan only its path. */
        path_rows_check(rows);
        rows->wholes.items[rows->wholes.count - 1].plan = NULL;
        plan_free(plan);
    } else
        rows->nodes_kept += nodes;
}

static int read_traces(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct asked asked;
    const char *run;
    int64_t trace;
    ASK(&asked, wish->db, "SELECT DISTINCT run, trace_id FROM scope ORDER BY run, trace_id", 0);
    while (ASKED_ROW(&asked, &run, &trace)) {
        struct plan *plan = NULL;
        asked.result = plan_read(wish->db, wish->context, run, trace, &plan);
        add_plan(reading, run, trace, plan);
    }
    return asked_end(&asked);
}

static int read_runs(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct asked asked;
    const char *run;
    ASK(&asked, wish->db, "SELECT DISTINCT run FROM scope ORDER BY run", 0);
    while (ASKED_ROW(&asked, &run)) {
        struct plan *plan = NULL;
        asked.result = plan_read_run(wish->db, wish->context, run, &plan);
        add_plan(reading, run, 0, plan);
    }
    return asked_end(&asked);
}

/* Further needs are met within the reading that is there. */
static unsigned needed_to_read(const struct context *context, unsigned needs)
{
    (void)context, (void)needs;
    return 0;
}

const struct table_reading path_reading = {.size = sizeof(struct path_rows),
                                           .read = read_traces,
                                           .needed = needed_to_read,
                                           .is_kept = true};

const struct table_reading path_reading_ranks = {
    .size = sizeof(struct path_rows), .read = read_runs, .needed = needed_to_read, .is_kept = true};

/* ------------------------------------------------------------------ the path */

/* A row, its rank, and the trace or run that has the path. */
enum { ROW, RANK, WHOLE, ASKED };

#define RUN_TRACE_AND_RANK(rank_words)                                                   \
    {"run", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run)},           \
        {"trace_id", "id of the trace", TABLE_AT(INT64, RANK, struct path_rank, trace)}, \
    {                                                                                    \
        "rank", rank_words, TABLE_AT(STATED, RANK, struct path_rank, rank)               \
    }

static void find_rank(struct table_cursor *cursor, uint32_t place)
{
    const struct path_rows *rows = cursor->reading;
    const struct path_rank *rank = &rows->ranks.items[place];
    cursor->parts[RANK] = rank;
    cursor->parts[WHOLE] = &rows->wholes.items[rank->whole];
}

static bool find_piece(struct table_cursor *cursor, size_t index)
{
    find_rank(cursor, ((const struct path_rows *)cursor->reading)->pieces.items[index].part);
    return true;
}

static int give_kind(sqlite3_context *out, struct table_cursor *cursor)
{
    const uint8_t *kind = (const uint8_t *)cursor->parts[ROW] + cursor->column->offset;
    sqlite3_result_text(out, segment_words[*kind].kind, -1, SQLITE_STATIC);
    return SQLITE_OK;
}

static int give_bound(sqlite3_context *out, struct table_cursor *cursor)
{
    const uint8_t *kind = (const uint8_t *)cursor->parts[ROW] + cursor->column->offset;
    sqlite3_result_text(out, segment_words[*kind].bound_by, -1, SQLITE_STATIC);
    return SQLITE_OK;
}

static int give_id(sqlite3_context *out, struct table_cursor *cursor)
{
    int64_t id = id_of(cursor->reading, cursor->parts[ROW]);
    if (id)
        sqlite3_result_int64(out, id);
    return SQLITE_OK;
}

static int give_track(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct segment *piece = cursor->parts[ROW];
    if (segment_words[piece->kind].is_host && piece->about)
        sqlite3_result_int64(out, piece->about);
    return SQLITE_OK;
}

static int give_note(sqlite3_context *out, struct table_cursor *cursor)
{
    static const char *const words[] = {NULL, "stated", "inferred", "own copy"};
    const char *word = words[((const struct segment *)cursor->parts[ROW])->word];
    if (word)
        sqlite3_result_text(out, word, -1, SQLITE_STATIC);
    return SQLITE_OK;
}

#define GIVEN(function, value) .origin = TABLE_GIVEN, .give = (function), .type = (value)
#define KIND_OF(structure)                                                  \
    {"kind", "kind of time on the path", GIVEN(give_kind, "TEXT"),          \
     .offset = offsetof(structure, kind)},                                  \
    {                                                                       \
        "bound_by", "bound of the path: cpu_bound, gpu_compute_bound, ...", \
            GIVEN(give_bound, "TEXT"), .offset = offsetof(structure, kind)  \
    }

static const struct table_column piece_columns[] = {
    RUN_TRACE_AND_RANK("rank that the path is on"),
    {"from_ns", "start, from the start of the trace; over ranks of that of the first rank",
     TABLE_AT(INT64, ROW, struct segment, from)},
    {"to_ns", "end; before the start where clocks contradict each other",
     TABLE_AT(INT64, ROW, struct segment, to)},
    KIND_OF(struct segment),
    {"id", "id of the event; NULL for time without one", GIVEN(give_id, NULL)},
    {"track_id", "thread of the event", GIVEN(give_track, NULL)},
    {"note", "source of a wait: stated, inferred (nearness in time), own copy",
     GIVEN(give_note, "TEXT")},
    {0},
};

#define PIECES(reading_of)                                                         \
    {                                                                              \
        TABLE_ROWS(piece_columns, 1e5, 1e4, reading_of, struct path_rows, pieces), \
            .row = find_piece                                                      \
    }
static const struct table piece_table = PIECES(path_reading),
                          rank_piece_table = PIECES(path_reading_ranks);

/* Time of a kind on the path of a rank, or on what lies between two moments of it. */
struct kind_sum {
    int64_t time, segments;
    uint32_t rank;
    uint8_t kind; /* enum segment_kind */
};

struct kind_cursor {
    struct table_cursor base;
    ARRAY(struct kind_sum) sums;
    size_t next;
    int64_t after, before; /* INT64_MIN and INT64_MAX: all of it */
};

/* Adds up the path of a trace or run by rank and kind. */
static void add_kinds(struct kind_cursor *cursor, const struct path_whole *whole)
{
    const struct path_rows *rows = cursor->base.reading;
    const struct segment *pieces = rows->pieces.items;
    bool is_last = whole == &rows->wholes.items[rows->wholes.count - 1];
    size_t ranks = (is_last ? rows->ranks.count : whole[1].first_rank) - whole->first_rank;
    struct kind_sum *sums = memory_zeroed(ranks * SEGMENT_KINDS + 1, sizeof *sums);

    /* Times go back by so little that most of what lies elsewhere need not be looked at. */
    int64_t after = number_difference(cursor->after, whole->back),
            before = number_sum(cursor->before, whole->back);
    size_t at, first = whole->first_piece;
    ARRAY_LOWER_BOUND(at, whole->end_piece - first, pieces[first + at].to <= after);
    for (at += first; at < whole->end_piece && pieces[at].from < before; at++) {
        int64_t from = pieces[at].from, to = pieces[at].to;
        if (from >= cursor->before || to <= cursor->after)
            continue;
        struct kind_sum *sum =
            &sums[(pieces[at].part - whole->first_rank) * SEGMENT_KINDS + pieces[at].kind];
        int64_t time = number_difference(to < cursor->before ? to : cursor->before,
                                         from > cursor->after ? from : cursor->after);
        *sum = (struct kind_sum){number_sum(sum->time, time), sum->segments + 1, pieces[at].part,
                                 pieces[at].kind};
    }
    for (size_t i = 0; i < ranks * SEGMENT_KINDS; i++)
        if (sums[i].segments)
            array_add(&cursor->sums, sums[i]);
    memory_free(sums);
}

static int start_kinds(struct table_cursor *base, const struct table_wish *wish,
                       struct error *error)
{
    (void)error;
    struct kind_cursor *cursor = (struct kind_cursor *)base;
    const struct path_rows *rows = base->reading;
    sqlite3_value *run = wish->keys[0], *trace = wish->keys[1];
    bool is_none = false;
    cursor->after = INT64_MIN;
    cursor->before = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        sqlite3_value *moment = wish->keys[2 + i];
        if (moment)
            *(i ? &cursor->before : &cursor->after) = sqlite3_value_int64(moment);
        is_none = is_none || (moment && sqlite3_value_type(moment) == SQLITE_NULL);
    }
    for (size_t i = 0; i < rows->wholes.count && !is_none; i++) {
        const struct path_whole *whole = &rows->wholes.items[i];
        const char *name = run ? (const char *)sqlite3_value_text(run) : whole->run;
        if (name && strcmp(name, whole->run) == 0 &&
            !(trace && whole->trace && sqlite3_value_int64(trace) != whole->trace))
            add_kinds(cursor, whole);
    }
    return SQLITE_OK;
}

static int next_kind(struct table_cursor *base)
{
    struct kind_cursor *cursor = (struct kind_cursor *)base;
    base->at_end = cursor->next == cursor->sums.count;
    if (base->at_end)
        return SQLITE_OK;
    base->parts[ROW] = &cursor->sums.items[cursor->next];
    base->parts[ASKED] = cursor;
    find_rank(base, cursor->sums.items[cursor->next].rank);
    base->rowid = (sqlite3_int64)++cursor->next;
    return SQLITE_OK;
}

static const struct table_column kind_columns[] = {
    {"run", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run), .role = TABLE_KEY},
    {"trace_id", "id of the trace", TABLE_AT(INT64, RANK, struct path_rank, trace),
     .role = TABLE_KEY},
    {"rank", "rank that the path is on", TABLE_AT(STATED, RANK, struct path_rank, rank)},
    KIND_OF(struct kind_sum),
    {"time_ns", "time of the kind on the path", TABLE_AT(INT64, ROW, struct kind_sum, time)},
    {"segments", "number of segments of the kind", TABLE_AT(INT64, ROW, struct kind_sum, segments)},
    {"after_ns", "argument: where to begin", TABLE_AT(STATED, ASKED, struct kind_cursor, after),
     .role = TABLE_ARGUMENT},
    {"before_ns", "argument: where to end", TABLE_AT(INT64, ASKED, struct kind_cursor, before),
     .role = TABLE_ARGUMENT},
    {0},
};

#define KINDS(reading_of)                                                                    \
    {                                                                                        \
        TABLE_MADE(kind_columns, 100, 10, struct kind_cursor, start_kinds, next_kind, NULL), \
            .reading = &(reading_of)                                                         \
    }
static const struct table kind_table = KINDS(path_reading),
                          rank_kind_table = KINDS(path_reading_ranks);

/* ------------------------------------------------------------------ graphs */

#define OF_WHOLE(kind, member) TABLE_AT(kind, ROW, struct path_whole, member)

static const struct table_column graph_columns[] = {
    {"run", "name of the run", OF_WHOLE(WORD, run)},
    {"trace_id", "id of the trace; NULL for ranks together", OF_WHOLE(ID, trace)},
    {"begin_ns", "start of the window, from the start of the trace or of the first rank",
     OF_WHOLE(INT64, begin)},
    {"end_ns", "end of the path", OF_WHOLE(INT64, end)},
    {"path_ns", "duration of the path", OF_WHOLE(INT64, path)},
    {"ranks", "number of ranks", OF_WHOLE(INT64, ranks)},
    {"collectives", "number of collectives", OF_WHOLE(INT64, collectives)},
    {"joined", "collectives that ranks wait for each other in", OF_WHOLE(INT64, joined)},
    {"refused", "collectives whose kernels never all run at one time", OF_WHOLE(INT64, refused)},
    {"hops", "number of changes of the path to another rank", OF_WHOLE(INT64, hops)},
    {"thread_pairs", "source of pairs of threads: arrows, sequence, turns or none",
     OF_WHOLE(WORD, pairs)},
    {"latency_ns", "launch latency onto an idle stream", OF_WHOLE(INT64, usual[MEASURE_LATENCY])},
    {"gap_ns", "minimum gap between two GPU activities of a stream",
     OF_WHOLE(INT64, usual[MEASURE_GAP])},
    {"return_ns", "time that a call that waited needs to return",
     OF_WHOLE(INT64, usual[MEASURE_RETURN])},
    {"call_ns", "duration of such a call that need not wait", OF_WHOLE(INT64, usual[MEASURE_COST])},
    {"nodes", "moments in the graph", OF_WHOLE(INT64, nodes)},
    {"untold_threads",
     "threads that launch work, where nothing tells how they wait for each other; else 0",
     OF_WHOLE(INT64, untold)},
    {"edges_chain", "edges along threads", OF_WHOLE(INT64, edges[TIE_CHAIN])},
    {"edges_handover", "edges from thread to thread", OF_WHOLE(INT64, edges[TIE_HANDOVER])},
    {"edges_span", "edges of GPU activities", OF_WHOLE(INT64, edges[TIE_SPAN])},
    {"edges_launch", "edges from launches to their GPU activities",
     OF_WHOLE(INT64, edges[TIE_LAUNCH])},
    {"edges_stream", "edges along streams", OF_WHOLE(INT64, edges[TIE_STREAM])},
    {"edges_wait", "edges from stream to stream", OF_WHOLE(INT64, edges[TIE_WAIT])},
    {"edges_sync", "edges from GPU activities to calls that wait for them",
     OF_WHOLE(INT64, edges[TIE_SYNC])},
    {"dropped_launches", "launches that lie behind their GPU activities",
     OF_WHOLE(INT64, dropped[DROP_LAUNCH])},
    {"dropped_waits", "waits of streams that times contradict",
     OF_WHOLE(INT64, dropped[DROP_WAIT])},
    {"dropped_syncs", "waits of calls that times contradict", OF_WHOLE(INT64, dropped[DROP_SYNC])},
    {"dropped_records", "records of waiting that name nothing in the trace",
     OF_WHOLE(INT64, dropped[DROP_RECORD])},
    {"dropped_outside", "waits for GPU activities from before the window that had ended",
     OF_WHOLE(INT64, dropped[DROP_OUTSIDE])},
    {"had_cycle", "whether edges backwards in time were taken out because they closed a circle",
     OF_WHOLE(BOOL, had_cycle)},
    {"dropped_joins", "collectives that were taken out because of circles",
     OF_WHOLE(INT64, crossed)},
    {"is_exact", "whether replaying the graph gives every time", OF_WHOLE(BOOL, is_exact),
     .needs = CHECKED},
    {"has_negative_lag", "whether an event came before all its dependencies",
     OF_WHOLE(BOOL, has_lag_below_zero), .needs = CHECKED},
    {"has_negative_slack", "whether an event is later than its limit",
     OF_WHOLE(BOOL, has_slack_below_zero), .needs = CHECKED},
    {"is_whole", "whether the path has no hole and reaches the end", OF_WHOLE(BOOL, is_whole)},
    {0},
};

#define GRAPHS(reading_of)                                                       \
    {                                                                            \
        TABLE_ROWS(graph_columns, 100, 1, reading_of, struct path_rows, wholes), \
            .start = start_checked                                               \
    }
static const struct table graph_table = GRAPHS(path_reading),
                          rank_graph_table = GRAPHS(path_reading_ranks);

static const struct table_column work_columns[] = {
    {"run", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run)},
    {"trace_id", "id of the trace", TABLE_AT(INT64, WHOLE, struct path_whole, trace)},
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
    start_checked(cursor, wish, error);
    cursor->end = ((const struct path_rows *)cursor->reading)->works.count;
    return SQLITE_OK;
}

static const struct table work_table = {
    TABLE_ROWS(work_columns, 1e6, 1e5, path_reading, struct path_rows, works),
    .needs = CHECKED,
    TABLE_OWNER(WHOLE, struct path_rows, wholes, struct path_work, whole),
    .start = start_works,
};

#define OF_HOP(kind, member) TABLE_AT(kind, ROW, struct path_hop, member)

static const struct table_column hop_columns[] = {
    RUN_TRACE_AND_RANK("rank that came last"),
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

static bool find_hop(struct table_cursor *cursor, size_t index)
{
    find_rank(cursor, ((const struct path_rows *)cursor->reading)->hops.items[index].rank);
    return true;
}

static const struct table hop_table = {
    TABLE_ROWS(hop_columns, 1e5, 1e4, path_reading_ranks, struct path_rows, hops),
    .row = find_hop,
};

static bool find_clock(struct table_cursor *cursor, size_t index)
{
    find_rank(cursor, (uint32_t)index);
    return true;
}

static const struct table_column clock_columns[] = {
    RUN_TRACE_AND_RANK("rank of the trace"),
    {"shift_ns", "shift added to times of the trace",
     TABLE_AT(INT64, ROW, struct path_rank, shift)},
    {"offset_ns", "delay of the ends of collectives behind the first rank that is due to the clock",
     TABLE_AT(INT64, ROW, struct path_rank, offset)},
    {0},
};

static const struct table clock_table = {
    TABLE_ROWS(clock_columns, 100, 10, path_reading_ranks, struct path_rows, ranks),
    .row = find_clock,
};

const struct function schedule_functions[] = {
    TABLE("path_segment", piece_table,
          "A table: the critical path of the selected part of each trace, from its beginning to "
          "its end without a hole: at every moment what was waited for last.",
          .example = "SELECT bound_by, sum(to_ns - from_ns) AS ns FROM path_segment GROUP BY "
                     "bound_by ORDER BY ns DESC"),
    TABLE("path_kind", kind_table, "A table: the time on that path by what it passed with.",
          .example = "SELECT kind, time_ns, segments FROM path_kind ORDER BY time_ns DESC"),
    TABLE("path_slack", work_table,
          "A table: every selected GPU activity with how much later it could end without making "
          "the whole later.",
          .example = "SELECT id, slack_ns FROM path_slack ORDER BY slack_ns, id LIMIT 5"),
    TABLE("path_graph", graph_table,
          "A table: a row a trace about the graph that the critical path is from: what was "
          "measured for it, how much is in it, and whether it holds what it promises.",
          .example = "SELECT nodes, latency_ns, is_exact FROM path_graph"),
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
