/* asked: see asked.h. */
#include "sql/asked.h"

#include "src/base/memory.h"

#include <math.h>

void asked_open(struct asked *self, sqlite3 *db, const char *sql)
{
    *self = (struct asked){.db = db};
    self->result = database_prepare(db, sql, &self->statement, NULL);
}

void asked_about(struct asked *self, const struct asked_value *values, size_t count)
{
    if (!self->statement || asked_code(self) != SQLITE_OK)
        return;
    self->result = sqlite3_reset(self->statement);
    size_t wanted = (size_t)sqlite3_bind_parameter_count(self->statement);
    for (size_t i = 0; i < count && i < wanted && self->result == SQLITE_OK; i++) {
        const struct asked_value *value = &values[i];
        int number = (int)i + 1;
        if (value->kind == ASKED_INT64)
            self->result = sqlite3_bind_int64(self->statement, number, value->integer);
        else if (value->kind == ASKED_REAL)
            self->result = sqlite3_bind_double(self->statement, number, value->real);
        else
            self->result = sqlite3_bind_text64(self->statement, number, value->text.bytes,
                                               value->text.length, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
}

bool asked_next(struct asked *self)
{
    if (self->result == SQLITE_OK || self->result == SQLITE_ROW)
        self->result = sqlite3_step(self->statement);
    return self->result == SQLITE_ROW;
}

bool asked_row(struct asked *self, const struct asked_place *places, size_t count)
{
    if (!asked_next(self))
        return false;
    for (size_t i = 0; i < count; i++) {
        sqlite3_stmt *row = self->statement;
        int column = (int)i;
        void *at = places[i].at;
        switch (places[i].kind) {
        case ASKED_INT64:
            *(int64_t *)at = sqlite3_column_int64(row, column);
            break;
        case ASKED_STATED:
            *(int64_t *)at = database_integer(row, column, INT64_MIN);
            break;
        case ASKED_STATED_REAL:
            *(double *)at = sqlite3_column_type(row, column) == SQLITE_NULL
                                ? NAN
                                : sqlite3_column_double(row, column);
            break;
        case ASKED_BOOL:
            *(bool *)at = sqlite3_column_int(row, column) != 0;
            break;
        case ASKED_REAL:
            *(double *)at = sqlite3_column_double(row, column);
            break;
        case ASKED_TEXT:
            *(const char **)at = database_text(row, column);
            break;
        case ASKED_VIEW:
            *(struct view *)at = (struct view){database_text(row, column),
                                               (size_t)sqlite3_column_bytes(row, column)};
            break;
        case ASKED_ANY_TEXT:
            *(const char **)at =
                sqlite3_column_type(row, column) == SQLITE_NULL ? NULL : database_text(row, column);
            break;
        }
    }
    return true;
}

int asked_end(struct asked *self)
{
    database_finalize(self->statement);
    self->statement = NULL;
    return asked_code(self);
}

bool asked_done(struct asked *self, const char *what, struct error *error)
{
    return asked_end(self) == SQLITE_OK || database_error(self->db, what, error);
}
