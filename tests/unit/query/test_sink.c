/* The sinks: what each form of output makes of the same two sheets, whose cells are as nasty as
 * those of a trace can be, and what workbooks and frozen tables promise. */
#include "tests/unit/support.h"

#include "query/sink/forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ------------------------------------------------------------------ sheets */

/* clang-format off */
#define TEXT(literal) {.type = CELL_TEXT, .text = VIEW_OF(literal)}
#define INTEGER(value) {.type = CELL_INTEGER, .integer = (value)}
#define REAL(value) {.type = CELL_REAL, .real = (value)}
#define EMPTY {.type = CELL_NULL}
/* clang-format on */

static const struct column nasty_columns[] = {
    {.name = "name", .heading = "Kernel \"name\"", .unit = "", .meaning = "<What> it is"},
    {.name = "calls", .heading = "calls", .unit = "", .is_number = true},
    {.name = "time_us", .heading = "time (us)", .unit = "us", .is_number = true},
    {.name = "known", .heading = "known", .unit = "", .form = FORM_BOOLEAN},
};
static const struct sheet nasty = {.name = "nasty_sheet",
                                   .title = "What a trace may <say>",
                                   .columns = nasty_columns,
                                   .column_count = 4};

static const struct cell nasty_rows[][4] = {
    {TEXT("plain"), INTEGER(1), REAL(0.5), INTEGER(1)},
    {TEXT("a \"quote\", a comma"), INTEGER(-1234567), REAL(1234.5678), INTEGER(0)},
    {TEXT("two\nlines\tand a tab"), INTEGER(9007199254740993), REAL(-INFINITY), EMPTY},
    {TEXT("=1+1"), INTEGER(0), REAL(INFINITY), INTEGER(1)},
    {TEXT("<script>&amp;"), EMPTY, REAL(NAN), INTEGER(0)},
    {TEXT("\033[31m\xF0\x9F\x98\x80 |*\xFF"), INTEGER(2), EMPTY, INTEGER(1)},
    {EMPTY, EMPTY, EMPTY, EMPTY},
};

static const struct column small_columns[] = {{.name = "x", .heading = "x", .unit = ""}};
static const struct sheet small_sheet = {.name = "b", .columns = small_columns, .column_count = 1};
static const struct sheet empty_sheet = {
    .name = "none", .columns = small_columns, .column_count = 1};

/* The sheet is gone after its end: nothing may look at it then. */
static void send_sheet(struct sink *sink, const struct sheet *sheet, const struct cell *cells,
                       size_t rows)
{
    struct error error = {0};
    static struct sheet own;
    own = *sheet;
    bool done = sink->begin(sink, &own, &error);
    for (size_t i = 0; i < rows && done; i++)
        done = sink->row(sink, cells + i * sheet->column_count, &error);
    if (!done || !sink->end(sink, &error))
        fail_msg("%s", error.text);
    own = (struct sheet){0};
}

static void finish(struct sink *sink)
{
    struct error error = {0};
    if (!sink_finish(sink, &error))
        fail_msg("%s", error.text);
    sink_free(sink);
}

/* Sends all three sheets. */
static void send_all(struct sink *sink)
{
    static const struct cell one = TEXT("y");
    assert_non_null(sink);
    send_sheet(sink, &nasty, nasty_rows[0], sizeof nasty_rows / sizeof *nasty_rows);
    send_sheet(sink, &small_sheet, &one, 1);
    send_sheet(sink, &empty_sheet, NULL, 0);
    finish(sink);
}

/* ------------------------------------------------------------------ texts */

static char *printed;
static size_t printed_length;
static FILE *out;

static FILE *start_printing(void)
{
    out = open_memstream(&printed, &printed_length);
    assert_non_null(out);
    return out;
}

static void assert_printed(const char *expected)
{
    fclose(out);
    assert_string_equal(printed, expected);
    free(printed);
}

