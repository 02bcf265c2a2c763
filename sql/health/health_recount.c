/* health_recounted: facts of health that the table health_fact lacks, or has with another tolerance
 * than health_check has now, counted from the tables. A trace that has all of them costs one
 * question and no look at its events. See health.h for what is counted. */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/health/health.h"
#include "sql/health/health_recount.sql.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

struct recount {
    struct health_fact fact;
    const char *check;
    int64_t trace;
};

struct recount_rows {
    ARRAY(struct recount) rows;
};

/* Kinds of events by category. */
enum { IS_OP = 1, IS_CALL = 2, IS_KERNEL = 4, IS_COPY = 8, IS_OVERHEAD = 16 };

struct thread {
    int64_t first, last; /* events */
    uint32_t process;    /* equal numbers are equal texts */
};

struct stream_event {
    struct health_event event;
    int64_t track;
};

struct node {
    int64_t graph, node;
};

/* Kinds of ids that maps have numbers for. */
enum { OF_NAME, OF_OP, OF_NODE, OF_CALL };

struct reader {
    sqlite3 *db;
    struct context *context;
    struct health health;
    int64_t start, first, last, elements;
    bool is_nsys, tells_processes, is_part;
    struct intern texts;  /* processes */
    ARRAY(uint8_t) roles; /* by category */
    ARRAY(struct thread) tracks;
    size_t track;                      /* in hand */
    ARRAY(struct health_event) events; /* of the track in hand */
    ARRAY(struct stream_event) work;
    struct map numbers;
    ARRAY(uint8_t) flags;     /* of names */
    ARRAY(struct node) nodes; /* of arguments */
    uint32_t caller;          /* the only process that calls; 0 = none yet */
    bool are_several;         /* processes call */
    bool is_unsure;           /* whose work without a call is */
    sqlite3_stmt *ask_name, *ask_op, *ask_node;
};

/* ------------------------------------------------------------------ what events share */

/* A number of the name, and what it says. */
static int find_name(struct reader *self, int64_t id, struct health_event *event)
{
    uint32_t *number = map_put(&self->numbers, OF_NAME, id);
    if (!*number) {
        const char *name;
        int result = database_find_text(self->db, &self->ask_name,
                                        "SELECT text FROM string WHERE id = ?1", id, &name);
        if (result != SQLITE_OK)
            return result;
        array_add(&self->flags, health_flags(&self->health, view_of(name)));
        *number = (uint32_t)self->flags.count;
    }
    event->name = *number;
    event->flags = self->flags.items[*number - 1];
    return SQLITE_OK;
}

static int find_shapes(struct reader *self, int64_t op, bool *has_shapes)
{
    enum { WITHOUT = 1, WITH };
    uint32_t *number = map_put(&self->numbers, OF_OP, op);
    if (!*number) {
        static const char sql[] = "SELECT 1 FROM op WHERE id = ?1 AND dims_id IS NOT NULL";
        int result = database_find(self->db, &self->ask_op, sql, op, 0);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return result;
        *number = result == SQLITE_ROW ? WITH : WITHOUT;
    }
    *has_shapes = *number == WITH;
    return SQLITE_OK;
}

static int64_t whole_number(sqlite3_stmt *row, int column)
{
    double value = sqlite3_column_double(row, column);
    int type = sqlite3_column_type(row, column);
    bool is_whole = type == SQLITE_INTEGER ||
                    (type == SQLITE_FLOAT && value == (double)sqlite3_column_int64(row, column));
    return is_whole ? sqlite3_column_int64(row, column) : HEALTH_NONE;
}

