/* Rows of a table from the pages of its file: those that SQLite says, and none of pages that are
 * damaged. */
#include "tests/unit/support.h"

#include "sql/pages/page.h"
#include "sql/pages/row_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file with a table t in a transaction that has read something. */
static sqlite3 *make(const char *sql)
{
    sqlite3 *db;
    const char *path = scratch_path("pages.db");
    unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, sql);
    run_sql(db, "BEGIN; SELECT count(*) FROM sqlite_schema");
    return db;
}

static int64_t root_of(sqlite3 *db)
{
    return query_integer(db, "SELECT rootpage FROM sqlite_schema WHERE name = 't'");
}

struct taken {
    char text[1 << 16];
    size_t length, most; /* 0 = any number of rows */
    int columns, count;
};

static bool take(void *taker, int64_t id, const struct scan_number *values)
{
    struct taken *self = taker;
    size_t room = sizeof self->text - self->length;
    assert_true(room > 1000);
    self->length += (size_t)snprintf(self->text + self->length, room, "%s%lld",
                                     self->count ? "\n" : "", (long long)id);
    for (int i = 1; i < self->columns; i++) {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)values[i].number);
        self->length +=
            (size_t)snprintf(self->text + self->length, sizeof self->text - self->length, "|%s",
                             values[i].type == SCAN_INTEGER ? number
                             : values[i].type == SCAN_NULL  ? ""
                                                            : "other");
    }
    return ++self->count != (int)self->most;
}

static enum scan_step read_rows(sqlite3 *db, struct taken *taken, int columns, int64_t first,
                                int64_t last)
{
    *taken = (struct taken){.columns = columns, .most = taken->most};
    return row_pages_each(db, "main", root_of(db), ROW_COLUMNS_MAX, &first, last, take, taken);
}

static void assert_rows(sqlite3 *db, int columns, int64_t first, int64_t last, const char *expected)
{
    static struct taken taken;
    assert_int_equal(read_rows(db, &taken, columns, first, last), SCAN_END);
    assert_string_equal(taken.text, expected);
}

static void assert_result(sqlite3 *db, enum scan_step expected)
{
    static struct taken taken;
    assert_int_equal(read_rows(db, &taken, 1, INT64_MIN, INT64_MAX), expected);
}

static void values_of_every_size(void **state)
{
    (void)state;
    sqlite3 *db =
        make("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (-5, 0, 1), (0, "
             "-1, 127), "
             "(1, -128, 128), (2, 32768, -8388609), (3, 2147483648, -140737488355329), (300, "
             "9223372036854775807, -9223372036854775807 - 1), (9000000000000000000, NULL, 0.5), "
             "(9000000000000000001, '', x'00')");
    assert_rows(db, 3, INT64_MIN, INT64_MAX,
                "-5|0|1\n0|-1|127\n1|-128|128\n2|32768|-8388609\n3|2147483648|-140737488355329\n"
                "300|9223372036854775807|-9223372036854775808\n9000000000000000000||other\n"
                "9000000000000000001|other|other");
    assert_rows(db, 3, 1, 2, "1|-128|128\n2|32768|-8388609");
    assert_rows(db, 1, 4, 299, "");
    sqlite3_close(db);
}

static void rows_of_fewer_and_more_columns(void **state)
{
    (void)state;
    char sql[4096] = "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 7);";
    for (int i = 0; i < ROW_COLUMNS_MAX + 8; i++)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "ALTER TABLE t ADD COLUMN c%d;", i);
    strcat(sql, "INSERT INTO t (id, c0, c30) VALUES (2, 8, 9); INSERT INTO t (id) VALUES (3)");
    sqlite3 *db = make(sql);
    static struct taken taken;
    assert_int_equal(read_rows(db, &taken, ROW_COLUMNS_MAX, 1, 3), SCAN_END);
    assert_int_equal(taken.count, 3);
    assert_rows(db, 4, 1, 3, "1|7||\n2||8|\n3|||");
    sqlite3_close(db);
    db =
        make("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (2, 7); ALTER TABLE "
             "t ADD COLUMN b; ALTER TABLE t ADD COLUMN c; INSERT INTO t VALUES (1, 6, NULL, 5)");
    assert_rows(db, 4, 1, 2, "1|6||5\n2|7||"); /* what it has not is not that of the row before */
    sqlite3_close(db);
}

