/* belongings: which rows belong to a trace or a run, and which texts nobody needs any more.
 *
 * All of it is asked of the schema: a table belongs to a trace when a foreign key leads from it to
 * `trace`, itself or through another table. So a new table needs nothing here. Generated columns
 * do not count. Storing with --replace and `tpq rm` delete through this.
 */
#ifndef TPQ_SQL_BELONGINGS_H
#define TPQ_SQL_BELONGINGS_H

#include "sql/warehouse.h"

/* Removes a trace and all that belongs to it, inside the caller's transaction; the texts that it
 * shared stay. */
bool belongings_delete_trace(struct warehouse *warehouse, int64_t trace_id, struct error *error);

/* Removes a run whose traces are gone, and what else belongs to it, likewise. */
bool belongings_delete_run(struct warehouse *warehouse, int64_t run_id, struct error *error);

/* Removes texts, signatures and argument lists that nothing refers to, likewise. */
bool belongings_clean(struct warehouse *warehouse, struct error *error);

/* Queries, for those who look after them: name and condition (on trace ?1) of the tables of a
 * trace, those that lead through others first; and child, column, parent of all references that
 * keep a shared row. */
extern const char belongings_of_trace[], belongings_references[];

#endif
