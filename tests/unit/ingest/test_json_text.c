/* The inside of JSON values: what a string says, the one spelling of a value, numbers to the last
 * digit, and looking things up in canonical text. */
#include "tests/unit/support.h"

#include "ingest/input/json.h"
#include "ingest/input/json_text.h"
#include "src/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACED "\xEF\xBF\xBD"

static uint32_t seed;

static unsigned random_below(unsigned range)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % range;
}

static void add_string(struct text *text, const char *string)
{
    text_add_string(text, string);
}

static void assert_repairs(const struct json_repairs *repairs, const struct json_repairs *expected)
{
    assert_int_equal(repairs->lone_surrogates, expected->lone_surrogates);
    assert_int_equal(repairs->invalid_utf8, expected->invalid_utf8);
    assert_int_equal(repairs->nul_characters, expected->nul_characters);
    assert_int_equal(repairs->duplicate_keys, expected->duplicate_keys);
    assert_int_equal(repairs->not_finite, expected->not_finite);
}

/* ------------------------------------------------------------------ strings */

struct string_case {
    struct view raw;
    const char *plain;
    struct json_repairs repairs;
};

static void assert_unescapes(const struct string_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text text = {0};
        struct json_repairs repairs = {0};
        json_unescape(cases[i].raw, &text, &repairs);
        assert_string_equal(text.items, cases[i].plain);
        assert_int_equal(text.count, strlen(cases[i].plain));
        assert_repairs(&repairs, &cases[i].repairs);
        text_free(&text);
    }
}
#define ASSERT_UNESCAPES(cases) assert_unescapes(cases, sizeof(cases) / sizeof *(cases))

static void escapes_stand_for_characters(void **state)
{
    (void)state;
    static const struct string_case cases[] = {
        {VIEW_OF(""), "", {0}},
        {VIEW_OF("plain, with [brackets] and \xC3\xA9"),
         "plain, with [brackets] and \xC3\xA9",
         {0}},
        {VIEW_OF("\\\"\\\\\\/\\b\\f\\n\\r\\t"), "\"\\/\b\f\n\r\t", {0}},
        {VIEW_OF("a\\nb\\\\nc"), "a\nb\\nc", {0}},
        {VIEW_OF("\\u0041\\u00e9\\u20AC\\uFFFF"), "A\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF", {0}},
        {VIEW_OF("\\u00e9t\\u00C9"), "\xC3\xA9t\xC3\x89", {0}},
        {VIEW_OF("\\ud83d\\ude00!"), "\xF0\x9F\x98\x80!", {0}},
        {VIEW_OF("\\uD800\\uDC00\\uDBFF\\uDFFF"), "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", {0}},
        {VIEW_OF("raw\ttab\nline\x7F"), "raw\ttab\nline\x7F", {0}},
        /* not JSON, and read all the same */
        {VIEW_OF("\\x\\'\\ "), "x' ", {0}},
        {VIEW_OF("\\\xC3\xA9"), "\xC3\xA9", {0}},
        {VIEW_OF("\\u12G4\\u"), "u12G4u", {0}},
        {VIEW_OF("\\U0041"), "U0041", {0}},
    };
    ASSERT_UNESCAPES(cases);
}

static void half_a_surrogate_pair_is_replaced(void **state)
{
    (void)state;
    static const struct string_case cases[] = {
        {VIEW_OF("\\ud83d"), REPLACED, {.lone_surrogates = 1}},
        {VIEW_OF("\\udfff"), REPLACED, {.lone_surrogates = 1}},
        {VIEW_OF("\\udc00\\udc00"), REPLACED REPLACED, {.lone_surrogates = 2}},
        {VIEW_OF("\\ud7ff\\ue000"), "\xED\x9F\xBF\xEE\x80\x80", {0}},
        {VIEW_OF("\\ude00"), REPLACED, {.lone_surrogates = 1}},
        {VIEW_OF("a\\ud83db"), "a" REPLACED "b", {.lone_surrogates = 1}},
        {VIEW_OF("\\ude00\\ud83d"), REPLACED REPLACED, {.lone_surrogates = 2}},
        {VIEW_OF("\\ud83d\\ud83d\\ude00"), REPLACED "\xF0\x9F\x98\x80", {.lone_surrogates = 1}},
        {VIEW_OF("\\ud83d\\u0041"), REPLACED "A", {.lone_surrogates = 1}},
        {VIEW_OF("\\ud83d\\n"), REPLACED "\n", {.lone_surrogates = 1}},
        {VIEW_OF("\\ud83d\\ude0"), REPLACED "ude0", {.lone_surrogates = 1}},
        {VIEW_OF("\\udbff\\ue000"), REPLACED "\xEE\x80\x80", {.lone_surrogates = 1}},
        {VIEW_OF("\\ud7ff"), "\xED\x9F\xBF", {0}},
        {VIEW_OF("\\ue000"), "\xEE\x80\x80", {0}},
    };
    ASSERT_UNESCAPES(cases);
}

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    (void)state;
    static const struct string_case cases[] = {
        {VIEW_OF("\xFF"), REPLACED, {.invalid_utf8 = 1}},
        {VIEW_OF("a\xC3"), "a" REPLACED, {.invalid_utf8 = 1}},
        {VIEW_OF("\xC3(\xA9"), REPLACED "(" REPLACED, {.invalid_utf8 = 2}},
        {VIEW_OF("\xED\xA0\xBD"), REPLACED REPLACED REPLACED, {.invalid_utf8 = 3}},
        {VIEW_OF("\xE2\x82\\n"), REPLACED REPLACED "\n", {.invalid_utf8 = 2}},
        {VIEW_OF("\\\xFF"), REPLACED, {.invalid_utf8 = 1}},
    };
    ASSERT_UNESCAPES(cases);
}

