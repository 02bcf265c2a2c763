/* ranges: One question with the traces of ranges beside them, as a table wishes; rows go by in
 * pieces of ids. */
#include "sql/binding/ranges.h"

#include "sql/binding/function.h"
#include "sql/database.h"

#include <stdlib.h>
#include <string.h>

bool ranges_option(sqlite3 *db, const char *name)
{
    sqlite3_stmt *statement = NULL;
    bool is_set =
        database_prepare(db, "SELECT tpq_option(?1) IS NOT NULL", &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    database_finalize(statement);
    return is_set;
}

/* A trace begins with the same columns in both questions. */
#define TRACE "run, trace_id, (SELECT clock_start_ns FROM trace WHERE trace.id = scope.trace_id)"

int ranges_ask(const struct table_wish *wish, const char *columns, const char *table,
               const char *order, sqlite3_stmt **from)
{
    char *sql =
        database_format("SELECT %s FROM %s AS scope WHERE 1%s%s%s%s", columns, table,
                        wish->run ? " AND run = ?1" : "", wish->traces ? " AND trace_id IN " : "",
                        wish->traces ? wish->traces : "", order);
    int result = database_prepare(wish->db, sql, from, NULL);
    memory_free(sql);
    return result == SQLITE_OK && wish->run ? sqlite3_bind_value(*from, 1, wish->run) : result;
}

int ranges_prepare(const struct table_wish *wish, sqlite3_stmt **ranges)
{
    return ranges_ask(wish, TRACE ", first_event, last_event, is_recompute", "scope", "", ranges);
}

int ranges_prepare_windows(const struct table_wish *wish, sqlite3_stmt **ranges)
{
    return ranges_ask(wish, TRACE ", first_event, last_event, is_recompute", "window_scope", "",
                      ranges);
}

bool ranges_has_trace(const trace_list *traces, sqlite3_stmt *range)
{
    return traces->count && traces->items[traces->count - 1].id == sqlite3_column_int64(range, 1);
}

void ranges_add_trace(trace_list *traces, sqlite3_stmt *range)
{
    if (ranges_has_trace(traces, range))
        return;
    struct selected_trace added = {memory_text(database_text(range, 0)),
                                   sqlite3_column_int64(range, 1), sqlite3_column_int64(range, 2)};
    array_add(traces, added);
}

int ranges_traces(const struct table_wish *wish, trace_list *traces)
{
    sqlite3_stmt *from = NULL;
    int result = ranges_ask(wish, "DISTINCT " TRACE, "scope", " ORDER BY trace_id", &from);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        ranges_add_trace(traces, from);
        result = SQLITE_OK;
    }
    database_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ rows of a range */

/* So many ids are gone through at once. */
#ifdef TPQ_SMALL_WINDOWS
enum { PIECE = 3 };
#else
enum { PIECE = 1 << 18 };
#endif

struct hand {
    rows_take *take;
    void *taker;
    int result;
    bool has_rows, lacks_memory;
};

static const char type[] = "rows of tpq";

static SQL_FUNCTION(give_row)
{
    struct hand *hand = count ? sqlite3_value_pointer(arguments[0], type) : NULL;
    if (hand)
        hand->has_rows = true;
    struct memory_attempt attempt;
    if (hand && memory_try_in(&attempt, memory_in_use())) { /* what is taken is the taker's */
        hand->result = hand->take(hand->taker, arguments + 1);
        memory_leave(&attempt);
    } else if (hand) {
        hand->lacks_memory = true;
        hand->result = SQLITE_NOMEM;
    }
    if (hand && hand->result != SQLITE_OK)
        function_fail(context, hand->result);
}

static void end_rows(sqlite3_context *context)
{
    (void)context;
}

static int give_rows(sqlite3_stmt *question, rows_take *take, void *taker, bool *has_rows)
{
    struct hand hand = {take, taker, SQLITE_OK, false, false};
    int result = sqlite3_bind_pointer(question, 1, &hand, type, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(question);
    sqlite3_reset(question);
    sqlite3_bind_null(question, 1);
    if (hand.lacks_memory) /* its statements are gone: nobody may go on with them */
        memory_fail();
    *has_rows = hand.has_rows;
    return hand.result != SQLITE_OK ? hand.result : result == SQLITE_ROW ? SQLITE_OK : result;
}

int rows_each_id(sqlite3 *db, sqlite3_stmt *question, int64_t first, int64_t last, rows_take *take,
                 void *taker)
{
    int result = SQLITE_OK;
    while (result == SQLITE_OK && first <= last) {
        int64_t left;
        bool is_more = !__builtin_sub_overflow(last, first, &left) && left >= PIECE, has_rows;
        int64_t end = is_more ? first + PIECE - 1 : last;
        sqlite3_bind_int64(question, 2, first);
        sqlite3_bind_int64(question, 3, end);
        result = give_rows(question, take, taker, &has_rows);
        if (!is_more)
            break;
        database_let_go(db);
        first = end + 1;
        if (result == SQLITE_OK && !has_rows) /* gaps may be of any width */
            result = database_ask(db,
                                  "SELECT coalesce(min(id), 9223372036854775807) FROM event "
                                  "WHERE id >= ?1",
                                  first, &first);
    }
    return result;
}

/* ------------------------------------------------------------------ numbers */

struct picking {
    const struct rows_wish *wish;
    rows_take_numbers *take;
    void *taker;
};

static int pick_values(void *picking, sqlite3_value **row)
{
    struct picking *self = picking;
    int64_t picked[ROWS_COLUMNS_MAX];
    for (size_t i = 0; i < self->wish->count; i++)
        picked[i] = sqlite3_value_type(row[i + 1]) == SQLITE_INTEGER
                        ? sqlite3_value_int64(row[i + 1])
                        : INT64_MIN;
    return self->take(self->taker, sqlite3_value_int64(row[0]), picked);
}

int rows_each_number(sqlite3 *db, struct context *context, const struct rows_wish *wish,
                     rows_take_numbers *take, void *taker)
{
    struct picking self = {wish, take, taker};
    sqlite3_stmt *rows = NULL;
    struct text sql = {0};
    text_add_string(&sql, "SELECT " ROWS_EACH "id");
    for (size_t i = 0; i < wish->count; i++)
        text_format(&sql, ", %s", wish->columns[i]);
    text_format(&sql, ") FROM %s WHERE id BETWEEN ?2 AND ?3%s%s", wish->table,
                wish->only ? " AND " : "", wish->only ? wish->only : "");
    int result = statements_take(context, db, sql.items, &rows);
    if (result == SQLITE_OK)
        result = rows_each_id(db, rows, wish->first, wish->last, pick_values, &self);
    statements_leave(context, rows);
    text_free(&sql);
    return result;
}

int rows_add_kinds(sqlite3 *db, struct context *context, const char *which, struct text *out)
{
    struct text sql = {0};
    sqlite3_stmt *row = NULL;
    text_format(&sql,
                "SELECT coalesce(group_concat('category_id = ' || id, ' OR '), '0') "
                "FROM category WHERE %s",
                which);
    int result = statements_take(context, db, sql.items, &row);
    if (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
        const char *condition = database_text(row, 0);
        text_format(out, "(%s)", condition);
        result = SQLITE_OK;
    }
    statements_leave(context, row);
    text_free(&sql);
    return result;
}

int rows_bind(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, ROWS_FUNCTION, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                      NULL, give_row, end_rows, NULL);
}
