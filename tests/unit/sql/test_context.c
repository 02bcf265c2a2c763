/* What a program tells its connection: the selection behind scope, and options. And that walks
 * through a tree that is broken come to an end. */
#include "tests/unit/support.h"

#include "tests/unit/sample.h"

#include "sql/binding/context.h"

#include <string.h>

/* Two traces: a with the events 1 to 16, b with 17 to 32. */
static void open_two(struct warehouse *warehouse, const char *name)
{
    static const char *const tags[] = {"a", "b"};
    scratch_warehouse(warehouse, name);
    for (int i = 0; i < 2; i++)
        store_sample(warehouse, tags[i], tags[i]);
    assert_query(warehouse->db, "SELECT * FROM scope", "a|1|1|16|NULL\nb|2|17|32|NULL");
}

/* ------------------------------------------------------------------ the selection */

static void a_selection_stands_in_place_of_the_traces(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "selection.db");
    struct context *context = warehouse.context;
    sqlite3 *db = warehouse.db;
    context_select_none(context);
    assert_query(db, "SELECT * FROM scope", "");
    assert_query(db, "SELECT count(*) FROM slice", "0");
    context_select(context, "b", 2, 30, 32, -1);
    context_select(context, "a", 1, 1, 5, 0);
    context_select(context, "b", 2, 17, 17, 1);
    assert_query(db, "SELECT * FROM scope", "b|2|30|32|NULL\na|1|1|5|0\nb|2|17|17|1");
    assert_query(db, "SELECT * FROM scope_time", "");
    context_select_time(context, 1, -5, 9);
    context_select_time(context, 1, 20, INT64_MAX);
    assert_query(db, "SELECT * FROM scope_time", "1|-5|9\n1|20|9223372036854775807");
    context_select_none(context);
    context_select(context, "a", 1, 7, 7, -1);
    assert_query(db, "SELECT * FROM scope", "a|1|7|7|NULL");
    assert_query(db, "SELECT * FROM scope_time", "");
    warehouse_close(&warehouse);
}

static void a_selection_is_narrowed_like_the_traces(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "narrow.db");
    struct context *context = warehouse.context;
    sqlite3 *db = warehouse.db;
    context_select_none(context);
    context_select(context, "b", 2, 30, 32, -1);
    context_select(context, "a", 1, 1, 5, -1);
    context_select(context, "b", 2, 17, 17, -1);
    context_select(context, "it's", 3, 40, 39, -1);
    assert_query(db, "SELECT first_event FROM scope WHERE run = 'b'", "30\n17");
    assert_query(db, "SELECT first_event FROM scope WHERE trace_id = 1", "1");
    assert_query(db, "SELECT first_event FROM scope WHERE run = 'b' AND trace_id = 1", "");
    assert_query(db, "SELECT first_event FROM scope WHERE run = 'it''s'", "40");
    assert_query(db, "SELECT count(*) FROM scope WHERE run = NULL OR trace_id = NULL", "0");
    assert_query(db, "SELECT first_event FROM scope WHERE trace_id IN (1, 2) ORDER BY 1",
                 "1\n17\n30");
    assert_query(db, "SELECT first_event FROM scope WHERE run = 'B' COLLATE NOCASE", "30\n17");
    assert_query(db, "SELECT first_event FROM scope WHERE trace_id = 2.0", "30\n17");
    /* rows that both conditions give come once, different ones all */
    assert_query(db, "SELECT first_event FROM scope WHERE run = 'b' OR trace_id = 2 ORDER BY 1",
                 "17\n30");
    assert_query(db, "SELECT first_event FROM scope WHERE run = 'a' OR trace_id = 2 ORDER BY 1",
                 "1\n17\n30");
    assert_query(db, "SELECT count(*) FROM scope AS x JOIN scope AS y ON y.trace_id = x.trace_id",
                 "6");
    warehouse_close(&warehouse);
}

static void views_show_what_is_selected(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "views.db");
    struct context *context = warehouse.context;
    sqlite3 *db = warehouse.db;
    context_select_none(context);
    context_select(context, "a", 1, 3, 5, -1);
    context_select(context, "b", 2, 27, 28, -1);
    assert_query(db, "SELECT run, trace_id, id, name FROM slice",
                 "a|1|3|aten::mm\na|1|4|cudaLaunchKernel\na|1|5|a\nb|2|27|lone\n"
                 "b|2|28|ProfilerStep#5");
    assert_query(db, "SELECT run, id FROM gpu_slice", "a|5\nb|27");
    assert_query(db, "SELECT run, parent, child, kind FROM tree_edge",
                 "a|2|3|call\na|3|4|call\na|4|5|launch");
    assert_query(db, "SELECT id FROM slice WHERE run = 'b'", "27\n28");
    assert_query(db, "SELECT count(*) FROM event", "32"); /* tables are not views */
    warehouse_close(&warehouse);
}

