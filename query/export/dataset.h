/* dataset: a directory of files that engines read as tables, in one of two layouts, the second one
 * (by run) as Hive began it:
 *
 *     DIR/fact_gpu.parquet                   a file for all runs, whose first column is run; or
 *     DIR/fact_gpu/run=base/run.parquet      a file for a run, or
 *     DIR/fact_gpu/run=base/TRACE.parquet    a file for each trace
 *     DIR/fact_trace/run=base/_traces        of a run in one file: which traces are in it
 *     DIR/views.sql                          export_parquet.c
 *
 * By run, many processes may write into one at a time. A file is written by a name of its own, and
 * gets its place when it is whole; what a process that was killed has left is removed by the next
 * one.
 */
#pragma once

#include "query/export/fact_types.h"
#include "query/parquet/parquet.h"
#include "src/base/error.h"
#include "src/base/name_list.h"
#include "src/base/text.h"

#include <stdio.h>

struct dataset {
    const char *path;
    struct error *error;
    bool by_run;    /* the layout */
    unsigned begun; /* files */
    unsigned asked; /* paths */
    struct text paths[3];
};

/* A file that has no place yet. */
struct dataset_file {
    FILE *out; /* NULL: it was never begun, or has its place */
    struct text building;
};

/* Makes the directory where there is none. Fails, and changes nothing, where it has tables of the
 * other layout. */
bool dataset_open(struct dataset *self, const char *path, bool by_run, struct error *error);

/* Appends a name of anything as that of a file or folder: what is not A-Z a-z 0-9 _ . - as %XX. */
void dataset_add_name(struct text *out, const char *name);

/* Fails for a run whose name becomes too long for a folder. */
bool dataset_check_run(struct dataset *self, const char *run);

bool dataset_begin(struct dataset *self, struct dataset_file *file);

/* All that was written is on the disk. */
bool dataset_end(struct dataset *self, struct dataset_file *file);

/* Puts a file where it belongs; the folders are made. Of a table alone it has all runs, and by its
 * name alone it is beside the tables. */
bool dataset_place(struct dataset *self, struct dataset_file *file, const char *table,
                   const char *run, const char *name);

/* A file that is not to be, or has its place. */
void dataset_drop(struct dataset_file *file);

/* Removes a file that may be there. */
bool dataset_remove(struct dataset *self, const char *table, const char *run, const char *name);

/* The same of all that is there of a run; of fact_trace first. */
bool dataset_remove_run(struct dataset *self, const char *run);

/* Whether a run can be written: what is there of it must be of the same manner, and in one file
 * only of the traces that are in this one, by their names here, which are put in order. `is_there`
 * is set where it cannot, with the failure. */
bool dataset_check_manner(struct dataset *self, const char *run, bool per_trace, name_list *traces,
                          bool *is_there);

/* The tables that have any file, in order. */
bool dataset_tables(struct dataset *self, name_list *tables);

/* The rows of one table on their way into a Parquet file of a dataset. The file is
 * begun with the first row: a table without rows has none. */
struct table_file {
    const struct export_table *table;
    const char *options; /* of the export, that change figures; in fact_trace */
    struct dataset *dataset;
    struct chunk_tools *tools; /* of all tables */
    struct error *error;
    sqlite3_stmt
        *rows; /* asked again for each trace: reading its text takes longer than small ones */
    struct dataset_file place;
    struct parquet parquet;
    ARRAY(struct parquet_field) fields;
    ARRAY(struct cell) cells;
    ARRAY(struct text) rooms; /* for texts that had to be mended, one a column */
    bool is_open;
};

/* Adds the rows of what is selected, as those of a trace of the run, by its key; NULL: of the run
 * itself. `*rows` goes up by their number. */
bool table_file_add(struct table_file *self, struct warehouse *warehouse, const char *run,
                    const char *trace, int64_t *rows);

/* The file is whole, and on the disk; `run` stands in its footer; NULL: it has all runs. */
bool table_file_finish(struct table_file *self, const char *run);

/* Nothing is left of the file but what has its place; another one may begin. */
void table_file_drop(struct table_file *self);
