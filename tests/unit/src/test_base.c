/* What everything stands on: arrays, texts, UTF-8, interned strings, maps, and the sentences of
 * errors. */
#include "tests/unit/support.h"

#include "src/base/error.h"
#include "src/base/intern.h"
#include "src/base/json.h"
#include "src/base/keyed.h"
#include "src/base/map.h"
#include "src/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ arrays */

static void arrays_keep_what_was_pushed(void **state)
{
    (void)state;
    ARRAY(uint64_t) numbers = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t *number = array_push(&numbers);
        assert_non_null(number);
        *number = i * i;
        assert_true(numbers.count <= numbers.room);
    }
    assert_int_equal(numbers.count, 100000);
    for (uint64_t i = 0; i < 100000; i++)
        assert_int_equal(numbers.items[i], i * i);
    assert_true(numbers.room < 150016); /* a third of it is waste at most */
    array_free(&numbers);
    assert_null(numbers.items);
    assert_int_equal(numbers.count + numbers.room, 0);
}

/* Keys of any width, of which many are the same. */
static void keys_are_put_in_order_and_like_ones_stay(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static const uint64_t widths[] = {1, 7, 4096, UINT64_C(1) << 33, UINT64_MAX};
    static const int64_t ends[] = {INT64_MAX, INT64_MIN, 0, -1, 1};
    static const uint32_t counts[] = {0, 1, 2, 20, MOST};
    static struct thing {
        char name;
        int64_t key, place;
    } things[MOST];
    static struct keyed keys[MOST];
    uint64_t number = 1;
    for (size_t run = 0; run < 25; run++) {
        uint32_t count = counts[run % 5];
        for (uint32_t i = 0; i < count; i++) {
            number = number * UINT64_C(6364136223846793005) + 1442695040888963407;
            int64_t key = (int64_t)((number >> 7 ^ number << 50) % widths[run / 5]) - 3;
            if (run / 5 == 4 && i < sizeof ends / sizeof *ends)
                key = ends[i];
            keys[i] = (struct keyed){key, i};
            things[i] = (struct thing){'x', key, i};
        }
        keyed_sort(keys, count);
        assert_true(keyed_sort_items(things, count, sizeof *things, offsetof(struct thing, key)));
        for (uint32_t i = 0; i < count; i++) {
            assert_true(i == 0 || keys[i - 1].key < keys[i].key ||
                        (keys[i - 1].key == keys[i].key && keys[i - 1].place < keys[i].place));
            assert_true(things[i].key == keys[i].key && things[i].place == keys[i].place);
            assert_int_equal(things[i].name, 'x');
        }
    }
}

static void arrays_reserve_beyond_their_items(void **state)
{
    (void)state;
    ARRAY(uint32_t) numbers = {0};
    array_reserve(&numbers, 1000);
    assert_true(numbers.room >= 1000);
    assert_int_equal(numbers.count, 0);
    uint32_t *before = numbers.items;
    for (uint32_t i = 0; i < 1000; i++)
        *(uint32_t *)array_push(&numbers) = i;
    assert_ptr_equal(numbers.items, before);
    array_free(&numbers);
}

static void arrays_refuse_what_no_memory_has(void **state)
{
    (void)state;
    ARRAY(uint64_t) numbers = {0};
    *(uint64_t *)array_push(&numbers) = 7;
    uint64_t *items = numbers.items;
    size_t room = numbers.room;
    const size_t too_many[] = {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 + 2}; /* 8 times the last wraps
                                                                             to little */
    for (size_t i = 0; i < 3; i++) {
        struct memory memory = {0};
        struct memory_attempt attempt;
        if (memory_try(&attempt, &memory)) {
            array_reserve(&numbers, too_many[i]);
            fail();
        }
    }
    assert_ptr_equal(numbers.items, items);
    assert_int_equal(numbers.count, 1);
    assert_int_equal(numbers.room, room);
    assert_int_equal(numbers.items[0], 7);
    array_free(&numbers);
}

/* ------------------------------------------------------------------ memory */

static char order[8];

static void note_end(void *letter)
{
    strcat(order, letter);
}

