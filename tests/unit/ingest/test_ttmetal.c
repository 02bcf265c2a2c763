/* Op tables of tt-metal: which files are taken for one, their columns, cells and rows, and what
 * becomes of tables that break off. */
#include "tests/unit/support.h"

#include "ingest/formats.h"
#include "ingest/ttmetal/ttmetal_header.h"
#include "sql/warehouse/belongings.h"
#include "sql/warehouse/integrity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]"

static const struct read_options usual;
static const struct read_options salvage = {.salvage = true};

/* ------------------------------------------------------------------ helpers */

static const struct device_op *ops_of(const struct trace *trace)
{
    assert_int_equal(trace->facts.count, 1);
    assert_ptr_equal(trace->facts.items[0].table, &device_op_facts);
    return trace->facts.items[0].rows;
}

static bool read_bytes(struct trace *trace, const void *bytes, size_t length,
                       const struct read_options *options, struct error *error)
{
    *error = (struct error){0};
    trace_init(trace);
    struct source *source = source_open(scratch_file("t.csv", bytes, length), false, NULL, error);
    const struct format *format = source ? format_detect(source, error) : NULL;
    bool done = format && format_read(format, source, options, trace, error);
    source_close(source);
    if (done)
        assert_string_equal(format->name, "ttmetal");
    assert_int_equal(done, error->status == STATUS_OK);
    assert_true(done || (error->status == STATUS_BAD_INPUT && *error->text));
    return done;
}

static void read_table(struct trace *trace, const char *text)
{
    struct error error;
    if (!read_bytes(trace, text, strlen(text), &usual, &error))
        fail_msg("%s", error.text);
}

static void assert_refused(const char *text, const char *sentence)
{
    struct trace trace;
    struct error error;
    if (read_bytes(&trace, text, strlen(text), &usual, &error))
        fail_msg("taken: %s", text);
    if (!strstr(error.text, sentence))
        fail_msg("'%s' does not say '%s'", error.text, sentence);
    trace_free(&trace);
}

static void assert_interned(struct intern *texts, uint32_t number, const char *expected)
{
    if (!expected || !number) {
        assert_int_equal(number, 0);
        assert_null(expected);
        return;
    }
    struct view text = intern_view(texts, number);
    if (!view_equal(text, view_of(expected)))
        fail_msg("%.*s is not %s", (int)text.length, text.bytes, expected);
}

static void assert_name(struct trace *trace, size_t slice, const char *expected)
{
    assert_true(slice < trace->slices.count);
    assert_interned(&trace->strings, trace->slices.items[slice].name, expected);
}

static void assert_arguments(struct trace *trace, size_t slice, const char *expected)
{
    assert_interned(&trace->arguments, trace->slices.items[slice].arguments, expected);
}

static void assert_noted(const struct trace *trace, enum note note, int64_t count)
{
    for (int i = 0; i < NOTE_COUNT; i++)
        if (trace->notes.entries[i].count != (i == (int)note ? count : 0))
            fail_msg("%s is noted %lld times", note_kind((enum note)i),
                     (long long)trace->notes.entries[i].count);
}

/* ------------------------------------------------------------------ the file */

static void a_table_is_known_by_its_header(void **state)
{
    (void)state;
    assert_true(ttmetal_format.recognises((const unsigned char *)"OP CODE,OP TYPE", 15));
    assert_true(ttmetal_format.recognises((const unsigned char *)"x,\"OP CODE\",DEVICE ID\n1", 23));
    assert_false(ttmetal_format.recognises((const unsigned char *)"OP CODE,x,y", 11));
    assert_false(ttmetal_format.recognises((const unsigned char *)"a,b\nOP CODE,OP TYPE", 19));
    assert_false(ttmetal_format.recognises((const unsigned char *)"", 0));
}

