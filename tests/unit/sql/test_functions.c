/* Every function and table that tpq adds to SQL answers, or refuses with a sentence, whatever it is
 * called with: as its words say, with too few and too many arguments, and with values that nobody
 * means. The sanitizers see the rest. */
#include "tests/unit/sample.h"
#include "tests/unit/support.h"

#include "sql/binding/table.h"
#include "sql/evaluate/helpers.h"
#include "sql/register.h"

#include <stdio.h>
#include <string.h>

enum { ANY_NUMBER = 99, SOME = 5, RANDOM_CALLS = 300, STRIDE = 9, ROWS_MAX = 300 };

/* What arguments are made of, as SQL. */
static const char *const hostile[] = {
    "NULL",
    "0",
    "1",
    "-1",
    "2",
    "64",
    "2147483647",
    "-2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775807",
    "-9223372036854775807 - 1",
    "0.5",
    "-1e19",
    "9.3e18",
    "1e308",
    "9e999",
    "-9e999",
    "''",
    "'x'",
    "'-5'",
    "'99999999999999999999'",
    "'nan'",
    "x''",
    "x'00ff'",
    "x'c3'",
    "'a' || char(0) || 'b'",
    "'['",
    "']'",
    "'[['",
    "'\"'",
    "'[\"'",
    "'[\"\\'",
    "'{'",
    "'{\"a'",
    "'{\"a\":\"'",
    "'{\"a\":\"\\u12'",
    "'{\"a\":[9223372036854775808,1e999]}'",
    "'a'",
    "'[]'",
    "'[[]]'",
    "'[1,2]'",
    "'[0]'",
    "'[-9223372036854775808]'",
    "'[9223372036854775807,9223372036854775807,9223372036854775807]'",
    "'[9223372036854775808,\"x\",null,1e999,true]'",
    "'[[9223372036854775807,9223372036854775807],[1,1]]'",
    "'[[2,3],[3,2]]'",
    "'[\"bf16[9223372036854775808,2]{1,0}\",\"f8[\",\"[]\"]'",
    "'(f32[4,9223372036854775807], (f32[8]))'",
    "'reduce-scatter'",
    "'all-gather-start'",
    "'MKN'",
    "'(a'",
    "'(?<n>\\d*)*'",
    "'float'",
    "'Cijk_Ailk_Bljk_MT128x128x9223372036854775808'",
    "'triton_poi_fused_add_mul_99999999999999999999'",
    "'aten::mm'",
    "'compat'",
    "'k'", /* the tag of the sample, and what its kernel is called */
    "replace(hex(zeroblob(2000)), '00', '[')",
    "replace(hex(zeroblob(2000)), '00', '{\"a\":')",
    "replace(hex(zeroblob(2000)), '00', 'x')",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static sqlite3_value *values[HOSTILE];
static sqlite3 *db;
static uint32_t chance;
static int wrong; /* all of it is said before a test fails */

static void read_values(void)
{
    for (int i = 0; i < HOSTILE; i++) {
        char *sql = sqlite3_mprintf("SELECT %s", hostile[i]);
        sqlite3_stmt *ask;
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &ask, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(ask), SQLITE_ROW);
        values[i] = sqlite3_value_dup(sqlite3_column_value(ask, 0));
        database_finalize(ask);
        sqlite3_free(sql);
    }
}

static void free_values(void)
{
    for (int i = 0; i < HOSTILE; i++)
        sqlite3_value_free(values[i]);
}

static int any_value(void)
{
    chance = chance * 1664525 + 1013904223;
    return (int)((chance >> 8) % HOSTILE);
}

/* ------------------------------------------------------------------ statements */

static void complain(const char *what, const char *about)
{
    if (wrong++ < 20)
        print_error("%s: %.300s\n", what, about);
}

/* An answer, or a sentence: never "out of memory", and nothing that is wrong inside. */
static void assert_said(int result, const char *sql)
{
    if (result != SQLITE_ROW && result != SQLITE_DONE && result != SQLITE_ERROR &&
        result != SQLITE_MISMATCH && result != SQLITE_TOOBIG)
        complain(sqlite3_errmsg(db), sql);
    if (result == SQLITE_ERROR && !strcmp(sqlite3_errmsg(db), "SQL logic error"))
        complain("no words", sql);
}

static void run(sqlite3_stmt *statement)
{
    int result = SQLITE_ROW;
    for (int i = 0; i < ROWS_MAX && result == SQLITE_ROW; i++) {
        result = sqlite3_step(statement);
        for (int column = 0; result == SQLITE_ROW && column < sqlite3_column_count(statement);
             column++)
            (void)sqlite3_column_text(statement, column);
    }
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        char *sql = sqlite3_expanded_sql(statement);
        assert_said(result, sql);
        sqlite3_free(sql);
    }
    sqlite3_reset(statement);
}

/* Takes the text over. NULL: SQLite refuses it. */
static sqlite3_stmt *prepared(char *sql)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (result != SQLITE_OK)
        assert_said(result, sql);
    sqlite3_free(sql);
    return statement;
}

