/* advice_tables: what rules of advice go by, as tables.
 *
 *     advice_measure    what rules that are built in found, a row a trace and rule
 *     advice_trace      what a trace has that rules need, and its span, a row a trace
 *     advice_kernel     GPU time by name and launching op
 *     advice_question   what the SELECTs of other rules (advice_rule.measure) found
 *
 * The first three share a reading, which is kept. With --advice-depth `path` it also says
 * what a replay of the schedule saves; with `scan` no rule asks.
 */
#include "sql/advice/evidence.h"
#include "sql/binding/function.h"
#include "sql/binding/measure.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/kernels/catalog_answers.h"
#include "src/base/language.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ what was measured */

struct measured_trace {
    const char *run;
    struct interval_set start_up;
    struct named_time wait; /* the longest */
    int64_t trace, works, span, busy, launches, captured;
    bool has_launches, has_calls, has_ops, has_ranges, has_optimizer, has_steps, has_blocks,
        has_shapes, has_frames, is_recording;
};

struct measured {
    const char *rule;
    double value;
    int64_t count, time, saving, replayed, example; /* replayed INT64_MIN: not known */
    struct named_time cause;
    bool is_cause_work;
    uint32_t trace;
    struct fact kept; /* its places and works */
};

struct measured_kernel {
    struct kernel_time of;
    const char *category; /* of the launching op */
    uint32_t trace;
};

struct measured_rows {
    trace_list selected;
    struct catalog_answers catalog;
    ARRAY(struct measured_kernel) kernels;
    ARRAY(struct measured_trace) traces;
    ARRAY(struct measured) facts;
};

/* A gap that no time of the host explains is held by what was not recorded: a replay without the
 * host cannot tell, and all of it is the bound. Start-up is out of the places already. */
static void bound_gaps(struct measured *row, const struct fact *fact)
{
    int64_t idle = 0;
    for (size_t i = 0; i < fact->places.count; i++)
        idle += fact->places.items[i].end - fact->places.items[i].start;
    if (row->replayed >= idle / 2)
        return;
    row->saving = idle;
    row->replayed = INT64_MIN;
}

static int keep_trace(struct measured_rows *rows, struct evidence *evidence,
                      const struct selected_trace *trace)
{
    struct measured_trace *row = array_push(&rows->traces);
    *row = (struct measured_trace){.run = trace->run,
                                   .trace = trace->id,
                                   .wait = tally_most(&evidence->waits, 0),
                                   .launches = evidence->launches,
                                   .captured = evidence->captured,
                                   .works = (int64_t)evidence->works.count,
                                   .span = evidence->last - evidence->first,
                                   .busy = evidence->busy,
                                   .has_launches = evidence->linked > 0,
                                   .has_calls = evidence->calls.count > 0,
                                   .has_ops = evidence->has_ops,
                                   .has_ranges = evidence->has_ranges,
                                   .has_optimizer = evidence->has_optimizer,
                                   .has_steps = evidence->steps > 1,
                                   .has_blocks = evidence->has_blocks,
                                   .has_shapes = evidence->has_shapes,
                                   .has_frames = evidence->has_frames};
    row->is_recording =
        row->captured > 0 && row->captured * 2 >= row->launches && row->busy * 20 < row->span;
    interval_unite(&row->start_up, &evidence->start_up);
    int result = SQLITE_OK;
    for (size_t i = 0; i < evidence->kernels.count && result == SQLITE_OK; i++) {
        struct measured_kernel kernel = {.of = evidence->kernels.items[i],
                                         .trace = (uint32_t)rows->traces.count - 1};
        uint32_t ignored;
        if (kernel.of.launcher)
            result = catalog_answers_category(&rows->catalog, kernel.of.launcher, kernel.of.name,
                                              &ignored, &kernel.category);
        array_add(&rows->kernels, kernel);
    }
    return result;
}

