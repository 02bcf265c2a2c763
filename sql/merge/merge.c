/* merge: Steps come from the schema (belongings_merging). Each source goes through them in one
 * transaction: runs, traces, rows. */
#include "sql/merge/merge.h"

#include "sql/database.h"
#include "sql/merge/merge_source.h"
#include "sql/warehouse/belongings.h"
#include "sql/warehouse/rollup.h"
#include "sql/warehouse/tables.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <string.h>
#include <sys/stat.h>

/* A step of belongings_merging. */
struct step {
    char *kind, *name, *list, *copy;
    char *question; /* whether the table of the source has rows */
    bool is_there;  /* the source has such a table */
};

/* A trace of the source. */
struct found_trace {
    int64_t id, run, first, last; /* there */
    int64_t here, first_here;     /* `here` 0 = it stays away */
    size_t count;                 /* index of its run in `runs` */
};

struct open_event {
    int64_t id, last;
};

struct run_count {
    char *name;
    int64_t stored, known;
};

struct merge {
    const struct merge_options *options;
    const struct merge_observer *observer;
    struct warehouse warehouse;
    bool is_open, is_building;
    struct merge_maps maps;
    ARRAY(struct step) steps; /* of the warehouse, which are those of its building */
    struct merge_source source;
    ARRAY(struct found_trace) traces; /* of the source, as their events stand */
    ARRAY(struct run_count) runs;
    const struct found_trace *trace; /* whose events are copied */
    int64_t previous;                /* id of the last one that was */
    ARRAY(struct open_event) open;   /* events around the one that comes */
    struct merge_outcome *outcome;
    struct error *error;
};

static bool failed(struct merge *self)
{
    return merge_source_failed(&self->source, self->error);
}

static bool damaged(struct merge *self, const char *words)
{
    return merge_source_damaged(&self->source, words, self->error);
}

static sqlite3_stmt *merge_prepare(struct merge *self, const char *sql)
{
    return merge_source_prepare(&self->source, sql, self->error);
}

static void finish(sqlite3_stmt *statement)
{
    if (statement)
        merge_source_done(statement);
}

static bool merge_ask(struct merge *self, const char *sql, int64_t number, int64_t *answer)
{
    return merge_source_ask(&self->source, sql, number, answer, self->error);
}

/* The next row of a statement about the source; false also at the end. */
static bool next(struct merge *self, sqlite3_stmt *rows, bool *done)
{
    int result = *done ? sqlite3_step(rows) : SQLITE_DONE;
    *done = *done && (result == SQLITE_ROW || result == SQLITE_DONE || failed(self));
    return result == SQLITE_ROW;
}

/* Runs a statement that gives no rows, with the numbers that it asks for. */
static bool run(struct merge *self, const char *sql, const int64_t *numbers, int64_t *changes)
{
    sqlite3_stmt *statement = merge_prepare(self, sql);
    int count = statement ? sqlite3_bind_parameter_count(statement) : 0;
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(statement, i + 1, numbers[i]);
    bool done = statement && (sqlite3_step(statement) == SQLITE_DONE || failed(self));
    if (done && changes)
        *changes += sqlite3_changes64(self->warehouse.db);
    finish(statement);
    return done;
}

static struct merge_map *map_of(struct merge *self, const char *table)
{
    return merge_maps_open(&self->maps, self->warehouse.db, table);
}

static bool map_to(struct merge *self, struct merge_map *map, struct merge_entry entry)
{
    return merge_map_add(map, entry) || damaged(self, "rows stand in no order");
}

/* ------------------------------------------------------------------ steps */

static void forget_steps(struct merge *self)
{
    for (size_t i = 0; i < self->steps.count; i++) {
        struct step *step = &self->steps.items[i];
        memory_free(step->kind), memory_free(step->name), memory_free(step->list),
            memory_free(step->copy);
        memory_free(step->question);
    }
    array_free(&self->steps);
}

static char *copy_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? memory_text(text) : NULL;
}

