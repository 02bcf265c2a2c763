/* report_choice: which reports there are and which of them are made, from their declarations. What
 * others ask is in report.h; this is for report.c. */
#pragma once

#include "query/report/report.h"
#include "src/base/text.h"

/* Whether an option is set; with "not " before it, whether it is not; of several with " and "
 * between, whether all of that is so. */
bool report_is_met(struct view condition, const struct context *context);

/* Whether the sheet for a value belongs to a part of a report (struct report_options). */
bool report_is_in_part(const struct doc_object *report, size_t part, struct view value);
