-- Tenstorrent ops in order of start, with what bounds each op.
-- set: tt
-- question: ops first
-- format: ttmetal op tables of tt-metal
-- sheet: ops
-- position: 10
-- level: op_shape
-- key: op_code
-- within: id
-- measure: device_time_us
-- work: device time of ops
-- unit: run
-- keep-empty: yes
-- terminal: id, op_code, device_time_us, total_percent, gap_us, bound, cores, device_percent, device, flops_percent, dram_percent, math_fidelity, tflops, dram_gbs, host
-- wide: op_code
-- columns-when: advice not no_advice, raw_op_code raw_op_codes
-- colours: colours
-- footer: tt_totals
-- drop-empty: sub_device, available_cores, host, signpost, ideal_us, least_us, most_us
-- leaves-out: left_out_of_tt_ops
-- empty: lacks_tt_ops
CREATE VIEW tt_ops AS
WITH run_files AS (
  SELECT run, count(DISTINCT trace_id) AS files FROM scope GROUP BY run
)
SELECT
  tt_op.run AS run, -- [text] run
  id AS id, -- "ID" [name] line in the file, counted on over the files
  total_percent AS total_percent, -- "Total %" [%] share of the device time and the gaps of all
  bound AS bound, -- "Bound" [text] what bounds it: DRAM, FLOP, BOTH, SLOW or HOST
  label AS op_code, -- "OP Code" [text] name of the op with sizes and flags
  CASE WHEN kind <> 'signpost' THEN device END AS device, -- "Device" [integer] number of the device
  device_time_us AS device_time_us, -- "Device Time" [us] (lower) time on the device
  gap_us AS gap_us, -- "Op-to-Op Gap" [us] time between the op before and this one
  cores AS cores, -- "Cores" [integer] cores that it ran on
  dram_gbs AS dram_gbs, -- "DRAM" [GB/s] traffic with the memory
  dram_percent AS dram_percent, -- "DRAM %" [%] of what the memory can do
  tflops AS tflops, -- "FLOPs" [TFLOPS] operations
  flops_percent AS flops_percent, -- "FLOPs %" [%] of what the cores can do
  types AS math_fidelity, -- "Math Fidelity" [text] math fidelity and types
  out_type AS output_datatype, -- "Output Datatype" [text] type of the output
  in0_type AS input_0_datatype, -- "Input 0 Datatype" [text] type of the first input
  in1_type AS input_1_datatype, -- "Input 1 Datatype" [text] type of the second input
  is_sharded AS dram_sharded, -- "DRAM Sharded" [boolean] whether the weights are spread over the banks of the memory
  in0_memory AS input_0_memory, -- "Input 0 Memory" [text] where the first input lies
  block_w AS inner_dim_block_size, -- "Inner Dim Block Size" [integer] size of the inner dimension's blocks
  subblock_h AS output_subblock_h, -- "Output Subblock H" [integer] height of the output's blocks
  subblock_w AS output_subblock_w, -- "Output Subblock W" [integer] width of the output's blocks
  call_count AS global_call_count, -- "Global Call Count" [integer] number of the call over all devices
  nullif(advice, '') AS advice, -- "Advice" [text] what to try, parted by dots
  name AS raw_op_code, -- "Raw OP Code" [text] name of the op as it stands in the file
  device_percent AS device_percent, -- "Device %" [%] share of the device time of all
  sub_device AS sub_device, -- "Sub Device" [text] part of the device
  available_cores AS available_cores, -- "Available Cores" [integer] cores that it could have run on
  CASE WHEN run_files.files > 1 THEN host END AS host, -- "Host" [integer] rank of the file that it is from, else the file's place in the run, from 0
  CASE WHEN NOT (SELECT tpq_like_reference('tt: signposts of ops')) THEN signpost END AS signpost, -- "Signpost" [text] the last signpost before it
  ideal_us AS ideal_us, -- "PM Ideal" [us] time that the profiler's own model expects
  CASE WHEN merged > 1 THEN least_ns / 1000.0 END AS least_us, -- "Device Time Min" [us] least time of the devices that it stands for
  CASE WHEN merged > 1 THEN most_ns / 1000.0 END AS most_us, -- "Device Time Max" [us] greatest time of them
  CASE
    WHEN total_percent < (SELECT coalesce(CAST(tpq_option('min_percentage') AS REAL), 0.5)) AND coalesce(bound, '') <> 'HOST' THEN
      CASE WHEN (SELECT tpq_option('min_percentage')) IS NULL OR (SELECT tpq_like_reference('tt: --min-percentage')) THEN 'grey' ELSE 'hidden' END
    ELSE 'op_code ' || coalesce(op_colour, 'white')
      || CASE
        WHEN cores < 10 AND cores < grid_cores THEN ', cores red'
        WHEN cores = grid_cores THEN ', cores green'
        ELSE '' END
      || CASE bound
        WHEN 'DRAM' THEN ', bound green, dram_gbs green, dram_percent green'
        WHEN 'FLOP' THEN ', bound green, tflops green, flops_percent green'
        WHEN 'BOTH' THEN CASE WHEN NOT (SELECT tpq_like_reference('tt: ops bound by memory and cores')) THEN ', bound green, dram_gbs green, dram_percent green, tflops green, flops_percent green' ELSE '' END
        WHEN 'SLOW' THEN CASE WHEN dram_percent > flops_percent THEN ', bound yellow, dram_gbs yellow, dram_percent yellow' ELSE ', bound yellow, tflops yellow, flops_percent yellow' END
        WHEN 'HOST' THEN ', bound red'
        ELSE '' END
      || CASE WHEN gap_us > 6.5 THEN ', gap_us red' ELSE '' END
      || coalesce(', math_fidelity ' || fidelity_colour, '')
  END AS colours -- [text] colours of the cells on a terminal
FROM tt_op
CROSS JOIN run_files ON run_files.run = tt_op.run
ORDER BY tt_op.run, position;
