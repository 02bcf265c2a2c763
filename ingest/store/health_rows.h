/* health_rows: counts what is doubtful about a trace in memory, and writes it as rows of
 * health_fact. */
#pragma once

#include "ingest/store/statement.h"

/* Once the trace has its number. */
bool health_rows_add(struct store *self);
