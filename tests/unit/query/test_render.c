/* The forms of a result: what each mode prints for every kind of value, that no text can drive a
 * terminal or a spreadsheet, and that nothing is lost on the way. */
#include "tests/unit/support.h"

#include "query/ask/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

/* ------------------------------------------------------------------ helpers */

static sqlite3_stmt *prepare(const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    return statement;
}

/* What a statement looks like; the caller frees. */
static char *render_with(const char *sql, struct render_options options, size_t *length)
{
    struct error error = {0};
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    sqlite3_stmt *statement = prepare(sql);
    assert_non_null(out);
    if (!render_statement(statement, &options, out, "SQL", &error))
        fail_msg("%s: %s", error.text, sql);
    database_finalize(statement);
    fclose(out);
    return text;
}

static char *render(const char *sql, const char *mode)
{
    size_t length;
    return render_with(sql, (struct render_options){.form = form_of_mode(mode)}, &length);
}

static void assert_rendered(const char *sql, const char *mode, const char *expected)
{
    char *text = render(sql, mode);
    assert_string_equal(text, expected);
    free(text);
}

/* The same with one text as the only value, bound so that it may have any bytes. */
static char *render_bytes(const char *bytes, size_t count, struct render_options options,
                          size_t *length)
{
    struct error error = {0};
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    sqlite3_stmt *statement = prepare("SELECT ?1 AS t");
    sqlite3_bind_text(statement, 1, bytes, (int)count, SQLITE_STATIC);
    assert_true(render_statement(statement, &options, out, "SQL", &error));
    database_finalize(statement);
    fclose(out);
    return text;
}

static void assert_text(const char *bytes, const char *mode, const char *expected)
{
    size_t length;
    char *text = render_bytes(bytes, strlen(bytes),
                              (struct render_options){.form = form_of_mode(mode)}, &length);
    assert_string_equal(text, expected);
    free(text);
}

/* Characters of a line. */
static size_t width_of(const char *line, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)line[i] & 0xC0) != 0x80;
    return width;
}

