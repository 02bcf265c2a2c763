/* Frozen tables: their names, that their values stay as they are, and that no other table or view
 * is ever replaced. */
#include "tests/unit/support.h"

#include "query/sink/forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define TEXT(literal) {.type = CELL_TEXT, .text = VIEW_OF(literal)}
#define INTEGER(value) {.type = CELL_INTEGER, .integer = (value)}
#define REAL(value) {.type = CELL_REAL, .real = (value)}
#define EMPTY {.type = CELL_NULL}
/* clang-format on */

static const struct column columns[] = {
    {.name = "name", .heading = "Name", .unit = ""},
    {.name = "Time \"us\"", .heading = "time", .unit = "us"},
    {.name = "NAME", .heading = "again", .unit = ""},
};
static const struct cell rows[][3] = {
    {TEXT("a\0b"), REAL(3.0), INTEGER(9007199254740993)},
    {TEXT("12"), EMPTY, TEXT("")},
};
static const struct sheet ops = {.name = "ops", .columns = columns, .column_count = 3};

/* What is said of them; tests set it. */
static struct identity *about;

static bool freeze(sqlite3 *db, const struct sheet *sheets, size_t count, struct error *error)
{
    *error = (struct error){0};
    struct sink *sink = sink_tables(&(struct sink_target){.db = db, .identity = about}, error);
    assert_non_null(sink);
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        done = sink->begin(sink, &sheets[i], error);
        for (size_t row = 0; row < 2 && done; row++)
            done = sink->row(sink, rows[row], error);
        done = done && sink->end(sink, error);
    }
    done = done && sink_finish(sink, error);
    sink_free(sink);
    return done;
}

static void assert_frozen(sqlite3 *db, const struct sheet *sheets, size_t count)
{
    struct error error;
    run_sql(db, "BEGIN");
    if (!freeze(db, sheets, count, &error))
        fail_msg("%s", error.text);
    run_sql(db, "COMMIT");
}

static sqlite3 *open_memory(void)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    return db;
}

static void values_stay_as_they_are(void **state)
{
    (void)state;
    sqlite3 *db = open_memory();
    assert_frozen(db, &ops, 1);
    assert_query(
        db,
        "SELECT hex(name), typeof(name), \"Time \"\"us\"\"\", typeof(\"Time \"\"us\"\"\"), "
        "NAME_2, typeof(NAME_2) FROM frozen_ops",
        "610062|text|3.0|real|9007199254740993|integer\n3132|text|NULL|null||text");
    sqlite3_close(db);
}

static void what_was_frozen_is_replaced(void **state)
{
    (void)state;
    sqlite3 *db = open_memory();
    struct sheet sheet = ops;
    run_sql(db, "CREATE VIEW broken AS SELECT x FROM nowhere");
    run_sql(db, "CREATE TABLE new_frozen_ops (x)");
    assert_frozen(db, &ops, 1);
    for (size_t count = 1; count <= 3; count++) {
        sheet.column_count = count;
        assert_frozen(db, &sheet, 1);
        assert_int_equal(query_integer(db, "SELECT count(*) FROM pragma_table_info('frozen_ops')"),
                         (int)count);
        assert_int_equal(query_integer(db, "SELECT count(*) FROM frozen_ops"), 2);
        assert_int_equal(query_integer(db, "SELECT count(*) FROM sqlite_schema"), 4);
    }
    sqlite3_close(db);
}

static void sheets_of_one_name_have_tables_of_their_own(void **state)
{
    (void)state;
    sqlite3 *db = open_memory();
    struct sheet sheets[] = {ops, ops, ops, ops};
    sheets[1].name = "OPS";
    sheets[2].name = "ops_2";
    sheets[3].name = "odd \"name'; --";
    for (int i = 0; i < 2; i++) {
        assert_frozen(db, sheets, 4);
        assert_query(
            db, "SELECT name FROM sqlite_schema ORDER BY 1",
            "frozen_OPS_2\nfrozen_meta\nfrozen_odd \"name'; --\nfrozen_ops\nfrozen_ops_2_2");
    }
    sqlite3_close(db);
}

