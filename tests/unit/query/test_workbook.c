/* Workbooks: what stands in their XML, what no text can make of it, and that a file is there whole
 * or not at all. Compiled once more with a limit of rows that a test can pass. */
#include "tests/unit/faults.h"
#include "tests/unit/support.h"

#include "query/sink/forms.h"
#include "query/sink/xlsx_text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* clang-format off */
#define TEXT(literal) {.type = CELL_TEXT, .text = VIEW_OF(literal)}
#define INTEGER(value) {.type = CELL_INTEGER, .integer = (value)}
#define REAL(value) {.type = CELL_REAL, .real = (value)}
#define EMPTY {.type = CELL_NULL}
/* clang-format on */

/* ------------------------------------------------------------------ reading zip archives */

static uint32_t get(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    while (count--)
        value = value << 8 | bytes[count];
    return value;
}

static unsigned char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = memory_take(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static char *inflate_member(unsigned char *zip, const unsigned char *entry)
{
    unsigned char *local = zip + get(entry + 42, 4);
    uint32_t packed = get(entry + 20, 4), size = get(entry + 24, 4);
    char *text = memory_take(size + 1);
    assert_non_null(text);
    z_stream stream = {.next_in = local + 30 + get(local + 26, 2) + get(local + 28, 2),
                       .avail_in = packed,
                       .next_out = (unsigned char *)text,
                       .avail_out = size};
    assert_int_equal(inflateInit2(&stream, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    text[size] = '\0';
    return text;
}

/* A member of a workbook; NULL when it has none of the name. The caller frees. */
static char *member_of(const char *path, const char *name)
{
    size_t length;
    unsigned char *zip = read_file(path, &length);
    assert_true(length > 22);
    const unsigned char *end = zip + length - 22, *at = zip + get(end + 16, 4);
    char *text = NULL;
    for (uint32_t i = 0; i < get(end + 10, 2) && !text; i++) {
        size_t count = get(at + 28, 2);
        if (count == strlen(name) && memcmp(at + 46, name, count) == 0)
            text = inflate_member(zip, at);
        at += 46 + count + get(at + 30, 2) + get(at + 32, 2);
    }
    memory_free(zip);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("no %s in %.3000s", part, text);
}

static void assert_member_has(const char *path, const char *name, const char *part)
{
    char *text = member_of(path, name);
    assert_has(text, part);
    memory_free(text);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* ------------------------------------------------------------------ writing workbooks */

static struct sink *open_sink(const char *path, bool index)
{
    struct error error = {0};
    struct sink_target target = {.path = path, .index = index, .overwrite = true};
    struct sink *sink = sink_xlsx(&target, &error);
    if (!sink)
        fail_msg("%s", error.text);
    return sink;
}

static void send_sheet(struct sink *sink, const struct sheet *sheet, const struct cell *cells,
                       size_t rows)
{
    struct error error = {0};
    bool done = sink->begin(sink, sheet, &error);
    for (size_t i = 0; i < rows && done; i++)
        done = sink->row(sink, cells + i * sheet->column_count, &error);
    if (!done || !sink->end(sink, &error))
        fail_msg("%s", error.text);
}

static void finish(struct sink *sink)
{
    struct error error = {0};
    if (!sink_finish(sink, &error))
        fail_msg("%s", error.text);
    sink_free(sink);
}

static const struct column text_column[] = {{.name = "t", .heading = "t", .unit = ""}};
static const struct sheet text_sheet = {.name = "t", .columns = text_column, .column_count = 1};

/* ------------------------------------------------------------------ cells */

static void cells_have_their_types(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = "a", .heading = "name", .unit = ""},
        {.name = "b", .heading = "time", .unit = "ms", .meaning = "How <long>"},
        {.name = "c", .heading = "known", .unit = "", .form = FORM_BOOLEAN},
        {.name = "d", .heading = "count", .unit = ""},
    };
    static const struct cell rows[][4] = {
        {TEXT("=1+1"), REAL(1.5), INTEGER(1), INTEGER(-42)},
        {TEXT("http://x.y"), REAL(INFINITY), INTEGER(0), INTEGER(9007199254740992)},
        {TEXT("<b>&\"'"), REAL(-INFINITY), EMPTY, INTEGER(9007199254740993)},
        {TEXT(""), REAL(NAN), EMPTY, INTEGER(INT64_MIN)},
        {TEXT(" a\r\nb\tc "), EMPTY, EMPTY, EMPTY},
        {TEXT("\x01\x1b[31m\x7f\xFF\xF0\x9F\x98\x80"), EMPTY, EMPTY, EMPTY},
        {TEXT("_x0041_ _x41_"), EMPTY, EMPTY, EMPTY},
    };
    struct sheet sheet = {.name = "cells", .columns = columns, .column_count = 4};
    const char *path = scratch_path("cells.xlsx");
    struct sink *sink = open_sink(path, false);
    send_sheet(sink, &sheet, rows[0], sizeof rows / sizeof *rows);
    finish(sink);

    char *xml = member_of(path, "xl/worksheets/sheet1.xml");
    assert_has(xml, "<t>name</t>");
    assert_has(xml, "<c r=\"A2\" t=\"inlineStr\"><is><t>=1+1</t></is></c>");
    assert_has(xml, "<t>http://x.y</t>");
    assert_has(xml, "<t>&lt;b&gt;&amp;\"'</t>");
    assert_null(strstr(xml, "r=\"A5\""));
    assert_has(xml, "<t xml:space=\"preserve\"> a\nb\tc </t>");
    assert_has(xml, "<t>\xEF\xBF\xBD\xEF\xBF\xBD[31m\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80</t>");
    assert_has(xml, "<t>_x005F_x0041_ _x41_</t>");
    assert_has(xml, "<v>1.5</v>");
    assert_has(xml, "<c r=\"B3\" t=\"inlineStr\"><is><t>inf</t></is></c>");
    assert_has(xml, "<c r=\"B4\" t=\"inlineStr\"><is><t>-inf</t></is></c>");
    assert_null(strstr(xml, "r=\"B5\""));
    assert_has(xml, "<c r=\"C2\" t=\"b\"><v>1</v></c>");
    assert_has(xml, "<c r=\"C3\" t=\"b\"><v>0</v></c>");
    assert_has(xml, "<v>-42</v>");
    assert_has(xml, "<v>9007199254740992</v>");
    assert_has(xml, "<t>9007199254740993</t>");
    assert_has(xml, "<t>-9223372036854775808</t>");
    assert_null(strstr(xml, "<f>"));
    assert_null(strstr(xml, "hyperlink"));
    assert_has(xml, "<autoFilter ref=\"A1:D8\"/>");
    assert_has(xml, "<pane ySplit=\"1\"");
    memory_free(xml);
    assert_member_has(path, "xl/styles.xml", "#,##0.000");
    assert_member_has(path, "xl/comments1.xml", "How &lt;long&gt;\nUnit: ms");
}

static void long_texts_are_cut_at_a_character(void **state)
{
    (void)state;
    static char bytes[4 * 40000];
    for (int emoji = 0; emoji < 2; emoji++) {
        struct text made = {0};
        size_t length = emoji ? sizeof bytes : 40000;
        for (size_t i = 0; i < length; i++)
            bytes[i] = emoji ? "\xF0\x9F\x98\x80"[i % 4] : 'a';
        xlsx_add_text(&made, (struct view){bytes, length});
        assert_int_equal(made.count, emoji ? 4 * (32767 / 2) : 32767);
        text_free(&made);
    }
    struct cell cell = {.type = CELL_TEXT, .text = {bytes, sizeof bytes}};
    const char *path = scratch_path("long.xlsx");
    struct sink *sink = open_sink(path, false);
    send_sheet(sink, &text_sheet, &cell, 1);
    finish(sink);
    char *xml = member_of(path, "xl/worksheets/sheet1.xml");
    assert_int_equal(count_of(xml, "\xF0\x9F\x98\x80"), 16383);
    memory_free(xml);
}

/* ------------------------------------------------------------------ worksheets */

static void names_are_allowed_and_unique(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"ops", "ops"},
        {"OPS", "OPS (2)"},
        {"a[b]:c*d?e/f\\g", "a_b__c_d_e_f_g"},
        {"'quoted'", "_quoted_"},
        {"", "sheet"},
        {"InferenceAttention_fwd_kl_overlap", "InferenceAttention_fwd_kl_overl"},
        {"InferenceAttention_fwd_kl_overlaq", "InferenceAttention_fwd_kl_o (2)"},
        {"History", "History (2)"},
        {"index", "index (2)"},
        {"a & <b>", "a &amp; &lt;b&gt;"},
        {"\xC3\xA4\x01", "\xC3\xA4\xEF\xBF\xBD"},
    };
    const char *path = scratch_path("names.xlsx");
    struct sink *sink = open_sink(path, true);
    struct sheet sheet = text_sheet;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sheet.name = names[i][0];
        send_sheet(sink, &sheet, NULL, 0);
    }
    finish(sink);
    char *xml = member_of(path, "xl/workbook.xml");
    assert_has(xml, "<sheet name=\"index\" sheetId=\"1\"");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char part[200];
        snprintf(part, sizeof part, "<sheet name=\"%s\" sheetId=\"%zu\"", names[i][1], i + 2);
        assert_has(xml, part);
    }
    memory_free(xml);
}

