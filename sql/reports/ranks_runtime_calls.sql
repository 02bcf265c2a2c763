-- Runtime call time of each rank.
-- set: multirank
-- question: ranks
-- sheet: cuda_events_summary
-- position: 100
-- key: name, cat
-- within: rank
-- unit: run
-- spread: count, min_dur, max_dur, mean_dur over rank
-- empty: no_runtime_calls
CREATE VIEW ranks_runtime_calls AS
WITH grouped AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, event.name_id AS name_id, event.category_id AS category_id, count(*) AS calls,
    min(event.dur_ns) AS least_ns, max(event.dur_ns) AS most_ns, avg(event.dur_ns) AS mean_ns
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.category_id IN (SELECT id FROM category WHERE name IN ('cuda_runtime', 'cuda_driver'))
  GROUP BY scope.run, scope.trace_id, event.name_id, event.category_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  string.text AS name, -- [text] name of the runtime call
  category.name AS cat, -- [text] category: cuda_runtime or cuda_driver, also on AMD
  run_rank.label AS rank, -- [label] number of the rank
  grouped.calls AS count, -- "count_{}" [integer] number of runtime calls
  grouped.least_ns / 1000.0 AS min_dur, -- "min_dur_{}" [us] minimum duration of the runtime call
  grouped.most_ns / 1000.0 AS max_dur, -- "max_dur_{}" [us] maximum duration of the runtime call
  grouped.mean_ns / 1000.0 AS mean_dur -- "mean_dur_{}" [us] (lower) mean duration of the runtime call
FROM grouped
JOIN run_rank ON run_rank.run = grouped.run AND run_rank.trace_id = grouped.trace_id
JOIN string ON string.id = grouped.name_id
JOIN category ON category.id = grouped.category_id
ORDER BY grouped.run, string.text, category.name, run_rank.place;
