/* identify: Facts are queries over the selected traces, asked in the order in which they are told.
 * Steps are joined to ranges as their numbers come in order. Where steps were asked for, only those
 * are listed which are there. The health line is that of the worst run. */
#include "query/report/identify.h"

#include "sql/asked.h"

#include <stdlib.h>

/* Traces of the run ?1, with their places. */
#define PLACES                                                                              \
    "(SELECT trace.id AS id, row_number() OVER (ORDER BY trace.id) AS place FROM run JOIN " \
    "trace ON trace.run_id = run.id WHERE run.name = ?1) AS own"

#define WINDOWS(TRACE)                                                                             \
    "SELECT json_object('trace_id', " TRACE ", 'from_ns', from_ns, 'until_ns', until_ns, "         \
    "'length_ms', length_ms, 'activities', activities, 'cut', cut, 'cut_ms', cut_ms, 'launched', " \
    "launched, 'outside_ms', outside_ms) FROM window_ledger"

/* A fact that a question answers, a value a row; without rows it is not said. */
static const struct {
    enum identity_kind kind;
    struct question question;
} questions[] = {
    {IDENTITY_LIST, {"run", "SELECT DISTINCT run FROM scope", 1}},
    {IDENTITY_LIST,
     {"device",
      "SELECT coalesce(nullif(device.name, ''), CASE WHEN device.architecture GLOB '*[a-zA-Z]*' "
      "THEN device.architecture END, nullif(replace(replace('device without a name (' || "
      "coalesce('architecture ' || nullif(device.architecture, '') || ', ', '') || "
      "coalesce(device.cores || ' cores, ', '') || "
      "coalesce(CAST(round(device.memory_bytes / 1073741824.0) AS INTEGER) || ' GiB, ', '') || "
      "')', "
      "', )', ')'), ' ()', ''), 'device without a name')) FROM (SELECT DISTINCT trace_id FROM "
      "scope) "
      "AS chosen JOIN device ON device.trace_id = chosen.trace_id "
      "UNION SELECT nullif(member.value, '') FROM "
      "(SELECT DISTINCT trace_id FROM scope) AS chosen JOIN trace ON trace.id = chosen.trace_id, "
      "json_each(CASE WHEN trace.format = 'ttmetal' THEN arg(trace.metadata, 'architectures') ELSE "
      "'[]' END) AS member",
      1}},
    {IDENTITY_NUMBERS,
     {"rank",
      "SELECT DISTINCT trace.rank FROM (SELECT DISTINCT trace_id FROM scope) AS chosen JOIN trace "
      "ON trace.id = chosen.trace_id WHERE trace.rank IS NOT NULL ORDER BY trace.rank",
      1}},
};

/* The worst of the runs, the first of several; which checks found something in any of them, and
 * what each trace is. */
#define WORST(TRACE)                                                                            \
    "SELECT verdict, line || CASE WHEN others > 0 THEN format('; %d other run%s also doubtful " \
    "(report trace_health)', others, iif(others = 1, ' is', 's are')) ELSE '' END, "            \
    "json_object('broken', (SELECT json_group_array(DISTINCT atom) FROM json_tree('[' || "      \
    "replace(json_quote(broken), ', ', '\", \"') || ']') WHERE "                                \
    "type = 'text'), 'warning', (SELECT json_group_array(DISTINCT atom) FROM json_tree('[' || " \
    "replace(json_quote(warning), ', ', '\", \"') || ']') "                                     \
    "WHERE type = 'text')), traces "                                                            \
    "FROM (SELECT verdict, line, "                                                              \
    "min(CASE WHEN trace_id IS NULL THEN instr('nuc', substr(verdict, 1, 1)) END), "            \
    "count(*) FILTER (WHERE trace_id IS NULL AND verdict <> 'complete') - 1 AS others, "        \
    "group_concat(broken_checks, ', ') FILTER (WHERE trace_id IS NULL) AS broken, "             \
    "group_concat(warning_checks, ', ') FILTER (WHERE trace_id IS NULL) AS warning, "           \
    "json_group_object(" TRACE ", verdict) FILTER (WHERE trace_id IS NOT NULL) AS traces "      \
    "FROM trace_verdict HAVING count(*) > 0)"

