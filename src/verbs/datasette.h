/* datasette: what Datasette shows beside a warehouse: metadata.json, of the words that tpq describe
 * prints, with the recipes and the reports as its queries.
 *
 *     tpq describe --datasette --db runs.db > metadata.json
 *     datasette runs.db --metadata metadata.json --load-extension tpq
 *
 * Without the extension tables and the views for any SQLite can be looked at, and tables that
 * --into-tables made (frozen_*). Reports need the extension.
 */
#pragma once

#include "sql/docs.h"
#include "src/base/error.h"

#include <stdio.h>

/* `path`: the warehouse, whose name without its ending Datasette calls it by. */
bool datasette_write(const doc_list *docs, const char *path, FILE *out, struct error *error);