static bool learn_steps(struct merge *self)
{
    sqlite3_stmt *rows = belongings_merging(&self->warehouse, self->error);
    bool done = rows != NULL;
    while (warehouse_next(&self->warehouse, rows, &done, self->error)) {
        struct step step = {.kind = copy_text(rows, 0),
                            .name = copy_text(rows, 1),
                            .list = copy_text(rows, 2),
                            .copy = copy_text(rows, 3)};
        step.question = database_format("SELECT EXISTS (SELECT 1 FROM source.\"%w\")", step.name);
        array_add(&self->steps, step);
    }
    database_finalize(rows);
    return done;
}

/* merged_fits(id, up, below, dur_ns): an event must be below the innermost one that is still open,
 * and end in it. */
static void merged_fits(sqlite3_context *out, int count, sqlite3_value **values)
{
    (void)count;
    struct merge *self = sqlite3_user_data(out);
    int64_t id = sqlite3_value_int64(values[0]), below = sqlite3_value_int64(values[2]);
    bool is_root = sqlite3_value_type(values[1]) == SQLITE_NULL;
    int64_t up = sqlite3_value_int64(values[1]);
    const char *words = NULL;
    while (self->open.count && self->open.items[self->open.count - 1].last < id)
        self->open.count--;
    const struct open_event *above =
        self->open.count ? &self->open.items[self->open.count - 1] : NULL;
    if (id != self->previous + 1)
        words = "traces have not the events that they say";
    else if (below < 0 || below > self->trace->last - id ||
             (!is_root && (up < 1 || up > id - self->trace->first)))
        words = "an event belongs to another trace";
    else if (is_root != !above || (above && (up != id - above->id || id + below > above->last)))
        words = "events do not nest as they say";
    else if (sqlite3_value_int64(values[3]) < 0)
        words = "an event ends before it starts";
    self->previous = id;
    struct memory_attempt attempt;
    if (words)
        sqlite3_result_error(out, words, -1);
    else if (memory_try_in(&attempt, memory_in_use())) {
        if (below)
            array_add(&self->open, (struct open_event){id, id + below});
        memory_leave(&attempt);
        sqlite3_result_int(out, 1);
    } else
        sqlite3_result_error_nomem(out);
}

/* ------------------------------------------------------------------ runs */

/* ?1 is the run there, ?2 its name here, ?3 its number here. */
static const char new_run[] =
    "INSERT INTO main.run (name, labels, note, created_at) SELECT ?2, labels, note, created_at "
    "FROM source.run WHERE id = ?1 AND json_type(labels) = 'object'";
static const char other_labels[] =
    "SELECT here.key, here.value, there.value FROM json_each((SELECT labels FROM main.run WHERE "
    "id = ?3)) AS here JOIN json_each((SELECT labels FROM source.run WHERE id = ?1)) AS there "
    "ON there.key = here.key WHERE here.value IS NOT there.value AND ?2 IS NOT NULL";
static const char united_run[] =
    "UPDATE main.run SET created_at = min(run.created_at, there.created_at), "
    "note = coalesce(run.note, there.note), "
    "labels = json_patch(run.labels, json_patch(there.labels, run.labels)) "
    "FROM source.run AS there WHERE there.id = ?1 AND run.id = ?3 AND run.name = ?2 "
    "AND json_type(there.labels) = 'object'";

static sqlite3_stmt *prepare_run(struct merge *self, const char *sql, int64_t id, const char *name,
                                 int64_t here)
{
    sqlite3_stmt *statement = merge_prepare(self, sql);
    if (statement) {
        sqlite3_bind_int64(statement, 1, id);
        sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
        if (sqlite3_bind_parameter_count(statement) > 2)
            sqlite3_bind_int64(statement, 3, here);
    }
    return statement;
}

static bool change_run(struct merge *self, const char *sql, int64_t id, const char *name,
                       int64_t here)
{
    sqlite3_stmt *statement = prepare_run(self, sql, id, name, here);
    bool done = statement && (sqlite3_step(statement) == SQLITE_DONE || failed(self));
    done = done && (sqlite3_changes64(self->warehouse.db) == 1 ||
                    damaged(self, "the labels of a run are no JSON object"));
    finish(statement);
    return done;
}

