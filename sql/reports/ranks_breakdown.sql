-- Where the time of a rank goes, mean over ranks. Overlapping parts and memcpy count twice in the
-- total.
-- set: multirank
-- question: ranks
-- sheet: grouped_breakdown
-- position: 110
-- chart: bar op_group time_s
-- key: op_group
-- measure: time_s
-- unit: run
-- not-included: not_included_in_breakdown, not_included_in_timelines
-- empty: no_work
CREATE VIEW ranks_breakdown AS
SELECT
  run AS run, -- [text] name of the run
  op_group AS op_group, -- "Group" [text] op group or kind of GPU activity; Other is in no group
  mean_ns / 1e9 AS time_s -- "Time (s)" [real] (lower) GPU time on a rank
FROM breakdown_row
ORDER BY run, place, op_group;