/* The numbers of a graph and its node in the arguments of work. */
static int find_node(struct reader *self, int64_t arguments, struct health_event *event)
{
    static const char sql[] =
        "SELECT json_extract(json, '$.\"graph id\"'), json_extract(json, '$.\"graph node id\"') "
        "FROM args WHERE id = ?1 AND instr(json, '\"graph node id\"')";
    uint32_t *number = map_put(&self->numbers, OF_NODE, arguments);
    if (!*number) {
        int result = database_find(self->db, &self->ask_node, sql, arguments, 0);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return result;
        struct node node = {HEALTH_NONE, HEALTH_NONE};
        if (result == SQLITE_ROW)
            node = (struct node){whole_number(self->ask_node, 0), whole_number(self->ask_node, 1)};
        array_add(&self->nodes, node);
        *number = (uint32_t)self->nodes.count;
    }
    event->graph = self->nodes.items[*number - 1].graph;
    event->node = self->nodes.items[*number - 1].node;
    return SQLITE_OK;
}

/* Ids of calls repeat across processes, and the table has no process. */
static int64_t id_of_process(const struct reader *self, uint32_t process, int64_t id)
{
    enum { ID_BITS = 40 };
    bool is_plain = id > 0 && !(id >> ID_BITS);
    return self->tells_processes && is_plain ? (int64_t)process << ID_BITS | id : id;
}

/* ------------------------------------------------------------------ threads */

static void end_thread(struct reader *self)
{
    health_track(&self->health, self->events.items, self->events.count, health_take_host);
    self->events.count = 0;
    self->track++;
}

enum { CATEGORY, NAME, START, DURATION, OP, ARGUMENTS, CORRELATION, UID, EVENT_COLUMNS };
static const char *const event_columns[] = {"category_id", "name_id", "ts_ns",       "dur_ns",
                                            "op_id",       "args_id", "correlation", "uid"};

/* Ops that the trace added of its own, those of replayed graphs, are not looked at. */
static int take_event(void *taker, int64_t id, const int64_t *values)
{
    struct reader *self = taker;
    int result = SQLITE_OK;
    while (self->track < self->tracks.count && id > self->tracks.items[self->track].last)
        end_thread(self);
    size_t category = (size_t)values[CATEGORY];
    uint8_t role = category < self->roles.count ? self->roles.items[category] : 0;
    if (role & IS_OVERHEAD && !(self->is_nsys && values[ARGUMENTS] != HEALTH_NONE))
        health_overhead(&self->health, self->start + values[START], values[DURATION]);
    const struct thread *track =
        self->track < self->tracks.count ? &self->tracks.items[self->track] : NULL;
    if (!(role & (IS_OP | IS_CALL)) || !track || id < track->first || values[UID] >= self->elements)
        return result;
    struct health_event event = {.start = self->start + values[START],
                                 .duration = values[DURATION],
                                 .id = id,
                                 .correlation = HEALTH_NONE,
                                 .kind = role & IS_OP ? HEALTH_OP : HEALTH_CALL};
    result = find_name(self, values[NAME], &event);
    if (result == SQLITE_OK && event.kind == HEALTH_OP) {
        event.process = track->process;
        if (values[OP] != HEALTH_NONE)
            result = find_shapes(self, values[OP], &event.has_shapes);
    } else if (result == SQLITE_OK) {
        event.correlation = values[CORRELATION];
        uint32_t process = track->process;
        self->are_several |= self->caller && self->caller != process;
        self->caller = process;
        event.correlation = id_of_process(self, process, event.correlation);
        if (self->tells_processes)
            map_set(&self->numbers, OF_CALL, event.id, process);
    }
    if (result == SQLITE_OK)
        array_add(&self->events, event);
    return result;
}

/* ------------------------------------------------------------------ streams */

enum { DEVICE = OP, BYTES = UID, TRACK, CALL, WORK_COLUMNS };
static const char *const work_columns[] = {"category_id", "name_id", "ts_ns",       "dur_ns",
                                           "device",      "args_id", "correlation", "bytes",
                                           "track_id",    "call_id"};

