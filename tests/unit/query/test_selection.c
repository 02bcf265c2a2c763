/* What is selected, as rows of scope. Windows of time, on made-up traces that have everything that
 * makes them hard, are compared with what a look at every event gives. */
#include "query/select/selection.h"
#include "query/select/step_parts.h"

#include "tests/unit/sample.h"
#include "tests/unit/support.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ helpers */

/* What scope lists, as "trace:first-last" with +, - or nothing for is_recompute. */
static void assert_scope(struct warehouse *warehouse, const char *expected)
{
    char *rows = query_text(
        warehouse->db,
        "SELECT coalesce(group_concat(trace_id || ':' || first_event || '-' || last_event || "
        "CASE is_recompute WHEN 1 THEN '+' WHEN 0 THEN '-' ELSE '' END, ' '), '') FROM scope WHERE "
        "first_event <= last_event OR "
        "trace_id NOT IN (SELECT trace_id FROM scope_time)");
    assert_string_equal(rows, expected);
    memory_free(rows);
}

static void select_events(struct warehouse *warehouse, struct selection selection,
                          const char *expected)
{
    struct error error = {0};
    struct text words = {0};
    bool is_empty;
    if (!selection_apply(warehouse, &selection, &is_empty, &words, &error))
        fail_msg("%s", error.text);
    assert_int_equal(is_empty, !*expected);
    assert_int_equal(words.count > 0, is_empty);
    assert_scope(warehouse, expected);
    text_free(&words);
}

static void select_nothing(struct warehouse *warehouse, struct selection selection,
                           const char *expected)
{
    struct error error = {0};
    struct text words = {0};
    bool is_empty;
    if (!selection_apply(warehouse, &selection, &is_empty, &words, &error))
        fail_msg("%s", error.text);
    assert_true(is_empty);
    assert_scope(warehouse, "");
    assert_string_equal(words.items, expected);
    text_free(&words);
}

static void refuse_selection(struct warehouse *warehouse, struct selection selection,
                             const char *expected)
{
    struct error error = {0};
    struct text words = {0};
    bool is_empty;
    assert_false(selection_apply(warehouse, &selection, &is_empty, &words, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    if (!strstr(error.text, expected))
        fail_msg("'%s' is not in: %s", expected, error.text);
    text_free(&words);
}

#define SELECT(warehouse, expected, ...) \
    select_events(warehouse, (struct selection){__VA_ARGS__}, expected)
#define NOTHING(warehouse, expected, ...) \
    select_nothing(warehouse, (struct selection){__VA_ARGS__}, expected)
#define REFUSE(warehouse, expected, ...) \
    refuse_selection(warehouse, (struct selection){__VA_ARGS__}, expected)

#define RUNS(...)         \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* Two traces of rank 3: a with the events 1 to 16, b with 17 to 32. */
static void open_two(struct warehouse *warehouse, const char *name)
{
    static const char *const tags[] = {"a", "b"};
    scratch_warehouse(warehouse, name);
    for (int i = 0; i < 2; i++)
        store_sample(warehouse, tags[i], tags[i]);
}

/* ------------------------------------------------------------------ traces */

static void runs_traces_and_ranks_give_a_row_each(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "traces.db");
    run_sql(warehouse.db, "UPDATE trace SET rank = id + 2");
    static const int64_t second[] = {2}, both[] = {2, 1, 2}, unknown[] = {1, 7};
    SELECT(&warehouse, "1:1-16 2:17-32", .runs = NULL);
    SELECT(&warehouse, "1:1-16 2:17-32", .runs = RUNS("b", "a"));
    SELECT(&warehouse, "2:17-32", .runs = RUNS("b"));
    SELECT(&warehouse, "2:17-32", .traces = second, .trace_count = 1);
    SELECT(&warehouse, "1:1-16 2:17-32", .traces = both, .trace_count = 3);
    SELECT(&warehouse, "2:17-32", .rank = "4");
    SELECT(&warehouse, "1:1-16", .rank = "3", .runs = RUNS("a"));
    SELECT(&warehouse, "1:1-16 2:17-32", .ignore_signposts = true);
    NOTHING(&warehouse, "no trace is selected", .traces = second, .trace_count = 0);
    NOTHING(&warehouse, "no trace is selected", .traces = second, .trace_count = 1,
            .runs = RUNS("a"));
    REFUSE(&warehouse, "there is no rank 4; there is only rank 3", .rank = "4", .runs = RUNS("a"));
    REFUSE(&warehouse, "there is no rank 0; there are ranks 3 to 4", .rank = "0");
    NOTHING(&warehouse, "there is no rank 4; there is only rank 3", .rank = "4", .runs = RUNS("a"),
            .is_part = true);
    REFUSE(&warehouse, "there is no run 'c'; there are a, b", .runs = RUNS("a", "c"));
    REFUSE(&warehouse, "there is no trace 7; see tpq traces", .traces = unknown, .trace_count = 2);
    REFUSE(&warehouse, "bad rank \"x\": expected a number", .rank = "x");
    run_sql(warehouse.db, "UPDATE trace SET rank = NULL");
    REFUSE(&warehouse, "there is no rank 4; no trace records its rank", .rank = "4");
    warehouse_close(&warehouse);
}

/* What one rank lacks and another has is known, and only not there together. */
static void known_names_may_select_nothing_together(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "together.db");
    run_sql(warehouse.db,
            "UPDATE trace SET rank = id; "
            "INSERT INTO signpost (id, trace_id, kind, name, step, ts_ns, dur_ns, track_id) "
            "SELECT 20, 2, 'step', 's', 7, 0, 1000000, min(id) FROM track");
    REFUSE(&warehouse, "there is no step 8; there are steps 5, 7", .step = "8", .rank = "2");
    NOTHING(&warehouse, "there is no such step; there are steps 5 to 5", .step = "7", .rank = "1");
    warehouse_close(&warehouse);
}