static void zero_characters_are_replaced(void **state)
{
    (void)state;
    static const struct string_case cases[] = {
        {VIEW_OF("\\u0000"), REPLACED, {.nul_characters = 1}},
        {VIEW_OF("a\0b"), "a" REPLACED "b", {.nul_characters = 1}},
        {VIEW_OF("\\u0001"), "\x01", {0}},
    };
    ASSERT_UNESCAPES(cases);
}

static void an_escape_may_be_cut(void **state)
{
    (void)state;
    static const char whole[] = "ab\\ud83d\\ude00";
    static const char *const plain[] = {"",
                                        "a",
                                        "ab",
                                        "ab" REPLACED,
                                        "abu",
                                        "abud",
                                        "abud8",
                                        "abud83",
                                        "ab" REPLACED,
                                        "ab" REPLACED REPLACED,
                                        "ab" REPLACED "u",
                                        "ab" REPLACED "ud",
                                        "ab" REPLACED "ude",
                                        "ab" REPLACED "ude0",
                                        "ab\xF0\x9F\x98\x80"};
    for (size_t length = 0; length < sizeof whole; length++) {
        /* on the heap, so that a look behind the end is noticed */
        char *raw = memory_take(length + 1);
        assert_non_null(raw);
        raw = memory_resize(raw, length ? length : 1, 1);
        assert_non_null(raw);
        memcpy(raw, whole, length);
        struct text text = {0};
        struct json_repairs repairs = {0};
        json_unescape((struct view){raw, length}, &text, &repairs);
        assert_string_equal(text.items, plain[length]);
        text_free(&text);
        memory_free(raw);
    }
}

static void unescaping_appends(void **state)
{
    (void)state;
    struct text text = {0};
    struct json_repairs repairs = {0};
    add_string(&text, "before ");
    json_unescape(VIEW("\\u0041\\ud800"), &text, &repairs);
    json_unescape(VIEW("\xFF"), &text, &repairs);
    assert_string_equal(text.items, "before A" REPLACED REPLACED);
    struct json_repairs expected = {.lone_surrogates = 1, .invalid_utf8 = 1};
    assert_repairs(&repairs, &expected);
    text_free(&text);
}

/* ------------------------------------------------------------------ canonical form */

struct value_case {
    struct view raw;
    const char *canonical;
    struct json_repairs repairs;
};

static void assert_canonical(const struct value_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text text = {0}, again = {0};
        struct json_repairs repairs = {0}, none = {0};
        add_string(&text, "before");
        if (json_canonical(cases[i].raw, &text, &repairs) != JSON_CANON_DONE)
            fail_msg("refused: %s", cases[i].raw.bytes);
        assert_string_equal(text.items + 6, cases[i].canonical);
        assert_int_equal(text.count, 6 + strlen(cases[i].canonical));
        assert_repairs(&repairs, &cases[i].repairs);

        /* it is its own canonical form, with nothing to repair */
        repairs = none;
        assert_int_equal(json_canonical(view_of(cases[i].canonical), &again, &repairs),
                         JSON_CANON_DONE);
        assert_string_equal(again.items, cases[i].canonical);
        assert_repairs(&repairs, &none);
        text_free(&text);
        text_free(&again);
    }
}
#define ASSERT_CANONICAL(cases) assert_canonical(cases, sizeof(cases) / sizeof *(cases))

static void white_space_is_taken_out(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {VIEW_OF(" [ ] "), "[]", {0}},
        {VIEW_OF("{\n}"), "{}", {0}},
        {VIEW_OF("\t[ 1 ,\r\n[ 2 , [ ] ] , \" a b \" ] \n"), "[1,[2,[]],\" a b \"]", {0}},
        {VIEW_OF(" { \"a\" : { \"b\" : [ true , false , null ] } } "),
         "{\"a\":{\"b\":[true,false,null]}}",
         {0}},
        {VIEW_OF("[[[[\"[\"]]],\"]\"]"), "[[[[\"[\"]]],\"]\"]", {0}},
        /* control characters are escaped however they were written */
        {VIEW_OF("[\"\x7F\",\"\\u007F\",\"\xC2\x9B\"]"),
         "[\"\\u007f\",\"\\u007f\",\"\\u009b\"]",
         {0}},
    };
    ASSERT_CANONICAL(cases);
}

