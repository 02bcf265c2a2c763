/* plan: Ranks that have collectives in another order wait for each other in circles: joins of a
 * circle are taken out until none is left. */
#include "sql/schedule/plan.h"

#include "sql/asked.h"
#include "sql/schedule/schedule.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

struct schedule *plan_add(struct plan *self)
{
    struct schedule *part = array_push(&self->parts);
    *part = (struct schedule){.main = GRAPH_NONE};
    return part;
}

void plan_member(struct plan *self, uint32_t collective, uint32_t part, uint32_t work)
{
    array_add(&self->members, (struct plan_member){collective, part, work});
}

void plan_order(struct plan *self)
{
    for (size_t i = 0; i < self->parts.count; i++)
        schedule_order(&self->parts.items[i]);
}

/* ------------------------------------------------------------------ joins */

ORDER_BY(compare_members, struct plan_member, UP(collective) || UP(part) || UP(work));
ORDER_BY(compare_joins, struct join, UP(time) || UP(first));

static struct work *work_of(const struct plan *self, const struct plan_member *member)
{
    return &self->parts.items[member->part].works.items[member->work];
}

/* A collective runs on all its ranks at one moment at least; those that are selected are joined. */
static void find_join(struct plan *self, size_t first, size_t count)
{
    struct plan_member *members = &self->members.items[first];
    int64_t last = INT64_MIN, least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct work *work = work_of(self, &members[i]);
        last = work->start > last ? work->start : last;
        least = work->end < least ? work->end : least;
    }
    if (last > least) {
        /* If a message was on its way before its receive began, the receive alone waits. */
        const struct work *a = work_of(self, members), *b = work_of(self, members + count - 1);
        const struct work *sent = a->is_sent ? a : b, *received = a->is_sent ? b : a;
        if (count == 2 && sent->is_sent && received->is_received && sent->end < received->start) {
            if (work_of(self, members)->is_inside && work_of(self, members + 1)->is_inside)
                array_add(&self->handed, (uint32_t)first);
            return;
        }
    }
    self->refused += count > 1 && last > least;
    if (count < 2 || last > least)
        return;
    size_t present = 0;
    for (size_t i = 0; i < count; i++)
        if (work_of(self, &members[i])->is_inside)
            members[present++] = members[i];
    if (present < 2)
        return;
    struct join join = {.first = (uint32_t)first, .count = (uint32_t)present, .last = 0};
    for (uint32_t i = 0; i < present; i++) {
        struct work *work = work_of(self, &members[i]);
        work->is_joined = true;
        if (work->start >= work_of(self, &members[join.last])->start)
            join.last = i;
    }
    int64_t before = INT64_MIN;
    last = work_of(self, &members[join.last])->start;
    for (uint32_t i = 0; i < present; i++) {
        int64_t start = work_of(self, &members[i])->start;
        join.wait += last - start;
        if (i != join.last && start >= before) {
            before = start;
            join.before = (uint32_t)first + i;
        }
    }
    join.time = last;
    join.lead = last - before;
    join.last += (uint32_t)first;
    array_add(&self->joins, join);
}

static bool tie_join(struct plan *self, struct join *join)
{
    const struct plan_member *members = self->members.items;
    int64_t last = join->time;
    join->node = graph_node(&self->graph, last);
    bool done = join->node != GRAPH_NONE;
    for (uint32_t i = join->first; i < join->first + join->count && done; i++) {
        const struct work *work = work_of(self, &members[i]);
        done = graph_edge(&self->graph, work_start_node(work), join->node, 0, TIE_JOIN,
                          members[i].work) &&
               graph_edge(&self->graph, join->node, work->end_node, work->end - last, TIE_JOIN,
                          members[i].work);
    }
    return done;
}

/* ------------------------------------------------------------------ what is common */

/* The last of the sinks. */
static bool make_sink(struct plan *self)
{
    if (self->parts.count == 1) {
        self->sink = self->parts.items[0].sink;
        return true;
    }
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < self->parts.count; i++) {
        int64_t time = self->graph.times.items[self->parts.items[i].sink];
        last = time > last ? time : last;
    }
    self->sink = graph_node(&self->graph, last);
    bool done = self->sink != GRAPH_NONE;
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = graph_edge(&self->graph, self->parts.items[i].sink, self->sink, 0, TIE_SOURCE,
                          GRAPH_NONE);
    return done;
}

/* ------------------------------------------------------------------ circles of joins */