static void all_line_ends_and_a_mark_are_fine(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD "\nA,tt_dnn_device,0,5\nB,tt_dnn_device,1,6\n",
        HEAD "\r\nA,tt_dnn_device,0,5\r\nB,tt_dnn_device,1,6\r\n",
        HEAD "\rA,tt_dnn_device,0,5\rB,tt_dnn_device,1,6\r",
        "\xEF\xBB\xBF" HEAD "\nA,tt_dnn_device,0,5\nB,tt_dnn_device,1,6",
        "\n\n" HEAD "\n\n\nA,tt_dnn_device,0,5\n\nB,tt_dnn_device,1,6\n\n",
        "\"OP CODE\",\"OP TYPE\",\"DEVICE ID\",\"DEVICE KERNEL DURATION [ns]\"\n"
        "\"A\",\"tt_dnn_device\",\"0\",\"5\"\nB,tt_dnn_device,1,6\n",
        "DEVICE KERNEL DURATION [ns],OP CODE,DEVICE ID,OP TYPE\n5,A,0,tt_dnn_device\n"
        "6.0,B,1.0,tt_dnn_device\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trace trace;
        read_table(&trace, texts[i]);
        assert_int_equal(trace.events, 2);
        assert_int_equal(trace.slices.count, 2);
        assert_name(&trace, 0, "A");
        assert_name(&trace, 1, "B");
        assert_int_equal(trace.slices.items[0].uid, 2);
        assert_int_equal(trace.slices.items[1].uid, 3);
        assert_int_equal(trace.slices.items[1].duration, 6);
        assert_int_equal(trace.gpus.items[1].device, 1);
        assert_int_equal(ops_of(&trace)[0].kernel, 5);
        assert_int_equal(trace.devices.count, 2);
        assert_noted(&trace, NOTE_COUNT, 0);
        trace_free(&trace);
    }
}

static void what_must_be_there_is_named(void **state)
{
    (void)state;
    assert_refused("OP CODE,OP TYPE,DEVICE KERNEL DURATION [ns]\n", "has no column \"DEVICE ID\"");
    assert_refused("DEVICE ID,CORE COUNT,x\n", "has no columns \"OP CODE\", \"OP TYPE\", \"DEVICE "
                                               "KERNEL DURATION [ns]\"");
    assert_refused("OP CODE,OP TYPE", "breaks off in row 1");
    assert_refused("a,b,c\n", "not a trace");
}

static void a_header_alone_is_an_empty_trace(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",DEVICE ARCH\n");
    assert_int_equal(trace.slices.count, 0);
    assert_string_equal(trace.metadata.items,
                        "{\"architectures\":[],\"columns\":[\"OP CODE\",\"OP TYPE\",\"DEVICE ID\","
                        "\"DEVICE KERNEL DURATION [ns]\",\"DEVICE ARCH\"],\"version\":\"v2.1\","
                        "\"worker_cores\":[]}");
    trace_free(&trace);
}

static void versions_are_told_by_columns(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD ",INPUT_0_W\n",
        HEAD ",INPUT_0_W_PAD[LOGICAL]\n",
        HEAD ",INPUT_0_W_PAD[LOGICAL],AVAILABLE WORKER CORE COUNT\n",
    };
    static const char *const versions[] = {"\"v1\"", "\"v2\"", "\"v2.1\""};
    for (int i = 0; i < 3; i++) {
        struct trace trace;
        read_table(&trace, texts[i]);
        assert_non_null(strstr(trace.metadata.items, versions[i]));
        trace_free(&trace);
    }
}

/* ------------------------------------------------------------------ rows and cells */

static void cells_may_hold_anything(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",NOTE\n\"a,\"\"b\"\"\nc\",tt_dnn_device,0,1, x \n"
                            "plain\"quote,tt_dnn_device,0,1,\"\"\n");
    assert_name(&trace, 0, "a,\"b\"\nc");
    assert_arguments(&trace, 0, "{\"NOTE\":\" x \"}");
    assert_name(&trace, 1, "plain\"quote");
    assert_arguments(&trace, 1, NULL);
    assert_noted(&trace, NOTE_COUNT, 0);
    trace_free(&trace);
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    static const char text[] = HEAD "\na\xFF,tt_dnn_device,0,1\nb\0c,tt_dnn_device,0,1\n";
    struct trace trace;
    struct error error;
    assert_true(read_bytes(&trace, text, sizeof text - 1, &usual, &error));
    assert_name(&trace, 0, "a\xEF\xBF\xBD");
    assert_name(&trace, 1,
                "b\xEF\xBF\xBD"
                "c");
    assert_int_equal(trace.notes.entries[NOTE_INVALID_UTF8].count, 1);
    assert_int_equal(trace.notes.entries[NOTE_NUL_CHARACTER].count, 1);
    trace_free(&trace);
}

static void words_for_missing_are_no_values(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",CORE COUNT,X\nA,tt_dnn_device,0,1,nan,NULL\n"
                            "NA,signpost,,,,\nB,tt_dnn_device,0,1,8,NANA\n");
    assert_int_equal(ops_of(&trace)[0].cores, NONE);
    assert_arguments(&trace, 0, NULL);
    assert_name(&trace, 1, "NA");
    assert_int_equal(ops_of(&trace)[1].cores, 8);
    assert_arguments(&trace, 2, "{\"X\":\"NANA\"}");
    assert_noted(&trace, NOTE_COUNT, 0);
    trace_free(&trace);
}

