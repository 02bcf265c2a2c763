/* The store: what of a trace ends up in which row, what traces share, and that a trace is stored
 * wholly or not at all. */
#include "tests/unit/support.h"

#include "sql/warehouse/integrity.h"
#include "tests/unit/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ helpers */

/* Stores a text; the id of its trace, 0 when it fails. */
static int64_t store_as(struct warehouse *warehouse, const char *text,
                        const struct store_options *options, enum store_result *result,
                        struct error *error)
{
    struct trace trace;
    int64_t id = 0;
    trace_of_text(&trace, text, NULL, options->order);
    *result = store_trace(warehouse, &trace, options, &id, error);
    trace_free(&trace);
    return *result == STORE_FAILED ? 0 : id;
}

static int64_t store_or_fail(struct warehouse *warehouse, const char *text,
                             const struct store_options *options)
{
    enum store_result result;
    struct error error = {0};
    int64_t id = store_as(warehouse, text, options, &result, &error);
    if (result != STORE_DONE)
        fail_msg("%d %s", (int)result, error.text);
    return id;
}

/* The smallest trace; two names give two contents. */
static const char *small_trace(const char *name)
{
    static char texts[4][300];
    static int next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0],
             "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":10,"
             "\"dur\":5}]",
             name);
    return text;
}

static void ignore(void *context, const char *check, const char *finding)
{
    (void)context;
    if (finding)
        fail_msg("%s: %s", check, finding);
}

static void assert_sound(struct warehouse *warehouse)
{
    int64_t findings;
    struct error error = {0};
    assert_true(integrity_check(warehouse, ignore, NULL, &findings, &error));
}

/* How many rows there are, table by table. */
static const char count_rows[] =
    "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM trace), (SELECT count(*) FROM "
    "device), (SELECT count(*) FROM track), (SELECT count(*) FROM ingest_note), (SELECT count(*) "
    "FROM string), (SELECT count(*) FROM category), (SELECT count(*) FROM op), (SELECT count(*) "
    "FROM args), (SELECT count(*) FROM event), (SELECT count(*) FROM gpu_event), (SELECT count(*) "
    "FROM edge), (SELECT count(*) FROM signpost), (SELECT count(*) FROM memory_event)";
static const char no_rows[] = "0|0|0|0|0|0|0|0|0|0|0|0|0|0";

/* ------------------------------------------------------------------ rows of a trace */

static void a_trace_says_what_its_file_said(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct text text = {0};
    struct store_options options = {.run = "run", .path = "dir/t.json", .rank = 5};
    scratch_warehouse(&warehouse, "trace.db");
    sample_trace(&text, "k");
    assert_int_equal(store_or_fail(&warehouse, text.items, &options), 1);
    assert_query(warehouse.db,
                 "SELECT run.name, labels, note, rank, world_size, path, format, element_count, "
                 "clock_start_ns, first_event, last_event, tree, frames, tool_version FROM trace "
                 "JOIN run ON run.id = run_id",
                 "run|{}|NULL|5|8|dir/t.json|kineto|33|100000|1|16|default|1|" TPQ_VERSION);
    assert_int_equal(query_integer(warehouse.db, "SELECT content_bytes FROM trace"), text.count);
    assert_query(warehouse.db,
                 "SELECT length(content_hash), content_hash REGEXP '^[0-9a-f]+$' "
                 "FROM trace",
                 "32|1");
    assert_query(warehouse.db,
                 "SELECT metadata ->> '$.distributedInfo.rank', json_type(metadata, "
                 "'$.environment'), metadata LIKE '%hidden%' FROM trace",
                 "3|NULL|0");
    assert_query(warehouse.db,
                 "SELECT trace_id, ordinal, name, architecture, memory_bytes, cores, "
                 "properties ->> '$.name' FROM device",
                 "1|0|H100|9.0|85045280768|132|H100\n1|1|H200|NULL|NULL|NULL|H200");
    assert_sound(&warehouse);
    text_free(&text);
    warehouse_close(&warehouse);
}

static void what_was_chosen_is_written_down(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {
        .run = "run", .path = "x", .rank = NONE, .order = TREE_FILE_ORDER, .no_frames = true};
    scratch_warehouse(&warehouse, "choices.db");
    store_or_fail(&warehouse, small_trace("op"), &options);
    assert_query(warehouse.db, "SELECT rank, world_size, tree, frames, metadata FROM trace",
                 "NULL|NULL|reference|0|{}");
    warehouse_close(&warehouse);
}

