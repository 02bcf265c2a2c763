/* The check of integrity: that it finds each kind of damage, and nothing in what is well. */
#include "tests/unit/support.h"

#include "sql/warehouse/belongings.h"
#include "sql/warehouse/integrity.h"
#include "sql/warehouse/schema.h"
#include "tests/unit/sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void open_or_fail(struct warehouse *warehouse, const char *path)
{
    struct error error = {0};
    if (!warehouse_open(warehouse, path, WAREHOUSE_READ, 0, &error))
        fail_msg("%s", error.text);
}

static void collect(void *out, const char *check, const char *finding)
{
    text_format(out, "%s: %s\n", check, finding ? finding : "ok");
}

/* What the check says, findings alone or all; the caller frees. */
static char *check_all(struct warehouse *warehouse, int64_t *findings)
{
    struct text report = {0};
    struct error error = {0};
    text_add(&report, "", 0);
    if (!integrity_check(warehouse, collect, &report, findings, &error))
        fail_msg("%s", error.text);
    return report.items;
}

static const char all_well[] = "schema: ok\n"
                               "file: ok\n"
                               "references: ok\n"
                               "events outside of traces: ok\n"
                               "GPU activities: ok\n"
                               "tracks: ok\n"
                               "signatures: ok\n"
                               "call tree: ok\n";

static void assert_all_well(struct warehouse *warehouse)
{
    int64_t findings;
    char *report = check_all(warehouse, &findings);
    assert_string_equal(report, all_well);
    assert_int_equal(findings, 0);
    memory_free(report);
}

static void a_warehouse_that_is_well_has_no_findings(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "well.db");
    assert_all_well(&warehouse);
    store_sample(&warehouse, "a", "a");
    assert_all_well(&warehouse);
    store_sample(&warehouse, "b", "b");
    store_text(&warehouse, "empty",
               "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,"
               "\"args\":{\"name\":\"x\"}}]");
    store_sample(&warehouse, "c", "c");
    assert_all_well(&warehouse);
    assert_true(belongings_delete_trace(&warehouse, 2, &error));
    assert_all_well(&warehouse);
    store_sample(&warehouse, "b", "b");
    assert_all_well(&warehouse);
    warehouse_close(&warehouse);
    open_or_fail(&warehouse, scratch_path("well.db"));
    assert_all_well(&warehouse);
    warehouse_close(&warehouse);
}

/* Damage, and what must be said about it. The sample's events are numbered from 1:
 *
 *     1 step, 2 linear, 3 mm, 4 launch, 5 kernel, 6 mm, 7 backward, 8 copy_, 9 its call, 10 copy,
 *     11 lone kernel, 12 to 16 marks
 *
 * and those of the second trace from 17. */
