/* Tables for people: which columns and rows are shown, how texts are cut, and that two different
 * rows never look alike. */
#include "tests/unit/support.h"

#include "query/sink/readable.h"
#include "query/sink/shorten.h"
#include "src/base/visible.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ one text */

static void assert_short(const char *text, size_t width, const char *expected)
{
    struct text out = {0};
    shorten(&out, view_of(text), width);
    assert_string_equal(out.items, expected);
    assert_true(visible_width((struct view){out.items, out.count}) <= width);
    text_free(&out);
}

static void lists_lose_elements_from_their_middle(void **state)
{
    (void)state;
    const char *dims = "[[1024],[5185,1024],[1024,1024],[],[]]";
    assert_short(dims, 38, dims);
    assert_short(dims, 37, "[[1024],[5185,1024],[1024,1024],…,[]]");
    assert_short(dims, 36, "[[1024],[5185,1024],…,[]]");
    assert_short(dims, 14, "[[1024],…,[]]");
    assert_short("[[[16,16,559,32],[16,16,559,32]]]", 26, "[[[16,16,559,…16,559,32]]]");
    assert_short("[\"a,[b\",\"c\",\"dd\",\"e\"]", 16, "[\"a,[b\",…,\"e\"]");
    assert_short("((1, 2), (3, 4), (5, 6))", 20, "((1, 2),…, (5, 6))");
    assert_short("no list, at all", 9, "no l… all");
    assert_short("[[[[", 3, "[…[");
    assert_short("", 3, "");
}

static void lists_of_any_shape_fit(void **state)
{
    (void)state;
    static const char *const texts[] = {"[]",
                                        "[,,,,,,,,,,,,,,,,,,,]",
                                        "[[[[[[[[[[[[[[[[]",
                                        "[\"\\\"]\"]",
                                        "{\"a\":[1,2,3],\"b\":{\"c\":[4,5,6,7]}}",
                                        "[1,2,3,4,5,6,7,8,9,10,11,12,13]",
                                        "[\"unended,1,2,3,4,5]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t width = 1; width < 30; width++) {
            struct text out = {0};
            shorten(&out, view_of(texts[i]), width);
            assert_true(visible_width((struct view){out.items, out.count}) <= width);
            text_free(&out);
        }
}

/* ------------------------------------------------------------------ a sheet */

/* clang-format off */
#define TEXT(literal) {.type = CELL_TEXT, .text = VIEW_OF(literal)}
#define INTEGER(value) {.type = CELL_INTEGER, .integer = (value)}
/* clang-format on */

static struct column columns[] = {
    {.name = "name", .heading = "name", .unit = "", .place = 1},
    {.name = "dims", .heading = "dims", .unit = "", .place = 3, .is_detail = true},
    {.name = "time", .heading = "time", .unit = "", .place = 2, .is_number = true},
    {.name = "uid", .heading = "uid", .unit = "", .is_number = true},
};
static const struct sheet sheet = {.name = "s", .columns = columns, .column_count = 4};

static const struct cell rows[][4] = {
    {TEXT("aten::addmm"), TEXT("[[512],[64,512],[512,512],[],[]]"), INTEGER(3000), INTEGER(1)},
    {TEXT("aten::addmm"), TEXT("[[512],[64,512],[512,256],[],[]]"), INTEGER(20), INTEGER(2)},
    {TEXT("aten::mm"), TEXT("[[64,512],[512,512]]"), INTEGER(1), INTEGER(3)},
};

/* What is shown of a sheet, cells with a bar between, a line a row. */
static void assert_shown(const struct cell (*cells)[4], size_t count, size_t width, int64_t top,
                         bool wide, const char *expected)
{
    struct readable self = {0};
    struct text out = {0};
    readable_begin(&self, &sheet, &(struct sink_target){.width = width, .top = top, .wide = wide});
    for (size_t i = 0; i < count; i++)
        readable_add(&self, cells[i], false);
    readable_fit(&self);
    size_t used = 0;
    for (size_t i = 0; i < self.shown.count; i++)
        used += self.widths.items[self.shown.items[i]] + (i ? 2 : 0);
    assert_true(!width || wide || used <= width || self.shown.count == 1);
    for (size_t row = 0; row < self.kept; row++) {
        for (size_t i = 0; i < self.shown.count; i++) {
            struct view text = readable_cell(&self, row, self.shown.items[i]);
            text_format(&out, "%s%.*s", i ? "|" : "", (int)text.length, text.bytes);
        }
        text_add_byte(&out, '\n');
    }
    text_add(&out, "", 0);
    readable_add_not_included(&self, &out);
    assert_string_equal(out.items, expected);
    text_free(&out);
}

