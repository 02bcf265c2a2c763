/* Values as COPY reads them, numbers of texts, and cells that are not what their column says. */
#include "tests/unit/support.h"

#include "query/export/copy_text.h"
#include "query/export/fact_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_text(struct view text, const char *expected)
{
    struct text out = {0}, room = {0};
    struct view mended = copy_mended(text, &room);
    assert_non_null(mended.bytes);
    copy_add_text(&out, mended);
    assert_string_equal(out.items ? out.items : "", expected);
    assert_int_equal(strlen(out.items ? out.items : ""), out.count);
    text_free(&out);
    text_free(&room);
}

static void texts_are_escaped_and_mended(void **state)
{
    (void)state;
    assert_text(VIEW(""), "");
    assert_text((struct view){NULL, 0}, "");
    assert_text(VIEW("plain ünï ☃ '\"$1"), "plain ünï ☃ '\"$1");
    assert_text(VIEW("\\"), "\\\\");
    assert_text(VIEW("\\."), "\\\\.");
    assert_text(VIEW("\\N"), "\\\\N");
    assert_text(VIEW("a\tb\nc\rd\\e"), "a\\tb\\nc\\rd\\\\e");
    assert_text(VIEW("\b\f\v\x7F"), "\b\f\v\x7F");
    assert_text(VIEW("a\0b"), "a\xEF\xBF\xBD"
                              "b");
    assert_text(VIEW("\0"), "\xEF\xBF\xBD");
    assert_text(VIEW("twelve bytes\0and\xFFmore of them"), "twelve bytes\xEF\xBF\xBD"
                                                           "and\xEF\xBF\xBDmore of them");
    assert_text(VIEW("\xFF\tx"), "\xEF\xBF\xBD\\tx");
    assert_text(VIEW("x\xC3"), "x\xEF\xBF\xBD");
    assert_text(VIEW("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_text(VIEW("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

static void assert_real(double value, const char *expected)
{
    struct text out = {0};
    copy_add_real(&out, value);
    assert_string_equal(out.items, expected);
    assert_true(isnan(value) || strtod(out.items, NULL) == value);
    text_free(&out);
}

static void numbers_come_back_as_they_were(void **state)
{
    (void)state;
    assert_real(0.1, "0.10000000000000001");
    assert_real(-0.0, "-0");
    assert_real(5e-324, "4.9406564584124654e-324");
    assert_real(1.7976931348623157e308, "1.7976931348623157e+308");
    assert_real(INFINITY, "Infinity");
    assert_real(-INFINITY, "-Infinity");
    assert_real(NAN, "NaN");
}

/* Loaded tables have them: they may never change. */
static void numbers_of_texts_are_the_same_everywhere(void **state)
{
    (void)state;
    int64_t trace;
    assert_int_equal(copy_number(VIEW("")), 3244421341483603138);
    assert_int_equal(copy_number(VIEW("kernel")), -2156762334786298784);
    copy_trace_number("base", "ab-0", &trace);
    assert_int_equal(trace, copy_number(VIEW("base\0ab-0")));
    assert_int_not_equal(copy_number(VIEW("kernel")), copy_other_number(VIEW("kernel")));
}

static void cells_are_of_the_type_of_their_column(void **state)
{
    (void)state;
    struct export_table table = {.view = "busy"};
    array_add(&table.columns, (struct export_column){.name = (char *)(uintptr_t) "count"});
    array_add(&table.columns,
              (struct export_column){.name = (char *)(uintptr_t) "ms", .type = EXPORT_REAL});
    array_add(&table.columns,
              (struct export_column){.name = (char *)(uintptr_t) "name", .type = EXPORT_TEXT});
    array_add(&table.columns, (struct export_column){.name = (char *)(uintptr_t) "rank",
                                                     .type = EXPORT_TEXT,
                                                     .is_label = true});
    static const struct {
        const char *sql, *error;
    } cases[] = {
        {"SELECT 1, 1.5, 'x', 'y'", NULL},
        {"SELECT NULL, 2, NULL, 3", NULL},
        {"SELECT 1.0, 1.5, 'x'", "busy: count of row 3 is not a whole number"},
        {"SELECT 1, 'much', 'x'", "busy: ms of row 3 is not a number"},
        {"SELECT 1, 1, 1", "busy: name of row 3 is not a text"},
        {"SELECT 1, 1, x'00'", "busy: name of row 3 is not a text"},
        {"SELECT 1, 1, 'x', 1.5", "busy: rank of row 3 is not a text"},
    };
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        sqlite3_stmt *row;
        assert_int_equal(sqlite3_prepare_v2(db, cases[i].sql, -1, &row, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        bool done = true;
        for (int column = 0; column < 4 && done; column++)
            done = export_cell_check(&table, column, sqlite3_column_type(row, column), 3, &error);
        assert_int_equal(done, cases[i].error == NULL);
        assert_string_equal(error.text, cases[i].error ? cases[i].error : "");
        database_finalize(row);
    }
    sqlite3_close(db);
    array_free(&table.columns);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(texts_are_escaped_and_mended),
    cmocka_unit_test(numbers_come_back_as_they_were),
    cmocka_unit_test(numbers_of_texts_are_the_same_everywhere),
    cmocka_unit_test(cells_are_of_the_type_of_their_column),
};
GROUP(copy_text, NULL, NULL)