static void members_are_sorted_by_key(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {VIEW_OF("{\"b\":1,\"a\":2}"), "{\"a\":2,\"b\":1}", {0}},
        {VIEW_OF("{\"ab\":1,\"a\":2,\"\":3,\"a b\":4,\"B\":5}"),
         "{\"\":3,\"B\":5,\"a\":2,\"a b\":4,\"ab\":1}",
         {0}},
        {VIEW_OF("{\"z\":{\"y\":1,\"x\":[{\"d\":1,\"c\":2}]},\"a\":\"}\"}"),
         "{\"a\":\"}\",\"z\":{\"x\":[{\"c\":2,\"d\":1}],\"y\":1}}",
         {0}},
        {VIEW_OF("{\"\xC3\xA9\":1,\"z\":2}"), "{\"z\":2,\"\xC3\xA9\":1}", {0}},
        {VIEW_OF("{\"\\u007a\":1,\"y\":2}"), "{\"y\":2,\"z\":1}", {0}},
        {VIEW_OF("[2,1,{\"a\":0}]"), "[2,1,{\"a\":0}]", {0}},
    };
    ASSERT_CANONICAL(cases);
}

static void of_equal_keys_the_last_holds(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {VIEW_OF("{\"a\":1,\"a\":2}"), "{\"a\":2}", {.duplicate_keys = 1}},
        {VIEW_OF("{\"a\":1,\"a\":2,\"a\":[3]}"), "{\"a\":[3]}", {.duplicate_keys = 2}},
        {VIEW_OF("{\"b\":1,\"a\":2,\"b\":3,\"a\":4}"), "{\"a\":4,\"b\":3}", {.duplicate_keys = 2}},
        {VIEW_OF("{\"a\":1,\"\\u0061\":2}"), "{\"a\":2}", {.duplicate_keys = 1}},
        {VIEW_OF("{\"x\":{\"k\":1,\"k\":2},\"x\":{\"k\":3,\"k\":4}}"),
         "{\"x\":{\"k\":4}}",
         {.duplicate_keys = 3}},
        {VIEW_OF("{\"aa\":1,\"a\":2,\"aa\":3}"), "{\"a\":2,\"aa\":3}", {.duplicate_keys = 1}},
        {VIEW_OF("[{\"a\":1},{\"a\":2}]"), "[{\"a\":1},{\"a\":2}]", {0}},
    };
    ASSERT_CANONICAL(cases);
}

static void numbers_keep_their_text(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "0",
        "-0",
        "1",
        "1.0",
        "1.50",
        "1e5",
        "1E+05",
        "1e-07",
        "0.1e1",
        "-12.5",
        "123456789012345678901234567890.000000000000000000001",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct value_case single = {view_of(numbers[i]), numbers[i], {0}};
        assert_canonical(&single, 1);
    }
    static const struct value_case cases[] = {
        {VIEW_OF("NaN"), "null", {.not_finite = 1}},
        {VIEW_OF("[NaN,nan,-nan,Infinity,-Infinity,inf,-inf,null]"),
         "[null,null,null,null,null,null,null,null]",
         {.not_finite = 7}},
        {VIEW_OF("{\"a\": NaN }"), "{\"a\":null}", {.not_finite = 1}},
        {VIEW_OF("[1 , true , null ]"), "[1,true,null]", {0}},
    };
    ASSERT_CANONICAL(cases);
}

static void strings_have_one_spelling(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {VIEW_OF("\"\\u0041\\/\\u00e9\\ud83d\\ude00\""), "\"A/\xC3\xA9\xF0\x9F\x98\x80\"", {0}},
        {VIEW_OF("\"\\n\\u000a\\u000A\n\""), "\"\\u000a\\u000a\\u000a\\u000a\"", {0}},
        {VIEW_OF("\"\\\"\\u0022\\\\\\u005c\""), "\"\\\"\\\"\\\\\\\\\"", {0}},
        {VIEW_OF("\"\\u0000\""), "\"\\u0000\"", {0}}, /* inside JSON it does no harm */
        {VIEW_OF("\"a\\udc00b\xFF\""),
         "\"a" REPLACED "b" REPLACED "\"",
         {.lone_surrogates = 1, .invalid_utf8 = 1}},
        {VIEW_OF("{\"\\ud800\":\"\xC3\"}"),
         "{\"" REPLACED "\":\"" REPLACED "\"}",
         {.lone_surrogates = 1, .invalid_utf8 = 1}},
        {VIEW_OF("\"\\'\\x\""), "\"'x\"", {0}},
    };
    ASSERT_CANONICAL(cases);
}