static void csv_of_sheets(void **state)
{
    (void)state;
    struct error error = {0};
    send_all(sink_csv(&(struct sink_target){.out = start_printing()}, &error));
    assert_printed("\"Kernel \"\"name\"\"\",calls,time (us),known\n"
                   "plain,1,0.5,True\n"
                   "\"a \"\"quote\"\", a comma\",-1234567,1234.5678,False\n"
                   "\"two\n"
                   "lines\tand a tab\",9007199254740993,-inf,\n"
                   "'=1+1,0,inf,True\n"
                   "<script>&amp;,,nan,False\n"
                   "\033[31m\360\237\230\200 |*\377,2,,True\n"
                   ",,,\n"
                   "x\n"
                   "y\n"
                   "x\n");
}

static void raw_csv_leaves_texts_alone(void **state)
{
    (void)state;
    struct error error = {0};
    struct sink *sink =
        sink_csv(&(struct sink_target){.out = start_printing(), .raw = true}, &error);
    send_sheet(sink, &nasty, nasty_rows[3], 1);
    finish(sink);
    assert_printed("\"Kernel \"\"name\"\"\",calls,time (us),known\n"
                   "=1+1,0,inf,True\n");
}

static void tsv_of_sheets(void **state)
{
    (void)state;
    struct error error = {0};
    send_all(sink_tsv(&(struct sink_target){.out = start_printing()}, &error));
    assert_printed("Kernel \"name\"\tcalls\ttime (us)\tknown\n"
                   "plain\t1\t0.5\tTrue\n"
                   "a \"quote\", a comma\t-1234567\t1234.5678\tFalse\n"
                   "two\\nlines\\tand a tab\t9007199254740993\t-inf\t\n"
                   "=1+1\t0\tinf\tTrue\n"
                   "<script>&amp;\t\tnan\tFalse\n"
                   "\033[31m\360\237\230\200 |*\377\t2\t\tTrue\n"
                   "\t\t\t\n"
                   "x\n"
                   "y\n"
                   "x\n");
}

#define NASTY_COLUMNS                                                                         \
    "\"columns\": {\"name\": {\"heading\": \"Kernel \\\"name\\\"\"}, \"calls\": "             \
    "{\"heading\": \"calls\"}, \"time_us\": {\"heading\": \"time (us)\", \"unit\": \"us\"}, " \
    "\"known\": {\"heading\": \"known\"}}"
#define X_COLUMN "\"columns\": {\"x\": {\"heading\": \"x\"}}"

static void json_of_sheets(void **state)
{
    (void)state;
    struct error error = {0};
    send_all(sink_json(&(struct sink_target){.out = start_printing()}, &error));
    assert_printed(
        "{\n"
        "\"nasty_sheet\": [\n"
        "{\"name\":\"plain\",\"calls\":1,\"time_us\":0.5,\"known\":true},\n"
        "{\"name\":\"a \\\"quote\\\", a comma\",\"calls\":-1234567,\"time_us\":1234.5678,"
        "\"known\":false},\n"
        "{\"name\":\"two\\u000alines\\u0009and a tab\",\"calls\":9007199254740993,"
        "\"time_us\":null,\"known\":null},\n"
        "{\"name\":\"=1+1\",\"calls\":0,\"time_us\":null,\"known\":true},\n"
        "{\"name\":\"<script>&amp;\",\"calls\":null,\"time_us\":null,\"known\":false},\n"
        "{\"name\":\"\\u001b[31m\360\237\230\200 |*\357\277\275\",\"calls\":2,\"time_us\":null,"
        "\"known\":true},\n"
        "{\"name\":null,\"calls\":null,\"time_us\":null,\"known\":null}\n"
        "],\n"
        "\"b\": [\n"
        "{\"x\":\"y\"}\n"
        "],\n"
        "\"none\": [],\n"
        "\"meta\": {\"sheets\": {\n"
        "    \"nasty_sheet\": {\"title\": \"What a trace may <say>\", " NASTY_COLUMNS "},\n"
        "    \"b\": {" X_COLUMN "},\n"
        "    \"none\": {" X_COLUMN "}}}\n"
        "}\n");
    finish(sink_json(&(struct sink_target){.out = start_printing()}, &error));
    assert_printed("{}\n");
}

