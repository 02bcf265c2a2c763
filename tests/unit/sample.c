/* sample: see sample.h. One event a line; the comments number them. */
#include "tests/unit/support.h"

#include "tests/unit/sample.h"

static const char head[] =
    "{\"schemaVersion\":1,\n"
    "\"deviceProperties\":["
    "{\"id\":0,\"name\":\"H100\",\"totalGlobalMem\":85045280768,\"computeMajor\":9,"
    "\"computeMinor\":0,\"numSms\":132},{\"id\":1,\"name\":\"H200\"}],\n"
    "\"distributedInfo\":{\"rank\":3,\"world_size\":8},\n"
    "\"environment\":{\"TOKEN\":\"hidden\"},\n"
    "\"baseTimeNanoseconds\":1750000000000000000,\n"
    "\"traceEvents\":[\n"
    /* 0 */
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":10,\"tid\":0,\"args\":{\"name\":\"python\"}},"
    "\n"
    "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":10,\"tid\":0,\"args\":{\"labels\":\"CPU\"}},"
    "\n"
    "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":10,\"tid\":0,"
    "\"args\":{\"sort_index\":5}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":10,\"tid\":11,\"args\":{\"name\":\"main\"}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":10,\"tid\":11,"
    "\"args\":{\"sort_index\":-2}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":7,\"args\":{\"name\":\"stream "
    "7\"}},\n"
    /* 6: marks */
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#5\",\"pid\":10,\"tid\":11,"
    "\"ts\":100,\"dur\":900},\n"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"forward\",\"pid\":10,\"tid\":11,"
    "\"ts\":110,\"dur\":200},\n"
    "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"ProfilerStep#5\",\"pid\":0,\"tid\":7,"
    "\"ts\":150,\"dur\":800},\n"
    "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"forward\",\"pid\":0,\"tid\":7,"
    "\"ts\":150,\"dur\":300},\n"
    /* 10: forward */
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"step\",\"pid\":10,\"tid\":11,\"ts\":105,"
    "\"dur\":400,\"args\":{\"Python id\":1}},\n"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":10,\"tid\":11,\"ts\":120,"
    "\"dur\":100.5,\"args\":{\"External id\":1,\"Sequence number\":9,\"Input Dims\":[[2,3]],"
    "\"Input type\":[\"float\"]}},\n"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":10,\"tid\":11,\"ts\":130,"
    "\"dur\":50,\"args\":{\"External id\":2,\"Input Dims\":[[2,3],[3,4]],\"Input type\":"
    "[\"float\",\"float\"],\"Input Strides\":[[3,1],[4,1]],\"Concrete Inputs\":[\"\",\"1\"]}},\n"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":10,\"tid\":11,"
    "\"ts\":140,\"dur\":10,\"args\":{\"correlation\":71,\"cbid\":211}},\n";

static const char kernel[] = /* 14 */
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":160,\"dur\":40,"
    "\"args\":{\"device\":0,\"stream\":7,\"correlation\":71,\"External id\":2,\"grid\":[8,1,1]}},"
    "\n";

