/* account: A side is selected before it is asked, run by run, so the selection at the end is that
 * of the last side. Notes with the same words are added up within a report; a note that an earlier
 * report has is dropped. Sides are named in notes up to four. */
#include "query/compare/account.h"

#include "query/compare/account.sql.h"
#include "query/report/identify.h"
#include "sql/database.h"
#include "src/base/number.h"
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ who */

/* Asks about a run of a side. */
struct asked_run {
    struct side *side;
    size_t run;
};

static bool ask_about_run(void *context, const struct question *question, struct result *rows,
                          struct error *error)
{
    const struct asked_run *self = context;
    return side_ask(self->side, self->run, SIDE_READ, 0, question, rows, error);
}

bool account_identify(struct account *self, struct side *sides, size_t side_count,
                      struct error *error)
{
    identity_add(&self->identity, "version", IDENTITY_TEXT, TPQ_VERSION);
    for (size_t i = 0; i < side_count; i++) {
        struct side *side = &sides[i];
        struct identity *identity = array_push(&self->identity.sides);
        *identity = (struct identity){.side = memory_text(side->name)};
        if (side->word)
            identity_add(identity, "chosen", IDENTITY_TEXT, side->word);
        if (side->sheets)
            identity_add(identity, "selection", IDENTITY_LIST, "sheets in a file");
        for (size_t j = 0; j < side->runs.count; j++) {
            struct asked_run asked = {side, j};
            struct asker asker = {side->warehouse, ask_about_run, &asked,
                                  side_keeps(side) ? side->runs.items[j] : NULL};
            identity_add(identity, "run", IDENTITY_LIST, side->runs.items[j]);
            if (!identify_selection(&asker, &side->common, identity, error))
                return false;
        }
        for (size_t j = 0; j < side->traces.count; j++) {
            char number[32];
            sqlite3_snprintf(sizeof number, number, "trace %lld", (long long)side->traces.items[j]);
            identity_add(identity, "selection", IDENTITY_LIST, number);
        }
    }
    identity_sum_up(&self->identity);
    return true;
}

/* ------------------------------------------------------------------ what not */

/* The note with these words among those from `first` on, new where there is none. */
static struct sheet_note *note_of(struct account *self, size_t first, char *words)
{
    for (size_t i = first; i < self->notes.count; i++)
        if (strcmp(self->notes.items[i].what, words) == 0)
            return &self->notes.items[i];
    struct sheet_note *added = array_push(&self->notes);
    *added = (struct sheet_note){.what = words};
    return added;
}

static int64_t add_known(int64_t left, int64_t right)
{
    return left < 0 || right < 0 ? -1 : number_sum(left, right);
}

enum { WHAT, COUNT, TIME, NOTE_COLUMNS };

/* Rows of what the report leaves out of a run, as they are kept or now. */
static bool ask_notes(struct side *side, size_t run, const char *name, const struct layout *layout,
                      struct result *rows, struct error *error)
{
    struct report_notes notes = {0};
    sheet_note_list list = {0};
    if (side_find_rows(side, run, SIDE_READ, 0, name, NOTE_COLUMNS, rows))
        return true;
    result_init(rows, NOTE_COLUMNS);
    if (!side_select(side, run, error) ||
        !report_notes_add(&notes, side->warehouse, layout, NULL, &list, error))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        const struct sheet_note *note = &list.items[i];
        result_add(rows, (struct cell[]){{.type = CELL_TEXT, .text = view_of(note->what)},
                                         {.type = CELL_INTEGER, .integer = note->count},
                                         {.type = CELL_INTEGER, .integer = note->time_ns}});
    }
    side_keep_rows(side, run, SIDE_READ, 0, name, rows);
    return true;
}