static void tables_of_all_heights(void **state)
{
    (void)state;
    static const int rows[] = {0, 1, 40, 3000}; /* on a page; below one; below two */
    static const int pages[] = {512, 4096, 65536};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof pages / sizeof *pages; j++) {
            char sql[512];
            snprintf(sql, sizeof sql,
                     "PRAGMA page_size = %d; CREATE TABLE t (id INTEGER PRIMARY KEY, a); WITH "
                     "RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %d) INSERT "
                     "INTO t SELECT 3 * i, i * i * i FROM n WHERE %d",
                     pages[j], rows[i] ? rows[i] : 1, rows[i]);
            sqlite3 *db = make(sql);
            for (int first = 0; first <= 9000; first += 1499) {
                char *expected;
                snprintf(sql, sizeof sql,
                         "SELECT coalesce(group_concat(id || '|' || a, char(10)), '') FROM t WHERE "
                         "id BETWEEN %d AND %d",
                         first, first + 2400);
                assert_rows(db, 2, first, first + 2400, expected = query_text(db, sql));
                free(expected);
            }
            sqlite3_close(db);
        }
}

static int64_t wanted;

static bool take_every_tenth(void *taker, int64_t id, const struct scan_number *values)
{
    wanted = id + 10;
    return take(taker, id, values);
}

static void who_takes_them_may_pass_over_some(void **state)
{
    (void)state;
    sqlite3 *db = make("PRAGMA page_size = 512; CREATE TABLE t (id INTEGER PRIMARY KEY); WITH "
                       "RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) "
                       "INSERT INTO t SELECT i FROM n");
    static struct taken taken = {.columns = 1};
    wanted = 2971;
    assert_int_equal(row_pages_each(db, "main", root_of(db), ROW_COLUMNS_MAX, &wanted, 2999,
                                    take_every_tenth, &taken),
                     SCAN_END);
    assert_string_equal(taken.text, "2971\n2981\n2991");
    sqlite3_close(db);
}

static void who_takes_them_may_stop(void **state)
{
    (void)state;
    sqlite3 *db =
        make("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)");
    static struct taken taken = {.most = 2};
    assert_int_equal(read_rows(db, &taken, 1, 1, 3), SCAN_STOPPED);
    assert_string_equal(taken.text, "1\n2");
    run_sql(db, "COMMIT");
    assert_result(db, SCAN_NO_FILE); /* another process could change it */
    sqlite3_close(db);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    run_sql(db, "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    assert_result(db, SCAN_NO_FILE);
    sqlite3_close(db);
}

static void rows_that_go_on_on_other_pages(void **state)
{
    (void)state;
    sqlite3 *db =
        make("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 2), (2, "
             "zeroblob(100000)), (3, 4)");
    assert_rows(db, 2, 1, 3, "1|2\n2|other\n3|4");
    sqlite3_close(db);
}

/* ------------------------------------------------------------------ files that are damaged */

enum { PATCHED_PAGE = 512 };

static sqlite3_io_methods patched;
static const sqlite3_io_methods *real;
static struct {
    int64_t page, at; /* the byte that is another one */
    unsigned char byte;
    int result;
} patch;

static int read_patched(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset)
{
    int result = real->xRead(file, buffer, amount, offset);
    int64_t place = (patch.page - 1) * PATCHED_PAGE - offset; /* several pages are read at once */
    if (patch.page && amount > FILE_HEADER && place >= 0 && place < amount) {
        ((unsigned char *)buffer)[place + patch.at] = patch.byte;
        result = patch.result;
    }
    return result;
}

/* Pages below a root, of which a byte is exchanged when it is read. */
static sqlite3 *make_patched(void)
{
    sqlite3 *db = make("PRAGMA page_size = 512; CREATE TABLE t (id INTEGER PRIMARY KEY, a); WITH "
                       "RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 150) "
                       "INSERT INTO t SELECT i, i * 1000 FROM n");
    sqlite3_file *file;
    assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file), SQLITE_OK);
    real = file->pMethods;
    patched = *real;
    patched.xRead = read_patched;
    file->pMethods = &patched;
    return db;
}

