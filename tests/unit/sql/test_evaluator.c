/* Models are rows: their expressions compute, see nothing else, and say what is wrong with them. */
#include "tests/unit/support.h"

#include "sql/evaluate/evaluator.h"
#include "src/base/literal.h"

#include <string.h>

static struct warehouse warehouse;
static struct evaluator *evaluator;
static struct outcome outcome;

static void open_models(bool compat)
{
    struct error error = {0};
    evaluator = evaluator_open(warehouse.db, NULL, compat, &error);
    assert_non_null(evaluator);
}

static void setup(void)
{
    struct error error = {0};
    assert_true(warehouse_open(&warehouse, ":memory:", WAREHOUSE_MEMORY, 0, &error));
}

static void finish(void)
{
    evaluator_close(evaluator);
    evaluator = NULL;
    outcome_free(&outcome);
    outcome = (struct outcome){0};
    warehouse_close(&warehouse);
}

/* Evaluates one call with the rows that are there, and gives its status. */
static const char *status_of(const char *json)
{
    struct signature call = {0};
    assert_true(signature_read(&call, view_of(json)));
    struct model *model = evaluator_find(evaluator, call.op);
    assert_non_null(model);
    evaluator_run(evaluator, model, &call, &outcome);
    signature_free(&call);
    return outcome_names[outcome.status];
}

/* A row of the user for the op `x`, which is then called with one matrix (2, 3). */
static const char *status_of_row(const char *columns, const char *values)
{
    setup();
    char *sql = sqlite3_mprintf("INSERT INTO perf_model (op, source, %s) VALUES ('x', 'mine', %s)",
                                columns, values);
    run_sql(warehouse.db, sql);
    sqlite3_free(sql);
    open_models(false);
    return status_of("{\"op\":\"x\",\"input_dims\":[[2,3]],\"input_types\":[\"float\"],"
                     "\"concrete_inputs\":[\"[1, True]\"]}");
}

static void assert_reason(const char *words)
{
    if (!outcome.reason.items || !strstr(outcome.reason.items, words))
        fail_msg("'%s' is not in: %s", words, outcome.reason.items ? outcome.reason.items : "");
}

/* ------------------------------------------------------------------ what rows compute */

static void a_shipped_row_computes(void **state)
{
    (void)state;
    setup();
    open_models(false);
    assert_string_equal(status_of("{\"op\":\"aten::mm\",\"input_dims\":[[4,5],[5,6]],"
                                  "\"input_types\":[\"c10::BFloat16\",\"c10::BFloat16\"]}"),
                        "ok");
    assert_int_equal(outcome.flops.integer, 240);
    assert_int_equal(outcome.bytes.integer, 2 * (20 + 30 + 24));
    assert_string_equal(outcome.spec.items, "matrix_bf16");
    assert_non_null(strstr(outcome.shown.items, "\"M\":4,\"N\":6,\"K\":5,\"bias\":false"));
    finish();
}

static void profiles_differ(void **state)
{
    (void)state;
    static const char sum[] = "{\"op\":\"aten::sum\",\"input_dims\":[[4,8],[],[]],"
                              "\"input_types\":[\"float\",\"\",\"\"],"
                              "\"concrete_inputs\":[\"\",\"[-1]\",\"False\"]}";
    static const char neg[] = "{\"op\":\"aten::neg\",\"input_dims\":[[4]],"
                              "\"input_types\":[\"float\"]}";
    setup();
    open_models(false);
    assert_string_equal(status_of(sum), "ok");
    assert_int_equal(outcome.bytes.integer, 4 * (32 + 4));
    assert_string_equal(status_of(neg), "ok");
    evaluator_close(evaluator);
    open_models(true);
    assert_string_equal(status_of(sum), "ok");
    assert_int_equal(outcome.bytes.integer, 4 * (32 + 1));
    assert_string_equal(status_of(neg), "fail");
    assert_reason("stride(0) IS NOT NULL");
    finish();
}

static void every_shipped_row_can_be_used(void **state)
{
    (void)state;
    for (int compat = 0; compat < 2; compat++) {
        setup();
        open_models(compat);
        const model_list *models = evaluator_models(evaluator);
        assert_true(models->count > 245);
        for (size_t i = 0; i < models->count; i++) {
            struct model *model = &models->items[i];
            struct signature call = {0};
            signature_start(&call, model->op);
            evaluator_run(evaluator, model, &call, &outcome);
            if (model->fault)
                fail_msg("%s", model->fault);
            signature_free(&call);
        }
        finish();
    }
}

