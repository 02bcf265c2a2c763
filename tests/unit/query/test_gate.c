/* Gates: what passes and what does not, in the engine's own numbers; and rules as they are read. */
#include "tests/unit/support.h"

#include "query/compare/gate.h"

#include <math.h>
#include <string.h>

enum { KEYS = 20, STEPS = 19 };

/* ------------------------------------------------------------------ made-up values */

static unsigned long long state_of_chance;

static double chance(void)
{
    state_of_chance = state_of_chance * 6364136223846793005ull + 1442695040888963407ull;
    return ((double)(state_of_chance >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(chance())) * cos(2 * 3.14159265358979323846 * chance());
}

/* What is changed on the second side. */
struct planted {
    int key;      /* -1: nothing */
    double times; /* of that key */
    double clock; /* of all */
};

struct made {
    doc_list docs;
    struct values values;
};

static const struct sql_file report_file = {
    "reports/one.sql", "-- One.\n-- set: own\n-- key: name\n-- measure: us, calls\n-- work: time\n"
                       "CREATE VIEW one AS\nSELECT\n  1 AS name, -- [text] a\n"
                       "  2 AS us, -- [us] (lower) b\n  3 AS calls -- [integer] c\n;\n"};

static void add_side(struct made *made, size_t side, struct planted planted)
{
    struct side_values *values = &made->values.sides[side];
    values->run_count = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        size_t *sample = array_push(&values->samples);
        assert_non_null(sample);
        *sample = 0;
        for (uint32_t key = 0; key < KEYS; key++) {
            struct value *value = array_push(&values->values);
            assert_non_null(value);
            double us = (50 + 30 * key) * (1 + 0.02 * normal());
            if (side == 1)
                us *= planted.clock * ((int)key == planted.key ? planted.times : 1);
            *value =
                (struct value){.key = key + 1, .sample = step, .rows = 1, .sum = us, .count = 2};
        }
    }
}

static void make_values(struct made *made, unsigned long long seed, struct planted planted)
{
    struct error error = {0};
    state_of_chance = seed * 7919 + 1;
    docs_read(&report_file, 1, &made->docs);
    made->values = (struct values){
        .report = &made->docs.items[0], .is_sum = true, .is_by_step = true, .side_count = 2};
    made->values.metric = &docs_columns(made->docs.items)->items[1];
    assert_true(layout_read(&made->values.layout, made->values.report, &error));
    result_init(&made->values.cells, 1);
    made->values.sides = memory_zeroed(3, sizeof *made->values.sides);
    assert_non_null(made->values.sides);
    for (int key = 0; key < KEYS; key++) {
        char name[20];
        snprintf(name, sizeof name, "op%d", key);
        struct cell cell = {.type = CELL_TEXT, .text = view_of(name)};
        assert_int_equal(intern_add(&made->values.keys, name, strlen(name)), key + 1);
        result_add(&made->values.cells, &cell);
    }
    add_side(made, 0, planted);
    add_side(made, 1, planted);
}

/* What the usual rules say of it. */
static void judge(unsigned long long seed, struct planted planted, struct gate *gate)
{
    struct made made = {0};
    struct comparison comparison;
    struct error error = {0};
    gate_rules rules = {0};
    const struct comparison_options options = {.alpha = 0.01};
    *gate = (struct gate){0};
    make_values(&made, seed, planted);
    gate_rules_usual(&rules, "made", NAN);
    comparison_make(&comparison, &made.values, &options);
    for (size_t i = 0; i < rules.count; i++)
        if (!gate_judge(gate, &rules.items[i], &comparison, &error))
            fail_msg("%s", error.text);
    gate_sort(gate);
}

/* ------------------------------------------------------------------ what passes */

static void noise_passes(void **state)
{
    (void)state;
    int passed = 0;
    for (unsigned long long seed = 0; seed < 100; seed++) {
        struct gate gate;
        judge(seed, (struct planted){-1, 1, 1}, &gate);
        passed += gate.regressions == 0;
    }
    if (passed < 95)
        fail_msg("only %d of 100 pass", passed);
}

static void a_slower_row_does_not(void **state)
{
    (void)state;
    for (unsigned long long seed = 0; seed < 10; seed++) {
        struct gate gate;
        judge(seed, (struct planted){9, 1.1, 1}, &gate);
        assert_int_equal(gate.regressions, 1);
        assert_string_equal(gate.findings.items[0].name, "op9");
        assert_int_equal(gate.findings.items[0].verdict, GATE_REGRESSION);
    }
}

