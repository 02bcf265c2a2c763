/* What views declare about their sheets. */
#include "tests/unit/support.h"

#include "query/report/layout.h"
#include "query/report/report.h"
#include "sql/warehouse/catalog.h"

#include <string.h>

static void each_report_declares_what_it_has(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    doc_list docs = {0};
    assert_true(warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &error));
    docs_read(sql_files, sql_file_count, &docs);
    for (size_t i = 0; i < docs.count; i++)
        if (catalog_is_report(&docs.items[i]) &&
            !report_check(warehouse.db, &docs.items[i], &error))
            fail_msg("%s", error.text);
    docs_free(&docs);
    warehouse_close(&warehouse);
}

static void each_column_has_a_type(void **state)
{
    (void)state;
    doc_list docs = {0};
    docs_read(sql_files, sql_file_count, &docs);
    for (size_t i = 0; i < docs.count; i++) {
        const doc_columns *columns = docs_columns(&docs.items[i]);
        for (size_t j = 0; catalog_is_report(&docs.items[i]) && j < columns->count; j++)
            if (!*columns->items[j].type)
                fail_msg("%s: %s: neither its unit nor its comment says its type: [integer], "
                         "[real] or [text]",
                         docs.items[i].name, columns->items[j].name);
    }
    docs_free(&docs);
}

/* Runs are compared row by row: a report says what tells its rows apart, and what of it counts;
 * but for those that compare two traces themselves. */
static void each_report_has_a_key(void **state)
{
    (void)state;
    doc_list docs = {0};
    docs_read(sql_files, sql_file_count, &docs);
    for (size_t i = 0; i < docs.count; i++) {
        struct layout layout;
        struct error error = {0};
        const struct doc_object *report = &docs.items[i];
        const char *unit = docs_declared(report, "unit");
        if (!catalog_is_report(report) || (unit && strcmp(unit, "pair") == 0))
            continue;
        assert_true(layout_read(&layout, report, &error));
        if (layout.key.count == 0)
            fail_msg("%s has no line \"-- key: COLUMN, ...\"", report->name);
        const doc_columns *columns = docs_columns(report);
        for (size_t j = 0; j < columns->count && layout.measure.length; j++)
            if (view_equal(view_of(columns->items[j].name), layout.measure) &&
                strcmp(columns->items[j].type, "text") == 0)
                fail_msg("%s: what it measures is a text", report->name);
    }
    docs_free(&docs);
}

static void read_one(const char *declarations, doc_list *docs)
{
    static char text[1000];
    static struct sql_file file = {"reports/one.sql", text};
    snprintf(text, sizeof text,
             "-- One.\n-- set: own\n%sCREATE VIEW one AS\nSELECT\n  1 AS a, -- a\n"
             "  2 AS b -- b\n;\n",
             declarations);
    docs_read(&file, 1, docs);
}

static void declarations_are_typed(void **state)
{
    (void)state;
    struct error error = {0};
    struct layout layout;
    doc_list docs;
    read_one("-- when: workbook\n-- unit: run\n-- terminal: b, a\n-- drop-empty: a\n"
             "-- drop-with: b a\n-- columns-when: a not compat, b it\n-- spread: a+b over b\n"
             "-- unfold: a word b\n-- paragraphs: yes\n-- key: b, a\n-- measure: a, b\n"
             "-- total: all\n-- sample: b\n-- no-sum: yes\n-- whole: yes\n"
             "-- figures: c\n",
             &docs);
    assert_true(layout_read(&layout, &docs.items[0], &error));
    const struct layout_column *a = layout_column(&layout, "A"), *b = layout_column(&layout, "b");
    assert_true(layout.only_in_workbook && layout.is_about_runs && layout.in_paragraphs);
    assert_true(layout.has_places && a->place == 2 && b->place == 1);
    assert_true(a->drops_empty && !b->drops_empty && !a->drops_empty_compat && !a->is_wide);
    assert_true(view_equal(b->leader, VIEW("a")) && a->leader.length == 0);
    assert_true(view_equal(a->option, VIEW("not compat")) && view_equal(b->option, VIEW("it")));
    assert_true(a->is_spread && b->is_spread && view_equal(b->beside, VIEW("a")));
    assert_int_equal(a->beside.length, 0);
    assert_string_equal(layout.spread_over, "b");
    assert_true(view_equal(layout.unfold, VIEW("a")) && view_equal(layout.unfold_order, VIEW("b")));
    assert_int_equal(layout.key.count, 2);
    assert_true(view_equal(layout.key.items[0], VIEW("b")));
    assert_true(view_equal(layout.measure, VIEW("a")) && view_equal(layout.count, VIEW("b")));
    assert_string_equal(layout.total, "all");
    assert_string_equal(layout.sample, "b");
    assert_string_equal(layout.figures, "c");
    assert_true(layout.has_no_sum && layout.is_whole);
    assert_null(layout.sheet);
    assert_int_equal(layout_column(&layout, "c")->place, 0);
    docs_free(&docs);
}

static void wrong_declarations_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"-- colour: a\n", "no such declaration"}, {"-- paragraphs: a\n", "it is: "},
        {"-- sheet-by: a, b\n", "it is: "},        {"-- position: first\n", "it is: "},
        {"-- drop-with: a\n", "it is: "},          {"-- spread: a\n", "it is: "},
        {"-- unfold: a word\n", "it is: "},        {"-- total: a b\n", "it is: "},
        {"-- also: set 1\n", "it is: "},           {"-- also: set sheet 1\n", "it is: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error error = {0};
        struct layout layout;
        doc_list docs;
        read_one(wrong[i][0], &docs);
        assert_false(layout_read(&layout, &docs.items[0], &error));
        assert_int_equal(error.status, STATUS_USAGE);
        assert_non_null(strstr(error.text, wrong[i][1]));
        docs_free(&docs);
    }
}

/* Each key and its words stand in the guide, in the order of the table. */
static void the_guide_has_the_keys(void **state)
{
    (void)state;
    FILE *file = fopen(FIXTURES "/../../sql/extensions/guide.md", "rb");
    assert_non_null(file);
    static char guide[200000];
    guide[fread(guide, 1, sizeof guide - 1, file)] = '\0';
    fclose(file);
    const char *at = guide;
    for (const struct doc_key *key = doc_keys; key->name; key++) {
        char row[1000];
        snprintf(row, sizeof row, "| `%s` | %s |\n", key->name, key->meaning);
        at = strstr(at, row);
        if (!at)
            fail_msg("guide.md lacks, or has elsewhere: %s", row);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_report_declares_what_it_has),
    cmocka_unit_test(each_column_has_a_type),
    cmocka_unit_test(each_report_has_a_key),
    cmocka_unit_test(declarations_are_typed),
    cmocka_unit_test(wrong_declarations_are_refused),
    cmocka_unit_test(the_guide_has_the_keys),
};
GROUP(layout, NULL, NULL)
