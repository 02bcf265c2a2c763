/* notes: Each view of what is not included is asked once per call, and its rows are kept for all
 * reports that name it. Rows with the same words are added up; an unknown count or time makes the
 * sum unknown. Of the reasons for an empty report the first that holds is taken: no events, the
 * format, then the report's list. */
#include "query/report/notes.h"

#include "sql/asked.h"
#include "sql/warehouse/schema.h"
#include "src/base/number.h"

#include <stdlib.h>
#include <string.h>

/* The statement of a row of a list; where no row has this name, the view of that name. */
static sqlite3_stmt *notes_prepare(struct warehouse *warehouse, const char *list, const char *what,
                                   const char *columns, struct view name, struct error *error)
{
    char *sql;
    if (!views_row(warehouse->db, list, what, name, &sql, error))
        return NULL;
    if (!sql)
        sql = database_format("SELECT %s FROM \"%.*w\"", columns, (int)name.length, name.bytes);
    return warehouse_prepare(warehouse, sql, error);
}

/* A text of a row, ours. */
static char *take_text(sqlite3_stmt *row, int column)
{
    if (column < 0 || sqlite3_column_type(row, column) == SQLITE_NULL)
        return NULL;
    return memory_text(database_text(row, column));
}

static int64_t take_number(sqlite3_stmt *row, int column)
{
    return column < 0 || sqlite3_column_type(row, column) == SQLITE_NULL
               ? -1
               : sqlite3_column_int64(row, column);
}

static int place_of(sqlite3_stmt *rows, const char *name)
{
    int column = sqlite3_column_count(rows) - 1;
    while (column >= 0 && sqlite3_stricmp(sqlite3_column_name(rows, column), name) != 0)
        column--;
    return column;
}

static bool read_view(struct report_notes *self, struct warehouse *warehouse, struct view name,
                      size_t view, struct error *error)
{
    sqlite3_stmt *rows =
        notes_prepare(warehouse, "not_included",
                      "printf('SELECT %Q AS what, * FROM (%s)', what, query)", "*", name, error);
    if (!rows)
        return false;
    int what = place_of(rows, "what"), sheet = place_of(rows, "sheet"),
        count = place_of(rows, "count"), time = place_of(rows, "time_ns");
    bool done = true;
    while (warehouse_next(warehouse, rows, &done, error))
        array_add(&self->rows, (struct note_row){.view = view,
                                                 .what = take_text(rows, what),
                                                 .sheet = take_text(rows, sheet),
                                                 .count = take_number(rows, count),
                                                 .time_ns = take_number(rows, time)});
    database_finalize(rows);
    return done;
}

/* The number of a view that was asked, now or before; SIZE_MAX on failure. */
static size_t notes_ask(struct report_notes *self, struct warehouse *warehouse, struct view name,
                        struct error *error)
{
    for (size_t i = 0; i < self->views.count; i++)
        if (view_equal(view_of(self->views.items[i]), name))
            return i;
    array_add(&self->views, memory_part(name.bytes, name.length));
    size_t view = self->views.count - 1;
    return read_view(self, warehouse, name, view, error) ? view : SIZE_MAX;
}

static int64_t add_known(int64_t left, int64_t right)
{
    return left < 0 || right < 0 ? -1 : number_sum(left, right);
}

static void notes_add_row(const struct note_row *row, sheet_note_list *notes)
{
    if (!row->what || row->count == 0)
        return;
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->items[i].what, row->what) == 0) {
            notes->items[i].count = add_known(notes->items[i].count, row->count);
            notes->items[i].time_ns = add_known(notes->items[i].time_ns, row->time_ns);
            return;
        }
    array_add(notes, (struct sheet_note){row->what, row->count, row->time_ns});
}

bool report_notes_add(struct report_notes *self, struct warehouse *warehouse,
                      const struct layout *layout, const char *value, sheet_note_list *notes,
                      struct error *error)
{
    const char *list = layout->not_included;
    for (struct view name; (name = docs_next_name(&list)).length;) {
        size_t view = notes_ask(self, warehouse, name, error);
        if (view == SIZE_MAX)
            return false;
        for (size_t i = 0; i < self->rows.count; i++) {
            const struct note_row *row = &self->rows.items[i];
            bool is_meant = !row->sheet || (value && strcmp(row->sheet, value) == 0);
            if (row->view == view && is_meant)
                notes_add_row(row, notes);
        }
    }
    return true;
}

