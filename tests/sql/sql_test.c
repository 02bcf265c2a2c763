/* sql_test: runs a file of SQL tests in a warehouse, which is open for reading only.
 *
 *     sql_test WAREHOUSE FILE.sql
 *
 *     SELECT 'what must hold', expression;     there must be a row, and each must say 1
 *     CREATE TEMP TABLE ...;                   what gives no columns is just run
 *     -- error: words                          the next statement must fail with these words
 *
 * A statement ends with a semicolon at the end of a line. What fails is printed. The exit status is
 * 1 when something failed, and 2 when the file could not be run.
 */
#include "sql/database.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

#include <stdio.h>
#include <string.h>

struct runner {
    struct warehouse warehouse;
    const char *path;
    int line;         /* where the statement in hand begins */
    struct text sql;  /* the statement so far */
    struct text fear; /* the error that it must give; empty = none */
    int tests, failures;
};

__attribute__((format(printf, 2, 3))) static void fail(struct runner *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", self->path, self->line);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    self->failures++;
}

/* ------------------------------------------------------------------ statements */

static void check_row(struct runner *self, sqlite3_stmt *statement)
{
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    bool holds = sqlite3_column_type(statement, 1) == SQLITE_INTEGER &&
                 sqlite3_column_int64(statement, 1) == 1;
    const char *value = (const char *)sqlite3_column_text(statement, 1);
    if (!holds)
        fail(self, "%s: %s", name ? name : "NULL", value ? value : "NULL");
}

/* Runs the statement to its end; the result of its last step. */
static int run_steps(struct runner *self, sqlite3_stmt *statement)
{
    int columns = sqlite3_column_count(statement), rows = 0, result;
    bool is_test = !self->fear.count && columns;
    if (is_test && columns != 2)
        fail(self, "%d columns; a test has two, its name and what must be 1", columns);
    for (; (result = sqlite3_step(statement)) == SQLITE_ROW; rows++)
        if (is_test && columns == 2)
            check_row(self, statement);
    if (is_test && rows == 0 && result == SQLITE_DONE)
        fail(self, "no rows");
    return result;
}

static void run_statement(struct runner *self)
{
    sqlite3 *db = self->warehouse.db;
    sqlite3_stmt *statement = NULL;
    if (strstr(self->sql.items, "sqlite_temp_schema"))
        warehouse_show_views(&self->warehouse, &(struct error){0});
    int result = database_prepare(db, self->sql.items, &statement, NULL);
    if (result == SQLITE_OK)
        result = run_steps(self, statement);
    const char *message = sqlite3_errmsg(db);
    if (self->fear.count && result == SQLITE_DONE)
        fail(self, "no error, where there must be: %s", self->fear.items);
    else if (self->fear.count && !strstr(message, self->fear.items))
        fail(self, "error: %s; it must be: %s", message, self->fear.items);
    else if (!self->fear.count && result != SQLITE_DONE)
        fail(self, "error: %s", message);
    sqlite3_finalize(statement);
    self->tests++;
}

/* ------------------------------------------------------------------ the file */

/* Takes one line; false when memory is out. */
static bool take_line(struct runner *self, char *line, int number)
{
    static const char directive[] = "-- error: ";
    line[strcspn(line, "\r\n")] = '\0';
    if (self->sql.count == 0) {
        self->line = number;
        if (strncmp(line, directive, strlen(directive)) == 0) {
            text_add_string(&self->fear, line + strlen(directive));
            return true;
        }
        if (strncmp(line, "--", 2) == 0 || !*line)
            return true;
    }
    text_add_string(&self->sql, line);
    text_add_byte(&self->sql, '\n');
    size_t length = strlen(line);
    if (length && line[length - 1] == ';' && sqlite3_complete(self->sql.items)) {
        run_statement(self);
        text_clear(&self->sql);
        text_clear(&self->fear);
    }
    return true;
}

static bool run_file(struct runner *self, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; getline(&line, &room, file) >= 0; number++)
        take_line(self, line, number);
    free(line);
    if (self->sql.count)
        fail(self, "the last statement has no end");
    else if (!self->tests)
        fail(self, "no tests");
    return true;
}

int main(int count, char **words)
{
    struct runner self = {0};
    struct error error = {0};
    FILE *file = count == 3 ? fopen(self.path = words[2], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: sql_test WAREHOUSE FILE.sql\n");
        return 2;
    }
    if (!warehouse_start(&error) ||
        !warehouse_open(&self.warehouse, words[1], WAREHOUSE_READ, 0, &error)) {
        fprintf(stderr, "sql_test: %s\n", error.text);
        fclose(file);
        return 2;
    }
    run_file(&self, file);
    fclose(file);
    warehouse_close(&self.warehouse);
    text_free(&self.sql);
    text_free(&self.fear);
    return self.failures > 0;
}