static void odd_numbers_are_noted_and_kept_as_they_are(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",CORE COUNT,GLOBAL CALL COUNT\nA,tt_dnn_device,0,1,many,-4\n");
    assert_int_equal(ops_of(&trace)[0].cores, NONE);
    assert_int_equal(ops_of(&trace)[0].calls, NONE);
    assert_arguments(&trace, 0, "{\"CORE COUNT\":\"many\"}");
    assert_noted(&trace, NOTE_VALUE_ODD, 2);
    trace_free(&trace);
}

static void rows_may_be_short_but_not_long(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",CORE COUNT\nA,tt_dnn_device,0,7\nB,tt_dnn_device,0,7,3\n");
    assert_int_equal(ops_of(&trace)[0].cores, NONE);
    assert_noted(&trace, NOTE_ROW_SHORT, 1);
    trace_free(&trace);
    assert_refused(HEAD "\nA,tt_dnn_device,0,1\nB,tt_dnn_device,0,1,x\n",
                   "row 3 has 5 cells, the header has 4");
}

static void of_columns_with_one_name_the_last_holds(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",X,CORE COUNT,X,CORE COUNT\nA,tt_dnn_device,0,7,1,2,3,4\n");
    assert_int_equal(ops_of(&trace)[0].cores, 4);
    assert_arguments(&trace, 0, "{\"X\":3}");
    assert_noted(&trace, NOTE_COLUMN_REPEATED, 2);
    trace_free(&trace);
}

/* Arguments are compared as texts: their members stand in the order of the names as JSON has them,
 * in which a quote is two bytes. */
static void columns_with_names_that_are_escaped_are_in_order(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",\"a\"\"\",a#,\"a\"\"\",a,\"\t\"\nA,tt_dnn_device,0,5,1,2,3,4,5\n");
    assert_arguments(&trace, 0, "{\"\\u0009\":5,\"a\":4,\"a#\":2,\"a\\\"\":3}");
    assert_noted(&trace, NOTE_COLUMN_REPEATED, 1);
    trace_free(&trace);
}

static void a_device_and_a_duration_may_be_missing(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD "\nA,tt_dnn_device,,7\nB,tt_dnn_device,0,\n");
    assert_int_equal(trace.gpus.items[0].device, -1);
    assert_int_equal(ops_of(&trace)[0].device, NONE);
    assert_int_equal(trace.slices.items[1].duration, 0);
    assert_int_equal(ops_of(&trace)[1].kernel, NONE);
    assert_int_equal(trace.notes.entries[NOTE_DEVICE_MISSING].count, 1);
    assert_int_equal(trace.notes.entries[NOTE_DURATION_MISSING].count, 1);
    trace_free(&trace);
}

static void rows_have_the_kind_that_they_say(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",HOST START TS,HOST DURATION [ns]\n"
                            "A,tt_dnn_device,0,5,100,9\n(torch) x,python_fallback,,,200,30\n"
                            "mark,signpost,,,150,10\nodd,something,,,,\n");
    static const int categories[] = {CATEGORY_TT_DEVICE, CATEGORY_TT_FALLBACK, CATEGORY_SIGNPOST,
                                     CATEGORY_KNOWN_COUNT};
    static const int64_t starts[] = {100, 200, 150, 150}, durations[] = {5, 30, 0, 0};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(trace.slices.items[i].category, categories[i]);
        assert_int_equal(trace.slices.items[i].start, starts[i]);
        assert_int_equal(trace.slices.items[i].duration, durations[i]);
    }
    assert_int_equal(trace.facts.items[0].count, 3);
    assert_int_equal(ops_of(&trace)[0].host, 9);
    assert_int_equal(trace.notes.entries[NOTE_TIME_ASSUMED].count, 1);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ signatures */

