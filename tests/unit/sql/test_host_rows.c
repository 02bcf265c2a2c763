/* Ops and calls of a trace, read once for all that want them. */
#include "tests/unit/sample.h"
#include "tests/unit/support.h"

#include "sql/binding/host_rows.h"
#include "sql/pages/page.h"

#include <string.h>

enum { ROWS = 100 };

struct seen {
    struct host_row rows[ROWS];
    size_t count, stop; /* stop: it is enough then; 0 = never */
};

static int see(void *taker, const struct host_row *row)
{
    struct seen *seen = taker;
    assert_true(seen->count < ROWS);
    seen->rows[seen->count++] = *row;
    return seen->count == seen->stop ? SQLITE_INTERRUPT : SQLITE_OK;
}

/* How often events are gone through, and how many questions SQLite does so for. */
static int passes, asked;

static int count_pass(unsigned kind, void *context, void *statement, void *text)
{
    (void)kind;
    (void)context;
    (void)text;
    const char *sql = sqlite3_sql(statement);
    passes += sql && strstr(sql, " rootpage ") && strstr(sql, "'event'");
    asked += sql && strstr(sql, " FROM event WHERE id BETWEEN");
    return 0;
}

static struct host_wish wish_of(sqlite3 *db, int64_t trace, unsigned needs)
{
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT first_event, last_event FROM trace WHERE id = ?1",
                                        -1, &row, NULL),
                     SQLITE_OK);
    sqlite3_bind_int64(row, 1, trace);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    struct host_wish wish = {trace, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                             needs};
    sqlite3_finalize(row);
    return wish;
}

static struct seen each(struct warehouse *warehouse, const struct host_wish *wish)
{
    struct seen seen = {.stop = 0};
    assert_int_equal(host_rows_each(warehouse->db, warehouse->context, wish, see, &seen),
                     SQLITE_OK);
    return seen;
}

static void assert_same(const struct seen *left, const struct seen *right)
{
    assert_int_equal(left->count, right->count);
    for (size_t i = 0; i < left->count; i++) {
        const struct host_row *a = &left->rows[i], *b = &right->rows[i];
        assert_true(a->id == b->id && a->start == b->start && a->duration == b->duration &&
                    a->name == b->name && a->track == b->track && a->below == b->below &&
                    a->op == b->op && a->args == b->args && a->uid == b->uid &&
                    a->role == b->role && a->is_traced == b->is_traced);
    }
}

static void test_kept_rows_are_those_that_were_read(void **state)
{
    enum { ALL = HOST_OPS | HOST_CALLS | HOST_BELOW | HOST_SIGNATURE | HOST_DETAILS };
    static const unsigned needs[] = {ALL, ALL & ~HOST_CALLS, ALL & ~HOST_OPS, ALL | HOST_BUSY};
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "host_rows_kept.db");
    int64_t trace = store_sample(&warehouse, "one", "a");
    sqlite3_trace_v2(warehouse.db, SQLITE_TRACE_STMT, count_pass, NULL);
    struct seen read[sizeof needs / sizeof *needs];
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        struct host_wish wish = wish_of(warehouse.db, trace, needs[i]);
        read[i] = each(&warehouse, &wish);
    }
    assert_true(read[0].count > read[1].count && read[1].count > 0 && read[2].count > 0);
    host_rows_keep(warehouse.context);
    struct host_wish all = wish_of(warehouse.db, trace, HOST_OPS | HOST_CALLS);
    each(&warehouse, &all);
    passes = 0;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        struct host_wish wish = wish_of(warehouse.db, trace, needs[i]);
        struct seen kept = each(&warehouse, &wish);
        assert_same(&kept, &read[i]);
        wish.first = read[i].rows[0].id + 1; /* a part of it */
        kept = each(&warehouse, &wish);
        assert_int_equal(kept.count, read[i].count - 1);
    }
    assert_int_equal(passes, 0);
    host_rows_leave(warehouse.context);
    each(&warehouse, &all);
    assert_true(passes > 0);
    warehouse_close(&warehouse);
}

/* The pages of a file say all of a row, but for what a transaction has not written yet, what stands
 * in a log beside it, or where something of a call's own has the table's name. */