static void a_failed_attempt_does_its_duties_newest_first(void **state)
{
    (void)state;
    static char first[] = "a", second[] = "b", third[] = "c";
    struct memory memory = {0}, *before = memory_in_use();
    struct memory_attempt attempt;
    volatile bool failed = false;
    order[0] = '\0';
    if (memory_try(&attempt, &memory)) {
        memory_at_end(note_end, first);
        memory_at_end(note_end, second);
        memory_at_end(note_end, third);
        memory_forget(second);
        memory_text("goes with the memory");
        memory_fail();
    } else
        failed = true;
    assert_true(failed);
    assert_string_equal(order, "ca");
    assert_null(memory.blocks);
    assert_ptr_equal(memory_in_use(), before);
}

static void duties_of_an_attempt_that_is_left_wait_for_its_memory(void **state)
{
    (void)state;
    static char letter[] = "a";
    struct memory memory = {0};
    struct memory_attempt attempt;
    order[0] = '\0';
    if (memory_try(&attempt, &memory)) {
        memory_at_end(note_end, letter);
        memory_leave(&attempt);
    }
    assert_string_equal(order, "");
    memory_end(&memory);
    assert_string_equal(order, "a");
}

static void a_failure_goes_to_the_innermost_attempt(void **state)
{
    (void)state;
    struct memory outer = {0}, kept = {0};
    struct memory_attempt first, second;
    volatile bool inside = false, outside = false;
    if (memory_try(&first, &outer)) {
        struct memory *before = memory_enter(&kept); /* outlives both */
        char *text = memory_text("kept");
        memory_enter(before);
        char *own = memory_text("own");
        if (memory_try_in(&second, memory_in_use())) {
            memory_resize(own, SIZE_MAX / 2, 1);
        } else
            inside = true;
        assert_string_equal(text, "kept");
        assert_string_equal(own, "own"); /* the memory stays as it is */
        assert_ptr_equal(memory_in_use(), &outer);
        memory_list(SIZE_MAX / 2, 3);
    } else
        outside = true;
    assert_true(inside && outside);
    assert_null(outer.blocks);
    assert_non_null(kept.blocks);
    memory_end(&kept);
}

/* ------------------------------------------------------------------ texts */

static void texts_end_with_a_zero(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "", 0);
    assert_string_equal(text.items, "");
    text_add_string(&text, "one");
    assert_string_equal(text.items, "one");
    text_add_byte(&text, ' ');
    text_format(&text, "%d-%s", 2, "three");
    assert_string_equal(text.items, "one 2-three");
    assert_int_equal(text.count, 11);
    text_clear(&text);
    assert_string_equal(text.items, "");
    assert_int_equal(text.count, 0);
    text_add(&text, "a\0b", 3);
    assert_int_equal(text.count, 3);
    assert_memory_equal(text.items, "a\0b", 4);
    text_free(&text);
    assert_null(text.items);
    text_clear(&text); /* nothing there, nothing to do */
    assert_int_equal(text.count, 0);
}

static void texts_grow_as_far_as_needed(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 50000; i++) {
        text_add_byte(&text, (char)('a' + i % 26));
        assert_int_equal(text.items[text.count], '\0');
    }
    for (int i = 0; i < 50000; i++)
        assert_int_equal(text.items[i], 'a' + i % 26);
    text_clear(&text);
    char word[3000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    for (int i = 0; i < 40; i++)
        text_format(&text, "%s|", word);
    assert_int_equal(text.count, 40 * sizeof word);
    for (size_t i = 1; i <= 40; i++)
        assert_int_equal(text.items[i * sizeof word - 1], '|');
    text_free(&text);
}

static void views_compare_by_length_and_bytes(void **state)
{
    (void)state;
    assert_true(view_equal(VIEW("kernel"), view_of("kernel")));
    assert_false(view_equal(VIEW("kernel"), VIEW("Kernel")));
    assert_false(view_equal(VIEW("kernel"), VIEW("kernels")));
    assert_false(view_equal(VIEW("a\0b"), VIEW("a\0c")));
    assert_true(view_equal(VIEW(""), VIEW("")));
    assert_true(view_equal_ignoring_case(VIEW("Kernel_9"), VIEW("kERNEL_9")));
    assert_false(view_equal_ignoring_case(VIEW("kernel"), VIEW("kernels")));
    assert_false(view_equal_ignoring_case(VIEW("kernel"), VIEW("kernal")));
}

