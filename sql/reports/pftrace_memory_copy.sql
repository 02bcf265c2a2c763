-- Memcpy by size and direction.
-- set: pftrace
-- question: memory
-- sheet: memory_copy_by_copy_bytes
-- position: 60
-- key: copy_bytes, direction
-- measure: time_us, count
-- keep-empty: yes
-- columns-when: time_us not compat, rate not compat
-- empty: no_work
CREATE VIEW pftrace_memory_copy AS
WITH shape AS MATERIALIZED (
  SELECT args_id, source, target,
    CAST(CAST(source AS INTEGER) AS TEXT) = CAST(source AS TEXT) AS has_plain_source, CAST(CAST(target AS INTEGER) AS TEXT) = CAST(target AS TEXT) AS has_plain_target
  FROM pftrace_shape
  WHERE args_id IN (SELECT gpu_event.args_id FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event)
),
ends AS (
  SELECT args_id,
    CASE WHEN has_plain_source THEN CAST(source AS TEXT) WHEN (SELECT tpq_like_reference('pftrace: accelerators of copies')) THEN '?' ELSE coalesce(regexp_substr(source, '[0-9]+$'), '?') END AS source,
    CASE WHEN has_plain_target THEN CAST(target AS TEXT) WHEN (SELECT tpq_like_reference('pftrace: accelerators of copies')) THEN '?' ELSE coalesce(regexp_substr(target, '[0-9]+$'), '?') END AS target
  FROM shape
),
-- Copies with the direction that their name tells, and the accelerators at both ends.
pftrace_copy AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, work.bytes AS bytes, work.dur_ns AS dur_ns,
    CASE
      WHEN upper(string.text) = 'MEMORY_COPY_HOST_TO_DEVICE' OR string.text LIKE 'Memcpy HtoD (%' THEN 'h2d (GPU ' || coalesce(ends.target, '?') || ')'
      WHEN upper(string.text) = 'MEMORY_COPY_DEVICE_TO_HOST' OR string.text LIKE 'Memcpy DtoH (%' THEN 'd2h (GPU ' || coalesce(ends.source, '?') || ')'
      WHEN upper(string.text) = 'MEMORY_COPY_DEVICE_TO_DEVICE' OR string.text LIKE 'Memcpy DtoD (%' THEN 'd2d (GPU ' || coalesce(ends.source, '?') || ' -> GPU ' || coalesce(ends.target, '?') || ')'
      ELSE 'other'
    END AS direction
  FROM scope
  CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
  JOIN string ON string.id = work.name_id
  LEFT JOIN ends ON ends.args_id = work.args_id
  WHERE work.category_id = (SELECT id FROM category WHERE name = 'gpu_memcpy') AND work.bytes IS NOT NULL
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  bytes AS copy_bytes, -- [bytes] size of one memcpy
  direction AS direction, -- [text] direction of the memcpy
  count(*) AS count, -- [integer] number of memcpys
  sum(dur_ns) / 1000.0 AS time_us, -- [us] (lower) sum of memcpy durations
  sum(bytes) * 1.0 / nullif(sum(dur_ns), 0) AS rate -- [GB/s] (higher) bandwidth of the memcpys
FROM pftrace_copy
GROUP BY run, trace_id, bytes, direction
ORDER BY run, trace_id, bytes, direction;
