/* The catalog: rows shipped with tpq follow the program, rows of the user stay and win, and the
 * tables of reports say what their files say. */
#include "tests/unit/support.h"

#include "sql/docs.h"
#include "sql/warehouse/catalog.h"
#include "sql/warehouse/schema.h"

#include <stdlib.h>
#include <string.h>

static int64_t count_of(sqlite3 *db, const char *source)
{
    char *sql = sqlite3_mprintf(
        "SELECT (SELECT count(*) FROM op_category WHERE source = %Q) + (SELECT count(*) FROM "
        "kernel_category WHERE source = %Q) + (SELECT count(*) FROM deviation WHERE source = %Q) + "
        "(SELECT count(*) FROM report WHERE source = %Q) + (SELECT count(*) FROM report_column "
        "WHERE source = %Q)",
        source, source, source, source, source);
    int64_t count = query_integer(db, sql);
    sqlite3_free(sql);
    return count;
}

static void remake(struct warehouse *warehouse)
{
    struct error error = {0};
    run_sql(warehouse->db, "UPDATE setting SET value = 'older' WHERE name = 'views'");
    if (!views_remake(warehouse->db, false, &error))
        fail_msg("%s", error.text);
}

static void what_is_shipped_is_made_again(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "shipped.db");
    int64_t count = count_of(warehouse.db, "tpq");
    assert_true(count > 300);
    run_sql(warehouse.db,
            "UPDATE op_category SET category = 'old' WHERE op = 'aten::miopen_convolution';"
            "DELETE FROM op_category WHERE op = 'aten::cudnn_convolution';"
            "INSERT INTO op_category (op, category, source) VALUES ('gone', 'x', 'tpq');"
            "UPDATE kernel_category SET pattern = 'x' WHERE purpose = 'timeline';"
            "DELETE FROM report_column; DELETE FROM report WHERE name = 'gpu_timeline'");
    remake(&warehouse);
    assert_int_equal(count_of(warehouse.db, "tpq"), count);
    assert_query(warehouse.db,
                 "SELECT op, category FROM op_category WHERE op IN ('aten::miopen_convolution', "
                 "'aten::cudnn_convolution', "
                 "'gone') ORDER BY op",
                 "aten::cudnn_convolution|CONV_fwd\naten::miopen_convolution|CONV_fwd");
    assert_query(warehouse.db, "SELECT count(*) FROM kernel_category WHERE pattern = 'x'", "0");
    warehouse_close(&warehouse);
}

static void rows_of_the_user_stay_and_win(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "user.db");
    int64_t count = count_of(warehouse.db, "tpq");
    run_sql(warehouse.db,
            "INSERT OR REPLACE INTO op_category (op, category) VALUES ('aten::miopen_convolution', "
            "'MINE');"
            "INSERT INTO op_category (op, category, is_prefix) VALUES ('my', 'MINE', 1);"
            "INSERT OR REPLACE INTO kernel_category (purpose, priority, pattern, category) VALUES "
            "('timeline', 50, 'mine', 'computation'), ('timeline', 5, '^copy', 'memcpy')");
    for (int i = 0; i < 2; i++) {
        remake(&warehouse);
        assert_int_equal(count_of(warehouse.db, "user"), 4);
        assert_int_equal(count_of(warehouse.db, "tpq"), count - 2);
        assert_query(
            warehouse.db,
            "SELECT category FROM op_category WHERE op IN ('aten::miopen_convolution', 'my')",
            "MINE\nMINE");
        assert_query(warehouse.db,
                     "SELECT priority, pattern FROM kernel_category WHERE source = 'user'",
                     "5|^copy\n50|mine");
    }
    /* without it the shipped row is back */
    run_sql(warehouse.db, "DELETE FROM op_category WHERE op = 'aten::miopen_convolution'");
    remake(&warehouse);
    assert_query(warehouse.db,
                 "SELECT category, source FROM op_category WHERE op = 'aten::miopen_convolution'",
                 "CONV_fwd|tpq");
    warehouse_close(&warehouse);
}

static void a_catalog_for_the_connection_leaves_the_file_alone(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "here.db");
    int64_t count = count_of(warehouse.db, "tpq");
    run_sql(warehouse.db,
            "DELETE FROM op_category WHERE op IN ('aten::miopen_convolution', "
            "'aten::cudnn_convolution');"
            "INSERT INTO op_category (op, category) VALUES ('aten::miopen_convolution', 'MINE');"
            "DELETE FROM deviation; DELETE FROM report_column; DELETE FROM report");
    run_sql(warehouse.db, "UPDATE setting SET value = 'older' WHERE name = 'views'");
    if (!views_remake(warehouse.db, true, &error))
        fail_msg("%s", error.text);
    assert_int_equal(count_of(warehouse.db, "tpq"), count - 1);
    assert_int_equal(count_of(warehouse.db, "user"), 1);
    assert_query(warehouse.db,
                 "SELECT op, category FROM op_category WHERE op IN ('aten::miopen_convolution', "
                 "'aten::cudnn_convolution') "
                 "ORDER BY op",
                 "aten::cudnn_convolution|CONV_fwd\naten::miopen_convolution|MINE");
    assert_query(warehouse.db,
                 "SELECT count(*) FROM main.op_category WHERE op = 'aten::cudnn_convolution'", "0");
    assert_query(warehouse.db, "SELECT count(*) FROM main.report", "0");
    warehouse_close(&warehouse);
}