static void a_failure_leaves_the_old_ones(void **state)
{
    (void)state;
    sqlite3 *db = open_memory();
    struct error error;
    struct sheet sheets[] = {ops, ops};
    sheets[1].name = "taken";
    assert_frozen(db, &ops, 1);
    run_sql(db, "UPDATE frozen_ops SET name = 'old'");
    static const char *const taken[] = {"TABLE Frozen_taken (x)", "VIEW Frozen_taken AS SELECT 1",
                                        "TABLE Frozen_taken (x DEFAULT /* frozen */ (1))",
                                        "TABLE \"Frozen_taken\" ( /* frozen */ x)"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char sql[200];
        snprintf(sql, sizeof sql, "CREATE %s", taken[i]);
        run_sql(db, sql);
        run_sql(db, "BEGIN");
        assert_false(freeze(db, sheets, 2, &error));
        run_sql(db, "ROLLBACK");
        assert_int_equal(error.status, STATUS_DATABASE);
        assert_string_equal(error.text, "frozen_taken: is there already and was not made by "
                                        "--into-tables; rename or drop it");
        assert_int_equal(query_integer(db, "SELECT count(*) FROM frozen_ops WHERE name = 'old'"),
                         2);
        run_sql(db, taken[i][0] == 'T' ? "DROP TABLE frozen_taken" : "DROP VIEW frozen_taken");
    }
    sqlite3_close(db);
}

static void a_warehouse_keeps_what_it_has(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "frozen.db");
    struct sheet sheet = ops;
    sheet.name = "event";
    char *before = query_text(warehouse.db, "SELECT group_concat(sql) FROM sqlite_schema");
    assert_frozen(warehouse.db, &sheet, 1);
    assert_frozen(warehouse.db, &sheet, 1);
    char *after = query_text(warehouse.db, "SELECT group_concat(sql) FROM sqlite_schema WHERE name "
                                           "NOT IN ('frozen_event', 'frozen_meta')");
    assert_string_equal(before, after);
    memory_free(before);
    memory_free(after);

    run_sql(warehouse.db, "PRAGMA query_only = 1");
    assert_false(freeze(warehouse.db, &sheet, 1, &error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_ptr_equal(strstr(error.text, "frozen_meta: "), error.text);
    warehouse_close(&warehouse);
}

static void what_is_said_of_tables_is_kept(void **state)
{
    (void)state;
    sqlite3 *db = open_memory();
    struct identity identity = {0};
    struct error error;
    static const struct sheet_note notes[] = {{"copies", 3, 1500}, {"rows", -1, -1}};
    struct sheet sheets[] = {ops, ops};
    sheets[0].title = "Ops.";
    sheets[0].not_included = notes;
    sheets[0].not_included_count = 2;
    sheets[1].name = "meta"; /* no sheet takes its name */
    sheets[1].why_empty = "none";
    identity_add(&identity, "run", IDENTITY_LIST, "a");
    identity_add(&identity, "run", IDENTITY_LIST, "b");
    about = &identity;
    assert_frozen(db, sheets, 2);
    static const char first[] = "frozen_ops|title|Ops.|NULL|NULL\n"
                                "frozen_ops|run|a|NULL|NULL\n"
                                "frozen_ops|run|b|NULL|NULL\n"
                                "frozen_ops|left_out|copies|3|1500\n"
                                "frozen_ops|left_out|rows|NULL|NULL";
    static const char said[] = "SELECT * FROM frozen_meta WHERE table_name = 'frozen_ops'";
    assert_query(db, said, first);
    assert_query(db, "SELECT * FROM frozen_meta WHERE table_name <> 'frozen_ops'",
                 "frozen_meta_2|run|a|NULL|NULL\nfrozen_meta_2|run|b|NULL|NULL\n"
                 "frozen_meta_2|no_rows|none|NULL|NULL");
    assert_int_equal(query_integer(db, "SELECT count(*) FROM frozen_meta_2"), 2);
    assert_frozen(db, sheets, 1); /* again: once, and the other one stays */
    assert_query(db, said, first);
    assert_int_equal(query_integer(db, "SELECT count(*) FROM frozen_meta"), 8);
    run_sql(db, "DROP TABLE frozen_meta_2");
    about = NULL;
    sheets[0] = ops;
    assert_frozen(db, sheets, 1);
    assert_int_equal(query_integer(db, "SELECT count(*) FROM frozen_meta"), 0);
    run_sql(db, "DROP TABLE frozen_meta");
    run_sql(db, "CREATE TABLE frozen_meta (mine)");
    assert_false(freeze(db, sheets, 1, &error));
    assert_string_equal(error.text, "frozen_meta: is there already and was not made by "
                                    "--into-tables; rename or drop it");
    sqlite3_close(db);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_stay_as_they_are),
    cmocka_unit_test(what_was_frozen_is_replaced),
    cmocka_unit_test(sheets_of_one_name_have_tables_of_their_own),
    cmocka_unit_test(a_failure_leaves_the_old_ones),
    cmocka_unit_test(a_warehouse_keeps_what_it_has),
    cmocka_unit_test(what_is_said_of_tables_is_kept),
};
GROUP(frozen, NULL, NULL)
