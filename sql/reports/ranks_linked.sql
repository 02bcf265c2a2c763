-- Linked and short GPU activities of each rank.
-- set: multirank
-- question: ranks
-- sheet: linked_and_short_kernels
-- position: 70
-- key: rank
-- unit: run
-- empty: lacks_work
CREATE VIEW ranks_linked AS
WITH work AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, gpu_event.external_id IS NOT NULL AS is_linked,
    gpu_event.dur_ns < (SELECT CAST(tpq_option('short_kernel_threshold_us') AS REAL) * 1000) AS is_short
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
  run_rank.run AS run, -- [text] run
  run_rank.label AS rank, -- [label] rank
  coalesce(counted.events, 0) AS num_kernel_events, -- [integer] kernels, copies and sets
  coalesce(counted.linked, 0) AS num_kernel_events_linked, -- [integer] those that name the op that was open at the launch
  coalesce(counted.unlinked, 0) AS num_kernel_events_unlinked, -- [integer] (lower) those that do not
  coalesce(counted.short_linked, 0) AS num_short_kernel_events_linked, -- [integer] linked ones below 10 us, or the option short_kernel_threshold_us
  coalesce(counted.short_unlinked, 0) AS num_short_kernel_events_unlinked -- [integer] the same of the others
FROM run_rank
LEFT JOIN counted ON counted.run = run_rank.run AND counted.trace_id = run_rank.trace_id
ORDER BY run_rank.run, run_rank.place;