static void the_index_leads_to_the_sheets(void **state)
{
    (void)state;
    static const struct cell rows[] = {TEXT("x"), TEXT("y")};
    const char *path = scratch_path("index.xlsx");
    struct sink *sink = open_sink(path, true);
    struct sheet sheet = text_sheet;
    sheet.name = "1 #first";
    sheet.title = "=What it <shows>";
    send_sheet(sink, &sheet, rows, 2);
    finish(sink);
    char *xml = member_of(path, "xl/worksheets/sheet1.xml");
    assert_has(xml, "<t>1 _first</t>");
    assert_has(xml, "<t>=What it &lt;shows&gt;</t>");
    assert_has(xml, "<v>2</v>");
    assert_has(xml, "<hyperlink ref=\"A2\" location=\"'1 _first'!A1\"");
    memory_free(xml);
    assert_member_has(path, "xl/workbook.xml", "'1 _first'!$A$1:$A$3");
    assert_member_has(path, "xl/styles.xml", "wrapText=\"1\"");
}

/* Words that are too long for a line of the index have as many lines as they need. */
static void the_index_says_all_of_it(void **state)
{
    (void)state;
    static const struct cell rows[] = {TEXT("x")};
    char title[300];
    memset(title, 'w', sizeof title);
    title[299] = '\0';
    const char *path = scratch_path("long.xlsx");
    struct sink *sink = open_sink(path, true);
    struct sheet sheet = text_sheet;
    sheet.name = "long";
    sheet.title = title;
    send_sheet(sink, &sheet, rows, 1);
    finish(sink);
    assert_member_has(path, "xl/worksheets/sheet1.xml", "<row r=\"2\" ht=\"45\"");
}

