/* parquet: a table as a file of Apache Parquet, row by row: flat columns that may be NULL, plain
 * and dictionary pages, gzip. The same rows become the same bytes.
 *
 *     struct parquet file;
 *     struct chunk_tools tools = {0};
 *     bool done = parquet_open(&file, out, "x.parquet", fields, 2, &tools, &error) &&
 *                 parquet_add(&file, cells) && ... &&
 *                 parquet_finish(&file, facts, 1);
 *     parquet_close(&file);
 *     chunk_tools_free(&tools);                  when no file is left that works with them
 *
 * It knows cells and a stream, and nothing of what they are about.
 */
#pragma once

#include "query/parquet/chunk.h"
#include "src/base/error.h"

#include <stdio.h>

/* Facts in the footer about the whole file, beside its columns. */
struct parquet_fact {
    const char *key, *value;
};

struct parquet {
    FILE *out;
    const char *path; /* for failures */
    struct error *error;
    struct chunk *chunks; /* of the row group in hand */
    size_t count;
    struct chunk_tools *tools;
    int64_t group_rows, rows;
    int64_t offset; /* bytes written */
    size_t groups;
    struct text described; /* row groups that are written, as the footer has them */
};

/* `out`, the names and the tools stay the caller's. */
bool parquet_open(struct parquet *self, FILE *out, const char *path,
                  const struct parquet_field *fields, size_t count, struct chunk_tools *tools,
                  struct error *error);

/* A row: a cell a column, of its type or NULL. */
bool parquet_add(struct parquet *self, const struct cell *cells);

/* Writes what is left, and the footer. */
bool parquet_finish(struct parquet *self, const struct parquet_fact *facts, size_t count);

/* Whether or not it was finished. */
void parquet_close(struct parquet *self);
