/* range_nest, range_call: tables about ranges that programs marked (the view nsys_range).
 *
 *     SELECT id, parent_id, level FROM range_nest       which range is in which
 *     SELECT range_id, call_id FROM range_call          which calls that launched work are in which
 *
 * A range is in the tightest one of its thread that contains it, whatever their domains; a call is
 * in all that contain it, and so is the work that it launched. Ranges that another thread ended
 * contain nothing. One pass over the ranges and calls of a thread in the order of their starts,
 * with those that are open.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "src/base/intern.h"
#include "src/base/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where a range stands among others: among all, or among those that were pushed and popped. */
struct nest {
    int64_t parent, level, children, child_time; /* parent: id, 0 = none */
};

/* When accelerators did what was launched somewhere. */
struct projection {
    int64_t start, end, pieces; /* pieces: 0 = nothing was launched */
};

struct range {
    int64_t id, start, end, duration;
    uint32_t trace, thread;
    bool is_pushed;
    const char *name; /* of the names below; NULL = not asked for */
    size_t parent;    /* its place among ranges, counted from 1; 0 = none */
    struct nest all, pushed;
    struct projection work;
    int64_t work_ns, work_calls, work_children; /* calls and ranges right inside it with work */
};

struct call {
    int64_t id, last, start, end;
    uint32_t trace, thread;
    struct projection work;
};

struct pair {
    int64_t range, call, last;
    uint32_t trace;
};

struct range_trace {
    char *run;
    int64_t id, run_place; /* place of the first trace of the run */
};

struct range_rows {
    ARRAY(struct range_trace) traces;
    ARRAY(struct range) ranges;
    ARRAY(struct call) calls;
    ARRAY(struct pair) pairs;
    ARRAY(size_t) open; /* places of ranges, by start */
    struct intern threads, names;
    size_t next_call;   /* whose work comes next */
    int64_t last_track; /* whose thread was looked up last */
    uint32_t last_thread;
};

enum { NEEDS_NAMES = 1, NEEDS_WORK = 2 };

/* ------------------------------------------------------------------ order */

static int compare(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

ORDER_BY(compare_ranges, struct range, UP(trace) || UP(thread) || UP(start) || DOWN(end) || UP(id));

ORDER_BY(compare_calls, struct call, UP(trace) || UP(thread) || UP(start) || UP(id));

/* ------------------------------------------------------------------ passes */

/* Closes what ended before a time, or is of another thread. */
static void close_ranges(struct range_rows *self, uint32_t trace, uint32_t thread, int64_t time)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->open.count; i++) {
        const struct range *range = &self->ranges.items[self->open.items[i]];
        if (range->trace == trace && range->thread == thread && range->end >= time)
            self->open.items[kept++] = self->open.items[i];
    }
    self->open.count = kept;
}

static bool open_range(struct range_rows *self, size_t place)
{
    return array_add(&self->open, place);
}

/* Puts a range into the tightest of the open ones that contain it. */
static void put_inside(struct range_rows *self, size_t place, size_t member)
{
    struct range *range = &self->ranges.items[place], *tightest = NULL;
    struct nest *nest = (struct nest *)(void *)((char *)range + member);
    for (size_t i = 0; i < self->open.count; i++) {
        struct range *open = &self->ranges.items[self->open.items[i]];
        if (open->end >= range->end &&
            (!tightest || open->end - open->start <= tightest->end - tightest->start))
            tightest = open;
    }
    if (!tightest)
        return;
    struct nest *above = (struct nest *)(void *)((char *)tightest + member);
    if (nest == &range->all)
        range->parent = (size_t)(tightest - self->ranges.items) + 1;
    nest->parent = tightest->id;
    nest->level = above->level + 1;
    above->children++;
    above->child_time += range->end - range->start;
}

static bool nest_ranges(struct range_rows *self, bool only_pushed)
{
    size_t member = only_pushed ? offsetof(struct range, pushed) : offsetof(struct range, all);
    self->open.count = 0;
    for (size_t i = 0; i < self->ranges.count; i++) {
        const struct range *range = &self->ranges.items[i];
        if (only_pushed && !range->is_pushed)
            continue;
        close_ranges(self, range->trace, range->thread, range->start);
        put_inside(self, i, member);
        if (!open_range(self, i))
            return false;
    }
    return true;
}

