-- Launches by runtime call and kernel: launch latency, launch delay, kernel duration. Where a
-- launch starts several GPU activities, the first one counts. The parts need not add up: a GPU
-- activity may start before its launch ends, and the launch delay counts only from that end.
-- cuda_kern_exec_sum has the spread of each part, by thread and device.
-- set: pytorch
-- question: idle
-- position: 350
-- key: call, name
-- measure: total_ms, count
-- when: never
-- not-included: not_included_without_launch
-- empty: no_work, no_launches
CREATE VIEW launch_split AS
WITH sums AS (
  SELECT run, trace_id, call_name_id, name_id, count(*) AS count, count(*) FILTER (WHERE ts_ns > call_end_ns) AS queued,
    sum(call_end_ns - call_ts_ns) AS call_ns, sum(max(ts_ns - call_end_ns, 0)) AS queue_ns, sum(dur_ns) AS work_ns, sum(ts_ns + dur_ns - call_ts_ns) AS total_ns,
    max(ts_ns + dur_ns - call_ts_ns) AS longest_ns
  FROM first_work
  GROUP BY run, trace_id, call_name_id, name_id
)
SELECT
  sums.run AS run, -- [text] name of the run
  sums.trace_id AS trace_id, -- [integer] id of the trace
  call.text AS call, -- [text] name of the runtime call
  name.text AS name, -- [kernel] name of the GPU activity
  count AS count, -- [integer] number of launches
  queued AS queued, -- [integer] number of launches whose GPU activity started after the launch ended
  call_ns / 1000000.0 AS call_ms, -- [ms] (lower) total launch latency
  queue_ns / 1000000.0 AS queue_ms, -- [ms] (lower) total launch delay of the GPU activities that started after the launch ended
  work_ns / 1000000.0 AS work_ms, -- [ms] (lower) total duration of the GPU activities
  total_ns / 1000000.0 AS total_ms, -- [ms] (lower) total time from the start of the launch to the end of the GPU activity
  total_ns / 1000.0 / count AS total_mean_us, -- [us] (lower) mean time from the start of the launch to the end of the GPU activity
  longest_ns / 1000.0 AS total_max_us -- [us] (lower) maximum time from the start of the launch to the end of the GPU activity
FROM sums
JOIN string AS call ON call.id = sums.call_name_id
JOIN string AS name ON name.id = sums.name_id
ORDER BY sums.run, sums.trace_id, total_ns DESC, call, name;
