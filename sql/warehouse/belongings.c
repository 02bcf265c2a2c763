/* belongings: A recursive query over all foreign keys of stored columns writes the statements;
 * run_all carries them out. */
#include "sql/warehouse/belongings.h"

#include "sql/database.h"
#include "sql/warehouse/belongings.sql.h"

char *belongings_query(const char *tail)
{
    return database_format("%s %s", tables_of_traces, tail);
}

sqlite3_stmt *belongings_merging(struct warehouse *warehouse, struct error *error)
{
    char *sql = belongings_query(merging);
    sqlite3_stmt *steps = warehouse_prepare(warehouse, sql, error);
    memory_free(sql);
    return steps;
}

/* Runs the statements that a query gives, which may ask for a value. */
static bool run_all(struct warehouse *warehouse, const char *tail, int64_t value,
                    struct error *error)
{
    char *sql = belongings_query(tail);
    sqlite3_stmt *statements = warehouse_prepare(warehouse, sql, error);
    memory_free(sql);
    int64_t ignored;
    bool done = statements != NULL;
    while (warehouse_next(warehouse, statements, &done, error))
        done = warehouse_ask(warehouse, database_text(statements, 0), value, &ignored, error);
    database_finalize(statements);
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
