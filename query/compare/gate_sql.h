/* gate_sql: rules of a gate that are SQL: each statement of a file is a rule, and each row that it
 * gives a finding.
 *
 *     -- No kernel is new.
 *     SELECT kernel_name AS name, sum(kernel_duration_sum) AS candidate, 'us' AS unit
 *     FROM kernel_summary
 *     WHERE run = :candidate AND kernel_name NOT IN (
 *       SELECT kernel_name FROM kernel_summary WHERE run = :baseline)
 *     GROUP BY kernel_name;
 *
 * :baseline and :candidate are names of runs; where a side is several runs, or one trace, the table
 * gate_side (side, run, trace_id) has them. Views are about these runs alone. Columns of a finding
 * are name, which must be there, verdict (regression, which is usual; added, undecided, nothing or
 * improvement), level, metric, unit, base, candidate, diff, pct, share and p. The comment above a
 * statement says what the rule says.
 */
#pragma once

#include "query/compare/gate.h"

/* Both sides, in the warehouse of both. */
struct gate_sql {
    struct warehouse *warehouse;
    const struct side *baseline, *candidate;
};

/* Puts gate_side into the connection. */
bool gate_sql_begin(const struct gate_sql *self, struct error *error);

/* Judges by all statements of a file. */
bool gate_sql_judge(const struct gate_sql *self, struct gate *gate, const char *path,
                    const char *text, struct error *error);
