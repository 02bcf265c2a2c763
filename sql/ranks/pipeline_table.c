/* pipeline_table: pipelines over the ranks of a run.
 *
 *     pipeline_slot      a row for each slot of a schedule: forward or backward of a microbatch
 *     pipeline_rank      a row for each rank of a pipeline in each step: what its GPUs did
 *     pipeline_window    a row for each pipeline and step: its schedule, replayed
 *
 *     SELECT schedule, (end_ns - start_ns) / 1e6 FROM pipeline_window
 *     SELECT rank, compute_ns, wait_ns FROM pipeline_rank
 *
 * They share one reading of the selection (pipeline_rows.h), which the connection keeps.
 */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/ranks/pipeline_rows.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/number.h"

#include <string.h>

/* Reads the slots of pipelines, and what ranks did, from the views of a connection. */
struct reading {
    struct pipeline_rows *rows;
    const struct table_wish *wish;
    struct map rank_of;  /* trace -> place + 1 */
    struct map slot_of;  /* range -> place + 1 */
    struct map p2p_ids;  /* of sends and receives */
    struct map sender;   /* (run, rank number) -> place + 1 of the rank */
    struct map of_group; /* process group -> place + 1 of a rank in it */
    struct intern texts; /* names of runs and groups */
};

static int read_ranks(struct reading *self)
{
    struct pipeline_rows *rows = self->rows;
    struct asked asked = {.db = self->wish->db};
    struct pipeline_rank rank = {0};
    const char *run;
    asked.result = ranges_ask(self->wish,
                              "run, trace_id, rank, place, start_ns - coalesce((SELECT moved_ns "
                              "FROM rank_clock WHERE rank_clock.run = scope.run AND "
                              "rank_clock.trace_id = scope.trace_id), 0), world_size, label",
                              "run_rank", " ORDER BY run, place", &asked.statement);
    while (ASKED_ROW(&asked, &run, &rank.trace_id, OR_NONE(&rank.rank), &rank.place, &rank.start_ns,
                     &rank.world_size)) {
        rank.run = memory_text(run);
        rank.label = sqlite3_value_dup(sqlite3_column_value(asked.statement, 6));
        if (!rank.label)
            memory_fail();
        rank.leader = (uint32_t)rows->ranks.count;
        array_add(&rows->ranks, rank);
        map_set(&self->rank_of, rank.trace_id, 0, (uint32_t)rows->ranks.count);
        if (rank.rank == INT64_MIN)
            continue;
        uint32_t *place =
            map_put(&self->sender, intern_add(&self->texts, run, strlen(run)), rank.rank);
        if (*place == 0)
            *place = (uint32_t)rows->ranks.count;
    }
    return asked_end(&asked);
}

static int read_slots(struct reading *self)
{
    static const char letters[] = "FBIW";
    struct pipeline_rows *rows = self->rows;
    struct asked asked = {.db = self->wish->db};
    struct pipeline_slot slot = {.start = INT64_MIN, .end = INT64_MIN};
    const char *kind;
    int64_t trace, duration;
    asked.result = ranges_ask(
        self->wish, "trace_id, id, ts_ns, dur_ns, kind, stage, microbatch, step, is_selected",
        "pipeline_range", "", &asked.statement);
    while (ASKED_ROW(&asked, &trace, &slot.id, &slot.from, &duration, &kind, OR_NONE(&slot.stage),
                     &slot.microbatch, OR_NONE(&slot.step), &slot.is_selected)) {
        uint32_t rank = map_get(&self->rank_of, trace, 0);
        const char *letter = *kind ? strchr(letters, *kind) : NULL;
        if (!rank || !letter || duration <= 0)
            continue;
        slot.rank = rank - 1;
        slot.kind = (enum pipeline_kind)(letter - letters);
        rows->ranks.items[rank - 1].has_slots = true;
        array_add(&rows->slots, slot);
        map_set(&self->slot_of, slot.id, 0, (uint32_t)rows->slots.count);
    }
    return asked_end(&asked);
}

/* ------------------------------------------------------------------ sends and receives */

static void join(struct reading *self, uint32_t rank, uint32_t other)
{
    struct pipeline_rank *ranks = self->rows->ranks.items;
    uint32_t a = pipeline_leader(self->rows, rank), b = pipeline_leader(self->rows, other);
    if (ranks[rank].has_slots && ranks[other].has_slots)
        ranks[a > b ? a : b].leader = a > b ? b : a;
}

