/* health_doubts: rules of advice without a basis, read once for all views that ask: the view
 * advice_abstains would stand in each of them again, and SQLite would prepare it each time. */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/database.h"

#include <string.h>

struct doubt {
    char *run, *rule, *finding;
    int64_t trace, position;
};

struct doubt_rows {
    ARRAY(struct doubt) rows;
};

static char *take_text(sqlite3_stmt *row, int column)
{
    const char *text = database_text(row, column);
    return text ? memory_text(text) : NULL;
}

static int read_doubts(void *reading, const struct table_wish *wish, struct error *error)
{
    struct doubt_rows *doubts = reading;
    sqlite3_stmt *rows = NULL;
    int result = database_prepare(
        wish->db, "SELECT run, trace_id, rule, finding, position FROM advice_abstains", &rows,
        NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        struct doubt *added = array_push(&doubts->rows);
        if (added)
            *added = (struct doubt){take_text(rows, 0), take_text(rows, 2), take_text(rows, 3),
                                    sqlite3_column_int64(rows, 1), sqlite3_column_int64(rows, 4)};
        result = added && added->run && added->rule && added->finding ? SQLITE_OK : SQLITE_NOMEM;
    }
    if (result != SQLITE_DONE && result != SQLITE_NOMEM)
        database_error(wish->db, "advice_abstains", error);
    return database_end(rows, result);
}

static void free_doubts(void *reading)
{
    struct doubt_rows *doubts = reading;
    for (size_t i = 0; i < doubts->rows.count; i++) {
        memory_free(doubts->rows.items[i].run);
        memory_free(doubts->rows.items[i].rule);
        memory_free(doubts->rows.items[i].finding);
    }
    array_free(&doubts->rows);
}

static const struct table_reading doubt_reading = {
    .size = sizeof(struct doubt_rows), .read = read_doubts, .free = free_doubts, .is_kept = true};

#define OF_DOUBT(kind, member) TABLE_AT(kind, 0, struct doubt, member)

static const struct table_column doubt_columns[] = {
    {"run", "TEXT", "name of the run", OF_DOUBT(WORD, run)},
    {"trace_id", "INTEGER", "id of the trace", OF_DOUBT(ID, trace)},
    {"rule", "TEXT", "rule of advice, headline or replay", OF_DOUBT(WORD, rule)},
    {"position", "INTEGER", "position of the first of its broken checks", OF_DOUBT(ID, position)},
    {"finding", "TEXT", "name of the check, with its numbers", OF_DOUBT(WORD, finding)},
    {0},
};

static const struct table doubt_table = {
    TABLE_ROWS(doubt_columns, 10, 1, doubt_reading, struct doubt_rows, rows)};

const struct function doubt_functions[] = {
    TABLE("health_doubts", doubt_table,
          "A table: rules of advice without a basis in a trace, as advice_abstains has them."),
    {0},
};
