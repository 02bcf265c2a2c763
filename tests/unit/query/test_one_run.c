/* What a statement is about: one run where the condition on it reaches all that is read, and else
 * everything. */
#include "query/select/one_run.h"

#include "sql/catalog.h"
#include "tests/unit/sample.h"
#include "tests/unit/support.h"

#include <stdio.h>
#include <string.h>

static struct warehouse warehouse;
static struct one_run one_run;

static const char *run_of(const char *sql)
{
    struct error error = {0};
    sqlite3_stmt *statement = warehouse_prepare(&warehouse, sql, &error);
    if (!statement)
        fail_msg("%s", error.text);
    assert_true(one_run_select(&one_run, &warehouse, statement, &error));
    sqlite3_finalize(statement);
    assert_int_equal(warehouse.context->is_selected, one_run.run != NULL);
    return one_run.run ? one_run.run : "";
}

static void assert_run(const char *sql, const char *run)
{
    const char *found = run_of(sql);
    if (strcmp(found, run) != 0)
        fail_msg("%s\nis about '%s', not '%s'", sql, found, run);
}

static void each_view_can_be_asked_for_one_run(void **state)
{
    (void)state;
    doc_list docs = {0};
    size_t views = 0;
    assert_true(docs_read(sql_files, sql_file_count, &docs));
    for (size_t i = 0; i < docs.count; i++) {
        const struct doc_object *view = &docs.items[i];
        const char *unit = docs_declared(view, "unit");
        bool is_pair = unit && strcmp(unit, "pair") == 0;
        bool is_across = is_pair || docs_declared(view, "across-runs");
        char sql[300];
        if (!view->is_view || !docs_column(view, "run"))
            continue;
        snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE run = 'b'", view->name);
        assert_run(sql, is_across ? "" : "b");
        snprintf(sql, sizeof sql, "SELECT * FROM %s", view->name);
        assert_run(sql, "");
        views++;
    }
    assert_true(views > 200);
    docs_free(&docs);
}