static void what_matters_is_shown_whole(void **state)
{
    (void)state;
    assert_shown(rows, 3, 90, 0, false,
                 "aten::addmm|[[512],[64,512],[512,512],[],[]]|3,000\n"
                 "aten::addmm|[[512],[64,512],[512,256],[],[]]|20\n"
                 "aten::mm|[[64,512],[512,512]]|1\n"
                 "1 more column (--wide shows all)");
    assert_shown(rows, 3, 90, 1, true,
                 "aten::addmm|[[512],[64,512],[512,512],[],[]]|3,000|1\n"
                 "2 more rows (--top 0 shows all)");
}

static void lists_that_tell_rows_apart_still_do_when_cut(void **state)
{
    (void)state;
    assert_shown(rows, 3, 42, 0, false,
                 "aten::addmm|[[512],[64,512],…,[]]|3,000\n"
                 "aten::addmm|[…,[512,256],[],[]]|20\n"
                 "aten::mm|[[64,512],[512,512]]|1\n"
                 "1 more column (--wide shows all)");
}

static void columns_go_the_least_important_first(void **state)
{
    (void)state;
    assert_shown(
        rows, 3, 30, 0, false,
        "aten::addmm|3,000\naten::addmm|20\naten::mm|1\n2 more columns (--wide shows all)");
    assert_shown(rows, 3, 4, 2, false,
                 "aten…dmm\nate…mm#2\n1 more row (--top 0 shows all), 3 more columns (--wide "
                 "shows all)");
}

static void different_texts_stay_different(void **state)
{
    (void)state;
    static const struct cell alike[][4] = {
        {TEXT("a_very_long_name_that_goes_on_with_1_and_then_on_and_on"), TEXT("[]"), INTEGER(1),
         INTEGER(1)},
        {TEXT("a_very_long_name_that_goes_on_with_2_and_then_on_and_on"), TEXT("[]"), INTEGER(1),
         INTEGER(1)},
        {TEXT("a_very_long_name_that_goes_on_with_1_and_then_on_and_on"), TEXT("[]"), INTEGER(2),
         INTEGER(1)},
    };
    assert_shown(alike, 3, 30, 0, false,
                 "a_very_lo…n_and_on|[]|1\na_very_l…_and_on#2|[]|1\na_very_lo…n_and_on|[]|2\n"
                 "1 more column (--wide shows all)");
}

/* ------------------------------------------------------------------ what tells rows apart */

enum { MANY = 14 };

/* A sheet whose rows differ each in one column of the key, some of which have no place. */
static struct column many[MANY];
static const struct sheet crowd = {.name = "s", .columns = many, .column_count = MANY};

static void make_crowd(bool has_places)
{
    static char names[MANY][24];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "parameter_%zu", i);
        many[i] = (struct column){.name = names[i], .heading = names[i], .unit = ""};
        many[i].is_key = i != 1;
        many[i].is_number = i % 3 == 1;
        many[i].is_detail = i % 3 == 2;
        many[i].place = has_places && i < 4 ? (unsigned)i + 1 : 0;
    }
}

static struct cell crowd_cell(size_t row, size_t column, char *words, size_t size)
{
    if (many[column].is_number)
        return (struct cell){.type = CELL_INTEGER, .integer = 1000000 + (row == column)};
    snprintf(words, size,
             many[column].is_detail ? "[[512,1024],[16,%d],[64,64],[]]"
                                    : "kernel_of_a_%d_long_name",
             row == column ? 2 : 1);
    return (struct cell){.type = CELL_TEXT, .text = view_of(words)};
}

