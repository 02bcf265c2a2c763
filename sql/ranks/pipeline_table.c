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
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/ranks/pipeline_rows.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* pipeline_read: reads the slots of pipelines, and what ranks did, from the views of a connection.
 *
 * Marks say from when on which slot is open on a thread or process; calls, and the
 * activity they launched, go to the slot of their time. */

/* From this time on a call belongs to this slot, until the next mark; 0 = to none. */
struct mark {
    int64_t time;
    uint32_t slot; /* place + 1 */
};

/* The slots of a thread or of a process. */
struct lane {
    ARRAY(uint32_t) slots;
    ARRAY(struct mark) marks;
};

/* GPU activity of a rank that may be of a slot. */
struct work {
    int64_t start, end, call;
};

struct reading {
    struct pipeline_rows *rows;
    struct map rank_of;  /* trace -> place + 1 */
    struct map lane_of;  /* (track, whether of its process) -> place + 1 */
    struct map p2p_ids;  /* of sends and receives */
    struct map sender;   /* (run, rank number) -> place + 1 of the rank */
    struct map of_group; /* process group -> place + 1 of a rank in it */
    struct intern texts; /* names of runs and groups */
    ARRAY(struct lane) lanes;
    ARRAY(struct work) works;   /* by id, until their slots are found */
    struct pipeline_rank *rank; /* of the activity before */
    struct map classes;         /* (category, name) -> 1, or 2 for communication */
    sqlite3_stmt *class_of, *call_of;
    sqlite3 *db;
};

typedef int take_row(struct reading *self, sqlite3_stmt *from);

static int read_each(struct reading *self, const struct table_wish *wish, const char *sql,
                     const char *order, take_row *take)
{
    sqlite3_stmt *from = NULL;
    struct text text = {0};
    text_format(&text, "%s%s%s", sql, wish->run ? " WHERE run = ?1" : "", order);
    int result = database_prepare(wish->db, text.items, &from, NULL);
    text_free(&text);
    if (result == SQLITE_OK && wish->run)
        result = sqlite3_bind_value(from, 1, wish->run);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = take(self, from);
    return database_end(from, result);
}

/* ------------------------------------------------------------------ ranks */

static const char ranks_sql[] =
    "SELECT run, trace_id, rank, label, place, start_ns - coalesce((SELECT moved_ns FROM "
    "rank_clock "
    "WHERE rank_clock.run = run_rank.run AND rank_clock.trace_id = run_rank.trace_id), 0), "
    "world_size FROM run_rank";