/* Why, if a reason holds, ours; NULL: it does not. */
static bool ask_why(struct warehouse *warehouse, struct view name, char **why, struct error *error)
{
    sqlite3_stmt *row = notes_prepare(warehouse, "empty_reason",
                                      "printf('SELECT %Q WHERE NOT EXISTS (%s)', why, missing)",
                                      "why", name, error);
    bool done = row != NULL;
    if (row && warehouse_next(warehouse, row, &done, error))
        *why = take_text(row, 0);
    database_finalize(row);
    return done;
}

/* Where no trace of the format is selected that a report is about: that, ours. */
static bool ask_format(struct warehouse *warehouse, const char *declared, char **why,
                       struct error *error)
{
    static const char sql[] =
        "SELECT 'this is about ' || ?2 || ', and what is selected is of the format ' || "
        "group_concat(format, ', ') FROM (SELECT DISTINCT trace.format AS format FROM scope JOIN "
        "trace ON trace.id = scope.trace_id ORDER BY 1) HAVING sum(format = ?1) = 0";
    size_t length = declared ? strcspn(declared, " ") : 0;
    if (!length || !declared[length])
        return true;
    struct asked row;
    const char *found;
    ASK(&row, warehouse->db, sql, ((struct view){declared, length}), declared + length + 1);
    if (ASKED_ROW(&row, &found))
        *why = memory_text(found);
    return asked_done(&row, warehouse->path, error);
}

bool report_notes_reason(struct warehouse *warehouse, const struct layout *layout, char **why,
                         struct view *view, struct error *error)
{
    const char *list = layout->empty;
    struct view name = VIEW("no_events");
    *why = NULL;
    if (!ask_why(warehouse, name, why, error))
        return false;
    if (!*why) {
        name = VIEW("no_format");
        if (!ask_format(warehouse, layout->format, why, error))
            return false;
    }
    while (!*why && (name = docs_next_name(&list)).length)
        if (!ask_why(warehouse, name, why, error))
            return false;
    if (view)
        *view = name;
    return true;
}

bool report_notes_unanswered(struct warehouse *warehouse, const char *reasons, char **why,
                             struct view *name, struct error *error)
{
    *why = NULL;
    while (!*why && (*name = docs_next_name(&reasons)).length)
        if (!ask_why(warehouse, *name, why, error))
            return false;
    return true;
}

bool report_notes_why(struct warehouse *warehouse, const struct layout *layout, char **why,
                      struct view *view, struct error *error)
{
    if (!report_notes_reason(warehouse, layout, why, view, error))
        return false;
    if (!*why)
        *why = memory_text("nothing that is selected is of this kind");
    return true;
}

bool report_notes_add_bare(struct report_notes *self, struct warehouse *warehouse,
                           const struct layout *layout, const char *name, struct error *error)
{
    char *why = NULL;
    struct view view;
    if (!report_notes_why(warehouse, layout, &why, &view, error))
        return false;
    const char *reason = view.length ? why : "main columns are empty";
    struct note_bare *bare = NULL;
    for (size_t i = 0; i < self->bare.count; i++)
        if (strcmp(self->bare.items[i].why, reason) == 0)
            bare = &self->bare.items[i];
    if (!bare) {
        bare = array_push(&self->bare);
        *bare = (struct note_bare){.why = memory_text(reason)};
    }
    text_format(&bare->names, "%s%s", bare->names.count ? ", " : "", name);
    return true;
}

void report_notes_say_bare(const struct report_notes *self, const char *between, struct text *out)
{
    for (size_t i = 0; i < self->bare.count; i++)
        text_format(out, "%sNot printed, %s: %s", *between == '\n' || out->count ? between : "",
                    self->bare.items[i].why, self->bare.items[i].names.items);
}
