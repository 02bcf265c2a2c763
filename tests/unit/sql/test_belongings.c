/* Belongings: what the schema says about the rows of traces and runs, against the list written out
 * once; tables that nobody has heard of; and which texts stay. */
#include "tests/unit/support.h"

#include "sql/warehouse/belongings.h"
#include "tests/unit/sample.h"

#define RANGE                                                             \
    " BETWEEN (SELECT first_event FROM trace WHERE id = ?1) AND (SELECT " \
    "last_event FROM trace WHERE id = ?1)\n"

static void the_schema_says_what_belongs_to_a_trace(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "list.db");
    char *owned = belongings_query("SELECT name, condition FROM owned ORDER BY depth DESC, name");
    assert_query(warehouse.db, owned,
                 "counter_sample|\"counter_id\" IN (SELECT id FROM \"counter_track\" WHERE "
                 "\"trace_id\" = ?1)\n"
                 "hlo_instruction|\"module_id\" IN (SELECT id FROM \"hlo_module\" WHERE "
                 "\"trace_id\" = ?1)\n"
                 "counter_track|\"trace_id\" = ?1\n"
                 "device|\"trace_id\" = ?1\n"
                 "device_op|\"id\"" RANGE "dispatch|\"id\"" RANGE "edge|\"from_id\"" RANGE
                 "event|\"id\"" RANGE "gpu_counter|\"id\"" RANGE "gpu_event|\"id\"" RANGE
                 "graph_annotation|\"trace_id\" = ?1\n"
                 "health_fact|\"trace_id\" = ?1\n"
                 "hlo_module|\"trace_id\" = ?1\n"
                 "ingest_note|\"trace_id\" = ?1\n"
                 "memory_allocation|\"trace_id\" = ?1\n"
                 "memory_block|\"trace_id\" = ?1\n"
                 "memory_device|\"trace_id\" = ?1\n"
                 "memory_event|\"trace_id\" = ?1\n"
                 "memory_frame|\"trace_id\" = ?1\n"
                 "memory_mark|\"trace_id\" = ?1\n"
                 "memory_segment|\"trace_id\" = ?1\n"
                 "memory_stack|\"trace_id\" = ?1\n"
                 "op_range|\"id\"" RANGE "page_fault|\"trace_id\" = ?1\n"
                 "served_request|\"trace_id\" = ?1\n"
                 "signpost|\"id\"" RANGE "snapshot_event|\"trace_id\" = ?1\n"
                 "thread_state|\"trace_id\" = ?1\n"
                 "trace_file|\"trace_id\" = ?1\n"
                 "track|\"trace_id\" = ?1\n"
                 "xla_event|\"id\"" RANGE "trace|id = ?1");
    memory_free(owned);
    warehouse_close(&warehouse);
}

static void the_schema_says_who_refers_to_what_is_shared(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "references.db");
    char *keeper = belongings_query("SELECT child, name, parent FROM keeper ORDER BY child, name");
    assert_query(warehouse.db, keeper,
                 "device_op|fidelity_id|string\n"
                 "event|args_id|args\nevent|name_id|string\nevent|op_id|op\n"
                 "gpu_event|args_id|args\ngpu_event|launcher_name_id|string\n"
                 "gpu_event|launcher_op_id|op\ngpu_event|name_id|string\n"
                 "hlo_instruction|op_id|op\n"
                 "op|concrete_id|string\nop|dims_id|string\nop|name_id|string\n"
                 "op|strides_id|string\nop|types_id|string");
    memory_free(keeper);
    warehouse_close(&warehouse);
}

/* A table of events, one below it, one of traces, and one of runs. */
static const char new_tables[] =
    "CREATE TABLE sample (id INTEGER PRIMARY KEY REFERENCES event (id), trace_id INTEGER "
    "REFERENCES trace (id), unit_id INTEGER REFERENCES string (id));"
    "CREATE TABLE unit (id INTEGER PRIMARY KEY, trace_id INTEGER REFERENCES trace (id), self_id "
    "INTEGER REFERENCES unit (id));"
    "CREATE TABLE \"odd name\" (id INTEGER PRIMARY KEY, \"the unit\" INTEGER REFERENCES unit (id));"
    "CREATE TABLE verdict (run_id INTEGER REFERENCES run (id), words TEXT);"
    "CREATE TABLE stranger (trace_id INTEGER);"
    "INSERT INTO sample SELECT id, trace_id, NULL FROM gpu_event;"
    "INSERT INTO unit SELECT id, id, NULL FROM trace;"
    "INSERT INTO \"odd name\" SELECT id, id FROM unit;"
    "INSERT INTO verdict SELECT id, 'good' FROM run;"
    "INSERT INTO stranger SELECT id FROM trace";

static const char left[] = "SELECT (SELECT count(DISTINCT trace_id) FROM sample), (SELECT count(*) "
                           "FROM unit), (SELECT count(*) FROM \"odd name\"), (SELECT count(*) FROM "
                           "verdict), (SELECT count(*) FROM stranger)";

static void new_tables_need_no_word_here(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "new.db");
    store_sample(&warehouse, "a", "a");
    store_sample(&warehouse, "b", "b");
    run_sql(warehouse.db, new_tables);
    assert_query(warehouse.db, left, "2|2|2|2|2");
    if (!belongings_delete_trace(&warehouse, 1, &error))
        fail_msg("%s", error.text);
    assert_query(warehouse.db, left, "1|1|1|2|2");
    assert_query(warehouse.db, "SELECT trace_id FROM unit JOIN \"odd name\" USING (id)", "2");
    assert_true(belongings_delete_run(&warehouse, 1, &error));
    assert_query(warehouse.db, left, "1|1|1|1|2");
    assert_query(warehouse.db, "SELECT name FROM run", "b");
    warehouse_close(&warehouse);
}

static void shared_rows_stay_while_somebody_needs_them(void **state)
{
    (void)state;
    static const char kept[] =
        "SELECT (SELECT count(*) FROM string WHERE text = 'unit'), (SELECT count(*) > 0 FROM op), "
        "(SELECT count(*) FROM op_attr), (SELECT count(*) > 0 FROM args), (SELECT count(*) > 0 "
        "FROM string WHERE text = 'aten::mm')";
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "clean.db");
    store_sample(&warehouse, "a", "a");
    run_sql(warehouse.db, new_tables);
    run_sql(warehouse.db, "INSERT INTO string (text) VALUES ('unit'), ('nobody''s');"
                          "UPDATE sample SET unit_id = (SELECT id FROM string WHERE text = 'unit');"
                          "INSERT INTO op_attr SELECT min(id), 'a', 'b' FROM op");
    assert_true(belongings_clean(&warehouse, &error));
    assert_query(warehouse.db, kept, "1|1|1|1|1");
    assert_query(warehouse.db, "SELECT count(*) FROM string WHERE text = 'nobody''s'", "0");
    assert_query(warehouse.db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    assert_true(belongings_delete_trace(&warehouse, 1, &error));
    assert_query(warehouse.db, kept, "1|1|1|1|1"); /* until somebody cleans */
    assert_true(belongings_clean(&warehouse, &error));
    assert_query(warehouse.db, kept, "0|0|0|0|0");
    assert_query(warehouse.db, "SELECT count(*) FROM string", "0");
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_schema_says_what_belongs_to_a_trace),
    cmocka_unit_test(the_schema_says_who_refers_to_what_is_shared),
    cmocka_unit_test(new_tables_need_no_word_here),
    cmocka_unit_test(shared_rows_stay_while_somebody_needs_them),
};
GROUP(belongings, NULL, NULL)