static int take_work(void *taker, int64_t id, const int64_t *values)
{
    struct reader *self = taker;
    size_t category = (size_t)values[CATEGORY];
    uint8_t role = category < self->roles.count ? self->roles.items[category] : 0;
    struct stream_event work = {
        .track = values[TRACK],
        .event = {.start = self->start + values[START],
                  .duration = values[DURATION],
                  .id = id,
                  .device = values[DEVICE] == HEALTH_NONE ? -1 : (int32_t)values[DEVICE],
                  .bytes = values[BYTES],
                  .graph = HEALTH_NONE,
                  .node = HEALTH_NONE,
                  .kind = role & IS_KERNEL ? HEALTH_KERNEL : HEALTH_ACTIVITY}};
    uint32_t process = map_get(&self->numbers, OF_CALL, values[CALL]);
    if (!process && !self->are_several)
        process = self->caller;
    if (!process && self->tells_processes && values[CORRELATION] > 0)
        self->is_unsure = true;
    work.event.correlation = id_of_process(self, process, values[CORRELATION]);
    int result = find_name(self, values[NAME], &work.event);
    work.event.flags = role & IS_COPY ? work.event.flags : 0;
    if (result == SQLITE_OK && values[ARGUMENTS] != HEALTH_NONE)
        result = find_node(self, values[ARGUMENTS], &work.event);
    if (result == SQLITE_OK)
        array_add(&self->work, work);
    return result;
}

ORDER_BY(compare_work, struct stream_event, UP(track) || UP(event.id));

static int read_streams(struct reader *self)
{
    struct rows_wish wish = {.table = "gpu_event",
                             .columns = work_columns,
                             .count = WORK_COLUMNS,
                             .first = self->first,
                             .last = self->last};
    int result = rows_each_number(self->db, self->context, &wish, take_work, self);
    array_sort(&self->work, compare_work);
    for (size_t i = 0; result == SQLITE_OK && i < self->work.count;) {
        int64_t track = self->work.items[i].track;
        for (self->events.count = 0; i < self->work.count && self->work.items[i].track == track;
             i++)
            array_add(&self->events, self->work.items[i].event);
        health_track(&self->health, self->events.items, self->events.count, health_take_work);
    }
    return result;
}

/* ------------------------------------------------------------------ the rest of a trace */

/* Reads the trace, roles of categories, and threads, before its events. */
static int read_surroundings(struct reader *self, int64_t trace)
{
    struct asked asked;
    int64_t id, role;
    struct thread thread;
    const char *process;
    ASK(&asked, self->db,
        "SELECT first_event, last_event, element_count, clock_start_ns, format = 'nsys', "
        "format IN ('nsys', 'pftrace'), "
        "CASE WHEN json_valid(metadata) THEN json_type(metadata, '$.tpq_part') = 'true' END "
        "FROM trace WHERE id = ?1",
        trace);
    ASKED_ROW(&asked, &self->first, &self->last, &self->elements, &self->start, &self->is_nsys,
              &self->tells_processes, &self->is_part);
    int result = asked_end(&asked);
    if (result != SQLITE_OK)
        return result;
    asked_open(&asked, self->db,
               "SELECT id, (role = 'op') + 2 * (role = 'call') + 4 * (name = 'kernel') + "
               "8 * (name = 'gpu_memcpy') + 16 * (name = 'overhead') FROM category");
    while (ASKED_ROW(&asked, &id, &role)) {
        if (id < 0 || id >= UINT16_MAX)
            continue;
        while ((int64_t)self->roles.count <= id)
            array_add(&self->roles, 0);
        self->roles.items[id] = (uint8_t)role;
    }
    if ((result = asked_end(&asked)) != SQLITE_OK)
        return result;
    ASK(&asked, self->db,
        "SELECT first_event, last_event, process FROM track WHERE trace_id = ?1 "
        "AND kind = 'thread' AND last_event >= first_event ORDER BY first_event",
        trace);
    while (ASKED_ROW(&asked, &thread.first, &thread.last, &process)) {
        thread.process = intern_add(&self->texts, process, strlen(process));
        array_add(&self->tracks, thread);
    }
    return asked_end(&asked);
}

