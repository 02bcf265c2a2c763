-- Where the time of a rank goes, mean over ranks, a column for each configuration.
-- set: multirank-summary
-- question: ranks
-- sheet: grouped_breakdown
-- position: 20
-- key: op_group
-- measure: time_s
-- unit: run
-- spread: time_s over run
-- not-included: not_included_in_breakdown, not_included_in_timelines
-- empty: no_work
CREATE VIEW ranks_configs_breakdown AS
SELECT
  run AS run, -- [text] name of the run
  op_group AS op_group, -- "Group" [text] op group or kind of GPU activity; Other is in no group
  mean_ns / 1e9 AS time_s -- "Time (s) {}" [real] (lower) GPU time on a rank
FROM breakdown_row
ORDER BY place, op_group, run;