static void events_stand_in_preorder(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "events.db");
    store_sample(&warehouse, "run", "tag");
    assert_query(warehouse.db,
                 "SELECT id, name, ts_ns, dur_ns, self_ns, parent_id, last_id, correlation, uid "
                 "FROM slice WHERE id <= 7",
                 "1|step|5000|400000|290500|NULL|6|NULL|10\n"
                 "2|aten::linear|20000|100500|50500|1|5|NULL|11\n"
                 "3|aten::mm|30000|50000|40000|2|5|NULL|12\n"
                 "4|cudaLaunchKernel|40000|10000|10000|3|5|71|13\n"
                 "5|tag|60000|40000|40000|4|5|71|14\n"
                 "6|aten::mm|200000|9000|9000|1|6|NULL|32\n"
                 "7|autograd::engine::evaluate_function: X|300000|100000|50000|NULL|10|NULL|17");
    assert_query(warehouse.db, "SELECT args FROM slice WHERE id IN (4, 5)",
                 "{\"cbid\":211}\n{\"grid\":[8,1,1]}");
    warehouse_close(&warehouse);
}

static void accelerator_work_knows_its_launch(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "gpu.db");
    store_sample(&warehouse, "run", "tag");
    assert_query(warehouse.db,
                 "SELECT gpu_event.id, text, device, stream, bytes, correlation, external_id, "
                 "call_id, cpu_op_id, launcher_id, launcher_track_id, nested_call FROM gpu_event "
                 "JOIN string ON string.id = name_id",
                 "5|tag|0|7|NULL|71|2|4|3|3|1|0\n"
                 "10|Memcpy HtoD|0|8|24|72|NULL|9|8|8|2|0\n"
                 "11|lone|0|7|NULL|99|NULL|NULL|NULL|NULL|NULL|NULL");
    assert_query(
        warehouse.db,
        "SELECT launcher, signature.name, input_dims, input_types, input_strides, concrete_inputs "
        "FROM gpu_slice JOIN signature ON op_id = launcher_op_id",
        "aten::mm|aten::mm|[[2,3],[3,4]]|[\"float\",\"float\"]|[[3,1],[4,1]]|[\"\",\"1\"]"
        "\naten::copy_|aten::copy_|[[2,3]]|[\"float\"]|NULL|NULL");
    warehouse_close(&warehouse);
}

/* More kernels than are inserted one by one, with times of every width. */
static void many_kernels(struct text *text, int count)
{
    text_add_byte(text, '[');
    for (int i = 0; i < count; i++) {
        long long start = 1000 + (1LL << i % 52) + i;
        text_format(text,
                    "%c{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
                    "\"tid\":7,\"ts\":%lld,\"dur\":%d,\"args\":{\"correlation\":%d}}",
                    i ? ',' : ' ', start, i % 3, i);
    }
    text_add_byte(text, ']');
}

/* Columns and indices of its owner's are not in the way, and have what they should. */
static void a_table_may_have_more_than_ours(void **state)
{
    (void)state;
    static const char rows[] = "SELECT json_group_array(json_array(name_id, ts_ns, dur_ns, up, "
                               "below, correlation, uid)) FROM event";
    struct warehouse warehouse, plain;
    struct text text = {0};
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    many_kernels(&text, 1000);
    scratch_warehouse(&plain, "plain.db");
    scratch_warehouse(&warehouse, "more.db");
    store_or_fail(&plain, text.items, &options);
    run_sql(warehouse.db, "ALTER TABLE event ADD COLUMN mine TEXT NOT NULL DEFAULT 'x'");
    run_sql(warehouse.db, "ALTER TABLE gpu_event ADD COLUMN mine INTEGER");
    store_or_fail(&warehouse, text.items, &options);
    char *expected = query_text(plain.db, rows), *found = query_text(warehouse.db, rows);
    assert_string_equal(found, expected);
    memory_free(found);
    assert_query(warehouse.db, "SELECT group_concat(DISTINCT mine) FROM event", "x");
    warehouse_close(&warehouse);
    scratch_warehouse(&warehouse, "indexed.db");
    run_sql(warehouse.db, "CREATE INDEX by_uid ON event (uid); CREATE TABLE seen (id);"
                          "CREATE INDEX by_device ON gpu_event (device);"
                          "CREATE TRIGGER see AFTER INSERT ON gpu_event BEGIN "
                          "INSERT INTO seen VALUES (new.id); END"); /* never runs */
    store_or_fail(&warehouse, text.items, &options);
    found = query_text(warehouse.db, rows);
    assert_string_equal(found, expected);
    assert_query(warehouse.db, "SELECT count(uid) FROM event INDEXED BY by_uid WHERE uid >= 0",
                 "1000");
    assert_query(warehouse.db, "SELECT count(*), count(DISTINCT id) FROM seen", "0|0");
    assert_query(warehouse.db, "PRAGMA integrity_check", "ok");
    memory_free(found);
    memory_free(expected);
    text_free(&text);
    warehouse_close(&plain);
    warehouse_close(&warehouse);
}

