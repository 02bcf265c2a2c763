/* merge_source: a warehouse from elsewhere, attached to one of ours as `source`, to be read. */
#ifndef TPQ_SQL_MERGE_SOURCE_H
#define TPQ_SQL_MERGE_SOURCE_H

#include "sql/warehouse.h"
#include "src/base/array.h"

struct merge_source {
    struct warehouse *warehouse;
    const char *path;
    int64_t bytes;
    ARRAY(char *) same; /* tables that are made by the same words here and there */
};

/* Attaches a file that is a warehouse of this program's version. False: nothing is attached. */
bool merge_source_open(struct merge_source *self, struct warehouse *warehouse, const char *path,
                       struct error *error);
void merge_source_close(struct merge_source *self);

/* Whether a table is there, with the columns that it has here. False: failed, also where a table
 * of the schema is something else, or not there. */
bool merge_source_has(struct merge_source *self, const char *table, bool *has, struct error *error);

/* What the user has in it that is no trace. */
bool merge_source_count_choices(struct merge_source *self, int64_t *catalog_rows, int64_t *settings,
                                int64_t *tables, struct error *error);

/* The failure of a statement about both databases: whose it was. */
bool merge_source_failed(struct merge_source *self, struct error *error);

/* "PATH: the warehouse is damaged: WORDS"; returns false. */
bool merge_source_damaged(const struct merge_source *self, const char *words, struct error *error);

#endif