static void calls_with_one_signature_share_it(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",ATTRIBUTES,INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],"
                            "INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL],INPUT_0_DATATYPE\n"
                            "A,tt_dnn_device,0,5,{'k': 'v'; 'l': 'a;b'},1[1],1[1],32[17],64,BF\n"
                            "A,tt_dnn_device,1,6,{'k': 'v'; 'l': 'a;b'},1[1],1[1],32[17],64,BF\n"
                            "A,tt_dnn_device,1,6,none,1[1],1[1],32[18],64,BF\n");
    assert_int_equal(trace.slices.items[0].op, trace.slices.items[1].op);
    assert_int_not_equal(trace.slices.items[0].op, trace.slices.items[2].op);
    struct op op = trace_op(&trace, trace.slices.items[0].op);
    assert_interned(&trace.strings, op.dims, "[[1,1,32,64]]");
    assert_interned(&trace.strings, op.types, "[\"BF\"]");
    assert_interned(&trace.strings, op.concrete,
                    "{\"ATTRIBUTES\":\"{'k': 'v'; 'l': 'a;b'}\",\"INPUT_0_DATATYPE\":\"BF\","
                    "\"INPUT_0_W\":\"1[1]\",\"INPUT_0_X\":64,\"INPUT_0_Y\":\"32[17]\","
                    "\"INPUT_0_Z\":\"1[1]\"}");
    assert_int_equal(trace.attributes.count, 2);
    assert_interned(&trace.strings, trace.attributes.items[0].name, "k");
    assert_interned(&trace.strings, trace.attributes.items[1].value, "a;b");
    trace_free(&trace);
}

static void what_a_program_is_made_of_is_kept_once(void **state)
{
    (void)state;
    struct trace trace;
    read_table(&trace, HEAD ",COMPUTE KERNEL SOURCE,TENSIX DM 0 MAX KERNEL SIZE [B],PM IDEAL [ns],"
                            "PM FPU UTIL (%),NOTE\n"
                            "A,tt_dnn_device,0,5,['a.cpp'],64,7,0.5,x\n"
                            "A,tt_dnn_device,0,6,['a.cpp'],64,7,0.4,x\n"
                            "A,tt_dnn_device,0,6,['b.cpp'],64,7,0.4,x\n");
    assert_int_equal(trace.slices.items[0].op, trace.slices.items[1].op);
    assert_int_not_equal(trace.slices.items[0].op, trace.slices.items[2].op);
    assert_interned(&trace.strings, trace_op(&trace, trace.slices.items[0].op).concrete,
                    "{\"COMPUTE KERNEL SOURCE\":\"['a.cpp']\",\"PM IDEAL [ns]\":7,"
                    "\"TENSIX DM 0 MAX KERNEL SIZE [B]\":64}");
    assert_interned(&trace.arguments, trace.slices.items[0].arguments,
                    "{\"NOTE\":\"x\",\"PM FPU UTIL (%)\":0.5}");
    trace_free(&trace);
}

static void attributes_of_odd_forms_are_no_parameters(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "{'", "{'a", "{'a'}", "'a': 'b'", "{'a': ", "x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct text table = {0};
        struct trace trace;
        text_format(&table, HEAD ",ATTRIBUTES\nA,tt_dnn_device,0,5,%s\n", texts[i]);
        read_table(&trace, table.items);
        assert_int_equal(trace.attributes.count, 0);
        trace_free(&trace);
        text_free(&table);
    }
}

/* ------------------------------------------------------------------ damage */

static const char whole[] = HEAD
    ",ATTRIBUTES,HOST START TS,INPUT_0_X,NOTE\n"
    "A,tt_dnn_device,0,5,\"{'k': 'v, w'}\",100,32[17],\"a \"\"quoted\"\" text\nof two lines\"\n"
    "mark,signpost,,,,110,,\n"
    "B,tt_dnn_device,1,12.5,{},120,64,\xE2\x9C\x85\n"
    "(torch) add,python_fallback,,,,130,,x\n";

static void check_trace(struct trace *trace)
{
    link_trace(trace);
    tree_build(trace, TREE_LONGEST_FIRST);
    assert_preorder(trace);
    assert_int_equal(trace->events, trace->slices.count);
}

static void a_table_may_break_off_anywhere(void **state)
{
    (void)state;
    for (size_t length = 1; length < sizeof whole; length++)
        for (int i = 0; i < 2; i++) {
            struct trace trace;
            struct error error;
            if (read_bytes(&trace, whole, length, i ? &salvage : &usual, &error))
                check_trace(&trace);
            trace_free(&trace);
        }
}

static void a_row_that_breaks_off_is_refused(void **state)
{
    (void)state;
    assert_refused(HEAD "\nA,tt_dnn_device,0,5\nB,tt_dnn", "breaks off in row 3");
    assert_refused(HEAD "\nA,tt_dnn_device,0,5\n\"B,tt_dnn", "breaks off within quotes in row 3");
    struct trace trace;
    struct error error;
    static const char text[] = HEAD "\nA,tt_dnn_device,0,5\nB,tt_dnn";
    assert_true(read_bytes(&trace, text, strlen(text), &salvage, &error));
    assert_int_equal(trace.slices.count, 1);
    assert_int_equal(trace.notes.entries[NOTE_SALVAGED].count, 1);
    trace_free(&trace);
}

