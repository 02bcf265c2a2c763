/* The warehouse file: how it comes into being, what is refused, who may read and write, and what a
 * deletion leaves. */
#include "tests/unit/support.h"

#include "sql/database.h"
#include "sql/warehouse/belongings.h"
#include "sql/warehouse/provider.h"

#include "tests/unit/sample.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ helpers */

static void open_or_fail(struct warehouse *warehouse, const char *path, enum warehouse_mode mode)
{
    struct error error = {0};
    if (!warehouse_open(warehouse, path, mode, 0, &error))
        fail_msg("%s", error.text);
}

/* A directory of its own, so that its files can be counted. */
static void make_directory(const char *name)
{
    assert_int_equal(mkdir(scratch_path(name), 0755), 0);
}

static int count_files(const char *name)
{
    DIR *entries = opendir(scratch_path(name));
    int count = 0;
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Opening must fail with this status and these words. */
static void refuse(const char *path, enum warehouse_mode mode, enum status status,
                   const char *words)
{
    struct warehouse warehouse;
    struct error error = {0};
    assert_false(warehouse_open(&warehouse, path, mode, 0, &error));
    if (!strstr(error.text, words))
        fail_msg("%s", error.text);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(error.status, status);
    assert_null(warehouse.db);
    assert_null(warehouse.path);
}

/* ------------------------------------------------------------------ building */

static void a_building_is_not_seen_before_it_is_published(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    bool taken = true;
    const char *path = scratch_path("building/w.db");
    make_directory("building");
    open_or_fail(&warehouse, path, WAREHOUSE_BUILD);
    run_sql(warehouse.db, "INSERT INTO run (name) VALUES ('built')");
    assert_false(warehouse_exists(path));
    assert_int_equal(count_files("building"), 1);
    assert_true(warehouse_publish(&warehouse, &taken, &error));
    assert_false(taken);
    assert_null(warehouse.db);
    assert_true(warehouse_exists(path));
    warehouse_close(&warehouse);
    assert_int_equal(count_files("building"), 1);

    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(status.st_nlink, 1);
    open_or_fail(&warehouse, path, WAREHOUSE_READ);
    assert_query(warehouse.db, "SELECT name FROM run", "built");
    assert_query(warehouse.db, "SELECT count(*) FROM slice", "0");
    assert_query(warehouse.db, "PRAGMA journal_mode", "delete");
    assert_true(warehouse_show_views(&warehouse, &error));
    assert_query(warehouse.db, "PRAGMA integrity_check", "ok");
    warehouse_close(&warehouse);
}

static void a_building_that_is_not_published_goes(void **state)
{
    (void)state;
    struct warehouse warehouse;
    make_directory("unpublished");
    open_or_fail(&warehouse, scratch_path("unpublished/w.db"), WAREHOUSE_BUILD);
    run_sql(warehouse.db, "INSERT INTO run (name) VALUES ('lost')");
    warehouse_close(&warehouse);
    assert_int_equal(count_files("unpublished"), 0);
}

static void the_first_to_publish_wins(void **state)
{
    (void)state;
    struct warehouse first, second;
    struct error error = {0};
    bool taken;
    const char *path = scratch_path("race/w.db");
    make_directory("race");
    open_or_fail(&first, path, WAREHOUSE_BUILD);
    open_or_fail(&second, path, WAREHOUSE_BUILD);
    assert_int_equal(count_files("race"), 2);
    run_sql(first.db, "INSERT INTO run (name) VALUES ('first')");
    run_sql(second.db, "INSERT INTO run (name) VALUES ('second')");
    assert_true(warehouse_publish(&second, &taken, &error));
    assert_false(taken);
    assert_true(warehouse_publish(&first, &taken, &error));
    assert_true(taken);
    warehouse_close(&first);
    warehouse_close(&second);
    assert_int_equal(count_files("race"), 1);
    open_or_fail(&first, path, WAREHOUSE_READ);
    assert_query(first.db, "SELECT name FROM run", "second");
    warehouse_close(&first);
}

static void what_stands_in_the_place_is_not_replaced(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    bool taken;
    const char *path = scratch_file("in_place", "precious", 8);
    open_or_fail(&warehouse, path, WAREHOUSE_BUILD);
    assert_true(warehouse_publish(&warehouse, &taken, &error));
    assert_true(taken);
    warehouse_close(&warehouse);
    FILE *file = fopen(path, "r");
    char bytes[16] = "";
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes - 1, file), 8);
    assert_string_equal(bytes, "precious");
    fclose(file);
}

