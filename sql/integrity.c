/* integrity: see integrity.h. */
#include "sql/integrity.h"

#include "sql/database.h"
#include "sql/tables.h"
#include "sql/views.h"
#include "src/base/text.h"

#include <stdio.h>

/* More findings of one check than this are counted, not told. */
enum { TOLD_MAX = 10 };

struct checker {
    struct warehouse *warehouse, ours; /* ours: an empty one */
    integrity_report *report;
    void *context;
    struct error *error;
    const char *check;
    int64_t findings, told;
};

__attribute__((format(printf, 2, 3))) static void find(struct checker *self, const char *format,
                                                       ...)
{
    self->findings++;
    if (self->told++ >= TOLD_MAX)
        return;
    char finding[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding, sizeof finding, format, arguments);
    va_end(arguments);
    self->report(self->context, self->check, finding);
}

static void start(struct checker *self, const char *check)
{
    self->check = check;
    self->told = 0;
}

static void finish(struct checker *self)
{
    if (self->told > TOLD_MAX) {
        char more[64];
        snprintf(more, sizeof more, "and %lld more", (long long)(self->told - TOLD_MAX));
        self->report(self->context, self->check, more);
    } else if (self->told == 0) {
        self->report(self->context, self->check, NULL);
    }
}

/* SQLITE_NOMEM, as integrity_check takes it for a fault of the file. */
static const char without_memory[] = "unable to get the page. error code=7";

/* Each row of the query is a finding; its columns are put into words by `format`: up to three
 * texts. */
static bool check_query(struct checker *self, const char *check, const char *sql,
                        const char *good_answer)
{
    start(self, check);
    sqlite3_stmt *statement = warehouse_prepare(self->warehouse, sql, self->error);
    if (!statement)
        return false;
    bool done = true;
    int result = SQLITE_ROW;
    while (done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (!text || strstr(text, without_memory))
            done = error_memory(self->error);
        else if (!good_answer || strcmp(text, good_answer) != 0)
            find(self, "%s", text);
    }
    if (done && result != SQLITE_DONE)
        done = warehouse_error(self->warehouse, self->error);
    sqlite3_finalize(statement);
    if (done)
        finish(self);
    return done;
}

/* ------------------------------------------------------------------ values */

/* In our own schema: asks a file for rows without a value where our tables want one. Where its own
 * tables want it, too, SQLite does not look at their rows. */
static const char asks_values[] =
    "SELECT group_concat(format('SELECT format(''%%d row%%s of %w without %w'', count(*), "
    "iif(count(*) > 1, ''s'', '''')) FROM main.\"%w\" AS own WHERE own.\"%w\" IS NULL HAVING "
    "count(*)', own.name, wanted.name, own.name, wanted.name), ' UNION ALL ') "
    "FROM (SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name) AS own "
    "JOIN pragma_table_info(own.name) AS wanted WHERE wanted.\"notnull\"";

static bool check_values(struct checker *self)
{
    sqlite3_stmt *row = warehouse_prepare(&self->ours, asks_values, self->error);
    bool done = row != NULL;
    if (warehouse_next(&self->ours, row, &done, self->error)) {
        const char *sql = (const char *)sqlite3_column_text(row, 0);
        done = sql ? check_query(self, "values", sql, NULL) : error_memory(self->error);
    }
    sqlite3_finalize(row);
    return done;
}

/* ------------------------------------------------------------------ the schema */

/* What tpq makes, as JSON: to be compared with what another connection has. */
static const char own_schema[] =
    "SELECT json_group_array(json_array(type, name, sql)) FROM main.sqlite_schema "
    "WHERE sql IS NOT NULL";

