/* overlay: the catalog of one connection, which extension files may add to, and pseudo ops.
 *
 * The file of the warehouse stays as it is: the tables of the catalog stand in front of those of
 * the file, and the views are made again over them. A row says where it comes from, and goes before
 * the rows of others that say something about the same thing.
 *
 *     overlay_open(warehouse, &error);                           again: nothing
 *     overlay_set_place(warehouse, "mine.sql", 12, &error);      whose rows come next
 *     sqlite3_exec(warehouse->db, "INSERT INTO op_category ...", ...);
 *     overlay_close(warehouse, &error);                          pseudo ops become ranges of ids
 */
#pragma once

#include "sql/warehouse/warehouse.h"

bool overlay_open(struct warehouse *warehouse, struct error *error);
void overlay_set_place(struct warehouse *warehouse, const char *path, int line,
                       struct error *error);

/* The name that the row which was added last is about; NULL when there was none since the last
 * overlay_set_place. */
const char *overlay_row(const struct warehouse *warehouse);

/* Fails on a row of the file that stands twice, or that nothing can be made of. */
bool overlay_check(struct warehouse *warehouse, const char *path, struct error *error);

bool overlay_close(struct warehouse *warehouse, struct error *error);
