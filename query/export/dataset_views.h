/* dataset_views: views.sql of a dataset: each of its tables as a view of DuckDB, then the views
 * over many runs that stand on nothing else. The first line says the version of the layout. */
#pragma once

#include "query/export/dataset.h"

/* Fails where a newer tpq has written into the directory, or views.sql is somebody else's and may
 * not be replaced. */
bool dataset_views_check(struct dataset *self, bool may_replace);

/* Writes it anew, of the tables that are there; others may write their tables at the same time. */
bool dataset_views_write(struct dataset *self);