/* Rows of the crowd at a width: the number of columns that are shown. */
static size_t assert_apart(size_t width)
{
    struct readable self = {0};
    readable_begin(&self, &crowd, &(struct sink_target){.width = width});
    for (size_t row = 0; row <= MANY; row++) {
        struct cell cells[MANY + 1] = {{0}};
        char words[MANY][40];
        for (size_t i = 0; i < MANY; i++)
            cells[i] = crowd_cell(row, i, words[i], sizeof words[i]);
        if (row != 1) /* differs in no key */
            readable_add(&self, cells, false);
    }
    readable_fit(&self);
    struct intern seen = {0};
    struct text line = {0};
    size_t used = 0, shown = self.shown.count;
    for (size_t i = 0; i < shown; i++)
        used += self.widths.items[self.shown.items[i]] + (i ? 2 : 0);
    assert_true(used <= width);
    for (size_t row = 0; row < self.kept; row++) {
        text_clear(&line);
        for (size_t i = 0; i < shown; i++) {
            struct view cell = readable_cell(&self, row, self.shown.items[i]);
            assert_true(visible_width(cell) <= self.widths.items[self.shown.items[i]]);
            text_format(&line, "%.*s|", (int)cell.length, cell.bytes);
        }
        assert_int_equal(intern_add(&seen, line.items, line.count), row + 1);
    }
    intern_free(&seen);
    text_free(&line);
    return shown;
}

static void rows_never_look_alike_however_little_room_there_is(void **state)
{
    (void)state;
    for (int has_places = 0; has_places < 2; has_places++) {
        make_crowd(has_places);
        for (size_t width = 20; width <= 200; width++)
            assert_apart(width);
    }
    make_crowd(true);
    assert_int_equal(assert_apart(300), MANY);
}

static void keys_are_shown_before_figures(void **state)
{
    (void)state;
    columns[1].is_key = columns[0].is_key = true;
    columns[1].place = 0;
    assert_shown(rows, 3, 42, 0, false,
                 "aten::addmm|[[512],[64,512],…,[]]|3,000\n"
                 "aten::addmm|[…,[512,256],[],[]]|20\n"
                 "aten::mm|[[64,512],[512,512]]|1\n"
                 "1 more column (--wide shows all)");
    assert_shown(rows, 3, 30, 0, false,
                 "aten::addmm|[[512],…,[]]\n"
                 "aten::addmm|[…,[64,512],…,[]]\n"
                 "aten::mm|[[64,512…12,512]]\n"
                 "2 more columns (--wide shows all)");
    columns[1].place = 3;
    columns[1].is_key = columns[0].is_key = false;
}

static void rows_of_one_key_differ_in_something(void **state)
{
    (void)state;
    static const struct cell alike[][4] = {
        {TEXT("a"), TEXT("[]"), INTEGER(1), INTEGER(11)},
        {TEXT("a"), TEXT("[]"), INTEGER(1), INTEGER(12)},
        {TEXT("b"), TEXT("[]"), INTEGER(2), INTEGER(13)},
    };
    assert_shown(alike, 3, 90, 0, false, "a|[]|1|11\na|[]|1|12\nb|[]|2|13\n");
}

static void figures_of_a_key_have_the_digits_that_tell_them_apart(void **state)
{
    (void)state;
    static const struct cell bins[][4] = {
        {TEXT("a"), TEXT("[]"), {.type = CELL_REAL, .real = 4.4931}, INTEGER(1)},
        {TEXT("a"), TEXT("[]"), {.type = CELL_REAL, .real = 4.4932}, INTEGER(1)},
        {TEXT("a"), TEXT("[]"), {.type = CELL_REAL, .real = 1000.0 / 3}, INTEGER(1)},
    };
    columns[2].unit = "us";
    columns[2].is_key = true;
    assert_shown(bins, 1, 90, 0, false, "a|[]|4.49\n1 more column (--wide shows all)");
    assert_shown(bins, 3, 90, 0, false,
                 "a|[]|4.4931\na|[]|4.4932\na|[]|333.33\n1 more column (--wide shows all)");
    columns[2].unit = "";
    columns[2].is_key = false;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lists_lose_elements_from_their_middle),
    cmocka_unit_test(lists_of_any_shape_fit),
    cmocka_unit_test(what_matters_is_shown_whole),
    cmocka_unit_test(lists_that_tell_rows_apart_still_do_when_cut),
    cmocka_unit_test(columns_go_the_least_important_first),
    cmocka_unit_test(different_texts_stay_different),
    cmocka_unit_test(rows_never_look_alike_however_little_room_there_is),
    cmocka_unit_test(keys_are_shown_before_figures),
    cmocka_unit_test(rows_of_one_key_differ_in_something),
    cmocka_unit_test(figures_of_a_key_have_the_digits_that_tell_them_apart),
};
GROUP(readable, NULL, NULL)