static void two_connections_do_not_share_a_selection(void **state)
{
    (void)state;
    struct warehouse first, second;
    struct error error = {0};
    open_two(&first, "two.db");
    assert_true(warehouse_open(&second, scratch_path("two.db"), WAREHOUSE_READ, 0, &error));
    context_select_none(first.context);
    context_set(first.context, "limit", "5");
    assert_query(first.db, "SELECT count(*), tpq_option('limit') FROM scope", "0|5");
    assert_query(second.db, "SELECT count(*), tpq_option('limit') FROM scope", "2|NULL");
    warehouse_close(&first);
    assert_query(second.db, "SELECT count(*) FROM scope", "2");
    warehouse_close(&second);
}

/* ------------------------------------------------------------------ options */

static void program_and_sql_see_the_same_options(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "options.db");
    struct context *context = warehouse.context;
    assert_null(context_get(context, "limit"));
    context_set(context, "limit", "10");
    context_set(context, "name", "it's");
    context_set(context, "nothing", NULL);
    assert_query(warehouse.db,
                 "SELECT tpq_option('limit') + 1, tpq_option('name'), tpq_option('nothing')",
                 "11|it's|NULL");
    run_sql(warehouse.db, "SELECT tpq_set('limit', 12), tpq_set('name', NULL), tpq_set('x', 'y')");
    assert_string_equal(context_get(context, "limit"), "12");
    assert_string_equal(context_get(context, "x"), "y");
    assert_null(context_get(context, "name"));
    warehouse_close(&warehouse);
}

static void a_context_lives_as_long_as_someone_has_a_share(void **state)
{
    (void)state;
    struct context *context = context_new();
    assert_non_null(context);
    context_set(context, "limit", "1");
    context_select(context, "run", 1, 1, 2, -1);
    assert_ptr_equal(context_retain(context), context);
    context_release(context);
    assert_string_equal(context_get(context, "limit"), "1");
    context_end(context);
    context_release(NULL);
}

/* ------------------------------------------------------------------ broken trees */

static void walks_through_a_broken_tree_come_to_an_end(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE event SET up = 0 WHERE id = 3",  /* its own parent */
        "UPDATE event SET up = -2 WHERE id = 3", /* below what is below it */
        "UPDATE event SET up = -1 WHERE id = 3",
        "UPDATE event SET up = 9223372036854775807 WHERE id = 3",
        "UPDATE event SET up = -9223372036854775807 WHERE id = 3",
        "UPDATE event SET below = 9223372036854775807 WHERE id = 3",
        "UPDATE event SET below = -9223372036854775807 WHERE id = 3",
        "UPDATE event SET up = 0, below = 0",
        "DELETE FROM event WHERE id = 2",
    };
    struct warehouse warehouse;
    open_two(&warehouse, "broken.db");
    sqlite3 *db = warehouse.db;
    assert_query(db, "SELECT group_concat(id) FROM ancestors(5)", "4,3,2,1");
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        run_sql(db, "BEGIN");
        run_sql(db, damages[i]);
        assert_true(query_integer(db, "SELECT count(*) FROM ancestors(5)") < 32);
        assert_true(query_integer(db, "SELECT count(*) FROM descendants(1)") < 33);
        assert_true(query_integer(db, "SELECT count(*) FROM descendants(3)") < 33);
        assert_true(query_integer(db, "SELECT count(*) FROM kernels_below(3)") < 7);
        run_sql(db, "ROLLBACK");
    }
    warehouse_close(&warehouse);
}

/* What is asked again and again is prepared once where somebody has promised to drop it, and is
 * nobody else's while it is in use. */
