-- HIP call time by name, optionally by stream and kind (--hip-summary-group).
-- set: pftrace
-- question: idle first
-- sheet: hip_summary
-- position: 40
-- key: name, stream, op
-- measure: sum, instances
-- when: not no-hip-summary
-- keep-empty: yes
-- drop-empty: stream, op
-- terminal: name, stream, op, percent, sum, instances, mean, median, min, max, deviation
-- columns-of: pftrace_kernel_summary
-- empty: no_calls
CREATE VIEW pftrace_hip_summary AS
WITH kept AS (
  SELECT run, trace_id, name_id, dur_ns,
    CASE WHEN instr(tpq_option('hip-summary-group'), '+stream') > 0 THEN stream END AS stream,
    CASE WHEN instr(tpq_option('hip-summary-group'), '+op') > 0 THEN operation END AS op
  FROM pftrace_call
  WHERE dur_ns > 0 AND dur_ns >= (SELECT CAST(tpq_option('min-event-ns') AS INTEGER))
    AND tid BETWEEN (SELECT CAST(tpq_option('min-tid') AS INTEGER)) AND (SELECT CAST(tpq_option('max-tid') AS INTEGER))
),
grouped AS (
  SELECT work.run AS run, work.trace_id AS trace_id, string.text AS name, work.stream AS stream, work.op AS op,
    sum(work.dur_ns) AS sum_ns, count(*) AS instances, avg(work.dur_ns) AS mean_ns, median(work.dur_ns) AS median_ns,
    min(work.dur_ns) AS min_ns, max(work.dur_ns) AS max_ns, stddev_pop(work.dur_ns) AS deviation_ns
  FROM kept AS work
  JOIN string ON string.id = work.name_id
  GROUP BY work.run, work.trace_id, string.text, work.stream, work.op
),
shared AS (
  SELECT run, trace_id, name, stream, op, sum_ns, instances, mean_ns, median_ns, min_ns, max_ns, deviation_ns,
    100.0 * sum_ns / sum(sum_ns) OVER (PARTITION BY run, trace_id) AS percent
  FROM grouped
)
SELECT
  run, trace_id, printf('%.1f%%', percent) AS time_text,
  CASE WHEN sum_ns >= 1000000 THEN printf('%.3f ms', sum_ns / 1000000.0) WHEN sum_ns >= 1000 THEN printf('%.3f μs', sum_ns / 1000.0) ELSE printf('%d ns', sum_ns) END AS total_text,
  instances,
  CASE WHEN mean_ns >= 1000000 THEN printf('%.3f ms', mean_ns / 1000000.0) WHEN mean_ns >= 1000 THEN printf('%.3f μs', mean_ns / 1000.0) ELSE printf('%d ns', mean_ns) END AS mean_text,
  CASE WHEN median_ns >= 1000000 THEN printf('%.3f ms', median_ns / 1000000.0) WHEN median_ns >= 1000 THEN printf('%.3f μs', median_ns / 1000.0) ELSE printf('%d ns', median_ns) END AS median_text,
  CASE WHEN min_ns >= 1000000 THEN printf('%.3f ms', min_ns / 1000000.0) WHEN min_ns >= 1000 THEN printf('%.3f μs', min_ns / 1000.0) ELSE printf('%d ns', min_ns) END AS min_text,
  CASE WHEN max_ns >= 1000000 THEN printf('%.3f ms', max_ns / 1000000.0) WHEN max_ns >= 1000 THEN printf('%.3f μs', max_ns / 1000.0) ELSE printf('%d ns', max_ns) END AS max_text,
  CASE WHEN deviation_ns >= 1000000 THEN printf('%.3f ms', deviation_ns / 1000000.0) WHEN deviation_ns >= 1000 THEN printf('%.3f μs', deviation_ns / 1000.0) ELSE printf('%d ns', deviation_ns) END AS deviation_text,
  stream AS stream, -- "Stream" [integer] number of the stream; 0 = not recorded
  op AS op, -- "Op" [integer] number of the kind of runtime call; 0 = not recorded
  name AS name, -- "Name" [text] name of the runtime call
  percent, sum_ns AS sum, mean_ns AS mean, median_ns AS median, min_ns AS min, max_ns AS max, deviation_ns AS deviation
FROM shared
ORDER BY run, trace_id, sum_ns DESC, name, stream, op;
