/* report_limits: what a call refuses to see in its reports: `--fail-if 'step_mfu.mfu_pct < 40'`.
 *
 *     report_limits_read(&limits, arguments, &files, &error)      before anything is read
 *     report_limits_hold(&limits, &files, &abstentions, &warehouse, &error)
 *                                                      status 1 where a row is so, 3 where none has
 *                                                      a value, or a basis
 *     report_limits_free(&limits)
 */
#pragma once

#include "query/report/abstain.h"
#include "src/report/report_files.h"

/* A row of the report is refused when its column is so. */
struct report_limit {
    const char *words; /* as they were given */
    const struct doc_object *report;
    const struct doc_column *column;
    char operator_[3];
    double value;
};

typedef ARRAY(struct report_limit) report_limits;

bool report_limits_read(report_limits *self, const struct arguments *arguments,
                        const struct report_files *files, struct error *error);
bool report_limits_hold(const report_limits *self, const struct report_files *files,
                        const struct abstentions *abstentions, struct warehouse *warehouse,
                        struct error *error);
void report_limits_free(report_limits *self);
