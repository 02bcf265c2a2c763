-- Unlinked GPU activities by name. Their launch was not recorded.
-- set: pytorch
-- question: raw
-- position: 290
-- key: name, category
-- measure: time_us, count
-- when: never
-- terminal: name, time_us, percent_of_gpu_time, count, mean_us, category, first_ms, last_ms
-- empty: no_work, no_unlinked
CREATE VIEW unlinked_kernels AS
WITH grouped AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, linked_work.category_id AS category_id, linked_work.name_id AS name_id,
    linked_work.call_id IS NULL AS is_unlinked, count(*) AS count, sum(linked_work.dur_ns) AS sum_ns, min(linked_work.ts_ns) AS first_ns,
    max(linked_work.ts_ns + linked_work.dur_ns) AS last_ns
  FROM scope
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
  GROUP BY scope.run, scope.trace_id, linked_work.category_id, linked_work.name_id, linked_work.call_id IS NULL
),
total AS MATERIALIZED (SELECT run, trace_id, sum(sum_ns) AS total_ns FROM grouped GROUP BY run, trace_id)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  name.text AS name, -- [kernel] name of the kernel or memcpy
  category.name AS category, -- [text] category: kernel, gpu_memcpy, gpu_memset, ...
  count AS count, -- [integer] number of unlinked GPU activities with the name
  sum_ns / 1000.0 AS time_us, -- [us] (lower) sum of GPU activity durations
  sum_ns / 1000.0 / count AS mean_us, -- [us] mean duration of the GPU activity
  sum_ns * 100.0 / nullif(total_ns, 0) AS percent_of_gpu_time, -- [%] (lower) share of the durations of all GPU activities, linked or not
  first_ns / 1000000.0 AS first_ms, -- [ms] start of the first GPU activity, from the start of the trace
  last_ns / 1000000.0 AS last_ms -- [ms] end of the last GPU activity, from the start of the trace
FROM grouped
JOIN total ON total.run = grouped.run AND total.trace_id = grouped.trace_id
JOIN string AS name ON name.id = grouped.name_id
JOIN category ON category.id = grouped.category_id
WHERE is_unlinked
ORDER BY grouped.run, grouped.trace_id, sum_ns DESC, name;
