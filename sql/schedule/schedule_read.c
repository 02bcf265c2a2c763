/* schedule_read: the schedule of a trace, from the warehouse. What is around the selection is read,
 * too: work from before it may be waited for, and threads go on. */
#include "sql/schedule/schedule.h"

#include "sql/binding/ranges.h"
#include "sql/database.h"
#include "src/base/language.h"
#include "src/base/map.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <string.h>

struct range {
    int64_t first, last;
};

enum { THREADS_MAX = 1 << 23, STREAMS_MAX = 1 << 24 }; /* whose calls and work are looked at */

/* Meanings of the name of an op, beside enum call_does. */
enum { NAME_IS_MARK = 256, NAME_LOADS = 512 };

/* Ids of events that ran on one thread, one after another. */
struct run {
    int64_t first, last;
    uint32_t thread; /* place + 1 */
};

struct reader {
    sqlite3 *db;
    struct context *context;
    struct schedule *schedule;
    const char *run;
    int64_t trace, first, last; /* ids of the trace */
    ARRAY(struct range) ranges; /* that are selected, by id */
    size_t next;                /* of them */
    bool any;                   /* something was selected */
    struct map does;            /* names of calls -> enum call_does */
    int64_t name;               /* the last one that was asked for, */
    uint32_t name_does;         /* and what it does */
    ARRAY(int64_t) syncs;       /* ids of such records */
    struct map thread;          /* tracks -> place of the thread + 1 */
    int64_t track;              /* the last one that was asked for, */
    uint32_t place;             /* and its place there */
    ARRAY(struct run) runs;     /* by id */
    uint32_t pair[2];           /* threads that an edge led from and to, the last time */
    size_t call;                /* the call that was asked for last */
    struct map classes;         /* category and name of work -> enum work_class + 1 */
    sqlite3_stmt *class;        /* that asks for them */
    struct map stream;          /* device and number -> place + 1, */
    uint32_t near;              /* of which this was asked for last */
};

typedef int take_row(struct reader *self, sqlite3_stmt *row);

/* Hands each row of a question to `take`: ?1 is the trace, ?2 and ?3 are its first and last id, ?4
 * is the run. */
static int schedule_read_ask(struct reader *self, const char *sql, take_row *take)
{
    sqlite3_stmt *rows = NULL;
    int result = database_prepare(self->db, sql, &rows, NULL);
    const int64_t values[] = {self->trace, self->first, self->last};
    for (int i = 1; i <= 3 && i <= sqlite3_bind_parameter_count(rows) && result == SQLITE_OK; i++)
        result = sqlite3_bind_int64(rows, i, values[i - 1]);
    if (result == SQLITE_OK && sqlite3_bind_parameter_count(rows) > 3)
        result = sqlite3_bind_text(rows, 4, self->run, -1, SQLITE_STATIC);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW)
        result = take(self, rows);
    return database_end(rows, result);
}

static int64_t stated(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : INT64_MIN;
}

/* The end of something, within the numbers that sums of times may take. */
static int64_t end_of(int64_t start, int64_t duration)
{
    int64_t end;
    if (duration < 0)
        duration = 0;
    return __builtin_add_overflow(start, duration, &end) ? INT64_MAX / 4 : end;
}

/* The selection begins and ends with its first and last event, where no step was chosen. */
static void widen(struct reader *self, int64_t start, int64_t end)
{
    struct schedule *schedule = self->schedule;
    if (!schedule->is_window && (!self->any || start < schedule->begin))
        schedule->begin = start;
    if (!schedule->is_window && (!self->any || end > schedule->end))
        schedule->end = end;
    self->any = true;
}

static bool is_sane(int64_t time)
{
    return time > -INT64_MAX / 4 && time < INT64_MAX / 4;
}

/* ------------------------------------------------------------------ what is selected */

static int take_range(struct reader *self, sqlite3_stmt *row)
{
    array_add(&self->ranges,
              (struct range){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1)});
    return SQLITE_OK;
}

