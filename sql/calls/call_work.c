/* call_work: the GPU activities of each row of collected_row.
 *
 *     collected_work  a row for each piece of it
 *
 *     SELECT row_id, count(*) FROM collected_work GROUP BY row_id
 *
 * It shares the reading of the selection with the tables of call_tables.c, and groups calls as they
 * do, so that rows have the same numbers.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/calls/call_group.h"
#include "sql/calls/call_read.h"

enum { CURSOR, TRACE, KERNEL };

struct work_cursor {
    struct table_cursor base;
    struct call_groups groups;
    int64_t row;     /* of collected_row */
    size_t call;     /* in hand: its place in the order of groups */
    uint32_t kernel; /* the next one of it */
};

static int start(struct table_cursor *base, const struct table_wish *wish, struct error *error)
{
    (void)wish, (void)error;
    struct work_cursor *cursor = (struct work_cursor *)base;
    bool done = call_groups_make(&cursor->groups, base->reading, CALLS_COLLECTED, false, false);
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

static void stop(struct table_cursor *base)
{
    call_groups_free(&((struct work_cursor *)base)->groups);
}

/* The call in hand; NULL behind the last one of its group. */
static const struct call *call_in_hand(const struct work_cursor *cursor)
{
    const struct call_groups *groups = &cursor->groups;
    return cursor->call < groups->to ? groups->calls.items[groups->groups.order[cursor->call]]
                                     : NULL;
}

static int next_group(struct work_cursor *cursor, bool *found)
{
    if (!call_groups_next(&cursor->groups, found))
        return SQLITE_NOMEM;
    cursor->call = cursor->groups.from;
    cursor->row++;
    return SQLITE_OK;
}

static int next(struct table_cursor *base)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    const struct call_rows *rows = base->reading;
    const struct call *call = call_in_hand(cursor);
    bool found = true;
    while (found && (!call || cursor->kernel == call->count)) {
        cursor->kernel = 0;
        cursor->call += call != NULL;
        int result = call ? SQLITE_OK : next_group(cursor, &found);
        if (result != SQLITE_OK)
            return result;
        call = found ? call_in_hand(cursor) : NULL;
    }
    base->at_end = !found;
    if (!found)
        return SQLITE_OK;
    base->rowid++;
    base->parts[CURSOR] = cursor;
    base->parts[TRACE] = &rows->traces.items[call->trace];
    base->parts[KERNEL] = call_rows_kernel(rows, call, cursor->kernel++);
    return SQLITE_OK;
}

static const struct table_column columns[] = {
    {"run", "TEXT", "name of the run", TABLE_AT(TEXT, TRACE, struct call_trace, run),
     .role = TABLE_RUN},
    {"trace_id", "INTEGER", "id of the trace", TABLE_AT(INT64, TRACE, struct call_trace, id),
     .role = TABLE_TRACE},
    {"row_id", "INTEGER", "row of collected_row that the GPU activity belongs to",
     TABLE_AT(INT64, CURSOR, struct work_cursor, row)},
    {"id", "INTEGER", "id of the GPU activity", TABLE_AT(INT64, KERNEL, struct call_kernel, id)},
    {0},
};

static const struct table work = {
    TABLE_MADE(columns, 1e6, 1e4, struct work_cursor, start, next, stop),
    .reading = &call_rows_reading,
};

const struct function call_work_functions[] = {
    TABLE("collected_work", work,
          "A table: the GPU activities of the calls of each row of collected_row."),
    {0},
};
