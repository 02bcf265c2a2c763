-- Step time by part: compute, exposed communication, exposed memcpy, idle. The parts of a step add
-- up to its time. GPU activities count with the part that runs in it, whoever launched them. Without
-- whole steps, rows are of the selected windows, else of the time with GPU activities. The part of idle time is the first that holds. data loading is under ranges and ops
-- of a data loader; next is before the first kernel. allocator is under calls that allocate or free
-- memory, synchronization under calls that wait. launch-bound ends with an activity that was
-- launched after the gap began; other is the rest.
-- set: pytorch
-- question: steps first
-- words: slower, regression, breakdown
-- position: 225
-- without-ops: 45, rocprof 45, pftrace 45
-- key: step, part
-- measure: time_ns
-- when: never
-- chart: bar part time_ns
-- empty: no_work
CREATE VIEW time_parts AS
WITH sums AS (
  SELECT run, trace_id, step, window_id, window_ns, interval_layers(ts_ns, dur_ns, layer) AS layers
  FROM step_cut
  GROUP BY window_id
),
kind (layer, part) AS (
  VALUES (1, 'computation'), (2, 'exposed communication'), (3, 'exposed memcpy'), (4, 'other GPU activity'), (5, 'idle: data loading'),
    (6, 'idle: before the first kernel'), (7, 'idle: allocator'), (8, 'idle: synchronization'), (9, 'idle: launch-bound'), (10, 'idle: other')
),
parts AS (
  SELECT run, trace_id, step, sum(window_ns) AS window_ns, layer, part, sum(own.value) AS ns
  FROM sums CROSS JOIN json_each(layers) AS own JOIN kind ON kind.layer = own.key
  GROUP BY run, trace_id, step, layer
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  step AS step, -- [integer] number of the step; NULL of the time of a selection or trace without steps
  part AS part, -- [text] part of the step time: computation, exposed communication, exposed memcpy, other GPU activity, or idle with its cause
  ns AS time_ns, -- [ns] (lower) time of the part
  ns * 100.0 / nullif(window_ns, 0) AS percent -- [%] share of the time of the step
FROM parts
WHERE ns > 0
ORDER BY run, trace_id, step IS NOT NULL, step, layer;
