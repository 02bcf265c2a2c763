-- Time of each rank of a pipeline: computation, transfers, and the bubble with its waits for receives.
-- set: multirank
-- question: ranks
-- words: pipeline, bubble, wait, idle, stage, 1f1b
-- position: 302
-- key: pipeline, step, rank
-- measure: bubble_ms
-- unit: run
-- when: never
-- drop-empty: step
-- chart: bar rank bubble_ms
-- tab: ranks
-- terminal: step, rank, stages, compute_ms, transfer_ms, other_ms, bubble_ms, wait_ms, idle_ms, bubble_percent, warmup
-- empty: no_work, no_pipeline_slots
CREATE VIEW pipeline_ranks AS
WITH slot AS MATERIALIZED (
  SELECT run, pipeline, step, place, stage, sum(busy_ns) FILTER (WHERE kind = 'forward') AS forward_ns,
    sum(busy_ns) FILTER (WHERE kind IN ('backward', 'backward_input')) AS backward_ns, sum(busy_ns) FILTER (WHERE kind = 'backward_weight') AS weight_ns
  FROM pipeline_slot
  GROUP BY run, pipeline, step, place, stage
),
slots AS (
  SELECT run, step, place, group_concat(stage) AS stages, coalesce(sum(forward_ns), 0) AS forward_ns, coalesce(sum(backward_ns), 0) AS backward_ns,
    coalesce(sum(weight_ns), 0) AS weight_ns
  FROM (SELECT run, step, place, stage, forward_ns, backward_ns, weight_ns FROM slot ORDER BY run, step, place, stage)
  GROUP BY run, step, place
),
part AS (
  SELECT part.run AS run, part.pipeline AS pipeline, part.step AS step, part.place AS place, part.rank AS rank, part.compute_ns AS compute_ns,
    part.transfer_ns AS transfer_ns, part.other_ns AS other_ns, part.wait_ns AS wait_ns, part.warmup AS warmup,
    whole.end_ns - whole.start_ns AS window_ns, whole.end_ns - whole.start_ns - part.compute_ns - part.transfer_ns - part.other_ns AS bubble_ns
  FROM pipeline_rank AS part
  JOIN pipeline_window AS whole ON whole.run = part.run AND whole.pipeline = part.pipeline AND whole.step IS part.step
)
SELECT
  part.run AS run, -- [text] name of the run
  part.pipeline AS pipeline, -- [label] lowest rank of the pipeline
  part.step AS step, -- [integer] number of the profiler step; empty without steps
  part.rank AS rank, -- [label] rank in the pipeline
  slots.stages AS stages, -- [text] stages of the rank
  slots.forward_ns / 1e6 AS forward_ms, -- (lower) GPU busy time of forward slots
  slots.backward_ns / 1e6 AS backward_ms, -- (lower) GPU busy time of backward slots, without gradients of weights where they have slots of their own
  slots.weight_ns / 1e6 AS weight_ms, -- (lower) GPU busy time of slots for gradients of weights
  part.compute_ns / 1e6 AS compute_ms, -- (lower) GPU busy time of all slots
  part.transfer_ns / 1e6 AS transfer_ms, -- (lower) time of transfers beyond computation
  part.other_ns / 1e6 AS other_ms, -- (lower) time of other GPU activities beyond computation and transfers
  part.bubble_ns / 1e6 AS bubble_ms, -- (lower) time of the step without computation, transfers and other GPU activities
  part.wait_ns / 1e6 AS wait_ms, -- (lower) part of the bubble in which a receive waits for its send
  (part.bubble_ns - part.wait_ns) / 1e6 AS idle_ms, -- (lower) part of the bubble without such a receive
  part.bubble_ns * 100.0 / nullif(part.window_ns, 0) AS bubble_percent, -- [%] (lower) share of the bubble in the time from the first slot to the last of all ranks
  part.warmup AS warmup -- [integer] number of slots before the first backward
FROM part
JOIN slots ON slots.run = part.run AND slots.step IS part.step AND slots.place = part.place
ORDER BY part.run, part.step, part.place;