static void what_is_malformed_is_refused(void **state)
{
    (void)state;
    static const struct view cases[] = {
        VIEW_OF(""),
        VIEW_OF(" \n"),
        VIEW_OF("{"),
        VIEW_OF("["),
        VIEW_OF("\""),
        VIEW_OF("\"a"),
        VIEW_OF("\"\\"),
        VIEW_OF("\"\\\""),
        VIEW_OF("]"),
        VIEW_OF("}"),
        VIEW_OF(","),
        VIEW_OF(":"),
        VIEW_OF("[1"),
        VIEW_OF("[1,"),
        VIEW_OF("[1,]"),
        VIEW_OF("[,]"),
        VIEW_OF("[,1]"),
        VIEW_OF("[1 2]"),
        VIEW_OF("[1}"),
        VIEW_OF("[1]]"),
        VIEW_OF("[] []"),
        VIEW_OF("[1]x"),
        VIEW_OF("[\"a\":1]"),
        VIEW_OF("[\"a\"\"b\"]"),
        VIEW_OF("{\"a\"}"),
        VIEW_OF("{\"a\":}"),
        VIEW_OF("{\"a\":1,}"),
        VIEW_OF("{\"a\":1"),
        VIEW_OF("{\"a\":"),
        VIEW_OF("{\"a\""),
        VIEW_OF("{\"a"),
        VIEW_OF("{,}"),
        VIEW_OF("{a:1}"),
        VIEW_OF("{1:2}"),
        VIEW_OF("{null:2}"),
        VIEW_OF("{\"a\":1 \"b\":2}"),
        VIEW_OF("{\"a\" 1}"),
        VIEW_OF("{\"a\":1]"),
        VIEW_OF("{\"a\"::1}"),
        VIEW_OF("{\"a\":1:2}"),
        VIEW_OF("{\"a\":1}}"),
        VIEW_OF("1 2"),
        VIEW_OF("tru"),
        VIEW_OF("nul"),
        VIEW_OF("nulll"),
        VIEW_OF("True"),
        VIEW_OF("NULL"),
        VIEW_OF("nan1"),
        VIEW_OF("infinity"),
        VIEW_OF("+1"),
        VIEW_OF(".5"),
        VIEW_OF("5."),
        VIEW_OF("1e"),
        VIEW_OF("1e+"),
        VIEW_OF("1e5.5"),
        VIEW_OF("--1"),
        VIEW_OF("-"),
        VIEW_OF("-a"),
        VIEW_OF("0x10"),
        VIEW_OF("1.2.3"),
        VIEW_OF("1_000"),
        VIEW_OF("01"),
        VIEW_OF("-007"),
        VIEW_OF("00.5"),
        VIEW_OF("'a'"),
        VIEW_OF("\0"),
        VIEW_OF("1\0"),
        VIEW_OF("/**/1"),
        VIEW_OF("\xEF\xBB\xBF"
                "1"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int nested = 0; nested < 3; nested++) {
            struct text raw = {0}, text = {0};
            struct json_repairs repairs = {0};
            add_string(&raw, nested == 1 ? "[[1]," : nested == 2 ? "{\"b\":0,\"a\":" : "");
            text_add(&raw, cases[i].bytes, cases[i].length);
            add_string(&raw, nested == 1 ? "]" : nested == 2 ? "}" : "");
            if (json_canonical((struct view){raw.items, raw.count}, &text, &repairs) !=
                JSON_CANON_MALFORMED)
                fail_msg("taken: %s", raw.items);
            text_free(&raw);
            text_free(&text);
        }
}

static void depth_is_limited(void **state)
{
    (void)state;
    static const size_t depths[] = {JSON_DEPTH_MAX, JSON_DEPTH_MAX + 1, 1000000};
    for (int i = 0; i < 6; i++) {
        struct text raw = {0}, text = {0};
        struct json_repairs repairs = {0};
        for (size_t j = 0; j < depths[i / 2]; j++)
            add_string(&raw, i % 2 && j + 1 < depths[i / 2] ? "{\"a\":" : "[");
        for (size_t j = depths[i / 2]; j-- > 0;)
            add_string(&raw, i % 2 && j + 1 < depths[i / 2] ? "}" : "]");
        assert_int_equal(json_canonical((struct view){raw.items, raw.count}, &text, &repairs),
                         i < 2 ? JSON_CANON_DONE : JSON_CANON_MALFORMED);
        if (i < 2)
            assert_string_equal(text.items, raw.items);
        text_free(&raw);
        text_free(&text);
    }
}

/* Orders that make a careless sort slow. */
static void many_keys_are_sorted(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct text expected = {0};
    for (unsigned i = 0; i < COUNT; i++)
        text_format(&expected, "%s\"k%05u\":%u", i ? "," : "{", i, i);
    add_string(&expected, "}");
    for (int order = 0; order < 4; order++) {
        struct text raw = {0}, text = {0};
        struct json_repairs repairs = {0};
        for (unsigned i = 0; i < COUNT; i++) {
            unsigned key = order == 0   ? i
                           : order == 1 ? COUNT - 1 - i
                           : order == 2 ? (unsigned)(i * 7919ull % COUNT)
                                        : (i % 2 ? COUNT - 1 - i / 2 : i / 2);
            text_format(&raw, "%s\"k%05u\":%u", i ? "," : "{", key, key);
        }
        add_string(&raw, "}");
        assert_int_equal(json_canonical((struct view){raw.items, raw.count}, &text, &repairs),
                         JSON_CANON_DONE);
        assert_int_equal(text.count, expected.count);
        assert_memory_equal(text.items, expected.items, text.count);
        assert_int_equal(repairs.duplicate_keys, 0);
        text_free(&raw);
        text_free(&text);
    }
    /* one key over and over */
    text_clear(&expected);
    for (unsigned i = 0; i < COUNT; i++)
        text_format(&expected, "%s\"k\":%u", i ? "," : "{", i);
    add_string(&expected, "}");
    struct text text = {0};
    struct json_repairs repairs = {0};
    assert_int_equal(json_canonical((struct view){expected.items, expected.count}, &text, &repairs),
                     JSON_CANON_DONE);
    assert_string_equal(text.items, "{\"k\":99999}");
    assert_int_equal(repairs.duplicate_keys, COUNT - 1);
    text_free(&text);
    text_free(&expected);
}

/* ------------------------------------------------------------------ any value at all */

static void add_space(struct text *text)
{
    static const char *const spaces[] = {"", " ", "\n", "\r\n\t", "  "};
    add_string(text, spaces[random_below(5)]);
}

/* A string whose characters are the letters of `number`, each in one of its spellings. */
static void add_spelled(struct text *text, unsigned number)
{
    static const char *const spellings[][3] = {
        {"a", "\\u0061", "a"},
        {"\xC3\xA9", "\\u00e9", "\\u00E9"},
        {"\\n", "\\u000a", "\n"},
        {"\\\"", "\\u0022", "\\\""},
        {"\xF0\x9F\x98\x80", "\\ud83d\\ude00", "\\uD83D\\uDE00"},
        {"/", "\\/", "\\u002f"},
        {"\\\\", "\\u005C", "\\\\"},
    };
    add_string(text, "\"");
    for (number++; number; number /= 7)
        add_string(text, spellings[number % 7][random_below(3)]);
    add_string(text, "\"");
}

/* The value that `what` describes, with members in random order and random spelling. */
static void add_described(struct text *text, uint32_t what, unsigned depth)
{
    unsigned kind = what % 7, count = what / 7 % 6;
    add_space(text);
    if (kind < 2 || !depth)
        add_spelled(text, what / 7 % 1000);
    else if (kind == 2)
        text_format(text, "%u.%u", what / 7 % 100, what / 700 % 10);
    else if (kind < 5) {
        add_string(text, "[");
        for (unsigned i = 0; i < count; i++) {
            add_string(text, i ? "," : "");
            add_described(text, what * 31 + i * 1000003, depth - 1);
        }
        add_string(text, "]");
    } else {
        add_string(text, "{");
        unsigned first = count ? random_below(count) : 0;
        for (unsigned i = 0; i < count; i++) {
            unsigned member = (first + i) % count;
            add_string(text, i ? "," : "");
            add_space(text);
            add_spelled(text, what / 11 % 500 + member);
            add_space(text);
            add_string(text, ":");
            add_described(text, what * 37 + member * 1000003, depth - 1);
        }
        add_string(text, "}");
    }
    add_space(text);
}

static void equal_values_have_one_text(void **state)
{
    (void)state;
    struct text raw = {0}, text = {0}, first = {0};
    for (uint32_t what = 5; what < 400000; what += 397) {
        for (int spelling = 0; spelling < 4; spelling++) {
            struct json_repairs repairs = {0}, none = {0};
            seed = what * 4 + (uint32_t)spelling;
            text_clear(&raw);
            add_described(&raw, what, 5);
            struct text *out = spelling ? &text : &first;
            text_clear(out);
            if (json_canonical((struct view){raw.items, raw.count}, out, &repairs) !=
                JSON_CANON_DONE)
                fail_msg("refused: %s", raw.items);
            assert_repairs(&repairs, &none);
            if (spelling)
                assert_string_equal(text.items, first.items);
        }
        /* and no beginning of it is a value */
        struct json_repairs repairs = {0};
        if (strchr("[{\"", first.items[0]))
            for (size_t cut = 0; cut < first.count; cut += 1 + first.count / 9) {
                text_clear(&text);
                assert_int_equal(json_canonical((struct view){first.items, cut}, &text, &repairs),
                                 JSON_CANON_MALFORMED);
            }
    }
    text_free(&raw);
    text_free(&text);
    text_free(&first);
}

/* ------------------------------------------------------------------ times */

static void assert_nanoseconds(const char *text, int64_t expected)
{
    int64_t nanoseconds = -77;
    if (json_nanoseconds(view_of(text), &nanoseconds) != JSON_NUMBER_FINE ||
        nanoseconds != expected)
        fail_msg("%s is not %lld but %lld", text, (long long)expected, (long long)nanoseconds);
}

static void assert_no_time(const char *text, enum json_number expected)
{
    int64_t nanoseconds;
    enum json_number result = json_nanoseconds(view_of(text), &nanoseconds);
    if (result != expected)
        fail_msg("%s gives %d", text, (int)result);
}

static void microseconds_become_nanoseconds(void **state)
{
    (void)state;
    assert_nanoseconds("0", 0);
    assert_nanoseconds("-0", 0);
    assert_nanoseconds("0.0", 0);
    assert_nanoseconds("1", 1000);
    assert_nanoseconds("1.5", 1500);
    assert_nanoseconds("1.25", 1250);
    assert_nanoseconds("1.125", 1125);
    assert_nanoseconds("0.001", 1);
    assert_nanoseconds("-1.001", -1001);
    assert_nanoseconds("-123456789.5", -123456789500);
    assert_nanoseconds("6151443524873.119", 6151443524873119);
    assert_nanoseconds("1720000000000000.001", 1720000000000000001);
    assert_nanoseconds("1720000000000000.999", 1720000000000000999);
    assert_nanoseconds("4503599627370497.001", 4503599627370497001); /* no double can say that */
}

/* Every digit counts at every magnitude; a double would lose some from 9e15 nanoseconds on. */
static void no_digit_is_lost(void **state)
{
    (void)state;
    seed = 3;
    for (int round = 0; round < 20000; round++) {
        char text[64], fraction[10] = "";
        int digits = 1 + (int)random_below(16), decimals = (int)random_below(10);
        uint64_t whole = 0;
        for (int i = 0; i < digits; i++)
            whole = whole * 10 + (i || digits == 1 ? random_below(10) : 1 + random_below(4));
        for (int i = 0; i < decimals; i++)
            fraction[i] = (char)('0' + random_below(10));
        snprintf(text, sizeof text, "%llu%s%s", (unsigned long long)whole, decimals ? "." : "",
                 fraction);
        uint64_t expected = whole * 1000;
        for (int i = 0, unit = 100; i < 3 && i < decimals; i++, unit /= 10)
            expected += (uint64_t)(unit * (fraction[i] - '0'));
        expected += decimals > 3 && fraction[3] >= '5';
        if (expected > (1ull << 62) - (1ull << 53)) {
            assert_no_time(text, JSON_NUMBER_TOO_LARGE);
            continue;
        }
        assert_nanoseconds(text, (int64_t)expected);
        char negative[65];
        snprintf(negative, sizeof negative, "-%s", text);
        assert_nanoseconds(negative, -(int64_t)expected);
    }
}

static void halves_are_rounded_away_from_zero(void **state)
{
    (void)state;
    assert_nanoseconds("0.0005", 1);
    assert_nanoseconds("0.0004", 0);
    assert_nanoseconds("0.00049999999999999999999999", 0);
    assert_nanoseconds("0.00050000000000000000000001", 1);
    assert_nanoseconds("0.00009", 0);
    assert_nanoseconds("-0.0005", -1);
    assert_nanoseconds("-0.0004", 0);
    assert_nanoseconds("1.0005", 1001);
    assert_nanoseconds("2.0005", 2001);
    assert_nanoseconds("1.9995", 2000);
    assert_nanoseconds("999.9995", 1000000);
    assert_nanoseconds("-1.9994999", -1999);
    assert_nanoseconds("6151443524873.1195", 6151443524873120);
}

static void exponents_move_the_point(void **state)
{
    (void)state;
    assert_nanoseconds("1e0", 1000);
    assert_nanoseconds("1e3", 1000000);
    assert_nanoseconds("1E+3", 1000000);
    assert_nanoseconds("1.5e-3", 2);
    assert_nanoseconds("1.4e-3", 1);
    assert_nanoseconds("5e-4", 1);
    assert_nanoseconds("4.9e-4", 0);
    assert_nanoseconds("-25e-1", -2500);
    assert_nanoseconds("0.00000123e12", 1230000000);
    assert_nanoseconds("1.234567890123456e12", 1234567890123456);
    assert_nanoseconds("123456789012345678901234e-15", 123456789012);
    assert_nanoseconds("4e15", 4000000000000000000);
    assert_nanoseconds("1e-99999999999999999999", 0);
    assert_nanoseconds("0e99999999999999999999", 0);
    assert_nanoseconds("0.000e5", 0);
}

static void long_numbers_are_read_to_the_end(void **state)
{
    (void)state;
    assert_nanoseconds("1234567890123.4564999999999999999999999", 1234567890123456);
    assert_nanoseconds("1234567890123.4565000000000000000000000", 1234567890123457);
    assert_nanoseconds("0.0000000000000000000000000000000000001", 0);
    assert_nanoseconds("1.0000000000000000000000000000000000001", 1000);
    assert_no_time("1234567890123456789012345", JSON_NUMBER_TOO_LARGE);
    assert_no_time("-1234567890123456789012345", JSON_NUMBER_TOO_LARGE);
    /* a megabyte of digits */
    struct text number = {0};
    add_string(&number, "7.");
    for (int i = 0; i < 1 << 20; i++)
        text_add_byte(&number, '4');
    assert_nanoseconds(number.items, 7444);
    number.items[1] = '4';
    assert_no_time(number.items, JSON_NUMBER_TOO_LARGE);
    memset(number.items + 2, '0', number.count - 2);
    number.items[0] = '0';
    number.items[1] = '.';
    number.items[number.count - 1] = '1';
    assert_nanoseconds(number.items, 0);
    text_free(&number);
}

static void times_have_a_limit(void **state)
{
    (void)state;
    assert_nanoseconds("4602678819172646.912", ((int64_t)1 << 62) - ((int64_t)1 << 53));
    assert_nanoseconds("-4602678819172646.912", -(((int64_t)1 << 62) - ((int64_t)1 << 53)));
    assert_nanoseconds("4602678819172646.9124", ((int64_t)1 << 62) - ((int64_t)1 << 53));
    assert_no_time("4602678819172646.913", JSON_NUMBER_TOO_LARGE);
    assert_no_time("4602678819172646.9125", JSON_NUMBER_TOO_LARGE);
    assert_no_time("-4602678819172646.913", JSON_NUMBER_TOO_LARGE);
    assert_no_time("9999999999999999.999", JSON_NUMBER_TOO_LARGE);
    assert_no_time("10000000000000000", JSON_NUMBER_TOO_LARGE);
    assert_no_time("18446744073709551615", JSON_NUMBER_TOO_LARGE);
    assert_no_time("18446744073709552.616", JSON_NUMBER_TOO_LARGE); /* 2^64 and a little more */
    assert_no_time("5e15", JSON_NUMBER_TOO_LARGE);
    assert_no_time("1e16", JSON_NUMBER_TOO_LARGE);
    assert_no_time("1e400", JSON_NUMBER_TOO_LARGE);
    assert_no_time("-1e99999999999999999999", JSON_NUMBER_TOO_LARGE);
}

static void what_is_no_number_is_no_time(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "-",
        ".",
        "1.",
        ".5",
        "-.5",
        "5.e3",
        "1e",
        "1e+",
        "e5",
        "abc",
        " 1",
        "1 ",
        "1,5",
        "+1",
        "--1",
        "0x10",
        "NaN",
        "inf",
        "Infinity",
        "1.x",
        "1.5x",
        "1.2.3",
        "1e5.5",
        "1e5e5",
        "12345678901234567x",
        "1234567890123456x",
        "null",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_no_time(texts[i], JSON_NUMBER_MALFORMED);
    int64_t nanoseconds;
    assert_int_equal(json_nanoseconds(VIEW("1\0"), &nanoseconds), JSON_NUMBER_MALFORMED);
}

/* ------------------------------------------------------------------ whole numbers */

static void whole_numbers_have_64_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"7", 7},
        {"-42", -42},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775807", -INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"9223372036854775808", INT64_MIN}, /* unsigned ones wrap */
        {"18446744073709551614", -2},
        {"18446744073709551615", -1},
        {"00000000000000000012", 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        if (!json_integer(view_of(cases[i].text), &value) || value != cases[i].value)
            fail_msg("%s gives %lld", cases[i].text, (long long)value);
    }
    static const char *const bad[] = {"",
                                      "-",
                                      "--1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "1e3",
                                      "0x1f",
                                      "abc",
                                      "1a",
                                      "\"1\"",
                                      "null",
                                      "18446744073709551616",
                                      "20000000000000000000",
                                      "99999999999999999999",
                                      "100000000000000000000",
                                      "-9223372036854775809",
                                      "-18446744073709551615",
                                      "123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        if (json_integer(view_of(bad[i]), &value))
            fail_msg("%s is taken for %lld", bad[i], (long long)value);
    }
}

