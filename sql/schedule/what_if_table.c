/* what_if_table: what the selected part of each trace would take if something were faster.
 *
 *     what_if_trace('op=aten::mm x0.5; host x0')   a row a trace and scenario (scenario.h)
 *     what_if_trace                                those of what_if_scenario, and what a path
 * suggests what_if_ranks                                the same of the ranks of each run together
 */
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/schedule/path_rows.h"
#include "sql/schedule/plan_read.h"
#include "sql/schedule/what_if_read.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <stdio.h>
#include <string.h>

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
    struct context *context;
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
    int result = row.name ? what_if_read(self->db, self->from->wholes.items[self->whole].run,
                                         scenario, &effect, &row.note)
                          : SQLITE_NOMEM;
    if (result == SQLITE_OK)
        effect_predict(&effect, &row.prediction);
    row.saved = row.prediction.makespan - row.prediction.after;
    if (result == SQLITE_OK && !array_add(&self->cursor->rows, row))
        result = SQLITE_NOMEM;
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
    sqlite3_stmt *kept = NULL;
    int result = SQLITE_OK;
    int64_t from, to = whole->path_begin;
    for (size_t i = whole->first_leg; i < whole->end_leg && result == SQLITE_OK; i++) {
        const struct segment *segment = &self->from->legs.items[i];
        from = to;
        to = segment->to;
        if (!segment_words[segment->kind].is_work)
            continue;
        uint32_t *place = map_put(&places, segment->about, 0);
        const char *text = NULL;
        if (!*place)
            result = database_find_text(self->db, &kept, "SELECT text FROM string WHERE id = ?1",
                                        segment->about, &text);
        if (!*place && result == SQLITE_OK) {
            array_add(list, (struct spent){segment->about, 0, memory_text(text)});
            *place = (uint32_t)list->count;
        }
        if (result == SQLITE_OK)
            list->items[*place - 1].time += to - from;
    }
    database_finalize(kept);
    map_free(&places);
    array_sort(list, compare_spent);
    return result;
}

/* Names with most time on the path. */
enum { NAMES_LISTED = 3 };

