/* A warehouse of somebody else may say anything: with values in each of its columns, one at a time,
 * that no trace gives, reports end with an answer or a sentence. The sanitizers see the rest. */
#include "tests/unit/sample.h"
#include "tests/unit/support.h"

#include <string.h>

static const char *const wild[] = {"9223372036854775807", "-9223372036854775807 - 1", "NULL"};
static const char *const reports[] = {"gpu_timeline",         "ops_summary", "kernel_launchers",
                                      "unified_perf_summary", "idle_causes", "ranks_collectives"};

static sqlite3 *db;

/* Whatever the answer is, the report ends. */
static void run_report(const char *name, const char *what)
{
    sqlite3_stmt *rows = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
    int result = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
    while (result == SQLITE_OK || result == SQLITE_ROW)
        result = sqlite3_step(rows);
    if (result == SQLITE_MISUSE || result == SQLITE_INTERNAL)
        fail_msg("%s: %s after %s", name, sqlite3_errmsg(db), what);
    sqlite3_finalize(rows);
    sqlite3_free(sql);
}

static void run_reports_after(const char *what)
{
    run_sql(db, "BEGIN");
    if (sqlite3_exec(db, what, NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(db))
        for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
            run_report(reports[i], what);
    if (!sqlite3_get_autocommit(db)) /* what is malformed is rolled back already */
        run_sql(db, "ROLLBACK");
}

static void values_of_somebody_else(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "wild.tpq");
    store_sample(&warehouse, "run", "k");
    store_sample(&warehouse, "other", "l");
    db = warehouse.db;
    run_sql(db, "PRAGMA ignore_check_constraints = ON");
    run_sql(db, "PRAGMA foreign_keys = OFF");
    sqlite3_stmt *columns = NULL;
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT t.name, c.name FROM pragma_table_list AS t, "
                           "pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.schema = "
                           "'main' AND c.type = 'INTEGER' AND t.name IN ('run', 'trace', 'track', "
                           "'event', 'gpu_event', 'link', 'collective', 'op_signature', 'counter', "
                           "'memory_event') ORDER BY 1, 2",
                           -1, &columns, NULL),
        SQLITE_OK);
    while (sqlite3_step(columns) == SQLITE_ROW)
        for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
            char *sql = sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s",
                                        sqlite3_column_text(columns, 0),
                                        sqlite3_column_text(columns, 1), wild[i]);
            run_reports_after(sql);
            sqlite3_free(sql);
        }
    sqlite3_finalize(columns);
    warehouse_close(&warehouse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_somebody_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