static void parameters_may_use_earlier_ones(void **state)
{
    (void)state;
    assert_string_equal(
        status_of_row("params, flops, bytes, shown",
                      "'{\"a\":\"dim(0, -1)\",\"b\":\"a * a\",\"c\":\"b + a\"}', 'a + b + c', "
                      "'bpe(dtype(0))', '{\"b\":\"b\",\"no?\":\"NULL\",\"list\":\"cin_list(0)\"}'"),
        "ok");
    assert_int_equal(outcome.flops.integer, 3 + 9 + 12);
    assert_string_equal(outcome.shown.items, "{\"b\":9,\"list\":[1,true]}");
    assert_string_equal(outcome.params.items, "{\"a\":3,\"b\":9,\"c\":12}");
    finish();
}

static void many_parameters_are_no_problem(void **state)
{
    (void)state;
    struct text params = {0};
    text_add_string(&params, "'{\"p0\":\"1\"");
    for (int i = 1; i < 60; i++)
        text_format(&params, ",\"p%d\":\"p%d + p%d\"", i, i - 1, i - 1);
    text_add_string(&params, "}', 'p59'");
    assert_string_equal(status_of_row("params, flops", params.items), "no_bytes");
    assert_int_equal(outcome.flops.integer, (int64_t)1 << 59);
    text_free(&params);
    finish();
}

static void outcomes_have_reasons(void **state)
{
    (void)state;
    assert_string_equal(status_of_row("flops", "'dim(7, 0)'"), "fail");
    assert_reason("the FLOPs are NULL");
    finish();
    assert_string_equal(status_of_row("flops, bytes", "'1', 'dim(7, 0)'"), "no_bytes");
    finish();
    assert_string_equal(status_of_row("flops", "'skip()'"), "skip");
    finish();
    assert_string_equal(status_of_row("flops", "'need(dim(7, 0), ''no input 7'')'"), "fail");
    assert_reason("no input 7");
    finish();
    assert_string_equal(status_of_row("flops, valid", "'1', 'dim(0, 0) > 5'"), "fail");
    assert_reason("not so: dim(0, 0) > 5");
    finish();
    assert_string_equal(
        status_of_row("family, params", "'gemm', '{\"M\":\"1\",\"N\":\"dim(9, 1)\",\"K\":\"2\"}'"),
        "fail");
    assert_reason("N is not known: the shape of input 9 is not recorded");
    finish();
    assert_string_equal(
        status_of_row("family, params", "'gemm', '{\"M\":\"1\",\"N\":\"dim(0, 9)\",\"K\":\"2\"}'"),
        "fail");
    assert_reason("N is NULL: dim(0, 9)");
    finish();
}

static void the_better_row_holds(void **state)
{
    (void)state;
    setup();
    run_sql(
        warehouse.db,
        "INSERT INTO perf_model (op, match, priority, flops) VALUES ('my::*', 'glob', 0, '1'), "
        "('my::', 'prefix', 5, '2'), ('^my::m+$', 'regex', 1, '3'), ('my::m', 'exact', 0, '4'), "
        "('aten::mm', 'exact', 0, '5')");
    open_models(false);
    status_of("{\"op\":\"my::m\"}");
    assert_int_equal(outcome.flops.integer, 4);
    status_of("{\"op\":\"my::mm\"}");
    assert_int_equal(outcome.flops.integer, 2);
    status_of("{\"op\":\"aten::mm\"}");
    assert_int_equal(outcome.flops.integer, 5);
    assert_null(evaluator_find(evaluator, "other::op"));
    finish();
}

/* ------------------------------------------------------------------ what is wrong with rows */

static void wrong_rows_say_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *values, *reason;
    } rows[] = {
        {"family", "'nonsense'", "there is no family of this name: nonsense"},
        {"params, flops", "'{\"a\":\"1 +\"}', '1'", "a: "},
        {"params, flops", "'{\"a\":\"nowhere(1)\"}', '1'", "a: no such function: nowhere"},
        {"flops", "'2 * b'", "flops: no such column: b"},
        {"params, flops", "'{\"a\":\"1\",\"A\":\"2\"}', '1'", "A: differs only in case"},
        {"params, flops", "'{\"a b\":\"1\"}', '1'", "a b: not a name"},
        {"params, flops", "'[]', '1'", "params: not a JSON object"},
        {"params, flops", "'{\"a\":1}', '1'", "a: an expression is a text"},
        {"family, params", "'gemm', '{\"M\":\"1\"}'", "N: the family needs it"},
        {"flops", "'1) FROM (SELECT 2'", "flops: the expression has brackets"},
        {"flops", "'1; DROP TABLE run'", "flops: the expression has brackets"},
        {"flops", "'1 -- 2'", "flops: the expression has brackets"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(status_of_row(rows[i].columns, rows[i].values), "fail");
        assert_reason("mine: model of 'x': ");
        assert_reason(rows[i].reason);
        finish();
    }
}

