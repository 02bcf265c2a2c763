/* The grammar of scenarios. */
#include "tests/unit/support.h"

#include "sql/binding/scenario.h"

#include <string.h>

static void names_go_on_until_a_factor(void **state)
{
    (void)state;
    scenario_list list = {0};
    struct error error = {0};
    assert_true(scenario_parse(&list,
                               " op=aten::mm+host x0.5; kernel=void f<4, x2>(int, x) x0 , host x2;"
                               "class=memory & device=3 x0.125;roofline:GEMM, hidden ;balanced; ",
                               "", "what-if", &error));
    assert_int_equal(list.count, 5);
    assert_string_equal(list.items[0].text, "op=aten::mm+host x0.5");
    const struct change *change = &list.items[0].changes.items[0];
    assert_int_equal(change->selectors.items[0].kind, SELECT_OP);
    assert_true(change->selectors.items[0].with_host);
    assert_string_equal(change->selectors.items[0].value, "aten::mm");
    assert_int_equal(factor_of(change->factor, 7), 3);
    assert_int_equal(list.items[1].changes.count, 2);
    assert_string_equal(list.items[1].changes.items[0].selectors.items[0].value,
                        "void f<4, x2>(int, x)");
    assert_int_equal(factor_of(list.items[1].changes.items[0].factor, 7), 0);
    assert_int_equal(factor_of(list.items[1].changes.items[1].factor, 7), 14);
    change = &list.items[2].changes.items[0];
    assert_int_equal(change->selectors.count, 2);
    assert_string_equal(change->selectors.items[0].value, "memory");
    assert_string_equal(change->selectors.items[1].value, "3");
    assert_int_equal(factor_of(change->factor, 17), 2);
    assert_string_equal(list.items[3].changes.items[0].selectors.items[0].value, "GEMM");
    assert_int_equal(list.items[3].changes.items[1].selectors.items[0].kind, SELECT_HIDDEN);
    assert_int_equal(list.items[4].changes.items[0].selectors.items[0].kind, SELECT_BALANCED);
    scenario_free(&list);
}

static void what_is_no_scenario_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "x0.5",
        "host",
        "host x",
        "host xNaN",
        "host x-1",
        "host x1.2.3",
        "host x.",
        "host x1001",
        "host x0.0000000001",
        "host x1e3",
        "host x0.5 x0.5",
        "kernel x0",
        "kernel= x0",
        "kernel=a",
        "op=+host x0",
        "kernel~( x0",
        "class=gemm x0",
        "rank=one x0",
        "rank= x0",
        "device=12345678901 x0",
        "host & rank=1 x0",
        "rank=1 & hidden",
        "hidden x0",
        "roofline: x0",
        "host x0;;host x0",
        "host x0, ",
        "hosts x0",
        "op=a x0 extra",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scenario_list list = {0};
        struct error error = {0};
        if (scenario_parse(&list, texts[i], "--", "what-if", &error))
            fail_msg("'%s' is a scenario", texts[i]);
        assert_int_equal(error.status, STATUS_USAGE);
        assert_memory_equal(error.text, "--what-if: ", strlen("--what-if: "));
        scenario_free(&list);
    }
}

static void factors_multiply_and_round_down(void **state)
{
    (void)state;
    struct factor half = {1, 2}, third = {1, 3}, large = {INT64_MAX / 4, INT64_MAX / 2};
    assert_int_equal(factor_of(factor_times(half, third), 13), 2);
    assert_int_equal(factor_of(factor_times(factor_same, third), 13), 4);
    assert_int_equal(factor_of(half, -5), -5);
    assert_int_equal(factor_of(half, 0), 0);
    assert_in_range(factor_of(factor_times(large, large), 1000000), 249990, 250010);
    assert_int_equal(factor_of((struct factor){1000, 1}, INT64_MAX), INT64_MAX / 4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_go_on_until_a_factor),
    cmocka_unit_test(what_is_no_scenario_is_refused),
    cmocka_unit_test(factors_multiply_and_round_down),
};
GROUP(scenario, NULL, NULL)
