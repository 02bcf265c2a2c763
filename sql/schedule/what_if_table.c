/* what_if_table: what the selected part of each trace would take if something were faster.
 *
 *     what_if_trace('op=aten::mm x0.5; host x0')   a row a trace and scenario (scenario.h)
 *     what_if_trace                                the usual ones: those of what_if_scenario, names
 *                                                  with most time on the path, and ranks
 *     what_if_ranks                                the same of the ranks of each run together
 */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/schedule/path_rows.h"
#include "sql/schedule/plan.h"
#include "sql/schedule/what_if.h"
#include "sql/sqlite.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <stdio.h>
#include <string.h>

/* what_if_read: which works and calls a scenario is about, from the warehouse.
 *
 * Ops, modules and categories are ranges of ids: what is below a
 * call has the ids from its own to its last. */

/* A call, with the factor of the work below it where each has its own. */
struct below {
    int64_t first, last, track, start, end;
    struct factor factor;
};
typedef ARRAY(struct below) below_list;

struct compiler {
    sqlite3 *db;
    const char *run;
    struct effect *effect;
    const struct plan *plan;
    const char **note;
};

ORDER_BY(compare_below, struct below, UP(first) || DOWN(last));

/* Calls of a trace, the outermost of them: ?1 is the trace, ?2 and ?3 are its first and last id,
 * ?4 is what is asked for, ?5 the run. Rows are id, last id, track, start, duration and the two
 * parts of a factor. */
static int read_below(const struct compiler *self, const struct schedule *part, const char *sql,
                      const char *value, below_list *list)
{
    struct asked asked;
    struct below below;
    int64_t duration;
    ASK(&asked, self->db, sql, part->trace, part->first_id, part->last_id, value, self->run);
    while (ASKED_ROW(&asked, &below.first, &below.last, &below.track, &below.start, &duration,
                     &below.factor.up, &below.factor.down)) {
        below.start += part->shift;
        below.end = below.start + duration;
        array_add(list, below);
    }
    array_sort(list, compare_below);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!kept || list->items[i].first > list->items[kept - 1].last)
            list->items[kept++] = list->items[i];
    list->count = kept;
    return asked_end(&asked);
}

/* The call that an event is or is below, of calls that are apart from each other; NULL = none. */
static const struct below *find_below(const below_list *list, int64_t id)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, list->count, list->items[place].last < id);
    return place < list->count && list->items[place].first <= id ? &list->items[place] : NULL;
}

/* ------------------------------------------------------------------ which work */

#define CALL "event.id, event.last_id, event.track_id, event.ts_ns, event.dur_ns"
#define OP                                                                   \
    "SELECT " CALL ", 1, 1 FROM event WHERE event.id BETWEEN ?2 AND ?3 AND " \
    "event.category_id IN (SELECT id FROM category WHERE role = 'op') AND "
#define MODULE "substr(string.text, 12)"

static const struct {
    const char *equal, *pattern;
} questions[SELECTORS] = {
    [SELECT_OP] = {OP "event.name_id IN (SELECT id FROM string WHERE text = ?4)",
                   OP "event.name_id IN (SELECT id FROM string WHERE text REGEXP ?4)"},
    [SELECT_CATEGORY] = {"SELECT " CALL ", 1, 1 FROM launcher_work AS work JOIN event ON event.id "
                         "= work.launcher_id WHERE work.trace_id = ?1 AND work.category = ?4 AND "
                         "work.run = ?5",
                         NULL},
    [SELECT_MODULE] = {"SELECT " CALL ", 1, 1 FROM module_work AS work JOIN string ON string.id = "
                       "work.name_id JOIN event ON event.id = work.id WHERE work.trace_id = ?1 "
                       "AND ?4 IN (" MODULE ", rtrim(rtrim(" MODULE ", '0123456789'), '_')) AND "
                       "work.run = ?5",
                       NULL},
};

