/* path_rows: see path_rows.h. */
#include "sql/schedule/path_rows.h"

#include "sql/database.h"
#include "sql/schedule/plan_read.h"

#include <string.h>

/* Graphs of so many nodes stay in memory, about 100 bytes each. */
enum { NODES_KEPT = 8000000 };

static bool keep_works(struct path_rows *rows, const struct plan *plan, const int64_t *slack,
                       const bool *is_on_path)
{
    bool done = true;
    for (size_t part = 0; part < plan->parts.count && plan->parts.count == 1; part++) {
        const struct schedule *schedule = &plan->parts.items[part];
        for (size_t i = 0; i < schedule->works.count && done; i++) {
            const struct work *work = &schedule->works.items[i];
            done = !work->is_inside ||
                   array_add(&rows->works, (struct path_work){work->id, slack[work->end_node],
                                                              (uint32_t)rows->wholes.count - 1,
                                                              is_on_path[work->end_node]});
        }
    }
    return done;
}

/* Nodes on the path behind which time passed; of those without any only joins. Work is on the path
 * where the edge of its duration is. */
static void mark_path(const struct plan *plan, bool *is_on_path)
{
    const struct graph *graph = &plan->graph;
    for (uint32_t node = plan->sink, edge; (edge = graph->binding[node]) != GRAPH_NONE;
         node = graph->edges.items[edge].from) {
        const struct tie *tie = &graph->edges.items[edge];
        is_on_path[node] =
            tie->kind == TIE_JOIN ||
            (tie->kind == TIE_SPAN && graph->times.items[tie->from] != graph->times.items[node]);
    }
}

/* What must be true of every graph. */
static void check(const struct plan *plan, const struct path_rows *rows, const int64_t *slack,
                  struct path_whole *whole)
{
    const struct graph *graph = &plan->graph;
    for (size_t i = 0; i < graph->times.count; i++) {
        whole->has_lag_below_zero |= graph->lag[i] < 0;
        whole->has_slack_below_zero |= slack[i] < 0;
    }
    for (uint32_t node = plan->sink, edge; (edge = graph->binding[node]) != GRAPH_NONE;
         node = graph->edges.items[edge].from)
        whole->has_slack_below_zero |= slack[node] != 0;
    size_t first = whole->first_piece, end = whole->end_piece;
    const struct segment *pieces = rows->pieces.items;
    whole->is_whole = first == end || pieces[end - 1].to == whole->end;
    for (size_t i = first + 1; i < end; i++)
        whole->is_whole &= pieces[i - 1].to == pieces[i].from;
}

/* The event that the path is with when the rank that came last comes: what it waited for itself. */
static int64_t event_before(const struct plan *plan, const struct path_rows *rows,
                            const struct path_whole *whole, const struct work *work)
{
    int64_t time = plan->graph.times.items[work->start_node];
    size_t place, count = whole->end_piece - whole->first_piece;
    const struct segment *pieces = &rows->pieces.items[whole->first_piece];
    ARRAY_LOWER_BOUND(place, count, pieces[place].to <= time);
    while (place && pieces[place - 1].id == work->id)
        place--;
    return place ? pieces[place - 1].id : 0;
}

static bool keep_hops(struct path_rows *rows, const struct plan *plan, const bool *is_on_path)
{
    const struct path_whole *whole = &rows->wholes.items[rows->wholes.count - 1];
    bool done = true;
    for (size_t i = 0; i < plan->joins.count && done; i++) {
        const struct join *join = &plan->joins.items[i];
        const struct plan_member *member = &plan->members.items[join->last];
        const struct work *work = &plan->parts.items[member->part].works.items[member->work];
        done = array_add(&rows->hops,
                         (struct path_hop){.at = plan->graph.times.items[join->node] - plan->begin,
                                           .id = work->id,
                                           .lead = join->lead,
                                           .wait = join->wait,
                                           .ranks = join->count,
                                           .before = is_on_path[join->node]
                                                         ? event_before(plan, rows, whole, work)
                                                         : 0,
                                           .whole = (uint32_t)rows->wholes.count - 1,
                                           .part = member->part,
                                           .is_on_path = is_on_path[join->node]});
    }
    return done;
}