static void patterns_and_labels_choose_runs(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "labels.db");
    run_sql(warehouse.db, "UPDATE run SET labels = json_object('gpu', 'H100', 'pr', 7 + id), "
                          "name = CASE id WHEN 1 THEN 'bert-1' ELSE 'bert-2' END");
    SELECT(&warehouse, "1:1-16 2:17-32", .runs = RUNS("bert*"));
    SELECT(&warehouse, "2:17-32", .runs = RUNS("b?rt-[2-9]"));
    SELECT(&warehouse, "1:1-16", .labels = RUNS("pr=8"));
    SELECT(&warehouse, "1:1-16 2:17-32", .labels = RUNS("gpu=H100"));
    SELECT(&warehouse, "1:1-16 2:17-32", .labels = RUNS("pr", "gpu"));
    SELECT(&warehouse, "2:17-32", .labels = RUNS("gpu=H100", "pr=9"), .runs = RUNS("*"));
    NOTHING(&warehouse, "no trace is selected", .runs = RUNS("bert-1"), .labels = RUNS("pr=9"));
    NOTHING(&warehouse, "no trace is selected", .labels = RUNS("pr=8", "pr=9"));
    REFUSE(&warehouse, "no run is called like 'llama*'; there are bert-1, bert-2",
           .runs = RUNS("llama*"));
    REFUSE(&warehouse, "there is no run 'brt-1'; did you mean bert-1?", .runs = RUNS("brt-1"));
    REFUSE(&warehouse, "no run has the label 'gpu=H10'; did you mean gpu=H100?",
           .labels = RUNS("gpu=H10"));
    REFUSE(&warehouse, "no run has the label 'color'; there are ", .labels = RUNS("color"));
    run_sql(warehouse.db, "UPDATE run SET name = 'bert*' WHERE id = 2");
    SELECT(&warehouse, "2:17-32", .runs = RUNS("bert*"));
    warehouse_close(&warehouse);
}

static void a_trace_without_events_keeps_its_row(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "none.db");
    NOTHING(&warehouse, "no trace is selected", .runs = NULL);
    store_text(&warehouse, "empty", "{\"schemaVersion\":1,\"traceEvents\":[]}");
    store_sample(&warehouse, "a", "a");
    SELECT(&warehouse, "1:1-0 2:1-16", .runs = NULL);
    SELECT(&warehouse, "1:1-0- 2:1-16-", .detect_recompute = true);
    SELECT(&warehouse, "2:1-16", .id_range = "0-");
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ places in the file */

static void places_in_the_file_are_selected(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "ids.db");
    /* uids 10 to 14 are the frame, the op, the op in it, its call and its kernel: ids 1 to 5 */
    SELECT(&warehouse, "1:1-5 2:17-21", .id_range = "10-14");
    SELECT(&warehouse, "1:1-5", .id_range = "10-14", .runs = RUNS("a"));
    SELECT(&warehouse, "1:5-5 2:21-21", .id_range = "14");
    SELECT(&warehouse, "1:1-16 2:17-32", .id_range = "0-");
    SELECT(&warehouse, "1:1-16 2:17-32", .id_range = "-1,000");
    SELECT(&warehouse, "1:1-4 2:17-20", .id_range = "0,010-0,013");
    NOTHING(&warehouse, "no event has an id in 100-", .id_range = "100-");
    static const char *const bad[] = {
        "",    "-",   "a",    "1-2-3", "1--2", "1 - 2", " 1",    "1-2 ",
        "1-b", "0x1", ",1-2", "+1",    "1.5",  "--2",   "14-10", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char expected[80];
        snprintf(expected, sizeof expected, "bad id range \"%s\": expected A-B", bad[i]);
        REFUSE(&warehouse, expected, .id_range = bad[i]);
    }
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ conditions */

