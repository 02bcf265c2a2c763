/* belongings: see belongings.h. */
#include "sql/belongings.h"

/* All foreign keys of stored columns. `pk` is the place of the column in its table's key. */
#define REFERENCES                                                                          \
    "reference(child, name, pk, parent) AS (SELECT t.name, c.name, c.pk, f.\"table\" "      \
    "FROM main.sqlite_schema AS t JOIN pragma_foreign_key_list(t.name, 'main') AS f "       \
    "JOIN pragma_table_xinfo(t.name, 'main') AS c ON c.name = f.\"from\" AND c.hidden = 0 " \
    "WHERE t.type = 'table')"

/* The events of a trace are a range of ids; so are rows whose key begins with the id of one. Of
 * several ways to a trace the shortest is taken. */
#define OWNED                                                                               \
    REFERENCES                                                                              \
    ", by_event(name, key) AS (SELECT 'event', 'id' UNION ALL "                             \
    "SELECT child, name FROM reference WHERE parent = 'event' AND pk = 1), "                \
    "ways(name, condition, depth) AS (SELECT 'trace', 'id = ?1', 0 UNION "                  \
    "SELECT child, coalesce((SELECT format('\"%w\" BETWEEN (SELECT first_event FROM trace " \
    "WHERE id = ?1) AND (SELECT last_event FROM trace WHERE id = ?1)', key) FROM by_event " \
    "WHERE by_event.name = child), format('\"%w\" = ?1', name)), 1 FROM reference "         \
    "WHERE parent = 'trace' UNION "                                                         \
    "SELECT child, format('\"%w\" IN (SELECT id FROM \"%w\" WHERE %s)', reference.name, "   \
    "parent, condition), depth + 1 FROM ways JOIN reference ON parent = ways.name "         \
    "WHERE depth BETWEEN 1 AND 8 AND child <> parent AND child NOT IN "                     \
    "(SELECT child FROM reference WHERE parent = 'trace')), "                               \
    "owned(name, condition, depth) AS (SELECT name, condition, min(depth) FROM ways "       \
    "GROUP BY name)"

/* What traces share, each before what it refers to. Other such tables, like the kinds of events,
 * are few rows that stay. A row of a table that has a shared row in its key dies with it; all
 * other references keep what they refer to. */
#define SHARED                                                                         \
    OWNED ", shared(name, place) AS (VALUES ('op', 1), ('args', 2), ('string', 3)), "  \
          "part(child, name, parent) AS (SELECT child, name, parent FROM reference "   \
          "WHERE parent IN (SELECT name FROM shared) AND pk AND child NOT IN "         \
          "(SELECT name FROM owned)), "                                                \
          "keeper(child, name, parent) AS (SELECT child, name, parent FROM reference " \
          "WHERE parent IN (SELECT name FROM shared) EXCEPT SELECT child, name, parent FROM part)"

const char belongings_of_trace[] =
    "WITH RECURSIVE " OWNED " SELECT name, condition FROM owned ORDER BY depth DESC, name";

const char belongings_references[] =
    "WITH RECURSIVE " SHARED " SELECT child, name, parent FROM keeper ORDER BY child, name";

/* Those that lead through others first, the trace last. */
static const char deletions_of_trace[] =
    "WITH RECURSIVE " OWNED " SELECT format('DELETE FROM \"%w\" WHERE %s', name, condition) "
    "FROM owned ORDER BY depth = 0, depth DESC, name";

static const char deletions_of_run[] =
    "WITH " REFERENCES " SELECT format('DELETE FROM \"%w\" WHERE \"%w\" = ?1', child, name) "
    "FROM reference WHERE parent = 'run' AND child <> 'trace' "
    "UNION ALL SELECT 'DELETE FROM run WHERE id = ?1'";

static const char cleaning[] =
    "WITH RECURSIVE " SHARED " SELECT sql FROM ("
    "SELECT place, 0 AS is_part, format('DELETE FROM %s WHERE id NOT IN (%s)', shared.name, "
    "group_concat(format('SELECT \"%w\" FROM \"%w\" WHERE \"%w\" IS NOT NULL', keeper.name, child, "
    "keeper.name), ' UNION ')) AS sql FROM shared JOIN keeper ON parent = shared.name "
    "GROUP BY shared.name UNION ALL "
    "SELECT place, 1, format('DELETE FROM \"%w\" WHERE \"%w\" NOT IN (SELECT id FROM %s)', child, "
    "part.name, parent) FROM part JOIN shared ON shared.name = parent) ORDER BY place, is_part";

static bool run(struct warehouse *warehouse, const char *sql, int64_t value, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, error);
    if (!statement)
        return false;
    if (sqlite3_bind_parameter_count(statement))
        sqlite3_bind_int64(statement, 1, value);
    bool done = sqlite3_step(statement) == SQLITE_DONE || warehouse_error(warehouse, error);
    sqlite3_finalize(statement);
    return done;
}

/* Runs the statements that a query gives, which may ask for a value. */
static bool run_all(struct warehouse *warehouse, const char *query, int64_t value,
                    struct error *error)
{
    sqlite3_stmt *statements = warehouse_prepare(warehouse, query, error);
    bool done = statements != NULL;
    while (warehouse_next(warehouse, statements, &done, error)) {
        const char *sql = (const char *)sqlite3_column_text(statements, 0);
        done = sql ? run(warehouse, sql, value, error) : error_memory(error);
    }
    sqlite3_finalize(statements);
    return done;
}

bool belongings_delete_trace(struct warehouse *warehouse, int64_t trace_id, struct error *error)
{
    return run_all(warehouse, deletions_of_trace, trace_id, error);
}

bool belongings_delete_run(struct warehouse *warehouse, int64_t run_id, struct error *error)
{
    return run_all(warehouse, deletions_of_run, run_id, error);
}

bool belongings_clean(struct warehouse *warehouse, struct error *error)
{
    return run_all(warehouse, cleaning, 0, error);
}