static void describe(const struct path_rows *rows, const struct plan *plan,
                     struct path_whole *whole)
{
    const struct schedule *parts = plan->parts.items;
    whole->begin = plan->begin;
    whole->end = plan->graph.times.items[plan->sink];
    memcpy(whole->usual, parts[0].usual, sizeof whole->usual);
    whole->nodes = (int64_t)plan->graph.times.count;
    whole->had_cycle = plan->graph.had_cycle;
    whole->ranks = (int64_t)plan->parts.count;
    whole->collectives = (int64_t)plan->collectives;
    whole->joined = (int64_t)plan->joins.count;
    whole->refused = (int64_t)plan->refused;
    whole->crossed = (int64_t)plan->crossed;
    for (size_t part = 0; part < plan->parts.count; part++) {
        for (int i = 0; i < TIE_KINDS; i++)
            whole->edges[i] += (int64_t)parts[part].edges[i];
        for (int i = 0; i < DROP_KINDS; i++)
            whole->dropped[i] += (int64_t)parts[part].dropped[i];
    }
    const struct segment *pieces = rows->pieces.items;
    for (size_t i = whole->first_piece; i < whole->end_piece; i++) {
        whole->path += pieces[i].to - pieces[i].from;
        whole->hops += i > whole->first_piece && pieces[i].part != pieces[i - 1].part;
    }
}

static bool keep_ranks(struct path_rows *rows, const struct plan *plan)
{
    bool done = true;
    for (size_t i = 0; i < plan->parts.count && done; i++) {
        const struct schedule *part = &plan->parts.items[i];
        done = array_add(&rows->ranks,
                         (struct path_rank){part->trace, part->rank, part->shift, part->offset,
                                            (uint32_t)rows->wholes.count - 1});
    }
    return done;
}

/* Sums by part and kind. */
static bool keep_kinds(struct path_rows *rows, const struct plan *plan,
                       const struct path_whole *whole)
{
    size_t count = plan->parts.count * SEGMENT_KINDS;
    struct path_kind *sums = calloc(count, sizeof *sums);
    bool done = sums != NULL;
    for (size_t i = whole->first_piece; i < whole->end_piece && done; i++) {
        const struct segment *piece = &rows->pieces.items[i];
        struct path_kind *sum = &sums[piece->part * SEGMENT_KINDS + piece->kind];
        *sum = (struct path_kind){sum->time + piece->to - piece->from, sum->segments + 1,
                                  piece->whole, piece->part, piece->kind};
    }
    for (size_t i = 0; i < count && done; i++)
        done = !sums[i].segments || array_add(&rows->kinds, sums[i]);
    free(sums);
    return done;
}

static bool keep_whole(struct path_rows *rows, const struct plan *plan)
{
    size_t nodes = plan->graph.times.count;
    struct path_whole *whole = &rows->wholes.items[rows->wholes.count - 1];
    int64_t *times = malloc((nodes + 1) * sizeof *times); /* then slack */
    bool *is_on_path = calloc(nodes + 1, sizeof *is_on_path);
    whole->first_piece = rows->pieces.count;
    whole->first_rank = rows->ranks.count;
    bool done = times && is_on_path && path_make(plan, &rows->pieces);
    whole->end_piece = rows->pieces.count;
    for (size_t i = whole->first_piece; i < whole->end_piece; i++)
        rows->pieces.items[i].whole = (uint32_t)rows->wholes.count - 1;
    if (done) {
        graph_replay(&plan->graph, NULL, times);
        whole->is_exact = memcmp(times, plan->graph.times.items, nodes * sizeof *times) == 0;
        graph_slack(&plan->graph, plan->sink, times);
        mark_path(plan, is_on_path);
        describe(rows, plan, whole);
        check(plan, rows, times, whole);
        done = keep_ranks(rows, plan) && keep_kinds(rows, plan, whole) &&
               keep_works(rows, plan, times, is_on_path) && keep_hops(rows, plan, is_on_path);
    }
    free(times);
    free(is_on_path);
    return done;
}