/* Tests for one part which work a selector is about. */
struct test {
    const struct selector *selector;
    const struct schedule *part;
    struct map names;
    below_list below;
    int64_t number;
};

static bool holds(const struct test *self, const struct work *work)
{
    switch (self->selector->kind) {
    case SELECT_KERNEL:
        return map_get(&self->names, work->name, 0) != 0;
    case SELECT_CLASS: {
        static const char *const classes[] = {[WORK_COMPUTATION] = "computation",
                                              [WORK_COMMUNICATION] = "communication",
                                              [WORK_MEMORY] = "memory"};
        return strcmp(classes[work->class], self->selector->value) == 0;
    }
    case SELECT_RANK:
        return self->part->rank == self->number;
    case SELECT_DEVICE:
        return self->part->streams.items[work->stream].device == self->number;
    case SELECT_OP:
    case SELECT_CATEGORY:
    case SELECT_MODULE:
        return find_below(&self->below, self->part->first_id + work->id) != NULL;
    case SELECT_ALL:
        return true;
    default:
        return false;
    }
}

/* The time of the host in calls of a part: on the threads that they ran on. */
static int take_host(const struct compiler *self, uint32_t part, const struct test *test,
                     struct factor factor)
{
    const struct schedule *schedule = &self->plan->parts.items[part];
    struct map threads = {0};
    for (uint32_t i = 0; i < schedule->threads.count; i++)
        map_set(&threads, schedule->threads.items[i].track, 0, i + 1);
    for (size_t i = 0; i < test->below.count; i++) {
        const struct below *below = &test->below.items[i];
        uint32_t thread = map_get(&threads, below->track, 0);
        if (thread)
            effect_inside(self->effect, (struct inside){part, thread - 1, below->start, below->end,
                                                        factor, false});
    }
    map_free(&threads);
    return SQLITE_OK;
}

static int take_works(const struct compiler *self, uint32_t part, const struct change *change)
{
    const struct schedule *schedule = &self->plan->parts.items[part];
    size_t count = change->selectors.count, opened = 0;
    struct test *tests = memory_zeroed(count, sizeof *tests);
    int result = SQLITE_OK;
    for (; opened < count && result == SQLITE_OK; opened++) {
        const struct selector *selector = &change->selectors.items[opened];
        struct test *test = &tests[opened];
        *test = (struct test){.selector = selector, .part = schedule};
        const char *sql = selector->is_pattern ? questions[selector->kind].pattern
                                               : questions[selector->kind].equal;
        if (selector->kind == SELECT_RANK || selector->kind == SELECT_DEVICE)
            test->number = strtol(selector->value, NULL, 10);
        if (selector->kind == SELECT_KERNEL) {
            struct asked asked;
            int64_t name;
            ASK(&asked, self->db,
                selector->is_pattern ? "SELECT id FROM string WHERE text REGEXP ?1"
                                     : "SELECT id FROM string WHERE text = ?1",
                selector->value);
            while (ASKED_ROW(&asked, &name))
                map_set(&test->names, name, 0, 1);
            result = asked_end(&asked);
        } else
            result =
                sql ? read_below(self, schedule, sql, selector->value, &test->below) : SQLITE_OK;
    }
    for (uint32_t i = 0; i < schedule->works.count && result == SQLITE_OK; i++) {
        bool is_chosen = schedule->works.items[i].is_inside;
        for (size_t j = 0; j < count && is_chosen; j++)
            is_chosen = holds(&tests[j], &schedule->works.items[i]);
        if (is_chosen)
            effect_work(self->effect, part, i, change->factor);
    }
    for (size_t i = 0; i < opened; i++) {
        if (result == SQLITE_OK && change->selectors.items[i].with_host)
            result = take_host(self, part, &tests[i], change->factor);
        map_free(&tests[i].names);
        array_free(&tests[i].below);
    }
    memory_free(tests);
    return result;
}

