/* marked_range, range_nest, range_projection, range_call: tables about ranges that programs marked.
 *
 *     SELECT id, style, name FROM marked_range          which there are, points among them
 *     SELECT id, parent_id, level FROM range_nest       which range is in which
 *     SELECT id, work_ns FROM range_projection          when what was launched in them ran
 *     SELECT range_id, call_id FROM range_call          which calls that launched work are in which
 *
 * Which range is in which says range_rows.h.
 */
#include "sql/binding/function.h"
#include "sql/ranges/range_rows.h"
#include "src/base/number.h"

static int range_nest_read_rows(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return range_rows_read(reading, wish->db, wish->needs);
}

static const struct table_reading reading = {
    .size = sizeof(struct range_rows), .read = range_nest_read_rows, .is_kept = true};

/* ------------------------------------------------------------------ rows */

enum { ROW, TRACE, THREAD, ALL, PUSHED, LAUNCHED, RANGE = ROW, CALL = THREAD, PAIRED = ALL };

#define OF(list, index) ((list).count ? &(list).items[index] : NULL)

static bool find_any(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    const struct range *range = &rows->ranges.items[index];
    cursor->parts[RANGE] = range;
    cursor->parts[TRACE] = &rows->traces.items[range->trace - 1];
    cursor->parts[THREAD] = &rows->threads.items[range->thread - 1];
    cursor->parts[ALL] = OF(rows->all, index);
    cursor->parts[PUSHED] = OF(rows->pushed, index);
    cursor->parts[LAUNCHED] = OF(rows->launched, index);
    cursor->rowid = range->id;
    return true;
}

static bool find_nested(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    const struct range *range = &rows->ranges.items[index];
    find_any(cursor, index);
    return !range->is_point && !range->is_across;
}