static void publishing_waits_for_no_statement(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    bool taken;
    const char *path = scratch_path("busy.db");
    open_or_fail(&warehouse, path, WAREHOUSE_BUILD);
    sqlite3_stmt *statement = warehouse_prepare(&warehouse, "SELECT * FROM run", &error);
    assert_non_null(statement);
    assert_false(warehouse_publish(&warehouse, &taken, &error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_non_null(strstr(error.text, "statements are still open"));
    assert_false(exists(path));
    database_finalize(statement);
    assert_true(warehouse_publish(&warehouse, &taken, &error));
    assert_true(exists(path));
    warehouse_close(&warehouse);
    open_or_fail(&warehouse, path, WAREHOUSE_READ);
    assert_query(warehouse.db, "SELECT count(*) FROM slice", "0");
    warehouse_close(&warehouse);
}

static void memory_has_views_when_they_are_asked_for(void **state)
{
    (void)state;
    static const char views[] = "SELECT count(*) > 0 FROM sqlite_schema WHERE type = 'view'";
    static const char given[] = "SELECT count(*) > 0 FROM sqlite_temp_schema WHERE type = 'view'";
    struct warehouse warehouse;
    struct error error = {0};
    open_or_fail(&warehouse, "memory", WAREHOUSE_MEMORY);
    assert_query(warehouse.db, views, "0");
    assert_query(warehouse.db, "SELECT count(*) > 0 FROM perf_model", "1");
    sqlite3_stmt *rows = warehouse_prepare(&warehouse, "SELECT id FROM slice", &error);
    assert_non_null(rows);
    database_finalize(rows);
    assert_query(warehouse.db, views, "0");
    assert_query(warehouse.db, given, "1");
    assert_true(warehouse_show_views(&warehouse, &error));
    assert_query(warehouse.db, views, "0");
    assert_query(warehouse.db, "SELECT count(*) > 300 FROM sqlite_temp_schema", "1");
    assert_query(warehouse.db, "SELECT count(*) FROM slice", "0");
    warehouse_close(&warehouse);
}

static void abandoned_buildings_are_removed_and_others_are_not(void **state)
{
    (void)state;
    struct warehouse in_use, next;
    make_directory("abandoned");
    open_or_fail(&in_use, scratch_path("abandoned/w.db"), WAREHOUSE_BUILD);
    scratch_file("abandoned/w.db.building-killed", "left over", 9);
    scratch_file("abandoned/w.db.building-", "", 0);
    scratch_file("abandoned/w.db.building", "not ours", 8);
    scratch_file("abandoned/w.db.build", "not ours", 8);
    scratch_file("abandoned/other.db.building-killed", "not ours", 8);
    scratch_file("abandoned/xw.db.building-killed", "not ours", 8);
    assert_int_equal(count_files("abandoned"), 7);
    open_or_fail(&next, scratch_path("abandoned/w.db"), WAREHOUSE_BUILD);
    assert_int_equal(count_files("abandoned"), 6);
    assert_false(exists(scratch_path("abandoned/w.db.building-killed")));
    assert_false(exists(scratch_path("abandoned/w.db.building-")));
    assert_true(exists(in_use.building));
    assert_true(exists(next.building));
    assert_string_not_equal(in_use.building, next.building);
    warehouse_close(&in_use);
    warehouse_close(&next);
    assert_int_equal(count_files("abandoned"), 4);
}

/* Each looks for abandoned files, and must not take those for such that others are just making. */
static void many_processes_build_at_the_same_time(void **state)
{
    (void)state;
    enum { PROCESSES = 6, TIMES = 40 };
    pid_t children[PROCESSES];
    make_directory("crowd");
    const char *path = scratch_path("crowd/w.db");
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            struct warehouse warehouse;
            struct error error = {0};
            bool done = true;
            for (int j = 0; j < TIMES && done; j++) {
                done = warehouse_open(&warehouse, path, WAREHOUSE_BUILD, 0, &error) &&
                       exists(warehouse.building);
                warehouse_close(&warehouse);
            }
            _exit(done ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_files("crowd"), 0);
}

static void a_building_needs_a_directory(void **state)
{
    (void)state;
    refuse(scratch_path("no/such/w.db"), WAREHOUSE_BUILD, STATUS_DATABASE,
           "cannot be created: No such file or directory");
}

/* ------------------------------------------------------------------ refusing */

static void a_file_that_is_missing_is_not_made(void **state)
{
    (void)state;
    const char *path = scratch_path("missing.db");
    refuse(path, WAREHOUSE_READ, STATUS_USAGE, "no such warehouse");
    refuse(path, WAREHOUSE_WRITE, STATUS_USAGE, "no such warehouse");
    assert_false(warehouse_exists(path));
}

static void what_is_no_database_is_refused(void **state)
{
    (void)state;
    static char bytes[8192];
    memset(bytes, '{', sizeof bytes);
    static const size_t lengths[] = {1, 99, 100, 511, 512, 4096, sizeof bytes};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const char *path = scratch_file("text.db", bytes, lengths[i]);
        refuse(path, WAREHOUSE_READ, STATUS_USAGE, "not a ");
        refuse(path, WAREHOUSE_WRITE, STATUS_USAGE, "not a ");
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_size, lengths[i]);
    }
    assert_int_equal(mkdir(scratch_path("directory.db"), 0755), 0);
    refuse(scratch_path("directory.db"), WAREHOUSE_READ, STATUS_USAGE,
           "a directory, not a database");
    refuse(scratch_path("directory.db"), WAREHOUSE_WRITE, STATUS_USAGE, "a directory");
}