static void expressions_reach_nothing(void **state)
{
    (void)state;
    static const char *const hostile[] = {
        "'(SELECT count(*) FROM sqlite_schema)'",
        "'(SELECT name FROM run)'",
        "'(SELECT value FROM json_each(''[1]''))'",
        "'(SELECT file FROM pragma_database_list)'",
        "'(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)'",
        "'load_extension(''x'')'",
        "'length(randomblob(100000000))'",
        "'length(zeroblob(1000000000))'",
        "'length(printf(''%.*c'', 100000000, ''x''))'",
        "'tpq_set(''limit'', 1)'",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        assert_string_equal(status_of_row("flops", hostile[i]), "fail");
        assert_true(outcome.reason.count > 0);
        finish();
    }
}

static void odd_calls_are_no_danger(void **state)
{
    (void)state;
    static const char *const calls[] = {
        "{\"op\":\"aten::mm\"}",
        "{\"op\":\"aten::mm\",\"input_dims\":[]}",
        "{\"op\":\"aten::mm\",\"input_dims\":[[],[]],\"input_types\":[1,2]}",
        "{\"op\":\"aten::mm\",\"input_dims\":[[-1,9223372036854775807],[1e308,2]]}",
        "{\"op\":\"aten::mm\",\"input_dims\":{\"a\":[1,2]},\"input_types\":\"float\"}",
        "{\"op\":\"aten::mm\",\"kernel_names\":[\"nvjet\",5]}",
    };
    setup();
    open_models(true);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_string_not_equal(status_of(calls[i]), "ok");
    struct signature call = {0};
    assert_false(signature_read(&call, view_of("[1]")));
    assert_false(signature_read(&call, view_of("{\"op\":5}")));
    assert_false(signature_read(&call, view_of("{\"op\":\"x\"")));
    signature_free(&call);
    finish();
}

/* ------------------------------------------------------------------ the tables */

static void a_changed_row_changes_the_next_answer(void **state)
{
    (void)state;
    static const char question[] = "SELECT flops FROM op_metric";
    struct warehouse file;
    scratch_warehouse(&file, "changed.db");
    store_text(
        &file, "r",
        "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":1,"
        "\"dur\":5,\"args\":{\"Input Dims\":[[4,5],[5,6]],\"Input type\":[\"float\","
        "\"float\"]}},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"my::op\",\"pid\":1,"
        "\"tid\":1,\"ts\":9,\"dur\":5,\"args\":{\"Input Dims\":[[2]]}}]");
    assert_query(file.db, question, "240");
    assert_query(file.db,
                 "SELECT count(*) FROM op_metric AS a JOIN op_param AS b "
                 "ON b.op_id = a.op_id JOIN op_param AS c ON c.op_id = b.op_id",
                 "64");
    run_sql(file.db, "INSERT INTO perf_model (op, flops) VALUES ('my::op', 'numel(0)')");
    assert_query(file.db, question, "240\n2");
    run_sql(file.db, "UPDATE perf_model SET flops = '7' WHERE op = 'my::op'");
    assert_query(file.db, question, "240\n7");
    run_sql(file.db, "DELETE FROM perf_model");
    assert_query(file.db, question, "");
    warehouse_close(&file);
}