static int health_recount_read_trace(struct reader *self, int64_t trace)
{
    struct asked asked;
    int64_t step, start, duration, count, frames = 0;
    const char *kind;
    int result = read_surroundings(self, trace);
    if (result == SQLITE_OK) {
        struct rows_wish wish = {.table = "event",
                                 .columns = event_columns,
                                 .count = EVENT_COLUMNS,
                                 .first = self->first,
                                 .last = self->last};
        result = rows_each_number(self->db, self->context, &wish, take_event, self);
        while (result == SQLITE_OK && self->track < self->tracks.count)
            end_thread(self);
    }
    if (result == SQLITE_OK)
        result = read_streams(self);
    if (result == SQLITE_OK) {
        ASK(&asked, self->db, profiler_steps, trace);
        while (ASKED_ROW(&asked, &step, &start, &duration))
            health_step(&self->health, step, self->start + start, duration);
        result = asked_end(&asked);
    }
    if (result != SQLITE_OK)
        return result;
    health_finish(&self->health);
    result = database_ask(
        self->db,
        "SELECT sum(count) FROM ingest_note WHERE trace_id = ?1 AND kind = 'frame_left_out'", trace,
        &frames);
    health_had(&self->health, self->elements, self->last - self->first + 1 + frames);
    ASK(&asked, self->db, "SELECT kind, count FROM ingest_note WHERE trace_id = ?1", trace);
    while (ASKED_ROW(&asked, &kind, &count))
        health_noted(&self->health, kind, count);
    if (self->is_part)
        health_is_part(&self->health);
    int noted = asked_end(&asked);
    return result == SQLITE_OK ? noted : result;
}

/* ------------------------------------------------------------------ rows */

/* Checks of the file itself, which only ingest sees. */
static bool needs_file(enum health_check check)
{
    return check == HEALTH_FILE_CUT || check == HEALTH_PROFILER_REPORTED ||
           check == HEALTH_DUPLICATE_EVENTS || check == HEALTH_FRAMES_LOST;
}

static int recount(struct recount_rows *counted, const struct table_wish *wish, int64_t trace,
                   const uint8_t *wanted, struct error *error)
{
    struct reader reader = {.db = wish->db, .context = wish->context};
    bool done = health_open(&reader.health, wish->db, error);
    int result = done ? health_recount_read_trace(&reader, trace) : SQLITE_ERROR;
    for (enum health_check i = 0; result == SQLITE_OK && i < HEALTH_CHECKS; i++) {
        struct health_fact fact = health_fact_of(&reader.health, i, reader.start);
        if (!wanted[i] || (wanted[i] == 2 && needs_file(i)))
            continue;
        if (needs_file(i) ||
            (reader.is_unsure && i >= HEALTH_KERNELS_LOST && i <= HEALTH_CARRIED_OUT))
            fact = (struct health_fact){
                HEALTH_NONE, HEALTH_NONE, HEALTH_NONE, HEALTH_NONE, HEALTH_NONE,
                HEALTH_NONE, NAN,         NAN,         NAN,         "ingested by an older tpq",
                false};
        array_add(&counted->rows, (struct recount){fact, health_check_names[i], trace});
    }
    health_close(&reader.health);
    intern_free(&reader.texts);
    arrays_free(&reader.roles, &reader.tracks, &reader.events, &reader.work);
    map_free(&reader.numbers);
    arrays_free(&reader.flags, &reader.nodes);
    database_finalize(reader.ask_name);
    database_finalize(reader.ask_op);
    database_finalize(reader.ask_node);
    return result;
}

