/* report_maker: a report while it is made (report.h): its rows, and how they are laid out. What the
 * files that make reports share; no one else has to do with it.
 *
 *     report.c          reads the rows, and says what they are
 *     report_choice.c   which reports there are, and which of them are made
 *     report_by.c       asks for them by step, and adds ranks
 *     report_layout.c   columns, values and names that the others share; spreads a key's values
 *     report_sheet.c    hands one sheet to the outputs
 *     report_parts.c    parts rows into sheets
 */
#pragma once

#include "query/report/abstain.h"
#include "query/report/layout.h"
#include "query/report/report.h"
#include "query/report/result.h"

typedef ARRAY(struct column) column_list;

struct rank {
    int64_t trace_id, rank;
    bool is_known;
};

typedef ARRAY(struct rank) rank_list;

struct maker {
    struct warehouse *warehouse;
    const struct doc_object *report;
    struct layout layout; /* what it declares */
    const struct report_options *options;
    struct sink *const *sinks;
    size_t sink_count;
    struct error *error;
    bool one_trace, one_run;
    bool says_rank; /* in the place of trace_id */
    rank_list ranks;
    struct intern traces;      /* that rows are of, with their runs */
    ARRAY(int64_t) trace_rows; /* rows of each */
    int64_t rows_skipped;      /* behind those that a terminal shows */
    bool says_where;           /* the outputs in hand want that (sink.h) */
    bool is_named;             /* the report was asked for */
    bool by_step, by_rank;     /* its rows have them beside what the view tells */

    struct result result;
    sqlite3_stmt *rest;         /* of the rows, which come while they are sent; NULL: none */
    column_list columns;        /* of the table */
    ARRAY(size_t) shown;        /* those that the outputs in hand show, in order */
    struct sheet_note unlisted; /* rows that are on no sheet; no words: none */
    sheet_note_list notes;      /* what the sheet in hand leaves out */
    char *why_empty;
    char *unanswered, *window;
    char *why_code;           /* SQLite's */
    abstained_list abstained; /* columns whose figures have no basis */
    struct text why_abstained;
    bool is_bare; /* the main columns of the sheet in hand are empty */
    size_t *sheets;
};

/* Whether an option is set; with "not " before it, whether it is not; of several with " and "
 * between, whether all of that is so. */
bool report_is_met(struct view condition, const struct context *context);

/* Whether the sheet for a value belongs to a part of a report (struct report_options). */
bool report_is_in_part(const struct doc_object *report, size_t part, struct view value);

/* The place of a column; SIZE_MAX: there is none. */
size_t report_column(const struct maker *self, struct view name);

/* A name or heading with `value` in the place of "{}". */
char *report_put_value(const char *heading, const char *value, const char *between);

/* Whether a report without rows has a sheet. */
bool report_keeps_empty(const struct maker *self);

/* The rows of a view that the report is made of. NULL on failure. */
sqlite3_stmt *report_rows(struct maker *self, const char *view);

/* Empties the cells of a row of the view that have no basis. */
void report_abstain(struct maker *self, struct cell *cells);

/* The name that the report gives its sheet; `value` is what the sheet is for, or NULL. */
const char *report_sheet_name(struct maker *self, const char *value);

/* Whether rows get a step and a rank. A report that cannot have them is made without, unless it was
 * named. Then: columns for them, and the rows with them; `place`: where they stand, before they do.
 */
bool report_by_choose(struct maker *self);
size_t report_by_place(const struct maker *self);
void report_by_columns(struct maker *self, size_t place);
bool report_by_rows(struct maker *self, sqlite3_stmt *rows, size_t place);

/* Counts a row, and gives its number among those of its trace, from 1. */
int64_t report_count_row(struct maker *self, const struct cell *cells);

/* The ranks of all traces; then that of one, empty where it states none. */
bool report_read_ranks(struct maker *self);
struct cell report_rank_of(const struct maker *self, int64_t trace);

void report_spread(struct maker *self);

/* All rows of the table as one sheet; `value` is what the sheet is for, or NULL. */
bool report_send_sheet(struct maker *self, const char *name, const char *value);

/* A sheet for each value of the column sheet-by, or those that are declared. */
bool report_send_parts(struct maker *self);
