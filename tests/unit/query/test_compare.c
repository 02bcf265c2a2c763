/* Comparisons: reports joined as the reference tool joins them, worked out by hand. */
#include "tests/unit/support.h"

#include "query/compare/reference.h"

#include <string.h>

/* A sheet of names and figures; NAN-like rows are given as NULL names. */
struct row {
    const char *name;
    double figure;
};

static struct cell text_cell(const char *text)
{
    return text ? (struct cell){.type = CELL_TEXT, .text = view_of(text)}
                : (struct cell){.type = CELL_NULL};
}

static void keep(struct kept_sheets *kept, const struct row *rows, size_t count)
{
    struct error error = {0};
    const struct column columns[] = {{.name = "name", .heading = "name"},
                                     {.name = "ms", .heading = "ms"},
                                     {.name = "seen", .heading = "seen"}};
    const struct sheet sheet = {.name = "s", .columns = columns, .column_count = 3};
    kept_sheets_init(kept);
    assert_true(kept->base.begin(&kept->base, &sheet, &error));
    for (size_t i = 0; i < count; i++) {
        const struct cell cells[] = {text_cell(rows[i].name),
                                     {.type = CELL_REAL, .real = rows[i].figure},
                                     {.type = CELL_INTEGER, .integer = (int64_t)i}};
        assert_true(kept->base.row(&kept->base, cells, &error));
    }
    assert_true(kept->base.end(&kept->base, &error));
}

static void join(const struct join_rule *rule, struct kept_sheets *sheets, size_t count,
                 struct kept_sheets *out)
{
    static const char *const names[] = {"b", "v", "w"};
    struct join_table tables[3];
    struct error error = {0};
    sqlite3 *db = NULL;
    for (size_t i = 0; i < count; i++)
        tables[i] = (struct join_table){kept_sheets_find(&sheets[i], "s"), names[i], false};
    kept_sheets_init(out);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_true(reference_join(rule, tables, count, db, &out->base, &error));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The cell of a row, counted from 0, under a heading. */
static struct cell cell_of(const struct kept_sheet *sheet, size_t row, const char *heading)
{
    struct cell cells[20];
    struct result_cursor cursor = {0};
    assert_true(sheet->columns.count <= 20);
    for (size_t i = 0; i <= row; i++)
        assert_true(result_next(&sheet->rows, &cursor, cells));
    for (size_t i = 0; i < sheet->columns.count; i++)
        if (strcmp(sheet->columns.items[i].heading, heading) == 0)
            return cells[i];
    fail_msg("no column %s", heading);
    return cells[0];
}

static const struct row base[] = {{"mm", 10}, {"add", 4}, {"zero", 0}};
static const struct row variant[] = {{"mm", 15}, {"mul", 2}, {"zero", 3}};
static const struct join_rule parted = {"s", "name", "ms", "", "", "", true};
static const struct join_rule whole = {"s", "name", "ms", "", "seen", "", false};

static void rows_are_parted(void **state)
{
    (void)state;
    struct kept_sheets tables[2], out;
    keep(&tables[0], base, 3);
    keep(&tables[1], variant, 3);
    join(&parted, tables, 2, &out);
    assert_int_equal(out.sheets.count, 3);
    const struct kept_sheet *both = kept_sheets_find(&out, "s_intersect_v");
    assert_int_equal(both->rows.rows, 2);
    assert_true(cell_of(both, 0, "ms__v_diff").real == 5 &&
                cell_of(both, 0, "ms__v_pct").real == 50);
    assert_true(cell_of(both, 1, "ms__v_diff").real == 3);
    assert_int_equal(cell_of(both, 1, "ms__v_pct").type, CELL_NULL);
    const struct kept_sheet *first = kept_sheets_find(&out, "s_only_baseline_v");
    assert_int_equal(first->rows.rows, 1);
    assert_int_equal(first->columns.count, 3); /* no differences, nothing of the other */
    assert_true(view_equal(cell_of(first, 0, "name").text, VIEW("add")));
    const struct kept_sheet *other = kept_sheets_find(&out, "s_only_variant_v");
    assert_true(view_equal(cell_of(other, 0, "name").text, VIEW("mul")));
    join(&parted, tables, 1, &out);
    assert_int_equal(out.sheets.count, 0);
}

static void a_whole_sheet_has_all_rows(void **state)
{
    (void)state;
    struct kept_sheets tables[2], out;
    keep(&tables[0], base, 3);
    keep(&tables[1], variant, 3);
    join(&whole, tables, 2, &out);
    const struct kept_sheet *sheet = kept_sheets_find(&out, "s");
    assert_int_equal(sheet->rows.rows, 4); /* the greatest of the base first, what it lacks last */
    assert_true(view_equal(cell_of(sheet, 0, "name").text, VIEW("mm")));
    assert_true(view_equal(cell_of(sheet, 3, "name").text, VIEW("mul")));
    assert_int_equal(cell_of(sheet, 3, "ms__v_diff").type, CELL_NULL);
    assert_int_equal(sheet->columns.count, 6); /* name, diff, pct, b::ms, b::seen, v::ms */
}

static void equal_keys_meet_each_with_each(void **state)
{
    (void)state;
    static const struct row left[] = {{"k", 1}, {"k", 2}, {NULL, 5}};
    static const struct row right[] = {{"k", 3}, {"k", 4}, {NULL, 6}};
    struct kept_sheets tables[2], out;
    keep(&tables[0], left, 3);
    keep(&tables[1], right, 3);
    join(&whole, tables, 2, &out);
    const struct kept_sheet *sheet = kept_sheets_find(&out, "s");
    assert_int_equal(sheet->rows.rows, 5); /* an empty key is a key */
    assert_true(cell_of(sheet, 0, "ms__v_diff").real == 1);
}

static void three_reports_have_six_parts(void **state)
{
    (void)state;
    struct kept_sheets tables[3], out;
    keep(&tables[0], base, 3);
    keep(&tables[1], variant, 3);
    keep(&tables[2], base, 2);
    join(&parted, tables, 3, &out);
    assert_int_equal(out.sheets.count, 6);
    assert_int_equal(kept_sheets_find(&out, "s_intersect_w")->rows.rows, 2);
    assert_int_equal(kept_sheets_find(&out, "s_only_baseline_w")->rows.rows, 1);
    const struct kept_sheet *none = kept_sheets_find(&out, "s_only_variant_w");
    assert_int_equal(none->rows.rows, 0);
    assert_int_equal(none->columns.count, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_parted),
    cmocka_unit_test(a_whole_sheet_has_all_rows),
    cmocka_unit_test(equal_keys_meet_each_with_each),
    cmocka_unit_test(three_reports_have_six_parts),
};
GROUP(compare, memory_setup, memory_teardown)