static void all_that_is_read_must_be_of_the_run(void **state)
{
    static const struct {
        const char *sql, *run;
    } cases[] = {
        {"SELECT sum(dur_ns) FROM gpu_slice WHERE run = 'b' AND stream = 7", "b"},
        {"SELECT count(*) FROM gpu_slice WHERE 'a' = run", "a"},
        {"SELECT count(*) FROM gpu_slice WHERE run = 'a' OR run = 'b'", ""},
        {"SELECT count(*) FROM gpu_slice WHERE run = 'a' OR stream = 7", ""},
        {"SELECT count(*) FROM gpu_slice WHERE run IN ('a', 'b')", ""},
        {"SELECT count(*) FROM gpu_slice WHERE run = 'A' COLLATE NOCASE", ""},
        {"SELECT count(*) FROM gpu_slice WHERE run <> 'a'", ""},
        {"SELECT count(*) FROM gpu_slice WHERE NOT run = 'a'", ""},
        {"SELECT count(*) FILTER (WHERE run = 'a') FROM gpu_slice", ""},
        {"SELECT run = 'a', count(*) FROM gpu_slice GROUP BY 1", ""},
        {"SELECT count(*) FROM gpu_slice WHERE run = (SELECT name FROM run LIMIT 1)", ""},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y ON y.run = 'a' WHERE x.run = 'a'",
         "a"},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y ON y.id = x.id WHERE x.run = 'a'",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x LEFT JOIN slice AS y ON x.run = 'a'", ""},
        {"SELECT * FROM gpu_timeline WHERE run = 'a' UNION ALL SELECT * FROM gpu_timeline WHERE "
         "run = 'a'",
         "a"},
        {"SELECT * FROM gpu_timeline WHERE run = 'a' UNION ALL SELECT * FROM gpu_timeline WHERE "
         "run = 'b'",
         ""},
        {"SELECT * FROM (SELECT run, count(*) AS n FROM gpu_slice GROUP BY run) WHERE run = 'b'",
         "b"},
        {"WITH all_of AS MATERIALIZED (SELECT run, name FROM gpu_slice) SELECT * FROM all_of WHERE "
         "run = 'b'",
         ""},
        {"SELECT * FROM gpu_timeline WHERE run = 'b' AND trace_id IN (SELECT trace_id FROM scope)",
         ""},
        {"SELECT * FROM gpu_timeline WHERE run = 'b' AND trace_id IN (SELECT trace_id FROM scope "
         "WHERE run = 'b')",
         "b"},
        {"SELECT * FROM trace JOIN run ON run.id = run_id WHERE run.name = 'a'", ""},
        {"SELECT * FROM gpu_timeline JOIN run ON run.name = gpu_timeline.run WHERE "
         "gpu_timeline.run = 'b'",
         "b"},
        {"SELECT count(*) FROM gpu_slice WHERE run = 'lost'", "lost"},
        /* by way of another table */
        {"SELECT count(*) FROM gpu_slice AS x, slice AS y WHERE x.run = 'a' AND y.run = x.run",
         "a"},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y USING (run) WHERE run = 'a'", "a"},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y ON x.run = y.run AND x.id = y.id "
         "JOIN gpu_timeline AS z ON z.run = y.run WHERE z.run = 'b'",
         "b"},
        {"SELECT count(*) FROM gpu_slice AS x LEFT JOIN slice AS y ON y.run = x.run AND y.id = "
         "x.id WHERE x.run = 'a'",
         "a"},
        {"SELECT count(*) FROM gpu_slice AS x LEFT JOIN slice AS y ON y.run = x.run AND x.run = "
         "'a'",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x LEFT JOIN slice AS y ON y.run <> x.run WHERE x.run = "
         "'a'",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y ON y.run = x.name WHERE x.run = 'a'",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y ON y.run = x.run || '' WHERE x.run = "
         "'a'",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y ON y.run = lower(x.run) WHERE x.run "
         "= 'a'",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x JOIN slice AS y ON y.run = x.run COLLATE NOCASE "
         "WHERE x.run = 'a'",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x WHERE x.run = 'a' AND NOT EXISTS (SELECT 1 FROM "
         "slice AS y WHERE y.run = x.run AND y.name = x.name)",
         "a"},
        {"SELECT count(*) FROM gpu_slice AS x WHERE x.run = 'a' AND NOT EXISTS (SELECT 1 FROM "
         "slice AS y WHERE y.run = 'b' AND y.name = x.name)",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x WHERE x.run = 'a' AND x.name IN (SELECT name FROM "
         "slice)",
         ""},
        {"SELECT (SELECT count(*) FROM slice AS y WHERE y.run = x.run) FROM gpu_slice AS x WHERE "
         "x.run = 'a'",
         "a"},
        {"SELECT (SELECT count(*) FROM slice) FROM gpu_slice AS x WHERE x.run = 'a'", ""},
        {"WITH one AS (SELECT run, name FROM gpu_slice), other AS (SELECT run, name FROM slice) "
         "SELECT count(*) FROM one JOIN other USING (run, name) WHERE one.run = 'a'",
         "a"},
        {"SELECT count(*) FROM (SELECT run AS r, name FROM gpu_slice) WHERE r = 'a'", "a"},
        {"SELECT count(*) FROM gpu_slice AS x, slice AS y WHERE (x.run = 'a' AND y.run = 'a') OR "
         "(x.run = 'b' AND y.run = 'b')",
         ""},
        {"SELECT count(*) FROM gpu_slice AS x, slice AS y WHERE x.run = y.run", ""},
        {"SELECT count(*) FROM gpu_slice WHERE run = 'a' AND run = 'b'", "a"},
        {"SELECT count(*) FROM gpu_slice WHERE run = NULL", ""},
        {"SELECT count(*) FROM gpu_slice AS x JOIN json_each('[\"a\"]') AS j ON x.run = j.value",
         ""},
        {"EXPLAIN SELECT count(*) FROM gpu_slice WHERE run = 'a'", ""},
        {"SELECT count(*) FROM gpu_slice AS x, slice AS y WHERE x.run = 'a' AND y.run = 'a'", "a"},
        /* views of a user's */
        {"SELECT count(*) FROM own WHERE run = 'a'", "a"},
        {"SELECT count(*) FROM own", ""},
        {"SELECT count(*) FROM own AS x JOIN own_2 AS y USING (run) WHERE x.run = 'a'", "a"},
        {"SELECT n FROM own_2 WHERE run = 'b'", "b"},
        {"SELECT * FROM own_rank WHERE run = 'b'", ""},
        {"SELECT * FROM own_all WHERE run = 'b'", ""},
        {"SELECT count(*) FROM diff_gpu WHERE run = 'a'", ""},
        {"SELECT change_us FROM fleet_history WHERE run = 'b'", ""}, /* from the run before */
    };
    (void)state;
    assert_int_equal(
        sqlite3_exec(warehouse.db,
                     "CREATE VIEW own AS SELECT run FROM gpu_slice;"
                     "CREATE VIEW own_2 AS SELECT run, count(*) AS n FROM own GROUP BY run;"
                     "CREATE VIEW own_rank AS SELECT run, row_number() OVER (ORDER BY dur_ns) FROM "
                     "gpu_slice;"
                     "CREATE VIEW own_all AS SELECT 'b' AS run, count(*) FROM gpu_slice;",
                     NULL, NULL, NULL),
        SQLITE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_run(cases[i].sql, cases[i].run);
}

static void values_of_parameters_count(void **state)
{
    (void)state;
    struct error error = {0};
    sqlite3_stmt *statement =
        warehouse_prepare(&warehouse, "SELECT * FROM gpu_timeline WHERE run = :x", &error);
    assert_non_null(statement);
    sqlite3_bind_text(statement, 1, "b", -1, SQLITE_STATIC);
    assert_true(one_run_select(&one_run, &warehouse, statement, &error));
    assert_string_equal(one_run.run, "b");
    char *rows = query_text(warehouse.db, "SELECT DISTINCT run FROM scope");
    assert_string_equal(rows, "b");
    free(rows);
    sqlite3_finalize(statement);
}

/* A name of ours that stands for something else now is not known. */
static void what_stands_in_front_is_not_known(void **state)
{
    (void)state;
    assert_int_equal(sqlite3_exec(warehouse.db,
                                  "DROP VIEW IF EXISTS temp.gpu_timeline; CREATE TEMP VIEW "
                                  "gpu_timeline AS SELECT 'a' AS run FROM scope",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_run("SELECT * FROM gpu_timeline WHERE run = 'a'", "");
    sqlite3_exec(warehouse.db, "DROP VIEW temp.gpu_timeline", NULL, NULL, NULL);
}

static void assert_traces(const char *count)
{
    static const char sql[] = "SELECT count(DISTINCT trace_id) FROM scope WHERE run = 'a'";
    assert_run(sql, "a");
    char *found = query_text(warehouse.db, sql);
    assert_string_equal(found, count);
    free(found);
}

static void traces_that_came_in_since_are_selected(void **state)
{
    (void)state;
    assert_traces("1");
    store_sample(&warehouse, "a", "later");
    assert_traces("2");
    assert_int_equal(sqlite3_exec(warehouse.db, "DELETE FROM trace WHERE id = 3", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_traces("1");
}

static int open_runs(void **state)
{
    (void)state;
    struct error error = {0};
    if (!warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &error))
        return -1;
    store_sample(&warehouse, "a", "a");
    store_sample(&warehouse, "b", "b");
    return 0;
}

static int close_runs(void **state)
{
    (void)state;
    one_run_free(&one_run);
    warehouse_close(&warehouse);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_view_can_be_asked_for_one_run),
    cmocka_unit_test(all_that_is_read_must_be_of_the_run),
    cmocka_unit_test(values_of_parameters_count),
    cmocka_unit_test(what_stands_in_front_is_not_known),
    cmocka_unit_test(traces_that_came_in_since_are_selected),
};
GROUP(one_run, open_runs, close_runs)