/* The place + 1 of a rank in a list that is not cut short; 0: it is not there. */
static uint32_t place_in(const char *list, int64_t number)
{
    uint32_t place = 0;
    for (const char *at = list; *(at += strcspn(at, "0123456789")); place++) {
        char *end;
        if (strtoll(at, &end, 10) == number)
            return place + 1;
        at = end;
    }
    return 0;
}

struct p2p {
    int64_t trace, id, peer, size, step, start, duration, both;
    const char *group, *list; /* list: of the ranks in the process group */
    bool is_send, is_unmatched;
};

/* Joins the rank with its peer, and with those of its process group, unless that is all ranks. */
static void join_peers(struct reading *self, const struct p2p *p2p, uint32_t place)
{
    struct pipeline_rank *rank = &self->rows->ranks.items[place];
    uint32_t run = intern_add(&self->texts, rank->run, strlen(rank->run));
    uint32_t peer = p2p->peer != INT64_MIN ? map_get(&self->sender, run, p2p->peer) : 0;
    if (peer)
        join(self, place, peer - 1);
    bool is_known = *p2p->list && !strstr(p2p->list, "...") && rank->rank != INT64_MIN;
    if (is_known && !rank->in_group)
        rank->in_group = place_in(p2p->list, rank->rank);
    if (!*p2p->list || p2p->size <= 0 || p2p->size >= rank->world_size)
        return;
    struct text key = {0};
    text_format(&key, "%s\n%s", p2p->group, p2p->list);
    uint32_t group = intern_add(&self->texts, key.items, key.count);
    text_free(&key);
    uint32_t *first = map_put(&self->of_group, run, group);
    if (*first == 0)
        *first = place + 1;
    else
        join(self, place, *first - 1);
}

static int read_p2p(struct reading *self)
{
    struct pipeline_rows *rows = self->rows;
    struct asked asked = {.db = self->wish->db};
    struct p2p p2p;
    asked.result = ranges_ask(
        self->wish,
        "trace_id, id, side = 'send', CASE side WHEN 'send' THEN dst ELSE src END, group_name, "
        "group_ranks, group_size, step, common_ns, dur_ns, both_ns, is_unmatched",
        "p2p_match", "", &asked.statement);
    while (ASKED_ROW(&asked, &p2p.trace, &p2p.id, &p2p.is_send, OR_NONE(&p2p.peer), &p2p.group,
                     &p2p.list, &p2p.size, OR_NONE(&p2p.step), &p2p.start, &p2p.duration,
                     OR_NONE(&p2p.both), &p2p.is_unmatched)) {
        uint32_t place = map_get(&self->rank_of, p2p.trace, 0);
        map_set(&self->p2p_ids, p2p.id, 0, 1);
        if (!place || !rows->ranks.items[place - 1].has_slots)
            continue;
        struct pipeline_rank *rank = &rows->ranks.items[place - 1];
        bool is_pair = p2p.both != INT64_MIN;
        int64_t end = number_sum(p2p.start, p2p.duration);
        if (is_pair && end > p2p.both)
            interval_add(&rank->moving, p2p.both, end);
        if (is_pair && !p2p.is_send && p2p.both > p2p.start)
            interval_add(&rank->waiting, p2p.start, p2p.both < end ? p2p.both : end);
        if (p2p.is_unmatched || (is_pair && p2p.is_send))
            array_add(&rows->p2p, (struct pipeline_p2p){place - 1, p2p.step, !p2p.is_unmatched});
        join_peers(self, &p2p, place - 1);
    }

    /* Where nothing states who sends to whom, the ranks of a run are one pipeline. */
    for (uint32_t from = 0, to; from < rows->ranks.count; from = to) {
        bool is_stated = false;
        for (to = from; to < rows->ranks.count &&
                        strcmp(rows->ranks.items[to].run, rows->ranks.items[from].run) == 0;
             to++)
            is_stated = is_stated || rows->ranks.items[to].leader != to;
        uint32_t first = from;
        while (first < to && !rows->ranks.items[first].has_slots)
            first++;
        for (uint32_t i = first; i < to && !is_stated; i++)
            join(self, first, i);
    }
    return asked_end(&asked);
}

/* ------------------------------------------------------------------ activity */

