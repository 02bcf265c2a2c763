-- Kernels of XLA collectives one by one, with ranks and bytes.
-- set: jax
-- question: communication
-- format: xplane profiles of XLA
-- position: 120
-- key: collective_name, moved_bytes
-- within: node, gpu_rank, collective_id, index_in_group
-- measure: dur
-- unit: run
-- when: never
-- terminal: collective_name, gpu_rank, dur, moved_bytes, index_in_group, ts, node, hlo_module, collective_id, replica_groups
-- empty: no_xla_kernels, no_xla_collectives
CREATE VIEW jax_collective_events AS
SELECT
  run AS run, -- [text] name of the run
  node AS node, -- [integer] rank of the host in the run
  gpu_rank AS gpu_rank, -- [integer] rank of the device over all hosts
  pid AS pid, -- [integer] process id of the device
  ts_ps / 1000000.0 AS ts, -- [us] start of the kernel, from the start of the host's trace
  dur_ps / 1000000.0 AS dur, -- [us] (lower) duration of the kernel
  collective_name AS collective_name, -- [text] name of the HLO instruction
  hlo_module AS hlo_module, -- [text] name of the HLO module
  correlation_id AS correlation_id, -- [integer] correlation id
  replica_groups AS replica_groups, -- [array] groups of ranks, a JSON list
  moved_bytes AS moved_bytes, -- "data(bytes)" [real] bytes given by the rank
  process_name AS process_name, -- [text] name of the process
  index_in_group AS index_in_group, -- [integer] index among the kernels of the name on the device, from 0
  collective_id AS collective_id -- [text] name and index of the collective
FROM xla_collective
ORDER BY run, node, pid, ts_ps;