/* ------------------------------------------------------------------ UTF-8 */

static void utf8_has_sharp_edges(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t code;
    } edges[] = {
        {"\x01", 1, 0x01},
        {"\x7F", 1, 0x7F},
        {"\xC2\x80", 2, 0x80},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xED\x9F\xBF", 3, 0xD7FF},
        {"\xEE\x80\x80", 3, 0xE000},
        {"\xEF\xBF\xBD", 3, 0xFFFD},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF0\x9F\x98\x80", 4, 0x1F600},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
    };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        uint32_t code = 1u << 31;
        char out[4];
        assert_int_equal(utf8_decode((const unsigned char *)edges[i].bytes, edges[i].size, &code),
                         edges[i].size);
        assert_int_equal(code, edges[i].code);
        assert_int_equal(utf8_encode(edges[i].code, out), edges[i].size);
        assert_memory_equal(out, edges[i].bytes, edges[i].size);
    }
    static const char *const bad[] = {
        "\x80",
        "\xBF", /* a tail without a head */
        "\xC0\x80",
        "\xC1\xBF", /* longer than needed */
        "\xE0\x80\x80",
        "\xE0\x9F\xBF", /* the same */
        "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF", /* the same */
        "\xED\xA0\x80",
        "\xED\xBF\xBF", /* surrogates */
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", /* beyond the last code point */
        "\xF8\x88\x80\x80",
        "\xFE",
        "\xFF",
        "\xC3\x28", /* a tail that is none */
        "\xE2\x28\xA1",
        "\xE2\x82\x28",
        "\xF0\x9F\x98\x28",
        "\xF0\x9F\xC0\x80",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t code;
        assert_int_equal(utf8_decode((const unsigned char *)bad[i], strlen(bad[i]), &code), 0);
    }
}

static void utf8_goes_there_and_back(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        if (code == 0xD800)
            code = 0xE000;
        char bytes[4];
        uint32_t back = 0;
        size_t size = utf8_encode(code, bytes);
        size_t expected = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (size != expected || utf8_decode((unsigned char *)bytes, size, &back) != size ||
            back != code)
            fail_msg("U+%04X becomes %zu bytes and U+%04X", code, size, back);
        for (size_t cut = 1; cut < size; cut++)
            if (utf8_decode((unsigned char *)bytes, cut, &back) != 0)
                fail_msg("U+%04X cut after %zu bytes is taken", code, cut);
    }
}

/* The table of well-formed sequences of the Unicode Standard (3-7). */
static size_t well_formed(const unsigned char bytes[4])
{
    static const struct {
        unsigned char first, last, low, high, size;
    } rows[] = {
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (bytes[0] < rows[i].first || bytes[0] > rows[i].last)
            continue;
        if (rows[i].size > 1 && (bytes[1] < rows[i].low || bytes[1] > rows[i].high))
            return 0;
        for (int j = 2; j < rows[i].size; j++)
            if (bytes[j] < 0x80 || bytes[j] > 0xBF)
                return 0;
        return rows[i].size;
    }
    return 0;
}

static void utf8_takes_what_is_well_formed(void **state)
{
    (void)state;
    static const unsigned char tails[] = {0x00, 0x7F, 0x80, 0xBF, 0xC0};
    for (unsigned head = 0; head < 0x10000; head++)
        for (unsigned tail = 0; tail < 25; tail++) {
            unsigned char bytes[4] = {(unsigned char)(head >> 8), (unsigned char)head,
                                      tails[tail / 5], tails[tail % 5]};
            uint32_t code;
            size_t size = utf8_decode(bytes, 4, &code);
            if (size != well_formed(bytes))
                fail_msg("%02X %02X %02X %02X has size %zu", bytes[0], bytes[1], bytes[2], bytes[3],
                         size);
        }
}

