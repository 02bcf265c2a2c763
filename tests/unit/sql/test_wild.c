/* A warehouse of somebody else may say anything: with values of any type in each of its columns,
 * and views and triggers that tpq did not make, reports end with an answer or a sentence about the
 * file. The sanitizers see the rest; tests/fuzz/fuzz_warehouse.c does what nobody thought of. */
#include "sql/warehouse/opening.h"
#include "tests/unit/sample.h"
#include "tests/unit/support.h"

#include "sql/database.h"

#include <string.h>

static const char *const wild_numbers[] = {
    "9223372036854775807", "-9223372036854775807 - 1", "5000000000", "NULL", "'x'", NULL};
static const char *const wild_texts[] = {"NULL", "x'00'", "1", NULL};
static const char *const reports[] = {"gpu_timeline",         "ops_summary", "kernel_launchers",
                                      "unified_perf_summary", "idle_causes", "ranks_collectives"};

enum { REPORT_COUNT = sizeof reports / sizeof *reports };

static sqlite3 *db;
static sqlite3_stmt *prepared[REPORT_COUNT]; /* SQLite prepares them again when tables change */

static void forget_reports(void)
{
    for (size_t i = 0; i < REPORT_COUNT; i++) {
        database_finalize(prepared[i]);
        prepared[i] = NULL;
    }
}

/* Whatever the answer is, the report ends, and memory is not what lacks. */
static void run_report(size_t i, const char *what)
{
    int result = SQLITE_OK;
    if (!prepared[i]) {
        char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", reports[i]);
        result = database_prepare(db, sql, &prepared[i], NULL);
        sqlite3_free(sql);
    }
    while (result == SQLITE_OK || result == SQLITE_ROW)
        result = sqlite3_step(prepared[i]);
    if (result == SQLITE_MISUSE || result == SQLITE_INTERNAL || result == SQLITE_NOMEM)
        fail_msg("%s: %s after %s", reports[i], sqlite3_errmsg(db), what);
    sqlite3_reset(prepared[i]);
}

/* Cells are changed in tables that have some. */
static void run_reports_after(const char *what, bool of_cells)
{
    run_sql(db, "BEGIN");
    bool done = sqlite3_exec(db, what, NULL, NULL, NULL) == SQLITE_OK;
    assert_true(done || of_cells);
    if (done && (!of_cells || sqlite3_changes(db)))
        for (size_t i = 0; i < REPORT_COUNT; i++)
            run_report(i, what);
    if (!of_cells)
        forget_reports();
    if (!sqlite3_get_autocommit(db)) /* what is malformed is rolled back already */
        run_sql(db, "ROLLBACK");
}

/* A warehouse whose tables take anything. */
static void open_relaxed(struct warehouse *warehouse)
{
    char *path = memory_text(scratch_path("wild.tpq"));
    scratch_warehouse(warehouse, "wild.tpq");
    store_sample(warehouse, "run", "k");
    store_sample(warehouse, "other", "l");
    db = warehouse->db;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    run_sql(db, "PRAGMA writable_schema = on;"
                "UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ') STRICT, ', ') '), "
                "') STRICT', ')'), ' NOT NULL', '') WHERE type = 'table'");
    warehouse_close(warehouse);
    struct error error;
    opening_trust(true);
    assert_true(warehouse_open(warehouse, path, WAREHOUSE_WRITE, 0, &error));
    opening_trust(false);
    memory_free(path);
    db = warehouse->db;
    run_sql(db, "PRAGMA ignore_check_constraints = ON;PRAGMA foreign_keys = OFF");
}

static void values_of_somebody_else(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_relaxed(&warehouse);
    sqlite3_stmt *columns = NULL;
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT t.name, c.name, c.type FROM pragma_table_list AS t, "
                           "pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.schema = "
                           "'main' ORDER BY 1, 2",
                           -1, &columns, NULL),
        SQLITE_OK);
    while (sqlite3_step(columns) == SQLITE_ROW) {
        bool is_text = strcmp((const char *)sqlite3_column_text(columns, 2), "TEXT") == 0;
        for (const char *const *value = is_text ? wild_texts : wild_numbers; *value; value++) {
            char *sql = sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s",
                                        sqlite3_column_text(columns, 0),
                                        sqlite3_column_text(columns, 1), *value);
            run_reports_after(sql, true);
            sqlite3_free(sql);
        }
    }
    database_finalize(columns);
    forget_reports();
    warehouse_close(&warehouse);
}

/* A view that was replaced, one that is about itself, a table that became a view, and triggers
 * where nothing is written. */
static void views_and_triggers_of_somebody_else(void **state)
{
    static const char *const changes[] = {
        "DROP VIEW IF EXISTS gpu_slice; CREATE VIEW gpu_slice AS SELECT 1 AS x",
        "DROP VIEW IF EXISTS launcher_phase; CREATE VIEW launcher_phase AS SELECT * FROM gpu_slice",
        "DROP VIEW IF EXISTS slice; CREATE VIEW slice AS SELECT * FROM slice",
        "DROP VIEW IF EXISTS run_rank; CREATE TABLE run_rank (run, rank, trace_id)",
        "DROP TABLE string",
        "DELETE FROM string",
        "DELETE FROM op",
        "DELETE FROM event WHERE id % 2",
        "ALTER TABLE op RENAME TO o; CREATE VIEW op AS SELECT id, 'x' AS name_id FROM o",
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN SELECT RAISE(ABORT, 'no'); END",
    };
    (void)state;
    struct warehouse warehouse;
    open_relaxed(&warehouse);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        run_reports_after(changes[i], false);
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_of_somebody_else),
    cmocka_unit_test(views_and_triggers_of_somebody_else),
};
GROUP(wild, NULL, NULL)