static void a_faster_row_does(void **state)
{
    (void)state;
    struct gate gate;
    judge(1, (struct planted){19, 0.5, 1}, &gate);
    assert_int_equal(gate.regressions, 0);
    assert_true(gate.findings.count >= 1);
    assert_int_equal(gate.findings.items[0].verdict, GATE_IMPROVEMENT);
}

static void of_clocks_only_the_total_tells(void **state)
{
    (void)state;
    struct gate gate;
    judge(2, (struct planted){-1, 1, 1.087}, &gate);
    assert_int_equal(gate.regressions, 1);
    assert_string_equal(gate.findings.items[0].name, "total");
}

static void machines_can_read_it(void **state)
{
    (void)state;
    struct gate gate;
    struct text out = {0};
    struct identity identity = {0};
    struct identity *base = array_push(&identity.sides);
    assert_non_null(base);
    *base = (struct identity){.side = memory_text("\"a\"")};
    identity_add(base, "run", IDENTITY_LIST, "<one>");
    identity_add(base, "run", IDENTITY_LIST, "two");
    judge(3, (struct planted){9, 1.5, 1}, &gate);
    gate_junit(&gate, &identity, &out);
    assert_non_null(strstr(
        out.items, "<properties>\n    <property name=\"&quot;a&quot; run\" value=\"&lt;one&gt;, "
                   "two\"/>\n  </properties>\n"));
    assert_non_null(strstr(out.items, "tests=\"2\" failures=\"2\""));
    assert_non_null(strstr(out.items, "<failure message=\"1 regression\">op9: us "));
    assert_non_null(strstr(out.items, "-&gt;"));
    text_clear(&out);
    gate_annotations(&gate, &out);
    assert_non_null(strstr(out.items, "::error title=tpq gate: regression::op9: us "));
    assert_non_null(strstr(out.items, "%25)\n"));
    text_clear(&out);
    gate_words(&gate, &out);
    assert_string_equal(out.items, "2 regressions (2 rules, 21 rows)");
}

/* ------------------------------------------------------------------ rules */

static void rules_are_read(void **state)
{
    (void)state;
    gate_rules rules = {0};
    struct error error = {0};
    assert_true(gate_rules_read(&rules,
                                "# what may be\nkey,relative,level,direction\n"
                                "\"a,\"\"b\",3%,op,down\r\n\n ,,step\nlast",
                                "f", &error));
    assert_int_equal(rules.count, 3);
    assert_string_equal(rules.items[0].key, "a,\"b");
    assert_true(rules.items[0].relative == 3 && isnan(rules.items[0].absolute));
    assert_string_equal(rules.items[0].level, "op");
    assert_int_equal(rules.items[0].direction, -1);
    assert_int_equal(rules.items[0].line, 3);
    assert_null(rules.items[1].key);
    assert_string_equal(rules.items[1].level, "step");
    assert_string_equal(rules.items[2].key, "last");
}

static void wrong_rules_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"level,colour\n", "f:1: rules have no such column"},
        {"key,relative\nx,much\n", "f:2: that is no number from 0"},
        {"key,alpha\nx,-1\n", "f:2: that is no number"},
        {"key,direction\nx,left\n", "f:2: the direction that is worse"},
        {"key\nx,y\n", "f:2: there are more fields"},
        {"key\n\"x,y\nz\n", "f:2: a quote has no end: 'x,y'"},
        {"key\n\"x\"y\n", "f:2: there is more behind the end of a quote: 'x'"},
        {"key,level,key\nx\n", "f:1: this column is there twice: 'key'"},
        {"alpha\n1.5\n", "f:2: alpha is at most 1"},
        {"share\n150%\n", "f:2: a share is at most 100 %"},
        {"key\n", "f: there are no rules"},
        {"", "f: there are no rules"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gate_rules rules = {0};
        struct error error = {0};
        assert_false(gate_rules_read(&rules, wrong[i][0], "f", &error));
        assert_int_equal(error.status, STATUS_USAGE);
        if (!strstr(error.text, wrong[i][1]))
            fail_msg("%s", error.text);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(noise_passes),
    cmocka_unit_test(a_slower_row_does_not),
    cmocka_unit_test(a_faster_row_does),
    cmocka_unit_test(of_clocks_only_the_total_tells),
    cmocka_unit_test(machines_can_read_it),
    cmocka_unit_test(rules_are_read),
    cmocka_unit_test(wrong_rules_are_refused),
};
GROUP(gate, memory_setup, memory_teardown)