static int predict_names(struct asker *self)
{
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
ORDER_BY(compare_parts, struct rank_time, UP(part));

/* The first of them are to be listed, by rank. */
static struct rank_time *find_times(const struct asker *self)
{
    const struct path_whole *whole = &self->from->wholes.items[self->whole];
    size_t count = self->plan->parts.count, listed = count < RANKS_LISTED ? count : RANKS_LISTED;
    struct rank_time *times = memory_list(count + 1, sizeof *times);
    for (uint32_t part = 0; part < count; part++)
        times[part] = (struct rank_time){0, part};
    int64_t from, to = whole->path_begin;
    for (size_t i = whole->first_leg; i < whole->end_leg; i++) {
        const struct segment *segment = &self->from->legs.items[i];
        from = to;
        to = segment->to;
        if (segment->kind == SEGMENT_COMPUTATION)
            times[segment->part].time += to - from;
    }
    if (count > listed)
        qsort(times, count, sizeof *times, compare_times);
    qsort(times, listed, sizeof *times, compare_parts);
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
    sqlite3_stmt *rows = NULL;
    int result = database_prepare(
        self->db,
        "SELECT scenario, changes, kernel IS NOT NULL, (SELECT id FROM string WHERE text = kernel) "
        "FROM what_if_scenario ORDER BY position, scenario",
        &rows, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = database_text(rows, 0), *text = database_text(rows, 1);
        bool is_known = sqlite3_column_type(rows, 3) == SQLITE_INTEGER;
        bool is_listed = !sqlite3_column_int(rows, 2) ||
                         (is_known && has_kernel(self, sqlite3_column_int64(rows, 3)));
        result = is_listed ? predict_text(self, text, name) : SQLITE_OK;
    }
    return database_end(rows, result);
}

/* ------------------------------------------------------------------ the tables */

static int answer(struct asker *self, const char *text)
{
    const struct path_whole *whole = &self->from->wholes.items[self->whole];
    struct plan *made = NULL;
    int result = SQLITE_OK;
    if (whole->is_trimmed)
        result = whole->trace ? plan_read(self->db, self->context, whole->run, whole->trace, &made)
                              : plan_read_run(self->db, self->context, whole->run, &made);
    self->plan = whole->is_trimmed ? made : whole->plan;
    if (result == SQLITE_OK && self->plan && text)
        result = predict_text(self, text, NULL);
    else if (result == SQLITE_OK && self->plan) {
        result = predict_listed(self);
        result = result == SQLITE_OK ? predict_names(self) : result;
        result = result == SQLITE_OK ? predict_ranks(self) : result;
    }
    plan_free(made);
    return result;
}

enum { ROW, WHOLE, ASKED };

static int start(struct table_cursor *base, const struct table_wish *wish, struct error *error)
{
    struct what_cursor *cursor = (struct what_cursor *)(void *)base;
    const char *text = wish->keys[0] ? (const char *)sqlite3_value_text(wish->keys[0]) : NULL;
    cursor->asked = text ? memory_text(text) : NULL;
    if (text && !cursor->asked)
        return SQLITE_NOMEM;
    struct asker asker = {.db = wish->db,
                          .context = wish->context,
                          .from = base->reading,
                          .cursor = cursor,
                          .error = error};
    int result = SQLITE_OK;
    for (uint32_t i = 0; i < asker.from->wholes.count && result == SQLITE_OK; i++) {
        asker.whole = i;
        result = answer(&asker, text);
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

static void stop(struct table_cursor *base)
{
    struct what_cursor *cursor = (struct what_cursor *)(void *)base;
    for (size_t i = 0; i < cursor->rows.count; i++)
        memory_free(cursor->rows.items[i].name);
    array_free(&cursor->rows);
    memory_free(cursor->asked);
}

#define OF_ROW(kind, member) TABLE_AT(kind, ROW, struct what_row, member)

#define PREDICTION                                                                                \
    {"scenario", "TEXT", "name of the scenario, what would be faster", OF_ROW(TEXT, name)},       \
        {"makespan_ns", "INTEGER", "duration as recorded", OF_ROW(INT64, prediction.makespan)},   \
        {"new_ns", "INTEGER", "duration in the scenario", OF_ROW(INT64, prediction.after)},       \
        {"saved_ns", "INTEGER", "difference of both durations", OF_ROW(INT64, saved)},            \
        {"on_path_ns", "INTEGER", "upper bound of the saving: the saving on the path itself",     \
         OF_ROW(INT64, prediction.on_path)},                                                      \
        {"switches", "INTEGER", "number of moments with another dependency",                      \
         OF_ROW(INT64, prediction.switches)},                                                     \
        {"note", "TEXT", "note about what could not be done", OF_ROW(WORD, note)},                \
        {"scenarios", "TEXT",                                                                     \
         "argument: scenarios as SELECTOR xF, joined by commas; several behind semicolons; NULL " \
         "= the usual ones",                                                                      \
         TABLE_AT(TEXT, ASKED, struct what_cursor, asked), .role = TABLE_ARGUMENT},               \
    {                                                                                             \
        0                                                                                         \
    }

static const struct table_column trace_columns[] = {
    {"run", "TEXT", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run)},
    {"trace_id", "INTEGER", "id of the trace", TABLE_AT(INT64, WHOLE, struct path_whole, trace)},
    PREDICTION,
};

static const struct table_column run_columns[] = {
    {"run", "TEXT", "name of the run", TABLE_AT(WORD, WHOLE, struct path_whole, run)},
    PREDICTION,
};

static const struct table trace_table = {
    TABLE_MADE(trace_columns, 100, 10, struct what_cursor, start, next, stop),
    .reading = &path_reading,
};

static const struct table run_table = {
    TABLE_MADE(run_columns, 100, 10, struct what_cursor, start, next, stop),
    .reading = &path_reading_ranks,
};

const struct function what_if_functions[] = {
    TABLE("what_if_trace", trace_table,
          "A table: what the selected part of each trace would take if something were faster, a "
          "row a scenario, by the graph that its critical path is from."),
    TABLE("what_if_ranks", run_table, "A table: the same of the ranks of each run together."),
    {0},
};
