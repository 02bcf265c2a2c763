/* identify: Facts are queries over the selected traces, asked in the order in which they are told.
 * Steps are joined to ranges as their numbers come in order. Where steps were asked for, only those
 * are listed which are there. The health line is that of the worst run. */
#include "query/report/identify.h"

#include <stdlib.h>

/* A fact that a question answers, a value a row; without rows it is not said. */
static const struct {
    const char *name;
    enum identity_kind kind;
    const char *sql;
} questions[] = {
    {"run", IDENTITY_LIST, "SELECT DISTINCT run FROM scope"},
    {"device", IDENTITY_LIST,
     "SELECT coalesce(nullif(device.name, ''), CASE WHEN device.architecture GLOB '*[a-zA-Z]*' "
     "THEN device.architecture END, nullif(replace(replace('device without a name (' || "
     "coalesce('architecture ' || nullif(device.architecture, '') || ', ', '') || "
     "coalesce(device.cores || ' cores, ', '') || "
     "coalesce(CAST(round(device.memory_bytes / 1073741824.0) AS INTEGER) || ' GiB, ', '') || ')', "
     "', )', ')'), ' ()', ''), 'device without a name')) FROM (SELECT DISTINCT trace_id FROM "
     "scope) "
     "AS chosen JOIN device ON device.trace_id = chosen.trace_id "
     "UNION SELECT nullif(member.value, '') FROM "
     "(SELECT DISTINCT trace_id FROM scope) AS chosen JOIN trace ON trace.id = chosen.trace_id, "
     "json_each(CASE WHEN trace.format = 'ttmetal' THEN arg(trace.metadata, 'architectures') ELSE "
     "'[]' END) AS member"},
    {"rank", IDENTITY_NUMBERS,
     "SELECT DISTINCT trace.rank FROM (SELECT DISTINCT trace_id FROM scope) AS chosen JOIN trace "
     "ON trace.id = chosen.trace_id WHERE trace.rank IS NOT NULL ORDER BY trace.rank"},
    {"window", IDENTITY_JSON,
     "SELECT json_object('trace_id', trace_id, 'from_ns', from_ns, 'until_ns', until_ns, "
     "'length_ms', length_ms, 'activities', activities, 'cut', cut, 'cut_ms', cut_ms, 'launched', "
     "launched, 'outside_ms', outside_ms) FROM window_ledger"},
};

/* The worst of the runs, the first of several; which checks found something in any of them, and
 * what each trace is. */
static const char worst[] =
    "SELECT verdict, line || CASE WHEN others > 0 THEN format('; %d other run%s also doubtful "
    "(report trace_health)', others, iif(others = 1, ' is', 's are')) ELSE '' END, "
    "json_object('broken', (SELECT json_group_array(DISTINCT atom) FROM json_tree('[' || "
    "replace(json_quote(broken), ', ', '\", \"') || ']') WHERE "
    "type = 'text'), 'warning', (SELECT json_group_array(DISTINCT atom) FROM json_tree('[' || "
    "replace(json_quote(warning), ', ', '\", \"') || ']') "
    "WHERE type = 'text')), traces "
    "FROM (SELECT verdict, line, "
    "min(CASE WHEN trace_id IS NULL THEN instr('nuc', substr(verdict, 1, 1)) END), "
    "count(*) FILTER (WHERE trace_id IS NULL AND verdict <> 'complete') - 1 AS others, "
    "group_concat(broken_checks, ', ') FILTER (WHERE trace_id IS NULL) AS broken, "
    "group_concat(warning_checks, ', ') FILTER (WHERE trace_id IS NULL) AS warning, "
    "json_group_object(trace_id, verdict) FILTER (WHERE trace_id IS NOT NULL) AS traces "
    "FROM trace_verdict HAVING count(*) > 0)";

/* Runs a question with up to one parameter; `use` takes each of its rows. */
static bool each_row(struct warehouse *warehouse, const char *sql, const char *value,
                     void (*use)(void *context, sqlite3_stmt *row), void *context,
                     struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    if (done && value)
        sqlite3_bind_text(rows, 1, value, -1, SQLITE_STATIC);
    while (warehouse_next(warehouse, rows, &done, error))
        use(context, rows);
    database_finalize(rows);
    return done;
}

