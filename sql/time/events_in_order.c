/* work_by_start, call_by_start, launch_by_start, kernel_by_duration: tables of the selected events
 * in the orders in which reports list them one by one: SQLite need not sort rows with all their
 * columns.
 *
 *     SELECT id FROM work_by_start ORDER BY run, place     GPU activities
 *     SELECT id FROM call_by_start ORDER BY run, place     runtime and driver calls
 *     SELECT id FROM launch_by_start ORDER BY run, place   kernels, as their calls started
 *     SELECT id FROM kernel_by_duration ORDER BY run, trace_id, place   the longest ones first
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/database.h"
#include "sql/ranges/range_rows.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* Keys of a list behind the run: NULL comes first. */
enum { KEYS = 4 };

struct listed {
    const char *run, *name; /* name: NULL where it does not count for the order */
    int64_t id, trace, place, keys[KEYS];
    int64_t part; /* the trace, where each has a list of its own */
};

struct lists {
    ARRAY(struct listed) rows;
    trace_list traces;
    struct range_texts texts;
};

ORDER_BY(compare_rows, struct listed,
         (a->run != b->run && WORDS(run)) || UP(part) || UP(keys[0]) || UP(keys[1]) ||
             UP(keys[2]) || UP(keys[3]) || (a->name != b->name && WORDS(name)) || UP(id));

/* ------------------------------------------------------------------ reading */

/* The columns of all questions: the keys are the last ones, of which there may be fewer. */
enum { ID, NAME, FIRST_KEY };