static bool find_projected(struct table_cursor *cursor, size_t index)
{
    const struct range_rows *rows = cursor->reading;
    find_any(cursor, rows->by_work.items[index]);
    cursor->rowid = (sqlite3_int64)index + 1;
    return true;
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

static int start_in_order(struct table_cursor *cursor, const struct table_wish *wish,
                          struct error *error)
{
    (void)error;
    struct range_rows *rows = cursor->reading;
    if (!wish->in_order)
        return SQLITE_OK;
    struct memory *before = memory_enter(table_memory(cursor));
    range_rows_order(rows);
    memory_enter(before);
    cursor->order = rows->by_time.items;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ numbers of ranges */

/* The range right above, where the column in hand says. */
static const struct range *above(const struct table_cursor *cursor, const struct range *range)
{
    const struct range_rows *rows = cursor->reading;
    const struct range_nest *nests =
        cursor->column->part == ALL ? rows->all.items : rows->pushed.items;
    size_t place = nests[range - rows->ranges.items].place;
    return place ? &rows->ranges.items[place - 1] : NULL;
}

static int give_parent_id(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct range *parent = above(cursor, cursor->parts[RANGE]);
    if (parent)
        sqlite3_result_int64(out, parent->id);
    return SQLITE_OK;
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
    const struct range *range = cursor->parts[RANGE], *few[16], **path = few;
    const struct range_nest *nest = cursor->parts[cursor->column->part];
    size_t count = (size_t)nest->level + 1;
    struct text text = {0};
    if (count > sizeof few / sizeof few[0])
        path = memory_list(count, sizeof(const struct range *));
    for (size_t i = count; i > 0; i--, range = above(cursor, range))
        path[i - 1] = range;
    for (size_t i = 0; i < count; i++) {
        text_add_byte(&text, ':');
        number_add_integer(&text, path[i]->number);
    }
    sqlite3_result_text64(out, text.items, text.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    text_free(&text);
    if (path != few)
        memory_free(path);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ the tables */

#define OF_RANGE(kind, member) TABLE_AT(kind, RANGE, struct range, member)
#define OF_PAIR(kind, member)  TABLE_AT(kind, PAIRED, struct range, member)
#define OF_ALL(kind, member)   TABLE_AT(kind, ALL, struct range_nest, member), .needs = RANGE_NEST
#define OF_PUSHED(kind, member) \
    TABLE_AT(kind, PUSHED, struct range_nest, member), .needs = RANGE_PUSHED
#define OF_LAUNCHED(kind, member) \
    TABLE_AT(kind, LAUNCHED, struct range_launched, member), .needs = RANGE_WORK
#define COMMON(order)                                                                            \
    {"run", "name of the run", TABLE_AT(WORD, TRACE, struct range_trace, run), .role = (order)}, \
    {                                                                                            \
        "trace_id", "id of the trace", TABLE_AT(INT64, TRACE, struct range_trace, id)            \
    }
#define WORDS_OF_RANGE(order)                                                                 \
    {"style", "PushPop, StartEnd or Point", OF_RANGE(WORD, style)},                           \
        {"name", "text of the range, with the domain in front", OF_RANGE(WORD, name),         \
         .needs = RANGE_NAMES},                                                               \
        {"start_ns", "start, on the file's clock", OF_RANGE(INT64, start), .role = (order)},  \
        {"dur_ns", "duration of the range", OF_RANGE(INT64, duration), .role = (order)},      \
        {"id", "id of the range", OF_RANGE(INT64, id), .role = (order)},                      \
        {"track_id", "thread of the range", OF_RANGE(INT64, track)},                          \
        {"pid", "process of the thread", TABLE_AT(STATED, THREAD, struct range_thread, pid)}, \
    {                                                                                         \
        "tid", "number of the thread", TABLE_AT(STATED, THREAD, struct range_thread, tid)     \
    }
#define WORDS_OF_NEST                                                                              \
    {"parent_id", "tightest range of the thread around the range", OF_ALL(GIVEN, place),           \
     .give = give_parent_id},                                                                      \
        {"level", "number of ranges around the range", OF_ALL(UINT32, level)},                     \
        {"is_pushed", "1 for a range that was pushed and popped", OF_RANGE(BOOL, is_pushed)},      \
        {"number", "number of the range in reports: its id; with --compat its place in its table", \
         OF_RANGE(INT64, number)},                                                                 \
        {"parent_number", "number of the parent", OF_ALL(GIVEN, place), .give = give_parent},      \
    {                                                                                              \
        "path", "numbers of the ranges around the range and of the range, each behind a colon",    \
            OF_ALL(GIVEN, place), .give = give_path, .type = "TEXT"                                \
    }

static const struct table_column marked_columns[] = {
    COMMON(0),
    WORDS_OF_RANGE(0),
    {"is_across", "1 for a range that another thread ended", OF_RANGE(BOOL, is_across)},
    {0},
};

static const struct table_column nest_columns[] = {
    COMMON(TABLE_ORDER),
    WORDS_OF_RANGE(TABLE_ORDER),
    WORDS_OF_NEST,
    {"children", "number of child ranges", OF_ALL(UINT32, children)},
    {"pushed_parent_id", "parent among ranges that were pushed and popped alone",
     OF_PUSHED(GIVEN, place), .give = give_parent_id},
    {"pushed_level", "level among ranges that were pushed and popped alone",
     OF_PUSHED(UINT32, level)},
    {"pushed_children", "number of child ranges that were pushed and popped",
     OF_PUSHED(UINT32, children)},
    {"pushed_child_ns", "total duration of child ranges that were pushed and popped",
     OF_PUSHED(INT64, child_time)},
    {"pushed_parent_number", "number of its parent among ranges that were pushed and popped alone",
     OF_PUSHED(GIVEN, place), .give = give_parent},
    {"pushed_path", "path among ranges that were pushed and popped alone", OF_PUSHED(GIVEN, place),
     .give = give_path, .type = "TEXT"},
    {0},
};

static const struct table_column projection_columns[] = {
    COMMON(TABLE_ORDER),
    {"place", "place in the list by the start of the GPU activities, the longest first",
     .origin = TABLE_PLACE, .part = RANGE, .role = TABLE_ORDER},
    WORDS_OF_RANGE(0),
    WORDS_OF_NEST,
    {"pieces", "number of GPU activities launched in the range", OF_LAUNCHED(INT64, work.pieces)},
    {"work_start_ns", "first start of a GPU activity launched in the range, on the file's clock",
     OF_LAUNCHED(INT64, work.start)},
    {"work_ns", "from the first start to the last end of GPU activities launched in the range",
     OF_LAUNCHED(INT64, time)},
    {"work_calls", "runtime calls in the range that launched GPU activities",
     OF_LAUNCHED(UINT32, calls)},
    {"work_children", "child ranges with GPU activities", OF_LAUNCHED(UINT32, children)},
    {0},
};

static const struct table_column call_columns[] = {
    COMMON(0),
    {"range_id", "id of the range", OF_PAIR(INT64, id), .needs = RANGE_PAIRS},
    {"name", "text of the range, with its domain in front", OF_PAIR(WORD, name),
     .needs = RANGE_PAIRS | RANGE_NAMES},
    {"call_id", "id of a runtime call in the range that launched GPU activities",
     TABLE_AT(INT64, CALL, struct range_call, id), .needs = RANGE_PAIRS},
    {"last_id", "last event below the call: its GPU activities have the ids from the call on",
     TABLE_AT(INT64, CALL, struct range_call, last), .needs = RANGE_PAIRS},
    {0},
};

static const struct table marked_table = {
    TABLE_ROWS(marked_columns, 1e6, 1e4, reading, struct range_rows, ranges),
    .row = find_any,
};

static const struct table nest_table = {
    TABLE_ROWS(nest_columns, 1e6, 1e4, reading, struct range_rows, ranges),
    .row = find_nested,
    .start = start_in_order,
};

static const struct table projection_table = {
    TABLE_ROWS(projection_columns, 1e6, 1e4, reading, struct range_rows, by_work),
    .needs = RANGE_NEST | RANGE_LIST, /* children count by what they are in */
    .row = find_projected,
};

static const struct table call_table = {
    TABLE_ROWS(call_columns, 1e6, 1e4, reading, struct range_rows, pairs),
    .row = find_pair,
};

const struct function range_functions[] = {
    TABLE("marked_range", marked_table,
          "A table: every selected range and point that a program marked."),
    TABLE("range_nest", nest_table,
          "A table: every selected range that a program marked, and which one it is in."),
    TABLE("range_projection", projection_table,
          "A table: every selected range with GPU activities, and when that ran."),
    TABLE("range_call", call_table,
          "A table: every selected call that launched work, with each range that it is in."),
    {0},
};