/* More rows than are written at once, with ids and numbers of every width. */
static void many_rows_are_stored_as_they_are(void **state)
{
    (void)state;
    enum { COUNT = 120000 };
    struct warehouse warehouse;
    struct text text = {0};
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "many.db");
    store_or_fail(&warehouse, small_trace("op"), &options);
    run_sql(warehouse.db, "UPDATE event SET id = (1 << 62) - 60000");
    many_kernels(&text, COUNT);
    store_or_fail(&warehouse, text.items, &options);
    char query[600];
    snprintf(query, sizeof query,
             "SELECT count(*), sum(ts_ns = 1000 * (1000 + (1 << uid %% 52) + uid - 1001)), "
             "sum(dur_ns = 1000 * (uid %% 3)), sum(correlation = uid), "
             "min(id) - (1 << 62) + 60000, max(id) - min(id), sum(child_ns) FROM event "
             "WHERE trace_id = 2");
    assert_query(warehouse.db, query, "120000|120000|120000|120000|1|119999|0");
    assert_query(warehouse.db,
                 "SELECT count(*), sum(g.uid = e.uid AND g.correlation = e.correlation AND "
                 "g.ts_ns = e.ts_ns AND g.stream = 7 AND g.bytes IS NULL) FROM gpu_event AS g "
                 "JOIN event AS e USING (id)",
                 "120000|120000");
    assert_query(warehouse.db, "PRAGMA integrity_check", "ok");
    text_free(&text);
    warehouse_close(&warehouse);
}

/* Names of any length, among many short ones. */
static void signposts_have_their_whole_names(void **state)
{
    (void)state;
    static const int lengths[] = {0, 1, 57, 58, 16383, 16384, 70000, 3};
    enum { COUNT = sizeof lengths / sizeof *lengths, ROUNDS = 80 };
    struct warehouse warehouse;
    struct text text = {0};
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "names.db");
    text_add_byte(&text, '[');
    for (int i = 0; i < COUNT * ROUNDS; i++) {
        text_format(&text,
                    "%c{\"ph\":\"X\",\"cat\":\"user_annotation\",\"pid\":1,\"tid\":1,"
                    "\"ts\":%d,\"dur\":1,\"name\":\"",
                    i ? ',' : ' ', 10 + 2 * i);
        for (int j = 0; j < lengths[i % COUNT]; j++)
            text_add_byte(&text, (char)('a' + i % 26));
        text_add_string(&text, "\"}");
    }
    text_add_byte(&text, ']');
    store_or_fail(&warehouse, text.items, &options);
    assert_query(warehouse.db,
                 "SELECT count(*), sum(signpost.name = text), sum(length(text)), min(kind), "
                 "sum(typeof(signpost.name) = 'text') FROM signpost JOIN event USING (id) "
                 "JOIN string ON string.id = name_id",
                 "640|640|8230880|range|640");
    assert_query(warehouse.db, "PRAGMA integrity_check", "ok");
    text_free(&text);
    warehouse_close(&warehouse);
}

static void links_and_records_find_their_rows(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "links.db");
    store_sample(&warehouse, "run", "tag");
    assert_query(warehouse.db, "SELECT from_id, to_id, kind, trace_id FROM edge",
                 "2|7|flow|1\n2|7|forward_backward|1");
    assert_query(warehouse.db,
                 "SELECT trace_id, uid, track_id, ts_ns, bytes, address, total_allocated, "
                 "total_reserved, device_type, device FROM memory_event",
                 "1|30|1|35000|512|4096|512|2048|1|0\n1|31|2|380000|-512|NULL|NULL|NULL|0|NULL");
    warehouse_close(&warehouse);
}

static void tracks_have_their_names(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "tracks.db");
    store_sample(&warehouse, "run", "tag");
    assert_query(warehouse.db,
                 "SELECT id, kind, process, thread, process_name, process_labels, process_sort, "
                 "thread_name, thread_sort, first_event, last_event FROM track",
                 "1|thread|10|11|python|CPU|5|main|-2|1|6\n"
                 "2|thread|10|12|python|CPU|5|NULL|NULL|7|10\n"
                 "3|stream|0|7|NULL|NULL|NULL|stream 7|NULL|11|11\n"
                 "4|stream|0|8|NULL|NULL|NULL|NULL|NULL|12|11\n"
                 "5|marks|10|11|python|CPU|5|main|-2|12|14\n"
                 "6|marks|0|7|NULL|NULL|NULL|stream 7|NULL|15|16");
    warehouse_close(&warehouse);
}

static void tracks_may_be_called_by_texts(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "named.db");
    store_or_fail(&warehouse,
                  "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":\"Spans\",\"tid\":"
                  "\"PyTorch Profiler\",\"ts\":1,\"dur\":1},"
                  "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":\"Spans\",\"tid\":\"PyTorch "
                  "Profiler\",\"args\":{\"name\":\"the first letters hold\"}},"
                  "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":\"Spans\",\"tid\":\"PyTorch "
                  "Profiler\",\"args\":{\"name\":\"what is last does not\"}},"
                  "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":\"Spans\",\"tid\":"
                  "\"PyTorch Profiler\",\"args\":{\"sort_index\":\"no number\"}}]",
                  &options);
    assert_query(warehouse.db, "SELECT process, thread, thread_name, thread_sort FROM track",
                 "Spans|PyTorch Profiler|the first letters hold|NULL");
    warehouse_close(&warehouse);
}