static void whole_numbers_may_be_reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"7", 7},   {"7.0", 7}, {"-7.000", -7}, {"18446744073709551615", -1},
                 {"0.0", 0}, {"70.", 70}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        if (!json_whole(view_of(cases[i].text), &value) || value != cases[i].value)
            fail_msg("%s gives %lld", cases[i].text, (long long)value);
    }
    static const char *const bad[] = {"",     "7.5", "7.05", "1e2", "inf", "nan",   "0x10.0",
                                      "1.0 ", ".",   ".0",   "-.0", "-",   "1.0.0", "abc"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        if (json_whole(view_of(bad[i]), &value))
            fail_msg("%s is taken for %lld", bad[i], (long long)value);
    }
}

/* ------------------------------------------------------------------ looking things up */

static void assert_view(struct view view, const char *expected)
{
    assert_int_equal(view.length, strlen(expected));
    if (view.length)
        assert_memory_equal(view.bytes, expected, view.length);
}

static void members_are_found_by_key(void **state)
{
    (void)state;
    struct view object =
        VIEW("{\"\":0,\"a\":1,\"ab\":[1,{\"k\":2},\"]\"],\"b\":\"x,\\\"y\\\\\",\"c\":{\"a\":"
             "\"inner\",\"d\":{}},\"d\":null,\"e\":\"}\",\"f\":-1.5}");
    static const char *const found[][2] = {
        {"", "0"},
        {"a", "1"},
        {"ab", "[1,{\"k\":2},\"]\"]"},
        {"b", "\"x,\\\"y\\\\\""},
        {"c", "{\"a\":\"inner\",\"d\":{}}"},
        {"d", "null"},
        {"e", "\"}\""},
        {"f", "-1.5"},
        {"k", ""},
        {"inner", ""},
        {"abc", ""},
        {"1", ""},
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        assert_view(json_member(object, found[i][0]), found[i][1]);
    assert_view(json_member(json_member(object, "c"), "a"), "\"inner\"");
    assert_view(json_member(VIEW("{}"), "a"), "");
    assert_view(json_member((struct view){0}, "a"), "");
}

/* Nothing but an object has members, whatever the text looks like. */
static void only_objects_have_members(void **state)
{
    (void)state;
    static const char *const others[] = {
        "\"_rank_:7:\"",
        "\"_rank_,7,\"",
        "\"\\\"rank\\\":7\"",
        "[\"rank\",7]",
        "[[\"rank\",7]]",
        "\"rank\"",
        "[0,\"rank\",7,\"x\"]",
        "[\"rank\"]",
        "7",
        "null",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_view(json_member(view_of(others[i]), "rank"), "");
}

static void items_come_one_by_one(void **state)
{
    (void)state;
    struct view rest = VIEW("[1,\"a,b\",[2,[3]],{\"x\":[4],\"y\":\"]\"},\"\\\"]\",null,-5]");
    static const char *const items[] = {
        "1", "\"a,b\"", "[2,[3]]", "{\"x\":[4],\"y\":\"]\"}", "\"\\\"]\"", "null", "-5"};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        assert_view(json_item(&rest), items[i]);
    assert_view(json_item(&rest), "");
    assert_view(json_item(&rest), "");
    rest = VIEW("[]");
    assert_view(json_item(&rest), "");
    rest = VIEW("[[]]");
    assert_view(json_item(&rest), "[]");
    assert_view(json_item(&rest), "");
    rest = (struct view){0};
    assert_view(json_item(&rest), "");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(escapes_stand_for_characters),
    cmocka_unit_test(half_a_surrogate_pair_is_replaced),
    cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
    cmocka_unit_test(zero_characters_are_replaced),
    cmocka_unit_test(an_escape_may_be_cut),
    cmocka_unit_test(unescaping_appends),
    cmocka_unit_test(white_space_is_taken_out),
    cmocka_unit_test(members_are_sorted_by_key),
    cmocka_unit_test(of_equal_keys_the_last_holds),
    cmocka_unit_test(numbers_keep_their_text),
    cmocka_unit_test(strings_have_one_spelling),
    cmocka_unit_test(what_is_malformed_is_refused),
    cmocka_unit_test(depth_is_limited),
    cmocka_unit_test(many_keys_are_sorted),
    cmocka_unit_test(equal_values_have_one_text),
    cmocka_unit_test(microseconds_become_nanoseconds),
    cmocka_unit_test(no_digit_is_lost),
    cmocka_unit_test(halves_are_rounded_away_from_zero),
    cmocka_unit_test(exponents_move_the_point),
    cmocka_unit_test(long_numbers_are_read_to_the_end),
    cmocka_unit_test(times_have_a_limit),
    cmocka_unit_test(what_is_no_number_is_no_time),
    cmocka_unit_test(whole_numbers_have_64_bits),
    cmocka_unit_test(whole_numbers_may_be_reals),
    cmocka_unit_test(members_are_found_by_key),
    cmocka_unit_test(only_objects_have_members),
    cmocka_unit_test(items_come_one_by_one),
};
GROUP(json_text, NULL, NULL)
