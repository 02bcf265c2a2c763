/* integrity: whether a warehouse is what it says it is.
 *
 * First its schema is judged (opening.h); where an entry is refused, nothing else is looked at, as
 * that could run SQL of a stranger's. Then SQLite checks the file; references lead somewhere,
 * ranges of ids do not overlap, and the numbering of every trace is a preorder: the ids from an
 * event to its last one are exactly its descendants by parent links.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

/* Called for each finding, and once for each check that found nothing (`finding` NULL). */
typedef void integrity_report(void *context, const char *check, const char *finding);

/* Runs all checks; `*findings` counts what was found. */
bool integrity_check(struct warehouse *warehouse, integrity_report *report, void *context,
                     int64_t *findings, struct error *error);
