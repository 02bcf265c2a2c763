/* layout: what the comment above a view declares about its sheets, read once and typed. doc_keys
 * (docs.h) says which keys there are and what they mean; a declaration that has another key, that
 * is no value of its type, or that names a column which the view does not have, is an error as
 * soon as the report is loaded.
 */
#pragma once

#include "sql/docs.h"
#include "src/base/error.h"
#include "src/base/text.h"

#include <sqlite3.h>

/* Declarations about a column. */
struct layout_column {
    struct view name;
    struct view option; /* it is there only with it, or with "not " before it without; empty */
    struct view leader; /* the column with which it is left out; empty */
    struct view beside; /* the column that + joins it to; empty */
    unsigned place;     /* of importance on a terminal, from 1; 0: none */
    bool drops_empty, drops_empty_compat, is_wide, has_bar, is_spread, is_summed, is_main;
};

struct layout {
    const struct doc_object *report;
    const char *sheet, *alias, *sheets, *keep_empty, *footer, *answers, *chart,
        *tab;                                              /* NULL: not declared */
    const char *colours, *sheet_by, *spread_over, *sample; /* columns */
    const char *first, *first_over; /* rows and spread where no report is named */
    const char *total;
    const char *table_with; /* an option with which rows are no paragraphs */
    const char *traces;     /* a view with its traces; NULL: all that are selected */
    const char *work;       /* what the measure adds up to, in words; NULL: no such time */
    ARRAY(struct view) key;
    struct view measure, count;       /* columns; empty */
    const char *figures;              /* a view with these and the key; NULL: none */
    const char *format;               /* that it is about, and its words; NULL: any */
    const char *not_included, *empty; /* views, with commas between: docs_next_name */
    struct view unfold, unfold_word, unfold_order;
    bool in_paragraphs, only_in_workbook, is_about_runs, is_about_pair, has_places;
    bool has_no_sum;                     /* the measure does not add up over rows */
    bool is_whole;                       /* rows need whole traces, not single steps */
    ARRAY(struct layout_column) columns; /* those that something is declared about */
};

/* The words stay those of the report. */
bool layout_read(struct layout *self, const struct doc_object *report, struct error *error);

/* Fails where a column that is declared is none of the rows of the view, or a view is not there. */
bool layout_check(const struct layout *self, sqlite3_stmt *rows, struct error *error);

/* Declarations about a column; all empty where there are none. */
const struct layout_column *layout_column(const struct layout *self, const char *name);

/* Whether a column is of the declared key. */
bool layout_is_key(const struct layout *self, const char *name);
