-- Launch delay by op. Where a launch starts several GPU activities, as a CUDA graph does, the first
-- one counts.
-- set: pytorch
-- question: idle
-- words: latency
-- position: 210
-- key: name
-- measure: delay_sum_ms, launches
-- when: never
-- terminal: name, delay_sum_ms, delay_mean_us, launches, delay_median_us, delay_p95_us, delay_max_us, after_call_mean_us, started_before_end
-- not-included: not_included_without_launch
-- empty: no_work, no_launches
CREATE VIEW launch_delay AS
WITH launched AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, linked_work.call_id AS call_id,
    linked_work.launcher_name_id AS name_id, min(linked_work.ts_ns) AS start_ns
  FROM scope
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
  WHERE linked_work.call_id IS NOT NULL
  GROUP BY scope.run, scope.trace_id, linked_work.call_id, linked_work.launcher_name_id
),
delayed AS (
  SELECT launched.run AS run, launched.trace_id AS trace_id, launched.name_id AS name_id,
    launched.start_ns - call.ts_ns AS delay_ns, launched.start_ns - call.ts_ns - call.dur_ns AS after_ns
  FROM launched
  JOIN event AS call ON call.id = launched.call_id
),
grouped AS (
  SELECT run, trace_id, name_id, count(*) AS launches, sum(delay_ns) AS sum_ns, avg(delay_ns) / 1000.0 AS mean,
    median(delay_ns) / 1000.0 AS median, percentile(delay_ns, 95) / 1000.0 AS p95, max(delay_ns) / 1000.0 AS most,
    avg(after_ns) / 1000.0 AS after_mean, count(*) FILTER (WHERE after_ns < 0) AS early
  FROM delayed
  GROUP BY run, trace_id, name_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  name.text AS name, -- [text] name of the op that launched, or of the runtime call where there is no op
  launches AS launches, -- [integer] number of launches
  sum_ns / 1000000.0 AS delay_sum_ms, -- [ms] (lower) total delay from the start of the launch to the start of the GPU activity
  mean AS delay_mean_us, -- [us] mean delay from the start of the launch to the start of the GPU activity
  median AS delay_median_us, -- [us] median delay from the start of the launch to the start of the GPU activity
  p95 AS delay_p95_us, -- [us] 95th percentile of the delay from the start of the launch
  most AS delay_max_us, -- [us] maximum delay from the start of the launch to the start of the GPU activity
  after_mean AS after_call_mean_us, -- [us] mean launch delay, from the end of the launch to the start of the GPU activity; negative where it started before
  early AS started_before_end -- [integer] number of launches whose GPU activity started before the launch ended
FROM grouped
JOIN string AS name ON name.id = grouped.name_id
ORDER BY grouped.run, grouped.trace_id, sum_ns DESC, name;