/* From so many on that ranks have in another order all of them are taken out at once. */
enum { CROSSED_ONE_BY_ONE = 16 };

/* Ranks that have collectives in another order wait for each other: the last join in a circle is
 * none. */
static void cross_joins(struct plan *self)
{
    struct graph *graph = &self->graph;
    bool *is_stuck = memory_take(graph->times.count + 1);
    bool any = true;
    while (any && graph->ordered < graph->times.count) {
        size_t last = SIZE_MAX, kept = 0;
        bool is_all = self->crossed >= CROSSED_ONE_BY_ONE;
        graph_mark_stuck(graph, is_stuck);
        for (size_t i = 0; i < self->joins.count; i++)
            if (is_stuck[self->joins.items[i].node] &&
                (last == SIZE_MAX || graph->times.items[self->joins.items[i].node] >=
                                         graph->times.items[self->joins.items[last].node]))
                last = i;
        any = last != SIZE_MAX;
        for (size_t i = 0; i < self->joins.count; i++)
            if (i == last || (is_all && is_stuck[self->joins.items[i].node])) {
                /* The kernels of a join become work of their own ranks again. */
                const struct join *join = &self->joins.items[i];
                for (uint32_t j = join->first; j < join->first + join->count; j++) {
                    struct plan_member *member = &self->members.items[j];
                    struct work *work = work_of(self, member);
                    work->is_joined = false;
                    struct tie span = {.weight = work->end - work->start,
                                       .from = work_start_node(work),
                                       .to = work->end_node,
                                       .about = member->work,
                                       .kind = TIE_SPAN};
                    graph_redirect(&self->graph, join->node, &span);
                }
                self->crossed++;
            } else
                self->joins.items[kept++] = self->joins.items[i];
        self->joins.count = kept;
        graph_order(graph);
    }
    memory_free(is_stuck);
}

/* ------------------------------------------------------------------ all of it */

bool plan_make(struct plan *self)
{
    /* Members of a collective wait for each other at a join. */
    array_sort(&self->members, compare_members);
    for (size_t i = 0, next; i < self->members.count; i = next) {
        for (next = i + 1; next < self->members.count && self->members.items[next].collective ==
                                                             self->members.items[i].collective;)
            next++;
        self->collectives++;
        find_join(self, i, next - i);
    }
    array_sort(&self->joins, compare_joins);
    bool done = true;
    self->begin = INT64_MAX;
    for (size_t i = 0; i < self->parts.count && done; i++) {
        struct schedule *part = &self->parts.items[i];
        self->begin = part->begin < self->begin ? part->begin : self->begin;
        done = schedule_prepare(part, &self->graph);
    }
    if (done) {
        /* Measures the usual values over all parts. */
        int64_t usual[MEASURES];
        for (int what = 0; what < MEASURES; what++)
            schedule_usual(self->parts.items, self->parts.count, (enum schedule_measure)what,
                           &usual[what]);
        for (size_t i = 0; i < self->parts.count; i++) {
            memcpy(self->parts.items[i].usual, usual, sizeof usual);
            schedule_measured(&self->parts.items[i]);
        }
    }
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = schedule_tie(&self->parts.items[i]);
    for (size_t i = 0; i < self->joins.count && done; i++)
        done = tie_join(self, &self->joins.items[i]);
    for (size_t i = 0; i < self->handed.count && done; i++) {
        size_t first = self->handed.items[i];
        const struct plan_member *members = &self->members.items[first];
        bool is_first = work_of(self, &members[0])->is_sent;
        const struct plan_member *received = &members[is_first];
        done = graph_edge(&self->graph, work_of(self, &members[!is_first])->end_node,
                          work_start_node(work_of(self, received)), 0, TIE_JOIN, received->work);
    }
    bool *is_waited_for = done ? schedule_waited_for(&self->graph) : NULL;
    for (size_t i = 0; i < self->parts.count && done; i++)
        done = schedule_finish(&self->parts.items[i], is_waited_for);
    memory_free(is_waited_for);
    if (!(done && make_sink(self)))
        return false;
    bool may_wait = self->joins.count && self->graph.has_backward;
    if (may_wait)
        graph_order(&self->graph);
    if (may_wait && self->graph.ordered < self->graph.times.count) {
        graph_drop_backward(&self->graph);
        graph_order(&self->graph);
        cross_joins(self);
    }
    graph_settle(&self->graph);
    return true;
}

