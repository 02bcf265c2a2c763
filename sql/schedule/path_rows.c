/* path_rows: Small graphs stay in memory. Of other plans only the parts of the path are kept. */
#include "sql/schedule/path_rows.h"

#include "sql/database.h"
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

static int64_t id_of(const struct path_rows *rows, const struct path_whole *whole,
                     const struct segment *piece)
{
    const struct path_rank *rank = &rows->ranks.items[whole->first_rank + piece->part];
    return piece->number ? rank->first_id + piece->number - 1 : 0;
}

/* The event that the path is with when the rank that came last comes: what it waited for itself. */
static int64_t event_before(const struct path_rows *rows, const struct path_whole *whole,
                            const struct work *work, int64_t id)
{
    int64_t time = whole->plan->graph.times.items[work_start_node(work)], before = 0;
    size_t place, count = whole->end_leg - whole->first_leg;
    const struct segment *legs = &rows->legs.items[whole->first_leg];
    ARRAY_LOWER_BOUND(place, count, legs[place].to <= time);
    while (place && !legs[place - 1].is_thread && id_of(rows, whole, &legs[place - 1]) == id)
        place--;
    if (!place)
        return 0;
    struct path_walk walk;
    path_walk_begin(&walk, whole->plan, legs, place, whole->path_begin, legs[place - 1].to - 1);
    while (path_walk_next(&walk))
        before = id_of(rows, whole, &walk.piece);
    return before;
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
                       struct path_hop *hop, segment_list *legs)
{
    const struct plan_member *member = &plan->members.items[place];
    const struct work *work = &plan->parts.items[member->part].works.items[member->work];
    struct path path = {.legs = legs};
    struct path_walk walk;
    legs->count = 0;
    path_make_to(plan, &path, work_start_node(work), after);
    path_walk_begin(&walk, plan, legs->items, legs->count, path.begin, after);
    while (path_walk_next(&walk)) {
        int64_t from = walk.from > after ? walk.from : after, time = walk.piece.to - from;
        enum path_cause cause =
            walk.piece.part == member->part ? cause_of(&walk.piece) : CAUSE_COMMUNICATION;
        if (time > 0 && cause != PATH_CAUSES)
            hop->causes[cause] += sign * time;
    }
}

static void keep_hop(struct path_rows *rows, struct plan *plan, const struct join *join,
                     bool is_on_path, int64_t since, segment_list *legs)
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
                           .whole = (uint32_t)rows->wholes.count - 1,
                           .part = member->part,
                           .is_on_path = is_on_path};
    int64_t after = since < before ? since : before;
    if (join->lead) {
        add_causes(plan, join->last, after, 1, &hop, legs);
        add_causes(plan, join->before, after, -1, &hop, legs);
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
    const struct segment *legs = rows->legs.items;
    whole->path =
        whole->first_leg == whole->end_leg ? 0 : legs[whole->end_leg - 1].to - whole->path_begin;
    for (size_t i = whole->first_leg; i < whole->end_leg; i++)
        whole->hops += i > whole->first_leg && legs[i].part != legs[i - 1].part;
}

static void keep_whole(struct path_rows *rows, struct plan *plan)
{
    struct path_whole *whole = &rows->wholes.items[rows->wholes.count - 1];
    whole->plan = plan;
    whole->first_leg = rows->legs.count;
    whole->first_rank = rows->ranks.count;
    struct path path = {.legs = &rows->legs};
    path_make(plan, &path);
    whole->end_leg = rows->legs.count;
    whole->path_begin = path.begin;
    int64_t latest = path.begin;
    for (size_t i = whole->first_leg; i < whole->end_leg; i++) {
        int64_t to = rows->legs.items[i].to;
        latest = to > latest ? to : latest;
        whole->back = latest - to > whole->back ? latest - to : whole->back;
    }
    describe(rows, plan, whole);
    size_t end = whole->end_leg;
    whole->is_whole =
        !path.has_hole && (whole->first_leg == end || rows->legs.items[end - 1].to == whole->end);
    for (size_t i = 0; i < plan->parts.count; i++) {
        const struct schedule *part = &plan->parts.items[i];
        array_add(&rows->ranks,
                  (struct path_rank){part->trace, part->rank, part->first_id, part->shift,
                                     part->offset, (uint32_t)rows->wholes.count - 1});
    }

    /* A rank and the one before it are held against each other from when the rank was last joined.
     */
    segment_list legs = {0};
    bool *is_on_path = plan->joins.count ? mark_path(plan) : NULL;
    int64_t *since = plan->joins.count ? memory_list(plan->parts.count + 1, sizeof *since) : NULL;
    for (size_t i = 0; i < plan->parts.count && since; i++)
        since[i] = plan->begin;
    for (size_t i = 0; i < plan->joins.count; i++) {
        const struct join *join = &plan->joins.items[i];
        const struct plan_member *members = plan->members.items;
        keep_hop(rows, plan, join, is_on_path[join->node], since[members[join->last].part], &legs);
        for (uint32_t j = join->first; j < join->first + join->count; j++)
            since[members[j].part] = plan->graph.times.items[join->node];
    }
    array_free(&legs);
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

void path_rows_check(struct path_rows *self)
{
    for (size_t i = 0; i < self->wholes.count; i++)
        if (!self->wholes.items[i].is_checked)
            check_whole(self, self->wholes.items[i].plan, (uint32_t)i);
}

int path_rows_start(struct table_cursor *cursor, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct memory *before = memory_enter(table_memory(cursor));
    if (wish->needs & PATH_CHECKED)
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
        /* Leaves of the last plan only what its path is made of. */
        path_rows_check(rows);
        struct path_whole *last = &rows->wholes.items[rows->wholes.count - 1];
        plan_trim(last->plan);
        last->is_trimmed = true;
    } else
        rows->nodes_kept += nodes;
}