static void signposts_are_steps_and_ranges(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "signposts.db");
    store_sample(&warehouse, "run", "tag");
    assert_query(warehouse.db,
                 "SELECT id, kind, name, step, ts_ns, dur_ns, track_id FROM signpost ORDER BY id",
                 "12|step|ProfilerStep#5|5|0|900000|5\n13|range|forward|NULL|10000|200000|5\n"
                 "15|gpu_step|ProfilerStep#5|5|50000|800000|6\n"
                 "16|gpu_range|forward|NULL|50000|300000|6");
    assert_query(warehouse.db,
                 "SELECT count(*) FROM signpost JOIN slice USING (id, trace_id, name, ts_ns, "
                 "dur_ns)",
                 "4");

    /* old profilers mark steps by ops; other ops are no signposts, whatever their name */
    store_or_fail(&warehouse,
                  "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"ProfilerStep#12\",\"pid\":1,"
                  "\"tid\":1,\"ts\":1,\"dur\":9},"
                  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"ProfilerStep#\",\"pid\":1,"
                  "\"tid\":1,\"ts\":20,\"dur\":9},"
                  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"ProfilerStep#1x\",\"pid\":1,"
                  "\"tid\":1,\"ts\":40,\"dur\":9},"
                  "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1x\","
                  "\"pid\":1,\"tid\":1,\"ts\":40,\"dur\":9},"
                  "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"ProfilerStep#3\",\"pid\":1,"
                  "\"tid\":1,\"ts\":60,\"dur\":9},"
                  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"ProfilerStep#13\",\"pid\":1,"
                  "\"tid\":1,\"ts\":80,\"dur\":9}]",
                  &options);
    assert_query(warehouse.db,
                 "SELECT kind, name, step, ts_ns FROM signpost WHERE trace_id = 2 ORDER BY ts_ns",
                 "step|ProfilerStep#12|12|0\nrange|ProfilerStep#1x|NULL|39000\n"
                 "step|ProfilerStep#13|13|79000");
    warehouse_close(&warehouse);
}

static void notes_name_the_phase(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "notes.db");
    store_sample(&warehouse, "run", "tag");
    assert_query(warehouse.db,
                 "SELECT kind, count, example_uid, example_offset > 0 FROM ingest_note "
                 "WHERE kind <> 'phase_unused'",
                 "category_unknown|1|26|1\ngpu_without_launch|1|23|NULL\n"
                 "metadata_left_out|1|NULL|1");
    assert_query(warehouse.db,
                 "SELECT detail, count, example_uid FROM ingest_note WHERE kind = 'phase_unused'",
                 "event of a phase that is not used: i|1|29");

    store_or_fail(&warehouse,
                  "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
                  "\"dur\":1},{\"ph\":\"P\",\"name\":\"b\"},{\"ph\":\"%\",\"name\":\"c\"},"
                  "{\"ph\":\" \",\"name\":\"d\"},{\"ph\":\"long\",\"name\":\"e\"}]",
                  &options);
    assert_query(warehouse.db, "SELECT detail, count FROM ingest_note WHERE trace_id = 2",
                 "event of a phase that is not used: %|1\nevent of a phase that is not used: P|1\n"
                 "event of a phase that is not used: byte 0|1\n"
                 "event of a phase that is not used: byte 32|1");
    warehouse_close(&warehouse);
}

static void the_wall_clock_is_known_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *base, *expected;
    } clocks[] = {
        {"1750000000000000000", "10000|1750000000000010000"},
        {"0", "10000|10000"},
        {"-20000", "10000|-10000"},
        {"9223372036854775807", "10000|NULL"},
        {"\"soon\"", "10000|NULL"},
        {"null", "10000|NULL"},
    };
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "clock.db");
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        char text[400], question[100];
        struct store_options options = {.run = "run", .path = "x", .rank = NONE};
        snprintf(text, sizeof text, "{\"baseTimeNanoseconds\":%s,\"traceEvents\":%s}",
                 clocks[i].base, small_trace("op"));
        int64_t id = store_or_fail(&warehouse, text, &options);
        snprintf(question, sizeof question,
                 "SELECT clock_start_ns, wall_start_ns FROM trace WHERE id = %lld", (long long)id);
        assert_query(warehouse.db, question, clocks[i].expected);
    }
    warehouse_close(&warehouse);
}

static void a_trace_without_events_is_a_trace(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "empty.db");
    store_or_fail(&warehouse,
                  "{\"traceEvents\":[{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,"
                  "\"ts\":7,\"args\":{\"Bytes\":1}}]}",
                  &options);
    store_or_fail(&warehouse, "{\"traceEvents\":[]}", &options);
    store_or_fail(&warehouse, small_trace("op"), &options);
    assert_query(warehouse.db, "SELECT id, first_event, last_event, clock_start_ns FROM trace",
                 "1|1|0|7000\n2|1|0|0\n3|1|1|10000");
    assert_query(warehouse.db, "SELECT trace_id, ts_ns, bytes FROM memory_event", "1|0|1");
    assert_sound(&warehouse);
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ what is shared */