static void test_pages_and_questions_give_the_same(void **state)
{
    static const char *const changes[] = {
        "BEGIN IMMEDIATE; UPDATE trace SET path = path",
        "ROLLBACK",
        "PRAGMA journal_mode = wal",
        "PRAGMA journal_mode = delete",
        "CREATE TEMP VIEW event AS SELECT * FROM main.event",
        "DROP VIEW temp.event",
        "CREATE TEMP TABLE EVENT (id INTEGER PRIMARY KEY, trace_id INTEGER, category_id INTEGER, "
        "name_id INTEGER, track_id INTEGER, ts_ns INTEGER, dur_ns INTEGER, up INTEGER, below "
        "INTEGER, child_ns INTEGER, op_id INTEGER, args_id INTEGER, correlation INTEGER, uid "
        "INTEGER, parent_id INTEGER, last_id INTEGER, self_ns INTEGER); INSERT INTO temp.event "
        "SELECT * FROM main.event",
        "DROP TABLE temp.event; PRAGMA foreign_keys = off; UPDATE event SET category_id = 9 * "
        "(1 - category_id) WHERE category_id < 2; UPDATE category SET id = 9 * (1 - id) WHERE id < "
        "2; ALTER TABLE event ADD COLUMN note TEXT",
    };
    enum {
        ALL = HOST_OPS | HOST_CALLS | HOST_RECORDS | HOST_BELOW | HOST_SIGNATURE | HOST_DETAILS
    };
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "host_rows_pages.db");
    store_sample(&warehouse, "one", "a");
    int64_t trace = store_sample(&warehouse, "two", "b");
    struct host_wish all = wish_of(warehouse.db, trace, ALL), busy = all;
    busy.needs |= HOST_BUSY;
    struct seen read = each(&warehouse, &all), less = each(&warehouse, &busy);
    assert_true(less.count && less.count < read.count);
    sqlite3_trace_v2(warehouse.db, SQLITE_TRACE_STMT, count_pass, NULL);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_sql(warehouse.db, changes[i]);
        asked = 0;
        struct seen now = each(&warehouse, &all);
        assert_same(&now, &read);
        now = each(&warehouse, &busy);
        assert_same(&now, &less);
        assert_int_equal(asked > 0, i % 2 == 0);
    }
    warehouse_close(&warehouse);
}

static sqlite3_io_methods failing;
static const sqlite3_io_methods *real;
static int heads, head_that_fails;

static int read_or_fail(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset)
{
    bool is_head = amount == FILE_HEADER && offset == 0 && ++heads == head_that_fails;
    return is_head ? SQLITE_IOERR_READ : real->xRead(file, buffer, amount, offset);
}

/* Where the file cannot be looked at SQLite is asked, but not for rows that have been given. */
static void test_no_row_comes_twice(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "host_rows_twice.db");
    int64_t trace = store_sample(&warehouse, "one", "a");
    struct host_wish all = wish_of(warehouse.db, trace, HOST_OPS | HOST_CALLS);
    struct seen whole = each(&warehouse, &all);
    sqlite3_file *file;
    assert_int_equal(sqlite3_file_control(warehouse.db, "main", SQLITE_FCNTL_FILE_POINTER, &file),
                     SQLITE_OK);
    real = file->pMethods;
    failing = *real;
    failing.xRead = read_or_fail;
    file->pMethods = &failing;
    for (head_that_fails = 1; heads >= head_that_fails - 1; head_that_fails++) {
        struct seen seen = {.stop = 0};
        heads = 0;
        int result = host_rows_each(warehouse.db, warehouse.context, &all, see, &seen);
        bool is_late = head_that_fails > 1 && heads >= head_that_fails;
        assert_int_equal(result, is_late ? SQLITE_IOERR : SQLITE_OK);
        assert_true(is_late ? seen.count <= whole.count : seen.count == whole.count);
    }
#ifdef TPQ_SMALL_WINDOWS
    assert_true(head_that_fails > 4);
#endif
    file->pMethods = real;
    warehouse_close(&warehouse);
}

static void test_half_of_the_rows_is_not_kept(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "host_rows_half.db");
    int64_t trace = store_sample(&warehouse, "one", "a");
    struct host_wish all = wish_of(warehouse.db, trace, HOST_OPS | HOST_CALLS), part = all;
    struct seen whole = each(&warehouse, &all), half = {.stop = 2};
    host_rows_keep(warehouse.context);
    part.last = whole.rows[0].id;
    each(&warehouse, &part);
    assert_int_equal(host_rows_each(warehouse.db, warehouse.context, &all, see, &half),
                     SQLITE_INTERRUPT);
    struct seen after = each(&warehouse, &all);
    assert_int_equal(after.count, whole.count);
    warehouse_close(&warehouse);
}

static void test_what_changes_is_read_again(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "host_rows_again.db");
    int64_t trace = store_sample(&warehouse, "one", "a");
    struct host_wish calls = wish_of(warehouse.db, trace, HOST_CALLS);
    host_rows_keep(warehouse.context);
    struct seen before = each(&warehouse, &calls);
    run_sql(warehouse.db, "UPDATE event SET dur_ns = 12345678901 WHERE category_id IN "
                          "(SELECT id FROM category WHERE role = 'call')");
    struct seen after = each(&warehouse, &calls);
    assert_int_equal(after.count, before.count);
    assert_int_equal(after.rows[0].duration, 12345678901); /* too long for a kept row */
    after = each(&warehouse, &calls);
    assert_int_equal(after.rows[0].duration, 12345678901);
    warehouse_close(&warehouse);
}

static void test_advice_reads_events_once(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "host_rows_advice.db");
    store_sample(&warehouse, "one", "a");
    store_sample(&warehouse, "two", "b");
    sqlite3_trace_v2(warehouse.db, SQLITE_TRACE_STMT, count_pass, NULL);
    passes = 0;
    run_sql(warehouse.db, "SELECT * FROM advice");
    assert_int_equal(passes, 2); /* traces */
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kept_rows_are_those_that_were_read),
    cmocka_unit_test(test_pages_and_questions_give_the_same),
    cmocka_unit_test(test_no_row_comes_twice),
    cmocka_unit_test(test_half_of_the_rows_is_not_kept),
    cmocka_unit_test(test_what_changes_is_read_again),
    cmocka_unit_test(test_advice_reads_events_once),
};
GROUP(host_rows, NULL, NULL)