static void a_cell_without_end_is_refused(void **state)
{
    (void)state;
    enum { LONG = 9 << 20 };
    struct text table = {0};
    struct trace trace;
    struct error error;
    text_add_string(&table, HEAD "\n\"");
    for (int i = 0; i < LONG / 16; i++)
        text_add_string(&table, "0123456789abcdef");
    assert_false(read_bytes(&trace, table.items, table.count, &usual, &error));
    assert_non_null(strstr(error.text, "a cell of row 2 is longer than"));
    trace_free(&trace);
    text_free(&table);
}

/* Bytes that no profiler wrote, behind a header: whatever they are, nothing breaks. */
static void garbage_is_taken_or_refused(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 500; round++) {
        char bytes[300];
        size_t length = sizeof whole - 1 < sizeof bytes ? sizeof whole - 1 : sizeof bytes;
        memcpy(bytes, whole, length);
        for (size_t i = round % 2 ? sizeof HEAD : 0; i < length; i++) {
            seed = seed * 1664525 + 1013904223;
            if (seed >> 30 == 0)
                bytes[i] = "\"',;\n\r\0[]{}0-\xFF"[(seed >> 8) % 14];
        }
        struct trace trace;
        struct error error = {0};
        trace_init(&trace);
        struct source *source =
            source_open(scratch_file("g.csv", bytes, length), false, NULL, &error);
        if (ttmetal_format.read(source, round % 3 ? &usual : &salvage, &trace, &error))
            check_trace(&trace);
        else
            assert_int_equal(error.status, STATUS_BAD_INPUT);
        source_close(source);
        trace_free(&trace);
    }
}

/* ------------------------------------------------------------------ the warehouse */

static void report(void *context, const char *check, const char *finding)
{
    (void)context;
    if (finding)
        fail_msg("%s: %s", check, finding);
}

static void rows_reach_the_warehouse(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "w.db");
    int64_t id = store_text(&warehouse, "run", whole), findings;
    assert_query(warehouse.db,
                 "SELECT string.text, uid, dur_ns, device_op.device, kernel_ns, host_start_ns FROM "
                 "event JOIN string ON string.id = name_id LEFT JOIN device_op USING (id) ORDER BY "
                 "uid",
                 "A|2|5|0|5|100\nmark|3|0|NULL|NULL|NULL\nB|4|13|1|13|120\n(torch) "
                 "add|5|0|NULL|NULL|130");
    assert_query(warehouse.db, "SELECT kind, name, ts_ns, dur_ns FROM signpost",
                 "point|mark|10|NULL");
    assert_query(warehouse.db, "SELECT name, value FROM op_attr", "k|v, w");
    assert_query(warehouse.db, "SELECT ordinal FROM device", "0\n1");
    assert_true(integrity_check(&warehouse, report, NULL, &findings, &error));
    assert_true(belongings_delete_trace(&warehouse, id, &error));
    assert_query(warehouse.db, "SELECT count(*) FROM device_op", "0");
    assert_true(integrity_check(&warehouse, report, NULL, &findings, &error));
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_table_is_known_by_its_header),
    cmocka_unit_test(all_line_ends_and_a_mark_are_fine),
    cmocka_unit_test(what_must_be_there_is_named),
    cmocka_unit_test(a_header_alone_is_an_empty_trace),
    cmocka_unit_test(versions_are_told_by_columns),
    cmocka_unit_test(cells_may_hold_anything),
    cmocka_unit_test(bytes_that_are_no_text_are_replaced),
    cmocka_unit_test(words_for_missing_are_no_values),
    cmocka_unit_test(odd_numbers_are_noted_and_kept_as_they_are),
    cmocka_unit_test(rows_may_be_short_but_not_long),
    cmocka_unit_test(of_columns_with_one_name_the_last_holds),
    cmocka_unit_test(columns_with_names_that_are_escaped_are_in_order),
    cmocka_unit_test(a_device_and_a_duration_may_be_missing),
    cmocka_unit_test(rows_have_the_kind_that_they_say),
    cmocka_unit_test(calls_with_one_signature_share_it),
    cmocka_unit_test(what_a_program_is_made_of_is_kept_once),
    cmocka_unit_test(attributes_of_odd_forms_are_no_parameters),
    cmocka_unit_test(a_table_may_break_off_anywhere),
    cmocka_unit_test(a_row_that_breaks_off_is_refused),
    cmocka_unit_test(a_cell_without_end_is_refused),
    cmocka_unit_test(garbage_is_taken_or_refused),
    cmocka_unit_test(rows_reach_the_warehouse),
};
GROUP(ttmetal, NULL, NULL)