static bool add_health(const struct asker *asker, struct identity *identity, struct error *error)
{
    enum { VERDICT, LINE, CHECKS, TRACES, COLUMNS };
    static const struct question by_id = {"health", WORST("trace_id"), COLUMNS},
                                 by_place = {"health",
                                             WORST("(SELECT place FROM " PLACES
                                                   " WHERE own.id = trace_id)"),
                                             COLUMNS};
    static const char ids[] =
        "SELECT json_group_object(own.id, value) FROM json_each(iif(json_valid(?2), ?2, '{}')) "
        "JOIN " PLACES " WHERE place = CAST(key AS INTEGER)";
    struct result rows;
    struct result_cursor cursor = {0};
    struct cell cells[COLUMNS];
    bool done = asker_ask(asker, asker->run ? &by_place : &by_id, &rows, error);
    while (done && result_next(&rows, &cursor, cells)) {
        char *texts[COLUMNS];
        for (int i = 0; i < COLUMNS; i++)
            texts[i] = memory_part(cells[i].text.bytes, cells[i].text.length);
        const char *traces = texts[TRACES];
        struct asked row = {0};
        if (asker->run && identity_is_worse(identity, texts[VERDICT])) {
            ASK(&row, asker->warehouse->db, ids, asker->run, texts[TRACES]);
            ASKED_ROW(&row, &traces);
        }
        identity_set_health(identity, texts[VERDICT], texts[LINE], texts[CHECKS], traces);
        done = asked_done(&row, asker->warehouse->path, error);
    }
    return done;
}

/* Adds a fact for each row of an answer. */
static bool add_facts(const struct asker *asker, const struct question *question,
                      enum identity_kind kind, struct identity *identity, struct error *error)
{
    struct result rows;
    struct result_cursor cursor = {0};
    struct cell cell;
    struct text words = {0};
    static const char head[] = "{\"trace_id\":";
    bool done = asker_ask(asker, question, &rows, error);
    while (done && result_next(&rows, &cursor, &cell)) {
        if (cell.type == CELL_NULL)
            continue;
        text_clear(&words);
        cell_add_text(&cell, FORM_PLAIN, &words);
        if (asker->run && kind == IDENTITY_JSON && text_starts_with(words.items, head)) {
            /* The id of a trace in this file, by its place. */
            char *rest;
            struct result found = {0};
            struct cell id = {0};
            const int64_t numbers[] = {strtoll(words.items + strlen(head), &rest, 10), 0};
            done = answer_ask(asker->warehouse, "SELECT own.id FROM " PLACES " WHERE place = ?2",
                              asker->run, numbers, &found, error);
            if (done)
                result_next(&found, &(struct result_cursor){0}, &id);
            char *window = memory_text(rest);
            text_clear(&words);
            text_format(&words, "%s%lld%s", head, (long long)id.integer, window);
        }
        identity_add(identity, question->about, kind, words.items ? words.items : "");
    }
    return done;
}

/* ------------------------------------------------------------------ steps */

/* Numbers in order, as ranges: 0-2, 5. */
struct steps {
    struct text text;
    int64_t first, last;
    bool any;
};

static void end_range(struct steps *self)
{
    if (self->any)
        text_format(&self->text, "%s%lld", self->text.count ? ", " : "", (long long)self->first);
    if (self->any && self->first != self->last)
        text_format(&self->text, "-%lld", (long long)self->last);
}

static void take_step(struct steps *self, int64_t step)
{
    if (self->any && step == self->last + 1) {
        self->last = step;
        return;
    }
    end_range(self);
    self->first = self->last = step;
    self->any = true;
}

/* The steps that are selected: of those that were asked for only what is there, whichever tracks
 * their marks are on. Iterations, where the profiler marked none. */