static void json_lines_of_sheets(void **state)
{
    (void)state;
    struct error error = {0};
    send_all(sink_json_lines(&(struct sink_target){.out = start_printing()}, &error));
    assert_printed(
        "{\"sheet\":\"nasty_sheet\",\"name\":\"plain\",\"calls\":1,\"time_us\":0.5,"
        "\"known\":true}\n"
        "{\"sheet\":\"nasty_sheet\",\"name\":\"a \\\"quote\\\", a comma\",\"calls\":-1234567,"
        "\"time_us\":1234.5678,\"known\":false}\n"
        "{\"sheet\":\"nasty_sheet\",\"name\":\"two\\u000alines\\u0009and a tab\","
        "\"calls\":9007199254740993,\"time_us\":null,\"known\":null}\n"
        "{\"sheet\":\"nasty_sheet\",\"name\":\"=1+1\",\"calls\":0,\"time_us\":null,"
        "\"known\":true}\n"
        "{\"sheet\":\"nasty_sheet\",\"name\":\"<script>&amp;\",\"calls\":null,\"time_us\":null,"
        "\"known\":false}\n"
        "{\"sheet\":\"nasty_sheet\",\"name\":\"\\u001b[31m\360\237\230\200 |*\357\277\275\","
        "\"calls\":2,\"time_us\":null,\"known\":true}\n"
        "{\"sheet\":\"nasty_sheet\",\"name\":null,\"calls\":null,\"time_us\":null,"
        "\"known\":null}\n"
        "{\"sheet\":\"b\",\"x\":\"y\"}\n"
        "{\"meta\": {\"sheets\": { \"nasty_sheet\": {\"title\": \"What a trace may <say>\", " //
        NASTY_COLUMNS "}, \"b\": {" X_COLUMN "}, \"none\": {" X_COLUMN "}}}}\n");
}

/* What a trace states as JSON is that; names of columns are told apart. */
static void json_of_structures(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = "a", .heading = "A", .unit = "", .form = FORM_LIST},
        {.name = "A", .heading = "B", .unit = "ms", .form = FORM_ARRAY},
        {.name = "sheet", .heading = "C", .unit = ""},
    };
    static const struct cell rows[][3] = {
        {TEXT("[1,\"x\"]"), TEXT("[0, 1, ...]"), TEXT("[1]")},
        {TEXT("not json"), TEXT("[0, [1]]"), EMPTY},
        {TEXT("\"quoted\""), TEXT("\"quoted\""), EMPTY},
        {TEXT("5"), TEXT("5"), EMPTY},
    };
    const struct sheet sheet = {.name = "s", .columns = columns, .column_count = 3};
    struct error error = {0};
    struct sink *sink = sink_json_lines(&(struct sink_target){.out = start_printing()}, &error);
    assert_true(sink->begin(sink, &sheet, &error));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(sink->row(sink, rows[i], &error));
    assert_true(sink->end(sink, &error));
    finish(sink);
    assert_printed(
        "{\"sheet\":\"s\",\"a\":[1,\"x\"],\"A_2\":\"[0, 1, ...]\",\"sheet_2\":\"[1]\"}\n"
        "{\"sheet\":\"s\",\"a\":\"not json\",\"A_2\":[0, [1]],\"sheet_2\":null}\n"
        "{\"sheet\":\"s\",\"a\":\"quoted\",\"A_2\":\"\\\"quoted\\\"\",\"sheet_2\":null}\n"
        "{\"sheet\":\"s\",\"a\":5,\"A_2\":\"5\",\"sheet_2\":null}\n"
        "{\"meta\": {\"sheets\": { \"s\": {\"columns\": {\"a\": {\"heading\": \"A\"}, "
        "\"A_2\": {\"heading\": \"B\", \"unit\": \"ms\"}, \"sheet_2\": {\"heading\": "
        "\"C\"}}}}}}\n");
}

