/* fact_types: the tables that other engines are given, with the types of their columns: facts, and
 * reports as sheets.
 *
 *     export_tables_open(&tables, &warehouse, &choice, &error);
 *     export_table_rows(&tables.items[i], &warehouse, &error);     of what is selected
 *
 * Run and trace stand in front of the columns of every table, those of sheets have the place of a
 * row behind them; they are not among its columns here. Facts and reports about traces are asked
 * for with one trace selected, reports about runs with one run. Columns of the user's reports that
 * state no type have that of their values: before any row is exported, all rows of such a table go
 * through export_table_look.
 */
#pragma once

#include "sql/docs.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/name_list.h"
#include "src/base/text.h"

enum {
    FACT_LAYOUT = 1, /* version of the tables, in fact_trace */
};

enum export_type { EXPORT_INTEGER, EXPORT_REAL, EXPORT_TEXT }; /* each has values of those before */

enum export_kind {
    FACT_OF_TRACE, /* fact_... */
    SHEET_OF_TRACE,
    SHEET_OF_RUN,
};

struct export_column {
    char *name;
    enum export_type type;
    const struct doc_column *stated; /* NULL = nothing is said of it */
    bool is_label;                   /* a text that is a whole number in most runs */
    bool is_open;                    /* its type is that of its values */
    bool has_values;
};

struct export_table {
    char *name;     /* fact_gpu, sheet_gpu_timeline */
    char *postgres; /* its table there: tpq."gpu_row", tpq."sheet_gpu_timeline" */
    enum export_kind kind;
    const char *view;  /* that has its rows */
    const char *set;   /* rows of runs that have this set; NULL = of all */
    const char *place; /* the user's column that says which trace or run a row is of; NULL = none */
    bool is_last;      /* fact_trace: it tells that all others are there */
    bool is_open;      /* some of its columns are */
    bool has_traces;   /* a sheet with trace_id: NULL in rows about the run */
    ARRAY(struct export_column) columns;
};

/* The user's own, beside those of the program. */
struct export_reports {
    const doc_list *docs; /* all reports there are, the user's first; NULL = the program's alone */
    const doc_list *sheets; /* of extension files; NULL = none */
};

struct fact_choice {
    struct export_reports reports;
    const char *sheets;      /* default, all, none, or names with commas between; NULL = default */
    const char *const *sets; /* that runs have, ended by NULL */
    bool has_events;         /* fact_event, too */
    bool has_runs;           /* reports about runs, too */
};

struct export_tables {
    struct export_table *items; /* fact_trace is the last one */
    size_t count, room;
    size_t not_included; /* reports about runs */
    const doc_list *docs;
    doc_list shipped; /* where these are all of them */
};

bool export_tables_open(struct export_tables *self, struct warehouse *warehouse,
                        const struct fact_choice *choice, struct error *error);

/* Rows of what is selected, a column for each. */
sqlite3_stmt *export_table_rows(const struct export_table *self, struct warehouse *warehouse,
                                struct error *error);

/* The same for the types of the columns of an open table, and what they are after all rows. */
bool export_table_look(struct export_table *self, struct warehouse *warehouse, sqlite3_stmt *rows,
                       struct error *error);
void export_table_settle(struct export_table *self);

/* A cell of this type of SQLite's, as its column's type has it: a whole number may stand for a real
 * one; what has another type fails. NULL is always right. */
bool export_cell_check(const struct export_table *self, int column, int type, int64_t place,
                       struct error *error);

bool export_tables_have(const struct export_tables *self, struct view name);

/* Adds the texts of the views over many runs, as they are in files of their own, each behind
 * `before`, if all tables that they stand on are among these. */
void export_add_fleet_views(const name_list *tables, const char *before, struct text *out);
