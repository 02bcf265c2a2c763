/* Facts: rows that a reader declares, and what of them ends up in which column of which table. */
#include "tests/unit/support.h"

#include "ingest/trace/facts.h"

#include <stdio.h>
#include <string.h>

/* A part of something, and a reading that events have; nobody but this file knows them. */
struct part {
    uint32_t name;
};

struct probe {
    uint32_t slice, label, word, string, op, count, part, other;
    int64_t clock;
    int16_t small;
    bool flag;
};

static const struct fact_column part_columns[] = {
    {"id", FACT_ID, 0, NULL},
    {"name", FACT_TEXT, offsetof(struct part, name), NULL},
    {0},
};
static const struct fact_table part_facts = {"part", sizeof(struct part), part_columns};

static const struct fact_column probe_columns[] = {
    {"id", FACT_EVENT, offsetof(struct probe, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"label", FACT_TEXT, offsetof(struct probe, label), NULL},
    {"word", FACT_WORD, offsetof(struct probe, word), NULL},
    {"string_id", FACT_STRING, offsetof(struct probe, string), NULL},
    {"op_id", FACT_OP, offsetof(struct probe, op), NULL},
    {"count", FACT_COUNT, offsetof(struct probe, count), NULL},
    {"part_id", FACT_ROW, offsetof(struct probe, part), &part_facts},
    {"other_id", FACT_ROW_OR_NULL, offsetof(struct probe, other), &part_facts},
    {"clock", FACT_INTEGER, offsetof(struct probe, clock), NULL},
    {"small", FACT_SMALL, offsetof(struct probe, small), NULL},
    {"flag", FACT_FLAG, offsetof(struct probe, flag), NULL},
    {0},
};
static const struct fact_table probe_facts = {"probe", sizeof(struct probe), probe_columns};

/* Of these an event has several. */
struct reading {
    int64_t time;
    double value;
    uint32_t slice;
};

static const struct fact_column reading_columns[] = {
    {"id", FACT_EVENT, offsetof(struct reading, slice), NULL},
    {"value", FACT_REAL, offsetof(struct reading, value), NULL},
    {"ts_ns", FACT_TIME, offsetof(struct reading, time), NULL},
    {0},
};
static const struct fact_table reading_facts = {"reading", sizeof(struct reading), reading_columns};

static void open_with_tables(struct warehouse *warehouse, const char *name)
{
    scratch_warehouse(warehouse, name);
    run_sql(warehouse->db,
            "CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE reading (id INTEGER, value REAL, ts_ns INTEGER);"
            "CREATE TABLE probe (id INTEGER PRIMARY KEY, trace_id INTEGER, label TEXT, word TEXT, "
            "string_id INTEGER, op_id INTEGER, count INTEGER, part_id INTEGER, other_id INTEGER, "
            "clock INTEGER, small INTEGER, flag INTEGER)");
}

static uint32_t text_number(struct trace *trace, const char *text)
{
    uint32_t number = intern_add(&trace->strings, text, strlen(text));
    assert_true(number > 0);
    return number;
}

/* Two ops, the later one first in the file. */
static void two_ops(struct trace *trace, const char *name)
{
    char text[400];
    snprintf(text, sizeof text,
             "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":90,"
             "\"dur\":5},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"first\",\"pid\":1,\"tid\":1,"
             "\"ts\":10,\"dur\":5}]",
             name);
    trace_of_text(trace, text, NULL, TREE_LONGEST_FIRST);
}

static void give_parts(struct trace *trace)
{
    ARRAY(struct part) parts = {0};
    for (int i = 0; i < 2; i++) {
        struct part *part = array_push(&parts);
        assert_non_null(part);
        *part = (struct part){text_number(trace, i ? "lid" : "box")};
    }
    facts_give(&trace->facts, &part_facts, &parts);
    assert_null(parts.items);
    assert_int_equal(parts.count, 0);
}

static void give_probes(struct trace *trace)
{
    ARRAY(struct probe) probes = {0};
    struct probe *full = array_push(&probes), *empty = array_push(&probes);
    assert_non_null(full);
    assert_non_null(empty);
    full = &probes.items[0];
    *full = (struct probe){.slice = 0,
                           .label = text_number(trace, "label"),
                           .word = text_number(trace, "word"),
                           .string = text_number(trace, "only here"),
                           .op = trace->slices.items[0].op,
                           .count = 7,
                           .part = 0,
                           .other = 2,
                           .clock = -5,
                           .small = -3,
                           .flag = true};
    *empty = (struct probe){.slice = 1, .part = 1, .clock = NONE};
    facts_give(&trace->facts, &probe_facts, &probes);
}

static int64_t store(struct warehouse *warehouse, const struct trace *trace)
{
    struct store_options options = {.run = "run", .path = "p", .rank = NONE};
    struct error error = {0};
    int64_t id = 0;
    if (store_trace(warehouse, trace, &options, &id, &error) != STORE_DONE)
        fail_msg("%s", error.text);
    return id;
}

/* ------------------------------------------------------------------ tests */

static void columns_say_what_rows_hold(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct trace trace;
    open_with_tables(&warehouse, "facts.db");
    two_ops(&trace, "second");
    give_parts(&trace);
    give_probes(&trace);
    store(&warehouse, &trace);
    trace_free(&trace);
    assert_query(warehouse.db, "SELECT * FROM part", "1|box\n2|lid");
    /* the slice that comes second in the file is the first event */
    assert_query(warehouse.db,
                 "SELECT probe.id, probe.trace_id, name.text, label, word, string.text, "
                 "probe.op_id IS event.op_id, count, part_id, other_id, clock, small, flag "
                 "FROM probe JOIN event USING (id) JOIN string AS name ON name.id = name_id "
                 "LEFT JOIN string ON string.id = string_id ORDER BY probe.id",
                 "1|1|first|NULL||NULL|0|NULL|2|NULL|NULL|0|0\n"
                 "2|1|second|label|word|only here|1|7|1|2|-5|-3|1");
    warehouse_close(&warehouse);
}

static void a_slice_may_have_several_rows(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct trace trace;
    ARRAY(struct reading) readings = {0};
    open_with_tables(&warehouse, "several.db");
    two_ops(&trace, "second"); /* they start at 10 and 90 us */
    for (int i = 0; i < 5; i++) {
        struct reading *reading = array_push(&readings);
        assert_non_null(reading);
        *reading = (struct reading){i * 10000, i / 2.0, i >= 3};
    }
    facts_give(&trace.facts, &reading_facts, &readings);
    store(&warehouse, &trace);
    trace_free(&trace);
    assert_query(warehouse.db, "SELECT * FROM reading ORDER BY rowid",
                 "1|1.5|20000\n1|2.0|30000\n2|0.0|-10000\n2|0.5|0\n2|1.0|10000");
    warehouse_close(&warehouse);
}

static void rows_of_the_next_trace_follow(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_with_tables(&warehouse, "next.db");
    for (int i = 0; i < 2; i++) {
        struct trace trace;
        two_ops(&trace, i ? "b" : "a");
        memset(trace.hash, i ? 'b' : 'a', sizeof trace.hash - 1);
        give_parts(&trace);
        give_probes(&trace);
        store(&warehouse, &trace);
        trace_free(&trace);
    }
    assert_query(warehouse.db, "SELECT id, name FROM part", "1|box\n2|lid\n3|box\n4|lid");
    assert_query(warehouse.db, "SELECT id, trace_id, part_id, other_id FROM probe",
                 "1|1|2|NULL\n2|1|1|2\n3|2|4|NULL\n4|2|3|4");
    assert_query(warehouse.db, "SELECT count(*) FROM string WHERE text = 'only here'", "1");
    warehouse_close(&warehouse);
}

static void few_slices_have_facts(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct trace trace;
    ARRAY(struct probe) probes = {0};
    open_with_tables(&warehouse, "few.db");
    two_ops(&trace, "second");
    give_parts(&trace);
    struct probe *probe = array_push(&probes);
    assert_non_null(probe);
    *probe = (struct probe){.slice = 1, .clock = 4};
    facts_give(&trace.facts, &probe_facts, &probes);
    store(&warehouse, &trace);
    trace_free(&trace);
    assert_query(warehouse.db, "SELECT id, clock FROM probe", "1|4");
    warehouse_close(&warehouse);
}

static void no_rows_are_no_list(void **state)
{
    (void)state;
    fact_lists facts = {0};
    ARRAY(struct part) parts = {0};
    array_reserve(&parts, 3);
    facts_give(&facts, &part_facts, &parts);
    assert_int_equal(facts.count, 0);
    assert_int_equal(facts_find(&facts, &part_facts), 0);
    facts_free(&facts);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(columns_say_what_rows_hold),
    cmocka_unit_test(a_slice_may_have_several_rows),
    cmocka_unit_test(rows_of_the_next_trace_follow),
    cmocka_unit_test(few_slices_have_facts),
    cmocka_unit_test(no_rows_are_no_list),
};
GROUP(facts, NULL, NULL)
