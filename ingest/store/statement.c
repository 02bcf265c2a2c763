/* statement: see statement.h. */
#include "ingest/store/statement.h"

#include <math.h>

void statement_view(sqlite3_stmt *statement, int place, struct view text)
{
    sqlite3_bind_text64(statement, place, text.bytes, text.length, SQLITE_STATIC, SQLITE_UTF8);
}

void statement_text(sqlite3_stmt *statement, int place, const struct trace *trace, uint32_t number)
{
    if (number)
        statement_view(statement, place, intern_view(&trace->strings, number));
    else
        sqlite3_bind_null(statement, place);
}

void statement_integer(sqlite3_stmt *statement, int place, int64_t value)
{
    if (value == NONE)
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_int64(statement, place, value);
}

struct view statement_shared_text(struct store *self, uint32_t number)
{
    enum { SHORT = 256 };
    struct view text = intern_view(&self->trace->strings, number);
    if (text.length <= SHORT || allowance_take(&self->allowance, text.length))
        return text;
    for (text.length = SHORT; ((unsigned char)text.bytes[text.length] & 0xC0) == 0x80;)
        text.length--;
    self->cut++;
    return text;
}

void statement_shared(struct store *self, sqlite3_stmt *statement, int place, uint32_t number)
{
    if (number)
        statement_view(statement, place, statement_shared_text(self, number));
    else
        sqlite3_bind_null(statement, place);
}

void statement_real(sqlite3_stmt *statement, int place, double value)
{
    if (isnan(value))
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_double(statement, place, value);
}

bool statement_run(struct store *self, sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    if (!done)
        warehouse_error(self->warehouse, self->error);
    sqlite3_reset(statement);
    return done;
}

bool statement_keep_list(struct store *self, const char *sql, const char *list)
{
    if (!list)
        return true;
    sqlite3_stmt *insert = warehouse_prepare(self->warehouse, sql, self->error);
    if (!insert)
        return false;
    sqlite3_bind_int64(insert, 1, self->rows.trace_id);
    sqlite3_bind_text64(insert, 2, list, strlen(list), SQLITE_STATIC, SQLITE_UTF8);
    bool done = statement_run(self, insert);
    database_finalize(insert);
    return done;
}

bool statement_ask(struct store *self, sqlite3_stmt *statement, int64_t *answer, int64_t otherwise)
{
    int result = sqlite3_step(statement);
    *answer = result == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL
                  ? sqlite3_column_int64(statement, 0)
                  : otherwise;
    bool done = result == SQLITE_ROW || result == SQLITE_DONE;
    if (!done)
        warehouse_error(self->warehouse, self->error);
    sqlite3_reset(statement);
    return done;
}

bool statement_ask_once(struct store *self, const char *sql, int64_t *answer, int64_t otherwise)
{
    sqlite3_stmt *statement = warehouse_prepare(self->warehouse, sql, self->error);
    bool done = statement && statement_ask(self, statement, answer, otherwise);
    database_finalize(statement);
    return done;
}