static void add_work(struct projection *self, const struct projection *work)
{
    bool is_first = self->pieces == 0;
    self->start = is_first || work->start < self->start ? work->start : self->start;
    self->end = is_first || work->end > self->end ? work->end : self->end;
    self->pieces += work->pieces;
}

static bool add_pairs(struct range_rows *self, const struct call *call)
{
    for (size_t i = 0; i < self->open.count; i++) {
        struct range *range = &self->ranges.items[self->open.items[i]];
        if (range->end < call->end)
            continue;
        if (call->work.pieces) {
            add_work(&range->work, &call->work);
            range->work_calls++;
        }
        if (!array_add(&self->pairs, (struct pair){range->id, call->id, call->last, call->trace}))
            return false;
    }
    return true;
}

/* Whether a range begins before a call does, in the order of threads. */
static bool is_before(const struct range *range, const struct call *call)
{
    int order = compare(range->trace, call->trace);
    order = order ? order : compare(range->thread, call->thread);
    return (order ? order : compare(range->start, call->start)) <= 0;
}

static bool pair_calls(struct range_rows *self)
{
    size_t next = 0;
    self->open.count = 0;
    for (size_t i = 0; i < self->calls.count; i++) {
        const struct call *call = &self->calls.items[i];
        while (next < self->ranges.count && is_before(&self->ranges.items[next], call))
            if (!open_range(self, next++))
                return false;
        close_ranges(self, call->trace, call->thread, call->start);
        if (!add_pairs(self, call))
            return false;
    }
    return true;
}

/* What follows from the work of all calls. */
static void finish_work(struct range_rows *self)
{
    for (size_t i = 0; i < self->ranges.count; i++) {
        struct range *range = &self->ranges.items[i];
        range->work_ns = range->work.end - range->work.start;
        if (range->work.pieces && range->parent)
            self->ranges.items[range->parent - 1].work_children++;
    }
}

/* ------------------------------------------------------------------ reading */

/* The number of a thread, by the columns of its process and number and of the track; 0 = memory is
 * out. */
static uint32_t thread_of(struct range_rows *self, sqlite3_stmt *from, int column)
{
    int64_t track = sqlite3_column_int64(from, column + 1);
    if (self->last_thread && self->last_track == track)
        return self->last_thread;
    const char *key = (const char *)sqlite3_column_text(from, column);
    self->last_thread = key ? intern_add(&self->threads, key, strlen(key)) : 0;
    self->last_track = track;
    return self->last_thread;
}

