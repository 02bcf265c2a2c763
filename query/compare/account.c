/* account: A side is selected before it is asked, run by run, so the selection at the end is that
 * of the last side. Notes with the same words are added up within a report; a note that an earlier
 * report has is dropped. Sides are named in notes up to four. */
#include "query/compare/account.h"

#include "query/report/identify.h"
#include "src/base/number.h"

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

static bool identify_side(struct side *side, struct identity *identity, struct error *error)
{
    identity->side = memory_text(side->name);
    if (side->word)
        identity_add(identity, "chosen", IDENTITY_TEXT, side->word);
    if (side->sheets)
        identity_add(identity, "selection", IDENTITY_LIST, "sheets in a file");
    bool done = true;
    for (size_t i = 0; i < side->runs.count && done; i++) {
        struct asked_run asked = {side, i};
        struct asker asker = {side->warehouse, ask_about_run, &asked,
                              side_keeps(side) ? side->runs.items[i] : NULL};
        identity_add(identity, "run", IDENTITY_LIST, side->runs.items[i]);
        done = identify_selection(&asker, &side->common, identity, error);
    }
    for (size_t i = 0; i < side->traces.count && done; i++) {
        char number[32];
        sqlite3_snprintf(sizeof number, number, "trace %lld", (long long)side->traces.items[i]);
        identity_add(identity, "selection", IDENTITY_LIST, number);
    }
    return done;
}

bool account_identify(struct account *self, struct side *sides, size_t side_count,
                      struct error *error)
{
    identity_add(&self->identity, "version", IDENTITY_TEXT, TPQ_VERSION);
    bool done = true;
    for (size_t i = 0; i < side_count && done; i++) {
        struct identity *added = array_push(&self->identity.sides);
        *added = (struct identity){0};
        done = identify_side(&sides[i], added, error);
    }
    if (!done)
        return false;
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

/* Makes rows of what the report leaves out of a run. */
static bool ask_notes(struct side *side, size_t run, const struct layout *layout,
                      struct result *rows, struct error *error)
{
    struct report_notes notes = {0};
    sheet_note_list list = {0};
    result_init(rows, NOTE_COLUMNS);
    bool done = side_select(side, run, error) &&
                report_notes_add(&notes, side->warehouse, layout, NULL, &list, error);
    for (size_t i = 0; i < list.count && done; i++) {
        const struct sheet_note *note = &list.items[i];
        result_add(rows, (struct cell[]){{.type = CELL_TEXT, .text = view_of(note->what)},
                                         {.type = CELL_INTEGER, .integer = note->count},
                                         {.type = CELL_INTEGER, .integer = note->time_ns}});
    }
    return done;
}

/* A note about one side joins the note about all of them. */
static void add_notes(struct account *self, size_t first, const char *side,
                      const struct result *rows)
{
    struct result_cursor cursor = {0};
    struct cell cells[NOTE_COLUMNS];
    while (result_next(rows, &cursor, cells)) {
        struct text words = {0};
        if (side)
            text_format(&words, "%s: ", side);
        text_add_view(&words, cells[WHAT].text);
        struct sheet_note *all = note_of(self, first, words.items);
        all->count = add_known(all->count, cells[COUNT].integer);
        all->time_ns = add_known(all->time_ns, cells[TIME].integer);
    }
}

bool account_add_report(struct account *self, const struct doc_object *report, bool is_empty,
                        struct side *sides, size_t side_count, struct error *error)
{
    enum { SIDES_NAMED = 4 };
    struct layout layout;
    size_t first = self->notes.count;
    bool done = layout_read(&layout, report, error);
    struct text name = {0};
    text_format(&name, "notes %s", report->name);
    for (size_t i = 0; i < side_count && done; i++)
        for (size_t j = 0; j < sides[i].runs.count && done; j++) {
            struct result rows = {0};
            if (!side_find_rows(&sides[i], j, SIDE_READ, 0, name.items, NOTE_COLUMNS, &rows)) {
                done = ask_notes(&sides[i], j, &layout, &rows, error);
                if (done)
                    side_keep_rows(&sides[i], j, SIDE_READ, 0, name.items, &rows);
            }
            if (done)
                add_notes(self, first, side_count <= SIDES_NAMED ? sides[i].name : NULL, &rows);
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
    if (done && is_empty && last && last->runs.count)
        done = side_select(last, last->runs.count - 1, error) &&
               report_notes_why(last->warehouse, &layout, &self->why_empty, NULL, error);
    return done;
}
