-- Where the time of a pipeline step goes: work, schedule, imbalance of stages, and delay.
-- set: multirank
-- question: ranks
-- words: pipeline, bubble, schedule, 1f1b, gpipe, zero bubble, interleaved
-- position: 301
-- key: pipeline, step
-- measure: window_ms
-- unit: run
-- when: never
-- drop-empty: step
-- tab: ranks
-- terminal: step, schedule, ranks, stages, microbatches, window_ms, work_ms, schedule_ms, imbalance_ms, delay_ms, bubble_ms, bubble_percent, p2p, unmatched_p2p
-- empty: no_work, no_pipeline_slots
CREATE VIEW pipeline_summary AS
WITH slots AS (
  SELECT run, pipeline, step, count(DISTINCT stage) AS stages, count(DISTINCT microbatch) AS microbatches
  FROM pipeline_slot
  GROUP BY run, pipeline, step
),
work AS (
  SELECT run, pipeline, step, sum(compute_ns) AS compute_ns, sum(compute_ns + transfer_ns + other_ns) AS used_ns
  FROM pipeline_rank
  GROUP BY run, pipeline, step
),
whole AS (
  SELECT frame.run AS run, frame.pipeline AS pipeline, frame.step AS step, frame.schedule AS schedule, frame.ranks AS ranks,
    slots.stages AS stages, slots.microbatches AS microbatches, frame.start_ns AS start_ns, frame.end_ns - frame.start_ns AS window_ns, work.compute_ns * 1.0 / frame.ranks AS work_ns,
    frame.ideal_ns AS ideal_ns, frame.balanced_ns AS balanced_ns, frame.end_ns - frame.start_ns - work.used_ns * 1.0 / frame.ranks AS bubble_ns,
    frame.pairs AS pairs, frame.unmatched AS unmatched
  FROM pipeline_window AS frame
  JOIN slots ON slots.run = frame.run AND slots.pipeline = frame.pipeline AND slots.step IS frame.step
  JOIN work ON work.run = frame.run AND work.pipeline = frame.pipeline AND work.step IS frame.step
)
SELECT
  run AS run, -- [text] name of the run
  pipeline AS pipeline, -- [label] lowest rank of the pipeline
  step AS step, -- [integer] number of the profiler step; empty without steps
  schedule AS schedule, -- [text] schedule: gpipe, 1f1b, looped_bfs, interleaved_1f1b, zero_bubble, zbv, interleaved_zero_bubble or unknown
  ranks AS ranks, -- [integer] number of ranks with slots
  stages AS stages, -- [integer] number of stages
  microbatches AS microbatches, -- [integer] number of microbatches
  window_ns / 1e6 AS window_ms, -- (lower) time from the first start to the last end of slots over all ranks: work, schedule, imbalance and delay
  work_ns / 1e6 AS work_ms, -- (lower) mean GPU busy time of the slots of a rank
  (balanced_ns - work_ns) / 1e6 AS schedule_ms, -- (lower) cost of the schedule: its replay with equal slots of a kind, beyond the work
  (ideal_ns - balanced_ns) / 1e6 AS imbalance_ms, -- (lower) cost of unequal slots: the replay with measured durations beyond the one with equal slots
  (window_ns - ideal_ns) / 1e6 AS delay_ms, -- (lower) time beyond the replay with measured durations: transfers, launches and gaps
  bubble_ns / 1e6 AS bubble_ms, -- (lower) mean time of a rank without computation, transfers and other GPU activities
  bubble_ns * 100.0 / nullif(window_ns, 0) AS bubble_percent, -- [%] (lower) share of the bubble in the time from the first slot to the last
  pairs AS p2p, -- [integer] number of sends with their receives
  unmatched AS unmatched_p2p -- [integer] number of sends and receives without partner; a receive that ended before its send began is none
FROM whole
ORDER BY run, step, pipeline;
