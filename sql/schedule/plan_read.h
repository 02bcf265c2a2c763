/* plan_read: plans of traces and of the ranks of runs, from the warehouse. */
#pragma once

#include "sql/binding/context.h"
#include "sql/schedule/plan.h"
#include "sql/sqlite.h"

/* The plan of a trace of a run, as far as it is selected, which the caller frees; NULL when nothing
 * is. A result code of SQLite. */
int plan_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
              struct plan **plan);

/* The same of the ranks of a run, on one clock, with the collectives that they take part in. */
int plan_read_run(sqlite3 *db, struct context *context, const char *run, struct plan **plan);