bool account_add_report(struct account *self, const struct doc_object *report, bool is_empty,
                        struct side *sides, size_t side_count, struct error *error)
{
    enum { SIDES_NAMED = 4 };
    struct layout layout;
    struct text name = {0};
    size_t first = self->notes.count;
    if (!layout_read(&layout, report, error))
        return false;
    text_format(&name, "notes %s", report->name);
    for (size_t i = 0; i < side_count; i++)
        for (size_t j = 0; j < sides[i].runs.count; j++) {
            struct result rows = {0};
            struct result_cursor cursor = {0};
            struct cell cells[NOTE_COLUMNS];
            if (!ask_notes(&sides[i], j, name.items, &layout, &rows, error))
                return false;

            /* A note about one side joins the note about all of them. */
            while (result_next(&rows, &cursor, cells)) {
                struct text words = {0};
                if (side_count <= SIDES_NAMED)
                    text_format(&words, "%s: ", sides[i].name);
                text_add_view(&words, cells[WHAT].text);
                struct sheet_note *all = note_of(self, first, words.items);
                all->count = add_known(all->count, cells[COUNT].integer);
                all->time_ns = add_known(all->time_ns, cells[TIME].integer);
            }
        }

    /* A note that an earlier report has, too, is said once. */
    size_t kept = first;
    for (size_t i = first; i < self->notes.count; i++) {
        size_t same = 0;
        while (same < first && strcmp(self->notes.items[same].what, self->notes.items[i].what) != 0)
            same++;
        if (same == first)
            self->notes.items[kept++] = self->notes.items[i];
    }
    self->notes.count = kept;
    self->why_empty = NULL;
    struct side *last = side_count ? &sides[side_count - 1] : NULL;
    return !is_empty || !last || !last->runs.count ||
           (side_select(last, last->runs.count - 1, error) &&
            report_notes_why(last->warehouse, &layout, &self->why_empty, NULL, error));
}

/* ------------------------------------------------------------------ setup and origin
 *
 * One question reads what the runs of a warehouse state, as JSON; another one holds the sides of
 * all warehouses against each other. */

bool run_fields_read(run_field_list *self, const struct side *sides, size_t side_count,
                     bool to_previous, struct error *error)
{
    struct text lists = {0}, runs = {0};
    bool done = true;
    for (size_t i = 0, first = 0; i < side_count && done; i++, first = 0) {
        while (sides[first].warehouse != sides[i].warehouse)
            first++;
        text_clear(&runs);
        for (size_t j = i; j < side_count && first == i; j++)
            for (size_t k = 0; sides[j].warehouse == sides[i].warehouse && k < sides[j].runs.count;
                 k++) {
                text_format(&runs, "%c[%zu", runs.count ? ',' : '[', j);
                text_format_json(&runs, ",%s,%s]", sides[j].name, sides[j].runs.items[k]);
            }
        if (!runs.count)
            continue;
        text_add_byte(&runs, ']');
        sqlite3_stmt *row = warehouse_prepare(sides[i].warehouse, stated, error);
        done = row != NULL;
        sqlite3_bind_text(row, 1, runs.items, -1, SQLITE_STATIC);
        while (warehouse_next(sides[i].warehouse, row, &done, error))
            text_format(&lists, "%c%s", lists.count ? ',' : '[', database_text(row, 0));
        database_finalize(row);
    }
    text_add_string(&lists, lists.count ? "]" : "[]");
    sqlite3_stmt *rows = done ? warehouse_prepare(sides[0].warehouse, differing, error) : NULL;
    done = rows != NULL;
    sqlite3_bind_text(rows, 1, lists.items, -1, SQLITE_STATIC);
    sqlite3_bind_int64(rows, 2, (int64_t)side_count);
    sqlite3_bind_int(rows, 3, to_previous);
    while (warehouse_next(sides[0].warehouse, rows, &done, error)) {
        struct text words = {0};
        visible_add(&words, view_of(database_text(rows, 2)));
        array_add(self,
                  (struct run_field){sqlite3_column_int64(rows, 0), sqlite3_column_int(rows, 1),
                                     words.items, memory_text(database_text(rows, 3))});
    }
    database_finalize(rows);
    return done;
}

void run_fields_add(const run_field_list *self, size_t side, size_t most, bool only_setup,
                    const char *before, const char *after, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct run_field *field = &self->items[i];
        if (field->side == (int64_t)side && !(only_setup && field->is_origin) && count++ < most)
            text_format(out, "%s%s", count > 1 ? "; " : before, field->words);
    }
    if (count > most)
        text_format(out, " and %zu more", count - most);
    text_add_string(out, count ? after : "");
}
