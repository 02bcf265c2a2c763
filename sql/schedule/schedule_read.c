/* schedule_read: the schedule of a trace, from the warehouse. What is around the selection is read,
 * too: work from before it may be waited for, and threads go on. */
#include "sql/schedule/schedule.h"

#include "sql/asked.h"
#include "sql/binding/ranges.h"
#include "sql/schedule/schedule_read.sql.h"
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
    ARRAY(int64_t) syncs;       /* ids of such records */
    struct map thread;          /* tracks -> place of the thread + 1 */
    ARRAY(struct run) runs;     /* by id */
    struct map classes;         /* category and name of work -> enum work_class + 1 */
    struct asked class;         /* that asks for them */
    struct map stream;          /* device and number -> place + 1 */
};

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

/* Ids are asked for in their order. */
static bool is_selected(struct reader *self, int64_t id)
{
    while (self->next < self->ranges.count && self->ranges.items[self->next].last < id)
        self->next++;
    return self->next < self->ranges.count && self->ranges.items[self->next].first <= id;
}

/* The ids of the trace, those of them that are selected, and the window of chosen steps; of several
 * what is around all of them. */
static int read_selection(struct reader *self)
{
    struct schedule *schedule = self->schedule;
    struct asked asked;
    struct range range;
    int64_t first, last;
    ASK(&asked, self->db, "SELECT first_event, last_event FROM trace WHERE id = ?1", self->trace);
    bool is_there = ASKED_ROW(&asked, &self->first, &self->last);
    int result = asked_end(&asked);
    if (result != SQLITE_OK || !is_there)
        return result;
    ASK(&asked, self->db,
        "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 AND run = ?2 ORDER BY "
        "first_event",
        self->trace, self->run);
    while (ASKED_ROW(&asked, &range.first, &range.last))
        array_add(&self->ranges, range);
    result = asked_end(&asked);
    if (result != SQLITE_OK)
        return result;
    ASK(&asked, self->db, "SELECT first_ns, last_ns + 1 FROM scope_time WHERE trace_id = ?1",
        self->trace);
    for (; ASKED_ROW(&asked, &first, &last); schedule->is_window = true) {
        schedule->begin = schedule->is_window && schedule->begin < first ? schedule->begin : first;
        schedule->end = schedule->is_window && schedule->end > last ? schedule->end : last;
    }
    return asked_end(&asked);
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

/* Names that mean something, and threads. */
static int read_names(struct reader *self)
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
    struct asked asked;
    int64_t id;
    const char *kind, *process, *name;
    ASK(&asked, self->db,
        "SELECT string.id, call_kind.kind FROM call_kind JOIN string ON string.text = "
        "call_kind.name UNION ALL SELECT id, iif(text REGEXP '^ProfilerStep\\s*#\\s*\\d+$', "
        "'mark', 'loads') FROM string WHERE id IN (SELECT name_id FROM op) AND text REGEXP "
        "'^ProfilerStep\\s*#\\s*\\d+$|(?i)DataLoader|data_?load'",
        0);
    while (ASKED_ROW(&asked, &id, &kind))
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(kinds[i].kind, kind) == 0)
                *map_put(&self->does, id, 0) |= kinds[i].does;
    int result = asked_end(&asked);
    if (result != SQLITE_OK)
        return result;
    ASK(&asked, self->db,
        "SELECT id, coalesce(process, ''), coalesce(thread, '') FROM track WHERE trace_id = ?1 "
        "ORDER BY process, thread, id",
        self->trace);
    while (ASKED_ROW(&asked, &id, &process, &name)) {
        array_add(&self->schedule->threads, (struct host_thread){.track = id,
                                                                 .process = memory_text(process),
                                                                 .name = memory_text(name)});
        map_set(&self->thread, id, 0, (uint32_t)self->schedule->threads.count);
    }
    return asked_end(&asked);
}

/* The place of a thread + 1. Events of a thread stand together. */
static uint32_t find_thread(struct reader *self, int64_t id, int64_t track)
{
    uint32_t place = map_get(&self->thread, track, 0);
    if (!self->runs.count || self->runs.items[self->runs.count - 1].thread != place)
        array_add(&self->runs, (struct run){id, id, place});
    self->runs.items[self->runs.count - 1].last = id;
    return place;
}