static bool add_steps(const struct asker *asker, const char *asked, struct identity *identity,
                      struct error *error)
{
    static const struct question selected = {
        "steps",
        "SELECT DISTINCT step FROM scope CROSS JOIN step_mark ON step_mark.trace_id = "
        "scope.trace_id AND id BETWEEN first_event AND last_event WHERE kind = 'step' AND step IS "
        "NOT NULL ORDER BY step",
        1};
    static const struct question iterations = {
        "iterations",
        "SELECT printf('%d × %s, %s; --iteration NAME takes a range, none takes none', max(times), "
        "time_words(median(dur_ns)), iif(iteration = 'kernels', 'recognised from kernels', "
        "printf('range ''%s''', iteration))) FROM (SELECT iteration, dur_ns, count(*) OVER "
        "(PARTITION BY run, trace_id, iteration) AS times FROM trace_step WHERE iteration IS NOT "
        "NULL) GROUP BY iteration ORDER BY iteration",
        1};
    struct steps steps = {0};
    struct result rows;
    struct result_cursor cursor = {0};
    struct cell step;
    char *sql =
        asked
            ? database_format("SELECT DISTINCT step FROM (SELECT DISTINCT trace_id FROM scope) AS "
                              "chosen CROSS JOIN step_mark ON step_mark.trace_id = chosen.trace_id "
                              "WHERE step BETWEEN CAST(%Q AS INTEGER) AND CAST(substr(%Q, "
                              "instr(%Q, '-') + 1) AS INTEGER) ORDER BY step",
                              asked, asked, asked)
            : NULL;
    struct question among_asked = {"steps asked for", sql, 1};
    bool done = asker_ask(asker, asked ? &among_asked : &selected, &rows, error);
    while (done && result_next(&rows, &cursor, &step))
        take_step(&steps, step.integer);
    if (done && steps.any) {
        end_range(&steps);
        identity_add(identity, "steps", IDENTITY_TEXT, steps.text.items);
    }
    return done && add_facts(asker, &iterations, IDENTITY_LIST, identity, error);
}

/* ------------------------------------------------------------------ selection */

static bool add_answers(const struct asker *asker, struct identity *identity, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && done; i++)
        done = add_facts(asker, &questions[i].question, questions[i].kind, identity, error);
    static const struct question by_id = {"window", WINDOWS("trace_id"), 1},
                                 by_place = {"window",
                                             WINDOWS("(SELECT place FROM " PLACES
                                                     " WHERE own.id = trace_id)"),
                                             1};
    return done &&
           add_facts(asker, asker->run ? &by_place : &by_id, IDENTITY_JSON, identity, error) &&
           add_health(asker, identity, error);
}

bool identify_health_again(struct warehouse *warehouse, struct identity *identity,
                           struct error *error)
{
    identity->verdict = NULL;
    return add_health(&(struct asker){.warehouse = warehouse}, identity, error);
}

bool identify_traces_of(struct warehouse *warehouse, struct identity *identity, struct error *error)
{
    struct asker asker = {.warehouse = warehouse};
    return add_answers(&asker, identity, error) && add_steps(&asker, NULL, identity, error);
}

bool identify_selection(const struct asker *asker, const struct selection *selection,
                        struct identity *identity, struct error *error)
{
    if (!add_answers(asker, identity, error) || !add_steps(asker, selection->step, identity, error))
        return false;

    /* The selection in the words of the options; steps are said by themselves. */
    const struct {
        const char *words, *value;
    } asked[] = {{"rank", selection->rank},
                 {"time", selection->time},
                 {"ids", selection->id_range},
                 {"signpost", selection->signpost},
                 {"from signpost", selection->start_signpost},
                 {"to signpost", selection->end_signpost},
                 {"occurrence", selection->occurrence},
                 {"where", selection->where},
                 {"step", selection->step}};
    static const char name[] = "selection";
    bool any = false;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct text words = {0};
        if (!asked[i].value)
            continue;
        text_format(&words, "%s %s", asked[i].words, asked[i].value);
        identity_add(identity, name, IDENTITY_LIST, words.items);
        any = true;
    }
    if (selection->ignore_signposts)
        identity_add(identity, name, IDENTITY_LIST, "without signposts");
    any |= selection->ignore_signposts;
    if (!any)
        identity_add(identity, name, IDENTITY_LIST, "all events");
    return true;
}

bool identify(struct warehouse *warehouse, const struct selection *selection,
              struct identity *identity, struct error *error)
{
    identity_add(identity, "version", IDENTITY_TEXT, TPQ_VERSION);
    return identify_selection(&(struct asker){.warehouse = warehouse}, selection, identity, error);
}
