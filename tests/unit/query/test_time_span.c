/* Windows of time as users write them. */
#include "query/select/window.h"

#include "tests/unit/support.h"

static const int64_t open_end = (int64_t)1 << 61;

static void what_is_a_window(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t first, last;
    } windows[] = {
        {"1-2", 1000000, 1999999},
        {"1.2s-1.3s", 1200000000, 1299999999},
        {"5ns-6ns", 5, 5},
        {"500us-2ms", 500000, 1999999},
        {"500\xC2\xB5s-.75ms", 500000, 749999},
        {"0.0000019ms-1s", 1, 999999999},
        {"3-", 3000000, open_end},
        {"-4.", -open_end, 3999999},
        {"0-9223372036ns", 0, 9223372035},
    };
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct range span;
        assert_true(time_span_read(windows[i].text, &span));
        assert_int_equal(span.first, windows[i].first);
        assert_int_equal(span.last, windows[i].last);
    }
}

static void what_is_none(void **state)
{
    (void)state;
    const char *const texts[] = {"",
                                 "-",
                                 "1",
                                 "2-1",
                                 "1-1",
                                 "1ms-1000us",
                                 "1h-2h",
                                 "1-2-3",
                                 "1e3-2",
                                 "a-b",
                                 "1 -2",
                                 ".-1",
                                 "--1",
                                 "99999999999999999999-",
                                 "0-9223372036855s"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct range span;
        assert_false(time_span_read(texts[i], &span));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_a_window),
    cmocka_unit_test(what_is_none),
};
GROUP(time_span, NULL, NULL)
