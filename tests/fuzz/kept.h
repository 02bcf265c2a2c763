/* kept: one warehouse in memory for a whole run of a fuzz target.
 *
 * Opening one takes a hundred times as long as storing a small trace. What an input stored is taken
 * out again, and that nothing of it is left is checked, so that each input meets an empty one.
 */
#pragma once

#include "ingest/trace/trace.h"
#include "ingest/trace/tree.h"
#include "sql/warehouse/warehouse.h"

/* The warehouse, opened at the first call. */
struct warehouse *kept_warehouse(void);

/* Stores a trace, and those behind it, after which every check of the warehouse holds. */
int64_t kept_store(const struct trace *trace, enum tree_order order, bool replace);

/* The first value of a query's first row, which there must be. */
int64_t kept_ask(const char *sql);

/* Goes through all rows of a query, whose statement is kept for the next time: `slot` is the
 * caller's place for it. A failure says why. */
void kept_walk(sqlite3_stmt **slot, const char *sql);

/* Stores three small traces of several formats, in the runs a, b and c; for targets that store
 * nothing. */
void kept_fill(void);

/* No text of a user makes a small warehouse take very many steps, unless it has no end; such a
 * query is given up from now on. */
void kept_limit_steps(void);

/* What was not done has a sentence, and it is not that memory is out. */
void kept_must_be_said(bool done, const struct error *error);

/* Takes out what was stored. */
void kept_empty(void);

/* Hands an input on to the one of `tries` that its first byte names, as a text of what is behind
 * it, and before the first one fills the warehouse and limits what a query may take. */
void kept_try(const uint8_t *bytes, size_t length, void (*const *tries)(const char *text),
              size_t try_count);