static void bind_all(sqlite3_stmt *statement, int value)
{
    for (int i = sqlite3_bind_parameter_count(statement); i > 0; i--)
        sqlite3_bind_value(statement, i, values[value]);
}

/* Each value everywhere, each in each place beside others, and as many by chance. */
static void run_with_values(sqlite3_stmt *statement)
{
    int count = sqlite3_bind_parameter_count(statement);
    if (!count)
        run(statement);
    for (int i = 0; i < HOSTILE && count; i++) {
        bind_all(statement, i);
        run(statement);
        for (int place = 1; place <= count && count > 1; place++)
            for (int other = 0; other < HOSTILE; other += count == 2 ? 3 : 21) {
                bind_all(statement, other);
                sqlite3_bind_value(statement, place, values[i]);
                run(statement);
            }
    }
    for (int i = 0; i < RANDOM_CALLS && count > 2; i++) {
        for (int place = 1; place <= count; place++)
            sqlite3_bind_value(statement, place, values[any_value()]);
        run(statement);
    }
}

/* ------------------------------------------------------------------ functions */

/* How many arguments the words name: "f(a, b [, c])" has 2 or 3, with "..." as many as one likes.
 */
struct arity {
    int least, most;
};

static struct arity arity_in(const char *call)
{
    struct arity arity = {0, 0};
    const char *at = strchr(call, '('), *optional = strchr(call, '[');
    if (!at)
        return (struct arity){2, 2}; /* an operator */
    if (strstr(call, "..."))
        return (struct arity){0, ANY_NUMBER};
    for (; *at && *at != ')'; at++)
        if ((*at == '(' && at[1] != ')') || *at == ',') {
            arity.most++;
            arity.least += !optional || at < optional;
        }
    return arity;
}

static void add_marks(struct text *sql, int count)
{
    for (int i = 0; i < count; i++)
        text_add_string(sql, i ? ",?" : "?");
}

static sqlite3_stmt *prepared_call(const char *form, const char *name, int count)
{
    struct text marks = {0};
    text_add_string(&marks, "");
    add_marks(&marks, count);
    char *sql = sqlite3_mprintf(form, name, marks.items, marks.items);
    text_free(&marks);
    return prepared(sql);
}

static void run_function(const char *form, const char *name, const char *call)
{
    struct arity arity = arity_in(call);
    int most = arity.most == ANY_NUMBER ? SOME : arity.most;
    for (int count = 0; count <= most + 1; count++) {
        sqlite3_stmt *statement = prepared_call(form, name, count);
        if (statement && (count < arity.least || count > arity.most))
            complain(count < arity.least ? "too few arguments" : "too many arguments", call);
        if (!statement && count >= arity.least && count <= arity.most && count)
            complain(sqlite3_errmsg(db), call);
        if (statement)
            run_with_values(statement);
        database_finalize(statement);
    }
}

static const char over_rows[] =
    "SELECT %s(%s) OVER (ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM (SELECT 1 UNION "
    "ALL SELECT 2 UNION ALL SELECT 3)";

static void open_sample(struct warehouse *warehouse, const char *name)
{
    scratch_warehouse(warehouse, name);
    store_sample(warehouse, "run", "k");
    db = warehouse->db;
}