static bool is_depth(const struct table_wish *wish, const char *depth)
{
    const char *how = context_get(wish->context, "advice-depth");
    return how && strcmp(how, depth) == 0;
}

static int read_measured(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct measured_rows *rows = reading;
    catalog_answers_take(&rows->catalog, wish->db, wish->context);
    int result = ranges_traces(wish, &rows->selected);
    for (size_t i = 0; result == SQLITE_OK && i < rows->selected.count; i++) {
        const struct selected_trace *trace = &rows->selected.items[i];
        struct evidence evidence = {0};
        struct fact_replay replay = {0};
        result = evidence_read(wish->db, wish->context, trace->run, trace->id, &evidence);
        bool is_replayed = is_depth(wish, "path") && evidence.works.count;
        if (result == SQLITE_OK)
            result = keep_trace(rows, &evidence, trace);
        evidence_free_seen(&evidence); /* the schedule takes as much */
        if (result == SQLITE_OK && is_replayed)
            result = fact_replay_open(&replay, wish->db, wish->context, trace->run, trace->id);
        if (result == SQLITE_OK) {
            /* Facts outlive the evidence; only facts with a saving keep their places and works. */
            for (size_t j = 0; j < evidence.facts.count; j++) {
                struct fact *fact = &evidence.facts.items[j];
                struct measured *row = array_push(&rows->facts);
                *row = (struct measured){.rule = fact->rule,
                                         .value = fact->value,
                                         .count = fact->count,
                                         .time = fact->time,
                                         .saving = fact->saving,
                                         .replayed = INT64_MIN,
                                         .example = fact->example,
                                         .cause = fact->cause,
                                         .is_cause_work = fact->is_cause_work,
                                         .trace = (uint32_t)rows->traces.count - 1};
                bool is_placed = replay.plan && (fact->places.count || fact->works.count);
                if (is_placed)
                    row->replayed =
                        fact_replay_saved(&replay, fact, NULL, NULL, &evidence.start_up);
                int64_t idle = evidence.last - evidence.first - evidence.busy;
                if (is_placed && !fact->works.count && row->replayed > idle)
                    row->replayed = idle;
                if (is_placed && fact->is_unexplained)
                    bound_gaps(row, fact);
                double span = (double)(evidence.last - evidence.first);
                if (fact->delays_launches && (double)row->replayed * 100 > row->value * span)
                    row->value = (double)row->replayed * 100 / span;
                if (is_placed && row->replayed > 0) {
                    row->kept = *fact;
                    *fact = (struct fact){0};
                }
            }
        }
        fact_replay_close(&replay);
        evidence_free(&evidence);
    }
    catalog_answers_finish(&rows->catalog);
    return result;
}

static void free_measured(void *reading)
{
    catalog_answers_free(&((struct measured_rows *)reading)->catalog);
}

static const struct table_reading measured_reading = {.size = sizeof(struct measured_rows),
                                                      .read = read_measured,
                                                      .free = free_measured,
                                                      .is_kept = true};

/* ------------------------------------------------------------------ what SELECTs of rules say */

struct answer {
    char *rule, *run, *cause, *lever; /* cause, lever: NULL where the rule does not say */
    double value;
    int64_t trace, count, time, saving, replayed, example; /* trace 0: it is about the run */
    struct fact kept;
};

struct answer_rows {
    ARRAY(struct answer) rows;
};

/* Places of the host as it lists them: from, until, the track. */
static void read_places(struct fact *fact, const char *text)
{
    while (*text) {
        char *end;
        struct fact_place place = {.start = strtoll(text, &end, 10)};
        place.end = strtoll(end, &end, 10);
        place.track = strtoll(end, &end, 10);
        if (end == text)
            break;
        if (place.end > place.start)
            array_add(&fact->places, place);
        text = *end ? end + 1 : end;
    }
}