/* Figures that have no unit are rounded where they are known to be figures, and texts stand off
 * them. */
static void figures_without_a_unit_are_rounded(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = "a", .heading = "a", .unit = "", .type = CELL_REAL},
        {.name = "b", .heading = "b", .unit = ""},
        {.name = "c", .heading = "c", .unit = ""},
    };
    static const struct cell row[] = {{.type = CELL_REAL, .real = 62.458121588556},
                                      {.type = CELL_REAL, .real = 62.458121588556},
                                      TEXT("x")};
    struct sheet sheet = {.name = "d", .columns = columns, .column_count = 3};
    const char *path = scratch_path("reals.xlsx");
    struct sink *sink = open_sink(path, false);
    send_sheet(sink, &sheet, row, 1);
    finish(sink);
    char *xml = member_of(path, "xl/worksheets/sheet1.xml");
    assert_has(xml, "<c r=\"A2\" s=\"");
    assert_has(xml, "<c r=\"B2\"><v>62.4581");
    assert_has(xml, "<c r=\"C2\" s=\"");
    memory_free(xml);
    assert_member_has(path, "xl/styles.xml", "[&gt;=1]#,##0.00;[&gt;=0.001]0.0000;General");
    assert_member_has(path, "xl/styles.xml", "indent=\"1\"");
}