/* Views of another tpq (?2 is 0) are made again by the next verb that writes. */
static const char foreign_schema[] =
    "WITH ours AS (SELECT value ->> 0 AS type, value ->> 1 AS name, value ->> 2 AS sql FROM "
    "json_each(?1)) SELECT coalesce(ours.type, here.type), coalesce(ours.name, here.name), "
    "here.sql, ours.sql FROM ours FULL JOIN main.sqlite_schema AS here ON here.name = ours.name "
    "COLLATE NOCASE WHERE here.type = 'trigger' OR (ours.name IS NOT NULL AND (ours.type <> 'view' "
    "OR (?2 AND here.sql IS NOT NULL)) AND here.sql IS NOT ours.sql) ORDER BY 1, 2";

/* What an owner made beside it may say more than one thing. */
static const char other_schema[] =
    "SELECT type, name, sql FROM main.sqlite_schema WHERE type <> 'trigger' AND instr(sql, ';') "
    "AND name COLLATE NOCASE NOT IN (SELECT value ->> 1 FROM json_each(?1)) ORDER BY name";

/* Comments on columns change from version to version. */
static bool differ_in_comments(const char *left, const char *right)
{
    for (;; left++, right++) {
        while (text_starts_with(left, " --"))
            left += strcspn(left, "\n");
        while (text_starts_with(right, " --"))
            right += strcspn(right, "\n");
        if (!*left || *left != *right)
            return *left == *right;
    }
}

/* What an owner adds stands together inside our words, unless it would drop rows. */
static bool has_more_columns(const char *sql, const char *ours)
{
    size_t length = strlen(sql), own = strlen(ours), start = 0, end = 0;
    if (length < own)
        return false;
    while (start < own && sql[start] == ours[start])
        start++;
    while (end < own - start && sql[length - 1 - end] == ours[own - 1 - end])
        end++;
    char added[512];
    bool is_short = length - own < sizeof added;
    snprintf(added, sizeof added, "%.*s", (int)(is_short ? length - own : 0), sql + start);
    return start + end == own && is_short && strchr(ours + own - end, ')') && !strchr(added, ';') &&
           !strcasestr(added, "conflict");
}

static bool has_memory(sqlite3_stmt *row)
{
    bool has = true;
    for (int i = 0; i < sqlite3_column_count(row); i++)
        has = has && database_text(row, i);
    return has;
}

static void check_definition(struct checker *self, sqlite3_stmt *row)
{
    const char *type = database_text(row, 0), *name = database_text(row, 1);
    const char *sql = database_text(row, 2), *ours = database_text(row, 3);
    if (!*ours)
        find(self, "%s %s: not made by tpq, never run", type, name);
    else if (!*sql)
        find(self, "%s %s: missing", type, name);
    else if (strcmp(type, "table") != 0 ||
             (!has_more_columns(sql, ours) && !differ_in_comments(sql, ours)))
        find(self, "%s %s: not defined as tpq defines it", type, name);
}

static void check_statement(struct checker *self, sqlite3_stmt *row)
{
    sqlite3_stmt *made = NULL;
    const char *rest = "", *sql = database_text(row, 2);
    int result = sqlite3_prepare_v2(self->ours.db, sql, -1, &made, &rest);
    bool is_one = result != SQLITE_OK || !*rest; /* one about tables of the file alone fails */
    sqlite3_finalize(made);
    if (!is_one)
        find(self, "%s %s: its definition is not one statement", database_text(row, 0),
             database_text(row, 1));
}

static bool check_schema(struct checker *self)
{
    static const struct {
        const char *sql;
        void (*check)(struct checker *self, sqlite3_stmt *row);
    } queries[] = {{foreign_schema, check_definition}, {other_schema, check_statement}};
    struct warehouse *warehouse = self->warehouse;
    bool is_current, done = views_current(warehouse->db, &is_current, self->error);
    sqlite3_stmt *own = done ? warehouse_prepare(&self->ours, own_schema, self->error) : NULL;
    done = own != NULL;
    start(self, "schema");
    if (warehouse_next(&self->ours, own, &done, self->error))
        for (int i = 0; i < 2 && done; i++) {
            sqlite3_stmt *rows = warehouse_prepare(warehouse, queries[i].sql, self->error);
            done = rows != NULL;
            if (done)
                sqlite3_bind_value(rows, 1, sqlite3_column_value(own, 0));
            if (done && i == 0)
                sqlite3_bind_int(rows, 2, is_current);
            while (warehouse_next(warehouse, rows, &done, self->error))
                if ((done = has_memory(rows) || error_memory(self->error)))
                    queries[i].check(self, rows);
            sqlite3_finalize(rows);
        }
    sqlite3_finalize(own);
    if (done)
        finish(self);
    return done;
}