static void conditions_bring_what_was_launched(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "where.db");
    SELECT(&warehouse, "1:1-1 1:5-5", .where = "name = 'step'", .runs = RUNS("a"));
    SELECT(&warehouse, "2:19-19 2:21-21", .where = "name = 'aten::mm' AND dur_ns > 10000",
           .runs = RUNS("b"));
    SELECT(&warehouse, "1:5-5", .where = "role = 'gpu' and name = 'a'");
    SELECT(&warehouse, "1:4-5", .where = "(category = 'cuda_runtime') AND id < 5 -- calls");
    SELECT(&warehouse, "1:4-5", .where = "name = 'cudaLaunchKernel' /* ) */ and run = 'a'");
    SELECT(&warehouse, "1:1-16 2:17-32", .where = "name <> ')(;\"' and \"name\" <> '''('");
    SELECT(&warehouse, "1:1-16", .where = "trace_id in (select min(trace_id) from scope)");
    NOTHING(&warehouse, "no event fulfils the condition", .where = "dur_ns < 0");
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"1) OR (1", "not a single expression"},
        {"1) UNION SELECT 1, 2, 3 FROM slice WHERE (1", "not a single expression"},
        {"1); DELETE FROM event; SELECT (1", "not a single expression"},
        {"1; SELECT 1", "not a single expression"},
        {"1) --", "not a single expression"},
        {"(1", "not a single expression"},
        {"name = 'x", "not a single expression"},
        {"1 /*", "not a single expression"},
        {"[id", "not a single expression"},
        {"", "syntax error"},
        {"1, 2", "row value"},
        {"-- nothing", "syntax error"},
        {"nobody = 1", "no such column: nobody"},
        {"id = ?1", "parameter"},
        {"id = :id", "parameter"},
        {"count(*) > 1", "misuse of aggregate"},
        {"1 LIMIT 1", "syntax error"},
        {"name REGEXP '['", "regular expression"},
        {"abs(-9223372036854775807 - 1)", "overflow"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSE(&warehouse, "bad condition", .where = bad[i].text);
        REFUSE(&warehouse, bad[i].reason, .where = bad[i].text);
    }
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ steps and signposts */

/* Signposts are put into the table as they are wanted; `place` only tells their ids apart. */
static void add_signpost(struct warehouse *warehouse, int64_t place, const char *kind,
                         const char *name, int64_t start, const char *duration)
{
    char sql[400];
    const char *step = strstr(kind, "step") ? name : "NULL";
    snprintf(sql, sizeof sql,
             "INSERT OR REPLACE INTO signpost (id, trace_id, kind, name, step, ts_ns, dur_ns, "
             "track_id) VALUES (%lld, 1, '%s', '%s', %s, %lld, %s, 1)",
             (long long)place, kind, name, step, (long long)start, duration);
    run_sql(warehouse->db, sql);
}

/* Ten kernels of 1 us without a launch, at 0, 10, 20, ... us: their ids are 1 to 10. */
static void open_beats(struct warehouse *warehouse, const char *name)
{
    struct text text = {0};
    scratch_warehouse(warehouse, name);
    text_add_string(&text, "{\"schemaVersion\":1,\"traceEvents\":[");
    for (int i = 0; i < 10; i++)
        text_format(&text,
                    "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
                    "\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{\"stream\":7}}",
                    i ? "," : "", i * 10);
    text_add_string(&text, "]}");
    store_text(warehouse, "beats", text.items);
    text_free(&text);
}

