/* graph_rows: annotations of graph nodes, as rows of graph_annotation. */
#pragma once

#include "ingest/store/statement.h"

/* Once the events of the trace are written; `notes` are those of graph_notes_read, or NULL. Counts
 * in ingest_note, and for the caller, what does not fit. */
bool graph_rows_add(struct store *self, const char *notes, struct notes *told);