/* ------------------------------------------------------------------ the preorder */

struct open_event {
    int64_t id, last;
};

struct walker {
    ARRAY(struct open_event) open;
    int64_t trace, last_event, previous;
};

/* The event's parent must be the innermost event that is still open. */
static bool check_event(struct checker *self, struct walker *walker, int64_t id, int64_t parent,
                        int64_t last, int64_t trace)
{
    while (walker->open.count && walker->open.items[walker->open.count - 1].last < id)
        walker->open.count--;
    const struct open_event *above =
        walker->open.count ? &walker->open.items[walker->open.count - 1] : NULL;
    if (trace != walker->trace)
        find(self, "event %lld says trace %lld but lies in the ids of trace %lld", (long long)id,
             (long long)trace, (long long)walker->trace);
    if (parent != (above ? above->id : 0))
        find(self, "event %lld has parent %lld, but lies below %lld", (long long)id,
             (long long)parent, (long long)(above ? above->id : 0));
    if (last < id || last > (above ? above->last : walker->last_event))
        find(self, "event %lld says that its last descendant is %lld", (long long)id,
             (long long)last);
    if (id != walker->previous + 1)
        find(self, "events %lld to %lld are missing", (long long)walker->previous + 1,
             (long long)id - 1);
    walker->previous = id;
    return array_add(&walker->open, (struct open_event){id, last}) || error_memory(self->error);
}

static bool check_trace(struct checker *self, sqlite3_stmt *events, int64_t trace, int64_t first,
                        int64_t last)
{
    struct walker walker = {.trace = trace, .last_event = last, .previous = first - 1};
    sqlite3_bind_int64(events, 1, first);
    sqlite3_bind_int64(events, 2, last);
    bool done = true;
    while (warehouse_next(self->warehouse, events, &done, self->error))
        done = check_event(self, &walker, sqlite3_column_int64(events, 0),
                           sqlite3_column_int64(events, 1), sqlite3_column_int64(events, 2),
                           sqlite3_column_int64(events, 3));
    if (done && walker.previous != last)
        find(self, "trace %lld ends at event %lld, not at %lld", (long long)trace,
             (long long)walker.previous, (long long)last);
    sqlite3_reset(events);
    array_free(&walker.open);
    return done;
}