/* ------------------------------------------------------------------ factors that are looked up */

/* Calls with a model take what the accelerator needs at least, if that is less. */
static int take_roofline(const struct compiler *self, uint32_t part, const char *category)
{
    static const char sql[] =
        "SELECT " CALL ", CAST(max(call.flops / (arg(limits.peaks, call.compute_spec) * 1e3), "
        "call.bytes / limits.mem_bw_gbps) AS INTEGER), call.kernel_ns "
        "FROM modelled_call AS call "
        "JOIN roofline_limits AS limits ON limits.run = call.run AND limits.trace_id = "
        "call.trace_id "
        "JOIN event ON event.id = call.id "
        "WHERE call.trace_id = ?1 AND call.run = ?5 "
        "AND max(call.flops / (arg(limits.peaks, call.compute_spec) * 1e3), "
        "call.bytes / limits.mem_bw_gbps) < call.kernel_ns "
        "AND (?4 IS NULL OR call.id IN (SELECT id FROM op_call WHERE trace_id = ?1 AND category = "
        "?4))";
    const struct schedule *schedule = &self->plan->parts.items[part];
    below_list below = {0};
    int result = read_below(self, schedule, sql, category, &below);
    for (uint32_t i = 0; i < schedule->works.count && result == SQLITE_OK && below.count; i++) {
        const struct below *call =
            find_below(&below, schedule->first_id + schedule->works.items[i].id);
        if (call)
            effect_work(self->effect, part, i, call->factor);
    }
    array_free(&below);
    return result;
}

/* A rank's computation in a step. */
struct share {
    int64_t step, own, median;
    uint32_t part;
};
typedef ARRAY(struct share) share_list;

ORDER_BY(compare_shares, struct share, UP(step) || UP(own) || UP(part));
ORDER_BY(compare_parts, struct share, UP(part) || UP(step));

ORDER_BY(compare_starts, struct below, UP(start));

/* The step in which a work's call starts; INT64_MIN = none. Without steps everything is one. */
static int64_t step_of(const struct schedule *part, const below_list *steps,
                       const struct work *work)
{
    if (!steps->count)
        return 0;
    if (!work->call)
        return INT64_MIN;
    int64_t start = part->calls.items[work->call - 1].start;
    size_t place;
    ARRAY_LOWER_BOUND(place, steps->count, steps->items[place].start <= start);
    bool is_inside = place && start < steps->items[place - 1].end;
    return is_inside ? steps->items[place - 1].factor.up : INT64_MIN;
}

static bool is_balanced(const struct work *work)
{
    return work->is_inside && work->class == WORK_COMPUTATION;
}

/* To the last one, if it is of the same part and step. */
static void add_share(share_list *list, struct share share)
{
    struct share *last = list->count ? &list->items[list->count - 1] : NULL;
    if (!last || compare_parts(last, &share) != 0) {
        array_add(list, share);
        return;
    }
    last->own += share.own;
}