static const char tail[] =
    /* 15: its arrow */
    "{\"ph\":\"s\",\"id\":71,\"pid\":10,\"tid\":11,\"ts\":140,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
    "\n"
    "{\"ph\":\"f\",\"id\":71,\"pid\":0,\"tid\":7,\"ts\":160,\"cat\":\"ac2g\",\"name\":\"ac2g\"},\n"
    /* 17: backward, and a copy that an op copies */
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"autograd::engine::evaluate_function: X\","
    "\"pid\":10,\"tid\":12,\"ts\":400,\"dur\":100,\"args\":{\"Sequence number\":9}},\n"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::copy_\",\"pid\":10,\"tid\":12,\"ts\":410,"
    "\"dur\":50,\"args\":{\"Input Dims\":[[2,3]],\"Input type\":[\"float\"]}},\n"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyAsync\",\"pid\":10,\"tid\":12,"
    "\"ts\":420,\"dur\":10,\"args\":{\"correlation\":72,\"cbid\":41}},\n"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"pid\":0,\"tid\":8,\"ts\":440,"
    "\"dur\":5.125,\"args\":{\"device\":0,\"stream\":8,\"correlation\":72,\"bytes\":24}},\n"
    "{\"ph\":\"s\",\"id\":72,\"pid\":10,\"tid\":12,\"ts\":420,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
    "\n"
    "{\"ph\":\"f\",\"id\":72,\"pid\":0,\"tid\":8,\"ts\":440,\"cat\":\"ac2g\",\"name\":\"ac2g\"},\n"
    /* 23: work without a launch, and the arrow from forward to backward */
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"lone\",\"pid\":0,\"tid\":7,\"ts\":600,\"dur\":7,"
    "\"args\":{\"device\":0,\"stream\":7,\"correlation\":99}},\n"
    "{\"ph\":\"s\",\"id\":1,\"pid\":10,\"tid\":11,\"ts\":120,\"cat\":\"fwdbwd\",\"name\":\"x\"},\n"
    "{\"ph\":\"f\",\"id\":1,\"pid\":10,\"tid\":12,\"ts\":400,\"cat\":\"fwdbwd\",\"name\":\"x\"},\n"
    /* 26: what tpq does not know */
    "{\"ph\":\"X\",\"cat\":\"stranger\",\"name\":\"odd\",\"pid\":10,\"tid\":11,\"ts\":700,"
    "\"dur\":1},\n"
    "{\"ph\":\"C\",\"name\":\"counter\",\"pid\":10,\"tid\":11,\"ts\":1,\"args\":{\"value\":1}},\n"
    "{\"ph\":\"C\",\"name\":\"counter\",\"pid\":10,\"tid\":11,\"ts\":2,\"args\":{\"value\":2}},\n"
    "{\"ph\":\"i\",\"name\":\"instant\",\"pid\":10,\"tid\":11,\"ts\":3},\n"
    /* 30: the allocator */
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":10,\"tid\":11,\"ts\":135,\"args\":{\"Bytes\":512,"
    "\"Addr\":4096,\"Total Allocated\":512,\"Total Reserved\":2048,\"Device Id\":0,"
    "\"Device Type\":1}},\n"
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":10,\"tid\":12,\"ts\":480,\"args\":{\"Bytes\":-512,"
    "\"Device Type\":0,\"Device Id\":-1}},\n"
    /* 32: the same signature again */
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":10,\"tid\":11,\"ts\":300,"
    "\"dur\":9,\"args\":{\"Input Dims\":[[2,3],[3,4]],\"Input type\":[\"float\",\"float\"],"
    "\"Input Strides\":[[3,1],[4,1]],\"Concrete Inputs\":[\"\",\"1\"]}}\n"
    "]}\n";

void sample_trace(struct text *out, const char *tag)
{
    text_clear(out);
    text_add_string(out, head);
    text_format(out, kernel, tag);
    text_add_string(out, tail);
}

int64_t store_sample(struct warehouse *warehouse, const char *run, const char *tag)
{
    struct text text = {0};
    struct trace trace;
    struct error error = {0};
    int64_t id;
    sample_trace(&text, tag);
    trace_of_text(&trace, text.items, NULL, TREE_LONGEST_FIRST);
    struct store_options options = {.run = run, .path = tag, .rank = NONE};
    if (store_trace(warehouse, &trace, &options, &id, &error) != STORE_DONE)
        fail_msg("%s", error.text);
    trace_free(&trace);
    text_free(&text);
    return id;
}

const char sample_snapshots[] =
    "INSERT INTO memory_frame SELECT id, id, 'a.py', 1, 'f', 'a.py:1 f', 0 FROM trace;"
    "INSERT INTO memory_stack SELECT id, id, NULL, id, 1, 'a.py:1 f', 'mm', 'other' FROM trace;"
    "INSERT INTO memory_segment SELECT id, id, 0, 4096, 0, 'small', '0.0', 0, 512, 0, 0, 0, id "
    "FROM "
    "trace;"
    "INSERT INTO memory_block SELECT id, 0, id, 4096, 512, 500, 'active_allocated', id FROM trace;"
    "INSERT INTO memory_allocation (trace_id, number, device, address, bytes, alloc, alloc_ns, "
    "is_initial, in_optimizer, step, stack_id) SELECT trace.id, step, 0, 4096, 500, 0, 0, 0, 0, "
    "step, "
    "trace.id FROM trace, (SELECT 2 AS step UNION SELECT 3);"
    "INSERT INTO memory_mark SELECT id, 0, 0, 'm', 1, 2 FROM trace;"
    "INSERT INTO snapshot_event (trace_id, device, number, action, bytes, ts_ns, allocated_bytes, "
    "active_bytes, reserved_bytes) SELECT id, 0, 1, 'oom', 9, 10, 500, 500, 512 FROM trace;"
    "INSERT INTO memory_device SELECT id, 0, 2, 0, 1, 0, 0, 0, 512, 500, 0, 0, 500, 512, 512, 500, "
    "500, 512, 4, NULL FROM trace;"
    "INSERT INTO graph_annotation SELECT id, '7', 'layer', 'mm' FROM trace;"
    "INSERT INTO served_request SELECT id, 0, 'r', 1, 2, 3, NULL, NULL FROM trace;"
    "INSERT INTO thread_state SELECT trace_id, min(id), 5, 7, 3 FROM track GROUP BY trace_id;"
    "INSERT OR IGNORE INTO trace_file SELECT id, 1 FROM trace;";