struct answer {
    struct identity *identity;
    const char *name;
    enum identity_kind kind;
};

static void take_value(void *context, sqlite3_stmt *row)
{
    struct answer *self = context;
    if (sqlite3_column_type(row, 0) != SQLITE_NULL)
        identity_add(self->identity, self->name, self->kind, database_text(row, 0));
}

static void take_health(void *context, sqlite3_stmt *row)
{
    identity_set_health(context, database_text(row, 0), database_text(row, 1),
                        database_text(row, 2), database_text(row, 3));
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

static void take_step(void *context, sqlite3_stmt *row)
{
    struct steps *self = context;
    int64_t step = sqlite3_column_int64(row, 0);
    if (self->any && step == self->last + 1) {
        self->last = step;
        return;
    }
    end_range(self);
    self->first = self->last = step;
    self->any = true;
}

/* Steps where the profiler marked none. */
static const char iterations[] =
    "SELECT printf('%d × %s, %s; --iteration NAME takes a range, none takes none', max(times), "
    "time_words(median(dur_ns)), iif(iteration = 'kernels', 'recognised from kernels', "
    "printf('range ''%s''', iteration))) FROM (SELECT iteration, dur_ns, count(*) OVER (PARTITION "
    "BY run, trace_id, iteration) AS times FROM trace_step WHERE iteration IS NOT NULL) GROUP BY "
    "iteration ORDER BY iteration";

static void take_iteration(void *context, sqlite3_stmt *row)
{
    identity_add(context, "iterations", IDENTITY_LIST, database_text(row, 0));
}

/* The steps that are selected: of those that were asked for only what is there, whichever tracks
 * their marks are on. */
static bool add_steps(struct warehouse *warehouse, const char *asked, struct identity *identity,
                      struct error *error)
{
    static const char selected[] =
        "SELECT DISTINCT step FROM scope CROSS JOIN step_mark ON step_mark.trace_id = "
        "scope.trace_id AND id BETWEEN first_event AND last_event WHERE kind = 'step' AND step IS "
        "NOT NULL ORDER BY step";
    static const char among_asked[] =
        "SELECT DISTINCT step FROM (SELECT DISTINCT trace_id FROM scope) AS chosen CROSS JOIN "
        "step_mark ON step_mark.trace_id = chosen.trace_id WHERE step BETWEEN CAST(?1 AS INTEGER) "
        "AND CAST(substr(?1, instr(?1, '-') + 1) AS INTEGER) ORDER BY step";
    struct steps steps = {0};
    bool done =
        each_row(warehouse, asked ? among_asked : selected, asked, take_step, &steps, error);
    if (done && steps.any) {
        end_range(&steps);
        identity_add(identity, "steps", IDENTITY_TEXT, steps.text.items);
    }
    text_free(&steps.text);
    return done && each_row(warehouse, iterations, NULL, take_iteration, identity, error);
}

/* ------------------------------------------------------------------ selection */

static bool add_answers(struct warehouse *warehouse, struct identity *identity, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && done; i++) {
        struct answer answer = {identity, questions[i].name, questions[i].kind};
        done = each_row(warehouse, questions[i].sql, NULL, take_value, &answer, error);
    }
    return done && each_row(warehouse, worst, NULL, take_health, identity, error);
}

bool identify_health_again(struct warehouse *warehouse, struct identity *identity,
                           struct error *error)
{
    memory_free(identity->verdict);
    identity->verdict = NULL;
    return each_row(warehouse, worst, NULL, take_health, identity, error);
}

bool identify_traces_of(struct warehouse *warehouse, struct identity *identity, struct error *error)
{
    return add_answers(warehouse, identity, error) && add_steps(warehouse, NULL, identity, error);
}

bool identify_selection(struct warehouse *warehouse, const struct selection *selection,
                        struct identity *identity, struct error *error)
{
    if (!add_answers(warehouse, identity, error) ||
        !add_steps(warehouse, selection->step, identity, error))
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
        text_free(&words);
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
    return identify_selection(warehouse, selection, identity, error);
}
