/* integrity: Each row of a check's query is a finding. Checks of the schema come first, then the
 * preorder of each trace, event by event. */
#include "sql/warehouse/integrity.h"

#include "sql/asked.h"
#include "sql/warehouse/integrity.sql.h"
#include "sql/warehouse/opening.h"
#include "sql/warehouse/schema.h"
#include "sql/warehouse/tables.h"
#include "src/base/text.h"

#include <stdio.h>

/* More findings of one check than this are counted, not told. */
enum { TOLD_MAX = 10 };

struct checker {
    struct warehouse *warehouse;
    integrity_report *report;
    void *context;
    struct error *error;
    const char *check;
    int64_t findings, told;
    bool is_stopped; /* the schema is such that nothing else is looked at */
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

static void integrity_start(struct checker *self, const char *check)
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
    integrity_start(self, check);
    sqlite3_stmt *statement = warehouse_prepare(self->warehouse, sql, self->error);
    if (!statement)
        return false;
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (!text || strstr(text, without_memory))
            memory_fail();
        if (!good_answer || strcmp(text, good_answer) != 0)
            find(self, "%s", text);
    }
    bool done = result == SQLITE_DONE || warehouse_error(self->warehouse, self->error);
    database_finalize(statement);
    if (done)
        finish(self);
    return done;
}

/* ------------------------------------------------------------------ the schema */

static bool name_refused(void *context, const char *type, const char *name, const char *why)
{
    struct checker *self = context;
    self->is_stopped = true;
    self->told = 0; /* all of them are */
    find(self, "%s %s %s", type, name, why);
    return true;
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
static void check_event(struct checker *self, struct walker *walker, int64_t id, int64_t parent,
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
    array_add(&walker->open, (struct open_event){id, last});
}

static bool check_preorder(struct checker *self)
{
    integrity_start(self, "call tree");
    const char *path = self->warehouse->path;
    struct asked traces, events;
    int64_t trace, first, last, id, parent, last_id, of_trace, previous_last = 0;
    asked_open(&traces, self->warehouse->db,
               "SELECT id, first_event, last_event FROM trace ORDER BY first_event");
    asked_open(&events, self->warehouse->db,
               "SELECT id, coalesce(parent_id, 0), last_id, trace_id FROM event "
               "WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
    while (ASKED_ROW(&traces, &trace, &first, &last)) {
        if (first <= previous_last)
            find(self, "trace %lld shares event ids with another one", (long long)trace);
        previous_last = last > previous_last ? last : previous_last;

        struct walker walker = {.trace = trace, .last_event = last, .previous = first - 1};
        ASKED_ABOUT(&events, first, last);
        while (ASKED_ROW(&events, &id, &parent, &last_id, &of_trace))
            check_event(self, &walker, id, parent, last_id, of_trace);
        array_free(&walker.open);
        if (asked_code(&events) != SQLITE_OK)
            break;
        if (walker.previous != last)
            find(self, "trace %lld ends at event %lld, not at %lld", (long long)trace,
                 (long long)walker.previous, (long long)last);
    }
    bool done = asked_done(&events, path, self->error);
    done = done ? asked_done(&traces, path, self->error) : (asked_end(&traces), false);
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
    {"events outside of traces", events_outside, NULL},
    {"GPU activities", gpu_activities, NULL},
    {"tracks", tracks_outside, NULL},
    {"signatures",
     "SELECT format('op %d and %d are the same', min(id), max(id)) FROM op "
     "GROUP BY name_id, dims_id, types_id, strides_id, concrete_id HAVING count(*) > 1",
     NULL},
};

bool integrity_check(struct warehouse *warehouse, integrity_report *report, void *context,
                     int64_t *findings, struct error *error)
{
    struct checker self = {
        .warehouse = warehouse, .report = report, .context = context, .error = error};

    /* Entries that would be refused at opening, then what is missing. */
    integrity_start(&self, "schema");
    bool done = opening_judge(self.warehouse->db, "main", name_refused, &self, self.error);
    if (done) {
        /* Names what is missing, and views of ours with other texts, which tpq does not use. Views
         * of another tpq differ and are made again by the next verb that writes. */
        static const char sql[] =
            "SELECT sql FROM main.sqlite_master WHERE type = ?1 AND name = ?2";
        struct schema_statement ours[SCHEMA_STATEMENTS_MAX];
        int count = (int)schema_statements(ours);
        bool is_current = self.is_stopped; /* then even that is not asked */
        done = self.is_stopped || views_current(self.warehouse->db, &is_current, self.error);
        sqlite3_stmt *row = done ? warehouse_prepare(self.warehouse, sql, self.error) : NULL;
        done = row != NULL;
        for (int i = self.is_stopped ? count : 0;
             i < count + (is_current ? sql_view_count : 0) && done; i++) {
            const struct sql_view *view = i < count ? NULL : &sql_views[i - count];
            const char *type = view ? "view" : ours[i].is_table ? "table" : "index";
            struct view name = view ? view_of(view->name) : ours[i].name;
            sqlite3_bind_text(row, 1, type, -1, SQLITE_STATIC);
            sqlite3_bind_text(row, 2, name.bytes, (int)name.length, SQLITE_STATIC);
            bool is_there = warehouse_next(self.warehouse, row, &done, self.error);
            const char *text = is_there ? database_text(row, 0) : "";
            static const char create[] = "CREATE VIEW ";
            if (done && !is_there && !view && ours[i].is_stored &&
                (is_current || !ours[i].is_later))
                find(&self, "%s %.*s is missing", type, (int)name.length, name.bytes);
            else if (is_there && view &&
                     !opening_same(view_of(text), (struct view){view->text - strlen(create),
                                                                view->length + strlen(create)}))
                find(&self, "view %s %s", view->name, opening_differs);
            sqlite3_reset(row);
        }
        database_finalize(row);
    }
    if (done)
        finish(&self);
    if (done && self.is_stopped)
        report(context, "other checks", "not run while the schema is wrong");
    for (size_t i = 0; i < sizeof queries / sizeof *queries && done && !self.is_stopped; i++)
        done = check_query(&self, queries[i].check, queries[i].sql, queries[i].good_answer);
    done = done && (self.is_stopped || check_preorder(&self));
    *findings = self.findings;
    return done;
}
