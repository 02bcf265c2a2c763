/* condition: see condition.h.
 *
 * The text is put between parentheses, and it must not get out of them: it is looked through for
 * ones that do not match, outside of texts, names and comments.
 */
#include "query/select/condition.h"

#include "sql/database.h"
#include "sql/statement.h"
#include "sql/warehouse/suggestion.h"
#include "src/base/text.h"

static bool refuse(const char *condition, const char *reason, struct error *error)
{
    return error_set(error, STATUS_USAGE, "bad condition \"%.300s\": %s", condition, reason);
}

/* The error of a statement that has the condition in it. */
static bool condition_fail(const struct warehouse *warehouse, const char *condition,
                           struct error *error)
{
    if (sqlite3_errcode(warehouse->db) == SQLITE_AUTH)
        return refuse(condition, sqlite3_errmsg(warehouse->db), error);
    if ((sqlite3_errcode(warehouse->db) & 0xFF) != SQLITE_ERROR)
        return warehouse_error(warehouse, error);
    struct text words = {0}, sql = {0};
    text_format(&sql, "slice %s", condition);
    suggestion_add(warehouse->db, sql.items, sqlite3_errmsg(warehouse->db), &words);
    refuse(condition, words.items, error);
    text_free(&words);
    text_free(&sql);
    return false;
}

static bool condition_prepare(struct warehouse *warehouse, const char *condition,
                              sqlite3_stmt **row, struct error *error)
{
    if (!statement_is_enclosed(condition, true))
        return refuse(condition, "not a single expression", error);
    struct text sql = {0};
    text_format(&sql, "SELECT id, last_id, role FROM slice WHERE (\n%s\n)", condition);
    const char *rest = NULL;
    warehouse_guard_text(warehouse, TEXT_CONDITION);
    bool done = database_prepare(warehouse->db, sql.items, row, &rest) == SQLITE_OK;
    if (!done)
        condition_fail(warehouse, condition, error);
    else if (!*row || *rest || !sqlite3_stmt_readonly(*row))
        done = refuse(condition, "not a single expression", error);
    else if (sqlite3_bind_parameter_count(*row))
        done = refuse(condition, "it has a parameter, and there is no value for it", error);
    text_free(&sql);
    return done;
}

/* ------------------------------------------------------------------ events */

/* Adds the GPU activities within ranges of ids. */
static bool condition_add_work(struct warehouse *warehouse, const struct ranges *subtrees,
                               struct ranges *events, struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(
        warehouse, "SELECT id FROM gpu_event WHERE id BETWEEN ?1 AND ?2 ORDER BY id", error);
    bool done = row != NULL;
    for (size_t i = 0; done && i < subtrees->count; i++) {
        sqlite3_bind_int64(row, 1, subtrees->items[i].first);
        sqlite3_bind_int64(row, 2, subtrees->items[i].last);
        while (warehouse_next(warehouse, row, &done, error)) {
            int64_t id = sqlite3_column_int64(row, 0);
            ranges_add(events, id, id);
        }
        sqlite3_reset(row);
    }
    database_finalize(row);
    return done;
}

bool condition_events(struct warehouse *warehouse, const char *condition, struct ranges *events,
                      struct error *error)
{
    sqlite3_stmt *row = NULL;
    struct ranges subtrees = {0};
    bool done = condition_prepare(warehouse, condition, &row, error);
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0), last = sqlite3_column_int64(row, 1);
        ranges_add(events, id, id);
        if (last != id) {
            const char *role = (const char *)sqlite3_column_text(row, 2);
            if (role && strcmp(role, "gpu") != 0)
                ranges_add(&subtrees, id, last);
        }
    }
    if (done && result != SQLITE_DONE)
        done = condition_fail(warehouse, condition, error);
    database_finalize(row);
    warehouse_guard_text(warehouse, TEXT_OWN);
    ranges_settle(&subtrees);
    if (done)
        done = condition_add_work(warehouse, &subtrees, events, error);
    ranges_settle(events);
    array_free(&subtrees);
    return done;
}
