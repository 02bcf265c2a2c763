-- Idle time of all devices together, by what the GPU activity that ended the gap had waited for.
-- launch-bound: it was launched after the gap began. GPU waiting: it was launched before, and waited
-- for another GPU activity. other: the launch was not recorded.
-- set: pytorch
-- question: idle
-- words: bubbles, starvation
-- position: 220
-- without-ops: 40, rocprof 40, pftrace 40
-- key: cause
-- measure: time_ms, gaps
-- when: never
-- terminal: cause, gaps, time_ms, percent_of_idle, range, frame, longest_us, main_op, main_op_percent, mean_us, before_launch_ms
-- chart: bar cause time_ms
-- columns-of: idle_by_stream
-- empty: no_work, no_gaps
CREATE VIEW idle_causes AS
WITH gaps AS MATERIALIZED (
  SELECT run, trace_id, idle_cause AS cause, call_is_hidden, launcher_name_id AS name_id,
    count(*) AS gaps, sum(ts_ns - until_ns) AS idle_ns, max(ts_ns - until_ns) AS longest_ns, sum(max(min(call_ts_ns, ts_ns) - until_ns, 0)) AS unlaunched_ns
  FROM window_work
  WHERE idle_cause IS NOT NULL
  GROUP BY run, trace_id, idle_cause, call_is_hidden, launcher_name_id
),
by_name AS (
  SELECT run, trace_id, cause, CASE WHEN NOT call_is_hidden THEN name_id END AS name_id, sum(gaps) AS gaps, sum(idle_ns) AS idle_ns,
    max(longest_ns) AS longest_ns, sum(CASE WHEN NOT call_is_hidden THEN unlaunched_ns END) AS unlaunched_ns
  FROM gaps
  GROUP BY run, trace_id, cause, 4
),
-- what the launching thread was in, in the middle of the gaps
place AS MATERIALIZED (
  SELECT id, range_name_id, frame_name_id FROM device_gap WHERE coalesce(range_name_id, frame_name_id) IS NOT NULL
),
placed AS (
  SELECT run, trace_id, cause, value_at_least(range_name_id, -idle_ns) AS range_id, value_at_least(frame_name_id, -idle_ns) AS frame_id
  FROM (SELECT work.run AS run, work.trace_id AS trace_id, idle_cause AS cause, range_name_id, frame_name_id, sum(ts_ns - until_ns) AS idle_ns
    FROM window_work AS work
    CROSS JOIN place ON place.id = work.id
    WHERE idle_cause IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5)
  GROUP BY run, trace_id, cause
),
grouped AS (
  SELECT run, trace_id, cause, sum(gaps) AS gaps, sum(idle_ns) AS idle_ns, max(longest_ns) AS longest_ns,
    sum(unlaunched_ns) AS unlaunched_ns, value_at_least(name_id, -idle_ns) AS name_id, max(idle_ns) AS name_ns
  FROM by_name
  GROUP BY run, trace_id, cause
)
SELECT
  grouped.run, grouped.trace_id,
  grouped.cause AS cause, -- [text] cause of the idle time: launch-bound, GPU waiting or other
  gaps,
  idle_ns / 1000000.0 AS time_ms, -- [ms] (lower) idle time by this cause
  idle_ns * 100.0 / nullif(sum(idle_ns) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS percent_of_idle, -- [%] share of the idle time
  idle_ns / 1000.0 / gaps AS mean_us, longest_ns / 1000.0 AS longest_us, unlaunched_ns / 1000000.0 AS before_launch_ms,
  name.text AS main_op, -- [text] op whose launches ended the largest part of the idle time
  CASE WHEN name.id IS NOT NULL THEN name_ns * 100.0 / nullif(idle_ns, 0) END AS main_op_percent, -- [%] share of that op in the idle time of the row
  range.text AS range, -- [text] innermost range of the launching thread in the largest part of the idle time
  frame.text AS frame -- [text] innermost Python frame of the launching thread there
FROM grouped
LEFT JOIN string AS name ON name.id = grouped.name_id
LEFT JOIN placed ON placed.run = grouped.run AND placed.trace_id = grouped.trace_id AND placed.cause = grouped.cause
LEFT JOIN string AS range ON range.id = placed.range_id
LEFT JOIN string AS frame ON frame.id = placed.frame_id
ORDER BY grouped.run, grouped.trace_id, idle_ns DESC, grouped.cause;
