-- GPU time by host range (record_function, profiler steps). A GPU activity belongs to the innermost
-- range that was open on the thread of its launch when the launch began; (none) is the rest. With
-- the option inclusive a GPU activity counts in the outer ranges, too, once for each name. The rows
-- then add up to more than the GPU time.
-- set: pytorch
-- question: steps
-- position: 345
-- key: name
-- measure: busy_ms, sum_ms, works
-- when: never
-- drop-empty: gpu_ranges_ms
-- empty: no_work
CREATE VIEW annotation_time AS
WITH mark AS MATERIALIZED (
  SELECT mark.run AS run, mark.trace_id AS trace_id, mark.id AS id, event.name_id AS name_id, mark.ts_ns AS ts_ns, mark.dur_ns AS dur_ns, track.process AS process, track.thread AS thread
  FROM trace_mark AS mark
  JOIN event ON event.id = mark.id
  JOIN track ON track.id = mark.track_id
  WHERE mark.kind IN ('step', 'range')
),
of_thread AS MATERIALIZED (
  SELECT mark.run AS run, mark.trace_id AS trace_id, track.id AS track_id, interval_list(mark.id, mark.ts_ns, mark.dur_ns) AS list
  FROM mark
  JOIN track ON track.trace_id = mark.trace_id AND track.process IS mark.process AND track.thread IS mark.thread
  GROUP BY mark.run, mark.trace_id, track.id
),
work AS NOT MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, work.id AS id, work.ts_ns AS ts_ns, work.dur_ns AS dur_ns, work.call_ts_ns AS call_ts_ns, of_thread.list AS list
  FROM analysed_work AS work
  LEFT JOIN of_thread ON of_thread.track_id = work.call_track_id
),
sums AS (
  SELECT work.run AS run, work.trace_id AS trace_id, event.name_id AS name_id, count(*) AS works, sum(work.dur_ns) AS sum_ns, interval_union_ns(work.ts_ns, work.dur_ns) AS busy_ns
  FROM work
  LEFT JOIN event ON event.id = CAST(interval_innermost(work.list, work.call_ts_ns) AS INTEGER)
  WHERE (SELECT tpq_option('inclusive')) IS NULL
  GROUP BY work.run, work.trace_id, event.name_id
  UNION ALL
  SELECT run, trace_id, name_id, count(*), sum(dur_ns), interval_union_ns(ts_ns, dur_ns)
  FROM (
    SELECT DISTINCT work.run AS run, work.trace_id AS trace_id, work.id AS id, work.ts_ns AS ts_ns, work.dur_ns AS dur_ns, event.name_id AS name_id
    FROM work
    LEFT JOIN json_each(interval_open(work.list, work.call_ts_ns)) AS mark
    LEFT JOIN event ON event.id = CAST(mark.value AS INTEGER)
    WHERE (SELECT tpq_option('inclusive')) IS NOT NULL)
  GROUP BY run, trace_id, name_id
),
host AS (
  SELECT run, trace_id, name_id, count(*) AS calls, sum(dur_ns) AS host_ns
  FROM mark
  GROUP BY run, trace_id, name_id
),
of_gpu AS (
  SELECT run, trace_id, name, sum(dur_ns) AS gpu_ns
  FROM trace_mark
  WHERE kind IN ('gpu_step', 'gpu_range')
  GROUP BY run, trace_id, name
)
SELECT
  sums.run AS run, -- [text] name of the run
  sums.trace_id AS trace_id, -- [integer] id of the trace
  coalesce(string.text, '(none)') AS name, -- [text] name of the range
  works AS works, -- [integer] number of GPU activities launched in the range
  sum_ns / 1000000.0 AS sum_ms, -- [ms] (lower) total duration of the GPU activities launched in the range
  busy_ns / 1000000.0 AS busy_ms, -- [ms] (lower) busy time (union) of the GPU activities launched in the range
  host_ns / 1000000.0 AS host_ms, -- [ms] (lower) host time of the ranges of the name
  calls AS calls, -- [integer] number of ranges of the name
  busy_ns * 100.0 / nullif(sum(busy_ns) OVER (PARTITION BY sums.run, sums.trace_id), 0) AS percent, -- [%] share of the total busy time of all rows; with the option inclusive nested ranges count several times
  gpu_ns / 1000000.0 AS gpu_ranges_ms -- [ms] total duration of the device's own ranges of the name, where the trace has them
FROM sums
LEFT JOIN string ON string.id = sums.name_id
LEFT JOIN host ON host.run = sums.run AND host.trace_id = sums.trace_id AND host.name_id = sums.name_id
LEFT JOIN of_gpu ON of_gpu.run = sums.run AND of_gpu.trace_id = sums.trace_id AND of_gpu.name = string.text
ORDER BY sums.run, sums.trace_id, busy_ns DESC, name;
