-- Ops on Tenstorrent devices in the order in which they ran: where the time goes, and what bounds
-- each op.
-- set: tt
-- sheet: ops
-- position: 10
-- unit: run
-- keep-empty: yes
-- columns-when: advice not no_advice, raw_op_code raw_op_codes
-- drop-empty: sub_device, available_cores, host
CREATE VIEW tt_ops AS
SELECT
  run AS run, -- run
  id AS id, -- "ID" line in the file, counted on over the files
  total_percent AS total_percent, -- "Total %" [%] share of the device time and the gaps of all
  bound AS bound, -- "Bound" what bounds it: DRAM, FLOP, BOTH, SLOW or HOST
  label AS op_code, -- "OP Code" name of the op with sizes and flags
  CASE WHEN kind <> 'signpost' THEN device END AS device, -- "Device" number of the device
  device_time_us AS device_time_us, -- "Device Time" [us] time on the device
  gap_us AS gap_us, -- "Op-to-Op Gap" [us] time between the op before and this one
  cores AS cores, -- "Cores" cores that it ran on
  dram_gbs AS dram_gbs, -- "DRAM" [GB/s] traffic with the memory
  dram_percent AS dram_percent, -- "DRAM %" [%] of what the memory can do
  tflops AS tflops, -- "FLOPs" [TFLOPS] operations
  flops_percent AS flops_percent, -- "FLOPs %" [%] of what the cores can do
  CASE
    WHEN kind = 'signpost' OR (kind = 'host' AND in0_type IS NULL AND out_type IS NULL) THEN NULL
    WHEN analysis IN ('matmul', 'convolution') THEN trim(coalesce(fidelity, '') || ' ' || coalesce(tt_type_name(in0_type), '') || ' x ' || coalesce(tt_type_name(in1_type), '') || ' => ' || coalesce(tt_type_name(out_type), ''))
    ELSE trim(coalesce(tt_type_name(in0_type), '') || coalesce(CASE WHEN in0_type IS NULL THEN '' ELSE ', ' END || tt_type_name(in1_type), '') || coalesce(' => ' || tt_type_name(out_type), ''))
  END AS math_fidelity, -- "Math Fidelity" math fidelity and types
  out_type AS output_datatype, -- "Output Datatype" type of the output
  in0_type AS input_0_datatype, -- "Input 0 Datatype" type of the first input
  in1_type AS input_1_datatype, -- "Input 1 Datatype" type of the second input
  is_sharded AS dram_sharded, -- "DRAM Sharded" [boolean] whether the weights are spread over the banks of the memory
  in0_memory AS input_0_memory, -- "Input 0 Memory" where the first input lies
  block_w AS inner_dim_block_size, -- "Inner Dim Block Size" size of the inner dimension's blocks
  subblock_h AS output_subblock_h, -- "Output Subblock H" height of the output's blocks
  subblock_w AS output_subblock_w, -- "Output Subblock W" width of the output's blocks
  call_count AS global_call_count, -- "Global Call Count" number of the call over all devices
  nullif(advice, '') AS advice, -- "Advice" what to try, parted by dots
  name AS raw_op_code, -- "Raw OP Code" name of the op as it stands in the file
  device_percent AS device_percent, -- "Device %" [%] share of the device time of all
  sub_device AS sub_device, -- "Sub Device" part of the device
  available_cores AS available_cores, -- "Available Cores" cores that it could have run on
  CASE WHEN (SELECT count(DISTINCT trace_id) FROM scope) > 1 THEN trace_id END AS host -- "Host" trace that it is from, a file for each host
FROM tt_op
ORDER BY run, position;