static int take_balanced(const struct compiler *self)
{
    size_t parts = self->plan->parts.count;
    below_list *steps = memory_zeroed(parts, sizeof *steps);
    share_list shares = {0};
    int result = SQLITE_OK;
    for (uint32_t part = 0; part < parts && result == SQLITE_OK; part++) {
        const struct schedule *schedule = &self->plan->parts.items[part];

        /* Marks of steps; the factor's place holds the number of the step. */
        result = read_below(self, schedule,
                            "SELECT id, id, track_id, ts_ns, dur_ns, CAST(step AS INTEGER), 1 FROM "
                            "trace_step WHERE trace_id = ?1 AND run = ?5 AND kind = 'step'",
                            NULL, &steps[part]);
        array_sort(&steps[part], compare_starts);
        for (size_t i = 0; i < schedule->works.count && result == SQLITE_OK; i++) {
            const struct work *work = &schedule->works.items[i];
            int64_t step = is_balanced(work) ? step_of(schedule, &steps[part], work) : INT64_MIN;
            struct share share = {step, work->end - work->start, 0, part};
            if (step != INT64_MIN)
                add_share(&shares, share);
        }
    }

    /* In each step all parts get the median of their own times. */
    size_t count = shares.count;
    array_sort(&shares, compare_parts);
    shares.count = 0;
    for (size_t i = 0; i < count; i++)
        add_share(&shares, shares.items[i]); /* there is room */
    array_sort(&shares, compare_shares);
    for (size_t i = 0, next; i < shares.count; i = next) {
        for (next = i; next < shares.count && shares.items[next].step == shares.items[i].step;)
            next++;
        int64_t low = shares.items[i + (next - i - 1) / 2].own,
                high = shares.items[i + (next - i) / 2].own;
        for (size_t j = i; j < next; j++)
            shares.items[j].median = low + (high - low) / 2;
    }
    array_sort(&shares, compare_parts);
    for (uint32_t part = 0; part < parts && result == SQLITE_OK; part++) {
        const struct schedule *schedule = &self->plan->parts.items[part];
        for (uint32_t i = 0; i < schedule->works.count && result == SQLITE_OK; i++) {
            const struct work *work = &schedule->works.items[i];
            int64_t step = is_balanced(work) ? step_of(schedule, &steps[part], work) : INT64_MIN;
            size_t place;
            ARRAY_LOWER_BOUND(
                place, shares.count,
                shares.items[place].part < part ||
                    (shares.items[place].part == part && shares.items[place].step < step));
            if (step != INT64_MIN && shares.items[place].own)
                effect_work(self->effect, part, i,
                            (struct factor){shares.items[place].median, shares.items[place].own});
        }
    }
    for (size_t part = 0; steps && part < parts; part++)
        array_free(&steps[part]);
    memory_free(steps);
    array_free(&shares);
    return result;
}

/* ------------------------------------------------------------------ all of it */

static int take_hidden(const struct compiler *self, uint32_t part)
{
    const struct schedule *schedule = &self->plan->parts.items[part];
    for (uint32_t i = 0; i < schedule->works.count; i++)
        if (schedule->works.items[i].class == WORK_COMMUNICATION)
            effect_work(self->effect, part, i, (struct factor){0, 1});
    return SQLITE_OK;
}

static void take_factor(struct effect *effect, struct factor *of, struct factor factor)
{
    *of = factor_times(*of, factor);
    effect->matched = true;
}

static int take_change(const struct compiler *self, const struct change *change)
{
    const struct selector *first = &change->selectors.items[0];
    int result = SQLITE_OK;
    switch (first->kind) {
    case SELECT_IDENTITY:
        self->effect->matched = true;
        return SQLITE_OK;
    case SELECT_HOST:
        take_factor(self->effect, &self->effect->host, change->factor);
        return SQLITE_OK;
    case SELECT_LAUNCH:
        take_factor(self->effect, &self->effect->launch, change->factor);
        return SQLITE_OK;
    case SELECT_WAIT:
        take_factor(self->effect, &self->effect->wait, change->factor);
        return SQLITE_OK;
    case SELECT_BALANCED:
        if (self->plan->parts.count > 1)
            return take_balanced(self);
        *self->note = "ranks are balanced in ranks_what_if, where there are several";
        return SQLITE_OK;
    default:
        break;
    }
    for (uint32_t part = 0; part < self->plan->parts.count && result == SQLITE_OK; part++)
        result = first->kind == SELECT_ROOFLINE ? take_roofline(self, part, first->value)
                 : first->kind == SELECT_HIDDEN ? take_hidden(self, part)
                                                : take_works(self, part, change);
    if (first->kind == SELECT_ROOFLINE && !self->effect->matched)
        *self->note = "no call is known to take longer than its roofline; --gpu-arch-platform "
                      "names the accelerator where the trace does not";
    return result;
}