static void databases_of_other_programs_are_refused(void **state)
{
    (void)state;
    static const char *const contents[] = {
        "", /* an empty file */
        "CREATE TABLE x (y)",
        "CREATE TABLE run (id INTEGER PRIMARY KEY, name); PRAGMA user_version = 1",
        "PRAGMA application_id = 252006673; PRAGMA user_version = 1; CREATE TABLE blob (x)",
    };
    const char *path = scratch_path("other.db");
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        sqlite3 *db;
        unlink(path);
        scratch_file("other.db", "", 0);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        run_sql(db, contents[i]);
        sqlite3_close(db);
        refuse(path, WAREHOUSE_READ, STATUS_USAGE, "not a tpq warehouse");
        refuse(path, WAREHOUSE_WRITE, STATUS_USAGE, "not a tpq warehouse");
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        assert_query(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'event'", "0");
        sqlite3_close(db);
    }
}

/* ------------------------------------------------------------------ locks */

static void a_locked_warehouse_is_said_to_be(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    sqlite3 *other;
    scratch_warehouse(&warehouse, "locked.db");
    warehouse_close(&warehouse);
    const char *path = scratch_path("locked.db");
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    run_sql(other, "BEGIN EXCLUSIVE");
    refuse(path, WAREHOUSE_READ, STATUS_DATABASE, "another process holds the database");
    refuse(path, WAREHOUSE_WRITE, STATUS_DATABASE, "another process holds the database");
    assert_false(warehouse_open(&warehouse, path, WAREHOUSE_READ, 20, &error));
    assert_non_null(strstr(error.text, "another process holds the database"));

    /* who only prepares to write keeps nobody from reading */
    run_sql(other, "COMMIT; BEGIN IMMEDIATE");
    open_or_fail(&warehouse, path, WAREHOUSE_READ);
    assert_query(warehouse.db, "SELECT count(*) FROM slice", "0");
    warehouse_close(&warehouse);
    open_or_fail(&warehouse, path, WAREHOUSE_WRITE);
    assert_false(warehouse_run(&warehouse, "INSERT INTO run (name) VALUES ('x')", &error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_non_null(strstr(error.text, "locked.db: another process holds the database"));
    run_sql(other, "COMMIT");
    assert_true(warehouse_run(&warehouse, "INSERT INTO run (name) VALUES ('x')", &error));
    sqlite3_close(other);
    warehouse_close(&warehouse);
}

/* Starts a process that does the work once the lock is held, tells so, and ends. */
static pid_t start_holder(const char *path, void (*work)(sqlite3 *db))
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sqlite3 *db;
        if (sqlite3_open(path, &db) != SQLITE_OK ||
            sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        work(db);
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void hold_a_little(sqlite3 *db)
{
    sqlite3_sleep(50);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
}

static void a_lock_that_is_released_is_waited_for(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    int status;
    scratch_warehouse(&warehouse, "waiting.db");
    warehouse_close(&warehouse);
    static const enum warehouse_mode modes[] = {WAREHOUSE_READ, WAREHOUSE_WRITE};
    for (int i = 0; i < 2; i++) {
        pid_t child = start_holder(scratch_path("waiting.db"), hold_a_little);
        if (!warehouse_open(&warehouse, scratch_path("waiting.db"), modes[i], 60000, &error))
            fail_msg("%s", error.text);
        warehouse_close(&warehouse);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* Changes so much that it does not fit into memory, and dies. */
static void die_while_writing(sqlite3 *db)
{
    sqlite3_exec(db,
                 "PRAGMA cache_size = 5; INSERT INTO string (text) WITH RECURSIVE n(i) AS "
                 "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
                 "SELECT 'a rather long text with the number ' || i FROM n; DELETE FROM run",
                 NULL, NULL, NULL);
    _exit(0);
}

static void what_a_dead_process_has_begun_is_undone(void **state)
{
    (void)state;
    static const enum warehouse_mode modes[] = {WAREHOUSE_READ, WAREHOUSE_WRITE};
    for (int i = 0; i < 2; i++) {
        struct warehouse warehouse;
        int status;
        scratch_warehouse(&warehouse, "dead.db");
        run_sql(warehouse.db, "INSERT INTO run (name) VALUES ('before')");
        warehouse_close(&warehouse);
        pid_t child = start_holder(scratch_path("dead.db"), die_while_writing);
        assert_int_equal(waitpid(child, &status, 0), child);
        struct stat journal;
        assert_int_equal(stat(scratch_path("dead.db-journal"), &journal), 0);
        assert_true(journal.st_size > 0);
        open_or_fail(&warehouse, scratch_path("dead.db"), modes[i]);
        assert_query(warehouse.db, "SELECT name FROM run", "before");
        assert_query(warehouse.db, "SELECT count(*) FROM string", "0");
        assert_true(warehouse_show_views(&warehouse, &(struct error){0}));
        assert_query(warehouse.db, "PRAGMA integrity_check", "ok");
        assert_int_equal(sqlite3_db_readonly(warehouse.db, "main"), modes[i] == WAREHOUSE_READ);
        warehouse_close(&warehouse);
    }
}

/* ------------------------------------------------------------------ reading and writing */

static void reading_changes_nothing(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "reading.db");
    store_sample(&warehouse, "a", "a");
    warehouse_close(&warehouse);
    open_or_fail(&warehouse, scratch_path("reading.db"), WAREHOUSE_READ);
    static const char *const attempts[] = {
        "INSERT INTO run (name) VALUES ('x')",
        "UPDATE event SET dur_ns = 0",
        "DELETE FROM event",
        "DROP TABLE run",
        "CREATE TABLE x (y)",
    };
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        assert_false(warehouse_run(&warehouse, attempts[i], &error));
        assert_int_equal(error.status, STATUS_DATABASE);
        assert_non_null(strstr(error.text, "reading.db: the database cannot be written"));
    }
    assert_false(belongings_delete_trace(&warehouse, 1, &error));
    run_sql(warehouse.db, "CREATE TEMP TABLE mine AS SELECT name FROM slice");
    assert_query(warehouse.db, "SELECT count(*) > 9 FROM mine", "1");
    assert_query(warehouse.db, "SELECT count(*) FROM run", "1");
    warehouse_close(&warehouse);
}

/* Not even someone who may write can make the file malformed with SQL. */
static void the_schema_table_cannot_be_edited(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "defensive.db");
    run_sql(warehouse.db, "PRAGMA writable_schema = 1");
    assert_false(warehouse_run(&warehouse, "DELETE FROM sqlite_schema", &error));
    assert_false(warehouse_run(&warehouse, "PRAGMA journal_mode = off; SELECT * FROM x", &error));
    assert_query(warehouse.db, "PRAGMA journal_mode", "delete");
    assert_query(warehouse.db, "PRAGMA trusted_schema", "0");
    warehouse_close(&warehouse);
}

static void statements_that_are_wrong_are_explained(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "wrong.db");
    assert_null(warehouse_prepare(&warehouse, "SELECT absent FROM run", &error));
    assert_non_null(strstr(error.text, "wrong.db: no such column: absent"));
    assert_int_equal(error.status, STATUS_DATABASE);
    warehouse_close(&warehouse);
    warehouse_close(&warehouse); /* closing again is harmless */
}

/* ------------------------------------------------------------------ deleting */

/* All tables, each with an expression for the trace that a row belongs to; 0 = to none. */
static void list_tables(sqlite3 *db)
{
    run_sql(db,
            "CREATE TEMP TABLE listed AS SELECT name, CASE WHEN name = 'trace' THEN 'id' "
            "WHEN name = 'hlo_instruction' THEN 'module_id' " /* as the test numbers modules */
            "WHEN name = 'counter_sample' THEN 'counter_id' " /* and counters */
            "WHEN EXISTS (SELECT * FROM pragma_table_info(t.name) AS c WHERE c.name = 'trace_id') "
            "THEN 'trace_id' ELSE '0' END AS owner FROM main.sqlite_schema AS t "
            "WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
}

/* Runs a statement for each table, with its name for %1$s and the owner of a row for %2$s; the
 * names of those for which it gave 1, separated by spaces. The caller frees. */
static char *each_table(sqlite3 *db, const char *format)
{
    struct text names = {0};
    char *list = query_text(db, "SELECT group_concat(name || ' ' || owner, ' ') FROM listed");
    assert_non_null(list);
    text_add(&names, "", 0);
    for (char *save, *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        char sql[512];
        const char *owner = strtok_r(NULL, " ", &save);
        snprintf(sql, sizeof sql, format, name, owner);
        sqlite3_stmt *statement;
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
        int result = sqlite3_step(statement);
        assert_true(result == SQLITE_ROW || result == SQLITE_DONE);
        if (result == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1)
            text_format(&names, " %s", name);
        database_finalize(statement);
    }
    memory_free(list);
    return names.items;
}

static void keep_copies(sqlite3 *db)
{
    memory_free(each_table(db, "DROP TABLE IF EXISTS temp.old_%1$s"));
    memory_free(each_table(db, "CREATE TEMP TABLE old_%1$s AS SELECT * FROM main.%1$s"));
}

/* The tables that are not what the copies are without this trace. */
static char *differences(sqlite3 *db, int trace)
{
    char format[400];
    snprintf(
        format, sizeof format,
        "SELECT EXISTS (SELECT * FROM main.%%1$s EXCEPT SELECT * FROM old_%%1$s WHERE %%2$s <> "
        "%d) OR EXISTS (SELECT * FROM old_%%1$s WHERE %%2$s <> %d EXCEPT SELECT * FROM "
        "main.%%1$s)",
        trace, trace);
    return each_table(db, format);
}

static void assert_deleted(sqlite3 *db, int trace)
{
    char *found = differences(db, trace);
    assert_string_equal(found, "");
    memory_free(found);
}

static void a_deletion_takes_all_of_a_trace_and_nothing_else(void **state)
{
    (void)state;
    static const char *const tags[] = {"a", "b", "c"};
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "delete.db");
    for (int i = 0; i < 3; i++)
        store_sample(&warehouse, tags[i], tags[i]);
    sqlite3 *db = warehouse.db;
    run_sql(db, "INSERT INTO device_op (id, trace_id) SELECT id, trace_id FROM gpu_event");
    run_sql(db, "INSERT INTO xla_event (id, trace_id, start_ps, duration_ps) SELECT id, trace_id, "
                "0, 0 FROM gpu_event");
    run_sql(db, "INSERT INTO op_range (id, trace_id) SELECT id, trace_id FROM gpu_event");
    run_sql(db, "INSERT INTO gpu_counter SELECT id, trace_id, trace_id, 0, 2 FROM gpu_event");
    run_sql(db, "INSERT INTO dispatch (id, trace_id) SELECT id, trace_id FROM gpu_event");
    run_sql(db, "INSERT INTO page_fault (trace_id, ts_ns, address, faults) SELECT id, 0, 1, 1 FROM "
                "trace");
    run_sql(db, "INSERT INTO hlo_module (id, trace_id, name) SELECT id, id, 'm' FROM trace");
    run_sql(db, "INSERT INTO hlo_instruction (module_id, number, name, opcode, computation, "
                "is_root, shape, operands) SELECT id, 1, 'i', 'add', 'c', 0, 'f32[]', '[]' FROM "
                "hlo_module");
    run_sql(db, sample_snapshots);
    list_tables(db);

    /* the sample has rows in every table, so that none can be forgotten */
    char *empty = each_table(db, "SELECT '%2$s' <> '0' AND count(DISTINCT %2$s) <> 3 FROM %1$s");
    assert_string_equal(empty, "");
    memory_free(empty);
    assert_query(db, "SELECT count(*) >= 11, sum(owner = 'id') FROM listed WHERE owner <> '0'",
                 "1|1");

    static const int order[] = {2, 3, 1};
    for (int i = 0; i < 3; i++) {
        keep_copies(db);
        char *found = differences(db, order[i]);
        assert_string_not_equal(found, ""); /* it is there */
        memory_free(found);
        run_sql(db, "BEGIN");
        if (!belongings_delete_trace(&warehouse, order[i], &error))
            fail_msg("%s", error.text);
        run_sql(db, "COMMIT");
        assert_deleted(db, order[i]);
        assert_query(db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    }
    char *filled = each_table(db, "SELECT '%2$s' <> '0' AND count(*) > 0 FROM %1$s");
    assert_string_equal(filled, "");
    memory_free(filled);
    assert_query(db, "SELECT count(*) FROM run", "3");
    warehouse_close(&warehouse);
}

static void a_deletion_is_part_of_its_transaction(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "rollback.db");
    store_sample(&warehouse, "a", "a");
    list_tables(warehouse.db);
    keep_copies(warehouse.db);
    run_sql(warehouse.db, "BEGIN");
    assert_true(belongings_delete_trace(&warehouse, 1, &error));
    assert_query(warehouse.db, "SELECT count(*) FROM event", "0");
    run_sql(warehouse.db, "ROLLBACK");
    assert_deleted(warehouse.db, 4711); /* nothing */
    assert_true(belongings_delete_trace(&warehouse, 4711, &error));
    assert_deleted(warehouse.db, 4711);
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ views that are shared */

/* Rows of such a view stay while it is shared, also for views that stand on it. */
static void a_shared_view_is_computed_once(void **state)
{
    (void)state;
    struct error error = {0};
    struct warehouse warehouse;
    struct shared_views shared = {0};
    open_or_fail(&warehouse, ":memory:", WAREHOUSE_MEMORY);
    for (int i = 0; i < 2; i++) { /* the second time views stand in front of the file's already */
        assert_true(shared_views_add(&shared, warehouse.db, view_of("graph_call"), &error));
        assert_true(shared_views_add(&shared, warehouse.db, view_of("graph_call"), &error));
        run_sql(warehouse.db, "INSERT INTO string (text) VALUES ('cudaGraphLaunch')");
        assert_query(warehouse.db, "SELECT count(*) FROM graph_call", "0");
        assert_query(warehouse.db, "SELECT count(*) FROM coverage", "0");
        shared_views_drop(&shared, warehouse.db);
        assert_query(warehouse.db, "SELECT count(*) FROM graph_call", "1");
        run_sql(warehouse.db, "DELETE FROM string WHERE text = 'cudaGraphLaunch'");
    }
    assert_false(shared_views_add(&shared, warehouse.db, view_of("no view"), &error));
    shared_views_drop(&shared, warehouse.db);
    warehouse_close(&warehouse);
}

/* How many kB of a file that is mapped are in memory. */
static long mapped_kilobytes(const char *name)
{
    char line[512];
    long all = 0, some;
    bool is_of_file = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            is_of_file = strstr(line, name) != NULL;
        if (is_of_file && sscanf(line, "Rss: %ld", &some) == 1)
            all += some;
    }
    assert_int_equal(fclose(maps), 0);
    return all;
}

static int64_t sum_letting_go(sqlite3 *db, long *before, long *after, const char *name)
{
    sqlite3_stmt *rows = NULL;
    int64_t sum = 0;
    int result;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT a, length(b) FROM t", -1, &rows, NULL),
                     SQLITE_OK);
    for (int i = 0; (result = sqlite3_step(rows)) == SQLITE_ROW; i++) {
        sum += sqlite3_column_int64(rows, 0) * sqlite3_column_int64(rows, 1);
        if (i != 3000)
            continue;
        *before = mapped_kilobytes(name);
        database_let_go(db); /* while the statement stands on a page */
        *after = mapped_kilobytes(name);
    }
    assert_int_equal(result, SQLITE_DONE);
    assert_int_equal(database_finalize(rows), SQLITE_OK);
    return sum;
}