static void details_are_folded(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = "a", .heading = "a", .unit = ""},
        {.name = "b", .heading = "a rather long heading", .unit = "", .is_detail = true},
    };
    static const struct cell row[] = {TEXT("a text of thirty-one characters"), TEXT("y")};
    struct sheet sheet = {.name = "d", .columns = columns, .column_count = 2};
    const char *path = scratch_path("details.xlsx");
    struct sink *sink = open_sink(path, false);
    send_sheet(sink, &sheet, row, 1);
    finish(sink);
    char *xml = member_of(path, "xl/worksheets/sheet1.xml");
    assert_has(xml, "<col min=\"1\" max=\"1\" width=\"32.7109375\" customWidth=\"1\"/>");
    assert_has(xml, "<col min=\"2\" max=\"2\" width=\"25.7109375\" hidden=\"1\" customWidth=\"1\" "
                    "outlineLevel=\"1\"/>");
    memory_free(xml);
}

/* Columns with a place stay of fourteen, then the first ones of the rest. */
static void columns_that_matter_less_are_folded(void **state)
{
    (void)state;
    enum { COLUMNS = 14 };
    struct column columns[COLUMNS];
    struct cell row[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        columns[i] = (struct column){.name = "c", .heading = "c", .unit = ""};
        row[i] = (struct cell){.type = CELL_INTEGER, .integer = 1};
    }
    columns[13].place = 1;
    struct sheet sheet = {.name = "d", .columns = columns, .column_count = COLUMNS};
    for (int notes = 0; notes < 2; notes++) {
        const char *path = scratch_path(notes ? "matter.xlsx" : "all.xlsx");
        struct identity identity = {0};
        struct sink_target target = {
            .path = path, .overwrite = true, .notes = notes, .identity = &identity};
        struct error error = {0};
        struct sink *sink = sink_xlsx(&target, &error);
        send_sheet(sink, &sheet, row, 1);
        finish(sink);
        int folded = 0;
        char *xml = member_of(path, "xl/worksheets/sheet1.xml");
        for (const char *at = xml; (at = strstr(at, "hidden=\"1\"")); at++)
            folded++;
        assert_int_equal(notes ? 2 : 0, folded);
        assert_int_equal(notes, strstr(xml, "collapsed=\"1\"") != NULL);
        assert_has(xml, "<pageSetup fitToHeight=\"0\" orientation=\"landscape\"/>");
        memory_free(xml);
    }
}