static const struct {
    const char *damage, *finding;
} damages[] = {
    /* the numbering */
    {"UPDATE event SET up = 2 WHERE id = 4", "call tree: event 4 has parent 2, but lies below 3\n"},
    {"UPDATE event SET up = NULL WHERE id = 4",
     "call tree: event 4 has parent 0, but lies below 3\n"},
    {"UPDATE event SET up = 0 WHERE id = 4", "call tree: event 4 has parent 4, but lies below 3\n"},
    {"UPDATE event SET up = -1 WHERE id = 4",
     "call tree: event 4 has parent 5, but lies below 3\n"},
    {"UPDATE event SET up = 1 WHERE id = 7", "call tree: event 7 has parent 6, but lies below 0\n"},
    {"UPDATE event SET up = 1 WHERE id = 17",
     "call tree: event 17 has parent 16, but lies below 0\n"},
    {"UPDATE event SET below = 1 WHERE id = 3",
     "call tree: event 4 says that its last descendant is 5\n"},
    {"UPDATE event SET below = 0 WHERE id = 1",
     "call tree: event 2 has parent 1, but lies below 0\n"},
    {"UPDATE event SET below = 4 WHERE id = 2",
     "call tree: event 6 has parent 1, but lies below 2\n"},
    {"UPDATE event SET below = 5 WHERE id = 2",
     "call tree: event 2 says that its last descendant is 7\n"},
    {"UPDATE event SET below = -1 WHERE id = 6",
     "call tree: event 6 says that its last descendant is 5\n"},
    {"UPDATE event SET below = 1 WHERE id = 16",
     "call tree: event 16 says that its last descendant is 17\n"},
    {"UPDATE event SET below = 9000 WHERE id = 10",
     "call tree: event 10 says that its last descendant is 9010\n"},
    /* missing, strange and shared events */
    {"DELETE FROM event WHERE id = 6", "call tree: events 6 to 6 are missing\n"},
    {"DELETE FROM event WHERE id IN (12, 13, 14)", "call tree: events 12 to 14 are missing\n"},
    {"DELETE FROM event WHERE id = 1", "call tree: events 1 to 1 are missing\n"},
    {"DELETE FROM event WHERE id = 16", "call tree: trace 1 ends at event 15, not at 16\n"},
    {"DELETE FROM event WHERE trace_id = 2", "call tree: trace 2 ends at event 16, not at 32\n"},
    {"DELETE FROM event WHERE id = 6", "events outside of traces: "},
    {"INSERT INTO event (id, trace_id, category_id, name_id, track_id, ts_ns, dur_ns, below, "
     "child_ns, uid) SELECT 999, 1, category_id, name_id, track_id, 0, 0, 0, 0, 0 FROM event "
     "WHERE id = 1",
     "events outside of traces: 1 events\n"},
    {"UPDATE event SET trace_id = 2 WHERE id = 3",
     "call tree: event 3 says trace 2 but lies in the ids of trace 1\n"},
    {"UPDATE trace SET last_event = 17 WHERE id = 1",
     "call tree: trace 2 shares event ids with another one\n"},
    {"UPDATE trace SET first_event = 16 WHERE id = 2",
     "call tree: trace 2 shares event ids with another one\n"},
    {"UPDATE trace SET last_event = 40 WHERE id = 2",
     "call tree: trace 2 ends at event 32, not at 40\n"},
    {"UPDATE track SET first_event = 16 WHERE id = 7",
     "tracks: track 7: its events are not those of trace 2\n"},
    {"UPDATE track SET last_event = 17 WHERE id = 6",
     "tracks: track 6: its events are not those of trace 1\n"},
    {"UPDATE track SET trace_id = 2 WHERE id = 1",
     "tracks: track 1: its events are not those of trace 2\n"},
    /* references */
    {"UPDATE event SET name_id = 999 WHERE id = 3",
     "references: event 3 refers to a row of string that does not exist\n"},
    {"UPDATE event SET category_id = 77 WHERE id = 3",
     "references: event 3 refers to a row of category that does not exist\n"},
    {"UPDATE event SET track_id = 99 WHERE id = 3",
     "references: event 3 refers to a row of track that does not exist\n"},
    {"UPDATE event SET op_id = 99 WHERE id = 3",
     "references: event 3 refers to a row of op that does not exist\n"},
    {"UPDATE event SET args_id = 99 WHERE id = 3",
     "references: event 3 refers to a row of args that does not exist\n"},
    {"UPDATE event SET up = 900 WHERE id = 3",
     "references: event 3 refers to a row of event that does not exist\n"},
    {"UPDATE event SET below = 900 WHERE id = 3",
     "references: event 3 refers to a row of event that does not exist\n"},
    {"UPDATE gpu_event SET launcher_id = 999 WHERE id = 5",
     "references: gpu_event 5 refers to a row of event that does not exist\n"},
    {"UPDATE gpu_event SET launcher_name_id = 999 WHERE id = 5",
     "references: gpu_event 5 refers to a row of string that does not exist\n"},
    {"UPDATE event SET up = 17 WHERE id = 17",
     "references: event 17 refers to a row of event that does not exist\n"},
    {"UPDATE op SET dims_id = 999 WHERE id = 1",
     "references: op 1 refers to a row of string that does not exist\n"},
    {"DELETE FROM run WHERE id = 1",
     "references: trace 1 refers to a row of run that does not exist\n"},
    {"UPDATE device SET trace_id = 9 WHERE id = 1",
     "references: device 1 refers to a row of trace that does not exist\n"},
    {"UPDATE signpost SET track_id = 99 WHERE id = 12",
     "references: signpost 12 refers to a row of track that does not exist\n"},
    {"UPDATE edge SET to_id = 999 WHERE trace_id = 1 AND kind = 'flow'",
     "refers to a row of event that does not exist\n"},
    {"UPDATE memory_event SET track_id = 99 WHERE uid = 30",
     "refers to a row of track that does not exist\n"},
    {"UPDATE ingest_note SET trace_id = 99 WHERE kind = 'phase_unused' AND trace_id = 1",
     "refers to a row of trace that does not exist\n"},
    /* accelerator work */
    {"UPDATE gpu_event SET ts_ns = ts_ns + 1 WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET dur_ns = 0 WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET name_id = 1 WHERE id = 11",
     "GPU activities: gpu_event 11 differs from its event\n"},
    {"UPDATE gpu_event SET call_id = 3 WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET call_id = NULL WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET call_id = 9 WHERE id = 11",
     "GPU activities: gpu_event 11 differs from its event\n"},
    {"UPDATE event SET ts_ns = 1 WHERE id = 10",
     "GPU activities: gpu_event 10 differs from its event\n"},
    {"UPDATE gpu_event SET trace_id = 2 WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET category_id = 3 WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET track_id = 1 WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET correlation = NULL WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET args_id = NULL WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET uid = 1 WHERE id = 5",
     "GPU activities: gpu_event 5 differs from its event\n"},
    {"UPDATE gpu_event SET id = 999 WHERE id = 5",
     "GPU activities: gpu_event 999 differs from its event\n"},
    {"UPDATE gpu_event SET id = 6 WHERE id = 5",
     "GPU activities: gpu_event 6 differs from its event\n"},
    {"DELETE FROM gpu_event WHERE id = 11", "GPU activities: event 11 has no gpu_event\n"},
    /* what should be there once */
    {"INSERT INTO op (name_id, dims_id, types_id, strides_id, concrete_id) SELECT name_id, "
     "dims_id, types_id, strides_id, concrete_id FROM op WHERE id = 1",
     "signatures: op 1 and "},
    {"INSERT INTO op (id, name_id) SELECT 900, name_id FROM op WHERE dims_id IS NULL LIMIT 1",
     " and 900 are the same\n"},
};

