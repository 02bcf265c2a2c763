-- Interval between consecutive starts of the same range or profiler step, for names with three or
-- more starts. All steps count as one name; threads and streams are not separated.
-- set: pytorch
-- question: steps
-- position: 358
-- key: kind, name
-- measure: interval_median_us
-- no-sum: yes
-- when: never
-- empty: no_ranges, no_range_pace
CREATE VIEW range_pace AS
WITH mark AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, signpost.kind AS kind, CASE WHEN signpost.step IS NULL THEN signpost.name ELSE 'ProfilerStep' END AS name,
    signpost.id AS id, signpost.ts_ns AS ts_ns, signpost.dur_ns AS dur_ns
  FROM scope
  CROSS JOIN signpost ON signpost.id BETWEEN scope.first_event AND scope.last_event
  WHERE signpost.kind <> 'point'
),
paced AS (
  SELECT run, trace_id, kind, name, dur_ns, ts_ns - lag(ts_ns) OVER (PARTITION BY run, trace_id, kind, name ORDER BY ts_ns, id) AS pace_ns
  FROM mark
),
sums AS (
  SELECT run, trace_id, kind, name, count(*) AS count, median(pace_ns) AS median_ns, avg(pace_ns) AS mean_ns, max(pace_ns) AS longest_ns,
    stddev_samp(pace_ns) AS deviation_ns, avg(dur_ns) AS duration_ns, stddev_samp(dur_ns) AS duration_deviation_ns
  FROM paced
  GROUP BY run, trace_id, kind, name
  HAVING count(*) >= 3
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  kind AS kind, -- [text] kind of mark: step, range, gpu_step or gpu_range
  name AS name, -- [text] name of the range; ProfilerStep for steps
  count AS count, -- [integer] number of ranges
  median_ns / 1000.0 AS interval_median_us, -- [us] (lower) median interval between consecutive starts
  mean_ns / 1000.0 AS interval_mean_us, -- [us] mean interval between consecutive starts
  longest_ns / 1000.0 AS interval_max_us, -- [us] maximum interval between consecutive starts
  deviation_ns / nullif(mean_ns, 0) AS interval_cv, -- [real] (lower) coefficient of variation of the interval (n - 1); above 0.5 the pace is uneven
  duration_ns / 1000.0 AS duration_mean_us, -- [us] (lower) mean range duration
  duration_deviation_ns / nullif(duration_ns, 0) AS duration_cv -- [real] (lower) coefficient of variation of the range duration
FROM sums
ORDER BY run, trace_id, kind, count DESC, duration_ns DESC, name;