static const struct measured_trace *find_trace(const struct measured_rows *rows, const char *run,
                                               int64_t id)
{
    for (size_t i = 0; rows && i < rows->traces.count; i++)
        if (rows->traces.items[i].trace == id && strcmp(rows->traces.items[i].run, run) == 0)
            return &rows->traces.items[i];
    return NULL;
}

static const struct fact *find_fused(const struct measured_rows *rows,
                                     const struct measured_trace *trace)
{
    for (size_t i = 0; i < rows->facts.count; i++)
        if (rows->facts.items[i].trace == (uint32_t)(trace - rows->traces.items) &&
            rows->facts.items[i].kept.is_fused)
            return &rows->facts.items[i].kept;
    return NULL;
}

static int add_answer(struct answer_rows *answers, const struct table_wish *wish, const char *rule,
                      sqlite3_stmt *row)
{
    const char *run = database_text(row, 0);
    if (sqlite3_column_type(row, 2) == SQLITE_NULL)
        return SQLITE_OK;
    const char *cause = (const char *)sqlite3_column_text(row, 9);
    const char *lever = (const char *)sqlite3_column_text(row, 10);
    array_add(&answers->rows, (struct answer){.rule = memory_text(rule),
                                              .run = memory_text(run),
                                              .trace = sqlite3_column_int64(row, 1),
                                              .value = sqlite3_column_double(row, 2),
                                              .count = sqlite3_column_int64(row, 3),
                                              .time = sqlite3_column_int64(row, 4),
                                              .saving = sqlite3_column_int64(row, 5),
                                              .replayed = INT64_MIN,
                                              .example = sqlite3_column_int64(row, 6),
                                              .cause = cause ? memory_text(cause) : NULL,
                                              .lever = lever ? memory_text(lever) : NULL});
    struct answer *added = &answers->rows.items[answers->rows.count - 1];

    /* Works as a rule's SELECT lists them: the first id, the last, and the part of them that goes.
     */
    const char *text = database_text(row, 7);
    while (*text) {
        char *end;
        struct fact_work work = {.id = strtoll(text, &end, 10)};
        work.last_id = strtoll(end, &end, 10);
        work.factor = language_strtod(end, &end);
        if (end == text)
            break;
        work.factor = work.factor > 0 ? work.factor < 1 ? work.factor : 1 : 0;
        array_add(&added->kept.works, work);
        text = *end ? end + 1 : end;
    }
    read_places(&added->kept, database_text(row, 8));
    if (is_depth(wish, "path")) {
        const struct measured_rows *rows = table_kept(wish->context, &measured_reading);
        const struct measured_trace *trace = find_trace(rows, added->run, added->trace);
        struct fact_replay replay = {0};
        struct fact none = {0};
        bool is_placed = added->kept.places.count;
        if (!trace || (!added->kept.works.count && !is_placed))
            return SQLITE_OK;
        int result = fact_replay_open(&replay, wish->db, wish->context, added->run, added->trace);
        if (result == SQLITE_OK && replay.plan)
            added->replayed =
                fact_replay_saved(&replay, is_placed ? &added->kept : &none, &added->kept,
                                  find_fused(rows, trace), &trace->start_up);
        int64_t idle = trace->span - trace->busy;
        if (is_placed && !added->kept.works.count && added->replayed > idle)
            added->replayed = idle;
        fact_replay_close(&replay);
        return result;
    }
    return SQLITE_OK;
}