static void charts_show_their_columns(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = "kind", .heading = "Kind", .unit = ""},
        {.name = "time_ms", .heading = "time", .unit = "ms"},
    };
    static struct cell rows[40][2];
    for (int i = 0; i < 40; i++) {
        rows[i][0] = (struct cell){.type = CELL_TEXT, .text = VIEW_OF("k")};
        rows[i][1] = (struct cell){.type = CELL_REAL, .real = i};
    }
    static const struct {
        const char *chart, *element, *range;
    } charts[] = {
        {"bar kind time_ms", "<c:barDir val=\"bar\"/>", "'7'!$B$2:$B$31"},
        {"column kind time_ms", "<c:barDir val=\"col\"/>", "'7'!$B$2:$B$41"},
        {"pie kind time_ms", "<c:pieChart>", "'7'!$A$2:$A$31"},
        {"line  kind  time_ms  none", "<c:lineChart>", "'7'!$A$2:$A$41"},
        {"line kind none", NULL, NULL},
        {"cake kind time_ms", NULL, NULL},
        {"", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++) {
        struct sheet sheet = {.name = "7",
                              .title = "How <long>",
                              .chart = charts[i].chart,
                              .columns = columns,
                              .column_count = 2};
        const char *path = scratch_path("chart.xlsx");
        struct sink *sink = open_sink(path, false);
        send_sheet(sink, &sheet, rows[0], 40);
        finish(sink);
        char *xml = member_of(path, "xl/charts/chart1.xml");
        assert_int_equal(xml != NULL, charts[i].element != NULL);
        if (xml) {
            assert_has(xml, charts[i].element);
            assert_has(xml, charts[i].range);
            assert_has(xml, "How &lt;long&gt;");
        }
        memory_free(xml);
    }
}

static void heat_colours_its_values(void **state)
{
    (void)state;
    static const struct column columns[] = {
        {.name = "rank", .heading = "rank", .unit = ""},
        {.name = "step", .heading = "step", .unit = ""},
        {.name = "wait_us", .heading = "wait", .unit = "us"},
    };
    static const struct cell rows[2][3] = {
        {{.type = CELL_INTEGER}, {.type = CELL_INTEGER}, {.type = CELL_REAL, .real = 1}},
        {{.type = CELL_INTEGER}, {.type = CELL_INTEGER}, {.type = CELL_REAL, .real = 2}},
    };
    struct sheet sheet = {
        .name = "7", .chart = "heat rank step wait_us", .columns = columns, .column_count = 3};
    const char *path = scratch_path("heat.xlsx");
    struct sink *sink = open_sink(path, false);
    send_sheet(sink, &sheet, rows[0], 2);
    finish(sink);
    assert_member_has(path, "xl/worksheets/sheet1.xml",
                      "sqref=\"C2:C3\"><cfRule type=\"colorScale\"");
}

#ifdef TPQ_SMALL_WINDOWS
/* With 40 rows instead of a million. */
static void rows_beyond_the_limit_have_a_sheet_of_their_own(void **state)
{
    (void)state;
    static const struct cell row = TEXT("x");
    struct error error = {0};
    const char *path = scratch_path("many.xlsx");
    struct sink *sink = open_sink(path, false);
    assert_true(sink->begin(sink, &text_sheet, &error));
    for (int i = 0; i < 81; i++)
        assert_true(sink->row(sink, &row, &error));
    assert_true(sink->end(sink, &error));
    finish(sink);
    assert_member_has(path, "xl/workbook.xml", "<sheet name=\"t (3)\" sheetId=\"3\"");
    static const int rows[] = {40, 40, 1};
    for (int i = 0; i < 3; i++) {
        char name[60];
        snprintf(name, sizeof name, "xl/worksheets/sheet%d.xml", i + 1);
        char *xml = member_of(path, name);
        assert_has(xml, "<t>t</t>");
        assert_int_equal(count_of(xml, "<t>x</t>"), rows[i]);
        memory_free(xml);
    }
}

#endif

/* ------------------------------------------------------------------ files */

static int files_in(const char *directory)
{
    DIR *folder = opendir(directory);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void assert_refused(const char *path, bool overwrite, const char *reason)
{
    struct error error = {0};
    char expected[1200];
    struct sink_target target = {.path = path, .overwrite = overwrite};
    assert_null(sink_xlsx(&target, &error));
    snprintf(expected, sizeof expected, "%s: %s", path, reason);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.status, STATUS_DATABASE);
}