static void texts_ops_and_arguments_are_kept_once(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "shared.db");
    store_sample(&warehouse, "first", "kernel_a");
    assert_query(warehouse.db, count_rows, "1|1|2|6|4|19|8|4|3|16|3|2|4|2");
    store_sample(&warehouse, "first", "kernel_b");
    assert_query(warehouse.db, count_rows, "1|2|4|12|8|20|8|4|3|32|6|4|8|4");
    store_sample(&warehouse, "second", "kernel_a");
    assert_query(warehouse.db, count_rows, "2|3|6|18|12|20|8|4|3|48|9|6|12|6");

    /* the two ops with one signature, in all three traces */
    assert_query(warehouse.db,
                 "SELECT count(*), count(DISTINCT op_id), count(DISTINCT name_id) FROM event "
                 "WHERE op_id = (SELECT op_id FROM event WHERE id = 3)",
                 "6|1|1");
    assert_query(warehouse.db, "SELECT count(*) FROM string GROUP BY text HAVING count(*) > 1", "");
    assert_query(warehouse.db,
                 "SELECT group_concat(text) FROM string WHERE id NOT IN (SELECT name_id FROM event "
                 "UNION SELECT name_id FROM op UNION SELECT dims_id FROM op WHERE dims_id NOT NULL "
                 "UNION SELECT types_id FROM op WHERE types_id NOT NULL "
                 "UNION SELECT strides_id FROM op WHERE strides_id NOT NULL "
                 "UNION SELECT concrete_id FROM op WHERE concrete_id NOT NULL)",
                 "NULL"); /* nothing is kept that nothing uses */
    assert_query(warehouse.db, "SELECT first_event, last_event FROM trace", "1|16\n17|32\n33|48");
    assert_query(warehouse.db,
                 "SELECT count(*) FROM event AS a JOIN event AS b ON b.id = a.id + 32 WHERE "
                 "(a.category_id, a.name_id, a.ts_ns, a.dur_ns, a.below, a.child_ns, a.uid) = "
                 "(b.category_id, b.name_id, b.ts_ns, b.dur_ns, b.below, b.child_ns, b.uid) AND "
                 "a.up IS b.up AND a.op_id IS b.op_id AND a.args_id IS b.args_id AND "
                 "b.track_id = a.track_id + 12",
                 "16");
    assert_sound(&warehouse);
    warehouse_close(&warehouse);
}

static void signatures_differ_by_what_is_not_there(void **state)
{
    (void)state;
    static const char event[] = "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,"
                                "\"tid\":1,\"ts\":%d,\"dur\":1%s}%s";
    static const char *const arguments[] = {
        "",
        ",\"args\":{}",
        ",\"args\":{\"Input Dims\":[]}",
        ",\"args\":{\"Input Dims\":[[1]]}",
        ",\"args\":{\"Input Dims\": [ [1] ]}",
        ",\"args\":{\"Input type\":[[1]]}",
        ",\"args\":{\"Input Strides\":[[1]]}",
        ",\"args\":{\"Concrete Inputs\":[[1]]}",
        ",\"args\":{\"Input Dims\":[[1]],\"Input type\":[\"\"]}",
    };
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    struct text text = {0};
    int count = (int)(sizeof arguments / sizeof *arguments);
    scratch_warehouse(&warehouse, "signatures.db");
    for (int round = 0; round < 2; round++) {
        text_clear(&text);
        text_add_byte(&text, '[');
        for (int i = 0; i < count; i++)
            text_format(&text, event, 10 * i + round, arguments[i], i + 1 < count ? "," : "]");
        store_or_fail(&warehouse, text.items, &options);
        assert_query(warehouse.db, "SELECT count(*) FROM op", "7");
    }
    assert_query(warehouse.db,
                 "SELECT input_dims, input_types, input_strides, concrete_inputs, count(*) FROM "
                 "signature JOIN event USING (op_id) GROUP BY op_id ORDER BY op_id",
                 "NULL|NULL|NULL|NULL|4\n[]|NULL|NULL|NULL|2\n[[1]]|NULL|NULL|NULL|4\n"
                 "NULL|[[1]]|NULL|NULL|2\nNULL|NULL|[[1]]|NULL|2\nNULL|NULL|NULL|[[1]]|2\n"
                 "[[1]]|[\"\"]|NULL|NULL|2");
    assert_sound(&warehouse);
    text_free(&text);
    warehouse_close(&warehouse);
}

static const char *trace_of_category(const char *category)
{
    static char texts[4][300];
    static int next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0],
             "[{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":10,"
             "\"dur\":5}]",
             category);
    return text;
}

