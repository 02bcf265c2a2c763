/* belongings: which rows belong to a trace or a run, and which texts nobody needs any more.
 *
 * All of it is asked of the schema: a table belongs to a trace when a foreign key leads from it to
 * `trace`, itself or through another table. So a new table needs nothing here. Generated columns
 * do not count. Storing with --replace and `tpq rm` delete through this, and merging copies.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

/* Removes a trace and all that belongs to it, inside the caller's transaction; the texts that it
 * shared stay. */
bool belongings_delete_trace(struct warehouse *warehouse, int64_t trace_id, struct error *error);

/* Removes a run whose traces are gone, and what else belongs to it, likewise. */
bool belongings_delete_run(struct warehouse *warehouse, int64_t run_id, struct error *error);

/* Removes texts, signatures and argument lists that nothing refers to, likewise. */
bool belongings_clean(struct warehouse *warehouse, struct error *error);

/* A question about these tables, with their lists in front, to be freed by memory_free: owned
 * (name, condition on trace ?1, depth) are the tables of a trace, keeper (child, name, parent) all
 * references that keep a shared row. */
char *belongings_query(const char *tail);

/* How a warehouse that is attached as `source` is taken into `main`, as steps: kind, table, list,
 * copy; NULL with an error on failure. merged_TABLE(id) has to give the number here of a row
 * of TABLE there, NULL where it stays away; merged_shift(trace) what is added to ids of events of a
 * trace.
 *
 *   trace       copy: makes trace ?1, in run ?2, with the events from ?3 on
 *   shared      list: number there, number here or NULL, and the next free one here, in order;
 *               copy: makes the rows whose number here is ?1 or more
 *   numbered    list: the same of rows of traces; -1 for those that stay away
 *   rows        copy: all rows of traces that do not stay away
 *   event rows  copy: the rows of the events ?1 to ?2 of a trace; ?3 is added to their ids, and the
 *               trace is ?4 here. Events themselves get the next free ids, so they have to be taken
 *               in the order of their traces, and be as many as those say;
 *               merged_fits(id, up, below, dur_ns) has to be 1 or to fail
 *   parts       copy: rows of shared rows, which stay as they are where they are here already
 *   run rows    copy: the same of runs
 */
sqlite3_stmt *belongings_merging(struct warehouse *warehouse, struct error *error);