static void json_strings_escape_what_they_must(void **state)
{
    (void)state;
    static const struct {
        struct view plain;
        const char *json;
    } cases[] = {
        {VIEW_OF(""), "\"\""},
        {VIEW_OF("plain / text"), "\"plain / text\""},
        {VIEW_OF("\"\\"), "\"\\\"\\\\\""},
        {VIEW_OF("\t\n\x1F\0"), "\"\\u0009\\u000a\\u001f\\u0000\""},
        {VIEW_OF("\x7F"), "\"\\u007f\""},
        {VIEW_OF("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
         "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        /* one replacement for each bad byte */
        {VIEW_OF("\xFFok"), "\"\xEF\xBF\xBDok\""},
        {VIEW_OF("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {VIEW_OF("\xF0\x9F\x98"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {VIEW_OF("\xC3\""), "\"\xEF\xBF\xBD\\\"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        text_add_json(&text, cases[i].plain);
        assert_string_equal(text.items, cases[i].json);
        text_free(&text);
    }
}

/* Whether each of these texts, with ~ between, is JSON. */
static void assert_json(const char *texts, bool is_whole)
{
    for (const char *end; *texts; texts = end + 1) {
        end = strchr(texts, '~');
        if (json_is_whole((struct view){texts, (size_t)(end - texts)}) != is_whole)
            fail_msg("JSON, or not: %.*s", (int)(end - texts), texts);
    }
}

static void json_is_whole_or_it_is_none(void **state)
{
    enum { DEEP = 600 };
    (void)state;
    assert_json("0~ -0.50e+7\t~1E-3~12e0~\r\nnull~true~false~\"\"~\"a\\\"\\\\\\/\\b\\f\\n\\r\\t"
                "\\u09AFafz\xFF\"~[]~{ }~[ 1 , [2] , {\"a\" : null , \"\":[ ] } ]~",
                true);
    assert_json("~ ~00~-~+1~1.~.5~1e~1e+-2~1 2~nul~nulL~True~\xA0"
                "1~\"~\"\\\"~\"\\~\"\\x\"~\"\n\"~\"\\u00g0\"~\"\\u00G0\"~\"\\u00/0\"~\"\\u00:0\"~"
                "\"\\u00@0\"~\"\\u00`0\"~\"\\u123\"~\"\\u12~[~[1~[1,]~[,1]~[1}~[1 2]~{~{1:2}~"
                "{\"a\"}~{\"a\":}~{\"a\":1,}~{\"a\" 1}~]~",
                false);
    assert_false(json_is_whole((struct view){"null", 5}) || json_is_whole((struct view){"", 1}) ||
                 json_is_whole((struct view){"\"\\\0\"", 4}));
    assert_true(json_is_structure(view_of(" [1]")) && json_is_structure(view_of("{}")));
    assert_false(json_is_structure(view_of("1")) || json_is_structure(view_of("[1")) ||
                 json_is_structure(view_of("")));
    char deep[2 * (DEEP + 1)];
    memset(deep, '[', sizeof deep / 2);
    memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
    assert_true(json_is_whole((struct view){deep + 1, 2 * DEEP}));
    assert_false(json_is_whole((struct view){deep, sizeof deep}));
}

/* ------------------------------------------------------------------ interned strings */

static uint32_t add_number(struct intern *strings, int number)
{
    char text[32];
    int length = snprintf(text, sizeof text, "string %d", number);
    return intern_add(strings, text, (size_t)length);
}

static void strings_are_numbered_by_first_appearance(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct intern strings = {0};
    assert_int_equal(intern_find(&strings, "x", 1), 0);
    assert_int_equal(add_number(&strings, 0), 1);
    const char *bytes = intern_view(&strings, 1).bytes;
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(add_number(&strings, i), i + 1);
    assert_int_equal(intern_count(&strings), COUNT);
    assert_ptr_equal(intern_view(&strings, 1).bytes, bytes); /* nothing has moved */
    for (int i = COUNT; i-- > 0;) {
        char text[32];
        size_t length = (size_t)snprintf(text, sizeof text, "string %d", i);
        assert_int_equal(intern_find(&strings, text, length), i + 1);
        struct view view = intern_view(&strings, (uint32_t)i + 1);
        assert_int_equal(view.length, length);
        assert_memory_equal(view.bytes, text, length);
    }
    assert_int_equal(intern_find(&strings, "string", 6), 0);
    assert_int_equal(intern_count(&strings), COUNT); /* looking adds nothing */
    intern_free(&strings);
    assert_int_equal(intern_count(&strings), 0);
    assert_int_equal(add_number(&strings, 5), 1); /* and it can be used again */
    intern_free(&strings);
}

static void every_byte_and_the_length_count(void **state)
{
    (void)state;
    static const struct view distinct[] = {
        VIEW_OF(""),    VIEW_OF("\0"),   VIEW_OF("\0\0"), VIEW_OF("a"),
        VIEW_OF("a\0"), VIEW_OF("a\0b"), VIEW_OF("a\0c"), VIEW_OF("\0a"),
        VIEW_OF("A"),   VIEW_OF("\xFF"), VIEW_OF(" a"),   VIEW_OF("a "),
    };
    enum { COUNT = sizeof distinct / sizeof *distinct };
    struct intern strings = {0};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(intern_add(&strings, distinct[i].bytes, distinct[i].length), i + 1);
    assert_int_equal(intern_count(&strings), COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(view_equal(intern_view(&strings, i + 1), distinct[i]));
    intern_free(&strings);
}

static void long_strings_are_kept_whole(void **state)
{
    (void)state;
    enum { LONG = 3 << 20 };
    char *text = memory_take(LONG);
    assert_non_null(text);
    for (size_t i = 0; i < LONG; i++)
        text[i] = (char)(i * 31 >> 3);
    struct intern strings = {0};
    assert_int_equal(intern_add(&strings, "before", 6), 1);
    assert_int_equal(intern_add(&strings, text, LONG), 2);
    assert_int_equal(intern_add(&strings, text, LONG - 1), 3);
    assert_int_equal(intern_add(&strings, "after", 5), 4);
    assert_int_equal(intern_add(&strings, text, LONG), 2);
    assert_true(view_equal(intern_view(&strings, 1), VIEW("before")));
    assert_true(view_equal(intern_view(&strings, 2), (struct view){text, LONG}));
    assert_true(view_equal(intern_view(&strings, 4), VIEW("after")));
    intern_free(&strings);
    memory_free(text);
}

/* ------------------------------------------------------------------ maps */

static void maps_keep_a_number_for_a_pair(void **state)
{
    (void)state;
    struct map map = {0};
    assert_int_equal(map_get(&map, 0, 0), 0);
    for (int64_t i = 0; i < 100000; i++) {
        uint32_t *value = map_put(&map, i % 317 - 150, i);
        assert_non_null(value);
        assert_int_equal(*value, 0);
        *value = (uint32_t)i + 1;
    }
    assert_int_equal(map.count, 100000);
    for (int64_t i = 0; i < 100000; i++) {
        assert_int_equal(map_get(&map, i % 317 - 150, i), i + 1);
        assert_int_equal(map_get(&map, i % 317 - 149, i), 0);
    }
    uint32_t *again = map_put(&map, -150, 0);
    assert_int_equal(*again, 1);
    *again = 77;
    assert_int_equal(map_get(&map, -150, 0), 77);
    assert_int_equal(map.count, 100000);
    map_free(&map);
    assert_int_equal(map_get(&map, -150, 0), 0);
}

static void both_halves_of_a_pair_count(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, -1, INT64_MAX, INT64_MIN, 1ll << 32, -(1ll << 32)};
    enum { COUNT = sizeof values / sizeof *values };
    struct map map = {0};
    for (uint32_t i = 0; i < COUNT * COUNT; i++)
        *map_put(&map, values[i / COUNT], values[i % COUNT]) = i + 1;
    assert_int_equal(map.count, COUNT * COUNT);
    for (uint32_t i = 0; i < COUNT * COUNT; i++)
        assert_int_equal(map_get(&map, values[i / COUNT], values[i % COUNT]), i + 1);
    map_free(&map);
}

/* ------------------------------------------------------------------ words */

static void words_are_so_many_edits_apart(void **state)
{
    (void)state;
    static const struct {
        const char *left, *right;
        size_t distance;
    } cases[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"report", "report", 0},
        {"reprot", "report", 2},
        {"repot", "report", 1},
        {"reports", "report", 1},
        {"ingest", "digest", 2},
        {"kitten", "sitting", 3},
        {"Report", "report", 1},
        {"flaw", "lawn", 2},
        {"abcdef", "ghijkl", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(text_distance(cases[i].left, cases[i].right), cases[i].distance);
        assert_int_equal(text_distance(cases[i].right, cases[i].left), cases[i].distance);
    }
}

static void long_words_are_far_from_anything(void **state)
{
    (void)state;
    char word[80];
    memset(word, 'a', sizeof word);
    word[63] = '\0';
    assert_int_equal(text_distance("aaa", word), 60);
    word[63] = 'a';
    word[64] = '\0';
    assert_true(text_distance("aaa", word) > 60);
    assert_int_equal(text_distance(word, "aaa"), 61);
}

/* ------------------------------------------------------------------ errors */

static void errors_say_what_happened_where(void **state)
{
    (void)state;
    struct error error = {.foreign = true};
    assert_false(error_set(&error, STATUS_BAD_INPUT, "byte %d is odd", 7));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_false(error.foreign);
    error.foreign = true;
    assert_false(error_context(&error, "reading %s", "a.json"));
    assert_false(error_context(&error, "run"));
    assert_string_equal(error.text, "run: reading a.json: byte 7 is odd");
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_true(error.foreign);
    assert_false(error_memory(&error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_string_equal(error.text, "out of memory");
}

static void long_errors_are_cut(void **state)
{
    (void)state;
    struct error error = {0};
    char word[4000];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    error_set(&error, STATUS_USAGE, "%s", word);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_memory_equal(error.text, word, sizeof error.text - 1);
    error_context(&error, "context");
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_memory_equal(error.text, "context: www", 12);

    /* a context that fills the sentence, to the byte, leaves no room for more */
    for (int shorter = 0; shorter < 6; shorter++) {
        int length = (int)sizeof error.text - shorter;
        error_set(&error, STATUS_USAGE, "inner");
        error_context(&error, "%.*s", length, word);
        assert_int_equal(strlen(error.text), sizeof error.text - 1);
        assert_memory_equal(error.text, word, sizeof error.text - 6);
    }
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text + sizeof error.text - 6, "w: in");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(arrays_keep_what_was_pushed),
    cmocka_unit_test(arrays_reserve_beyond_their_items),
    cmocka_unit_test(keys_are_put_in_order_and_like_ones_stay),
    cmocka_unit_test(arrays_refuse_what_no_memory_has),
    cmocka_unit_test(a_failed_attempt_does_its_duties_newest_first),
    cmocka_unit_test(duties_of_an_attempt_that_is_left_wait_for_its_memory),
    cmocka_unit_test(a_failure_goes_to_the_innermost_attempt),
    cmocka_unit_test(texts_end_with_a_zero),
    cmocka_unit_test(texts_grow_as_far_as_needed),
    cmocka_unit_test(views_compare_by_length_and_bytes),
    cmocka_unit_test(utf8_has_sharp_edges),
    cmocka_unit_test(utf8_goes_there_and_back),
    cmocka_unit_test(utf8_takes_what_is_well_formed),
    cmocka_unit_test(json_strings_escape_what_they_must),
    cmocka_unit_test(json_is_whole_or_it_is_none),
    cmocka_unit_test(strings_are_numbered_by_first_appearance),
    cmocka_unit_test(every_byte_and_the_length_count),
    cmocka_unit_test(long_strings_are_kept_whole),
    cmocka_unit_test(maps_keep_a_number_for_a_pair),
    cmocka_unit_test(both_halves_of_a_pair_count),
    cmocka_unit_test(words_are_so_many_edits_apart),
    cmocka_unit_test(long_words_are_far_from_anything),
    cmocka_unit_test(errors_say_what_happened_where),
    cmocka_unit_test(long_errors_are_cut),
};
GROUP(base, NULL, NULL)
