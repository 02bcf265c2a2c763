/* dataset_views: views.sql of a dataset: each of its tables as a view of DuckDB, then the views
 * over many runs that stand on nothing else. The first line says the version of the layout. */
#ifndef TPQ_QUERY_EXPORT_DATASET_VIEWS_H
#define TPQ_QUERY_EXPORT_DATASET_VIEWS_H

#include "query/export/dataset.h"

/* Fails where a newer tpq has written into the directory. */
bool dataset_views_check(struct dataset *self);

/* Writes it anew, of the tables that are there; others may write their tables at the same time. */
bool dataset_views_write(struct dataset *self);

#endif
