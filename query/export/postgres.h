/* postgres: what a script for psql has before its rows: tables, indexes and views in the schema
 * tpq, and how they are called there. export_postgres.c has the rows.
 *
 * Facts are numbers: tpq.gpu_row has a number for each text, tpq.text the texts, and the view
 * tpq.fact_gpu both. tpq.trace_row and sheets are in words. Views over many runs (sql/fleet) are
 * made as they stand here, where the script has what they stand on.
 */
#pragma once

#include "query/export/fact_types.h"

/* One loader at a time makes tables: the number of the word tpq. */
#define POSTGRES_TABLES_LOCK "7631985"

#define POSTGRES_TABLE "tpq.\"%s%s\"" /* of postgres_table */

struct postgres_table {
    const char *name, *ending;
};

/* gpu and _row of fact_gpu, sheet_gpu_timeline and nothing behind it. */
struct postgres_table postgres_table(const struct export_table *table);

/* Whether texts are numbers in it. */
bool postgres_is_numbered(const struct export_table *table);

/* The names of its columns, each with its type or not, with commas between. */
void postgres_add_columns(struct text *out, const struct export_table *table, bool with_types);

/* Everything up to the rows. */
void postgres_add_schema(struct text *out, const struct export_tables *tables, bool for_citus);
