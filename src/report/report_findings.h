/* report_findings: what matters most, before the reports of a call that names none: what bounds a
 * run, and the three best things to do.
 */
#ifndef TPQ_SRC_REPORT_REPORT_FINDINGS_H
#define TPQ_SRC_REPORT_REPORT_FINDINGS_H

#include "sql/warehouse.h"

#include <stdio.h>

/* Prints it for each selected run, if they are few. */
bool report_findings_print(struct warehouse *warehouse, size_t width, FILE *out,
                           struct error *error);

#endif