static int read_rank(struct reading *self, sqlite3_stmt *from)
{
    struct pipeline_rows *rows = self->rows;
    const char *name = database_text(from, 0);
    char *copy = memory_text(name);
    struct pipeline_rank *rank = array_push(&rows->ranks);
    *rank = (struct pipeline_rank){.run = copy,
                                   .trace_id = sqlite3_column_int64(from, 1),
                                   .rank = sqlite3_value_dup(sqlite3_column_value(from, 2)),
                                   .label = sqlite3_value_dup(sqlite3_column_value(from, 3)),
                                   .place = sqlite3_column_int64(from, 4),
                                   .start_ns = sqlite3_column_int64(from, 5),
                                   .world_size = sqlite3_column_int64(from, 6),
                                   .leader = (uint32_t)rows->ranks.count - 1};
    uint32_t run = intern_add(&self->texts, name, strlen(name));
    if (!rank->rank || !rank->label)
        return SQLITE_NOMEM;
    *map_put(&self->rank_of, rank->trace_id, 0) = (uint32_t)rows->ranks.count;
    if (sqlite3_value_type(rank->rank) == SQLITE_NULL)
        return SQLITE_OK;
    uint32_t *place = map_put(&self->sender, run, sqlite3_value_int64(rank->rank));
    if (*place == 0)
        *place = (uint32_t)rows->ranks.count;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ slots */

/* Threads and processes are numbered together: a process behind its threads. */
static const char lanes_sql[] =
    "SELECT id, dense_rank() OVER (ORDER BY trace_id, process, thread), "
    "dense_rank() OVER (ORDER BY trace_id, process) FROM track "
    "WHERE kind <> 'stream' AND trace_id IN (SELECT trace_id FROM scope)";

static int read_lane(struct reading *self, sqlite3_stmt *from)
{
    for (int of_process = 0; of_process < 2; of_process++) {
        uint32_t lane =
            (uint32_t)sqlite3_column_int64(from, 1 + of_process) * 2 - (uint32_t)of_process;
        map_set(&self->lane_of, sqlite3_column_int64(from, 0), of_process, lane);
        while (self->lanes.count < lane)
            array_add(&self->lanes, (struct lane){0});
    }
    return SQLITE_OK;
}

static struct lane *lane_at(const struct reading *self, int64_t track, bool of_process)
{
    uint32_t place = map_get(&self->lane_of, track, of_process);
    return place ? &self->lanes.items[place - 1] : NULL;
}

static const char slots_sql[] =
    "SELECT trace_id, id, track_id, ts_ns, dur_ns, kind, stage, microbatch, step, is_selected "
    "FROM pipeline_range";

static int read_slot(struct reading *self, sqlite3_stmt *from)
{
    static const char letters[] = "FBIW";
    struct pipeline_rows *rows = self->rows;
    uint32_t rank = map_get(&self->rank_of, sqlite3_column_int64(from, 0), 0);
    const char *kind = database_text(from, 5);
    const char *letter = *kind ? strchr(letters, *kind) : NULL;
    int64_t start = sqlite3_column_int64(from, 3), duration = sqlite3_column_int64(from, 4);
    if (!rank || !letter || duration <= 0)
        return SQLITE_OK;
    struct pipeline_slot slot = {.rank = rank - 1,
                                 .kind = (enum pipeline_kind)(letter - letters),
                                 .id = sqlite3_column_int64(from, 1),
                                 .stage = database_integer(from, 6, INT64_MIN),
                                 .microbatch = sqlite3_column_int64(from, 7),
                                 .step = database_integer(from, 8, INT64_MIN),
                                 .from = start,
                                 .until = number_sum(start, duration),
                                 .start = INT64_MIN,
                                 .end = INT64_MIN,
                                 .is_selected = sqlite3_column_int(from, 9)};
    struct lane *thread = lane_at(self, sqlite3_column_int64(from, 2), false);
    struct lane *process = lane_at(self, sqlite3_column_int64(from, 2), true);
    rows->ranks.items[rank - 1].has_slots = true;
    uint32_t place = (uint32_t)rows->slots.count;
    array_add(&rows->slots, slot);
    if (thread)
        array_add(&thread->slots, place);
    if (process)
        array_add(&process->slots, place);
    return SQLITE_OK;
}

struct turn {
    int64_t time;
    uint32_t slot;
    bool is_start;
};

ORDER_BY(compare_turns, struct turn, UP(time) || UP(is_start) || UP(slot));

/* Between which marks a call began. */
struct spot {
    const struct lane *lane;
    int64_t track;
    size_t behind; /* marks before it */
};

static struct spot spot_at(const struct reading *self, int64_t track, int64_t time)
{
    struct spot spot = {.lane = lane_at(self, track, false), .track = track};
    if (spot.lane && !spot.lane->slots.count)
        spot.lane = lane_at(self, track, true);
    if (spot.lane)
        ARRAY_LOWER_BOUND(spot.behind, spot.lane->marks.count,
                          spot.lane->marks.items[spot.behind].time <= time);
    return spot;
}

/* ------------------------------------------------------------------ sends and receives */

static const char p2p_sql[] =
    "SELECT trace_id, id, side, CASE side WHEN 'send' THEN dst ELSE src END, group_name, "
    "group_ranks, group_size, step, common_ns, dur_ns, both_ns, is_unmatched, run FROM p2p_match";

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

/* Joins the rank with its peer, and with those of its process group, unless that is all ranks. */
static void join_peers(struct reading *self, sqlite3_stmt *from, uint32_t place)
{
    struct pipeline_rank *rank = &self->rows->ranks.items[place];
    uint32_t run = intern_add(&self->texts, rank->run, strlen(rank->run));
    uint32_t peer = map_get(&self->sender, run, sqlite3_column_int64(from, 3));
    const char *name = database_text(from, 4), *list = database_text(from, 5);
    if (peer && sqlite3_column_type(from, 3) != SQLITE_NULL)
        join(self, place, peer - 1);
    bool is_known = *list && !strstr(list, "...") && sqlite3_value_type(rank->rank) != SQLITE_NULL;
    if (is_known && !rank->in_group)
        rank->in_group = place_in(list, sqlite3_value_int64(rank->rank));
    int64_t size = sqlite3_column_int64(from, 6);
    if (!*list || size <= 0 || size >= rank->world_size)
        return;
    struct text key = {0};
    text_format(&key, "%s\n%s", name, list);
    uint32_t group = intern_add(&self->texts, key.items, key.count);
    text_free(&key);
    uint32_t *first = map_put(&self->of_group, run, group);
    if (*first == 0)
        *first = place + 1;
    else
        join(self, place, *first - 1);
}

static int read_p2p(struct reading *self, sqlite3_stmt *from)
{
    struct pipeline_rows *rows = self->rows;
    uint32_t place = map_get(&self->rank_of, sqlite3_column_int64(from, 0), 0);
    const char *side = database_text(from, 2);
    *map_put(&self->p2p_ids, sqlite3_column_int64(from, 1), 0) = 1;
    if (!place || !rows->ranks.items[place - 1].has_slots)
        return SQLITE_OK;
    struct pipeline_rank *rank = &rows->ranks.items[place - 1];
    bool is_send = strcmp(side, "send") == 0,
         is_pair = sqlite3_column_type(from, 10) != SQLITE_NULL;
    bool is_unmatched = sqlite3_column_int(from, 11);
    int64_t start = sqlite3_column_int64(from, 8), both = sqlite3_column_int64(from, 10);
    int64_t end = number_sum(start, sqlite3_column_int64(from, 9));
    if (is_pair && end > both)
        interval_add(&rank->moving, both, end);
    if (is_pair && !is_send && both > start)
        interval_add(&rank->waiting, start, both < end ? both : end);
    if (is_unmatched || (is_pair && is_send))
        array_add(&rows->p2p, (struct pipeline_p2p){place - 1, database_integer(from, 7, INT64_MIN),
                                                    !is_unmatched});
    join_peers(self, from, place - 1);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ activity */

static const char activity_sql[] =
    "SELECT work.trace_id, work.id, work.ts_ns, work.dur_ns, work.call_id, work.category_id, "
    "work.name_id FROM scope CROSS JOIN linked_work AS work ON work.id BETWEEN scope.first_event "
    "AND scope.last_event";

enum { MOST_WORKS = 8192 }; /* that wait for their slots at a time */

static int find_spot(struct reading *self, int64_t call, struct spot *spot)
{
    int result = database_find(self->db, &self->call_of,
                               "SELECT track_id, ts_ns FROM event WHERE id = ?1", call, 0);
    if (result == SQLITE_ROW)
        *spot = spot_at(self, sqlite3_column_int64(self->call_of, 0),
                        sqlite3_column_int64(self->call_of, 1));
    return result == SQLITE_ROW ? SQLITE_OK : result == SQLITE_DONE ? SQLITE_CORRUPT : result;
}

/* Calls of a thread come by time when they come by id. So where the first and the last one lie
 * between the same marks, those between them do, and need not be looked up. */
static int find_slots(struct reading *self, const struct work *works, size_t count)
{
    struct spot first = {0}, last = {0};
    int result = find_spot(self, works[0].call, &first);
    if (result == SQLITE_OK)
        result = find_spot(self, works[count - 1].call, &last);
    bool is_same = first.track == last.track && first.behind == last.behind;
    if (result == SQLITE_OK && !is_same && count > 1) {
        result = find_slots(self, works, count / 2);
        return result == SQLITE_OK ? find_slots(self, works + count / 2, count - count / 2)
                                   : result;
    }
    uint32_t place = first.behind ? first.lane->marks.items[first.behind - 1].slot : 0;
    for (size_t i = 0; i < count && result == SQLITE_OK && place; i++) {
        struct pipeline_slot *slot = &self->rows->slots.items[place - 1];
        int64_t start = works[i].start, end = works[i].end;
        slot->start = slot->start == INT64_MIN || start < slot->start ? start : slot->start;
        slot->end = end > slot->end ? end : slot->end;
        interval_add(&slot->set, start, end);
    }
    return result;
}

ORDER_BY(by_call, struct work, UP(call) || UP(start));

static int flush_works(struct reading *self)
{
    array_sort(&self->works, by_call);
    int result =
        self->works.count ? find_slots(self, self->works.items, self->works.count) : SQLITE_OK;
    self->works.count = 0;
    database_let_go(self->db); /* pages of activity that was read */
    return result;
}

static int ask_class(struct reading *self, int64_t category, int64_t name, bool *is_communication)
{
    uint32_t *known = map_put(&self->classes, category, name);
    if (*known == 0) {
        int result = database_find(self->db, &self->class_of,
                                   "SELECT kernel_class('timeline', ?1, ?2) = 'communication'",
                                   category, name);
        if (result != SQLITE_ROW)
            return result;
        *known = 1 + (sqlite3_column_int(self->class_of, 0) != 0);
    }
    *is_communication = *known == 2;
    return SQLITE_OK;
}

static int read_activity(struct reading *self, sqlite3_stmt *from)
{
    int64_t trace = sqlite3_column_int64(from, 0);
    struct pipeline_rank *rank = self->rank;
    bool is_communication = false;
    if (!rank || rank->trace_id != trace) {
        uint32_t place = map_get(&self->rank_of, trace, 0);
        rank = self->rank = place ? &self->rows->ranks.items[place - 1] : NULL;
    }
    if (!rank || !rank->has_slots)
        return SQLITE_OK;
    int result = ask_class(self, sqlite3_column_int64(from, 5), sqlite3_column_int64(from, 6),
                           &is_communication);
    if (result != SQLITE_OK ||
        (is_communication && map_get(&self->p2p_ids, sqlite3_column_int64(from, 1), 0)))
        return result;
    int64_t start = number_sum(rank->start_ns, sqlite3_column_int64(from, 2));
    int64_t duration = sqlite3_column_int64(from, 3);
    struct work work = {start, number_sum(start, duration > 0 ? duration : 0),
                        database_integer(from, 4, INT64_MIN)};
    interval_add(&rank->all, work.start, work.end);
    if (is_communication || work.call == INT64_MIN)
        return SQLITE_OK;
    array_add(&self->works, work);
    return self->works.count >= MOST_WORKS ? flush_works(self) : SQLITE_OK;
}

/* ------------------------------------------------------------------ all of it */

static int read_all(struct reading *self, const struct table_wish *wish)
{
    struct table_wish all = {.db = wish->db};
    int result = read_each(self, wish, ranks_sql, " ORDER BY run, place", read_rank);
    if (result == SQLITE_OK)
        result = read_each(self, &all, lanes_sql, "", read_lane);
    if (result == SQLITE_OK)
        result = read_each(self, wish, slots_sql, "", read_slot);
    if (result != SQLITE_OK || !self->rows->slots.count)
        return result;
    for (size_t i = 0; i < self->lanes.count; i++) {
        /* Notes from when on which slot is open: of a thread the one that started last, of a
         * process the only one. */
        struct pipeline_rows *rows = self->rows;
        struct lane *lane = &self->lanes.items[i];
        bool of_process = i % 2 == 0;
        size_t count = lane->slots.count, height = 0;
        struct turn *turns = memory_list(2 * count + 1, sizeof *turns);
        uint32_t *open = memory_list(count + 1, sizeof *open);
        array_reserve(&lane->marks, 2 * count);
        for (size_t j = 0; j < count; j++) {
            uint32_t slot = lane->slots.items[j];
            turns[2 * j] = (struct turn){rows->slots.items[slot].from, slot, true};
            turns[2 * j + 1] = (struct turn){rows->slots.items[slot].until, slot, false};
        }
        qsort(turns, 2 * count, sizeof *turns, compare_turns);
        uint64_t number = 0, sum = 0;
        for (size_t j = 0; j < 2 * count; j++) {
            uint32_t slot = turns[j].slot;
            rows->slots.items[slot].is_open = turns[j].is_start;
            number += turns[j].is_start ? 1 : (uint64_t)-1;
            sum += turns[j].is_start ? slot + 1 : -(uint64_t)slot - 1;
            if (turns[j].is_start)
                open[height++] = slot;
            while (height && !rows->slots.items[open[height - 1]].is_open)
                height--;
            uint32_t top = height ? open[height - 1] + 1 : 0;
            lane->marks.items[lane->marks.count++] =
                (struct mark){turns[j].time, !of_process   ? top
                                             : number == 1 ? (uint32_t)sum
                                                           : 0};
        }
        memory_free(turns);
        memory_free(open);
    }
    result = read_each(self, wish, p2p_sql, "", read_p2p);
    /* Where nothing states who sends to whom, the ranks of a run are one pipeline. */
    const struct pipeline_rows *rows = self->rows;
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
    if (result == SQLITE_OK)
        result = read_each(self, wish, activity_sql, "", read_activity);
    return result == SQLITE_OK ? flush_works(self) : result;
}

/* Fills rows for the selected runs. A result code of SQLite. */
static int pipeline_rows_read(void *rows, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct reading reading = {.rows = rows, .db = wish->db};
    int result = read_all(&reading, wish);
    if (result == SQLITE_OK) {
        struct pipeline_rows *made = rows;
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
    map_free(&reading.lane_of);
    map_free(&reading.p2p_ids);
    map_free(&reading.sender);
    map_free(&reading.of_group);
    intern_free(&reading.texts);
    for (size_t i = 0; i < reading.lanes.count; i++) {
        arrays_free(&reading.lanes.items[i].slots, &reading.lanes.items[i].marks);
    }
    arrays_free(&reading.lanes, &reading.works);
    map_free(&reading.classes);
    database_finalize(reading.class_of);
    database_finalize(reading.call_of);
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