static void the_catalog_may_change_while_somebody_reads(void **state)
{
    (void)state;
    struct warehouse file;
    sqlite3_stmt *reading = NULL;
    scratch_warehouse(&file, "reading.db");
    store_text(&file, "r",
               "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
               "\"dur\":5,\"args\":{\"Input Dims\":[[4]]}},{\"ph\":\"X\",\"cat\":\"cpu_op\","
               "\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":9,\"dur\":5,\"args\":{\"Input "
               "Dims\":[[2]]}}]");
    run_sql(file.db, "INSERT INTO perf_model (op, match, flops, params, shown) VALUES "
                     "('', 'prefix', 'x', '{\"x\":\"numel(0)\"}', '{\"x\":\"x\",\"y\":\"x\"}')");
    assert_int_equal(
        sqlite3_prepare_v2(file.db, "SELECT name, value FROM op_param", -1, &reading, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(reading), SQLITE_ROW);
    run_sql(file.db, "UPDATE perf_model SET flops = '1' WHERE op = ''");
    assert_query(file.db, "SELECT count(*) FROM op_metric WHERE flops = 1", "2");
    assert_int_equal(sqlite3_step(reading), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(reading, 0), "y");
    assert_int_equal(sqlite3_column_int(reading, 1), 4);
    assert_int_equal(sqlite3_step(reading), SQLITE_ROW);
    database_finalize(reading);
    warehouse_close(&file);
}

/* ------------------------------------------------------------------ literals and annotations */

static void literals_are_json_or_python(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"[1, 2]", "[1,2]"},
        {"(5,)", "[5]"},
        {"[True, False, None]", "[true,false,null]"},
        {"{'a': -1.5, \"b\": []}", "{\"a\":-1.5,\"b\":[]}"},
        {"\"a\\u00e9\\/\"", "\"a\xc3\xa9/\""},
        {"9223372036854775807", "9223372036854775807"},
        {"", NULL},
        {"[1", NULL},
        {"[1 2]", NULL},
        {"nan", NULL},
        {"0x10", NULL},
        {"1e999", NULL},
        {"[1] 2", NULL},
        {"{\"a\" 1}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct literals values = {0};
        struct text json = {0};
        int place = literal_read(&values, view_of(cases[i].text));
        assert_int_equal(place == LITERAL_NONE, cases[i].json == NULL);
        if (cases[i].json) {
            literal_add_json(&values, place, &json);
            assert_string_equal(json.items, cases[i].json);
        }
        text_free(&json);
        literal_free(&values);
    }
}

static void deep_literals_are_refused(void **state)
{
    (void)state;
    struct literals values = {0};
    struct text text = {0};
    for (int i = 0; i < 100000; i++)
        text_add_byte(&text, '[');
    assert_int_equal(literal_read(&values, view_of(text.items)), LITERAL_NONE);
    text_free(&text);
    literal_free(&values);
}

static void annotations_tell_the_batch(void **state)
{
    (void)state;
    struct signature call = {0};
    signature_start(&call, "x");
    assert_true(signature_annotate(&call, "execute_3_context_1(sq5sk8sqsq25sqsk40)_generation_2("
                                          "sq1sk12sqsq1sqsk13)"));
    assert_int_equal(call.step[0], 5);
    assert_int_equal(call.step[7], 13);
    assert_true(signature_annotate(&call, "step[MIXED bs=2 c_sq=7 g_sqsq=9 g_sqsk=4]"));
    assert_int_equal(call.step[0], 7);
    assert_int_equal(call.step[1], 0);
    assert_int_equal(call.step[6], 9);
    assert_true(signature_annotate(&call, "prefill[bs=2 tok=11 ctx=[78, 69] sqsq=3 sqsk=4 sk=6]"));
    assert_int_equal(call.step[0], 11);
    assert_int_equal(call.step[1], 6);
    assert_false(signature_annotate(&call, "decode[bs=2 tok=11 sqsq=3]"));
    assert_false(signature_annotate(&call, "step[DECODE bs=64 toks=64]"));
    assert_false(signature_annotate(&call, "execute_context_1(5)_generation_2(1)"));
    signature_free(&call);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_shipped_row_computes),
    cmocka_unit_test(profiles_differ),
    cmocka_unit_test(every_shipped_row_can_be_used),
    cmocka_unit_test(parameters_may_use_earlier_ones),
    cmocka_unit_test(many_parameters_are_no_problem),
    cmocka_unit_test(outcomes_have_reasons),
    cmocka_unit_test(the_better_row_holds),
    cmocka_unit_test(wrong_rows_say_what_is_wrong),
    cmocka_unit_test(expressions_reach_nothing),
    cmocka_unit_test(odd_calls_are_no_danger),
    cmocka_unit_test(a_changed_row_changes_the_next_answer),
    cmocka_unit_test(the_catalog_may_change_while_somebody_reads),
    cmocka_unit_test(literals_are_json_or_python),
    cmocka_unit_test(deep_literals_are_refused),
    cmocka_unit_test(annotations_tell_the_batch),
};
GROUP(evaluator, NULL, NULL)