/* They change the answers at once, without another ingest. */
static void rows_of_the_user_are_asked(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "asked.db");
    store_text(
        &warehouse, "r",
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"my::op\",\"pid\":1,"
        "\"tid\":1,\"ts\":0,\"dur\":9},{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
        "\"launch\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"correlation\":1}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"copy_it\",\"pid\":0,\"tid\":7,\"ts\":20,"
        "\"dur\":5,\"args\":{\"correlation\":1}}]}");
    static const char question[] =
        "SELECT (SELECT category FROM launcher_work), (SELECT class FROM work_class)";
    assert_query(warehouse.db, question, "memory|computation");
    run_sql(warehouse.db,
            "INSERT INTO op_category (op, category, is_prefix) VALUES ('my', 'A', 1)");
    assert_query(warehouse.db, question, "A|computation");
    run_sql(warehouse.db,
            "INSERT INTO op_category (op, category, is_prefix) VALUES ('my::', 'B', 1);"
            "INSERT INTO kernel_category (purpose, priority, pattern, category) VALUES "
            "('timeline', 5, '^copy', 'memcpy')");
    assert_query(warehouse.db, question, "B|memcpy");
    run_sql(warehouse.db, "INSERT INTO op_category (op, category) VALUES ('my::op', 'C');"
                          "UPDATE kernel_category SET kind = 'gpu_memset' WHERE priority = 5");
    assert_query(warehouse.db, question, "C|computation");
    warehouse_close(&warehouse);
}

static void reports_are_as_their_files_say(void **state)
{
    (void)state;
    struct warehouse warehouse;
    doc_list docs = {0};
    scratch_warehouse(&warehouse, "reports.db");
    docs_read(sql_files, sql_file_count, &docs);
    int64_t reports = 0;
    for (size_t i = 0; i < docs.count; i++) {
        const struct doc_object *object = &docs.items[i];
        if (!catalog_is_report(object))
            continue;
        reports++;
        /* every column of the view is in the catalog, in its order */
        char *sql = sqlite3_mprintf(
            "SELECT count(*) FROM (SELECT cid + 1 AS position, name FROM pragma_table_info(%Q) "
            "EXCEPT SELECT position, name FROM report_column WHERE report = %Q)",
            object->name, object->name);
        if (query_integer(warehouse.db, sql) != 0)
            fail_msg("%s: a column without words", object->name);
        sqlite3_free(sql);
        const char *unit = docs_declared(object, "unit");
        assert_true(!unit || strcmp(unit, "trace") == 0 || strcmp(unit, "run") == 0 ||
                    strcmp(unit, "pair") == 0);
    }
    assert_int_equal(query_integer(warehouse.db, "SELECT count(*) FROM report"), reports);
    assert_query(warehouse.db,
                 "SELECT set_name, sheet, alias, position, unit, shown FROM report WHERE name = "
                 "'short_kernel_histogram'",
                 "pytorch|short_kernel_histogram|short_kernels_histogram|70|trace|"
                 "short-kernel-study");
    assert_query(warehouse.db,
                 "SELECT name, heading, unit FROM report_column WHERE report = 'gpu_timeline' AND "
                 "position IN (4, 5)",
                 "time_ms|time ms|ms\npercent|percent|%");
    /* sheets and aliases must not be mistaken for each other */
    assert_query(warehouse.db,
                 "SELECT a.name FROM report AS a JOIN report AS b ON a.name <> b.name AND "
                 "a.set_name = b.set_name AND (b.alias = a.name OR b.alias = a.alias OR "
                 "b.sheet = a.sheet)",
                 "");
    docs_free(&docs);
    warehouse_close(&warehouse);
}

/* A rule of which nobody knows what it would match is a mistake. */
static void patterns_are_understood(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "patterns.db");
    assert_int_equal(query_integer(warehouse.db, "SELECT count('' REGEXP pattern) - count(*) FROM "
                                                 "kernel_category"),
                     0);
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_shipped_is_made_again),
    cmocka_unit_test(rows_of_the_user_stay_and_win),
    cmocka_unit_test(a_catalog_for_the_connection_leaves_the_file_alone),
    cmocka_unit_test(rows_of_the_user_are_asked),
    cmocka_unit_test(reports_are_as_their_files_say),
    cmocka_unit_test(patterns_are_understood),
};
GROUP(catalog, NULL, NULL)