bool plan_is_shared(const struct plan *self, uint32_t node)
{
    return node >= self->parts.items[self->parts.count - 1].end_node;
}

uint32_t plan_part(const struct plan *self, uint32_t node)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->parts.count, self->parts.items[place].end_node <= node);
    return (uint32_t)(place < self->parts.count ? place : 0);
}

void plan_free(struct plan *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->parts.count; i++)
        schedule_free(&self->parts.items[i]);
    arrays_free(&self->parts, &self->members, &self->joins, &self->handed);
    graph_free(&self->graph);
    memory_free(self);
}

/* Clocks are found from the collectives of whole traces; each rank is then read by its
 * own clock and joined with the others. */

int plan_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
              struct plan **plan)
{
    struct plan *self = memory_zeroed(1, sizeof *self);
    self->graph.memory = memory_in_use();
    struct schedule *part = plan_add(self);
    bool is_empty = true;
    int result = schedule_read(db, context, run, trace, part, &is_empty);
    if (result == SQLITE_OK && !is_empty) {
        /* The number of its rank among those of its run: run_rank goes through all of them. */
        struct asked asked;
        ASK(&asked, db,
            "SELECT coalesce(rank, (SELECT rank FROM run_rank WHERE run = ?1 AND trace_id = ?2)) "
            "FROM trace WHERE id = ?2",
            run, trace);
        part->rank = INT64_MIN;
        ASKED_ROW(&asked, OR_NONE(&part->rank));
        result = asked_end(&asked);
    }
    if (result == SQLITE_OK && !is_empty) {
        plan_order(self);
        result = plan_make(self) ? SQLITE_OK : SQLITE_NOMEM;
    }
    bool is_made = result == SQLITE_OK && !is_empty;
    *plan = is_made ? self : NULL;
    if (!is_made)
        plan_free(self);
    return result;
}

/* ------------------------------------------------------------------ ranks */

/* A clock is moved where so many collectives agree that it is off, by so much, in ns. */
enum { OFFSET_SAMPLES = 3, OFFSET_SPREAD = 100000, OFFSET_LEAST = 20000 };

/* A kernel of a collective. */
struct taken {
    int64_t collective, trace, id;
    int64_t end;     /* on the clock that files share */
    uint32_t number; /* of the collective, from 0 */
    bool is_joined, is_sent, is_received;
};

struct run_reader {
    sqlite3 *db;
    struct context *context;
    const char *run;
    struct plan *plan;
    ARRAY(struct taken) taken; /* by collective */
};

ORDER_BY(compare_taken, struct taken, UP(collective) || UP(trace) || UP(id));

static int read_collectives(struct run_reader *self)
{
    struct asked asked;
    struct taken row = {0};
    ASK(&asked, self->db,
        "SELECT collective, trace_id, id, common_ns + moved_ns + dur_ns, may_wait, pair_side IS "
        "'send', pair_side IS 'recv' FROM collective_member WHERE run = ?1",
        self->run);
    while (ASKED_ROW(&asked, &row.collective, &row.trace, &row.id, &row.end, &row.is_joined,
                     &row.is_sent, &row.is_received))
        array_add(&self->taken, row);
    array_sort(&self->taken, compare_taken);
    for (size_t i = 1; i < self->taken.count; i++)
        self->taken.items[i].number =
            self->taken.items[i - 1].number +
            (self->taken.items[i].collective != self->taken.items[i - 1].collective);
    return asked_end(&asked);
}

/* Clocks, and collectives that cannot be joined, are found in whole traces: a step may have too
 * few.
 */
static int read_all_collectives(struct run_reader *self)
{
    if (!self->context->is_selected)
        return read_collectives(self);
    struct context_aside aside;
    context_put_aside(self->context, &aside);

    /* Selects the whole of each trace of a run. */
    struct asked asked;
    int64_t before = INT64_MIN, first, last;
    asked_open(&asked, self->db, "SELECT first_event, last_event FROM trace WHERE id = ?1");
    for (size_t i = 0; i < aside.selection.count; i++) {
        const struct selected *part = &aside.selection.items[i];
        if (strcmp(part->run, self->run) != 0 || part->trace_id == before)
            continue;
        before = part->trace_id;
        ASKED_ABOUT(&asked, before);
        if (ASKED_ROW(&asked, &first, &last))
            context_select(self->context, self->run, before, first, last, -1);
    }
    int result = asked_end(&asked);
    context_begin_aside(self->context);
    if (result == SQLITE_OK)
        result = read_collectives(self);
    context_take_back(self->context, &aside);
    return result;
}