static bool tell_labels(struct merge *self, int64_t id, const char *name, int64_t here)
{
    sqlite3_stmt *rows = prepare_run(self, other_labels, id, name, here);
    bool done = rows != NULL;
    while (done && next(self, rows, &done)) {
        const char *label = database_text(rows, 0), *kept = database_text(rows, 1),
                   *other = database_text(rows, 2);
        self->observer->kept(self->observer->context, name, label, kept, other);
    }
    finish(rows);
    return done;
}

/* 0 where there is none of this name. */
static bool find_name(struct merge *self, const char *sql, const char *name, int64_t *id)
{
    sqlite3_stmt *row = merge_prepare(self, sql);
    bool done = row != NULL;
    *id = 0;
    if (done) {
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
        while (next(self, row, &done))
            *id = sqlite3_column_int64(row, 0);
    }
    finish(row);
    return done;
}

static bool find_run(struct merge *self, const char *name, int64_t *id)
{
    return find_name(self, "SELECT id FROM main.run WHERE name = ?1", name, id);
}

static bool take_run(struct merge *self, struct merge_map *map, int64_t id, const char *name)
{
    int64_t here;
    bool done = find_run(self, name, &here);
    if (done && here)
        done = tell_labels(self, id, name, here) && change_run(self, united_run, id, name, here);
    else if (done)
        done = change_run(self, new_run, id, name, 0) && find_run(self, name, &here);
    return done && map_to(self, map, (struct merge_entry){id, id, here});
}

/* ------------------------------------------------------------------ traces */

ORDER_BY(compare_ids, struct found_trace, UP(id));
ORDER_BY(compare_events, struct found_trace, UP(first) || UP(last) || UP(id));

static bool list_traces(struct merge *self)
{
    sqlite3_stmt *rows = merge_prepare(
        self, "SELECT id, merged_run(run_id), first_event, last_event FROM source.trace");
    bool done = rows != NULL;
    self->traces.count = 0;
    while (next(self, rows, &done)) {
        struct found_trace trace = {
            .id = sqlite3_column_int64(rows, 0),
            .run = sqlite3_column_int64(rows, 1),
            .first = sqlite3_column_int64(rows, 2),
            .last = sqlite3_column_int64(rows, 3),
        };
        if (trace.first < 1 || trace.last < trace.first - 1 || trace.last > INT64_MAX / 2 ||
            trace.last - trace.first >= self->source.bytes)
            done = damaged(self, "a trace has events that are none");
        else
            array_add(&self->traces, trace);
    }
    finish(rows);
    if (done)
        array_sort(&self->traces, compare_events);
    return done;
}

/* The trace here that has the content of one there; 0 when there is none. */
static bool find_known(struct merge *self, sqlite3_stmt *question, const struct found_trace *trace,
                       int64_t *known)
{
    bool done = true;
    sqlite3_bind_int64(question, 1, trace->id);
    sqlite3_bind_int64(question, 2, trace->run);
    *known = 0;
    while (next(self, question, &done))
        *known = sqlite3_column_int64(question, 0);
    sqlite3_reset(question);
    return done;
}

/* Takes out what makes way. */
static bool make_way(struct merge *self, sqlite3_stmt *question)
{
    bool done = true;
    for (size_t i = 0; i < self->traces.count && done; i++) {
        int64_t known = 0;
        done = find_known(self, question, &self->traces.items[i], &known) &&
               (!known || belongings_delete_trace(&self->warehouse, known, self->error));
    }
    return done;
}

