/* schedule_read: the schedule of a trace, from the warehouse. */
#pragma once

#include "sql/binding/context.h"
#include "sql/schedule/schedule.h"
#include "sql/sqlite.h"

/* Fills in what happened in a trace of a run, as far as it is selected. `*is_empty` says that
 * nothing is selected. A result code of SQLite. */
int schedule_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct schedule *schedule, bool *is_empty);