/* Fails for a line that is wider. */
static void assert_fits(const char *text, size_t width)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        if (width_of(at, length) > width)
            fail_msg("%zu > %zu: %.*s", width_of(at, length), width, (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static int count_lines(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Counts places where a text stands. */
static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* ------------------------------------------------------------------ modes */

static const char result[] = "SELECT 1 AS n, 0.1 AS r, 'a text' AS t, NULL AS z, x'00ff' AS b "
                             "UNION ALL SELECT -20, 1e16, 'b', NULL, ''";

static void modes_have_names(void **state)
{
    (void)state;
    char names[] = FORM_MODES;
    const struct form *form = output_forms;
    int count = 0;
    for (char *save, *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        while (!form->mode)
            form++;
        assert_ptr_equal(form_of_mode(name), form++);
        count++;
    }
    assert_int_equal(count, 10);
    static const char *const wrong[] = {"", "CSV", "jso", "csv ", "xlsx"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(form_of_mode(wrong[i]));
}

static void a_table_is_aligned(void **state)
{
    (void)state;
    assert_rendered(result, "table",
                    "  n      r  t       z  b\n"
                    "---  -----  ------  -  ----\n"
                    "  1    0.1  a text     00ff\n"
                    "-20  1e+16  b          \n");
}

static void a_box_has_lines(void **state)
{
    (void)state;
    assert_rendered(result, "box",
                    "┌─────┬───────┬────────┬───┬──────┐\n"
                    "│   n │     r │ t      │ z │ b    │\n"
                    "├─────┼───────┼────────┼───┼──────┤\n"
                    "│   1 │   0.1 │ a text │   │ 00ff │\n"
                    "│ -20 │ 1e+16 │ b      │   │      │\n"
                    "└─────┴───────┴────────┴───┴──────┘\n");
}

static void the_other_modes_print_row_by_row(void **state)
{
    (void)state;
    assert_rendered(result, "csv", "n,r,t,z,b\n1,0.1,a text,,00ff\n-20,1e+16,b,,\n");
    assert_rendered(result, "tsv", "n\tr\tt\tz\tb\n1\t0.1\ta text\t\t00ff\n-20\t1e+16\tb\t\t\n");
    assert_rendered(result, "json",
                    "[\n{\"n\":1,\"r\":0.1,\"t\":\"a text\",\"z\":null,\"b\":\"00ff\"},\n"
                    "{\"n\":-20,\"r\":1e+16,\"t\":\"b\",\"z\":null,\"b\":\"\"}\n]\n");
    assert_rendered(result, "jsonl",
                    "{\"n\":1,\"r\":0.1,\"t\":\"a text\",\"z\":null,\"b\":\"00ff\"}\n"
                    "{\"n\":-20,\"r\":1e+16,\"t\":\"b\",\"z\":null,\"b\":\"\"}\n");
    assert_rendered(result, "markdown",
                    "| n | r | t | z | b |\n| --- | --- | --- | --- | --- |\n"
                    "| 1 | 0.1 | a text |  | 00ff |\n| -20 | 1e+16 | b |  |  |\n");
    assert_rendered(result, "line",
                    "n = 1\nr = 0.1\nt = a text\nz = \nb = 00ff\n\n"
                    "n = -20\nr = 1e+16\nt = b\nz = \nb = \n");
    assert_rendered(result, "html",
                    "<table>\n<thead><tr><th>n</th><th>r</th><th>t</th><th>z</th><th>b</th></tr></"
                    "thead>\n<tbody>\n"
                    "<tr><td align=\"right\">1</td><td align=\"right\">0.1</td><td>a text</td>"
                    "<td></td><td>00ff</td></tr>\n"
                    "<tr><td align=\"right\">-20</td><td align=\"right\">1e+16</td><td>b</td>"
                    "<td></td><td></td></tr>\n</tbody>\n</table>\n");
}

static void no_rows_still_have_a_head(void **state)
{
    (void)state;
    static const char none[] = "SELECT 1 AS n, 'x' AS text WHERE 0";
    assert_rendered(none, "table", "n  text\n-  ----\n");
    assert_rendered(none, "box", "┌───┬──────┐\n│ n │ text │\n├───┼──────┤\n└───┴──────┘\n");
    assert_rendered(none, "csv", "n,text\n");
    assert_rendered(none, "tsv", "n\ttext\n");
    assert_rendered(none, "json", "[]\n");
    assert_rendered(none, "jsonl", "");
    assert_rendered(none, "markdown", "| n | text |\n| --- | --- |\n");
    assert_rendered(none, "line", "");
    assert_rendered(
        none, "html",
        "<table>\n<thead><tr><th>n</th><th>text</th></tr></thead>\n<tbody>\n</tbody>\n</table>\n");
}

static void what_has_no_columns_prints_nothing(void **state)
{
    (void)state;
    for (const struct form *form = output_forms; form->make; form++)
        if (form->mode)
            assert_rendered("CREATE TEMP TABLE IF NOT EXISTS empty (x)", form->mode, "");
}

static void columns_may_share_a_name(void **state)
{
    (void)state;
    static const char twins[] = "SELECT 1 AS n, 22 AS n, 'x' AS n";
    assert_rendered(twins, "table", "n   n  n\n-  --  -\n1  22  x\n");
    assert_rendered(twins, "csv", "n,n,n\n1,22,x\n");
    assert_rendered(twins, "jsonl", "{\"n\":1,\"n\":22,\"n\":\"x\"}\n");
    assert_rendered(twins, "line", "n = 1\nn = 22\nn = x\n");
}

/* ------------------------------------------------------------------ numbers */

static void numbers_are_the_same_in_every_mode(void **state)
{
    (void)state;
    static const char numbers[] =
        "SELECT 9223372036854775807 AS n UNION ALL SELECT -9223372036854775807 - 1 "
        "UNION ALL SELECT 1e-5 UNION ALL SELECT 12.0 UNION ALL SELECT 5e-324";
    for (const struct form *form = output_forms; form->make; form++) {
        if (!form->mode)
            continue;
        char *text = render(numbers, form->mode);
        assert_int_equal(count_of(text, "9223372036854775807"), 1);
        assert_int_equal(count_of(text, "-9223372036854775808"), 1);
        assert_int_equal(count_of(text, "1e-05"), 1);
        assert_int_equal(count_of(text, "12.0"), 1);
        assert_int_equal(count_of(text, "5e-324"), 1);
        free(text);
    }
    assert_rendered("SELECT 9e999 AS a, -9e999 AS b", "jsonl", "{\"a\":null,\"b\":null}\n");
    assert_rendered("SELECT 9e999 AS a, -9e999 AS b", "csv", "a,b\ninf,-inf\n");
}

/* ------------------------------------------------------------------ texts */

static void csv_quotes_what_it_must(void **state)
{
    (void)state;
    assert_text("plain text", "csv", "t\nplain text\n");
    assert_text("a,b", "csv", "t\n\"a,b\"\n");
    assert_text("say \"x\"", "csv", "t\n\"say \"\"x\"\"\"\n");
    assert_text("\"", "csv", "t\n\"\"\"\"\n");
    assert_text("two\nlines", "csv", "t\n\"two\nlines\"\n");
    assert_text("two\r\nlines", "csv", "t\n\"two\r\nlines\"\n");
    assert_text("tab\there", "csv", "t\ntab\there\n");
    assert_text("", "csv", "t\n\"\"\n");
    assert_rendered("SELECT NULL AS x UNION ALL SELECT 5", "csv", "x\n\"\"\n5\n");
    assert_rendered("SELECT '' AS a, NULL AS b", "csv", "a,b\n,\n");
    assert_rendered("SELECT '' AS \"\"", "csv", "\"\"\n\"\"\n");
    assert_rendered("SELECT 1 AS \"a,b\", 2 AS \"say \"\"x\"\"\"", "csv",
                    "\"a,b\",\"say \"\"x\"\"\"\n1,2\n");
    /* no row is an empty line */
    assert_rendered("SELECT NULL AS t UNION ALL SELECT '' UNION ALL SELECT 'x'", "csv",
                    "t\n\"\"\n\"\"\nx\n");
    assert_rendered("SELECT NULL AS a, '' AS b", "csv", "a,b\n,\n");
}

static void csv_keeps_texts_from_being_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *text, *safe, *raw;
    } texts[] = {
        {"=1+1", "'=1+1", "=1+1"},
        {"+1", "'+1", "+1"},
        {"-1", "'-1", "-1"},
        {"@sum", "'@sum", "@sum"},
        {"\ttab", "'\ttab", "\ttab"},
        {"\rreturn", "\"'\rreturn\"", "\"\rreturn\""},
        {"=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"",
         "\"=HYPERLINK(\"\"x\"\",\"\"y\"\")\""},
        {"a=1", "a=1", "a=1"},
        {"'=1", "'=1", "'=1"},
        {"", "\"\"", "\"\""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int raw = 0; raw < 2; raw++) {
            char expected[100];
            size_t length;
            snprintf(expected, sizeof expected, "t\n%s\n", raw ? texts[i].raw : texts[i].safe);
            char *text = render_bytes(
                texts[i].text, strlen(texts[i].text),
                (struct render_options){.form = form_of_mode("csv"), .csv_raw = raw}, &length);
            assert_string_equal(text, expected);
            free(text);
        }
    /* numbers are numbers; so is the head of a column, which may be an expression */
    assert_rendered("SELECT -1 AS n, -0.5 AS r, '-1' AS t", "csv", "n,r,t\n-1,-0.5,'-1\n");
    assert_rendered("SELECT -1, +2, 3 AS \"=x\"", "csv", "'-1,'+2,'=x\n-1,2,3\n");
    /* only CSV is read by spreadsheets */
    assert_text("=1+1", "tsv", "t\n=1+1\n");
    assert_text("=1+1", "jsonl", "{\"t\":\"=1+1\"}\n");
    assert_text("=1+1", "table", "t\n----\n=1+1\n");
}

static void tsv_has_one_line_a_row(void **state)
{
    (void)state;
    assert_text("a\tb\nc\rd\\e", "tsv", "t\na\\tb\\nc\\rd\\\\e\n");
    assert_text("say \"x\", y", "tsv", "t\nsay \"x\", y\n");
    assert_rendered("SELECT 1 AS \"a\tb\"", "tsv", "a\\tb\n1\n");
}

static void json_is_json_whatever_the_bytes(void **state)
{
    (void)state;
    assert_text("quote \" slash \\ / end", "jsonl", "{\"t\":\"quote \\\" slash \\\\ / end\"}\n");
    assert_text("\n\t\r\x01\x1b\x7f", "jsonl",
                "{\"t\":\"\\u000a\\u0009\\u000d\\u0001\\u001b\\u007f\"}\n");
    assert_text("naïve 中 😀", "jsonl", "{\"t\":\"naïve 中 😀\"}\n");
    assert_text("\xff|\xc3|\xe4\xb8|\xc0\xaf|\xed\xa0\x80", "jsonl",
                "{\"t\":\"\uFFFD|\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD\"}\n");
    size_t length;
    char *text =
        render_bytes("a\0b", 3, (struct render_options){.form = form_of_mode("jsonl")}, &length);
    assert_string_equal(text, "{\"t\":\"a\\u0000b\"}\n");
    free(text);
    assert_rendered("SELECT 1 AS \"a\"\"b\nc\"", "json", "[\n{\"a\\\"b\\u000ac\":1}\n]\n");
}

static void markdown_marks_nothing_up(void **state)
{
    (void)state;
    assert_text("a|b", "markdown", "| t |\n| --- |\n| a\\|b |\n");
    assert_text("*b* _i_ `c` <t> [l] \\", "markdown",
                "| t |\n| --- |\n| \\*b\\* \\_i\\_ \\`c\\` \\<t\\> \\[l\\] \\\\ |\n");
    assert_text("two\nlines", "markdown", "| t |\n| --- |\n| two\\\\nlines |\n");
    const char *reals =
        "SELECT 134.94999999999999 AS a, 1.0 / 3 AS b, 0.000123456789 AS c, 3.0 AS d, -1e20 AS e";
    assert_rendered(
        reals, "table",
        "     a       b          c    d       e\n------  ------  ---------  ---  ------\n"
        "134.95  0.3333  0.0001235  3.0  -1e+20\n");
    assert_rendered(reals, "csv",
                    "a,b,c,d,e\n134.95,0.3333333333333333,0.000123456789,3.0,-1e+20\n");
    assert_rendered("SELECT -1.5 AS \"a|b\"", "markdown", "| a\\|b |\n| --- |\n| -1.5 |\n");
}

static void html_has_no_markup_but_its_own(void **state)
{
    (void)state;
    assert_text("<b>\"x\" & 'y'</b>", "html",
                "<table>\n<thead><tr><th>t</th></tr></"
                "thead>\n<tbody>\n<tr><td>&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;"
                "</td></tr>\n</tbody>\n</table>\n");
    assert_rendered("SELECT 1 AS \"<th>&\"", "html",
                    "<table>\n<thead><tr><th>&lt;th&gt;&amp;</th></tr></thead>\n<tbody>\n"
                    "<tr><td align=\"right\">1</td></tr>\n</tbody>\n</table>\n");
    assert_text("a\x01\x1b\nb", "html",
                "<table>\n<thead><tr><th>t</th></tr></"
                "thead>\n<tbody>\n<tr><td>a&#xFFFD;&#xFFFD;\nb</td></tr>\n"
                "</tbody>\n</table>\n");
    size_t length;
    char *text =
        render_bytes("a\0b", 3, (struct render_options){.form = form_of_mode("html")}, &length);
    assert_int_equal(strlen(text), length); /* not one zero byte */
    assert_non_null(strstr(text, "<td>a&#xFFFD;b</td>"));
    free(text);
}

static void lines_are_aligned(void **state)
{
    (void)state;
    assert_rendered("SELECT 1 AS n, 'x' AS longer", "line", "n      = 1\nlonger = x\n");
    assert_rendered("SELECT 1 AS \"n\n\", 'x' AS longest", "line", "n\\n     = 1\nlongest = x\n");
    assert_rendered("SELECT 1 AS \"\x1b\x1b\", 2 AS n", "line", "\\x1b\\x1b = 1\nn        = 2\n");
    assert_rendered("SELECT 1 AS äöü, 2 AS four", "line", "äöü  = 1\nfour = 2\n");
}

/* ------------------------------------------------------------------ terminals */

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static const char *const modes_for_people[] = {"table", "box", "line", "markdown"};

/* Nothing but printable characters in their order, and the ends of lines. */
static void assert_harmless(const char *text, size_t length)
{
    assert_int_equal(strlen(text), length);
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t size = utf8_decode((const unsigned char *)text + i, length - i, &code);
        bool control = code < 0x20 ? code != '\n' : code >= 0x7F && code < 0xA0;
        bool turns = code == 0x061C || code == 0x200E || code == 0x200F ||
                     (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
        if (size == 0 || control || turns)
            fail_msg("%02x at %zu: %s", (unsigned char)text[i], i, text);
        i += size;
    }
}

static void control_characters_are_shown_not_sent(void **state)
{
    (void)state;
    assert_text("\x1b[31mred\x1b[0m", "table", "t\n------------------\n\\x1b[31mred\\x1b[0m\n");
    assert_text("a\nb\tc\rd\x07", "table", "t\n--------------\na\\nb\\tc\\rd\\x07\n");
    assert_text("\xc2\x9b"
                "31m",
                "table", "t\n-------\n\\x9b31m\n");
    assert_text("abc\u202Edef", "table", "t\n------------\nabc\\u202edef\n");
    assert_text("\u2066x\u2069\u200F\u061C", "line", "t = \\u2066x\\u2069\\u200f\\u061c\n");
    assert_text("bad \xff\xc3", "line", "t = bad \\xff\\xc3\n");
}

static void no_text_reaches_the_terminal_as_it_is(void **state)
{
    (void)state;
    static const uint32_t codes[] = {0x7F,   0x80,   0x9B,   0x9F,   0x061C, 0x200E,
                                     0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E,
                                     0x2066, 0x2067, 0x2068, 0x2069};
    for (size_t m = 0; m < sizeof modes_for_people / sizeof *modes_for_people; m++) {
        struct render_options options = {.form = form_of_mode(modes_for_people[m]), .width = 40};
        size_t length;
        for (int byte = 0; byte < 256; byte++) {
            char bytes[] = {'a', (char)byte, 'b', (char)byte};
            char *text = render_bytes(bytes, sizeof bytes, options, &length);
            assert_harmless(text, length);
            free(text);
        }
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
            char bytes[8] = "a", sql[40];
            size_t size = utf8_encode(codes[i], bytes + 1);
            char *text = render_bytes(bytes, size + 1, options, &length);
            assert_harmless(text, length);
            free(text);
            snprintf(sql, sizeof sql, "SELECT 1 AS \"%s\"", bytes); /* and in the head */
            text = render_with(sql, options, &length);
            assert_harmless(text, length);
            free(text);
        }
        /* random bytes, cut anywhere when they are fitted */
        for (int i = 0; i < 400; i++) {
            char bytes[200];
            for (size_t j = 0; j < sizeof bytes; j++)
                bytes[j] = (char)random_bits();
            char *text = render_bytes(bytes, sizeof bytes, options, &length);
            assert_harmless(text, length);
            free(text);
        }
    }
}

/* ------------------------------------------------------------------ widths */

static void long_texts_lose_their_middle(void **state)
{
    (void)state;
    static const char sql[] = "SELECT 'void at::native::vectorized_elementwise_kernel<4>(int)' AS "
                              "name, 123456 AS n";
    size_t length;
    char *text = render_with(
        sql, (struct render_options){.form = form_of_mode("table"), .width = 30}, &length);
    assert_string_equal(text, "name                         n\n"
                              "----------------------  ------\n"
                              "void at::na…el<4>(int)  123456\n");
    free(text);
    text = render_with(sql, (struct render_options){.form = form_of_mode("box"), .width = 30},
                       &length);
    assert_string_equal(text, "┌───────────────────┬────────┐\n"
                              "│ name              │      n │\n"
                              "├───────────────────┼────────┤\n"
                              "│ void at:…<4>(int) │ 123456 │\n"
                              "└───────────────────┴────────┘\n");
    free(text);
    text = render_with(sql, (struct render_options){.form = form_of_mode("table")}, &length);
    assert_non_null(strstr(text, "vectorized_elementwise_kernel"));
    free(text);
}

static void the_widest_texts_give_way_first(void **state)
{
    (void)state;
    static const char sql[] = "SELECT printf('%.50c', 'a') AS a, printf('%.20c', 'b') AS b, "
                              "printf('%.60c', 'c') AS c, 1234567890123 AS n, 'short' AS d";
    for (int width = 60; width < 170; width++)
        for (int boxed = 0; boxed < 2; boxed++) {
            size_t length;
            const char *mode = boxed ? "box" : "table";
            char *text = render_with(
                sql, (struct render_options){.form = form_of_mode(mode), .width = width}, &length);
            assert_fits(text, (size_t)width);
            assert_non_null(strstr(text, "1234567890123"));
            assert_non_null(strstr(text, "short"));
            if (width >= 100)
                assert_non_null(strstr(text, "bbbbbbbbbbbbbbbbbbbb"));
            if (width > 167)
                assert_null(strstr(text, "…"));
            free(text);
        }
}

static void numbers_are_never_cut(void **state)
{
    (void)state;
    static const char sql[] = "SELECT 1234567890123456 AS a, 0.12345678901234 AS b, "
                              "'a text that has to go' AS c";
    size_t length;
    char *text = render_with(
        sql, (struct render_options){.form = form_of_mode("table"), .width = 10}, &length);
    assert_non_null(strstr(text, "1234567890123456"));
    assert_non_null(strstr(text, "0.1235"));
    assert_non_null(strstr(text, "a te… go"));
    free(text);
}

static void characters_are_cut_whole(void **state)
{
    (void)state;
    size_t length;
    for (int width = 9; width < 30; width++) {
        char *text = render_with(
            "SELECT 'äöü中文😀äöü中文😀äöü中文😀' AS t",
            (struct render_options){.form = form_of_mode("box"), .width = width}, &length);
        assert_harmless(text, length);
        assert_true(count_of(text, "…") == (width < 22));
        if (width > 12)
            assert_fits(text, (size_t)width);
        free(text);
    }
}

/* The widths are those of the first rows; what comes later must neither be lost nor break out of
 * the terminal. */
static const char many[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
    "SELECT i AS n, CASE WHEN i > 1500 THEN 'a text that is longer than those before it, ' || i "
    "ELSE 'row ' || i END AS t, CASE WHEN i % 100 = 99 THEN i * 1000000007 ELSE 1 END AS m FROM n";

static void three_thousand_rows_in_every_mode(void **state)
{
    (void)state;
    static const int lines[] = {3002, 3004, 3001, 3001, 3002, 1, 3000, 3002, 3000 * 4 - 1, 3005};
    size_t count = 0;
    for (const struct form *form = output_forms; form->make; form++) {
        if (!form->mode)
            continue;
        char *text = render(many, form->mode);
        assert_int_equal(count_lines(text), lines[count++]);
        assert_int_equal(count_of(text, "a text that is longer than those before it, "), 1500);
        assert_non_null(strstr(text, "before it, 3000"));
        assert_non_null(strstr(text, "2999000020993"));
        assert_null(strstr(text, "…"));
        free(text);
    }
}

static void rows_that_come_late_fit_the_terminal_as_well(void **state)
{
    (void)state;
    static const char *const modes[] = {"table", "box"};
    for (int i = 0; i < 2; i++) {
        size_t length;
        char *text = render_with(
            many, (struct render_options){.form = form_of_mode(modes[i]), .width = 60}, &length);
        assert_fits(text, 60);
        assert_int_equal(count_of(text, "…"), 1500);
        assert_int_equal(count_lines(text), 3002 + 2 * i);
        assert_non_null(strstr(text, "2999000020993"));
        free(text);

        /* where there is room, nothing is cut */
        text = render_with(
            many, (struct render_options){.form = form_of_mode(modes[i]), .width = 80}, &length);
        assert_fits(text, 80);
        assert_int_equal(count_of(text, "…"), 0);
        free(text);
    }
}

/* ------------------------------------------------------------------ failures */

static bool render_fails(const char *sql, FILE *out, struct error *error)
{
    struct render_options options = {.form = form_of_mode("csv")};
    sqlite3_stmt *statement = prepare(sql);
    *error = (struct error){0};
    bool done = render_statement(statement, &options, out, "here", error);
    database_finalize(statement);
    return !done;
}

static void a_statement_that_fails_is_explained(void **state)
{
    (void)state;
    struct error error;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(render_fails("SELECT abs(column1) AS a FROM (VALUES (-1), (-9223372036854775807 - "
                             "1), (3))",
                             out, &error));
    fclose(out);
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, "here: integer overflow");
    assert_string_equal(text, "a\n1\n");
    free(text);
}

static void an_output_that_is_full_is_an_error(void **state)
{
    (void)state;
    struct error error;
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    assert_true(render_fails(many, out, &error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_string_equal(error.text, "the output cannot be written: No space left on device");
    fclose(out);
}

static int interrupt_now(void *steps)
{
    return ++*(int *)steps > 3;
}

static void an_interrupted_statement_says_so(void **state)
{
    (void)state;
    struct error error;
    FILE *out = fopen("/dev/null", "w");
    int steps = 0;
    sqlite3_progress_handler(db, 1000, interrupt_now, &steps);
    bool failed = render_fails(many, out, &error);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    fclose(out);
    assert_true(failed);
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_string_equal(error.text, "here: interrupted");
}

/* That a database is locked or full is not the fault of the statement. */
static void trouble_with_the_database_is_no_wrong_usage(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    struct render_options options = {.form = form_of_mode("csv")};
    sqlite3 *other;
    FILE *out = fopen("/dev/null", "w");
    scratch_warehouse(&warehouse, "locked.db");
    assert_int_equal(sqlite3_open(scratch_path("locked.db"), &other), SQLITE_OK);
    sqlite3_stmt *statement =
        warehouse_prepare(&warehouse, "INSERT INTO run (name) VALUES ('x')", &error);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_false(render_statement(statement, &options, out, "SQL", &error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_string_equal(error.text, "SQL: another process holds the database");
    sqlite3_close(other);
    database_finalize(statement);

    query_integer(warehouse.db, "PRAGMA max_page_count = 1");
    statement = warehouse_prepare(&warehouse,
                                  "INSERT INTO run (name, note) VALUES ('x', zeroblob(9999) || "
                                  "printf('%.99999c', 'x'))",
                                  &error);
    assert_false(render_statement(statement, &options, out, "SQL", &error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_string_equal(error.text, "SQL: the disk is full");
    database_finalize(statement);

    /* what the statement itself breaks is its own fault */
    statement = warehouse_prepare(&warehouse, "INSERT INTO run (name) VALUES (NULL)", &error);
    assert_false(render_statement(statement, &options, out, "SQL", &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, "SQL: NOT NULL constraint failed: run.name");
    database_finalize(statement);
    fclose(out);
    warehouse_close(&warehouse);
}

static void lists_are_lists_in_json(void **state)
{
    (void)state;
    const char *sql = "SELECT '[[1,2],[]]' AS input_dims, json('[3]') AS d, '[4]' AS name, "
                      "json_array(d) AS e FROM (SELECT '5' AS d) "
                      "UNION ALL SELECT '[', NULL, NULL, '[6]' UNION ALL SELECT '7', 8, 9, '{'";
    assert_rendered(sql, "jsonl",
                    "{\"input_dims\":\"[[1,2],[]]\",\"d\":[3],\"name\":\"[4]\",\"e\":[\"5\"]}\n"
                    "{\"input_dims\":\"[\",\"d\":null,\"name\":null,\"e\":\"[6]\"}\n"
                    "{\"input_dims\":\"7\",\"d\":8,\"name\":9,\"e\":\"{\"}\n");
    sqlite3_exec(db,
                 "CREATE TABLE report_column (name TEXT, unit TEXT);"
                 "INSERT INTO report_column VALUES ('input_dims', 'tuple'), ('name', 'kernel')",
                 NULL, NULL, NULL);
    assert_rendered(sql, "jsonl",
                    "{\"input_dims\":[[1,2],[]],\"d\":[3],\"name\":\"[4]\",\"e\":[\"5\"]}\n"
                    "{\"input_dims\":\"[\",\"d\":null,\"name\":null,\"e\":\"[6]\"}\n"
                    "{\"input_dims\":\"7\",\"d\":8,\"name\":9,\"e\":\"{\"}\n");
    sqlite3_exec(db, "DROP TABLE report_column", NULL, NULL, NULL);
}

static int open_database(void **state)
{
    (void)state;
    return sqlite3_open(":memory:", &db);
}

static int close_database(void **state)
{
    (void)state;
    return sqlite3_close(db);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(modes_have_names),
    cmocka_unit_test(a_table_is_aligned),
    cmocka_unit_test(a_box_has_lines),
    cmocka_unit_test(the_other_modes_print_row_by_row),
    cmocka_unit_test(no_rows_still_have_a_head),
    cmocka_unit_test(what_has_no_columns_prints_nothing),
    cmocka_unit_test(columns_may_share_a_name),
    cmocka_unit_test(lists_are_lists_in_json),
    cmocka_unit_test(numbers_are_the_same_in_every_mode),
    cmocka_unit_test(csv_quotes_what_it_must),
    cmocka_unit_test(csv_keeps_texts_from_being_formulas),
    cmocka_unit_test(tsv_has_one_line_a_row),
    cmocka_unit_test(json_is_json_whatever_the_bytes),
    cmocka_unit_test(markdown_marks_nothing_up),
    cmocka_unit_test(html_has_no_markup_but_its_own),
    cmocka_unit_test(lines_are_aligned),
    cmocka_unit_test(control_characters_are_shown_not_sent),
    cmocka_unit_test(no_text_reaches_the_terminal_as_it_is),
    cmocka_unit_test(long_texts_lose_their_middle),
    cmocka_unit_test(the_widest_texts_give_way_first),
    cmocka_unit_test(numbers_are_never_cut),
    cmocka_unit_test(characters_are_cut_whole),
    cmocka_unit_test(three_thousand_rows_in_every_mode),
    cmocka_unit_test(rows_that_come_late_fit_the_terminal_as_well),
    cmocka_unit_test(a_statement_that_fails_is_explained),
    cmocka_unit_test(an_output_that_is_full_is_an_error),
    cmocka_unit_test(an_interrupted_statement_says_so),
    cmocka_unit_test(trouble_with_the_database_is_no_wrong_usage),
};
GROUP(render, open_database, close_database)