static bool take_trace(struct merge *self, sqlite3_stmt *question, const char *copy,
                       struct found_trace *trace, int64_t first_here)
{
    int64_t known, made = 0;
    if (!find_known(self, question, trace, &known))
        return false;
    if (known)
        return true;
    if (!run(self, copy, (const int64_t[]){trace->id, trace->run, first_here}, &made))
        return false;
    trace->here = sqlite3_last_insert_rowid(self->warehouse.db);
    trace->first_here = first_here;
    static const char forget_path[] = /* an older tpq kept it, with the user's name in it */
        "UPDATE main.trace SET metadata = json_remove(metadata, '$.traceName') WHERE id = ?1 AND "
        "NOT EXISTS (SELECT 1 FROM source.sqlite_schema WHERE name = 'identity_key')";
    return made == 1 ? run(self, forget_path, &trace->here, NULL)
                     : damaged(self, "what a trace says of itself is no JSON");
}

/* Chooses traces, whose events go behind all others, without gaps. */
static bool choose_traces(struct merge *self, const char *copy)
{
    sqlite3_stmt *question = merge_prepare(
        self, "SELECT here.id FROM source.trace AS there JOIN main.trace AS here ON here.run_id = "
              "?2 AND here.content_hash = there.content_hash AND here.rank IS there.rank "
              "WHERE there.id = ?1");
    bool done = question && (!self->options->replace || make_way(self, question));
    int64_t next_event = 1;
    done =
        done && merge_ask(self, "SELECT coalesce(max(id), 0) + 1 FROM main.event", 0, &next_event);
    for (size_t i = 0; i < self->traces.count && done; i++) {
        struct found_trace *trace = &self->traces.items[i];
        done = take_trace(self, question, copy, trace, next_event);
        if (trace->here)
            next_event += trace->last - trace->first + 1;
    }
    finish(question);
    return done;
}

static bool map_traces(struct merge *self)
{
    struct merge_map *traces = map_of(self, "trace"), *events = map_of(self, "event"),
                     *shifts = map_of(self, MERGE_SHIFT);
    bool done = traces && events && shifts;
    for (size_t i = 0; i < self->traces.count && done; i++) {
        const struct found_trace *trace = &self->traces.items[i];
        if (trace->last >= trace->first)
            done = map_to(self, events,
                          (struct merge_entry){trace->first, trace->last,
                                               trace->here ? trace->first_here : MERGE_AWAY});
    }
    array_sort(&self->traces, compare_ids);
    for (size_t i = 0; i < self->traces.count && done; i++) {
        const struct found_trace *trace = &self->traces.items[i];
        struct merge_entry entry = {trace->id, trace->id, trace->here ? trace->here : MERGE_AWAY};
        done = map_to(self, traces, entry);
        entry.here = trace->first_here - trace->first;
        done = done && map_to(self, shifts, entry);
    }
    array_sort(&self->traces, compare_events);
    return done;
}

/* ------------------------------------------------------------------ rows */

/* Kinds of events come in as they are used; those that the program knows with their own numbers. */
static bool take_categories(struct merge *self)
{
    sqlite3_stmt *row = merge_prepare(
        self, "INSERT INTO main.category (id, name, role) SELECT ?1, ?2, ?3 WHERE ?2 IN "
              "(SELECT name FROM source.category) AND ?2 NOT IN "
              "(SELECT name FROM main.category)");
    bool done = row != NULL;
    for (size_t i = 0; i < self->options->category_count && done; i++) {
        const struct merge_category *category = &self->options->categories[i];
        sqlite3_bind_int64(row, 1, category->id);
        sqlite3_bind_text(row, 2, category->name, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 3, category->role, -1, SQLITE_STATIC);
        next(self, row, &done);
        sqlite3_reset(row);
    }
    finish(row);
    return done;
}

/* Rows of a list: the number there, the number here (NULL: none yet; -1: it stays away) and, in the
 * first row, the next free one. */