static void steps_are_windows(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_beats(&warehouse, "steps.db");
    REFUSE(&warehouse, "there is no step 1; there are no profiler steps", .step = "1");
    NOTHING(&warehouse, "there is no step 1; there are no profiler steps", .step = "1",
            .is_part = true);
    add_signpost(&warehouse, 1, "gpu_step", "1", 5000, "20000");
    add_signpost(&warehouse, 2, "gpu_step", "2", 25000, "20000");
    SELECT(&warehouse, "1:2-3", .step = "1");
    add_signpost(&warehouse, 3, "step", "1", 10000, "20000");
    add_signpost(&warehouse, 4, "step", "2", 30000, "10000");
    add_signpost(&warehouse, 5, "step", "2", 70000, "10001"); /* another thread */
    add_signpost(&warehouse, 6, "step", "4", 40000, "0");
    SELECT(&warehouse, "1:2-3", .step = "1");
    SELECT(&warehouse, "1:4-4 1:8-9", .step = "2");
    SELECT(&warehouse, "1:2-9", .step = "1-3"); /* the time between, too */
    SELECT(&warehouse, "1:3-3", .step = "1", .id_range = "2-5");
    NOTHING(&warehouse, "no event fulfils all that was asked for", .step = "1", .id_range = "5-");
    REFUSE(&warehouse, "there is no step 3; there are steps 1 to 2, 4", .step = "3");
    REFUSE(&warehouse, "there is no step 5-9; there are steps 1 to 2, 4", .step = "5-9");
    NOTHING(&warehouse, "no event starts in the time that was asked for", .step = "4");
    static const char *const bad[] = {"2-1", "", "-", "1-", "-1", "a", "1-2-3", "1,000", "1 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSE(&warehouse, "expected N or N-M", .step = bad[i]);
    warehouse_close(&warehouse);
}

static void signposts_are_windows(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_beats(&warehouse, "signposts.db");
    REFUSE(&warehouse, "there is no signpost 'x'; there are none at all", .signpost = "x");
    add_signpost(&warehouse, 1, "gpu_range", "inner", 0, "100000");
    add_signpost(&warehouse, 2, "range", "inner", 10000, "10000");
    add_signpost(&warehouse, 3, "range", "inner", 50000, "20000");
    add_signpost(&warehouse, 4, "range", "outer", 5000, "80000");
    add_signpost(&warehouse, 5, "gpu_range", "device", 30000, "10001");
    add_signpost(&warehouse, 6, "range", "mark", 20000, "NULL");
    add_signpost(&warehouse, 7, "range", "stop", 40000, "NULL");
    add_signpost(&warehouse, 8, "range", "mark", 80000, "NULL");
    SELECT(&warehouse, "1:2-2 1:6-7", .signpost = "inner");
    SELECT(&warehouse, "1:6-7", .signpost = "inner", .occurrence = "2");
    SELECT(&warehouse, "1:2-9", .signpost = "outer");
    SELECT(&warehouse, "1:4-5", .signpost = "device");
    SELECT(&warehouse, "1:3-10", .signpost = "mark");
    SELECT(&warehouse, "1:3-4", .signpost = "mark", .occurrence = "1");
    SELECT(&warehouse, "1:9-10", .signpost = "mark", .occurrence = "2");
    SELECT(&warehouse, "1:2-10", .start_signpost = "outer");
    SELECT(&warehouse, "1:1-2", .end_signpost = "mark");
    SELECT(&warehouse, "1:1-8", .end_signpost = "mark", .occurrence = "2");
    SELECT(&warehouse, "1:2-4", .start_signpost = "inner", .end_signpost = "stop");
    SELECT(&warehouse, "1:6-8", .start_signpost = "inner", .end_signpost = "mark",
           .occurrence = "2");
    SELECT(&warehouse, "1:2-5", .start_signpost = "inner", .end_signpost = "inner");
    SELECT(&warehouse, "1:3-5", .start_signpost = "mark", .end_signpost = "inner");
    SELECT(&warehouse, "1:6-7", .signpost = "inner", .start_signpost = "stop");
    NOTHING(&warehouse, "signpost 'stop' does not come after 'inner'", .start_signpost = "inner",
            .end_signpost = "stop", .occurrence = "2");
    NOTHING(&warehouse, "signpost 'stop' comes once only", .signpost = "stop", .occurrence = "2");
    NOTHING(&warehouse, "signpost 'mark' comes 2 times only", .start_signpost = "mark",
            .occurrence = "3");
    REFUSE(&warehouse,
           "there is no signpost 'x'; there are 'inner', 'outer', 'mark', 'device', 'stop'",
           .end_signpost = "x");
    add_signpost(&warehouse, 9, "range", "last", 90000, "1");
    REFUSE(&warehouse,
           "there is no signpost 'x'; there are 'inner', 'outer', 'mark', 'device', 'stop' and "
           "others",
           .signpost = "x");
    REFUSE(&warehouse, "while signposts are ignored", .signpost = "inner",
           .ignore_signposts = true);
    REFUSE(&warehouse, "while signposts are ignored", .end_signpost = "inner",
           .ignore_signposts = true);
    REFUSE(&warehouse, "needs the name of a signpost", .occurrence = "1");
    static const char *const bad[] = {"", "0", "-1", "one", "1 ", "1-2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSE(&warehouse, "expected a number from 1", .signpost = "inner", .occurrence = bad[i]);
    warehouse_close(&warehouse);
}

static void work_follows_its_launch_into_a_window(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "launch.db");
    /* the call of kernel 5 starts at 40 us, the kernel itself at 60 */
    add_signpost(&warehouse, 1, "range", "call", 40000, "1");
    add_signpost(&warehouse, 2, "range", "kernel", 60000, "1");
    add_signpost(&warehouse, 3, "range", "lone", 500000, "1"); /* kernel 11 has no call */
    SELECT(&warehouse, "1:4-5", .signpost = "call");
    NOTHING(&warehouse, "no event starts in the time that was asked for", .signpost = "kernel");
    SELECT(&warehouse, "1:11-11", .signpost = "lone");
    warehouse_close(&warehouse);
}

static void traces_have_signposts_of_their_own(void **state)
{
    (void)state;
    struct warehouse warehouse;
    open_two(&warehouse, "side.db");
    add_signpost(&warehouse, 1, "range", "x", 40000, "1");
    SELECT(&warehouse, "1:4-5", .signpost = "x");
    REFUSE(&warehouse, "there is no signpost 'x'; there are 'ProfilerStep#5', 'forward'",
           .signpost = "x", .runs = RUNS("b"));
    add_signpost(&warehouse, 17, "gpu_range", "x", 500000, "1");
    SELECT(&warehouse, "1:4-5 2:27-27", .signpost = "x");
    /* the step is all of a trace, and where both traces are whole they do not become one row */
    SELECT(&warehouse, "1:1-16 2:17-32", .step = "5");
    SELECT(&warehouse, "1:1-16 2:17-32", .where = "1", .step = "5");
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ recomputation */

#define FRAME(name, start, duration)                                                     \
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"" name                         \
    "\",\"pid\":1,\"tid\":1,\"ts\":" #start ",\"dur\":" #duration ",\"args\":{\"Python " \
    "id\":" #start "}}"

static void recomputation_is_told_apart(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "recompute.db");
    store_text(
        &warehouse, "r",
        "{\"schemaVersion\":1,\"traceEvents\":[" FRAME("main", 0, 100) "," FRAME(
            "torch/utils/checkpoint.py(9): recompute_fn", 10,
            20) "," FRAME("below", 12,
                          5) "," FRAME("after", 40,
                                       5) "," FRAME("torch/utils/checkpoint.py(9): recompute_fn",
                                                    50,
                                                    10) "," FRAME("torch/utils/checkpoint.py(9): "
                                                                  "recompute_fn",
                                                                  52,
                                                                  5) "," FRAME("torch/utils/"
                                                                               "checkpoint.py(9): "
                                                                               "other_fn",
                                                                               70,
                                                                               5) ","
                                                                                  "{\"ph\":\"X\","
                                                                                  "\"cat\":\"cpu_"
                                                                                  "op\",\"name\":"
                                                                                  "\"torch/utils/"
                                                                                  "checkpoint.py "
                                                                                  "recompute_fn\","
                                                                                  "\"pid\":1,"
                                                                                  "\"tid\":1,"
                                                                                  "\"ts\":80,"
                                                                                  "\"dur\":5}]}");
    SELECT(&warehouse, "1:1-8", .detect_recompute = false);
    SELECT(&warehouse, "1:1-1- 1:2-3+ 1:4-4- 1:5-6+ 1:7-8-", .detect_recompute = true);
    SELECT(&warehouse, "1:3-3+ 1:4-4- 1:5-5+", .detect_recompute = true, .id_range = "2-4");
    SELECT(&warehouse, "1:3-3+", .detect_recompute = true, .id_range = "2");
    store_sample(&warehouse, "a", "a");
    SELECT(&warehouse, "1:1-1- 1:2-3+ 1:4-4- 1:5-6+ 1:7-8- 2:9-24-", .detect_recompute = true);
    SELECT(&warehouse, "2:9-24-", .detect_recompute = true, .runs = RUNS("a"));
    warehouse_close(&warehouse);
}

/* ------------------------------------------------------------------ made-up traces */

struct maker {
    struct text text;
    uint64_t random;
    int correlation, left; /* events to make */
    bool is_clean;         /* nothing ends after what it starts in, but for waiting frames */
};

static int64_t chance(struct maker *self, int64_t range)
{
    self->random = self->random * 6364136223846793005u + 1442695040888963407u;
    return range > 0 ? (int64_t)((self->random >> 33) % (uint64_t)range) : 0;
}

#define US       "%lld.%03lld"
#define IN_US(t) (long long)(t) / 1000, (long long)(t) % 1000

static void slice(struct maker *self, const char *category, const char *name, int process,
                  int thread, int64_t start, int64_t duration, const char *arguments)
{
    self->left--;
    text_format(&self->text,
                ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,"
                "\"tid\":%d,\"ts\":" US ",\"dur\":" US ",\"args\":{%s}}",
                category, name, process, thread, IN_US(start), IN_US(duration), arguments);
}

static void arrow(struct maker *self, const char *phase, int process, int thread, int64_t time)
{
    text_format(&self->text,
                ",\n{\"ph\":\"%s\",\"id\":%d,\"pid\":%d,\"tid\":%d,\"ts\":" US
                ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}",
                phase, self->correlation, process, thread, IN_US(time));
}