static int read_recounts(void *reading, const struct table_wish *wish, struct error *error)
{
    trace_list traces = {0};
    struct asked asked;
    asked_open(&asked, wish->db, wanted_checks);
    int result = ranges_traces(wish, &traces);
    for (size_t i = 0; result == SQLITE_OK && i < traces.count; i++) {
        uint8_t wanted[HEALTH_CHECKS] = {0};
        bool any = false;
        const char *check;
        int64_t want;
        ASKED_ABOUT(&asked, traces.items[i].id);
        while (ASKED_ROW(&asked, &check, &want))
            for (enum health_check j = 0; j < HEALTH_CHECKS; j++)
                if (strcmp(health_check_names[j], check) == 0) {
                    wanted[j] = (uint8_t)want;
                    any = true;
                }
        if (any)
            result = recount(reading, wish, traces.items[i].id, wanted, error);
    }
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

static const struct table_reading recount_reading = {
    .size = sizeof(struct recount_rows), .read = read_recounts, .is_kept = true};

#define OF_RECOUNT(kind, member) TABLE_AT(kind, 0, struct recount, member)

static const struct table_column recount_columns[] = {
    {"trace_id", "id of the trace", OF_RECOUNT(INT64, trace)},
    {"check", "name of the check", OF_RECOUNT(WORD, check)},
    {"count", "number of findings; NULL when they cannot be told", OF_RECOUNT(STATED, fact.count)},
    {"base", "number of what they are a part of", OF_RECOUNT(STATED, fact.base)},
    {"time_ns", "GPU time of what was found; NULL where it has none",
     OF_RECOUNT(STATED, fact.time)},
    {"value", "measured value, in the unit of the tolerance; of several findings the worst",
     OF_RECOUNT(REAL, fact.value)},
    {"share", "share where it is not count of base", OF_RECOUNT(REAL, fact.share)},
    {"tolerance", "tolerance that it was counted with", OF_RECOUNT(REAL, fact.tolerance)},
    {"example_id", "id of the worst example", OF_RECOUNT(STATED, fact.example)},
    {"first_ns", "time of the first finding, from the start of the trace",
     OF_RECOUNT(STATED, fact.first)},
    {"last_ns", "time of the last finding, from the start of the trace",
     OF_RECOUNT(STATED, fact.last)},
    {"reason", "reason why it cannot be told", OF_RECOUNT(WORD, fact.reason)},
    {"is_note", "1 when it is a note at most", OF_RECOUNT(BOOL, fact.is_note)},
    {0},
};

static const struct table recount_table = {
    TABLE_ROWS(recount_columns, 10, 1, recount_reading, struct recount_rows, rows)};

const struct function recount_functions[] = {
    TABLE("health_recounted", recount_table,
          "A table: facts of health that health_fact lacks, or has with another tolerance than "
          "health_check has now, counted from the events."),
    {0},
};

/* health_doubts: rules of advice without a basis, read once for all views that ask: the view
 * advice_abstains would stand in each of them again, and SQLite would prepare it each time. */

struct doubt {
    char *run, *rule, *finding;
    int64_t trace, position;
};

struct doubt_rows {
    ARRAY(struct doubt) rows;
};

static int read_doubts(void *reading, const struct table_wish *wish, struct error *error)
{
    struct doubt_rows *doubts = reading;
    struct asked asked;
    const char *run, *rule, *finding;
    int64_t trace, position;
    asked_open(&asked, wish->db,
               "SELECT run, trace_id, rule, finding, position FROM advice_abstains");
    while (ASKED_ROW(&asked, &run, &trace, &rule, &finding, &position))
        array_add(&doubts->rows, (struct doubt){memory_text(run), memory_text(rule),
                                                memory_text(finding), trace, position});
    if (asked.result != SQLITE_DONE && asked.result != SQLITE_NOMEM)
        database_error(wish->db, "advice_abstains", error);
    return asked_end(&asked);
}

static const struct table_reading doubt_reading = {
    .size = sizeof(struct doubt_rows), .read = read_doubts, .is_kept = true};

#define OF_DOUBT(kind, member) TABLE_AT(kind, 0, struct doubt, member)

static const struct table_column doubt_columns[] = {
    {"run", "name of the run", OF_DOUBT(WORD, run)},
    {"trace_id", "id of the trace", OF_DOUBT(ID, trace)},
    {"rule", "rule of advice, headline or replay", OF_DOUBT(WORD, rule)},
    {"position", "position of the first of its broken checks", OF_DOUBT(ID, position)},
    {"finding", "name of the check, with its numbers", OF_DOUBT(WORD, finding)},
    {0},
};

static const struct table doubt_table = {
    TABLE_ROWS(doubt_columns, 10, 1, doubt_reading, struct doubt_rows, rows)};

const struct function doubt_functions[] = {
    TABLE("health_doubts", doubt_table,
          "A table: rules of advice without a basis in a trace, as advice_abstains has them."),
    {0},
};