static void every_damage_is_found(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "damage.db");
    store_sample(&warehouse, "a", "a");
    store_sample(&warehouse, "b", "b");
    assert_query(warehouse.db, "SELECT first_event, last_event FROM trace", "1|16\n17|32");
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        int64_t findings;
        run_sql(warehouse.db, "BEGIN");
        run_sql(warehouse.db, damages[i].damage);
        assert_int_not_equal(sqlite3_changes(warehouse.db), 0);
        char *report = check_all(&warehouse, &findings);
        run_sql(warehouse.db, "ROLLBACK");
        if (!strstr(report, damages[i].finding))
            fail_msg("%s\n%s", damages[i].damage, report);
        assert_true(findings > 0);
        memory_free(report);
    }
    assert_all_well(&warehouse);
    warehouse_close(&warehouse);
}

/* A file of somebody else's, who wrote rows that our tables do not take. */
static void a_value_that_our_tables_want_is_missed(void **state)
{
    (void)state;
    static const char relaxed[] =
        "CREATE TABLE before AS SELECT name, sql FROM sqlite_schema WHERE type = 'table';"
        "PRAGMA writable_schema = on;"
        "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table';"
        "PRAGMA writable_schema = reset";
    static const char strict[] =
        "PRAGMA writable_schema = on;"
        "UPDATE sqlite_schema AS one SET sql = (SELECT sql FROM before WHERE name = one.name) "
        "WHERE type = 'table' AND name <> 'before';"
        "PRAGMA writable_schema = reset; DROP TABLE before";
    struct warehouse warehouse;
    int64_t findings;
    scratch_warehouse(&warehouse, "values.db");
    store_sample(&warehouse, "a", "a");
    sqlite3_db_config(warehouse.db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    run_sql(warehouse.db, relaxed);
    char *first = check_all(&warehouse, &findings);
    assert_non_null(strstr(first, "schema: table trace is not defined as tpq defines it\n"));
    assert_non_null(strstr(first, "other checks: not run while the schema is wrong\n"));
    assert_null(strstr(first, "file: "));
    memory_free(first);
    run_sql(warehouse.db,
            "UPDATE event SET name_id = NULL WHERE id = 3; UPDATE run SET name = NULL");
    run_sql(warehouse.db, strict);
    char *report = check_all(&warehouse, &findings);
    assert_non_null(strstr(report, "schema: ok\n"));
    assert_non_null(strstr(report, "file: NULL value in event.name_id\n"));
    assert_non_null(strstr(report, "file: NULL value in run.name\n"));
    memory_free(report);
    warehouse_close(&warehouse);
}

/* Additions of an owner without an expression are welcome. Entries that are called like ours and
 * are not, and triggers, are named. */
static void a_schema_that_is_not_ours_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *change, *finding; /* NULL: none */
    } changes[] = {
        {"ALTER TABLE event ADD COLUMN mine TEXT DEFAULT 'x'", NULL},
        {"ALTER TABLE edge ADD COLUMN mine TEXT", NULL},
        {"CREATE INDEX mine ON event (ts_ns); CREATE TABLE own (x DEFAULT ';')", NULL},
        {"CREATE VIEW mine AS SELECT name, ';' AS sign FROM kernel", NULL},
        {"CREATE TRIGGER mine AFTER INSERT ON run BEGIN DELETE FROM run; END",
         "schema: trigger mine is not made by tpq\n"},
        {"DROP TRIGGER main.rollup_delete_run; CREATE TRIGGER rollup_delete_run AFTER DELETE ON "
         "run "
         "BEGIN "
         "DELETE FROM rollup; DELETE FROM event; END",
         "schema: trigger rollup_delete_run is not made by tpq\n"},
        {"CREATE TRIGGER rollup_mine AFTER INSERT ON run BEGIN DELETE FROM rollup; END",
         "schema: trigger rollup_mine is not made by tpq\n"},
        {"CREATE TABLE own (x); CREATE INDEX mine ON own (x) WHERE x <> ';'",
         "schema: index mine is not an index on plain columns\n"},
        {"PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, 'ts_ns INTEGER "
         "NOT NULL', 'ts_ns INTEGER NOT NULL UNIQUE ON CONFLICT IGNORE') WHERE name = 'event'",
         "schema: table event is not defined as tpq defines it\n"},
        {"PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, '-- id of the "
         "trace', '-- its id') WHERE name = 'trace'",
         NULL},
        {"DROP INDEX op_by_signature", "schema: index op_by_signature is missing\n"},
        {"DROP VIEW kernel", NULL},
        {"CREATE VIEW slice AS SELECT 1 AS name",
         "schema: view slice is not defined as tpq defines it\n"},
        {"CREATE VIEW slice AS SELECT 1 AS name; UPDATE setting SET value = 'other' WHERE name = "
         "'views'",
         NULL},
        {"PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = sql || ', WITHOUT ROWID' "
         "WHERE name = 'run'",
         "schema: table run is not defined as tpq defines it\n"},
        {"ALTER TABLE device RENAME COLUMN name TO label",
         "schema: table device is not defined as tpq defines it\n"},
        {"PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = sql || '; DROP TABLE x' "
         "WHERE name = 'run'",
         "schema: table run is not defined as tpq defines it\n"},
        {"ALTER TABLE run ADD COLUMN mine TEXT; PRAGMA writable_schema = on; UPDATE sqlite_schema "
         "SET "
         "sql = replace(sql, 'mine TEXT', 'mine TEXT); DROP TABLE x; (') WHERE name = 'run'",
         "schema: table run is not defined as tpq defines it\n"},
        {"CREATE VIEW mine AS SELECT 1 AS one; PRAGMA writable_schema = on; UPDATE sqlite_schema "
         "SET sql = sql || '; DROP TABLE x' WHERE name = 'mine'",
         "schema: view mine is more than one statement\n"},
    };
    struct warehouse warehouse;
    int64_t findings;
    scratch_warehouse(&warehouse, "foreign.db");
    sqlite3_db_config(warehouse.db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_sql(warehouse.db, "BEGIN");
        run_sql(warehouse.db, changes[i].change);
        char *report = check_all(&warehouse, &findings);
        run_sql(warehouse.db, "PRAGMA writable_schema = off; ROLLBACK");
        if (changes[i].finding ? !strstr(report, changes[i].finding) : findings > 0)
            fail_msg("%s\n%s", changes[i].change, report);
        memory_free(report);
    }
    assert_all_well(&warehouse);
    warehouse_close(&warehouse);
}