static void assert_patched(sqlite3 *db, int64_t page, int64_t at, int byte, enum scan_step expected)
{
    patch.page = page, patch.at = at, patch.byte = (unsigned char)byte;
    assert_result(db, expected);
    patch.page = 0;
}

static void pages_that_say_what_cannot_be(void **state)
{
    (void)state;
    sqlite3 *db = make_patched();
    enum { ROOT = 2, LEAF = 3 };
    assert_int_equal(root_of(db), ROOT);
    assert_result(db, SCAN_END);
    assert_patched(db, ROOT, 0, 10, SCAN_DAMAGED); /* of an index */
    assert_patched(db, LEAF, 0, PAGE_INNER, SCAN_DAMAGED);
    assert_patched(db, LEAF, PAGE_CELLS_AT + 1, 0, SCAN_DAMAGED);   /* no rows */
    assert_patched(db, LEAF, PAGE_CELLS_AT, 0xFF, SCAN_DAMAGED);    /* more than fit */
    assert_patched(db, LEAF, PAGE_LEAF_HEADER, 0xFF, SCAN_DAMAGED); /* behind the end */
    assert_patched(db, ROOT, PAGE_LAST_AT + 3, ROOT, SCAN_DAMAGED); /* itself */
    assert_patched(db, ROOT, PAGE_LAST_AT + 3, LEAF, SCAN_DAMAGED); /* again */
    assert_patched(db, ROOT, PAGE_LAST_AT + 3, 1, SCAN_DAMAGED);    /* the schema */
    assert_patched(db, ROOT, PAGE_LAST_AT, 1, SCAN_DAMAGED);        /* not in the file */
    assert_patched(db, ROOT, PAGE_CELLS_AT + 1, 0, SCAN_END);       /* fewer pages are no damage */
    assert_result(db, SCAN_END);
    sqlite3_close(db);
}

/* Whatever stands there, what is taken are rows in order, and there is an end. */
static void bytes_that_are_others(void **state)
{
    (void)state;
    static const int bytes[] = {0, 1, 0x7F, 0x80, 0xFF};
    sqlite3 *db = make_patched();
    static struct taken taken;
    int damaged = 0;
    for (int page = 2; page <= 4; page++)
        for (int at = 0; at < 512; at++)
            for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
                patch.page = page, patch.at = at, patch.byte = (unsigned char)bytes[i];
                int64_t root = 2, first = INT64_MIN;
                taken = (struct taken){.columns = 2};
                enum scan_step result = row_pages_each(db, "main", root, ROW_COLUMNS_MAX, &first,
                                                       INT64_MAX, take, &taken);
                assert_true(result == SCAN_END || result == SCAN_DAMAGED);
                assert_true(taken.count <= 150);
                damaged += result == SCAN_DAMAGED;
            }
    assert_true(damaged > 100);
    patch.page = 0;
    sqlite3_close(db);
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    sqlite3 *db = make_patched();
    patch.result = SQLITE_IOERR_READ;
    assert_patched(db, 3, 0, PAGE_LEAF, SCAN_UNREADABLE);
    patch.result = SQLITE_IOERR_SHORT_READ; /* it was cut off */
    assert_patched(db, 3, 0, PAGE_LEAF, SCAN_DAMAGED);
    patch.result = SQLITE_OK;
    assert_result(db, SCAN_END);
    sqlite3_close(db);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_of_every_size),
    cmocka_unit_test(rows_of_fewer_and_more_columns),
    cmocka_unit_test(tables_of_all_heights),
    cmocka_unit_test(who_takes_them_may_pass_over_some),
    cmocka_unit_test(who_takes_them_may_stop),
    cmocka_unit_test(rows_that_go_on_on_other_pages),
    cmocka_unit_test(pages_that_say_what_cannot_be),
    cmocka_unit_test(bytes_that_are_others),
    cmocka_unit_test(files_that_cannot_be_read),
};
GROUP(row_pages, NULL, NULL)