static void launch(struct maker *self, int thread, int64_t start, int64_t duration)
{
    char arguments[80];
    int kernels = chance(self, 3) ? (int)chance(self, 2) : (int)chance(self, 12);
    snprintf(arguments, sizeof arguments, "\"correlation\":%d", ++self->correlation);
    slice(self, "cuda_runtime", kernels > 1 ? "cudaGraphLaunch" : "cudaLaunchKernel", 1, thread,
          start, duration, arguments);
    arrow(self, "s", 1, thread, start);
    for (int i = 0; i < kernels; i++) {
        int64_t time = start + chance(self, 60000) - (start > 5000 ? chance(self, 5000) : 0);
        int stream = 7 + (int)chance(self, 2);
        snprintf(arguments, sizeof arguments, "\"correlation\":%d,\"stream\":%d", self->correlation,
                 stream);
        slice(self, "kernel", "k", 0, stream, time, chance(self, 3000), arguments);
        arrow(self, "f", 0, stream, time);
    }
}

/* Ops, frames and calls between two times, and inside of them. */
static void fill(struct maker *self, int thread, int64_t start, int64_t end, int depth)
{
    for (int64_t time = start; self->left > 0;) {
        time += chance(self, 3) ? chance(self, 3000) : 0;
        int64_t duration = chance(self, 4) ? chance(self, (end - time) / (1 + chance(self, 4))) : 0;
        int64_t kind = chance(self, 10);
        if (time + duration >= end)
            break;
        int64_t over = self->is_clean || chance(self, 6) ? 0 : chance(self, 2500);
        if (kind < 3)
            launch(self, thread, time, duration + over);
        else
            slice(self, kind < 7 ? "cpu_op" : "python_function", kind < 7 ? "op" : "frame", 1,
                  thread, time, duration + over, "");
        if (depth < 6 && (kind >= 3 || chance(self, 8) == 0))
            fill(self, thread, time, time + duration, depth + 1);
        time += duration;
        /* a frame that bleeds over the end of the op waits */
        if (kind >= 3 && kind < 7 && duration > 1000 && time + 3000 < end && chance(self, 2)) {
            int64_t early = 1 + chance(self, 900);
            slice(self, "python_function", "late", 1, thread, time - early, early + 1500, "");
            time += 1500;
        }
    }
}