static bool check_preorder(struct checker *self)
{
    start(self, "call tree");
    sqlite3_stmt *traces = warehouse_prepare(
        self->warehouse, "SELECT id, first_event, last_event FROM trace ORDER BY first_event",
        self->error);
    sqlite3_stmt *events =
        traces
            ? warehouse_prepare(self->warehouse,
                                "SELECT id, coalesce(parent_id, 0), last_id, trace_id FROM event "
                                "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                                self->error)
            : NULL;
    bool done = events != NULL;
    int64_t previous_last = 0;
    while (warehouse_next(self->warehouse, traces, &done, self->error)) {
        int64_t trace = sqlite3_column_int64(traces, 0), first = sqlite3_column_int64(traces, 1);
        int64_t last = sqlite3_column_int64(traces, 2);
        if (first <= previous_last)
            find(self, "trace %lld shares event ids with another one", (long long)trace);
        previous_last = last > previous_last ? last : previous_last;
        done = check_trace(self, events, trace, first, last);
    }
    sqlite3_finalize(events);
    sqlite3_finalize(traces);
    if (done)
        finish(self);
    return done;
}

/* ------------------------------------------------------------------ all checks */

static const struct {
    const char *check, *sql, *good_answer;
} queries[] = {
    {"file", "PRAGMA integrity_check(100)", "ok"},
    {"references",
     "SELECT format('%s %d refers to a row of %s that does not exist', \"table\", rowid, parent) "
     "FROM pragma_foreign_key_check",
     NULL},
    {"events outside of traces",
     "SELECT format('%d events', count(*) - (SELECT coalesce(sum(last_event - first_event + 1), 0) "
     "FROM trace)) FROM event HAVING count(*) <> (SELECT coalesce(sum(last_event - first_event + "
     "1), 0) FROM trace)",
     NULL},
    {"GPU activities",
     "SELECT format('gpu_event %d differs from its event', g.id) FROM gpu_event AS g "
     "LEFT JOIN event AS e ON e.id = g.id WHERE e.id IS NULL OR e.trace_id <> g.trace_id "
     "OR e.category_id <> g.category_id OR e.name_id <> g.name_id OR e.track_id <> g.track_id "
     "OR e.ts_ns <> g.ts_ns OR e.dur_ns <> g.dur_ns OR e.args_id IS NOT g.args_id "
     "OR e.correlation IS NOT g.correlation OR e.uid <> g.uid OR (e.parent_id IS NOT "
     "g.call_id AND (e.parent_id IS NOT g.launcher_id OR (SELECT launcher.parent_id FROM event AS "
     "launcher WHERE launcher.id = g.launcher_id) IS NOT g.call_id)) "
     "UNION ALL SELECT format('event %d has no gpu_event', id) FROM event WHERE category_id IN "
     "(SELECT id FROM category WHERE role = 'gpu') AND NOT EXISTS (SELECT * FROM gpu_event "
     "WHERE gpu_event.id = event.id)",
     NULL},
    {"tracks",
     "SELECT format('track %d: its events are not those of trace %d', track.id, trace.id) "
     "FROM track JOIN trace ON trace.id = track.trace_id WHERE track.last_event >= "
     "track.first_event AND (track.first_event < trace.first_event OR track.last_event > "
     "trace.last_event)",
     NULL},
    {"signatures",
     "SELECT format('op %d and %d are the same', min(id), max(id)) FROM op "
     "GROUP BY name_id, dims_id, types_id, strides_id, concrete_id HAVING count(*) > 1",
     NULL},
};

/* What an older tpq does not make is not missing from its files. */
static bool forget_later_tables(struct checker *self)
{
    sqlite3 *db = self->warehouse->db;
    bool is_current, done = views_current(db, &is_current, self->error);
    for (const char *const *later = tables_later; *later && done && !is_current; later++) {
        char sql[128];
        snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", *later);
        if (sqlite3_table_column_metadata(db, "main", *later, NULL, NULL, NULL, NULL, NULL, NULL) !=
            SQLITE_OK)
            done = warehouse_run(&self->ours, sql, self->error);
    }
    return done;
}

bool integrity_check(struct warehouse *warehouse, integrity_report *report, void *context,
                     int64_t *findings, struct error *error)
{
    struct checker self = {
        .warehouse = warehouse, .report = report, .context = context, .error = error};
    bool done = warehouse_open(&self.ours, "memory", WAREHOUSE_MEMORY, 0, error) &&
                views_choose(self.ours.db, true, error) && forget_later_tables(&self);
    for (size_t i = 0; i < sizeof queries / sizeof *queries && done; i++)
        done = check_query(&self, queries[i].check, queries[i].sql, queries[i].good_answer) &&
               (i || check_schema(&self)); /* the first one says whether the rest can be read */
    done = done && check_values(&self) && check_preorder(&self);
    warehouse_close(&self.ours);
    *findings = self.findings;
    return done;
}
