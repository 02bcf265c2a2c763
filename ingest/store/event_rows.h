/* event_rows: the slices of a trace as rows of event, those of accelerators of gpu_event as well.
 *
 * store.c is the only caller, once what they refer to is written.
 */
#pragma once

#include "ingest/store/statement.h"

bool event_rows_add(struct store *store);
