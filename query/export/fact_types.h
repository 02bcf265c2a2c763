/* fact_types: the tables that other engines are given, with the types of their columns: facts, and
 * reports as sheets.
 *
 *     export_tables_open(&tables, &warehouse, &choice, &error);
 *     export_table_rows(&tables.items[i], &warehouse, &error);     of what is selected
 *     export_tables_close(&tables);
 *
 * Run and trace stand in front of the columns of every table, those of sheets have the place of a
 * row behind them; they are not among its columns here. Facts and reports about traces are asked
 * for with one trace selected, reports about runs with one run.
 */
#ifndef TPQ_QUERY_EXPORT_FACT_TYPES_H
#define TPQ_QUERY_EXPORT_FACT_TYPES_H

#include "sql/docs.h"
#include "sql/warehouse.h"
#include "src/base/text.h"

enum {
    FACT_LAYOUT = 1, /* version of the tables, in fact_trace */
};

enum export_type { EXPORT_INTEGER, EXPORT_REAL, EXPORT_TEXT };

enum export_kind {
    FACT_OF_TRACE, /* fact_... */
    SHEET_OF_TRACE,
    SHEET_OF_RUN,
};

struct export_column {
    const char *name;
    enum export_type type;
    bool is_label; /* a text that is a whole number in most runs */
};

struct export_table {
    char *name; /* fact_gpu, sheet_gpu_timeline */
    enum export_kind kind;
    const char *view; /* that has its rows */
    const char *set;  /* rows of runs that have this set; NULL = of all */
    bool is_last;     /* fact_trace: it tells that all others are there */
    ARRAY(struct export_column) columns;
};

struct fact_choice {
    const char *sheets;      /* default, all, none, or names with commas between; NULL = default */
    const char *const *sets; /* that runs have, ended by NULL */
    bool has_events;         /* fact_event, too */
    bool has_runs;           /* reports about runs, too */
};

struct export_tables {
    struct export_table *items; /* fact_trace is the last one */
    size_t count, room;
    size_t left_out; /* reports about runs */
    doc_list docs;
};

bool export_tables_open(struct export_tables *self, struct warehouse *warehouse,
                        const struct fact_choice *choice, struct error *error);
void export_tables_close(struct export_tables *self);

/* Rows of what is selected, a column for each. */
sqlite3_stmt *export_table_rows(const struct export_table *self, struct warehouse *warehouse,
                                struct error *error);

/* A cell of this type of SQLite's, as its column's type has it: a whole number may stand for a real
 * one; what has another type fails. NULL is always right. */
bool export_cell_check(const struct export_table *self, int column, int type, int64_t place,
                       struct error *error);

typedef bool export_has_table(const void *tables, struct view name);

/* Whether there are all facts and sheets that the text of a view names outside of its comments. */
bool export_view_can_be_made(const char *text, export_has_table *has_table, const void *tables);

#endif