static void only_a_whole_file_gets_its_name(void **state)
{
    (void)state;
    static const struct cell row = TEXT("x");
    struct error error = {0};
    struct stat status;
    mkdir(scratch_path("files"), 0777);
    const char *path = scratch_path("files/a.xlsx"), *directory = scratch_path("files");
    mode_t mask = umask(022);
    struct sink *sink = open_sink(path, true);
    send_sheet(sink, &text_sheet, &row, 1);
    assert_int_not_equal(stat(path, &status), 0);
    sink_free(sink); /* given up */
    assert_int_equal(files_in(directory), 0);

    sink = open_sink(path, true);
    send_sheet(sink, &text_sheet, &row, 1);
    finish(sink);
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0644);
    assert_refused(path, false, "exists already (--force overwrites it)");
    assert_refused(directory, true, "is no file that can be overwritten");
    assert_refused("/dev/null", true, "is no file that can be overwritten");
    assert_refused(scratch_path("none/a.xlsx"), true,
                   "cannot be written: No such file or directory");
    assert_int_equal(files_in(directory), 1);

    /* one that came meanwhile is left alone */
    const char *late = scratch_path("files/late.xlsx");
    struct sink_target target = {.path = late};
    sink = sink_xlsx(&target, &error);
    assert_non_null(sink);
    send_sheet(sink, &text_sheet, &row, 1);
    FILE *file = fopen(late, "w");
    assert_non_null(file);
    fputs("mine", file);
    fclose(file);
    assert_false(sink_finish(sink, &error));
    assert_non_null(strstr(error.text, "late.xlsx: exists already (--force overwrites it)"));
    sink_free(sink);
    assert_int_equal(stat(late, &status), 0);
    assert_int_equal(status.st_size, 4);
    assert_int_equal(files_in(directory), 2);
}

/* A limit on the size of files stands in for a full disk. */
static void a_full_disk_leaves_nothing_behind(void **state)
{
    (void)state;
    static const struct cell cell = TEXT("a text that is written once more and once more");
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    mkdir(scratch_path("full"), 0777);
    const char *path = scratch_path("full/a.xlsx"), *directory = scratch_path("full");
    /* few rows: the archive is the largest file; many: that of a worksheet before it is packed */
    static const struct {
        int rows;
        rlim_t first, last, step;
    } disks[] = {{1, 0, 12000, 500}, {300, 24000, 36000, 200}};
    int whole[2] = {0}, failed[2] = {0};
    for (int i = 0; i < 2; i++)
        for (rlim_t room = disks[i].first; room < disks[i].last; room += disks[i].step) {
            struct error error = {0};
            struct sink_target target = {.path = path, .index = true};
            struct sink *sink = sink_xlsx(&target, &error);
            assert_non_null(sink);
            limit = (struct rlimit){.rlim_cur = room, .rlim_max = before.rlim_max};
            setrlimit(RLIMIT_FSIZE, &limit);
            bool done = sink->begin(sink, &text_sheet, &error);
            for (int row = 0; row < disks[i].rows && done; row++)
                done = sink->row(sink, &cell, &error);
            done = done && sink->end(sink, &error) && sink_finish(sink, &error);
            setrlimit(RLIMIT_FSIZE, &before);
            sink_free(sink);
            assert_int_equal(files_in(directory), done);
            *(done ? &whole[i] : &failed[i]) += 1;
            if (done) {
                assert_member_has(path, "xl/worksheets/sheet2.xml", "</worksheet>");
                unlink(path);
            } else {
                assert_int_equal(error.status, STATUS_DATABASE);
                assert_non_null(strstr(error.text, "full/a.xlsx: cannot be written: "));
            }
        }
#ifdef TPQ_SMALL_WINDOWS
    assert_true(whole[0] && failed[0]);
#else
    assert_true(whole[0] && failed[0] && whole[1] && failed[1]);
#endif
    signal(SIGXFSZ, handler);
}

enum {
#ifdef TPQ_SMALL_WINDOWS
    LARGER = 50,
#else
    LARGER = 400,
#endif
};

