/* analysed_work: a table with a row for every selected kernel, copy, set and graph as a whole,
 * with its call, its kind and what ran before it: what analyses of waiting and launching are made
 * of.
 *
 *     SELECT kind, sum(dur_ns) FROM analysed_work GROUP BY run, trace_id, kind
 *     SELECT stream_wait, sum(ts_ns - stream_until_ns) FROM analysed_work
 *     GROUP BY run, trace_id, device, stream, stream_wait
 *
 * window_work has the same columns for questions of time (analysed_rows.h).
 *
 * Before is what comes before by start, then id. The option compat changes nothing but
 * call_is_hidden; --kernel-wait-us is the time up to which a stream waits for a kernel
 * that was launched.
 */
#include "sql/binding/function.h"
#include "sql/kernels/analysed_rows.h"

enum { WORK, TRACE, KIND, CALL, BEFORE, PACE, STEP };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct analysed_rows *rows = cursor->reading;
    const struct analysed_work *work = &rows->rows.items[index];
    const struct analysed_call *call = rows->calls.count ? &rows->calls.items[index] : NULL;
    cursor->parts[TRACE] = &rows->traces.items[work->trace];
    cursor->parts[KIND] = &rows->kinds.items[work->kind];
    cursor->parts[CALL] = call && call->start != INT64_MIN ? call : NULL;
    cursor->parts[BEFORE] = rows->before.count ? &rows->before.items[index] : NULL;
    cursor->parts[PACE] = rows->paces.count ? &rows->paces.items[index] : NULL;
    cursor->parts[STEP] = rows->steps.count ? &rows->steps.items[index] : NULL;
    return true;
}

static int give_pace(sqlite3_context *out, struct table_cursor *cursor)
{
    const int64_t *pace = cursor->parts[PACE];
    if (*pace != INT64_MIN)
        sqlite3_result_int64(out, *pace);
    return SQLITE_OK;
}

#define OF_WORK(kind, member)   TABLE_AT(kind, WORK, struct analysed_work, member)
#define OF_CALL(kind, member)   TABLE_AT(kind, CALL, struct analysed_call, member)
#define OF_BEFORE(kind, member) TABLE_AT(kind, BEFORE, struct analysed_before, member)
#define OF_STEP(kind, member)   TABLE_AT(kind, STEP, struct analysed_step, member)

