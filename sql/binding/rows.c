/* rows: see rows.h. */
#include "sql/binding/rows.h"

#include "sql/binding/function.h"

struct hand {
    rows_take *take;
    void *taker;
    int result;
};

static const char type[] = "rows of tpq";

static SQL_FUNCTION(give_row)
{
    struct hand *hand = count ? sqlite3_value_pointer(arguments[0], type) : NULL;
    if (hand && (hand->result = hand->take(hand->taker, arguments + 1)) != SQLITE_OK)
        function_fail(context, hand->result);
}

static void end_rows(sqlite3_context *context)
{
    (void)context;
}

int rows_each(sqlite3_stmt *question, rows_take *take, void *taker)
{
    struct hand hand = {take, taker, SQLITE_OK};
    int result = sqlite3_bind_pointer(question, 1, &hand, type, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(question);
    sqlite3_reset(question);
    sqlite3_bind_null(question, 1);
    return hand.result != SQLITE_OK ? hand.result : result == SQLITE_ROW ? SQLITE_OK : result;
}

int rows_bind(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, ROWS_FUNCTION, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                      NULL, give_row, end_rows, NULL);
}
