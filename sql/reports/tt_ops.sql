-- Tenstorrent ops with what bounds each op. They stand in order of start.
-- set: tt
-- question: ops first
-- format: ttmetal op tables of tt-metal
-- sheet: ops
-- position: 10
-- first: 5 device_time_us
-- level: op_shape
-- key: op_code
-- within: id
-- measure: device_time_us
-- work: device time of ops
-- unit: run
-- keep-empty: yes
-- terminal: id, op_code, device_time_us, total_percent, gap_us, bound, cores, device_percent, device, flops_percent, dram_percent, math_fidelity, tflops, dram_gbs, host
-- wide: op_code
-- columns-when: advice not no-advice, raw_op_code raw-op-codes
-- colours: colours
-- footer: tt_totals
-- drop-empty: sub_device, available_cores, host, signpost, ideal_us, least_us, most_us
-- not-included: not_included_in_tt_ops
-- empty: no_tt_ops
CREATE VIEW tt_ops AS
WITH run_files AS (
  SELECT run, count(DISTINCT trace_id) AS files FROM scope GROUP BY run
)
SELECT
  tt_op.run AS run, -- [text] name of the run
  id AS id, -- "ID" [name] line number in the file, counted on over the files
  total_percent AS total_percent, -- "Total %" [%] share of the device time and gaps of all ops
  bound AS bound, -- "Bound" [text] bound of the op: DRAM, FLOP, BOTH, SLOW or HOST
  label AS op_code, -- "OP Code" [text] name of the op with sizes and flags
  CASE WHEN kind <> 'signpost' THEN device END AS device, -- "Device" [integer] number of the device
  device_time_us AS device_time_us, -- "Device Time" [us] (lower) device time of the op
  gap_us AS gap_us, -- "Op-to-Op Gap" [us] gap between the op before and the op
  cores AS cores, -- "Cores" [integer] number of cores of the op
  dram_gbs AS dram_gbs, -- "DRAM" [GB/s] achieved DRAM bandwidth
  dram_percent AS dram_percent, -- "DRAM %" [%] achieved DRAM bandwidth as a share of its peak
  tflops AS tflops, -- "FLOPs" [TFLOPS] achieved TFLOP/s
  flops_percent AS flops_percent, -- "FLOPs %" [%] achieved TFLOP/s as a share of the peak of the cores
  types AS math_fidelity, -- "Math Fidelity" [text] math fidelity and dtypes
  out_type AS output_datatype, -- "Output Datatype" [text] dtype of the output
  in0_type AS input_0_datatype, -- "Input 0 Datatype" [text] dtype of the first input
  in1_type AS input_1_datatype, -- "Input 1 Datatype" [text] dtype of the second input
  is_sharded AS dram_sharded, -- "DRAM Sharded" [boolean] whether the weights are sharded over the DRAM banks
  in0_memory AS input_0_memory, -- "Input 0 Memory" [text] memory of the first input
  block_w AS inner_dim_block_size, -- "Inner Dim Block Size" [integer] block size of the inner dimension
  subblock_h AS output_subblock_h, -- "Output Subblock H" [integer] height of the output subblocks
  subblock_w AS output_subblock_w, -- "Output Subblock W" [integer] width of the output subblocks
  call_count AS global_call_count, -- "Global Call Count" [integer] number of the op over all devices
  nullif(advice, '') AS advice, -- "Advice" [text] advice to try, separated by dots
  name AS raw_op_code, -- "Raw OP Code" [text] name of the op as in the file
  device_percent AS device_percent, -- "Device %" [%] share of the device time of all ops
  sub_device AS sub_device, -- "Sub Device" [text] id of the sub-device
  available_cores AS available_cores, -- "Available Cores" [integer] number of available cores
  CASE WHEN run_files.files > 1 THEN host END AS host, -- "Host" [integer] rank of the file, else the position of the file in the run, from 0
  CASE WHEN NOT (SELECT tpq_like_reference('tt: signposts of ops')) THEN signpost END AS signpost, -- "Signpost" [text] last signpost before the op
  ideal_us AS ideal_us, -- "PM Ideal" [us] ideal time by the model of the profiler
  CASE WHEN merged > 1 THEN least_ns / 1000.0 END AS least_us, -- "Device Time Min" [us] minimum device time over the merged devices
  CASE WHEN merged > 1 THEN most_ns / 1000.0 END AS most_us, -- "Device Time Max" [us] maximum device time over the merged devices
  CASE
    WHEN total_percent < (SELECT coalesce(CAST(tpq_option('min-percentage') AS REAL), 0.5)) AND coalesce(bound, '') <> 'HOST' THEN
      CASE WHEN (SELECT tpq_option('min-percentage')) IS NULL OR (SELECT tpq_like_reference('tt: --min-percentage')) THEN 'grey' ELSE 'hidden' END
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