static int read_activity(struct reading *self)
{
    struct pipeline_rows *rows = self->rows;
    struct asked asked = {.db = self->wish->db};
    int64_t trace, id, start, duration, range;
    bool is_communication;
    asked.result = ranges_ask(self->wish, "trace_id, id, ts_ns, dur_ns, is_communication, range_id",
                              "pipeline_work", "", &asked.statement);
    for (size_t i = 1;
         ASKED_ROW(&asked, &trace, &id, &start, &duration, &is_communication, OR_NONE(&range));
         i++) {
        if (i % 8192 == 0)
            database_let_go(asked.db); /* pages of activity that was read */
        uint32_t place = map_get(&self->rank_of, trace, 0);
        struct pipeline_rank *rank = place ? &rows->ranks.items[place - 1] : NULL;
        if (!rank || !rank->has_slots || (is_communication && map_get(&self->p2p_ids, id, 0)))
            continue;
        start = number_sum(rank->start_ns, start);
        int64_t end = number_sum(start, duration > 0 ? duration : 0);
        interval_add(&rank->all, start, end);
        place = is_communication || range == INT64_MIN ? 0 : map_get(&self->slot_of, range, 0);
        if (!place)
            continue;
        struct pipeline_slot *slot = &rows->slots.items[place - 1];
        slot->start = slot->start == INT64_MIN || start < slot->start ? start : slot->start;
        slot->end = end > slot->end ? end : slot->end;
        interval_add(&slot->set, start, end);
    }
    return asked_end(&asked);
}

/* Fills rows for the selected runs. A result code of SQLite. */
static int pipeline_rows_read(void *rows, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct pipeline_rows *made = rows;
    struct reading reading = {.rows = rows, .wish = wish};
    int result = read_ranks(&reading);
    if (result == SQLITE_OK)
        result = read_slots(&reading);
    if (result == SQLITE_OK && made->slots.count)
        result = read_p2p(&reading);
    if (result == SQLITE_OK && made->slots.count)
        result = read_activity(&reading);
    if (result == SQLITE_OK) {
        size_t kept = 0;
        for (size_t i = 0; i < made->slots.count; i++)
            if (made->slots.items[i].is_selected)
                made->slots.items[kept++] = made->slots.items[i];
            else
                interval_free(&made->slots.items[i].set);
        made->slots.count = kept;
        pipeline_rows_measure(made);
    }
    map_free(&reading.rank_of);
    map_free(&reading.slot_of);
    map_free(&reading.p2p_ids);
    map_free(&reading.sender);
    map_free(&reading.of_group);
    intern_free(&reading.texts);
    database_let_go(wish->db);
    return result;
}

/* The row; its rank, its window, and the first rank of its pipeline. */
enum { ROW, RANK, WINDOW, LEADER };

static bool find_window(struct table_cursor *cursor, uint32_t place)
{
    const struct pipeline_rows *rows = cursor->reading;
    const struct pipeline_window *window = &rows->windows.items[place];
    cursor->parts[WINDOW] = window;
    cursor->parts[LEADER] = &rows->ranks.items[window->leader];
    return window->schedule != NULL;
}

static bool find_of_slot(struct table_cursor *cursor, size_t index)
{
    const struct pipeline_rows *rows = cursor->reading;
    cursor->parts[RANK] = &rows->ranks.items[rows->slots.items[index].rank];
    return find_window(cursor, rows->slots.items[index].window);
}

static bool find_of_part(struct table_cursor *cursor, size_t index)
{
    const struct pipeline_rows *rows = cursor->reading;
    cursor->parts[RANK] = &rows->ranks.items[rows->parts.items[index].rank];
    return find_window(cursor, rows->parts.items[index].window);
}

static bool find_of_window(struct table_cursor *cursor, size_t index)
{
    return find_window(cursor, (uint32_t)index);
}

static int give_kind(sqlite3_context *out, struct table_cursor *cursor)
{
    static const char *const names[PIPELINE_KINDS] = {"forward", "backward", "backward_input",
                                                      "backward_weight"};
    const struct pipeline_slot *slot = cursor->parts[ROW];
    sqlite3_result_text(out, names[slot->kind], -1, SQLITE_STATIC);
    return SQLITE_OK;
}

#define OF_SLOT(kind, member)   TABLE_AT(kind, ROW, struct pipeline_slot, member)
#define OF_PART(kind, member)   TABLE_AT(kind, ROW, struct pipeline_part, member)
#define OF_RANK(kind, member)   TABLE_AT(kind, RANK, struct pipeline_rank, member)
#define OF_WINDOW(kind, member) TABLE_AT(kind, WINDOW, struct pipeline_window, member)

#define WINDOW_COLUMNS                                                            \
    {"run", "name of the run", TABLE_AT(WORD, LEADER, struct pipeline_rank, run), \
     .role = TABLE_RUN},                                                          \
        {"pipeline", "lowest rank of the pipeline",                               \
         TABLE_AT(VALUE, LEADER, struct pipeline_rank, label)},                   \
    {                                                                             \
        "step", "profiler step; NULL outside of steps", OF_WINDOW(STATED, step)   \
    }
