/* fact_types: the tables that other engines are given, with the types of their columns: facts, and
 * reports as sheets.
 *
 *     fact_tables_open(&tables, &warehouse, &choice, &error);
 *     fact_table_rows(&tables.items[i], &warehouse, &error);     of what is selected
 *     fact_tables_close(&tables);
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

enum fact_type { FACT_INTEGER, FACT_REAL, FACT_TEXT };

enum fact_kind {
    FACT_OF_TRACE, /* fact_... */
    SHEET_OF_TRACE,
    SHEET_OF_RUN,
};

struct fact_column {
    const char *name;
    enum fact_type type;
};

struct fact_table {
    char *name; /* fact_gpu, sheet_gpu_timeline */
    enum fact_kind kind;
    const char *view; /* that has its rows */
    const char *set;  /* rows of runs that have this set; NULL = of all */
    bool is_last;     /* fact_trace: it tells that all others are there */
    ARRAY(struct fact_column) columns;
};

struct fact_choice {
    const char *sheets;      /* default, all, none, or names with commas between; NULL = default */
    const char *const *sets; /* that runs have, ended by NULL */
    bool has_events;         /* fact_event, too */
    bool has_runs;           /* reports about runs, too */
};

struct fact_tables {
    struct fact_table *items; /* fact_trace is the last one */
    size_t count, room;
    size_t left_out; /* reports about runs */
    doc_list docs;
};

bool fact_tables_open(struct fact_tables *self, struct warehouse *warehouse,
                      const struct fact_choice *choice, struct error *error);
void fact_tables_close(struct fact_tables *self);

/* Rows of what is selected, a column for each. */
sqlite3_stmt *fact_table_rows(const struct fact_table *self, struct warehouse *warehouse,
                              struct error *error);

/* A cell as its column's type has it: a whole number may stand for a real one; what has another
 * type fails. NULL is always right. */
bool fact_cell_check(const struct fact_table *self, sqlite3_stmt *row, int column, int64_t place,
                     struct error *error);

#endif