static void categories_have_the_same_number_everywhere(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "categories.db");
    store_or_fail(&warehouse, trace_of_category("kernel"), &options);
    store_or_fail(&warehouse, trace_of_category("Operator"), &options); /* an old spelling */
    store_or_fail(&warehouse, trace_of_category("stranger"), &options);
    store_or_fail(&warehouse, trace_of_category("other stranger"), &options);
    store_or_fail(&warehouse, trace_of_category("python_function"), &options);
    options.run = "again";
    store_or_fail(&warehouse, trace_of_category("stranger"), &options);
    assert_query(warehouse.db, "SELECT id, name, role FROM category",
                 "0|python_function|frame\n1|cpu_op|op\n2|kernel|gpu\n1000|stranger|other\n"
                 "1001|other stranger|other");
    assert_query(warehouse.db, "SELECT category_id FROM event", "2\n1\n1000\n1001\n0\n1000");
    warehouse_close(&warehouse);
}

/* The number of a known category is never taken by one that is not. */
static void an_unknown_category_may_come_first(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "stranger.db");
    store_or_fail(&warehouse, trace_of_category("stranger"), &options);
    store_or_fail(&warehouse, trace_of_category("cpu_op"), &options);
    assert_query(warehouse.db, "SELECT id, name FROM category", "1|cpu_op\n1000|stranger");
    assert_sound(&warehouse);
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ again and instead */

static void the_same_content_is_not_taken_twice(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    enum store_result result;
    struct store_options options = {.run = "run", .path = "one", .rank = NONE};
    scratch_warehouse(&warehouse, "twice.db");
    store_or_fail(&warehouse, small_trace("first"), &options);
    int64_t id = store_or_fail(&warehouse, small_trace("op"), &options);
    char *before = query_text(warehouse.db, count_rows);
    options.path = "two";
    options.rank = 7;
    assert_int_equal(store_as(&warehouse, small_trace("op"), &options, &result, &error), id);
    assert_int_equal(result, STORE_KNOWN_ALREADY);
    assert_true(sqlite3_get_autocommit(warehouse.db));
    char *after = query_text(warehouse.db, count_rows);
    assert_string_equal(before, after);
    memory_free(before);
    memory_free(after);
    assert_query(warehouse.db, "SELECT path, rank FROM trace WHERE id = 2", "one|NULL");

    options.run = "other";
    assert_int_equal(store_or_fail(&warehouse, small_trace("op"), &options), 3);
    warehouse_close(&warehouse);
}

static void what_is_replaced_makes_way(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "one", .rank = NONE};
    scratch_warehouse(&warehouse, "replace.db");
    store_or_fail(&warehouse, small_trace("a"), &options); /* 1 */
    options.path = "two";
    store_or_fail(&warehouse, small_trace("b"), &options); /* 2 */
    options.run = "other";
    store_or_fail(&warehouse, small_trace("b"), &options); /* 3 */
    options.run = "run";
    options.replace = true;

    /* the same content from elsewhere */
    options.path = "three";
    assert_int_equal(store_or_fail(&warehouse, small_trace("b"), &options), 4);
    assert_query(warehouse.db, "SELECT id, run_id, path FROM trace ORDER BY id",
                 "1|1|one\n3|2|two\n4|1|three");

    /* other content from the same place */
    options.path = "one";
    assert_int_equal(store_or_fail(&warehouse, small_trace("c"), &options), 5);
    assert_query(warehouse.db, "SELECT id, run_id, path FROM trace ORDER BY id",
                 "3|2|two\n4|1|three\n5|1|one");

    /* the content of one and the place of the other */
    options.path = "three";
    assert_int_equal(store_or_fail(&warehouse, small_trace("c"), &options), 4);
    assert_query(warehouse.db,
                 "SELECT trace.id, run_id, path, name FROM trace JOIN slice ON trace_id = trace.id",
                 "3|2|two|b\n4|1|three|c");

    /* nothing to replace */
    options.path = "five";
    assert_int_equal(store_or_fail(&warehouse, small_trace("e"), &options), 5);
    assert_query(warehouse.db, "SELECT count(*), min(id), max(id) FROM event", "3|3|5");
    assert_sound(&warehouse);
    warehouse_close(&warehouse);
}

static void labels_are_put_over_those_of_the_run(void **state)
{
    (void)state;
    static const char *const first[] = {"gpu=H100", "note=a=b \"c\" \\ d", "empty=", NULL};
    static const char *const second[] = {"gpu=H200", "a.b[0]=dotted", "naïve=ja", "x y=1", NULL};
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE, .labels = first};
    scratch_warehouse(&warehouse, "labels.db");
    store_or_fail(&warehouse, small_trace("a"), &options);
    assert_query(warehouse.db, "SELECT key, value, type FROM run, json_each(labels)",
                 "gpu|H100|text\nnote|a=b \"c\" \\ d|text\nempty||text");
    options.labels = second;
    store_or_fail(&warehouse, small_trace("b"), &options);
    options.labels = NULL;
    store_or_fail(&warehouse, small_trace("c"), &options);
    assert_query(warehouse.db, "SELECT key, value FROM run, json_each(labels)",
                 "gpu|H200\nnote|a=b \"c\" \\ d\nempty|\na.b[0]|dotted\nnaïve|ja\nx y|1");
    options.run = "other";
    store_or_fail(&warehouse, small_trace("a"), &options);
    assert_query(warehouse.db, "SELECT labels FROM run WHERE name = 'other'", "{}");
    warehouse_close(&warehouse);
}