/* Adds what happened on each rank, on its own clock. */
static int read_ranks(struct run_reader *self)
{
    struct asked asked;
    int64_t trace, rank, clock;
    ASK(&asked, self->db,
        "SELECT trace_id, rank, start_ns FROM run_rank WHERE run = ?1 ORDER BY place", self->run);
    while (ASKED_ROW(&asked, &trace, OR_NONE(&rank), &clock)) {
        struct schedule *part = plan_add(self->plan);
        bool is_empty = true;
        asked.result = schedule_read(self->db, self->context, self->run, trace, part, &is_empty);
        part->rank = rank;
        part->clock = clock;
        if (is_empty) {
            schedule_free(part);
            self->plan->parts.count--;
        }
    }
    return asked_end(&asked);
}

/* ------------------------------------------------------------------ clocks */

/* How much later collectives end on a rank than on the first one; 0 where they do not agree. */
static void find_offset(const struct run_reader *self, struct schedule *part)
{
    sample late = {0};
    int64_t first = self->plan->parts.items[0].trace;
    for (size_t i = 0, next; i < self->taken.count; i = next) {
        const struct taken *mine = NULL, *theirs = NULL;
        for (next = i; next < self->taken.count &&
                       self->taken.items[next].collective == self->taken.items[i].collective;
             next++) {
            mine = self->taken.items[next].trace == part->trace ? &self->taken.items[next] : mine;
            theirs = self->taken.items[next].trace == first ? &self->taken.items[next] : theirs;
        }
        if (mine && theirs)
            array_add(&late, (double)(mine->end - theirs->end));
    }
    double median = late.count ? sample_percentile(&late, 50) : 0;
    for (size_t i = 0; i < late.count; i++)
        late.items[i] = fabs(late.items[i] - median);
    if (late.count >= OFFSET_SAMPLES && fabs(median) >= OFFSET_LEAST &&
        sample_percentile(&late, 50) <= OFFSET_SPREAD)
        part->offset = (int64_t)median;
    array_free(&late);
}

/* Puts the ranks on one clock, which begins with the first of them. */
static void share_clock(struct run_reader *self)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < self->plan->parts.count; i++) {
        struct schedule *part = &self->plan->parts.items[i];
        find_offset(self, part);
        part->clock -= part->offset;
        first = part->clock < first ? part->clock : first;
    }
    for (size_t i = 0; i < self->plan->parts.count; i++)
        schedule_shift(&self->plan->parts.items[i], self->plan->parts.items[i].clock - first);
}

/* ------------------------------------------------------------------ joins */

static void add_members(struct run_reader *self)
{
    struct map wanted = {0}; /* id -> place in taken + 1 */
    for (uint32_t i = 0; i < self->taken.count; i++)
        map_set(&wanted, self->taken.items[i].id, 0, i + 1);
    for (uint32_t part = 0; part < self->plan->parts.count; part++) {
        struct schedule *schedule = &self->plan->parts.items[part];
        for (uint32_t work = 0; work < schedule->works.count; work++) {
            struct work *of = &schedule->works.items[work];
            uint32_t number = of->class == WORK_COMMUNICATION
                                  ? map_get(&wanted, schedule->first_id + of->id, 0)
                                  : 0;
            const struct taken *taken = number ? &self->taken.items[number - 1] : NULL;
            of->is_sent = taken && taken->is_sent;
            of->is_received = taken && taken->is_received;
            if (taken && taken->is_joined)
                plan_member(self->plan, taken->number, part, work);
        }
    }
    map_free(&wanted);
}

int plan_read_run(sqlite3 *db, struct context *context, const char *run, struct plan **plan)
{
    struct run_reader self = {db, context, run, memory_zeroed(1, sizeof *self.plan), {0}};
    self.plan->graph.memory = memory_in_use();
    int result = read_all_collectives(&self);
    if (result == SQLITE_OK)
        result = read_ranks(&self);
    bool is_empty = result != SQLITE_OK || !self.plan->parts.count;
    if (!is_empty) {
        share_clock(&self);
        plan_order(self.plan);
        add_members(&self);
        result = plan_make(self.plan) ? SQLITE_OK : SQLITE_NOMEM;
    }
    bool is_made = result == SQLITE_OK && !is_empty;
    *plan = is_made ? self.plan : NULL;
    if (!is_made)
        plan_free(self.plan);
    array_free(&self.taken);
    return result;
}