/* Adds what a scenario changes; `*note` becomes a sentence where it is not all that was asked. A
 * result code of SQLite. */
static int what_if_read(sqlite3 *db, const char *run, const struct scenario *scenario,
                        struct effect *effect, const char **note)
{
    const struct compiler self = {db, run, effect, effect->plan, note};
    int result = SQLITE_OK;
    for (size_t i = 0; i < scenario->changes.count && result == SQLITE_OK; i++)
        result = take_change(&self, &scenario->changes.items[i]);
    if (result == SQLITE_OK && !effect->matched && !*note)
        *note = "nothing is called so";
    effect_settle(effect);
    return result;
}

struct what_row {
    struct prediction prediction;
    int64_t saved;
    char *name;
    const char *note;
    uint32_t whole;
};

struct what_cursor {
    struct table_cursor base;
    ARRAY(struct what_row) rows;
    size_t next;
    char *asked; /* scenarios; NULL = none */
};

struct asker {
    sqlite3 *db;
    const struct path_rows *from;
    struct what_cursor *cursor;
    struct error *error;
    uint32_t whole;
    struct plan *plan;
};

/* ------------------------------------------------------------------ one scenario */

static int predict(struct asker *self, const struct scenario *scenario, const char *name)
{
    struct effect effect;
    struct what_row row = {.whole = self->whole, .name = memory_text(name)};
    effect_init(&effect, self->plan);
    int result = what_if_read(self->db, self->from->wholes.items[self->whole].run, scenario,
                              &effect, &row.note);
    if (result == SQLITE_OK)
        effect_predict(&effect, &row.prediction);
    row.saved = row.prediction.makespan - row.prediction.after;
    if (result == SQLITE_OK)
        array_add(&self->cursor->rows, row);
    if (result != SQLITE_OK)
        memory_free(row.name);
    effect_free(&effect);
    return result;
}

/* The scenarios of a text, by their own words or by a name. */
static int predict_text(struct asker *self, const char *text, const char *name)
{
    scenario_list list = {0};
    int result = SQLITE_OK;
    if (!scenario_parse(&list, text, "", "what-if", self->error))
        result = self->error->status == STATUS_DATABASE ? SQLITE_NOMEM : SQLITE_ERROR;
    for (size_t i = 0; i < list.count && result == SQLITE_OK; i++)
        result = predict(self, &list.items[i], name ? name : list.items[i].text);
    scenario_free(&list);
    return result;
}

/* ------------------------------------------------------------------ those that nobody named */

/* Time on the path by the name of its work. */
struct spent {
    int64_t name, time;
    char *text;
};
typedef ARRAY(struct spent) spent_list;

ORDER_BY(compare_spent, struct spent, DOWN(time) || WORDS(text));

static int find_spent(const struct asker *self, spent_list *list)
{
    const struct path_whole *whole = &self->from->wholes.items[self->whole];
    struct map places = {0};
    struct asked asked;
    asked_open(&asked, self->db, "SELECT text FROM string WHERE id = ?1");
    for (size_t i = whole->first_piece; i < whole->end_piece; i++) {
        const struct segment *segment = &self->from->pieces.items[i];
        if (!segment_words[segment->kind].is_work)
            continue;
        uint32_t *place = map_put(&places, segment->about, 0);
        if (!*place) {
            const char *text = "";
            ASKED_ABOUT(&asked, segment->about);
            ASKED_ROW(&asked, &text);
            array_add(list, (struct spent){segment->about, 0, memory_text(text)});
            *place = (uint32_t)list->count;
        }
        list->items[*place - 1].time += segment->to - segment->from;
    }
    map_free(&places);
    array_sort(list, compare_spent);
    return asked_end(&asked);
}