/* The place of a call + 1; calls are read in the order of their ids. */
static uint32_t call_of(const struct reader *self, int64_t wanted)
{
    const struct call *calls = self->schedule->calls.items;
    size_t place, count = self->schedule->calls.count;
    if (!is_of_trace(self, wanted))
        return 0;
    uint32_t id = schedule_read_number_of(self, wanted);
    ARRAY_LOWER_BOUND(place, count, calls[place].id < id);
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
    uint32_t place = find_thread(self, id, row[HOST_TRACK]);
    if (!place || !is_of_trace(self, id) || !is_sane(start))
        return SQLITE_OK;
    struct host_thread *thread = &schedule->threads.items[place - 1];
    uint32_t does = map_get(&self->does, row[HOST_NAME], 0);
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
static int read_marks(struct reader *self)
{
    struct schedule *schedule = self->schedule;
    struct asked asked;
    int64_t start, duration;
    const char *process, *name;
    bool is_step, is_loading;
    ASK(&asked, self->db, marks_of_threads, self->trace, self->first, self->last);
    while (ASKED_ROW(&asked, &start, &duration, &process, &name, &is_step, &is_loading)) {
        uint32_t place = 0;
        while (place < schedule->threads.count &&
               (strcmp(schedule->threads.items[place].process, process) != 0 ||
                strcmp(schedule->threads.items[place].name, name) != 0))
            place++;
        if (place == schedule->threads.count || !is_sane(start))
            continue;
        if (schedule->is_window && start == schedule->begin && is_step &&
            schedule->main == GRAPH_NONE)
            schedule->main = place;
        if (is_loading)
            array_add(&schedule->threads.items[place].loading,
                      (struct host_event){.start = start, .end = end_of(start, duration)});
    }
    return asked_end(&asked);
}

/* The place of the thread + 1 that an event ran on; 0 = none that is known. */
static uint32_t thread_around(const struct reader *self, int64_t id)
{
    const struct run *runs = self->runs.items;
    size_t place;
    ARRAY_LOWER_BOUND(place, self->runs.count, runs[place].last < id);
    return place < self->runs.count && runs[place].first <= id ? runs[place].thread : 0;
}

/* Arrows before numbers: what says nothing leaves no pair. */
static int read_pairs(struct reader *self)
{
    static const struct {
        enum schedule_pairs pairs;
        const char *sql;
    } kinds[] = {
        {PAIRS_ARROWS,
         "SELECT from_id, to_id FROM edge WHERE from_id BETWEEN ?1 AND ?2 AND kind = 'flow'"},
        {PAIRS_SEQUENCE, "SELECT from_id, to_id FROM edge WHERE from_id BETWEEN ?1 AND ?2 AND "
                         "kind IN ('forward_backward', 'sequence')"},
    };
    int result = SQLITE_OK;
    bool is_told = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !is_told && result == SQLITE_OK; i++) {
        struct asked asked;
        int64_t from, to;
        ASK(&asked, self->db, kinds[i].sql, self->first, self->last);
        while (ASKED_ROW(&asked, &from, &to)) {
            uint32_t one = thread_around(self, from), other = thread_around(self, to);
            if (one && other)
                schedule_pair(self->schedule, one - 1, other - 1);
        }
        result = asked_end(&asked);
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
    const char *class;
    bool is_copy, is_pageable;
    ASKED_ABOUT(&self->class, category, name);
    *found = OF_ASKED;
    if (ASKED_ROW(&self->class, &class, &is_copy, &is_pageable))
        *found |= (strcmp(class, "communication") == 0 ? WORK_COMMUNICATION
                   : strcmp(class, "memcpy") == 0      ? WORK_MEMORY
                                                       : WORK_COMPUTATION) |
                  (is_copy ? OF_COPY : 0) | (is_copy && is_pageable ? OF_PAGEABLE : 0) | OF_WORK;
    return asked_code(&self->class);
}

/* The place of a stream + 1. */
static uint32_t stream_of(struct reader *self, int64_t device, int64_t number)
{
    uint32_t *place = map_put(&self->stream, device, number);
    if (!*place) {
        size_t count = self->schedule->streams.count;
        struct stream *added = count < STREAMS_MAX ? array_push(&self->schedule->streams) : NULL;
        if (!added)
            return 0;
        *added = (struct stream){.device = device, .number = number};
        *place = (uint32_t)self->schedule->streams.count;
    }
    return *place;
}

static int take_work(void *reader, int64_t id, const int64_t *row)
{
    struct reader *self = reader;
    int64_t start = row[0], name = row[2], category = row[6];

    /* Asks once for each name. */
    uint32_t *class = map_put(&self->classes, category, name);
    int result = *class ? SQLITE_OK : ask_class(self, category, name, class);
    if (result != SQLITE_OK || !(*class & OF_WORK) || !is_sane(start) || !is_of_trace(self, id))
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
                          .is_copy = *class & OF_COPY,
                          .is_pageable = *class & OF_PAGEABLE,
                          .class = *class & OF_CLASS};
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

static int read_records(struct reader *self)
{
    static const char *const names[] = {[RECORD_WAIT_EVENT] = "Stream Wait Event",
                                        [RECORD_STREAM] = "Stream Sync",
                                        [RECORD_EVENT] = "Event Sync",
                                        [RECORD_DEVICE] = "Context Sync"};
    struct asked asked;
    asked_open(&asked, self->db,
               "SELECT string.text, event.correlation, arg(args.json, 'device'), "
               "arg(args.json, 'stream'), arg(args.json, 'wait_on_stream'), "
               "arg(args.json, 'wait_on_cuda_event_record_corr_id') "
               "FROM event JOIN string ON string.id = event.name_id "
               "LEFT JOIN args ON args.id = event.args_id WHERE event.id = ?1");
    for (size_t i = 0; i < self->syncs.count; i++) {
        struct record record = {.kind = RECORD_OTHER};
        const char *name;
        ASKED_ABOUT(&asked, self->syncs.items[i]);
        if (!ASKED_ROW(&asked, &name, OR_NONE(&record.correlation), OR_NONE(&record.device),
                       OR_NONE(&record.stream), OR_NONE(&record.of_stream),
                       OR_NONE(&record.of_correlation)))
            continue;
        for (int j = RECORD_WAIT_EVENT; j <= RECORD_DEVICE; j++)
            if (strncmp(name, names[j], strlen(names[j])) == 0)
                record.kind = (enum record_kind)j;
        array_add(&self->schedule->records, record);
    }
    return asked_end(&asked);
}

static int read_works(struct reader *self)
{
    static const char *const columns[] = {"ts_ns",  "dur_ns",  "name_id",    "device",
                                          "stream", "call_id", "category_id"};
    struct rows_wish wish = {.table = "gpu_event",
                             .columns = columns,
                             .count = sizeof columns / sizeof *columns,
                             .first = self->first,
                             .last = self->last};
    asked_open(&self->class, self->db,
               "SELECT kernel_class('timeline', ?1, ?2), category.name = 'gpu_memcpy', "
               "(SELECT instr(text, 'Pageable') FROM string WHERE id = ?2) FROM category WHERE "
               "id = ?1 AND name IN ('kernel', 'gpu_memcpy', 'gpu_memset', 'gpu_graph')");
    self->next = 0;
    int result = rows_each_number(self->db, self->context, &wish, take_work, self);
    int asked = asked_end(&self->class);
    return result == SQLITE_OK ? asked : result;
}

int schedule_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct schedule *schedule, bool *is_empty)
{
    struct reader self = {
        .db = db, .context = context, .schedule = schedule, .run = run, .trace = trace};
    schedule->limits =
        (struct schedule_limits){limit(context, "cp-clock-us"), limit(context, "cp-near-us"),
                                 limit(context, "cp-unknown-us"), limit(context, "cp-hand-us")};
    static int (*const steps[])(struct reader *) = {
        read_selection, read_names, read_host, read_records, read_works, read_marks, read_pairs};
    int result = SQLITE_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && result == SQLITE_OK; i++)
        result = steps[i](&self);
    database_let_go(db);
    schedule->first_id = self.first;
    schedule->last_id = self.last;
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
    map_free(&self.thread);
    map_free(&self.stream);
    return result;
}