/* Sheets with notes, the last of which is the larger one. */
static bool write_two_sheets(const char *path, struct error *error)
{
    static const struct column columns[] = {
        {.name = "t", .heading = "t", .unit = "", .meaning = "what it is"}};
    static const struct sheet sheets[] = {{.name = "one", .columns = columns, .column_count = 1},
                                          {.name = "two", .columns = columns, .column_count = 1}};
    static const struct cell cell = TEXT("a text that is written once more and once more");
    struct sink_target target = {.path = path, .index = true};
    struct sink *sink = sink_xlsx(&target, error);
    bool done = sink;
    for (int i = 0; i < 2 && done; i++) {
        done = sink->begin(sink, &sheets[i], error);
        for (int row = 0; row < i * LARGER + 1 && done; row++)
            done = sink->row(sink, &cell, error);
        done = done && sink->end(sink, error);
    }
    done = done && sink_finish(sink, error);
    if (sink)
        sink_free(sink);
    return done;
}

/* The parts of a workbook that say what is in it, one behind the other. */
static char *parts_of(const char *path)
{
    static const char *const names[] = {
        "[Content_Types].xml",      "xl/workbook.xml",          "xl/styles.xml",
        "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "xl/worksheets/sheet3.xml",
        "xl/comments1.xml",         "xl/comments2.xml",         "xl/drawings/vmlDrawing2.vml"};
    struct text parts = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *part = member_of(path, names[i]);
        assert_non_null(part);
        text_add_string(&parts, part);
        memory_free(part);
    }
    return parts.items;
}

/* Each call for a temporary file fails, is interrupted and falls short once. */
static void a_temporary_file_that_fails_is_an_error(void **state)
{
    (void)state;
    mkdir(scratch_path("parts"), 0777);
    const char *path = scratch_path("parts/a.xlsx"), *directory = scratch_path("parts");
    struct error error = {0};
    faults_start(FAULT_NONE, 0);
    assert_true(write_two_sheets(path, &error));
    int64_t calls = faults_stop();
    assert_true(calls > 50);
    char *whole = parts_of(path);
    unlink(path);
    int64_t failed = 0;
    for (enum fault fault = FAULT_ONCE; fault <= FAULT_HALF; fault++)
        for (int64_t at = 1; at <= calls; at++) {
            error = (struct error){0};
            faults_start(fault, at);
            bool done = write_two_sheets(path, &error);
            faults_stop();
            assert_int_equal(files_in(directory), done);
            if (!done) {
                failed++;
                assert_int_equal(fault, FAULT_ONCE);
                assert_int_equal(error.status, STATUS_DATABASE);
                assert_has(error.text, "parts/a.xlsx: cannot be written: ");
                continue;
            }
            char *now = parts_of(path);
            if (strcmp(now, whole) != 0)
                fail_msg("call %lld of %lld: parts are missing", (long long)at, (long long)calls);
            memory_free(now);
            unlink(path);
        }
    assert_in_range(failed, calls * 3 / 4, calls); /* few of all calls are others */
    memory_free(whole);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cells_have_their_types),
    cmocka_unit_test(long_texts_are_cut_at_a_character),
    cmocka_unit_test(names_are_allowed_and_unique),
    cmocka_unit_test(the_index_leads_to_the_sheets),
    cmocka_unit_test(the_index_says_all_of_it),
    cmocka_unit_test(figures_without_a_unit_are_rounded),
    cmocka_unit_test(details_are_folded),
    cmocka_unit_test(columns_that_matter_less_are_folded),
    cmocka_unit_test(charts_show_their_columns),
    cmocka_unit_test(heat_colours_its_values),
#ifdef TPQ_SMALL_WINDOWS
    cmocka_unit_test(rows_beyond_the_limit_have_a_sheet_of_their_own),
#endif
    cmocka_unit_test(only_a_whole_file_gets_its_name),
    cmocka_unit_test(a_full_disk_leaves_nothing_behind),
    cmocka_unit_test(a_temporary_file_that_fails_is_an_error),
};
GROUP(workbook, NULL, NULL)
