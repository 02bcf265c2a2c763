-- Times in which a device was used less than the option gpu_use_percent says, the least first: of its time, in gpu_use_chunks parts.
-- set: nsys
-- alias: gpu_time_util gpu-low-util
-- position: 350
-- unit: run
-- key: pid, device_id, start
-- measure: duration
-- when: never
-- empty: lacks_work, lacks_low_use
CREATE VIEW nsys_gpu_time_util AS
WITH RECURSIVE busy AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.device AS device, work.start_ns AS start_ns, work.dur_ns AS dur_ns, work.args_id AS args_id
  FROM nsys_work AS work
  WHERE work.device IS NOT NULL
),
span AS (
  SELECT run, trace_id, device, min(start_ns) AS first_ns, max(start_ns + dur_ns) AS last_ns, min(args_id) AS args_id
  FROM busy
  GROUP BY run, trace_id, device
),
size AS (
  SELECT run, trace_id, device, first_ns, last_ns, args_id,
    max((last_ns - first_ns + CAST((SELECT tpq_option('gpu_use_chunks')) AS INTEGER) - 1) / CAST((SELECT tpq_option('gpu_use_chunks')) AS INTEGER), 1) AS chunk_ns
  FROM span
),
chunk AS (
  SELECT run, trace_id, device, 0 AS place, first_ns AS start_ns, min(first_ns + chunk_ns, last_ns) AS end_ns, last_ns, chunk_ns
  FROM size
  UNION ALL
  SELECT run, trace_id, device, place + 1, end_ns, min(end_ns + chunk_ns, last_ns), last_ns, chunk_ns
  FROM chunk
  WHERE end_ns < last_ns
),
located AS (
  SELECT busy.run AS run, busy.trace_id AS trace_id, busy.device AS device, busy.start_ns AS start_ns, busy.dur_ns AS dur_ns,
    (busy.start_ns - size.first_ns) / size.chunk_ns AS first_place, (busy.start_ns + busy.dur_ns - size.first_ns) / size.chunk_ns AS last_place
  FROM busy
  JOIN size ON size.run = busy.run AND size.trace_id = busy.trace_id AND size.device = busy.device
),
part AS (
  SELECT run, trace_id, device, first_place AS place, start_ns, dur_ns FROM located WHERE first_place = last_place
  UNION ALL
  SELECT located.run, located.trace_id, located.device, chunk.place, max(located.start_ns, chunk.start_ns),
    min(located.start_ns + located.dur_ns, chunk.end_ns) - max(located.start_ns, chunk.start_ns)
  FROM located
  JOIN chunk ON chunk.run = located.run AND chunk.trace_id = located.trace_id AND chunk.device = located.device
    AND chunk.place BETWEEN located.first_place AND located.last_place
  WHERE located.first_place < located.last_place
),
used AS (
  SELECT run, trace_id, device, place,
    CASE WHEN (SELECT tpq_like_reference('nsys: use of a device')) THEN sum(dur_ns) ELSE interval_union_ns(start_ns, dur_ns) END AS used_ns
  FROM part
  WHERE dur_ns > 0
  GROUP BY run, trace_id, device, place
),
low AS (
  SELECT chunk.run AS run, chunk.trace_id AS trace_id, chunk.device AS device, chunk.place AS place, chunk.start_ns AS start_ns, chunk.end_ns - chunk.start_ns AS dur_ns,
    coalesce(used.used_ns, 0) AS used_ns,
    chunk.place - row_number() OVER (PARTITION BY chunk.run, chunk.trace_id, chunk.device ORDER BY chunk.place) AS island
  FROM chunk
  LEFT JOIN used ON used.run = chunk.run AND used.trace_id = chunk.trace_id AND used.device = chunk.device AND used.place = chunk.place
  WHERE coalesce(used.used_ns, 0) * 100.0 / nullif(chunk.end_ns - chunk.start_ns, 0) < (SELECT CAST(tpq_option('gpu_use_percent') AS REAL))
),
joined AS (
  SELECT run, trace_id, device, min(start_ns) AS start_ns, sum(dur_ns) AS dur_ns, sum(used_ns) * 100.0 / nullif(sum(dur_ns), 0) AS use
  FROM low
  GROUP BY run, trace_id, device, island
)
SELECT
  joined.run AS run, -- [text] run
  row_number() OVER (PARTITION BY joined.run ORDER BY CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(joined.use, 1) ELSE joined.use END, joined.dur_ns, joined.start_ns) AS row, -- "Row#" [integer] place in the list
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(joined.use, 1) ELSE joined.use END AS in_use, -- "In-Use (%)" [%] share of the time in which it did something
  joined.dur_ns AS duration, -- "Duration (ns)" [ns] duration
  joined.start_ns AS start, -- "Start (ns)" [integer] start, on the file's clock
  process.pid AS pid, -- "PID" [integer] process
  joined.device AS device_id, -- "Device ID" [integer] device
  shape.context AS context_id -- "Context ID" [integer] context of work there
FROM joined
JOIN nsys_process AS process ON process.trace_id = joined.trace_id
JOIN span ON span.run = joined.run AND span.trace_id = joined.trace_id AND span.device = joined.device
LEFT JOIN nsys_shape AS shape ON shape.args_id = span.args_id
ORDER BY joined.run, row
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