static int add_trace(struct path_rows *rows, const struct table_wish *wish, sqlite3_stmt *from)
{
    const char *run = database_text(from, 0);
    int64_t trace = sqlite3_column_int64(from, 1);
    struct plan *plan = NULL;
    int result = plan_read(wish->db, wish->context, run, trace, &plan);
    if (result == SQLITE_OK)
        add_plan(rows, run, trace, plan);
    return result;
}

static int add_run(struct path_rows *rows, const struct table_wish *wish, sqlite3_stmt *from)
{
    const char *run = database_text(from, 0);
    struct plan *plan = NULL;
    int result = plan_read_run(wish->db, wish->context, run, &plan);
    if (result == SQLITE_OK)
        add_plan(rows, run, 0, plan);
    return result;
}

typedef int add_rows(struct path_rows *rows, const struct table_wish *wish, sqlite3_stmt *from);

static int read_each(struct path_rows *rows, const struct table_wish *wish, const char *sql,
                     add_rows *add)
{
    sqlite3_stmt *from = NULL;
    int result = database_prepare(wish->db, sql, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = add(rows, wish, from);
    return database_end(from, result);
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

/* The stretch of a leg by itself. */
static struct path_stretch stretch_of(const struct path_rows *self, uint32_t whole, size_t place)
{
    const struct segment *leg = &self->legs.items[place];
    const struct segment_words *words = &segment_words[leg->kind];
    const struct path_whole *of = &self->wholes.items[whole];
    const struct schedule *part = &of->plan->parts.items[leg->part];
    int64_t track = leg->is_thread ? part->threads.items[leg->about].track : leg->about;
    return (struct path_stretch){.from = place == of->first_leg ? of->path_begin : leg[-1].to,
                                 .to = leg->to,
                                 .id = words->is_work ? id_of(self, of, leg) : 0,
                                 .track = words->is_host ? (uint32_t)track : 0,
                                 .whole = whole,
                                 .end = place + 1};
}

/* The path passes from thread to thread, and back to one, a few times. */
bool path_next_stretch(const struct path_rows *self, struct path_stretch *stretch)
{
    uint32_t whole = stretch->whole;
    while (whole < self->wholes.count && self->wholes.items[whole].end_leg <= stretch->end)
        whole++;
    if (whole == self->wholes.count)
        return false;
    *stretch = stretch_of(self, whole, stretch->end);
    while (stretch->end < self->wholes.items[whole].end_leg && !stretch->id &&
           stretch->to >= stretch->from) {
        struct path_stretch next = stretch_of(self, whole, stretch->end);
        if (next.id || next.track != stretch->track || next.to < next.from)
            break;
        stretch->to = next.to;
        stretch->end = next.end;
    }
    return true;
}

int path_pieces_next(struct table_cursor *base)
{
    struct path_piece_cursor *cursor = (struct path_piece_cursor *)base;
    const struct path_rows *rows = base->reading;
    while (!cursor->walk.plan || !path_walk_next(&cursor->walk)) {
        base->at_end = cursor->next == rows->wholes.count;
        if (base->at_end)
            return SQLITE_OK;
        const struct path_whole *whole = &rows->wholes.items[cursor->next++];
        path_walk_begin(&cursor->walk, whole->plan, &rows->legs.items[whole->first_leg],
                        whole->end_leg - whole->first_leg, whole->path_begin, INT64_MIN);
    }
    base->rowid++;
    base->parts[PATH_ROW] = &cursor->walk.piece;
    base->parts[PATH_WHOLE] = &rows->wholes.items[cursor->next - 1];
    base->parts[PATH_RANK] =
        path_rank_of(rows, (uint32_t)cursor->next - 1, cursor->walk.piece.part);
    base->parts[PATH_ASKED] = cursor;
    return SQLITE_OK;
}

const struct path_rank *path_rank_of(const struct path_rows *self, uint32_t whole, uint32_t part)
{
    return &self->ranks.items[self->wholes.items[whole].first_rank + part];
}

/* ------------------------------------------------------------------ time by kind */

static bool is_of(const struct path_whole *whole, sqlite3_value *trace_or_run)
{
    if (whole->trace)
        return whole->trace == sqlite3_value_int64(trace_or_run);
    const char *run = (const char *)sqlite3_value_text(trace_or_run);
    return run && strcmp(whole->run, run) == 0;
}

int path_kinds_start(struct table_cursor *base, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct path_kind_cursor *cursor = (struct path_kind_cursor *)base;
    const struct path_rows *rows = base->reading;
    int64_t *moments[] = {&cursor->after, &cursor->before};
    cursor->behind = rows->wholes.count;
    cursor->after = INT64_MIN;
    cursor->before = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        sqlite3_value *moment = wish->keys[1 + i];
        if (moment)
            *moments[i] = sqlite3_value_int64(moment);
        if (moment && sqlite3_value_type(moment) == SQLITE_NULL)
            cursor->behind = 0;
    }
    sqlite3_value *wanted = wish->keys[0];
    while (wanted && cursor->whole < cursor->behind &&
           !is_of(&rows->wholes.items[cursor->whole], wanted))
        cursor->whole++;
    if (wanted && cursor->behind > cursor->whole)
        cursor->behind = cursor->whole + 1;
    return SQLITE_OK;
}

int path_kinds_next(struct table_cursor *base)
{
    struct path_kind_cursor *cursor = (struct path_kind_cursor *)base;
    const struct path_rows *rows = base->reading;
    for (;; cursor->place++) {
        while (cursor->place == cursor->count && cursor->whole < cursor->behind) {
            const struct path_whole *whole = &rows->wholes.items[cursor->whole++];
            bool is_last = cursor->whole == rows->wholes.count;
            size_t ranks = (is_last ? rows->ranks.count : whole[1].first_rank) - whole->first_rank;
            memory_free(cursor->sums);
            cursor->sums = memory_zeroed(ranks * SEGMENT_KINDS + 1, sizeof *cursor->sums);
            cursor->place = 0;
            cursor->count = ranks * SEGMENT_KINDS;

            /* Adds up what lies between the moments. Times go back by so little that most of the
             * others need not be looked at. */
            struct path_walk walk;
            int64_t before = number_sum(cursor->before, whole->back);
            path_walk_begin(&walk, whole->plan, &rows->legs.items[whole->first_leg],
                            whole->end_leg - whole->first_leg, whole->path_begin,
                            number_difference(cursor->after, whole->back));
            while (walk.at < before && path_walk_next(&walk)) {
                int64_t from = walk.from, to = walk.piece.to;
                if (from >= cursor->before || to <= cursor->after)
                    continue;
                struct path_kind *sum =
                    &cursor->sums[walk.piece.part * SEGMENT_KINDS + walk.piece.kind];
                int64_t time = number_difference(to < cursor->before ? to : cursor->before,
                                                 from > cursor->after ? from : cursor->after);
                *sum = (struct path_kind){number_sum(sum->time, time), sum->segments + 1,
                                          walk.piece.kind};
            }
            base->parts[PATH_WHOLE] = whole;
        }
        base->at_end = cursor->place == cursor->count;
        if (base->at_end || cursor->sums[cursor->place].segments)
            break;
    }
    const struct path_whole *whole = base->parts[PATH_WHOLE];
    base->rowid++;
    base->parts[PATH_ASKED] = cursor;
    base->parts[PATH_ROW] = base->at_end ? NULL : &cursor->sums[cursor->place];
    base->parts[PATH_RANK] =
        base->at_end ? NULL : &rows->ranks.items[whole->first_rank + cursor->place / SEGMENT_KINDS];
    cursor->place += !base->at_end;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ readings and values */

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

int path_give_number(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct path_walk *walk = &((const struct path_piece_cursor *)cursor)->walk;
    const struct segment *piece = &walk->piece;
    if (cursor->column->offset == 0)
        sqlite3_result_int64(out, walk->from);
    else if (cursor->column->offset == 1 && piece->number)
        sqlite3_result_int64(out, id_of(cursor->reading, cursor->parts[PATH_WHOLE], piece));
    else if (cursor->column->offset == 2 && segment_words[piece->kind].is_host && piece->about)
        sqlite3_result_int64(out, piece->about);
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