static bool map_rows(struct merge *self, struct step *step, int64_t *first_new)
{
    struct merge_map *map = map_of(self, step->name);
    sqlite3_stmt *rows = map ? merge_prepare(self, step->list) : NULL;
    bool done = rows != NULL, is_first = true;
    int64_t next_number = 0;
    while (done && next(self, rows, &done)) {
        if (is_first)
            *first_new = next_number = sqlite3_column_int64(rows, 2);
        is_first = false;
        int64_t id = sqlite3_column_int64(rows, 0), here = sqlite3_column_int64(rows, 1);
        if (sqlite3_column_type(rows, 1) == SQLITE_NULL)
            here = next_number++;
        done = map_to(self, map, (struct merge_entry){id, id, here < 0 ? MERGE_AWAY : here});
    }
    finish(rows);
    return done;
}

/* Most tables are empty in most sources, and their steps need not even be prepared. Events must be
 * as many as traces say. */
static bool is_needed(struct merge *self, const struct step *step, bool *answer)
{
    int64_t has_rows = 1;
    bool is_wanted = self->outcome->stored || strcmp(step->kind, "run rows") == 0;
    *answer = false;
    if (!step->is_there || !is_wanted)
        return true;
    bool done = strcmp(step->name, "event") == 0 || merge_ask(self, step->question, 0, &has_rows);
    *answer = has_rows != 0;
    return done;
}

static bool check_tracks(struct merge *self)
{
    bool done = true;
    for (size_t i = 0; i < self->traces.count && done; i++) {
        int64_t wrong = 0;
        done = merge_ask(
                   self,
                   "SELECT count(*) FROM main.track JOIN main.trace ON trace.id = track.trace_id "
                   "WHERE trace_id = ?1 AND track.last_event >= track.first_event AND "
                   "(track.first_event < trace.first_event OR track.last_event > trace.last_event)",
                   self->traces.items[i].here, &wrong) &&
               (!wrong || damaged(self, "events of a track are those of another trace"));
    }
    return done;
}

/* The same GPU activities must stand in both of their tables. */
static bool check_activities(struct merge *self)
{
    struct text kinds = {0}, sql = {0};

    /* Roles that stand in either warehouse may be others: they are what views go by. */
    bool done = true;
    text_add_string(&kinds, "-1");
    for (size_t i = 0; i < self->options->category_count && done; i++) {
        const struct merge_category *category = &self->options->categories[i];
        int64_t id = 0;
        if (strcmp(category->role, "gpu") == 0)
            done = find_name(self, "SELECT id FROM main.category WHERE name = ?1", category->name,
                             &id);
        if (id)
            text_format(&kinds, ", %lld", (long long)id);
    }
    text_format(&sql,
                "SELECT (SELECT count(*) FROM main.event WHERE id BETWEEN first_event AND "
                "last_event AND category_id IN (%s)) <> (SELECT count(*) FROM main.gpu_event WHERE "
                "id BETWEEN first_event AND last_event) OR EXISTS (SELECT 1 FROM main.gpu_event AS "
                "g LEFT JOIN main.event AS e USING (id) WHERE g.id BETWEEN first_event AND "
                "last_event AND (e.category_id IS NULL OR e.category_id NOT IN (%s) OR "
                "(e.category_id, e.name_id, e.track_id, e.ts_ns, e.dur_ns, e.args_id, "
                "e.correlation, e.uid) IS NOT (g.category_id, g.name_id, g.track_id, g.ts_ns, "
                "g.dur_ns, g.args_id, g.correlation, g.uid))) FROM main.trace WHERE id = ?1",
                kinds.items, kinds.items);
    for (size_t i = 0; i < self->traces.count && done; i++) {
        int64_t differ = 0;
        done = merge_ask(self, sql.items, self->traces.items[i].here, &differ) &&
               (!differ || damaged(self, "GPU activities differ from their events"));
    }
    text_free(&kinds);
    text_free(&sql);
    return done;
}

