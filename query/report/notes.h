/* notes: what the sheets of a report leave out, and why one is empty, as the report declares
 * (not-included, empty): rows of our own views not_included and empty_reason, or other views. */
#pragma once

#include "query/report/layout.h"
#include "query/sink/sheet.h"
#include "sql/warehouse/warehouse.h"

#include <stdio.h>

/* A row of a view that says what is left out. */
struct note_row {
    size_t view;        /* among those that were asked */
    char *what, *sheet; /* the value of a sheet that it is about; NULL: all of the report */
    int64_t count, time_ns;
};

/* Sheets that are not printed for one reason: their names, with commas between. */
struct note_bare {
    char *why;
    struct text names;
};

/* Notes for one selection: several reports do not include the same rows. */
struct report_notes {
    ARRAY(char *) views;
    ARRAY(struct note_row) rows;
    ARRAY(struct note_bare) bare;
};

typedef ARRAY(struct sheet_note) sheet_note_list;

/* Adds what the sheet for a value leaves out, NULL: of a report with one sheet; the same things of
 * several traces together. Words stay those of `self`. */
bool report_notes_add(struct report_notes *self, struct warehouse *warehouse,
                      const struct layout *layout, const char *value, sheet_note_list *notes,
                      struct error *error);

/* Why the report can have no rows, or NULL, as far as its own reasons tell; the caller frees. */
bool report_notes_reason(struct warehouse *warehouse, const struct layout *layout, char **why,
                         struct view *view, struct error *error);

/* Why the report has no rows, a sentence without a full stop; the caller frees. `*view`, which may
 * be NULL, is the view that says so, empty for none. */
bool report_notes_why(struct warehouse *warehouse, const struct layout *layout, char **why,
                      struct view *view, struct error *error);

/* The reason that holds for a report whose answers are all NULL: `*why`, NULL for none, is the
 * caller's. */
bool report_notes_unanswered(struct warehouse *warehouse, const char *reasons, char **why,
                             struct view *name, struct error *error);

/* Adds a sheet whose main columns are empty, which the terminal names only. */
bool report_notes_add_bare(struct report_notes *self, struct warehouse *warehouse,
                           const struct layout *layout, const char *name, struct error *error);

/* A line on those sheets for each reason. */
void report_notes_say_bare(const struct report_notes *self, const char *between, struct text *out);