/* Ids are asked for in their order. */
static bool is_selected(struct reader *self, int64_t id)
{
    while (self->next < self->ranges.count && self->ranges.items[self->next].last < id)
        self->next++;
    return self->next < self->ranges.count && self->ranges.items[self->next].first <= id;
}

/* The window of chosen steps; of several what is around all of them. */
static int take_window(struct reader *self, sqlite3_stmt *row)
{
    struct schedule *schedule = self->schedule;
    int64_t first = sqlite3_column_int64(row, 0), behind = sqlite3_column_int64(row, 1) + 1;
    schedule->begin = schedule->is_window && schedule->begin < first ? schedule->begin : first;
    schedule->end = schedule->is_window && schedule->end > behind ? schedule->end : behind;
    schedule->is_window = true;
    return SQLITE_OK;
}

static int take_ids(struct reader *self, sqlite3_stmt *row)
{
    self->first = sqlite3_column_int64(row, 0);
    self->last = sqlite3_column_int64(row, 1);
    return SQLITE_OK;
}

/* Ids are kept by their distance from the first one of the trace. */
static bool is_of_trace(const struct reader *self, int64_t id)
{
    return id >= self->first && id - self->first < POINT_WINDOW;
}

static uint32_t schedule_read_number_of(const struct reader *self, int64_t id)
{
    return (uint32_t)(id - self->first);
}

/* ------------------------------------------------------------------ the host */