static bool take_step(struct merge *self, struct step *step)
{
    int64_t first_new = INT64_MAX, rows = 0;
    bool is_wanted;
    if (!is_needed(self, step, &is_wanted))
        return false;
    if (!is_wanted)
        return true;
    if (step->list && !map_rows(self, step, &first_new))
        return false;
    if (strcmp(step->kind, "event rows") == 0) {
        bool done = true;
        for (size_t i = 0; i < self->traces.count && done; i++) {
            const struct found_trace *trace = &self->traces.items[i];
            int64_t numbers[] = {trace->first, trace->last, trace->first_here - trace->first,
                                 trace->here};
            if (!trace->here || trace->last < trace->first)
                continue;
            self->trace = trace;
            self->previous = trace->first - 1;
            self->open.count = 0;
            done = run(self, step->copy, numbers, &rows);
        }
        if (!done)
            return false;
        bool is_short = strcmp(step->name, "event") == 0 && rows != self->outcome->events;
        return !is_short || damaged(self, "traces have not the events that they say");
    }
    if (step->copy && !run(self, step->copy, &first_new, NULL))
        return false;
    if (strcmp(step->kind, "shared") == 0 && strcmp(step->name, "op") == 0) {
        /* Their index is not one of distinct rows. */
        int64_t same = 0;
        return merge_ask(
                   self,
                   "SELECT count(*) FROM (SELECT 1 FROM main.op WHERE id >= ?1 GROUP BY name_id, "
                   "dims_id, types_id, strides_id, concrete_id HAVING count(*) > 1)",
                   first_new, &same) &&
               (!same || damaged(self, "two signatures are the same"));
    }
    if (strcmp(step->name, "args") != 0)
        return true;

    /* Texts of strangers that are JSON to everybody who reads them. */
    int64_t wrong = 0;
    return merge_ask(self,
                     "SELECT count(*) FROM main.args WHERE id >= ?1 AND "
                     "NOT coalesce(json_type(json) = 'object', 0)",
                     first_new, &wrong) &&
           (!wrong || damaged(self, "arguments of events are no JSON objects"));
}

/* Takes answers about runs that were not here before, and are here with all traces that they have
 * there, where both catalogs say the same. */
static bool take_rollups(struct merge *self, int64_t first_trace)
{
    sqlite3 *db = self->warehouse.db;
    struct schema_statement ours[SCHEMA_STATEMENTS_MAX];
    size_t count = schema_statements(ours);
    struct text sql = {0};
    char maker[ROLLUP_MAKER];
    int64_t differs = 0;
    if (!rollup_is_watched(db, "source"))
        return true;
    text_add_string(&sql, "SELECT EXISTS (SELECT 1 WHERE 0");
    for (size_t i = 0; i < count; i++)
        if (ours[i].is_table && text_starts_with(ours[i].path, tables_catalog)) {
            int length = (int)ours[i].name.length;
            const char *name = ours[i].name.bytes;
            text_format(&sql,
                        " UNION ALL SELECT 1 FROM (SELECT * FROM main.%.*s EXCEPT SELECT * FROM "
                        "source.%.*s) UNION ALL SELECT 1 FROM (SELECT * FROM source.%.*s EXCEPT "
                        "SELECT * FROM main.%.*s)",
                        length, name, length, name, length, name, length, name);
        }
    text_add_string(&sql, ")");
    bool done = merge_ask(self, sql.items, 0, &differs);
    rollup_maker(maker);
    char *copy = database_format(
        "INSERT INTO main.rollup (run_id, question, made_by, rows) SELECT here.id, question, "
        "made_by, rows FROM source.rollup AS there JOIN source.run AS run ON run.id = run_id JOIN "
        "main.run AS here ON here.id = merged_run(run_id) AND here.name = run.name WHERE made_by = "
        "%Q AND (SELECT min(id) FROM main.trace WHERE run_id = here.id) >= ?1 AND (SELECT count(*) "
        "FROM main.trace WHERE run_id = here.id) = (SELECT count(*) FROM source.trace WHERE run_id "
        "= there.run_id)",
        maker);
    done = done && (differs || run(self, copy, &first_trace, NULL));
    memory_free(copy);
    text_free(&sql);
    return done;
}

/* ------------------------------------------------------------------ one source */