static void many_findings_are_counted_not_told(void **state)
{
    (void)state;
    struct warehouse warehouse;
    int64_t findings;
    scratch_warehouse(&warehouse, "many.db");
    store_sample(&warehouse, "a", "a");
    run_sql(warehouse.db, "UPDATE event SET op_id = 999 WHERE id <= 10");
    char *report = check_all(&warehouse, &findings);
    assert_int_equal(findings, 10);
    assert_null(strstr(report, "more"));
    memory_free(report);
    run_sql(warehouse.db, "UPDATE event SET op_id = 999 WHERE id <= 13");
    report = check_all(&warehouse, &findings);
    assert_int_equal(findings, 13);
    assert_non_null(strstr(report, "event 10 refers to a row of op that does not exist\n"
                                   "references: and 3 more\nevents outside of traces: ok\n"));
    memory_free(report);
    warehouse_close(&warehouse);
}

/* A file whose bytes are damaged: either the checks find it, or they cannot go on and say so. */
static void a_damaged_file_is_not_called_well(void **state)
{
    (void)state;
    struct warehouse warehouse;
    int64_t findings = 0;
    scratch_warehouse(&warehouse, "bytes.db");
    store_sample(&warehouse, "a", "a");
    int64_t page =
        query_integer(warehouse.db, "SELECT rootpage FROM sqlite_schema WHERE name = 'event'");
    warehouse_close(&warehouse);
    int file = open(scratch_path("bytes.db"), O_RDWR);
    assert_true(file >= 0);
    static const char garbage[200];
    assert_int_equal(pwrite(file, garbage, sizeof garbage,
                            (off_t)((page - 1) * SCHEMA_PAGE_BYTES + SCHEMA_PAGE_BYTES - 600)),
                     sizeof garbage);
    close(file);
    struct text report = {0};
    struct error error = {0};
    open_or_fail(&warehouse, scratch_path("bytes.db"));
    bool done = integrity_check(&warehouse, collect, &report, &findings, &error);
    assert_true(!done || findings > 0);
    if (!done)
        assert_int_equal(error.status, STATUS_DATABASE);
    assert_true(!report.count || !strstr(report.items, "file: ok"));
    text_free(&report);
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_warehouse_that_is_well_has_no_findings),
    cmocka_unit_test(every_damage_is_found),
    cmocka_unit_test(a_value_that_our_tables_want_is_missed),
    cmocka_unit_test(a_schema_that_is_not_ours_is_named),
    cmocka_unit_test(many_findings_are_counted_not_told),
    cmocka_unit_test(a_damaged_file_is_not_called_well),
};
GROUP(integrity, NULL, NULL)