static const struct table_column columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN | TABLE_GROUP, TABLE_TRACE | TABLE_GROUP),
    {"id", "INTEGER", "id of the GPU activity", OF_WORK(INT64, id)},
    {"uid", "INTEGER", "place in the file", OF_WORK(INT64, uid), .needs = ANALYSED_UID},
    {"category_id", "INTEGER", "kernel, gpu_memcpy, gpu_memset or gpu_graph",
     OF_WORK(INT64, category), .role = TABLE_GROUP},
    {"name_id", "INTEGER", "id of the name of the GPU activity", OF_WORK(INT64, name),
     .role = TABLE_GROUP},
    {"kind", "TEXT", "computation, communication or memory (memcpy and memset)",
     TABLE_AT(WORD, KIND, struct analysed_kind, word), .role = TABLE_GROUP},
    {"device", "INTEGER", "number of the device", OF_WORK(STATED, device), .role = TABLE_GROUP},
    {"stream", "INTEGER", "number of the stream", OF_WORK(STATED, stream), .role = TABLE_GROUP},
    {"ts_ns", "INTEGER", "start, from the start of the trace", OF_WORK(INT64, start)},
    {"dur_ns", "INTEGER", "duration of the GPU activity", OF_WORK(INT64, duration)},
    {"end_ns", "INTEGER", "end of the GPU activity, from the start of the trace",
     OF_WORK(INT64, end)},
    {"bytes", "INTEGER", "bytes moved by a memcpy or memset", OF_WORK(STATED, bytes),
     .unit = "bytes"},
    {"call_id", "INTEGER",
     "id of the runtime call that launched the GPU activity; NULL when unlinked, like all columns "
     "of the call",
     OF_WORK(ID, call)},
    {"call_is_hidden", "INTEGER",
     "whether the option compat leaves out the call: it is known by other means than an arrow",
     OF_WORK(BOOL, is_hidden), .role = TABLE_GROUP},
    {"launcher_name_id", "INTEGER",
     "name of the op that launched the GPU activity, of the runtime call where there is none",
     OF_WORK(ID, launcher_name), .role = TABLE_GROUP},
    {"call_name_id", "INTEGER", "name of the call", OF_CALL(INT64, name), .role = TABLE_GROUP,
     .needs = ANALYSED_CALL},
    {"call_track_id", "INTEGER", "thread of the call", OF_CALL(INT64, track), .role = TABLE_GROUP,
     .needs = ANALYSED_CALL},
    {"call_ts_ns", "INTEGER", "start of the call", OF_CALL(INT64, start), .needs = ANALYSED_CALL},
    {"call_end_ns", "INTEGER", "end of the call", OF_CALL(INT64, end), .needs = ANALYSED_CALL},
    {"call_below", "INTEGER", "number of events below the call", OF_CALL(INT64, below),
     .needs = ANALYSED_CALL},
    {"is_first", "INTEGER", "whether the GPU activity is the first of its call",
     OF_WORK(BOOL, is_first), .needs = ANALYSED_CALL | ANALYSED_FIRST},
    {"stream_until_ns", "INTEGER", "latest end of earlier GPU activities of the stream",
     OF_BEFORE(STATED, of_stream), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"stream_wait", "TEXT",
     "cause of the idle time of the stream before the GPU activity: host_wait (launch-bound), "
     "kernel_wait or other; NULL for none",
     OF_BEFORE(WORD, wait), .role = TABLE_GROUP, .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"device_until_ns", "INTEGER", "latest end of earlier GPU activities of the device",
     OF_BEFORE(STATED, of_device), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"idle_cause", "TEXT",
     "cause of the idle time of all devices before the GPU activity: launch-bound (launched after "
     "the idle time began), GPU waiting (before) or other; NULL for none",
     OF_BEFORE(WORD, cause), .role = TABLE_GROUP, .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"until_ns", "INTEGER", "latest end of earlier GPU activities of any device",
     OF_BEFORE(STATED, of_all), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"pace_ns", "INTEGER",
     "from the start of the previous kernel of the name to the start of the kernel",
     .origin = TABLE_GIVEN, .part = PACE, .give = give_pace, .needs = ANALYSED_PACE},
    {"step_id", "INTEGER", "mark of the profiler step in which the call began", OF_STEP(ID, id),
     .role = TABLE_GROUP, .needs = ANALYSED_CALL | ANALYSED_STEP},
    {"step_until_ns", "INTEGER", "latest end of earlier GPU activities of the step",
     OF_STEP(STATED, until), .needs = ANALYSED_CALL | ANALYSED_STEP},
    {0},
};

static const struct table table = {
    TABLE_ROWS(columns, 1e6, 1e4, analysed_reading, struct analysed_rows, rows),
    .traces = offsetof(struct analysed_rows, traces),
    .row = find_parts,
};

static const struct table window_table = {
    TABLE_ROWS(columns, 1e6, 1e4, analysed_window_reading, struct analysed_rows, rows),
    .traces = offsetof(struct analysed_rows, traces),
    .row = find_parts,
};

const struct function analysed_functions[] = {
    TABLE("analysed_work", table,
          "A table: every selected kernel, copy, set and whole graph with its call, its kind and "
          "what ran before it."),
    TABLE(
        "window_work", window_table,
        "A table: like analysed_work, what runs in the selected windows of time, whoever launched "
        "it, cut to these. An empty row ends the idle time at the end of a window."),
    {0},
};