/* Gives the id of its trace. */
static int64_t store_random(struct warehouse *warehouse, uint64_t seed, int events, bool is_clean)
{
    struct maker self = {.random = seed * 7919 + 1, .left = events, .is_clean = is_clean};
    char run[40];
    snprintf(run, sizeof run, "seed %llu", (unsigned long long)seed);
    text_add_string(&self.text, "{\"schemaVersion\":1,\"traceEvents\":["
                                "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,"
                                "\"args\":{\"name\":\"p\"}}");
    int64_t end = 100000 + events * 2000;
    for (int thread = 1; thread <= 3; thread++) {
        self.left = events / 3;
        if (chance(&self, 2)) /* all of it within one frame */
            slice(&self, "python_function", "main", 1, thread, 100, end - 100, "");
        fill(&self, thread, 100, end - 10000, 0);
    }
    for (int i = 0; i < events / 20; i++) {
        slice(&self, "kernel", "lone", 0, 7, chance(&self, end), chance(&self, 3000),
              "\"stream\":7");
        slice(&self, "user_annotation", "mark", 1, 1, chance(&self, end), chance(&self, 3000), "");
    }
    text_add_string(&self.text, "]}");
    int64_t id = store_text(warehouse, run, self.text.items);
    text_free(&self.text);
    return id;
}

/* ------------------------------------------------------------------ a look at every event */

struct events {
    int64_t first; /* id */
    size_t count;
    int64_t *moments; /* that decide: the start of the event, or of the call that launched it */
    bool *expected;
};

static void read_events(struct warehouse *warehouse, struct events *events)
{
    sqlite3 *db = warehouse->db;
    sqlite3_stmt *row;
    *events = (struct events){.first = query_integer(db, "SELECT min(id) FROM event"),
                              .count = (size_t)query_integer(db, "SELECT count(*) FROM event")};
    events->moments = memory_zeroed(events->count, sizeof *events->moments);
    events->expected = memory_zeroed(events->count, sizeof *events->expected);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT coalesce(call.ts_ns, event.ts_ns) FROM event "
                                        "LEFT JOIN gpu_event ON gpu_event.id = event.id "
                                        "LEFT JOIN event AS call ON call.id = gpu_event.call_id "
                                        "ORDER BY event.id",
                                        -1, &row, NULL),
                     SQLITE_OK);
    for (size_t i = 0; sqlite3_step(row) == SQLITE_ROW; i++)
        events->moments[i] = sqlite3_column_int64(row, 0);
    database_finalize(row);
}

static void free_events(struct events *events)
{
    memory_free(events->moments);
    memory_free(events->expected);
}

/* Compares what is selected with what is expected, event by event. */
static void assert_selected(struct warehouse *warehouse, const struct events *events)
{
    const struct context *context = warehouse->context;
    size_t next = 0;
    int64_t last = 0;
    for (size_t i = 0; i < context->selection.count; i++) {
        const struct selected *row = &context->selection.items[i];
        if (row->first_event > row->last_event)
            continue; /* of a window in which no event starts */
        assert_true(row->first_event > last + (i ? 1 : 0));
        last = row->last_event;
        for (; events->first + (int64_t)next < row->first_event; next++)
            if (events->expected[next])
                fail_msg("event %lld is not selected", (long long)next + events->first);
        for (; events->first + (int64_t)next <= row->last_event; next++)
            if (!events->expected[next])
                fail_msg("event %lld is selected", (long long)next + events->first);
    }
    for (; next < events->count; next++)
        assert_false(events->expected[next]);
}

static int64_t some_moment(struct maker *random, const struct events *events)
{
    return events->moments[chance(random, (int64_t)events->count)] + chance(random, 3) - 1 +
           (chance(random, 4) ? 0 : chance(random, 4000) - 2000);
}