static int take_name(struct reader *self, sqlite3_stmt *row)
{
    static const struct {
        const char *kind;
        unsigned does;
    } kinds[] = {
        {"device_sync", DOES_SYNC_DEVICE},
        {"stream_sync", DOES_SYNC_STREAM},
        {"event_sync", DOES_SYNC_EVENT},
        {"event_query", DOES_QUERY_EVENT},
        {"blocking_copy", DOES_COPY},
        {"wait_event", DOES_WAIT_EVENT},
        {"record", DOES_RECORD},
        {"mark", NAME_IS_MARK},
        {"loads", NAME_LOADS},
    };
    const char *kind = database_text(row, 1);
    uint32_t *does = map_put(&self->does, sqlite3_column_int64(row, 0), 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            *does |= kinds[i].does;
    return SQLITE_OK;
}

static int take_thread(struct reader *self, sqlite3_stmt *row)
{
    array_add(&self->schedule->threads,
              (struct host_thread){.track = sqlite3_column_int64(row, 0),
                                   .process = memory_text(database_text(row, 1)),
                                   .name = memory_text(database_text(row, 2))});
    map_set(&self->thread, sqlite3_column_int64(row, 0), 0,
            (uint32_t)self->schedule->threads.count);
    return SQLITE_OK;
}

/* Events of a thread stand together. */
static void find_thread(struct reader *self, int64_t id, int64_t track)
{
    if (!self->place || self->track != track) {
        self->track = track;
        self->place = map_get(&self->thread, track, 0);
        if (self->place)
            array_add(&self->runs, (struct run){id, id, self->place});
    }
    if (self->place)
        self->runs.items[self->runs.count - 1].last = id;
}

/* The place of a call + 1; calls are read in the order of their ids, and mostly asked for so. */
static uint32_t call_of(struct reader *self, int64_t wanted)
{
    const struct call *calls = self->schedule->calls.items;
    size_t place = self->call, count = self->schedule->calls.count;
    uint32_t id;
    if (!is_of_trace(self, wanted))
        return 0;
    id = schedule_read_number_of(self, wanted);
    if (place < count && calls[place].id < id)
        place++;
    if (place >= count || calls[place].id != id)
        ARRAY_LOWER_BOUND(place, count, calls[place].id < id);
    self->call = place;
    return place < count && calls[place].id == id ? (uint32_t)place + 1 : 0;
}

enum {
    HOST_IS_CALL,
    HOST_IS_RECORD,
    HOST_NAME,
    HOST_TRACK,
    HOST_START,
    HOST_DURATION,
    HOST_CORRELATION,
    HOST_COLUMNS
};

/* Ops, calls and records of waiting, in one pass. */
static int take_host(void *reader, int64_t id, const int64_t *row)
{
    struct reader *self = reader;
    struct schedule *schedule = self->schedule;
    int64_t start = row[HOST_START];
    if (row[HOST_IS_RECORD]) {
        array_add(&self->syncs, id);
        return SQLITE_OK;
    }
    find_thread(self, id, row[HOST_TRACK]);
    uint32_t place = self->place;
    if (!place || !is_of_trace(self, id) || !is_sane(start))
        return SQLITE_OK;
    struct host_thread *thread = &schedule->threads.items[place - 1];

    /* Names repeat: each is looked up once in a row. */
    int64_t name = row[HOST_NAME];
    if (self->name != name)
        self->name_does = map_get(&self->does, name, 0);
    self->name = name;
    uint32_t does = self->name_does;
    if (!row[HOST_IS_CALL] && does & NAME_IS_MARK)
        return SQLITE_OK;
    struct host_event *event = array_push(&thread->events);
    *event = (struct host_event){.start = start,
                                 .end = end_of(start, row[HOST_DURATION]),
                                 .id = schedule_read_number_of(self, id)};
    if (!row[HOST_IS_CALL] && does & NAME_LOADS)
        array_add(&thread->loading, *event);
    if (!is_selected(self, id))
        event->call = HOST_OUTSIDE;
    else
        widen(self, event->start, event->end);
    if (!row[HOST_IS_CALL])
        return SQLITE_OK;
    struct call *call = place <= THREADS_MAX ? array_push(&schedule->calls) : NULL;
    if (!call)
        return SQLITE_NOMEM;
    *call = (struct call){.id = event->id,
                          .start = event->start,
                          .end = event->end,
                          .thread = (place - 1) & (THREADS_MAX - 1),
                          .does = (uint8_t)does};
    event->call |= (uint32_t)schedule->calls.count;

    /* Keeps the correlation of the last call, from the first call on that has one. */
    int64_t correlation = row[HOST_CORRELATION];
    if (correlation != INT64_MIN || schedule->correlations.count) {
        while (schedule->correlations.count + 1 < schedule->calls.count)
            array_add(&schedule->correlations, INT64_MIN);
        array_add(&schedule->correlations, correlation);
    }
    return SQLITE_OK;
}

static int read_host(struct reader *self)
{
    struct text calls = {0}, records = {0}, wanted = {0};
    int result =
        rows_add_kinds(self->db, self->context, "role = 'call' AND name <> 'cuda_sync'", &calls);
    if (result == SQLITE_OK)
        result = rows_add_kinds(self->db, self->context, "name = 'cuda_sync'", &records);
    if (result == SQLITE_OK)
        result = rows_add_kinds(self->db, self->context,
                                "role IN ('op', 'call') OR name = 'cuda_sync'", &wanted);
    const char *columns[HOST_COLUMNS] = {calls.items, records.items, "name_id",    "track_id",
                                         "ts_ns",     "dur_ns",      "correlation"};
    struct rows_wish wish = {.table = "event",
                             .columns = columns,
                             .count = HOST_COLUMNS,
                             .only = wanted.items,
                             .first = self->first,
                             .last = self->last};
    if (result == SQLITE_OK)
        result = rows_each_number(self->db, self->context, &wish, take_host, self);
    text_free(&calls);
    text_free(&records);
    text_free(&wanted);
    return result;
}

/* Ranges in which data is loaded, and marks of steps, stand on tracks of their own. */
static struct host_thread *thread_called(struct reader *self, sqlite3_stmt *row, int column)
{
    const char *process = database_text(row, column), *name = database_text(row, column + 1);
    for (size_t i = 0; i < self->schedule->threads.count; i++) {
        struct host_thread *thread = &self->schedule->threads.items[i];
        if (strcmp(thread->process, process) == 0 && strcmp(thread->name, name) == 0)
            return thread;
    }
    return NULL;
}

static int take_mark(struct reader *self, sqlite3_stmt *row)
{
    struct host_thread *thread = thread_called(self, row, 2);
    int64_t start = sqlite3_column_int64(row, 0);
    if (!thread || !is_sane(start))
        return SQLITE_OK;
    if (self->schedule->is_window && start == self->schedule->begin && sqlite3_column_int(row, 4) &&
        self->schedule->main == GRAPH_NONE)
        self->schedule->main = (uint32_t)(thread - self->schedule->threads.items);
    if (!sqlite3_column_int(row, 5))
        return SQLITE_OK;
    array_add(
        &thread->loading,
        (struct host_event){.start = start, .end = end_of(start, sqlite3_column_int64(row, 1))});
    return SQLITE_OK;
}

/* The place of the thread + 1 that an event ran on; 0 = none that is known. */
static uint32_t thread_around(const struct reader *self, int64_t id)
{
    const struct run *runs = self->runs.items;
    size_t place;
    ARRAY_LOWER_BOUND(place, self->runs.count, runs[place].last < id);
    return place < self->runs.count && runs[place].first <= id ? runs[place].thread : 0;
}

static int take_pair(struct reader *self, sqlite3_stmt *row)
{
    uint32_t pair[] = {thread_around(self, sqlite3_column_int64(row, 0)),
                       thread_around(self, sqlite3_column_int64(row, 1))};
    if (pair[0] == self->pair[0] && pair[1] == self->pair[1])
        return SQLITE_OK;
    memcpy(self->pair, pair, sizeof pair);
    bool is_pair = pair[0] && pair[1];
    if (is_pair)
        schedule_pair(self->schedule, pair[0] - 1, pair[1] - 1);
    return SQLITE_OK;
}

/* Arrows before numbers: what says nothing leaves no pair. */
static int read_pairs(struct reader *self)
{
    static const struct {
        enum schedule_pairs pairs;
        const char *sql;
    } kinds[] = {
        {PAIRS_ARROWS, "SELECT from_id, to_id FROM edge WHERE ?1 AND from_id BETWEEN ?2 AND ?3 AND "
                       "kind = 'flow'"},
        {PAIRS_SEQUENCE, "SELECT from_id, to_id FROM edge WHERE ?1 AND from_id BETWEEN ?2 AND ?3 "
                         "AND kind IN ('forward_backward', 'sequence')"},
    };
    int result = SQLITE_OK;
    bool is_told = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !is_told && result == SQLITE_OK; i++) {
        result = schedule_read_ask(self, kinds[i].sql, take_pair);
        self->schedule->pairs = kinds[i].pairs;
        for (size_t j = 0; j < self->schedule->threads.count; j++)
            is_told |= self->schedule->threads.items[j].partners.count > 0;
    }
    return result;
}

