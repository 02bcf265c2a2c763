/* table_file: the rows of one table on their way into a Parquet file of a dataset. The file is
 * begun with the first row: a table without rows has none. */
#pragma once

#include "query/export/dataset.h"
#include "query/export/fact_types.h"
#include "query/parquet/parquet.h"

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
    struct cell *cells;
    struct text *rooms; /* for texts that had to be mended, one a column */
    bool is_open;
};

/* Adds the rows of what is selected, as those of a trace, by its key; NULL: of a run. `*rows` goes
 * up by their number. */
bool table_file_add(struct table_file *self, struct warehouse *warehouse, const char *trace,
                    int64_t *rows);

/* The file is whole, and on the disk; `run` stands in its footer. */
bool table_file_finish(struct table_file *self, const char *run);

/* Nothing is left of the file but what has its place; another one may begin. */
void table_file_drop(struct table_file *self);
void table_file_close(struct table_file *self);