/* Names with most time on the path. */
static int predict_spent(struct asker *self)
{
    enum { NAMES_LISTED = 3 };
    spent_list list = {0};
    int result = find_spent(self, &list);
    for (size_t i = 0; i < list.count && i < NAMES_LISTED && result == SQLITE_OK; i++) {
        char *name = database_format("work x0.5: %s", list.items[i].text);
        struct selector selector = {.kind = SELECT_KERNEL, .value = list.items[i].text};
        struct change change = {.selectors = {&selector, 1, 1}, .factor = {1, 2}};
        struct scenario scenario = {.changes = {&change, 1, 1}};
        result = predict(self, &scenario, name);
        memory_free(name);
    }
    for (size_t i = 0; i < list.count; i++)
        memory_free(list.items[i].text);
    array_free(&list);
    return result;
}

/* Ranks that are listed: those with most computation on the path, as each costs a walk through all
 * of the graph; not_included_in_what_if counts the others. */
enum { RANKS_LISTED = 16 };

struct rank_time {
    int64_t time;
    uint32_t part;
};

ORDER_BY(compare_times, struct rank_time, DOWN(time) || UP(part));
ORDER_BY(compare_ranks, struct rank_time, UP(part));

/* The first of them are to be listed, by rank. */
static struct rank_time *find_times(const struct asker *self)
{
    const struct path_whole *whole = &self->from->wholes.items[self->whole];
    size_t count = self->plan->parts.count, listed = count < RANKS_LISTED ? count : RANKS_LISTED;
    struct rank_time *times = memory_list(count + 1, sizeof *times);
    for (uint32_t part = 0; part < count; part++)
        times[part] = (struct rank_time){0, part};
    for (size_t i = whole->first_piece; i < whole->end_piece; i++) {
        const struct segment *segment = &self->from->pieces.items[i];
        if (segment->kind == SEGMENT_COMPUTATION)
            times[segment->part - whole->first_rank].time += segment->to - segment->from;
    }
    if (count > listed)
        qsort(times, count, sizeof *times, compare_times);
    qsort(times, listed, sizeof *times, compare_ranks);
    return times;
}

static int predict_ranks(struct asker *self)
{
    size_t count = self->plan->parts.count;
    if (count < 2)
        return SQLITE_OK;
    struct rank_time *times = find_times(self);
    int result = SQLITE_OK;
    for (size_t i = 0; i < count && i < RANKS_LISTED && result == SQLITE_OK; i++) {
        int64_t rank = self->plan->parts.items[times[i].part].rank;
        char text[96], name[96];
        if (rank < 0)
            continue;
        snprintf(text, sizeof text, "class=computation & rank=%lld x0.5", (long long)rank);
        snprintf(name, sizeof name, "rank %lld computation x0.5", (long long)rank);
        result = predict_text(self, text, name);
    }
    memory_free(times);
    return result;
}

static bool has_kernel(const struct asker *self, int64_t name)
{
    for (size_t part = 0; part < self->plan->parts.count; part++) {
        const struct schedule *schedule = &self->plan->parts.items[part];
        for (size_t i = 0; i < schedule->works.count; i++)
            if (schedule->works.items[i].is_inside && schedule->works.items[i].name == name)
                return true;
    }
    return false;
}

/* Rows of the catalog: names that are not in the warehouse at all have no id. */
static int predict_listed(struct asker *self)
{
    struct asked asked;
    const char *name, *text;
    bool has_name;
    int64_t id;
    ASK(&asked, self->db,
        "SELECT scenario, changes, kernel IS NOT NULL, (SELECT id FROM string WHERE text = kernel) "
        "FROM what_if_scenario ORDER BY position, scenario",
        0);
    while (ASKED_ROW(&asked, &name, &text, &has_name, OR_NONE(&id)))
        if (!has_name || (id != INT64_MIN && has_kernel(self, id)))
            asked.result = predict_text(self, text, name);
    return asked_end(&asked);
}

/* ------------------------------------------------------------------ the tables */