static void questions_are_kept_prepared(void **state)
{
    (void)state;
    static const char question[] = "SELECT count(*) FROM run WHERE id > ?1";
    struct warehouse warehouse;
    open_two(&warehouse, "statements.db");
    struct context *context = warehouse.context;
    sqlite3 *db = warehouse.db;
    sqlite3_stmt *first = NULL, *second = NULL, *again = NULL;
    statements_drop(context); /* as in a connection of the extension */
    assert_int_equal(statements_take(context, db, question, &first), SQLITE_OK);
    statements_leave(context, first);
    assert_null(sqlite3_next_stmt(db, NULL));
    statements_keep(context);
    assert_int_equal(statements_take(context, db, question, &first), SQLITE_OK);
    assert_int_equal(statements_take(context, db, question, &second), SQLITE_OK);
    assert_ptr_not_equal(first, second);
    sqlite3_bind_int64(first, 1, 1);
    assert_int_equal(sqlite3_step(first), SQLITE_ROW);
    statements_leave(context, first);
    assert_int_equal(statements_take(context, db, question, &again), SQLITE_OK);
    assert_ptr_equal(again, first);
    assert_false(sqlite3_stmt_busy(again)); /* nor bound: NULL is not above any */
    assert_int_equal(sqlite3_step(again), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(again, 0), 0);
    statements_leave(context, again);
    statements_leave(context, second);
    assert_int_equal(statements_take(context, db, "SELECT 1", &again), SQLITE_OK);
    assert_string_equal(sqlite3_sql(again), "SELECT 1");
    statements_leave(context, again);
    statements_leave(context, NULL);
    sqlite3_stmt *many[64];
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        assert_int_equal(statements_take(context, db, question, &many[i]), SQLITE_OK);
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        statements_leave(context, many[i]);
    size_t kept = 0;
    for (sqlite3_stmt *each = NULL; (each = sqlite3_next_stmt(db, each));)
        kept++;
    assert_int_equal(kept, 32); /* what comes on top is closed */
    warehouse_close(&warehouse);
}

/* The readings of launchers that a statement makes, counted by what the next one finds kept. */
static void what_is_asked_of_all_that_is_selected_is_read_once(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "once.db");
    struct context *context = warehouse.context;
    context_select_none(context);
    context_select(context, "a", 1, 1, 16, -1);
    run_sql(warehouse.db, "SELECT count(*) FROM launcher_work WHERE trace_id = 1");
    unsigned made = context->readings;
    run_sql(warehouse.db, "SELECT count(*) FROM launcher_work");
    run_sql(warehouse.db, "SELECT parent_module FROM launcher_work WHERE trace_id IN (1)");
    assert_int_equal(context->readings, made);
    run_sql(warehouse.db, "SELECT count(*) FROM launcher_work WHERE trace_id = 2");
    assert_int_equal(context->readings, made + 1);
    context_set(context, "group_by_parent_module", "1");
    run_sql(warehouse.db, "SELECT count(*) FROM launcher_work");
    run_sql(warehouse.db, "SELECT parent_module FROM launcher_work");
    assert_int_equal(context->readings, made + 3);
    warehouse_close(&warehouse);
}

/* Views that a reading asks for while it is made are no part of the schema. */
static void what_was_given_views_is_read_once(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    assert_true(warehouse_open(&warehouse, ":memory:", WAREHOUSE_MEMORY, 0, &error));
    store_sample(&warehouse, "a", "a");
    run_sql(warehouse.db, "SELECT category FROM launcher_work");
    assert_query(warehouse.db, "SELECT count(*) FROM sqlite_temp_schema", "0");
    unsigned made = warehouse.context->readings;
    run_sql(warehouse.db, "SELECT category FROM launcher_work");
    assert_int_equal(warehouse.context->readings, made);
    run_sql(warehouse.db, "UPDATE op_category SET category = category");
    run_sql(warehouse.db, "SELECT category FROM launcher_work");
    assert_int_equal(warehouse.context->readings, made + 1);
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_selection_stands_in_place_of_the_traces),
    cmocka_unit_test(a_selection_is_narrowed_like_the_traces),
    cmocka_unit_test(views_show_what_is_selected),
    cmocka_unit_test(two_connections_do_not_share_a_selection),
    cmocka_unit_test(program_and_sql_see_the_same_options),
    cmocka_unit_test(a_context_lives_as_long_as_someone_has_a_share),
    cmocka_unit_test(walks_through_a_broken_tree_come_to_an_end),
    cmocka_unit_test(questions_are_kept_prepared),
    cmocka_unit_test(what_is_asked_of_all_that_is_selected_is_read_once),
    cmocka_unit_test(what_was_given_views_is_read_once),
};
GROUP(context, NULL, NULL)
