-- Linked and short GPU activities of each rank.
-- set: multirank
-- question: ranks
-- sheet: linked_and_short_kernels
-- position: 70
-- key: rank
-- unit: run
-- empty: no_work
CREATE VIEW ranks_linked AS
WITH work AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, gpu_event.external_id IS NOT NULL AS is_linked,
    gpu_event.dur_ns < (SELECT CAST(tpq_option('short-kernel-threshold-us') AS REAL) * 1000) AS is_short
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.category_id IN (SELECT id FROM category WHERE name IN ('kernel', 'gpu_memcpy', 'gpu_memset'))
),
counted AS (
  SELECT run, trace_id, count(*) AS events, sum(is_linked) AS linked, sum(NOT is_linked) AS unlinked,
    sum(is_linked AND is_short) AS short_linked, sum(NOT is_linked AND is_short) AS short_unlinked
  FROM work
  GROUP BY run, trace_id
)
SELECT
  run_rank.run AS run, -- [text] name of the run
  run_rank.label AS rank, -- [label] number of the rank
  coalesce(counted.events, 0) AS num_kernel_events, -- [integer] number of GPU activities: kernels, memcpys and memsets
  coalesce(counted.linked, 0) AS num_kernel_events_linked, -- [integer] number of linked GPU activities: the op around the launch is recorded
  coalesce(counted.unlinked, 0) AS num_kernel_events_unlinked, -- [integer] (lower) number of unlinked GPU activities: no op around the launch is recorded
  coalesce(counted.short_linked, 0) AS num_short_kernel_events_linked, -- [integer] number of linked GPU activities below 10 us, or --short-kernel-threshold-us
  coalesce(counted.short_unlinked, 0) AS num_short_kernel_events_unlinked -- [integer] number of unlinked GPU activities below 10 us, or --short-kernel-threshold-us
FROM run_rank
LEFT JOIN counted ON counted.run = run_rank.run AND counted.trace_id = run_rank.trace_id
ORDER BY run_rank.run, run_rank.place;