static void test_functions(void **state)
{
    (void)state;
    wrong = 0;
    for (int i = 0; i < function_list_count; i++) {
        struct warehouse warehouse;
        open_sample(&warehouse, "functions.tpq");
        for (const struct function *f = function_lists[i]; f->name; f++) {
            if (function_kind(f) == FUNCTION_TABLE)
                continue;
            run_function("SELECT %s(%s)", f->name, f->call);
            if (function_kind(f) == FUNCTION_AGGREGATE && f->value)
                run_function(over_rows, f->name, f->call);
        }
        warehouse_close(&warehouse);
    }
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------ helpers */

static const char *const calls[] = {
    "{\"op\":\"x\"}",
    "{\"op\":\"x\",\"input_dims\":3,\"input_types\":\"[\",\"concrete_inputs\":{\"a\":1}}",
    "{\"op\":\"x\",\"input_dims\":[[2,3],[[3,4],[4,5]],[],[9223372036854775807,2,-1],[1e300,null],"
    "\"x\",[[[[1]]]]],\"input_types\":[\"float\",null,3,\"Scalar\",\"c10::Half\"],\"input_strides\""
    ":[[9223372036854775807],[1]],\"concrete_inputs\":[\"[1, True]\",\"9223372036854775808\",\"-"
    "9223372036854775808\",[1],true,7,\"[\"],\"kernel_names\":[\"k\",3],\"extra_args\":[1],"
    "\"linked_fwd\":{\"input_dims\":[[1]]}}",
};

static void run_helpers(struct sight *sight, const char *json)
{
    struct signature call = {0};
    assert_true(signature_read(&call, view_of(json)));
    sight->call = &call;
    for (int i = 0; i < helper_list_count; i++)
        for (const struct helper *helper = helper_lists[i]; helper->name; helper++) {
            char forward[60], name[40];
            run_function("SELECT %s(%s)", helper->name, helper->call);
            snprintf(name, sizeof name, "fwd_%s", helper->name);
            snprintf(forward, sizeof forward, "fwd_%s", helper->call);
            if (helper->has_forward)
                run_function("SELECT %s(%s)", name, forward);
        }
    signature_free(&call);
}

static void test_helpers(void **state)
{
    (void)state;
    wrong = 0;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    struct sight sight = {0};
    assert_int_equal(helpers_register(db, &sight), SQLITE_OK);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int compat = 0; compat < 2; compat++) {
            sight.compat = compat;
            run_helpers(&sight, calls[i]);
        }
    sqlite3_close(db);
    literal_free(&sight.scratch);
    text_free(&sight.need);
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------ tables */

static void run_sql_with_values(char *sql)
{
    sqlite3_stmt *statement = prepared(sql);
    for (int i = 0; i < HOSTILE && statement; i += STRIDE) {
        bind_all(statement, i);
        run(statement);
        if (!sqlite3_bind_parameter_count(statement))
            break;
    }
    database_finalize(statement);
}

static void run_column(const char *table, const char *column)
{
    static const char *const terms[] = {
        "= ?",       "< ?",    ">= ?", "IN (?1, 1)", "IS ?", "IN (?1)", "BETWEEN 0 AND ?1",
        "IS NOT ?1", "LIKE ?1"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        run_sql_with_values(
            sqlite3_mprintf("SELECT * FROM %s WHERE \"%w\" %s", table, column, terms[i]));
    run_sql_with_values(
        sqlite3_mprintf("SELECT * FROM %s AS a JOIN %s AS b ON a.\"%w\" = b.\"%w\" WHERE b.\"%w\" "
                        "= ?1 OR a.\"%w\" IN (1, 'run')",
                        table, table, column, column, column, column));
    run_sql_with_values(sqlite3_mprintf("SELECT * FROM scope JOIN %s AS b ON scope.trace_id = "
                                        "b.\"%w\" OR scope.run = b.\"%w\"",
                                        table, column, column));
    run_sql_with_values(sqlite3_mprintf("SELECT count(*), min(\"%w\") FROM %s GROUP BY \"%w\" "
                                        "ORDER BY \"%w\" DESC",
                                        column, table, column, column));
}

static void test_tables(void **state)
{
    (void)state;
    wrong = 0;
    struct warehouse warehouse;
    open_sample(&warehouse, "tables.tpq");
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *f = function_lists[i]; f->name; f++) {
            int arguments = 0;
            if (function_kind(f) != FUNCTION_TABLE)
                continue;
            for (const struct table_column *column = f->table->columns; column->name; column++) {
                arguments += (column->role & TABLE_ARGUMENT) != 0;
                run_column(f->name, column->name);
            }
            for (int count = 0; count <= arguments + 1; count++) {
                sqlite3_stmt *statement = prepared_call("SELECT * FROM %s(%s)", f->name, count);
                assert_true((statement != NULL) == (count <= arguments));
                if (statement)
                    run_with_values(statement);
                database_finalize(statement);
            }
        }
    warehouse_close(&warehouse);
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------ keys */

enum { FEW = 3 }; /* rows, with which it makes no difference */

static int steps_of(const char *table, const char *condition, int *rows)
{
    sqlite3_stmt *statement =
        prepared(sqlite3_mprintf("SELECT count(*) FROM %s WHERE %s", table, condition));
    assert_non_null(statement);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    *rows = sqlite3_column_int(statement, 0);
    int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    database_finalize(statement);
    return steps;
}

/* How many of its keys a table says to find rows by, where it has rows. */
static int check_keys(const char *table, const struct table_column *columns)
{
    int count = 0, rows = 0;
    for (const struct table_column *at = columns; at->name; at++) {
        char found[80], sought[80];
        snprintf(found, sizeof found, "\"%s\" = -1", at->name);
        snprintf(sought, sizeof sought, "+\"%s\" = -1", at->name);
        if (!(at->role & TABLE_ALONE) || (steps_of(table, "1", &rows), rows < FEW))
            continue;
        if (steps_of(table, found, &rows) >= steps_of(table, sought, &rows))
            complain("all rows are gone through", table);
        count++;
    }
    return count;
}

static void a_key_alone_finds_rows(void **state)
{
    (void)state;
    wrong = 0;
    int count = 0;
    struct warehouse warehouse;
    open_sample(&warehouse, "keys.tpq");
    store_sample(&warehouse, "other", "o");
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *f = function_lists[i]; f->name; f++)
            if (function_kind(f) == FUNCTION_TABLE)
                count += check_keys(f->name, f->table->columns);
    warehouse_close(&warehouse);
    assert_true(count >= 2);
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------ all */

static int setup(void **state)
{
    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    read_values();
    return sqlite3_close(db);
}

static int finish(void **state)
{
    (void)state;
    free_values();
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_functions),
    cmocka_unit_test(test_helpers),
    cmocka_unit_test(test_tables),
    cmocka_unit_test(a_key_alone_finds_rows),
};
GROUP(functions, setup, finish)