static const int64_t large_sum = 4000LL * 4001 / 2 * 1000;
static const char large_table[] =
    "CREATE TABLE t (a INTEGER, b BLOB);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) "
    "INSERT INTO t SELECT i, randomblob(1000) FROM n;";

static void test_what_was_read_of_a_file_is_let_go(void **state)
{
    (void)state;
    sqlite3 *db;
    long before = 0, after = 0;
    const char *path = scratch_path("let_go.db");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, large_table);
    run_sql(db, "PRAGMA mmap_size = 1099511627776");
    assert_int_equal(sum_letting_go(db, &before, &after, "let_go.db"), large_sum);
    assert_true(before > 2000);
    assert_in_range(after, 0, 500);
    run_sql(db, "PRAGMA mmap_size = 0");
    assert_int_equal(sum_letting_go(db, &before, &after, "let_go.db"), large_sum);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Bytes that are the only ones are kept. */
static void test_a_database_in_memory_is_not_let_go(void **state)
{
    (void)state;
    sqlite3 *db, *copy;
    long before, after;
    sqlite3_int64 size = 0;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    run_sql(db, large_table);
    assert_int_equal(sum_letting_go(db, &before, &after, "nothing"), large_sum);
    unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
    assert_non_null(bytes);
    assert_int_equal(sqlite3_open(":memory:", &copy), SQLITE_OK);
    assert_int_equal(
        sqlite3_deserialize(copy, "main", bytes, size, size, SQLITE_DESERIALIZE_FREEONCLOSE),
        SQLITE_OK);
    run_sql(copy, "PRAGMA mmap_size = 1099511627776");
    assert_int_equal(sum_letting_go(copy, &before, &after, "nothing"), large_sum);
    assert_int_equal(sqlite3_close(copy), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_was_read_of_a_file_is_let_go),
    cmocka_unit_test(test_a_database_in_memory_is_not_let_go),
    cmocka_unit_test(a_building_is_not_seen_before_it_is_published),
    cmocka_unit_test(a_building_that_is_not_published_goes),
    cmocka_unit_test(the_first_to_publish_wins),
    cmocka_unit_test(what_stands_in_the_place_is_not_replaced),
    cmocka_unit_test(publishing_waits_for_no_statement),
    cmocka_unit_test(memory_has_views_when_they_are_asked_for),
    cmocka_unit_test(abandoned_buildings_are_removed_and_others_are_not),
    cmocka_unit_test(many_processes_build_at_the_same_time),
    cmocka_unit_test(a_building_needs_a_directory),
    cmocka_unit_test(a_file_that_is_missing_is_not_made),
    cmocka_unit_test(what_is_no_database_is_refused),
    cmocka_unit_test(databases_of_other_programs_are_refused),
    cmocka_unit_test(a_locked_warehouse_is_said_to_be),
    cmocka_unit_test(a_lock_that_is_released_is_waited_for),
    cmocka_unit_test(what_a_dead_process_has_begun_is_undone),
    cmocka_unit_test(reading_changes_nothing),
    cmocka_unit_test(the_schema_table_cannot_be_edited),
    cmocka_unit_test(statements_that_are_wrong_are_explained),
    cmocka_unit_test(a_deletion_takes_all_of_a_trace_and_nothing_else),
    cmocka_unit_test(a_deletion_is_part_of_its_transaction),
    cmocka_unit_test(a_shared_view_is_computed_once),
};
GROUP(warehouse, NULL, NULL)
