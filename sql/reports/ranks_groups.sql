-- Calls of a group of ops by parameters over all ranks, with rates and kernels.
-- set: multirank
-- question: ranks
-- sheet: {}
-- sheet-by: op_group
-- sheet-names: SELECT op_group FROM op_group WHERE purpose = 'sheet'
-- position: 20 gemm, 30 conv, 40
-- level: op_shape
-- key: op_group, name, params
-- measure: kernel_time_sum, name_count
-- work: GPU time of ops
-- unit: run
-- unfold: params param uid_first
-- drop-empty: kernel_details
-- terminal: name, kernel_time_sum, cumulative_share, name_count, speed_mean, params, kernel_time_mean, bandwidth_mean, ranks
-- empty: lacks_ops, lacks_shapes, lacks_models
CREATE VIEW ranks_groups AS
SELECT
  line.run AS run, -- [text] run
  line.op_group AS op_group, -- [text] group of the op
  line.name AS name, -- [text] name of the op
  line.params AS params, -- [text] parameters of its model
  line.flops / 1e9 AS gflops, -- "GFLOPS_first" [GFLOP] operations of the first call
  line.bytes / 1048576.0 AS data_moved, -- "Data Moved (MB)_first" [MB] what the first call moves
  line.flops * 1.0 / nullif(line.bytes, 0) AS flops_per_byte, -- "FLOPS/Byte_first" [FLOP/byte] operations for each byte
  line.bandwidth_mean AS bandwidth_mean, -- "TB/s_mean" [TB/s] (higher) bandwidth, mean of all calls
  line.bandwidth_std AS bandwidth_std, -- "TB/s_std" [TB/s] its standard deviation
  line.speed_mean AS speed_mean, -- "TFLOPS/s_mean" [TFLOPS] (higher) speed, mean of all calls
  line.speed_std AS speed_std, -- "TFLOPS/s_std" [TFLOPS] its standard deviation
  line.not_moving_mean AS not_moving_mean, -- "Non-Data-Mov TFLOPS/s_mean" [TFLOPS] (higher) speed without the time of kernels that only move data
  line.not_moving_std AS not_moving_std, -- "Non-Data-Mov TFLOPS/s_std" [TFLOPS] its standard deviation
  line.not_moving_ns / 1000.0 AS not_moving_time, -- "Non-Data-Mov Kernel Time (µs)_sum" [us] time without such kernels
  line.kernel_details AS kernel_details, -- "kernel_details__summarize_kernel_stats" [list] the kernels of a call with statistics over all calls
  dims.text AS input_dims, -- "Input Dims_first" [tuple] dimensions of the inputs of the first call
  types.text AS input_type, -- "Input type_first" [tuple] types of its inputs
  strides.text AS input_strides, -- "Input Strides_first" [tuple] strides of its inputs
  concrete.text AS concrete_inputs, -- "Concrete Inputs_first" [tuple] values of its scalar inputs
  line.mean_us AS kernel_time_mean, -- "Kernel Time (µs)_mean" [us] mean time of a call
  line.std_us AS kernel_time_std, -- "Kernel Time (µs)_std" [us] its standard deviation
  line.kernel_ns / 1000.0 AS kernel_time_sum, -- "Kernel Time (µs)_sum" [us] (lower) time of all calls on all ranks
  line.calls AS name_count, -- [integer] calls on all ranks
  line.uid AS uid_first, -- "UID_first" [integer] place of the first call in its file
  line.cumulative AS cumulative_share, -- "kernel_time_sum_cum_pct" [fraction] share of this row and those above in the time of the sheet, 0 to 1
  line.ranks AS ranks, -- [integer] ranks that have such a call
  line.least_ns / 1000.0 AS rank_time_min_us, -- time of the rank that has the least
  line.most_ns / 1000.0 AS rank_time_max_us -- time of the rank that has the most
FROM group_row AS line
LEFT JOIN op ON op.id = line.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
ORDER BY line.run, line.place, line.row_no;