static int ask_rule(struct answer_rows *answers, const struct table_wish *wish, const char *rule,
                    const char *select, bool is_of_file, struct error *error)
{
    struct measure measure;
    char columns[128];
    snprintf(columns, sizeof columns,
             "run, trace_id, value, count, time_ns, saving_ns, example_id, %s, %s, %s, %s",
             strstr(select, " AS works") ? "works" : "NULL",
             strstr(select, " AS places") ? "places" : "NULL",
             strstr(select, " AS cause") ? "cause" : "NULL",
             strstr(select, " AS lever") ? "lever" : "NULL");
    int result = measure_begin(&measure, wish->db, wish->context, columns, select, is_of_file);
    while (result == SQLITE_OK && (result = measure_step(&measure)) == SQLITE_ROW)
        result = add_answer(answers, wish, rule, measure.rows);
    struct error problem = {0};
    result = measure_end(&measure, result, &problem);
    if (*problem.text)
        error_set(error, STATUS_BAD_INPUT,
                  "advice_rule: what '%s' measures is no SELECT that works: %s", rule,
                  problem.text);
    return result;
}

static void stop_asking(void *context)
{
    ((struct context *)context)->asks_rules = false;
}

static int read_answers(void *reading, const struct table_wish *wish, struct error *error)
{
    sqlite3_stmt *rules = NULL;
    if (is_depth(wish, "scan"))
        return SQLITE_OK;
    if (wish->context->asks_rules) {
        error_set(error, STATUS_BAD_INPUT, "advice_rule: what a rule measures asks for advice");
        return SQLITE_ERROR;
    }
    memory_at_end(stop_asking, wish->context);
    wish->context->asks_rules = true;
    /* for what was not looked for, work is not read */
    int result = measure_list(wish->db, wish->context, "advice_rule", "rule",
                              "(needs IS NOT 'recompute' OR EXISTS (SELECT 1 FROM scope WHERE "
                              "is_recompute IS NOT NULL))",
                              &rules);
    while (result == SQLITE_OK && (result = sqlite3_step(rules)) == SQLITE_ROW) {
        const char *rule = database_text(rules, 0), *measure = database_text(rules, 1);
        bool is_of_file = sqlite3_column_int(rules, 2) != 0;
        result = ask_rule(reading, wish, rule, measure, is_of_file, error);
    }
    database_finalize(rules);
    memory_forget(wish->context);
    wish->context->asks_rules = false;
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static const struct table_reading answer_reading = {
    .size = sizeof(struct answer_rows), .read = read_answers, .is_kept = true};

/* ------------------------------------------------------------------ all of a list */

static bool is_listed(const char *list, const char *rule)
{
    size_t length = strlen(rule);
    for (const char *at = list; (at = strstr(at, rule)); at += length)
        if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

static SQL_FUNCTION(advice_together)
{
    struct context *self = function_context(context);
    const struct measured_rows *rows = table_kept(self, &measured_reading);
    const char *run = (const char *)sqlite3_value_text(arguments[0]);
    const char *list = (const char *)sqlite3_value_text(arguments[2]);
    const struct measured_trace *trace =
        run ? find_trace(rows, run, sqlite3_value_int64(arguments[1])) : NULL;
    struct fact all = {0}, asked = {0};
    struct fact_replay replay = {0};
    if (!trace || !list)
        return;

    /* Facts of the trace by listed rules; answers of models bring places and works of their own. */
    const struct answer_rows *answers = table_kept(self, &answer_reading);
    for (size_t i = 0; i < rows->facts.count; i++)
        if (rows->facts.items[i].trace == (uint32_t)(trace - rows->traces.items) &&
            is_listed(list, rows->facts.items[i].rule))
            fact_add(&all, &rows->facts.items[i].kept);
    for (size_t i = 0; answers && i < answers->rows.count; i++)
        if (answers->rows.items[i].trace == trace->trace &&
            strcmp(answers->rows.items[i].run, trace->run) == 0 &&
            is_listed(list, answers->rows.items[i].rule)) {
            const struct fact *kept = &answers->rows.items[i].kept;
            const struct fact placed = {.places.items = kept->places.items,
                                        .places.count = kept->places.count};
            const struct fact worked = {.works.items = kept->works.items,
                                        .works.count = kept->works.count};
            fact_add(&all, &placed);
            fact_add(&asked, &worked);
        }
    int result = SQLITE_OK;
    if (all.places.count || all.works.count || asked.works.count)
        result =
            fact_replay_open(&replay, sqlite3_context_db_handle(context), self, run, trace->trace);
    if (result != SQLITE_OK)
        sqlite3_result_error_code(context, result);
    else if (replay.plan)
        sqlite3_result_int64(context, fact_replay_saved(&replay, &all, &asked,
                                                        find_fused(rows, trace), &trace->start_up));
    fact_replay_close(&replay);
    fact_free(&all);
    fact_free(&asked);
}

/* ------------------------------------------------------------------ tables */

enum { ROW, TRACE };

#define OF_FACT(kind, member)   TABLE_AT(kind, ROW, struct measured, member)
#define OF_TRACE(kind, member)  TABLE_AT(kind, ROW, struct measured_trace, member)
#define OF_ANSWER(kind, member) TABLE_AT(kind, ROW, struct answer, member)

static const struct table_column fact_columns[] = {
    {"run", "name of the run", TABLE_AT(WORD, TRACE, struct measured_trace, run)},
    {"trace_id", "id of the trace", TABLE_AT(INT64, TRACE, struct measured_trace, trace)},
    {"rule", "rule of advice", OF_FACT(WORD, rule)},
    {"value", "measured value, for the threshold of the rule", OF_FACT(REAL, value)},
    {"count", "number of cases found", OF_FACT(INT64, count)},
    {"time_ns", "time of the cases found", OF_FACT(INT64, time)},
    {"saving_ns", "estimated saving, an upper bound", OF_FACT(INT64, saving)},
    {"replay_ns",
     "estimated saving from replay of the schedule; NULL: not replayed (--advice-depth)",
     OF_FACT(STATED, replayed)},
    {"example_id", "id of the longest event of the cases found", OF_FACT(ID, example)},
    {"cause_name_id", "name with most of the time of the cases found", OF_FACT(ID, cause.name)},
    {"cause_is_work", "whether the name with most of the time is the name of GPU activities",
     OF_FACT(BOOL, is_cause_work)},
    {"cause_count", "cases found under the name with most of the time",
     OF_FACT(INT64, cause.count)},
    {"cause_ns", "time of the cases found under that name", OF_FACT(INT64, cause.time)},
    {0},
};

static const struct table fact_table = {
    TABLE_ROWS(fact_columns, 1000, 20, measured_reading, struct measured_rows, facts),
    TABLE_OWNER(TRACE, struct measured_rows, traces, struct measured, trace),
};

static const struct table_column trace_columns[] = {
    {"run", "name of the run", OF_TRACE(WORD, run)},
    {"trace_id", "id of the trace", OF_TRACE(INT64, trace)},
    {"works", "number of GPU activities", OF_TRACE(INT64, works)},
    {"span_ns", "from the first start to the last end of GPU activities", OF_TRACE(INT64, span)},
    {"busy_ns", "GPU busy time of the trace", OF_TRACE(INT64, busy)},
    {"wait_ns", "time of GPU activities that only wait", OF_TRACE(INT64, wait.time)},
    {"wait_name_id", "name of GPU activities that wait most", OF_TRACE(ID, wait.name)},
    {"launches", "number of calls that launch", OF_TRACE(INT64, launches)},
    {"captured", "number of launches inside the capture of a graph", OF_TRACE(INT64, captured)},
    {"is_recording", "whether most launches are recorded into a graph, and do not run here",
     OF_TRACE(BOOL, is_recording)},
    {"has_launches", "whether launches of GPU activities are known", OF_TRACE(BOOL, has_launches)},
    {"has_calls", "whether there are runtime calls", OF_TRACE(BOOL, has_calls)},
    {"has_ops", "whether there are ops", OF_TRACE(BOOL, has_ops)},
    {"has_ranges", "whether there are ranges of the host", OF_TRACE(BOOL, has_ranges)},
    {"has_optimizer", "whether some ranges are steps of an optimizer",
     OF_TRACE(BOOL, has_optimizer)},
    {"has_steps", "whether there are two steps or more", OF_TRACE(BOOL, has_steps)},
    {"has_blocks", "whether kernels state their blocks for each multiprocessor",
     OF_TRACE(BOOL, has_blocks)},
    {"has_shapes", "whether shapes of ops were recorded", OF_TRACE(BOOL, has_shapes)},
    {"has_frames", "whether there are Python frames of 1 ms, or ranges of what frames show",
     OF_TRACE(BOOL, has_frames)},
    {0},
};

static const struct table trace_table = {
    TABLE_ROWS(trace_columns, 100, 1, measured_reading, struct measured_rows, traces)};

#define OF_KERNEL(kind, member) TABLE_AT(kind, ROW, struct measured_kernel, of.member)

static const struct table_column kernel_columns[] = {
    {"run", "name of the run", TABLE_AT(WORD, TRACE, struct measured_trace, run)},
    {"trace_id", "id of the trace", TABLE_AT(INT64, TRACE, struct measured_trace, trace)},
    {"category_id", "category of the GPU activities", OF_KERNEL(ID, category)},
    {"name_id", "name of the GPU activities", OF_KERNEL(ID, name)},
    {"launcher_name_id", "name of the op that launched them", OF_KERNEL(ID, launcher)},
    {"launcher_category", "category of the launching op, by its name and its kernels",
     TABLE_AT(WORD, ROW, struct measured_kernel, category)},
    {"time_ns", "GPU time: summed durations", OF_KERNEL(INT64, time)},
    {0},
};

static const struct table kernel_table = {
    TABLE_ROWS(kernel_columns, 1000, 20, measured_reading, struct measured_rows, kernels),
    TABLE_OWNER(TRACE, struct measured_rows, traces, struct measured_kernel, trace),
};

static const struct table_column answer_columns[] = {
    {"run", "name of the run", OF_ANSWER(WORD, run)},
    {"trace_id", "trace; NULL when it is about the run", OF_ANSWER(ID, trace)},
    {"rule", "rule of advice", OF_ANSWER(WORD, rule)},
    {"value", "measured value, for the threshold of the rule", OF_ANSWER(REAL, value)},
    {"count", "number of cases found", OF_ANSWER(INT64, count)},
    {"time_ns", "time of the cases found", OF_ANSWER(INT64, time)},
    {"saving_ns", "estimated saving, an upper bound", OF_ANSWER(INT64, saving)},
    {"replay_ns", "estimated saving from replay of the schedule; NULL: not replayed",
     OF_ANSWER(STATED, replayed)},
    {"example_id", "id of an event of the cases found", OF_ANSWER(ID, example)},
    {"cause", "main cause in words, where the rule says it", OF_ANSWER(WORD, cause)},
    {"lever", "recommended action for the cause, where the rule says it", OF_ANSWER(WORD, lever)},
    {0},
};

static const struct table answer_table = {
    TABLE_ROWS(answer_columns, 100, 10, answer_reading, struct answer_rows, rows)};

const struct function advice_functions[] = {
    TABLE("advice_measure", fact_table,
          "A table: what the rules of advice that tpq measures itself found in the selected part "
          "of each trace."),
    TABLE("advice_trace", trace_table,
          "A table: a row a trace about what rules of advice need: the span of its work, and what "
          "was recorded."),
    TABLE("advice_kernel", kernel_table,
          "A table: GPU time by name and launching op, a row a trace, name and op."),
    TABLE("advice_question", answer_table,
          "A table: what the SELECTs of rules of advice (advice_rule.measure) found."),
    SCALAR("advice_together", "run, trace_id, rules", 3, SQLITE_INNOCUOUS, advice_together,
           "What a replay of the schedule of a trace saves, in ns, without the causes of all of "
           "the rules, with commas between their names; NULL: not replayed."),
    {0},
};