/* Windows as ranges of one name, and the events that they hold. */
static void make_windows(struct warehouse *warehouse, struct maker *random, struct events *events,
                         int64_t windows)
{
    run_sql(warehouse->db, "DELETE FROM signpost");
    memset(events->expected, 0, events->count * sizeof *events->expected);
    for (int64_t i = 0; i < windows; i++) {
        int64_t start = some_moment(random, events);
        int64_t end =
            chance(random, 2) ? some_moment(random, events) : start + chance(random, 9000);
        char duration[40];
        if (end < start) {
            int64_t swap = end;
            end = start;
            start = swap;
        }
        snprintf(duration, sizeof duration, "%lld", (long long)(end - start));
        add_signpost(warehouse, events->first + i, "range", "window", start, duration);
        for (size_t j = 0; j < events->count; j++)
            events->expected[j] |= events->moments[j] >= start && events->moments[j] < end;
    }
}

static void compare_windows(struct warehouse *warehouse, uint64_t seed, int tries)
{
    struct maker random = {.random = seed + 99};
    struct events events;
    read_events(warehouse, &events);
    struct selection selection = {.signpost = "window"};
    run_sql(warehouse->db, "BEGIN");
    for (int i = 0; i < tries; i++) {
        struct error error = {0};
        struct text words = {0};
        bool is_empty;
        make_windows(warehouse, &random, &events,
                     1 + (chance(&random, 3) ? 0 : chance(&random, 9)));
        if (!selection_apply(warehouse, &selection, &is_empty, &words, &error))
            fail_msg("%s", error.text);
        const struct selected *first = warehouse->context->selection.items;
        assert_int_equal(is_empty, warehouse->context->selection.count == 0 ||
                                       first->last_event < first->first_event);
        assert_selected(warehouse, &events);
        text_free(&words);
    }
    run_sql(warehouse->db, "ROLLBACK");
    free_events(&events);
}

static const char is_ordered[] =
    "SELECT count(*) = 0 FROM ingest_note WHERE kind IN ('outside_parent', 'left_out_of_tree', "
    "'frame_out_of_tree')";

/* Events on one thread that start before the event in front of them. */
static const char is_late[] =
    "SELECT count(*) > 0 FROM event JOIN category ON category.id = event.category_id "
    "JOIN event AS before ON before.id = event.id - 1 AND before.track_id = event.track_id "
    "WHERE role <> 'gpu' AND event.ts_ns < before.ts_ns";

static void windows_hold_what_starts_in_them(void **state)
{
    (void)state;
    int ordered = 0, late = 0, disordered = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct warehouse warehouse;
        scratch_warehouse(&warehouse, "random.db");
        store_random(&warehouse, seed, 30 + (int)(seed % 5) * 100, seed % 3 > 0);
        bool in_order = query_integer(warehouse.db, is_ordered);
        ordered += in_order;
        disordered += !in_order;
        late += in_order && query_integer(warehouse.db, is_late);
        compare_windows(&warehouse, seed, 40);
        warehouse_close(&warehouse);
    }
    assert_true(ordered > 10);
    assert_true(late > 5);
    assert_true(disordered > 10);
}

/* Steps with some windows each, which may overlap within a step and between steps. */
static void make_steps(struct warehouse *warehouse, struct maker *random,
                       const struct events *events, int64_t windows)
{
    run_sql(warehouse->db, "DELETE FROM signpost");
    for (int64_t i = 0; i < windows; i++) {
        char step[20], duration[40];
        snprintf(step, sizeof step, "%d", (int)chance(random, 6));
        snprintf(duration, sizeof duration, "%d", (int)chance(random, 30000));
        add_signpost(warehouse, events->first + i, chance(random, 5) ? "step" : "gpu_step", step,
                     some_moment(random, events), duration);
    }
}

/* What scope and scope_time list, as a text. */
static char *scope_text(const struct warehouse *warehouse)
{
    return query_text(
        warehouse->db,
        "SELECT coalesce((SELECT group_concat(trace_id || ':' || first_event || '-' || last_event, "
        "' ') FROM scope), '') || ' at ' || coalesce((SELECT group_concat(trace_id || ':' || "
        "first_ns || '-' || last_ns, ' ') FROM scope_time), '')");
}

/* One step, or several, as the option --step has them. */
static void assert_steps(struct warehouse *warehouse, struct step_parts *parts, const char *where,
                         int64_t first, int64_t last)
{
    char step[40];
    struct error error = {0};
    struct text words = {0};
    bool is_empty;
    snprintf(step, sizeof step, "%d-%d", (int)first, (int)last);
    struct selection selection = {.step = step, .where = where, .is_part = true};
    assert_true(selection_apply(warehouse, &selection, &is_empty, &words, &error));
    char *expected = scope_text(warehouse);
    assert_true(step_parts_select_steps(parts, first, last, &error));
    char *found = scope_text(warehouse);
    if (!is_empty) /* where nothing is selected, times say nothing */
        assert_string_equal(found, expected);
    assert_int_equal(warehouse->context->selection.count == 0, is_empty);
    memory_free(expected);
    memory_free(found);
    text_free(&words);
}