static void markdown_of_sheets(void **state)
{
    (void)state;
    struct error error = {0};
    send_all(sink_markdown(&(struct sink_target){.out = start_printing()}, &error));
    assert_printed("## nasty_sheet\n"
                   "\n"
                   "What a trace may \\<say\\>\n"
                   "\n"
                   "| Kernel \"name\" | calls | time (us) | known |\n"
                   "| --- | ---: | ---: | --- |\n"
                   "| plain | 1 | 0.50 | True |\n"
                   "| a \"quote\", a comma | -1,234,567 | 1,234.57 | False |\n"
                   "| two\\\\nlines\\\\tand a tab | 9,007,199,254,740,993 | -inf |  |\n"
                   "| =1+1 | 0 | inf | True |\n"
                   "| \\<script\\>\\&amp; |  | nan | False |\n"
                   "| \\\\x1b\\[31m\360\237\230\200 \\|\\*\\\\xff | 2 |  | True |\n"
                   "|  |  |  |  |\n"
                   "\n"
                   "## b\n"
                   "\n"
                   "| x |\n"
                   "| --- |\n"
                   "| y |\n"
                   "\n"
                   "## none\n"
                   "\n"
                   "| x |\n"
                   "| --- |\n");
}

static void sheets_for_people(void **state)
{
    (void)state;
    struct error error = {0};
    struct sink_target target = {.out = start_printing(), .width = 80, .top = 6};
    send_all(sink_terminal(&target, &error));
    assert_printed("nasty_sheet: What a trace may <say>\n"
                   "                                                  time  \n"
                   "Kernel \"name\"                          calls      (us)  known\n"
                   "─────────────────────  ─────────────────────  ────────  ─────\n"
                   "plain                                      1      0.50  True\n"
                   "a \"quote\", a comma                -1,234,567  1,234.57  False\n"
                   "two\\nlines\\tand a tab  9,007,199,254,740,993      -inf  \n"
                   "=1+1                                       0       inf  True\n"
                   "<script>&amp;                                      nan  False\n"
                   "\\x1b[31m\360\237\230\200 |*\\xff                           2            True\n"
                   "1 more row (--top 0 shows all)\n"
                   "\n"
                   "b\n"
                   "x\n"
                   "─\n"
                   "y\n"
                   "\n"
                   "none\n"
                   "(no rows)\n");
}

static void csv_files_of_sheets(void **state)
{
    (void)state;
    struct error error = {0};
    char *directory = memory_text(scratch_path("csvs")), path[4096], line[64];
    struct sink *sink = sink_csv(&(struct sink_target){.path = directory}, &error);
    static const struct cell one = TEXT("y");
    struct sheet odd = small_sheet;
    send_sheet(sink, &small_sheet, &one, 1);
    odd.name = "../../etc";
    send_sheet(sink, &odd, &one, 1);
    finish(sink);
    static const char *const names[] = {"b.csv", "_._.._etc.csv"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(fread(line, 1, sizeof line, file), 4);
        assert_memory_equal(line, "x\ny\n", 4);
        fclose(file);
    }
    memory_free(directory);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(csv_of_sheets),        cmocka_unit_test(raw_csv_leaves_texts_alone),
    cmocka_unit_test(tsv_of_sheets),        cmocka_unit_test(json_of_sheets),
    cmocka_unit_test(json_lines_of_sheets), cmocka_unit_test(json_of_structures),
    cmocka_unit_test(markdown_of_sheets),   cmocka_unit_test(sheets_for_people),
    cmocka_unit_test(csv_files_of_sheets),
};
GROUP(sink, NULL, NULL)