enum { ROW, WHOLE, ASKED };

static int start(struct table_cursor *base, const struct table_wish *wish, struct error *error)
{
    struct what_cursor *cursor = (struct what_cursor *)(void *)base;
    const char *text = wish->keys[0] ? (const char *)sqlite3_value_text(wish->keys[0]) : NULL;
    cursor->asked = text ? memory_text(text) : NULL;
    struct asker asker = {.db = wish->db, .from = base->reading, .cursor = cursor, .error = error};
    int result = SQLITE_OK;
    for (uint32_t i = 0; i < asker.from->wholes.count && result == SQLITE_OK; i++) {
        const struct path_whole *whole = &asker.from->wholes.items[i];
        struct plan *made = NULL;
        if (!whole->plan)
            result = whole->trace
                         ? plan_read(asker.db, wish->context, whole->run, whole->trace, &made)
                         : plan_read_run(asker.db, wish->context, whole->run, &made);
        asker.whole = i;
        asker.plan = whole->plan ? whole->plan : made;
        if (result == SQLITE_OK && asker.plan && text)
            result = predict_text(&asker, text, NULL);
        else if (result == SQLITE_OK && asker.plan) {
            result = predict_listed(&asker);
            if (result == SQLITE_OK)
                result = predict_spent(&asker);
            if (result == SQLITE_OK)
                result = predict_ranks(&asker);
        }
        plan_free(made);
    }
    return result;
}

static int next(struct table_cursor *base)
{
    struct what_cursor *cursor = (struct what_cursor *)(void *)base;
    const struct path_rows *from = base->reading;
    base->at_end = cursor->next >= cursor->rows.count;
    if (!base->at_end) {
        const struct what_row *row = &cursor->rows.items[cursor->next++];
        base->rowid = (sqlite3_int64)cursor->next;
        base->parts[ROW] = row;
        base->parts[WHOLE] = &from->wholes.items[row->whole];
        base->parts[ASKED] = cursor;
    }
    return SQLITE_OK;
}

#define OF_ROW(kind, member) TABLE_AT(kind, ROW, struct what_row, member)

static const struct table_column columns[] = {
    {"run", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run)},
    {"trace_id", "id of the trace; NULL for ranks together",
     TABLE_AT(ID, WHOLE, struct path_whole, trace)},
    {"scenario", "name of the scenario, what would be faster", OF_ROW(TEXT, name)},
    {"makespan_ns", "duration as recorded", OF_ROW(INT64, prediction.makespan)},
    {"new_ns", "duration in the scenario", OF_ROW(INT64, prediction.after)},
    {"saved_ns", "difference of both durations", OF_ROW(INT64, saved)},
    {"on_path_ns", "upper bound of the saving: the saving on the path itself",
     OF_ROW(INT64, prediction.on_path)},
    {"switches", "number of moments with another dependency", OF_ROW(INT64, prediction.switches)},
    {"note", "note about what could not be done", OF_ROW(WORD, note)},
    {"scenarios",
     "argument: scenarios as SELECTOR xF, joined by commas; several behind semicolons; NULL = the "
     "usual ones",
     TABLE_AT(TEXT, ASKED, struct what_cursor, asked), .role = TABLE_ARGUMENT},
    {0},
};

static const struct table trace_table = {
    TABLE_MADE(columns, 100, 10, struct what_cursor, start, next, NULL),
    .reading = &path_reading,
};

static const struct table run_table = {
    TABLE_MADE(columns, 100, 10, struct what_cursor, start, next, NULL),
    .reading = &path_reading_ranks,
};

const struct function what_if_functions[] = {
    TABLE("what_if_trace", trace_table,
          "A table: what the selected part of each trace would take if something were faster, a "
          "row a scenario, by the graph that its critical path is from."),
    TABLE("what_if_ranks", run_table, "A table: the same of the ranks of each run together."),
    {0},
};
