/* report_findings: what matters most, before the reports of a call that names none: what bounds a
 * run, and the three best things to do.
 */
#pragma once

#include "query/sink/identity.h"
#include "sql/warehouse.h"

/* Adds it as first lines for each selected run, if they are few. */
bool report_findings_read(struct warehouse *warehouse, struct identity *identity,
                          struct error *error);