static uint32_t trace_of(struct range_rows *self, const char *run, int64_t id)
{
    size_t count = self->traces.count;
    if (count && self->traces.items[count - 1].id == id)
        return (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        if (self->traces.items[i].id == id)
            return (uint32_t)i + 1;
    char *copy = run ? strdup(run) : NULL;
    struct range_trace *added = copy ? array_push(&self->traces) : NULL;
    if (!added) {
        free(copy);
        return 0;
    }
    size_t place = 0;
    while (place < count && strcmp(self->traces.items[place].run, copy) != 0)
        place++;
    *added = (struct range_trace){copy, id, (int64_t)place};
    return (uint32_t)count + 1;
}

static int64_t end_of(int64_t start, int64_t duration)
{
    int64_t end;
    return __builtin_add_overflow(start, duration, &end) ? INT64_MAX : end;
}

enum { NAME = 8 };

/* The name of a range, with the zero that ends it; NULL: memory is out. */
static const char *name_of(struct range_rows *self, sqlite3_stmt *from)
{
    const char *text = (const char *)sqlite3_column_text(from, NAME);
    uint32_t number =
        text ? intern_add(&self->names, text, (size_t)sqlite3_column_bytes(from, NAME) + 1) : 0;
    return number ? intern_view(&self->names, number).bytes : NULL;
}

static int add_range(struct range_rows *self, sqlite3_stmt *from)
{
    struct range range = {
        .trace = trace_of(self, (const char *)sqlite3_column_text(from, 0),
                          sqlite3_column_int64(from, 1)),
        .id = sqlite3_column_int64(from, 2),
        .start = sqlite3_column_int64(from, 3),
        .is_pushed = sqlite3_column_int(from, 5),
        .thread = thread_of(self, from, 6),
    };
    range.duration = sqlite3_column_int64(from, 4);
    range.end = end_of(range.start, range.duration);
    if (sqlite3_column_count(from) > NAME && !(range.name = name_of(self, from)))
        return SQLITE_NOMEM;
    struct range *added = range.trace && range.thread ? array_push(&self->ranges) : NULL;
    if (added)
        *added = range;
    return added ? SQLITE_OK : SQLITE_NOMEM;
}

static int add_call(struct range_rows *self, sqlite3_stmt *from)
{
    struct call call = {
        .trace = trace_of(self, (const char *)sqlite3_column_text(from, 0),
                          sqlite3_column_int64(from, 1)),
        .id = sqlite3_column_int64(from, 2),
        .start = sqlite3_column_int64(from, 3),
        .last = sqlite3_column_int64(from, 5),
        .thread = thread_of(self, from, 6),
    };
    call.end = end_of(call.start, sqlite3_column_int64(from, 4));
    struct call *added = call.trace && call.thread ? array_push(&self->calls) : NULL;
    if (added)
        *added = call;
    return added ? SQLITE_OK : SQLITE_NOMEM;
}

/* A piece of work of a call. They come in the order in which calls were read. */
static int add_piece(struct range_rows *self, sqlite3_stmt *from)
{
    int64_t call = sqlite3_column_int64(from, 0), start = sqlite3_column_int64(from, 1);
    while (self->next_call < self->calls.count && self->calls.items[self->next_call].id != call)
        self->next_call++;
    if (self->next_call == self->calls.count)
        return SQLITE_OK;
    struct projection piece = {start, end_of(start, sqlite3_column_int64(from, 2)), 1};
    add_work(&self->calls.items[self->next_call].work, &piece);
    return SQLITE_OK;
}

static int read_each(struct range_rows *self, const struct table_wish *wish, const char *sql,
                     int (*take)(struct range_rows *, sqlite3_stmt *))
{
    sqlite3_stmt *from = NULL;
    int result = database_prepare(wish->db, sql, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = take(self, from);
    sqlite3_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int read_rows(void *reading, const struct table_wish *wish, struct error *error)
{
#define THREAD_OF(event)                                                                     \
    ", (SELECT track.process || char(10) || track.thread FROM track WHERE track.id = " event \
    ".track_id), " event ".track_id"
#define RANGES(more)                                                                           \
    "SELECT range.run, range.trace_id, range.id, range.start_ns, range.dur_ns, range.style = " \
    "'PushPop'" THREAD_OF("range") more " FROM nsys_range AS range WHERE NOT range.is_across"
#define CALLS                                                                                  \
    " FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event " \
    "JOIN trace ON trace.id = scope.trace_id "
#define ARE_CALLS                                                                            \
    " WHERE event.below > 0 AND event.category_id IN (SELECT id FROM category WHERE role = " \
    "'call')"
    static const char calls[] =
        "SELECT scope.run, scope.trace_id, event.id, event.ts_ns + trace.clock_start_ns, "
        "event.dur_ns, event.last_id" THREAD_OF("event") CALLS ARE_CALLS;
    static const char pieces[] =
        "SELECT event.id, gpu_event.ts_ns + trace.clock_start_ns, gpu_event.dur_ns" CALLS
        "CROSS JOIN gpu_event ON gpu_event.id BETWEEN event.id + 1 AND event.last_id AND "
        "+gpu_event.call_id = event.id" ARE_CALLS " AND gpu_event.category_id IN (SELECT id FROM "
        "category WHERE name <> 'gpu_graph' OR NOT (SELECT "
        "tpq_like_reference('nsys: graphs as a whole')))";
    struct range_rows *self = reading;
    (void)error;
    bool has_names = wish->needs & NEEDS_NAMES;
    int result = read_each(self, wish, has_names ? RANGES(", range.name") : RANGES(""), add_range);
    if (result == SQLITE_OK)
        result = read_each(self, wish, calls, add_call);
    if (result == SQLITE_OK && wish->needs & NEEDS_WORK)
        result = read_each(self, wish, pieces, add_piece);
    if (result != SQLITE_OK)
        return result;
    array_sort(&self->ranges, compare_ranges);
    array_sort(&self->calls, compare_calls);
    bool done = nest_ranges(self, false) && nest_ranges(self, true) && pair_calls(self);
    finish_work(self);
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

static void free_rows(void *reading)
{
    struct range_rows *self = reading;
    for (size_t i = 0; i < self->traces.count; i++)
        free(self->traces.items[i].run);
    array_free(&self->traces);
    array_free(&self->ranges);
    array_free(&self->calls);
    array_free(&self->pairs);
    array_free(&self->open);
    intern_free(&self->threads);
    intern_free(&self->names);
}

/* ------------------------------------------------------------------ the tables */

enum { ROW, TRACE };

static bool find_range(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    cursor->parts[TRACE] = &rows->traces.items[rows->ranges.items[index].trace - 1];
    cursor->rowid = rows->ranges.items[index].id;
    return true;
}

static bool find_pair(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    cursor->parts[TRACE] = &rows->traces.items[rows->pairs.items[index].trace - 1];
    cursor->rowid = (sqlite3_int64)index + 1;
    return true;
}

#define OF_RANGE(kind, member) TABLE_AT(kind, ROW, struct range, member)
#define OF_PAIR(member)        TABLE_AT(INT64, ROW, struct pair, member)
#define COMMON                                                                         \
    {"run",                                                                            \
     "TEXT",                                                                           \
     "run",                                                                            \
     TABLE_AT(WORD, TRACE, struct range_trace, run),                                   \
     .key = offsetof(struct range_trace, run_place),                                   \
     .role = TABLE_GROUP},                                                             \
    {                                                                                  \
        "trace_id", "INTEGER", "trace", TABLE_AT(INT64, TRACE, struct range_trace, id) \
    }

static const struct table_column nest_columns[] = {
    COMMON,
    {"id", "INTEGER", "event that the range is", OF_RANGE(INT64, id)},
    {"parent_id", "INTEGER", "tightest range of the thread that contains it",
     OF_RANGE(ID, all.parent)},
    {"level", "INTEGER", "how many it is in", OF_RANGE(INT64, all.level)},
    {"children", "INTEGER", "how many it is the parent of", OF_RANGE(INT64, all.children)},
    {"pushed_parent_id", "INTEGER", "the same among ranges that were pushed and popped alone",
     OF_RANGE(ID, pushed.parent)},
    {"pushed_level", "INTEGER", "the same of the level", OF_RANGE(INT64, pushed.level)},
    {"pushed_children", "INTEGER", "the same of the children", OF_RANGE(INT64, pushed.children)},
    {"pushed_child_ns", "INTEGER", "sum of their durations", OF_RANGE(INT64, pushed.child_time)},
    {"dur_ns", "INTEGER", "its own duration", OF_RANGE(INT64, duration)},
    {"is_pushed", "INTEGER", "1 when it was pushed and popped", OF_RANGE(BOOL, is_pushed),
     .role = TABLE_GROUP},
    {"name", "TEXT", "its text, with its domain in front", OF_RANGE(WORD, name),
     .role = TABLE_GROUP, .needs = NEEDS_NAMES},
    {"pieces", "INTEGER", "how much accelerator work calls in it launched",
     OF_RANGE(INT64, work.pieces), .needs = NEEDS_WORK},
    {"work_start_ns", "INTEGER", "where there is some: its first start, on the file's clock",
     OF_RANGE(INT64, work.start), .needs = NEEDS_WORK},
    {"work_ns", "INTEGER", "time from there to its last end", OF_RANGE(INT64, work_ns),
     .needs = NEEDS_WORK},
    {"work_calls", "INTEGER", "calls that launched it", OF_RANGE(INT64, work_calls),
     .needs = NEEDS_WORK},
    {"work_children", "INTEGER", "ranges with work that it is the parent of",
     OF_RANGE(INT64, work_children), .needs = NEEDS_WORK},
    {0},
};

static const struct table_column call_columns[] = {
    COMMON,
    {"range_id", "INTEGER", "event that the range is", OF_PAIR(range)},
    {"call_id", "INTEGER", "call in it that launched work", OF_PAIR(call)},
    {"last_id", "INTEGER", "last event below the call: its work has the ids from the call on",
     OF_PAIR(last)},
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct range_rows), .read = read_rows, .free = free_rows, .is_kept = true};

static const struct table nest_table = {
    .columns = nest_columns,
    .all = 1e6,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct range_rows, ranges),
    .row_size = sizeof(struct range),
    .row = find_range,
};

static const struct table call_table = {
    .columns = call_columns,
    .all = 1e6,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct range_rows, pairs),
    .row_size = sizeof(struct pair),
    .row = find_pair,
};

const struct function range_functions[] = {
    {.name = "range_nest",
     .meaning = "A table: every selected range that a program marked, and which one it is in.",
     .table = &nest_table},
    {.name = "range_call",
     .meaning = "A table: every selected call that launched work, with each range that it is in.",
     .table = &call_table},
    {0},
};