/* Takes a plan, which may be NULL. */
static int add_plan(struct path_rows *rows, const char *run, int64_t trace, struct plan *plan)
{
    if (!plan)
        return SQLITE_OK;
    char *copy = strdup(run);
    bool done = copy && array_add(&rows->wholes, (struct path_whole){.run = copy, .trace = trace});
    if (!done)
        free(copy);
    done = done && keep_whole(rows, plan);
    size_t nodes = plan->graph.times.count;
    if (done && rows->nodes_kept + nodes <= NODES_KEPT) {
        rows->nodes_kept += nodes;
        rows->wholes.items[rows->wholes.count - 1].plan = plan;
    } else {
        plan_free(plan);
    }
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

static int add_trace(struct path_rows *rows, const struct table_wish *wish, sqlite3_stmt *from)
{
    const char *run = database_text(from, 0);
    int64_t trace = sqlite3_column_int64(from, 1);
    struct plan *plan = NULL;
    int result = run ? plan_read(wish->db, wish->context, run, trace, &plan) : SQLITE_NOMEM;
    return result == SQLITE_OK ? add_plan(rows, run, trace, plan) : result;
}

static int add_run(struct path_rows *rows, const struct table_wish *wish, sqlite3_stmt *from)
{
    const char *run = database_text(from, 0);
    struct plan *plan = NULL;
    int result = run ? plan_read_run(wish->db, wish->context, run, &plan) : SQLITE_NOMEM;
    return result == SQLITE_OK ? add_plan(rows, run, 0, plan) : result;
}

typedef int add_rows(struct path_rows *rows, const struct table_wish *wish, sqlite3_stmt *from);

static int read_each(struct path_rows *rows, const struct table_wish *wish, const char *sql,
                     add_rows *add)
{
    sqlite3_stmt *from = NULL;
    int result = sqlite3_prepare_v2(wish->db, sql, -1, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = add(rows, wish, from);
    sqlite3_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int read_traces(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return read_each(reading, wish,
                     "SELECT DISTINCT run, trace_id FROM scope ORDER BY run, trace_id", add_trace);
}

static int read_runs(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return read_each(reading, wish, "SELECT DISTINCT run FROM scope ORDER BY run", add_run);
}

static void free_rows(void *reading)
{
    struct path_rows *rows = reading;
    for (size_t i = 0; i < rows->wholes.count; i++) {
        free(rows->wholes.items[i].run);
        plan_free(rows->wholes.items[i].plan);
    }
    array_free(&rows->wholes);
    array_free(&rows->ranks);
    array_free(&rows->pieces);
    array_free(&rows->kinds);
    array_free(&rows->works);
    array_free(&rows->hops);
}

const struct path_rank *path_rank_of(const struct path_rows *self, uint32_t whole, uint32_t part)
{
    return &self->ranks.items[self->wholes.items[whole].first_rank + part];
}

const struct table_reading path_reading = {
    .size = sizeof(struct path_rows), .read = read_traces, .free = free_rows, .is_kept = true};

const struct table_reading path_reading_ranks = {
    .size = sizeof(struct path_rows), .read = read_runs, .free = free_rows, .is_kept = true};

int path_give_word(sqlite3_context *out, struct table_cursor *cursor)
{
    static const char *const words[] = {NULL, "stated", "inferred", "own copy"};
    const struct segment *piece = cursor->parts[0];
    const char *word = cursor->column->offset == 0   ? segment_words[piece->kind].kind
                       : cursor->column->offset == 1 ? segment_words[piece->kind].bound_by
                                                     : words[piece->word];
    if (word)
        sqlite3_result_text(out, word, -1, SQLITE_STATIC);
    return SQLITE_OK;
}

int path_give_kind(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct path_kind *row = cursor->parts[0];
    const struct segment_words *words = &segment_words[row->kind];
    sqlite3_result_text(out, cursor->column->offset ? words->bound_by : words->kind, -1,
                        SQLITE_STATIC);
    return SQLITE_OK;
}