static bool take_all(struct merge *self)
{
    bool done = true;
    for (size_t i = 0; i < self->steps.count && done; i++)
        done = merge_source_has(&self->source, self->steps.items[i].name,
                                &self->steps.items[i].is_there, self->error);
    if (done) {
        struct merge_map *map = map_of(self, "run");
        sqlite3_stmt *rows = merge_prepare(self, "SELECT id, name FROM source.run ORDER BY id");
        struct text name = {0};
        done = rows != NULL;
        while (next(self, rows, &done)) {
            const char *there = database_text(rows, 1);
            text_clear(&name);
            if (!self->options->run && self->options->prefix)
                text_add_valid(&name, self->options->prefix);
            text_add_valid(&name, self->options->run ? self->options->run : there);
            done = take_run(self, map, sqlite3_column_int64(rows, 0), name.items);
        }
        text_free(&name);
        finish(rows);
    }
    done = done && list_traces(self) && choose_traces(self, self->steps.items[0].copy) &&
           map_traces(self);
    for (size_t i = 0; i < self->traces.count; i++) {
        const struct found_trace *trace = &self->traces.items[i];
        self->outcome->stored += trace->here != 0;
        self->outcome->known += trace->here == 0;
        self->outcome->events += trace->here ? trace->last - trace->first + 1 : 0;
    }
    done = done && take_categories(self);
    int64_t first_trace = INT64_MAX;
    for (size_t i = 0; i < self->traces.count; i++)
        if (self->traces.items[i].here && self->traces.items[i].here < first_trace)
            first_trace = self->traces.items[i].here;
    for (size_t i = 1; i < self->steps.count && done; i++)
        done = take_step(self, &self->steps.items[i]);
    done = done && take_rollups(self, first_trace);
    if (!(done && check_activities(self)))
        return false;
    if (!check_tracks(self))
        return false;
    return merge_source_count_choices(&self->source, &self->outcome->catalog_rows,
                                      &self->outcome->settings, &self->outcome->tables,
                                      self->error);
}

static struct run_count *count_of(struct merge *self, const char *name)
{
    for (size_t i = 0; i < self->runs.count; i++)
        if (strcmp(self->runs.items[i].name, name) == 0)
            return &self->runs.items[i];
    array_add(&self->runs, (struct run_count){.name = memory_text(name)});
    return &self->runs.items[self->runs.count - 1];
}

static void count_runs(struct merge *self)
{
    for (size_t i = 0; i < self->traces.count; i++) {
        const struct found_trace *trace = &self->traces.items[i];
        struct run_count *count = &self->runs.items[trace->count];
        if (trace->here)
            count->stored++;
        else
            count->known++;
    }
}

static bool merge_source(struct merge *self, const char *path)
{
    enum { CALLS_A_BYTE = 8 }; /* a row has more than four bytes, and fewer than 32 references */
    *self->outcome = (struct merge_outcome){.path = path};
    bool done = merge_source_open(&self->source, path, self->error) &&
                warehouse_run(&self->warehouse, "BEGIN IMMEDIATE", self->error);
    merge_maps_clear(&self->maps, self->source.bytes * CALLS_A_BYTE);
    done = done && take_all(self);
    if (done) {
        /* Where what a source brings is counted, run by run; made before it is there for good. */
        sqlite3_stmt *row = merge_prepare(self, "SELECT name FROM run WHERE id = ?1");
        done = row != NULL;
        for (size_t i = 0; i < self->traces.count && done; i++) {
            struct found_trace *trace = &self->traces.items[i];
            sqlite3_bind_int64(row, 1, trace->run);
            done =
                sqlite3_step(row) == SQLITE_ROW || warehouse_error(&self->warehouse, self->error);
            if (done)
                trace->count = (size_t)(count_of(self, database_text(row, 0)) - self->runs.items);
            sqlite3_reset(row);
        }
        finish(row);
    }
    done = done && warehouse_run(&self->warehouse, "COMMIT", self->error);
    if (!sqlite3_get_autocommit(self->warehouse.db))
        sqlite3_exec(self->warehouse.db, "ROLLBACK", NULL, NULL, NULL);
    return done;
}