/* Whatever ranks the processes of an input have. */
static void of_several_known_traces_the_first_is_named(void **state)
{
    (void)state;
    static const int64_t ranks[] = {1, 0, NONE};
    enum { COUNT = sizeof ranks / sizeof *ranks };
    struct warehouse warehouse;
    struct trace traces[COUNT];
    struct error error = {0};
    int64_t first, again;
    const struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "several-known.db");
    for (size_t i = 0; i < COUNT; i++) {
        trace_of_text(&traces[i], small_trace("a"), NULL, TREE_LONGEST_FIRST);
        traces[i].rank = ranks[i];
        traces[i].next = i + 1 < COUNT ? &traces[i + 1] : NULL;
    }
    assert_int_equal(store_trace(&warehouse, traces, &options, &first, &error), STORE_DONE);
    assert_int_equal(store_trace(&warehouse, traces, &options, &again, &error),
                     STORE_KNOWN_ALREADY);
    assert_int_equal(again, first);
    for (size_t i = 0; i < COUNT; i++) {
        traces[i].next = NULL;
        trace_free(&traces[i]);
    }
    warehouse_close(&warehouse);
}

static void labels_are_put_on_a_run_that_knows_the_content(void **state)
{
    (void)state;
    static const char *const labels[] = {"gpu=H100", NULL};
    struct warehouse warehouse;
    struct trace trace;
    struct error error = {0};
    int64_t id;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "labels-later.db");
    store_or_fail(&warehouse, small_trace("a"), &options);
    options.labels = labels;
    trace_of_text(&trace, small_trace("a"), NULL, TREE_LONGEST_FIRST);
    assert_int_equal(store_trace(&warehouse, &trace, &options, &id, &error), STORE_KNOWN_ALREADY);
    assert_int_equal(id, 1);
    assert_query(warehouse.db, "SELECT labels, (SELECT count(*) FROM trace) FROM run",
                 "{\"gpu\":\"H100\"}|1");
    trace_free(&trace);
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ all or nothing */

static int deny_insert(void *table, int action, const char *name, const char *detail,
                       const char *database, const char *trigger)
{
    (void)detail, (void)database, (void)trigger;
    return action == SQLITE_INSERT && strcmp(name, table) == 0 ? SQLITE_DENY : SQLITE_OK;
}

static void a_failure_at_any_table_leaves_nothing(void **state)
{
    (void)state;
    static const char *const tables[] = {
        "run", "trace", "device", "track",     "ingest_note", "string",   "category",
        "op",  "args",  "event",  "gpu_event", "edge",        "signpost", "memory_event"};
    struct warehouse warehouse;
    struct text text = {0};
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "denied.db");
    sample_trace(&text, "tag");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        enum store_result result;
        struct error error = {0};
        sqlite3_set_authorizer(warehouse.db, deny_insert, (void *)(uintptr_t)tables[i]);
        store_as(&warehouse, text.items, &options, &result, &error);
        sqlite3_set_authorizer(warehouse.db, NULL, NULL);
        if (result != STORE_FAILED)
            fail_msg("%s", tables[i]);
        assert_int_equal(error.status, STATUS_DATABASE);
        assert_non_null(strstr(error.text, "denied.db: not authorized"));
        assert_true(sqlite3_get_autocommit(warehouse.db));
        assert_query(warehouse.db, count_rows, no_rows);
    }
    store_or_fail(&warehouse, text.items, &options);
    assert_sound(&warehouse);
    text_free(&text);
    warehouse_close(&warehouse);
}

static int stop_after(void *steps)
{
    return --*(int *)steps < 0;
}

/* The second trace is stopped after 1, 2, 3, ... GPU activities. */
static void a_stop_at_any_moment_leaves_what_was_there(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct text text = {0};
    int stops = 0;
    scratch_warehouse(&warehouse, "stopped.db");
    store_sample(&warehouse, "run", "first");
    char *before = query_text(warehouse.db, count_rows);
    sample_trace(&text, "second");
    static const char *const labels[] = {"a=b", NULL};
    struct store_options options = {
        .run = "run", .path = "first", .rank = NONE, .labels = labels, .replace = true};
    for (;; stops++) {
        enum store_result result;
        struct error error = {0};
        int steps = stops;
        sqlite3_progress_handler(warehouse.db, 10, stop_after, &steps);
        store_as(&warehouse, text.items, &options, &result, &error);
        sqlite3_progress_handler(warehouse.db, 0, NULL, NULL);
        if (result == STORE_DONE)
            break;
        assert_int_equal(result, STORE_FAILED);
        assert_int_equal(error.status, STATUS_DATABASE);
        assert_true(sqlite3_get_autocommit(warehouse.db));
        char *after = query_text(warehouse.db, count_rows);
        assert_string_equal(before, after);
        memory_free(after);
        assert_query(warehouse.db, "SELECT labels FROM run", "{}");
        assert_query(warehouse.db, "SELECT name FROM slice WHERE id = 5", "first");
    }
    assert_true(stops > 50);
    assert_query(warehouse.db, "SELECT name FROM slice WHERE id = 5", "second");
    assert_query(warehouse.db, "SELECT labels FROM run", "{\"a\":\"b\"}");
    assert_sound(&warehouse);
    memory_free(before);
    text_free(&text);
    warehouse_close(&warehouse);
}

