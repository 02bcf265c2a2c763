/* evidence_read: what a trace shows that rules are about, from the warehouse. */
#pragma once

#include "sql/advice/evidence.h"
#include "sql/binding/context.h"
#include "sql/sqlite.h"

/* Fills in what happened in a trace of a run, as far as it is selected, and makes its facts. A
 * result code of SQLite. */
int evidence_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct evidence *evidence);