/* ------------------------------------------------------------------ all of it */

/* Prepared statements go first: SQLite closes no connection that still has some. */
static void close_warehouse(struct merge *self)
{
    merge_source_free(&self->source);
    if (self->is_open)
        warehouse_close(&self->warehouse);
    self->is_open = false;
    merge_maps_free(&self->maps);
}

static bool open_warehouse(struct merge *self)
{
    if (self->is_open)
        return true;
    self->is_building = !warehouse_exists(self->options->database);
    self->is_open = warehouse_open(&self->warehouse, self->options->database,
                                   self->is_building ? WAREHOUSE_BUILD : WAREHOUSE_WRITE,
                                   self->options->wait_ms, self->error);
    bool done = self->is_open && (self->steps.count || learn_steps(self));
    if (done) {
        /* Tables whose rows others refer to have a map from the start, so that every step can be
         * prepared.
         */
        static const char *const others[] = {"run", "trace", "event", MERGE_SHIFT};
        for (size_t i = 0; i < self->steps.count; i++)
            if (self->steps.items[i].list)
                map_of(self, self->steps.items[i].name);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            map_of(self, others[i]);
        if (sqlite3_create_function_v2(self->warehouse.db, "merged_fits", 4,
                                       SQLITE_UTF8 | SQLITE_DIRECTONLY, self, merged_fits, NULL,
                                       NULL, NULL) != SQLITE_OK)
            memory_fail();
    }
    return done && merge_source_init(&self->source, &self->warehouse, self->error);
}

/* The first source goes into a building, which is then put in its place; if another process has put
 * one there meanwhile, it goes into that. A building that failed is thrown away. */
static bool take_source(struct merge *self, const char *path)
{
    bool taken = false;
    do {
        if (!open_warehouse(self))
            return false;
        bool done = merge_source(self, path);
        if (!self->is_building) {
            if (done)
                count_runs(self);
            return done;
        }
        merge_source_free(&self->source);
        done = done && warehouse_publish(&self->warehouse, &taken, self->error);
        close_warehouse(self);
        if (taken)
            forget_steps(self);
        if (!done)
            return false;
    } while (taken);
    count_runs(self);
    return true;
}

static bool check_sources(const struct merge_options *options, const char *const *sources,
                          size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct stat one, other;
        if (stat(options->database, &one) == 0 && stat(sources[i], &other) == 0 &&
            one.st_dev == other.st_dev && one.st_ino == other.st_ino)
            return error_set(error, STATUS_USAGE, "%s: it is the warehouse that is merged into",
                             sources[i]);
    }
    return true;
}

bool merge_run(const struct merge_options *options, const char *const *sources, size_t count,
               const struct merge_observer *observer, struct error *error)
{
    struct error current = {0}, first = {0};
    struct merge_outcome outcome = {0};
    struct merge self = {
        .options = options, .observer = observer, .outcome = &outcome, .error = &current};
    bool done = check_sources(options, sources, count, error), all_good = true;
    for (size_t i = 0; i < count && done; i++) {
        bool is_taken = take_source(&self, sources[i]);
        outcome.path = sources[i];
        outcome.error = is_taken ? NULL : &current;
        done = is_taken || current.status == STATUS_BAD_INPUT;
        if (done)
            observer->finished(observer->context, &outcome);
        if (!is_taken && all_good)
            first = current;
        if (!done)
            *error = current;
        all_good &= is_taken;
    }
    for (size_t i = 0; i < self.runs.count; i++) {
        struct run_count *run_count = &self.runs.items[i];
        if (run_count->stored || run_count->known)
            observer->counted(observer->context, run_count->name, run_count->stored,
                              run_count->known);
        memory_free(run_count->name);
    }
    arrays_free(&self.runs, &self.traces, &self.open);
    close_warehouse(&self);
    forget_steps(&self);
    if (done && !all_good)
        *error = first;
    return done && all_good;
}