/* ------------------------------------------------------------------ the accelerator */

/* Meanings of the category and name of work, with its class. */
enum { OF_CLASS = 3, OF_COPY = 4, OF_PAGEABLE = 8, OF_WORK = 16, OF_ASKED = 32 };

static int ask_class(struct reader *self, int64_t category, int64_t name, uint32_t *found)
{
    static const char sql[] =
        "SELECT kernel_class('timeline', ?1, ?2), category.name = 'gpu_memcpy', "
        "(SELECT instr(text, 'Pageable') FROM string WHERE id = ?2) FROM category WHERE id = ?1 "
        "AND name IN ('kernel', 'gpu_memcpy', 'gpu_memset', 'gpu_graph')";
    int result = database_find(self->db, &self->class, sql, category, name);
    *found = OF_ASKED;
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_OK : result;
    const char *text = database_text(self->class, 0);
    bool is_copy = sqlite3_column_int(self->class, 1);
    *found |= (strcmp(text, "communication") == 0 ? WORK_COMMUNICATION
               : strcmp(text, "memcpy") == 0      ? WORK_MEMORY
                                                  : WORK_COMPUTATION) |
              (is_copy ? OF_COPY : 0) |
              (is_copy && sqlite3_column_int(self->class, 2) ? OF_PAGEABLE : 0) | OF_WORK;
    sqlite3_reset(self->class); /* else it holds what database_let_go is to give back */
    return SQLITE_OK;
}

