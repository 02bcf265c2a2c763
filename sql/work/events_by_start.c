/* work_by_start, call_by_start, launch_by_start: tables of the selected events in the order of
 * their starts, which reports list one by one: SQLite need not sort rows that have all their
 * columns.
 *
 *     SELECT id FROM work_by_start ORDER BY run, place     accelerator work
 *     SELECT id FROM call_by_start ORDER BY run, place     runtime and driver calls
 *     SELECT id FROM launch_by_start ORDER BY run, place   kernels, as their calls started
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/database.h"
#include "sql/work/range_text.h"
#include "src/base/number.h"
#include "src/base/order.h"

struct started {
    const char *run, *name; /* name: NULL where it does not count for the order */
    int64_t start, work_start, id;
};

struct started_rows {
    ARRAY(struct started) rows;
    trace_list traces;
    struct range_texts texts;
};

ORDER_BY(compare_rows, struct started,
         (a->run != b->run && WORDS(run)) || UP(start) || UP(work_start) ||
             (a->name != b->name && WORDS(name)) || UP(id));

/* ------------------------------------------------------------------ reading */

/* The columns of all questions. */
enum { ID, START, WORK_START, NAME };

static int add_row(struct started_rows *self, sqlite3_stmt *from)
{
    const struct selected_trace *trace = &self->traces.items[self->traces.count - 1];
    struct started row = {.run = trace->run,
                          .start =
                              number_sum(sqlite3_column_int64(from, START), trace->clock_start),
                          .work_start = sqlite3_column_int64(from, WORK_START),
                          .id = sqlite3_column_int64(from, ID)};
    int result = SQLITE_OK;
    if (sqlite3_column_type(from, NAME) != SQLITE_NULL)
        result = range_text_of(&self->texts, sqlite3_db_handle(from),
                               sqlite3_column_int64(from, NAME), &row.name);
    return result != SQLITE_OK || array_add(&self->rows, row) ? result : SQLITE_NOMEM;
}

/* Asks about each range of what is selected. */
static int read_rows(struct started_rows *self, const struct table_wish *wish, const char *question)
{
    sqlite3_stmt *range = NULL, *from = NULL;
    int result = ranges_prepare(wish, &range);
    while (result == SQLITE_OK && (result = sqlite3_step(range)) == SQLITE_ROW) {
        result = ranges_add_trace(&self->traces, range);
        if (result == SQLITE_OK)
            result =
                database_find(wish->db, &from, question, sqlite3_column_int64(range, RANGE_FIRST),
                              sqlite3_column_int64(range, RANGE_LAST));
        for (; result == SQLITE_ROW; result = result == SQLITE_OK ? sqlite3_step(from) : result)
            result = add_row(self, from);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    sqlite3_finalize(range);
    sqlite3_finalize(from);
    range_text_stop(&self->texts);
    array_sort(&self->rows, compare_rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

#define NO_GRAPHS "(SELECT tpq_like_reference('nsys: graphs as a whole'))"

static int read_work(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return read_rows(reading, wish,
                     "SELECT id, ts_ns, 0, NULL FROM gpu_event WHERE id BETWEEN ? AND ? AND NOT "
                     "(category_id IN (SELECT id FROM category WHERE name = 'gpu_graph') "
                     "AND " NO_GRAPHS ")");
}

static int read_calls(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return read_rows(reading, wish,
                     "SELECT id, ts_ns, 0, NULL FROM event WHERE id BETWEEN ? AND ? AND "
                     "category_id IN (SELECT id FROM category WHERE role = 'call')");
}

static int read_launches(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return read_rows(reading, wish,
                     "SELECT work.id, call.ts_ns, work.ts_ns, work.name_id FROM gpu_event AS work "
                     "CROSS JOIN event AS call ON call.id = work.call_id WHERE work.id BETWEEN ? "
                     "AND ? AND work.category_id IN (SELECT id FROM category WHERE name = 'kernel' "
                     "OR (name = 'gpu_graph' AND NOT " NO_GRAPHS "))");
}

static void free_rows(void *reading)
{
    struct started_rows *self = reading;
    array_free(&self->rows);
    ranges_free_traces(&self->traces);
    range_text_free(&self->texts);
}

/* ------------------------------------------------------------------ the tables */

static bool find_row(struct table_cursor *cursor, size_t index)
{
    cursor->rowid = (sqlite3_int64)index + 1;
    return true;
}

static int give_place(sqlite3_context *out, struct table_cursor *cursor)
{
    sqlite3_result_int64(out, cursor->rowid);
    return SQLITE_OK;
}

#define OF_ROW(kind, member) TABLE_AT(kind, 0, struct started, member)

static const struct table_column columns[] = {
    {"run", "TEXT", "run", OF_ROW(WORD, run), .role = TABLE_RUN | TABLE_ORDER},
    {"place", "INTEGER", "its place in the list", .origin = TABLE_GIVEN, .give = give_place,
     .role = TABLE_ORDER},
    {"id", "INTEGER", "event that it is", OF_ROW(INT64, id)},
    {"start_ns", "INTEGER", "what it goes by, on the file's clock", OF_ROW(INT64, start)},
    {0},
};

#define READING(kind)                                                               \
    {                                                                               \
        .size = sizeof(struct started_rows), .read = read_##kind, .free = free_rows \
    }
#define TABLE(of)                                                                        \
    {                                                                                    \
        .columns = columns, .all = 1e6, .found = 1e6, .reading = &(of),                  \
        .rows = offsetof(struct started_rows, rows), .row_size = sizeof(struct started), \
        .row = find_row                                                                  \
    }

static const struct table_reading work = READING(work), calls = READING(calls),
                                  launches = READING(launches);
static const struct table work_table = TABLE(work), call_table = TABLE(calls),
                          launch_table = TABLE(launches);

const struct function started_functions[] = {
    {.name = "work_by_start",
     .meaning = "A table: selected accelerator work in the order of its starts.",
     .table = &work_table},
    {.name = "call_by_start",
     .meaning = "A table: selected runtime and driver calls in the order of their starts.",
     .table = &call_table},
    {.name = "launch_by_start",
     .meaning = "A table: selected kernels that a call launched, in the order of the starts of "
                "calls, and then of their own.",
     .table = &launch_table},
    {0},
};
