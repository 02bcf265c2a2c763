/* marked_range, range_nest, range_call: tables about ranges that programs marked.
 *
 *     SELECT id, style, name FROM marked_range          which there are, points among them
 *     SELECT id, parent_id, level FROM range_nest       which range is in which
 *     SELECT range_id, call_id FROM range_call          which calls that launched work are in which
 *
 * Which range is in which says range_rows.h.
 */
#include "sql/binding/function.h"
#include "sql/work/range_rows.h"

#include <stdint.h>

static int read_rows(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return range_rows_read(reading, wish->db, wish->needs);
}

static void free_rows(void *reading)
{
    range_rows_free(reading);
}

static const struct table_reading reading = {
    .size = sizeof(struct range_rows), .read = read_rows, .free = free_rows, .is_kept = true};

/* ------------------------------------------------------------------ rows */

enum { ROW, TRACE, THREAD, RANGE = ROW, CALL = THREAD + 1, PAIRED };

static bool find_any(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    const struct range *range = &rows->ranges.items[index];
    cursor->parts[TRACE] = &rows->traces.items[range->trace - 1];
    cursor->parts[THREAD] = &rows->threads.items[range->thread - 1];
    cursor->rowid = range->id;
    return true;
}

static bool find_nested(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    const struct range *range = &rows->ranges.items[index];
    return find_any(cursor, index) && !range->is_point && !range->is_across;
}

static bool find_pair(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    const struct range_pair *pair = &rows->pairs.items[index];
    cursor->parts[CALL] = &rows->calls.items[pair->call];
    cursor->parts[PAIRED] = &rows->ranges.items[pair->range];
    cursor->parts[TRACE] = &rows->traces.items[rows->ranges.items[pair->range].trace - 1];
    cursor->rowid = (sqlite3_int64)index + 1;
    return true;
}

/* ------------------------------------------------------------------ numbers of ranges */

static const struct range_nest *nest_of(const struct table_cursor *cursor,
                                        const struct range *range)
{
    return (const struct range_nest *)(const void *)((const char *)range + cursor->column->offset);
}

static const struct range *above(const struct table_cursor *cursor, const struct range *range)
{
    const struct range_rows *rows = cursor->reading;
    size_t place = nest_of(cursor, range)->place;
    return place ? &rows->ranges.items[place - 1] : NULL;
}

static int give_parent(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct range *parent = above(cursor, cursor->parts[RANGE]);
    if (parent)
        sqlite3_result_int64(out, parent->number);
    return SQLITE_OK;
}