static void a_full_disk_leaves_what_was_there(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct text text = {0};
    struct store_options options = {.run = "second", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "full.db");
    store_sample(&warehouse, "first", "first");
    char *before = query_text(warehouse.db, count_rows), pragma[60];
    int64_t pages = query_integer(warehouse.db, "PRAGMA page_count");
    int failures = 0;

    /* so many different texts that they need pages */
    text_add_byte(&text, '[');
    for (int i = 0; i < 2000; i++)
        text_format(&text,
                    "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a rather long name "
                    "of an op, number %d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1}",
                    i ? "," : "", i, i);
    text_add_byte(&text, ']');
    for (int64_t room = 0; room < 500; room += 4, failures++) {
        enum store_result result;
        struct error error = {0};
        snprintf(pragma, sizeof pragma, "PRAGMA max_page_count = %lld", (long long)(pages + room));
        query_integer(warehouse.db, pragma);
        store_as(&warehouse, text.items, &options, &result, &error);
        if (result == STORE_DONE)
            break;
        assert_int_equal(error.status, STATUS_DATABASE);
        assert_non_null(strstr(error.text, "full.db: the disk is full"));
        assert_true(sqlite3_get_autocommit(warehouse.db));
        char *after = query_text(warehouse.db, count_rows);
        assert_string_equal(before, after);
        memory_free(after);
        assert_int_equal(query_integer(warehouse.db, "PRAGMA page_count"), pages);
    }
    assert_true(failures > 10);
    assert_query(warehouse.db, "SELECT count(*) FROM run", "2");
    assert_sound(&warehouse);
    memory_free(before);
    text_free(&text);
    warehouse_close(&warehouse);
}

static void a_lock_is_an_error_and_no_harm(void **state)
{
    (void)state;
    struct warehouse warehouse;
    sqlite3 *other;
    struct error error = {0};
    enum store_result result;
    struct store_options options = {.run = "run", .path = "x", .rank = NONE};
    scratch_warehouse(&warehouse, "locked.db");
    assert_int_equal(sqlite3_open(scratch_path("locked.db"), &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    store_as(&warehouse, small_trace("op"), &options, &result, &error);
    assert_int_equal(result, STORE_FAILED);
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_non_null(strstr(error.text, "locked.db: another process holds the database"));
    sqlite3_close(other);
    store_or_fail(&warehouse, small_trace("op"), &options);
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_trace_says_what_its_file_said),
    cmocka_unit_test(what_was_chosen_is_written_down),
    cmocka_unit_test(events_stand_in_preorder),
    cmocka_unit_test(accelerator_work_knows_its_launch),
    cmocka_unit_test(a_table_may_have_more_than_ours),
    cmocka_unit_test(many_rows_are_stored_as_they_are),
    cmocka_unit_test(signposts_have_their_whole_names),
    cmocka_unit_test(links_and_records_find_their_rows),
    cmocka_unit_test(tracks_have_their_names),
    cmocka_unit_test(tracks_may_be_called_by_texts),
    cmocka_unit_test(signposts_are_steps_and_ranges),
    cmocka_unit_test(notes_name_the_phase),
    cmocka_unit_test(the_wall_clock_is_known_or_not),
    cmocka_unit_test(a_trace_without_events_is_a_trace),
    cmocka_unit_test(texts_ops_and_arguments_are_kept_once),
    cmocka_unit_test(signatures_differ_by_what_is_not_there),
    cmocka_unit_test(categories_have_the_same_number_everywhere),
    cmocka_unit_test(an_unknown_category_may_come_first),
    cmocka_unit_test(the_same_content_is_not_taken_twice),
    cmocka_unit_test(what_is_replaced_makes_way),
    cmocka_unit_test(labels_are_put_over_those_of_the_run),
    cmocka_unit_test(of_several_known_traces_the_first_is_named),
    cmocka_unit_test(labels_are_put_on_a_run_that_knows_the_content),
    cmocka_unit_test(a_failure_at_any_table_leaves_nothing),
    cmocka_unit_test(a_stop_at_any_moment_leaves_what_was_there),
    cmocka_unit_test(a_full_disk_leaves_what_was_there),
    cmocka_unit_test(a_lock_is_an_error_and_no_harm),
};
GROUP(store, NULL, NULL)