static void compare_steps(struct warehouse *warehouse, uint64_t seed, int tries)
{
    struct maker random = {.random = seed + 7};
    struct events events;
    read_events(warehouse, &events);
    run_sql(warehouse->db, "BEGIN");
    for (int i = 0; i < tries; i++) {
        struct error error = {0};
        struct text words = {0};
        struct step_parts parts;
        bool is_empty;
        struct selection whole = {.where = i % 3 ? NULL : "dur_ns % 3 > 0"};
        make_steps(warehouse, &random, &events, 1 + chance(&random, 12));
        assert_true(selection_apply(warehouse, &whole, &is_empty, &words, &error));
        assert_true(step_parts_find(&parts, warehouse, &error));
        for (int64_t step = 0; step < 6; step++)
            assert_steps(warehouse, &parts, whole.where, step, step + (step % 2 ? 0 : 3));
        text_free(&words);
    }
    run_sql(warehouse->db, "ROLLBACK");
    free_events(&events);
}

/* All steps that are found in one go are what each of them is alone. */
static void steps_are_found_together(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct warehouse warehouse;
        scratch_warehouse(&warehouse, "steps.db");
        store_random(&warehouse, seed, seed % 5 ? 60 : 3000, seed % 3 > 0);
        compare_steps(&warehouse, seed, seed % 5 ? 20 : 4);
        warehouse_close(&warehouse);
    }
}

/* Large enough that windows are searched for. */
static void windows_of_a_large_trace(void **state)
{
    (void)state;
    for (int is_clean = 0; is_clean < 2; is_clean++) {
        struct warehouse warehouse;
        scratch_warehouse(&warehouse, "large.db");
        store_random(&warehouse, 4, 9000, is_clean);
        compare_windows(&warehouse, 5, 40);
        warehouse_close(&warehouse);
    }
}

/* ------------------------------------------------------------------ damaged warehouses */

/* Whatever it finds, it comes to an end. */
static void a_damaged_warehouse_is_selected_from(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE event SET up = 0",
        "UPDATE event SET up = -1",
        "UPDATE event SET up = 1",
        "UPDATE event SET up = 9223372036854775807",
        "UPDATE event SET up = -9223372036854775807 - 1",
        "UPDATE event SET below = 9223372036854775807",
        "UPDATE event SET below = -9223372036854775807 - 1",
        "UPDATE event SET ts_ns = 9223372036854775807 - ts_ns",
        "UPDATE event SET ts_ns = -9223372036854775807 - 1 WHERE id % 2",
        "DELETE FROM event WHERE id % 3 = 0",
        "DELETE FROM event",
        "DELETE FROM category",
        "UPDATE category SET role = 'gpu'",
        "UPDATE track SET first_event = -9223372036854775807 - 1",
        "UPDATE track SET last_event = 9223372036854775807",
        "UPDATE trace SET first_event = -9223372036854775807 - 1",
        "UPDATE trace SET last_event = 9223372036854775807",
        "UPDATE trace SET first_event = 1, last_event = 32",
        "UPDATE trace SET last_event = 4611686018427387903",
        "UPDATE signpost SET ts_ns = 9223372036854775807",
        "UPDATE signpost SET ts_ns = -9223372036854775807 - 1",
        "UPDATE signpost SET dur_ns = 9223372036854775807",
        "UPDATE signpost SET dur_ns = -9223372036854775807 - 1",
        "UPDATE signpost SET dur_ns = NULL",
    };
    static const struct selection selections[] = {
        {.step = "5", .detect_recompute = true},
        {.signpost = "forward"},
        {.start_signpost = "forward"},
        {.end_signpost = "forward", .occurrence = "1"},
        {.signpost = "forward", .occurrence = "1"},
        {.where = "dur_ns > 100"},
        {.id_range = "3-20"},
    };
    struct warehouse warehouse;
    open_two(&warehouse, "damaged.db");
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        run_sql(warehouse.db, "BEGIN");
        run_sql(warehouse.db, damages[i]);
        for (size_t j = 0; j < sizeof selections / sizeof *selections; j++) {
            struct error error = {0};
            struct text words = {0};
            bool is_empty;
            if (!selection_apply(&warehouse, &selections[j], &is_empty, &words, &error))
                fail_msg("%s", error.text);
            text_free(&words);
        }
        run_sql(warehouse.db, "ROLLBACK");
    }
    warehouse_close(&warehouse);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_traces_and_ranks_give_a_row_each),
    cmocka_unit_test(known_names_may_select_nothing_together),
    cmocka_unit_test(patterns_and_labels_choose_runs),
    cmocka_unit_test(a_trace_without_events_keeps_its_row),
    cmocka_unit_test(places_in_the_file_are_selected),
    cmocka_unit_test(conditions_bring_what_was_launched),
    cmocka_unit_test(steps_are_windows),
    cmocka_unit_test(signposts_are_windows),
    cmocka_unit_test(work_follows_its_launch_into_a_window),
    cmocka_unit_test(recomputation_is_told_apart),
    cmocka_unit_test(windows_hold_what_starts_in_them),
    cmocka_unit_test(steps_are_found_together),
    cmocka_unit_test(windows_of_a_large_trace),
    cmocka_unit_test(a_damaged_warehouse_is_selected_from),
    cmocka_unit_test(traces_have_signposts_of_their_own),
};
GROUP(selection, NULL, NULL)
