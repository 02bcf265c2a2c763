/* dataset: a directory of files that engines read as tables, in the layout that Hive began:
 *
 *     DIR/fact_gpu/run=base/run.parquet      a file for a run, or
 *     DIR/fact_gpu/run=base/TRACE.parquet    a file for each trace
 *     DIR/fact_trace/run=base/_traces        of a run in one file: which traces are in it
 *     DIR/views.sql                          export_parquet.c
 *
 * Many processes may write into one at a time. A file is written by a name of its own, and gets its
 * place when it is whole; what a process that was killed has left is removed by the next one.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stdio.h>

struct dataset {
    const char *path;
    struct error *error;
    unsigned begun; /* files */
};

/* A file that has no place yet. */
struct dataset_file {
    FILE *out; /* NULL: it was never begun, or has its place */
    struct text building;
};

typedef ARRAY(char *) dataset_names;

/* Makes the directory where there is none. */
bool dataset_open(struct dataset *self, const char *path, struct error *error);

/* Appends a name of anything as that of a file or folder: what is not A-Z a-z 0-9 _ . - as %XX.
 * False: memory is out. */
void dataset_add_name(struct text *out, const char *name);

/* Fails for a run whose name becomes too long for a folder. */
bool dataset_check_run(struct dataset *self, const char *run);

bool dataset_begin(struct dataset *self, struct dataset_file *file);

/* All that was written is on the disk. */
bool dataset_end(struct dataset *self, struct dataset_file *file);

/* Puts a file where it belongs; the folders are made. `run` NULL: beside the tables. */
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
bool dataset_check_manner(struct dataset *self, const char *run, bool per_trace,
                          dataset_names *traces, bool *is_there);

/* The tables that have any file, in order. */
bool dataset_tables(struct dataset *self, dataset_names *tables);
void dataset_names_free(dataset_names *names);
