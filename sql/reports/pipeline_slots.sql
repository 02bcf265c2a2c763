-- Slots of pipeline schedules: which stage and microbatch each rank computes, in order.
-- set: multirank
-- question: ranks
-- words: pipeline, stage, microbatch, 1f1b, gpipe, zero bubble, schedule
-- position: 304
-- key: pipeline, step, rank, position
-- measure: busy_ms
-- unit: run
-- when: never
-- drop-empty: step
-- tab: ranks
-- terminal: step, rank, position, stage, kind, microbatch, start_ms, busy_ms
-- empty: no_work, no_pipeline_slots
CREATE VIEW pipeline_slots AS
SELECT
  slot.run AS run, -- [text] name of the run
  slot.pipeline AS pipeline, -- [label] lowest rank of the pipeline
  slot.step AS step, -- [integer] number of the profiler step; empty without steps
  slot.rank AS rank, -- [label] rank of the slot
  slot.position AS position, -- [integer] number of the slot on its rank in the step, from 0
  slot.stage AS stage, -- [integer] number of the stage
  slot.kind AS kind, -- [text] kind of the slot: forward, backward, backward_input or backward_weight
  slot.microbatch AS microbatch, -- [integer] number of the microbatch
  (slot.start_ns - pipeline_window.start_ns) / 1e6 AS start_ms, -- first start of a GPU activity, from the first start of all ranks in the step
  slot.busy_ns / 1e6 AS busy_ms -- (lower) GPU busy time of the slot
FROM pipeline_slot AS slot
JOIN pipeline_window ON pipeline_window.run = slot.run AND pipeline_window.pipeline = slot.pipeline AND pipeline_window.step IS slot.step
ORDER BY slot.run, slot.step, slot.place, slot.position;