/* From the outermost range to that of a level; ranges nest as deep as their level says. */
static int give_path(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct range *range = cursor->parts[RANGE];
    size_t count = (size_t)nest_of(cursor, range)->level + 1;
    const struct range **path = malloc(count * sizeof(const struct range *));
    struct text text = {0};
    for (size_t i = count; i > 0 && path; i--, range = above(cursor, range))
        path[i - 1] = range;
    bool done = path != NULL;
    for (size_t i = 0; i < count && done; i++)
        done = text_format(&text, ":%lld", (long long)path[i]->number);
    if (done)
        sqlite3_result_text64(out, text.items, text.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    text_free(&text);
    free(path);
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

/* ------------------------------------------------------------------ the tables */

#define OF_RANGE(kind, member) TABLE_AT(kind, RANGE, struct range, member)
#define OF_PAIR(kind, member)  TABLE_AT(kind, PAIRED, struct range, member)
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
#define WORDS_OF_RANGE                                                                 \
    {"id", "INTEGER", "event that the range is", OF_RANGE(INT64, id)},                 \
        {"style", "TEXT", "PushPop, StartEnd or Point", OF_RANGE(WORD, style),         \
         .role = TABLE_GROUP},                                                         \
        {"name",                                                                       \
         "TEXT",                                                                       \
         "its text, with its domain in front",                                         \
         OF_RANGE(WORD, name),                                                         \
         .role = TABLE_GROUP,                                                          \
         .needs = RANGE_NAMES},                                                        \
        {"start_ns", "INTEGER", "start, on the file's clock", OF_RANGE(INT64, start)}, \
        {"dur_ns", "INTEGER", "its own duration", OF_RANGE(INT64, duration)},          \
        {"track_id", "INTEGER", "thread", OF_RANGE(INT64, track)},                     \
        {"pid", "INTEGER", "process of the thread",                                    \
         TABLE_AT(STATED, THREAD, struct range_thread, pid)},                          \
    {                                                                                  \
        "tid", "INTEGER", "number of the thread",                                      \
            TABLE_AT(STATED, THREAD, struct range_thread, tid)                         \
    }

static const struct table_column marked_columns[] = {
    COMMON,
    WORDS_OF_RANGE,
    {"is_across", "INTEGER", "1 when another thread ended it", OF_RANGE(BOOL, is_across)},
    {0},
};

static const struct table_column nest_columns[] = {
    COMMON,
    WORDS_OF_RANGE,
    {"parent_id", "INTEGER", "tightest range of the thread that contains it",
     OF_RANGE(ID, all.parent)},
    {"level", "INTEGER", "how many it is in", OF_RANGE(INT64, all.level)},
    {"children", "INTEGER", "how many it is the parent of", OF_RANGE(INT64, all.children)},
    {"pushed_parent_id", "INTEGER", "the same among ranges that were pushed and popped alone",
     OF_RANGE(ID, pushed.parent)},
    {"pushed_level", "INTEGER", "the same of the level", OF_RANGE(INT64, pushed.level)},
    {"pushed_children", "INTEGER", "the same of the children", OF_RANGE(INT64, pushed.children)},
    {"pushed_child_ns", "INTEGER", "sum of their durations", OF_RANGE(INT64, pushed.child_time)},
    {"is_pushed", "INTEGER", "1 when it was pushed and popped", OF_RANGE(BOOL, is_pushed),
     .role = TABLE_GROUP},
    {"number", "INTEGER",
     "what reports call it: its id; with --compat its place in the table that it was in",
     OF_RANGE(INT64, number)},
    {"parent_number", "INTEGER", "number of its parent", OF_RANGE(GIVEN, all), .give = give_parent},
    {"path", "TEXT", "numbers of all that it is in, and its own, each behind a colon",
     OF_RANGE(GIVEN, all), .give = give_path},
    {"pushed_parent_number", "INTEGER",
     "number of its parent among ranges that were pushed and popped alone", OF_RANGE(GIVEN, pushed),
     .give = give_parent},
    {"pushed_path", "TEXT", "the same of the path", OF_RANGE(GIVEN, pushed), .give = give_path},
    {"pieces", "INTEGER", "how much accelerator work calls in it launched",
     OF_RANGE(INT64, work.pieces), .needs = RANGE_WORK},
    {"work_start_ns", "INTEGER", "where there is some: its first start, on the file's clock",
     OF_RANGE(INT64, work.start), .needs = RANGE_WORK},
    {"work_ns", "INTEGER", "time from there to its last end", OF_RANGE(INT64, work_ns),
     .needs = RANGE_WORK},
    {"work_calls", "INTEGER", "calls that launched it", OF_RANGE(INT64, work_calls),
     .needs = RANGE_WORK},
    {"work_children", "INTEGER", "ranges with work that it is the parent of",
     OF_RANGE(INT64, work_children), .needs = RANGE_WORK},
    {0},
};

static const struct table_column call_columns[] = {
    COMMON,
    {"range_id", "INTEGER", "event that the range is", OF_PAIR(INT64, id), .needs = RANGE_WORK},
    {"call_id", "INTEGER", "call in it that launched work",
     TABLE_AT(INT64, CALL, struct range_call, id), .needs = RANGE_WORK},
    {"last_id", "INTEGER", "last event below the call: its work has the ids from the call on",
     TABLE_AT(INT64, CALL, struct range_call, last), .needs = RANGE_WORK},
    {0},
};

static const struct table marked_table = {
    .columns = marked_columns,
    .all = 1e6,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct range_rows, ranges),
    .row_size = sizeof(struct range),
    .row = find_any,
};

static const struct table nest_table = {
    .columns = nest_columns,
    .all = 1e6,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct range_rows, ranges),
    .row_size = sizeof(struct range),
    .row = find_nested,
};

static const struct table call_table = {
    .columns = call_columns,
    .all = 1e6,
    .found = 1e4,
    .reading = &reading,
    .rows = offsetof(struct range_rows, pairs),
    .row_size = sizeof(struct range_pair),
    .row = find_pair,
};

const struct function range_functions[] = {
    {.name = "marked_range",
     .meaning = "A table: every selected range and point that a program marked.",
     .table = &marked_table},
    {.name = "range_nest",
     .meaning = "A table: every selected range that a program marked, and which one it is in.",
     .table = &nest_table},
    {.name = "range_call",
     .meaning = "A table: every selected call that launched work, with each range that it is in.",
     .table = &call_table},
    {0},
};