/* Asks about each range of what is selected. */
static int events_in_order_read_rows(struct lists *self, const struct table_wish *wish,
                                     bool by_start, const char *question)
{
    sqlite3_stmt *range = NULL, *from = NULL;
    int result = ranges_prepare(wish, &range);
    while (result == SQLITE_OK && (result = sqlite3_step(range)) == SQLITE_ROW) {
        ranges_add_trace(&self->traces, range);
        result = database_find(wish->db, &from, question, sqlite3_column_int64(range, RANGE_FIRST),
                               sqlite3_column_int64(range, RANGE_LAST));
        for (; result == SQLITE_ROW; result = result == SQLITE_OK ? sqlite3_step(from) : result) {
            const struct selected_trace *trace = &self->traces.items[self->traces.count - 1];
            struct listed row = {.run = trace->run,
                                 .id = sqlite3_column_int64(from, ID),
                                 .trace = trace->id,
                                 .part = by_start ? 0 : trace->id};
            for (int i = 0; i < sqlite3_column_count(from) - FIRST_KEY; i++)
                row.keys[i] = database_integer(from, FIRST_KEY + i, INT64_MIN);
            if (by_start)
                row.keys[0] = number_sum(row.keys[0], trace->clock_start);
            result = SQLITE_OK;
            if (sqlite3_column_type(from, NAME) != SQLITE_NULL)
                result = range_text_of(&self->texts, sqlite3_db_handle(from),
                                       sqlite3_column_int64(from, NAME), false, &row.name);
            if (result == SQLITE_OK)
                array_add(&self->rows, row);
        }
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    database_finalize(range);
    database_finalize(from);
    range_text_stop(&self->texts);
    array_sort(&self->rows, compare_rows);
    struct listed *rows = self->rows.items;
    for (size_t i = 0; i < self->rows.count; i++) {
        bool goes_on =
            i && rows[i].part == rows[i - 1].part &&
            (rows[i].run == rows[i - 1].run || strcmp(rows[i].run, rows[i - 1].run) == 0);
        rows[i].place = goes_on ? rows[i - 1].place + 1 : 1;
    }
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

#define NO_GRAPHS "(SELECT tpq_like_reference('nsys: graphs as a whole'))"

static int read_work(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return events_in_order_read_rows(
        reading, wish, true,
        "SELECT id, NULL, ts_ns FROM gpu_event WHERE id BETWEEN ? AND ? AND NOT "
        "(category_id IN (SELECT id FROM category WHERE name = 'gpu_graph') "
        "AND " NO_GRAPHS ")");
}

static int read_calls(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return events_in_order_read_rows(
        reading, wish, true,
        "SELECT id, NULL, ts_ns FROM event WHERE id BETWEEN ? AND ? AND "
        "category_id IN (SELECT id FROM category WHERE role = 'call')");
}

/* Kernels of calls that start at one time go by how much later they start: clocks differ. */
static int read_launches(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return events_in_order_read_rows(
        reading, wish, true,
        "SELECT work.id, work.name_id, call.ts_ns, work.ts_ns - call.ts_ns FROM gpu_event AS work "
        "CROSS JOIN event AS call ON call.id = work.call_id WHERE work.id BETWEEN ? "
        "AND ? AND work.category_id IN (SELECT id FROM category WHERE name = 'kernel' "
        "OR (name = 'gpu_graph' AND NOT " NO_GRAPHS "))");
}

static int read_kernels(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return events_in_order_read_rows(
        reading, wish, false,
        "SELECT work.id, work.name_id, -work.dur_ns, dispatch.number, work.ts_ns, "
        "work.stream FROM gpu_event AS work LEFT JOIN dispatch ON dispatch.id = "
        "work.id WHERE work.id BETWEEN ? AND ? AND work.category_id IN (SELECT id "
        "FROM category WHERE name = 'kernel')");
}

/* ------------------------------------------------------------------ the tables */

static bool find_row(struct table_cursor *cursor, size_t index)
{
    cursor->rowid = (sqlite3_int64)index + 1;
    return true;
}

#define OF_ROW(kind, member) TABLE_AT(kind, 0, struct listed, member)
#define COLUMNS(of_trace)                                                                     \
    {"run", "TEXT", "name of the run", OF_ROW(WORD, run), .role = TABLE_RUN | TABLE_ORDER},   \
        {"trace_id", "INTEGER", "id of the trace", OF_ROW(INT64, trace), .role = (of_trace)}, \
        {"place", "INTEGER", "place in the list of the run", OF_ROW(INT64, place),            \
         .role = TABLE_ORDER},                                                                \
    {                                                                                         \
        "id", "INTEGER", "id of the event", OF_ROW(INT64, id)                                 \
    }

/* A list of a run has its places by all traces of the run: the others are read where one is asked
 * for, too. */
static const struct table_column start_columns[] = {
    COLUMNS(0),
    {"start_ns", "INTEGER", "start of the event, on the file's clock", OF_ROW(INT64, keys)},
    {0},
};

static const struct table_column columns[] = {COLUMNS(TABLE_TRACE | TABLE_ORDER), {0}};

#define READING(kind)                                     \
    {                                                     \
        .size = sizeof(struct lists), .read = read_##kind \
    }
#define LIST(of, of_columns)                                                      \
    {                                                                             \
        TABLE_ROWS(of_columns, 1e6, 1e6, of, struct lists, rows), .row = find_row \
    }

static const struct table_reading work = READING(work), calls = READING(calls),
                                  launches = READING(launches), kernels = READING(kernels);
static const struct table work_table = LIST(work, start_columns),
                          call_table = LIST(calls, start_columns),
                          launch_table = LIST(launches, start_columns),
                          kernel_table = LIST(kernels, columns);

const struct function ordered_functions[] = {
    TABLE("work_by_start", work_table,
          "A table: selected GPU activities in the order of its starts."),
    TABLE("call_by_start", call_table,
          "A table: selected runtime and driver calls in the order of their starts."),
    TABLE("launch_by_start", launch_table,
          "A table: selected kernels that a call launched, in the order of the starts of calls, "
          "and then of their own."),
    TABLE("kernel_by_duration", kernel_table,
          "A table: selected kernels of each trace, the longest first."),
    {0},
};
