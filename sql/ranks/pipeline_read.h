/* pipeline_read: reads the slots of pipelines, and what ranks did, from the views of a connection.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/ranks/pipeline_rows.h"

/* Fills rows for the selected runs. A result code of SQLite. */
int pipeline_rows_read(void *rows, const struct table_wish *wish, struct error *error);
