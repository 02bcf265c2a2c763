-- Time of each stage of a pipeline: mean GPU time of a microbatch, and the bottleneck.
-- set: multirank
-- question: ranks
-- words: pipeline, stage, bottleneck, balance
-- position: 303
-- key: pipeline, step, stage
-- measure: total_us
-- unit: run
-- when: never
-- drop-empty: step
-- chart: bar stage total_us
-- tab: ranks
-- terminal: step, stage, rank, forward_us, backward_us, weight_us, total_us, over_mean_percent, is_bottleneck
-- empty: no_work, no_pipeline_slots
CREATE VIEW pipeline_stages AS
WITH stage AS (
  SELECT run, pipeline, step, stage, min(place) AS place, value_at_least(rank, place) AS rank, avg(busy_ns) FILTER (WHERE kind = 'forward') AS forward_ns,
    avg(busy_ns) FILTER (WHERE kind IN ('backward', 'backward_input')) AS backward_ns, avg(busy_ns) FILTER (WHERE kind = 'backward_weight') AS weight_ns
  FROM pipeline_slot
  GROUP BY run, pipeline, step, stage
),
total AS (
  SELECT run, pipeline, step, stage, place, rank, forward_ns, backward_ns, weight_ns,
    coalesce(forward_ns, 0) + coalesce(backward_ns, 0) + coalesce(weight_ns, 0) AS total_ns
  FROM stage
),
compared AS (
  SELECT run, pipeline, step, stage, place, rank, forward_ns, backward_ns, weight_ns, total_ns, avg(total_ns) OVER (PARTITION BY run, pipeline, step) AS mean_ns,
    row_number() OVER (PARTITION BY run, pipeline, step ORDER BY total_ns DESC, stage) AS turn
  FROM total
)
SELECT
  run AS run, -- [text] name of the run
  pipeline AS pipeline, -- [label] lowest rank of the pipeline
  step AS step, -- [integer] number of the profiler step; empty without steps
  stage AS stage, -- [integer] number of the stage
  rank AS rank, -- [label] rank of the stage
  forward_ns / 1e3 AS forward_us, -- (lower) mean GPU busy time of a forward slot
  backward_ns / 1e3 AS backward_us, -- (lower) mean GPU busy time of a backward slot, without gradients of weights where they have slots of their own
  weight_ns / 1e3 AS weight_us, -- (lower) mean GPU busy time of a slot for gradients of weights
  total_ns / 1e3 AS total_us, -- (lower) mean GPU busy time of a microbatch
  100 * (total_ns / nullif(mean_ns, 0) - 1) AS over_mean_percent, -- [%] (lower) excess of the GPU time over the mean of all stages
  turn = 1 AS is_bottleneck -- [integer] 1 for the stage with the most GPU time, of equal ones the first
FROM compared
ORDER BY run, pipeline, step, stage;
