-- Launches by runtime call and kernel: launch latency, launch delay, kernel duration. Of a call
-- with several pieces of work the one that starts first counts. The parts need not add up: work may
-- start within its call, and only waits behind its end count. cuda_kern_exec_sum has the spread of
-- each part, by thread and device.
-- set: pytorch
-- question: idle
-- position: 350
-- key: call, name
-- measure: total_ms, count
-- when: never
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_launches
CREATE VIEW launch_split AS
WITH sums AS (
  SELECT run, trace_id, call_name_id, name_id, count(*) AS count, count(*) FILTER (WHERE ts_ns > call_end_ns) AS queued,
    sum(call_end_ns - call_ts_ns) AS call_ns, sum(max(ts_ns - call_end_ns, 0)) AS queue_ns, sum(dur_ns) AS work_ns, sum(ts_ns + dur_ns - call_ts_ns) AS total_ns,
    max(ts_ns + dur_ns - call_ts_ns) AS longest_ns
  FROM first_work
  GROUP BY run, trace_id, call_name_id, name_id
)
SELECT
  sums.run AS run, -- [text] run
  sums.trace_id AS trace_id, -- [integer] trace
  call.text AS call, -- [text] name of the call
  name.text AS name, -- [kernel] name of the work
  count AS count, -- [integer] how often
  queued AS queued, -- [integer] those whose work started after the call had ended
  call_ns / 1000000.0 AS call_ms, -- [ms] (lower) time of the calls
  queue_ns / 1000000.0 AS queue_ms, -- [ms] (lower) from the end of the call to the start of the work, of those
  work_ns / 1000000.0 AS work_ms, -- [ms] (lower) time of the work
  total_ns / 1000000.0 AS total_ms, -- [ms] (lower) from the start of the call to the end of the work
  total_ns / 1000.0 / count AS total_mean_us, -- [us] (lower) mean of that
  longest_ns / 1000.0 AS total_max_us -- [us] (lower) longest
FROM sums
JOIN string AS call ON call.id = sums.call_name_id
JOIN string AS name ON name.id = sums.name_id
ORDER BY sums.run, sums.trace_id, total_ns DESC, call, name;
