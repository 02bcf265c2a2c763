-- Unlinked GPU activities of all ranks.
-- set: multirank
-- question: ranks
-- sheet: unlinked_short_kernels_summary
-- position: 80
-- key: name, cat
-- unit: run
-- empty: no_work, no_unlinked
CREATE VIEW ranks_unlinked AS
WITH grouped AS (
  SELECT scope.run AS run, gpu_event.name_id AS name_id, gpu_event.category_id AS category_id, count(*) AS events,
    min(gpu_event.dur_ns) AS least_ns, max(gpu_event.dur_ns) AS most_ns, avg(gpu_event.dur_ns) AS mean_ns
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.external_id IS NULL
  AND gpu_event.category_id IN (SELECT id FROM category WHERE name IN ('kernel', 'gpu_memcpy', 'gpu_memset'))
  GROUP BY scope.run, gpu_event.name_id, gpu_event.category_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  string.text AS name, -- [kernel] name of the kernel or memcpy
  category.name AS cat, -- [text] category: kernel, gpu_memcpy or gpu_memset
  grouped.events AS count, -- [integer] number of unlinked GPU activities with the name
  grouped.least_ns / 1000.0 AS min_dur, -- [us] minimum duration of the GPU activity
  grouped.most_ns / 1000.0 AS max_dur, -- [us] maximum duration of the GPU activity
  grouped.mean_ns / 1000.0 AS mean_dur -- [us] (lower) mean duration of the GPU activity
FROM grouped
JOIN string ON string.id = grouped.name_id
JOIN category ON category.id = grouped.category_id
ORDER BY grouped.run, grouped.events DESC, string.text, category.name;