/* The place of a stream + 1. */
static uint32_t stream_of(struct reader *self, int64_t device, int64_t number)
{
    const struct stream *last = self->near ? &self->schedule->streams.items[self->near - 1] : NULL;
    if (last && last->device == device && last->number == number)
        return self->near;
    uint32_t *place = map_put(&self->stream, device, number);
    if (!*place) {
        size_t count = self->schedule->streams.count;
        struct stream *added = count < STREAMS_MAX ? array_push(&self->schedule->streams) : NULL;
        if (!added)
            return 0;
        *added = (struct stream){.device = device, .number = number};
        *place = (uint32_t)self->schedule->streams.count;
    }
    return self->near = place ? *place : 0;
}

static int take_work(void *reader, int64_t id, const int64_t *row)
{
    struct reader *self = reader;
    int64_t start = row[0], name = row[2];
    uint32_t class;

    /* Asks once for each name. */
    int64_t category = row[6];
    uint32_t *found = map_put(&self->classes, category, name);
    int result;
    if (*found)
        result = SQLITE_OK;
    else
        result = ask_class(self, category, name, found);
    class = result == SQLITE_OK ? *found : 0;
    if (result != SQLITE_OK || !(class & OF_WORK) || !is_sane(start) || !is_of_trace(self, id))
        return result;
    uint32_t stream = stream_of(self, row[3], row[4]);
    struct work *work = stream ? array_push(&self->schedule->works) : NULL;
    if (!work)
        return SQLITE_NOMEM;
    *work = (struct work){.id = schedule_read_number_of(self, id),
                          .start = start,
                          .end = end_of(start, row[1]),
                          .name = (uint32_t)name,
                          .stream = (stream - 1) & (STREAMS_MAX - 1),
                          .call = call_of(self, row[5]),
                          .is_inside = is_selected(self, id),
                          .is_copy = class & OF_COPY,
                          .is_pageable = class & OF_PAGEABLE,
                          .class = class & OF_CLASS};
    if (work->is_inside)
        widen(self, start, work->end);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ all of it */

static int64_t limit(const struct context *context, const char *option)
{
    const char *text = context_get(context, option);
    return text ? (int64_t)(language_strtod(text, NULL) * 1000 + 0.5) : 0;
}

struct question {
    const char *sql;
    take_row *take;
};

static int ask_each(struct reader *self, const struct question *questions)
{
    int result = SQLITE_OK;
    for (size_t i = 0; questions[i].sql && result == SQLITE_OK; i++) {
        self->next = 0;
        result = schedule_read_ask(self, questions[i].sql, questions[i].take);
    }
    return result;
}

static int read_records(struct reader *self)
{
    sqlite3_stmt *row = NULL;
    int result = SQLITE_OK;
    for (size_t i = 0; i < self->syncs.count && result == SQLITE_OK; i++) {
        result = database_find(self->db, &row,
                               "SELECT event.correlation, string.text, arg(args.json, 'device'), "
                               "arg(args.json, 'stream'), arg(args.json, 'wait_on_stream'), "
                               "arg(args.json, 'wait_on_cuda_event_record_corr_id') "
                               "FROM event JOIN string ON string.id = event.name_id "
                               "LEFT JOIN args ON args.id = event.args_id WHERE event.id = ?1",
                               self->syncs.items[i], 0);
        if (result == SQLITE_ROW) {
            static const char *const names[] = {[RECORD_WAIT_EVENT] = "Stream Wait Event",
                                                [RECORD_STREAM] = "Stream Sync",
                                                [RECORD_EVENT] = "Event Sync",
                                                [RECORD_DEVICE] = "Context Sync"};
            const char *name = database_text(row, 1);
            struct record *record = array_push(&self->schedule->records);
            *record = (struct record){.correlation = stated(sqlite3_column_value(row, 0)),
                                      .device = stated(sqlite3_column_value(row, 2)),
                                      .stream = stated(sqlite3_column_value(row, 3)),
                                      .of_stream = stated(sqlite3_column_value(row, 4)),
                                      .of_correlation = stated(sqlite3_column_value(row, 5))};
            for (int j = RECORD_WAIT_EVENT; j <= RECORD_DEVICE; j++)
                if (strncmp(name, names[j], strlen(names[j])) == 0)
                    record->kind = (enum record_kind)j;
            result = SQLITE_OK;
        } else if (result == SQLITE_DONE)
            result = SQLITE_OK;
    }
    database_finalize(row);
    return result;
}

static int read_all(struct reader *self)
{
    static const struct question first[] = {
        {"SELECT first_event, last_event FROM trace WHERE id = ?1", take_ids},
        {"SELECT first_event, last_event FROM scope WHERE trace_id = ?1 AND run = ?4 "
         "AND ?2 IS NOT NULL AND ?3 IS NOT NULL ORDER BY first_event",
         take_range},
        {"SELECT first_ns, last_ns FROM scope_time WHERE trace_id = ?1", take_window},
        {"SELECT string.id, call_kind.kind FROM call_kind JOIN string ON string.text = "
         "call_kind.name UNION ALL SELECT id, iif(text REGEXP '^ProfilerStep\\s*#\\s*\\d+$', "
         "'mark', 'loads') FROM string WHERE id IN (SELECT name_id FROM op) AND text REGEXP "
         "'^ProfilerStep\\s*#\\s*\\d+$|(?i)DataLoader|data_?load'",
         take_name},
        {"SELECT id, coalesce(process, ''), coalesce(thread, '') FROM track WHERE trace_id = ?1 "
         "ORDER BY process, thread, id",
         take_thread},
        {0},
    };
    static const struct question rest[] = {
        {"SELECT signpost.ts_ns, signpost.dur_ns, coalesce(track.process, ''), "
         "coalesce(track.thread, ''), "
         "signpost.id IN (SELECT id FROM step_mark WHERE trace_id = ?1 AND kind = 'step'), "
         "signpost.name REGEXP '(?i)DataLoader|data_?load' FROM signpost JOIN track ON track.id = "
         "signpost.track_id "
         "WHERE ?1 AND signpost.id BETWEEN ?2 AND ?3 AND signpost.kind IN ('step', 'range')",
         take_mark},
        {0},
    };
    self->next = 0;
    int result = ask_each(self, first);
    self->schedule->first_id = self->first;
    self->schedule->last_id = self->last;
    if (result == SQLITE_OK)
        result = read_host(self);
    if (result == SQLITE_OK)
        result = read_records(self);
    if (result == SQLITE_OK) {
        static const char *const columns[] = {"ts_ns",  "dur_ns",  "name_id",    "device",
                                              "stream", "call_id", "category_id"};
        struct rows_wish wish = {.table = "gpu_event",
                                 .columns = columns,
                                 .count = sizeof columns / sizeof *columns,
                                 .first = self->first,
                                 .last = self->last};
        self->next = 0;
        result = rows_each_number(self->db, self->context, &wish, take_work, self);
    }
    if (result == SQLITE_OK)
        result = ask_each(self, rest);
    if (result == SQLITE_OK)
        result = read_pairs(self);
    database_let_go(self->db);
    return result;
}

int schedule_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct schedule *schedule, bool *is_empty)
{
    struct reader self = {
        .db = db, .context = context, .schedule = schedule, .run = run, .trace = trace};
    schedule->limits =
        (struct schedule_limits){limit(context, "cp-clock-us"), limit(context, "cp-near-us"),
                                 limit(context, "cp-unknown-us"), limit(context, "cp-hand-us")};
    int result = read_all(&self);
    *is_empty = result != SQLITE_OK || !self.any;
    for (size_t i = 0; i < schedule->works.count && !*is_empty; i++) {
        struct work *work = &schedule->works.items[i];
        int64_t launched = work->call ? schedule->calls.items[work->call - 1].start : work->start;
        work->is_earlier =
            !work->is_inside && work->end > schedule->begin && launched < schedule->begin;
    }
    schedule->trace = trace;
    array_free(&self.ranges);
    map_free(&self.does);
    arrays_free(&self.syncs, &self.runs);
    map_free(&self.classes);
    database_finalize(self.class);
    map_free(&self.thread);
    map_free(&self.stream);
    return result;
}