#define RANK_COLUMNS                                                                           \
    {"trace_id", "id of the trace", OF_RANK(INT64, trace_id)},                                 \
        {"rank", "label of the rank in reports", OF_RANK(VALUE, label)},                       \
    {                                                                                          \
        "place", "place of the rank among the ranks of the run, from 0", OF_RANK(INT64, place) \
    }

static const struct table_column slot_columns[] = {
    WINDOW_COLUMNS,
    RANK_COLUMNS,
    {"id", "id of the range that marks the slot", OF_SLOT(INT64, id)},
    {"position", "number of the slot on its rank in the step, from 0", OF_SLOT(UINT32, position)},
    {"kind",
     "kind of the slot: forward, backward, backward_input (gradients of inputs) or "
     "backward_weight (gradients of weights)",
     .origin = TABLE_GIVEN, .give = give_kind, .type = "TEXT"},
    {"stage", "number of the stage", OF_SLOT(INT64, stage)},
    {"microbatch", "number of the microbatch", OF_SLOT(INT64, microbatch)},
    {"start_ns",
     "first start of a GPU activity of the slot, on the clock that ranks share; NULL without one",
     OF_SLOT(STATED, start)},
    {"end_ns", "last end of a GPU activity of the slot", OF_SLOT(STATED, end)},
    {"busy_ns", "GPU busy time of the slot", OF_SLOT(INT64, busy)},
    {0},
};

static const struct table_column rank_columns[] = {
    WINDOW_COLUMNS,
    RANK_COLUMNS,
    {"compute_ns", "GPU busy time of the slots of the rank", OF_PART(INT64, compute)},
    {"transfer_ns", "time of sends and receives whose partner runs, beyond the time of slots",
     OF_PART(INT64, transfer)},
    {"other_ns", "time of other GPU activities, beyond slots and transfers", OF_PART(INT64, other)},
    {"wait_ns", "time of receives that wait for their send while nothing else runs",
     OF_PART(INT64, wait)},
    {"warmup", "number of slots before the first backward", OF_PART(INT64, warmup)},
    {0},
};

static const struct table_column window_columns[] = {
    WINDOW_COLUMNS,
    {"schedule",
     "schedule: gpipe, 1f1b, looped_bfs, interleaved_1f1b, zero_bubble, zbv, "
     "interleaved_zero_bubble or unknown",
     OF_WINDOW(WORD, schedule)},
    {"start_ns", "first start of a slot, on the clock that ranks share", OF_WINDOW(INT64, start)},
    {"end_ns", "last end of a slot", OF_WINDOW(INT64, end)},
    {"ranks", "number of ranks with slots", OF_WINDOW(INT64, ranks)},
    {"ideal_ns",
     "duration of the schedule if nothing but slots took time; NULL where slots wait for each "
     "other in a circle",
     OF_WINDOW(REAL, ideal)},
    {"balanced_ns", "duration of the schedule if slots of a kind took equal time",
     OF_WINDOW(REAL, balanced)},
    {"pairs", "number of sends with their receives", OF_WINDOW(INT64, pairs)},
    {"unmatched", "number of sends and receives without partner", OF_WINDOW(INT64, unmatched)},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct pipeline_rows),
                                             .read = pipeline_rows_read,
                                             .free = pipeline_rows_free,
                                             .is_kept = true};

static const struct table slots = {
    TABLE_ROWS(slot_columns, 1e4, 1e4, reading, struct pipeline_rows, slots),
    .row = find_of_slot,
};

static const struct table ranks = {
    TABLE_ROWS(rank_columns, 100, 100, reading, struct pipeline_rows, parts),
    .row = find_of_part,
};

static const struct table windows = {
    TABLE_ROWS(window_columns, 10, 10, reading, struct pipeline_rows, windows),
    .row = find_of_window,
};

const struct function pipeline_functions[] = {
    TABLE("pipeline_slot", slots,
          "A table: the slots of pipeline schedules of the selected ranks: forward or backward of "
          "a stage and a microbatch."),
    TABLE("pipeline_rank", ranks,
          "A table: a row for each rank of a pipeline and each profiler step: the GPU time of its "
          "slots, transfers and waits from the first slot to the last of all ranks."),
    TABLE("pipeline_window", windows,
          "A table: a row for each pipeline and profiler step: its schedule, and the duration of "
          "the schedule when replayed."),
    {0},
};
